"""Outcomes that are enumerated for proofs, by the calendar, parts and formats: against the evaluator."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from predicat.ir.nodes import Node
from predicat.ir.types import parse_type
from predicat.semantics.evaluate import compile_node
from predicat.values.automaton import Opaque
from predicat.values.outcomes import outcomes
from predicat.values.partition import Partition, Some
from predicat.values.preimage import x_of
from predicat.values.samples import samples
from tests.rounds import rounds
from tests.values.test_preimage import node_of, values_of

# By type: what is known without the rules of `exact` is tested in test_preimage.
TESTS = {
    "date": (
        *("x = last_day(x)", "day(last_day(x)) = 29", "day(x) = day(last_day(x))", "trunc(x, 'MM') = x"),
        *("trunc(x, 'week') <> x", "day(add_months(x, 1)) = 28", "month(add_months(x, -2)) = 12"),
        *("day(date_add(x, 1)) = 1", "datediff(x, DATE '2024-01-01') % 7 = 0", "year(x) % 4 = 0"),
        *("month(x) % 3 = 0", "weekday(x) < 5", "weekofyear(x) = 53", "month(x) = day(x)"),
        *(
            "year(x) * 100 + month(x) >= 202403",
            "year(x) - month(x) = 2020",
            "year(x) % 100 = 0 OR day(x) = 3",
        ),
        *("year(x) * 10000 + month(x) * 100 + day(x) >= 20240229",),
        *("date_format(x, 'MM-dd') = '02-29'", "date_format(x, 'dd.MM.yyyy') = '31.03.2024'"),
        *("date_format(x, 'EEEE') = 'Monday'", "lower(date_format(x, 'MMM')) IN ('mar', 'feb')"),
        *("dayname(x) IN ('Sat', 'Sun')", "CAST(x AS STRING) LIKE '2024-03-%'", "CAST(x AS STRING) < '0200'"),
        *("substr(CAST(x AS STRING), 6, 2) = '03'", "CAST(x AS STRING) LIKE '%9'"),
        *("x = date_trunc('month', x)", "last_day(x) < add_months(x, 1) AND dayofweek(x) = 1"),
        "IF(day(x) > 15, last_day(x), trunc(x, 'MM')) = date_add(x, 1)",
        "to_date(date_format(x, 'yyyy-MM-01')) = DATE '2024-03-01'",
        "date_format(x, 'yyyyMMdd') = '20240229' OR date_format(x, 'yyyy-02-dd') = '2023-02-29'",
        "date_format(x, 'yyyy-MM-29') = '2023-02-29'",
    ),
    "timestamp": (
        *(
            "hour(x) * 60 + minute(x) BETWEEN 510 AND 1050",
            "minute(x) % 15 = 0",
            "second(x) = minute(x)",
            "hour(x) * 3600 + minute(x) * 60 + second(x) > 30600",
        ),
        *("date_trunc('hour', x) = x", "x > date_trunc('week', x)", "x = date_trunc('month', x)"),
        *("CAST(x AS DATE) = date_trunc('month', x)", "last_day(CAST(x AS DATE)) = CAST(x AS DATE)"),
        *("unix_timestamp(x) % 86400 = 0", "x + INTERVAL 1 MONTH > TIMESTAMP '2024-02-29 12:00:00'"),
        *("x - INTERVAL 1 MONTH <= TIMESTAMP '2024-02-29 12:00:00'", "hour(x + INTERVAL 2 HOURS) = 1"),
        *("dayofweek(x - INTERVAL 6 HOURS) = 1", "date_format(x, 'HH:mm') BETWEEN '08:30' AND '17:00'"),
        *("date_format(x, 'E HH') = 'Sun 02'", "date_format(x, 'dd.MM.yyyy') = '31.03.2024'"),
        *("year(x) * 100 + month(x) = 202403", "substring(date_format(x, 'yyyyMMdd'), 5) = '1231'"),
        "date_format(from_utc_timestamp(x, 'Europe/Berlin'), 'E HH:mm') >= 'Sat 22:30'",
        "date_format(x, 'yyyy-MM-mm') = '2023-02-29'",
        "CAST(date_format(x, 'yyyy-MM-dd HH:mm:ss') AS DATE) = DATE '2024-02-29'",
        "last_day(CAST(from_utc_timestamp(x, 'Europe/Berlin') AS DATE)) = CAST(x AS DATE)",
    ),
    "bigint": (
        "x % 3 = x % 6",
        "x % 4 + x % 10 = 3",
        "(x + 5) % 7 > 3",
        "div(x, 60) % 24 = 2",
        "x * x > 9",
        "x + x > 6",
        "x * x IS NULL",
        "x * x = 25 OR x + x = 4",
        "(x - 3) * (x - 3) <= 16",
    ),
    "double": ("x * x > 9", "x + x > 6", "(x / 2) * (x / 2) >= 0.25", "x * x = 0", "x * x IS NULL"),
    "decimal(10,2)": ("x * x > 9", "x + x <= -3"),
}
UNKNOWN_TO_IT = {"last_day(CAST(from_utc_timestamp(x, 'Europe/Berlin') AS DATE)) = CAST(x AS DATE)"}
PAIRS = [(kind, text) for kind, texts in TESTS.items() for text in texts]


def known(kind: str, text: str) -> tuple[Node, Partition]:
    test = node_of(kind, text, "spark")
    return test, outcomes(test, x_of(parse_type(kind)), exact=True)


def tried(kind: str, part: Partition) -> Iterator[Any]:
    """Values near the cuts, at both ends of the domain, and at random."""
    yield from values_of(kind, part)
    values, chance = part.domain, random.Random(kind)
    day = 86_400_000_000 if kind == "timestamp" else 1
    for start in (
        values.least,
        values.greatest - 400 * day,
        *(chance.randint(-10_000, 30_000) * day for _ in range(4)),
    ):
        yield from (values.value(start + chance.randrange(400 * day + 1)) for _ in range(60))


@pytest.mark.parametrize(("kind", "text"), [pair for pair in PAIRS if pair[1] not in UNKNOWN_TO_IT])
def test_each_value_has_the_outcome_of_the_evaluator(kind: str, text: str) -> None:
    test, part = known(kind, text)
    run = compile_node(test)
    for value in rounds(tried(kind, part), 400):
        assert run({"x": value}) is part.of(value), (text, value)
    assert not any(isinstance(label, Some) for label in part.cells.labels)
    for (label,), value in rounds(samples([part]), 2):
        assert run({"x": value}) is label


@pytest.mark.parametrize("text", sorted(UNKNOWN_TO_IT))
def test_what_reads_two_clocks_is_opaque(text: str) -> None:
    with pytest.raises(Opaque):
        known("timestamp", text)
