"""The operators that are the same in all dialects, and rules made of a function or of a text of SQL."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from sqlglot import exp, parse_one

from predicat.backends.sql import arithmetic, documents
from predicat.backends.sql.builders import (
    COMPARISON_NODES,
    Sql,
    call,
    cast,
    concatenated,
    is_true,
    like,
    number_literal,
    variable,
    wrap,
)
from predicat.backends.sql.comparisons import comparison_rule, tested
from predicat.backends.sql.logic import (
    and_rule,
    cond_rule,
    in_rule,
    is_null_rule,
    not_rule,
    or_rule,
    same_rule,
)
from predicat.backends.sql.numbers import to_boolean, to_whole_number, without_negative_zero
from predicat.backends.sql.renderer import NotSupported, Renderer, Rule
from predicat.backends.sql.texts import INT32_MAX, ascii_lower, ascii_upper, case_insensitive, like_row, pad
from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import Call, Literal, Node
from predicat.ir.types import STRING


def function(name: str) -> Rule:
    """An operator that is one function of the engine."""
    return lambda r, node: call(name, *r.args(node))


def _bigint_of(name: str) -> Rule:
    """An operator that is one function of a text, whose value the engine has as an INT."""
    return lambda r, node: cast(call(name, r.node(node.args[0])), "BIGINT")


def map_get(r: Renderer, node: Call) -> Sql:
    """The value of a key of a map; NULL where it has no such key."""
    items, key = r.args(node)
    return exp.Bracket(this=wrap(items), expressions=[key])


def _extreme(name: str) -> Rule:
    """GREATEST or LEAST, which ignore NULL on every engine. The first argument has the collation."""

    def rule(r: Renderer, node: Call) -> Sql:
        collate = r.dialect.table.get("collate") if node.type == STRING else None
        first = collate(r, Call(STRING, "collate", node.args)) if callable(collate) else r.node(node.args[0])
        return call(name, first, *map(r.node, node.args[1:]))

    return rule


def _coalesce(r: Renderer, node: Call) -> Sql:
    """The first value there is. All engines call a part of a text, or else the empty text, SPLIT_PART."""
    match node.args:
        case (
            Call(
                op="index",
                args=(
                    Call(op="split", args=(text, Literal(value=str() as by) as separator)),
                    Literal(value=int() as place),
                ),
            ),
            Call(op="substr", args=(same, Literal(value=1), Literal(value=0))),
        ) if text == same and by and 0 <= place < INT32_MAX:
            number = number_literal(place + 1)
            return call("SPLIT_PART", r.node(text), r.node(separator), number)
        case _:
            return call("COALESCE", *r.args(node))


def template(
    dialect: str, sql: str, read: Callable[[Renderer, Node], Sql] = Renderer.document, **parts: Sql
) -> Rule:
    """An operator of two JSON values with long, constant SQL, in which `__a` and `__b` are the values. They
    may be JSON's null.

    If the SQL uses a value several times, it gets a name. `read` renders a value, and `parts` replace other
    names.
    """

    def rule(r: Renderer, node: Call) -> Sql:
        result = _parsed(dialect, sql).copy()
        said = [
            column
            for column in result.find_all(exp.Column)
            if column.name in ("__a", "__b") or column.name in parts
        ]
        values: dict[str, Sql] = dict(zip(("__a", "__b"), (read(r, arg) for arg in node.args), strict=True))
        names = {key: r.fresh_name("v") for key in values if sum(column.name == key for column in said) > 1}
        for column in said:
            if column.name in names:
                column.replace(variable(names[column.name]))
            else:
                column.replace(wrap(parts[column.name] if column.name in parts else values[column.name]))
        return r.dialect.bind({names[key]: values[key] for key in names}, result) if names else result

    return rule


@lru_cache
def _parsed(dialect: str, sql: str) -> Sql:
    return parse_one(sql, dialect=dialect)


COMMON: dict[str, Rule | NotSupported] = {
    **arithmetic.RULES,
    **documents.RULES,
    "and": and_rule,
    "or": or_rule,
    "not": not_rule,
    "is_true": lambda r, node: is_true(r.node(node.args[0])),
    "is_null": is_null_rule,
    "cond": cond_rule,
    "coalesce": _coalesce,
    "greatest": _extreme("GREATEST"),
    "least": _extreme("LEAST"),
    "dyn": lambda r, node: r.node(node.args[0]),
    "entry_filter": NotSupported(say.RUNS_AS_PYTHON, say.RUN_ENTRY_FILTER),
    "same": same_rule,
    "in": in_rule,
    "like_row": like_row(),
    "like": lambda r, node: like(tested(r, *node.args), r.node(node.args[1])),
    **{op: comparison_rule(op) for op in COMPARISON_NODES},
    "ascii": _bigint_of("ASCII"),
    "md5": function("MD5"),
    "concat": lambda r, node: concatenated(*r.args(node)),
    "length": _bigint_of("LENGTH"),
    "lower": ascii_lower,
    "upper": ascii_upper,
    "lpad": pad("LPAD"),
    "rpad": pad("RPAD"),
    "replace": function("REPLACE"),
    "reverse": function("REVERSE"),
    "equals_ci": case_insensitive("EQ"),
    "to_boolean": lambda r, node: to_boolean(r.node(node.args[0])),
    "to_whole": to_whole_number("TRUNC"),
    "floor": without_negative_zero("FLOOR"),
    "ceil": without_negative_zero("CEIL"),
    "get": map_get,
    "keys": function("MAP_KEYS"),
}
"""The operators that are the same in most dialects. Those of a dialect override them."""
