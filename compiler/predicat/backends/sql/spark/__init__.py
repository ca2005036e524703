"""Spark SQL (4.0 and later, ANSI mode on or off)."""

from __future__ import annotations

from datetime import datetime

from sqlglot import exp

from predicat.backends.sql.builders import call, cast, not_
from predicat.backends.sql.common import COMMON
from predicat.backends.sql.common.comparisons import nan_where
from predicat.backends.sql.common.documents import ROWS
from predicat.backends.sql.dialect import Dialect
from predicat.backends.sql.rules import Documents
from predicat.backends.sql.spark import (
    calendar,
    collections,
    conversions,
    documents,
    numbers,
    runtime,
    texts,
    times,
)
from predicat.backends.sql.writing import Spelling
from predicat.ir.types import BIGINT, BOOLEAN, DATE, DOUBLE, DURATION, STRING, TIMESTAMP


def _without_variables(sql: str) -> str:
    """SQL with each `${` escaped: Spark substitutes variables (`${name}`) even inside quotes. It occurs in
    string literals only, because `DialectRules.identifier` refuses names with a variable.
    """
    return sql.replace("${", "\\u0024{")


def _zulu(value: datetime) -> str:
    return value.replace(tzinfo=None).isoformat() + "Z"


SPARK = Dialect(
    name="spark",
    sqlglot="spark",
    spelling=Spelling(
        constants=((exp.DType.DATE, "DATE"), (exp.DType.TIMESTAMPTZ, "TIMESTAMP")),
        plain_casts=True,
        numbered=False,
        times_as_texts=True,
        backslashes=True,
        variables=True,
    ),
    postprocess=_without_variables,
    runtime=runtime.RUNTIME,
    byte_length_function="OCTET_LENGTH",
    types={
        STRING: "STRING",
        BIGINT: "BIGINT",
        DOUBLE: "DOUBLE",
        BOOLEAN: "BOOLEAN",
        TIMESTAMP: "TIMESTAMPTZ",
        DATE: "DATE",
        DURATION: "BIGINT",
    },
    quantifier=collections.quantifier,
    in_array=collections.in_array,
    let_compared=lambda _r, value, body: body(value),
    documents=Documents(
        value=documents.json_value,
        text=lambda r, node: documents.json_value(r, node, "string"),
        kind=lambda r, node: call("SCHEMA_OF_VARIANT", documents.json_value(r, node)),
        null="VOID",
        has_nan=True,
        is_kind=documents.is_kind_name,
        equals=documents.json_equals,
        scalar=documents.json_scalar,
    ),
    rows={**ROWS, "ne": nan_where},
    bind=collections.bind,
    max_lambda_depth=14,
    not_nan=lambda sql: not_(call("ISNAN", sql)),
    not_json_null=documents.not_json_null,
    timestamp=lambda value: cast(_zulu(value), "TIMESTAMPTZ"),
    table={
        **COMMON,
        **numbers.RULES,
        **texts.RULES,
        **conversions.RULES,
        **times.RULES,
        **calendar.RULES,
        **collections.RULES,
        **documents.RULES,
    },
)
