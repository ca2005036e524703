"""matches_filter in Spark SQL: meaning, scope, errors, plans."""

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest

import predicat
import predicat_spark
from predicat.backends.sql.spark import SPARK
from predicat_spark.java import spark_version
from predicat_spark.settings import settings
from tests.engines.test_variables import CATALOG as VARIABLES

ROOT = Path(__file__).parent.parent.parent
CATALOG = predicat.load_catalog(ROOT / "catalog")


@pytest.fixture(scope="module")
def flights(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Every dataset of the reference catalog as a Parquet view with its declared columns; some flights."""
    folder = tmp_path_factory.mktemp("data")
    for name, dataset in CATALOG.datasets.items():
        schema = ", ".join(f"`{decl.column('spark')}` {decl.type}" for decl in dataset.fields.values())
        rows: list[tuple[Any, ...]] = []
        if name == "flights":
            known = {
                "dep_delay": [70, 10, None, 200],
                "carrier": ["UA", "AA", "UA", "B6"],
                "flight": [1, 2, 3, 4],
                "dep_time": [1, 2, None, 4],
            }
            rows = [
                tuple(known[field][index] if field in known else None for field in dataset.fields)
                for index in range(4)
            ]
        spark.createDataFrame(rows, schema).write.parquet(str(folder / name))
        spark.read.parquet(str(folder / name)).createOrReplaceTempView(name)
    return spark


def ids(spark: Any, condition: str) -> list[int]:
    return sorted(row[0] for row in spark.sql(f"SELECT flight FROM flights WHERE {condition}").collect())


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("matches_filter('flights.long_delay')", [1, 4]),
        ("matches_filter('long_delay')", [1, 4]),
        ("matches_filter('long_delay@1')", [1, 4]),
        ("matches_filter('long_delay', minutes => 100)", [4]),
        ("matches_filter('long_delay', minutes => 5 + 5)", [1, 2, 4]),
        ("NOT matches_filter('long_delay')", [2, 3]),
        ("matches_filter('long_delay') OR NOT matches_filter('long_delay')", [1, 2, 3, 4]),
        ("matches_filter('late_united') AND matches_filter('long_delay')", [1]),
        ("matches_filter('long_delay') IS NULL", []),
        ("CASE WHEN matches_filter('long_delay') THEN carrier = 'B6' ELSE dep_delay IS NULL END", [3, 4]),
        ("matches_filter('long_delay', 'flights')", [1, 4]),
        ("matches_filter('long_delay', flights.*)", [1, 4]),
    ],
)
def test_accepts(flights: Any, condition: str, expected: list[int]) -> None:
    assert ids(flights, condition) == expected


def test_two_valued_outside_conditions(flights: Any) -> None:
    rows = flights.sql(
        "SELECT flight, matches_filter('long_delay') AS m FROM flights ORDER BY flight"
    ).collect()
    assert [row.m for row in rows] == [True, False, False, True]
    counted = flights.sql(
        "SELECT count_if(matches_filter('long_delay')), count(*) FILTER (WHERE NOT "
        "matches_filter('long_delay')) FROM flights"
    )
    assert tuple(counted.first()) == (2, 2)
    grouped = flights.sql(
        "SELECT matches_filter('long_delay') AS m, count(*) AS n FROM flights GROUP BY "
        "matches_filter('long_delay')"
    ).collect()
    assert {(row.m, row.n) for row in grouped} == {(True, 2), (False, 2)}
    ordered = flights.sql(
        "SELECT flight FROM flights ORDER BY matches_filter('long_delay') DESC, flight"
    ).collect()
    assert [row.flight for row in ordered] == [1, 4, 2, 3]
    having = flights.sql(
        "SELECT carrier FROM flights GROUP BY carrier HAVING count_if(matches_filter('long_delay')) = 0"
    ).collect()
    assert [row.carrier for row in having] == ["AA"]


def test_alias_and_columns_in_joins(flights: Any) -> None:
    on = (
        "SELECT o.flight FROM flights o JOIN flights p ON o.flight = p.flight AND "
        "matches_filter('long_delay', 'o') ORDER BY 1"
    )
    where = (
        "SELECT o.flight FROM flights o JOIN flights p ON o.flight = p.flight WHERE "
        "matches_filter('long_delay', o.*) ORDER BY 1"
    )
    assert [row.flight for row in flights.sql(on).collect()] == [1, 4]
    assert [row.flight for row in flights.sql(where).collect()] == [1, 4]
    told = "PREDICAT_AMBIGUOUS_COLUMN.*'dep_delay'.*name one: matches_filter.'flights.long_delay', 'o'"
    for condition in ("ON o.flight = p.flight WHERE", "ON"):
        with pytest.raises(Exception, match=told):
            flights.sql(
                f"SELECT 1 FROM flights o JOIN flights p {condition} matches_filter('long_delay')"
            ).collect()


def test_columns_are_found_in_any_case_and_locale(flights: Any) -> None:
    """In Turkish the small letter of I is another one than i."""
    locales = flights._jvm.java.util.Locale
    usual = locales.getDefault()
    locales.setDefault(locales.forLanguageTag("tr"))
    try:
        columns = "SELECT flight, carrier AS CARRIER, dep_delay AS DEP_DELAY FROM flights"
        for scope in ("", ", 'o'", ", o.*"):
            rows = flights.sql(
                f"SELECT flight FROM ({columns}) o WHERE matches_filter('late_united'{scope})"
            ).collect()
            assert [row.flight for row in rows] == [1]
    finally:
        locales.setDefault(usual)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (
            "SELECT * FROM flights WHERE matches_filter('long_dely')",
            "no filter is named 'long_dely'; did you mean 'long_delay'",
        ),
        (
            "SELECT * FROM flights WHERE matches_filter('long_delay@7')",
            "has no version 7; its versions: 1, 2",
        ),
        (
            "SELECT * FROM flights WHERE matches_filter('long_delay', minuts => 1)",
            "no parameter 'minuts'; did you mean 'minutes'",
        ),
        (
            "SELECT * FROM flights WHERE matches_filter('long_delay', minutes => 'x')",
            "parameter 'minutes' of flights.long_delay must have type bigint, not string",
        ),
        (
            "SELECT * FROM flights WHERE matches_filter('late', minutes => 1)",
            "no parameter 'minutes'; it has no parameters",
        ),
        ("SELECT * FROM flights WHERE matches_filter(carrier)", "must be a constant string"),
        ("SELECT * FROM flights WHERE matches_filter()", "needs the name of a filter"),
        (
            "SELECT * FROM (SELECT 1 AS dep_dely) WHERE matches_filter('long_delay')",
            "reads the column 'dep_delay'.*did you mean 'dep_dely'",
        ),
        (
            "SELECT 100 AS dep_delay, matches_filter('long_delay') FROM (SELECT 1 AS x)",
            "reads the column 'dep_delay', which the relation here does not have",
        ),
        (
            "SELECT * FROM (SELECT 'x' AS dep_delay) WHERE matches_filter('long_delay')",
            "as bigint, but the relation here has string in it",
        ),
        (
            "SELECT * FROM (SELECT DATE'2013-01-01' AS dep_delay) o WHERE matches_filter('long_delay', o.*)",
            "as bigint, but the relation here has date in it",
        ),
        (
            (
                "SELECT * FROM (SELECT 'UA' COLLATE UTF8_LCASE AS carrier, 70 AS dep_delay) WHERE "
                "matches_filter('late_united')"
            ),
            "has string collate utf8_lcase in it",
        ),
        (
            (
                "SELECT * FROM flights o WHERE EXISTS (SELECT 1 FROM (SELECT 1 AS x) i WHERE "
                "matches_filter('long_delay'))"
            ),
            "reads the column 'dep_delay'",
        ),
        (
            "SELECT * FROM flights WHERE matches_filter('long_delay''; DROP TABLE x; --')",
            "no filter is named",
        ),
    ],
)
def test_errors(flights: Any, query: str, message: str) -> None:
    with pytest.raises(Exception, match=message) as caught:
        flights.sql(query).collect()
    assert type(caught.value).__name__ == "AnalysisException"


NO_DELAY = "(SELECT 'a' AS carrier, 6L AS dep_dely)"
MISSING = (
    "reads the column 'dep_delay', which the relation here does not have; did you mean 'dep_dely'?; "
    "if it has another name here: matches_filter('flights.late', dep_delay => ...)"
)
GONE = "reads the column 'dep_delay', which the rows here no longer have after GROUP BY, DISTINCT or SELECT"
OUTER = "filter flights.late would read 'dep_delay' of an outer query"


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT carrier FROM {t} GROUP BY carrier HAVING {f}", MISSING),
        ("SELECT carrier FROM {t} GROUP BY carrier HAVING count_if({f}) > 0", MISSING),
        ("SELECT max(carrier) FROM {t} HAVING NOT {f} AND count(*) > 1", MISSING),
        ("SELECT carrier FROM {t} ORDER BY {f} DESC, carrier LIMIT 1", MISSING),
        ("SELECT carrier FROM {t} t ORDER BY matches_filter('late', 't')", MISSING),
        ("SELECT carrier FROM {t} SORT BY {f}", MISSING),
        ("SELECT carrier FROM {t} DISTRIBUTE BY {f}", MISSING),
        ("SELECT carrier, max(1) OVER () FROM {t} QUALIFY {f}", MISSING),
        ("SELECT carrier FROM {t} GROUP BY carrier ORDER BY count_if({f})", MISSING),
        ("SELECT (SELECT max(carrier) FROM {t} HAVING {f})", MISSING),
        ("SELECT carrier FROM flights GROUP BY carrier HAVING {f}", GONE),
        ("SELECT DISTINCT carrier FROM flights ORDER BY {f}", GONE),
        ("SELECT 1 FROM flights WHERE EXISTS (SELECT 1 FROM {t} HAVING {f})", OUTER),
        ("SELECT (SELECT max(carrier) FROM {t} HAVING count_if({f}) > 0) FROM flights", OUTER),
        ("SELECT 1 FROM flights WHERE carrier IN (SELECT carrier FROM {t} ORDER BY {f})", OUTER),
    ],
)
def test_the_filter_is_named_where_spark_itself_looks_for_a_column(
    flights: Any, query: str, message: str
) -> None:
    if "QUALIFY" in query and spark_version() < (4, 2):
        pytest.skip("Spark has QUALIFY from 4.2 on")
    with pytest.raises(Exception, match=r"PREDICAT_(MISSING|OUTER)_COLUMN") as caught:
        flights.sql(query.format(t=NO_DELAY, f="matches_filter('flights.late')"))
    assert message in str(caught.value)


def test_columns_that_are_computed_away_are_found(flights: Any) -> None:
    """As in a condition that is written by hand."""
    for clause in ("ORDER BY {}", "SORT BY {}", "DISTRIBUTE BY {}", "CLUSTER BY {}"):
        for condition in ("matches_filter('long_delay')", "dep_delay >= 60"):
            rows = flights.sql(f"SELECT flight FROM flights {clause.format(condition)}").collect()
            assert sorted(row.flight for row in rows) == [1, 2, 3, 4]


def test_a_lateral_alias_is_never_read(flights: Any) -> None:
    rows = flights.sql(
        "SELECT flight, 1000 AS dep_delay, matches_filter('long_delay') AS m FROM flights ORDER BY flight"
    ).collect()
    assert [row.m for row in rows] == [True, False, False, True]


def test_table_function_and_description(flights: Any) -> None:
    rows = flights.sql(
        "SELECT * FROM predicat_filters() WHERE name = 'flights.long_delay' ORDER BY version"
    ).collect()
    assert [(row.version, row.owner, row.language, row.deprecated, row.sql) for row in rows] == [
        (1, "ops@example.com", "sql", "2036-12-31", "dep_delay > 30"),
        (2, "ops@example.com", "sql", None, "dep_delay >= :minutes"),
    ]
    assert rows[0].tags == ["ops", "passenger-rights"] and len(rows[0].hash) == 16
    described = " ".join(row[0] for row in flights.sql("DESCRIBE FUNCTION EXTENDED matches_filter").collect())
    assert "minutes => 90" in described and "alias" in described


@pytest.mark.parametrize("name", [row.qualified for row in CATALOG.filters()])
def test_plan_is_that_of_the_predicate(flights: Any, name: str) -> None:
    """The analyzed plan, the optimized plan and the pushed filters are those of the condition written out."""
    row, _ = CATALOG.find(name)
    node = row.row_filter()
    written = SPARK.render(node, condition=True, runtime=SPARK.runtime)
    ours = flights.sql(f"SELECT * FROM {row.dataset} WHERE matches_filter('{name}')")
    theirs = flights.sql(f"SELECT * FROM {row.dataset} WHERE {written}")
    assert ours.sameSemantics(theirs)
    left, right = (frame._jdf.queryExecution() for frame in (ours, theirs))
    assert left.optimizedPlan().sameResult(right.optimizedPlan())
    pushed = [
        [line for line in str(plan.executedPlan().toString()).split(", ") if line.startswith("PushedFilters")]
        for plan in (left, right)
    ]
    assert pushed[0] == pushed[1]


HAND_WRITTEN = {
    "flights.late_united": "carrier = 'UA' AND dep_delay >= 60",
    "flights.on_time": "dep_delay >= 0 AND dep_delay <= 15",
    "flights.summer": "month IN (6, 7, 8)",
    "flights.bad_day": "dep_time IS NULL OR (dep_time IS NOT NULL AND arr_delay IS NULL) OR dep_delay >= 180",
    "flights.jetblue_plane": "tailnum LIKE '%JB'",
    "events.from_github": "ce_source LIKE 'https://github.com%'",
    "weather.freezing": "temp <= 32",
    "weather.storm": (
        "(wind_speed >= 30 AND NOT isnan(wind_speed)) OR (wind_gust >= 45 AND NOT isnan(wind_gust))"
    ),
}


@pytest.mark.parametrize("name", HAND_WRITTEN)
def test_plan_is_that_of_an_engineer(flights: Any, name: str) -> None:
    dataset = name.split(".", maxsplit=1)[0]
    ours = flights.sql(f"SELECT * FROM {dataset} WHERE matches_filter('{name}')")
    theirs = flights.sql(f"SELECT * FROM {dataset} WHERE {HAND_WRITTEN[name]}")
    assert ours._jdf.queryExecution().optimizedPlan().sameResult(theirs._jdf.queryExecution().optimizedPlan())


def test_views_of_a_dataset_without_a_relation(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "d.yml").write_text(
        "apiVersion: predicat/v1\ndataset: d\nfields: {a: bigint}\nfilters: {f: {sql: a > 1}}\n"
    )
    catalog = predicat.load_catalog(tmp_path / "d.yml")
    for create in (predicat_spark.create_views, predicat_spark.create_functions):
        with pytest.raises(predicat.PredicatError, match="dataset 'd' has no spark relation"):
            create(spark, catalog, dataset="d")


def test_columns_views_and_functions(flights: Any) -> None:
    table = flights.table("flights")
    assert sorted(
        row.flight for row in table.where(predicat_spark.matches_filter("long_delay", minutes=100)).collect()
    ) == [4]
    assert sorted(
        row.flight for row in table.where(~predicat_spark.matches_filter("long_delay")).collect()
    ) == [2, 3]
    assert "flights__late" in predicat_spark.create_views(flights, CATALOG, dataset="flights")
    assert flights.table("flights__late").count() == 2
    assert "flights__late" in predicat_spark.create_functions(flights, CATALOG, dataset="flights")
    assert ids(flights, "flights__late(dep_delay)") == [1, 4]
    assert ids(flights, "NOT flights__late(dep_delay)") == [2, 3]


def test_texts_are_read_alike_where_a_session_keeps_backslashes(flights: Any, tmp_path: Path) -> None:
    """spark.sql.parser.escapedStringLiterals: the pattern of the filter has a backslash."""
    key = "spark.sql.parser.escapedStringLiterals"
    with settings(flights, {key: "true"}):
        assert flights.sql("SELECT length('\\t')").first()[0] == 2
        rows = flights.sql("SELECT * FROM VALUES ('N10156'), ('D942DN') AS t(tailnum)")
        rows.createOrReplaceTempView("planes")
        assert [
            row.tailnum
            for row in flights.sql("SELECT * FROM planes WHERE matches_filter('registered_in_us')").collect()
        ] == ["N10156"]
        rows.write.parquet(str(tmp_path / "in"))
        report = predicat_spark.run(CATALOG, "flights", ["registered_in_us"], str(tmp_path / "in"), None)
        assert report.filters[0].accepted == 1
        predicat_spark.create_functions(flights, CATALOG, dataset="flights")
        predicat_spark.create_views(flights, CATALOG, dataset="flights")
        assert flights.sql("SELECT flights__registered_in_us('N10156')").first()[0] is True
        assert (
            flights.table("flights__registered_in_us").count()
            == flights.table("flights").where("tailnum LIKE 'N%'").count()
        )
        assert flights.conf.get(key) == "true"


def test_names_are_names_where_a_session_takes_them_for_patterns(flights: Any, tmp_path: Path) -> None:
    """spark.sql.parser.quotedRegexColumnNames: `a.b` would stand for the column axb too."""
    (tmp_path / "c.yml").write_text(
        'apiVersion: predicat/v1\ndataset: dots\nfields: {a.b: bigint}\nfilters: {big: {sql: \'"a.b" '
        "> 5'}}\n"
    )
    predicat_spark.compile_manifest(tmp_path, tmp_path / "manifest.json")
    values = {
        "spark.predicat.manifest": str(tmp_path / "manifest.json"),
        "spark.sql.parser.quotedRegexColumnNames": "true",
    }
    with settings(flights, values):
        rows = flights.createDataFrame([(6, 0), (4, 9)], "`a.b` bigint, axb bigint")
        assert [row.axb for row in rows.where("matches_filter('dots.big')").collect()] == [0]
        rows.write.parquet(str(tmp_path / "in"))
        assert (
            predicat_spark.run(predicat.load_catalog(tmp_path), "dots", ["big"], str(tmp_path / "in"), None)
            .filters[0]
            .accepted
            == 1
        )


def test_timestamps_are_instants_whatever_a_session_calls_them(flights: Any, tmp_path: Path) -> None:
    """spark.sql.timestampType: the bounds of independence_day would be wall clocks, seven hours off."""
    instants = (
        "SELECT id, TIMESTAMP_LTZ'2013-07-03T00:00:00Z' + make_dt_interval(0, id) AS time_hour FROM range(96)"
    )
    frame = flights.sql(instants)
    frame.write.parquet(str(tmp_path / "in"))
    frame.selectExpr("id", "date_format(time_hour, \"yyyy-MM-dd'T'HH:mm:ssXXX\") AS time_hour").write.csv(
        str(tmp_path / "in.csv"), header=True
    )
    with settings(flights, {"spark.sql.timestampType": "TIMESTAMP_NTZ"}):
        assert (
            flights.sql("SELECT typeof(CAST('2013-07-03T00:00:00Z' AS TIMESTAMP))").first()[0]
            == "timestamp_ntz"
        )
        flights.sql(instants).createOrReplaceTempView("hours")
        found = sorted(
            row.id
            for row in flights.sql("SELECT id FROM hours WHERE matches_filter('independence_day')").collect()
        )
        assert found == list(range(4, 76))
        for source in ("in", "in.csv"):
            report = predicat_spark.run(
                CATALOG, "flights", ["independence_day"], str(tmp_path / source), None
            )
            assert report.filters[0].accepted == len(found)
        predicat_spark.create_functions(flights, CATALOG, dataset="flights")
        assert [
            row.id
            for row in flights.sql(
                "SELECT id FROM hours WHERE flights__independence_day(time_hour) ORDER BY id"
            ).collect()
        ] == found


def test_permanent_views_expand_at_each_read(flights: Any) -> None:
    flights.sql("CREATE TABLE stored USING parquet AS SELECT * FROM flights")
    try:
        flights.sql(
            "CREATE VIEW late_view AS SELECT flight FROM stored WHERE matches_filter('flights.long_delay')"
        )
        assert sorted(row.flight for row in flights.table("late_view").collect()) == [1, 4]
    finally:
        flights.sql("DROP VIEW IF EXISTS late_view")
        flights.sql("DROP TABLE stored")


def test_variables_of_queries_and_of_filters_are_told_apart(flights: Any, tmp_path: Path) -> None:
    (tmp_path / "t.yml").write_text(VARIABLES)
    predicat_spark.compile_manifest(tmp_path, tmp_path / "manifest.json")
    rows = "(array(1L, 2L), 7L, 0L, 1L), (array(2L, 0L, 9L), 0L, 1L, 9L), (array(1L, 3L), 7L, 2L, 2L)"
    asked = {
        "matches_filter('in_macro')": [True, False, True],
        "matches_filter('far')": [False, True, False],
        "matches_filter('above', n => x)": [False, True, False],
        "matches_filter('above', n => x_2)": [True, False, True],
        "exists(xs, x -> matches_filter('above', n => x))": [True, True, True],
        "exists(xs, x_2 -> matches_filter('above', n => x_2 + 1))": [False, True, True],
        "exists(xs, x -> matches_filter('late'))": [True, False, True],
    }
    with settings(flights, {"spark.predicat.manifest": str(tmp_path / "manifest.json")}):
        found = flights.sql(f"SELECT {', '.join(asked)} FROM VALUES {rows} AS t(xs, x, y, x_2)").collect()
    assert [list(column) for column in zip(*found, strict=True)] == list(asked.values())


def test_a_new_manifest_takes_effect_and_a_broken_one_does_not(flights: Any, tmp_path: Path) -> None:
    before = flights.conf.get("spark.predicat.manifest")
    path = tmp_path / "manifest.json"
    content = json.loads(Path(before).read_text())
    path.write_text(json.dumps(content))
    try:
        flights.conf.set("spark.predicat.manifest", str(path))
        assert ids(flights, "matches_filter('flights.late')") == [1, 4]
        time.sleep(0.01)
        changed = json.loads(json.dumps(content))
        for row in changed["filters"]:
            if row["name"] == "flights.late":
                row["sql"]["spark"] = "dep_delay > 100 "
        path.write_text(json.dumps(changed))
        predicat_spark.refresh(flights)
        assert ids(flights, "matches_filter('flights.late')") == [4]
        path.write_text('{"format": 1, "filt')
        with pytest.raises(Exception, match="cannot be read"):
            predicat_spark.refresh(flights)
        assert ids(flights, "matches_filter('flights.late')") == [4]
        path.write_text(json.dumps({**content, "format": 99}))
        with pytest.raises(Exception, match="upgrade it"):
            predicat_spark.refresh(flights)
        flights.conf.set("spark.predicat.manifest", str(tmp_path / "none.json"))
        with pytest.raises(Exception, match="there is no manifest"):
            ids(flights, "matches_filter('flights.late')")
        flights.conf.set("spark.predicat.manifest.checkSeconds", "soon")
        with pytest.raises(
            Exception, match="checkSeconds must be a number of seconds, at least 0, not 'soon'"
        ):
            ids(flights, "matches_filter('flights.late')")
    finally:
        flights.conf.set("spark.predicat.manifest", before)
        flights.conf.unset("spark.predicat.manifest.checkSeconds")


def test_on_unknown_accept_and_nan_parameters(flights: Any, tmp_path: Path) -> None:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "c.yml").write_text("""
apiVersion: predicat/v1
dataset: f
fields: {dep_delay: bigint, x: double}
filters:
  late: {sql: dep_delay > 15, on_unknown: accept}
  both: {all: [late]}
  above: {sql: "x > :y", params: {y: double}}
""")
    before = flights.conf.get("spark.predicat.manifest")
    try:
        flights.conf.set(
            "spark.predicat.manifest",
            str(predicat_spark.compile_manifest(tmp_path / "catalog", tmp_path / "manifest.json")),
        )
        assert ids(flights, "matches_filter('f.late')") == [1, 3, 4]
        assert ids(flights, "NOT matches_filter('f.late')") == [2]
        assert ids(flights, "matches_filter('f.both')") == [1, 3, 4]
        with pytest.raises(Exception, match="is NaN"):
            flights.sql(
                "SELECT 1 FROM (SELECT 1D AS x) WHERE matches_filter('f.above', y => double('NaN'))"
            ).collect()
        with pytest.raises(Exception, match=r"f.above needs a value for its parameter 'y'"):
            flights.sql("SELECT 1 FROM (SELECT 1D AS x) WHERE matches_filter('f.above')").collect()
    finally:
        flights.conf.set("spark.predicat.manifest", before)


def test_streaming(flights: Any, tmp_path: Path) -> None:
    flights.table("flights").write.parquet(str(tmp_path / "in"))
    stream = flights.readStream.schema(flights.table("flights").schema).parquet(str(tmp_path / "in"))
    query = (
        stream.where("matches_filter('flights.long_delay')")
        .writeStream.format("memory")
        .queryName("late_stream")
        .start()
    )
    try:
        query.processAllAvailable()
        assert sorted(row.flight for row in flights.table("late_stream").collect()) == [1, 4]
    finally:
        query.stop()


def test_a_builder_keeps_its_jars_and_class_path(tmp_path: Path) -> None:
    from pyspark.sql import SparkSession

    given = {"spark.jars": "a.jar", "spark.driver.extraClassPath": "b.jar", "spark.sql.extensions": "x.Y"}
    builder = predicat_spark.configure(SparkSession.Builder(), tmp_path / "manifest.json", given)
    for name, value in given.items():
        first, *rest = re.split("[,:]", builder._options[name])
        assert first == value and len(rest) == 1, name
