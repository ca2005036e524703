"""The cache of the results of `predicat check`: an unchanged catalog is not checked again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from predicat.catalog.cache import cache_folder, fingerprint

_KEPT = 200


def place(folder: Path, variables: Mapping[str, str], beside: Mapping[str, object] | None = None) -> Path:
    """The cache file for the current state of a catalog, the current day and this code. `beside` has the
    other inputs of the check.
    """
    day = datetime.now(tz=UTC).date().isoformat()  # deprecations pass
    here = str(Path.cwd())  # the places of warnings are shown from there
    values = {**variables, " day": day, " here": here, " beside": beside}
    return cache_folder() / "checks" / f"{fingerprint(folder, folder.parent / 'macros', values)}.json"


def recall(path: Path) -> dict[str, Any] | None:
    """A stored result; None if there is none that can be read."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return data if isinstance(data, dict) and isinstance(data.get("problems"), list) else None


def remember(path: Path, result: dict[str, Any]) -> dict[str, Any]:
    """Store a result and return it. An error of writing is ignored."""
    from predicat.diagnostics.writing import write_text  # noqa: PLC0415  # `recall` does not need it

    try:
        write_text(path, json.dumps(result))
        for old in sorted(path.parent.glob("*.json"), key=lambda file: file.stat().st_mtime, reverse=True)[
            _KEPT:
        ]:
            old.unlink(missing_ok=True)
    except OSError:
        pass
    return result
