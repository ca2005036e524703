"""Conditions in programs in Scala that use Spark: texts and chains of columns in `where`, `filter`, `when`
and `expr`, and the statements of `spark.sql`. The program is read by its tokens, never compiled.
"""

import re
from collections.abc import Iterator, Sequence

from predicat.diagnostics import Source, Span
from predicat.diagnostics.messages import discover as say
from predicat.discover.conditions import Clause, Condition, Refused
from predicat.discover.read.columns import KEEPS_ROWS, NotRead
from predicat.discover.read.embedded import Ranges, condition
from predicat.discover.read.python import is_condition
from predicat.discover.read.relations import Columns
from predicat.discover.read.scala_columns import is_column, sql_of, text_of
from predicat.discover.read.scala_tokens import Token, tokens_of
from predicat.discover.read.sql import SqlText, shown
from predicat.discover.read.written import place_of, ranges_of

# `delete` is a method of a table of Delta.
_CLAUSES: dict[str, Clause] = {
    "where": "where",
    "filter": "where",
    "delete": "where",
    "when": "case",
    "expr": "filter",
}
_METHODS = ("where", "filter", "delete")
# What only DataFrames have, and what declares one.
_FRAMES = re.compile(
    r"\b(\w+)\s*\.\s*(?:select|selectExpr|withColumn|where|agg|createOrReplaceTempView)\s*\("
    r"|\b(\w+)\s*:\s*(?:DataFrame\b|Dataset\s*\[)|\b(?:val|var)\s+(\w+)\s*=\s*spark\b|\b(df|ds|\w+D[FfS])\b"
)
_STRIPPED = (".", "stripMargin")
_MOST_STEPS = 200


def conditions(source: Source, columns: Columns) -> Iterator[Condition | Refused]:
    """The conditions of a program that uses Spark."""
    return _Program(source, columns).read()


class _Program:
    def __init__(self, source: Source, columns: Columns) -> None:
        self.source = source
        self.columns = columns
        self.tokens = tokens_of(source.text)
        self.frames = {name for match in _FRAMES.finditer(source.text) for name in match.groups() if name}
        self.closing = _closing(self.tokens)
        self.opening = {end: start for start, end in self.closing.items()}

    def read(self) -> Iterator[Condition | Refused]:
        for at, token in enumerate(self.tokens):
            if token.kind == "name" and at + 1 in self.closing and self.tokens[at + 1].value == "(":
                if token.value == "sql" and self.before(at) == ".":
                    yield from self.statement(self.argument(at + 1))
                elif token.value in _CLAUSES and self.before(at) != "def":
                    yield from self.call(at, token.value)

    def before(self, at: int) -> str:
        return self.tokens[at - 1].value if at else ""

    def argument(self, opened: int) -> Sequence[Token]:
        """The tokens of the first argument of a call."""
        at, end = opened + 1, self.closing[opened]
        while at < end and self.tokens[at].value != ",":
            at = self.closing.get(at, at) + 1
        return self.tokens[opened + 1 : min(at, end)]

    def statement(self, argument: Sequence[Token]) -> Iterator[Condition | Refused]:
        if (text := _one_text(argument)) is not None:
            yield from SqlText(text_of(text), "spark", self.ranges(text), self.columns).read()

    def call(self, at: int, name: str) -> Iterator[Condition | Refused]:
        """The condition of a call, if it has one."""
        argument, clause = self.argument(at + 1), _CLAUSES[name]
        if name in _METHODS and self.before(at) != ".":
            return
        relation = self.relation(at - 1) if clause == "where" else None
        if (text := _one_text(argument)) is not None:
            if name != "when" and is_condition(text_of(text)):
                yield from condition(
                    text_of(text), relation, clause, "spark", self.ranges(text), self.columns
                )
        elif name != "expr" and self.has_columns(argument):
            yield from self.chain(argument, relation, clause)

    def has_columns(self, tokens: Sequence[Token]) -> bool:
        """Whether columns are tested, and not values by a function of the program."""
        return any(is_column(tokens, at, self.frames) for at in range(len(tokens))) and not any(
            token.kind == "sign" and token.value == "=>" for token in tokens
        )

    def chain(
        self, tokens: Sequence[Token], relation: str | None, clause: Clause
    ) -> Iterator[Condition | Refused]:
        span = Span(self.source, tokens[0].start, tokens[-1].end)
        try:
            sql = sql_of(tokens, self.frames)
        except NotRead:
            yield Refused(place_of(span), say.NOT_LITERAL, shown(span.text))
        except RecursionError:
            yield Refused(place_of(span), say.TOO_DEEP, shown(span.text))
        else:
            yield from condition(sql, relation, clause, "spark", _whole(span), self.columns)

    def ranges(self, token: Token) -> Ranges:
        """The places in a text, if its parts are the same in the file."""
        span = Span(self.source, *token.inner)
        if text_of(token) != token.value:
            return _whole(span)
        return ranges_of(Source(span.source.name, span.text, span.source, range(span.start, span.end)))

    def relation(self, at: int) -> str | None:
        """The table of the DataFrame before a dot, if only rows are taken away since."""
        for _ in range(_MOST_STEPS):
            at -= 1
            token = self.tokens[at] if at >= 0 else None
            if token is None:
                return None
            if token.kind == "name" and self.before(at) != ".":
                at = self.assigned(token)
            elif at in self.opening:
                called = self.opening[at] - 1
                name = self.tokens[called].value if called >= 0 else ""
                if name == "table":
                    text = _one_text(self.argument(called + 1))
                    return text_of(text) if text is not None else None
                if name not in KEEPS_ROWS or self.before(called) != ".":
                    return None
                at = called - 1
            else:
                return None
        return None

    def assigned(self, name: Token) -> int:
        """The number of the token behind the value of a name before its use; -1 where it is not known."""
        found = [
            at
            for at, token in enumerate(self.tokens)
            if token.start < name.start
            and token.value == name.value
            and token.kind == "name"
            and self.before(at) in ("val", "var")
        ]
        if not found or [one.value for one in self.tokens[found[-1] + 1 : found[-1] + 2]] != ["="]:
            return -1
        at = found[-1] + 2
        while at < len(self.tokens) and self.tokens[at].kind == "name":
            at += 1
            while at in self.closing:
                at = self.closing[at] + 1
            if at >= len(self.tokens) or self.tokens[at].value != ".":
                return at
            at += 1
        return -1


def _closing(tokens: Sequence[Token]) -> dict[int, int]:
    """From the number of each opening bracket to that of its closing one."""
    result: dict[int, int] = {}
    opened: list[int] = []
    for at, token in enumerate(tokens):
        if token.kind != "mark":
            continue
        if token.value in "([{":
            opened.append(at)
        elif token.value in ")]}" and opened:
            result[opened.pop()] = at
    return result


def _one_text(tokens: Sequence[Token]) -> Token | None:
    """The text that an argument is; None if it is more than one."""
    if tokens and tokens[0].kind == "text" and tokens[0].put in ("", "s", "f", "raw"):
        behind = tuple(token.value for token in tokens[1:])
        return tokens[0] if behind in ((), _STRIPPED) else None
    return None


def _whole(span: Span) -> Ranges:
    return lambda *_: (place_of(span), False)
