"""P302: a condition that no engine pushes down to its files or indexes, though one that says the same would be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta

from msgspec.structs import replace

from predicat.diagnostics import Span
from predicat.ir.nodes import Call, Field, Items, Literal, Node, replaced
from predicat.ir.types import BOOLEAN, DATE, STRING, TIMESTAMP, ArrayType
from predicat.ir.values import parse_whole
from predicat.review.lint.rule import Context, Finding, Fix, Rule

_MAX_CASES = 16


def check(context: Context) -> Iterator[Finding]:
    for row, node in context.filters():
        if row.current.references:
            continue
        for part in _conditions(node):
            better = pushable(part)
            if better is None:
                continue
            changed = replaced(node, part, better[0])
            if context.same_rows(node, changed, (row.on_unknown, row.on_unknown)):
                fix = Fix(part.span, better[1]) if row.current.language == "sql" and _has_text(part.span) else None
                yield Finding(RULE.code, row.qualified, "this condition is not pushed down", part.span, f"{better[1]} says the same and is", fix)


def _has_text(span: Span) -> bool:
    return bool(span.source.text) and span.end > span.start


def _conditions(node: Node) -> Iterator[Call]:
    if isinstance(node, Call) and node.op in ("and", "or"):
        for arg in node.args:
            yield from _conditions(arg)
    elif isinstance(node, Call):
        yield node


def pushable(node: Call) -> tuple[Node, str] | None:
    """A condition on the bare field that should say the same, and its SQL; None where no rule knows one."""
    if node.op not in ("eq", "starts_with") or not isinstance(node.args[0], Call) or not isinstance(node.args[1], Literal):
        return None
    inner, constant = node.args[0], node.args[1]
    field = next((arg for arg in inner.args if isinstance(arg, Field)), None)
    rule = _RULES.get(inner.op)
    if field is None or rule is None or constant.value is None or (inner.op != "date_trunc" and inner.args[0] is not field):
        return None
    return rule(node, inner, field, constant)


Found = tuple[Node, str] | None


def _name(field: Field) -> str:
    return field.decl.name if field.decl.name.isidentifier() else f"`{field.decl.name}`"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _cases(node: Call, _inner: Call, field: Field, constant: Literal) -> Found:
    if node.op != "eq" or not isinstance(constant.value, str):
        return None
    texts = [""]
    for char in constant.value:
        both = [char.lower(), char.upper()] if char.isascii() and char.isalpha() else [char]
        texts = [text + one for text in texts for one in both]
        if len(texts) > _MAX_CASES:
            return None
    items = Items(ArrayType(STRING), tuple(Literal(STRING, text) for text in texts))
    return Call(BOOLEAN, "in", (field, items), node.span), f"{_name(field)} IN ({', '.join(map(_quoted, texts))})"


def _prefix(node: Call, inner: Call, field: Field, constant: Literal) -> Found:
    start, length = inner.args[1], inner.args[2] if len(inner.args) > 2 else None
    if node.op != "eq" or not isinstance(start, Literal) or start.value not in (0, 1) or not isinstance(length, Literal):
        return None
    if not isinstance(constant.value, str) or "%" in constant.value or "_" in constant.value or "\\" in constant.value:
        return None
    if length.value != len(constant.value) + (1 if start.value == 0 else 0):
        return None
    return Call(BOOLEAN, "starts_with", (field, constant), node.span), f"{_name(field)} LIKE {_quoted(constant.value + '%')}"


def _year(node: Call, inner: Call, field: Field, constant: Literal) -> Found:
    year = constant.value
    if len(inner.args) != 1 or not isinstance(year, int) or not 1 <= year < 9999:
        return None
    return _range(node, field, datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC))


def _day(node: Call, _inner: Call, field: Field, constant: Literal) -> Found:
    day = constant.value
    if field.type != TIMESTAMP or not isinstance(day, date) or isinstance(day, datetime) or day.year > 9998:
        return None
    start = datetime(day.year, day.month, day.day, tzinfo=UTC)
    return _range(node, field, start, start + timedelta(days=1))


def _range(node: Call, field: Field, start: datetime, end: datetime) -> Found:
    if field.type not in (TIMESTAMP, DATE):
        return None
    low, high = (Literal(field.type, moment.date() if field.type == DATE else moment) for moment in (start, end))
    both = (Call(BOOLEAN, "ge", (field, low), node.span), Call(BOOLEAN, "lt", (field, high), node.span))
    word = "DATE" if field.type == DATE else "TIMESTAMP"
    shown = [moment.date().isoformat() if field.type == DATE else f"{moment:%Y-%m-%d %H:%M:%S}+00:00" for moment in (start, end)]
    sql = f"({_name(field)} >= {word} '{shown[0]}' AND {_name(field)} < {word} '{shown[1]}')"
    return Call(BOOLEAN, "and", both, node.span), sql


def _text_of(node: Call, _inner: Call, field: Field, constant: Literal) -> Found:
    if node.op != "eq" or not isinstance(constant.value, str) or (number := parse_whole(constant.value)) is None or str(number) != constant.value:
        return None
    if str(field.type) != "bigint" or abs(number) >= 2**63:
        return None
    return replace(node, args=(field, Literal(field.type, number))), f"{_name(field)} = {number}"


def _default(node: Call, inner: Call, field: Field, constant: Literal) -> Found:
    """`coalesce(x, 0) = 5` is `x = 5` for a filter, unless the default is what it asks for."""
    if len(inner.args) != 2 or not isinstance(inner.args[1], Literal) or inner.args[1].value == constant.value:
        return None
    value = constant.value
    sql = _quoted(value) if isinstance(value, str) else str(value) if isinstance(value, int) and not isinstance(value, bool) else None
    return None if sql is None or node.op != "eq" else (replace(node, args=(field, constant)), f"{_name(field)} = {sql}")


_RULES: dict[str, Callable[[Call, Call, Field, Literal], Found]] = {
    "lower": _cases, "upper": _cases, "substr": _prefix, "year": _year, "to_date": _day, "to_string": _text_of, "coalesce": _default,
}  # fmt: skip

RULE = Rule("P302", "unpushable", "A condition that is not pushed down where an equivalent one is (proved).", check)
