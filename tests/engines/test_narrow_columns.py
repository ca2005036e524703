"""Columns may be narrower than the catalog declares: integers and floats of 32 bits, varchar. The answers
are the same.
"""

import itertools
from typing import Any

import pytest

import predicat
import predicat.deploy.rows
import predicat_spark.rows
from predicat.api import declared
from predicat.ir.types import Type
from tests.engines.rows import Tables
from tests.engines.test_generated import check_batch

FIELDS = {
    "a": "bigint",
    "b": "bigint",
    "d": "double",
    "e": "double",
    "s": "string",
    "xs": "array<bigint>",
    "ds": "array<double>",
    "m": "map<string, bigint>",
    "st": "struct<x: bigint, y: double>",
    "ast": "array<struct<x: bigint>>",
}
NARROW = {
    "postgres": {"bigint": "integer", "double precision": "real", "text": "varchar(200)"},
    "duckdb": {"bigint": "integer", "double": "real", "varchar": "varchar(200)"},
    "spark": {"bigint": "int", "double": "float"},
}
EXPRESSIONS = [
    *(f"a {sign} b {relation} 3000000000" for sign in "+-*" for relation in (">", "<")),
    "a / b == 2147483648",
    "a % b == 0",
    "-a == 2147483648",
    "a + 1 > 2147483647",
    "a - 1 < -2147483648",
    "a * a * a > 0",
    "a == 3000000000",
    "(a > 0 ? a : b) + a > 2147483647",
    "size(s) * a > 4000000000",
    "xs[0] + a > 3000000000",
    "xs.exists(x, x * a > 3000000000)",
    "xs.map(x, x + a) == [a + 2147483647]",
    "{s: a}[s] + a > 3000000000",
    "double(a) * 2.0 > 3e9",
    "st.x + a > 3000000000",
    "st.x * st.x > 3000000000",
    "st.y * d > 1e70",
    "-st.x == 2147483648",
    "m.k + a > 3000000000",
    "m.k * m.k * m.k > 0",
    "ds[0] * 2.0 > 1e38 && ds[0] * 4.0 > 1e39",
    "ds.exists(x, x == 0.1)",
    "0.1 in ds",
    "0.5 in ds",
    "a in xs",
    "3000000000 in xs",
    "st.x in xs",
    "ast.exists(q, q.x * a > 3000000000)",
    "ast.map(q, q.x)[0] + a > 3000000000",
    "(xs + [a])[1] * 3 > 3000000000",
    "xs.filter(x, x > 0)[0] * 3 > 3000000000",
    "[st.x, a][0] + a > 3000000000",
    "(a > 0 ? st.x : m.k) + a > 3000000000",
    "int(st.y) + a > 2147483647",
    "d * e > 1e70 && d * e < 1e90",
    "d + 0.1 == e",
    "d / 3.0 == e / 3.0",
    "-d < e",
    "int(d) + a > 2147483647",
    "d == 0.1",
    "[d, 0.5].exists(x, x * e < 1e90)",
]


@pytest.fixture
def narrow_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    for engine, module, name in (
        ("postgres", predicat.deploy.rows, "postgres_type"),
        ("duckdb", predicat.deploy.rows, "duckdb_type"),
        ("spark", predicat_spark.rows, "_type"),
    ):
        wide = getattr(module, name)

        def narrow(kind: Type, *more: Any, engine: str = engine, wide: Any = wide) -> str:
            found = str(wide(kind, *more))
            return NARROW[engine].get(found, found)

        monkeypatch.setattr(module, name, narrow)


@pytest.mark.usefixtures("narrow_columns")
def test_arithmetic_is_as_wide_as_the_declared_types(spark: Any, postgres: Any) -> None:
    whole, double = (-(2**31), 2**31 - 1, -1, 46_341, None), (0.5, -(2.0**127), 2.0**127, float("nan"), None)
    pairs = zip(itertools.product(whole, whole), itertools.product(double, double), strict=True)
    rows = [
        {
            "a": a,
            "b": b,
            "d": d,
            "e": e,
            "s": "abc",
            "xs": [2**31 - 1],
            "ds": [d, 0.5],
            "m": {"k": b},
            "st": {"x": a, "y": e},
            "ast": [{"x": b}],
        }
        for (a, b), (d, e) in pairs
    ]
    nodes = [predicat.parse(text, "cel", FIELDS).node for text in EXPRESSIONS]
    check_batch(nodes, Tables(spark, postgres, declared(FIELDS), rows))
