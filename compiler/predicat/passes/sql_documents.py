"""What SQL's functions of JSON take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from predicat.diagnostics import Span
from predicat.diagnostics.messages import sql_functions as say
from predicat.ir.nodes import Node
from predicat.ir.types import JSON
from predicat.passes.convert import underlying

if TYPE_CHECKING:
    from predicat.passes.operators import Operators


def document(check: Operators, _op: str, args: list[Node], span: Span) -> Node:
    """A JSON value. A text is none: engines have no test of whether it is JSON that never fails."""
    if underlying(args[0]).type != JSON:
        raise check.fail(
            say.no_json(args[0].span, str(args[0].type), span.text.partition("(")[0].strip().lower())
        )
    return args[0]
