"""Tests of one string as automata: patterns, comparisons, and string functions inside of them."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from msgspec.structs import replace

from predicat.ir.nodes import (
    Call,
    Field,
    Items,
    Literal,
    Node,
    Quantifier,
    Variable,
    children,
    substituted,
    walk,
)
from predicat.ir.operators import COMPARISONS, EQUALITIES, FLIPPED
from predicat.ir.types import BIGINT, BOOLEAN, STRING
from predicat.semantics.evaluate import compile_node
from predicat.values import text_machines as m
from predicat.values.automaton import (
    Label,
    Machine,
    Opaque,
    Table,
    constant,
    product,
    relabelled,
    tabulated,
)
from predicat.values.partition import Some
from predicat.values.preimage import connected, outcomes, x_of
from predicat.values.text_captures import extracted, replaced_matches
from predicat.values.text_fractions import fraction
from predicat.values.text_numbers import day, integer
from predicat.values.text_patterns import PATTERNS, pattern_machine

# The longest text that is counted character by character.
_MOST_LENGTH = 600
# The longest text that is padded.
_MOST_PADDED = 40
# The parts of a split text that are counted from its end.
_MOST_PARTS = 5
# The label of a text for which a function has no value, where None is another label.
_MISSING = "missing"
_NUMBERS = ("length", "position", "to_int", "size", "to_date", "ascii")
_FRACTIONS = ("to_double", "to_decimal")


class Texts:
    """The machines of tests of one string, which is `variable`."""

    def __init__(self, variable: Node) -> None:
        self.variable = variable

    def table(self, node: Node) -> Table:
        """The outcomes of a predicate as a table, some of them perhaps one of several. Raises Opaque."""
        return tabulated(self.test(node))

    def sure(self, node: Node) -> Table:
        """The outcomes of a predicate as a table, all of them known. Raises Opaque."""
        result = self.table(node)
        if any(isinstance(label, Some) for label in result.labels):
            raise Opaque
        return result

    # --- predicates

    def test(self, node: Node) -> Machine:
        """The outcomes of a predicate as a machine. Raises Opaque."""
        match node:
            case Literal(value=value):
                return constant(value)
            case Call(op="and" | "or" | "not" | "is_true" | "cond" | "coalesce", args=args) if (
                node.type == BOOLEAN
            ):
                return product([self.small(arg) for arg in args], partial(connected, node.op))
            case Call(op="is_null", args=(inner,)):
                return (
                    relabelled(self.small(inner), lambda label: label is None)
                    if inner.type == BOOLEAN
                    else self.present(inner)
                )
            case Call(op="to_boolean", args=(inner,)):
                return self.of(inner, _booleans(node))
            case Call(op=op, args=(inner, Literal(value=str(value)))) if op in PATTERNS:
                return self.of(inner, pattern_machine(op, value))
            case Call(op=op, args=(left, right)) if op in COMPARISONS and left.type == right.type == STRING:
                return self.comparison(op, left, right)
            case Call(op="in", args=(left, Items(items=items))) if left.type == STRING:
                return self.listed(left, items)
            case Call(op="in", args=(Literal(value=str(value)), Call(op="split") as split)):
                return self.parts("any", split, relabelled(m.order(value), lambda order: order == 0))
            case Quantifier(kind="any" | "all", source=Call(op="split") as split):
                return self.parts(node.kind, split, Texts(Variable(STRING, node.variable)).closed(node.body))
            case Call():
                return self.numeric(node)
            case _:
                raise Opaque

    def small(self, node: Node) -> Machine:
        """A minimal machine of a test, so that products of several stay small."""
        return self.sure(node).machine()

    def closed(self, node: Node) -> Machine:
        """A test that reads only the string. Raises Opaque for others."""
        if not _reads_only(node, self.variable):
            raise Opaque
        return self.small(node)

    def present(self, node: Node) -> Machine:
        """Whether a value is missing."""
        if node.type == STRING:
            return relabelled(self.of(node, constant(False), _MISSING), lambda label: label is not False)
        return self.numeric(Call(BOOLEAN, "is_null", (node,)))

    def comparison(self, op: str, left: Node, right: Node) -> Machine:
        """A comparison with a constant, or of a string with a function of it."""
        if isinstance(left, Literal):
            op, left, right = FLIPPED[op], right, left
        if isinstance(right, Literal):
            if right.value is None:
                return constant(None)
            holds = COMPARISONS[op].holds
            return self.of(left, relabelled(m.order(str(right.value)), lambda order: holds(order, 0)))
        if op in EQUALITIES:
            unchanged = _unchanged(left, right) or _unchanged(right, left)
            if unchanged is not None:
                return self.test(unchanged if op == "eq" else Call(BOOLEAN, "not", (unchanged,)))
        raise Opaque

    def listed(self, left: Node, items: Iterable[Node]) -> Machine:
        """`in` a list of constants."""
        values = []
        for item in items:
            if not isinstance(item, Literal):
                raise Opaque
            values.append(item.value)
        unknown = None in values
        return self.of(
            left,
            relabelled(
                m.one_of(str(value) for value in values if value is not None),
                lambda result: result or (None if unknown else False),
            ),
        )

    def parts(self, kind: str, split: Call, body: Machine) -> Machine:
        """Whether any or all parts of a split string pass a test."""
        by, most = _split_by(split)
        return self.of(split.args[0], m.any_part(body, by, most, kind))

    # --- functions

    def of(self, node: Node, after: Machine, missing: Label = None) -> Machine:
        """The machine `after` applied to the result of a string function; `missing` is the label of NULL."""
        if node == self.variable:
            return after
        if isinstance(node, Literal):
            return constant(missing if node.value is None else after.label(after.run(str(node.value))))
        if not isinstance(node, Call) or node.op not in _FUNCTIONS:
            raise Opaque
        return _FUNCTIONS[node.op](self, node, after, missing)

    def letter_case(self, node: Call, after: Machine, missing: Label) -> Machine:
        """`lower` and `upper`."""
        return self.of(node.args[0], m.mapped(after, *_CASES[node.op]), missing)

    def trimmed(self, node: Call, after: Machine, missing: Label) -> Machine:
        """`trim`, `ltrim`, `rtrim` and `strip`: spaces, or constant characters."""
        match node.args:
            case (inner,):
                chars = " "
            case (inner, Literal(value=str(chars))) if node.op == "strip":
                pass
            case _:
                raise Opaque
        cut = m.stripped(after, chars, left=node.op != "rtrim", right=node.op != "ltrim")
        return self.of(inner, cut, missing)

    def backwards(self, node: Call, after: Machine, missing: Label) -> Machine:
        """`reverse`."""
        return self.of(node.args[0], m.reversed_text(after), missing)

    def joined(self, node: Call, after: Machine, missing: Label) -> Machine:
        """`concat`."""
        match node.args:
            case (Literal(value=str(text)), inner):
                return self.of(inner, m.prefixed(after, text), missing)
            case (inner, Literal(value=str(text))):
                return self.of(inner, m.suffixed(after, text), missing)
            case (left, right):
                number, labels = m.from_each(after)
                parts = [tabulated(self.of(*one, _MISSING)) for one in ((left, number), (right, labels))]
                return product(
                    [part.machine() for part in parts],
                    lambda place, found: missing if _MISSING in (place, found) else found[place],
                )
            case _:
                raise Opaque

    def padded(self, node: Call, after: Machine, missing: Label) -> Machine:
        """`lpad` and `rpad`, to a constant length."""
        match node.args:
            case (inner, Literal(value=int(size)), Literal(value=str(by))) if (
                by and 0 <= size <= _MOST_PADDED
            ):
                return self.of(inner, m.padded(after, size, by, left=node.op == "lpad"), missing)
            case _:
                raise Opaque

    def captured(self, node: Call, after: Machine, missing: Label) -> Machine:
        """`regex_extract` and `regex_replace`."""
        match node.args:
            case (inner, Literal(value=str(pattern)), Literal(value=int(group))):
                return self.of(inner, extracted(after, pattern, group), missing)
            case (inner, Literal(value=str(pattern)), Literal(value=str(new))):
                return self.of(inner, replaced_matches(after, pattern, new), missing)
            case _:
                raise Opaque

    def joined_parts(self, node: Call, after: Machine, missing: Label) -> Machine:
        """`join` of a `split`, whose parts are never NULL: the text with another separator."""
        source, new = with_nulls(node.args[0]), node.args[1]
        by, most = _split_by(source)
        if most or not isinstance(new, Literal) or not isinstance(new.value, str):
            raise Opaque
        return self.of(children(source)[0], m.replaced(after, by, new.value), missing)

    def replaced(self, node: Call, after: Machine, missing: Label) -> Machine:
        """`replace` and `replace_each`, of constants."""
        match node.args:
            case (inner, Literal(value=str(old)), Literal(value=str(new))):
                if old:
                    return self.of(inner, m.replaced(after, old, new), missing)
                return self.of(inner, after if node.op == "replace" else m.between_each(after, new), missing)
            case _:
                raise Opaque

    def part(self, node: Call, after: Machine, missing: Label) -> Machine:
        """`index` of a `split`: one part of a string."""
        match node.args:
            case (Call(op="split") as split, place):
                by, most = _split_by(split)
                from_end, number = place_of(place, split)
                if number >= 0 if from_end else number < 0:
                    return constant(missing)
                if not from_end:
                    return self.of(split.args[0], m.part_of_split(after, by, number, most, missing), missing)
                if most or -number > _MOST_PARTS:
                    raise Opaque
                return self.of(split.args[0], m.part_from_end(after, by, -number, missing), missing)
            case _:
                raise Opaque

    def choice(self, node: Call, after: Machine, missing: Label) -> Machine:
        """`cond`."""
        test, yes, no = node.args
        ways = [self.small(test), self.of(yes, after, missing), self.of(no, after, missing)]
        return product(ways, partial(_chosen, missing))

    def first_present(self, node: Call, after: Machine, missing: Label) -> Machine:
        """`coalesce`."""
        return product([self.of(arg, after, _MISSING) for arg in node.args], partial(_first_present, missing))

    def extreme(self, node: Call, after: Machine, missing: Label) -> Machine:
        """`greatest` and `least`, of one string and constants."""
        constants = [
            str(arg.value) for arg in node.args if isinstance(arg, Literal) and arg.value is not None
        ]
        others = [arg for arg in node.args if not isinstance(arg, Literal)]
        if len(others) != 1 or not constants:
            raise Opaque
        is_greatest = node.op == "greatest"
        limit = max(constants) if is_greatest else min(constants)
        label, sign = after.label(after.run(limit)), 1 if is_greatest else -1

        def chosen(order: Any, own: Label) -> Label:
            return label if order == _MISSING or sign * order < 0 else own

        return product(
            [self.of(others[0], m.order(limit), _MISSING), self.of(others[0], after, missing)], chosen
        )

    def substring(self, node: Call, after: Machine, missing: Label) -> Machine:
        """`substr`: start and length are constants, or constant offsets from the length of the string."""
        inner, *places = node.args
        position = _position(node, inner)
        if position is not None:
            return self.beside_first(node, position, after, missing)
        is_clamped = len(places) > 1 and _at_least_zero(places[1]) != places[1]
        ends = [place_of(_at_least_zero(place), inner) for place in places]
        from_end, start = ends[0][0], ends[0][1] - 1
        if len(ends) == 1:
            return self.of(
                inner,
                m.last(after, max(-start, 0)) if from_end else m.without_first(after, max(start, 0)),
                missing,
            )
        factor, size = ends[1]
        if size >= 0:
            return self.slice(inner, from_end, start, factor, size, after, missing)
        if not factor:
            return constant(missing)
        short = self.of(inner, relabelled(m.length(-size), lambda length: length < -size), _MISSING)
        cut = self.slice(inner, from_end, start, factor, size, after, missing)
        if_short = after.label(after.start) if is_clamped else missing

        def chosen(is_short: Label, label: Label) -> Label:
            return missing if is_short == _MISSING else if_short if is_short else label

        return product([short, cut], chosen)

    def beside_first(self, node: Call, position: Call, after: Machine, missing: Label) -> Machine:
        """`substr` up to the first occurrence of a string, or from there on, and beside it without one."""
        inner, wanted = position.args
        text = str(wanted.value) if isinstance(wanted, Literal) else ""
        constants = [Literal(BIGINT, _beside(place, position, found=False)[1]) for place in node.args[1:]]
        absent = replace(node, args=(inner, *constants))
        start, *sizes = [_beside(place, position, found=True) for place in node.args[1:]]
        match start, sizes:
            case (True, offset), [] if offset >= 0:
                found = m.from_first(after, text, offset, _MISSING)
            case (False, 1), [(True, offset)] if offset >= -1:
                found = m.up_to(after, text, offset + 1, _MISSING)
            case _:
                raise Opaque
        ways = [self.of(inner, found, _MISSING), self.of(absent, after, missing)]
        return product(ways, lambda own, other: other if own == _MISSING else own)

    def slice(
        self, inner: Node, from_end: bool, start: int, factor: bool, size: int, after: Machine, missing: Label
    ) -> Machine:
        """text[start : start + size]; the start may count from the end, or the size from the length."""
        if from_end and factor:
            raise Opaque
        begin, end = max(start, 0), start + size
        if not from_end and not factor:
            cut = (
                m.without_first(m.first(after, end - begin), begin)
                if end > begin
                else constant(after.label(after.start))
            )
        elif end >= 0:
            cut = m.last(after, max(-start, 0)) if from_end else m.without_first(after, begin)
        elif from_end:
            cut = m.reversed_text(m.without_first(m.first(m.reversed_text(m.first(after, size)), size), -end))
        else:
            cut = m.reversed_text(m.without_first(m.reversed_text(m.without_first(after, begin)), -end))
        return self.of(inner, cut, missing)

    # --- numbers and days of texts

    def numeric(self, node: Node) -> Machine:
        """A test of one number of a string: its length, a position in it, or the number it converts to."""
        chosen = _choice(node)
        if chosen is not None:
            return self.of_choice(node, chosen)
        if all(isinstance(part, Call | Items | Literal) for part in walk(node)):
            return constant(compile_node(node)({}))
        numbers = set(_numbers(node))
        if len(numbers) != 1:
            raise Opaque
        (number,) = numbers
        variable = x_of(number.type)
        test = substituted(node, number, variable)
        if any(part == self.variable for part in walk(test)):
            raise Opaque
        found = outcomes(test, variable)
        if number.op in _FRACTIONS:
            return self.of(number.args[0], fraction(number.type, found), found.others[0])
        if number.op == "length":
            return self.of(number.args[0], m.counted(found, _MOST_LENGTH), found.others[0])
        cells = found.line()
        return self.number(number, cells.starts, cells.labels, found.others[0])

    def of_choice(self, node: Node, chosen: Call) -> Machine:
        """A test of a number or of a day that is one of two."""
        test, *values = chosen.args
        ways = [substituted(node, chosen, one) for one in (*values, Literal(chosen.type, None))]
        return product([self.small(one) for one in (test, *ways)], _way)

    def kept_parts(self, kept: Quantifier, most: int, label: Callable[[int | None], Label]) -> Machine:
        """The label of the number of parts that a filter keeps, if only none and some differ."""
        if (
            kept.kind != "filter"
            or not isinstance(kept.source, Call)
            or kept.source.op != "split"
            or most > 2
        ):
            raise Opaque
        body = Texts(Variable(STRING, kept.variable)).closed(kept.body)
        some = self.parts("any", kept.source, relabelled(body, lambda passed: passed is True))
        return relabelled(some, lambda found: label(None if found is None else int(found)))

    def number(
        self, node: Call, starts: tuple[int, ...], labels: tuple[Label, ...], unknown: Label
    ) -> Machine:
        """The label of the range that contains the number that a function returns."""

        def label(value: int | None) -> Label:
            return unknown if value is None else labels[sum(start <= value for start in starts) - 1]

        removed = _removed(node)
        if removed is not None:
            inner, text, size = removed
            most = max(starts[-1], 0) // size + 1
            if most > _MOST_LENGTH:
                raise Opaque
            counted = relabelled(m.occurrences(text, most), lambda count: label(count * size))
            return self.of(inner, counted, unknown)
        inner = node.args[0]
        if node.op in ("length", "position", "size"):
            most = max(starts[-1], 0) + 1
            if most > _MOST_LENGTH:
                raise Opaque
            if isinstance(inner, Quantifier):
                return self.kept_parts(inner, most, label)
            if node.op == "size":
                by, limit = _split_by(inner)
                parts = relabelled(m.split_parts(by, limit, most), label)
                return self.of(children(inner)[0], parts, unknown)
            wanted = node.args[1]
            if not isinstance(wanted, Literal) or not isinstance(wanted.value, str):
                raise Opaque
            return self.of(inner, relabelled(m.position(wanted.value, most), label), unknown)
        if inner.type != STRING:
            raise Opaque
        if node.op == "ascii":
            return self.of(inner, relabelled(m.first_code(starts), label), unknown)
        if node.op == "to_int":
            return self.of(
                inner,
                relabelled(integer(starts), lambda piece: unknown if piece is None else labels[piece]),
                unknown,
            )
        return self.of(inner, day(starts, labels, unknown), unknown)


def _chosen(missing: Label, test: Label, yes: Label, no: Label) -> Label:
    return missing if test is None else yes if test else no


def _way(test: Label, yes: Label, no: Label, unknown: Label) -> Label:
    return unknown if test is None else yes if test else no


def _choice(node: Node) -> Call | None:
    """The first choice between numbers or days, outside of texts."""
    if node.type == STRING or not isinstance(node, Call) or _is_number(node):
        return None
    if node.op == "cond" and node.type != BOOLEAN:
        return node
    return next(filter(None, map(_choice, node.args)), None)


def _first_present(missing: Label, *labels: Label) -> Label:
    return next((label for label in labels if label != _MISSING), missing)


def _reads_only(node: Node, variable: Node) -> bool:
    return not any(isinstance(part, Field | Variable) and part != variable for part in walk(node))


def _numbers(node: Node) -> Iterator[Call]:
    """The numbers that a test reads from strings."""
    if isinstance(node, Call) and (_is_number(node) or _removed(node) is not None):
        yield node
        return
    for part in children(node):
        yield from _numbers(part)


def _is_number(node: Call) -> bool:
    """Whether a node is what a string converts to, or a count of its characters or parts."""
    return node.op in _NUMBERS or (node.op in _FRACTIONS and node.args[0].type == STRING)


def _removed(node: Node) -> tuple[Node, str, int] | None:
    """The text, the string and its length if a node is how much shorter a text is without the string."""
    match node:
        case Call(
            op="sub",
            args=(
                Call(op="length", args=(text,)),
                Call(
                    op="length",
                    args=(Call(op="replace", args=(inner, Literal(value=str(old)), Literal(value=""))),),
                ),
            ),
        ) if text == inner and old:
            return text, old, len(old)
        case _:
            return None


def place_of(node: Node, text: Node) -> tuple[bool, int]:
    """A position as a pair: whether it is relative to the length of the string or to the number of its parts,
    and the offset.
    """
    match node:
        case Literal(value=int(value)):
            return False, value
        case Call(op="length" | "size", args=(inner,)) if inner == text:
            return True, 0
        case Call(op="add", args=(left, Literal(value=int(value)))):
            factor, base = place_of(left, text)
            return factor, base + value
        case Call(op="add", args=(Literal(value=int(value)), right)):
            factor, base = place_of(right, text)
            return factor, base + value
        case Call(op="sub", args=(left, Literal(value=int(value)))):
            factor, base = place_of(left, text)
            return factor, base - value
        case _:
            raise Opaque


def with_nulls(node: Node) -> Node:
    """The array of which a filter keeps the elements that are not NULL; other nodes as they are."""
    match node:
        case Quantifier(kind="filter", source=source, variable=name, body=Call(op="not", args=(test,))) if (
            isinstance(test, Call) and test.op == "is_null" and isinstance(test.args[0], Variable)
        ):
            return source if test.args[0].name == name else node
        case _:
            return node


def _position(node: Node, text: Node) -> Call | None:
    """Where a text first has a constant, if a node depends on it."""
    for part in walk(node):
        match part:
            case Call(op="position", args=(inner, Literal(value=str(wanted)))) if wanted and inner == text:
                return part
    return None


def _beside(node: Node, position: Node, *, found: bool) -> tuple[bool, int]:
    """A place as a pair: whether it is relative to a position, which is 0 unless `found`, and the offset."""
    if node == position:
        return found, 0
    match node:
        case Literal(value=int(value)):
            return False, value
        case Call(op="add" | "sub" as op, args=(left, Literal(value=int(value)))):
            is_relative, offset = _beside(left, position, found=found)
            return is_relative, offset + (value if op == "add" else -value)
        case Call(
            op="cond", args=(Call(op="lt" | "eq" as op, args=(left, Literal(value=int(limit)))), yes, no)
        ):
            is_relative, least = _beside(left, position, found=found)
            least += is_relative  # a position is at least 1
            holds = least < limit if op == "lt" else least == limit
            if is_relative and (holds or least < limit):
                raise Opaque
            return _beside(yes if holds else no, position, found=found)
        case _:
            raise Opaque


def _at_least_zero(node: Node) -> Node:
    """The number of which 0 is taken if it is negative; other nodes as they are."""
    match node:
        case Call(op="cond", args=(Call(op="lt", args=(left, Literal(value=0))), Literal(value=0), right)):
            return left if left == right else node
        case _:
            return node


def _split_by(node: Node) -> tuple[str, int]:
    match node:
        case Call(op="split", args=(_, Literal(value=str(by)))):
            most = 0
        case Call(op="split", args=(_, Literal(value=str(by)), Literal(value=int(most)))):
            pass
        case _:
            raise Opaque
    if not by or most < 0:
        raise Opaque
    return by, most


def _unchanged(result: Node, text: Node) -> Node | None:
    """A test that a function does not change a string; None if there is no such test."""
    match result:
        case Call(op="lower", args=(inner,)) if inner == text:
            return _never(text, "[A-Z]")
        case Call(op="upper", args=(inner,)) if inner == text:
            return _never(text, "[a-z]")
        case Call(op="trim", args=(inner,)) if inner == text:
            return _never(text, "^ | $")
        case Call(op="ltrim", args=(inner,)) if inner == text:
            return _never(text, "^ ")
        case Call(op="rtrim", args=(inner,)) if inner == text:
            return _never(text, " $")
        case Call(op="strip", args=(inner, Literal(value=str(chars)))) if inner == text and chars:
            listed = "".join(f"\\x{{{ord(char):x}}}" for char in chars)
            return _never(text, f"^[{listed}]|[{listed}]$")
        case Call(op="replace", args=(inner, Literal(value=str(old)) as wanted, Literal(value=new))) if (
            inner == text and old and old != new
        ):
            return Call(BOOLEAN, "not", (Call(BOOLEAN, "contains", (text, wanted)),))
        case _:
            return None


def _never(text: Node, pattern: str) -> Node:
    return Call(BOOLEAN, "not", (Call(BOOLEAN, "matches", (text, Literal(STRING, pattern))),))


_CASES: dict[str, tuple[Callable[[int], int], tuple[int, int]]] = {
    "lower": (lambda code: code + 32 if 65 <= code <= 90 else code, (65, 91)),
    "upper": (lambda code: code - 32 if 97 <= code <= 122 else code, (97, 123)),
}


def _booleans(node: Call) -> Machine:
    """The conversion of a string to a boolean."""
    run = compile_node(Call(node.type, node.op, (x_of(STRING),)))
    texts = ("true", "TRUE", "True", "t", "1", "false", "FALSE", "False", "f", "0")
    return product(
        [relabelled(m.one_of([text]), bool) for text in texts],
        lambda *found: next((run({"x": text}) for text, own in zip(texts, found, strict=True) if own), None),
    )


# By operator: the machine of a function of a text, as `Texts.of` gives it.
_FUNCTIONS: dict[str, Callable[[Texts, Call, Machine, Label], Machine]] = {
    **dict.fromkeys(("lower", "upper"), Texts.letter_case),
    **dict.fromkeys(("trim", "ltrim", "rtrim", "strip"), Texts.trimmed),
    "reverse": Texts.backwards,
    "concat": Texts.joined,
    "join": Texts.joined_parts,
    **dict.fromkeys(("lpad", "rpad"), Texts.padded),
    **dict.fromkeys(("regex_extract", "regex_replace"), Texts.captured),
    **dict.fromkeys(("replace", "replace_each"), Texts.replaced),
    "substr": Texts.substring,
    "index": Texts.part,
    "cond": Texts.choice,
    "coalesce": Texts.first_present,
    **dict.fromkeys(("greatest", "least"), Texts.extreme),
}
