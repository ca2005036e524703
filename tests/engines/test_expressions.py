"""A field that is an expression over the columns of its relation, on every engine."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import duckdb
import pytest

import predicat
from predicat import PredicatError, load_catalog
from predicat.backends.sql import expressions
from predicat.catalog.manifest import build_manifest
from predicat.lint import findings
from tests.cli.test_commands import run
from tests.deploy.test_connections import dsn_of
from tests.exporting.written import dbt_package

CATALOG = """\
apiVersion: predicat/v1
dataset: places
relation: {postgres: public.places_of_expressions, duckdb: data/places.parquet}
fields:
  id: bigint
  path:
    {type: string, expression: {postgres: "array_to_string(Path, '.')", duckdb: "concat_ws('.', top, sub)"}}
  low: {type: bigint, expression: {postgres: "lower(span)::bigint", duckdb: "span[1]"}}
filters:
  science:
    description: In science, from 3 on.
    owner: me@example.com
    sql: path LIKE 'Top.Science%' AND low >= 3
    tests:
      - {row: {path: Top.Science.Astronomy, low: 3}, matches: true}
      - {row: {path: Top.Science, low: 2}, matches: false}
"""
WITH_KEY = CATALOG.replace("fields:", "key: low\nfields:") + (
    "  any: {description: All places., owner: me@example.com, sql: id > 0}\n"
)


@pytest.fixture
def project(postgres: Any, tmp_path: Path) -> Iterator[Path]:
    for name in ("catalog", "data"):
        (tmp_path / name).mkdir()
    (tmp_path / "catalog" / "places.yml").write_text(CATALOG)
    (tmp_path / "predicat.yml").write_text("catalog: places\n")
    duckdb.sql(
        "COPY (SELECT * FROM (VALUES"
        " (1::BIGINT, 'Top', 'Science', [3::BIGINT, 9]), (2, 'Top', 'Arts', [5, 9]),"
        f" (3, 'Top', 'Science', [1, 9])) AS t (id, top, sub, span)) TO '{tmp_path}/data/places.parquet'"
    )
    postgres.execute("CREATE TABLE public.places_of_expressions (id bigint, path text[], span int8range)")
    postgres.execute(
        "INSERT INTO public.places_of_expressions VALUES"
        " (1, '{Top,Science}', '[3,9)'), (2, '{Top,Arts}', '[5,9)'),"
        " (3, '{Top,Science}', '[1,9)')"
    )
    yield tmp_path
    postgres.execute("DROP TABLE public.places_of_expressions CASCADE")


def test_checks_views_and_counts_use_it(project: Path, postgres: Any) -> None:
    dsn = dsn_of(postgres)
    for engine, more in (("postgres", ("--dsn", dsn)), ("duckdb", ())):
        done = run("check", "--relation", engine, *more, cwd=project)
        assert (done.returncode, done.stderr) == (0, "")
        measured = run("quality", "run", "--engine", engine, *more, cwd=project)
        assert measured.returncode == 0 and "places.science         1  33.33%" in measured.stdout, measured
        tested = run("test", "--engine", engine, *more, cwd=project)
        assert tested.returncode == 0, tested.stdout + tested.stderr
    assert run("apply", "--schema", "public", "--dsn", dsn, cwd=project).returncode == 0
    assert postgres.execute("SELECT id FROM public.places__science").fetchall() == [(1,)]
    for more in (("--dsn", dsn), ("--input", "data/places.parquet")):
        found = run("seek", "places.science", *more, cwd=project)
        assert found.returncode == 0 and "id: 1\n" in found.stdout, found
    explained = run("explain", "places.science", cwd=project).stdout
    assert (
        "reads public.places_of_expressions on postgres: array_to_string(Path, '.'), lower(span)::bigint"
        in explained
    )
    assert "ARRAY_TO_STRING(path, '.') LIKE" in explained


def test_rows_are_ordered_matched_and_shown_by_it(project: Path, postgres: Any) -> None:
    dsn = dsn_of(postgres)
    (project / "catalog" / "places.yml").write_text(WITH_KEY)
    for more in (("--dsn", dsn), ("--input", "data/places.parquet")):
        ordered = run("seek", "places.any", "--order-by", "low", *more, cwd=project)
        assert ordered.returncode == 0 and "id: 3\n" in ordered.stdout, ordered
    matched = run("match", "places", "--input", "data/places.parquet", cwd=project)
    assert matched.stdout.splitlines() == ["low=3\tany, science", "low=5\tany", "low=1\tany"], matched
    (project / "rows.csv").write_text("id,path,low\n1,Top.Science,3\n")
    refused = run("match", "places", "--input", "rows.csv", cwd=project)
    assert refused.returncode == 2 and "the field 'path' is an expression" in refused.stderr
    for step in (
        ("init", "-q"),
        ("add", "."),
        ("-c", "user.name=me", "-c", "user.email=me@x", "commit", "-qm", "a"),
    ):
        subprocess.run(["git", *step], cwd=project, check=True)
    (project / "catalog" / "places.yml").write_text(
        WITH_KEY.replace("low >= 3", "low >= 1").replace("low: 2}", "low: 0}")
    )
    known = {"host": postgres.info.host, "user": postgres.info.user, "dbname": postgres.info.dbname}
    url = f"postgresql:///?{urlencode({**known, 'port': postgres.info.port})}"
    done = run("diff", "HEAD", "--data", url, cwd=project)
    assert 'gained {low: 1, path: "Top.Science"}' in done.stdout, done.stderr + done.stdout


def test_what_a_relation_lacks_has_the_place_of_the_field(project: Path, postgres: Any) -> None:
    file = project / "catalog" / "places.yml"
    file.write_text(CATALOG.replace("(Path, '.')", "(nope, '.')").replace("'.', top", "'.', nope"))
    for engine, more in (("postgres", ("--dsn", dsn_of(postgres))), ("duckdb", ())):
        done = run("check", "--relation", engine, *more, cwd=project)
        assert done.returncode == 1 and "places.yml:6:3" in done.stderr and "nope" in done.stderr, done
    file.write_text(
        CATALOG.replace("low: {type: bigint", "low: {type: string").replace("low >= 3", "low >= '3'")
    )
    file.write_text(file.read_text().replace("low: 3}", "low: '3'}").replace("low: 2}", "low: '2'}"))
    for engine, more in (("postgres", ("--dsn", dsn_of(postgres))), ("duckdb", ())):
        done = run("check", "--relation", engine, *more, cwd=project)
        assert done.returncode == 1 and "which the catalog declares as string" in done.stderr, done
        assert "places.yml:8:3" in done.stderr
    postgres.execute(
        "CREATE FUNCTION public.of_now(text[]) RETURNS text LANGUAGE sql AS 'SELECT now()::text'"
    )
    try:
        file.write_text(CATALOG.replace("array_to_string(Path, '.')", "of_now(path)"))
        done = run("check", "--relation", "postgres", "--dsn", dsn_of(postgres), cwd=project)
    finally:
        postgres.execute("DROP FUNCTION public.of_now")
    assert done.returncode == 1 and "the function of_now is VOLATILE" in done.stderr


def test_lint_names_a_field_without_an_index(project: Path) -> None:
    found = findings.collect(load_catalog(project / "catalog"), ["P305"])
    assert [(item.name, item.span.text) for item in found] == [
        *[("places.path", "path")] * 2,
        *[("places.low", "low")] * 2,
    ]
    file = project / "catalog" / "places.yml"
    indexes = "indexes: [\"(array_to_string(path, '.'))\", '((lower(span)::bigint))']\n"
    file.write_text(CATALOG.replace("fields:\n", f"{indexes}fields:\n"))
    found = findings.collect(load_catalog(project / "catalog"), ["P305"])
    assert [item.message.partition(" reads ")[0] for item in found] == [
        f"the field {name} is the expression {text}: DuckDB"
        for name, text in (("path", "concat_ws('.', top, sub)"), ("low", "span[1]"))
    ]


def test_an_index_of_the_expression_serves(postgres: Any) -> None:
    postgres.execute("CREATE TABLE public.indexed_expression (id bigint, r int8range)")
    postgres.execute(
        "INSERT INTO public.indexed_expression"
        " SELECT i, int8range(i, i + 2) FROM generate_series(1, 20000) AS i"
    )
    postgres.execute("CREATE INDEX ON public.indexed_expression ((lower(r)))")
    postgres.execute("ANALYZE public.indexed_expression")
    low = {"type": "bigint", "expression": {"postgres": "lower(r)"}}
    sql = predicat.parse("low BETWEEN 5 AND 7", "sql", {"low": low}).sql("postgres")
    try:
        plan = postgres.execute(f"EXPLAIN SELECT * FROM public.indexed_expression WHERE {sql}").fetchall()
    finally:
        postgres.execute("DROP TABLE public.indexed_expression")
    assert "Index" in plan[0][0], (sql, plan)


def test_spark(spark: Any) -> None:
    low = {"type": "bigint", "expression": {"spark": "cast(hex(b) AS bigint) + 1"}}
    found = predicat.parse(
        "low >= 5 AND size(filter(xs, b -> b > low)) > 0".replace(
            "size(filter(xs, b -> b > low)) > 0", "exists(xs, b -> b > low)"
        ),
        "spark",
        {"low": low, "xs": "array<bigint>"},
    )
    frame = spark.createDataFrame(
        [(b"\x04", [6]), (b"\x03", [6]), (b"\x09", [6])], "b binary, xs array<bigint>"
    )
    assert [row[0] for row in frame.selectExpr(found.sql("spark")).collect()] == [True, False, False]


def test_macros_of_dbt_have_the_prefix_on_each_column(project: Path) -> None:
    for _ in range(2):  # the tree of the expression is not changed
        assert dbt_package(load_catalog(project / "catalog"), project / "dbt") == (1, [])
        macros = "".join(path.read_text() for path in (project / "dbt").rglob("*.sql"))
        assert 'ARRAY_TO_STRING(" ~ prefix ~ "path, ' in macros and 'LOWER(" ~ prefix ~ "span)' in macros


def test_the_manifest_has_it(project: Path) -> None:
    manifest = build_manifest(load_catalog(project / "catalog"))
    assert manifest["datasets"]["places"]["fields"]["path"]["expressions"] == {
        "postgres": "array_to_string(Path, '.')",
        "duckdb": "concat_ws('.', top, sub)",
    }
    (row,) = manifest["filters"]
    assert row["columns"] == {
        "spark": ["path", "low"],
        "postgres": ["path", "span"],
        "duckdb": ["top", "sub", "span"],
    }


@pytest.mark.parametrize(
    ("engine", "text", "why"),
    [
        ("postgres", "a; DROP TABLE x", "one expression"),
        ("postgres", "(SELECT 1)", "no subquery"),
        ("postgres", "a IN (SELECT 1)", "no subquery"),
        ("postgres", "TRUNCATE t(a)", "no statement"),
        ("postgres", "COPY t(a) FROM 'x'", "no statement"),
        ("postgres", "DELETE FROM t WHERE a = 1", "no statement"),
        ("postgres", "(a, b)", "no statement"),
        ("postgres", "sum(a)", "no aggregate"),
        ("postgres", "count(*) OVER () + a", "no aggregate"),
        ("postgres", "$1 + a", "parameter"),
        ("postgres", "generate_series(1, a)", "several rows"),
        ("postgres", "random() + a", "another value each time"),
        ("postgres", "now() - a", "another value each time"),
        ("duckdb", "current_date - a", "another value each time"),
        ("spark", "uuid() || a", "another value each time"),
        ("spark", "reflect('java.lang.System', 'getProperty', 'user.home') || a", "reaches beyond"),
        ("postgres", "pg_catalog.pg_read_file('/etc/passwd') || a", "reaches beyond"),
        ("postgres", "table_to_xml('t', true, false, '')::text || a", "reaches beyond"),
        ("duckdb", "getenv('HOME') || a", "reaches beyond"),
        ("postgres", "t.a", "without a table"),
        ("postgres", "1", "reads no column"),
        ("postgres", "a +", "cannot be read"),
        ("postgres", "a AS b", "no alias"),
    ],
)
def test_what_is_no_expression_is_refused(engine: str, text: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(expressions.BadExpression, match=why):
        expressions.read(text, engine)
    field = {"type": "bigint", "expression": {engine: text}}
    with pytest.raises(PredicatError, match=why):
        predicat.parse("a > 1", "sql", {"a": field})
    quoted = text.replace("'", "''")
    (tmp_path / "d.yml").write_text(
        "apiVersion: predicat/v1\ndataset: d\nfields:\n"
        f"  a: {{type: bigint, expression: {{{engine}: '{quoted}'}}}}\n"
    )
    with pytest.raises(PredicatError) as caught:
        load_catalog(tmp_path)
    assert [problem.span.text for problem in caught.value.diagnostics] == [f"'{quoted}'"]


def test_a_column_and_an_expression_of_one_engine(tmp_path: Path) -> None:
    (tmp_path / "d.yml").write_text(
        "apiVersion: predicat/v1\ndataset: d\nfields:\n"
        "  a: {type: bigint, column: {postgres: b}, expression: {postgres: b + 1}}\n"
        "  c: {type: bigint, column: {duckdb: b}, expression: {postgres: b + 1}}\n"
    )
    with pytest.raises(PredicatError) as caught:
        load_catalog(tmp_path)
    assert [problem.code for problem in caught.value.diagnostics] == ["bad-value"]
