"""How many rows of real data a change gains and loses, in all and by partition, with examples."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from predicat.diagnostics.wording import percent, quantity
from predicat.explain.show import plain, row_text

# Partitions that are shown: the newest of those with a gained or lost row.
_PARTS = 12
Row = Mapping[str, Any]


class Part(Struct, frozen=True):
    """The counts of a partition."""

    name: str
    total: int
    before: int
    gained: int
    lost: int

    @property
    def text(self) -> str:
        """`2026-01-05 +12 -3 of 300`."""
        return f"{self.name} +{self.gained:,} -{self.lost:,} of {self.before:,}"


class Counts(Struct, frozen=True):
    """Numbers of rows of a relation: all, accepted before and after, gained and lost, with examples of the
    last two; or why they are not known.

    `former` is the number of all rows of the former relation, if another one is read now; rows of the two are
    the same if they have the same key. `parts` are the partitions with gained or lost rows, `by` names what
    divides them.
    """

    total: int = 0
    before: int = 0
    after: int = 0
    gained: int | None = 0
    lost: int | None = 0
    gained_rows: Sequence[Row] = field(default_factory=tuple)
    lost_rows: Sequence[Row] = field(default_factory=tuple)
    reason: str = ""
    former: int | None = None
    by: str = ""
    parts: tuple[Part, ...] = ()

    @property
    def change(self) -> str:
        """`+12 -3`, or `120 to 140` where gained and lost rows are not known."""
        if self.gained is None or self.lost is None:
            return f"{self.before:,} to {self.after:,}"
        return f"+{self.gained:,} -{self.lost:,}"

    def short(self) -> str:
        """`+12 (4%) -3 (1%): 300 to 309 of 1,000 rows`."""
        if self.reason:
            return f"not counted: {self.reason}"
        accepted = f"{self.before:,} to {self.after:,} of {quantity(self.total, 'row')}"
        if self.gained is None or self.lost is None:
            return accepted
        return f"+{self._of_before(self.gained)} -{self._of_before(self.lost)}: {accepted}"

    def _of_before(self, count: int) -> str:
        share = f" ({percent(count, self.before)})" if self.before and count else ""
        return f"{count:,}{share}"

    def figures(self) -> str:
        """The figures in one sentence."""
        total = quantity(self.total, "row")
        total = f"{self.former:,} before, {total} now" if self.former is not None else total
        accepted = (
            f"{self._share(self.before, self.former)} before, {self._share(self.after, self.total)} after"
        )
        found = [total, f"accepted {accepted}"]
        if self.gained is None or self.lost is None:
            return "; ".join([*found, "gained and lost rows are not known: the dataset declares no key"])
        changes = f"{self._of_before(self.gained)} gained, {self._of_before(self.lost)} lost"
        return "; ".join([*found, changes + (" by key" if self.former is not None else "")])

    def _share(self, count: int, whole: int | None) -> str:
        whole = self.total if whole is None else whole
        return f"{count:,} ({percent(count, whole)})" if whole else f"{count:,}"

    def lines(self) -> list[str]:
        """The figures and the examples as text."""
        if self.reason:
            return [f"data: not counted: {self.reason}"]
        lines = [f"data: {self.figures()}"]
        if self.parts:
            newest = self.parts[-1 : -_PARTS - 1 : -1]
            more = len(self.parts) - len(newest)
            lines.append(
                f"  by {self.by}: {'; '.join(part.text for part in newest)}"
                + (f"; and {quantity(more, 'earlier partition')}" if more else "")
            )
        lines += [f"  gained {row_text(row)}" for row in self.gained_rows]
        return lines + [f"  lost {row_text(row)}" for row in self.lost_rows]

    def data(self) -> dict[str, Any]:
        """The figures and the examples as JSON."""
        if self.reason:
            return {"reason": self.reason}
        return {
            "total": self.total,
            **({} if self.former is None else {"former_total": self.former}),
            "before": self.before,
            "after": self.after,
            "gained": self.gained,
            "lost": self.lost,
            "gained_rows": [plain(row) for row in self.gained_rows],
            "lost_rows": [plain(row) for row in self.lost_rows],
            **(
                {
                    "by": self.by,
                    "partitions": [
                        {name: getattr(part, name) for name in Part.__struct_fields__} for part in self.parts
                    ],
                }
                if self.by
                else {}
            ),
        }
