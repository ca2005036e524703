"""JMS message selectors: conditions on the properties of a message, with SQL's three-valued logic.

Numbers are Java's: 017 is octal, 0x1F hexadecimal, 10L a long, 1.5f a float. A division is a division of
doubles (IEEE 754), and + concatenates strings, as in ActiveMQ, Artemis and Qpid. Strings and booleans support
only = and <>, and LIKE has no escape character without ESCAPE. A comparison of a declared property with a
value of another type is a type error here, and FALSE in the specification. Source: Jakarta Messaging 3.1,
section 3.8.1.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Mapping

from predicat.diagnostics import Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import Reason
from predicat.diagnostics.messages import selectors as say
from predicat.ir import syntax as t
from predicat.ir.limits import MAX_DEPTH
from predicat.ir.operators import ARITHMETIC, EQUALITIES
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE, STRING, Type
from predicat.ir.values import INT_MAX
from predicat.language.common.body import Body
from predicat.language.common.lexer import TokenReader
from predicat.language.common.trees import all_of, any_of, apply, negated
from predicat.language.jms.spelling import COMPARED, KEYWORDS
from predicat.semantics.like import LikeError, canonical

_SUMS = ("+", "-")
FOREIGN = {
    "==": "a selector compares with =",
    "!=": "a selector writes <> for it",
    "||": "a selector writes OR",
    "&&": "a selector writes AND",
    "!": "a selector writes NOT",
    "(": "a selector has no functions",
    '"': "put strings in single quotes; declare a name in double quotes that has no special characters",
}
_KINDS: dict[Type | None, str] = {STRING: "text", BOOLEAN: "truth", BIGINT: "number", DOUBLE: "number"}
_TOKEN = re.compile(
    r"\s*(?:(?P<text>'(?:[^']|'')*')"
    r"|(?P<double>(?:(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+)[fFdD]?(?![\w$.])|[0-9]+[fFdD](?![\w$.]))"
    r"|(?P<whole>(?:0[xX][0-9a-fA-F](?:[0-9a-fA-F_]*[0-9a-fA-F])?|0[bB][01](?:[01_]*[01])?|[0-9](?:[0-9_]*[0-9])?)[lL]?(?![\w$.]))"
    r'|(?P<quoted>"(?:[^"]|"")+")'
    r"|(?P<word>[^\W\d][\w$]*|\$[\w$]*)"
    r"|(?P<sign><>|<=|>=|==|!=|\|\||&&|[=<>+*/(),.!\"-]))"
)


def parse(body: Body) -> t.Tree:
    """The untyped tree of a selector. Raises PredicatError."""
    text = body.text("a selector")
    if not text.strip():
        return t.Constant(value=True, span=body.span)
    reader = SelectorReader(body)
    return reader.tree(lambda: reader.top(text))


class SelectorReader(TokenReader):
    """Reads a selector. Languages like it override its words, signs and operands."""

    pattern = _TOKEN
    any_case = True
    language = "selector"
    keywords = KEYWORDS
    comparisons: Mapping[str, str] = COMPARED
    products: Mapping[str, str] = {"*": "mul", "/": "fdiv"}
    escapes_any = True
    """Whether the character behind that of ESCAPE is itself, whatever it is."""
    foreign: Mapping[str, str] = FOREIGN
    """What other languages write, and the hint for it."""

    def top(self, text: str) -> t.Tree:
        """The tree of a whole selector. Raises Stop; the reporter has the problem."""
        self.scan(text)
        tree = self.disjunction(0)
        if self.tokens[self.position][0] != "end":
            raise self.unexpected(hint=self.foreign.get(self.peek()))
        return tree

    # --- logic

    def disjunction(self, depth: int) -> t.Tree:
        """One or more conditions with OR."""
        self.bounded(depth)
        parts = [self.conjunction(depth)]
        while self.accept("OR"):
            parts.append(self.conjunction(depth))
        return any_of(tuple(parts), parts[0].span.to(parts[-1].span))

    def conjunction(self, depth: int) -> t.Tree:
        """One or more conditions with AND."""
        parts = [self.negation(depth)]
        while self.accept("AND"):
            parts.append(self.negation(depth))
        return all_of(tuple(parts), parts[0].span.to(parts[-1].span))

    def negation(self, depth: int) -> t.Tree:
        """A condition, with or without NOT."""
        self.bounded(depth)
        if not self.accept("NOT"):
            return self.condition(depth)
        return negated(self.negation(depth + 1))

    def condition(self, depth: int) -> t.Tree:
        """A comparison, IS NULL, BETWEEN, LIKE or IN; or an operand that is a condition itself."""
        left = self.sum(depth)
        operator = self.comparisons.get(self.peek())
        if operator:
            self.take()
            return self.comparison(operator, left, self.sum(depth))
        if self.accept("IS"):
            negate = self.accept("NOT")
            *_, end = self.take("NULL")
            test: t.Tree = apply("is_null", left.span.to(end), self.property(left, "IS NULL"))
        else:
            negate = self.peek() == "NOT" and self.peek(1) in ("BETWEEN", "LIKE", "IN")
            if negate:
                self.take()
            match self.peek():
                case "BETWEEN":
                    test = self.between(left, depth)
                case "LIKE":
                    test = self.like(self.operand(left, "LIKE"))
                case "IN":
                    test = self.within(self.operand(left, "IN"))
                case _:
                    return left
        return negated(test) if negate else test

    def comparison(self, operator: str, left: t.Tree, right: t.Tree) -> t.Tree:
        """A comparison. The operands of `<` and `>` must be numbers: JMS orders nothing else."""
        if operator not in EQUALITIES:
            for part in (left, right):
                self.number(part, say.order_of_numbers())
        return apply(operator, left.span.to(right.span), left, right)

    def between(self, value: t.Tree, depth: int) -> t.Tree:
        """`value BETWEEN low AND high`, as two comparisons."""
        self.take()
        low = self.sum(depth)
        self.take("AND")
        high = self.sum(depth)
        return apply(
            "and",
            value.span.to(high.span),
            self.comparison("ge", value, low),
            self.comparison("le", value, high),
        )

    def like(self, value: t.Tree) -> t.Tree:
        """`value LIKE 'pattern' ESCAPE 'c'`. Raises Stop for a pattern that is no constant."""
        self.take()
        pattern, place = self.text_of(say.LIKE_PATTERN)
        escape = ""
        if self.accept("ESCAPE"):
            escape, at = self.text_of(say.ESCAPE_CHARACTER)
            if len(escape) != 1:
                raise self.fail(msg.one_escape_character(at))
            if escape in "%_":
                raise self.fail(say.doubtful_escape(at, escape))
        try:
            tree = canonical(pattern, escape, before_any=self.escapes_any)
        except LikeError as error:
            raise self.fail(msg.bad_like(place, str(error))) from None
        return apply("like", value.span.to(place), value, t.Constant(tree, place))

    def within(self, value: t.Tree) -> t.Tree:
        """`value IN ('a', 'b')`."""
        _, _, start = self.take()
        self.take("(")
        items: list[t.Tree] = []
        while not items or self.accept(","):
            items.append(self.item())
        *_, end = self.take(")")
        return apply("in", value.span.to(end), value, t.ListLiteral(tuple(items), start.to(end)))

    def item(self) -> t.Tree:
        """A value of IN."""
        return t.Constant(*self.text_of(say.IN_VALUE))

    # --- values

    def sum(self, depth: int) -> t.Tree:
        """One or more products with + and -."""
        tree = self.product(depth)
        while self.peek() in _SUMS:
            tree = self.added(tree, depth)
        return tree

    def added(self, left: t.Tree, depth: int) -> t.Tree:
        """A sum or a difference; + concatenates if one operand is known to be a string."""
        _, sign, _ = self.take()
        right = self.product(depth)
        span = left.span.to(right.span)
        kinds = {self.kind(left), self.kind(right)}
        if sign == "+" and "text" in kinds and not kinds & {"number", "truth"}:
            return apply("concat", span, left, right)
        for part in (left, right):
            self.number(part, say.sign_takes_numbers(sign == "+"))
        return apply("add" if sign == "+" else "sub", span, left, right)

    def product(self, depth: int) -> t.Tree:
        """One or more factors with the language's multiplicative operators."""
        tree = self.factor(depth)
        while self.peek() in self.products:
            _, sign, _ = self.take()
            tree = self.multiplied(sign, tree, self.factor(depth))
        return tree

    def multiplied(self, sign: str, left: t.Tree, right: t.Tree) -> t.Tree:
        """A product, quotient or remainder of two numbers."""
        for part in (left, right):
            self.number(part, say.takes_numbers(sign))
        return apply(self.products[sign], left.span.to(right.span), left, right)

    def factor(self, depth: int) -> t.Tree:
        """An operand, with or without a sign."""
        self.bounded(depth)
        if self.peek() not in _SUMS:
            return self.primary(depth)
        _, sign, start = self.take()
        if sign == "-" and self.tokens[self.position][0] in ("whole", "double"):
            return self.constant(start)
        inner = self.factor(depth + 1)
        self.number(inner, say.takes_a_number(sign))
        return inner if sign == "+" else apply("neg", start.to(inner.span), inner)

    def primary(self, depth: int) -> t.Tree:
        """A constant, a property, or a condition in parentheses."""
        kind, word, span = self.tokens[self.position]
        if kind in ("whole", "double"):
            return self.constant(None)
        if kind == "text":
            return t.Constant(*self.text_of("this"))
        if self.accept("("):
            inner = self.disjunction(depth + 1)
            self.take(")")
            return inner
        if kind == "quoted" and self.is_name(name := word[1:-1].replace('""', '"')):
            self.position += 1
            return self.key(name, span)
        if kind != "word" or self.peek() in self.keywords - {"TRUE", "FALSE"}:
            raise self.unexpected(
                hint=say.ASK_WITH_IS_NULL
                if self.peek() == "NULL"
                else self.foreign.get(word, self.foreign['"'] if kind == "quoted" else None)
            )
        self.position += 1
        if word.upper() in ("TRUE", "FALSE"):
            return t.Constant(word.upper() == "TRUE", span)
        return self.named(word, span)

    def is_name(self, name: str) -> bool:
        """Whether a string in double quotes is the name of a property: it is declared, or it needs the
        quotes.
        """
        declared = self.fields is not None and self.declared_name(name) in self.fields
        return declared or name.upper() in KEYWORDS or not name.isidentifier()

    def named(self, word: str, span: Span) -> t.Tree:
        """A property. A dotted name (not supported by JMS itself) is a field of that name, or a member of a
        field.
        """
        tree = self.key(word, span)
        while self.accept("."):
            kind, word, end = self.take()
            if kind != "word":
                self.position -= 1
                raise self.unexpected("a name")
            tree = t.Member(tree, word, span.to(end))
        return tree

    def constant(self, minus: Span | None) -> t.Tree:
        """A number with its minus sign: the smallest integer has no positive counterpart."""
        kind, word, span = self.tokens[self.position]
        self.position += 1
        value: int | float
        if kind == "double":
            value = _double(word)
            if math.isinf(value):
                raise self.invalid(span, say.does_not_fit(word, "float" if word[-1] in "fF" else "double"))
        else:
            tree = _whole(word)
            if tree is None:
                raise self.invalid(span, say.octal_number(word))
            if tree > INT_MAX + (minus is not None):
                raise self.invalid(span, say.does_not_fit_in_64_bits(word))
            value = tree
        return t.Constant(value, span) if minus is None else t.Constant(-value, minus.to(span))

    def text_of(self, what: str) -> tuple[str, Span]:
        """The next token as a string, with its place. Raises Stop with `what` for any other token."""
        kind, word, span = self.tokens[self.position]
        if kind != "text":
            raise self.invalid(span, say.text_in_single_quotes(what))
        self.position += 1
        return word[1:-1].replace("''", "'"), span

    # --- what the specification asks of operands

    def number(self, tree: t.Tree, why: Reason) -> None:
        """Raises Stop for an operand that is known not to be a number."""
        if self.kind(tree) in ("text", "truth"):
            of_texts = (
                isinstance(tree, t.Member)
                and self.fields is not None
                and f"{self.on}.{tree.key}" not in self.fields
            )
            hint = say.declared_as_texts(self.on) if of_texts else None
            raise self.invalid(tree.span, Reason(why.text, hint))

    def kind(self, tree: t.Tree) -> str | None:
        """The kind of an operand, if it is known: string, boolean or number."""
        match tree:
            case t.Constant(value):
                return "text" if isinstance(value, str) else "truth" if isinstance(value, bool) else "number"
            case t.OperatorCall(op):
                return "text" if op == "concat" else "number" if op == "neg" or op in ARITHMETIC else "truth"
            case _:
                return _KINDS.get(self.declared_type(tree))

    def declared_type(self, tree: t.Tree) -> Type | None:
        """The declared type of a property; None for any other operand, or if it is not declared."""
        match tree:
            case t.Name(name) if self.fields is not None and name in self.fields:
                return self.fields[name].type
            case t.Member(t.Name(base), name) if base == self.on:
                return self.key_type(name)
            case _:
                return None

    def operand(self, tree: t.Tree, what: str) -> t.Tree:
        """The operand of LIKE and IN: a property."""
        return self.property(tree, what)

    def property(self, tree: t.Tree, what: str) -> t.Tree:
        """A tree, which must be a property. Raises Stop with `what` for anything else."""
        if not isinstance(tree, t.Name | t.Member):
            raise self.invalid(tree.span, say.asks_about_a_property(what))
        return tree

    def bounded(self, depth: int) -> None:
        """Raise Stop for conditions that are nested too deeply."""
        if depth > MAX_DEPTH:
            raise self.fail(msg.too_deep(self.tokens[self.position][2], MAX_DEPTH))


def _whole(word: str) -> int | None:
    """Java's integer literals; None for octal digits above 7."""
    digits = word.rstrip("lL").replace("_", "").lower()
    if digits.startswith(("0x", "0b")):
        return int(digits, 0)
    if len(digits) > 1 and digits[0] == "0":
        return int(digits, 8) if set(digits) <= set("01234567") else None
    return int(digits[:20])  # twenty digits are more than any that fits


def _double(word: str) -> float:
    """Java's floating-point literals; an f rounds to a float."""
    value = float(word.rstrip("fFdD"))
    if word[-1] not in "fF" or math.isinf(value):
        return value
    try:
        rounded: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.inf
    return rounded
