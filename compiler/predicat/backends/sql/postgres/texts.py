"""PostgreSQL: operators on strings."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from predicat.backends.sql.builders import (
    Sql,
    binary,
    call,
    case,
    cast,
    clamp,
    comparison_operand,
    is_null,
    not_,
    number_literal,
    rlike,
    string_literal,
    wrap,
)
from predicat.backends.sql.common import patterns
from predicat.backends.sql.common.collections import join_texts
from predicat.backends.sql.common.comparisons import tested
from predicat.backends.sql.common.patterns import found
from predicat.backends.sql.common.texts import fold_case, folded, replace_each, without_case
from predicat.backends.sql.postgres.collections import is_whole, subscripted
from predicat.backends.sql.postgres.index_texts import order_of
from predicat.backends.sql.postgres.ranges import numeric
from predicat.backends.sql.postgres.stored import spelling
from predicat.backends.sql.renderer import Renderer, Rule, constant, constant_int, function
from predicat.ir.nodes import Call, Literal, Node
from predicat.ir.types import STRING
from predicat.semantics import casefold, like, regex

_C = exp.to_identifier("C", quoted=True)


def collated(r: Renderer, values: Sequence[Node]) -> Sql:
    """The first of some strings, in collation "C" unless its own collation orders by code point. An index in
    collation "C" needs "C" as well.
    """
    sql = r.node(values[0])
    on = spelling(sql)
    plain = order_of(r, *values).by_code_point and not r.storage.index_on(on, ("btree",), collation="C")
    return sql if plain else exp.Collate(this=wrap(sql), expression=_C)


def _starts_with(r: Renderer, node: Call) -> Sql:
    """LIKE with a constant, which can use an index; a function otherwise."""
    return _like(r, node, "", "%") or call("STARTS_WITH", *r.args(node))


def _like(r: Renderer, node: Call, before: str, behind: str) -> Sql | None:
    """LIKE with wildcards around a constant; None if the argument is not a constant, or becomes a parameter
    outside an indexed condition.
    """
    value, part = node.args
    if not isinstance(part, Literal) or not isinstance(part.value, str) or (r.parameterize and not r.indexed):
        return None
    pattern = before + like.escaped(part.value) + behind
    return exp.Like(this=comparison_operand(tested(r, value, part)), expression=r.literal(STRING, pattern))


def _ends_with(r: Renderer, node: Call) -> Sql:
    if (result := _like(r, node, "%", "")) is not None:
        return result
    value, suffix = r.args(node)
    return binary(exp.EQ, call("RIGHT", value, call("CHAR_LENGTH", suffix)), suffix)


def _contains(r: Renderer, node: Call) -> Sql:
    if (result := _like(r, node, "%", "%")) is not None:
        return result
    return binary(exp.GT, call("STRPOS", *r.args(node)), 0)


def _ci(name: str) -> Rule:
    """A case-insensitive comparison of a string with a constant."""

    def rule(r: Renderer, node: Call) -> Sql:
        wanted = casefold.fold(constant(node.args[1]))
        if (usual := without_case(r, node, wanted)) is not None:
            return usual
        value = fold_case(r, node.args[0], wanted)
        if name == "eq":
            return binary(exp.EQ, value, wanted)
        if name == "contains":
            return binary(exp.GT, call("STRPOS", value, wanted), 0)
        pattern = wanted if name == "like" else like.escaped(wanted) + "%"
        return exp.Like(this=comparison_operand(value), expression=string_literal(pattern))

    return rule


def _ascii_case(name: str) -> Rule:
    """LOWER or UPPER in collation "C", in which they change ASCII letters only."""

    def rule(r: Renderer, node: Call) -> Sql:
        sql = r.node(node.args[0])
        if order_of(r, node.args[0]).ascii_case:
            return call(name, sql)
        return call(name, _in_order_of_characters(sql))

    return rule


def _in_order_of_characters(sql: Sql) -> Sql:
    """A string in collation "C", which orders by code point."""
    return exp.Collate(this=wrap(sql), expression=_C)


def _matches(r: Renderer, node: Call) -> Sql:
    return rlike(r.node(node.args[0]), regex.emit(regex.parse(constant(node.args[1])), regex.POSTGRES))


def _regex_extract(r: Renderer, node: Call) -> Sql:
    """The part of a string that the group of a pattern matches, by SUBSTRING; the empty string if nothing
    matches, NULL for NULL.
    """
    pattern = found(r, node, regex.POSTGRES, [constant_int(node.args[2])], boundaries=True)
    value = r.node(node.args[0])
    part = call("SUBSTRING", value, pattern)
    return case((not_(is_null(value)), call("COALESCE", part, "")))


def _utf8(sql: Sql) -> Sql:
    """The bytes of a string in UTF-8, whatever the encoding of the database."""
    return call("CONVERT_TO", sql, "UTF8")


def _substr(r: Renderer, node: Call) -> Sql:
    value, *numbers = (r.node(arg) for arg in node.args)
    if all(_int32_literal(arg) for arg in node.args[1:]):
        negative = len(numbers) == 2 and constant_int(node.args[2]) < 0
        # A constant that becomes a parameter is a BIGINT, which SUBSTR does not support.
        return (
            cast(exp.Null(), "TEXT")
            if negative
            else call(
                "SUBSTR", value, *((cast(one, "INT") for one in numbers) if r.parameterize else numbers)
            )
        )
    start = cast(clamp(numbers[0], 1, 2**31 - 1), "INT")
    if len(numbers) == 1:
        return call("SUBSTR", value, start)
    end = binary(exp.Add, numeric(numbers[0]), numeric(numbers[1]))
    rest = cast(clamp(binary(exp.Sub, end, start), 0, 2**31 - 1), "INT")
    return case((binary(exp.GTE, numbers[1], 0), call("SUBSTR", value, start, rest)))


def _int32_literal(node: Node) -> bool:
    return isinstance(node, Literal) and isinstance(node.value, int) and abs(node.value) < 2**31


def split(r: Renderer, node: Call) -> Sql:
    """The parts of a string. The empty string has one empty part, for which STRING_TO_ARRAY gives none."""
    sql = r.node(node.args[0])
    empty = cast(exp.Array(expressions=[string_literal("")]), "TEXT[]")
    by = r.node(node.args[1])
    parts = call("STRING_TO_ARRAY", sql, by)
    if len(node.args) == 2:
        return case((binary(exp.EQ, sql, ""), empty), default=parts)
    most = constant_int(node.args[2])
    rest = call("ARRAY_TO_STRING", _slice(parts, most, None), by)
    more = binary(exp.GT, call("CARDINALITY", parts), most)
    limited = call("ARRAY_APPEND", _slice(parts, 1, most - 1), rest)
    return case((binary(exp.EQ, sql, ""), empty), (more, limited), default=parts)


def _slice(items: Sql, first: int, last: int | None) -> Sql:
    places = exp.Slice(this=number_literal(first), expression=None if last is None else number_literal(last))
    return exp.Bracket(this=subscripted(items), expressions=[places], offset=1)


RULES: dict[str, Rule] = {
    "md5": lambda r, node: call("MD5", _utf8(r.node(node.args[0]))),
    "sha256": lambda r, node: call("ENCODE", call("SHA256", _utf8(r.node(node.args[0]))), "hex"),
    "lower": _ascii_case("LOWER"),
    "upper": _ascii_case("UPPER"),
    "trim": function("TRIM"),
    "ltrim": function("LTRIM"),
    "rtrim": function("RTRIM"),
    "strip": lambda r, node: call("BTRIM", *r.args(node)),
    "split": split,
    "join": join_texts("ARRAY_TO_STRING", is_whole),
    "starts_with": _starts_with,
    "ends_with": _ends_with,
    "contains": _contains,
    "equals_ci": _ci("eq"),
    "starts_with_ci": _ci("starts_with"),
    "contains_ci": _ci("contains"),
    "fold_case": folded("OCTET_LENGTH", lambda text: call("LOWER", _in_order_of_characters(text))),
    "like_ci": _ci("like"),
    "matches": _matches,
    "regex_extract": _regex_extract,
    "regex_replace": patterns.replace(
        regex.POSTGRES, lambda place: f"\\{place or '&'}", "\\", "g", boundaries=True
    ),
    "substr": _substr,
    "position": lambda r, node: cast(call("STRPOS", *r.args(node)), "BIGINT"),
    "replace_each": replace_each("(.)", "\\1", "g"),
}
