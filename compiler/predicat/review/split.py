"""The partitions by which the counts of a review are split: the newest that a relation has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec import Struct

from predicat import backends
from predicat.catalog.model import Partition
from predicat.ir.types import DATE
from predicat.quality.classes import Classes, classes
from predicat.quality.extent import newest_sql, oldest_sql
from predicat.quality.fold import Program, parts_of
from predicat.quality.partitions import Parts, since, up_to
from predicat.quality.plan import moment_of
from predicat.quality.program import MISSING, program
from predicat.review.questions import declared

# Partitions whose counts are known; rows before them are counted together.
_PARTS = 400


class Split(Struct, frozen=True):
    """How rows are divided: `classes` have only the keys that tell the partition, and `program` what they
    tell.
    """

    classes: Classes
    program: Program
    parts: Parts | None = None

    @property
    def numbers(self) -> Mapping[str, str]:
        """The numbers that tell the partition, as SQL by the names of their columns."""
        return {f"p{place}": sql for place, sql in enumerate(self.classes.numbers())}

    @property
    def cuts(self) -> list[int]:
        """The partition that begins at each cut of the keys."""
        return [number for _, number in self.parts.cuts] if self.parts is not None else []

    @property
    def text(self) -> str:
        """What divides the rows: `day of placed_at in UTC`; "" for nothing."""
        if self.parts is None:
            return ""
        of = self.parts.of
        return f"{of.by} of {of.field}" + (f" in {of.zone}" if of.zone else "")

    def name(self, row: Mapping[str, Any]) -> str:
        """The partition of a row of counts."""
        if self.parts is None:
            return ""
        return self.name_of(next(parts_of(self.program, [[int(row[key])] for key in self.numbers])))

    def name_of(self, number: int) -> str:
        """The name of a partition by its number in the program."""
        if self.parts is None:
            return ""
        if number >= 0:
            return self.parts.parts[number].name
        return "without a value" if number == MISSING else "others"


def unsplit(dialect: str) -> Split:
    """All rows together."""
    none = classes((), backends.dialect(dialect))
    return Split(none, program(none, ()))


def split(
    dialect: str,
    dataset: Mapping[str, Any],
    relation: str,
    select: Callable[[str], Sequence[Mapping[str, Any]]],
) -> Split:
    """The newest partitions that there are. Raises PredicatError."""
    stated = dataset.get("partition")
    if not stated:
        return unsplit(dialect)
    of = Partition(stated["field"], stated["by"], stated["zone"])
    read = moment_of(declared(of.field, dataset["fields"][of.field]))
    now = datetime.now(tz=UTC)
    asked = f"{oldest_sql(read, dialect, now)} AS oldest, {newest_sql(read, dialect, now)} AS newest"
    ((first, last),) = (row.values() for row in select(f"SELECT {asked} FROM {relation}"))
    if last is None:
        return unsplit(dialect)
    oldest, newest = (datetime.fromtimestamp(float(seconds), tz=UTC) for seconds in (first, last))
    parts = since(up_to(of, _PARTS, newest), oldest - timedelta(days=1))  # a date has no zone
    cuts = [moment.date() if read.type == DATE else moment for moment, _ in parts.cuts]
    found = classes((), backends.dialect(dialect)).with_cuts(read, cuts)
    return Split(found, program(found, (), parts=[number for _, number in parts.cuts]), parts)
