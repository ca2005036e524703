"""What a condition is found by: its tests, as texts that are the same for every spelling."""

from collections.abc import Iterator

from msgspec import Struct, structs

from predicat.discover.null_traps import tested_fields
from predicat.discover.typed import Typed
from predicat.forms.total_order import without_nan_test
from predicat.ir.canonical import canonical_text
from predicat.ir.nodes import Call, Field, Items, Literal, Node, fields_of, walk
from predicat.ir.operators import ORDERED

_MOST_VALUES = 200
# Characters of a constant that is distinctive as it is, and of one with a digit.
_LONG_TEXT, _LONG_KEY = 16, 6


class Atom(Struct, frozen=True):
    """An operand of the AND that a condition is, or the condition itself.

    Attributes:
        text: What it says; the same for every spelling.
        shown: How it is written.
        fields: The fields that it reads.
        place: What is compared with constants, by `=`, IN or an order; empty for other tests.
        test: `values` for `=` and IN, `bound` for an order, `null` for a test for NULL, else empty.
        values: The constants of `=` and IN, as they are shown.
        distinctive: Whether it has a constant that nobody writes by chance: see `is_distinctive`.
    """

    text: str
    shown: str
    fields: tuple[str, ...]
    place: str = ""
    test: str = ""
    values: tuple[str, ...] = ()
    distinctive: bool = False


class Profile(Struct, frozen=True):
    """What a condition is found by.

    Attributes:
        text: What it says; the same for every spelling.
        atoms: Its tests.
        fields: Its fields with their narrowest types.
        asked: The fields that it tests for NULL.
        queries: Whether it has a subquery, which says something else in another statement.
    """

    text: str
    atoms: tuple[Atom, ...]
    fields: tuple[tuple[str, str], ...]
    asked: tuple[str, ...] = ()
    queries: bool = False


def profile_of(condition: Typed) -> Profile:
    """The profile of a typed condition."""
    node = condition.narrow
    fields = tuple(sorted((name, str(decl.type)) for name, decl in fields_of(node).items()))
    atoms = tuple(sorted(map(_atom, _operands(node)), key=lambda atom: atom.text))
    return Profile(
        " & ".join(atom.text for atom in atoms),
        atoms,
        fields,
        tuple(sorted(tested_fields(node))),
        condition.queries,
    )


def _operands(node: Node) -> Iterator[Node]:
    match node:
        case Call(op="and"):
            for arg in node.args:
                yield from _operands(arg)
        case Call(op="is_true", args=(inner,)):
            yield from _operands(inner)
        case _:
            yield node


def is_distinctive(value: str) -> bool:
    """Whether a constant tells that two relations mean the same by it: a key, a date or a long text, and no
    word or number that many relations have, such as `active` or 100.
    """
    return len(value) >= _LONG_TEXT or (len(value) >= _LONG_KEY and any(char.isdigit() for char in value))


def _atom(node: Node) -> Atom:
    constants = (str(part.value) for part in walk(node) if isinstance(part, Literal))
    return structs.replace(_test(node), distinctive=any(map(is_distinctive, constants)))


def _test(node: Node) -> Atom:
    fields = tuple(sorted(fields_of(node)))
    shown = " ".join(node.span.text.split())
    positive = node.args[0] if isinstance(node, Call) and node.op == "not" else node
    sign = "" if positive is node else "not "
    match without_nan_test(positive):
        case Call(op="is_null", args=(Field(),)):
            return Atom(canonical_text(node), shown, fields, f"{sign}{fields[0]}", "null")
        case Call(op="eq" | "ne" as op, args=(place, Literal() as value)):
            sign = "not " if (op == "ne") != bool(sign) else ""
            return Atom(
                canonical_text(node),
                shown,
                fields,
                sign + canonical_text(place),
                "values",
                (str(value.value),),
            )
        case Call(op="in", args=(place, Items(items=items))) if len(items) <= _MOST_VALUES:
            values = tuple(str(item.value) for item in items if isinstance(item, Literal))
            if len(values) == len(items):
                return Atom(
                    canonical_text(node), shown, fields, sign + canonical_text(place), "values", values
                )
        case Call(op=op, args=(place, Literal())) if op in ORDERED:
            side = "above" if (op in ("gt", "ge")) != bool(sign) else "below"
            return Atom(canonical_text(node), shown, fields, f"{side} {canonical_text(place)}", "bound")
        case _:
            pass
    return Atom(canonical_text(node), shown, fields)
