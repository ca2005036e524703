"""Which findings come first: those that likely are mistakes, in many places, in files that often change."""

import math
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, structs

from predicat.diagnostics import Severity
from predicat.diagnostics.messages import discover as say
from predicat.discover.classes import Classes
from predicat.discover.findings import CODES, Found
from predicat.lint import Finding
from predicat.lint.baseline import lasting

# Rules that disagree: those that are shown are shown first.
_PAIRS = ("D302", "D202")


class Ranking(Struct, frozen=True):
    """What the order of findings depends on: how many commits changed each file in the last year."""

    changes: Mapping[str, int] = {}

    def changed(self, item: Found) -> int:
        """The commits of the file that changes most, of those that have the rule."""
        return max((self.changes.get(place.path, 0) for place in item.places), default=0)

    def weight(self, item: Found) -> float:
        """The likelihood of a mistake, times places, times changes. Twice as many of these add the same: a
        file that changes daily is not thirty times as important as one that changes monthly. Ten times as
        many calls are one place more.
        """
        places = 1 + math.log2(max(len(item.places), 1) + math.log10(max(item.calls, 1)))
        return CODES[item.code].likelihood * places * (1 + math.log2(1 + self.changed(item)))

    def rank(self, item: Found) -> float:
        """The weight from 0 to 100, as SARIF has it."""
        weight = self.weight(item)
        return round(100 * weight / (1 + weight), 1)

    def ordered(self, found: Iterable[Found]) -> list[Found]:
        """Findings, those with the highest weight first; equal ones errors first, then by place."""
        return sorted(found, key=self._order)

    def first(self, found: Iterable[Found], most: int | None) -> tuple[list[Found], list[Found]]:
        """The findings with the highest weight, rules that disagree first, and the others."""
        ordered = self.ordered(found)
        shown, others = (ordered, []) if most is None else (ordered[:most], ordered[most:])
        return sorted(shown, key=lambda item: item.code not in _PAIRS), others

    def _order(self, item: Found) -> tuple[float, int, str, int, str, str]:
        level = list(Severity).index(item.level)
        outer = item.span.outermost()
        return -self.weight(item), level, outer.source.name, outer.start, item.code, item.message


def once(found: Iterable[Found], *, across_files: bool) -> list[Found]:
    """Findings that several places have, once each, with the other places in the hint: those of one file, or
    also those of other files that share a cause, whatever relation they are about. Of the latter the one with
    most causes is told.
    """
    rows, first = list(found), dict[tuple[str, ...], int]()
    groups = Classes({number: [number] for number in range(len(rows))})
    for number, item in enumerate(rows):
        for key in _causes(item) if across_files else [_what(item)]:
            groups.join(first.setdefault(key, number), number)
    distinct = sorted(map(sorted, groups.members.values()))
    return [_with_copies([rows[at] for at in members]) for members in distinct]


def _what(item: Found) -> tuple[str, ...]:
    """What is the same for the same finding in one file."""
    source = item.span.outermost().source.name
    return item.code, item.message, item.hint or "", item.span.text or str(item.span.start), source, item.name


def _causes(item: Found) -> list[tuple[str, ...]]:
    """What makes a finding: without a cause of its own, what it tells of a text without types, rows and
    places, which other code tells.
    """
    if item.causes:
        return [(item.code, cause) for cause in item.causes]
    text = " ".join(item.span.text.split()) or f"{item.span.outermost().source.name}:{item.span.start}"
    return [(item.code, lasting(item.message), text)]


def _with_copies(found: Sequence[Found]) -> Found:
    item = max(found, key=lambda one: len(one.causes))
    others = [one for one in found if one is not item]
    file, line = line_of(item)
    elsewhere = dict.fromkeys(place for other in others for place in _places(other))
    known = {(file, line), *_places(item)}
    lines = [str(line) for path, line in elsewhere if path == file and (path, line) not in known]
    more = [f"{path}:{line}" for path, line in elsewhere if path != file and (path, line) not in known]
    relations = len({other.name for other in found})
    hints = [
        item.hint,
        say.also_in(len(lines), lines) if lines else None,
        say.also_at(more) if more else None,
        say.in_relations(relations) if relations > 1 else None,
    ]
    places = dict.fromkeys(place for one in (item, *others) for place in one.places)
    item = structs.replace(item, places=tuple(places))
    hints += [say.ran(len(places), item.calls)] if item.calls else []
    return structs.replace(item, hint="; ".join(filter(None, hints)) or None)


def _places(item: Found) -> list[tuple[str, int]]:
    """The places that a finding is about: both rules of a pair."""
    if item.code in _PAIRS:
        return [(place.path, place.line) for place in item.places]
    return [line_of(item)]


def line_of(item: Finding) -> tuple[str, int]:
    """The file and the line of a finding."""
    outer = item.span.outermost()
    return outer.source.name, outer.source.line_column(outer.start)[0] if outer.source.text else 1
