"""The last changes of each filter, out of the commits of a real repository."""

from pathlib import Path

import pytest

from predicat.review.history import Change, last_changes
from tests.processes import git

FIRST = """\
apiVersion: predicat/v1
dataset: orders
fields: {amount: bigint, country: string}
filters:
  large: {sql: amount > 100}
  domestic: {cel: 'country == "DE"'}
  both: {all: [large, domestic]}
"""
STEPS = (
    ("Add orders", FIRST),
    ("Take 100, too", FIRST.replace("> 100", ">= 100")),
    ("Say who owns it", FIRST.replace("> 100}", ">= 100, owner: a@example.com}")),
    ("A tab", FIRST.replace("  large", "\tlarge")),
    ("No tab", FIRST.replace("> 100}", ">= 100, owner: a@example.com}")),
)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "catalog").mkdir()
    git(tmp_path, "init", "-q", "-b", "main")
    for subject, text in STEPS:
        (tmp_path / "catalog" / "orders.yml").write_text(text)
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "-qm", subject)
        (tmp_path / "README.md").write_text(subject)
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "-qm", "Not about the catalog")
    return tmp_path


def told(change: Change) -> tuple[str, ...]:
    return (change.subject, change.title, *change.lines)


def test_each_change_has_its_proof(shop: Path) -> None:
    found = last_changes(shop / "catalog", {})
    assert [told(change) for change in found["orders.large"]] == [
        ("Say who owns it", "owner added"),
        ("Take 100, too", "wider", "rows are gained, none is lost (proved)"),
        ("Add orders", "added"),
    ]
    assert found["orders.large"][1].rows == (("gained", "{amount: 100}: FALSE before, TRUE after"),)
    assert [told(change) for change in found["orders.both"]] == [
        ("Take 100, too", "wider", "rows are gained, none is lost (proved)", "because of orders.large"),
        ("Add orders", "added"),
    ]
    assert [change.subject for change in found["orders.domestic"]] == ["Add orders"]
    change = found["orders.large"][0]
    assert git(shop, "rev-parse", "--short=12", "HEAD~5").strip() == change.commit and change.day > "2020"


def test_only_some_commits_are_looked_at(shop: Path) -> None:
    assert last_changes(shop / "catalog", {}, 0) == {}
    found = last_changes(shop / "catalog", {}, 4)  # the first one is not
    assert [change.title for change in found["orders.large"]] == ["owner added", "wider"]


def test_without_a_repository_there_are_none(tmp_path: Path) -> None:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "orders.yml").write_text(FIRST)
    assert last_changes(tmp_path / "catalog", {}) == {}
    git(tmp_path, "init", "-q")
    assert last_changes(tmp_path / "catalog", {}) == {}
