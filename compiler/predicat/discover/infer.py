"""The types of fields, inferred from their use.

Fields that are compared with each other have one type. What they are compared with, and the functions that
take them, tell which kind that is. A kind is then given the widest type that it may be, so that what holds
for all of its values holds for the real column as well: a number has fractions, a time is a timestamp, and a
field of which nothing is known has one of infinitely many values. For the narrowest type, whole numbers and
dates, there is a second assignment: what is shown by a row must be shown by a row of that one too.

There is no assignment, and so no verdict, where the kind decides the outcome: constants that are one value
for some type (`'5'` and `'05'`, `'t'` and `'true'`, `'A'` and `'a'` in a text that ignores case), a text and
a number compared with one field, an order of texts that depends on a collation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from typing import Literal

from msgspec import Struct, field

from predicat.diagnostics.messages import verdicts as say
from predicat.ir import syntax as t
from predicat.ir.nodes import FieldDecl
from predicat.ir.operators import COMPARISONS, LOGIC, ORDERED, STRICTLY_ORDERED
from predicat.ir.syntax import Value
from predicat.ir.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    STRING,
    TIMESTAMP,
    DecimalType,
    Type,
    TypeSyntaxError,
    is_numeric,
)
from predicat.ir.widths import field_type

Kind = Literal["string", "number", "time", "boolean"]
_WIDE_NUMBER = DecimalType(38, 9)
# How bytes are written: two digits for each, so a part of four has ten characters.
_BYTES = re.compile(r"\\x(?:[0-9a-fA-F]{2})+")
# Numbers beyond have more digits with 9 decimals than the decimal module keeps.
_LARGEST = 10**18
_COMPARED = frozenset({*COMPARISONS, "same"})
# Operators whose first argument is a text.
_OF_TEXTS = frozenset({"like", "like_ci", "lower", "upper", "length", "substr", "starts_with"})
_GIVES: Mapping[str, Kind] = {"lower": "string", "upper": "string", "substr": "string", "length": "number"}
# Dialects that order texts by their code points whatever the collation of a database.
_BY_BYTES = frozenset(
    {"bigquery", "spark", "spark2", "databricks", "hive", "duckdb", "trino", "presto", "athena"}
)
# Dialects whose texts are equal only if each character is, unless a column says otherwise.
_CASE_KEPT = _BY_BYTES | {"", "postgres", "redshift", "snowflake", "clickhouse"}
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?")
_TRUTHS = {"t": True, "true": True, "y": True, "yes": True, "on": True, "1": True} | {
    "f": False,
    "false": False,
    "n": False,
    "no": False,
    "off": False,
    "0": False,
}


class Unclear(Exception):
    """Types cannot be inferred so that a verdict would hold; the argument is the reason in one sentence."""


class Types(Struct, frozen=True):
    """The types of the fields of a condition.

    Attributes:
        wide: The widest type that each field may have: what holds for all rows of these holds for the real
            ones.
        narrow: The narrowest types.
        inferred: The fields whose type is inferred, with the kind that was inferred; "any" where nothing is
            known.
        tree: The condition, with its constants as values of the types.
    """

    wide: Mapping[str, FieldDecl]
    narrow: Mapping[str, FieldDecl]
    inferred: Mapping[str, str]
    tree: t.Tree


class _Class(Struct):
    """Fields of one type: what is known of it."""

    names: set[str] = field(default_factory=set[str])
    kinds: set[Kind] = field(default_factory=set[Kind])
    known: dict[str, Type] = field(default_factory=dict[str, Type])
    texts: dict[str, None] = field(default_factory=dict[str, None])
    numbers: dict[Decimal, None] = field(default_factory=dict[Decimal, None])
    ordered: bool = False
    with_itself: bool = False

    def take(self, other: _Class) -> None:
        """What is known of another class holds for this one too."""
        self.names |= other.names
        self.kinds |= other.kinds
        self.known |= other.known
        self.texts |= other.texts
        self.numbers |= other.numbers
        self.ordered = self.ordered or other.ordered
        self.with_itself = self.with_itself or other.with_itself


def infer(
    tree: t.Tree, dialect: str, known: Mapping[str, str] | None = None, kinds: Mapping[str, str] | None = None
) -> Types:
    """The types of the fields of a condition.

    Args:
        tree: The condition, as `abstraction.read_sql` gives it.
        dialect: Its dialect, which tells how texts are compared.
        known: Known types by name; they are looked up without regard to case.
        kinds: Kinds of names that stand for parts (`Abstract.kinds`).

    Raises Unclear where the outcome would depend on the choice.
    """
    uses = _Uses(known or {}, kinds or {})
    uses.visit(tree, logical=True)
    wide: dict[str, FieldDecl] = {}
    narrow: dict[str, FieldDecl] = {}
    inferred: dict[str, str] = {}
    for group in uses.classes():
        kind = _kind(group, dialect)
        for name in sorted(group.names):
            types = _types(group, name, kind)
            wide[name], narrow[name] = (FieldDecl(name, field_type) for field_type in types)
            if name not in group.known:
                inferred[name] = kind or "any"
    return Types(wide, narrow, inferred, _typed(tree))


def _typed(tree: t.Tree) -> t.Tree:
    """A tree with its constants as every type takes them: exact numbers, and times as texts."""
    match tree:
        case t.Constant(str() as value, span, held) if held and held != "citext":
            return t.Constant(value, span)
        case t.Constant(float() as value, span):
            return t.Constant(Decimal(str(value)), span)
        case t.Constant(date() as value, span):
            return t.Constant(str(value), span)
        case t.OperatorCall(op, args, span):
            return t.OperatorCall(op, tuple(map(_typed, args)), span)
        case t.ListLiteral(items, span):
            return t.ListLiteral(tuple(map(_typed, items)), span)
        case _:
            return tree


class _Uses:
    """Collects what is known of each field, in one descent."""

    def __init__(self, known: Mapping[str, str], kinds: Mapping[str, str]) -> None:
        self.given = {name.casefold(): text for name, text in known.items()}
        self.kinds = kinds
        self.parents: dict[str, str] = {}
        self.found: dict[str, _Class] = {}

    def classes(self) -> Iterable[_Class]:
        return self.found.values()

    def root(self, name: str) -> str:
        while self.parents[name] != name:
            name = self.parents[name]
        return name

    def of(self, name: str) -> _Class:
        """The class of a field."""
        if name not in self.parents:
            self.parents[name] = name
            new = self.found[name] = _Class({name})
            if name in self.kinds:
                new.kinds.add(self.kinds[name])  # type: ignore[arg-type]  # its values are kinds
            text = self.given.get(name.casefold(), self.given.get(name.rpartition(".")[2].casefold()))
            if text is not None:
                new.known[name] = _parsed(name, text)
        return self.found[self.root(name)]

    def join(self, one: str, other: str) -> None:
        self.of(one), self.of(other)
        first, second = self.root(one), self.root(other)
        if first != second:
            self.parents[second] = first
            self.found[first].take(self.found.pop(second))

    def visit(self, tree: t.Tree, *, logical: bool = False) -> None:
        match tree:
            case t.Name(name):
                group = self.of(name)
                if logical:
                    group.kinds.add("boolean")
            case t.OperatorCall(op, args):
                for place, arg in enumerate(args):
                    is_test = op in LOGIC or (op == "cond" and (place == 0 or logical))
                    self.visit(arg, logical=is_test)
                self.use(tree)
            case t.ListLiteral(items):
                for item in items:
                    self.visit(item)
            case _:
                pass

    def use(self, tree: t.OperatorCall) -> None:
        """What an operator tells of its arguments."""
        if tree.op in _COMPARED:
            self.alike(tree.args, ordered=tree.op in ORDERED)
            # NaN fails these with itself in every dialect.
            if tree.op not in STRICTLY_ORDERED and isinstance(tree.args[0], t.Name):
                self.of(tree.args[0].name).with_itself |= _is_same(*tree.args)
        elif tree.op == "in" and isinstance(tree.args[1], t.ListLiteral):
            self.alike((tree.args[0], *tree.args[1].items), ordered=False)
        elif tree.op == "coalesce":
            self.alike(tree.args, ordered=False)
        elif tree.op == "cond":
            self.alike(tree.args[1:], ordered=False)
        elif tree.op in _OF_TEXTS:
            for name in _values(tree.args[0]):
                self.of(name).kinds.add("string")

    def alike(self, trees: Iterable[t.Tree], *, ordered: bool) -> None:
        """Values of one type."""
        parts = [leaf for tree in trees for leaf in _leaves(tree)]
        if any(isinstance(leaf, t.OperatorCall) for leaf in parts):
            _refuse_bytes(parts)
        names = [leaf.name for leaf in parts if isinstance(leaf, t.Name)]
        if not names:
            return
        for name in names[1:]:
            self.join(names[0], name)
        group = self.of(names[0])
        group.ordered = group.ordered or ordered
        for leaf in parts:
            match leaf:
                case t.Constant(value) if value is not None:
                    _add_constant(group, value)
                case t.OperatorCall(op) if op in _GIVES:
                    group.kinds.add(_GIVES[op])
                case t.OperatorCall(op) if op not in ("cond", "coalesce"):
                    group.kinds.add("boolean")
                case _:
                    pass


def _refuse_bytes(parts: Iterable[t.Tree]) -> None:
    """Raises Unclear if a constant beside what a function gives may be one of bytes, in hexadecimal."""
    for leaf in parts:
        if isinstance(leaf, t.Constant) and isinstance(leaf.value, str) and _BYTES.fullmatch(leaf.value):
            raise Unclear(say.may_be_bytes(leaf.value))


def _leaves(tree: t.Tree) -> Iterable[t.Tree]:
    """The values that a tree may have, as far as it only chooses one."""
    match tree:
        case t.OperatorCall("coalesce", args):
            for arg in args:
                yield from _leaves(arg)
        case t.OperatorCall("cond", (_, yes, no)):
            yield from _leaves(yes)
            yield from _leaves(no)
        case _:
            yield tree


def _is_same(one: t.Tree, other: t.Tree) -> bool:
    return isinstance(one, t.Name) and isinstance(other, t.Name) and one.name == other.name


def _values(tree: t.Tree) -> Iterable[str]:
    return (leaf.name for leaf in _leaves(tree) if isinstance(leaf, t.Name))


def _add_constant(group: _Class, value: Value) -> None:
    match value:
        case bool():
            group.kinds.add("boolean")
        case str():
            group.texts[value] = None
        case int() | float() | Decimal():
            group.kinds.add("number")
            group.numbers[Decimal(str(value))] = None
        case date():
            group.kinds.add("time")
            group.texts[str(value)] = None
        case _:
            pass


def _parsed(name: str, text: str) -> Type:
    try:
        return field_type(text)[0]
    except TypeSyntaxError:
        raise Unclear(say.unknown_type(name, text)) from None


_KIND_OF: Mapping[Type, Kind] = {
    STRING: "string",
    BOOLEAN: "boolean",
    DATE: "time",
    TIMESTAMP: "time",
}


def _kind(group: _Class, dialect: str) -> Kind | None:
    """The kind of a class; None where nothing is known of it, and any does."""
    name = min(group.names)
    kinds = set(group.kinds)
    for known in group.known.values():
        kind = "number" if is_numeric(known) else _KIND_OF.get(known)
        if kind is None:
            raise Unclear(say.unknown_type(name, str(known)))
        kinds.add(kind)
    if group.texts and not kinds & {"time", "string"}:
        kinds.add(_kind_of_texts(group))
    if len(kinds) > 1:
        raise Unclear(say.several_kinds(name, kinds))
    only = next(iter(kinds), None)
    if only == "string":
        _check_texts(group, dialect, name)
    if only == "time":
        for text in group.texts:
            if moment(text) is None:
                raise Unclear(say.several_kinds(name, ["time", repr(text)]))
        if len({bool(_DATE.fullmatch(text)) for text in group.texts}) > 1 and not group.known:
            raise Unclear(say.unclear_order(name))
    if only in ("number", None) and group.with_itself:
        raise Unclear(say.test_for_nan(name))
    for number in group.numbers:
        if not number.is_finite() or abs(number) >= _LARGEST or number != round(number, 9):
            raise Unclear(say.constant_out_of_range(name, number))
    return only


def _kind_of_texts(group: _Class) -> Kind:
    """The kind of a field that is only compared with texts: a time if it is ordered and all are dates."""
    all_times = all(_DATE.fullmatch(text) and moment(text) for text in group.texts) or all(
        _MOMENT.fullmatch(text) and moment(text) and len(text) == len(next(iter(group.texts)))
        for text in group.texts
    )
    return "time" if group.ordered and all_times else "string"


def _check_texts(group: _Class, dialect: str, name: str) -> None:
    """Raises Unclear where texts may be equal, or in another order, for another type or collation."""
    if dialect not in _CASE_KEPT:
        raise Unclear(say.folding_dialect(dialect))
    for folded in (_without_case, _as_number, _as_truth, moment):
        seen: dict[object, str] = {}
        for text in group.texts:
            value = folded(text)
            if value is None:
                continue
            if value in seen and not (folded is _without_case and group.known):
                raise Unclear(say.alike_constants(name, seen[value], text))
            seen[value] = text
    if group.ordered and not (dialect in _BY_BYTES and len(group.known) == len(group.names)):
        raise Unclear(say.unclear_order(name))


def _without_case(text: str) -> str:
    return text.casefold().strip()


def _as_number(text: str) -> Decimal | None:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _as_truth(text: str) -> bool | None:
    return _TRUTHS.get(text.casefold().strip())


def moment(text: str) -> datetime | None:
    """The time that a text without a zone says."""
    if not (_DATE.fullmatch(text) or _MOMENT.fullmatch(text)):
        return None
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        return None


def _types(group: _Class, name: str, kind: Kind | None) -> tuple[Type, Type]:
    """The widest and the narrowest type that a field may have."""
    if name in group.known:
        return group.known[name], group.known[name]
    match kind:
        case "string":
            return STRING, STRING
        case "boolean":
            return BOOLEAN, BOOLEAN
        case "time":
            days = all(_DATE.fullmatch(text) for text in group.texts)
            if group.known:
                return next(iter(group.known.values())), next(iter(group.known.values()))
            return TIMESTAMP, DATE if days else TIMESTAMP
        case "number":
            if group.known:
                return next(iter(group.known.values())), next(iter(group.known.values()))
            whole = all(number == number.to_integral_value() for number in group.numbers)
            return _WIDE_NUMBER, BIGINT if whole else _WIDE_NUMBER
        case _:
            return (_WIDE_NUMBER, BIGINT) if group.ordered else (BIGINT, BIGINT)
