"""The type check: an untyped tree with spans becomes typed nodes, or diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import assert_never

from predicat.diagnostics import Diagnostic, PredicatError, Reporter, Span
from predicat.diagnostics import messages as msg
from predicat.ir import tree as t
from predicat.ir.nodes import Call, Field, FieldDecl, Items, Literal, Node, ParamDecl, Parameter, Quantifier, Variable
from predicat.ir.ops import COMPARISONS
from predicat.ir.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    JSON,
    NULL,
    STRING,
    TIMESTAMP,
    ArrayType,
    DecimalType,
    MapType,
    StructType,
    Type,
    is_numeric,
)
from predicat.ir.values import INT_MAX, INT_MIN, parse_date, parse_sql_timestamp, type_of
from predicat.passes import signatures
from predicat.semantics import regex
from predicat.semantics.zones import TRUNC_UNITS, ZONED, is_zone

MAX_DEPTH = 100
MAX_NODES = 20_000
MAX_LENGTH = 100_000

Resolve = Callable[[str, tuple[tuple[str, Node], ...], Span], Node]


@dataclass(frozen=True, slots=True)
class Rules:
    """What a language lets pass.

    `promote`: an integer may stand where a double is wanted, and a text constant where a date or timestamp is (SQL).
    `null_is_value`: fields declared `nulls: value` compare as CEL's null does.
    """

    promote: bool
    null_is_value: bool


SQL_RULES = Rules(promote=True, null_is_value=False)
CEL_RULES = Rules(promote=False, null_is_value=True)


@dataclass(frozen=True, slots=True)
class Scope:
    """The names that a body may use. `fields` None: any name is a field of dynamic (JSON-like) type."""

    fields: Mapping[str, FieldDecl] | None
    params: Mapping[str, ParamDecl] = field(default_factory=dict[str, ParamDecl])
    resolve: Resolve | None = None


def check(tree: t.Tree, scope: Scope, rules: Rules) -> Node:
    """The typed, boolean node of a tree. Raises PredicatError with every problem found."""
    checker = _Checker(scope, rules)
    try:
        node = checker.predicate(tree)
    except _Stop:
        node = None
    checker.reporter.raise_errors()
    if node is None:  # a filter that this one refers to is broken, and reported where it stands
        raise PredicatError([])
    return node


class _Stop(Exception):
    """A part has a problem that is reported already; its parents say nothing."""


@dataclass(slots=True)
class _Checker:
    scope: Scope
    rules: Rules
    reporter: Reporter = field(default_factory=Reporter)
    variables: dict[str, Type] = field(default_factory=dict[str, Type])
    count: int = 0

    # --- walking

    def fail(self, diagnostic: Diagnostic) -> _Stop:
        self.reporter.add(diagnostic)
        return _Stop()

    def predicate(self, tree: t.Tree, depth: int = 0) -> Node:
        """A tree that must be boolean."""
        node = self.node(tree, depth)
        if node.type == JSON:
            return Call(BOOLEAN, "json_boolean", (node,), tree.span)
        if node.type == NULL:
            return Literal(BOOLEAN, None, tree.span)
        if node.type != BOOLEAN:
            raise self.fail(msg.not_boolean(tree.span, str(node.type)))
        return node

    def node(self, tree: t.Tree, depth: int) -> Node:
        self.count += 1
        if depth > MAX_DEPTH:
            raise self.fail(msg.too_deep(tree.span, MAX_DEPTH))
        if self.count > MAX_NODES:
            raise self.fail(msg.too_large(tree.span, self.count, MAX_NODES, "parts"))
        match tree:
            case t.Const(value, span):
                return self.constant(value, span)
            case t.Name() | t.Member():
                return self.name(tree, depth)
            case t.Param(name, span):
                if name not in self.scope.params:
                    raise self.fail(msg.unknown_param(span, name, self.scope.params))
                decl = self.scope.params[name]
                return Parameter(decl.type, decl, span)
            case t.ListOf():
                return self.items(tree, depth)
            case t.Apply():
                return self.apply(tree, depth)
            case t.Bind():
                return self.bind(tree, depth)
            case t.Ref(name, args, span):
                return self.reference(name, args, span, depth)
            case _:
                assert_never(tree)

    def all(self, trees: tuple[t.Tree, ...], depth: int) -> list[Node]:
        """The nodes of several trees; a problem in one does not hide those of the others."""
        nodes: list[Node] = []
        stopped = False
        for tree in trees:
            try:
                nodes.append(self.node(tree, depth + 1))
            except _Stop:
                stopped = True
        if stopped:
            raise _Stop
        return nodes

    # --- leaves

    def constant(self, value: t.Value, span: Span) -> Node:
        if isinstance(value, str):
            if "\0" in value:
                raise self.fail(msg.bad_character(span, "NUL (U+0000)"))
            if any("\ud800" <= char <= "\udfff" for char in value):
                raise self.fail(msg.bad_character(span, "half of a surrogate pair"))
        if isinstance(value, int) and not isinstance(value, bool) and not INT_MIN <= value <= INT_MAX:
            raise self.fail(msg.number_range(span, str(value)))
        return Literal(type_of(value), value, span)

    def name(self, tree: t.Name | t.Member, depth: int) -> Node:
        base, keys = _path(tree)
        if isinstance(base, t.Name):
            node, rest = self.root(base, keys, tree.span)
        else:
            node, rest = self.node(base, depth + 1), keys
        for key in rest:
            node = self.member(node, key, tree.span)
        return node

    def root(self, base: t.Name, keys: list[str], span: Span) -> tuple[Node, list[str]]:
        """The variable, parameter or field that a dotted name begins with, and what follows it."""
        name = base.name
        if name in self.variables:
            return Variable(self.variables[name], name, base.span), keys
        fields = self.scope.fields
        if fields is None:
            if name in self.scope.params:
                return Parameter(self.scope.params[name].type, self.scope.params[name], base.span), keys
            return Field(JSON, FieldDecl(name, JSON), base.span), keys
        for length in range(len(keys), -1, -1):
            dotted = ".".join([name, *keys[:length]])
            if dotted in fields:
                return Field(fields[dotted].type, fields[dotted], span), keys[length:]
        if name in self.scope.params:
            return Parameter(self.scope.params[name].type, self.scope.params[name], base.span), keys
        raise self.fail(msg.unknown_field(span, ".".join([name, *keys]), [*fields, *self.scope.params]))

    def member(self, node: Node, key: str, span: Span) -> Node:
        name = Literal(STRING, key, span)
        match node.type:
            case MapType(value):
                return Call(value, "get", (node, name), span)
            case StructType() as struct:
                kind = struct.get(key)
                if kind is None:
                    known = [item for item, _ in struct.fields]
                    raise self.fail(msg.unknown_member(span, key, str(struct), known))
                return Call(kind, "member", (node, name), span)
            case _ if node.type == JSON:
                return Call(JSON, "json_get", (node, name), span)
            case _:
                raise self.fail(msg.unknown_member(span, key, f"a {node.type}", ()))

    # --- parts

    def items(self, tree: t.ListOf, depth: int) -> Node:
        nodes = self.all(tree.items, depth)
        kinds = list(dict.fromkeys(node.type for node in nodes if node.type != NULL))
        if not kinds:
            return Items(ArrayType(NULL), tuple(nodes), tree.span)
        if len(kinds) > 1 and not all(is_numeric(kind) for kind in kinds):
            raise self.fail(msg.not_comparable(tree.span, str(kinds[0]), str(kinds[1]), "the items of a list have one type"))
        element = kinds[0] if len(kinds) == 1 else DOUBLE
        return Items(ArrayType(element), tuple(_typed_null(node, element) for node in nodes), tree.span)

    def bind(self, tree: t.Bind, depth: int) -> Node:
        source = self.node(tree.source, depth + 1)
        if not isinstance(source.type, ArrayType) or isinstance(source, Items):
            raise self.fail(msg.type_mismatch(tree.source.span, tree.kind, [str(source.type)], "an array field"))
        outer = self.variables.get(tree.variable)
        self.variables[tree.variable] = source.type.element
        try:
            body = self.predicate(tree.body, depth + 1)
        finally:
            if outer is None:
                self.variables.pop(tree.variable, None)
            else:
                self.variables[tree.variable] = outer
        return Quantifier(BOOLEAN, tree.kind, tree.variable, source, body, tree.span)

    def reference(self, name: str, args: tuple[tuple[str, t.Tree], ...], span: Span, depth: int) -> Node:
        if self.scope.resolve is None:
            raise self.fail(msg.reference_outside_catalog(span))
        nodes = self.all(tuple(tree for _, tree in args), depth)
        named = tuple((key, node) for (key, _), node in zip(args, nodes, strict=True))
        try:
            return self.scope.resolve(name, named, span)
        except PredicatError as error:
            self.reporter.extend(error.diagnostics)
            raise _Stop from error

    # --- operators

    def apply(self, tree: t.Apply, depth: int) -> Node:
        args = self.all(tree.args, depth)
        op, span = tree.op, tree.span
        if op == "has":
            return self.has(args[0], span)
        if op == "cast":
            return self.cast(args[0], args[1], span)
        if op in ("bracket", "bracket1"):
            return self.bracket(op, args[0], args[1], span)
        if op in COMPARISONS or op in ("same", "in"):
            return self.comparison(op, args, span)
        if op == "size":
            op = _SIZES.get(args[0].type, "size")
        if op == "add" and STRING in (args[0].type, args[1].type):
            op = "concat"
        if op in ("add", "sub") and args[0].type == DATE:
            op, args = self.days(op, args)
        return self.call(op, args, span)

    def days(self, op: str, args: list[Node]) -> tuple[str, list[Node]]:
        """SQL: a date and a number of days, an interval of whole days, or another date."""
        date, other = args
        if op == "sub" and other.type == DATE:
            return "days_between", args
        if isinstance(other, Literal) and isinstance(other.value, timedelta) and not other.value % timedelta(days=1):
            other = Literal(BIGINT, other.value // timedelta(days=1), other.span)
        if other.type == BIGINT:
            shift = Call(BIGINT, "neg", (other,), other.span) if op == "sub" else other
            return "add_days", [date, shift]
        return op, args

    def call(self, op: str, args: list[Node], span: Span) -> Node:
        """A call of an operator, with the conversions that make its arguments fit."""
        for position in signatures.constant_positions(op):
            if position < len(args) and not isinstance(args[position], Literal):
                raise self.fail(msg.not_constant(args[position].span, op, "pattern" if position else "unit"))
        self.pattern(op, args)
        if self.rules.promote:
            args = self.sql_arithmetic(op, args)
        kinds = tuple(arg.type for arg in args)
        found = signatures.find(op, kinds, promote=self.rules.promote, mixed_numbers=False)
        if found is None:
            raise self.fail(msg.type_mismatch(span, op, map(str, kinds), signatures.expected(op), self.number_hint(kinds)))
        converted = tuple(_convert(arg, kind) for arg, kind in zip(args, found.wanted, strict=True))
        return Call(found.result, op, converted, span)

    def pattern(self, op: str, args: list[Node]) -> None:
        """A regular expression, a unit or a time zone that is a constant must be a good one."""
        for position in signatures.constant_positions(op):
            node = args[position] if position < len(args) else None
            if not isinstance(node, Literal) or not isinstance(node.value, str):
                continue
            if op == "matches":
                try:
                    regex.parse(node.value)
                except regex.RegexError as error:
                    raise self.fail(msg.bad_regex(node.span, str(error))) from None
            elif op == "date_trunc" and node.value not in TRUNC_UNITS:
                raise self.fail(msg.bad_constant(node.span, "unit of time", node.value, "day"))
            elif op in ZONED and not is_zone(node.value):
                raise self.fail(msg.bad_constant(node.span, "time zone", node.value, "Europe/Paris"))

    def sql_arithmetic(self, op: str, args: list[Node]) -> list[Node]:
        """Decimals are added as doubles, because the engines disagree about the digits of the result."""
        if op not in ("add", "sub", "mul", "div", "neg", "abs"):
            return args
        return [_convert(arg, DOUBLE) if isinstance(arg.type, DecimalType) else arg for arg in args]

    def number_hint(self, kinds: tuple[Type, ...]) -> str | None:
        if not self.rules.promote and BIGINT in kinds and DOUBLE in kinds:
            return "write the integer with a point (2.0), or convert it with double()"
        return None

    def has(self, node: Node, span: Span) -> Node:
        """CEL's test for presence. A field whose NULL is a value is always there."""
        if isinstance(node, Field) and self.nullable_value(node):
            return Literal(BOOLEAN, True, span)
        return Call(BOOLEAN, "not", (Call(BOOLEAN, "is_null", (node,), span),), span)

    def cast(self, node: Node, target: Node, span: Span) -> Node:
        """A conversion; of a value that has the type already there is none."""
        op = target.value if isinstance(target, Literal) else None
        wanted = {"to_string": STRING, "to_int": BIGINT, "to_double": DOUBLE, "to_boolean": BOOLEAN,
                  "to_timestamp": TIMESTAMP, "to_date": DATE}[str(op)]  # fmt: skip
        if node.type == NULL:
            return Literal(wanted, None, span)
        if node.type == JSON:
            node = _convert(node, wanted if wanted in (STRING, BOOLEAN) else DOUBLE)
        if isinstance(node.type, DecimalType) and wanted in (BIGINT, DOUBLE):
            node = _convert(node, DOUBLE)
        return node if node.type == wanted else self.call(str(op), [node], span)

    def bracket(self, op: str, base: Node, key: Node, span: Span) -> Node:
        """`base[key]`; "bracket1" counts array elements from 1."""
        if isinstance(base.type, StructType) and isinstance(key, Literal) and isinstance(key.value, str):
            return self.member(base, key.value, span)
        if isinstance(base.type, MapType):
            return self.call("get", [base, key], span)
        if base.type == JSON:
            return self.call("json_get" if key.type == STRING else "json_at", [base, key], span)
        if op == "bracket1" and isinstance(base.type, ArrayType):
            key = Call(BIGINT, "sub", (key, Literal(BIGINT, 1, span)), span)
        return self.call("index", [base, key], span)

    def comparison(self, op: str, args: list[Node], span: Span) -> Node:
        left, right = args
        if op == "in" and isinstance(right, Items):
            return self.in_list(left, right, span)
        if op == "in" and not isinstance(right.type, ArrayType):
            raise self.fail(msg.type_mismatch(span, op, [str(left.type), str(right.type)], "a list or an array on the right"))
        if op in ("eq", "ne", "same"):
            null = _null_test(left, right, span) if self.rules.null_is_value else None
            if null is not None:
                return null if op != "ne" else Call(BOOLEAN, "not", (null,), span)
            if JSON in (left.type, right.type) and left.type != right.type and op != "same":
                return self.json_equality(op, left, right, span)
        if op != "in":
            left, right = self.align(left, right)
        if DOUBLE in (left.type, right.type):
            left, right = _beside_double(left), _beside_double(right)
        kinds = (left.type, right.type)
        found = signatures.find(op, kinds, promote=self.rules.promote, mixed_numbers=True)
        if found is None or isinstance(left.type, ArrayType | MapType | StructType) or kinds == (JSON, JSON):
            hint = _comparison_hint(left, right)
            raise self.fail(msg.not_comparable(span, str(left.type), str(right.type), hint))
        pair = tuple(_convert(arg, kind) for arg, kind in zip((left, right), found.wanted, strict=True))
        if op in ("eq", "ne") and self.rules.null_is_value and any(self.nullable_value(arg) for arg in pair):
            return self.null_equality(op, pair[0], pair[1], span)
        return Call(BOOLEAN, op, pair, span)

    def in_list(self, left: Node, right: Items, span: Span) -> Node:
        """`x in [...]`: NULL items follow the language, the others are compared at once."""
        nulls = [item for item in right.items if isinstance(item, Literal) and item.value is None]
        items = [item for item in right.items if item not in nulls]
        parts: list[Node] = []
        if items and (left.type == JSON or self.nullable_value(left)):
            parts = [self.comparison("eq", [left, item], span) for item in items]
        elif items:
            pairs = [self.align(left, item) for item in items]
            left = pairs[0][0]
            aligned = tuple(_beside_double(item) if left.type == DOUBLE else item for _, item in pairs)
            kinds = {left.type, *(item.type for item in aligned)} - {NULL}
            if len(kinds) > 1 and not all(is_numeric(kind) for kind in kinds):
                raise self.fail(msg.not_comparable(span, str(left.type), str(aligned[0].type), _comparison_hint(left, aligned[0])))
            parts = [Call(BOOLEAN, "in", (left, Items(ArrayType(aligned[0].type), aligned, right.span)), span)]
        if nulls and self.rules.null_is_value:
            parts.append(Call(BOOLEAN, "is_null", (left,), span))
        elif nulls:
            parts.append(Literal(BOOLEAN, None, span))
        if not parts:
            # `x in []` is FALSE, but UNKNOWN where x is: it is an operator like any other.
            return Call(BOOLEAN, "in", (left, Items(ArrayType(left.type), (), right.span)), span)
        return parts[0] if len(parts) == 1 else Call(BOOLEAN, "or", tuple(parts), span)

    def align(self, left: Node, right: Node) -> tuple[Node, Node]:
        """SQL: a text constant beside a date or a timestamp is one; a date beside a timestamp is its midnight in UTC."""
        if not self.rules.promote:
            return left, right
        return self.as_time(left, right.type), self.as_time(right, left.type)

    def as_time(self, node: Node, other: Type) -> Node:
        if isinstance(node, Literal) and isinstance(node.value, str) and other in (TIMESTAMP, DATE):
            value = parse_sql_timestamp(node.value) if other == TIMESTAMP else parse_date(node.value)
            if value is None:
                example = "2013-07-04 10:30:00" if other == TIMESTAMP else "2013-07-04"
                raise self.fail(msg.bad_constant(node.span, str(other), node.value, example))
            return Literal(other, value, node.span)
        if node.type == DATE and other == TIMESTAMP:
            return Call(TIMESTAMP, "to_timestamp", (node,), node.span)
        return node

    # --- values without a type, and nulls that are values

    def nullable_value(self, node: Node) -> bool:
        return self.rules.null_is_value and isinstance(node, Field) and node.decl.nulls == "value"

    def json_equality(self, op: str, left: Node, right: Node, span: Span) -> Node:
        """A JSON value equals a typed one if it is of that kind and the same; absent is UNKNOWN."""
        json, other = (left, right) if left.type == JSON else (right, left)
        kind = "number" if is_numeric(other.type) else _JSON_KINDS.get(other.type)
        if kind is None:
            raise self.fail(msg.not_comparable(span, str(left.type), str(right.type)))
        test = Call(BOOLEAN, "json_is", (json, Literal(STRING, kind, span)), span)
        equal = Call(BOOLEAN, "eq", (_convert(json, DOUBLE if kind == "number" else other.type), other), span)
        both = Call(BOOLEAN, "and", (test, equal), span)
        return both if op == "eq" else Call(BOOLEAN, "not", (both,), span)

    def null_equality(self, op: str, left: Node, right: Node, span: Span) -> Node:
        """Equality where a NULL of one or both sides is a value: null == null, and null differs from all else."""
        equal: Node
        if self.nullable_value(left) and self.nullable_value(right):
            equal = Call(BOOLEAN, "same", (left, right), span)
        else:
            value, other = (left, right) if self.nullable_value(left) else (right, left)
            plain = Call(BOOLEAN, "eq", (left, right), span)
            if isinstance(other, Literal):
                equal = Call(BOOLEAN, "is_true", (plain,), span)
            else:
                other_null = Call(BOOLEAN, "is_null", (other,), span)
                missing = Call(BOOLEAN, "cond", (other_null, Literal(BOOLEAN, None), Literal(BOOLEAN, False)), span)
                equal = Call(BOOLEAN, "cond", (Call(BOOLEAN, "is_null", (value,), span), missing, plain), span)
        return equal if op == "eq" else Call(BOOLEAN, "not", (equal,), span)


_SIZES: dict[Type, str] = {STRING: "length", JSON: "json_size"}
_JSON_KINDS: dict[Type, str] = {STRING: "string", BOOLEAN: "boolean"}
_JSON_VALUES: dict[Type, str] = {STRING: "json_string", DOUBLE: "json_number", BOOLEAN: "json_boolean"}


def _path(tree: t.Tree) -> tuple[t.Tree, list[str]]:
    keys: list[str] = []
    while isinstance(tree, t.Member):
        keys.append(tree.key)
        tree = tree.base
    return tree, keys[::-1]


def _beside_double(node: Node) -> Node:
    """A decimal beside a double is compared as a double, on every engine; so is a whole constant that a double holds."""
    exact = isinstance(node, Literal) and node.type == BIGINT and isinstance(node.value, int) and abs(node.value) <= 2**53
    return _convert(node, DOUBLE) if exact or isinstance(node.type, DecimalType) else node


def _null_test(left: Node, right: Node, span: Span) -> Node | None:
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Literal) and one.value is None:
            return Call(BOOLEAN, "is_null", (other,), span)
    return None


def _typed_null(node: Node, kind: Type) -> Node:
    return Literal(kind, None, node.span) if isinstance(node, Literal) and node.value is None else node


def _convert(node: Node, kind: Type) -> Node:
    """A node as another type: a conversion that signatures.find has found possible."""
    if node.type == kind:
        return node
    if node.type == NULL and isinstance(node, Literal):
        return Literal(kind, None, node.span)
    if node.type == JSON:
        op = _JSON_VALUES.get(kind)
        return Call(kind, op, (node,), node.span) if op else node
    if kind == DOUBLE and is_numeric(node.type):
        if isinstance(node, Literal) and node.value is not None:
            return Literal(DOUBLE, float(str(node.value)), node.span)
        return Call(DOUBLE, "to_double", (node,), node.span)
    return node


def _comparison_hint(left: Node, right: Node) -> str | None:
    for text, other in ((left, right), (right, left)):
        if isinstance(text, Literal) and isinstance(text.value, str) and is_numeric(other.type):
            return "write the number without quotes" if text.value.replace(".", "", 1).lstrip("-").isdigit() else None
    if STRING in (left.type, right.type) and (is_numeric(left.type) or is_numeric(right.type)):
        return "put the text in quotes, or convert one side"
    return None
