"""Proposes bounds from what was measured."""

from __future__ import annotations

from predicat.catalog.model import Catalog
from predicat.quality.measure import Measure
from predicat.quality.statistics import wilson

_ROOM = 0.5
"""How far beyond the measured interval a bound lies, as a part of the share itself."""


def suggest(catalog: Catalog, measure: Measure) -> list[str]:
    """A `coverage:` line for each filter, as YAML under its name; those that have bounds already are left
    alone.
    """
    lines: list[str] = []
    for name, count in measure.filters.items():
        if catalog.known[name].coverage or not measure.rows:
            continue
        low, high = wilson(measure.accepted[name], measure.rows)
        unknown = wilson(count.unknown, measure.rows)[1]
        bounds = {
            "at_least": _percent(low * (1 - _ROOM), down=True),
            "at_most": _percent(min(high * (1 + _ROOM), 1), down=False),
            "unknown_at_most": _percent(min(unknown * (1 + _ROOM), 1), down=False),
            "drift": _percent(max((high - low) * 2, high * 0.2), down=False),
        }
        lines += [
            f"  {name.partition('.')[2]}:",
            f"    coverage: {{{', '.join(f'{key}: {value}' for key, value in bounds.items())}}}",
        ]
    return lines


def _percent(share: float, *, down: bool) -> str:
    """A share with two digits, rounded away from what was measured."""
    percent = share * 100
    if percent <= 0:
        return "0%"
    step = 10.0 ** (len(str(int(percent))) - 2 if percent >= 1 else -2)
    steps = int(percent / step) + (0 if down else 1)
    return f"{min(steps * step, 100):.3g}%"
