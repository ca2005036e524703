"""The common part of Amazon SNS policies and Amazon EventBridge patterns: keys, and their required values.

Every key must match; a key matches if one of its values does. A message has one value at a key, or several in
an array or in nested arrays. Nested keys must match together, in the same element of an array. A key that
must not exist (`{"exists": false}`) must be missing in the elements that the keys before it, in the order of
their names, have selected; if none has selected one yet, in all of them. `exists` tests for values other than
objects. Source: the Event Ruler, which both services use (https://github.com/aws/event-ruler).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from predicat.diagnostics import PredicatError, Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import policies as say
from predicat.ir import syntax as t
from predicat.ir.types import JSON, STRING, ArrayType, MapType, StructType, Type
from predicat.language.common import jsontext
from predicat.language.common.body import Body
from predicat.language.common.data import Stop
from predicat.language.common.policy_values import Flavor, ValueReader, is_absence
from predicat.language.common.trees import all_of, any_of, apply, decided, negated, present

MAX_DEPTH = 10
# How many policies without `$or` a policy may be expanded to.
_MAX_WAYS = 200
_MAX_POINTS = 3


class Key(Struct, frozen=True, gc=False):
    """A key of a policy with its values, its nested keys or, for `$or`, the alternative policies."""

    name: str
    span: Span
    values: tuple[Any, ...] = ()
    inner: tuple[Key, ...] = ()
    options: tuple[tuple[Key, ...], ...] = ()


class KeyedValue(Struct, frozen=True, gc=False):
    """The value of a key, and its type. `values` reads a JSON value as one or several values."""

    tree: t.Tree
    kind: Type
    values: t.Tree | None = None


def properties(value: Any, *types: str) -> Any:
    """The properties of a CloudFormation or SAM resource of one of the types; anything else unchanged."""
    if (
        isinstance(value, Mapping)
        and value.get("Type") in types
        and isinstance(value.get("Properties"), Mapping)
    ):
        return value["Properties"]
    return value


class PolicyReader(ValueReader):
    """Reads a policy of one of the services."""

    def __init__(self, body: Body, flavor: Flavor) -> None:
        super().__init__(body, flavor)
        self.body = body

    def loaded(self, most: int) -> Any:
        """The data of the body. Raises Stop."""
        return self.from_text(self.body.value, most)

    def from_text(self, value: Any, most: int) -> Any:
        """The data of a JSON text; other data unchanged. Raises Stop."""
        if not isinstance(value, str):
            return value
        if len(value) > most:
            raise self.fail(msg.too_large(self.span(value), len(value), most))
        try:
            return jsontext.read(value, self.body.source, self.span(value), self.flavor.what)
        except PredicatError as error:
            self.reporter.extend(error.diagnostics)
            raise Stop from None

    def policy(self, entries: Mapping[str, Any]) -> t.Tree:
        """The tree of a policy: all keys of a level have to match. Raises Stop; problems of values are
        reported together.
        """
        try:
            keys = self.keys(entries, 0)
        except Stop:
            self.values_of(entries)
            raise
        if any(map(_needs_own_policies, _within(keys))) or _overlap(keys):
            ways = self.ways(keys)
            return any_of(self.many(ways, lambda way: self.level(way, None, 0)), keys[0].span)
        return self.level(keys, None, 0)

    # --- keys

    def keys(self, entries: Mapping[str, Any], depth: int, *, option: bool = False) -> tuple[Key, ...]:
        """The keys of a policy, or of a part of one."""
        if depth > MAX_DEPTH:
            raise self.fail(msg.too_deep(self.span(entries), MAX_DEPTH))
        keys: list[Key] = []
        for name, value in entries.items():
            try:
                keys.append(
                    self.one_key(str(name), self.key_span(entries, name), value, depth, option=option)
                )
            except Stop:
                continue
        if len(keys) < len(entries):
            raise Stop
        return tuple(keys)

    def values_of(self, part: Any, depth: int = 0) -> None:
        """Reports what is wrong with the values of the keys that can be read, down to the greatest depth."""
        if depth > MAX_DEPTH:
            return
        for name, value in part.items() if isinstance(part, Mapping) else ():
            inner = (
                value
                if name == "$or" and isinstance(value, list)
                else [value]
                if isinstance(value, Mapping)
                else []
            )
            for one in inner:
                self.values_of(one, depth + 1)
            for one in value if isinstance(value, list) and not inner else ():
                with suppress(Stop):
                    self.test(one)

    def one_key(self, name: str, place: Span, value: Any, depth: int, *, option: bool) -> Key:
        """A key with its values, the keys below it, or the options of `$or`."""
        if name == "$or":
            options = [
                self.keys(self.filled(one, "$or"), depth + 1, option=True)
                for one in self.listed(value, "$or", 2)
            ]
            return Key(name, place, options=tuple(options))
        if option and name in self.flavor.reserved:
            raise self.fail(say.operator_in_or(place, name))
        if isinstance(value, Mapping):
            if not self.nested:
                raise self.bad(value, name, say.keys_inside_attributes())
            return Key(name, place, inner=self.keys(self.filled(value, name), depth + 1, option=option))
        if self.nested and name.count(".") > _MAX_POINTS:
            raise self.fail(say.points_in_name(place, name, _MAX_POINTS))
        return Key(name, place, values=tuple(self.listed(value, say.values_of(name))))

    def filled(self, value: Any, what: str) -> Mapping[str, Any]:
        """A mapping with at least one key. Raises Stop for anything else."""
        policy = self.mapping(value, what)
        if not policy:
            raise self.bad(value, what, say.no_key())
        return policy

    def ways(self, keys: tuple[Key, ...]) -> list[tuple[Key, ...]]:
        """The policies without `$or` that keys are expanded to: one of them matches wherever the keys do."""
        combinations: list[tuple[Key, ...]] = [()]
        for key in keys:
            if key.options:
                chosen = [one for option in key.options for one in self.ways(option)]
            else:
                chosen = (
                    [(replace(key, inner=one),) for one in self.ways(key.inner)] if key.inner else [(key,)]
                )
            if len(combinations) * len(chosen) > _MAX_WAYS:
                raise self.fail(say.too_many_ways(key.span, _MAX_WAYS))
            combinations = [self.merged(left, right) for left in combinations for right in chosen]
        return combinations

    def merged(self, left: tuple[Key, ...], right: tuple[Key, ...]) -> tuple[Key, ...]:
        """The keys of both; those inside of the same key together."""
        known = {key.name: key for key in left}
        for key in right:
            other = known.get(key.name)
            if other is not None and not (other.inner and key.inner):
                raise self.fail(say.key_beside_or(key.span, key.name))
            known[key.name] = (
                key if other is None else replace(other, inner=self.merged(other.inner, key.inner))
            )
        return tuple(known.values())

    # --- the tests of a policy

    def level(self, keys: tuple[Key, ...], base: KeyedValue | None, depth: int) -> t.Tree:
        """The condition that every key matches below `base`."""
        return all_of(self.many(keys, lambda key: self.match(key, base, depth)), keys[0].span)

    def match(self, key: Key, base: KeyedValue | None, depth: int) -> t.Tree:
        """The condition of one key of the event or message below `base`."""
        if key.options:
            return any_of(self.many(key.options, lambda option: self.level(option, base, depth)), key.span)
        return self.leaf(key, base, depth) if key.values else self.inside(key, base, depth)

    def inside(self, key: Key, base: KeyedValue | None, depth: int) -> t.Tree:
        """The condition that all nested keys match the value of a key or one element of it, if it is an
        array.
        """
        path = _first(key) if _wants_absence(key) else ()
        if not path or not any(map(is_absence, path[-1].values)):
            return self.among(
                key,
                base,
                depth,
                lambda field: self.level(tuple(sorted(key.inner, key=_order)), field, depth + 1),
            )
        rest = _without(key, path)
        ways = [
            all_of(
                (negated(self.has(path, base, depth)), *([self.inside(rest, base, depth)] if rest else [])),
                key.span,
            )
        ]
        others = tuple(value for value in path[-1].values if not is_absence(value))
        if others:
            ways.append(self.inside(_changed(key, path, others), base, depth))
        return any_of(tuple(ways), key.span)

    def has(self, path: tuple[Key, ...], base: KeyedValue | None, depth: int) -> t.Tree:
        """Whether there is a value at the end of a path, in any element of arrays on the path."""
        if len(path) == 1:
            return self.there(path[0], base, depth)
        return self.among(path[0], base, depth, lambda one: self.has(path[1:], one, depth + 1))

    def leaf(self, key: Key, base: KeyedValue | None, depth: int) -> t.Tree:
        """The condition that one of the values of a key matches."""
        kind = self.read(key.name, key.span, base).kind
        if kind != JSON and not isinstance(kind, ArrayType):
            return any_of(self.many(key.values, lambda value: self.alone(key, base, value, depth)), key.span)
        parts: list[t.Tree] = []
        if any(map(is_absence, key.values)):
            parts.append(negated(self.there(key, base, depth)))
        tests = [self.test(value) for value in key.values if not is_absence(value)]
        if tests:
            parts.append(
                self.among(
                    key,
                    base,
                    depth,
                    lambda one: any_of(tuple(test(one.tree, one.kind) for test in tests), key.span),
                )
            )
        return any_of(tuple(parts), key.span)

    def alone(self, key: Key, base: KeyedValue | None, value: Any, depth: int) -> t.Tree:
        """The condition of a field with a single value."""
        if is_absence(value) or (isinstance(value, Mapping) and "exists" in value):
            self.test(value)
            there = self.there(key, base, depth)
            return negated(there) if is_absence(value) else there
        test = self.test(value)
        return decided(test((field := self.read(key.name, key.span, base)).tree, field.kind))

    def there(self, key: Key, base: KeyedValue | None, depth: int) -> t.Tree:
        """Whether there is a value, or an element of an array, that is not an object."""
        field = self.read(key.name, key.span, base)
        if field.kind != JSON and not (self.nested and isinstance(field.kind, ArrayType)):
            return self.is_value(field.tree, field.kind)
        return self.among(key, base, depth, lambda one: self.is_value(one.tree, one.kind))

    def read(self, name: str, span: Span, base: KeyedValue | None) -> KeyedValue:
        """The value of a key, with its type. Raises Stop for a type that policies do not support."""
        key = t.Constant(name, span)
        if base is None:
            own, kind = self.key(name, span), self.key_type(name)
            if kind == JSON and isinstance(own, t.Member) and self.holder() == JSON:
                return KeyedValue(own, JSON, apply("json_values", span, own.base, key))
        else:
            member = t.Member(base.tree, name, span)
            if base.kind == JSON:
                return KeyedValue(member, JSON, apply("json_values", span, base.tree, key))
            kind = (
                base.kind.get(name)
                if isinstance(base.kind, StructType)
                else base.kind.value
                if isinstance(base.kind, MapType)
                else None
            ) or STRING
            own = member
        return KeyedValue(own, kind, apply("json_values", span, own) if kind == JSON else None)

    def holder(self) -> Type:
        """The type of the field that the keys are read from."""
        decl = (self.fields or {}).get(self.on or "")
        return decl.type if decl is not None else JSON

    def among(
        self, key: Key, base: KeyedValue | None, depth: int, test: Callable[[KeyedValue], t.Tree]
    ) -> t.Tree:
        """The test on the value of a key, or on one of several. A name with dots is one key, or a path of
        keys.
        """
        parts = [self.each(self.read(key.name, key.span, base), key.span, depth, test)]
        if (
            self.nested
            and "." in key.name
            and (base.kind if base else self.holder() if self.on else None) == JSON
        ):
            for at in [place for place, char in enumerate(key.name) if char == "."]:
                outer, inner = replace(key, name=key.name[:at]), replace(key, name=key.name[at + 1 :])
                field = self.read(outer.name, key.span, base)
                parts.append(self.each(field, key.span, depth, self.within(inner, depth + 1, test)))
        return any_of(tuple(parts), key.span)

    def within(
        self, key: Key, depth: int, test: Callable[[KeyedValue], t.Tree]
    ) -> Callable[[KeyedValue], t.Tree]:
        """The test on a key inside of a value."""
        return lambda base: self.among(key, base, depth, test)

    def each(self, field: KeyedValue, span: Span, depth: int, test: Callable[[KeyedValue], t.Tree]) -> t.Tree:
        """Whether a test is TRUE for an element of an array: never UNKNOWN."""
        name = f"element{depth or ''}"
        if field.kind == JSON:
            assert field.values is not None  # noqa: S101  # read() made sure
            return t.Macro(
                "any", name, field.values, decided(test(KeyedValue(t.Name(name, span), JSON))), span
            )
        if isinstance(field.kind, ArrayType):
            element = KeyedValue(
                t.Name(name, span), field.kind.element, apply("json_values", span, t.Name(name, span))
            )
            plain = element.kind != JSON and not isinstance(element.kind, ArrayType)
            return decided(
                t.Macro(
                    "any",
                    name,
                    field.tree,
                    test(element) if plain else self.each(element, span, depth + 1, test),
                    span,
                )
            )
        return decided(test(field))

    def is_value(self, tree: t.Tree, kind: Type) -> t.Tree:
        """Whether a key exists with a value other than an object or an array: never UNKNOWN."""
        if kind == JSON:
            return negated(decided(any_of(self.containers(tree), tree.span)))
        return (
            t.Constant(value=False, span=tree.span)
            if self.nested and isinstance(kind, StructType | MapType)
            else present(tree)
        )


def _order(key: Key) -> str:
    return f"{key.name}." if key.inner else key.name


def _first(key: Key) -> tuple[Key, ...]:
    """The keys to the first of those inside that have values, in the order of the names."""
    return (key, *_first(min(key.inner, key=_order))) if key.inner else (key,)


def _without(key: Key, path: tuple[Key, ...]) -> Key | None:
    """The key without the last one of a path; None if nothing is left."""
    if len(path) == 1:
        return None
    remaining = [_without(one, path[1:]) if one is path[1] else one for one in key.inner]
    inner = tuple(one for one in remaining if one is not None)
    return replace(key, inner=inner) if inner else None


def _changed(key: Key, path: tuple[Key, ...], values: tuple[Any, ...]) -> Key:
    if len(path) == 1:
        return replace(key, values=values)
    return replace(
        key, inner=tuple(_changed(one, path[1:], values) if one is path[1] else one for one in key.inner)
    )


def _within(keys: tuple[Key, ...]) -> list[Key]:
    """Keys, with nested keys and the keys in `$or`."""
    result: list[Key] = []
    for key in keys:
        result += [key, *_within(key.inner), *(one for option in key.options for one in _within(option))]
    return result


def _wants_absence(key: Key) -> bool:
    return any(is_absence(value) for one in _within((key,)) for value in one.values)


def _needs_own_policies(key: Key) -> bool:
    """Whether the options of a `$or` inside of a key need policies of their own: they decide which keys come
    before an absent one.
    """
    return bool(key.inner) and _wants_absence(key) and any(one.options for one in _within((key,)))


def _names(key: Key) -> set[str]:
    """The name of a key; for `$or`, the names of the keys in it."""
    if not key.options:
        return {key.name}
    return {name for option in key.options for one in option for name in _names(one)}


def _overlap(keys: tuple[Key, ...]) -> bool:
    """Whether a key is both inside and outside of `$or`. Both read the same element of an array."""
    names = [name for key in keys for name in _names(key)]
    return len(names) > len(set(names)) or any(
        _overlap(inner) for key in keys for inner in (key.inner, *key.options) if inner
    )
