"""Rewrites that preserve the meaning: constant folding, simple patterns instead of regular expressions, fewer
`is_true`, IN instead of several equalities.
"""

from __future__ import annotations

import re

from msgspec.structs import replace

from predicat.diagnostics import PredicatError, Span
from predicat.diagnostics import messages as msg
from predicat.ir.limits import MAX_DEPTH
from predicat.ir.nodes import LEAVES, Call, Items, Literal, Node, rewrite_children, walk
from predicat.ir.types import BOOLEAN, DOUBLE, JSON, STRING, ArrayType
from predicat.rewrite.fold import fold
from predicat.semantics import like, regex


def simplify(node: Node) -> Node:
    """The predicate in the form that back ends render. Raises PredicatError if it nests too deep."""
    try:
        return _simplified(node)
    except RecursionError:
        raise PredicatError.of(msg.too_deep(node.span, MAX_DEPTH)) from None


def _simplified(node: Node) -> Node:
    ops = {part.op for part in walk(node) if isinstance(part, Call)}
    plain = _plain(node) if "like" in ops or "matches" in ops else node
    folded = fold(plain)
    if "fold_case" in ops:
        folded = _of_constant_patterns(folded)
    return _gather(folded) if "or" in ops else folded


def _plain(node: Node) -> Node:
    """An equality, a prefix, a suffix or a substring test instead of an equivalent LIKE or regular
    expression.
    """
    node = rewrite_children(node, _plain)
    if not isinstance(node, Call) or node.op not in ("like", "matches"):
        return node
    pattern = node.args[1]
    if not isinstance(pattern, Literal) or not isinstance(pattern.value, str):
        return node
    result = like.simple(pattern.value) if node.op == "like" else regex.as_literal(regex.parse(pattern.value))
    if result is None:
        return node
    return Call(BOOLEAN, result[0], (node.args[0], Literal(STRING, result[1], pattern.span)), node.span)


def _of_constant_patterns(node: Node) -> Node:
    """ILIKE with a pattern that has become a constant, such as the value of a parameter."""
    node = rewrite_children(node, _of_constant_patterns)
    match node:
        case Call(
            op="like_row", args=(Call(op="fold_case", args=(value,)), Literal(value=str(pattern)) as known)
        ):
            is_one = re.match(like.ESCAPED_PATTERN, pattern)
            return Call(BOOLEAN, "like_ci", (value, known), node.span) if is_one else node
        case _:
            return node


def _gather(node: Node) -> Node:
    """`a = 1 OR a = 2` becomes `a IN (1, 2)`, which engines push down and turn into one look-up."""
    if isinstance(node, LEAVES):
        return node
    node = rewrite_children(node, _gather)
    if not isinstance(node, Call) or node.op != "or":
        return node
    result: dict[Node, list[tuple[Literal, Span]]] = {}
    for part in node.args:
        key, value = _equality(part)
        if key is not None and value is not None:
            result.setdefault(key, []).append((value, part.span))
    parts: list[Node] = []
    done: set[Node] = set()
    for part in node.args:
        key, _ = _equality(part)
        values = result.get(key, []) if key is not None else []
        if key is None or len(values) < 2:
            parts.append(part)
        elif key not in done:
            done.add(key)
            items = Items(ArrayType(key.type), tuple(value for value, _ in values), part.span)
            spans = [span for _, span in values]
            is_one_text = all(span.source is part.span.source for span in spans)
            span = part.span.to(spans[-1]) if is_one_text else node.span
            parts.append(Call(BOOLEAN, "in", (key, items), span))
    return parts[0] if len(parts) == 1 else replace(node, args=tuple(parts))


def _equality(node: Node) -> tuple[Node | None, Literal | None]:
    if isinstance(node, Call) and node.op == "eq":
        left, right = node.args
        typed = left.type == right.type and left.type not in (JSON, DOUBLE)
        if isinstance(right, Literal) and right.value is not None and typed and not isinstance(left, Literal):
            return left, right
    return None, None
