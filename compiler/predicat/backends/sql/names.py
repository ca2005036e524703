"""Names of columns in generated SQL."""

from __future__ import annotations

import re
from functools import lru_cache

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect as SqlglotDialect

# Words that an engine does not read as the name of a column without quotes, in addition to those that
# sqlglot knows.
#
# PostgreSQL's `user` is the worst of them: it is not an error, but the name of the current role.
RESERVED = frozenset(
    {
        "analyse",
        "asymmetric",
        "at",
        "authorization",
        "both",
        "by",
        "cast",
        "check",
        "collation",
        "collations",
        "concurrently",
        "current_path",
        "current_role",
        "deferrable",
        "do",
        "foreign",
        "freeze",
        "group",
        "initially",
        "lambda",
        "leading",
        "only",
        "order",
        "pivot_longer",
        "placing",
        "primary",
        "similar",
        "sql",
        "symmetric",
        "system_user",
        "to",
        "trailing",
        "unpack",
        "user",
        "variadic",
        "verbose",
        "within",
    }
)
# Words of sqlglot that no engine reserves, and that columns often have as names.
_UNRESERVED = frozenset(
    {
        "comment",
        "date",
        "file",
        "first",
        "format",
        "index",
        "json",
        "list",
        "money",
        "name",
        "next",
        "number",
        "object",
        "percent",
        "point",
        "range",
        "schema",
        "sequence",
        "session",
        "settings",
        "temp",
        "text",
        "type",
        "uuid",
    }
)
_PLAIN = re.compile(r"[a-z_][a-z0-9_]*\Z")


def identifier(name: str, dialect: str) -> exp.Identifier:
    """A name, in quotes unless it is a lower-case word that no engine reserves."""
    return exp.Identifier(this=name, quoted=needs_quotes(name, dialect))


def quoted(name: str, dialect: str) -> str:
    """A name as SQL, in quotes."""
    return exp.to_identifier(name, quoted=True).sql(dialect=dialect)


@lru_cache(maxsize=10_000)
def needs_quotes(name: str, dialect: str) -> bool:
    """Whether a name without quotes would mean another name, or is a keyword of the engine or of sqlglot."""
    if name in _UNRESERVED:
        return False
    words = SqlglotDialect.get_or_raise(dialect).tokenizer_class.KEYWORDS
    return not _PLAIN.match(name) or name in RESERVED or name.upper() in words
