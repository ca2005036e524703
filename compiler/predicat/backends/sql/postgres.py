"""PostgreSQL (12 and later). It has no TRY_ functions, so the guard stands inside the expression."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from sqlglot import exp

from predicat.backends.sql.base import (
    COMMON,
    Dialect,
    Renderer,
    Rule,
    Sql,
    between,
    binary,
    both,
    case,
    cast,
    clamp,
    constant,
    either,
    floating,
    fn,
    folded,
    function,
    identifier,
    is_null,
    negation,
    number,
    over_zero,
    text,
    to_boolean,
    wrap,
)
from predicat.ir.nodes import Call, Literal, Node, Quantifier
from predicat.ir.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    DURATION,
    JSON,
    STRING,
    TIMESTAMP,
    ArrayType,
    MapType,
    Type,
)
from predicat.ir.values import DATE_PATTERN, DOUBLE_PATTERN, INT_MAX, INT_MIN, INT_PATTERN, MAX_SECONDS, MIN_SECONDS, TIMESTAMP_PATTERN, UNITS
from predicat.semantics import casefold, like, regex

_SMALL = 24
"""Expressions of up to so many parts are written twice where a guard needs their value; larger ones get a subquery."""


def let(r: Renderer, value: Sql, body: Callable[[Sql], Sql]) -> Sql:
    """`body(value)` where the body uses the value several times, without writing a large value several times."""
    if sum(1 for _ in value.walk()) <= _SMALL:
        return body(value)
    table, name = r.fresh("t"), r.fresh("v")
    inner = exp.select(exp.alias_(value, name)).offset(0).subquery(table)
    return exp.select(body(exp.column(name, table=table))).from_(inner).subquery()


def _collate(r: Renderer, node: Call) -> Sql:
    """Order by code point: the database's collation may be another."""
    return exp.Collate(this=wrap(r.node(node.args[0])), expression=exp.to_identifier("C", quoted=True))


# --- numbers


def _operate(kind: type[exp.Binary], left: Sql, right: Sql) -> Sql:
    """An arithmetic operation as it is: sqlglot turns an untyped division into one of doubles."""
    found = binary(kind, left, right)
    if kind is exp.Div:
        found.set("typed", True)
    return found


def _numeric(sql: Sql) -> Sql:
    return cast(sql, "DECIMAL")


def _in_range(r: Renderer, value: Sql) -> Sql:
    """A numeric as BIGINT, or NULL where it does not fit."""
    low, high = number(INT_MIN), number(INT_MAX)
    return let(r, value, lambda sql: case((between(sql, low, high), cast(sql.copy(), "BIGINT"))))


def _operand(r: Renderer, node: Node) -> Sql:
    sql = r.node(node)
    return sql if isinstance(node, Literal) else _numeric(sql)


def _arithmetic(operator: type[exp.Binary]) -> Rule:
    def rule(r: Renderer, node: Call) -> Sql:
        left, right = node.args
        if node.type == BIGINT or (node.type == DURATION and left.type == DURATION):
            return _in_range(r, binary(operator, _operand(r, left), _operand(r, right)))
        if node.type == DOUBLE:
            return _float(r, operator, left, right)
        if node.type == DURATION:
            return cast(binary(exp.Sub, _micros(r.node(left)), _micros(r.node(right))), "BIGINT")
        return _moment(r, binary(operator, _micros(r.node(left)), _operand(r, right)))

    return rule


def _micros(sql: Sql) -> Sql:
    """Microseconds since 1970 of a timestamp, as an exact numeric."""
    epoch = exp.Extract(this=exp.Var(this="EPOCH"), expression=sql)
    return binary(exp.Mul, epoch, number(1_000_000))


def _moment(r: Renderer, micros: Sql) -> Sql:
    """A timestamp from microseconds since 1970, or NULL outside years 1 to 9999."""
    low, high = number(MIN_SECONDS * 1_000_000), number(MAX_SECONDS * 1_000_000 + 999_999)
    epoch = cast(text("1970-01-01 00:00:00"), "TIMESTAMP")

    def build(sql: Sql) -> Sql:
        # A product of an interval and a double loses microseconds far from 1970, so seconds and the rest are apart.
        seconds = fn("FLOOR", _operate(exp.Div, sql.copy(), number(1_000_000)))
        rest = fn("MOD", binary(exp.Add, fn("MOD", sql.copy(), number(1_000_000)), number(1_000_000)), number(1_000_000))
        days = fn("FLOOR", _operate(exp.Div, seconds, number(86400)))
        left = binary(exp.Sub, seconds.copy(), binary(exp.Mul, days.copy(), number(86400)))
        whole_days = fn("MAKE_INTERVAL", *(number(0) for _ in range(3)), cast(days, "INT"))
        clock = binary(exp.Add, binary(exp.Mul, cast(left, "INT"), _interval("1 second")),
                       binary(exp.Mul, cast(rest, "INT"), _interval("1 microsecond")))  # fmt: skip
        utc = binary(exp.Add, epoch, whole_days)
        return case((between(sql, low, high), exp.AtTimeZone(this=exp.Paren(this=binary(exp.Add, utc, clock)), zone=text("UTC"))))

    return let(r, micros, build)


def _interval(length: str) -> Sql:
    return cast(text(length), "INTERVAL")


_BIG, _TINY = cast(text("1e150"), "DOUBLE"), cast(text("1e-150"), "DOUBLE")


def _float(r: Renderer, operator: type[exp.Binary], left: Node, right: Node) -> Sql:
    """IEEE 754 without PostgreSQL's errors on overflow and underflow.

    Ordinary magnitudes are computed as they are; the others as exact numerics, and brought back to a double.
    """
    one, other = floating(r, left), floating(r, right)

    def build(a: Sql, b: Sql) -> Sql:
        checks = [_ordinary(part, operator) for part in (a, b)]
        plain = _operate(operator, a.copy(), b.copy())
        # A numeric zero has no sign: that of a product or quotient too small for it is the operands'.
        signs = [wrap(binary(exp.LT, part.copy(), number(0))) for part in (a, b)]
        negative = None if operator in (exp.Add, exp.Sub) else exp.NEQ(this=signs[0], expression=signs[1])
        exact = _from_numeric(r, operator, _exact(a.copy()), _exact(b.copy()), negative)
        # Nothing overflows beside a zero, and a numeric would lose its sign.
        zeros = [binary(exp.EQ, part.copy(), number(0)) for part in ((a,) if operator is exp.Div else (a, b))]
        return case((either(both(*checks), *zeros), plain), default=exact)

    return let(r, one, lambda a: let(r, other, lambda b: build(a, b)))


def _exact(sql: Sql) -> Sql:
    """A double as the numeric of its shortest text: a direct cast keeps only 15 digits."""
    return _numeric(cast(sql, "TEXT"))


def _ordinary(sql: Sql, operator: type[exp.Binary]) -> Sql:
    size = fn("ABS", sql.copy())
    below = binary(exp.LT, size, _BIG.copy())
    if operator in (exp.Add, exp.Sub):
        return below
    return both(below, either(binary(exp.GT, size.copy(), _TINY.copy()), binary(exp.EQ, sql.copy(), number(0))))


def _from_numeric(r: Renderer, operator: type[exp.Binary], a: Sql, b: Sql, negative: Sql | None) -> Sql:
    """The double of an exact result; `negative` says whether one that is next to zero is -0.0, by default its own sign."""
    if operator is exp.Div:
        b = fn("NULLIF", b, number(0))
    limit = number("1.7976931348623158e308")
    tiny = number("2.4703282292062328e-324")
    infinity = cast(text("Infinity"), "DOUBLE")

    def build(sql: Sql) -> Sql:
        nan = exp.EQ(this=wrap(sql.copy()), expression=_numeric(text("NaN")))
        return case(
            (nan, cast(text("NaN"), "DOUBLE")),
            (binary(exp.GTE, sql.copy(), limit), infinity),
            (binary(exp.LTE, sql.copy(), exp.Neg(this=limit.copy())), exp.Neg(this=exp.Paren(this=infinity.copy()))),
            (binary(exp.LTE, fn("ABS", sql.copy()), tiny), case((negative or binary(exp.LT, sql.copy(), number(0)), cast(text("-0"), "DOUBLE")),
                                                               default=cast(number(0), "DOUBLE"))),
            default=cast(sql.copy(), "DOUBLE"),
        )

    return let(r, _finite_ops(operator, a, b), build)


def _finite_ops(operator: type[exp.Binary], a: Sql, b: Sql) -> Sql:
    """The numeric result. Infinity times zero and Infinity by Infinity are NaN in numeric as well, and never raise."""
    if operator is exp.Div:
        # A numeric quotient keeps few digits of a tiny result: scale up, far enough for any double.
        return _operate(exp.Div, wrap(binary(exp.Mul, a, number("1." + "0" * 350))), b)
    return binary(operator, a, b)


def _div(r: Renderer, node: Call) -> Sql:
    left, right = node.args
    if node.type == DOUBLE:
        sql = floating(r, right)
        plain = _float(r, exp.Div, left, right)
        if isinstance(right, Literal) and right.value:
            return plain
        return case((binary(exp.NEQ, sql, number(0)), plain))
    divisor = fn("NULLIF", _operand(r, right), number(0))
    return _in_range(r, fn("DIV", _operand(r, left), divisor))


def _mod(r: Renderer, node: Call) -> Sql:
    return cast(fn("MOD", _operand(r, node.args[0]), fn("NULLIF", _operand(r, node.args[1]), number(0))), "BIGINT")


def _neg(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    if node.type == DOUBLE:
        return exp.Neg(this=wrap(floating(r, arg)))
    return _in_range(r, exp.Neg(this=wrap(_operand(r, arg))))


def _abs(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    return fn("ABS", floating(r, arg)) if node.type == DOUBLE else _in_range(r, fn("ABS", _operand(r, arg)))


def _whole(name: str) -> Rule:
    """Zero has no sign here, whatever that of its argument."""
    return lambda r, node: binary(exp.Add, fn(name, floating(r, node.args[0])), cast(number(0), "DOUBLE"))


# --- strings


def _starts_with(r: Renderer, node: Call) -> Sql:
    """LIKE with a constant, which an index can serve; a function otherwise."""
    value, prefix = node.args
    if isinstance(prefix, Literal) and isinstance(prefix.value, str) and r.first is None:
        return exp.Like(this=wrap(r.node(value)), expression=text(like.escaped(prefix.value) + "%"))
    return fn("STARTS_WITH", *r.args(node))


def _ends_with(r: Renderer, node: Call) -> Sql:
    value, suffix = r.args(node)
    if isinstance(node.args[1], Literal) and r.first is None:
        return exp.Like(this=wrap(value), expression=text("%" + like.escaped(constant(node.args[1]))))
    return binary(exp.EQ, fn("RIGHT", value, fn("CHAR_LENGTH", suffix)), suffix.copy())


def _contains(r: Renderer, node: Call) -> Sql:
    return binary(exp.GT, fn("STRPOS", *r.args(node)), number(0))


def _like(r: Renderer, node: Call) -> Sql:
    return exp.Like(this=wrap(r.node(node.args[0])), expression=r.node(node.args[1]))


def _ci(name: str) -> Rule:
    def rule(r: Renderer, node: Call) -> Sql:
        wanted = casefold.fold(constant(node.args[1]))
        value = folded(r, node.args[0], wanted)
        if name == "eq":
            return binary(exp.EQ, value, text(wanted))
        if name == "contains":
            return binary(exp.GT, fn("STRPOS", value, text(wanted)), number(0))
        pattern = wanted if name == "like" else like.escaped(wanted) + "%"
        return exp.Like(this=wrap(value), expression=text(pattern))

    return rule


def _ascii(name: str) -> Rule:
    """In collation "C", LOWER and UPPER change ASCII letters only."""
    c = exp.to_identifier("C", quoted=True)
    return lambda r, node: fn(name, exp.Collate(this=wrap(r.node(node.args[0])), expression=c.copy()))


def _matches(r: Renderer, node: Call) -> Sql:
    return tilde(r.node(node.args[0]), regex.emit(regex.parse(constant(node.args[1])), regex.POSTGRES))


def tilde(sql: Sql, pattern: str) -> Sql:
    return exp.RegexpLike(this=wrap(sql), expression=text(pattern))


def _shape(pattern: str) -> str:
    return pattern.removesuffix("$").replace("^", "\\A", 1) + "\\Z"


def _trim(name: str) -> Rule:
    return lambda r, node: fn(name, r.node(node.args[0]), text(" "))


def _substr(r: Renderer, node: Call) -> Sql:
    value, *numbers = (r.node(arg) for arg in node.args)
    if all(_int32_literal(arg) for arg in node.args[1:]):
        negative = len(numbers) == 2 and _value(node.args[2]) < 0
        return cast(exp.Null(), "TEXT") if negative else fn("SUBSTR", value, *numbers)
    start = cast(clamp(numbers[0], 1, 2**31 - 1), "INT")
    if len(numbers) == 1:
        return fn("SUBSTR", value, start)
    end = binary(exp.Add, _numeric(numbers[0].copy()), _numeric(numbers[1]))
    rest = cast(clamp(binary(exp.Sub, end, start.copy()), 0, 2**31 - 1), "INT")
    return case((binary(exp.GTE, numbers[1].copy(), number(0)), fn("SUBSTR", value, start, rest)))


def _value(node: Node) -> int:
    return node.value if isinstance(node, Literal) and isinstance(node.value, int) else 0


def _int32_literal(node: Node) -> bool:
    return isinstance(node, Literal) and isinstance(node.value, int) and abs(node.value) < 2**31


# --- conversions


def _text_to_int(r: Renderer, sql: Sql) -> Sql:
    return let(r, sql, lambda one: case((tilde(one, _shape(INT_PATTERN)), _in_range(r, _numeric(one.copy())))))


def _to_int(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    sql = r.node(arg)
    if arg.type == STRING:
        return _text_to_int(r, sql)
    if arg.type == DOUBLE:
        limit = cast(text("9223372036854775808"), "DOUBLE")

        def build(one: Sql) -> Sql:
            inside = both(binary(exp.GTE, one, exp.Neg(this=limit)), binary(exp.LT, one.copy(), limit.copy()))
            return case((inside, cast(fn("TRUNC", cast(one.copy(), "DOUBLE")), "BIGINT")))

        return let(r, sql, build)
    if arg.type == TIMESTAMP:
        return cast(fn("FLOOR", exp.Extract(this=exp.Var(this="EPOCH"), expression=sql)), "BIGINT")
    if arg.type == BOOLEAN:
        return cast(cast(sql, "INT"), "BIGINT")
    return cast(sql, "BIGINT")


def _text_to_double(r: Renderer, sql: Sql) -> Sql:
    def build(one: Sql) -> Sql:
        value = _numeric(one.copy())
        size = fn("ABS", value)
        tiny = binary(exp.LT, size, number("2.4703282292062328e-324"))
        fits = binary(exp.LT, size.copy(), number("1.7976931348623158e308"))
        converted = case((tiny, cast(number(0), "DOUBLE")), (fits, cast(value.copy(), "DOUBLE")))
        named = exp.In(this=wrap(one.copy()), expressions=[text("NaN"), text("Infinity"), text("-Infinity")])
        return case((tilde(one, _shape(DOUBLE_PATTERN)), converted), (named, cast(one.copy(), "DOUBLE")))

    return let(r, sql, build)


def _to_double(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    sql = r.node(arg)
    return _text_to_double(r, sql) if arg.type == STRING else cast(sql, "DOUBLE")


def _to_string(r: Renderer, node: Call) -> Sql:
    if node.args[0].type not in (BIGINT, BOOLEAN, DATE):
        raise r.refuse(node, f"the engines write a {node.args[0].type} differently")
    sql = r.node(node.args[0])
    if node.args[0].type == DATE:
        return fn("TO_CHAR", cast(sql, "TIMESTAMP"), text("YYYY-MM-DD"))
    return cast(sql, "TEXT")


def _to_timestamp(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    sql = r.node(arg)
    if arg.type == STRING:
        # PostgreSQL rounds to microseconds; the meaning is to cut.
        cut = fn("REGEXP_REPLACE", sql.copy(), text("([.][0-9]{6})[0-9]+"), text("\\1"))
        return case((tilde(sql, _shape(TIMESTAMP_PATTERN)), cast(cut, "TIMESTAMPTZ")))
    if arg.type == BIGINT:
        return _moment(r, binary(exp.Mul, _numeric(sql), number(1_000_000)))
    return exp.AtTimeZone(this=wrap(cast(sql, "TIMESTAMP")), zone=text("UTC"))


def _to_date(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    sql = r.node(arg)
    if arg.type == STRING:
        return case((tilde(sql, _shape(DATE_PATTERN)), cast(sql.copy(), "DATE")))
    return cast(exp.Paren(this=exp.AtTimeZone(this=wrap(sql), zone=text("UTC"))), "DATE")


# --- time


def _wall(r: Renderer, node: Call) -> Sql:
    moment = node.args[0]
    sql = r.node(moment)
    if moment.type == DATE:
        return sql
    zone = r.node(node.args[1]) if len(node.args) == 2 else text("UTC")
    return exp.AtTimeZone(this=wrap(sql), zone=zone)


def _part(name: str) -> Rule:
    def rule(r: Renderer, node: Call) -> Sql:
        found: Sql = exp.Extract(this=exp.Var(this=name), expression=_wall(r, node))
        return cast(fn("FLOOR", found) if name == "SECOND" else found, "BIGINT")

    return rule


def _millisecond(r: Renderer, node: Call) -> Sql:
    found = exp.Extract(this=exp.Var(this="MILLISECONDS"), expression=_wall(r, node))
    return cast(fn("MOD", fn("FLOOR", found), number(1000)), "BIGINT")


def _trunc(r: Renderer, node: Call) -> Sql:
    inner = exp.AtTimeZone(this=wrap(r.node(node.args[1])), zone=text("UTC"))
    local = fn("DATE_TRUNC", text(constant(node.args[0])), inner)
    return exp.AtTimeZone(this=local, zone=text("UTC"))


def _add_days(r: Renderer, node: Call) -> Sql:
    day, count = r.args(node)
    start = cast(text("0001-01-01"), "DATE")
    offset = binary(exp.Add, exp.Paren(this=binary(exp.Sub, day, start)), _numeric(count))
    inside = between(offset, number(0), number(3652058))
    return case((inside, binary(exp.Add, start.copy(), cast(offset.copy(), "INT"))))


def _days_between(r: Renderer, node: Call) -> Sql:
    return cast(exp.Paren(this=binary(exp.Sub, *r.args(node))), "BIGINT")


# --- collections: arrays, jsonb for maps, composite types for structs


def _quantifier(r: Renderer, node: Quantifier) -> Sql:
    """EXISTS over UNNEST is two-valued: count TRUE, FALSE and UNKNOWN elements instead."""
    items = r.node(node.source)
    body = r.node(node.body)
    if node.source.type == JSON:
        items = case((binary(exp.EQ, fn("JSONB_TYPEOF", items), text("array")), items.copy()))
    if node.kind in ("one", "filter", "map"):
        return _collected(r, node, items, body)
    decided, other = (True, False) if node.kind == "any" else (False, True)
    hit = fn("BOOL_OR", body if decided else negation(body))
    unknown = fn("BOOL_OR", is_null(body.copy()))
    outcome = case((hit, exp.Boolean(this=decided)), (unknown, cast(exp.Null(), "BOOLEAN")), default=exp.Boolean(this=other))
    inner = exp.Select(expressions=[outcome]).from_(_rows(r, node, items)).subquery()
    return case((negation(is_null(items.copy())), inner))


def _rows(r: Renderer, node: Quantifier, items: Sql) -> Sql:
    """The elements as rows: the variable, and the place in `__at`."""
    column = exp.to_identifier(node.variable, quoted=True)
    each = fn("JSONB_ARRAY_ELEMENTS" if node.source.type == JSON else "UNNEST", items)
    alias = exp.TableAlias(this=exp.to_identifier(r.fresh("t")), columns=[column, exp.to_identifier("__at")])
    table = exp.Table(this=each, alias=alias, ordinality=True)
    if node.source.type != JSON:
        return table
    value = exp.alias_(fn("NULLIF", exp.Column(this=column.copy()), cast(text("null"), "JSONB")), node.variable, quoted=True)
    return exp.Select(expressions=[value, exp.column("__at")]).from_(table).subquery(r.fresh("t"))


def _collected(r: Renderer, node: Quantifier, items: Sql, body: Sql) -> Sql:
    """UNKNOWN if the body is for any element; else whether just one is TRUE, or an array in the order of the source."""
    unknown = fn("COALESCE", fn("BOOL_OR", is_null(body)), exp.Boolean(this=False))
    if node.kind == "one":
        hits = exp.Filter(this=fn("COUNT", exp.Star()), expression=exp.Where(this=body.copy()))
        found: Sql = binary(exp.EQ, hits, number(1))
    else:
        kept = body.copy() if node.kind == "map" else exp.Column(this=exp.to_identifier(node.variable, quoted=True))
        gathered: Sql = fn("ARRAY_AGG", exp.Order(this=kept, expressions=[exp.Ordered(this=exp.column("__at"), nulls_first=False)]))
        if node.kind == "filter":
            gathered = exp.Filter(this=gathered, expression=exp.Where(this=body.copy()))
        element = node.type.element if isinstance(node.type, ArrayType) else STRING
        empty = cast(text("{}"), f"{_TYPES.get(element, 'TEXT')}[]")
        found = fn("COALESCE", gathered, empty)
    outcome = case((negation(unknown), found))
    inner = exp.Select(expressions=[outcome]).from_(_rows(r, node, items)).subquery()
    return case((negation(is_null(items.copy())), inner))


def _array(r: Renderer, node: Call) -> Sql:
    element = node.type.element if isinstance(node.type, ArrayType) else STRING
    found = cast(exp.Array(expressions=r.args(node)), f"{_TYPES.get(element, 'TEXT')}[]")
    doubtful = [r.node(arg) for arg in node.args if not isinstance(arg, Literal) or arg.value is None]
    return case((both(*(negation(is_null(part)) for part in doubtful)), found)) if doubtful else found


def _array_concat(r: Renderer, node: Call) -> Sql:
    """`||` passes over a NULL array."""
    left, right = r.args(node)
    there = both(negation(is_null(left.copy())), negation(is_null(right.copy())))
    return case((there, exp.DPipe(this=wrap(left), expression=wrap(right), safe=True)))


def _whole_array(sql: Sql) -> Sql:
    return is_null(fn("ARRAY_POSITION", sql, exp.Null()))


def _array_eq(r: Renderer, node: Call) -> Sql:
    left, right = r.args(node)
    return case((both(_whole_array(left.copy()), _whole_array(right.copy())), binary(exp.EQ, left, right)))


def _join_texts(r: Renderer, node: Call) -> Sql:
    items, by = r.args(node)
    return case((_whole_array(items.copy()), fn("ARRAY_TO_STRING", items, by)))


def _split(r: Renderer, node: Call) -> Sql:
    """STRING_TO_ARRAY of an empty text is an empty array; it is one empty text here."""
    sql = r.node(node.args[0])
    empty = cast(exp.Array(expressions=[text("")]), "TEXT[]")
    return case((binary(exp.EQ, sql, text("")), empty), default=fn("STRING_TO_ARRAY", sql.copy(), r.node(node.args[1])))


def _keys(r: Renderer, node: Call) -> Sql:
    sql = r.node(node.args[0])
    rows = exp.Select(expressions=[fn("JSONB_OBJECT_KEYS", sql)]).subquery()
    return case((negation(is_null(sql.copy())), exp.Anonymous(this="ARRAY", expressions=[rows.this])))


def _ieee_div(r: Renderer, node: Call) -> Sql:
    a, b = (floating(r, arg) for arg in node.args)
    plain = _float(r, exp.Div, *node.args)
    if isinstance(node.args[1], Literal) and node.args[1].value:
        return plain
    negative = binary(exp.EQ, cast(b.copy(), "TEXT"), text("-0"))
    at_zero = over_zero(a.copy(), negative, not_nan=_not_nan(a.copy()))
    return case((binary(exp.EQ, b.copy(), number(0)), at_zero), (binary(exp.NEQ, b.copy(), number(0)), plain))



def _in_units(r: Renderer, node: Call) -> Sql:
    return _operate(exp.Div, cast(r.node(node.args[1]), "BIGINT"), number(UNITS[constant(node.args[0])]))


def _in_array(r: Renderer, node: Call) -> Sql:
    value, items = r.args(node)
    found = exp.EQ(this=wrap(value), expression=exp.Any(this=exp.Paren(this=items)))
    if node.args[0].type == DOUBLE:
        return both(found, _not_nan(value.copy()))
    # `= ANY` of an empty array is FALSE even for a NULL value, where the meaning is UNKNOWN.
    return case((negation(is_null(value.copy())), found))


def _subscripted(items: Sql) -> Sql:
    """PostgreSQL takes a subscript behind a column or behind parentheses."""
    return items if isinstance(items, exp.Column) else exp.Paren(this=items)


def _index(r: Renderer, node: Call) -> Sql:
    """0-based, whatever the lower bound of the array; unnested arrays of arrays are not supported by the type."""
    items, position = r.args(node)
    if isinstance(node.args[1], Literal) and node.args[1].value is None:
        return r.null(node.type)
    if isinstance(node.args[1], Literal) and not 0 <= _value(node.args[1]) < 2**31 - 1:
        return r.null(node.type)
    if isinstance(node.args[1], Literal):
        return exp.Bracket(this=_subscripted(items), expressions=[number(_value(node.args[1]) + 1)], offset=1)
    # No array reaches so far: what is beyond the integers finds nothing there either.
    shifted = binary(exp.Add, cast(clamp(position, -1, 2**31 - 2), "INT"), number(1))
    return exp.Bracket(this=_subscripted(items), expressions=[shifted], offset=1)


def _member(r: Renderer, node: Call) -> Sql:
    name = identifier(constant(node.args[1]), "postgres")
    return exp.Dot(this=exp.Paren(this=r.node(node.args[0])), expression=name)


def _size(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    sql = r.node(arg)
    if not isinstance(arg.type, MapType):
        return cast(fn("CARDINALITY", sql), "BIGINT")
    keys = exp.Table(this=fn("JSONB_OBJECT_KEYS", sql.copy()))
    return case((_json_kind(sql, "object"), exp.Select(expressions=[fn("COUNT", exp.Star())]).from_(keys).subquery()))


def _get(r: Renderer, node: Call) -> Sql:
    """The value of a key of a map, which PostgreSQL keeps as jsonb."""
    base, key = (wrap(sql) for sql in r.args(node))
    return _from_jsonb(r, base, key, node.type)


def _from_jsonb(r: Renderer, base: Sql, key: Sql, kind: Type) -> Sql:
    as_text = _arrow(base, key, "->>")
    if kind == STRING:
        return as_text
    if kind == BIGINT:
        return _text_to_int(r, as_text)
    if kind == DOUBLE:
        return _text_to_double(r, as_text)
    if kind == BOOLEAN:
        return to_boolean(as_text)
    return _arrow(base, key, "->")


def _arrow(base: Sql, key: Sql, operator: str) -> Sql:
    """Jsonb's `->` and `->>` as their functions: operators as such have no node that takes any key as it is."""
    return fn("JSONB_OBJECT_FIELD_TEXT" if operator == "->>" else "JSONB_OBJECT_FIELD", base, key)


def _json_get(r: Renderer, node: Call) -> Sql:
    """A member; an absent one and a JSON null are both no value. Steps in a row are one path."""
    keys: list[Sql] = []
    base: Node = node
    while isinstance(base, Call) and base.op == "json_get":
        keys.insert(0, r.node(base.args[1]))
        base = base.args[0]
    return fn("NULLIF", fn("JSONB_EXTRACT_PATH", r.node(base), *keys), cast(text("null"), "JSONB"))


def _json_at(r: Renderer, node: Call) -> Sql:
    base, position = r.args(node)
    found = fn("JSONB_ARRAY_ELEMENT", base, cast(position, "INT"))
    inside = between(position.copy(), number(0), number(2**31 - 1))
    return case((inside, fn("NULLIF", found, cast(text("null"), "JSONB"))))


def _json_kind(sql: Sql, kind: str) -> Sql:
    return binary(exp.EQ, fn("JSONB_TYPEOF", sql), text(kind))


def _json_is(r: Renderer, node: Call) -> Sql:
    return _json_kind(r.node(node.args[0]), constant(node.args[1]))


def _json_text(sql: Sql) -> Sql:
    """The text of a JSON value, a string without its quotes."""
    return exp.JSONBExtractScalar(this=wrap(sql), expression=text("{}"))


def _json_number(r: Renderer, node: Call) -> Sql:
    def build(sql: Sql) -> Sql:
        value = _numeric(sql.copy())
        fits = binary(exp.LT, fn("ABS", value), number("1.7976931348623158e308"))
        tiny = binary(exp.LT, fn("ABS", value.copy()), number("2.4703282292062328e-324"))
        return case((_json_kind(sql.copy(), "number"), case(
            (tiny, cast(number(0), "DOUBLE")), (fits, cast(value.copy(), "DOUBLE")))))  # fmt: skip

    return let(r, r.node(node.args[0]), build)


def _json_scalar(kind: str, type_name: str) -> Rule:
    def rule(r: Renderer, node: Call) -> Sql:
        return let(r, r.node(node.args[0]), lambda sql: case((_json_kind(sql, kind), cast(exp.Paren(this=_json_text(sql.copy())), type_name))))

    return rule


def _json_size(r: Renderer, node: Call) -> Sql:
    def build(sql: Sql) -> Sql:
        keys = exp.Table(this=fn("JSONB_OBJECT_KEYS", sql.copy()))
        count = exp.Select(expressions=[fn("COUNT", exp.Star())]).from_(keys).subquery()
        length = cast(fn("JSONB_ARRAY_LENGTH", sql.copy()), "BIGINT")
        return case((_json_kind(sql, "array"), length), (_json_kind(sql.copy(), "object"), count))

    return let(r, r.node(node.args[0]), build)


def _not_nan(sql: Sql) -> Sql:
    return binary(exp.NEQ, sql, cast(text("NaN"), "DOUBLE"))


def _timestamp(value: datetime) -> Sql:
    return cast(text(value.replace(tzinfo=None).isoformat(sep=" ") + "+00"), "TIMESTAMPTZ")


_TYPES: dict[Type, str] = {STRING: "TEXT", BIGINT: "BIGINT", DOUBLE: "DOUBLE", BOOLEAN: "BOOLEAN", TIMESTAMP: "TIMESTAMPTZ", DATE: "DATE",
                           DURATION: "BIGINT", JSON: "JSONB"}  # fmt: skip

POSTGRES = Dialect(
    name="postgres",
    sqlglot="postgres",
    types={STRING: "TEXT", BIGINT: "BIGINT", DOUBLE: "DOUBLE", BOOLEAN: "BOOLEAN", TIMESTAMP: "TIMESTAMPTZ", DATE: "DATE",
           DURATION: "BIGINT", JSON: "JSONB"},  # fmt: skip
    quantifier=_quantifier,
    let=let,
    not_nan=_not_nan,
    timestamp=_timestamp,
    stores_nul=False,
    table={
        **COMMON,
        "collate": _collate,
        "in_array": _in_array,
        "add": _arithmetic(exp.Add),
        "sub": _arithmetic(exp.Sub),
        "mul": _arithmetic(exp.Mul),
        "div": _div,
        "mod": _mod,
        "fdiv": _ieee_div,
        "int32": lambda r, node: let(r, r.node(node.args[0]), lambda sql: case((between(sql, number(-(2**31)), number(2**31 - 1)), sql.copy()))),
        "neg": _neg,
        "abs": _abs,
        "floor": _whole("FLOOR"),
        "ceil": _whole("CEIL"),
        "concat": lambda r, node: exp.DPipe(this=wrap(r.node(node.args[0])), expression=wrap(r.node(node.args[1])), safe=True),
        "length": lambda r, node: cast(fn("CHAR_LENGTH", r.node(node.args[0])), "BIGINT"),
        "lower": _ascii("LOWER"),
        "upper": _ascii("UPPER"),
        "trim": _trim("BTRIM"),
        "ltrim": _trim("LTRIM"),
        "rtrim": _trim("RTRIM"),
        "strip": lambda r, node: fn("BTRIM", *r.args(node)),
        "reverse": function("REVERSE"),
        "split": _split,
        "join": _join_texts,
        "starts_with": _starts_with,
        "ends_with": _ends_with,
        "contains": _contains,
        "like": _like,
        "equals_ci": _ci("eq"),
        "starts_with_ci": _ci("starts_with"),
        "contains_ci": _ci("contains"),
        "like_ci": _ci("like"),
        "matches": _matches,
        "substr": _substr,
        "position": lambda r, node: cast(fn("STRPOS", *r.args(node)), "BIGINT"),
        "replace": function("REPLACE"),
        "to_int": _to_int,
        "to_double": _to_double,
        "to_string": _to_string,
        "to_boolean": lambda r, node: to_boolean(r.node(node.args[0])),
        "to_timestamp": _to_timestamp,
        "to_date": _to_date,
        "year": _part("YEAR"),
        "month": _part("MONTH"),
        "day": _part("DAY"),
        "day_of_week": _part("DOW"),
        "day_of_year": _part("DOY"),
        "hour": _part("HOUR"),
        "minute": _part("MINUTE"),
        "second": _part("SECOND"),
        "millisecond": _millisecond,
        "date_trunc": _trunc,
        "in_units": _in_units,
        "add_days": _add_days,
        "days_between": _days_between,
        "get": _get,
        "member": _member,
        "index": _index,
        "size": _size,
        "array": _array,
        "array_eq": _array_eq,
        "array_concat": _array_concat,
        "keys": _keys,
        "json_get": _json_get,
        "json_at": _json_at,
        "json_is": _json_is,
        "json_string": _json_scalar("string", "TEXT"),
        "json_number": _json_number,
        "json_boolean": _json_scalar("boolean", "BOOLEAN"),
        "json_size": _json_size,
    },
)
