"""The project file `predicat.yml`: what holds for a whole catalog and is no filter.

It stands in the catalog folder, beside it, or in a folder above, up to the root of the repository.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from predicat.catalog.yaml_nodes import YamlNode, compose
from predicat.diagnostics import PredicatError, Reporter, Source
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import catalog as say
from predicat.diagnostics.reading import reading

PROJECT_FILE = "predicat.yml"
KEYS = {"catalog": "the name of the catalog, by which it knows what it made in a database"}
"""The keys of the file, with what they are."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_.-]+)*\Z")
_LONGEST = 200
_USUAL = "catalog"
"""The usual name of a catalog folder, which says nothing about the catalog."""


class Project(Struct, frozen=True):
    """What a project file says. `catalog` is the catalog's name, `file` the file, or None where there is
    none.
    """

    catalog: str
    file: Path | None = None


def load_project(folder: Path) -> Project:
    """The project of a catalog folder. Raises PredicatError with all the problems of the file, or if the
    catalog has no usable name.

    Without a project file the name is that of the repository's folder; a catalog that is not the folder
    `catalog` at its root has its path behind it.
    """
    root, file = _root(folder), find(folder)
    if file is None:
        return Project(_usable(_default(folder, root)))
    reporter = Reporter()
    shown = _shown(file)
    with reading(shown):
        source = Source(shown, file.read_bytes().decode("utf-8").removeprefix("\ufeff"))
    item = compose(source, reporter)
    name = _read(item, reporter) if item is not None else ""
    reporter.raise_errors()
    return Project(name or _usable(_default(folder, root)), file)


def find(folder: Path) -> Path | None:
    """The project file of a catalog folder, if there is one."""
    return next(
        (place / PROJECT_FILE for place in _upwards(folder) if (place / PROJECT_FILE).is_file()), None
    )


def _shown(file: Path) -> str:
    here = Path.cwd()
    return str(file.relative_to(here)) if file.is_relative_to(here) else str(file)


def _upwards(folder: Path) -> Iterator[Path]:
    """The folder, and those above it up to the root of the repository; without a repository only the one
    beside it.
    """
    start = _start(folder)
    yield start
    above = list(start.parents)
    top = next((number for number, place in enumerate([start, *above]) if (place / ".git").exists()), 1)
    yield from above[:top]


def _start(folder: Path) -> Path:
    found = folder.resolve()
    return found.parent if found.is_file() else found


def _root(folder: Path) -> Path:
    return list(_upwards(folder))[-1]


def _default(folder: Path, root: Path) -> str:
    inner = _start(folder).relative_to(root).parts
    return "/".join((root.name, *(inner[:-1] if inner[-1:] == (_USUAL,) else inner)))


def _usable(name: str) -> str:
    if not _is_name(name):
        raise PredicatError.of(say.folder_as_name(name, PROJECT_FILE))
    return name


def _is_name(name: str) -> bool:
    return _NAME.match(name) is not None and len(name) <= _LONGEST


def _read(item: YamlNode, reporter: Reporter) -> str:
    """The name of the catalog, or an empty text where the file names none."""
    what = say.PROJECT_FILE
    found, unknown = item.known(what, KEYS)
    for key, place in unknown:
        reporter.add(msg.unknown_key(place, key, what, KEYS))
    if "catalog" not in found:
        return ""
    name = found["catalog"].text("catalog")
    if name and not _is_name(name):
        reporter.add(say.bad_catalog_name(found["catalog"].span, name, _LONGEST))
    return name
