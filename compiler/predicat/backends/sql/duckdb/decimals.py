"""DuckDB: exact arithmetic of decimals."""

from __future__ import annotations

from predicat.backends.sql.builders import Sql, binary, cast, try_cast
from predicat.backends.sql.common.decimals import SIGNS, ends_at, operands
from predicat.backends.sql.duckdb.calendar import try_
from predicat.backends.sql.renderer import Renderer
from predicat.diagnostics.messages import backends as say
from predicat.forms import decimals
from predicat.ir.nodes import Call, Field, Node
from predicat.ir.types import MAX_PRECISION, DecimalType

# DuckDB keeps a result of narrower decimals in as many digits, and has an error beyond.
_MOST_OF_INT64 = 18


def arithmetic(r: Renderer, node: Call) -> Sql:
    """Arithmetic of decimals. If the result type has at most 18 digits, DuckDB raises an error for a longer
    result, so one operand gets a wider type.
    """
    parts = operands(r, node)
    digits = decimals.digits(node.op, node.args)
    if node.op != "mul" and any(_whole(arg) + digits.scale > MAX_PRECISION for arg in node.args):
        raise r.refuse(node, say.OPERAND_OF_SUM, say.FEWER_DIGITS)  # it casts operands to the result's type
    if digits.precision > _MOST_OF_INT64 and not any(map(_is_wide, node.args)):
        kinds = [decimals.exact_type(arg) for arg in node.args]
        chosen = max(range(len(parts)), key=lambda place: kinds[place].precision)
        kind = kinds[chosen]
        parts[chosen] = cast(
            parts[chosen], f"DECIMAL({max(kind.precision, _MOST_OF_INT64 + 1)}, {kind.scale})"
        )
    sql = binary(SIGNS[node.op], *parts) if digits.fits else try_(binary(SIGNS[node.op], *parts))
    return sql if ends_at(node, digits) else try_cast(sql, str(node.type))


def _whole(node: Node) -> int:
    kind = decimals.exact_type(node)
    return kind.precision - kind.scale


def _is_wide(node: Node) -> bool:
    """Whether a number is known to have more than 18 digits on DuckDB."""
    if not isinstance(node.type, DecimalType) or decimals.exact_type(node).precision <= _MOST_OF_INT64:
        return False
    return isinstance(node, Field) or (
        isinstance(node, Call) and (node.op in SIGNS or node.op == "to_decimal")
    )
