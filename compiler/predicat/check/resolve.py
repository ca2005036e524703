"""The type check: an untyped tree with spans becomes typed nodes, or diagnostics."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import assert_never

from msgspec import field

from predicat.check import collection_literals, lists
from predicat.check.operators import Operators
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
from predicat.forms.logic import all_of, any_of
from predicat.ir import syntax as t
from predicat.ir.labels import label
from predicat.ir.limits import MAX_DEPTH, MAX_NODES, MAX_TYPED_NODES
from predicat.ir.nodes import (
    NOW,
    Call,
    Field,
    FieldDecl,
    Items,
    Literal,
    Node,
    Parameter,
    Quantifier,
    Variable,
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
    Type,
    is_numeric,
)
from predicat.ir.value_sets import MAX_WRITTEN, ValueSet
from predicat.ir.variables import fold_identifier, fresh_name


def check(tree: t.Tree, scope: Scope, rules: Rules) -> Node:
    """The surface of a tree: typed, boolean, with the operators that its author wrote.

    Args:
        tree: What a language has read.
        scope: The fields, parameters and other names that the tree may use.
        rules: What the language lets pass. A value whose type only the row knows makes it UNKNOWN where it
            does not fit.

    Raises:
        PredicatError: With every problem of the tree, in order. Without any, if a filter that it refers to is
            broken, and reported where it stands.
    """
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
    if node is None:  # a filter that this one refers to is broken, and reported where it stands
        raise PredicatError([])
    return node


def _placeholders(text: str, params: Iterable[str]) -> list[str]:
    """The text in parts: those that stand for parameters, and what is between them."""
    names = "|".join(map(re.escape, params))
    return re.split(rf"(\$\{{(?:{names})\}})", text) if names else [text]


def _long_lists_in_in(node: Node) -> None:
    """A long list of the catalog stands nowhere but on the right of IN."""
    for part in walk(node):
        for child in children(part):
            is_list = isinstance(child, Literal) and isinstance(child.value, ValueSet)
            if is_list and not (isinstance(part, Call) and part.op == "in_list"):
                raise PredicatError.of(say_lists.only_in(child.span, MAX_WRITTEN))


def _no_lists(node: Node) -> None:
    """A written-out list or map stands nowhere but on the right of IN."""
    for part in walk(node):
        allowed = part.args[1] if isinstance(part, Call) and part.op == "in" else None
        for child in children(part):
            if (isinstance(child, Items) and child is not allowed) or is_joined(child):
                raise PredicatError.of(say.list_here(child.span))


_OF_TYPES = frozenset({"type-mismatch", "not-boolean", "unknown-member"})
"""The problems that are those of a row, where the row knows the type."""
_VERSION = re.compile(r"@|.\.v[0-9]+\Z")
"""What is behind the name of a list with a version."""
_ALIAS = 2
"""A name of so few letters before a field is the alias of a table, though a field has nearly that name."""
_DEEP = 6
"""Below so many levels no tree becomes too large, and its typed nodes are not counted."""


class _Checker(Operators):
    """Checks a tree in one descent: resolves names, infers types, chooses overloads.

    Attributes:
        visited: How many parts of the tree were visited.
        has_collections: Whether the tree has a list or a map that is written out.
        long_lists: Whether the tree names a list that is too long to be written out.
        count_sizes: Whether sizes of typed nodes are counted: the tree is deep, or its parts are copied.
        table: The name of the table that fields are qualified by.
        bound_names: Names of the variables of enclosing macros, case-folded.
        size_cache: Sizes of nodes by identity.
    """

    visited: int = 0
    has_collections: bool = False
    long_lists: bool = False
    count_sizes: bool = False
    table: str | None = None
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
            raise Stop  # it is said once
        if depth == _DEEP:
            self.count_sizes = True
        match tree:  # the common ones first
            case t.OperatorCall():
                result = self.apply(tree, depth)
                return self.bounded(result, tree.span) if self.count_sizes else result
            case t.Name() | t.Member():
                return self.name(tree, depth)
            case t.Constant(value, span):
                if self.scope.placeholders and isinstance(value, str) and "${" in value:
                    return self.filled(value, span)
                return self.constant(value, span)
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
                return self.bind(tree, depth)
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

    def now(self, span: Span) -> Node:
        """The current time."""
        if "now" in self.scope.params:
            raise self.fail(say.parameter_beside_now(span))
        return Parameter(NOW.type, NOW, span)

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
        """A tree in which a name stands for a node."""
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
        """The number of a node's parts; one that stands in it twice, as one object, counts twice, but is
        looked at once.
        """
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

    def root(self, base: t.Name, keys: list[str], span: Span) -> tuple[Node, list[str]]:
        """The variable, parameter or field that a dotted name begins with, and what follows it."""
        name = base.name
        if not base.rooted and (variable := self.variable(base)) is not None:
            return variable, keys
        fields, enums = self.scope.fields, self.scope.enums
        lists = self.scope.lists
        for length in range(len(keys), -1, -1) if fields or enums or lists else ():
            dotted = ".".join([name, *keys[:length]])
            if fields is not None and dotted in fields:
                return Field(fields[dotted].type, fields[dotted], span), keys[length:]
            if dotted in enums:
                return self.constant(enums[dotted], span), keys[length:]
            if dotted in lists and length == len(keys):
                kind, values = lists[dotted]
                if isinstance(values, ValueSet):
                    self.long_lists = True
                    return Literal(ArrayType(kind), values, span), keys[length:]
                self.has_collections = True
                items = tuple(Literal(kind, value, span) for value in values)
                return Items(ArrayType(kind), items, span), keys[length:]
        if name in self.scope.params:
            return Parameter(self.scope.params[name].type, self.scope.params[name], base.span), keys
        if fields is None:
            return Field(JSON, FieldDecl(name, JSON), base.span), keys
        if self.rules.names_now and name == "now" and not keys:
            return self.now(base.span), keys
        if name == "lists" and keys:
            known = [one.removeprefix("lists.") for one in lists if not _VERSION.search(one)]
            raise self.fail(say_lists.unknown_list(span, ".".join(keys), known))
        if self.rules.case_insensitive_names and keys and keys[0] in fields and self.is_table(name):
            return self.root(t.Name(keys[0], base.span), keys[1:], span)
        raise self.fail(
            msg.unknown_field(span, ".".join([name, *keys]), [*fields, *self.scope.params, *enums])
        )

    def is_table(self, name: str) -> bool:
        """Whether a name before a field is that of the one table that a condition of SQL is asked of, and
        not a misspelt field.
        """
        short = len(name) <= _ALIAS
        if self.table is None and (short or msg.did_you_mean(name, self.scope.fields or ()) is None):
            self.table = name
        return self.table == name

    def variable(self, name: t.Name) -> Node | None:
        """What the variable of that name stands for, if there is one. In SQL no name may differ from that
        of a variable by capital letters alone.
        """
        if self.variables and self.rules.case_insensitive_names:
            near = next(
                (
                    known
                    for known in reversed(self.variables)
                    if fold_identifier(known) == fold_identifier(name.name)
                ),
                name.name,
            )
            if near != name.name:
                raise self.fail(say.name_like_a_variable(name.span, near))
        return self.variables.get(name.name)

    def filled(self, text: str, span: Span) -> Node:
        """A text constant in which `${name}` stands for a parameter. One that is not declared is text."""
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
        """A written-out map: items of two, a key and a value. Keys of one type and values of one type are
        plain.
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

    def bind(self, tree: t.Macro, depth: int) -> Node:
        parts = summands(tree.source) if tree.kind != "let" else ()
        if len(parts) > 1:
            nodes = self.all(parts, depth)
            if any(underlying(node).type == JSON for node in nodes) and all(map(lists.may_be_list, nodes)):
                return self.bounded(self.over(tree, lists.joined(tuple(nodes), tree.span), depth), tree.span)
        source = self.node(tree.source, depth + 1)
        if tree.kind == "let":
            self.count_sizes = True
            return self.bounded(self.with_variable(tree, source, depth), tree.span)
        return self.over(tree, source, depth)

    def over_each(self, tree: t.Macro, parts: tuple[Node, ...], depth: int) -> Node:
        """A macro over several lists that are joined: over each of them, where all of them are lists."""
        self.count_sizes = True
        result = [self.over(tree, part, depth) for part in parts]
        if tree.kind == "one":
            raise self.fail(say.exists_one_of_unknown(tree.span))
        if tree.kind in ("any", "all"):
            return self.where_lists(
                parts, self.call("and" if tree.kind == "all" else "or", result, tree.span), tree.span
            )
        joined = result[0]
        for node in result[1:]:
            joined = self.operator("add", [joined, node], tree.span)
        return joined

    def over(self, tree: t.Macro, source: Node, depth: int) -> Node:
        """A macro over the elements of a node."""
        if is_joined(source):
            return self.over_each(tree, source.args, depth)
        if is_union(source):
            return self.map_union(source, lambda value: self.over(tree, value, depth), tree.span)
        if collection_literals.is_list(source) or collection_literals.is_map(source):
            return self.unrolled(tree, source, depth)
        if isinstance(source.type, MapType):
            source = Call(ArrayType(STRING), "keys", (source,), source.span)
        if not isinstance(source.type, ArrayType) and source.type != JSON:
            raise self.fail(
                msg.type_mismatch(
                    tree.source.span,
                    label(tree.kind, sql=self.rules.widens_numbers),
                    [str(source.type)],
                    "an array",
                )
            )
        element = source.type.element if isinstance(source.type, ArrayType) else JSON
        variable, result = self.opened(tree, element, depth)
        body = self.one_type(result)
        kind: Type = BOOLEAN
        if tree.kind in ("filter", "map"):
            kind = ArrayType(element if tree.kind == "filter" else body.type)
        return Quantifier(kind, tree.kind, variable.name, source, body, tree.span)

    def opened(self, tree: t.Macro, element: Type, depth: int) -> tuple[Variable, Node]:
        """The variable of a macro, under a name that no macro around it has, and the body."""
        variable = Variable(element, fresh_name(tree.variable, self.bound_names), tree.span)
        outer = self.bound_names
        self.bound_names = outer | {fold_identifier(variable.name)}
        try:
            return variable, self.with_variable(tree, variable, depth)
        finally:
            self.bound_names = outer

    def with_variable(self, tree: t.Macro, value: Node, depth: int) -> Node:
        """The body of a macro where its variable stands for a node."""
        outer = self.variables
        self.variables = {name: known for name, known in outer.items() if name != tree.variable} | {
            tree.variable: value
        }
        try:
            return (
                self.node(tree.body, depth + 1)
                if tree.kind in ("map", "let")
                else self.predicate(tree.body, depth + 1)
            )
        finally:
            self.variables = outer

    def unrolled(self, tree: t.Macro, source: Node, depth: int) -> Node:
        """A macro over a written-out list: its body once for each element. Over a map: for each key."""
        assert isinstance(source, Items)  # noqa: S101  # bind() made sure
        elements = (
            source.items
            if collection_literals.is_list(source)
            else tuple(key for key, _ in collection_literals.entries(source))
        )
        bodies = [self.with_variable(tree, element, depth) for element in elements]
        span = tree.span
        match tree.kind:
            case "any":
                return collection_literals.unknown_if_missing(any_of(bodies, span), [source], span)
            case "all":
                return collection_literals.unknown_if_missing(all_of(bodies, span), [source], span)
            case "one":
                return collection_literals.unknown_if_missing(
                    collection_literals.exactly_one(bodies, span), [source], span
                )
            case "map":
                return Items(ArrayType(bodies[0].type if bodies else NULL), tuple(bodies), span)
            case _:
                return self.filtered(tree, elements, depth)

    def filtered(self, tree: t.Macro, elements: tuple[Node, ...], depth: int) -> Node:
        """A filter over a written-out list, whose length depends on the row: the list becomes an array."""
        if not elements:
            return Items(ArrayType(NULL), (), tree.span)
        array = self.array(Items(ArrayType(elements[0].type), elements, tree.span))
        element = array.type.element if isinstance(array.type, ArrayType) else NULL
        variable, body = self.opened(tree, element, depth)
        return Quantifier(array.type, "filter", variable.name, array, body, tree.span)


def summands(tree: t.Tree) -> tuple[t.Tree, ...]:
    """The lists that are joined by `+` where a macro ranges over what they make."""
    if isinstance(tree, t.OperatorCall) and tree.op == "json_items":
        return summands(tree.args[0])
    return (
        (*summands(tree.args[0]), *summands(tree.args[1]))
        if isinstance(tree, t.OperatorCall) and tree.op == "add"
        else (tree,)
    )


def _path(tree: t.Tree) -> tuple[t.Tree, list[str]]:
    keys: list[str] = []
    while isinstance(tree, t.Member):
        keys.append(tree.key)
        tree = tree.base
    return tree, keys[::-1]
