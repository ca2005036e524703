"""PostgreSQL: tests of the keys of a map or a JSON document that use a GIN index.

A test requires one of several alternatives: that the document contains a pattern (`@>`), or has a path.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from msgspec import Struct
from sqlglot import exp

from predicat.backends.sql.builders import Sql, or_, string_literal
from predicat.backends.sql.json_rewrites import constant_step, is_only_text
from predicat.backends.sql.postgres.stored import TREES, spelling
from predicat.backends.sql.renderer import Renderer
from predicat.backends.sql.rules import Served
from predicat.ir.nodes import Call, Field, Items, Literal, Node, Quantifier, Variable, ranged_over
from predicat.ir.operators import STRICT
from predicat.ir.types import BOOLEAN, JSON, STRING, MapType

# An index does not help a test with more alternatives than this.
_MOST = 8


class Required(Struct, frozen=True):
    """A requirement of a test: the value at a path contains a pattern or, without a pattern, the path exists.
    `whole`: an index needs all keys of the path; otherwise the first one narrows the rows as well.
    """

    base: Field | Variable
    path: tuple[str, ...]
    pattern: object = None
    is_path: bool = False
    whole: bool = False


class Need(Struct, frozen=True):
    """The alternatives of which a test requires one. `exact`: one of them is also enough for TRUE."""

    alternatives: tuple[Required, ...]
    exact: bool


# That of a test that is never TRUE.
NOTHING = Need((), exact=True)


def served(r: Renderer, node: Node, sql: Sql) -> Served | None:
    """`h @> '{"key": "value"}'` or `h ? 'key'` for a test of keys."""
    need = needed(node)
    if need is None or not 0 < len(need.alternatives) <= _MOST or has_tree(r, sql):
        return None
    if any(_has_tree(r, one) for one in need.alternatives):
        return None
    several = len(need.alternatives) > 1
    # A test of elements is a subquery: `@>` is faster also where no index is known, as below a view.
    always = need.exact and isinstance(node, Quantifier)
    parts = [_containment(r, one, whole=several or one.whole, always=always) for one in need.alternatives]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return Served(or_(*(part.sql for part in known)), need.exact and all(part.exact for part in known))


def has_tree(r: Renderer, sql: Sql) -> bool:
    """Whether an index on a look-up itself serves the usual form of a test."""
    look_ups = sql.find_all(exp.JSONExtract, exp.JSONExtractScalar)
    return any(r.storage.index_on(spelling(part), TREES) for part in look_ups)


def _has_tree(r: Renderer, one: Required) -> bool:
    """Whether an index on the value of a requirement itself serves the usual form of a test."""
    value = _inner(r.column(one.base), one.path) if isinstance(one.base, Field) and one.path else None
    return value is not None and r.storage.index_on(spelling(value), TREES) is not None


def _containment(r: Renderer, one: Required, *, whole: bool, always: bool) -> Served | None:
    """The SQL of a requirement, on the innermost part of the document that has an index for it. `always`: if
    there is none, on the whole document.
    """
    if not isinstance(one.base, Field):
        return None
    for depth in range(len(one.path), -1, -1):
        if one.is_path and (depth == len(one.path) or (whole and depth < len(one.path) - 1)):
            continue
        base, rest = _inner(r.column(one.base), one.path[:depth]), one.path[depth:]
        index = r.storage.index_on(spelling(base), ("gin",), ("", "jsonb_ops", "jsonb_path_ops"))
        if index is None and not (always and depth == 0):
            continue
        if not one.is_path:
            pattern = one.pattern
            for key in reversed(rest):
                pattern = {key: pattern}
            # `@>`: an array contains a scalar element only if the scalar is the whole pattern.
            exact = isinstance(pattern, dict | list)
            return Served(
                exp.ArrayContainsAll(this=base, expression=string_literal(document(pattern))), exact
            )
        if r.storage.index_on(spelling(base), ("gin",), ("", "jsonb_ops")) is not None:
            # A GIN index on jsonb supports no paths: it finds the documents with the first key.
            return Served(exp.JSONBContainsTopKey(this=base, expression=string_literal(rest[0])))
    return None


def _inner(sql: Sql, path: tuple[str, ...]) -> Sql:
    for key in path:
        sql = exp.JSONExtract(this=sql, expression=string_literal(key), only_json_types=True)
    return exp.Paren(this=sql) if path else sql


class Raw(Struct, frozen=True):
    """A number or boolean in its own spelling."""

    text: str


# The texts of numbers and truth values in jsonb.
_SCALAR = re.compile(r"-?[0-9]{1,100}(?:\.[0-9]{1,100})?|true|false")


def document(value: object) -> str:
    """A pattern as JSON."""
    match value:
        case Raw():
            return value.text
        case dict():
            return "{" + ", ".join(f"{document(key)}: {document(one)}" for key, one in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(document, value)) + "]"
        case _:
            return json.dumps(value, ensure_ascii=False)


# --- what a test needs


def needed(node: Node) -> Need | None:
    """The requirement of a test for TRUE; None if nothing is known."""
    match node:
        case Literal(type=kind, value=value) if kind == BOOLEAN and value is not True:
            return NOTHING
        case Call(op="json_equals", args=(value, Literal(value=str() | bool() as wanted))):
            return _contains(value, [wanted], exact=True)
        case Call(op="json_in", args=(value, Items(items=items))):
            return _contains(value, [item.value for item in items if isinstance(item, Literal)], exact=True)
        case Call(op="eq", args=(Call(op="get", type=kind) as value, Literal(value=str() as wanted))) if (
            kind == STRING
        ):
            return _texts(value, [wanted])
        case Call(op="eq", args=(Literal(value=str()) as wanted, Call(op="get") as value)):
            return needed(Call(BOOLEAN, "eq", (value, wanted), node.span))
        case Call(op="in", args=(Call(op="get", type=kind) as value, Items(items=items))) if kind == STRING:
            values = [item.value for item in items if isinstance(item, Literal)]
            if len(values) < len(items) or not all(isinstance(one, str) for one in values):
                return _paths(node)
            return _texts(value, [one for one in values if isinstance(one, str)])
        case Call(op="or" | "is_true", args=args):
            return _any_of([needed(arg) for arg in args])
        case Call(op="and", args=args):
            return _one_of([needed(arg) for arg in args])
        case Call(op="cond", args=(_, yes, no)):
            both = _any_of([needed(yes), needed(no)])
            return None if both is None else Need(both.alternatives, exact=False)
        case Call(op="not", args=(Call(op="is_null", args=(value,)),)):
            return _paths(value)
        case Quantifier(kind="any"):
            return _element(node)
        case Call():
            return _paths(node)
        case _:
            return None


def _any_of(parts: list[Need | None]) -> Need | None:
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    alternatives: list[Required] = []
    for part in known:
        alternatives += [one for one in part.alternatives if one not in alternatives]
    return Need(tuple(alternatives), all(part.exact for part in known))


def _one_of(parts: list[Need | None]) -> Need | None:
    """Of several requirements, the one with the fewest alternatives; patterns come before paths."""
    known = [part for part in parts if part is not None and part.alternatives]
    if not known:
        return None
    best = min(known, key=lambda part: (part.alternatives[0].is_path, len(part.alternatives)))
    return Need(best.alternatives, exact=False)


def _contains(value: Node, wanted: list[object], *, exact: bool) -> Need | None:
    path = _path(value)
    if path is None:
        return None
    return Need(tuple(Required(*path, one) for one in wanted), exact)


def _texts(value: Node, wanted: list[str]) -> Need | None:
    """The requirement of a key of a map. Its value is read as a string, even if it is none."""
    path = _path(value)
    if path is None:
        return None
    if not all(is_text_only(text) or _SCALAR.fullmatch(text) for text in wanted):
        return _paths(value)
    others = [Raw(text) for text in wanted if not is_text_only(text)]
    return Need(tuple(Required(*path, pattern) for pattern in (*wanted, *others)), exact=not others)


def _element(node: Quantifier) -> Need | None:
    """The requirement of an array of which an element must pass a test. A macro over an object ranges over
    its keys.
    """
    read = _path(ranged_over(node.source))
    inner = needed(node.body)
    if read is None or inner is None:
        return None
    base, path = read
    over_keys = ranged_over(node.source) is not node.source
    result: list[Required] = []
    exact = inner.exact
    for one in inner.alternatives:
        if not isinstance(one.base, Variable) or one.base.name != node.variable or one.is_path:
            return None
        pattern = one.pattern
        for key in reversed(one.path):
            pattern = {key: pattern}
        result.append(Required(base, path, [pattern]))
        if over_keys and isinstance(pattern, str):
            # An index says which documents have a key at their top, or have an element; for both in one place
            # inside, only one on that place does.
            result.append(Required(base, (*path, pattern), is_path=True, whole=True))
            exact = False
    return Need(tuple(result), exact)


def _paths(node: Node) -> Need | None:
    """The first look-up without which an expression is NULL."""
    for base, path in _read(node):
        if path:
            return Need((Required(base, path, is_path=True),), exact=False)
    return None


def _read(node: Node) -> Iterator[tuple[Field | Variable, tuple[str, ...]]]:
    path = _path(node)
    if path is not None and path[1]:
        yield path
        return
    match node:
        case Call(op="in", args=(value, _)):
            yield from _read(value)
        case Call(op=op, args=args) if op in STRICT or op in (
            "json_equals",
            "json_has",
            "json_in",
            "json_text",
        ):
            for arg in args:
                yield from _read(arg)
        case _:
            return


def _path(node: Node) -> tuple[Field | Variable, tuple[str, ...]] | None:
    """The field or variable and the constant keys of a chain of look-ups."""
    path: list[str] = []
    while isinstance(node, Call) and node.op in ("json_get", "get"):
        base, key = node.args
        step = constant_step(key)
        if not isinstance(step, str) or "\0" in step or not _has_keys(base):
            return None
        path.insert(0, step)
        node = base
    if isinstance(node, Field | Variable) and _has_keys(node):
        return node, tuple(path)
    return None


def _has_keys(node: Node) -> bool:
    return node.type == JSON or isinstance(node.type, MapType)


def is_text_only(value: str) -> bool:
    """Whether only a JSON string gives this string: it is not the text of a number, a boolean, an array or an
    object.
    """
    return is_only_text(value) or (not _is_json(value) and not value.startswith(("{", "[")))


def _is_json(value: str) -> bool:
    try:
        json.loads(value)
    except (ValueError, RecursionError):
        return False
    return True
