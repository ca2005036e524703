"""`seek`, `union`, `split` and `translate` as a user tries them: subscriptions, and what is wrong."""

import subprocess
from pathlib import Path

import pytest

from tests.processes import in_process

CATALOG = """\
apiVersion: predicat/v1
dataset: orders
fields: {id: bigint, kind: {type: string, column: {duckdb: order_kind}}, amount: bigint}
filters:
  large: {sql: amount > 100}
  books: {sql: kind = 'book' AND amount > 10}
subscriptions:
  desk: {filter: books}
"""
OTHER = """\
apiVersion: predicat/v1
dataset: returns
fields: {id: bigint}
filters:
  all: {sql: id > 0}
subscriptions:
  shelf: {filter: all}
"""
ROWS = "id,order_kind,amount\n1,pen,20\n2,book,5\n3,book,50\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "orders.yml").write_text(CATALOG)
    (tmp_path / "catalog" / "returns.yml").write_text(OTHER)
    (tmp_path / "rows.csv").write_text(ROWS)
    (tmp_path / "rows.txt").write_text(ROWS)
    (tmp_path / "other.csv").write_text("id,kind\n1,book\n")
    return tmp_path


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return in_process(*words, cwd=folder)


def test_a_subscription_is_named_as_its_filter(folder: Path) -> None:
    assert run(folder, "union", "desk").stdout == run(folder, "union", "books").stdout
    assert run(folder, "split", "orders.desk", "--for", "sns").stdout.startswith(
        'pushed (sns): {"kind": ["book"], "amount": [{"numeric": [">", 10]}]}'
    )
    assert run(folder, "translate", "desk", "--to", "cel").stdout == 'kind == "book" && amount > 10\n'
    found = run(folder, "seek", "desk", "--input", "rows.csv")
    assert "row_number: 2\nid: 3\n" in found.stdout


def test_a_subscription_of_several_datasets_is_ambiguous(folder: Path) -> None:
    (folder / "catalog" / "returns.yml").write_text(OTHER.replace("shelf", "desk"))
    done = run(folder, "union", "desk")
    assert "orders.desk and returns.desk" in done.stderr
    assert run(folder, "union", "returns.desk").stdout == "id > 0\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("seek", "books", "--input", ""), "cannot read '': no such file or folder"),
        (("seek", "books", "--input", "rows.txt"), "its name must end in .parquet, .csv"),
        (("seek", "books", "--input", "other.csv"), "other.csv has no columns 'order_kind', 'amount'"),
        (
            ("seek", "large", "--input", "rows.csv", "--starting-offsets"),
            "no columns 'topic', 'partition', 'offset'",
        ),
        (("seek", "large", "--input", "rows.csv", "--order-by", "amonut"), "did you mean 'amount'?"),
        (("union", "dask"), "did you mean 'desk'"),
        (("union", "large", "returns.all"), "a union has filters of one dataset"),
        (("split", "large", "--for", "snss"), "did you mean 'sns'?"),
        (("translate", "a = 1", "--from", "sql", "--to", "cel"), "read the condition from standard input"),
    ],
)
def test_what_is_wrong_is_one_sentence(folder: Path, words: tuple[str, ...], said: str) -> None:
    done = run(folder, *words)
    assert done.returncode != 0
    assert said in done.stderr
    assert "Traceback" not in done.stderr and "Binder" not in done.stderr
