"""Label selectors by the tests of Kubernetes. `PREDICAT_ORACLES=... python -m tests.oracles.labels`"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

import predicat
from tests.oracles import Difference, checkout, report

FILE = "pkg/labels/selector_test.go"
# What differs, by a pattern for the selector.
REASONS: tuple[tuple[str, str], ...] = ()
_TEXT = r'"(?:[^"\\]|\\.)*"'
_EVENTS = re.compile(
    (
        rf"expect(Match|NoMatch)\(t, ({_TEXT}), (?:Set\{{(.*?)\}}|(\w+))\)|(\w+) := "
        r"Set\{(.*?)\n?\s*\}|test(Good|Bad)Strings := \[\]string\{(.*?)\n\t\}"
    ),
    re.DOTALL,
)


class Case(Struct, frozen=True):
    place: str
    selector: str
    labels: dict[str, str]
    wanted: str


def cases() -> Iterator[Case]:
    folder = checkout("kubernetes+apimachinery")
    if folder is not None:
        yield from read(folder / FILE)


def read(path: Path) -> Iterator[Case]:
    """The selectors that are to match, not to match, to be read, or to be refused."""
    text = re.sub(r"^\s*//.*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    named: dict[str, dict[str, str]] = {}
    for found in _EVENTS.finditer(text):
        verb, selector, written, name, variable, entries, kind, texts = found.groups()
        place = f"{path.name}:{text.count(chr(10), 0, found.start()) + 1}"
        if variable:
            named[variable] = _labels(entries)
        elif kind:
            for one in re.findall(_TEXT, texts):
                yield Case(place, ast.literal_eval(one), {}, "valid" if kind == "Good" else "refused")
        else:
            labels = named[name] if name else _labels(written)
            yield Case(place, ast.literal_eval(selector), labels, "TRUE" if verb == "Match" else "FALSE")


def _labels(written: str) -> dict[str, str]:
    return {
        ast.literal_eval(key): ast.literal_eval(value)
        for key, value in re.findall(rf"({_TEXT}): ({_TEXT})", written)
    }


def difference(case: Case) -> Difference | None:
    try:
        predicate = predicat.parse(case.selector, "labels", {"labels": "map<string, string>"}, on="labels")
        got = "TRUE" if predicate.evaluate({"labels": case.labels}) else "FALSE"
    except predicat.PredicatError:
        got = "refused"
    if got == case.wanted or (case.wanted == "valid" and got != "refused"):
        return None
    reason = next((reason for pattern, reason in REASONS if re.search(pattern, case.selector)), None)
    return Difference(
        case.place,
        case.selector,
        case.wanted,
        got,
        got != "refused" and case.wanted in ("TRUE", "FALSE"),
        reason,
    )


def main() -> int:
    """The number of differences that are wrong or unexplained."""
    every = list(cases())
    return report(
        "label selectors", len(every), [found for case in every if (found := difference(case)) is not None]
    )


if __name__ == "__main__":
    sys.exit(main() > 0)
