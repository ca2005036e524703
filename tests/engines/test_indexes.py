"""Conditions in the forms that indexes serve: the same rows as without indexes, and the indexes are used."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

import predicat
from benchmarks import indexes
from predicat import backends
from predicat.api import declared
from predicat.backends.sql.postgres.stored import declared as stated
from predicat.backends.sql.postgres.stored import read_index, text_order
from predicat.backends.sql.storage import NOTHING_KNOWN
from predicat.deploy import storage
from predicat.ir.nodes import Node, fields_of
from predicat.semantics.closures import NONE
from predicat.semantics.evaluate import compile_node
from tests.rounds import rounds

FIELDS = {
    "name": "string",
    "n": "bigint",
    "tags": "array<string>",
    "nums": "array<bigint>",
    "h": "map<string, string>",
    "doc": "json",
}
NAMES = [
    None,
    *["", "abc", "ABC", "Abc", "abcd", "xAbCx", "TASK", "ta\u017fk", "tas\u212a", "\u0130I", "\u0131i"],
    *["é", "É", "ß", "SS", "ΣΑΣ", "σας", "σασ", "a_b", "aXb", "a%b", "a\\b", "A\\B", "Name 500", "name 500x"],
    *["\ue000", "\U0001f600", "\uffff", "abc\uffff", "abc\U0010ffff", "müller", "MÜLLER", "i", "I"],
]
MAPS = [
    None,
    *[
        "{}",
        '{"k": null}',
        '{"k": "c77"}',
        '{"k": "a", "k": "c77"}',
        '{"k": 77}',
        '{"k": "77"}',
        '{"k": 77.0}',
    ],
    *[
        '{"k": true}',
        '{"k": "true"}',
        '{"k": ["c77"]}',
        '{"k": {"k": "c77"}}',
        '["k"]',
        '"k"',
        '"c77"',
        "null",
    ],
    *['[{"k": "c77"}]', '{"K": "c77"}', '{"k": "\\"c77\\""}', '{"k": "c\\\\77", "é\\"": "x"}', '{"k": ""}'],
    *[
        '{"k": [1]}',
        '{"k": "[1]"}',
        '{"k": 5e300}',
        '{"k": "null"}',
        '{"k": -0.5}',
        '{"k": "1e2"}',
        '{"k": 100}',
    ],
]
DOCUMENTS = [
    *MAPS,
    *[
        '{"a": {"b": "x"}}',
        '{"a": [{"b": "x"}]}',
        '{"a": {"b": ["x"]}}',
        '{"a": {"b": null}}',
        '{"a": {"b": {"x": 1}}}',
    ],
    *['{"a": ["x"]}', '{"a": {"x": null}}', '{"a": {"x": 1}}', '{"a": [["x"]]}', '["x"]', '{"x": 1}', '"x"'],
    *[
        '{"a": [{"s": "x"}, 1]}',
        '{"a": [1, {"s": "x", "t": 2}]}',
        '{"a": {"s": "x"}}',
        '{"a": [{"s": ["x"]}]}',
    ],
    *['{"a": [{"s": {"x": 1}}]}', '{"a": "x"}', '{"a": true}', '{"a": "true"}', '{"a": 3}', '{"a": "3"}'],
]
TAGS = [
    None,
    "{}",
    "{NULL}",
    "{t77}",
    "{t77,NULL}",
    "{{t77,b},{c,d}}",
    '{"a\\"b"}',
    '{"a\\\\b"}',
    '{"null"}',
    '{""}',
]
NUMBERS = [None, "{}", "{NULL}", "{77}", "{1,78}", "{9223372036854775807}"]

CONDITIONS = [
    *[("sql", f"name {op} 'abc'") for op in ("=", ">", ">=", "<", "<=", "<>")],
    *[
        ("sql", f"{name} = '{text}'")
        for name in ("lower(name)", "upper(name)")
        for text in ("abc", "ABC", "é", "ΣΑΣ", "σας")
    ],
    *[
        ("sql", f"name ILIKE '{text}'")
        for text in ("task", "abc", "abc%", "%b%", "é", "σας", "ss", "a\\_b", "%\\\\b", "i")
    ],
    *[
        ("sql", f"name LIKE '{text}'")
        for text in ("abc%", "%b%", "a\\_b%", "%\\\\%", "", "%", "\uffff%", "\ue000%")
    ],
    *[("sql", f"name ILIKE '{text}'") for text in ("%tas%", "ta%", "tas_", "%k", "%sss%", "%ı%")],
    ("sql", "lower(name) LIKE 'a\\_%'"),
    ("sql", "lower(name) LIKE '%ab%'"),
    ("sql", "lower(name) IN ('abc', 'task', 'é')"),
    ("sql", "name IN ('abc', 'ß')"),
    ("sql", "startswith(name, 'abc')"),
    ("sql", "startswith(name, '\U0010ffff')"),
    ("sql", "name BETWEEN 'a' AND '\ue000'"),
    ("sql", "greatest(name, 'b') = 'b'"),
    ("sql", "startswith(lower(name), 'a')"),
    ("sql", "contains(lower(name), 'σ')"),
    *[
        ("sql", f"h['k'] = '{text}'")
        for text in ("c77", "77", "true", "[1]", "null", "", "100", "1e2", "-0.5", "c\\77")
    ],
    ("sql", "h['k'] IN ('c77', '77', 'zz')"),
    ("sql", "h['k'] <> 'c77'"),
    ("sql", "NOT (h['k'] = 'c77' OR h['x'] = '1')"),
    ("sql", "h['é\"'] = 'x'"),
    ("sql", "h['k'] LIKE 'c%' OR n = 1"),
    ("sql", "h['k'] IS NOT NULL"),
    ("sql", "lower(h['k']) = 'c77'"),
    ("sql", "CAST(h['k'] AS bigint) = 77"),
    ("cel", "'k' in h"),
    ("cel", "h.k == 'c77' && !('x' in h)"),
    *[("cel", f"doc.k == {value}") for value in ("'c77'", "'77'", "77", "true", "null", "'c\\\\77'")],
    *[("cel", f"doc.a.b {op} 'x'") for op in ("==", "!=", ">")],
    ("cel", "doc.a.b in ['x', 'y']"),
    ("cel", "has(doc.a.b)"),
    ("cel", "has(doc.k)"),
    ("cel", "doc == 'x'"),
    ("cel", "'x' in doc.a"),
    ("cel", "'x' in doc"),
    ("cel", "doc.a.exists(e, e == 'x')"),
    ("cel", "doc.exists(e, e == 'x')"),
    ("cel", "doc.a.exists(e, e.s == 'x')"),
    ("cel", "doc.a.exists(e, e.s == 'x' && e.t == 2)"),
    ("cel", "doc.a.exists(e, e.s == 'x' || e == 'x')"),
    ("cel", "doc.a.exists(e, e.s.exists(f, f == 'x'))"),
    ("cel", "doc.a.all(e, e.s == 'x')"),
    ("cel", "doc.a == true || doc.a > 2"),
    *[("sql", f"array_contains(tags, '{text}')") for text in ("t77", 'a"b', "a\\b", "null", "")],
    ("sql", "array_contains(nums, 77) OR array_contains(nums, 9223372036854775807)"),
    ("cel", "tags.exists(t, t in ['t77', 'b'])"),
    ("cel", "tags.exists(t, t == 't77') && !('b' in tags)"),
    ("cel", "!tags.exists(t, t == 't77')"),
    ("cel", "tags.all(t, t == 't77')"),
    *[
        ("postgres", f"doc @> '{pattern}'")
        for pattern in ('[{"s": "x"}]', '{"a": [{"s": "x"}]}', '{"a": ["x"]}', '["x"]', '{"k": "c77"}')
    ],
    ("postgres", 'NOT doc @> \'{"a": [{"s": "x"}]}\''),
    ("postgres", "tags && ARRAY['t77', 'b']"),
    ("postgres", "nums && ARRAY[77, 78] AND NOT tags && ARRAY['b']"),
]
GROUPS = [
    [],
    ["(name)"],
    ['(name COLLATE "C")'],
    ["(name text_pattern_ops)"],
    ["(lower(name))", "((lower(h ->> 'k')))"],
    ["(upper(name))"],
    ["(lower(name) text_pattern_ops)", "(name, n)"],
    ["USING gin (name gin_trgm_ops)"],
    ["USING gin (lower(name) gin_trgm_ops)"],
    ["((h ->> 'k'))", "((doc ->> 'k'))"],
    ["USING gin (h)", "USING gin (doc)", "USING gin (tags)", "USING gin (nums)"],
    ["USING gin (h jsonb_path_ops)", "USING gin (doc jsonb_path_ops)"],
    ["USING gin ((doc -> 'a'))", "USING gin ((h -> 'k') jsonb_path_ops)"],
]
COLLATIONS = ["C", "pg_c_utf8", "pg_unicode_fast", "en-x-icu", "tr-x-icu", "el-x-icu", ""]


def nodes() -> list[tuple[str, Node]]:
    fields = declared(FIELDS)
    return [(text, predicat.parse(text, language, fields).node) for language, text in CONDITIONS]


@pytest.fixture(scope="module", params=COLLATIONS)
def rows(request: pytest.FixtureRequest, postgres: Any) -> Iterator[Any]:
    """A table of hostile rows, whose name has a collation; with trigrams."""
    there = postgres.execute(
        "SELECT 1 FROM pg_collation WHERE collname = %s", (request.param or "C",)
    ).fetchone()
    if there is None:
        pytest.skip("the server does not have this collation")
    collation = f'COLLATE "{request.param}"' if request.param else ""
    postgres.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
    postgres.execute(
        f"CREATE TABLE public.hostile (id int PRIMARY KEY, name text {collation}, n bigint, tags varchar[], "
        "nums bigint[], h jsonb, doc jsonb)"
    )
    longest = max(map(len, (NAMES, MAPS, DOCUMENTS, TAGS, NUMBERS)))
    with postgres.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO public.hostile VALUES (%s, %s, %s, %s, %s, %s, %s)",
            [
                (
                    number,
                    *(
                        values[number % len(values)]
                        for values in (NAMES, [1, 2, None], TAGS, NUMBERS, MAPS, DOCUMENTS)
                    ),
                )
                for number in range(longest)
            ],
        )
    yield postgres
    postgres.execute("DROP TABLE public.hostile")


def accepted(postgres: Any, condition: str) -> list[int]:
    query = f"SELECT id FROM public.hostile WHERE {condition} ORDER BY id"
    return [row[0] for row in postgres.execute(query.encode()).fetchall()]


def test_the_same_rows(rows: Any) -> None:
    """With each group of indexes, of which the server has to use those that it can."""
    dialect = backends.dialect("postgres")
    plain = {text: accepted(rows, dialect.render(node)) for text, node in nodes()}
    forms: dict[str, set[str]] = {}
    for group in GROUPS:
        for number, index in enumerate(group):
            rows.execute(f"CREATE INDEX hostile_{number} ON public.hostile {index}".encode())
        rows.execute("SET enable_seqscan = off")
        (oid,) = rows.execute("SELECT 'public.hostile'::regclass::oid::int8").fetchone()
        stored = storage.read(rows, [oid])[oid]
        for text, node in nodes():
            sql = dialect.render(node, condition=True, storage=stored)
            forms.setdefault(text, set()).add(sql)
            assert accepted(rows, sql) == plain[text], f"{text}\n{group}\n{sql}"
        rows.execute("RESET enable_seqscan")
        for number, _ in enumerate(group):
            rows.execute(f"DROP INDEX public.hostile_{number}".encode())
    assert sum(len(found) > 1 for found in forms.values()) > len(forms) / 3


def test_the_rows_are_those_of_the_reference(rows: Any) -> None:
    """What all forms are compared with accepts the rows that the evaluator accepts."""
    dialect = backends.dialect("postgres")
    names = [row[0] for row in rows.execute("SELECT name FROM public.hostile ORDER BY id").fetchall()]
    documents = [
        row[0] for row in rows.execute("SELECT doc::text FROM public.hostile ORDER BY id").fetchall()
    ]
    for text, node in rounds(nodes(), 1):
        if fields_of(node).keys() <= {"name", "doc"}:
            run = compile_node(node)
            wanted = [
                number
                for number, (name, document) in enumerate(zip(names, documents, strict=True))
                if run({"name": name, "doc": document and json.loads(document)}, NONE, NONE) is True
            ]
            assert accepted(rows, dialect.render(node)) == wanted, text


@pytest.mark.parametrize(
    ("condition", "form"),
    [
        ('doc @> \'[{"s": "x"}]\'', 'doc @> \'[{"s": "x"}]\''),
        ("tags && ARRAY['a', 'b']", 'tags && \'{"a","b"}\''),
    ],
)
def test_operators_of_postgres_stay_operators(condition: str, form: str) -> None:
    node = predicat.parse(condition, "postgres", declared(FIELDS)).node
    for stored in (stated(None, ["USING gin (doc)", "USING gin (tags)"]), NOTHING_KNOWN):
        assert backends.dialect("postgres").render(node, condition=True, storage=stored) == form


@pytest.mark.parametrize(
    ("query", "served"),
    [
        ("SELECT id, kind::text AS kind, name, tags FROM below.t", True),
        ("SELECT o.id, o.kind::text AS kind, o.name, o.tags FROM below.t o WHERE o.id > 3", True),
        ("SELECT id, lower(name) AS name, kind::text[] AS tags FROM below.l", False),
        ("SELECT id, name || '' AS name, tags || '{}' AS tags FROM below.t", False),
        ("SELECT DISTINCT id, name, tags FROM below.t", False),
        ("SELECT a.id, a.name, a.tags FROM below.t a JOIN below.t b USING (id)", False),
    ],
)
def test_a_view_has_the_indexes_of_its_table(postgres: Any, query: str, served: bool) -> None:
    """Those on columns that it selects as they are."""
    postgres.execute(
        "CREATE SCHEMA below; CREATE TYPE below.kind AS ENUM ('a', 'b'); CREATE TABLE below.t (id int, "
        "kind below.kind, name text, tags text[]); CREATE INDEX ON below.t (lower(name)); CREATE INDEX ON "
        "below.t USING gin (tags); CREATE TABLE below.l (id int, name text, kind below.kind[])"
    )
    try:
        postgres.execute(f"CREATE VIEW below.v AS {query}".encode())
        (oid,) = postgres.execute("SELECT 'below.v'::regclass::oid::int8").fetchone()
        stored = storage.read(postgres, [oid])[oid]
        columns = {column for index in stored.indexes or () for column in index.columns}
        assert columns == ({"name", "tags"} if served else set())
    finally:
        postgres.execute("DROP SCHEMA below CASCADE")


# --- what is known of a relation


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(lower(name))", "CREATE INDEX i ON public.t USING btree (lower((name)::text))"),
        ("((h ->> 'k'))", "CREATE INDEX i ON t USING btree (((h ->> 'k'::text)))"),
        ("USING gin (h jsonb_path_ops)", "CREATE INDEX i ON ONLY t USING gin (h jsonb_path_ops)"),
        ('(name COLLATE "C")', 'CREATE UNIQUE INDEX i ON t USING btree (name COLLATE "C") INCLUDE (n)'),
        (
            "(name text_pattern_ops) WHERE n > 5",
            "CREATE INDEX i ON t (name text_pattern_ops DESC) WHERE (n > 5)",
        ),
    ],
)
def test_an_index_is_read_as_it_is_written_and_stored(one: str, other: str) -> None:
    first, second = read_index(one), read_index(other)
    assert first is not None
    assert second is not None
    assert (first.method, first.keys, first.partial) == (second.method, second.keys, second.partial)


@pytest.mark.parametrize("text", ["", "lower(name)", "(", "USING nothing (n)", "; DROP TABLE t"])
def test_what_is_no_index_is_not_read(text: str) -> None:
    assert read_index(text) is None


def test_orders_of_texts() -> None:
    assert text_order("c", "C").ascii_case
    assert text_order("c", "C.UTF-8").by_code_point
    assert not text_order("c", "C.UTF-8").serves_prefixes
    assert text_order("b", "C.UTF-8").serves_prefixes
    assert not text_order("c", "en_US.UTF-8").by_code_point
    assert text_order("i", "en-US").usual_case
    assert not text_order("i", "tr-TR").usual_case
    assert not text_order("c", "lt_LT.UTF-8").usual_case
    assert not stated(None, ["(name)"]).order.usual_case


# --- a smaller version of benchmarks/indexes.py


@pytest.mark.parametrize("order", ["C", pytest.param("C.UTF-8", marks=pytest.mark.slow)])
def test_no_index_is_lost(postgres: Any, order: str) -> None:
    with indexes.database(postgres.info.dsn, order) as connection:
        assert connection is not None
        found = list(indexes.outcomes(connection, order, 30_000))
    assert [(one.text, one.sql) for one in found if one.lost] == []
    assert sum(one.gained for one in found) >= 15
