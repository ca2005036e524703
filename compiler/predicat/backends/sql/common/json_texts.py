"""JSON in string columns: the parts that the dialects share."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from sqlglot import exp, parse_one

from predicat.backends.sql.builders import Sql, variable
from predicat.backends.sql.renderer import Renderer, Rule
from predicat.ir.nodes import Call, Variable
from predicat.semantics.json_texts import LONGEST_KEY, LONGEST_NUMBER, MOST_BYTES, MOST_LEVELS

_LIMITS = {"__bytes": MOST_BYTES, "__levels": MOST_LEVELS, "__key": LONGEST_KEY, "__digits": LONGEST_NUMBER}
# The number of opening brackets in a string, also inside quotes: an upper limit of its nesting.
OPEN = "2 * OCTET_LENGTH(__s) - OCTET_LENGTH(REPLACE(__s, '[', '')) - OCTET_LENGTH(REPLACE(__s, '{', ''))"


def limited(sql: str) -> str:
    """SQL with the names of limits replaced by their values."""
    for name, limit in _LIMITS.items():
        sql = sql.replace(name, str(limit))
    return sql


def parse(dialect: str, sql: str, **parts: Sql) -> Rule:
    """A string parsed as JSON; NULL if it is not JSON. In the SQL `__s` is the string, and `parts` replace
    other names.
    """

    def rule(r: Renderer, node: Call) -> Sql:
        value = r.node(node.args[0])
        if isinstance(value, exp.Column):
            return _of(dialect, sql, {**parts, "__s": value})
        name = r.fresh_name("v")
        column = variable(name)
        return r.dialect.bind({name: value}, _of(dialect, sql, {**parts, "__s": column}))

    return rule


def _of(dialect: str, sql: str, parts: Mapping[str, Sql]) -> Sql:
    result = tree(dialect, sql).copy()
    for column in list(result.find_all(exp.Column)):
        if column.name in parts:
            column.replace(parts[column.name].copy())
    return result


@lru_cache
def tree(dialect: str, sql: str) -> Sql:
    """SQL with its limits, as nodes. Do not change them: they are shared."""
    return parse_one(limited(sql), dialect=dialect)


def let(r: Renderer, node: Call) -> Sql:
    """An expression over a document with a name. A document that is used once needs none."""
    document, name, body = node.args
    assert isinstance(name, Variable)  # noqa: S101  # the rewrite makes it
    value, result = r.document(document), r.node(body)
    read = [column for column in result.find_all(exp.Column) if column.name == name.name]
    if len(read) == 1 and read[0].find_ancestor(exp.Lambda, exp.Query) is None:
        read[0].replace(value)
        return result
    return r.dialect.bind({name.name: value}, result)
