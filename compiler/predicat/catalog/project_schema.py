"""The JSON Schema of the project file, from the keys that its reader supports."""

from __future__ import annotations

from predicat.backends import DIALECTS
from predicat.catalog import project
from predicat.catalog.json_schema import DRAFT
from predicat.catalog.keys import Schema, mapping
from predicat.catalog.review_rules import WHEN


def project_schema() -> Schema:
    """The schema of predicat.yml as data (draft 2020-12)."""
    name: Schema = {"type": "string", "pattern": _NAME, "maxLength": project.LONGEST}
    engine: Schema = {"enum": list(DIALECTS)}
    variables: Schema = {"type": "object", "additionalProperties": {"type": list(_SCALARS)}}
    kinds = {"engine": engine, "vars": variables}
    settings = {
        key: {"description": doc, **kinds.get(key, {"type": "string"})}
        for key, doc in project.SETTINGS.items()
    }
    parts: dict[str, Schema] = {
        "catalog": {"anyOf": [name, mapping({"name": name, "path": _PATH})]},
        "discover": {"type": "object", "properties": {"dialect": {"type": "string"}}},
        "engines": {"type": "array", "items": engine},
        "profile": {"type": "string"},
        "profiles": {"type": "object", "additionalProperties": mapping(settings)},
    }
    texts: Schema = {"type": "array", "items": {"type": "string"}}
    when: Schema = {"enum": list(WHEN)}
    own = {
        "when": when,
        "approve": {"anyOf": [{"type": "string"}, texts]},
        "until": {"type": "string", "format": "date"},
    }
    for key, docs, needed in (
        ("review", project.APPROVAL_KEYS, ["when", "approve"]),
        ("waivers", project.WAIVER_KEYS, ["entry", "reason", "until"]),
    ):
        inner = {
            name: {"description": doc, **own.get(name, {"type": "string"})} for name, doc in docs.items()
        }
        parts[key] = {"type": "array", "items": {**mapping(inner), "required": needed}}
    described = {key: {"description": project.KEYS[key], **part} for key, part in parts.items()}
    return {
        "$schema": DRAFT,
        "title": "predicat project file",
        **mapping(described),
    }


_PATH: Schema = {"type": "string", "description": "The folder of the catalog, from this file."}
_NAME = "^" + project.NAME.pattern.replace(r"\Z", "$")
_SCALARS = ("string", "number", "boolean")
