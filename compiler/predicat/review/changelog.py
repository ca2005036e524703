"""The changelog of a catalog: what each release changed, with its verdicts."""

import re
from collections.abc import Sequence
from datetime import date

from predicat.catalog.model import Catalog, Filter
from predicat.diagnostics import extras

NAME = "CHANGELOG.md"
_HEAD = "# Changelog of the catalog\n\nWritten by `predicat release`.\n"
_SECTION = re.compile(r"^## ", re.MULTILINE)
_MARKER = re.compile(r"^(?:<{7}|={7}|>{7})(?: .*)?\n", re.MULTILINE)
# Empty lines between two of a list.
_BETWEEN = re.compile(r"^(- .*)\n\n+(?=- )", re.MULTILINE)
_MERGE_BASE = re.compile(r"^\|{7}.*?^(?========$)", re.MULTILINE | re.DOTALL)


def lines(
    catalog: Catalog, new: Sequence[str], gone: Sequence[str] = (), deprecated: Sequence[str] = ()
) -> list[str]:
    """A line for each version that is new, removed or newly deprecated."""
    added: list[str] = []
    for name in (*new, *deprecated):
        base, _, number = name.partition("@")
        row = catalog.known[base]
        if name in new:
            added.append(f"- {name}: {_against_previous(row, int(number)) or row.description or 'new'}")
        else:
            added.append(f"- {name}: deprecated, can be removed after {row.versions[int(number)].deprecated}")
    return added + [f"- {name}: removed" for name in gone]


def _against_previous(filter_: Filter, number: int) -> str:
    earlier = [other for other in filter_.versions if other < number]
    if not earlier or not extras.installed("z3"):
        return ""
    from predicat.explain import show  # noqa: PLC0415  # needs z3
    from predicat.proof.compare import compare  # noqa: PLC0415  # as above

    before = max(earlier)
    verdict = compare(
        filter_.versions[before].predicate,
        filter_.versions[number].predicate,
        on_unknown=(filter_.on_unknown, filter_.on_unknown),
    )
    rows = "".join(f"; {what} {show.row_text(item.row)}" for what, item in show.witnesses(verdict)[:1])
    kind = show.title(verdict)
    return (
        f"{kind} than version {before}{rows}"
        if verdict.kind in ("narrower", "wider")
        else f"{kind}, against version {before}{rows}"
    )


def add(text: str | None, day: date, added: Sequence[str]) -> str:
    """A changelog (None for a new one) with a release at its top, in order."""
    section = "\n".join((f"## {day.isoformat()}", "", *added, ""))
    head, *rest = _SECTION.split(text or _HEAD)
    return ordered("## ".join((f"{head.rstrip()}\n\n", section.removeprefix("## "), *rest)))


def ordered(text: str) -> str:
    """A changelog with one section per day, the newest first, and no duplicate lines in a section, as after a
    merge of two branches.

    Conflict markers are removed, and the text of both sides is kept. Sections without a date stay after the
    section before them.
    """
    if text.startswith("<<<<<<<") or "\n<<<<<<<" in text:
        text = _MARKER.sub("", _MERGE_BASE.sub("", text))
    head, *sections = _SECTION.split(text)
    days: dict[str, list[str]] = {}
    day = ""
    for section in sections:
        title, _, body = section.partition("\n")
        if _is_day(title.strip()):
            day = title.strip()
            days.setdefault(day, []).extend(
                line for line in body.splitlines() if not _listed(line, days.get(day, []))
            )
        else:
            before = days.setdefault(day, [])
            before.extend((*([""] if before and before[-1] else []), f"## {title}", *body.splitlines()))
    parts = [head.rstrip() + "\n"]
    parts += ["\n".join(days.pop("")).strip("\n") + "\n"] if "" in days else []
    parts += [_section(f"## {day}\n", days[day]) for day in sorted(days, reverse=True)]
    return "\n".join(parts)


def _section(title: str, body: Sequence[str]) -> str:
    text = _BETWEEN.sub(r"\1\n", "\n".join(body).strip("\n"))
    return f"{title}\n{text}\n"


def _listed(line: str, before: Sequence[str]) -> bool:
    return line.startswith("- ") and line in before


def _is_day(title: str) -> bool:
    try:
        date.fromisoformat(title)
    except ValueError:
        return False
    return True
