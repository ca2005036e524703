"""Rules for arrays and maps that several dialects share."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from predicat.backends.sql.builders import Sql, and_, between, binary, call, case, cast, is_null, not_, wrap
from predicat.backends.sql.common.widths import as_bigint
from predicat.backends.sql.renderer import Renderer, Rule, constant, function, let, unless_missing
from predicat.ir.nodes import Call, Node, Quantifier, Variable
from predicat.ir.values import RANGE_MOST


def source_of_present(node: Node) -> Node | None:
    """The array from which a node drops the NULL elements; None for any other node."""
    match node:
        case Quantifier(
            kind="filter", source=source, body=Call(op="not", args=(Call(op="is_null", args=(Variable(),)),))
        ):
            return source
        case _:
            return None


def array(name: str) -> Rule:
    """An array literal by a function of the engine."""
    return lambda r, node: unless_missing(r, node, call(name, *r.args(node)))


def array_position(name: str) -> Rule:
    """The position of a value, counted from 1; 0 if the array does not contain it. Engines have 0 or NULL."""

    def rule(r: Renderer, node: Call) -> Sql:
        place = call("COALESCE", call(name, *r.args(node)), 0)
        return cast(unless_missing(r, node, place), "BIGINT")

    return rule


def array_eq(is_whole: Callable[[Sql], Sql]) -> Rule:
    """Whether two arrays are equal; NULL if an element is NULL, which is tested first."""

    def rule(r: Renderer, node: Call) -> Sql:
        left, right = r.args(node)
        return case((and_(is_whole(left), is_whole(right)), binary(exp.EQ, left, right)))

    return rule


def array_concat(joined: Callable[[Sql, Sql], Sql]) -> Rule:
    """The concatenation of arrays for an engine that ignores a NULL array."""

    def rule(r: Renderer, node: Call) -> Sql:
        left, right = r.args(node)
        return case((and_(not_(is_null(left)), not_(is_null(right))), joined(left, right)))

    return rule


def extreme(name: str, is_whole: Callable[[Sql], Sql]) -> Rule:
    """The largest or the smallest element by a function that ignores NULL; NULL if an element is NULL."""

    def rule(r: Renderer, node: Call) -> Sql:
        present = source_of_present(node.args[0])
        if present is not None:
            return call(name, r.node(present))
        items = r.node(node.args[0])
        return case((is_whole(items), call(name, items)))

    return rule


def numbers_before(numbers: Callable[[Sql], Sql]) -> Rule:
    """The numbers from 0 up to, but not including, another one, as an array; NULL if there are too many."""

    def build(count: Sql) -> Sql:
        return case((between(count, 0, RANGE_MOST), numbers(count)))

    return lambda r, node: let(r, as_bigint(r, node.args[0]), build)


def join_texts(name: str, is_whole: Callable[[Sql], Sql]) -> Rule:
    """The elements joined with a separator; NULL if an element is NULL."""

    def rule(r: Renderer, node: Call) -> Sql:
        items, by = r.args(node)
        return case((is_whole(items), call(name, items, by)))

    return rule


def _map_get(r: Renderer, node: Call) -> Sql:
    """The value of a key of a map; NULL if there is no such key."""
    items, key = r.args(node)
    return exp.Bracket(this=wrap(items), expressions=[key])


def _member(r: Renderer, node: Call) -> Sql:
    return exp.Dot(this=wrap(r.node(node.args[0])), expression=r.dialect.identifier(constant(node.args[1])))


RULES: dict[str, Rule] = {"get": _map_get, "keys": function("MAP_KEYS"), "member": _member}
