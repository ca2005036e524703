"""Views in PostgreSQL: created in one transaction, or not at all."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import predicat
from predicat.deploy import server
from predicat.deploy.deployment import Plan, apply
from predicat.diagnostics import PredicatError

CATALOG = """\
apiVersion: predicat/v1
dataset: people
relation: {postgres: public.people}
fields: {name: string, age: {type: bigint, column: "Age of person"}}
filters:
  adult: {description: "It's of age", owner: me, sql: "age >= 18"}
  named: {cel: 'name != null'}
  unsure: {sql: "age > 30", on_unknown: accept}
  needs: {sql: "age > :x", params: {x: bigint}}
"""


def done(plan: Plan) -> list[str]:
    return [f"{step.action} {step.shown}" for step in plan.changes]


@pytest.fixture
def catalog(tmp_path: Path) -> predicat.Catalog:
    (tmp_path / "c.yml").write_text(CATALOG)
    return predicat.load_catalog(tmp_path)


@pytest.fixture
def people(postgres: Any) -> Any:
    postgres.execute('CREATE TABLE public.people (name text, "Age of person" int)')
    postgres.execute("INSERT INTO public.people VALUES ('a', 18), ('b', 17), (NULL, NULL), ('d', 40)")
    yield postgres
    postgres.execute("DROP TABLE IF EXISTS public.people CASCADE")


def test_views(catalog: predicat.Catalog, people: Any) -> None:
    assert done(apply(catalog, people, "tests")) == [
        "create public.people__adult",
        "create public.people__named",
        "create public.people__unsure",
    ]
    assert done(apply(catalog, people, "tests")) == []
    count = {
        name: people.execute(f"SELECT count(*) FROM public.{name}").fetchone()[0]
        for name in ("people__adult", "people__named", "people__unsure")
    }
    assert count == {"people__adult": 2, "people__named": 3, "people__unsure": 2}
    comment = people.execute("SELECT obj_description('public.people__adult'::regclass)").fetchone()[0]
    assert comment.startswith(
        "predicat: It's of age. Version 1. Owner me.\n[predicat/1 catalog=tests dataset=people "
        "filter=adult hash="
    )


BACKSLASHES = [
    "\\",
    "\\'",
    "' OR TRUE --",
    "\\' OR TRUE --",
    "a\\b",
    "\\\\",
    "\\n",
    "\n",
    "%\\",
    '"',
    "\"'\\",
]


def test_texts_are_read_alike_where_a_session_reads_backslashes_as_escapes(
    people: Any, tmp_path: Path
) -> None:
    (tmp_path / "c.yml").write_text(
        CATALOG.replace("It's of age", "It's \\\\of age").replace(
            "name != null", 'name.matches("^[a-c]$") && !name.contains("\\\\")'
        )
    )
    people.execute(
        "SET standard_conforming_strings = off; SET backslash_quote = on; SET escape_string_warning = off"
    )
    try:
        apply(predicat.load_catalog(tmp_path), people, "tests")
        assert [
            row[0] for row in people.execute("SELECT name FROM public.people__named ORDER BY 1").fetchall()
        ] == ["a", "b"]
        comment = people.execute("SELECT obj_description('public.people__adult'::regclass)").fetchone()[0]
        assert comment.startswith("predicat: It's \\of age. Version 1. Owner me.\n")
        assert people.execute("SELECT length('\\t')").fetchone()[0] == 1
        for value in BACKSLASHES:
            conditions = [f"s {op} {said(value)}" for op in ("==", "<")]
            conditions += [f"s.{name}({said(value)})" for name in ("contains", "startsWith", "endsWith")]
            conditions += [
                f"s.matches({said(re.escape(value))})",
                f"s.replace({said(value)}, {said(value * 2)}) == s",
                f"s.split({said(value)}).size() == 2",
            ]
            for condition in conditions:
                predicate = predicat.parse(condition, "cel", {"s": "string"})
                for own in [*BACKSLASHES, "b"]:
                    query = f"SELECT {predicate.sql('postgres')} FROM (SELECT %s::text AS s) AS t".replace(
                        "%", "%%"
                    ).replace("%%s", "%s", 1)
                    assert people.execute(query, (own,)).fetchone()[0] == predicate.evaluate({"s": own}), (
                        condition,
                        own,
                    )
    finally:
        people.execute(
            "RESET standard_conforming_strings; RESET backslash_quote; RESET escape_string_warning"
        )


def said(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


@pytest.mark.parametrize(
    ("column", "problem"),
    [
        ("text", "text COLLATE"),
        ("text[]", r"text\[\] COLLATE"),
        ("folded_text", "text COLLATE"),
        ("folded_row", "public.folded_row"),
    ],
)
def test_collations_that_hold_other_texts_equal_are_refused(
    postgres: Any, tmp_path: Path, column: str, problem: str
) -> None:
    postgres.execute("CREATE COLLATION folded (provider = libc, locale = 'C')")
    # As CREATE COLLATION (provider = icu, deterministic = false) would: not every server is built with ICU.
    postgres.execute("UPDATE pg_collation SET collisdeterministic = false WHERE collname = 'folded'")
    postgres.execute(
        "CREATE DOMAIN folded_text AS text COLLATE folded; CREATE TYPE folded_row AS (s text COLLATE folded)"
    )
    postgres.execute(
        f"CREATE TABLE public.people (name {column} {'COLLATE folded' if column.startswith('text') else ''})"
    )
    kind = {"text[]": "array<string>", "folded_row": '"struct<s: string>"'}.get(column, "string")
    (tmp_path / "c.yml").write_text(
        "apiVersion: predicat/v1\ndataset: people\nrelation: {postgres: public.people}\nfields: "
        f"{{name: {kind}}}\nfilters: {{named: {{sql: name IS NOT NULL}}}}\n"
    )
    try:
        with pytest.raises(PredicatError, match=f"has {problem}.* in its column 'name'"):
            apply(predicat.load_catalog(tmp_path), postgres, "tests")
    finally:
        postgres.execute(
            "DROP TABLE public.people; DROP TYPE folded_row; DROP DOMAIN folded_text; DROP COLLATION folded"
        )


def test_a_database_in_another_encoding_is_refused(catalog: predicat.Catalog, people: Any) -> None:
    import psycopg

    people.execute(
        "CREATE DATABASE bytes ENCODING 'SQL_ASCII' TEMPLATE template0 LOCALE 'C' LOCALE_PROVIDER libc"
    )
    try:
        with psycopg.connect(people.info.dsn, dbname="bytes", password=people.info.password) as other:
            other.execute('CREATE TABLE public.people (name text, "Age of person" int)')
            other.commit()
            with pytest.raises(PredicatError, match="encoding SQL_ASCII"):
                apply(catalog, other, "tests")
    finally:
        people.execute("DROP DATABASE bytes")


def test_views_of_filters_that_are_gone_are_dropped(
    catalog: predicat.Catalog, people: Any, tmp_path: Path
) -> None:
    apply(catalog, people, "tests")
    people.execute("CREATE VIEW public.people__mine AS SELECT * FROM public.people")
    (tmp_path / "c.yml").write_text(CATALOG.replace("  named: {cel: 'name != null'}\n", ""))
    assert done(apply(predicat.load_catalog(tmp_path), people, "tests")) == ["drop public.people__named"]
    found = people.execute(
        "SELECT viewname FROM pg_views WHERE schemaname = 'public' AND viewname LIKE 'people%' ORDER BY 1"
    ).fetchall()
    assert [row[0] for row in found] == ["people__adult", "people__mine", "people__unsure"]


NO_BIGINT = r"in its column 'Age of person', which the catalog declares as bigint.*people.adult"
NO_STRING = "in its column 'name', which the catalog declares as string"


@pytest.mark.parametrize(
    ("name", "age", "problem"),
    [
        ("varchar(20)", "numeric(10,2)", NO_BIGINT),
        ("varchar(20)", "smallint", None),
        ("varchar(20)", "text", NO_BIGINT),
        ("varchar(20)", "bigint", None),
        # 'abc   ' LIKE '%c' is FALSE there, but = 'abc' is TRUE.
        ("char(20)", "bigint", NO_STRING),
        ("bpchar", "bigint", NO_STRING),
        ("char(1)", "bigint", None),
        ("text", "bigint", None),
    ],
)
def test_column_types_are_compared_with_the_declared_ones(
    catalog: predicat.Catalog, postgres: Any, name: str, age: str, problem: str | None
) -> None:
    postgres.execute(f'CREATE TABLE public.people (name {name}, "Age of person" {age})')
    try:
        if problem is None:
            assert apply(catalog, postgres, "tests")
        else:
            with pytest.raises(predicat.PredicatError, match=problem):
                apply(catalog, postgres, "tests")
    finally:
        postgres.execute("DROP TABLE public.people CASCADE")


NESTED = """\
apiVersion: predicat/v1
dataset: parcels
relation: {postgres: public.parcels}
fields:
  id: bigint
  of: "struct<who: string, limit_: decimal(10,2)>"
  items: "array<struct<sku: string, qty: bigint>>"
  attributes: array<map<string, bigint>>
  parts: "map<string, struct<since: date>>"
filters:
  rich: {sql: "of.limit_ > 99.5"}
  two: {cel: 'items.exists(i, i.sku == "a" && i.qty > 1)'}
  set: {cel: 'attributes.exists(a, has(a.k) && a.k == 3)'}
  old: {sql: "parts['k'].since < DATE '2020-01-01'"}
"""


@pytest.mark.parametrize(
    ("limit", "problem"),
    [("numeric(10,2)", None), ("parcel_price", None), ("text", "has public.parcel_of in its column 'of'")],
)
def test_nested_columns(postgres: Any, tmp_path: Path, limit: str, problem: str | None) -> None:
    drop = (
        "DROP TABLE IF EXISTS public.parcels CASCADE; DROP TYPE IF EXISTS parcel_of, parcel_item; DROP "
        "DOMAIN IF EXISTS parcel_price"
    )
    postgres.execute("CREATE DOMAIN parcel_price AS numeric(10,2) CHECK (VALUE >= 0)")
    postgres.execute(
        f"CREATE TYPE parcel_of AS (who text, limit_ {limit}); CREATE TYPE parcel_item AS (sku "
        "varchar(9), qty int)"
    )
    postgres.execute(
        "CREATE TABLE public.parcels (id bigint, of parcel_of, items parcel_item[], attributes "
        "jsonb[], parts jsonb)"
    )
    (tmp_path / "c.yml").write_text(NESTED)
    catalog = predicat.load_catalog(tmp_path)
    try:
        if problem is not None:
            with pytest.raises(PredicatError, match=problem):
                apply(catalog, postgres, "tests")
            return
        apply(catalog, postgres, "tests")
        postgres.execute("""
            INSERT INTO public.parcels VALUES (1, ('a', 99.6), ARRAY[('a', 2)]::parcel_item[],
              ARRAY['{"k": 3}'::jsonb], '{"k": {"since": "2019-12-31"}}'),
            (2, (NULL, NULL), ARRAY[NULL, ('a', 1)]::parcel_item[], ARRAY['{"k": "x"}'::jsonb, 'null'],
              '{"k": {"since": "tomorrow"}}'), (3, NULL, NULL, NULL, '[1]')""")
        for name in ("rich", "two", "set", "old"):
            assert postgres.execute(f"SELECT array_agg(id) FROM public.parcels__{name}").fetchone()[0] == [
                1
            ], name
    finally:
        postgres.execute(drop)


def test_all_or_nothing(catalog: predicat.Catalog, people: Any) -> None:
    people.execute("CREATE TABLE public.people__named (x int)")
    try:
        with pytest.raises(
            predicat.PredicatError,
            match=r"public.people__named is a table; predicat does not change it",
        ):
            apply(catalog, people, "tests")
        assert people.execute("SELECT to_regclass('public.people__adult')").fetchone()[0] is None
    finally:
        people.execute("DROP TABLE public.people__named")


def test_missing_relation_and_columns_are_found_before_any_change(
    catalog: predicat.Catalog, people: Any
) -> None:
    people.execute('ALTER TABLE public.people RENAME "Age of person" TO age')
    with pytest.raises(
        predicat.PredicatError, match=r"no column 'Age of person'.*people.adult, people.needs, people.unsure"
    ):
        apply(catalog, people, "tests")
    people.execute("ALTER TABLE public.people RENAME TO persons")
    with pytest.raises(predicat.PredicatError, match=r"no relation 'public.people'"):
        apply(catalog, people, "tests")
    people.execute("DROP TABLE public.persons")


def test_names_that_postgresql_would_cut_are_refused(people: Any, tmp_path: Path) -> None:
    (tmp_path / "c.yml").write_text(
        CATALOG.replace("  adult:", f"  {'a' * 55}:").replace("  named:", f"  {'b' * 56}:")
    )
    with pytest.raises(PredicatError, match=r"people__b{56}: 64 characters; PostgreSQL keeps 63") as caught:
        apply(predicat.load_catalog(tmp_path), people, "tests")
    assert len(caught.value.diagnostics) == 1


def test_views_of_two_filters_do_not_share_a_name(tmp_path: Path) -> None:
    (tmp_path / "c.yml").write_text(CATALOG.replace("  named:", "  old__one:"))
    (tmp_path / "d.yml").write_text(
        CATALOG.replace("dataset: people", "dataset: people__old").replace("  named:", "  one:")
    )
    with pytest.raises(PredicatError, match=r"of people\.old__one have the same name, people__old__one"):
        predicat.load_catalog(tmp_path)


def test_the_folder_of_the_embedded_server(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(
        PredicatError, match=r"the embedded PostgreSQL server in .* failed: .*Not a directory"
    ):
        server.embedded(tmp_path / "file" / "below" / "data")
