"""The SQL languages: how sqlglot parses each, and the settings that its rules use."""

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

# A prefix that hides the name of a function from the dialect of an engine.
MARK = "\N{FUNCTION APPLICATION}"


def _same(tokens: list[Token]) -> list[Token]:
    return tokens


COLUMN_TYPES = {"uuid": "uuid", "inet": "inet", "cidr": "inet", "citext": "citext"}


class SqlLanguage(Struct, frozen=True, dict=True):
    """A SQL language.

    Attributes:
        name: Its name in a catalog.
        dialect: The dialect of sqlglot that parses it. Default: sqlglot's own.
        quotes: The quotation marks of strings and names.
        foreign: Operators of other engines, in upper case, with what to write instead.
        rows: The functions that make a row of values.
        row_equality: The operator that compares the members of two rows.
        sunday: The number of Sunday in EXTRACT(DOW ...); None: engines differ.
        doubles_have_all_digits: A cast of a double to DECIMAL uses its shortest decimal form.
        unsized_decimal: The precision and scale of DECIMAL without arguments; None: not supported.
        json_types: The types to which a cast parses a string as JSON.
        column_types: The types of columns that a constant text may be cast to, as PostgreSQL calls them.
        reads_texts: Whether JSON operators accept a string, and parse it.
        prepare: A function that rewrites parsed conditions before they are read.
        corrected: A function that corrects the tokens if sqlglot's tokenizer differs from the engine.
    """

    name: str
    dialect: str | None = None
    corrected: Callable[[list[Token]], list[Token]] = _same
    quotes: str = "'\""
    foreign: Mapping[str, str] = field(default_factory=lambda: JSON_ARROWS)
    rows: frozenset[str] = frozenset()
    row_equality: str = "eq"
    json_types: frozenset[exp.DType] = frozenset({exp.DType.JSON, exp.DType.JSONB})
    column_types: Mapping[str, str] = field(default_factory=lambda: COLUMN_TYPES)
    reads_texts: bool = False
    prepare: Callable[[exp.Expr], exp.Expr] | None = None
    sunday: int | None = None
    doubles_have_all_digits: bool = False
    unsized_decimal: tuple[int, int] | None = None

    @cached_property
    def reader(self) -> Dialect:
        """Sqlglot's dialect. It keeps array indexes as they are written: the rule of `bracket` decides where
        they start. Indexes of JSON start at 0.
        """
        dialect = Dialect.get_or_raise(self.dialect)
        dialect.INDEX_OFFSET = 0
        return dialect

    @cached_property
    def parser(self) -> Parser:
        """A sqlglot parser of the dialect."""
        return self.reader.parser()

    def parse(self, tokens: list[Token], text: str) -> list[exp.Expr | None]:
        """The nodes of the statements in the tokens. Raises sqlglot's ParseError.

        Function calls are parsed by sqlglot's own dialect, so that a function has the same node in all
        languages; the dialect of the engine parses the rest.
        """
        if self.dialect is None:
            return list(self.parser.parse_into(exp.Condition, tokens, text))
        trees = self.parser.parse_into(exp.Condition, self._unnamed(tokens), text)
        named = [item if item is None else _named_calls(item) for item in trees]
        if self.prepare is None:
            return named
        return [item if item is None else self.prepare(item) for item in named]

    def _unnamed(self, tokens: list[Token]) -> list[Token]:
        """The tokens with function names hidden from the dialect, except those of functions with a special
        syntax.
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
        """The tokens of a condition. Raises sqlglot's TokenError."""
        return self.corrected(self.reader.tokenize(text))


def _named_calls(root: exp.Expr) -> exp.Expr:
    """The tree with each call of a marked name as a node of sqlglot's own dialect. Raises ParseError."""
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
    except TypeError:  # a function that sqlglot turns into an operator: mod(a, b)
        build: Callable[[list[exp.Expr]], exp.Expr] = _OWN.FUNCTIONS[name.upper()]
        return build(node.expressions)
    except (AttributeError, IndexError, ValueError):
        place = {"line": node.meta["line"], "col": node.meta["col"]}
        raise ParseError.new(name, WRONG_ARGUMENTS, **place) from None


_OWN = Dialect.get_or_raise(None).parser()
