"""REGEXP_EXTRACT and REGEXP_REPLACE in the syntax of each engine."""

from __future__ import annotations

from collections.abc import Callable

from predicat.backends.sql.builders import Sql, call, string_literal
from predicat.backends.sql.renderer import Renderer, Rule, constant, constant_int
from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import Call
from predicat.semantics import captures, regex


def extract(flavor: regex.Flavor, *, boundaries: bool = False) -> Rule:
    """REGEXP_EXTRACT of the only group of the pattern."""

    def rule(r: Renderer, node: Call) -> Sql:
        pattern = found(r, node, flavor, [constant_int(node.args[2])], boundaries=boundaries)
        return call("REGEXP_EXTRACT", r.node(node.args[0]), pattern, 1)

    return rule


def replace(
    flavor: regex.Flavor, group: Callable[[int], str], special: str, *flags: str, boundaries: bool = False
) -> Rule:
    """REGEXP_REPLACE of all matches.

    `group` is how a replacement names a group; a backslash makes the characters of `special` plain.
    `boundaries`: the engine finds no word boundary (not_word) where RE2 does not.
    """

    def rule(r: Renderer, node: Call) -> Sql:
        parts = captures.template(constant(node.args[2]))
        numbers = captures.groups_of(parts)
        pattern = found(r, node, flavor, numbers, boundaries=boundaries)
        places = {number: place for place, number in enumerate(numbers, 1)} | {0: 0}
        text = "".join(
            group(places[part])
            if isinstance(part, int)
            else "".join(f"\\{char}" if char in special else char for char in part)
            for part in parts
        )
        args = map(string_literal, (pattern, text, *flags))
        return call("REGEXP_REPLACE", r.node(node.args[0]), *args)

    return rule


def found(r: Renderer, node: Call, flavor: regex.Flavor, groups: list[int], *, boundaries: bool) -> str:
    """The pattern of a call in the words of an engine, with these groups alone."""
    pattern = captures.parse(constant(node.args[1])).only(*groups)
    if not boundaries and regex.asserts(pattern, "not_word"):
        raise r.refuse(node, say.NOT_A_WORD_BOUNDARY)
    return regex.emit(pattern, flavor)
