"""DuckDB (1.3 and later). TRY turns errors into NULL; its regular expressions are RE2."""

from __future__ import annotations

from datetime import datetime

from predicat.backends.sql.builders import Sql, call, cast, not_
from predicat.backends.sql.common import COMMON
from predicat.backends.sql.common.comparisons import nan_where
from predicat.backends.sql.common.documents import ROWS
from predicat.backends.sql.dialect import Dialect
from predicat.backends.sql.duckdb import calendar, collections, conversions, documents, numbers, texts, times
from predicat.backends.sql.escapes import with_escapes
from predicat.backends.sql.rules import Documents
from predicat.backends.sql.writing import Spelling
from predicat.ir.types import BIGINT, BOOLEAN, DATE, DOUBLE, DURATION, JSON, STRING, TIMESTAMP


def _timestamp(value: datetime) -> Sql:
    return cast(value.replace(tzinfo=None).isoformat() + "Z", "TIMESTAMPTZ")


DUCKDB = Dialect(
    name="duckdb",
    sqlglot="duckdb",
    rows={**ROWS, "in": collections.holds_item, "ne": nan_where},
    byte_length_function="STRLEN",
    postprocess=with_escapes(of_backslashes=False),
    types={
        STRING: "TEXT",
        BIGINT: "BIGINT",
        DOUBLE: "DOUBLE",
        BOOLEAN: "BOOLEAN",
        TIMESTAMP: "TIMESTAMPTZ",
        DATE: "DATE",
        DURATION: "BIGINT",
        JSON: "JSON",
    },
    quantifier=collections.quantifier,
    in_array=collections.in_array,
    exists=collections.exists,
    let_compared=lambda _r, value, body: body(value),
    documents=Documents(
        value=documents.json_value,
        text=documents.text_of,
        kind=lambda r, node: documents.pathed(r, "JSON_TYPE", node),
        null="NULL",
        has_nan=True,
        is_kind=documents.is_kind_name,
        equals=documents.json_equals,
        scalar=documents.json_scalar,
    ),
    bind=collections.bind,
    item_at=collections.item_at,
    spelling=Spelling(exponents=True),
    max_lambda_depth=10,
    not_nan=lambda sql: not_(call("ISNAN", sql)),
    not_json_null=documents.not_json_null,
    timestamp=_timestamp,
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
