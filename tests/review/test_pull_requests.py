"""Pull requests as people make them, in a real repository: what `check` and `diff` say of each is a file in
`pulls`. `python -m tests.review.test_pull_requests` writes those files anew.
"""

import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.processes import first_commit, git
from tests.processes import in_process as run

PULLS = Path(__file__).parent / "pulls"
# The change of a pull request; it returns the folder that is reviewed, if it is another one.
Change = Callable[[Path], Path | None]
CHANGES: dict[str, Change] = {}


def pull(change: Change) -> Change:
    CHANGES[change.__name__] = change
    return change


def edit(folder: Path, *changes: tuple[str, str], file: str = "catalog/orders.yml") -> None:
    text = (folder / file).read_text()
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    (folder / file).write_text(text)


def commit(folder: Path, subject: str = "change") -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", subject)


def released(folder: Path) -> None:
    """The catalog of main is released, before the branch of the pull request begins."""
    git(folder, "checkout", "-q", "main")
    release(folder)
    git(folder, "checkout", "-qB", "change")


def release(folder: Path) -> None:
    assert run("release", cwd=folder).returncode == 0
    commit(folder, "release")


def repository(folder: Path) -> Path:
    """A repository whose branch `change` starts at `main`."""
    (folder / "catalog").mkdir(parents=True)
    (folder / "macros").mkdir()
    shutil.copy(PULLS / "orders.yml", folder / "catalog")
    shutil.copy(PULLS / "macros.sql", folder / "macros")
    first_commit(folder)
    git(folder, "checkout", "-qb", "change")
    return folder


@pull
def filter_added(folder: Path) -> None:
    edit(folder, ("groups:", "  small:\n    description: Small orders.\n    sql: amount < 10\ngroups:"))


@pull
def filter_removed_that_another_needs(folder: Path) -> None:
    text = (folder / "catalog" / "orders.yml").read_text()
    start, end = text.index("  european:\n"), text.index("  large_european:\n")
    (folder / "catalog" / "orders.yml").write_text(text[:start] + text[end:])


@pull
def filter_renamed(folder: Path) -> None:
    edit(folder, ("  noted:\n", "  with_note:\n"))


@pull
def filter_renamed_where_it_is_used(folder: Path) -> None:
    edit(folder, ("  large:\n", "  big:\n"), ("[large,", "[big,"))


@pull
def filter_split_in_two(folder: Path) -> None:
    edit(
        folder,
        ("sql: note IS NOT NULL AND NOT status = 'closed'", "all: [has_note, is_open]"),
        (
            "groups:",
            "  has_note:\n    sql: note IS NOT NULL\n  is_open:\n    sql: NOT status = 'closed'\ngroups:",
        ),
    )


@pull
def filters_moved_to_another_file(folder: Path) -> None:
    git(folder, "mv", "catalog/orders.yml", "catalog/shop_orders.yml")


@pull
def same_rows_in_other_words(folder: Path) -> None:
    edit(folder, ("sql: amount > 100\n", "sql: NOT (amount <= 100)\n"))


@pull
def condition_wider(folder: Path) -> None:
    edit(folder, ("sql: amount > 100\n", "sql: amount >= 100\n"))


@pull
def condition_narrower(folder: Path) -> None:
    edit(folder, ("sql: amount > 100\n", "sql: amount > 100 AND status <> 'closed'\n"))


POLICIES = """apiVersion: predicat/v1
dataset: orders
attributes:
  land: {type: string, postgres: "current_setting('app.land', true)"}
policies:
  own_country: {command: select, roles: [desk], using: of_country}
  not_closed: {permissive: false, roles: [desk], using: not_closed}
  clerks: {roles: [clerk], using: of_country, check: not_closed}
filters:
  of_country: {sql: "country = :land", params: {land: string}}
  not_closed: {sql: status <> 'closed'}
"""


@pull
def policy_opens_rows(folder: Path) -> None:
    """The filter of two policies accepts more, and a restrictive one is for fewer commands."""
    git(folder, "checkout", "-q", "main")
    (folder / "catalog" / "policies.yml").write_text(POLICIES)
    commit(folder, "policies")
    git(folder, "checkout", "-qB", "change")
    edit(
        folder,
        ("country = :land", "country = :land OR country IS NULL"),
        ("permissive: false,", "command: update, permissive: false,"),
        file="catalog/policies.yml",
    )


@pull
def unknown_accepted(folder: Path) -> None:
    edit(folder, ("sql: amount > 100\n", "sql: amount > 100\n    on_unknown: accept\n"))


@pull
def negation_of_a_nullable_field(folder: Path) -> None:
    edit(folder, ("NOT status = 'closed'", "(status IS NULL OR status <> 'closed')"))


@pull
def macro_changed(folder: Path) -> None:
    edit(folder, ("('packed', 'sent')", "('packed', 'sent', 'returned')"), file="macros/macros.sql")


@pull
def list_changed(folder: Path) -> None:
    edit(folder, ("[AT, DE, FR]", "[AT, DE, FR, PL]"))


@pull
def variable_changed(folder: Path) -> None:
    edit(folder, ("days: 30", "days: 14"))


@pull
def default_changed(folder: Path) -> None:
    edit(folder, ("default: 50", "default: 20"))


@pull
def type_with_more_digits(folder: Path) -> None:
    edit(folder, ("amount: decimal(12,2)", "amount: decimal(14,2)"))


@pull
def type_that_does_not_fit(folder: Path) -> None:
    edit(folder, ("placed: timestamp", "placed: string"))


@pull
def relation_changed(folder: Path) -> None:
    edit(folder, ("postgres: public.orders", "postgres: archive.orders"))


@pull
def words_only(folder: Path) -> None:
    edit(folder, ("Large orders.\n", "Orders above a hundred.\n"), ("owner: support", "owner: service"))


@pull
def group_with_another_member(folder: Path) -> None:
    edit(folder, ("[large, at_least]", "[large, at_least, late]"))


@pull
def mistake_in_the_yaml(folder: Path) -> None:
    edit(folder, ("sql: amount > 100\n", "sql: [amount > 100\n"))


@pull
def day_of_a_zone(folder: Path) -> None:
    """A day in Berlin on which clocks change, as a range in UTC."""
    day = "CAST(placed AT TIME ZONE 'Europe/Berlin' AS date) = DATE '2024-03-31'"
    hours = "placed >= TIMESTAMP '2024-03-30 23:00:00Z' AND placed < TIMESTAMP '2024-03-31 23:00:00Z'"
    git(folder, "checkout", "-q", "main")
    edit(folder, ("sql: amount > 100\n", f'sql: "{day}"\n'))
    commit(folder)
    git(folder, "checkout", "-qB", "change")
    edit(folder, (day, hours))


@pull
def released_version_edited(folder: Path) -> None:
    released(folder)
    edit(folder, ("sql: amount > 100\n", "sql: amount >= 100\n"))


@pull
def second_version_released(folder: Path) -> None:
    released(folder)
    edit(
        folder,
        ("sql: amount > 100\n", "versions:\n      1: {sql: amount > 100}\n      2: {sql: amount > 200}\n"),
        ("all: [large, european]", "all: [large@1, european]"),
        ("{row: {amount: 200,", "{row: {amount: 201,"),
    )
    release(folder)


@pull
def two_releases(folder: Path) -> None:
    released(folder)
    edit(
        folder,
        ("sql: amount > 100\n", "versions:\n      1: {sql: amount > 100}\n      2: {sql: amount > 150}\n"),
        ("all: [large, european]", "all: [large@1, european]"),
    )
    release(folder)
    edit(folder, ("2: {sql: amount > 150}", "2: {sql: amount > 150}\n      3: {sql: amount >= 150}"))
    release(folder)


@pull
def reverted(folder: Path) -> None:
    edit(folder, ("sql: amount > 100\n", "sql: amount >= 100\n"))
    commit(folder)
    git(folder, "revert", "--no-edit", "HEAD")


@pull
def cherry_picked_from_main(folder: Path) -> None:
    git(folder, "checkout", "-q", "main")
    edit(folder, ("days: 30", "days: 14"))
    commit(folder)
    git(folder, "checkout", "-q", "change")
    edit(folder, ("sql: amount > 100\n", "sql: amount >= 100\n"))
    commit(folder)
    git(folder, "cherry-pick", "main")


@pull
def main_goes_on(folder: Path) -> None:
    """What main changed meanwhile is no change of the pull request."""
    edit(folder, ("sql: amount > 100\n", "sql: amount >= 100\n"))
    commit(folder)
    git(folder, "checkout", "-q", "main")
    edit(folder, ("days: 30", "days: 14"))
    commit(folder)
    git(folder, "checkout", "-q", "change")


@pull
def main_is_merged(folder: Path) -> None:
    main_goes_on(folder)
    git(folder, "merge", "-q", "--no-edit", "main")


@pull
def shallow_clone(folder: Path) -> Path:
    """As a service checks a branch out by default: without the main branch."""
    condition_wider(folder)
    commit(folder)
    git(folder, "checkout", "-q", "main")
    clone = folder.parent / "clone"
    git(folder, "clone", "-q", "--depth", "1", "--branch", "change", f"file://{folder}", str(clone))
    return clone


@pull
def worktree(folder: Path) -> Path:
    git(folder, "checkout", "-q", "main")
    git(folder, "worktree", "add", "-q", str(folder.parent / "tree"), "change")
    condition_wider(folder.parent / "tree")
    return folder.parent / "tree"


@pull
def submodule(folder: Path) -> Path:
    git(folder, "checkout", "-q", "main")
    git(folder, "branch", "-D", "change")
    outer = folder.parent / "outer"
    outer.mkdir()
    git(outer, "init", "-q", "-b", "main")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(folder), "rules")
    git(outer / "rules", "checkout", "-qb", "change")
    condition_wider(outer / "rules")
    return outer / "rules"


@pull
def two_catalogs(folder: Path) -> Path:
    """The catalogs of two teams in one repository: a review is of that in whose folder it runs."""
    git(folder, "checkout", "-q", "main")
    for team in ("shop", "desk"):
        shutil.copytree(folder / "catalog", folder / team / "catalog")
        shutil.copytree(folder / "macros", folder / team / "macros")
    commit(folder)
    git(folder, "checkout", "-qB", "change")
    condition_wider(folder / "shop")
    edit(folder / "desk", ("days: 30", "days: 14"))
    return folder / "shop"


def review(folder: Path, change: Change) -> str:
    """What a pull request shows: the exit codes of `check` and `diff`, their errors, and the comment."""
    place = change(repository(folder / "repository")) or folder / "repository"
    check, diff = run("check", cwd=place), run("diff", "--format", "markdown", cwd=place)
    text = (
        f"`check` ends with {check.returncode}.\n\n{check.stderr}\n"
        f"`diff` ends with {diff.returncode}.\n\n{diff.stderr}{diff.stdout}"
    )
    return re.sub("[0-9a-f]{12,64}", "HASH", re.sub(r"(released (?:on )?)[0-9-]{10}", r"\1TODAY", text))


@pytest.mark.parametrize("name", CHANGES)
def test_a_pull_request(name: str, tmp_path: Path) -> None:
    assert review(tmp_path, CHANGES[name]) == (PULLS / f"{name}.md").read_text()


def test_each_file_is_of_a_pull_request() -> None:
    assert {file.stem for file in PULLS.glob("*.md")} == set(CHANGES) and len(CHANGES) >= 25


def write(names: Sequence[str]) -> None:
    for name in names or CHANGES:
        with tempfile.TemporaryDirectory() as folder:
            (PULLS / f"{name}.md").write_text(review(Path(folder), CHANGES[name]))


if __name__ == "__main__":
    write(sys.argv[1:])
