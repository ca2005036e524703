"""What a change does to rows of real data: of affected filters, groups, subscriptions and jobs, on files and
in PostgreSQL.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from predicat.catalog.load import read_definitions
from predicat.review import files
from predicat.review import postgres as on_postgres
from predicat.review.changes import review
from predicat.review.counting import SAMPLE
from predicat.review.entries import Review
from predicat.review.impact import impact
from predicat.review.questions import questions
from predicat.review.snapshot import of_files
from predicat.review.topics import topics
from tests.processes import first_commit, git
from tests.processes import in_process as run

HERE = Path(__file__).parent
CATALOG = """apiVersion: predicat/v1
dataset: orders
relation: {spark: orders, postgres: public.impact_orders, duckdb: data/orders.csv}
key: [id]
partition: {column: placed_at, by: day, zone: Europe/Berlin}
fields:
  id: bigint
  amount: bigint
  country: string
  email: {type: string, sensitive: true}
  placed_at: timestamp
lists: {near: [DE, AT]}
vars: {least: 100}
filters:
  large: {sql: amount > 100, owner: sales}
  large_near: {all: [large, near]}
  near: {sql: country IN list('near')}
  big: {sql: "amount > {{ var('least') }}"}
  urgent: {sql: "{{ old('country', 50) }}"}
  reachable: {sql: "email LIKE '%@%'"}
  same: {sql: amount > 5 AND amount > 3}
  of_one: {sql: "amount > :x", params: {x: bigint}}
groups:
  kinds: {filters: [large, reachable]}
subscriptions:
  desk: {filter: large, properties: {team: sales}}
jobs:
  nightly:
    {owner: jobs@example.com, source: orders, filters: [desk, reachable], sinks: [{path: "out/{filter}"}]}
"""
MACRO = "{% macro old(what, least) %}({{ what }} = 'FR' AND amount < {{ least }}){% endmacro %}\n"
EDITS = (
    ("amount > 100", "amount > 90"),
    ("least: 100", "least: 120"),
    ("near: [DE, AT]", "near: [DE, AT, FR]"),
    ("email LIKE '%@%'", "email LIKE '%@%' AND amount < 60"),
    ("amount > 5 AND amount > 3", "amount > 5"),
    ("amount > :x", "amount >= :x"),
)
ROWS = [
    (
        number,
        number * 37 % 150,
        ("DE", "AT", "FR", None)[number % 4],
        f"{number}@secret" if number % 3 else None,
        f"2026-03-{28 + number // 20:02} {number % 20 + 4:02}:00:00+00",
    )
    for number in range(48)
]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A repository with a change of filters, a macro, a list and a variable, and rows as CSV."""
    (tmp_path / "catalog").mkdir()
    (tmp_path / "macros").mkdir()
    (tmp_path / "data").mkdir()
    write(tmp_path)
    (tmp_path / "macros" / "old.sql").write_text(MACRO)
    (tmp_path / "CODEOWNERS").write_text("/catalog/ @shop/data\n/macros/ @shop/macros @ann\n")
    lines = [",".join("" if cell is None else str(cell) for cell in row) for row in ROWS]
    (tmp_path / "data" / "orders.csv").write_text(
        "\n".join(["id,amount,country,email,placed_at", *lines, ""])
    )
    first_commit(tmp_path)
    git(tmp_path, "checkout", "-qb", "change")
    write(tmp_path, *EDITS)
    (tmp_path / "macros" / "old.sql").write_text(MACRO.replace("<", "<="))
    return tmp_path


def write(folder: Path, *edits: tuple[str, str]) -> None:
    text = CATALOG
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    (folder / "catalog" / "orders.yml").write_text(text)


def reviewed(folder: Path, *edits: tuple[str, str]) -> Review:
    write(folder)
    before = of_files(read_definitions(folder / "catalog"), str)
    write(folder, *edits)
    return review(before, of_files(read_definitions(folder / "catalog"), str))


@pytest.mark.parametrize(("form", "golden"), [("text", "impact.txt"), ("markdown", "impact.md")])
def test_people_see_figures_and_examples(shop: Path, form: str, golden: str) -> None:
    done = run("diff", "main", "--data", "data/orders.csv", "--format", form, cwd=shop)
    assert done.returncode == 1, done.stderr
    text = "\n".join(
        line for line in done.stdout.splitlines() if not line.startswith("<!-- predicat review of")
    )
    assert text + "\n" == (HERE / golden).read_text()
    assert "secret" not in text


def test_every_entry_has_a_count_or_a_reason(shop: Path) -> None:
    data = json.loads(run("diff", "main", "--data", "data/orders.csv", "--format", "json", cwd=shop).stdout)
    rows = [entry["rows"] for entry in (*data["entries"], *data["filters"], *data["affected"])]
    assert all(row is not None and ("reason" in row or row["gained"] is not None) for row in rows)
    owners = {entry["name"]: entry["owners"] for entry in reversed(data["entries"])}
    assert owners["orders.large"] == ["sales", "jobs@example.com", "@shop/data"]
    assert owners["old"] == ["@shop/macros", "@ann"] and owners["orders.same"] == ["@shop/data"]
    reasons = {entry["name"]: entry["rows"].get("reason") for entry in data["entries"]}
    assert reasons["orders.same"] == "no row is gained or lost (proved)"
    assert "'x'" in reasons["orders.of_one"] and "no default" in reasons["orders.of_one"]
    assert [row["name"] for row in data["affected"]] == ["orders.kinds", "orders.desk", "orders.nightly"]
    plain = json.loads(run("diff", "main", "--format", "json", cwd=shop).stdout)
    assert {entry["rows"] for entry in plain["entries"]} == {None} and plain["affected"] == []


def test_figures_are_those_of_the_rows(shop: Path) -> None:
    """Worked out here by hand, row by row."""
    found = reviewed(shop, *EDITS)
    counts = files.count_there(questions(found, "duckdb"), "orders", (str(shop / "data" / "orders.csv"),) * 2)
    amounts = {number: amount for number, amount, *_ in ROWS}
    large = [number for number, amount in amounts.items() if 90 < amount <= 100]
    one = counts["orders.large"]
    assert (one.total, one.gained, one.lost) == (len(ROWS), len(large), 0)
    assert [row["id"] for row in one.gained_rows] == large[:SAMPLE]
    assert one.before == sum(amount > 100 for amount in amounts.values()) and one.after == one.before + len(
        large
    )
    assert sum(part.gained for part in one.parts) == len(large)
    mailed = [row for row in ROWS if row[3]]
    kinds = counts["group orders.kinds"]
    assert kinds.before == len(
        {row[0] for row in mailed} | {n for n, amount in amounts.items() if amount > 100}
    )
    assert kinds.after == sum(
        amounts[row[0]] > 90 or (row[3] is not None and amounts[row[0]] < 60) for row in ROWS
    )
    assert counts["subscription orders.desk"].gained == len(large)
    assert counts["job orders.nightly"].after == kinds.after


def test_a_parameter_of_another_type_is_measured_at_its_default(shop: Path) -> None:
    typed = ('amount > :x", params: {x: bigint}', 'amount > :x", params: {x: {type: bigint, default: 50}}')
    write(shop, typed)
    before = of_files(read_definitions(shop / "catalog"), str)
    write(shop, (typed[0], typed[1].replace("bigint", "'decimal(12,2)'")))
    found = review(before, of_files(read_definitions(shop / "catalog"), str))
    kinds = {entry.kind for entry in found.entries}
    assert "param-type" in kinds and "param-default" not in kinds
    path = str(shop / "data" / "orders.csv")
    one = files.count_there(questions(found, "duckdb"), "orders", (path, path))["orders.of_one"]
    large = sum(amount > 50 for _, amount, *_ in ROWS)
    assert (one.before, one.after, one.gained, one.reason) == (large, large, 0, "")


def test_a_row_belongs_to_the_day_of_its_zone(shop: Path) -> None:
    """Clocks went forward on 29 March 2026."""
    path = shop / "data" / "orders.csv"
    times = (
        "2026-03-28 22:59:59+00",
        "2026-03-28 23:00:00+00",
        "2026-03-29 21:59:59+00",
        "2026-03-29 22:00:00+00",
    )
    rows = [f"{number},95,DE,,{time}" for number, time in enumerate(times)]
    path.write_text(
        "\n".join(
            ["id,amount,country,email,placed_at", *rows, "9,95,DE,,", "8,95,DE,,1999-01-01 00:00:00+00", ""]
        )
    )
    one = files.count_there(questions(reviewed(shop, *EDITS), "duckdb"), "orders", (str(path), str(path)))[
        "orders.large"
    ]
    assert [(part.name, part.gained) for part in one.parts] == [
        ("2026-03-28", 1),
        ("2026-03-29", 2),
        ("2026-03-30", 1),
        ("others", 1),
        ("without a value", 1),
    ]


def test_a_wrong_column_is_a_reason_and_the_others_are_counted(shop: Path) -> None:
    path = shop / "data" / "orders.csv"
    text = path.read_text().replace("country", "land", 1)
    path.write_text(text)
    counts = files.count_there(questions(reviewed(shop, *EDITS), "duckdb"), "orders", (str(path), str(path)))
    assert "has no column 'country'" in counts["orders.near"].reason
    assert counts["orders.large"].gained and not counts["orders.large"].reason


def test_a_file_that_is_not_there_is_told_without_spark(shop: Path) -> None:
    write(shop, *EDITS)
    done = run("diff", "main", "--data", "data/nope.parquet", cwd=shop)
    assert done.returncode == 2 and "cannot read data/nope.parquet: no such file or folder" in done.stderr


def test_files_of_a_changed_relation_are_compared_by_key(shop: Path) -> None:
    (shop / "data" / "new.csv").write_text(
        "\n".join((shop / "data" / "orders.csv").read_text().splitlines()[:-3])
        + "\n100,140,DE,,2026-03-30 08:00:00+00\n"
    )
    write(shop, ("data/orders.csv", "data/new.csv"))
    done = run("diff", "main", "--data", "data/new.csv", "--format", "json", cwd=shop)
    data = json.loads(done.stdout)
    (relation,) = [entry["rows"] for entry in data["entries"] if entry["kind"] == "relation"]
    assert (relation["former_total"], relation["total"], relation["gained"], relation["lost"]) == (
        48,
        46,
        1,
        3,
    )
    assert relation["gained_rows"] == [{"id": 100}]
    text = run("diff", "main", "--data", "data/new.csv", cwd=shop).stdout
    assert (
        "data: 48 before, 46 rows now; accepted 48 (100%) before, 46 (100%) after; 1 (2.08%) gained" in text
    )


@pytest.fixture
def table(postgres: Any) -> Iterator[Any]:
    """The rows in PostgreSQL, and those with an id above 9 in a second table, whose amounts are doubled."""
    postgres.execute("DROP TABLE IF EXISTS public.impact_orders, public.impact_orders_2 CASCADE")
    columns = "id bigint, amount bigint, country text, email text, placed_at timestamptz"
    for name in ("impact_orders", "impact_orders_2"):
        postgres.execute(f"CREATE TABLE public.{name} ({columns})")
    with postgres.cursor() as cursor:
        cursor.executemany("INSERT INTO public.impact_orders VALUES (%s, %s, %s, %s, %s)", ROWS)
        cursor.execute(
            "INSERT INTO public.impact_orders_2 SELECT id, amount * 2, country, email, placed_at "
            "FROM public.impact_orders WHERE id > 9"
        )
    yield postgres
    postgres.execute("DROP TABLE public.impact_orders, public.impact_orders_2 CASCADE")


def test_postgres_has_the_figures_of_files(shop: Path, table: Any) -> None:
    found = reviewed(shop, *EDITS)
    path = str(shop / "data" / "orders.csv")
    wanted = files.count_there(questions(found, "duckdb"), "orders", (path, path))
    counts = on_postgres.count_there(table, questions(found, "postgres"))
    assert {label: one.data() for label, one in counts.items()} == {
        label: one.data() for label, one in wanted.items()
    }


@pytest.mark.parametrize("keyed", [True, False])
def test_relations_of_postgres_are_compared(shop: Path, table: Any, *, keyed: bool) -> None:
    edits = [("public.impact_orders", "public.impact_orders_2"), ("amount > 100", "amount > 90")]
    found = reviewed(shop, *edits, *([] if keyed else [("key: [id]\n", "")]))
    counts = on_postgres.count_there(table, questions(found, "postgres"))
    assert {name for name in found.sides[1].filters if name not in counts} == set()
    before = {row[0] for row in ROWS if row[1] > 100}
    after = {row[0] for row in ROWS if row[0] > 9 and row[1] * 2 > 90}
    one = counts["orders.large"]
    assert (one.former, one.total, one.before, one.after) == (48, 38, len(before), len(after))
    if keyed:
        assert (one.gained, one.lost) == (len(after - before), len(before - after))
        assert {row["id"] for row in one.gained_rows} <= after - before and len(one.gained_rows) == SAMPLE
    else:
        assert one.gained is None and "the dataset declares no key" in one.lines()[0]


def test_postgres_is_only_read(shop: Path, table: Any) -> None:
    table.execute("DROP VIEW IF EXISTS public.impact_view")
    table.execute("DROP SEQUENCE IF EXISTS public.impact_sequence")
    table.execute("CREATE SEQUENCE public.impact_sequence")
    table.execute(
        "CREATE VIEW public.impact_view AS SELECT id, amount + nextval('public.impact_sequence') AS amount, "
        "country, email, placed_at FROM public.impact_orders"
    )
    try:
        moved = ("public.impact_orders", "public.impact_view")
        counts = on_postgres.count_there(table, questions(reviewed(shop, moved), "postgres"))
        assert "read-only transaction" in counts["orders.large"].reason
    finally:
        table.execute("DROP VIEW public.impact_view")
        table.execute("DROP SEQUENCE public.impact_sequence")


def test_without_data_of_a_dataset_the_reason_is_told(shop: Path) -> None:
    found = reviewed(shop, *EDITS)
    told = impact(found, {})
    labels = {one.label for topic in topics(found) for one in (topic, *topic.under)}
    assert (
        labels <= told.keys() and told["orders.large"].reason == "--data names no source for dataset orders"
    )
