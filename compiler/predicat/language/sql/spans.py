"""The spans of SQL nodes: sqlglot keeps the spans of names and constants only. The keywords and brackets
around them are found in its tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

from sqlglot import Token, TokenType, exp
from sqlglot.parser import Parser

_OPENING, _CLOSING = ("(", "[", "{"), (")", "]", "}")
_TRUTHS = ("NULL", "TRUE", "FALSE", "UNKNOWN")
# Functions that are one word, as CURRENT_DATE.
_CLOCKS = frozenset(Parser.NO_PAREN_FUNCTIONS)
_TYPED = ("DATE", "TIMESTAMP", "TIMESTAMPTZ")
# Words that make sqlglot read the brackets after them twice: as a type and as a value.
_READ_TWICE = frozenset({*Parser.TYPE_TOKENS, TokenType.ANY, TokenType.SOME, TokenType.ALL})
# How many brackets one counts for that is read twice. Ten of these take 1,000 times as long as one.
_TWICE = 4
# Infix operators, some of which are also functions in sqlglot's classes.
OPERATORS = (exp.Binary, exp.Connector)


class SpanIndex:
    """The tokens of a condition, by their start and end offsets."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        # A quoted token is not a keyword.
        self.words = [
            token.text.upper() if token.end - token.start + 1 == len(token.text) else "" for token in tokens
        ]

    @cached_property
    def starts(self) -> dict[int, int]:
        """The index of the token that starts at an offset."""
        return {token.start: index for index, token in enumerate(self.tokens)}

    @cached_property
    def ends(self) -> dict[int, int]:
        """The index of the token that ends at an offset."""
        return {token.end + 1: index for index, token in enumerate(self.tokens)}

    @cached_property
    def openers(self) -> dict[int, int]:
        """The opening bracket of each closing bracket, as indexes of tokens."""
        openers: dict[int, int] = {}
        stack: list[int] = []
        for index, word in enumerate(self.words):
            if word in _OPENING:
                stack.append(index)
            elif word in _CLOSING and stack:
                openers[index] = stack.pop()
        return openers

    @cached_property
    def closers(self) -> dict[int, int]:
        """The closing bracket of each opening bracket, as indexes of tokens."""
        return {opener: closer for closer, opener in self.openers.items()}

    @property
    def deepest(self) -> int:
        """The maximum nesting depth of brackets, where those that sqlglot reads twice count for more, or of
        calls: what bounds the time and the stack that sqlglot needs.
        """
        open_, depth, deepest = list[int](), 0, 0
        for index, word in enumerate(self.words):
            if word in _OPENING:
                twice = index > 0 and self.tokens[index - 1].token_type in _READ_TWICE
                open_.append(_TWICE if twice else 1)
                depth += open_[-1]
                deepest = max(deepest, depth)
            elif word in _CLOSING and open_:
                depth -= open_.pop()
        return max(deepest, self._methods)

    @property
    def cases(self) -> int:
        """The maximum nesting depth of CASE, whose reading recurses like that of brackets."""
        depth = deepest = 0
        for word in self.words:
            depth = max(depth + (word == "CASE") - (word == "END"), 0)
            deepest = max(deepest, depth)
        return deepest

    @property
    def _methods(self) -> int:
        """How many calls are methods of a call, as in `s.lower().trim()`: sqlglot copies all before each."""
        return sum(
            one == ")" and dot == "." and opening == "("
            for one, dot, opening in zip(self.words, self.words[1:], self.words[3:], strict=False)
        )

    def called_name(self, start: int) -> str:
        """The name of the function call that starts at an offset, in lower case; empty if there is none."""
        index = self.starts.get(start, -1)
        is_call = index >= 0 and self.at(index + 1) == "(" and self.words[index].isidentifier()
        return self.words[index].lower() if is_call else ""

    def parameters(self, root: exp.Expr) -> dict[int, tuple[int, int]]:
        """The start and end offset of each parameter, by the identity of its node. Parameters with the same
        name are matched in order.
        """
        places: dict[str, list[tuple[int, int]]] = {}
        for one, other in pairwise(self.tokens):
            if one.token_type is TokenType.COLON and other.start == one.end + 1:
                places.setdefault(other.text, []).append((one.start, other.end + 1))
        nodes = root.find_all(exp.Placeholder, bfs=False)
        return {id(node): places[node.name].pop(0) for node in nodes if places.get(node.name)}

    def extent(self, node: exp.Expr, low: int, high: int) -> tuple[int, int]:
        """The start and end offset of a node with its keywords. `low` and `high` are those of its parts."""
        first, last = self.starts.get(low), self.ends.get(high)
        if first is None or last is None:
            return low, high
        if isinstance(node, exp.Func) and not isinstance(node, OPERATORS):
            first, last = self.call(node, first, last)
        first, last = self.keywords(node, first, last)
        while (opener := self.openers.get(last + 1)) is not None and opener >= first:
            last += 1
        return self.tokens[first].start, self.tokens[last].end + 1

    def call(self, node: exp.Func, first: int, last: int) -> tuple[int, int]:
        """The first and last token of a call: with the function name and the closing bracket."""
        head = first if "end" in node.meta else first - 2
        closing = (
            self.closers.get(head + 1) if self.at(head + 1) == "(" and self.at(head).isidentifier() else None
        )
        if closing is None or (isinstance(node, exp.Cast) and "CAST" not in self.words[head]):
            return first, last
        return head, max(last, closing)

    def keywords(self, node: exp.Expr, first: int, last: int) -> tuple[int, int]:
        """The first and last token of a node, from those of its operands: with the keywords, brackets and
        signs around them.
        """
        match node:
            case exp.Paren() | exp.Tuple() if self.at(first - 1) == "(" and self.at(last + 1) == ")":
                return first - 1, last + 1
            case exp.Select() if self.at(first - 1) == "SELECT":
                return first - 1, last
            case exp.Not() if self.at(first - 1) == "NOT":
                return first - 1, last
            case exp.Neg() if self.at(first - 1) == "-":
                return first - 1, last
            case exp.Is() if self.at(last + 1) == "IS":
                last += 2 if self.at(last + 2) == "NOT" else 1
                return first, last + (self.at(last + 1) in _TRUTHS)
            case exp.Case() if self.at(first - 1) == "CASE":
                return first - 1, self.end_of_case(first - 1, last)
            case exp.Case() if self.words[max(first - 2, 0) : first] == ["CASE", "WHEN"]:
                return first - 2, self.end_of_case(first - 2, last)
            case exp.Binary():
                # An operand without a place of its own is the one word beside the operator.
                first -= 2 * (_is_word(node.this) and self.kind(first - 2) in _CLOCKS)
                return first, last + self.placeless(node.expression, last + 2)
            case exp.In():
                while self.at(last + 1) == "," and self.at(last + 2) in _TRUTHS:
                    last += 2
                return first, last
            case exp.Extract() if (
                self.at(first - 1) == "FROM" and self.at(first - 3) == "(" and self.at(first - 4) == "EXTRACT"
            ):
                return first - 4, last
            case exp.Cast() if self.at(first - 1) in _TYPED:
                return first - 1, last
            case exp.Cast() if self.at(last + 1) == "::":
                return first, self.closers.get(last + 3, last + 2)
            case _:
                return first, last

    def placeless(self, node: exp.Expr, index: int) -> int:
        """How many tokens an operand adds with the operator before it, if sqlglot keeps no place for it."""
        if isinstance(node, exp.Interval):  # of '1 day' there is no place, of '1' DAY only that of '1'
            if self.at(index - 1) == "::":
                return 2
            added = 3 if self.at(index) == "INTERVAL" else 0
            return added + (self.at(index - 1 + added) == node.text("unit").upper() != "")
        if isinstance(node, exp.Boolean | exp.Null) and self.at(index) in _TRUTHS:
            return 2
        return 2 * (_is_word(node) and self.kind(index) in _CLOCKS)

    def end_of_case(self, first: int, last: int) -> int:
        """The index of the END that closes the CASE at `first`; `last` if there is none."""
        depth = 0
        for index in range(first, len(self.words)):
            depth += {"CASE": 1, "END": -1}.get(self.words[index], 0)
            if not depth:
                return index
        return last

    def kind(self, index: int) -> TokenType | None:
        """The kind of a token; None for an index out of range."""
        return self.tokens[index].token_type if 0 <= index < len(self.tokens) else None

    def at(self, index: int) -> str:
        """The word of a token in upper case; empty for an index out of range."""
        return self.words[index] if 0 <= index < len(self.words) else ""


def _is_word(node: exp.Expr) -> bool:
    """Whether a node is a function without a place, as CURRENT_DATE."""
    return isinstance(node, exp.Func) and not node.meta and next(node.iter_expressions(), None) is None
