"""Reads files as `predicat discover` does: what was read is kept, and read again from there."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from predicat.discover.read import folder
from predicat.discover.read.folder import Scan
from predicat.discover.read.types import TableTypes


def read(paths: Sequence[Path], dialect: str | None = None, columns: TableTypes | None = None) -> Scan:
    """What is in files, which is the same when it is read from the cache."""
    with tempfile.TemporaryDirectory() as place:
        scan = folder.read(paths, dialect, columns, cache=Path(place))
        totals: list[int] = []
        again = folder.read(
            paths, dialect, columns, cache=Path(place), progress=lambda _, of: totals.append(of)
        )
    assert totals == [] and again == scan
    return scan
