"""The two catalogs that a review compares: the working tree, and a git revision or a manifest."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from predicat.catalog.cache import content_hash, text_hash
from predicat.catalog.files import SUFFIXES
from predicat.catalog.load import Definitions, read_definitions
from predicat.catalog.manifest import plain
from predicat.catalog.paths import PROJECT_FILE
from predicat.catalog.yaml_nodes import compose
from predicat.diagnostics import Diagnostic, PredicatError, Reporter, Source
from predicat.diagnostics.messages import review as say
from predicat.diagnostics.reading import bytes_of, text_of
from predicat.forge import git
from predicat.review.entries import Identity
from predicat.review.selection import files_of
from predicat.review.snapshot import Snapshot, empty, lock_data, of_files, of_manifest


class Sides(Struct, frozen=True):
    """Two snapshots. `filters` is the number of filters in the second catalog, `edited` has the files that
    differ, `identity` says what was compared.
    """

    label: str
    before: Snapshot
    after: Snapshot
    definitions: Definitions | None
    filters: int
    edited: tuple[str, ...] = ()
    identity: Identity = Identity()

    def problems(self) -> list[Diagnostic]:
        """The errors of the current catalog that the review has found."""
        return self.definitions.problems if self.definitions is not None else []


def against_manifest(base: Path, folder: Path, variables: Mapping[str, str]) -> Sides:
    """A manifest and the current catalog. Raises PredicatError."""
    before = of_manifest(base)
    result = read_definitions(folder, variables=variables)
    after = of_files(result, str)
    identity = Identity(git.head_of(folder), text_hash(text_of(base)), _hash(folder))
    return Sides(str(base), before, after, result, len(after.filters), identity=identity)


@contextmanager
def against_git(base: str | None, folder: Path, variables: Mapping[str, str]) -> Iterator[Sides]:
    """The catalog at a revision (default: the merge base with main) and the current one. Raises
    PredicatError.
    """
    if not git.inside(folder):
        raise PredicatError.of(say.nothing_to_diff(folder.resolve()))
    root = git.repository(folder)
    revision = git.commit(root, base) if base else git.default_base(root)
    label = base or revision[:12]
    own = folder.resolve().relative_to(root.resolve())
    parts = parts_of(own)
    touched = git.changed_files(root, revision, parts)
    if not touched:
        files = files_of(folder)
        filters = files.count(files.texts)
        if not filters and (problems := _missing(folder)):
            raise PredicatError(problems)
        same = _hash(folder)
        identity = Identity(git.head_of(folder), same, same)
        yield Sides(label, empty(), empty(), None, filters, identity=identity)
        return
    with git.checkout(root, revision, parts) as old:
        yield _compared(label, old.resolve(), root.resolve(), own, touched, variables)


def parts_of(own: Path) -> list[Path]:
    """What a catalog consists of in its repository."""
    return [own, own.parent / "macros", *(place / PROJECT_FILE for place in (own, *own.parents))]


@contextmanager
def between(root: Path, before: str, after: str, own: Path, variables: Mapping[str, str]) -> Iterator[Sides]:
    """The catalog at two commits. Raises PredicatError."""
    parts = parts_of(own)
    touched = git.differing_files(root, before, after, parts)
    with git.checkout(root, before, parts) as old, git.checkout(root, after, parts) as new:
        yield _compared(before, old.resolve(), new.resolve(), own, touched, variables)


def _compared(
    label: str, old: Path, root: Path, own: Path, touched: set[Path], variables: Mapping[str, str]
) -> Sides:
    files = files_of(old / own), files_of(root / own)
    templates = any(path.is_relative_to(own.parent / "macros") for path in touched)
    datasets: set[str] | None = set()
    for place, side in zip((old, root), files, strict=True):
        more = side.datasets([place / path for path in touched], templates=templates)
        datasets = None if datasets is None or more is None else datasets | more
    chosen = files[0].of(datasets), files[1].of(datasets)
    before = read_definitions(old / own, variables=variables, files=chosen[0])
    after = read_definitions(root / own, variables=variables, files=chosen[1])
    if not files[1].count(files[1].texts):
        after.builder.reporter.extend(_missing(_from_here(root / own)))
    sides = _side(before, old, root), _side(after, root, root)
    for snapshot, place in zip(sides, (old, root), strict=True):
        snapshot.data |= {"lock": lock_data(place / own), "project": _project(place, own)}
    filters = len(sides[1].filters) + files[1].count(
        [file for file in files[1].texts if file not in set(chosen[1])]
    )
    edited = sorted(
        str(_from_here(root / path)) for path in touched if path.suffix in (*SUFFIXES, ".sql", ".lock")
    )
    identity = Identity(git.head_of(root), _hash(old / own), _hash(root / own))
    return Sides(label, *sides, after, filters, tuple(edited), identity)


def _hash(folder: Path) -> str:
    """The hash of the files of a catalog and of its macros."""
    return content_hash(folder, folder.parent / "macros")


def _side(definitions: Definitions, target: Path, root: Path) -> Snapshot:
    """The snapshot of a folder below `place`, whose files are shown as those below `root` are."""

    @cache
    def shown(name: str) -> str:
        path = Path(name).resolve()
        return (
            str(_from_here(root / path.relative_to(target.resolve())))
            if path.is_relative_to(target.resolve())
            else name
        )

    side = of_files(definitions, shown)
    prefix = f"{target.resolve()}/"

    def problems() -> list[Diagnostic]:
        return [item.elsewhere(prefix, "") for item in definitions.problems]

    side.problems = problems
    return side


def _from_here(path: Path) -> Path:
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else Path(os.path.abspath(path))  # noqa: PTH100  # no links


def _project(path: Path, own: Path) -> dict[str, Any]:
    """The nearest project file. Only `predicat check` reports its problems."""
    file = next(
        (result for part in (own, *own.parents) if (result := path / part / PROJECT_FILE).is_file()), None
    )
    item = (
        compose(Source(PROJECT_FILE, bytes_of(file).decode(errors="replace")), Reporter())
        if file is not None
        else None
    )
    result = plain(item.data()) if item is not None else {}
    return result if isinstance(result, dict) else {}


def _missing(folder: Path) -> list[Diagnostic]:
    """Why a catalog without a filter has nothing to compare; empty if it has a dataset."""
    definitions = read_definitions(folder)
    return [] if definitions.datasets else definitions.problems
