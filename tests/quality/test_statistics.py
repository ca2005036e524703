"""Intervals and indices against figures that are known."""

import numpy as np
import pytest

from predicat.quality.statistics import drifted, next_share, normal_point, psi, t_point, wilson


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


@pytest.mark.parametrize(("freedom", "point"), [(7, 5.408), (10, 4.587), (30, 3.646), (10**6, 3.291)])
def test_points_of_the_distribution_of_student(freedom: int, point: float) -> None:
    assert t_point(0.999, freedom) == pytest.approx(point, rel=0.01)  # the printed tables of 99.9 %
    assert normal_point(0.999) == pytest.approx(3.2905, abs=1e-4)


@pytest.mark.parametrize("share", [0.0, 0.0005, 0.003, 0.05, 0.5, 0.97, 0.9995, 1.0])
@pytest.mark.parametrize(("total", "rows"), [(2000, 2000), (56_000, 2000), (500, 5000)])
def test_the_next_share_is_in_its_interval(share: float, total: int, rows: int) -> None:
    rng = np.random.default_rng(7)
    before, after = rng.binomial(total, share, 4000), rng.binomial(rows, share, 4000)
    intervals = [next_share(int(count), total, rows, normal_point(0.99)) for count in before]
    outside = sum(
        not low <= count / rows <= high for (low, high), count in zip(intervals, after, strict=True)
    )
    assert outside <= 4000 * 0.013
    if share in (0.0, 1.0):
        assert max(high - low for low, high in intervals) < 20 / min(total, rows)
