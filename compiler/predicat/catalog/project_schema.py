"""The JSON Schema of the project file, from the keys that its reader supports."""

from __future__ import annotations

from predicat.backends import DIALECTS
from predicat.catalog import project
from predicat.catalog.json_schema import DRAFT
from predicat.catalog.keys import Schema, mapping


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
    described = {key: {"description": project.KEYS[key], **part} for key, part in parts.items()}
    return {
        "$schema": DRAFT,
        "title": "predicat project file",
        **mapping(described),
    }


_PATH: Schema = {"type": "string", "description": "The folder of the catalog, from this file."}
_NAME = "^" + project.NAME.pattern.replace(r"\Z", "$")
_SCALARS = ("string", "number", "boolean")
