"""PeeGeeQ server-side filters in Python: the factory methods of ServerSideFilter.

`header_equals("type", "order").sql_condition(4)` gives the condition with `$4`; `parameters` and `parameter_count` what
to bind. Filters are equal, and have the same hash, if they are built alike. Headers are read from the column `headers` (jsonb in PostgreSQL). An absent key matches nothing, unless
`absent="accept"`: then `header_not_equals` accepts it, as the released library does. Source: PeeGeeQ, "Server-Side
Filtering Technical Plan".
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cached_property
from typing import Any

from msgspec import Struct

from predicat.api import Predicate, parse
from predicat.diagnostics import PredicatError
from predicat.diagnostics import messages as msg

FIELDS = {"headers": "map<string, string>"}


class ServerSideFilter(Struct, frozen=True, dict=True):
    """A filter on headers; `data` is its body in a catalog, under `headers:`."""

    data: dict[str, Any]
    absent: str = "reject"

    @cached_property
    def predicate(self) -> Predicate:
        """The filter as a predicate over the field `headers`. Raises PredicatError."""
        return parse({**self.data, "absent": self.absent}, "headers", FIELDS, on="headers", name="headers")

    def __hash__(self) -> int:
        return hash((json.dumps(self.data, sort_keys=True), self.absent))

    def sql_condition(self, first: int = 1, dialect: str = "postgres") -> str:
        """The SQL condition for a WHERE, whose parameters are numbered from `first` (toSqlCondition).

        Raises PredicatError if `first` is below 1.
        """
        return self.predicate.condition(dialect, first)[0]

    @property
    def parameters(self) -> list[Any]:
        """The values to bind, in the order of their numbers (getParameters)."""
        return list(self.predicate.condition("postgres")[1])

    @property
    def parameter_count(self) -> int:
        """How many parameters the condition has (getParameterCount)."""
        return len(self.parameters)


def header_equals(key: str, value: str) -> ServerSideFilter:
    """The header has the value."""
    return _checked({"headerEquals": {key: value}})


def header_not_equals(key: str, value: str, *, absent: str = "reject") -> ServerSideFilter:
    """The header is there and has another value; with `absent="accept"`, or is not there."""
    return _checked({"headerNotEquals": {key: value}}, absent)


def header_in(key: str, values: Iterable[str]) -> ServerSideFilter:
    """The header has one of the values. Raises PredicatError for a single text, and for a value that is no text."""
    several = [values] if isinstance(values, str) else list(values)
    if isinstance(values, str) or not all(isinstance(value, str) for value in several):
        raise PredicatError.of(
            msg.usage(f"the header {key!r} is compared with a list of texts, not with {values!r}")
        )
    return _checked({"headerIn": {key: sorted(set(several))}})


def header_like(key: str, pattern: str) -> ServerSideFilter:
    """The header matches a SQL LIKE pattern."""
    return _checked({"headerLike": {key: pattern}})


def and_(*filters: ServerSideFilter) -> ServerSideFilter:
    """All of the filters."""
    return _joined("and", filters)


def or_(*filters: ServerSideFilter) -> ServerSideFilter:
    """At least one of the filters."""
    return _joined("or", filters)


def _joined(key: str, filters: tuple[ServerSideFilter, ...]) -> ServerSideFilter:
    absent = {row.absent for row in filters if "headerNotEquals" in str(row.data)}
    if len(absent) > 1:
        raise PredicatError.of(msg.usage("filters with different rules for absent keys cannot be combined"))
    return _checked({key: [row.data for row in filters]}, absent.pop() if absent else "reject")


def _checked(data: dict[str, Any], absent: str = "reject") -> ServerSideFilter:
    found = ServerSideFilter(data, absent)
    _ = found.predicate  # bad keys and values are found when a filter is made
    return found
