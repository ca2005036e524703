"""Every class of node in the tables of the SQL languages is one that sqlglot makes of a text of the language:
a class that only another dialect makes would be dead without a word.
"""

from collections.abc import Mapping

import pytest
from sqlglot import Dialect, exp
from sqlglot.errors import SqlglotError

from predicat.language.duckdb import differences as duckdb
from predicat.language.duckdb.reader import DUCKDB
from predicat.language.postgres import differences as postgres
from predicat.language.postgres.reader import POSTGRES
from predicat.language.spark import differences as spark
from predicat.language.spark.reader import SPARK
from predicat.language.sql import rules as shared
from predicat.language.sql.languages import SqlLanguage
from predicat.language.sql.node_reader import Key
from predicat.language.sql.reader import SQL

LANGUAGES = {"sql": SQL, "spark": SPARK, "postgres": POSTGRES, "duckdb": DUCKDB}
DIFFERENCES = {"spark": spark.RULES, "postgres": postgres.RULES, "duckdb": duckdb.RULES}
ARGUMENTS = ("", "a", "a, b", "a, b, c", "'day', a", "'day', a, b", "day, a, b", "a, x -> x")
OPERATORS = """
NOT a = 1 AND b <> 1 OR c < 1 AND d <= 1 OR e > 1 AND f >= 1
a IS NOT DISTINCT FROM b OR a IS DISTINCT FROM b OR a <=> b
a + b - c * d / -e % f = NULL
(a).b.c = :p OR $1 = 1
a BETWEEN 1 AND 2 AND b IN (1, 2) AND c IS NULL AND EXISTS(xs, x -> x > 1)
CASE WHEN a THEN b ELSE c END
CAST(a AS INT) = TRY_CAST(b AS INT) OR a::int = 1
a AT TIME ZONE 'UTC' = b || c
xs[1] = 1
ARRAY[1, 2] = xs
[1, 2] = xs
xs && ys OR xs @> ys OR xs <@ ys
a & b | ~c = d << 1 OR e >> 1 = 2 OR f ^ g = 1
a # b = 1
a // b = 1
a LIKE 'x%' OR b ILIKE 'x%' OR c RLIKE 'x' OR a SIMILAR TO 'x'
a ~ 'x' OR b ~* 'x'
a GLOB 'x*' OR a ^@ b
s = e'a' OR s = E'a'
s = r'a'
s = $$a$$
s = x'ff' OR s = b'01'
a -> 'k' = b ->> 'k' OR a #> '{k}' = b #>> '{k}' OR a ? 'k' OR a @? '$.k'
a:k.b = 1
(a, b) = (1, 2) OR a = ANY(xs)
(a, b) OVERLAPS (c, d)
a = DATE '2026-01-01' + INTERVAL '1' DAY OR a = INTERVAL 1 DAY
EXTRACT(year FROM a) = 1 OR TRIM(BOTH FROM a) = ''
POSITION('a' IN b) = 1 OR OVERLAY(a PLACING b FROM 1) = ''
SUBSTRING(a FROM 1 FOR 2) = 'x' OR CURRENT_DATE = a OR CURRENT_TIMESTAMP = b
len(list_filter(xs, lambda x: x > 1)) > 0 OR {'a': 1} = m OR MAP {'a': 1} = m
"""


def made(language: SqlLanguage, texts: list[str]) -> set[type[exp.Expr]]:
    """The classes of nodes that sqlglot makes of texts in a language."""
    found: set[type[exp.Expr]] = set()
    for text in texts:
        try:
            trees = language.parse(list(language.tokens(text)), text)
        except (SqlglotError, IndexError, TypeError):
            continue
        found.update(type(node) for tree in trees if tree is not None for node in tree.walk())
    return found


@pytest.fixture(scope="module")
def reached() -> dict[str, set[type[exp.Expr]]]:
    """What sqlglot makes in each language of operators, and of calls of all functions that it knows."""
    tables = (shared.RULES, *DIFFERENCES.values())
    names = {key for table in tables for key in table if isinstance(key, str)}
    for language in LANGUAGES.values():
        parser = Dialect.get_or_raise(None if language is SQL else language.name).parser_class
        names |= {*parser.FUNCTIONS, *parser.FUNCTION_PARSERS, *parser.NO_PAREN_FUNCTION_PARSERS}
    calls = [f"{name}({arguments})" for name in sorted(names) for arguments in ARGUMENTS]
    texts = [*OPERATORS.strip().splitlines(), *calls]
    return {name: made(language, texts) for name, language in LANGUAGES.items()}


def dead(table: Mapping[Key, object], known: set[type[exp.Expr]]) -> list[str]:
    return [
        key.__name__ for key, rule in table.items() if rule and isinstance(key, type) and key not in known
    ]


def test_every_class_of_the_shared_table_is_made(reached: dict[str, set[type[exp.Expr]]]) -> None:
    assert dead(shared.RULES, set().union(*reached.values())) == []


@pytest.mark.parametrize("language", DIFFERENCES)
def test_every_class_of_a_language_is_made(language: str, reached: dict[str, set[type[exp.Expr]]]) -> None:
    assert dead(DIFFERENCES[language], reached[language]) == []


def test_a_class_of_another_dialect_is_found(reached: dict[str, set[type[exp.Expr]]]) -> None:
    of_spark = {exp.RawString: (None, None), exp.EQ: (None, None)}
    assert dead(of_spark, reached["spark"]) == []
    assert dead(of_spark, reached["sql"]) == ["RawString"]
