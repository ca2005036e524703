"""PeeGeeQ server-side filters in Python: the factory methods of ServerSideFilter.

`header_equals("type", "order").sql_condition(4)` is the condition with `$4`; `parameters` are the values to
bind. Headers are read from the column `headers` (jsonb in PostgreSQL). A missing key matches nothing. With
`absent="accept"`, `header_not_equals` accepts it, as the released library does. Equal filters have equal
hashes.

Source: PeeGeeQ, "Server-Side Filtering Technical Plan".
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct

from predicat.api import Predicate, parse
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import catalog as say

FIELDS = {"headers": "map<string, string>"}


class ServerSideFilter(Struct, frozen=True, dict=True):
    """A filter on message headers. Make one with the functions of this module.

    Attributes:
        data: Its body in a catalog, under `headers:`.
        absent: What `header_not_equals` does with a missing key: `reject` or `accept`.
    """

    data: dict[str, Any]
    absent: str = "reject"

    @cached_property
    def predicate(self) -> Predicate:
        """The filter as a predicate over the field `headers`. Raises PredicatError."""
        return parse({**self.data, "absent": self.absent}, "headers", FIELDS, on="headers", name="headers")

    def __hash__(self) -> int:
        return hash((json.dumps(self.data, sort_keys=True), self.absent))

    def sql_condition(
        self,
        first: int = 1,
        dialect: str = "postgres",
        *,
        indexes: Sequence[str] = (),
        style: str | None = None,
    ) -> str:
        """The SQL condition for a WHERE clause (toSqlCondition).

        Args:
            first: The number of the first bind parameter.
            dialect: One of `predicat.dialects()`.
            indexes: With `["USING gin (headers)"]` the condition has a form for this index. An index on
                `(headers ->> 'key')` needs no argument.
            style: The driver's parameters: `asyncpg` (`$1`, the default), `psycopg` (`%s`) or `jdbc` (`?`).

        Raises:
            PredicatError: `first` is below 1, or there is no such style.
        """
        return self.predicate.condition(dialect, first, indexes=indexes, style=style)[0]

    @property
    def parameters(self) -> list[Any]:
        """The values to bind, in order (getParameters)."""
        return list(self.predicate.condition("postgres")[1])

    @property
    def parameter_count(self) -> int:
        """The number of bind parameters (getParameterCount)."""
        return len(self.parameters)


def header_equals(key: str, value: str) -> ServerSideFilter:
    """The header is present and equals the value. Raises PredicatError for a bad key."""
    return _checked({"headerEquals": {key: value}})


def header_not_equals(key: str, value: str, *, absent: str = "reject") -> ServerSideFilter:
    """The header is present and has another value. With `absent="accept"` a missing header matches too."""
    return _checked({"headerNotEquals": {key: value}}, absent)


def header_in(key: str, values: Iterable[str]) -> ServerSideFilter:
    """The header is present and equals one of the values. Raises PredicatError if `values` is one string,
    or a value is not a string.
    """
    several = [values] if isinstance(values, str) else list(values)
    if isinstance(values, str) or not all(isinstance(value, str) for value in several):
        raise PredicatError.of(say.header_values(key, values))
    return _checked({"headerIn": {key: sorted(set(several))}})


def header_like(key: str, pattern: str) -> ServerSideFilter:
    """The header is present and matches a SQL LIKE pattern (`%` is any string, `_` one character)."""
    return _checked({"headerLike": {key: pattern}})


def and_(*filters: ServerSideFilter) -> ServerSideFilter:
    """AND. Raises PredicatError if the filters have different rules for missing keys."""
    return _joined("and", filters)


def or_(*filters: ServerSideFilter) -> ServerSideFilter:
    """OR. Raises PredicatError if the filters have different rules for missing keys."""
    return _joined("or", filters)


def _joined(key: str, filters: tuple[ServerSideFilter, ...]) -> ServerSideFilter:
    absent = {row.absent for row in filters if "headerNotEquals" in str(row.data)}
    if len(absent) > 1:
        raise PredicatError.of(say.rules_for_absent_keys())
    return _checked({key: [row.data for row in filters]}, absent.pop() if absent else "reject")


def _checked(data: dict[str, Any], absent: str = "reject") -> ServerSideFilter:
    result = ServerSideFilter(data, absent)
    _ = result.predicate  # bad keys and values are found when a filter is made
    return result
