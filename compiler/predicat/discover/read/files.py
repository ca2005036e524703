"""The files of folders that may have conditions, without what programs put there."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from predicat.diagnostics.messages import discover as say
from predicat.exporting.marks import mark_of

# Bytes of a file; larger ones are data.
MAX_SIZE = 2_000_000
# What is read, by the suffix of a file.
KINDS = {
    ".sql": "sql",
    ".ddl": "sql",
    ".hql": "sql",
    ".py": "python",
    ".yml": "data",
    ".yaml": "data",
    ".json": "data",
    ".tf": "data",
}
_MADE = frozenset(
    {"node_modules", "target", "dbt_packages", "dbt_modules", "venv", "env", "site-packages", "build", "dist"}
)


class File(Struct, frozen=True):
    """A file: its path, the folder that was searched, and how it is read."""

    path: Path
    root: Path
    kind: str

    def text(self) -> str:
        """The text of the file; "" for one that predicat exported, whose conditions are those of a catalog.
        Raises Unusable.
        """
        try:
            if self.path.stat().st_size > MAX_SIZE:
                raise Unusable(say.TOO_LARGE)
            text = self.path.read_bytes().decode("utf-8").removeprefix("\ufeff")
            return text if mark_of(text) is None else ""
        except UnicodeDecodeError:
            raise Unusable(say.NOT_UTF8) from None
        except OSError:
            raise Unusable(say.UNREADABLE) from None


class Unusable(Exception):
    """A file cannot be read; the text says why."""


def files(paths: Sequence[Path]) -> Iterator[File]:
    """The files that paths name, in a fixed order. A link that leads out of its folder is not followed."""
    for path in paths:
        if path.is_dir():
            yield from (File(file, path, KINDS[file.suffix]) for file in _within(path))
        else:
            yield File(path, path.parent, KINDS.get(path.suffix, "sql"))


def _within(folder: Path) -> Iterator[Path]:
    home = os.path.realpath(folder)
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _MADE)
        for name in sorted(names):
            path = os.path.join(place, name)  # noqa: PTH118  # pathlib takes several times as long
            if os.path.splitext(name)[1] in KINDS and _inside(path, home):  # noqa: PTH122  # as above
                yield Path(path)


def _inside(path: str, home: str) -> bool:
    if not os.path.islink(path):  # noqa: PTH114  # as above
        return os.path.isfile(path)  # noqa: PTH113  # as above
    real = os.path.realpath(path)
    return real.startswith(home + os.sep) and os.path.isfile(real)  # noqa: PTH113  # as above
