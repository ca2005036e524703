"""What `predicat check` found, kept in the user's cache: a catalog that has not changed is not checked again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from predicat.catalog.fingerprint import cache_folder, fingerprint

_KEPT = 200
Found = tuple[list[str], str]


def recall(folder: Path, variables: Mapping[str, str]) -> Found | None:
    """The warnings and the summary of a catalog that was checked today, by this code, as it is now."""
    try:
        data = json.loads(_path(folder, variables).read_text(encoding="utf-8"))
        return list(map(str, data["warnings"])), str(data["summary"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def remember(folder: Path, variables: Mapping[str, str], warnings: Sequence[str], summary: str) -> Found:
    """Keep what was found; a cache that cannot be written is none."""
    from predicat.catalog.manifest import write_text  # noqa: PLC0415  # recalling does without its imports

    path = _path(folder, variables)
    try:
        write_text(path, json.dumps({"warnings": list(warnings), "summary": summary}))
        for old in sorted(path.parent.glob("*.json"), key=lambda file: file.stat().st_mtime, reverse=True)[_KEPT:]:
            old.unlink(missing_ok=True)
    except OSError:
        pass
    return list(warnings), summary


def _path(folder: Path, variables: Mapping[str, str]) -> Path:
    day = datetime.now(tz=UTC).date().isoformat()  # deprecations pass
    here = str(Path.cwd())  # the places of warnings are shown from there
    return cache_folder() / "checks" / f"{fingerprint(folder, folder.parent / 'macros', {**variables, ' day': day, ' here': here})}.json"
