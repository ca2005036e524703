"""Selectors of filters: what each selects, and the commands that take them."""

import json
from pathlib import Path

import pytest

import predicat
from predicat.deploy.chosen import chosen
from tests.processes import first_commit, in_process

SHOP = """\
apiVersion: predicat/v1
dataset: shop
fields: {amount: bigint, country: string}
filters:
  big:
    owner: ann@example.com
    tags: [ops]
    latest: 2
    versions:
      1: {sql: amount > 10, deprecated: 2100-01-01}
      2: {sql: "amount > :least", params: {least: {type: bigint, default: 100}}}
    tests: [{row: {amount: 101}, matches: true}]
  german: {owner: bob@example.com, cel: 'country == "DE"', tests: [{row: {country: DE}, matches: true}]}
  big_german: {all: [big, german], tags: [ops, eu]}
  best: {sql: "matches_filter('big_german') AND amount > 1000"}
"""
SUBSCRIPTIONS = """\
subscriptions:
  desk-a: {filter: german}
  desk-b: {filter: big@1}
  "kafka:orders": {filter: best}
  big: {filter: german}
"""
OTHER = """\
apiVersion: predicat/v1
dataset: other
fields: {n: bigint}
filters:
  small: {sql: n < 3, tags: [eu]}
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "shop.yml").write_text(SHOP)
    (tmp_path / "catalog" / "other.yml").write_text(OTHER)
    return tmp_path


def names(folder: Path, *args: str) -> list[str]:
    done = in_process("list", "--names", *args, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize(
    ("selectors", "expected"),
    [
        ([], "small big german big_german best"),
        (["big"], "big"),
        (["shop.big", "big@1"], "big@1 big"),
        (["shop"], "big german big_german best"),
        (["shop.*german"], "german big_german"),
        (["*big*", "small"], "small big big_german"),
        (["tag:ops"], "big big_german"),
        (["tag:o*"], "big big_german"),
        (["owner:*@example.com"], "big german"),
        (["language:cel"], "german"),
        (["reads:country"], "german big_german best"),
        (["state:deprecated"], ""),
        (["+big_german"], "big german big_german"),
        (["big_german+"], "big_german best"),
        (["1+best"], "big_german best"),
        (["+best"], "big german big_german best"),
        (["big+1"], "big big_german"),
        (["+big_german+"], "big german big_german best"),
        (["tag:eu,shop.*"], "big_german"),
        (["tag:ops,tag:eu"], "big_german"),
        (["shop", "--exclude", "big_german+"], "big german"),
        (["--exclude", "tag:eu", "--exclude", "big"], "german best"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_selected(shop: Path, selectors: list[str], expected: str) -> None:
    assert [name.partition(".")[2] for name in names(shop, *selectors)] == expected.split()


@pytest.mark.parametrize(
    ("selector", "code", "said"),
    [
        ("bigg", 2, "did you mean 'big'"),
        ("shop.x*", 2, "no filter is named 'shop.x*'"),
        ("tag:opz", 2, "no filter has the tag 'opz'\n  = hint: did you mean 'ops'?"),
        ("reads:amont", 2, "no filter reads the field 'amont'\n  = hint: did you mean 'amount'?"),
        ("state:changd", 2, "did you mean 'changed'"),
        ("tags:ops", 2, "no selector is named 'tags', in 'tags:ops'\n  = hint: did you mean 'tag'?"),
        ("big@7", 2, "shop.big has no version 7"),
        ("+", 2, "'+' selects nothing"),
    ],
)
def test_a_wrong_selector(shop: Path, selector: str, code: int, said: str) -> None:
    done = in_process("list", selector, cwd=shop)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr


def test_state(shop: Path) -> None:
    first_commit(shop)
    assert names(shop, "state:changed") == []
    file = shop / "catalog" / "shop.yml"
    file.write_text(SHOP.replace('"DE"', '"FR"').replace("{row: {country: DE}", "{row: {country: FR}"))
    (shop / "catalog" / "new.yml").write_text(OTHER.replace("other", "third"))
    # what uses a filter has changed with it
    assert names(shop, "state:changed") == ["third.small", "shop.german", "shop.big_german", "shop.best"]
    assert names(shop, "state:new") == ["third.small"]
    assert names(shop, "state:changed", "--exclude", "state:new", "--base", "main") == [
        "shop.german",
        "shop.big_german",
        "shop.best",
    ]
    done = in_process("check", "state:changed", cwd=shop)
    assert done.stdout == "2 datasets, 4 of 6 filters in 4 versions, 1 test passed\n", done.stderr
    done = in_process("test", "state:changed", cwd=shop)
    assert done.stdout == "1 passed, 0 failed on evaluator; 3 filters without a test\n"


def test_check_judges_what_is_selected(shop: Path) -> None:
    (shop / "catalog" / "bad.yml").write_text(OTHER.replace("other", "bad").replace("n < 3", "m < 3"))
    assert in_process("check", cwd=shop).returncode == 1
    assert in_process("check", "shop", cwd=shop).stdout.startswith("1 dataset, 4 of 6 filters")
    done = in_process("check", "tag:eu", "--format", "json", cwd=shop)
    assert done.returncode == 1
    (problem,) = json.loads(done.stdout)["problems"]
    assert (problem["code"], problem["file"], problem["line"]) == ("unknown-field", "catalog/bad.yml", 5)


def test_sql_of_several_filters(shop: Path) -> None:
    done = in_process("sql", "tag:ops", "--param", "least=5", cwd=shop)
    assert done.stdout == (
        "-- shop.big@2\namount > 5\n\n-- shop.big_german@1\namount > 100 AND country = 'DE'\n"
    )
    data = json.loads(
        in_process("sql", "big@1", "--format", "json", "--dialect", "postgres", cwd=shop).stdout
    )
    assert data == [{"name": "shop.big", "version": 1, "dialect": "postgres", "sql": "amount > 10"}]
    assert "no parameter 'lest'" in in_process("sql", "tag:ops", "--param", "lest=5", cwd=shop).stderr
    assert (
        "'least' of this predicate must have type bigint"
        in in_process("sql", "big", "--param", "least=x", cwd=shop).stderr
    )


def test_docs_of_some_filters(shop: Path) -> None:
    done = in_process("docs", "build", "big_german", "--no-proofs", cwd=shop)
    assert done.returncode == 0, done.stderr
    pages = sorted(path.name for path in (shop / "target" / "site" / "filters").iterdir())
    assert pages == ["shop.big.html", "shop.big_german.html", "shop.german.html"]


def test_quality_of_some_filters(shop: Path) -> None:
    (shop / "rows.csv").write_text("amount,country\n500,DE\n5,DE\n")
    args = ("--engine", "duckdb", "--input", "shop=rows.csv", "--format", "json")
    done = in_process("quality", "run", "tag:ops,shop.*", *args, cwd=shop)
    assert done.returncode == 0, done.stderr
    (run,) = json.loads(done.stdout)
    assert {name: row["accepted"] for name, row in run["measure"]["filters"].items()} == {
        "shop.big": 1,
        "shop.big_german": 1,
    }
    (run,) = json.loads(in_process("quality", "run", "shop", *args, cwd=shop).stdout)
    assert len(run["measure"]["filters"]) == 4
    assert "did you mean 'shop'" in in_process("quality", "run", "shoop", *args, cwd=shop).stderr


def test_a_folder_is_no_selector(shop: Path) -> None:
    done = in_process("check", "catalog", cwd=shop)
    assert (done.returncode, done.stderr.split("\n\n")[0]) == (
        2,
        "error[usage]: catalog is a folder, not a filter\n  = hint: write --catalog catalog",
    )


def test_all_subscriptions_of_a_job(shop: Path) -> None:
    source = ("--input", "rows.parquet", "--subscriptions")
    done = in_process("run", "shop", "big", *source, cwd=shop)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (
        2,
        "Error: --subscriptions selects all subscriptions; leave it out to name some",
    )
    catalog = predicat.load_catalog(shop / "catalog")
    with pytest.raises(predicat.PredicatError, match="the dataset 'shop' has no subscriptions"):
        chosen(catalog, "shop", [], "subscriptions")


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("desk-a", ["shop.german"]),
        ("shop.desk-b", ["shop.big@1"]),
        ("subscription:desk-*", ["shop.big@1", "shop.german"]),
        ("subscription:big", ["shop.german"]),
        ("big", ["shop.big"]),
        ("kafka:orders", ["shop.best"]),
        ("desk-a+", ["shop.german", "shop.big_german", "shop.best"]),
        ("subscription:desk-*,german", ["shop.german"]),
    ],
)
def test_the_filter_of_a_subscription(shop: Path, selector: str, expected: list[str]) -> None:
    (shop / "catalog" / "shop.yml").write_text(SHOP + SUBSCRIPTIONS)
    assert names(shop, selector) == expected
    done = in_process("check", selector, cwd=shop)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", ["sql", "explain", "test"])
def test_commands_take_subscriptions(shop: Path, command: str) -> None:
    (shop / "catalog" / "shop.yml").write_text(SHOP + SUBSCRIPTIONS)
    done = [in_process(command, name, cwd=shop) for name in ("desk-a", "german")]
    assert done[0].stdout == done[1].stdout and done[0].returncode == 0


def test_a_subscription_that_there_is_not(shop: Path) -> None:
    (shop / "catalog" / "shop.yml").write_text(SHOP + SUBSCRIPTIONS)
    for name in ("desk-c", "subscription:desk-c"):
        done = in_process("list", name, cwd=shop)
        assert done.returncode == 2 and "did you mean" in done.stderr and "desk-a" in done.stderr


def test_subscriptions_of_one_name_in_two_datasets(shop: Path) -> None:
    (shop / "catalog" / "shop.yml").write_text(SHOP + SUBSCRIPTIONS)
    (shop / "catalog" / "other.yml").write_text(OTHER + "subscriptions: {desk-a: {filter: small}}\n")
    done = in_process("list", "desk-a", cwd=shop)
    assert done.returncode == 2
    assert "shop.desk-a and other.desk-a" in done.stderr or "other.desk-a and shop.desk-a" in done.stderr
    assert names(shop, "other.desk-a") == ["other.small"]
