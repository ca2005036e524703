"""The type check: an untyped tree with spans becomes typed nodes, or diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from predicat.diagnostics import Diagnostic, PredicatError, Reporter, Span
from predicat.diagnostics import messages as msg
from predicat.ir import tree as t
from predicat.ir.nodes import (
    Call,
    Field,
    FieldDecl,
    Items,
    Literal,
    Node,
    ParamDecl,
    Parameter,
    Quantifier,
    Variable,
    children,
    walk,
)
from predicat.ir.ops import COMPARISONS
from predicat.ir.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    DURATION,
    JSON,
    NULL,
    STRING,
    TIMESTAMP,
    ArrayType,
    DecimalType,
    MapType,
    Scalar,
    StructType,
    Type,
    is_numeric,
)
from predicat.ir.values import INT_MAX, INT_MIN, parse_date, parse_sql_timestamp, type_of
from predicat.passes import constants, overflow, signatures
from predicat.semantics import regex
from predicat.semantics.zones import TRUNC_UNITS, ZONED, is_zone

MAX_DEPTH = 100
MAX_NODES = 20_000
MAX_LENGTH = 100_000

Resolve = Callable[[str, tuple[tuple[str, Node], ...], Span], Node]


class Rules(Struct, frozen=True):
    """What a language lets pass.

    `promote`: an integer may stand where a double is wanted, and a text constant where a date or timestamp is (SQL).
    `null_is_value`: fields declared `nulls: value` compare as CEL's null does. `strict_lists`: a list with an absent
    element is an error as a whole. `cel_numbers`: doubles divide as IEEE 754 has it, and whole numbers overflow as in CEL.
    `absorbing`: beside a constant that decides AND, OR or a choice alone, the type of what it passes over counts for nothing.
    """

    promote: bool
    null_is_value: bool
    strict_lists: bool = False
    cel_numbers: bool = False
    absorbing: bool = False


SQL_RULES = Rules(promote=True, null_is_value=False)
CEL_RULES = Rules(promote=False, null_is_value=True, strict_lists=True, cel_numbers=True, absorbing=True)


class Scope(Struct, frozen=True):
    """The names that a body may use. `fields` None: any name is a field of dynamic (JSON-like) type.

    `enums` has the constants that are named by an enumeration and a word, `Status.ACTIVE`; a field of such a name goes before.
    """

    fields: Mapping[str, FieldDecl] | None
    params: Mapping[str, ParamDecl] = field(default_factory=dict[str, ParamDecl])
    resolve: Resolve | None = None
    enums: Mapping[str, int | str] = field(default_factory=dict[str, int | str])


def check(tree: t.Tree, scope: Scope, rules: Rules) -> Node:
    """The typed, boolean node of a tree. Raises PredicatError with every problem found."""
    checker = _Checker(scope, rules)
    try:
        node = checker.predicate(tree)
    except _Stop:
        node = None
    checker.reporter.raise_errors()
    if node is not None and checker.lists:
        _no_lists(node)
    if node is None:  # a filter that this one refers to is broken, and reported where it stands
        raise PredicatError([])
    return node


def _no_lists(node: Node) -> None:
    """A written-out list or map stands nowhere but on the right of IN."""
    for part in walk(node):
        allowed = part.args[1] if isinstance(part, Call) and part.op == "in" else None
        for child in children(part):
            if isinstance(child, Items) and child is not allowed:
                raise PredicatError.of(msg.unsupported_syntax(child.span, "a list or map of values here"))


_COLLECTIONS = (ArrayType, MapType)
_NESTED = (*_COLLECTIONS, StructType)


class _Stop(Exception):
    """A part has a problem that is reported already; its parents say nothing."""


class _Checker(Struct):
    scope: Scope
    rules: Rules
    reporter: Reporter = field(default_factory=Reporter)
    variables: dict[str, Node] = field(default_factory=dict[str, Node])
    count: int = 0
    lists: bool = False
    hidden: int = 0

    # --- walking

    def fail(self, diagnostic: Diagnostic) -> _Stop:
        self.reporter.add(diagnostic)
        return _Stop()

    def predicate(self, tree: t.Tree, depth: int = 0) -> Node:
        """A tree that must be boolean."""
        node = self.node(tree, depth)
        if _loose(node) and node.type not in (BOOLEAN, JSON):
            return Literal(BOOLEAN, None, tree.span)
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
        if self.count == MAX_NODES + 1:
            raise self.fail(msg.too_large(tree.span, self.count, MAX_NODES, "parts"))
        if self.count > MAX_NODES:
            raise _Stop  # it is said once
        match tree:  # the common ones first
            case t.Apply():
                return self.apply(tree, depth)
            case t.Name() | t.Member():
                return self.name(tree, depth)
            case t.Const():
                return self.constant(tree.value, tree.span)
            case t.Param(name, span):
                if name not in self.scope.params:
                    raise self.fail(msg.unknown_param(span, name, self.scope.params))
                decl = self.scope.params[name]
                return Parameter(decl.type, decl, span)
            case t.ListOf() | t.MapOf():
                self.lists = True
                return self.items(tree, depth) if isinstance(tree, t.ListOf) else self.entries(tree, depth)
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
        if isinstance(value, str) and not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
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
            return self.variables[name], keys
        fields, enums = self.scope.fields, self.scope.enums
        for length in range(len(keys), -1, -1) if fields or enums else ():
            dotted = ".".join([name, *keys[:length]])
            if fields is not None and dotted in fields:
                return Field(fields[dotted].type, fields[dotted], span), keys[length:]
            if dotted in enums:
                return self.constant(enums[dotted], span), keys[length:]
        if name in self.scope.params:
            return Parameter(self.scope.params[name].type, self.scope.params[name], base.span), keys
        if fields is None:
            return Field(JSON, FieldDecl(name, JSON), base.span), keys
        raise self.fail(msg.unknown_field(span, ".".join([name, *keys]), [*fields, *self.scope.params, *enums]))

    def member(self, node: Node, key: str, span: Span) -> Node:
        name = self.constant(key, span)
        if constants.is_map(node):
            return self.look_up(node, name, span)
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
        if any(isinstance(node, Items) for node in nodes):
            return Items(ArrayType(nodes[0].type), tuple(nodes), tree.span)
        if self.rules.strict_lists and (len(kinds) > 1 or any(node.type == NULL for node in nodes)):
            return Items(ArrayType(kinds[0]), tuple(_dyn(node) for node in nodes), tree.span)
        if len(kinds) > 1 and not all(is_numeric(kind) for kind in kinds):
            raise self.fail(msg.not_comparable(tree.span, str(kinds[0]), str(kinds[1]), "the items of a list have one type"))
        element = kinds[0] if len(kinds) == 1 else DOUBLE
        return Items(ArrayType(element), tuple(_typed_null(node, element) for node in nodes), tree.span)

    def entries(self, tree: t.MapOf, depth: int) -> Node:
        """A written-out map: items of two, a key and a value. Keys of one type and values of one type are plain."""
        nodes = self.all(tuple(part for entry in tree.entries for part in entry), depth)
        keys, values = nodes[::2], nodes[1::2]
        known = [key.value for key in keys if isinstance(key, Literal)]
        twice = next((value for value in known if known.count(value) > 1), None)
        if twice is not None:
            raise self.fail(msg.bad_value(tree.span, "a map", f"the key {twice!r} stands twice"))
        for key in keys:
            if key.type not in (STRING, BIGINT, BOOLEAN, JSON):
                raise self.fail(msg.type_mismatch(key.span, "a map", [str(key.type)], "texts, whole numbers and truth values as keys"))
        if len({key.type for key in keys}) > 1:
            keys = [_dyn(key) for key in keys]
        if len({value.type for value in values}) > 1:
            values = [value if isinstance(value, Items) else _dyn(value) for value in values]
        kind = values[0].type if values else NULL
        pairs = tuple(Items(ArrayType(NULL), pair, tree.span) for pair in zip(keys, values, strict=True))
        return Items(MapType(kind), pairs, tree.span)

    def bind(self, tree: t.Bind, depth: int) -> Node:
        source = self.node(tree.source, depth + 1)
        if constants.is_list(source) or constants.is_map(source):
            return self.unrolled(tree, source, depth)
        if isinstance(source.type, MapType):
            source = Call(ArrayType(STRING), "keys", (source,), source.span)
        if not isinstance(source.type, ArrayType) and source.type != JSON:
            raise self.fail(msg.type_mismatch(tree.source.span, tree.kind, [str(source.type)], "an array"))
        element = source.type.element if isinstance(source.type, ArrayType) else JSON
        body = self.with_variable(tree, Variable(element, tree.variable, tree.span), depth)
        kind: Type = BOOLEAN
        if tree.kind in ("filter", "map"):
            kind = ArrayType(element if tree.kind == "filter" else body.type)
        return Quantifier(kind, tree.kind, tree.variable, source, body, tree.span)

    def with_variable(self, tree: t.Bind, value: Node, depth: int) -> Node:
        """The body of a macro where its variable stands for a node."""
        outer = self.variables.get(tree.variable)
        self.variables[tree.variable] = value
        try:
            return self.node(tree.body, depth + 1) if tree.kind == "map" else self.predicate(tree.body, depth + 1)
        finally:
            if outer is None:
                self.variables.pop(tree.variable, None)
            else:
                self.variables[tree.variable] = outer

    def unrolled(self, tree: t.Bind, source: Node, depth: int) -> Node:
        """A macro over a written-out list: its body once for each element. Over a map: for each key."""
        assert isinstance(source, Items)  # noqa: S101  # bind() made sure
        elements = source.items if constants.is_list(source) else tuple(key for key, _ in constants.entries(source))
        bodies = [self.with_variable(tree, element, depth) for element in elements]
        span = tree.span
        match tree.kind:
            case "any":
                return constants.guarded(constants.either(bodies, span), [source], span)
            case "all":
                return constants.guarded(constants.both(bodies, span), [source], span)
            case "one":
                return constants.guarded(constants.exactly_one(bodies, span), [source], span)
            case "map":
                return Items(ArrayType(bodies[0].type if bodies else NULL), tuple(bodies), span)
            case _:
                return self.filtered(tree, elements, depth)

    def filtered(self, tree: t.Bind, elements: tuple[Node, ...], depth: int) -> Node:
        """A filter over a written-out list, whose length depends on the row: the list becomes an array."""
        if not elements:
            return Items(ArrayType(NULL), (), tree.span)
        array = self.array(Items(ArrayType(elements[0].type), elements, tree.span))
        element = array.type.element if isinstance(array.type, ArrayType) else NULL
        body = self.with_variable(tree, Variable(element, tree.variable, tree.span), depth)
        return Quantifier(array.type, "filter", tree.variable, array, body, tree.span)

    def array(self, node: Node) -> Node:
        """A written-out list as an array of the engine."""
        if not isinstance(node, Items):
            return node
        items = tuple(_bare(item) for item in node.items)
        kinds = {item.type for item in items}
        if constants.is_map(node) or len(kinds) != 1 or not isinstance(items[0].type, Scalar) or NULL in kinds:
            raise self.fail(msg.unsupported_syntax(node.span, "a list of values of several types, or of none, here"))
        return Call(ArrayType(items[0].type), "array", items, node.span)

    def look_up(self, base: Node, key: Node, span: Span) -> Node:
        """The value of a key of a written-out map, or the element at a place of a written-out list."""
        assert isinstance(base, Items)  # noqa: S101  # callers made sure
        if constants.is_map(base):
            pairs = constants.entries(base)
        else:
            if key.type not in (BIGINT, DOUBLE) or (key.type == DOUBLE and not _loose(key)):
                if _loose(key):
                    return _dyn(Literal(BOOLEAN, None, span))
                raise self.fail(msg.type_mismatch(span, "[]", [str(base.type), str(key.type)], "a whole number in the brackets"))
            pairs = [(Literal(BIGINT, place, span), item) for place, item in enumerate(base.items)]
        if isinstance(_bare(key), Literal) and all(isinstance(_bare(one), Literal) for one, _ in pairs):
            found = next((value for one, value in pairs if _same_constant(_bare(one), _bare(key))), None)
            missing = Literal(pairs[0][1].type if pairs else BOOLEAN, None, span)
            result = found if found is not None else _dyn(missing) if missing.type == NULL or isinstance(pairs[0][1] if pairs else None, Items) else missing
            return constants.guarded(result, [base], span)
        chosen = constants.choose([(self.comparison("eq", [one, key], span), _bare(value)) for one, value in pairs], span)
        if chosen is None:
            raise self.fail(msg.unsupported_syntax(span, "a look-up by a value of the row among values of several types"))
        return constants.guarded(chosen, [base], span)

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
        if tree.op in ("and", "or", "not"):
            return self.connective(tree, depth)
        args = self.all(tree.args, depth)
        op, span = tree.op, tree.span
        if op == "dyn":
            return _dyn(args[0])
        if op == "has":
            return self.has(args[0], span)
        if op == "cast":
            return self.cast(args[0], args[1], span)
        if op in ("bracket", "bracket1"):
            return self.bracket(op, args[0], args[1], span)
        if op in COMPARISONS or op in ("same", "in"):
            return self.comparison(op, args, span)
        if op == "cond" and any(isinstance(arg, Items) for arg in args):
            raise self.fail(msg.unsupported_syntax(span, "a choice between lists or maps"))
        if op == "size" and isinstance(args[0], Items):
            return constants.guarded(Literal(BIGINT, len(args[0].items), span), [args[0]], span)
        if op == "add" and isinstance(args[0].type, ArrayType) and isinstance(args[1].type, ArrayType):
            return self.joined_lists(args[0], args[1], span)
        if op == "join" and isinstance(args[0], Items):
            return self.joined_texts(args[0], args[1], span)
        args = [self.array(arg) for arg in args]
        test = args[0] if op == "cond" else None
        if self.rules.absorbing and isinstance(test, Literal) and isinstance(test.value, bool) and args[1].type != args[2].type:
            return args[1 if test.value else 2]
        loose = any(_loose(arg) for arg in args)
        args = [_bare(arg) for arg in args]
        op, args = self.overload(op, args)
        if loose and signatures.find(op, tuple(arg.type for arg in args), promote=False, mixed_numbers=True) is None:
            return _dyn(Literal(BOOLEAN, None, span))
        if op in _DURATION_UNITS and args[0].type == DURATION:
            return _duration_part(op, args[0], span)
        if op in ("add", "sub") and args[0].type == DATE:
            op, args = self.days(op, args)
        found = self.call(op, args, span)
        if op == "json_size":
            return _json_size(found)
        return overflow.remainder(found) if self.rules.cel_numbers and op == "mod" else found

    def overload(self, op: str, args: list[Node]) -> tuple[str, list[Node]]:
        """The operator that a sign or a name means for arguments of these types."""
        kinds = [arg.type for arg in args]
        if op == "size":
            return _SIZES.get(kinds[0], op), args
        if op == "add" and STRING in kinds:
            return "concat", args
        if op == "add" and kinds == [DURATION, TIMESTAMP]:
            return op, args[::-1]
        if op == "div" and self.rules.cel_numbers and set(kinds) <= {DOUBLE, JSON} and DOUBLE in kinds:
            return "fdiv", args
        return op, args

    def connective(self, tree: t.Apply, depth: int) -> Node:
        """AND, OR and NOT; an operand whose type is not checked may be no truth value, which is an error where it is used."""
        nodes: list[Node] = []
        for node in self.all(tree.args, depth):
            bare = _bare(node)
            nodes.append(Literal(BOOLEAN, None, tree.span) if _loose(node) and bare.type not in (BOOLEAN, JSON) else bare)
        if self.rules.absorbing and tree.op != "not" and Literal(BOOLEAN, tree.op == "or") in nodes:
            nodes = [node for node in nodes if node.type in (BOOLEAN, JSON)]
        return self.call(tree.op, nodes, tree.span)

    def joined_lists(self, left: Node, right: Node, span: Span) -> Node:
        if isinstance(left, Items) and isinstance(right, Items):
            kind = left.type if left.items else right.type
            return Items(kind, (*left.items, *right.items), span)
        for one, other in ((left, right), (right, left)):
            if isinstance(one, Items) and not one.items:
                return other
        left, right = self.array(left), self.array(right)
        return self.call("array_concat", [left, right], span)

    def joined_texts(self, items: Items, by: Node, span: Span) -> Node:
        found: Node = Literal(STRING, "", span)
        for place, item in enumerate(items.items):
            if place:
                found = self.call("concat", [found, by], span)
            found = self.call("concat", [found, _bare(item)], span)
        return found

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

    def call(self, op: str, args: list[Node], span: Span) -> Call:
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
            elif op == "split" and not node.value:
                raise self.fail(msg.bad_constant(node.span, "text to split by", "", ","))
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
        if not self.rules.promote and BIGINT in kinds and (DOUBLE in kinds or JSON in kinds):
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
        node = _bare(node)
        if node.type == JSON:
            node = _convert(node, wanted if wanted in (STRING, BOOLEAN) else DOUBLE)
        if isinstance(node.type, DecimalType) and wanted in (BIGINT, DOUBLE):
            node = _convert(node, DOUBLE)
        if node.type == wanted:
            return node
        found = self.call(str(op), [node], span)
        return overflow.whole(found) if self.rules.cel_numbers and op == "to_int" and found.args[0].type == DOUBLE else found

    def bracket(self, op: str, base: Node, key: Node, span: Span) -> Node:
        """`base[key]`; "bracket1" counts array elements from 1."""
        if isinstance(base, Items):
            return self.look_up(base, key, span)
        key = _bare(key)
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
        if op == "in" and constants.is_map(right):
            keys = [key for key, _ in constants.entries(right)]
            return constants.guarded(constants.either([self.comparison("eq", [left, key], span) for key in keys], span), [right, left], span)
        if op == "in" and isinstance(right, Items):
            return self.in_list(left, right, span)
        if op == "in" and (isinstance(right.type, MapType) or right.type == JSON) and self.rules.strict_lists:
            return self.has_key(left, right, span)
        if op in ("eq", "ne") and isinstance(left.type, _COLLECTIONS) and isinstance(right.type, _COLLECTIONS):
            equal = self.equal_collections(left, right, span)
            return equal if op == "eq" else Call(BOOLEAN, "not", (equal,), span)
        if op in ("eq", "ne") and NULL in (left.type, right.type) and (isinstance(left, Items) or isinstance(right, Items)):
            return constants.guarded(Literal(BOOLEAN, op == "ne", span), [left, right], span)
        loose = _loose(left) or _loose(right)
        left, right = _bare(left), _bare(right)
        if loose and op != "in" and not self.comparable(left, right):
            return self.different(op, left, right, span)
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
        left, right = _json_number(left, right.type), _json_number(right, left.type)
        if DOUBLE in (left.type, right.type):
            left, right = _beside_double(left), _beside_double(right)
        kinds = (left.type, right.type)
        found = signatures.find(op, kinds, promote=self.rules.promote, mixed_numbers=True)
        if found is None or isinstance(left.type, _NESTED) or kinds == (JSON, JSON):
            hint = _comparison_hint(left, right)
            raise self.fail(msg.not_comparable(span, str(left.type), str(right.type), hint))
        pair = tuple(_convert(arg, kind) for arg, kind in zip((left, right), found.wanted, strict=True))
        if op in ("eq", "ne") and self.rules.null_is_value and any(self.nullable_value(arg) for arg in pair):
            return self.null_equality(op, pair[0], pair[1], span)
        return Call(BOOLEAN, op, pair, span)

    def comparable(self, left: Node, right: Node) -> bool:
        kinds = {left.type, right.type}
        return len(kinds) == 1 or all(is_numeric(kind) for kind in kinds) or NULL in kinds or JSON in kinds

    def different(self, op: str, left: Node, right: Node, span: Span) -> Node:
        """Values of types that never compare: not equal, and in no order."""
        if op not in ("eq", "ne"):
            return Literal(BOOLEAN, None, span)
        return constants.guarded(Literal(BOOLEAN, op == "ne", span), [left, right], span)

    def equal_collections(self, left: Node, right: Node, span: Span) -> Node:
        def compare(one: Node, other: Node) -> Node:
            return self.comparison("eq", [_dyn(one), other], span)

        if isinstance(left, Items) and isinstance(right, Items):
            if constants.is_list(left) and constants.is_list(right):
                return constants.equal_lists(left, right, compare, span)
            if constants.is_map(left) and constants.is_map(right):
                return constants.equal_maps(left, right, compare, span)
            return constants.guarded(Literal(BOOLEAN, False, span), [left, right], span)
        if isinstance(left, Items):
            left, right = right, left
        if isinstance(right, Items) and isinstance(left.type, ArrayType):
            size = Call(BOOLEAN, "eq", (Call(BIGINT, "size", (left,), span), Literal(BIGINT, len(right.items), span)), span)
            places = [self.call("index", [left, Literal(BIGINT, place, span)], span) for place in range(len(right.items))]
            parts = [self.comparison("eq", [place, _bare(item)], span) for place, item in zip(places, right.items, strict=True)]
            return constants.guarded(constants.both([size, *parts], span), [right], span)
        if isinstance(left.type, MapType) and (left.type == right.type or constants.is_map(right)):
            return self.equal_maps(left, right, span)
        element = left.type.element if isinstance(left.type, ArrayType) else None
        if left.type != right.type or element not in (STRING, BIGINT, BOOLEAN, TIMESTAMP, DATE):
            raise self.fail(msg.not_comparable(span, str(left.type), str(right.type), "arrays compare element by element where their elements are equal in type"))
        return Call(BOOLEAN, "array_eq", (left, right), span)

    def element(self, kind: Type, span: Span) -> Variable:
        """The variable of a macro that nobody wrote, with a name that nothing else has."""
        name = ""
        while not name or name in self.variables or name in self.scope.params or name in (self.scope.fields or ()):
            self.hidden += 1
            name = f"item{self.hidden}"
        return Variable(kind, name, span)

    def equal_maps(self, left: Node, right: Node, span: Span) -> Node:
        """As many keys, and each key of one with an equal value in the other. The right one may be written out."""

        def same(key: Node, value: Node) -> Node:
            return constants.both([self.has_key(key, left, span), self.comparison("eq", [self.call("get", [left, key], span), _bare(value)], span)], span)

        size: Node
        if isinstance(right, Items):
            size, parts = Literal(BIGINT, len(right.items), span), [same(key, value) for key, value in constants.entries(right)]
        else:
            key = self.element(STRING, span)
            size = self.call("size", [right], span)
            every = same(key, self.call("get", [right, key], span))
            parts = [Quantifier(BOOLEAN, "all", key.name, Call(ArrayType(STRING), "keys", (right,), span), every, span)]
        found = constants.both([Call(BOOLEAN, "eq", (self.call("size", [left], span), size), span), *parts], span)
        return constants.guarded(found, [left, right], span)

    def has_key(self, key: Node, base: Node, span: Span) -> Node:
        """CEL's `key in map`: whether the map has the key. A JSON array has it as an element."""
        key = _bare(key)
        if base.type == JSON:
            item = self.element(JSON, span)
            member = Quantifier(BOOLEAN, "any", item.name, base, self.comparison("eq", [item, key], span), span)
            kind = Call(BOOLEAN, "json_is", (base, Literal(STRING, "object", span)), span)
            there: Node = constants.guarded(Literal(BOOLEAN, False, span), [key], span)  # every key is a text
            if key.type == STRING:
                there = Call(BOOLEAN, "not", (Call(BOOLEAN, "is_null", (Call(JSON, "json_get", (base, key), span),), span),), span)
            return Call(BOOLEAN, "cond", (kind, there, member), span)
        if key.type not in (STRING, JSON, NULL):
            raise self.fail(msg.not_comparable(key.span, "string", str(key.type), "the keys of a map in a column are texts"))
        value = self.call("get", [base, key], span)
        there = Call(BOOLEAN, "not", (Call(BOOLEAN, "is_null", (value,), span),), span)
        return constants.guarded(there, [base, key], span)

    def in_list(self, left: Node, right: Items, span: Span) -> Node:
        """`x in [...]`: NULL items follow the language, the others are compared at once."""
        if self.rules.strict_lists:
            mixed = any(_loose(item) or isinstance(item, Items) for item in (left, *right.items))
            if mixed:
                tests = [self.comparison("eq", [left, item], span) for item in right.items]
                return constants.guarded(constants.either(tests, span), [right, *([] if tests else [left])], span)
            uncertain = constants.doubtful([right])
            if uncertain:
                rules, self.rules = self.rules, replace(self.rules, strict_lists=False)
                try:
                    return constants.guarded(self.in_list(left, right, span), uncertain, span)
                finally:
                    self.rules = rules
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


def _dyn(node: Node) -> Node:
    """A node whose type is not checked: what does not fit is no error of the filter but one of the row."""
    return node if isinstance(node, Items) or _loose(node) else Call(node.type, "dyn", (node,), node.span)


def _loose(node: Node) -> bool:
    return isinstance(node, Call) and node.op == "dyn"


def _bare(node: Node) -> Node:
    """A node without the mark that its type is not checked."""
    return node.args[0] if isinstance(node, Call) and node.op == "dyn" else node


def _same_constant(one: Node, other: Node) -> bool:
    if not isinstance(one, Literal) or not isinstance(other, Literal):
        return False
    comparable = one.type == other.type or (is_numeric(one.type) and is_numeric(other.type))
    return comparable and one.value == other.value


def _json_size(found: Call) -> Node:
    """The elements or keys of a JSON value; the characters, if it is a text."""
    (value,), span = found.args, found.span
    kind = Call(BOOLEAN, "json_is", (value, Literal(STRING, "string", span)), span)
    return Call(BIGINT, "cond", (kind, Call(BIGINT, "length", (_convert(value, STRING),), span), found), span)


def _duration_part(unit: str, duration: Node, span: Span) -> Node:
    """CEL's getHours() and its like convert the whole duration; only getMilliseconds() is what is left beside whole seconds."""
    found = Call(BIGINT, "in_units", (Literal(STRING, unit, span), duration), span)
    return Call(BIGINT, "mod", (found, Literal(BIGINT, 1000, span)), span) if unit == "millisecond" else found


_DURATION_UNITS = ("hour", "minute", "second", "millisecond")
_SIZES: dict[Type, str] = {STRING: "length", JSON: "json_size"}
_JSON_KINDS: dict[Type, str] = {STRING: "string", BOOLEAN: "boolean"}
_JSON_VALUES: dict[Type, str] = {STRING: "json_string", DOUBLE: "json_number", BOOLEAN: "json_boolean"}


def _path(tree: t.Tree) -> tuple[t.Tree, list[str]]:
    keys: list[str] = []
    while isinstance(tree, t.Member):
        keys.append(tree.key)
        tree = tree.base
    return tree, keys[::-1]


def _json_number(node: Node, other: Type) -> Node:
    """The numbers of JSON are doubles; beside any number a JSON value must be one."""
    return _convert(node, DOUBLE) if node.type == JSON and is_numeric(other) else node


def _beside_double(node: Node) -> Node:
    """A decimal beside a double is compared as a double, on every engine; so is a whole constant that a double holds."""
    exact = isinstance(node, Literal) and node.type == BIGINT and isinstance(node.value, int) and abs(node.value) <= 2**53
    return _convert(node, DOUBLE) if exact or isinstance(node.type, DecimalType) else node


_LOOK_UPS = ("get", "member", "index", "json_get", "json_at")


def _null_test(left: Node, right: Node, span: Span) -> Node | None:
    """`x == null` asks whether there is a value to look up; what is computed is never null, and an error where it has no value."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Literal) and one.type == NULL:
            absent = Call(BOOLEAN, "is_null", (other,), span)
            looked_up = isinstance(other, Field | Parameter | Variable) or (isinstance(other, Call) and other.op in _LOOK_UPS)
            return absent if looked_up or other.type == NULL else Call(BOOLEAN, "cond", (absent, Literal(BOOLEAN, None), Literal(BOOLEAN, False)), span)
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
    return "declare the type of the field, or convert one side" if JSON in (left.type, right.type) else None
