"""The arguments of SQL's JSON functions."""

from __future__ import annotations

from predicat.check import json_constants
from predicat.check.overloads import OverloadResolver
from predicat.diagnostics import Span
from predicat.diagnostics.messages import sql_functions as say
from predicat.diagnostics.messages import sql_json
from predicat.forms.conversions import underlying
from predicat.ir.nodes import Call, Literal, Node
from predicat.ir.types import JSON, NULL, STRING


def document(check: OverloadResolver, _op: str, args: list[Node], span: Span) -> Node:
    """A JSON value, or a string parsed as JSON."""
    value = underlying(args[0])
    if value.type == STRING:
        return Call(JSON, "parse_json", (value,), span)
    if value.type == NULL:
        return Literal(JSON, None, span)
    if value.type != JSON:
        raise check.fail(
            say.no_json(args[0].span, str(args[0].type), span.text.partition("(")[0].strip().lower())
        )
    return args[0]


def subject(check: OverloadResolver, _op: str, args: list[Node], span: Span) -> Node:
    """The left operand of a JSON operator: JSON, a map or an array. Raises Stop for a string."""
    value = underlying(args[0])
    if value.type == STRING:
        raise check.fail(say.text_as_json(args[0].span, span.text))
    return args[0]


def unparenthesised(check: OverloadResolver, _op: str, args: list[Node], span: Span) -> Node:
    """`->` before an operator, which binds more closely in DuckDB. Raises Stop: it is an error there."""
    if check.rules.json_scalars:
        raise check.fail(sql_json.unparenthesised(span, json_constants.spelled(underlying(args[0]))))
    return args[0]


def parsed_subject(_check: OverloadResolver, _op: str, args: list[Node], span: Span) -> Node:
    """The left operand of a JSON operator, in a language that parses strings as JSON."""
    value = underlying(args[0])
    return Call(JSON, "parse_json", (value,), span) if value.type == STRING else args[0]
