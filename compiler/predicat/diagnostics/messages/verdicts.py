"""Messages of `predicat discover` about conditions: why one is not judged, and what is found in one."""

from __future__ import annotations

from collections.abc import Iterable

from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.source import Span


def cannot_read(span: Span, dialect: str, problem: str) -> Diagnostic:
    first = problem.replace("\x1b[4m", "").replace("\x1b[0m", "").split("\n")[0].rstrip(".")
    return Diagnostic("not-read", f"as SQL of {dialect or 'the standard'} it cannot be read: {first}", span)


def several_kinds(name: str, kinds: Iterable[str]) -> str:
    return f"{name} is used as {' and as '.join(sorted(kinds))}"


def alike_constants(name: str, one: object, other: object) -> str:
    return f"{name} is compared with {one!r} and {other!r}, which are one value for some types"


def unclear_order(name: str) -> str:
    return f"the order of {name} depends on its type or on a collation"


def constant_out_of_range(name: str, value: object) -> str:
    return f"{name} is compared with {value!r}, which has more digits than are looked at"


def unknown_type(name: str, text: str) -> str:
    return f"the type {text} of {name} is not supported"


def folding_dialect(dialect: str) -> str:
    return f"texts of {dialect} are compared by a collation that may ignore case or blanks"


def test_for_nan(name: str) -> str:
    return f"{name} is compared with itself, which may be a test for NaN"


NO_REASON = "it is nested too deeply"
NEVER = "it is never TRUE"
NEVER_ACCEPTED = "it is FALSE for every row"
ALWAYS = "it is TRUE or UNKNOWN for every row"
UNKNOWN = "it is UNKNOWN for every row"


def impossible(part: str) -> str:
    return f"{part} is never TRUE"


def no_effect(junction: str) -> str:
    return f"this operand of {junction} has no effect: the others imply it"


def twice(junction: str) -> str:
    return f"this operand stands twice in one {junction}"
