"""The filters of a catalog that code is compared with: in any language, with references and parameters."""

from pathlib import Path

import pytest

from predicat.catalog import load_catalog
from tests.processes import in_process

REFERENCE = Path(__file__).resolve().parents[2] / "catalog"
CATALOG = """apiVersion: predicat/v1
dataset: orders
relation: {spark: shop.orders}
fields:
  status: string
  amount: bigint
  region: string
  day: date
  at: timestamp
  delay: {type: bigint, column: {spark: dep_delay}}
filters:
"""
# A filter, code that has its rows, and how the code uses it.
COPIES = {
    "cel": ("cel: status == 'open' && amount > 3", "status = 'open' and not amount <= 3", ""),
    "jsonlogic": (
        'jsonlogic: {and: [{"==": [{var: status}, x]}, {">": [{var: amount}, 7]}]}',
        "status = 'x' and amount > 7",
        "",
    ),
    "mongodb": ("mongodb: {status: x, amount: {$gt: 7}}", "status = 'x' and amount > 7", ""),
    "spark": ("spark: status <=> 'open'", "coalesce(status = 'open', false)", ""),
    "a reference": (
        "sql: matches_filter('other') and amount > 3",
        "amount > 3 and (region = 'eu' or region = 'us')",
        "",
    ),
    "several": ("any: [other, third]", "region in ('eu', 'us') or amount = 1 and status = 'z'", ""),
    "UNKNOWN": (
        "{on_unknown: accept, sql: status = 'a' and region = 'q'}",
        "coalesce(status = 'a' and region = 'q', true)",
        "",
    ),
    "a default": (
        "{params: {n: {type: bigint, default: 60}}, sql: amount > :n and status = 'a'}",
        "amount > 60 and status = 'a'",
        "",
    ),
    "a date": (
        "{params: {since: {type: date}}, sql: day >= :since}",
        "day >= '2024-01-01'",
        ", since => '2024-01-01'",
    ),
    "two values": (
        "{params: {n: {type: bigint}, land: {type: string}}, sql: amount > :n and region = :land}",
        r"region = 'it\'s' and amount > 5",
        r", land => 'it\'s', n => 5",
    ),
    "one value twice": (
        "{params: {n: {type: bigint}}, sql: amount > :n or delay > :n}",
        "dep_delay > 5 or amount > 5",
        ", n => 5",
    ),
    "a column": ("sql: delay > 60 and status = 'a'", "status = 'a' and dep_delay > 60", ""),
    "a part": (
        "sql: status = 'open' and amount > 3",
        "status = 'open' and amount > 3 and day > '2024-01-01'",
        "",
    ),
    "a part with a value": (
        "{params: {n: {type: bigint}}, sql: amount > :n and region = 'eu'}",
        "status = 'open' and amount > 3 and region = 'eu'",
        ", n => 3",
    ),
}
OTHERS = """
  other: {sql: "region in ('eu', 'us')"}
  third: {cel: amount == 1 && status == 'z'}
"""


def discover(folder: Path, body: str, code: str, *options: str) -> str:
    """What is told of code, with a catalog that has a filter `found`."""
    written = body if body.startswith("{") else f"\n    {body}"
    (folder / "catalog").mkdir()
    (folder / "catalog" / "orders.yml").write_text(f"{CATALOG}  found: {written}{OTHERS}")
    (folder / "a.sql").write_text(f"select * from shop.orders where {code};\n")
    checked = in_process("check", cwd=folder)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    done = in_process("discover", "a.sql", "--dialect", "spark", "--check", *options, cwd=folder)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


@pytest.mark.parametrize("case", COPIES)
def test_a_copy_is_found_with_its_values(tmp_path: Path, case: str) -> None:
    body, code, given = COPIES[case]
    told = discover(tmp_path, body, code)
    part = case.startswith("a part")
    assert told.count("[D301]") == 1
    assert (" a part of this is a copy of the filter orders.found" in told) == part, told
    end = "for this part" if part else "it is proved that all rows stay the same"
    assert f"write matches_filter('orders.found'{given})" in told and f"{end}\n" in told, told


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("{params: {n: {type: bigint}}, sql: amount > :n or delay > :n}", "amount > 5 or dep_delay > 6"),
        ("{params: {n: {type: bigint}}, sql: amount > :n and region = 'eu'}", "amount > 5 and region = 'us'"),
        ("{params: {n: {type: bigint}}, sql: amount > :n}", "amount > dep_delay"),
        ("sql: status = 'open' or amount > 3", "amount > 3 and region = 'eu'"),
        ("sql: status = 'open' and amount > 3", "(status = 'open' and amount > 3) or region = 'eu'"),
    ],
)
def test_other_rows_are_no_copy(tmp_path: Path, body: str, code: str) -> None:
    assert "[D301]" not in discover(tmp_path, body, code)


def test_a_drift_from_a_filter_of_another_language_names_both_sides(tmp_path: Path) -> None:
    told = discover(tmp_path, "cel: status == 'open' && amount > 3", "status = 'open' and amount >= 3")
    assert "this differs from the filter orders.found: this has amount >= 3, the filter amount > 3." in told
    assert 'Only this accepts {status: "open", amount: 3}\n' in told


def test_filters_of_the_reference_catalog_are_compared(tmp_path: Path) -> None:
    """Texts, data, and languages that are either, such as selectors of labels."""
    (tmp_path / "a.sql").write_text("select * from shop.orders where a = 1;\n")
    done = in_process("discover", "a.sql", "--catalog", str(REFERENCE), "--jobs", "1", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    languages = {one.current.predicate.language for one in load_catalog(REFERENCE).filters()}
    assert languages >= {"cel", "headers", "labels", "sns", "pulsar"}


def test_filters_that_are_not_compared_are_counted(tmp_path: Path) -> None:
    told = discover(tmp_path, "python: a_package.a_module.AClass", "status = 'open'")
    assert "filters          2  compared, 1 not\n                 1  they are Python code\n" in told


SINCE = "{params: {since: {type: date}, n: {type: bigint}}, sql: day >= :since and amount > :n}"
# How a place gives values, by its file.
GIVEN = {
    "models/a.sql": (
        "select * from {{ source('shop', 'orders') }} o where o.day >= '2024-01-01' and o.amount > 5",
        "{{ predicat_filters.matches_filter('orders.found', 'o', params={'n': 5, 'since': '2024-01-01'}) }}",
    ),
    "a.py": (
        'import pyspark\nspark.table("shop.orders").where("day >= \'2024-01-01\' and amount > 5")\n',
        ".where(\"matches_filter('orders.found', n => 5, since => '2024-01-01')\")",
    ),
}


@pytest.mark.parametrize("path", GIVEN)
def test_a_place_gives_values_in_its_language(tmp_path: Path, path: str) -> None:
    code, call = GIVEN[path]
    discover(tmp_path, SINCE, "true")
    (tmp_path / "models").mkdir()
    (tmp_path / path).write_text(code)
    if path.startswith("models/"):
        (tmp_path / "dbt_project.yml").write_text("name: p\n")
    done = in_process("discover", path, "--dialect", "spark", "--check", cwd=tmp_path)
    assert done.returncode == 1 and f"= hint: write {call}; it is proved" in done.stdout, done.stdout
    done = in_process("discover", path, "--dialect", "spark", "--patch", "p.diff", cwd=tmp_path)
    assert "1 place, each" in done.stdout
    assert call.removeprefix(".where") in (tmp_path / "p.diff").read_text()


def test_a_manifest_with_a_filter_is_a_note_that_says_what_writes_it(tmp_path: Path) -> None:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "orders.yml").write_text(
        "apiVersion: predicat/v1\ndataset: orders\nfields: {attributes: 'map<string, string>'}\n"
        "filters: {found: {sns: {status: [open], region: [eu]}}}\n"
    )
    (tmp_path / "app.yml").write_text(
        "Resources:\n  Sub:\n    Type: AWS::SNS::Subscription\n    Properties:\n      Protocol: sqs\n"
        "      FilterPolicy: {region: [eu], status: [open]}\n"
    )
    done = in_process("discover", "app.yml", "--check", "--select", "D301", cwd=tmp_path)
    assert done.returncode == 0 and "this is a copy of the filter orders.found\n" in done.stdout, done.stdout
    assert "= hint: `predicat translate orders.found --to sns` writes it\n" in done.stdout
