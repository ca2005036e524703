"""A chart as SVG: lines over two logarithmic axes."""

import math
from collections.abc import Mapping, Sequence
from html import escape

WIDTH, HEIGHT = 760, 420
LEFT, RIGHT, TOP, BOTTOM = 80, 190, 30, 60
COLOURS = ("#1f6feb", "#d1242f", "#8250df", "#1a7f37", "#9a6700")
# Names of lines are so far apart.
LABEL = 16


def chart(title: str, x: str, y: str, lines: Mapping[str, Sequence[tuple[float, float]]]) -> str:
    """The chart of some lines, each with its name at its last point."""
    points = [point for line in lines.values() for point in line]
    across, up = (_decades([point[place] for point in points]) for place in (0, 1))

    def at(point: tuple[float, float]) -> tuple[float, float]:
        shares = [
            (math.log10(value) - low) / (high - low)
            for value, (low, high) in zip(point, (across, up), strict=True)
        ]
        return (
            LEFT + shares[0] * (WIDTH - LEFT - RIGHT),
            HEIGHT - BOTTOM - shares[1] * (HEIGHT - TOP - BOTTOM),
        )

    middle = LEFT + (WIDTH - LEFT - RIGHT) / 2
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
            f' font-family="sans-serif" font-size="13"><title>{escape(title)}</title>'
        ),
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        _text(middle, HEIGHT - 15, x, "middle"),
        _text(LEFT - 60, TOP - 12, y, "start"),
    ]
    for power in range(across[0], across[1] + 1):
        place, foot = at((10.0**power, 10.0 ** up[0]))
        parts += [_line(place, TOP, place, foot), _text(place, foot + 20, f"{10**power:,}", "middle")]
    for power in range(up[0], up[1] + 1):
        start, place = at((10.0 ** across[0], 10.0**power))
        parts += [
            _line(start, place, WIDTH - RIGHT, place),
            _text(start - 8, place + 4, f"{10**power:,}", "end"),
        ]
    ends = [at(line[-1]) for line in lines.values()]
    for colour, name, line, label in zip(COLOURS, lines, lines.values(), _apart(ends), strict=False):
        places = [at(point) for point in line]
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3.5" fill="{colour}"/>' for a, b in places]
        parts.append(_text(places[-1][0] + 8, label + 4, name, "start", colour))
    return "\n".join([*parts, "</svg>", ""])


def _apart(ends: Sequence[tuple[float, float]]) -> list[float]:
    """Where the names of lines stand: beside their ends, and below the name above."""
    found = [0.0] * len(ends)
    for place in sorted(range(len(ends)), key=lambda place: ends[place][1]):
        x, y = ends[place]
        above = [
            found[other] for other in range(len(ends)) if found[other] and abs(ends[other][0] - x) < RIGHT
        ]
        found[place] = max([y, *(one + LABEL for one in above if one + LABEL > y)])
    return found


def _decades(values: Sequence[float]) -> tuple[int, int]:
    low = math.floor(math.log10(min(values)))
    return low, max(math.ceil(math.log10(max(values))), low + 1)


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#d0d7de"/>'


def _text(x: float, y: float, text: str, anchor: str, colour: str = "#57606a") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{escape(text)}</text>'
