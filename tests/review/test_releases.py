"""Released versions: the lock file, and every rule about what may change."""

from datetime import date
from pathlib import Path

import pytest

import predicat
from predicat.catalog.lock import Lock, lock_path, parse, read_lock, write_lock
from predicat.catalog.released import lock_text
from predicat.diagnostics import PredicatError, Severity
from predicat.review import releases
from tests.cli.test_commands import run

TODAY = date(2026, 11, 21)
HEAD = """apiVersion: predicat/v1
dataset: orders
fields: {amount: bigint, note: string}
filters:
"""
FIRST = (
    HEAD
    + """  large:
    versions:
      1: {sql: amount > 100, deprecated: 2027-01-31}
      2: {sql: "amount > :least", params: {least: {type: bigint, default: 50}}}
  noted: {sql: note IS NOT NULL}
subscriptions:
  desk: {filter: large, properties: {team: sales}}
"""
)


def catalog(folder: Path, text: str) -> predicat.Catalog:
    folder.mkdir(exist_ok=True)
    (folder / "orders.yml").write_text(text)
    return predicat.load_catalog(folder)


@pytest.fixture
def lock(tmp_path: Path) -> Lock:
    release = releases.Rules(catalog(tmp_path / "catalog", FIRST), None, TODAY).release()
    assert release.new == ("orders.large@1", "orders.large@2", "orders.noted@1")
    assert (release.gone, release.deprecated) == ((), ())
    return release.lock


def problems(tmp_path: Path, lock: Lock, text: str, today: date = TODAY) -> list[tuple[str, str]]:
    file = parse(lock_text(lock), "catalog.lock")
    return [
        (item.severity.value, item.message)
        for item in releases.Rules(catalog(tmp_path / "catalog", text), file, today).problems()
    ]


def test_the_lock_survives_its_file(tmp_path: Path, lock: Lock) -> None:
    write_lock(lock, tmp_path / "catalog.lock")
    assert read_lock(tmp_path / "catalog.lock") == lock
    assert read_lock(tmp_path / "none") is None


@pytest.mark.parametrize("line", ["{", "[]", '{"filter": "a@1"}', '"text"'])
def test_a_damaged_lock_is_refused_with_its_line(tmp_path: Path, lock: Lock, line: str) -> None:
    path = tmp_path / "catalog.lock"
    write_lock(lock, path)
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(PredicatError, match=r"cannot be read\n  --> .*catalog.lock:6:1"):
        read_lock(path)


def test_a_newer_lock_is_refused(tmp_path: Path) -> None:
    (tmp_path / "catalog.lock").write_text('{"format": 99}\n')
    with pytest.raises(PredicatError, match="format 99"):
        read_lock(tmp_path / "catalog.lock")


def test_nothing_changed(tmp_path: Path, lock: Lock) -> None:
    assert problems(tmp_path, lock, FIRST) == []


def test_a_proved_refactoring_passes(tmp_path: Path, lock: Lock) -> None:
    assert problems(tmp_path, lock, FIRST.replace("amount > 100", "NOT (amount <= 100)")) == []
    assert problems(tmp_path, lock, FIRST.replace("{sql: note IS NOT NULL}", "{cel: note != null}")) == []


def test_a_change_of_meaning_fails_with_the_row(tmp_path: Path, lock: Lock) -> None:
    assert problems(tmp_path, lock, FIRST.replace("amount > 100", "amount >= 100")) == [
        (
            "error",
            (
                "orders.large@1 was released on 2026-11-21 (catalog.lock:2) and must keep its meaning; "
                "gained: {amount: 100}: FALSE before, TRUE after"
            ),
        )
    ]


def test_a_change_under_not_is_a_warning(tmp_path: Path, lock: Lock) -> None:
    found = problems(tmp_path, lock, FIRST.replace("amount > 100", "'coalesce(amount, 0) > 100'"))
    assert found == [
        (
            "warning",
            (
                "orders.large@1 accepts the rows that it was released with, but differs under NOT: {}: "
                "UNKNOWN before, FALSE after"
            ),
        )
    ]


def test_a_refactoring_of_doubles_that_rounding_may_change_is_a_warning(tmp_path: Path) -> None:
    text = FIRST.replace("amount: bigint", "amount: double")
    own = (
        releases.Rules(
            catalog(tmp_path / "before", text.replace("amount > 100", "amount + amount + amount > 300")),
            None,
            TODAY,
        )
        .release()
        .lock
    )
    found = problems(tmp_path, own, text)
    assert [severity for severity, _ in found] == ["warning"]
    assert "orders.large@1 was released" in found[0][1]
    assert "holds for exact arithmetic" in found[0][1]


def test_no_proof_is_an_error(tmp_path: Path, lock: Lock) -> None:
    text = FIRST.replace(
        "{sql: note IS NOT NULL}",
        (
            '{sql: "note IS NOT NULL AND (length(note) = 0 OR length(replace(note, note, note || note)) > '
            '0 OR amount > 1)"}'
        ),
    )
    found = problems(tmp_path, lock, text)
    assert [severity for severity, _ in found] == ["error"]
    assert "there is no proof that it keeps its meaning: no proof, because of replace" in found[0][1]


def test_parameters_are_part_of_the_meaning(tmp_path: Path, lock: Lock) -> None:
    assert problems(tmp_path, lock, FIRST.replace("default: 50", "default: 60")) == [
        (
            "error",
            (
                "orders.large@2 was released with the parameters (least bigint = 50) (catalog.lock:3); now "
                "they are (least bigint = 60)"
            ),
        )
    ]


def test_on_unknown_is_part_of_the_meaning(tmp_path: Path, lock: Lock) -> None:
    found = problems(tmp_path, lock, FIRST.replace("  large:\n", "  large:\n    on_unknown: accept\n"))
    assert [severity for severity, _ in found] == ["error", "error"]
    assert "gained: {}: UNKNOWN (rejected) before, UNKNOWN (accepted) after" in found[0][1]


def test_removal_waits_for_its_date(tmp_path: Path, lock: Lock) -> None:
    gone = FIRST.replace("      1: {sql: amount > 100, deprecated: 2027-01-31}\n", "")
    assert problems(tmp_path, lock, gone) == [
        ("error", "orders.large@1 was released and cannot be removed yet")
    ]
    assert problems(tmp_path, lock, gone, date(2027, 2, 1)) == []
    assert problems(tmp_path, lock, FIRST, date(2027, 2, 1)) == [
        ("warning", "orders.large@1 is past its deprecation date 2027-01-31")
    ]


def test_a_deprecated_version_may_be_used_until_its_date(tmp_path: Path) -> None:
    text = FIRST + "  other: {cel: 'filter(\"large@1\")'}\n"
    text = text.replace("subscriptions:\n  desk: {filter: large, properties: {team: sales}}\n", "")
    folder = tmp_path / "catalog"
    folder.mkdir()
    (folder / "orders.yml").write_text(text)
    assert [item.severity for item in predicat.load_catalog(folder, today=TODAY).warnings] == [
        Severity.WARNING
    ]
    with pytest.raises(PredicatError, match="which is past"):
        predicat.load_catalog(folder, today=date(2027, 2, 1))


def test_subscription_properties_never_change(tmp_path: Path, lock: Lock) -> None:
    found = problems(tmp_path, lock, FIRST.replace("team: sales", "team: other"))
    assert found[0][1].startswith("the properties of the released subscription orders.desk must not change")
    assert problems(tmp_path, lock, FIRST[: FIRST.index("subscriptions")]) == []


@pytest.mark.long
def test_release_and_check(tmp_path: Path) -> None:
    folder = tmp_path / "catalog"
    catalog(folder, FIRST)
    done = run("release", "--dry-run", cwd=tmp_path)
    assert done.returncode == 0 and not lock_path(folder).exists()
    assert run("release", cwd=tmp_path).stdout.endswith("3 new versions\n")
    assert run("release", cwd=tmp_path).stdout == "catalog/catalog.lock: nothing to release\n"
    assert "3 released" in run("check", cwd=tmp_path).stdout
    catalog(folder, FIRST.replace("amount > 100", "amount > 99"))
    done = run("check", cwd=tmp_path)
    assert (
        done.returncode == 1
        and "and must keep its meaning; gained: {amount: 100}" in done.stderr
        and "write the new meaning as version 3" in done.stderr
    )
    assert run("release", cwd=tmp_path).returncode == 1
    catalog(folder, FIRST.replace("      2:", "      3: {sql: amount > 99}\n      2:"))
    assert run("release", cwd=tmp_path).returncode == 0
    log = (folder / "CHANGELOG.md").read_text()
    assert log.count("## ") == 1 and "- orders.large@3: changed, against version 2" in log
    assert log.index("large@3") < log.index("large@1")
