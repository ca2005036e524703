"""The searched files as they were at a revision, so that what is found there is not new."""

import os
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager
from pathlib import Path, PurePath

from msgspec import Struct

from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import discover as say
from predicat.discover.read.dialects import CONFIGURATIONS
from predicat.discover.read.files import KINDS, MAX_SIZE
from predicat.forge import git


class Former(Struct, frozen=True):
    """The searched paths that were there at a revision, and whether its catalog differs from that of now."""

    paths: tuple[Path, ...]
    has_other_catalog: bool


@contextmanager
def at_revision(paths: Sequence[Path], revision: str, catalog: Path | None) -> Iterator[Former]:
    """The searched paths at a revision: a copy of the files that are read, and of the catalog, which is the
    current folder meanwhile. Raises PredicatError without a repository, and for a path out of it.
    """
    here = Path.cwd().resolve()
    root = git.repository(here).resolve()
    commit = git.commit(root, revision)
    names = [_inside(path, root) for path in paths]
    parts = _parts(catalog, root)

    def is_read(path: PurePath) -> bool:
        known = path.suffix in KINDS or path.name in CONFIGURATIONS
        return known or any(path.is_relative_to(part) for part in parts)

    changed = bool(parts and git.changed_files(root, commit, parts))
    with git.files_at(root, commit, is_read, MAX_SIZE) as copy:
        (copy / ".git").mkdir()  # where its configuration ends
        place = copy / here.relative_to(root)
        place.mkdir(parents=True, exist_ok=True)
        with chdir(place):
            known = (Path(os.path.relpath(copy / name)) for name in names)
            yield Former(tuple(path for path in known if path.exists()), changed)


def _parts(catalog: Path | None, root: Path) -> list[Path]:
    """What a catalog consists of in the repository; nothing of one elsewhere."""
    folder = catalog.resolve() if catalog is not None else None
    if folder is None or not folder.is_relative_to(root):
        return []
    return [folder.relative_to(root), folder.parent.relative_to(root) / "macros"]


def _inside(path: Path, root: Path) -> Path:
    """A path below the root of its repository. Raises PredicatError for another one."""
    if not path.resolve().is_relative_to(root):
        raise PredicatError.of(say.not_in_repository(path, root))
    return path.resolve().relative_to(root)
