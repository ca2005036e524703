"""PostgreSQL's operators for JSON and arrays.

`->`, `->>`, `#>`, `#>>` look up a member; `@>`, `<@`, `?`, `?|`, `?&` and `&&` test what a value contains.
JSON null counts as NULL. Source: PostgreSQL documentation, JSON functions and operators; array operators.
"""

from __future__ import annotations

import re

from sqlglot import exp

from predicat.diagnostics import Span
from predicat.diagnostics.messages import sql as say
from predicat.ir import syntax as t
from predicat.ir.variables import fold_identifier, fresh_name
from predicat.language.common.trees import all_of, any_of, apply, choose, nothing
from predicat.language.sql.node_reader import Build, Reader

_PLACE = re.compile("[0-9]{1,9}")
# What a key begins with that is a path in DuckDB.
PATHS = ("$", "/")


def arrow(*, text: bool) -> Build:
    """`doc -> 'key'`, `doc -> 0`: a member of a JSON value; `->>` returns it as a string."""

    def build(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        span = reader.span(node)
        tree = _subject(reader, node.this, depth)
        for key in _keys(reader, node, node.expression, depth):
            tree = apply("bracket", span, tree, key)
        return apply("json_text", span, tree) if text else tree

    return build


def _subject(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """The left operand of a JSON operator."""
    op = "sql.parsed_subject" if reader.language.reads_texts else "sql.subject"
    return apply(op, reader.span(node), reader.read(node, depth))


def _keys(reader: Reader, node: exp.Expr, path: exp.Expr, depth: int) -> list[t.Tree]:
    """The keys and indexes of an arrow. sqlglot parses a constant as a path of one step."""
    if not isinstance(path, exp.JSONPath):
        key = reader.read(path, depth)
        if isinstance(key, t.Constant) and isinstance(key.value, int) and key.value < 0:
            raise reader.fail(say.place_from_the_end(reader.span(node)))
        return [key]
    keys: list[t.Tree] = []
    for step in path.expressions[1:]:
        if not isinstance(step, exp.JSONPathKey | exp.JSONPathSubscript) or not isinstance(
            step.this, str | int
        ):
            raise reader.fail(say.json_path(reader.span(node)))
        keys.append(t.Constant(step.this, reader.span(node)))
    return keys


def path_arrow(*, text: bool) -> Build:
    """`doc #> '{a,0,b}'`: the value at a path. Digits are an index of an array or a key of an object."""

    def build(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        span = reader.span(node)
        path = node.expression
        if isinstance(path, exp.Literal) and path.is_string:
            inner = path.name.strip()
            if not re.fullmatch(r"\{[^{}\"\\]*\}", inner):
                raise reader.fail(say.json_path(span))
            steps = [step.strip() for step in inner[1:-1].split(",")]
        elif isinstance(path, exp.Array) and all(isinstance(step, exp.Literal) for step in path.expressions):
            steps = [step.name for step in path.expressions]
        else:
            raise reader.fail(say.json_path(span))
        tree = _subject(reader, node.this, depth)
        for step in steps:
            if step.startswith("-"):
                raise reader.fail(say.place_from_the_end(span))
            tree = below(tree, step, span)
        return apply("json_text", span, tree) if text else tree

    return build


def below(base: t.Tree, step: str, span: Span) -> t.Tree:
    """The member under a key; digits may also be an index of an array."""
    key = apply("bracket", span, base, t.Constant(step, span))
    if not _PLACE.fullmatch(step):
        return key
    return apply("coalesce", span, key, apply("bracket", span, base, t.Constant(int(step), span)))


def has_key(join: str) -> Build:
    """`doc ? 'k'`, `doc ?| array['a', 'b']`, `doc ?& array['a', 'b']`: whether an object has keys, or an
    array contains the strings.
    """

    def build(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        span = reader.span(node)
        keys = node.expression
        items = keys.expressions if isinstance(keys, exp.Array) else [keys]
        subject = _subject(reader, node.this, depth)
        tests = tuple(apply("jsonb.has_key", span, subject, key) for key in reader.all(items, depth))
        return all_of(tests, span) if join == "and" else any_of(tests, span)

    return build


def contains(*, turned: bool) -> Build:
    """`doc @> '{"a": 1}'` and `tags @> array['a']`; `turned`: `<@`, with the operands swapped."""

    def build(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        span = reader.span(node)
        whole, part = (node.expression, node.this) if turned else (node.this, node.expression)
        whole, part = map(_uncast, (whole, part))
        if isinstance(part, exp.Array) and not isinstance(whole, exp.Array):
            subject = reader.read(whole, depth)
            items = reader.all(part.expressions, depth)
            tests = tuple(_within(item, subject, span) for item in items)
            return unless_absent((subject,), all_of(tests, span) if tests else t.Constant(True, span), span)
        for op, document, constant in (("jsonb.contains", whole, part), ("jsonb.within", part, whole)):
            if isinstance(constant, exp.Literal) and constant.is_string:
                args = _subject(reader, document, depth), reader.read(constant, depth)
                return apply(op, span, *args)
        name = _variable(node)
        outer, inner = reader.all([whole, part], depth)
        each = _within(t.Name(name, span), outer, span)
        return unless_absent((outer, inner), t.Macro("all", name, inner, each, span), span)

    return build


def _uncast(node: exp.Expr) -> exp.Expr:
    """The constant of `'{"a": 1}'::jsonb`; other nodes as they are."""
    inner: exp.Expr = node.this
    return inner if isinstance(node, exp.Cast) and isinstance(inner, exp.Literal) else node


def overlaps(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`tags && array['a', 'b']`: whether both arrays have an element in common."""
    span = reader.span(node)
    one, other = reader.all([node.this, node.expression], depth)
    name = _variable(node)
    tree = t.Macro("any", name, one, _within(t.Name(name, span), other, span), span)
    return unless_absent((one, other), apply("is_true", span, tree), span)


def _within(item: t.Tree, items: t.Tree, span: Span) -> t.Tree:
    """Whether an array contains a value. Never UNKNOWN: NULL elements equal nothing."""
    return apply("is_true", span, apply("in", span, item, items))


def unless_absent(parts: tuple[t.Tree, ...], tree: t.Tree, span: Span) -> t.Tree:
    """NULL if one of the operands `parts` is NULL, else `tree`, which is never UNKNOWN itself."""
    present = [part for part in parts if not isinstance(part, t.Constant | t.ListLiteral)]
    if not present:
        return tree
    absent = any_of([apply("is_null", span, part) for part in present], span)
    return choose(absent, nothing(span), tree, span)


def _variable(node: exp.Expr, depth: int = 0) -> str:
    """A variable for an element, with a name that does not occur in the condition."""
    names = {fold_identifier(part.name) for part in node.root().find_all(exp.Identifier)}
    return fresh_name(f"element{depth or ''}", names)
