"""Limits of proofs, counted in work and not in time: the same question has the same answer on every machine,
at any load.
"""

from __future__ import annotations

# The steps of an effort of 1: about a second on a machine of 2024. Z3 counts its own steps (`rlimit`).
STEPS = 1_500_000
# The steps of a comparison before it asks the solver.
QUESTION = 2_000
# The steps of the formula of one node.
FORMULA = 100
# The steps that a state of the languages of a text counts for. Z3 does not count those.
STATE = 5


class Work:
    """What is left to do for a question. It may be a part of the work for several questions."""

    def __init__(self, effort: float, whole: Work | None = None) -> None:
        self.whole = whole
        self.left = effort * STEPS

    def spend(self, steps: int) -> None:
        """Count steps that were made."""
        self.left -= steps
        if self.whole is not None:
            self.whole.spend(steps)

    @property
    def is_done(self) -> bool:
        """Whether no step is left."""
        return self.left <= 0

    def part(self, most: float, least: float = 0.01) -> Work:
        """Work for one of several questions: an effort of at most `most`, and of `least` even if nothing is
        left.
        """
        return Work(max(min(most, self.left / STEPS), least), self)


def work_of(effort: float | Work) -> Work:
    """Work as callers give it: an effort, or a part of the work for several questions."""
    return effort if isinstance(effort, Work) else Work(effort)
