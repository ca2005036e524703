"""SQL of Lakeflow pipelines (Delta Live Tables) without the words that only they have.

`CONSTRAINT name EXPECT (condition) ON VIOLATION DROP ROW` becomes a CHECK with a name that says what it was,
`APPLY CHANGES INTO t FROM s ... APPLY AS DELETE WHEN condition` a SELECT of `s` with that condition.
The tokens that are left keep their places.
"""

from collections.abc import Iterator, Sequence

from sqlglot import Token, TokenType, exp

_EXPECTATION = "predicat_expectation"
# Words between CREATE and TABLE or VIEW.
_WORDS = frozenset(
    {"OR", "REFRESH", "STREAMING", "LIVE", "PRIVATE", "TEMPORARY", "INCREMENTAL", "MATERIALIZED"}
)
_OURS = frozenset({"REFRESH", "STREAMING", "LIVE", "PRIVATE"})
_CREATED = ("TABLE", "VIEW")
# What a table of changes is made by, and what ends a condition there.
_CHANGES = (["APPLY", "CHANGES", "INTO"], ["AUTO", "CDC", "INTO"])
_CLAUSES = (["SEQUENCE", "BY"], ["COLUMNS"], ["STORED", "AS"], ["TRACK", "HISTORY"], ["APPLY", "AS"])
_MOST_WORDS = 8


def is_expectation(check: exp.Expr) -> bool:
    """Whether a CHECK was an EXPECT, which wants TRUE: UNKNOWN violates it."""
    return isinstance(check.parent, exp.Constraint) and check.parent.this.name == _EXPECTATION


def plain(tokens: Sequence[Token]) -> Sequence[Token]:
    """The tokens of a statement as of any other engine; the same if it is none of a pipeline."""
    if not tokens or tokens[0].text.upper() not in ("CREATE", "APPLY", "AUTO"):
        return tokens
    words = [token.text.upper() for token in tokens]
    if words[:3] in _CHANGES:
        return _changes(tokens, words)
    if words[0] != "CREATE":
        return tokens
    if words[1:2] == ["FLOW"] and "AS" in words[:_MOST_WORDS]:
        return plain(tokens[words.index("AS") + 1 :])
    start = next((at for at, word in enumerate(words[:_MOST_WORDS]) if word in _CREATED), 0)
    head = words[1:start]
    ours = start and set(head) <= _WORDS and not _OURS.isdisjoint(head)
    if not ours and "EXPECT" not in words:
        return tokens
    kept = tokens[start:] if ours else tokens[1:]
    return [tokens[0], *_body(kept)]


def _changes(tokens: Sequence[Token], words: Sequence[str]) -> Sequence[Token]:
    """The rows of a source that are deletions; the tokens themselves where there is no condition."""
    clauses = ["KEYS"], *_CLAUSES
    source = words.index("FROM") if "FROM" in words else len(words)
    kept: list[Token] = list(tokens[source : _end(words, source, clauses)])
    for start in range(source, len(words)):
        if words[start : start + 4] == ["APPLY", "AS", "DELETE", "WHEN"]:
            condition = tokens[start + 4 : _end(words, start + 4, _CLAUSES)]
            head = [
                Token(TokenType.SELECT, "SELECT", *_at(tokens[0])),
                Token(TokenType.NUMBER, "1", *_at(tokens[0])),
            ]
            where = Token(TokenType.WHERE, "WHERE", *_at(tokens[start + 3]))
            return [*head, *_body(kept), where, *condition]
    return tokens


def _end(words: Sequence[str], start: int, clauses: Sequence[Sequence[str]]) -> int:
    """Where one of the clauses begins, or the end."""
    places = range(start, len(words))
    return next((at for at in places if any(words[at : at + len(one)] == one for one in clauses)), len(words))


def _at(token: Token) -> tuple[int, int, int, int]:
    return token.line, token.col, token.start, token.end


def _body(tokens: Sequence[Token]) -> Iterator[Token]:
    words = [token.text.upper() for token in tokens]
    at, unwrapped = 0, list[int]()
    depth = 0
    while at < len(tokens):
        token, word = tokens[at], words[at]
        if words[at : at + 1] == ["CONSTRAINT"] and words[at + 2 : at + 4] == ["EXPECT", "("]:
            yield token
            yield _as(tokens[at + 1], _EXPECTATION)
            yield _as(tokens[at + 2], "CHECK")
            at += 3
            continue
        if words[at : at + 2] == ["ON", "VIOLATION"]:
            at += 4  # DROP ROW, FAIL UPDATE
            continue
        if word == "STREAM" and words[at + 1 : at + 2] == ["("]:
            unwrapped.append(depth)
            at += 2
            depth += 1
            continue
        depth += (word == "(") - (word == ")")
        at += 1
        if word == ")" and unwrapped and unwrapped[-1] == depth:
            unwrapped.pop()
        elif not (word == "STREAM" and words[at - 2 : at - 1] in (["FROM"], ["JOIN"])):
            yield token


def _as(token: Token, text: str) -> Token:
    """A word in the place of another one."""
    return Token(TokenType.VAR, text, token.line, token.col, token.start, token.end)
