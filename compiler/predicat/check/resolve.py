"""The type check: an untyped tree with spans becomes typed nodes, or diagnostics."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from typing import assert_never

from msgspec import field
from msgspec.structs import replace

from predicat.check import lists, macros
from predicat.check.column_forms import beside_columns
from predicat.check.names import Names
from predicat.check.scope import Rules, Scope, Stop
from predicat.diagnostics import Diagnostic, PredicatError, Reporter, Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import check as say
from predicat.diagnostics.messages import lists as say_lists
from predicat.diagnostics.messages import references
from predicat.forms.conversions import (
    dynamic,
    dynamic_error,
    is_dynamic,
    is_joined,
    is_union,
    typed_null,
    underlying,
)
from predicat.ir import syntax as t
from predicat.ir.limits import MAX_DEPTH, MAX_NODES, MAX_TYPED_NODES
from predicat.ir.nodes import (
    Call,
    Field,
    FieldDecl,
    Items,
    Literal,
    Node,
    Parameter,
    children,
    walk,
)
from predicat.ir.operators import CONNECTIVES
from predicat.ir.types import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    JSON,
    NULL,
    STRING,
    ArrayType,
    MapType,
    is_numeric,
)
from predicat.ir.value_sets import MAX_WRITTEN, ValueSet


def check(tree: t.Tree, scope: Scope, rules: Rules) -> Node:
    """The surface of a tree: typed, boolean, with the operators that its author wrote.

    Args:
        tree: The output of a front end.
        scope: The fields, parameters and other names that the tree may use.
        rules: The rules of the language. A dynamically typed value of a wrong type makes the predicate
            UNKNOWN.

    Raises:
        PredicatError: With every problem of the tree, in order. It is empty if only a referenced filter is
            broken, which is reported there.
    """
    if scope.fields is None:  # any name may be a value of any type
        rules = replace(rules, json_constants=False, json_scalars=False)
    checker = _Checker(scope, rules)
    try:
        node = checker.predicate(tree)
    except Stop:
        node = None
    checker.reporter.raise_errors()
    if node is not None and checker.has_collections:
        _no_lists(node)
    if node is not None and checker.long_lists:
        _long_lists_in_in(node)
    if node is None:  # a referenced filter is broken, and reported there
        raise PredicatError([])
    return beside_columns(node, checker.reporter)


def names_unknown(read: t.PartlyRead, scope: Scope, rules: Rules) -> list[Diagnostic]:
    """The problems with names in the parts of a text that a language could read."""
    checker = _Checker(scope, rules)
    checker.variables = {name: Field(JSON, FieldDecl(name, JSON)) for name in read.variables}
    for part in read.parts:
        with suppress(Stop):
            checker.node(part, 0)
    return [item for item in checker.reporter.errors if item.code in _OF_NAMES]


_OF_NAMES = frozenset({"unknown-field", "unknown-parameter"})


def _placeholders(text: str, params: Iterable[str]) -> list[str]:
    """The string split into the placeholders of parameters and the parts between them."""
    names = "|".join(map(re.escape, params))
    return re.split(rf"(\$\{{(?:{names})\}})", text) if names else [text]


def _long_lists_in_in(node: Node) -> None:
    """Raises PredicatError if a long list of the catalog is used outside the right side of IN."""
    for part in walk(node):
        for child in children(part):
            is_list = isinstance(child, Literal) and isinstance(child.value, ValueSet)
            if is_list and not (isinstance(part, Call) and part.op == "in_list"):
                raise PredicatError.of(say_lists.only_in(child.span, MAX_WRITTEN))


def _no_lists(node: Node) -> None:
    """Raises PredicatError if a list or map literal is used outside the right side of IN."""
    for part in walk(node):
        allowed = part.args[1] if isinstance(part, Call) and part.op == "in" else None
        for child in children(part):
            if (isinstance(child, Items) and child is not allowed) or is_joined(child):
                raise PredicatError.of(say.list_here(child.span))


# The codes of problems that make only the row UNKNOWN, if the type depends on the row.
_OF_TYPES = frozenset({"type-mismatch", "not-boolean", "unknown-member"})
# A tree with fewer levels cannot become too large, so its typed nodes are not counted.
_DEEP = 6


class _Checker(Names):
    """Checks a tree in one pass: resolves names, infers types, chooses overloads.

    Attributes:
        visited: The number of visited parts of the tree.
        count_sizes: Whether the sizes of typed nodes are counted: the tree is deep, or its parts are copied.
        bound_names: The case-folded names of the variables of enclosing macros.
        size_cache: The sizes of nodes by identity.
    """

    visited: int = 0
    count_sizes: bool = False
    bound_names: frozenset[str] = frozenset()
    size_cache: dict[int, tuple[Node, int]] = field(default_factory=dict[int, tuple[Node, int]])

    def predicate(self, tree: t.Tree, depth: int = 0) -> Node:
        """A tree that must be boolean."""
        node = self.truth(self.node(tree, depth))
        if node.type != BOOLEAN:
            raise self.fail(msg.not_boolean(tree.span, str(node.type)))
        return node

    def node(self, tree: t.Tree, depth: int) -> Node:
        self.visited += 1
        if depth > MAX_DEPTH:
            raise self.fail(msg.too_deep(tree.span, MAX_DEPTH))
        if self.visited == MAX_NODES + 1:
            raise self.fail(msg.too_large(tree.span, self.visited, MAX_NODES, "parts"))
        if self.visited > MAX_NODES:
            raise Stop  # it is reported only once
        if depth == _DEEP:
            self.count_sizes = True
        match tree:  # the common ones first
            case t.OperatorCall():
                result = self.apply(tree, depth)
                return self.bounded(result, tree.span) if self.count_sizes else result
            case t.Name() | t.Member():
                return self.name(tree, depth)
            case t.Constant(value, span, held):
                if self.scope.placeholders and isinstance(value, str) and "${" in value:
                    return self.filled(value, span)
                return Literal(STRING, value, span, held) if held else self.constant(value, span)
            case t.Param(name, span):
                if name not in self.scope.params:
                    raise self.fail(msg.unknown_param(span, name, self.scope.params))
                decl = self.scope.params[name]
                return Parameter(decl.type, decl, span)
            case t.ListLiteral() | t.MapLiteral():
                self.has_collections = True
                return (
                    self.items(tree, depth) if isinstance(tree, t.ListLiteral) else self.entries(tree, depth)
                )
            case t.Macro():
                return macros.bind(self, tree, depth)
            case t.Ref(name, args, span):
                self.count_sizes = True
                return self.bounded(self.reference(name, args, span, depth), span)
            case _:
                assert_never(tree)

    def all(self, trees: tuple[t.Tree, ...], depth: int) -> list[Node]:
        """The nodes of several trees; a problem in one does not hide those of the others."""
        nodes: list[Node] = []
        stopped = False
        for tree in trees:
            try:
                nodes.append(self.node(tree, depth + 1))
            except Stop:
                stopped = True
        if stopped:
            raise Stop
        return nodes

    def apply(self, tree: t.OperatorCall, depth: int) -> Node:
        if tree.op in CONNECTIVES:
            return self.connective(tree, depth)
        if tree.op == "by_kind":
            return self.by_kind(tree, depth)
        if tree.op == "now":
            return self.now(tree.span)
        return self.operator(tree.op, self.all(tree.args, depth), tree.span)

    def by_kind(self, tree: t.OperatorCall, depth: int) -> Node:
        """What a function of several kinds of values is, by the kind of its subject: the other ways are
        not looked at.
        """
        self.count_sizes = True
        name, subject, *pairs = tree.args
        ways = {
            str(kind.value): way
            for kind, way in zip(pairs[::2], pairs[1::2], strict=True)
            if isinstance(kind, t.Constant)
        }
        node = self.node(subject, depth + 1)
        if is_union(node) and isinstance(subject, t.Name):
            return self.map_union(
                node, lambda value: self.with_value(subject.name, value, tree, depth), tree.span
            )
        kind = lists.of_kind(underlying(node))
        if kind == "json" or kind in ways:
            return (
                self.node(ways[kind], depth + 1)
                if kind in ways
                else self.by_json_kind(node, ways, tree.span, depth)
            )
        if is_dynamic(node):
            return dynamic_error(tree.span)
        said = name.value if isinstance(name, t.Constant) else ""
        raise self.fail(
            msg.type_mismatch(
                tree.span,
                str(said),
                [str(node.type)],
                " or ".join(f"a {one}" for one in ways if one != "json"),
            )
        )

    def by_json_kind(self, subject: Node, ways: dict[str, t.Tree], span: Span, depth: int) -> Node:
        """The way for the kind that a JSON value has. A value of no kind is an error of the row, and so is
        one whose way has wrong types.
        """
        known = self.reporter
        result: dict[str, Node] = {}
        problems: list[Diagnostic] = []
        for kind, way in ways.items():
            self.reporter = Reporter()
            try:
                result[kind] = self.node(way, depth + 1)
            except Stop:
                problems += self.reporter.errors
        self.reporter = known
        if not result or any(problem.code not in _OF_TYPES for problem in problems):
            self.reporter.extend(problems)
            raise Stop
        (last, chosen), *others = reversed(result.items())
        if len(result) < len(ways):
            chosen = self.choice(
                "cond",
                [lists.is_json(underlying(subject), last, span), chosen, Literal(NULL, None, span)],
                span,
            )
        for kind, node in others:
            chosen = self.choice("cond", [lists.is_json(underlying(subject), kind, span), node, chosen], span)
        return chosen

    def with_value(self, name: str, value: Node, tree: t.Tree, depth: int) -> Node:
        """The node of a tree in which a name stands for another node."""
        outer = self.variables
        self.variables = {**outer, name: value}
        try:
            return self.node(tree, depth + 1)
        finally:
            self.variables = outer

    def connective(self, tree: t.OperatorCall, depth: int) -> Node:
        """AND, OR and NOT."""
        nodes = list(map(self.truth, self.all(tree.args, depth)))
        if self.rules.absorbs_constants and tree.op != "not" and Literal(BOOLEAN, tree.op == "or") in nodes:
            nodes = [node for node in nodes if node.type == BOOLEAN]
        return self.call(tree.op, nodes, tree.span)

    def bounded(self, node: Node, span: Span) -> Node:
        size = self.size(node)
        if size > MAX_TYPED_NODES:
            raise self.fail(msg.too_large(span, size, MAX_TYPED_NODES, "parts"))
        return node

    def size(self, node: Node) -> int:
        """The number of a node's parts. A shared part counts each time, but is visited once."""
        parts = node.args if isinstance(node, Call) else children(node)
        if not parts:
            return 1
        known = self.size_cache.get(id(node))
        if known is None:
            known = self.size_cache[id(node)] = node, 1 + sum(map(self.size, parts))
        return known[1]

    def reference(self, name: str, args: tuple[tuple[str, t.Tree], ...], span: Span, depth: int) -> Node:
        if self.scope.resolve is None:
            raise self.fail(references.reference_outside_catalog(span))
        nodes = list(map(self.one_type, self.all(tuple(tree for _, tree in args), depth)))
        named = tuple((key, node) for (key, _), node in zip(args, nodes, strict=True))
        try:
            return self.scope.resolve(name, named, span)
        except PredicatError as error:
            self.reporter.extend(error.diagnostics)
            raise Stop from error

    # --- names

    def name(self, tree: t.Name | t.Member, depth: int) -> Node:
        fields = self.scope.fields
        if fields is not None and isinstance(tree, t.Name) and tree.name in fields and not self.variables:
            return Field(fields[tree.name].type, fields[tree.name], tree.span)  # the common case
        base, keys = _path(tree)
        if isinstance(base, t.Name):
            node, rest = self.root(base, keys, tree.span)
        else:
            node, rest = self.node(base, depth + 1), keys
        for key in rest:
            node = self.member(node, key, tree.span)
        return node

    def filled(self, text: str, span: Span) -> Node:
        """A string constant in which `${name}` stands for a parameter; other names stay plain text."""
        parts = [part for part in _placeholders(text, self.scope.params) if part]
        nodes = [
            self.node(t.Param(part[2:-1], span), 0)
            if part.startswith("${") and part[2:-1] in self.scope.params
            else self.constant(part, span)
            for part in parts
        ]
        result = nodes[0]
        for node in nodes[1:]:
            result = self.operator("concat", [result, node], span)
        return result

    # --- lists, maps and macros

    def items(self, tree: t.ListLiteral, depth: int) -> Node:
        nodes = self.all(tree.items, depth)
        kinds = list(dict.fromkeys(node.type for node in nodes if node.type != NULL))
        if not kinds:
            return Items(ArrayType(NULL), tuple(nodes), tree.span)
        if any(isinstance(node, Items) for node in nodes):
            return Items(ArrayType(nodes[0].type), tuple(nodes), tree.span)
        if self.rules.strict_lists and (len(kinds) > 1 or any(node.type == NULL for node in nodes)):
            return Items(ArrayType(kinds[0]), tuple(dynamic(node) for node in nodes), tree.span)
        if len(kinds) > 1 and not all(is_numeric(kind) for kind in kinds):
            raise self.fail(say.items_of_types(tree.span, str(kinds[0]), str(kinds[1])))
        element = kinds[0] if len(kinds) == 1 else DOUBLE
        return Items(ArrayType(element), tuple(typed_null(node, element) for node in nodes), tree.span)

    def entries(self, tree: t.MapLiteral, depth: int) -> Node:
        """A map literal as pairs of a key and a value. Keys or values of different types are dynamically
        typed. Raises Stop.
        """
        nodes = self.all(tuple(part for entry in tree.entries for part in entry), depth)
        keys, values = nodes[::2], nodes[1::2]
        known = [key.value for key in keys if isinstance(key, Literal)]
        twice = next((value for value in known if known.count(value) > 1), None)
        if twice is not None:
            raise self.fail(say.key_twice(tree.span, twice))
        for key in keys:
            if key.type not in (STRING, BIGINT, BOOLEAN, JSON):
                raise self.fail(say.bad_map_key(key.span, [str(key.type)]))
        if len({key.type for key in keys}) > 1:
            keys = [dynamic(key) for key in keys]
        if len({value.type for value in values}) > 1:
            values = [value if isinstance(value, Items) else dynamic(value) for value in values]
        kind = values[0].type if values else NULL
        pairs = tuple(Items(ArrayType(NULL), pair, tree.span) for pair in zip(keys, values, strict=True))
        return Items(MapType(kind), pairs, tree.span)


def _path(tree: t.Tree) -> tuple[t.Tree, list[str]]:
    keys: list[str] = []
    while isinstance(tree, t.Member):
        keys.append(tree.key)
        tree = tree.base
    return tree, keys[::-1]
