"""Texts near those that convert to a number or a time: every engine takes the same ones, whatever its own
cast takes.
"""

import itertools
import random
from collections.abc import Iterator
from typing import Any

import pytest

import predicat
from predicat.api import declared
from tests.engines.rows import Tables

# Characters that a cast may trim, or read as a sign, a digit, a unit or a time zone. PostgreSQL stores no
# NUL.
CHARACTERS = [chr(code) for code in range(1, 128)] + list("é١€😀\u2003\x85\xa0")

NEAR = {
    "bigint": (
        "CAST(s AS bigint)",
        "5",
        ["-5", "9223372036854775807", "-9223372036854775808", "00000000000000000012"],
    ),
    "double": (
        "CAST(s AS double)",
        "0.5",
        [
            "-12.5",
            "5.",
            ".5",
            "1e10",
            "1e0005",
            "0x1p3",
            "-0X1P3",
            "1e309",
            "NaN",
            "Infinity",
            "2d",
            "1" * 310,
            "-0e5",
            "1e1000",
            "1e-1000",
            "0e9999",
            "-0.0E+99999999999999999999",
            f"1e-{'9' * 50}",
            f"1e{'0' * 50}5",
            "0" * 595 + "10000",
            "0" * 596 + "10000",
        ],
    ),
    "date": (
        "CAST(s AS date)",
        "'2000-01-01'",
        ["2020-02-29", "0001-01-01", "9999-12-31", "1999-2-3T1", "0-01-05"],
    ),
    "timestamp": (
        "CAST(s AS timestamp)",
        "'2000-01-01 00:00:00'",
        [
            "2020-12-31T23:59:59Z",
            "0001-01-01T00:00:01Z",
            "2020-02-29T10:10:10.5+01:30",
            "2020-01-01T00:00:0NZ",
            "2020-01-01t00:00:00z",
            "0001-01-01T00:00:00+01:00",
            "0001-01-01T01:00:00+01:00",
            "9999-12-31T23:59:59-00:30",
            "9999-12-31t23:59:59.999999999+00:00",
            "0-01-05T10:11:12Z",
            "2020-01-05T 0:11:12Z",
        ],
    ),
}


_DAYS = [
    "-".join(parts)
    for parts in itertools.product(
        ("0000", "0001", "2020", "2-20"),
        ("00", "02", "10", "12", "13", "1-"),
        ("00", "01", "19", "28", "29", "32"),
    )
]
_CLOCKS = [
    "00:00:00",
    "19:59:59",
    "20:00:00.5",
    "23:59:59.123456",
    "24:00:00",
    "29:00:00",
    "10:60:00",
    "10:00:61",
    "10:0:000",
    "10: 0:00",
    "1T:00:00",
    "10:00:0Z",
    "-1:00:00",
]
# Days and times with parts that there are, and that there are not.
FIELDS = {
    "date": _DAYS,
    "timestamp": [
        f"{day}T{clock}{zone}"
        for (day, clock), zone in zip(
            itertools.product(_DAYS, _CLOCKS), itertools.cycle(("Z", "+00:00", "Z"))
        )
    ],
}


def texts(bases: list[str], count: int) -> Iterator[str]:
    chance = random.Random(7)
    yield from bases
    for _ in range(count):
        text = list(chance.choice(bases))
        for _ in range(chance.randint(1, 2)):
            place = chance.randrange(len(text) + 1)
            text[place : place + chance.randint(0, 1)] = [
                chance.choice(chance.choice([CHARACTERS, list("0 +-.:TZNe")]))
            ]
        yield "".join(text)


@pytest.mark.parametrize("kind", NEAR)
def test_near_texts(kind: str, spark: Any, postgres: Any) -> None:
    value, limit, bases = NEAR[kind]
    fields = declared({"s": "string"})
    rows = [{"s": text} for text in dict.fromkeys([*texts(bases, 1500), *FIELDS.get(kind, [])])]
    tables = Tables(spark, postgres, fields, rows)
    predicates = [predicat.parse(f"{value} {rest}", "sql", fields) for rest in ("IS NOT NULL", f"> {limit}")]
    wanted = [tables.reference(predicate.node) for predicate in predicates]
    assert 10 < sum(map(bool, wanted[0])) < len(rows) - 10
    for engine, run in tables.engines():
        for want, got in zip(wanted, run([predicate.sql(engine) for predicate in predicates]), strict=True):
            wrong = [
                (row["s"], given)
                for row, given, expected in zip(rows, got, want, strict=True)
                if given is not expected
            ]
            assert wrong == [], engine
