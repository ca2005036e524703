"""Answers to many questions by several processes, in the order of the questions."""

from __future__ import annotations

import gc
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

Q = TypeVar("Q")
A = TypeVar("A")
# Questions that a process takes at a time.
AT_ONCE = 8
# What is asked ahead, for each process: answers that wait for an earlier one need memory.
_AHEAD = 3


def mapped(
    function: Callable[[Q], A], questions: Sequence[Q], jobs: int, lost: Callable[[Q], A] | None = None
) -> Iterator[A]:
    """The answers of a function, by this process if there are few questions.

    Args:
        function: It is given to each process once.
        questions: What it is asked.
        jobs: How many processes.
        lost: The answer to a question whose process ends without one, such as by the system for its memory.
            Default: BrokenProcessPool is raised.
    """
    if jobs < 2 or len(questions) < 2 * AT_ONCE:
        yield from map(function, questions)
        return
    parts = [questions[at : at + AT_ONCE] for at in range(0, len(questions), AT_ONCE)]
    while parts:
        try:
            for answers in _ahead(function, parts, jobs):
                del parts[0]
                yield from answers
        except BrokenProcessPool:
            # One of the parts that were asked did it, not always the first one: those are told apart here.
            yield from _alone(function, parts.pop(0), lost)


def _ahead(function: Callable[[Q], A], parts: Sequence[Sequence[Q]], jobs: int) -> Iterator[list[A]]:
    """The answers to parts in their order, of which a few are asked ahead."""
    pending: deque[Future[list[Any]]] = deque()
    pool = _pool(function, jobs)
    try:
        for part in list(parts):
            pending.append(pool.submit(_answers, part))
            if len(pending) >= jobs * _AHEAD:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _alone(function: Callable[[Q], A], questions: Sequence[Q], lost: Callable[[Q], A] | None) -> Iterator[A]:
    """The answers to questions of which one may end its process."""
    for question in questions:
        try:
            with _pool(function, 1) as pool:
                answer = pool.submit(_answers, [question]).result()[0]
        except BrokenProcessPool:
            if lost is None:
                raise
            answer = lost(question)
        yield answer


def _pool(function: Callable[[Any], Any], jobs: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(jobs, initializer=_begin, initargs=(function, gc.get_threshold()))


# What a process is asked for.
_function: list[Callable[[Any], Any]] = []


def _begin(function: Callable[[Any], Any], threshold: tuple[int, int, int]) -> None:
    """Begins a process: Ctrl-C is for the one that collects the answers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(*threshold)
    gc.freeze()  # what is there stays
    _function[:] = [function]


def _answers(questions: Sequence[Any]) -> list[Any]:
    return list(map(_function[0], questions))
