"""The building blocks of the evaluator: closures for nodes, and functions for operators.

None is NULL: a value that the row does not have, or UNKNOWN as the outcome of a condition.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from predicat.ir.nodes import Call, Literal

Row = Mapping[str, Any]
Names = Mapping[str, Any]
NONE: Names = {}
# Before the name of a variable that stands for a field. No variable of a filter has a space.
OF_FIELD = "field "


class Eval(Protocol):
    """The value of a node: of a row, of the variables of the quantifiers around the node, and of parameters.
    A parameter that is not given has its default. None is UNKNOWN.
    """

    def __call__(self, row: Row, names: Names = NONE, params: Names = NONE, /) -> Any:
        """The value of the node. Raises PredicatError for a row whose values are not of the fields' types."""
        ...


# The function of a strict operator: its arguments are values, none of them None. None is UNKNOWN.
Function = Callable[..., Any]
# The function of a strict operator for one call: it depends on the types or the constants of that call.
Choose = Callable[[Call], Function]
# The closure of an operator that may have a value though an argument is UNKNOWN.
NotStrict = Callable[[Call, list[Eval]], Eval]


def constant(node: Call, position: int = 1) -> Any:
    """The value of a constant argument; None if it is NULL or not a constant."""
    arg = node.args[position]
    return arg.value if isinstance(arg, Literal) else None
