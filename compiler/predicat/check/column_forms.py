"""What stands beside a field whose column has a form of its own, such as `uuid`: constants in that form."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from predicat.diagnostics import Diagnostic, Reporter, Span
from predicat.diagnostics.messages import columns as say
from predicat.ir.column_forms import OfColumn, held_type, holds_forms, of_elements, of_field
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
    rewrite_children,
    walk,
)
from predicat.ir.operators import COMPARISONS, ORDERED, TIME_PARTS
from predicat.ir.python_values import RowError
from predicat.ir.types import STRING, TIMESTAMP, ArrayType
from predicat.ir.value_sets import ValueSet

_TESTS = {*COMPARISONS, "same", "in", "array_position"}
# Types of columns whose constants may be cast to another one.
_FAMILIES = {"cidr": "inet"}
# What is read of arrays and structs whose elements and members have forms.
_OF_STRUCTS = ("member", "index", "size", "is_null")
_OF_ARRAYS = _OF_STRUCTS[1:]
_COMPARED = {*_TESTS, *_OF_ARRAYS, "in_list"}
# Operators of parts of a text, whose other arguments are texts, too.
_OF_PARTS = ("like", "starts_with", "ends_with", "contains")
_ORDERS = {*ORDERED, "greatest", "least"}


def beside_columns(node: Node, reporter: Reporter) -> Node:
    """A node whose constants are in the form of the columns that they are compared with.

    A constant that is no value of the column's type, and an order that engines do not share, are reported.
    """
    parts = tuple(walk(node))
    if any(map(_needs_form, parts)):
        for problem in _problems(node):
            reporter.add(problem)
        reporter.raise_errors()
        node = _in_form(node)
    return _without_utc(node) if any(map(_is_in_utc, parts)) else node


def _is_in_utc(node: Node) -> bool:
    """Whether a node is the local time of a moment in UTC, which has the same value."""
    return isinstance(node, Call) and node.op == "in_zone" and not _is_zone(node.args[1])


def _without_utc(node: Node) -> Node:
    node = rewrite_children(node, _without_utc)
    return node.args[0] if _is_in_utc(node) and isinstance(node, Call) else node


def _needs_form(node: Node) -> bool:
    match node:
        case Field(type=kind, decl=decl):
            return held_type(decl) != kind
        case Literal(stored=stored):
            return bool(stored)
        case _:
            return False


def _problems(node: Node) -> Iterator[Diagnostic]:
    for child in children(node):
        yield from _problems(child)
    if not isinstance(node, Call):
        return
    columns = _columns(node)
    for constant in _literals(node):
        kinds = {_FAMILIES.get(form.name, form.name) for _, form in columns}
        if constant.stored and constant.stored not in kinds:
            yield say.typed_constant(constant.span, constant.stored)
    for field, form in columns:
        name = _name(field)
        if isinstance(field.type, ArrayType) and form.form.seen_as and node.op not in _OF_ARRAYS:
            yield say.each_element(node.span, name, form.shown)
        elif node.op in _ORDERS and not form.form.ordered:
            yield say.no_order(node.span, name, form.shown)
        elif form.form.compared_only and node.op not in (*_COMPARED, form.form.length):
            yield say.only_compared(node.span, name, form.shown)
        elif form.form.read and node.op not in (*_TESTS, *_OF_PARTS) and _has_capitals(node):
            yield say.in_lower_case(node.span, name)
        elif node.op == "in_list" and any(form.constant(value) != value for value in _of_list(node)):
            yield say.list_in_form(node.span, name, form.shown)
        elif node.op in _TESTS:
            yield from (say.no_value(*one) for one in _strangers(node, form))
    if not columns and node.op in (*_TESTS, *_OF_PARTS) and _has_capitals(node):
        yield from (say.capitals_beside(node.span, _name(field)) for field in _read_in(node)[:1])
    whole = next((arg for arg in node.args if node.op not in _OF_STRUCTS and holds_forms(arg)), None)
    if whole is not None:
        yield say.only_members(node.span, _name(whole))
    yield from _of_local_times(node)


def _name(node: Node) -> str:
    named = node.decl.name if isinstance(node, Field) else node.name if isinstance(node, Variable) else ""
    return named or node.span.text


def _has_capitals(node: Call) -> bool:
    """Whether a text beside a column that is read in lower case can never be found in it."""
    texts = [one.value for one in _literals(node) if isinstance(one.value, str)]
    return any(re.search(r"(?<!\\)[A-Z]", text) for text in texts)


def _read_in(node: Call) -> list[Node]:
    """The columns that are read in lower case and whose texts are parts of the arguments."""
    found: list[Node] = []
    for arg in node.args:
        if (form := of_field(arg)) is not None and form.form.read:
            found.append(arg)
        elif isinstance(arg, Call) and arg.type == STRING:
            found += _read_in(arg)
    return found


def _of_list(node: Call) -> Iterable[Any]:
    found = (arg.value for arg in node.args if isinstance(arg, Literal))
    return next((value.values for value in found if isinstance(value, ValueSet) and value.is_known), ())


def _of_local_times(node: Call) -> Iterator[Diagnostic]:
    """What a local time has no meaning in: beside a moment, in another zone, as a text."""
    local = next((arg for arg in node.args if _is_local(arg)), None)
    if local is None:
        return
    moment = next((arg for arg in node.args if _is_moment(arg)), None)
    if moment is not None:
        yield say.two_times(node.span, local.span.text, moment.span.text)
    elif node.op in ("in_zone", *TIME_PARTS) and any(_is_zone(arg) for arg in node.args[1:]):
        yield say.in_no_zone(node.span, local.span.text)
    elif node.op == "to_string":
        yield say.local_as_text(node.span, local.span.text)


def _is_zone(node: Node) -> bool:
    return node.type == STRING and not (isinstance(node, Literal) and node.value == "UTC")


def _is_local(node: Node) -> bool:
    """Whether a timestamp is a local time: of a column without a zone, or of a moment in a zone."""
    match node:
        case _ if (form := of_field(node) or of_elements(node)) is not None:
            return form.name == "timestamp_ntz"
        case Call(type=kind, op=op, args=args) if kind == TIMESTAMP:
            return (op == "in_zone" and _is_zone(args[1])) or any(map(_is_local, args))
        case _:
            return isinstance(node, Items) and any(map(_is_local, node.items))


def _is_moment(node: Node) -> bool:
    match node:
        case Field() | Variable():
            return node.type == TIMESTAMP and not _is_local(node)
        case Parameter():
            return node.decl == NOW
        case Call(type=kind, op=op, args=args) if kind == TIMESTAMP:
            return op != "in_zone" and any(map(_is_moment, args)) and not _is_local(node)
        case _:
            return isinstance(node, Items) and any(map(_is_moment, node.items))


def _columns(node: Call | Items) -> list[tuple[Node, OfColumn]]:
    """The arguments or items that columns hold in a form, or arrays of it."""
    found = ((arg, of_field(arg) or of_elements(arg)) for arg in children(node))
    return [(arg, form) for arg, form in found if form is not None]


def _strangers(node: Call, form: OfColumn) -> Iterator[tuple[Span, str, str, str | None]]:
    """The places of constants beside a field that its column cannot have, each with its value and a hint."""
    for constant in _constants(node, form):
        try:
            is_local = isinstance(constant.value, datetime) and not form.form.through
            form.form.given(constant.span.text if is_local else constant.value)
            form.constant(constant.value)
        except ValueError as error:
            hint = error.hint if isinstance(error, RowError) else None
            yield constant.span, constant.span.text or repr(constant.value), form.shown, hint


def _literals(node: Call) -> Iterator[Literal]:
    for arg in node.args:
        for part in arg.items if isinstance(arg, Items) else (arg,):
            if isinstance(part, Literal):
                yield part


def _constants(node: Call, form: OfColumn) -> Iterator[Literal]:
    return (part for part in _literals(node) if part.value is not None and part.type == form.form.core)


def _in_form(node: Node) -> Node:
    if _is_seen(node):  # of a filter that this one refers to
        return node
    node = rewrite_children(node, _in_form)
    if isinstance(node, Quantifier):
        return rewrite_children(node, _read)
    if not isinstance(node, Call) or node.op == "is_null":
        return node
    listed = (arg for arg in node.args if isinstance(arg, Items))
    columns = [*_columns(node), *(column for arg in listed for column in _columns(arg))]
    if columns and (node.op in _TESTS or (columns[0][1].form.read and node.op in _OF_PARTS)):
        node = rewrite_children(node, lambda part: _beside(part, columns[0][1]))
    return rewrite_children(node, _read)


def _is_seen(node: Node) -> bool:
    form = of_field(node.args[0]) if isinstance(node, Call) and node.args else None
    return form is not None and isinstance(node, Call) and form.form.through == node.op


def _read(node: Node) -> Node:
    """A field, and each one in a list, as filters read its column."""
    if isinstance(node, Items):
        return rewrite_children(node, _read)
    form = of_field(node)
    return node if form is None else form.seen(node)


def _beside(part: Node, form: OfColumn) -> Node:
    """What is compared with a field, in the form of its column."""
    match part:
        case Items():
            return rewrite_children(part, lambda item: _beside(item, form))
        case Literal(type=kind, value=value) if kind == form.form.core and value is not None:
            return replace(part, value=form.constant(value))
        case _ if (other := of_field(part)) is not None and other.shown == form.shown:
            return part
        case _ if form.form.beside and part.type == form.form.core and not isinstance(part, Literal):
            return Call(part.type, form.form.beside, (part,), part.span)
        case _:
            return part
