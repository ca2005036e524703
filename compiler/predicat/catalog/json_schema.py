"""The JSON Schema of catalog files, from the keys that the reader supports."""

from __future__ import annotations

from predicat.backends import DIALECTS
from predicat.catalog import keys as d
from predicat.catalog.field_sets import INCLUDE
from predicat.catalog.file_formats import KEYS, KINDS, Key
from predicat.catalog.jobs import JOB
from predicat.catalog.keys import TEXT, Schema, mapping, named, part, some
from predicat.catalog.lists import LIST, VALUES
from predicat.language.pulsar.pip import OPERATORS, TYPES
from predicat.language.pulsar.spelling import REFS

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def json_schema() -> Schema:
    """The schema as data (draft 2020-12).

    The folder of a catalog also has files that definitions refer to: shared fields, and the values of lists.
    Editors check all of them with this one schema.
    """
    file = {**d.FILE, "relation": _relation(), "fields": _fields()}
    one_of_ours: Schema = {"anyOf": [{"required": [key]} for key in _OF_DEFINITIONS]}
    return {
        "$schema": DRAFT,
        "title": "predicat catalog file",
        "if": {"type": "array"},
        "then": VALUES | {"description": "The values of a list of the catalog."},
        "else": {
            "if": {"type": "object", "minProperties": 1, "not": one_of_ours},
            "then": _FIELDS | {"description": "Fields that datasets include."},
            "else": {"$ref": "#/$defs/definitions"},
        },
        "$defs": {"definitions": mapping(file, "apiVersion", "dataset"), **_parts()},
    }


# A mapping with one of these keys defines a dataset, though others may not be written yet.
_OF_DEFINITIONS = ("apiVersion", "dataset", "fields", "filters")


_DECLARED: Schema = {"anyOf": [part("type"), part("field")]}
_FIELDS = named(_DECLARED, "^[A-Za-z_]")


def _parts() -> Schema:
    """The shared parts of the schema, by name."""
    return {
        "name": {"type": "string", "pattern": "^[a-z][a-z0-9_]{0,62}$"},
        "type": d.about(
            "string",
            "As in Spark DDL: string, bigint, double, boolean, timestamp, date, "
            "decimal(p,s), array<t>, map<string, t>, struct<a: t>, json.",
        ),
        "field": mapping(d.FIELD, "type"),
        "param": {"anyOf": [part("type"), mapping(d.PARAM, "type")]},
        "filter": mapping(d.FILTER),
        "version": mapping(d.VERSION),
        "tests": {"type": "array", "items": mapping(d.TEST, "row", "matches")},
        "view": mapping(d.VIEW)
        | {"description": "The security options and the columns of PostgreSQL views."},
        "list": {
            "description": "A set of values: carrier IN list('regional').",
            "anyOf": [VALUES, mapping(LIST)],
        },
        "group": mapping(d.GROUP),
        "subscription": mapping(d.SUBSCRIPTION),
        "job": mapping(JOB, "source"),
        "policy": mapping(d.POLICY) | {"description": "A row policy of the table in PostgreSQL."},
        "attribute": mapping(d.ATTRIBUTE, "type", d.ATTRIBUTE_SQL)
        | {"description": "A value of the session that queries. A session without it has NULL."},
        "pip": _pip(),
        "composition": _composition(),
    }


def _of_format(key: Key) -> Schema:
    kind: Schema = d.TEXTS if key.several else {"enum": list(key.one_of)} if key.one_of else TEXT
    return {**kind, "description": key.about}


# The keys of files in a relation.
FILES: d.Keys = {
    **{kind: {**TEXT, "description": f"The path of {kind} files."} for kind in KINDS},
    **{name: _of_format(key) for name, key in KEYS.items()},
}


def _relation() -> Schema:
    files = {
        "type": "object",
        "properties": FILES,
        "additionalProperties": False,
        "oneOf": [{"required": [kind]} for kind in KINDS],
    }
    engines = {name: TEXT if name == "postgres" else {"anyOf": [TEXT, files]} for name in DIALECTS}
    return {
        "description": "The table or view: one name for all engines, or one per engine; or files.",
        "anyOf": [TEXT, {"type": "object", "properties": engines, "additionalProperties": False}],
    }


def _fields() -> Schema:
    files: Schema = {
        "description": "Files with more fields, or a field of this name.",
        "anyOf": [*_DECLARED["anyOf"], {"type": "array", "items": TEXT, "minItems": 1}],
    }
    return named(_DECLARED, rf"^(?!{INCLUDE}$)[A-Za-z_]") | {"properties": {INCLUDE: files}}


def _pip() -> Schema:
    scalar: Schema = {"type": ["string", "number"]}
    several: Schema = some(part("pip"), 2)
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "property": TEXT,
            "ref": {"enum": list(REFS)},
            "op": {"enum": list(OPERATORS)},
            "value": scalar,
            "values": {"type": "array", "minItems": 1, "items": scalar},
            "type": {"enum": list(TYPES)},
            "and": several,
            "or": several,
            "not": part("pip"),
        },
    }


def _composition() -> Schema:
    several: Schema = some(part("composition"))
    inner: Schema = {
        "type": "object",
        "minProperties": 1,
        "maxProperties": 1,
        "additionalProperties": False,
        "properties": {"all": several, "any": several, "not": part("composition")},
    }
    return {"anyOf": [{"type": "string", "description": "The name of a filter."}, inner]}
