"""SQL functions that look up members of JSON values, as trees of operators.

The JSON value is a field of type json, or a string. Sources: Spark SQL, "Built-in Functions", JSON
functions; PostgreSQL, "JSON Functions and Operators".
"""

from __future__ import annotations

import re

from sqlglot import exp

from predicat.diagnostics import Span
from predicat.diagnostics.messages import sql_functions as say
from predicat.diagnostics.messages.sql import place_from_the_end
from predicat.ir import syntax as t
from predicat.language.common.trees import all_of, any_of, apply, choose, each, let, number, text
from predicat.language.sql import constants, documents, times
from predicat.language.sql.arguments import counted
from predicat.language.sql.casts import converted
from predicat.language.sql.node_reader import Build, Reader

_VALUE = "a value"
_MOST_STEPS = 20
# The most keys of a path that looks into arrays: each doubles the condition.
_MOST_LAX = 4
_STEP = re.compile(r"""\.([A-Za-z_][A-Za-z_0-9]*)|\[([0-9]{1,9})\]|\['([^'\\]*)'\]|\["([^"\\]*)"\]""")


def at_path(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """GET_JSON_OBJECT(j, '$.a[0]'): the value at a path, as a string."""
    span = reader.span(node)
    if isinstance(node.args.get("expression"), exp.JSONPath):
        value, keys = reader.read(node.this, depth), _of_nodes(reader, node, node.expression)
    else:
        value, path = reader.all(counted(reader, node, 2), depth)
        keys = _steps(reader, constants.text(reader, path, reader.called_name(node)), path.span)
    return _looked_up(value, keys, span)


def json_at_path(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """JSON_EXTRACT(j, '$.a'): the JSON value at a path. Raises Stop for arrows, which have the same node."""
    path = node.args.get("expression")
    if reader.called_name(node) != "json_extract" or not isinstance(path, exp.JSONPath):
        raise reader.fail(reader.unsupported(node))
    return _value_at(reader.read(node.this, depth), _of_nodes(reader, node, path), reader.span(node))


def json_at_colon(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`j:a.b[0]`: the JSON value at a path."""
    if not node.args.get("variant_extract"):
        return json_at_path(reader, node, depth)
    steps = _of_nodes(reader, node, node.expression)
    if not steps:
        raise reader.fail(say.json_path(reader.span(node)))
    return _value_at(reader.read(node.this, depth), steps, reader.span(node))


def typed_at_path(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """VARIANT_GET(j, '$.a', 'int'): the value at a path, cast to a type."""
    value, path, *kind = reader.all(counted(reader, node, 2, 3), depth)
    name, span = reader.called_name(node), reader.span(node)
    tree = _value_at(value, _steps(reader, constants.text(reader, path, name), path.span), span)
    if not kind:
        return tree
    word = constants.text(reader, kind[0], name).lower()
    if word not in _TYPES:
        raise reader.fail(say.type_of_variant(kind[0].span, word, _TYPES))
    if word == "string":
        return apply("json_text", span, tree)
    bits = _TYPES[word]
    if bits is None:
        return converted(reader, tree, word, span)
    return times.in_range(converted(reader, tree, "bigint", span), bits, span)


# The result types of VARIANT_GET, and the bits of integers.
_TYPES = {
    **dict.fromkeys(("string", "boolean", "double", "date", "timestamp")),
    "tinyint": 8,
    "smallint": 16,
    "int": 32,
    "integer": 32,
    "bigint": 64,
    "long": 64,
}


def value_at_keys(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """JSONB_EXTRACT_PATH(j, 'a', '0'): the member under keys; digits may be an index."""
    value, *keys = reader.all(counted(reader, node, *range(2, _MOST_STEPS)), depth)
    name, span = reader.called_name(node), reader.span(node)
    tree: t.Tree = apply("sql.json", span, value)
    for key in keys:
        word = constants.text(reader, key, name)
        if word.startswith("-"):
            raise reader.fail(place_from_the_end(key.span))
        tree = documents.below(tree, word, span)
    return tree


def at_keys(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """JSONB_EXTRACT_PATH_TEXT(j, 'a', '0'): the same as a string."""
    return apply("json_text", reader.span(node), value_at_keys(reader, node, depth))


def parsed(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """PARSE_JSON(s): the JSON value in a string; NULL instead of an error if the string is not JSON."""
    (value,) = reader.all(counted(reader, node, 1), depth)
    return apply("sql.json", reader.span(node), value)


def length_or(other: int | None) -> Build:
    """JSON_ARRAY_LENGTH: another number, or NULL, if the value is not an array; NULL if there is none. The
    one with another number may have a path.
    """

    def build(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        span = reader.span(node)
        array, *path = reader.all(counted(reader, node, *((1,) if other is None else (1, 2))), depth)
        nothing = t.Constant(None, span)

        def of(value: t.Tree) -> t.Tree:
            is_array = apply("json_is", span, value, text("array", span))
            rest: t.Tree = nothing
            if other is not None:
                is_array = apply("is_true", span, is_array)  # JSON null is a value of no kind
                rest = choose(apply("is_null", span, value), nothing, number(other, span), span)
            return choose(is_array, apply("size", span, value), rest, span)

        steps = [
            step
            for one in path
            for step in _steps(reader, constants.text(reader, one, reader.called_name(node)), one.span)
        ]
        return let(_VALUE, _value_at(array, steps, span), of, span)

    return build


_ARROWS = (exp.JSONExtract, exp.JSONExtractScalar, exp.JSONBExtract, exp.JSONBExtractScalar)


def arrow_as_lambda(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`f(j -> 'key')`, whose arrow sqlglot parses as a lambda, with the arrows that follow as its body."""
    if isinstance(node.this, _ARROWS):
        body = node.this.copy()
        first = body
        while isinstance(first, _ARROWS):
            first = first.this
        first.replace(exp.Lambda(this=first.copy(), expressions=node.expressions))
        return reader.read(body, depth)
    if len(node.expressions) != 1 or not isinstance(node.this, exp.Literal):
        raise reader.fail(reader.unsupported(node))
    span = reader.span(node)
    base: t.Tree = t.Name(node.expressions[0].name, reader.span(node.expressions[0]))
    key = reader.read(node.this, depth)
    if isinstance(key, t.Constant) and isinstance(key.value, str) and reader.language.reads_texts:
        if key.value.startswith(documents.PATHS):
            return _value_at(base, _steps(reader, key.value, key.span), span)
        base = apply("sql.parsed_subject", span, base)
    return apply("bracket", span, base, key)


def _looked_up(value: t.Tree, keys: list[t.Tree], span: Span) -> t.Tree:
    """The member under keys, as a string."""
    return apply("json_text", span, _value_at(value, keys, span))


def has_path(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """DuckDB's JSON_EXISTS(j, '$.a.b'): whether objects have the keys of a path, whatever the value."""
    value, path = reader.all(counted(reader, node, 2), depth)
    span = reader.span(node)
    *keys, last = _steps(reader, constants.text(reader, path, "json_exists"), path.span)
    if not isinstance(last, t.Constant) or not isinstance(last.value, str):
        raise reader.fail(say.json_path(path.span))
    return documents.unless_absent((value,), _has_key(_value_at(value, keys, span), last, span), span)


def has_lax_path(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """PostgreSQL's `j @? '$.a.b'`: whether objects have the keys of a path, each one also in the elements of
    an array (lax mode).
    """
    value, path = reader.all(counted(reader, node, 2), depth)
    span = reader.span(node)
    written = constants.text(reader, path, "jsonb_path_exists")
    keys = _steps(reader, written, path.span)
    if "[" in written or len(keys) > _MOST_LAX:
        raise reader.fail(say.json_path(path.span))

    def found(base: t.Tree, place: int) -> t.Tree:
        def here(part: t.Tree) -> t.Tree:
            key = keys[place]
            if place == len(keys) - 1:
                return _has_key(part, key, span)
            return found(apply("bracket", span, part, key), place + 1)

        inside = each("any", f"element {place}", base, here, span)
        return any_of([here(base), apply("is_true", span, inside)], span)

    return documents.unless_absent((value,), found(apply("sql.json", span, value), 0), span)


def _has_key(base: t.Tree, key: t.Tree, span: Span) -> t.Tree:
    """Whether a value is an object with a key. Never UNKNOWN."""
    is_object = apply("eq", span, apply("jsonb.kind", span, base), text("object", span))
    held = all_of([is_object, apply("jsonb.has_key", span, base, key)], span)
    return apply("is_true", span, held)


def _value_at(value: t.Tree, keys: list[t.Tree], span: Span) -> t.Tree:
    tree: t.Tree = apply("sql.json", span, value)
    for key in keys:
        tree = apply("bracket", span, tree, key)
    return tree


def _steps(reader: Reader, path: str, span: Span) -> list[t.Tree]:
    """The keys and indexes of a path string. Raises Stop if it is not supported."""
    at, steps = 1, list[t.Tree]()
    while (
        path.startswith("$")
        and at < len(path)
        and (step := _STEP.match(path, at))
        and len(steps) < _MOST_STEPS
    ):
        key, place, *quoted = step.groups()
        name = key or next((one for one in quoted if one is not None), "")
        steps.append(number(int(place), span) if place is not None else text(name, span))
        at = step.end()
    if not steps or at < len(path):
        raise reader.fail(say.json_path(span))
    return steps


def _of_nodes(reader: Reader, node: exp.Expr, path: exp.Expr) -> list[t.Tree]:
    """The keys and indexes of a path that sqlglot has parsed. Raises Stop if it is not supported."""
    span = reader.span(node)
    steps: list[t.Tree] = []
    for step in path.expressions[1:]:
        known = isinstance(step, exp.JSONPathKey | exp.JSONPathSubscript)
        if not known or not isinstance(step.this, str | int) or len(steps) >= _MOST_STEPS:
            raise reader.fail(say.json_path(span))
        steps.append(t.Constant(step.this, span))
    return steps


_ONE_PATH = frozenset({"this", "expression", "only_json_types"})
# The functions by name.
RULES: dict[type[exp.Expr] | str, tuple[frozenset[str] | None, Build]] = {
    exp.JSONExtract: (_ONE_PATH, json_at_path),
    "get_json_object": (None, at_path),
    "parse_json": (None, parsed),
    "try_parse_json": (None, parsed),
    "json_value": (None, at_path),
    "jsonb_extract_path_text": (None, at_keys),
    "json_array_length": (None, length_or(None)),
    "jsonb_array_length": (None, length_or(None)),
}
# Functions that are hidden from sqlglot's parser, as its nodes would lose arguments.
AS_WRITTEN: dict[str, Build] = {"json_extract_path_text": at_keys}
