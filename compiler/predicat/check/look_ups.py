"""Members and elements of values and of literals, and constants."""

from __future__ import annotations

from predicat.check import collection_literals
from predicat.check.choices import Choices
from predicat.diagnostics import Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import check as say
from predicat.forms.conversions import (
    dynamic,
    dynamic_error,
    is_dynamic,
    is_union,
    same_constant,
    underlying,
)
from predicat.ir import syntax as t
from predicat.ir.nodes import Call, Items, Literal, Node
from predicat.ir.types import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    JSON,
    NULL,
    STRING,
    TIMESTAMP,
    ArrayType,
    MapType,
    StructType,
    Type,
)
from predicat.ir.values import INT_MAX, INT_MIN, type_of


class LookUps(Choices):
    """Look-ups by key and by index."""

    def bracket(self, op: str, base: Node, key: Node, span: Span) -> Node:
        """`base[key]`; "bracket1" counts array elements from 1."""
        if isinstance(base, Items):
            return self.look_up(base, key, span)
        key = underlying(key)
        if isinstance(base.type, StructType) and isinstance(key, Literal) and isinstance(key.value, str):
            return self.member(base, key.value, span)
        if isinstance(base.type, MapType):
            return self.call("get", [base, key], span)
        if base.type == JSON and key.type == JSON:
            return Call(JSON, "json_get", (base, key), span)
        if base.type == JSON:
            return self.call("json_get" if key.type == STRING else "json_at", [base, key], span)
        if op == "bracket1" and isinstance(base.type, ArrayType):
            key = self.call("sub", [key, Literal(BIGINT, 1, span)], span)
        return self.call("index", [base, key], span)

    def member(self, node: Node, key: str, span: Span) -> Node:
        """`base.key` of a map, a struct or a JSON value; UNKNOWN if it is missing. Raises Stop for a key that
        the struct does not have, and for values without members.
        """
        if is_union(node):
            return self.map_union(node, lambda value: self.member(value, key, span), span)
        name = self.constant(key, span)
        if collection_literals.is_map(node):
            return self.look_up(node, name, span)
        match node.type:
            case MapType(value):
                return Call(value, "get", (node, name), span)
            case StructType() as struct:
                kind = struct.get(key)
                if kind is None:
                    known = [item for item, _ in struct.fields]
                    raise self.fail(msg.unknown_member(span, key, str(struct), known))
                return Call(kind, "member", (node, name), span)
            case _ if node.type == JSON:
                return Call(JSON, "json_get", (node, name), span)
            case _:
                hint = None if self.rules.widens_numbers else _instead_of_member(key, node.type)
                if hint is not None:
                    raise self.fail(msg.member_elsewhere(span, key, str(node.type), hint))
                raise self.fail(msg.no_members(span, key, str(node.type)))

    def look_up(self, base: Node, key: Node, span: Span) -> Node:
        """The value of a key in a map literal, or the element at an index of a list literal."""
        assert isinstance(base, Items)  # noqa: S101  # callers made sure
        if collection_literals.is_map(base):
            pairs = collection_literals.entries(base)
        else:
            if key.type not in (BIGINT, DOUBLE) or (key.type == DOUBLE and not is_dynamic(key)):
                if is_dynamic(key):
                    return dynamic_error(span)
                raise self.fail(say.brackets(span, [str(base.type), str(key.type)]))
            pairs = [(Literal(BIGINT, place, span), item) for place, item in enumerate(base.items)]
        if isinstance(underlying(key), Literal) and all(
            isinstance(underlying(one), Literal) for one, _ in pairs
        ):
            found = next(
                (value for one, value in pairs if same_constant(underlying(one), underlying(key))), None
            )
            missing = Literal(pairs[0][1].type if pairs else BOOLEAN, None, span)
            result = (
                found
                if found is not None
                else dynamic(missing)
                if missing.type == NULL or isinstance(pairs[0][1] if pairs else None, Items)
                else missing
            )
            return collection_literals.unknown_if_missing(result, [base], span)
        chosen = collection_literals.first_match(
            [(self.comparison("eq", [one, key], span), underlying(value)) for one, value in pairs], span
        )
        if chosen is None:
            raise self.fail(say.look_up_among_types(span))
        return collection_literals.unknown_if_missing(chosen, [base], span)

    def constant(self, value: t.Value, span: Span) -> Node:
        """A constant. Raises Stop for integers that do not fit 64 bits and strings that are not Unicode."""
        if (
            isinstance(value, str)
            and not value.isascii()
            and any("\ud800" <= char <= "\udfff" for char in value)
        ):
            raise self.fail(msg.half_a_pair(span))
        if isinstance(value, int) and not isinstance(value, bool) and not INT_MIN <= value <= INT_MAX:
            raise self.fail(msg.number_range(span, str(value)))
        # A text of a file knows its place; a constant is a value like any other.
        return Literal(type_of(value), str(value) if isinstance(value, str) else value, span)


def _instead_of_member(key: str, kind: Type) -> str | None:
    """What a language of expressions writes for a property that values have elsewhere."""
    if kind == STRING or isinstance(kind, ArrayType | MapType):
        return say.SIZE if key in ("length", "size", "count", "len") else None
    return say.PARTS_OF_A_TIME.get(key) if kind == TIMESTAMP else None
