"""Finds and reads the files of a catalog."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from predicat.catalog.paths import PROJECT_FILE
from predicat.catalog.templates import LOCKS
from predicat.diagnostics import PredicatError, Reporter, Source
from predicat.diagnostics.messages import catalog as say
from predicat.diagnostics.messages import files as say_files
from predicat.diagnostics.reading import text_of, up_to_repository

SUFFIXES = (".yml", ".yaml")


def catalog_files(root: Path, reporter: Reporter) -> list[Path]:
    """The files of a catalog, sorted by name."""
    if root.is_file():
        return [root]
    if not root.is_dir():
        reporter.add(say_files.no_folder(str(root), None if root.is_absolute() else _above(root)))
        return []
    files = sorted(
        file
        for file in root.rglob("*")
        if file.suffix in SUFFIXES
        and not file.is_dir()
        and not file.name.startswith(LOCKS)
        and file.name != PROJECT_FILE
    )
    if not files:
        reporter.add(say_files.empty_catalog(str(root)))
    for file in files:
        if not file.is_file():
            reporter.add(say.no_file(str(file), file.is_symlink()))
    return [file for file in files if file.is_file()]


def _above(root: Path) -> str | None:
    """The nearest folder of this name above the current one, up to the root of the repository."""
    here = Path.cwd()
    for steps, folder in enumerate(up_to_repository(here)):
        if steps and (folder / root).is_dir():
            return str(Path(*[".."] * steps) / root)
    return None


def macro_folder(root: Path, macros: str | Path | None) -> Path | None:
    """The macro folder of a catalog, by default next to it; None if there is no such folder."""
    folder = Path(macros) if macros is not None else root.parent / "macros"
    return folder if folder.is_dir() else None


def read_source(file: Path, reporter: Reporter, texts: Mapping[Path, str]) -> Source | None:
    """A file as a source, or its replacement in `texts`. A file that cannot be read is reported."""
    if texts and (text := texts.get(file.resolve())) is not None:
        return Source(_shown(file), text)
    try:
        # Offsets count characters as the YAML reader does: without a byte order mark.
        return Source(_shown(file), text_of(file))
    except PredicatError as problem:
        reporter.extend(problem.diagnostics)
        return None


def _shown(file: Path) -> str:
    try:
        return str(file.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(file)
