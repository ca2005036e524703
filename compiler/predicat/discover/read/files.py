"""The files of folders that may have conditions, without what programs put there."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from predicat.diagnostics.messages import discover as say
from predicat.exporting.marks import mark_of

# Bytes of a file; larger ones are data.
MAX_SIZE = 2_000_000
# Notebooks have their output, too.
MAX_NOTEBOOK = 20_000_000
# What is read, by the suffix of a file.
KINDS = {
    ".sql": "sql",
    ".ddl": "sql",
    ".hql": "sql",
    ".sqlx": "sql",
    ".py": "python",
    ".scala": "scala",
    ".ipynb": "notebook",
    ".r": "r",
    ".R": "r",
    ".lkml": "looker",
    ".lookml": "looker",
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
            most = MAX_NOTEBOOK if self.kind == "notebook" else MAX_SIZE
            if self.path.stat().st_size > most:
                raise Unusable(say.TOO_LARGE)
            text = self.path.read_bytes().decode("utf-8").removeprefix("\ufeff")
            return text if mark_of(text) is None else ""
        except UnicodeDecodeError:
            raise Unusable(say.NOT_UTF8) from None
        except OSError:
            raise Unusable(say.UNREADABLE) from None


class Unusable(Exception):
    """A file cannot be read; the text says why."""


def files(paths: Sequence[Path], skipped: Counter[str]) -> Iterator[File]:
    """The files that paths name, in a fixed order; `skipped` gets the reasons why others are not read. A
    link that leads out of its folder is not followed.
    """
    for path in paths:
        if path.is_dir():
            yield from (File(file, path, KINDS[file.suffix]) for file in _within(path, skipped))
        else:
            yield File(path, path.parent, KINDS.get(path.suffix, "sql"))


def _within(folder: Path, skipped: Counter[str]) -> Iterator[Path]:
    home = os.path.realpath(folder)
    for place, folders, names in os.walk(folder):
        kept = sorted(name for name in folders if not name.startswith(".") and name not in _MADE)
        skipped.update(say.folder_left_out(name) for name in folders if name in _MADE)
        folders[:] = kept
        for name in sorted(names):
            path = os.path.join(place, name)  # noqa: PTH118  # pathlib takes several times as long
            suffix = os.path.splitext(name)[1]  # noqa: PTH122  # as above
            if suffix not in KINDS:
                skipped[say.kind_not_read(suffix or name)] += 1
            elif _inside(path, home):
                yield Path(path)
            else:
                skipped[say.LEADS_OUT] += 1


def _inside(path: str, home: str) -> bool:
    if not os.path.islink(path):  # noqa: PTH114  # as above
        return os.path.isfile(path)  # noqa: PTH113  # as above
    real = os.path.realpath(path)
    return real.startswith(home + os.sep) and os.path.isfile(real)  # noqa: PTH113  # as above
