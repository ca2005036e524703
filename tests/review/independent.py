"""Pairs of conditions and rows that owe nothing to the prover: texts of a language by chance, and rows from
the constants in these texts, their neighbours and what arithmetic makes of them.

A pair is made from a number, so that a pair that fails is found again by its number.
"""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from datetime import UTC, date, datetime, timedelta
from decimal import Context, Decimal
from functools import cached_property
from typing import Any, ClassVar, Self, TypeVar

import predicat
from predicat.ir.nodes import Node

Row = dict[str, Any]
T = TypeVar("T")
_FLIPPED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "==", "=": "<>", "<>": "="}
_TEXTS = ["", "a", "A", "ab", "5", "5.0", "x", " a", "\u212a", "1e3", "-0", "true", "null"]
_KINDS: list[Any] = [None, True, False, "", "a", "5", 0, -0.0, 1.5, [], {}, [1], {"a": 1}, 10**20, 1e308]
_WHOLES = [0, 1, -1, 2, 2**31 - 1, -(2**31), 2**53, 2**53 + 1, 2**63 - 1, -(2**63)]
_DOUBLES = [0.0, -0.0, 0.5, -0.5, 5e-324, 1e308, 2.0**53, float("nan"), float("inf"), float("-inf")]
_MOMENTS = [
    datetime(2024, 2, 29, 23, 59, 59, 999999, tzinfo=UTC),
    datetime(2024, 3, 1, tzinfo=UTC),
    datetime(1969, 12, 31, 23, 59, 59, 1, tzinfo=UTC),
    datetime(1, 1, 1, tzinfo=UTC),
    datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
]
_DAYS = [date(2024, 2, 29), date(2024, 3, 1), date(1970, 1, 1), date.min, date.max]
_EXACT = Context(prec=60)
_MOST_ATTEMPTS = 100


class Pair:
    """Two conditions over a few places, made from a number. `fields` are the declared types, if any."""

    language: str
    true: str
    false: str
    both: str
    either: str
    orders: Sequence[str]
    fields: Mapping[str, str] | None

    def __init__(self, seed: str) -> None:
        self.chance = random.Random(seed)
        self.numbers: set[Any] = {0, 1}
        self.written = self.texts()

    def pick(self, *choices: T) -> T:
        return self.chance.choice(choices)

    @classmethod
    def readable(cls, number: int) -> tuple[Self, Node, Node]:
        """The first pair of a number that the language takes, with its predicates."""
        for attempt in range(_MOST_ATTEMPTS):
            pair = cls(f"{number} {attempt}")
            try:
                before, after = (predicat.parse(text, cls.language, pair.fields) for text in pair.written)
            except predicat.PredicatError:
                continue
            return pair, before.node, after.node
        raise AssertionError(number)

    def one_of(self, *makers: Callable[[], str]) -> str:
        return self.chance.choice(makers)()

    # --- texts

    def texts(self) -> tuple[str, str]:
        """Two conditions that are close to each other: proofs of different ones say little."""
        first, second = self.condition(), self.condition()
        both, either = f"({first}) {self.both} ({second})", f"({first}) {self.either} ({second})"
        return self.pick(
            (first, second),
            (first, second),
            (first, second),
            (first, self.changed(first)),
            (first, self.changed(first)),
            (both, first),
            (first, either),
            (both, self.false),
            (either, self.true),
            (self.negated(first), self.changed(self.flipped(first))),
            (self.negated(both), f"{self.negated(first)} {self.either} {self.negated(second)}"),
            (both, f"({first}) {self.both} ({self.changed(second)})"),
        )

    def negated(self, text: str) -> str:
        raise NotImplementedError

    def condition(self) -> str:
        chance = self.chance.random()
        if chance < 0.7:
            return self.test()
        if chance < 0.8:
            return self.negated(self.test())
        return f"{self.test()} {self.pick(self.both, self.either)} {self.test()}"

    def test(self) -> str:
        raise NotImplementedError

    def changed(self, text: str) -> str:
        """The text with one of its parts changed."""
        parts = text.split(" ")
        places = [place for place, part in enumerate(parts) if part in _FLIPPED or part.isdigit()]
        if places:
            place = self.chance.choice(places)
            parts[place] = (
                self.chance.choice(self.orders)
                if parts[place] in _FLIPPED
                else self.number(int(parts[place]))
            )
        return " ".join(parts)

    def flipped(self, text: str) -> str:
        parts = [_FLIPPED.get(part, part) for part in text.split(" ")]
        return " ".join(parts)

    def number(self, near: int = 3) -> str:
        """A constant, which rows will know."""
        value = self.pick(near, near + 1, abs(near - 1), 0, 1, 2, 3, 5, 10, self.pick(2**53, 1000, 7))
        self.numbers.add(value)
        return str(value)

    def fraction(self) -> str:
        value = self.pick(0.5, 1.5, 2.5, 0.1, 2.0, 1e3)
        self.numbers.add(value)
        return str(value)

    # --- rows

    @cached_property
    def near(self) -> list[Any]:
        """The constants, what one operation makes of two of them, and the neighbours of all."""
        found = set(self.numbers)
        for one in self.numbers:
            for other in self.numbers:
                found |= {one + other, one - other, one * other}
                found |= {one / other, one // other} if other else set()
        steps = (-1, -0.5, 0.5, 1)
        return sorted(found | {-one for one in found} | {one + step for one in found for step in steps})

    def rows(self, count: int) -> list[Row]:
        return [{}, *(self.row() for _ in range(count))]

    def row(self) -> Row:
        raise NotImplementedError


class CelPair(Pair):
    """CEL over JSON: undeclared names, or names that are declared as `json`."""

    language = "cel"
    true, false, both, either = "true", "false", "&&", "||"
    orders = ("<", "<=", ">", ">=", "==", "!=")
    _PLACES = ("n", "x", "spec.n", "spec.size", "labels['a']", "xs[0]", "spec.at.n")
    _DECLARED: ClassVar = dict.fromkeys(("n", "x", "spec", "labels", "xs"), "json")

    def __init__(self, seed: str) -> None:
        chance = random.Random(f"places of {seed}")
        self.places = chance.sample(self._PLACES, chance.choice([1, 1, 2]))
        self.fields = self._DECLARED if chance.random() < 0.3 else None
        super().__init__(seed)

    def negated(self, text: str) -> str:
        return f"!({text})"

    def place(self) -> str:
        return self.chance.choice(self.places)

    def test(self) -> str:
        place = self.place()
        return self.one_of(
            self.compared,
            self.compared,
            self.compared,
            self.compared,
            lambda: f"type({place}) {self.pick('==', '!=')} {self.pick('int', 'double', 'string', 'bool')}",
            lambda: f"type({place}) {self.pick('==', '!=')} {self.pick('list', 'map', 'null_type', 'int')}",
            lambda: f"has({self.selected()})",
            lambda: f"{place} {self.pick('==', '!=')} {self.pick('null', 'true', chr(39) + '5' + chr(39))}",
            lambda: f"{place} in [{self.number()}, {self.pick(self.fraction(), self.number(), repr('a'))}]",
            lambda: f"{place}.{self.pick('startsWith', 'contains', 'endsWith')}({self.pick(*_TEXTS[:6])!r})",
            lambda: f"{place}.matches({self.pick('^[0-9]+$', '^a', 'b$', '^$')!r})",
            lambda: f"{place} {self.pick(*self.orders)} {self.pick(*_TEXTS[:6])!r}",
            lambda: f"size({place}) {self.pick(*self.orders)} {self.number(1)}",
            lambda: f"{place}.{self.pick('exists', 'all')}(v, v {self.pick(*self.orders)} {self.number(1)})",
            lambda: f"{self.number(1)} in {place}",
            lambda: f"'a' in {place}",
            lambda: f"({self.compared()} ? {self.compared()} : {self.compared()})",
        )

    def selected(self) -> str:
        return self.pick("spec.n", "spec.size", "labels.a", "spec.at.n", "spec.at")

    def compared(self) -> str:
        right = self.one_of(self.number, self.number, self.number, self.fraction, lambda: self.term(1))
        return f"{self.term(2)} {self.pick(*self.orders)} {right}"

    def term(self, depth: int) -> str:
        place = self.place()
        if depth == 0 or self.chance.random() < 0.25:
            return place
        inner = self.term(depth - 1)
        return self.one_of(
            lambda: f"{inner} {self.pick('+', '-')} {self.number()}",
            lambda: f"{self.number()} {self.pick('+', '-')} {inner}",
            lambda: f"({inner}) * {self.number(2)}",
            lambda: f"({inner}) / {self.number(2)}",
            lambda: f"({inner}) % {self.number(2)}",
            lambda: f"({inner}) {self.pick('+', '-', '*', '/')} {self.fraction()}",
            lambda: f"{inner} {self.pick('+', '-', '*')} {self.place()}",
            lambda: f"-({inner})",
            lambda: f"int({inner})",
            lambda: f"double({inner})",
            lambda: f"int({inner})",
            lambda: f"double({place})",
        )

    def row(self) -> Row:
        row: Row = {}
        for place in self._PLACES:
            if place in self.places or self.chance.random() < 0.1:
                self.put(row, place)
        return row

    def put(self, row: Row, place: str) -> None:
        """Put a value at a place, or a value of another kind at a place on the way, or nothing."""
        if self.chance.random() < 0.08:
            return
        value = self.value()
        if place == "xs[0]":
            row["xs"] = self.pick([value], [value, self.value()], [], value)
            return
        *way, last = place.replace("['a']", ".a").split(".")
        for name in way:
            if self.chance.random() < 0.05:
                row.setdefault(name, self.value())
            row = row.setdefault(name, {})
            if not isinstance(row, dict):
                return
        row[last] = value

    def value(self) -> Any:
        chance = self.chance.random()
        if chance < 0.7:
            number = self.chance.choice(self.near)
            return self.pick(number, number, number, float(number), str(number))
        if chance < 0.78:
            return self.pick(*_WHOLES, 2**63, -(2**63) - 1, 0.1, -2.5, 1e-300)
        near = self.pick(*self.near)
        return copy(self.pick(*_KINDS, *_TEXTS, [near, "a"], {"n": near, "a": 1}))


class SqlPair(Pair):
    """SQL over declared types of all kinds."""

    language = "sql"
    true, false, both, either = "TRUE", "FALSE", "AND", "OR"
    orders = ("<", "<=", ">", ">=", "=", "<>")
    declared: ClassVar = {
        "i8": "tinyint",
        "i16": "smallint",
        "i32": "int",
        "n": "bigint",
        "r": "float",
        "d": "double",
        "e": "decimal(5,2)",
        "z": "decimal(4,0)",
        "w": "decimal(38,20)",
        "s": "string",
        "c": "varchar(5)",
        "p": "boolean",
        "t": "timestamp",
        "dt": "date",
        "xs": "array<bigint>",
        "ss": "array<string>",
        "m": "map<string, string>",
        "st": "struct<x: int, y: string>",
        "j": "json",
    }
    _NUMBERS = ("i8", "i16", "i32", "n", "r", "d", "e", "z", "w", "st.x")
    _STRINGS = ("s", "c", "m['k']", "st.y")

    def __init__(self, seed: str) -> None:
        chance = random.Random(f"places of {seed}")
        self.fields = self.declared
        self.about = chance.choice(["number"] * 6 + ["text", "text", "time", "time", "array", "other"])
        self.places = chance.sample(self._NUMBERS, chance.choice([1, 1, 2]))
        self.strings = chance.sample(self._STRINGS, chance.choice([1, 1, 2]))
        super().__init__(seed)

    def negated(self, text: str) -> str:
        return f"NOT ({text})"

    def order(self) -> str:
        return self.chance.choice(self.orders)

    def test(self) -> str:
        about = (
            self.about
            if self.chance.random() < 0.9
            else self.pick("number", "text", "time", "array", "other")
        )
        return {
            "number": self.of_number,
            "text": self.of_text,
            "time": self.of_time,
            "array": self.of_array,
            "other": self.of_other,
        }[about]()

    def of_number(self) -> str:
        term, constant = self.term(2), self.constant
        return self.one_of(
            lambda: f"{term} {self.order()} {constant()}",
            lambda: f"{term} {self.order()} {constant()}",
            lambda: f"{term} {self.order()} {constant()}",
            lambda: f"{constant()} {self.order()} {term}",
            lambda: f"{term} {self.order()} {self.term(1)}",
            lambda: f"{term} BETWEEN {constant()} AND {constant()}",
            lambda: f"{term} {self.pick('IN', 'NOT IN')} ({constant()}, {constant()})",
            lambda: f"{term} IS {self.pick('', 'NOT ')}NULL",
            lambda: f"{term} IS {self.pick('', 'NOT ')}DISTINCT FROM {constant()}",
        )

    def constant(self) -> str:
        text = self.one_of(self.number, self.number, self.fraction)
        if self.chance.random() < 0.2:
            return f"-{text}"
        return text if "e" not in text else f"{float(text):f}"

    def term(self, depth: int) -> str:
        place = self.chance.choice(self.places)
        if depth == 0 or self.chance.random() < 0.3:
            return place
        inner, constant = self.term(depth - 1), self.constant
        return self.one_of(
            lambda: f"{inner} {self.pick('+', '-')} {constant()}",
            lambda: f"{constant()} {self.pick('+', '-')} {inner}",
            lambda: f"({inner}) * {constant()}",
            lambda: f"({inner}) / CAST({self.number(2)} AS DOUBLE)",
            lambda: f"div({inner}, {self.number(2)})",
            lambda: f"({inner}) % {self.number(2)}",
            lambda: f"{inner} {self.pick('+', '-', '*')} {self.chance.choice(self.places)}",
            lambda: f"-({inner})",
            lambda: f"{self.pick('abs', 'floor', 'ceil')}({inner})",
            lambda: f"round({inner}, {self.pick(0, 1, 2)})",
            lambda: f"coalesce({inner}, {constant()})",
            lambda: f"nullif({inner}, {constant()})",
            lambda: f"{self.pick('greatest', 'least')}({inner}, {constant()})",
            lambda: f"CAST({inner} AS {self.pick('DOUBLE', 'BIGINT', 'DECIMAL(6,1)', 'DECIMAL(20,4)')})",
            lambda: f"CASE WHEN {inner} {self.order()} {constant()} THEN {constant()} ELSE {place} END",
        )

    def of_text(self) -> str:
        place, word = self.chance.choice(self.strings), self.word
        term = self.pick(place, f"lower({place})", f"upper({place})", f"trim({place})", f"{place} || 'a'")
        return self.one_of(
            lambda: f"{term} {self.order()} {word()}",
            lambda: f"{term} {self.order()} {self.pick(*self.strings)}",
            lambda: f"{term} LIKE {self.pick('a%', '%a', '%a%', '_', 'a_', '%', '')!r}",
            lambda: f"{place} RLIKE {self.pick('^a+$', '^a', 'b$', '^[0-9]+$')!r}",
            lambda: f"{term} {self.pick('IN', 'NOT IN')} ({word()}, {word()})",
            lambda: f"length({term}) {self.order()} {self.number(1)}",
            lambda: f"substring({term}, 1, {self.pick(0, 1, 2)}) {self.order()} {word()}",
            lambda: f"coalesce({place}, {word()}) {self.order()} {word()}",
            lambda: (
                f"CAST({place} AS {self.pick('BIGINT', 'DOUBLE', 'DECIMAL(5,2)')}) "
                f"{self.order()} {self.number()}"
            ),
            lambda: f"{place} IS {self.pick('', 'NOT ')}NULL",
            lambda: f"{place} IS NOT DISTINCT FROM {word()}",
        )

    def word(self) -> str:
        return repr(self.pick(*_TEXTS[:8]))

    def of_time(self) -> str:
        day, moment = self.pick(*_DAYS[:3]), self.pick(*_MOMENTS[:3])
        days, moments = f"DATE '{day}'", f"TIMESTAMP '{moment:%Y-%m-%d %H:%M:%S.%f}'"
        part = self.pick("year", "month", "day", "hour", "quarter")
        unit = self.pick("day", "month", "year", "hour", "week")
        return self.one_of(
            lambda: f"t {self.order()} {moments}",
            lambda: f"dt {self.order()} {days}",
            lambda: f"dt + {self.number()} {self.order()} {days}",
            lambda: f"CAST(t AS DATE) {self.order()} {days}",
            lambda: f"date_trunc('{unit}', t) {self.order()} {moments}",
            lambda: (
                f"t {self.pick('+', '-')} INTERVAL '{self.number(1)} {self.pick('day', 'hour')}' "
                f"{self.order()} {moments}"
            ),
            lambda: f"{part}(t) {self.order()} {self.pick(2024, 2, 3, 12, 23)}",
            lambda: f"{self.pick('year', 'month', 'day')}(dt) {self.order()} {self.pick(2024, 2, 3, 29)}",
            lambda: f"t {self.order()} dt",
            lambda: f"dt BETWEEN {days} AND {days}",
            lambda: f"dt IS {self.pick('', 'NOT ')}NULL",
        )

    def of_array(self) -> str:
        return self.one_of(
            lambda: f"exists(xs, x -> x {self.order()} {self.number()})",
            lambda: f"forall(xs, x -> x {self.order()} {self.number()})",
            lambda: f"exists(xs, x -> x + {self.number()} {self.order()} {self.number()})",
            lambda: f"array_contains(xs, {self.number()})",
            lambda: f"array_contains(ss, {self.pick(*_TEXTS[:5])!r})",
            lambda: f"exists(ss, x -> x LIKE {self.pick('a%', '%', '_')!r})",
            lambda: f"cardinality({self.pick('xs', 'ss')}) {self.order()} {self.number(1)}",
            lambda: f"element_at(xs, {self.pick(1, 2, -1)}) {self.order()} {self.number()}",
            lambda: f"{self.number()} {self.order()} {self.pick('ALL', 'ANY')} (xs)",
            lambda: f"{self.pick('xs', 'ss')} IS {self.pick('', 'NOT ')}NULL",
        )

    def of_other(self) -> str:
        return self.one_of(
            lambda: "p",
            lambda: f"p = {self.pick('TRUE', 'FALSE')}",
            lambda: f"p IS {self.pick('', 'NOT ')}{self.pick('TRUE', 'FALSE', 'NULL')}",
            lambda: f"m['k'] {self.order()} {self.pick(*_TEXTS[:6])!r}",
            lambda: (
                f"CAST(get_json_object(j, '$.n') AS {self.pick('BIGINT', 'DOUBLE')}) "
                f"{self.order()} {self.number()}"
            ),
            lambda: f"get_json_object(j, '$.s') {self.order()} {self.pick(*_TEXTS[:6])!r}",
            lambda: f"get_json_object(j, '$.n') IS {self.pick('', 'NOT ')}NULL",
            lambda: f"CASE WHEN p THEN {self.of_number()} ELSE {self.of_number()} END",
        )

    # --- rows

    def row(self) -> Row:
        texts = " ".join(self.written)
        row: Row = {}
        for name, kind in self.declared.items():
            if name in texts and self.chance.random() < 0.92:
                row[name] = self.value(kind)
        return row

    def value(self, kind: str) -> Any:
        number = self.chance.choice(self.near)
        makers: dict[str, Callable[[], Any]] = {
            "tinyint": lambda: self.whole(number, 7),
            "smallint": lambda: self.whole(number, 15),
            "int": lambda: self.whole(number, 31),
            "bigint": lambda: self.whole(number, 63),
            "float": lambda: self.pick(
                math.floor(number * 4) / 4 if abs(number) < 2**20 else 0.5, 0.0, -0.0, math.nan
            ),
            "double": lambda: float(number) if self.chance.random() < 0.8 else self.pick(*_DOUBLES),
            "decimal(5,2)": lambda: self.decimal(number, 3, 2),
            "decimal(4,0)": lambda: self.decimal(number, 4, 0),
            "decimal(38,20)": lambda: self.decimal(number, 18, 20),
            "string": self.text,
            "varchar(5)": lambda: self.text()[:5],
            "boolean": lambda: self.pick(True, False),
            "timestamp": self.moment,
            "date": self.day,
            "array<bigint>": lambda: [
                self.element(self.chance.choice(self.near)) for _ in range(self.chance.randrange(4))
            ],
            "array<string>": lambda: [
                self.pick(self.text(), None, "a") for _ in range(self.chance.randrange(4))
            ],
            "map<string, string>": lambda: self.pick({}, {"k": self.text()}, {"K": "a"}, {"k": None}),
            "struct<x: int, y: string>": lambda: self.pick(
                {}, {"x": self.whole(number, 31), "y": self.text()}, {"y": self.text()}
            ),
            "json": lambda: self.document(number),
        }
        return makers[kind]()

    def document(self, number: Any) -> Any:
        if self.chance.random() < 0.6:
            return {"n": self.pick(number, str(number), *_KINDS), "s": self.text()}
        return self.pick(*_KINDS)

    def whole(self, number: float, bits: int) -> int:
        value = math.floor(number) if self.chance.random() < 0.85 else self.pick(*_WHOLES)
        edge = 2**bits
        return value if -edge <= value < edge else self.pick(-edge, edge - 1, edge - 2)

    def element(self, number: float) -> int | None:
        return None if self.chance.random() < 0.1 else self.whole(number, 63)

    def decimal(self, number: float, digits: int, scale: int) -> Decimal:
        step = Decimal(1).scaleb(-scale)
        most = _EXACT.subtract(Decimal(10) ** digits, step)
        value = _EXACT.quantize(Decimal(number), step) if abs(number) < 10**digits - 1 else most
        near = _EXACT.add(value, self.pick(*[Decimal(0)] * 3, step, -step))
        return self.pick(most, _EXACT.minus(most)) if abs(near) > most else near

    def text(self) -> str:
        return self.pick(*_TEXTS, str(self.chance.choice(self.near)), "aa", "ba", "a\n", "7")

    def moment(self) -> datetime:
        moment = self.chance.choice(_MOMENTS)
        step = self.pick(
            timedelta(microseconds=1),
            timedelta(seconds=1),
            timedelta(hours=1),
            timedelta(days=1),
            timedelta(31),
        )
        if not 1 < moment.year < 9999:
            return moment
        return moment + self.pick(0, 0, 1, -1, 2, -2, int(self.chance.choice(self.near)) % 60) * step

    def day(self) -> date:
        day = self.chance.choice(_DAYS)
        if not 1 < day.year < 9999:
            return day
        return day + timedelta(days=self.pick(0, 0, 1, -1, 31, int(self.chance.choice(self.near)) % 1000))
