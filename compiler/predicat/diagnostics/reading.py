"""Reads the files of a project, and tells why one cannot be read.

A pull request can hold links, so a file of a project is read only if it lies in the project, is a file, and
is not too large. Otherwise its text, shown in a message or a review, could be any file of the machine.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from predicat.diagnostics.diagnostic import PredicatError
from predicat.diagnostics.messages import files as say

# Bytes of a file.
_MAX_FILE = 100_000_000
# The file that marks the root of a copy of a project, such as the project at another revision.
ROOT = ".predicat-root"
_ROOTS = (".git", "predicat.yml", ROOT)


def repository_of(folder: Path) -> Path | None:
    """The root of the repository of a folder, without a call of git; None if it is in none."""
    return next((place for place in (folder, *folder.parents) if (place / ".git").exists()), None)


def up_to_repository(folder: Path) -> Iterator[Path]:
    """A folder and those above it, up to the root of the repository or else of the file system."""
    top = repository_of(folder)
    for place in (folder, *folder.parents):
        yield place
        if place == top:
            return


@contextmanager
def reading(path: str) -> Iterator[None]:
    """Tells why a file cannot be read as UTF-8. Raises PredicatError."""
    try:
        yield
    except OSError as error:
        raise PredicatError.of(say.unreadable(path, error.strerror or str(error))) from None
    except UnicodeDecodeError as error:
        raise PredicatError.of(say.no_utf8(path, error.start)) from None


def text_of(path: Path, shown: str | None = None) -> str:
    """The text of a file of a project, without a byte order mark. Raises PredicatError."""
    with reading(shown or str(path)):
        return bytes_of(path, shown).decode("utf-8").removeprefix("\ufeff")


def bytes_of(path: Path, shown: str | None = None) -> bytes:
    """The content of a file of a project. Raises PredicatError for a link that leaves the project, for what
    is not a file, such as a device, and for a file of more than MAX_FILE bytes.
    """
    name = shown or str(path)
    with reading(name):
        real = os.path.realpath(path)
        folder = os.path.dirname(os.path.abspath(path))  # noqa: PTH100, PTH120  # links are not followed here
        if not Path(real).is_relative_to(_root(folder)):
            raise PredicatError.of(say.outside(name))
        # A pipe would wait for somebody who writes to it.
        with os.fdopen(os.open(real, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise PredicatError.of(say.no_regular_file(name))
            content = file.read(_MAX_FILE + 1)
    if len(content) > _MAX_FILE:
        raise PredicatError.of(say.too_large_file(name, _MAX_FILE))
    return content


@lru_cache(maxsize=1000)
def _root(folder: str) -> str:
    """The root of the project of a folder: the nearest folder above with a mark of one. Without a mark it
    is the folder above, which has the macros.
    """
    for place in (Path(folder), *Path(folder).parents):
        if any((place / mark).exists() for mark in _ROOTS):
            return os.path.realpath(place)
    return os.path.realpath(Path(folder).parent)
