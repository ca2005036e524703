"""Since when a bound is broken, where its filter is, who owns it and what changed it last."""

import json
from pathlib import Path

import pytest

import predicat
from predicat.quality import notify
from predicat.quality.bounds import judge
from predicat.quality.checks import Check
from predicat.quality.engines import on_duckdb
from predicat.quality.history import Series, entries
from predicat.quality.incidents import Incident, incidents, origins
from predicat.quality.outcome import About, Run
from predicat.quality.plan import plan
from predicat.quality.report import FORMATS, data
from tests.processes import git

CATALOG = """apiVersion: predicat/v1
dataset: orders
relation: {duckdb: orders.csv}
fields: {id: bigint, country: string}
filters:
  positive: {sql: id > 0, coverage: {at_least: 1%}}
  german:
    owner: sales@example.com
    sql: |
      country = 'DE'
      OR country = 'AT'
    coverage: {at_least: 60%}
"""


@pytest.mark.parametrize(
    ("statuses", "found"),
    [
        ("pass pass", []),
        ("pass fail error not_checked fail", [("2", None, 3)]),
        ("fail warn fail pass fail", [("5", None, 1), ("3", "4", 1), ("1", "2", 1)]),
        ("not_checked pass", []),
    ],
)
def test_incidents(statuses: str, found: list[tuple[str, str | None, int]]) -> None:
    results = [{"status": status, "at": str(place)} for place, status in enumerate(statuses.split(), 1)]
    assert incidents({"a": results}) == [Incident("a", *item) for item in found]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """The third failed run of a filter in a repository."""
    file = tmp_path / "catalog" / "orders.yml"
    file.parent.mkdir()
    (tmp_path / "orders.csv").write_text("id,country\n" + "1,DE\n2,FR\n3,\n" * 10)
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "remote", "add", "origin", "https://x:secret@github.com/shop/data.git")
    for subject, text in (("Add", CATALOG.replace("'AT'", "'CH'")), ("Take <Austria> & co", CATALOG)):
        file.write_text(text)
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "-qm", subject)
    catalog = predicat.load_catalog(tmp_path / "catalog")
    measured = on_duckdb(plan(catalog, "orders", (), "duckdb"), str(tmp_path / "orders.csv"))
    series, past, checks = Series("c", "orders", "duckdb", "", 1.0), [], list[Check]()
    for day in (1, 2, 3):
        checks = judge(catalog, measured, series.of(past))
        past += [
            {**entry, "at": f"2026-01-0{day}T06:00:00+00:00"}
            for entry in entries(catalog, measured, series, checks)
        ]
    dataset = catalog.datasets["orders"]
    return Run(
        "orders",
        measured,
        checks,
        history=series.of(past[:-3]),
        definition=dataset,
        about=About("2026-01-03T06:00:00+00:00"),
        origins=origins(dataset, {"orders.german"}),
    )


def test_the_place_and_the_last_change_of_a_filter(run: Run) -> None:
    (found,) = data([run])
    check = next(item for item in found["checks"] if item["status"] == "fail")
    change = check["origin"]["last_change"]
    assert check["owner"] == "sales@example.com" and change["subject"] == "Take <Austria> & co"
    assert (check["origin"]["file"], check["origin"]["line"]) == ("catalog/orders.yml", 9)
    assert (
        check["origin"]["url"]
        == f"https://github.com/shop/data/blob/{change['commit']}/catalog/orders.yml#L9"
    )
    assert found["incidents"] == [
        {"name": "orders.german", "since": "2026-01-01T06:00:00+00:00", "until": None, "runs": 3}
    ]
    ends = {item["name"]: (item["owner"], item["origin"]) for item in found["checks"]}
    assert ends["orders.positive"] == (None, None)


def test_messages_and_the_page_have_owner_place_and_change(run: Run) -> None:
    slack = json.dumps(notify.FORMATS["slack"]([run]))
    page = FORMATS["html"]([run])
    for text in (slack, page):
        assert "owner sales@example.com" in text and "catalog/orders.yml:9" in text
        assert "Take &lt;Austria&gt; &amp; co" in text and "secret" not in text
        assert "https://github.com/shop/data/blob/" in text
    assert "1 incident<" in page and "2026-01-01 06:00" in page and "goes on" in page


def test_a_catalog_outside_of_a_repository(tmp_path: Path) -> None:
    (tmp_path / "orders.yml").write_text(CATALOG)
    dataset = predicat.load_catalog(tmp_path / "orders.yml").datasets["orders"]
    (origin,) = origins(dataset, {"orders.german"}).values()
    assert (origin.file, origin.line, origin.url) == (str(tmp_path / "orders.yml"), 9, "")
