"""Messages about JSON values in the languages of engines that have a type for them. See the package.

`text` is the look-up of a JSON value with `->>`, where the author wrote `->`.
"""

from __future__ import annotations

import json
import re

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.message import NotInFilter
from predicat.diagnostics.source import Span

nested = NotInFilter[int]("""a JSON constant with more than {most} levels
    hint: compare its members one by one""")
order_of_documents = NotInFilter[()]("""the order of JSON arrays, objects and null
    hint: compare a number or a string: doc -> 'n' > '5', or (doc ->> 'n')::numeric > m""")
compared_as_text = NotInFilter[str]("""a comparison of JSON by its text
    hint: write CAST({text} AS DOUBLE) > 3 for a number, or compare the members of an array or an object""")
beside_string = NotInFilter[str]("""a JSON value beside JSON or a computed string, which DuckDB parses,
    hint: compare the text: ({text}) = name""")
beside_decimal = NotInFilter[str]("""a JSON value beside a decimal, to whose digits DuckDB rounds it,
    hint: write ({text})::DOUBLE > 2.5""")
unparenthesised = NotInFilter[str]("""-> before an operator, which DuckDB applies to the key,
    hint: write it in parentheses: ({arrow})""")
text_of_nested = NotInFilter[()]("""the text of a JSON array or object, which engines write with other spaces,
    hint: compare its members""")
in_documents = NotInFilter[()]("""IN without a list of JSON constants
    hint: write doc -> 'a' IN ('1', '2'), or doc -> 'a' <@ '[1, 2]'""")
constant_wanted = NotInFilter[()]("""@> or <@ without a constant
    hint: write doc @> '{{"a": 1}}', or compare the members one by one""")
key_wanted = NotInFilter[()]("""? with a value that is no string
    hint: write doc ? 'key'""")

# The cast of `->>` to each type; none for a string.
_CASTS = {
    "double": "numeric",
    "bigint": "numeric",
    "boolean": "boolean",
    "date": "date",
    "timestamp": "timestamptz",
}


def no_json(span: Span, constant: str, text: str | None) -> Diagnostic:
    hint = f"write {_literal(json.dumps(constant, ensure_ascii=False))} for a JSON string"
    if text is not None and "->>" in text:
        hint += f", or compare the text: {text} = {_literal(constant)}"
    return Diagnostic(
        "bad-constant", f"a constant beside a JSON value is JSON, and {constant!r} is not", span, hint
    )


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def typed_beside_json(span: Span, document: str, text: str, other: str, kind: object) -> Diagnostic:
    if str(kind) == "string":
        hint = f"compare the text: {text} = {other}"
    elif re.fullmatch(r"[-+.0-9eE]+|true|false", other, re.IGNORECASE):
        cast = _CASTS.get(str(kind), "numeric")
        hint = f"write {document} = '{other}' for JSON, or ({text})::{cast} = {other} for its value"
    else:
        hint = f"write ({text})::{_CASTS.get(str(kind), 'numeric')} for its value"
    return Diagnostic("not-comparable", f"a JSON value is not comparable with a {kind}", span, hint)


def typed_beside_text(span: Span, text: str, kind: object) -> Diagnostic:
    return Diagnostic(
        "not-comparable",
        f"->> is a string, which is not comparable with a {kind}",
        span,
        f"write ({text})::{_CASTS.get(str(kind), 'numeric')} for its value, or compare it with a string",
    )


def text_of_document(span: Span, document: str, text: str) -> Diagnostic:
    other = f", or {text} for its text" if "->>" in text else ""
    return msg.unsupported_syntax(
        span,
        "the text of a JSON value, which engines write differently,",
        f"write {document} = '{{}}' to compare with JSON{other}",
    )


def document_as(span: Span, text: str, kind: object, number: str = "numeric") -> Diagnostic:
    written = text if "->>" in text else "doc ->> 'a'"
    cast = _CASTS.get(str(kind))
    hint = f"write ({written})::{number if cast == 'numeric' else cast}" if cast else f"write {written}"
    return Diagnostic("type-mismatch", f"a JSON value is no {kind}", span, hint)
