"""Test suites of others as oracles. They are read from checkouts, and nothing of them is in this repository.

`PREDICAT_ORACLES` names a folder with checkouts called `owner+name` (`apache+activemq`,
`kubernetes+apimachinery`). Each script lists
what differs with its reason, and fails for a difference without one; a suite that is not there is left out.
"""

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NoReturn

import pytest
from msgspec import Struct

VARIABLE = "PREDICAT_ORACLES"
EVIDENCE = Path(__file__).parent.parent.parent / "docs" / "evidence.md"
# What a skipped test begins its reason with; the summary of a test run lists these (`tests/conftest.py`).
NOT_RUN = "not run: "


class Difference(Struct, frozen=True):
    """A case that comes out differently here. `wrong`: it was answered otherwise; else it was refused, or
    not refused.
    """

    place: str
    case: str
    wanted: str
    got: str
    wrong: bool
    reason: str | None


def checkout(name: str) -> Path | None:
    """The checkout `owner+name`, if there is one."""
    folder = os.environ.get(VARIABLE)
    found = Path(folder) / name if folder else None
    return found if found is not None and found.is_dir() else None


def not_run(claim: str, why: str) -> NoReturn:
    """Skip a test of what docs/evidence.md claims. `claim` is the beginning of the sentence."""
    text = EVIDENCE.read_text(encoding="utf-8")
    (whole,) = re.findall(rf"^{re.escape(claim)}.*?[.:](?=\s)", text, re.DOTALL | re.MULTILINE)
    pytest.skip(f"{NOT_RUN}{' '.join(whole.split())} {why}")


def report(title: str, count: int, differences: Sequence[Difference]) -> int:
    """Prints what differs, by reason. Gives the number of differences without a reason, or with a wrong
    answer.
    """
    wrong, unexplained = sum(one.wrong for one in differences), sum(one.reason is None for one in differences)
    print(
        f"{title}: {count} cases, {count - len(differences)} alike, {len(differences)} differ, {wrong} "
        f"wrong answers, {unexplained} unexplained"
    )
    for reason, group in _by_reason(differences):
        print(f"  {reason or 'UNEXPLAINED'} ({len(group)})")
        for one in group:
            print(f"    {one.place}: {one.case}\n      wanted {one.wanted}, got {one.got}")
    return sum(one.wrong or one.reason is None for one in differences)


def _by_reason(differences: Iterable[Difference]) -> list[tuple[str | None, list[Difference]]]:
    groups: dict[str | None, list[Difference]] = {}
    for one in differences:
        groups.setdefault(one.reason, []).append(one)
    return sorted(groups.items(), key=lambda group: (group[0] is not None, group[0] or ""))
