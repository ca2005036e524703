"""Tests of a proposed filter: a row that it accepts, one that it rejects, and one without a value.

Rows are made of the constants that the code compares the columns with, so that they read like real ones.
Where these give no row, it is the solver's. Each is evaluated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import islice, product
from typing import Any

from predicat.api import Predicate
from predicat.catalog.manifest import plain
from predicat.diagnostics import PredicatError
from predicat.discover.instances import operands
from predicat.ir.nodes import Call, Literal, fields_of, walk
from predicat.ir.operators import JUNCTIONS
from predicat.ir.types import BOOLEAN, STRING, Type
from predicat.lint.rules.null_negation import fields_lost, negations
from predicat.proof.compare import example
from predicat.rewrite.substitute import at, with_defaults

# The current time of tests of filters that read it.
NOW = datetime(2026, 2, 1, 10, tzinfo=UTC)
_EFFORT = 1.0
_MOST_TRIED = 300
# Constants of a field that are tried, at most.
_MOST_VALUES = 12
# Texts that nothing in the code is compared with.
_OTHER, _ANOTHER = "other", "another"
# Rows that show what operands do, at most.
_MOST_ROWS = 3
Row = Mapping[str, Any]
# The constants that a field is compared with.
Constants = Mapping[str, Sequence[Any]]


def constants_of(predicates: Iterable[Predicate]) -> Constants:
    """The constants that predicates compare each field with, in their order."""
    found: dict[str, dict[Any, None]] = {}
    for predicate in predicates:
        for test in walk(predicate.surface):
            if isinstance(test, Call) and test.type == BOOLEAN and test.op not in (*JUNCTIONS, "not"):
                fields = fields_of(test)
                if len(fields) == 1:
                    ((name, decl),) = fields.items()
                    found.setdefault(name, {}).update(dict.fromkeys(_constants(test, decl.type)))
    return {name: list(values) for name, values in found.items()}


def _constants(test: Call, kind: Type) -> Iterator[Any]:
    for part in walk(test) if test.op != "matches" else ():  # a regular expression is no value
        if isinstance(part, Literal) and part.type == kind and part.value is not None:
            text = isinstance(part.value, str) and kind == STRING and test.op in ("like", "like_ci")
            yield str(part.value).replace("%", "") if text else part.value


def tests_of(
    predicate: Predicate, constants: Constants, real: Mapping[bool, Row], *, accepts: bool
) -> list[dict[str, Any]]:
    """The tests of a filter, as a catalog has them; fewer where no row is found that YAML can hold.

    Args:
        predicate: The filter.
        constants: What the rules of its dataset compare the fields with.
        real: Rows of the data, by what it is for them, where there are any.
        accepts: Whether it accepts rows for which it is UNKNOWN.
    """
    accepted, rejected = real.get(True), real.get(False)
    if accepted is None:
        accepted = _found(predicate, constants, wanted=True)
    rows = {True: [accepted], False: [rejected]}
    if rejected is None:
        rows[False] = list(islice(_turned(predicate, constants, accepted, wanted=False), _MOST_ROWS))
        rejected = next(iter(rows[False]), None) or _rejected(predicate, constants, accepted)
        if rejected is None:
            rejected = _found(predicate, constants, wanted=False)
        rows[False] = rows[False] or [rejected]
    if True not in real:
        rows[True] = list(islice(_turned(predicate, constants, rejected, wanted=True), _MOST_ROWS))
        rows[True] = rows[True] or [accepted]
    tests = [
        {"row": row, "matches": wanted} for wanted, found in rows.items() for row in found if row is not None
    ]
    lost = _without_value(predicate, accepted) if accepted is not None and not accepts else None
    if lost is not None and lost not in [test["row"] for test in tests]:
        tests.append({"row": lost, "matches": False})
    return tests


def _found(predicate: Predicate, constants: Constants, *, wanted: bool) -> Row | None:
    """A row of constants with an outcome, those of the filter itself first, or else the solver's."""
    own = constants_of([predicate])
    values = [
        [*_near([*own.get(name, ()), *constants.get(name, ())], decl.type), None]
        for name, decl in predicate.fields.items()
    ]
    for made in islice(product(*values), _MOST_TRIED):
        row = {name: value for name, value in zip(predicate.fields, made, strict=True) if value is not None}
        for kept in _kept(predicate, row, wanted=wanted):
            return kept
    return _solved(predicate, wanted=wanted)


def _turned(predicate: Predicate, constants: Constants, row: Row | None, *, wanted: bool) -> Iterator[Row]:
    """For each operand of an AND, the accepted row with another constant in one field, so that only this one
    rejects it; for each operand of an OR, the rejected row, so that only this one accepts it.
    """
    parts = [Predicate(part, "sql") for part in operands(predicate.node, "or" if wanted else "and")]
    changed = list(_changed(predicate, constants, row)) if row is not None and len(parts) > 1 else []
    for part in parts:
        others = [other for other in parts if other is not part]
        for values in changed:
            if outcome_of(part, values) is wanted and not any(
                outcome_of(other, values) is not (not wanted) for other in others
            ):
                yield from _kept(predicate, values, wanted=wanted)
                break


def _rejected(predicate: Predicate, constants: Constants, accepted: Row | None) -> Row | None:
    """An accepted row with another constant in one field, so that it is rejected."""
    for row in _changed(predicate, constants, accepted) if accepted is not None else ():
        for kept in _kept(predicate, row, wanted=False):
            return kept
    return None


def _changed(predicate: Predicate, constants: Constants, row: Row) -> Iterator[Row]:
    """The rows with another constant in one field: constants of other filters first."""
    own = constants_of([predicate])
    for name, decl in predicate.fields.items():
        others = [value for value in constants.get(name, ()) if value not in own.get(name, ())]
        for value in _near([*others, *own.get(name, ())], decl.type):
            yield {**row, name: plain(value)}


def _near(values: Sequence[Any], kind: Type) -> Iterator[Any]:
    """Constants, and the values beside those that have an order."""
    seen = list(dict.fromkeys(values))[:_MOST_VALUES]
    yield from [True, False] if kind == BOOLEAN else seen
    if kind == STRING:
        yield from (_OTHER, _ANOTHER)
    for value in seen:
        match value:
            case bool() | str():
                pass
            case date():
                yield from (value + timedelta(days=1), value - timedelta(days=1))
            case timedelta():
                pass
            case _:
                yield from (value + 1, value - 1)


def _kept(predicate: Predicate, row: Mapping[str, Any], *, wanted: bool) -> Iterator[Row]:
    """The row as YAML has it, if it has the wanted outcome."""
    written = {name: plain(value) for name, value in row.items()}
    if outcome_of(predicate, written) is wanted:
        yield written


def outcome_of(predicate: Predicate, row: Row) -> bool | str | None:
    """What a predicate is for a row; "fails" where it has no such row."""
    try:
        return predicate.evaluate(row, now=NOW)
    except (PredicatError, ValueError, TypeError, ArithmeticError):
        return "fails"


def _solved(predicate: Predicate, *, wanted: bool) -> Row | None:
    """The row that the solver finds."""
    _, witness = example(at(with_defaults(predicate.node), NOW), wanted, _EFFORT)
    return next(_kept(predicate, witness.row, wanted=wanted), None) if witness is not None else None


def _without_value(predicate: Predicate, accepted: Row) -> Row | None:
    """An accepted row without the values that a negation needs, if it is UNKNOWN then: it shows that these
    rows are not accepted.
    """
    lost = dict.fromkeys(name for part in negations(predicate.surface) for name in fields_lost(part))
    row = {name: value for name, value in accepted.items() if name not in lost}
    return row if lost and outcome_of(predicate, row) is None else None
