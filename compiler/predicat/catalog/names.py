"""What the name of a filter means inside a dataset: `late`, `flights.late`, `late@2`."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from predicat.catalog.model import WrittenDataset, WrittenFilter
from predicat.catalog.versions import version_number


class Names(Struct, frozen=True):
    """The names of the filters of some datasets, which may still be added to."""

    datasets: Mapping[str, WrittenDataset]

    def all(self, dataset: str) -> list[str]:
        """The names that filters have inside a dataset: short ones of its own, qualified ones of others."""
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
        """The definition that a name means inside a dataset, and the version that it asks for."""
        base, _, version = name.partition("@")
        owner, _, short = base.rpartition(".")
        definitions = self.datasets.get(owner or dataset)
        row = definitions.filters.get(short) if definitions else None
        if row is None:
            return None
        return row, (version_number(version) or -1) if version else None
