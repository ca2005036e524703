"""Filters of a catalog as conditions that say which rows are accepted."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from predicat.api import Predicate
from predicat.diagnostics import NOWHERE, PredicatError
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import catalog as say
from predicat.ir.nodes import Call, Literal, Node
from predicat.ir.types import BOOLEAN
from predicat.passes.accept import accepting
from predicat.passes.simplify import simplify
from predicat.passes.substitute import with_defaults
from predicat.passes.union import union

if TYPE_CHECKING:
    from predicat.catalog.model import Catalog, Filter, Version


def row_filter(filter_: Filter, version: Version) -> Node | None:
    """The predicate at the defaults of its parameters, TRUE for the rows that the filter accepts.

    `on_unknown: accept` is a part of it. None where a parameter has no default.
    """
    if any(param.required for param in version.params.values()):
        return None
    return accepted_rows(with_defaults(version.predicate.node), filter_.on_unknown)


def accepted_rows(node: Node, on_unknown: str) -> Node:
    """A predicate as one that is TRUE for the rows that its filter accepts."""
    if on_unknown == "accept":
        node = Call(BOOLEAN, "coalesce", (node, Literal(BOOLEAN, True)))
    return accepting(simplify(node))


def accepted_by(catalog: Catalog, name: str) -> Predicate:
    """One filter as the predicate of its accepted rows. Raises PredicatError for a parameter without
    default.
    """
    filter_, number = catalog.find(name)
    version = filter_.versions[number]
    node = row_filter(filter_, version)
    if node is None:
        required = next(param.name for param in version.params.values() if param.required)
        raise PredicatError.of(msg.missing_param(NOWHERE, filter_.qualified, required))
    return Predicate(node, version.language)


def union_of(catalog: Catalog, names: Sequence[str]) -> Predicate:
    """The filters of some names as one predicate; see `Catalog.union`."""
    chosen = list(dict.fromkeys(found for name in names for found in _matching(catalog, name)))
    datasets = {catalog.find(name)[0].dataset for name in chosen}
    if len(datasets) != 1:
        raise PredicatError.of(say.union_of_datasets(sorted(datasets)))
    parts = [accepted_by(catalog, name) for name in chosen]
    languages = {part.language for part in parts}
    return Predicate(union(part.node for part in parts), languages.pop() if len(languages) == 1 else "sql")


def _matching(catalog: Catalog, name: str) -> list[str]:
    """The filters of a name, or of a pattern such as `flights.*`."""
    if "*" not in name and "?" not in name:
        filter_, number = catalog.find(name)
        return [f"{filter_.qualified}@{number}"]
    found = [
        f"{known.qualified}@{known.latest}"
        for known in catalog.filters()
        if fnmatchcase(known.qualified, name)
    ]
    if not found:
        raise PredicatError.of(msg.unknown_filter(NOWHERE, name, catalog.known))
    return found
