"""PeeGeeQ's header filters: their SQL is served by the indexes that its document proposes, and they are
values like others.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

import predicat
from predicat.diagnostics import PredicatError
from predicat.headers import (
    ServerSideFilter,
    and_,
    header_equals,
    header_in,
    header_like,
    header_not_equals,
    or_,
)

GIN = "USING gin (headers)"
B_TREE = "((headers->>'type'))"
TRIGRAMS = "USING gin ((headers->>'type') gin_trgm_ops)"
TYPE, RARE = header_equals("type", "t7"), "rare"


@pytest.fixture(scope="module")
def queue(postgres: Any) -> Iterator[Any]:
    postgres.execute(
        "CREATE EXTENSION IF NOT EXISTS pg_trgm; CREATE TABLE public.queue_messages (id bigint, "
        "headers jsonb)"
    )
    postgres.execute("""INSERT INTO public.queue_messages SELECT i, jsonb_build_object('type', 't'
      || i % 500, 'region', 'r' || i % 100, 'n', i)
        || CASE WHEN i % 1000 = 0 THEN '{"rare": "x"}'::jsonb ELSE '{}' END
          FROM generate_series(1, 20000) AS i""")
    yield postgres
    postgres.execute("DROP TABLE public.queue_messages")


@pytest.mark.parametrize(
    ("index", "condition", "rows"),
    [
        (B_TREE, TYPE, 40),
        (B_TREE, header_in("type", ["t7", "t8"]), 80),
        (B_TREE, and_(TYPE, header_equals("region", "r7")), 40),
        (GIN, TYPE, 40),
        (GIN, and_(TYPE, header_equals("region", "r7")), 40),
        (GIN, and_(header_equals("region", "r7"), header_in("type", ["t7", "t9"])), 40),
        (GIN, or_(TYPE, header_equals("type", "t8")), 80),
        (GIN, header_like(RARE, "%"), 20),
        (GIN, header_not_equals(RARE, "y"), 20),
        (GIN, header_in(RARE, ["x", "z"]), 20),
        (TRIGRAMS, header_like("type", "t49_"), 400),
        (TRIGRAMS, header_like("type", "%499%"), 40),
    ],
    ids=str,
)
def test_an_index_of_the_document_serves(
    queue: Any, index: str, condition: ServerSideFilter, rows: int
) -> None:
    queue.execute(f"CREATE INDEX wanted ON public.queue_messages {index}; ANALYZE public.queue_messages")
    try:
        sql = condition.sql_condition(2, indexes=[index])
        query = f"SELECT count(*) FROM public.queue_messages WHERE id > $1 AND {sql}"
        cursor = psycopg.RawCursor(queue)
        assert cursor.execute(query.encode(), [0, *condition.parameters]).fetchone() == (rows,)
        plan = "\n".join(
            row[0]
            for row in cursor.execute(f"EXPLAIN {query}".encode(), [0, *condition.parameters]).fetchall()
        )
        assert "on wanted" in plan or "using wanted" in plan, f"{sql}\n{plan}"
    finally:
        queue.execute("DROP INDEX public.wanted")


@pytest.mark.parametrize(
    ("condition", "sql"),
    [
        (header_equals("type", "order"), "headers @> PG_CATALOG.JSONB_OBJECT(ARRAY['type', $4::text])"),
        # The number 5 has this text, too.
        (header_equals("n", "5"), "headers ? 'n' AND headers ->> 'n' = $4"),
        (header_equals("n", "true"), "headers ? 'n' AND headers ->> 'n' = $4"),
        (header_equals("n", "[1]"), "headers ? 'n' AND headers ->> 'n' = $4"),
        (header_not_equals("type", "a"), "headers ? 'type' AND headers ->> 'type' <> $4"),
        (header_not_equals("type", "a", absent="accept"), "(headers ->> 'type' = $4) IS NOT TRUE"),
        (
            header_in("region", {"US", "EU"}),
            (
                "headers @> PG_CATALOG.JSONB_OBJECT(ARRAY['region', $4::text]) "
                "OR headers @> PG_CATALOG.JSONB_OBJECT(ARRAY['region', $5::text])"
            ),
        ),
        (header_like("type", "a%"), "headers ? 'type' AND headers ->> 'type' LIKE $4"),
        (header_like("type", "%a_"), "headers ? 'type' AND headers ->> 'type' LIKE $4"),
    ],
)
def test_the_condition_for_an_index_on_the_map(condition: ServerSideFilter, sql: str) -> None:
    assert condition.sql_condition(4, indexes=[GIN]) == sql
    assert len(condition.parameters) == condition.parameter_count == len(set(re.findall(r"\$\d", sql)))


@pytest.mark.parametrize(
    ("condition", "sql"),
    [
        (header_equals("type", "order"), "headers ->> 'type' = $4"),
        (header_in("region", {"US", "EU"}), "headers ->> 'region' IN ($4, $5)"),
        (header_like("type", "%a_"), "headers ->> 'type' LIKE $4"),
    ],
)
def test_the_condition_has_one_form(condition: ServerSideFilter, sql: str) -> None:
    """The planner multiplies what it knows of two conditions, as if each were about something else."""
    assert condition.sql_condition(4) == condition.sql_condition(4, indexes=["((headers ->> 'type'))"]) == sql


def test_styles_of_drivers(queue: Any) -> None:
    """A driver's parameters, and what the driver reads in the rest of the SQL."""
    assert TYPE.sql_condition(style="psycopg") == "headers ->> 'type' = %s"
    assert header_like(RARE, "x%").sql_condition(style="jdbc", indexes=[GIN]) == (
        "headers ?? 'rare' AND headers ->> 'rare' LIKE ?"
    )
    fields = {"headers": "map<string, string>", "id": "bigint"}
    text = "headers['%?'] IS NULL AND headers['type'] LIKE '%7' AND id % 5 < 3"
    predicate = predicat.parse(text, "sql", fields)
    numbered, values = predicate.condition("postgres")
    expected = predicat.parse(text, "sql", fields).sql("postgres")
    (want,) = queue.execute(f"SELECT count(*) FROM public.queue_messages WHERE {expected}").fetchone()
    sql, bound = predicate.condition("postgres", style="psycopg")
    assert "'%%?'" in sql and "%% " in sql and "$" in numbered and bound == values
    assert queue.execute(f"SELECT count(*) FROM public.queue_messages WHERE {sql}", bound).fetchone() == (
        want,
    )
    assert "'%?'" in predicate.condition("postgres", style="jdbc")[0]
    with pytest.raises(PredicatError, match="no style of parameters is named 'odbc'"):
        predicate.condition("postgres", style="odbc")


def test_keys_of_documents_are_constants() -> None:
    """An index on an expression serves no key that is a parameter."""
    for text, sql in (
        ("doc ->> 'type' = 'a'", "doc ->> 'type' = $1"),
        ("doc -> 'a' ->> 'b' = 'x'", "doc -> 'a' ->> 'b' = $1"),
    ):
        predicate = predicat.parse(text, "postgres", {"doc": "json"})
        assert predicate.condition("postgres") == (sql, [text[-2]])
        assert predicate.parameterized("postgres") == (sql, [text[-2]])


VALUES = [
    None,
    {},
    {"type": None},
    {"type": ""},
    {"type": "a"},
    {"type": "b"},
    {"type": 5},
    {"type": "5"},
    {"type": True},
    {"type": [1]},
    {"type": {"a": 1}},
]


@pytest.mark.parametrize("value", ["a", "5", "true", "[1]", '{"a": 1}', "", "null", "5.0"])
def test_the_condition_is_true_for_the_same_rows(postgres: Any, value: str) -> None:
    """Also where a header is no text: it is read as one."""
    built = [
        header_equals("type", value),
        header_not_equals("type", value),
        header_not_equals("type", value, absent="accept"),
        header_in("type", [value, "b"]),
        header_like("type", f"%{value}%"),
        or_(header_equals("type", value), header_equals("type", "b")),
    ]
    for condition in built:
        for given in (*map(json.dumps, VALUES), '["type"]', '"type"', None):
            row = postgres.execute(
                (
                    f"SELECT ({condition.predicate.sql('postgres').replace('%', '%%')}) IS TRUE FROM "
                    "(SELECT %s::jsonb AS headers) AS t"
                ),
                (given,),
            ).fetchone()
            query = f"SELECT ({condition.sql_condition(2)}) IS TRUE FROM (SELECT $1::jsonb AS headers) AS t"
            assert (
                psycopg.RawCursor(postgres).execute(query.encode(), [given, *condition.parameters]).fetchone()
                == row
            ), (condition, given)


@pytest.mark.parametrize("first", [0, -1, True, "4", 1.0])
def test_parameters_are_numbered_from_one(first: Any) -> None:
    with pytest.raises(
        PredicatError, match="the number of the first parameter must be an integer of at least 1"
    ):
        header_equals("type", "a").sql_condition(first)
    with pytest.raises(
        PredicatError, match="the number of the first parameter must be an integer of at least 1"
    ):
        predicat.parse("a > 1", "sql", {"a": "bigint"}).parameterized("postgres", first)


@pytest.mark.parametrize("values", [["a", None], ["a", 1], "abc", [b"a"]])
def test_values_that_are_no_texts_are_refused(values: Any) -> None:
    with pytest.raises(PredicatError, match="the header 'k' is compared with a list of strings, not with"):
        header_in("k", values)


def test_filters_are_equal_and_hashed_by_what_they_say() -> None:
    build = [
        lambda: header_equals("a", "b"),
        lambda: header_not_equals("a", "b"),
        lambda: header_not_equals("a", "b", absent="accept"),
        lambda: header_in("a", ["b", "c"]),
        lambda: and_(header_equals("a", "b"), header_like("a", "c%")),
        lambda: or_(header_equals("a", "b"), header_like("a", "c%")),
    ]
    assert all(make() == make() and hash(make()) == hash(make()) for make in build)
    assert len({make() for make in build} | {make() for make in build}) == len(build)
    assert header_in("a", ["c", "b", "b"]) == header_in("a", ["b", "c"])
