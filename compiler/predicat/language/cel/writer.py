"""Writes CEL. A top-level field is tested for presence by `x != null`, a member by `has(x.y)`."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from decimal import Decimal

from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import (
    NOW,
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
from predicat.ir.operators import BY_KEY, BY_PLACE, COMPARISONS, JUNCTIONS, ORDERED
from predicat.ir.surface import NULL_CASES, NULL_IS_VALUE
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE, JSON, STRING, MapType
from predicat.ir.values import WHITE_SPACE, seconds
from predicat.ir.variables import fold_identifier, rename_bound_variables
from predicat.language.cel.spelling import (
    AND,
    ATOM,
    COMPARISON,
    CONDITION,
    FUNCTIONS,
    INFIX,
    LIBRARY_METHODS,
    MACROS,
    METHODS,
    OR,
    PRODUCT,
    SHIFTED,
    SUM,
    TYPES,
    UNARY,
)
from predicat.language.common.key_tests import iso, refuse, without_conversions
from predicat.language.common.precedence_writer import Form, PrecedenceWriter
from predicat.rewrite.acceptance import never_unknown

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
# Words that are no names in CEL.
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
_TOTAL = frozenset(
    {*COMPARISONS, "in", "starts_with", "ends_with", "contains", "like", "matches", "not", "get"}
)


def write(node: Node) -> str:
    """The predicate in CEL. Raises Unsupported."""
    roots = {fold_identifier(name.partition(".")[0]) for name in fields_of(node)}
    return _Writer().text(without_conversions(rename_bound_variables(node, roots, _is_name)))


def _is_name(text: object) -> bool:
    return isinstance(text, str) and _NAME.match(text) is not None and text not in RESERVED


class _Writer(PrecedenceWriter):
    def form(self, node: Node) -> Form:
        match node:
            case Literal():
                return _literal(node), ATOM
            case Field():
                return _path(node), ATOM
            case Variable(_, name):
                return name, ATOM
            case Parameter(_, decl) if decl == NOW:
                return "now()", ATOM
            case Parameter():
                raise refuse("cel", node, say.CEL_HAS_NO_PARAMETERS)
            case Items():
                return f"[{self.listed(node.items)}]", ATOM
            case Quantifier():
                return self.macro(node), ATOM
            case Call() if (rule := _RULES.get(node.op)) is not None:
                return rule(self, node)
            case Call() if "." in node.op:  # an operator of the surface that has CEL's own name
                return f"{node.op}({self.listed(node.args)})", ATOM
            case _:
                raise refuse("cel", node, say.CEL_HAS_NO_FUNCTION)

    def macro(self, node: Quantifier) -> str:
        source = node.source
        if isinstance(source, Call) and source.op == "keys":  # a macro over a map is one over its keys
            (source,) = source.args
        return f"{self.text(source, ATOM)}.{MACROS[node.kind]}({node.variable}, {self.text(node.body)})"

    # --- conditions

    def infix(self, node: Call) -> Form:
        return self.between(INFIX[node.op], node.args)

    def negation(self, node: Call) -> Form:
        (inner,) = node.args
        if isinstance(inner, Call) and inner.op == "is_null":
            return self.presence(inner.args[0], there=True)
        return f"!{self.text(inner, UNARY)}", UNARY

    def choice(self, node: Call) -> Form:
        test, yes, no = node.args
        return f"{self.text(test, OR)} ? {self.text(yes, OR)} : {self.text(no, CONDITION)}", CONDITION

    def first(self, node: Call) -> Form:
        """coalesce: the first value that is not NULL."""
        value, *rest = node.args
        if not rest:
            return self.text(value, ATOM), ATOM
        test, _ = self.presence(value, there=True)
        other = Call(node.type, node.op, tuple(rest), node.span)
        return f"{test} ? {self.text(value, OR)} : {self.text(other, CONDITION)}", CONDITION

    def within(self, node: Call) -> Form:
        value, items = node.args
        if not isinstance(items, Items) or all(isinstance(item, Literal) for item in items.items):
            return self.infix(node)
        # CEL has no list with a missing element.
        left = self.text(value, SUM)
        return " || ".join(f"{left} == {self.text(item, SUM)}" for item in items.items), OR

    def of_type(self, node: Call) -> Form:
        """`type(x) == string`. A number is an int or a double."""
        value = self.text(node.args[0])
        kind = node.args[1].value if isinstance(node.args[1], Literal) else None
        if kind == "number":
            return f"type({value}) == int || type({value}) == double", OR
        return f"type({value}) == {TYPES[str(kind)]}", COMPARISON

    # --- calculations

    def sum(self, node: Call) -> Form:
        """+ of numbers or of strings. For two values without a type it would accept both."""
        if node.type == JSON or not all(arg.type == JSON for arg in node.args):
            return self.infix(node)
        one, other = self.text(node.args[0], SUM), self.text(node.args[1], PRODUCT)
        return (f"{one} + {other} * 1.0" if node.op == "add" else f'{one} + "" + {other}'), SUM

    def division(self, node: Call) -> Form:
        by = node.args[1]
        if node.type == DOUBLE and not (isinstance(by, Literal) and by.value):
            raise refuse("cel", node, say.INFINITE_IN_CEL)
        return self.infix(node)

    def remainder(self, node: Call) -> Form:
        """CEL's % is an error if the quotient overflows."""
        value, by = node.args
        if isinstance(by, Literal) and by.value != -1:
            return self.infix(node)
        divisor = self.text(by, SUM)
        return f"{self.text(value, PRODUCT)} % ({divisor} == -1 ? 1 : {divisor})", PRODUCT

    def whole(self, node: Call) -> Form:
        """A conversion to an integer; CEL's conversion of a double is an error for the smallest integer."""
        (value,) = node.args
        if value.type == BOOLEAN:
            return f"{self.text(value, OR)} ? 1 : 0", CONDITION
        call, _ = self.function(node)
        if value.type not in (DOUBLE, JSON):
            return call, ATOM
        return f"{self.text(value, SUM)} == -9223372036854775808.0 ? -9223372036854775808 : {call}", CONDITION

    # --- functions

    def function(self, node: Call) -> Form:
        return f"{FUNCTIONS[node.op]}({self.listed(node.args)})", ATOM

    def method(self, node: Call, name: str) -> Form:
        value, *args = node.args
        return f"{self.text(value, ATOM)}.{name}({self.listed(args)})", ATOM

    def shifted(self, node: Call) -> Form:
        """A method whose result counts from 0, for an operator that counts from 1."""
        name, shift = SHIFTED[node.op]
        call, level = self.method(node, name)
        return (f"{call} + {shift}", SUM) if shift else (call, level)

    def replaced(self, node: Call) -> Form:
        if not (isinstance(node.args[1], Literal) and node.args[1].value):
            raise refuse("cel", node, say.CEL_FINDS_EMPTY_TEXT)
        return self.method(node, LIBRARY_METHODS[node.op])

    def trimmed(self, node: Call) -> Form:
        if node.args[1] != Literal(STRING, WHITE_SPACE):
            raise refuse("cel", node, say.CEL_HAS_NO_FUNCTION)
        return f"{self.text(node.args[0], ATOM)}.trim()", ATOM

    def globbed(self, node: Call) -> Form:
        return f"{self.text(node.args[0], ATOM)}.match({_quoted(_glob(node))})", ATOM

    # --- look-ups

    def member(self, node: Call) -> Form:
        base, key = node.args
        name = key.value if isinstance(key, Literal) else None
        if _is_name(name):
            return f"{self.text(base, ATOM)}.{name}", ATOM
        return self.index(node)

    def index(self, node: Call) -> Form:
        return f"{self.text(node.args[0], ATOM)}[{self.text(node.args[1])}]", ATOM

    def presence(self, node: Node, *, there: bool) -> Form:
        """IS NULL or IS NOT NULL, as has() or a comparison with null."""
        if isinstance(node, Call) and node.op in BY_KEY:
            base, key = node.args
            name = key.value if isinstance(key, Literal) else None
            dotted = _is_name(name)
            if isinstance(base.type, MapType) and not dotted:
                text = f"{self.text(key, SUM)} in {self.text(base, SUM)}"
                if isinstance(base, Field):  # a map that is absent itself has no key
                    text = f"{self.text(base, SUM)} != null && {text}"
                return (text, AND) if there else (f"!({text})", UNARY)
            if dotted:
                return f"{'' if there else '!'}has({self.text(node)})", UNARY
        if isinstance(node, Field) and "." in node.decl.name and node.decl.type == JSON:
            return f"{'' if there else '!'}has({_path(node)})", UNARY
        if isinstance(node, Field):
            return f"{_path(node)} {'!=' if there else '=='} null", COMPARISON
        raise refuse("cel", node, say.CEL_PRESENCE)

    def with_nulls(self, node: Node) -> Form:
        """A comparison in a document whose nulls are values."""
        if isinstance(node, Call) and node.op == "is_null":
            return f"{self.text(node.args[0], SUM)} == null", COMPARISON
        return self.form(node)

    # --- UNKNOWN as FALSE

    def decided(self, whole: Call, node: Node, *, holds: bool) -> Form:
        """Whether a predicate is TRUE, or whether it is FALSE; neither if it is UNKNOWN.

        CEL supports this if only missing keys make it UNKNOWN.
        """
        if isinstance(node, Call) and node.op == "not":
            return self.decided(whole, node.args[0], holds=not holds)
        if isinstance(node, Call) and node.op in JUNCTIONS and not never_unknown(node):
            joint = INFIX["and" if (node.op == "and") == holds else "or"]
            parts = [self.decided(whole, arg, holds=holds) for arg in node.args]
            texts = [f"({text})" if level <= joint.level else text for text, level in parts]
            return f" {joint.sign} ".join(texts), joint.level
        condition = node if holds else Call(BOOLEAN, "not", (node,), node.span)
        if never_unknown(node):
            return self.text(condition, COMPARISON), COMPARISON
        strict = list(_strict(node))
        if any(map(_may_fail, strict)):
            raise refuse("cel", whole, say.CEL_ERRORS)
        keys: list[Node] = []
        for part in strict:
            member = isinstance(part, Call) and part.op in BY_KEY
            if (member or isinstance(part, Field)) and part not in keys:
                keys.append(part)
        tests = [self.presence(key, there=True) for key in keys if not _is_base(key, keys)]
        shown = [f"({text})" if level < COMPARISON else text for text, level in tests]
        return " && ".join([*shown, self.text(condition, COMPARISON)]), AND


def _unsupported_list(_writer: _Writer, node: Call) -> Form:
    raise refuse("cel", node, say.CEL_TESTS_LISTS)


def _method(name: str) -> Rule:
    return lambda writer, node: writer.method(node, name)


Rule = Callable[[_Writer, Call], Form]
# How each operator is written. The others are not supported.
_RULES: Mapping[str, Rule] = {
    **dict.fromkeys(INFIX, _Writer.infix),
    **dict.fromkeys(FUNCTIONS, _Writer.function),
    **dict.fromkeys(SHIFTED, _Writer.shifted),
    **dict.fromkeys(BY_KEY, _Writer.member),
    **dict.fromkeys(BY_PLACE, _Writer.index),
    **{op: _method(name) for op, name in LIBRARY_METHODS.items()},
    **{op: _method(name) for op, (name, _) in METHODS.items()},
    **dict.fromkeys(("add", "concat"), _Writer.sum),
    "div": _Writer.division,
    "mod": _Writer.remainder,
    "neg": lambda writer, node: (f"-{writer.text(node.args[0], UNARY)}", UNARY),
    "to_int": _Writer.whole,
    "not": _Writer.negation,
    "is_null": lambda writer, node: writer.presence(node.args[0], there=False),
    "is_true": lambda writer, node: writer.decided(node, node.args[0], holds=True),
    "cond": _Writer.choice,
    "coalesce": _Writer.first,
    "in": _Writer.within,
    "like": _Writer.globbed,
    "strip": _Writer.trimmed,
    "replace": _Writer.replaced,
    "array": lambda writer, node: (f"[{writer.listed(node.args)}]", ATOM),
    "json_is": _Writer.of_type,
    "json_items": lambda writer, node: (writer.text(node.args[0], ATOM), ATOM),
    NULL_IS_VALUE: lambda writer, node: writer.form(node.args[0]),
    NULL_CASES: lambda writer, node: writer.with_nulls(node.args[0]),
    "json_number": lambda writer, node: (f"{writer.text(node.args[0], PRODUCT)} * 1.0", PRODUCT),
    "json_string": lambda writer, node: (f'{writer.text(node.args[0], SUM)} + ""', SUM),
    "json_values": _unsupported_list,
}


def _path(node: Field) -> str:
    parts = node.decl.name.split(".")
    if not all(map(_is_name, parts)):
        raise refuse("cel", node, say.no_name_in_cel(node.decl.name))
    return node.decl.name


def _may_fail(part: Node) -> bool:
    """Whether an expression may be an error in CEL although its operands have values."""
    if not isinstance(part, Call):
        return isinstance(part, Quantifier)
    elements = part.op == "in" and not isinstance(part.args[1], Items)  # one of them may be absent
    return (
        elements
        or (part.op not in _TOTAL and part.op != "json_get")
        or (part.op in ORDERED and any(arg.type == JSON for arg in part.args))
    )


def _strict(node: Node) -> Iterator[Node]:
    """A node and its parts that make it UNKNOWN if they are: without the parts of nodes that are never
    UNKNOWN.
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
    """A LIKE pattern as Knative's glob. Raises Unsupported for a `*` or `?`, which a glob cannot escape."""
    pattern = node.args[1].value if isinstance(node.args[1], Literal) else None
    if not isinstance(pattern, str) or re.search(r"[*?]", pattern):
        raise refuse("cel", node, say.GLOB_WITH_WILDCARDS)
    return re.sub(
        r"\\(.)|([%_])", lambda match: match[1] or {"%": "*", "_": "?"}[match[2]], pattern, flags=re.DOTALL
    )
