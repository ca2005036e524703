"""What the data says of each change: counts, those of the filters that it changes, or a reason."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from predicat.diagnostics.messages import review as say
from predicat.diagnostics.wording import quantity
from predicat.review.counts import Counts
from predicat.review.entries import Review
from predicat.review.questions import touched
from predicat.review.topics import Topic, topics


class Together(Struct, frozen=True):
    """The counts of the filters that a change affects, added: a row that two of them gain counts twice."""

    filters: int
    gained: int
    lost: int
    reason: str = ""

    @property
    def change(self) -> str:
        """`+12 -3`."""
        return f"+{self.gained:,} -{self.lost:,}"

    def short(self) -> str:
        """`+12 -3 in 2 filters together`."""
        together = " together" if self.filters > 1 else ""
        return f"{self.change} in {quantity(self.filters, 'filter')}{together}"

    def lines(self) -> list[str]:
        """The same as text."""
        return [f"data: {self.short()}"]

    def data(self) -> dict[str, Any]:
        """The figures as JSON."""
        return {"filters": self.filters, "gained": self.gained, "lost": self.lost}


# By `Topic.label`; `group orders.kinds` and so on for what uses a changed filter.
Impact = Mapping[str, Counts | Together]


def impact(review: Review, counts: Mapping[str, Counts]) -> Impact:
    """The counts, with those of everything else that changed: each topic has figures or a reason."""
    result: dict[str, Counts | Together] = dict(counts)
    asked = set(touched(review))
    for topic in topics(review):
        for one in (*topic.under, topic):
            if one.label not in result:
                result[one.label] = _of(one, asked, result)
    return result


def _of(topic: Topic, asked: set[str], known: Impact) -> Counts | Together:
    found = [counts for other in topic.under if isinstance(counts := known[other.label], Counts)]
    names = {name for entry in topic.entries for name in entry.under} - {other.name for other in topic.under}
    found += [one for name in sorted(names) if isinstance(one := known.get(name), Counts)]
    figures = [(one.gained, one.lost) for one in found if not one.reason]
    if figures:
        return Together(
            len(figures), sum(gained or 0 for gained, _ in figures), sum(lost or 0 for _, lost in figures)
        )
    if found:
        return found[0]
    if topic.subject == "filter" and topic.name in asked:
        return Counts(reason=say.not_in_data(topic.name.partition(".")[0]))
    proof = next((entry.proof for entry in topic.entries if entry.proof is not None), None)
    return Counts(reason=say.NO_ROWS_PROVED if proof is not None else say.NO_ROWS)


def of_topic(topic: Topic, data: Impact) -> Counts | Together | None:
    """What people see of the data about a topic: reasons only where rows may change. None without data."""
    counts = data.get(topic.label)
    matters = any(entry.changes_rows for entry in topic.entries)
    return counts if counts is not None and (matters or not counts.reason) else None


def with_change(kind: str, name: str, shown: str, data: Impact) -> str:
    """What uses a changed filter, `orders.kinds (+12 -3)`; `kind` is one of `Entry.users`."""
    counts = data.get(name if kind == "filters" else f"{kind.removesuffix('s')} {name}")
    return shown if counts is None or counts.reason else f"{shown} ({counts.change})"
