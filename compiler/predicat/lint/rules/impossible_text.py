"""P504, P505: a comparison with a string that a function never returns: capitals from lower(), more
characters than substring() returns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from predicat.diagnostics import Severity
from predicat.diagnostics.wording import quantity, some
from predicat.ir.operators import EQUALITIES
from predicat.ir.syntax import Constant, OperatorCall, Tree
from predicat.lint.rule import Context, Finding, Rule
from predicat.lint.written import bodies, shown, text_constants, walk
from predicat.semantics import like

_EQUAL = EQUALITIES | {"same"}
_SIDES = _EQUAL | {"in", "starts_with", "ends_with", "contains", "like"}
_GENERAL = ("P201", "P202", "P203", "P204", "P205", "P206", "P301", "P302", "P303")


# How many constants of a list are shown.
_MOST_SHOWN = 3
# Constants by the shortest string that each matches.
_Texts = dict[str, str]


def _compared(tree: Tree) -> Iterator[tuple[OperatorCall, OperatorCall, _Texts]]:
    """Functions that are compared with constant strings: the comparison, the function, and the strings as
    written, each with the shortest string that it matches.
    """
    for part in walk(tree):
        if not isinstance(part, OperatorCall) or part.op not in _SIDES or len(part.args) != 2:
            continue
        one, other = part.args
        if isinstance(one, Constant) and part.op in _EQUAL:
            one, other = other, one
        if isinstance(one, OperatorCall):
            texts = [str(constant.value) for constant in text_constants(other)]
            yield part, one, {text: _least(text) if part.op == "like" else text for text in texts}


def _least(pattern: str) -> str:
    """The shortest string that a LIKE pattern matches; `_` is any character."""
    return "".join("_" if piece == "" else piece or "" for piece in like.parts(pattern))


class Problem(Struct, frozen=True):
    """A comparison, what is wrong with it, and a hint. `causes` has a text for each constant that is wrong,
    whatever is compared with it.
    """

    part: OperatorCall
    message: str
    hint: str
    causes: tuple[str, ...]


def wrong_case(tree: Tree) -> Iterator[Problem]:
    """Comparisons of lower() with uppercase letters, or of upper() with lowercase ones. A list that has a
    constant in the right letters, too, loses no row.
    """
    for part, function, texts in _compared(tree):
        change, letters = _CASES.get(function.op, (str, ""))
        wrong = [
            text for text, least in texts.items() if change(least) != least and change(text) not in texts
        ]
        if wrong:
            have = "has" if len(wrong) == 1 else "have"
            message = f"{function.op}() never gives {_shown(wrong)}, which {have} {letters}"
            causes = tuple(f"{function.op} {text}" for text in wrong)
            yield Problem(part, message, f"compare with {_shown(list(map(change, wrong)))}", causes)


def wrong_length(tree: Tree) -> Iterator[Problem]:
    """Comparisons of a substring with a longer string."""
    for part, function, texts in _compared(tree):
        most = _most(function)
        wrong = [text for text, least in texts.items() if most is not None and len(least) > most]
        if wrong and most is not None:
            more = f"has {len(texts[wrong[0]])}" if len(wrong) == 1 else "have more"
            head = f"{function.span.text} has at most {quantity(most, 'character')}"
            causes = tuple(f"{function.op} {most} {text}" for text in wrong)
            yield Problem(part, f"{head}, {_shown(wrong)} {more}", "make them equally long", causes)


def _shown(texts: Sequence[str]) -> str:
    return some(list(map(shown, texts)), _MOST_SHOWN)


def _rule(problems: Callable[[Tree], Iterator[Problem]], code: str) -> Callable[[Context], Iterator[Finding]]:
    def check(context: Context) -> Iterator[Finding]:
        for filter_, tree in bodies(context):
            for problem in problems(tree):
                yield Finding(code, filter_.qualified, problem.message, problem.part.span, problem.hint)

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
