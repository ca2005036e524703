"""What a field is read from, if it is no column itself: an expression over the columns of the relation."""

from __future__ import annotations

import logging
import re
from functools import lru_cache

from msgspec import Struct
from sqlglot import Dialect, exp, parse
from sqlglot.dialects.dialect import NormalizationStrategy
from sqlglot.errors import SqlglotError

from predicat.backends.sql.builders import Sql
from predicat.diagnostics.messages.expressions import (
    CALCULATES_ROWS,
    CHANGES,
    NO_COLUMN,
    NOT_BACK,
    ONE_EXPRESSION,
    QUALIFIED,
    QUERY,
    REACHES,
    not_read,
)
from predicat.ir.nodes import FieldDecl

logging.getLogger("sqlglot").setLevel(logging.CRITICAL)  # what it cannot read is an error of the catalog
_VALUES = (exp.Condition, exp.AtTimeZone)
_QUERIES = (exp.Query, exp.Alias, exp.Exists)
_OF_ROWS = (
    *(exp.AggFunc, exp.Window, exp.Star, exp.UDTF, exp.Explode, exp.Lambda),
    *(exp.GenerateSeries, exp.ExplodingGenerateSeries),
)
_GIVEN = (exp.Placeholder, exp.Parameter, exp.SessionParameter)
# Functions whose value is not the same for the same row. A server knows others: `deploy.relations`.
CHANGING = frozenset(
    name
    for names in (
        "clock_timestamp current_setting currval gen_random_uuid getdate input_file_name lastval localtime",
        "localtimestamp monotonically_increasing_id nextval now pg_backend_pid pg_sleep rand randn random",
        "session_user set_config setseed setval shuffle spark_partition_id statement_timestamp sysdate",
        "timeofday today transaction_timestamp txid_current unix_timestamp user uuid uuid_generate_v1",
        "uuid_generate_v4",
    )
    for name in names.split()
)
# Functions that reach beyond the row: they run code, or read files, tables, settings or the network.
_REACHING = re.compile(
    r"pg_.*|lo_.*|dblink.*|.*_to_xml(?:_and_xmlschema|schema)?|xml2?_.*|"
    r"(?:try_)?reflect|java_method|secret|input_file_.*|getenv|getvariable|read_.*|http_.*|"
    r"from_substrait.*|raise_error|error|assert_true"
)


def _is_whole(sql: Sql) -> bool:
    """Whether an expression needs no parentheses, into which rules do not look, as they do into casts."""
    looked_into = (exp.Binary, exp.Cast, exp.Case)
    return isinstance(sql, exp.Column | exp.Func | exp.Paren) and not isinstance(sql, looked_into)


class BadExpression(Exception):
    """The text is no expression that a field can have; the message says why."""


class Expression(Struct, frozen=True):
    """An expression as nodes of sqlglot, and the columns and functions in it."""

    sql: Sql
    columns: tuple[str, ...]
    functions: tuple[str, ...]

    @property
    def is_column(self) -> bool:
        """Whether it is only a column."""
        return isinstance(self.sql, exp.Column)


@lru_cache(4096)
def read(text: str, engine: str) -> Expression:
    """An expression in the SQL of an engine. Raises BadExpression."""
    try:
        trees = parse(text, dialect=engine)
    except (SqlglotError, RecursionError) as error:
        raise BadExpression(not_read(str(error).partition("\n")[0])) from None
    if len(trees) != 1 or trees[0] is None:
        raise BadExpression(ONE_EXPRESSION)
    tree = trees[0]
    if not isinstance(tree, _VALUES) or any(tree.find_all(*_QUERIES)):
        raise BadExpression(QUERY)
    if any(tree.find_all(*_OF_ROWS, *_GIVEN)):
        raise BadExpression(CALCULATES_ROWS)
    functions = tuple(dict.fromkeys(_name(part) for part in tree.find_all(exp.Func)))
    if changing := [name for name in functions if name in CHANGING or name.startswith("current_")]:
        raise BadExpression(CHANGES(changing[0]))
    if reaching := [name for name in functions if _REACHING.fullmatch(name)]:
        raise BadExpression(REACHES(reaching[0]))
    columns = list(tree.find_all(exp.Column))
    if any(column.table for column in columns):
        raise BadExpression(QUALIFIED)
    folds = Dialect.get_or_raise(engine).normalization_strategy is NormalizationStrategy.LOWERCASE
    for column in columns:
        name = column.name.lower() if folds and not column.this.args.get("quoted") else column.name
        column.set("this", exp.to_identifier(name, quoted=True))
    names = tuple(dict.fromkeys(column.name for column in columns))
    if not names:
        raise BadExpression(NO_COLUMN)
    sql = tree if _is_whole(tree) else exp.Paren(this=tree)
    _check_written(sql, engine)
    return Expression(sql, names, functions)


def _check_written(sql: Sql, engine: str) -> None:
    """Raise BadExpression for what sqlglot would not read as it writes it."""
    try:
        text = sql.sql(dialect=engine)
        if parse(text, dialect=engine)[0] != sql:
            raise BadExpression(NOT_BACK)
    except (SqlglotError, RecursionError, ValueError) as error:
        raise BadExpression(not_read(str(error).partition("\n")[0])) from None


def _name(function: exp.Func) -> str:
    return (function.name if isinstance(function, exp.Anonymous) else function.sql_name()).lower()


def of_field(decl: FieldDecl, engine: str) -> Expression | None:
    """The expression of a field on an engine, if it has one."""
    text = decl.expression(engine)
    return read(text, engine) if text else None


def columns_of(decl: FieldDecl, engine: str) -> tuple[str, ...]:
    """The columns that a field is read from."""
    found = of_field(decl, engine)
    return (decl.column(engine),) if found is None else found.columns
