"""Jobs: what `predicat run JOB` reads, which filters it evaluates, and where the rows go."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, field, to_builtins

from predicat.catalog.keys import DESCRIPTION, TEXT, TEXTS, Keys, Schema, about, mapping
from predicat.catalog.yaml_nodes import YamlNode
from predicat.diagnostics import NOWHERE, Diagnostic, Reporter, Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import Reason
from predicat.diagnostics.messages import jobs as say

MODES = ("overwrite", "append", "overwrite_partitions")
BAD_RECORDS = ("permissive", "quarantine", "fail")
PASSES = ("auto", "one", "many")
# Which rows a sink takes: of each filter those that it accepts, rejects or is UNKNOWN for; those that no
# filter accepts; those with a bad cell; each row once for every filter that accepts it, with its name; those
# that an entry filter has put off until their tries were used up, with its name.
ROWS = ("accepted", "rejected", "unknown", "unmatched", "bad", "matched", "dead_letter")
# The column of the name of the filter in rows of a sink for all filters.
NAMED = "filter"
# The rows that have it.
WITH_NAME = ("matched", "dead_letter")
# How often a row that an entry filter puts off is offered in all, by default.
TRIES = 10
MOST_TRIES = 1_000_000
# What `filters:` takes in place of a list: all filters that need no parameter, or all subscriptions.
_EVERY = ("all", "subscriptions")
PER_FILTER = ("accepted", "rejected", "unknown")
# Formats whose columns are read as the catalog declares them.
UNTYPED = ("csv", "json", "xml")
# Options that a source of a format has by default.
FORMAT_OPTIONS = {"csv": {"header": "true", "escape": '"', "multiLine": "true", "enforceSchema": "false"}}

_OPTIONS: Schema = {
    "type": "object",
    "additionalProperties": {"type": ["string", "number", "boolean"]},
    "description": "Options of Spark's format.",
}
SOURCE: Keys = {
    "table": TEXT,
    "path": TEXTS,
    "format": about("string", "parquet, orc, csv, json, jdbc or any other format of Spark."),
    "options": _OPTIONS,
    "schema": about("string", "The columns in Spark DDL, for files without a schema."),
}
_JOB_FILTER: Keys = {"filter": TEXT, "name": TEXT, "params": {"type": "object"}}
_SINK: Keys = {
    "path": TEXT,
    "table": TEXT,
    "jdbc": about("string", "The DSN of PostgreSQL: postgresql://..."),
    "format": TEXT,
    "options": _OPTIONS,
    "partition_by": TEXTS,
    "rows": {"enum": list(ROWS)},
    "filters": TEXTS,
}
JOB: Keys = {
    "description": DESCRIPTION,
    "owner": TEXT,
    "source": {
        "anyOf": [TEXT, mapping(SOURCE)],
        "description": "The name of a table, or where rows come from.",
    },
    "filters": {
        "anyOf": [
            {"enum": list(_EVERY)},
            {"type": "array", "items": {"anyOf": [TEXT, mapping(_JOB_FILTER, "filter")]}},
        ]
    },
    "sinks": {"type": "array", "items": mapping(_SINK)},
    "mode": {"enum": list(MODES)},
    "bad_records": {"enum": list(BAD_RECORDS)},
    "passes": {"enum": list(PASSES)},
    "checkpoint": about(
        "string", "The folder where Spark stores what the job has read. The job then reads only new rows."
    ),
    "range": about("string", "The field of --from and --to."),
    "state": about("string", "The folder of the records of runs. Default: next to the sinks."),
    "tries": {
        "type": "integer",
        "minimum": 1,
        "maximum": MOST_TRIES,
        "description": "How often an entry filter gets a row that it reschedules. Default: 10.",
    },
}
_PLACEHOLDER = "{filter}"
_PASSWORD = re.compile(r"://[^/@]*:[^/@]+@|password=", re.IGNORECASE)
_BRACES = re.compile(r"\{[^{}]*\}")


class Source(Struct, frozen=True):
    """Where the rows of a job come from: a table, files, or a format of Spark that needs only options.

    Attributes:
        table: The name of a table.
        paths: Paths of files and folders, instead of a table.
        format: The format of the files. Default: by their names.
        options: Options of Spark for the format.
        schema: The columns of the files in Spark DDL, if the files have no schema.
    """

    table: str | None = None
    paths: tuple[str, ...] = ()
    format: str | None = None
    options: Mapping[str, str] = field(default_factory=dict[str, str])
    schema: str | None = None

    def __str__(self) -> str:
        if self.table is not None:
            return self.table
        return (
            ", ".join(self.paths)
            or self.options.get("dbtable")
            or self.options.get("query")
            or f"{self.format}"
        )


class JobFilter(Struct, frozen=True):
    """A filter of a job.

    Attributes:
        filter: A filter (`late`, `late@2`) or a subscription.
        name: The name that replaces `{filter}` in the sinks.
        params: Values of parameters by name.
        span: Its place in the catalog.
    """

    filter: str
    name: str
    params: Mapping[str, Any] = field(default_factory=dict[str, Any])
    span: Span = NOWHERE


class Sink(Struct, frozen=True):
    """Where the rows of a job go.

    Attributes:
        kind: `path`, `table` (of Spark) or `jdbc` (a PostgreSQL table).
        target: The path, or the name of the table. `{filter}` is replaced by the name of a filter.
        format: The format of the files.
        options: Options of Spark for the format.
        partition_by: The columns by which the sink is partitioned.
        rows: The rows that are written: `accepted`, `rejected`, `unknown`, `unmatched`, `matched`, `bad` or
            `dead_letter`.
        filters: The names of the filters whose rows are written. Default: all filters of the job.
        url: The DSN of the PostgreSQL server.
        span: Its place in the catalog.
    """

    kind: str
    target: str
    format: str = "parquet"
    options: Mapping[str, str] = field(default_factory=dict[str, str])
    partition_by: tuple[str, ...] = ()
    rows: str = "accepted"
    filters: tuple[str, ...] = ()
    url: str | None = None
    span: Span = NOWHERE

    def place(self, name: str) -> str:
        """The path or table for a filter of this name. In the name of a table, characters other than letters
        and digits become underscores; in a path, slashes and colons become hyphens.
        """
        unfit, other = ("[/:]", "-") if self.kind == "path" else (r"\W", "_")
        return self.target.replace(_PLACEHOLDER, re.sub(unfit, other, name))


class Job(Struct, frozen=True):
    """What `predicat run` does: the source, the filters and the sinks.

    Attributes:
        name: Its name in the catalog, or an empty string.
        dataset: The name of the dataset.
        source: Where the rows come from.
        filters: The filters.
        sinks: Where the rows go.
        mode: `overwrite`, `append` or `overwrite_partitions`.
        bad_records: `permissive`, `quarantine` or `fail`.
        passes: `auto`, `one` or `many`.
        checkpoint: The folder where Spark stores what the job has read. The job then reads only new rows.
        range: The field of `Options.start` and `Options.end`.
        state: The folder of the records of runs. Default: next to the sinks.
        description: A sentence.
        owner: The owner.
        span: Its place in the catalog.
        every: `all` or `subscriptions`, if `filters` is empty.
        tries: How often an entry filter gets a row that it reschedules. Default: 10; 1 without a checkpoint.
    """

    name: str
    dataset: str
    source: Source
    filters: tuple[JobFilter, ...] = ()
    sinks: tuple[Sink, ...] = ()
    mode: str = "overwrite"
    bad_records: str = "permissive"
    passes: str = "auto"
    checkpoint: str | None = None
    range: str | None = None
    state: str | None = None
    description: str = ""
    owner: str = ""
    span: Span = NOWHERE
    every: str = ""
    tries: int | None = None

    @property
    def qualified(self) -> str:
        """Its full name, `dataset.job`."""
        return f"{self.dataset}.{self.name}"

    @property
    def matching(self) -> bool:
        """Whether an index finds its filters, because a sink gets the rows of all of them."""
        return any(sink.rows == "matched" for sink in self.sinks)

    @property
    def label(self) -> str:
        """Its name in records and events: the full name, or its dataset if it is not defined in the
        catalog.
        """
        return self.qualified if self.name else self.dataset


def job_data(job: Job) -> dict[str, Any]:
    """A job as JSON data, without its places in the file and without default values."""
    result: dict[str, Any] = to_builtins(job, enc_hook=lambda _: None)
    shown = {
        key: value
        for key, value in result.items()
        if key not in ("name", "dataset", "span") and value not in (None, "", [], {})
    }
    for key in ("filters", "sinks"):
        shown[key] = [
            {name: value for name, value in row.items() if name != "span" and value not in (None, "", [], {})}
            for row in result[key]
        ]
    return shown


class JobReader(Struct, frozen=True):
    """Reads a job from a catalog file, and reports problems that need no other definition."""

    reporter: Reporter

    def job(self, dataset: str, name: str, item: YamlNode, span: Span) -> Job | None:
        """A job; None without a source. `span` is the place of its name."""
        keys = item.keys(what := say.job(name), JOB)
        if item.lacks(keys, "source", what, span):
            return None
        source = self.source(keys["source"])
        every, filters = self.filters(keys)
        sinks = (
            tuple(sink for part in keys["sinks"].items("sinks") if (sink := self.sink(part)))
            if "sinks" in keys
            else ()
        )
        job = Job(
            name,
            dataset,
            source,
            filters,
            sinks,
            mode=self.choice(keys, "mode", MODES) if "mode" in keys or "checkpoint" not in keys else "append",
            bad_records=self.choice(keys, "bad_records", BAD_RECORDS),
            passes=self.choice(keys, "passes", PASSES),
            checkpoint=self.text(keys, "checkpoint"),
            range=self.text(keys, "range"),
            state=self.text(keys, "state"),
            description=self.text(keys, "description") or "",
            owner=self.text(keys, "owner") or "",
            span=span,
            every=every,
            tries=self.tries(keys),
        )
        self.whole(job)
        return job

    def whole(self, job: Job) -> None:
        """Problems of parts that do not fit together."""
        self.reporter.extend(problems(job))

    def source(self, item: YamlNode) -> Source:
        """A table by its name alone, or a mapping."""
        if isinstance(item.value, str):
            return Source(table=item.value)
        keys = item.keys("source", SOURCE)
        places = [key for key in ("table", "path") if key in keys]
        if len(places) == 2:
            self.reporter.add(say.source_with_two_places(keys["path"].span))
        elif not places and "format" not in keys:
            item.lacks(keys, say.TABLE_OR_PATH, "source")
        if "table" in keys and "format" in keys:
            self.reporter.add(say.format_of_a_table(keys["format"].span))
        if (secret := self.options(keys).get("password")) is not None and not secret.startswith("$"):
            self.reporter.add(say.source_with_password(keys["options"].span))
        return Source(
            self.text(keys, "table"),
            keys["path"].texts("path", "a path") if "path" in keys else (),
            self.text(keys, "format"),
            self.options(keys),
            self.text(keys, "schema"),
        )

    def filters(self, keys: Mapping[str, YamlNode]) -> tuple[str, tuple[JobFilter, ...]]:
        """A list of filters, or `all` or `subscriptions`. Default: all filters without required
        parameters.
        """
        if "filters" not in keys:
            return "", ()
        if isinstance(keys["filters"].value, str):
            every = self.choice(keys, "filters", _EVERY)
            return ("" if every == "all" else every), ()
        named = (self.filter(part) for part in keys["filters"].items("filters"))
        return "", tuple(one for one in named if one is not None)

    def filter(self, item: YamlNode) -> JobFilter | None:
        """A filter by its name alone, or a mapping."""
        if item.value is not None:
            name = item.text(say.FILTER_OF_JOB)
            return JobFilter(name, name, {}, item.span) if name else None
        keys = item.keys(say.FILTER_OF_JOB, _JOB_FILTER)
        if item.lacks(keys, "filter", say.FILTER_OF_JOB):
            return None
        name = keys["filter"].text("filter")
        params = (
            {key: value.data() for key, value, _ in keys["params"].entries("params")}
            if "params" in keys
            else {}
        )
        return JobFilter(name, self.text(keys, "name") or name, params, keys["filter"].span)

    def sink(self, item: YamlNode) -> Sink | None:
        """A sink; None without a place."""
        keys = item.keys("a sink", _SINK)
        if "jdbc" in keys and _PASSWORD.search(keys["jdbc"].text("jdbc")):
            self.reporter.add(say.password_in_dsn(keys["jdbc"].span))
        kind = "jdbc" if "jdbc" in keys else "table" if "table" in keys else "path"
        needed = "path" if kind == "path" else "table"
        if needed not in keys:
            item.lacks((), say.PLACE_OF_A_SINK if kind == "path" else needed, "a sink")
            return None
        if kind != "path" and "path" in keys:
            self.reporter.add(say.sink_with_two_places(keys["path"].span))
        return Sink(
            kind,
            keys[needed].text(needed),
            self.text(keys, "format") or "parquet",
            self.options(keys),
            self.texts(keys, "partition_by"),
            self.choice(keys, "rows", ROWS),
            self.texts(keys, "filters"),
            self.text(keys, "jdbc"),
            item.span,
        )

    # --- parts

    def choice(self, keys: Mapping[str, YamlNode], key: str, known: tuple[str, ...]) -> str:
        """One of several words; the first is the default."""
        if key not in keys:
            return known[0]
        result = keys[key].text(key)
        if result not in known:
            self.reporter.add(
                say.one_of(
                    keys[key].span, key, ", ".join(known[:-1]), known[-1], msg.did_you_mean(result, known)
                )
            )
            return known[0]
        return result

    def text(self, keys: Mapping[str, YamlNode], key: str) -> str | None:
        """An optional string; None if it is not set."""
        return str(keys[key].text(key)) if key in keys else None

    def tries(self, keys: Mapping[str, YamlNode]) -> int | None:
        """The number of attempts for a rescheduled row; None if it is not set."""
        if "tries" not in keys:
            return None
        result = keys["tries"].value
        if isinstance(result, bool) or not isinstance(result, int) or not 1 <= result <= MOST_TRIES:
            self.reporter.add(say.bad_tries(keys["tries"].span, MOST_TRIES))
            return None
        return result

    def texts(self, keys: Mapping[str, YamlNode], key: str) -> tuple[str, ...]:
        """One string, or a list of strings."""
        return keys[key].texts(key) if key in keys else ()

    def options(self, keys: Mapping[str, YamlNode]) -> dict[str, str]:
        """Options of a format as strings for Spark, from strings, numbers, true and false."""
        result: dict[str, str] = {}
        for name, value, _ in keys["options"].entries("options") if "options" in keys else ():
            if value.value is None or not isinstance(value.value, str | int | float):
                self.reporter.add(say.bad_option(value.span, name, value.kind))
            else:
                result[name] = str(value.value).lower() if isinstance(value.value, bool) else str(value.value)
        return result


def problems(job: Job) -> list[Diagnostic]:
    """The problems of a job that do not depend on its catalog: sinks with the same place, and sinks that can
    never get a row.
    """
    names = [filter_.name for filter_ in job.filters]
    problems_ = [
        say.filter_twice(filter_.span, filter_.name)
        for index, filter_ in enumerate(job.filters)
        if names.index(filter_.name) != index
    ]
    for sink in job.sinks:
        problems_ += _sink_problems(job, sink, names)
    if job.matching and (job.passes == "many" or any(sink.rows in PER_FILTER for sink in job.sinks)):
        problems_.append(say.matched_among_others(job.span))
    if job.bad_records == "quarantine" and not any(sink.rows == "bad" for sink in job.sinks):
        problems_.append(say.no_quarantine(job.span))
    if job.checkpoint is not None and job.mode == "overwrite" and job.name:
        problems_.append(say.checkpoint_overwrites(job.span))
    if job.tries is not None and job.checkpoint is None:
        problems_.append(say.tries_without_checkpoint(job.span))
    return [*problems_, *_shared(job, names)]


def _sink_problems(job: Job, sink: Sink, names: Sequence[str]) -> list[Diagnostic]:
    def bad(reason: Reason) -> Diagnostic:
        return say.bad_sink(sink.span, reason)

    problems_ = [
        bad(say.filter_not_in_job(name, names)) for name in sink.filters if names and name not in names
    ]
    problems_ += [
        bad(say.unknown_placeholder(brace, _PLACEHOLDER))
        for brace in _BRACES.findall(sink.target)
        if brace != _PLACEHOLDER
    ]
    if sink.rows in PER_FILTER and _PLACEHOLDER not in sink.target and len(sink.filters or names) != 1:
        problems_.append(bad(say.filters_share_place(_PLACEHOLDER, sink.kind == "path")))
    if sink.rows not in PER_FILTER and sink.filters:
        problems_.append(bad(say.rows_of_no_filter(sink.rows, "filters:")))
    if sink.rows not in PER_FILTER and _PLACEHOLDER in sink.target:
        problems_.append(bad(say.rows_of_no_filter(sink.rows, _PLACEHOLDER)))
    if (
        job.mode == "overwrite_partitions"
        and sink.kind != "table"
        and not (sink.kind == "path" and sink.partition_by)
    ):
        problems_.append(bad(say.no_partitions(sink.kind == "path")))
    if sink.rows == "bad" and job.bad_records != "quarantine":
        problems_.append(bad(say.quarantine_needed()))
    return problems_


def _shared(job: Job, names: Sequence[str]) -> list[Diagnostic]:
    """Sinks that would overwrite the rows of an earlier sink."""
    problems_: list[Diagnostic] = []
    seen: set[tuple[str, str | None, str]] = set()
    for sink in job.sinks:
        of_filters = sink.rows in PER_FILTER and _PLACEHOLDER in sink.target
        for name in dict.fromkeys((sink.filters or names or (_PLACEHOLDER,)) if of_filters else ("",)):
            place = sink.place(name).rstrip("/")
            # Spark's names of tables have no case.
            key = (sink.kind, sink.url, place.lower() if sink.kind == "table" else place)
            if key in seen:
                problems_.append(say.sinks_share_place(sink.span, place))
            seen.add(key)
    return problems_
