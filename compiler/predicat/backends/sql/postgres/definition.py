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
        cost: What the planner believes that a call costs, in comparisons; 100 if None and it is not inlined.
    """

    name: str
    arguments: str
    returns: str
    body: str
    note: str
    stable: bool = False
    cost: int | None = None

    @property
    def signature(self) -> str:
        """The function as SQL names it."""
        return f"{SCHEMA}.{self.name}({self.arguments})"

    @property
    def sql(self) -> str:
        """The statement that creates it."""
        kept = "STABLE" if self.stable else "IMMUTABLE"
        cost = f"COST {self.cost} " if self.cost else ""
        return (
            f"CREATE OR REPLACE FUNCTION {self.signature} RETURNS {self.returns} "
            f"LANGUAGE sql {kept} {cost}PARALLEL SAFE RETURN {self.body}"
        )
