"""Typed values as terms of Z3. Every value has a condition for NULL; a predicate has two conditions: when it
is TRUE, and when it is FALSE.

Conditions that are known are Python's True and False: this keeps the formulas small.
"""

from functools import lru_cache
from importlib import import_module
from typing import Any

from msgspec import Struct

from predicat.proof.smt.arrays import Path


class _Library:
    """Z3, imported at its first use: most questions need no solver."""

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module("z3"), name)
        setattr(self, name, value)
        return value


# The solver. It is `Any` because its Python API has no useful types.
z3: Any = _Library()

# A Z3 condition, or True or False.
Bool = Any


def all_of(*parts: Bool) -> Bool:
    """AND with constants folded."""
    if any(part is False for part in parts):
        return False
    left = [part for part in parts if part is not True]
    return True if not left else left[0] if len(left) == 1 else z3.And(*left)


def any_of(*parts: Bool) -> Bool:
    """OR with constants folded."""
    if any(part is True for part in parts):
        return True
    left = [part for part in parts if part is not False]
    return False if not left else left[0] if len(left) == 1 else z3.Or(*left)


def negated(part: Bool) -> Bool:
    """NOT with constants folded."""
    return not part if isinstance(part, bool) else z3.Not(part)


def choose(test: Bool, yes: Any, no: Any) -> Any:
    """If-then-else with constants folded."""
    if isinstance(test, bool):
        return yes if test else no
    if isinstance(yes, bool) and isinstance(no, bool):
        return test if yes else (False if not no else z3.Not(test)) if yes != no else yes
    if isinstance(yes, bool) or isinstance(no, bool):
        return any_of(all_of(test, yes), all_of(negated(test), no))
    return z3.If(test, yes, no)


def as_term(part: Bool) -> Any:
    """A condition as a Z3 term."""
    return z3.BoolVal(part) if isinstance(part, bool) else part


class Truth(Struct, frozen=True):
    """A boolean as two conditions: when it is TRUE and when it is FALSE. If neither holds, it is UNKNOWN."""

    true: Bool
    false: Bool

    @property
    def null(self) -> Bool:
        """When it is UNKNOWN."""
        return all_of(negated(self.true), negated(self.false))


class Scalar(Struct, frozen=True):
    """An integer, decimal, string, timestamp, date or duration."""

    term: Any
    null: Bool


class Double(Struct, frozen=True):
    """A double: the exact number `term`, unless one of `nan`, `plus` and `minus` (the infinities) holds.

    `value` is set for a constant; `source` is the integer or decimal that was rounded to the double.
    """

    term: Any
    nan: Bool
    plus: Bool
    minus: Bool
    null: Bool
    value: float | None = None
    source: Any = None

    @property
    def finite(self) -> Bool:
        """When it is a number other than NaN and the infinities."""
        return all_of(negated(self.nan), negated(self.plus), negated(self.minus))


class Json(Struct, frozen=True):
    """A JSON value: its kind (an index into KINDS), and its value for each kind. `length` is the length of an
    array.
    """

    path: Path
    kind: Any
    text: Any
    number: Double
    truth: Any
    length: Any
    null: Bool


KINDS = ("string", "number", "boolean", "object", "array")


class Array(Struct, frozen=True):
    """An array: its length and its first elements. Elements at or after the length are ignored; see
    predicat.proof.smt.arrays.
    """

    path: Path
    length: Any
    items: tuple[Any, ...]
    null: Bool


class Record(Struct, frozen=True):
    """A map with constant keys, or a struct. Its members are separate variables."""

    path: Path
    null: Bool


Term = Truth | Scalar | Double | Json | Array | Record


@lru_cache(maxsize=4096)
def integer(value: int) -> Any:
    """An integer constant."""
    return z3.IntVal(value)


def forget() -> None:
    """Begin with an empty solver: what it has been asked before changes the steps that it takes."""
    setattr(import_module("z3.z3"), "_main_ctx", z3.Context())  # noqa: B010  # terms are made in it
    integer.cache_clear()


def truth_of(condition: Bool, null: Bool = False) -> Truth:
    """UNKNOWN if `null` holds, otherwise TRUE if the condition holds, else FALSE."""
    return Truth(all_of(condition, negated(null)), all_of(negated(condition), negated(null)))
