"""SQL predicates, read by sqlglot's own dialect: standard SQL with the spellings that Spark and PostgreSQL
share.

Text stands in single quotes (a quote is doubled, a backslash is itself), names in double quotes or plain,
parameters are `:name`. Places come from sqlglot's tokens. `rules.py` has how each node is read, `refusals.py`
what is refused. Source: ISO/IEC 9075-2 for the predicates; docs/languages.md lists what differs.
"""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING

from sqlglot import Token, TokenType, exp
from sqlglot.errors import ParseError, TokenError

from predicat.diagnostics import Diagnostic, PredicatError, Reporter, Source, Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import sql as say
from predicat.ir import tree as t
from predicat.language.sql import calendars, json_functions
from predicat.language.sql.differences import RULES
from predicat.language.sql.intervals import protect_interval_literals
from predicat.language.sql.languages import SqlLanguage
from predicat.language.sql.operators import Build
from predicat.language.sql.refusals import NODES, OTHER_NAMES, WRITTEN_OTHERWISE, refused_tokens
from predicat.language.sql.refused_functions import REFUSED
from predicat.language.sql.spans import OPERATORS, SpanIndex
from predicat.language.sql.tokens import MARK, as_written, called_div, clause_word, unclosed
from predicat.passes.scope import MAX_DEPTH, MAX_LENGTH

if TYPE_CHECKING:
    from predicat.language import Body

SQL = SqlLanguage("sql", differences=RULES, corrected=called_div)
"""Standard SQL, and what Spark and PostgreSQL have in common."""


MAX_SHOWN = 40
"""The longest part of a condition that a message repeats."""


_AS_WRITTEN = {**calendars.AS_WRITTEN, **json_functions.AS_WRITTEN}
MAX_PARENTHESES = 40
"""sqlglot's parser recurses; it overflows at about 50 nested parentheses."""


def read(body: Body) -> t.Tree:
    """The untyped tree of a body. Raises PredicatError."""
    return read_as(SQL, body)


def read_as(language: SqlLanguage, body: Body) -> t.Tree:
    """The untyped tree of a body in one of the SQL languages. Raises PredicatError."""
    return parse(body.text(), body.source, body.fields or (), language)


def parse(text: str, source: Source, fields: Container[str] = (), language: SqlLanguage = SQL) -> t.Tree:
    """The untyped tree of a SQL predicate. `fields` are those of its dataset, for hints. Raises
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
    if (clause := clause_word(tokens)) is not None:
        raise PredicatError.of(say.clause(Span(source, clause.start, clause.end + 1)))
    refused = refused_tokens(tokens, source, language.foreign)
    if refused is not None:
        raise PredicatError.of(refused)
    try:
        parsed = language.parse(_for_sqlglot(tokens), text)
    except ParseError as error:
        raise PredicatError([_parse_error(item, whole, tokens, fields) for item in error.errors]) from None
    except RecursionError:
        raise PredicatError.of(msg.too_deep(whole, MAX_PARENTHESES)) from None
    except TypeError:  # of sqlglot's compiled nodes, where an operand is missing
        raise PredicatError.of(say.operand_missing(whole)) from None
    statements = [item for item in parsed if item is not None]
    if len(statements) != 1 or len(parsed) != 1:
        raise PredicatError.of(say.several_statements(whole))
    reader = Reader(source, whole, spans, language)
    reader.parameters = spans.parameters(statements[0])
    reader.extent(statements[0])
    try:
        return reader.read(statements[0], 0)
    except Stop:
        reader.reporter.raise_errors()
        raise
    except RecursionError:
        raise PredicatError.of(msg.too_deep(whole, MAX_DEPTH)) from None


def _for_sqlglot(tokens: list[Token]) -> list[Token]:
    return protect_interval_literals(as_written(tokens, _AS_WRITTEN))


def _plain(text: str) -> str:
    return text.replace("\x1b[4m", "").replace("\x1b[0m", "").split("\n")[0]


def _unquoted(tokens: list[Token], fields: Container[str], at: int) -> str | None:
    """A field with the name of a keyword, at a problem or up to two tokens before it."""
    before = [token for token in tokens if token.start <= at][-3:]
    plain = (TokenType.VAR, TokenType.STRING, TokenType.IDENTIFIER)
    return next(
        (token.text for token in before if token.text in fields and token.token_type not in plain), None
    )


def _parse_error(
    error: dict[str, object], whole: Span, tokens: list[Token], fields: Container[str]
) -> Diagnostic:
    """A problem that sqlglot's parser reports, at the token that it names by line and column."""
    at = (error.get("line"), error.get("col"))
    token = next((token for token in tokens if (token.line, token.col) == at), None)
    span = Span(whole.source, token.start, token.end + 1) if token is not None else whole
    word = str(error.get("highlight") or "")
    description = str(error.get("description") or say.CANNOT_BE_PARSED).rstrip(".").partition(" but got <")[0]
    if description == "Invalid expression / Unexpected token":
        description = f"unexpected {word!r}"
    elif description.startswith("Required keyword"):
        description = say.SOMETHING_MISSING
    field = _unquoted(tokens, fields, span.start)
    hint = say.name_in_double_quotes(field) if field else WRITTEN_OTHERWISE.get(word.upper())
    return say.invalid_sql(span, description, hint)


class Stop(Exception):
    """A part has a problem that is reported already."""


class Reader:
    """Reads sqlglot's nodes. All problems are collected."""

    def __init__(self, source: Source, whole: Span, spans: SpanIndex, language: SqlLanguage = SQL) -> None:
        self.source = source
        self.language = language
        self.whole = whole
        self.reporter = Reporter()
        self.spans = spans
        self.extents: dict[int, tuple[int, int]] = {}
        self.parameters: dict[int, tuple[int, int]] = {}
        """Where each parameter stands, by the identity of its node."""

    def fail(self, diagnostic: Diagnostic) -> Stop:
        self.reporter.add(diagnostic)
        return Stop()

    def span(self, node: exp.Expr) -> Span:
        """The span of a node, from the tokens in it."""
        low, high = self.extent(node)
        return Span(self.source, low, high) if high >= 0 else self.whole

    def extent(self, node: exp.Expr) -> tuple[int, int]:
        """The offsets of the first and last token of a node. Computed once, and without recursion: chains are
        long.
        """
        if id(node) not in self.extents:
            found = [(node, list(node.iter_expressions()))]
            for _, parts in found:
                found.extend([(part, list(part.iter_expressions())) for part in parts])
            for part, parts in reversed(found):
                self.extents[id(part)] = self.around(part, parts)
        return self.extents[id(node)]

    def stands_before(self, one: exp.Expr, other: exp.Expr) -> bool:
        """Whether a node comes before another in the text."""
        return 0 <= self.extent(one)[1] <= self.extent(other)[0] < len(self.source.text)

    def around(self, node: exp.Expr, parts: list[exp.Expr]) -> tuple[int, int]:
        """The extent of a node, from those of its parts."""
        meta = node.meta
        low, high = (
            (meta["start"], meta["end"] + 1)
            if "end" in meta
            else self.parameters.get(id(node), (len(self.source.text), -1))
        )
        for part in parts:
            first, last = self.extents[id(part)]
            if last >= 0:
                low, high = min(low, first), max(high, last)
        return self.spans.extent(node, low, high) if parts or isinstance(node, exp.Func) else (low, high)

    def read(self, node: exp.Expr | None, depth: int) -> t.Tree:
        if node is None:
            raise self.fail(say.missing_operand(self.whole))
        if depth > MAX_DEPTH * 3:
            raise self.fail(msg.too_deep(self.span(node), MAX_DEPTH))
        allowed, build = self.rule(node)
        for name, value in node.args.items():
            if value and allowed is not None and name not in allowed:
                raise self.fail(self.unsupported(self.foreign(node, value)))
        return build(self, node, depth + 1)

    def rule(self, node: exp.Expr) -> tuple[frozenset[str] | None, Build]:
        """The rule of a node's class, or of the function that it is called by. Raises Stop."""
        rules = self.language.rules
        rule = rules.get(type(node))
        if rule is None and isinstance(node, exp.Func) and type(node) not in NODES:
            rule = rules.get(self.called_name(node))
        if rule is None:
            raise self.fail(self.unsupported(node))
        return rule

    def unsupported(self, node: exp.Expr) -> Diagnostic:
        negated = isinstance(node, exp.Not) and isinstance(node.this, exp.RegexpILike)
        found = node.this if negated else node
        what, hint = next((row for kind, row in NODES.items() if isinstance(found, kind)), (None, None))
        name = self.called_name(node) if isinstance(node, exp.Func) else ""
        if name in REFUSED or name in OTHER_NAMES:
            instead = REFUSED.get(name) or OTHER_NAMES[name]
            return msg.unsupported_syntax(self.span(node), what or name, instead)
        if isinstance(node, exp.AggFunc):
            return say.aggregate(self.span(node), name)
        if what is None and name:
            if type(node) not in self.language.rules:
                return say.unknown_function(self.span(node), name, self.language.known)
            what = name
        what = what or self.written(node)
        hint = hint or WRITTEN_OTHERWISE.get(what.removeprefix("the operator ").upper())
        return msg.unsupported_syntax(self.span(node), what, hint)

    @staticmethod
    def foreign(node: exp.Expr, value: object) -> exp.Expr:
        """The part of a node that is not supported: the subquery in it, or the whole node."""
        return value if isinstance(value, exp.Query) else node

    def written(self, node: exp.Expr) -> str:
        """An operator as it is written: the text between its operands, or else the whole node."""
        parts = [
            self.extent(part)
            for part in (node.args.get("this"), node.args.get("expression"))
            if isinstance(part, exp.Expr)
        ]
        between = (
            self.source.text[parts[0][1] : parts[1][0]].strip("() \t\n")
            if len(parts) == 2 and parts[0][1] >= 0
            else ""
        )
        if between and len(between) <= MAX_SHOWN:
            return f"the operator {between}"
        text = " ".join(self.span(node).text.split())
        return repr(text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 3] + "...")

    def called_name(self, node: exp.Expr) -> str:
        """The name of a function as it is written, in small letters."""
        if isinstance(node, exp.Anonymous):
            return str(node.this).removeprefix(MARK).lower()
        found = self.spans.called_name(self.extent(node)[0])
        if found or isinstance(node, OPERATORS):
            return found
        return self.span(node).text.partition("(")[0].lower()

    def all(self, nodes: list[exp.Expr], depth: int) -> tuple[t.Tree, ...]:
        out: list[t.Tree] = []
        stopped = False
        for node in nodes:
            try:
                out.append(self.read(node, depth))
            except Stop:
                stopped = True
        if stopped:
            raise Stop
        return tuple(out)

    def apply(self, op: str, node: exp.Expr, *parts: exp.Expr, depth: int) -> t.Tree:
        return t.OperatorCall(op, self.all(list(parts), depth), self.span(node))
