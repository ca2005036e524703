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

from msgspec import Struct
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
from predicat_spark.settings import READING, settings

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
        found = problems("spark", source, column_types(frame), [row for _, row in rows])
        if found:
            raise PredicatError(found)
        with settings(session, READING):
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
        raise PredicatError.of(
            msg.usage(f"no dataset is named {dataset!r}", msg.did_you_mean(dataset, catalog.datasets))
        )
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
            columns = column_types(read(session, source, dataset))
        except PySparkException as error:
            reporter.add(msg.engine_error("Spark", str(error).strip().splitlines()[0]))
            continue
        reporter.extend(problems("spark", source, columns, dataset.filters.values()))
    reporter.raise_errors()


def column_types(frame: DataFrame) -> dict[str, str]:
    """The types of the columns; a char(n), which Spark shows as a string, by its own name."""
    return {
        field.name: field.metadata.get("__CHAR_VARCHAR_TYPE_STRING") or field.dataType.simpleString()
        for field in frame.schema
    }


def read(session: SparkSession, source: str, dataset: Dataset) -> DataFrame:
    """A table by its name, or a path by its ending."""
    with settings(session, READING):
        return _read(session, source, dataset)


def _read(session: SparkSession, source: str, dataset: Dataset) -> DataFrame:
    path = Path(source)
    suffixes = "".join(path.suffixes[-2:]).lower()
    if ".csv" in suffixes:
        return _declared(session.read.option("header", True).option("nullValue", "NA").csv(source), dataset)
    if ".json" in suffixes or ".jsonl" in suffixes:
        return _declared(session.read.json(source), dataset)
    if path.exists() or ".parquet" in suffixes or "://" in source or "/" in source:
        return _parquet(session, source, dataset)
    return session.table(source)


def _parquet(session: SparkSession, source: str, dataset: Dataset) -> DataFrame:
    """Parquet files; where one file lacks a declared column, the columns of all files by their names."""
    frame = session.read.parquet(source)
    present = {name.lower() for name in frame.columns}
    if all(decl.column("spark").lower() in present for decl in dataset.fields.values()):
        return frame
    return session.read.option("mergeSchema", True).parquet(source)


def _declared(frame: DataFrame, dataset: Dataset) -> DataFrame:
    """The columns of a file without types as the catalog declares them; what does not convert is NULL."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415  # PySpark's own short name; needs Java's home first

    for decl in dataset.fields.values():
        column = decl.column("spark")
        present = next((name for name in frame.columns if name.lower() == column.lower()), None)
        kind = str(decl.type)
        if present is None or frame.schema[present].dataType.simpleString() == kind.replace(
            ", ", ","
        ).replace(": ", ":"):
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
                there = (
                    " AND ".join(f"`{decl.column('spark')}` IS NOT NULL" for decl in fields_of(node).values())
                    or "TRUE"
                )
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
    files.recover([label for label, _ in rows])
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
        old = f".old-{name}-{uuid4().hex}"
        had = self.system.exists(self.path(name)) and self.rename(name, old)
        try:
            self.rename(new, name)
        except PredicatError:
            if had:
                self.rename(old, name)
            raise
        self.delete(old)

    def recover(self, names: Sequence[str]) -> None:
        """Bring back the folders of a run that was killed between two renames."""
        root = self.paths.Path(self.folder)
        found = (
            [str(status.getPath().getName()) for status in self.system.listStatus(root)]
            if self.system.exists(root)
            else []
        )
        for name in names:
            old = [one for one in found if re.fullmatch(rf"\.old-{re.escape(name)}-[0-9a-f]{{32}}", one)]
            if old and name not in found:
                self.rename(old[0], name)

    def rename(self, old: str, new: str) -> bool:
        if not self.system.rename(self.path(old), self.path(new)):
            raise PredicatError.of(
                msg.engine_error("Spark", f"cannot move {self.path(old)} to {self.path(new)}")
            )
        return True

    def delete(self, name: str) -> None:
        self.system.delete(self.path(name), True)


_MARK = re.compile(r"__[0-9a-f]{32}\Z")
"""What the folder of a table has in its name since its rows were replaced."""


class _Staged(Struct, frozen=True):
    """New rows of a table, written beside the old ones: as files, where the table need but point to them, else as a table of its own."""

    name: str
    mark: str
    location: str | None
    """Where the old rows lie, if files can take their place."""

    @property
    def files(self) -> str:
        return f"{_MARK.sub('', self.location or '')}__{self.mark}"

    def steps(self, *, exists: bool) -> list[tuple[str, str]]:
        """Statements that put the new rows in the place of the old ones, and those that undo them."""
        if self.location is not None:
            return [(_moved(self.name, self.files), _moved(self.name, self.location))]
        old, new = f"{self.name}__old_{self.mark}", f"{self.name}__{self.mark}"
        swap = [(_renamed(self.name, old), _renamed(old, self.name))] if exists else []
        return [*swap, (_renamed(new, self.name), _renamed(self.name, new))]


def write_tables(
    session: SparkSession, frame: DataFrame, rows: Sequence[tuple[str, Filter]], prefix: str
) -> None:
    """The accepted rows of each filter as a table, all written beside the old ones first; a failure leaves or brings back those.

    A Parquet table that keeps its columns is pointed to its new files in one step, so that readers find the old rows or the new ones.
    Another one is renamed, and the new one takes its name: between the two there is none, and if a run is killed there, the next one brings
    the old one back first.
    """
    mark = uuid4().hex
    staged: list[_Staged] = []
    undo: list[str] = []
    try:
        with _progress(len(rows)) as advance:
            for label, row in rows:
                name, found = prefix + re.sub(r"\W", "_", label), _accepted(frame, row)
                _recover(session, name)
                staged.append(_Staged(name, mark, _location(session, name, found)))
                if staged[-1].location is None:
                    found.write.saveAsTable(_table_name(f"{name}__{mark}"))
                else:
                    found.write.parquet(staged[-1].files)
                advance(1)
        for item in staged:
            for step, back in item.steps(exists=session.catalog.tableExists(_table_name(item.name))):
                session.sql(step)
                undo.append(back)
    except BaseException:
        for back in reversed(undo):
            session.sql(back)
        for item in staged:
            _discard(session, f"{item.name}__{mark}", item.files if item.location is not None else None)
        raise
    for item in staged:  # not before: until all are swapped, these are what comes back
        _discard(session, f"{item.name}__old_{mark}", item.location)


def _recover(session: SparkSession, name: str) -> None:
    """Bring back the table of a run that was killed between two renames."""
    if session.catalog.tableExists(_table_name(name)):
        return
    table = exp.to_table(name, dialect="spark")
    place = f"IN {_table_name(name.rpartition('.')[0])}" if table.db else ""
    known = session.sql(
        f"SHOW TABLES {place} LIKE {exp.Literal.string(f'{table.name}__old_*').sql(dialect='spark')}"
    ).collect()
    pattern = re.compile(
        rf"{re.escape(table.name)}(__old_[0-9a-f]{{32}})", re.IGNORECASE
    )  # Spark keeps names in small letters
    old = [found[1] for row in known if (found := pattern.fullmatch(row.tableName))]
    if old:
        session.sql(_renamed(name + old[0], name))


def _location(session: SparkSession, name: str, frame: DataFrame) -> str | None:
    """Where the files of a table lie that can be replaced by others: Parquet, in one folder, with the same columns."""
    if not session.catalog.tableExists(_table_name(name)):
        return None
    known = session.sql(f"DESCRIBE TABLE EXTENDED {_table_name(name)}").collect()
    about = {row.col_name: row.data_type for row in known}
    place = str(about.get("Location") or "")
    plain = (
        about.get("Type") == "MANAGED"
        and about.get("Provider") == "parquet"
        and "# Partition Information" not in about
        and "Bucket Columns" not in about
    )
    if not plain or not place or "${" in place:  # Spark would put the value of a variable there
        return None
    columns = [
        [(field.name, field.dataType.simpleString()) for field in schema]
        for schema in (session.table(_table_name(name)).schema, frame.schema)
    ]
    return place.rstrip("/") if columns[0] == columns[1] else None


def _moved(name: str, place: str) -> str:
    return f"ALTER TABLE {_table_name(name)} SET LOCATION {exp.Literal.string(place).sql(dialect='spark')}"


def _renamed(old: str, new: str) -> str:
    return f"ALTER TABLE {_table_name(old)} RENAME TO {_table_name(new)}"


def _discard(session: SparkSession, name: str, place: str | None) -> None:
    """Drop what is in nobody's way any more: a table, or the files of one."""
    if place is None:
        session.sql(f"DROP TABLE IF EXISTS {_table_name(name)}")
    else:
        folder, _, last = place.rpartition("/")
        _Files(session, folder).delete(last)


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
    body = [
        [
            row["name"],
            row["language"],
            *(f"{row[key]:,}" for key in ("accepted", "rejected", "unknown", "guarded")),
        ]
        for row in report["filters"]
    ]
    widths = [max(len(line[column]) for line in [head, *body]) for column in range(len(head))]
    lines = [_line(line, widths) for line in [head, *body]]
    summary = f"{report['rows']:,} rows of {report['dataset']} in {report['seconds']:.1f} s"
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:], summary])


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(
        cell.ljust(width) if index < 2 else cell.rjust(width)
        for index, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ).rstrip()
