"""The part of a catalog that a commit or branch changes, so that a check reports only its problems."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager, nullcontext
from functools import cached_property
from pathlib import Path

from predicat.catalog.files import SUFFIXES, catalog_files
from predicat.catalog.lock import Lock, lock_path
from predicat.diagnostics import PredicatError, Reporter
from predicat.diagnostics.messages import review as say
from predicat.diagnostics.reading import bytes_of, text_of
from predicat.forge import git
from predicat.review.selection import dataset_of, relevant_files

_VARIABLES = re.compile(r"\bvars['\"]?\s*:")


class Scope:
    """The scope of a run: a catalog, its changed files (full paths), and whether every filter is affected.

    `gone` has the former datasets of the changed files; `beside` the places of further files that a run
    reads.
    """

    def __init__(
        self,
        folder: Path,
        touched: frozenset[Path] = frozenset(),
        gone: frozenset[str] = frozenset(),
        *,
        whole: bool = True,
    ) -> None:
        self.folder, self.touched, self.gone, self.whole = folder, touched, gone, whole
        self.beside: Mapping[Path, Path] = {}

    @property
    def empty(self) -> bool:
        """Whether nothing in the catalog is changed."""
        return not self.whole and not self.touched

    @cached_property
    def owners(self) -> dict[Path, str | None]:
        """The dataset of each file of the catalog; None for a file that names none or cannot be read."""
        result: dict[Path, str | None] = {}
        for file in catalog_files(self.folder, Reporter()) if self.folder.exists() else ():
            try:
                result[file.resolve()] = dataset_of(text_of(file))
            except PredicatError:
                result[file.resolve()] = None
        return result

    @cached_property
    def files(self) -> list[Path] | None:
        """The files to load: all (None), or the files that a changed file can affect, and the files that
        these need.

        A changed file whose dataset is not easy to find, such as a file in flow style, can affect all files.
        """
        if self.whole or any(self.owners.get(file, "") is None for file in self.touched):
            return None
        changed = {*self.touched, *(file for file, name in self.owners.items() if name in self.gone)}
        return relevant_files(self.folder.resolve(), changed)

    @cached_property
    def datasets(self) -> frozenset[str]:
        """The datasets of the changed files."""
        return self.gone | {name for file, name in self.owners.items() if name and file in self.touched}

    def includes(self, file: str, name: str) -> bool:
        """Whether something is in the scope: by its file or, without one, by the dataset of its qualified
        name.
        """
        if self.whole:
            return True
        return Path(file).resolve() in self.touched if file else name.partition(".")[0] in self.datasets

    def of_lock(self, lock: Lock) -> Lock:
        """The lines of a lock file that this scope checks: all except those of datasets whose files are not
        loaded.
        """
        if self.files is None:
            return lock
        loaded = {file.resolve() for file in self.files}
        others = {name for file, name in self.owners.items() if file not in loaded} - {
            self.owners.get(file) for file in loaded
        }
        latest = lock.latest
        return Lock(
            {name: row for name, row in lock.versions.items() if name.partition(".")[0] not in others},
            {name: row for name, row in lock.subscriptions.items() if name.partition(".")[0] not in others},
            latest and {name: row for name, row in latest.items() if name.partition(".")[0] not in others},
        )


@contextmanager
def scope(
    folder: Path, revision: str | None, beside: Sequence[Path] = (), *, lock: bool = False
) -> Iterator[Scope]:
    """The changes since a revision in the working tree or, without one, the staged changes.

    Staged files are checked as staged: they are copied to a temporary folder, which is the current folder
    during the run, with the files `beside` that a run reads too. If nothing is staged, the whole catalog of
    the working tree is checked. With `lock`, a change of the lock file affects every filter, like a change of
    a macro or a variable. Raises PredicatError if the folder does not exist, now or before, if it is not in a
    repository, or if the revision is unknown.
    """
    root = git.repository(folder).resolve()
    own = folder.resolve().relative_to(root)
    parts = [own, own.parent / "macros"]
    if revision is not None:
        base = git.commit(root, revision)
        with git.checkout(root, base, parts) as old:
            yield _scope(folder, root, own, git.changed_files(root, base, parts), old, lock=lock)
    elif not git.staged_files(root):
        yield Scope(folder)
    else:
        here = Path.cwd().resolve()
        known = {
            file: place.relative_to(root) for file in beside if (place := file.resolve()).is_relative_to(root)
        }
        with _staged(root, [*parts, *known.values()]) as (new, old):
            above = here.is_relative_to(root) and folder.resolve().is_relative_to(
                here
            )  # so that places are shown as they are there
            place = new / here.relative_to(root) if above else new
            place.mkdir(parents=True, exist_ok=True)
            with chdir(place):
                result = _scope(
                    Path(os.path.relpath(new / own)), new, own, git.staged_files(root, parts), old, lock=lock
                )
                result.beside = {file: new / path for file, path in known.items()}
                yield result


@contextmanager
def _staged(root: Path, parts: list[Path]) -> Iterator[tuple[Path, Path]]:
    """Parts of a repository as staged, in a separate work tree, and as committed."""
    if index := os.environ.get(
        "GIT_INDEX_FILE"
    ):  # of `git commit FILE`, from the folder in which the hook was started
        os.environ["GIT_INDEX_FILE"] = str(Path(index).resolve())
    base = git.head(root)
    with (
        git.checkout(root, git.staged_tree(root), parts) as copy,
        git.checkout(root, base, parts) if base else nullcontext(root / os.devnull / "none") as old,
    ):
        new = copy.resolve()
        (new / ".git").write_text(f"gitdir: {git.folder_of(root)}\n", encoding="utf-8")
        yield new, old


def _scope(folder: Path, new: Path, own: Path, names: set[Path], old: Path, *, lock: bool) -> Scope:
    if not (new / own).exists() and not (old / own).exists():
        raise PredicatError.of(say.no_such_folder(str(own)))
    definitions = [name for name in names if name.suffix in SUFFIXES and name.is_relative_to(own)]
    before, after = ([_text(place / name) for name in definitions] for place in (old, new))
    touched = frozenset((new / name).resolve() for name in names)
    whole = any(not name.is_relative_to(own) for name in names) or any(
        map(_VARIABLES.search, (*before, *after))
    )
    whole = whole or (lock and lock_path(folder).resolve() in touched)
    return Scope(
        folder, touched, gone=frozenset(name for name in map(dataset_of, before) if name), whole=whole
    )


def _text(file: Path) -> str:
    """The text of a file; empty if there is no file."""
    return bytes_of(file).decode(errors="replace") if file.is_file() else ""
