"""Candidate rows: the values at and around the constants of predicates, at every path that they read."""

import json
import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from predicat.forms.json_values import looked_up
from predicat.ir.column_forms import of_field
from predicat.ir.nodes import (
    NOW,
    Call,
    Field,
    FieldDecl,
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
from predicat.ir.surface import CONVERSIONS
from predicat.ir.types import (
    JSON,
    STRING,
    TIMESTAMP,
    Type,
)
from predicat.ir.value_sets import ValueSet
from predicat.ir.values import FIRST_NOW, LAST_NOW
from predicat.ir.widths import as_stored, fits
from predicat.proof.candidate_values import MOMENT, joined, near_values, piece, texts_of, typical_values
from predicat.proof.set_samples import samples, sets_of
from predicat.semantics.calendar import in_zone
from predicat.semantics.time_zones import moment_of

# A path in a row: the name of the field, then keys; -1 means every element of an array, and `_IN_TEXT` the
# JSON in a text.
Slot = tuple[str | int, ...]
EACH = -1
# The key below which the JSON in a text is, as long as a row is made.
_IN_TEXT = "\0json"
# The key of an object that stands for JSON null, as long as a row is made: None is a missing value.
_JSON_NULL = "\0null"
# Conversions that most strings fail: also try strings that convert.
_RARE_CONVERSIONS = frozenset(CONVERSIONS.values()) | {"to_decimal"}
_NOW = f":{NOW.name}"
# Texts that differ and have the same result.
_VARIANTS = {
    "lower": ["a", "A"],
    "upper": ["a", "A"],
    "trim": ["a", " a"],
    "ltrim": ["a", " a"],
    "rtrim": ["a", "a "],
}
# Parts of a moment, and the step from one to the next.
_STEPS = {"hour": timedelta(hours=1), "day_of_week": timedelta(days=1)}
# How many arguments are compared with each other, where not all are: not a kind, and not a replacement.
_COMPARED = {"json_is": 0, "regex_replace": 2}
# Operators that take JSON values of any kind.
_OF_ANY_KIND = frozenset({"json_is", "json_null", "json_size"})
_MAX = 40
# Texts for each constant that a converted text is compared with.
_MOST_CONVERTED = 10
# So many times are looked up in a zone.
_MOST_SHOWN = 8
_OTHER_WAY: Mapping[str, Callable[[datetime, str], datetime | None]] = {
    "in_zone": moment_of,
    "from_zone": lambda value, zone: in_zone(value, ZoneInfo(zone)),
}
_DIAGONALS = 3
_MAX_PIECES = 16


class CandidateRows:
    """Candidate values for every path that the predicates read, and rows with these values. Parameters are in
    rows as `:name`.
    """

    def __init__(self, nodes: Iterable[Node]) -> None:
        self.values: dict[Slot, list[Any]] = {}
        self.kinds: dict[Slot, Type] = {}
        # The fields; of one that is declared narrower than its type all values fit its column.
        self.columns: dict[Slot, FieldDecl] = {}
        # Texts that are read as what a value of another type is compared with.
        self.converted: dict[Slot, dict[Any, None]] = {}
        # Texts that parts of a value are compared with.
        self.pieces: dict[Slot, dict[str, None]] = {}
        self.parameters: set[str] = set()
        # Places of JSON numbers: JSON has no NaN and no infinity.
        self.documents: set[Slot] = set()
        nodes = tuple(nodes)
        # Long lists that values are looked up in.
        self.sets = sets_of(nodes)
        for node in nodes:
            self._visit(node, {})
        self._in_zones(part for node in nodes for part in walk(node))
        for slot, pieces in self.pieces.items():
            self.values[slot][_DIAGONALS:_DIAGONALS] = joined(list(pieces)[:_MAX_PIECES])
        for slot in self.values:
            typical = typical_values(self.kinds[slot], self.columns.get(slot))
            values = self._stored(slot, [*self.converted.get(slot, ()), *self.values[slot], *typical])
            finite = [value for value in values if not isinstance(value, float) or math.isfinite(value)]
            self.values[slot] = _distinct(finite if slot in self.documents else values)[:_MAX]

    def _stored(self, slot: Slot, values: list[Any]) -> list[Any]:
        """Values as the column of a field holds them, without those that it cannot hold."""
        decl = self.columns.get(slot)
        if decl is None or not decl.stored:
            return values
        return [as_stored(value, decl) for value in values if fits(value, decl)]

    def _in_zones(self, parts: Iterable[Node]) -> None:
        """Add the timestamps at which local time in a zone equals a constant of a comparison, and the local
        times of constants.
        """
        result: dict[Slot, list[Any]] = {}
        for part in parts:
            match part:
                case Call(op=op, args=(moment, Literal(value=str(zone)))) if op in _OTHER_WAY:
                    slot = _slot(moment, {})
                case _:
                    continue
            if slot is not None and self.kinds.get(slot) == TIMESTAMP:
                values = [*self.values[slot][:_MOST_SHOWN], *typical_values(TIMESTAMP)]
                shown = [value for value in values if isinstance(value, datetime)]
                result.setdefault(slot, []).extend(_OTHER_WAY[op](value, zone) for value in shown)
        for slot, moments in result.items():
            self.values[slot] = [*(one for one in moments if one is not None), *self.values[slot]]

    # --- where constants meet places

    def _visit(self, node: Node, env: dict[str, Slot]) -> set[Slot]:
        """The paths that a node reads. The constants of their comparisons become candidate values.

        `env` has the paths of bound variables.
        """
        slot = _slot(node, env)
        if slot is not None:
            self._read(node, slot, env)
            return {slot}
        match node:
            case Literal():
                return set()
            case Quantifier():
                return self._visit_quantifier(node, env)
            case Call():
                return self._visit_call(node, env)
            case _:
                return set[Slot]().union(*(self._visit(child, env) for child in children(node)))

    def _read(self, node: Node, slot: Slot, env: dict[str, Slot]) -> None:
        """Register a path that a node reads, with its type."""
        if isinstance(node, Parameter):
            self.parameters.add(f":{node.decl.name}")
        if isinstance(node, Field):
            self.columns[slot] = node.decl
        elif (form := of_field(node)) is not None:
            self.columns[slot] = FieldDecl("", node.type, stored=form.shown)
        is_any = isinstance(node, Call) and node.op in _OF_ANY_KIND
        self._add(slot, JSON if is_any else node.type)
        if isinstance(node, Call) and node.op == "json_number":
            self.documents.add(slot)
        if isinstance(node, Call) and node.op == "json_null":
            self.values[slot].append({_JSON_NULL: None})
        self._keys(node, env)

    def _visit_quantifier(self, node: Quantifier, env: dict[str, Slot]) -> set[Slot]:
        source = _slot(ranged_over(node.source), env)
        if source is None:
            return self._visit(node.source, env) | self._visit(node.body, env)
        self._add(source, node.source.type)
        return {source} | self._visit(node.body, {**env, node.variable: (*source, EACH)})

    def _visit_call(self, node: Call, env: dict[str, Slot]) -> set[Slot]:
        summed = _slot(node.args[0], env) if node.op == "sum" else None
        if summed is not None:  # what the sum is compared with is near some elements
            self._add(summed, node.args[0].type)
            self._add((*summed, EACH), node.type)
            return {(*summed, EACH)}
        places = set[Slot]().union(*[self._visit(arg, env) for arg in node.args])
        if node.op in ("contains", "like"):
            for place in places:
                self.pieces.setdefault(place, {}).update(dict.fromkeys(piece(node)))
        typical = typical_values(node.type) if node.op in _RARE_CONVERSIONS else ()
        for constant in (*_constants(node, self.sets), *typical):
            self._convert(node, constant, places)
            for place in places:
                for value in near_values(node.op, constant, self.kinds[place]):
                    if value not in self.values[place] or isinstance(value, bool):
                        self.values[place].append(value)
        for place in places:
            self.values[place] += _of_operator(node, self.kinds[place])
        if node.op not in ("and", "or", "not", "cond") and len(places) > 1:
            self._exchange(places)
        return places

    def _convert(self, node: Call, constant: Any, places: set[Slot]) -> None:
        """Add candidates for a string that is converted and then compared: strings that convert to the
        constant or its neighbours.
        """
        if node.op not in COMPARISONS or isinstance(constant, str | bool):
            return
        if any(isinstance(part, Call) and part.op in _RARE_CONVERSIONS for part in walk(node)):
            for place in places:
                if self.kinds[place] == STRING:
                    self.converted.setdefault(place, {}).update(
                        dict.fromkeys(texts_of(node.op, constant)[:_MOST_CONVERTED])
                    )

    def _keys(self, node: Node, env: dict[str, Slot]) -> None:
        """If the key of a lookup is read from the row, add the keys with a value as its candidates."""
        while isinstance(node, Call):
            slot = _slot(node, env)
            for arg in node.args[1:]:
                for place in self._visit(arg, env):
                    self.values[place] += near_values("eq", slot[-1], self.kinds[place]) if slot else []
            node = node.args[0]

    def _exchange(self, places: set[Slot]) -> None:
        """Share the candidate values of paths that are compared with each other."""
        for one in places:
            for other in places:
                kind = self.kinds[one]
                if one != other and kind == self.kinds[other]:
                    self.values[one] += [
                        value
                        for value in self.values[other]
                        if value not in self.values[one] and fits(value, FieldDecl("", kind))
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
        """`count` rows: first an empty one, then the most likely values of all paths, then one value at a
        time, then random mixtures. The same seed gives the same rows.
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
    """A value with each marked part replaced by its JSON text."""
    if isinstance(value, list):
        return [_with_texts(item) for item in value]
    if not isinstance(value, dict):
        return value
    if _JSON_NULL in value:
        return None
    if _IN_TEXT in value:
        return json.dumps(_with_texts(value[_IN_TEXT]), default=str)
    return {key: _with_texts(item) for key, item in value.items()}


def _empty(key: str | int) -> Any:
    """An empty collection for a key: a list for an integer, otherwise a mapping."""
    return [] if isinstance(key, int) else {}


def _makes_room(holder: Any, key: str | int) -> bool:
    """Add a key without a value to a mapping or list. Returns False if that is not possible."""
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
        case Call(op="json_null", args=(base, step)):
            return _slot(looked_up(base, step), env)
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


def _of_operator(node: Call, kind: Type) -> list[Any]:
    """Values for which an operator has special results."""
    step = _STEPS.get(node.op)
    if step is not None and len(node.args) > 1 and kind == TIMESTAMP:
        # Part of a timestamp in a time zone: try a day of steps instead of solving for the timestamp.
        return [MOMENT + number * step for number in range(24)]
    return _VARIANTS.get(node.op, []) if kind in (STRING, JSON) else []


def _constants(node: Call, sets: tuple[ValueSet, ...]) -> Iterator[Any]:
    """The constants that the arguments of a call are compared with."""
    compared = _COMPARED.get(node.op, len(node.args))
    for arg in node.args[:compared]:
        for part in arg.items if isinstance(arg, Items) else (arg,):
            if isinstance(part, Literal) and isinstance(part.value, ValueSet):
                yield from samples(part.value, sets)
            elif isinstance(part, Literal) and part.value is not None:
                yield part.value
            elif isinstance(part, Call) and part.op == "neg" and isinstance(part.args[0], Literal):
                yield part.args[0].value


def _distinct(values: Sequence[Any]) -> list[Any]:
    result: dict[str, Any] = {}
    for value in values:
        result.setdefault(f"{type(value).__name__} {value!r}", value)
    return list(result.values())
