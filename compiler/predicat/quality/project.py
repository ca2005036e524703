"""A Great Expectations project out of the catalog: a suite, a validation definition and a checkpoint for each
dataset.

It is an ordinary project: what others add to it stays. What is written here has names that begin with
`predicat_` and ids that
depend on names alone, so that a second run changes nothing in git.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import great_expectations as gx
import yaml
from great_expectations.checkpoint.actions import UpdateDataDocsAction
from great_expectations.core.partitioners import PartitionerColumnValue
from great_expectations.data_context.types.base import ProgressBarsConfig
from great_expectations.datasource.fluent.spark_datasource import SparkDatasource
from great_expectations.datasource.fluent.sql_datasource import SQLDatasource, TableAsset
from sqlglot import exp

from predicat.catalog.model import Catalog, Dataset
from predicat.diagnostics import Diagnostic
from predicat.diagnostics import messages as msg
from predicat.diagnostics.writing import write_text
from predicat.quality.batches import batches
from predicat.quality.expectations import EveryBoundIsJudged
from predicat.quality.gx_metric import index_columns, portable
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
            _dataset(context, data, engine, item, root / "gx")
    context.update_datasource(data)
    _stable_ids(root / "gx", new=new)
    return [item for item in suites if item.expectations or item.left_out]


def checkpoint(dataset: str) -> str:
    """The name of the checkpoint of a dataset, and of its suite."""
    return f"predicat_{dataset}"


def _dataset(context: Any, data: Any, engine: str, content: Suite, project: Path) -> None:
    """Write the batches, suite, validation and checkpoint of a dataset."""
    dataset, name = content.dataset, checkpoint(content.dataset.name)
    batch = _on_spark(data, name) if engine == "spark" else _on_postgres(data, name, dataset)
    place, of_suite = (project / folder / f"{name}.json" for folder in ("checkpoints", "expectations"))
    asked = _result_format(place, index_columns(dataset, engine))
    about = {"expectations": len(content.expectations), "left_out": dict(content.left_out)}
    others = {
        "actions": lambda item: item.get("name") not in _ACTIONS,
        "validation_definitions": lambda item: item.get("name") != name,
    }
    with (
        _additions(of_suite, {"expectations": lambda item: not _is_ours(name, item)}),
        _additions(place, others),
    ):
        expectations, meta = list(content.expectations), {"predicat": about}
        suite_ = gx.ExpectationSuite(name=name, expectations=expectations, meta=meta)
        written = context.suites.add_or_update(suite_)
        validation = context.validation_definitions.add_or_update(
            gx.ValidationDefinition(name=name, data=batch, suite=written)
        )
        actions = [UpdateDataDocsAction(name=_ACTIONS[0]), EveryBoundIsJudged(name=_ACTIONS[1])]
        context.checkpoints.add_or_update(
            gx.Checkpoint(
                name=name, validation_definitions=[validation], actions=actions, result_format=asked
            )
        )


_ACTIONS = ("data_docs", "every_bound_is_judged")


def _on_spark(data: Any, name: str) -> Any:
    """The batch of a run on Spark: the DataFrame that it is given."""
    known = {asset.name for asset in data.assets}
    asset = data.get_asset(name) if name in known else data.add_dataframe_asset(name)
    return _batch(asset, "all", asset.add_batch_definition_whole_dataframe)


def _on_postgres(data: Any, name: str, dataset: Dataset) -> Any:
    """The batch of a run on PostgreSQL: all rows, or a partition if the dataset declares some."""
    known = {asset.name: asset for asset in data.assets}
    table = exp.to_table(dataset.relation["postgres"], dialect="postgres")
    asset = known.get(name) or data.add_table_asset(name, table_name=table.name, schema_name=table.db or None)
    asset.table_name, asset.schema_name = table.name, table.db or None
    whole = _batch(asset, "all", asset.add_batch_definition_whole_table)
    split = batches(dataset)
    if split is None:
        return whole
    asked = f"{name}_{split.name}"
    rows = known.get(asked) or data.add_query_asset(asked, query=split.query)
    rows.query = split.query
    if split.kind == "value":
        by_value = PartitionerColumnValue(column_name=split.column)
        add = partial(rows.add_batch_definition, partitioner=by_value, validate_partitioner=False)
    else:
        of_kind = getattr(rows, f"add_batch_definition_{split.kind}")
        add = partial(of_kind, column=split.column, validate_batchable=False)
    return _batch(rows, split.name, add)


def _batch(asset: Any, name: str, add: Callable[[str], Any]) -> Any:
    """A batch definition of an asset, which is added if it is not there."""
    return (
        asset.get_batch_definition(name)
        if name in {item.name for item in asset.batch_definitions}
        else add(name)
    )


@contextmanager
def _additions(file: Path, others: Mapping[str, Callable[[dict[str, Any]], bool]]) -> Iterator[None]:
    """Keep what others added to lists of a file that is written again: `others` tells it, by the list's key.

    Great Expectations would drop what it cannot load, such as expectations of a module that is not imported.
    """
    data = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    added = {key: [*filter(test, data.get(key) or ())] for key, test in others.items()}
    if not any(added.values()):
        yield
        return
    own = {key: [item for item in data[key] if item not in items] for key, items in added.items()}
    write_text(file, json.dumps(data | own))
    try:
        yield
    finally:
        new = json.loads(file.read_text(encoding="utf-8"))
        all_ = {key: [*new[key], *items] for key, items in added.items()}
        write_text(file, json.dumps(new | all_, indent=2, sort_keys=True) + "\n")


def _is_ours(suite: str, item: Mapping[str, Any]) -> bool:
    """Whether an expectation of a suite was written here, now or by an earlier version."""
    return "predicat" in (item.get("meta") or {}) or item.get("id") == _expectation_id(suite, item)


def _result_format(file: Path, key: Sequence[str]) -> Any:
    """What a checkpoint asks of results: what it did before, with the key of the dataset."""
    given = json.loads(file.read_text(encoding="utf-8"))["result_format"] if file.exists() else "SUMMARY"
    asked = {"result_format": given} if isinstance(given, str) else dict(given)
    asked.pop("unexpected_index_column_names", None)
    if key:
        return asked | {"unexpected_index_column_names": list(key)}
    return given if isinstance(given, str) else asked


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
        if _is_ours(data["name"], item):
            ids[item["id"]] = _expectation_id(data["name"], item)
    return ids


def _expectation_id(suite: str, item: Mapping[str, Any]) -> str:
    return str(uuid5(_IDS, json.dumps([suite, item["type"], item["kwargs"]], sort_keys=True)))


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
