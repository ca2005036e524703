"""The lines of code that a proposed catalog would replace, as a report and as a patch."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from predicat.catalog import Catalog
from predicat.diagnostics.messages import discover as say
from predicat.discover.calls import Use
from predicat.discover.conditions import SERVER, Condition
from predicat.discover.propose import Proposal
from predicat.discover.replace import Copies, Copy
from predicat.discover.rules import Rule

# Filters that are shown as text: those in most places.
_MOST_SHOWN = 20


class Written(Struct, frozen=True):
    """A proposal that was written: its new files, those that were there, and the places of its filters, each
    with what a patch would put there.
    """

    proposal: Proposal
    files: Sequence[Path]
    there: Sequence[Path]
    places: Mapping[str, Sequence[Copy]]


def places_of(rules: Mapping[str, Rule], catalog: Catalog) -> dict[str, list[Copy]]:
    """The places of proposed filters in files of code, in the order of filters with most places.

    Args:
        rules: The rules by the names of their filters.
        catalog: The catalog that has the filters, as it is now.
    """
    copies = Copies(catalog)
    found = {
        name: [copies.tried(condition, Use(name)) for condition in _in_files(rule)]
        for name, rule in rules.items()
        if name in catalog.known
    }
    return dict(sorted(found.items(), key=lambda item: -len(item[1])))


def _in_files(rule: Rule) -> Iterator[Condition]:
    """The conditions of a rule, one for each place; what a server or a table declares is no code."""
    seen: set[tuple[str, int, int]] = set()
    for condition in rule.conditions:
        place = condition.place
        if (place.path, place.start, place.end) not in seen and not place.path.startswith(SERVER):
            seen.add((place.path, place.start, place.end))
            yield condition


def as_text(written: Written) -> str:
    """What was written, and the lines that each filter would replace."""
    shown = {name: copies for name, copies in written.places.items() if len(copies) > 1}
    lines = [
        say.replaces(name, _lines(copies), sum(not copy.stays for copy in copies))
        for name, copies in list(shown.items())[:_MOST_SHOWN]
    ]
    more = len(shown) - _MOST_SHOWN
    return "\n".join(
        [*lines, *([say.others(more)] if more > 0 else []), *([""] if lines else []), _files(written)]
    )


def _lines(copies: Sequence[Copy]) -> list[str]:
    places = [copy.condition.place for copy in copies]
    return list(dict.fromkeys(f"{place.path}:{place.line}" for place in places))


def _files(written: Written) -> str:
    return say.proposed(
        len(written.proposal.filters), list(map(str, written.files)), list(map(str, written.there))
    )


def as_json(written: Written) -> str:
    """The same as data, with all filters and what was left out."""
    data = {
        "files": list(map(str, written.files)),
        "kept": list(map(str, written.there)),
        "filters": [
            {"name": name, "sql": rule.sql, "places": list(map(_data, written.places.get(name, ())))}
            for name, rule in written.proposal.filters.items()
        ],
        "left_out": dict(written.proposal.left.most_common()),
    }
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def _data(copy: Copy) -> dict[str, Any]:
    """A place: its text is null where it stays, for a reason."""
    place = copy.condition.place
    return {
        "path": place.path,
        "line": place.line,
        "column": place.column,
        "text": None if copy.stays else copy.text,
        "stays": copy.stays or None,
    }
