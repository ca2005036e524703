"""Tables as sinks: their definition, partitions, properties, comment and place stay; rows that do not fit
are refused before any is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import dropwhile
from typing import TYPE_CHECKING
from uuid import uuid4

from sqlglot import exp

from predicat.diagnostics import Diagnostic, PredicatError
from predicat.diagnostics.messages import coverage as say_coverage
from predicat.diagnostics.messages import deploy as say
from predicat.diagnostics.messages import pipeline as pipeline_say
from predicat_spark.names import quoted, quoted_table
from predicat_spark.pipeline.commit import Target
from predicat_spark.settings import settings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

_DYNAMIC = {"spark.sql.sources.partitionOverwriteMode": "dynamic"}
_STATIC = {"spark.sql.sources.partitionOverwriteMode": "static"}


def exists(session: SparkSession, name: str) -> bool:
    """Whether the session's catalog has a table of this name."""
    return bool(session.catalog.tableExists(quoted_table(name)))


def problem(
    session: SparkSession, target: Target, schema: StructType, *, at_least_once: bool
) -> Diagnostic | None:
    """What keeps rows of a schema from going into a table: a view of its name, columns that only one of
    the two has, types that do not fit, an append that may be repeated.
    """
    if not exists(session, target.place):
        return _repeated(session, target, at_least_once=at_least_once)
    if session.catalog.getTable(quoted_table(target.place)).tableType in ("VIEW", "TEMPORARY"):
        return pipeline_say.sink_is_a_view(target.place)
    known = {field.name.lower(): field for field in session.table(quoted_table(target.place)).schema}
    given = {field.name.lower(): field for field in schema}
    missing = [field.name for name, field in given.items() if name not in known]
    left_over = [field.name for name, field in known.items() if name not in given]
    types = [
        f"{field.name} is {known[name].dataType.simpleString()} there, but "
        f"{field.dataType.simpleString()} in the rows"
        for name, field in given.items()
        if name in known and not _fits(field.dataType.simpleString(), known[name].dataType.simpleString())
    ]
    if not (missing or left_over or types):
        return _repeated(session, target, at_least_once=at_least_once)
    return say.rows_do_not_fit(target.place, missing, left_over, types)


def _repeated(session: SparkSession, target: Target, *, at_least_once: bool) -> Diagnostic | None:
    if target.mode != "append" or at_least_once or (kind := provider(session, target)) in _ONCE:
        return None
    return pipeline_say.append_may_repeat(target.place, kind)


def provider(session: SparkSession, target: Target) -> str:
    """The format of a table, or that with which it will be created; "" if its catalog does not tell."""
    if not exists(session, target.place):
        return target.format.lower()
    rows = session.sql(f"DESCRIBE TABLE EXTENDED {quoted_table(target.place)}").collect()
    about = dropwhile(lambda row: row.col_name != "# Detailed Table Information", rows)
    return next((row.data_type.lower() for row in about if row.col_name == "Provider"), "")


_WIDER = {
    "tinyint": ("smallint", "int", "bigint", "float", "double"),
    "smallint": ("int", "bigint", "float", "double"),
    "int": ("bigint", "double"),
    "bigint": (),
    "float": ("double",),
    "date": ("timestamp",),
}


def _fits(given: str, known: str) -> bool:
    return (
        given == known
        or known in _WIDER.get(given, ())
        or _decimal_fits(_DECIMAL.fullmatch(given), _DECIMAL.fullmatch(known))
    )


_DECIMAL = re.compile(r"decimal\((\d+),(-?\d+)\)")


def _decimal_fits(given: re.Match[str] | None, known: re.Match[str] | None) -> bool:
    """Whether no digit is lost, before or after the point."""
    if given is None or known is None:
        return False
    (digits, scale), (most, most_scale) = ((int(one[1]), int(one[2])) for one in (given, known))
    return scale <= most_scale and digits - scale <= most - most_scale


def create(session: SparkSession, target: Target, schema: StructType) -> None:
    """Create an empty table if it does not exist."""
    columns = ", ".join(f"{quoted(field.name)} {field.dataType.simpleString()}" for field in schema)
    parts = ", ".join(map(quoted, target.partition_by))
    options = ", ".join(f"{_text(key)} {_text(value)}" for key, value in target.options.items())
    session.sql(
        (
            f"CREATE TABLE IF NOT EXISTS {quoted_table(target.place)} ({columns}) USING "
            f"{exp.to_identifier(target.format).sql(dialect='spark')}"
        )
        + (f" OPTIONS ({options})" if options else "")
        + (f" PARTITIONED BY ({parts})" if parts else "")
    )


def settle_table(session: SparkSession, target: Target, frame: DataFrame, run: str) -> bool:
    """Put staged rows into a table: all rows anew, the partitions that they touch, or beside those that
    are there. Returns whether it may be repeated: rows that the run has put there are not added again.
    """
    if not exists(session, target.place):
        create(session, target, frame.schema)
    once = _ONCE.get(provider(session, target)) if target.mode == "append" else None
    if once is not None:
        options = once(session, target, run)
        if options is not None:
            frame.writeTo(quoted_table(target.place)).options(**options).append()
        return True
    columns = ", ".join(map(quoted, session.table(quoted_table(target.place)).columns))
    view = f"predicat_staged_{uuid4().hex}"
    frame.createOrReplaceTempView(view)
    verb = "INSERT INTO" if target.mode == "append" else "INSERT OVERWRITE"
    try:
        with settings(session, _DYNAMIC if target.mode == "overwrite_partitions" else _STATIC):
            session.sql(f"{verb} {quoted_table(target.place)} SELECT {columns} FROM {view}")
    finally:
        session.catalog.dropTempView(view)
    return target.mode != "append"


def _of_delta(_session: SparkSession, target: Target, run: str) -> dict[str, str] | None:
    """Delta keeps the last version of each application, and leaves out a write that is no newer."""
    batch = _BATCH.fullmatch(run)
    stream, number = batch.groups() if batch is not None else (run, "0")
    return {
        "txnAppId": f"predicat/{stream}/{target.rows}/{target.filter or ''}",
        "txnVersion": str(int(number)),
    }


def _of_iceberg(session: SparkSession, target: Target, run: str) -> dict[str, str] | None:
    """Iceberg keeps properties of a write in its snapshot; None if there is one of this run."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415  # its usual name; needs Java's home first

    table, value = quoted_table(target.place), f"{run}/{target.rows}/{target.filter or ''}"
    session.catalog.refreshTable(table)  # another process may have written what this session has not seen
    written = session.table(f"{table}.snapshots").where(F.col("summary")[_PROPERTY] == value)
    return None if written.head() is not None else {f"snapshot-property.{_PROPERTY}": value}


_PROPERTY = "predicat.run"
# The name of a batch: its stream, and a number that grows.
_BATCH = re.compile(r"([0-9a-f]{8}-[0-9a-f]{4})-(\d{6,})")
# The providers whose tables know which run has appended to them, and the options that tell them.
_ONCE: dict[str, Callable[[SparkSession, Target, str], dict[str, str] | None]] = {
    "delta": _of_delta,
    "iceberg": _of_iceberg,
}


def replace_own(session: SparkSession, name: str, frame: DataFrame, mark: str) -> int:
    """Replace the rows of a table that has a mark as its comment, or create it: the number of rows. A table
    with other columns is created anew. Raises PredicatError for a table without the mark.
    """
    table = quoted_table(name)
    if exists(session, name):
        if session.catalog.getTable(table).description != mark:
            raise PredicatError.of(say_coverage.not_our_table(name))
        if [(one.name, one.dataType) for one in session.table(table).schema] == [
            (one.name, one.dataType) for one in frame.schema
        ]:
            frame.write.insertInto(table, overwrite=True)
            return session.table(table).count()
        session.sql(f"DROP TABLE {table}")
    view = f"predicat_rows_{uuid4().hex}"
    frame.createOrReplaceTempView(view)
    try:
        session.sql(f"CREATE TABLE {table} COMMENT {_text(mark)} AS SELECT * FROM {view}")
    finally:
        session.catalog.dropTempView(view)
    return session.table(table).count()


def _text(value: str) -> str:
    return exp.Literal.string(value).sql(dialect="spark")
