"""How severe a change is, who must approve it, and what is waived."""

import json
import re
from pathlib import Path

import pytest

from predicat.catalog.load import read_definitions
from predicat.catalog.review_rules import RULES, SEVERITIES, WHEN
from predicat.review.changes import review
from predicat.review.kinds import KINDS
from predicat.review.severity import rule_of
from predicat.review.snapshot import of_files
from tests.processes import first_commit, git
from tests.processes import in_process as run

ROOT = Path(__file__).resolve().parents[2]
CATALOG = """apiVersion: predicat/v1
dataset: orders
relation: {postgres: public.orders}
fields: {a: bigint, b: bigint, s: string, z: string}
attributes:
  who: {type: string, postgres: current_user}
policies:
  own: {roles: [reader], using: mine}
filters:
  mine: {sql: "z = :who", params: {who: string}}
  one: {sql: a > 10, tags: [pii]}
  two: {versions: {1: {sql: b > 1}, 2: {sql: b > 2}}}
  least: {sql: "a > :n", params: {n: {type: bigint, default: 5}}}
  sounds: {sql: reverse(s) = z}
groups:
  both: {filters: [one, two]}
"""
# An edit for each rule, and the entry that it is about.
EDITS: dict[str, tuple[tuple[str, str], str]] = {
    "filter-removed": (("  sounds: {sql: reverse(s) = z}\n", ""), "orders.sounds"),
    "filter-added": (("groups:", "  more: {sql: a = 77}\ngroups:"), "orders.more"),
    "version-removed": (("1: {sql: b > 1}, ", ""), "orders.two"),
    "rows-same": (("a > 10,", "a >= 11,"), "orders.one"),
    "rows-lost": (("a > 10,", "a > 20,"), "orders.one"),
    "rows-gained": (("a > 10,", "a > 5,"), "orders.one"),
    "rows-replaced": (("a > 10,", "a < 30,"), "orders.one"),
    "not-proved": (("reverse(s) = z", "reverse(z) = s"), "orders.sounds"),
    "policy-opens": (("z = :who", "z = :who OR z IS NULL"), "orders.reader"),
    "policy-replaces": (("z = :who", "z <> :who"), "orders.reader"),
    "renamed": (("  sounds:", "  sound:"), "orders.sound"),
    "definition-removed": (("groups:\n  both: {filters: [one, two]}\n", ""), "orders.both"),
    "parameter-required": (("default: 5}}", "default: 5}, m: bigint}"), "orders.least"),
    "parameter-changed": (("{type: bigint, default: 5}", "{type: double, default: 5.0}"), "orders.least"),
    "source-changed": (("public.orders", "public.others"), "orders"),
    "described": (("tags: [pii]", "tags: [pii, old]"), "orders.one"),
}


def found(folder: Path, old: str, new: str) -> set[tuple[str, str]]:
    """The rules of the entries of a change, with their names."""
    sides = []
    for text in (CATALOG, CATALOG.replace(old, new)):
        (folder / "orders.yml").write_text(text)
        sides.append(of_files(read_definitions(folder), str))
    assert old in CATALOG
    return {(rule_of(entry).code, entry.name) for entry in review(*sides, effort=0.05).entries}


@pytest.mark.parametrize("code", EDITS)
def test_each_rule_has_its_change(tmp_path: Path, code: str) -> None:
    (old, new), name = EDITS[code]
    assert (code, name) in found(tmp_path, old, new)


def test_the_table_is_whole() -> None:
    codes = [rule.code for rule in RULES]
    assert len(set(codes)) == len(codes) and {*EDITS, "not-compared"} == set(codes)
    assert {kind for rule in RULES for kind in rule.kinds} <= KINDS.keys()
    assert {rule.severity for rule in RULES} == set(SEVERITIES) and len(set(WHEN)) == len(WHEN)
    page = (ROOT / "docs" / "review.md").read_text()
    rows = re.findall(r"^\| `([a-z-]+)` \| (\w+) \| (.*) \|$", page, re.MULTILINE)
    assert rows == [(rule.code, rule.severity, rule.doc) for rule in RULES]


PROJECT = """catalog: shop
review:
  - {when: rows gained, tag: pii, approve: [security]}
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A repository with a rule, in which a filter with a tag gains rows."""
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "orders.yml").write_text(CATALOG)
    (tmp_path / "predicat.yml").write_text(PROJECT)
    first_commit(tmp_path)
    git(tmp_path, "checkout", "-qb", "change")
    (tmp_path / "catalog" / "orders.yml").write_text(CATALOG.replace("a > 10,", "a > 5,"))
    return tmp_path


def code(folder: Path, *more: str) -> int:
    return run("diff", "main", *more, cwd=folder).returncode


def test_the_exit_code_follows_the_severity(shop: Path) -> None:
    (shop / "predicat.yml").write_text("catalog: shop\n")
    approved = ("--approved", "security")
    assert code(shop, *approved) == 1
    assert [code(shop, "--fail-on", one, *approved) for one in ("breaking", "narrower", "wider")] == [0, 0, 1]
    (shop / "catalog" / "orders.yml").write_text(CATALOG.replace("a > 10,", "a > 20,"))
    assert [code(shop, "--fail-on", one) for one in ("breaking", "narrower", "wider")] == [0, 1, 1]
    (shop / "catalog" / "orders.yml").write_text(CATALOG.replace("a > 10,", "a < 30,"))
    assert code(shop, "--fail-on", "breaking") == 1


def test_an_approval_is_asked_for_until_it_is_given(shop: Path) -> None:
    done = run("diff", "main", "--fail-on", "breaking", cwd=shop)
    assert done.returncode == 1 and "\nneeds approval by security: orders.one\n" in done.stdout
    assert "  needs approval by security (rows gained, tag pii)\n" in done.stdout
    data = json.loads(run("diff", "main", "--format", "json", cwd=shop).stdout)
    assert data["missing_approvals"] == {"security": ["orders.one"]} and data["severity"] == "wider"
    assert [(row["rule"], row["approve"]) for row in data["entries"] if row["kind"] == "rows"] == [
        ("rows-gained", ["security"])
    ]
    assert code(shop, "--fail-on", "breaking", "--approved", "security") == 0
    assert code(shop, "--fail-on", "breaking", "--approved", "somebody") == 1


def test_a_change_cannot_take_its_rule_away(shop: Path) -> None:
    (shop / "predicat.yml").write_text("catalog: shop\n")
    done = run("diff", "main", "--fail-on", "breaking", cwd=shop)
    assert done.returncode == 1 and "needs approval by security: orders.one" in done.stdout


def test_a_waiver_is_shown_until_it_ends_and_then_refused(shop: Path) -> None:
    waiver = "waivers:\n  - {entry: orders.one, when: rows gained, reason: a sale, until: %s}\n"
    (shop / "predicat.yml").write_text(PROJECT + waiver % "2999-12-31")
    for form in ("text", "markdown"):
        done = run("diff", "main", "--format", form, cwd=shop)
        assert done.returncode == 0 and "waived until 2999-12-31: a sale" in done.stdout
    (shop / "catalog" / "orders.yml").write_text(CATALOG.replace("a > 10,", "a > 20,"))
    assert code(shop) == 1  # another change than the one that is waived
    (shop / "catalog" / "orders.yml").write_text(CATALOG.replace("a > 10,", "a > 5,"))
    (shop / "predicat.yml").write_text(PROJECT + waiver % "2020-01-31")
    done = run("diff", "main", "--fail-on", "breaking", "--approved", "security", cwd=shop)
    ended = "the waiver of orders.one ended on 2020-01-31 (a sale): set a later `until` in `waivers`"
    assert done.returncode == 1 and ended in done.stdout
    assert "waived until" not in done.stdout


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_rows_that_a_role_gains_fail_until_they_are_approved_or_waived(shop: Path, form: str) -> None:
    rule = "catalog: shop\nreview:\n  - {when: policy-opens, dataset: orders, approve: [security]}\n"
    opened = CATALOG.replace("roles: [reader]", "roles: [reader, writer]")
    (shop / "catalog" / "orders.yml").write_text(opened)
    (shop / "predicat.yml").write_text(rule)
    done = run("diff", "main", "--format", form, cwd=shop)
    assert done.returncode == 1 and "needs approval by security: orders.writer" in done.stdout
    assert code(shop, "--approved", "security") == 0
    waiver = "waivers:\n  - {entry: orders.writer, when: policy-opens, reason: moved, until: 2999-12-31}\n"
    (shop / "predicat.yml").write_text(rule + waiver)
    assert code(shop) == 0
    (shop / "predicat.yml").write_text("catalog: shop\n")
    assert code(shop, "--fail-on", "breaking") == 1 == code(shop)


def test_models_and_dashboards_of_dbt_are_named(shop: Path) -> None:
    def node(code: str, *parents: str) -> dict[str, object]:
        return {"raw_code": code, "depends_on": {"nodes": list(parents)}}

    nodes = {
        "model.shop.pii": {
            "name": "pii",
            **node("WHERE {{ predicat_filters.where_filter( 'orders.one@1' ) }}"),
        },
        "model.shop.sums": {"name": "sums", **node("SELECT 1", "model.shop.pii")},
        "model.shop.other": {"name": "other", **node('{{ matches_filter("orders.two") }}')},
        "test.shop.unique": {"name": "unique", **node("", "model.shop.pii")},
    }
    board = {"name": "board", "label": "The board", "owner": {"email": "bi@x"}, **node("", "model.shop.sums")}
    manifest = shop / "manifest.json"
    manifest.write_text(json.dumps({"nodes": nodes, "exposures": {"exposure.shop.board": board}}))
    done = run("diff", "main", "--dbt", "manifest.json", cwd=shop).stdout
    assert "  affects dbt models: pii, sums\n  affects exposures: The board\n" in done
    assert "  owners: bi@x\n" in done
    for text in ("{}", "[", "[1]", '{"nodes": [], "exposures": 1}'):
        manifest.write_text(text)
        refused = run("diff", "main", "--dbt", "manifest.json", cwd=shop)
        assert refused.returncode == 2 and "manifest.json is no manifest of dbt" in refused.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("review: [{when: rows gaind, approve: a}]", "did you mean 'rows gained'"),
        ("review: [{when: breaking}]", "needs the key 'approve'"),
        ("waivers: [{entry: orders.one, until: 2026-12-31}]", "needs the key 'reason'"),
        ("waivers: [{entry: orders.one, reason: why, until: soon}]", "must be a date such as 2026-12-31"),
        ("waivers: [{entry: orders.one, reason: why}]", "needs the key 'until'"),
    ],
)
def test_mistakes_have_a_place(shop: Path, text: str, said: str) -> None:
    (shop / "predicat.yml").write_text(f"catalog: shop\n{text}\n")
    done = run("diff", "main", cwd=shop)
    assert done.returncode == 2 and said in done.stderr and "predicat.yml:2:" in done.stderr
