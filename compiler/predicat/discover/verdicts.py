"""What is found in conditions, as records."""

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

# - `never`: no row is accepted; `always`: every row that has values is accepted;
# - `redundant`: an operand of AND or OR has no effect; `unreachable`: a branch of CASE that earlier branches
#   leave no row;
# - `impossible`: a comparison with a value that the expression cannot have;
# - `null comparison`: `= NULL`, or NULL in a list of IN; `null trap`: a negation that loses rows without a
#   value;
# - `layout`: AND binds tighter than OR, and the lines say the opposite.
Kind = Literal[
    "never", "always", "redundant", "unreachable", "impossible", "null comparison", "null trap", "layout"
]
# What the second of two rules is to the first: `narrower` accepts fewer rows, `wider` more, `overlapping`
# loses some and gains some.
Relationship = Literal["same", "narrower", "wider", "overlapping"]
Row = Mapping[str, Any]


class Judgement(Struct, frozen=True):
    """What is found in one condition. All of it is plain data, so that it can be kept.

    Attributes:
        condition: The number of the condition.
        kind: See `Kind`.
        message: One sentence.
        part: The part that it is about, as it is written in `Condition.sql`, or in its text if that is empty.
        hint: What to do; empty if there is nothing to say.
        row: A row that shows it, checked with the reference evaluator; None where there is none, as for
            `never`. Its values are as JSON has them. A part that is no column has its text as its name.
        outcome: What the condition is for the row: True, False or None (UNKNOWN).
        inferred: The fields whose type was inferred, with the kind that was inferred: `string`, `number`,
            `time`, `boolean`, or `any` where the proof holds for every type.
        at: Where the part is in that text; None if the finding is about the whole condition.
        meant: Whether nothing goes wrong, so that it is often meant: the rest of the condition accepts the
            rows of an operand, or an earlier branch has the result of one that is never reached.
        causes: What makes it, each as a text, if that is less than the part: judgements of a kind that share
            a cause are one mistake.
    """

    condition: int
    kind: Kind
    message: str
    part: str = ""
    hint: str = ""
    row: Row | None = None
    outcome: bool | None = None
    inferred: Mapping[str, str] = {}
    at: tuple[int, int] | None = None
    meant: bool = False
    causes: tuple[str, ...] = ()


class Pair(Struct, frozen=True):
    """Two rules that are nearly the same.

    Attributes:
        left: The number of a condition with the first rule.
        right: The number of one with the second.
        kind: What the second is to the first.
        difference: In what they differ: `one value`, `one NULL test`, `one bound`, `one condition`.
        message: One sentence.
        lost: A row that only the first accepts, if there is one.
        gained: A row that only the second accepts, if there is one.
        inferred: As in `Judgement`.
        meant: Whether such a difference is often meant: the rules have no relation in common, only one of
            them tests for NULL what is no time, it has one value of the list of the other, or another bound.
        rules: The first rule and the second, as texts that are the same wherever their places are.
    """

    left: int
    right: int
    kind: Relationship
    difference: str
    message: str
    lost: Row | None = None
    gained: Row | None = None
    inferred: Mapping[str, str] = {}
    meant: bool = False
    rules: tuple[str, ...] = ()


class Part(Struct, frozen=True):
    """Tests of a condition that are a filter: their numbers, and the tests as they are written."""

    condition: int
    filter: int
    text: str


class Judged(Struct, frozen=True):
    """What is found in all conditions.

    Attributes:
        judgements: What is found in single ones, in their order.
        same: Conditions with one rule, proved or written alike, as their numbers: classes of two or more.
        pairs: Rules that are nearly the same; each rule is named by the first condition that has it.
        unjudged: Why a condition is not judged, by its number.
        undecided: How many questions had no answer within their time limit.
        unanswered: How many were not answered before Ctrl-C.
        parts: Conditions that have a filter and more, with the largest ones.
    """

    judgements: tuple[Judgement, ...] = ()
    same: tuple[tuple[int, ...], ...] = ()
    pairs: tuple[Pair, ...] = ()
    unjudged: Mapping[int, str] = {}
    undecided: int = 0
    unanswered: int = 0
    parts: tuple[Part, ...] = ()
