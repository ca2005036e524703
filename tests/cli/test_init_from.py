"""`predicat init --from`: the dataset of a file or table, checked and measured on it."""

from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

import predicat
from predicat import PredicatError, backends
from predicat.catalog.file_formats import FileFormat
from predicat.deploy import describe
from predicat.deploy.first_project import without_password
from predicat.deploy.starter import dataset_text
from tests.cli.test_commands import run
from tests.deploy.test_connections import dsn_of

ROWS = """(SELECT * FROM (VALUES (1, 12.5, 'DE', TIMESTAMP '2026-01-02 03:04:05'), (2, NULL, 'FR', NULL),
  (-3, 7.25, NULL, NULL))
           AS t ("Order ID", amount, "on", "placed at"))"""


def write(folder: Path, name: str, rows: str = ROWS) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"COPY {rows} TO '{folder / name}'")


@pytest.mark.parametrize("name", ["Orders 2026.csv", "Orders 2026.parquet"])
def test_a_file_becomes_a_dataset_with_a_first_filter(tmp_path: Path, name: str) -> None:
    write(tmp_path, name)
    done = run("init", "--from", name, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    text = (tmp_path / "catalog" / "orders_2026.yml").read_text()
    # CSV has no widths, and times there are in UTC.
    kind, local = ("int", "_ntz") if name.endswith("parquet") else ("bigint", "")
    for line in (
        f"order_id: {{type: {kind}, column: Order ID}}",
        "'on': string",
        f"placed_at: {{type: timestamp{local}, column: placed at}}",
    ):
        assert f"  {line}\n" in text
    assert "amount: double" in text or "amount: decimal(4,2)" in text
    assert run("check", cwd=tmp_path).stdout == "1 dataset, 1 filter in 1 version, 3 tests passed\n"
    measured = run("quality", "run", "--engine", "duckdb", cwd=tmp_path)
    assert measured.returncode == 0 and "orders_2026.positive_amount         2  66.67%" in measured.stdout
    again = run("init", "--from", name, cwd=tmp_path)
    assert again.returncode == 2 and "already exists" in again.stderr


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".json"])
def test_a_folder_of_files_becomes_a_dataset(tmp_path: Path, ending: str) -> None:
    (tmp_path / "orders").mkdir()
    write(tmp_path, f"orders/part-0{ending}")
    write(tmp_path, f"orders/part-1{ending}")
    (tmp_path / "orders" / "_SUCCESS").touch()
    done = run("init", "--from", "orders", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    measured = run("quality", "run", "--engine", "duckdb", cwd=tmp_path)
    assert "orders on duckdb: 6 rows" in measured.stdout
    found = run("seek", "positive_amount", "--input", "orders", cwd=tmp_path)
    assert found.returncode == 0 and "Order ID: 1\n" in found.stdout, found.stdout


def test_nested_types_are_declared_and_others_are_named(tmp_path: Path) -> None:
    write(
        tmp_path,
        "x.parquet",
        """(SELECT ['x'] AS tags, {'a': 1::SMALLINT, 'b': [2.5::FLOAT]} AS st, MAP {'k': true} AS m,
          '1'::BLOB AS raw, {'a': {'the b': 1}} AS odd,
        now() AS tz, 1::HUGEINT AS big, TIME '01:02:03' AS tm, INTERVAL 1 DAY AS span,
        'v' AS "order", DATE '2026-01-01' AS day)""",
    )
    done = run("init", "sub", "--from", "x.parquet", "--dataset", "things", cwd=tmp_path)
    told = "left out: the column 'span', whose type INTERVAL is not supported\n"
    assert (done.returncode, done.stderr) == (0, told)
    (dataset,) = predicat.load_catalog(tmp_path / "sub" / "catalog").datasets.values()
    assert {name: str(decl.type) for name, decl in dataset.fields.items()} == {
        "tags": "array<string>",
        "st": "struct<a: bigint, b: array<double>>",
        "m": "map<string, boolean>",
        "raw": "string",
        "odd": "struct<a: struct<`the b`: bigint>>",
        "tz": "timestamp",
        "big": "double",
        "tm": "string",
        "order": "string",
        "day": "date",
    }  # DuckDB writes HUGEINT as DOUBLE
    assert (
        "# not supported: 'span' of type INTERVAL"
        in (tmp_path / "sub" / "catalog" / "things.yml").read_text()
    )


def test_a_table_without_an_engine_starts_none(tmp_path: Path) -> None:
    done = run("init", "--from", "sales.orders", cwd=tmp_path)
    assert done.returncode == 2 and list(tmp_path.iterdir()) == []
    assert "needs --dsn or --engine postgres, a table of Spark --engine spark" in done.stderr


def test_the_project_file_of_a_first_catalog(tmp_path: Path) -> None:
    write(tmp_path, "orders.csv")
    (tmp_path / ".gitignore").write_text("build/\n")
    done = run("init", "--from", "orders.csv", cwd=tmp_path)
    assert done.stderr == "note: .gitignore does not have target/, the folder of what predicat writes\n"
    project = yaml.safe_load((tmp_path / "predicat.yml").read_text())
    assert project == {"catalog": tmp_path.name, "profile": "dev", "profiles": {"dev": {"engine": "duckdb"}}}
    write(tmp_path, "events.csv")
    (tmp_path / "predicat.yml").write_text("catalog: mine\n")
    assert run("init", "--from", "events.csv", cwd=tmp_path).returncode == 0
    assert (tmp_path / "predicat.yml").read_text() == "catalog: mine\n"


def test_a_project_in_a_folder_whose_name_is_no_catalog_name(tmp_path: Path) -> None:
    (tmp_path / "My Orders!").mkdir()
    write(tmp_path / "My Orders!", "orders.csv")
    assert run("init", "--from", "orders.csv", cwd=tmp_path / "My Orders!").returncode == 0
    assert "catalog: My_Orders\n" in (tmp_path / "My Orders!" / "predicat.yml").read_text()
    assert run("quality", "run", cwd=tmp_path / "My Orders!").returncode == 0


@pytest.mark.parametrize(
    ("dsn", "written"),
    [
        ("postgresql://me:s3cret@host:5433/db", ("user=me dbname=db host=host port=5433", True)),
        ("host=host password=s3cret dbname=db", ("dbname=db host=host", True)),
        ("postgresql://host/db", ("postgresql://host/db", False)),
        ("${DATABASE_URL}", ("${DATABASE_URL}", False)),
    ],
)
def test_a_password_is_not_written(dsn: str, written: tuple[str, bool]) -> None:
    assert without_password(dsn) == written


@pytest.mark.parametrize("folder", ["shop", "deep/shop"])
def test_a_catalog_in_another_folder_finds_its_file(tmp_path: Path, folder: str) -> None:
    """The relation is written as seen from the project file, wherever `init` was run."""
    (tmp_path / folder).mkdir(parents=True)
    write(tmp_path, "orders.csv")
    assert run("init", folder, "--from", "orders.csv", cwd=tmp_path).returncode == 0
    assert "orders.csv}" in (tmp_path / folder / "catalog" / "orders.yml").read_text()
    for place, catalog in ((tmp_path / folder, ()), (tmp_path, ("--catalog", f"{folder}/catalog"))):
        done = run("quality", "run", *catalog, cwd=place)
        assert done.returncode == 0 and "orders on duckdb: 3 rows" in done.stdout, done.stderr


def test_in_a_project_the_dataset_is_added_to_its_catalog(tmp_path: Path) -> None:
    (tmp_path / "reports").mkdir()
    write(tmp_path, "orders.csv")
    write(tmp_path / "reports", "more.csv")
    assert run("init", "--from", "orders.csv", cwd=tmp_path).returncode == 0
    done = run("init", "--from", "more.csv", cwd=tmp_path / "reports")
    assert done.stdout == "wrote ../catalog/more.yml\nnext: predicat check\n", done.stderr
    assert "{duckdb: reports/more.csv}" in (tmp_path / "catalog" / "more.yml").read_text()
    done = run("quality", "run", "more", cwd=tmp_path)
    assert "more on duckdb: 3 rows" in done.stdout, done.stderr


def test_numbers_and_dates_as_they_are_written_in_germany(tmp_path: Path) -> None:
    (tmp_path / "orders.csv").write_text(
        "Nr;Betrag;Menge;Datum\n1;1.234,50;3;31.01.2026\n2;12,5;1.000;01.02.2026\n3;;-7;15.03.2026\n"
    )
    done = run("init", "--from", "orders.csv", cwd=tmp_path)
    assert done.stderr == "note: 'Datum' is read as a string: dates are written 2026-01-31\n"
    dataset = predicat.load_catalog(tmp_path / "catalog").datasets["orders"]
    assert dataset.files["duckdb"] == FileFormat("csv", ";", decimal=",", thousands=".")
    assert {name: str(decl.type) for name, decl in dataset.fields.items()} == {
        "Nr": "bigint",
        "Betrag": "double",
        "Menge": "bigint",
        "Datum": "string",
    }


def test_engines_follow_the_relations_of_datasets(tmp_path: Path) -> None:
    """Without options: one dataset is counted in DuckDB, the SQL is that of the project's engine."""
    write(tmp_path, "orders.csv")
    run("init", "--from", "orders.csv", cwd=tmp_path)
    (tmp_path / "predicat.yml").write_text("catalog: mine\nengines: [postgres, duckdb]\n")
    (tmp_path / "catalog" / "table.yml").write_text(
        "apiVersion: predicat/v1\ndataset: t\nrelation: {spark: t, postgres: t}\n"
        "fields: {s: string}\nfilters: {f: {sql: \"s RLIKE 'a+'\"}}\n"
    )
    assert run("quality", "run", "orders", cwd=tmp_path).stdout.startswith("orders on duckdb: 3 rows")
    assert (
        run("sql", "t.f", cwd=tmp_path).stdout
        == run("sql", "t.f", "--dialect", "postgres", cwd=tmp_path).stdout
    )
    (tmp_path / "predicat.yml").write_text("catalog: mine\n")
    assert (
        run("sql", "t.f", cwd=tmp_path).stdout == run("sql", "t.f", "--dialect", "spark", cwd=tmp_path).stdout
    )
    pytest.importorskip("psycopg")
    done = run("quality", "run", "t", "--dsn", "postgresql://x@127.0.0.1:1/x", cwd=tmp_path)
    assert done.returncode == 3 and done.stdout.startswith("ERROR cannot connect to PostgreSQL")
    assert done.stdout.endswith("refused\n")


def test_a_postgres_table(postgres: Any, tmp_path: Path) -> None:
    dsn = dsn_of(postgres)
    postgres.execute(
        "CREATE SCHEMA started; CREATE TYPE started.state AS ENUM ('new', 'paid'); "
        "CREATE TABLE started.orders (id bigint, amount numeric(8,2), at timestamptz(3), local timestamp, "
        'tags text[], "Paid At" timestamp(3), raw bytea, state started.state, "All" started.state[], '
        "ref uuid, doc json)"
    )
    try:
        done = run("init", "--from", "started.orders", "--dsn", dsn, cwd=tmp_path)
        assert (
            done.returncode == 0
            and "left out" not in done.stderr
            and "through an expression" not in done.stderr
        )
        text = (tmp_path / "catalog" / "orders.yml").read_text()
        assert (
            "relation: {postgres: started.orders}" in text
            and "  amount: decimal(8,2)" in text
            and "  tags: array<string>" in text
            and "  at: timestamp\n" in text
            and "  state: enum(new, paid)\n" in text
            and "  ref: uuid\n" in text
            and text.count("{type: timestamp, zone: Europe/Berlin}") == 1
            and "  doc: json_text\n" in text
            and "  local: timestamp_ntz\n" in text
            and "  paid_at: {type: timestamp_ntz, column: Paid At}" in text
            and "# not supported" not in text
        )
        fields = yaml.safe_load(text)["fields"]
        assert fields["All"] == "array<enum(new, paid)>"
        checked = run("check", "--relation", "postgres", "--dsn", dsn, cwd=tmp_path)
        assert (checked.returncode, checked.stderr) == (0, "")
        assert run("fmt", "--check", cwd=tmp_path).returncode == 0
        wrong = run("init", "--from", "started.order", "--dsn", dsn, cwd=tmp_path)
        assert wrong.returncode == 2 and "did you mean 'started.orders'?" in wrong.stderr
        postgres.execute("CREATE TABLE started.other ()")
        several = run("init", "--from", dsn, cwd=tmp_path)
        assert (
            several.returncode == 2
            and "name one of them" in several.stderr
            and "started.orders" in several.stderr
        )
    finally:
        postgres.execute("DROP SCHEMA started CASCADE")


def test_the_times_of_spark_files(spark: Any, tmp_path: Path) -> None:
    """Spark writes moments as INT96, which DuckDB reads as times without a zone."""
    spark.sql(
        "SELECT current_timestamp() AS m, array(current_timestamp()) AS ms, TIMESTAMP_NTZ '2026-01-01' AS t"
    ).write.parquet(str(tmp_path / "times"))
    found = describe.from_file(str(tmp_path / "times"))
    assert [(column.name, column.type) for column in found.columns] == [
        ("m", "timestamp"),
        ("ms", "array<timestamp>"),
        ("t", "timestamp_ntz"),
    ]


def test_a_spark_table(spark: Any) -> None:
    from predicat_spark.columns import table_columns

    spark.sql(
        "SELECT 1L AS id, named_struct('a', 'x') AS st, TIMESTAMP_NTZ '2026-01-01 00:00:00' AS local"
    ).createOrReplaceTempView("started")
    columns = describe.columns_of("spark", table_columns("started"))
    assert [(column.name, column.type) for column in columns] == [
        ("id", "bigint"),
        ("st", "struct<a: string>"),
        ("local", "timestamp_ntz"),
    ]
    spark.sql(
        "CREATE OR REPLACE TEMPORARY VIEW started (id COMMENT 'Its number.', state) AS SELECT * FROM "
        "VALUES (1L, 'new'), (2L, 'paid'), (3L, 'paid'), (4L, 'new'), (5L, 'paid'), (6L, 'paid') AS t"
    )
    found = describe.from_spark("started")
    assert [column.about for column in found.columns] == ["Its number.", ""]
    assert "sql: state = 'paid'\n" in dataset_text("started", found)
    with pytest.raises(PredicatError, match=r"cannot be found(?s:.*)spark.sql.catalogImplementation to hive"):
        table_columns("nowhere")


def test_an_index_serves_an_expression_that_gives_a_zone(postgres: Any) -> None:
    with postgres.transaction(force_rollback=True):
        postgres.execute(
            "CREATE TABLE local_times AS SELECT TIMESTAMP '2020-01-01' + n * INTERVAL '1 hour' AS at "
            "FROM generate_series(1, 20000) n; CREATE INDEX ON local_times ((at AT TIME ZONE 'UTC')); "
            "ANALYZE local_times"
        )
        at = {"type": "timestamp", "expression": {"postgres": "at AT TIME ZONE 'UTC'"}}
        node = predicat.parse("year(at) = 2021 AND month(at) = 1", "sql", {"at": at}).node
        query = f"FROM local_times WHERE {backends.dialect('postgres').render(node, condition=True)}"
        assert postgres.execute(f"SELECT count(*) {query}").fetchone() == (31 * 24,)
        assert "Index Cond" in str(postgres.execute(f"EXPLAIN SELECT * {query}").fetchall())


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--from", "none.csv"), "cannot read none.csv: no such file or folder"),
        (("--from", "bad.parquet"), "cannot read bad.parquet: "),
        (
            ("--from", "x.csv", "--dataset", "A b"),
            "--dataset takes lower-case letters, digits and underscores, not 'A b'",
        ),
        (("--dataset", "x"), "--dsn and --dataset need --from"),
        (("--from", "x", "--dsn", "postgresql://127.0.0.1:1/x"), "cannot connect to PostgreSQL"),
    ],
)
def test_wrong_use(tmp_path: Path, args: tuple[str, ...], said: str) -> None:
    (tmp_path / "bad.parquet").write_text("no parquet")
    (tmp_path / "x.csv").write_text("a\n1\n")
    done = run("init", *args, cwd=tmp_path)
    assert done.returncode in (1, 2, 3) and said in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "catalog").exists()


def test_types_of_spark_and_postgres() -> None:
    spark = {
        "bigint": "bigint",
        "decimal(10,2)": "decimal(10,2)",
        "struct<a:int,b:array<string>>": "struct<a: bigint, b: array<string>>",
        "map<string,double>": "map<string, double>",
        "map<int,string>": None,
        "timestamp": "timestamp",
        "timestamp_ntz": "timestamp_ntz",
        "binary": "binary",
        "variant": "json",
        "char(3)": "char(3)",
    }
    postgres = {
        "text": "string",
        "character varying(9)": "string",
        "character(1)": "string",
        "character(3)": "char(3)",
        "oid": "bigint",
        "numeric(50,2)": "decimal(38,18)",
        "numeric(3,5)": "decimal(38,18)",
        "numeric(10,-2)": "decimal(38,18)",
        "numeric": "decimal(38,18)",
        "numeric(8,2)": "decimal(8,2)",
        "timestamp with time zone": "timestamp",
        "timestamp without time zone": "timestamp_ntz",
        "integer[]": "array<bigint>",
        "jsonb": "json",
        "json": "json_text",
        "double precision": "double",
        "uuid": "uuid",
        "some_type": "string",
    }
    for engine, types in (("spark", spark), ("postgres", postgres)):
        assert {
            column.physical: column.type
            for column in describe.columns_of(engine, ((name, name) for name in types))
        } == types
