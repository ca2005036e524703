"""The operator table: one row per operator.

A signature has the form `argument, argument -> result`. `T` is any scalar type, the same everywhere in the
signature; `any` is any type; `*` after the last argument means one or more of it; a leading `=` means that
the argument must be a constant. Numbers of different types may be compared with each other; other types do
not mix.

A row also has the properties of its operator: what it does with UNKNOWN, and what it compares, looks up or
calculates. The sets below are computed from the rows.

Tests run the examples on the reference evaluator, Spark and PostgreSQL.
"""

from __future__ import annotations

from predicat.ir.operators import collections, conversions, documents, logic, numbers, texts, times
from predicat.ir.operators.row import COUNT, Comparison, Order
from predicat.ir.operators.row import Operator as Operator
from predicat.ir.operators.row import Strictness as Strictness

_ROWS = (
    *logic.ROWS,
    *numbers.ROWS,
    *texts.ROWS,
    *conversions.ROWS,
    *times.ROWS,
    *collections.ROWS,
    *documents.ROWS,
)

# Every operator by its name.
OPS = {row.name: row for row in _ROWS}


def _having(*wanted: Strictness) -> frozenset[str]:
    return frozenset(row.name for row in _ROWS if row.strictness in wanted)


# The operators that are UNKNOWN if one argument is.
STRICT = _having(Strictness.STRICT)
# The other operators that are UNKNOWN if their first argument is.
STRICT_IN_FIRST = _having(Strictness.CONDITION, Strictness.ITEMS)
# The operators that are never UNKNOWN, also for NULL.
NEVER_UNKNOWN = _having(Strictness.NEVER)
# AND and OR.
JUNCTIONS = _having(Strictness.KLEENE)
# AND, OR and NOT: never UNKNOWN if no argument is.
CONNECTIVES = JUNCTIONS | {"not"}
# The operators that combine tests.
LOGIC = CONNECTIVES | {"is_true"}
# The comparisons by name, without `same` and `in`: these have no mirror and no negation.
COMPARISONS = {row.name: row.comparison for row in _ROWS if row.comparison is not None}


def _outcomes(row: Comparison) -> tuple[bool, ...]:
    """What a comparison says of a smaller, an equal and a larger value."""
    return tuple(bool(row.holds(value, 0)) for value in (-1, 0, 1))


_BY_OUTCOMES = {_outcomes(row): op for op, row in COMPARISONS.items()}
# For each comparison, the one that means the same with swapped operands.
FLIPPED = {op: _BY_OUTCOMES[_outcomes(row)[::-1]] for op, row in COMPARISONS.items()}
# For each comparison, the one that is TRUE if it is FALSE, unless an operand is NaN.
NEGATED = {
    op: _BY_OUTCOMES[tuple(not outcome for outcome in _outcomes(row))] for op, row in COMPARISONS.items()
}
# Equal and not equal.
EQUALITIES = frozenset(op for op, mirror in FLIPPED.items() if mirror == op)
# The comparisons that need an order: less, greater and so on.
ORDERED = frozenset(COMPARISONS) - EQUALITIES
# The ordered comparisons that are FALSE for equal values.
STRICTLY_ORDERED = frozenset(op for op in ORDERED if not COMPARISONS[op].holds(0, 0))
# The operators that return one of their arguments, with the position of the first of these arguments. An
# operator of any type can return nothing else of that type.
CHOICES = {
    row.name: min(place for place, param in enumerate(params) if param in ("T", "T*"))
    for row in _ROWS
    for params, result in row.shapes
    if result == "T" and not {"T", "T*"}.isdisjoint(params)
}
# The binary arithmetic operators, with their signs in most languages.
ARITHMETIC = {row.name: row.arithmetic for row in _ROWS if row.arithmetic is not None}
OF_INTEGERS = frozenset(op for op in ARITHMETIC if "bigint, bigint -> bigint" in OPS[op].signatures)
# The arithmetic operators on integers, and those on doubles, whose results are rounded.
OF_DOUBLES = frozenset(op for op in ARITHMETIC if "double, double -> double" in OPS[op].signatures)
# The operators that count characters or elements.
COUNTS = frozenset(row.name for row in _ROWS if row.range == COUNT)
_SMALL = frozenset(row.name for row in _ROWS if row.range is not None and row.range[1] < 2**31)
# The operators for which Spark returns an INT.
OF_INT = (_SMALL | {"days_between"}) - {"array_position"}
# The parts of a timestamp, whose second argument is a time zone.
TIME_PARTS = frozenset(row.name for row in _ROWS if "timestamp, =string -> bigint" in row.signatures)
# The operators whose second argument is a time zone.
ZONED = TIME_PARTS | {row.name for row in _ROWS if "timestamp, =string -> timestamp" in row.signatures}
# The operators that look up a part of a value.
LOOK_UPS = frozenset(row.name for row in _ROWS if row.lookup)
BY_KEY = frozenset(op for op in LOOK_UPS if OPS[op].shapes[0][0][1].endswith("string"))
# The look-ups by a key, and those by an index.
BY_PLACE = LOOK_UPS - BY_KEY
JSON_LOOK_UPS = frozenset(op for op in LOOK_UPS if OPS[op].signatures[0].startswith("json,"))
# The look-ups in a JSON document, and those in arrays, maps and structs.
COLUMN_LOOK_UPS = LOOK_UPS - JSON_LOOK_UPS
# The operators that keep or reverse the order of an argument.
MONOTONE = {row.name: row.monotone for row in _ROWS if row.monotone}


def monotone_in(op: str, place: int) -> bool:
    """Whether an operator is monotone in the argument at a position."""
    orders = MONOTONE.get(op, ())
    return place < len(orders) and orders[place] is not Order.NOT


_SCALARS_OF_JSON = {"string": "string", "double": "number", "boolean": "boolean"}
# The operators that read a scalar from JSON, with the kind of JSON value that each reads.
JSON_READS = {
    row.name: _SCALARS_OF_JSON[result]
    for row in _ROWS
    for params, result in row.shapes
    if params == ["json"] and result in _SCALARS_OF_JSON
}
# The operators that read or return strings.
TEXT_OPERATORS = frozenset(
    row.name
    for row in _ROWS
    for params, result in row.shapes
    if "string" in (*params, result) and row.name not in LOOK_UPS | JSON_READS.keys()
)
# The deepest nesting of arrays that `json_values` flattens.
ARRAYS = 3
# The operators that SQL supports only in comparisons with constants, which are solved for the argument.
SOLVED_ONLY = frozenset(row.name for row in _ROWS if row.rounded_by_engines)
QUANTIFIERS = ("any", "all", "one", "filter", "map")
