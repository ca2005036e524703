"""A program in Scala as tokens: enough of its lexical rules to find calls and to read their arguments."""

import re
from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

Kind = Literal["text", "symbol", "number", "name", "sign", "mark"]
_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<put>[A-Za-z_$][\w$]*)?\"\"\"(?P<long>.*?)\"\"\"(?!")
    |(?P<puts>[A-Za-z_$][\w$]*)"(?P<mixed>(?:[^"\\\n$]|\\.|\$\{[^{}\n]*\}|\$)*)"
    |"(?P<short>(?:[^"\\\n]|\\.)*)"
    |(?P<char>'(?:[^'\\\n]|\\[^\n]{1,5})')
    |'(?P<symbol>[A-Za-z_]\w*)
    |(?P<number>0[xX][0-9a-fA-F]+[lL]?|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?[lLfFdD]?)
    |(?P<name>[A-Za-z_]\w*|`[^`\n]+`)
    |(?P<sign>[-+*/%<>=!&|^~?:@\#\\]+)
    |(?P<mark>[()\[\]{}.,;])""",
    re.DOTALL | re.VERBOSE,
)
_KINDS: Mapping[str, Kind] = {
    "symbol": "symbol",
    "number": "number",
    "name": "name",
    "sign": "sign",
    "mark": "mark",
}
_TEXTS = ("long", "mixed", "short")


class Token(Struct, frozen=True):
    """A token: what it is, what it says without quotes, its range, and that of what it says. Of a text,
    `put` is what is written before it, such as `s` and `$`.
    """

    kind: Kind
    value: str
    start: int
    end: int
    inner: tuple[int, int]
    put: str = ""


def tokens_of(text: str) -> list[Token]:
    """The tokens of a program, without comments. What is no token is passed over."""
    result: list[Token] = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or ""
        if text := next((one for one in _TEXTS if match[one] is not None), ""):
            put = match["put"] or match["puts"] or ""
            result.append(Token("text", match[text], *match.span(), match.span(text), put))
        elif kind == "char":
            result.append(Token("mark", "'", *match.span(), match.span()))
        elif given := _KINDS.get(kind):
            result.append(Token(given, match[given], *match.span(), match.span(given)))
    return result
