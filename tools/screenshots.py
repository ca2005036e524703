"""Writes the pictures of README.md into docs/images: `python -m tools.screenshots`. They show real output in
a headless Chromium.

The site is that of the reference catalog; the comment is the Markdown of `predicat diff` for one changed
condition.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import markdown
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
CHROMIUM = os.environ.get("PREDICAT_CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
_STYLE = """
body { font: 15px/1.5 "Helvetica Neue", Arial, "Liberation Sans", "DejaVu Sans", sans-serif;
  color: #1f2328; margin: 16px; }
.comment { border: 1px solid #d1d9e0; border-radius: 6px; max-width: 820px; }
.head { background: #f6f8fa; border-bottom: 1px solid #d1d9e0; padding: 8px 16px;
  color: #59636e; border-radius: 6px 6px 0 0; }
.body { padding: 4px 16px 14px; }
table { border-collapse: collapse; }
th, td { border: 1px solid #d1d9e0; padding: 5px 13px; text-align: left; }
code { background: #eff1f3; border-radius: 4px; padding: 1px 5px; font: 13px "DejaVu Sans Mono", monospace; }
pre { background: #f6f8fa; padding: 8px; border-radius: 6px; } pre code { background: none; padding: 0; }
details { margin-top: 14px; }
.add { background: #dafbe1; display: block; } .del { background: #ffebe9; display: block; }
"""


def review(folder: Path) -> str:
    """The Markdown of a review of one change in a copy of the reference catalog."""
    for name in ("catalog", "macros"):
        shutil.copytree(ROOT / name, folder / name)
    for args in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-qm", "first")):
        subprocess.run(
            ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", *args], cwd=folder, check=True
        )
    file = folder / "catalog" / "flights.yml"
    file.write_text(
        file.read_text(encoding="utf-8").replace("sql: dep_delay < 0\n", "sql: dep_delay <= 0\n"),
        encoding="utf-8",
    )
    done = run("diff", "main", "--format", "markdown", folder=folder)
    return done.stdout


def run(*args: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command of predicat in a folder."""
    program = Path(sys.executable).parent / "predicat"
    return subprocess.run([str(program), *args], cwd=folder, capture_output=True, text=True, check=False)


def as_comment(text: str) -> str:
    """The Markdown as a code host shows it, with the details open."""
    text = text.replace("<details>", '<details open markdown="1">')
    body = markdown.markdown(text, extensions=["tables", "fenced_code", "md_in_html"])
    for sign, name in ((r"\+", "add"), (r"\-", "del")):
        body = re.sub(
            rf"^(<pre><code[^>]*>)?({sign}.*)\n",
            rf'\1<span class="{name}">\2</span>',
            body,
            flags=re.MULTILINE,
        )
    head = "<b>ci-bot</b> commented on the pull request"
    return (
        f'<style>{_STYLE}</style><div class="comment"><div class="head">{head}</div><div '
        f'class="body">{body}</div></div>'
    )


def main() -> None:
    """Take the pictures of the README into docs/images."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        text = review(folder)
        run("docs", "build", folder=ROOT)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page: Page = browser.new_page(viewport={"width": 860, "height": 620}, color_scheme="light")
        page.set_content(as_comment(text))
        page.locator(".comment").screenshot(path=str(IMAGES / "comment.png"))
        page.set_viewport_size({"width": 1100, "height": 690})
        page.goto((ROOT / "target" / "site" / "filters" / "flights.late_united.html").as_uri())
        page.screenshot(path=str(IMAGES / "site.png"))
        browser.close()


if __name__ == "__main__":
    main()
