"""Resolves the names of filters inside a dataset: `late`, `flights.late`, `late@2`."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from predicat.catalog.model import WrittenDataset, WrittenFilter
from predicat.catalog.versions import version_number


class Names(Struct, frozen=True):
    """The names of the filters of datasets. Filters may be added later."""

    datasets: Mapping[str, WrittenDataset]

    def all(self, dataset: str) -> list[str]:
        """The names that can be used inside a dataset: short for its own filters, full for other filters."""
        own = self.datasets[dataset].filters
        return [
            *own,
            *(f"{name}.{filter_}" for name, other in self.datasets.items() for filter_ in other.filters),
        ]

    def declares(self, dataset: str, name: str) -> bool:
        """Whether a filter of this name is in a file, where it may have problems."""
        owner, _, short = name.partition("@")[0].rpartition(".")
        definitions = self.datasets.get(owner or dataset)
        return definitions is not None and f"filter {short}" in definitions.places

    def lookup(self, dataset: str, name: str) -> tuple[WrittenFilter, int | None] | None:
        """The filter that a name refers to inside a dataset, and the version in the name; None if unknown."""
        base, _, version = name.partition("@")
        owner, _, short = base.rpartition(".")
        definitions = self.datasets.get(owner or dataset)
        row = definitions.filters.get(short) if definitions else None
        if row is None:
            return None
        return row, (version_number(version) or -1) if version else None
