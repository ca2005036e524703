"""A review as plain text."""

from collections.abc import Iterator

from predicat.diagnostics.wording import quantity
from predicat.review.entries import Entry, Review, join_names
from predicat.review.impact import Impact, of_topic, with_change
from predicat.review.kinds import READ
from predicat.review.topics import Topic, of_unchanged, summary, tally, topics


def text(review: Review, data: Impact) -> str:
    """The review for a terminal."""
    lines = [
        f"compared with {review.base}: {summary(review)}; {of_unchanged(review.filters, review.unchanged)}",
    ]
    if review.formatting_only:
        lines += ["", f"comments, order of keys or quoting changed in {join_names(review.edited)}"]
    lines += ["", *demands] if (demands := review.demands()) else []
    every = topics(review)
    recorded = [topic for topic in every if _is_recorded(topic)]
    new = [topic for topic in every if _is_new(topic, data)]
    # A single one is shown with its details.
    brief = [topic for topics_ in (recorded, new) if len(topics_) > 1 for topic in topics_]
    for topic in every:
        if topic not in brief:
            lines += ["", *_topic(topic, data)]
    if len(recorded) > 1:
        lines += ["", f"{recorded[0].title}: {join_names([topic.name for topic in recorded])}"]
    if len(new) > 1:
        lines += ["", *map(_with_filters, new)]
    return "\n".join(lines) + "\n"


def _is_new(topic: Topic, data: Impact) -> bool:
    """Whether a dataset is added with its filters, and nobody must look at one of them."""
    parts = (topic, *topic.under)
    added = topic.subject == "dataset" and all(part.head.status == "added" for part in parts)
    told = topic.severity or topic.owners or any(part.demands or of_topic(part, data) for part in parts)
    return added and not told


def _with_filters(topic: Topic) -> str:
    """A new dataset with its filters, in one line."""
    names = [other.name.removeprefix(f"{topic.name}.") for other in topic.under]
    return f"{topic.label}: {topic.title}, with {quantity(len(names), 'filter')}: {join_names(names)}"


def _is_recorded(topic: Topic) -> bool:
    """Whether the change is a version that a release has recorded in the lock."""
    return topic.subject == "lock" and topic.head.status == "added"


def _topic(topic: Topic, data: Impact) -> Iterator[str]:
    place = f"  ({topic.head.place})" if topic.head.place.line else ""
    yield f"{topic.label}: {topic.title}{place}"
    for entry in topic.new_entries:
        yield from (f"  {line}" for line in _entry(entry, topic, data))
    if (counts := of_topic(topic, data)) is not None:
        yield from (f"  {line}" for line in counts.lines())
    for entry in topic.entries:
        yield from (
            f"  affects {kind}: {join_names([with_change(kind, name, name, data) for name in names])}"
            for kind, names in topic.users(entry).items()
        )
    yield from (f"  {line}" for line in topic.severity + topic.demands)
    if topic.owners:
        yield f"  owners: {join_names(topic.owners)}"
    if topic.under:
        yield f"  {quantity(len(topic.under), 'filter')} changed by it: {tally(topic.under)}"
        for other in topic.under:
            example = next(
                (
                    f"; {what} {row}"
                    for entry in other.entries
                    if entry.proof
                    for what, row, _ in entry.proof.rows()
                ),
                "",
            )
            counts = of_topic(other, data)
            counted = f"; {counts.short()}" if counts is not None else ""
            told = "".join(f"; {line}" for line in other.demands)
            yield f"    {other.name}: {other.title}{counted}{told}{example}"


def _entry(entry: Entry, topic: Topic, data: Impact) -> Iterator[str]:
    """The lines of an entry that do not repeat the title of its topic."""
    if entry.kind == "version" and entry.proof is not None:
        same = entry.proof == topic.head.proof
        yield f"{entry.part}:" if same else entry.title
        yield from entry.notes
        if not same:
            yield from (f"  {what}: {row}" for what, _, row in entry.proof.rows())
    else:
        first, *rest = entry.lines()
        if first != topic.title:
            yield first
        yield from rest
        if entry.proof is not None:
            yield from (f"{what}: {row}" for what, _, row in entry.proof.rows())
    yield from (f"  {line}" for line in topic.diff(entry))
    if entry.kind in READ and entry.under:
        yield f"  read by {join_names([with_change('filters', name, name, data) for name in entry.under])}"
