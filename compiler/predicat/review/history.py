"""What the last commits changed in each filter, with proofs: for the pages of the site."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

from msgspec import Struct

from predicat.diagnostics import PredicatError
from predicat.forge import git
from predicat.review.changes import review
from predicat.review.sides import between, parts_of
from predicat.review.topics import Topic, topics


class Change(Struct, frozen=True):
    """A commit that changed a filter, or what it reads.

    Attributes:
        commit: Its hash, shortened.
        day: When it was made, as `2026-01-31`.
        subject: The first line of its message.
        title: What happened, in a few words: `wider`, `description changed`.
        lines: More about it in sentences, such as what was proved about the rows.
        rows: Example rows: what each shows, and the row with its outcomes.
    """

    commit: str
    day: str
    subject: str
    title: str
    lines: tuple[str, ...]
    rows: tuple[tuple[str, str], ...]


def last_changes(
    folder: Path, variables: Mapping[str, str], most: int = 10, effort: float = 1.0
) -> dict[str, list[Change]]:
    """The changes of each filter in the last commits of a catalog, the newest first.

    Args:
        folder: The catalog folder.
        variables: Values of Jinja variables.
        most: How many commits are looked at.
        effort: That of `compare` for each pair of predicates.

    Returns:
        The changes by the names of filters. None outside of a repository, nor of what is not committed.
    """
    if most < 1 or not git.inside(folder) or not git.head_of(folder):
        return {}
    result: dict[str, list[Change]] = {}
    root = git.repository(folder)
    own = folder.resolve().relative_to(root.resolve())
    commits = git.log(root, parts_of(own), most + 1)
    if len(commits) <= most and git.shallow(root) is None:
        commits.append(git.NOTHING)  # the first commit of all
    for after, before in pairwise(commits):
        try:
            with between(root, before.hash, after.hash, own, variables) as sides:
                found = topics(review(sides.before, sides.after, before.hash, effort=effort))
        except PredicatError:
            continue  # a catalog that could not be read then
        for topic in _of_filters(found):
            result.setdefault(topic.name, []).append(_change(topic, after))
    return result


def _of_filters(found: list[Topic]) -> Iterator[Topic]:
    """The filters that changed, each once, with those that changed because of another topic."""
    every = [*found, *(under for topic in found for under in topic.under)]
    yield from {topic.name: topic for topic in every if topic.subject == "filter"}.values()


def _change(topic: Topic, commit: git.Commit) -> Change:
    head = topic.head
    proof = head.proof if head.kind == "rows" else None
    causes = [cause.text for cause in head.causes] if head.kind != "filter" else []
    return Change(
        commit.hash[:12],
        commit.day,
        commit.subject,
        topic.title,
        (
            *(proof.lines() if proof is not None else ()),
            *([f"because of {', '.join(causes)}"] if causes else ()),
        ),
        tuple((what, shown) for what, _, shown in proof.rows()) if proof is not None else (),
    )
