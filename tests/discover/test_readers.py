"""Conditions in programs, in files of dbt and in manifests, and the types that a repository tells."""

import json
from pathlib import Path

import pytest

from predicat import load_catalog
from predicat.diagnostics import Source
from predicat.diagnostics.messages import discover as say
from predicat.discover.conditions import Condition, Refused
from predicat.discover.read import python, scala
from predicat.discover.read.looker_filters import NotExact, filter_sql
from predicat.discover.read.types import TableTypes, kind_of
from predicat.exporting.asked import Asked
from predicat.exporting.targets import TARGETS
from tests.discover import reading
from tests.exporting.written import write

PROGRAM = """
from pyspark.sql import functions as F
df = spark.table("sales.orders")
a = df.where("amount > 3 and status <> 'x'")
b = df.limit(9).filter((F.col("a") == 1) & ~F.col("b").isin("x", "y") | df["q"].isNull())
c = spark.sql(f"select * from t where day = '{day}' and k in (1, 2)")
d = numbers.filter(lambda number: number > 1)
e = df.filter(F.lower("name").like("%mp%") & (F.col("d") >= F.lit(start)))
f = df.filter(check(F.col("x"), strict=True))
f = df.filter(F.col(Names.kind) == "x")
f = df.filter(F.col(f"{part}_id").isNotNull())
g = df.withColumn("h", F.when(F.col("i").between(1, 2) & F.col("j").cast("int").isNotNull(), 1))
"""


def of_program(text: str) -> tuple[list[Condition], list[Refused]]:
    rows = sorted(
        python.conditions(Source("p.py", text), {}, lambda _: "postgres"), key=lambda row: row.place.start
    )
    return [row for row in rows if isinstance(row, Condition)], [
        row for row in rows if isinstance(row, Refused)
    ]


def test_pyspark() -> None:
    rows, left = of_program(PROGRAM)
    assert [(row.relation, row.sql) for row in rows] == [
        ("sales.orders", "amount > 3 AND status <> 'x'"),
        ("sales.orders", "(((a = 1) AND NOT ((b IN ('x', 'y')))) OR (q IS NULL))"),
        ("t", "day = :day AND k IN (1, 2)"),
        ("sales.orders", "((LOWER(name) LIKE '%mp%') AND (d >= :start))"),
        (None, "((i BETWEEN 1 AND 2) AND (NOT TRY_CAST(j AS INT) IS NULL))"),
    ]
    assert [(row.reason, row.text) for row in left] == [
        (say.NOT_LITERAL, 'check(F.col("x"), strict=True)'),
        (say.NOT_LITERAL, 'F.col(Names.kind) == "x"'),
        (say.NOT_LITERAL, 'F.col(f"{part}_id").isNotNull()'),
    ]


def test_what_functions_take_as_texts_is_no_column() -> None:
    rows, left = of_program(
        "import pyspark\na = df.filter(F.date_format('day', 'yyyy') == F.col('y'))\n"
        "b = df.filter(F.concat_ws('-', 'a', 'b').startswith('x') & (F.col('n').cast(LongType()) > 1))\n"
        "c = df.filter((F.col('d') >= day(1 + 2)) & (F.col('d') < day(1 - 2)))\n"
    )
    assert [row.text for row in rows] == [
        "(date_format(`day`, 'yyyy') = `y`)",
        "(startswith(concat_ws('-', `a`, `b`), 'x') AND (CAST(`n` AS bigint) > 1))",
        "((`d` >= day((1 + 2))) AND (`d` < day((1 - 2))))",
    ]
    assert left == []


def test_expectations_in_python() -> None:
    text = (
        "import dlt\nfrom pyspark import pipelines as dp\n"
        "RULES = {'a': 'n > 5', 'b': f'day = {day}'}\n"
        "@dlt.table(name='clean.orders')\n@dlt.expect('id', 'id IS NOT NULL')\n"
        "@dlt.expect_or_drop('s', \"s = 'open'\")\ndef orders():\n    pass\n"
        "@dp.materialized_view\n@dp.expect_all_or_fail(RULES)\n@dp.expect_all(load())\n"
        "def late():\n    pass\n"
        "dp.create_streaming_table('raw', expect_all_or_drop={'c': 'k IN (1, 2)'})\n"
    )
    rows, left = of_program(text)
    assert [(row.clause, row.relation, row.sql) for row in rows] == [
        ("test", "late", "n > 5"),
        ("test", "late", "day = :day"),
        ("test", "clean.orders", "NOT id IS NULL"),
        ("test", "clean.orders", "s = 'open'"),
        ("test", "raw", "k IN (1, 2)"),
    ]
    assert [(row.reason, row.text) for row in left] == [(say.NOT_LITERAL, "load()")]
    assert [(row.place.line, row.place.column) for row in rows if not row.rendered] == [
        (3, 16),
        (5, 20),
        (6, 27),
        (14, 60),
    ]


def test_expectations_in_sql(tmp_path: Path) -> None:
    text = """CREATE OR REFRESH STREAMING LIVE TABLE clean (
  id INT,
  CONSTRAINT `an id` EXPECT (id IS NOT NULL) ON VIOLATION DROP ROW,
  CONSTRAINT ok EXPECT (n > 5 AND s = 'open') ON VIOLATION FAIL UPDATE,
  CONSTRAINT seen EXPECT (k < 3)
) COMMENT "clean" TBLPROPERTIES ("quality" = "silver")
AS SELECT * FROM STREAM(LIVE.raw) r WHERE r.kind = (1 + 1);
CREATE LIVE VIEW late AS SELECT * FROM STREAM raw WHERE n > 2;
CREATE FLOW f AS INSERT INTO t BY NAME SELECT * FROM v WHERE m = 4;
CREATE TABLE t (stream INT, CHECK (stream > 1));
CREATE TABLE u (live INT, CONSTRAINT x CHECK (live > 1));
APPLY CHANGES INTO clean FROM STREAM(LIVE.raw) KEYS (id) APPLY AS DELETE WHEN op = 'd' AND n > 6
  SEQUENCE BY at COLUMNS * EXCEPT (op);
CREATE FLOW g AS AUTO CDC INTO t FROM STREAM v KEYS (id) APPLY AS DELETE WHEN gone
  APPLY AS TRUNCATE WHEN k = 1;
"""
    (tmp_path / "a.sql").write_text(text)
    result = reading.read([tmp_path], "databricks")
    assert [(row.clause, row.relation, row.sql) for row in result.conditions] == [
        ("test", "clean", "NOT id IS NULL"),
        ("test", "clean", "n > 5 AND s = 'open'"),
        ("test", "clean", "k < 3"),
        ("where", "LIVE.raw", "kind = (1 + 1)"),
        ("where", "raw", "n > 2"),
        ("where", "v", "m = 4"),
        ("check", "t", "stream > 1"),
        ("check", "u", "live > 1"),
        ("where", "LIVE.raw", "op = 'd' AND n > 6"),
        ("where", "v", "gone"),
    ]
    assert not result.refused
    for row in result.conditions:
        assert text[row.place.start : row.place.end] == row.text


SCALA = """
import org.apache.spark.sql.functions._
// df.filter($"comment" === 1)
val orders = spark.table("sales.orders").cache()
val a = orders.filter($"status" === "it's" && col("n") > 5L || !'gone.isNull)
val b = orders.where(orders("a") isin ("x", "y")).filter(not(df.col("q") <=> lit(null)))
val c = rows.filter(row => row.n > 1).filter(_.isOpen)
val d = df.filter(lower($"name").like("%mp%") && ($"d" >= lit(start) or $"e" =!= f.min - 1 * 2))
val e = df.filter(check($"x", strict = true))
val g = df.withColumn("h", when($"i".between(1, 2) && $"j".cast(LongType).isNotNull, 1).otherwise(2))
val h = df.where(\"\"\"k = 1
    |and l = 2\"\"\".stripMargin).where(s"m = '$day'").where("n = " + o)
val i = df.filter($"p" contains "x" and $"r".isin(Seq(1, 2): _*)).filter($"s" > of("a") && $"s" < of("b"))
val j = df.filter($"t" < Day.of(1) && $"t" > Day.of(2) && hour($"t") === 7)
DeltaTable.forName("u").delete("u > 5")
"""


def test_chains_of_columns_in_scala() -> None:
    rows = list(scala.conditions(Source("p.scala", SCALA), {}))
    found = [row for row in rows if isinstance(row, Condition)]
    assert [(row.clause, row.relation, row.text) for row in found] == [
        (
            "where",
            "sales.orders",
            "(((`status` = 'it\\'s') AND (`n` > 5)) OR (NOT ((`gone` IS NULL))))",
        ),
        ("where", "sales.orders", "(`a` IN ('x', 'y'))"),
        ("where", "sales.orders", "(NOT ((`q` <=> NULL)))"),
        (
            "where",
            None,
            "((lower(`name`) LIKE '%mp%') AND (((`d` >= :start) OR (`e` <> (:f_min - (1 * 2))))))",
        ),
        ("case", None, "((`i` BETWEEN 1 AND 2) AND (CAST(`j` AS bigint) IS NOT NULL))"),
        ("where", None, "k = 1\n     and l = 2"),
        ("where", None, "m = :day"),
        ("where", None, "(contains(`p`, 'x') AND (`r` IN (1, 2)))"),
        ("where", None, "((`s` > of('a')) AND (`s` < of('b')))"),
        (
            "where",
            None,
            "(((`t` < :day_of_1_8afed7fb) AND (`t` > :day_of_2_a1d38438)) AND (hour(`t`) = 7))",
        ),
        ("where", None, "u > 5"),
    ]
    left = [row for row in rows if isinstance(row, Refused)]
    assert [(row.reason, row.text) for row in left] == [(say.NOT_LITERAL, 'check($"x", strict = true)')]
    first = found[0].place
    assert (first.line, first.column) == (5, 23)
    assert SCALA[first.start : first.end] == """$"status" === "it's" && col("n") > 5L || !'gone.isNull"""


@pytest.mark.parametrize(
    "text",
    ['df.filter($"a" ===', "df.filter(" + "(" * 3000 + '$"a")', "df.filter(!" + "!" * 9 + '$"a")', '"""'],
)
def test_scala_that_cannot_be_read(text: str) -> None:
    assert not [row for row in scala.conditions(Source("p.scala", text), {}) if isinstance(row, Condition)]


def test_a_name_that_is_assigned_again_is_what_it_was_before_its_use() -> None:
    rows, _ = of_program(
        "df = spark.table('a'); df.where('x = 1')\ndf = df.where('y = 2')\ndf = spark.table('b')\n"
        "df.where('z = 3')\n"
    )
    assert [(row.relation, row.sql) for row in rows] == [("a", "x = 1"), ("a", "y = 2"), ("b", "z = 3")]


DAG = """
import pandas as pd
LATE = "select * from orders where shipped_at is null and days > 3"
check = SQLExecuteQueryOperator(task_id="check", conn_id="shop", sql=LATE)
both = PostgresOperator(task_id="b", sql=["DELETE FROM carts WHERE state = 'gone'", "VACUUM carts"])
frame = pd.read_sql(f"SELECT * FROM users WHERE country = '{country}' AND NOT closed", engine)
cursor.execute("SELECT id FROM users WHERE email = %s AND age > %(age)s", (mail,))
cursor.execute("SELECT id FROM users WHERE born >= %s AND born < %s", days)
session.execute(text("select 1 from users u join plans p on p.id = u.plan and p.price > 0"))
print(query="where nothing is")
mail.execute("tell me where you are")
"""


def test_statements_that_calls_are_given() -> None:
    rows, left = of_program(DAG)
    assert [(row.relation, row.sql) for row in rows] == [
        ("orders", "shipped_at IS NULL AND days > 3"),
        ("carts", "state = 'gone'"),
        ("users", "country = :country AND NOT closed"),
        ("users", "email = :value AND age > :age"),
        ("users", "born >= :value AND born < :value_1"),
        ("plans", "price > 0"),
    ]
    assert [row.text for row in left] == ["p.id = u.plan"]
    assert {row.place.line for row in rows} == {3, 5, 6, 7, 8, 9}
    assert DAG[rows[4].place.start : rows[4].place.end] == "born >= %s AND born < %s"


AIRFLOW = """
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator as Run
a = Run(task_id="a", sql="SELECT * FROM orders WHERE day = '{{ ds }}' AND n > {{ params.least }}")
b = Run(task_id="b", sql=[f"DELETE FROM {{{{ params.t }}}} WHERE k = {k} AND s = '{{{{ var.value.s }}}}'"])
c = BigQueryInsertJobOperator(task_id="c", configuration={"query": {"query": \'\'\'
  -- the last week
  SELECT * FROM visits
  {% if params.all %}WHERE day >= '{{ macros.ds_add(ds, -7) }}' AND day < '{{ macros.ds_add(ds, 1) }}'
    AND k > '{{ x | ts }}' AND k < '{{ x }}'{% endif %}\'\'\',
  "useLegacySql": False}})
d = Run(task_id="d", sql="SELECT * FROM orders WHERE day = '{{ ds'")
e = Run(task_id="e", sql="days.sql")
"""


def test_templates_of_airflow_have_parameters(tmp_path: Path) -> None:
    (tmp_path / "dag.py").write_text(AIRFLOW)
    (tmp_path / "days.sql").write_text("DELETE FROM days WHERE day < '{{ ds }}' AND kind = 3\n")
    result = reading.read([tmp_path], "bigquery")
    assert [(row.relation, row.sql) for row in result.conditions] == [
        ("orders", "day = :ds AND n > :params_least"),
        ("predicat_param_params_t", "k = :k AND s = :value_s"),
        (
            "visits",
            "day >= :macros_ds_add_ds__7_2c6dbf8f AND day < :macros_ds_add_ds_1 AND k > :x_ts AND k < :x",
        ),
        ("days", "day < :ds AND kind = 3"),
    ]
    assert [row.reason for row in result.refused] == [say.NOT_RENDERED]
    assert (result.conditions[0].place.line, result.conditions[0].place.column) == (3, 54)


def test_statements_in_constants() -> None:
    rows, _ = of_program(
        "TABLE = 'shop.orders'\nDAY = '2026-01-01'\nDAY = today()\n"
        "QUERY = f\"select * from {TABLE} where status = 'open' and day = '{DAY}'\"\n"
        "OTHER = 'select * from t where a = 1'\n"
        "spark.sql(QUERY)\n"
        "spark.sql(OTHER)\n"
        "def g(THIRD):\n  THIRD = 'select * from t where b = 1'\n  spark.sql(THIRD)\n"
    )
    assert [(row.relation, row.sql, row.place.line) for row in rows] == [
        ("shop.orders", "status = 'open' AND day = :day", 4),
        ("t", "a = 1", 5),
        ("t", "b = 1", 9),
    ]


BUILT = """
'select * from t where doc = 1'
a = "select * from a where day = '" + day + "' and k = %s" % 5
run("select * from b where k = {kind} and s = '{}'".format(x, kind=kind), "a title")
QUERY = "select * from {schema}.c where k = {kind}"
engine.go(QUERY.format(schema=s, kind=3))
BASE = "select * from d where k = 1"
log.info(BASE)
fetch(f"{BASE} and m = 2")
more = "select * from e where k = 1"
more += " and m = 2"
other = "select * from f where k = '{x}'"
go(other.replace("{x}", x))
parts = ["select * from g where k = 1"]
parts.append("select * from h where k = 1")
go(" union all ".join(parts))
go(Template("select * from i where k = '$x'").substitute(x=x))
def f(x):
    "select * from t where doc = 2"
    help = "Select the rows where something is wrong"
    return dedent(f'''select * from j where k = {x}''').strip()
"""


def test_statements_that_programs_build() -> None:
    rows, left = of_program(BUILT)
    assert [(row.relation, row.sql, row.place.line) for row in rows] == [
        ("a", "day = :day AND k = 5", 3),
        ("b", "k = :kind AND s = :x", 4),
        ("predicat_param_schema.c", "k = :kind", 5),
        ("d", "k = 1 AND m = 2", 9),
        ("j", "k = :x", 21),
    ]
    assert [(row.reason, row.place.line) for row in left] == [
        (say.NOT_LITERAL, line) for line in (10, 12, 14, 15, 17)
    ]


DELTA = """
DeltaTable.forName(spark, "t").delete("day < '2017-01-01'")
(t.alias("t").merge(u.alias("u"), "t.id = u.id")
  .whenMatchedDelete("u.op = 'd' AND u.n > 1")
  .whenMatchedUpdate(condition=F.col("u.op") != "d", set={"id": F.col("u.id")})
  .whenMatchedUpdate(set={"id": F.col("u.id")})
  .whenNotMatchedInsertAll("u.n > t.n"))
known.update({"a": F.col("x")}); digest.update("x")
frame.write.option("replaceWhere", "day >= '2017-01-02'").option("x", "n > 3")
"""


def test_changes_of_delta() -> None:
    rows, left = of_program(DELTA)
    assert [(row.sql, row.place.line, row.changes) for row in rows] == [
        ("day < '2017-01-01'", 2, True),
        ("op = 'd' AND n > 1", 4, True),
        ("(op <> 'd')", 5, True),
        ("day >= '2017-01-02'", 9, True),
    ]
    assert [(row.reason, row.text) for row in left] == [(say.SEVERAL, "u.n > t.n")]


def test_places_in_programs() -> None:
    rows, _ = of_program("# é\n" + PROGRAM)
    text = "# é\n" + PROGRAM
    assert text[rows[0].place.start : rows[0].place.end] == "amount > 3 and status <> 'x'"
    assert not rows[0].rendered and rows[1].rendered
    assert text[rows[1].place.start : rows[1].place.end].startswith('(F.col("a")')


@pytest.mark.parametrize("text", ["import pyspark\ndef (", "pyspark\n" + "(" * 500, "x = 'pyspark' \0"])
def test_programs_that_cannot_be_read(text: str) -> None:
    rows, left = of_program(text)
    assert not rows and len(left) == 1


DATAFORM = """\
config { type: "incremental", bigquery: { partitionBy: "day" } }
js { const least = { a: 3 }; }
pre_operations {
  DELETE FROM ${self()} WHERE day < '${dataform.projectConfig.vars.day}'
}
SELECT * FROM ${ref("raw", "orders")}
WHERE state = 'open' ${when(incremental(), `AND n > ${least.a}`)}
---
SELECT * FROM ${ref({name: "users", schema: "raw-1"})} WHERE ${functions.test("x")} AND kind = 1
"""


def test_dataform(tmp_path: Path) -> None:
    (tmp_path / "late.sqlx").write_text(DATAFORM)
    result = reading.read([tmp_path], "bigquery")
    assert [(row.relation, row.sql, row.place.line) for row in result.conditions] == [
        ("late", "day < :dataform_projectconfig_vars_day", 3),
        ("raw.orders", "state = 'open' AND n > :least_a", 7),
        ("raw-1.users", "kind = 1", 9),
    ]
    last = result.conditions[-1].place
    assert DATAFORM[last.start : last.end] == "kind = 1" and not result.refused


def test_files_without_conditions_are_counted(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("users.filter('a > 1')")
    (tmp_path / "b.json").write_text("{}")
    (tmp_path / "c.rb").write_text("where('a > 1')")
    (tmp_path / "e.R").write_text("x <- 1")
    (tmp_path / "d.sql").symlink_to("/etc/hostname")
    (tmp_path / "target").mkdir()
    scan = reading.read([tmp_path])
    assert not scan.conditions and not scan.refused
    assert sorted(scan.skipped.elements()) == sorted(
        [
            say.NOTHING_IN["python"],
            say.NOTHING_IN["data"],
            say.NOTHING_IN["r"],
            say.kind_not_read(".rb"),
            say.LEADS_OUT,
            say.folder_left_out("target"),
        ]
    )


def test_dbt_tests_have_conditions(tmp_path: Path) -> None:
    text = """
models:
  - name: orders
    tests:
      - dbt_utils.expression_is_true:
          expression: "amount >= 0"
          where: kind = '{{ var("kind") }}'
    columns:
      - name: id
        data_tests:
          - unique
          - not_null: {config: {where: "status <> 'x'"}}
          - dbt_utils.expression_is_true: {arguments: {expression: '> 0'}}
sources:
  - name: raw
    tables: [{name: events, tests: [{dbt_utils.expression_is_true: {expression: "a < b"}}]}]
"""
    (tmp_path / "schema.yml").write_text(text)
    rows = reading.read([tmp_path], "postgres").conditions
    assert sorted((row.relation, row.sql) for row in rows) == [
        ("orders", "amount >= 0"),
        ("orders", "id > 0"),
        ("orders", "kind = :kind"),
        ("orders", "status <> 'x'"),
        ("raw.events", "a < b"),
    ]
    for row in rows:
        if not row.rendered:
            assert text[row.place.start : row.place.end] == row.text


def test_what_dbt_compiled_is_used(tmp_path: Path) -> None:
    raw = "select * from {{ ref('o') }} where {{ rule() }} and b = 2"
    (tmp_path / "dbt_project.yml").write_text("name: p\nprofile: p\n")
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "m.sql").write_text(raw)
    (tmp_path / "target").mkdir()
    node = {
        "raw_code": raw,
        "compiled_code": "select * from db.s.o where a = 1 and b = 2",
        "original_file_path": "models/m.sql",
    }
    (tmp_path / "target" / "manifest.json").write_text(json.dumps({"nodes": {"model.p.m": node}}))
    (row,) = reading.read([tmp_path], "snowflake").conditions
    assert (row.relation, row.sql, row.rendered) == ("db.s.o", "a = 1 AND b = 2", True)
    (tmp_path / "models" / "m.sql").write_text(raw + " and c = 3")  # newer than what dbt compiled
    (row,) = reading.read([tmp_path], "snowflake").conditions
    assert row.sql == "b = 2 AND c = 3"


def test_macros_of_a_project_are_known(tmp_path: Path) -> None:
    (tmp_path / "dbt_project.yml").write_text("name: p\n")
    (tmp_path / "rules.sql").write_text("{% macro is_open(name) %}{{ name }} = 'open'{% endmacro %}")
    (tmp_path / "m.sql").write_text("select 1 from t where {{ is_open('status') }} and {{ other() }} = a")
    (row,) = reading.read([tmp_path], "postgres").conditions
    assert row.sql == "status = 'open' AND :other = a" and row.rendered


def test_manifests(tmp_path: Path) -> None:
    (tmp_path / "trigger.yaml").write_text(
        "apiVersion: eventing.knative.dev/v1\nkind: Trigger\nmetadata: {name: t}\n"
        "spec: {broker: b, filter: {attributes: {type: order}}, subscriber: {uri: http://x}}\n"
    )
    (tmp_path / "other.json").write_text('{"kind": [1, 2')
    (tmp_path / "plain.yml").write_text("a: 1\n")
    result = reading.read([tmp_path])
    (row,) = result.conditions
    assert (row.language, json.loads(row.text), row.clause) == ("attributes", {"type": "order"}, "selector")
    assert row.on == "ce"
    assert [row.reason for row in result.refused] == [say.NOT_DATA]


def test_types_come_from_create_table(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("create table s.t (a int, b varchar(3), c numeric(9, 2), d jsonb);")
    (tmp_path / "b.sql").write_text("select 1 from t join u on t.a = u.k where b = 'x'")
    rows = reading.read([tmp_path], "postgres").conditions
    assert not rows  # u is not known, and may have a column b as well
    (tmp_path / "c.sql").write_text("create table s.u (k int);")
    (row,) = reading.read([tmp_path], "postgres").conditions
    assert row.fields == {"a": "bigint", "b": "string", "c": "decimal(9,2)"}


def test_types_by_the_end_of_a_name() -> None:
    known = TableTypes()
    known.add("a.t", {"x": "bigint"})
    assert known.get("db.A.t") == {"x": "bigint"} == known.get("t")
    known.add("b.t", {"x": "string"})
    assert known.get("t") is None and known.get("b.t") == {"x": "string"}
    known.add("b.t", {"x": "date"})
    assert known.get("b.t") is None


@pytest.mark.parametrize(
    ("written", "dialect", "kind"),
    [
        ("INT64", "bigquery", "bigint"),
        ("NUMBER(9,2)", "snowflake", "decimal(9,2)"),
        ("TIMESTAMP_NTZ(9)", "snowflake", "timestamp"),
        ("character varying(256)", "postgres", "string"),
        ("jsonb", "postgres", "other:JSONB"),
        ("((", "postgres", ""),
    ],
)
def test_types_of_dialects(written: str, dialect: str, kind: str) -> None:
    assert kind_of(written, dialect) == kind


ORDERS_VIEW = """\
# view: old {}
view: orders {
  sql_table_name: shop.orders ;;
  dimension: status { description: "a { b" sql: ${TABLE}.state ;; }
  dimension: is_open { type: yesno sql: ${status} = 'open' AND ${TABLE}.amount > {{ least }} ;; }
  dimension: paid { type: yesno sql: ${TABLE}."PAID" ;; }
  dimension: amount { type: number }
  dimension_group: created { type: time timeframes: [raw, date] sql: ${TABLE}.created_at ;; }
  dimension_group: sent { type: time datatype: date convert_tz: no sql: ${TABLE}.sent_on ;; }
  dimension: size {
    case: { when: { sql: ${amount} > 9 ;; label: "large" } else: "small" }
  }
  dimension: kind { sql: CASE WHEN ${TABLE}.k = 1 THEN 'a' END -- else none
    ;; }
  measure: n { type: count filters: [status: "-closed,-o%", amount: ">=5"] }
  measure: m { type: count filters: { field: is_open value: "no" } }
  measure: o { type: count filters: [created_raw: "7 days", amount: "NOT 3, NOT 4"] }
  measure: p { type: count filters: [clients.tier: "gold", missing: "1", nowhere.x: "2"] }
}
view: recent {
  derived_table: {
    sql: SELECT * FROM ${orders.SQL_TABLE_NAME}
      WHERE day >= {% date_start span %} AND day < {% date_end span %}
      AND day = 3 {% if x._is_filtered %} AND {% condition x %} kind {% endcondition %} {% endif %} ;;
  }
}
"""
ORDERS_MODEL = """\
explore: orders {
  sql_always_where: ${orders.is_open} AND ${customers.tier} = 'gold'
    AND ${elsewhere.flag} = 7 ;;
  join: customers { from: clients sql_on: ${orders.id2} = ${customers.id} ;; }
  join: elsewhere { sql_on: ${orders.status} = ${elsewhere.x} AND ${elsewhere.y} > 2 ;; }
  sql_always_having: ${orders.n} > 3 ;;
  sql_always_where: ${orders.sent_date} >= '2024-01-01' AND ${orders.created_date} >= '2024-01-01' ;;
  sql_always_where: ${orders.sent_date} >= '2024-01-01' ;;
  always_filter: { filters: [orders.status: "open,late", orders.created_date: "7 days"] }
}
view: clients { dimension: tier {} dimension: id {} }
view: +orders { dimension: id2 { sql: ${TABLE}.id ;; } }
"""


ORDERS_DASHBOARD = """\
- dashboard: late
  filters: [{name: state, default_value: open}]
  elements:
  - name: list
    explore: orders
    filters:
      orders.status: open,late
      orders.amount: ">5"
      orders.created_date: 7 days
      orders.n: ">0"
      share: ">0"
  - {name: all, explore: orders, filters: {}}
"""


def test_dashboards_of_looker(tmp_path: Path) -> None:
    (tmp_path / "orders.view.lkml").write_text(ORDERS_VIEW)
    (tmp_path / "late.dashboard.lookml").write_text(ORDERS_DASHBOARD)
    (tmp_path / "broken.dashboard.lookml").write_text("- dashboard: {")
    result = reading.read([tmp_path], "postgres")
    found = [row for row in result.conditions if row.place.path.endswith(".lookml")]
    assert [(row.clause, row.relation, row.sql, row.place.line) for row in found] == [
        ("filter", "shop.orders", "(state = 'open' OR state = 'late') AND (amount > 5)", 7)
    ]
    assert [(row.reason, row.text) for row in result.refused if row.place.path.endswith(".lookml")] == [
        (say.NOT_DATA, ""),
        (say.COMPUTED, "share: >0"),
        (say.TIMEFRAME, "orders.created_date: 7 days"),
        (say.AGGREGATE, "orders.n: >0"),
    ]


def test_looker(tmp_path: Path) -> None:
    (tmp_path / "orders.view.lkml").write_text(ORDERS_VIEW)
    (tmp_path / "shop.model.lkml").write_text(ORDERS_MODEL)
    (tmp_path / "broken.view.lkml").write_text("view: a { dimension: b { sql: x ")
    result = reading.read([tmp_path], "postgres")
    found = [(row.clause, row.relation, row.sql) for row in result.conditions]
    assert found == [
        ("filter", "shop.orders", "state = 'open' AND amount > :least"),
        ("case", "shop.orders", "amount > 9"),
        ("case", "shop.orders", "k = 1"),
        (
            "filter",
            "shop.orders",
            "NOT (state = 'closed' OR state LIKE 'o%') IS TRUE AND (amount >= 5)",
        ),
        (
            "filter",
            "shop.orders",
            "NOT ((state = 'open' AND amount > :least)) IS TRUE",
        ),
        ("filter", "shop.orders", "NOT (amount = 3 OR amount = 4) IS TRUE"),
        ("filter", "clients", "(tier = 'gold')"),
        ("where", "shop.orders", "day >= :date_start_span AND day < :date_end_span AND day = 3"),
        ("where", "shop.orders", "state = 'open' AND amount > :least"),
        ("where", "clients", "tier = 'gold'"),
        ("where", "elsewhere", "flag = 7"),
        ("where", "shop.orders", "sent_on >= '2024-01-01'"),
        ("join", "elsewhere", "y > 2"),
        ("filter", "shop.orders", "(state = 'open' OR state = 'late')"),
    ]
    assert [row.reason for row in result.refused] == [
        say.NOT_DATA,
        say.FILTER_EXPRESSION,
        say.NO_FIELD,
        say.NO_FIELD,
        say.TIMEFRAME,
        say.SEVERAL,
        say.SEVERAL,
        say.AGGREGATE,
        say.TIMEFRAME,
    ]
    places = [(row.place.line, row.place.column) for row in result.conditions]
    assert places[0] == (5, 41) and places[7] == (23, 13) and places[10] == (3, 9)
    for row in result.conditions:
        text = Path(row.place.path).read_text()
        assert row.rendered or text[row.place.start : row.place.end] == row.text


@pytest.mark.parametrize(
    ("kind", "written", "sql"),
    [
        ("number", "5, 7 to 9", "(x = 5 OR (x >= 7 AND x <= 9))"),
        ("number", "(1, 3], [8, inf)", "((x > 1 AND x <= 3) OR (x >= 8))"),
        ("number", "> 1 AND < 3, <>2", "((x > 1 AND x < 3)) AND NOT (x = 2)"),
        ("number", "not null", "x IS NOT NULL"),
        ("number", "NOT >3", None),
        ("number", "many", None),
        ("string", "FOO%,-FOOD", "(x LIKE 'FOO%') AND NOT (x = 'FOOD')"),
        ("string", "a^,b,it's", "(x = 'a,b' OR x = 'it''s')"),
        ("string", "-NULL", "x IS NOT NULL"),
        ("string", "EMPTY", "((x IS NULL OR LENGTH(x) = 0))"),
        ("string", "-EMPTY", "((x IS NULL OR LENGTH(x) = 0)) IS NOT TRUE"),
        ("yesno", "no", "(x) IS NOT TRUE"),
        ("string", "a_b%", None),
        ("string", "%", None),
        ("string", "a,NULL", None),
        ("string", " ", ""),
        ("yesno", "Yes", "x"),
        ("yesno", "NULL", None),
        ("date", "NULL", "x IS NULL"),
        ("date", "last 7 days", None),
        ("", "a", None),
    ],
)
def test_filter_expressions_of_looker(kind: str, written: str, sql: str | None) -> None:
    if sql is None:
        with pytest.raises(NotExact):
            filter_sql(kind, "x", written, "postgres")
    else:
        assert filter_sql(kind, "x", written, "postgres") == sql


SODA = """\
filter main.orders [active]:
  where: status = 'active'
checks for main.orders [active]:
  - row_count > 0
  - missing_count(id) = 0:
      name: ids
      filter: amount > 5 and kind is not null
  - failed rows:
      fail condition: amount < 0
"""
CONTRACT = """\
dataset: warehouse/shop/public/orders
filter: |
  status <> 'draft'
columns:
  - name: id
    checks:
      - missing: {filter: "amount > 7"}
"""
CUBES = """\
cubes:
  - name: orders
    sql_table: public.orders
    dimensions:
      - {name: state, sql: "{CUBE}.status", type: string}
    segments:
      - name: active
        sql: "{CUBE}.status = 'active' AND ${CUBE}.amount > 3"
      - {name: late, sql: "{state} = 'late'"}
      - {name: joined, sql: "{customers}.kind = 1"}
    measures:
      - {name: paid, type: count, filters: [{sql: "{CUBE}.paid"}]}
"""
LIGHTDASH = """\
models:
  - name: orders
    meta:
      sql_filter: ${day} >= '2024-01-01' AND ${is_late}
      sql_where: ${tenant} = ${lightdash.attributes.tenant}
      joins:
        - {join: plans, sql_on: "${orders.plan} = ${plans.id}"}
      additional_dimensions:
        is_late: {type: boolean, sql: "${TABLE}.days > 3"}
      default_filters:
        - day: "inThePast 14 days"
    columns:
      - name: status
        config:
          meta:
            dimension: {sql: lower(state)}
            metrics:
              open_orders:
                type: count
                filters:
                  - status: open
                  - amount: "> 5"
                  - kind: [1, 2]
                  - ok: true
                  - n: "null"
              other: {type: count, filters: [{status: "!closed"}]}
"""
METRICS = """\
metrics:
  - name: orders
    type: simple
    filter: |
      {{ Dimension('order__status') }} = 'open' AND {{ Dimension('order__amount') }} > 2
  - name: late
    filter: "{{ TimeDimension('order__day', 'month') }} > '2024-01-01'"
"""
GRAFANA = {
    "panels": [
        {
            "targets": [
                {
                    "rawSql": "SELECT *\nFROM runs\nWHERE é = 'done'"
                    " AND $__timeFilter(day) AND n > ${least:raw}"
                },
                {"rawSql": "SELECT * FROM jobs WHERE owner = '$owner' AND kind IN (${kind})"},
                {"rawSql": "SELECT * FROM jobs WHERE a = 1 [[AND b = {{b}}]]"},
                {"expr": "SELECT * FROM no WHERE a = 1"},
            ]
        }
    ]
}
DATABRICKS = {
    "datasets": [
        {"queryLines": ["SELECT *\n", "FROM runs WHERE a = :a\n", "AND b = 'é'"]},
        {"query": "SELECT * FROM jobs\nWHERE cost > 3"},
    ]
}
JOBS = """\
jobs:
  - sql: |
      -- each day
      DELETE FROM runs
      WHERE day < '{{ ds }}' AND state = 'gone'
    queries: ["SELECT * FROM jobs WHERE a = 1", "SELECT 1"]
    sql_file: a.sql
"""
METRIC_VIEW = """\
version: 0.1

source: shop.orders
filter: day >= '2024-01-01'
joins:
  - {name: users, source: shop.users, on: source.user = users.id}
dimensions:
  - {name: size, expr: "CASE WHEN n > 9 THEN 'large' END"}
measures:
  - name: open
    expr: COUNT(*) FILTER (WHERE state = 'open')
  - {name: gold, expr: "COUNT(*) FILTER (WHERE users.tier = 'gold')"}
"""
RULES = """\
apiVersion: v3.0.2
kind: DataContract
schema:
  - name: orders
    physicalName: public.orders
    quality:
      - type: sql
        query: SELECT COUNT(*) FROM ${object} WHERE amount < 0 AND status <> 'x'
        mustBe: 0
"""
SUITE: dict[str, object] = {
    "name": "orders",
    "expectations": [
        {"type": "a", "kwargs": {"column": "id", "row_condition": row_condition, **more}}
        for row_condition, more in (
            (
                {
                    "type": "or",
                    "conditions": [
                        {
                            "type": "and",
                            "conditions": [
                                {"type": "nullity", "column": {"name": "a"}, "is_null": False},
                                {
                                    "type": "comparison",
                                    "column": {"name": "b"},
                                    "operator": "!=",
                                    "parameter": "x",
                                },
                            ],
                        },
                        {
                            "type": "comparison",
                            "column": {"name": "c"},
                            "operator": "NOT_IN",
                            "parameter": [1, 2],
                        },
                    ],
                },
                {},
            ),
            ('col("n") > 5', {"condition_parser": "great_expectations"}),
            ('col("s").notnull()', {"condition_parser": "great_expectations__experimental__"}),
            ('col("s") == "it"', {"condition_parser": "great_expectations"}),
            ("k IN (1, 2)", {"condition_parser": "spark"}),
            ("n.str.len() > 2", {"condition_parser": "pandas"}),
        )
    ],
}


@pytest.mark.parametrize(
    ("name", "text", "found", "left"),
    [
        (
            "checks.yml",
            SODA,
            [
                ("main.orders", "status = 'active'"),
                ("main.orders", "amount > 5 AND kind IS NOT NULL"),
                ("main.orders", "amount < 0"),
            ],
            [],
        ),
        ("contract.yml", CONTRACT, [("orders", "status <> 'draft'"), ("orders", "amount > 7")], []),
        (
            "cubes.yml",
            CUBES,
            [
                ("public.orders", "status = 'active' AND amount > 3"),
                ("public.orders", "status = 'late'"),
                ("public.orders", "paid"),
            ],
            [say.NOT_RENDERED],
        ),
        (
            "schema.yml",
            LIGHTDASH,
            [
                ("orders", "day >= '2024-01-01' AND (days > 3)"),
                ("orders", "tenant = :lightdash_attributes_tenant"),
                (
                    "orders",
                    "(LOWER(state)) = 'open' AND amount > 5 AND kind IN (1, 2) AND ok = TRUE AND n IS NULL",
                ),
            ],
            [say.SEVERAL, say.FILTER_EXPRESSION, say.FILTER_EXPRESSION],
        ),
        ("metrics.yml", METRICS, [(None, "status = 'open' AND amount > 2")], [say.NOT_RENDERED]),
        ("orders.odcs.yaml", RULES, [("public.orders", "amount < 0 AND status <> 'x'")], []),
        (
            "orders.yaml",
            METRIC_VIEW,
            [("shop.orders", f) for f in ("day >= '2024-01-01'", "n > 9", "state = 'open'")],
            [say.SEVERAL],
        ),
        (
            "grafana.json",
            json.dumps(GRAFANA),
            [
                ("runs", "\"é\" = 'done' AND n > :least_raw_1214ac72"),
                ("jobs", "owner = :owner AND kind IN (:kind)"),
            ],
            [say.NOT_RENDERED],
        ),
        (
            "runs.lvdash.json",
            json.dumps(DATABRICKS, indent=1),
            [("runs", "a = :a AND b = 'é'"), ("jobs", "cost > 3")],
            [],
        ),
        ("jobs.yml", JOBS, [("runs", "day < :ds AND state = 'gone'"), ("jobs", "a = 1")], []),
        (
            "suite.json",
            json.dumps(SUITE, indent=2),
            [
                (None, "(NOT a IS NULL AND b <> 'x') OR NOT c IN (1, 2)"),
                (None, "n > 5"),
                (None, "NOT s IS NULL"),
                (None, "s = 'it'"),
                (None, "k IN (1, 2)"),
            ],
            [say.ROW_CONDITION],
        ),
    ],
)
def test_files_of_tools(
    tmp_path: Path, name: str, text: str, found: list[tuple[str | None, str]], left: list[str]
) -> None:
    (tmp_path / name).write_text(text)
    result = reading.read([tmp_path], "postgres")
    assert [(row.relation, row.sql) for row in result.conditions] == found
    assert [row.reason for row in result.refused] == left
    for row in result.conditions:
        if not row.rendered:
            assert " ".join(text[row.place.start : row.place.end].split()) == " ".join(row.text.split())


def test_what_predicat_exported_is_not_found_again(tmp_path: Path) -> None:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "c.yml").write_text(
        "apiVersion: predicat/v1\ndataset: d\nrelation: {postgres: d, spark: d}\n"
        "fields: {a: bigint, s: string}\n"
        "filters:\n  one: {sql: \"a = 1 AND s <> 'x'\"}\n"
    )
    catalog = load_catalog(tmp_path / "catalog")
    out = tmp_path / "out"
    targets = {name: target for name, target in TARGETS.items() if target.module}
    for name, target in targets.items():
        given = {one.name: () if one.many else one.default for one in target.settings}
        settings = {**given, **({"to": ("group:g@example.com",)} if name == "bigquery" else {})}
        of = Asked(catalog, list(map(catalog.find, catalog)), settings)
        write(name, catalog, out / name, list(target.texts(of)))
    written = [path for path in out.rglob("*") if path.is_file()]
    assert len(written) > len(targets)
    assert reading.read([out], "postgres").conditions == []
    for path in written:
        lines = path.read_text().splitlines(keepends=True)
        path.write_text("".join(line for line in lines if "Written by" not in line))
    found = reading.read([out], "postgres").conditions
    assert {Path(row.place.path).parent.name for row in found} >= {"soda", "cube", "odcs"}
    assert {(row.relation, row.sql) for row in found} == {("d", "a = 1 AND s <> 'x'")}
