"""Names of database objects, with their schemas."""

from msgspec import Struct
from sqlglot import exp


class InSchema(Struct, frozen=True):
    """Something that has a name in a schema."""

    schema: str
    name: str

    @property
    def place(self) -> tuple[str, str]:
        """The schema and the name."""
        return self.schema, self.name

    @property
    def sql(self) -> str:
        """The name in SQL, with its schema."""
        return qualified(self.schema, self.name)

    @property
    def shown(self) -> str:
        """The name in messages."""
        return f"{self.schema}.{self.name}"


def qualified(schema: str, name: str) -> str:
    """A name in its schema, as SQL."""
    return exp.table_(name, db=schema, quoted=True).sql(dialect="postgres")
