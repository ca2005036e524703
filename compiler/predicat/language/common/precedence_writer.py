"""Writes nodes as text with infix operators, with as few parentheses as precedence allows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from predicat.ir.nodes import Node
from predicat.ir.operators import ARITHMETIC, COMPARISONS

# A text, and the precedence of its outermost operator: what binds tighter has a higher one.
Form = tuple[str, int]


class Infix(Struct, frozen=True):
    """An operator between its operands.

    Attributes:
        sign: Its spelling.
        level: Its precedence.
        chains: Whether it is left-associative. If not, both operands must bind tighter.
    """

    sign: str
    level: int
    chains: bool = True


def infix_table(
    either: tuple[str, int], both: tuple[str, int], *, comparisons: int, sums: int, products: int
) -> dict[str, Infix]:
    """The operators that all languages with expressions have, with SQL's signs.

    Args:
        either: The sign and the precedence of OR.
        both: The sign and the precedence of AND.
        comparisons: The precedence of comparisons, which do not chain.
        sums: The precedence of + and -.
        products: The precedence of *, / and %.
    """
    return {
        "or": Infix(*either, chains=False),
        "and": Infix(*both, chains=False),
        **{op: Infix(comparison.sign, comparisons, chains=False) for op, comparison in COMPARISONS.items()},
        **{op: Infix(sign, sums if sign in "+-" else products) for op, sign in ARITHMETIC.items()},
        "concat": Infix("+", sums),
    }


class PrecedenceWriter:
    """Writes expressions. The subclass of a language defines the form of each node."""

    def form(self, node: Node) -> Form:
        """A node as text, with its precedence. Raises Unsupported."""
        raise NotImplementedError

    def text(self, node: Node, level: int = 0) -> str:
        """A node as an operand of an operator of this precedence; in parentheses if it binds less tightly."""
        text, own = self.form(node)
        return f"({text})" if own < level else text

    def between(self, operator: Infix, operands: Sequence[Node]) -> Form:
        """Operands with an operator between them."""
        behind = operator.level + 1
        first = operator.level if operator.chains else behind
        parts = [self.text(part, behind if index else first) for index, part in enumerate(operands)]
        return f" {operator.sign} ".join(parts), operator.level

    def listed(self, nodes: Iterable[Node]) -> str:
        """Nodes with commas between them."""
        return ", ".join(self.text(node) for node in nodes)
