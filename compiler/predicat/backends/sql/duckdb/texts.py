"""DuckDB: operators on strings."""

from __future__ import annotations

from sqlglot import exp

from predicat.backends.sql.builders import (
    Sql,
    and_,
    binary,
    call,
    case,
    cast,
    concatenated,
    is_null,
    lambda_,
    not_,
    string_literal,
    variable,
    wrap,
)
from predicat.backends.sql.common import patterns
from predicat.backends.sql.common.collections import join_texts
from predicat.backends.sql.common.comparisons import tested
from predicat.backends.sql.common.texts import (
    case_insensitive,
    folded,
    like_or,
    like_row,
    replace_each,
    substr,
)
from predicat.backends.sql.duckdb.calendar import try_
from predicat.backends.sql.duckdb.collections import is_whole
from predicat.backends.sql.renderer import Renderer, Rule, constant, function
from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import Call, Literal
from predicat.semantics import regex


def _like(value: Sql, pattern: Sql) -> Sql:
    """LIKE, with an ESCAPE only if the pattern needs one: it makes LIKE slower."""
    result = exp.Like(this=wrap(value), expression=pattern)
    escapes = not isinstance(pattern, exp.Literal) or "\\" in pattern.this
    return exp.Escape(this=result, expression=string_literal("\\")) if escapes else result


def _matches(r: Renderer, node: Call) -> Sql:
    if regex.asserts(regex.parse(constant(node.args[1])), "not_word"):
        raise r.refuse(node, say.NOT_A_WORD_BOUNDARY)
    return has_pattern(r.node(node.args[0]), constant(node.args[1]))


def has_pattern(sql: Sql, pattern: str) -> Sql:
    """Whether an RE2 pattern matches a part of a string; NULL for NULL."""
    return call("REGEXP_MATCHES", sql, pattern)


def _space(node: Call) -> list[Sql]:
    """The characters that TRIM removes by default."""
    return [] if node.args[1:] else [string_literal(" ")]


def _reverse(r: Renderer, node: Call) -> Sql:
    """The code points in reverse order. REVERSE keeps combined characters together."""
    return call("ARRAY_TO_STRING", call("LIST_REVERSE", call("STRING_SPLIT", r.node(node.args[0]), "")), "")


def _split(r: Renderer, node: Call) -> Sql:
    value, by = r.node(node.args[0]), r.node(node.args[1])
    parts = call("STRING_SPLIT", value, by)
    if len(node.args) == 2:
        return parts
    most = int(constant(node.args[2]))
    rest = call("ARRAY_TO_STRING", call("LIST_SLICE", parts, most, -1), by)
    more = binary(exp.GT, call("LEN", parts), most)
    return case((more, call("LIST_APPEND", call("LIST_SLICE", parts, 1, most - 1), rest)), default=parts)


_join_by_constant = join_texts("ARRAY_TO_STRING", is_whole)


def _join(r: Renderer, node: Call) -> Sql:
    """The elements joined with a separator. ARRAY_TO_STRING supports only a constant one."""
    if isinstance(node.args[1], Literal):
        return _join_by_constant(r, node)
    items, by = r.args(node)
    step = concatenated(concatenated(variable("__one"), by), variable("__two"))
    joined = call("LIST_REDUCE", items, lambda_(step, "__one", "__two"))
    empty, known = binary(exp.EQ, call("LEN", items), 0), not_(is_null(by))
    return case((and_(empty, known), ""), (and_(is_whole(items), known), joined))


RULES: dict[str, Rule] = {
    "utf8_length": function("STRLEN"),
    "sha256": function("SHA256"),
    "trim": lambda r, node: call("TRIM", r.node(node.args[0]), " "),
    "ltrim": lambda r, node: call("LTRIM", *r.args(node), *_space(node)),
    "rtrim": lambda r, node: call("RTRIM", *r.args(node), *_space(node)),
    "strip": lambda r, node: call("TRIM", *r.args(node)),
    "reverse": _reverse,
    "split": _split,
    "join": _join,
    "starts_with": like_or("STARTS_WITH", "", "%"),
    "ends_with": like_or("ENDS_WITH", "%", ""),
    "contains": like_or("CONTAINS", "%", "%"),
    "like": lambda r, node: _like(tested(r, *node.args), r.node(node.args[1])),
    "starts_with_ci": case_insensitive("STARTS_WITH"),
    "contains_ci": case_insensitive("CONTAINS"),
    "like_row": like_row(_like),
    "fold_case": folded("STRLEN", lambda text: call("LOWER", text)),
    "like_ci": case_insensitive("LIKE", _like),
    "matches": _matches,
    "regex_extract": patterns.extract(regex.RE2),
    "regex_replace": patterns.replace(regex.RE2, "\\{}".format, "\\", "g"),
    "substr": substr(lambda one, other: try_(binary(exp.Add, one, other))),
    "position": lambda r, node: cast(call("INSTR", *r.args(node)), "BIGINT"),
    "replace_each": replace_each("(?s)(.)", "\\1", "g"),
}
