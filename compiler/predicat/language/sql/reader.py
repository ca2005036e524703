"""SQL predicates, read by sqlglot's own dialect: standard SQL with the spellings that Spark and PostgreSQL
share.

Strings are in single quotes (a quote is doubled, a backslash is literal), names plain or in double quotes,
parameters are `:name`. Spans come from sqlglot's tokens. `rules.py` has the rule of each node, `refusals.py`
the syntax that is not supported. Source: ISO/IEC 9075-2 for the predicates; docs/languages_sql.md lists the
differences.
"""

from __future__ import annotations

from collections.abc import Container

from sqlglot import Token, TokenType, exp
from sqlglot.errors import ParseError, TokenError

from predicat.diagnostics import Diagnostic, PredicatError, Source, Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import sql as say
from predicat.ir import syntax as t
from predicat.ir.limits import MAX_DEPTH, MAX_LENGTH
from predicat.language.common.body import Body
from predicat.language.sql import calendars, json_functions
from predicat.language.sql.differences import RULES as DIFFERENCES
from predicat.language.sql.intervals import protect_interval_literals
from predicat.language.sql.languages import SqlLanguage
from predicat.language.sql.node_reader import Reader, RuleTable, Stop
from predicat.language.sql.refusals import WRITTEN_OTHERWISE, refused_tokens
from predicat.language.sql.rules import rule_table
from predicat.language.sql.spans import SpanIndex
from predicat.language.sql.tokens import as_written, called_div, clause_word, unclosed

# Standard SQL, and the common part of Spark SQL and PostgreSQL.
SQL = SqlLanguage("sql", corrected=called_div)

TABLE = rule_table(DIFFERENCES)


_AS_WRITTEN = {**calendars.AS_WRITTEN, **json_functions.AS_WRITTEN}
# sqlglot's parser recurses; under Python 3.13 an overflow ends the process.
MAX_PARENTHESES = 40


def read(body: Body) -> t.Tree:
    """The untyped tree of a body. Raises PredicatError."""
    return read_as(SQL, TABLE, body)


def read_as(language: SqlLanguage, table: RuleTable, body: Body) -> t.Tree:
    """The untyped tree of a body in one of the SQL languages. Raises PredicatError."""
    return _parse(body.text(), body.source, body.fields or (), language, table)


def _parse(
    text: str, source: Source, fields: Container[str], language: SqlLanguage, table: RuleTable
) -> t.Tree:
    """The untyped tree of a SQL predicate. `fields` are the fields of its dataset, for hints. Raises
    PredicatError.
    """
    whole = Span(source, 0, len(text))
    if len(text) > MAX_LENGTH:
        raise PredicatError.of(msg.too_large(whole, len(text), MAX_LENGTH))
    if not text.strip():
        raise PredicatError.of(msg.empty_condition(whole))
    try:
        tokens = language.tokens(text)
    except TokenError as error:
        opened = unclosed(text, language.quotes)
        if opened is not None:
            raise PredicatError.of(say.unclosed_quote(Span(source, opened, opened + 1))) from None
        raise PredicatError.of(say.no_words(whole, _plain(str(error)))) from None
    spans = SpanIndex(tokens)
    if spans.deepest > MAX_PARENTHESES:
        raise PredicatError.of(msg.too_deep(whole, MAX_PARENTHESES))
    if spans.cases > MAX_DEPTH:
        raise PredicatError.of(msg.too_deep(whole, MAX_DEPTH))
    if (clause := clause_word(tokens)) is not None:
        raise PredicatError.of(say.clause(Span(source, clause.start, clause.end + 1)))
    refused = refused_tokens(tokens, source, language.foreign)
    if refused is not None:
        raise PredicatError.of(refused)
    try:
        parsed = language.parse(protect_interval_literals(as_written(tokens, _AS_WRITTEN)), text)
    except ParseError as error:
        raise PredicatError([_parse_error(item, whole, tokens, fields) for item in error.errors]) from None
    except RecursionError:
        raise PredicatError.of(msg.too_deep(whole, MAX_PARENTHESES)) from None
    except (IndexError, TypeError):  # raised by sqlglot's compiled nodes if an operand is missing
        raise PredicatError.of(say.missing_operand(whole)) from None
    statements = [item for item in parsed if item is not None]
    if len(statements) != 1 or len(parsed) != 1:
        raise PredicatError.of(say.several_statements(whole))
    reader = Reader(source, whole, spans, language, table)
    reader.extent(statements[0])
    try:
        return reader.read(statements[0], 0)
    except Stop as stop:
        variables = [name.name for one in statements[0].find_all(exp.Lambda) for name in one.expressions]
        raise t.PartlyRead(reader.reporter.errors, stop.parts, variables) from None
    except RecursionError:
        raise PredicatError.of(msg.too_deep(whole, MAX_DEPTH)) from None


def _plain(text: str) -> str:
    return text.replace("\x1b[4m", "").replace("\x1b[0m", "").split("\n")[0]


def _unquoted(tokens: list[Token], fields: Container[str], at: int) -> str | None:
    """The field with the name of a keyword, at a problem or up to two tokens before it; None without one."""
    before = [token for token in tokens if token.start <= at][-3:]
    plain = (TokenType.VAR, TokenType.STRING, TokenType.IDENTIFIER)
    return next(
        (token.text for token in before if token.text in fields and token.token_type not in plain), None
    )


def _parse_error(
    error: dict[str, object], whole: Span, tokens: list[Token], fields: Container[str]
) -> Diagnostic:
    """The message for an error of sqlglot's parser, at the token of its line and column."""
    at = (error.get("line"), error.get("col"))
    token = next((token for token in tokens if (token.line, token.col) == at), None)
    span = Span(whole.source, token.start, token.end + 1) if token is not None else whole
    word = str(error.get("highlight") or "")
    description = str(error.get("description") or say.CANNOT_BE_PARSED).rstrip(".").partition(" but got <")[0]
    if description == "Invalid expression / Unexpected token":
        description = f"unexpected {word!r}"
    elif description.startswith("The number of provided arguments"):
        description = say.WRONG_ARGUMENTS
    elif description.startswith("Required keyword"):
        description = say.SOMETHING_MISSING
    field = _unquoted(tokens, fields, span.start)
    hint = say.name_in_double_quotes(field) if field else WRITTEN_OTHERWISE.get(word.upper())
    return say.invalid_sql(span, description, hint)
