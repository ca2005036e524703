"""Hook of mkdocs: README.md, CONTRIBUTING.md and other files outside docs/ are pages of the site, with links
that work there.
"""

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
PAGES = {
    "index.md": "README.md",
    "benchmarks.md": "benchmarks/README.md",
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
}
REPOSITORY = "https://github.com/predicat/predicat/blob/main/"
_LINK = re.compile(r"(\]\(|src=\")(?!https?:|#)([^)\"#]+)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages to the files of the site."""
    for page, name in PAGES.items():
        files.append(
            File.generated(
                config, page, content=_LINK.sub(_target, (ROOT / name).read_text(encoding="utf-8"))
            )
        )
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
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
