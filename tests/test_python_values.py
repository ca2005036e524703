"""Values of Python types that services have: a filter reads each as the one value that it means, or refuses
the row. It never decides on another value.
"""

from __future__ import annotations

import collections
import enum
import ipaddress
import types
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import attrs
import msgspec
import numpy as np
import pandas as pd
import pyarrow as pa
import pydantic
import pytest
import sqlalchemy
from sqlalchemy import orm

import predicat
from predicat.ir.nodes import Call, Field, FieldDecl, ParamDecl, Parameter
from predicat.ir.types import BOOLEAN, STRING
from tests.rounds import rounds

ID = "6f1c2d9e-0b7a-4d53-9a53-9f5d3c1b2a10"


class Plan(enum.Enum):
    GOLD = "gold"
    SEVEN = 7


class Word(str, enum.Enum):  # noqa: UP042  # as services have it
    GOLD = "gold"


class Name(enum.StrEnum):
    GOLD = "gold"

    def __str__(self) -> str:
        return "not its value"


class Number(enum.IntEnum):
    SEVEN = 7


class Flags(enum.IntFlag):
    SEVEN = 7


@dataclass
class Owner:
    name: Any
    tags: Any = ()


class Pair(NamedTuple):
    name: str
    tags: list[str]


class Model(pydantic.BaseModel, extra="allow"):
    name: Any


@attrs.define
class Attributes:
    name: Any
    tags: Any


class Record(msgspec.Struct):
    name: Any
    tags: Any


class Stored(orm.declarative_base()):  # type: ignore[misc]  # a class that is made
    __tablename__ = "stored"
    name = sqlalchemy.Column(sqlalchemy.String, primary_key=True)
    tags = sqlalchemy.Column(sqlalchemy.JSON)


class Text(str):
    __slots__ = ()

    def __str__(self) -> str:
        return "not its value"


class Object:
    """A class of which nothing is known."""


BERLIN = timezone(timedelta(hours=2))
MOMENT = datetime(2026, 2, 1, 10, tzinfo=UTC)
REFUSED = object()
OBJECT = {"name": "gold", "tags": ["a"]}

VALUES: list[tuple[Any, Any, Any]] = [
    # the value, what it is without a declared type (JSON), and what it is where a type is declared
    (uuid.UUID(ID), ID, ID),
    (Plan.GOLD, "gold", "gold"),
    (Plan.SEVEN, 7, 7),
    (Word.GOLD, "gold", "gold"),
    (Name.GOLD, "gold", "gold"),
    (Number.SEVEN, 7, 7),
    (Flags.SEVEN, 7, 7),
    (Text("gold"), "gold", "gold"),
    (collections.UserString("gold"), "gold", "gold"),
    (ipaddress.ip_address("10.0.0.1"), "10.0.0.1", "10.0.0.1"),
    (ipaddress.ip_address("2001:DB8::1"), "2001:db8::1", "2001:db8::1"),
    (ipaddress.ip_network("10.0.0.0/8"), "10.0.0.0/8", "10.0.0.0/8"),
    (np.str_("gold"), "gold", "gold"),
    (np.int64(7), 7, 7),
    (np.uint8(7), 7, 7),
    (np.float32(7.5), 7.5, 7.5),
    (np.float64(7.5), 7.5, 7.5),
    (np.bool_(True), True, True),
    (pa.scalar(7), 7, 7),
    (pa.scalar("gold"), "gold", "gold"),
    (Decimal("7.5"), 7.5, Decimal("7.5")),
    (None, None, None),
    (pd.NaT, None, None),
    (pd.NA, None, None),
    (np.datetime64("NaT"), None, None),
    (np.timedelta64("NaT", "s"), None, None),
    (pa.scalar(None), None, None),
    (("a",), ["a"], ["a"]),
    (collections.deque(["a"]), ["a"], ["a"]),
    (collections.UserList(["a"]), ["a"], ["a"]),
    (range(3), [0, 1, 2], [0, 1, 2]),
    (np.array(["a"]), ["a"], ["a"]),
    (np.array([1, 2]), [1, 2], [1, 2]),
    (np.array(7), 7, 7),
    (np.array([[1], [2]]), [[1], [2]], [[1], [2]]),
    ([uuid.UUID(ID), Plan.GOLD], [ID, "gold"], [ID, "gold"]),
    (types.MappingProxyType(OBJECT), OBJECT, OBJECT),
    (collections.OrderedDict(OBJECT), OBJECT, OBJECT),
    (collections.ChainMap({"name": "gold"}, {"tags": ["a"]}), OBJECT, OBJECT),
    (collections.UserDict(OBJECT), OBJECT, OBJECT),
    ({Name.GOLD: "a", uuid.UUID(ID): "b"}, {"gold": "a", ID: "b"}, {"gold": "a", ID: "b"}),
    (Owner("gold", ("a",)), OBJECT, OBJECT),
    (Owner(Plan.GOLD, np.array(["a"])), OBJECT, OBJECT),
    (Pair("gold", ["a"]), REFUSED, OBJECT),
    (Model(name=Plan.GOLD, tags=("a",)), OBJECT, OBJECT),
    (Attributes("gold", ["a"]), OBJECT, OBJECT),
    (Record("gold", ["a"]), OBJECT, OBJECT),
    (Stored(name="gold", tags=["a"]), OBJECT, OBJECT),
    (MOMENT, REFUSED, MOMENT),
    (MOMENT.astimezone(BERLIN), REFUSED, MOMENT),
    (MOMENT.replace(tzinfo=None), REFUSED, MOMENT),
    (pd.Timestamp(MOMENT), REFUSED, MOMENT),
    (pd.Timestamp("2026-02-01 10:00:00.000000999"), REFUSED, MOMENT),
    (np.datetime64("2026-02-01T10:00:00.000000999"), REFUSED, MOMENT),
    (np.datetime64("2026-02-01"), REFUSED, date(2026, 2, 1)),
    (date(2026, 2, 1), REFUSED, date(2026, 2, 1)),
    (timedelta(seconds=90), REFUSED, timedelta(seconds=90)),
    (pd.Timedelta(seconds=90), REFUSED, timedelta(seconds=90)),
    (np.timedelta64(90, "s"), REFUSED, timedelta(seconds=90)),
    (float("nan"), REFUSED, float("nan")),
    (np.float64("nan"), REFUSED, float("nan")),
    (Decimal("NaN"), REFUSED, float("nan")),
    (np.longdouble("0.1"), REFUSED, REFUSED),
    (np.complex128(1), REFUSED, REFUSED),
    (np.timedelta64(1, "M"), REFUSED, REFUSED),
    (np.datetime64("20000-01-01"), REFUSED, REFUSED),
    (np.ma.masked, REFUSED, REFUSED),
    (pd.Series(["a"]), REFUSED, REFUSED),
    (pd.Period("2026-02"), REFUSED, REFUSED),
    ({"a"}, REFUSED, REFUSED),
    (frozenset(("a",)), REFUSED, REFUSED),
    (b"gold", REFUSED, REFUSED),
    (bytearray(b"gold"), REFUSED, REFUSED),
    (memoryview(b"gold"), REFUSED, REFUSED),
    (np.bytes_(b"gold"), REFUSED, REFUSED),
    (1j, REFUSED, REFUSED),
    (Fraction(1, 2), REFUSED, REFUSED),
    (time(10), REFUSED, REFUSED),
    (Object(), REFUSED, REFUSED),
    (iter(["a"]), REFUSED, REFUSED),
    (str, REFUSED, REFUSED),
]
TYPES = (
    "string",
    "bigint",
    "double",
    "boolean",
    "decimal(10,2)",
    "timestamp",
    "date",
    "duration",
    "array<string>",
    "array<bigint>",
    "map<string, string>",
    "struct<name: string, tags: array<string>>",
    "json",
)
WITHOUT_TYPES = [
    f"x == '{ID}'",
    f"x != '{ID}'",
    "x == 'gold'",
    "x != 'gold'",
    "x == 7",
    "x != 7",
    "x < 8",
    "x > 1.5",
    "x == true",
    "x < 'h'",
    f"x in ['gold', '{ID}', 7]",
    "!(x in ['gold', 7])",
    "'a' in x",
    "!('a' in x)",
    "x.exists(i, i == 'a')",
    "x.all(i, i == 'a' || i == 1)",
    "x.exists(i, i > 1)",
    "x[0] == 'a'",
    "x.name == 'gold'",
    "x.name != 'silver'",
    "has(x.name)",
    "!has(x.name)",
    "'a' in x.tags",
    "size(x) == 2",
    "size(x.tags) == 1",
    "x == ['a']",
    "x != ['a']",
    "x == {'name': 'gold', 'tags': ['a']}",
    "x == null",
    "x != null",
    "x.matches('^g')",
    "type(x) == string",
    "string(x) == 'gold'",
    "x ? true : false",
]
WITH_TYPES = {
    "string": [
        f"x = '{ID}'",
        "x <> 'gold'",
        "x IN ('gold', 'a')",
        "x < 'h'",
        "x IS NULL",
        "upper(x) = 'GOLD'",
    ],
    "bigint": ["x = 7", "x <> 7", "x < 8", "x IN (1, 7)", "x + 1 = 8"],
    "double": ["x = 7", "x <> 7.5", "x < 8", "x IS NULL", "x * 2 = 15"],
    "boolean": ["x", "NOT x", "x = TRUE"],
    "decimal(10,2)": ["x = 7.5", "x <> 7", "x < 8"],
    "timestamp": ["x = '2026-02-01 10:00:00Z'", "x <> '2026-02-01 10:00:00Z'", "x < '2026-02-01 11:00:00Z'"],
    "date": ["x = DATE '2026-02-01'", "x <> DATE '2026-02-02'", "x IS NULL"],
    "duration": [],
    "array<string>": [f"array_contains(x, '{ID}')", "array_contains(x, 'a')", "x[0] = 'a'", "size(x) = 1"],
    "array<bigint>": ["array_contains(x, 1)", "size(x) = 3"],
    "map<string, string>": ["x['gold'] = 'a'", f"x['{ID}'] = 'b'", "x['name'] IS NULL"],
    "struct<name: string, tags: array<string>>": [
        "x.name = 'gold'",
        "x.name <> 'a'",
        "array_contains(x.tags, 'a')",
    ],
    "json": ["x = 'gold'", "x > 1", "x IS NULL"],
}


def conditions() -> Iterator[tuple[str, predicat.Predicate]]:
    for text in WITHOUT_TYPES:
        yield "json", predicat.parse(text, "cel")
        yield "json", predicat.parse(text, "cel", {"x": {"type": "json", "nulls": "value"}})
    for kind, written in WITH_TYPES.items():
        for text in written:
            yield kind, predicat.parse(text, "spark", {"x": kind})


CONDITIONS = list(conditions())


@cache
def cel(text: str) -> predicat.Predicate:
    return predicat.parse(text, "cel")


def outcome(predicate: predicat.Predicate, row: Mapping[str, Any]) -> Any:
    try:
        return predicate.evaluate(row)
    except predicat.PredicatError as error:
        (problem,) = error.diagnostics
        assert problem.code == "bad-row"
        assert problem.hint
        assert "'x" in problem.message
        return "bad-row"


def canonical(predicate: predicat.Predicate, value: Any) -> Any:
    return "bad-row" if value is REFUSED else outcome(predicate, {"x": value})


@pytest.mark.parametrize(("value", "json", "typed"), VALUES, ids=lambda value: type(value).__name__)
def test_a_value_is_read_as_the_one_that_it_means_or_refused(value: Any, json: Any, typed: Any) -> None:
    for kind, predicate in rounds(CONDITIONS, 100):
        expected = canonical(predicate, json if kind == "json" else typed)
        assert outcome(predicate, {"x": value}) == expected, (predicate.text, kind)


@pytest.mark.parametrize(("value", "json", "typed"), VALUES, ids=lambda value: type(value).__name__)
def test_inside_of_documents(value: Any, json: Any, typed: Any) -> None:
    del typed
    for text in (
        "x.y == 'gold'",
        "x.y != 'gold'",
        "x.y > 1",
        "has(x.y)",
        "x['y'] in ['gold', 7]",
        "'a' in x.y",
    ):
        predicate = cel(text)
        expected = "bad-row" if json is REFUSED else predicate.evaluate({"x": {"y": json}})
        assert outcome(predicate, {"x": {"y": value}}) == expected, text
        assert outcome(predicate, {"x": Owner("a")}) in (None, False, text == "x.y != 'gold'" or None)
    for text in (
        "x.exists(i, i == 'gold')",
        "x.all(i, i != 'gold')",
        "x[1] == 'gold'",
        "'gold' in x",
        "size(x[1]) > 0",
    ):
        predicate = cel(text)
        expected = "bad-row" if json is REFUSED else predicate.evaluate({"x": [1, json]})
        assert outcome(predicate, {"x": (1, value)}) == expected, text


@cache
def of_all() -> tuple[dict[str, predicat.Predicate], predicat.Matcher]:
    several = {text: cel(text) for text in WITHOUT_TYPES}
    several |= {f"{n}": cel(f"x.k{n} == 'gold' && has(x.name)") for n in range(10)}  # an index of keys
    return several, predicat.Matcher.of(several)


@pytest.mark.parametrize(("value", "json", "typed"), VALUES, ids=lambda value: type(value).__name__)
def test_a_matcher_reads_values_as_evaluate_does(value: Any, json: Any, typed: Any) -> None:
    del typed
    several, matcher = of_all()
    for row in ({"x": value}, {"x": {"name": value, "k1": value}}, {"x": [value]}):
        outcomes = {name: outcome(one, row) for name, one in several.items()}
        if "bad-row" in outcomes.values():
            assert json is REFUSED
            with pytest.raises(predicat.PredicatError, match="bad-row"):
                matcher.match(row)
        else:
            assert matcher.match(row) == sorted(name for name, one in outcomes.items() if one is True)


def test_fields_with_dotted_names_are_read_from_objects() -> None:
    predicate = predicat.parse("x.name = 'gold'", "sql", {"x.name": "string"})
    assert predicate.evaluate({"x": Owner(Plan.GOLD)}) is True
    assert outcome(predicate, {"x": Object()}) == "bad-row"


def test_rows_with_names() -> None:
    predicate = cel("name == 'gold' && 'a' in tags")
    matcher = predicat.Matcher.of({"gold": predicate})
    for row in (
        Owner(Plan.GOLD, ["a"]),
        Pair("gold", ["a"]),
        Model(name="gold", tags=["a"]),
        Attributes("gold", ["a"]),
        Record("gold", ["a"]),
        Stored(name="gold", tags=["a"]),
        pd.Series(OBJECT),
        collections.ChainMap(OBJECT),
    ):
        assert predicate.evaluate(row) is True
        assert matcher.match(row) == ["gold"]
    for value in (["gold"], "gold", None, Object(), {"gold"}):
        for call in (predicate.evaluate, matcher.match):
            with pytest.raises(predicat.PredicatError, match="a row is a mapping of names to values, not"):
                call(value)


def test_parameters() -> None:
    field = Field(STRING, FieldDecl("id", STRING))
    param = Parameter(STRING, ParamDecl("p", STRING, required=True))
    same = predicat.Predicate(Call(BOOLEAN, "eq", (field, param)), "sql")
    assert same.evaluate({"id": ID}, p=uuid.UUID(ID)) is True
    with pytest.raises(predicat.PredicatError, match="'p' of this predicate must have type string"):
        same.evaluate({"id": ID}, p=np.array(["a", "b"]))


@pytest.mark.parametrize(
    ("predicate", "row", "message"),
    [
        (
            predicat.parse("size(x) > 0", "spark", {"x": "array<struct<name: string>>"}),
            {"x": [{"name": "a"}, {"name": 5}]},
            "the field 'x[1].name' has type string, but the row has 5\n  = hint: pass a str",
        ),
        (
            predicat.parse("size(x) > 0", "spark", {"x": "array<string>"}),
            {"x": {"a"}},
            (
                "the field 'x' has type array<string>, but the row has {'a'}\n"
                "  = hint: a set has no order: pass a list, such as sorted(value)"
            ),
        ),
        (
            predicat.parse("timestamp(x.owners[1].since) > timestamp('2026-01-01T00:00:00Z')", "cel"),
            {"x": {"owners": [1, {"since": MOMENT}]}},
            (
                "the field 'x.owners[1].since' is read as JSON, but the row has 2026-02-01 10:00:00+00:00\n"
                "  = hint: JSON has no such value: declare the type of the field, "
                "or pass a str such as value.isoformat()"
            ),
        ),
        (
            predicat.parse("x.exists(i, i.id == 'a')", "cel"),
            {"x": [{"id": str}]},
            (
                "the field 'i.id' is read as JSON, but the row has <class 'str'>\n"
                "  = hint: pass what json.loads returns: a dict, list, str, int, float, bool or None"
            ),
        ),
        (
            predicat.parse("x > 5", "sql", {"x": "bigint"}),
            {"x": float("nan")},
            "the field 'x' has type bigint, but the row has nan\n  = hint: pass an int of at most 64 bits",
        ),
    ],
)
def test_the_place_and_what_to_pass(
    predicate: predicat.Predicate, row: Mapping[str, Any], message: str
) -> None:
    with pytest.raises(predicat.PredicatError) as caught:
        predicate.evaluate(row)
    assert str(caught.value) == f"error[bad-row]: {message}"
