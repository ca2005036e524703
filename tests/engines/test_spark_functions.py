"""The functions of the extension read the texts that the SQL without them reads."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

import predicat
from predicat.api import declared
from predicat.backends.sql.spark import SPARK, runtime
from predicat.ir.nodes import FieldDecl, Node
from predicat.semantics.evaluate import compile_node
from predicat_spark.rows import on_spark
from predicat_spark.settings import settings
from tests.engines.test_conversions import CHARACTERS, NEAR, texts
from tests.engines.test_conversions import FIELDS as DAYS_AND_CLOCKS
from tests.engines.test_json_texts import BODIES, LONG
from tests.engines.test_json_texts import filters as json_filters
from tests.engines.test_json_texts import texts as json_texts
from tests.engines.test_runtime import MORE, TEXTS


def agree(
    nodes: Sequence[Node],
    sql: Sequence[str],
    fields: Mapping[str, FieldDecl],
    rows: Sequence[Mapping[str, Any]],
    compiled: bool,
    spark: Any,
) -> None:
    """Spark, with compiled code or without, gives the evaluator's outcomes."""
    mode = "CODEGEN_ONLY" if compiled else "NO_CODEGEN"
    with settings(spark, {"spark.sql.codegen.factoryMode": mode}):
        columns = on_spark(list(fields.values()), rows, sql, spark)
    for node, column in zip(nodes, columns, strict=True):
        run = compile_node(node)
        wrong = [(row, got) for row, got in zip(rows, column, strict=True) if got is not run(row)]
        assert wrong == []


@pytest.mark.parametrize(
    ("compiled", "count"),
    [
        (True, 400),
        (False, 100),
        pytest.param(True, 1500, marks=pytest.mark.slow),
        pytest.param(False, 1500, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("name", runtime.NAMES)
def test_conversions(name: str, compiled: bool, count: int, spark: Any) -> None:
    kind, language, value, limit = TEXTS[name]
    bases = [*NEAR[kind][2], *MORE[kind]]
    given = [*texts(bases, count), *DAYS_AND_CLOCKS.get(kind, [])]
    for base in bases:
        given += [
            base[:place] + one + base[place + 1 :]
            for place in range(len(base[:20]))
            for one in CHARACTERS[:: 5 if count > 1000 else 25]
        ]
    rows: list[dict[str, str | None]] = [{"s": text} for text in dict.fromkeys(given)]
    rows.append({"s": None})
    fields = declared({"s": "string"})
    known = "IS NOT NULL" if language == "sql" else f"!= {limit}"
    nodes = [predicat.parse(f"{value} {rest}", language, fields).node for rest in (known, f"> {limit}")]
    sql = [SPARK.render(node, runtime=SPARK.runtime) for node in nodes]
    assert all(f"predicat_{name}(s)" in text for text in sql)
    agree(nodes, sql, fields, rows, compiled, spark)


@pytest.mark.parametrize("compiled", [True, False])
def test_json_in_texts(compiled: bool, spark: Any) -> None:
    """The function parses the texts that the SQL without it parses."""
    fields = declared({"s": "string", "n": "bigint"})
    nodes = [one.node for one in json_filters({"sql": BODIES["sql"], "spark": BODIES["spark"][:2]})]
    rows = [{"s": text, "n": 5} for text in [*json_texts(), *LONG, None]]
    sql = [SPARK.render(node, runtime=SPARK.runtime) for node in nodes]
    assert all("predicat_parse_json(s)" in text for text in sql)
    agree(nodes, sql, fields, rows, compiled, spark)


def test_a_filter_reads_json_in_texts(spark: Any, tmp_path: Any) -> None:
    """`matches_filter` takes the SQL with functions, and that without them."""
    import json

    import predicat_spark

    (tmp_path / "c.yml").write_text(
        "apiVersion: predicat/v1\ndataset: orders\nrelation: {spark: orders}\nfields: {s: string}\n"
        "filters:\n  large: {spark: \"get_json_object(s, '$.a') = 'x' AND try_parse_json(s):n::int > 3\"}\n"
    )
    path = tmp_path / "manifest.json"
    predicat_spark.compile_manifest(tmp_path, path)
    rows = [('{"a": "x", "n": 4}',), ('{"a": "x", "n": 3}',), ('{"a": "x"} ',), ("no",), (None,)]
    frame = spark.createDataFrame(rows, "s string")
    data = json.loads(path.read_text())
    assert "predicat_parse_json(s)" in data["filters"][0].pop("where")["spark"]
    data["filters"][0].pop("native")
    (tmp_path / "plain.json").write_text(json.dumps(data))
    before = spark.conf.get("spark.predicat.manifest")
    try:
        for name in ("manifest.json", "plain.json"):
            spark.conf.set("spark.predicat.manifest", str(tmp_path / name))
            frame.createOrReplaceTempView("orders")
            found = spark.sql("SELECT s FROM orders WHERE matches_filter('orders.large')").collect()
            assert [row.s for row in found] == [rows[0][0]]
    finally:
        spark.conf.set("spark.predicat.manifest", before)


def test_a_filter_calls_them(spark: Any, tmp_path: Any) -> None:
    import json

    import predicat_spark

    (tmp_path / "c.yml").write_text(
        "apiVersion: predicat/v1\ndataset: orders\nrelation: {spark: orders}\nfields: {s: string}\n"
        "filters:\n  large: {sql: CAST(s AS bigint) > 3}\n"
    )
    predicat_spark.compile_manifest(tmp_path, tmp_path / "manifest.json")
    (row,) = json.loads((tmp_path / "manifest.json").read_text())["filters"]
    assert row["native"] == {"spark": "predicat_to_bigint(s) > 3"}
    assert "predicat" not in row["sql"]["spark"]
    before = spark.conf.get("spark.predicat.manifest")
    spark.conf.set("spark.predicat.manifest", str(tmp_path / "manifest.json"))
    try:
        spark.createDataFrame([("4",), ("three",), (" 5 ",), (None,)], "s string").createOrReplaceTempView(
            "orders"
        )
        found = spark.sql("SELECT s FROM orders WHERE matches_filter('orders.large')")
        assert [row.s for row in found.collect()] == ["4", " 5 "]
        assert "predicat_to_bigint(s" in found._jdf.queryExecution().optimizedPlan().toString()
    finally:
        spark.conf.set("spark.predicat.manifest", before)


def test_sql_for_the_extension_is_checked_as_well(spark: Any, tmp_path: Any) -> None:
    import json

    from pyspark.errors import AnalysisException

    import predicat_spark

    (tmp_path / "c.yml").write_text(
        "apiVersion: predicat/v1\ndataset: orders\nrelation: {spark: orders}\nfields: {s: string}\n"
        "filters:\n  large: {sql: CAST(s AS bigint) > 3}\n"
    )
    predicat_spark.compile_manifest(tmp_path, tmp_path / "manifest.json")
    data = json.loads((tmp_path / "manifest.json").read_text())
    data["filters"][0]["native"]["spark"] = "reflect('java.lang.System', 'exit') = s"
    (tmp_path / "other.json").write_text(json.dumps(data))
    before = spark.conf.get("spark.predicat.manifest")
    spark.conf.set("spark.predicat.manifest", str(tmp_path / "other.json"))
    try:
        spark.createDataFrame([("4",)], "s string").createOrReplaceTempView("orders")
        with pytest.raises(AnalysisException, match="it calls the function reflect"):
            spark.sql("SELECT s FROM orders WHERE matches_filter('orders.large')")
    finally:
        spark.conf.set("spark.predicat.manifest", before)


@pytest.mark.parametrize(
    "call",
    ["predicat_to_bigint()", "predicat_parse_json()", "predicat_to_date('a', 'b')", "predicat_int(array(1))"],
)
def test_other_arguments_are_refused(call: str, spark: Any) -> None:
    from pyspark.errors import AnalysisException

    with pytest.raises(AnalysisException):
        spark.sql(f"SELECT {call}")
