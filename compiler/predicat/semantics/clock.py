"""The current time of an evaluation: given, or read from the clock."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from predicat.diagnostics import PredicatError
from predicat.diagnostics import messages as msg
from predicat.ir.nodes import NOW
from predicat.ir.python_values import RowError
from predicat.ir.values import FIRST_NOW, LAST_NOW, to_value


def reading(now: Any = None) -> Mapping[str, datetime]:
    """The parameter that is the current time, with its value.

    Args:
        now: A datetime (UTC if it has no zone), or a string as in a row. Default: the clock, read once.

    Raises:
        PredicatError: It is not a timestamp of the years 1970 to 2999.
    """
    if now is None:
        return {NOW.name: datetime.now(UTC)}
    try:
        moment = to_value(now, NOW.type)
    except RowError:
        moment = None
    if moment is None or not FIRST_NOW <= moment <= LAST_NOW:
        raise PredicatError.of(msg.bad_now(now))
    return {NOW.name: moment}
