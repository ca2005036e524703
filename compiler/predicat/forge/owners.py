"""Who owns a file, by CODEOWNERS. Source: https://docs.github.com/articles/about-code-owners."""

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from predicat.diagnostics.reading import repository_of

_PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
_MAX_SIZE = 1_000_000


class Owners:
    """The owners of files below some folders."""

    def __init__(self) -> None:
        self.known: dict[Path, tuple[Path, Sequence[tuple[re.Pattern[str], str]]] | None] = {}

    def of(self, file: Path) -> str | None:
        """The owners of a file: those of the last pattern that matches it."""
        path = file.absolute()
        owner_file = self.rules(path.parent)
        if owner_file is None:
            return None
        root, rules = owner_file
        name = path.relative_to(root).as_posix()
        return next((owner or None for pattern, owner in reversed(rules) if pattern.match(name)), None)

    def rules(self, folder: Path) -> tuple[Path, Sequence[tuple[re.Pattern[str], str]]] | None:
        """The rules of a folder, and the root that they count from: the nearest folder with CODEOWNERS, up to
        the root of the repository.
        """
        if folder not in self.known:
            file = next((folder / name for name in _PLACES if (folder / name).is_file()), None)
            if file is not None:
                self.known[folder] = (folder, _read(file))
            else:
                top = repository_of(folder) == folder or folder == folder.parent
                self.known[folder] = None if top else self.rules(folder.parent)
        return self.known[folder]


def _read(file: Path) -> list[tuple[re.Pattern[str], str]]:
    try:
        text = file.read_bytes()[:_MAX_SIZE].decode("utf-8", "replace")
    except OSError:
        return []
    rules = []
    for line in text.splitlines():
        words = line.partition(" #")[0].replace("\\ ", "\0").split()
        if words and not words[0].startswith(("#", "[", "^[")):
            rules.append((_pattern(words[0].replace("\0", " ")), " ".join(words[1:])))
    return rules


@lru_cache(maxsize=10_000)
def _pattern(text: str) -> re.Pattern[str]:
    """A pattern of CODEOWNERS: as in .gitignore, without negation and sets."""
    anchored = "/" in text.rstrip("/")
    body = ""
    for piece in re.split(r"(\*\*/|/\*\*|\*|\?)", text.strip("/")):
        body += {"**/": "(?:.*/)?", "/**": "/.*", "*": "[^/]*", "?": "[^/]"}.get(piece, re.escape(piece))
    # `docs/*` is files of the folder only; `docs` and `docs/` are all below it.
    end = r"\Z" if text.endswith("/*") else "/" if text.endswith("/") else r"(?:/|\Z)"
    return re.compile(("" if anchored or text.startswith("/") else "(?:.*/)?") + body + end)
