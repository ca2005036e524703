"""What people see of the rows of data: values of fields that are `sensitive` are masked.

Every place that shows rows, cells, or what an engine says of them, asks here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from sqlglot import exp

from predicat.backends.sql.expressions import columns_of, of_field
from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import FieldDecl

# Stands for a value that is not shown. A missing value is shown as missing.
MASK = "***"


# Classes of SQLSTATE and of DuckDB's errors whose texts are about the query, the server or a file, and quote
# no value of a row.
_NO_VALUES = re.compile(
    r"(?:0[8A]|2[58]|3D|3F|40|42|5[3-8]).{3}|(?:Binder|Catalog|Parser|Permission|IO|Connection|OutOfMemory)Exception"
    r"|OperationalError"
)


def of_engine(text: str, kind: str | None, *, sensitive: bool) -> str:
    """What an engine says of an error, as people see it: of a dataset with sensitive fields the text is
    shown only if it quotes no value. `kind` is the SQLSTATE, or the name of the class of the error.
    """
    if not sensitive or (kind is not None and _NO_VALUES.fullmatch(kind)):
        return text
    return say.hidden_error(kind or "unknown")


def sensitive_columns(fields: Iterable[FieldDecl], engine: str) -> frozenset[str]:
    """The columns that sensitive fields are read from, in small letters."""
    return frozenset(
        column.lower() for decl in fields if decl.sensitive for column in columns_of(decl, engine)
    )


def value(decl: FieldDecl | None, given: Any) -> Any:
    """A value of a field, as people see it."""
    return MASK if decl is not None and decl.sensitive and given is not None else given


def row(given: Mapping[str, Any], fields: Iterable[FieldDecl], engine: str) -> dict[str, Any]:
    """A row of columns or fields, as people see it."""
    known = list(fields)
    hidden = sensitive_columns(known, engine) | {decl.name.lower() for decl in known if decl.sensitive}
    return {
        name: MASK if name.lower() in hidden and item is not None else item for name, item in given.items()
    }


def columns(decls: Iterable[FieldDecl], engine: str) -> list[str]:
    """Fields as columns of a SELECT whose rows people see. One that is an expression has its own value and
    name: the columns that it reads may be of types that no text shows.
    """
    return list(dict.fromkeys(_column(decl, engine) for decl in decls))


def named(decls: Iterable[FieldDecl], engine: str) -> dict[str, str]:
    """The same without the names of columns, by these names."""
    return {name: read.sql(dialect=engine) for name, read, _ in (_read(decl, engine) for decl in decls)}


def _column(decl: FieldDecl, engine: str) -> str:
    name, read, plain = _read(decl, engine)
    return (read if plain else exp.alias_(read, name, quoted=True)).sql(dialect=engine)


def _read(decl: FieldDecl, engine: str) -> tuple[str, exp.Expr, bool]:
    """The name of a field's column, what is shown of it, and whether that is the column as it is."""
    given = of_field(decl, engine)
    name = decl.name if given is not None else decl.column(engine)
    read = given.sql if given is not None else exp.column(name, quoted=True)
    if decl.sensitive:
        is_there = exp.Not(this=exp.Is(this=read.copy(), expression=exp.Null()))
        read = exp.Case().when(is_there, exp.Literal.string(MASK))
    return name, read, given is None and not decl.sensitive
