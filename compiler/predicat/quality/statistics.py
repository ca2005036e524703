"""Intervals and indices for shares of rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

# The two-sided 95 % point of the normal distribution.
_Z95 = 1.959963984540054


def wilson(count: int, total: int, z: float = _Z95) -> tuple[float, float]:
    """The interval that holds the true share, given `count` of `total` rows. Source: E. B. Wilson, 1927."""
    if total <= 0:
        return 0.0, 1.0
    share = count / total
    center = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z / (1 + z * z / total) * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return max(0.0, center - half), min(1.0, center + half)


def next_share(count: int, total: int, rows: int, points: float, extra: float = 1.0) -> tuple[float, float]:
    """The interval of the share in other `rows` rows, given `count` of `total` rows before.

    It is symmetric on the scale on which shares vary alike, so that it is right for few rows near 0 % and
    100 %, too. Source: F. J. Anscombe, The transformation of Poisson, binomial and negative-binomial data,
    1948.

    Args:
        count: The accepted rows.
        total: The rows.
        rows: The rows to come.
        points: The standard deviations to each side (`normal_point`, `t_point`).
        extra: The variance as a multiple of that of chance.
    """
    center = math.asin(math.sqrt((count + 0.375) / (total + 0.75)))
    half = points * math.sqrt(extra * (1 / total + 1 / rows)) / 2
    low, high = (
        math.sin(min(max(angle, 0.0), math.pi / 2)) ** 2 * (rows + 0.75) - 0.375
        for angle in (center - half, center + half)
    )
    return max(math.floor(low), 0) / rows, min(math.ceil(high), rows) / rows


def normal_point(confidence: float) -> float:
    """How many standard deviations on both sides of the mean hold this share of the normal distribution."""
    return NormalDist().inv_cdf((1 + confidence) / 2)


def t_point(confidence: float, freedom: int) -> float:
    """The same point of Student's distribution with at least 5 degrees of freedom, within 4 % for a
    confidence of 99.99 %.

    Source: M. Abramowitz and I. Stegun, Handbook of Mathematical Functions, 26.7.5.
    """
    z = normal_point(confidence)
    return (
        z
        + (z**3 + z) / (4 * freedom)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    )


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
