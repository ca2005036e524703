"""Where the lock file of a catalog lies. Apart from what reads it, for a check that finds nothing changed
does without.
"""

from __future__ import annotations

from pathlib import Path

from predicat.diagnostics.reading import reading

NAME = "catalog.lock"


def lock_path(folder: Path) -> Path:
    """Where the lock file of a catalog lies."""
    return (folder if folder.is_dir() else folder.parent) / NAME


def read_text(path: Path) -> str | None:
    """The text of a lock file; None if there is none. Raises PredicatError if it cannot be read."""
    if not path.exists():
        return None
    with reading(str(path)):
        return path.read_bytes().decode("utf-8")
