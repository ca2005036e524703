"""predicat run: the pipeline, its report, and what a failure leaves."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException

import predicat
import predicat_spark
from predicat_spark.jobs import column_types

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
    assert report["rows"] == 200
    united = report["filters"][0]
    expected = [row for row in rows if row[1] is not None and row[1] >= 60 and row[2] == "UA"]
    assert (united["accepted"], united["unknown"], united["guarded"]) == (len(expected), 0, 0)
    assert united["rejected"] == 200 - len(expected)
    assert report["filters"][1]["unknown"] == 20
    assert sorted(row.flight for row in spark.read.parquet(str(out / "late_united")).collect()) == [
        row[0] for row in expected
    ]
    assert "late_united" in predicat_spark.table(report)

    before = sorted(path.name for path in out.rglob("*"))
    with pytest.raises(predicat.PredicatError, match="no column 'tailnum'.*flights.jetblue_plane"):
        predicat_spark.run(
            CATALOG, "flights", ["jetblue_plane", "late_united"], str(tmp_path / "in.parquet"), out
        )
    with pytest.raises(predicat.PredicatError, match="Spark failed"):
        predicat_spark.run(CATALOG, "flights", ["late"], str(tmp_path / "nothing.parquet"), out)
    assert sorted(path.name for path in out.rglob("*")) == before


def test_output_of_a_run_that_was_killed_comes_back(spark: Any, tmp_path: Path) -> None:
    spark.createDataFrame([(70,), (10,)], "dep_delay bigint").write.parquet(str(tmp_path / "in"))
    out = tmp_path / "out"
    predicat_spark.run(CATALOG, "flights", ["long_delay"], str(tmp_path / "in"), out)
    (out / "long_delay").rename(out / f".old-long_delay-{'0a' * 16}")  # as it lies between the two renames
    (out / f".old-other-{'0a' * 16}").mkdir()
    row = next(row for row in CATALOG.filters() if row.name == "long_delay")
    with pytest.raises(
        Exception, match="dep_delay"
    ):  # the columns lack what the filter reads: nothing new is written
        predicat_spark.jobs.write(spark, spark.range(1), [("long_delay", row)], str(out))
    assert [row.dep_delay for row in spark.read.parquet(str(out / "long_delay")).collect()] == [70]
    assert (out / f".old-other-{'0a' * 16}").exists()


def warehouse(spark: Any) -> Path:
    return Path(str(spark.conf.get("spark.sql.warehouse.dir")).removeprefix("file:"))


def test_tables_are_replaced_whole(spark: Any, tmp_path: Path) -> None:
    for delays in ([70], [70, 10], [70, 80, None]):
        folder = tmp_path / str(len(delays))
        spark.createDataFrame([(delay,) for delay in delays], "dep_delay bigint").write.parquet(str(folder))
        predicat_spark.run(CATALOG, "flights", ["long_delay"], str(folder), None, tables="default.accepted_")
        assert spark.table("accepted_long_delay").count() == len(
            [delay for delay in delays if delay in (70, 80)]
        )
    (place,) = warehouse(spark).glob("accepted_*")  # the table points to new files, and the old ones are gone
    assert re.fullmatch("accepted_long_delay__[0-9a-f]{32}", place.name)
    try:
        with pytest.raises(predicat.PredicatError):
            predicat_spark.run(
                CATALOG, "flights", ["long_delay"], str(tmp_path / "none"), None, tables="default.accepted_"
            )
        assert spark.table("accepted_long_delay").count() == 2
        assert [
            row.name for row in spark.catalog.listTables("default") if row.name.startswith("accepted")
        ] == ["accepted_long_delay"]
        spark.sql(
            "CREATE VIEW accepted_long_haul AS SELECT 1 AS one"
        )  # cannot be replaced: the first table comes back
        spark.createDataFrame([(90, 2500)], "dep_delay bigint, distance bigint").write.parquet(
            str(tmp_path / "more")
        )
        with pytest.raises(predicat.PredicatError):
            predicat_spark.run(
                CATALOG,
                "flights",
                ["long_delay", "long_haul"],
                str(tmp_path / "more"),
                None,
                tables="default.accepted_",
            )
        assert spark.table("accepted_long_delay").count() == 2 and spark.table(
            "accepted_long_haul"
        ).columns == ["one"]
        assert sorted(
            row.name for row in spark.catalog.listTables("default") if row.name.startswith("accepted")
        ) == ["accepted_long_delay", "accepted_long_haul"]
        spark.sql("DROP VIEW accepted_long_haul")
        predicat_spark.run(
            CATALOG, "flights", ["long_delay"], str(tmp_path / "more"), None, tables="default.accepted_"
        )  # of other columns
        assert spark.table("accepted_long_delay").collect() == [(90, 2500)]
        spark.sql(
            f"ALTER TABLE accepted_long_delay RENAME TO accepted_long_delay__old_{'0a' * 16}"
        )  # as a run leaves it that is killed there
        with pytest.raises(predicat.PredicatError):
            predicat_spark.run(
                CATALOG,
                "flights",
                ["long_delay", "late_united"],
                str(tmp_path / "more"),
                None,
                tables="default.accepted_",
            )  # no carrier
        spark.sql("CREATE VIEW accepted_long_haul AS SELECT 1 AS one")
        with pytest.raises(predicat.PredicatError):
            predicat_spark.run(
                CATALOG,
                "flights",
                ["long_delay", "long_haul"],
                str(tmp_path / "more"),
                None,
                tables="default.accepted_",
            )
        assert spark.table("accepted_long_delay").collect() == [(90, 2500)]
        spark.sql("DROP VIEW accepted_long_haul")
    finally:
        spark.sql("DROP VIEW IF EXISTS accepted_long_haul")
        spark.sql("DROP TABLE accepted_long_delay")
    assert not list(warehouse(spark).glob("accepted_*"))


def test_files_without_types_are_read_as_declared(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(
        '{"event_time": "2026-01-01T00:00:00Z", "properties": {"region": "EU"}, "latency": 3}\n'
        '{"event_time": "yesterday", "properties": null, "latency": "slow"}\n')  # fmt: skip
    (tmp_path / "in.csv").write_text("carrier,dep_delay\nUA,70\nUA,NA\nUA,x\nAA,5\n")
    report = predicat_spark.run(CATALOG, "events", ["region_eu"], str(tmp_path / "in.jsonl"), None)
    assert (report["filters"][0]["accepted"], report["filters"][0]["unknown"]) == (1, 1)
    report = predicat_spark.run(CATALOG, "flights", ["long_delay"], str(tmp_path / "in.csv"), None)
    assert (report["filters"][0]["accepted"], report["filters"][0]["unknown"]) == (1, 2)


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
    found = report["filters"][0]
    assert (found["accepted"], found["rejected"], found["unknown"], found["guarded"]) == (1, 0, 3, 2)


def test_a_subscription_runs_its_filter(spark: Any, tmp_path: Path) -> None:
    spark.createDataFrame(
        [({"region": "EU"},), ({"region": "US"},)], "properties map<string, string>"
    ).write.parquet(str(tmp_path / "in.parquet"))
    report = predicat_spark.run(
        CATALOG, "events", ["eu-consumer"], str(tmp_path / "in.parquet"), tmp_path / "out"
    )
    assert report["filters"][0]["filter"] == "events.region_eu" and report["filters"][0]["accepted"] == 1
    assert (tmp_path / "out" / "eu-consumer").is_dir()
