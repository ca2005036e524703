"""What `predicat check` found, kept in the user's cache: a catalog that has not changed is not checked
again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from predicat.catalog.cache import cache_folder, fingerprint

_KEPT = 200


def place(folder: Path, variables: Mapping[str, str], beside: Mapping[str, object] | None = None) -> Path:
    """Where is kept what was found in a catalog as it is now, today, by this code. `beside` is what else
    it depends on.
    """
    day = datetime.now(tz=UTC).date().isoformat()  # deprecations pass
    here = str(Path.cwd())  # the places of warnings are shown from there
    values = {**variables, " day": day, " here": here, " beside": beside}
    return cache_folder() / "checks" / f"{fingerprint(folder, folder.parent / 'macros', values)}.json"


def recall(path: Path) -> dict[str, Any] | None:
    """What is kept at a place."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return data if isinstance(data, dict) and isinstance(data.get("problems"), list) else None


def remember(path: Path, result: dict[str, Any]) -> dict[str, Any]:
    """Keep what was found; a cache that cannot be written is none."""
    from predicat.catalog.manifest import write_text  # noqa: PLC0415  # recalling does without its imports

    try:
        write_text(path, json.dumps(result))
        for old in sorted(path.parent.glob("*.json"), key=lambda file: file.stat().st_mtime, reverse=True)[
            _KEPT:
        ]:
            old.unlink(missing_ok=True)
    except OSError:
        pass
    return result
