"""Messages of `predicat discover` about conditions: why one is not judged, and what is found in one.

Each function is one: see the package.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.source import Span

_NO_REASON = re.compile(r"Failed to parse '.*' into <class .*>")
"""What sqlglot says if it has no more to say than the text."""


def cannot_read(span: Span, dialect: str, problem: str) -> Diagnostic:
    first = problem.replace("\x1b[4m", "").replace("\x1b[0m", "").split("\n")[0].rstrip(".")
    reason = "" if _NO_REASON.fullmatch(first) else f": {first}"
    return Diagnostic("not-read", f"it cannot be read as {dialect or 'standard'} SQL{reason}", span)


def several_kinds(name: str, kinds: Iterable[str]) -> str:
    return f"{name} is used as {' and as '.join(sorted(kinds))}"


def alike_constants(name: str, one: object, other: object) -> str:
    return f"{name} is compared with {one!r} and {other!r}, which are equal in some types"


def unclear_order(name: str) -> str:
    return f"the order of {name} depends on its type or on a collation"


def constant_out_of_range(name: str, value: object) -> str:
    return f"{name} is compared with {value!r}, which has more digits than are compared"


def unknown_type(name: str, text: str) -> str:
    return f"the type {text} of {name} is not supported"


def folding_dialect(dialect: str) -> str:
    return f"{dialect} compares strings by a collation that may ignore case or spaces"


def test_for_nan(name: str) -> str:
    return f"{name} is compared with itself, which may be a test for NaN"


NO_REASON = "it is nested too deeply, or has numbers that are too long"
NEVER = "it is never TRUE"
NEVER_ACCEPTED = "it is FALSE for every row"
ALWAYS = "it is TRUE or UNKNOWN for every row"
UNKNOWN = "it is UNKNOWN for every row"


def impossible(part: str) -> str:
    return f"{part} is never TRUE"


def no_effect(junction: str) -> str:
    return f"this operand of {junction} has no effect: the others imply it"


def twice(junction: str) -> str:
    return f"this operand appears twice in one {junction}"


ONE_VALUE = "one value"
SOME_VALUES = "some values"
ONE_BOUND = "one bound"
ONE_NULL_TEST = "one NULL test"
IN_OTHER_WORDS = "other words"
SAME_RULE = "they accept the same rows"


def only_second(test: str) -> str:
    return f"only the second has {test}"


def two_tests(first: str, second: str) -> str:
    return f"the first has {first}, the second {second}"


def values(first: Iterable[str], second: Iterable[str]) -> str:
    one, other = ", ".join(map(repr, first)), ", ".join(map(repr, second))
    if not one:
        return f"only the second has {other}"
    return f"only the first has {one}" + (f", only the second {other}" if other else "")


def loses_nulls(field: str, place: str) -> str:
    return f"rows where {field} is NULL are not accepted, and {place} shows that there may be some"


def or_is_null(field: str) -> str:
    return f"to accept them, add OR {field} IS NULL"


UNREACHABLE = "it is never reached: the branches before it match every row"
LAYOUT = "AND binds tighter than OR, but the line breaks suggest the opposite"


def parentheses(text: str) -> str:
    return f"if the line breaks are right, write {text}"
