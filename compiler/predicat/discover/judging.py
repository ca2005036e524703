"""Judges conditions and compares them: each distinct one once, in several processes, with a cache."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TypeVar

from predicat.discover.conditions import Condition
from predicat.discover.examine import Examined, examine
from predicat.discover.kept import Kept
from predicat.discover.typed import item_of
from predicat.discover.verdicts import Judged, Judgement

Progress = Callable[[int, int], None]
"""Is told how many of how many questions are answered."""
Q = TypeVar("Q")
A = TypeVar("A")
_AT_ONCE = 8
"""Conditions that a process takes at a time."""


def judge(
    conditions: Sequence[Condition],
    *,
    jobs: int = 1,
    cache: Path | None = None,
    progress: Progress | None = None,
) -> Judged:
    """Judge conditions. Needs the extra `review` (the solver Z3).

    A claim is made only where it is proved for every type that the fields may have, as far as these are not
    known. A condition is silently left alone where there is no proof within the time limit.

    Args:
        conditions: The conditions.
        jobs: How many processes.
        cache: The folder that keeps what was found, such as `kept.folder()`; None keeps nothing.
        progress: Is called with the number of answered questions, and of all.

    Returns:
        What is found. Its numbers are those of the conditions.
    """
    kept = Kept(cache)
    items = [
        item_of(condition, before) for condition, before in zip(conditions, earlier(conditions), strict=True)
    ]
    examined = kept.answers("examine", list(dict.fromkeys(items)), Examined, _run(examine, jobs, progress))
    judgements: list[Judgement] = []
    unjudged: dict[int, str] = {}
    for number, item in enumerate(items):
        outcome = examined[item]
        if outcome.reason:
            unjudged[number] = outcome.reason
        judgements += [
            Judgement(
                number,
                found.kind,
                found.message,
                found.part,
                found.hint,
                found.row,
                found.outcome,
                outcome.inferred,
            )
            for found in outcome.found
        ]
    undecided = sum(outcome.undecided for outcome in examined.values())
    return Judged(tuple(judgements), (), (), unjudged, undecided)


def earlier(conditions: Sequence[Condition]) -> Iterator[tuple[str, ...]]:
    """For each condition the conditions of the branches of its CASE that come before it."""
    cases: dict[tuple[str, int], list[tuple[int, str]]] = {}
    for condition in conditions:
        if condition.branches is not None:
            start, number = condition.branches
            cases.setdefault((condition.place.path, start), []).append(
                (number, condition.sql or condition.text)
            )
    for condition in conditions:
        if condition.branches is None:
            yield ()
        else:
            start, number = condition.branches
            before = sorted(cases[condition.place.path, start])
            yield tuple(text for at, text in before if at < number)


def _run(
    function: Callable[[Q], A], jobs: int, progress: Progress | None
) -> Callable[[Sequence[Q]], Iterator[A]]:
    """Answers questions in their order, in several processes."""

    def answers(questions: Sequence[Q]) -> Iterator[A]:
        for done, answer in enumerate(_mapped(function, questions, jobs), 1):
            if progress is not None:
                progress(done, len(questions))
            yield answer

    return answers


def _mapped(function: Callable[[Q], A], questions: Sequence[Q], jobs: int) -> Iterable[A]:
    if jobs < 2 or len(questions) < 2 * _AT_ONCE:
        yield from map(function, questions)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(function, questions, chunksize=_AT_ONCE)
