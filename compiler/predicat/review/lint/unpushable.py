"""P302: a condition that no engine pushes down to its files or indexes, though one that says the same would
be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from predicat.catalog.model import Filter
from predicat.diagnostics import Span
from predicat.forms.engine_order import marked, unmarked
from predicat.ir.nodes import Call, Field, Literal, Node
from predicat.ir.operators import COMPARISONS, JUNCTIONS, ORDERED
from predicat.ir.types import BIGINT, BOOLEAN, STRING
from predicat.ir.values import parse_whole
from predicat.language import LANGUAGES
from predicat.review.lint import solve
from predicat.review.lint.rule import Context, Finding, Fix, Rule
from predicat.rewrite.solve_texts import OF_LENGTH


class Rewrite(Struct, frozen=True):
    """A condition on the bare field that should say the same, as a node and in SQL; what to add to that, if
    it is not quite the same.
    """

    node: Node
    sql: str
    but: str = ""


def check(context: Context) -> Iterator[Finding]:
    for filter_, node in context.surfaces():
        if filter_.current.references:
            continue
        for part in _conditions(node):
            better = pushable(part)
            if better is None:
                continue
            read = _as_read(better.node, filter_.current.language)
            if context.same_rows(part, read, (filter_.on_unknown, filter_.on_unknown)):
                yield Finding(
                    RULE.code,
                    filter_.qualified,
                    "this condition is not pushed down",
                    part.span,
                    f"write {better.sql}, which says the same{better.but}",
                    _fix(filter_, part.span, better),
                )


def _as_read(node: Node, language: str) -> Node:
    """A condition with the order of doubles that it has in a language: NaN may be above all numbers."""
    if not isinstance(node, Call) or not LANGUAGES[language].rules.engine_order:
        return node
    if node.op in JUNCTIONS:
        return replace(node, args=tuple(_as_read(arg, language) for arg in node.args))
    return marked(node)


def _fix(filter_: Filter, span: Span, better: Rewrite) -> Fix | None:
    if (
        filter_.current.language != "sql"
        or better.but
        or not span.source.text
        or len(better.sql) > span.end - span.start
    ):
        return None
    return Fix(span, better.sql)


def _conditions(node: Node) -> Iterator[Call]:
    """The conditions that AND and OR join. What one place of the text says, as BETWEEN its two bounds, is
    one.
    """
    if isinstance(node, Call) and node.op in JUNCTIONS and not _is_range(node):
        for arg in node.args:
            yield from _conditions(arg)
    elif isinstance(node, Call):
        yield node


def _is_range(node: Call) -> bool:
    return (
        node.op == "and" and bool(node.span.source.text) and all(arg.span == node.span for arg in node.args)
    )


def pushable(node: Call) -> Rewrite | None:
    """A condition on the bare field that should say the same; None where no rule knows one."""
    if _is_range(node):
        bounds = [pushable(arg) for arg in node.args if isinstance(arg, Call)]
        if len(bounds) != len(node.args) or not all(bounds):
            return None
        known = [bound for bound in bounds if bound is not None]
        return Rewrite(
            Call(BOOLEAN, "and", tuple(bound.node for bound in known), node.span),
            f"({' AND '.join(bound.sql for bound in known)})",
            known[0].but or known[-1].but,
        )
    compared = unmarked(node)
    match compared:
        case Call(args=(Call() as inner, Literal() as constant)) if constant.value is not None:
            return _of_comparison(compared, inner, constant)
        case _:
            return None


def _of_comparison(node: Call, inner: Call, constant: Literal) -> Rewrite | None:
    solved = _solved(node, inner, constant)
    if solved is not None:
        return solved
    rule = _RULES.get(inner.op)
    field = inner.args[0]
    return rule(node, inner, field, constant) if rule is not None and isinstance(field, Field) else None


# --- monotone expressions


def _solved(node: Call, inner: Call, constant: Literal) -> Rewrite | None:
    """Bounds of the field, where the condition compares a monotone expression of it."""
    field = solve.field_of(inner)
    if field is None or node.op not in ORDERED | {"eq"}:
        return None
    try:
        result = solve.interval(node.op, inner, field, constant.value)
    except TypeError:  # values of different kinds
        return None
    if result is None or (result.low is None and result.high is None):
        return None
    ends = (("ge", result.low), ("le", result.high))
    bounds = [
        Call(BOOLEAN, op, (field, Literal(field.type, value)), node.span)
        for op, value in ends
        if value is not None
    ]
    both: Node = bounds[0] if len(bounds) == 1 else Call(BOOLEAN, "and", tuple(bounds), node.span)
    but = " except where the arithmetic overflows" if any(result.cut) else ""
    low, high = (
        None if cut else value for value, cut in zip((result.low, result.high), result.cut, strict=True)
    )
    sql = _range_text(field, low, high, strict=node.op in ("lt", "gt"))
    return Rewrite(both, sql, but) if sql else None


def _range_text(field: Field, low: Any, high: Any, *, strict: bool) -> str:
    """An interval of a field as SQL, with < and > if `strict`; an empty text for all of its values."""
    name = _name(field)
    if low == high:
        return f"{name} = {_constant(low)}" if low is not None else ""
    if low is not None and high is not None and field.type == BIGINT:
        return f"{name} BETWEEN {low} AND {high}"
    bounds = []
    if low is not None:
        above = strict and high is None and getattr(low, "microsecond", 1) == 1
        bounds.append(f"{name} > {_constant(_next(low, -1))}" if above else f"{name} >= {_constant(low)}")
    if high is not None:
        whole = field.type == BIGINT and not strict
        bounds.append(f"{name} <= {high}" if whole else f"{name} < {_constant(_next(high, 1))}")
    return bounds[0] if len(bounds) == 1 else f"({' AND '.join(bounds)})"


def _next(value: Any, step: int) -> Any:
    """The next value of a type, or with -1 the one before."""
    if isinstance(value, datetime):
        return value + step * timedelta(microseconds=1)
    return value + timedelta(days=step) if isinstance(value, date) else value + step


def _constant(value: Any) -> str:
    if isinstance(value, datetime):
        return f"TIMESTAMP '{value.replace(tzinfo=None).isoformat(' ')}'"
    return f"DATE '{value.isoformat()}'" if isinstance(value, date) else str(value)


# --- texts


def _name(field: Field) -> str:
    return field.decl.name if field.decl.name.isidentifier() else f'"{field.decl.name}"'


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _plain(text: str) -> bool:
    """Whether a text has no wildcards of LIKE."""
    return not any(char in text for char in "%_\\")


def _prefix(node: Call, inner: Call, field: Field, constant: Literal) -> Rewrite | None:
    """`substring(x, 1, 2) = 'ab'` asks for a beginning."""
    start, length = inner.args[1], inner.args[2] if len(inner.args) > 2 else None
    if (
        node.op != "eq"
        or not isinstance(start, Literal)
        or start.value not in (0, 1)
        or not isinstance(length, Literal)
    ):
        return None
    if not isinstance(constant.value, str) or not constant.value or not _plain(constant.value):
        return None
    if length.value != len(constant.value) + (1 if start.value == 0 else 0):
        return None
    return Rewrite(
        Call(BOOLEAN, "starts_with", (field, constant), node.span),
        f"{_name(field)} LIKE {_quoted(constant.value + '%')}",
    )


def _occurs(node: Call, inner: Call, field: Field, constant: Literal) -> Rewrite | None:
    """`position('a' IN x) > 0` asks whether a text occurs, `= 1` whether it begins so."""
    sought = inner.args[1]
    if (
        not isinstance(sought, Literal)
        or not isinstance(sought.value, str)
        or not sought.value
        or not _plain(sought.value)
    ):
        return None
    if (node.op, constant.value) in (("gt", 0), ("ge", 1)):
        return Rewrite(
            Call(BOOLEAN, "contains", (field, sought), node.span),
            f"{_name(field)} LIKE {_quoted(f'%{sought.value}%')}",
        )
    if (node.op, constant.value) == ("eq", 1):
        return Rewrite(
            Call(BOOLEAN, "starts_with", (field, sought), node.span),
            f"{_name(field)} LIKE {_quoted(f'{sought.value}%')}",
        )
    return None


def _empty(node: Call, _inner: Call, field: Field, constant: Literal) -> Rewrite | None:
    """`length(x) = 0` asks for the empty text, `length(x) > 0` for any other."""
    if not isinstance(constant.value, int) or field.type != STRING:
        return None
    op = OF_LENGTH.get((node.op, constant.value))
    if op is None:
        return None
    return Rewrite(
        Call(BOOLEAN, op, (field, Literal(STRING, "")), node.span),
        f"{_name(field)} {COMPARISONS[op].sign} ''",
    )


def _text_of(node: Call, _inner: Call, field: Field, constant: Literal) -> Rewrite | None:
    """`CAST(n AS string) = '12'` asks for a number."""
    if (
        node.op != "eq"
        or not isinstance(constant.value, str)
        or (number := parse_whole(constant.value)) is None
        or str(number) != constant.value
    ):
        return None
    if field.type != BIGINT or abs(number) >= 2**63:
        return None
    return Rewrite(replace(node, args=(field, Literal(BIGINT, number))), f"{_name(field)} = {number}")


def _default(node: Call, inner: Call, field: Field, constant: Literal) -> Rewrite | None:
    """`coalesce(x, 0) = 5` is `x = 5` for a filter; where the default is accepted, `x IS NULL` is asked for
    as well.
    """
    comparison, text = COMPARISONS.get(node.op), _literal(constant)
    if (
        len(inner.args) != 2
        or not isinstance(inner.args[1], Literal)
        or inner.args[1].value is None
        or comparison is None
        or text is None
    ):
        return None
    try:
        default = comparison.holds(inner.args[1].value, constant.value)
    except TypeError:  # values of different kinds
        return None
    bare: Node = replace(node, args=(field, constant))
    if not default:
        return Rewrite(bare, f"{_name(field)} {comparison.sign} {text}")
    absent = Call(BOOLEAN, "is_null", (field,), node.span)
    return Rewrite(
        Call(BOOLEAN, "or", (bare, absent), node.span),
        f"({_name(field)} {comparison.sign} {text} OR {_name(field)} IS NULL)",
    )


def _literal(constant: Literal) -> str | None:
    value = constant.value
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, bool):
        return None
    if isinstance(value, date):
        return _constant(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value) if isinstance(value, int | float) else None


_RULES: dict[str, Callable[[Call, Call, Field, Literal], Rewrite | None]] = {
    "substr": _prefix,
    "position": _occurs,
    "length": _empty,
    "to_string": _text_of,
    "coalesce": _default,
}

RULE = Rule(
    "P302",
    "unpushable",
    "A condition that is not pushed down, although an equivalent one is (proved).",
    check,
    over=("P303",),
)
