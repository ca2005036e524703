"""What dbt itself made of its models, in `target/manifest.json`."""

import json
from pathlib import Path
from typing import Any

from predicat.discover.conditions import SourceRange
from predicat.discover.read.embedded import Ranges
from predicat.discover.read.sql import plain_place

_MAX_SIZE = 200_000_000


def compiled(project: Path) -> dict[Path, tuple[str, str]]:
    """The source and the compiled SQL of the models of a project, by file."""
    file = project / "target" / "manifest.json"
    try:
        if file.is_symlink() or file.stat().st_size > _MAX_SIZE:
            return {}
        data: Any = json.loads(file.read_bytes())
        rows = data["nodes"].values()
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
    result = {}
    for node in rows:
        if isinstance(node, dict) and node.get("compiled_code") and node.get("original_file_path"):
            raw = str(node.get("raw_code") or "")
            result[project / str(node["original_file_path"])] = (raw, str(node["compiled_code"]))
    return result


def ranges(path: str, text: str, sql: str) -> Ranges:
    """The places of ranges of compiled SQL: where the file has the same characters once, or its start."""
    plain = plain_place(path, text)

    def place(start: int, end: int) -> tuple[SourceRange, bool]:
        written = sql[start:end]
        at = text.find(written)
        if not written or at < 0 or text.find(written, at + 1) >= 0:
            line = text.count("\n", 0, max(at, 0))
            return plain(0, min(len(text), 1))[0] if not line else plain(at, at + len(written))[0], False
        return plain(at, at + len(written))

    return place
