"""A predicate with the errors of its language where predicat deviates from it.

In CEL, `has(a.b.c)` is an error if `a.b` is missing or has no members; here it is FALSE
(`docs/languages_cel.md`). A guard such as `!has(a.b) ||` protects from that error. So what is said about the
text of an author, such as "this operand has no effect", must hold with the error, too.
"""

from __future__ import annotations

from predicat.ir.nodes import UNKNOWN, Call, Literal, Node, rewrite_children
from predicat.ir.operators import LOOK_UPS
from predicat.ir.types import BOOLEAN, JSON, STRING
from predicat.language import LANGUAGES


def with_own_errors(language: str, node: Node) -> Node:
    """A core predicate that is UNKNOWN also where its language raises an error and predicat does not.

    Args:
        language: The language of the predicate.
        node: The predicate.

    Returns:
        The same node if there is no such place.
    """
    return _strict(node) if LANGUAGES[language].is_cel else node


def _strict(node: Node) -> Node:
    node = rewrite_children(node, _strict)
    match node:
        case Call(op="is_null", args=(Call(op=op, args=(owner, *_)),)) if op in LOOK_UPS:
            if owner.type == JSON:
                has_members = Call(BOOLEAN, "json_is", (owner, Literal(STRING, "object")), node.span)
            else:
                has_members = Call(
                    BOOLEAN, "not", (Call(BOOLEAN, "is_null", (owner,), node.span),), node.span
                )
            return Call(BOOLEAN, "cond", (has_members, node, UNKNOWN), node.span)
        case _:
            return node
