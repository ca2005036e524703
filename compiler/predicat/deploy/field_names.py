"""The names of the fields of columns: what `predicat init` writes."""

import re
from collections.abc import Iterable, Sequence
from unicodedata import combining, normalize

from predicat.catalog.keys import IDENTIFIER, LETTERS

_KEPT = re.compile(IDENTIFIER)
_ODD = re.compile(rf"[^{LETTERS}]+")


def field_names(columns: Sequence[str]) -> list[str]:
    """A name for the field of each column: the column's own, if a field can have it, otherwise one of its
    letters and digits. SQL reads names in any case, so no two differ in case only.
    """
    used: dict[str, str] = {}
    for column in columns:
        if _KEPT.fullmatch(column):
            used.setdefault(column.lower(), column)
    names = {column: column for column in used.values()}
    for column in columns:
        if column not in names:
            base = column if _KEPT.fullmatch(column) else in_words(column)
            names[column] = next(name for name in _numbered(base) if name.lower() not in used)
            used[names[column].lower()] = column
    return [names[column] for column in columns]


def _numbered(base: str) -> Iterable[str]:
    yield base
    for number in range(2, 10_000):
        yield f"{base[:120]}_{number}"


def in_words(text: str, otherwise: str = "column") -> str:
    """A text in lowercase letters of its script, digits and underscores."""
    name = _ODD.sub("_", text).strip("_").lower()[:60]
    return name if _KEPT.fullmatch(name) else f"{otherwise}_{name}".rstrip("_")


def in_ascii(text: str, otherwise: str) -> str:
    """A text in lowercase letters a to z, digits and underscores: `grosse` for `Größe`."""
    plain = "".join(char for char in normalize("NFKD", text.casefold()) if not combining(char))
    name = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:60]
    return name if name[:1].isalpha() else f"{otherwise}_{name}".rstrip("_")
