"""References to filters of other datasets: the fields must fit."""

from pathlib import Path

import pytest

import predicat
from predicat.diagnostics import PredicatError
from tests.processes import first_commit, in_process

CUSTOMERS = """\
apiVersion: predicat/v1
dataset: customers
fields: {country: string, age: bigint}
filters:
  adult: {sql: "age >= :years", params: {years: {type: bigint, default: 18}}}
  german: {cel: country == "DE"}
"""
ORDERS = """\
apiVersion: predicat/v1
dataset: orders
fields: {country: {type: string, column: ship_to}, age: bigint, amount: bigint}
filters:
  by_adult: {sql: "amount > 10 AND matches_filter('customers.adult', years => 21)"}
  german: {all: [customers.german, by_adult]}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "customers.yml").write_text(CUSTOMERS)
    (tmp_path / "catalog" / "orders.yml").write_text(ORDERS)
    return tmp_path


def test_a_filter_of_another_dataset_reads_the_own_fields(folder: Path) -> None:
    catalog = predicat.load_catalog(folder / "catalog")
    assert catalog["orders.by_adult"].sql("spark") == "amount > 10 AND age >= 21"
    assert catalog["orders.german"].sql("postgres") == "ship_to = 'DE' AND amount > 10 AND age >= 21"
    assert catalog["orders.german"].evaluate({"country": "DE", "amount": 11, "age": 30}) is True
    assert catalog.known["orders.german"].current.references == ("customers.german@1", "orders.by_adult@1")
    assert in_process("list", "customers.adult+", "--names", cwd=folder).stdout.split() == [
        "customers.adult",
        "orders.by_adult",
        "orders.german",
    ]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            ", age: bigint, amount",
            ", amount",
            "customers.adult@1 reads the field 'age', which the dataset 'orders'",
        ),
        ("age: bigint, amount", "age: double, amount", "the field 'age' as bigint, but here it is double"),
        (
            "column: ship_to",
            "nulls: value",
            "the field 'country' with nulls: absent, but here it has nulls: value",
        ),
    ],
)
def test_fields_that_do_not_fit(folder: Path, old: str, new: str, said: str) -> None:
    (folder / "catalog" / "orders.yml").write_text(ORDERS.replace(old, new))
    with pytest.raises(PredicatError, match=said):
        predicat.load_catalog(folder / "catalog")


def test_a_cycle_over_datasets(folder: Path) -> None:
    (folder / "catalog" / "customers.yml").write_text(
        CUSTOMERS.replace('{cel: country == "DE"}', "{all: [orders.german]}").replace(
            "age: bigint", "age: bigint, amount: bigint"
        )
    )
    with pytest.raises(PredicatError, match=r"customers.german"):
        predicat.load_catalog(folder / "catalog")


def test_a_review_sees_the_users_in_other_datasets(folder: Path) -> None:
    first_commit(folder)
    (folder / "catalog" / "customers.yml").write_text(CUSTOMERS.replace('"DE"', '"FR"'))
    shown = in_process("diff", "main", cwd=folder).stdout
    assert "customers.german" in shown and "orders.german" in shown
