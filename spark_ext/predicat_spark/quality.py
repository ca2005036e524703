"""Coverage on Spark: one pass over a relation."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from predicat.backends.sql.shown import of_engine
from predicat.deploy import columns
from predicat.diagnostics import PredicatError, extras
from predicat.diagnostics.messages import coverage as say_coverage
from predicat.diagnostics.messages import deploy as say
from predicat.diagnostics.messages import did_you_mean
from predicat.diagnostics.messages import review as say_review
from predicat.diagnostics.messages.tables import RECORD
from predicat.files import finding
from predicat.files.bad_cells import BadCells
from predicat.files.records import files_of
from predicat.quality.bounds import judge
from predicat.quality.checks import Check
from predicat.quality.engines import SAMPLE_ROWS, measure_what_runs, sample_columns
from predicat.quality.extent import measure_extent
from predicat.quality.fold import ROWS
from predicat.quality.grouping import FEW, TotalsOfParts, few_groups, grouped, totals_of_parts
from predicat.quality.measure import Measure, measure
from predicat.quality.partitions import in_range
from predicat.quality.plan import Plan, part_sql, plan
from predicat.quality.rows import Asked
from predicat.quality.rows_written import MARK, is_file, write_file
from predicat_spark import failures
from predicat_spark.lists import provide
from predicat_spark.pipeline import tables
from predicat_spark.pipeline.source import Reading, kinds_of, read_relation
from predicat_spark.sessions import local_session
from predicat_spark.settings import READING, settings

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from predicat.catalog import Catalog
    from predicat.quality.classes import Classes

_SETTINGS = {
    # what the JVM does not compile is five times slower than no generated code
    "spark.sql.codegen.hugeMethodLimit": "8000",
    "spark.sql.shuffle.partitions": "16",  # groups are few
    "spark.sql.execution.arrow.maxRecordsPerBatch": str(ROWS),
}
# Up to this number of groups the driver counts; with more the executors do.
MOST_GROUPS = FEW


def on_spark(plan: Plan, source: str | DataFrame, sample: float = 1.0, master: str = "local[*]") -> Measure:
    """Measure a plan on a table, a path or a DataFrame. Raises PredicatError with Spark's text if no
    filter can run.
    """
    from pyspark.errors import PySparkException  # noqa: PLC0415  # optional

    hides = plan.dataset.is_sensitive
    with failures.telling(sensitive=hides):
        if isinstance(source, str):
            reading = _opened(plan, source, master)
            frame, bad = reading.frame, _bad(plan, reading, source)
        else:
            frame, bad = source, BadCells()
    counted = _counted(plan, frame)
    part = counted.sample(fraction=sample, seed=0) if sample < 1 else counted

    def run(plan: Plan) -> Measure:
        with failures.telling(sensitive=hides), settings(frame.sparkSession, {**READING, **_SETTINGS}):
            result = measure(
                plan, _count(part, plan), lambda condition: _rows(plan, counted, condition), sample
            )
            measure_extent(result, plan, partial(_aggregates, counted))
            return result

    def probe(condition: str) -> str | None:
        try:
            with settings(frame.sparkSession, READING):
                _ = frame.selectExpr(condition).schema
        except PySparkException as error:
            return of_engine(str(error).strip().splitlines()[0], failures.state(error), sensitive=hides)
        return None

    shown = source if isinstance(source, str) else say.DATA_FRAME
    known = kinds_of(frame, plan.filters, plan.scope)
    columns.check_fields("spark", shown, known, plan.scope, reader=plan.dataset.name)
    wrong = columns.refused("spark", shown, known, plan.filters, places=plan.dataset.places)
    result = measure_what_runs(plan, run, probe, wrong)
    result.bad = bad
    return result


def _counted(plan: Plan, frame: DataFrame) -> DataFrame:
    """The rows to count. The lists that conditions name are provided to the session."""
    _provide(plan, frame)
    return frame if plan.where is None else frame.where(plan.dialect.render(plan.where))


def _opened(plan: Plan, source: str, master: str) -> Reading:
    session = local_session(master, f"predicat quality {plan.dataset.name}")
    return read_relation(session, source, plan.dataset)


def _provide(plan: Plan, frame: DataFrame) -> None:
    """The long lists of the plan's SQL."""
    scope = [plan.where] if plan.where is not None else []
    provide(frame.sparkSession, [*(item.node for item in plan.items), *scope])


def _bad(plan: Plan, reading: Reading, source: str) -> BadCells:
    """The bad cells of the declared fields, with places where the files are on this machine."""
    fields = {decl.column("spark").lower(): decl for decl in plan.dataset.fields.values()}
    names = {cell.column: fields.get(cell.column.lower()) for cell in reading.cells}
    read = [cell for cell in reading.cells if names[cell.column] is not None or cell.column == RECORD]
    if not any(names.values()):
        return BadCells()
    with settings(reading.frame.sparkSession, READING):
        row = reading.frame.selectExpr(*(f"count({cell.sql})" for cell in read)).head() or ()
    counts: dict[str, int] = {}
    for cell, count in zip(read, row, strict=True):
        decl = names[cell.column]
        if count:
            counts[decl.name if decl is not None else RECORD] = count
    if not counts or reading.form is None or not Path(source).exists():
        return BadCells(counts)
    return BadCells(counts, finding.samples(files_of(source), reading.form, fields, counts))


def _aggregates(frame: DataFrame, asked: Sequence[str], keys: Sequence[str]) -> Sequence[Sequence[Any]]:
    from pyspark.sql import functions as F  # noqa: N812, PLC0415  # as below

    return frame.groupBy(*map(F.expr, keys)).agg(*map(F.expr, asked)).collect()


def _count(frame: DataFrame, plan: Plan) -> TotalsOfParts:
    """The counts: grouped by Spark where groups are few, else worked out on the executors in batches."""
    if extras.installed("pyarrow") and not few_groups(
        plan.classes, lambda rows: _fetched(_numbered(frame, plan.classes).limit(rows))
    ):
        return _streamed(frame, plan)
    numbered = _numbered(frame, plan.classes)
    counted = numbered.groupBy(*numbered.columns).count() if plan.classes.keys else numbered.groupBy().count()
    rows = _fetched(counted.limit(MOST_GROUPS + 1))
    if len(rows) > MOST_GROUPS and extras.installed("pyarrow"):  # the sample did not tell
        return _streamed(frame, plan)
    return grouped(plan.program, plan.classes, rows)


def _streamed(frame: DataFrame, plan: Plan) -> TotalsOfParts:
    """Each partition is counted by a Python worker, which needs pyarrow and nothing of predicat: the
    module goes with the work.
    """
    from predicat.quality import fold  # noqa: PLC0415  # as a module: it is sent as it is

    cloudpickle: Any = importlib.import_module("pyspark.cloudpickle")
    cloudpickle.register_pickle_by_value(fold)
    try:
        counted = (
            _numbered(frame, plan.classes, lanes=True)
            .mapInArrow(fold.folder(plan.program), "part bigint, counts array<bigint>")
            .collect()
        )
    finally:
        cloudpickle.unregister_pickle_by_value(fold)
    sums: dict[int, list[int]] = {}
    for row in counted:
        sums[row.part] = fold.add([sums[row.part], row.counts]) if row.part in sums else row.counts
    return totals_of_parts(plan.program, sums)


def _fetched(frame: DataFrame) -> list[tuple[int, ...]]:
    if not extras.installed("pyarrow"):
        return [tuple(row) for row in frame.collect()]
    return list(zip(*(column.to_pylist() for column in frame.toArrow().columns), strict=True))


def _numbered(frame: DataFrame, classes: Classes, *, lanes: bool = False) -> DataFrame:
    """The words of the rows."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415  # Spark's own name for them; needs Java's home first

    words: dict[str, Column] = {}
    for key, (word, bit) in zip(classes.numbers(), classes.key_offsets(lanes=lanes), strict=True):
        once = F.expr(key)
        # Said twice, an expression becomes a method of its own, which the JVM compiles; all in one method
        # would be too long for it.
        number = F.shiftleft(once.bitwiseOR(once), bit)
        name = f"w{word}"
        words[name] = words[name].bitwiseOR(number) if name in words else number
    return frame.select(*(word.alias(name) for name, word in words.items())) if words else frame


def _rows(plan: Plan, frame: DataFrame, condition: str) -> list[Mapping[str, Any]]:
    found = frame.where(condition).selectExpr(*(sample_columns(plan) or ["1 AS one"]))
    return [item.asDict(recursive=True) for item in found.limit(SAMPLE_ROWS).collect()]


def rows_where(
    plan: Plan, frame: DataFrame, condition: str, columns: Sequence[str], most: int | None
) -> list[dict[str, Any]]:
    """Columns of the rows that a plan counts and for which a condition holds, at most `most` of them.

    Raises PredicatError with Spark's text.
    """
    hides = plan.dataset.is_sensitive
    with failures.telling(sensitive=hides), settings(frame.sparkSession, READING):
        found = _counted(plan, frame).where(condition).selectExpr(*columns)
        rows = (found if most is None else found.limit(most)).collect()
    return [item.asDict(recursive=True) for item in rows]


def rows_of(catalog: Catalog, dataset: str, frame: DataFrame, partitions: str) -> DataFrame:
    """The rows of a DataFrame that are in declared partitions: a batch for Great Expectations.

    Args:
        catalog: The catalog.
        dataset: The name of the dataset.
        frame: Its rows.
        partitions: A partition such as `2026-01-05`, or a range such as `2026-01-01..2026-01-31`.

    Raises:
        PredicatError: There is no such dataset, it declares no partitions, or the range has none.
    """
    if dataset not in catalog.datasets:
        raise PredicatError.of(say_review.no_dataset(dataset, did_you_mean(dataset, catalog.datasets)))
    owner = catalog.datasets[dataset]
    if owner.partition is None:
        raise PredicatError.of(say_coverage.no_partition_declared(dataset))
    return frame.where(part_sql(owner, in_range(owner.partition, partitions), "spark"))


def rows_from_spark(asked: Asked, source: str, target: str, master: str = "local[*]") -> int:
    """Write the rows of broken bounds of a table or a path to a file, or to a table of the session's catalog:
    their number. Raises PredicatError.
    """
    plan, hides = asked.plan, asked.plan.dataset.is_sensitive
    with failures.telling(sensitive=hides):
        reading = _opened(plan, source, master)
        session = reading.frame.sparkSession
        _provide(plan, reading.frame)
        columns = {cell.column.lower(): f"({cell.sql}) IS NOT NULL" for cell in reading.cells}
        fields = {decl.column("spark").lower(): name for name, decl in plan.dataset.fields.items()}
        bad = {fields[column]: sql for column, sql in columns.items() if column in fields}
        view = f"predicat_{uuid4().hex}"
        reading.frame.createOrReplaceTempView(view)
    try:
        with settings(session, READING):
            with failures.telling(sensitive=hides):
                frame = session.sql(asked.sql(view, bad))
                if not is_file(target):
                    return tables.replace_own(session, target, frame, MARK)
            return write_file(target, asked, _python_rows(frame, sensitive=hides))
    finally:
        session.catalog.dropTempView(view)


def _python_rows(frame: DataFrame, *, sensitive: bool) -> Iterator[list[Any]]:
    """The rows of a frame, a partition at a time. Moments are in UTC: Spark has them in the zone of this
    machine, without it.
    """
    moments = {place for place, one in enumerate(frame.schema) if one.dataType.typeName() == "timestamp"}
    with failures.telling(sensitive=sensitive):
        for row in frame.toLocalIterator(prefetchPartitions=True):
            yield [
                value.astimezone(UTC) if place in moments and value is not None else value
                for place, value in enumerate(row)
            ]


def check_coverage(
    catalog: Catalog, dataset: str, source: str | DataFrame, filters: Sequence[str] = ()
) -> list[Check]:
    """Check the bounds of a dataset in one pass over its rows: of filters, groups, the number of rows and
    freshness.

    Args:
        catalog: The catalog.
        dataset: The name of the dataset.
        source: A table, a path or a DataFrame.
        filters: Only these filters. Default: all.

    Returns:
        One check per declared bound, with a `status` (`pass`, `warn`, `fail`, `error` or `not_checked`) and a
        `message`. Drift is not checked: there are no earlier results.

    Raises:
        PredicatError: There is no such dataset or filter, or the query fails on Spark (with its message).
    """
    return judge(catalog, on_spark(plan(catalog, dataset, filters, "spark"), source))
