"""Messages of `predicat discover` about conditions: why one is not judged, and what is found in one.

Each row is one: see the package.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.message import Text
from predicat.diagnostics.source import Span

# What sqlglot says if it has no more to say than the text.
_NO_REASON = re.compile(r"Failed to parse '.*' into <class .*>")

several_kinds = Text[str, Iterable[str]]("{name} is used as {kinds:sorted and as}")
alike_constants = Text[str, object, object]("""{name} is compared with {one!r} and {other!r}, which are
    equal in some types""")
unclear_order = Text[str]("the order of {name} depends on its type or on a collation")
constant_out_of_range = Text[str, object]("""{name} is compared with {value!r}, which has more digits than
    are compared""")
unknown_type = Text[str, str]("(name, text) the type {text} of {name} is not supported")
folding_dialect = Text[str]("{dialect} compares strings by a collation that may ignore case or spaces")
may_be_bytes = Text[str]("{text!r} may be a text or bytes")
test_for_nan = Text[str]("{name} is compared with itself, which may be a test for NaN")

NO_REASON = "it is nested too deeply, or has numbers that are too long"
NEVER = "it is never TRUE"
NEVER_ACCEPTED = "it is FALSE for every row"
ALWAYS = "it is TRUE or UNKNOWN for every row"
UNKNOWN = "it is UNKNOWN for every row"

impossible = Text[str]("{part} is never TRUE")
no_effect = Text[str]("""this operand of {junction} has no effect: the same rows are accepted without
    it""")
any_character = Text[str]("in {text}, _ stands for any character; to mean itself, it is escaped")
excluded = Text[str, bool]("""this operand of {junction} is never TRUE{rest:if  here: the rest of the
    condition excludes it|}""")
twice = Text[str]("this operand appears twice in one {junction}")

ONE_VALUE = "one value"
SOME_VALUES = "some values"
ONE_BOUND = "one bound"
ONE_NULL_TEST = "one NULL test"
IN_OTHER_WORDS = "other words"
SAME_RULE = "they accept the same rows"

only_second = Text[str]("only the second has {test}")
two_tests = Text[str, str]("the first has {first}, the second {second}")
loses_nulls = Text[str, str]("""rows where {field} is NULL are not accepted, and {place} shows that there
    may be some""")
or_is_null = Text[str]("to accept them, add OR {field} IS NULL")

UNREACHABLE = "it is never reached: the branches before it match every row"
LAYOUT = "AND binds tighter than OR, but the line breaks suggest the opposite"

parentheses = Text[str]("if the line breaks are right, write {text}")


def cannot_read(span: Span, dialect: str, problem: str) -> Diagnostic:
    first = problem.replace("\x1b[4m", "").replace("\x1b[0m", "").split("\n")[0].rstrip(".")
    reason = "" if _NO_REASON.fullmatch(first) else f": {first}"
    return Diagnostic("not-read", f"it cannot be read as {dialect or 'standard'} SQL{reason}", span)


def conflict(operands: Sequence[str]) -> str:
    """A hint at the operands that exclude each other, or the one that is never TRUE; empty if there are
    none.
    """
    if len(operands) == 1:
        return impossible(operands[0])
    return f"{', '.join(operands)} exclude each other" if operands else ""


def values(first: Iterable[str], second: Iterable[str]) -> str:
    one, other = ", ".join(map(repr, first)), ", ".join(map(repr, second))
    if not one:
        return f"only the second has {other}"
    return f"only the first has {one}" + (f", only the second {other}" if other else "")
