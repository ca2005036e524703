"""The models of a dbt project that use a filter, what is built on them, and the dashboards behind them, by
dbt's `target/manifest.json`.
"""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import review as say
from predicat.diagnostics.reading import text_of
from predicat.review.entries import Entry, Review

# The macros of the exported package that name a filter.
_CALL = re.compile(r"\b(?:matches_filter|where_filter|filter_predicate)\(\s*['\"]([\w.@]+)['\"]")


def with_dbt(review: Review, manifest: Path) -> Review:
    """The review with the models and exposures behind each filter, whose owners must look, too. Raises
    PredicatError for a file that is no manifest of dbt.
    """
    try:
        found = json.loads(text_of(manifest))
        project = _Project(found["nodes"], found["exposures"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise PredicatError.of(say.no_dbt_manifest(manifest, error)) from None
    return replace(review, entries=tuple(project.entry(entry) for entry in review.entries))


class _Project:
    """A dbt project: its nodes and exposures by their ids."""

    def __init__(self, nodes: Mapping[str, Any], exposures: Mapping[str, Any]) -> None:
        self.nodes, self.exposures = nodes, exposures
        self.using: dict[str, list[str]] = {}
        self.children: dict[str, list[str]] = {}
        for key, node in {**nodes, **exposures}.items():
            for name in _CALL.findall(node.get("raw_code") or ""):
                self.using.setdefault(name.partition("@")[0], []).append(key)
            for parent in node.get("depends_on", {}).get("nodes", ()):
                self.children.setdefault(parent, []).append(key)

    def entry(self, entry: Entry) -> Entry:
        """The entry of a filter with what dbt builds on it, or on filters that it changes."""
        if entry.subject != "filter":
            return entry
        keys = self.behind([entry.name, *entry.users.get("filters", ())])
        models = tuple(sorted(self.nodes[key]["name"] for key in keys if key in self.nodes))
        shown = [self.exposures[key] for key in keys if key in self.exposures]
        users = {
            "dbt models": models,
            "exposures": tuple(sorted(one.get("label") or one["name"] for one in shown)),
        }
        owners = [_owner(one.get("owner") or {}) for one in shown]
        return replace(
            entry,
            users={**entry.users, **{kind: names for kind, names in users.items() if names}},
            owners=tuple(dict.fromkeys([*entry.owners, *filter(None, sorted(owners))])),
        )

    def behind(self, names: Iterable[str]) -> list[str]:
        """The ids of what uses some filters, and of what is built on that; tests are left out."""
        pending = [key for name in names for key in self.using.get(name, ())]
        reached: dict[str, None] = {}
        while pending:
            key = pending.pop()
            if key not in reached and not key.startswith(("test.", "unit_test.")):
                reached[key] = None
                pending += self.children.get(key, ())
        return list(reached)


def _owner(owner: Mapping[str, Any]) -> str:
    email = owner.get("email")
    return str((email[0] if isinstance(email, list) and email else email) or owner.get("name") or "")
