"""DuckDB (1.3 and later). TRY turns the errors of an expression into NULL; regular expressions are RE2
already.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime

from sqlglot import exp

from predicat.backends.sql import documents, durations
from predicat.backends.sql.base import (
    COMMON,
    INT32_MAX,
    Dialect,
    Documents,
    Renderer,
    Rule,
    Sql,
    as_one,
    ascii_lower,
    ascii_upper,
    between,
    binary,
    both,
    case,
    cast,
    constant,
    constant_int,
    either,
    floating,
    fn,
    folded,
    function,
    ignoring_case,
    is_null,
    negation,
    number,
    once,
    over_zero,
    quantity,
    replace_each,
    substr,
    template,
    text,
    to_boolean,
    to_whole,
    try_cast,
    whole,
    wrap,
)
from predicat.backends.sql.documents import member_or_element, where_kind
from predicat.backends.sql.dynamic import JSON_STEPS, Step, path
from predicat.backends.sql.names import identifier
from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import Call, Literal, Node, Quantifier, ranged_over
from predicat.ir.ops import ARRAYS
from predicat.ir.types import BIGINT, BOOLEAN, DATE, DOUBLE, DURATION, JSON, STRING, TIMESTAMP, MapType
from predicat.ir.values import (
    DATE_PATTERN,
    DOUBLE_LONGEST,
    DOUBLE_PATTERN,
    DURATION_PATTERN,
    INT_PATTERN,
    MAX_SECONDS,
    MIN_SECONDS,
    QUANTITY_PATTERN,
    RANGE_MOST,
    SUM_MOST,
    TIMESTAMP_PATTERN,
    UNITS,
)
from predicat.passes.elements import condition, is_exists_over_values, takes_null
from predicat.semantics import casefold, regex

_MILLION = 1_000_000


def _try(sql: Sql) -> Sql:
    """NULL where one operation has no value.

    No part of it may raise: DuckDB works out a part that occurs elsewhere too once for both, and outside this
    TRY. Behind the guard of a CASE the
    operation needs it all the same, for it may stand in a TRY elsewhere.
    """
    return fn("TRY", sql)


# --- numbers


def _arithmetic(operator: type[exp.Binary]) -> Rule:
    def rule(r: Renderer, node: Call) -> Sql:
        left, right = node.args
        if node.type == DOUBLE:
            return binary(operator, floating(r, left), floating(r, right))
        if node.type == DURATION and left.type == DURATION:
            return durations.in_range(durations.operation(operator, r.node(left), r.node(right)))
        if node.type == BIGINT:
            return _try(binary(operator, whole(r, left), whole(r, right)))
        if node.type == DURATION:
            return _try(binary(exp.Sub, _micros(r.node(left)), _micros(r.node(right))))
        return _moment(_try(binary(operator, _micros(r.node(left)), whole(r, right))))

    return rule


def _micros(sql: Sql) -> Sql:
    return fn("EPOCH_US", sql)


def _moment(micros: Sql) -> Sql:
    """A timestamp from microseconds since 1970, or NULL outside years 1 to 9999."""
    low, high = number(MIN_SECONDS * _MILLION), number(MAX_SECONDS * _MILLION + 999_999)
    return case((between(micros, low, high), _utc(fn("MAKE_TIMESTAMP", micros))))


def _utc(sql: Sql) -> Sql:
    """Between a timestamp and its wall clock in UTC, either way, whatever the session's time zone."""
    return exp.AtTimeZone(this=wrap(sql), zone=text("UTC"))


def _local(sql: Sql) -> Sql:
    """The wall clock of a timestamp in UTC; AT TIME ZONE takes fifteen times as long."""
    return fn("MAKE_TIMESTAMP", _micros(sql))


def _whole_div(a: Sql, b: Sql) -> Sql:
    return exp.IntDiv(this=wrap(a), expression=wrap(b))


def _div(r: Renderer, node: Call) -> Sql:
    left, right = node.args
    if node.type == DOUBLE:
        b = floating(r, right)
        return case((binary(exp.NEQ, b, number(0)), _plain_div(floating(r, left), b)))
    return _try(_whole_div(whole(r, left), fn("NULLIF", whole(r, right), number(0))))


def _plain_div(a: Sql, b: Sql) -> Sql:
    found = binary(exp.Div, a, b)
    found.set("typed", True)
    return found


def _ieee_div(r: Renderer, node: Call) -> Sql:
    a, b = (floating(r, arg) for arg in node.args)
    negative = binary(exp.EQ, cast(b, "TEXT"), text("-0.0"))
    at_zero = over_zero(a, negative, not_nan=negation(fn("ISNAN", a)))
    return case((binary(exp.EQ, b, number(0)), at_zero), (binary(exp.NEQ, b, number(0)), _plain_div(a, b)))


def _mod(r: Renderer, node: Call) -> Sql:
    """A remainder by -1 is 0: the smallest integer would overflow."""
    a, b = whole(r, node.args[0]), whole(r, node.args[1])
    divisor = case((binary(exp.EQ, b, number(-1)), number(1)), default=fn("NULLIF", b, number(0)))
    return binary(exp.Mod, a, cast(divisor, "BIGINT"))


def _neg(r: Renderer, node: Call) -> Sql:
    if node.type == DOUBLE:
        return exp.Neg(this=wrap(floating(r, node.args[0])))
    return _try(binary(exp.Sub, cast(number(0), "BIGINT"), whole(r, node.args[0])))


def _abs(r: Renderer, node: Call) -> Sql:
    return (
        fn("ABS", floating(r, node.args[0]))
        if node.type == DOUBLE
        else _try(fn("ABS", whole(r, node.args[0])))
    )


def _whole(name: str) -> Rule:
    """Zero has no sign here, whatever that of its argument."""
    return lambda r, node: binary(exp.Add, fn(name, floating(r, node.args[0])), cast(number(0), "DOUBLE"))


# --- strings


def _lowers(wanted: str) -> bool:
    """Whether LOWER makes of a text what case folding does, as far as it is compared with ASCII: it makes
    `i` of U+0130 too, and no `s` of U+017F.
    """
    return wanted.isascii() and not {"i", "s"} & {*wanted}


def _folded(r: Renderer, node: Node, wanted: str) -> Sql:
    return fn("LOWER", r.node(node)) if _lowers(wanted) else folded(r, node, wanted)


def _like(value: Sql, pattern: Sql, kind: type[exp.Binary] = exp.Like) -> Sql:
    """LIKE has no escape character of its own, and is slower with one."""
    found = kind(this=wrap(value), expression=pattern)
    escapes = not isinstance(pattern, exp.Literal) or "\\" in pattern.this
    return exp.Escape(this=found, expression=text("\\")) if escapes else found


def _like_ci(r: Renderer, node: Call) -> Sql:
    wanted = casefold.fold(constant(node.args[1]))
    return (
        _like(r.node(node.args[0]), text(wanted), exp.ILike)
        if _lowers(wanted)
        else ignoring_case("LIKE", _like)(r, node)
    )


def _matches(r: Renderer, node: Call) -> Sql:
    if regex.asserts(regex.parse(constant(node.args[1])), "not_word"):
        raise r.refuse(node, say.NOT_A_WORD_BOUNDARY)
    return _pattern(r.node(node.args[0]), constant(node.args[1]))


def _pattern(sql: Sql, pattern: str) -> Sql:
    return fn("REGEXP_MATCHES", sql, text(pattern))


def _shape(sql: Sql, pattern: str) -> Sql:
    """One of the patterns of ir.values. RE2 has no lookahead: the year 0000 is asked for apart."""
    found = _pattern(sql, pattern.replace("(?!0000)", ""))
    return both(found, negation(fn("STARTS_WITH", sql, text("0000")))) if "(?!0000)" in pattern else found


def _glob(sql: Sql, pattern: str) -> Sql:
    return exp.Glob(this=wrap(sql), expression=text(pattern))


def _only(sql: Sql, characters: str, longest: int) -> Sql:
    """Whether a text has at most so many bytes and no character but these, for a cast that takes much
    else. A pattern takes half as long again.
    """
    return both(
        binary(exp.LTE, fn("STRLEN", sql), number(longest)), negation(_glob(sql, f"*[!{characters}]*"))
    )


def _reverse(r: Renderer, node: Call) -> Sql:
    """REVERSE keeps combined characters together: reverse the code points."""
    return fn(
        "ARRAY_TO_STRING", fn("LIST_REVERSE", fn("STRING_SPLIT", r.node(node.args[0]), text(""))), text("")
    )


# --- conversions


def _to_int(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    sql = r.node(arg)
    if arg.type == STRING:
        return case((either(_only(sql, "0-9", 20), _shape(sql, INT_PATTERN)), try_cast(sql, "BIGINT")))
    if arg.type == DOUBLE:
        return try_cast(fn("TRUNC", sql), "BIGINT")
    if arg.type == TIMESTAMP:
        return _floor_seconds(sql)
    return cast(sql, "BIGINT")


def _floor_seconds(sql: Sql) -> Sql:
    return _whole_div(binary(exp.Sub, _micros(sql), _below_a_second(sql)), number(_MILLION))


def _below_a_second(sql: Sql) -> Sql:
    return binary(
        exp.Mod,
        binary(exp.Add, binary(exp.Mod, _micros(sql), number(_MILLION)), number(_MILLION)),
        number(_MILLION),
    )


def _to_double(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    sql = r.node(arg)
    if arg.type != STRING:
        return cast(sql, "DOUBLE")
    value = fn(
        "NULLIF",
        fn("NULLIF", try_cast(sql, "DOUBLE"), cast(text("Infinity"), "DOUBLE")),
        cast(text("-Infinity"), "DOUBLE"),
    )
    named = exp.In(this=wrap(sql), expressions=[text("NaN"), text("Infinity"), text("-Infinity")])
    short = binary(exp.LTE, fn("STRLEN", sql), number(DOUBLE_LONGEST))
    # Three hundred digits are not infinite yet.
    plain = (_only(sql, "0-9.", 300), try_cast(sql, "DOUBLE"))
    return case(plain, (both(short, _shape(sql, DOUBLE_PATTERN)), value), (named, try_cast(sql, "DOUBLE")))


def _to_string(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    if arg.type == DOUBLE:
        raise r.refuse(node, say.DOUBLES_AS_TEXT)
    sql = r.node(arg)
    if arg.type == DURATION:
        return once(r, cast(sql, "BIGINT"), durations.duration_text)
    if arg.type == TIMESTAMP:
        clock = fn("STRFTIME", _wall(r, node), text("%Y-%m-%dT%H:%M:%S"))
        return durations.joined(clock, durations.fraction(_below_a_second(sql)), text("Z"))
    return cast(sql, "TEXT")


def _to_timestamp(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    sql = r.node(arg)
    if arg.type == STRING:
        value = try_cast(fn("UPPER", sql), "TIMESTAMPTZ")
        low, high = number(MIN_SECONDS * _MILLION), number(MAX_SECONDS * _MILLION + 999_999)
        common = both(
            _glob(sql, "????-??-??T[0-9]?:??:?[0-9]Z"),
            negation(_glob(sql, "*T24*")),
            binary(exp.GTE, sql, text("0001")),
        )
        general = both(_shape(sql, TIMESTAMP_PATTERN), between(_micros(value), low, high))
        return case((common, try_cast(sql, "TIMESTAMPTZ")), (general, value))
    if arg.type == BIGINT:
        inside = between(sql, number(MIN_SECONDS), number(MAX_SECONDS))
        return case(
            (inside, _utc(fn("MAKE_TIMESTAMP", _try(binary(exp.Mul, cast(sql, "BIGINT"), number(_MILLION))))))
        )
    return _utc(cast(sql, "TIMESTAMP"))


def _to_duration(r: Renderer, node: Call) -> Sql:
    """The parts added up as nanoseconds, which decimals of 38 digits hold exactly."""
    sql = r.node(node.args[0])
    part = exp.Column(this=exp.to_identifier("__part", quoted=True))
    count = try_cast(fn("REGEXP_EXTRACT", part, text("[0-9.]+")), "DECIMAL(24, 9)")
    unit = cast(durations.nanoseconds(fn("REGEXP_EXTRACT", part, text("[a-z]+"))), "DECIMAL(13)")
    each = fn(
        "LIST_TRANSFORM",
        fn("REGEXP_EXTRACT_ALL", sql, text(durations.PART)),
        _lambda("__part", binary(exp.Mul, count, unit)),
    )
    total = fn("COALESCE", fn("LIST_SUM", each), number(0))
    micros = once(
        r,
        try_cast(fn("FLOOR", total), "HUGEINT"),
        lambda nanos: case((durations.short(nanos), try_cast(_whole_div(nanos, number(1000)), "BIGINT"))),
    )
    return case((_shape(sql, DURATION_PATTERN), durations.signed(sql, micros)))


def _bind(values: Mapping[str, Sql], body: Sql) -> Sql:
    """The value, or a struct of several, as the one element of a list, and its name as the variable of a
    function on that.
    """
    value, name, body = as_one(values, body)
    return fn("LIST_EXTRACT", fn("LIST_TRANSFORM", fn("LIST_VALUE", value), _lambda(name, body)), number(1))


def _to_date(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    sql = r.node(arg)
    if arg.type == STRING:
        common = both(_glob(sql, "????-??-?[0-9]"), binary(exp.GTE, sql, text("0001")))
        return case((either(common, _shape(sql, DATE_PATTERN)), try_cast(sql, "DATE")))
    return cast(_local(sql), "DATE")


# --- time


def _clock(name: str) -> Rule:
    """A part of a timestamp, in UTC or in a named zone; of a date, as it is."""
    return lambda r, node: fn(name, _wall(r, node))


def _wall(r: Renderer, node: Call) -> Sql:
    sql = r.node(node.args[0])
    if node.args[0].type == DATE:
        return sql
    return (
        exp.Paren(this=exp.AtTimeZone(this=wrap(sql), zone=r.node(node.args[1])))
        if len(node.args) == 2
        else _local(sql)
    )


def _millisecond(r: Renderer, node: Call) -> Sql:
    return _whole_div(_below_a_second(r.node(node.args[0])), number(1000))


def _trunc(r: Renderer, node: Call) -> Sql:
    local = _local(r.node(node.args[1]))
    return _utc(cast(fn("DATE_TRUNC", text(constant(node.args[0])), local), "TIMESTAMP"))


_LAST_DAY = date.max.toordinal()


def _add_days(r: Renderer, node: Call) -> Sql:
    day, count = r.node(node.args[0]), whole(r, node.args[1])
    ahead = constant_int(node.args[1])
    if isinstance(node.args[1], Literal) and not r.marks and abs(ahead) < _LAST_DAY:
        first, last = date.fromordinal(max(1, 1 - ahead)), date.fromordinal(min(_LAST_DAY, _LAST_DAY - ahead))
        return case(
            (
                between(day, r.literal(DATE, first), r.literal(DATE, last)),
                _try(binary(exp.Add, day, number(ahead))),
            )
        )
    epoch = cast(text("1970-01-01"), "DATE")
    total = _try(binary(exp.Add, binary(exp.Sub, day, epoch), count))
    return case(
        (between(total, number(-719162), number(2932896)), binary(exp.Add, epoch, try_cast(total, "INT")))
    )


def _in_units(r: Renderer, node: Call) -> Sql:
    return _whole_div(cast(r.node(node.args[1]), "BIGINT"), number(UNITS[constant(node.args[0])]))


# --- collections


def _lambda(variable: str, body: Sql) -> Sql:
    return exp.Lambda(this=body, expressions=[exp.to_identifier(variable, quoted=True)])


def _absent(items: Sql) -> Sql:
    """Whether an element has no value."""
    return binary(exp.LT, fn("LIST_COUNT", items), fn("LEN", items))


def _elements(r: Renderer, node: Node) -> Sql:
    """What a macro ranges over; of JSON an array, or the keys of an object. Elements that are JSON's null
    are so.
    """
    if node.type != JSON:
        return r.node(node)
    if isinstance(node, Call) and node.op == "json_values":
        return _values(r, node, nulls=True)
    read = ranged_over(node)
    if read is node:
        return where_kind(r, read, "array", _all_of(r, read))
    item = exp.Column(this=exp.to_identifier("__item", quoted=True))
    keys = fn("LIST_TRANSFORM", _pathed(r, "JSON_KEYS", read), _lambda("__item", fn("TO_JSON", item)))
    return case(
        (_is_kind(_pathed(r, "JSON_TYPE", read), "object"), keys),
        (_is_kind(_pathed(r, "JSON_TYPE", read), "array"), _all_of(r, read)),
    )


def _values(r: Renderer, node: Call, *, nulls: bool) -> Sql:
    """The values of a key; without a difference between no key and a JSON null unless `nulls` asks for it."""
    sql = _value(r, Call(JSON, "json_get", node.args) if node.args[1:] else node.args[0])
    found, place, item = (exp.to_identifier(name, quoted=True) for name in ("__found", "__n", "__inner"))
    value: Sql = exp.Column(this=item)
    alone: Sql = exp.Array(expressions=[sql])
    if nulls:
        alone = case((negation(is_null(sql)), alone), default=exp.Array(expressions=[]))
    inside = fn("COALESCE", try_cast(value, "JSON[]"), exp.Array(expressions=[value]))
    flat = fn("FLATTEN", fn("LIST_TRANSFORM", exp.Column(this=found), _lambda("__inner", inside)))
    start = exp.Array(
        expressions=[alone, *(exp.Array(expressions=[]) for _ in range(ARRAYS))]
    )  # it begins with the first
    return fn("LIST_REDUCE", start, exp.Lambda(this=flat, expressions=[found, place]))


def _quantifier(r: Renderer, node: Quantifier) -> Sql:
    if is_exists_over_values(node) and isinstance(node.source, Call):
        tested = fn(
            "LIST_TRANSFORM",
            _values(r, node.source, nulls=takes_null(node)),
            _lambda(node.variable, r.node(condition(node))),
        )
        return fn("LIST_CONTAINS", tested, exp.Boolean(this=True))
    items, body = _elements(r, node.source), r.node(node.body)
    tested = fn("LIST_TRANSFORM", items, _lambda(node.variable, body))
    if node.kind in ("any", "all"):
        one, other = (exp.Column(this=exp.to_identifier(name, quoted=True)) for name in ("__one", "__two"))
        kind = exp.Or if node.kind == "any" else exp.And
        step = exp.Lambda(this=kind(this=one, expression=other), expressions=[one.this, other.this])
        return fn("LIST_REDUCE", tested, step, exp.Boolean(this=node.kind == "all"))
    whole = both(negation(is_null(items)), negation(_absent(tested)))
    if node.kind == "map":
        return case((whole, tested))
    kept = fn("LIST_FILTER", items, _lambda(node.variable, body))
    return case((whole, binary(exp.EQ, fn("LEN", kept), number(1)) if node.kind == "one" else kept))


def _in_array(r: Renderer, node: Call) -> Sql:
    value, items = r.args(node)
    known = both(negation(is_null(value)), negation(is_null(items)))
    hit = fn("LIST_CONTAINS", items, value)
    return case(
        (negation(wrap(known)), cast(exp.Null(), "BOOLEAN")),
        (hit, exp.Boolean(this=True)),
        (_absent(items), cast(exp.Null(), "BOOLEAN")),
        default=exp.Boolean(this=False),
    )


def _array(r: Renderer, node: Call) -> Sql:
    found = fn("LIST_VALUE", *r.args(node))
    doubtful = [r.node(arg) for arg in node.args if not isinstance(arg, Literal) or arg.value is None]
    return case((both(*(negation(is_null(part)) for part in doubtful)), found)) if doubtful else found


def _array_eq(r: Renderer, node: Call) -> Sql:
    left, right = r.args(node)
    return case((both(negation(_absent(left)), negation(_absent(right))), binary(exp.EQ, left, right)))


def _extreme_of(name: str) -> Rule:
    def rule(r: Renderer, node: Call) -> Sql:
        items = r.node(node.args[0])
        return case((negation(_absent(items)), fn(name, items)))

    return rule


def _array_concat(r: Renderer, node: Call) -> Sql:
    """LIST_CONCAT passes over a NULL list."""
    left, right = r.args(node)
    return case((both(negation(is_null(left)), negation(is_null(right))), fn("LIST_CONCAT", left, right)))


def _range(r: Renderer, node: Call) -> Sql:
    def build(count: Sql) -> Sql:
        return case((between(count, number(0), number(RANGE_MOST)), fn("RANGE", count)))

    return once(r, whole(r, node.args[0]), build)


def _sum(r: Renderer, node: Call) -> Sql:
    """LIST_SUM adds up in order; of no elements it has no value."""
    items = r.node(node.args[0])
    whole_list = both(negation(is_null(items)), negation(_absent(items)))
    if node.type == DOUBLE:
        size = fn("ABS", exp.Column(this=exp.to_identifier("__item", quoted=True)))
        large = both(
            binary(exp.GT, size, cast(text(repr(SUM_MOST)), "DOUBLE")),
            binary(exp.LT, size, cast(text("Infinity"), "DOUBLE")),
        )
        none = binary(exp.EQ, fn("LEN", fn("LIST_FILTER", items, _lambda("__item", large))), number(0))
        return case(
            (both(whole_list, none), fn("COALESCE", fn("LIST_SUM", items), cast(number(0), "DOUBLE")))
        )
    return case((whole_list, try_cast(fn("COALESCE", fn("LIST_SUM", items), number(0)), "BIGINT")))


def _split(r: Renderer, node: Call) -> Sql:
    value, by = r.node(node.args[0]), r.node(node.args[1])
    parts = fn("STRING_SPLIT", value, by)
    if len(node.args) == 2:
        return parts
    most = int(constant(node.args[2]))
    rest = fn("ARRAY_TO_STRING", fn("LIST_SLICE", parts, number(most), number(-1)), by)
    more = binary(exp.GT, fn("LEN", parts), number(most))
    return case(
        (more, fn("LIST_APPEND", fn("LIST_SLICE", parts, number(1), number(most - 1)), rest)), default=parts
    )


def _join_texts(r: Renderer, node: Call) -> Sql:
    """ARRAY_TO_STRING takes a constant alone between the texts."""
    items, by = r.args(node)
    if isinstance(node.args[1], Literal):
        return case((negation(_absent(items)), fn("ARRAY_TO_STRING", items, by)))
    one, two = (exp.to_identifier(name, quoted=True) for name in ("__one", "__two"))
    step = exp.DPipe(
        this=exp.DPipe(this=exp.Column(this=one), expression=wrap(by), safe=True),
        expression=exp.Column(this=two),
        safe=True,
    )
    joined = fn("LIST_REDUCE", items, exp.Lambda(this=step, expressions=[one, two]))
    empty = binary(exp.EQ, fn("LEN", items), number(0))
    known = negation(is_null(by))
    return case((both(empty, known), text("")), (both(negation(_absent(items)), known), joined))


def _index(r: Renderer, node: Call) -> Sql:
    items, position = r.node(node.args[0]), whole(r, node.args[1])
    following = binary(exp.Add, position, number(1))
    found = fn("LIST_EXTRACT", items, following if isinstance(node.args[1], Literal) else _try(following))
    return case((between(position, number(0), number(INT32_MAX)), found))


def _size(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    return cast(fn("CARDINALITY" if isinstance(arg.type, MapType) else "LEN", r.node(arg)), "BIGINT")


def _get(r: Renderer, node: Call) -> Sql:
    return fn("MAP_EXTRACT_VALUE", *r.args(node))


def _member(r: Renderer, node: Call) -> Sql:
    return exp.Dot(this=wrap(r.node(node.args[0])), expression=identifier(constant(node.args[1]), "duckdb"))


# --- JSON


def _place(r: Renderer, node: Node) -> tuple[Sql, Sql | None]:
    """A JSON value and the path in it of what is looked up; look-ups in a row are one path."""
    base, steps = path(node, lambda _: True)
    if not steps:
        return _computed(r, base) if isinstance(base, Call) and base.op in JSON_STEPS else r.document(
            base
        ), None
    if all(map(_is_member, steps)):
        return r.document(base), _pointer(steps)
    base, steps = path(node, lambda step: isinstance(step, int) or not set(step) & set('"\\*'))
    if steps:
        return r.document(base), text(
            "$" + "".join(f"[{step}]" if isinstance(step, int) else f'."{step}"' for step in steps)
        )
    assert isinstance(node, Call)  # noqa: S101  # it has a step
    return r.document(node.args[0]), _pointer([constant(node.args[1])])


def _pointer(steps: Sequence[Step]) -> Sql:
    """A JSON pointer (RFC 6901), which takes any key."""
    return text("".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps))


def _is_member(step: Step) -> bool:
    """Whether a step of a pointer is one of an object alone: digits and a hyphen are places in an array as
    well.
    """
    return isinstance(step, str) and not step.isdigit() and step != "-"


def _pathed(r: Renderer, name: str, node: Node) -> Sql:
    """A function of a JSON value."""
    base, place = _place(r, node)
    return fn(name, base) if place is None else fn(name, base, place)


def _value(r: Renderer, node: Node) -> Sql:
    base, place = _place(r, node)
    return base if place is None else fn("JSON_EXTRACT", base, place)


def _text_of(r: Renderer, node: Node) -> Sql:
    base, place = _place(r, node)
    return fn("JSON_EXTRACT_STRING", base, text("$") if place is None else place)


def _all_of(r: Renderer, node: Node) -> Sql:
    """The elements of a value that is an array."""
    return cast(_value(r, node), "JSON[]")


def _json_step(r: Renderer, node: Call) -> Sql:
    """A member or an element; an absent one and a JSON null are both no value."""
    return _not_json_null(_value(r, node))


def _computed(r: Renderer, node: Call) -> Sql:
    """What is found under a key or at a place that the row knows."""
    if node.op == "json_element":
        return member_or_element(r, node)
    base, key = node.args
    if isinstance(key, Literal):
        return r.null(JSON)
    if node.op == "json_get":
        escaped = fn("REPLACE", fn("REPLACE", r.node(key), text("~"), text("~0")), text("/"), text("~1"))
        found = fn("JSON_EXTRACT", r.document(base), exp.DPipe(this=text("/"), expression=escaped, safe=True))
        return where_kind(r, base, "object", found)

    def build(position: Node) -> Sql:
        place = r.node(position)
        known = both(
            _is_kind(_pathed(r, "JSON_TYPE", base), "array"), between(place, number(0), number(INT32_MAX))
        )
        steps = exp.DPipe(
            this=exp.DPipe(this=text("$["), expression=cast(place, "TEXT"), safe=True),
            expression=text("]"),
            safe=True,
        )
        return case((known, fn("JSON_EXTRACT", r.document(base), steps)))

    return r.with_name(key, build)


def _json_values(r: Renderer, node: Call) -> Sql:
    return fn("TO_JSON", _values(r, node, nulls=True))


def _not_json_null(sql: Sql) -> Sql:
    return fn("NULLIF", sql, cast(text("null"), "JSON"))


_KINDS = {"string": "VARCHAR", "boolean": "BOOLEAN", "object": "OBJECT", "array": "ARRAY"}
_NUMBERS = ("BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT", "DOUBLE", "DECIMAL")


def _is_kind(name: Sql, kind: str) -> Sql:
    if kind == "number":
        return exp.In(this=name, expressions=list(map(text, _NUMBERS)))
    return binary(exp.EQ, name, text(_KINDS[kind]))


# All parts of both values with their paths (RFC 6901), in order: a loop of as many rounds as there are arrays
# and objects.
_SAME_JSON = """
LIST_EXTRACT(LIST_TRANSFORM([LIST_TRANSFORM([__a, __b], LAMBDA "__j" : CASE WHEN NOT JSON_EXTRACT_STRING("__j", '$') IS NULL THEN
  LIST_SORT(LIST_TRANSFORM(LIST_REDUCE(
    LIST_TRANSFORM(RANGE(0, LENGTH("__j") - LENGTH(TRANSLATE("__j", '{[', ''))), LAMBDA "__i" : [{'p': '', 'v': "__j"}]),
    LAMBDA "__f", "__m" : FLATTEN(LIST_TRANSFORM("__f", LAMBDA "__x" : LIST_PREPEND(
      {'p': "__x".p, 'v': CASE JSON_TYPE("__x".v) WHEN 'OBJECT' THEN '{}' WHEN 'ARRAY' THEN '[]' ELSE "__x".v END},
      LIST_TRANSFORM(
        LIST_CONCAT(
          LIST_TRANSFORM(JSON_KEYS("__x".v), LAMBDA "__k" : REPLACE(REPLACE("__k", '~', '~0'), '/', '~1')),
          CAST(RANGE(0, CAST(JSON_ARRAY_LENGTH("__x".v) AS BIGINT)) AS TEXT[])),
        LAMBDA "__k" : {'p': "__x".p || '/' || "__k", 'v': JSON_EXTRACT("__x".v, '/' || "__k")})))),
    [{'p': '', 'v': "__j"}]),
  LAMBDA "__x" : "__x".p || ' ' || COALESCE(CAST(TRY_CAST(CAST("__x".v AS TEXT) AS DOUBLE) + 0 AS TEXT), CAST(JSON("__x".v) AS TEXT))))
  END)], LAMBDA "__p" : LIST_EXTRACT("__p", 1) = LIST_EXTRACT("__p", 2)), 1)
"""


def _json_number(r: Renderer, node: Call) -> Sql:
    return _number(r, node.args[0])


def _number(r: Renderer, value: Node) -> Sql:
    """The JSON text of a value as a number: that of a string has quotes, and no other kind is one either."""
    return try_cast(cast(_value(r, value), "TEXT"), "DOUBLE")


def _json_equals(r: Renderer, value: Node, wanted: float) -> Sql:
    there = negation(is_null(_text_of(r, value)))
    return case((there, exp.NullSafeEQ(this=_number(r, value), expression=r.double(wanted))))


def _json_size(r: Renderer, node: Call) -> Sql:
    (value,) = node.args
    kind, keys = _pathed(r, "JSON_TYPE", value), _pathed(r, "JSON_KEYS", value)
    return case(
        (_is_kind(kind, "array"), cast(_pathed(r, "JSON_ARRAY_LENGTH", value), "BIGINT")),
        (_is_kind(kind, "object"), cast(fn("LEN", keys), "BIGINT")),
    )


def _json_items(r: Renderer, node: Call) -> Sql:
    (value,) = node.args
    keys = fn("TO_JSON", _pathed(r, "JSON_KEYS", value))
    return case(
        (_is_kind(_pathed(r, "JSON_TYPE", value), "object"), keys), default=_not_json_null(r.document(value))
    )


def _timestamp(value: datetime) -> Sql:
    return cast(text(value.replace(tzinfo=None).isoformat() + "Z"), "TIMESTAMPTZ")


DUCKDB = Dialect(
    name="duckdb",
    sqlglot="duckdb",
    octets="STRLEN",
    types={
        STRING: "TEXT",
        BIGINT: "BIGINT",
        DOUBLE: "DOUBLE",
        BOOLEAN: "BOOLEAN",
        TIMESTAMP: "TIMESTAMPTZ",
        DATE: "DATE",
        DURATION: "BIGINT",
        JSON: "JSON",
    },
    quantifier=_quantifier,
    let=lambda _r, value, body: body(value),
    documents=Documents(
        value=_value,
        text=_text_of,
        kind=lambda r, node: _pathed(r, "JSON_TYPE", node),
        null="NULL",
        has_nan=True,
        is_kind=_is_kind,
        equals=_json_equals,
    ),
    bind=_bind,
    most_lambdas=10,
    not_nan=lambda sql: negation(fn("ISNAN", sql)),
    not_json_null=_not_json_null,
    timestamp=_timestamp,
    table={
        **COMMON,
        **documents.RULES,
        "in_array": _in_array,
        "add": _arithmetic(exp.Add),
        "sub": _arithmetic(exp.Sub),
        "mul": _arithmetic(exp.Mul),
        "div": _div,
        "fdiv": _ieee_div,
        "mod": _mod,
        "int32": lambda r, node: cast(try_cast(whole(r, node.args[0]), "INT"), "BIGINT"),
        "neg": _neg,
        "abs": _abs,
        "floor": _whole("FLOOR"),
        "ceil": _whole("CEIL"),
        "concat": lambda r, node: exp.DPipe(
            this=wrap(r.node(node.args[0])), expression=wrap(r.node(node.args[1])), safe=True
        ),
        "length": lambda r, node: cast(fn("LENGTH", r.node(node.args[0])), "BIGINT"),
        "lower": ascii_lower,
        "upper": ascii_upper,
        "trim": lambda r, node: fn("TRIM", r.node(node.args[0]), text(" ")),
        "ltrim": lambda r, node: fn("LTRIM", r.node(node.args[0]), text(" ")),
        "rtrim": lambda r, node: fn("RTRIM", r.node(node.args[0]), text(" ")),
        "strip": lambda r, node: fn("TRIM", *r.args(node)),
        "reverse": _reverse,
        "split": _split,
        "join": _join_texts,
        "starts_with": function("STARTS_WITH"),
        "ends_with": function("ENDS_WITH"),
        "contains": function("CONTAINS"),
        "like": lambda r, node: _like(r.node(node.args[0]), r.node(node.args[1])),
        "equals_ci": ignoring_case("EQ", fold=_folded),
        "starts_with_ci": ignoring_case("STARTS_WITH", fold=_folded),
        "contains_ci": ignoring_case("CONTAINS", fold=_folded),
        "like_ci": _like_ci,
        "matches": _matches,
        "substr": substr(lambda one, other: _try(binary(exp.Add, one, other))),
        "position": lambda r, node: cast(fn("INSTR", *r.args(node)), "BIGINT"),
        "replace": function("REPLACE"),
        "replace_each": replace_each("(?s)(.)", "\\1", "g"),
        "to_int": _to_int,
        "to_whole": to_whole("TRUNC"),
        "to_double": _to_double,
        "to_string": _to_string,
        "to_boolean": lambda r, node: to_boolean(r.node(node.args[0])),
        "to_timestamp": _to_timestamp,
        "to_duration": _to_duration,
        "to_quantity": quantity(
            lambda sql: _shape(sql, QUANTITY_PATTERN),
            lambda sql, end: fn("ENDS_WITH", sql, text(end)),
            lambda digits, power: binary(exp.Mul, try_cast(digits, "DOUBLE"), cast(power, "DOUBLE")),
        ),
        "to_date": _to_date,
        "year": _clock("YEAR"),
        "month": _clock("MONTH"),
        "day": _clock("DAY"),
        "day_of_week": _clock("DAYOFWEEK"),
        "day_of_year": _clock("DAYOFYEAR"),
        "hour": _clock("HOUR"),
        "minute": _clock("MINUTE"),
        "second": _clock("SECOND"),
        "millisecond": _millisecond,
        "date_trunc": _trunc,
        "in_units": _in_units,
        "add_days": _add_days,
        "days_between": lambda r, node: cast(binary(exp.Sub, *r.args(node)), "BIGINT"),
        "get": _get,
        "member": _member,
        "index": _index,
        "size": _size,
        "array": _array,
        "array_eq": _array_eq,
        "array_max": _extreme_of("LIST_MAX"),
        "array_min": _extreme_of("LIST_MIN"),
        "array_concat": _array_concat,
        "range": _range,
        "sum": _sum,
        "keys": function("MAP_KEYS"),
        "json_get": _json_step,
        "json_at": _json_step,
        "json_eq": template("duckdb", _SAME_JSON),
        "json_number": _json_number,
        "json_values": _json_values,
        "json_size": _json_size,
        "json_items": _json_items,
    },
)
