"""Which filters of a catalog are new or differ from the base, for selectors such as `state:new`.

There are no proofs: a filter differs if its definition differs, or if its meaning differs because something
that it uses has changed (a filter, a field, a macro, a variable).
"""

from collections.abc import Collection, Mapping
from pathlib import Path

from predicat.ir.canonical import meaning_hash
from predicat.review.sides import against_git
from predicat.review.snapshot import Snapshot


def states(folder: Path, variables: Mapping[str, str], base: str | None) -> Mapping[str, Collection[str]]:
    """The names (`dataset.filter`) of new filters, and of those that are new or differ.

    Args:
        folder: The catalog folder.
        variables: Values for Jinja variables.
        base: A git revision. Default: the merge base with the main branch.

    Raises:
        PredicatError: The folder is not in a repository, or the revision is unknown.
    """
    with against_git(base, folder, variables) as sides:
        before, after = sides.before, sides.after
        new = [name for name in after.filters if name not in before.filters]
        changed = [name for name in after.filters if name in before.filters and _differs(name, before, after)]
    return {"new": new, "changed": [*new, *changed]}


def _differs(name: str, before: Snapshot, after: Snapshot) -> bool:
    old, now = ({**side.filters[name], "file": ""} for side in (before, after))
    return old != now or any(
        _meaning(before, name, number) != _meaning(after, name, number) for number in now["versions"]
    )


def _meaning(side: Snapshot, name: str, number: str) -> str | None:
    """The hash of a version's meaning; None if it has a problem."""
    version = side.check(name, int(number))
    return meaning_hash(version.node, "") if version is not None else None
