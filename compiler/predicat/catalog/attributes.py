"""The git attributes of a catalog: after a merge the lock file has the releases of both branches."""

from __future__ import annotations

from pathlib import Path

from predicat.catalog.paths import NAME as LOCK
from predicat.diagnostics.reading import text_of

# The files that `predicat release` writes; a merge keeps the lines of both sides.
UNION = (LOCK, "CHANGELOG.md")


def missing_attributes(folder: Path) -> tuple[Path, str] | None:
    """The attributes file of a catalog's folder and the text that it should have; None if it sets the merge
    driver of each file already.
    """
    path = folder / ".gitattributes"
    text = text_of(path) if path.exists() else ""
    known = {
        words[0]
        for line in text.splitlines()
        if (words := line.split()) and any("merge" in word for word in words[1:])
    }
    lines = [f"{name} merge=union\n" for name in UNION if not known & {name, f"/{name}"}]
    if not lines:
        return None
    return path, text + ("\n" if text and not text.endswith("\n") else "") + "".join(lines)
