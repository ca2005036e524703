"""Spark SQL (4.0 and later, ANSI mode on or off)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

from sqlglot import exp

from predicat.analysis.clock import is_of_clock
from predicat.backends.sql import (
    arithmetic,
    decimals,
    documents,
    durations,
    moments,
    patterns,
    spark_calendar,
    spark_functions,
    spark_json_texts,
    spark_patterns,
    value_lists,
)
from predicat.backends.sql.builders import (
    Sql,
    and_,
    between,
    binary,
    call,
    case,
    cast,
    is_null,
    not_,
    number_literal,
    or_,
    pack,
    rlike,
    string_literal,
    try_cast,
    wrap,
)
from predicat.backends.sql.common import COMMON, function, template
from predicat.backends.sql.comparisons import nan_where
from predicat.backends.sql.dialect import Dialect
from predicat.backends.sql.documents import is_kind, member_or_element, where_kind
from predicat.backends.sql.json_rewrites import JSON_STEPS, path
from predicat.backends.sql.numbers import divided_by_zero, quantity, to_whole_number
from predicat.backends.sql.present import source_of_present
from predicat.backends.sql.renderer import (
    Documents,
    Renderer,
    Rule,
    constant,
    constant_int,
    let,
    unless_missing,
)
from predicat.backends.sql.texts import INT32_MAX, case_insensitive, folded, like_or, replace_each, substr
from predicat.backends.sql.widths import as_bigint, as_double, operands
from predicat.backends.sql.writing import Spelling
from predicat.diagnostics.messages import backends as say
from predicat.forms.text_casts import text_of
from predicat.ir.nodes import Call, Literal, Node, Quantifier, ranged_over
from predicat.ir.operators import ARRAYS
from predicat.ir.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    DURATION,
    JSON,
    STRING,
    TIMESTAMP,
    MapType,
)
from predicat.ir.values import (
    DECIMAL_PATTERN,
    DOUBLE_LONGEST,
    DOUBLE_PATTERN,
    DURATION_PATTERN,
    FIRST_MOMENT,
    LAST_MOMENT,
    MAX_SECONDS,
    MIN_SECONDS,
    QUANTITY_PATTERN,
    RANGE_MOST,
    SUM_MOST,
    UNITS,
)
from predicat.rewrite.acceptance import never_unknown
from predicat.rewrite.elements import is_exists_over_values, takes_null
from predicat.semantics import regex

_MICROS_OF_DAY = 86_400_000_000


def _apart(arg: Node, parent: Call, sql: Sql) -> Sql:
    """An operand that Spark may not join with its parent.

    Sums within sums, and products within products, are one list of operands to its optimizer, TRY_ or not. It
    adds up their constants (ReorderAssociativeOperator), and works `(a + b) + c` and `a + (b + c)` out once
    for both, although doubles differ by what is rounded, and integers by what overflows.
    """
    if not isinstance(arg, Call) or arg.op != parent.op or parent.op not in ("add", "mul"):
        return sql
    return (
        binary(exp.Sub, sql, number_literal(0))
        if parent.type == DOUBLE
        else call("TRY_SUBTRACT", sql, number_literal(0))
    )


def _arithmetic(integer: str, operator: type[exp.Binary]) -> Rule:
    def rule(r: Renderer, node: Call) -> Sql:
        left, right = node.args
        if node.type == BIGINT and not r.may_overflow(node):
            return binary(operator, *operands(r, node))
        if node.type in (BIGINT, DOUBLE):
            parts = [_apart(arg, node, sql) for arg, sql in zip(node.args, operands(r, node), strict=True)]
            return call(integer, *parts) if node.type == BIGINT else binary(operator, *parts)
        if node.type == DURATION and left.type == TIMESTAMP:
            return binary(exp.Sub, call("UNIX_MICROS", r.node(left)), call("UNIX_MICROS", r.node(right)))
        if node.type == DURATION:
            return durations.in_range(durations.operation(operator, r.node(left), r.node(right)))
        if is_of_clock(node):
            return call(
                "TIMESTAMP_MICROS", binary(operator, call("UNIX_MICROS", r.node(left)), r.node(right))
            )
        return spark_calendar.from_micros(call(integer, call("UNIX_MICROS", r.node(left)), r.node(right)))

    return rule


def _div(r: Renderer, node: Call) -> Sql:
    left, right = node.args
    if node.type == DOUBLE:
        return call("TRY_DIVIDE", *operands(r, node))
    a, b = operands(r, node)
    if _divides(right):
        return exp.IntDiv(this=wrap(a), expression=wrap(b))
    # The one quotient that overflows is that by -1.
    minus = binary(exp.EQ, b, number_literal(-1))
    if not isinstance(left, Call):
        by = exp.IntDiv(this=wrap(a), expression=call("NULLIF", b, number_literal(0)))
        return case((minus, call("TRY_SUBTRACT", cast(number_literal(0), "BIGINT"), a)), default=by)
    # A long dividend is written once: divide by 1 there, and let TRY_MULTIPLY change the sign.
    quotient = exp.IntDiv(
        this=wrap(a),
        expression=case((minus, number_literal(1)), default=call("NULLIF", b, number_literal(0))),
    )
    return call(
        "TRY_MULTIPLY",
        cast(quotient, "BIGINT"),
        cast(case((minus, number_literal(-1)), default=number_literal(1)), "BIGINT"),
    )


def _mod(r: Renderer, node: Call) -> Sql:
    value, divisor = node.args
    if _divides(divisor):
        return binary(exp.Mod, r.node(value), r.node(divisor))
    one, other = operands(r, node)
    return binary(exp.Mod, one, call("NULLIF", other, number_literal(0)))


def _divides(node: Node) -> bool:
    """Whether a divisor is a constant with which nothing can go wrong."""
    return isinstance(node, Literal) and node.value not in (0, -1, None)


def _neg(r: Renderer, node: Call) -> Sql:
    if node.type == BIGINT:
        if not r.may_overflow(node):
            return exp.Neg(this=wrap(as_bigint(r, node.args[0])))
        return call("TRY_SUBTRACT", cast(number_literal(0), "BIGINT"), r.node(node.args[0]))
    return exp.Neg(this=wrap(as_double(r, node.args[0])))


def _abs(r: Renderer, node: Call) -> Sql:
    if node.type == DOUBLE:
        return call("ABS", as_double(r, node.args[0]))
    sql = as_bigint(r, node.args[0])
    if not r.may_overflow(node):
        return call("ABS", sql)
    return case(
        (
            binary(exp.LT, sql, number_literal(0)),
            call("TRY_SUBTRACT", cast(number_literal(0), "BIGINT"), sql),
        ),
        default=sql,
    )


def _whole(name: str) -> Rule:
    """FLOOR and CEIL give a BIGINT in Spark; beyond 2^53 a double is whole already."""

    def rule(r: Renderer, node: Call) -> Sql:
        sql = as_double(r, node.args[0])
        inside = binary(exp.LT, call("ABS", sql), number_literal(2**53))
        return case((inside, cast(call(name, sql), "DOUBLE")), default=sql)

    return rule


# --- strings


def _trim(name: str, end: str = "BOTH") -> Rule:
    """TRIM of spaces, or of any of some characters."""

    def rule(r: Renderer, node: Call) -> Sql:
        value, *characters = r.args(node)
        if not characters:
            return call(name, value)
        return exp.Trim(this=value, expression=characters[0], position=end)

    return rule


def _shape(pattern: str) -> str:
    """One of the patterns of `ir.values`, exact at both ends: Java's `$` also matches before a last line
    end.
    """
    return pattern.removesuffix("$").replace("^", "\\A", 1) + "\\z"


def _replace(r: Renderer, node: Call) -> Sql:
    return call("REPLACE", *r.args(node))


# --- conversions


def _to_int(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    sql = r.node(arg)
    if arg.type == STRING:
        return case((_digits(sql), try_cast(sql, "BIGINT")))
    if arg.type == DOUBLE:
        limit = cast(string_literal("9.223372036854775808E18"), "DOUBLE")
        inside = and_(binary(exp.GTE, sql, exp.Neg(this=limit)), binary(exp.LT, sql, limit))
        return case((inside, cast(sql, "BIGINT")))
    if arg.type == TIMESTAMP:
        return call("UNIX_SECONDS", sql)
    return cast(sql, "BIGINT")


def _to_double(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    sql = r.node(arg)
    if arg.type != STRING:
        return cast(sql, "DOUBLE")
    short = binary(exp.LTE, call("OCTET_LENGTH", sql), number_literal(DOUBLE_LONGEST))
    # NULL for a number beyond the doubles, which TRY_CAST takes for infinity: only of infinity is the
    # remainder of infinity NaN.
    value = call(
        "NANVL",
        binary(exp.Mod, try_cast(sql, "DOUBLE"), cast(string_literal("Infinity"), "DOUBLE")),
        exp.Null(),
    )
    named = exp.In(
        this=wrap(sql),
        expressions=[string_literal("NaN"), string_literal("Infinity"), string_literal("-Infinity")],
    )
    odd = and_(short, rlike(sql, _shape(DOUBLE_PATTERN)))
    return case(
        (and_(short, _decimal(sql), _byte(sql, -1, "9")), value),
        (odd, value),
        (named, try_cast(sql, "DOUBLE")),
    )


def _to_decimal(r: Renderer, node: Call) -> Sql:
    sql = r.node(node.args[0])
    return case((rlike(sql, _shape(DECIMAL_PATTERN)), try_cast(sql, str(node.type))))


def _to_timestamp(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    if (text := text_of(node)) is not None:
        return moments.timestamp(r, r.node(text), rlike)
    sql = r.node(arg)
    if arg.type == STRING:
        # TRY_CAST knows the days and the hours, but neither a small t nor a small z.
        common = _shaped(sql, "____-_____T_____:_9Z")
        value = try_cast(sql, "TIMESTAMPTZ")
        # An offset may lead out of the years that there are.
        inside = and_(
            binary(exp.GTE, sql, string_literal("0001-01-02")),
            binary(exp.LT, sql, string_literal("9999-12-31")),
        )
        upper = try_cast(call("UPPER", sql), "TIMESTAMPTZ")
        known = between(upper, r.dialect.timestamp(FIRST_MOMENT), r.dialect.timestamp(LAST_MOMENT))
        return case(
            (common, value),
            (and_(inside, rlike(sql, _MOMENT)), value),
            (and_(rlike(sql, f"(?i){_MOMENT}"), or_(inside, known)), upper),
        )
    if arg.type == BIGINT:
        return case(
            (
                between(sql, number_literal(MIN_SECONDS), number_literal(MAX_SECONDS)),
                call("TIMESTAMP_SECONDS", sql),
            )
        )
    return call(
        "TIMESTAMP_MICROS",
        binary(exp.Mul, cast(call("UNIX_DATE", sql), "BIGINT"), number_literal(_MICROS_OF_DAY)),
    )


def _to_duration(r: Renderer, node: Call) -> Sql:
    """The parts added up as nanoseconds; the types are such that Spark neither rounds nor overflows."""
    sql = r.node(node.args[0])
    total, part = (exp.to_identifier(name, quoted=True) for name in ("__total", "__part"))
    one, sum_ = exp.Column(this=part), exp.Column(this=total)
    count = try_cast(
        call("REGEXP_EXTRACT", one, string_literal("[0-9.]+"), number_literal(0)), "DECIMAL(24, 9)"
    )
    unit = cast(
        durations.nanoseconds(call("REGEXP_EXTRACT", one, string_literal("[a-z]+"), number_literal(0))),
        "DECIMAL(13)",
    )
    more = cast(binary(exp.Mul, count, unit), "DECIMAL(37, 9)")
    added = exp.Lambda(
        this=try_cast(binary(exp.Add, sum_, more), "DECIMAL(37, 9)"), expressions=[total, part]
    )
    micros = case((durations.fits_duration(sum_), exp.IntDiv(this=sum_, expression=number_literal(1000))))
    parts = call("REGEXP_EXTRACT_ALL", sql, string_literal(durations.PART), number_literal(0))
    result = call(
        "AGGREGATE",
        parts,
        cast(number_literal(0), "DECIMAL(37, 9)"),
        added,
        exp.Lambda(this=micros, expressions=[total]),
    )
    return case((rlike(sql, _shape(DURATION_PATTERN)), durations.signed(sql, result)))


def _to_date(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    if (text := text_of(node)) is not None:
        return moments.date(r.node(text))
    sql = r.node(arg)
    if arg.type == STRING:
        return case((_shaped(sql, "____-__-_9"), try_cast(sql, "DATE")))
    return spark_calendar.utc_date(sql)


def _digits(sql: Sql) -> Sql:
    """Whether a text of at most 20 bytes starts with a minus, a point, a slash or a digit, and ends with a
    digit.

    Casts to numbers take spaces and controls around the number, and a plus.
    """
    first = and_(binary(exp.GTE, sql, string_literal("-")), binary(exp.LT, sql, string_literal(":")))
    return and_(first, binary(exp.LTE, call("OCTET_LENGTH", sql), number_literal(20)), _byte(sql, -1, "9"))


def _decimal(sql: Sql) -> Sql:
    """Whether a text starts as a decimal number does: not with a space, a plus, or as hexadecimal digits
    do ('0x', '-0X').
    """

    def compared(kind: type[exp.Binary], other: str) -> Sql:
        return binary(kind, sql, string_literal(other))

    minus = or_(and_(compared(exp.GTE, "-"), compared(exp.LT, "-0F")), compared(exp.GTE, "-1"))
    return or_(and_(compared(exp.LT, "0F"), or_(compared(exp.GTE, "."), minus)), compared(exp.GTE, "1"))


def _shaped(sql: Sql, shape: str) -> Sql:
    """Whether a text from '0001' on has this length in bytes, and these bytes where the shape has no
    underscore.

    A shape names only the places that leave TRY_CAST no other reading: after '____-' the year has four digits
    and neither sign nor spaces.
    """
    size = binary(exp.EQ, call("OCTET_LENGTH", sql), number_literal(len(shape)))
    places = (_byte(sql, index, byte) for index, byte in enumerate(shape, 1) if byte != "_")
    return and_(size, binary(exp.GTE, sql, string_literal("0001")), *places)


def _byte(sql: Sql, index: int, byte: str) -> Sql:
    """Whether a text has a byte at a position; '9' matches any digit. Bytes are not decoded, so this costs an
    eighth of LIKE.
    """
    result = call("SUBSTRING", cast(sql, "BINARY"), number_literal(index), number_literal(1))
    return between(result, _hex("0"), _hex("9")) if byte == "9" else binary(exp.EQ, result, _hex(byte))


def _hex(byte: str) -> Sql:
    return exp.HexString(this=f"{ord(byte):X}")


_MOMENT = (
    r"\A(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2}(?:[.][0-9]{1,9})?"
    r"(?:Z|[+-](?:0[0-9]|1[0-4]):[0-5][0-9])\z"
)


# --- time


def _seconds(unit: int, name: str, above: int) -> Rule:
    """A part of the clock: of a timestamp in UTC by its seconds since 1970."""

    def rule(r: Renderer, node: Call) -> Sql:
        if len(node.args) == 2:
            return call(name, _wall(r, node))
        rest = call("PMOD", call("UNIX_SECONDS", r.node(node.args[0])), number_literal(above))
        return exp.IntDiv(this=rest, expression=number_literal(unit)) if unit > 1 else rest

    return rule


def _calendar(name: str) -> Rule:
    """A part of the calendar: of a timestamp in UTC by its day."""

    def rule(r: Renderer, node: Call) -> Sql:
        moment = node.args[0]
        return call(
            name,
            r.node(Call(DATE, "to_date", (moment,), node.span))
            if moment.type == TIMESTAMP and len(node.args) == 1
            else _wall(r, node),
        )

    return rule


def _wall(r: Renderer, node: Call) -> Sql:
    """The wall clock as TIMESTAMP_NTZ (or the date), independent of the session's time zone."""
    moment = node.args[0]
    sql = r.node(moment)
    if moment.type == DATE:
        return sql
    wall = spark_calendar.wall_clock(call("UNIX_MICROS", sql))
    return (
        wall
        if len(node.args) == 1
        else call("CONVERT_TIMEZONE", string_literal("UTC"), r.node(node.args[1]), wall)
    )


def _day_of_week(r: Renderer, node: Call) -> Sql:
    return binary(exp.Sub, _calendar("DAYOFWEEK")(r, node), number_literal(1))


def _millisecond(r: Renderer, node: Call) -> Sql:
    micros = call("UNIX_MICROS", r.node(node.args[0]))
    return exp.IntDiv(this=call("PMOD", micros, number_literal(1_000_000)), expression=number_literal(1000))


def _trunc(r: Renderer, node: Call) -> Sql:
    """DATE_TRUNC on the UTC wall clock, back to a timestamp."""
    unit = constant(node.args[0])
    inner = _wall(r, Call(TIMESTAMP, "date_trunc", (node.args[1],)))
    epoch = cast(string_literal("1970-01-01 00:00:00"), "TIMESTAMP_NTZ")
    local = call("DATE_TRUNC", string_literal(unit.upper()), inner)
    micros = exp.Anonymous(
        this="TIMESTAMPDIFF", expressions=[exp.Var(this="MICROSECOND"), epoch, cast(local, "TIMESTAMP_NTZ")]
    )
    return call("TIMESTAMP_MICROS", micros)


def _add_days(r: Renderer, node: Call) -> Sql:
    day, count = r.args(node)
    if is_of_clock(node):
        days = constant_int(node.args[1])
        return call("DATE_ADD", day, count) if days >= 0 else call("DATE_SUB", day, number_literal(-days))
    total = call("TRY_ADD", cast(call("UNIX_DATE", day), "BIGINT"), count)
    inside = between(total, number_literal(-719162), number_literal(2932896))
    return case((inside, call("DATE_FROM_UNIX_DATE", cast(total, "INT"))))


def _days_between(r: Renderer, node: Call) -> Sql:
    return call("DATEDIFF", *r.args(node))


# --- collections


def _quantifier(r: Renderer, node: Quantifier) -> Sql:
    if is_exists_over_values(node) and isinstance(node.source, Call) and not takes_null(node):
        return call("EXISTS", _values(r, node.source, nulls=False), _lambda(node, r.node(node.body)))
    items = _elements(r, node.source)
    body = r.node(node.body)
    if node.kind in ("any", "all"):
        return call("EXISTS" if node.kind == "any" else "FORALL", items, _lambda(node, body))
    if node.kind == "filter" and never_unknown(node.body):
        return call("FILTER", items, _lambda(node, body))
    known = call("FORALL", items, _lambda(node, not_(is_null(body))))
    result = call("TRANSFORM" if node.kind == "map" else "FILTER", items, _lambda(node, body))
    return case(
        (
            known,
            binary(exp.EQ, call("ARRAY_SIZE", result), number_literal(1)) if node.kind == "one" else result,
        )
    )


def _lambda(node: Quantifier, body: Sql) -> Sql:
    return exp.Lambda(this=body, expressions=[exp.to_identifier(node.variable, quoted=True)])


def _elements(r: Renderer, node: Node) -> Sql:
    """The elements of an array, or the keys of an object; elements that are JSON's null are so."""
    if node.type != JSON:
        return r.node(node)
    if isinstance(node, Call) and node.op == "json_values":
        return _values(r, node, nulls=True)
    read = ranged_over(node)
    if read is node:
        return _items(r, node)
    return call("COALESCE", _items(r, read), cast(call("MAP_KEYS", _members(r, read)), "ARRAY<VARIANT>"))


def _not_json_null(sql: Sql) -> Sql:
    return case((not_(call("IS_VARIANT_NULL", sql)), sql))


def _array(r: Renderer, node: Call) -> Sql:
    result = call("ARRAY", *r.args(node))
    return unless_missing(r, node, result)


def _array_eq(r: Renderer, node: Call) -> Sql:
    left, right = r.args(node)
    whole = [
        not_(call("ARRAY_CONTAINS", call("TRANSFORM", part, _is_absent()), exp.Boolean(this=True)))
        for part in (left, right)
    ]
    return case((and_(*whole), binary(exp.EQ, left, right)))


def _is_absent() -> Sql:
    item = exp.to_identifier("__item", quoted=True)
    return exp.Lambda(this=is_null(exp.Column(this=item)), expressions=[item])


def _range(r: Renderer, node: Call) -> Sql:
    """SEQUENCE counts down if the end is smaller, so one more number is made and cut off."""

    def build(count: Sql) -> Sql:
        result = call(
            "SLICE",
            call("SEQUENCE", cast(number_literal(0), "BIGINT"), count),
            number_literal(1),
            cast(count, "INT"),
        )
        return case((between(count, number_literal(0), number_literal(RANGE_MOST)), result))

    return let(r, as_bigint(r, node.args[0]), build)


def _sum(r: Renderer, node: Call) -> Sql:
    """AGGREGATE adds up in order; integers as decimals, which hold any sum of them."""
    total, item = (exp.to_identifier(name, quoted=True) for name in ("__total", "__item"))
    items = r.node(node.args[0])
    if node.type == DOUBLE:
        step = binary(exp.Add, exp.Column(this=total), cast(exp.Column(this=item), "DOUBLE"))
        result = call(
            "AGGREGATE",
            items,
            cast(number_literal(0), "DOUBLE"),
            exp.Lambda(this=step, expressions=[total, item]),
        )
        known = call(
            "FORALL", items, exp.Lambda(this=_can_be_added(exp.Column(this=item)), expressions=[item])
        )
        return case((known, result))
    step = cast(
        binary(exp.Add, exp.Column(this=total), cast(exp.Column(this=item), "DECIMAL(20)")), "DECIMAL(38)"
    )
    return try_cast(
        call(
            "AGGREGATE",
            items,
            cast(number_literal(0), "DECIMAL(38)"),
            exp.Lambda(this=step, expressions=[total, item]),
        ),
        "BIGINT",
    )


def _can_be_added(item: Sql) -> Sql:
    """Whether a double is not so large that the sum of many would be beyond the doubles."""
    size = call("ABS", item)
    return or_(
        binary(exp.LTE, size, cast(string_literal(repr(SUM_MOST)), "DOUBLE")),
        binary(exp.GTE, size, cast(string_literal("Infinity"), "DOUBLE")),
    )


def _extreme_of(name: str) -> Rule:
    def rule(r: Renderer, node: Call) -> Sql:
        whole = source_of_present(node.args[0])
        if whole is not None:
            return call(name, r.node(whole))
        items = r.node(node.args[0])
        return case((not_(call("EXISTS", items, _is_absent())), call(name, items)))

    return rule


def _join_texts(r: Renderer, node: Call) -> Sql:
    items, by = r.args(node)
    absent = call("EXISTS", items, _is_absent())
    return case((not_(absent), call("ARRAY_JOIN", items, by)))


_PLAIN = re.compile("[A-Za-z0-9 @/:;,_=&%#~<>'\"-]+")
"""Texts that are the same as patterns."""


def _split(r: Renderer, node: Call) -> Sql:
    """SPLIT takes a Java pattern: a text in which a character may be a sign of one is quoted whole."""
    by = constant(node.args[1])
    if _PLAIN.fullmatch(by) is None:
        by = "\\Q" + by.replace("\\E", "\\E\\\\E\\Q") + "\\E"
    count = [number_literal(constant_int(node.args[2]))] if len(node.args) == 3 else []
    return call("SPLIT", r.node(node.args[0]), string_literal(by), *count)


def _ieee_div(r: Renderer, node: Call) -> Sql:
    a, b = (as_double(r, arg) for arg in node.args)
    if isinstance(node.args[1], Literal) and node.args[1].value:
        return call("TRY_DIVIDE", a, b)
    negative = binary(exp.EQ, cast(b, "STRING"), string_literal("-0.0"))
    at_zero = divided_by_zero(a, negative, not_nan=not_(call("ISNAN", a)))
    return case((binary(exp.EQ, b, number_literal(0)), at_zero), default=call("TRY_DIVIDE", a, b))


def _in_units(r: Renderer, node: Call) -> Sql:
    return exp.IntDiv(
        this=wrap(r.node(node.args[1])), expression=number_literal(UNITS[constant(node.args[0])])
    )


def _to_string(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    if arg.type == DOUBLE:
        raise r.refuse(node, say.DOUBLES_AS_TEXT)
    sql = r.node(arg)
    if arg.type == DURATION:
        return let(r, sql, durations.duration_text)
    if arg.type == TIMESTAMP:
        return let(r, call("UNIX_MICROS", sql), _moment_text)
    return cast(sql, "STRING")


def _moment_text(micros: Sql) -> Sql:
    # DATE_FORMAT would read the wall clock in the session's time zone, which may lack that hour.
    clock = call(
        "SUBSTRING",
        call(
            "REPLACE",
            cast(spark_calendar.wall_clock(micros), "STRING"),
            string_literal(" "),
            string_literal("T"),
        ),
        number_literal(1),
        number_literal(19),
    )
    return durations.concatenate(
        clock, durations.fraction(call("PMOD", micros, number_literal(1_000_000))), string_literal("Z")
    )


def _bind(values: Mapping[str, Sql], body: Sql) -> Sql:
    """The value, or a struct of several, as the one element of an array, and its name as the variable of a
    function on that.
    """
    value, name, body = pack(values, body)
    result = exp.Lambda(this=body, expressions=[exp.to_identifier(name, quoted=True)])
    return call("GET", call("TRANSFORM", call("ARRAY", value), result), number_literal(0))


def _in_array(r: Renderer, node: Call) -> Sql:
    value, items = r.args(node)
    return call("ARRAY_CONTAINS", items, value)


def _index(r: Renderer, node: Call) -> Sql:
    items, position = r.args(node)
    if isinstance(node.args[1], Literal):
        return (
            call("GET", items, position)
            if 0 <= constant_int(node.args[1]) <= INT32_MAX
            else r.null(node.type)
        )
    return _at(items, position)


def _at(items: Sql, position: Sql) -> Sql:
    """The element at a place, counted from 0, that the row names."""
    return call("GET", items, try_cast(position, "INT"))


def _member(r: Renderer, node: Call) -> Sql:
    base = r.node(node.args[0])
    return exp.Dot(this=base, expression=r.dialect.identifier(constant(node.args[1])))


def _size(r: Renderer, node: Call) -> Sql:
    """SIZE of a NULL is -1 in some settings; CARDINALITY of a map is that of its entries."""
    (arg,) = node.args
    sql = r.node(arg)
    items = call("MAP_KEYS", sql) if isinstance(arg.type, MapType) else sql
    return call("ARRAY_SIZE", items)


# --- JSON: VARIANT columns


def _get(r: Renderer, node: Node, kind: str | None = None) -> Sql:
    """A JSON value as a type, or NULL. Look-ups in a row are one path."""
    base, steps = path(node, lambda step: not isinstance(step, str) or not set(step) & set("'\"\\"))
    result = _looked_up(r, base) if isinstance(base, Call) and base.op in JSON_STEPS else r.document(base)
    if kind is None and not steps:
        return result
    return call(
        "TRY_VARIANT_GET",
        result,
        string_literal("$" + "".join(map(_step, steps))),
        *([string_literal(kind)] if kind else []),
    )


def _looked_up(r: Renderer, node: Call) -> Sql:
    """A member or an element by way of a map or an array of all of them."""
    if node.op == "json_element":
        return member_or_element(r, node)
    base, key = node.args
    if node.op == "json_get":
        return call("TRY_ELEMENT_AT", _members(r, base), r.node(key))
    if isinstance(key, Call) and key.op == "to_whole" and (number_of := _json_read(key.args[0])) is not None:
        # A number that is whole, as the integer that a place is.
        kind = r.dialect.documents.kind(r, number_of)
        whole = binary(
            exp.EQ,
            exp.Mod(this=_get(r, number_of, "double"), expression=number_literal(1)),
            number_literal(0),
        )
        return call(
            "GET", _items(r, base), case((and_(_is_kind(kind, "number"), whole), _get(r, number_of, "int")))
        )
    return _at(_items(r, base), r.node(key))


def _json_read(node: Node) -> Node | None:
    return node.args[0] if isinstance(node, Call) and node.op == "json_number" else None


def _step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if step.isascii() and step.isidentifier() else f'["{step}"]'


def _members(r: Renderer, node: Node) -> Sql:
    """The members of a JSON object as a map, else NULL."""
    return _get(r, node, "map<string,variant>")


def _items(r: Renderer, node: Node) -> Sql:
    """The elements of a JSON array, else NULL."""
    return _get(r, node, "array<variant>")


def _json_step(r: Renderer, node: Call) -> Sql:
    """A member or an element; an absent one and a JSON null are both no value."""
    return _not_json_null(_get(r, node))


def _values(r: Renderer, node: Call, *, nulls: bool) -> Sql:
    """The values of a key; without a difference between no key and a JSON null unless `nulls` asks for it."""
    alone = call("ARRAY", _get(r, Call(JSON, "json_get", node.args) if node.args[1:] else node.args[0]))
    found, place, item = (exp.to_identifier(name, quoted=True) for name in ("__found", "__n", "__inner"))
    if nulls:
        there = not_(is_null(exp.Column(this=item)))
        alone = call("FILTER", alone, exp.Lambda(this=there, expressions=[item]))
    value = exp.Column(this=item)
    inside = call(
        "COALESCE",
        call("TRY_VARIANT_GET", value, string_literal("$"), string_literal("array<variant>")),
        call("ARRAY", value),
    )
    flat = call(
        "FLATTEN", call("TRANSFORM", exp.Column(this=found), exp.Lambda(this=inside, expressions=[item]))
    )
    return call(
        "AGGREGATE",
        call("SEQUENCE", number_literal(1), number_literal(ARRAYS)),
        alone,
        exp.Lambda(this=flat, expressions=[found, place]),
    )


def _json_values(r: Renderer, node: Call) -> Sql:
    return call("TRY_PARSE_JSON", call("TO_JSON", _values(r, node, nulls=True)))


def _json_size(r: Renderer, node: Call) -> Sql:
    (value,) = node.args
    return call(
        "COALESCE",
        call("ARRAY_SIZE", _items(r, value)),
        call("ARRAY_SIZE", call("MAP_KEYS", _members(r, value))),
    )


def _json_items(r: Renderer, node: Call) -> Sql:
    (value,) = node.args
    keys = call("TRY_PARSE_JSON", call("TO_JSON", call("MAP_KEYS", _members(r, value))))
    return call("COALESCE", keys, _not_json_null(r.document(value)))


# The same tokens (a text, a number, what stands between two of these), of which numbers are doubles: VARIANT
# has its keys in order.
# EXISTS and not a plain comparison, so that both values are said once; it is UNKNOWN where one of them is
# absent.
_SAME_JSON = r"""
EXISTS(ARRAY(TRANSFORM(ARRAY(__a, __b), `__j` -> TRANSFORM(
  REGEXP_EXTRACT_ALL(NULLIF(TO_JSON(`__j`), 'null'),
    '"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"|[-0-9][-+.0-9eE]*|[^-0-9"]+', 0),
  `__x` -> COALESCE(CAST(TRY_CAST(`__x` AS DOUBLE) + 0 AS STRING), `__x`)))), `__p` -> `__p`[0] = `__p`[1])
"""


def _is_kind(name: Sql, kind: str) -> Sql:
    if kind in ("string", "boolean"):
        return binary(exp.EQ, name, string_literal(kind.upper()))
    return rlike(name, "^(BIGINT|DECIMAL|DOUBLE|FLOAT)" if kind == "number" else f"^{kind.upper()}")


def _json_number(r: Renderer, node: Call) -> Sql:
    return where_kind(r, node.args[0], "number", _get(r, node.args[0], "double"))


def _json_equals(r: Renderer, value: Node, wanted: float) -> Sql:
    return and_(is_kind(r, value, "number"), binary(exp.EQ, _get(r, value, "double"), r.double(wanted)))


def _json_scalar(r: Renderer, value: Node, text: str) -> Sql:
    return binary(exp.EQ, call("TO_JSON", _get(r, value)), string_literal(text))


def _without_variables(sql: str) -> str:
    """Spark puts the values of variables into the text of SQL, even inside of quotes: ${name}. No name has
    one (see identifier).
    """
    return sql.replace("${", "\\u0024{")


SPARK = Dialect(
    name="spark",
    sqlglot="spark",
    spelling=Spelling(
        constants=((exp.DType.DATE, "DATE"), (exp.DType.TIMESTAMPTZ, "TIMESTAMP")),
        plain_casts=True,
        numbered=False,
        times_as_texts=True,
        backslashes=True,
        variables=True,
    ),
    postprocess=_without_variables,
    runtime=spark_functions.RUNTIME,
    byte_length_function="OCTET_LENGTH",
    types={
        STRING: "STRING",
        BIGINT: "BIGINT",
        DOUBLE: "DOUBLE",
        BOOLEAN: "BOOLEAN",
        TIMESTAMP: "TIMESTAMPTZ",
        DATE: "DATE",
        DURATION: "BIGINT",
    },
    quantifier=_quantifier,
    let_compared=lambda _r, value, body: body(value),
    documents=Documents(
        value=_get,
        text=lambda r, node: _get(r, node, "string"),
        kind=lambda r, node: call("SCHEMA_OF_VARIANT", _get(r, node)),
        null="VOID",
        has_nan=True,
        is_kind=_is_kind,
        equals=_json_equals,
        scalar=_json_scalar,
    ),
    rows={**documents.ROWS, "ne": nan_where},
    bind=_bind,
    max_lambda_depth=14,
    not_nan=lambda sql: not_(call("ISNAN", sql)),
    not_json_null=_not_json_null,
    timestamp=lambda value: cast(string_literal(_zulu(value)), "TIMESTAMPTZ"),
    table={
        **COMMON,
        **arithmetic.RULES,
        **documents.RULES,
        "in_array": _in_array,
        "in_list": value_lists.in_broadcast,
        "add": decimals.where_exact(decimals.spark, _arithmetic("TRY_ADD", exp.Add)),
        "sub": decimals.where_exact(decimals.spark, _arithmetic("TRY_SUBTRACT", exp.Sub)),
        "mul": decimals.where_exact(decimals.spark, _arithmetic("TRY_MULTIPLY", exp.Mul)),
        "div": _div,
        "mod": _mod,
        "fdiv": _ieee_div,
        "int32": lambda r, node: cast(try_cast(r.node(node.args[0]), "INT"), "BIGINT"),
        "neg": decimals.where_exact(decimals.spark_signed, _neg),
        "abs": decimals.where_exact(decimals.spark_signed, _abs),
        "floor": _whole("FLOOR"),
        "ceil": _whole("CEIL"),
        "round": lambda r, node: call("ROUND", as_double(r, node.args[0]), r.node(node.args[1])),
        "bround": lambda r, node: call("BROUND", as_double(r, node.args[0]), r.node(node.args[1])),
        "shift_left": lambda r, node: call("SHIFTLEFT", as_bigint(r, node.args[0]), r.node(node.args[1])),
        "shift_right": lambda r, node: call("SHIFTRIGHT", as_bigint(r, node.args[0]), r.node(node.args[1])),
        "sha256": lambda r, node: call("SHA2", r.node(node.args[0]), number_literal(256)),
        "length": function("LENGTH"),
        "trim": _trim("TRIM"),
        "ltrim": _trim("LTRIM", "LEADING"),
        "rtrim": _trim("RTRIM", "TRAILING"),
        "lpad": function("LPAD"),
        "rpad": function("RPAD"),
        "strip": _trim("TRIM"),
        "split": _split,
        "join": _join_texts,
        "starts_with": like_or("STARTSWITH", "", "%"),
        "ends_with": like_or("ENDSWITH", "%", ""),
        "contains": like_or("CONTAINS", "%", "%"),
        "starts_with_ci": case_insensitive("STARTSWITH"),
        "contains_ci": case_insensitive("CONTAINS"),
        "fold_case": folded("OCTET_LENGTH", lambda text: call("LOWER", text)),
        "like_ci": case_insensitive("LIKE"),
        "matches": spark_patterns.matches,
        "regex_extract": patterns.extract(regex.JAVA),
        "regex_replace": patterns.replace(regex.JAVA, "${}".format, "$\\"),
        "substr": substr(lambda one, other: call("TRY_ADD", one, other), lambda places: cast(places, "INT")),
        "position": lambda r, node: call("INSTR", *r.args(node)),
        "replace": _replace,
        "replace_each": replace_each("(?s)(.)", "$1"),
        "to_int": _to_int,
        "to_whole": to_whole_number("RINT"),
        "to_decimal": decimals.of_numbers(decimals.converted, _to_decimal),
        "to_double": _to_double,
        "to_string": _to_string,
        "to_timestamp": _to_timestamp,
        "to_duration": _to_duration,
        "to_quantity": quantity(
            lambda sql: rlike(sql, _shape(QUANTITY_PATTERN)),
            lambda sql, end: call("ENDSWITH", sql, string_literal(end)),
            lambda digits, power: binary(exp.Mul, try_cast(digits, "DOUBLE"), power),
        ),
        "to_date": _to_date,
        "year": _calendar("YEAR"),
        "month": _calendar("MONTH"),
        "day": _calendar("DAYOFMONTH"),
        "day_of_week": _day_of_week,
        "day_of_year": _calendar("DAYOFYEAR"),
        "hour": _seconds(3600, "HOUR", 86_400),
        "minute": _seconds(60, "MINUTE", 3600),
        "second": _seconds(1, "SECOND", 60),
        "millisecond": _millisecond,
        "date_trunc": _trunc,
        "in_units": _in_units,
        "add_days": _add_days,
        **spark_calendar.RULES,
        "days_between": _days_between,
        "member": _member,
        "index": _index,
        "size": _size,
        "array": _array,
        "array_position": function("ARRAY_POSITION"),
        "array_eq": _array_eq,
        "array_max": _extreme_of("ARRAY_MAX"),
        "array_min": _extreme_of("ARRAY_MIN"),
        "array_concat": function("CONCAT"),
        "range": _range,
        "sum": _sum,
        "parse_json": spark_json_texts.parse_json,
        "json_get": _json_step,
        "json_at": _json_step,
        "json_eq": template("spark", _SAME_JSON),
        "json_number": _json_number,
        "json_values": _json_values,
        "json_size": _json_size,
        "json_items": _json_items,
    },
)


def _zulu(value: datetime) -> str:
    return value.replace(tzinfo=None).isoformat() + "Z"
