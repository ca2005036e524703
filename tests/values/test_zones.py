"""Time zones: all their changes against Python's zones, and outcomes of local times against the evaluator."""

import random
import zoneinfo
from bisect import bisect_right
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

import predicat
from predicat.ir.types import TIMESTAMP
from predicat.semantics.evaluate import compile_node
from predicat.semantics.time_zones import changes
from predicat.values.outcomes import outcomes
from predicat.values.partition import Some
from predicat.values.preimage import x_of
from tests.rounds import rounds

MICROSECOND, DAY = timedelta(microseconds=1), timedelta(days=1)
PERIOD = 146_097 * DAY
FIRST, LAST = datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC)
# Summer time in whole hours, in half an hour, in Ramadan; days that are skipped; local mean times; no change.
ZONES = (
    *("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "Pacific/Apia"),
    *("America/Juneau", "Asia/Kolkata", "Asia/Gaza", "Etc/GMT+5", "UTC"),
)
TESTS = (
    "CAST(from_utc_timestamp(x, '{}') AS DATE) = DATE '2024-03-31'",
    "from_utc_timestamp(x, '{}') >= TIMESTAMP '2011-12-30 00:30:00'",
    "hour(from_utc_timestamp(x, '{}')) = 2",
    "dayofweek(from_utc_timestamp(x, '{}')) = 1",
    "day(from_utc_timestamp(x, '{}')) = 1 AND hour(x) = 23",
    "year(from_utc_timestamp(x, '{}')) = 1900",
)
CEL = ('x.getHours("{}") == 2', 'x.getFullYear("{}") == 2024', 'x.getDate("{}") == 1')


def moments(zone: str, count: int) -> Iterator[datetime]:
    """The changes of a zone, what is beside them, and others; a seed for each zone."""
    some = random.Random(zone)
    found = changes(zone)
    assert found is not None
    for at, _ in (*found[0], *found[1]):
        yield from (moment for moment in (at - MICROSECOND, at, at + some.random() * DAY) if moment >= FIRST)
    for start, end in ((FIRST, LAST), (datetime(1880, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC))):
        yield from (start + some.random() * (end - start) for _ in range(count))


def check_changes(zone: str) -> None:
    found = changes(zone)
    assert found is not None, zone
    starts = [[at for at, _ in one] for one in found]
    own, begin = zoneinfo.ZoneInfo(zone), starts[1][0]
    for moment in rounds(moments(zone, 500), 1000):
        part = int(moment >= begin)
        at = begin + (moment - begin) % PERIOD if part else moment
        ahead = found[part][bisect_right(starts[part], at) - 1][1]
        assert ahead == moment.astimezone(own).utcoffset(), (zone, moment)


@pytest.mark.parametrize("zone", ZONES[::3])
def test_all_changes_of_a_zone_are_known(zone: str) -> None:
    check_changes(zone)


@pytest.mark.slow
def test_all_changes_of_every_zone_are_known() -> None:
    for zone in rounds(sorted(zoneinfo.available_timezones() - {"localtime"}), 400):
        check_changes(zone)


@pytest.mark.parametrize(
    "zone", [*ZONES[:2], *(pytest.param(zone, marks=pytest.mark.slow) for zone in ZONES[2:])]
)
def test_local_times_have_the_outcomes_of_the_evaluator(zone: str) -> None:
    tested = random.Random(zone).sample([*moments(zone, 300)], 200)
    ends = [datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)]
    tested += [*ends, ends[0] + 0.9 * DAY, ends[1] - 0.9 * DAY]
    for language, texts in rounds((("sql", TESTS), ("cel", CEL)), 2):
        for text in rounds(texts, 1):
            test = predicat.parse(text.format(zone), language, {"x": "timestamp"}).node
            found = outcomes(test, x_of(TIMESTAMP), exact=True)
            run = compile_node(test)
            for moment in rounds(tested, 200):
                assert found.of(moment) is run({"x": moment}), (text, zone, moment)
            assert not any(isinstance(label, Some) for label in found.cells.labels)
