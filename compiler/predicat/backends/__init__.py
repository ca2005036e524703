"""Back ends: typed nodes to SQL dialects."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from predicat.backends.sql.dialect import Dialect
    from predicat.backends.sql.storage import Storage

# Where each dialect is, below `predicat.backends.sql`.
_MODULES = {"spark": "spark:SPARK", "postgres": "postgres:POSTGRES", "duckdb": "duckdb:DUCKDB"}
# The SQL dialects, by name.
DIALECTS = tuple(_MODULES)
# The dialects that a manifest has SQL for, whatever engines the relation of a dataset names.
IN_EVERY_MANIFEST = ("spark", "postgres")


@cache
def dialect(name: str) -> Dialect:
    """The SQL dialect of a name in DIALECTS. Its module loads on first use: sqlglot takes a tenth of a
    second.
    """
    module, _, row = _MODULES[name].partition(":")
    result: Dialect = getattr(import_module(f"predicat.backends.sql.{module}"), row)
    return result


def stored(name: str, collation: str, indexes: Sequence[str]) -> Storage:
    """How a relation is stored on a dialect: its collation, and its indexes as a catalog has them."""
    from predicat.backends.sql.storage import NOTHING_KNOWN  # noqa: PLC0415  # as above

    if name != "postgres":
        return NOTHING_KNOWN
    from predicat.backends.sql.postgres.stored import declared  # noqa: PLC0415  # as above

    return declared(collation, indexes)
