"""Types of fields that are no types of expressions: the forms in which columns hold values of a core type.

In expressions a `uuid` is its text, as an `int` is a `bigint`. `FieldDecl.stored` has the form as it was
declared. A row here says which values a form has; `backends/sql/column_forms.py` has what engines store and
compare.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime, time
from decimal import Decimal
from functools import lru_cache
from ipaddress import IPv4Address, ip_address, ip_network
from typing import Any

from msgspec import Struct

from predicat.diagnostics.messages import rows as say
from predicat.ir.nodes import Call, Field, FieldDecl, Items, Literal, Node, Quantifier, Variable
from predicat.ir.python_values import RowError
from predicat.ir.time_zones import is_zone
from predicat.ir.types import (
    BOOLEAN,
    JSON,
    STRING,
    TIMESTAMP,
    ArrayType,
    DecimalType,
    FormType,
    StructType,
    Type,
    TypeSyntaxError,
    parse_type,
    with_forms,
)

Words = tuple[str, ...]


class Form(Struct, frozen=True):
    """A form of a column.

    Attributes:
        core: The type of its values in expressions.
        value: A value of the core type as the one value that stands for it, such as a uuid in lower case. It
            gets the words of the type, too (the labels of an enum), and raises RowError for no value.
        shape: A condition of a node that only these values meet, for proofs. None: all of the core type do.
        samples: Some values, if few values of the core type are.
        given: A value of a row before it is of the core type. Raises RowError for one of another meaning.
        compared_only: Whether filters only compare the column, and read nothing of its text.
        length: The operator of its length, where that is not the one of its text.
        ordered: Whether all engines have the order of the core type.
        beside: An operator of texts that turns any text into the form, as far as one does.
        read: The operator with which filters read the column, if they do not read it as it is.
        through: An operator that filters see the result of, with the words as its constants: the column has
            another meaning than they.
    """

    core: Type
    value: Callable[[Any, Words], Any] = lambda value, _: value
    shape: Callable[[Node, Words], Node] | None = None
    samples: Callable[[Words], Sequence[Any]] = lambda _: ()
    given: Callable[[Any], Any] = lambda value: value
    compared_only: bool = False
    length: str = ""
    ordered: bool = True
    beside: str = ""
    read: str = ""
    through: str = ""

    @property
    def seen_as(self) -> str:
        """The operator of what filters see; "" if they see the values of the column."""
        return self.read or self.through


_UUID = re.compile(r"[0-9a-f]{4}(?:-?[0-9a-f]{4}){7}")
UUID_PATTERN = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"


def _uuid(value: str, _words: Words) -> str:
    """A UUID as PostgreSQL reads it: in any case, in braces, with a hyphen after any four digits."""
    text = value.lower()
    text = text[1:-1] if text[:1] == "{" and text[-1:] == "}" else text
    if not _UUID.fullmatch(text):
        raise RowError
    digits = text.replace("-", "")
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _label(value: str, labels: Words) -> str:
    if value not in labels:
        raise RowError(say.labels(labels))
    return value


# A text of a length that does not end with a blank.
_UNPADDED = "^(?s:(?:.{{0,{0}}}[^ ])?)$"
# An address, and for one of version 6 texts that look like one.
_BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_IPV4 = f"{_BYTE}(?:[.]{_BYTE}){{3}}"
_IPV6 = "[0-9a-f]{0,4}:[0-9a-f:]*(?::[0-9.]*)?"
# The lengths of networks that are shorter than an address.
_BITS4, _BITS6 = "(?:[12]?[0-9]|3[01])", "(?:[1-9]?[0-9]|1[01][0-9]|12[0-7])"
_INET = f"^(?:{_IPV4}(?:/{_BITS4})?|{_IPV6}(?:/{_BITS6})?)$"
_CIDR = f"^(?:{_IPV4}/(?:{_BITS4}|32)|{_IPV6}/(?:{_BITS6}|128))$"
# A time of day, also without its seconds, and the end of the day.
_CLOCK = re.compile(
    r"(?:([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,6}))?)?|(24):(00)(?::00)?)", re.ASCII
)
_TIME = "^(?:(?:[01][0-9]|2[0-3])(?::[0-5][0-9]){2}(?:[.][0-9]{0,5}[1-9])?|24:00:00)$"
# A time with an offset from UTC.
OFFSET = "[0-9]:[0-9.: ]*[+-][0-9:]+[ ')]*$"


def _without_offset(value: Any) -> Any:
    """Refuse a moment of another zone. In UTC are the local times that the evaluator has."""
    text = value if isinstance(value, str) else ""
    if (isinstance(value, datetime) and value.utcoffset()) or re.search(OFFSET, text):
        raise RowError(say.LOCAL)
    return value


def _hexadecimal(value: Any) -> Any:
    return f"\\x{bytes(value).hex()}" if isinstance(value, bytes | bytearray | memoryview) else value


def _bytes(value: str, _words: Words) -> str:
    """Bytes as PostgreSQL shows them, from its own way or from digits alone."""
    digits = value.removeprefix("\\x").lower()
    if len(digits) % 2 or not re.fullmatch("[0-9a-f]*", digits):
        raise RowError
    return f"\\x{digits}"


def _address(value: str, _words: Words) -> str:
    """An address of a network, or one in a network, as PostgreSQL shows it."""
    host, slash, length = value.strip().partition("/")
    address = ip_address(host)
    if "%" in host or (slash and not (length.isdecimal() and int(length) <= address.max_prefixlen)):
        raise RowError
    words = int(address) >> 32
    dotted = address.version == 6 and (words == 0xFFFF or (words == 0 and int(address) >> 16))
    mapped = f"::{'ffff:' if words else ''}{IPv4Address(int(address) & 0xFFFFFFFF)}"
    shown = mapped if dotted else str(address)
    return f"{shown}/{int(length)}" if slash and int(length) < address.max_prefixlen else shown


def _network(value: str, _words: Words) -> str:
    """A network as PostgreSQL shows it: its address, which has no bits beyond the length, and its length."""
    network = ip_network(value.strip())
    return f"{_address(str(network.network_address), ())}/{network.prefixlen}"


def _clock(value: Any) -> Any:
    return value.isoformat() if isinstance(value, time) else value


def _time(value: str, _words: Words) -> str:
    """A time of day as PostgreSQL and DuckDB show it."""
    match = _CLOCK.fullmatch(value.strip())
    if match is None:
        raise RowError
    hour, minute, second, fraction, end, _ = match.groups("")
    whole, digits = f"{hour or end:0>2}:{minute or '00'}:{second or '00'}", fraction.rstrip("0")
    return f"{whole}.{digits}" if digits else whole


# The ends of an unsigned integer of 64 bits.
_UNSIGNED = {"ge": 0, "le": 2**64 - 1}


def _whole(number: int) -> Literal:
    return Literal(DecimalType(20, 0), Decimal(number))


def _unsigned(value: Any, _words: Words) -> Any:
    if not _UNSIGNED["ge"] <= value <= _UNSIGNED["le"]:
        raise RowError
    return value


def _unpadded(value: str, words: Words) -> str:
    result = value.rstrip(" ")
    if len(result) > int(words[0]):
        raise RowError(say.at_most(int(words[0])))
    return result


def _text(value: str) -> Literal:
    return Literal(STRING, value)


FORMS: dict[str, Form] = {
    "uuid": Form(
        STRING,
        _uuid,
        lambda node, _: Call(BOOLEAN, "matches", (node, _text(UUID_PATTERN))),
        lambda _: ["00000000-0000-0000-0000-000000000000", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"],
        beside="lower",
    ),
    "enum": Form(
        STRING,
        _label,
        lambda node, labels: Call(BOOLEAN, "in", (node, Items(ArrayType(STRING), tuple(map(_text, labels))))),
        lambda labels: labels,
        ordered=False,
    ),
    "char": Form(
        STRING,
        _unpadded,
        lambda node, words: Call(BOOLEAN, "matches", (node, _text(_UNPADDED.format(int(words[0]) - 1)))),
        beside="rtrim",
    ),
    "citext": Form(STRING, beside="lower", read="lower"),
    "inet": Form(
        STRING,
        _address,
        lambda node, _: Call(BOOLEAN, "matches", (node, _text(_INET))),
        lambda _: ["10.0.0.1", "10.0.0.0/8", "::1"],
        ordered=False,
    ),
    "binary": Form(
        STRING,
        _bytes,
        lambda node, _: Call(BOOLEAN, "matches", (node, _text(r"^\\x(?:[0-9a-f]{2})*$"))),
        lambda _: ["\\x", "\\x00", "\\xff00"],
        given=_hexadecimal,
        compared_only=True,
        length="byte_count",
    ),
    "cidr": Form(
        STRING,
        _network,
        lambda node, _: Call(BOOLEAN, "matches", (node, _text(_CIDR))),
        lambda _: ["10.0.0.0/8", "10.0.0.1/32", "::/0"],
        ordered=False,
    ),
    "time": Form(
        STRING,
        _time,
        lambda node, _: Call(BOOLEAN, "matches", (node, _text(_TIME))),
        lambda _: ["00:00:00", "12:30:00.5", "24:00:00"],
        given=_clock,
    ),
    "name": Form(STRING),
    "json_text": Form(JSON),
    "ubigint": Form(
        DecimalType(20, 0),
        _unsigned,
        lambda node, _: Call(
            BOOLEAN, "and", tuple(Call(BOOLEAN, op, (node, _whole(end))) for op, end in _UNSIGNED.items())
        ),
        lambda _: [Decimal(number) for number in (0, 1, 2**63, 2**64 - 1)],
    ),
    "timestamp_ntz": Form(TIMESTAMP, given=_without_offset),
    "timestamp_in": Form(TIMESTAMP, given=_without_offset, through="from_zone"),
}
_SPELLINGS = {
    "binary": re.compile("bytea|bytes|blob|varbinary"),
    "char": re.compile(r"(?:char|character|bpchar)\s*(\(\s*\d+\s*\))"),
    "ubigint": re.compile(r"uint64|unsigned\s+bigint|bigint\s+unsigned"),
    "time": re.compile(r"time\s*(?:\([0-6]\))?\s*(?:without\s+time\s+zone)?"),
    "timestamp_ntz": re.compile(r"timestamp(?:_ntz)?\s*(?:\([0-6]\))?\s*(?:without\s+time\s+zone)?"),
}
# A `timestamp` alone is a moment, as in Spark.
_MOMENTS = re.compile(r"timestamp\s*(?:\([0-6]\))?")


@lru_cache(maxsize=4096)
def split(text: str) -> tuple[str, Words] | None:
    """The name of a form and its words, from a type as it is declared; None for another type.

    Raises ValueError for words that the type does not have, an enum whose words cannot be read, and a name
    that is no time zone.
    """
    plain = text.strip().lower()
    if not _MOMENTS.fullmatch(plain):
        found = ((name, spelling.fullmatch(plain)) for name, spelling in _SPELLINGS.items())
        text = next((name + "".join(match.groups()) for name, match in found if match), text)
    match = re.match(r"\s*([a-z_]+)\s*(?:\((.*)\))?\s*\Z", text, re.IGNORECASE | re.DOTALL)
    name = match[1].lower() if match else ""
    if match is None or name not in FORMS or (name == "char" and match[2] is None):
        return None
    if (match[2] is not None) != (name in _WITH_WORDS):
        raise ValueError(_no_words(name))
    words = _words(match[2]) if match[2] is not None else ()
    if name == "timestamp_in" and not (len(words) == 1 and is_zone(words[0])):
        raise ValueError(say.no_zone(", ".join(words)))
    return None if name == "char" and not _is_length(words) else (name, words)


# The forms whose types have words: the labels of an enum, the length of a text, a time zone.
_WITH_WORDS = ("enum", "char", "timestamp_in")


def _no_words(name: str) -> str:
    """Why a type cannot be written with parentheses, or without them."""
    if name == "timestamp_in":
        return say.no_zone("")
    timed = name in ("time", "timestamp_ntz")
    return say.ENUM_WORDS if name == "enum" else say.at_most_six(name) if timed else say.no_parentheses(name)


def _is_length(words: Words) -> bool:
    """Whether a type of texts is filled with blanks: one of a single character is not."""
    return len(words) == 1 and words[0].isdigit() and 1 < int(words[0]) <= 10_000_000


# As the operator `lower` does it.
_LOWER = {ord(letter): letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
_WORD = re.compile(r"\s*(?:'((?:[^']|'')*)'|([^',()\s]+))\s*(,|\Z)")


def _words(text: str) -> Words:
    found: list[str] = []
    place, more = 0, True
    while more:
        match = _WORD.match(text, place)
        if match is None:
            raise ValueError(say.ENUM_WORDS)
        found.append(match[2] if match[1] is None else match[1].replace("''", "'"))
        place, more = match.end(), match[3] == ","
    if len(set(found)) < len(found):
        raise ValueError(say.ENUM_TWICE)
    return tuple(found)


def spelled(name: str, words: Words) -> str:
    """A form as it is written in a catalog."""
    shown = [
        word if re.fullmatch(r"\w+", word) else f"'{word.replace(chr(39), chr(39) * 2)}'" for word in words
    ]
    return f"{name}({', '.join(shown)})" if words else name


class OfColumn(Struct, frozen=True):
    """A form with the words of a field."""

    name: str
    words: Words
    form: Form

    @property
    def shown(self) -> str:
        """The form as it is written in a catalog."""
        return spelled(self.name, self.words)

    def value(self, value: Any) -> Any:
        """The value that stands for a value of the core type. Raises RowError."""
        return self.form.value(value, self.words)

    def of_row(self, value: Any, typed: Callable[[Any, Type], Any]) -> Any:
        """A value of a row as the column holds it; `typed` makes it one of the core type. Raises RowError."""
        try:
            result = typed(self.form.given(value), self.form.core)
            return None if result is None else self.value(result)
        except RowError as error:
            raise error.about(self.name, value) from None
        except ValueError:
            raise RowError().about(self.name, value) from None

    def constant(self, value: Any) -> Any:
        """A constant beside the column as the one that stands for it. Raises RowError."""
        if self.form.core != STRING:
            return value
        lower = self.form.read == "lower"
        return value.translate(_LOWER) if lower else self.value(value)

    def seen(self, node: Node) -> Node:
        """What filters see of a column."""
        op = self.form.seen_as
        return Call(node.type, op, (node, *map(_text, self.words)), node.span) if op else node

    def is_value(self, value: Any) -> bool:
        """Whether a value of the core type is one that the column has."""
        try:
            return bool(self.value(value) == value)
        except ValueError:
            return False

    def shape(self, node: Node) -> Node:
        """The condition that the values of the column meet."""
        return Literal(BOOLEAN, True) if self.form.shape is None else self.form.shape(node, self.words)

    @property
    def samples(self) -> Sequence[Any]:
        """Some values of the column."""
        return self.form.samples(self.words)


# A type up to what ends it inside of another one; the words of an enum may be in quotes.
_LEAF = re.compile(r"(?:'(?:[^']|'')*'|\((?:'(?:[^']|'')*'|[^()'])*\)|[^<>(),:\[\]'`])+")


def _leaf(text: str, place: int) -> tuple[Type, int] | None:
    match = _LEAF.match(text, place)
    try:
        found = None if match is None else split(match[0])
    except ValueError as error:
        raise TypeSyntaxError(str(error), place, is_known=True) from None
    return None if match is None or found is None else (FormType(spelled(*found)), match.end())


@lru_cache(maxsize=4096)
def formed_type(text: str) -> Type:
    """A type as it is declared, with the forms of columns. Raises TypeSyntaxError."""
    return parse_type(text, _leaf)


def core_type(kind: Type) -> Type:
    """The type in expressions of a type as it is declared."""
    return with_forms(kind, lambda form: FORMS[form.name.partition("(")[0]].core)


def held_type(decl: FieldDecl) -> Type:
    """The type of the column of a field, with its forms; numbers are not narrower."""
    return _held(decl.stored, decl.type) if decl.stored else decl.type


@lru_cache(maxsize=4096)
def _held(stored: str, kind: Type) -> Type:
    found = formed_type(stored)
    return found if core_type(found) == kind else kind


def _place(node: Node | FieldDecl) -> Type | None:
    """The type, with forms, of what a node reads as its column holds it; None for any other value."""
    match node:
        case FieldDecl():
            return held_type(node) if node.stored else None
        case Field(decl=decl):
            return held_type(decl) if decl.stored else None
        case Variable(stored=stored):
            return formed_type(stored) if stored else None
        case Call(op="member", args=(base, Literal(value=str(name)))):
            holder = _place(base)
            return holder.get(name) if isinstance(holder, StructType) else None
        case Call(op="index", args=(base, _)) | Quantifier(kind="filter", source=base):
            holder = _place(base)
            if isinstance(node, Quantifier) or not isinstance(holder, ArrayType):
                return holder
            return holder.element
        case _:
            return None


def stored_element(node: Node) -> str:
    """The type of the elements of an array as its column holds it; "" if that is their type."""
    holder = _place(node)
    return stored_text(holder.element) if isinstance(holder, ArrayType) else ""


def stored_text(kind: Type) -> str:
    """A type as a field or a variable has it beside its own; "" if it has no form."""
    return str(kind) if core_type(kind) != kind else ""


def of_elements(node: Node) -> OfColumn | None:
    """The form of the elements of an array of columns' values; None for any other node."""
    found = stored_element(node) if isinstance(node.type, ArrayType) else ""
    return form_of(found)


def holds_forms(node: Node) -> bool:
    """Whether a node is a struct as its column holds it, or an array of such, with members of other forms."""
    held = _place(node)
    while isinstance(held, ArrayType):
        held = held.element
    return isinstance(held, StructType) and core_type(held) != held


@lru_cache(maxsize=4096)
def form_of(stored: str) -> OfColumn | None:
    """The form that a field is stored in; None for a field that its column holds as it is."""
    found = split(stored) if stored else None
    return OfColumn(*found, FORMS[found[0]]) if found is not None else None


def of_field(node: Node | FieldDecl) -> OfColumn | None:
    """The form of the column, member or element that a node reads; None for any other node."""
    kind = _place(node)
    return form_of(kind.name) if isinstance(kind, FormType) else None
