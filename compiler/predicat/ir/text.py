"""The canonical text of a typed node: the same for every spelling of one meaning. Its hash names a meaning."""

from __future__ import annotations

import hashlib
from typing import assert_never

from predicat.ir.nodes import Call, Field, Items, Literal, Node, Parameter, Quantifier, Variable


def to_text(node: Node) -> str:
    """A node as an s-expression with types where they matter."""
    match node:  # the common ones first
        case Call():
            return f"({node.op} {' '.join(map(to_text, node.args))})"
        case Field():
            return f"{node.decl.name}:{node.decl.type}"
        case Literal():
            return f"{node.type}:{node.value!r}"
        case Parameter(kind, decl):
            return f":{decl.name}:{kind}"
        case Variable(_, name):
            return f"${name}"
        case Items():
            return f"[{' '.join(map(to_text, node.items))}]"
        case Quantifier():
            return f"({node.kind} ${node.variable} {to_text(node.source)} {to_text(node.body)})"
        case _:
            assert_never(node)


def meaning_hash(node: Node, on_unknown: str) -> str:
    """A short hash of what a filter means."""
    return hashlib.sha256(f"{on_unknown} {to_text(node)}".encode()).hexdigest()[:16]
