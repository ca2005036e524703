"""How drivers write bind parameters.

Sources: PEP 249 and the documentation of psycopg (`%` is doubled), asyncpg, and pgJDBC (the operator `?` is
doubled).
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct


class Style(Struct, frozen=True):
    """The markers of a driver.

    Attributes:
        marker: The marker, before its number if it is `numbered`.
        numbered: Whether markers have numbers, so that one value may be used several times.
        doubled: The character that is doubled where it is no marker.
        in_texts: Whether it is doubled in strings and quoted names, too.
    """

    marker: str
    numbered: bool = False
    doubled: str = ""
    in_texts: bool = False

    def escaped(self, sql: str, *, quoted: bool) -> str:
        """A part of a statement without markers."""
        return (
            sql.replace(self.doubled, self.doubled * 2) if self.doubled and self.in_texts >= quoted else sql
        )


STYLES: Mapping[str, Style] = {
    "asyncpg": Style("$", numbered=True),
    "psycopg": Style("%s", doubled="%", in_texts=True),
    "jdbc": Style("?", doubled="?"),
}
# Markers without a driver's rules.
PLAIN = Style("?")
