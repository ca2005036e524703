"""PostgreSQL: `Storage` from definitions of indexes and names of collations."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from predicat.backends.sql.builders import Sql, string_literal
from predicat.backends.sql.storage import Index, IndexKey, Storage, TextOrder

logging.getLogger("sqlglot").setLevel(logging.CRITICAL)  # what it cannot read is an error of the catalog
_METHODS = {"btree", "hash", "gin", "gist", "spgist", "brin"}


def read_index(definition: str) -> Index | None:
    """An index from its CREATE INDEX statement, or from the part after `ON table`: `(lower(name))`,
    `USING gin (h)`. None if it cannot be parsed; no condition is then adapted to it.
    """
    text = definition.strip()
    if not text.upper().startswith("CREATE"):
        text = f"CREATE INDEX given ON given {text}"
    try:
        tree = parse_one(text.replace(" ON ONLY ", " ON ", 1), dialect="postgres")
    except (SqlglotError, RecursionError):
        return None
    index = tree.this
    parameters = index.args.get("params") if isinstance(index, exp.Index) else None
    if not isinstance(parameters, exp.IndexParameters):
        return None
    using = parameters.args.get("using")
    method = using.name.lower() if using is not None else "btree"
    keys = tuple(map(_key, parameters.args.get("columns") or ()))
    if method not in _METHODS or not keys:
        return None
    name = definition.strip() if index.name == "given" else index.name
    columns = frozenset(
        column.name for key in parameters.args["columns"] for column in key.find_all(exp.Column)
    )
    return Index(name, method, keys, columns, partial=parameters.args.get("where") is not None)


def _key(column: Sql) -> IndexKey:
    operators, collation = "", ""
    inner: Sql = column.this if isinstance(column, exp.Ordered) else column
    while isinstance(inner, exp.Opclass | exp.Collate | exp.Paren):
        if isinstance(inner, exp.Opclass):
            operators = inner.expression.this.name.lower()
        if isinstance(inner, exp.Collate):
            collation = inner.expression.name
        inner = inner.this
    return IndexKey(spelling(inner), operators, collation, isinstance(inner, exp.Column))


# The methods of indexes that serve an equality.
TREES = ("btree", "hash")


def spelling(sql: Sql) -> str:
    """A normalized spelling of an expression: the same for equal expressions, however PostgreSQL or the
    author of an index spells them.
    """
    return repr(_plain(sql.copy()))


def _plain(sql: Sql) -> Sql:
    root = exp.Tuple(expressions=[sql])
    for part in list(root.walk(bfs=False))[1:]:
        if isinstance(part, exp.Paren):
            part.replace(part.this)
        elif isinstance(part, exp.Cast) and part.to.this in (exp.DType.TEXT, exp.DType.VARCHAR):
            # The cast of a string has no effect; the cast of a number is left out on both sides.
            part.replace(part.this)
        elif isinstance(part, exp.Identifier):
            part.set("quoted", True)
        elif isinstance(part, exp.Column):
            part.set("table", None)
        elif isinstance(part, exp.Lower | exp.Upper):
            part.replace(exp.Anonymous(this=type(part).__name__.upper(), expressions=[part.this]))
        elif isinstance(part, exp.Anonymous):
            part.set("this", part.name.upper())
        elif isinstance(part, exp.JSONBExtract | exp.JSONBExtractScalar):
            part.set("expression", part.expression.unnest().find(exp.Literal) or part.expression)
        elif isinstance(part, exp.JSONExtract | exp.JSONExtractScalar):
            part.set("only_json_types", True)
            part.set("expression", _key_of(part.expression))
    return root.expressions[0]


def _key_of(step: Sql) -> Sql:
    """The key of a look-up. sqlglot parses a constant without a cast as a path."""
    parts = step.expressions if isinstance(step, exp.JSONPath) else []
    if len(parts) == 2 and isinstance(parts[1], exp.JSONPathKey) and isinstance(parts[1].this, str):
        return string_literal(parts[1].this)
    return step


# Languages with other rules for the case of ASCII letters.
_TURKISH = ("tr", "az", "lt")


def text_order(provider: str, locale: str) -> TextOrder:
    """The order of strings in a collation of a provider (`c`: operating system, `i`: ICU, `b`: built in)."""
    name = locale.upper().replace("-", "")
    plain = name in ("C", "POSIX")
    code_points = provider != "i" and (provider == "b" or plain or name in ("C.UTF8", "POSIX.UTF8"))
    return TextOrder(
        by_code_point=code_points,
        serves_prefixes=code_points and (provider == "b" or plain),
        ascii_case=plain and provider != "i",
        usual_case=bool(locale) and not locale.lower().startswith(_TURKISH),
        # Options of ICU may compare digits as numbers, or put letters before them.
        digits=bool(locale) and "-u-" not in locale and "@" not in locale,
    )


def declared(collation: str | None, indexes: Sequence[str]) -> Storage:
    """The storage that a catalog declares for a relation: the collation of its strings, and its indexes, each
    as the part of CREATE INDEX after `ON table`.
    """
    order = text_order("c", collation) if collation else TextOrder()
    indexes_ = [index for index in map(read_index, indexes) if index is not None]
    return Storage(tuple(indexes_) if indexes else None, order)
