"""The moments of local times: a test of a time in a zone as a test of the moment, exactly.

Between two changes of a zone its local time is the moment plus a constant. So the outcomes of a local time
are those of the moment, moved by that constant.
"""

from __future__ import annotations

from datetime import timedelta
from functools import lru_cache

from predicat.ir.types import TIMESTAMP
from predicat.semantics.calendar import FIRST_IN_ZONES, LAST_IN_ZONES
from predicat.semantics.time_zones import Changes, changes
from predicat.values.automaton import Label, Opaque
from predicat.values.domain import DAY, Domain, domain
from predicat.values.partition import Cycle, Line, Partition, line, product, unrolled
from predicat.values.shifts import in_turn, moved

_PERIOD = 146_097 * DAY
_MICROSECOND = timedelta(microseconds=1)
# An offset, where a moment has none.
_NONE = None


def zoned(zone: str, wanted: Partition, values: Domain, *, ends: bool) -> Partition:
    """The outcomes of moments by those of their local times.

    Args:
        zone: The name of the time zone.
        wanted: The outcomes of the local times.
        values: The moments.
        ends: Whether moments within a day of the ends of the calendar have a local time.

    Raises Opaque.
    """
    offsets = _offsets(zone)
    if ends:
        offsets = Line((values.least, *offsets.starts[2:-1]), offsets.labels[1:-1])
    known = {offset: _local(offset, wanted, values) for offset in offsets.labels}
    pieces = [
        piece
        for low, end, offset in zip(offsets.starts, [*offsets.starts[1:], None], offsets.labels, strict=True)
        for piece in known[offset].within(low, end)
    ]
    cells = unrolled([at for at, _ in pieces], [label for _, label in pieces], values.greatest)
    return Partition(values, cells, wanted.others)


def _local(offset: Label, wanted: Partition, values: Domain) -> Line:
    """The outcomes of all moments, if the zone were that far ahead for ever."""
    cells, null = wanted.line(repeats=True), wanted.others[0]
    if offset is _NONE:
        return Line((values.least,), (null,))
    if not isinstance(offset, Cycle):
        return moved(cells, offset, values)
    known = sorted(offset.outcomes)
    ahead = Line((values.least,), (offset,))
    parts = [Partition(values, one, ()) for one in (ahead, *(moved(cells, by, values) for by in known))]
    return product(parts, lambda by, *labels: labels[known.index(by)]).line(repeats=True)


@lru_cache(maxsize=64)
def _offsets(zone: str) -> Line:
    """The microseconds that a zone is ahead. None where no local time is in the calendar for sure."""
    found, values = changes(zone), domain(TIMESTAMP)
    if found is None or values is None:
        raise Opaque
    singles, repeated = (_numbered(one, values) for one in found)
    (begin, _), end = repeated[0], values.ordinal(LAST_IN_ZONES) + 1
    starts = [values.least, values.ordinal(FIRST_IN_ZONES), *(at for at, _ in singles[1:]), begin, end]
    last = in_turn(_PERIOD, {at % _PERIOD: offset for at, offset in repeated})
    return line(starts, [_NONE, *(offset for _, offset in singles), last, _NONE])


def _numbered(found: Changes, values: Domain) -> list[tuple[int, int]]:
    return [(values.ordinal(moment), offset // _MICROSECOND) for moment, offset in found]
