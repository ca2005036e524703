"""Writes CEL. A top-level field is tested for presence by `x != null`, a member by `has(x.y)`."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal

from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import (
    Call,
    Field,
    Items,
    Literal,
    Node,
    Parameter,
    Quantifier,
    Variable,
    children,
    fields_of,
)
from predicat.ir.ops import ARITHMETIC, BY_KEY, BY_PLACE, COMPARISONS, JUNCTIONS, ORDERED
from predicat.ir.surface import CHECKED_MOD, CHECKED_TO_INT
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE, JSON, STRING, MapType
from predicat.ir.values import WHITE_SPACE, seconds
from predicat.language.common.key_tests import iso, plain, refuse
from predicat.passes.accept import never_unknown
from predicat.passes.variables import apart, caseless

_SIGNS = {
    **{op: row.sign for op, row in COMPARISONS.items()},
    "eq": "==",
    "ne": "!=",
    **ARITHMETIC,
    "concat": "+",
    "in": "in",
    CHECKED_MOD: "%",
}
_METHODS = {
    "starts_with": "startsWith",
    "ends_with": "endsWith",
    "contains": "contains",
    "matches": "matches",
    "lower": "lowerAscii",
    "upper": "upperAscii",
    "replace": "replace",
    "replace_each": "replace",
    "split": "split",
    "join": "join",
    "sum": "sum",
    "reverse": "reverse",
    "year": "getFullYear",
    "hour": "getHours",
    "minute": "getMinutes",
    "second": "getSeconds",
    "millisecond": "getMilliseconds",
    "day": "getDate",
    "day_of_week": "getDayOfWeek",
}
_SHIFTED = {"position": "indexOf", "month": "getMonth", "day_of_year": "getDayOfYear"}
_FUNCTIONS = {
    "abs": "math.abs",
    "ceil": "math.ceil",
    "floor": "math.floor",
    "array_max": "math.greatest",
    "array_min": "math.least",
    "length": "size",
    "size": "size",
    "json_size": "size",
    "to_int": "int",
    CHECKED_TO_INT: "int",
    "to_double": "double",
    "to_string": "string",
    "to_boolean": "bool",
    "to_timestamp": "timestamp",
    "to_duration": "duration",
    "dyn": "dyn",
    "range": "lists.range",
}
_MACROS = {"any": "exists", "all": "all", "one": "exists_one", "filter": "filter", "map": "map"}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
RESERVED = frozenset(
    {
        "as",
        "break",
        "const",
        "continue",
        "else",
        "false",
        "for",
        "function",
        "if",
        "import",
        "in",
        "let",
        "loop",
        "namespace",
        "null",
        "package",
        "return",
        "true",
        "var",
        "void",
        "while",
    }
)
"""Words that are no names in CEL."""
_TOTAL = frozenset(
    {*COMPARISONS, "in", "starts_with", "ends_with", "contains", "like", "matches", "not", "get"}
)


def write(node: Node) -> str:
    """The predicate in CEL. Raises Unsupported."""
    roots = {caseless(name.partition(".")[0]) for name in fields_of(node)}
    return _write(plain(apart(node, roots, _is_name)), 0)


def _is_name(text: object) -> bool:
    return isinstance(text, str) and _NAME.match(text) is not None and text not in RESERVED


def _write(node: Node, level: int) -> str:
    """`level`: how tightly the place binds; a looser expression gets parentheses."""
    match node:
        case Literal():
            return _literal(node)
        case Field():
            return _path(node)
        case Variable(_, name):
            return name
        case Parameter():
            raise refuse("cel", node, say.CEL_HAS_NO_PARAMETERS)
        case Items():
            return f"[{', '.join(_write(item, 0) for item in node.items)}]"
        case Quantifier():
            source = (
                node.source.args[0]
                if isinstance(node.source, Call) and node.source.op == "keys"
                else node.source
            )  # a macro over a map is one over its keys
            return f"{_write(source, 9)}.{_MACROS[node.kind]}({node.variable}, {_write(node.body, 0)})"
        case Call():
            text, own = _call(node)
            return f"({text})" if own < level else text


def _path(node: Field) -> str:
    parts = node.decl.name.split(".")
    if not all(map(_is_name, parts)):
        raise refuse("cel", node, say.no_name_in_cel(node.decl.name))
    return node.decl.name


def _call(node: Call) -> tuple[str, int]:
    op, args = node.op, node.args
    if op in JUNCTIONS:
        own = 3 if op == "and" else 2
        return (" && " if op == "and" else " || ").join(_write(arg, own + 1) for arg in args), own
    if op == "not":
        inner = args[0]
        if isinstance(inner, Call) and inner.op == "is_null":
            return _presence(inner.args[0], there=True)
        return f"!{_write(inner, 8)}", 8
    if op == "is_null":
        return _presence(args[0], there=False)
    if op == "is_true":
        return _decided(node)
    if op == "mod" and not (isinstance(args[1], Literal) and args[1].value != -1):
        by = _write(args[1], 5)
        return f"{_write(args[0], 6)} % ({by} == -1 ? 1 : {by})", 6
    if op == "to_int" and args[0].type == BOOLEAN:
        return f"{_write(args[0], 2)} ? 1 : 0", 1
    if op == "to_int" and args[0].type in (DOUBLE, JSON):
        return (
            f"{_write(args[0], 5)} == -9223372036854775808.0 ? -9223372036854775808 : {_plain_call(node)[0]}",
            1,
        )
    if op == "coalesce":
        first, *rest = args
        if not rest:
            return _write(first, 9), 9
        test, _ = _presence(first, there=True)
        other = Call(node.type, op, tuple(rest), node.span)
        return f"{test} ? {_write(first, 2)} : {_write(other, 1)}", 1
    if op == "cond":
        return f"{_write(args[0], 2)} ? {_write(args[1], 2)} : {_write(args[2], 1)}", 1
    return _plain_call(node)


def _plain_call(node: Call) -> tuple[str, int]:
    op, args = node.op, node.args
    if (
        op == "in"
        and isinstance(args[1], Items)
        and not all(isinstance(item, Literal) for item in args[1].items)
    ):
        # CEL has no list with an element that is absent.
        return " || ".join(f"{_write(args[0], 5)} == {_write(item, 5)}" for item in args[1].items), 2
    if op == "div" and node.type == DOUBLE and not (isinstance(args[1], Literal) and args[1].value):
        raise refuse("cel", node, say.INFINITE_IN_CEL)
    if (
        op in ("add", "concat") and node.type != JSON and all(arg.type == JSON for arg in args)
    ):  # + alone would take texts and numbers
        one, other = _write(args[0], 5), _write(args[1], 6)
        return (f"{one} + {other} * 1.0", 5) if op == "add" else (f'{one} + "" + {other}', 5)
    if op == "json_is":
        return _of_type(node)
    if op in ("json_number", "json_string"):
        return (
            (f"{_write(args[0], 6)} * 1.0", 6) if op == "json_number" else (f'{_write(args[0], 5)} + ""', 5)
        )
    if op in _SIGNS:
        own = {"add": 5, "sub": 5, "concat": 5, "mul": 6, "div": 6, "fdiv": 6, "mod": 6, CHECKED_MOD: 6}.get(
            op, 4
        )
        return f"{_write(args[0], own + (own == 4))} {_SIGNS[op]} {_write(args[1], own + 1)}", own
    if op == "neg":
        return f"-{_write(args[0], 8)}", 8
    if op in BY_KEY:
        return _member(args[0], args[1]), 9
    if op == "json_items":
        return _write(args[0], 9), 9
    if op in BY_PLACE:
        return f"{_write(args[0], 9)}[{_write(args[1], 0)}]", 9
    return _named(node)


def _of_type(node: Call) -> tuple[str, int]:
    """`type(x) == string`. A number is an int or a double."""
    value, kind = _write(node.args[0], 0), node.args[1].value if isinstance(node.args[1], Literal) else None
    if kind == "number":
        return f"type({value}) == int || type({value}) == double", 2
    return f"type({value}) == {_TYPES[str(kind)]}", 4


_TYPES = {"string": "string", "boolean": "bool", "object": "map", "array": "list"}


def _named(node: Call) -> tuple[str, int]:
    op, args = node.op, node.args
    if op == "like":
        return f"{_write(args[0], 9)}.match({_quoted(_glob(node))})", 9
    if op == "strip" and args[1] == Literal(STRING, WHITE_SPACE):
        return f"{_write(args[0], 9)}.trim()", 9
    if op == "replace" and not (isinstance(args[1], Literal) and args[1].value):
        raise refuse("cel", node, say.CEL_FINDS_EMPTY_TEXT)
    if op in _METHODS:
        return f"{_write(args[0], 9)}.{_METHODS[op]}({', '.join(_write(arg, 0) for arg in args[1:])})", 9
    if op in _SHIFTED:
        call = f"{_write(args[0], 9)}.{_SHIFTED[op]}({', '.join(_write(arg, 0) for arg in args[1:])})"
        return f"{call} + 1", 5
    if op in _FUNCTIONS:
        return f"{_FUNCTIONS[op]}({', '.join(_write(arg, 0) for arg in args)})", 9
    if op == "array":
        return f"[{', '.join(_write(arg, 0) for arg in args)}]", 9
    if op in ("array_eq", "array_concat"):
        sign, own = ("==", 4) if op == "array_eq" else ("+", 5)
        return f"{_write(args[0], own + 1)} {sign} {_write(args[1], own + 1)}", own
    if op == "json_values":
        raise refuse("cel", node, say.CEL_TESTS_LISTS)
    raise refuse("cel", node, say.CEL_HAS_NO_FUNCTION)


def _member(base: Node, key: Node) -> str:
    name = key.value if isinstance(key, Literal) else None
    if _is_name(name):
        return f"{_write(base, 9)}.{name}"
    return f"{_write(base, 9)}[{_write(key, 0)}]"


def _presence(node: Node, *, there: bool) -> tuple[str, int]:
    if isinstance(node, Call) and node.op in BY_KEY:
        base, key = node.args
        name = key.value if isinstance(key, Literal) else None
        dotted = _is_name(name)
        if isinstance(base.type, MapType) and not dotted:
            text = f"{_write(key, 5)} in {_write(base, 5)}"
            if isinstance(base, Field):  # a map that is absent itself has no key
                text = f"{_write(base, 5)} != null && {text}"
            return (text, 3) if there else (f"!({text})", 8)
        if dotted:
            return f"{'' if there else '!'}has({_write(node, 0)})", 8
    if isinstance(node, Field) and "." in node.decl.name and node.decl.type == JSON:
        return f"{'' if there else '!'}has({_path(node)})", 8
    if isinstance(node, Field):
        return f"{_path(node)} {'!=' if there else '=='} null", 4
    raise refuse("cel", node, say.CEL_PRESENCE)


def _decided(node: Call) -> tuple[str, int]:
    """UNKNOWN as FALSE: CEL can say it where UNKNOWN comes from absent keys alone."""
    return _sure(node, node.args[0], holds=True)


def _sure(whole: Call, node: Node, *, holds: bool) -> tuple[str, int]:
    """Whether a predicate is TRUE, or whether it is FALSE, which is neither where it is UNKNOWN."""
    if isinstance(node, Call) and node.op == "not":
        return _sure(whole, node.args[0], holds=not holds)
    if isinstance(node, Call) and node.op in JUNCTIONS and not never_unknown(node):
        own, sign = (3, " && ") if (node.op == "and") == holds else (2, " || ")
        parts = [_sure(whole, arg, holds=holds) for arg in node.args]
        return sign.join(f"({text})" if level <= own else text for text, level in parts), own
    said = node if holds else Call(BOOLEAN, "not", (node,), node.span)
    if never_unknown(node):
        return _write(said, 4), 4
    strict = list(_strict(node))
    for part in strict:
        if _may_fail(part):
            raise refuse("cel", whole, say.CEL_ERRORS)
    keys: list[Node] = []
    for part in strict:
        member = isinstance(part, Call) and part.op in BY_KEY
        if (member or isinstance(part, Field)) and part not in keys:
            keys.append(part)
    tests = [_presence(key, there=True) for key in keys if not _is_base(key, keys)]
    return " && ".join([*(f"({text})" if own < 4 else text for text, own in tests), _write(said, 4)]), 3


def _may_fail(part: Node) -> bool:
    """Whether a part may be an error in CEL though its parts have values."""
    if not isinstance(part, Call):
        return isinstance(part, Quantifier)
    elements = part.op == "in" and not isinstance(part.args[1], Items)  # one of them may be absent
    return (
        elements
        or (part.op not in _TOTAL and part.op != "json_get")
        or (part.op in ORDERED and any(arg.type == JSON for arg in part.args))
    )


def _strict(node: Node) -> Iterator[Node]:
    """A node and the parts of it that make it UNKNOWN where they are: not those of what is TRUE or FALSE
    whatever is absent.
    """
    if not never_unknown(node):
        yield node
        for child in children(node):
            yield from _strict(child)


def _is_base(key: Node, keys: list[Node]) -> bool:
    return any(isinstance(other, Call) and other.args[0] == key for other in keys)


def _literal(node: Literal) -> str:
    match node.value:
        case None:
            raise refuse("cel", node, say.CEL_HAS_NO_UNKNOWN)
        case bool():
            return "true" if node.value else "false"
        case int():
            return str(node.value)
        case float():
            if not math.isfinite(node.value):
                name = {math.inf: "Infinity", -math.inf: "-Infinity"}.get(node.value, "NaN")
                return f'double("{name}")'
            return repr(node.value)
        case str():
            return _quoted(node.value)
        case timedelta():
            return f'duration("{seconds(node.value)}")'
        case datetime():
            return f'timestamp("{iso(node.value)}")'
        case Decimal():
            return repr(float(node.value)) if node.type != BIGINT else str(node.value)
        case _:
            raise refuse("cel", node, say.cel_has_no_type(node.type))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _glob(node: Call) -> str:
    """A LIKE pattern as Knative's glob, which has no way to write a `*` or `?` of the text."""
    pattern = node.args[1].value if isinstance(node.args[1], Literal) else None
    if not isinstance(pattern, str) or re.search(r"[*?]", pattern):
        raise refuse("cel", node, say.GLOB_WITH_WILDCARDS)
    return re.sub(
        r"\\(.)|([%_])", lambda found: found[1] or {"%": "*", "_": "?"}[found[2]], pattern, flags=re.DOTALL
    )
