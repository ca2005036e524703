"""The rows and the plan of `matches_filter` are those of the predicate written by hand, in every clause."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import pytest

import predicat_spark
from predicat_spark.java import spark_version
from predicat_spark.settings import settings
from tests.rounds import rounds
from tests.spark.recorded import recorded_jar

CATALOG = """
apiVersion: predicat/v1
dataset: plans
fields: {delay: bigint, carrier: string, day: date, gate: int, ready: boolean}
filters:
  late: {sql: delay > 15}
  recent: {sql: "day >= DATE '2024-02-01'"}
  late_recent: {sql: "delay > 15 AND day >= DATE '2024-02-01'"}
  late_or_united: {sql: "delay > 15 OR carrier = 'UA'"}
  united: {sql: "carrier LIKE 'U%'"}
  majors: {sql: "carrier IN ('UA', 'AA')"}
  no_delay: {sql: delay IS NULL}
  other: {sql: "NOT (carrier = 'UA' AND delay <= 15)"}
  lax: {sql: delay > 15, on_unknown: accept}
  boarding: {sql: ready}
"""


@dataclass(frozen=True)
class Written:
    """What an engineer writes for a filter, and for the rows that it does not accept."""

    name: str
    accepts: str
    rejects: str


FILTERS = (
    Written("late", "delay > 15", "delay <= 15 OR delay IS NULL"),
    Written("recent", "day >= DATE'2024-02-01'", "day < DATE'2024-02-01' OR day IS NULL"),
    Written(
        "late_recent",
        "delay > 15 AND day >= DATE'2024-02-01'",
        "(delay <= 15 OR delay IS NULL) OR (day < DATE'2024-02-01' OR day IS NULL)",
    ),
    Written(
        "late_or_united",
        "delay > 15 OR carrier = 'UA'",
        "(delay <= 15 OR delay IS NULL) AND (carrier <> 'UA' OR carrier IS NULL)",
    ),
    Written("united", "carrier LIKE 'U%'", "carrier NOT LIKE 'U%' OR carrier IS NULL"),
    Written("majors", "carrier IN ('UA', 'AA')", "carrier NOT IN ('UA', 'AA') OR carrier IS NULL"),
    Written("no_delay", "delay IS NULL", "delay IS NOT NULL"),
    Written(
        "other",
        "carrier <> 'UA' OR delay > 15",
        "(carrier = 'UA' OR carrier IS NULL) AND (delay <= 15 OR delay IS NULL)",
    ),
    Written("lax", "delay > 15 OR delay IS NULL", "delay <= 15"),
    Written("boarding", "((ready))", "NOT ready OR ready IS NULL"),
)

CLAUSES = {
    "where": "SELECT id FROM {t} WHERE {c}",
    "and": "SELECT id FROM {t} WHERE {c} AND id > 1",
    "or": "SELECT id FROM {t} WHERE id = 3 OR {c}",
    "join": "SELECT a.id FROM {t} a JOIN ids b ON a.id = b.number AND {c}",
    "left join": "SELECT a.id, b.number FROM {t} a LEFT JOIN ids b ON a.id = b.number AND {c}",
    "having": "SELECT day, delay, carrier, ready FROM {t} GROUP BY day, delay, carrier, ready HAVING {c}",
    "having beside an aggregate": (
        "SELECT day, delay, carrier, ready, sum(id) FROM {t} GROUP BY ALL HAVING {c} AND count(*) > 0"
    ),
    "filter of an aggregate": "SELECT count(*) FILTER (WHERE {c}) FROM {t}",
    "argument of an aggregate": "SELECT sum(CASE WHEN {c} THEN id ELSE 0 END), count_if({c}) FROM {t}",
    "case": (
        "SELECT id, CASE WHEN id = 1 THEN 'one' WHEN {c} THEN 'in' ELSE 'out' END, if({c}, 1, 0) FROM {t}"
    ),
    "case in where": "SELECT id FROM {t} WHERE CASE WHEN {c} THEN id > 2 ELSE id < 2 END",
    "exists": "SELECT number FROM ids WHERE EXISTS (SELECT 1 FROM {t} o WHERE o.id = ids.number AND {c})",
    "in": "SELECT number FROM ids WHERE number NOT IN (SELECT id FROM {t} WHERE {c})",
    "cte": "WITH few AS (SELECT * FROM {t}) SELECT id FROM few WHERE {c} ORDER BY id LIMIT 3",
    "above a window": (
        "SELECT id FROM (SELECT *, row_number() OVER (PARTITION BY day ORDER BY id) AS place FROM {t}) "
        "WHERE {c} AND place = 1"
    ),
    "qualify": "SELECT id FROM {t} QUALIFY row_number() OVER (PARTITION BY day ORDER BY id) = 1 AND {c}",
    "qualify alone": (
        "SELECT id, row_number() OVER (PARTITION BY gate ORDER BY id) AS place FROM {t} QUALIFY {c}"
    ),
    "union": "SELECT id FROM (SELECT * FROM {t} UNION ALL SELECT * FROM {t}) WHERE {c}",
}

VALUES = {
    "select": "SELECT id, {c} AS said FROM {t}",
    "group by": "SELECT {c} AS said, count(*) FROM {t} GROUP BY {c}",
    "order by": "SELECT id FROM {t} ORDER BY {c}, id",
    "is null": "SELECT id FROM {t} WHERE ({c}) IS NULL",
    "equal": "SELECT id FROM {t} WHERE ({c}) = (id > 2)",
}

pytestmark = pytest.mark.usefixtures("one_query")
SOURCES = ("plans_v1", "plans_v2")
THOROUGH = ("where", "or", "having", "case", "exists")
# The clauses whose rows `make test` compares; their plans are compared for all.
MOST_USED = ("where", "join", "having", "case", "exists", "filter of an aggregate", "select")
FEW = ("late", "recent", "late_recent", "lax", "boarding")
ON_V2 = ("where", "left join", "having", "exists", "qualify alone", "select")


@pytest.fixture(scope="module")
def flights(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """One small table in memory, and, partitioned by day, as a V1 and as a V2 source."""
    folder = tmp_path_factory.mktemp("plans")
    (folder / "catalog").mkdir()
    (folder / "catalog" / "plans.yml").write_text(CATALOG)
    manifest = predicat_spark.compile_manifest(folder / "catalog", folder / "manifest.json")
    rows = """(1L, 20L, 'UA', 1, true, DATE'2024-01-01'), (2L, 5L, 'UA', 2, false, DATE'2024-02-01'),
        (3L, NULL, 'AA', 3, NULL, DATE'2024-03-01'), (4L, 90L, NULL, 4, true, NULL),
        (5L, 15L, 'DL', 5, NULL, DATE'2024-02-01'), (6L, 16L, 'US', 6, false, DATE'2024-02-29')"""
    memory = spark.sql(f"SELECT * FROM VALUES {rows} AS t(id, delay, carrier, gate, ready, day)")
    memory.createOrReplaceTempView("plans_memory")
    memory.coalesce(1).write.partitionBy("day").parquet(str(folder / "t"))
    spark.range(1, 7).withColumnRenamed("id", "number").createOrReplaceTempView("ids")
    with settings(spark, {"spark.predicat.manifest": str(manifest)}):
        for name, listed in zip(SOURCES, ("parquet", ""), strict=True):
            with settings(spark, {"spark.sql.sources.useV1SourceList": listed}):
                spark.read.parquet(str(folder / "t")).createOrReplaceTempView(name)
        yield spark
    for name in (*SOURCES, "ids", "plans_memory"):
        spark.catalog.dropTempView(name)


@dataclass(frozen=True)
class Query:
    """A query with the call, and as an engineer writes it; {t} stands for the source."""

    clause: str
    row: str
    ours: str
    theirs: str


def queries() -> Iterator[Query]:
    for (clause, text), row, accepted in product(CLAUSES.items(), FILTERS, (True, False)):
        if clause in THOROUGH or row.name in FEW:
            call = f"matches_filter('plans.{row.name}')"
            written = row.accepts if accepted else row.rejects
            yield Query(
                clause,
                row.name,
                text.replace("{c}", call if accepted else f"NOT {call}"),
                text.replace("{c}", f"({written})"),
            )
    for (clause, text), row in product(VALUES.items(), FILTERS):
        value = "((delay > 15) IS NOT FALSE)" if row.name == "lax" else f"(({row.accepts}) IS TRUE)"
        yield Query(
            clause,
            row.name,
            text.replace("{c}", f"matches_filter('plans.{row.name}')"),
            text.replace("{c}", value),
        )


QUERIES = tuple(queries())


def skip_unparsed(clause: str) -> None:
    """Skip a clause that the parser of the installed Spark does not know."""
    if "QUALIFY" in {**CLAUSES, **VALUES}[clause] and spark_version() < (4, 2):
        pytest.skip("Spark has QUALIFY from 4.2 on")


def scans(frame: Any) -> list[str]:
    """What the scans of a query are given, and the columns that they prune by."""
    plan = re.sub(r"#\d+L?", "", str(frame._jdf.queryExecution().executedPlan().toString()))
    return re.findall(r"(?:PushedFilters|PartitionFilters): \[.*?\]", plan)


def normal(frame: Any) -> str:
    """The optimized plan; the order of the columns of an inner projection says nothing."""
    plan = re.sub(r"#\d+L?", "", str(frame._jdf.queryExecution().optimizedPlan().toString()))
    return re.sub(r"Project \[(.*?)\]", lambda found: f"Project {sorted(found[1].split(', '))}", plan)


@pytest.mark.parametrize(
    ("clause", "source"),
    [(clause, SOURCES[0]) for clause in (*CLAUSES, *VALUES)] + [(clause, SOURCES[1]) for clause in ON_V2],
)
def test_plan_is_that_of_the_written_predicate(flights: Any, clause: str, source: str) -> None:
    skip_unparsed(clause)
    different: list[str] = []
    for query in QUERIES:
        if query.clause == clause:
            ours, theirs = (flights.sql(text.replace("{t}", source)) for text in (query.ours, query.theirs))
            left, right = (frame._jdf.queryExecution().optimizedPlan() for frame in (ours, theirs))
            if not (
                (left.sameResult(right) or normal(ours) == normal(theirs)) and scans(ours) == scans(theirs)
            ):
                different.append(f"{query.ours}\n{left}\n{right}\n{scans(ours)}\n{scans(theirs)}")
    assert not different, f"{len(different)} plans:\n" + "\n".join(different)


@pytest.mark.parametrize(
    "clause",
    [
        pytest.param(clause, marks=() if clause in MOST_USED else pytest.mark.slow)
        for clause in (*CLAUSES, *VALUES)
    ],
)
def test_rows_are_those_of_the_written_predicate(flights: Any, clause: str) -> None:
    skip_unparsed(clause)
    for query in rounds(QUERIES, 1):
        if query.clause == clause and query.row in ("late_recent", "lax", "boarding"):
            ours, theirs = (
                sorted(repr(tuple(row)) for row in flights.sql(text.replace("{t}", "plans_memory")).collect())
                for text in (query.ours, query.theirs)
            )
            assert ours == theirs, query.ours


def test_a_column_that_was_not_selected_is_read_as_by_hand(flights: Any) -> None:
    for condition in ("matches_filter('plans.late')", "NOT matches_filter('plans.late')"):
        ours = flights.table("plans_v1").select("id").where(condition)
        written = "delay > 15" if condition.startswith("m") else "delay <= 15 OR delay IS NULL"
        theirs = flights.table("plans_v1").select("id").where(written)
        assert (
            ours._jdf.queryExecution()
            .optimizedPlan()
            .sameResult(theirs._jdf.queryExecution().optimizedPlan())
        )
    with pytest.raises(Exception, match="reads the column 'delay'"):
        flights.sql("SELECT * FROM (SELECT id FROM plans_v1) s WHERE matches_filter('plans.late')").collect()


def test_a_call_is_named_by_its_filter(flights: Any) -> None:
    call = "matches_filter('plans.late')"
    assert flights.sql(f"SELECT {call}, NOT {call} FROM plans_v1").columns == [
        "matches_filter(plans.late)",
        "(NOT matches_filter(plans.late))",
    ]


# What BI tools and engineers write with columns that hold outcomes: {v} is a view with the columns f and g,
# {c} and {d} their predicates, {n} and {m} the conditions for the other rows.
FLAGS = {
    "flag": ("SELECT id FROM {v} WHERE f", "{c}"),
    "is true": ("SELECT id FROM {v} WHERE f IS TRUE", "{c}"),
    "= true": ("SELECT id FROM {v} WHERE f = true", "{c}"),
    "<=> true": ("SELECT id FROM {v} WHERE f <=> true", "{c}"),
    "<> false": ("SELECT id FROM {v} WHERE f <> false", "{c}"),
    "in true": ("SELECT id FROM {v} WHERE f IN (true)", "{c}"),
    "cast": ("SELECT id FROM {v} WHERE CAST(f AS int) = 1", "{c}"),
    "case": ("SELECT id FROM {v} WHERE CASE WHEN f THEN 'a' ELSE 'b' END = 'a'", "{c}"),
    "if": ("SELECT id FROM {v} WHERE IF(f, 1, 0) = 1", "{c}"),
    "coalesce": ("SELECT id FROM {v} WHERE coalesce(f, false)", "{c}"),
    "not": ("SELECT id FROM {v} WHERE NOT f", "{n}"),
    "= false": ("SELECT id FROM {v} WHERE f = false", "{n}"),
    "or": ("SELECT id FROM {v} WHERE f OR g", "({c}) OR ({d})"),
    "and": ("SELECT id FROM {v} WHERE f = true AND g = true", "({c}) AND ({d})"),
    "and not": ("SELECT id FROM {v} WHERE f AND NOT g", "({c}) AND ({m})"),
    "second subquery": ("SELECT id FROM (SELECT * FROM {v} WHERE id > 1) WHERE f", "id > 1 AND ({c})"),
    "view of a view": ("SELECT id FROM (SELECT id, f AND id > 1 AS h FROM {v}) WHERE h", "({c}) AND id > 1"),
    "both": ("SELECT id, f FROM {v} WHERE f", None, "SELECT id, ({c}) IS TRUE AS f FROM {t} WHERE {c}"),
    "groups": (
        "SELECT carrier, count(*) FROM {v} WHERE f = true GROUP BY carrier",
        None,
        "SELECT carrier, count(*) FROM {t} WHERE {c} GROUP BY carrier",
    ),
    "join": (
        "SELECT id FROM {v} JOIN ids ON id = number AND f",
        None,
        "SELECT id FROM {t} JOIN ids ON id = number AND ({c})",
    ),
    "left join": (
        "SELECT number, id FROM ids LEFT JOIN {v} ON id = number AND NOT f",
        None,
        "SELECT number, id FROM ids LEFT JOIN {t} ON id = number AND ({n})",
    ),
    "in a subquery": (
        "SELECT number FROM ids WHERE number IN (SELECT id FROM {v} WHERE f = true)",
        None,
        "SELECT number FROM ids WHERE number IN (SELECT id FROM {t} WHERE {c})",
    ),
    "union": (
        "SELECT id FROM (SELECT * FROM {v} UNION ALL SELECT * FROM {v}) WHERE f",
        None,
        "SELECT id FROM (SELECT * FROM {t} UNION ALL SELECT * FROM {t}) WHERE {c}",
    ),
    "call = true": ("SELECT id FROM {t} WHERE matches_filter('plans.{f}') = true", "{c}"),
    "call <> false": ("SELECT id FROM {t} WHERE matches_filter('plans.{f}') <> false", "{c}"),
    "call as int": ("SELECT id FROM {t} WHERE CAST(matches_filter('plans.{f}') AS int) = 1", "{c}"),
}


def of_flags(shape: str, one: Written, other: Written, source: str) -> tuple[str, str]:
    """A query over columns of outcomes, and the same with the predicates as they are written."""
    ours, condition, *whole = FLAGS[shape]
    view = (
        f"(SELECT *, matches_filter('plans.{one.name}') AS f, matches_filter('plans.{other.name}') AS g "
        f"FROM {source})"
    )
    words = {"{v}": view, "{t}": source, "{f}": one.name, "{c}": one.accepts, "{n}": one.rejects}
    words |= {"{d}": other.accepts, "{m}": other.rejects}
    result: list[str] = []
    for query in (ours, whole[0] if whole else f"SELECT id FROM {{t}} WHERE {condition}"):
        text = str(query)
        for word, meaning in words.items():
            text = text.replace(word, meaning)
        result.append(text)
    return result[0], result[1]


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("shape", FLAGS)
def test_columns_of_outcomes_are_pushed_down(flights: Any, shape: str, source: str) -> None:
    """Also to partitions, whose column two of the filters read."""
    different: list[str] = []
    for one, other in pairwise(row for row in FILTERS if row.name in (*FEW, "united", "majors")):
        ours, theirs = of_flags(shape, one, other, source)
        found, wanted = (pushed(flights.sql(text)) for text in (ours, theirs))
        if found != wanted:
            different.append(f"{ours}\n{found}\n{theirs}\n{wanted}")
    assert not different, f"{len(different)} plans:\n" + "\n".join(different)


def pushed(frame: Any) -> list[list[str]]:
    """What each scan of a query is given, whatever the order."""
    plan = re.sub(r"#\d+L?", "", str(frame._jdf.queryExecution().executedPlan().toString()))
    lists = re.findall(
        r"((?:PushedFilters|PartitionFilters): \[.*?\])(?=, [A-Z]\w+: |$| )", plan, re.MULTILINE
    )
    return [sorted(re.split(r"[][ ,]+", text)) for text in lists]


@pytest.mark.slow
@pytest.mark.parametrize("shape", FLAGS)
def test_rows_by_columns_of_outcomes(flights: Any, shape: str) -> None:
    for one, other in pairwise(FILTERS):
        ours, theirs = (
            sorted(repr(tuple(row)) for row in flights.sql(text).collect())
            for text in of_flags(shape, one, other, "plans_memory")
        )
        assert ours == theirs, (shape, one.name)


CHANGES = {
    "update": "UPDATE recorded.t SET gate = 0 WHERE {c}",
    "update by case": "UPDATE recorded.t SET gate = CASE WHEN {c} THEN 1 ELSE 2 END",
    "delete beside a subquery": "DELETE FROM recorded.t WHERE {c} AND id IN (SELECT number FROM ids)",
    "merge on": "MERGE INTO recorded.t USING ids ON id = number AND {c} WHEN MATCHED THEN DELETE",
    "merge matched": (
        "MERGE INTO recorded.t USING ids ON id = number WHEN MATCHED AND {c} THEN UPDATE SET gate = 0 WHEN "
        "MATCHED THEN DELETE"
    ),
    "merge not matched": (
        "MERGE INTO recorded.t USING plans_v1 s ON t.id = s.id WHEN NOT MATCHED AND {c} THEN INSERT (id, "
        "delay) VALUES (s.id, s.delay)"
    ),
    "merge not matched by source": (
        "MERGE INTO recorded.t USING plans_v1 s ON t.id = s.id WHEN NOT MATCHED BY SOURCE AND {c} THEN DELETE"
    ),
}


@pytest.fixture(scope="module")
def changes(flights: Any) -> Any:
    """A V2 source that takes DELETE, UPDATE and MERGE."""
    flights.sql(f"ADD JAR '{recorded_jar()}'")
    with settings(flights, {"spark.sql.catalog.recorded": "predicat.test.Recorded"}):
        yield flights


@pytest.mark.parametrize("name", [row.name for row in FILTERS])
def test_a_source_deletes_by_the_written_predicate(changes: Any, name: str) -> None:
    (row,) = [row for row in FILTERS if row.name == name]
    seen = (
        changes._jvm.Thread.currentThread()
        .getContextClassLoader()
        .loadClass("predicat.test.Recorded")
        .getMethod("deleted", None)
    )
    for call, written in (
        (f"matches_filter('plans.{name}')", row.accepts),
        (f"NOT matches_filter('plans.{name}')", row.rejects),
    ):
        told: list[str] = []
        for condition in (call, written):
            changes.sql(f"DELETE FROM recorded.t WHERE {condition}")
            told.append(seen.invoke(None, None))
        assert told[0] == told[1] and "<=>" not in told[0]


@pytest.mark.parametrize("change", CHANGES)
def test_changes_are_planned_by_the_written_predicate(changes: Any, change: str) -> None:
    for row in FILTERS:
        for call, written in (
            (f"matches_filter('plans.{row.name}')", row.accepts),
            (f"NOT matches_filter('plans.{row.name}')", row.rejects),
        ):
            plans: list[str] = []
            for condition in (call, f"({written})"):
                text = changes.sql("EXPLAIN EXTENDED " + CHANGES[change].replace("{c}", condition)).first()[0]
                found = re.sub(
                    r"#\d+L?",
                    "",
                    text.split("== Optimized Logical Plan ==")[1].split("== Physical Plan ==")[0],
                )
                plans.append(re.sub(r"\$anon\$\d+@[0-9a-f]+", "", found))
            assert plans[0] == plans[1]
