"""A condition of a WHERE, where FALSE and NULL mean the same, with forms that an index can serve."""

from __future__ import annotations

from sqlglot import exp

from predicat.backends.sql.builders import Sql, and_, or_
from predicat.backends.sql.common.logic import conjuncts, disjuncts
from predicat.backends.sql.renderer import Renderer
from predicat.ir.nodes import Call, Node, Quantifier
from predicat.ir.types import JSON


def condition(r: Renderer, node: Node) -> Sql:
    """A condition of a WHERE, where FALSE and NULL mean the same, with additional conditions that an
    index can serve.
    """
    parts = (part for conjunct in _conjuncts(r, node) for part in _conjuncts_of(conjunct))
    return and_(*dict.fromkeys(parts))


def _conjuncts(r: Renderer, node: Node) -> list[Sql]:
    if isinstance(node, Call) and node.op == "and":
        return conjuncts(r, node, lambda part: _conjuncts(r, part))
    sql = _short(r, node) if r.rewritings.short_tests else None
    if isinstance(node, Call) and node.op == "or" and sql is None:
        ends = disjuncts(
            r, node, lambda part: condition(r, part), lambda part, sql: and_(*_served(r, part, sql))
        )
        return [or_(*ends)]
    return _served(r, node, r.node(node) if sql is None else sql)


def _served(r: Renderer, node: Node, sql: Sql) -> list[Sql]:
    """The SQL of a test in a form that an index can serve, or with an additional condition for one."""
    served = r.dialect.served(r, node, sql) if r.indexed and r.dialect.served else None
    if served is None:
        return [sql]
    return [served.sql] if served.exact else [served.sql, sql]


def _short(r: Renderer, node: Node) -> Sql | None:
    """A shorter form of a test that may be FALSE instead of NULL; None if the dialect has none."""
    if isinstance(node, Quantifier) and node.kind == "any" and node.source.type != JSON:
        return r.node(node) if r.dialect.exists is None else r.dialect.exists(r, node)
    shorter = r.dialect.rows.get(node.op) if isinstance(node, Call) else None
    return shorter(r, node) if shorter is not None and isinstance(node, Call) else None


def _conjuncts_of(sql: Sql) -> list[Sql]:
    """The distinct parts of an AND in SQL: two conditions may have the same guard."""
    if not isinstance(sql, exp.And):
        return [sql]
    return [part for side in (sql.this, sql.expression) for part in _conjuncts_of(side)]
