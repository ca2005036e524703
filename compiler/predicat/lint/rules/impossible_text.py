"""P504, P505: a comparison with a string that a function never returns: capitals from lower(), more
characters than substring() returns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from predicat.diagnostics import Severity
from predicat.diagnostics.wording import quantity
from predicat.ir.operators import EQUALITIES
from predicat.ir.syntax import Constant, OperatorCall, Tree
from predicat.lint.rule import Context, Finding, Rule
from predicat.lint.written import bodies, shown, text_constants, walk
from predicat.semantics import like

_EQUAL = EQUALITIES | {"same"}
_SIDES = _EQUAL | {"in", "starts_with", "ends_with", "contains", "like"}
_GENERAL = ("P201", "P202", "P203", "P204", "P205", "P206", "P301", "P302", "P303")


def _compared(tree: Tree) -> Iterator[tuple[OperatorCall, OperatorCall, str, str]]:
    """Functions that are compared with constant strings: the comparison, the function, the string as written,
    and the shortest string that it matches.
    """
    for part in walk(tree):
        if not isinstance(part, OperatorCall) or part.op not in _SIDES or len(part.args) != 2:
            continue
        one, other = part.args
        if isinstance(one, Constant) and part.op in _EQUAL:
            one, other = other, one
        if isinstance(one, OperatorCall):
            for constant in text_constants(other):
                text = str(constant.value)
                yield part, one, text, _least(text) if part.op == "like" else text


def _least(pattern: str) -> str:
    """The shortest string that a LIKE pattern matches; `_` is any character."""
    return "".join("_" if piece == "" else piece or "" for piece in like.parts(pattern))


# A comparison, what is wrong with it, and a hint.
Problem = tuple[OperatorCall, str, str]


def wrong_case(tree: Tree) -> Iterator[Problem]:
    """Comparisons of lower() with uppercase letters, or of upper() with lowercase ones."""
    for part, function, text, least in _compared(tree):
        rule = _CASES.get(function.op)
        if rule is not None and rule[0](least) != least:
            message = f"{function.op}() never gives {shown(text)}, which has {rule[1]}"
            yield part, message, f"compare with {shown(rule[0](text))}"


def wrong_length(tree: Tree) -> Iterator[Problem]:
    """Comparisons of a substring with a longer string."""
    for part, function, text, least in _compared(tree):
        most = _most(function)
        if most is not None and len(least) > most:
            message = (
                f"{function.span.text} has at most {quantity(most, 'character')}, "
                f"{shown(text)} has {len(least)}"
            )
            yield part, message, "make them equally long"


def _rule(problems: Callable[[Tree], Iterator[Problem]], code: str) -> Callable[[Context], Iterator[Finding]]:
    def check(context: Context) -> Iterator[Finding]:
        for filter_, tree in bodies(context):
            for part, message, hint in problems(tree):
                yield Finding(code, filter_.qualified, message, part.span, hint)

    return check


def _ascii(change: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: "".join(change(char) if char.isascii() else char for char in text)


_CASES: dict[str, tuple[Callable[[str], str], str]] = {
    "lower": (_ascii(str.lower), "capital letters"),
    "upper": (_ascii(str.upper), "small letters"),
}


def _most(function: OperatorCall) -> int | None:
    """The maximum length of a substring; None if it is not known."""
    if function.op != "substr" or len(function.args) != 3:
        return None
    length = function.args[2]
    return (
        length.value
        if isinstance(length, Constant) and isinstance(length.value, int) and length.value >= 0
        else None
    )


RULES = (
    Rule(
        "P504",
        "impossible-case",
        "lower() compared with capital letters, or upper() with lower-case letters.",
        _rule(wrong_case, "P504"),
        Severity.ERROR,
        _GENERAL,
    ),
    Rule(
        "P505",
        "impossible-length",
        "A part of a string compared with a longer string.",
        _rule(wrong_length, "P505"),
        Severity.ERROR,
        _GENERAL,
    ),
)
