"""The entries of a review grouped by object, the most important first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from predicat.catalog.review_rules import SEVERITIES
from predicat.diagnostics.wording import quantity
from predicat.review.entries import Cause, Entry, Judged, Review
from predicat.review.kinds import KINDS, ROWS

# Kinds that say what happens to the rows of a thing.
HEADS = ("rows", "filter", "filter-renamed", "dataset-renamed", "not-compared")
# Changes that the title of a topic names.
_MOST_TITLES = 3


class Topic(Struct, frozen=True):
    """All changes of one object: a filter, a dataset, a macro. `under` has the topics of filters that changed
    because of it.
    """

    subject: str
    name: str
    entries: tuple[Entry, ...]
    under: tuple[Topic, ...] = ()

    @property
    def head(self) -> Entry:
        """The most important entry."""
        return self.entries[0]

    @property
    def label(self) -> str:
        """`orders.large`, `macro late`: a name, and what it is the name of."""
        return self.name if self.subject in ("filter", "catalog") else f"{self.subject} {self.name}"

    @property
    def title(self) -> str:
        """What happened, in a few words."""
        if self.head.kind in HEADS:
            return self.head.title
        titles = list(dict.fromkeys(entry.title for entry in self.entries))
        more = f" and {len(titles) - _MOST_TITLES} more" if len(titles) > _MOST_TITLES else ""
        return ", ".join(titles[:_MOST_TITLES]) + more

    def diff(self, entry: Entry) -> list[str]:
        """The lines of an entry that differ, unless another entry has them."""
        texts = entry.before, entry.after
        again = entry.kind == "rows" and any(
            other.kind == "version" and (other.before, other.after) == texts for other in self.entries
        )
        return [] if again else entry.diff()

    @property
    def new_entries(self) -> tuple[Entry, ...]:
        """The entries with new information: not a version with the verdict of the name and no other text."""
        return tuple(
            entry
            for entry in self.entries
            if entry.kind != "version"
            or entry.proof is None
            or entry.proof != self.head.proof
            or entry.notes
            or self.diff(entry)
            or entry.causes
        )

    def users(self, entry: Entry) -> dict[str, tuple[str, ...]]:
        """The users of a filter, without the filters that are listed as changed by it."""
        listed = {other.name for other in self.under}
        return {
            kind: names
            for kind, names in entry.users.items()
            if kind != "filters" or not listed.issuperset(names)
        }

    @property
    def judged(self) -> list[Judged]:
        """What is said of its entries."""
        return [entry.judged for entry in self.entries if entry.judged is not None]

    @property
    def severity(self) -> list[str]:
        """Its severity with the rule, in one sentence; none where nobody relies on what changed."""
        worst = min(self.judged, key=lambda one: SEVERITIES.index(one.severity), default=None)
        if worst is None or worst.severity == SEVERITIES[-1]:
            return []
        return [f"severity: {worst.severity} ({worst.rule.code})"]

    @property
    def demands(self) -> list[str]:
        """The approvals that it needs, and its waivers, in sentences."""
        return list(dict.fromkeys(line for one in self.judged for line in one.lines()))

    @property
    def owners(self) -> tuple[str, ...]:
        """Those who must look at it."""
        return tuple(dict.fromkeys(owner for entry in self.entries for owner in entry.owners))

    @property
    def caused(self) -> bool:
        """Whether all of its changes have other causes."""
        return all(entry.causes for entry in self.entries)


def topics(review: Review) -> list[Topic]:
    """The topics, the most important first. A filter that changed because of another topic is under it."""
    grouped: dict[tuple[str, str], list[Entry]] = {}
    for entry in review.entries:
        grouped.setdefault((entry.subject, entry.name), []).append(entry)
    single = {key: Topic(*key, tuple(entries)) for key, entries in grouped.items()}
    shown = {entry.cause for topic in single.values() if not topic.caused for entry in topic.entries}
    hidden: dict[Cause, dict[str, Topic]] = {}
    top: list[Topic] = []
    for topic in single.values():
        causes = [cause for entry in topic.entries for cause in entry.causes if cause in shown]
        for cause in causes:
            hidden.setdefault(cause, {})[topic.name] = topic
        if not causes or not topic.caused:
            top.append(topic)
    return [
        Topic(
            topic.subject,
            topic.name,
            topic.entries,
            tuple(
                {
                    other.name: other
                    for entry in topic.entries
                    for other in hidden.get(entry.cause, {}).values()
                }.values()
            ),
        )
        for topic in top
    ]


def summary(review: Review) -> str:
    """A review in one line, the effect on rows first."""
    return "; also ".join(part for part in summaries(review) if part)


def of_unchanged(filters: int, unchanged: int) -> str:
    """How many filters are as they were."""
    every = quantity(filters, "filter")
    if not unchanged:
        return f"{every} changed"
    return f"{every if filters == 1 else f'{unchanged:,} of {every}'} unchanged"


def summaries(review: Review) -> tuple[str, str]:
    """The effect on rows in one line, and the other changes in another."""
    if review.formatting_only:
        return "formatting only, no filter differs", ""
    decided = {entry.name for entry in review.entries if entry.kind in ("rows", "filter-renamed")}
    heads: Counter[str] = Counter()
    others: Counter[str] = Counter()
    for entry in review.entries:
        if entry.kind in HEADS:
            heads[entry.short] += 1
        elif entry.kind == "version" and entry.name in decided:
            continue
        elif entry.level == ROWS:
            heads[f"{entry.row.code.replace('-', ' ')} {entry.status}"] += 1
        else:
            others[entry.row.code.replace("-", " ")] += 1
    return _listed(heads) or ("no rows change" if review.entries else "no filter differs"), _listed(others)


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {_plural(what) if count > 1 else what}" for what, count in counts.items())


_NOUNS = frozenset(code.replace("-", " ") for code in KINDS if code not in ("rows", "not-compared"))


def _plural(what: str) -> str:
    """`relations changed` and `tests`; other texts, such as `wider`, stay the same."""
    noun, _, status = what.rpartition(" ")
    if noun in _NOUNS and status in ("added", "removed", "changed"):
        return f"{_plural(noun)} {status}"
    if what not in _NOUNS or what.endswith("s"):
        return what
    return f"{what[:-1]}ies" if what.endswith("cy") else f"{what}s"


def tally(topics: Sequence[Topic]) -> str:
    """The number of topics by title: `10 wider, 2 equivalent`."""
    return _listed(Counter(topic.head.short if topic.head.kind in HEADS else topic.title for topic in topics))
