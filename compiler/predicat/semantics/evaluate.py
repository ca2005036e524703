"""The reference evaluator: typed nodes as Python closures over a row. The tests compare every engine with it.

None is NULL, and UNKNOWN for a condition. The functions of operators are in
`predicat.semantics.functions`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, assert_never

from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import rows as say
from predicat.ir.column_forms import form_of
from predicat.ir.nodes import Call, Field, Items, Literal, Node, Parameter, Quantifier, Variable
from predicat.ir.python_values import DOCUMENT, RowError, members
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE, JSON, STRING, Type
from predicat.ir.values import INT_MAX, INT_MIN, to_value
from predicat.ir.widths import RANGES, as_stored
from predicat.semantics.closures import NONE, Eval, Function, Names, Row
from predicat.semantics.functions import CHOSEN, FUNCTIONS, NOT_STRICT
from predicat.semantics.functions.documents import bad_row, inner, items_of, located


def compile_node(node: Node) -> Eval:
    """The function from a row to the value of a node; None is UNKNOWN.

    The function raises PredicatError for a row with a value that is not of its field's type.
    """
    match node:
        case Literal(_, value):
            return lambda _row, _names=NONE, _params=NONE: value
        case Field():
            return _field(node)
        case Parameter(_, decl):
            name, default = decl.name, decl.default
            return lambda _row, _names=NONE, params=NONE: params.get(name, default)
        case Variable(_, name):
            return lambda _row, names=NONE, _params=NONE: names[name]
        case Items():
            parts = [compile_node(item) for item in node.items]
            return lambda row, names=NONE, params=NONE: [part(row, names, params) for part in parts]
        case Quantifier():
            return _quantifier(node)
        case Call():
            if node.op in NOT_STRICT:
                return NOT_STRICT[node.op](node, [compile_node(arg) for arg in node.args])
            function = FUNCTIONS[node.op] if node.op in FUNCTIONS else CHOSEN[node.op](node)
            last = node.args[-1]
            if len(node.args) == 2 and isinstance(last, Literal) and last.value is not None:
                return _against(function, compile_node(node.args[0]), last.value)
            return _strict(function, [compile_node(arg) for arg in node.args])
        case _:
            assert_never(node)


def supported() -> frozenset[str]:
    """The operators that the evaluator supports."""
    return frozenset(NOT_STRICT) | frozenset(FUNCTIONS) | frozenset(CHOSEN)


# --- leaves

_PLAIN: dict[Type, type] = {STRING: str, BIGINT: int, DOUBLE: float, BOOLEAN: bool}


def _field(node: Field) -> Eval:
    decl, name, kind = node.decl, node.decl.name, node.decl.type
    if kind == JSON:
        return _document(node)
    plain = None if decl.stored == "float" or form_of(decl.stored) else _PLAIN.get(kind)
    least, greatest = RANGES.get(decl.stored, (INT_MIN, INT_MAX))
    fallback = _dotted if "." in name else _nothing

    def get(row: Row, _names: Names = NONE, _params: Names = NONE) -> Any:
        value = row[name] if name in row else fallback(row, name)
        if value is None or (type(value) is plain and plain is not int):
            return value
        if type(value) is int and plain is int and least <= value <= greatest:
            return value
        try:
            return as_stored(value, decl)
        except RowError as error:
            raise bad_row(node, error) from None

    return get


def _document(node: Field) -> Eval:
    """A JSON field. What is inside of its value is converted where it is read."""
    name = node.decl.name
    fallback = _dotted if "." in name else _gathered

    def get(row: Row, _names: Names = NONE, _params: Names = NONE) -> Any:
        value = row[name] if name in row else fallback(row, name)
        if type(value) in DOCUMENT:
            return value
        try:
            return to_value(value, JSON)
        except RowError as error:
            raise bad_row(node, error) from None

    return get


def _nothing(_row: Row, _name: str) -> Any:
    return None


def _dotted(row: Row, name: str) -> Any:
    """The value of `a.b` in a nested row."""
    for split in range(name.count("."), 0, -1):
        head = ".".join(name.split(".")[:split])
        rest = name[len(head) + 1 :]
        inner = _structure(row.get(head), head)
        if isinstance(inner, Mapping):
            return inner[rest] if rest in inner else _dotted(inner, rest) if "." in rest else None
    return None


def _structure(value: Any, name: str) -> Any:
    """A value that may have members, such as a dataclass."""
    if value is None or isinstance(value, Mapping):
        return value
    try:
        return to_value(value, JSON)
    except RowError as error:
        raise PredicatError.of(say.bad_row(name, error.kind, error.value, error.hint)) from None


def _gathered(row: Row, name: str) -> Any:
    """The JSON object `a` in a flat row with keys such as `a.b` and `a.c`."""
    inner = {key[len(name) + 1 :]: value for key, value in row.items() if key.startswith(f"{name}.")}
    nested: dict[str, Any] = {}
    for key, value in inner.items():
        target = nested
        *path, last = key.split(".")
        for part in path:
            target = target.setdefault(part, {})
        target[last] = value
    return nested or None


def compile_items(node: Node) -> Eval:
    """The elements of an array. None (UNKNOWN) for a JSON value that is not an array."""
    return _inside(node, lambda value: items_of(value) if isinstance(value, list) else None)


def compile_members(node: Node) -> Eval:
    """A map or a JSON object with strings as keys. A JSON value that is no object stays as it is."""
    return _inside(node, lambda value: members(value) if isinstance(value, dict) else value)


def _inside(node: Node, of_json: Function) -> Eval:
    """The value of a node; if it is JSON, a function of it that may raise RowError."""
    source = compile_node(node)
    if node.type != JSON:
        return source
    function = located(of_json, node)
    return lambda row, names=NONE, params=NONE: function(source(row, names, params))


def member_of(node: Node) -> Function:
    """How a member of the value of a node is read, by its key."""
    read = located(lambda value, key: inner(value[key], key), node)
    return read if node.type == JSON else dict.__getitem__


def _quantifier(node: Quantifier) -> Eval:
    if node.kind in ("one", "filter", "map"):
        return _collected(node)
    source, body, variable, absorbing = (
        compile_items(node.source),
        compile_node(node.body),
        node.variable,
        node.kind == "any",
    )

    def run(row: Row, names: Names = NONE, params: Names = NONE) -> Any:
        items = source(row, names, params)
        if items is None:
            return None
        unknown, inner = False, {**names}
        for item in items:
            inner[variable] = item
            value = body(row, inner, params)
            if value is absorbing:
                return absorbing
            unknown = unknown or value is None
        return None if unknown else not absorbing

    return run


def _collected(node: Quantifier) -> Eval:
    source, body, variable, kind = (
        compile_items(node.source),
        compile_node(node.body),
        node.variable,
        node.kind,
    )

    def run(row: Row, names: Names = NONE, params: Names = NONE) -> Any:
        items = source(row, names, params)
        if items is None:
            return None
        result, inner = [], {**names}
        for item in items:
            inner[variable] = item
            result.append(body(row, inner, params))
        if any(value is None for value in result):
            return None
        if kind == "map":
            return result
        return (
            result.count(True) == 1
            if kind == "one"
            else [item for item, kept in zip(items, result, strict=True) if kept]
        )

    return run


# --- strict operators


def _against(function: Function, left: Eval, constant: Any) -> Eval:
    """A function of a value and a constant other than NULL, the most common kind of condition."""

    def run(row: Row, names: Names = NONE, params: Names = NONE) -> Any:
        value = left(row, names, params)
        return None if value is None else function(value, constant)

    return run


def _strict(function: Function, args: list[Eval]) -> Eval:
    if len(args) == 1:
        (only,) = args

        def run_one(row: Row, names: Names = NONE, params: Names = NONE) -> Any:
            value = only(row, names, params)
            return None if value is None else function(value)

        return run_one
    if len(args) == 2:
        left, right = args

        def run_two(row: Row, names: Names = NONE, params: Names = NONE) -> Any:
            a = left(row, names, params)
            if a is None:
                return None
            b = right(row, names, params)
            return None if b is None else function(a, b)

        return run_two

    def run(row: Row, names: Names = NONE, params: Names = NONE) -> Any:
        values = [arg(row, names, params) for arg in args]
        return None if any(value is None for value in values) else function(*values)

    return run
