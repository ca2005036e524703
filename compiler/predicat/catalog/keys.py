"""The keys of catalog files, each declared once: its name, and as JSON Schema its type, its values and its
meaning. The names that may be given are below.

The reader of definitions, the JSON Schema and the editor take them from here. Those of jobs and of lists are
beside their readers.
"""

import re
from typing import Any

from predicat.backends import DIALECTS
from predicat.language import LANGUAGES

Schema = dict[str, Any]
# The keys of a mapping.
Keys = dict[str, Schema]


def mapping(keys: Keys, *required: str) -> Schema:
    """The schema of a mapping with exactly these keys."""
    needed: Schema = {"required": list(required)} if required else {}
    return {"type": "object", "properties": keys, "additionalProperties": False, **needed}


def named(inner: Schema, pattern: str = "^[a-z]") -> Schema:
    """The schema of a mapping of names."""
    return {"type": "object", "patternProperties": {pattern: inner}, "additionalProperties": False}


def part(name: str) -> Schema:
    """The schema of a shared part."""
    return {"$ref": f"#/$defs/{name}"}


def some(inner: Schema, least: int = 1) -> Schema:
    """The schema of a list that is not empty."""
    return {"type": "array", "minItems": least, "items": inner}


def about(kind: str, description: str) -> Schema:
    """The schema of a value of a type, with what it is."""
    return {"type": kind, "description": description}


API_VERSION = "predicat/v1"
SEVERITIES = ("error", "warn")
TEXT: Schema = {"type": "string"}
TEXTS: Schema = {"anyOf": [TEXT, {"type": "array", "items": TEXT, "minItems": 1}]}
DESCRIPTION = about("string", "What it is for, in a sentence.")
_SEVERITY: Schema = {"enum": list(SEVERITIES)}
_BOOLEAN: Schema = {"type": "boolean"}
_SHARE: Schema = {"type": "string", "pattern": r"^\d+(\.\d+)?\s*%$"}
_PER_DIALECT: Schema = {
    "type": "object",
    "properties": dict.fromkeys(DIALECTS, TEXT),
    "additionalProperties": False,
}
_NOW = about(
    "string", "The current time of tests of filters that read it (UTC), such as 2026-02-01 10:00:00."
)


def _bound(value: Schema) -> Schema:
    with_severity = mapping({"value": value, "severity": _SEVERITY}, "value")
    return {"anyOf": [value, with_severity, _thresholds(value)]}


def _thresholds(value: Schema) -> Schema:
    return {**mapping({key: {**about, **value} for key, about in THRESHOLDS.items()}), "minProperties": 1}


THRESHOLDS: Keys = {
    "warn": {"description": "Behind this limit the bound warns."},
    "error": {"description": "Behind this limit the bound fails."},
}
BOUND: Keys = {"value": {}, "severity": _SEVERITY, **THRESHOLDS}


FIELD: Keys = {
    "type": part("type"),
    "description": DESCRIPTION,
    "column": {"description": "The physical column, if its name differs.", "anyOf": [TEXT, _PER_DIALECT]},
    "zone": about("string", "The time zone of a timestamp whose column holds local times: Europe/Berlin."),
    "expression": {
        **_PER_DIALECT,
        "description": "SQL over the columns of the relation, by engine, instead of a column.",
    },
    "nulls": {
        "enum": ["absent", "value"],
        "description": "Whether NULL is a missing value (default) or CEL's null.",
    },
    "min": {"type": ["number", "string"], "description": "The smallest value of a number."},
    "max": {"type": ["number", "string"], "description": "The largest value of a number."},
    "sensitive": about("boolean", "Whether values are masked wherever people see them. Default: false."),
}
PARAM: Keys = {"type": part("type"), "default": {}, "description": DESCRIPTION}
_ROWS_OR_SHARE: Schema = {"anyOf": [{"type": "number"}, _SHARE]}
COVERAGE: Keys = dict.fromkeys(
    ("at_least", "at_most", "unknown_at_most", "drift"), _bound(_ROWS_OR_SHARE)
) | {"anomaly": _bound(_SHARE)}


def _age(pattern: str) -> Schema:
    value: Schema = {"type": "string", "pattern": pattern}
    return {"anyOf": [value, _thresholds(value)]}


_COUNT = _bound({"type": "integer", "minimum": 0})
ROWS: Keys = {"at_least": _COUNT, "at_most": _COUNT, "drift": _bound(_SHARE), "anomaly": _bound(_SHARE)}
FRESHNESS: Keys = {
    "column": about("string", "A field of type timestamp or date."),
    "at_most": _age(r"^\d{1,6} (minute|hour|day|week)s?$"),
    "severity": _SEVERITY,
}
PARTITION: Keys = {
    "column": about("string", "A field of type timestamp or date."),
    "by": {"enum": ["hour", "day", "week", "month"]},
    "zone": about("string", "The time zone of a timestamp's days, such as Europe/Berlin. Default: UTC."),
}
BASELINE: Keys = {"max_age": _age(r"^\d{1,4} days?$"), "severity": _SEVERITY}
SPARK: Keys = {
    "ansi": about(
        "boolean",
        "Whether spark conditions mean what Spark means in ANSI mode (spark.sql.ansi.enabled). "
        "Default: true.",
    )
}
VIEW_REASON, VIEW_COLUMNS, VIEW_FUNCTION = "reason", "columns", "function"
VIEW_MATERIALIZED = "materialized"
VIEW_OPTIONS: Keys = {"security_invoker": _BOOLEAN, "security_barrier": _BOOLEAN}
VIEW: Keys = {
    **VIEW_OPTIONS,
    VIEW_FUNCTION: about(
        "boolean",
        "Whether there is also a function dataset__filter(relation), for indexes, policies and queries.",
    ),
    VIEW_MATERIALIZED: about(
        "boolean", "Whether it is a materialized view, whose rows are those of its last refresh."
    ),
    VIEW_REASON: {
        "type": "string",
        "minLength": 1,
        "description": "Why a view with security_invoker: false has security_barrier: false.",
    },
    VIEW_COLUMNS: {
        "type": "array",
        "items": TEXT,
        "minItems": 1,
        "uniqueItems": True,
        "description": "The columns of the relation that a view shows. Default: all.",
    },
}
TEST: Keys = {
    "row": {"type": "object"},
    "matches": {"enum": [True, False, "unknown"]},
    "version": {"type": "integer", "minimum": 1},
    "description": DESCRIPTION,
    "now": _NOW,
}
GROUP_CONDITIONS: tuple[str, ...] = ("exclusive", "exhaustive")
_LIMIT: Schema = {"anyOf": [_BOOLEAN, _thresholds(_ROWS_OR_SHARE)]}
GROUP: Keys = {
    "filters": {"type": "array", "items": TEXT},
    "exclusive": _LIMIT,
    "severity": _SEVERITY,
    "exhaustive": _LIMIT,
    "description": DESCRIPTION,
}
SUBSCRIPTION: Keys = {
    "filter": TEXT,
    "description": DESCRIPTION,
    "properties": {"type": "object", "additionalProperties": TEXT},
}
ATTRIBUTE_SQL = "postgres"
ATTRIBUTE: Keys = {
    "type": part("type"),
    ATTRIBUTE_SQL: about(
        "string",
        "What PostgreSQL reads it from: current_setting('app.tenant'), current_user, auth.uid(), "
        "pg_has_role('staff', 'member'), with a cast or ->>.",
    ),
    "description": DESCRIPTION,
}
POLICY_COMMANDS = ("all", "select", "insert", "update", "delete")
POLICY_FILTER: Keys = {
    "filter": about("string", "A filter of the dataset."),
    "params": about("object", "Values of its parameters. The others are attributes of their names."),
}
_OUTCOME = about("boolean", "Whether it sees the row that is there, or may write the new row.")
POLICY_TEST: Keys = {
    "as": about("object", "The role, and the attributes of its session: {role: reader, tenant: 7}."),
    "row": {"type": "object"},
    "sees": _OUTCOME,
    "writes": _OUTCOME,
    "command": {"enum": list(POLICY_COMMANDS[1:]), "description": "Default: that of the policy."},
    "now": _NOW,
    "description": DESCRIPTION,
}
_OF_POLICY: Schema = {"anyOf": [TEXT, mapping(POLICY_FILTER, "filter")]}
POLICY: Keys = {
    "command": {"enum": list(POLICY_COMMANDS), "description": "The command that it is for. Default: all."},
    "roles": {"description": "The roles that it is for. Default: public, which is all of them.", **TEXTS},
    "permissive": about("boolean", "Whether it lets rows through. false: it must be TRUE, too."),
    "using": {"description": "The filter of the rows that are there.", **_OF_POLICY},
    "check": {"description": "The filter of new rows. Default: that of using.", **_OF_POLICY},
    "table": about("string", "The table. Default: the relation of the dataset on PostgreSQL."),
    "description": DESCRIPTION,
    "tests": {"type": "array", "items": mapping(POLICY_TEST, "as", "row")},
}

_CLASSES: Schema = {
    "anyOf": [
        about("string", "package.module.Class, or the name of a provider."),
        {"type": "array", "minItems": 1, "items": TEXT},
    ]
}
_OF_SHAPE: Keys = {
    "text": TEXT,
    "data": {"type": ["object", "array"]},
    "either": {"type": ["object", "string"]},
}
_OF_LANGUAGE: Keys = {
    "pip": part("pip"),
    "not": part("composition"),
    **dict.fromkeys(("all", "any"), some(part("composition"))),
    "python": _CLASSES,
}
# The body of a filter.
BODY: Keys = {
    name: {"description": row.doc, **_OF_LANGUAGE.get(name, _OF_SHAPE[row.shape])}
    for name, row in LANGUAGES.items()
}
# What stands beside the body in a filter or a version of it.
BESIDE_BODY: Keys = {
    "params": named(part("param")),
    "deprecated": {"type": "string", "format": "date"},
    "on": about("string", "The field that key-based languages read from."),
    "after": about("string", "The native filter that an entry filter (python) runs after."),
}
VERSION: Keys = {**BESIDE_BODY, **BODY}
FILTER: Keys = {
    "description": DESCRIPTION,
    "owner": TEXT,
    "tags": {"type": "array", "items": TEXT},
    "latest": {"type": "integer", "minimum": 1},
    "versions": named(part("version"), r"^\d+$"),
    "tests": part("tests"),
    "coverage": mapping(COVERAGE),
    "view": part("view"),
    "on_unknown": {
        "enum": ["reject", "accept"],
        "description": "Whether rows are accepted for which the filter is UNKNOWN.",
    },
    **VERSION,
}
FILE: Keys = {
    "apiVersion": {"const": API_VERSION},
    "dataset": part("name"),
    "description": DESCRIPTION,
    "relation": {},  # in json_schema, with what files have
    "key": {"description": "The fields that identify a row. Samples of a review show them.", **TEXTS},
    "fields": {},  # as above
    "enums": named(
        {
            **named({"type": ["integer", "string"]}, r"^[A-Za-z_]\w*$"),
            "description": "Named constants: with Status: {ACTIVE: 1} a filter can use Status.ACTIVE.",
        },
        r"^[A-Za-z_][\w.]*$",
    ),
    **{f"{kind}s": named(part(kind)) for kind in ("list", "filter", "group")},
    "subscriptions": named(part("subscription"), r"^[A-Za-z0-9]"),
    "jobs": named(part("job")),
    "tests": {
        "type": "object",
        "description": "Tests of filters of the dataset, by the name of the filter.",
        "additionalProperties": part("tests"),
    },
    "now": _NOW,
    "baseline": mapping(BASELINE, "max_age"),
    "view": part("view"),
    "indexes": {
        "type": "array",
        "items": TEXT,
        "description": "Indexes of the relation in PostgreSQL: what follows the table in CREATE INDEX, such "
        "as (lower(name)) or USING gin (headers).",
    },
    "collation": about("string", "The collation of strings in PostgreSQL, such as C or en_US.UTF-8."),
    "spark": mapping(SPARK),
    "rows": mapping(ROWS),
    "freshness": mapping(FRESHNESS, "column", "at_most"),
    "partition": mapping(PARTITION, "column", "by"),
    "where": about("string", "A filter of the dataset: coverage counts only the rows that it accepts."),
    "policies": named(part("policy")),
    "attributes": named(part("attribute")),
    "vars": {"type": "object"},
}

# --- names

NAME = re.compile(r"[a-z][a-z0-9_]{0,62}\Z")
# What scripts write above, below or after a letter, and the letters between.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0dff\u0e00-\u0eff"
    "\u1000-\u109f\u3099\u309a"
)
LETTERS = rf"\w{_MARKS}"
# A name that a field can have as it is, in the letters of any script.
IDENTIFIER = rf"[^\W\d][{LETTERS}-]{{0,127}}"
FIELD_NAME = re.compile(rf"[^\W\d][{LETTERS}.\-/ ]{{0,127}}\Z")
ENUM_NAME = re.compile(r"[A-Za-z_]\w{0,62}(?:\.[A-Za-z_]\w{0,62}){0,7}\Z")
SUBSCRIPTION_NAME = re.compile(r"[A-Za-z0-9][\w.\-/:]{0,127}\Z")
