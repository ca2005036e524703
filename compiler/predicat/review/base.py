"""The lock file of the base: merged releases count, whatever a branch does to its own lock file."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field

from predicat.catalog.paths import NAME
from predicat.diagnostics import Diagnostic, PredicatError
from predicat.diagnostics.messages import releases as release_messages
from predicat.forge import git

if TYPE_CHECKING:
    from predicat.catalog.lock import LockFile

_NAME_IT = "name the revision to compare with: --base REVISION"


class BaseCommit(Struct, frozen=True):
    """The commit to compare with.

    `label` is its name, empty if there is none. `texts` has its lock files by path: the catalog's, or if
    there is none at that path, the lock files that were deleted since (`moved`), because the folder of the
    catalog may have been renamed. `warning` tells why there is no base although one was expected.
    """

    label: str = ""
    texts: Mapping[str, str] = field(default_factory=dict[str, str])
    moved: bool = False
    warning: Diagnostic | None = None

    def file(self, datasets: Collection[str], own: LockFile | None) -> LockFile | None:
        """The lock file of the base; None if there is none. A lock file at another path is used if it has one
        of these datasets. An unchanged file is `own`.
        """
        from predicat.catalog.lock import parse  # noqa: PLC0415  # not for an unchanged catalog

        for path, text in self.texts.items():
            file = own if own is not None and own.text == text else parse(text, f"{self.label}:{path}")
            names = {row.filter.partition(".")[0] for row in file.lock.versions.values()}
            if not self.moved or not names.isdisjoint(datasets):
                return file
        return None


NONE = BaseCommit()


def find(lock: Path, revision: str | None) -> BaseCommit:
    """The base of a lock file: the commit where the working tree left a revision, by default the main branch.
    None outside of a repository.

    Raises PredicatError if a revision is named that does not exist.
    """
    folder = lock.parent
    if revision is None and not (folder.is_dir() and git.inside(folder)):
        return NONE
    try:
        commit = (
            git.default_base(folder)
            if revision is None
            else git.commit(folder, f"{revision.removesuffix('...')}...")
        )
        return _found(lock, commit[:12], commit)
    except PredicatError as error:
        if revision is not None:
            raise
        return _without(folder, lock, error)


def _found(lock: Path, label: str, commit: str) -> BaseCommit:
    folder = lock.parent
    own = git.text_at(folder, commit, f"./{NAME}")
    if own is not None:
        return BaseCommit(label, {str(lock): own})
    gone = git.deleted_since(folder, commit, NAME)
    texts = {path: git.text_at(folder, commit, path) or "" for path in gone}
    return BaseCommit(label, texts, moved=True)


def _without(folder: Path, lock: Path, error: PredicatError) -> BaseCommit:
    """No base, with the reason if something was released, or if that cannot be known."""
    try:
        if advice := git.shallow(folder):
            return BaseCommit(warning=release_messages.shallow(advice))
        committed = git.has_commits(folder)
        released = committed and (lock.exists() or git.text_at(folder, "HEAD", f"./{NAME}") is not None)
    except PredicatError as problem:
        return BaseCommit(warning=release_messages.no_base(problem.diagnostics[0].message, _NAME_IT))
    reason = error.diagnostics[0].message
    return BaseCommit(warning=release_messages.no_base(reason, _NAME_IT)) if released else NONE
