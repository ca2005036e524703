"""Jinja for text that nobody has reviewed yet: deterministic, and bounded in time and memory.

A catalog of a pull request is rendered before anybody has read it. So a template can use only what the tables
here name: kinds of nodes, filters, tests, methods. None of them reads a clock, the environment, a file or a
random number. Work is counted, not timed, so that a template has the same result on every machine: each value
has at most MAX_VALUE characters or elements, measured when it is made, and each operation, iteration and call
takes from one budget for all templates of a catalog. A child process with limits would be the other way; its
result would depend on the load of the machine, and each check of a catalog would start a process.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from functools import wraps
from typing import Any

from jinja2 import StrictUndefined, TemplateSyntaxError, Undefined, nodes, pass_context
from jinja2 import filters as jinja_filters
from jinja2.runtime import LoopContext, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.tests import TESTS

from predicat.diagnostics.messages import templates as say

# Characters and elements of a value, those of nested values included.
MAX_VALUE = 100_000
# Bits of a whole number.
_MAX_BITS = 256
# Nested lists of a value.
_MAX_NESTED = 30
# Nested nodes of a template.
MAX_DEPTH = 60
# Nodes of a template.
MAX_NODES = 10_000
# Macros that call each other.
_MAX_CALLS = 30
# Units of work of all templates of a catalog. A unit is an operation, or _CHARACTERS handled characters.
_MAX_WORK = 300_000
# Units that each body brings with it: what it takes to read a usual one.
_PER_BODY = 200
_CHARACTERS = 50
# How many times as much work it is to read a character as to handle it.
_READ = 15
# How many characters an element of a list weighs.
_ELEMENT = 5

_STATEMENTS: tuple[type[nodes.Node], ...] = (
    nodes.Template,
    nodes.Output,
    nodes.For,
    nodes.If,
    nodes.Macro,
    nodes.CallBlock,
    nodes.FilterBlock,
    nodes.With,
    nodes.Assign,
    nodes.AssignBlock,
    nodes.Scope,
)
_EXPRESSIONS: tuple[type[nodes.Node], ...] = (
    nodes.Name,
    nodes.Literal,
    nodes.Pair,
    nodes.Keyword,
    nodes.CondExpr,
    nodes.Filter,
    nodes.Test,
    nodes.Call,
    nodes.Getitem,
    nodes.Getattr,
    nodes.Slice,
    nodes.Concat,
    nodes.Compare,
    nodes.Operand,
    nodes.BinExpr,
    nodes.UnaryExpr,
)
_TESTS = (
    "!=", "<", "<=", "==", ">", ">=", "boolean", "defined", "divisibleby", "eq", "equalto", "even",
    "false", "float", "ge", "greaterthan", "gt", "in", "integer", "iterable", "le", "lessthan", "lower",
    "lt", "mapping", "ne", "none", "number", "odd", "sameas", "sequence", "string", "true", "undefined",
    "upper",
)  # fmt: skip
_LOOP = (
    "index", "index0", "revindex", "revindex0", "first", "last", "length", "previtem", "nextitem",
    "cycle", "changed",
)  # fmt: skip


class TooMuch(ValueError):
    """A template that exceeds a limit. The text of the error is a message for the author."""


class Budget:
    """The work that the templates of a catalog have left."""

    def __init__(self) -> None:
        self.left = _MAX_WORK
        self.calls = 0

    def renew(self) -> None:
        """Begin again: another reading of the catalog."""
        self.left = _MAX_WORK

    def read(self, text: str) -> None:
        """Take the reading of a template. Raises TooMuch when nothing is left, or for a long text."""
        _at_most(len(text))
        self.left += _PER_BODY
        self.spend(len(text) * _READ)

    def spend(self, size: int) -> None:
        """Take an operation on `size` characters or elements. Raises TooMuch when nothing is left."""
        self.left -= 1 + size // _CHARACTERS
        if self.left < 0:
            raise TooMuch(say.TOO_MUCH_WORK)

    def measured(self, value: Any) -> Any:
        """The value, if it is small enough. Raises TooMuch."""
        self.spend(_size_of(value))
        return value


def _size_of(value: Any) -> int:
    """Characters and elements of a value, shared parts counted each time. Raises TooMuch above a limit."""
    size, pending = 0, [(value, 0)]
    while pending:
        part, depth = pending.pop()
        size += len(part) if isinstance(part, str) else _ELEMENT
        if depth and isinstance(part, Undefined):
            str(part)  # raises its error: a list would show it as a word
        if isinstance(part, int) and part.bit_length() > _MAX_BITS:
            raise TooMuch(say.too_large_number(_MAX_BITS))
        if isinstance(part, Mapping):
            pending += [(inner, depth + 1) for pair in part.items() for inner in pair]
        elif isinstance(part, (list, tuple)):
            pending += [(inner, depth + 1) for inner in part]
        if size + len(pending) * _ELEMENT > MAX_VALUE or depth > _MAX_NESTED:
            raise TooMuch(say.too_large_value(MAX_VALUE))
    return size


class Function:
    """A function that templates call. As text it is its name, never its address in memory."""

    def __init__(self, name: str, function: Callable[..., Any], budget: Budget) -> None:
        self._name, self._function, self._budget = name, function, budget

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it. Arguments and result are measured."""
        for value in (*args, *kwargs.values()):
            self._budget.measured(value)
        return self._budget.measured(_listed(self._function(*args, **kwargs)))

    def __repr__(self) -> str:
        return f"<function {self._name}>"


def _listed(value: Any) -> Any:
    """Lazy results as lists (an iterator would be shown as its address in memory), marked text as text."""
    if isinstance(value, (Iterator, ItemsView, KeysView, ValuesView)):
        return list(value)
    return str.__str__(value) if isinstance(value, str) else value


def _join(value: Iterable[Any], d: str = "", attribute: Any = None) -> str:
    """Jinja's join, measured before it is done."""
    parts = list(value)
    if attribute is not None:
        parts = [part[attribute] for part in parts]
    texts, between = [str(part) for part in parts], str(d)
    _at_most(sum(map(len, texts)) + len(between) * len(texts))
    return between.join(texts)


def _replace(s: Any, old: Any, new: Any, count: int | None = None) -> str:
    """Jinja's replace, measured before it is done."""
    text, before, after = str(s), str(old), str(new)
    _at_most(len(text) + text.count(before) * len(after))
    return text.replace(before, after, -1 if count is None else count)


def _round(value: float, precision: int = 0, method: Any = "common") -> Any:
    """Jinja's round, without calculations of 10 to the power of a billion."""
    if abs(int(precision)) > _MAX_NESTED:
        raise TooMuch(say.too_large_number(_MAX_BITS))
    return jinja_filters.do_round(value, precision, method)


def _sum(iterable: Iterable[Any]) -> Any:
    """The sum of numbers."""
    total: Any = 0
    for item in iterable:
        total = total + _number(item)
    return total


def _number(number: Any) -> Any:
    """A number within the limit. Raises TypeError for anything else."""
    if not isinstance(number, (int, float)):
        raise TypeError(say.NO_NUMBER)
    _size_of(number)
    return number


def _at_most(size: int) -> None:
    if size > MAX_VALUE:
        raise TooMuch(say.too_large_value(MAX_VALUE))


# Filters whose result can be far larger than their arguments.
_OWN = {"join": _join, "replace": _replace, "round": _round, "sum": _sum}
_FILTERS = (
    "abs", "capitalize", "count", "d", "default", "dictsort", "first", "float", "int", "items", "last",
    "length", "list", "lower", "map", "max", "min", "reject", "rejectattr", "reverse", "select",
    "selectattr", "sort", "string", "title", "tojson", "trim", "truncate", "unique", "upper",
)  # fmt: skip
_TEXT = (
    "capitalize", "count", "endswith", "find", "isalnum", "isalpha", "isdigit", "islower", "isnumeric",
    "isupper", "lower", "lstrip", "rstrip", "split", "splitlines", "startswith", "strip", "title",
    "upper",
)  # fmt: skip
_METHODS: dict[type, Mapping[str, Callable[..., Any]]] = {
    str: {
        **{name: getattr(str, name) for name in _TEXT},
        "join": lambda between, parts: _join(parts, between),
        "replace": _replace,
    },
    list: {"count": list.count, "index": list.index},
    tuple: {"count": tuple.count, "index": tuple.index},
    dict: {"get": dict.get, "items": dict.items, "keys": dict.keys, "values": dict.values},
}


class Sandbox(ImmutableSandboxedEnvironment):
    """The environment of templates. The budget is that of one catalog."""

    intercepted_binops = frozenset(ImmutableSandboxedEnvironment.default_binop_table)

    def __init__(self, budget: Budget) -> None:
        super().__init__(undefined=StrictUndefined, autoescape=False, optimized=False, cache_size=0)
        self.budget = budget
        self.printed = ""
        self.globals.clear()
        known: Any = TESTS
        self.tests = {name: self._bounded(known[name]) for name in _TESTS}
        known = {name: jinja_filters.FILTERS[name] for name in _FILTERS} | _OWN
        self.filters = {name: self._bounded(function) for name, function in known.items()}
        self.filters[_MEASURED] = budget.measured
        self.filters[_SPENT] = budget.spend
        self.finalize = pass_context(lambda _, value: self._output(value))

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:  # noqa: ARG002  # Jinja calls it
        """The tree, checked, with its work counted. Raises TemplateSyntaxError."""
        tree = self.tree(source)
        _count(tree)
        return tree

    def tree(self, source: str) -> nodes.Template:
        """The tree as written. Raises TemplateSyntaxError if it is too large, or not for templates."""
        self.budget.read(source)
        try:
            tree = super()._parse(source, None, None)
        except RecursionError:
            raise TemplateSyntaxError(say.TOO_DEEP, 1) from None
        _check(tree)
        return tree

    def function(self, name: str, function: Callable[..., Any]) -> Function:
        """A function for templates."""
        return Function(name, function, self.budget)

    def _bounded(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A filter or test that measures its arguments and its result."""
        skipped = 1 if hasattr(function, "jinja_pass_arg") else 0

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            for value in (*args[skipped:], *kwargs.values()):
                self.budget.measured(value)
            return self.budget.measured(_listed(function(*args, **kwargs)))

        return call

    def _output(self, value: Any) -> str:
        self.budget.measured(value)
        self.printed = self.budget.measured(str(value))
        return self.printed

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """The result of an operator, refused if it is too large, before it is made where it can be large."""
        if operator == "%" and isinstance(left, str):
            raise TooMuch(say.NO_FORMATTING)
        if operator == "**":
            _number(left), _number(right)
            if (
                isinstance(left, int)
                and isinstance(right, int)
                and abs(right) * left.bit_length() > _MAX_BITS
            ):
                raise TooMuch(say.too_large_number(_MAX_BITS))
        if operator == "*" and not (isinstance(left, (int, float)) and isinstance(right, (int, float))):
            times = left if isinstance(left, int) else right if isinstance(right, int) else 1
            _at_most(max(times, 0) * max(_size_of(left), _size_of(right)))
        for value in (left, right):
            self.budget.measured(value)
        return self.budget.measured(super().call_binop(context, operator, left, right))

    def call(self, context: Any, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call a macro or a function of the tables here."""
        if not isinstance(obj, (Function, Macro, Undefined)):
            raise TooMuch(say.NO_FUNCTION)
        budget = self.budget
        budget.calls += 1
        try:
            if budget.calls > _MAX_CALLS:
                raise TooMuch(say.too_many_calls(_MAX_CALLS))
            return budget.measured(super().call(context, obj, *args, **kwargs))
        finally:
            budget.calls -= 1

    def getattr(self, obj: Any, attribute: str) -> Any:
        """A method of the tables here, or an item."""
        if isinstance(obj, Undefined):
            return obj._fail_with_undefined_error()  # noqa: SLF001  # what each of its operations does
        if isinstance(obj, LoopContext) and attribute in _LOOP:
            value = getattr(obj, attribute)
            return Function(f"loop.{attribute}", value, self.budget) if callable(value) else value
        method = _METHODS.get(type(obj), {}).get(attribute)
        if method is not None:
            return Function(attribute, lambda *args, **kwargs: method(obj, *args, **kwargs), self.budget)
        return self.getitem(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """An item; never an attribute of Python."""
        try:
            return obj[argument]
        except (TypeError, LookupError):
            return self.undefined(obj=obj, name=argument)


# Filters with names that nobody can write.
_MEASURED, _SPENT = "<measured>", "<spent>"


def _check(tree: nodes.Template) -> None:
    """Raises TemplateSyntaxError for what templates cannot use, and for too large ones."""
    pending: list[tuple[nodes.Node, int]] = [(tree, 0)]
    seen = 0
    while pending:
        node, depth = pending.pop()
        line = node.lineno or 1
        seen += 1
        if depth > MAX_DEPTH:
            raise TemplateSyntaxError(say.TOO_DEEP, line)
        if seen > MAX_NODES:
            raise TemplateSyntaxError(say.too_long(MAX_NODES), line)
        if not isinstance(node, _STATEMENTS + _EXPRESSIONS) or (
            isinstance(node, nodes.For) and node.recursive
        ):
            raise TemplateSyntaxError(say.no_statement(type(node).__name__.lower()), line)
        pending += [(child, depth + 1) for child in node.iter_child_nodes()]


def _count(tree: nodes.Template) -> None:
    """Changes the tree so that what it makes is measured: lists, joined text, the text of each iteration."""
    repeated: list[Any] = list(tree.find_all((nodes.For, nodes.Macro, nodes.CallBlock)))
    for node in repeated:
        node.body.insert(
            0, nodes.ExprStmt(_filter(nodes.Const(_text_of(node)), _SPENT, node), lineno=node.lineno)
        )
    _replaced(tree)


def _replaced(node: nodes.Node) -> nodes.Node:
    for name in node.fields:
        value = getattr(node, name)
        if isinstance(value, list):
            setattr(node, name, [_replaced(item) if isinstance(item, nodes.Node) else item for item in value])
        elif isinstance(value, nodes.Node):
            setattr(node, name, _replaced(value))
    match node:
        case nodes.Concat():
            return _filter(nodes.List(node.nodes, lineno=node.lineno), "join", node)
        case nodes.Compare() | nodes.Operand():
            node.expr = _filter(node.expr, _MEASURED, node)
        case nodes.Getitem(arg=nodes.Slice()):
            node.node = _filter(node.node, _MEASURED, node)
        case nodes.List() | nodes.Dict():
            return _filter(node, _MEASURED, node)
        case nodes.Tuple() if node.ctx == "load":
            return _filter(node, _MEASURED, node)
        case _:
            pass
    return node


def _filter(node: nodes.Expr, name: str, at: nodes.Node) -> nodes.Filter:
    return nodes.Filter(node, name, [], [], None, None, lineno=at.lineno)


def _text_of(node: nodes.Node) -> int:
    """Characters that the node itself writes, without those of calls."""
    return sum(len(data.data) for data in node.find_all(nodes.TemplateData))
