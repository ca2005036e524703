"""Syntax that sqlglot's parser accepts and filters do not support, with the message and hint for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

from sqlglot import Token, TokenType, exp

from predicat.diagnostics import Diagnostic, Source, Span
from predicat.diagnostics.messages import lists
from predicat.diagnostics.messages import sql as say
from predicat.language.sql.refused_functions import REFUSED

PARAMETER = "write :name for a parameter, and declare it under params:"
_CLOCK = "write hour(now()) or minute(now()), in UTC, or hour(now() AT TIME ZONE 'Europe/Paris')"
LOCAL = "it follows the time zone of the session: write now()"
_SHIFT_HINT = "write > or < for a comparison, >> or << without a space for a shift"
_JSON_HINT = "write j['key'] for a key of a JSON value or a map, get_json_object(s, '$.key') for a string"

# Nodes that filters do not support: their names (None: as written in the condition), and what to write
# instead.
NODES: dict[type[exp.Expr], tuple[str | None, str | None]] = {
    exp.Subquery: ("a subquery", lists.INSTEAD_OF_SUBQUERY),
    exp.Select: ("a subquery", lists.INSTEAD_OF_SUBQUERY),
    exp.SetOperation: ("a subquery", lists.INSTEAD_OF_SUBQUERY),
    exp.Is: ("IS with a value", "write =, or IS NOT DISTINCT FROM, which is TRUE for two NULLs"),
    exp.Glob: ("GLOB", "write LIKE 'a%', or a duckdb: filter"),
    exp.Slice: ("a part of an array", "test the elements one by one: xs[1] = 'a' AND xs[2] = 'b'"),
    exp.CurrentUser: ("the current user", "a filter has no user: declare a parameter, and write s = :user"),
    exp.SessionUser: ("the current user", "a filter has no user: declare a parameter, and write s = :user"),
    exp.Comprehension: ("a comprehension", "write len(list_filter(xs, lambda x: x > 1)) > 0"),
    exp.Star: ("*", None),
    exp.Window: (
        "a window function",
        "a filter tests one row: number the rows in a query first, and filter its result",
    ),
    exp.CurrentTime: ("the time of day without a date", _CLOCK),
    exp.Localtime: ("the time of day without a date", _CLOCK),
    exp.Localtimestamp: ("the local time", LOCAL),
    exp.Rand: ("a random number", REFUSED["rand"]),
    exp.JSONExtract: ("the operator ->", _JSON_HINT),
    exp.JSONExtractScalar: ("the operator ->>", _JSON_HINT),
    exp.JSONBExtract: ("the operator #>", _JSON_HINT),
    exp.JSONBExtractScalar: ("the operator #>>", _JSON_HINT),
    exp.IntDiv: ("the operator DIV", "write div(a, b)"),
    exp.In: ("IN without a list", "write a IN (1, 2), a IN list('name'), or array_contains(xs, 'a')"),
    exp.Parameter: ("a parameter with @", "write :name, and declare it under params:"),
    exp.Collate: ("COLLATE", "strings are compared by their characters: leave it out, or compare lower(s)"),
    exp.SimilarTo: ("SIMILAR TO", "write RLIKE '^(a|b)$', or a postgres: filter"),
    exp.ConnectByRoot: ("CONNECT_BY_ROOT", None),
    exp.RegexpILike: (None, "write RLIKE '(?i)...', which ignores case"),
}

# Functions that have another name or form in filters, and what to write instead.
OTHER_NAMES = {
    "bigint": "write CAST(s AS BIGINT)",
    "int": "write CAST(s AS INT)",
    "integer": "write CAST(s AS INT)",
    "double": "write CAST(s AS DOUBLE)",
    "string": "write CAST(a AS STRING)",
    "text": "write CAST(a AS TEXT)",
    "boolean": "write CAST(s AS BOOLEAN)",
    "timestamp": "write CAST(s AS TIMESTAMP)",
    "iff": "write CASE WHEN test THEN a ELSE b END",
    "isodow": "write extract(isodow FROM d)",
    "dayname": "write extract(isodow FROM d), which is 1 for Monday to 7 for Sunday",
    "struct": "compare the members one by one: (a, b) = (1, 2)",
    "try_to_timestamp": "write CAST(s AS TIMESTAMP), which is UNKNOWN where s is not a timestamp",
    "regexp_matches": "write s RLIKE 'pattern' (in postgres bodies s ~ 'pattern')",
    "array_size": "write size(array)",
}

# Symbols and words that conditions do not have, and what to write instead.
WRITTEN_OTHERWISE = {
    "`": "a name with special characters is put in double quotes",
    "&&": "write AND",
    "||": "write OR",
    "!": "write NOT",
    "DIV": "write div(a, b)",
    "CONTAINS": "write contains(s, 'x'), or array_contains(xs, 'x')",
    "IS": "write IS NULL, IS NOT NULL, IS TRUE or IS FALSE",
    "NOT": "write NOT before a condition, or NOT IN, NOT LIKE, NOT BETWEEN",
    "=>": "write >= for greater or equal",
    ":": "write j['key'] for a key of a JSON value or a map",
    ",": "put values in parentheses: a IN (1, 2)",
    **dict.fromkeys(("UNION", "INTERSECT", "EXCEPT"), "a filter is one condition: write OR, AND, or AND NOT"),
    **dict.fromkeys(
        ("GROUP BY", "ORDER BY", "LIMIT", "HAVING"), "a filter tests one row: leave this clause out"
    ),
    "@": "write array_contains(array, x), or a postgres body",
    "~": "write RLIKE for a regular expression",
}

_OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.CASE})


_CLOSING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.END})


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
    {
        TokenType.AND,
        TokenType.OR,
        TokenType.WHEN,
        TokenType.THEN,
        TokenType.ELSE,
        TokenType.ARROW,
        TokenType.SEMICOLON,
        TokenType.HAVING,
        _COMMA,
    }
)


def _is_if(one: Token) -> bool:
    return one.token_type is TokenType.VAR and one.text.upper() == "IF"


_CURLED = frozenset(
    "\N{LEFT SINGLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}"
    "\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}"
)
# The AND and OR of other languages.
_JOINED = {"&&": "AND", "&": "AND", "||": "OR", "|": "OR"}
# Comparison operators with their characters swapped.
_TURNED = {("=", "<"): "<=", ("=", ">"): ">=", ("!", "<"): ">=", ("!", ">"): "<="}


_OF_SESSION = frozenset(
    {
        TokenType.CURRENT_USER,
        TokenType.SESSION_USER,
        TokenType.CURRENT_ROLE,
        TokenType.CURRENT_CATALOG,
        TokenType.CURRENT_SCHEMA,
    }
)


_SHIFTS = frozenset({TokenType.GT, TokenType.LT})


def _shift_signs(tokens: list[Token]) -> set[int]:
    """The start offsets of the tokens of `<<` and `>>`, which are two tokens each."""
    pairs = [
        (one, other)
        for one, other in pairwise(tokens)
        if one.token_type is other.token_type and one.token_type in _SHIFTS and other.start == one.end + 1
    ]
    return {token.start for pair in pairs for token in pair}


def _is_shift_apart(one: Token, other: Token) -> bool:
    """Whether two tokens are `< <` or `> >` with a space, which sqlglot parses as a shift."""
    return one.token_type is other.token_type and one.token_type in _SHIFTS and other.start > one.end + 1


# Tests of two consecutive tokens, and the message for each.
PAIRS: tuple[tuple[Callable[[Token, Token], bool], Callable[[Span, Span, Token, Token], Diagnostic]], ...] = (
    (
        _is_shift_apart,
        lambda at, _behind, one, other: say.operator(at, f"{one.text} {other.text}", _SHIFT_HINT),
    ),
    (
        lambda one, other: (one.text, other.text) in _TURNED and other.start == one.end + 1,
        lambda at, behind, one, other: say.operator(
            at.to(behind), one.text + other.text, f"write {_TURNED[one.text, other.text]}"
        ),
    ),
    (
        lambda one, other: (one.token_type, other.token_type) in _GAPS,
        lambda _at, behind, _one, other: say.missing_before(behind, other.text),
    ),
    (
        lambda one, other: one.token_type in _QUANTIFIERS and other.token_type in _VALUES,
        lambda at, _behind, one, _other: say.values_in_parentheses(at, one.text.upper()),
    ),
    (
        lambda one, _other: one.token_type in _OF_SESSION,
        lambda at, _behind, one, _other: say.of_session(at, one.text),
    ),
    (
        lambda one, other: _is_if(one) and other.token_type is not TokenType.L_PAREN,
        lambda at, _behind, _one, _other: say.if_as_function(at),
    ),
    (
        lambda one, _other: one.token_type is TokenType.SEMICOLON,
        lambda at, behind, _one, other: (
            say.several_statements(at.to(behind)) if other.text else say.semicolon(at)
        ),
    ),
    (
        lambda one, _other: one.token_type is TokenType.VAR and bool(_CURLED & set(one.text)),
        lambda at, _behind, _one, _other: say.curled_quotes(at),
    ),
    (
        lambda one, _other: one.token_type is TokenType.VAR and one.text.startswith("$"),
        lambda at, _behind, one, _other: say.operator(at, one.text, PARAMETER),
    ),
)


# The JSON arrows, for languages that do not support them.
JSON_ARROWS: Mapping[str, str] = {"->>": _JSON_HINT, "#>": _JSON_HINT, "#>>": _JSON_HINT}


def refused_tokens(
    tokens: list[Token], source: Source, foreign: Mapping[str, str] = JSON_ARROWS
) -> Diagnostic | None:
    """The first problem in the tokens, None without one: a pair of PAIRS, an operator of another engine
    (`foreign`), or IS, IN, LIKE, BETWEEN or a comparison after a comparison.

    Parsers disagree about the precedence in `a = b IS NULL`.
    """
    compared = [False]  # for each open bracket: whether a comparison precedes inside it
    shifts = _shift_signs(tokens)
    joined = None  # & or | between two comparisons, instead of AND or OR
    for one, other in pairwise([*tokens, Token(TokenType.SEMICOLON, "")]):
        at = Span(source, one.start, one.end + 1)
        for applies, message in PAIRS:
            if applies(one, other):
                return message(at, Span(source, other.start, other.end + 1), one, other)
        if (instead := foreign.get(at.text.upper())) is not None:
            return say.operator(at, at.text, instead)
        if one.token_type in _OPENING:
            compared.append(False)
        elif one.token_type in _CLOSING and len(compared) > 1:
            compared.pop()
        elif one.start in shifts:
            continue
        elif one.text in _JOINED and compared[-1] and one.token_type is not TokenType.STRING:
            joined = (one.text, _JOINED[one.text])
        elif one.token_type in _COMPARISONS and compared[-1]:
            return say.second_comparison(at, one.text, joined)
        elif one.token_type in _PREDICATES and compared[-1]:
            return say.behind_comparison(at, one.text.upper())
        elif one.token_type in _COMPARISONS or one.token_type in _BETWEEN_CONDITIONS:
            compared[-1] = one.token_type in _COMPARISONS
    return None
