"""Tables of formats that know which run has written: with a catalog of our own (tests/spark/Versioned.scala),
which does what Delta and Iceberg say of their tables. Their jars are not had here.
"""

from pathlib import Path
from typing import Any

import pytest

import predicat
import predicat_spark
from predicat_spark.pipeline.commit import Target
from predicat_spark.pipeline.tables import settle_table
from tests.pipeline.numbers import catalog_in, source_in

ROWS = 20
ONCE = ("delta", "iceberg")


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> predicat.Catalog:
    return catalog_in(tmp_path_factory.mktemp("catalog"))


@pytest.mark.parametrize("provider", ONCE)
def test_a_repeated_append_adds_nothing(versioned: Any, provider: str) -> None:
    """Of a run, and of the batches of a stream; another one is appended."""
    table = f"versioned.db.repeated_{provider}"
    runs = (
        "20260101T000000-0123abcd",
        "20260101T000000-0123abce",
        "0123abcd-0123-000009",
        "0123abcd-0123-000010",
    )
    try:
        for place, run in enumerate(runs):
            for _ in range(2):
                target = Target("table", table, "accepted", "even", "append", provider, "")
                assert settle_table(versioned, target, versioned.sql(f"SELECT {place} AS n"), run)
            # Of one run, rows of another kind or filter are others.
            target = Target("table", table, "unknown", "even", "append", provider, "")
            assert settle_table(versioned, target, versioned.sql(f"SELECT {place} + 100 AS n"), run)
        found = sorted(row.n for row in versioned.table(table).collect())
        assert found == [0, 1, 2, 3, 100, 101, 102, 103]
    finally:
        versioned.sql(f"DROP TABLE {table}")


def test_an_append_that_may_repeat_is_refused(
    versioned: Any, catalog: predicat.Catalog, tmp_path: Path
) -> None:
    """A new table is of the format that the sink names, or Parquet; one that exists of its own."""
    places = ("", "versioned.db.plain_")
    versioned.sql("CREATE TABLE versioned.db.plain_even (n bigint, run bigint) USING other")
    try:
        for tables in places:
            with pytest.raises(
                predicat.PredicatError,
                match=r"(?s)table .*even may be there twice after a kill.*--at-least-once",
            ):
                predicat_spark.run(
                    catalog, "numbers", ["even"], source_in(tmp_path, 0, ROWS), tables=tables, mode="append"
                )
        assert not versioned.catalog.tableExists("even")
        predicat_spark.run(
            catalog,
            "numbers",
            ["even"],
            source_in(tmp_path, 0, ROWS),
            tables="versioned.db.plain_",
            mode="append",
            at_least_once=True,
        )
        assert versioned.table("versioned.db.plain_even").count() == ROWS // 2
    finally:
        versioned.sql("DROP TABLE versioned.db.plain_even")


# Statements with the filter, and as they are written by hand.
CHANGES = (
    "DELETE FROM {t} WHERE {c}",
    "DELETE FROM {t} WHERE NOT {c}",
    "UPDATE {t} SET flight = -flight WHERE {c}",
    (
        "MERGE INTO {t} t USING {s} s ON t.flight = s.flight + 1 WHEN MATCHED AND {c_of_t} THEN DELETE "
        "WHEN MATCHED THEN UPDATE SET carrier = s.carrier WHEN NOT MATCHED THEN INSERT *"
    ),
    "INSERT OVERWRITE {t} SELECT * FROM {t} WHERE {c}",
    "CREATE OR REPLACE TABLE {t} USING delta AS SELECT * FROM {s} WHERE {c}",
)
BY_HAND = "((carrier = 'UA' AND dep_delay >= 60) IS TRUE)"


@pytest.mark.slow  # a table is written for each
def test_changes_of_rows(versioned: Any) -> None:
    """DELETE, UPDATE and MERGE, and an atomic replacement, change the rows that a filter accepts."""
    names = [f"versioned.db.{name}" for name in ("ours", "theirs", "base")]
    ours, theirs, base = names
    rows = (
        "SELECT id AS flight, IF(id % 7 = 0, NULL, id) AS dep_delay, "
        "CASE id % 3 WHEN 0 THEN 'UA' WHEN 1 THEN 'AA' END AS carrier FROM range(200)"
    )
    written = (
        (ours, "matches_filter('flights.late_united')", "matches_filter('flights.late_united', 't')"),
        (theirs, BY_HAND, BY_HAND.replace("carrier", "t.carrier").replace("dep_delay", "t.dep_delay")),
    )
    try:
        for name in names:
            versioned.sql(f"CREATE TABLE {name} USING delta AS {rows}")
        before = sorted(repr(tuple(row)) for row in versioned.table(base).collect())
        found: list[list[str]] = []
        for change in CHANGES:
            found.clear()
            for table, condition, of_t in written:
                versioned.sql(f"INSERT OVERWRITE {table} SELECT * FROM {base}")
                versioned.sql(change.format(t=table, s=base, c=condition, c_of_t=of_t))
                found.append(sorted(repr(tuple(row)) for row in versioned.table(table).collect()))
            assert found[0] == found[1] and found[0] not in ([], before), change
        # A replacement that fails leaves the rows of before.
        with pytest.raises(Exception, match="by hand"):
            versioned.sql(
                f"CREATE OR REPLACE TABLE {ours} AS SELECT IF(flight = 90, raise_error('by hand'), flight) "
                f"AS x FROM {base} WHERE {written[0][1]}"
            )
        assert sorted(repr(tuple(row)) for row in versioned.table(ours).collect()) == found[0]
    finally:
        for name in names:
            versioned.sql(f"DROP TABLE IF EXISTS {name}")
