"""The catalog at another revision, out of git."""

from __future__ import annotations

import io
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from predicat.diagnostics import PredicatError
from predicat.diagnostics import messages as msg

_MAIN = ("origin/HEAD", "origin/main", "origin/master", "main", "master")


def _git(folder: Path, *args: str) -> bytes:
    try:
        done = subprocess.run(["git", "-C", str(folder), *args], capture_output=True, check=False)  # noqa: S603, S607  # the user's git
    except FileNotFoundError:
        raise PredicatError.of(msg.usage("git is not installed", "compare with a manifest: predicat diff target/manifest.json")) from None
    if done.returncode:
        reason = done.stderr.decode(errors="replace").strip().splitlines()
        raise PredicatError.of(msg.usage(f"git {args[0]}: {reason[-1] if reason else 'failed'}"))
    return done.stdout


def repository(folder: Path) -> Path:
    """The root of the repository that a folder lies in. Raises PredicatError."""
    return Path(_git(folder if folder.is_dir() else folder.parent, "rev-parse", "--show-toplevel").decode().strip())


def default_base(root: Path) -> str:
    """The commit at which the working tree left the main branch."""
    for name in _MAIN:
        try:
            return _git(root, "merge-base", name, "HEAD").decode().strip()
        except PredicatError:
            continue
    raise PredicatError.of(msg.usage("there is no main branch to compare with", "name a revision: predicat diff REVISION"))


def commit(root: Path, revision: str) -> str:
    """The hash of a revision. Raises PredicatError if there is none."""
    if revision.startswith("-"):
        raise PredicatError.of(msg.usage(f"{revision!r} is no revision"))
    try:
        return _git(root, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").decode().strip()
    except PredicatError:
        raise PredicatError.of(msg.usage(f"git knows no revision {revision!r}")) from None


def changed_files(root: Path, revision: str, folders: list[Path]) -> set[Path]:
    """The files under some folders that differ between a commit and the working tree, new ones included; relative to the root."""
    names = [str(path) for path in folders]
    differing = _git(root, "diff", "--name-only", "--no-renames", "-z", revision, "--", *names)
    untracked = _git(root, "ls-files", "--others", "--exclude-standard", "-z", "--", *names)
    return {Path(name.decode()) for name in (*differing.split(b"\0"), *untracked.split(b"\0")) if name}


@contextmanager
def checkout(root: Path, revision: str, folders: list[Path]) -> Iterator[Path]:
    """Some folders as they were at a commit, in a temporary folder. Folders that were not there yet are missing."""
    listed = _git(root, "ls-tree", "--name-only", "-z", revision, "--", *map(str, folders))
    present = [name.decode() for name in listed.split(b"\0") if name]
    with tempfile.TemporaryDirectory(prefix="predicat-") as name:
        target = Path(name)
        if present:
            archive = _git(root, "archive", "--format=tar", revision, "--", *present)
            with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
                # Python before 3.11.4 has no filters; what git writes lies below the folder in any case.
                tar.extraction_filter = getattr(tarfile, "data_filter", None)
                tar.extractall(target)  # noqa: S202  # as above
        yield target
