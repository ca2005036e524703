"""Rules for strings that several dialects share: LIKE, letter case, substrings and replacements."""

from __future__ import annotations

from collections.abc import Callable
from string import ascii_lowercase, ascii_uppercase

from sqlglot import exp

from predicat.backends.sql.builders import (
    Sql,
    and_,
    binary,
    call,
    case,
    cast,
    clamp,
    comparison_operand,
    concatenated,
    is_null,
    like,
    not_,
    string_literal,
    wrap,
)
from predicat.backends.sql.column_forms import is_length
from predicat.backends.sql.common.comparisons import tested
from predicat.backends.sql.common.letters import is_usually_folded
from predicat.backends.sql.common.widths import as_bigint
from predicat.backends.sql.renderer import Renderer, Rule, constant, constant_int, function, let
from predicat.ir.nodes import Call, Field, Literal, Node
from predicat.ir.types import BIGINT, BOOLEAN, STRING
from predicat.semantics import casefold
from predicat.semantics.like import ESCAPED_PATTERN


def like_or(name: str, before: str, behind: str) -> Rule:
    """LIKE with wildcards around a constant; a function of the engine for any other string."""

    def rule(r: Renderer, node: Call) -> Sql:
        value, part = tested(r, *node.args), r.node(node.args[1])
        if isinstance(part, exp.Literal) and not set(part.this) & _SPECIAL:
            return like(value, before + part.this + behind)
        return call(name, value, part)

    return rule


# The characters that stand for others in a pattern of LIKE.
_SPECIAL = frozenset("%_\\")


def _pad(name: str) -> Rule:
    """LPAD or RPAD. The length is an INT; a constant that becomes a parameter is a BIGINT and gets a cast."""

    def rule(r: Renderer, node: Call) -> Sql:
        text, length, fill = r.args(node)
        return call(name, text, length if isinstance(length, exp.Literal) else cast(length, "INT"), fill)

    return rule


def fold_case(r: Renderer, node: Node, wanted: str) -> Sql:
    """A string in which only those characters are folded that can become one of `wanted`."""
    source, target = casefold.translation(wanted)
    return _translated(r, node, source, target, "LOWER") if source else r.node(node)


def folded(size: str, lower: Callable[[Sql], Sql]) -> Rule:
    """A string with all characters folded. TRANSLATE is slow, so LOWER is used for ASCII strings.

    `size` is the function that counts bytes; `lower` changes the ASCII letters of an ASCII string.
    """

    def rule(r: Renderer, node: Call) -> Sql:
        source, target = map(string_literal, casefold.whole_translation())

        def build(text: Sql) -> Sql:
            plain = binary(exp.EQ, call(size, text), call("LENGTH", text))
            return case((plain, lower(text)), default=call("TRANSLATE", text, source, target))

        return let(r, r.node(node.args[0]), build)

    return rule


def _ascii_lower(r: Renderer, node: Call) -> Sql:
    """Lower case of ASCII letters only, whatever the collation."""
    return _translated(r, node.args[0], ascii_uppercase, ascii_lowercase, "LOWER")


def _ascii_upper(r: Renderer, node: Call) -> Sql:
    """Upper case of ASCII letters only, whatever the collation."""
    return _translated(r, node.args[0], ascii_lowercase, ascii_uppercase, "UPPER")


def _translated(r: Renderer, node: Node, source: str, target: str, ascii_name: str) -> Sql:
    """A string with some characters replaced. TRANSLATE is slow, so ASCII strings of a column use another
    function if possible.
    """
    sql = r.node(node)
    slow = call("TRANSLATE", sql, source, target)
    if r.dialect.byte_length_function is None or not isinstance(node, Field):
        return slow
    plain = binary(exp.EQ, call(r.dialect.byte_length_function, sql), call("LENGTH", sql))
    return case((plain, call(ascii_name, sql)), default=slow)


# The last place in a text or an array.
INT32_MAX = 2**31 - 1


def substr(add: Callable[[Sql, Sql], Sql], narrow: Callable[[Sql], Sql] = lambda places: places) -> Rule:
    """SUBSTRING from max(start, 1), as engines count a start below zero from the end. `add` is NULL beyond
    the integers; `narrow` makes what SUBSTRING takes.
    """

    def rule(r: Renderer, node: Call) -> Sql:
        value, start = r.node(node.args[0]), as_bigint(r, node.args[1])
        plain = 1 <= constant_int(node.args[1]) <= INT32_MAX
        first = r.node(node.args[1]) if plain else narrow(clamp(start, 1, INT32_MAX))
        if len(node.args) == 2:
            return call("SUBSTRING", value, first)
        if plain and isinstance(node.args[2], Literal) and 0 <= constant_int(node.args[2]) <= INT32_MAX:
            return call("SUBSTRING", value, first, r.node(node.args[2]))
        length = as_bigint(r, node.args[2])
        count = call("LEAST", length, INT32_MAX)
        known = [binary(exp.GTE, length, 0)]
        if not plain:
            # A position that overflows is beyond any string: LEAST ignores the NULL.
            end = call("GREATEST", call("LEAST", add(start, length), INT32_MAX), 0)
            count = call("GREATEST", binary(exp.Sub, end, first), 0)
            known.append(not_(is_null(start)))
        return case((and_(*known), call("SUBSTRING", value, first, narrow(count))))

    return rule


def like_row(like: Callable[[Sql, Sql], Sql] = like) -> Rule:
    """LIKE with a pattern from the row, if each backslash in it escapes a character that may be escaped."""

    def rule(r: Renderer, node: Call) -> Sql:
        value, pattern = node.args
        written = pattern.args[0] if isinstance(pattern, Call) and pattern.op == "fold_case" else pattern
        fits = Call(BOOLEAN, "matches", (written, Literal(STRING, ESCAPED_PATTERN)), node.span)
        return case((r.node(fits), like(r.node(value), r.node(pattern))))

    return rule


def case_insensitive(name: str, like: Callable[[Sql, Sql], Sql] = like) -> Rule:
    """A case-insensitive comparison with a constant: by equality (EQ), the engine's LIKE, or a function."""

    def rule(r: Renderer, node: Call) -> Sql:
        wanted = casefold.fold(constant(node.args[1]))
        if (usual := without_case(r, node, wanted)) is not None:
            return usual
        value, pattern = fold_case(r, node.args[0], wanted), string_literal(wanted)
        if name == "EQ":
            return binary(exp.EQ, value, pattern)
        return like(value, pattern) if name == "LIKE" else call(name, value, pattern)

    return rule


def without_case(r: Renderer, node: Call, wanted: str) -> Sql | None:
    """A case-insensitive test by LOWER or ILIKE; None if the engine may fold letters differently."""
    if "\\" in wanted or not is_usually_folded(
        wanted, kelvin=r.dialect.byte_length_function is not None
    ):  # ILIKE of DuckDB has no escape character
        return None
    value = r.node(node.args[0])
    if node.op == "equals_ci":
        return binary(exp.EQ, call("LOWER", value), wanted)
    if node.op == "like_ci":
        pattern = wanted
    elif set(wanted) & _SPECIAL:
        return None
    else:
        pattern = f"{wanted}%" if node.op == "starts_with_ci" else f"%{wanted}%"
    return exp.ILike(this=comparison_operand(value), expression=string_literal(pattern))


def replace_each(any_character: str, group: str, *flags: str) -> Rule:
    """REPLACE of the empty string, which inserts a string around every character, by REGEXP_REPLACE.

    `group` is the reference to the first group in a replacement; its first character and the backslash are
    special there.
    """

    def rule(r: Renderer, node: Call) -> Sql:
        value, old, new = r.args(node)
        plain = new
        for special in dict.fromkeys(("\\", group[0])):
            plain = call("REPLACE", plain, special, "\\" + special)
        behind = exp.DPipe(this=string_literal(group), expression=plain, safe=True)
        around = exp.DPipe(
            this=wrap(new),
            expression=call("REGEXP_REPLACE", value, any_character, behind, *map(string_literal, flags)),
            safe=True,
        )
        return case((binary(exp.EQ, old, ""), around), default=call("REPLACE", value, old, new))

    return rule


def _bigint_of(name: str) -> Rule:
    """An operator that is one function of a string with a result of type INT, which is cast to BIGINT."""
    return lambda r, node: cast(call(name, r.node(node.args[0])), "BIGINT")


def _byte_count(r: Renderer, node: Call) -> Sql:
    text = node.args[0]
    if is_length(r.dialect.name, node):
        return cast(call("OCTET_LENGTH", r.held(text)), "BIGINT")
    half = Call(BIGINT, "div", (Call(BIGINT, "length", (text,), node.span), Literal(BIGINT, 2)), node.span)
    return r.node(Call(BIGINT, "sub", (half, Literal(BIGINT, 1)), node.span))


RULES: dict[str, Rule] = {
    "like_row": like_row(),
    "like": lambda r, node: like(tested(r, *node.args), r.node(node.args[1])),
    "ascii": _bigint_of("ASCII"),
    "md5": function("MD5"),
    "concat": lambda r, node: concatenated(*r.args(node)),
    "length": _bigint_of("LENGTH"),
    "utf8_length": _bigint_of("OCTET_LENGTH"),
    "byte_count": _byte_count,
    "lower": _ascii_lower,
    "upper": _ascii_upper,
    "lpad": _pad("LPAD"),
    "rpad": _pad("RPAD"),
    "replace": function("REPLACE"),
    "reverse": function("REVERSE"),
    "equals_ci": case_insensitive("EQ"),
}
