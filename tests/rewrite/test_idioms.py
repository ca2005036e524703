"""Idioms: shorter SQL with the same outcome on every row."""

from typing import Any

import pytest

import predicat
from predicat.diagnostics import NOWHERE
from predicat.forms.json_values import as_text, document_of
from predicat.forms.text_casts import of_text, text_of
from predicat.ir.nodes import UNKNOWN, Call, Field, Literal, Variable, walk
from predicat.ir.surface import CONVERSIONS
from predicat.ir.types import JSON, STRING, Type
from predicat.rewrite.idioms import idiomatic, nullif
from predicat.semantics.evaluate import compile_node

VALUES: tuple[Any, ...] = (
    *(1.5, 2, -1, 0, -0.0, 1, 1e3, 1e300, 2**63, -(2**63), 20240101, True, False, None, [1], {"a": 1}),
    *("2", " 2 ", "1.5", "x", "", "-0", "t", "true", "yes", "0", "NaN", "1e3", "9223372036854775808"),
    *("2020-02-02", "2024-02-02", "2024-02-02 10:00", "2024-02-02T10:00:00Z"),
)
WHOLE = (None, 0, 1, -1, 2, 7, 2**63 - 1, -(2**63))


@pytest.mark.parametrize(
    "sql",
    [
        "(j ->> 'x')::int > 1",
        "(j ->> 'x')::bigint > 1",
        "(j ->> 'x')::date > '2024-01-01'",
        "(j ->> 'x')::timestamptz > '2024-01-01'",
        "(j ->> 'x')::boolean",
        "NOT (j ->> 'x')::boolean",
        "n / NULLIF(m, 0) > 1",
        "n % NULLIF(m, 0) = 0",
        "d / NULLIF(m, 0) > 0.5",
        "EXTRACT(DOW FROM ts) + 1 IN (1, 7)",
    ],
)
def test_same_outcome(sql: str) -> None:
    fields = {"j": "json", "n": "bigint", "m": "bigint", "d": "double", "ts": "timestamp"}
    node = predicat.parse(sql, language="postgres", fields=fields).node
    shorter = idiomatic(node)
    assert shorter != node
    before, after = compile_node(node), compile_node(shorter)
    rows: list[dict[str, Any]] = [{"j": {"x": value}} for value in VALUES]
    rows += [{"n": n, "d": n and n / 4, "m": m} for n in WHOLE for m in WHOLE]
    rows += [{"ts": f"2024-01-{day:02}T00:00:00Z"} for day in range(1, 15)]
    outcomes = [before(row) for row in rows]
    assert {True, False} <= set(outcomes)
    assert outcomes == [after(row) for row in rows]


@pytest.mark.parametrize("sql", ["n + 1 IN (1, 7)", "n / NULLIF(m, 1) > 1", "n + 9223372036854775807 IN (1)"])
def test_other_outcome(sql: str) -> None:
    node = predicat.parse(sql, language="postgres", fields={"n": "bigint", "m": "bigint"}).node
    assert idiomatic(node) is node


@pytest.mark.parametrize("sql", ["NULLIF(n, 0) = 1", "d / NULLIF(m, 0) > 1", "NULLIF(n, m) = 1"])
def test_the_values_of_nullif(sql: str) -> None:
    node = predicat.parse(sql, language="sql", fields={"n": "bigint", "m": "bigint", "d": "double"}).node
    found = {pair for part in walk(node) if (pair := nullif(part)) is not None}
    ((value, other),) = found
    assert isinstance(value, Field)
    assert isinstance(other, Field | Literal)


@pytest.mark.parametrize("kind", [*CONVERSIONS])
def test_the_text_of_a_cast_is_found(kind: Type) -> None:
    """Also the document whose text it is; not where the cast is a part of something else."""
    document = Variable(JSON, "j")
    text = as_text(document, NOWHERE)
    cast = of_text(text, kind, NOWHERE)
    assert isinstance(cast, Call)
    found = text_of(cast)
    assert found is not None
    assert found == text
    assert document_of(found) == document
    assert text_of(Call(kind, "cond", (UNKNOWN, cast, cast))) is None
    assert document_of(Call(STRING, "coalesce", (Call(STRING, "json_string", (document,)), text))) is None
