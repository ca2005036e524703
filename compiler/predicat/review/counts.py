"""How many rows of real data a change gains and loses, with a sample of them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from predicat import backends
from predicat.backends.sql import shown
from predicat.diagnostics import Unsupported
from predicat.diagnostics.messages import review as say
from predicat.diagnostics.wording import quantity
from predicat.explain.show import plain, row_text
from predicat.ir.nodes import Call, FieldDecl, Literal, Node, Parameter, fields_of, walk
from predicat.ir.types import BOOLEAN, STRING
from predicat.review.entries import Review
from predicat.review.snapshot import Snapshot
from predicat.rewrite.substitute import with_defaults

# Rows that are shown.
SAMPLE = 5
# Rows that are looked at for them: the first ones are often alike.
FETCHED = 200
Row = Mapping[str, Any]


class Counts(Struct, frozen=True):
    """Numbers of rows of a relation: all, accepted before and after, gained and lost, with a sample of the
    last two; or why they are not known.
    """

    total: int = 0
    before: int = 0
    after: int = 0
    gained: int = 0
    lost: int = 0
    gained_rows: Sequence[Row] = field(default_factory=tuple)
    lost_rows: Sequence[Row] = field(default_factory=tuple)
    reason: str = ""

    def short(self) -> str:
        """`+12 -3 of 1,000 rows`."""
        return self.reason or f"+{self.gained:,} -{self.lost:,} of {quantity(self.total, 'row')}"

    def lines(self) -> list[str]:
        """The figures and the sample as text."""
        if self.reason:
            return [f"data: {self.reason}"]
        lines = [
            (
                f"data: {quantity(self.total, 'row')}; "
                f"accepted {self.before:,} before, {self.after:,} after; "
                f"{self.gained:,} gained, {self.lost:,} lost"
            )
        ]
        lines += [f"  gained {row_text(row)}" for row in self.gained_rows]
        return lines + [f"  lost {row_text(row)}" for row in self.lost_rows]

    def data(self) -> dict[str, Any]:
        """The figures and the sample as JSON."""
        if self.reason:
            return {"reason": self.reason}
        figures = {
            "total": self.total,
            "before": self.before,
            "after": self.after,
            "gained": self.gained,
            "lost": self.lost,
        }
        return {
            **figures,
            "gained_rows": [plain(row) for row in self.gained_rows],
            "lost_rows": [plain(row) for row in self.lost_rows],
        }


class CountQuery(Struct, frozen=True):
    """The query of one filter: conditions that are never NULL, and the columns to show, as SQL."""

    name: str
    dataset: str
    before: str
    after: str
    columns: tuple[str, ...]
    nodes: tuple[Node, ...] = ()
    """Its predicates."""
    is_sensitive: bool = False
    """Whether its dataset has sensitive fields."""

    @property
    def gained(self) -> str:
        """The condition of rows that only the new filter accepts."""
        return f"({self.after}) AND NOT ({self.before})"

    @property
    def lost(self) -> str:
        """The condition of rows that only the old filter accepts."""
        return f"({self.before}) AND NOT ({self.after})"


def distinct(rows: Iterable[Row]) -> list[Row]:
    """The first different rows, at most the number that is shown."""
    result: dict[str, Row] = {}
    for row in rows:
        result.setdefault(repr(row), row)
        if len(result) == SAMPLE:
            break
    return list(result.values())


def questions(review: Review, dialect: str) -> tuple[list[CountQuery], dict[str, Counts]]:
    """The count queries of a review for a dialect, and the reasons for filters without one."""
    before, after = review.sides
    asked: list[CountQuery] = []
    refused: dict[str, Counts] = {}
    for entry in review.entries:
        if entry.kind not in ("rows", "filter") or not entry.changes_rows:
            continue
        states = [_state(side, entry.name) for side in (before, after)]
        try:
            sides = [condition(state, dialect) for state in states]
        except Unsupported as error:
            refused[entry.name] = Counts(reason=error.diagnostics[0].message)
            continue
        dataset = entry.name.partition(".")[0]
        nodes = tuple(node for node, _ in filter(None, states))
        datasets = [side.datasets.get(dataset, {}) for side in (before, after)]
        columns = _columns(nodes, datasets, dialect)
        hides = bool(_sensitive(datasets))
        asked.append(CountQuery(entry.name, dataset, sides[0], sides[1], columns, nodes, hides))
    return asked, refused


def _state(side: Snapshot, name: str) -> tuple[Node, str] | None:
    """The latest version of a filter and its `on_unknown`; None if there is no such filter."""
    row = side.filters.get(name)
    result = side.check(name, row["latest"]) if row is not None else None
    return (result.node, row["on_unknown"]) if result is not None and row is not None else None


def condition(state: tuple[Node, str] | None, dialect: str) -> str:
    """Whether a filter accepts a row, as SQL that is TRUE or FALSE; a missing filter accepts none. Parameters
    have their defaults.

    Raises Unsupported if the dialect does not support it, or a parameter has no default.
    """
    if state is None:
        return "FALSE"
    node, on_unknown = state
    for part in walk(node):
        if isinstance(part, Parameter) and part.decl.required:
            raise Unsupported.of(say.parameter_without_default(part.span, part.decl.name))
    accepts = Call(BOOLEAN, "coalesce", (with_defaults(node), Literal(BOOLEAN, on_unknown == "accept")))
    return backends.dialect(dialect).render(accepts)


def _sensitive(sides: Iterable[Mapping[str, Any]]) -> set[str]:
    """The fields that one of the sides of a dataset calls sensitive."""
    return {name for side in sides for name, row in side.get("fields", {}).items() if row.get("sensitive")}


def _columns(nodes: Iterable[Node], sides: Sequence[Mapping[str, Any]], dialect: str) -> tuple[str, ...]:
    """The columns to show, as SQL: the key, then what the filter reads. What one of the sides calls sensitive
    is masked.
    """
    fields = [side.get("fields", {}) for side in sides]
    hidden = _sensitive(sides)
    dataset = sides[-1]
    key = [
        FieldDecl(
            name,
            STRING,
            columns=tuple(row["columns"].items()),
            expressions=tuple(row.get("expressions", {}).items()),
        )
        for name in dataset.get("key", ())
        if (row := fields[-1].get(name)) is not None
    ]
    decls = [*key, *(decl for node in nodes for decl in fields_of(node).values())]
    return tuple(shown.columns([replace(decl, sensitive=decl.name in hidden) for decl in decls], dialect))
