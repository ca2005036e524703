"""What the oracles of EventBridge patterns share."""

import json
from collections.abc import Iterable
from typing import Any

import predicat
from predicat.diagnostics import PredicatError
from tests.oracles import Difference


class Report:
    """What was compared, and what differs; `explained` are the reasons, by what a place begins with.

    An answer that differs for a reason that docs/languages.md names counts as a difference, not as a wrong
    answer.
    """

    def __init__(self, explained: dict[str, str]) -> None:
        self.explained = explained
        self.count = 0
        self.differences: list[Difference] = []

    def compared(self, place: str, case: str, wanted: object, found: object) -> None:
        """Two answers. One of them may be that the pattern is refused."""
        self.count += 1
        if wanted != found:
            reason = next(
                (reason for start, reason in self.explained.items() if place.startswith(start)), None
            )
            wrong = reason is None and "refused" not in (wanted, found)
            self.differences.append(Difference(place, case, str(wanted), str(found), wrong, reason))


def pattern(body: Any) -> predicat.Predicate | str:
    """A pattern as a predicate on the JSON field `event`, or the message of its error."""
    try:
        return predicat.parse(body, "eventbridge", {"event": "json"}, on="event")
    except PredicatError as error:
        return error.diagnostics[0].message


def in_duckdb(cases: Iterable[tuple[predicat.Predicate, Any]]) -> list[bool | None]:
    """What DuckDB finds for predicates on the JSON field `event`, each with its document."""
    import duckdb  # only here

    connection = duckdb.connect()
    connection.execute("CREATE TABLE t (event JSON)")
    found: list[bool | None] = []
    for predicate, event in cases:
        connection.execute("DELETE FROM t")
        connection.execute("INSERT INTO t VALUES (?)", [json.dumps(event)])
        row = connection.execute(f"SELECT {predicate.sql('duckdb')} FROM t").fetchone()
        found.append(row[0] if row else None)
    return found
