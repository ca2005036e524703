"""Exports, written into a folder."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import predicat
from predicat.exporting import writing
from predicat.exporting.asked import Asked, Text
from predicat.exporting.targets import TARGETS


def asked(catalog: predicat.Catalog, *names: str, **settings: Any) -> Asked:
    """An export of these filters, or of all."""
    return Asked(catalog, [catalog.find(name) for name in names or catalog], settings)


def texts(target: str, of: Asked) -> list[Text]:
    """The texts of an export without a refusal."""
    result = list(TARGETS[target].texts(of))
    of.reporter.raise_errors()
    return result


def write(target: str, catalog: predicat.Catalog, out: Path, made: Sequence[Text]) -> None:
    """Write texts, over whatever is there."""
    writing.write(out, writing.files(catalog, target, out, made), force=True)


def dbt_package(catalog: predicat.Catalog, out: Path, targets: Sequence[str] = ()) -> tuple[int, list[str]]:
    """Write the package of dbt: the number of its filters, and the notes."""
    of = asked(catalog, target=tuple(targets))
    made = texts("dbt", of)
    write("dbt", catalog, out, made)
    return len({name for text in made for name in text.filters}), [
        note.message for note in of.reporter.diagnostics
    ]
