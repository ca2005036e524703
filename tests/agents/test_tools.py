"""What the tools answer: short, without data of sensitive fields, and a diagnostic for whatever is asked."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from predicat.agents import tools
from predicat.agents.pages import MOST, page_of
from predicat.agents.tools import TOOLS, CatalogSource, answer
from predicat.diagnostics import PredicatError
from predicat.exporting.skill import skill
from tests.cli.test_links import LINKS, SECRET, repository
from tests.processes import first_commit, git, in_process

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
MARK = "s3ntinel"
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("search_filters", {}),
    ("search_filters", {"words": "orders cancelled"}),
    ("search_filters", {"words": "region", "dataset": "orders"}),
    ("explain_filter", {"filter": "orders.active"}),
    ("filter_sql", {"filter": "large", "engine": "postgres"}),
    ("filter_sql", {"filter": "large", "engine": "spark", "params": {"least": 5}}),
    ("test_row", {"filter": "active", "row": {"status": "new", "stats": 1}}),
    ("filter_counts", {"filter": "active"}),
    ("match_where", {"where": "o.status = 'cancelled'", "dialect": "postgres", "dataset": "shop.orders"}),
    ("match_where", {"where": "o.status <> 'cancelled'"}),
    ("compare_filters", {"first": "kept", "second": "active"}),
]


@pytest.fixture
def source(tmp_path: Path) -> CatalogSource:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "orders.yml").write_text((HERE / "catalog.yml").read_text())
    return CatalogSource(tmp_path / "catalog", {}, tmp_path / "history.jsonl")


def said(source: CatalogSource, name: str, **arguments: Any) -> str:
    text, failed = answer(source, name, arguments)
    assert not failed, text
    return text


def test_every_tool_answers_shortly(source: CatalogSource) -> None:
    assert {name for name, _ in CALLS} | {"review_changes"} == set(TOOLS) and len(TOOLS) <= 10
    for name, arguments in CALLS:
        assert 0 < len(said(source, name, **arguments).encode()) <= MOST


def test_what_is_answered(source: CatalogSource) -> None:
    assert "orders.cancelled" in said(source, "search_filters", words="called off status")
    assert said(source, "filter_sql", filter="large", engine="postgres") == "amount >= 1000"
    assert said(source, "filter_sql", filter="large", engine="spark", params={"least": 5}) == "amount >= 5"
    row = said(source, "test_row", filter="active", row={"status": "new", "stats": 1})
    assert "the row is accepted" in row and "did you mean 'status'" in row
    same = said(source, "match_where", where="o.status = 'cancelled'", dialect="postgres")
    assert same.startswith("same: orders.cancelled\n")
    lost = said(source, "match_where", where="o.status <> 'cancelled'")
    assert lost.startswith("narrower: orders.kept\n")
    assert "Only orders.kept accepts a row whose values are all missing" in lost
    values = said(source, "match_where", where="amount >= 50")
    assert values.startswith("same: orders.large\n") and "{least: 50}" in values
    assert "rows are lost, none is gained (proved)" in said(
        source, "compare_filters", first="kept", second="active"
    )


def test_counts_are_those_of_the_last_run(source: CatalogSource) -> None:
    entry = {
        "at": "2026-01-01T00:00:00+00:00",
        "dataset": "orders",
        "partition": "",
        "filter": "orders.active",
    }
    entry |= {"version": 1, "rows": 1000, "accepted": 250, "true": 250, "false": 700, "unknown": 50}
    later = {**entry, "at": "2026-02-01T00:00:00+00:00", "accepted": 300}
    source.history.write_text("".join(json.dumps(row) + "\n" for row in (entry, later)))
    first = said(source, "filter_counts", filter="active").splitlines()[0]
    assert first.startswith("orders.active@1: 300 of 1,000 rows accepted, 50 UNKNOWN, measured 2026-02-01")


def test_changes_since_a_revision(source: CatalogSource, tmp_path: Path) -> None:
    first_commit(tmp_path)
    file = source.folder / "orders.yml"
    file.write_text(file.read_text().replace("'new', 'paid', 'packed'", "'new', 'paid'"))
    text = said(source, "review_changes", base="HEAD")
    assert "orders.active" in text and "packed" in text
    text, failed = answer(source, "review_changes", {"base": "--output=/tmp/x"})
    assert failed and "error[" in text
    assert git(tmp_path, "status", "--porcelain").strip() == "M catalog/orders.yml"


def test_the_catalog_is_read_again_where_it_has_changed(source: CatalogSource) -> None:
    assert "12 filters of 12" in said(source, "search_filters")
    file = source.folder / "orders.yml"
    text = file.read_text()
    file.write_text(text + "  late: {sql: due < DATE '2024-01-01'}\n")
    assert "13 filters of 13" in said(source, "search_filters")
    file.write_text(text + "  late: {sql: duee < DATE '2024-01-01'}\n")
    assert "The catalog has 1 problem" in said(source, "search_filters", words="active")


MISTAKES: list[tuple[str, Any, str]] = [
    ("nope", {}, "unknown-tool"),
    ("explain_filter", {}, "bad-arguments"),
    ("explain_filter", {"filter": 3}, "bad-arguments"),
    ("explain_filter", {"filter": "active", "file": "/etc/passwd"}, "bad-arguments"),
    ("explain_filter", {"filter": "activ"}, "did you mean 'active'"),
    ("explain_filter", {"filter": "../../etc/passwd"}, "unknown-filter"),
    ("filter_sql", {"filter": "active", "engine": "oracle"}, "unknown-dialect"),
    ("filter_sql", {"filter": "large", "engine": "spark", "params": {"x": 1}}, "no parameter"),
    ("filter_sql", {"filter": "large", "engine": "spark", "params": {"least": "x"}}, "least"),
    ("match_where", {"where": "status ="}, "error["),
    ("match_where", {"where": "state = 1"}, "unknown-field"),
    ("match_where", {"where": "status = 'a'; DROP TABLE x"}, "error["),
    ("match_where", {"where": "status IN (SELECT 1)"}, "error["),
    ("match_where", {"where": "pg_read_file('/etc/passwd') = 'x'"}, "error["),
    ("match_where", {"where": "status = {{ env_var('HOME') }}"}, "error["),
    ("match_where", {"where": "(" * 5000 + ")" * 4000}, "error["),
    ("match_where", {"where": "NOT " * 2400 + "is_test"}, "error["),
    ("match_where", {"where": "status = 'a\ud800'"}, "error["),
    ("match_where", {"where": "status = 'a' OR " * 2000}, "bad-arguments"),
    ("match_where", {"where": "status = 'a'", "dialect": "oracle"}, "unknown-dialect"),
    ("match_where", {"where": "status = 'a'", "dataset": "nope"}, "unknown-dataset"),
    ("test_row", {"filter": "active", "row": {"status": ["x"]}}, "error["),
    ("test_row", {"filter": "active", "row": {"status": "x" * 70_000}}, "too-large"),
    ("search_filters", {"page": 9}, "no-page"),
    ("search_filters", {"page": 0}, "bad-arguments"),
]


@pytest.mark.parametrize(("name", "arguments", "wanted"), MISTAKES)
def test_a_mistake_is_told(source: CatalogSource, name: str, arguments: Any, wanted: str) -> None:
    text, failed = answer(source, name, arguments)
    assert failed and wanted in text and "Traceback" not in text and "internal" not in text
    assert len(text.encode(errors="replace")) <= MOST


@pytest.mark.parametrize(
    "what", [pytest.param(what, marks=() if what == "a catalog file" else pytest.mark.slow) for what in LINKS]
)
def test_no_answer_shows_what_a_link_leads_to(what: str, tmp_path: Path) -> None:
    secret = tmp_path / "outside" / "secret"
    secret.parent.mkdir()
    secret.write_text(f"{SECRET}\nsecond\n")
    root = repository(tmp_path, LINKS[what][0], LINKS[what][1], str(secret))
    (root / "history.jsonl").symlink_to(secret)
    source = CatalogSource(root / "catalog", {}, root / "history.jsonl")
    asked = [
        (name, {**arguments, "filter": "d.one"} if "filter" in arguments else arguments)
        for name, arguments in CALLS
    ]
    for name, arguments in [
        *asked,
        ("match_where", {"where": "n > 1"}),
        ("review_changes", {"base": "main"}),
    ]:
        assert SECRET[:8] not in answer(source, name, arguments)[0]


def test_deep_arguments_are_refused(source: CatalogSource) -> None:
    deep: Any = {}
    for _ in range(100_000):
        deep = {"a": deep}
    text, failed = answer(source, "test_row", {"filter": "active", "row": deep})
    assert failed and "too-large" in text


def test_a_defect_is_told_without_a_traceback(source: CatalogSource, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_call: Any, _asked: Any) -> list[str]:
        raise KeyError(MARK)

    monkeypatch.setitem(tools.TOOLS, "search_filters", tools.Tool(tools.SearchFilters, broken))
    text, failed = answer(source, "search_filters", {})
    assert failed and "internal" in text and MARK not in text


def test_values_of_sensitive_fields_are_masked(source: CatalogSource) -> None:
    row = said(source, "test_row", filter="internal", row={"email": f"{MARK}@example.com"})
    assert MARK not in row and "***" in row
    text = said(source, "match_where", where=f"email LIKE '%@example.com' AND email <> '{MARK}@example.com'")
    assert "***" in text and "narrower: orders.internal" in text and MARK not in text


def test_pages_have_the_whole_answer() -> None:
    text = "\n".join(f"{number} ünïcödé 😀 " + "x" * (number * 13 % 4000) for number in range(30))
    parts, number = [], 1
    while True:
        page = page_of(text, number)
        assert len(page.encode()) <= MOST
        body, _, last = page.rpartition("\n")
        if not last.startswith("(page"):
            parts.append(page)
            break
        assert f"page={number + 1}" in last
        parts.append(body)
        number += 1
    assert "".join(parts).replace("\n", "") == text.replace("\n", "")
    with pytest.raises(PredicatError):
        page_of(text, number + 1)


def test_the_skill_names_every_tool_that_there_is() -> None:
    text = skill()
    head = text.split("---")[1]
    assert "name: predicat-filters" in head and "description: " in head
    assert [name for name in TOOLS if name not in text] == []


def test_the_examples_of_the_page() -> None:
    text = (ROOT / "docs" / "agents.md").read_text(encoding="utf-8")
    calls = re.findall(
        r'^```json\n(\{"tool"[^\n]*)\n```\n\n```text\n(.*?)\n```', text, re.MULTILINE | re.DOTALL
    )
    source = CatalogSource(ROOT / "catalog", {}, ROOT / "none.jsonl")
    assert len(calls) == text.count('{"tool"') > 3
    for call, shown in calls:
        asked = json.loads(call)
        assert said(source, asked["tool"], **asked["arguments"]) == shown
    assert [name for name in TOOLS if f"`{name}`" not in text] == []


def test_the_dbt_package_has_the_skill(source: CatalogSource, tmp_path: Path) -> None:
    done = in_process("export", "dbt", "--catalog", str(source.folder), "--out", "dbt", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "dbt" / "SKILL.md").read_text(encoding="utf-8")
    assert text.startswith("---\n# Written by `predicat export dbt`") and "\nname: predicat-filters\n" in text
    assert "- `orders.cancelled`: Orders that were called off." in text
