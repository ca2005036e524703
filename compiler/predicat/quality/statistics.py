"""Intervals and indices for shares of rows."""

from __future__ import annotations

import math
from collections.abc import Sequence

Z95 = 1.959963984540054
"""The two-sided 95 % point of the normal distribution."""


def wilson(count: int, total: int, z: float = Z95) -> tuple[float, float]:
    """The interval that holds the true share, given `count` of `total` rows. Source: E. B. Wilson, 1927."""
    if total <= 0:
        return 0.0, 1.0
    share = count / total
    center = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z / (1 + z * z / total) * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return max(0.0, center - half), min(1.0, center + half)


def psi(before: Sequence[int], after: Sequence[int]) -> float:
    """The population stability index of two counts by class; an empty class counts as half a row. Below 0.1
    is calm, above 0.25 is not.
    """
    total_before, total_after = sum(before), sum(after)
    if not total_before or not total_after:
        return 0.0
    index = 0.0
    for one, other in zip(before, after, strict=True):
        a, b = max(one, 0.5) / total_before, max(other, 0.5) / total_after
        index += (b - a) * math.log(b / a)
    return index


def drifted(before: tuple[int, int], after: tuple[int, int], least: float) -> bool:
    """Whether a share moved by at least `least`, and its two intervals do not meet. Pairs are (count,
    total).
    """
    if not before[1] or not after[1]:
        return False
    moved = abs(before[0] / before[1] - after[0] / after[1])
    low, high = wilson(*before)
    other_low, other_high = wilson(*after)
    return moved >= least and (other_low > high or other_high < low)
