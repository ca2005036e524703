"""Label selectors of Kubernetes ("Labels and Selectors": set-based requirements).

The comma is AND; `!=` and `notin` also select an object without the key; `>` and `<` compare integers.
"""

import re
from collections.abc import Mapping

_REQUIREMENT = re.compile(
    r"\s*(?:!\s*(?P<without>[^\s=!,()<>]+)|(?P<key>[^\s=!,()<>]+)\s*"
    r"(?:(?P<sign>==|=|!=|<|>)\s*(?P<value>[^\s=!,()<>]*)|(?P<word>in|notin)\s*\((?P<values>[^()]*)\))?)\s*(?:,|$)"
)


def accepts(text: str, message: Mapping[str, str]) -> bool:
    at, selected = 0, True
    while at < len(text):
        found = _REQUIREMENT.match(text, at)
        assert found is not None, text[at:]
        selected = selected and _fulfilled(found, message)
        at = found.end()
    return selected


def _fulfilled(found: "re.Match[str]", message: Mapping[str, str]) -> bool:
    if found["without"] is not None:
        return message.get(found["without"]) is None
    value = message.get(found["key"])
    if found["sign"] in ("<", ">"):
        if value is None or not re.fullmatch(r"[-+]?[0-9]+", value):
            return False
        return int(value) < int(found["value"]) if found["sign"] == "<" else int(value) > int(found["value"])
    if found["sign"] is None and found["word"] is None:
        return value is not None
    values = (
        [found["value"]] if found["word"] is None else [one.strip() for one in found["values"].split(",")]
    )
    return (value in values) is (found["sign"] != "!=" and found["word"] != "notin")
