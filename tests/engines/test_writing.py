"""The casts whose text is written here are those that sqlglot writes for Spark."""

from __future__ import annotations

import pytest
from sqlglot import exp, parse_one

from predicat.backends.sql.base import cast, number_literal, string_literal, try_cast
from predicat.backends.sql.spark import SPARK

KINDS = [
    "STRING",
    "BINARY",
    "BOOLEAN",
    "INT",
    "BIGINT",
    "DOUBLE",
    "DATE",
    "TIMESTAMPTZ",
    "TIMESTAMP_NTZ",
    "DECIMAL(13)",
    "DECIMAL(37, 9)",
    "ARRAY<VARIANT>",
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "value",
    [string_literal("a"), number_literal(-1), exp.Null(), exp.column("x"), cast(exp.column("x"), "STRING")],
)
def test_casts_are_as_sqlglot_writes_them(kind: str, value: exp.Expr) -> None:
    for sql in (cast(value, kind), try_cast(value, kind)):
        assert SPARK.text(sql) == sql.sql("spark")


def test_a_cast_that_is_not_safe_stays_one() -> None:
    assert SPARK.text(parse_one("CAST(x AS STRING)", dialect="spark")) == "CAST(x AS STRING)"
