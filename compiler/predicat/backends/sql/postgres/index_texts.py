"""PostgreSQL: tests of strings that use an index on a column, on LOWER or UPPER of it, or on its trigrams.

A filter's operators on letter case do not depend on the collation, but an index on `lower(name)` does. So the
test gets an additional condition that is TRUE whenever the test is: strings that are equal up to case are
also equal after the index's own LOWER. That is true for every collation whose LOWER maps ASCII letters to
each other.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product, repeat
from math import prod
from string import ascii_lowercase, ascii_uppercase

from msgspec import Struct
from sqlglot import exp

from predicat.backends.sql.builders import Sql, call, comparison_operand, or_, string_literal
from predicat.backends.sql.postgres.stored import TREES, spelling
from predicat.backends.sql.renderer import Renderer, constant
from predicat.backends.sql.rules import Served
from predicat.backends.sql.storage import UNKNOWN_ORDER, TextOrder
from predicat.ir.nodes import Call, Field, Items, Literal, Node, walk
from predicat.ir.types import STRING
from predicat.semantics import casefold, like
from predicat.values.domain import after_prefix

_TRIGRAMS = ("gin_trgm_ops", "gist_trgm_ops")
_PATTERNS = ("text_pattern_ops", "varchar_pattern_ops")
# An IN of more spellings than this does not narrow enough to be worth its length.
_MOST_VALUES = 16
_MOST_PATTERNS = 4


# The functions of an index, and what they do with letters of ASCII.
_CASE = {
    "LOWER": str.maketrans(ascii_uppercase, ascii_lowercase),
    "UPPER": str.maketrans(ascii_lowercase, ascii_uppercase),
}


class TextTest(Struct, frozen=True):
    """A test of a string against constants.

    Attributes:
        value: The string, without LOWER or UPPER around it.
        kind: `eq` for one of the constants, or `like`, whose constant is a pattern.
        wanted: The constants.
        fold: `exact`, `ascii` (ASCII letters without case), or `unicode` (simple case folding).
        function: The LOWER or UPPER around the value, if there is one.
    """

    value: Node
    kind: str
    wanted: tuple[str, ...]
    fold: str
    function: str = ""


def served(r: Renderer, node: Node, _: Sql) -> Served | None:
    """An additional condition for a test of a string, for which an index is used."""
    test = _test(node)
    if test is None or r.parameterize:
        return None
    sql, order = r.node(test.value), order_of(r, test.value)
    on = spelling(sql)
    if test.fold == "exact" and (r.storage.index_on(on, TREES) or _has_trigrams(r, on)):
        return _range(r, test, sql, order)
    if test.fold == "exact" and test.kind == "like":
        return None
    if not order.usual_case:
        return None
    if test.kind == "eq":
        return _equal(r, test, sql, order)
    return _alike(r, test, sql, order)


def order_of(r: Renderer, *nodes: Node) -> TextOrder:
    """The order of strings: of the collation of their column, or of the database. Nothing is known for
    several columns if one has its own collation: PostgreSQL rejects a mix.
    """
    columns = {
        part.decl.column(r.dialect.name) for node in nodes for part in walk(node) if isinstance(part, Field)
    }
    if len(columns) == 1:
        return r.storage.order_of(columns.pop())
    return UNKNOWN_ORDER if not columns or columns & r.storage.orders.keys() else r.storage.order


def _has_own_collation(r: Renderer, node: Node) -> bool:
    return any(
        isinstance(part, Field) and part.decl.column(r.dialect.name) in r.storage.orders
        for part in walk(node)
    )


# --- what a test says


def _test(node: Node) -> TextTest | None:
    match node:
        case Call(op="eq", args=(Literal(value=str()) as wanted, value)):
            return _test(Call(node.type, "eq", (value, wanted), node.span))
        case Call(op="eq", args=(value, Literal(value=str() as wanted))):
            return _folded(value, "eq", (wanted,))
        case Call(op="in", args=(value, Items(items=items))) if value.type == STRING:
            values = [item.value for item in items if isinstance(item, Literal)]
            texts = tuple(one for one in values if isinstance(one, str))
            return _folded(value, "eq", texts) if texts and len(texts) == len(items) else None
        case Call(
            op="starts_with" | "contains" | "ends_with" as op, args=(value, Literal(value=str() as part))
        ):
            return _folded(value, "like", (_pattern(op, part),))
        case Call(op="like", args=(value, Literal(value=str() as pattern))):
            return _folded(value, "like", (pattern,))
        case Call(op="equals_ci", args=(value, given)):
            return TextTest(value, "eq", (casefold.fold(constant(given)),), "unicode")
        case Call(op="starts_with_ci" | "contains_ci" as op, args=(value, given)):
            return TextTest(value, "like", (_pattern(op[:-3], casefold.fold(constant(given))),), "unicode")
        case Call(op="like_ci", args=(value, given)):
            pattern = casefold.fold(constant(given))
            kind = "like" if any(char in pattern for char in "%_\\") else "eq"
            return TextTest(value, kind, (pattern,), "unicode")
        case _:
            return None


def _pattern(op: str, part: str) -> str:
    before, behind = {"starts_with": ("", "%"), "ends_with": ("%", ""), "contains": ("%", "%")}[op]
    return before + like.escaped(part) + behind


def _folded(value: Node, kind: str, wanted: tuple[str, ...]) -> TextTest:
    if isinstance(value, Call) and value.op in ("lower", "upper"):
        return TextTest(value.args[0], kind, wanted, "ascii", value.op.upper())
    return TextTest(value, kind, wanted, "exact")


# --- what an index serves


def _has_trigrams(r: Renderer, on: str) -> bool:
    return r.storage.index_on(on, ("gin", "gist"), _TRIGRAMS) is not None


def _range(r: Renderer, test: TextTest, sql: Sql, order: TextOrder) -> Served | None:
    """The bounds of a prefix, for an index whose order is by code point but which does not serve LIKE."""
    on = spelling(sql)
    prefix = _prefix(test)
    if (
        not prefix
        or not order.by_code_point
        or order.serves_prefixes
        or r.storage.index_on(on, ("btree",), ("",)) is None
        or r.storage.index_on(on, ("btree",), _PATTERNS) is not None
    ):
        return None
    low = exp.GTE(this=comparison_operand(sql), expression=string_literal(prefix))
    after = after_prefix(prefix)
    if after is None:
        return Served(low)
    return Served(
        exp.And(this=low, expression=exp.LT(this=comparison_operand(sql), expression=string_literal(after)))
    )


def _prefix(test: TextTest) -> str:
    """The literal prefix of a LIKE pattern."""
    if test.kind != "like":
        return ""
    pattern = test.wanted[0]
    ends = [pattern.index(char) for char in "%_\\" if char in pattern]
    return pattern[: min(ends)] if ends else pattern


def _equal(r: Renderer, test: TextTest, sql: Sql, order: TextOrder) -> Served | None:
    for name, letters in _CASE.items():
        folded = call(name, sql)
        if r.storage.index_on(spelling(folded), TREES) is None:
            continue
        if order.ascii_case and test.function == name:
            return None  # the usual form is this one
        values = [one for wanted in test.wanted for one in _spellings(wanted, test.fold)]
        if not 0 < len(values) <= _MOST_VALUES or not all(map(_spellings, test.wanted, repeat(test.fold))):
            return None
        if not all(map(str.isascii, values)) and _has_own_collation(r, test.value):
            return None  # LOWER of a constant is that of the database
        constants = [
            # Beyond ASCII the result depends on the collation. PostgreSQL computes it once.
            string_literal(one.translate(letters)) if one.isascii() else call(name, one)
            for one in dict.fromkeys(values)
        ]
        if len(constants) == 1:
            return Served(exp.EQ(this=folded, expression=constants[0]))
        return Served(exp.In(this=folded, expressions=constants))
    if test.fold != "exact" and _has_trigrams(r, spelling(sql)) and len(test.wanted) == 1:
        pattern = like.escaped(test.wanted[0])
        return _alike(r, TextTest(test.value, "like", (pattern,), test.fold), sql, order)
    return None


def _spellings(wanted: str, fold: str) -> list[str]:
    """All strings that a test treats as equal, up to ASCII letter case. Empty if there are too many."""
    if fold != "unicode":
        return [wanted]
    choices = [
        (char, *(other for other in casefold.variants(char) if not other.isascii())) for char in wanted
    ]
    if prod(map(len, choices)) > _MOST_VALUES:
        return []
    return list(map("".join, product(*choices)))


def _alike(r: Renderer, test: TextTest, sql: Sql, order: TextOrder) -> Served | None:
    """LIKE on LOWER or UPPER of the string, or ILIKE on the string, if there is an index for it."""
    pattern = test.wanted[0]
    if not pattern.isascii():
        return None  # what LOWER makes of a letter beyond ASCII may depend on the letters around it
    made = _form(r, test, sql, order)
    patterns = [pattern] if test.fold == "ascii" else _patterns(pattern)
    return Served(or_(*map(made, patterns))) if made is not None and patterns else None


def _form(r: Renderer, test: TextTest, sql: Sql, order: TextOrder) -> Callable[[str], Sql] | None:
    """The form of a LIKE for which there is an index."""
    trees = (*_PATTERNS, "") if order.serves_prefixes else _PATTERNS
    starts = not test.wanted[0].startswith(("%", "_"))
    for name, letters in _CASE.items():
        folded = call(name, sql)
        place = spelling(folded)
        if _has_trigrams(r, place) or (starts and r.storage.index_on(place, ("btree",), trees)):
            usual = order.ascii_case and test.function == name
            return None if usual else partial(_like_folded, folded, letters)
    if _has_trigrams(r, spelling(sql)):
        return lambda one: exp.ILike(this=comparison_operand(sql), expression=string_literal(one))
    return None


def _like_folded(folded: Sql, letters: dict[int, int], pattern: str) -> Sql:
    return exp.Like(this=folded, expression=string_literal(pattern.translate(letters)))


def _patterns(pattern: str) -> list[str]:
    """Patterns such that each case-insensitive match fits one of them: two ASCII letters have an equivalent
    beyond ASCII.
    """
    spellings = _spellings(pattern, "unicode")
    if 0 < len(spellings) <= _MOST_PATTERNS or "\\" in pattern:
        return spellings
    return ["".join("_" if casefold.variants(char)[1:] else char for char in pattern)]
