"""The canonical text of a typed node, the same for every spelling of a meaning. Its hash identifies the
meaning.
"""

from __future__ import annotations

import hashlib
import re
from typing import assert_never

from predicat.ir.nodes import Call, Field, Items, Literal, Node, Parameter, Quantifier, Variable, fields_of


def proof_text(node: Node) -> str:
    """What a proof about a predicate depends on: its canonical text, and the widths of its fields."""
    widths = sorted(f"{_name(name)}:{decl.stored}" for name, decl in fields_of(node).items() if decl.stored)
    return " ".join((canonical_text(node), *widths))


def canonical_text(node: Node) -> str:
    """A node as an s-expression, with types where they matter."""
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
    """The name of a field, quoted if it could be read as more than a name. So two predicates never have the
    same text.
    """
    return repr(name) if _AMBIGUOUS.search(name) else name


_AMBIGUOUS = re.compile(r"[\s()\[\]:$'\"]|^$")


def meaning_hash(node: Node, on_unknown: str) -> str:
    """A short hash of what a filter means."""
    return hashlib.sha256(f"{on_unknown} {canonical_text(node)}".encode()).hexdigest()[:16]
