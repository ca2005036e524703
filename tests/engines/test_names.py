"""A field may have any name: every word that an engine knows is a column where a filter says so."""

from typing import Any

import duckdb
import pytest

import predicat
from tests.engines.rows import Tables, check_outcomes

FORMS = (
    "{0} = 1",
    "NOT ({0} IS NULL)",
    "0 < {0} AND {0} IN (1, 2)",
    "{0} + 1 = 2",
    "-{0} < 3",
    "CASE WHEN {0} = 1 THEN TRUE END",
    "COALESCE({0}, 2) <> 2",
)

QUOTES = {"spark": "`", "postgres": '"', "duckdb": '"'}


def test_words_of_the_engines_are_names(spark: Any, postgres: Any) -> None:
    words = {row[0].lower() for row in spark.sql("SELECT keyword FROM sql_keywords()").collect()}
    words |= {row[0] for row in postgres.execute("SELECT word FROM pg_get_keywords()").fetchall()}
    words |= {
        row[0].lower()
        for row in duckdb.connect().execute("SELECT keyword_name FROM duckdb_keywords()").fetchall()
    }
    parsed = {
        word: predicat.parse(FORMS[place % len(FORMS)].format(f'"{word}"'), "sql", {word: "bigint"})
        for place, word in enumerate(sorted(words))
    }
    # A name in quotes is no question: those stay that one engine at least reads without them.
    fields = {
        word: "bigint"
        for word, one in parsed.items()
        if not all(quote in one.sql(name) for name, quote in QUOTES.items())
    }
    predicates = [parsed[word] for word in fields]
    tables = Tables(spark, postgres, predicat.api.declared(fields), [dict.fromkeys(fields, 1)])

    assert len(fields) > 300

    def unread(name: str, run: Any) -> list[str]:
        texts = [one.sql(name) for one in predicates]
        return [text for text, column in zip(texts, run(texts), strict=True) if column != [True]]

    assert not {name: found for name, run in tables.engines() if (found := unread(name, run))}
    spark.conf.set("spark.sql.ansi.enforceReservedKeywords", "true")
    try:
        assert not unread("spark", tables.on_spark)
    finally:
        spark.conf.unset("spark.sql.ansi.enforceReservedKeywords")


def test_columns_that_differ_by_capital_letters_alone(postgres: Any) -> None:
    fields = {"x": "bigint", "X": "bigint", "y": "bigint"}
    found = predicat.parse('x = 1 AND "X" = 2', "sql", fields)
    tables = Tables(None, postgres, predicat.api.declared(fields), [{"x": 1, "X": 2}, {"x": 2, "X": 1}])
    assert tables.on_postgres([found.sql("postgres")]) == [[True, False]]
    assert predicat.parse('"X" = 2 AND y = 1', "sql", fields).sql("spark") == "`X` = 2 AND y = 1"
    for dialect in ("spark", "duckdb"):
        with pytest.raises(predicat.Unsupported, match="it treats the columns 'X' and 'x' as the same"):
            found.sql(dialect)


SCRIPTS = [
    ("sql", "größe > 3"),
    ("sql", '"größe" > 3'),
    ("spark", "`größe` > 3"),
    ("spark", "名前 > 3"),
    ("postgres", "цена > 3"),
    ("postgres", '"a-b" > 3'),
    ("duckdb", '"नाम" > 3'),
    ("sql", '"Zip Code" > 3'),
    ("cel", "`größe` > 3"),
    ("cel", "`名前` > 3 // `名前`"),
    ("cel", "`a-b` > 3 && '`цена`' != ''"),
    ("cel", "`Zip Code` > 3 && `Zip Code` > 2"),
    ("cel", "has(m.`a-b`) && m.`a-b` > 3"),
    ("cel", "[1, 2].exists(`é`, `é` < `नाम`) && `नाम` > 3"),
]


def test_names_of_every_script_are_read(spark: Any, postgres: Any) -> None:
    names = ["größe", "名前", "цена", "a-b", "नाम", "Zip Code"]
    fields = predicat.api.declared(dict.fromkeys(names, "bigint") | {"m": "map<string, bigint>"})
    rows: list[dict[str, Any]] = [dict.fromkeys(names, number) for number in (4, 3, None)]
    keys: list[dict[str, int]] = [{"a-b": 4}, {"a-b": 3}, {}]
    tables = Tables(spark, postgres, fields, [row | {"m": m} for row, m in zip(rows, keys, strict=True)])
    check_outcomes(tables, SCRIPTS, where=True)
