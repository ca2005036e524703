"""Where findings come from, by git: how often their files change, who wrote a line and when, and its page."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct, structs

from predicat.diagnostics import PredicatError
from predicat.diagnostics.reading import repository_of
from predicat.diagnostics.wording import cut, one_line
from predicat.forge import git
from predicat.forge.links import line_address
from predicat.forge.patience import Patience

# Changes are counted in the days before the current commit, and in the last commits.
_DAYS = 365
_MOST_COMMITS = 5_000
# Seconds for the history of all repositories, for the lines of all files, and for one file.
_HISTORY = 20.0
_LINES = 20.0
_FILE = 3.0
# Characters of a name, and of a subject.
_MOST_TEXT = 80


class Origin(Struct, frozen=True):
    """Where a line comes from: its page on the repository's server, and who changed it last. The page is
    empty, and the rest None, where git does not tell.
    """

    url: str = ""
    written: git.Blamed | None = None


def changes(paths: Iterable[str], seconds: float = _HISTORY) -> dict[str, int]:
    """How many commits changed each file within a year before the current commit of its repository; files
    that git does not know are missing.

    Args:
        paths: Files, from the working directory on.
        seconds: For all repositories. One whose history takes longer is left out.
    """
    patience = Patience(seconds)
    by_root: dict[Path, dict[str, str]] = {}
    for path in dict.fromkeys(paths):
        file = Path(path).resolve()
        root = repository_of(file.parent)
        if root is not None:
            by_root.setdefault(root, {})[path] = file.relative_to(root).as_posix()
    result: dict[str, int] = {}
    for root, names in by_root.items():
        try:
            known = git.changes(root, _DAYS, _MOST_COMMITS, max(patience.left(seconds), 0.1))
        except (PredicatError, ValueError):
            continue
        result |= {path: known[name] for path, name in names.items() if known[name]}
    return result


def origins(places: Iterable[tuple[str, int]], seconds: float = _LINES) -> dict[tuple[str, int], Origin]:
    """Where lines of files come from; those that git does not know are missing.

    Args:
        places: Files, from the working directory on, and lines from 1.
        seconds: For all files.
    """
    patience = Patience(seconds)
    by_file: dict[str, list[int]] = {}
    for path, line in places:
        by_file.setdefault(path, []).append(line)
    roots = {path: repository_of(Path(path).resolve().parent) for path in by_file}
    pages = {
        root: _Pages(root, [path for path, own in roots.items() if own == root])
        for root in dict.fromkeys(roots.values())
        if root is not None
    }
    result: dict[tuple[str, int], Origin] = {}
    for path, lines in by_file.items():
        root, left = roots[path], patience.left(_FILE)
        if root is None or not left:
            continue
        try:
            blamed = git.blame(Path(path).resolve(), [(line, line) for line in sorted(set(lines))], left)
        except PredicatError:
            continue
        for line in lines:
            if (one := blamed.get(line)) is not None:
                result[path, line] = Origin(pages[root].of(path, line), _shown(one))
    return result


class _Pages:
    """The pages of a repository's files at its current commit, of files that have not changed since."""

    def __init__(self, root: Path, paths: Sequence[str]) -> None:
        self.names = {path: Path(path).resolve().relative_to(root) for path in paths}
        self.remote, self.commit = git.remote(root), git.head(root)
        self.changed = set[Path]()
        if self.remote and self.commit:
            try:
                self.changed = git.changed_files(root, self.commit, list(self.names.values()))
            except PredicatError:
                self.commit = None

    def of(self, path: str, line: int) -> str:
        """The page of a line; empty if there is none."""
        name = self.names[path]
        if not self.remote or self.commit is None or name in self.changed:
            return ""
        return line_address(self.remote, self.commit, name.as_posix(), line)


def _shown(written: git.Blamed) -> git.Blamed:
    """The texts of strangers in one line, without characters that a terminal takes for its own, cut."""
    author, subject = (cut(one_line(text), _MOST_TEXT) for text in (written.author, written.subject))
    return structs.replace(written, author=author, subject=subject)
