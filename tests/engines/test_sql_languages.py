"""The engines as oracles of their own languages: conditions at random, as they are written, run on hostile
rows, against what predicat makes of them; and the SQL that predicat makes of them on all engines.

PREDICAT_FUZZ_EXAMPLES=100 runs 20,000 conditions of each language.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from msgspec import Struct

import predicat
from predicat.diagnostics import PredicatError
from tests.engines.oracle.conditions import FIELDS, Conditions
from tests.engines.oracle.engines import Attempts, DuckDB, Postgres, Spark, reference
from tests.engines.oracle.rows import rows

# So many conditions of each language; `lenient` is that of Spark without ANSI mode.
COUNT = 200 * int(os.environ.get("PREDICAT_FUZZ_EXAMPLES", "1"))
SEED = int(os.environ.get("PREDICAT_FUZZ_SEED", "31"))
# So many conditions share their rows.
BATCH = 1000
ROWS = 16
DECLARED = predicat.api.declared(FIELDS)

# Conditions that are not among those at random.
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
    "lenient": [
        *(
            f"coalesce(CAST('{text}' AS {kind}), -1) = {value}"
            for kind in ("tinyint", "smallint", "int", "bigint")
            for text, value in (
                ("2.5", 2),
                (" 42 ", 42),
                ("+5", 5),
                ("-0.9", 0),
                (".5", 0),
                (".", 0),
                ("2.", 2),
                ("1e2", -1),
                ("", -1),
                ("+", -1),
                ("5 .", -1),
                ("0x1A", -1),
                ("127.9", 127),
                ("99999999999999999999", -1),
            )
        ),
        *(
            f"CAST(CAST('{number}' AS DOUBLE) AS {kind}) = {value}"
            for number, kind, value in (
                ("NaN", "int", 0),
                ("3e9", "int", 2147483647),
                ("-3e9", "int", -2147483648),
                ("1e300", "bigint", 9223372036854775807),
                ("70000", "smallint", 4464),
                ("3e9", "smallint", -1),
                ("-Infinity", "tinyint", 0),
            )
        ),
        "CAST(3000000000 AS INT) = -1294967296",
        "CAST(3000000000.5 AS INT) = -1294967296",
        "2147483647 + 1 = -2147483648",
        "9223372036854775807 + 1 < 0",
        "9223372036854775807 * 2 = -2",
        "abs(int(-2147483648)) < 0",
        "bigint('-9223372036854775808') div -1 < 0",
        "size(CAST(NULL AS array<int>)) = -1",
        "a * 3 > 7",
        "i * a < 0",
        "a * -1 = a",
        "' 5' = 5 AND NOT ' 5' IN ('5')",
        "i IN ('42', '7')",
        "s IN (42, 7)",
        "'5' + 1 = 6",
    ],
    "postgres": ["row(a, b) = row(b, a)", "row(a, s) <> (b, u)", "row(a, b) IS NOT DISTINCT FROM row(b, a)"],
}


class Batch(Struct):
    """Conditions that predicat takes, with what it makes of them, over some rows."""

    rows: list[dict[str, Any]]
    conditions: list[str]
    found: list[predicat.Predicate]
    answers: list[str]


def batches(language: str, count: int) -> Iterator[Batch]:
    """The conditions at random, and those that are written here."""
    for start in range(0, count, BATCH):
        made, over = Conditions(language, SEED + start), rows(ROWS, SEED + start)
        conditions = [] if start else list(WRITTEN.get(language, ()))
        conditions += [made.next() for _ in range(min(BATCH, count - start))]
        pairs = [(text, found) for text in conditions if (found := taken(language, text)) is not None]
        assert len(pairs) > len(conditions) // 2
        texts, predicates = [text for text, _ in pairs], [found for _, found in pairs]
        yield Batch(over, texts, predicates, [reference(found.evaluate, over) for found in predicates])


def taken(language: str, condition: str) -> predicat.Predicate | None:
    name = "spark" if language == "lenient" else language
    try:
        return predicat.parse(condition, name, FIELDS, ansi=language != "lenient")
    except PredicatError:
        return None


def rendered(found: predicat.Predicate, dialect: str) -> str | None:
    try:
        return found.sql(dialect)
    except PredicatError:  # an operator that the dialect does not support
        return None


Start = Callable[[Sequence[dict[str, Any]]], Attempts]


def check_language(language: str, engine: Start) -> None:
    """An engine gives the answers of predicat, but where it has an error: that fails the whole row there,
    here only what it is part of (true OR error is true).
    """
    wrong, compared = [], 0
    for batch in batches(language, COUNT):
        answers = engine(batch.rows).answers(batch.conditions)
        for condition, ours, theirs in zip(batch.conditions, batch.answers, answers, strict=True):
            if theirs.startswith("!"):  # types that the engine has no operator for
                continue
            compared += 1
            if any(one not in (other, "E") for one, other in zip(theirs, ours, strict=True)):
                wrong.append(f"{condition}\n  predicat {ours}\n  {language} {theirs}")
    assert not wrong, f"{len(wrong)} of {compared}\n" + "\n".join(sorted(wrong, key=len)[:50])
    assert compared > COUNT // 2


def check_translation(language: str, dialect: str, engine: Start) -> None:
    """The SQL that predicat makes of conditions means the same on an engine, and has no errors."""
    wrong, compared = [], 0
    for batch in batches(language, COUNT):
        made = [
            (condition, ours, sql)
            for condition, ours, found in zip(batch.conditions, batch.answers, batch.found, strict=True)
            if (sql := rendered(found, dialect)) is not None
        ]
        answers = engine(batch.rows).answers([sql for _, _, sql in made])
        compared += len(answers)
        for (condition, ours, _), theirs in zip(made, answers, strict=True):
            if ours != theirs:
                wrong.append(f"{condition}\n  predicat {ours}\n  {dialect} {theirs}")
    assert not wrong, f"{len(wrong)} of {compared}\n" + "\n".join(sorted(wrong, key=len)[:50])


def test_conditions_of_postgres_mean_what_postgres_means(postgres: Any) -> None:
    check_language("postgres", lambda over: Postgres(postgres, DECLARED, over))


def test_conditions_of_spark_mean_what_spark_means(spark: Any) -> None:
    check_language("spark", lambda over: Spark(spark, DECLARED, over))


def test_conditions_of_spark_without_ansi_mode_mean_what_spark_means_so(spark: Any) -> None:
    check_language("lenient", lambda over: Spark(spark, DECLARED, over, ansi=False))


@pytest.mark.parametrize("language", ["postgres", "duckdb", "lenient"])
def test_conditions_of_others_mean_the_same_on_spark(spark: Any, language: str) -> None:
    check_translation(language, "spark", lambda over: Spark(spark, DECLARED, over))


@pytest.mark.parametrize("language", ["spark", "duckdb", "lenient"])
def test_conditions_of_others_mean_the_same_on_postgres(postgres: Any, language: str) -> None:
    check_translation(language, "postgres", lambda over: Postgres(postgres, DECLARED, over))


def test_conditions_of_duckdb_mean_what_duckdb_means() -> None:
    check_language("duckdb", lambda over: DuckDB(DECLARED, over))


@pytest.mark.parametrize("language", ["spark", "postgres", "duckdb", "lenient"])
def test_all_conditions_mean_the_same_on_duckdb(language: str) -> None:
    check_translation(language, "duckdb", lambda over: DuckDB(DECLARED, over))
