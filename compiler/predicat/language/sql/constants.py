"""Arguments of SQL functions that must be constants."""

from __future__ import annotations

from decimal import Decimal
from math import isfinite

from predicat.diagnostics.messages import sql_functions as say
from predicat.ir import syntax as t
from predicat.language.sql.node_reader import Reader


def whole(reader: Reader, tree: t.Tree, name: str) -> int:
    """The value of an integer constant. Raises Stop for anything else."""
    if not isinstance(tree, t.Constant) or not isinstance(tree.value, int) or isinstance(tree.value, bool):
        raise reader.fail(say.number_not_constant(tree.span, name))
    return tree.value


def real(reader: Reader, tree: t.Tree, name: str) -> float:
    """The value of a finite number constant, as a double. Raises Stop for anything else."""
    value = tree.value if isinstance(tree, t.Constant) else None
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal) or not isfinite(value):
        raise reader.fail(say.number_not_constant(tree.span, name))
    return float(value)


def text(reader: Reader, tree: t.Tree, name: str) -> str:
    """The value of a string constant. Raises Stop for anything else."""
    if not isinstance(tree, t.Constant) or not isinstance(tree.value, str):
        raise reader.fail(say.text_not_constant(tree.span, name))
    return tree.value
