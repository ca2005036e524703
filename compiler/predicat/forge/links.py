"""Addresses of a repository's server that show a repository, or a line of a file."""

import re
from urllib.parse import quote

_REMOTE = re.compile(
    r"(?:(?:https?|ssh)://(?:[^@/]*@)?(?P<host>[\w.-]+)(?::\d+)?/|[\w.-]+@(?P<other>[\w.-]+):)"
    r"(?P<path>[\w./~-]+?)(?:\.git)?/?"
)
# How servers show a line of a file at a commit, by a word in the name of their host.
_LINES = {
    "github": "{page}/blob/{commit}/{file}#L{line}",
    "gitlab": "{page}/-/blob/{commit}/{file}#L{line}",
    "bitbucket": "{page}/src/{commit}/{file}#lines-{line}",
}


def web_address(remote: str) -> str:
    """The page of a repository by the address of its remote, without a name or password in it; "" if it has
    none.
    """
    match = _REMOTE.fullmatch(remote)
    return f"https://{match['host'] or match['other']}/{match['path']}" if match else ""


def line_address(remote: str, commit: str, file: str, line: int) -> str:
    """The page of a line of a file (seen from the root) at a commit; "" for a server of another kind."""
    page = web_address(remote)
    host = page.removeprefix("https://").partition("/")[0].lower()
    form = next((form for word, form in _LINES.items() if word in host), "")
    return form.format(page=page, commit=commit, file=quote(file), line=line)
