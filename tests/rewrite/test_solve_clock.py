"""Comparisons with the current time, and of times in zones, as bounds of the field."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import predicat
from predicat.ir.nodes import NOW, Call, Field, Node, walk
from predicat.rewrite.simplify import simplify
from predicat.rewrite.solve import exactly, for_rows
from predicat.semantics.closures import NONE
from predicat.semantics.evaluate import compile_node
from tests.rounds import rounds

EXAMPLES = 20 * int(os.environ.get("PREDICAT_FUZZ_EXAMPLES", "2"))
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
STEPS = [
    f"{value} {op} {clock}"
    for value, clock in (
        ("d", "now() - INTERVAL '7 days'"),
        ("d", "date_trunc('month', current_date)"),
        ("d", "now()"),
        ("d::timestamp", "date_trunc('day', now()) - INTERVAL '36 hours'"),
        ("date_trunc('day', ts)", "current_date - 7"),
        ("date_trunc('hour', ts)", "now() - INTERVAL '90 minutes'"),
        ("date_trunc('week', ts)", "date_trunc('week', now()) - INTERVAL '1 week'"),
        ("date_trunc('month', ts)", "date_trunc('month', now())"),
        ("date_trunc('month', ts)", "date_trunc('month', now()) - INTERVAL '1 month'"),
        ("date_trunc('quarter', ts)", "date_trunc('month', now()) - INTERVAL '3 months'"),
        ("date_trunc('quarter', ts)", "date_trunc('year', now()) - INTERVAL '3 months'"),
        ("date_trunc('year', ts)", "date_trunc('week', now())"),
        ("date_trunc('month', d)", "date_trunc('month', current_date)"),
        ("date_trunc('week', d)", "date_trunc('week', current_date) - INTERVAL '14 days'"),
        ("date_trunc('year', d)", "now()"),
        ("ts::date::timestamp", "now() - INTERVAL '1 month'"),
        ("extract(year FROM ts)", "extract(year FROM now())"),
        ("extract(year FROM ts)", "extract(year FROM now()) - 1"),
        ("extract(year FROM d)", "extract(year FROM current_date) + 1"),
        ("to_char(ts, 'YYYY-MM')", "to_char(now(), 'YYYY-MM')"),
        ("to_char(ts, 'YYYYMMDD HH24')", "to_char(now() - INTERVAL '1 day', 'YYYYMMDD HH24')"),
        ("ts::date + 7", "current_date"),
        ("current_date - ts::date", "7"),
        ("now() - d::timestamp", "INTERVAL '7 days'"),
    )
    for op in ("<", "<=", "=", ">", ">=", "<>")
]
DIFFERENCES = [
    "date_diff('day', d, current_date) < 30",
    "date_diff('day', d, now()) BETWEEN 0 AND 2",
    "date_diff('week', d, current_date) <= 1",
    "date_diff('hour', d, now()) >= 36",
    "datediff(current_date, ts) <= 2",
    "date_diff('day', CAST(ts AS date), current_date) = 1",
]
NEAR = [
    ("spark", "unix_timestamp(ts) > unix_timestamp() - 86400"),
    ("spark", "unix_timestamp() - unix_timestamp(ts) <= 3600"),
    ("spark", "unix_seconds(now()) - 7200 >= unix_seconds(ts)"),
    ("spark", "CAST(ts AS bigint) = CAST(now() AS bigint) - 60"),
    ("spark", "(CAST(now() AS bigint) - CAST(ts AS bigint)) / 3600 < 24"),
    ("spark", "(unix_millis(now()) - unix_millis(ts)) div 60000 <= 60"),
    ("postgres", "extract(epoch FROM now()) - extract(epoch FROM ts) < 86400"),
    ("postgres", "extract(epoch FROM ts) >= extract(epoch FROM now() - INTERVAL '1 day') + 0.5"),
    ("duckdb", "epoch(now()) - epoch(ts) < 3600"),
    ("postgres", "ts + INTERVAL '1 month' > now()"),
    ("postgres", "ts - INTERVAL '1 month' <= now() - INTERVAL '2 months'"),
    ("postgres", "d + INTERVAL '1 month' > current_date"),
    ("spark", "add_months(d, 3) = current_date()"),
    ("spark", "add_months(d, -12) < current_date()"),
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
        timedelta(days=sign * days, microseconds=micros)
        for days in (28, 29, 30, 31, 59, 60, 61, 62, 90, 91, 92, 120, 273, 365, 366, 396, 730, 731)
        for sign in (-1, 1)
        for micros in (-1, 0, 1)
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


def differing(text: str, language: str, nows: Sequence[datetime] = NOWS) -> list[Any]:
    """Rows on which the bounds for rows, or those with the same outcomes, are not the comparison. Its own
    outcomes are worked out once for both, and once for all rows with equal values of the fields that it has.
    """
    node = simplify(predicat.parse(text, language, FIELDS).node)
    bounds, same = for_rows(node), exactly(node, lambda _before, _after: True)
    names = {part.decl.name for one in (node, bounds, same) for part in walk(one) if isinstance(part, Field)}
    was, accepts, found = compile_node(node), compile_node(bounds), compile_node(same)
    wrong = []
    for now in nows:
        clock = {NOW.name: now}
        for row in {tuple(row[name] for name in names): row for row in rows(now)}.values():
            outcome = was(row, NONE, clock)
            if found(row, NONE, clock) != outcome or (
                bounds != same and (accepts(row, NONE, clock) is True) != (outcome is True)
            ):
                wrong.append((now, row))
    return wrong


@pytest.mark.parametrize(
    ("language", "text"),
    [
        *LENGTHS,
        *NEAR,
        *(("sql", one) for one in DIFFERENCES),
        *(("postgres", one) for one in (*SUMS, *STEPS, *ZONED)),
    ],
    ids=lambda value: value,
)
def test_the_rows_are_the_same(language: str, text: str) -> None:
    assert not differing(text, language)[:3]


UNITS = ("second", "minute", "hour", "day", "week", "month", "quarter", "year")
CLOCKS = st.recursive(
    st.sampled_from(("now()", "current_date::timestamp")),
    lambda inner: st.one_of(
        st.builds("date_trunc('{}', {})".format, st.sampled_from(UNITS), inner),
        st.builds(
            "({} - INTERVAL '{}')".format,
            inner,
            st.sampled_from(("1 day", "36 hours", "7 days", "1 month", "3 months", "1 year", "90 minutes")),
        ),
        st.builds("({}::date + {})::timestamp".format, inner, st.integers(-40, 40)),
    ),
    max_leaves=3,
)
VALUES = st.recursive(
    st.sampled_from(("ts", "d::timestamp")),
    lambda inner: st.one_of(
        st.builds("date_trunc('{}', {})".format, st.sampled_from(UNITS), inner),
        st.builds("{}::date::timestamp".format, inner),
    ),
    max_leaves=2,
)
OPERATORS = st.sampled_from(("<", "<=", "=", ">", ">=", "<>"))
COMPARED = st.one_of(
    st.builds("{} {} {}".format, VALUES, OPERATORS, CLOCKS),
    st.builds("{} {} {}".format, CLOCKS, OPERATORS, VALUES),
    st.builds("({})::date {} ({})::date".format, VALUES, OPERATORS, CLOCKS),
    st.builds("{} - {} {} INTERVAL '{} hours'".format, CLOCKS, VALUES, OPERATORS, st.integers(-50, 50)),
    st.builds(
        "extract(year FROM {}) {} extract(year FROM {}) - {}".format,
        VALUES,
        OPERATORS,
        CLOCKS,
        st.integers(-1, 1),
    ),
)
MOMENTS = st.one_of(
    st.sampled_from(NOWS),
    st.integers(0, 32_000_000_000).map(lambda seconds: datetime.fromtimestamp(seconds, UTC)),
    st.dates(date(1971, 1, 1), date(2999, 12, 31)).map(
        lambda day: datetime(day.year, day.month, 1, tzinfo=UTC) - timedelta(microseconds=1)
    ),
)


@settings(deadline=None, max_examples=EXAMPLES)
@given(text=COMPARED, now=MOMENTS)
def test_generated_comparisons_with_the_clock(text: str, now: datetime) -> None:
    assert not differing(text, "postgres", [now])[:3]
    node = simplify(predicat.parse(text, "postgres", FIELDS).node)
    assert "<>" in text or not computed(for_rows(node))


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
    [
        *LENGTHS,
        *(("sql", one) for one in DIFFERENCES),
        *(("postgres", one) for one in (*SUMS, *STEPS) if "<>" not in one),
    ],
    ids=lambda value: value,
)
def test_no_calculation_of_the_field_is_left(language: str, text: str) -> None:
    node = simplify(predicat.parse(text, language, FIELDS).node)
    assert computed(node)
    assert not computed(for_rows(node))


@pytest.mark.parametrize(("language", "text"), NEAR, ids=lambda value: value)
def test_bounds_stand_beside_what_has_no_other(language: str, text: str) -> None:
    """The bounds are near: of the rows that they let through, few are beside those that are accepted."""
    node = simplify(predicat.parse(text, language, FIELDS).node)
    with_bounds = for_rows(node)
    assert isinstance(with_bounds, Call) and with_bounds.op == "and"
    bounds = [part for part in with_bounds.args if isinstance(part, Call) and not computed(part)]
    assert bounds and all(type(bound.args[0]) is Field for bound in bounds)
    now, run = NOWS[0], compile_node(node)
    for row in rows(now):
        if row["ts"] is None or abs(row["ts"] - now) > timedelta(days=900):
            continue
        near = [{"ts": row["ts"] + step, "d": (row["ts"] + step).date()} for step in NEARBY]
        if all(compile_node(bound)(row, NONE, {NOW.name: now}) for bound in bounds):
            assert any(run(one, NONE, {NOW.name: now}) for one in near), row


NEARBY = [timedelta(seconds=seconds) for seconds in (-60, *range(-5, 6), 60)]
NEARBY += [timedelta(days=days) for days in range(-8, 9)]


MONTHS = st.builds(
    "{} + INTERVAL '{} months' {} {}".format,
    st.sampled_from(("ts", "d")),
    st.integers(-30, 30).filter(bool),
    OPERATORS,
    st.sampled_from(("now()", "current_date", "now() - INTERVAL '1 month'")),
)


@settings(deadline=None, max_examples=EXAMPLES)
@given(text=MONTHS, now=MOMENTS)
def test_generated_sums_of_months(text: str, now: datetime) -> None:
    node = simplify(predicat.parse(text, "postgres", FIELDS).node)
    moments = [part for months in range(-32, 33) for part in rows_of(now, months)]
    before, after = compile_node(node), compile_node(for_rows(node))
    for row in rounds([{"ts": moment, "d": moment.date()} for moment in moments], 1000):
        assert (before(row, NONE, {NOW.name: now}) is True) == (after(row, NONE, {NOW.name: now}) is True)


def rows_of(now: datetime, months: int) -> list[datetime]:
    """Moments around the one so many months later."""
    year, month = divmod(now.year * 12 + now.month - 1 + months, 12)
    first = now.replace(year=year, month=month + 1, day=1)
    return [
        first + timedelta(days=days, hours=hours)
        for days in (-4, -3, -2, -1, 0, 26, 27, 28, 29, 30)
        for hours in (-13, 0)
    ]


def test_a_time_in_a_zone_has_bounds_of_its_field_beside_it() -> None:
    from predicat import backends

    found = predicat.parse("(ts AT TIME ZONE 'Europe/Berlin')::date = '2026-01-05'", "postgres", FIELDS)
    sql = backends.dialect("postgres").render(found.node, condition=True)
    assert sql.startswith(
        "ts >= TIMESTAMPTZ '2026-01-04 00:00:00+00' AND ts < TIMESTAMPTZ '2026-01-07 00:00:00+00' AND "
    )
