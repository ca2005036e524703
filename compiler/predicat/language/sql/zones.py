"""Time zones: `t AT TIME ZONE 'Europe/Berlin'` and equivalent functions.

A timestamp is a point in time. In a zone it becomes the local time there, represented as a UTC timestamp: its
day, its hour and comparisons with constants are in local time. The conversion from local time to a timestamp
is supported for constants only: engines resolve an ambiguous hour differently.
"""

from __future__ import annotations

from datetime import UTC, datetime

from sqlglot import exp

from predicat.diagnostics import Span
from predicat.diagnostics.messages import check, sql_times
from predicat.ir import syntax as t
from predicat.ir import time_zones
from predicat.language.common.trees import apply
from predicat.language.sql.arguments import counted
from predicat.language.sql.casts import converted
from predicat.language.sql.node_reader import Build, Reader
from predicat.language.sql.now import is_utc
from predicat.semantics.time_zones import moment_of as moment_in

# The types of timestamps without a time zone.
_PLAIN = (exp.DType.TIMESTAMP, exp.DType.TIMESTAMPNTZ, exp.DType.DATETIME)


def shows_clocks(reader: Reader, node: exp.Expr) -> bool:
    """Whether a node is a timestamp without time zone in engines with both timestamp types. AT TIME ZONE then
    converts it from local time instead of to local time.
    """
    node = node.unnest()
    if isinstance(node, exp.AtTimeZone):
        return not shows_clocks(reader, node.this)
    if isinstance(node, exp.Cast):
        return node.args["to"].this in _PLAIN
    if isinstance(node, exp.Add | exp.Sub):
        return shows_clocks(reader, node.this)
    if isinstance(node, exp.Func) and reader.called_name(node) in ("date_trunc", "timezone", "date_bin"):
        args = counted(reader, node, 1, 2, 3)
        is_zone = reader.called_name(node) == "timezone"
        return len(args) > 1 and shows_clocks(reader, args[1]) is not is_zone
    return False


def at_zone(reader: Reader, moment: exp.Expr, zone: exp.Expr, span: Span, depth: int) -> t.Tree:
    """`moment AT TIME ZONE zone`. Raises Stop for local time that is not a constant."""
    tree = _timestamp(reader, moment, depth)
    if not shows_clocks(reader, moment):
        return _shown(reader, tree, zone, span, depth)
    if is_utc(zone):
        return _moment(tree)
    inner = moment.unnest()
    if isinstance(inner, exp.AtTimeZone) and is_utc(inner.args["zone"]):
        raise reader.fail(sql_times.zone_twice(span, reader.span(inner.this).text, reader.span(zone).text))
    return moment_of(reader, tree, zone, span)


def _shown(reader: Reader, moment: t.Tree, zone: exp.Expr, span: Span, depth: int) -> t.Tree:
    """The local time of a moment. In UTC it is the moment itself; of the current time it is told apart, which
    then may stand beside a column of local times.
    """
    if not is_utc(zone):
        return apply("in_zone", span, moment, reader.read(zone, depth))
    return apply("in_zone", span, moment, t.Constant("UTC", span)) if _reads_now(moment) else moment


def _moment(tree: t.Tree) -> t.Tree:
    """The moment of a local time in UTC."""
    match tree:
        case t.OperatorCall(op="in_zone", args=(moment, t.Constant(value="UTC"))):
            return moment
        case t.OperatorCall(op=op, args=args, span=span):
            return apply(op, span, *map(_moment, args))
        case _:
            return tree


def _reads_now(tree: t.Tree) -> bool:
    return isinstance(tree, t.OperatorCall) and (tree.op == "now" or any(map(_reads_now, tree.args)))


def doubtful(reader: Reader, moment: exp.Expr, zone: exp.Expr, depth: int) -> t.Tree:
    """The timestamp without time zone of which a part in a zone is extracted. This is ambiguous: engines
    convert it from local time of the zone, not to local time.
    """
    args = (*reader.all([moment], depth), t.Constant(reader.span(zone).text, reader.span(zone)))
    return apply("either_moment", reader.span(moment), *args)


def moment_of(reader: Reader, clocks: t.Tree, zone: exp.Expr, span: Span) -> t.Tree:
    """The timestamp of a constant local time in a zone. Raises Stop if the time is not a constant, the
    zone is unknown, or the local time is skipped or occurs twice.
    """
    if is_utc(zone):
        return clocks
    if not isinstance(clocks, t.Constant) or not isinstance(clocks.value, datetime):
        raise reader.fail(sql_times.moment_of_clocks(span))
    name = zone.name if isinstance(zone, exp.Literal) else ""
    if not time_zones.is_zone(name):
        raise reader.fail(check.bad_zone(reader.span(zone), name, time_zones.zone_names()))
    tree = moment_in(clocks.value.astimezone(UTC), name)
    if tree is None:
        raise reader.fail(sql_times.no_one_moment(span, name))
    return t.Constant(tree, span)


def _timestamp(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    tree = reader.read(node, depth)
    is_one = isinstance(tree, t.Constant) and isinstance(tree.value, datetime)
    return tree if is_one else converted(reader, tree, "timestamp", tree.span)


def of_function(reader: Reader, node: exp.Expr) -> tuple[exp.Expr, exp.Expr] | None:
    """The timestamp and the zone of a conversion to local time; None for any other node."""
    node = node.unnest()
    if isinstance(node, exp.AtTimeZone):
        return node.this, node.args["zone"]
    place = _IN_ZONE.get(reader.called_name(node)) if isinstance(node, exp.Func) else None
    if place is None:
        return None
    args = counted(reader, node, 2, 3)
    return None if len(args) != 2 else (args[place], args[1 - place])


# Functions of a timestamp and a zone, and the index of the timestamp in their arguments.
_IN_ZONE = {"from_utc_timestamp": 0, "timezone": 1, "convert_timezone": 1}


def in_zone(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`from_utc_timestamp(t, zone)`, `timezone(zone, t)`, `convert_timezone('UTC', zone, t)`."""
    args, span = counted(reader, node, 2, 3), reader.span(node)
    result = of_function(reader, node)
    if result is None:
        source, target, moment = args
        if not is_utc(source):
            return moment_of(reader, _timestamp(reader, moment, depth), source, span)
        result = moment, target
    moment, zone = result
    if reader.called_name(node) == "timezone":
        return at_zone(reader, moment, zone, span, depth)
    tree = _timestamp(reader, moment, depth)
    return _shown(reader, tree, zone, span, depth)


def _to_utc(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`to_utc_timestamp(t, zone)`: the timestamp of a constant local time in the zone."""
    clocks, zone = counted(reader, node, 2)
    return moment_of(reader, _timestamp(reader, clocks, depth), zone, reader.span(node))


# The functions by name, in lower case.
READ: dict[str, Build] = {
    "convert_timezone": in_zone,
    "from_utc_timestamp": in_zone,
    "timezone": in_zone,
    "to_utc_timestamp": _to_utc,
}
