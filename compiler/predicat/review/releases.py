"""The rules of versions: what was released keeps its meaning; what is deprecated goes on its day, not before."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from predicat.catalog.lock import Lock, Released, entry, subscriptions_of
from predicat.catalog.model import Catalog, Filter, Version
from predicat.diagnostics import Diagnostic
from predicat.diagnostics import messages as msg

if TYPE_CHECKING:
    from predicat.review.compare import Verdict


def verify(catalog: Catalog, lock: Lock, today: date) -> list[Diagnostic]:
    """Every breach of the rules, and a warning for what a rule lets pass but people should know."""
    return [*_versions(catalog, lock, today), *_gone(catalog, lock, today), *_subscriptions(catalog, lock)]


def _versions(catalog: Catalog, lock: Lock, today: date) -> Iterator[Diagnostic]:
    for row in catalog.filters():
        for version in row.versions.values():
            released = lock.versions.get(f"{row.qualified}@{version.number}")
            if released is not None:
                yield from _changed(row, version, released)
            if version.deprecated and date.fromisoformat(version.deprecated) < today:
                yield msg.deprecation_over(version.span, f"{row.qualified}@{version.number}", version.deprecated)


def _changed(row: Filter, version: Version, released: Released) -> Iterator[Diagnostic]:
    now = entry(row, version, released.released)
    if now.hash == released.hash:
        return
    if now.params != released.params:
        yield msg.released_params(version.span, now.name, _params_text(released.params), _params_text(now.params))
        return
    if find_spec("z3") is None:
        yield msg.missing_extra("z3, which would prove that a released filter keeps its meaning,", "review")
        return
    from predicat.review import show  # noqa: PLC0415  # needs z3, and only now

    verdict = proof(released, row, version)
    if verdict.kind.startswith("equivalent") and not verdict.same_rows:
        yield msg.released_exact(version.span, now.name, show.sentence(verdict), _next(row))
    if verdict.kind == "equivalent":
        return
    rows = [f"{what}: {show.witness_text(found)}" for what, found in show.witnesses(verdict)]
    if verdict.kind == "equivalent as a filter":
        yield msg.released_not(version.span, now.name, rows)
    elif verdict.kind in ("undecided", "unsupported") and not rows:
        yield msg.released_unproved(version.span, now.name, show.sentence(verdict), _next(row))
    else:
        yield msg.released_changed(version.span, now.name, released.released, rows, _next(row))


def proof(released: Released, row: Filter, version: Version) -> Verdict:
    """How a version differs from what was released under its name."""
    from predicat.review.compare import compare_nodes  # noqa: PLC0415  # needs z3

    return compare_nodes(released.node(), version.predicate.node, (released.on_unknown, row.on_unknown), timeout=10)


def _next(row: Filter) -> int:
    return max(row.versions) + 1


def _params_text(params: Any) -> str:
    return ", ".join(f"{name} {decl['type']}" + (f" = {decl['default']}" if "default" in decl else "") for name, decl in params.items()) or "none"


def _gone(catalog: Catalog, lock: Lock, today: date) -> Iterator[Diagnostic]:
    for name, released in lock.versions.items():
        base, _, number = name.partition("@")
        row = catalog.known.get(base)
        if row is not None and int(number) in row.versions:
            continue
        if released.deprecated is None or date.fromisoformat(released.deprecated) >= today:
            yield msg.released_gone(name, released.deprecated)


def _subscriptions(catalog: Catalog, lock: Lock) -> Iterator[Diagnostic]:
    now = subscriptions_of(catalog)
    for name, before in lock.subscriptions.items():
        after = now.get(name)
        if after is not None and after["properties"] != before["properties"]:
            yield msg.subscription_changed(name, before["properties"], after["properties"])


def released(catalog: Catalog, lock: Lock, today: date) -> tuple[Lock, list[str]]:
    """The lock with everything of the catalog in it, and the names that are new in it.

    A version that is in it already keeps its date; a refactoring of it (which `verify` has proved) and its deprecation are
    taken over. What the catalog no longer has goes.
    """
    versions: dict[str, Released] = {}
    for row in catalog.filters():
        for version in row.versions.values():
            found = entry(row, version, today.isoformat())
            before = lock.versions.get(found.name)
            versions[found.name] = found if before is None else replace(found, released=before.released)
    new = [name for name in versions if name not in lock.versions]
    return Lock(versions, subscriptions_of(catalog)), new
