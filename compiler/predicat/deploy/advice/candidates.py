"""Which indexes might serve a condition, by its SQL. The planner decides which of them do."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import chain

from msgspec import Struct
from sqlglot import exp

from predicat.backends.sql.builders import Sql
from predicat.backends.sql.postgres.definition import SCHEMA
from predicat.backends.sql.postgres.index_numbers import INDEXED

# The most ways that are tried for one condition, the most keys of an index, and the most ways of an OR.
_MOST, _MOST_KEYS, _MOST_OF_OR = 10, 3, 3
TRIGRAMS = "gin_trgm_ops"


class Candidate(Struct, frozen=True):
    """An index: its keys as SQL, its method, and the condition of its rows."""

    keys: tuple[str, ...]
    method: str = "btree"
    where: str = ""

    @property
    def text(self) -> str:
        """What follows the table in CREATE INDEX."""
        using = "" if self.method == "btree" else f"USING {self.method} "
        where = f" WHERE {self.where}" if self.where else ""
        return f"{using}({', '.join(self.keys)}){where}"

    @property
    def computes(self) -> bool:
        """Whether it has an expression, of which the planner knows nothing before ANALYZE."""
        return any(not key.startswith('"') for key in self.keys)


# Indexes that serve a condition together.
Way = tuple[Candidate, ...]


class _Test(Struct, frozen=True):
    """A test that a B-tree can serve: its key, and whether it is for one value, or for few."""

    key: Sql
    equal: bool


def ways(condition: Sql, columns: Collection[str]) -> list[Way]:
    """The ways to serve a condition on a table with these columns, simple ones first. The last is an index
    of the rows of the condition.
    """
    found = dict.fromkeys(_ways(condition, columns))
    whole = _of_rows(condition, columns)
    return [*list(found)[: _MOST - 1], *([whole] if whole is not None and whole not in found else [])]


def _ways(sql: Sql, columns: Collection[str]) -> Iterator[Way]:
    sql = sql.unnest()
    if isinstance(sql, exp.Or):
        yield from _of_or(sql, columns)
    elif isinstance(sql, exp.And):
        parts = [part for part in _parts(sql, exp.And) if _reads(part, columns)]
        yield from chain.from_iterable(_ways(part, columns) for part in parts)
        yield from _of_several(parts, columns)
    elif type(sql) in _RULES:
        yield from ((one,) for one in _RULES[type(sql)](sql, columns))


def _parts(sql: Sql, kind: type[exp.Connector]) -> list[Sql]:
    sql = sql.unnest()
    if not isinstance(sql, kind):
        return [sql]
    return [*_parts(sql.this, kind), *_parts(sql.expression, kind)]


def _reads(sql: Sql, columns: Collection[str]) -> bool:
    return any(column.name in columns for column in sql.find_all(exp.Column))


def _of_or(sql: Sql, columns: Collection[str]) -> Iterator[Way]:
    """Each operand of an OR needs an index."""
    sides = [list(dict.fromkeys(_ways(part, columns))) for part in _parts(sql, exp.Or)]
    if all(sides):
        for number in range(min(max(map(len, sides)), _MOST_OF_OR)):
            chosen = chain.from_iterable(side[min(number, len(side) - 1)] for side in sides)
            yield tuple(dict.fromkeys(chosen))


def _of_several(parts: Iterable[Sql], columns: Collection[str]) -> Iterator[Way]:
    """An index of several columns, and indexes of the rows of one operand of an AND."""
    tests = {part: test for part in parts if (test := _test(part, columns)) is not None}
    equal = list(dict.fromkeys(_key(test.key) for test in tests.values() if test.equal))
    others = [key for test in tests.values() if (key := _key(test.key)) not in equal]
    keys = (*equal[:_MOST_KEYS], *dict.fromkeys(others[:1]))
    if len(keys) > 1:
        yield (Candidate(keys),)
    for part in parts:
        if isinstance(part, _CONSTANT) and not _others(part, columns):
            where = _text(part)
            for other, test in tests.items():
                if other is not part and _key(test.key) not in where:
                    yield (Candidate((_key(test.key),), where=where),)
                    break


# Tests that hold for a fixed part of the rows.
_CONSTANT = (exp.Is, exp.Not, exp.Column, exp.EQ, exp.NEQ)


def _of_rows(condition: Sql, columns: Collection[str]) -> Way | None:
    """An index of just the rows of a condition."""
    names = [column for column in condition.find_all(exp.Column) if column.name in columns]
    if not names or _others(condition, columns):
        return None
    return (Candidate((_key(names[0]),), where=_text(condition)),)


def _others(sql: Sql, columns: Collection[str]) -> bool:
    """Whether a condition depends on more than the columns of a row."""
    return sql.find(exp.Query) is not None or any(
        column.name not in columns for column in sql.find_all(exp.Column)
    )


# --- one test


def _test(sql: Sql, columns: Collection[str]) -> _Test | None:
    """A comparison of a key with what does not depend on the row."""
    if isinstance(sql, exp.Column):
        return _Test(sql, equal=True)
    if isinstance(sql, exp.Not):
        inner = sql.this.unnest()
        return _test(inner, columns) if isinstance(inner, exp.Column | exp.Is) else None
    if not isinstance(sql, _EQUAL + _ORDERED):
        return None
    sides = [part.unnest() for part in sql.iter_expressions()]
    keys = [side for side in sides if _reads(side, columns)]
    if len(keys) != 1 or isinstance(keys[0], exp.Any):
        return None
    key = keys[0]
    if isinstance(key, exp.Collate) and isinstance(sql, _EQUAL):
        key = key.this.unnest()
    return _Test(key, isinstance(sql, _EQUAL))


_EQUAL = (exp.EQ, exp.In, exp.Is)
_ORDERED = (exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between)


def _compared(sql: Sql, columns: Collection[str]) -> Iterator[Candidate]:
    """A B-tree on the key of a comparison. An index of a document finds its members, too."""
    if isinstance(sql, exp.EQ) and isinstance(sql.expression, exp.Any):
        yield from _contained(exp.ArrayOverlaps(this=sql.expression.this.unnest()), columns)
        return
    test = _test(sql, columns)
    if test is None:
        return
    for key in _spellings(test.key):
        yield Candidate((_key(key),))
    document = _document(test.key)
    if document is not None and test.equal:
        yield Candidate((_gin(document, "jsonb_path_ops"),), "gin")
        yield Candidate((_gin(document),), "gin")


def _spellings(key: Sql) -> Iterator[Sql]:
    """The expressions of an index with which `apply` finds another form of a test on this key."""
    cast = _cast_of(key)
    if cast is not None:
        yield cast
    plain = key.copy()
    for part in list(plain.find_all(exp.Lower, exp.Upper)):
        if isinstance(part.this.unnest(), exp.Collate):
            part.set("this", part.this.unnest().this)
    yield plain
    if plain != key:
        yield key


def _cast_of(key: Sql) -> Sql | None:
    """The cast that a function of a member of a document stands for."""
    call = key.expression if isinstance(key, exp.Dot) and key.this.name == SCHEMA else None
    name = call.name.lower().removeprefix("exact_") if isinstance(call, exp.Anonymous) else ""
    if call is None or name not in INDEXED or len(call.expressions) != 2:
        return None
    arrow, kind = INDEXED[name]
    read = exp.JSONExtractScalar if arrow == "->>" else exp.JSONExtract
    document, member = call.expressions
    look_up = read(this=document.copy(), expression=member.copy(), only_json_types=True)
    return exp.cast(exp.Paren(this=look_up), kind, dialect="postgres")


def _document(key: Sql) -> Sql | None:
    """The document of which a key is a member."""
    found = None
    while isinstance(key, exp.JSONExtract | exp.JSONExtractScalar):
        found = key = key.this.unnest()
    return found if isinstance(found, exp.Column) else None


def _like(sql: Sql, columns: Collection[str]) -> Iterator[Candidate]:
    """A LIKE of a constant beginning is served by a B-tree, others by trigrams."""
    key, pattern = sql.this.unnest(), sql.expression
    if not _reads(key, columns) or not isinstance(pattern, exp.Literal):
        return
    starts = pattern.name[:1] not in ("%", "_", "")
    folds = isinstance(sql, exp.ILike)
    trees = [exp.Lower(this=key.copy()), exp.Upper(this=key.copy())] if folds else [*_spellings(key)]
    for tree in trees if starts else []:
        if folds and not set(pattern.name) & set("%_\\"):
            yield Candidate((_key(tree),))
        yield Candidate((f"{_key(tree)} text_pattern_ops",))
    yield from _trigrams(sql, columns)


def _trigrams(sql: Sql, columns: Collection[str]) -> Iterator[Candidate]:
    key = sql.this.unnest()
    if _reads(key, columns) and not _reads(sql.expression, columns):
        for one in _spellings(key):
            yield Candidate((_gin(one, TRIGRAMS),), "gin")


def _contained(sql: Sql, columns: Collection[str]) -> Iterator[Candidate]:
    """A GIN index on what contains something."""
    key = sql.this.unnest()
    if _reads(key, columns):
        for operators in _OPERATORS.get(type(sql), ("",)):
            yield Candidate((_gin(key, operators),), "gin")


_OPERATORS: Mapping[type[Sql], tuple[str, ...]] = {exp.ArrayContainsAll: ("jsonb_path_ops", "")}


def _path(sql: Sql, columns: Collection[str]) -> Iterator[Candidate]:
    """A JSON path that a document fulfils."""
    for document in sql.expressions:
        if _reads(document, columns):
            yield Candidate((_gin(document.unnest(), "jsonb_path_ops"),), "gin")


def _flag(sql: Sql, columns: Collection[str]) -> Iterator[Candidate]:
    test = _test(sql, columns)
    if test is not None:
        yield Candidate((_key(test.key),))


_RULES: Mapping[type[Sql], Callable[[Sql, Collection[str]], Iterator[Candidate]]] = {
    **dict.fromkeys(_EQUAL + _ORDERED, _compared),
    **dict.fromkeys((exp.Like, exp.ILike), _like),
    exp.RegexpLike: _trigrams,
    **dict.fromkeys((exp.ArrayContainsAll, exp.ArrayOverlaps, exp.JSONBContainsTopKey), _contained),
    exp.MatchAgainst: _path,
    **dict.fromkeys((exp.Column, exp.Not), _flag),
}


def keys(condition: Sql, columns: Collection[str]) -> list[str]:
    """The keys of the tests of a condition, for statistics."""
    tests = [_test(part, columns) for part in _tests(condition)]
    return list(dict.fromkeys(_key(test.key) for test in tests if test is not None))


def _tests(sql: Sql) -> Iterator[Sql]:
    sql = sql.unnest()
    if isinstance(sql, exp.Connector):
        yield from _tests(sql.this)
        yield from _tests(sql.expression)
    else:
        yield sql


# --- as text


def _key(sql: Sql) -> str:
    """A key of an index: a quoted column, or an expression in parentheses."""
    text = _text(sql)
    return text if isinstance(sql, exp.Column | exp.Lower | exp.Upper) else f"({text})"


def _gin(sql: Sql, operators: str = "") -> str:
    return f"{_key(sql)} {operators}".rstrip()


def _text(sql: Sql) -> str:
    """SQL with quoted columns, without the names of tables."""
    plain = sql.copy()
    for column in plain.find_all(exp.Column):
        column.set("table", None)
        column.set("db", None)
        column.this.set("quoted", True)
    return str(plain.sql(dialect="postgres"))
