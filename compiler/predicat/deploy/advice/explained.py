"""What EXPLAIN says of a query."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct


class Scan(Struct, frozen=True):
    """A scan of a relation: the rows that it gives (estimated, and real if the query ran), and whether it
    reads the relation from end to end.
    """

    place: tuple[str, str]
    estimate: float
    rows: float | None
    whole: bool

    @property
    def off(self) -> float:
        """How many times the estimate is above or below the rows; 1 if the query did not run."""
        if self.rows is None:
            return 1
        estimate, rows = max(self.estimate, 1), max(self.rows, 1)
        return max(estimate / rows, rows / estimate)


class Explained(Struct, frozen=True):
    """A plan: its cost, the rows and buffers of a run (None without one), the names of its indexes, and its
    scans.
    """

    cost: float
    estimate: float
    rows: int | None
    buffers: int | None
    indexes: frozenset[str]
    scans: tuple[Scan, ...]

    def scan_of(self, place: tuple[str, str]) -> Scan | None:
        """The scan of a relation; None if there is none."""
        return next((scan for scan in self.scans if scan.place == place), None)

    @property
    def data(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "cost": self.cost,
            "estimate": self.estimate,
            "rows": self.rows,
            "buffers": self.buffers,
            "indexes": sorted(self.indexes),
        }


def read(document: list[Mapping[str, Any]]) -> Explained:
    """A plan from EXPLAIN (VERBOSE, FORMAT JSON)."""
    top = document[0]["Plan"]
    nodes = list(_nodes(top))
    ran = "Actual Rows" in top
    return Explained(
        float(top["Total Cost"]),
        float(top["Plan Rows"]),
        round(top["Actual Rows"] * top["Actual Loops"]) if ran else None,
        int(top["Shared Hit Blocks"] + top["Shared Read Blocks"]) if ran else None,
        frozenset(str(node["Index Name"]) for node, _ in nodes if "Index Name" in node),
        tuple(_scan(node, limited) for node, limited in nodes if "Relation Name" in node),
    )


def _nodes(node: Mapping[str, Any], *, limited: bool = False) -> Iterator[tuple[Mapping[str, Any], bool]]:
    """The nodes of a plan, each with whether one above it may stop it before its end."""
    yield node, limited
    below = limited or node["Node Type"] == "Limit"
    for part in node.get("Plans", ()):
        yield from _nodes(part, limited=below)


def _scan(node: Mapping[str, Any], limited: bool) -> Scan:
    place = str(node.get("Schema", "")), str(node["Relation Name"])
    ran = node.get("Actual Loops", 0) and not limited
    return Scan(
        place,
        float(node["Plan Rows"]),
        float(node["Actual Rows"]) if ran else None,
        node["Node Type"] == "Seq Scan" and not limited,
    )
