"""Names of operators in messages: the words that authors of filters use, not the names in the core."""

from __future__ import annotations

import re

from predicat.ir.nodes import Call, Field, Items, Literal, Node, Parameter, Quantifier
from predicat.ir.operators import ARITHMETIC, COMPARISONS, OPS, QUANTIFIERS
from predicat.ir.operators.row import Names

# Names of operators that are not in the operator table: macros, and operators of the surface.
_SURFACE = {
    **{quantifier: Names() for quantifier in QUANTIFIERS},
    "any": Names("exists"),
    "one": Names("exists_one"),
    "checked_mod": Names("%"),
    "checked_to_int": Names("a conversion to an integer", spellings=("int",)),
    "places": Names("a function of lists"),
    "json_text": Names(kind="a JSON value"),
    "json_equals": Names(kind="an equality of JSON values"),
    "json_in": Names(kind="an equality of JSON values"),
    "json_has": Names(kind="a test of a key of JSON"),
    "json_order": Names(kind="a comparison of JSON values"),
    "json_length": Names(kind="the length of a JSON array"),
    "json_element": Names(kind="a look-up in a JSON value"),
    "json_let": Names(kind="a look-up in JSON in a string"),
}


# The longest source text that messages show for an operator without a name of its own.
_SHORT = 40


def _names(op: str) -> Names:
    return OPS[op].names if op in OPS else _SURFACE.get(op, Names())


def _label(op: str) -> str:
    """The label that all languages share; empty if there is none."""
    comparison = COMPARISONS.get(op)
    return ARITHMETIC.get(op) or (comparison.sign if comparison is not None else _names(op).label)


def label(op: str, *, sql: bool) -> str:
    """The name of an operator for the author of a filter, in SQL or in CEL."""
    names = _names(op)
    return (names.sql if sql else names.cel) or _label(op) or op


def written(node: Node) -> str:
    """The name of a node in a message: the operator as it is spelled in the text, otherwise a description."""
    match node:
        case Call(op="is_true", args=(inner,)) if not re.search(
            r"\bIS (NOT )?TRUE\b", node.span.text, re.IGNORECASE
        ):
            return written(inner)  # the author did not write this test: it follows from the language
        case Call():
            return _spelled(node.op, node.span.text)
        case Quantifier():
            return _spelled(node.kind, node.span.text)
        case Literal():
            return "a constant"
        case Field():
            return f"the field {node.decl.name!r}"
        case Parameter():
            return "a parameter"
        case Items():
            return "a list"
        case _:
            return "the variable of a macro"


def _spelled(op: str, text: str) -> str:
    names = _names(op)
    known = (*names.spellings, names.cel, names.sql, _label(op), op)
    for spelling in filter(None, known):
        pattern = re.escape(spelling) if not spelling[0].isalpha() else rf"\b{re.escape(spelling)}\b"
        if (match := re.search(pattern, text, re.IGNORECASE)) is not None:
            return "[]" if spelling == "[" else match[0]
    short = " ".join(text.split())
    return (
        names.kind
        or (short if 0 < len(short) <= _SHORT else "")
        or names.sql
        or _label(op)
        or op.replace("_", " ")
    )
