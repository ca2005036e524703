"""PostgreSQL: a function of the runtime as the statement that creates it."""

from __future__ import annotations

from msgspec import Struct

# The schema of the functions.
SCHEMA = "predicat"


class Definition(Struct, frozen=True):
    """A function in PostgreSQL.

    Attributes:
        name: Its name, without the schema.
        arguments: Its arguments with their types, as SQL.
        returns: The type of its result.
        body: Its expression.
        stable: Whether the expression is not immutable to PostgreSQL.
        note: What it means.
    """

    name: str
    arguments: str
    returns: str
    body: str
    note: str
    stable: bool = False

    @property
    def signature(self) -> str:
        """The function as SQL names it."""
        return f"{SCHEMA}.{self.name}({self.arguments})"

    @property
    def sql(self) -> str:
        """The statement that creates it."""
        kept = "STABLE" if self.stable else "IMMUTABLE"
        return (
            f"CREATE OR REPLACE FUNCTION {self.signature} RETURNS {self.returns} "
            f"LANGUAGE sql {kept} PARALLEL SAFE RETURN {self.body}"
        )
