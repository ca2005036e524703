"""What Spark, its files and its JVM report, as one sentence each."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from msgspec.structs import replace

from predicat.backends.sql.shown import of_engine
from predicat.diagnostics import Diagnostic, PredicatError
from predicat.diagnostics import messages as msg

_FILE = r"(?P<file>(?:file:|s3a?:|hdfs:|gs:|abfss?:)?/+[^\s,'\"\])]+)"
_KNOWN: tuple[tuple[str, str, str | None], ...] = (
    (
        r"No space left on device|DiskOutOfSpace|Disk quota exceeded",
        "the disk is full",
        "free some space, then run it again",
    ),
    (
        rf"(?s)(?:is not a Parquet file|Could not read footer|CANNOT_READ_FILE_FOOTER).*?{_FILE}",
        "{file} is not a Parquet file, or it is damaged",
        "repair or remove the file",
    ),
    (
        rf"(?s){_FILE} is not a Parquet file",
        "{file} is not a Parquet file, or it is damaged",
        "repair or remove the file",
    ),
    (
        rf"(?s)(?:Malformed ORC file|Not an ORC file).*?{_FILE}",
        "{file} is not an ORC file, or it is damaged",
        "repair or remove the file",
    ),
    (
        rf"(?s)(?:Number of column in CSV header|CSV header does not conform).*?CSV file: {_FILE}",
        "the header of {file} has other columns than those that are given",
        "give all columns of the file, in its order",
    ),
    (
        r"Failed to find data source: avro",
        "this Spark has no module for Avro files",
        "add the jar spark-avro of this version of Spark to its jars",
    ),
    (
        rf"(?s)(?:FAILED_READ_FILE|Encountered error while reading file).*?{_FILE}",
        "the file {file} cannot be read",
        "repair or remove the file",
    ),
    (
        r"JAVA_GATEWAY_EXITED|\[Errno 111\]|Answer from Java side is empty|Error while (?:sending|receiving)",
        "the Java process of Spark has ended",
        "see what it wrote last, and whether the machine had memory for it",
    ),
    (
        rf"(?s)Read-only file system.*?{_FILE}",
        "the file system of the folder {folder} is read-only",
        "name another folder",
    ),
    (
        rf"(?s)(?:Permission denied|AccessControlException|Mkdirs failed to create).*?{_FILE}",
        "there is no right to write in the folder {folder}",
        "give the user of this program that right, or name another folder",
    ),
    (
        rf"{_FILE} \(Permission denied\)",
        "there is no right to read {file}, or to write it",
        "give the user of this program that right",
    ),
    (
        r"Permission denied|AccessControlException",
        "a file cannot be read or written: permission denied",
        None,
    ),
    (r"Read-only file system", "the file system is read-only", None),
    (rf"(?s)PATH_NOT_FOUND.*?{_FILE}", "there is no file or folder {file}", None),
    (
        r"OutOfMemoryError|Container killed by YARN|exceeding memory limits",
        "an executor ran out of memory",
        "give it more: --conf spark.executor.memory=4g, or spark.driver.memory with a local master",
    ),
    (
        r"ExecutorLostFailure|Lost executor|ExecutorLost|executor .{1,60} exited",
        "Spark lost executors repeatedly",
        "see the log of the executor",
    ),
    (
        r"MALFORMED_RECORD_IN_PARSING|FAILFAST",
        "a record cannot be read, which the mode FAILFAST of the source does not allow",
        "remove the mode FAILFAST, and set bad_records in the job",
    ),
    (
        r"SparkContext was (?:stopped|shut down)|Cannot call methods on a stopped SparkContext",
        "the Spark session was stopped",
        None,
    ),
    (
        r"Another instance of Derby may have already booted the database (?P<file>\S+)",
        "another Spark session has opened the metastore {file}",
        "end it first: a local metastore takes one session at a time",
    ),
    (
        r"the format (?P<format>\w+) cannot hold the column '(?P<column>[^']*)' of type (?P<kind>[^\n]+)",
        "the format {format} cannot hold the column '{column}' of type {kind}",
        "write format: parquet or format: json in the sink",
    ),
    (r"cancelled|Job aborted due to user", "the job was cancelled", None),
)
# How many causes of an error are read, at most.
_MAX_CAUSES = 20
# Failures after which the same run may succeed.
_TRANSIENT = re.compile(
    r"ExecutorLost|Lost executor|FetchFailed|Connection (?:reset|refused)|SocketTimeout|timed "
    r"out|SlowDown|ServiceUnavailable|status code: 50[0-9]|Broken pipe"
)


def whole_text(error: BaseException) -> str:
    """All that an error says, with the causes of Java's."""
    texts = [str(error)]
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, OSError) and seen.strerror:
            texts.append(f"{seen.strerror} {seen.filename or ''}")
        java = getattr(seen, "java_exception", None) or getattr(seen, "_origin", None)
        texts += _causes(java)
        seen = seen.__cause__
    return "\n".join(texts)


def _causes(error: Any) -> list[str]:
    causes: list[str] = []
    try:
        while error is not None and len(causes) < _MAX_CAUSES:
            causes.append(str(error.toString()))
            error = error.getCause()
    except Exception:  # noqa: BLE001  # the JVM may be gone
        return causes
    return causes


def is_transient(error: BaseException) -> bool:
    """Whether the same run may succeed a little later."""
    return _TRANSIENT.search(whole_text(error)) is not None


def as_problem(error: BaseException, *, sensitive: bool = False) -> PredicatError:
    """An error of Spark or of Java as one sentence, without values if the data is `sensitive`."""
    if isinstance(error, PredicatError):
        return error
    return PredicatError.of(diagnostic(error, sensitive=sensitive))


def hinted(error: Exception, left: str, *, sensitive: bool = False) -> PredicatError:
    """The sentences of an error, the last with a hint about what it leaves behind."""
    *others, last = as_problem(error, sensitive=sensitive).diagnostics
    return PredicatError([*others, replace(last, hint=f"{last.hint}; {left}" if last.hint else left)])


@contextmanager
def telling(*, sensitive: bool = False) -> Iterator[None]:
    """Turns errors of Spark and its JVM inside the block into PredicatErrors of one sentence."""
    try:
        yield
    except Exception as error:  # noqa: BLE001  # whatever it is, no traceback reaches a user
        raise as_problem(error, sensitive=sensitive) from None


def diagnostic(error: BaseException, *, sensitive: bool = False) -> Diagnostic:
    """The sentence of an error: a known one, or the first line of its deepest cause."""
    text = whole_text(error)
    for pattern, sentence, hint in _KNOWN:
        match = re.search(pattern, text)
        if match is not None:
            parts = {key: value.rstrip(".:;") for key, value in match.groupdict().items()}
            parts["folder"] = _folder(parts.get("file", ""))
            return msg.engine_error("Spark", sentence.format(**parts), hint)
    return msg.engine_error("Spark", of_engine(_first_line(error), state(error), sensitive=sensitive))


def state(error: BaseException) -> str | None:
    """The SQLSTATE of an error of Spark; None if it has none."""
    asked = getattr(error, "getSqlState", None)
    found = asked() if asked is not None else None
    return str(found) if found else None


def _folder(file: str) -> str:
    """The folder in which a file, or a folder above it, was to be made: the nearest that is there."""
    folder = file.rpartition("/")[0]
    if "://" not in folder:
        local = folder.removeprefix("file:")
        while local and not os.access(local, os.F_OK):
            local = local.rpartition("/")[0]
        return local or "/"
    return folder


def _first_line(error: BaseException) -> str:
    """The message of Spark's own errors; of others that of the deepest cause."""
    java = _causes(getattr(error, "java_exception", None))
    text = (java[-1] if java else str(error) or type(error).__name__).strip().splitlines()[0]
    return re.sub(r"^[\w.$]*(?:Exception|Error): ", "", text)
