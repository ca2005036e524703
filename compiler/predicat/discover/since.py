"""The files that have changed since a revision, so that only what concerns them is reported."""

from collections.abc import Sequence
from pathlib import Path

from predicat.discover.read.folder import Changed, Scan
from predicat.forge import git
from predicat.lint import Finding


def mark_changed(scan: Scan, paths: Sequence[Path], revision: str) -> None:
    """Tells a search which of its files have changed since a revision, with those that git does not know
    yet. Conditions of these files come first, so that findings about several places are told at theirs.
    Raises PredicatError without a repository or for an unknown revision.
    """
    changed: set[Path] = set()
    roots = {git.repository(path).resolve() for path in paths}
    for root in roots:
        below = [path.resolve().relative_to(root) for path in paths if path.resolve().is_relative_to(root)]
        files = git.changed_files(root, git.commit(root, revision), below)
        changed.update(root / file for file in files)
    named = {item.place.path for item in scan.conditions} | {item.place.path for item in scan.refused}
    scan.changed = Changed(revision, frozenset(path for path in named if Path(path).resolve() in changed))
    scan.conditions.sort(key=lambda item: item.place.path not in scan.changed_paths)


def concerns(scan: Scan, finding: Finding) -> bool:
    """Whether a finding is about a file that has changed; True without --since."""
    if scan.changed is None:
        return True
    paths = {finding.span.source.name, *(place.path for place in getattr(finding, "places", ()))}
    return not paths.isdisjoint(scan.changed_paths)


def narrow(scan: Scan) -> None:
    """Leaves what is in files that have changed."""
    if scan.changed is not None:
        scan.conditions = [item for item in scan.conditions if item.place.path in scan.changed_paths]
        scan.refused = [item for item in scan.refused if item.place.path in scan.changed_paths]
