"""The rows of broken bounds: each can be joined back, and the reasons are those of `explain`."""

import csv
import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import predicat
from predicat.deploy.failures import errors_reported
from predicat.deploy.rows import fill_duckdb, fill_postgres
from predicat.diagnostics import PredicatError
from predicat.explain.explanation import explain_node, reason
from predicat.explain.show import outcome
from predicat.quality import engines, rows_written
from predicat.quality.bounds import judge
from predicat.quality.measure import Measure
from predicat.quality.outcome import Run
from predicat.quality.plan import Plan, members, plan
from predicat.quality.rows import COLUMNS, Asked, asked
from predicat_spark import quality
from predicat_spark.rows import frame_of
from tests.processes import in_process

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
# Every way to combine conditions, and to be UNKNOWN.
CATALOG = """apiVersion: predicat/v1
dataset: shop
relation: {duckdb: shop.parquet, spark: shop, postgres: predicat_rows}
key: [id, s, at]
fields:
  id: bigint
  s: string
  n: {type: bigint, sensitive: true}
  p: {type: bigint, min: 0, max: 50}
  x: double
  at: timestamp
  j: {type: json}
where: counted
rows: {at_least: 100000}
filters:
  counted: {sql: id >= 0}
  plain: {sql: n > 3, coverage: {at_least: 99%, unknown_at_most: 0%}}
  both: {sql: n > 3 AND s LIKE 'x%', coverage: {at_most: 0%, unknown_at_most: {warn: 0%}}}
  either:
    sql: n > 3 OR s = 'it''s' OR x < 2.5
    coverage: {at_most: {warn: 0%, error: 99%}, unknown_at_most: 0%}
  nested:
    sql: NOT ((n > 3 AND NOT (s IS NULL OR x > 0)) OR (p < 10 AND (s IS NOT NULL OR n IN (1, 2))))
    coverage: {at_most: 0%, unknown_at_most: 0%}
    on_unknown: accept
  ratio:
    sql: div(10, n) > 2 AND (s = 'x' OR 10 % p = 0)
    coverage: {at_least: 99%, unknown_at_most: 0%}
  flags: {sql: (n > 3) IS TRUE OR (x > 1 AND (n < 1) IS NOT FALSE), coverage: {at_most: 1%}}
  fresh: {sql: at > now() - INTERVAL '1 day' AND n <> 7, coverage: {at_least: 99%, unknown_at_most: 0%}}
  member: {cel: 'j.a.b > 3 && j.tags.exists(t, t == "x")', coverage: {at_least: 99%, unknown_at_most: 0%}}
groups:
  one: {filters: [plain, either, flags], exclusive: true, exhaustive: true}
"""
ROOM = {
    "s": (None, "", "x", "xé\\y", "it's", 'say "a", b\nc'),
    "n": (None, 0, 1, 4, 7),
    "p": (None, 0, 3, 20, 99),
    "x": (None, 0.0, 2.0, float("nan"), 1e300),
    "at": (None, datetime(2026, 3, 1, 11, tzinfo=UTC), datetime(2020, 1, 1, tzinfo=UTC)),
    "j": (None, {}, {"a": {"b": 5}, "tags": ["x"]}, {"a": {"b": "5"}, "tags": [1]}, {"a": None}, [1]),
}


def generated(count: int = 120) -> list[dict[str, Any]]:
    choose = random.Random(45).choice
    return [
        {"id": number if number % 50 else -number, **{name: choose(values) for name, values in ROOM.items()}}
        for number in range(count)
    ]


ROWS = generated()


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> predicat.Catalog:
    folder = tmp_path_factory.mktemp("catalog")
    (folder / "shop.yml").write_text(CATALOG)
    return predicat.load_catalog(folder)


@pytest.fixture(scope="module")
def want(catalog: predicat.Catalog) -> Counter[tuple[Any, ...]]:
    return Counter(expected(catalog, ROWS))


def expected(catalog: predicat.Catalog, rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Any, ...]]:
    """What the evaluator says: the key, the bound, the filter, its outcome and the reason."""
    dataset = catalog.datasets["shop"]
    counted = [{**row, ":now()": NOW} for row in rows if row["id"] >= 0]
    found = {
        item.qualified: [
            explain_node(item.current.predicate.surface, {**row, ":now()": NOW}) for row in counted
        ]
        for item in dataset.filters.values()
    }
    accepts = {
        name: [
            one.outcome if one.outcome is not None else catalog.known[name].on_unknown == "accept"
            for one in each
        ]
        for name, each in found.items()
    }

    def row_of(place: int, label: str, name: str) -> tuple[Any, ...]:
        row, one = counted[place], found[name][place]
        at = row["at"] and row["at"].isoformat().replace("+00:00", "Z")
        return row["id"], row["s"], at, label, "shop", name, "", outcome(one.outcome), reason(one)

    for name, each in found.items():
        broken = {
            "at_most": accepts[name],
            "at_least": [not one for one in accepts[name]],
            "unknown_at_most": [one.outcome is None for one in each],
        }
        for kind in catalog.known[name].coverage:
            yield from (
                row_of(at, f"{name} {kind}", name) for at, is_broken in enumerate(broken[kind]) if is_broken
            )
    for group in dataset.groups:
        for at in range(len(counted)):
            own = [name for name in members(dataset, group) if accepts[name][at]]
            yield from (row_of(at, f"shop.{group} exclusive", name) for name in own if len(own) > 1)
            none = [] if own else members(dataset, group)
            yield from (row_of(at, f"shop.{group} exhaustive", name) for name in none)


def runs_of(catalog: predicat.Catalog, found: Measure) -> list[Run]:
    checks = judge(catalog, found, now=NOW)
    assert not [check.label for check in checks if check.status not in ("fail", "warn")]
    return [Run("shop", found, checks)]


def read(file: Path) -> list[tuple[Any, ...]]:
    return [tuple(json.loads(line).values()) for line in file.read_text(encoding="utf-8").splitlines()]


def measured(catalog: predicat.Catalog, engine: str, run: Callable[[Plan], Measure]) -> Asked:
    """The rows to write of an engine on which all rows are measured first."""
    plan_ = plan(catalog, "shop", (), engine, NOW)
    return asked(plan_, runs_of(catalog, run(plan_)))


# The bounds whose rows are written to every target but lines of JSON, which get all.
FEW = (("shop.plain", "at_least"), ("shop.both", "unknown_at_most"), ("shop.one", "exclusive"))


def some(found: Asked, target: str) -> Asked:
    return found if target.endswith(".jsonl") else replace(found, bounds=dict.fromkeys(FEW, ()))


def of_few(rows: Counter[tuple[Any, ...]]) -> Counter[tuple[Any, ...]]:
    labels = {" ".join(key) for key in FEW}
    return Counter({row: count for row, count in rows.items() if row[3] in labels})


def on_postgres(catalog: predicat.Catalog, postgres: Any) -> Callable[[str], int]:
    """The same."""
    fill_postgres(postgres, list(catalog.datasets["shop"].fields.values()), ROWS)
    found = measured(catalog, "postgres", lambda plan_: engines.on_postgres(plan_, postgres))
    return lambda target: rows_written.from_postgres(some(found, target), postgres, target)


def on_duckdb(catalog: predicat.Catalog, folder: Path) -> Callable[[str], int]:
    """Writes the rows to a target."""
    import duckdb

    file = str(folder / "shop.parquet")
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        fill_duckdb(connection, list(catalog.datasets["shop"].fields.values()), ROWS)
        connection.execute(f"COPY predicat_rows TO '{file}'")
    found = measured(catalog, "duckdb", lambda plan_: engines.on_duckdb(plan_, file))
    return lambda target: rows_written.from_duckdb(some(found, target), file, target)


def on_spark(catalog: predicat.Catalog, spark: Any) -> Callable[[str], int]:
    """The same."""
    frame_of(list(catalog.datasets["shop"].fields.values()), ROWS, spark).createOrReplaceTempView("shop")
    found = measured(catalog, "spark", lambda plan_: quality.on_spark(plan_, "shop"))
    return lambda target: quality.rows_from_spark(some(found, target), "shop", target)


def check(want: Counter[tuple[Any, ...]], got: Iterable[tuple[Any, ...]]) -> None:
    """All broken rows are there, once for each bound and filter, and no others."""
    found = Counter(got)
    assert found == want, [*(found - want)][:3] + [*(want - found)][:3]
    assert {row[7] for row in found} == {"TRUE", "FALSE", "UNKNOWN"} and len(want) > 80


def test_files_and_tables_of_duckdb(
    catalog: predicat.Catalog, want: Counter[tuple[Any, ...]], tmp_path: Path
) -> None:
    import duckdb

    write, few = on_duckdb(catalog, tmp_path), of_few(want)
    assert write(str(tmp_path / "rows.jsonl")) == want.total()
    check(want, read(tmp_path / "rows.jsonl"))
    for name in ("rows.csv", "rows.parquet", "rows.duckdb:qa", "rows.duckdb:main.qa"):
        assert write(str(tmp_path / name)) == few.total()
    with duckdb.connect(str(tmp_path / "rows.duckdb")) as connection:
        for source in (
            f"read_csv('{tmp_path}/rows.csv', allow_quoted_nulls = false, types = {{'s': 'VARCHAR'}})",
            f"'{tmp_path}/rows.parquet'",
            "qa",
        ):
            check(few, utc(connection.execute(f"SELECT * FROM {source}").fetchall()))
            joined = f"FROM {source} AS r JOIN '{tmp_path}/shop.parquet' AS s {ON}"
            assert connection.execute(f"SELECT count(*) {joined}").fetchone() == (few.total(),)
        connection.execute("CREATE TABLE theirs (a int)")
    for name, told in (("theirs", "was not written by --rows"), ("none.qa", "Schema with name none")):
        with pytest.raises(PredicatError, match=told):
            write(f"{tmp_path}/rows.duckdb:{name}")


# How every row is joined back.
ON = "ON r.id = s.id AND r.s IS NOT DISTINCT FROM s.s AND r.at IS NOT DISTINCT FROM s.at"


def utc(rows: Iterable[Sequence[Any]]) -> Iterator[tuple[Any, ...]]:
    """Rows with their moments as in JSON."""
    for row in rows:
        moment = row[2] and row[2].astimezone(UTC).isoformat().replace("+00:00", "Z")
        yield (*row[:2], moment, *row[3:])


def test_files_and_tables_of_postgres(
    catalog: predicat.Catalog, want: Counter[tuple[Any, ...]], tmp_path: Path, postgres: Any
) -> None:
    write, few = on_postgres(catalog, postgres), of_few(want)
    assert write(str(tmp_path / "rows.jsonl")) == want.total()
    check(want, read(tmp_path / "rows.jsonl"))
    postgres.execute("DROP TABLE IF EXISTS public.broken_rows, public.theirs CASCADE")
    assert write("broken_rows") == few.total()
    postgres.execute("CREATE VIEW public.broken_ids AS SELECT id FROM public.broken_rows")
    postgres.execute("CREATE TABLE public.theirs (id bigint)")
    assert write("public.broken_rows") == few.total()  # the view stays
    check(few, utc(postgres.execute("SELECT * FROM public.broken_rows").fetchall()))
    joined = postgres.execute(f"SELECT count(*) FROM public.broken_rows AS r JOIN predicat_rows AS s {ON}")
    assert joined.fetchone() == (few.total(),)
    for target in ("public.theirs", "broken_ids"):
        with pytest.raises(PredicatError, match=f"the table {target} was not written by --rows"):
            write(target)
    postgres.execute("DROP VIEW public.broken_ids")
    postgres.execute("ALTER TABLE public.broken_rows DROP COLUMN s")
    assert write("broken_rows") == few.total()
    postgres.execute("DROP TABLE public.broken_rows, public.theirs")


@pytest.mark.slow
def test_files_and_tables_of_spark(
    catalog: predicat.Catalog, want: Counter[tuple[Any, ...]], tmp_path: Path, spark: Any, one_query: None
) -> None:
    write, few = on_spark(catalog, spark), of_few(want)
    assert write(str(tmp_path / "rows.jsonl")) == want.total()
    check(want, read(tmp_path / "rows.jsonl"))
    spark.sql("DROP TABLE IF EXISTS broken_rows")
    spark.sql("CREATE TABLE IF NOT EXISTS theirs USING parquet AS SELECT 1 AS id")
    for target in ("broken_rows", "default.broken_rows"):
        assert write(target) == few.total()
    check(few, utc(spark.table("broken_rows").collect()))
    joined = spark.sql(f"SELECT count(*) FROM broken_rows AS r JOIN shop AS s {ON}")
    assert tuple(joined.collect()[0]) == (few.total(),)
    for target in ("theirs", "shop"):
        with pytest.raises(PredicatError, match=f"the table {target} was not written by --rows"):
            write(target)
    spark.sql("ALTER TABLE broken_rows ADD COLUMN more int")
    assert write("broken_rows") == few.total()
    spark.sql("DROP TABLE broken_rows")
    spark.sql("DROP TABLE theirs")


PARTED = """apiVersion: predicat/v1
dataset: parted
relation: {duckdb: parted.parquet, spark: parted, postgres: parted}
key: id
fields: {id: bigint, n: bigint, at: timestamp}
partition: {column: at, by: day, zone: Europe/Berlin}
filters:
  low: {sql: n < 5, coverage: {at_most: {warn: 20%, error: 50%}}}
  odd: {sql: n = 1 OR n = 3, coverage: {unknown_at_most: 0%}}
groups: {both: {filters: [low, odd], exclusive: {warn: 0, error: 1}}}
"""


def days() -> list[dict[str, Any]]:
    """Three days of Berlin: one on which all bounds hold, and two on which some do not."""
    values = {1: [5] * 10, 2: [0, 2, 4, *[9] * 7], 3: [1, 3, 3, None, *[9] * 6]}
    return [
        {"id": day * 100 + place, "n": n, "at": datetime(2026, 3, day, 23, place, tzinfo=UTC)}
        for day, numbers in values.items()
        for place, n in enumerate(numbers)
    ]


BROKEN = {
    *((id_, "parted.low at_most", "parted.low", "2026-03-03") for id_ in (200, 201, 202)),
    *((id_, "parted.low at_most", "parted.low", "2026-03-04") for id_ in (300, 301, 302)),
    (303, "parted.odd unknown_at_most", "parted.odd", "2026-03-04"),
    *(
        (id_, "parted.both exclusive", f"parted.{name}", "2026-03-04")
        for id_ in (300, 301, 302)
        for name in ("low", "odd")
    ),
}


@pytest.mark.parametrize("engine", ["duckdb", "postgres", pytest.param("spark", marks=pytest.mark.slow)])
def test_partitions_of_the_command_line(tmp_path: Path, engine: str, request: pytest.FixtureRequest) -> None:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "parted.yml").write_text(PARTED)
    fields = list(predicat.load_catalog(tmp_path / "catalog").datasets["parted"].fields.values())
    more: list[str] = []
    if engine == "duckdb":
        import duckdb

        with duckdb.connect() as connection:
            fill_duckdb(connection, fields, days())
            connection.execute(f"COPY predicat_rows TO '{tmp_path}/parted.parquet'")
    elif engine == "postgres":
        postgres = request.getfixturevalue("postgres")
        fill_postgres(postgres, fields, days())
        postgres.execute("DROP TABLE IF EXISTS parted")
        postgres.execute("CREATE TABLE parted AS SELECT * FROM predicat_rows")
        more = ["--dsn", postgres.info.dsn]
    else:
        frame_of(fields, days(), request.getfixturevalue("spark")).createOrReplaceTempView("parted")
    partitions = ("--partitions", "2026-03-02..2026-03-04")
    arguments = ("parted", "--engine", engine, *partitions, "--rows", "rows.jsonl", *more)
    done = in_process("quality", "run", *arguments, cwd=tmp_path)
    assert "rows.jsonl: 13 rows of 3 broken bounds of parted\n" in done.stderr, done.stderr
    keys = ("id", "predicat_bound", "predicat_filter", "predicat_partition")
    lines = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert len(lines) == 13 and {tuple(line[key] for key in keys) for line in lines} == BROKEN


def test_more_conditions_than_postgresql_has_arguments(tmp_path: Path, postgres: Any) -> None:
    both = " AND ".join(f"n <> {number}" for number in range(200))
    text = (
        PARTED[: PARTED.index("partition:")]
        + f"filters: {{all: {{sql: {both}, coverage: {{at_least: 100%}}}}}}\n"
    )
    (tmp_path / "parted.yml").write_text(text)
    catalog = predicat.load_catalog(tmp_path)
    fill_postgres(postgres, list(catalog.datasets["parted"].fields.values()), [{"id": 1}])
    postgres.execute("CREATE OR REPLACE TEMP VIEW parted AS SELECT * FROM predicat_rows")
    plan_ = plan(catalog, "parted", (), "postgres")
    found = asked(plan_, [Run("parted", None, judge(catalog, engines.on_postgres(plan_, postgres)))])
    assert rows_written.from_postgres(found, postgres, str(tmp_path / "rows.jsonl")) == 1
    (line,) = (tmp_path / "rows.jsonl").read_text().splitlines()
    told = [f"n is not {number}: UNKNOWN (n is missing)" for number in range(200)]
    assert json.loads(line)["predicat_reason"] == "; ".join(told)
    postgres.execute("DROP VIEW parted")


def test_errors_of_sensitive_data_have_no_values(postgres: Any) -> None:
    told: dict[bool, str] = {}
    for sensitive in (False, True):
        with pytest.raises(PredicatError) as error, errors_reported(postgres, sensitive=sensitive):
            postgres.execute("SELECT 's3ntinel'::int")
        told[sensitive] = str(error.value)
    assert "s3ntinel" in told[False] and "s3ntinel" not in told[True] and "22P02" in told[True]


PEOPLE = """apiVersion: predicat/v1
dataset: people
relation: {duckdb: people.csv}
key: id
fields: {id: bigint, name: string, email: {type: string, sensitive: true}, age: bigint}
rows: {at_least: 100}
filters:
  adult: {sql: age >= 18 AND email LIKE '%@%', coverage: {at_least: 99%}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "people.yml").write_text(PEOPLE)
    (tmp_path / "people.csv").write_text(
        "id,name,email,age\n1,Ann,ann@b,x1\n2,Bob,,30\n3,Eve,eve@c,40\n4,,,\n"
    )
    return tmp_path


def run(folder: Path, *arguments: str) -> Any:
    return in_process("quality", "run", "--engine", "duckdb", *arguments, cwd=folder)


def test_a_file_of_the_command_line(folder: Path) -> None:
    done = run(folder, "--rows", "out/rows.csv")
    assert done.returncode == 1
    assert "out/rows.csv: 3 rows of 1 broken bound of people\n" in done.stderr
    assert "people rows_at_least: not about single rows, so none are written\n" in done.stderr
    with (folder / "out" / "rows.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["id", *COLUMNS]
    assert {row["predicat_bound"] for row in rows} == {"people.adult at_least"}
    # A cell that is no value of its field is told from one that is missing. No value but the key is shown.
    assert {row["id"]: (row["predicat_outcome"], row["predicat_reason"]) for row in rows} == {
        "1": ("UNKNOWN", "age is at least 18: UNKNOWN (age is no value of its type)"),
        "2": ("UNKNOWN", "email contains '@': UNKNOWN (email is missing)"),
        "4": (
            "UNKNOWN",
            "age is at least 18: UNKNOWN (age is missing); email contains '@': UNKNOWN (email is missing)",
        ),
    }
    (folder / "people.csv").write_text("id,name,email,age\n1,Ann,ann@b,20\n")
    done = run(folder, "--rows", "out/rows.csv")
    assert "out/rows.csv: 0 rows of 0 broken bounds of people\n" in done.stderr
    header = (folder / "out" / "rows.csv").read_text()
    assert header == ",".join(f'"{name}"' for name in ("id", *COLUMNS)) + "\n"


OTHER = """apiVersion: predicat/v1
dataset: other
relation: {duckdb: people.csv}
key: id
fields: {id: bigint}
"""
KEYLESS = PEOPLE.replace("key: id\n", "")


@pytest.mark.parametrize(
    ("catalog_text", "target", "message"),
    [
        (KEYLESS, "rows.csv", "people.yml:2:10"),
        (KEYLESS, "rows.csv", "people has no key, so nobody could find the rows again"),
        (PEOPLE.replace("key: id\n", "key: [id, email]\n"), "rows.csv", "the key email is sensitive"),
        (PEOPLE, "some.table", "cannot be written to 'some.table': it is neither a file nor a table"),
        (f"{PEOPLE}---\n{OTHER}", "rows.csv", "rows.csv would get the rows of several datasets"),
    ],
)
def test_what_is_refused(folder: Path, catalog_text: str, target: str, message: str) -> None:
    first, _, second = catalog_text.partition("---\n")
    (folder / "catalog" / "people.yml").write_text(first)
    if second:
        (folder / "catalog" / "other.yml").write_text(second)
    done = run(folder, "--rows", target)
    assert done.returncode == 2 and message in done.stderr and "hint: " in done.stderr
    assert done.stdout == "" and not list(folder.glob("rows*"))
