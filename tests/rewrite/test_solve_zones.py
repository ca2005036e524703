"""Comparisons of the moments of a column of local times are bounds of the column, where clocks change too."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import predicat
from predicat.ir.nodes import Call, Field, Node, children, walk
from predicat.rewrite.solve import for_rows
from predicat.semantics.evaluate import compile_node
from tests.rounds import rounds

# Local times around which clocks change: forward or back, by an hour, by less, and by a day.
CHANGES = {
    "Europe/Berlin": ["2026-03-29 02:00", "2026-10-25 02:00", "1945-05-24 02:00", "1893-04-01 00:00"],
    "America/New_York": ["2025-03-09 02:00", "2025-11-02 01:00", "1883-11-18 12:03"],
    "Australia/Lord_Howe": ["2024-04-07 01:30", "2024-10-06 02:00"],
    "Pacific/Apia": ["2011-12-30 00:00", "2011-12-31 00:00"],
    "America/Juneau": ["1867-10-18 12:00", "1867-10-19 00:00"],
    "Europe/Dublin": ["1971-10-31 02:00", "2026-03-29 01:00"],
    "Asia/Kathmandu": ["1986-01-01 00:00"],
    "UTC": ["2026-03-29 02:00"],
}
STEPS = [
    timedelta(minutes=minutes) for minutes in (-1500, -90, -60, -30, -15, 0, 14, 30, 45, 60, 61, 120, 1500)
]
TESTS = ["x {op} '{one}'", "x BETWEEN '{one}' AND '{other}'", "CAST(x AS date) {op} DATE '{day}'"]
TESTS += ["date_trunc('hour', x) {op} TIMESTAMP '{one}'", "x + INTERVAL '40' MINUTE {op} TIMESTAMP '{one}'"]


def is_bare(node: Node) -> bool:
    """Whether a condition only compares the column itself."""
    fields = [part for part in walk(node) if isinstance(part, Call) and Field in map(type, children(part))]
    return all(part.op in ("eq", "ge", "gt", "le", "lt", "is_null") for part in fields)


@pytest.mark.parametrize("zone", CHANGES)
def test_bounds_accept_the_rows_of_the_moments(zone: str) -> None:
    fields: dict[str, Any] = {"x": {"type": "timestamp", "zone": zone}}
    for text in rounds(CHANGES[zone], 1):
        change = datetime.fromisoformat(text).replace(tzinfo=UTC)
        rows = [
            {"x": change + step + by} for step in STEPS for by in (timedelta(), timedelta(microseconds=-1))
        ]
        moments = [compile_node(_moment(fields))(row) for row in rows]
        for place, one in enumerate(rounds(moments[::3], 5)):
            names = {"one": _text(one), "other": _text(one + timedelta(minutes=50)), "day": one.date()}
            for number, written in enumerate(rounds(TESTS, 5)):
                op = ("=", "<", "<=", ">", ">=", "<>")[(place + number) % 6]
                node = predicat.parse(written.format(op=op, **names), "sql", fields).node
                solved = for_rows(node)
                assert is_bare(solved) or solved == node, (zone, written, op, names)
                got = [compile_node(solved)(row) is True for row in rows]
                assert got == [compile_node(node)(row) is True for row in rows], (zone, written, op, names)
                assert is_bare(solved) or "<>" in op or number > 2, (zone, written, op, names)


def _moment(fields: dict[str, Any]) -> Node:
    """What filters see of the column."""
    compared = predicat.parse("x = TIMESTAMP '2026-01-01'", "sql", fields).node
    return next(part for part in children(compared) if isinstance(part, Call))


def _text(moment: datetime) -> str:
    return moment.replace(tzinfo=None).isoformat(sep=" ")


def test_a_bound_stands_beside_the_current_time() -> None:
    fields: dict[str, Any] = {"x": {"type": "timestamp", "zone": "Europe/Berlin"}}
    found = for_rows(predicat.parse("x > now() - INTERVAL '7' DAY", "sql", fields).node)
    assert isinstance(found, Call) and found.op == "and" and is_bare(found.args[0])
    sql = predicat.parse("x > now()", "sql", fields).sql("postgres")
    assert "x AT TIME ZONE 'Europe/Berlin'" in sql
