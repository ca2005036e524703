"""What engines mean differently is an error in new `sql` bodies, and a warning in released ones."""

import sys
from decimal import Decimal
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

import predicat
from predicat.catalog import load_catalog
from predicat.cli import release_command
from predicat.diagnostics import PredicatError
from predicat.language import LANGUAGES
from tests.processes import completed

FIELDS = {
    "a": "bigint",
    "b": "bigint",
    "x": "double",
    "p": "decimal(10,2)",
    "s": "string",
    "xs": "array<string>",
}
CATALOG = """\
apiVersion: predicat/v1
dataset: orders
fields: {a: bigint, b: bigint}
filters:
  ratio:
    description: Ratio.
    sql: a / b > 1
"""
AMBIGUOUS = {
    "a / b > 1": ("div(a, b)", "a / CAST(b AS DOUBLE)"),
    "CAST(x AS INT) = 1": ("CAST(floor(x) AS BIGINT)",),
    "p::bigint = 1": ("floor(p)",),
    "xs[0] = 'a'": ("element_at(xs, 1)",),
    "concat(s, 'x') = 'ax'": ("s || 'x'", "coalesce"),
}
PLAIN = (
    "a / 2.0 > 1",
    "div(a, b) > 1",
    "a DIV b > 1",
    "CAST(floor(x) AS INT) = 1",
    "CAST(s AS INT) = 1",
    "CAST(a AS INT) = 1",
    "s || 'x' = 'ax'",
    "concat('a', 'b') = s",
    "concat(coalesce(s, ''), 'x') = 'ax'",
)


@pytest.mark.parametrize(("text", "spellings"), AMBIGUOUS.items())
def test_both_spellings_are_named(text: str, spellings: tuple[str, ...]) -> None:
    with pytest.raises(PredicatError) as error:
        predicat.parse(text, "sql", FIELDS)
    (found,) = error.value.diagnostics
    assert found.code == "ambiguous-sql"
    assert "PostgreSQL" in found.message
    assert "Spark" in found.message
    assert all(spelling in (found.hint or "") for spelling in spellings)


@pytest.mark.parametrize("text", PLAIN)
def test_what_both_mean_is_taken(text: str) -> None:
    predicat.parse(text, "sql", FIELDS)


@pytest.mark.parametrize("language", ["spark", "postgres"])
@pytest.mark.parametrize("text", AMBIGUOUS)
def test_an_engine_knows(text: str, language: str) -> None:
    predicat.parse(text, language, FIELDS)


def test_a_new_filter_fails_and_a_released_one_keeps_its_meaning(tmp_path: Path) -> None:
    folder = tmp_path / "catalog"
    folder.mkdir()
    file = folder / "orders.yml"
    file.write_text(CATALOG)
    assert "div(a, b)" in run("check", folder, 1)

    file.write_text(CATALOG.replace("a / b > 1", "div(a, b) > 1"))
    run("release", folder, 0)
    file.write_text(CATALOG)
    released = run("check", folder, 0)
    assert "warning[ambiguous-sql]" in released
    assert "orders.ratio@1 is released and keeps the meaning that it has" in released
    assert "div(a, b)" in released


def released(folder: Path, catalog: str, keeps: str, name: str = "sql", **earlier: bool) -> str:
    """What `check` says of a catalog that was released under earlier rules of a language, which it keeps."""
    folder.mkdir(exist_ok=True)
    (folder / "orders.yml").write_text(catalog)
    language = LANGUAGES[name]
    with pytest.MonkeyPatch.context() as before:
        before.setitem(LANGUAGES, name, replace(language, rules=replace(language.rules, **earlier)))
        assert CliRunner().invoke(release_command.command, ["--catalog", str(folder)]).exit_code == 0
    found = run("check", folder, 0)
    assert f"orders.ratio@1 is released and keeps {keeps}" in found
    return found


def test_a_released_version_keeps_its_casts_of_texts(tmp_path: Path) -> None:
    text = CATALOG.replace("a: bigint", "s: string").replace("a / b > 1", "CAST(s AS INT) = 42")
    released(tmp_path, text, "its casts of strings", casts_of_text=False)
    kept = load_catalog(tmp_path)["orders.ratio"]
    assert [kept.evaluate({"s": text}) for text in ("42", " 42 ")] == [True, None]

    (tmp_path / "orders.yml").write_text(
        text.replace(
            "    sql: CAST(s AS INT) = 42",
            "    versions: {1: {sql: CAST(s AS INT) = 42}, 2: {sql: CAST(s AS INT) = 42}}",
        )
    )
    assert load_catalog(tmp_path)["orders.ratio@2"].evaluate({"s": " 42 "}) is True


def test_a_released_version_keeps_its_arithmetic_of_decimals(tmp_path: Path) -> None:
    text = CATALOG.replace("a: bigint", "p: 'decimal(10,2)', w: 'decimal(38,10)'").replace(
        "a / b > 1", "p * 1.1 = 3.3 AND w * w * 2 > 1"
    )
    released(tmp_path, text, "its decimal arithmetic", decimal_arithmetic=False)
    kept = load_catalog(tmp_path)["orders.ratio"]
    assert kept.evaluate({"p": Decimal(3), "w": Decimal(5)}) is False  # 3.3000000000000003

    (tmp_path / "orders.yml").write_text(text.replace(" AND w * w * 2 > 1", ""))
    found = load_catalog(tmp_path)["orders.ratio"]
    assert found.evaluate({"p": Decimal(3)}) is True


def test_a_released_version_keeps_its_order_of_nan(tmp_path: Path) -> None:
    body = "x > 100 OR CAST(s AS INT) = 42"
    text = CATALOG.replace("a: bigint", "s: string, x: double").replace("a / b > 1", body)
    found = released(tmp_path, text, "its comparisons", total_order=False, casts_of_text=False)
    assert "orders.ratio@1 is released and keeps its casts of strings" in found
    kept = load_catalog(tmp_path)["orders.ratio"]
    nan = float("nan")
    assert [kept.evaluate({"x": nan, "s": text}) for text in ("1", "42")] == [False, True]
    assert predicat.parse("x > 100", "sql", {"x": "double"}).evaluate({"x": nan}) is True


def test_a_released_version_keeps_whole_lengths_of_time(tmp_path: Path) -> None:
    text = CATALOG.replace("a: bigint, b: bigint", "t: timestamp, u: timestamp").replace(
        "a / b > 1", "extract(minute FROM t - u) > 70 OR extract(second FROM t - u) > 59.5"
    )
    released(tmp_path, text, "its parts of intervals", interval_fields=False)
    rows = [
        {"t": "2026-02-01 12:00:00", "u": "2026-02-01 10:00:00"},
        {"t": "2026-02-01 10:00:00", "u": "2026-02-01 10:00:00.25"},
    ]
    assert [load_catalog(tmp_path)["orders.ratio"].evaluate(row) for row in rows] == [True, True]
    again = predicat.parse(text.partition("sql: ")[2].strip(), "sql", {"t": "timestamp", "u": "timestamp"})
    assert [again.evaluate(row) for row in rows] == [False, False]


def test_a_released_version_keeps_its_pubsub_inequality(tmp_path: Path) -> None:
    body = "'attributes.a != \"x\" AND attributes:b'"
    text = CATALOG.replace("a: bigint, b: bigint", "attributes: 'map<string, string>'").replace(
        "sql: a / b > 1", f"pubsub: {body}"
    )
    found = released(tmp_path, text, "its !=, which needs the attribute", "pubsub", absent_differs=False)
    assert "write attributes:key AND" in found
    rows = [{"attributes": row} for row in ({"b": ""}, {"a": "x", "b": ""}, {"a": "y", "b": ""})]
    kept = load_catalog(tmp_path)["orders.ratio"]
    assert [kept.evaluate(row) for row in rows] == [False, False, True]
    again = predicat.parse(body.strip("'"), "pubsub", on="attributes")
    assert [again.evaluate(row) for row in rows] == [True, False, True]
    assert kept.to("pubsub") == 'attributes:a AND attributes.a != "x" AND attributes:b'


def test_a_released_version_keeps_its_cesql(tmp_path: Path) -> None:
    body = "EXISTS a AND NOT a LIKE 'x%' AND (b = 'y' OR a = 'z')"
    text = CATALOG.replace("a: bigint, b: bigint", "ce: 'map<string, string>'").replace(
        "sql: a / b > 1", f'cesql: "{body}"'
    )
    found = released(tmp_path, text, "its AND and OR", "cesql", ends_at_errors=False, not_binds_first=False)
    assert "keeps its NOT before LIKE and IN" in found
    assert "write x NOT LIKE" in found
    assert load_catalog(tmp_path)["orders.ratio"].evaluate({"ce": {"a": "z"}}) is True
    with pytest.raises(PredicatError, match="NOT binds tighter"):
        predicat.parse(body, "cesql")
    again = predicat.parse(body.replace("NOT a LIKE", "a NOT LIKE"), "cesql")
    assert again.evaluate({"ce": {"a": "z"}}) is not True


def test_a_released_version_keeps_its_json_nulls(tmp_path: Path) -> None:
    body = """'j.owner != "x" || has(j.public)'"""
    text = CATALOG.replace("a: bigint, b: bigint", "j: {type: json, nulls: value}").replace(
        "sql: a / b > 1", f"cel: {body}"
    )
    found = released(tmp_path, text, "its reading of JSON null", "cel", json_null_is_value=False)
    assert "has(x) is TRUE" in found
    rows = [{"j": row} for row in ({"owner": None}, {"owner": "x", "public": None}, {"owner": "y"}, {})]
    kept = load_catalog(tmp_path)["orders.ratio"]
    assert [kept.evaluate(row) for row in rows] == [None, False, True, None]
    again = predicat.parse(body.strip("'"), "cel", {"j": {"type": "json", "nulls": "value"}})
    assert [again.evaluate(row) for row in rows] == [True, True, True, None]


def test_a_released_version_keeps_its_json_of_duckdb(tmp_path: Path) -> None:
    body = "j->'plan' IS NULL AND j.qty = 5"
    text = CATALOG.replace("a: bigint, b: bigint", "j: json").replace("sql: a / b > 1", f"duckdb: {body}")
    released(tmp_path, text, "its reading of JSON values", "duckdb", json_scalars=False)
    rows = [{"j": row} for row in ({"plan": None, "qty": 5}, {"qty": 4.6}, {"qty": "5"})]
    kept = load_catalog(tmp_path)["orders.ratio"]
    assert [kept.evaluate(row) for row in rows] == [True, False, False]
    again = predicat.parse("(j->'plan') IS NULL AND j.qty = 5", "duckdb", {"j": "json"})
    assert [again.evaluate(row) for row in rows] == [False, True, True]


def run(command: str, folder: Path, code: int) -> str:
    """What a command says, whose exit code is to be this."""
    result = completed([sys.executable, "-m", "predicat", command, "--catalog", str(folder)], timeout=60)
    assert result.returncode == code, result.stdout + result.stderr
    return result.stdout + result.stderr
