"""P302: a condition that no engine pushes down to its files or indexes, not even in the form of its WHERE,
although an equivalent condition could be pushed down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, datetime

from msgspec.structs import replace

from predicat.catalog.model import Filter
from predicat.diagnostics import Span
from predicat.explain.text import in_where, is_pushed
from predicat.forms.total_order import with_nan_above, without_nan_test
from predicat.ir.nodes import Call, Field, Literal, Node
from predicat.ir.operators import COMPARISONS, JUNCTIONS
from predicat.ir.types import BIGINT, BOOLEAN
from predicat.ir.values import parse_whole
from predicat.language import LANGUAGES
from predicat.lint.rule import Context, Finding, Fix, Rule


def check(context: Context) -> Iterator[Finding]:
    for filter_, node in context.surfaces():
        if filter_.current.references:
            continue
        for part in _conditions(node):
            better = _better(part, filter_.on_unknown)
            text = None if better is None else _text(better)
            if better is None or text is None:
                continue
            read = _as_read(better, filter_.current.language)
            rule, language = filter_.on_unknown, filter_.current.language
            if context.compared(part, read, (rule, rule), (language, language)).startswith("equivalent"):
                yield Finding(
                    RULE.code,
                    filter_.qualified,
                    "this condition is not pushed down",
                    part.span,
                    f"write {text}, which means the same",
                    _fix(filter_, part.span, text),
                )


def _better(part: Call, on_unknown: str) -> Node | None:
    """A condition on the bare field that should say the same; None where the WHERE of the filter has one, or
    no rule knows one.
    """
    if is_pushed(in_where(part, on_unknown)):
        return None
    bounds = in_where(part)
    return bounds if is_pushed(bounds) else _pushable(part)


def _as_read(node: Node, language: str) -> Node:
    """A condition with the order of doubles that it has in a language: NaN may be above all numbers."""
    if not isinstance(node, Call) or not LANGUAGES[language].rules.total_order:
        return node
    if node.op in JUNCTIONS:
        return replace(node, args=tuple(_as_read(arg, language) for arg in node.args))
    return with_nan_above(node)


def _fix(filter_: Filter, span: Span, text: str) -> Fix | None:
    if filter_.current.language != "sql" or not span.source.text or len(text) > span.end - span.start:
        return None
    return Fix(span, text)


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


def _pushable(node: Call) -> Node | None:
    """A condition on the bare field that should be equivalent; None if no rule has one."""
    if _is_range(node):
        bounds = [_pushable(arg) for arg in node.args if isinstance(arg, Call)]
        known = tuple(bound for bound in bounds if bound is not None)
        return replace(node, args=known) if len(known) == len(node.args) else None
    compared = without_nan_test(node)
    match compared:
        case Call(
            args=(Call(op=op, args=(Field() as field, *_)) as inner, Literal(value=value) as constant)
        ) if value is not None and op in _RULES:
            return _RULES[op](compared, inner, field, constant)
        case _:
            return None


def _occurs(node: Call, inner: Call, field: Field, constant: Literal) -> Node | None:
    """`position('a' IN x) > 0` tests for a substring, `= 1` for a prefix."""
    op = _OF_POSITION.get((node.op, constant.value))
    return Call(BOOLEAN, op, (field, inner.args[1]), node.span) if op is not None else None


_OF_POSITION: dict[tuple[str, object], str] = {
    ("gt", 0): "contains",
    ("ge", 1): "contains",
    ("eq", 1): "starts_with",
}


def _text_of(node: Call, _inner: Call, field: Field, constant: Literal) -> Node | None:
    """`CAST(n AS string) = '12'` tests for a number."""
    number = parse_whole(constant.value) if isinstance(constant.value, str) else None
    if node.op != "eq" or number is None or str(number) != constant.value:
        return None
    if field.type != BIGINT or abs(number) >= 2**63:
        return None
    return replace(node, args=(field, Literal(BIGINT, number)))


def _default(node: Call, inner: Call, field: Field, constant: Literal) -> Node | None:
    """`coalesce(x, 0) = 5` is `x = 5` for a filter; where the default is accepted, `x IS NULL` is asked for
    as well.
    """
    comparison, default = COMPARISONS.get(node.op), inner.args[1]
    if (
        len(inner.args) != 2
        or not isinstance(default, Literal)
        or default.value is None
        or comparison is None
    ):
        return None
    try:
        accepted = comparison.holds(default.value, constant.value)
    except TypeError:  # values of different kinds
        return None
    with_value: Node = replace(node, args=(field, constant))
    absent = Call(BOOLEAN, "is_null", (field,), node.span)
    return Call(BOOLEAN, "or", (with_value, absent), node.span) if accepted else with_value


_RULES: dict[str, Callable[[Call, Call, Field, Literal], Node | None]] = {
    "position": _occurs,
    "to_string": _text_of,
    "coalesce": _default,
}


# --- a condition as SQL


def _text(node: Node) -> str | None:
    """A condition on bare fields as SQL; None for constants that are no short text, number or time."""
    match node:
        case Call(op="and" | "or" as op, args=args):
            parts = [text for arg in args if (text := _text(arg)) is not None]
            return f"({f' {op.upper()} '.join(parts)})" if len(parts) == len(args) else None
        case Call(op="is_null", args=(Field() as field,)):
            return f"{_name(field)} IS NULL"
        case Call(
            op="contains" | "starts_with" as op, args=(Field() as field, Literal(value=str() as sought))
        ):
            if not sought or any(char in sought for char in "%_\\"):
                return None
            return f"{_name(field)} LIKE {_quoted(f'%{sought}%' if op == 'contains' else f'{sought}%')}"
        case Call(op=op, args=(Field() as field, Literal() as constant)) if op in COMPARISONS:
            text = _literal_text(constant)
            return f"{_name(field)} {COMPARISONS[op].sign} {text}" if text is not None else None
        case _:
            return None


def _name(field: Field) -> str:
    return field.decl.name if field.decl.name.isidentifier() else f'"{field.decl.name}"'


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _literal_text(constant: Literal) -> str | None:
    match constant.value:
        case str() as text:
            return _quoted(text)
        case bool():
            return None
        case datetime() as moment:
            return f"TIMESTAMP '{moment.replace(tzinfo=None).isoformat(' ')}'"
        case date() as day:
            return f"DATE '{day.isoformat()}'"
        case float() as number if number.is_integer() and abs(number) < 1e15:
            return str(int(number))
        case int() | float() as number:
            return str(number)
        case _:
            return None


RULE = Rule(
    "P302",
    "unpushable",
    "A condition that the SQL of a WHERE does not push down, although an equivalent one is (proved).",
    check,
    over=("P303",),
)
