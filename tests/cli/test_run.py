"""predicat run: the pipeline, its report, and what a failure leaves."""

from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException

import predicat
import predicat_spark
from predicat_spark.pipeline.source import column_types

ROOT = Path(__file__).parent.parent.parent
CATALOG = predicat.load_catalog(ROOT / "catalog")


def test_report_and_output(spark: Any, tmp_path: Path) -> None:
    rows = [(index, None if index % 10 == 0 else index, "UA" if index % 2 else "AA") for index in range(200)]
    spark.createDataFrame(rows, "flight bigint, dep_delay bigint, carrier string").write.parquet(
        str(tmp_path / "in.parquet")
    )
    out = tmp_path / "out"
    report = predicat_spark.run(
        CATALOG, "flights", ["late_united", "long_delay"], str(tmp_path / "in.parquet"), out
    )
    assert report.rows == 200
    united = report.filters[0]
    expected = [row for row in rows if row[1] is not None and row[1] >= 60 and row[2] == "UA"]
    assert (united.accepted, united.unknown, united.guarded) == (len(expected), 0, 0)
    assert united.rejected == 200 - len(expected)
    assert report.filters[1].unknown == 20
    assert sorted(row.flight for row in spark.read.parquet(str(out / "late_united")).collect()) == [
        row[0] for row in expected
    ]
    assert "late_united" in predicat_spark.table(report)

    before = sorted(path.name for path in out.rglob("*"))
    with pytest.raises(predicat.PredicatError, match=r"no column 'tailnum'.*flights.jetblue_plane"):
        predicat_spark.run(
            CATALOG, "flights", ["jetblue_plane", "late_united"], str(tmp_path / "in.parquet"), out
        )
    with pytest.raises(predicat.PredicatError, match=r"there is no file or folder .*nothing.parquet"):
        predicat_spark.run(CATALOG, "flights", ["late"], str(tmp_path / "nothing.parquet"), out)
    assert sorted(path.name for path in out.rglob("*")) == before


def warehouse(spark: Any) -> Path:
    return Path(str(spark.conf.get("spark.sql.warehouse.dir")).removeprefix("file:"))


def test_tables_are_filled_and_keep_what_they_are(spark: Any, tmp_path: Path) -> None:
    """The definition of a table stays: its partitions, properties, comment and place; what does not fit is
    refused with the difference.
    """
    flights = "month int, carrier string, dep_delay bigint"
    spark.createDataFrame([(1, "UA", 70), (2, "AA", 80), (2, "UA", 5)], flights).write.parquet(
        str(tmp_path / "in")
    )
    place = tmp_path / "elsewhere"
    spark.sql(
        f"CREATE TABLE accepted_long_delay ({flights}) USING orc PARTITIONED BY (month) COMMENT 'kept' "
        f"LOCATION '{place}' TBLPROPERTIES ('team' = 'ops')"
    )
    spark.sql("INSERT INTO accepted_long_delay VALUES ('DL', 90, 9), ('DL', 95, 1)")

    def run(**more: Any) -> Any:
        return predicat_spark.run(
            CATALOG,
            "flights",
            ["long_delay", "late_united"],
            str(tmp_path / "in"),
            None,
            tables="default.accepted_",
            **more,
        )

    def rows(name: str) -> list[tuple[Any, ...]]:
        return sorted((row.month, row.carrier, row.dep_delay) for row in spark.table(name).collect())

    try:
        run(mode="overwrite_partitions")
        assert rows("accepted_long_delay") == [(1, "UA", 70), (2, "AA", 80), (9, "DL", 90)]
        run()
        assert rows("accepted_long_delay") == [(1, "UA", 70), (2, "AA", 80)] and rows(
            "accepted_late_united"
        ) == [(1, "UA", 70)]
        run(mode="append", at_least_once=True)
        assert len(rows("accepted_long_delay")) == 4
        about = {
            row.col_name: row.data_type
            for row in spark.sql("DESCRIBE TABLE EXTENDED accepted_long_delay").collect()
        }
        assert (about["Provider"], about["Comment"], about["Type"]) == (
            "orc",
            "kept",
            "EXTERNAL",
        ) and "team=ops" in about["Table Properties"]
        assert about["Location"].endswith("/elsewhere") and "# Partition Information" in about
        spark.sql("ALTER TABLE accepted_long_delay ADD COLUMN desk string")
        spark.sql("DROP TABLE accepted_late_united")
        spark.sql("CREATE VIEW accepted_late_united AS SELECT 1 AS one")
        with pytest.raises(predicat.PredicatError) as caught:
            run()
        assert [item.message for item in caught.value.diagnostics] == [
            "the rows do not fit into the table default.accepted_long_delay: the rows have no column desk",
            "default.accepted_late_united is a view, which cannot take rows",
        ]
        assert len(rows("accepted_long_delay")) == 4
    finally:
        spark.sql("DROP VIEW IF EXISTS accepted_late_united")
        spark.sql("DROP TABLE IF EXISTS accepted_long_delay")
    assert not list(warehouse(spark).glob("_predicat_runs/*/_predicat/run-*-*/"))


def test_files_without_types_are_read_as_declared(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(
        '{"event_time": "2026-01-01T00:00:00Z", "properties": {"region": "EU"}, "latency": 3}\n'
        '{"event_time": "yesterday", "properties": null, "latency": "slow"}\n'
    )
    (tmp_path / "in.csv").write_text("carrier,dep_delay\nUA,70\nUA,NA\nUA,x\nAA,5\n")
    report = predicat_spark.run(CATALOG, "events", ["region_eu"], str(tmp_path / "in.jsonl"), None)
    assert (report.filters[0].accepted, report.filters[0].unknown) == (1, 1)
    report = predicat_spark.run(CATALOG, "flights", ["long_delay"], str(tmp_path / "in.csv"), None)
    assert (report.filters[0].accepted, report.filters[0].unknown) == (1, 2)


def test_column_types_are_compared_with_the_declared_ones(spark: Any, tmp_path: Path) -> None:
    spark.createDataFrame([("70",)], "dep_delay string").write.parquet(str(tmp_path / "in.parquet"))
    with pytest.raises(
        predicat.PredicatError,
        match="has string in its column 'dep_delay', which the catalog declares as bigint",
    ):
        predicat_spark.run(CATALOG, "flights", ["long_delay"], str(tmp_path / "in.parquet"), None)


def test_blank_padded_columns_are_refused(spark: Any) -> None:
    """Spark fills CHAR(5) with blanks where it reads, and compares it without them."""
    spark.sql("CREATE TABLE padded (carrier CHAR(5), dep_delay BIGINT, name VARCHAR(5)) USING parquet")
    try:
        types = column_types(spark.table("padded"))
        assert types == {"carrier": "char(5)", "dep_delay": "bigint", "name": "varchar(5)"}
        with pytest.raises(
            predicat.PredicatError,
            match=r"has char\(5\) in its column 'carrier', which the catalog declares as string",
        ):
            predicat_spark.run(CATALOG, "flights", ["late_united"], "padded", None)
        for query in (
            "SELECT * FROM padded WHERE matches_filter('late_united')",
            "SELECT * FROM padded p WHERE matches_filter('late_united', p.*)",
        ):
            with pytest.raises(
                AnalysisException,
                match=r"reads the column 'carrier' as string, but the relation here has char\(5\) in it",
            ):
                spark.sql(query)
        spark.sql("SELECT dep_delay, name AS carrier FROM padded WHERE matches_filter('long_delay')")
    finally:
        spark.sql("DROP TABLE padded")


def test_guarded_counts_absorbed_errors(spark: Any, tmp_path: Path) -> None:
    rows = [({"tso": "420001"},), ({"tso": "n/a"},), ({},), (None,)]
    spark.createDataFrame(rows, "properties map<string, string>").write.parquet(str(tmp_path / "in.parquet"))
    report = predicat_spark.run(CATALOG, "events", ["after_tso"], str(tmp_path / "in.parquet"), None)
    found = report.filters[0]
    assert (found.accepted, found.rejected, found.unknown, found.guarded) == (1, 0, 3, 2)


def test_a_subscription_runs_its_filter(spark: Any, tmp_path: Path) -> None:
    spark.createDataFrame(
        [({"region": "EU"},), ({"region": "US"},)], "properties map<string, string>"
    ).write.parquet(str(tmp_path / "in.parquet"))
    report = predicat_spark.run(
        CATALOG, "events", ["eu-consumer"], str(tmp_path / "in.parquet"), tmp_path / "out"
    )
    assert report.filters[0].filter == "events.region_eu" and report.filters[0].accepted == 1
    assert (tmp_path / "out" / "eu-consumer").is_dir()
