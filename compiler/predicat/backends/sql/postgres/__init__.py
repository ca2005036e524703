"""PostgreSQL (12 and later). It has no TRY_ functions, so guards are part of the expression."""

from sqlglot import exp

from predicat.backends.sql.builders import binary, call
from predicat.backends.sql.common import COMMON
from predicat.backends.sql.common.documents import ROWS
from predicat.backends.sql.dialect import Dialect
from predicat.backends.sql.escapes import with_escapes
from predicat.backends.sql.postgres import (
    calendar,
    collections,
    conversions,
    documents,
    index_use,
    indexes,
    numbers,
    quantifiers,
    runtime,
    texts,
    times,
    value_lists,
)
from predicat.backends.sql.renderer import let
from predicat.backends.sql.rules import Documents
from predicat.backends.sql.writing import Spelling
from predicat.ir.operators import ORDERED

POSTGRES = Dialect(
    name="postgres",
    sqlglot="postgres",
    chooses_floats=True,
    spelling=Spelling(
        constants=(
            (exp.DType.DATE, "DATE"),
            (exp.DType.TIMESTAMPTZ, "TIMESTAMPTZ"),
            (exp.DType.DOUBLE, "FLOAT8"),
            (exp.DType.INTERVAL, "INTERVAL"),
        ),
        colons=True,
    ),
    types=collections.TYPES,
    quantifier=quantifiers.quantifier,
    collated=texts.collated,
    in_array=collections.in_array,
    exists=quantifiers.exists,
    let_compared=let,
    documents=Documents(
        value=documents.value,
        text=documents.text_of,
        kind=lambda r, node: call("JSONB_TYPEOF", r.document(node)),
        null="null",
        has_nan=False,
        is_kind=lambda name, kind: binary(exp.EQ, name, kind),
        equals=documents.equals,
        scalar=documents.scalar,
        tests_keys=True,
    ),
    bind=numbers.bind,
    not_nan=numbers.not_nan,
    not_json_null=documents.not_null,
    timestamp=times.timestamp,
    supports_nul=False,
    case_sensitive_columns=True,
    postprocess=with_escapes(of_backslashes=True),
    rows={
        **value_lists.ROWS,
        **ROWS,
        "in": collections.in_array_where,
        "json_equals": documents.equals_where,
        "or": documents.called_text,
        **{op: documents.condition(op) for op in ORDERED},
    },
    served=indexes.served,
    index_of=index_use.index_of,
    runtime=runtime.RUNTIME,
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
