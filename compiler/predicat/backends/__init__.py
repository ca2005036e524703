"""Back ends: typed nodes to SQL dialects."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from predicat.backends.sql.base import Dialect
    from predicat.backends.sql.storage import Storage

DIALECTS = ("spark", "postgres", "duckdb")
"""The SQL dialects, by name."""


@cache
def dialect(name: str) -> Dialect:
    """The SQL dialect of a name in DIALECTS; its module loads on first use."""
    if name == "spark":
        from predicat.backends.sql.spark import SPARK  # noqa: PLC0415  # sqlglot takes a tenth of a second to load

        return SPARK
    if name == "duckdb":
        from predicat.backends.sql.duckdb import DUCKDB  # noqa: PLC0415  # as above

        return DUCKDB
    from predicat.backends.sql.postgres import POSTGRES  # noqa: PLC0415  # as above

    return POSTGRES


def stored(name: str, collation: str, indexes: Sequence[str]) -> Storage:
    """How a relation is stored on a dialect: its collation, and its indexes as a catalog has them."""
    from predicat.backends.sql.storage import NOTHING_KNOWN  # noqa: PLC0415  # as above

    if name != "postgres":
        return NOTHING_KNOWN
    from predicat.backends.sql.postgres.stored import declared  # noqa: PLC0415  # as above

    return declared(collation, indexes)
