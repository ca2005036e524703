"""Access predicates: simple tests of one value that are necessary for a filter to accept a row.

An index supports simple tests only, such as `type = 'a'`, `amount BETWEEN 3 AND 5` or "has the key `region`".
This module finds them in a predicate. A Cover is a list of tests. If the predicate reaches its goal for a
row, at least one of them is true, so rows for which none is true are skipped. A cover is *exact* if the
reverse is true as well: then one true test decides, and the condition is not evaluated.

The goal is TRUE, or "not FALSE" for a filter that accepts UNKNOWN (`tolerant`). The input is core nodes after
simplification. Source of the idea: "percolator" queries (Elasticsearch extracts required terms), and
content-based publish/subscribe (PS-Tree, A-Tree), which index one or more predicates of a subscription.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeGuard

from msgspec import Struct
from msgspec.structs import replace

from predicat.forms.total_order import bare_comparison, disjuncts
from predicat.ir.nodes import Call, Items, Literal, Node, Quantifier, Variable, rewrite_children, walk
from predicat.ir.operators import COLUMN_LOOK_UPS, COMPARISONS, FLIPPED, JUNCTIONS, NEGATED
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE, JSON, STRING, ArrayType, DecimalType, Type
from predicat.rewrite.polarity import true_rows
from predicat.semantics import casefold, like, regex

# A cover has at most this number of tests: a filter is indexed once for each.
MOST_TESTS = 64


class Equal(Struct, frozen=True):
    """The value is one of these."""

    values: tuple[Any, ...]


class Between(Struct, frozen=True):
    """The value lies in an interval; None is an open end. `nan`: NaN counts as inside."""

    low: Any = None
    high: Any = None
    low_closed: bool = False
    high_closed: bool = False
    nan: bool = False


class Prefix(Struct, frozen=True):
    """The string starts with `text`."""

    text: str


class Contains(Struct, frozen=True):
    """The string contains `text`."""

    text: str


class Present(Struct, frozen=True):
    """There is a value."""


class Absent(Struct, frozen=True):
    """There is no value."""


Test = Equal | Between | Prefix | Contains | Present | Absent


class Access(Struct, frozen=True):
    """A test of one value.

    `key` is the expression whose value is tested. `each` lists the arrays around it, outermost first. The
    test is true if it is true for some element, which `key` reads as the variable `element_name(level)`.
    `absent`: the test is also true if the key has no value. `folded`: strings are compared under Unicode
    simple case folding.
    """

    key: Node
    test: Test
    each: tuple[Node, ...] = ()
    absent: bool = False
    folded: bool = False


class Cover(Struct, frozen=True):
    """Tests, at least one of which is true if a condition reaches its goal. Without tests it never does.

    `exact`: the condition reaches its goal whenever one of them is true.
    """

    tests: tuple[Access, ...]
    exact: bool


# The cover of a condition that never reaches its goal.
NEVER = Cover((), exact=True)


class Conjunct(Struct, frozen=True):
    """One of the conditions that must all hold, and its cover if it has one."""

    node: Node
    cover: Cover | None


def element_name(level: int) -> str:
    """The variable for an element of the array at a level of `Access.each`."""
    return f"each {level}"


def solved(node: Node) -> Node:
    """A predicate that is TRUE for the same rows, with bounds of fields for comparisons of calculations."""
    has_calculations = any(isinstance(part, Call) and part.op not in _PLAIN for part in walk(node))
    return true_rows(node) if has_calculations else node


def alternatives(node: Node, most: int = 8) -> list[Node]:
    """The operands of an OR at the top, each of which accepts rows by itself. The node alone if there are
    more than `most`.
    """
    if isinstance(node, Call) and node.op == "is_true":
        return alternatives(node.args[0], most)
    if isinstance(node, Call) and node.op == "or" and len(node.args) <= most:
        return disjuncts(node.args)
    return [node]


def conjuncts(node: Node, *, tolerant: bool = False) -> list[Conjunct]:
    """The conditions that must all reach the goal for the predicate to reach it, with their covers.

    Bounds of one value are merged into one interval. A condition that is no boolean test of its own
    (`is_true` around an AND) is split only for the goal TRUE.
    """
    conjuncts_ = [Conjunct(part, cover(part, tolerant=tolerant)) for part in _operands(node, tolerant)]
    return _merged(conjuncts_)


def _operands(node: Node, tolerant: bool) -> Iterator[Node]:
    """The operands of ANDs within each other."""
    if isinstance(node, Call) and node.op == "and":
        for arg in node.args:
            yield from _operands(arg, tolerant)
    elif isinstance(node, Call) and node.op == "is_true" and not tolerant:
        yield from _operands(node.args[0], tolerant)
    else:
        yield node


def _merged(conjuncts_: list[Conjunct]) -> list[Conjunct]:
    """Two bounds of one value become an interval: `a >= 3`, `a <= 5`."""
    out: list[Conjunct] = []
    places: dict[tuple[Node, bool], int] = {}
    for item in conjuncts_:
        interval = _interval(item)
        if interval is None:
            out.append(item)
            continue
        key = interval.key, interval.absent
        if key not in places:
            places[key] = len(out)
            out.append(item)
            continue
        first = out[places[key]]
        before = _interval(first)
        both = Call(BOOLEAN, "and", (first.node, item.node), item.node.span)
        out[places[key]] = Conjunct(both, _meet(before, interval) if before else None)
    return out


def _interval(item: Conjunct) -> Access | None:
    """The one interval that a condition amounts to."""
    if item.cover is None or not item.cover.exact or len(item.cover.tests) != 1:
        return None
    access = item.cover.tests[0]
    return access if isinstance(access.test, Between) and not access.each else None


def _meet(one: Access, other: Access) -> Cover:
    """The values that lie in both intervals."""
    a, b = one.test, other.test
    assert isinstance(a, Between)  # noqa: S101  # _interval gives nothing else
    assert isinstance(b, Between)  # noqa: S101
    low = max(((x.low, not x.low_closed) for x in (a, b) if x.low is not None), default=(None, True))
    high = min(((x.high, x.high_closed) for x in (a, b) if x.high is not None), default=(None, False))
    met = Between(low[0], high[0], not low[1], high[1], a.nan and b.nan)
    if low[0] is not None and high[0] is not None and _empty(met) and not met.nan and not one.absent:
        return NEVER
    return Cover((replace(one, test=met),), exact=True)


def _empty(interval: Between) -> bool:
    both = interval.low_closed and interval.high_closed
    return bool(interval.low > interval.high or (interval.low == interval.high and not both))


# --- covers


def cover(node: Node, *, positive: bool = True, tolerant: bool = False, level: int = 0) -> Cover | None:
    """The cover of a condition, or of its negation; None where there is no useful one.

    Args:
        node: A boolean core node.
        positive: Whether the condition itself shall reach the goal; False: its negation.
        tolerant: Whether the goal is "not FALSE"; by default it is TRUE.
        level: How many arrays are around the condition.
    """
    match node:
        case Literal():
            return _of_literal(node, positive, tolerant)
        case Quantifier():
            return _quantified(node, positive, tolerant, level)
        case Call():
            rule = _RULES.get(node.op)
            if rule is not None:
                return rule(node, positive, tolerant, level)
            return _boolean(node, positive, tolerant)
        case Items():
            return None
        case _:
            return _boolean(node, positive, tolerant)


def _one(key: Node, test: Test, tolerant: bool, *, exact: bool = True, folded: bool = False) -> Cover:
    """The cover of one test. Without a value the test is UNKNOWN: the goal is reached if `tolerant`."""
    return Cover((Access(key, test, absent=tolerant, folded=folded),), exact)


def _of_literal(node: Literal, positive: bool, tolerant: bool) -> Cover | None:
    holds = tolerant if node.value is None else node.value is positive
    return None if holds else NEVER


def _boolean(node: Node, positive: bool, tolerant: bool) -> Cover | None:
    """The cover of a boolean field or another boolean value."""
    if node.type != BOOLEAN or (isinstance(node, Call) and node.op not in _VALUES):
        return None
    return _one(node, Equal((positive,)), tolerant)


# Calls that read a boolean: as a key each has few values.
_VALUES = COLUMN_LOOK_UPS | {"json_boolean", "coalesce"}


def _not(node: Call, positive: bool, tolerant: bool, level: int) -> Cover | None:
    return cover(node.args[0], positive=not positive, tolerant=tolerant, level=level)


def _is_true(node: Call, positive: bool, _tolerant: bool, level: int) -> Cover | None:
    """The cover of IS TRUE, which is never UNKNOWN: FALSE if its operand is FALSE or UNKNOWN."""
    return cover(node.args[0], positive=positive, tolerant=not positive, level=level)


def _is_null(node: Call, positive: bool, _tolerant: bool, _level: int) -> Cover | None:
    return Cover((Access(node.args[0], Absent() if positive else Present()),), exact=True)


def _junction(node: Call, positive: bool, tolerant: bool, level: int) -> Cover | None:
    comparison = bare_comparison(node)
    if comparison is not None:
        return _in_total_order(comparison, positive, tolerant)
    args = disjuncts(node.args) if node.op == "or" else node.args
    parts = [cover(arg, positive=positive, tolerant=tolerant, level=level) for arg in args]
    return _all_of(parts) if (node.op == "and") == positive else _any_of(parts)


def _in_total_order(node: Node, positive: bool, tolerant: bool) -> Cover | None:
    """The cover of `>` or `>=` in the total order, where NaN is above all numbers."""
    cover_ = _against_constant(node) if _is_above(node) else None
    if cover_ is None:
        return None
    key, op, value = cover_
    bound = (
        Between(low=value, low_closed=op == "ge", nan=True)
        if positive
        else Between(high=value, high_closed=op == "gt")
    )
    return _one(key, bound, tolerant)


def _is_above(node: Node) -> TypeGuard[Call]:
    return isinstance(node, Call) and node.op in ("gt", "ge") and isinstance(node.args[1], Literal)


def _all_of(parts: Sequence[Cover | None]) -> Cover | None:
    """The cover of an AND: that of one operand, the one with the strictest and fewest tests."""
    known = [part for part in parts if part is not None]
    if not known:
        return None
    best = min(known, key=_looseness)
    return replace(best, exact=best.exact and (len(parts) == 1 or not best.tests))


def _any_of(parts: Sequence[Cover | None]) -> Cover | None:
    """The cover of an OR: the tests of all its operands."""
    tests: list[Access] = []
    for part in parts:
        if part is None:
            return None
        tests += part.tests
    if len(tests) > MOST_TESTS:
        return None
    return Cover(tuple(dict.fromkeys(tests)), all(part.exact for part in parts if part is not None))


_ORDER = {Equal: 1, Prefix: 2, Contains: 3, Between: 6, Absent: 8, Present: 9}


def _looseness(cover_: Cover) -> float:
    """A rough order of how many rows a cover lets through, from the kinds of its tests alone."""
    return sum(_ORDER[type(item.test)] + (10 if item.absent else 0) for item in cover_.tests)


def _cond(node: Call, positive: bool, tolerant: bool, level: int) -> Cover | None:
    """The cover of `IF(test, a, b)`: TRUE if `test` and `a` are, or if `test` is not and `b` is."""
    if tolerant or node.type != BOOLEAN:
        return None
    test, yes, no = node.args
    sides = (
        _all_of([cover(test, level=level), cover(yes, positive=positive, level=level)]),
        _all_of([cover(test, positive=False, level=level), cover(no, positive=positive, level=level)]),
    )
    return _any_of(sides)


def _coalesce(node: Call, positive: bool, tolerant: bool, level: int) -> Cover | None:
    """The cover of `coalesce(p, TRUE)`: UNKNOWN counts as TRUE."""
    if len(node.args) == 2 and isinstance(node.args[1], Literal) and node.args[1].value is not None:
        return cover(node.args[0], positive=positive, tolerant=node.args[1].value is positive, level=level)
    return _boolean(node, positive, tolerant)


def _compare(node: Call, positive: bool, tolerant: bool, _level: int) -> Cover | None:
    cover_ = _against_constant(node)
    if cover_ is None:
        return None
    key, op, value = cover_
    nan = key.type == DOUBLE and COMPARISONS[op].holds(float("nan"), value) is positive
    if not positive:
        op = NEGATED[op]
    if op == "ne":
        return None
    if op == "eq":
        return None if nan else _one(key, Equal((value,)), tolerant)
    bound = (
        Between(high=value, high_closed=op == "le", nan=nan)
        if op in ("lt", "le")
        else Between(low=value, low_closed=op == "ge", nan=nan)
    )
    return _one(key, bound, tolerant)


def _against_constant(node: Call) -> tuple[Node, str, Any] | None:
    """The expression, the comparison and the constant of a comparison with a constant."""
    left, right = node.args
    op = node.op
    if isinstance(left, Literal):
        left, right, op = right, left, FLIPPED[op]
    if not isinstance(right, Literal) or right.value is None or isinstance(left, Literal | Items):
        return None
    key = _comparable(left, right.type)
    value: Any = right.value
    if key is not None and key.type == DOUBLE:
        value = float(value)
    return None if key is None or value != value else (key, op, value)  # noqa: PLR0124  # NaN


def _comparable(key: Node, constant: Type) -> Node | None:
    """The expression whose value Python compares with a constant in the same way as the engines."""
    if key.type == JSON or isinstance(key.type, ArrayType):
        return None
    if key.type == constant or {_exact(key.type), _exact(constant)} == {True}:
        return key
    if key.type == BIGINT and constant == DOUBLE:
        return Call(DOUBLE, "to_double", (key,), key.span)  # compared as doubles
    return key if key.type == DOUBLE and constant == BIGINT else None


def _exact(kind: Type) -> bool:
    """Whether a type is BIGINT or a decimal: these compare with each other by value."""
    return kind == BIGINT or isinstance(kind, DecimalType)


def _same(node: Call, positive: bool, _tolerant: bool, _level: int) -> Cover | None:
    left, right = node.args
    if isinstance(left, Literal):
        left, right = right, left
    if not positive or not isinstance(right, Literal):
        return None
    if right.value is None:
        return Cover((Access(left, Absent()),), exact=True)
    cover_ = _against_constant(Call(BOOLEAN, "eq", (left, right), node.span))
    return None if cover_ is None else Cover((Access(cover_[0], Equal((cover_[2],))),), exact=True)


def _in(node: Call, positive: bool, tolerant: bool, _level: int) -> Cover | None:
    value, items = node.args
    if not positive:
        return None
    if isinstance(value, Literal):
        return _in_array(value, items, tolerant)
    if not isinstance(items, Items) or not all(isinstance(item, Literal) for item in items.items):
        return None
    constants = [item for item in items.items if isinstance(item, Literal)]
    if tolerant and any(item.value is None for item in constants):
        return None
    covers = [
        _against_constant(Call(BOOLEAN, "eq", (value, item), node.span))
        for item in constants
        if item.value is not None
    ]
    known = [item for item in covers if item is not None]
    if len(known) != len(covers) or len({item[0] for item in known}) > 1:
        return None
    if not known:
        return NEVER
    return _one(known[0][0], Equal(tuple(dict.fromkeys(item[2] for item in known))), tolerant)


def _in_array(value: Literal, array: Node, tolerant: bool) -> Cover | None:
    """The cover of `'x' in tags`: an element of the array equals the constant."""
    element = array.type.element if isinstance(array.type, ArrayType) else None
    if (
        tolerant
        or element is None
        or element != value.type
        or value.value is None
        or isinstance(array, Items)
    ):
        return None
    if value.value != value.value:  # NaN
        return None
    key = Variable(element, element_name(0))
    return Cover((Access(key, Equal((value.value,)), (array,)),), exact=True)


def _texts(node: Call, positive: bool, tolerant: bool, _level: int) -> Cover | None:
    """The cover of a test of a string: prefix, suffix, contains, LIKE, regular expression."""
    key, constant = node.args
    if not positive or not isinstance(constant, Literal) or not isinstance(constant.value, str):
        return None
    if isinstance(key, Literal):
        return None
    folded = node.op.endswith("_ci")
    text = casefold.fold(constant.value) if folded else constant.value
    match node.op.removesuffix("_ci"):
        case "equals":
            return _one(key, Equal((text,)), tolerant, folded=folded)
        case "starts_with":
            return _one(key, Prefix(text) if text else Present(), tolerant, folded=folded)
        case "ends_with":
            backwards = Call(STRING, "reverse", (key,), node.span)
            return _one(backwards, Prefix(text[::-1]) if text else Present(), tolerant)
        case "contains":
            return _one(key, Contains(text) if text else Present(), tolerant, folded=folded)
        case "like":
            cover_ = _literal_parts(like.parts(text))
        case _:
            cover_ = _required(regex.parse(text))
    return None if cover_ is None else _one(key, cover_, tolerant, exact=False, folded=folded)


def _literal_parts(parts: Sequence[str | None]) -> Prefix | Contains | None:
    """The literal prefix of a LIKE pattern, or the longest literal part of it."""
    runs = [""]
    for part in parts:
        if part:
            runs[-1] += part
        else:
            runs.append("")
    if runs[0]:
        return Prefix(runs[0])
    longest = max(runs, key=len)
    return Contains(longest) if longest else None


def _required(pattern: regex.Regex) -> Prefix | Contains | None:
    """The literal prefix that a regular expression requires, or a literal that every match contains."""
    parts = pattern.parts if isinstance(pattern, regex.Seq) else (pattern,)
    start = bool(parts) and parts[0] == regex.Assert("text_start")
    runs = [""]
    for part in parts[1:] if start else parts:
        single = isinstance(part, regex.Chars) and len(part.ranges) == 1
        if isinstance(part, regex.Chars) and single and part.ranges[0][0] == part.ranges[0][1]:
            runs[-1] += chr(part.ranges[0][0])
        else:
            runs.append("")
    if start and runs[0]:
        return Prefix(runs[0])
    longest = max(runs, key=len)
    return Contains(longest) if longest else None


# --- elements of arrays


def _quantified(node: Quantifier, positive: bool, tolerant: bool, level: int) -> Cover | None:
    """The cover of `any`, or of NOT `all`: one element decides. Its body is TRUE there, or FALSE."""
    if tolerant or (node.kind, positive) not in (("any", True), ("all", False)):
        return None
    source = node.source
    inner = cover(node.body, positive=positive, level=level + 1)
    if inner is None:
        return None
    if not inner.tests:
        return NEVER
    tests = tuple(_of_element(item, node.variable, source) for item in inner.tests)
    known = tuple(item for item in tests if item is not None)
    return Cover(known, inner.exact) if len(known) == len(tests) else None


def _of_element(access: Access, variable: str, source: Node) -> Access | None:
    """A test inside a macro, as a test of an element of the macro's array."""
    parts = (access.key, *access.each)
    if any(isinstance(part, Quantifier) for node in parts for part in walk(node)):
        return None  # a macro within may bind the same name
    name = element_name(0)
    each = tuple(_renamed(_deeper(node), variable, name) for node in access.each)
    key = _renamed(_deeper(access.key), variable, name)
    return replace(access, key=key, each=(source, *each))


def _deeper(node: Node) -> Node:
    """The expression inside one more array: the levels of its element variables increase by one."""
    if isinstance(node, Variable):
        head, _, level = node.name.partition(" ")
        return (
            Variable(node.type, element_name(int(level) + 1), node.span) if head == "each" and level else node
        )
    return rewrite_children(node, _deeper)


def _renamed(node: Node, old: str, new: str) -> Node:
    if isinstance(node, Variable):
        return Variable(node.type, new, node.span) if node.name == old else node
    return rewrite_children(node, lambda part: _renamed(part, old, new))


# How each operator is covered; other booleans are values (see `_VALUES`) or have no cover.
_RULES = {
    "not": _not,
    "is_true": _is_true,
    "is_null": _is_null,
    "cond": _cond,
    "coalesce": _coalesce,
    "same": _same,
    "in": _in,
    **dict.fromkeys(JUNCTIONS, _junction),
    **dict.fromkeys(COMPARISONS, _compare),
    **dict.fromkeys(
        (
            "starts_with",
            "ends_with",
            "contains",
            "like",
            "matches",
            "equals_ci",
            "starts_with_ci",
            "contains_ci",
            "like_ci",
        ),
        _texts,
    ),
}
# In a predicate of nothing else there is nothing to solve.
_PLAIN = frozenset((*_RULES, *COLUMN_LOOK_UPS)) - {"cond", "coalesce"}
