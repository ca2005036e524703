"""When two rules parted: the commit in which a file lost the text that the other one still has."""

from pathlib import Path

from msgspec import Struct

from predicat.diagnostics import PredicatError
from predicat.diagnostics.wording import cut, one_line
from predicat.discover.conditions import Condition
from predicat.forge import git

# For one look into the history of a file.
SECONDS = 5.0


class Divergence(Struct, frozen=True):
    """The commit in which two rules parted.

    Attributes:
        commit: Its short hash.
        subject: The first line of its message.
        path: The file that it changed: it had the text that the other file has now.
    """

    commit: str
    subject: str
    path: str


def parted(left: Condition, right: Condition, timeout: float = SECONDS) -> Divergence | None:
    """The commit in which the rules of two files parted.

    Args:
        left: A condition; its path is a file from the working directory on.
        right: The condition that is nearly the same.
        timeout: Seconds for each of the two files.

    Returns:
        The commit. None where they never were written alike, where git does not know the files, or where the
        time was not enough.
    """
    if left.rendered or right.rendered or left.place.path == right.place.path:
        return None
    for unchanged, changed in ((left, right), (right, left)):
        path = Path(changed.place.path)
        try:
            if unchanged.text in path.read_text(encoding="utf-8"):
                continue  # it has both
            commit = git.lost_in(path.resolve().parent, unchanged.text, path.resolve(), timeout)
        except (OSError, ValueError, PredicatError):
            continue
        if commit is not None:
            return Divergence(commit[0], cut(one_line(commit[1])), changed.place.path)
    return None
