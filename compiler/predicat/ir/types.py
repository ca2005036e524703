"""The types of fields and expressions, written as in Spark DDL or in PostgreSQL."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct

from predicat.diagnostics.messages import patterns as say

_MAX_NESTING = 20
# The most digits of a decimal on Spark and DuckDB.
MAX_PRECISION = 38
# The precision and scale for PostgreSQL's NUMERIC without parameters.
UNSIZED_NUMERIC = 38, 18


class Scalar(Struct, frozen=True, eq=False, gc=False):
    """A type without parameters. There is only one object of each."""

    name: str

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[object, ...]:
        return _named, (self.name,)


class FormType(Scalar, frozen=True, eq=False, gc=False):
    """A form of a column inside of a type as it is declared, such as the uuid of `array<uuid>`."""


class DecimalType(Struct, frozen=True, gc=False):
    """An exact decimal number of `precision` digits, `scale` of them after the decimal point."""

    precision: int
    scale: int

    def __str__(self) -> str:
        return f"decimal({self.precision},{self.scale})"


class ArrayType(Struct, frozen=True, gc=False):
    """An array of elements of one type."""

    element: Type

    def __str__(self) -> str:
        return f"array<{self.element}>"


class MapType(Struct, frozen=True, gc=False):
    """A map with string keys: JSON and message headers support no others."""

    value: Type

    def __str__(self) -> str:
        return f"map<string, {self.value}>"


class StructType(Struct, frozen=True, gc=False):
    """A record with named members, in their order."""

    fields: tuple[tuple[str, Type], ...]

    def __str__(self) -> str:
        return f"struct<{', '.join(f'{_member(name)}: {kind}' for name, kind in self.fields)}>"

    def get(self, name: str) -> Type | None:
        """The type of a member; None if there is no member of that name."""
        return dict(self.fields).get(name)


def _member(name: str) -> str:
    """The name of a member, in backticks if it is no word."""
    return name if _WORD.fullmatch(name) else f"`{name.replace('`', '``')}`"


Type = Scalar | DecimalType | ArrayType | MapType | StructType

STRING = Scalar("string")
BIGINT = Scalar("bigint")
DOUBLE = Scalar("double")
BOOLEAN = Scalar("boolean")
TIMESTAMP = Scalar("timestamp")
DATE = Scalar("date")
JSON = Scalar("json")
# A number of microseconds. Only expressions have this type, not fields.
DURATION = Scalar("duration")
# The type of a literal NULL before its use gives it another.
NULL = Scalar("null")
# The result of an operator whose type the check computes.
ANY = Scalar("any")


def _named(name: str) -> Scalar:
    """The one object of a scalar type, for unpickling."""
    return {
        row.name: row for row in (STRING, BIGINT, DOUBLE, BOOLEAN, TIMESTAMP, DATE, JSON, DURATION, NULL, ANY)
    }[name]


_NUMERIC_SCALARS = (BIGINT, DOUBLE)
_SPELLINGS = {
    "string": STRING,
    "text": STRING,
    "varchar": STRING,
    "char": STRING,
    "character": STRING,
    "bigint": BIGINT,
    "long": BIGINT,
    "int": BIGINT,
    "integer": BIGINT,
    "smallint": BIGINT,
    "short": BIGINT,
    "tinyint": BIGINT,
    "byte": BIGINT,
    "int2": BIGINT,
    "int4": BIGINT,
    "int8": BIGINT,
    "double": DOUBLE,
    "float": DOUBLE,
    "real": DOUBLE,
    "float4": DOUBLE,
    "float8": DOUBLE,
    "boolean": BOOLEAN,
    "bool": BOOLEAN,
    "timestamp": TIMESTAMP,
    "timestamptz": TIMESTAMP,
    "timestamp_ltz": TIMESTAMP,
    "date": DATE,
    "json": JSON,
    "jsonb": JSON,
    "variant": JSON,
}
SCALAR_NAMES = tuple(_SPELLINGS)
# The words that may follow the first word of a type name in PostgreSQL.
_SECOND_WORDS = {"double": ("precision",), "character": ("varying",), "timestamp": ("with", "time", "zone")}
_WITH_LENGTH = ("varchar", "char", "character")
_WITH_PRECISION = ("timestamp", "timestamptz")
# Spark has other names in backticks.
_WORD = re.compile(r"[^\W\d]\w*", re.ASCII)
_TOKEN = re.compile(r"\s*([^\W\d]\w*|[0-9]+|\[\]|[<>(),:]|`(?:[^`]|``)+`)")
# A type inside of another one that its own reader may know: its type, and where it ends.
Leaf = Callable[[str, int], tuple[Type, int] | None]


def with_forms(kind: Type, change: Callable[[FormType], Type]) -> Type:
    """A type with others in place of the forms of columns inside of it."""
    match kind:
        case FormType():
            return change(kind)
        case ArrayType(element):
            return ArrayType(with_forms(element, change))
        case StructType(fields):
            return StructType(tuple((name, with_forms(member, change)) for name, member in fields))
        case _:
            return kind


def is_numeric(kind: Type) -> bool:
    """Whether values of a type are numbers: of 64 bits, doubles or decimals."""
    return kind in _NUMERIC_SCALARS or isinstance(kind, DecimalType)


class TypeSyntaxError(ValueError):
    """A string that is not a type. `offset` is where parsing stopped, `is_known` whether the type is known
    otherwise, so that the message says all.
    """

    def __init__(self, message: str, offset: int, *, is_known: bool = False) -> None:
        super().__init__(message)
        self.offset = offset
        self.is_known = is_known


def parse_type(text: str, leaf: Leaf = lambda _text, _place: None) -> Type:
    """Parse a type such as `bigint`, `decimal(10,2)`, `map<string, string>`, `struct<a: int, b:
    array<string>>`, `character varying(10)` or `text[]`. `leaf` reads types that are not among these.

    Raises TypeSyntaxError.
    """
    reader = _TypeReader(text, leaf)
    kind = reader.type(0)
    if reader.peek():
        raise TypeSyntaxError(say.unexpected_after_type(reader.peek()), reader.offset)
    return kind


class _TypeReader:
    def __init__(self, text: str, leaf: Leaf) -> None:
        self.text = text
        self.offset = 0
        self.leaf = leaf

    def peek(self) -> str:
        match = _TOKEN.match(self.text, self.offset)
        return match[1] if match else self.text[self.offset :].strip()[:1]

    def take(self) -> str:
        match = _TOKEN.match(self.text, self.offset)
        if not match:
            raise TypeSyntaxError(say.TYPE_ENDS_EARLY, self.offset)
        self.offset = match.end()
        return match[1]

    def expect(self, token: str) -> None:
        if self.peek().lower() != token:
            raise TypeSyntaxError(f"expected {token!r}", self.offset)
        self.take()

    def number(self) -> int:
        token = self.take()
        if not (token.isascii() and token.isdigit()) or len(token) > 9:
            raise TypeSyntaxError(say.NUMBER_EXPECTED, self.offset)
        return int(token)

    def type(self, depth: int) -> Type:
        """A type, or an array of it if PostgreSQL's brackets follow."""
        kind = self._one(depth)
        while self.peek() == "[]" and depth <= _MAX_NESTING:
            self.take()
            kind, depth = ArrayType(kind), depth + 1
        return kind

    def _one(self, depth: int) -> Type:
        if depth > _MAX_NESTING:
            raise TypeSyntaxError(say.types_nest_at_most(_MAX_NESTING), self.offset)
        start = self.offset
        if (found := self.leaf(self.text, start)) is not None:
            kind, self.offset = found
            return kind
        name = self.take().lower()
        if name in ("decimal", "numeric"):
            return self._decimal(start)
        if name == "array":
            self.expect("<")
            element = self.type(depth + 1)
            self.expect(">")
            return ArrayType(element)
        if name == "map":
            return self._map(depth)
        if name == "struct":
            return self._struct(depth)
        if name not in _SPELLINGS:
            raise TypeSyntaxError(say.unknown_type(name), start)
        if name in _WITH_PRECISION:  # the precision precedes "with time zone"
            self._length()
        words = _SECOND_WORDS.get(name, ())
        if words and self.peek().lower() == words[0]:
            for word in words:
                self.expect(word)
        if name in _WITH_LENGTH:
            self._length()
        return _SPELLINGS[name]

    def _length(self) -> None:
        if self.peek() == "(":
            self.take()
            self.number()
            self.expect(")")

    def _decimal(self, start: int) -> Type:
        precision, scale = 10, 0
        if self.peek() == "(":
            self.take()
            precision = self.number()
            if self.peek() == ",":
                self.take()
                scale = self.number()
            self.expect(")")
        if not 1 <= precision <= MAX_PRECISION or scale > precision:
            raise TypeSyntaxError(say.digits_of_a_decimal(MAX_PRECISION), start)
        return DecimalType(precision, scale)

    def _map(self, depth: int) -> Type:
        self.expect("<")
        start = self.offset
        if self.type(depth + 1) != STRING:
            raise TypeSyntaxError(say.MAP_KEYS_ARE_STRINGS, start)
        self.expect(",")
        start = self.offset
        value = self.type(depth + 1)
        if with_forms(value, lambda _: STRING) != value:
            raise TypeSyntaxError(say.NO_FORMS_IN_MAPS, start)
        self.expect(">")
        return MapType(value)

    def _struct(self, depth: int) -> Type:
        self.expect("<")
        fields: list[tuple[str, Type]] = []
        while True:
            name = self.take()
            name = name[1:-1].replace("``", "`") if name[0] == "`" else name
            if self.peek() == ":":  # optional in Spark
                self.take()
            fields.append((name, self.type(depth + 1)))
            if self.peek() != ",":
                break
            self.take()
        self.expect(">")
        return StructType(tuple(fields))
