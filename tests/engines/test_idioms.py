"""Everyday conditions whose SQL has a short form of its own: the same outcome on all engines, and the same
rows in a WHERE.
"""

from typing import Any

import pytest

import predicat
from predicat import backends
from predicat.api import declared
from tests.engines.rows import Tables
from tests.rewrite.test_idioms import VALUES, WHOLE
from tests.rounds import rounds

DOCUMENTS = [
    "(j ->> 'x')::int > 1",
    "(j ->> 'x')::numeric > 1.2",
    "(j ->> 'x')::date > '2024-01-01'",
    "(j ->> 'x')::timestamptz > '2024-01-01'",
    "NOT (j ->> 'x')::boolean",
    "j ->> 'x' = 'x'",
    "j ->> 'x' IN ('x', '2')",
    "j ->> 'x' <> 'x'",
]
NUMBERS = [
    "n / NULLIF(m, 0) > 1",
    "n::float8 / NULLIF(m, 0) > 0.5",
    "n % NULLIF(m, 0) = 0",
    "n NOT IN (1, NULL)",
    "NOT (n IN (1, NULL) OR m > 1)",
    "CASE WHEN n = 1 THEN m > 1 ELSE m > 0 END",
]
TEXTS = [
    "split_part(s, '@', 1) = 'a'",
    "split_part(s, '@', 2) IN ('b.c', '')",
    "split_part(s, '@', 3) <> ''",
    "split_part(s, '.', 2) = 'c'",
    "substring(s, 2, 0) = ''",
    "left(s, 1) BETWEEN 'a' AND 'm'",
]
STRINGS = (None, "", "a", "@", "a@", "@b.c", "a@b.c", "a@b.c@d", "@@x", "xx@b", "A@b.c", "ä@b.c", "z")


@pytest.mark.parametrize(
    ("fields", "rows", "texts"),
    [
        ({"j": "json"}, [{"j": {"x": value}} for value in VALUES], DOCUMENTS),
        ({"n": "bigint", "m": "bigint"}, [{"n": n, "m": m} for n in WHOLE for m in WHOLE], NUMBERS),
        ({"s": "string"}, [{"s": text} for text in STRINGS], TEXTS),
    ],
    ids=["documents", "numbers", "texts"],
)
def test_engines_agree(
    fields: dict[str, str], rows: list[dict[str, Any]], texts: list[str], spark: Any, postgres: Any
) -> None:
    nodes = [predicat.parse(text, "postgres", fields).node for text in texts]
    table = Tables(spark, postgres, declared(fields), rows)
    for engine, run in rounds(table.engines(), 3):
        dialect = backends.dialect(engine)
        exact = run([dialect.render(node) for node in nodes])
        accepted = run([dialect.render(node, condition=True) for node in nodes])
        for text, node, outcomes, kept in rounds(zip(texts, nodes, exact, accepted, strict=True), 1):
            expected = table.reference(node)
            assert outcomes == expected, (engine, text)
            assert [got is True for got in kept] == [want is True for want in expected], (engine, text)
