"""The columns of the operator table."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from typing import Any

from msgspec import Struct

Example = tuple[tuple[Any, ...], Any]


class Strictness(Enum):
    """When an operator is UNKNOWN, as a string for authors."""

    STRICT = "strict"
    """UNKNOWN if an argument is, and if the operator has no result: an overflow, a division by zero, a string
    that is not a number, an invalid index.
    """
    KLEENE = "Kleene"
    """The three-valued AND and OR: UNKNOWN if no argument decides alone."""
    NEVER = "never UNKNOWN"
    CONDITION = "UNKNOWN where the condition is"
    """UNKNOWN if the first argument is, or if the argument that it chooses is."""
    ALL = "UNKNOWN only if all are"
    ITEMS = "an item without a value makes UNKNOWN what would be FALSE"
    """UNKNOWN if the first argument is, or if it equals no item and an item is NULL."""


class Order(Enum):
    """How the value of an operator changes if one argument grows and the others are constant."""

    RISES = "it never falls"
    FALLS = "it never rises"
    BY_SIGN = "as RISES beside a constant above zero, as FALLS beside one below"
    SIDES = "in one direction below zero, and in one above"
    NOT = "in no order"


class Comparison(Struct, frozen=True):
    """The traits of a comparison. `holds` compares two values that are not NULL."""

    sign: str
    """The sign in SQL."""
    holds: Callable[[Any, Any], Any]


class Names(Struct, frozen=True):
    """The names of an operator in messages to authors of filters."""

    label: str = ""
    """A sign, a function or a description, if the name of the operator is not clear enough."""
    cel: str = ""
    sql: str = ""
    """Its label in CEL and in SQL, if they differ."""
    kind: str = ""
    """A description, if the author wrote none of its spellings."""
    spellings: tuple[str, ...] = ()
    """Other spellings in the languages."""


class Operator(Struct, frozen=True):
    """An operator: its name, signatures, meaning in one line, examples (arguments, result) and traits."""

    name: str
    signatures: tuple[str, ...]
    doc: str
    examples: tuple[Example, ...] = ()
    strictness: Strictness = Strictness.STRICT
    total: bool = True
    """Whether it has a value wherever all its arguments have one."""
    range: tuple[int, int] | None = None
    """Its least and greatest value."""
    comparison: Comparison | None = None
    lookup: bool = False
    """Whether it looks up the part of its first argument that the second one names: a key or an index."""
    arithmetic: str | None = None
    """The sign of a binary arithmetic operator."""
    monotone: tuple[Order, ...] = ()
    """How it changes with each argument of a type with an order. It has a value on one interval of these
    arguments, without gaps. Empty: in no order.
    """
    rounded_by_engines: bool = False
    """Whether engines round its value differently."""
    words: str = ""
    """A call in plain words: `{0}` is the first argument, `{constant}` the same without quotes. Empty: it is
    shown as a call.
    """
    names: Names = Names()
    without_formula: str = ""
    """Why proofs have no formula for it. Empty: `proof/smt/rules` has one."""

    @property
    def shapes(self) -> list[tuple[list[str], str]]:
        """The parameters and the result of each signature, as they are written."""
        sides = (text.split("->") for text in self.signatures)
        return [(_parameters(left), result.strip()) for left, result in sides]


def _parameters(text: str) -> list[str]:
    """The parameters in the text of a signature. A comma between angle brackets separates no parameters."""
    parts, depth = [""], 0
    for char in text:
        depth += (char == "<") - (char == ">")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts]


MOMENT = datetime(2013, 7, 4, 10, 30, 15, 250000, tzinfo=UTC)
DAY = date(2013, 7, 4)
BIGGEST = 2**63 - 1
COUNT = (0, 2**31 - 1)
LONGEST_SAMPLE = timedelta(seconds=200_000_000_000)

ANY_FUNCTION = "any function of its arguments: no theory of the solver decides it well"
OF_COLLECTION = (
    "a value that nothing is known of: arrays have no formula but for the elements that a macro or an "
    "index names"
)
