"""SQL predicates, read by sqlglot's own dialect: standard SQL with the spellings that Spark and PostgreSQL
share.

Text stands in single quotes (a quote is doubled, a backslash is itself), names in double quotes or plain,
parameters
are `:name`. Source: ISO/IEC 9075-2 for the predicates; docs/languages.md lists what differs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator
from datetime import timedelta
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING

from sqlglot import Dialect, Token, TokenType, exp
from sqlglot.errors import ParseError, TokenError

from predicat.diagnostics import Diagnostic, PredicatError, Reporter, Source, Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import sql as say
from predicat.ir import tree as t
from predicat.ir.types import DATE, MAX_PRECISION, TIMESTAMP
from predicat.ir.values import INT_MAX, INT_MIN
from predicat.language.sql import intervals as sql_intervals
from predicat.language.sql.functions import (
    iso_day,
    quarter,
    right,
    row_equal,
    spark_day,
    split_part,
    week,
    weekday,
)
from predicat.language.sql.places import OPERATORS, Places
from predicat.passes.convert import time_constant
from predicat.passes.scope import MAX_DEPTH, MAX_LENGTH
from predicat.passes.variables import caseless, unused
from predicat.semantics.like import LikeError, canonical

if TYPE_CHECKING:
    from predicat.language import Body

_DIALECT = Dialect.get_or_raise(None)
_TOKENIZER, _PARSER = _DIALECT.tokenizer(), _DIALECT.parser()
MAX_DIGITS = 1000
MAX_SHOWN = 40
"""The longest part of a condition that a message repeats."""
MAX_PARENTHESES = 40
"""sqlglot's parser recurses; it overflows at about 50 nested parentheses."""


def read(body: Body) -> t.Tree:
    """The untyped tree of a body. Raises PredicatError."""
    return parse(body.text(), body.source, body.fields or ())


def parse(text: str, source: Source, fields: Container[str] = ()) -> t.Tree:
    """The untyped tree of a SQL predicate. `fields` are those of its dataset, for hints. Raises
    PredicatError.
    """
    whole = Span(source, 0, len(text))
    if len(text) > MAX_LENGTH:
        raise PredicatError.of(msg.too_large(whole, len(text), MAX_LENGTH))
    if _nesting(text) > MAX_PARENTHESES:
        raise PredicatError.of(msg.too_deep(whole, MAX_PARENTHESES))
    if not text.strip():
        raise PredicatError.of(msg.empty_condition(whole))
    try:
        tokens = _TOKENIZER.tokenize(text)
    except TokenError as error:
        raise PredicatError.of(say.no_words(whole, _plain(str(error)))) from None
    _check_words(tokens, source)
    try:
        parsed = _PARSER.parse_into(exp.Condition, sql_intervals.kept(tokens), text)
    except ParseError as error:
        raise PredicatError(
            [_parse_error(item, source, text, tokens, fields) for item in error.errors]
        ) from None
    except RecursionError:
        raise PredicatError.of(msg.too_deep(whole, MAX_PARENTHESES)) from None
    statements = [item for item in parsed if item is not None]
    if len(statements) != 1 or len(parsed) != 1:
        raise PredicatError.of(say.several_statements(whole))
    reader = _Reader(source, whole, Places(tokens))
    reader.parameters = reader.places.parameters(statements[0])
    reader.extent(statements[0])
    try:
        return reader.read(statements[0], 0)
    except _Stop:
        reader.reporter.raise_errors()
        raise
    except RecursionError:
        raise PredicatError.of(msg.too_deep(whole, MAX_DEPTH)) from None


def _check_words(tokens: list[Token], source: Source) -> None:
    """What sqlglot's parser takes and SQL does not, or not in that sense. Raises PredicatError.

    Nothing between two commas; IS, IN, LIKE or BETWEEN behind a comparison (`a = b IS NULL`): the parsers
    disagree about what belongs together.
    """
    compared = [False]
    """Whether a comparison stands before, inside of each bracket that is open."""
    for one, other in pairwise([*tokens, Token(TokenType.SEMICOLON, "")]):
        if (one.token_type, other.token_type) in _GAPS:
            raise PredicatError.of(say.missing_before(Span(source, other.start, other.end + 1), other.text))
        if one.token_type in _JSON_ARROWS:
            raise PredicatError.of(say.operator(Span(source, one.start, one.end + 1), one.text, _JSON_HINT))
        if one.token_type in _QUANTIFIERS and other.token_type in _VALUES:
            raise PredicatError.of(
                say.values_in_parentheses(Span(source, one.start, one.end + 1), one.text.upper())
            )
        if (
            one.token_type is TokenType.VAR
            and one.text.upper() == "IF"
            and other.token_type is not TokenType.L_PAREN
        ):
            raise PredicatError.of(say.if_as_function(Span(source, one.start, one.end + 1)))
        if one.token_type in _OPENING:
            compared.append(False)
        elif one.token_type in _CLOSING and len(compared) > 1:
            compared.pop()
        elif one.token_type in _PREDICATES and compared[-1]:
            raise PredicatError.of(
                say.behind_comparison(Span(source, one.start, one.end + 1), one.text.upper())
            )
        elif one.token_type in _COMPARISONS or one.token_type in _BETWEEN_CONDITIONS:
            compared[-1] = one.token_type in _COMPARISONS


_OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.CASE})
_CLOSING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.END})
_JSON_ARROWS = frozenset({TokenType.DARROW, TokenType.HASH_ARROW, TokenType.DHASH_ARROW})
_SAME_EVERY_DAY = "a filter gives the same answer every day: pass the time as a parameter"
_JSON_HINT = "write j['key'] for what a JSON value or a map holds under a key"
_COMMA = TokenType.COMMA
_GAPS = frozenset(
    {
        (_COMMA, _COMMA),
        (TokenType.L_PAREN, _COMMA),
        (TokenType.L_BRACKET, _COMMA),
        (_COMMA, TokenType.R_PAREN),
        (_COMMA, TokenType.R_BRACKET),
        (TokenType.ALIAS, TokenType.R_PAREN),
        (TokenType.ALIAS, _COMMA),
        (TokenType.FROM, TokenType.R_PAREN),
    }
)
_QUANTIFIERS = frozenset({TokenType.ALL, TokenType.ANY, TokenType.SOME})
_VALUES = frozenset(
    {TokenType.STRING, TokenType.NUMBER, TokenType.VAR, TokenType.IDENTIFIER, TokenType.ARRAY, TokenType.ALL}
)
_COMPARISONS = frozenset(
    {
        TokenType.EQ,
        TokenType.NEQ,
        TokenType.LT,
        TokenType.LTE,
        TokenType.GT,
        TokenType.GTE,
        TokenType.NULLSAFE_EQ,
    }
)
_PREDICATES = frozenset(
    {TokenType.IS, TokenType.IN, TokenType.LIKE, TokenType.ILIKE, TokenType.RLIKE, TokenType.BETWEEN}
)
_BETWEEN_CONDITIONS = frozenset(
    {TokenType.AND, TokenType.OR, TokenType.WHEN, TokenType.THEN, TokenType.ELSE, TokenType.ARROW, _COMMA}
)


def _nesting(text: str) -> int:
    depth = deepest = 0
    for found in _BRACKET.finditer(text):
        depth += 1 if found[0] in "([{" else -1 if found[0] in ")]}" else 0
        deepest = max(deepest, depth)
    return deepest


_BRACKET = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|[\[\](){}]")
"""A bracket, or a quoted text, whose brackets count for nothing."""


def _plain(text: str) -> str:
    return text.replace("\x1b[4m", "").replace("\x1b[0m", "").split("\n")[0]


def _unquoted(tokens: list[Token], fields: Container[str], at: int) -> str | None:
    """A field whose name is a word of SQL, where a problem is or up to two words before."""
    before = [token for token in tokens if token.start <= at][-3:]
    plain = (TokenType.VAR, TokenType.STRING, TokenType.IDENTIFIER)
    return next(
        (token.text for token in before if token.text in fields and token.token_type not in plain), None
    )


def _parse_error(
    error: dict[str, object], source: Source, text: str, tokens: list[Token], fields: Container[str]
) -> Diagnostic:
    line, column, word = (
        int(str(error.get("line") or 1)),
        int(str(error.get("col") or 1)),
        str(error.get("highlight") or ""),
    )
    starts = [0, *(i + 1 for i, char in enumerate(text) if char == "\n")]
    end = min(starts[min(line, len(starts)) - 1] + column, len(text))
    start = max(end - max(len(word), 1), 0)
    found = text.find(word, max(start - 1, 0)) if word else -1
    if found >= 0 and abs(found - start) <= 2:
        start, end = found, found + len(word)
    description = str(error.get("description") or say.CANNOT_BE_PARSED).rstrip(".")
    description = {"Invalid expression / Unexpected token": f"unexpected {word!r}"}.get(
        description, description
    )
    if description.startswith("Required keyword"):
        description = say.SOMETHING_MISSING
    description = description.partition(" but got <")[0]
    field = _unquoted(tokens, fields, start)
    hint = say.name_in_double_quotes(field) if field else _WRITTEN_OTHERWISE.get(word)
    return say.invalid_sql(Span(source, start, max(end, start)), description, hint)


_WRITTEN_OTHERWISE = {
    "`": "names with special characters stand in double quotes",
    "&&": "write AND",
    "||": "write OR",
    "!": "write NOT",
    "~": "write RLIKE for a regular expression",
}
"""Signs that are no words of a condition, and what to write instead."""


_NOT_SUPPORTED: dict[type[exp.Expr], tuple[str | None, str | None]] = {
    exp.Subquery: ("a subquery", None),
    exp.Select: ("a subquery", None),
    exp.SetOperation: ("a subquery", None),
    exp.Star: ("*", None),
    exp.Window: ("a window function", None),
    exp.CurrentTimestamp: ("the current time", _SAME_EVERY_DAY),
    exp.CurrentDate: ("the current date", _SAME_EVERY_DAY),
    exp.Rand: ("a random number", None),
    exp.JSONExtract: ("the operator ->", _JSON_HINT),
    exp.ConnectByRoot: ("CONNECT_BY_ROOT", None),
    exp.RegexpILike: (None, "write RLIKE '(?i)...', which ignores case"),
}
"""What SQL has and a filter does not: what it is called, if not as it is written, and what to write
instead.
"""


class _Stop(Exception):
    """A part has a problem that is reported already."""


_NAME = re.compile(r"[A-Za-z_]\w*(?=\s*\()")


class _Reader:
    def __init__(self, source: Source, whole: Span, places: Places) -> None:
        self.source = source
        self.whole = whole
        self.reporter = Reporter()
        self.places = places
        self.extents: dict[int, tuple[int, int]] = {}
        self.parameters: dict[int, tuple[int, int]] = {}
        """Where each parameter stands, by the identity of its node."""

    def fail(self, diagnostic: Diagnostic) -> _Stop:
        self.reporter.add(diagnostic)
        return _Stop()

    def span(self, node: exp.Expr) -> Span:
        """The range of a node, from the places of the words in it."""
        low, high = self.extent(node)
        return Span(self.source, low, high) if high >= 0 else self.whole

    def extent(self, node: exp.Expr) -> tuple[int, int]:
        """The first and the last offset of the words in a node; it is worked out once, and without
        recursion: chains are long.
        """
        if id(node) not in self.extents:
            found = [(node, list(node.iter_expressions()))]
            for _, parts in found:
                found.extend([(part, list(part.iter_expressions())) for part in parts])
            for part, parts in reversed(found):
                self.extents[id(part)] = self.around(part, parts)
        return self.extents[id(node)]

    def stands_before(self, one: exp.Expr, other: exp.Expr) -> bool:
        """Whether the words of a node come before those of another."""
        return 0 <= self.extent(one)[1] <= self.extent(other)[0] < len(self.source.text)

    def around(self, node: exp.Expr, parts: list[exp.Expr]) -> tuple[int, int]:
        """The extent of a node whose parts have theirs."""
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
        return self.places.whole(node, low, high) if parts or isinstance(node, exp.Func) else (low, high)

    def read(self, node: exp.Expr | None, depth: int) -> t.Tree:
        if node is None:
            raise self.fail(say.missing_operand(self.whole))
        if depth > MAX_DEPTH * 3:
            raise self.fail(msg.too_deep(self.span(node), MAX_DEPTH))
        rule = _RULES.get(type(node))
        if rule is None:
            build = (
                FUNCTIONS.get(self.called_name(node))
                if isinstance(node, exp.Func) and not isinstance(node, exp.ConnectByRoot)
                else None
            )
            if build is None:
                raise self.fail(self.unsupported(node))
            return build(self, node, depth + 1)
        allowed, build = rule
        for name, value in node.args.items():
            if value and name not in allowed:
                raise self.fail(self.unsupported(self.foreign(node, value)))
        return build(self, node, depth + 1)

    def unsupported(self, node: exp.Expr) -> Diagnostic:
        negated = isinstance(node, exp.Not) and isinstance(node.this, exp.RegexpILike)
        found = node.this if negated else node
        what, hint = next(
            (row for kind, row in _NOT_SUPPORTED.items() if isinstance(found, kind)), (None, None)
        )
        if what is None and isinstance(node, exp.Func) and not isinstance(node, OPERATORS):
            what = self.called_name(node)
            if type(node) not in _RULES:
                return msg.unknown_function(self.span(node), what, KNOWN)
        return msg.unsupported_syntax(self.span(node), what or self.written(node), hint)

    @staticmethod
    def foreign(node: exp.Expr, value: object) -> exp.Expr:
        """What of a node is unknown: the subquery in it, or the node as a whole."""
        return value if isinstance(value, exp.Query) else node

    def written(self, node: exp.Expr) -> str:
        """An operator as the text has it: the words between its operands, or else the whole of it."""
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
            return str(node.this).lower()
        found = _NAME.match(self.source.text, self.span(node).start)
        return found[0].lower() if found else type(node).__name__.lower()

    def all(self, nodes: list[exp.Expr], depth: int) -> tuple[t.Tree, ...]:
        out: list[t.Tree] = []
        stopped = False
        for node in nodes:
            try:
                out.append(self.read(node, depth))
            except _Stop:
                stopped = True
        if stopped:
            raise _Stop
        return tuple(out)

    def apply(self, op: str, node: exp.Expr, *parts: exp.Expr, depth: int) -> t.Tree:
        return t.Apply(op, self.all(list(parts), depth), self.span(node))


Build = Callable[[_Reader, exp.Expr, int], t.Tree]


def _chain(op: str) -> Build:
    """AND and OR: a left-deep chain becomes one flat call."""

    def build(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
        kind = type(node)
        parts: list[exp.Expr] = []
        rest: exp.Expr = node
        while isinstance(rest, kind):
            parts.append(rest.expression)
            rest = rest.this
        parts.append(rest)
        return reader.apply(op, node, *reversed(parts), depth=depth)

    return build


def _binary(op: str) -> Build:
    return lambda reader, node, depth: reader.apply(op, node, node.this, node.expression, depth=depth)


def _unary(op: str) -> Build:
    return lambda reader, node, depth: reader.apply(op, node, node.this, depth=depth)


def _not(tree: t.Tree) -> t.Tree:
    return t.Apply("not", (tree,), tree.span)


def _distinct(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    return _not(reader.apply("same", node, node.this, node.expression, depth=depth))


def _paren(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    return reader.read(node.this, depth)


def _literal(reader: _Reader, node: exp.Expr, _depth: int) -> t.Tree:
    text, span = str(node.this), reader.span(node)
    if node.args.get("is_string"):
        return t.Const(text, span)
    if len(text) > MAX_DIGITS or not text.isascii():
        raise reader.fail(say.number_of_digits(span, MAX_DIGITS))
    if text.isdigit() and (int(text) <= INT_MAX or len(text.lstrip("0")) > MAX_PRECISION):
        return t.Const(int(text), span)
    if "e" in text.lower():
        return t.Const(float(text), span)
    return t.Const(Decimal(text), span)


def _negative(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    inner = reader.read(node.this, depth)
    if (
        isinstance(inner, t.Const)
        and isinstance(inner.value, int | float | Decimal | timedelta)
        and not isinstance(inner.value, bool)
    ):
        value = (
            inner.value.copy_negate() if isinstance(inner.value, Decimal) else -inner.value
        )  # a minus alone would round
        value = INT_MIN if value == INT_MIN else value
        return t.Const(value, Span(inner.span.source, max(inner.span.start - 1, 0), inner.span.end))
    return t.Apply("neg", (inner,), inner.span)


def _boolean(reader: _Reader, node: exp.Expr, _depth: int) -> t.Tree:
    return t.Const(bool(node.this), reader.span(node))


def _null(reader: _Reader, node: exp.Expr, _depth: int) -> t.Tree:
    return t.Const(None, reader.span(node))


def _column(reader: _Reader, node: exp.Expr, _depth: int) -> t.Tree:
    parts = [part for key in ("catalog", "db", "table", "this") if (part := node.args.get(key)) is not None]
    if not all(isinstance(part, exp.Identifier) for part in parts):
        raise reader.fail(reader.unsupported(parts[-1]))
    return _names(reader, parts)


def _names(reader: _Reader, parts: list[exp.Expr]) -> t.Tree:
    found: t.Tree = t.Name(parts[0].name, reader.span(parts[0]))
    for part in parts[1:]:
        found = t.Member(found, part.name, found.span.to(reader.span(part)))
    return found


def _identifier(reader: _Reader, node: exp.Expr, _depth: int) -> t.Tree:
    return t.Name(node.name, reader.span(node))


def _dot(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    if not isinstance(node.expression, exp.Identifier):
        raise reader.fail(reader.unsupported(node.expression))
    return t.Member(reader.read(node.this, depth), node.expression.name, reader.span(node))


def _placeholder(reader: _Reader, node: exp.Expr, _depth: int) -> t.Tree:
    name = str(node.this or "")
    low, high = reader.parameters.get(id(node), (reader.whole.start, reader.whole.end))
    span = Span(reader.source, low, high)
    if not name:
        raise reader.fail(say.parameter_without_name(span))
    return t.Param(name, span)


def _between(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    span = reader.span(node)
    value, low, high = reader.all([node.this, node.args["low"], node.args["high"]], depth)
    return t.Apply("and", (t.Apply("ge", (value, low), span), t.Apply("le", (value, high), span)), span)


def _in(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    if isinstance(node.this, exp.Tuple):
        if not node.expressions:
            raise reader.fail(say.no_rows_in(reader.span(node)))
        parts = tuple(_same_rows(reader, node, node.this, row, depth) for row in node.expressions)
        return t.Apply("or", parts, reader.span(node))
    values = reader.all(node.expressions, depth)
    span = reader.span(node)
    return t.Apply("in", (reader.read(node.this, depth), t.ListOf(values, span)), span)


def _is(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    inner, span = reader.read(node.this, depth), reader.span(node)
    right = node.expression
    if isinstance(right, exp.Null):
        return t.Apply("is_null", (inner,), span)
    if isinstance(right, exp.Boolean):
        return t.Apply("is_true", (inner if right.this else _not(inner),), span)
    raise reader.fail(reader.unsupported(node))


def _like(op: str) -> Build:
    def build(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
        return _like_with(reader, node, op, "\\", depth)

    return build


def _like_with(reader: _Reader, node: exp.Expr, op: str, escape: str, depth: int) -> t.Tree:
    """LIKE with one pattern, ANY of several or ALL of them. NOT LIKE ANY is one NOT LIKE or another, as
    Spark and PostgreSQL have it.
    """
    value, span = reader.read(node.this, depth), reader.span(node)
    right = node.expression
    inner = right.this.unnest() if isinstance(right, exp.Any | exp.All) else right
    if reader.stands_before(right, node.this):
        raise reader.fail(say.like_as_function(span))
    patterns = (
        inner.expressions
        if isinstance(right, exp.Any | exp.All) and isinstance(inner, exp.Tuple | exp.Array)
        else [inner]
    )
    if not patterns:
        raise reader.fail(say.no_pattern(span))
    parts = tuple(_pattern(reader, value, item, op, escape, span, depth) for item in patterns)
    if node.args.get("negate"):
        parts = tuple(map(_not, parts))
    return (
        parts[0] if len(parts) == 1 else t.Apply("and" if isinstance(right, exp.All) else "or", parts, span)
    )


def _pattern(
    reader: _Reader, value: t.Tree, node: exp.Expr, op: str, escape: str, span: Span, depth: int
) -> t.Tree:
    pattern = reader.read(node, depth)
    if isinstance(pattern, t.Const) and isinstance(pattern.value, str):
        try:
            pattern = t.Const(canonical(pattern.value, escape), pattern.span)
        except LikeError as error:
            raise reader.fail(msg.bad_like(pattern.span, str(error))) from None
    return t.Apply(op, (value, pattern), span)


def _escape(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    inner = node.this
    ops = {exp.Like: "like", exp.ILike: "like_ci"}
    escape = node.expression
    if type(inner) not in ops or not isinstance(escape, exp.Literal) or len(str(escape.this)) > 1:
        raise reader.fail(msg.one_escape_character(reader.span(node)))
    return _like_with(reader, inner, ops[type(inner)], str(escape.this), depth)


def _case(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    """CASE: a condition that is UNKNOWN counts as false; without ELSE the rest is NULL."""
    span = reader.span(node)
    operand = reader.read(node.this, depth) if node.this is not None else None
    default = node.args.get("default")
    found: t.Tree = reader.read(default, depth) if default is not None else t.Const(None, span)
    for branch in reversed(node.args["ifs"]):
        test = reader.read(branch.this, depth)
        if operand is not None:
            test = t.Apply("eq", (operand, test), span)
        value = reader.read(branch.args["true"], depth)
        found = t.Apply("cond", (t.Apply("is_true", (test,), test.span), value, found), span)
    return found


def _if(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    test = reader.read(node.this, depth)
    no = node.args.get("false")
    other: t.Tree = reader.read(no, depth) if no is not None else t.Const(None, test.span)
    yes = reader.read(node.args["true"], depth)
    return t.Apply("cond", (t.Apply("is_true", (test,), test.span), yes, other), reader.span(node))


def _nullif(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    value, other = reader.all([node.this, node.expression], depth)
    span = reader.span(node)
    test = t.Apply("is_true", (t.Apply("eq", (value, other), span),), span)
    return t.Apply("cond", (test, t.Const(None, span), value), span)


_CASTS = {
    "string": "to_sql_string",
    "bigint": "to_int",
    "double": "to_double",
    "boolean": "to_boolean",
    "timestamp": "to_timestamp",
    "date": "to_date",
}
_CAST_TYPES = {
    exp.DType.TEXT: "string",
    exp.DType.VARCHAR: "string",
    exp.DType.BIGINT: "bigint",
    exp.DType.INT: "bigint",
    exp.DType.DOUBLE: "double",
    exp.DType.BOOLEAN: "boolean",
    exp.DType.TIMESTAMP: "timestamp",
    exp.DType.TIMESTAMPTZ: "timestamp",
    exp.DType.TIMESTAMPLTZ: "timestamp",
    exp.DType.DATE: "date",
}


def _cast(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    span = reader.span(node)
    kind = _CAST_TYPES.get(node.args["to"].this)
    if kind is None or node.args["to"].expressions:
        single = node.args["to"].this == exp.DType.FLOAT
        raise reader.fail(say.cast_to(span, node.args["to"].sql(), single=single))
    return _converted(reader, reader.read(node.this, depth), kind, span)


def _converted(reader: _Reader, inner: t.Tree, kind: str, span: Span) -> t.Tree:
    """A value as a type; a constant date or time is read here, as SQL writes it."""
    if isinstance(inner, t.Const) and isinstance(inner.value, str) and kind in ("timestamp", "date"):
        value = time_constant(inner.value, TIMESTAMP if kind == "timestamp" else DATE, inner.span)
        if isinstance(value, Diagnostic):
            raise reader.fail(value)
        return t.Const(value, span)
    return t.Apply("cast", (inner, t.Const(_CASTS[kind], span)), span)


def _interval(reader: _Reader, node: exp.Expr, _depth: int) -> t.Tree:
    """A constant length of time; where its text was, sqlglot has a place holder (see
    `sql_intervals.kept`).
    """
    span, amount, unit = reader.span(node), node.this, node.args.get("unit")
    first, last = (
        (unit.this.name, unit.expression.name)
        if isinstance(unit, exp.IntervalSpan)
        else (unit.name if unit else "", "")
    )
    if not isinstance(amount, exp.Literal):
        raise reader.fail(say.interval_of_parts(span))
    text = (
        reader.source.text[span.start + 1 : span.end - 1].replace("''", "'")
        if amount.name == "?"
        else amount.name
    )
    if sql_intervals.has_months(text, first):
        raise reader.fail(say.interval_unit(span, first.lower() or repr(text)))
    size = sql_intervals.micros(text, first, last)
    if size is None:
        raise reader.fail(say.bad_interval(span, text))
    if size % 1:
        raise reader.fail(msg.too_fine(span, "an interval"))
    return t.Const(timedelta(microseconds=int(size)), span)


_EXTRACT = {
    "YEAR": "year",
    "MONTH": "month",
    "DAY": "day",
    "DAYOFMONTH": "day",
    "HOUR": "hour",
    "MINUTE": "minute",
    "DOY": "day_of_year",
    "DAYOFYEAR": "day_of_year",
}
_AMBIGUOUS = {
    "DOW": "Sunday is 0 on PostgreSQL and 1 on Spark: write isodow, or dayofweek, where it is 1",
    "SECOND": "it has decimals on Spark and PostgreSQL: write second(t) for whole seconds",
}


def _part(op: str) -> Build:
    """A part of a time: `hour(t)`, or `hour(t AT TIME ZONE 'Europe/Paris')`; UTC where no zone is named."""
    return lambda reader, node, depth: _read_part(reader, op, node, _only(reader, node), depth)


def _read_part(reader: _Reader, op: str, node: exp.Expr, moment: exp.Expr, depth: int) -> t.Tree:
    moment = moment.unnest()
    if not isinstance(moment, exp.AtTimeZone):
        return reader.apply(op, node, moment, depth=depth)
    return reader.apply(op, node, moment.this, moment.args["zone"], depth=depth)


def _extract(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    return _named_part(reader, str(node.this), node, node.expression, depth)


def _named_part(reader: _Reader, name: str, node: exp.Expr, moment: exp.Expr, depth: int) -> t.Tree:
    part, span = name.upper(), reader.span(node)
    if part in _AMBIGUOUS:
        raise reader.fail(msg.unsupported_syntax(span, f"EXTRACT({part.lower()} ...)", _AMBIGUOUS[part]))
    if part == "DAYOFWEEK":
        return spark_day(_read_part(reader, "day_of_week", node, moment, depth))
    if part in ("ISODOW", "DOW_ISO", "DAYOFWEEK_ISO"):
        return iso_day(_read_part(reader, "day_of_week", node, moment, depth), span)
    if part == "QUARTER":
        return quarter(_read_part(reader, "month", node, moment, depth), span)
    if part == "WEEK":
        if isinstance(moment.unnest(), exp.AtTimeZone):
            raise reader.fail(say.week_in_time_zone(span))
        return week(reader.read(moment, depth), span)
    if part not in _EXTRACT:
        hint = f"parts: {', '.join([*_EXTRACT, 'QUARTER', 'WEEK', 'DAYOFWEEK', 'ISODOW'])}".lower()
        raise reader.fail(msg.unsupported_syntax(span, f"EXTRACT({part.lower()} ...)", hint))
    return _read_part(reader, _EXTRACT[part], node, moment, depth)


def _named(part: str) -> Build:
    """A function of one argument that has the name of a part."""
    return lambda reader, node, depth: _named_part(reader, part, node, _only(reader, node), depth)


def _weekday(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    """WEEKDAY: 0 for Monday to 6 for Sunday."""
    return weekday(_read_part(reader, "day_of_week", node, _only(reader, node), depth), reader.span(node))


def _date_part(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    """date_part('hour', t)"""
    args = _counted(reader, node, 2)
    if not isinstance(args[0], exp.Literal) or not args[0].is_string:
        raise reader.fail(say.part_not_constant(reader.span(node)))
    return _named_part(reader, args[0].name, node, args[1], depth)


def _at_zone(reader: _Reader, node: exp.Expr, _depth: int) -> t.Tree:
    raise reader.fail(say.at_time_zone(reader.span(node)))


def _trunc(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    unit = node.args["unit"]
    text = str(unit.this if isinstance(unit, exp.Literal | exp.Var) else unit).lower()
    span = reader.span(node)
    return t.Apply("date_trunc", (t.Const(text, span), reader.read(node.this, depth)), span)


def _trim(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    """TRIM of spaces, or of any of the characters of a constant at both ends."""
    position = str(node.args.get("position") or "BOTH").upper()
    characters = node.args.get("expression")
    if characters is None:
        return reader.apply(
            {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(position, "trim"), node, node.this, depth=depth
        )
    if position != "BOTH":
        raise reader.fail(say.trim_one_end(reader.span(node)))
    if reader.stands_before(node.this, characters):
        raise reader.fail(say.trim_two_arguments(reader.span(node)))
    return reader.apply("strip", node, node.this, characters, depth=depth)


def _btrim(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    args = _counted(reader, node, 1, 2)
    return reader.apply("trim" if len(args) == 1 else "strip", node, *args, depth=depth)


def _bracket(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    if len(node.expressions) != 1:
        raise reader.fail(reader.unsupported(node))
    return reader.apply("bracket", node, node.this, node.expressions[0], depth=depth)


def _quantified(kind: str) -> Build:
    """exists(array, x -> condition)"""

    def build(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
        args = list(_arguments(node))
        if len(args) != 2 or not isinstance(args[1], exp.Lambda) or len(args[1].expressions) != 1:
            raise reader.fail(say.exists_form(reader.span(node)))
        source, body = reader.read(args[0], depth), reader.read(args[1].this, depth)
        return t.Bind(kind, args[1].expressions[0].name, source, body, reader.span(node))

    return build


def _concat(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    """CONCAT and ||: a NULL part makes the whole NULL."""
    found, *rest = reader.all(list(_arguments(node)), depth)
    for part in rest:
        found = t.Apply("concat", (found, part), reader.span(node))
    return found


def _equal(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`x = y`, `x = ANY(array)` or `(a, b) = (1, 2)`."""
    if isinstance(node.this, exp.Tuple):
        return _same_rows(reader, node, node.this, node.expression, depth)
    array = _array_of(node.expression, "any", "some")
    return (
        reader.apply("eq", node, node.this, node.expression, depth=depth)
        if array is None
        else _element(reader, node, array, depth)
    )


def _unequal(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`x <> y`, `x <> ALL(array)` or `(a, b) <> (1, 2)`."""
    if isinstance(node.this, exp.Tuple):
        return _not(_same_rows(reader, node, node.this, node.expression, depth))
    array = _array_of(node.expression, "all")
    return (
        reader.apply("ne", node, node.this, node.expression, depth=depth)
        if array is None
        else _not(_element(reader, node, array, depth))
    )


def _array_of(node: exp.Expr, *names: str) -> exp.Expr | None:
    """The array in ANY(array), SOME(array) or ALL(array), of which sqlglot knows the first."""
    if isinstance(node, exp.Any) and "any" in names:
        return node.this.unnest()
    named = isinstance(node, exp.Anonymous) and str(node.this).lower() in names and len(node.expressions) == 1
    return node.expressions[0] if named else None


def _element(reader: _Reader, node: exp.Expr, array: exp.Expr, depth: int) -> t.Tree:
    """Whether a value is in an array; FALSE for one without elements, whatever the value is."""
    span = reader.span(node)
    found = reader.apply("in", node, node.this, array, depth=depth)
    some = t.Apply("gt", (t.Apply("size", (reader.read(array, depth),), span), t.Const(0, span)), span)
    return found if isinstance(node.this, exp.Literal) else t.Apply("and", (found, some), span)


def _same_rows(reader: _Reader, node: exp.Expr, left: exp.Expr, right: exp.Expr, depth: int) -> t.Tree:
    """Two rows of values, which are equal if they are in each place."""
    count = len(left.expressions)
    if not count:
        raise reader.fail(say.empty_row(reader.span(node)))
    if not isinstance(right, exp.Tuple) or len(right.expressions) != count:
        raise reader.fail(say.row_compared(reader.span(node), count))
    return row_equal(
        reader.all(left.expressions, depth), reader.all(right.expressions, depth), reader.span(node)
    )


def _array(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    return t.ListOf(reader.all(node.expressions, depth), reader.span(node))


def _arguments(node: exp.Expr) -> Iterator[exp.Expr]:
    if isinstance(node, exp.Anonymous):
        yield from node.expressions
        return
    for key in node.arg_types:
        value = node.args.get(key)
        if isinstance(value, list):
            yield from value
        elif isinstance(value, exp.Expr):
            yield value


def _counted(reader: _Reader, node: exp.Expr, *counts: int) -> list[exp.Expr]:
    """The arguments of a function that takes so many."""
    args = list(_arguments(node))
    if len(args) not in counts:
        wanted = " or ".join(map(str, counts)) + (" argument" if counts == (1,) else " arguments")
        raise reader.fail(
            msg.wrong_argument_count(reader.span(node), reader.called_name(node), len(args), wanted)
        )
    return args


def _only(reader: _Reader, node: exp.Expr) -> exp.Expr:
    """The argument of a function that takes one."""
    return _counted(reader, node, 1)[0]


def _function(op: str, *counts: int) -> Build:
    def build(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
        args = _counted(reader, node, *counts) if counts else list(_arguments(node))
        return reader.apply(op, node, *args, depth=depth)

    return build


def _conversion(kind: str) -> Build:
    """A function of one argument that is a cast: date(t), to_timestamp(s)."""

    def build(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
        (value,) = reader.all(_counted(reader, node, 1), depth)
        return _converted(reader, value, kind, reader.span(node))

    return build


def _right(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    text, length = reader.all([node.this, node.expression], depth)
    _check_length(reader, length)
    return right(text, length, reader.span(node))


def _split_part(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    """split_part(s, '@', 2)"""
    text, by, number = reader.all(_counted(reader, node, 3), depth)
    if not isinstance(number, t.Const) or not isinstance(number.value, int) or not 0 < number.value < 2**31:
        raise reader.fail(say.place_not_constant(number.span))
    return split_part(text, by, number.value, reader.span(node))


def _date_sub(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    date, days = reader.all([node.this, node.expression], depth)
    back = (
        t.Const(-days.value, days.span)
        if isinstance(days, t.Const) and isinstance(days.value, int)
        else t.Apply("neg", (days,), days.span)
    )
    return t.Apply("add_days", (date, back), reader.span(node))


def _is_nan(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    (value,) = reader.all(_counted(reader, node, 1), depth)
    return t.Apply("ne", (value, value), reader.span(node))


def _nvl2(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    value, yes, no = reader.all(_counted(reader, node, 3), depth)
    return t.Apply("cond", (t.Apply("is_null", (value,), value.span), no, yes), reader.span(node))


def _is_not_null(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    (value,) = reader.all(_counted(reader, node, 1), depth)
    return _not(t.Apply("is_null", (value,), reader.span(node)))


def _overlap(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    """arrays_overlap(a, array('x', 'y')): one element is in the other array."""
    one, other = reader.all(_counted(reader, node, 2), depth)
    span = reader.span(node)
    element = unused("element", {caseless(part.name) for part in node.find_all(exp.Identifier)})
    return t.Bind("any", element, one, t.Apply("in", (t.Name(element, span), other), span), span)


def _substring(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    value, start, *length = reader.all(_counted(reader, node, 2, 3), depth)
    if _is_below(start, 1):
        raise reader.fail(say.place_before_text(start.span))
    _check_length(reader, *length)
    return t.Apply("substr", (value, start, *length), reader.span(node))


def _check_length(reader: _Reader, *lengths: t.Tree) -> None:
    for length in lengths:
        if _is_below(length, 0):
            raise reader.fail(say.negative_length(length.span))


def _is_below(tree: t.Tree, least: int) -> bool:
    return (
        isinstance(tree, t.Const)
        and isinstance(tree.value, int)
        and not isinstance(tree.value, bool)
        and tree.value < least
    )


def _left(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    value, length = reader.all([node.this, node.expression], depth)
    _check_length(reader, length)
    return t.Apply("substr", (value, t.Const(1, length.span), length), reader.span(node))


def _position(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    return reader.apply("position", node, node.this, node.args["substr"], depth=depth)


def _array_contains(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    return reader.apply("in", node, node.expression, node.this, depth=depth)


FUNCTIONS: dict[str, Build] = {
    "size": _function("size", 1),
    "cardinality": _function("size", 1),
    "any_match": _quantified("any"),
    "forall": _quantified("all"),
    "all_match": _quantified("all"),
    "is_true": _function("is_true", 1),
    "contains": _function("contains", 2),
    "startswith": _function("starts_with", 2),
    "starts_with": _function("starts_with", 2),
    "endswith": _function("ends_with", 2),
    "ends_with": _function("ends_with", 2),
    "date_add": _function("add_days", 2),
    "instr": _function("position", 2),
    "strpos": _function("position", 2),
    "char_length": _function("length", 1),
    "isnull": _function("is_null", 1),
    "millisecond": _part("millisecond"),
    "date_part": _date_part,
    "datepart": _date_part,
    "week": _named("WEEK"),
    "weekofyear": _named("WEEK"),
    "weekday": _weekday,
    "date": _conversion("date"),
    "to_date": _conversion("date"),
    "to_timestamp": _conversion("timestamp"),
    "btrim": _btrim,
    "isnan": _is_nan,
    "isnotnull": _is_not_null,
    "nvl2": _nvl2,
    "arrays_overlap": _overlap,
    "split_part": _split_part,
    "reverse": _function("reverse", 1),
    "greatest": _function("greatest"),
    "least": _function("least"),
}
"""Functions that sqlglot has no node for, or whose node differs between its versions, by their lower-case
names.
"""
KNOWN = [
    *(name for name in FUNCTIONS if name != "is_true"),
    "coalesce",
    "nullif",
    "lower",
    "upper",
    "length",
    "substring",
    "trim",
    "replace",
    "abs",
    "concat",
    "left",
    "right",
    "quarter",
    "date_sub",
]
"""Names to guess a misspelt one from."""


def _anonymous(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    name = str(node.this).lower()
    if name in ("filter", "matches_filter"):
        return _reference(reader, node, depth)
    if name not in FUNCTIONS:
        raise reader.fail(msg.unknown_function(reader.span(node), name, KNOWN))
    return FUNCTIONS[name](reader, node, depth)


def _reference(reader: _Reader, node: exp.Expr, depth: int) -> t.Tree:
    """matches_filter('name', minutes => 90)"""
    name, *rest = node.expressions or [None]
    if not isinstance(name, exp.Literal) or not name.is_string:
        hint = "write matches_filter('name')"
        raise reader.fail(msg.filter_name_not_constant(reader.span(node), hint))
    args: list[tuple[str, t.Tree]] = []
    for arg in rest:
        if not isinstance(arg, exp.Kwarg):
            raise reader.fail(say.argument_without_name(reader.span(arg)))
        args.append((arg.this.name, reader.read(arg.expression, depth)))
    return t.Ref(str(name.this), tuple(args), reader.span(node))


_BINARY_ARGS = frozenset({"this", "expression"})
_THIS = frozenset({"this"})
_RULES: dict[type[exp.Expr], tuple[frozenset[str], Build]] = {
    exp.And: (_BINARY_ARGS, _chain("and")),
    exp.Or: (_BINARY_ARGS, _chain("or")),
    exp.Not: (_THIS, _unary("not")),
    exp.Paren: (_THIS, _paren),
    exp.EQ: (_BINARY_ARGS, _equal),
    exp.NEQ: (_BINARY_ARGS, _unequal),
    exp.LT: (_BINARY_ARGS, _binary("lt")),
    exp.LTE: (_BINARY_ARGS, _binary("le")),
    exp.GT: (_BINARY_ARGS, _binary("gt")),
    exp.GTE: (_BINARY_ARGS, _binary("ge")),
    exp.NullSafeEQ: (_BINARY_ARGS, _binary("same")),
    exp.NullSafeNEQ: (_BINARY_ARGS, _distinct),
    exp.Add: (_BINARY_ARGS, _binary("add")),
    exp.Sub: (_BINARY_ARGS, _binary("sub")),
    exp.Mul: (_BINARY_ARGS, _binary("mul")),
    exp.Div: (_BINARY_ARGS | {"typed", "safe"}, _binary("div")),
    exp.IntDiv: (_BINARY_ARGS, _binary("div")),
    exp.Mod: (_BINARY_ARGS, _binary("mod")),
    exp.Neg: (_THIS, _negative),
    exp.Abs: (_THIS, _unary("abs")),
    exp.Floor: (_THIS, _unary("floor")),
    exp.Ceil: (_THIS, _unary("ceil")),
    exp.Literal: (frozenset({"this", "is_string"}), _literal),
    exp.Boolean: (_THIS, _boolean),
    exp.Null: (frozenset(), _null),
    exp.Column: (frozenset({"this", "table", "db", "catalog"}), _column),
    exp.Identifier: (frozenset({"this", "quoted"}), _identifier),
    exp.Dot: (_BINARY_ARGS, _dot),
    exp.Placeholder: (_THIS, _placeholder),
    exp.Between: (frozenset({"this", "low", "high"}), _between),
    exp.In: (frozenset({"this", "expressions"}), _in),
    exp.Is: (_BINARY_ARGS, _is),
    exp.Like: (_BINARY_ARGS | {"negate"}, _like("like")),
    exp.ILike: (_BINARY_ARGS | {"negate"}, _like("like_ci")),
    exp.Escape: (_BINARY_ARGS, _escape),
    exp.RegexpLike: (_BINARY_ARGS, _binary("matches")),
    exp.Case: (frozenset({"this", "ifs", "default"}), _case),
    exp.If: (frozenset({"this", "true", "false"}), _if),
    exp.Coalesce: (frozenset({"this", "expressions"}), _function("coalesce")),
    exp.Nullif: (_BINARY_ARGS, _nullif),
    exp.Cast: (frozenset({"this", "to", "_type"}), _cast),
    exp.TryCast: (frozenset({"this", "to", "_type", "safe"}), _cast),
    exp.Interval: (frozenset({"this", "unit"}), _interval),
    exp.Extract: (_BINARY_ARGS, _extract),
    exp.AtTimeZone: (frozenset({"this", "zone"}), _at_zone),
    exp.DateTrunc: (frozenset({"this", "unit"}), _trunc),
    exp.TimestampTrunc: (frozenset({"this", "unit"}), _trunc),
    exp.Year: (_THIS, _part("year")),
    exp.Month: (_THIS, _part("month")),
    exp.Day: (_THIS, _part("day")),
    exp.DayOfMonth: (_THIS, _part("day")),
    exp.DayOfWeek: (_THIS, _named("DAYOFWEEK")),
    exp.DayOfYear: (_THIS, _part("day_of_year")),
    exp.Hour: (_THIS, _part("hour")),
    exp.Minute: (_THIS, _part("minute")),
    exp.Second: (_THIS, _part("second")),
    exp.DateDiff: (_BINARY_ARGS, _binary("days_between")),
    exp.DateAdd: (_BINARY_ARGS, _binary("add_days")),
    exp.Lower: (_THIS, _unary("lower")),
    exp.Upper: (_THIS, _unary("upper")),
    exp.Length: (_THIS, _unary("length")),
    exp.Trim: (frozenset({"this", "position", "expression"}), _trim),
    exp.Substring: (frozenset({"this", "start", "length"}), _substring),
    exp.Left: (_BINARY_ARGS, _left),
    exp.Right: (_BINARY_ARGS, _right),
    exp.DateSub: (_BINARY_ARGS, _date_sub),
    exp.Quarter: (_THIS, _named("QUARTER")),
    exp.StrPosition: (frozenset({"this", "substr"}), _position),
    exp.Replace: (frozenset({"this", "expression", "replacement"}), _function("replace", 3)),
    exp.Concat: (frozenset({"expressions", "safe", "coalesce"}), _concat),
    exp.DPipe: (_BINARY_ARGS | {"safe"}, _concat),
    exp.StartsWith: (_BINARY_ARGS, _binary("starts_with")),
    exp.EndsWith: (_BINARY_ARGS, _binary("ends_with")),
    exp.Contains: (_BINARY_ARGS, _binary("contains")),
    exp.Bracket: (frozenset({"this", "expressions"}), _bracket),
    exp.Exists: (_BINARY_ARGS, _quantified("any")),
    exp.ArrayContains: (_BINARY_ARGS, _array_contains),
    exp.ArraySize: (_THIS, _unary("size")),
    exp.Array: (frozenset({"expressions"}), _array),
    exp.Anonymous: (frozenset({"this", "expressions"}), _anonymous),
}
