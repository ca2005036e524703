"""CloudEvents SQL, version 1: expressions over the attributes of an event.

Strings, 32-bit integers and booleans, with the implicit casts of the specification: the left side of a
comparison is cast to the type of the right side, and the values of IN are cast to the type of its left side.
If the specification returns an error together with a value (a missing attribute, a failed cast, division by
zero), the result is UNKNOWN, and FALSE AND UNKNOWN is FALSE. LOWER and UPPER change A to Z only. Source:
CloudEvents Expression Language 1.0.0.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from msgspec import Struct

from predicat.diagnostics import Source, Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import selectors as say
from predicat.forms.failing import EVERY_EVENT
from predicat.ir import syntax as t
from predicat.ir.limits import MAX_DEPTH
from predicat.ir.nodes import FieldDecl
from predicat.ir.types import BIGINT, BOOLEAN, JSON, STRING
from predicat.ir.values import WHITE_SPACE
from predicat.language.cesql.spelling import (
    CALCULATED,
    COMPARED,
    CONNECTED,
    INT_MAX,
    KEYWORDS,
    TEXT_TOKEN,
    canonical,
    unquoted,
)
from predicat.language.cesql.spelling import FUNCTIONS as FUNCTIONS_OF_TEXTS
from predicat.language.common.body import Body
from predicat.language.common.lexer import TokenReader
from predicat.language.common.trees import any_of, apply, cast_to

TEXT, INTEGER, TRUTH, ANY = "String", "Integer", "Boolean", "any"
_TOKEN = re.compile(
    rf"\s*(?:(?P<text>{TEXT_TOKEN.pattern})|(?P<number>[0-9]+(?!\w))|(?P<word>[A-Za-z0-9_]+)|(?P<sign><>|!=|<=|>=|[=<>+*/%(),-]))",
    re.DOTALL,
)
_LEVELS = (tuple(CONNECTED), tuple(COMPARED), ("+", "-"), ("*", "/", "%"))


_MIXED = "AND, OR and XOR have one precedence in CESQL: write parentheses around what belongs together"


class Typed(Struct, frozen=True):
    """A tree and its CESQL type; `any` if an attribute's type is known only at run time."""

    tree: t.Tree
    kind: str


def _outermost(tree: t.Tree) -> t.Tree:
    """The tree with Kleene's AND where FALSE and UNKNOWN are the same: both reject an event."""
    if not isinstance(tree, t.OperatorCall) or tree.op not in ("cesql.and", "cesql.or"):
        return tree
    if tree.op == "cesql.and":
        return apply("and", tree.span, *tuple(map(_outermost, tree.args)))
    return apply(tree.op, tree.span, *tree.args[:-1], _outermost(tree.args[-1]))


def parse(body: Body) -> t.Tree:
    """The untyped tree of a CESQL expression. Raises PredicatError."""
    return parse_text(body.text(say.CESQL_EXPRESSION), body.source, body.on, body.fields)


def parse_text(text: str, source: Source, on: str | None, fields: Mapping[str, FieldDecl] | None) -> t.Tree:
    """The untyped tree of a CESQL text. Raises PredicatError."""
    whole = Span(source, 0, len(text))
    parser = _Parser(Body(text, source, whole, on, fields))
    return parser.tree(lambda: parser.top(text))


class _Parser(TokenReader):
    pattern = _TOKEN
    any_case = True
    language = "CESQL"
    tested = False
    """Whether the last operand is a test by LIKE or IN without parentheses."""

    # --- grammar

    def top(self, text: str) -> t.Tree:
        if not text.strip():
            raise self.fail(msg.empty_condition(self.whole))
        self.scan(text)
        tree = self.level(0, 0)
        if self.tokens[self.position][0] != "end":
            raise self.unexpected()
        if tree.kind == INTEGER:
            raise self.fail(msg.not_boolean(tree.tree.span, INTEGER))
        return _outermost(self.truth(tree).tree)

    def level(self, number: int, depth: int) -> Typed:
        if depth > MAX_DEPTH:
            raise self.fail(msg.too_deep(self.tokens[self.position][2], MAX_DEPTH))
        if number == len(_LEVELS):
            return self.postfix(depth)
        left = self.level(number + 1, depth)
        first = self.peek()
        while self.peek() in _LEVELS[number] and self.tokens[self.position][0] in ("word", "sign"):
            operator = self.peek()
            *_, at = self.take()
            if operator != first and number == 0:
                raise self.fail(say.mixed_operators(at, operator, first, _MIXED))
            left = self.binary(operator, left, self.level(number + 1, depth))
        return left

    def postfix(self, depth: int) -> Typed:
        """LIKE and IN bind tighter than all other binary operators."""
        operand = self.unary(depth)
        self.tested = False
        while True:
            negate = self.peek() == "NOT" and self.peek(1) in ("LIKE", "IN")
            if not negate and self.peek() not in ("LIKE", "IN"):
                return operand
            if negate:
                self.take()
            word = self.peek()
            self.take()
            operand = self.like(operand) if word == "LIKE" else self.within(operand, depth)
            self.tested = True
            if negate:
                operand = Typed(apply("not", operand.tree.span, operand.tree), TRUTH)

    def unary(self, depth: int) -> Typed:
        if depth > MAX_DEPTH:
            raise self.fail(msg.too_deep(self.tokens[self.position][2], MAX_DEPTH))
        kind, word, span = self.tokens[self.position]
        match self.peek():
            case "NOT":
                self.take()
                inner = self.truth(self.postfix(depth + 1))
                ahead = "cesql.not" if self.tested else "not"
                return Typed(apply(ahead, span.to(inner.tree.span), inner.tree), TRUTH)
            case "-":
                self.take()
                inner = self.integer(self.unary(depth + 1))
                return self.small(apply("neg", span.to(inner.tree.span), inner.tree))
            case "+" if self.tokens[self.position + 1][0] == "number":
                self.take()
                return self.unary(depth + 1)
            case "EXISTS":
                self.take()
                name, at = self.existing()
                absent = apply("is_null", span.to(at), self.key(name, at))
                return Typed(apply("not", absent.span, absent), TRUTH)
            case "(":
                self.take()
                inner = self.level(0, depth + 1)
                self.take(")")
                return inner
            case "TRUE" | "FALSE":
                self.take()
                return Typed(t.Constant(word.upper() == "TRUE", span), TRUTH)
            case _:
                pass
        self.take()
        if kind == "text":
            return Typed(t.Constant(unquoted(word), span), TEXT)
        if kind == "number":
            digits = word.lstrip("0") or "0"
            if len(digits) > 10 or int(digits) > INT_MAX + (
                self.tokens[self.position - 2][1] == "-" if self.position > 1 else 0
            ):
                raise self.fail(say.number_of_32_bits(span, word))
            return Typed(t.Constant(int(digits), span), INTEGER)
        if kind != "word" or word.upper() in KEYWORDS:
            self.position -= 1
            raise self.unexpected()
        if self.peek() == "(":
            return self.function(word, span, depth)
        return self.read(word, span)

    def existing(self) -> tuple[str, Span]:
        """The operand of EXISTS. As in the conformance kit, those of every event may be in any case."""
        kind, word, span = self.take()
        if kind not in ("word", "number") or word.upper() in KEYWORDS:
            self.position -= 1
            raise self.unexpected(say.ATTRIBUTE_NAME)
        return (word.lower() if word.lower() in EVERY_EVENT else self.named(word, span)), span

    def named(self, name: str, span: Span) -> str:
        """The name of an attribute. Names have no uppercase letters, unless the dataset declares such a
        field.
        """
        declared = self.fields is not None and self.declared_name(name) in self.fields
        if name == name.lower() or declared:
            return name
        raise self.fail(say.no_attribute_name(span, name))

    def read(self, name: str, span: Span) -> Typed:
        name = self.named(name, span)
        kinds = {STRING: TEXT, BIGINT: INTEGER, BOOLEAN: TRUTH, JSON: ANY}
        declared = self.key_type(name)
        key = self.key(name, span)
        if declared not in kinds:
            return Typed(cast_to("to_string", key, span), TEXT)
        return Typed(key, kinds[declared])

    # --- operators

    def binary(self, operator: str, left: Typed, right: Typed) -> Typed:
        span = left.tree.span.to(right.tree.span)
        if operator in CONNECTED:
            a, b = self.truth(left).tree, self.truth(right).tree
            op = CONNECTED[operator] if operator == "XOR" else f"cesql.{CONNECTED[operator]}"
            chain = (
                a.args if operator != "XOR" and isinstance(a, t.OperatorCall) and a.op == op else (a,)
            )  # a long chain is flat, not deep
            return Typed(apply(op, span, *chain, b), TRUTH)
        if operator in ("=", "!=", "<>"):
            return self.equal(left, right, span, negate=operator != "=")
        a, b = self.integer(left).tree, self.integer(right).tree
        if operator in COMPARED:
            return Typed(apply(COMPARED[operator], span, a, b), TRUTH)
        return self.small(apply(CALCULATED[operator], span, a, b))

    def equal(self, left: Typed, right: Typed, span: Span, *, negate: bool = False) -> Typed:
        """An equality. The left side is cast to the type of the right side."""

        def compare(one: Typed) -> t.Tree:
            other = self.as_kind(left, one.kind)
            return apply("ne" if negate else "eq", span, other.tree, one.tree)

        return Typed(self.by_kind(right, compare), TRUTH)

    def like(self, left: Typed) -> Typed:
        kind, word, span = self.take()
        if kind != "text":
            self.position -= 1
            raise self.unexpected("a string")
        pattern = canonical(unquoted(word))
        return Typed(
            apply("like", left.tree.span.to(span), self.string(left).tree, t.Constant(pattern, span)), TRUTH
        )

    def within(self, left: Typed, depth: int) -> Typed:
        """IN: the values are cast to the type of the left side."""
        self.take("(")
        tests: list[t.Tree] = []
        while not tests or self.accept(","):
            tests.append(self.equal(self.level(0, depth + 1), left, left.tree.span).tree)
        _, _, end = self.take(")")
        span = left.tree.span.to(end)
        return Typed(any_of(tests, span), TRUTH)

    # --- casts

    def as_kind(self, value: Typed, kind: str) -> Typed:
        return {TEXT: self.string, INTEGER: self.integer, TRUTH: self.truth}[kind](value)

    def by_kind(self, value: Typed, use: Callable[[Typed], t.Tree]) -> t.Tree:
        """`use(value)`. For a value without a type, `use` of each type, chosen at run time."""
        if value.kind != ANY:
            return use(value)
        tree, span = value.tree, value.tree.span
        result: t.Tree = t.Constant(None, span)
        whole = cast_to("to_int", apply("json_number", span, tree), span)
        for name, kind, read in (
            ("number", INTEGER, whole),
            ("boolean", TRUTH, apply("json_boolean", span, tree)),
            ("string", TEXT, apply("json_string", span, tree)),
        ):
            test, made = (apply("json_is", span, tree, t.Constant(name, span)), use(Typed(read, kind)))
            if not all(
                isinstance(part, t.Constant) and part.value is None for part in (made, result)
            ):  # a choice between no values has no type
                result = apply("cond", span, test, made, result)
        return result

    def string(self, value: Typed) -> Typed:
        def use(one: Typed) -> t.Tree:
            return one.tree if one.kind == TEXT else cast_to("to_string", one.tree)

        return Typed(self.by_kind(value, use), TEXT)

    def integer(self, value: Typed) -> Typed:
        def use(one: Typed) -> t.Tree:
            return one.tree if one.kind == INTEGER else self.small(cast_to("to_int", one.tree)).tree

        return Typed(self.by_kind(value, use), INTEGER)

    def truth(self, value: Typed) -> Typed:
        """A value as a boolean: `true` or `false` in any case. An integer is an error."""

        def use(one: Typed) -> t.Tree:
            span = one.tree.span
            if one.kind == TRUTH:
                return one.tree
            if one.kind == INTEGER:
                return t.Constant(None, span)
            lower = apply("lower", span, one.tree)
            known = apply(
                "in", span, lower, t.ListLiteral((t.Constant("true", span), t.Constant("false", span)), span)
            )
            return apply(
                "cond",
                span,
                known,
                apply("eq", span, lower, t.Constant("true", span)),
                t.Constant(None, span),
            )

        return Typed(self.by_kind(value, use), TRUTH)

    def small(self, tree: t.Tree) -> Typed:
        """A 32-bit integer. Overflow is an error (UNKNOWN)."""
        return Typed(apply("int32", tree.span, tree), INTEGER)

    # --- functions

    def function(self, name: str, start: Span, depth: int) -> Typed:
        self.take("(")
        args: list[Typed] = []
        while self.peek() != ")":
            if args:
                self.take(",")
            args.append(self.level(0, depth + 1))
        _, _, end = self.take(")")
        span = start.to(end)
        function = FUNCTIONS.get(name.upper())
        if function is None:
            raise self.fail(msg.unknown_function(start, name, FUNCTIONS))
        low, high, build = function
        if not low <= len(args) <= high:
            expected = msg.arguments(low, None if high > 9 else high)
            raise self.fail(msg.wrong_argument_count(start, name, len(args), expected))
        return build(self, args, span)


# --- the built-in functions

Build = Callable[[_Parser, list[Typed], Span], Typed]


def _bool(parser: _Parser, args: list[Typed], span: Span) -> Typed:
    def use(one: Typed) -> t.Tree:
        return (
            apply("ne", span, one.tree, t.Constant(0, span))
            if one.kind == INTEGER
            else parser.truth(one).tree
        )

    return Typed(parser.by_kind(args[0], use), TRUTH)


def _is(kind: str, name: str) -> Build:
    """IS_INT and IS_BOOL: whether the value can be cast."""

    def build(parser: _Parser, args: list[Typed], span: Span) -> Typed:
        cast = _bool(parser, args, span) if name == "bool" else parser.as_kind(args[0], kind)
        failed = apply("is_null", span, cast.tree)
        absent = apply("is_null", span, args[0].tree)
        result = apply("cond", span, absent, t.Constant(None, span), apply("not", span, failed))
        return Typed(result, TRUTH)

    return build


def _concat(parser: _Parser, args: list[Typed], span: Span) -> Typed:
    tree: t.Tree = t.Constant("", span)
    for index, arg in enumerate(args):
        text = parser.string(arg).tree
        tree = text if index == 0 else apply("concat", span, tree, text)
    return Typed(tree, TEXT)


def _concat_ws(parser: _Parser, args: list[Typed], span: Span) -> Typed:
    parts: list[Typed] = []
    for arg in args[1:]:
        parts += [arg] if not parts else [args[0], arg]
    return _concat(parser, parts, span)


def _text(op: str, *more: str) -> Build:
    def build(parser: _Parser, args: list[Typed], span: Span) -> Typed:
        constants = tuple(t.Constant(text, span) for text in more)
        return Typed(apply(op, span, parser.string(args[0]).tree, *constants), TEXT)

    return build


def _length(parser: _Parser, args: list[Typed], span: Span) -> Typed:
    return Typed(apply("length", span, parser.string(args[0]).tree), INTEGER)


def _left(parser: _Parser, args: list[Typed], span: Span) -> Typed:
    text, count = parser.string(args[0]).tree, parser.integer(args[1]).tree
    return Typed(apply("substr", span, text, t.Constant(1, span), count), TEXT)


def _right(parser: _Parser, args: list[Typed], span: Span) -> Typed:
    text, count = parser.string(args[0]).tree, parser.integer(args[1]).tree
    start = apply("add", span, apply("sub", span, apply("length", span, text), count), t.Constant(1, span))
    fits = apply("ge", span, count, t.Constant(0, span))
    return Typed(apply("cond", span, fits, apply("substr", span, text, start), t.Constant(None, span)), TEXT)


def _substring(parser: _Parser, args: list[Typed], span: Span) -> Typed:
    """SUBSTRING from a position that counts from 1, or from the end if it is negative. Position 0 gives the
    empty text; a position outside of the text is an error (UNKNOWN).
    """
    text, at = parser.string(args[0]).tree, parser.integer(args[1]).tree
    length = apply("length", span, text)
    rest = (parser.integer(args[2]).tree,) if len(args) == 3 else ()
    zero, nothing = t.Constant(0, span), t.Constant(None, span)
    backwards = apply("add", span, apply("add", span, length, at), t.Constant(1, span))
    forward = apply(
        "cond", span, apply("le", span, at, length), apply("substr", span, text, at, *rest), nothing
    )
    outside = apply("le", span, apply("neg", span, at), length)
    behind = apply("cond", span, outside, apply("substr", span, text, backwards, *rest), nothing)
    signed = apply("cond", span, apply("gt", span, at, zero), forward, behind)
    return Typed(apply("cond", span, apply("eq", span, at, zero), t.Constant("", span), signed), TEXT)


FUNCTIONS: dict[str, tuple[int, int, Build]] = {
    "INT": (1, 1, lambda parser, args, _span: parser.integer(args[0])),
    "BOOL": (1, 1, _bool),
    "STRING": (1, 1, lambda parser, args, _span: parser.string(args[0])),
    "IS_INT": (1, 1, _is(INTEGER, "int")),
    "IS_BOOL": (1, 1, _is(TRUTH, "bool")),
    "ABS": (
        1,
        1,
        lambda parser, args, span: parser.small(apply("abs", span, parser.integer(args[0]).tree)),
    ),
    "LENGTH": (1, 1, _length),
    "CONCAT": (0, 100, _concat),
    "CONCAT_WS": (1, 100, _concat_ws),
    **{FUNCTIONS_OF_TEXTS[op]: (1, 1, _text(op)) for op in ("lower", "upper")},
    "TRIM": (1, 1, _text("strip", WHITE_SPACE)),
    "LEFT": (2, 2, _left),
    "RIGHT": (2, 2, _right),
    "SUBSTRING": (2, 3, _substring),
}
