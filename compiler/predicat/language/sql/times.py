"""Casts, dates, times and intervals: from sqlglot's nodes to trees."""

from __future__ import annotations

from datetime import timedelta

from sqlglot import exp

from predicat.diagnostics import Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import sql as say
from predicat.diagnostics.messages import sql_functions as functions
from predicat.diagnostics.messages import sql_times
from predicat.ir import syntax as t
from predicat.ir.types import MAX_PRECISION
from predicat.language.common.trees import apply, cast_to
from predicat.language.sql import intervals, meanings, now, zones
from predicat.language.sql.arguments import counted, only
from predicat.language.sql.casts import converted
from predicat.language.sql.node_reader import Build, Reader

_CAST_TYPES = {
    exp.DType.TEXT: "string",
    exp.DType.VARCHAR: "string",
    exp.DType.BIGINT: "bigint",
    exp.DType.INT: "bigint",
    exp.DType.DOUBLE: "double",
    exp.DType.BOOLEAN: "boolean",
    exp.DType.TIMESTAMP: "timestamp",
    exp.DType.TIMESTAMPTZ: "timestamp",
    exp.DType.TIMESTAMPLTZ: "timestamp",
    exp.DType.TIMESTAMPNTZ: "timestamp",
    exp.DType.DATE: "date",
    exp.DType.TIME: "time",
}


# The integer types of engines, with their bits.
BITS = {exp.DType.TINYINT: 8, exp.DType.SMALLINT: 16, exp.DType.INT: 32, exp.DType.BIGINT: 64}


def _decimal_cast(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """A cast to DECIMAL. Without arguments it has the language's default precision and scale. Raises Stop if
    there is none, or if the arguments are invalid.
    """
    span = reader.span(node)
    written = [part.name for part in node.args["to"].expressions]
    sizes = [int(size) if size.isascii() and size.isdigit() and len(size) < 4 else -1 for size in written]
    if not sizes:
        if reader.language.unsized_decimal is None:
            raise reader.fail(functions.decimal_digits(span))
        sizes = list(reader.language.unsized_decimal)
    precision, scale = (*sizes, 0)[:2]
    if not 1 <= precision <= MAX_PRECISION or not 0 <= scale <= precision or len(sizes) > 2:
        raise reader.fail(functions.bad_decimal(span, MAX_PRECISION))
    digits = (t.Constant(size, span) for size in (precision, scale))
    op = "spark.decimal" if reader.language.doubles_have_all_digits else "sql.decimal"
    return apply(op, span, reader.read(node.this, depth), *digits)


def _held(reader: Reader, node: exp.Expr) -> str:
    """The type of a column that a constant is cast to; "" for any other type. A user's type is an enum."""
    kind = node.args["to"]
    name = kind.sql("postgres").rpartition(".")[2].lower()
    others = "enum" if kind.this == exp.DType.USERDEFINED else ""
    return reader.language.column_types.get(name, others)


def cast(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """CAST(x AS type). Raises Stop for types that are not supported."""
    if isinstance(node.this, exp.Literal) and node.this.is_string and (held := _held(reader, node)):
        return t.Constant(node.this.this, reader.span(node), held)
    if node.args["to"].this == exp.DType.DECIMAL:
        return _decimal_cast(reader, node, depth)
    span = reader.span(node)
    if node.args["to"].this in reader.language.json_types:
        return apply("sql.json", span, reader.read(node.this, depth))
    kind = _CAST_TYPES.get(node.args["to"].this)
    if kind is None or node.args["to"].expressions:
        single = node.args["to"].this == exp.DType.FLOAT
        raise reader.fail(say.cast_to(span, node.args["to"].sql(), single))
    return converted(reader, reader.read(node.this, depth), kind, span)


def engine_cast(to_whole: str) -> Build:
    """A cast of an engine: integers have the range of their type. `to_whole` is the cast to an integer, which
    differs in rounding.
    """

    def build(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        if isinstance(node.this, exp.IntDiv):  # sqlglot's node for PostgreSQL's div(a, b)
            return reader.apply("sql.div", node.this, node.this.this, node.this.expression, depth=depth)
        bits = BITS.get(node.args["to"].this)
        if bits is None:
            return cast(reader, node, depth)
        span = reader.span(node)
        inner = reader.read(node.this, depth)
        return in_range(cast_to(to_whole, inner, span), bits, span)

    return build


def either_cast(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """A cast of the `sql` language. The cast of a double to an integer is ambiguous: engines differ."""
    tree = cast(reader, node, depth)
    if isinstance(tree, t.OperatorCall) and tree.args[1:] == (t.Constant("to_int", tree.span),):
        return cast_to("to_either_int", tree.args[0], tree.span)
    return tree


def in_range(number: t.Tree, bits: int, span: Span) -> t.Tree:
    """The integer if it fits the number of bits, else NULL."""
    if bits == 64:
        return number
    if bits == 32:
        return apply("int32", span, number)
    low, high = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    fits = apply(
        "and",
        span,
        apply("ge", span, number, t.Constant(low, span)),
        apply("le", span, number, t.Constant(high, span)),
    )
    return apply("cond", span, fits, number, t.Constant(None, span))


def is_time_of_day(node: exp.Expr) -> bool:
    """Whether a node is a cast to TIME."""
    node = node.unnest()
    return isinstance(node, exp.Cast | exp.TryCast) and node.args["to"].this == exp.DType.TIME


def conversion(kind: str) -> Build:
    """A function of one argument that is a cast: date(t), to_timestamp(s)."""

    def build(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        (value,) = reader.all(counted(reader, node, 1), depth)
        return converted(reader, value, kind, reader.span(node))

    return build


def length(reader: Reader, node: exp.Expr) -> tuple[int, timedelta]:
    """The months and the rest of a constant interval. Raises Stop if it is invalid. The node has a
    placeholder for the string (`protect_interval_literals`).
    """
    amount, unit = node.this, node.args.get("unit")
    span = reader.span(amount if "end" in amount.meta else node)
    first, last = (
        (unit.this.name, unit.expression.name)
        if isinstance(unit, exp.IntervalSpan)
        else (unit.name if unit else "", "")
    )
    if not isinstance(amount, exp.Literal):
        raise reader.fail(sql_times.interval_of_parts(span))
    text = (
        reader.source.text[span.start + 1 : span.end - 1].replace("''", "'")
        if amount.name == "?"
        else amount.name
    )
    parts = intervals.split(text, first, last)
    if parts is None and first and intervals.has_unknown_unit(text, first):
        raise reader.fail(sql_times.interval_unit(span, first.lower()))
    if parts is None:
        raise reader.fail(sql_times.bad_interval(span, text))
    if parts[1] % 1:
        raise reader.fail(msg.too_fine(span, "an interval"))
    return parts[0], timedelta(microseconds=int(parts[1]))


_EXTRACT = {
    "YEAR": "year",
    "MONTH": "month",
    "DAY": "day",
    "DAYOFMONTH": "day",
    "HOUR": "hour",
    "MINUTE": "minute",
    "DOY": "day_of_year",
    "DAYOFYEAR": "day_of_year",
}


_AMBIGUOUS = {"DOW": "Sunday is 0 on PostgreSQL and 1 on Spark: write isodow, or dayofweek, where it is 1"}
# Parts with decimals, which do not depend on the time zone.
_IN_UTC = {"EPOCH": meanings.epoch, "SECOND": meanings.second}
_OF_WEEKS = {"WEEK": meanings.week, "ISOYEAR": meanings.iso_year, "YEAROFWEEK": meanings.iso_year}


def part(op: str) -> Build:
    """A part of a time: `hour(t)`, or `hour(t AT TIME ZONE 'Europe/Paris')`. The default zone is UTC."""
    return lambda reader, node, depth: read_part(reader, op, node, only(reader, node), depth)


def read_part(reader: Reader, op: str, node: exp.Expr, moment: exp.Expr, depth: int) -> t.Tree:
    """A part of a date or timestamp, in the zone of AT TIME ZONE if there is one."""
    if is_time_of_day(moment) and not isinstance(moment.unnest().this, exp.Literal):
        moment = moment.unnest().this  # the hour of t::time is the hour of t
    tree = zones.of_function(reader, moment)
    if tree is None:
        return reader.apply(op, node, moment.unnest(), depth=depth)
    inner, zone = tree
    if not isinstance(moment.unnest(), exp.AtTimeZone) and now.is_utc(zone):
        return reader.apply(op, node, inner, depth=depth)
    if zones.shows_clocks(reader, inner) and not now.is_utc(zone):
        return apply(
            op, reader.span(node), zones.doubtful(reader, inner, zone, depth), reader.read(zone, depth)
        )
    return reader.apply(op, node, inner, zone, depth=depth)


def extract(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """EXTRACT(part FROM x)."""
    return _named_part(reader, str(node.this), node, node.expression, depth)


def _named_part(reader: Reader, name: str, node: exp.Expr, moment: exp.Expr, depth: int) -> t.Tree:
    """The part of a date or timestamp that has a name, in upper or lower case. Raises Stop for an unknown
    part, and for parts that engines number differently.
    """
    part, span = name.upper(), reader.span(node)
    if part == "DOW" and reader.language.sunday is not None:
        day = read_part(reader, "day_of_week", node, moment, depth)
        return meanings.spark_day(day) if reader.language.sunday else day
    if part in _IN_UTC:
        return _IN_UTC[part](reader.read(moment, depth), span)
    if part in _AMBIGUOUS:
        raise reader.fail(msg.unsupported_syntax(span, f"EXTRACT({part.lower()} ...)", _AMBIGUOUS[part]))
    if part == "DAYOFWEEK":
        return meanings.spark_day(read_part(reader, "day_of_week", node, moment, depth))
    if part in ("ISODOW", "DOW_ISO", "DAYOFWEEK_ISO"):
        return meanings.iso_day(read_part(reader, "day_of_week", node, moment, depth), span)
    if part == "QUARTER":
        return meanings.quarter(read_part(reader, "month", node, moment, depth), span)
    if part in _OF_WEEKS:
        return _OF_WEEKS[part](reader.read(moment, depth), span)
    if part not in _EXTRACT:
        hint = f"parts: {', '.join([*_EXTRACT, 'QUARTER', 'WEEK', 'DAYOFWEEK', 'ISODOW'])}".lower()
        raise reader.fail(msg.unsupported_syntax(span, f"EXTRACT({part.lower()} ...)", hint))
    return read_part(reader, _EXTRACT[part], node, moment, depth)


def named(part: str) -> Build:
    """The rule of a function of one argument that returns a part."""
    return lambda reader, node, depth: _named_part(reader, part, node, only(reader, node), depth)


def weekday(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """WEEKDAY: 0 for Monday to 6 for Sunday."""
    return meanings.weekday(
        read_part(reader, "day_of_week", node, only(reader, node), depth), reader.span(node)
    )


def date_part(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`date_part('hour', t)`."""
    args = counted(reader, node, 2)
    if not isinstance(args[0], exp.Literal) or not args[0].is_string:
        raise reader.fail(sql_times.part_not_constant(reader.span(node)))
    return _named_part(reader, args[0].name, node, args[1], depth)


def at_zone(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`x AT TIME ZONE 'zone'`."""
    if isinstance(node.this.unnest(), exp.CurrentDate) and now.is_utc(node.args["zone"]):
        return reader.read(node.this, depth)
    return zones.at_zone(reader, node.this, node.args["zone"], reader.span(node), depth)
