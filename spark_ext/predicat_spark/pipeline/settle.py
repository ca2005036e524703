"""Moves staged rows into their targets (folders, tables, PostgreSQL), and checks beforehand that they fit."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from predicat.catalog.jobs import NAMED, WITH_NAME
from predicat.diagnostics import Diagnostic, PredicatError
from predicat.diagnostics.messages import pipeline as say
from predicat_spark import failures
from predicat_spark.names import quoted
from predicat_spark.pipeline import postgres, tables
from predicat_spark.pipeline.commit import Record, Target, Workplace, foreign, record_path, settle_folder
from predicat_spark.pipeline.files import Files
from predicat_spark.pipeline.routed import sink_frame
from predicat_spark.pipeline.source import Reading

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType


def shown(url: str) -> str:
    """A server as people may see it: never with a password."""
    from predicat.deploy.failures import without_password  # noqa: PLC0415  # needs the driver of PostgreSQL

    return without_password(url)


def check(
    session: SparkSession,
    files: Files,
    targets: Sequence[Target],
    urls: Mapping[str, str],
    reading: Reading,
    *,
    adopt: bool = False,
    at_least_once: bool = False,
) -> None:
    """Raise PredicatError with all that keeps rows from their places, before any is written. `adopt`: files
    that no run has written may be replaced. `at_least_once`: rows may be appended twice after a kill.
    """
    targets = [target for target in targets if target.rows != "waiting"]  # a place of its own
    result: list[Diagnostic | None] = []
    jdbc: list[tuple[Target, str]] = []
    schemas = {rows: _schema(reading, rows) for rows in {target.rows for target in targets}}
    inputs = [f"{files.whole(file)}/" for file in _inputs(reading.frame)]
    for target in targets:
        schema = schemas[target.rows]
        if target.kind == "table":
            result.append(tables.problem(session, target, schema, at_least_once=at_least_once))
        elif target.kind == "jdbc":
            jdbc.append((target, urls[target.url or ""]))
        else:
            result.append(_folder_problem(session, files, target, schema, inputs))
    if not adopt and not any(result):
        result += _of_others(files, [one for one in targets if one.kind == "path" and one.mode != "append"])
    for rows in dict.fromkeys(target.rows for target, _ in jdbc):
        result += postgres.problems([one for one in jdbc if one[0].rows == rows], schemas[rows])
    problems = [item for item in result if item is not None]
    if problems:
        raise PredicatError(problems)


def _schema(reading: Reading, rows: str) -> StructType:
    frame = reading.frame.selectExpr("*", f"'' AS {NAMED}") if rows in WITH_NAME else reading.frame
    return frame.selectExpr(
        *(f"{quoted(column)} AS {quoted(name)}" for column, name in sink_frame(reading, rows))
    ).schema


def _of_others(files: Files, targets: Sequence[Target]) -> Iterator[Diagnostic]:
    """The folders that would be replaced, and have files that no run has written."""
    found = foreign(files, [target.place for target in targets]) if targets else []
    return (say.folder_of_others(one.place, file) for one, file in zip(targets, found, strict=True) if file)


def _folder_problem(
    session: SparkSession, files: Files, target: Target, schema: StructType, inputs: Sequence[str]
) -> Diagnostic | None:
    """The problem of a folder that is also the source, or whose rows have other columns."""
    if any(file.startswith(f"{target.place}/") for file in inputs):
        return say.sink_holds_the_source(target.place)
    if (
        target.mode == "append"
        and files.exists(target.place)
        and any(True for _ in files.below(target.place))
    ):
        before = session.read.format(target.format).options(**target.options).load(target.place).schema
        unnamed = target.format == "csv" and target.options.get("header", "false").lower() != "true"
        if unnamed and len(before) in (0, len(schema)):
            return None
        old, new = ({field.name: field.dataType.simpleString() for field in one} for one in (before, schema))
        typed = target.format in ("parquet", "orc", "avro")
        sparse = target.format in ("json", "xml")  # whose rows leave columns out where they are NULL
        differing = [
            (name, old.get(name), new.get(name))
            for name in {**old, **new}
            if (old.get(name) != new.get(name) and typed and name not in target.partition_by)
            or name not in new
            or (name not in old and not sparse)
        ]
        if differing:
            return say.other_columns(target.place, differing)
    return None


def _inputs(frame: DataFrame) -> Sequence[str]:
    try:
        return frame.inputFiles()[:1000]
    except Exception:  # noqa: BLE001  # a stream, or a source that is no files
        return ()


def is_columnar(frame: DataFrame) -> bool:
    """Whether a frame is read from files whose columns and row groups can be left out."""
    names = _inputs(frame)
    return bool(names) and all(name.endswith((".parquet", ".orc")) for name in names)


def settle(
    session: SparkSession, files: Files, place: Workplace, record: Record, urls: Mapping[str, str]
) -> None:
    """Move the rows of a committed run into their targets. Raises PredicatError, which lists what is done."""
    done = 0
    for step, targets, undone in _steps(session, files, record, urls):
        started = time.monotonic()
        try:
            step()
        except BaseException as error:
            if done == 0 and undone:
                place.withdraw()
                place.clear()
                raise
            left = say.partly_settled(
                done, len(record.targets), record.run, files.whole(record_path(place.state, record.run))
            )
            if not isinstance(error, Exception):
                raise type(error)(left.message) from None
            raise PredicatError([*failures.as_problem(error).diagnostics, left]) from None
        for target in targets:
            target.seconds = (time.monotonic() - started) / len(targets)
        done += len(targets)
    place.clear()


Step = tuple[Callable[[], object], Sequence[Target], bool]


def _steps(session: SparkSession, files: Files, record: Record, urls: Mapping[str, str]) -> list[Step]:
    """The steps that move rows, the riskiest first, with whether one that fails leaves nothing behind."""
    steps: list[Step] = []
    for url in dict.fromkeys(target.url for target in record.targets if target.kind == "jdbc"):
        own = [target for target in record.targets if target.kind == "jdbc" and target.url == url]
        steps.append((_postgres(session, urls[url or ""], own, record.run), own, True))
    steps += [
        (_table(session, target, record.run), [target], False)
        for target in record.targets
        if target.kind == "table"
    ]
    return [
        *steps,
        *((_folder(files, target), [target], False) for target in record.targets if target.kind == "path"),
    ]


def _postgres(session: SparkSession, url: str, targets: Sequence[Target], run: str) -> Callable[[], None]:
    return lambda: postgres.settle_tables(
        session, url, [(target, _staged(session, target)) for target in targets], run
    )


def _table(session: SparkSession, target: Target, run: str) -> Callable[[], object]:
    return lambda: tables.settle_table(session, target, _staged(session, target), run)


def _folder(files: Files, target: Target) -> Callable[[], None]:
    return lambda: settle_folder(files, target)


def _staged(session: SparkSession, target: Target) -> DataFrame:
    return session.read.parquet(target.staged)


def settler(
    session: SparkSession, files: Files, urls: Mapping[str, str], coming: Sequence[Target]
) -> Callable[[Target, str], bool]:
    """What completes a target of a run that was killed, and returns whether its rows are there once. Where it
    fails, a place that this run replaces as a whole needs no completion.
    """
    replaced = {(target.kind, target.place, target.url) for target in coming if target.mode == "overwrite"}

    def complete(target: Target, run: str) -> bool:
        try:
            return _completed(session, files, urls, target, run)
        except Exception:
            if target.kind == "path" or (target.kind, target.place, target.url) not in replaced:
                raise
            return True

    return complete


def _completed(
    session: SparkSession, files: Files, urls: Mapping[str, str], target: Target, run: str
) -> bool:
    if target.kind == "path":
        settle_folder(files, target)
    elif target.kind == "table":
        return tables.settle_table(session, target, _staged(session, target), run)
    else:
        url = urls.get(target.url or "")
        if url is None:
            raise PredicatError.of(say.killed_before(run, target.place, target.url))
        postgres.settle_tables(session, url, [(target, _staged(session, target))], run)
    return True
