"""Who must look at a change: the owners of the filters, of the jobs that use them, and of the files."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from msgspec.structs import replace

from predicat.review.entries import Entry
from predicat.review.snapshot import Snapshot

# The owners of a file by CODEOWNERS, with spaces between them.
FileOwners = Callable[[Path], str | None]


def with_owners(
    entries: Iterable[Entry], sides: tuple[Snapshot, Snapshot], of_file: FileOwners | None
) -> list[Entry]:
    """The entries with their owners: of the filters that change, of the jobs that use them, of the file."""
    return [replace(entry, owners=tuple(dict.fromkeys(_owners(entry, sides, of_file)))) for entry in entries]


def _owners(entry: Entry, sides: tuple[Snapshot, Snapshot], of_file: FileOwners | None) -> Iterator[str]:
    before, after = sides
    for name in ([entry.name] if entry.subject == "filter" else []) + list(entry.under):
        row = after.filters.get(name) or before.filters.get(name) or {}
        yield from filter(None, [row.get("owner")])
    jobs = [entry.name] if entry.subject == "job" else entry.users.get("jobs", ())
    for job in jobs:
        dataset, _, name = job.partition(".")
        for side in (after, before):
            found = side.datasets.get(dataset, {}).get("jobs", {}).get(name)
            if found is not None:
                yield from filter(None, [found.get("owner")])
                break
    if of_file is not None and entry.place.file:
        yield from (of_file(Path(entry.place.file)) or "").split()
