"""Amazon SNS subscription filter policies, on message attributes or on the message body.

A body is the policy itself (attribute scope), or a mapping with `FilterPolicyScope` (MessageAttributes or MessageBody) and
`FilterPolicy`; JSON text is read as well. Every key must match; a key matches if one of its values does; an array in the
message matches if one of its elements does, one of objects too. An absent key matches `{"exists": false}` alone, and in a body a
key that holds an object counts as absent there. Numbers in attributes that
are texts are compared as numbers. Source: Amazon SNS Developer Guide, "Subscription filter policies" and
"Filter policy constraints". That the keys inside of a key match together in one element of an array, and that an absent key is in
none of them, is the rule of the Event Ruler.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from predicat.diagnostics import Span
from predicat.diagnostics import messages as msg
from predicat.frontends.data import DataReader, both, decided, either, negated, present
from predicat.ir import tree as t
from predicat.ir.types import BIGINT, JSON, STRING, ArrayType, MapType, StructType, Type
from predicat.semantics import like, networks

if TYPE_CHECKING:
    from predicat.frontends import Body

SCOPES = ("MessageAttributes", "MessageBody")
OPERATORS = (
    "prefix",
    "suffix",
    "anything-but",
    "equals-ignore-case",
    "wildcard",
    "numeric",
    "exists",
    "cidr",
)
MAX_KEYS = 5
MAX_COMBINATIONS = 150
MAX_BYTES = 256 * 1024
MAX_DEPTH = 10
_COMPARE = {"=": "eq", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
Test = Callable[[t.Tree, Type], t.Tree]


def parse(body: Body) -> t.Tree:
    """The untyped tree of a filter policy. Raises PredicatError."""
    reader = _Reader(body)
    return reader.tree(lambda: reader.top(_loaded(reader, body)))


def _loaded(reader: _Reader, body: Body) -> Any:
    if not isinstance(body.value, str):
        return body.value
    if len(body.value) > MAX_BYTES:
        raise reader.fail(msg.too_large(body.span, len(body.value), MAX_BYTES))
    try:
        return json.loads(body.value)
    except json.JSONDecodeError as error:
        at = min(error.pos, max(len(body.value) - 1, 0))
        place = Span(body.source, at, at + 1) if body.source.text == body.value else body.span
        raise reader.fail(msg.syntax(place, f"the filter policy is no JSON: {error.msg}")) from None
    except (ValueError, RecursionError) as error:
        raise reader.fail(msg.syntax(body.span, f"the filter policy is no JSON: {error}")) from None


class _Key(Struct, frozen=True):
    """A key of a policy, with one of three: its values, the keys inside of it, or, for `$or`, the policies of which one matches."""

    name: str
    span: Span
    values: tuple[Any, ...] = ()
    inner: tuple[_Key, ...] = ()
    options: tuple[tuple[_Key, ...], ...] = ()


class _Read(Struct, frozen=True):
    """What a key holds, and its type."""

    tree: t.Tree
    kind: Type


class _Reader(DataReader):
    nested = False

    def top(self, value: Any) -> t.Tree:
        entries = self.mapping(value, "a filter policy")
        if "FilterPolicy" in entries or "FilterPolicyScope" in entries:
            self.mapping(value, "a filter policy with its scope", ("FilterPolicy", "FilterPolicyScope"))
            scope = entries.get("FilterPolicyScope", SCOPES[0])
            if scope not in SCOPES:
                raise self.bad(
                    scope, "FilterPolicyScope", f"{scope!r} is no scope", f"scopes: {', '.join(SCOPES)}"
                )
            self.nested = scope == "MessageBody"
            entries = self.mapping(entries.get("FilterPolicy"), "FilterPolicy")
        if not entries:
            raise self.bad(value, "a filter policy", "it has no key")
        if len(entries) > MAX_KEYS:
            raise self.bad(value, "a filter policy", f"it has {len(entries)} keys; the limit is {MAX_KEYS}")
        if _combinations(entries, 1, 1) > MAX_COMBINATIONS:
            raise self.bad(
                value,
                "a filter policy",
                f"its values combine in too many ways; the limit is {MAX_COMBINATIONS}",
            )
        return self.policy(self.keys(entries, 0), None, 0)

    def keys(self, entries: Mapping[str, Any], depth: int) -> tuple[_Key, ...]:
        """The keys of a policy, or of a part of one."""
        if depth > MAX_DEPTH:
            raise self.fail(msg.too_deep(self.span(entries), MAX_DEPTH))
        found: list[_Key] = []
        for name, value in entries.items():
            place = self.key_span(entries, name)
            if name == "$or":
                options = [
                    self.keys(self.mapping(one, "$or"), depth + 1) for one in self.listed(value, "$or", 2)
                ]
                found.append(_Key(name, place, options=tuple(options)))
            elif isinstance(value, Mapping):
                if not self.nested:
                    raise self.bad(
                        value,
                        name,
                        "message attributes have no keys inside",
                        "write FilterPolicyScope: MessageBody",
                    )
                if not value:
                    raise self.bad(value, name, "it has no key")
                found.append(_Key(name, place, inner=self.keys(value, depth + 1)))
            else:
                found.append(_Key(name, place, values=tuple(self.listed(value, f"the values of {name!r}"))))
        return tuple(found)

    # --- the tests of a policy

    def policy(self, keys: tuple[_Key, ...], base: _Read | None, depth: int) -> t.Tree:
        """Every key matches what it reads from `base`."""
        return both(self.many(keys, lambda key: self.match(key, base, depth)), keys[0].span)

    def match(self, key: _Key, base: _Read | None, depth: int) -> t.Tree:
        if key.options:
            return either(self.many(key.options, lambda option: self.policy(option, base, depth)), key.span)
        if key.values:
            return either(self.many(key.values, lambda value: self.value(key, base, value, depth)), key.span)
        if depth == 0 and _wants_absence(key):
            return either(self.many(_choices((key,)), lambda chosen: self.without(chosen[0], base)), key.span)
        return self.inside(key, base, depth)

    def inside(self, key: _Key, base: _Read | None, depth: int) -> t.Tree:
        """The keys inside of a key match its value or, all of them, one element of the array that it is."""
        return self.among(
            self.read(key, base), key.span, depth, lambda found: self.policy(key.inner, found, depth + 1)
        )

    def without(self, key: _Key, base: _Read | None) -> t.Tree:
        """The same where keys inside have to be absent: no element has them, and the rest is asked of one element."""
        rest, absent = _split(key)
        parts = [negated(self.has(path, base, 0)) for path in absent]
        return both((*parts, self.inside(rest, base, 0)) if rest else tuple(parts), key.span)

    def has(self, path: tuple[_Key, ...], base: _Read | None, depth: int) -> t.Tree:
        """Whether there is a key at the end of a path, through any elements on its way."""
        found, span = self.read(path[0], base), path[0].span
        if len(path) == 1:
            return self.leaf(found, span, depth)
        return self.among(found, span, depth, lambda one: self.has(path[1:], one, depth + 1))

    def value(self, key: _Key, base: _Read | None, value: Any, depth: int) -> t.Tree:
        found = self.read(key, base)
        if isinstance(value, Mapping) and "exists" in value:
            _, wanted = self.only(value, "a condition", OPERATORS)
            if not isinstance(wanted, bool):
                raise self.bad(wanted, "exists", "it is true or false")
            leaf = self.leaf(found, key.span, depth)
            return leaf if wanted else negated(leaf)
        test = self.test(value)
        return self.among(found, key.span, depth, lambda one: test(one.tree, one.kind))

    def leaf(self, found: _Read, span: Span, depth: int) -> t.Tree:
        """Whether there is a value, or an element of an array, that is no object: `exists` does not see what has keys inside."""
        return (
            self.among(found, span, depth, lambda one: self.is_leaf(one.tree, one.kind))
            if self.nested
            else present(found.tree)
        )

    def is_leaf(self, tree: t.Tree, kind: Type) -> t.Tree:
        if kind == JSON and self.nested:
            return both(
                (present(tree), negated(t.Apply("json_is", (tree, t.Const("object", tree.span)), tree.span))),
                tree.span,
            )
        return (
            t.Const(value=False, span=tree.span) if isinstance(kind, StructType | MapType) else present(tree)
        )

    def read(self, key: _Key, base: _Read | None) -> _Read:
        if base is None:
            return _Read(self.key(key.name, key.span), self.key_type(key.name))
        kind = (
            base.kind.get(key.name)
            if isinstance(base.kind, StructType)
            else base.kind.value
            if isinstance(base.kind, MapType)
            else JSON
        )
        return _Read(t.Member(base.tree, key.name, key.span), kind or STRING)

    def among(self, found: _Read, span: Span, depth: int, test: Callable[[_Read], t.Tree]) -> t.Tree:
        """The test on a value or, if it is an array, on one of its elements."""
        name = f"element{depth or ''}"

        def any_element(kind: Type) -> t.Tree:
            return t.Bind("any", name, found.tree, test(_Read(t.Name(name, span), kind)), span)

        if isinstance(found.kind, ArrayType):
            return decided(any_element(found.kind.element))
        if found.kind != JSON:
            return decided(test(found))
        is_array = t.Apply("json_is", (found.tree, t.Const("array", span)), span)
        return decided(t.Apply("cond", (is_array, any_element(JSON), test(found)), span))

    # --- one value

    def test(self, value: Any) -> Test:
        if not isinstance(value, Mapping):
            return self.exact(value)
        operator, wanted = self.only(value, "a condition", OPERATORS)
        span = self.span(wanted)
        match operator:
            case "prefix" | "suffix":
                return self.affix({"prefix": "starts_with", "suffix": "ends_with"}[operator], wanted)
            case "anything-but":
                return self.anything_but(wanted)
            case "equals-ignore-case":
                text = self.text(wanted, operator)
                return lambda key, _kind: t.Apply("equals_ci", (key, t.Const(text, span)), key.span)
            case "wildcard":
                pattern = self.wildcard(wanted)
                return lambda key, _kind: t.Apply("like", (key, t.Const(pattern, span)), key.span)
            case "numeric":
                return self.numeric(wanted)
            case _:
                patterns = self.cidr(wanted)
                return lambda key, _kind: either(
                    tuple(t.Apply("matches", (key, t.Const(one, span)), key.span) for one in patterns),
                    key.span,
                )

    def exact(self, value: Any) -> Test:
        span = self.span(value)
        if value is None:
            raise self.bad(
                value,
                "a filter policy",
                "null matches a JSON null, which is told from an absent key nowhere else",
                'write {"exists": false}',
            )
        if isinstance(value, bool):
            shown = "true" if value else "false"
            return lambda key, kind: t.Apply(
                "eq", (key, t.Const(shown if kind == STRING else bool(value), span)), key.span
            )
        if isinstance(value, int | float):
            self.in_range(value)
            return lambda key, kind: t.Apply(
                "eq", (self.as_number(key, kind), t.Const(float(value), span)), key.span
            )
        text = self.text(value, "a value", empty=True)
        return lambda key, _kind: t.Apply("eq", (key, t.Const(text, span)), key.span)

    def affix(self, operator: str, value: Any) -> Test:
        if isinstance(value, Mapping):
            _, inner = self.only(value, operator, ("equals-ignore-case",))
            if operator != "starts_with":
                raise self.bad(value, "suffix", "SNS has no case-insensitive suffix")
            text, span = self.text(inner, "equals-ignore-case"), self.span(inner)
            return lambda key, _kind: t.Apply("starts_with_ci", (key, t.Const(text, span)), key.span)
        text, span = self.text(value, operator), self.span(value)
        return lambda key, _kind: t.Apply(operator, (key, t.Const(text, span)), key.span)

    def anything_but(self, value: Any) -> Test:
        """Present, and none of the values; or not so beginning, ending or shaped."""
        if isinstance(value, Mapping):
            operator, inner = self.only(
                value, "anything-but", ("prefix", "suffix", "wildcard", "equals-ignore-case")
            )
            values = [{operator: one} for one in (inner if isinstance(inner, list) else [inner])]
        else:
            values = value if isinstance(value, list) else [value]
        if not values:
            raise self.bad(value, "anything-but", "it names no value")
        tests = [self.test(one) for one in values]

        def run(key: t.Tree, kind: Type) -> t.Tree:
            hits = either(tuple(decided(test(key, kind)) for test in tests), key.span)
            leaf = self.leaf(
                _Read(key, kind), key.span, MAX_DEPTH + 1
            )  # a name that no element around it has
            return both((leaf, negated(hits)), key.span)

        return run

    def wildcard(self, value: Any) -> str:
        text = self.text(value, "wildcard")
        if "**" in text.replace("\\*", ""):
            raise self.bad(value, "wildcard", "it has two wildcards in a row")
        pieces = re.findall(r"\\[*\\]|\*|[^*\\]+|\\", text)
        return "".join(
            "%"
            if piece == "*"
            else like.escaped(piece[1:] if piece[:1] == "\\" and len(piece) == 2 else piece)
            for piece in pieces
        )

    def numeric(self, value: Any) -> Test:
        parts = self.listed(value, "numeric", 2)
        pairs = [(str(parts[index]), parts[index + 1]) for index in range(0, len(parts) - 1, 2)]
        lower = [sign for sign, _ in pairs if sign.startswith(">")]
        upper = [sign for sign, _ in pairs if sign.startswith("<")]
        if (
            len(parts) % 2
            or len(pairs) > 2
            or any(sign not in _COMPARE for sign, _ in pairs)
            or (len(pairs) == 2 and not (lower and upper))
        ):
            raise self.bad(
                value,
                "numeric",
                "it is a comparison and a number, or a range",
                '["=", 5], [">", 0, "<=", 100]',
            )
        for _, number in pairs:
            self.in_range(number)
        numbers = {sign[0]: number for sign, number in pairs}
        if len(pairs) == 2 and numbers[">"] >= numbers["<"]:
            raise self.bad(value, "numeric", "the lower end of the range is not below the upper one")
        span = self.span(value)

        def run(key: t.Tree, kind: Type) -> t.Tree:
            tests = tuple(
                t.Apply(_COMPARE[sign], (self.as_number(key, kind), t.Const(float(number), span)), key.span)
                for sign, number in pairs
            )
            return both(tests, key.span)

        return run

    def in_range(self, value: Any) -> None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.bad(value, "numeric", f"{value!r} is no number")
        if abs(value) > 1e9 or round(value, 5) != value:
            raise self.bad(
                value, "numeric", f"{value!r} is not within 1,000,000,000 with at most five decimals"
            )

    def as_number(self, key: t.Tree, kind: Type) -> t.Tree:
        """A value beside a number: attributes are texts, but a text in a body is no number."""
        if kind in (STRING, BIGINT) or (kind == JSON and not self.nested):
            return t.Apply("cast", (key, t.Const("to_double", key.span)), key.span)
        return key

    def cidr(self, value: Any) -> list[str]:
        """A network as patterns of its addresses."""
        try:
            return networks.patterns(self.text(value, "cidr"))
        except ValueError:
            raise self.bad(value, "cidr", f"{value!r} is no network", "10.0.0.0/24") from None


def _is_absence(value: Any) -> bool:
    return isinstance(value, Mapping) and value.get("exists") is False


def _wants_absence(key: _Key) -> bool:
    """Whether a key, or one inside of it, may be absent."""
    inner = (*key.inner, *(one for option in key.options for one in option))
    return any(map(_is_absence, key.values)) or any(map(_wants_absence, inner))


def _choices(keys: tuple[_Key, ...]) -> list[tuple[_Key, ...]]:
    """The policies without `$or`, and with absence apart from other values, of which one matches wherever these keys do."""
    found: list[tuple[_Key, ...]] = [()]
    for key in keys:
        if key.options:
            chosen = [one for option in key.options for one in _choices(option)]
        elif key.inner:
            chosen = [(_Key(key.name, key.span, inner=one),) for one in _choices(key.inner)]
        else:
            groups = [
                tuple(value for value in key.values if _is_absence(value) is absence)
                for absence in (True, False)
            ]
            chosen = [(_Key(key.name, key.span, values=group),) for group in groups if group]
        found = [(*left, *right) for left in found for right in chosen]
    return found


def _split(key: _Key) -> tuple[_Key | None, list[tuple[_Key, ...]]]:
    """A key without those inside that have to be absent, and the paths to these."""
    if not key.inner:
        return (None, [(key,)]) if _is_absence(key.values[0]) else (key, [])
    parts = [_split(one) for one in key.inner]
    rest = tuple(one for one, _ in parts if one)
    return _Key(key.name, key.span, inner=rest) if rest else None, [
        (key, *path) for _, paths in parts for path in paths
    ]


def _combinations(entries: Mapping[str, Any], depth: int, ways: int) -> int:
    """In how many ways the values combine: each key's count times how deep it lies, and of `$or` the sum. Ends above the limit."""
    for name, value in entries.items():
        if ways > MAX_COMBINATIONS or depth > MAX_DEPTH:
            break
        if name == "$or" and isinstance(value, list):
            ways = sum(_combinations(one, depth, ways) for one in value if isinstance(one, Mapping))
        elif isinstance(value, Mapping):
            ways = _combinations(value, depth + 1, ways)
        else:
            ways *= max(len(value), 1) * depth if isinstance(value, list) else 1
    return ways
