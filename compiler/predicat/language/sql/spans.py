"""The spans of SQL nodes: sqlglot keeps the spans of names and constants only. The keywords and brackets
around them are found in its tokens.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property

from sqlglot import Token, TokenType, exp
from sqlglot.parser import Parser

_OPENING, _CLOSING = ("(", "[", "{"), (")", "]", "}")
_TRUTHS = ("NULL", "TRUE", "FALSE", "UNKNOWN")
# Functions that are one word, as CURRENT_DATE.
_CLOCKS = frozenset(Parser.NO_PAREN_FUNCTIONS)
_LOCAL_CLOCKS = ("LOCALTIME", "LOCALTIMESTAMP")
_CLOCK = "a clock"
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

    @cached_property
    def placeless(self) -> dict[str, list[tuple[int, int]]]:
        """The start and end offset of each word for which sqlglot keeps no place, as CURRENT_DATE or `:name`,
        by what `_word` calls it.
        """
        result: dict[str, list[tuple[int, int]]] = {}
        for index, (token, word) in enumerate(zip(self.tokens, self.words, strict=True)):
            key, end, following = word, token.end + 1, self.tokens[index + 1 : index + 2]
            if token.token_type is TokenType.COLON and [one.start for one in following] == [end]:
                key, end = f":{following[0].text}", following[0].end + 1
            elif (token.token_type in _CLOCKS or word in _LOCAL_CLOCKS) and self.at(index + 1) != "(":
                key = _CLOCK
            result.setdefault("NULL" if key == "UNKNOWN" else key, []).append((token.start, end))
        return result

    def places(self, root: exp.Expr) -> dict[int, tuple[int, int]]:
        """The places of words for which sqlglot keeps none, by the identity of their nodes: each is next to
        the part with a place that comes before it, or else to the first one.
        """
        nodes = [node for node in root.dfs() if _start(node) is not None or _word(node)]
        starts = [_start(node) for node in nodes]
        first = next((number for number, start in enumerate(starts) if start is not None), len(nodes))
        result: dict[int, tuple[int, int]] = {}
        low, high = 0, starts[first] if first < len(nodes) else None
        for node in reversed(nodes[:first]):
            found = [
                place for place in self.placeless.get(_word(node), ()) if high is None or place[0] < high
            ]
            if found:
                result[id(node)] = found[-1]
                high = found[-1][0]
        for node in nodes[first:]:
            start = _start(node)
            if start is not None:
                low = max(low, start)
            else:
                words = self.placeless.get(_word(node), [])
                at = bisect_left(words, (low, 0))
                if at < len(words):
                    result[id(node)] = words[at]
                    low = words[at][1]
        return result

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
        if isinstance(node, exp.Extract | exp.Trim):  # with FROM and other words before the first part
            head = self.around(first) - 1
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
            case exp.Neg() | exp.BitwiseNot() if self.at(first - 1) in ("-", "~"):
                return first - 1, last
            case exp.Is() if self.at(last + 1) == "IS":
                last += 2 if self.at(last + 2) == "NOT" else 1
                return first, last + (self.at(last + 1) in _TRUTHS)
            case exp.Case() if self.at(first - 1) == "CASE":
                return first - 1, self.end_of_case(first - 1, last)
            case exp.Case() if self.words[max(first - 2, 0) : first] == ["CASE", "WHEN"]:
                return first - 2, self.end_of_case(first - 2, last)
            case exp.JSONExtract() | exp.JSONExtractScalar() if self.at(last + 1) in ("->", "->>"):
                return first, last + 2
            case exp.Interval() if self.at(first) != "INTERVAL":
                return first, last + 2 * (self.at(last + 1) == "::")
            case exp.Interval():
                return first, self.end_of_interval(node, max(last, first + 1))
            case exp.Cast() if self.at(self.start_of_type(first - 1)) in _TYPED:
                return self.start_of_type(first - 1), last
            case exp.Cast() if self.at(last + 1) == "::":
                return first, self.end_of_type(last + 2)
            case _:
                return first, last

    def around(self, index: int) -> int:
        """The index of the bracket that is opened last before a token and closed behind it; -1 for none."""
        index -= 1
        while index >= 0 and self.words[index] not in _OPENING:
            index = self.openers.get(index, index) - 1
        return index if index in self.closers else -1

    def end_of_interval(self, node: exp.Interval, last: int) -> int:
        """The index of the last token of INTERVAL: its unit, of which sqlglot tells no place and often not
        whether it is written.
        """
        unit = node.args.get("unit")
        words = [unit.this, unit.expression] if isinstance(unit, exp.IntervalSpan) else [unit]
        for word in words:
            if word is not None and self.at(last + 1).rstrip("S") == word.name.upper().rstrip("S"):
                last += 1 + 2 * (word is not words[-1] and self.at(last + 2) == "TO") // 2
        return last

    def start_of_type(self, last: int) -> int:
        """The index of the first token of a type that ends at one: WITH TIME ZONE has three words more."""
        return last - 3 if self.at(last) == "ZONE" and self.at(last - 1) == "TIME" else last

    def end_of_type(self, first: int) -> int:
        """The index of the last token of a type: with its brackets and WITH TIME ZONE."""
        last = self.closers.get(first + 1, first)
        if self.at(last + 2) == "TIME" and self.at(last + 3) == "ZONE":
            last += 3
        return last

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


def _start(node: exp.Expr) -> int | None:
    """The start offset of a node that sqlglot keeps; None if it keeps none."""
    start: int | None = node.meta.get("start")
    return start


def _word(node: exp.Expr) -> str:
    """The word of a node for which sqlglot keeps no place; empty for other nodes."""
    match node:
        case exp.Boolean():
            return "TRUE" if node.this else "FALSE"
        case exp.Null():
            return "NULL"
        case exp.Interval():
            return "INTERVAL"
        case exp.Placeholder():
            return f":{node.name}" if node.name else ""
        case exp.Func() if not node.meta and next(node.iter_expressions(), None) is None:
            return _CLOCK
        case _:
            return ""
