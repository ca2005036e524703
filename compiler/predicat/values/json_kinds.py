"""Which JSON values have a text that passes a test: an engine's own text may then replace that of a filter.

The text of a filter is that of a string, a boolean or an integer. An engine's text is the same for a string
and a boolean, has other digits for some integers, and is there for the other kinds, too.
"""

from __future__ import annotations

from functools import cache

from predicat.ir.nodes import Node, Variable, substituted, walk
from predicat.ir.types import STRING
from predicat.values.automaton import Opaque, Table, shortest_texts, tabulated
from predicat.values.text_patterns import pattern_machine
from predicat.values.texts import Texts

# What the texts of the kinds match, in any engine.
_KINDS = {
    "integer": "^-?[0-9]+$",
    "number": "^[-+]?[.0-9][-+.0-9eE]*$",
    "array": r"^\[",
    "object": r"^\{",
    "boolean": "^(?:true|false)$",
}
# The most nodes of a test: a machine of a larger one takes long.
_MOST_NODES = 40


_ENDLESS = "^[-+]?[.0-9][-+.0-9eE]*$|^(?i:nan|infinity|inf)$"


def kinds_that_pass(test: Node, text: Node, *, has_nan: bool) -> frozenset[str] | None:
    """The kinds of JSON values other than strings of which some text passes a test that reads nothing but
    this text; None if that is not known. `has_nan`: whether a number may be NaN or infinite.
    """
    variable = Variable(STRING, "text")
    closed = substituted(test, text, variable)
    if sum(1 for _ in walk(closed)) > _MOST_NODES:
        return None
    try:
        table = tabulated(Texts(variable).closed(closed))
    except Opaque:
        return None
    found: set[str] = set()
    for passes, *kinds in shortest_texts([table, *_tables(has_nan=has_nan)]):
        if passes is True:
            found.update(name for name, is_one in zip(_KINDS, kinds, strict=True) if is_one)
    return frozenset(found)


@cache
def _tables(*, has_nan: bool) -> tuple[Table, ...]:
    patterns = _KINDS | ({"number": _ENDLESS} if has_nan else {})
    return tuple(tabulated(pattern_machine("matches", pattern)) for pattern in patterns.values())
