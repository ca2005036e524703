"""What a row of the operator table says."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from typing import Any

from msgspec import Struct

Example = tuple[tuple[Any, ...], Any]


class Strictness(Enum):
    """When an operator is UNKNOWN, as a text for authors."""

    STRICT = "strict"
    """Where an argument is, and where it has no value: overflow, division by zero, a text that is no
    number, a bad index.
    """
    KLEENE = "Kleene"
    """Where no argument decides alone: the three-valued AND and OR."""
    NEVER = "never UNKNOWN"
    CONDITION = "UNKNOWN where the condition is"
    """Where the first argument is, or the argument that it chooses."""
    ALL = "UNKNOWN only if all are"
    ITEMS = "an item without a value makes UNKNOWN what would be FALSE"
    """Where the first argument is, or where it equals no item and one of these has no value."""


class Step(Enum):
    """What a look-up takes to find a value in another."""

    KEY = "key"
    PLACE = "place"


class Order(Enum):
    """How the value of an operator changes as one argument grows, and the others are constants."""

    RISES = "it never falls"
    FALLS = "it never rises"
    BY_SIGN = "as RISES beside a constant above zero, as FALLS beside one below"
    FOLDS = "it falls below zero and rises above"
    NOT = "in no order"


class Comparison(Struct, frozen=True):
    """What a comparison of two values that are there is called, holds for, and becomes."""

    sign: str
    """In SQL."""
    holds: Callable[[Any, Any], Any]
    mirror: str
    """The comparison of the operands in the other order."""
    negation: str
    """The comparison that holds where this one does not, unless an operand is NaN."""


class Names(Struct, frozen=True):
    """What those who write filters call an operator, in messages."""

    label: str = ""
    """A sign, a function or some words for it, if its own name is not good enough."""
    cel: str = ""
    sql: str = ""
    """Its label in CEL and in SQL, where that differs."""
    kind: str = ""
    """What it does, for an author who has written it in none of its spellings."""
    spellings: tuple[str, ...] = ()
    """Other spellings, as the languages have them."""


class Operator(Struct, frozen=True):
    """One operator: name, signatures, one line of meaning, examples as (arguments, result), and its
    traits.
    """

    name: str
    signatures: tuple[str, ...]
    doc: str
    examples: tuple[Example, ...] = ()
    strictness: Strictness = Strictness.STRICT
    total: bool = True
    """Whether it has a value wherever all its arguments have, and what these hold."""
    range: tuple[int, int] | None = None
    """The numbers between which its value is."""
    comparison: Comparison | None = None
    lookup: Step | None = None
    choice: int | None = None
    """Where the arguments begin of which it gives one."""
    arithmetic: str | None = None
    """The sign of a calculation with two operands."""
    json_kind: str | None = None
    """The kind of the JSON values that it reads."""
    monotone: tuple[Order, ...] = ()
    """How it changes with each argument, wherever it has a value. Empty: in no order."""
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
    """Whether it reads or makes texts, so that proofs may take its value for any."""


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
