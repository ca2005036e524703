"""The SQL languages: how sqlglot reads each, and what its rules ask of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec import Struct, field
from sqlglot import Dialect, ParseError, Token, TokenType, exp

from predicat.diagnostics.messages.sql import WRONG_ARGUMENTS
from predicat.language.sql.refusals import JSON_ARROWS
from predicat.language.sql.tokens import renamed

if TYPE_CHECKING:
    from sqlglot import Parser

MARK = "\N{FUNCTION APPLICATION}"
"""Before the name of a function, it hides the name from the dialect of an engine."""


def _same(tokens: list[Token]) -> list[Token]:
    return tokens


class SqlLanguage(Struct, frozen=True, dict=True):
    """A SQL language.

    Attributes:
        name: Its name in a catalog.
        dialect: The dialect of sqlglot that reads it. Default: sqlglot's own.
        quotes: The signs that texts and names are between.
        foreign: Operators of other engines, in capital letters, with what to write instead.
        rows: The functions that make a row of values.
        row_equality: The operator by which two rows are equal in a place.
        sunday: The number of Sunday in EXTRACT(DOW ...); None: engines disagree.
        doubles_have_all_digits: A cast of a double to DECIMAL takes its shortest decimal.
        unsized_decimal: The digits of a DECIMAL without any, in all and behind the point; None: refused.
        json_types: The types that a cast of a text reads as JSON.
        reads_texts: Whether operators of JSON take a text, and parse it.
        prepare: What its parsed conditions become before they are read.
        corrected: What its tokens are where sqlglot's tokenizer has another opinion than the engine.
    """

    name: str
    dialect: str | None = None
    corrected: Callable[[list[Token]], list[Token]] = _same
    quotes: str = "'\""
    foreign: Mapping[str, str] = field(default_factory=lambda: JSON_ARROWS)
    rows: frozenset[str] = frozenset()
    row_equality: str = "eq"
    json_types: frozenset[exp.DType] = frozenset({exp.DType.JSON, exp.DType.JSONB})
    reads_texts: bool = False
    prepare: Callable[[exp.Expr], exp.Expr] | None = None
    sunday: int | None = None
    doubles_have_all_digits: bool = False
    unsized_decimal: tuple[int, int] | None = None

    @cached_property
    def reader(self) -> Dialect:
        """Sqlglot's dialect. Indexes of arrays stay as they are written: `bracket` of the language knows
        where they start, and that those of JSON start at 0.
        """
        dialect = Dialect.get_or_raise(self.dialect)
        dialect.INDEX_OFFSET = 0
        return dialect

    @cached_property
    def parser(self) -> Parser:
        """A sqlglot parser of the dialect."""
        return self.reader.parser()

    def parse(self, tokens: list[Token], text: str) -> list[exp.Expr | None]:
        """The nodes of the statements that tokens are. Raises sqlglot's ParseError.

        Calls of functions are read by sqlglot's own dialect, so that a function has one node in all the
        languages; the dialect of an engine reads all the rest.
        """
        if self.dialect is None:
            return list(self.parser.parse_into(exp.Condition, tokens, text))
        trees = self.parser.parse_into(exp.Condition, self._unnamed(tokens), text)
        named = [item if item is None else named_calls(item) for item in trees]
        if self.prepare is None:
            return named
        return [item if item is None else self.prepare(item) for item in named]

    def _unnamed(self, tokens: list[Token]) -> list[Token]:
        """The tokens with names of functions that the dialect does not know; but for those with a syntax of
        their own.
        """
        special = {*self.parser.FUNCTION_PARSERS, *self.parser.NO_PAREN_FUNCTION_PARSERS}
        return [
            renamed(one, TokenType.VAR, MARK + one.text)
            if one.token_type is TokenType.VAR
            and other.token_type is TokenType.L_PAREN
            and one.text.upper() not in special
            else one
            for one, other in pairwise([*tokens, Token(TokenType.SEMICOLON, "")])
        ]

    def tokens(self, text: str) -> list[Token]:
        """The tokens of a text. Raises sqlglot's TokenError."""
        return self.corrected(self.reader.tokenize(text))


def named_calls(root: exp.Expr) -> exp.Expr:
    """A tree in which the calls with marked names are those of sqlglot's own dialect. Raises ParseError."""
    for node in reversed(list(root.find_all(exp.Anonymous, bfs=False))):
        name = str(node.this)
        if not name.startswith(MARK):
            continue
        call = _call(name.removeprefix(MARK), node)
        call.meta.update(node.meta)
        if node is root:
            return call
        node.replace(call)
    return root


def _call(name: str, node: exp.Expr) -> exp.Expr:
    try:
        return exp.func(name, *node.expressions, copy=False)
    except TypeError:  # of what sqlglot makes an operator: mod(a, b)
        build: Callable[[list[exp.Expr]], exp.Expr] = _OWN.FUNCTIONS[name.upper()]
        return build(node.expressions)
    except (AttributeError, IndexError, ValueError):
        place = {"line": node.meta["line"], "col": node.meta["col"]}
        raise ParseError.new(name, WRONG_ARGUMENTS, **place) from None


_OWN = Dialect.get_or_raise(None).parser()
