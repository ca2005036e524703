"""A text of SQL as statements, each parsed by itself, so that one mistake hides nothing else."""

import logging
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace
from sqlglot import Dialect, ErrorLevel, Token, TokenType, exp
from sqlglot.errors import SqlglotError

from predicat.diagnostics.messages import discover as say
from predicat.discover.expansions import with_calls
from predicat.discover.read.pipelines import plain

# A text that is a statement with a condition.
STATEMENT = re.compile(
    r"(?:\s|--[^\n]*\n|/\*.*?\*/)*(?:SELECT|WITH|INSERT|UPDATE|DELETE|MERGE|CREATE|DROP|TRUNCATE|BEGIN|SET|DECLARE)"
    r"\b(?=.*\b(?:FROM|INTO|USING|UPDATE)\b).*\b(?:WHERE|JOIN|CASE|QUALIFY|HAVING)\b",
    re.IGNORECASE | re.DOTALL,
)
_VERB = re.compile(r"\b(?:SELECT|INSERT|UPDATE|DELETE|MERGE)\b", re.IGNORECASE)
# In JSON the end of a line is `\n`, with a letter.
_CLAUSE = re.compile(r"(?:WHERE|JOIN|CASE|QUALIFY|HAVING)\b", re.IGNORECASE)
# What ends a batch of T-SQL, on a line by itself.
_BATCH = re.compile(r"(?im)^[ \t]*GO(?:[ \t]+[0-9]+)?[ \t\r]*$")
# Brackets and CASE that may be open at once.
MAX_DEPTH = 60
# Characters of a text whose trees are kept until the next one.
_KEPT = 1_000_000
# By themselves: an attribute of an enumeration is slow, and each token is compared with them.
_OPEN, _CLOSE, _CASE, _END, _SEMICOLON = (
    TokenType.L_PAREN,
    TokenType.R_PAREN,
    TokenType.CASE,
    TokenType.END,
    TokenType.SEMICOLON,
)
# What SQLMesh writes before a query: settings in brackets.
_SETTINGS = frozenset({"MODEL", "AUDIT", "METRIC"})
_BEGINNINGS = (TokenType.SELECT, TokenType.WITH, TokenType.MERGE, TokenType.DELETE, TokenType.UPDATE)

warnings.filterwarnings("ignore", "Possible nested set", FutureWarning)  # of regular expressions in SQL
logging.getLogger("sqlglot").setLevel(logging.CRITICAL)  # what it falls back to is told by the report


def has_statement(text: str) -> bool:
    """Whether a file may have a statement with a condition. It takes as long as the file is."""
    verb = _VERB.search(text)
    return verb is not None and _CLAUSE.search(text, verb.end()) is not None


class Statement(Struct, frozen=True):
    """A statement with its tokens; `node` is None and `reason` says why, if it could not be parsed."""

    tokens: Sequence[Token]
    node: exp.Expr | None
    reason: str = ""

    @property
    def start(self) -> int:
        """The offset of its first character."""
        return self.tokens[0].start

    @property
    def end(self) -> int:
        """The offset behind its last character."""
        return self.tokens[-1].end + 1


def tokens_of(text: str, dialect: str) -> Sequence[Token] | None:
    """The tokens of a text; None where it has none, such as a quote that is not closed."""
    if dialect == "tsql":
        text = _BATCH.sub(lambda end: f";{' ' * (len(end[0]) - 1)}", text)
    try:
        return Dialect.get_or_raise(dialect or None).tokenize(text)
    except SqlglotError:
        return None


def statements(text: str, dialect: str) -> Iterable[Statement] | None:
    """The statements of a text in their order; None where it has no tokens. Their trees are not to be
    changed: a text is often read twice in a row, to find its dialect and then its conditions.
    """
    if (text, dialect) in _last:
        return _last[text, dialect]
    _last.clear()  # at first: there is room for the trees of one text
    tokens = tokens_of(text, dialect)
    read = None if tokens is None else _statements(text, tokens, dialect)
    if len(text) > _KEPT:
        return read
    _last[text, dialect] = None if read is None else tuple(read)
    return _last[text, dialect]


# The text that was read last, in a dialect, with its statements.
_last: dict[tuple[str, str], tuple[Statement, ...] | None] = {}


def _statements(text: str, tokens: Sequence[Token], dialect: str) -> Iterator[Statement]:
    reader = Dialect.get_or_raise(dialect or None)
    for part in _split(tokens):
        if len(part) > 1 and part[0].text.upper() in _SETTINGS and part[1].token_type is TokenType.L_PAREN:
            continue
        if too_deep(part):
            yield Statement(part, None, say.TOO_DEEP)
            continue
        statement = _parsed(plain(part), text, reader)
        if statement.node is None and (later := _behind_other_text(part)):
            statement = _parsed(later, text, reader)
        if statement.node is not None:
            statement = replace(statement, node=with_calls(statement.node, text, dialect))
        yield statement


def _parsed(tokens: Sequence[Token], text: str, reader: Dialect) -> Statement:
    try:
        trees = reader.parser(error_level=ErrorLevel.RAISE).parse(list(tokens), text)
    except RecursionError:
        return Statement(tokens, None, say.TOO_DEEP)
    except Exception:  # noqa: BLE001  # on what is no SQL the parser fails in ways of its own
        return Statement(tokens, None, say.NOT_PARSED)
    node = trees[0] if trees and isinstance(trees[0], exp.Expr) else None
    return Statement(tokens, node, "" if node is not None else say.NOT_PARSED)


def _behind_other_text(tokens: Sequence[Token]) -> Sequence[Token]:
    """The tokens from the first word of a statement on, if that is not the first token: calls of macros are
    written before statements.
    """
    depth = 0
    for number, token in enumerate(tokens):
        depth += (token.token_type is _OPEN) - (token.token_type is _CLOSE)
        if number and not depth and token.token_type in _BEGINNINGS:
            return tokens[number:]
    return ()


def _split(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    ends = [
        -1,
        *(i for i, token in enumerate(tokens) if token.token_type is _SEMICOLON),
        len(tokens),
    ]
    for before, end in pairwise(ends):
        if end > before + 1:
            yield tokens[before + 1 : end]


def too_deep(tokens: Sequence[Token]) -> bool:
    """Whether brackets or CASE are nested so deeply that sqlglot's compiled parser may end the process."""
    depth = deepest = 0
    for token in tokens:
        kind = token.token_type
        if kind is _OPEN or kind is _CASE:
            depth += 1
            deepest = max(deepest, depth)
        elif (kind is _CLOSE or kind is _END) and depth:
            depth -= 1
    return deepest > MAX_DEPTH
