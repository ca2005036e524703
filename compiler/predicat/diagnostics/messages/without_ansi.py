"""Messages about Spark without ANSI mode. Each row is one: see the package."""

from __future__ import annotations

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.message import Arguments, NotInFilter
from predicat.diagnostics.source import Span


class _WithoutAnsi(NotInFilter[*Arguments]):
    """A part whose meaning without ANSI mode is not the one of ANSI mode."""

    frame = "unsupported: {}, without ANSI mode is not supported in a filter"


_MODE = "without ANSI mode"

sum_of_whole_numbers = _WithoutAnsi[()]("""aggregate of integers, which may overflow
    hint: add doubles: aggregate(xs, 0D, (total, x) -> total + CAST(x AS DOUBLE))""")
wide_decimal = _WithoutAnsi[int]("""a cast of a decimal with more than {most} digits before its point to an
    integer
    hint: write TRY_CAST, which is NULL where the number does not fit""")
text_in_list = _WithoutAnsi[str]("""IN with strings and {kind}
    hint: Spark compares them as strings there: write all of them as strings, or all as numbers""")


def unknown_width(span: Span, text: str) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        f"a number whose type in Spark is not known, {_MODE}",
        f"INT and BIGINT overflow at different values: write CAST({_short(text)} AS BIGINT)",
    )


def product(span: Span, one: str, other: str) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        f"a product of BIGINT that may overflow, {_MODE}",
        f"write try_multiply({_short(one)}, {_short(other)}), which is NULL on overflow, or declare "
        "min and max of the fields",
    )


def seconds_of_text(span: Span, text: str) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        f"unix_timestamp of a string without a format, {_MODE}",
        f"write unix_timestamp({_short(text)}, 'yyyy-MM-dd HH:mm:ss')",
    )


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= 30 else "x"
