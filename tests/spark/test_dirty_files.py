"""Dirty files on Spark: the counts of `match`, and the bad cells by name. All files are one query."""

from pathlib import Path
from typing import Any

import pytest

import predicat
import predicat_spark
from predicat.files import cells
from predicat.quality.plan import plan
from predicat_spark.pipeline.source import Reading, read_relation
from predicat_spark.quality import on_spark
from predicat_spark.settings import READING, settings
from tests.files.dirty import FILES, FILTERS, write
from tests.files.test_cells import BAD, CSV, KINDS, PARTS, TEXTS, converted, declared, documents, is_nan, part
from tests.files.test_dirty_files import UNREADABLE, matched, written
from tests.rounds import rounds

# Of few rows, compiling takes most of the time.
_INTERPRETED = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
}


def outcome(reading: Reading, catalog: predicat.Catalog, name: str) -> Any:
    """One row: the rows, what each filter accepts, and the bad cells of each column."""
    there = {column.lower() for column in reading.columns}
    sums = []
    for filter_ in FILTERS:
        predicate = catalog.accepted(f"orders.{filter_}")
        known = all(field.lower() in there for field in predicate.fields)
        sums.append(f"count_if({predicate.sql('spark')})" if known else "0L")
    cells = ", ".join(f"'{cell.column}', count({cell.sql})" for cell in reading.cells)
    return reading.frame.selectExpr(
        f"'{name}' AS name",
        "count(*) AS rows",
        f"array({', '.join(sums)}) AS accepted",
        f"map({cells}) AS bad",
    )


FEW = ("bad_number", "int_range", "scale", "short", "long", "line_in_quotes", "decimal_comma", "json_array")


@pytest.mark.parametrize("names", [FEW, pytest.param(tuple(FILES), marks=pytest.mark.slow, id="all")])
@pytest.mark.filterwarnings("ignore::predicat.api.UnknownKeyWarning")
def test_spark_counts_as_match_does(spark: Any, tmp_path: Path, names: tuple[str, ...]) -> None:
    wanted: dict[str, Any] = {}
    frames = []
    with settings(spark, {**READING, **_INTERPRETED}):
        for name in names:
            dirty, path = FILES[name], write(name, tmp_path / name)
            catalog = predicat.load_catalog(tmp_path / name / "catalog")
            rows, accepted, _ = matched(catalog, path)
            wanted[name] = (rows, [accepted[key] for key in FILTERS], dict(dirty.bad))
            frames.append(outcome(read_relation(spark, str(path), catalog.datasets["orders"]), catalog, name))
        whole = frames[0]
        for frame in frames[1:]:
            whole = whole.union(frame)
        found = {
            row.name: (row.rows, row.accepted, {key: count for key, count in row.bad.items() if count})
            for row in whole.collect()
        }
    assert found == wanted


SOME = ("bad_number", "no_header", "json_lines")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in SOME else pytest.mark.slow) for name in FILES]
)
@pytest.mark.filterwarnings("ignore::predicat.api.UnknownKeyWarning")
def test_quality_and_run_count_as_match_does(spark: Any, tmp_path: Path, name: str) -> None:
    path = write(name, tmp_path)
    catalog = predicat.load_catalog(tmp_path / "catalog")
    rows, accepted, bad = matched(catalog, path)
    with settings(spark, _INTERPRETED):
        found = on_spark(plan(catalog, "orders", (), "spark"), str(path))
        there = [filter_ for filter_ in FILTERS if f"orders.{filter_}" not in found.errors]
        report = predicat_spark.run(catalog, "orders", there, str(path))
    assert (found.rows, found.bad) == (rows, bad)
    assert {key.partition(".")[2]: count for key, count in found.accepted.items()} == {
        filter_: accepted[filter_] for filter_ in there
    }
    assert not any(accepted[key.partition(".")[2]] for key in found.errors)
    assert report.rows == rows
    assert {row.name: row.accepted for row in report.filters} == {
        filter_: accepted[filter_] for filter_ in there
    }
    assert {cell.column: cell.cells for cell in report.bad_cells} == bad.counts
    places = {name: [sample.place for sample in few] for name, few in bad.samples.items()}
    assert {cell.column: cell.places for cell in report.bad_cells} == places


def test_spark_refuses_what_the_other_readers_refuse(spark: Any, tmp_path: Path) -> None:
    """In their words, without a text of Spark. It would read a cell to the end of the file where a quote is
    not closed: the others go on behind it.
    """
    write("clean", tmp_path)
    catalog = predicat.load_catalog(tmp_path / "catalog")
    open_quote = ("quote.csv", b'id,note\n1,x\n2,"y\n3,z\n', "quote.csv:3: a quote is not closed")
    for name, data, said in (*UNREADABLE, open_quote):
        path = written(tmp_path, name, data)
        for read in (
            lambda: on_spark(plan(catalog, "orders", ("any",), "spark"), str(path)),  # noqa: B023  # called here
            lambda: predicat_spark.run(catalog, "orders", ["any"], str(path)),  # noqa: B023  # as above
        ):
            with pytest.raises(predicat.PredicatError) as caught:
                read()
            shown = caught.value.diagnostics[0].render()
            assert said in shown and "SQLSTATE" not in shown and "_corrupt" not in shown, (name, shown)


def _exact(sql: str, kind: str) -> str:
    """A float with all its digits: as a string it has the fewest that tell it from others."""
    return f"CAST({sql} AS DOUBLE)" if kind == "float" else sql


def test_a_text_means_the_same_on_spark(spark: Any) -> None:
    texts = [(text,) for text in TEXTS]
    sums = [
        f"CAST({_exact(cells.sql('spark', 'x', declared(kind), CSV), kind)} AS STRING) AS c{place}"
        for place, kind in enumerate(KINDS)
    ]
    with settings(spark, {**READING, **_INTERPRETED, "spark.sql.session.timeZone": "UTC"}):
        rows = spark.createDataFrame(texts, "x string").selectExpr("x", *sums).collect()
    for row in rounds(rows, 1):
        for place, kind in rounds(enumerate(KINDS), 1):
            wanted = converted(row.x, kind)
            assert (row[place + 1] is None) == (wanted is BAD or wanted is None), (
                row.x,
                kind,
                row[place + 1],
            )
            if row[place + 1] is not None and isinstance(wanted, int | float):
                shown = row[place + 1]
                assert (
                    (shown == str(wanted).lower())
                    if isinstance(wanted, bool)
                    else (float(shown) == wanted or is_nan(wanted))
                ), (row.x, kind)


def test_parts_of_json_mean_the_same_on_spark(spark: Any, tmp_path: Path) -> None:
    """One file, a field for each type, and a row for each document."""
    rows = {kind: list(documents(kind).items()) for kind in PARTS}
    fields = "".join(f"  x{place}: '{part(kind).shown_type}'\n" for place, kind in enumerate(PARTS))
    head = "apiVersion: predicat/v1\ndataset: d\nfields:\n  id: bigint\n"
    (tmp_path / "c.yml").write_text(f"{head}{fields}filters: {{any: {{sql: id > 0}}}}\n")
    lines = [
        f'{{"id": {id_}, '
        + ", ".join(
            f'"x{place}": {rows[kind][id_][0]}' for place, kind in enumerate(PARTS) if id_ < len(rows[kind])
        )
        + "}"
        for id_ in range(max(map(len, rows.values())))
    ]
    (tmp_path / "in.jsonl").write_text("\n".join(lines))
    dataset = predicat.load_catalog(tmp_path).datasets["d"]
    with settings(spark, {**READING, **_INTERPRETED}):
        found = read_relation(spark, str(tmp_path / "in.jsonl"), dataset).frame.orderBy("id").collect()
    for place, kind in rounds(enumerate(PARTS), 4):
        fits = [row[f"x{place}"] is not None for row in found[: len(rows[kind])]]
        assert fits == [fits for _, fits in rows[kind]], kind
