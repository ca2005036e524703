"""The pass of a run: one reading of the source for all sinks, or one for each."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from predicat.backends.sql.expressions import columns_of
from predicat.catalog.jobs import NAMED, PER_FILTER
from predicat.deploy.chosen import Chosen
from predicat.ir.types import TIMESTAMP
from predicat_spark import failures
from predicat_spark.pipeline import entries as put_off
from predicat_spark.pipeline import settle
from predicat_spark.pipeline.commit import Record, Target
from predicat_spark.pipeline.progress import Metrics, bar
from predicat_spark.pipeline.routed import Counts, Output, WrittenFile, routed, timed
from predicat_spark.pipeline.source import Reading
from predicat_spark.pipeline.work import Work

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# How many times the columns that filters read a source has, where a few sinks may be cheaper with a
# reading for each.
_WIDE = 10
_COLUMNS = 50
_FEW = 3
# At most this share of the rows went to each sink in the run before.
_SHARE = 0.02


class Passes:
    """Reads the source of a job, evaluates its filters, and stages the rows of each sink."""

    def __init__(self, work: Work) -> None:
        self.work, self.job, self.rows, self.entries = work, work.job, work.rows, work.entries
        self.session, self.files = work.session, work.files

    def stage(
        self, reading: Reading, targets: Sequence[Target], run: str, metrics: Metrics, *, many: bool = False
    ) -> tuple[Counts, list[list[WrittenFile]]]:
        """Count and write; a transient failure is retried."""
        outputs = [self._output(target) for target in targets]
        with metrics, bar(metrics, self.job.name or self.job.dataset):
            for attempt in range(self.work.options.retries + 1):
                try:
                    return (
                        self._readings(reading, outputs, run)
                        if many
                        else self._reading(reading, outputs, targets, run)
                    )
                except Exception as error:  # noqa: BLE001  # Spark's errors have no common base that Java's errors share
                    if attempt == self.work.options.retries or not failures.is_transient(error):
                        raise failures.as_problem(error, sensitive=self.work.dataset.is_sensitive) from None
                    time.sleep(2**attempt)
        raise AssertionError

    def _reading(
        self, reading: Reading, outputs: Sequence[Output], targets: Sequence[Target], run: str
    ) -> tuple[Counts, list[list[WrittenFile]]]:
        """One reading of the source for all; rows that wait for an entry filter are offered to it again."""
        matching = self.job.matching
        reading = timed(reading, self._time())
        if not self.entries and not any(target.rows in put_off.ROWS for target in targets):
            return routed(
                self.session, reading, self.rows, outputs, run, apart=self._apart, matching=matching
            )
        errors = self.work.raised.accumulator()
        labels = [chosen.name for chosen in self.rows]
        first = self.entries.first(reading, apart=self._apart, errors=errors)
        rows = self.entries.rows(matching=matching)
        counts, written = routed(
            self.session, first, rows, outputs, run, apart=self._apart, matching=matching, labels=labels
        )
        if reading.empty:
            written = [[] for _ in outputs]  # no file without rows
        waiting, counts.retried = self._waiting(targets)
        if waiting is not None:
            removed = sorted(name for name in counts.retried if not self.entries.named(name))
            again = self.entries.again(reading, waiting, removed, errors=errors)
            rows = self.entries.rows(matching=matching, again=True)
            places = [
                place for place, output in enumerate(outputs) if output.rows not in ("unmatched", "bad")
            ]
            offered = [outputs[place] for place in places]
            labels += removed
            more, files = routed(
                self.session, again, rows, offered, run, apart=False, matching=matching, labels=labels
            )
            counts.add(more)
            for place, result in zip(places, files, strict=True):
                written[place] += [file for file in result if file.rows]
        return counts, written

    def _waiting(self, targets: Sequence[Target]) -> tuple[DataFrame | None, dict[str, int]]:
        """The rows that wait, and how many wait for each filter, of those too that the job no longer has."""
        place = next((target.place for target in targets if target.rows == "waiting"), None)
        if place is None or not any(name.endswith(".parquet") for name in self.files.names(place)):
            return None, {}
        frame = self.session.read.parquet(place)
        numbers = {row[NAMED]: row["count"] for row in frame.groupBy(NAMED).count().collect()}
        return (frame if numbers else None), numbers

    def _readings(
        self, reading: Reading, outputs: Sequence[Output], run: str
    ) -> tuple[Counts, list[list[WrittenFile]]]:
        """A reading for the counts, and one for each sink, whose condition Spark pushes down."""
        told = timed(reading, self._time())
        counts, _ = routed(self.session, told, self.rows, [], run, apart=self._apart)
        written: list[list[WrittenFile]] = []
        for output in outputs:
            rows, part, sink = self.rows, reading, output
            if output.filter is not None:
                rows = [self.rows[output.filter]]
                sink = replace(output, filter=0)
                part = replace(reading, frame=reading.frame.where(_CONDITIONS[output.rows](rows[0])))
            written += routed(self.session, part, rows, [sink], run, apart=self._apart)[1]
        return counts, written

    def reads_for_each(self, reading: Reading, targets: Sequence[Target], before: Record | None) -> bool:
        """Whether each sink gets a reading of its own: as asked, or where few sinks took few rows of a wide
        columnar source in the run before.

        Then its condition is pushed down, and of most rows only the columns are read that filters read.
        """
        if self.job.passes != "auto":
            return self.job.passes == "many"
        if self.entries:
            return False
        if (
            before is None
            or len(targets) > _FEW
            or reading.cells
            or any(target.rows not in PER_FILTER for target in targets)
        ):
            return False
        read = {
            column
            for chosen in self.rows
            for decl in chosen.filter.versions[chosen.number].predicate.fields.values()
            for column in columns_of(decl, "spark")
        }
        wide = len(reading.columns) >= max(_COLUMNS, _WIDE * len(read))
        return (
            wide
            and all(target.count <= _SHARE * before.rows for target in before.targets)
            and settle.is_columnar(reading.frame)
        )

    @property
    def _apart(self) -> bool:
        return self.job.bad_records == "quarantine"

    def _output(self, target: Target) -> Output:
        place = next((index for index, chosen in enumerate(self.rows) if chosen.name == target.filter), None)
        kind = target.format if target.kind == "path" else "parquet"
        options = target.options if target.kind == "path" else {}
        return Output(
            target.rows,
            place,
            target.staged,
            kind,
            options,
            target.partition_by if target.kind == "path" else (),
        )

    def _time(self) -> str | None:
        """The column of the time of a row: that of the job's range, if it is a timestamp."""
        decl = self.work.catalog.datasets[self.job.dataset].fields.get(self.job.range or "")
        return decl.column("spark") if decl is not None and decl.type == TIMESTAMP else None


_CONDITIONS: dict[str, Callable[[Chosen], str]] = {
    "accepted": lambda row: f"({row.sql}) IS NOT FALSE" if row.accepts_unknown else row.sql,
    "rejected": lambda row: f"NOT ({row.sql})",
    "unknown": lambda row: f"({row.sql}) IS NULL",
}
