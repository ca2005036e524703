"""The site, in a real headless Chromium from file://: search, keyboard, links, no errors, no request to
anywhere.
"""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import predicat
from predicat.review.history import Change
from predicat.site.build import build
from predicat.site.graph import graph
from tests.rounds import rounds

CHROMIUM = os.environ.get("PREDICAT_CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site")
    catalog = predicat.load_catalog("catalog")
    assert build(catalog, out) == 1 + len(catalog.datasets) + len(catalog.filters())
    return out


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page that must not log an error nor ask for anything but files."""
    found = browser.new_page(viewport={"width": 1200, "height": 900}, color_scheme="light")
    problems: list[str] = []
    found.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    found.on("pageerror", lambda error: problems.append(str(error)))
    found.on(
        "request",
        lambda request: (
            problems.append(request.url) if not request.url.startswith(("file:", "data:")) else None
        ),
    )
    yield found
    found.close()
    assert problems == []


def test_search_by_keyboard(site: Path, page: Any) -> None:
    page.goto((site / "index.html").as_uri())
    page.keyboard.press("/")
    page.keyboard.type("late uni")
    assert page.locator("#results [role=option]").count() == 1
    page.keyboard.press("Enter")
    page.wait_for_url("**/filters/flights.late_united.html")
    assert page.locator("h1").inner_text() == "late_united"
    page.keyboard.press("/")
    page.keyboard.type("zzzz")
    assert page.locator("#results").inner_text() == "No filter is about that."
    page.keyboard.press("Escape")
    assert page.locator("#results").is_hidden()


def test_navigation_and_lineage(site: Path, page: Any) -> None:
    page.goto((site / "index.html").as_uri())
    page.click("nav >> text=flights")
    assert page.locator("h1").inner_text() == "flights"
    page.click("main >> text=bad_day")
    page.click("svg.lineage a:has-text('flights.very_late')")
    assert page.locator("h1").inner_text() == "very_late"
    page.click("svg.lineage a:has-text('dep_delay')")
    assert page.url.endswith("#field-dep_delay")
    page.click("text=Catalog")
    page.wait_for_url("**/index.html")


def test_versions_show_their_proof_and_their_sql(site: Path, page: Any) -> None:
    page.goto((site / "filters" / "flights.long_delay.html").as_uri())
    panel = page.locator("#version-2")
    assert "against version 1: rows are lost and rows are gained" in panel.inner_text()
    panel.locator("[role=tab]", has_text="postgres").click()
    assert panel.locator("[role=tabpanel]:visible").inner_text().strip() == "dep_delay >= :minutes"
    page.keyboard.press("ArrowRight")
    assert panel.locator("[aria-selected=true]").inner_text() == "sql (as written)"


def test_dark_and_light(site: Path, page: Any) -> None:
    page.goto((site / "index.html").as_uri())
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.click("#theme")
    assert page.evaluate(ground) != light
    page.reload()
    assert page.evaluate(ground) != light


def test_every_link_leads_somewhere(site: Path) -> None:
    import re

    for file in rounds(site.rglob("*.html"), 60):
        for target in rounds(re.findall(r'(?:href|src)="([^"]+)"', file.read_text()), 10):
            if target.startswith(("data:", "#")):
                continue
            path, _, anchor = target.partition("#")
            found = (file.parent / path).resolve()
            assert found.exists(), f"{file.name}: {target}"
            if anchor:
                assert f'id="{anchor}"' in found.read_text(), f"{file.name}: {target}"


def test_texts_of_people_are_texts(tmp_path: Path) -> None:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "c.yml").write_text(
        "apiVersion: predicat/v1\ndataset: d\ndescription: <script>alert(1)</script>\nfields: {s: string}\n"
        "filters:\n  f: {description: '</script><img src=x>', owner: '\"><b>', sql: \"s = '<i>'\"}\n"
    )
    build(predicat.load_catalog(tmp_path / "catalog"), tmp_path / "out")
    for file in rounds((tmp_path / "out").rglob("*"), 10):
        if file.suffix in (".html", ".js") and file.name != "site.js":
            text = file.read_text()
            assert (
                "<script>alert" not in text
                and "<img src=x" not in text
                and "<i>" not in text
                and '<b>"' not in text
            )


def test_one_of_a_kind_is_no_plural(tmp_path: Path) -> None:
    (tmp_path / "d.yml").write_text(
        "apiVersion: predicat/v1\ndataset: d\nfields: {a: bigint}\nfilters: {f: {sql: a > 1}}\n"
    )
    build(predicat.load_catalog(tmp_path / "d.yml"), tmp_path / "site")
    index = (tmp_path / "site" / "index.html").read_text()
    for text in ("1 filter on 1 dataset.", "Search 1 filter", "1 filter &middot; 1 field<"):
        assert text in index


def test_a_page_of_a_filter_that_is_gone_goes_too(tmp_path: Path) -> None:
    (tmp_path / "filters").mkdir()
    (tmp_path / "filters" / "gone.html").write_text("x")
    build(predicat.load_catalog("catalog"), tmp_path, proofs=False)
    assert not (tmp_path / "filters" / "gone.html").exists()


def test_coverage_of_a_report(tmp_path: Path) -> None:
    from tests.cli.test_commands import run

    report = [
        {"checks": [], "measure": {"rows": 100, "filters": {"flights.late": {"accepted": 21, "unknown": 2}}}}
    ]
    (tmp_path / "report.json").write_text(json.dumps(report))
    done = run(
        "docs",
        "build",
        "--no-proofs",
        "--out",
        str(tmp_path / "out"),
        "--coverage",
        str(tmp_path / "report.json"),
    )
    assert done.returncode == 0, done.stderr
    assert "21 of 100 (21.00%)" in (tmp_path / "out/filters/flights.late.html").read_text()
    (tmp_path / "report.json").write_text("[1]")
    done = run("docs", "build", "--out", str(tmp_path / "out"), "--coverage", str(tmp_path / "report.json"))
    assert done.returncode == 2 and "is not a report" in done.stderr


DUCK = """apiVersion: predicat/v1
dataset: orders
relation: {duckdb: "orders*.csv", postgres: shop.orders}
fields: {id: bigint, country: string}
filters:
  large: {description: Large., sql: id > 1000}
  german: {sql: "country = 'DE'"}
  given: {sql: "id > :n", params: {n: bigint}}
groups: {all: {filters: [large, german]}}
"""


def _history(*shares: int) -> dict[str, list[dict[str, Any]]]:
    statuses = ["pass"] * (len(shares) - 1) + ["fail"]
    days = enumerate(zip(shares, statuses, strict=True), 1)
    row = {"engine": "duckdb", "rows": 100}
    return {
        "orders.large": [
            {**row, "at": f"2026-11-{day:02}T05:17:00+00:00", "accepted": share, "status": status}
            for day, (share, status) in days
        ]
    }


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, out = tmp_path_factory.mktemp("catalog"), tmp_path_factory.mktemp("used")
    (folder / "orders.yml").write_text(DUCK)
    catalog = predicat.load_catalog(folder)
    change = Change(
        "0123456789ab",
        "2026-11-01",
        "A subject of a commit that is as long as subjects may be, namely 72 signs",
        "wider",
        ("rows are gained, none is lost (proved)",),
        (("gained", '{id: 1000, country: "a_country_with_a_name_that_has_no_blank"}: FALSE before'),),
    )
    changes = {"orders.large": [change]}
    build(catalog, out, history=_history(20, 22, 21, 60), released={"orders.large"}, changes=changes)
    return out


def test_each_engine_has_its_use_to_copy(used: Path, page: Any) -> None:
    page.goto((used / "filters" / "orders.large.html").as_uri())
    texts = dict(
        zip(
            page.locator(".use h3").all_text_contents(),
            page.locator(".use pre").all_text_contents(),
            strict=True,
        )
    )
    assert list(texts) == ["PostgreSQL view", "DuckDB", "Python"]
    assert texts["PostgreSQL view"] == "SELECT * FROM shop.orders__large"
    assert texts["DuckDB"] == "SELECT * FROM 'orders*.csv' WHERE id > 1000"
    page.locator(".copy").nth(1).click()
    page.locator(".copy", has_text="Copied").wait_for()
    page.locator("#search").fill("")
    page.locator("#search").focus()
    page.keyboard.press("Control+V")
    assert page.locator("#search").input_value() == texts["DuckDB"]


def test_what_is_copied_runs(used: Path, tmp_path: Path) -> None:
    import duckdb

    (tmp_path / "orders1.csv").write_text("id,country\n1,DE\n2000,FR\n")
    text = (used / "filters" / "orders.large.html").read_text()
    assert "orders.yml:6</code>" in text
    query = _use(text, "DuckDB")
    with duckdb.connect() as session:
        rows = session.execute(query.replace("orders*.csv", f"{tmp_path}/orders*.csv")).fetchall()
    assert rows == [(2000, "FR")]


def _use(page: str, engine: str) -> str:
    import html
    import re

    (found,) = re.findall(rf"<h3>{engine}</h3><pre[^>]*>(.*?)</pre>", page, re.DOTALL)
    return html.unescape(re.sub(r"<[^>]+>", "", found))


def test_the_start_page_has_what_needs_attention(used: Path, page: Any) -> None:
    page.goto((used / "index.html").as_uri())
    shown = page.locator("main").inner_text()
    assert "Broken 1" in shown and "New 2" in shown and "Unused 1" in shown
    page.locator(".names a", has_text="orders.large").first.click()
    assert "Coverage over time" in page.locator("main").inner_text()
    assert page.locator(".trend circle").count() == 1
    assert "60 of 100" in page.locator("main").inner_text()


def test_fields_and_words_of_conditions_are_found(used: Path, page: Any) -> None:
    page.goto((used / "index.html").as_uri())
    page.locator("#search").fill("country")
    assert page.locator("#results b").all_text_contents() == ["orders.german"]
    page.locator("#search").fill("1000")
    assert page.locator("#results b").all_text_contents() == ["orders.large"]


def test_the_last_changes_are_shown_with_their_proofs(used: Path, page: Any) -> None:
    page.goto((used / "filters" / "orders.large.html").as_uri())
    shown = page.locator(".change").inner_text()
    assert "2026-11-01 0123456789ab A subject" in shown
    assert "wider rows are gained, none is lost (proved)" in shown and "gained {id: 1000" in shown
    page.goto((used / "filters" / "orders.german.html").as_uri())
    assert page.locator("h2", has_text="Last changes").count() == 0


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", ["index.html", "filters/orders.large.html", "datasets/orders.html"])
def test_every_number_is_visible(used: Path, page: Any, name: str, width: int) -> None:
    """On a telephone and on a desktop."""
    page.set_viewport_size({"width": width, "height": 800})
    page.goto((used / name).as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    outside = page.evaluate(
        "[...document.querySelectorAll('td, .count, .facts, pre.words, .use pre, .change *')]"
        ".filter((one) => { const box = one.getBoundingClientRect();"
        " const inline = getComputedStyle(one).display === 'inline';"
        " const wide = !inline && one.scrollWidth > one.clientWidth + 1;"
        f" return box.width > 0 && (box.right > {width} || box.left < 0 || wide) }})"
        ".map((one) => one.textContent)"
    )
    assert outside == []


def test_a_picture_of_many_is_cut() -> None:
    found = graph("f", [(f"x{number}", "field", "") for number in range(100)], [])
    assert found.boxes[14].text == "and 86 more"
