"""A Great Expectations project out of the catalog: a suite, a validation definition and a checkpoint for each
dataset.

It is an ordinary project: what others add to it stays. What is written here has names that begin with
`predicat_` and ids that
depend on names alone, so that a second run changes nothing in git.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import great_expectations as gx
import yaml
from great_expectations.checkpoint.actions import UpdateDataDocsAction
from great_expectations.data_context.types.base import ProgressBarsConfig
from great_expectations.datasource.fluent.spark_datasource import SparkDatasource
from great_expectations.datasource.fluent.sql_datasource import SQLDatasource, TableAsset
from great_expectations.expectations.core.expect_table_row_count_to_be_between import (
    ExpectTableRowCountToBeBetween,
)
from great_expectations.expectations.metadata_types import FailureSeverity

from predicat.catalog.manifest import write_text
from predicat.catalog.model import Bound, Catalog, Dataset
from predicat.diagnostics import Diagnostic
from predicat.diagnostics import messages as msg
from predicat.quality import expectations as own
from predicat.quality.gx_metric import portable
from predicat.quality.history import Entry

DSN = "PREDICAT_DSN"
"""The environment variable that holds the connection of the PostgreSQL data source, so that the project
holds no password.
"""
SEVERITIES = {"error": FailureSeverity.CRITICAL, "warn": FailureSeverity.WARNING}
"""Severities of the catalog as Great Expectations calls them."""
_IDS = uuid5(NAMESPACE_URL, "predicat")


def generate(
    catalog: Catalog, folder: Path, root: Path, engine: str, baseline: Mapping[str, list[Entry]] | None = None
) -> list[str]:
    """Write or update the project below `root` for Spark or PostgreSQL; returns the names of its checkpoints.

    `folder` is where the catalog lies; suites name it by a relative path. Filters without bounds are not in
    it; drift needs a
    `baseline`. No engine is asked for anything: the files can be written where the server cannot be reached.
    """
    root.mkdir(parents=True, exist_ok=True)
    with _without_connections():
        return _generate(catalog, portable(folder), root, engine, baseline or {})


@contextmanager
def _without_connections() -> Iterator[None]:
    """Great Expectations connects to try out each data source that is added, and has no option not to.
    Checkpoints connect.
    """
    kinds: tuple[Any, ...] = (SparkDatasource, SQLDatasource, TableAsset)
    tests = [kind.test_connection for kind in kinds]
    for kind in kinds:
        kind.test_connection = lambda *_, **__: None
    try:
        yield
    finally:
        for kind, test in zip(kinds, tests, strict=True):
            kind.test_connection = test


def _generate(
    catalog: Catalog, folder: str, root: Path, engine: str, baseline: Mapping[str, list[Entry]]
) -> list[str]:
    new = not (root / "gx" / "great_expectations.yml").exists()
    context = gx.get_context(mode="file", project_root_dir=str(root))
    source = f"predicat_{engine}"
    data: Any
    if source in context.data_sources.all():
        data = context.data_sources.get(source)
    elif engine == "spark":
        data = context.data_sources.add_spark(source)
    else:
        data = context.data_sources.add_postgres(source, connection_string=f"${{{DSN}}}")
    names: list[str] = []
    for dataset in catalog.datasets.values():
        files = list(wanted(dataset, folder, baseline))
        if files and (engine == "spark" or engine in dataset.relation):
            names.append(_dataset(context, data, dataset, engine, files))
    stable_ids(root / "gx", new=new)
    return names


def wanted(dataset: Dataset, folder: str, baseline: Mapping[str, list[Entry]]) -> Iterator[Any]:
    """The expectations that say what the catalog says of a dataset."""
    where: dict[str, Any] = {"catalog": folder, "dataset": dataset.name}
    for severity in ("error", "warn"):
        rows = _rows("min_value", dataset.rows.get("at_least"), severity) | _rows(
            "max_value", dataset.rows.get("at_most"), severity
        )
        if rows:
            yield ExpectTableRowCountToBeBetween(severity=SEVERITIES[severity], **rows)
    for filter_ in dataset.filters.values():
        low, high = filter_.coverage.get("at_least"), filter_.coverage.get("at_most")
        for severity in ("error", "warn"):
            bounds = _bounds("min", low, severity) | _bounds("max", high, severity)
            if bounds:
                yield own.ExpectFilterCoverageToBeBetween(
                    filter=filter_.name, severity=SEVERITIES[severity], **where, **bounds
                )
        unknown = filter_.coverage.get("unknown_at_most")
        if unknown is not None:
            yield own.ExpectFilterUnknownRateToBeAtMost(
                filter=filter_.name,
                severity=SEVERITIES[unknown.severity],
                **where,
                **_bounds("max", unknown, unknown.severity),
            )
        drift, last = filter_.coverage.get("drift"), baseline.get(filter_.qualified)
        if drift is not None and last:
            yield own.ExpectFilterCoverageToBeStable(
                filter=filter_.name,
                baseline_accepted=last[-1]["accepted"],
                baseline_rows=last[-1]["rows"],
                min_change=drift.value,
                severity=SEVERITIES[drift.severity],
                **where,
            )
    for name, spec in dataset.groups.items():
        severity = SEVERITIES[spec.severity]
        if spec.exclusive:
            yield own.ExpectFiltersToBeMutuallyExclusive(group=name, severity=severity, **where)
        if spec.exhaustive:
            yield own.ExpectFiltersToBeCollectivelyExhaustive(group=name, severity=severity, **where)


def _rows(name: str, bound: Bound | None, severity: str) -> dict[str, Any]:
    return {} if bound is None or bound.severity != severity else {name: int(bound.value)}


def _bounds(end: str, bound: Bound | None, severity: str) -> dict[str, Any]:
    """A bound of a severity as an argument of an expectation."""
    if bound is None or bound.severity != severity:
        return {}
    return {f"{end}_share": bound.value} if bound.share else {f"{end}_rows": int(bound.value)}


def _dataset(context: Any, data: Any, dataset: Dataset, engine: str, expectations: list[Any]) -> str:
    name = f"predicat_{dataset.name}"
    known = {asset.name for asset in data.assets}
    if name in known:
        asset = data.get_asset(name)
    elif engine == "spark":
        asset = data.add_dataframe_asset(name)
    else:
        schema, _, table = dataset.relation["postgres"].rpartition(".")
        asset = data.add_table_asset(name, table_name=table, schema_name=schema or None)
    batches = {item.name for item in asset.batch_definitions}
    whole = (
        asset.add_batch_definition_whole_dataframe
        if engine == "spark"
        else asset.add_batch_definition_whole_table
    )
    batch = asset.get_batch_definition("all") if "all" in batches else whole("all")
    suite = context.suites.add_or_update(gx.ExpectationSuite(name=name, expectations=expectations))
    validation = context.validation_definitions.add_or_update(
        gx.ValidationDefinition(name=name, data=batch, suite=suite)
    )
    checkpoint = gx.Checkpoint(
        name=name, validation_definitions=[validation], actions=[UpdateDataDocsAction(name="data_docs")]
    )
    context.checkpoints.add_or_update(checkpoint)
    return name


def stable_ids(project: Path, *, new: bool) -> None:
    """Give every object of ours the id of its name: Great Expectations makes new ones at each writing, and in
    each checkout.

    `new` says that the whole project is ours, its own id included.
    """
    configuration = project / "great_expectations.yml"
    files = [*project.rglob("predicat_*.json"), configuration, *project.rglob(".ge_store_backend_id")]
    renamed: dict[str, str] = {}
    for file in project.rglob("predicat_*.json"):
        renamed |= _ids_in_json(file)
    settings = yaml.safe_load(configuration.read_text(encoding="utf-8"))
    renamed |= _ids_of_sources(settings.get("fluent_datasources") or {})
    if new:
        renamed[str(settings["data_context_id"])] = str(uuid5(_IDS, "project"))
    for file in files:
        text = before = file.read_text(encoding="utf-8")
        for old, stable in renamed.items():
            text = text.replace(old, stable)
        if text != before:
            write_text(file, text)


def _ids_in_json(file: Path) -> dict[str, str]:
    data = json.loads(file.read_text(encoding="utf-8"))
    ids = {data["id"]: str(uuid5(_IDS, f"{file.parent.name} {data['name']}"))} if "id" in data else {}
    for item in data.get("expectations", []):
        about = json.dumps([data["name"], item["type"], item["kwargs"]], sort_keys=True)
        ids[item["id"]] = str(uuid5(_IDS, about))
    return ids


def _ids_of_sources(sources: Mapping[str, Any]) -> dict[str, str]:
    """The ids of our data sources, their assets and the batches of these."""
    ids: dict[str, str] = {}
    for source, about in sources.items():
        if not source.startswith("predicat_"):
            continue
        ids[str(about["id"])] = str(uuid5(_IDS, f"source {source}"))
        for asset, inner in (about.get("assets") or {}).items():
            ids[str(inner["id"])] = str(uuid5(_IDS, f"asset {source} {asset}"))
            for batch, last in (inner.get("batch_definitions") or {}).items():
                ids[str(last["id"])] = str(uuid5(_IDS, f"batch {source} {asset} {batch}"))
    return ids


def run(
    root: Path, name: str, parameters: Mapping[str, Any] | None = None
) -> tuple[bool, list[Diagnostic], str]:
    """Run a checkpoint and build Data Docs: whether all is well, what engines refused, and the address of
    the documents.
    """
    context = gx.get_context(mode="file", project_root_dir=str(root))
    if not sys.stderr.isatty():
        context.variables.progress_bars = ProgressBarsConfig(globally=False)  # for this run: it is not saved
    result = context.checkpoints.get(name).run(batch_parameters=dict(parameters or {}))
    errors: list[Diagnostic] = []
    for validation in result.run_results.values():
        for item in validation.results:
            text = _exception(item.exception_info)
            if text:
                errors.append(msg.engine_error("the engine", text))
    sites = context.build_data_docs()
    return bool(result.success), list(dict.fromkeys(errors)), next(iter(sites.values()), "")


def _exception(info: Any) -> str:
    """The text of the exception in what GX keeps of an expectation, one level deep or two."""
    if not isinstance(info, Mapping):
        return ""
    if info.get("raised_exception"):
        return str(info.get("exception_message") or "")
    return next(
        (text for part in info.values() if isinstance(part, Mapping) and (text := _exception(part))), ""
    )
