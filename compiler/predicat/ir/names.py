"""Names of Python code in a catalog."""

from __future__ import annotations

import keyword
import re

_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\Z", re.ASCII)
_PROVIDER = re.compile(r"[a-z][a-z0-9_-]{0,62}\Z")


def is_code_name(text: str) -> bool:
    """Whether a string may name a class: `package.module.Class`, or an entry point such as `tagged`."""
    if _DOTTED.match(text):
        return len(text) <= 255 and not any(map(keyword.iskeyword, text.split(".")))
    return bool(_PROVIDER.match(text))
