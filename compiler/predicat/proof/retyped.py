"""Fields whose type changes: both predicates are compared on the values that both types hold."""

from collections.abc import Mapping

from msgspec.structs import replace

from predicat.ir.nodes import Call, Field, FieldDecl, Node, fields_of, rewrite_children
from predicat.ir.types import BIGINT, BOOLEAN, DATE, DOUBLE, STRING, TIMESTAMP, DecimalType
from predicat.ir.values import INT_MAX
from predicat.ir.widths import RANGES, in_words
from predicat.proof.compare import Verdict, compare_nodes
from predicat.proof.work import Work

# A wide type: the conversion to it, the types whose values it holds, the stored types of which that is true.
_WIDER: dict[object, tuple[str, tuple[object, ...], tuple[str, ...]]] = {
    STRING: ("to_string", (BIGINT, BOOLEAN, DATE, DecimalType), ("",)),
    DOUBLE: ("to_double", (BIGINT, DecimalType), ("",)),
    TIMESTAMP: ("to_timestamp", (DATE,), ("", "timestamp_ntz")),
    DecimalType: ("to_decimal", (BIGINT, DecimalType), ("",)),
}

# The greatest integer of a column by its stored type.
_ENDS = {"": INT_MAX, **{name: end for name, (_, end) in RANGES.items()}}


def compare_retyped(
    before: Node, after: Node, on_unknown: tuple[str, str], effort: float | Work = 1.0
) -> Verdict:
    """`compare_nodes` for predicates of two versions of a dataset, in which fields may have different types.
    The notes of the verdict say which values it is about.
    """
    before, after, notes = over_shared_values(before, after)
    verdict = compare_nodes(before, after, on_unknown, effort)
    return replace(verdict, notes=(*verdict.notes, *notes)) if notes else verdict


def over_shared_values(before: Node, after: Node) -> tuple[Node, Node, tuple[str, ...]]:
    """Two predicates whose fields have the same types, and what the proofs are then about, in words.

    A field with two types becomes one of the type whose values both hold. The predicate that declared a wider
    type reads it through a conversion. Fields without such a type stay as they are.
    """
    old, new = fields_of(before), fields_of(after)
    shared: dict[str, FieldDecl] = {}
    for name in sorted(old.keys() & new.keys()):
        if old[name].type != new[name].type and (held := _shared(old[name], new[name])) is not None:
            shared[name] = held
    notes = tuple(
        f"for the values of {name} that {in_words(old[name].shown_type)} and "
        f"{in_words(new[name].shown_type)} both hold"
        for name in shared
    )
    return (_read(before, shared), _read(after, shared), notes) if shared else (before, after, ())


def _shared(old: FieldDecl, new: FieldDecl) -> FieldDecl | None:
    """A field of the type whose values both fields hold; None if there is none."""
    left, right = old.type, new.type
    if isinstance(left, DecimalType) and isinstance(right, DecimalType):
        whole = min(left.precision - left.scale, right.precision - right.scale)
        scale = min(left.scale, right.scale)
        return replace(new, type=DecimalType(whole + scale, scale)) if whole + scale else None
    for wide, narrow in ((old, new), (new, old)):
        _, held, stored = _WIDER.get(_family(wide), ("", (), ()))
        if _family(narrow) in held and wide.stored in stored:
            return _whole(narrow, wide.type) if isinstance(wide.type, DecimalType) else narrow
    return None


def _whole(number: FieldDecl, kind: DecimalType) -> FieldDecl | None:
    """A field of integers, as wide as decimals of this type can hold; None for less than a tinyint."""
    most = min(_ENDS.get(number.stored, INT_MAX), 10 ** (kind.precision - kind.scale) - 1)
    fitting = [name for name, end in _ENDS.items() if end <= most]
    return replace(number, stored=max(fitting, key=_ENDS.__getitem__)) if fitting else None


def _read(node: Node, shared: Mapping[str, FieldDecl]) -> Node:
    """The predicate with the fields read from the shared types."""
    if not isinstance(node, Field):
        return rewrite_children(node, lambda part: _read(part, shared))
    held = shared.get(node.decl.name)
    if held is None:
        return node
    field = replace(node, type=held.type, decl=replace(node.decl, type=held.type, stored=held.stored))
    op = _WIDER.get(_family(node.decl), ("",))[0]
    return field if held.type == node.type else Call(node.type, op, (field,), node.span)


def _family(decl: FieldDecl) -> object:
    return DecimalType if isinstance(decl.type, DecimalType) else decl.type
