"""The rows of broken bounds: each can be joined back, and the reasons are those of `explain`."""

import csv
import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import predicat
from predicat.deploy.rows import fill_duckdb, fill_postgres
from predicat.explain.explanation import explain_node, reason
from predicat.explain.show import outcome
from predicat.quality import engines, rows_written
from predicat.quality.bounds import judge
from predicat.quality.outcome import Run
from predicat.quality.plan import Plan, members, plan
from predicat.quality.rows import COLUMNS, asked
from tests.processes import in_process

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
# Every way to combine conditions, and to be UNKNOWN.
CATALOG = """apiVersion: predicat/v1
dataset: shop
relation: {duckdb: shop.parquet, spark: shop, postgres: predicat_rows}
key: [id, s]
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
        return row["id"], row["s"], label, "shop", name, "", outcome(one.outcome), reason(one)

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


def runs_of(catalog: predicat.Catalog, plan_: Plan, measured: Any) -> list[Run]:
    checks = judge(catalog, measured, now=NOW)
    assert not [check.label for check in checks if check.status not in ("fail", "warn")]
    return [Run("shop", measured, checks)]


def read(file: Path) -> list[tuple[Any, ...]]:
    return [tuple(json.loads(line).values()) for line in file.read_text(encoding="utf-8").splitlines()]


def on_postgres(catalog: predicat.Catalog, postgres: Any, target: str) -> int:
    fill_postgres(postgres, list(catalog.datasets["shop"].fields.values()), ROWS)
    plan_ = plan(catalog, "shop", (), "postgres", NOW)
    runs = runs_of(catalog, plan_, engines.on_postgres(plan_, postgres))
    return rows_written.from_postgres(asked(plan_, runs), postgres, target)


def on_duckdb(catalog: predicat.Catalog, folder: Path, target: str) -> int:
    import duckdb

    file = str(folder / "shop.parquet")
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        fill_duckdb(connection, list(catalog.datasets["shop"].fields.values()), ROWS)
        connection.execute(f"COPY predicat_rows TO '{file}'")
    plan_ = plan(catalog, "shop", (), "duckdb", NOW)
    runs = runs_of(catalog, plan_, engines.on_duckdb(plan_, file))
    return rows_written.from_duckdb(asked(plan_, runs), file, target)


def check(want: Counter[tuple[Any, ...]], got: Sequence[tuple[Any, ...]]) -> None:
    """All broken rows are there, once for each bound and filter, and no others."""
    found = Counter(got)
    assert found == want, [*(found - want)][:3] + [*(want - found)][:3]
    assert {row[6] for row in found} == {"TRUE", "FALSE", "UNKNOWN"} and len(want) > 600


def test_rows_of_duckdb(catalog: predicat.Catalog, want: Counter[tuple[Any, ...]], tmp_path: Path) -> None:
    count = on_duckdb(catalog, tmp_path, str(tmp_path / "rows.jsonl"))
    got = read(tmp_path / "rows.jsonl")
    check(want, got)
    assert count == len(got)


def test_rows_of_postgres(
    catalog: predicat.Catalog, want: Counter[tuple[Any, ...]], tmp_path: Path, postgres: Any
) -> None:
    on_postgres(catalog, postgres, str(tmp_path / "rows.jsonl"))
    check(want, read(tmp_path / "rows.jsonl"))


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
        (PEOPLE, "some.table", "some.table is no file, and DuckDB has no table to write to"),
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
