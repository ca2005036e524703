"""Spark: regular expressions. Java's matcher backtracks; if that may overflow its stack, the SQL runs an
automaton over the string.
"""

from __future__ import annotations

from sqlglot import exp

from predicat.backends.sql.builders import (
    Sql,
    between,
    binary,
    call,
    case,
    number_literal,
    or_,
    rlike,
    string_literal,
)
from predicat.backends.sql.renderer import Renderer, constant
from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import Call
from predicat.semantics import automaton, regex
from predicat.semantics.regex import Chars, Ranges

_MOST_STATES = 60
_ROUNDS = (
    "one repetition of its group can end at several places, so Java may overflow its stack on a long string"
)
_APART = "let each repetition end with a character that cannot continue it, as in (ab,)* or (,[^,]+)*"
_HALVES = "Java matches \\B between the two halves of a character above U+FFFF"
# The largest number of ranges of characters that are compared one by one.
_FEW = 6


def matches(r: Renderer, node: Call) -> Sql:
    """Whether a pattern matches a part of a string; NULL for NULL. Raises Unsupported if the pattern needs an
    automaton with too many states.
    """
    sql, pattern = r.node(node.args[0]), constant(node.args[1])
    safe = automaton.backtracking_safe(pattern)
    if safe is not None and not regex.asserts(safe, "not_word"):
        return rlike(sql, regex.emit(safe, regex.JAVA))
    table = automaton.table(pattern, _MOST_STATES)
    if table is None:
        reason, hint = (_ROUNDS, _APART) if safe is None else (_HALVES, None)
        raise r.refuse(node, say.automaton_states(reason, _MOST_STATES), hint)
    return _run(r, sql, table)


def _run(r: Renderer, sql: Sql, table: automaton.Table) -> Sql:
    """Whether an automaton accepts a string: whether its state after the last character is accepting."""
    state, char = (exp.to_identifier(r.fresh_name(name), quoted=True) for name in ("q", "c"))
    q, c = exp.Column(this=state), exp.Column(this=char)
    branches = [
        (binary(exp.EQ, q, index), _next(c, moves, table.classes)) for index, moves in enumerate(table.moves)
    ]
    nothing = (binary(exp.EQ, c, ""), q)  # Spark splits the empty string into one part
    step = exp.Lambda(this=case(nothing, *branches), expressions=[state, char])
    accepted = (
        exp.In(this=q, expressions=[number_literal(place) for place in table.accepting])
        if table.accepting
        else exp.Boolean(this=False)
    )
    last = exp.Lambda(this=accepted, expressions=[state])
    return call("AGGREGATE", call("SPLIT", sql, ""), 0, step, last)


def _next(char: Sql, moves: list[int], classes: list[Ranges]) -> Sql:
    """The state after a character. The default is the state that most characters lead to."""
    targets: dict[int, list[tuple[int, int]]] = {}
    for target, ranges in zip(moves, classes, strict=True):
        targets.setdefault(target, []).extend(ranges)
    usual = max(targets, key=lambda target: sum(high - low + 1 for low, high in targets[target]))
    others = [
        (_is_one_of(char, regex.normalize(ranges)), number_literal(target))
        for target, ranges in targets.items()
        if target != usual
    ]
    return case(*others, default=usual) if others else number_literal(usual)


def _is_one_of(char: Sql, ranges: Ranges) -> Sql:
    """Whether a character is in some ranges. Spark orders strings by code point, and comparisons are faster
    than a regular expression.
    """
    if len(ranges) > _FEW or any(
        0xD800 <= edge <= 0xDFFF for span in ranges for edge in span
    ):  # no string contains a surrogate
        return rlike(char, regex.emit(Chars(ranges), regex.JAVA))
    alone = [string_literal(chr(low)) for low, high in ranges if low == high]
    same = [exp.In(this=char, expressions=alone)] if alone else []
    return or_(*same, *(between(char, chr(low), chr(high)) for low, high in ranges if low != high))
