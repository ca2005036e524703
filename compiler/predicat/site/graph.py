"""The lineage of a filter as a graph: its inputs on the left, its users on the right."""

from collections.abc import Sequence

from msgspec import Struct

WIDTH, ROW, BOX = 230, 40, 28
_GAP = 110
_MAX_BOXES = 14


class Box(Struct, frozen=True):
    """A box of the picture: its text, its kind (a CSS class), its link, its place."""

    text: str
    kind: str
    link: str
    x: int
    y: int

    @property
    def shown(self) -> str:
        """The text, cut to the width of the box."""
        return self.text if len(self.text) <= 30 else f"{self.text[:28]}..."


class Graph(Struct, frozen=True):
    """A picture of boxes and curves, in pixels."""

    width: int
    height: int
    boxes: tuple[Box, ...]
    curves: tuple[str, ...]


# Text, kind, link.
Entry = tuple[str, str, str]


def graph(own: str, left: Sequence[Entry], right: Sequence[Entry]) -> Graph:
    """The graph of a filter with its inputs and its users."""
    left, right = _cut(left), _cut(right)
    rows = max(len(left), len(right), 1)
    height = rows * ROW + 12
    middle = (height - BOX) // 2
    x = (0, WIDTH + _GAP, 2 * (WIDTH + _GAP))
    center = Box(own, "own", "", x[1], middle)
    lefts = _column(left, x[0], height)
    rights = _column(right, x[2], height)
    curves = [_curve(box.x + WIDTH, box.y, center.x, center.y) for box in lefts]
    curves += [_curve(center.x + WIDTH, center.y, box.x, box.y) for box in rights]
    return Graph(x[2] + WIDTH, height, (*lefts, center, *rights), tuple(curves))


def _cut(entries: Sequence[Entry]) -> list[Entry]:
    shown = list(entries[:_MAX_BOXES])
    more = len(entries) - len(shown)
    return [*shown, (f"and {more} more", "more", "")] if more else shown


def _column(entries: Sequence[Entry], x: int, height: int) -> list[Box]:
    top = (height - len(entries) * ROW) // 2 + (ROW - BOX) // 2
    return [Box(text, kind, link, x, top + index * ROW) for index, (text, kind, link) in enumerate(entries)]


def _curve(x1: int, y1: int, x2: int, y2: int) -> str:
    a, b, bend = y1 + BOX // 2, y2 + BOX // 2, _GAP // 2
    return f"M{x1} {a} C{x1 + bend} {a} {x2 - bend} {b} {x2} {b}"
