"""Candidate rows: the values at and around the constants of predicates, at every path that they read."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

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
    ranged_over,
    walk,
)
from predicat.ir.operators import BY_PLACE, COMPARISONS, JSON_READS, LOOK_UPS
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
    Type,
)
from predicat.ir.value_sets import ValueSet
from predicat.ir.values import EXACT, FIRST_NOW, INT_MAX, INT_MIN, LAST_NOW, RowError, seconds, to_value
from predicat.review.set_samples import samples, sets_of
from predicat.semantics import like, regex
from predicat.semantics.time_zones import moment_of

Slot = tuple[str | int, ...]
"""A path in a row: the name of the field, then keys; -1 means every element of an array, and `_IN_TEXT` the
JSON in a text.
"""
EACH = -1
_IN_TEXT = "\0json"
"""The key below which the JSON in a text is, as long as a row is made."""
_RARE_CONVERSIONS = ("to_timestamp", "to_date", "to_duration", "to_int", "to_double", "to_decimal")
"""Conversions that most strings fail: also try strings that convert."""
_NOW = f":{NOW.name}"
_MOMENT = datetime(2024, 3, 15, 10, 30, tzinfo=UTC)
_VARIANTS = {
    "lower": ["a", "A"],
    "upper": ["a", "A"],
    "trim": ["a", " a"],
    "ltrim": ["a", " a"],
    "rtrim": ["a", "a "],
}
"""Texts that differ and have the same result."""
_OF_ANY_KIND = frozenset({"json_is", "json_size"})
"""Operators that take JSON values of any kind."""
_ARRAYS = "arrays have an element only where a macro or an index asks for one"
NOT_TRIED = {
    **dict.fromkeys(
        ("array_eq", "array_max", "array_min", "array_position", "join", "json_size", "size", "sum"), _ARRAYS
    ),
    "entry_filter": "Python code is not run",
    "format_time": "the time of a text is not looked up",
    "to_boolean": "texts that are truth values are not among the usual ones",
}
"""Operators for whose values no row is made, and why. The solver or the tests of a filter must find these
rows.
"""
_MAX = 40
_MOST_CONVERTED = 10
"""Texts for each constant that a converted text is compared with."""
_MOST_SHOWN = 8
"""So many times are looked up in a zone."""
_DIAGONALS = 3
_MAX_PIECES = 16
_FIRST_STEP = {"gt": 1, "lt": -1, "ne": 1}
"""The step from a constant to a value that makes a comparison TRUE. It is tried first, because most
conditions are part of an AND.
"""


class CandidateRows:
    """Candidate values for every path that some predicates read, and rows made of them. Parameters are in
    rows as `:name`.
    """

    def __init__(self, nodes: Iterable[Node]) -> None:
        self.values: dict[Slot, list[Any]] = {}
        self.kinds: dict[Slot, Type] = {}
        self.converted: dict[Slot, dict[Any, None]] = {}
        """Texts that are read as what a value of another type is compared with."""
        self.pieces: dict[Slot, dict[str, None]] = {}
        """Texts that parts of a value are compared with."""
        self.parameters: set[str] = set()
        self.documents: set[Slot] = set()
        """Places of JSON numbers: JSON has no NaN and no infinity."""
        nodes = tuple(nodes)
        self.sets = sets_of(nodes)
        """Long lists that values are looked up in."""
        for node in nodes:
            self._visit(node, {})
        self._in_zones(part for node in nodes for part in walk(node))
        for slot, pieces in self.pieces.items():
            self.values[slot][_DIAGONALS:_DIAGONALS] = _joined(list(pieces)[:_MAX_PIECES])
        for slot in self.values:
            values = [*self.converted.get(slot, ()), *self.values[slot], *_typical_values(self.kinds[slot])]
            finite = [value for value in values if not isinstance(value, float) or math.isfinite(value)]
            self.values[slot] = _distinct(finite if slot in self.documents else values)[:_MAX]

    def _in_zones(self, parts: Iterable[Node]) -> None:
        """Moments at which clocks in a zone show a time that is compared with."""
        found: dict[Slot, list[Any]] = {}
        for part in parts:
            match part:
                case Call(op="in_zone", args=(moment, Literal(value=str(zone)))):
                    slot = _slot(moment, {})
                case _:
                    continue
            if slot is not None and self.kinds.get(slot) == TIMESTAMP:
                shown = [value for value in self.values[slot] if isinstance(value, datetime)][:_MOST_SHOWN]
                found.setdefault(slot, []).extend(moment_of(value, zone) for value in shown)
        for slot, moments in found.items():
            self.values[slot] = [*(one for one in moments if one is not None), *self.values[slot]]

    # --- where constants meet places

    def _visit(self, node: Node, env: dict[str, Slot]) -> set[Slot]:
        """The paths that a node reads. Constants that they are compared with become candidate values."""
        if isinstance(node, Literal):
            return set()
        slot = _slot(node, env)
        if slot is not None:
            if isinstance(node, Parameter):
                self.parameters.add(f":{node.decl.name}")
            asked = isinstance(node, Call) and node.op in _OF_ANY_KIND
            self._add(slot, JSON if asked else node.type)
            if isinstance(node, Call) and node.op == "json_number":
                self.documents.add(slot)
            self._keys(node, env)
            return {slot}
        if isinstance(node, Quantifier):
            source = _slot(ranged_over(node.source), env)
            inner = env
            if source is not None:
                self._add(source, node.source.type)
                inner = {**env, node.variable: (*source, EACH)}
            return (
                (self._visit(node.source, env) | self._visit(node.body, inner))
                if source is None
                else {source} | self._visit(node.body, inner)
            )
        result = [self._visit(child, env) for child in children(node)]
        places = set[Slot]().union(*result)
        if isinstance(node, Call):
            for place in places if node.op in ("contains", "like") else ():
                self.pieces.setdefault(place, {}).update(dict.fromkeys(_piece(node)))
            for constant in (
                *_constants(node, self.sets),
                *(_typical_values(node.type) if node.op in _RARE_CONVERSIONS else ()),
            ):
                self._convert(node, constant, places)
                for place in places:
                    for value in _near(node.op, constant, self.kinds[place]):
                        if value not in self.values[place] or isinstance(value, bool):
                            self.values[place].append(value)
            if (
                node.op in ("hour", "day_of_week") and len(node.args) > 1
            ):  # in a time zone: which moment has an hour there is not looked up
                step = timedelta(hours=1) if node.op == "hour" else timedelta(days=1)
                for place in places:
                    self.values[place] += (
                        []
                        if self.kinds[place] != TIMESTAMP
                        else [_MOMENT + number * step for number in range(24)]
                    )
            for place in places if node.op in _VARIANTS else ():
                self.values[place] += [] if self.kinds[place] not in (STRING, JSON) else _VARIANTS[node.op]
            if node.op not in ("and", "or", "not", "cond") and len(places) > 1:
                self._exchange(places)
        return places

    def _convert(self, node: Call, constant: Any, places: set[Slot]) -> None:
        """A comparison of what is read from a text: texts that are read as the constant, or as its
        neighbours.
        """
        if node.op not in COMPARISONS or isinstance(constant, str | bool):
            return
        if any(isinstance(part, Call) and part.op in _RARE_CONVERSIONS for part in walk(node)):
            for place in places:
                if self.kinds[place] == STRING:
                    self.converted.setdefault(place, {}).update(
                        dict.fromkeys(_texts_of(node.op, constant)[:_MOST_CONVERTED])
                    )

    def _keys(self, node: Node, env: dict[str, Slot]) -> None:
        """If the row contains the key of a look-up, candidates for it are the keys that lead to a value."""
        while isinstance(node, Call):
            slot = _slot(node, env)
            for arg in node.args[1:]:
                for place in self._visit(arg, env):
                    self.values[place] += _near("eq", slot[-1], self.kinds[place]) if slot else []
            node = node.args[0]

    def _exchange(self, places: set[Slot]) -> None:
        """Paths that are compared with each other share their candidate values."""
        for one in places:
            for other in places:
                kind = self.kinds[one]
                if one != other and kind == self.kinds[other]:
                    self.values[one] += [
                        value
                        for value in self.values[other]
                        if value not in self.values[one] and _fits(value, kind)
                    ]

    def _add(self, slot: Slot, kind: Type) -> None:
        self.values.setdefault(slot, [])
        if slot not in self.kinds or self.kinds[slot] == JSON:
            self.kinds[slot] = kind

    # --- rows

    def rows(self, count: int, seed: int = 0) -> Iterator[dict[str, Any]]:
        """At most `count` rows. Each has a value for every parameter, never NaN."""
        for row in self._mixed(count, seed):
            given = all(row.get(name) is not None and row[name] == row[name] for name in self.parameters)
            if given and FIRST_NOW <= row.get(_NOW, FIRST_NOW) <= LAST_NOW:
                yield row

    def _mixed(self, count: int, seed: int) -> Iterator[dict[str, Any]]:
        """`count` rows: first one without values, then the likeliest values of all paths, then one value at a
        time, then mixtures. The same for the same seed.
        """
        chance = random.Random(seed)  # noqa: S311  # no secret
        slots = list(self.values)
        yield {}
        for place in range(_DIAGONALS):
            yield self._row(
                {slot: values[place % len(values)] for slot, values in self.values.items() if values}, chance
            )
        made = 1 + _DIAGONALS
        for slot in slots:
            for value in self.values[slot][:8]:
                if made < count // 3:
                    yield self._row({slot: value}, chance)
                    made += 1
        while made < count and slots:
            yield self._row({slot: self._pick(slot, chance) for slot in slots}, chance)
            made += 1

    def _pick(self, slot: Slot, chance: random.Random) -> Any:
        return (
            None
            if chance.random() < 0.12
            else chance.choice(self.values[slot])
            if self.values[slot]
            else None
        )

    def _row(self, chosen: dict[Slot, Any], chance: random.Random) -> dict[str, Any]:
        row: dict[str, Any] = {}
        for slot in sorted(chosen, key=len):
            if chosen[slot] is not None:
                self._put(row, slot, copy(chosen[slot]), chance)  # lists are filled later, each on its own
        return {name: _with_texts(value) for name, value in row.items()}

    def _put(self, row: dict[str, Any], slot: Slot, value: Any, chance: random.Random) -> None:
        holder: Any = row
        for index, key in enumerate(slot):
            last = index == len(slot) - 1
            if key == EACH:
                if not isinstance(holder, list):
                    return
                if not holder:
                    holder.append(value if last else _empty(slot[index + 1]))
                if last:
                    holder[:] = [copy(self._pick(slot, chance)) for _ in range(chance.randrange(3))] + [value]
                    return
                holder = holder[-1]
                continue
            if not _makes_room(holder, key):
                return
            if last:
                holder[key] = value
                return
            empty = _empty(slot[index + 1])
            held = holder[key]
            if not isinstance(held, type(empty)):
                holder[key] = empty
            holder = holder[key]


def _with_texts(value: Any) -> Any:
    """A value in which what is JSON in a text is that text."""
    if isinstance(value, list):
        return [_with_texts(item) for item in value]
    if not isinstance(value, dict):
        return value
    if _IN_TEXT in value:
        return json.dumps(_with_texts(value[_IN_TEXT]), default=str)
    return {key: _with_texts(item) for key, item in value.items()}


def _empty(key: str | int) -> Any:
    """An empty collection that can have a key."""
    return [] if isinstance(key, int) else {}


def _fits(value: Any, kind: Type) -> bool:
    """Whether a type can have a value (the value of a JSON path may be of another type)."""
    try:
        to_value(value, kind)
    except RowError:
        return False
    return True


def _makes_room(holder: Any, key: str | int) -> bool:
    """Whether a mapping or list can have a key; a list is made long enough."""
    if isinstance(key, int) and isinstance(holder, list):
        holder.extend([None] * (key + 1 - len(holder)))
        return True
    if not isinstance(holder, dict):
        return False
    holder.setdefault(key, None)
    return True


def _slot(node: Node, env: dict[str, Slot]) -> Slot | None:
    match node:
        case Field():
            return (node.decl.name,)
        case Parameter():
            return (f":{node.decl.name}",)
        case Variable():
            return env.get(node.name)
        case Call(op=op) if op in LOOK_UPS:
            pass
        case Call(op="json_values"):
            return (
                _slot(node.args[0], env)
                if len(node.args) == 1
                else _slot(Call(JSON, "json_get", node.args), env)
            )
        case Call(op=op) if op in JSON_READS or op in _OF_ANY_KIND:
            return _slot(node.args[0], env)
        case Call(op="parse_json"):
            text = _slot(node.args[0], env)
            return None if text is None else (*text, _IN_TEXT)
        case _:
            return None
    inner, key = _slot(node.args[0], env), node.args[1]
    if inner is None:
        return None
    if not isinstance(key, Literal):
        return (*inner, 0 if node.op in BY_PLACE else "k")
    usable = isinstance(key.value, str) or (isinstance(key.value, int) and 0 <= key.value < _MAX)
    return (*inner, key.value) if usable and isinstance(key.value, str | int) else None


def _constants(node: Call, sets: tuple[ValueSet, ...]) -> Iterator[Any]:
    for arg in node.args if node.op != "json_is" else ():
        for part in arg.items if isinstance(arg, Items) else (arg,):
            if isinstance(part, Literal) and isinstance(part.value, ValueSet):
                yield from samples(part.value, sets)
            elif isinstance(part, Literal) and part.value is not None:
                yield part.value
            elif isinstance(part, Call) and part.op == "neg" and isinstance(part.args[0], Literal):
                yield part.args[0].value


def _near(op: str, constant: Any, kind: Type) -> list[Any]:
    """A constant and its neighbours, as values of a type."""
    match constant:
        case bool():
            return [constant] if kind in (BOOLEAN, JSON) else []
        case str():
            return _texts(op, constant, kind)
        case int() | float() | Decimal():
            return _numbers(op, constant, kind)
        case datetime():
            near = (
                _near_moment(op, constant, timedelta(microseconds=1))
                if 1 < constant.year < 9999
                else [constant]
            )
            if kind in (STRING, JSON):
                return [item.isoformat().replace("+00:00", "Z") for item in near]
            return near if kind == TIMESTAMP else [item.date() for item in near] if kind == DATE else []
        case date():
            near_days = (
                _near_moment(op, constant, timedelta(days=1)) if 1 < constant.year < 9999 else [constant]
            )
            if kind in (STRING, JSON):
                return [day.isoformat() for day in near_days]
            if kind == TIMESTAMP:
                return [datetime(day.year, day.month, day.day, tzinfo=UTC) for day in near_days]
            return near_days if kind == DATE else []
        case timedelta():
            return _lengths(op, constant, kind)
        case _:
            return []


def _near_moment(op: str, constant: Any, step: timedelta) -> list[Any]:
    return [constant + _FIRST_STEP.get(op, 0) * step, constant, constant + step, constant - step]


def _lengths(op: str, constant: timedelta, kind: Type) -> list[Any]:
    """Texts of durations; or moments as far from each other."""
    near = _near_moment(op, constant, timedelta(microseconds=1))
    if kind in (STRING, JSON):
        return [seconds(item) for item in near]
    base = datetime(2024, 3, 15, 10, 30, tzinfo=UTC)
    return (
        [base, base + near[0], base - near[0]]
        if kind == TIMESTAMP and abs(constant) < timedelta(days=365_000)
        else []
    )


def _texts(op: str, constant: str, kind: Type) -> list[Any]:
    if kind not in (STRING, JSON):
        return []
    if op in ("like", "like_ci"):
        base = "".join("" if part is None else part or "x" for part in like.parts(constant))
        full = "".join("xy" if part is None else part or "x" for part in like.parts(constant))
        return [base, full, base + "x", "x" + base, base.upper(), base[:-1]]
    if op in ("matches", "regex_extract", "regex_replace"):
        base = _sample(regex.parse(constant))
        return [base, f"x{base}x", base[:-1], base + base, base.upper(), base + "\n"]
    first = [constant + "x"] if op in ("ne", "gt") else []
    return [
        *first,
        constant,
        constant + "x",
        "x" + constant,
        constant.upper(),
        constant.lower(),
        f" {constant}",
        constant[:-1],
    ]


def _sample(node: regex.Regex) -> str:
    """A text that a pattern matches, assertions aside."""
    match node:
        case regex.Chars(ranges):
            return next(
                (char for low, high in ranges for char in "aA0 -" if low <= ord(char) <= high),
                chr(ranges[0][0]),
            )
        case regex.Seq(parts):
            return "".join(map(_sample, parts))
        case regex.Alt(parts):
            return _sample(parts[0])
        case regex.Repeat(part, low, _):
            return _sample(part) * max(low, 1)
        case regex.Assert():
            return ""


def _numbers(op: str, constant: float | Decimal, kind: Type) -> list[Any]:
    whole = int(constant) if -(2**63) < constant < 2**63 else 0  # NaN too is no whole number
    if kind == BIGINT:
        first = whole + _FIRST_STEP.get(op, 0)
        return [
            value
            for value in dict.fromkeys((first, whole, whole + 1, whole - 1))
            if INT_MIN <= value <= INT_MAX
        ]
    if kind == DOUBLE:
        exact = float(constant)
        return [exact + _FIRST_STEP.get(op, 0), exact, exact + 1, exact - 0.5, exact - 1]
    if isinstance(kind, DecimalType):
        step, most = Decimal(1).scaleb(-kind.scale), 10 ** (kind.precision - kind.scale)
        base = Decimal(str(constant)).quantize(step, context=EXACT) if -most < constant < most else Decimal(0)
        return [
            value
            for value in (base, EXACT.add(base, step), EXACT.subtract(base, step))
            if -most < value < most
        ]
    if kind == JSON:
        return [
            whole if whole == constant else float(constant),
            float(constant) + 1,
            float(constant) - 1,
            str(whole),
        ]
    if kind == STRING:
        return [
            str(whole),
            str(whole + 1),
            f"{whole}.0",
            f"{whole}.5",
            *(["x" * whole, "x" * (whole + 1)] if 0 <= whole < 50 else []),
        ]
    if kind in (TIMESTAMP, DATE):
        return _moments(op, whole, kind)
    return []


def _texts_of(op: str, constant: Any) -> list[str]:
    """Texts that are read as a constant, or as its neighbours. Some are below or above others of the same
    value.
    """
    match constant:
        case int() | float() | Decimal():
            whole = int(constant) if -(2**63) < constant < 2**63 else 0
            near = whole + _FIRST_STEP.get(op, 0)
            numbers: list[Any] = [near, whole, whole + 1, whole - 1]
            if isinstance(constant, float) and constant != whole:
                numbers[1:1] = [constant, *(math.nextafter(constant, end) for end in (math.inf, -math.inf))]
            plain = [str(number) for number in dict.fromkeys(numbers)]
            longer = f"1{'0' * len(str(abs(whole)))}"
            return [*plain, f"0{abs(near)}", longer, f"-{longer}", f"0{abs(whole)}", f"{whole}.5"]
        case datetime():
            moments = (
                _near_moment(op, constant, timedelta(microseconds=1))
                if 1 < constant.year < 9999
                else [constant]
            )
            texts = [moment.astimezone(UTC).isoformat().removesuffix("+00:00") for moment in moments]
            return [text for one in texts for text in (f"{one}Z", one.replace("T", " "))]
        case date():
            days = _near_moment(op, constant, timedelta(days=1)) if 1 < constant.year < 9999 else [constant]
            return [text for day in days for text in (f"{day}", f"{day} 00:00:00")]
        case _:
            return []


def _moments(op: str, number: int, kind: Type) -> list[Any]:
    base = datetime(2024, 3, 15, 10, 30, 20, tzinfo=UTC)
    result = []
    for near in (number, number - 1, number + 1):
        name = op if op in ("year", "month", "day", "hour", "minute", "second") else None
        for unit in [name] if name else ("year", "month", "day", "hour", "minute", "second"):
            try:
                result.append(base.replace(**{unit: near}))  # type: ignore[arg-type]  # a unit and a number
            except (ValueError, OverflowError):
                continue
    return [item.date() for item in result] if kind == DATE else result


_MOST_STEPS = 250_000


def is_affordable(row: Mapping[str, Any], nodes: Iterable[Node]) -> bool:
    """Whether a row can be evaluated quickly: nested macros read the elements of a long array many times."""
    longest = max(map(_longest, row.values()), default=0)
    return longest < 100 or all(longest ** _nesting(node) <= _MOST_STEPS for node in nodes)


def _longest(value: Any) -> int:
    return max([len(value), *map(_longest, value)]) if isinstance(value, list) else 0


def _nesting(node: Node) -> int:
    """The depth of nested macros."""
    return (1 if isinstance(node, Quantifier) else 0) + max(map(_nesting, children(node)), default=0)


def _typical_values(kind: Type) -> list[Any]:
    """Values that many rules forget."""
    if kind == STRING:
        return ["", "a", "x"]
    if kind == BIGINT:
        return [0, 1, -1, INT_MAX, INT_MIN]
    if kind == DOUBLE:
        return [0.0, 1.5, -1.0, float("nan"), float("inf"), float("-inf")]
    if kind == BOOLEAN:
        return [True, False]
    if kind == TIMESTAMP:
        return [
            datetime(2024, 3, 15, 10, 30, tzinfo=UTC),
            datetime(1970, 1, 1, tzinfo=UTC),
            datetime(2024, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
        ]
    if kind == DATE:
        return [date(2024, 3, 15), date(1970, 1, 1)]
    if kind == DURATION:
        return [timedelta(minutes=90), timedelta(seconds=-1)]
    if isinstance(kind, DecimalType):
        return [Decimal(0), Decimal(1).scaleb(-kind.scale)]
    if kind == JSON:
        return ["a", 1, True, {}, []]
    return [[]] if isinstance(kind, ArrayType) else [{}]


def _piece(node: Call) -> Iterator[str]:
    """The constant text that a test looks for in another one."""
    constant = node.args[1]
    if isinstance(constant, Literal) and isinstance(constant.value, str):
        parts = like.parts(constant.value) if node.op == "like" else [constant.value]
        yield "".join("" if part is None else part or "x" for part in parts)


def _joined(pieces: list[str]) -> list[str]:
    """Each text, all of them together, and all but one."""
    if len(pieces) < 2:
        return []
    others = ("".join(piece for piece in pieces if piece != other) for other in pieces)
    return [*pieces, "".join(pieces), *others]


def _distinct(values: Sequence[Any]) -> list[Any]:
    result: dict[str, Any] = {}
    for value in values:
        result.setdefault(f"{type(value).__name__} {value!r}", value)
    return list(result.values())
