"""The JSON Schema of catalog files, from the keys that the reader supports."""

from __future__ import annotations

from typing import Any

from predicat.backends import DIALECTS
from predicat.catalog import jobs, lists
from predicat.catalog import keys as d
from predicat.catalog.field_sets import INCLUDE
from predicat.catalog.file_formats import KEYS, KINDS, Key
from predicat.language import LANGUAGES
from predicat.language.pulsar.pip import OPERATORS, TYPES
from predicat.language.pulsar.spelling import REFS

Schema = dict[str, Any]
DRAFT = "https://json-schema.org/draft/2020-12/schema"
_TEXT: Schema = {"type": "string"}
_DESCRIPTION: Schema = {"type": "string", "description": "What it is for, in a sentence."}


def json_schema() -> Schema:
    """The schema as data (draft 2020-12).

    The folder of a catalog also has files that definitions refer to: shared fields, and the values of lists.
    Editors check all of them with this one schema.
    """
    one_of_ours: Schema = {"anyOf": [{"required": [key]} for key in _OF_DEFINITIONS]}
    return {
        "$schema": DRAFT,
        "title": "predicat catalog file",
        "if": {"type": "array"},
        "then": _values() | {"description": "The values of a list of the catalog."},
        "else": {
            "if": {"type": "object", "minProperties": 1, "not": one_of_ours},
            "then": _declared() | {"description": "Fields that datasets include."},
            "else": {"$ref": "#/$defs/definitions"},
        },
        "$defs": {"definitions": _definitions(), **_parts()},
    }


# A mapping with one of these keys defines a dataset, though others may not be written yet.
_OF_DEFINITIONS = ("apiVersion", "dataset", "fields", "filters")


def _definitions() -> Schema:
    return {
        **shape(
            d.FILE_KEYS,
            {
                "apiVersion": {"const": d.API_VERSION},
                "dataset": {"$ref": "#/$defs/name"},
                "description": _DESCRIPTION,
                "relation": _relation(),
                "key": {
                    "description": "The fields that identify a row. Samples of a review show them.",
                    "anyOf": [_TEXT, {"type": "array", "items": _TEXT, "minItems": 1}],
                },
                "fields": _fields(),
                "enums": _named(
                    {
                        "type": "object",
                        "patternProperties": {r"^[A-Za-z_]\w*$": {"type": ["integer", "string"]}},
                        "additionalProperties": False,
                        "description": (
                            "Named constants: with Status: {ACTIVE: 1} a filter can use Status.ACTIVE."
                        ),
                    },
                    r"^[A-Za-z_][\w.]*$",
                ),
                "lists": _named({"$ref": "#/$defs/list"}),
                "filters": _named({"$ref": "#/$defs/filter"}),
                "groups": _named({"$ref": "#/$defs/group"}),
                "subscriptions": _named({"$ref": "#/$defs/subscription"}, r"^[A-Za-z0-9]"),
                "jobs": _named({"$ref": "#/$defs/job"}),
                "tests": {
                    "type": "object",
                    "description": "Tests of filters of the dataset, by the name of the filter.",
                    "additionalProperties": {"$ref": "#/$defs/tests"},
                },
                "now": _NOW,
                "baseline": shape(
                    d.BASELINE_KEYS,
                    {
                        "max_age": {"type": "string", "pattern": r"^\d{1,4} days?$"},
                        "severity": {"enum": list(d.SEVERITIES)},
                    },
                )
                | {"required": ["max_age"]},
                "view": {"$ref": "#/$defs/view"},
                "indexes": {
                    "type": "array",
                    "items": _TEXT,
                    "description": (
                        "Indexes of the relation in PostgreSQL: what follows the table in CREATE INDEX, such "
                        "as (lower(name)) or USING gin (headers)."
                    ),
                },
                "collation": {
                    "type": "string",
                    "description": "The collation of strings in PostgreSQL, such as C or en_US.UTF-8.",
                },
                "spark": shape(
                    d.SPARK_KEYS,
                    {
                        "ansi": {
                            "type": "boolean",
                            "description": (
                                "Whether spark conditions mean what Spark means in ANSI mode "
                                "(spark.sql.ansi.enabled). Default: true."
                            ),
                        }
                    },
                ),
                "rows": _rows(),
                "freshness": shape(
                    d.FRESHNESS_KEYS,
                    {
                        "column": {"type": "string", "description": "A field of type timestamp or date."},
                        "at_most": {"type": "string", "pattern": r"^\d{1,6} (minute|hour|day|week)s?$"},
                        "severity": {"enum": list(d.SEVERITIES)},
                    },
                )
                | {"required": ["column", "at_most"]},
                "vars": {"type": "object"},
            },
        ),
        "required": ["apiVersion", "dataset"],
    }


def _parts() -> Schema:
    """The shared parts of the schema, by name."""
    return {
        "name": {"type": "string", "pattern": "^[a-z][a-z0-9_]{0,62}$"},
        "type": {
            "type": "string",
            "description": "As in Spark DDL: string, bigint, double, boolean, timestamp, date, "
            "decimal(p,s), array<t>, map<string, t>, struct<a: t>, json.",
        },
        "field": _field(),
        "param": _param(),
        "filter": _filter(),
        "version": _version(),
        "tests": _tests(),
        "view": shape((*d.VIEW_KEYS, d.VIEW_REASON, d.VIEW_COLUMNS), _view())
        | {"description": "The security options and the columns of PostgreSQL views."},
        "list": _list(),
        "group": shape(
            d.GROUP_KEYS,
            {
                "filters": {"type": "array", "items": _TEXT},
                "exclusive": {"type": "boolean"},
                "severity": {"enum": list(d.SEVERITIES)},
                "exhaustive": {"type": "boolean"},
                "description": _DESCRIPTION,
            },
        ),
        "subscription": shape(
            d.SUBSCRIPTION_KEYS,
            {
                "filter": _TEXT,
                "description": _DESCRIPTION,
                "properties": {"type": "object", "additionalProperties": _TEXT},
            },
        ),
        "job": _job(),
        "pip": _pip(),
        "composition": _composition(),
    }


def shape(keys: tuple[str, ...], properties: Schema) -> Schema:
    """A mapping with exactly these keys. Raises AssertionError if the reader's keys differ."""
    if set(keys) != set(properties):
        raise AssertionError(f"the schema and the reader differ: {sorted(set(keys) ^ set(properties))}")
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _view() -> Schema:
    meaning = "Why a view with security_invoker: false has security_barrier: false."
    return {
        **{key: {"type": "boolean"} for key in d.VIEW_KEYS},
        d.VIEW_REASON: {"type": "string", "minLength": 1, "description": meaning},
        d.VIEW_COLUMNS: {
            "type": "array",
            "items": _TEXT,
            "minItems": 1,
            "uniqueItems": True,
            "description": "The columns of the relation that a view shows. Default: all.",
        },
    }


def _named(inner: Schema, pattern: str = "^[a-z]") -> Schema:
    return {"type": "object", "patternProperties": {pattern: inner}, "additionalProperties": False}


def _values() -> Schema:
    return {"type": "array", "items": {"type": ["string", "integer", "number"]}}


def _list() -> Schema:
    values = _values()
    more: Schema = {
        "values": values,
        "file": {"type": "string", "description": "A CSV or YAML file in the folder of this file, or below."},
        "column": {"type": "string", "description": "The column of a CSV file."},
    }
    version: Schema = {"anyOf": [values, shape(lists.VERSION_KEYS, more)]}
    whole = shape(
        lists.LIST_KEYS,
        {
            "description": _DESCRIPTION,
            "type": {"$ref": "#/$defs/type"},
            **more,
            "versions": _named(version, "^[1-9]"),
            "latest": {"type": "integer", "minimum": 1},
        },
    )
    return {"description": "A set of values: carrier IN list('regional').", "anyOf": [values, whole]}


def _per_dialect(description: str) -> Schema:
    each = {"type": "object", "properties": dict.fromkeys(DIALECTS, _TEXT), "additionalProperties": False}
    return {"description": description, "anyOf": [_TEXT, each]}


def _relation() -> Schema:
    words: Schema = {"anyOf": [_TEXT, {"type": "array", "items": _TEXT, "minItems": 1}]}

    def of_key(key: Key) -> Schema:
        kind: Schema = words if key.several else {"enum": list(key.one_of)} if key.one_of else _TEXT
        return {**kind, "description": key.about}

    files = {
        "type": "object",
        "properties": {
            **{kind: {**_TEXT, "description": f"The path of {kind} files."} for kind in KINDS},
            **{name: of_key(key) for name, key in KEYS.items()},
        },
        "additionalProperties": False,
        "oneOf": [{"required": [kind]} for kind in KINDS],
    }
    engines = {name: _TEXT if name == "postgres" else {"anyOf": [_TEXT, files]} for name in DIALECTS}
    return {
        "description": "The table or view: one name for all engines, or one per engine; or files.",
        "anyOf": [_TEXT, {"type": "object", "properties": engines, "additionalProperties": False}],
    }


_DECLARED: Schema = {"anyOf": [{"$ref": "#/$defs/type"}, {"$ref": "#/$defs/field"}]}


def _declared() -> Schema:
    return _named(_DECLARED, "^[A-Za-z_]")


def _fields() -> Schema:
    files: Schema = {
        "description": "Files with more fields, or a field of this name.",
        "anyOf": [*_DECLARED["anyOf"], {"type": "array", "items": _TEXT, "minItems": 1}],
    }
    return _named(_DECLARED, rf"^(?!{INCLUDE}$)[A-Za-z_]") | {"properties": {INCLUDE: files}}


def _field() -> Schema:
    return shape(
        d.FIELD_KEYS,
        {
            "type": {"$ref": "#/$defs/type"},
            "description": _DESCRIPTION,
            "column": _per_dialect("The physical column, if its name differs."),
            "expression": {
                "type": "object",
                "properties": dict.fromkeys(DIALECTS, _TEXT),
                "additionalProperties": False,
                "description": "SQL over the columns of the relation, by engine, instead of a column.",
            },
            "nulls": {
                "enum": ["absent", "value"],
                "description": "Whether NULL is a missing value (default) or CEL's null.",
            },
            "min": {"type": ["number", "string"], "description": "The smallest value of a number."},
            "max": {"type": ["number", "string"], "description": "The largest value of a number."},
        },
    ) | {"required": ["type"]}


def _param() -> Schema:
    full = shape(d.PARAM_KEYS, {"type": {"$ref": "#/$defs/type"}, "default": {}, "description": _DESCRIPTION})
    return {"anyOf": [{"$ref": "#/$defs/type"}, full | {"required": ["type"]}]}


_CLASSES: Schema = {
    "anyOf": [
        {"type": "string", "description": "package.module.Class, or the name of a provider."},
        {"type": "array", "minItems": 1, "items": _TEXT},
    ]
}


def _bodies() -> Schema:
    shapes: dict[str, Schema] = {"pip": {"$ref": "#/$defs/pip"}, "not": {"$ref": "#/$defs/composition"}}
    several: Schema = {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/composition"}}
    shapes |= {"all": several, "any": several, "python": _CLASSES}
    plain: dict[str, Schema] = {
        "text": _TEXT,
        "data": {"type": ["object", "array"]},
        "either": {"type": ["object", "string"]},
    }
    return {
        name: {"description": row.doc, **shapes.get(name, plain[row.shape])}
        for name, row in LANGUAGES.items()
    }


def _own() -> Schema:
    return {
        "params": _named({"$ref": "#/$defs/param"}),
        "deprecated": {"type": "string", "format": "date"},
        "on": {"type": "string", "description": "The field that key-based languages read from."},
        "after": {
            "type": "string",
            "description": "The native filter that an entry filter (python) runs after.",
        },
    }


def _version() -> Schema:
    return shape((*d.BODY_KEYS, *LANGUAGES), {**_own(), **_bodies()})


_NOW: Schema = {
    "type": "string",
    "description": "The current time of tests of filters that read it (UTC), such as 2026-02-01 10:00:00.",
}


def _tests() -> Schema:
    test = shape(
        d.TEST_KEYS,
        {
            "row": {"type": "object"},
            "matches": {"enum": [True, False, "unknown"]},
            "version": {"type": "integer", "minimum": 1},
            "description": _DESCRIPTION,
            "now": _NOW,
        },
    )
    return {"type": "array", "items": test | {"required": ["row", "matches"]}}


_NUMBER: Schema = {"type": "number"}
_SHARE: Schema = {"type": "string", "pattern": r"^\d+(\.\d+)?\s*%$"}


def _bound(value: Schema) -> Schema:
    severity: Schema = {"enum": list(d.SEVERITIES)}
    return {
        "anyOf": [
            value,
            shape(d.BOUND_KEYS, {"value": value, "severity": severity}) | {"required": ["value"]},
        ]
    }


def _rows() -> Schema:
    """Bounds on the number of rows of a dataset."""
    number, share = _bound({"type": "integer", "minimum": 0}), _bound(_SHARE)
    return shape(d.ROWS_KEYS, {"at_least": number, "at_most": number, "drift": share})


def _filter() -> Schema:
    bound = _bound({"anyOf": [_NUMBER, _SHARE]})
    return shape(
        (*d.FILTER_KEYS, *LANGUAGES),
        {
            "description": _DESCRIPTION,
            "owner": _TEXT,
            "tags": {"type": "array", "items": _TEXT},
            "latest": {"type": "integer", "minimum": 1},
            "versions": {
                "type": "object",
                "patternProperties": {r"^\d+$": {"$ref": "#/$defs/version"}},
                "additionalProperties": False,
            },
            "tests": {"$ref": "#/$defs/tests"},
            "coverage": shape(d.COVERAGE_KEYS, dict.fromkeys(d.COVERAGE_KEYS, bound)),
            "view": {"$ref": "#/$defs/view"},
            "on_unknown": {
                "enum": ["reject", "accept"],
                "description": "Whether rows are accepted for which the filter is UNKNOWN.",
            },
            **_own(),
            **_bodies(),
        },
    )


_OPTIONS: Schema = {
    "type": "object",
    "additionalProperties": {"type": ["string", "number", "boolean"]},
    "description": "Options of Spark's format.",
}
_TEXTS: Schema = {"anyOf": [_TEXT, {"type": "array", "items": _TEXT, "minItems": 1}]}


def _job() -> Schema:
    source = shape(
        jobs.SOURCE_KEYS,
        {
            "table": _TEXT,
            "path": _TEXTS,
            "format": {
                "type": "string",
                "description": "parquet, orc, csv, json, jdbc or any other format of Spark.",
            },
            "options": _OPTIONS,
            "schema": {
                "type": "string",
                "description": "The columns in Spark DDL, for files without a schema.",
            },
        },
    )
    one = shape(jobs.JOB_FILTER_KEYS, {"filter": _TEXT, "name": _TEXT, "params": {"type": "object"}}) | {
        "required": ["filter"]
    }
    sink = shape(
        jobs.SINK_KEYS,
        {
            "path": _TEXT,
            "table": _TEXT,
            "jdbc": {"type": "string", "description": "The DSN of PostgreSQL: postgresql://..."},
            "format": _TEXT,
            "options": _OPTIONS,
            "partition_by": _TEXTS,
            "rows": {"enum": list(jobs.ROWS)},
            "filters": _TEXTS,
        },
    )
    return shape(
        jobs.JOB_KEYS,
        {
            "description": _DESCRIPTION,
            "owner": _TEXT,
            "source": {
                "anyOf": [_TEXT, source],
                "description": "The name of a table, or where rows come from.",
            },
            "filters": {
                "anyOf": [{"enum": list(jobs.EVERY)}, {"type": "array", "items": {"anyOf": [_TEXT, one]}}]
            },
            "sinks": {"type": "array", "items": sink},
            "mode": {"enum": list(jobs.MODES)},
            "bad_records": {"enum": list(jobs.BAD_RECORDS)},
            "passes": {"enum": list(jobs.PASSES)},
            "checkpoint": {
                "type": "string",
                "description": (
                    "The folder where Spark stores what the job has read. The job then reads only new rows."
                ),
            },
            "range": {"type": "string", "description": "The field of --from and --to."},
            "state": {
                "type": "string",
                "description": "The folder of the records of runs. Default: next to the sinks.",
            },
            "tries": {
                "type": "integer",
                "minimum": 1,
                "maximum": jobs.MOST_TRIES,
                "description": "How often an entry filter gets a row that it reschedules. Default: 10.",
            },
        },
    ) | {"required": ["source"]}


def _pip() -> Schema:
    scalar: Schema = {"type": ["string", "number"]}
    several: Schema = {"type": "array", "minItems": 2, "items": {"$ref": "#/$defs/pip"}}
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "property": _TEXT,
            "ref": {"enum": list(REFS)},
            "op": {"enum": list(OPERATORS)},
            "value": scalar,
            "values": {"type": "array", "minItems": 1, "items": scalar},
            "type": {"enum": list(TYPES)},
            "and": several,
            "or": several,
            "not": {"$ref": "#/$defs/pip"},
        },
    }


def _composition() -> Schema:
    several: Schema = {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/composition"}}
    inner: Schema = {
        "type": "object",
        "minProperties": 1,
        "maxProperties": 1,
        "additionalProperties": False,
        "properties": {"all": several, "any": several, "not": {"$ref": "#/$defs/composition"}},
    }
    return {"anyOf": [{"type": "string", "description": "The name of a filter."}, inner]}
