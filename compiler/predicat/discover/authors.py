"""Who wrote conditions, by git: for those whose owner nobody has named."""

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from predicat.diagnostics import PredicatError
from predicat.discover.conditions import Condition
from predicat.forge import git
from predicat.forge.patience import Patience

# Files that git is asked about, at most.
_MAX_FILES = 300
# For all files, at most.
SECONDS = 20.0
_FILE_SECONDS = 3.0


def with_authors(conditions: Sequence[Condition], seconds: float = SECONDS) -> list[Condition]:
    """Conditions with an owner where git tells one: the author of most of its lines, by e-mail address.

    An owner that is known stays. Conditions of files that git does not know, and those that are
    not looked at within the limits, have no owner.

    Args:
        conditions: The conditions; a path is a file from the working directory on.
        seconds: For all files.
    """
    patience = Patience(seconds)
    by_file: dict[str, list[int]] = {}
    for number, condition in enumerate(conditions):
        if condition.owner is None:
            by_file.setdefault(condition.place.path, []).append(number)
    result = list(conditions)
    for path, numbers in list(by_file.items())[:_MAX_FILES]:
        left = patience.left(_FILE_SECONDS)
        if not left:
            break
        lines = _lines(path, [conditions[number] for number in numbers])
        try:
            blamed = git.blame(Path(path).resolve(), sorted(set(lines)), left) if lines else {}
        except PredicatError:
            continue
        authors = {line: item.mail for line, item in blamed.items() if item.mail}
        for number, (first, last) in zip(numbers, lines, strict=False):
            owner = _most_frequent(authors, range(first, last + 1))
            result[number] = dataclasses.replace(conditions[number], owner=owner)
    return result


def _lines(path: str, rows: Iterable[Condition]) -> list[tuple[int, int]]:
    """The first and the last line of each condition of a file; none if it cannot be read."""
    try:
        text = Path(path).read_bytes().decode("utf-8").removeprefix("\ufeff")
    except (OSError, ValueError):
        return []
    return [
        (row.place.line, row.place.line + text.count("\n", row.place.start, row.place.end)) for row in rows
    ]


def _most_frequent(authors: Mapping[int, str], lines: Iterable[int]) -> str | None:
    """The author of most lines; of several the one of the first line."""
    counts = Counter(authors[line] for line in lines if line in authors)
    return counts.most_common(1)[0][0] if counts else None
