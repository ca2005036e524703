"""Intervals and indices against figures that are known."""

import pytest

from predicat.quality.statistics import drifted, psi, wilson


def test_wilson() -> None:
    low, high = wilson(10, 100)
    assert (round(low, 4), round(high, 4)) == (
        0.0552,
        0.1744,
    )  # Newcombe 1998 gives such an interval for 10 of 100
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(0, 50)[0] == 0.0
    assert wilson(50, 50)[1] == 1.0


def test_psi() -> None:
    assert psi((10, 90), (10, 90)) == 0
    assert psi((50, 50), (80, 20)) == pytest.approx(0.4159, abs=1e-4)
    assert psi((100, 0), (100, 0)) == 0
    assert psi((0, 0), (1, 1)) == 0


@pytest.mark.parametrize(
    ("before", "after", "least", "moved"),
    [
        ((100, 1000), (200, 1000), 0.05, True),
        ((100, 1000), (200, 1000), 0.2, False),  # too small a change
        ((1, 10), (3, 10), 0.05, False),  # the intervals meet
        ((0, 0), (3, 10), 0.05, False),
    ],
)
def test_drift(before: tuple[int, int], after: tuple[int, int], least: float, moved: bool) -> None:
    assert drifted(before, after, least) is moved
