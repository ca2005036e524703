"""Generated years of daily counts, clean and with shifts."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any, NamedTuple

import numpy as np

from predicat.quality.forecast import Day

FIRST = date(2025, 1, 1)
SHIFT = 0.05
# Days without work, in Germany and elsewhere; some are two in a row.
HOLIDAYS = {
    date(2025, 1, 1),
    date(2025, 4, 18),
    date(2025, 4, 21),
    date(2025, 5, 1),
    date(2025, 5, 29),
    date(2025, 6, 9),
    date(2025, 10, 3),
    date(2025, 12, 25),
    date(2025, 12, 26),
    date(2026, 1, 1),
}
Array = np.ndarray[Any, Any]


class Year(NamedTuple):
    """Rows that are TRUE, FALSE and UNKNOWN on each day, as an array of shape (days, 3)."""

    counts: Array

    def days(self, key: str) -> list[Day]:
        """The days as the history has them: of `accepted`, `unknown` or `rows`."""
        rows = self.counts.sum(axis=1)
        counted = rows if key == "rows" else self.counts[:, {"accepted": 0, "unknown": 2}[key]]
        dates = [FIRST + timedelta(days=place) for place in range(len(rows))]
        return [
            Day(day, str(day), int(count), int(total))
            for day, count, total in zip(dates, counted, rows, strict=True)
        ]


def clean(seed: int, days: int = 365) -> Year:
    """A clean year: fewer rows and another share at the weekend and on holidays, a trend of both, a
    share that varies by more than chance, and a number of rows that varies by about one percent.
    """
    rng = np.random.default_rng(seed)
    dates = [FIRST + timedelta(days=place) for place in range(days)]
    weekday = np.array([6 if day in HOLIDAYS else day.weekday() for day in dates])
    at, size = np.arange(days) / 365, np.exp(rng.uniform(np.log(10_000), np.log(1_000_000)))
    busy = np.array([*rng.normal(0, 0.05, 5), *np.log(rng.uniform(0.3, 1.0, 2))])
    volume = np.log(size) + busy[weekday] + rng.normal(0, 0.3) * at + 0.05 * np.sin(2 * np.pi * at)
    rows = rng.poisson(np.exp(volume + rng.normal(0, rng.uniform(0.003, 0.009), days)))
    odds = rng.normal(0, 1.2) + np.array([*rng.normal(0, 0.05, 5), *rng.normal(0, 0.4, 2)])[weekday]
    share = 1 / (1 + np.exp(-(odds + rng.normal(0, 0.4) * at)))
    gone = np.clip(rng.choice([0.0, 0.001, 0.02, 0.1]) * np.exp(rng.normal(0, 0.1, days)), 0, 0.5)
    alike = np.exp(rng.uniform(np.log(4_000), np.log(100_000)))  # of a beta distribution: more than chance
    unknown = rng.binomial(rows, gone)
    true = rng.binomial(rows - unknown, rng.beta(share * alike, (1 - share) * alike))
    return Year(np.stack([true, rows - unknown - true, unknown], axis=1))


def _move(source: int, target: int) -> Callable[[Array], Array]:
    """One row of twenty has another outcome; as many as there are."""

    def moved(counts: Array) -> Array:
        result = counts.copy()
        rows = np.minimum(np.rint(SHIFT * counts.sum(axis=-1)).astype(int), counts[..., source])
        result[..., source] -= rows
        result[..., target] += rows
        return result

    return moved


def _any_to(target: int) -> Callable[[Array], Array]:
    """One row of twenty, whatever its outcome was."""

    def moved(counts: Array) -> Array:
        result = np.rint(counts * (1 - SHIFT)).astype(int)
        result[..., target] += counts.sum(axis=-1) - result.sum(axis=-1)
        return result

    return moved


def _times(factor: float) -> Callable[[Array], Array]:
    """One row of twenty, whatever its outcome, comes twice or is lost."""
    return lambda counts: np.rint(counts * factor).astype(int)


def _slowly(shift: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """Half of a shift on the first day."""

    def moved(counts: Array) -> Array:
        result = shift(counts)
        result[0] = (result[0] + counts[0]) // 2
        return result

    return moved


def _more(outcome: int, sign: int) -> Callable[[Array], Array]:
    """One row of twenty is there twice (or is lost), and all of them have one outcome."""

    def moved(counts: Array) -> Array:
        result = counts.copy()
        rows = np.rint(SHIFT * counts.sum(axis=-1)).astype(int)
        result[..., outcome] += rows if sign > 0 else -np.minimum(rows, counts[..., outcome])
        return result

    return moved


# Each changes one row of twenty. The last one begins with half of that.
SHIFTS: dict[str, Callable[[Array], Array]] = {
    "accepted rows are rejected": _move(0, 1),
    "rejected rows are accepted": _move(1, 0),
    "accepted rows are UNKNOWN": _move(0, 2),
    "rejected rows are UNKNOWN": _move(1, 2),
    "values are missing": _any_to(2),
    "accepted rows come twice": _more(0, 1),
    "rejected rows come twice": _more(1, 1),
    "all rows may come twice": _times(1 + SHIFT),
    "accepted rows are lost": _more(0, -1),
    "rejected rows are lost": _more(1, -1),
    "all rows may be lost": _times(1 - SHIFT),
    "more and more rows are rejected": _slowly(_move(0, 1)),
}
