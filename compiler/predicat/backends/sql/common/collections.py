"""Rules for arrays and maps that several dialects share."""

from __future__ import annotations

from sqlglot import exp

from predicat.backends.sql.builders import Sql, wrap
from predicat.backends.sql.renderer import Renderer
from predicat.backends.sql.rules import Rule, function
from predicat.ir.nodes import Call, Node, Quantifier, Variable


def source_of_present(node: Node) -> Node | None:
    """The array of which a node is the elements that are there; None of any other node."""
    match node:
        case Quantifier(
            kind="filter", source=source, body=Call(op="not", args=(Call(op="is_null", args=(Variable(),)),))
        ):
            return source
        case _:
            return None


def _map_get(r: Renderer, node: Call) -> Sql:
    """The value of a key of a map; NULL where it has no such key."""
    items, key = r.args(node)
    return exp.Bracket(this=wrap(items), expressions=[key])


RULES: dict[str, Rule] = {"get": _map_get, "keys": function("MAP_KEYS")}
