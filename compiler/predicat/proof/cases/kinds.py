"""What the representatives of arrays and of maps have in common: kinds of elements, and tests of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from predicat.ir.nodes import Field, Node, Parameter, Variable, walk
from predicat.values.automaton import Opaque

Labels = tuple[Any, ...]
# From a variable and tests of it to a value with its outcomes for each combination of these.
Kinds = Callable[[Field, Sequence[Node]], list[tuple[Any, Labels]]]


def check_closed(node: Node, own: Field) -> None:
    """Raise Opaque if a test reads something else than one variable."""
    if any(isinstance(part, Field | Variable | Parameter) and part != own for part in walk(node)):
        raise Opaque
