"""Long answers in pages: an agent pays for each byte that it reads."""

from __future__ import annotations

from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import agents as say

# The most bytes of an answer, and those of its last line, which says how to get the next page.
MOST = 2_000
_LAST_LINE = 100


def page_of(text: str, number: int) -> str:
    """A page of a text, of at most MOST bytes in UTF-8. Raises PredicatError if it has fewer pages."""
    if number == 1 and len(text.encode(errors="replace")) <= MOST:
        return text
    pages = _pages(text)
    if number > len(pages):
        raise PredicatError.of(say.no_page(number, len(pages)))
    page = pages[number - 1]
    return page if number == len(pages) else f"{page}\n{say.page(number, len(pages), number + 1)}"


def _pages(text: str) -> list[str]:
    """The text in pages, cut between lines; a line that is longer than a page is cut as well."""
    room = MOST - _LAST_LINE
    pages, page = [], b""
    for line in text.encode(errors="replace").split(b"\n"):
        if page and len(page) + len(line) + 1 > room:
            pages.append(page)
            page = b""
        page = page + b"\n" + line if page else line
        while len(page) > room:
            end = _whole(page, room)
            pages.append(page[:end])
            page = page[end:]
    return [part.decode() for part in (*pages, page)]


def _whole(line: bytes, end: int) -> int:
    """The last end of a character before a byte."""
    while line[end] & 0xC0 == 0x80:
        end -= 1
    return end
