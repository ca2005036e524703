"""Reads catalogs of other revisions from git."""

import os
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path, PurePath

from msgspec import Struct

from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import review as say
from predicat.diagnostics.reading import ROOT, repository_of

_MAIN = (
    "refs/remotes/origin/HEAD",
    "refs/remotes/origin/main",
    "refs/remotes/origin/master",
    "refs/heads/main",
    "refs/heads/master",
)
# The modes of files that are no links.
_PLAIN = (b"100644", b"100755")
# Files that are read from git at a time.
_AT_ONCE = 500
_NO_REPOSITORY = "not a git repository"


def _environment() -> dict[str, str]:
    """The environment for git: without the GIT_DIR of a hook, which would select another repository, and
    without optional locks, with messages in English.
    """
    return {
        **{key: value for key, value in os.environ.items() if key not in ("GIT_DIR", "GIT_WORK_TREE")},
        "GIT_OPTIONAL_LOCKS": "0",
        "LANGUAGE": "en",
    }


def _git(folder: Path, *args: str, given: bytes | None = None, timeout: float | None = None) -> bytes:
    command = ["git", "-C", str(folder), *args]
    try:
        done = subprocess.run(  # noqa: S603  # the user's git
            command, capture_output=True, check=False, env=_environment(), input=given, timeout=timeout
        )
    except FileNotFoundError:
        raise PredicatError.of(say.no_git()) from None
    except subprocess.TimeoutExpired:
        raise PredicatError.of(say.git_too_slow(args[0])) from None
    if done.returncode:
        reason = done.stderr.decode(errors="replace").strip().splitlines()
        if reason and _NO_REPOSITORY in reason[-1]:
            raise PredicatError.of(say.no_repository(folder.resolve()))
        raise PredicatError.of(say.git_failed(args[0], reason[-1] if reason else "failed"))
    return done.stdout


def repository(folder: Path) -> Path:
    """The root of the repository of a folder. Raises PredicatError."""
    return Path(
        _git(folder if folder.is_dir() else folder.parent, "rev-parse", "--show-toplevel").decode().strip()
    )


def default_base(root: Path) -> str:
    """The commit at which the working tree left the main branch."""
    known = _git(root, "for-each-ref", "--format=%(refname)", *_MAIN).decode().split()
    for name in (name for name in _MAIN if name in known):
        try:
            return _left(root, name)
        except PredicatError:
            continue
    raise PredicatError.of(say.no_main_branch(shallow(root)))


def commit(root: Path, revision: str) -> str:
    """The hash of a revision. With three dots after it, as in `git diff main...`, the merge base with the
    working tree. Raises PredicatError if there is none.
    """
    if revision.startswith("-"):
        raise PredicatError.of(say.no_revision(revision))
    name = revision.removesuffix("...")
    try:
        result = _git(root, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}").decode().strip()
    except PredicatError:
        raise PredicatError.of(say.unknown_revision(name, _remote(root, name), shallow(root))) from None
    if name == revision:
        return result
    try:
        return _left(root, result)
    except PredicatError:
        raise PredicatError.of(say.no_common_commit(name, shallow(root))) from None


def _remote(root: Path, name: str) -> str | None:
    """The branch of a remote that has the name of a branch: CI systems have no other."""
    known = _git(root, "for-each-ref", "--format=%(refname:short)", f"refs/remotes/*/{name}").decode().split()
    return known[0] if known else None


def _left(root: Path, revision: str) -> str:
    """The commit at which the working tree left a revision. While a merge is not committed yet, the working
    tree has the other side as well.
    """
    try:
        merging = _git(root, "rev-parse", "--verify", "--quiet", "MERGE_HEAD").decode().split()
    except PredicatError:
        merging = []
    return _git(root, "merge-base", revision, "HEAD", *merging).decode().strip()


def shallow(root: Path) -> str | None:
    """A hint if the clone is shallow, as in CI systems by default."""
    if _git(root, "rev-parse", "--is-shallow-repository").strip() != b"true":
        return None
    return (
        "this clone is shallow: fetch all of it (actions/checkout: fetch-depth: 0; GitLab: GIT_DEPTH: 0; "
        "elsewhere: git fetch --unshallow)"
    )


def head(root: Path) -> str | None:
    """The hash of the current commit; None before the first one."""
    try:
        return commit(root, "HEAD")
    except PredicatError:
        return None


def head_of(folder: Path) -> str:
    """The current commit of the repository of a folder; empty without one."""
    try:
        return head(repository(folder)) or ""
    except (PredicatError, OSError):
        return ""


def revision(folder: Path) -> str:
    """The commit of a catalog folder, with a + if the catalog or its macros differ from it.

    An empty string outside of a repository, before the first commit, and without git.
    """
    if not inside(folder):
        return ""
    try:
        root = repository(folder)
        current = head(root) or ""
        own = folder.resolve().relative_to(root.resolve())
        changed = current and changed_files(root, current, [own, own.parent / "macros"])
    except PredicatError:
        return ""
    return current + ("+" if changed else "")


def staged_files(root: Path, folders: Sequence[Path] = ()) -> set[Path]:
    """The files under some folders (by default all) that the next commit changes; relative to the root."""
    names = _git(root, "diff", "--cached", "--name-only", "--no-renames", "-z", "--", *map(str, folders))
    return {Path(name.decode()) for name in names.split(b"\0") if name}


def staged_tree(root: Path) -> str:
    """The tree that the next commit would have. Raises PredicatError while a merge has conflicts."""
    return _git(root, "write-tree").decode().strip()


def folder_of(root: Path) -> Path:
    """The git folder of a repository, or of a linked work tree."""
    return Path(_git(root, "rev-parse", "--absolute-git-dir").decode().strip())


def changed_files(root: Path, revision: str, folders: list[Path]) -> set[Path]:
    """The files under some folders that differ between a commit and the working tree, new ones included;
    relative to the root.
    """
    names = [str(path) for path in folders]
    differing = _git(root, "diff", "--name-only", "--no-renames", "-z", revision, "--", *names)
    untracked = _git(root, "ls-files", "--others", "--exclude-standard", "-z", "--", *names)
    return {Path(name.decode()) for name in (*differing.split(b"\0"), *untracked.split(b"\0")) if name}


class Commit(Struct, frozen=True):
    """A commit: its hash, its day as `2026-01-31`, and the first line of its message."""

    hash: str
    day: str
    subject: str


# The hash of a tree without files: what is before the first commit.
NOTHING = Commit("4b825dc642cb6eb9a060e54bf8d69288fbee4904", "", "")


def log(root: Path, folders: Sequence[Path], most: int) -> list[Commit]:
    """The last commits that changed some folders, the newest first. Of a merged branch only the merge."""
    names = map(str, folders)
    found = _git(
        root, "log", f"--max-count={most}", "--first-parent", "--format=%H%x00%as%x00%s%x00", "--", *names
    )
    fields = [field.decode(errors="replace").strip("\n") for field in found.split(b"\0")]
    return [Commit(*fields[place : place + 3]) for place in range(0, len(fields) - 3, 3)]


def last_change(path: Path, first: int, last: int, timeout: float) -> Commit | None:
    """The commit that changed some lines of a file last; None if they are not committed. `timeout` is in
    seconds. Raises PredicatError.
    """
    lines = f"-L{first},{last}:{path.name}"
    found = _git(path.parent, "log", "-1", "-s", "--format=%H%x00%as%x00%s", lines, timeout=timeout)
    fields = found.decode(errors="replace").strip("\n").split("\0")
    return Commit(*fields) if len(fields) == 3 else None


def remote(root: Path) -> str:
    """The address of the remote `origin`; "" if there is none."""
    try:
        return _git(root, "config", "--get", "remote.origin.url").decode(errors="replace").strip()
    except PredicatError:
        return ""


def differing_files(root: Path, before: str, after: str, folders: Sequence[Path]) -> set[Path]:
    """The files under some folders that differ between two commits; relative to the root."""
    names = _git(root, "diff", "--name-only", "--no-renames", "-z", before, after, "--", *map(str, folders))
    return {Path(name.decode()) for name in names.split(b"\0") if name}


@contextmanager
def checkout(root: Path, revision: str, folders: list[Path]) -> Iterator[Path]:
    """Some folders at a commit, in a temporary folder. Folders that did not exist yet are
    missing.
    """
    import io  # noqa: PLC0415  # a plain check does without
    import tarfile  # noqa: PLC0415  # as above
    import tempfile  # noqa: PLC0415  # as above

    listed = _git(root, "ls-tree", "--name-only", "-z", revision, "--", *map(str, folders))
    present = [name.decode() for name in listed.split(b"\0") if name]
    with tempfile.TemporaryDirectory(prefix="predicat-") as name:
        target = Path(name)
        if present:
            archive = _git(root, "archive", "--format=tar", revision, "--", *present)
            with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
                # Python before 3.11.4 has no filters; git writes only paths below the folder in any case.
                tar.extraction_filter = getattr(tarfile, "tar_filter", None)
                tar.extractall(target)  # noqa: S202  # a link that leads out of the copy is not read
        (target / ROOT).touch()
        yield target


@contextmanager
def files_at(root: Path, revision: str, wanted: Callable[[PurePath], bool], largest: int) -> Iterator[Path]:
    """The wanted files of a commit with at most `largest` bytes, in a temporary folder, without links."""
    import tempfile  # noqa: PLC0415  # a plain check does without

    listed = _git(root, "ls-tree", "-r", "-l", "-z", "--full-tree", revision)
    chosen: list[tuple[PurePath, bytes, int]] = []
    for row in filter(None, listed.split(b"\0")):
        about, _, name = row.partition(b"\t")
        mode, _, digest, size = about.split()
        path = PurePath(os.fsdecode(name))
        if mode in _PLAIN and int(size) <= largest and wanted(path):
            chosen.append((path, digest, int(size)))
    with tempfile.TemporaryDirectory(prefix="predicat-") as folder:
        target = Path(folder).resolve()
        for first in range(0, len(chosen), _AT_ONCE):
            part = chosen[first : first + _AT_ONCE]
            found = _git(root, "cat-file", "--batch", given=b"".join(row[1] + b"\n" for row in part))
            end = 0
            for path, _, length in part:
                at = found.index(b"\n", end) + 1
                (target / path).parent.mkdir(parents=True, exist_ok=True)
                (target / path).write_bytes(found[at : at + length])
                end = at + length + 1
        yield target


def lines_with(root: Path, text: str) -> list[tuple[str, str]]:
    """The lines of tracked files that have a text, each with the path of its file. Links are not followed."""
    try:
        found = _git(root, "grep", "-I", "-F", "-z", "--full-name", "-e", text, "--", ":/")
    except PredicatError:  # git fails where nothing is found, too
        return []
    pairs = (line.partition("\0") for line in found.decode(errors="replace").split("\n") if line)
    return [(path, line) for path, _, line in pairs]


def inside(folder: Path) -> bool:
    """Whether a folder seems to be in a repository, without a call of git."""
    return repository_of(folder.resolve()) is not None


def has_commits(folder: Path) -> bool:
    """Whether anything is committed."""
    return bool(_git(folder, "rev-list", "--max-count=1", "--all"))


def names_read(file: Path, base: str | None) -> frozenset[str]:
    """The variables of the environment that a project file named at a revision (default: the merge base with
    main); none if there was no such file.
    """
    from predicat.catalog.project import variables_in  # noqa: PLC0415  # only for a file with variables

    try:
        root = repository(file.parent)
        revision = commit(root, base) if base else default_base(root)
        path = file.resolve().relative_to(root.resolve())
        return variables_in(text_at(root, revision, str(path)) or "")
    except PredicatError:
        return frozenset()


def text_at(folder: Path, revision: str, path: str) -> str | None:
    """The text of a file at a revision; None if it did not exist. `path` is relative to the folder if it
    begins with `./`, otherwise to the root.
    """
    size, _, content = _git(folder, "cat-file", "--batch", given=f"{revision}:{path}\n".encode()).partition(
        b"\n"
    )
    return content[:-1].decode(errors="replace") if size.split(b" ")[-2:-1] == [b"blob"] else None


def deleted_since(folder: Path, revision: str, name: str) -> list[str]:
    """The files with a name, anywhere in the repository, that exist at a revision and not in the working
    tree; relative to the root.
    """
    names = _git(
        folder,
        "diff",
        "--name-only",
        "--no-renames",
        "--diff-filter=D",
        "-z",
        revision,
        "--",
        f":(top,glob)**/{name}",
    )
    return [path.decode() for path in names.split(b"\0") if path]


def lost_in(folder: Path, text: str, path: Path, timeout: float) -> tuple[str, str] | None:
    """The commit that removed a text from a file, as its short hash and its subject; None if the file never
    had the text; without network. `timeout` is in seconds. Raises PredicatError.
    """
    options = ("-1", "--format=%h %s", "-S", text, "--", str(path))
    output = _git(folder, *_OFFLINE, "log", *options, timeout=timeout)
    short, _, subject = output.decode(errors="replace").strip().partition(" ")
    return (short, subject) if short else None


def changes(root: Path, days: int, most: int, timeout: float) -> Counter[str]:
    """How many commits changed each file (seen from the root) in the days before the current commit, merges
    not counted: of the last `most` commits. `timeout` is in seconds. Raises PredicatError.
    """
    last = int(_git(root, "log", "-1", "--format=%ct", timeout=timeout))
    options = (f"--max-count={most}", f"--since=@{last - days * 86_400}", "--no-merges")
    names = _git(
        root, *_OFFLINE, "log", *options, "--name-only", "--no-renames", "-z", "--format=", timeout=timeout
    )
    return Counter(os.fsdecode(name) for name in names.split(b"\0") if name)


class Blamed(Struct, frozen=True):
    """Who changed a line of a file last: the hash of the commit, its day in the author's zone (2026-01-31),
    the first line of its message, and the author's name and e-mail address.
    """

    hash: str
    day: str
    subject: str
    author: str
    mail: str


def blame(path: Path, ranges: Sequence[tuple[int, int]], timeout: float) -> dict[int, Blamed]:
    """Who changed each line of a file last, for lines that are committed; without network.

    Args:
        path: The file.
        ranges: The first and the last line of each part to read, from 1.
        timeout: Seconds.

    Raises PredicatError.
    """
    parts = [f"-L{first},{last}" for first, last in ranges]
    options = ("--line-porcelain", "--no-textconv", *parts, "--", path.name)
    told = _git(path.parent, *_OFFLINE, "blame", *options, timeout=timeout)
    result: dict[int, Blamed] = {}
    number, known = 0, dict[str, str]()
    for line in told.decode(errors="replace").split("\n"):
        if line.startswith("\t"):
            result[number] = _blamed(known)
        elif match := _BLAMED.match(line):
            number, known = int(match["line"]), {"commit": match["commit"]}
        else:
            key, _, value = line.partition(" ")
            known[key] = value
    return {line: item for line, item in result.items() if set(item.hash) != {"0"}}


# A partial clone would fetch what it lacks.
_OFFLINE = ("-c", "protocol.allow=never")
_BLAMED = re.compile(r"(?P<commit>[0-9a-f]{40,64}) \d+ (?P<line>\d+)")
# The last day but one that Python knows, in seconds: a commit may name any time.
_LATEST = 253_402_128_000
_ZONE = re.compile(r"([+-])(\d\d)(\d\d)")


def _blamed(known: Mapping[str, str]) -> Blamed:
    """A line of which `git blame` tells these headers."""
    zone = _ZONE.fullmatch(known.get("author-tz", ""))
    minutes = int(f"{zone[1]}1") * (60 * int(zone[2]) + int(zone[3])) if zone else 0
    seconds = min(int(known.get("author-time", 0)), _LATEST)
    moment = datetime(1970, 1, 1) + timedelta(seconds=seconds, minutes=minutes)  # noqa: DTZ001  # in the author's zone
    return Blamed(
        known["commit"],
        moment.date().isoformat(),
        known.get("summary", ""),
        known.get("author", ""),
        known.get("author-mail", "").strip("<> "),
    )
