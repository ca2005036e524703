"""Times in named zones and times of the day: the same on all engines, and as engines have them."""

from datetime import UTC, datetime, timedelta
from typing import Any

import duckdb
import pytest

import predicat
from predicat.deploy.rows import on_duckdb, on_postgres
from predicat.ir.types import TIMESTAMP
from predicat.ir.values import to_value
from predicat_spark.rows import on_spark
from predicat_spark.settings import settings
from tests.engines.rows import Tables, check_outcomes

FIELDS = {"ts": "timestamp", "d": "date"}
CLOCKS = (
    "CAST(ts AS TIME) >= TIME '23:00:00'",
    "CAST(ts AS TIME) BETWEEN TIME '01:00:00' AND TIME '22:59:59.999999'",
    "CAST(ts AS TIME) = '23:00:00'",
    "'05:59:59.999999' < CAST(ts AS TIME)",
    "CAST(ts AS TIME) IN (TIME '23:00:00', TIME '01:00:00')",
    "NOT CAST(ts AS TIME) < TIME '00:30'",
    "extract(minute FROM CAST(ts AS TIME)) = 29",
    "CAST(ts AS TIME) <> CAST(ts - INTERVAL '1' HOUR AS TIME)",
)
SPARK = (
    *CLOCKS,
    "CAST(from_utc_timestamp(ts, 'Asia/Kolkata') AS TIME) < TIME '12:00:00'",
    "to_date(from_utc_timestamp(ts, 'Europe/Berlin')) = DATE '2026-01-05'",
    "hour(from_utc_timestamp(ts, 'Europe/Berlin')) >= 2",
    "dayofweek(from_utc_timestamp(ts, 'Asia/Kolkata')) = 2",
    "weekofyear(from_utc_timestamp(ts, 'Pacific/Auckland')) = 2",
    "date_trunc('HOUR', from_utc_timestamp(ts, 'America/New_York')) >= TIMESTAMP '2025-11-02 01:00:00'",
    "date_format(from_utc_timestamp(ts, 'America/Sao_Paulo'), 'yyyy-MM-dd') = '2018-11-04'",
    "convert_timezone('UTC', 'Europe/Berlin', ts) > TIMESTAMP_NTZ '2026-01-05 01:00:00'",
    "convert_timezone('Europe/Berlin', ts) > TIMESTAMP_NTZ '2026-01-05 01:00:00'",
    "ts >= to_utc_timestamp('2026-01-05', 'Europe/Berlin')",
    "d = to_date(from_utc_timestamp(current_timestamp(), 'Asia/Tokyo'))",
)
POSTGRES = (
    *CLOCKS,
    "(ts AT TIME ZONE 'Europe/Berlin')::time BETWEEN '00:00' AND '18:00'",
    "ts::time - '01:00'::time > INTERVAL '22 hours'",
    "extract(epoch FROM ts::time) > 3600.5",
    "(ts AT TIME ZONE 'Europe/Berlin')::date = DATE '2026-01-05'",
    "date_trunc('day', ts AT TIME ZONE 'Europe/Berlin') = '2026-01-05'",
    "date_trunc('month', ts AT TIME ZONE 'America/New_York') = TIMESTAMP '2025-11-01'",
    "extract(hour FROM ts AT TIME ZONE 'Europe/Berlin') BETWEEN 2 AND 3",
    "extract(isodow FROM ts AT TIME ZONE 'Pacific/Auckland') = 1",
    "extract(dow FROM timezone('Pacific/Auckland', ts)) = 1",
    "extract(week FROM ts AT TIME ZONE 'Pacific/Auckland') = 2",
    "extract(quarter FROM ts AT TIME ZONE 'Pacific/Auckland') = 1",
    "extract(epoch FROM ts AT TIME ZONE 'America/New_York') > 1762000000",
    "extract(second FROM ts AT TIME ZONE 'America/New_York') > 30.2",
    "to_char(ts AT TIME ZONE 'America/Sao_Paulo', 'YYYY-MM-DD HH24') = '2018-11-04 01'",
    "ts AT TIME ZONE 'Europe/Berlin' >= '2026-01-05'",
    "extract(hour FROM ts - TIMESTAMPTZ '2025-10-26 20:29:00Z') NOT BETWEEN -5 AND 5",
    "extract(day FROM ts - TIMESTAMPTZ '2025-10-26 20:29:00Z') <> 0",
    "extract(minute FROM ts - TIMESTAMPTZ '2025-10-26 20:29:00Z') < 0",
    "ts AT TIME ZONE 'Europe/Berlin' + INTERVAL '1 month' >= '2026-02-05'",
    "ts AT TIME ZONE 'Europe/Berlin' AT TIME ZONE 'UTC' >= TIMESTAMPTZ '2026-01-05 00:00:00Z'",
    "ts >= TIMESTAMP '2026-01-05 00:00:00' AT TIME ZONE 'Europe/Berlin'",
    "ts >= '2026-01-05'::timestamp AT TIME ZONE 'Europe/Berlin'",
    "d >= (now() AT TIME ZONE 'Asia/Tokyo')::date - 30",
)
_OTHER_SPELLING = ("to_char", "second", "'01:00'::time", "ts::time", "- INTERVAL '1' HOUR AS TIME")
DUCKDB = (
    *(
        text.replace(
            "CAST(ts AS TIME)", "CAST(ts AT TIME ZONE 'UTC' AS TIME)"
        )  # which it has of plain times only
        for text in POSTGRES
        if not any(part in text for part in _OTHER_SPELLING)
    ),
    "hour(ts AT TIME ZONE 'Europe/Berlin') = 3",
    "strftime(ts AT TIME ZONE 'Europe/Berlin', '%Y-%m-%d') = '2026-01-05'",
)
_SWITCHES = [
    "2025-03-30 01:00",
    "2025-10-26 01:00",
    "2025-11-02 06:00",
    "2018-11-04 03:00",
    "2018-02-18 02:00",
]
_OTHERS = ["2026-01-04 23:00", "2026-01-05 23:00", "1893-04-01 00:00", "1900-01-01 00:00", "1582-10-10 00:00"]
_HOSTILE = [
    "0001-01-01 00:00",
    "0001-01-02 00:00",
    "9999-12-31 00:00",
    "2150-07-01 00:00",
    "1011-12-30 23:30",
]


def moments(*texts: str) -> list[datetime]:
    """Times, and those around them."""
    steps = (timedelta(0), timedelta(microseconds=-1), timedelta(hours=-1), timedelta(minutes=29, seconds=31))
    found = []
    for text in texts:
        for step in steps:
            try:
                found.append(to_value(text + ":00", TIMESTAMP) + step)
            except OverflowError:
                continue
    return found


def rows(*, hostile: bool) -> list[dict[str, Any]]:
    made = moments(*_SWITCHES, *_OTHERS, *(_HOSTILE if hostile else []))
    last = [dict.fromkeys(FIELDS), {"ts": to_value("9999-12-31 23:59:59.999999", TIMESTAMP), "d": None}]
    return [*({"ts": one, "d": one.date()} for one in made), *(last if hostile else [])]


@pytest.mark.parametrize("engine", ["spark", "postgres", "duckdb"])
def test_engines_agree_on_hostile_moments(engine: str, request: pytest.FixtureRequest) -> None:
    texts = [(name, one) for name, list_ in LANGUAGES.items() for one in list_]
    session = request.getfixturevalue(engine) if engine != "duckdb" else None
    fields = predicat.api.declared(FIELDS)
    check_outcomes(Tables(session, session, fields, rows(hostile=True), (engine,)), texts, where=True)


LANGUAGES = {"spark": SPARK, "postgres": POSTGRES, "duckdb": DUCKDB}


def check(language: str, got: list[list[Any]], made: list[dict[str, Any]]) -> None:
    now = datetime.now(UTC)
    wrong = [
        f"{text}: {row}: {value} on the engine"
        for text, column in zip(LANGUAGES[language], got, strict=True)
        for row, value in zip(made, column, strict=True)
        if value != predicat.parse(text, language, FIELDS).evaluate(row, now=now)
    ]
    assert not wrong, f"{len(wrong)}\n" + "\n".join(wrong[:20])


def test_spark_says_the_same_of_what_is_written(spark: Any) -> None:
    made, fields = rows(hostile=False), list(predicat.api.declared(FIELDS).values())
    with settings(spark, {"spark.sql.session.timeZone": "UTC", "spark.sql.timeType.enabled": "true"}):
        check("spark", on_spark(fields, made, SPARK, spark), made)


def test_postgres_says_the_same_of_what_is_written(postgres: Any) -> None:
    made, fields = rows(hostile=False), list(predicat.api.declared(FIELDS).values())
    postgres.execute("SET TIME ZONE 'UTC'")
    check("postgres", on_postgres(postgres, fields, made, POSTGRES), made)


def test_duckdb_says_the_same_of_what_is_written() -> None:
    made, fields = rows(hostile=False), list(predicat.api.declared(FIELDS).values())
    check("duckdb", on_duckdb(fields, made, DUCKDB), made)


def test_duckdb_reads_columns_without_a_zone_in_utc() -> None:
    """Timestamps of files that Spark wrote are such columns."""
    made, now = rows(hostile=True), datetime.now(UTC)
    wrong = []
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute("CREATE TABLE t (n INT, ts TIMESTAMP, d DATE)")
        plain = [[n, row["ts"] and row["ts"].replace(tzinfo=None), row["d"]] for n, row in enumerate(made)]
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", plain)
        for language, texts in LANGUAGES.items():
            for text in texts:
                predicate = predicat.parse(text, language, FIELDS)
                got = connection.execute(f"SELECT {predicate.sql('duckdb')} FROM t ORDER BY n").fetchall()
                if [one for (one,) in got] != [predicate.evaluate(row, now=now) for row in made]:
                    wrong.append(f"{language}: {text}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("language", "text", "hint"),
    [
        (
            "postgres",
            "ts AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo' > '2026-01-01'",
            "ts AT TIME ZONE 'Asia/Tokyo'",
        ),
        (
            "postgres",
            "ts > date_trunc('day', ts AT TIME ZONE 'Asia/Tokyo') AT TIME ZONE 'Asia/Tokyo'",
            "compare local times",
        ),
        ("postgres", "ts > TIMESTAMP '2025-10-26 02:30:00' AT TIME ZONE 'Europe/Berlin'", "never or twice"),
        ("postgres", "ts > TIMESTAMP '2025-03-30 02:30:00' AT TIME ZONE 'Europe/Berlin'", "never or twice"),
        ("spark", "ts > to_utc_timestamp(ts, 'Europe/Berlin')", "compare local times"),
        (
            "postgres",
            "hour(ts AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo') = 1",
            "write ts AT TIME ZONE 'Asia/Tokyo'",
        ),
        ("postgres", "hour('2026-01-01'::timestamp AT TIME ZONE 'Asia/Tokyo') = 1", "cast to TIMESTAMPTZ"),
        ("spark", "from_utc_timestamp(ts, 'Europe/Berln') > ts", "did you mean 'Europe/Berlin'"),
        ("postgres", "hour(ts AT TIME ZONE 'Berlin') = 1", "did you mean 'Europe/Berlin'"),
        ("postgres", "hour(ts AT TIME ZONE '+02:00') = 1", "such as 'Europe/Paris'"),
        ("postgres", "ts > TIMESTAMP '2025-03-30' AT TIME ZONE 'US/Pacfic'", "did you mean 'US/Pacific'"),
        ("postgres", "ts::time + INTERVAL '1 hour' > '08:00'", "shift the timestamp"),
        ("postgres", "ts::time > '25:00'", "'08:30:00'"),
        ("postgres", "ts::time(0) > '08:00'", "a cast may be"),
        (
            "postgres",
            "date_trunc('day', ts, 'Asia/Tokyo') = '2026-01-01'",
            "date_trunc('day', t AT TIME ZONE",
        ),
    ],
)
def test_what_is_refused_says_what_to_write(language: str, text: str, hint: str) -> None:
    with pytest.raises(predicat.PredicatError, match=r"^") as error:
        predicat.parse(text, language, FIELDS)
    assert hint in str(error.value)
