"""The changes between two catalogs: an entry for each, with a proof of its effect on rows, its cause, and who
is affected.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from msgspec.structs import replace

from predicat.backends import DIALECTS
from predicat.explain.users import UsageIndex
from predicat.ir.canonical import canonical_text
from predicat.review.causes import Causes, may_differ, own_meaning
from predicat.review.entries import Cause, Entry, Identity, Review, loosened, value_text
from predicat.review.kinds import COLUMNS, NOTE, RELATIONS, ROWS, WARNING, Difference, differences
from predicat.review.list_changes import moved
from predicat.review.permissions import Permissions
from predicat.review.proofs import Prover
from predicat.review.renames import renamed, renamed_datasets, renamed_filters
from predicat.review.snapshot import CARRIED, Data, Place, Snapshot
from predicat.review.who import FileOwners, with_owners

Figures = Callable[[str], str]
# Filters whose tests are measured; a review of more of them does without those figures.
MEASURED = 50
_OLD_MANIFEST = (
    "the manifest was written by an earlier predicat and has no tests, bounds, enumerations, keys, macros "
    "and variables"
)


def review(
    before: Snapshot,
    after: Snapshot,
    base: str = "base",
    *,
    effort: float = 5.0,
    filters: int | None = None,
    edited: Sequence[str] = (),
    figures: Figures | None = None,
    identity: Identity | None = None,
    file_owners: FileOwners | None = None,
) -> Review:
    """The changes from one catalog to another.

    `effort` is that of `compare` for each pair of predicates. `filters` is the number of filters of the whole
    catalog, if the snapshots have only those that a change can affect. `edited` has the files that differ.
    `figures` returns the test coverage of a filter. `identity` says what was compared. `file_owners` returns
    the owners of a file.
    """
    result = _Comparison(before, after, base, Prover(effort))
    entries = sorted(result.entries(), key=lambda entry: entry.order)
    if figures is not None:
        entries = _with_figures(entries, figures)
    entries = with_owners(entries, (result.before, result.after), file_owners)
    total = len(after.filters) if filters is None else filters
    named = {entry.name for entry in entries if entry.subject == "filter" and entry.status != "removed"}
    named.update(name for entry in entries for name in entry.under)
    return Review(
        base,
        tuple(entries),
        total,
        total - len(named & after.filters.keys()),
        (result.before, result.after),
        tuple(edited),
        identity or Identity(),
    )


def _with_figures(entries: Sequence[Entry], figures: Figures) -> list[Entry]:
    """The entries, with the test coverage of each filter that is new or whose own text changed."""
    own = [_own(entry) for entry in entries]
    if sum(own) > MEASURED:
        return list(entries)
    return [
        replace(entry, notes=(*entry.notes, line)) if wanted and (line := figures(entry.name)) else entry
        for entry, wanted in zip(entries, own, strict=True)
    ]


def _files_moved(entries: Sequence[Entry]) -> list[Entry]:
    """The entries, with one for several filters that went from one file to another."""
    moves: dict[tuple[str | None, str | None], list[Entry]] = {}
    for entry in entries:
        if entry.kind == "file":
            moves.setdefault((entry.before, entry.after), []).append(entry)
    together = {move: found for move, found in moves.items() if len(found) > 1}
    left = [entry for entry in entries if entry.kind != "file" or (entry.before, entry.after) not in together]
    return left + [
        replace(
            found[0],
            kind="file-moved",
            name=str(before),
            part="name",
            place=Place(str(after)),
            notes=(f"{len(found)} filters",),
        )
        for (before, after), found in together.items()
    ]


def _own(entry: Entry) -> bool:
    return entry.kind in ("rows", "filter") and entry.status != "removed" and not entry.causes


class _Comparison:
    """The comparison of two snapshots; the first one uses the names of the second."""

    def __init__(self, before: Snapshot, after: Snapshot, base: str, prover: Prover) -> None:
        self.base = base
        self.prover = prover
        if not before.carries:
            after = _like_manifest(after)
        if before.data["filters"] and any(row["file"] is None for row in before.filters.values()):
            after = replace(
                after,
                data={
                    **after.data,
                    "filters": {name: {**row, "file": None} for name, row in after.filters.items()},
                },
            )
        self.datasets = renamed_datasets(before, after)
        moved = renamed(before, self.datasets, {})
        self.filters = renamed_filters(moved, after, prover)
        self.before, self.after = renamed(moved, {}, self.filters), after

    def entries(self) -> list[Entry]:
        """All entries, with causes and users."""
        result = [item for item in differences(self.before.data, self.after.data) if self.compared(item)]
        plain = _on_engines([self.entry(item) for item in result if not _follows(item)])
        plain = _files_moved(plain)
        compared = {name: list(self.filter(name)) for name in may_differ(self.before, self.after, result)}
        changed = {name: entries[0].cause for name, entries in compared.items() if entries}
        causes = Causes(self.before, self.after, [(item, self.entry(item).cause) for item in result], changed)
        shown: list[Entry] = []
        for name in changed:
            why = causes.of(name) or self.renamed_in(name)
            shown += [replace(entry, causes=why) for entry in compared[name]]
        roles = Permissions(self.before, self.after, self.prover, self.filters).entries()
        everything = [*self.renames(), *roles, *plain, *shown, *self.broken_base()]
        everything = [self.of_dataset(entry, plain) for entry in everything]
        everything = [self.read_by(entry, causes) for entry in everything]
        return self.with_users(_with_filters(everything), compared)

    # --- what can be compared

    def compared(self, item: Difference) -> bool:
        """Whether a difference is real, and not the result of something that could not be read."""
        if item.before is None and (self.before.unread or self.before.broken):
            if item.kind.code == "filter" and item.name in self.before.broken:
                return False
            if self.after.place(item.path).file in self.before.unread:
                return False
        if item.after is None and (self.after.unread or self.after.broken):
            return (
                item.name not in self.after.broken
                and self.before.place(item.path).file not in self.after.unread
            )
        return True

    def broken_base(self) -> Iterator[Entry]:
        """The problems of the base: each file and filter that was left out, with the reason."""
        if not self.before.carries:
            yield Entry("not-compared", self.base, WARNING, notes=(_OLD_MANIFEST,))
        files: dict[str, list[str]] = {}
        for problem in self.before.problems():
            where = problem.where()
            files.setdefault(where.partition(":")[0], []).append(f"{where}: {problem.message}")
        for name, problems in files.items():
            yield Entry(
                "not-compared",
                name or self.base,
                ROWS,
                place=Place(name),
                notes=(f"it has problems in {self.base}", *problems),
            )

    # --- values

    def entry(self, item: Difference) -> Entry:
        """The entry of a difference of data."""
        before, after = value_text(item.kind, item.before), value_text(item.kind, item.after)
        if item.kind.code == "macro":
            before, after = (
                side.macros[item.name].text if item.name in side.macros else None
                for side in (self.before, self.after)
            )
        if item.kind.code == "filter" and item.before is None:
            after = after or ""
        if item.kind.code == "stored-type":
            before, after = before or self.type_of(self.before, item), after or self.type_of(self.after, item)
        level = item.kind.levels[0 if before is None else 1 if after is None else 2]
        notes: tuple[str, ...] = ()
        if (
            item.kind.code in ("coverage", "rows-bound")
            and item.before is not None
            and item.after is not None
        ):
            notes = (loosened(item.parts[0], item.before, item.after),)
            level = NOTE if notes == ("tightened",) else level
        if (
            item.kind.code == "param"
            and item.before is None
            and item.after is not None
            and not item.after["default"]
        ):
            level, notes = WARNING, ("it must be given",)
        if item.kind.code == "list" and before is not None and after is not None:
            notes = moved(*(side.lists.get((item.name, item.parts[0])) for side in (self.before, self.after)))
        return Entry(
            item.kind.code, item.name, level, self.part(item), before, after, self.place(item), notes=notes
        )

    def type_of(self, side: Snapshot, item: Difference) -> str | None:
        """The type of a field whose column has the width of the type."""
        field = side.datasets.get(item.name, {}).get("fields", {}).get(item.parts[0])
        return None if field is None else str(field["type"])

    def part(self, item: Difference) -> str:
        if item.kind.what == item.kind.subject:
            return ""
        shown = item.kind.what.format(*item.parts)
        if "(version" in shown:
            sides = (
                side.filters.get(item.name, {}).get("versions", {}) for side in (self.before, self.after)
            )
            if all(len(versions) <= 1 for versions in sides):
                return shown.partition(" (version")[0]
        return shown

    def place(self, item: Difference) -> Place:
        """The file and line of an entry; only the file of a removed one."""
        if item.after is None:
            return Place(self.before.place(item.path).file)
        return self.after.place(item.path)

    # --- filters

    def filter(self, name: str) -> Iterator[Entry]:
        """The changes of meaning of a filter: of its name, and of each version of both sides."""
        before, after = self.before.filters.get(name), self.after.filters[name]
        if before is None:
            return
        on_unknown = before["on_unknown"], after["on_unknown"]
        latest = str(before["latest"]), str(after["latest"])
        if (
            self.before.check(name, before["latest"]) is None
            or self.after.check(name, after["latest"]) is None
        ):
            yield Entry(
                "not-compared",
                name,
                ROWS,
                place=self.after.place(("filters", name)),
                notes=("it has a problem, or names a filter that has one",),
            )
            return
        changed = [
            entry
            for number in after["versions"]
            if (entry := self.version(name, number, on_unknown)) is not None
        ]
        if (
            latest[0] != latest[1]
            or on_unknown[0] != on_unknown[1]
            or any(entry.part == f"version {latest[1]}" for entry in changed)
        ):
            rows = self.rows(name, latest, on_unknown)
            if rows.changes_rows or name not in self.filters.values():  # of a new name it is said already
                yield rows
        yield from changed

    def rows(self, name: str, latest: tuple[str, str], on_unknown: tuple[str, str]) -> Entry:
        """The change of the name: the former latest version compared with the current one."""
        old, new = self.before.check(name, int(latest[0])), self.after.check(name, int(latest[1]))
        place = self.after.place(("filters", name))
        texts = [
            side.filters[name]["versions"][number]["text"]
            for side, number in zip((self.before, self.after), latest, strict=True)
        ]
        assert old is not None and new is not None  # noqa: S101, PT018  # the caller has looked
        proof = self.prover.proof(old.node, new.node, on_unknown)
        return Entry(
            "rows", name, NOTE if proof.same_rows else ROWS, "rows", texts[0], texts[1], place, proof
        )

    def version(self, name: str, number: str, on_unknown: tuple[str, str]) -> Entry | None:
        """The change of a version that both sides have, if its text or its meaning differs."""
        old, new = (side.filters[name]["versions"].get(number) for side in (self.before, self.after))
        if old is None:
            return None
        checked = self.before.check(name, int(number)), self.after.check(name, int(number))
        place = self.after.place(("filters", name, "versions", number))
        if checked[0] is None or checked[1] is None:
            return Entry(
                "not-compared",
                name,
                ROWS,
                f"version {number}",
                old["text"],
                new["text"],
                place,
                notes=("it has a problem",),
            )
        same = own_meaning(_as_filter(old)) == own_meaning(_as_filter(new)) and canonical_text(
            checked[0].node
        ) == canonical_text(checked[1].node)
        if same:
            return None
        proof = self.prover.proof(checked[0].node, checked[1].node, on_unknown)
        notes = tuple(
            f"{key}: {old[key] or 'nothing'} -> {new[key] or 'nothing'}"
            for key in ("language", "on")
            if old[key] != new[key]
        )
        level = NOTE if proof.same_rows else ROWS
        return Entry(
            "version", name, level, f"version {number}", old["text"], new["text"], place, proof, notes=notes
        )

    # --- renames and causes

    def renames(self) -> Iterator[Entry]:
        for kind, names, path in (
            ("dataset-renamed", self.datasets, "datasets"),
            ("filter-renamed", self.filters, "filters"),
        ):
            for old, new in names.items():
                yield Entry(
                    kind, new, WARNING, "name", old, new, self.after.place((path, new)), notes=self.gone(old)
                )

    def gone(self, old: str) -> tuple[str, ...]:
        """What no longer works after the rename of a filter."""
        dataset, _, name = old.partition(".")
        relation = self.before.datasets.get(self.datasets.get(dataset, dataset), {}).get("relation", {})
        view = f" and its view {dataset}__{name}" if name and "postgres" in relation else ""
        return (f"{old}{view} no longer exist{'' if view else 's'}",)

    def renamed_in(self, name: str) -> tuple[Cause, ...]:
        """The renamed filters that alone account for the new text of a filter."""
        texts = [
            [version["text"] for version in side.filters[name]["versions"].values()]
            for side in (self.before, self.after)
        ]
        result: list[Cause] = []
        for old, new in self.filters.items():
            short = old.partition(".")[2], new.partition(".")[2]
            if any(short[0] in text for text in texts[0]):
                texts[0] = [_with_word(text, *short) for text in texts[0]]
                result.append(Cause("filter-renamed", new, "name"))
        return tuple(result) if texts[0] == texts[1] else ()

    def of_dataset(self, entry: Entry, plain: Iterable[Entry]) -> Entry:
        """A filter that was added or removed with its dataset has the dataset as its cause."""
        if entry.kind != "filter":
            return entry
        dataset = entry.name.partition(".")[0]
        return replace(
            entry,
            causes=tuple(other.cause for other in plain if other.kind == "dataset" and other.name == dataset),
        )

    def read_by(self, entry: Entry, causes: Causes) -> Entry:
        """A relation changes the rows of its filters; a column, or an expression in its place, those of the
        filters that read it.
        """
        if entry.kind in RELATIONS and entry.changes_rows:
            own = (name for name in self.after.filters if name in self.before.filters)
            return replace(entry, under=tuple(name for name in own if name.startswith(f"{entry.name}.")))
        if entry.kind not in COLUMNS:
            return entry
        field = entry.part.removeprefix(f"{entry.kind} of ").rpartition(" on ")[0]
        readers = causes.readers(entry.name, field)
        return (
            replace(entry, under=readers)
            if readers
            else replace(entry, level=NOTE, notes=("no filter reads it",))
        )

    def with_users(self, entries: list[Entry], touched: Collection[str]) -> list[Entry]:
        """The entries of names that changed or were removed, with their users."""
        before = _users(
            self.before,
            [name for name in self.before.filters if name in touched or name not in self.after.filters],
        )
        after = _users(
            self.after,
            [name for name in self.after.filters if name in touched or name not in self.before.filters],
        )
        return [
            replace(entry, users=(before if entry.status == "removed" else after).of(entry.name))
            if entry.kind in _OF_NAMES
            else entry
            for entry in entries
        ]


_OF_NAMES = ("rows", "filter", "filter-renamed")


def _users(side: Snapshot, names: Iterable[str]) -> UsageIndex:
    """The usage index. A filter that is not affected refers to no changed filter."""
    references: dict[str, list[str]] = {}
    for name in names:
        checked = (side.check(name, int(number)) for number in side.filters[name]["versions"])
        references[name] = [
            reference for item in checked if item is not None for reference in item.references
        ]
    return UsageIndex(references, side.datasets)


def _with_filters(entries: Sequence[Entry]) -> list[Entry]:
    """The entries, each with the filters that it changed."""
    under: dict[Cause, dict[str, None]] = {}
    for entry in entries:
        for cause in entry.causes:
            under.setdefault(cause, {})[entry.name] = None
    return [
        replace(entry, under=tuple(under[entry.cause])) if entry.cause in under else entry
        for entry in entries
    ]


def _on_engines(entries: Sequence[Entry]) -> list[Entry]:
    """The entries, with a single one for a relation, column or expression that changed alike on engines."""
    result: dict[object, Entry] = {}
    for entry in entries:
        what, _, engine = entry.part.rpartition(" on ")
        key = (
            (entry.kind, entry.name, what, entry.before, entry.after)
            if entry.kind in ("relation", *COLUMNS)
            else id(entry)
        )
        known = result.get(key)
        result[key] = entry if known is None else replace(known, part=f"{known.part}, {engine}")
    every = " on " + ", ".join(DIALECTS)
    return [replace(entry, part=entry.part.replace(every, " on every engine")) for entry in result.values()]


def _as_filter(version: Data) -> Data:
    """A version as a filter of its own."""
    return {"latest": 1, "on_unknown": "", "versions": {"1": version}}


def _follows(item: Difference) -> bool:
    """Whether another entry says the same: the order of parameters counts as a change only if these are the
    same, and their default only if it is not the same value in another type.
    """
    if item.kind.code == "param-default":
        return value_text(item.kind, item.before) == value_text(item.kind, item.after)
    return item.kind.code == "param-order" and sorted(item.before or ()) != sorted(item.after or ())


def _with_word(text: str, old: str, new: str) -> str:
    import re  # noqa: PLC0415  # only for renamed filters

    return re.sub(rf"\b{re.escape(old)}\b", new, text)


def _like_manifest(after: Snapshot) -> Snapshot:
    """The second snapshot reduced to the data that an old manifest has."""
    data = {
        **after.data,
        "vars": {},
        "attributes": {},
        "macros": {},
        "datasets": {
            name: {key: value for key, value in row.items() if key not in CARRIED}
            for name, row in after.datasets.items()
        },
        "filters": {
            name: {**row, "tests": {}, "coverage": {}, "view": {}} for name, row in after.filters.items()
        },
    }
    return replace(after, data=data)
