"""What a run of coverage measured, and how it was judged."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from predicat.catalog.model import Dataset
from predicat.diagnostics import Diagnostic
from predicat.quality.bounds import Check
from predicat.quality.history import Entry
from predicat.quality.measure import Measure


class About(Struct, frozen=True):
    """A run as a whole: when (an ISO 8601 text), the catalog's name and its revision in git ("" where
    there is none).
    """

    at: str
    catalog: str = ""
    revision: str = ""


class Run(Struct, frozen=True):
    """What was measured of a dataset and judged. `errors` has the engine's messages where measuring failed;
    `history` is by filter.

    `definition` is the dataset as the catalog has it, for owners and bounds.
    """

    dataset: str
    measure: Measure | None
    checks: Sequence[Check]
    errors: Sequence[Diagnostic] = ()
    history: dict[str, list[Entry]] | None = None
    definition: Dataset | None = None
    about: About | None = None

    @property
    def failures(self) -> list[str]:
        """What an engine could not do: the whole dataset, or single filters and groups of it."""
        own = self.measure.errors if self.measure is not None else {}
        return [
            *(item.message for item in self.errors),
            *(f"{name}: {reason}" for name, reason in own.items()),
        ]

    @property
    def status(self) -> str:
        """The worst of its checks: "pass", "warn" or "fail"; "fail" too where an engine failed."""
        statuses = {check.status for check in self.checks}
        return "fail" if self.failures or "fail" in statuses else "warn" if "warn" in statuses else "pass"

    @property
    def code(self) -> int:
        """0 fine, 1 a bound is broken, 3 an engine failed."""
        if self.failures:
            return 3
        return 1 if any(check.status == "fail" for check in self.checks) else 0
