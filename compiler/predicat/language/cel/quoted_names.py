"""Names in backticks, for fields that CEL has no other way to write: `` `Zip Code` == "10115" ``.

CEL's grammar has them after a dot only, and the parser not at all. It reads a plain name of the same length
in their place, so that places stay.

Source: google/cel-spec, language definition, "Syntax", ESC_IDENTIFIER; here with letters of all scripts.
"""

import string
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from predicat.language.cel.tokens import NAME_IN_BACKTICKS


def replaced(text: str) -> tuple[str, dict[str, str]]:
    """The text with a plain name for each name in backticks, and the names by the plain ones."""
    plain: dict[str, str] = {}
    parts, end = [], 0
    for match in NAME_IN_BACKTICKS.finditer(text):
        if (quoted := match["quoted"]) is not None:
            name = plain.get(quoted) or next(_unused(len(quoted), {*plain.values()}, text))
            plain[quoted] = name
            parts += [text[end : match.start()], name]
            end = match.end()
    return "".join([*parts, text[end:]]), {name: quoted[1:-1] for quoted, name in plain.items()}


def _unused(length: int, used: set[str], text: str) -> Iterator[str]:
    for letters in product(string.ascii_lowercase, repeat=2):
        name = f"_{''.join(letters)}{'_' * (length - 3)}"
        if name not in used and name not in text:
            yield name


def put_back(message: Any, names: Mapping[str, str]) -> None:
    """Set the names in a message of the parser to what they stand for."""
    for descriptor, value in message.ListFields():
        if isinstance(value, str):
            setattr(message, descriptor.name, names.get(value, value))
        elif descriptor.message_type is not None and descriptor.message_type.name != "PositionsEntry":
            # The one message has fields; a list of them does not. `is_repeated` is not in protobuf 5.
            for part in (value,) if hasattr(value, "ListFields") else value:
                put_back(part, names)
