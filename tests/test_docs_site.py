"""The documentation as a site: it builds without warnings, and the API reference has every public name."""

import os
import re
import sys
from pathlib import Path

import pytest

import predicat
from tests.processes import completed
from tools import docs_pages

pytestmark = pytest.mark.long
ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    docs_pages.write()
    done = completed(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        timeout=300,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "WARNING" not in done.stderr and "ERROR" not in done.stderr, done.stderr
    return folder


def test_every_public_name_is_in_the_api_reference(site: Path) -> None:
    spark = re.findall(
        r'^    "(\w+)",$', (ROOT / "spark_ext" / "predicat_spark" / "__init__.py").read_text(), re.MULTILINE
    )
    for page, names in (
        ("api", [f"predicat.{name}" for name in predicat.__all__]),
        ("api_spark", [f"predicat_spark.{name}" for name in spark]),
    ):
        text = (site / page / "index.html").read_text(encoding="utf-8")
        assert names and [name for name in names if f'id="{name}"' not in text] == []
    modules = set(re.findall(r'id="(predicat_spark\.[a-z_]+)\.', text))
    assert not modules, "a module of the same name is shown instead: import the function from its module"


def test_links_of_the_start_page_lead_to_pages(site: Path) -> None:
    text = (site / "index.html").read_text(encoding="utf-8")
    assert 'href="tutorial/"' in text and "docs/tutorial.md" not in text


def test_every_page_is_listed_for_language_models(site: Path) -> None:
    lines = (site / "llms.txt").read_text(encoding="utf-8").splitlines()
    listed = [line for line in lines if line.startswith("- [")]
    assert len(listed) == len(list(docs_pages.OUT.glob("*.md"))) > 30
    assert [line for line in listed if "): " not in line or line.endswith(": ")] == [], (
        "a page without a first sentence"
    )
