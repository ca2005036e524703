"""PostgreSQL: products and quotients mean what they mean for the evaluator, also of numbers that PostgreSQL
cannot multiply.
"""

import itertools
import math
from typing import Any

import pytest

import predicat
from predicat import backends
from predicat.api import declared
from predicat.deploy.rows import on_postgres
from predicat.semantics.evaluate import compile_node
from tests.rounds import rounds

FIELDS = declared({"a": "double", "b": "double", "w": "float", "q": "int", "n": "bigint"})
DOUBLES = [0.0, -0.0, 0.3, 1.0, -3.0, 4.0, 1e-150, -9e-151, 1e150, -1.1e150, 1e-308, 5e-324, -5e-324, 1e-277,
           1e268, -1e290, 1e308, 1.7976931348623157e308, -1.7e308, math.inf, -math.inf, math.nan,
           None]  # fmt: skip
FLOATS = [0.0, -0.0, 1.0, -3.0, 0.5, 1.401298464324817e-45, -(2.0**-126), 2.0**127, math.inf, -math.inf,
          math.nan, None]  # fmt: skip
INTEGERS = [0, 1, -1, 3, 2**31 - 1, -(2**31), None]
LIMITS = ("3", "-3", "1e-50", "-1e50", "0.1", "0", "1e200")
SIGNS = {"sql": (">", ">=", "<", "<=", "=", "<>"), "cel": (">", ">=", "<", "<=", "==", "!=")}
ROWS = [
    *({"a": a, "b": b} for a, b in itertools.product(DOUBLES, repeat=2)),
    *({"a": a, "w": w} for a, w in itertools.product(DOUBLES, FLOATS)),
    *({"a": a, "q": q, "n": q} for a, q in itertools.product(DOUBLES, INTEGERS)),
    *({"a": a, "n": n} for a in DOUBLES for n in (2**63 - 1, -(2**63), 2**53 + 1)),
]


@pytest.mark.parametrize(
    "calculation", ["a * b", "a * w", "w * a", "a / w", "a * q", "a / q", "n * a", "a / n", "a / b"]
)
@pytest.mark.parametrize("language", SIGNS)
def test_the_same_as_in_the_evaluator(calculation: str, language: str, postgres: Any) -> None:
    if language == "cel":
        calculation = calculation.replace("q", "double(q)").replace("n", "double(n)")
    limits = [f"{float(limit)}" if language == "cel" else limit for limit in LIMITS]
    texts = [f"{calculation} {sign} {limit}" for sign in SIGNS[language] for limit in limits]
    texts += [f"{limit} {sign} {calculation}" for sign in SIGNS[language][:2] for limit in limits[:2]]
    nodes = [predicat.parse(text, language, FIELDS).node for text in texts]
    dialect = backends.dialect("postgres")
    exact = on_postgres(postgres, list(FIELDS.values()), ROWS, [dialect.render(node) for node in nodes])
    where = [dialect.render(node, condition=True) for node in nodes]
    kept = on_postgres(postgres, list(FIELDS.values()), ROWS, where)
    for text, node, values, rows in rounds(zip(texts, nodes, exact, kept, strict=True), 1):
        run = compile_node(node)
        wanted = [run(row) for row in ROWS]
        wrong = [
            (row, got, want) for row, got, want in zip(ROWS, values, wanted, strict=True) if got is not want
        ]
        assert not wrong, f"{text}\n{dialect.render(node)}\n{wrong[:3]}"
        assert [got is True for got in rows] == [want is True for want in wanted], text


@pytest.mark.parametrize("text", ["a * b > 3", "a * w > 3", "a / q > 3", "a * n > 3", "a / w = 3"])
@pytest.mark.parametrize("kind", ["float8", "real", "numeric", "int", "numeric(10, 2)"])
def test_columns_of_other_types(text: str, kind: str, postgres: Any) -> None:
    """A column may be narrower than its field, or a decimal."""
    sql = backends.dialect("postgres").render(predicat.parse(text, "sql", FIELDS).node)
    values = " UNION ALL ".join(f"SELECT {value} AS v" for value in (0, 1, -2, 7, "NULL"))
    columns = ", ".join(f"{name}.v::{kind} AS {name}" for name in "ab")
    found = postgres.execute(
        f"SELECT a, b, ({sql}) FROM (SELECT {columns}, b.v::real AS w, b.v::int AS q, b.v::bigint AS n "
        f"FROM ({values}) AS a, ({values}) AS b) AS t"
    ).fetchall()
    run = compile_node(predicat.parse(text, "sql", FIELDS).node)
    for a, b, got in rounds(found, 25):
        row = {
            name: None if value is None else float(value) for name, value in (("a", a), ("b", b), ("w", b))
        }
        whole = None if b is None else int(b)
        assert got is run({**row, "q": whole, "n": whole}), (a, b)
