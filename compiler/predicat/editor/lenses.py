"""The lenses above a filter in an editor: its tests, its users, and the number of rows it accepted in the
last measurement.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from predicat.catalog.live import Loaded
from predicat.diagnostics import Span
from predicat.diagnostics.wording import quantity
from predicat.editor.symbols import file_of, filter_symbol

# For each filter how many rows it accepted, of how many.
Rows = Mapping[str, tuple[int, int]]


class Lens(Struct, frozen=True):
    """A line above a place. `kind` is tests, users or rows; `name` is the filter."""

    kind: str
    title: str
    name: str
    place: Span


def lenses(loaded: Loaded, file: Path, rows: Rows) -> Iterator[Lens]:
    """Those of a file, in its order."""
    users = _users(loaded)
    for dataset in loaded.definitions.values():
        for filter_ in dataset.filters.values():
            outer = filter_.span.outermost()
            if file_of(outer) != file:
                continue
            name = f"{filter_.dataset}.{filter_.name}"
            total, failed = loaded.tests.get(name, (0, 0))
            yield Lens(
                "tests",
                _tests(total, failed) if name in loaded.tests else "not checked: it has problems",
                name,
                outer,
            )
            if users[name]:
                yield Lens("users", _used(users[name]), name, outer)
            if name in rows:
                accepted, of = rows[name]
                share = f" ({accepted / of:.1%})" if of else ""
                yield Lens("rows", f"accepted {accepted:,} of {quantity(of, 'row')}{share}", name, outer)


def _users(loaded: Loaded) -> dict[str, Counter[str]]:
    """For each filter by what it is used: filters, groups, subscriptions, policies."""
    result: dict[str, Counter[str]] = {
        f"{name}.{filter_}": Counter()
        for name, dataset in loaded.definitions.items()
        for filter_ in dataset.filters
    }
    for filter_ in loaded.catalog.filters():
        for name in {
            name.partition("@")[0] for version in filter_.versions.values() for name in version.references
        }:
            result[name]["filter"] += 1
    for name, dataset in loaded.definitions.items():
        members = [
            ("group", member) for group in dataset.groups.values() for member in dict.fromkeys(group.filters)
        ]
        members += [("subscription", filter_.filter) for filter_ in dataset.subscriptions.values()]
        members += [
            ("policy", used)
            for policy in dataset.policies.values()
            for used in dict.fromkeys(one.filter for one in policy.filters)
        ]
        for kind, member in members:
            symbol = filter_symbol(member, name)
            if (qualified := f"{symbol.dataset}.{symbol.name}") in result:
                result[qualified][kind] += 1
    return result


def _tests(total: int, failed: int) -> str:
    if not total:
        return "no tests"
    if failed:
        return f"{failed} of {total} tests failing"
    return f"{total} tests pass" if total > 1 else "1 test passes"


def _used(users: Counter[str]) -> str:
    return "used by " + ", ".join(quantity(count, kind) for kind, count in users.items())
