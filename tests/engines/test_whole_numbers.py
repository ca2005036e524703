"""A whole number beside a constant that is a double: every comparison, on DuckDB, against the evaluator."""

import duckdb
import pytest

from predicat import backends
from predicat.ir.nodes import Call, Field, FieldDecl, Literal
from predicat.ir.operators import COMPARISONS
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE
from predicat.semantics.evaluate import compile_node

CONSTANTS = [
    1.5,
    -1.5,
    2.0,
    0.0,
    -0.0,
    0.5,
    1e19,
    -1e19,
    float(2**53),
    float(2**53) + 2,
    2**53 - 0.5,
    float("inf"),
    float("nan"),
]
VALUES = [0, 1, 2, 3, -1, -2, -3, 2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2, 2**63 - 1, -(2**63), None]


@pytest.mark.parametrize("constant", CONSTANTS)
def test_comparisons_with_a_double(constant: float) -> None:
    field = Field(BIGINT, FieldDecl("a", BIGINT))
    literal = Literal(DOUBLE, constant)
    nodes = [Call(BOOLEAN, op, pair) for op in COMPARISONS for pair in ((field, literal), (literal, field))]
    sql = ", ".join(backends.dialect("duckdb").render(node) for node in nodes)
    rows = ", ".join(
        f"({place}, {'NULL' if value is None else f'CAST({value}::HUGEINT AS BIGINT)'})"
        for place, value in enumerate(VALUES)
    )
    with duckdb.connect() as engine:
        found = engine.execute(f"SELECT {sql} FROM (VALUES {rows}) v(place, a) ORDER BY place").fetchall()
    assert found == [tuple(compile_node(node)({"a": value}) for node in nodes) for value in VALUES]
