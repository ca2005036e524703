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
from predicat.site.build import build
from predicat.site.graph import graph

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

    for file in site.rglob("*.html"):
        for target in re.findall(r'(?:href|src)="([^"]+)"', file.read_text()):
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
    for file in (tmp_path / "out").rglob("*"):
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


def test_a_picture_of_many_is_cut() -> None:
    found = graph("f", [(f"x{number}", "field", "") for number in range(100)], [])
    assert found.boxes[14].text == "and 86 more"
