"""The canonical text of a typed node: the same for every spelling of one meaning. Its hash names a
meaning.
"""

from __future__ import annotations

import hashlib
import re
from typing import assert_never

from predicat.ir.nodes import Call, Field, Items, Literal, Node, Parameter, Quantifier, Variable


def canonical_text(node: Node) -> str:
    """A node as an s-expression with types where they matter."""
    match node:  # the common ones first
        case Call():
            return f"({node.op} {' '.join(map(canonical_text, node.args))})"
        case Field():
            return f"{_name(node.decl.name)}:{node.decl.type}"
        case Literal():
            return f"{node.type}:{node.value!r}"
        case Parameter(kind, decl):
            return f":{decl.name}:{kind}"
        case Variable(_, name):
            return f"${name}"
        case Items():
            return f"[{' '.join(map(canonical_text, node.items))}]"
        case Quantifier():
            return f"({node.kind} ${node.variable} {canonical_text(node.source)} {canonical_text(node.body)})"
        case _:
            assert_never(node)


def _name(name: str) -> str:
    """The name of a field; one that could be taken for more than a name stands in quotes, so that two
    predicates never have one text.
    """
    return repr(name) if _AMBIGUOUS.search(name) else name


_AMBIGUOUS = re.compile(r"[\s()\[\]:$'\"]|^$")


def meaning_hash(node: Node, on_unknown: str) -> str:
    """A short hash of what a filter means."""
    return hashlib.sha256(f"{on_unknown} {canonical_text(node)}".encode()).hexdigest()[:16]
