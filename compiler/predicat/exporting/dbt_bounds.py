"""The bounds of a catalog as data tests of dbt: a source for each dataset, with a test for each limit."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from predicat import backends
from predicat.catalog.model import Bound, Catalog, Dataset, Filter, Threshold
from predicat.diagnostics.messages import coverage as say
from predicat.ir.nodes import Field
from predicat.ir.types import TIMESTAMP

# A generic test of the package with its arguments, or the reason why a bound is none.
_Test = tuple[str, dict[str, Any]] | str
_TABLE = re.compile(r"(?:(?:(?P<database>\w+)\.)?(?P<schema>\w+)\.)?(?P<identifier>\w+)")


def properties(
    catalog: Catalog, adapters: Mapping[str, Collection[str]], dialects: Mapping[str, str]
) -> tuple[dict[str, Any], list[str]]:
    """The sources and exposures of a catalog as the data of a properties file, and notes on bounds that are
    left out.

    Args:
        catalog: The catalog.
        adapters: Of each filter (qualified name) the adapters that support it.
        dialects: Of each adapter the dialect whose relations it reads.
    """
    notes: list[str] = []
    sources = [
        _source(dataset, adapters, dialects, notes)
        for dataset in catalog.datasets.values()
        if dataset.rows
        or dataset.freshness
        or dataset.groups
        or any(row.coverage for row in dataset.filters.values())
    ]
    known = {source["name"] for source in sources}
    exposures = [
        exposure
        for dataset in catalog.datasets.values()
        for exposure in _exposures(dataset, f"predicat_{dataset.name}" in known, notes)
    ]
    return {"version": 2, "sources": sources, **({"exposures": exposures} if exposures else {})}, notes


def _source(
    dataset: Dataset,
    adapters: Mapping[str, Collection[str]],
    dialects: Mapping[str, str],
    notes: list[str],
) -> dict[str, Any]:
    tests: list[dict[str, Any]] = []
    for label, thresholds, needed, make in _declared(dataset):
        common = [name for name in dialects if all(name in adapters.get(item, ()) for item in needed)]
        found = [(limit, make(limit.value)) for limit in thresholds]
        reason = next((test for _, test in found if isinstance(test, str)), "")
        if reason or not common:
            notes.append(say.left_out(label, reason or say.ON_NO_ADAPTER))
            continue
        for limit, test in found:
            assert not isinstance(test, str)  # noqa: S101  # the reason is told above
            name, arguments = test
            config = {"severity": limit.severity, "meta": {"predicat": f"{label} {limit.text}"}}
            if len(common) < len(dialects):
                config["enabled"] = f"{{{{ target.type in {json.dumps(common)} }}}}"
            tests.append({f"predicat_filters.{name}": {"arguments": arguments, "config": config}})
    return {
        "name": f"predicat_{dataset.name}",
        **_place(dataset, dialects, notes),
        **({"description": dataset.description} if dataset.description else {}),
    } | {"tables": [_table(dataset, dialects, tests, notes)]}


def _place(dataset: Dataset, dialects: Mapping[str, str], notes: list[str]) -> dict[str, str]:
    """The database and schema of a dataset on each adapter: that of the target if none is named."""
    parts = _parts(dataset, dialects, "schema")
    databases = _parts(dataset, dialects, "database")
    for adapter, dialect in dialects.items():
        relation = dataset.relation.get(dialect, "")
        if relation and not _TABLE.fullmatch(relation):
            notes.append(say.no_table_name(dataset.name, relation, adapter))
    return {
        **({"database": _chosen(databases, "target.database")} if databases else {}),
        "schema": _chosen(parts, "target.schema"),
    }


def _parts(dataset: Dataset, dialects: Mapping[str, str], part: str) -> dict[str, str]:
    found = {
        adapter: match[part]
        for adapter, dialect in dialects.items()
        if (match := _TABLE.fullmatch(dataset.relation.get(dialect, "")))
    }
    return {adapter: value for adapter, value in found.items() if value}


def _chosen(values: Mapping[str, str], otherwise: str) -> str:
    return f"{{{{ {json.dumps(dict(values))}.get(target.type, {otherwise}) }}}}"


def _table(
    dataset: Dataset, dialects: Mapping[str, str], tests: Sequence[Any], notes: list[str]
) -> dict[str, Any]:
    names = _parts(dataset, dialects, "identifier")
    return {
        "name": dataset.name,
        "identifier": _chosen(names, json.dumps(dataset.name)),
        **_freshness(dataset, dialects, notes),
        **({"data_tests": list(tests)} if tests else {}),
    }


def _freshness(dataset: Dataset, dialects: Mapping[str, str], notes: list[str]) -> dict[str, Any]:
    """The age of the newest row, as `dbt source freshness` checks it."""
    spec = dataset.freshness
    if spec is None:
        return {}
    decl = dataset.fields[spec.field]
    if decl.type != TIMESTAMP:
        notes.append(say.left_out(f"{dataset.name} freshness", say.NO_TIMESTAMP))
        return {}
    columns = {name: backends.dialect(each).render(Field(TIMESTAMP, decl)) for name, each in dialects.items()}
    limits = {
        f"{limit.severity}_after": {"count": int(limit.value) // 60, "period": "minute"}
        for limit in spec.thresholds
    }
    loaded = {"loaded_at_field": f"{{{{ {json.dumps(columns)}[target.type] }}}}", "freshness": limits}
    return {"config": loaded}


_Declared = tuple[str, Sequence[Threshold], Sequence[str], Callable[[float], _Test]]


def _declared(dataset: Dataset) -> Iterator[_Declared]:
    """The bounds that are tests: label, limits, the filters that they need, and how a limit is written."""
    for kind, bound in dataset.rows.items():
        yield f"{dataset.name} rows_{kind}", bound.thresholds, (), _of_rows(kind)
    for row in dataset.filters.values():
        for kind, bound in row.coverage.items():
            name = row.qualified
            yield f"{name} {kind}", bound.thresholds, (name,), _of_filter(row, kind, bound)
    for name, group in dataset.groups.items():
        members = [f"{dataset.name}.{item.partition('@')[0]}" for item in group.filters]
        for kind, bound in group.bounds.items():
            label = f"{dataset.name}.{name} {kind}"
            yield label, bound.thresholds, members, _of_group(kind, members, bound)


def _of_rows(kind: str) -> Callable[[float], _Test]:
    if kind not in ("at_least", "at_most"):
        return lambda _: say.NEEDS_EARLIER_RUNS
    return lambda value: ("relation_rows", {kind: int(value)})


def _of_filter(row: Filter, kind: str, bound: Bound) -> Callable[[float], _Test]:
    if kind not in _FILTER_TESTS:
        return lambda _: say.NEEDS_EARLIER_RUNS
    if any(decl.required for decl in row.current.params.values()):
        return lambda _: say.NEEDS_ARGUMENTS
    test, argument = _FILTER_TESTS[kind]
    key, number = (argument, float) if bound.share else (f"{argument}_rows", int)
    return lambda value: (test, {"filter": row.qualified, key: number(value)})


_FILTER_TESTS = {
    "at_least": ("filter_coverage", "at_least"),
    "at_most": ("filter_coverage", "at_most"),
    "unknown_at_most": ("filter_unknown", "at_most"),
}


def _of_group(kind: str, members: Sequence[str], limit: Bound) -> Callable[[float], _Test]:
    if limit.share:
        return lambda value: (f"filters_{kind}", {"filters": list(members), "at_most": value})
    return lambda value: (f"filters_{kind}", {"filters": list(members), "at_most_rows": int(value)})


def _exposures(dataset: Dataset, known: bool, notes: list[str]) -> Iterator[dict[str, Any]]:
    """The jobs of a dataset: dbt's lineage shows what reads it. An exposure needs an owner."""
    for name, job in dataset.jobs.items():
        if not job.owner:
            notes.append(say.no_exposure(f"{dataset.name}.{name}"))
        elif known:
            contact = "email" if "@" in job.owner else "name"
            yield {
                "name": f"predicat_{dataset.name}_{name}",
                "type": "application",
                "owner": {contact: job.owner},
                **({"description": job.description} if job.description else {}),
                "depends_on": [f"source('predicat_{dataset.name}', '{dataset.name}')"],
            }
