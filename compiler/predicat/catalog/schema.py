"""The JSON Schema of catalog files, from the same keys that the reader knows."""

from __future__ import annotations

from typing import Any

from predicat.backends import DIALECTS
from predicat.catalog import definitions as d
from predicat.frontends import LANGUAGES
from predicat.frontends.pip import OPERATORS, REFS, TYPES

Schema = dict[str, Any]
_TEXT: Schema = {"type": "string"}
_DESCRIPTION: Schema = {"type": "string", "description": "What it is for, in a sentence."}


def json_schema() -> Schema:
    """The schema as data (draft 2020-12)."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "predicat catalog file",
        **_object(d.FILE_KEYS, {
            "apiVersion": {"const": d.API_VERSION},
            "dataset": {"$ref": "#/$defs/name"},
            "description": _DESCRIPTION,
            "relation": _per_dialect("The table or view, for all engines or for each."),
            "key": {"description": "The fields that name a row; samples of a review show them.",
                    "anyOf": [_TEXT, {"type": "array", "items": _TEXT, "minItems": 1}]},
            "fields": _named({"anyOf": [{"$ref": "#/$defs/type"}, {"$ref": "#/$defs/field"}]}, r"^[A-Za-z_]"),
            "enums": _named({"type": "object", "patternProperties": {r"^[A-Za-z_]\w*$": {"type": ["integer", "string"]}}, "additionalProperties": False,
                             "description": "Words for constants: Status: {ACTIVE: 1}, and a filter says Status.ACTIVE."}, r"^[A-Za-z_][\w.]*$"),
            "filters": _named({"$ref": "#/$defs/filter"}),
            "groups": _named({"$ref": "#/$defs/group"}),
            "subscriptions": _named({"$ref": "#/$defs/subscription"}, r"^[A-Za-z0-9]"),
            "tests": {"type": "object", "description": "Tests of the dataset's filters, by the name of the filter.",
                      "additionalProperties": {"$ref": "#/$defs/tests"}},
            "baseline": _object(d.BASELINE_KEYS, {"max_age": {"type": "string", "pattern": r"^\d{1,4} days?$"}, "severity": {"enum": list(d.SEVERITIES)}})
            | {"required": ["max_age"]},
            "view": {"$ref": "#/$defs/view"},
            "rows": _rows(),
            "freshness": _object(d.FRESHNESS_KEYS, {
                "column": {"type": "string", "description": "A field of type timestamp or date."},
                "at_most": {"type": "string", "pattern": r"^\d{1,6} (minute|hour|day|week)s?$"},
                "severity": {"enum": list(d.SEVERITIES)},
            }) | {"required": ["column", "at_most"]},
            "vars": {"type": "object"},
        }),
        "required": ["apiVersion", "dataset"],
        "$defs": {
            "name": {"type": "string", "pattern": "^[a-z][a-z0-9_]{0,62}$"},
            "type": {"type": "string", "description": "As in Spark DDL: string, bigint, double, boolean, timestamp, date, "
                     "decimal(p,s), array<t>, map<string, t>, struct<a: t>, json."},
            "field": _field(), "param": _param(), "filter": _filter(), "version": _version(),
            "tests": _tests(),
            "view": _object(d.VIEW_KEYS, {key: {"type": "boolean"} for key in d.VIEW_KEYS})
            | {"description": "The security options of PostgreSQL views."},
            "group": _object(d.GROUP_KEYS, {"filters": {"type": "array", "items": _TEXT}, "exclusive": {"type": "boolean"}, "severity": {"enum": list(d.SEVERITIES)},
                             "exhaustive": {"type": "boolean"}, "description": _DESCRIPTION}),
            "subscription": _object(d.SUBSCRIPTION_KEYS, {"filter": _TEXT, "description": _DESCRIPTION,
                                    "properties": {"type": "object", "additionalProperties": _TEXT}}),
            "pip": _pip(), "composition": _composition(),
        },
    }  # fmt: skip


def _object(keys: tuple[str, ...], properties: Schema) -> Schema:
    if set(keys) != set(properties):
        raise AssertionError(f"the schema and the reader differ: {sorted(set(keys) ^ set(properties))}")
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _named(inner: Schema, pattern: str = "^[a-z]") -> Schema:
    return {"type": "object", "patternProperties": {pattern: inner}, "additionalProperties": False}


def _per_dialect(description: str) -> Schema:
    each = {"type": "object", "properties": dict.fromkeys(DIALECTS, _TEXT), "additionalProperties": False}
    return {"description": description, "anyOf": [_TEXT, each]}


def _field() -> Schema:
    return _object(d.FIELD_KEYS, {
        "type": {"$ref": "#/$defs/type"}, "description": _DESCRIPTION,
        "column": _per_dialect("The physical column, where it differs from the name."),
        "nulls": {"enum": ["absent", "value"], "description": "Whether NULL is a missing value or CEL's null."},
    }) | {"required": ["type"]}  # fmt: skip


def _param() -> Schema:
    full = _object(
        d.PARAM_KEYS, {"type": {"$ref": "#/$defs/type"}, "default": {}, "description": _DESCRIPTION}
    )
    return {"anyOf": [{"$ref": "#/$defs/type"}, full | {"required": ["type"]}]}


def _bodies() -> Schema:
    shapes: dict[str, Schema] = {"pip": {"$ref": "#/$defs/pip"}, "not": {"$ref": "#/$defs/composition"}}
    several: Schema = {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/composition"}}
    shapes |= {"all": several, "any": several}
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
        "on": {"type": "string", "description": "The field that a language of keys reads from."},
    }


def _version() -> Schema:
    return _object((*d.BODY_KEYS, *LANGUAGES), {**_own(), **_bodies()})


def _tests() -> Schema:
    test = _object(d.TEST_KEYS, {
        "row": {"type": "object"}, "matches": {"enum": [True, False, "unknown"]}, "version": {"type": "integer", "minimum": 1},
        "description": _DESCRIPTION,
    })  # fmt: skip
    return {"type": "array", "items": test | {"required": ["row", "matches"]}}


_NUMBER: Schema = {"type": "number"}
_SHARE: Schema = {"type": "string", "pattern": r"^\d+(\.\d+)?\s*%$"}


def _bound(value: Schema) -> Schema:
    severity: Schema = {"enum": list(d.SEVERITIES)}
    return {
        "anyOf": [
            value,
            _object(d.BOUND_KEYS, {"value": value, "severity": severity}) | {"required": ["value"]},
        ]
    }


def _rows() -> Schema:
    """Bounds on the number of rows of a dataset."""
    number, share = _bound({"type": "integer", "minimum": 0}), _bound(_SHARE)
    return _object(d.ROWS_KEYS, {"at_least": number, "at_most": number, "drift": share})


def _filter() -> Schema:
    bound = _bound({"anyOf": [_NUMBER, _SHARE]})
    return _object((*d.FILTER_KEYS, *LANGUAGES), {
        "description": _DESCRIPTION, "owner": _TEXT, "tags": {"type": "array", "items": _TEXT},
        "latest": {"type": "integer", "minimum": 1},
        "versions": {"type": "object", "patternProperties": {r"^\d+$": {"$ref": "#/$defs/version"}}, "additionalProperties": False},
        "tests": {"$ref": "#/$defs/tests"},
        "coverage": _object(d.COVERAGE_KEYS, dict.fromkeys(d.COVERAGE_KEYS, bound)),
        "view": {"$ref": "#/$defs/view"},
        "on_unknown": {"enum": ["reject", "accept"], "description": "What a row gets for which the filter is UNKNOWN."},
        **_own(), **_bodies(),
    })  # fmt: skip


def _pip() -> Schema:
    scalar: Schema = {"type": ["string", "number"]}
    several: Schema = {"type": "array", "minItems": 2, "items": {"$ref": "#/$defs/pip"}}
    return {
        "type": "object", "additionalProperties": False,
        "properties": {
            "property": _TEXT, "ref": {"enum": list(REFS)}, "op": {"enum": list(OPERATORS)}, "value": scalar,
            "values": {"type": "array", "minItems": 1, "items": scalar}, "type": {"enum": list(TYPES)},
            "and": several, "or": several, "not": {"$ref": "#/$defs/pip"},
        },
    }  # fmt: skip


def _composition() -> Schema:
    several: Schema = {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/composition"}}
    inner: Schema = {"type": "object", "minProperties": 1, "maxProperties": 1, "additionalProperties": False,
                     "properties": {"all": several, "any": several, "not": {"$ref": "#/$defs/composition"}}}  # fmt: skip
    return {"anyOf": [{"type": "string", "description": "The name of a filter."}, inner]}
