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
        return t.OperatorCall("and", tuple(map(_outermost, tree.args)), tree.span)
    return t.OperatorCall(tree.op, (*tree.args[:-1], _outermost(tree.args[-1])), tree.span)


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
                operand = Typed(t.OperatorCall("not", (operand.tree,), operand.tree.span), TRUTH)

    def unary(self, depth: int) -> Typed:
        if depth > MAX_DEPTH:
            raise self.fail(msg.too_deep(self.tokens[self.position][2], MAX_DEPTH))
        kind, word, span = self.tokens[self.position]
        match self.peek():
            case "NOT":
                self.take()
                inner = self.truth(self.postfix(depth + 1))
                ahead = "cesql.not" if self.tested else "not"
                return Typed(t.OperatorCall(ahead, (inner.tree,), span.to(inner.tree.span)), TRUTH)
            case "-":
                self.take()
                inner = self.integer(self.unary(depth + 1))
                return self.small(t.OperatorCall("neg", (inner.tree,), span.to(inner.tree.span)))
            case "+" if self.tokens[self.position + 1][0] == "number":
                self.take()
                return self.unary(depth + 1)
            case "EXISTS":
                self.take()
                name, at = self.existing()
                absent = t.OperatorCall("is_null", (self.key(name, at),), span.to(at))
                return Typed(t.OperatorCall("not", (absent,), absent.span), TRUTH)
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
            return Typed(t.OperatorCall("cast", (key, t.Constant("to_string", span)), span), TEXT)
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
            return Typed(t.OperatorCall(op, (*chain, b), span), TRUTH)
        if operator in ("=", "!=", "<>"):
            return self.equal(left, right, span, negate=operator != "=")
        a, b = self.integer(left).tree, self.integer(right).tree
        if operator in COMPARED:
            return Typed(t.OperatorCall(COMPARED[operator], (a, b), span), TRUTH)
        return self.small(t.OperatorCall(CALCULATED[operator], (a, b), span))

    def equal(self, left: Typed, right: Typed, span: Span, *, negate: bool = False) -> Typed:
        """An equality. The left side is cast to the type of the right side."""

        def compare(one: Typed) -> t.Tree:
            other = self.as_kind(left, one.kind)
            return t.OperatorCall("ne" if negate else "eq", (other.tree, one.tree), span)

        return Typed(self.by_kind(right, compare), TRUTH)

    def like(self, left: Typed) -> Typed:
        kind, word, span = self.take()
        if kind != "text":
            self.position -= 1
            raise self.unexpected("a string")
        pattern = canonical(unquoted(word))
        return Typed(
            t.OperatorCall(
                "like", (self.string(left).tree, t.Constant(pattern, span)), left.tree.span.to(span)
            ),
            TRUTH,
        )

    def within(self, left: Typed, depth: int) -> Typed:
        """IN: the values are cast to the type of the left side."""
        self.take("(")
        tests: list[t.Tree] = []
        while not tests or self.accept(","):
            tests.append(self.equal(self.level(0, depth + 1), left, left.tree.span).tree)
        _, _, end = self.take(")")
        span = left.tree.span.to(end)
        return Typed(tests[0] if len(tests) == 1 else t.OperatorCall("or", tuple(tests), span), TRUTH)

    # --- casts

    def as_kind(self, value: Typed, kind: str) -> Typed:
        return {TEXT: self.string, INTEGER: self.integer, TRUTH: self.truth}[kind](value)

    def by_kind(self, value: Typed, use: Callable[[Typed], t.Tree]) -> t.Tree:
        """`use(value)`. For a value without a type, `use` of each type, chosen at run time."""
        if value.kind != ANY:
            return use(value)
        tree, span = value.tree, value.tree.span
        result: t.Tree = t.Constant(None, span)
        whole = t.OperatorCall(
            "cast", (t.OperatorCall("json_number", (tree,), span), t.Constant("to_int", span)), span
        )
        for name, kind, read in (
            ("number", INTEGER, whole),
            ("boolean", TRUTH, t.OperatorCall("json_boolean", (tree,), span)),
            ("string", TEXT, t.OperatorCall("json_string", (tree,), span)),
        ):
            test, made = (
                t.OperatorCall("json_is", (tree, t.Constant(name, span)), span),
                use(Typed(read, kind)),
            )
            if not all(
                isinstance(part, t.Constant) and part.value is None for part in (made, result)
            ):  # a choice between no values has no type
                result = t.OperatorCall("cond", (test, made, result), span)
        return result

    def string(self, value: Typed) -> Typed:
        def use(one: Typed) -> t.Tree:
            return one.tree if one.kind == TEXT else _cast(one.tree, "to_string")

        return Typed(self.by_kind(value, use), TEXT)

    def integer(self, value: Typed) -> Typed:
        def use(one: Typed) -> t.Tree:
            return one.tree if one.kind == INTEGER else self.small(_cast(one.tree, "to_int")).tree

        return Typed(self.by_kind(value, use), INTEGER)

    def truth(self, value: Typed) -> Typed:
        """A value as a boolean: `true` or `false` in any case. An integer is an error."""

        def use(one: Typed) -> t.Tree:
            span = one.tree.span
            if one.kind == TRUTH:
                return one.tree
            if one.kind == INTEGER:
                return t.Constant(None, span)
            lower = t.OperatorCall("lower", (one.tree,), span)
            known = t.OperatorCall(
                "in",
                (lower, t.ListLiteral((t.Constant("true", span), t.Constant("false", span)), span)),
                span,
            )
            return t.OperatorCall(
                "cond",
                (
                    known,
                    t.OperatorCall("eq", (lower, t.Constant("true", span)), span),
                    t.Constant(None, span),
                ),
                span,
            )

        return Typed(self.by_kind(value, use), TRUTH)

    def small(self, tree: t.Tree) -> Typed:
        """A 32-bit integer. Overflow is an error (UNKNOWN)."""
        return Typed(t.OperatorCall("int32", (tree,), tree.span), INTEGER)

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


def _cast(tree: t.Tree, target: str) -> t.Tree:
    return t.OperatorCall("cast", (tree, t.Constant(target, tree.span)), tree.span)


# --- the built-in functions

Build = Callable[[_Parser, list[Typed], Span], Typed]


def _bool(parser: _Parser, args: list[Typed], span: Span) -> Typed:
    def use(one: Typed) -> t.Tree:
        return (
            t.OperatorCall("ne", (one.tree, t.Constant(0, span)), span)
            if one.kind == INTEGER
            else parser.truth(one).tree
        )

    return Typed(parser.by_kind(args[0], use), TRUTH)


def _is(kind: str, name: str) -> Build:
    """IS_INT and IS_BOOL: whether the value can be cast."""

    def build(parser: _Parser, args: list[Typed], span: Span) -> Typed:
        cast = _bool(parser, args, span) if name == "bool" else parser.as_kind(args[0], kind)
        failed = t.OperatorCall("is_null", (cast.tree,), span)
        absent = t.OperatorCall("is_null", (args[0].tree,), span)
        result = t.OperatorCall(
            "cond", (absent, t.Constant(None, span), t.OperatorCall("not", (failed,), span)), span
        )
        return Typed(result, TRUTH)

    return build


def _concat(parser: _Parser, args: list[Typed], span: Span) -> Typed:
    tree: t.Tree = t.Constant("", span)
    for index, arg in enumerate(args):
        text = parser.string(arg).tree
        tree = text if index == 0 else t.OperatorCall("concat", (tree, text), span)
    return Typed(tree, TEXT)


def _concat_ws(parser: _Parser, args: list[Typed], span: Span) -> Typed:
    parts: list[Typed] = []
    for arg in args[1:]:
        parts += [arg] if not parts else [args[0], arg]
    return _concat(parser, parts, span)


def _text(op: str, *more: str) -> Build:
    def build(parser: _Parser, args: list[Typed], span: Span) -> Typed:
        constants = tuple(t.Constant(text, span) for text in more)
        return Typed(t.OperatorCall(op, (parser.string(args[0]).tree, *constants), span), TEXT)

    return build


def _length(parser: _Parser, args: list[Typed], span: Span) -> Typed:
    return Typed(t.OperatorCall("length", (parser.string(args[0]).tree,), span), INTEGER)


def _left(parser: _Parser, args: list[Typed], span: Span) -> Typed:
    text, count = parser.string(args[0]).tree, parser.integer(args[1]).tree
    return Typed(t.OperatorCall("substr", (text, t.Constant(1, span), count), span), TEXT)


def _right(parser: _Parser, args: list[Typed], span: Span) -> Typed:
    text, count = parser.string(args[0]).tree, parser.integer(args[1]).tree
    start = t.OperatorCall(
        "add",
        (t.OperatorCall("sub", (t.OperatorCall("length", (text,), span), count), span), t.Constant(1, span)),
        span,
    )
    fits = t.OperatorCall("ge", (count, t.Constant(0, span)), span)
    return Typed(
        t.OperatorCall(
            "cond", (fits, t.OperatorCall("substr", (text, start), span), t.Constant(None, span)), span
        ),
        TEXT,
    )


def _substring(parser: _Parser, args: list[Typed], span: Span) -> Typed:
    """SUBSTRING from a position that counts from 1, or from the end if it is negative. Position 0 gives the
    empty text; a position outside of the text is an error (UNKNOWN).
    """
    text, at = parser.string(args[0]).tree, parser.integer(args[1]).tree
    length = t.OperatorCall("length", (text,), span)
    rest = (parser.integer(args[2]).tree,) if len(args) == 3 else ()
    zero, nothing = t.Constant(0, span), t.Constant(None, span)
    backwards = t.OperatorCall("add", (t.OperatorCall("add", (length, at), span), t.Constant(1, span)), span)
    forward = t.OperatorCall(
        "cond",
        (
            t.OperatorCall("le", (at, length), span),
            t.OperatorCall("substr", (text, at, *rest), span),
            nothing,
        ),
        span,
    )
    outside = t.OperatorCall("le", (t.OperatorCall("neg", (at,), span), length), span)
    behind = t.OperatorCall(
        "cond", (outside, t.OperatorCall("substr", (text, backwards, *rest), span), nothing), span
    )
    signed = t.OperatorCall("cond", (t.OperatorCall("gt", (at, zero), span), forward, behind), span)
    return Typed(
        t.OperatorCall("cond", (t.OperatorCall("eq", (at, zero), span), t.Constant("", span), signed), span),
        TEXT,
    )


FUNCTIONS: dict[str, tuple[int, int, Build]] = {
    "INT": (1, 1, lambda parser, args, _span: parser.integer(args[0])),
    "BOOL": (1, 1, _bool),
    "STRING": (1, 1, lambda parser, args, _span: parser.string(args[0])),
    "IS_INT": (1, 1, _is(INTEGER, "int")),
    "IS_BOOL": (1, 1, _is(TRUTH, "bool")),
    "ABS": (
        1,
        1,
        lambda parser, args, span: parser.small(t.OperatorCall("abs", (parser.integer(args[0]).tree,), span)),
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
