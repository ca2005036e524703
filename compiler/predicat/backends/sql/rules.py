"""What a SQL dialect has: a rule for each operator, and those that are not operators."""

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

R = TypeVar("R")
"""The renderer, which rules are given and which is given these rules."""


class NotSupported(Struct, frozen=True):
    """Why a dialect cannot say an operator, and what to do instead."""

    text: str
    hint: str | None = None


class Documents(Struct, Generic[R], frozen=True):
    """How a dialect reads a JSON value, which may be JSON's null."""

    value: Callable[[R, Node], Sql]
    """The value that look-ups find, with JSON's null as itself."""
    text: Callable[[R, Node], Sql]
    """A string without its quotes, the JSON text of any other value, NULL for JSON's null."""
    kind: Callable[[R, Node], Sql]
    """The engine's name of the kind."""
    null: str
    """The name of the kind of JSON's null."""
    is_kind: Callable[[Sql, str], Sql]
    """Whether a name is that of a kind."""
    has_nan: bool
    """Whether a number in a document may be NaN, which JSON itself does not have."""
    equals: Callable[[R, Node, float], Sql | None]
    """Whether a value is a number that equals this double. None if a test of the kind and a comparison are no
    longer than what the dialect has.
    """
    scalar: Callable[[R, Node, str], Sql | None]
    """Whether a value is the scalar with this JSON text; FALSE or NULL for any other, and for no value. None
    where the dialect has no short test.
    """


class Served(Struct, frozen=True):
    """A form of a test that an index serves. If it is `exact` it is TRUE for the same rows; otherwise it is
    TRUE whenever the test is, and stands beside it.
    """

    sql: Sql
    exact: bool = False


class DialectRules(Struct, Generic[R], frozen=True):
    """What a dialect has: a rule for each operator, and those that are not operators."""

    name: str
    sqlglot: str
    table: Mapping[str, Callable[[R, Call], Sql] | NotSupported]
    types: Mapping[Type, str]
    quantifier: Callable[[R, Quantifier], Sql]
    in_array: Callable[[R, Call], Sql]
    """Whether an array has a value."""
    not_nan: Callable[[Sql], Sql]
    timestamp: Callable[[datetime], Sql]
    not_json_null: Callable[[Sql], Sql]
    """A JSON value that a column holds, with JSON's null as no value."""
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
    """A last change of the SQL text, so that no setting of a session changes how it is read."""
    served: Callable[[R, Node, Sql], Served | None] | None = None
    """The form of a test of a WHERE that an index serves. None where its usual form, which is given, is to be
    taken.
    """
    index_of: Callable[[Sql, Storage], Index | None] | None = None
    """The index that finds the rows of a condition."""
    rows: Mapping[str, Callable[[R, Call], Sql | None]] = field(default_factory=dict[str, Any])
    """Shorter rules for a test of a WHERE, which may be FALSE instead of NULL; None where there is none."""
    runtime: Runtime | None = None
    """The functions that can be installed in the engine."""
    beside_constant: Callable[[R, Node, float], Sql | None] | None = None
    """A double that is only compared with a constant; None where it is as long as anywhere else."""
    collated: Callable[[R, Sequence[Node]], Sql] | None = None
    """The first of some texts, so that the engine orders them by code point. None: it always does."""
    exists: Callable[[R, Quantifier], Sql] | None = None
    """The `exists` over an array in a WHERE, where no answer is as good as FALSE; None: as anywhere else."""
    byte_length_function: str | None = None
    """The function that counts the bytes of a text. None if a collation may change the effect of LOWER and
    UPPER on ASCII letters.
    """

    def identifier(self, name: str) -> exp.Identifier:
        """The name of a column or member, in quotes if the dialect needs them. Raises Unsupported."""
        if self.spelling.variables and "${" in name:
            raise Unsupported.of(say.variable_in_column(NOWHERE, self.name, name))
        return identifier(name, self.sqlglot)
