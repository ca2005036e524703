"""The rules of a SQL dialect: one for each operator, and others for everything else in SQL."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Generic, TypeVar

from msgspec import Struct, field
from sqlglot import exp

from predicat.backends.sql import writing
from predicat.backends.sql.builders import Sql
from predicat.backends.sql.functions import Runtime
from predicat.backends.sql.names import identifier
from predicat.backends.sql.storage import Index, Storage
from predicat.diagnostics import NOWHERE, Unsupported
from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import Call, Node, Quantifier
from predicat.ir.types import Type

# The renderer, which applies the rules and is passed to them.
R = TypeVar("R")


class NotSupported(Struct, frozen=True):
    """The reason why a dialect does not support an operator, and a hint what to do instead."""

    text: str
    hint: str | None = None


class Documents(Struct, Generic[R], frozen=True):
    """How a dialect reads a JSON value, which may be JSON null."""

    value: Callable[[R, Node], Sql]
    """The value that look-ups find, possibly JSON null."""
    text: Callable[[R, Node], Sql]
    """A string without its quotes, the JSON text of any other value, NULL for JSON null."""
    kind: Callable[[R, Node], Sql]
    """The engine's name of the kind."""
    null: str
    """The engine's name of the kind of JSON null."""
    is_kind: Callable[[Sql, str], Sql]
    """Whether the engine's name belongs to a kind."""
    has_nan: bool
    """Whether a number in a document may be NaN, which JSON itself does not have."""
    equals: Callable[[R, Node, float], Sql | None]
    """Whether a value is a number that equals this double. None if the dialect has nothing shorter than a
    test of the kind and a comparison.
    """
    scalar: Callable[[R, Node, str], Sql | None]
    """Whether a value is the scalar with this JSON text; FALSE or NULL for any other value and for NULL. None
    if the dialect has no short test.
    """
    tests_keys: bool = False
    """Whether the engine has `json_has`."""


class Served(Struct, frozen=True):
    """A form of a test that can use an index. If it is `exact`, it is TRUE for the same rows and replaces the
    test. Otherwise it is TRUE whenever the test is, and is added to the test with AND.
    """

    sql: Sql
    exact: bool = False


class DialectRules(Struct, Generic[R], frozen=True):
    """The rules of a SQL dialect: one for each operator, and others for everything else in SQL."""

    name: str
    sqlglot: str
    table: Mapping[str, Callable[[R, Call], Sql] | NotSupported]
    types: Mapping[Type, str]
    quantifier: Callable[[R, Quantifier], Sql]
    in_array: Callable[[R, Call], Sql]
    """Whether an array contains a value."""
    not_nan: Callable[[Sql], Sql]
    timestamp: Callable[[datetime], Sql]
    not_json_null: Callable[[Sql], Sql]
    """A JSON value of a column; NULL for JSON null."""
    let_compared: Callable[[R, Sql, Callable[[Sql], Sql]], Sql]
    """`body(value)` for a comparison, which uses the value twice."""
    documents: Documents[R]
    bind: Callable[[Mapping[str, Sql], Sql], Sql]
    """An expression with names for values that are computed once."""
    spelling: writing.Spelling = writing.Spelling()
    supports_nul: bool = True
    max_lambda_depth: int | None = None
    """The deepest nesting of lambda functions: the engine plans this depth at once and needs twice as long
    for each further level. None: no limit.
    """
    case_sensitive_columns: bool = False
    """Whether the names of two columns may differ only by case."""
    postprocess: Callable[[str], str] = str
    """A last change of the SQL text, so that no setting of a session changes its meaning."""
    served: Callable[[R, Node, Sql], Served | None] | None = None
    """The form of a test in a WHERE that can use an index. The usual form is passed; None keeps it."""
    index_of: Callable[[Sql, Storage], Index | None] | None = None
    """The index that can be used for a condition."""
    chooses_floats: bool = False
    """Whether a choice such as COALESCE between a `float` column and a plain number is a float of 32 bits."""
    rows: Mapping[str, Callable[[R, Call], Sql | None]] = field(default_factory=dict[str, Any])
    """Shorter rules for tests in a WHERE, which may be FALSE instead of NULL. A rule gives None if the usual
    rule is to be used.
    """
    runtime: Runtime | None = None
    """The functions that can be installed in the engine."""
    collated: Callable[[R, Sequence[Node]], Sql] | None = None
    """The first of some strings, such that the engine orders them by code point. None: it always does."""
    exists: Callable[[R, Quantifier], Sql] | None = None
    """The `exists` over an array in a WHERE, where NULL is as good as FALSE. None: the usual rule is used."""
    byte_length_function: str | None = None
    """The function that counts the bytes of a string. None if a collation may change the effect of LOWER and
    UPPER on ASCII letters.
    """
    item_at: Callable[[Type, Sql, Sql, int, int, Sequence[int]], Sql] | None = None
    """The item of a list of small numbers for a value of a type: the first one for the least value, given as
    SQL and as its ordinal, and one for each step of as many ordinals. None: that is slower than a search.
    """

    def identifier(self, name: str) -> exp.Identifier:
        """The name of a column or member, in quotes if the dialect needs them. Raises Unsupported."""
        if self.spelling.variables and "${" in name:
            raise Unsupported.of(say.variable_in_column(NOWHERE, self.name, name))
        return identifier(name, self.sqlglot)
