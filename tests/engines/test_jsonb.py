"""Conditions on jsonb in a WHERE, in short forms and in those that an index of their expression serves: the
rows of the evaluator, for JSON values of any kind.
"""

import json
import math
from collections.abc import Iterator
from typing import Any

import duckdb
import psycopg
import pytest
import yaml
from msgspec.structs import replace

import predicat
from predicat import backends
from predicat.api import declared
from predicat.backends.sql.postgres import POSTGRES
from predicat.backends.sql.postgres.installed import available, definitions
from predicat.backends.sql.postgres.stored import declared as stated
from predicat.backends.sql.storage import Storage
from predicat.backends.sql.styles import STYLES
from predicat.deploy import storage
from predicat.ir.nodes import Node
from predicat.semantics.evaluate import compile_node
from tests.conftest import ROOT
from tests.engines.rows import Tables, check_outcomes
from tests.rounds import rounds

CONDITIONS = yaml.safe_load((ROOT / "benchmarks/jsonb.yml").read_text(encoding="utf-8"))
FIELDS = declared({"id": "bigint", "profile": "json"})
NUMBERS = [
    *(
        "123",
        "123.0",
        "122.99999999999999999999",
        "123.00000000000000000001",
        "1.23e2",
        "122",
        "124",
        "122.5",
    ),
    *("122.49999999999999999999", "122.4", "-123", "0", "-0.0", "0.5", "-0.5", "1", "1.00000000000000000001"),
    *("10", "12", "12.0", "99.9", "99.90000000000001", "99.89999999999999999999", "990", "990.5", "991"),
    *(
        "990.0000000000000000001",
        "2147483647",
        "2147483648",
        "-2147483649",
        "9007199254740993",
        "1e19",
        "5e-324",
    ),
    *("9223372036854775807", "9223372036854775808", "123456789012345", "1234567890123456", "1e15", "1e300"),
]
WORDS = [
    *(
        "123",
        " 123",
        "+123",
        "0123",
        "0x7B",
        "1_000",
        "-5",
        "1e2",
        "123.0",
        "",
        " ",
        "99.95",
        "NaN",
        "Infinity",
    ),
    *(
        "-Infinity",
        "inf",
        "true",
        "false",
        "t",
        "YES",
        "on",
        "null",
        "c77",
        "C77",
        "c77x",
        "xc77",
        "c78",
        "c999",
    ),
    *(
        "z",
        "{",
        "[c77]",
        "{c77}",
        "c\u212a",
        "\u0131",
        "2026-02-01",
        "2026-02-01T10:00:00Z",
        "rare",
        "2147483648",
    ),
    *("9007199254740993", "9" * 25, "0" * 30 + "123", "1e400", "991", "x" * 30),
]
OTHERS = ["true", "false", "null", "[]", "{}", '["c77"]', '{"c77": 1}', '["123"]', "[123]", '{"zip": "z77"}']
VALUES = [*NUMBERS, *(json.dumps(word) for word in WORDS), *OTHERS]
NEAR = ["-122.99999999999999999999", "10.00000000000000000001", "9.99999999999999999999", "9.9", "9.5", "100"]
NUMBERS += [
    *NEAR,
    "-0.00000000000000000001",
    "99.99999999999999999999",
    "100.0000",
    "-1.0",
    "-10.000000000000000001",
]
KEYS = ("seats", "city", "vip", "score", "since", "nick", "rare", "a", "odd 'key\"")
# A document for each value, which is under each key, and others.
DOCUMENTS = [
    *("{" + ", ".join(f"{json.dumps(key)}: {value}" for key in KEYS) + "}" for value in VALUES),
    *("{}", "null", "[]", '"rare"', "123", '["rare", "seats"]', '{"address": {"zip": "z77"}}'),
    '{"tags": ["t77", 1, 2]}',
    '{"address": [{"zip": "z77"}]}',
    '{"address": {"zip": 77}}',
]
MORE = [
    "(profile->>'seats')::int < 123",
    "(profile->>'seats')::int <= 12 OR profile->>'city' LIKE 'c7%'",
    "NOT (profile->>'seats')::int > 990",
    "(profile->>'seats')::bigint >= 9007199254740992",
    "(profile->>'seats')::bigint <> 123",
    "(profile->>'score')::float8 <= 99.9",
    "(profile->>'score')::float8 = 99.9",
    "(profile->>'score')::numeric BETWEEN 99.9 AND 123",
    "(profile->'seats')::int IN (122, 123)",
    "(profile->'seats')::bigint > 122",
    "(profile->>'since')::date = '2026-02-01'",
    "(profile->>'since')::timestamptz >= '2026-02-01'",
    "(profile->>'vip')::boolean IS NOT TRUE",
    "(profile->>'odd ''key\"')::int = 123",
    "profile->>'city' LIKE '%7%'",
    "profile->>'city' LIKE '%x%'",
    "profile->>'city' LIKE '_77'",
    "profile->>'city' NOT LIKE 'c%'",
    "profile->>'city' ILIKE '%K'",
    "profile->>'city' < 'c'",
    "profile->>'city' >= '['",
    "upper(profile->>'city') LIKE 'TR%'",
    "profile->>'city' ~ 'c77$'",
    "profile->>'city' ~ '^(c|x)'",
    "length(profile->>'city') > 20",
    "substr(profile->>'city', 1, 1) = 'c'",
    "profile->>'city' || 'x' = 'c77x'",
    "profile->>'vip' = 'false'",
    "profile->>'vip' IN ('true', 'c77')",
    "profile->>'city' LIKE 'c77%' AND NOT profile->>'city' LIKE '%x'",
    "(profile->>'a') = (profile->>'city')",
    "profile ?| array['seats', 'none', '123']",
    "profile ?& array['seats', 'rare']",
    "NOT profile ? 'rare'",
    "profile->'a' ? 'c77'",
    "profile->'a' ? '123' OR (profile->>'seats')::int = 12",
    "(profile->'a' ? 'zip') IS NULL",
    "profile->'tags'->0 ? 't77'",
    "profile->'seats' < '123'",
    "profile->'seats' <= '12' OR profile->>'city' = 'z' OR profile->'a' >= '991'",
    "profile->'seats' BETWEEN '12' AND '123' AND profile->'a' < '991'",
    "NOT profile->'seats' > '990'",
    "NOT (profile->'seats' <= '0' OR profile->>'city' = 'z')",
    "(profile->'seats' >= '122.5') IS NOT TRUE",
    "profile->'seats' > '1e300'",
    "profile->'seats' IN ('0', '123', '99.9', 'true', '\"c77\"')",
    "profile->'seats' <> '123'",
    "profile->'city' < '\"c77\"'",
    "profile->'city' >= '\"C77\"' AND profile->'city' <= '\"c78\"'",
    "profile->'city' IN ('\"c77\"', '\"123\"', '\"true\"')",
    "profile->0 < '500'",
    "profile->>'seats' = '1'",
    "profile->>'seats' = '-123' OR profile->>'seats' = '10'",
    "profile->>'seats' = '0'",
    "profile->>'seats' IN ('123', '12')",
    "jsonb_array_length(profile->'a') > 0",
    "profile#>'{address,zip}' = '\"z77\"'",
]  # fmt: skip
TEXTS = [*(str(one["postgres"]) for one in CONDITIONS), *MORE]


def node_of(text: str) -> Node:
    return predicat.parse(text, "postgres", FIELDS).node


def accepted(node: Node, given: list[str]) -> list[int]:
    run = compile_node(node)
    return [place for place, text in enumerate(given) if run({"profile": json.loads(text)}) is True]


def fill(connection: psycopg.Connection, given: list[str]) -> None:
    connection.execute("DROP TABLE IF EXISTS public.records")
    connection.execute("CREATE TABLE public.records (id bigint, profile jsonb)")
    with connection.cursor() as cursor:
        cursor.executemany("INSERT INTO public.records VALUES (%s, %s::jsonb)", list(enumerate(given)))
    connection.execute("ANALYZE public.records")


def found(connection: Any, condition: str) -> list[int]:
    query = f"SELECT id FROM public.records WHERE {condition} ORDER BY id"
    return [row[0] for row in connection.execute(query).fetchall()]


@pytest.fixture(scope="module")
def installed(postgres: Any) -> Iterator[Any]:
    postgres.execute("DROP SCHEMA IF EXISTS predicat CASCADE; CREATE SCHEMA predicat")
    postgres.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
    for row in definitions(postgres.info.server_version):
        postgres.execute(row.sql)
    yield postgres
    postgres.execute("DROP SCHEMA predicat CASCADE; DROP TABLE IF EXISTS public.records")


def check(connection: Any, given: list[str], text: str, condition: str) -> None:
    assert found(connection, condition) == accepted(node_of(text), given), f"{text}\n{condition}"


@pytest.mark.parametrize("calls", [True, False])
def test_the_rows_of_the_evaluator(calls: bool, installed: Any) -> None:
    given = DOCUMENTS
    fill(installed, given)
    functions = available(installed.info.server_version) if calls else None
    for text in rounds(TEXTS, 60):
        condition = POSTGRES.render(
            node_of(text), condition=True, storage=Storage(indexes=()), runtime=functions
        )
        check(installed, given, text, condition)
        check(installed, given, text, f"({POSTGRES.render(node_of(text), runtime=functions)}) IS TRUE")


def _served(text: str, index: str, connection: Any) -> str:
    """The condition for an index, in the order of strings that the database has."""
    (oid,) = connection.execute("SELECT 'public.records'::regclass::oid::int8").fetchone()
    stored = replace(storage.read(connection, [oid])[oid], indexes=stated(None, [index]).indexes)
    functions = available(connection.info.server_version)
    return POSTGRES.render(node_of(text), condition=True, storage=stored, runtime=functions)


# Indexes that people make beside those of the benchmark, with tests that they serve.
INDEXES = [
    ("profile->'a' = '123'", "((profile -> 'a'))"),
    ("profile->'a' IN ('10', '100', '-0.5')", "((profile -> 'a'))"),
    ("profile->'a' < '12'", "((profile -> 'a'))"),
    ("profile->'a' <= '123' AND profile->'a' >= '10'", "((profile -> 'a'))"),
    ("profile->'a' > '\"c77\"'", "((profile -> 'a'))"),
    ("profile->'a' = '\"123\"'", "((profile -> 'a'))"),
    ("profile->'a' = 'true'", "USING hash ((profile -> 'a'))"),
    ("profile->'a' IN ('\"c77\"', '\"true\"')", "((profile -> 'a'))"),
    ("profile->>'a' = '123'", "((profile ->> 'a'))"),
    ("profile->>'a' = '100'", "((profile ->> 'a'))"),
    ("profile->>'a' = '10'", "((profile ->> 'a'))"),
    ("profile->>'a' = '-10'", "((profile ->> 'a'))"),
    ("profile->>'a' = '-123'", "((profile ->> 'a'))"),
    ("profile->>'a' = '0'", "((profile ->> 'a'))"),
    ("profile->>'a' = '1'", "((profile ->> 'a'))"),
    ("profile->'address'->>'zip' = 'z77'", "((profile #>> '{address,zip}'::text[]))"),
    ("profile->'address'->'zip' > '70'", "((profile #> '{address,zip}'))"),
    ("(profile#>>'{address,zip}')::int = 77", "(((profile #>> '{address,zip}')::int))"),
    ("profile @> '{\"a\": 123}'", "((profile -> 'a'))"),
]
# An index of jsonb has the order of strings of the database.
BY_CODE_POINT = {"profile->'a' > '\"c77\"'"}


def test_an_index_on_the_value_or_its_text(installed: Any) -> None:
    """The rows are those of the evaluator, read by the index."""
    for text, index in rounds(INDEXES, 15):
        kept = _castable(installed, index)
        fill(installed, kept)
        installed.execute(f"CREATE INDEX wanted ON public.records {index}".encode())
        installed.execute("ANALYZE public.records; SET enable_seqscan = off")
        try:
            sql = _served(text, index, installed)
            check(installed, kept, text, sql)
            plan = installed.execute(f"EXPLAIN SELECT * FROM public.records WHERE {sql}".encode()).fetchall()
            served = text not in BY_CODE_POINT or 'COLLATE "C"' not in sql
            assert any("wanted" in row[0] for row in plan) == served, f"{text}\n{sql}"
        finally:
            installed.execute("RESET enable_seqscan")


@pytest.mark.parametrize("planner", ["enable_seqscan", "enable_indexscan"])
def test_an_index_on_the_expression(planner: str, installed: Any) -> None:
    for condition in rounds((one for one in CONDITIONS if "index" in one), 30):
        text, index = str(condition["postgres"]), str(condition["index"])
        kept = _castable(installed, index)
        fill(installed, kept)
        sql = _served(text, index, installed)
        installed.execute(f"CREATE INDEX ON public.records {index}".encode())
        installed.execute("ANALYZE public.records")
        installed.execute(f"SET {planner} = off")
        try:
            check(installed, kept, text, sql)
        finally:
            installed.execute(f"RESET {planner}")


def test_an_index_that_was_dropped(installed: Any) -> None:
    """Values that have been inserted since, and cannot be cast, raise no error: the exact test is evaluated
    first. A number such as 123.0 would, to which it gives a value.
    """
    numbers = DOCUMENTS[: len(NUMBERS)]
    for condition in rounds((one for one in CONDITIONS if "::" in one.get("index", "")), 8):
        text, index = str(condition["postgres"]), str(condition["index"])
        kept = _castable(installed, index)
        given = [one for one in DOCUMENTS if one in kept or one not in numbers]
        assert len(given) > len(kept) + 20
        fill(installed, given)
        check(installed, given, text, _served(text, index, installed))


def test_what_raises_without_its_index(installed: Any) -> None:
    """Whole numbers that are written with decimals, those beyond the doubles, and nothing else. The filter
    accepts such a row, so no test before the author's cast can keep it from the cast; and an index serves
    only conditions with the cast.
    """
    whole = [value for value in NUMBERS if "." in value and float(value).is_integer()]
    for kind, allowed in rounds((("int", whole), ("bigint", whole), ("float8", ["1e400"])), 3):
        fill(installed, [])
        sql = _served(f"(profile->>'a')::{kind} > 0", f"(((profile ->> 'a')::{kind}))", installed)
        raised = []
        for value in (*NUMBERS, "1e400", *(json.dumps(word) for word in WORDS), *OTHERS):
            installed.execute("TRUNCATE public.records")
            installed.execute("INSERT INTO public.records VALUES (1, %s::jsonb)", [f'{{"a": {value}}}'])
            try:
                found(installed, sql)
            except psycopg.DataError:
                raised.append(value)
        assert allowed[0] in raised and set(raised) <= {*allowed}, f"{sql}\n{raised}"


def _castable(connection: Any, index: str) -> list[str]:
    """The documents of rows that can be in an index."""
    connection.execute("CREATE TEMPORARY TABLE one (id bigint, profile jsonb)")
    connection.execute(f"CREATE INDEX ON one {index}".encode())
    found: list[str] = []
    for text in DOCUMENTS:
        try:
            connection.execute("INSERT INTO one VALUES (1, %s::jsonb)", [text])
        except psycopg.DataError:
            continue
        found.append(text)
    connection.execute("DROP TABLE one")
    return found


def test_own_texts_on_duckdb() -> None:
    given = DOCUMENTS
    with duckdb.connect() as connection:
        connection.execute("CREATE SCHEMA IF NOT EXISTS public")
        connection.execute("CREATE TABLE public.records (id bigint, profile JSON)")
        connection.executemany("INSERT INTO public.records VALUES (?, ?)", list(enumerate(given)))
        dialect = backends.dialect("duckdb")
        for text in rounds((one for one in TEXTS if "->>'city'" in one), 20):
            condition = dialect.render(node_of(text), condition=True)
            check(connection, given, text, condition)


def test_own_texts_on_each_engine(spark: Any, postgres: Any) -> None:
    """Numbers are those of JSON that Python reads, which are doubles."""
    rows = [{"id": place, "profile": json.loads(text)} for place, text in enumerate(DOCUMENTS)]
    kept = [row for row in rows if not _is_huge(row["profile"])]
    texts = [("postgres", text) for text in TEXTS if "->>'city'" in text or "->>'vip' " in text]
    check_outcomes(Tables(spark, postgres, FIELDS, kept), texts, where=True)


def test_tests_of_keys_on_each_engine(spark: Any, postgres: Any) -> None:
    """Of members, elements and strings, of JSON null and of no value."""
    inner = ["c77", "C77", "c77 ", "12", 12, True, None, [], {}, ["c77"], [["c77"]], [12, "12", None]]
    inner += [{"c77": None}, {"c77": {}}, {"a": "c77"}, [{"c77": 1}], {"12": 0}, "", [""], {"": ""}]
    documents = [*inner, *({"a": value} for value in inner), *({"a": [value]} for value in inner)]
    rows = [{"id": place, "profile": document} for place, document in enumerate(documents)]
    tests = [
        "profile ? '{}'",
        "profile->'a' ? '{}'",
        "profile->'a'->0 ? '{}'",
        "NOT profile ?| array['{}', 'a']",
    ]
    texts = [("postgres", test.format(key)) for test in tests for key in ("c77", "12", "")]
    texts += [("postgres", f"({text}) IS NOT TRUE") for _, text in texts]
    tables = Tables(spark, postgres, FIELDS, rows)
    check_outcomes(tables, texts, where=True)


def test_a_test_of_a_key_is_an_operator() -> None:
    """Also where a driver would read `?` as a parameter."""
    text = "profile ? 'rare' AND profile->'tags' ?| array['t77', 'x'] AND id = 3"
    written = "profile ? 'rare' AND ((profile -> 'tags') ? 't77' OR (profile -> 'tags') ? 'x') AND id = "
    assert POSTGRES.render(node_of(text), condition=True) == f"{written}3"
    sql, values = POSTGRES.parameterized(node_of(text), 1, condition=True, style=STYLES["jdbc"])
    assert (sql, values) == (written.replace("?", "??") + "?::bigint", [3])


def _is_huge(document: Any) -> bool:
    value = document.get("a") if isinstance(document, dict) else None
    return isinstance(value, float) and (math.isinf(value) or abs(value) > 1e20 or 0 < abs(value) < 1e-20)
