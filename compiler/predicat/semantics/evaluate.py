"""The reference evaluator: typed nodes as Python closures over a row. A value that is missing is None, that
is UNKNOWN.

Every engine is tested against this file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Context, Decimal
from functools import reduce
from hashlib import md5, sha256
from itertools import repeat
from typing import Any, Protocol, assert_never
from zoneinfo import ZoneInfo

from predicat.diagnostics import PredicatError
from predicat.diagnostics import messages as msg
from predicat.ir.nodes import Call, Field, FieldDecl, Items, Literal, Node, Parameter, Quantifier, Variable
from predicat.ir.operators import ARRAYS, COMPARISONS
from predicat.ir.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    JSON,
    MAX_PRECISION,
    STRING,
    TIMESTAMP,
    DecimalType,
    Type,
)
from predicat.ir.values import (
    DECIMAL_PATTERN,
    DOUBLE_LONGEST,
    DOUBLE_PATTERN,
    INT_MAX,
    INT_MIN,
    INT_PATTERN,
    LONGEST,
    QUANTITY_PATTERN,
    QUANTITY_POWERS,
    QUANTITY_UNITS,
    RANGE_MOST,
    SUM_MOST,
    UNITS,
    RowError,
    parse_date,
    parse_duration,
    parse_timestamp,
    to_value,
)
from predicat.semantics import arithmetic, automaton, calendar, captures, casefold, json_texts, like, regex

Row = Mapping[str, Any]
Names = Mapping[str, Any]
NONE: Names = {}


class Eval(Protocol):
    """The value of a node: of a row, of the variables of the quantifiers around the node, and of parameters.
    A parameter that is not given has its default. None is UNKNOWN.
    """

    def __call__(self, row: Row, names: Names = NONE, params: Names = NONE, /) -> Any: ...


def compile_node(node: Node) -> Eval:
    """The function from a row to the value of a node; None is UNKNOWN. Raises PredicatError on rows of
    wrong types.
    """
    match node:
        case Literal(_, value):
            return lambda _row, _names=NONE, _params=NONE: value
        case Field():
            return _field(node.decl)
        case Parameter(_, decl):
            name, default = decl.name, decl.default
            return lambda _row, _names=NONE, params=NONE: params.get(name, default)
        case Variable(_, name):
            return lambda _row, names=NONE, _params=NONE: names[name]
        case Items():
            parts = [compile_node(item) for item in node.items]
            return lambda row, names=NONE, params=NONE: [part(row, names, params) for part in parts]
        case Quantifier():
            return _quantifier(node)
        case Call():
            special = _SPECIAL.get(node.op)
            if special is not None:
                return special(node, [compile_node(arg) for arg in node.args])
            function, last = _VALUES[node.op](node), node.args[-1]
            if len(node.args) == 2 and isinstance(last, Literal) and last.value is not None:
                return _against(function, compile_node(node.args[0]), last.value)
            return _strict(function, [compile_node(arg) for arg in node.args])
        case _:
            assert_never(node)


def supported() -> frozenset[str]:
    """The operators that the evaluator knows."""
    return frozenset(_SPECIAL) | frozenset(_VALUES)


# --- leaves

_PLAIN: dict[Type, type] = {STRING: str, BIGINT: int, DOUBLE: float, BOOLEAN: bool}


def _field(decl: FieldDecl) -> Eval:
    name, kind = decl.name, decl.type
    plain = _PLAIN.get(kind)
    fallback = _dotted if "." in name else _gathered if kind == JSON else _nothing

    def get(row: Row, _names: Names = NONE, _params: Names = NONE) -> Any:
        value = row[name] if name in row else fallback(row, name)
        if value is None or (type(value) is plain and plain is not int):
            return value
        if type(value) is int and plain is int and INT_MIN <= value <= INT_MAX:
            return value
        try:
            return to_value(value, kind)
        except RowError:
            raise PredicatError.of(msg.bad_row(name, str(kind), value)) from None

    return get


def _nothing(_row: Row, _name: str) -> Any:
    return None


def _dotted(row: Row, name: str) -> Any:
    """`a.b` in a row that is given nested."""
    for split in range(name.count("."), 0, -1):
        head = ".".join(name.split(".")[:split])
        rest = name[len(head) + 1 :]
        inner = row.get(head)
        if isinstance(inner, Mapping):
            return inner[rest] if rest in inner else _dotted(inner, rest) if "." in rest else None
    return None


def _gathered(row: Row, name: str) -> Any:
    """The document `a` in a row that gives `a.b` and `a.c` flat."""
    inner = {key[len(name) + 1 :]: value for key, value in row.items() if key.startswith(f"{name}.")}
    nested: dict[str, Any] = {}
    for key, value in inner.items():
        target = nested
        *path, last = key.split(".")
        for part in path:
            target = target.setdefault(part, {})
        target[last] = value
    return nested or None


def _items(node: Node) -> Eval:
    """The elements of an array; those of a JSON value that is none are absent."""
    source = compile_node(node)
    if node.type != JSON:
        return source
    return lambda row, names=NONE, params=NONE: (
        found if isinstance(found := source(row, names, params), list) else None
    )


def _quantifier(node: Quantifier) -> Eval:
    if node.kind in ("one", "filter", "map"):
        return _collected(node)
    source, body, variable, absorbing = (
        _items(node.source),
        compile_node(node.body),
        node.variable,
        node.kind == "any",
    )

    def run(row: Row, names: Names = NONE, params: Names = NONE) -> Any:
        items = source(row, names, params)
        if items is None:
            return None
        unknown, inner = False, {**names}
        for item in items:
            inner[variable] = item
            found = body(row, inner, params)
            if found is absorbing:
                return absorbing
            unknown = unknown or found is None
        return None if unknown else not absorbing

    return run


def _collected(node: Quantifier) -> Eval:
    source, body, variable, kind = (
        _items(node.source),
        compile_node(node.body),
        node.variable,
        node.kind,
    )

    def run(row: Row, names: Names = NONE, params: Names = NONE) -> Any:
        items = source(row, names, params)
        if items is None:
            return None
        found, inner = [], {**names}
        for item in items:
            inner[variable] = item
            found.append(body(row, inner, params))
        if any(value is None for value in found):
            return None
        if kind == "map":
            return found
        return (
            found.count(True) == 1
            if kind == "one"
            else [item for item, kept in zip(items, found, strict=True) if kept]
        )

    return run


# --- operators with rules of their own for UNKNOWN


def _and(_node: Call, args: list[Eval]) -> Eval:
    def run(row: Row, names: Names = NONE, params: Names = NONE) -> bool | None:
        unknown = False
        for arg in args:
            found = arg(row, names, params)
            if found is False:
                return False
            unknown = unknown or found is None
        return None if unknown else True

    return run


def _or(_node: Call, args: list[Eval]) -> Eval:
    def run(row: Row, names: Names = NONE, params: Names = NONE) -> bool | None:
        unknown = False
        for arg in args:
            found = arg(row, names, params)
            if found is True:
                return True
            unknown = unknown or found is None
        return None if unknown else False

    return run


def _cond(_node: Call, args: list[Eval]) -> Eval:
    test, yes, no = args

    def run(row: Row, names: Names = NONE, params: Names = NONE) -> Any:
        found = test(row, names, params)
        return None if found is None else yes(row, names, params) if found else no(row, names, params)

    return run


def _coalesce(_node: Call, args: list[Eval]) -> Eval:
    return lambda row, names=NONE, params=NONE: next(
        (value for arg in args if (value := arg(row, names, params)) is not None), None
    )


def _extreme(node: Call, args: list[Eval]) -> Eval:
    greatest = node.op == "greatest"

    def run(row: Row, names: Names = NONE, params: Names = NONE) -> Any:
        found = None
        for arg in args:
            value = arg(row, names, params)
            if found is None or (
                value is not None and (_above(value, found) if greatest else _above(found, value))
            ):
                found = value
        return found

    return run


def _above(one: Any, other: Any) -> bool:
    """The order of values, in which NaN comes last."""
    return bool(one > other or (one != one and other == other))  # noqa: PLR0124  # NaN alone is not itself


def _same(node: Call, args: list[Eval]) -> Eval:
    left, right = args
    equal = _equality({arg.type for arg in node.args} == {BIGINT, DOUBLE})

    def run(row: Row, names: Names = NONE, params: Names = NONE) -> bool:
        a, b = left(row, names, params), right(row, names, params)
        return equal(a, b) if a is not None and b is not None else a is b

    return run


def _equality(mixed: bool) -> Callable[[Any, Any], bool]:
    """How two values are equal; `mixed`: an integer beside a double, compared as doubles."""
    return (lambda a, b: float(a) == float(b)) if mixed else (lambda a, b: bool(a == b))


_HASHED = frozenset((STRING, BIGINT, BOOLEAN, TIMESTAMP, DATE))
"""Types whose values are equal if they are the same key of a set; NaN is none of them."""


def _is_constant(node: Node, kind: Type) -> bool:
    """Whether a node is a constant of a type that has a value."""
    return isinstance(node, Literal) and node.type == kind and node.value is not None


def _one_of(left: Eval, constants: frozenset[Any]) -> Eval:
    def run(row: Row, names: Names = NONE, params: Names = NONE) -> bool | None:
        value = left(row, names, params)
        return None if value is None else value in constants

    return run


def _in(node: Call, args: list[Eval]) -> Eval:
    left, right = args
    kind, items = node.args[0].type, node.args[1]
    if kind in _HASHED and isinstance(items, Items) and all(_is_constant(item, kind) for item in items.items):
        return _one_of(left, frozenset(right({})))
    each = (
        [_equality({kind, item.type} == {BIGINT, DOUBLE}) for item in items.items]
        if isinstance(items, Items)
        else None
    )
    equal = _equality(mixed=False)

    def run(row: Row, names: Names = NONE, params: Names = NONE) -> bool | None:
        value, found = left(row, names, params), right(row, names, params)
        if value is None or found is None:
            return None
        if any(
            item is not None and same(value, item)
            for same, item in zip(each or repeat(equal), found, strict=False)
        ):
            return True
        return None if any(item is None for item in found) else False

    return run


def _json_values(_node: Call, args: list[Eval]) -> Eval:
    """The values that a JSON value has, or a member of it: those in an array, and in the arrays in that."""
    base, key = args[0], args[1] if len(args) > 1 else None

    def run(row: Row, names: Names = NONE, params: Names = NONE) -> list[Any]:
        found = base(row, names, params)
        if key is not None:
            name = key(row, names, params)
            if not isinstance(found, Mapping) or name not in found:
                return []
            found = found[name]
        elif found is None:
            return []
        values = [found]
        for _ in range(ARRAYS):
            values = [inner for value in values for inner in (value if isinstance(value, list) else [value])]
        return values

    return run


_SPECIAL: dict[str, Callable[[Call, list[Eval]], Eval]] = {
    "and": _and,
    "or": _or,
    "cond": _cond,
    "coalesce": _coalesce,
    "greatest": _extreme,
    "least": _extreme,
    "same": _same,
    "in": _in,
    "is_true": lambda _node, args: lambda row, names=NONE, params=NONE: args[0](row, names, params) is True,
    "is_null": lambda _node, args: lambda row, names=NONE, params=NONE: args[0](row, names, params) is None,
    "json_values": _json_values,
    "entry_filter": lambda _node, _args: lambda _row, _names=NONE, _params=NONE: None,
}


# --- strict operators


def _against(function: Callable[..., Any], left: Eval, constant: Any) -> Eval:
    """A function of a value and a constant that has a value: what most conditions are."""

    def run(row: Row, names: Names = NONE, params: Names = NONE) -> Any:
        value = left(row, names, params)
        return None if value is None else function(value, constant)

    return run


def _strict(function: Callable[..., Any], args: list[Eval]) -> Eval:
    if len(args) == 1:
        (only,) = args

        def run_one(row: Row, names: Names = NONE, params: Names = NONE) -> Any:
            value = only(row, names, params)
            return None if value is None else function(value)

        return run_one
    if len(args) == 2:
        left, right = args

        def run_two(row: Row, names: Names = NONE, params: Names = NONE) -> Any:
            a = left(row, names, params)
            if a is None:
                return None
            b = right(row, names, params)
            return None if b is None else function(a, b)

        return run_two

    def run(row: Row, names: Names = NONE, params: Names = NONE) -> Any:
        values = [arg(row, names, params) for arg in args]
        return None if any(value is None for value in values) else function(*values)

    return run


def _int(value: int) -> int | None:
    return value if INT_MIN <= value <= INT_MAX else None


def _moment(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def run(a: Any, b: Any) -> Any:
        try:
            found = function(a, b)
        except OverflowError:
            return None
        return found

    return run


def _arithmetic(
    op: Callable[[Any, Any], Any], exact: Callable[[Context, Decimal, Decimal], Decimal]
) -> Callable[[Call], Callable[..., Any]]:
    def build(node: Call) -> Callable[..., Any]:
        if isinstance(node.type, DecimalType):
            return arithmetic.exact(exact, node.type.precision, node.type.scale)
        if node.type == BIGINT:
            return lambda a, b: _int(op(a, b))
        if node.type == DOUBLE:
            return _double(op)
        return _moment(op) if node.type == TIMESTAMP else _moment(lambda a, b: _length(op(a, b)))

    return build


def _length(value: timedelta) -> timedelta | None:
    return value if abs(value) <= timedelta(microseconds=LONGEST) else None


def _double(op: Callable[[float, float], float]) -> Callable[[float, float], float]:
    def run(a: float, b: float) -> float:
        try:
            return op(a, b)
        except OverflowError:
            return math.inf

    return run


def _float_div(a: float, b: float) -> float | None:
    try:
        return a / b
    except ZeroDivisionError:
        return None


def _ieee_div(a: float, b: float) -> float:
    if b == 0:
        return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)
    return a / b


def _div(node: Call) -> Callable[..., Any]:
    return _int_div if node.type == BIGINT else _float_div


def _int_div(a: int, b: int) -> int | None:
    if b == 0:
        return None
    quotient = abs(a) // abs(b)
    return _int(quotient if (a < 0) == (b < 0) else -quotient)


def _mod(a: int, b: int) -> int | None:
    if b == 0:
        return None
    rest = abs(a) % abs(b)
    return -rest if a < 0 else rest


def _signed(
    op: Callable[[Any], Any], exact: Callable[[Decimal], Decimal]
) -> Callable[[Call], Callable[..., Any]]:
    def build(node: Call) -> Callable[..., Any]:
        if isinstance(node.type, DecimalType):
            return exact
        return (lambda value: _int(op(value))) if node.type == BIGINT else op

    return build


def _compare(op: Callable[[Any, Any], bool]) -> Callable[[Call], Callable[..., Any]]:
    """Numbers of two types are compared as doubles, which Python alone would not do."""

    def build(node: Call) -> Callable[..., Any]:
        if {node.args[0].type, node.args[1].type} == {BIGINT, DOUBLE}:
            return lambda a, b: op(float(a), float(b))
        return op

    return build


def _whole(op: Callable[[float], int]) -> Callable[[Call], Callable[..., Any]]:
    return lambda _node: lambda value: float(op(value)) if math.isfinite(value) else value


# --- strings


def _constant(node: Call, position: int = 1) -> Any:
    arg = node.args[position]
    return arg.value if isinstance(arg, Literal) else None


def _like(node: Call) -> Callable[..., Any]:
    matches = like.matcher(_constant(node) or "")
    return lambda value, _pattern: matches(value)


def _like_row(value: str, pattern: str) -> bool | None:
    return like.matcher(pattern)(value) if _ESCAPED.fullmatch(pattern) else None


_ESCAPED = re.compile(like.ESCAPED_PATTERN)


def _like_ci(node: Call) -> Callable[..., Any]:
    matches = like.matcher(casefold.fold(_constant(node) or ""))
    return lambda value, _pattern: matches(casefold.fold(value))


def _matches(node: Call) -> Callable[..., Any]:
    search = automaton.searcher(_constant(node) or "")
    return lambda value, _pattern: search(value)


def _regex_extract(node: Call) -> Callable[..., Any]:
    find = captures.finder(_constant(node) or "", _constant(node, 2) or 0)
    return lambda value, _pattern, _group: find(value)


def _regex_replace(node: Call) -> Callable[..., Any]:
    replaced = captures.replacer(_constant(node) or "", _constant(node, 2) or "")
    return lambda value, _pattern, _text: replaced(value)


def _folded(test: Callable[[str, str], bool]) -> Callable[[Call], Callable[..., Any]]:
    def build(node: Call) -> Callable[..., Any]:
        wanted = casefold.fold(_constant(node) or "")
        return lambda value, _wanted: test(casefold.fold(value), wanted)

    return build


_LOWER = {code: code + 32 for code in range(65, 91)}
_UPPER = {code: code - 32 for code in range(97, 123)}


def _padding(value: str, length: int, by: str) -> str:
    """What a text lacks to a length, of the characters of another."""
    return (by * length)[: max(length - len(value), 0)]


def _substr(value: str, start: int, length: int | None = None) -> str | None:
    if length is not None and length < 0:
        return None
    end = None if length is None else max(start - 1 + length, 0)
    return value[max(start - 1, 0) : end]


# --- conversions


def _to_int(value: Any) -> int | None:
    match value:
        case bool():
            return int(value)
        case str():
            return _int(int(value)) if _INT.search(value) else None
        case float():
            return int(value) if -(2.0**63) <= value < 2.0**63 else None
        case datetime():
            return (value - _EPOCH) // timedelta(seconds=1)
        case _:
            return int(value)


_INT = regex.compiled(regex.parse(INT_PATTERN))
_DOUBLE = regex.compiled(regex.parse(DOUBLE_PATTERN))
_DECIMAL = regex.compiled(regex.parse(DECIMAL_PATTERN))
_QUANTITY = regex.compiled(regex.parse(QUANTITY_PATTERN))
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _to_whole(value: float) -> int | None:
    return _to_int(value) if value.is_integer() else None


def _to_decimal(node: Call) -> Callable[..., Any]:
    kind = node.type if isinstance(node.type, DecimalType) else DecimalType(MAX_PRECISION, 0)
    if node.args[0].type == DOUBLE:
        return lambda value: (
            arithmetic.decimal(repr(value), kind.precision, kind.scale) if math.isfinite(value) else None
        )
    if node.args[0].type != STRING:
        return lambda value: arithmetic.decimal(value, kind.precision, kind.scale)
    return lambda value: (
        arithmetic.decimal(value, kind.precision, kind.scale) if _DECIMAL.search(value) else None
    )


def _to_double(value: Any) -> float | None:
    if isinstance(value, str):
        if len(value) > DOUBLE_LONGEST or not _DOUBLE.search(value):
            return {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}.get(value)
        found = float(value)
        return None if math.isinf(found) else found
    return float(value)


def _text_of(node: Call) -> Callable[..., str]:
    kind = node.args[0].type
    if isinstance(kind, DecimalType):
        scale = kind.scale
        return lambda value: f"{arithmetic.scaled(value, scale):f}"
    return _to_string


def _to_string(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case float():
            return _number_text(value)
        case timedelta():
            whole, rest = divmod(abs(value), timedelta(seconds=1))
            fraction = f".{rest.microseconds:06}".removesuffix("000") if rest else ""
            return f"{'-' if value < timedelta(0) else ''}{whole}{fraction}s"
        case datetime():
            return value.astimezone(UTC).replace(tzinfo=None).isoformat().removesuffix("000") + "Z"
        case date():
            return value.isoformat()
        case _:
            return str(value)


def _number_text(value: float) -> str:
    """The fewest digits that make the number, with an exponent below 1e-4 and from 1e6 on, as CEL's
    implementations write it.
    """
    if not math.isfinite(value):
        return str(value)
    shortest = Decimal(repr(value)).normalize()
    if value and not -4 <= shortest.adjusted() < 6:
        return f"{value:.{len(shortest.as_tuple().digits) - 1}e}"
    return f"{shortest:f}"


def _to_quantity(value: str) -> float | None:
    if not _QUANTITY.search(value):
        return None
    digits = value.rstrip("numkKMGTPEi")
    unit = value[len(digits) :]
    power: int = QUANTITY_POWERS.get(unit, 1)
    return float(digits + ("e18" if unit == "E" else QUANTITY_UNITS.get(unit, ""))) * power


_BOOLEANS = {
    "true": True,
    "TRUE": True,
    "True": True,
    "t": True,
    "1": True,
    "false": False,
    "FALSE": False,
    "False": False,
    "f": False,
    "0": False,
}


def _to_timestamp(value: Any) -> datetime | None:
    match value:
        case str():
            return parse_timestamp(value)
        case int():
            try:
                return _EPOCH + timedelta(seconds=value)
            except OverflowError:
                return None
        case _:
            return datetime(value.year, value.month, value.day, tzinfo=UTC)


def _to_date(value: Any) -> date | None:
    return parse_date(value) if isinstance(value, str) else value.date()


# --- time

_PARTS: dict[str, Callable[[Any], int]] = {
    "year": lambda moment: moment.year,
    "month": lambda moment: moment.month,
    "day": lambda moment: moment.day,
    "day_of_week": lambda moment: moment.isoweekday() % 7,
    "day_of_year": lambda moment: moment.timetuple().tm_yday,
    "hour": lambda moment: moment.hour,
    "minute": lambda moment: moment.minute,
    "second": lambda moment: moment.second,
    "millisecond": lambda moment: moment.microsecond // 1000,
}


def _part(name: str) -> Callable[[Call], Callable[..., Any]]:
    read = _PARTS[name]

    def build(node: Call) -> Callable[..., Any]:
        if len(node.args) == 1:
            return read
        zone = ZoneInfo(_constant(node))

        def local(moment: datetime, _zone: str) -> int:
            try:
                return read(moment.astimezone(zone))
            except OverflowError:  # in year 0 or 10000 there; the calendar comes again after 400 years
                cycle = 400 if moment.year == 1 else -400
                return read(moment.replace(year=moment.year + cycle).astimezone(zone)) - (
                    cycle if name == "year" else 0
                )

        return local

    return build


def _in_zone(node: Call) -> Callable[..., Any]:
    zone = ZoneInfo(_constant(node) or "UTC")
    return lambda moment, _zone: calendar.in_zone(moment, zone)


def _trunc(node: Call) -> Callable[..., Any]:
    unit = _constant(node, 0)
    return lambda _unit, moment: truncate(moment, unit)


def truncate(moment: datetime, unit: str) -> datetime | None:
    """The start of the unit of time that holds a moment (UTC)."""
    clock = {"hour": 1, "minute": 2, "second": 3}.get(unit)
    if clock is not None:
        minute, second = moment.minute if clock > 1 else 0, moment.second if clock > 2 else 0
        return moment.replace(minute=minute, second=second, microsecond=0)
    day = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    match unit:
        case "week":
            try:
                return day - timedelta(days=day.weekday())
            except OverflowError:
                return None
        case "month":
            return day.replace(day=1)
        case "quarter":
            return day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
        case "year":
            return day.replace(month=1, day=1)
        case _:
            return day


def _add_days(day: date, days: int) -> date | None:
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return None


# --- collections and JSON


def _extreme_of(greatest: bool) -> Callable[..., Any]:
    def run(items: list[Any]) -> Any:
        if not items or any(item is None for item in items):
            return None
        return reduce(
            lambda one, other: other if _above(*((other, one) if greatest else (one, other))) else one, items
        )

    return run


def _index(items: Any, position: int) -> Any:
    return items[position] if 0 <= position < len(items) else None


def _sum(node: Call) -> Callable[..., Any]:
    return _sum_of_integers if node.type == BIGINT else _sum_of_doubles


def _sum_of_integers(items: list[int | None]) -> int | None:
    known = [item for item in items if item is not None]
    return _int(sum(known)) if len(known) == len(items) else None


def _sum_of_doubles(items: list[float | None]) -> float | None:
    """One after the other, as engines do: Python's sum() rounds once."""
    total = 0.0
    for item in items:
        if item is None or SUM_MOST < abs(item) < math.inf:
            return None
        total += item
    return total


def _json_get(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, Mapping) else None


def _json_at(value: Any, position: int) -> Any:
    return _index(value, position) if isinstance(value, list) else None


def _json_kind(value: Any) -> str:
    match value:
        case bool():
            return "boolean"
        case int() | float() | Decimal():
            return "number"
        case str():
            return "string"
        case Mapping():
            return "object"
        case _:
            return "array"


def _json_equal(a: Any, b: Any) -> bool:
    if a is None or b is None:
        return a is b
    kind = _json_kind(a)
    if kind != _json_kind(b):
        return False
    if kind == "number":
        return _json_number(a) == _json_number(b)
    if kind == "object":
        return bool(a.keys() == b.keys()) and all(_json_equal(value, b[key]) for key, value in a.items())
    if kind == "array":
        return len(a) == len(b) and all(map(_json_equal, a, b))
    return bool(a == b)


def _json_number(value: Any) -> float | None:
    try:
        return float(value) if _json_kind(value) == "number" else None
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except ValueError:  # a signaling NaN, which JSON has not
        return None


def _constantly(function: Callable[..., Any]) -> Callable[[Call], Callable[..., Any]]:
    return lambda _node: function


_VALUES: dict[str, Callable[[Call], Callable[..., Any]]] = {
    "not": _constantly(lambda value: not value),
    "in_list": _constantly(lambda value, listed: value in listed),
    **{op: _compare(row.holds) for op, row in COMPARISONS.items()},
    "add": _arithmetic(lambda a, b: a + b, Context.add),
    "sub": _arithmetic(lambda a, b: a - b, Context.subtract),
    "mul": _arithmetic(lambda a, b: a * b, Context.multiply),
    "div": _div,
    "mod": _constantly(_mod),
    "fdiv": _constantly(_ieee_div),
    "int32": _constantly(lambda value: value if -(2**31) <= value < 2**31 else None),
    "neg": _signed(lambda value: -value, arithmetic.negated),
    "abs": _signed(abs, arithmetic.absolute),
    "floor": _whole(math.floor),
    "ceil": _whole(math.ceil),
    "round": _constantly(arithmetic.half_up),
    "bround": _constantly(arithmetic.half_even),
    "sqrt": _constantly(arithmetic.sqrt),
    "exp": _constantly(arithmetic.exp),
    "ln": _constantly(arithmetic.ln),
    "log10": _constantly(arithmetic.log10),
    "bit_and": _constantly(lambda a, b: a & b),
    "bit_or": _constantly(lambda a, b: a | b),
    "bit_xor": _constantly(lambda a, b: a ^ b),
    "shift_left": _constantly(arithmetic.shifted_left),
    "shift_right": _constantly(lambda a, places: a >> places),
    "ascii": _constantly(lambda value: ord(value[0]) if value else 0),
    "md5": _constantly(lambda value: md5(value.encode(), usedforsecurity=False).hexdigest()),
    "sha256": _constantly(lambda value: sha256(value.encode()).hexdigest()),
    "concat": _constantly(lambda a, b: a + b),
    "length": _constantly(len),
    "lower": _constantly(lambda value: value.translate(_LOWER)),
    "upper": _constantly(lambda value: value.translate(_UPPER)),
    "trim": _constantly(lambda value: value.strip(" ")),
    "ltrim": _constantly(lambda value, chars=" ": value.lstrip(chars) if chars else value),
    "rtrim": _constantly(lambda value, chars=" ": value.rstrip(chars) if chars else value),
    "lpad": _constantly(lambda value, length, by: _padding(value, length, by) + value[:length]),
    "rpad": _constantly(lambda value, length, by: value[:length] + _padding(value, length, by)),
    "strip": _constantly(lambda value, chars: value.strip(chars)),
    "reverse": _constantly(lambda value: value[::-1]),
    "split": _constantly(lambda value, by, most=0: value.split(by, most - 1)),
    "join": _constantly(lambda items, by: None if any(item is None for item in items) else by.join(items)),
    "starts_with": _constantly(lambda a, b: a.startswith(b)),
    "ends_with": _constantly(lambda a, b: a.endswith(b)),
    "contains": _constantly(lambda a, b: b in a),
    "like": _like,
    "like_row": _constantly(_like_row),
    "fold_case": _constantly(casefold.fold),
    "equals_ci": _folded(lambda a, b: a == b),
    "starts_with_ci": _folded(lambda a, b: a.startswith(b)),
    "contains_ci": _folded(lambda a, b: b in a),
    "like_ci": _like_ci,
    "matches": _matches,
    "regex_extract": _regex_extract,
    "regex_replace": _regex_replace,
    "substr": _constantly(_substr),
    "position": _constantly(lambda a, b: a.find(b) + 1),
    "replace": _constantly(lambda a, b, c: a.replace(b, c) if b else a),
    "replace_each": _constantly(str.replace),
    "to_int": _constantly(_to_int),
    "to_whole": _constantly(_to_whole),
    "to_decimal": _to_decimal,
    "to_double": _constantly(_to_double),
    "to_string": _text_of,
    "to_boolean": _constantly(_BOOLEANS.get),
    "to_timestamp": _constantly(_to_timestamp),
    "to_duration": _constantly(parse_duration),
    "to_quantity": _constantly(_to_quantity),
    "to_date": _constantly(_to_date),
    **{name: _part(name) for name in _PARTS},
    "date_trunc": _trunc,
    "in_zone": _in_zone,
    "time_of_day": _constantly(calendar.time_of_day),
    "in_units": _constantly(lambda unit, value: _int_div(value // timedelta(microseconds=1), UNITS[unit])),
    "add_days": _constantly(_add_days),
    "add_months": _constantly(calendar.add_months),
    "last_day": _constantly(calendar.last_day),
    "to_micros": _constantly(calendar.to_micros),
    "from_micros": _constantly(calendar.from_micros),
    "format_time": _constantly(calendar.formatted),
    "days_between": _constantly(lambda a, b: (a - b).days),
    "get": _constantly(lambda value, key: value.get(key)),
    "member": _constantly(lambda value, key: value.get(key)),
    "index": _constantly(_index),
    "size": _constantly(len),
    "array": _constantly(lambda *items: list(items)),
    "array_position": _constantly(lambda items, value: items.index(value) + 1 if value in items else 0),
    "array_eq": _constantly(lambda a, b: None if any(item is None for item in [*a, *b]) else a == b),
    "array_max": _constantly(_extreme_of(greatest=True)),
    "array_min": _constantly(_extreme_of(greatest=False)),
    "array_concat": _constantly(lambda a, b: [*a, *b]),
    "range": _constantly(lambda count: list(range(count)) if 0 <= count <= RANGE_MOST else None),
    "sum": _sum,
    "keys": _constantly(list),
    "dyn": _constantly(lambda value: value),
    "parse_json": _constantly(json_texts.parse),
    "json_get": _constantly(_json_get),
    "json_at": _constantly(_json_at),
    "json_is": _constantly(lambda value, kind: _json_kind(value) == kind),
    "json_eq": _constantly(_json_equal),
    "json_string": _constantly(lambda value: value if isinstance(value, str) else None),
    "json_number": _constantly(_json_number),
    "json_boolean": _constantly(lambda value: value if isinstance(value, bool) else None),
    "json_items": _constantly(lambda value: list(value) if isinstance(value, Mapping) else value),
    "json_size": _constantly(lambda value: len(value) if isinstance(value, Mapping | list) else None),
}
