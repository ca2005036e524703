"""Writes the pages of the documentation site into target/pages: `python -m tools.docs_pages`. The builder of
the site, whichever it is, only reads them.

README.md, CONTRIBUTING.md and other files outside docs/ are pages too, with links that work on the site.
`llms.txt` lists the pages for language models.
"""

import re
import shutil
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "target" / "pages"
PAGES = {
    "index.md": "README.md",
    "benchmarks.md": "benchmarks/README.md",
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
}
REPOSITORY = "https://github.com/predicat/predicat/blob/main/"
_LINK = re.compile(r"(\]\(|src=\")(?!https?:|#)([^)\"#]+)")
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)


def write(out: Path = OUT) -> None:
    """Write all pages into a folder, which is emptied first."""
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(ROOT / "docs", out)
    for page in out.glob("*.md"):
        page.write_text(_of_docs(page.read_text(encoding="utf-8")), encoding="utf-8")
    for name, source in PAGES.items():
        text = _LINK.sub(_target, (ROOT / source).read_text(encoding="utf-8"))
        (out / name).write_text(text, encoding="utf-8")
    (out / "llms.txt").write_text(_llms(out), encoding="utf-8")


def _of_docs(markdown: str) -> str:
    """Links from docs/ to a page of the root lead to its page of the site, other links out of docs/ to the
    repository.
    """
    for page, name in PAGES.items():
        markdown = markdown.replace(f"](../{name}", f"]({page}")
    return markdown.replace("](../", f"]({REPOSITORY}")


def _target(link: re.Match[str]) -> str:
    """A link of a page of the root: `docs/x.md` is `x.md` on the site, and CONTRIBUTING.md is
    contributing.md.
    """
    path = link[2]
    pages = {name: page for page, name in PAGES.items()}
    if path in pages or path.startswith("docs/"):
        return link[1] + pages.get(path, path.removeprefix("docs/"))
    return link[1] + REPOSITORY + path


def _llms(out: Path) -> str:
    """The pages with their titles and first sentences. Source: llmstxt.org."""
    summary = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["description"]
    lines = ["# predicat", "", f"> {summary}", "", "## Pages", ""]
    for page in sorted(out.glob("*.md")):
        title, about = _about(page.read_text(encoding="utf-8"))
        lines.append(f"- [{title}]({REPOSITORY}{PAGES.get(page.name, f'docs/{page.name}')}): {about}")
    return "\n".join(lines) + "\n"


def _about(markdown: str) -> tuple[str, str]:
    """The title of a page, and the first sentence below it."""
    title = _TITLE.search(markdown)
    text = markdown[title.end() :] if title is not None else markdown
    paragraphs = (" ".join(part.split()) for part in text.split("\n\n"))
    first = next(
        (part for part in paragraphs if re.match(r"[A-Z`\"]", part) and not part.startswith("```")), ""
    )
    return title[1] if title is not None else "", re.split(r"(?<=[.:]) (?=[A-Z`\[])", first)[0]


if __name__ == "__main__":
    write(Path(sys.argv[1]) if sys.argv[1:] else OUT)
