"""Which filters a change can affect, and why a filter changed whose own text did not."""

import re
from collections.abc import Collection, Iterable, Mapping

from predicat.catalog.macros import VARIABLE, used
from predicat.catalog.templates import is_template
from predicat.ir.nodes import fields_of
from predicat.review.entries import Cause
from predicat.review.kinds import COLUMNS, Difference
from predicat.review.snapshot import Data, Snapshot

_WORD = re.compile(r"[A-Za-z0-9_]+")
_QUALIFIED = re.compile(r"\b[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*")
_MODE = "spark-ansi"
# Changes of a dataset that can change what its filters mean or read.
_BOUNDS = ("field-min", "field-max")
_CONTEXT = ("field", "field-type", "stored-type", "field-nulls", *_BOUNDS, *COLUMNS, "enum", _MODE)


def own_meaning(row: Data) -> object:
    """The parts of a filter's own definition that affect its meaning."""
    versions = {
        number: (
            version["text"],
            version["language"],
            version["on"],
            [(name, param["type"], param["default"]) for name, param in version["params"].items()],
        )
        for number, version in row["versions"].items()
    }
    return row["latest"], row["on_unknown"], versions


def may_differ(before: Snapshot, after: Snapshot, differences: Iterable[Difference]) -> list[str]:
    """The filters of both catalogs whose meaning may differ. It may include too many."""
    differences = list(differences)
    both = [name for name in after.filters if name in before.filters]
    edited = {name for name in both if own_meaning(before.filters[name]) != own_meaning(after.filters[name])}
    gone = before.filters.keys() ^ after.filters.keys()
    datasets = {item.path[1] for item in differences if item.kind.code in _CONTEXT}
    templates = {
        VARIABLE * (item.path[0] == "vars") + item.path[1]
        for item in differences
        if item.path[0] in ("vars", "macros")
    }
    lists = {item.path[3] for item in differences if item.kind.code == "list"}
    direct = {
        name
        for name in both
        if name in edited
        or (lists and _words(after, name) & lists)
        or name.partition(".")[0] in datasets
        or (templates and _uses(after, name) & templates)
    }
    wanted = {*direct, *gone, *(name for name in both if before.broken and name in before.broken)}
    if wanted:
        wanted |= _users(after, both, wanted)
    return [name for name in both if name in wanted]


def _users(side: Snapshot, names: Collection[str], wanted: Collection[str]) -> set[str]:
    """The filters whose text refers to one of some filters, directly or through others."""
    macro_words = {word for macro in side.macros.values() for word in _WORD.findall(macro.text)}
    mentions: dict[str, set[str]] = {}
    for name in names:
        dataset = name.partition(".")[0]
        words: set[str] = set()
        for version in side.filters[name]["versions"].values():
            words.update(_WORD.findall(version["text"]))
            for other in _QUALIFIED.findall(version["text"]):
                mentions.setdefault(other, set()).add(name)
            if is_template(version["text"]):
                words |= macro_words
        for word in words:
            mentions.setdefault(f"{dataset}.{word}", set()).add(name)
    reached: set[str] = set()
    pending = list(wanted)
    while pending:
        new = mentions.get(pending.pop(), set()) - reached
        reached |= new
        pending += new
    return reached


def _words(side: Snapshot, name: str) -> set[str]:
    """The words in the bodies of a filter."""
    versions = side.filters[name]["versions"].values()
    return {word for version in versions for word in _WORD.findall(version["text"])}


def _uses(side: Snapshot, name: str) -> set[str]:
    """The macros and variables that the bodies of a filter use."""
    texts = [version["text"] for version in side.filters[name]["versions"].values()]
    return set[str]().union(*(used(text, side.macros) for text in texts if is_template(text)))


def _in_spark(side: Snapshot, name: str) -> bool:
    """Whether a version of a filter is a spark condition."""
    return any(version["language"] == "spark" for version in side.filters[name]["versions"].values())


class Causes:
    """Why filters changed. `changed` has the first entry of each changed filter; `found` has the differences
    of the data.
    """

    def __init__(
        self,
        before: Snapshot,
        after: Snapshot,
        result: Iterable[tuple[Difference, Cause]],
        changed: Mapping[str, Cause],
    ) -> None:
        self.sides = before, after
        self.found = list(result)
        self.changed = changed
        self.texts = {
            VARIABLE * (item.path[0] == "vars") + item.path[1]: cause
            for item, cause in self.found
            if item.path[0] in ("vars", "macros")
        }
        self._known: dict[str, tuple[Cause, ...]] = {}

    def of(self, name: str) -> tuple[Cause, ...]:
        """The causes of a change of a filter; empty if its own text changed."""
        if name not in self._known:
            self._known[name] = ()  # what refers to itself is refused elsewhere
            self._known[name] = tuple(dict.fromkeys(self._of(name)))
        return self._known[name]

    def _of(self, name: str) -> Iterable[Cause]:
        before, after = self.sides
        if own_meaning(before.filters[name]) != own_meaning(after.filters[name]):
            return
        if self.texts:
            yield from (self.texts[key] for key in sorted(_uses(after, name) & self.texts.keys()))
        fields, references = self._reads(name)
        dataset = name.partition(".")[0]
        words = {
            word
            for version in after.filters[name]["versions"].values()
            for word in re.findall(r"[\w.]+", version["text"])
        }
        for item, cause in self.found:
            if item.kind.code == "list" and item.path[3] in _words(after, name):
                yield cause
            if item.kind.code == _MODE and item.path[1] == dataset and _in_spark(after, name):
                yield cause
            elif item.kind.code in _CONTEXT and item.path[1] == dataset:
                reads = item.path[3] in words if item.kind.code == "enum" else item.path[3] in fields
                if reads and item.kind.code not in COLUMNS:
                    yield cause
        for other in references:
            if other in self.changed and other != name:
                yield from self.of(other) or (self.changed[other],)

    def _reads(self, name: str) -> tuple[set[str], list[str]]:
        """The fields that a filter reads now or read before, and the filters that it refers to."""
        fields: set[str] = set()
        references: dict[str, None] = {}
        for side in self.sides:
            for number in side.filters[name]["versions"]:
                checked = side.check(name, int(number))
                if checked is not None:
                    fields |= fields_of(checked.node).keys()
                    references.update(dict.fromkeys(item.partition("@")[0] for item in checked.references))
        return fields, list(references)

    def readers(self, dataset: str, field: str) -> tuple[str, ...]:
        """The filters that read a field."""
        after = self.sides[1]
        own = [name for name in after.filters if name.startswith(f"{dataset}.")]
        return tuple(name for name in own if name in self.sides[0].filters and field in self._reads(name)[0])
