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
    for part in walk(test):
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
        accepted = next(_accepted(predicate, constants), None) or _solved(predicate, wanted=True)
    if rejected is None:
        rejected = _rejected(predicate, constants, accepted) or _solved(predicate, wanted=False)
    tests = [
        {"row": row, "matches": wanted}
        for row, wanted in ((accepted, True), (rejected, False))
        if row is not None
    ]
    lost = _without_value(predicate, accepted) if accepted is not None and not accepts else None
    if lost is not None and lost not in [test["row"] for test in tests]:
        tests.append({"row": lost, "matches": False})
    return tests


def _accepted(predicate: Predicate, constants: Constants) -> Iterator[Row]:
    """Rows of constants that are accepted: those of the filter itself first."""
    own = constants_of([predicate])
    values = [
        list(_near([*own.get(name, ()), *constants.get(name, ())], decl.type))
        for name, decl in predicate.fields.items()
    ]
    if not all(values):
        return
    for row in islice(product(*values), _MOST_TRIED):
        yield from _kept(predicate, dict(zip(predicate.fields, row, strict=True)), wanted=True)


def _rejected(predicate: Predicate, constants: Constants, accepted: Row | None) -> Row | None:
    """An accepted row with another constant in one field, so that it is rejected."""
    own = constants_of([predicate])
    for name, decl in predicate.fields.items() if accepted is not None else ():
        others = [value for value in constants.get(name, ()) if value not in own.get(name, ())]
        for value in _near([*others, *own.get(name, ())], decl.type):
            row = next(_kept(predicate, {**(accepted or {}), name: value}, wanted=False), None)
            if row is not None:
                return row
    return None


def _near(values: Sequence[Any], kind: Type) -> Iterator[Any]:
    """Constants, and the values beside those that have an order."""
    seen = list(dict.fromkeys(values))[:_MOST_VALUES]
    yield from [True, False] if kind == BOOLEAN else seen
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
