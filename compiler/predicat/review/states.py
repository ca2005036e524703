"""Which filters of a catalog are new or differ from the base, for selectors such as `state:new`.

No proofs: a filter differs if its file says something else of it, or if it has another meaning because
something that it uses has changed (a filter, a field, a macro, a variable).
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
        base: A git revision. Default: where the branch left the main branch.

    Raises:
        PredicatError: The folder is in no repository, or the revision is unknown.
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
    """The hash of what a version means; None for one with a problem."""
    version = side.check(name, int(number))
    return meaning_hash(version.node, "") if version is not None else None
