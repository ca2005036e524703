"""Exports the catalog as a project of Spark Declarative Pipelines: each filter is a materialized view, a
streaming table or a sink.
"""

import re
from collections.abc import Sequence
from pathlib import Path

import yaml

from predicat import backends
from predicat.backends.sql.column_forms import stored_type
from predicat.catalog.jobs import FORMAT_OPTIONS, UNTYPED, Job, Source
from predicat.catalog.model import Catalog, Dataset
from predicat.deploy.chosen import Chosen, chosen
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import deploy as say
from predicat.exporting.asked import Text, reference
from predicat.ir.nodes import Call, Literal
from predicat.ir.types import BOOLEAN, DecimalType, Scalar
from predicat.rewrite.acceptance import for_acceptance
from predicat.rewrite.simplify import simplify

KINDS = ("materialized-view", "streaming-table", "sink")
_HEAD = '''"""The filters of {job}, as `predicat export pipeline` wrote them.

Export them again after a change of the catalog.
"""

from pyspark import pipelines as dp
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

spark = SparkSession.active()


def source() -> DataFrame:
    """{what}"""
    return {read}
'''
_STORED = """

@dp.{decorator}(name={name!r}, comment={comment!r})
def {function}() -> DataFrame:
    return source().where({sql!r})
"""
_SINK = """

dp.create_sink({name!r}, {format!r}, {options!r})


@dp.append_flow(target={name!r}, name={flow!r})
def {function}() -> DataFrame:
    return source().where({sql!r})
"""


def texts(
    catalog: Catalog, job: Job, kind: str, out: Path, *, sinks: str | None = None
) -> tuple[list[str], list[Text]]:
    """The names of what the project in the folder `out` defines, and its files. `sinks` is the folder of the
    sinks. Raises PredicatError.
    """
    if kind == "sink" and sinks is None:
        raise PredicatError.of(say.sinks_need_a_folder())
    rows = chosen(catalog, job.dataset, job.filters, job.every)
    names = _names(rows)
    streaming = kind != "materialized-view"
    source = _source(catalog.datasets[job.dataset], job.source, streaming=streaming)
    what = f"{'What is new in' if streaming else 'The rows of'} {job.source}.".replace("\\", "/").replace(
        '"', "'"
    )
    text = _HEAD.format(job=job.label, what=what, read=source)
    conditions = [condition(filter_) for filter_ in rows]
    for name, filter_, sql in zip(names, rows, conditions, strict=True):
        text += _definition(name, filter_, sql, kind, sinks)
    spec = {
        "name": f"predicat_{job.name or job.dataset}",
        "storage": out.resolve().joinpath("storage").as_uri(),
        "libraries": [{"glob": {"include": "transformations/**"}}],
        "configuration": _settings(conditions),
    }
    filters = tuple(dict.fromkeys(reference(row.filter, row.number) for row in rows))
    return names, [
        Text("spark-pipeline.yml", yaml.safe_dump(spec, sort_keys=False), form="yaml"),
        Text("transformations/filters.py", text, filters, "python"),
    ]


def _settings(conditions: Sequence[str]) -> dict[str, str]:
    """How the conditions are read, whatever the server's own settings are. Spark warns of the last one, so
    it is there only if it matters.
    """
    usual = {"spark.sql.timestampType": "TIMESTAMP_LTZ", "spark.sql.parser.quotedRegexColumnNames": "false"}
    return usual | (
        {"spark.sql.parser.escapedStringLiterals": "false"} if any("\\" in sql for sql in conditions) else {}
    )


def _names(selected: Sequence[Chosen]) -> list[str]:
    """A name for each filter that is valid for a table and a function. Raises PredicatError if two filters
    would have the same name.
    """
    names = [re.sub(r"\W", "_", filter_.name) for filter_ in selected]
    for name, filter_ in zip(names, selected, strict=True):
        if names.count(name) > 1:
            raise PredicatError.of(say.same_name_twice(name, filter_.name))
    return names


def _definition(name: str, selected: Chosen, sql: str, kind: str, sinks: str | None) -> str:
    function = f"flow_{name}" if kind == "sink" or not name.isidentifier() else f"filter_{name}"
    if kind == "sink":
        options = {"path": f"{str(sinks).rstrip('/')}/{name}"}
        return _SINK.format(
            name=name, format="parquet", options=options, flow=function, function=function, sql=sql
        )
    decorator = "materialized_view" if kind == "materialized-view" else "table"
    comment = f"{selected.filter.description} Version {selected.number}.".strip()
    return _STORED.format(decorator=decorator, name=name, comment=comment, function=function, sql=sql)


def condition(selected: Chosen) -> str:
    """The rows that a filter accepts, as Spark SQL."""
    node = (
        Call(BOOLEAN, "coalesce", (selected.node, Literal(BOOLEAN, True)))
        if selected.accepts_unknown
        else selected.node
    )
    return backends.dialect("spark").render(for_acceptance(simplify(node)))


def _source(dataset: Dataset, source: Source, *, streaming: bool) -> str:
    """Python that reads a source."""
    reader = "spark.readStream" if streaming else "spark.read"
    if source.table is not None:
        return f"{reader}.table({source.table!r})"
    if source.format is None:
        raise PredicatError.of(say.pipeline_format())
    if streaming and source.schema is None:
        raise PredicatError.of(say.stream_columns())
    text = f"{reader}.format({source.format!r})"
    options = {**FORMAT_OPTIONS.get(source.format, {}), **source.options}
    text += f".options(**{options!r})" if options else ""
    text += f".schema({source.schema!r})" if source.schema is not None else ""
    paths = source.paths[0] if len(source.paths) == 1 else list(source.paths)
    text += f".load({paths!r})" if source.paths else ".load()"
    if source.format in UNTYPED and source.schema is None:
        casts = [
            f"{column!r}: F.col({column!r}).try_cast({stored_type('spark', decl, str)!r})"
            for decl in dataset.fields.values()
            if isinstance(decl.type, Scalar | DecimalType)
            and str(decl.type) not in ("string", "json")
            and not decl.expression("spark")
            and (column := decl.column("spark"))
        ]
        text += f".withColumns({{{', '.join(casts)}}})" if casts else ""
    return text
