"""Python values of other types than a row has by itself: what each one means, or why it is refused.

A service has a UUID, an Enum or a number of NumPy where JSON has a string or a number. `plain` converts what
has one meaning. It refuses what could mean two things, so that a filter never decides on another value than
the one that was meant. Types of libraries are known by their names: none is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, Never
from weakref import WeakKeyDictionary

from predicat.diagnostics.messages import rows as say


class RowError(ValueError):
    """A value of a row does not fit the type of its field.

    Attributes:
        hint: What to pass instead. Default: what the type accepts.
        kind: The type that the value does not fit, as it is written.
        value: The value, or the element or member of it that does not fit.
        path: Where that is inside of the value, such as `[2].name`.
    """

    def __init__(self, hint: str | None = None) -> None:
        super().__init__(hint)
        self.hint = hint
        self.kind = ""
        self.value: Any = None
        self.path = ""

    def about(self, kind: object, value: Any) -> RowError:
        """The error, with the value and its type if none is known."""
        if not self.kind:
            self.kind, self.value = str(kind), value
            self.hint = self.hint or say.ACCEPTED.get(self.kind.partition("<")[0].partition("(")[0])
        return self

    def inside(self, step: str) -> RowError:
        """The error, one level further out."""
        self.path = f"{step}{self.path}"
        return self


# The Python types that the evaluator calculates with.
PLAIN = frozenset((type(None), bool, int, float, str, Decimal, datetime, date, timedelta, list, dict))
_TEXT_TYPE = frozenset((str,))
_NO_DATA = frozenset((datetime, date, timedelta, float, Decimal))
# Those that are JSON whatever the value: a float may be NaN.
DOCUMENT = PLAIN - _NO_DATA


def plain(value: Any) -> Any:
    """A value as one of the types in `PLAIN`; the elements of a list and a dict stay as they are.

    Raises:
        RowError: It could mean several things, or none.
    """
    kind = type(value)
    return value if kind in PLAIN else _conversion(kind)(value)


def document(value: Any) -> Any:
    """A value as JSON has it; the elements of a list and the members of a dict stay as they are.

    Raises:
        RowError: JSON has no such value.
    """
    if type(value) in DOCUMENT:
        return value
    result = plain(value)
    if isinstance(result, date):
        raise RowError(say.MOMENT)
    if isinstance(result, timedelta):
        raise RowError(say.LENGTH)
    if (isinstance(result, Decimal) and result.is_nan()) or (isinstance(result, float) and result != result):  # noqa: PLR0124  # NaN
        raise RowError(say.NAN)
    return result


def as_row(value: Any) -> Mapping[str, Any]:
    """A row of names and values: a mapping, a named tuple, a row of pandas or Spark, or an object of a class
    that declares its fields: a dataclass, or a model of Pydantic, attrs, msgspec or SQLAlchemy.

    Raises:
        RowError: It has no names.
    """
    if isinstance(value, Mapping):
        return value
    named = next((name for name in _AS_DICT if callable(getattr(value, name, None))), None)
    row = plain(value) if named is None else getattr(value, named)()
    if not isinstance(row, Mapping):
        raise RowError(say.ROW)
    return row


# The methods of a named tuple, of a row of Spark and of a row of pandas that return a dict.
_AS_DICT = ("_asdict", "asDict", "to_dict")


def members(value: Mapping[Any, Any]) -> Mapping[str, Any]:
    """A dict with strings as keys: itself if it has no others. Raises RowError for a key that is no text."""
    if _TEXT_TYPE.issuperset(map(type, value)):
        return value
    return {_key(key): inner for key, inner in value.items()}


def _key(key: Any) -> str:
    text = plain(key)
    if isinstance(text, int) and not isinstance(text, bool):
        return str(text)
    if not isinstance(text, str):
        raise RowError(say.KEY)
    return text


# --- the table

Convert = Callable[[Any], Any]


def _refused(hint: str) -> Convert:
    def refuse(_value: Any) -> Never:
        raise RowError(hint)

    return refuse


def _scalar_of_numpy(value: Any) -> Any:
    item = value.item()
    if type(item) is type(value):  # such as a longdouble, which no Python number holds
        raise RowError
    return plain(item)


def _time_of_numpy(value: Any) -> Any:
    """A datetime64 or timedelta64 in microseconds; a date if it is one; None if it is NaT."""
    item = value.item()
    if isinstance(item, int):  # nanoseconds, or years that Python does not have
        item = value.astype(f"{value.dtype.name.partition('[')[0]}[us]").item()
    if isinstance(item, int):
        raise RowError
    return item


def _array_of_numpy(value: Any) -> Any:
    return list(value) if value.ndim else plain(value[()])


_MISSING: Convert = lambda _value: None  # noqa: E731  # a row of the table
_TEXT: Convert = str
# How a value of a type is converted, by the package and the name of its class or of a base.
_BY_NAME: dict[str, Convert] = {
    "builtins.str": str.__str__,
    "builtins.int": int.__int__,
    "builtins.float": float.__float__,
    "builtins.bytes": _refused(say.BYTES),
    "builtins.bytearray": _refused(say.BYTES),
    "builtins.memoryview": _refused(say.BYTES),
    "decimal.Decimal": Decimal,
    "datetime.datetime": lambda value: value,
    "datetime.date": lambda value: value,
    "datetime.timedelta": lambda value: value,
    "enum.Enum": lambda value: plain(value.value),
    "uuid.UUID": _TEXT,
    "ipaddress.IPv4Address": _TEXT,
    "ipaddress.IPv6Address": _TEXT,
    "ipaddress.IPv4Network": _TEXT,
    "ipaddress.IPv6Network": _TEXT,
    "collections.UserString": _TEXT,
    "collections.deque": list,
    "numpy.datetime64": _time_of_numpy,
    "numpy.timedelta64": _time_of_numpy,
    "numpy.generic": _scalar_of_numpy,
    "numpy.ndarray": _array_of_numpy,
    "numpy.MaskedArray": _refused(say.ACCEPTED["array"]),
    "pandas.NaTType": _MISSING,
    "pandas.NAType": _MISSING,
    "pandas.Timestamp": lambda value: value.to_pydatetime(warn=False),
    "pandas.Timedelta": lambda value: value.to_pytimedelta(),
    "pyarrow.Scalar": lambda value: plain(value.as_py()),
    "pydantic.BaseModel": dict,  # of pairs, those that it does not declare among them
}


# How a class of a library says which fields its objects have: an attribute, and the names in it.
_DECLARED: dict[str, Callable[[Any], Iterable[str]]] = {
    "__struct_fields__": iter,  # msgspec
    "__attrs_attrs__": lambda declared: (item.name for item in declared),
    "__mapper__": lambda mapper: mapper.column_attrs.keys(),  # SQLAlchemy
}


def _fields_of(kind: type) -> list[str] | None:
    """The names of the fields that a class declares; None if it declares none."""
    if is_dataclass(kind):
        return [item.name for item in fields(kind)]
    declared = next((name for name in _DECLARED if hasattr(kind, name)), None)
    return None if declared is None else list(_DECLARED[declared](getattr(kind, declared)))


def _of_structure(kind: type) -> Convert | None:
    """How a value is converted whose type says what it is by its methods."""
    if issubclass(kind, Mapping):
        return dict
    names = _fields_of(kind)
    if names is not None:
        return lambda value: {name: getattr(value, name) for name in names}
    if issubclass(kind, tuple) and kind is not tuple:
        return _refused(say.NAMED_TUPLE)
    if issubclass(kind, AbstractSet):
        return _refused(say.UNORDERED)
    return list if issubclass(kind, Sequence) else None


_KNOWN: WeakKeyDictionary[type, Convert] = WeakKeyDictionary()


def _conversion(kind: type) -> Convert:
    """The conversion of the values of a Python type."""
    known = _KNOWN.get(kind)
    if known is None:
        names = (f"{base.__module__.partition('.')[0]}.{base.__name__}" for base in kind.__mro__)
        named = next((_BY_NAME[name] for name in names if name in _BY_NAME), None)
        known = _KNOWN[kind] = named or _of_structure(kind) or _refused(say.ACCEPTED["json"])
    return known
