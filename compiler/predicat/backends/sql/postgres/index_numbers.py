"""PostgreSQL: tests of what a member of a JSON object is cast to, beside a condition that is TRUE whenever
the test is.

With an index on the author's cast, that is the cast itself: `(j ->> 'n')::int = 5`. It raises no error, since
each row is in the index. If the index is dropped, the planner evaluates the cheaper test first, which is not
TRUE for a value that has no such cast. Without an index the condition compares the JSON number, with one
look-up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import copysign, inf, nextafter

from msgspec import Struct
from sqlglot import exp

from predicat.backends.sql.builders import (
    COMPARISON_NODES,
    Sql,
    and_,
    between,
    binary,
    call,
    cast,
    is_null,
    not_,
    number_literal,
    string_literal,
)
from predicat.backends.sql.functions import Function
from predicat.backends.sql.postgres import documents
from predicat.backends.sql.postgres.runtime import FUNCTIONS, called
from predicat.backends.sql.postgres.stored import spelling
from predicat.backends.sql.renderer import Renderer
from predicat.backends.sql.rules import Served
from predicat.ir.nodes import Call, Items, Literal, Node
from predicat.ir.operators import FLIPPED
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE, JSON

# The types to which the author casts, in an index, by the functions that do it without an error.
INDEXED = {
    "text_to_int": ("->>", "INT"),
    "text_to_bigint": ("->>", "BIGINT"),
    "text_to_double": ("->>", "DOUBLE"),
    "round_to_int": ("->", "INT"),
    "round_to_bigint": ("->", "BIGINT"),
    "text_to_boolean": ("->>", "BOOLEAN"),
}
# Where both have a value, it is the same, or greater or less than each constant.
_SAME = ("text_to_int", "text_to_bigint")
# A double may be rounded to another integer than a number with more digits.
_NEAR = ("round_to_int", "round_to_bigint")
# The functions of the number of a JSON value; that of `_ONLY_NUMBERS` is NULL for strings.
_ONLY_NUMBERS = "number"
_OF_NUMBERS = {*INDEXED, _ONLY_NUMBERS, "double", "int", "to_bigint"}
_FUNCTIONS = [one for one in FUNCTIONS if one.name in _OF_NUMBERS and one.arguments == ("j", "k")]
# Beyond it a double is not the number that a person wrote.
_MOST = 2**53


class _Test(Struct, frozen=True):
    """A comparison of what a function reads from a member with constants."""

    function: Function
    member: Call
    op: str
    wanted: tuple[int | float, ...]


def served(r: Renderer, node: Node, sql: Sql) -> Served | None:
    """The condition beside a test of a cast; None for any other test."""
    test = _test(node)
    if test is None or r.parameterize or r.runtime is None or not r.runtime.has(test.function):
        return None
    of_value = test.function.name == _ONLY_NUMBERS
    authors = _near(documents.value(r, test.member), test, string_literal) if of_value else _by_index(r, test)
    if authors is None:
        return Served(_by_path(r, test)) if test.wanted else None
    exact = sql.copy()
    for part in () if of_value else exact.find_all(exp.Anonymous):
        if part.name == called(test.function.name).name:
            part.set("this", called(f"exact_{test.function.name}").name)
    # As selective as the author's condition alone: the planner would multiply both.
    same = test.function.name in _SAME and isinstance(exact, exp.Binary | exp.In)
    value = exact.this if same else call("NULLIF", exact, exp.false())
    decides = not_(is_null(value))
    return Served(and_(authors, decides) if of_value else and_(decides, authors), exact=True)


def _test(node: Node) -> _Test | None:
    match node:
        case Call(op=op, args=(Literal() as wanted, value)) if op in FLIPPED:
            return _test(Call(node.type, FLIPPED[op], (value, wanted), node.span))
        case Call(op=op, args=(value, Literal() as wanted)) if op in ("eq", "lt", "le", "gt", "ge"):
            return _found(value, op, [wanted])
        case Call(op="json_equals", args=(value, Literal(value=int() | float()) as wanted)):
            return _found(Call(DOUBLE, "json_number", (value,), node.span), "eq", [wanted])
        case Call(op="in", args=(value, Items(items=items))):
            return _found(value, "in", items)
        case Call(type=kind) if kind == BOOLEAN:
            return _found(node, "is_true", [])
        case _:
            return None


def _found(value: Node, op: str, items: Sequence[Node]) -> _Test | None:
    wanted = [item.value for item in items if isinstance(item, Literal)]
    numbers = [
        one for one in wanted if isinstance(one, int | float) and type(one) is not bool and abs(one) < _MOST
    ]
    if not isinstance(value, Call) or len(numbers) < len(items):
        return None
    for function in _FUNCTIONS:
        if (arguments := function.arguments_in(value)) is not None:
            return _Test(function, Call(JSON, "json_get", tuple(arguments), value.span), op, tuple(numbers))
    return None


# --- the author's condition


def _by_index(r: Renderer, test: _Test) -> Sql | None:
    if test.function.name not in INDEXED:
        return None
    arrow, kind = INDEXED[test.function.name]
    read = documents.text_of if arrow == "->>" else documents.value
    methods = ("btree", "hash") if test.op in ("eq", "in") else ("btree",)
    for other in (kind, "DECIMAL") if kind == "DOUBLE" else (kind,):
        value = cast(exp.Paren(this=read(r, test.member)), other)
        if r.storage.index_on(spelling(value), methods, whole=True) is not None:
            near = other == "DECIMAL" or test.function.name in _NEAR
            return _near(value, test) if near else _compared(value, test)
    return None


def _compared(value: Sql, test: _Test) -> Sql:
    numbers = [number_literal(one) for one in map(_shown, test.wanted)]
    if not numbers:
        return value
    if test.op == "in":
        return exp.In(this=value, expressions=numbers)
    return binary(COMPARISON_NODES[test.op], value, numbers[0])


def _near(value: Sql, test: _Test, constant: Callable[[str], Sql] = number_literal) -> Sql:
    """A comparison that numbers near the constants pass, too."""
    low, high = _ends(test)
    if low is not None and high is not None:
        return between(value, constant(low), constant(high))
    ends = zip((exp.GTE, exp.LTE), (low, high), strict=True)
    return and_(*(binary(sign, value, constant(end)) for sign, end in ends if end is not None))


# --- a condition on the number


def _by_path(r: Renderer, test: _Test) -> Sql:
    base, place = documents.placed(r, test.member)
    low, high = _ends(test)
    sides = [f"{place} {sign} {end}" for sign, end in ((">", low), ("<", high)) if end is not None]
    path = exp.MatchAgainst(this=exp.Literal.string(f"strict {' && '.join(sides)}"), expressions=[base])
    return call("COALESCE", path, exp.true())


def _ends(test: _Test) -> tuple[str | None, str | None]:
    """Numbers below and above all numbers that pass, as text; None if there is no such end."""
    low, high = min(test.wanted), max(test.wanted)
    below, above = _before(test, low, -inf), _before(test, high, inf)
    match test.op:
        case "gt":
            return _shown(low), None
        case "ge":
            return below, None
        case "lt":
            return None, _shown(high)
        case "le":
            return None, above
        case _:
            return below, above


def _before(test: _Test, number: float, end: float) -> str:
    if test.function.meaning.type == BIGINT:
        return _shown(int(number) + (1 if end > 0 else -1))
    if float(number).is_integer() and abs(number) < _MOST / 4:
        return _shown(float(number) + copysign(0.5, end))
    return _shown(nextafter(float(number), end))


def _shown(number: float) -> str:
    text = repr(number)
    return text.removesuffix(".0")
