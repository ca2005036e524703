"""The mark in a view's comment, by which predicat recognizes its views.

Only the owner of a view can write its comment, so a mark counts only on views with a trusted owner
(`inventory`). Text around our lines is kept.
"""

import hashlib
import json
import re
from collections.abc import Mapping

from msgspec import Struct, field

from predicat.catalog.keys import VIEW_OPTIONS

_MARK = re.compile(r"^(?:predicat: [^\n]*\n)?\[predicat/1 ([^\]\n]*)\]", re.MULTILINE)
# How comments of the edition before marks begin.
_FORMER = "predicat: "


class Mark(Struct, frozen=True):
    """What a view is: the filter of a catalog, the hash of what it was made from, and the fingerprints of
    what the server stored.

    `rule` is that of the parsed query, which a dump and restore changes; `definition` that of its text, which
    a renamed column changes. `options` are the security options that predicat set. `place` is "schema" for a
    view of `--schema`, else "relation".
    """

    catalog: str
    dataset: str
    filter: str
    hash: str
    place: str = "relation"
    options: Mapping[str, bool] = field(default_factory=dict[str, bool])
    rule: str = ""
    definition: str = ""

    @property
    def identity(self) -> tuple[str, str]:
        """The dataset and the filter."""
        return self.dataset, self.filter

    def __str__(self) -> str:
        parts = {
            "catalog": self.catalog,
            "dataset": self.dataset,
            "filter": self.filter,
            "hash": self.hash,
            "place": self.place,
        }
        parts |= {key: str(value).lower() for key, value in self.options.items()}
        parts |= {"rule": self.rule, "definition": self.definition}
        return f"[predicat/1 {' '.join(f'{key}={value}' for key, value in parts.items() if value)}]"


def prefix(catalog: str) -> str:
    """The prefix of each mark of a catalog."""
    return f"[predicat/1 catalog={catalog} "


def read(comment: str) -> Mark | None:
    """The mark in a comment; None if there is no readable one."""
    match = _MARK.search(comment)
    if match is None:
        return None
    parts: dict[str, str] = {
        key: value for key, _, value in (part.partition("=") for part in match[1].split(" "))
    }
    if not all(parts.get(key) for key in ("catalog", "dataset", "filter", "hash")):
        return None
    options = {key: parts[key] == "true" for key in VIEW_OPTIONS if key in parts}
    return Mark(
        parts["catalog"],
        parts["dataset"],
        parts["filter"],
        parts["hash"],
        parts.get("place", "relation"),
        options,
        parts.get("rule", ""),
        parts.get("definition", ""),
    )


def is_former(comment: str) -> bool:
    """Whether a comment is of the edition before marks."""
    return comment.startswith(_FORMER) and read(comment) is None


def write(comment: str, note: str, mark: Mark) -> str:
    """The comment with our lines: in place of the former ones, otherwise after the text of others."""
    return placed("" if is_former(comment) else comment, note, str(mark), _MARK)


def placed(comment: str, note: str, mark: str, pattern: re.Pattern[str]) -> str:
    """A comment with a note and a mark: in place of what the pattern finds, otherwise after the text."""
    lines = f"predicat: {' '.join(note.split())}\n{mark}"
    match = pattern.search(comment)
    if match is not None:
        return comment[: match.start()] + lines + comment[match.end() :]
    return f"{comment}\n{lines}" if comment else lines


def digest(*parts: object) -> str:
    """A short hash of strings."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]
