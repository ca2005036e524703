"""A branch, a change, a review: as in a pull request, with a real git repository."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_commands import run

GOLDEN = Path(__file__).parent / "comment.md"
CATALOG = """apiVersion: predicat/v1
dataset: orders
description: Orders of a shop.
relation: {spark: orders, postgres: public.orders}
fields: {amount: bigint, country: string, note: string, score: double}
filters:
  large:
    description: Large orders.
    owner: sales@example.com
    sql: amount > 100
  large_domestic:
    description: Large orders from here.
    all: [large, domestic]
  domestic:
    cel: country == "DE"
  noted:
    sql: note IS NOT NULL
  fine:
    description: Well scored.
    sql: score >= 0.5
groups:
  kinds: {filters: [large, noted]}
subscriptions:
  desk: {filter: large, properties: {team: sales}}
"""


def git(folder: Path, *args: str) -> None:
    subprocess.run(["git", "-C", str(folder), "-c", "user.name=t", "-c", "user.email=t@example.com", *args], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository whose branch `change` starts at `main`."""
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "orders.yml").write_text(CATALOG)
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    git(tmp_path, "checkout", "-qb", "change")
    return tmp_path


def edit(folder: Path, *changes: tuple[str, str]) -> None:
    file = folder / "catalog" / "orders.yml"
    text = file.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file.write_text(text)


def test_no_change_is_exit_code_0(repository: Path) -> None:
    done = run("diff", cwd=repository)
    assert (done.returncode, done.stderr) == (0, "")
    assert "no filter differs" in done.stdout


def test_a_refactoring_is_exit_code_0(repository: Path) -> None:
    edit(repository, ("amount > 100", "amount >= 101"), ('cel: country == "DE"', "cel: '\"DE\" == country'"))
    done = run("diff", cwd=repository)
    assert done.returncode == 0, done.stdout
    assert "orders.large: equivalent" in done.stdout and "orders.domestic: equivalent" in done.stdout


def test_the_comment_of_a_pull_request(repository: Path) -> None:
    edit(repository, ("amount > 100", "amount >= 100"), ('country == "DE"', 'country == "DE" || country == "AT"'), ("  noted:\n    sql: note IS NOT NULL\n", ""),
         (", noted]", "]"), ("description: Well scored.", "description: Scored | well `so`"))  # fmt: skip
    git(repository, "commit", "-qam", "second")
    done = run("diff", "main", "--format", "markdown", cwd=repository)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout == GOLDEN.read_text()


def test_other_forms(repository: Path) -> None:
    edit(repository, ("amount > 100", "amount >= 100"))
    data = json.loads(run("diff", "--format", "json", cwd=repository).stdout)
    first = data["filters"][0]
    assert (first["name"], first["verdict"]["kind"]) == ("orders.large", "wider")
    assert first["verdict"]["witnesses"] == [{"shows": "gained", "row": {"amount": 100}, "params": {}, "before": "FALSE", "after": "TRUE"}]
    assert first["affects"] == {"filters": ["orders.large_domestic"], "groups": ["orders.kinds"], "subscriptions": ["orders.desk"],
                                "views": ["orders__large", "orders__large_domestic"]}  # fmt: skip
    assert run("diff", "--format", "github", cwd=repository).stdout.startswith("::warning file=catalog/orders.yml,line=7,title=orders.large::wider")
    log = json.loads(run("diff", "--format", "sarif", cwd=repository).stdout)
    assert log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] == 7


def test_what_refers_to_a_changed_filter_is_affected(repository: Path) -> None:
    edit(repository, ('country == "DE"', 'country == "DE" || country == "AT"'))
    data = json.loads(run("diff", "--format", "json", cwd=repository).stdout)
    assert {row["name"]: (row["status"], row["verdict"]["kind"]) for row in data["filters"]} == {
        "orders.domestic": ("changed", "wider"), "orders.large_domestic": ("affected", "wider")}  # fmt: skip


def test_versions_and_unknown(repository: Path) -> None:
    edit(repository, ("    sql: amount > 100\n", "    on_unknown: accept\n    latest: 2\n    versions:\n      1: {sql: amount > 100}\n      2: {sql: amount > 50}\n"))
    done = run("diff", cwd=repository)
    assert "orders.large: wider" in done.stdout and "gained: {}: UNKNOWN before, UNKNOWN after" in done.stdout
    assert "version 2 added: amount > 50" in done.stdout and "on_unknown changed: reject -> accept" in done.stdout


def test_a_manifest_is_a_base_too(repository: Path) -> None:
    assert run("compile", cwd=repository).returncode == 0
    edit(repository, ("amount > 100", "amount > 200"))
    done = run("diff", "target/manifest.json", cwd=repository)
    assert done.returncode == 1 and "orders.large: narrower" in done.stdout and "5 unchanged" not in done.stdout
    (repository / "target" / "manifest.json").write_text('{"format": 1, "filters": [{}]}')
    assert "it holds no predicates" in run("diff", "target/manifest.json", cwd=repository).stderr


@pytest.mark.parametrize(
    ("prepare", "args", "message"),
    [
        (lambda _: None, ("nosuch",), "git knows no revision 'nosuch'"),
        (lambda _: None, ("--upload-pack=x",), "No such option"),
        (lambda folder: edit(folder, ("amount > 100", "amuont > 100")), (), "did you mean 'amount'"),
        (lambda folder: git(folder, "branch", "-m", "main", "old"), (), "no main branch"),
    ],
)
def test_wrong_use_is_exit_code_2(repository: Path, prepare: Callable[[Path], Any], args: tuple[str, ...], message: str) -> None:
    prepare(repository)
    done = run("diff", *args, cwd=repository)
    assert done.returncode == 2 and message in done.stderr and "Traceback" not in done.stderr


def test_a_broken_base_does_not_stop_the_review(repository: Path) -> None:
    edit(repository, ("amount > 100", "amount >> 100"))
    git(repository, "commit", "-qam", "broken")
    edit(repository, ("amount >> 100", "amount > 100"), ("score >= 0.5", "score > 0.5"))
    done = run("diff", "change", cwd=repository)
    assert (done.returncode, done.stderr) == (1, "")
    assert "orders.fine: narrower" in done.stdout and "orders.large: not compared" in done.stdout
    assert "it has problems at change" in done.stdout and "catalog/orders.yml:10:10: " in done.stdout


def test_a_base_that_is_no_yaml_does_not_stop_the_review(repository: Path) -> None:
    other = repository / "catalog" / "shops.yml"
    other.write_text("apiVersion: predicat/v1\ndataset: shops\nfields: {a: [\n")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "broken")
    other.write_text("apiVersion: predicat/v1\ndataset: shops\nfields: {a: bigint}\nfilters:\n  one: {sql: a = 1}\n")
    edit(repository, ("score >= 0.5", "score > 0.5"))
    done = run("diff", "change", cwd=repository)
    assert (done.returncode, done.stderr) == (1, "")
    assert "orders.fine: narrower" in done.stdout and "catalog/shops.yml: not compared" in done.stdout and "shops.one" not in done.stdout


def test_without_git(tmp_path: Path) -> None:
    run("init", cwd=tmp_path)
    done = run("diff", cwd=tmp_path)
    assert done.returncode == 2 and "Traceback" not in done.stderr


def test_rows_of_real_data(repository: Path, spark: Any, postgres: Any) -> None:
    from predicat.catalog.load import read_definitions
    from predicat.review import postgres as counter
    from predicat.review.changes import review
    from predicat.review.counts import questions
    from predicat.review.snapshot import of_files
    from predicat_spark.differences import _counts

    before = of_files(read_definitions(repository / "catalog"), str)
    edit(repository, ("amount > 100", "amount BETWEEN 50 AND 150"))
    after = of_files(read_definitions(repository / "catalog"), str)
    found = review(before, after)
    rows = [(10,), (60,), (120,), (200,), (None,)]
    with postgres.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS public.orders CASCADE")
        cursor.execute("CREATE TABLE public.orders (amount bigint, country text)")
        cursor.executemany("INSERT INTO public.orders VALUES (%s, 'DE')", rows)
    asked, refused = questions(found, "postgres")
    on_postgres = counter.count(postgres, asked, {name: row["relation"] for name, row in after.datasets.items()})
    frame = spark.createDataFrame([(row[0], "DE") for row in rows], "amount bigint, country string")
    on_spark = _counts(frame, questions(found, "spark")[0])
    assert refused == {}
    for counted in (on_postgres, on_spark):
        large = counted["orders.large"]
        assert (large.total, large.before, large.after, large.gained, large.lost) == (5, 2, 2, 1, 1)
        assert (list(large.gained_rows), list(large.lost_rows)) == ([{"amount": 60}], [{"amount": 200}])
        assert counted["orders.large_domestic"].lost == 1
