"""What a run of coverage measured, and how it was judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from predicat.catalog.model import Dataset
from predicat.diagnostics import Diagnostic
from predicat.quality.checks import OF_ROWS, Check, outcome, worst
from predicat.quality.history import Entry
from predicat.quality.incidents import Incident, Origin, incidents
from predicat.quality.measure import Measure
from predicat.quality.partitions import Part


class About(Struct, frozen=True):
    """A run as a whole: when (an ISO 8601 text), the catalog's name, its revision in git ("" where there is
    none), and the options with which another command measures the same, each with a space before it.
    """

    at: str
    catalog: str = ""
    revision: str = ""
    options: str = ""


class Run(Struct, frozen=True):
    """What was measured of a dataset and judged. `errors` has the engine's messages where measuring failed;
    `history` is by filter.

    `definition` is the dataset as the catalog has it, for owners; `origins` are the places of the filters
    whose bounds do not hold.
    """

    dataset: str
    measure: Measure | None
    checks: Sequence[Check]
    errors: Sequence[Diagnostic] = ()
    history: dict[str, list[Entry]] | None = None
    definition: Dataset | None = None
    about: About | None = None
    origins: Mapping[str, Origin] = {}
    part: Part | None = None
    late: str = ""
    """What changed in the partition since it was measured before."""

    @property
    def title(self) -> str:
        """The dataset, with the partition."""
        return f"{self.dataset} {self.part.name}" if self.part is not None else self.dataset

    def owner(self, name: str) -> str:
        """The owner of a filter (qualified name); "" if it has none, and for other names."""
        filters = self.definition.filters.values() if self.definition is not None else ()
        return next((row.owner or "" for row in filters if row.qualified == name), "")

    @property
    def incidents(self) -> list[Incident]:
        """The incidents in the history with this run, those that go on first."""
        own: dict[str, list[str]] = {}
        kept = self.measure.filters if self.measure is not None else {}
        for check in self.checks:
            if check.kind in OF_ROWS or check.name in kept:
                own.setdefault(check.name, []).append(check.status)
        at = self.about.at if self.about is not None else ""
        at = at if self.part is None else self.part.start.isoformat()
        now = {name: [{"status": outcome(statuses), "at": at}] for name, statuses in own.items()}
        past = {
            name: [{**item, "at": item.get("start") or item["at"]} for item in items]
            for name, items in (self.history or {}).items()
        }
        return incidents({name: [*past.get(name, ()), *now.get(name, ())] for name in {**past, **now}})

    @property
    def failures(self) -> list[str]:
        """What an engine could not do and no check shows: filters without bounds, a dataset without any."""
        own = self.measure.errors if self.measure is not None else {}
        bounded = {check.name for check in self.checks}
        return [
            *(item.message for item in self.errors if not self.checks),
            *(f"{name}: {reason}" for name, reason in own.items() if name not in bounded),
        ]

    @property
    def status(self) -> str:
        """The worst of its checks, one of STATUSES; `error` too where an engine failed."""
        return "error" if self.failures else worst([check.status for check in self.checks])

    @property
    def nothing_judged(self) -> bool:
        """Whether bounds are declared and not one of them could be judged, or will be after more runs."""
        return bool(self.checks) and all(
            check.status == "not_checked" and not check.waits for check in self.checks
        )

    @property
    def code(self) -> int:
        """0 if all is well, 1 if a bound is broken or no bound was judged, 3 if an engine failed."""
        if self.status == "error":
            return 3
        return 1 if self.status == "fail" or self.nothing_judged else 0
