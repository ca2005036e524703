"""The changelog of a catalog: what each release added, in the words of its proofs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from importlib.util import find_spec
from pathlib import Path

from predicat.catalog.manifest import write_text
from predicat.catalog.model import Catalog, Filter

_HEAD = "# Changelog of the catalog\n\nWritten by `predicat release`.\n"


def lines(catalog: Catalog, new: Sequence[str], gone: Sequence[str]) -> list[str]:
    """A line for each version that is new or gone."""
    found: list[str] = []
    for name in new:
        base, _, number = name.partition("@")
        row = catalog.known[base]
        what = _against_previous(row, int(number))
        found.append(f"- {name}: {what or row.description or 'new'}")
    return found + [f"- {name}: removed" for name in gone]


def _against_previous(row: Filter, number: int) -> str:
    earlier = [other for other in row.versions if other < number]
    if not earlier or find_spec("z3") is None:
        return ""
    from predicat.review import show  # noqa: PLC0415  # needs z3
    from predicat.review.compare import compare  # noqa: PLC0415  # as above

    before = max(earlier)
    verdict = compare(row.versions[before].predicate, row.versions[number].predicate, on_unknown=(row.on_unknown, row.on_unknown))
    rows = "".join(f"; {what} {show.row_text(item.row)}" for what, item in show.witnesses(verdict)[:1])
    kind = show.title(verdict)
    return f"{kind} than version {before}{rows}" if verdict.kind in ("narrower", "wider") else f"{kind}, against version {before}{rows}"


def add(path: Path, day: date, found: Sequence[str]) -> None:
    """Put a release at the top of the changelog, which is made where there is none."""
    text = path.read_text(encoding="utf-8") if path.exists() else _HEAD
    head, mark, rest = text.partition("\n## ")
    section = "\n".join(found)
    write_text(path, f"{head.rstrip()}\n\n## {day.isoformat()}\n\n{section}\n{mark and mark}{rest}")
