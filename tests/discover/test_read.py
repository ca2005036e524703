"""What is found in files: conditions with their relations, places and SQL, and what is left out."""

from collections import Counter
from pathlib import Path

import pytest

from predicat.diagnostics.messages import discover as say
from predicat.discover.conditions import Condition, Refused
from predicat.discover.read import dialects
from predicat.discover.read import python as read_python
from predicat.discover.read.sql import SqlText, plain_place
from tests.discover import reading


def conditions(sql: str, dialect: str = "postgres") -> list[Condition]:
    return [row for row in found(sql, dialect) if isinstance(row, Condition)]


def reasons(sql: str, dialect: str = "postgres") -> list[str]:
    return [row.reason for row in found(sql, dialect) if isinstance(row, Refused)]


def found(sql: str, dialect: str) -> list[Condition | Refused]:
    return list(SqlText(sql, dialect, plain_place("a.sql", sql), {}).read())


def one(sql: str, dialect: str = "postgres") -> Condition:
    (row,) = conditions(sql, dialect)
    return row


@pytest.mark.parametrize(
    ("sql", "clause", "text"),
    [
        (
            "SELECT 1 FROM t WHERE (a = 1 OR b = 2) AND c IS NOT NULL",
            "where",
            "(a = 1 OR b = 2) AND c IS NOT NULL",
        ),
        ("DELETE FROM t WHERE a = 1", "where", "a = 1"),
        ("UPDATE t SET a = 2 WHERE a = 1", "where", "a = 1"),
        ("SELECT a FROM t GROUP BY a HAVING a = 1 AND count(*) > 2", "having", "a = 1"),
        ("SELECT count(*) FILTER (WHERE a = 1) FROM t", "filter", "a = 1"),
        ("SELECT 1 FROM t JOIN u ON t.id = u.id AND u.kind IN ('a', 'b')", "join", "u.kind IN ('a', 'b')"),
        ("CREATE TABLE t (a int CHECK (a > 0))", "check", "a > 0"),
        ("CREATE VIEW v AS SELECT 1 FROM t WHERE NOT a", "where", "NOT a"),
    ],
)
def test_clauses(sql: str, clause: str, text: str) -> None:
    row = one(sql)
    assert (row.clause, row.text) == (clause, text)
    assert sql[row.place.start : row.place.end] == text


def test_qualify_and_count_if_of_other_dialects() -> None:
    row = one("SELECT a FROM t QUALIFY row_number() OVER (ORDER BY b) = 1 AND a > 3", "snowflake")
    assert (row.clause, row.sql, row.whole) == ("qualify", "a > 3", False)
    assert one("SELECT COUNTIF(a > 3) FROM t", "bigquery").clause == "filter"


def test_a_name_that_the_parser_puts_together_has_no_place() -> None:
    catalog = "`x.y.INFORMATION_SCHEMA.COLUMNS`"
    sql = f"SELECT 1 FROM {catalog} WHERE a = 1 AND b IN (SELECT c FROM {catalog} WHERE d = 2)"
    rows = conditions(sql, "bigquery")
    assert [(row.text, row.whole) for row in rows] == [("a = 1", False), ("d = 2", True)]


def test_branches_of_a_case_are_numbered() -> None:
    rows = conditions("SELECT CASE WHEN a = 1 THEN 'x' WHEN a = 2 THEN 'y' END FROM t")
    assert [(row.sql, row.branches) for row in rows] == [("a = 1", (7, 0)), ("a = 2", (7, 1))]


def test_places_count_lines_and_columns() -> None:
    row = one("-- a comment\nSELECT 1\nFROM t\n  WHERE  a = 'x'\n")
    assert (row.place.line, row.place.column) == (4, 10)


@pytest.mark.parametrize("text", ["CAST(a AS NUMBER) > 1", "a::NUMBER(10, 2) > 1", "a::text <= CURRENT_DATE"])
def test_the_type_of_a_cast_has_no_place_of_its_own(text: str) -> None:
    row = one(f"SELECT a, b, c FROM t WHERE {text}", "snowflake")
    assert row.text == text


def test_a_condition_is_split_by_relation() -> None:
    rows = conditions("SELECT 1 FROM t JOIN s.u AS o ON true WHERE t.a = 1 AND o.b = 2 AND t.c = 3")
    assert [(row.relation, row.sql, row.whole, row.rendered) for row in rows] == [
        ("t", "a = 1 AND c = 3", False, True),  # another part is between: it cannot be replaced
        ("s.u", "b = 2", False, False),
    ]


def test_columns_are_followed_to_their_table() -> None:
    sql = """
    WITH orders AS (SELECT id, status AS st FROM shop.orders), recent AS (SELECT * FROM orders)
    SELECT 1 FROM recent AS r WHERE r.st = 'open'
    """
    row = one(sql)
    assert (row.relation, row.sql, row.derived) == ("shop.orders", "status = 'open'", False)
    row = one("SELECT 1 FROM (SELECT a, count(*) AS n FROM t GROUP BY a) AS g WHERE n > 3")
    assert (row.relation, row.derived) == ("g", True)


def test_columns_of_two_rows_of_one_table_are_kept_apart() -> None:
    sql = """
    WITH pairs AS (SELECT a.day AS one, b.day AS other FROM seen a JOIN seen b ON a.id = b.next)
    SELECT 1 FROM pairs WHERE one > other
    """
    assert [(row.relation, row.sql, row.derived) for row in conditions(sql)] == [
        ("pairs", "one > other", True)
    ]


def test_a_column_without_table_is_that_of_the_query_that_has_it() -> None:
    sql = """WITH x AS (SELECT id, a FROM t), y AS (SELECT id AS k, b FROM u)
    SELECT 1 FROM x JOIN y ON k = id WHERE b = 2"""
    assert [(row.relation, row.sql) for row in conditions(sql)] == [("u", "b = 2")]
    assert reasons("SELECT 1 FROM t JOIN u ON t.id = u.id WHERE a = 1") == [say.SEVERAL, say.WHOSE]


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SELECT 1 FROM t WHERE a IN (SELECT b FROM u)", say.SUBQUERY),
        ("SELECT 1 FROM t JOIN u ON t.a = u.a", say.SEVERAL),
        ("SELECT 1 FROM t LEFT JOIN u ON true WHERE u.id IS NULL", say.JOINED),
        ("SELECT a FROM t GROUP BY a HAVING max(b) > 3", say.AGGREGATE),
        ("SELECT 1 FROM t WHERE 1 = 1", say.NO_COLUMN),
        ("SELECT 1 FROM t WHERE a LIKE 'x\\_%'", say.BACKSLASH),
        ("SELECT FROM WHERE (", say.NOT_PARSED),
        ("SELECT 'a", say.NO_TOKENS),
        ("SELECT " + "(" * 100 + "1" + ")" * 100, say.TOO_DEEP),
    ],
)
def test_what_is_left_out_has_a_reason(sql: str, reason: str) -> None:
    assert reason in reasons(sql)


def test_a_broken_statement_hides_no_other() -> None:
    sql = "SELECT 1 FROM t WHERE a = 1; SELECT FROM WHERE; SELECT 1 FROM t WHERE b = 2"
    assert [row.sql for row in conditions(sql)] == ["a = 1", "b = 2"]
    assert reasons(sql) == [say.NOT_PARSED]


@pytest.mark.parametrize(
    ("sql", "dialect", "found"),
    [
        (
            "CREATE FUNCTION f(k STRING, n INT) RETURN (SELECT 1 FROM t WHERE a = k AND n > b)",
            "databricks",
            "a = :k AND :n > b",
        ),
        (
            "CREATE TEMP FUNCTION f(x ARRAY<INT64>, `Y` ANY TYPE) AS ((SELECT 1 FROM t WHERE a = y))",
            "bigquery",
            "a = :y",
        ),
        (
            "CREATE PROCEDURE p(IN x INT64) BEGIN DECLARE v, w DATE; SELECT 1 FROM t WHERE a = X AND b = w",
            "bigquery",
            "a = :x AND b = :w",
        ),
        ("DECLARE VARIABLE x INT; SELECT 1 FROM t WHERE a = x AND t.x = 1", "spark", "a = :x AND x = 1"),
        (
            "CREATE FUNCTION f(a INT) AS (WITH q AS (SELECT a FROM t) SELECT 1 FROM q WHERE a = 1)",
            "",
            "a = 1",
        ),
        ("CREATE FUNCTION f(a INT) AS (SELECT 1); SELECT 1 FROM t WHERE a = 1", "spark", "a = 1"),
    ],
)
def test_arguments_and_variables_are_parameters(sql: str, dialect: str, found: str) -> None:
    assert [row.sql for row in conditions(sql, dialect)] == [found]


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        (
            "SELECT 1 FROM t AS x WHERE x.device.os = 'a' AND x.device.v.n > 3",
            "device.os = 'a' AND device.v.n > 3",
        ),
        ("SELECT 1 FROM t WHERE a.b.c.d = 1", "a.b.c.d = 1"),
        ("SELECT 1 FROM t AS x JOIN u ON x.id = u.id WHERE x.device.os = 'a'", "device.os = 'a'"),
        ("SELECT 1 FROM s.t WHERE s.t.a = 1", "a = 1"),
        ("SELECT 1 FROM u WHERE EXISTS (SELECT 1 FROM t WHERE a = 1 AND u.b = 2)", "a = 1"),
    ],
)
def test_members_of_structs_are_told_from_rows_of_other_queries(sql: str, found: str) -> None:
    assert [(row.relation, row.sql) for row in conditions(sql, "bigquery")] in (
        [("t", found)],
        [("s.t", found)],
    )


def test_sql_is_that_which_predicat_reads() -> None:
    assert one("SELECT 1 FROM t WHERE `A` = @day AND x / 2 > 1", "bigquery").sql == (
        "a = :day AND CAST(x AS DOUBLE) / 2 > 1"
    )
    assert one("SELECT 1 FROM t AS o WHERE o.a = $1").params == {"p1": ""}
    rows = conditions("SELECT 1 FROM t WHERE IFF(a, b, c) AND d::int = 3", "snowflake")
    assert rows[0].sql == "CASE WHEN a THEN b ELSE c END AND CAST(d AS INT) = 3"


def test_batches_of_sql_server_are_statements() -> None:
    batch = "CREATE TABLE t (n int CHECK (n > 1))\r\nGO\r\n-- then\r\nSELECT 1 FROM t WHERE n = 2\n  go 5\n"
    rows = conditions(batch + "DELETE FROM t WHERE n > 3\nGO", "tsql")
    assert [(row.sql, row.place.line) for row in rows] == [("n > 1", 1), ("n = 2", 4), ("n > 3", 6)]


def test_models_of_sqlmesh(tmp_path: Path) -> None:
    model = "-- late\nMODEL (\n  name late, kind FULL, grain (a, b), audits (not_null(columns := (a)))\n);\n"
    text = f"{model}SELECT * FROM t WHERE day = @start_ds AND @AND(a, (b)) AND n > 1"
    (tmp_path / "late.sql").write_text(text)
    (tmp_path / "right.sql").write_text("AUDIT (name a);\nSELECT * FROM @this_model WHERE NOT n > @{least}")
    result = reading.read([tmp_path], "duckdb")
    assert [(row.sql, row.place.line) for row in result.conditions] == [
        ("day = :start_ds AND n > 1", 5),
        ("NOT n > :least", 2),
    ]
    assert not result.refused


def test_templates_keep_places(tmp_path: Path) -> None:
    model = """{{ config(materialized='table') }}
{%- set kinds = ['a', 'b'] %}
with o as (select * from {{ ref('orders') }}) {# a comment #}
select {% for x in kinds %} sum(case when kind = '{{ x }}' then 1 end) {{ "," if not loop.last }} {% endfor %}
from o where day >= '{{ var("start") }}' {% if is_incremental() %} and status <> 'x' {% endif %}
"""
    (tmp_path / "m.sql").write_text(model)
    rows = reading.read([tmp_path], "snowflake").conditions
    assert [(row.relation, row.sql) for row in rows] == [
        ("orders", "kind = 'a'"),
        ("orders", "kind = 'b'"),
        ("orders", "day >= :start AND status <> 'x'"),
    ]
    assert rows[2].params == {"start": ""} and rows[2].rendered
    assert model[rows[2].place.start :].startswith("day >=")
    assert (rows[2].place.line, rows[2].place.column) == (5, 14)
    (tmp_path / "m.sql").write_bytes(model.replace("\n", "\r\n").replace("\r", "", 1).encode())
    again = reading.read([tmp_path], "snowflake").conditions[2]
    assert (again.place.line, again.place.column, again.sql) == (5, 14, rows[2].sql)


@pytest.mark.parametrize(
    "template",
    [
        "select {{ 1 / 0 }}",
        "select {{ x | filter_of_nobody }}",
        "{% for i in range(100000) %}{% for j in range(100000) %}{{ i }}{% endfor %}{% endfor %}",
        "{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}",
        "select {{ ().__class__.__base__.__subclasses__() }} from t where a = 1",
        "{% if %}",
        "{% test a",
        "{% snapshot a %} x",
        "{{ 'x' * 10**12 }}",
    ],
)
def test_a_template_that_does_harm_is_left_out(tmp_path: Path, template: str) -> None:
    (tmp_path / "m.sql").write_text(template)
    (tmp_path / "n.sql").write_text("select 1 from t where a = 1")
    assert "a = 1" in [row.sql for row in reading.read([tmp_path]).conditions]


def test_values_that_are_made_differently_are_different_parameters(tmp_path: Path) -> None:
    (tmp_path / "dbt_project.yml").write_text("name: p\n")
    (tmp_path / "like.sql").write_text(
        "{% macro like(a, b) %}{{ adapter.dispatch('like', 'p')(a, b) }}{% endmacro %}"
        "{% macro fails(a) %}{{ 1 / 0 }}{% endmacro %}"
        "{% macro year() %} {{ var('year') }} {% endmacro %}"
    )
    pairs = [
        ("like('kind', \"'^a'\")", "like('kind', \"'^b'\")"),
        ("fails(1)", "fails(2)"),
        ("other.like('a', b=1)", "other.like('a', b=2)"),
        ("var('x', 1)", "var('x', 2)"),
        ("var('x')", "var('x') + 1"),
        ("var('x') | int", "var('x')"),
        ("var('x') | replace('a', 'b')", "var('x') | replace('a', 'c')"),
        ("year() + 1", "year() | float"),
        ("var('x')['a']", "var('x')['b']"),
        ("var('x') - 1", "1 - var('x')"),
        ("ref('a').rows", "ref('b').rows"),
        ("run_query('select 1').rows", "run_query('select 2').rows"),
        ("'%999999d' | format(1)", "'%999999d' | format(2)"),
        ("'%*d' % (999999, 1)", "'%*d' % (999999, 2)"),
    ]
    for one, other in pairs:
        (tmp_path / "m.sql").write_text(
            f"select 1 from t where a = {{{{ {one} }}}} and b = {{{{ {other} }}}}"
        )
        (row,) = reading.read([tmp_path]).conditions
        assert len(row.params) == 2, (one, other, row.sql)
    (tmp_path / "m.sql").write_text(
        "select 1 from t where a = {{ like('k', 'a b') }} or a = {{ like('k', 'a b') }}"
    )
    (row,) = reading.read([tmp_path]).conditions
    assert len(row.params) == 1
    call = "{% call other.unknown() %}a{% endcall %}"
    for text in (call, "{% macro calls() %}" + call + "{% endmacro %}{{ calls() }}"):
        (tmp_path / "m.sql").write_text(f"select 1 from t where a = {text}")
        (row,) = reading.read([tmp_path]).conditions
        assert len(row.params) == 1, text


def test_a_macro_returns_what_it_returns_in_dbt(tmp_path: Path) -> None:
    (tmp_path / "dbt_project.yml").write_text("name: p\n")
    (tmp_path / "macros.sql").write_text(
        "{% macro kinds() %}{{ return([{'name': 'a'}, {'name': 'b'}]) }}, not this{% endmacro %}"
        "{% macro all_kinds() %}{% set own = kinds() %}{{ return(own + [{'name': 'c'}]) }}{% endmacro %}"
        "{% macro settings() %}{% do return({'tags': ['x']}) %}{% endmacro %}"
        "{% macro rows() %}{{ return([]) }}{% endmacro %}"
    )
    (tmp_path / "m.sql").write_text(
        "{{ config(**settings()) }}{{ config(**of_nobody()) }}\n"
        "select 1 from t where k = 'z' {% for kind in all_kinds() %} or k = '{{ kind.name }}' {% endfor %}"
        "{% for row in rows() %} or k = {{ row }} {% endfor %}"
        "{% for key, value in var('x').items() %} or {{ key }} = {{ value }} {% endfor %}"
        "{% for i in range(var('n') | int) %} or n = {{ i }} {% endfor %}"
    )
    (row,) = reading.read([tmp_path]).conditions
    assert row.sql == ("k = 'z' OR k = 'a' OR k = 'b' OR k = 'c' OR k = :rows OR :x_key = :x_item OR n = 0")


@pytest.mark.parametrize(
    ("template", "sql"),
    [
        ("{% if v == 'x' %} and k = 1 {% endif %}{% if v == 'y' %} and k = 2 {% endif %}", "k = 1"),
        ("{% if v in ['x'] %} and k = 1 {% endif %}{% if v in ['y'] %} and k = 2 {% endif %}", "k = 1"),
        ("{% if v != 'x' %} and k = 1 {% endif %}{% if v == 'x' %} and k = 2 {% endif %}", "k = 2"),
        ("{% if v == false %} and k = 1 {% endif %}{% if v %} and k = 2 {% endif %}", "k = 1"),
        ("{% if v == 'x' %} and k = 1 {% endif %}{% if u == 'y' %} and m = 2 {% endif %}", "k = 1 AND m = 2"),
        ("{% for i in [1, 12] %} and {{ 'c%03d' | format(i) }} = 1 {% endfor %}", "c001 = 1 AND c012 = 1"),
        ("{% for i in [1, 2] %} and {{ 'c%d' % i }} = 1 {% endfor %}", "c1 = 1 AND c2 = 1"),
    ],
)
def test_a_template_is_read_as_it_may_run(tmp_path: Path, template: str, sql: str) -> None:
    (tmp_path / "m.sql").write_text(f"select 1 from t where a = 1 {template}")
    assert [row.sql for row in reading.read([tmp_path]).conditions] == [f"a = 1 AND {sql}"]


def test_dialects_are_configured_or_tried(tmp_path: Path) -> None:
    for name, content in {
        "a/.sqlfluff": "[sqlfluff]\ndialect = sparksql\n",
        "a/deep/x.sql": "select 1 from t where a = 1",
        "b/dbt_project.yml": "name: b\nprofile: p\n",
        "b/profiles.yml": "p: {target: dev, outputs: {dev: {type: snowflake}}}\n",
        "b/x.sql": "select 1 from t where a = 1",
        "d/predicat.yml": "catalog: d\ndiscover: {dialect: trino}\n",
        "d/x.sql": "select 1 from t where a = 1",
        "c/x.sql": "select 1 from `p-q.d.t` where a = 1 and SAFE_CAST(b AS INT64) = 2",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    assert reading.read([tmp_path / name for name in "abcd"]).dialects == Counter(
        {"spark": 1, "snowflake": 1, "bigquery": 1, "trino": 1}
    )
    whole = [name for name in dialects.TRIED if dialects.score("select 1 from `p-q.d.t`", name)[0]]
    assert whole == ["bigquery"]


@pytest.mark.parametrize("searched", ["models", "models/deep/m.sql"])
def test_a_part_of_a_repository_has_its_project_above(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, searched: str
) -> None:
    for name, content in {
        ".git/HEAD": "",
        "dbt_project.yml": "name: p\nmacro-paths: [macros, ../outside, [no]]\n",
        ".sqlfluff": "[sqlfluff]\ndialect = bigquery\n",
        "macros/m.sql": "{% macro large() %}amount > 1000{% endmacro %}",
        "models/deep/m.sql": "select 1 from {{ ref('orders') }} where {{ large() }}",
        "../outside/n.sql": "{% macro large() %}amount > 2000{% endmacro %}",
    }.items():
        (tmp_path / "p" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "p" / name).write_text(content)
    monkeypatch.chdir(tmp_path / "p")
    found = reading.read([Path(searched)])
    assert [(row.place.path, row.sql) for row in found.conditions] == [("models/deep/m.sql", "amount > 1000")]
    assert found.dialects == Counter({"bigquery": 1})


def test_links_that_lead_out_of_a_folder_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside.sql").write_text("select 1 from t where a = 1")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "x.sql").symlink_to(tmp_path / "outside.sql")
    (inside / "up").symlink_to(tmp_path)
    assert not reading.read([inside]).files


@pytest.mark.parametrize(("before", "after"), [("(", ")"), ("CASE WHEN ", " THEN b END")])
def test_sqlglot_does_not_read_what_is_nested_too_deeply(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str, after: str
) -> None:
    """Its compiled parser may end the process."""
    nested = before * 400 + "b" + after * 400
    (tmp_path / "x.sql").write_text(f"select 1 from t where {nested}")
    (tmp_path / "y.py").write_text(f"df = df.where({nested!r})")
    monkeypatch.setattr(read_python, "parse_one", lambda *_, **__: pytest.fail("sqlglot was asked"))
    result = reading.read([tmp_path])
    assert not result.conditions
    assert [item.reason for item in result.refused] == [say.TOO_DEEP]


def test_files_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "x.sql").write_bytes(b"select \xff")
    (tmp_path / "y.sql").write_bytes(b"\xef\xbb\xbfselect 1 from t where a = 1")
    (tmp_path / "z.sql").write_text(" " * 3_000_000)
    result = reading.read([tmp_path])
    assert [row.sql for row in result.conditions] == ["a = 1"]
    assert {row.reason for row in result.refused} == {say.NOT_UTF8, say.TOO_LARGE}


def test_a_switch_is_no_part_of_a_rule() -> None:
    row = one("SELECT 1 FROM t WHERE false AND a = 1 AND b = 2")
    assert (row.sql, row.text, row.whole) == ("a = 1 AND b = 2", "a = 1 AND b = 2", False)


def test_the_parser_may_fail_in_any_way() -> None:
    assert reasons("CREATE TABLE a PARTITION OF b FOR VALUES c; SELECT 1", "postgres") == [say.NOT_PARSED]


def test_a_statement_that_sqlglot_takes_as_it_is_is_counted() -> None:
    task = "CREATE TASK t AS SELECT * FROM u WHERE b = 1"
    assert reasons(task, "snowflake") == [say.NOT_PARSED]
    assert reasons("SHOW GRANT ON TABLE t", "databricks") == []
