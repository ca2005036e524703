"""Typed values as terms of Z3. Every value knows when it is missing; a predicate is a pair: when it is TRUE,
when FALSE.

Conditions are Python's True and False where they are known, which keeps the formulas small.
"""

from functools import lru_cache
from importlib import import_module
from typing import Any

from msgspec import Struct

from predicat.review.smt.arrays import Path


class _Library:
    """Z3, imported when a question needs it: most need no solver."""

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module("z3"), name)
        setattr(self, name, value)
        return value


z3: Any = _Library()
"""The solver; its Python names have types too loose to check against."""

Bool = Any
"""A Z3 condition, or True or False."""


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
    """A boolean: when it is TRUE and when it is FALSE; neither is UNKNOWN."""

    true: Bool
    false: Bool

    @property
    def null(self) -> Bool:
        """When it is UNKNOWN."""
        return all_of(negated(self.true), negated(self.false))


class Scalar(Struct, frozen=True):
    """A whole number, decimal, text, moment, day or duration."""

    term: Any
    null: Bool


class Double(Struct, frozen=True):
    """A double: an exact number unless it is NaN or an infinity, which at most one of the flags says.

    `value` is that of a constant; `source` the whole number or decimal that was rounded to the double.
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
    """A JSON value: its kind (an index into KINDS) and what it holds if it is of that kind. `length` is
    that of an array.
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
    """An array: its length, and its first elements (those past its end mean nothing; see
    predicat.review.smt.arrays).
    """

    path: Path
    length: Any
    items: tuple[Any, ...]
    null: Bool


class Record(Struct, frozen=True):
    """A map with constant keys, or a struct: its members are variables of their own."""

    path: Path
    null: Bool


Term = Truth | Scalar | Double | Json | Array | Record


@lru_cache(maxsize=4096)
def integer(value: int) -> Any:
    """A constant whole number."""
    return z3.IntVal(value)


def truth_of(condition: Bool, null: Bool = False) -> Truth:
    """TRUE where the condition holds, FALSE where not, UNKNOWN where `null`."""
    return Truth(all_of(condition, negated(null)), all_of(negated(condition), negated(null)))
