"""The widths with which a numeric column may be declared.

In expressions the types are `bigint` and `double`; the declared width only gives a range of the values.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

from predicat.diagnostics import PredicatError, Span
from predicat.diagnostics.messages import catalog as say_catalog
from predicat.diagnostics.messages import check as say_check
from predicat.diagnostics.messages import rows as say
from predicat.ir.column_forms import FORMS, core_type, formed_type, held_type, spelled, split, stored_text
from predicat.ir.nodes import FieldDecl
from predicat.ir.python_values import RowError
from predicat.ir.time_zones import is_zone, zone_names
from predicat.ir.types import DOUBLE, SCALAR_NAMES, TIMESTAMP, Type
from predicat.ir.values import INT_MAX, INT_MIN, to_value

# The least and the greatest value of the integer types that are narrower than `bigint`.
RANGES: Mapping[str, tuple[int, int]] = {
    "tinyint": (-(2**7), 2**7 - 1),
    "smallint": (-(2**15), 2**15 - 1),
    "int": (-(2**31), 2**31 - 1),
}
# The greatest finite float of 32 bits.
FLOAT_MOST = 3.4028234663852886e38
# The least positive float of 32 bits.
FLOAT_LEAST = 1.401298464324817e-45

_SPELLINGS = {
    "tinyint": "tinyint",
    "byte": "tinyint",
    "smallint": "smallint",
    "short": "smallint",
    "int2": "smallint",
    "int": "int",
    "integer": "int",
    "int4": "int",
    "float": "float",
    "real": "float",
    "float4": "float",
}


# The names of types that fields may have.
TYPE_NAMES = (*SCALAR_NAMES, *FORMS)


def stored_width(text: str) -> str:
    """The declared width of a type: `int` for `integer`, `float` for `real`, "" for full width."""
    return _SPELLINGS.get(text.strip().lower(), "")


def field_type(text: str) -> tuple[Type, str]:
    """The type of a field in expressions, and its declared width or form ("" for the type itself).

    Raises TypeSyntaxError.
    """
    found = formed_type(text)
    return core_type(found), stored_text(found) or stored_width(text)


def stored_in(zone: str, kind: Type, stored: str, span: Span) -> str:
    """The form of a timestamp whose column holds local times in a zone. Raises PredicatError."""
    if kind != TIMESTAMP or stored:
        raise PredicatError.of(say_catalog.zone_of_timestamp(span, stored or kind))
    if not is_zone(zone):
        raise PredicatError.of(say_check.bad_zone(span, zone, zone_names()))
    return spelled("timestamp_in", (zone,))


def in_words(shown: str) -> str:
    """A type as authors write it: `timestamp (zone: Europe/Berlin)` for its one word."""
    match split(shown):
        case ("timestamp_in", (zone,)):
            return f"timestamp (zone: {zone})"
    return shown


_FLOAT = struct.Struct("<f")


def as_stored(value: Any, decl: FieldDecl) -> Any:
    """A value of a row as the column of its field holds it: a column of `float` rounds it to 32 bits, and of
    the spellings of a form it is the one that stands for all.

    Raises RowError for a value of another type, and for a number that the column cannot hold.
    """
    kind = held_type(decl)
    result = value if type(value) is float and kind == DOUBLE else to_value(value, kind)
    if result is None or not decl.stored or kind != decl.type:
        return result
    if decl.stored == "float":
        return _rounded(result)
    least, greatest = RANGES[decl.stored]
    if not least <= result <= greatest:
        raise RowError().about(say.ranged(decl.stored, least, greatest), value)
    return result


def fits(value: Any, decl: FieldDecl) -> bool:
    """Whether the column of a field holds a value, perhaps rounded."""
    try:
        as_stored(value, decl)
    except RowError:
        return False
    return True


def is_float(value: float) -> bool:
    """Whether a double is also a float of 32 bits."""
    return _nearest(value) == value


def _nearest(value: float) -> float:
    """The nearest float of 32 bits; zero for a number that is too large."""
    try:
        (result,) = _FLOAT.unpack(_FLOAT.pack(value))
    except OverflowError:
        return 0.0
    return float(result)


def _rounded(value: float) -> float:
    """The nearest float of 32 bits. Raises RowError if that is zero, and the number is not."""
    result = _nearest(value)
    if value and not result:
        raise RowError().about(say.ranged("float", f"±{FLOAT_LEAST:.2g}", f"{FLOAT_MOST:.8g}"), value)
    return result


def widest(one: str, other: str) -> str:
    """The wider one of two declared widths of a column."""
    if one == other:
        return one
    known = [width for width in (one, other) if width in RANGES]
    return max(known, key=lambda width: RANGES[width][1]) if len(known) == 2 else ""


INT, LONG = 32, 64
# The least and the greatest integer by the number of bits.
LIMITS: Mapping[int, tuple[int, int]] = {
    8: RANGES["tinyint"],
    16: RANGES["smallint"],
    INT: RANGES["int"],
    LONG: (INT_MIN, INT_MAX),
}
