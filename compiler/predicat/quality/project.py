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

from predicat.catalog.model import Catalog
from predicat.diagnostics import Diagnostic
from predicat.diagnostics import messages as msg
from predicat.diagnostics.writing import write_text
from predicat.quality.gx_metric import portable
from predicat.quality.suite import Baseline, Suite, suite

# The environment variable that holds the connection of the PostgreSQL data source, so that the project
# holds no password.
DSN = "PREDICAT_DSN"
_IDS = uuid5(NAMESPACE_URL, "predicat")


def generate(
    catalog: Catalog, folder: Path, root: Path, engine: str, baseline: Baseline | None = None
) -> list[Suite]:
    """Write or update the project below `root` for Spark or PostgreSQL.

    `folder` is where the catalog lies; suites name it by a relative path. Drift needs a `baseline`. No engine
    is asked for anything: the files can be written where the server cannot be reached.

    Returns:
        The declared bounds of each dataset that has some. A dataset whose bounds are all left out has no
        checkpoint.
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


def _generate(catalog: Catalog, folder: str, root: Path, engine: str, baseline: Baseline) -> list[Suite]:
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
    suites = [suite(catalog, dataset, folder, engine, baseline) for dataset in catalog.datasets.values()]
    for item in suites:
        if item.expectations:
            _dataset(context, data, engine, item)
    _stable_ids(root / "gx", new=new)
    return [item for item in suites if item.expectations or item.left_out]


def checkpoint(dataset: str) -> str:
    """The name of the checkpoint of a dataset, and of its suite."""
    return f"predicat_{dataset}"


def _dataset(context: Any, data: Any, engine: str, content: Suite) -> None:
    dataset = content.dataset
    name = checkpoint(dataset.name)
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
    about = {"predicat": {"left_out": dict(content.left_out)}}
    written = context.suites.add_or_update(
        gx.ExpectationSuite(name=name, expectations=list(content.expectations), meta=about)
    )
    validation = context.validation_definitions.add_or_update(
        gx.ValidationDefinition(name=name, data=batch, suite=written)
    )
    context.checkpoints.add_or_update(
        gx.Checkpoint(
            name=name, validation_definitions=[validation], actions=[UpdateDataDocsAction(name="data_docs")]
        )
    )


def _stable_ids(project: Path, *, new: bool) -> None:
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
