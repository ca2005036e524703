"""The pipeline: one pass over a dataset counts every filter; then the accepted rows of each are written."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from sqlglot import exp

from predicat import backends
from predicat.catalog.model import Catalog, Dataset, Filter
from predicat.deploy.columns import problems
from predicat.deploy.views import accepted
from predicat.diagnostics import PredicatError, Reporter
from predicat.diagnostics import messages as msg
from predicat.ir.nodes import fields_of
from predicat.ir.types import DecimalType, Scalar
from predicat_spark.java import ensure_java, quiet_start

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

CHUNK = 25
"""Filters counted in one aggregate: more make Spark's generated method too long for the JIT."""
Report = dict[str, Any]


def local_session(master: str, name: str) -> SparkSession:
    """The active session, or a quiet one of its own."""
    ensure_java()
    from pyspark.sql import SparkSession  # noqa: PLC0415  # needs Java's home first

    session = SparkSession.getActiveSession()
    if session is None:
        with quiet_start():
            session = SparkSession.builder.master(master).appName(name).config(
                "spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false").getOrCreate()  # fmt: skip
            session.sparkContext.setLogLevel("ERROR")
    return session


def run(catalog: Catalog, dataset: str, names: Sequence[str], source: str, out: str | Path | None, master: str = "local[*]",
        tables: str | None = None) -> Report:  # fmt: skip
    """Run filters (or subscriptions) of a dataset on Spark. Raises PredicatError; then earlier output is as it was.

    Accepted rows go to a Parquet folder each below `out` (any Hadoop path), or to a table each whose name begins with
    `tables`. Columns of CSV and JSON files are read as the types that the catalog declares.
    """
    rows = chosen(catalog, dataset, names)
    session = local_session(master, f"predicat {dataset}")
    from pyspark.errors import PySparkException  # noqa: PLC0415  # needs Java's home first

    started = time.monotonic()
    try:
        frame = read(session, source, catalog.datasets[dataset])
        found = problems("spark", source, {field.name: field.dataType.simpleString() for field in frame.schema}, [row for _, row in rows])
        if found:
            raise PredicatError(found)
        counts = count(frame, rows)
        if out is not None:
            write(session, frame, rows, str(out))
        if tables is not None:
            write_tables(session, frame, rows, tables)
    except PySparkException as error:
        raise PredicatError.of(msg.engine_error("Spark", str(error).split("\n", 1)[0])) from None
    return {
        "dataset": dataset, "input": source, "rows": counts.pop("rows"), "seconds": round(time.monotonic() - started, 3),
        "filters": [
            {"name": label, "filter": row.qualified, "version": row.latest, "language": row.current.language,
             "accepted": counts[f"a{index}"], "rejected": counts[f"r{index}"], "unknown": counts[f"u{index}"],
             "guarded": counts[f"g{index}"]}
            for index, (label, row) in enumerate(rows)
        ],
    }  # fmt: skip


def chosen(catalog: Catalog, dataset: str, names: Sequence[str]) -> list[tuple[str, Filter]]:
    """The filters of names, subscriptions included; all filters that need no parameter where none is named."""
    found = catalog.datasets.get(dataset)
    if found is None:
        raise PredicatError.of(msg.usage(f"no dataset is named {dataset!r}", msg.did_you_mean(dataset, catalog.datasets)))
    if not names:
        return [(row.name, row) for row in found.filters.values() if accepted(row, row.current) is not None]
    return [_named(catalog, found, name) for name in names]


def _named(catalog: Catalog, dataset: Dataset, name: str) -> tuple[str, Filter]:
    target = dataset.subscriptions[name]["filter"] if name in dataset.subscriptions else name
    qualified = target if "." in target else f"{dataset.name}.{target}"
    row, version = catalog.find(qualified)
    if version != row.latest:
        raise PredicatError.of(msg.usage(f"{name}: run takes the latest version of a filter"))
    if accepted(row, row.current) is None:
        missing = next(param.name for param in row.current.params.values() if param.required)
        raise PredicatError.of(msg.missing_param(row.span, row.qualified, missing))
    return name, row


def check_relations(catalog: Catalog, inputs: Mapping[str, str], master: str = "local[*]") -> None:
    """Every relation (or the source given for its dataset) has the columns that filters read. Raises PredicatError with all that is missing."""
    session = local_session(master, "predicat check")
    from pyspark.errors import PySparkException  # noqa: PLC0415  # needs Java's home first

    reporter = Reporter()
    for dataset in catalog.datasets.values():
        source = inputs.get(dataset.name, dataset.relation.get("spark"))
        if source is None or not dataset.filters:
            continue
        try:
            columns = {field.name: field.dataType.simpleString() for field in read(session, source, dataset).schema}
        except PySparkException as error:
            reporter.add(msg.engine_error("Spark", str(error).strip().splitlines()[0]))
            continue
        reporter.extend(problems("spark", source, columns, dataset.filters.values()))
    reporter.raise_errors()


def read(session: SparkSession, source: str, dataset: Dataset) -> DataFrame:
    """A table by its name, or a path by its ending."""
    path = Path(source)
    suffixes = "".join(path.suffixes[-2:]).lower()
    if ".csv" in suffixes:
        return _declared(session.read.option("header", True).option("nullValue", "NA").csv(source), dataset)
    if ".json" in suffixes or ".jsonl" in suffixes:
        return _declared(session.read.json(source), dataset)
    if path.exists() or ".parquet" in suffixes or "://" in source or "/" in source:
        return session.read.parquet(source)
    return session.table(source)


def _declared(frame: DataFrame, dataset: Dataset) -> DataFrame:
    """The columns of a file without types as the catalog declares them; what does not convert is NULL."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415  # PySpark's own short name; needs Java's home first

    for decl in dataset.fields.values():
        column = decl.column("spark")
        present = next((name for name in frame.columns if name.lower() == column.lower()), None)
        kind = str(decl.type)
        if present is None or frame.schema[present].dataType.simpleString() == kind.replace(", ", ",").replace(": ", ":"):
            continue
        quoted = frame[f"`{present}`"]
        inner = frame.schema[present].dataType.typeName()
        if kind == "json":
            text = quoted if inner == "string" else F.to_json(quoted)
            frame = frame.withColumn(present, F.try_parse_json(text))
        elif inner in ("struct", "map", "array") or not isinstance(decl.type, Scalar | DecimalType):
            text = quoted if inner == "string" else F.to_json(quoted)
            frame = frame.withColumn(present, F.from_json(text, kind))
        else:
            frame = frame.withColumn(present, quoted.try_cast(kind))
    return frame


def count(frame: DataFrame, rows: Sequence[tuple[str, Filter]]) -> dict[str, int]:
    """Rows read and, for each filter, rows accepted, rejected, UNKNOWN, and UNKNOWN though every field is there.

    The last ones are those where an error was absorbed: a bad number, a division by zero.
    """
    spark = backends.dialect("spark")
    found: dict[str, int] = {}
    with _progress(len(rows)) as advance:
        for start in range(0, max(len(rows), 1), CHUNK):
            columns = ["count(*) AS rows"]
            for index, (_, row) in list(enumerate(rows))[start : start + CHUNK]:
                node = row.current.predicate.node
                default = accepted(row, row.current)
                assert default is not None  # noqa: S101  # chosen() made sure
                predicate = f"({spark.render(default)})"
                raw = f"({spark.render(accepted(row, row.current, exact=True) or node)})"
                there = " AND ".join(f"`{decl.column('spark')}` IS NOT NULL" for decl in fields_of(node).values()) or "TRUE"
                columns += [
                    f"count_if({predicate}) AS a{index}",
                    f"count_if(NOT {raw}) AS r{index}",
                    f"count_if({raw} IS NULL) AS u{index}",
                    f"count_if({raw} IS NULL AND {there}) AS g{index}",
                ]
            found.update(frame.selectExpr(*columns).first().asDict())  # type: ignore[union-attr]  # one row
            advance(min(CHUNK, len(rows) - start))
    return found


def write(session: SparkSession, frame: DataFrame, rows: Sequence[tuple[str, Filter]], out: str) -> None:
    """The accepted rows of each filter as Parquet, beside their places first: a failure leaves the old ones."""
    files = _Files(session, out)
    beside = f".writing-{uuid4().hex}"
    try:
        with _progress(len(rows)) as advance:
            for label, row in rows:
                _accepted(frame, row).write.parquet(f"{out}/{beside}/{label}")
                advance(1)
        for label, _ in rows:
            files.swap(f"{beside}/{label}", label)
    finally:
        files.delete(beside)


def _accepted(frame: DataFrame, row: Filter) -> DataFrame:
    node = accepted(row, row.current)
    assert node is not None  # noqa: S101  # chosen() made sure
    return frame.where(backends.dialect("spark").render(node))


class _Files:
    """A folder on any file system that Hadoop knows."""

    def __init__(self, session: SparkSession, folder: str) -> None:
        jvm: Any = session.sparkContext._jvm  # noqa: SLF001  # the way to Hadoop's file systems
        java: Any = session.sparkContext._jsc  # noqa: SLF001  # as above
        self.folder = folder
        self.paths: Any = jvm.org.apache.hadoop.fs
        self.system: Any = jvm.org.apache.hadoop.fs.Path(folder).getFileSystem(java.hadoopConfiguration())

    def path(self, name: str) -> Any:
        return self.paths.Path(self.folder, name)

    def swap(self, new: str, name: str) -> None:
        """Put a folder in the place of an older one, which comes back if that fails."""
        old = f".old-{uuid4().hex}"
        had = self.system.exists(self.path(name)) and self.rename(name, old)
        try:
            self.rename(new, name)
        except PredicatError:
            if had:
                self.rename(old, name)
            raise
        self.delete(old)

    def rename(self, old: str, new: str) -> bool:
        if not self.system.rename(self.path(old), self.path(new)):
            raise PredicatError.of(msg.engine_error("Spark", f"cannot move {self.path(old)} to {self.path(new)}"))
        return True

    def delete(self, name: str) -> None:
        self.system.delete(self.path(name), True)


def write_tables(session: SparkSession, frame: DataFrame, rows: Sequence[tuple[str, Filter]], prefix: str) -> None:
    """The accepted rows of each filter as a table, all written under other names first; a failure leaves or brings back the old ones."""
    mark = uuid4().hex
    names: list[str] = []

    def rename(old: str, new: str) -> None:
        session.sql(f"ALTER TABLE {_table_name(old)} RENAME TO {_table_name(new)}")

    undo: list[tuple[str, str]] = []
    try:
        with _progress(len(rows)) as advance:
            for label, row in rows:
                names.append(prefix + re.sub(r"\W", "_", label))
                _accepted(frame, row).write.saveAsTable(_table_name(f"{names[-1]}__{mark}"))
                advance(1)
        for name in names:
            swap = [(name, f"{name}__old_{mark}")] if session.catalog.tableExists(_table_name(name)) else []
            for old, new in (*swap, (f"{name}__{mark}", name)):
                rename(old, new)
                undo.append((new, old))
    except BaseException:
        for new, old in reversed(undo):
            rename(new, old)
        raise
    else:  # not before: until all are swapped, these are what comes back
        for name in names:
            session.sql(f"DROP TABLE IF EXISTS {_table_name(f'{name}__old_{mark}')}")
    finally:
        for name in names:
            session.sql(f"DROP TABLE IF EXISTS {_table_name(f'{name}__{mark}')}")


def _table_name(name: str) -> str:
    """A possibly qualified name, each part in quotes."""
    return exp.to_table(name, dialect="spark").sql(dialect="spark", identify=True)


def _progress(total: int) -> Any:
    """A bar on a terminal, nothing in a pipe; its value is called with the steps done."""
    if not sys.stderr.isatty() or total == 0:
        return nullcontext(lambda _steps: None)
    from contextlib import contextmanager  # noqa: PLC0415  # only on a terminal

    from rich.console import Console  # noqa: PLC0415  # as above
    from rich.progress import Progress  # noqa: PLC0415  # as above

    @contextmanager
    def bar() -> Any:
        with Progress(console=Console(stderr=True), transient=True) as progress:
            task = progress.add_task("filters", total=total)
            yield lambda steps: progress.advance(task, steps)

    return bar()


def table(report: Report) -> str:
    """The report as a table of plain text."""
    head = ["filter", "language", "accepted", "rejected", "UNKNOWN", "guarded"]
    body = [[row["name"], row["language"], *(f"{row[key]:,}" for key in ("accepted", "rejected", "unknown", "guarded"))] for row in report["filters"]]
    widths = [max(len(line[column]) for line in [head, *body]) for column in range(len(head))]
    lines = [_line(line, widths) for line in [head, *body]]
    summary = f"{report['rows']:,} rows of {report['dataset']} in {report['seconds']:.1f} s"
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:], summary])


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) if index < 2 else cell.rjust(width) for index, (cell, width) in enumerate(zip(cells, widths, strict=True))).rstrip()
