"""The tests of Kubernetes' CEL libraries for quantities, IP addresses and networks. `python -m
tests.oracles.kubernetes_cel`
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

import predicat
from predicat.diagnostics import PredicatError
from tests.oracles import Difference, checkout, report

REPOSITORY = "kubernetes+apiserver"
FILES = ("quantity_test.go", "ip_test.go", "cidr_test.go")
_CASE = re.compile(r"expr:\s*(`[^`]*`|\"(?:[^\"\\]|\\.)*\")\s*,(.*?)\n\t\t\}", re.DOTALL)
_RESULT = re.compile(r"expect(?:Value|Result):\s*(?:(trueVal|falseVal)|types\.\w+\(([^)]*)\)|(\w+))")
# The expressions that come out differently, and why.
_REASONS = {
    r"^\(?string\(": "the text of an address is the address",
    r"net\.(?:IP|CIDR)": "an address has no type of its own here",
    r"isCanonical|masked|\.ip\(\)": "refused, with what to use instead",
    r"\"9{20,}": "a quantity is the double next to it",
}


class Case(Struct, frozen=True):
    """An expression of the suite and its value: a truth value, or None for an error of the row."""

    place: str
    expression: str
    wanted: bool | None


def cases(folder: Path) -> Iterator[Case]:
    """The cases of a checkout whose expressions the suite expects to compile."""
    for name in FILES:
        for expression, rest in _CASE.findall(
            (folder / "pkg" / "cel" / "library" / name).read_text(encoding="utf-8")
        ):
            found = _RESULT.search(rest)
            text = expression[1:-1] if expression.startswith("`") else expression[1:-1].replace('\\"', '"')
            if re.search(r"expect(?:ed)?CompileErr", rest) or (
                re.fullmatch(r'\w+\("[^"]*"\)', text) and not text.startswith("is")
            ):
                continue  # an address alone is no condition
            if found is None:
                yield Case(name, f"({text}) == ({text})" if re.search(r"as\w+\(\)$", text) else text, None)
            elif found[1]:
                yield Case(name, text, found[1] == "trueVal")
            elif found[2]:
                yield Case(name, f"({text}) == ({found[2]})", wanted=True)


def difference(case: Case) -> Difference | None:
    reason = next((why for pattern, why in _REASONS.items() if re.search(pattern, case.expression)), None)
    try:
        got = predicat.parse(case.expression, "cel", {}).evaluate({})
    except PredicatError as error:
        return Difference(
            case.place,
            case.expression,
            str(case.wanted),
            str(error).splitlines()[0],
            wrong=False,
            reason=reason,
        )
    if got is case.wanted:
        return None
    return Difference(
        case.place, case.expression, str(case.wanted), str(got), wrong=reason is None, reason=reason
    )


def main() -> int:
    folder = checkout(REPOSITORY)
    if folder is None:
        print(f"{REPOSITORY} is not there")
        return 0
    found = list(cases(folder))
    return report(
        "Kubernetes' CEL libraries",
        len(found),
        [one for case in found if (one := difference(case)) is not None],
    )


if __name__ == "__main__":
    sys.exit(main())
