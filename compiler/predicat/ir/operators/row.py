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


class Step(Enum):
    """What a look-up needs: a key or an index."""

    KEY = "key"
    PLACE = "place"


class Order(Enum):
    """How the value of an operator changes if one argument grows and the others are constant."""

    RISES = "it never falls"
    FALLS = "it never rises"
    BY_SIGN = "as RISES beside a constant above zero, as FALLS beside one below"
    FOLDS = "it falls below zero and rises above"
    NOT = "in no order"


class Comparison(Struct, frozen=True):
    """The traits of a comparison. `holds` compares two values that are not NULL."""

    sign: str
    """The sign in SQL."""
    holds: Callable[[Any, Any], Any]
    mirror: str
    """The comparison that means the same with swapped operands."""
    negation: str
    """The comparison that is TRUE if this one is FALSE, unless an operand is NaN."""


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
    """Whether it has a value if all its arguments, and the parts of these, have a value."""
    range: tuple[int, int] | None = None
    """Its least and greatest value."""
    comparison: Comparison | None = None
    lookup: Step | None = None
    choice: int | None = None
    """If it returns one of its arguments: the position of the first of these."""
    arithmetic: str | None = None
    """The sign of a binary arithmetic operator."""
    json_kind: str | None = None
    """The kind of the JSON values that it reads."""
    monotone: tuple[Order, ...] = ()
    """How it changes with each argument, if it has a value. Empty: in no order."""
    rounded_by_engines: bool = False
    """Whether engines round its value differently."""
    words: str = ""
    """A call in plain words: `{0}` is the first argument, `{constant}` the same without quotes. Empty: it is
    shown as a call.
    """
    names: Names = Names()
    without_formula: str = ""
    """Why proofs have no formula for it. Empty: `review/smt/rules` has one."""
    of_texts: bool = False
    """Whether it reads or returns strings, so that proofs may treat it as an uninterpreted function."""


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
