"""The lock as a gate, on real git repositories: what is merged as released stays, whatever a branch does."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from contextlib import chdir
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import predicat
from predicat.catalog.lock import parse
from predicat.catalog.released import checksum, entry, meaning_hash
from predicat.cli.main import cli
from predicat.diagnostics import Diagnostic, PredicatError

CATALOG = """apiVersion: predicat/v1
dataset: orders
fields: {amount: bigint, note: string}
filters:
  large:
    latest: 2
    versions:
      1: {sql: amount > 100, deprecated: 2099-01-31}
      2: {sql: "amount > :least", params: {least: {type: bigint, default: 50}}}
  noted: {sql: note IS NOT NULL}

  zero: {sql: amount = 0}
subscriptions:
  desk: {filter: large, properties: {team: sales}}
"""
FOLDER = Path("catalog")
LOCK = FOLDER / "catalog.lock"
ORDERS = FOLDER / "orders.yml"


def git(*args: str, cwd: Path | None = None) -> str:
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", *args]
    environment = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull}
    return subprocess.run(
        command, cwd=cwd, env=environment, check=True, capture_output=True, text=True
    ).stdout


def commit(message: str) -> None:
    git("add", "--all")
    git("commit", "-qm", message)


def predicat_cli(*args: str) -> None:
    cli.main(args=list(args), standalone_mode=False)


def errors(*args: str) -> tuple[Diagnostic, ...]:
    try:
        predicat_cli(*args)
    except PredicatError as error:
        return error.diagnostics
    return ()


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A branch of a repository whose main branch has released everything, in two releases."""
    folder = tmp_path_factory.mktemp("lock") / "repo"
    (folder / FOLDER).mkdir(parents=True)
    with chdir(folder):
        git("init", "-q", "-b", "main")
        for text in (CATALOG.replace("  zero: {sql: amount = 0}\n", ""), CATALOG):
            ORDERS.write_text(text)
            predicat_cli("release")
            commit("a release")
        git("switch", "-qc", "branch")
    return folder


@pytest.fixture(autouse=True)
def repo(released: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREDICAT_CACHE", str(tmp_path / "cache"))
    shutil.copytree(released, tmp_path / "repo")
    monkeypatch.chdir(tmp_path / "repo")


# --- what a branch may try


def yaml(old: str, new: str) -> Callable[[], None]:
    def edit() -> None:
        text = ORDERS.read_text()
        assert old in text
        ORDERS.write_text(text.replace(old, new))

    return edit


def line(name: str, sealed: bool = True, sql: str = "", **changes: Any) -> Callable[[], None]:
    """Change a line of the lock, by hand or so that its hash and its checksum are right again."""

    def edit() -> None:
        rows = [json.loads(text) for text in LOCK.read_text().splitlines()]
        for row in rows:
            if row.get("filter") == name or row.get("subscription") == name:
                row.update({**changes, **({"meaning": meaning(sql)} if sql else {})})
                if sealed and "hash" in row:
                    row["hash"] = meaning_hash(row["on_unknown"], row["params"], row["meaning"])
                if sealed:
                    row["checksum"] = checksum(row)
        write(rows)

    return edit


def write(rows: list[dict[str, Any]]) -> None:
    LOCK.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def without(name: str) -> Callable[[], None]:
    return lambda: write(
        [row for row in map(json.loads, LOCK.read_text().splitlines()) if name not in row.values()]
    )


def added(name: str, sql: str, sealed: bool = True) -> Callable[[], None]:
    def edit() -> None:
        row = {
            "filter": name,
            "on_unknown": "reject",
            "params": {},
            "released": "2026-01-01",
            "deprecated": None,
            "meaning": meaning(sql),
        }
        whole = {**row, "hash": meaning_hash(row["on_unknown"], row["params"], row["meaning"])}
        LOCK.write_text(
            LOCK.read_text() + json.dumps({**whole, "checksum": checksum(whole)} if sealed else whole) + "\n"
        )

    return edit


def meaning(sql: str) -> Any:
    """What the lock keeps of a condition."""
    folder = Path("elsewhere")
    folder.mkdir()
    (folder / "x.yml").write_text(
        f"apiVersion: predicat/v1\ndataset: x\nfields: {{amount: bigint}}\nfilters: {{y: {{sql: {sql}}}}}\n"
    )
    row = predicat.load_catalog(folder).known["x.y"]
    shutil.rmtree(folder)
    return entry(row, row.current, "2026-01-01").meaning


def unsealed() -> None:
    """Format 1, which has no checksums."""
    rows = [json.loads(text) for text in LOCK.read_text().splitlines()]
    for row in rows:
        row.pop("checksum", None)
        row.update({"format": 1} if "format" in row else {})
    write(rows)


def moved_file() -> None:
    text = ORDERS.read_text()
    start = text.index("  noted:")
    ORDERS.write_text(text[:start] + text[text.index("subscriptions:") :])
    head = "apiVersion: predicat/v1\ndataset: orders\n"
    (FOLDER / "more.yml").write_text(head + "filters:\n" + text[start : text.index("subscriptions:")])


def moved_catalog() -> None:
    FOLDER.rename("filters")
    FOLDER.symlink_to("filters")  # where the rows below find it


def removed_then_again() -> None:
    """On main, noted went after its date; the branch has it again, with another meaning."""
    git("switch", "-q", "main")
    yaml("{sql: note IS NOT NULL}", "{sql: note IS NOT NULL, deprecated: 2020-01-01}")()
    predicat_cli("release")
    commit("deprecated")
    yaml("  noted: {sql: note IS NOT NULL, deprecated: 2020-01-01}\n", "")()
    predicat_cli("release")
    assert '"removed"' in LOCK.read_text()
    commit("removed")
    git("switch", "-qC", "branch")
    assert errors("check") == ()
    yaml("  zero:", "  noted: {sql: amount = 7}\n  zero:")()


class Bypass(NamedTuple):
    edits: tuple[Callable[[], None], ...]
    message: str
    hint: str
    place: str
    repaired: bool = True
    """Whether `release --repair` mends it, as the catalog itself is as it was."""


CHANGED = yaml("amount > 100", "amount > 99")
BYPASSES = {
    "the file deleted": Bypass(
        (LOCK.unlink,), "the lock file catalog/catalog.lock is gone; ", "--repair restores it", ""
    ),
    "the file and a meaning": Bypass(
        (LOCK.unlink, CHANGED),
        "orders.large@1 was released on",
        "as version 3",
        "catalog/orders.yml:8",
        repaired=False,
    ),
    "a line deleted": Bypass(
        (without("orders.large@1"),),
        "orders.large@1 was released on",
        "--repair restores it",
        "catalog/orders.yml:8",
    ),
    "a line and a meaning": Bypass(
        (without("orders.large@1"), CHANGED),
        "and must keep its meaning; gained: {amount: 100}",
        "as version 3",
        "catalog/orders.yml:8",
        repaired=False,
    ),
    "a line and its version": Bypass(
        (without("orders.large@1"), yaml("      1: {sql: amount > 100, deprecated: 2099-01-31}\n", "")),
        "orders.large@1 was released and cannot be removed yet",
        "after 2099-01-31",
        ":catalog/catalog.lock:2",
        repaired=False,
    ),
    "a meaning": Bypass(
        (CHANGED,), "and must keep its meaning", "as version 3", "catalog/orders.yml:8", repaired=False
    ),
    "a default": Bypass(
        (yaml("default: 50", "default: 60"),),
        "orders.large@2 was released with the parameters (least bigint = 50)",
        "as version 3",
        "catalog/orders.yml:9",
        repaired=False,
    ),
    "on_unknown": Bypass(
        (yaml("zero: {sql", "zero: {on_unknown: accept, sql"),),
        "orders.zero@1 was released on",
        "as version 2",
        "catalog/orders.yml:12",
        repaired=False,
    ),
    "renamed": Bypass(
        (yaml("noted:", "remarked:"),),
        "orders.noted@1 was released and cannot be removed yet",
        "keep the old name beside it (noted: {all: [remarked]})",
        "catalog/catalog.lock:4",
        repaired=False,
    ),
    "renamed in the lock too": Bypass(
        (yaml("noted:", "remarked:"), line("orders.noted@1", filter="orders.remarked@1")),
        "orders.noted@1 was released and cannot be removed yet",
        "deprecate it",
        ":catalog/catalog.lock:4",
        repaired=False,
    ),
    "meaning, hash and catalog together": Bypass(
        (CHANGED, line("orders.large@1", sql="amount > 99")),
        "and must keep its meaning; gained: {amount: 100}",
        "as version 3",
        "catalog/orders.yml:8",
        repaired=False,
    ),
    "meaning and hash": Bypass(
        (line("orders.large@1", sql="amount > 99"),),
        "the lock file gives orders.large@1 a meaning other",
        "--repair",
        "catalog/catalog.lock:2",
    ),
    "meaning alone": Bypass(
        (line("orders.large@1", sealed=False, sql="amount > 99"),),
        "the line of orders.large@1 was edited: its meaning",
        "--repair",
        "catalog/catalog.lock:2",
    ),
    "parameters alone": Bypass(
        (line("orders.large@2", sealed=False, params={"least": {"type": "bigint", "default": 60}}),),
        "the line of orders.large@2 was edited: its meaning, parameters",
        "--repair",
        "catalog/catalog.lock:3",
    ),
    "a dataset in another file": Bypass(
        (
            moved_file,
            lambda: (FOLDER / "more.yml").write_text(
                (FOLDER / "more.yml").read_text().replace("amount = 0", "amount = 1")
            ),
        ),
        "orders.zero@1 was released on",
        "as version 2",
        "catalog/more.yml:6",
        repaired=False,
    ),
    "a catalog in another folder": Bypass(
        (CHANGED, moved_catalog, LOCK.unlink),
        "and must keep its meaning",
        "as version 3",
        "filters/orders.yml:8",
        repaired=False,
    ),
    "latest": Bypass(
        (yaml("latest: 2", "latest: 1"),),
        "orders.large without a version was released as version 2; now it means version 1, an older one",
        "as version 3",
        "catalog/orders.yml:5",
        repaired=False,
    ),
    "a date": Bypass(
        (line("orders.large@1", sealed=False, released="2020-01-01"),),
        "the line of orders.large@1 was edited: it does not match its checksum",
        "--repair",
        "catalog/catalog.lock:2",
    ),
    "a date and its checksum": Bypass(
        (line("orders.large@1", released="2020-01-01"),),
        "the lock file has 2020-01-01 as the release date of orders.large@1",
        "--repair",
        "catalog/catalog.lock:2",
    ),
    "a date without checksums": Bypass(
        (line("orders.large@1", released="2020-01-01"), unsealed),
        "the lock file has 2020-01-01 as the release date of orders.large@1",
        "--repair",
        "catalog/catalog.lock:2",
    ),
    "a deprecation that is past": Bypass(
        (
            line("orders.large@1", deprecated="2020-01-01"),
            yaml("      1: {sql: amount > 100, deprecated: 2099-01-31}\n", ""),
        ),
        "orders.large@1 was released and cannot be removed yet",
        "after 2099-01-31",
        "catalog/catalog.lock:2",
        repaired=False,
    ),
    "an old lock": Bypass(
        (lambda: git("checkout", "-q", "main~1", "--", str(LOCK)),),
        "orders.zero@1 was released on",
        "--repair restores it",
        "catalog/orders.yml:12",
    ),
    "a line by hand": Bypass(
        (
            yaml("  zero:", "  three: {sql: amount = 3}\n  zero:"),
            added("orders.three@1", "amount = 3", sealed=False),
        ),
        "the line of orders.three@1 has no checksum",
        "remove the line",
        "catalog/catalog.lock:7",
    ),
    "a line for no version": Bypass(
        (added("orders.zero@2", "amount = 3"),),
        "neither the catalog nor the lock file of the base has orders.zero@2",
        "--repair removes the line",
        "catalog/catalog.lock:7",
    ),
    "a line that nobody can read": Bypass(
        (
            lambda: LOCK.write_text(
                LOCK.read_text().replace('"orders.zero@1", "hash"', '"orders.zero@1", hash')
            ),
        ),
        "this line of the lock file cannot be read",
        "--repair",
        "catalog/catalog.lock:5",
    ),
    "a subscription": Bypass(
        (yaml("team: sales", "team: other"), line("orders.desk", properties={"team": "other"})),
        "the properties of the released subscription orders.desk must not change",
        "a new subscription",
        "catalog/catalog.lock:6",
        repaired=False,
    ),
    "the line of a subscription": Bypass(
        (without("orders.desk"),),
        "the subscription orders.desk is released",
        "--repair",
        ":catalog/catalog.lock:6",
    ),
    "a removed name": Bypass(
        (removed_then_again,),
        "orders.noted@1 was released on",
        "as version 2",
        "catalog/orders.yml:11",
        repaired=False,
    ),
}


@pytest.mark.parametrize("name", BYPASSES)
def test_what_is_merged_as_released_stays(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    case = BYPASSES[name]
    assert errors("check") == ()
    for edit in case.edits:
        edit()
    commit("a branch")
    for command in ("check", "release"):
        before = sorted((path, path.read_bytes()) for path in FOLDER.iterdir())
        found = errors(command)
        (told,) = [item for item in found if case.message in item.message and case.place in item.where()]
        assert case.hint in (told.hint or ""), found
        assert all(item.hint and (item.where() or "is gone" in item.message) for item in found)
        assert sorted((path, path.read_bytes()) for path in FOLDER.iterdir()) == before
    if case.repaired:
        predicat_cli("release", "--repair")
        capsys.readouterr()
        predicat_cli("check")
        assert "released" in capsys.readouterr().out
        assert LOCK.read_text() == git("show", f"main:{LOCK}")


def test_what_is_allowed_passes(capsys: pytest.CaptureFixture[str]) -> None:
    """A file of its own, other words with the same meaning, a deprecation, a new version and a new filter."""
    moved_file()
    yaml("amount > 100, deprecated: 2099-01-31", "NOT (amount <= 100), deprecated: 2098-01-31")()
    yaml("    latest: 2\n    versions:\n", "    latest: 3\n    versions:\n      3: {sql: amount > 7}\n")()
    assert errors("check") == ()
    predicat_cli("release")
    assert errors("check") == ()
    assert capsys.readouterr().out.splitlines()[-2] == "catalog/catalog.lock: 1 new version, 1 deprecated"
    log = (FOLDER / "CHANGELOG.md").read_text()
    assert "- orders.large@3: changed, against version 2" in log
    assert "- orders.large@1: deprecated, can be removed after 2098-01-31" in log
    lock = LOCK.read_text()
    predicat_cli("release")
    assert LOCK.read_text() == lock


def test_release_keeps_the_meaning_that_was_released() -> None:
    """Under NOT the new words differ, so those that were released stay in the lock file, and the warning
    stays.
    """
    before = parse(LOCK.read_text(), "").lock.versions["orders.large@1"]
    yaml("amount > 100", "'coalesce(amount, 0) > 100'")()
    yaml("  zero:", "  three: {sql: amount = 3}\n  zero:")()
    predicat_cli("release")
    after = parse(LOCK.read_text(), "").lock.versions
    assert after["orders.large@1"] == before and "orders.three@1" in after


def test_arithmetic_on_a_number_of_json_is_another_meaning() -> None:
    """It was called equivalent: 4 and 5 contradict that."""
    yaml("note: string}", "note: string, spec: json}")()
    yaml("  zero:", "  scaled: {cel: spec.n >= 6}\n  zero:")()
    predicat_cli("release")
    commit("scaled")
    git("branch", "-qf", "main")
    yaml("spec.n >= 6", "spec.n - 1 > 2")()
    (problem,) = errors("check")
    assert problem.message.startswith("orders.scaled@1 ")
    assert problem.hint == "write the new meaning as version 2"


@pytest.mark.parametrize(("kind", "problems"), [("int", []), ("bigint", ["released-changed"])])
def test_another_spelling_of_a_condition_is_another_meaning_only_where_it_overflows(
    kind: str, problems: list[str]
) -> None:
    yaml("note: string}", f"note: string, qty: {kind}}}")()
    yaml("  zero:", "  few: {sql: qty < 1}\n  zero:")()
    predicat_cli("release")
    commit("few")
    git("branch", "-qf", "main")
    yaml("qty < 1", "1 - qty > 0")()
    assert [item.code for item in errors("check")] == problems


def test_a_branch_may_take_back_what_it_alone_has_released(capsys: pytest.CaptureFixture[str]) -> None:
    yaml("  zero:", "  three: {sql: amount = 3}\n  zero:")()
    predicat_cli("release")
    yaml("amount = 3", "amount = 4")()
    (problem,) = errors("check")
    assert problem.hint == (
        "write the new meaning as version 2; only this branch has released it: "
        "you may also remove its line, catalog/catalog.lock:5"
    )
    without("orders.three@1")()
    predicat_cli("release")
    assert errors("check") == ()


def test_a_filter_that_changes_with_another_names_the_cause() -> None:
    yaml("  zero:", "  both: {all: [noted, zero]}\n  zero:")()
    predicat_cli("release")
    commit("both")
    git("branch", "-qf", "main")
    yaml("amount = 0", "amount = 1")()
    assert {item.message.split()[0]: item.hint for item in errors("check")} == {
        "orders.zero@1": "write the new meaning as version 2",
        "orders.both@1": "orders.zero@1, which it refers to, has changed: fix that first",
    }
    yaml("zero: {sql: amount = 1}", "zero: {versions: {1: {sql: amount = 0}, 2: {sql: amount = 1}}}")()
    assert [item.hint for item in errors("check")] == [
        "refer to orders.zero@1 instead of orders.zero@2, or write the new meaning as version 2"
    ]
    yaml("[noted, zero]", "[noted, zero@1]")()
    assert errors("check") == ()


# --- what the base is


def test_a_pinned_latest_stays_and_may_rise() -> None:
    yaml("latest: 2", "latest: 3")()
    yaml("      1:", "      3: {sql: amount > 7}\n      4: {sql: amount > 8}\n      1:")()
    predicat_cli("release")
    assert '{"name": "orders.large", "latest": 3, "checksum"' in LOCK.read_text()
    commit("pinned")
    git("branch", "-qf", "main")
    assert errors("check") == ()
    yaml("latest: 3", "latest: 4")()
    assert errors("check") == ()
    predicat_cli("release")
    assert '"latest"' not in LOCK.read_text()
    assert errors("check") == ()
    yaml("latest: 4", "latest: 2")()
    assert ["version 2, an older one" in item.message for item in errors("check")] == [True]


def test_a_named_base_counts_from_where_the_branch_left_it(capsys: pytest.CaptureFixture[str]) -> None:
    git("switch", "-qc", "trunk", "main")
    yaml("  zero:", "  three: {sql: amount = 3}\n  zero:")()
    predicat_cli("release")
    commit("three, which the branch does not have")
    git("switch", "-q", "branch")
    assert errors("check", "--base", "trunk") == ()
    without("orders.zero@1")()
    assert [item.code for item in errors("check", "--base", "trunk")] == ["lock-gone"]
    assert errors("check", "--base", "main~1") == ()
    capsys.readouterr()
    (problem,) = errors("check", "--base", "nowhere")
    assert problem.message == "git knows no revision 'nowhere'"


def test_a_check_is_not_remembered_beyond_its_base() -> None:
    assert errors("check") == ()
    git("branch", "-qf", "main", "main~1")
    without("orders.zero@1")()
    assert errors("check") == ()
    git("branch", "-qf", "main", "branch")
    assert [item.code for item in errors("check")] == ["lock-gone"]


def test_outside_of_a_repository_the_lock_file_alone_counts(capsys: pytest.CaptureFixture[str]) -> None:
    shutil.rmtree(".git")
    without("orders.zero@1")()
    assert errors("check") == ()
    assert capsys.readouterr().err == ""
    (problem,) = errors("check", "--base", "main")
    assert "is not in a git repository" in problem.message


def test_a_repository_without_a_main_branch(capsys: pytest.CaptureFixture[str]) -> None:
    git("branch", "-qM", "main", "trunk")
    assert errors("check") == ()
    told = capsys.readouterr().err
    assert (
        "warning[no-base]: released versions are compared with the lock file alone" in told
        and "--base REVISION" in told
    )
    assert errors("check", "--base", "trunk") == ()
    assert capsys.readouterr().err == ""
    shutil.rmtree(".git")
    git("init", "-q", "-b", "main")
    assert errors("check") == () and capsys.readouterr().err == ""  # nothing is committed yet


@pytest.mark.parametrize("detached", [False, True])
def test_a_shallow_clone_says_that_its_base_is_missing(
    detached: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    without("orders.zero@1")()
    commit("a line less")
    git("switch", "-q", "main")
    clone = tmp_path / "clone"
    git("clone", "-q", "--depth", "1", "--branch", "branch", f"file://{Path.cwd()}", str(clone))
    monkeypatch.chdir(clone)
    if detached:
        git("switch", "-q", "--detach")
    capsys.readouterr()
    assert errors("check") == ()
    told = capsys.readouterr().err
    assert "warning[no-base]" in told and "this clone is shallow" in told and "fetch-depth: 0" in told
    (problem,) = errors("check", "--base", "origin/main")
    assert (
        problem.code == "usage"
        and "git knows no revision 'origin/main'" in problem.message
        and "fetch-depth: 0" in (problem.hint or "")
    )
    git("fetch", "-q", "--unshallow", "origin", "+refs/heads/*:refs/remotes/origin/*")
    assert [item.code for item in errors("check")] == ["lock-gone"]
    assert capsys.readouterr().err == ""


# --- two branches


def two_branches(one: Sequence[Callable[[], None]], other: Sequence[Callable[[], None]]) -> None:
    """Two branches that release; the first is merged into main, the second is checked out."""
    for name, edits in (("one", one), ("other", other)):
        git("switch", "-qc", name, "main")
        for edit in edits:
            edit()
        predicat_cli("release")
        commit(name)
    git("branch", "-qf", "main", "one")


ONE = yaml("  noted:", "  many: {sql: amount > 5}\n  noted:")
OTHER = yaml("subscriptions:", "  most: {sql: amount > 6}\nsubscriptions:")


def test_two_branches_that_release_merge_without_a_conflict(capsys: pytest.CaptureFixture[str]) -> None:
    two_branches([ONE], [OTHER])
    git("merge", "-q", "-m", "merge", "main")
    capsys.readouterr()
    assert errors("check") == ()
    lock = parse(LOCK.read_text(), "").lock
    assert {"orders.many@1", "orders.most@1"} <= set(lock.versions)
    predicat_cli("release", "--repair")
    assert parse(LOCK.read_text(), "").tidy
    log = (FOLDER / "CHANGELOG.md").read_text()
    assert log.count("- orders.many@1: ") == log.count("- orders.most@1: ") == log.count("\n## ") == 1
    capsys.readouterr()
    assert errors("check") == () and capsys.readouterr().err == ""


def test_neighbours_that_both_branches_change_are_put_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    """Both deprecate and add beside each other, so that the union has lines twice and out of order."""
    two_branches(
        [yaml("{sql: note IS NOT NULL}", "{sql: note IS NOT NULL, deprecated: 2099-02-01}"), ONE],
        [yaml("{sql: amount = 0}", "{sql: amount = 0, deprecated: 2099-03-01}"), OTHER],
    )
    git("merge", "-q", "-m", "merge", "main")
    capsys.readouterr()
    assert errors("check") == ()
    told = capsys.readouterr().err
    assert (
        "warning[lock]: lines of the lock file are out of order" in told
        and "predicat release --repair" in told
    )
    predicat_cli("release", "--repair")
    file = parse(LOCK.read_text(), "")
    assert file.tidy and len(file.lock.versions) == 6
    assert [file.lock.versions[f"orders.{name}@1"].deprecated for name in ("noted", "zero")] == [
        "2099-02-01",
        "2099-03-01",
    ]
    capsys.readouterr()
    assert errors("check") == () and capsys.readouterr().err == ""
    predicat_cli("release")
    assert capsys.readouterr().out.endswith("nothing to release\n")


def test_conflict_markers_of_a_server_that_knows_no_union(capsys: pytest.CaptureFixture[str]) -> None:
    attributes = FOLDER / ".gitattributes"
    two_branches([ONE], [OTHER])
    attributes.write_text("catalog.lock !merge\nCHANGELOG.md !merge\n")
    with pytest.raises(subprocess.CalledProcessError):
        git("-c", "merge.conflictStyle=diff3", "merge", "-q", "-m", "merge", "main")
    assert all(
        "<<<<<<<" in path.read_text() and "|||||||" in path.read_text()
        for path in (LOCK, FOLDER / "CHANGELOG.md")
    )
    (problem,) = errors("check")
    assert problem.where() == "catalog/catalog.lock:4:1" and "--repair" in (problem.hint or "")
    assert "conflict markers" in errors("release")[0].message
    predicat_cli("release", "--repair")
    assert errors("check") == ()
    assert {"orders.many@1", "orders.most@1"} <= set(parse(LOCK.read_text(), "").lock.versions)
    log = (FOLDER / "CHANGELOG.md").read_text()
    assert (
        log.count("- orders.many@1: ") == log.count("- orders.most@1: ") == 1
        and "<<<" not in log
        and ">>>" not in log
    )


def test_two_meanings_under_one_name_need_a_decision(capsys: pytest.CaptureFixture[str]) -> None:
    two_branches([ONE], [yaml("  noted:", "  many: {sql: amount > 9}\n  noted:")])
    git("merge", "-q", "-s", "ours", "-m", "merge", "main")
    LOCK.write_text(
        LOCK.read_text()
        + next(row for row in git("show", f"main:{LOCK}").splitlines() if "many" in row)
        + "\n"
    )
    found = errors("check")
    (rival,) = [item.message for item in found if "two meanings" in item.message]
    assert "orders.many@1 was released with two meanings" in rival and "catalog/catalog.lock:4" in rival
    predicat_cli("release", "--repair")
    assert "of two meanings the one in" in capsys.readouterr().out
    (problem,) = errors("check")
    assert (
        "orders.many@1 was released on" in problem.message
        and problem.hint == "write the new meaning as version 2"
    )


def test_two_meanings_are_decided_before_the_merge_is_committed(capsys: pytest.CaptureFixture[str]) -> None:
    """What is merged counts, also while main is merged into the branch."""
    two_branches([ONE], [yaml("  noted:", "  many: {sql: amount > 9}\n  noted:")])
    with pytest.raises(subprocess.CalledProcessError):
        git("merge", "-q", "main")
    git("checkout", "-q", "--theirs", str(ORDERS))
    predicat_cli("release", "--repair")
    assert "of two meanings the one in" in capsys.readouterr().out
    assert errors("check") == ()
    assert LOCK.read_text() == git("show", f"main:{LOCK}")


def test_a_repair_loses_nothing_where_nobody_can_know() -> None:
    """Before a merge is committed the base has neither of two meanings; without a base there is no line to
    restore.
    """
    two_branches([ONE], [yaml("  noted:", "  many: {sql: amount > 9}\n  noted:")])
    theirs = next(row for row in git("show", f"main:{LOCK}").splitlines() if "many" in row)
    LOCK.write_text(LOCK.read_text() + theirs + "\n")
    before = LOCK.read_text()
    (problem,) = errors("release", "--repair")
    assert "two meanings" in problem.message and LOCK.read_text() == before
    shutil.rmtree(".git")
    LOCK.write_text(git("--version") + before.replace(theirs + "\n", ""))
    (problem,) = errors("release", "--repair")
    assert problem.message == "this line of the lock file cannot be read"


def test_git_attributes_are_written_once_and_left_alone(tmp_path: Path) -> None:
    attributes = FOLDER / ".gitattributes"
    assert attributes.read_text() == "catalog.lock merge=union\nCHANGELOG.md merge=union\n"
    attributes.write_text("catalog.lock -merge\n*.yml text")
    ONE()
    predicat_cli("release")
    assert attributes.read_text() == "catalog.lock -merge\n*.yml text\nCHANGELOG.md merge=union\n"
    predicat_cli("init", str(tmp_path / "new"))
    assert (
        tmp_path / "new" / attributes
    ).read_text() == "catalog.lock merge=union\nCHANGELOG.md merge=union\n"


# --- format 1


def test_a_lock_of_format_1_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    unsealed()
    commit("as an older predicat wrote it")
    git("branch", "-qf", "main")
    capsys.readouterr()
    assert errors("check") == () and capsys.readouterr().err == ""
    before = parse(LOCK.read_text(), "").lock
    yaml("latest: 2", "latest: 1")()  # format 1 does not know what was the latest
    assert errors("check") == ()
    yaml("latest: 1", "latest: 2")()
    ONE()
    predicat_cli("release")
    after = parse(LOCK.read_text(), "")
    assert after.form == 2 and before.versions.items() <= after.lock.versions.items()
    assert errors("check") == ()
    without("orders.large@1")()
    assert "orders.large@1 was released on" in errors("check")[0].message


def test_line_ends_of_windows_are_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    LOCK.write_bytes(LOCK.read_bytes().replace(b"\n", b"\r\n"))
    assert errors("check") == () and capsys.readouterr().err == ""


# --- beside --changed


@pytest.mark.parametrize("revision", [(), ("main",)])
def test_what_is_staged_is_held_against_the_base_too(revision: tuple[str, ...]) -> None:
    (FOLDER / "other.yml").write_text(
        "apiVersion: predicat/v1\ndataset: other\nfields: {a: bigint}\nfilters: {x: {sql: a = 1}}\n"
    )
    predicat_cli("release")
    commit("another dataset")
    git("branch", "-qf", "main")
    (FOLDER / "other.yml").write_text((FOLDER / "other.yml").read_text() + "# a comment\n")
    git("add", "--all")
    assert errors("check", "--changed", *revision) == ()
    without("orders.zero@1")()
    git("add", "--all")
    assert [item.code for item in errors("check", "--changed", *revision)] == ["lock-gone"]
    git("checkout", "-q", "main", "--", str(LOCK))
    yaml("amount = 0", "amount = 1")()
    line("orders.zero@1", sql="amount = 1")()
    git("add", "--all")
    (problem,) = errors("check", "--changed", *revision)
    assert "orders.zero@1 was released on" in problem.message
