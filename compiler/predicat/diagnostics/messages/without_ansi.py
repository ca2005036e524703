"""Messages about Spark without ANSI mode. Each row is one: see the package."""

from __future__ import annotations

from predicat.diagnostics.message import Arguments, NotInFilter


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
unknown_width = _WithoutAnsi[str]("""a number whose type in Spark is not known
    hint: INT and BIGINT overflow at different values: write CAST({text:operand} AS BIGINT)""")
product = _WithoutAnsi[str, str]("""a product of BIGINT that may overflow
    hint: write try_multiply({one:operand}, {other:operand}), which is NULL on overflow, or declare min and
    max of the fields""")
seconds_of_text = _WithoutAnsi[str]("""unix_timestamp of a string without a format
    hint: write unix_timestamp({text:operand}, 'yyyy-MM-dd HH:mm:ss')""")


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= 30 else "x"
