"""A review as one Markdown comment: first the verdict, then what needs attention, then collapsed details."""

from collections.abc import Sequence

from msgspec import Struct

from predicat.diagnostics.markdown import cell, code, fenced, plain
from predicat.diagnostics.wording import quantity
from predicat.review.comments import MARK
from predicat.review.entries import Entry, Review, join_names
from predicat.review.impact import Impact, of_topic, with_change
from predicat.review.kinds import READ
from predicat.review.topics import HEADS, Topic, of_unchanged, summaries, tally, topics

# Characters; a comment on GitHub holds 65,536.
MAX_COMMENT = 60_000
# Characters of a value in a table.
_MAX_CELL = 300
# Filters that are listed under their cause.
_MAX_UNDER = 100
_RESERVED = 300


class _Part(Struct):
    """A block of the comment: lines before and after entries. An entry is shown completely or not at all."""

    head: str
    rows: list[str]
    tail: str = ""
    left: int = 0

    def text(self) -> str:
        if not self.rows:
            return ""
        return self.head + "".join(self.rows) + self.tail


def markdown(review: Review, data: Impact) -> str:
    """The comment. If it has more than MAX_COMMENT characters, whole entries are left out, the least
    important first.
    """
    result = topics(review)
    first = [topic for topic in result if _in_first_table(topic)]
    others = [(topic, entry) for topic in result for entry in _outside_first_table(topic)]
    main, also = summaries(review)
    head = f"{MARK}\n{review.identity.mark()}\n### Filters: {main}\n\n"
    head += f"Also changed: {also}.\n\n" if also else ""
    head += "".join(f"- **{plain(line)}**\n" for line in review.demands()) + "\n" * bool(review.demands())
    if review.formatting_only:
        head += f"Formatting only (comments, order of keys, quoting) in {_codes(review.edited)}.\n\n"
    parts = [
        _Part(
            "| filter | what happens to its rows | for example |\n|---|---|---|\n",
            [_first_row(topic, data) for topic in first],
            "\n",
        ),
        _Part(
            "| also | what | before | after |\n|---|---|---|---|\n",
            [_other_row(topic, entry) for topic, entry in others],
            "\n",
        ),
        _Part("", [_details(topic, data) for topic in result if _has_details(topic)]),
    ]
    tail = (
        f"<sub>Compared with `{review.base[:40]}`; {of_unchanged(review.filters, review.unchanged)}.</sub>\n"
    )
    _fit(parts, MAX_COMMENT - len(head) - len(tail) - _RESERVED)
    return head + "".join(part.text() for part in parts) + _left_out(parts) + tail


def _fit(parts: Sequence[_Part], room: int) -> None:
    """Remove whole entries until the comment fits: first details, then the last rows of the tables."""
    size = sum(len(part.text()) for part in parts)
    for part in reversed(parts):
        while size > room and part.rows:
            size -= len(part.rows.pop())
            part.left += 1


def _left_out(parts: Sequence[_Part]) -> str:
    tables = sum(part.left for part in parts[:2])
    details = parts[-1].left
    if not tables and not details:
        return ""
    shown = [f"{tables:,} more changes"] * bool(tables) + [f"the details of {details:,} more"] * bool(details)
    return f"... and {' and '.join(shown)}: `predicat diff` shows them.\n\n"


# --- tables


def _in_first_table(topic: Topic) -> bool:
    """Whether a topic is in the first table: it is about rows, or changes filters."""
    return (
        topic.head.kind in HEADS
        or topic.head.changes_rows
        or topic.head.proof is not None
        or bool(topic.under)
    )


def _outside_first_table(topic: Topic) -> list[Entry]:
    """The entries of a topic that the first table does not show; versions with a proof are in the details."""
    left = topic.entries[1:] if _in_first_table(topic) else topic.entries
    return [entry for entry in left if entry.kind != "version" or entry.proof is None]


def _first_row(topic: Topic, data: Impact) -> str:
    what = f"**{plain(topic.title)}**"
    if topic.head.kind in ("filter-renamed", "dataset-renamed"):
        what += f"<br>it was `{topic.head.before}`"
    what += _counted(topic, data)
    if topic.under:
        other = "other " if topic.subject == "filter" else ""
        what += f"<br>changes {quantity(len(topic.under), f'{other}filter')}: {tally(topic.under)}"
    return f"| {_name(topic)} | {what} | {_examples(topic) or _values(topic.head) or ' '} |\n"


def _examples(topic: Topic) -> str:
    for entry in (*topic.entries, *(entry for other in topic.under for entry in other.entries)):
        if entry.proof is not None and entry.proof.rows():
            return "<br>".join(dict.fromkeys(f"{what}: {_cell(row)}" for what, row, _ in entry.proof.rows()))
    return ""


def _values(entry: Entry) -> str:
    if entry.kind in ("filter-renamed", "dataset-renamed") or not entry.values:
        return ""
    return " → ".join(_cell(value) for value in (entry.before, entry.after) if value is not None)


def _other_row(topic: Topic, entry: Entry) -> str:
    before, after = (_cell(value) if value else " " for value in (entry.before, entry.after))
    if topic.diff(entry):
        before = after = "see below"
    return f"| {_name(topic)} | {plain(entry.title)} | {before} | {after} |\n"


def _name(topic: Topic) -> str:
    return f"`{topic.name}`" if topic.subject in ("filter", "catalog") else f"{topic.subject} `{topic.name}`"


# --- details


def _has_details(topic: Topic) -> bool:
    return _in_first_table(topic) or any(topic.diff(entry) for entry in topic.entries)


def _details(topic: Topic, data: Impact) -> str:
    name = f"<code>{plain(topic.name)}</code>"
    label = name if topic.subject in ("filter", "catalog") else f"{topic.subject} {name}"
    lines = ["<details>", f"<summary>{label}: {plain(topic.title)}</summary>", ""]
    for entry in topic.new_entries:
        lines += _entry(entry, topic, data)
    if (counts := of_topic(topic, data)) is not None:
        lines += [f"- {plain(line.strip())}" for line in counts.lines()]
    for entry in topic.entries:
        lines += [
            f"- affects {kind}: {_users(kind, names, data)}" for kind, names in topic.users(entry).items()
        ]
    lines += [f"- {plain(line)}" for line in topic.severity + topic.demands]
    lines += [f"- owners: {_codes(topic.owners)}"] if topic.owners else []
    if topic.under:
        lines += ["", "| changed by it | rows | for example |", "|---|---|---|"]
        lines += [_under(other, data) for other in topic.under[:_MAX_UNDER]]
        if len(topic.under) > _MAX_UNDER:
            lines += ["", f"... and {len(topic.under) - _MAX_UNDER:,} more."]
    return "\n".join((*lines, "", "</details>", "", ""))


def _under(topic: Topic, data: Impact) -> str:
    what = plain(topic.title) + _counted(topic, data) + "".join(f"<br>{plain(x)}" for x in topic.demands)
    return f"| `{topic.name}` | {what} | {_examples(topic) or ' '} |"


def _users(kind: str, names: Sequence[str], data: Impact) -> str:
    return join_names([with_change(kind, name, f"`{name}`", data) for name in names], 30)


def _counted(topic: Topic, data: Impact) -> str:
    counts = of_topic(topic, data)
    return f"<br>{plain(counts.short())}" if counts is not None else ""


def _entry(entry: Entry, topic: Topic, data: Impact) -> list[str]:
    lines: list[str] = []
    if entry.kind == "version" and entry.proof is not None:
        same = entry.proof == topic.head.proof
        lines += ["", f"{entry.part.capitalize()}:" if same else f"{plain(entry.title).capitalize()}:"]
        lines += [f"- {plain(note)}" for note in entry.notes]
        lines += [] if same else [f"- {what}: {code(row)}" for what, _, row in entry.proof.rows()]
        if not topic.diff(entry):
            lines += ["", "its text is the same; something that it uses changed"]
    else:
        first, *rest = entry.lines()
        lines += [f"- {plain(line)}" for line in ([] if first == topic.title else [first]) + rest]
        if entry.proof is not None:
            lines += [f"- {what}: {code(row)}" for what, _, row in entry.proof.rows()]
    if entry.kind in READ and entry.under:
        lines.append(f"- read by {_users('filters', entry.under, data)}")
    return lines + _fenced(topic.diff(entry))


def _fenced(diff: Sequence[str]) -> list[str]:
    return ["", fenced("\n".join(diff), "diff"), ""] if diff else []


# --- text that is no Markdown


def _codes(names: Sequence[str], most: int = 12) -> str:
    return join_names([f"`{name}`" for name in names], most)


def _cell(shown: str) -> str:
    """A value in a table; a long one is only in the details."""
    return cell(shown) if len(shown) <= _MAX_CELL else "see below"
