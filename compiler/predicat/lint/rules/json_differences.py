"""P515: conditions over JSON in `postgres` and `duckdb` bodies whose rows may differ from the engine's own.

`POINTS` has all points in which they may: the lists of `docs/languages_sql.md` are its sentences.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TypeGuard

from msgspec import Struct

from predicat.diagnostics import Severity
from predicat.forms.json_values import is_text
from predicat.ir.nodes import Call, Field, Items, Literal, Node, Quantifier, children, walk
from predicat.ir.operators import COMPARISONS
from predicat.ir.surface import HALF_EVEN, HALF_UP, TEXT_CASTS
from predicat.ir.types import BIGINT, BOOLEAN, JSON, STRING
from predicat.lint.rule import Context, Finding, Rule


class Point(Struct, frozen=True):
    """A point in which a language may differ from its engine.

    Attributes:
        name: Its name in tests.
        sentence: What differs, in Markdown. Its first sentence is the message.
        recognised: Finds the parts of a surface predicate that may differ.
        instead: The languages, with conditions that mean the same on both.
    """

    name: str
    sentence: str
    recognised: Callable[[Node], Iterator[Node]]
    instead: Mapping[str, tuple[str, ...]]

    @property
    def message(self) -> str:
        """The first sentence as plain text."""
        return self.sentence.partition(". ")[0].replace("`", "").removesuffix(".")

    def hint(self, language: str) -> str:
        """What to write instead."""
        return f"write {', or '.join(self.instead[language])}"


def check(context: Context) -> Iterator[Finding]:
    for filter_, _ in context.filters():
        language, surface = filter_.current.language, filter_.current.predicate.surface
        for point in of_language(language):
            for span in dict.fromkeys(part.span for part in point.recognised(surface)):
                yield Finding(RULE.code, filter_.qualified, point.message, span, point.hint(language))


# --- numbers

_TO_WHOLE = frozenset({HALF_UP, HALF_EVEN, TEXT_CASTS[BIGINT]})
_EXACT = 2**53
_WITH_POINT = re.compile(r"-?[0-9]+\.[0-9]+")


def _rounded(node: Node) -> Iterator[Node]:
    """JSON as an integer of 64 bits, constants that a double does not hold, and `->>` beside a number."""
    match node:
        case Call(op="int32"):
            return
        case Call(op="cond", args=(Call(op="and", args=(Call(args=(first, _)), _)), value, _)) if (
            first == value
        ):
            return  # the range of a narrower integer
        case Call(op="or", args=args) if _is_written_number(args):
            yield node
        case Call(op=op, args=(left, Literal(value=value))) if op in COMPARISONS and _reads_json(left):
            if _WITH_POINT.fullmatch(value) if isinstance(value, str) else _is_wide(value):
                yield node
        case Call(op=op) if op in _TO_WHOLE and _reads_json(node):
            yield node
        case _:
            pass
    for part in children(node):
        yield from _rounded(part)


def _reads_json(node: Node) -> bool:
    return any(part.type == JSON for part in walk(node))


def _is_wide(value: object) -> bool:
    return isinstance(value, int | float) and abs(value) >= _EXACT


def _is_written_number(tests: tuple[Node, ...]) -> bool:
    """Whether a JSON value is compared with a string, and with the number that the string is."""
    equal = {
        (test.args[0], type(test.args[1].value) is str, str(test.args[1].value))
        for test in tests
        if isinstance(test, Call) and test.op == "eq" and isinstance(test.args[1], Literal)
    }
    return any(text and (node, False, word) in equal for node, text, word in equal)


def _rounded_or_equal(node: Node) -> Iterator[Node]:
    """The same, and JSON beside a number in a constant string."""
    yield from _rounded(node)
    for part in walk(node):
        match part:
            case Call(op="eq", args=(left, Literal(value=int() | float() as value))):
                if left.type == JSON and not isinstance(value, bool):
                    yield part
            case _:
                pass


# --- strings

# Operators that mean the same for the string of any JSON value, or have it as their result.
_ANY_TEXT = frozenset({*TEXT_CASTS.values(), "is_null", "coalesce", "cond", "strip"})


def _texts(node: Node) -> Iterator[Node]:
    """Operators on the string of `->>`."""
    for part, known in _with_known(node, "string", frozenset()):
        texts = [arg for arg in children(part) if _has_text(arg)]
        if isinstance(part, Call) and part.op not in _ANY_TEXT:
            yield from (part for text in texts if not (is_text(text) and text.args[0] in known))


def _with_known(node: Node, kind: str, known: frozenset[Node]) -> Iterator[tuple[Node, frozenset[Node]]]:
    """A node and its parts, with the JSON values that are of a kind there, as other conditions test."""
    yield node, known
    parts = children(node)
    op = node.op if isinstance(node, Call) else ""
    tests = parts if op == "and" else parts[:1] if op == "cond" else ()
    inner = known.union(value for test in tests if (value := _of_kind(test, kind)) is not None)
    for place, part in enumerate(parts):
        yield from _with_known(part, kind, known if op == "cond" and place == _OTHERWISE else inner)


# The place of the value of a choice whose test is not TRUE.
_OTHERWISE = 2


def _of_kind(test: Node, kind: str) -> Node | None:
    """The JSON value that is of a kind if a test is TRUE; None for any other test."""
    match test:
        case Call(op="cond", args=(_, Literal(value=False), other)):
            return _of_kind(other, kind)
        case Call(op="json_is", args=(value, Literal(value=name))) if name == kind:
            return value
        case _:
            return None


def _has_text(node: Node) -> bool:
    match node:
        case Call(op="cond" | "coalesce" | "strip", args=args):
            return any(map(_has_text, args))
        case Items(items=items):
            return any(map(_has_text, items))
        case _:
            return is_text(node)


# --- columns

_LOOK_UPS = frozenset({"json_get", "json_at", "json_null", "json_values"})


def _columns(node: Node) -> Iterator[Node]:
    """Conditions on a whole column. Where only TRUE counts, most of them are alike for FALSE and UNKNOWN."""
    match node:
        case Call(op="or", args=(Call(op="is_null", args=one), other)) if _is_json_null(other, one):
            pass
        case Call(op="and" | "or" | "is_true", args=args):
            for arg in args:
                yield from _columns(arg)
        case Call(
            op="cond", args=(Call(op="is_null", args=(Field(),)), Literal(value=None), Call() as other)
        ):
            yield from _columns(other)
        case Call(op="cond", args=(Call(op="json_is"), yes, Literal(value=False))):
            yield from _columns(yes)
        case (
            Call(op="json_is")
            | Quantifier()
            | Call(op="eq", args=(Field() | Call(op="json_size"), Literal()))
        ):
            pass
        case _ if any(map(_reads_column, walk(node))):
            yield node


def _is_json_null(node: Node, column: tuple[Node, ...]) -> bool:
    """Whether a condition is `doc = 'null'`, which is never TRUE of a column."""
    absent, no = Call(BOOLEAN, "is_null", column), Literal(BOOLEAN, False)
    return isinstance(column[0], Field) and node == Call(
        BOOLEAN, "cond", (absent, Literal(BOOLEAN, None), no)
    )


def _reads_column(part: Node) -> bool:
    columns = [arg for arg in children(part) if isinstance(arg, Field) and arg.type == JSON]
    return bool(columns) and isinstance(part, Call | Quantifier) and getattr(part, "op", "") not in _LOOK_UPS


# --- elements


def _first_elements(node: Node) -> Iterator[Node]:
    """`->` with 0; a path has the key 0, too."""
    parts = [part for part in walk(node) if isinstance(part, Call)]
    paths = {part.args[0] for part in parts if part.op == "json_get" and part.args[1] == Literal(STRING, "0")}
    for part, known in _with_known(node, "array", frozenset()):
        if _is_first(part) and part.args[0] not in paths | known:
            yield part


def _is_first(node: Node) -> TypeGuard[Call]:
    return isinstance(node, Call) and node.op == "json_at" and node.args[1] == Literal(BIGINT, 0)


POINTS = (
    Point(
        "number",
        "Numbers of JSON are doubles, and `->>` writes them in the shortest form: 5.0 is `'5'`. Whole numbers"
        " above 2<sup>53</sup> are rounded, also by `::bigint`, and so are numbers of more than 15 digits.",
        _rounded,
        {"postgres": ("(doc ->> 'n')::numeric = 5", "(doc ->> 'n')::int = 5")},
    ),
    Point(
        "number",
        "Numbers of JSON are doubles, and `->>` writes them in the shortest form: 5.0 equals `'5'`. Whole "
        "numbers above 2<sup>53</sup> are rounded, also by `::BIGINT`.",
        _rounded_or_equal,
        {"duckdb": ("(doc ->> 'n')::DOUBLE = 5", "(doc ->> 'n')::INT = 5")},
    ),
    Point(
        "text",
        "`->>` of an array, an object or a number with decimals is UNKNOWN, except beside =, <>, IN, IS NULL "
        "and `coalesce` with constants, and in casts. It differs in `(doc ->> 'a') LIKE 'x%'`, "
        "`length(doc ->> 'a') > 1` and `(doc ->> 'a') > 'x'`.",
        _texts,
        {
            "postgres": (
                "doc ->> 'a' IN ('x', 'y')",
                "(doc ->> 'a')::numeric > 5",
                "jsonb_typeof(doc -> 'a') = 'string' AND doc ->> 'a' LIKE 'x%'",
            ),
            "duckdb": ("(doc ->> 'a') IN ('x', 'y')", "(doc ->> 'a')::DOUBLE > 5"),
        },
    ),
    Point(
        "column",
        "A column that is JSON null as a whole is NULL.",
        _columns,
        dict.fromkeys(("postgres", "duckdb"), ("doc IS NULL OR doc = 'null'",)),
    ),
    Point(
        "element",
        "`doc -> 0` of a number, a string or a boolean is UNKNOWN, and the value itself on PostgreSQL.",
        _first_elements,
        {"postgres": ("jsonb_typeof(doc -> 'a') = 'array' AND doc -> 'a' ->> 0 = 'x'",)},
    ),
)


def of_language(language: str) -> list[Point]:
    """The points of a language, in the order of its page."""
    return [point for point in POINTS if language in point.instead]


RULE = Rule(
    "P515",
    "json-difference",
    "A condition over JSON that PostgreSQL or DuckDB itself may answer otherwise.",
    check,
    Severity.NOTE,
)
