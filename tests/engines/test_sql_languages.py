"""The engines as oracles of their own languages: generated conditions, as they are written, run on hostile
rows, against what predicat makes of them. An error of the engine is UNKNOWN.
"""

from __future__ import annotations

import math
import os
import random
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any


import predicat
from predicat.deploy.rows import TABLE, fill_postgres
from predicat.diagnostics import PredicatError
from predicat_spark.rows import frame_of

COUNT = 150 * int(os.environ.get("PREDICAT_FUZZ_EXAMPLES", "1"))
"""So many conditions for PostgreSQL; Spark, which takes longer, runs a tenth of them."""
FIELDS = {
    "a": "bigint",
    "b": "bigint",
    "x": "double",
    "y": "double",
    "p": "decimal(10,2)",
    "s": "string",
    "u": "string",
    "t": "boolean",
    "d": "date",
    "ts": "timestamp",
    "xs": "array<bigint>",
    "ss": "array<string>",
}
NAN, INFINITE = math.nan, math.inf
ROWS: list[dict[str, Any]] = [
    {},
    {"a": 7, "b": 2, "x": 2.7, "y": 2.5, "p": Decimal("2.50"), "s": " 42 ", "u": "it's", "t": True,
     "d": date(2026, 2, 1), "ts": datetime(2026, 2, 1, 10, tzinfo=UTC), "xs": [1, 2, 3], "ss": ["a", "b"]},
    {"a": -7, "b": 2, "x": NAN, "y": NAN, "p": Decimal("-2.50"), "s": "2026-02-01 10:00:00", "u": "a\tb",
     "t": False, "d": date(1969, 12, 31), "ts": datetime(1969, 12, 31, 23, 59, 59, 5, tzinfo=UTC),
     "xs": [], "ss": []},
    {"a": 0, "b": 0, "x": INFINITE, "y": NAN, "p": Decimal("0.00"), "s": "", "u": "", "t": None,
     "d": date(2024, 2, 29), "ts": datetime(2024, 2, 29, tzinfo=UTC), "xs": [2, None], "ss": ["a", None]},
    {"a": 2**63 - 1, "b": -1, "x": -0.5, "y": 0.5, "p": Decimal("99999999.99"), "s": "yes", "u": "Äé%_",
     "t": True, "d": date(2026, 12, 31), "ts": datetime(2026, 12, 31, 23, 59, tzinfo=UTC), "xs": [42],
     "ss": ["it's"]},
    {"a": -(2**63), "b": -1, "x": -3.5, "y": -INFINITE, "p": None, "s": "2026-02-01", "u": "a\nb", "t": False,
     "d": None, "ts": None, "xs": None, "ss": None},
    {"a": 42, "b": None, "x": None, "y": 1e300, "p": Decimal("42.00"), "s": "-2.5e3", "u": "42", "t": None,
     "d": date(2026, 2, 1), "ts": datetime(2026, 2, 1, 10, tzinfo=UTC), "xs": [-1, 0], "ss": ["", "b"]},
]  # fmt: skip

WRITTEN: dict[str, list[str]] = {
    "spark": [
        "struct(a, b) = struct(b, a)",
        "named_struct('p', a, 'q', s) <> named_struct('p', b, 'q', u)",
        "(a, b) IN ((b, a), (a, b))",
        "typeof(s) = 'string' AND typeof(p) = 'decimal(10,2)' AND typeof(ts) = 'timestamp'",
        "sequence(5, 1, -2)[1] = 3 AND sequence(1, 3)[5] IS NULL AND exists(sequence(1, 3), e -> e = a)",
        "array_except(ss, array('a'))[0] IS NULL",
        "array_except(xs, array(2L, 1L))[0] = 3",
        "array_intersect(ss, array('b', 'c'))[0] = 'b'",
        "array_distinct(xs)[0] = 2",
        "zip_with(xs, xs, (e, f) -> e + f)[1] = 4",
        "zip_with(xs, array(1L, 2L), (e, f) -> coalesce(e, 0L) + coalesce(f, 5L))[2] = 8",
        "zip_with(xs, ss, (e, f) -> f)[3] IS NULL",
        *(f"width_bucket(x, -1, 5, {count}) = {count}" for count in (1, 2, 6)),
        *(f"width_bucket(a / 10, 0, 1, {count}) > {count // 2}" for count in range(2, 40, 7)),
        *(f"width_bucket(double('{value / 10}'), 0, 1, 10) = {value + 1}" for value in range(-1, 11)),
    ],
    "postgres": ["row(a, b) = row(b, a)", "row(a, s) <> (b, u)", "row(a, b) IS NOT DISTINCT FROM row(b, a)"],
}
"""Functions that are none of the generated conditions."""


class Conditions:
    """Conditions of a language by a seed."""

    def __init__(self, language: str, seed: int) -> None:
        self.language = language
        self.random = random.Random(seed)  # no secret
        self.first = 0 if language == "spark" else 1

    def one(self, *choices: str) -> str:
        return self.random.choice(choices)

    def boolean(self, depth: int) -> str:
        if depth and self.random.random() < 0.4:
            one, other = self.boolean(depth - 1), self.boolean(depth - 1)
            return self.one(f"({one} AND {other})", f"({one} OR {other})", f"NOT ({one})", f"({one}) IS TRUE")
        return self.random.choice((self.comparison, self.comparison, self.test))(depth)

    def comparison(self, depth: int) -> str:
        kind = self.random.choice((self.integer, self.double, self.text, self.moment, self.day))
        sign = self.one("=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM")
        return f"{kind(depth)} {sign} {kind(0)}"

    def test(self, depth: int) -> str:
        number, text = self.integer(depth), self.text(depth)
        common = (
            f"{number} BETWEEN 0 AND 42",
            f"{text} LIKE '%a%'",
            f"{text} IN ('42', 'a', '')",
            "a IN ('42', '7')",
            f"{self.double(depth)} > '{self.one('NaN', '2.5', ' 1e2 ')}'",
            f"t = '{self.one('t', 'true', 'f', 'no', '1')}'",
            "d = '2026-02-01'",
            "ts >= '2026-02-01 10:00:00'",
            f"{text} IS NULL",
            "p > '2.4'",
            "t",
            f"CAST({self.one('s', 'u')} AS boolean)",
        )
        own = {
            "spark": (
                "array_contains(xs, 2)",
                f"{number} <=> a",
                's = "42"',
                "u = 'it''s'",
                "u = 'it\\'s'",
                "`a` == 7",
                "u RLIKE '^a'",
                "isnan(x)",
                "exists(xs, e -> e > 1)",
            ),
            "postgres": (
                "xs @> ARRAY[2]",
                "xs && ARRAY[1, 42]",
                "ss <@ ARRAY['a', 'b', NULL]",
                "a = ANY (xs)",
                "a > ALL (xs)",
                "u ~ '^a'",
                "u !~* '^A'",
                "u SIMILAR TO '(a|i)%'",
                "u ILIKE 'A%'",
                "u = E'a\\tb'",
                "a BETWEEN SYMMETRIC 42 AND 0",
            ),
        }
        return self.one(*common, *own[self.language])

    def integer(self, depth: int) -> str:
        if not depth:
            return self.one("a", "b", "2", "-7", "0", "42")
        one, other = self.integer(depth - 1), self.integer(depth - 1)
        common = (
            f"({one} + {other})",
            f"({one} - {other})",
            f"({one} * {other})",
            f"({one} % {other})",
            f"abs({one})",
            f"CAST({self.double(depth - 1)} AS {self.one('int', 'bigint', 'smallint')})",
            f"CAST({self.text(0)} AS {self.one('int', 'bigint')})",
            "CAST(p AS int)",
            f"length({self.text(0)})",
            f"coalesce({one}, {other})",
            f"CASE WHEN t THEN {one} ELSE {other} END",
            f"xs[{self.random.randrange(4)}]",
            f"nullif({one}, {other})",
            "extract(year FROM d)",
        )
        own = {"spark": (f"({one} div {other})", "size(xs)"), "postgres": (f"({one} / {other})",)}
        return self.one(*common, *own[self.language])

    def double(self, depth: int) -> str:
        if not depth:
            return self.one(
                "x", "y", "2.5", "CAST('NaN' AS double precision)" if self.first else "double('NaN')"
            )
        one, other = self.double(depth - 1), self.double(depth - 1)
        common = [f"({one} + {other})", f"({one} - {other})", f"-{one}", f"abs({one})", f"floor({one})"]
        if self.language == "spark":
            common.append(f"({self.integer(depth - 1)} / {self.integer(depth - 1)})")
        common.append(f"CAST({self.text(0)} AS {'double precision' if self.first else 'double'})")
        return self.one(*common)

    def text(self, depth: int) -> str:
        if not depth:
            return self.one("s", "u", "'42'", "' 7 '", "'a'")
        one, other = self.text(depth - 1), self.text(depth - 1)
        return self.one(
            f"concat({one}, {other})",
            f"({one} || {other})",
            f"trim({one})",
            f"replace({one}, 'a', 'b')",
            f"ss[{self.random.randrange(3)}]",
            f"CAST({self.integer(0)} AS {'text' if self.first else 'string'})",
            f"coalesce({one}, {other})",
        )

    def moment(self, depth: int) -> str:
        zoned = "timestamptz" if self.first else "timestamp"
        return self.one(
            "ts", f"CAST('2026-02-01 10:00:00' AS {zoned})", f"CAST(s AS {zoned})" if depth else "ts"
        )

    def day(self, depth: int) -> str:
        return self.one("d", "DATE '2026-02-01'", "CAST(s AS date)" if depth else "d")


Run = Callable[[str, int | None], list[Any]]
"""The outcomes of a condition on all rows, or on one; an error of the engine is raised."""


def outcomes(run: Run, condition: str, failure: type[Exception]) -> list[Any]:
    try:
        return run(condition, None)
    except failure:
        found: list[Any] = []
        for place in range(len(ROWS)):
            try:
                found += run(condition, place)
            except failure:
                found.append(None)
        return found


def differences(language: str, run: Run, failure: type[Exception], count: int) -> tuple[list[str], int]:
    """What differs, and how many conditions were read."""
    made = Conditions(language, 31)
    wrong, read = [], 0
    generated = (made.boolean(made.random.randrange(3)) for _ in range(count))
    for condition in (*WRITTEN[language], *generated):
        try:
            ours = predicat.parse(condition, language, FIELDS)
        except PredicatError:
            continue
        read += 1
        wanted = outcomes(run, condition, failure)
        got = [ours.evaluate(row) for row in ROWS]
        for place, (one, other) in enumerate(zip(got, wanted, strict=True)):
            # An error fails the whole row there, here only what it is part of: true OR error is true.
            if one is not other and not (other is None and fails(run, condition, place, failure)):
                wrong.append(f"{condition}\n  row {place}: {one}, on the engine {other}")
    return wrong, read


def fails(run: Run, condition: str, place: int, failure: type[Exception]) -> bool:
    try:
        run(condition, place)
    except failure:
        return True
    return False


def test_postgres(postgres: Any) -> None:
    import psycopg  # only where an engine is

    fill_postgres(postgres, list(predicat.api.declared(FIELDS).values()), ROWS)
    postgres.execute("SET TIME ZONE 'UTC'")

    def run(condition: str, place: int | None) -> list[Any]:
        where = "" if place is None else f" WHERE __id = {place}"
        return [
            value for (value,) in postgres.execute(f"SELECT {condition} FROM {TABLE}{where} ORDER BY __id")
        ]

    wrong, read = differences("postgres", run, psycopg.Error, COUNT)
    assert not wrong, "\n".join(wrong[:20])
    assert read > COUNT // 2


def test_spark(spark: Any) -> None:
    from pyspark.errors import PySparkException  # only where an engine is

    frame_of(list(predicat.api.declared(FIELDS).values()), ROWS, spark).createOrReplaceTempView("oracle_rows")
    zone = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "UTC")

    def run(condition: str, place: int | None) -> list[Any]:
        where = "" if place is None else f" WHERE __id = {place}"
        return [
            row[0]
            for row in spark.sql(
                f"SELECT {condition} AS c, __id FROM oracle_rows{where} ORDER BY __id"
            ).collect()
        ]

    try:
        wrong, read = differences("spark", run, PySparkException, COUNT // 10)
    finally:
        spark.conf.set("spark.sql.session.timeZone", zone)
        spark.catalog.dropTempView("oracle_rows")
    assert not wrong, "\n".join(wrong[:20])
    assert read > COUNT // 20
