"""The rules of versions: a released version keeps its meaning, and a deprecated one may be removed on its
date, not before.

The lock file of the base, which is merged, decides. The lock file of the branch counts for versions that the
base has not released.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import date
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from predicat.catalog.lock import LockFile
from predicat.catalog.model import Catalog
from predicat.catalog.released import EMPTY, Lock, Released, entries, subscriptions_of
from predicat.diagnostics import NOWHERE, Diagnostic, PredicatError, Severity, Span, extras, messages
from predicat.diagnostics.messages import references
from predicat.diagnostics.messages import releases as msg
from predicat.ir.nodes import FieldDecl
from predicat.proof.inputs import with_widths

if TYPE_CHECKING:
    from predicat.proof.compare import Verdict

# The part of a lock file that is judged.
Select = Callable[[Lock], Lock]


class Release(Struct, frozen=True):
    """The result of a release: the lock, and the names that are new, removed, and newly deprecated."""

    lock: Lock
    new: tuple[str, ...]
    gone: tuple[str, ...]
    deprecated: tuple[str, ...]


class Rules:
    """The rules for a catalog, its lock file (None if there is none) and that of the base (None if there is
    nothing to compare with).

    `path` is the path of the lock file; `select` may exclude versions from the checks.
    """

    def __init__(
        self,
        catalog: Catalog,
        file: LockFile | None,
        today: date,
        *,
        base: LockFile | None = None,
        path: str = "",
        select: Select | None = None,
    ) -> None:
        self.catalog, self.today, self.path = catalog, today, path
        self.exists = file is not None
        self.file, self.base = file or LockFile(), base
        merged = base.lock if base is not None else EMPTY
        self.lock, self.merged = (select(lock) if select else lock for lock in (self.file.lock, merged))
        self.entries = entries(catalog, today.isoformat())
        self.proof = cache(self._proof)

    # --- what is looked at

    def reference(self, name: str) -> Released | None:
        """The released version of a name: from the base or, if it is not merged, from the lock file."""
        return self.merged.versions.get(name) or self.lock.versions.get(name)

    def span(self, name: str) -> Span:
        """The line of a name in the lock file, or in that of the base."""
        return self.file.places.get(name) or (self.base or self.file).places.get(name) or NOWHERE

    def origin(self, name: str) -> str:
        """`file:line` of the released version of a name."""
        file = self.base if self.base is not None and name in self.merged.versions else self.file
        return file.place(name)

    def released_here(self, name: str) -> str:
        """`file:line` of a version that only this branch has released; empty for others, or if that is not
        known.
        """
        return self.file.place(name) if self.base is not None and name not in self.merged.versions else ""

    def next(self, name: str) -> int:
        """The next unused version number of a filter."""
        return 1 + self._highest.get(name, 0)

    @cached_property
    def _highest(self) -> dict[str, int]:
        """The highest version number that each filter has or ever had."""
        numbers: dict[str, int] = {}
        names = (*self.merged.versions, *self.lock.versions, *self.entries)
        for base, _, number in (name.partition("@") for name in names):
            numbers[base] = max(int(number), numbers.get(base, 0))
        return numbers

    def _proof(self, name: str, what: str) -> Verdict:
        """How a released version differs from the version of the catalog (`what` is "catalog") or of the lock
        file.
        """
        reference = self.reference(name)
        if reference is None:
            raise KeyError(name)
        now = self.entries[name][2] if what == "catalog" else self.lock.versions[name]
        return _compare(reference, now, self._fields(name))

    def _fields(self, name: str) -> Mapping[str, FieldDecl]:
        """The fields that a version may read, as they are declared today: its line has no widths."""
        dataset = self.catalog.datasets.get(name.partition("@")[0].rpartition(".")[0])
        return {} if dataset is None else dataset.fields

    def keeps_meaning(self, name: str, what: str) -> bool:
        """Whether the catalog ("catalog") or the lock file ("lock") provably has the released meaning of a
        name.
        """
        reference = self.reference(name)
        now = self.entries[name][2] if what == "catalog" else self.lock.versions[name]
        if reference is None or now.hash == reference.hash:
            return True
        if now.params != reference.params or not extras.installed("z3"):
            return False
        verdict = self.proof(name, what)
        return verdict.kind == "equivalent" and verdict.same_rows

    # --- the rules

    def problems(self) -> list[Diagnostic]:
        """Every violation of the rules, and warnings for allowed changes that people should know of."""
        return [*self._file(), *self._versions(), *self._latest(), *self._subscriptions()]

    def _file(self) -> Iterator[Diagnostic]:
        if self.file.conflict is not None:
            yield msg.lock_conflict(self.file.conflict)
        yield from self.file.problems
        yield from self.disputed().values()
        if self.base is not None and not self.exists and self.merged.versions:
            yield msg.lock_file_gone(
                self.path, next(iter(self.base.places.values())).source.name, list(self.merged.versions)
            )
        if self.exists and not self.file.tidy and not self.file.problems and self.file.conflict is None:
            yield msg.lock_untidy(self.path)

    def disputed(self) -> dict[str, Diagnostic]:
        """The names that have two lines with different meanings."""
        return {
            row.name: msg.lock_rivals(span, row.name, self.file.place(row.name), self.next(row.filter))
            for row, span in self.file.rivals
            if not self._agree(row)
        }

    def _agree(self, rival: Released) -> bool:
        """Whether two lines of one name provably mean the same, although the predicates differ."""
        other = self.file.lock.versions.get(rival.name)
        if other is None or other.params != rival.params or not extras.installed("z3"):
            return False
        verdict = _compare(other, rival, self._fields(rival.name))
        return verdict.kind == "equivalent" and verdict.same_rows

    def _versions(self) -> Iterator[Diagnostic]:
        for name, (_, version, _) in self.entries.items():
            if version.deprecated and date.fromisoformat(version.deprecated) < self.today:
                yield references.deprecation_over(version.span, name, version.deprecated)
        for name in {**self.entries, **self.merged.versions, **self.lock.versions}:
            reference = self.reference(name)
            if reference is None:
                continue
            if name in self.entries:
                yield from self._changed(name, reference)
            elif reference.removed is None:
                yield from self._gone(name, reference)
            yield from self._line(name)

    def _changed(self, name: str, released: Released) -> Iterator[Diagnostic]:
        row, version, now = self.entries[name]
        if now.hash == released.hash:
            return
        span, place, hint = version.span, self.origin(name), self._advice(name)
        if now.params != released.params:
            before, after = _params_text(released.params), _params_text(now.params)
            yield msg.released_params(span, name, place, before, after, hint)
            return
        if not extras.installed("z3"):
            yield messages.missing_extra(msg.PROVER, "review")
            return
        from predicat.explain import show  # noqa: PLC0415  # needs z3, and only now

        verdict = self.proof(name, "catalog")
        if verdict.kind.startswith("equivalent") and not verdict.same_rows:
            yield msg.released_exact(span, name, show.sentence(verdict), self.next(row.qualified))
        if verdict.kind == "equivalent":
            return
        rows = [f"{what}: {show.witness_text(witness, what)}" for what, witness in show.witnesses(verdict)]
        if verdict.kind == "equivalent as a filter":
            yield msg.released_not(span, name, rows)
        elif verdict.kind in ("undecided", "unsupported") and not rows:
            yield msg.released_unproved(span, name, place, show.sentence(verdict), hint)
        else:
            yield msg.released_changed(span, name, released.released, place, rows, hint)

    def _advice(self, name: str) -> str:
        """The hint for a version that no longer has its released meaning."""
        row, version, _ = self.entries[name]
        for other in version.references:
            if (
                other in self.entries
                and self.reference(other) is not None
                and not self.keeps_meaning(other, "catalog")
            ):
                return f"{other}, which it refers to, has changed: fix that first"
        advice = f"write the new meaning as version {self.next(row.qualified)}"
        for other in version.references:
            filter_name, _, number = other.partition("@")
            older = [before for before in self.catalog.known[filter_name].versions if before < int(number)]
            if self.reference(other) is None and older:
                advice = f"refer to {filter_name}@{max(older)} instead of {other}, or {advice}"
        if alone := self.released_here(name):
            return f"{advice}; only this branch has released it: you may also remove its line, {alone}"
        return advice

    def removable(self, released: Released) -> bool:
        """Whether a version may be removed: its released deprecation date is past."""
        return released.deprecated is not None and date.fromisoformat(released.deprecated) < self.today

    def _gone(self, name: str, released: Released) -> Iterator[Diagnostic]:
        if self.released_here(name):
            yield msg.released_nowhere(self.span(name), name)
        elif not self.removable(released):
            yield msg.released_gone(self.span(name), name, released.deprecated, self._renamed(released))

    def _renamed(self, released: Released) -> str | None:
        """The name of an unreleased filter of the dataset with the meaning of a released one."""
        for name, (row, version, now) in self.entries.items():
            if (
                now.hash == released.hash
                and self.reference(name) is None
                and row.dataset == released.filter.partition(".")[0]
            ):
                return row.name if version.number == row.latest else f"{row.name}@{version.number}"
        return None

    def _line(self, name: str) -> Iterator[Diagnostic]:
        """The line of a version and that of the base."""
        before, now = self.merged.versions.get(name), self.lock.versions.get(name)
        if before is None or name in self.file.broken or not self.exists:
            return
        if any(row.name == name for row, _ in self.file.rivals):
            return
        place = self.origin(name)
        if now is None:
            span = self.entries[name][1].span if name in self.entries else self.span(name)
            yield msg.lock_line_gone(span, name, before.released, place, self.path)
            return
        span, catalog = self.span(name), self.entries.get(name)
        # A line that is as the catalog has it is held against the base with the catalog.
        if (catalog is None or now.hash != catalog[2].hash) and not self.keeps_meaning(name, "lock"):
            yield msg.lock_line_changed(span, name, place)
        deprecations = (
            before.deprecated,
            catalog[1].deprecated if catalog is not None else before.deprecated,
        )
        goes = before.removed is None and catalog is None and self.removable(before)
        comes_back = now.removed is None and catalog is not None
        dates = (
            ("release date", before.released, now.released, False),
            ("deprecation date", before.deprecated, now.deprecated, now.deprecated in deprecations),
            ("day of removal", before.removed, now.removed, goes or comes_back),
        )
        for what, old, new, allowed in dates:
            if new != old and not allowed:
                yield msg.lock_date_changed(span, name, what, old or "none", new or "none", place)

    def _latest(self) -> Iterator[Diagnostic]:
        """The name of a filter without a version never goes back to an older one."""
        merged, own = self.merged.meant(), self.lock.meant()
        for filter_ in self.catalog.filters():
            before = max(merged.get(filter_.qualified, 0), own.get(filter_.qualified, 0))
            if filter_.latest < before and before in filter_.versions:
                number = self.next(filter_.qualified)
                yield msg.latest_lowered(filter_.span, filter_.qualified, filter_.latest, before, number)

    def _subscriptions(self) -> Iterator[Diagnostic]:
        now = subscriptions_of(self.catalog)
        for name, before in {**self.lock.subscriptions, **self.merged.subscriptions}.items():
            key = f"subscription {name}"
            if name in now and now[name]["properties"] != before["properties"]:
                yield msg.subscription_changed(
                    self.span(key), name, before["properties"], now[name]["properties"]
                )
            elif (
                name in now
                and name in self.merged.subscriptions
                and self.exists
                and key not in self.file.broken
            ):
                kept = self.lock.subscriptions.get(name)
                if kept is None or kept["properties"] != before["properties"]:
                    yield msg.lock_subscription(
                        self.span(key), name, self.base.place(key) if self.base is not None else "", self.path
                    )

    # --- what is written

    def release(self) -> Release:
        """The lock with all versions of the catalog.

        A released version keeps its date, and its predicate unless the new one is proved to be equivalent;
        its deprecation is updated. A version that the catalog no longer has is kept, with the day of its
        removal.
        """
        day = self.today.isoformat()
        before = {**self.lock.versions, **self.merged.versions}
        versions: dict[str, Released] = {}
        for name, (_, _, now) in self.entries.items():
            released = before.get(name)
            if released is None:
                versions[name] = now
            else:
                kept = now if self.keeps_meaning(name, "catalog") else released
                versions[name] = replace(
                    kept, released=released.released, deprecated=now.deprecated, removed=None
                )
        recorded = {**self.merged.versions, **self.lock.versions}
        gone = {
            name: old
            for name, old in recorded.items()
            if name not in versions and not self.released_here(name)
        }
        versions |= {name: old if old.removed else replace(old, removed=day) for name, old in gone.items()}
        highest = Lock(versions, {}).highest()
        latest = {
            filter_.qualified: filter_.latest
            for filter_ in self.catalog.filters()
            if filter_.latest < highest[filter_.qualified]
        }
        return Release(
            Lock(versions, subscriptions_of(self.catalog), latest),
            new=tuple(name for name in self.entries if name not in recorded),
            gone=tuple(name for name, old in gone.items() if old.removed is None),
            deprecated=tuple(
                name
                for name, old in recorded.items()
                if name in versions and versions[name].deprecated not in (None, old.deprecated)
            ),
        )

    def repair(self) -> tuple[Lock, list[str]]:
        """The lock file with the base's line in place of each line that is lost, altered or not trusted.
        Nothing new is added.

        Also returns the repairs by line. Raises PredicatError if it cannot be known which line is right.
        """
        unknown = [*self.file.problems] if self.base is None else []
        unknown += [item for name, item in self.disputed().items() if name not in self.merged.versions]
        if unknown:
            raise PredicatError(unknown)
        versions, done = dict(self.lock.versions), list[str]()
        rivals = {row.name for row, _ in self.file.rivals}
        for name, before in self.merged.versions.items():
            if name not in versions or any(item.severity is Severity.ERROR for item in self._line(name)):
                versions[name] = before
                done.append(f"- {name}: restored from {self.origin(name)}")
            elif name in rivals and versions[name].hash != before.hash:
                versions[name] = before
                done.append(f"- {name}: of two meanings the one in {self.origin(name)}")
        for name in list(versions):
            if name not in self.entries and self.released_here(name):
                del versions[name]
                done.append(f"- {name}: removed, neither the catalog nor the base has it")
        done += [
            f"- {key}: removed, it is not in the base; predicat release records it again"
            for key in sorted(self.file.broken)
            if key and key not in versions and not key.startswith(("subscription ", "latest "))
        ]
        now = subscriptions_of(self.catalog)
        merged = {
            name: row
            for name, row in self.merged.subscriptions.items()
            if name in now or name in self.lock.subscriptions
        }
        pinned = {**(self.merged.latest or {}), **(self.lock.latest or {})}
        latest = {
            row.qualified: row.latest
            for row in self.catalog.filters()
            if pinned.get(row.qualified) == row.latest
        }
        return Lock(versions, {**self.lock.subscriptions, **merged}, latest), done


def _compare(before: Released, after: Released, fields: Mapping[str, FieldDecl]) -> Verdict:
    from predicat.proof.compare import Verdict  # noqa: PLC0415  # needs z3
    from predicat.proof.retyped import compare_retyped  # noqa: PLC0415  # needs z3

    try:
        nodes = with_widths(before.node(), fields), with_widths(after.node(), fields)
    except (ValueError, TypeError, LookupError):
        return Verdict(
            "unsupported", notes=("this version of predicat cannot read its line in the lock file",)
        )
    return compare_retyped(*nodes, (before.on_unknown, after.on_unknown), effort=10)


def _params_text(params: Mapping[str, Any]) -> str:
    shown = (
        f"{name} {decl['type']}" + (f" = {decl['default']}" if "default" in decl else "")
        for name, decl in params.items()
    )
    return ", ".join(shown) or "none"
