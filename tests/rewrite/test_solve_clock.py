"""Comparisons with the current time, and of times in zones, as bounds of the field."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import predicat
from predicat.ir.nodes import NOW, Call, Field, Node, walk
from predicat.rewrite.simplify import simplify
from predicat.rewrite.solve import exactly, for_rows
from predicat.semantics.closures import NONE
from predicat.semantics.evaluate import compile_node

FIELDS = {"ts": "timestamp", "d": "date"}
NOWS = [
    datetime(2026, 3, 29, 1, 30, tzinfo=UTC),
    datetime(1970, 1, 1, tzinfo=UTC),
    datetime(2999, 12, 31, tzinfo=UTC),
]
LENGTHS = [
    ("cel", "ts.timeSince() > duration('24h')"),
    ("cel", "ts.timeSince().getHours() >= 24"),
    ("cel", "ts.timeSince().getMinutes() != 60"),
    ("cel", "(ts - now).getSeconds() <= 60"),
    ("cel", "(now - ts).getSeconds() == 0"),
    ("spark", "timestampdiff(HOUR, ts, now()) > 24"),
    ("spark", "timestampdiff(HOUR, now(), ts) > -24"),
    ("spark", "datediff(DAY, ts, now()) IN (0, 1)"),
    ("postgres", "extract(epoch FROM now() - ts) > 3600"),
    ("postgres", "extract(epoch FROM (now() - ts)) / 3600 <= 24"),
    ("postgres", "abs(extract(epoch FROM (now() - ts))) < 60"),
    ("spark", "datediff(current_date(), d) div 7 > 3"),
]
SUMS = [
    f"{value} {op} {clock}"
    for value, clock in (
        ("ts + INTERVAL '7 days'", "now()"),
        ("ts - INTERVAL '7 days'", "now() - INTERVAL '1 hour'"),
        ("d + 7", "current_date"),
        ("d - 30", "current_date + 1"),
    )
    for op in ("<", "<=", "=", ">", ">=", "<>")
]
ZONED = [
    f"{value} {op} {clock}"
    for value, clock in (
        ("(ts AT TIME ZONE 'Asia/Manila')::date", "DATE '1844-12-31'"),
        ("(ts AT TIME ZONE 'Europe/Berlin')::date", "(now() AT TIME ZONE 'Europe/Berlin')::date"),
        ("date_trunc('week', ts AT TIME ZONE 'America/Juneau')", "'1867-10-14'"),
        ("ts AT TIME ZONE 'Pacific/Kiritimati'", "'0001-01-02 05:00'"),
        ("ts AT TIME ZONE 'Pacific/Kiritimati'", "'9999-12-31 12:00'"),
        ("to_char(ts AT TIME ZONE 'Europe/Berlin', 'YYYY-MM')", "'2026-03'"),
    )
    for op in ("<", "<=", "=", ">", ">=", "<>")
]


def rows(now: datetime) -> list[dict[str, Any]]:
    marks = [now, datetime(1844, 12, 31, tzinfo=UTC), datetime(1867, 10, 14, tzinfo=UTC)]
    marks += [datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)]
    steps = [
        timedelta(hours=hours, microseconds=micros) for hours in range(-200, 201, 4) for micros in (-1, 0, 1)
    ]
    steps += [
        timedelta(minutes=minutes, microseconds=micros)
        for minutes in (-60, -1, 1, 60)
        for micros in (-1, 0, 1)
    ]
    found: list[datetime | None] = [None]
    for mark in marks:
        for step in steps:
            try:
                found.append(mark + step)
            except OverflowError:
                continue
    return [{"ts": one, "d": one and one.date()} for one in found]


def differing(before: Node, after: Node, *, positive: bool) -> list[Any]:
    one, other = compile_node(before), compile_node(after)
    return [
        (now, row)
        for now in NOWS
        for row in rows(now)
        if (was := one(row, NONE, {NOW.name: now})) != (found := other(row, NONE, {NOW.name: now}))
        and not (positive and was is not True and found is not True)
    ]


@pytest.mark.parametrize(
    ("language", "text"), [*LENGTHS, *(("postgres", one) for one in (*SUMS, *ZONED))], ids=lambda value: value
)
def test_the_rows_are_the_same(language: str, text: str) -> None:
    node = simplify(predicat.parse(text, language, FIELDS).node)
    assert not differing(node, for_rows(node), positive=True)[:3]
    assert not differing(node, exactly(node, lambda _before, _after: True), positive=False)[:3]


def computed(node: Node) -> bool:
    """Whether a field is an operand of anything but a comparison."""
    return any(
        isinstance(part, Call)
        and part.op not in ("lt", "le", "gt", "ge", "eq", "ne")
        and Field in map(type, part.args)
        for part in walk(node)
    )


@pytest.mark.parametrize(
    ("language", "text"),
    [*LENGTHS, *(("postgres", one) for one in SUMS if "<>" not in one)],
    ids=lambda value: value,
)
def test_no_calculation_of_the_field_is_left(language: str, text: str) -> None:
    node = simplify(predicat.parse(text, language, FIELDS).node)
    assert computed(node)
    assert not computed(for_rows(node))


def test_a_time_in_a_zone_has_bounds_of_its_field_beside_it() -> None:
    from predicat import backends

    found = predicat.parse("(ts AT TIME ZONE 'Europe/Berlin')::date = '2026-01-05'", "postgres", FIELDS)
    sql = backends.dialect("postgres").render(found.node, condition=True)
    assert sql.startswith(
        "ts >= TIMESTAMPTZ '2026-01-04 00:00:00+00' AND ts < TIMESTAMPTZ '2026-01-07 00:00:00+00' AND "
    )
