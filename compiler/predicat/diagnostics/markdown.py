"""Text that is no Markdown, in Markdown: nothing that somebody wrote becomes a link, a tag or a table."""

import re

# Characters that Markdown or HTML may read as their own.
_SPECIAL = "\\`*_[]<>|#@&"


def plain(line: str) -> str:
    """A string escaped for Markdown and HTML, in one line."""
    return "".join(f"&#{ord(char)};" if char in _SPECIAL else char for char in line).replace("\n", " ")


def code(shown: str) -> str:
    """A string as code, in one line."""
    fence = "`" * _more_than_in(shown, 0)
    edge = " " if shown[:1] == "`" or shown[-1:] == "`" else ""
    return f"{fence}{edge}{shown}{edge}{fence}".replace("\n", " ")


def cell(shown: str) -> str:
    """A string as code in a table."""
    return code(shown).replace("|", "\\|")


def fenced(text: str, language: str = "") -> str:
    """A text as a block of code, which nothing in it can end."""
    fence = "`" * _more_than_in(text, 2)
    return f"{fence}{language}\n{text}\n{fence}"


def _more_than_in(text: str, least: int) -> int:
    """A number of backticks that no run of them in a text has, more than `least`."""
    return 1 + max(least, *map(len, re.findall("`+", text)), 0)
