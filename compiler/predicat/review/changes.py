"""What changed between two catalogs: filter by filter, with a verdict for each, and who is affected."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from predicat.ir.text import to_text
from predicat.review.compare import Verdict, compare_nodes
from predicat.review.snapshot import FilterState, Snapshot, VersionState


class VersionChange(Struct, frozen=True):
    """A version that was added, removed or changed. `verdict` compares the two texts of a changed one."""

    number: int
    status: str
    before: VersionState | None
    after: VersionState | None
    verdict: Verdict | None

    def text_diff(self) -> list[str]:
        """The lines of the body that differ, as in a unified diff."""
        before = self.before.body.splitlines() if self.before else []
        after = self.after.body.splitlines() if self.after else []
        return [line for line in difflib.unified_diff(before, after, lineterm="", n=2) if not line.startswith(("---", "+++", "@@"))]


class Change(Struct, frozen=True):
    """A filter that is not as it was.

    `status`: "added", "removed", "changed" (its own text did), "affected" (only what it refers to did) or "described" (nothing that
    decides rows did). `verdict` is about the unversioned name: the latest version then against the latest version now.
    `tests` are the figures of its tests, if they were measured.
    """

    name: str
    status: str
    before: FilterState | None
    after: FilterState | None
    verdict: Verdict | None = None
    versions: tuple[VersionChange, ...] = ()
    about: tuple[str, ...] = ()
    affects: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    tests: str = ""

    @property
    def changes_rows(self) -> bool:
        """Whether rows may come or go for who uses the name, as far as is known."""
        if self.status in ("added", "removed"):
            return True
        return self.verdict is not None and not self.verdict.same_rows

    @property
    def state(self) -> FilterState:
        """The filter as it is, or as it was last."""
        found = self.after or self.before
        assert found is not None  # noqa: S101  # one of them is there
        return found


class Changes(Struct, frozen=True):
    """Everything that differs between two catalogs."""

    base: str
    filters: tuple[Change, ...]
    groups: tuple[str, ...]
    subscriptions: tuple[str, ...]
    unchanged: int

    def __bool__(self) -> bool:
        return bool(self.filters or self.groups or self.subscriptions)


def changes(before: Snapshot, after: Snapshot, base: str = "base", timeout: float = 5.0) -> Changes:
    """What changed from one catalog to another. `timeout` is in seconds for each pair of predicates."""
    names = dict.fromkeys((*after.filters, *before.filters))
    found = [_change(name, before, after, timeout) for name in names]
    kept = tuple(change for change in found if change is not None)
    return Changes(
        base,
        kept,
        _mapped("group", before.groups, after.groups),
        _mapped("subscription", before.subscriptions, after.subscriptions),
        len(names) - len(kept),
    )


def with_test_figures(found: Changes, measured: Callable[[str], str]) -> Changes:
    """The changes with the figures of the tests of each filter whose own text changed or is new."""
    filters = tuple(replace(change, tests=measured(change.name)) if change.status in ("added", "changed") else change for change in found.filters)
    return replace(found, filters=filters)


def _mapped(what: str, before: Mapping[str, object], after: Mapping[str, object]) -> tuple[str, ...]:
    lines = []
    for name in dict.fromkeys((*before, *after)):
        if before.get(name) != after.get(name):
            word = "added" if name not in before else "removed" if name not in after else "changed"
            lines.append(f"{what} {name} {word}")
    return tuple(lines)


def _change(name: str, before: Snapshot, after: Snapshot, timeout: float) -> Change | None:
    old, new = before.filters.get(name), after.filters.get(name)
    users = affected(name, after if new else before)
    if old is None or new is None:
        return Change(name, "added" if old is None else "removed", old, new, affects=users)
    versions = tuple(_versions(old, new, timeout))
    about = tuple(_about(old, new))
    if not versions and not about:
        return None
    verdict = None
    rows = versions or old.latest != new.latest or old.on_unknown != new.on_unknown
    if rows:
        known = next((change.verdict for change in versions if change.number == old.latest == new.latest), None)
        verdict = known or compare_nodes(old.current.node, new.current.node, (old.on_unknown, new.on_unknown), timeout)
    texts = any(change.before is None or change.after is None or change.before.body != change.after.body for change in versions)
    status = "changed" if texts or (rows and about) else "affected" if versions else "described"
    return Change(name, status, old, new, verdict, versions, about, users)


def _versions(old: FilterState, new: FilterState, timeout: float) -> Iterable[VersionChange]:
    for number in sorted({*old.versions, *new.versions}):
        before, after = old.versions.get(number), new.versions.get(number)
        if before is None or after is None:
            yield VersionChange(number, "added" if before is None else "removed", before, after, None)
        elif (before.body, before.language, before.params) != (after.body, after.language, after.params) or (
            to_text(before.node) != to_text(after.node)
        ):
            verdict = compare_nodes(before.node, after.node, (old.on_unknown, new.on_unknown), timeout)
            yield VersionChange(number, "changed", before, after, verdict)


def _about(old: FilterState, new: FilterState) -> Iterable[str]:
    if old.latest != new.latest:
        yield f"the latest version is {new.latest}, it was {old.latest}"
    if old.on_unknown != new.on_unknown:
        yield f"on_unknown is {new.on_unknown}, it was {old.on_unknown}"
    for number, version in new.versions.items():
        before = old.versions.get(number)
        if before is not None and before.deprecated != version.deprecated:
            yield f"version {number} is deprecated as of {version.deprecated}" if version.deprecated else f"version {number} is no longer deprecated"
    for key, value in new.about.items():
        if old.about.get(key) != value:
            yield f"{key}: {old.about.get(key)!r} became {value!r}" if key != "description" else "the description is another"


def affected(name: str, snapshot: Snapshot) -> dict[str, tuple[str, ...]]:
    """What uses a filter: filters that refer to it (through others too), groups, subscriptions and views."""
    users: dict[str, None] = {}
    pending = [name]
    while pending:
        wanted = pending.pop()
        for other in snapshot.filters.values():
            refers = any(reference.partition("@")[0] == wanted for version in other.versions.values() for reference in version.references)
            if refers and other.name not in users:
                users[other.name] = None
                pending.append(other.name)
    own = {name, *users}
    found = {
        "filters": tuple(users),
        "groups": tuple(key for key, members in snapshot.groups.items() if own & set(members)),
        "subscriptions": tuple(key for key, (wanted, _) in snapshot.subscriptions.items() if wanted in own),
        "views": tuple(item.replace(".", "__") for item in (name, *users) if "postgres" in snapshot.relations.get(item.partition(".")[0], {})),
    }
    return {key: value for key, value in found.items() if value}
