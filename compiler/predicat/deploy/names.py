"""Names of database objects, with their schemas."""

from msgspec import Struct
from sqlglot import exp

# What is created and dropped, for the kinds of pg_class.
VIEW_KINDS = {"v": "VIEW", "m": "MATERIALIZED VIEW"}
# The name of the index on the key of a materialized view, behind that of the view.
KEY_INDEX = "_key"


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
