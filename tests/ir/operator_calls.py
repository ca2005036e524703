"""Calls of every operator on every kind of argument, with values at the boundaries of types and between them.

The values owe nothing to proofs: they are the ends of types, whole and half numbers, the neighbours of powers
of two, every unit of time, month ends, leap days, texts that are nearly numbers or dates.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cache, lru_cache
from itertools import pairwise, product
from math import inf, nan
from typing import Any, NamedTuple

from predicat.check import signatures
from predicat.ir.nodes import Call, Field, FieldDecl, Items, Literal, Node
from predicat.ir.operators import COMPARISONS, OPS, ZONED
from predicat.ir.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    DURATION,
    JSON,
    STRING,
    TIMESTAMP,
    ArrayType,
    DecimalType,
    StructType,
    Type,
    parse_type,
)
from predicat.ir.value_sets import ValueSet
from predicat.ir.values import PERIOD_LENGTHS, PERIOD_MONTHS, UNITS, WHITE_SPACE
from predicat.semantics.evaluate import compile_node
from predicat.values.domain import Domain, domain

NOT_CALLED = {"entry_filter": "Python code is not run"}

# --- values


def _bigints() -> Iterator[int]:
    yield from (*range(-12, 13), 25, 59, 60, 100, 365, 1000, -1000, 1_000_000, 1_000_001)
    for power in (31, 32, 53, 62, 63):
        yield from (sign * 2**power + step for sign in (1, -1) for step in (-2, -1, 0, 1, 2))
    yield from (
        1_372_933_815,
        -62_135_596_800,
        253_402_300_799,
        -62_135_596_800_000_000,
        253_402_300_799_999_999,
    )
    yield from (119_987, 3_652_058, 10**11, 9_999_999_999, -9_999_999_999, 10**18)


def _doubles() -> Iterator[float]:
    yield from (quarter / 4 for quarter in range(-26, 27))
    yield from (0.1, 0.3, 2.675, -2.675, 0.285, 1e-7, 5e-324, 2.2250738585072014e-308, 1e22, 1e298, 1e300)
    yield from (-0.1, -1e-7, -1e22, -1e300, 9999999999.5, 9999999999.4, 708.0, 745.5, -745.5, 1e10, 12345.678)
    for power in (31, 51, 52, 53, 63, 64, 1023):
        yield from (sign * (2.0**power + step) for sign in (1, -1) for step in (-0.5, 0.0, 0.5, 1.0, 1.5))
    yield from (inf, -inf, 1.7976931348623157e308, -1.7976931348623157e308)


_DAYS = [
    *(date.min, date.max, date(1, 3, 1), date(4, 2, 29), date(9999, 11, 30), date(9998, 12, 31)),
    *(date(1969, 12, 31), date(1970, 1, 1), date(1970, 1, 5), date(1582, 10, 15)),
    *(date(year, month, 28) for year in (1900, 2000, 2023, 2024) for month in (2, 4, 12)),
    *(date(year, 2, 29) for year in (2000, 2024)),
    *(date(2024, month, 1) for month in range(1, 13)),
    *(date(2024, 1, day) for day in (29, 30, 31)),
    *(date(2013, 7, day) for day in range(1, 9)),
    *(date(2013, 3, 31), date(2013, 10, 27), date(2011, 12, 30), date(2020, 12, 31)),
]
_MICROSECOND = timedelta(microseconds=1)
_LENGTHS = [
    timedelta(0),
    _MICROSECOND,
    *(timedelta(microseconds=many) for many in (499, 999, 1001, 1500, 500_000, 250_000)),
    *(
        sign * timedelta(microseconds=step) * times
        for step in UNITS.values()
        for times in (1, 2)
        for sign in (1, -1)
    ),
    *(sign * length * times for length in PERIOD_LENGTHS.values() for times in (1, 59) for sign in (1, -1)),
    *(timedelta(days=many) for many in (30, 365, 366, 1461, 36_524, 3_652_058, -3_652_058)),
    timedelta(seconds=200_000_000_000),
]


def _moments() -> Iterator[datetime]:
    for day in _DAYS:
        midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
        yield midnight
    for day in (date(2013, 3, 31), date(2013, 10, 27), date(1969, 12, 31)):
        midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
        yield from (midnight + timedelta(hours=hour) for hour in (1, 2, 6, 12, 23))
        yield from (
            midnight + timedelta(hours=1) + times * timedelta(microseconds=step)
            for step in UNITS.values()
            for times in (1, 2, 59)
        )
    yield datetime(2013, 7, 4, 10, 30, 15, 250_000, tzinfo=UTC)


_TEXTS = [
    *(
        "",
        "a",
        "A",
        "ab",
        "b",
        "aB",
        " a",
        "a ",
        "  ",
        "a-b",
        "-",
        "%",
        "_",
        "\\",
        "a%b",
        "a\\%",
        "a\nb",
        "^$.*",
    ),
    *(
        "k",
        "K",
        "\u212a",
        "\u0130",
        "\u0131",
        "\u00df",
        "\u00c9",
        "\u00e9",
        "\u03c3",
        "\u03c2",
        "\u017f",
        "\U00010400",
        "😀",
        "a😀b",
    ),
    *("\x01", "\ud7ff", "\ue000", "\U0010ffff", "\u3000x\u2003", "\t", "e\u0301"),
    *(
        "0",
        "7",
        "12",
        "-7",
        "+7",
        " 7",
        "007",
        "-0",
        "1.5",
        "-0.5",
        ".5",
        "5.",
        "1e3",
        "1e400",
        "1e-400",
        "NaN",
    ),
    *("Infinity", "-Infinity", "inf", "9223372036854775807", "9223372036854775808", "-9223372036854775808"),
    *("-9223372036854775809", "99999999999999999999", "9999999999.5", "1" * 61, "9" * 38, "1,5", "0x10"),
    *(
        "2013-07-04",
        "2024-02-29",
        "2023-02-29",
        "0000-01-01",
        "0001-01-01",
        "9999-12-31",
        "2024-1-1",
        "20240101",
    ),
    *(
        "2013-07-04T10:30:15.25Z",
        "2013-07-04T10:30:15+02:00",
        "2013-07-04T25:00:00Z",
        "0001-01-01T00:00:00+14:00",
    ),
    *("9999-12-31T23:59:59.999999999Z", "1h30m", "-1.5s", "87660001h", "1d", "0.5us", "90"),
    *(
        "100Mi",
        "500m",
        "1.5Gi",
        "2E2",
        "1K",
        "true",
        "TRUE",
        "True",
        "t",
        "f",
        "false",
        "1",
        "yes",
        "a,b,c",
        ",",
        "a,,b",
    ),
    *('{"k": 1}', "[1, 2]", "null", '"x"', '{"k": 1, "k": 2}', "[", "ab12c345", "x=1;y=2", "hello", "UTC"),
]
_DOCUMENTS: list[Any] = [
    *("", "a", "1", True, False, 0, 1, -1, 0.5, 2**53 + 1, 10**400, -(10**400), 1e300),
    *(
        [],
        ["a"],
        [1, "a", None],
        [[1], [2, [3]]],
        {},
        {"k": 1},
        {"k": None},
        {"k": ["a"], "a": {"k": True}},
        {"": "k"},
    ),
]
DECIMALS = [DecimalType(4, 1), DecimalType(38, 6)]


def ordered(kind: Type) -> Domain:
    """The values of a type that has an order."""
    result = domain(kind)
    assert result is not None
    return result


def _near(kind: Type, values: Sequence[Any]) -> list[Any]:
    """Values of an ordered type with their neighbours, and the ends of the type with theirs, in order."""
    own = ordered(kind)
    low, high = own.least, own.greatest
    keys = {*map(own.ordinal, values), low, high}
    return [
        own.value(key)
        for key in sorted({key + step for key in keys for step in (-1, 0, 1)})
        if low <= key <= high
    ]


@lru_cache
def in_order(kind: Type) -> list[Any]:
    """The values of an ordered type, in order: without NaN, and with one zero."""
    if isinstance(kind, DecimalType):
        one = Decimal(1)
        steps = [one, one / 2, Decimal("0.3"), one / 10**kind.scale, Decimal(2), Decimal("9.9"), Decimal(25)]
        fitting = [step for step in steps if step.as_tuple().exponent >= -kind.scale]  # type: ignore[operator]
        return _near(kind, [Decimal(0), *(sign * step for step in fitting for sign in (1, -1))])
    return _near(kind, _ORDERED[kind])


_ORDERED: dict[Type, list[Any]] = {
    BIGINT: [value for value in _bigints() if -(2**63) <= value < 2**63],
    DOUBLE: list(_doubles()),
    DATE: _DAYS,
    TIMESTAMP: list(_moments()),
    DURATION: _LENGTHS,
}


@lru_cache
def values_of(kind: Type) -> list[Any]:
    """The values of a type, those that matter most first, without NULL."""
    if domain(kind) is not None:
        found = in_order(kind)
        first = {BIGINT: [0, 1, -1, 2], DOUBLE: [0.0, 1.0, -1.5, nan, -0.0]}.get(kind, [])
        return [*first, *(value for value in _spread(found) if value not in first)]
    if isinstance(kind, ArrayType):
        some = values_of(kind.element)[:7]
        pairs: list[list[Any]] = [[one, other] for one, other in pairwise(some)]
        return [[], *([one] for one in some), *pairs, [None], [some[0], None], [some[0]] * 3, some]
    found = _OTHERS.get(str(kind).partition("<")[0], [])
    return [{**item, "k": None} for item in found] if isinstance(kind, StructType) and not found else found


def _spread(values: list[Any]) -> list[Any]:
    """The same values in another order: the first ones are the ends and are spread over all."""
    places = [0, len(values) - 1]
    step = len(values) // 2
    while step:
        places += range(step, len(values), step)
        step //= 2
    return [values[place] for place in dict.fromkeys(places)]


_OTHERS: dict[str, list[Any]] = {
    "string": _TEXTS,
    "boolean": [True, False],
    "json": _DOCUMENTS,
    "map": [{}, {"k": "a"}, {"": "k"}, {"k": "a", "a": "b"}, {"k": None}],
    "struct": [{"k": "a"}, {"k": ""}, {"k": None}],
}

# --- calls


class Tried(NamedTuple):
    """A call whose arguments are fields or constants."""

    node: Call
    run: Callable[[dict[str, Any]], Any]
    moved: tuple[int, ...]
    """The positions of the arguments that are fields."""

    def value(self, args: Sequence[Any]) -> Any:
        """The value of the call for values of its fields."""
        return self.run({f"f{place}": value for place, value in zip(self.moved, args, strict=True)})

    def pool(self, place: int) -> list[Any]:
        """The values of an argument."""
        return values_of(self.node.args[place].type)

    def __str__(self) -> str:
        shown = [
            f"f{place}: {arg.type}" if isinstance(arg, Field) else repr(constants(arg))
            for place, arg in enumerate(self.node.args)
        ]
        return f"{self.node.op}({', '.join(shown)})"


def constants(arg: Node) -> Any:
    """The value of a constant argument; the values of the items of IN."""
    if isinstance(arg, Items):
        return [constants(item) for item in arg.items]
    return arg.value if isinstance(arg, Literal) else None


@cache
def calls(op: str) -> list[Tried]:
    """Calls of an operator with each signature, each type and each constant that is tried."""
    found: dict[Call, None] = {}
    for signature, (written, _) in zip(signatures.signatures(op), OPS[op].shapes, strict=True):
        for node in _calls(op, signature, written):
            found.setdefault(node)
    return [
        Tried(node, compile_node(node), tuple(n for n, arg in enumerate(node.args) if isinstance(arg, Field)))
        for node in found
    ]


def _calls(op: str, signature: signatures.Signature, written: Sequence[str]) -> Iterator[Call]:
    marked = [param.startswith("=") for param in written]
    for count in (1, 2, 3) if signature.star else (len(signature.params),):
        params = signature.params * count if signature.star else signature.params
        constant = [place for place in range(count) if place < len(marked) and marked[place]]
        for kinds in _kinds(op, params):
            for given in _constants(op, tuple(constant), kinds):
                args = [_argument(place, param, kinds[place], given) for place, param in enumerate(params)]
                for kind in _results(op, args):
                    yield Call(kind, op, tuple(args))


def _argument(place: int, param: str, kind: Type, given: dict[int, Any]) -> Node:
    if place in given:
        return Literal(kind, given[place])
    if param == "list<T>":
        assert isinstance(kind, ArrayType)
        items = [*values_of(kind.element)[:4], *([None] if place_has_null(kind) else [])]
        return Items(kind, tuple(Literal(kind.element, item) for item in items))
    return Field(kind, FieldDecl(f"f{place}", kind))


def place_has_null(kind: Type) -> bool:
    """Whether a list of constants has a NULL: that of some types."""
    return kind in (ArrayType(STRING), ArrayType(BIGINT))


_SCALARS: tuple[Type, ...] = (BIGINT, DOUBLE, STRING, BOOLEAN, DATE, TIMESTAMP, DURATION, DECIMALS[0])
_MIXED: tuple[tuple[Type, Type], ...] = (
    (BIGINT, DOUBLE),
    (DOUBLE, BIGINT),
    (BIGINT, DECIMALS[0]),
    (DECIMALS[1], BIGINT),
)


def _kinds(op: str, params: tuple[str, ...]) -> Iterator[tuple[Type, ...]]:
    """The types of the arguments."""
    generic: tuple[Type, ...] = _SCALARS if any("T" in param for param in params) else (STRING,)
    if any(param.startswith(("array<T", "map")) for param in params):
        generic = (STRING,) if any(param.startswith("map") for param in params) else (STRING, BIGINT, DOUBLE)
    for of in generic:
        yield from product(*(_own(param, of) for param in params))
    if params == ("T", "T") and op in COMPARISONS:
        yield from _MIXED


def _own(param: str, generic: Type) -> Sequence[Type]:
    if param == "any":
        return (STRING, DOUBLE, JSON, ArrayType(STRING))
    if param == "decimal":
        return DECIMALS
    if param == "duration":
        return (DURATION,)
    if param == "struct":
        return (parse_type("struct<k: string>"),)
    if param == "list<T>":
        return (ArrayType(generic),)
    return (generic if param == "T" else parse_type(param.replace("T", str(generic))),)


def _results(op: str, args: list[Node]) -> Iterator[Type]:
    """The types of a result: a conversion to decimals has several."""
    found = signatures.find(
        op, tuple(arg.type for arg in args), widens_numbers=False, mixed_numbers=op in COMPARISONS
    )
    if found is None or (op == "in_list" and not isinstance(constants(args[1]), ValueSet)):
        return
    if op == "to_decimal":
        yield from (DecimalType(10, 0), DecimalType(4, 1), DecimalType(38, 38))
    elif op == "member":
        yield STRING
    elif op == "dyn":
        yield args[0].type
    else:
        yield found.result


_ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Auckland", "Pacific/Apia")
_LIKES = ("%", "a%", "%b", "_", "", "%\\%%", "%a%b%", "__", "K", "%\\_")
_FOLDED = ("k", "K\u0130", "", "\u03a3", "a", "Stra\u00dfe")
# The constants of operators that want some. Of the others: those in their examples.
_GIVEN: dict[str, list[tuple[Any, ...]]] = {
    "date_trunc": [(unit,) for unit in (*PERIOD_LENGTHS, *PERIOD_MONTHS)],
    "in_units": [(unit,) for unit in UNITS],
    **{key: [(zone,) for zone in _ZONES] for key in ZONED},
    "like": [(pattern,) for pattern in _LIKES],
    "like_ci": [(pattern,) for pattern in _LIKES],
    **{key: [(text,) for text in _FOLDED] for key in ("equals_ci", "starts_with_ci", "contains_ci")},
    "matches": [(text,) for text in ("a", "^a.c$", "[^a]", "\\d+", "(?i)k", "^$", ".", "\\bb\\b")],
    "json_is": [(kind,) for kind in ("string", "number", "boolean", "object", "array")],
    "json_values": [("k",), ("",)],
    "strip": [(" ",), (WHITE_SPACE,), ("a-",), ("",)],
    "member": [("k",)],
    "format_time": [("%Y-%m-%d",), ("%H %Y",), ("%Y%m%d%H%M%S%f",), ("%j",), ("%A",), ("x",)],
    "shift_left": [(places,) for places in (0, 1, 31, 62, 63)],
    "shift_right": [(places,) for places in (0, 1, 31, 62, 63)],
    "round": [(places,) for places in (0, 1, 2, 10)],
    "bround": [(places,) for places in (0, 1, 2, 10)],
}


def _constants(op: str, places: tuple[int, ...], kinds: tuple[Type, ...]) -> Iterator[dict[int, Any]]:
    if not places:
        yield {}
        return
    if op == "in_list":
        some = [value for value in values_of(kinds[0])[:6] if value == value]  # noqa: PLR0124  # no NaN
        if kinds[0] in (STRING, BIGINT, DATE, TIMESTAMP):
            yield {1: ValueSet.of(kinds[0], some)}
        return
    given = _GIVEN.get(op) or [
        tuple(args[place] for place in places) for args, _ in OPS[op].examples if len(args) == len(kinds)
    ]
    for values in dict.fromkeys(given):
        yield dict(zip(places, values, strict=True))


# --- what a call gives

# How many values are tried of each of so many arguments.
_MOST = {0: 1, 1: 10**9, 2: 30, 3: 9}


class Row(NamedTuple):
    """Values of all arguments of a call, and its value."""

    args: tuple[Any, ...]
    value: Any


@lru_cache(maxsize=4)
def table(op: str) -> list[tuple[Tried, list[Row]]]:
    """Each call of an operator with the values that it has, NULL among the arguments."""
    return [(tried, list(_rows(tried))) for tried in calls(op)]


def _rows(tried: Tried) -> Iterator[Row]:
    pools = [
        [None, *tried.pool(place)[: _MOST[len(tried.moved)]]] if place in tried.moved else [constants(arg)]
        for place, arg in enumerate(tried.node.args)
    ]
    for args in product(*pools):
        yield Row(args, tried.value([args[place] for place in tried.moved]))
