"""The manifest: everything that engines and tools need from a compiled catalog, as one JSON file."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

import msgspec

from predicat import backends
from predicat.backends.sql.column_forms import stored_type
from predicat.backends.sql.dialect import Dialect
from predicat.backends.sql.expressions import columns_of
from predicat.backends.sql.functions import Runtime
from predicat.catalog.cache import text_hash
from predicat.catalog.jobs import job_data
from predicat.catalog.macros import Macro
from predicat.catalog.model import Bound, Catalog, DatasetHead, Filter, FilterTest, Group, Version
from predicat.catalog.policies import attribute_data, policy_data
from predicat.catalog.signature import Signer, unsigned
from predicat.diagnostics import PredicatError, Unsupported
from predicat.diagnostics.messages import catalog as say
from predicat.diagnostics.messages import files as say_files
from predicat.diagnostics.writing import write_text
from predicat.ir.canonical import meaning_hash
from predicat.ir.codec import to_data, value_data
from predicat.ir.members import read_by
from predicat.ir.nodes import FieldDecl, Literal, Node, ParamDecl, fields_of
from predicat.ir.value_sets import ValueSet
from predicat.rewrite.acceptance import for_acceptance
from predicat.rewrite.list_tables import in_tables, long_lists, table_of

FORMAT = 1


def build_manifest(catalog: Catalog) -> dict[str, Any]:
    """The manifest as data."""
    return {
        "format": FORMAT,
        "datasets": {name: dataset_data(dataset) for name, dataset in catalog.datasets.items()},
        "vars": {name: plain(value) for name, value in catalog.variables.items()},
        **({"attributes": attributes} if (attributes := _attributes_data(catalog)) else {}),
        "macros": _macros_data(catalog.macros),
        **({"lists": lists} if (lists := _lists_data(catalog)) else {}),
        "filters": [
            _version(filter_, version, _dialects(dataset))
            for dataset in catalog.datasets.values()
            for filter_ in dataset.filters.values()
            for version in filter_.versions.values()
        ],
    }


def dataset_data(dataset: DatasetHead) -> dict[str, Any]:
    """A dataset without its filters, as JSON data."""
    return {
        "description": dataset.description,
        "relation": dict(dataset.relation),
        **({"files": msgspec.to_builtins(dataset.files)} if dataset.files else {}),
        "key": list(dataset.key),
        "fields": {
            row.name: {
                "type": str(row.type),
                **({"stored": row.stored} if row.stored else {}),
                **({"min": value_data(row.least)} if row.least is not None else {}),
                **({"max": value_data(row.greatest)} if row.greatest is not None else {}),
                "nulls": row.nulls,
                "description": row.description,
                "columns": {engine: row.column(engine) for engine in backends.DIALECTS},
                **({"expressions": dict(row.expressions)} if row.expressions else {}),
                **({"sensitive": True} if row.sensitive else {}),
            }
            for row in dataset.fields.values()
        },
        "enums": dict(dataset.enums),
        **({"lists": {key: row.about() for key, row in dataset.lists.items()}} if dataset.lists else {}),
        **({} if dataset.ansi else {"spark": {"ansi": False}}),
        "groups": {key: _group_data(group) for key, group in dataset.groups.items()},
        "subscriptions": msgspec.to_builtins(dataset.subscriptions),
        "jobs": {key: job_data(job) for key, job in dataset.jobs.items()},
        "view": dict(dataset.view),
        "baseline": _ages_data("max_age", [(int(item.value), item.severity) for item in old.thresholds])
        if (old := dataset.baseline)
        else {},
        "rows": bounds_data(dataset.rows),
        "freshness": {
            "field": fresh.field,
            **_ages_data("at_most", [(item.text, item.severity) for item in fresh.thresholds]),
        }
        if (fresh := dataset.freshness)
        else {},
        **(
            {"partition": {"field": part.field, "by": part.by, "zone": part.zone}}
            if (part := dataset.partition)
            else {}
        ),
        **({"where": dataset.where} if dataset.where else {}),
        **(
            {"policies": {key: policy_data(row) for key, row in dataset.policies.items()}}
            if dataset.policies
            else {}
        ),
    }


def _attributes_data(catalog: Catalog) -> dict[str, Any]:
    return {name: attribute_data(attribute) for name, attribute in catalog.attributes.items()}


def _lists_data(catalog: Catalog) -> dict[str, Any]:
    """The long lists that filters use, by the hash of their values, each with the name of its file next to
    the manifest.
    """
    return {
        listed.digest: {"name": listed.name, "count": listed.count, "file": file_of(listed).as_posix()}
        for listed in _long_lists(catalog)
    }


def list_texts(catalog: Catalog) -> dict[Path, str]:
    """The contents of the files next to the manifest with the values of long lists."""
    return {file_of(listed): listed.content().decode() for listed in _long_lists(catalog)}


def file_of(listed: ValueSet) -> Path:
    """The file of a long list, next to the manifest."""
    return Path("lists", f"{table_of(listed)}.json")


def _long_lists(catalog: Catalog) -> list[ValueSet]:
    versions = (version for filter_ in catalog.filters() for version in filter_.versions.values())
    return [listed for _, listed in long_lists(version.predicate.node for version in versions)]


def _macros_data(macros: Mapping[str, Macro]) -> dict[str, Any]:
    """The macros as JSON data."""
    result: dict[str, Any] = {}
    for row in macros.values():
        line = row.span.source.line_column(row.span.start)[0]
        result[row.name] = {
            "text": row.text,
            "meaning": row.meaning,
            "uses": list(row.uses),
            "source": row.span.source.name,
            "line": line,
        }
    return result


def tests_data(tests: Iterable[FilterTest]) -> list[dict[str, Any]]:
    """Tests as JSON data, sorted by their text: their order has no meaning."""
    result = [
        {
            "row": plain(test.row),
            "matches": test.matches,
            "version": test.version,
            "description": test.description,
            **({} if test.now is None else {"now": plain(test.now)}),
        }
        for test in tests
    ]
    return sorted(result, key=lambda test: json.dumps(test, sort_keys=True)) if len(result) > 1 else result


def bounds_data(bounds: Mapping[str, Bound]) -> dict[str, Any]:
    """Bounds as JSON data."""
    return {
        name: {
            "value": bound.value,
            "share": bound.share,
            "severity": bound.severity,
            **({} if bound.warn is None else {"warn": bound.warn}),
        }
        for name, bound in bounds.items()
    }


def _ages_data(key: str, limits: Sequence[tuple[Any, str]]) -> dict[str, Any]:
    """The limits of an age, each with its severity, as JSON data."""
    (limit, severity), *warning = limits
    return {key: limit, "severity": severity, **{name: stricter for stricter, name in warning}}


def _group_data(group: Group) -> dict[str, Any]:
    """A group as JSON data."""
    data: dict[str, Any] = {**msgspec.to_builtins(group), "limits": bounds_data(group.limits)}
    return {key: value for key, value in data.items() if key != "limits" or value}


def plain(value: Any) -> Any:
    """A YAML value as JSON data; a string for types that JSON does not have."""
    match value:
        case None | bool() | str():
            return None if value is None else value if isinstance(value, bool) else str(value)
        case int():
            return value if abs(value) < _EXACT_INTEGERS else str(value)
        case float():
            return value if math.isfinite(value) else str(value)
        case Mapping():
            return {str(key): plain(item) for key, item in value.items()}
        case list() | tuple():
            return [plain(item) for item in value]
        case _:
            return value.isoformat() if isinstance(value, date) else str(value)


_EXACT_INTEGERS = 2**63


def _dialects(dataset: DatasetHead) -> list[str]:
    """Spark and PostgreSQL, and the others unless the relation names other engines only."""
    return [
        name
        for name in backends.DIALECTS
        if name in backends.IN_EVERY_MANIFEST or not dataset.relation or name in dataset.relation
    ]


def _version(filter_: Filter, version: Version, dialects: Sequence[str]) -> dict[str, Any]:
    node = version.predicate.node
    sql: dict[str, str] = {}
    refused: dict[str, str] = {}
    shown = in_tables(for_acceptance(node) if filter_.on_unknown == "reject" else node)
    for name in dialects:
        try:
            sql[name] = backends.dialect(name).render(shown)
        except Unsupported as error:
            refused[name] = error.diagnostics[0].message
    native = _native(shown, sql)
    where = _where(shown, {**sql, **native}) if filter_.on_unknown == "reject" else {}
    fields = fields_of(node).values()
    return {
        "name": filter_.qualified,
        "dataset": filter_.dataset,
        "version": version.number,
        "latest": version.number == filter_.latest,
        "description": filter_.description,
        "owner": filter_.owner,
        "tags": list(filter_.tags),
        "language": version.language,
        "body": version.body,
        "on_unknown": filter_.on_unknown,
        "deprecated": version.deprecated,
        "hash": meaning_hash(node, filter_.on_unknown),
        "fields": {field.name: str(field.type) for field in fields},
        "columns": {
            name: [column for field in fields for column in columns_of(field, name)]
            for name in backends.DIALECTS
        },
        "types": _types(read_by([node]).values()),
        "params": [_param(param) for param in version.params.values()],
        "references": list(version.references),
        **({"reads_now": True} if version.predicate.reads_now else {}),
        "sql": sql,
        **({"native": native} if native else {}),
        **({"where": where} if where else {}),
        "refused": refused,
        **_more(filter_, version),
        "tree": to_data(node),
    }


def _types(fields: Iterable[FieldDecl]) -> list[str]:
    """The declared types of the columns in Spark: "" for those of expressions, which may have any."""
    return [
        "" if field.expression("spark") else stored_type("spark", field, str)
        for field in fields
        for _ in columns_of(field, "spark")
    ]


def _native(node: Node, sql: Collection[str]) -> dict[str, str]:
    """SQL that calls functions of an engine's extension, by dialect. Extensions read manifests, and older
    ones reject a manifest with unknown functions: only functions of every version are used.
    """
    return {
        engine.name: engine.render(node, runtime=functions)
        for engine, functions in _extensions(sql)
        if functions.serves(node)
    }


def _where(node: Node, others: Mapping[str, str]) -> dict[str, str]:
    """The condition of a WHERE for an engine's extension, by dialect: TRUE for the rows that the filter
    accepts, in forms that engines push down to files. Omitted if it equals the SQL in `others`.

    Older extensions ignore it. An extension that lacks one of its functions uses the other SQL.
    """
    result: dict[str, str] = {}
    for engine, _ in _extensions(others):
        with suppress(Unsupported):
            result[engine.name] = engine.render(node, condition=True, runtime=engine.runtime)
    return {name: text for name, text in result.items() if text != others[name]}


def _extensions(names: Collection[str]) -> Iterator[tuple[Dialect, Runtime]]:
    """The engines among `names` that have an extension, and the functions that all its versions have."""
    for engine in map(backends.dialect, names):
        if engine.runtime is not None and engine.runtime.of_every_extension is not None:
            yield engine, engine.runtime.of_every_extension


def _more(filter_: Filter, version: Version) -> dict[str, Any]:
    """The place of a version, its body before Jinja and, for the latest, the filter's tests and options."""
    place = version.span.outermost()
    result: dict[str, Any] = {"source": place.source.name, "line": place.source.line_column(place.start)[0]}
    if version.template != version.body:
        result["template"] = version.template
    if version.on is not None:
        result["on"] = version.on
    if version.number == filter_.latest:
        result |= {
            "tests": tests_data(filter_.tests),
            "coverage": bounds_data(filter_.coverage),
            "view": dict(filter_.view_options),
        }
    return result


def _param(param: ParamDecl) -> dict[str, Any]:
    default = None
    if not param.required:
        value = Literal(param.type, param.default)
        default = {name: backends.dialect(name).render(value) for name in backends.DIALECTS}
    return {
        "name": param.name,
        "type": str(param.type),
        "description": param.description,
        "default": default,
        "value": None if param.required else value_data(param.default),
    }


def write_manifest(manifest: dict[str, Any], path: Path, sign: Signer | None = None, **more: Any) -> None:
    """Write a manifest with one line per filter. It is written to a temporary file first, so that nobody
    reads a part of it.

    `more` has further entries of its first line, which has everything except the filters. `sign` signs the
    text.
    """
    rows = ",\n".join(_json(row) for row in manifest["filters"]) + "\n]}\n"
    head = {key: value for key, value in manifest.items() if key != "filters"}
    shown = _json({**head, **more, "content": text_hash(rows)})
    text = f'{shown[:-1]}, "filters": [\n{rows}'
    write_text(path, sign(text) if sign else text)


def _json(data: Any) -> str:
    return msgspec.json.encode(data, enc_hook=_text).decode()


def _text(value: Any) -> str:
    """Encode strings with a place as plain strings."""
    if isinstance(value, str):
        return str(value)
    raise NotImplementedError(type(value))


def read_head(path: Path) -> dict[str, Any] | None:
    """A manifest without its filters; None if the file is missing or incomplete."""
    try:
        first, _, rows = unsigned(path.read_text(encoding="utf-8")).partition("\n")
        head = json.loads(first + "]}")
    except (OSError, ValueError):
        return None
    return head if isinstance(head, dict) and head.get("content") == text_hash(rows) else None


def read_manifest(path: Path) -> dict[str, Any]:
    """A manifest as data. Raises PredicatError if it is missing, damaged or newer than this code."""
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise PredicatError.of(say_files.manifest_missing(str(path))) from None
    except (OSError, ValueError) as error:
        raise PredicatError.of(say_files.manifest_damaged(str(path), str(error))) from None
    if not isinstance(result, dict) or "format" not in result or "filters" not in result:
        raise PredicatError.of(say.no_manifest(str(path)))
    if result["format"] > FORMAT:
        raise PredicatError.of(say_files.manifest_newer(str(path), result["format"], FORMAT))
    return result
