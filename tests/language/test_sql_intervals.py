"""Intervals of SQL: what is taken has the length that PostgreSQL gives it, whatever sqlglot keeps of its
text.
"""

import random
from datetime import timedelta
from typing import Any

import psycopg
import pytest

import predicat

FIELDS = {"t": "timestamp", "u": "timestamp"}
LENGTHS = {
    "'1 day'": timedelta(1),
    "'2 days 3 hours'": timedelta(2, hours=3),
    "2 DAYS 3 HOURS": timedelta(2, hours=3),
    "-3 DAY": timedelta(-3),
    "'1 day 03:04:05'": timedelta(1, hours=3, minutes=4, seconds=5),
    "'1 day -03:04'": timedelta(1, hours=-3, minutes=-4),
    "'1.5 hours'": timedelta(hours=1.5),
    "'1.5' SECOND": timedelta(seconds=1.5),
    "5 MILLISECONDS": timedelta(milliseconds=5),
    "'1 02:03:04.5' DAY TO SECOND": timedelta(1, hours=2, minutes=3, seconds=4.5),
    "'2:03' HOUR TO MINUTE": timedelta(hours=2, minutes=3),
    "'-2:03.5' MINUTE TO SECOND": timedelta(minutes=-2, seconds=-3.5),
    "'1 5' DAY TO HOUR": timedelta(1, hours=5),
}
REFUSED = {
    "'1 day 3'": "'1 day 3' is not an interval",
    "'x 1 day'": "is not an interval",
    "'1.5' HOUR": "'1.5' is not an interval",
    "'1 month'": "an interval of months by itself",
    "'1-2' YEAR TO MONTH": "an interval of months by itself",
    "'-1 2' DAY TO HOUR": "'-1 2' is not an interval",
    "'1 24:00' DAY TO MINUTE": "is not an interval",
    "'1:60' HOUR TO MINUTE": "is not an interval",
    "'0.0000001' SECOND": "with nanoseconds",
    "''": "'' is not an interval",
    "'10001 years'": "is not supported",
    "'999999999999999' WEEK": "is not an interval",
    "'5'": "'5' is not an interval",
    "(1) MOON": "several parts",
}
UNITS = [
    "weeks",
    "day",
    "days",
    "hour",
    "hours",
    "minute",
    "mins",
    "sec",
    "seconds",
    "milliseconds",
    "microseconds",
    "hrs",
    "month",
]
FIELD_NAMES = ["DAY", "HOUR", "MINUTE", "SECOND"]
NUMBERS = ["0", "1", "23", "59", "60", "24", "100", "1.5", "0.25", "2.", ".5", "1.000001", "1.0000001"]


def length(interval: str) -> timedelta:
    node = predicat.parse(f"t - u > INTERVAL {interval}", "sql", FIELDS).node
    value = node.args[1].value
    assert isinstance(value, timedelta)
    return value


@pytest.mark.parametrize(("interval", "expected"), LENGTHS.items())
def test_length(interval: str, expected: timedelta) -> None:
    assert length(interval) == expected


@pytest.mark.parametrize(("interval", "reason"), REFUSED.items())
def test_refused(interval: str, reason: str) -> None:
    with pytest.raises(predicat.PredicatError) as error:
        length(interval)
    assert reason in str(error.value)


def test_sign_before_an_interval() -> None:
    negative, less = (
        predicat.parse(text, "sql", FIELDS).sql("spark")
        for text in ("t + - INTERVAL '1' DAY > u", "t + INTERVAL '-1' DAY > u")
    )
    assert negative == less


def intervals(count: int) -> set[str]:
    chance = random.Random(3)
    pick = chance.choice

    def number() -> str:
        return pick(["", "", "", "-", "+"]) + pick(NUMBERS)

    def clock() -> str:
        return pick(["", "", "-", "+"]) + ":".join(
            pick(["0", "03", "4", "5.5", "23", "59", "60", "100", "05.123456"])
            for _ in range(pick([1, 2, 3, 3]))
        )

    def spanned() -> str:
        first = chance.randrange(3)
        last = chance.randrange(first + 1, 4)
        rest = "".join(
            (" " if name == "HOUR" else ":") + pick(["0", "03", "23", "24", "59", "60", "5.123"])
            for name in FIELD_NAMES[first + 1 : last + 1]
        )
        return (
            f"'{pick(['', '-', '+'])}{chance.randint(0, 99)}{pick([rest, clock()])}' {FIELD_NAMES[first]} "
            f"TO {FIELD_NAMES[last]}"
        )

    def united() -> str:
        parts = pick([" ", ""]).join(
            number() + pick(["", " "]) + pick(UNITS) for _ in range(chance.randint(1, 3))
        )
        return f"'{parts}{pick(['', ' ' + clock()])}'"

    kinds = [spanned, united, lambda: f"'{clock()}'", lambda: f"'{number()}' {pick(UNITS)}"]
    return {pick(kinds)() for _ in range(count)}


def test_as_postgres_reads_them(postgres: Any) -> None:
    compared = 0
    for interval in sorted(intervals(1500)):
        try:
            ours = length(interval)
        except predicat.PredicatError:
            continue
        try:
            with postgres.transaction():
                (theirs,) = postgres.execute(
                    f"SELECT extract(epoch FROM INTERVAL {interval}) * 1000000"
                ).fetchone()
        except psycopg.Error:
            continue  # units that it writes otherwise
        compared += 1
        assert ours // timedelta(microseconds=1) == theirs, interval
    assert compared > 200
