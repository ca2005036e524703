"""DuckDB (1.3 and later). TRY turns the errors of an expression into NULL; regular expressions are RE2 already."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime

from sqlglot import exp

from predicat.backends.sql import durations
from predicat.backends.sql.base import (
    COMMON,
    INT32_MAX,
    KINDS,
    Dialect,
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
    replace_each,
    substr,
    text,
    to_boolean,
    try_cast,
    whole,
    wrap,
)
from predicat.backends.sql.names import identifier
from predicat.ir.nodes import Call, Items, Literal, Node, Quantifier, Variable, element_of, ranged_over
from predicat.ir.types import BIGINT, BOOLEAN, DATE, DOUBLE, DURATION, JSON, STRING, TIMESTAMP, MapType
from predicat.ir.values import (
    DATE_PATTERN,
    DOUBLE_LONGEST,
    DOUBLE_PATTERN,
    DURATION_PATTERN,
    INT_PATTERN,
    MAX_SECONDS,
    MIN_SECONDS,
    TIMESTAMP_PATTERN,
    UNITS,
)
from predicat.semantics import casefold, regex

_MILLION = 1_000_000


def _try(sql: Sql) -> Sql:
    """NULL where one operation has no value.

    No part of it may raise: DuckDB works out a part that occurs elsewhere too once for both, and outside this TRY. Behind the guard of a CASE the
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
    return case((between(micros, low, high), _utc(fn("MAKE_TIMESTAMP", micros.copy()))))


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
        return case((binary(exp.NEQ, b, number(0)), _plain_div(floating(r, left), b.copy())))
    return _try(_whole_div(whole(r, left), fn("NULLIF", whole(r, right), number(0))))


def _plain_div(a: Sql, b: Sql) -> Sql:
    found = binary(exp.Div, a, b)
    found.set("typed", True)
    return found


def _ieee_div(r: Renderer, node: Call) -> Sql:
    a, b = (floating(r, arg) for arg in node.args)
    negative = binary(exp.EQ, cast(b.copy(), "TEXT"), text("-0.0"))
    at_zero = over_zero(a.copy(), negative, not_nan=negation(fn("ISNAN", a.copy())))
    return case(
        (binary(exp.EQ, b.copy(), number(0)), at_zero),
        (binary(exp.NEQ, b.copy(), number(0)), _plain_div(a, b)),
    )


def _mod(r: Renderer, node: Call) -> Sql:
    """A remainder by -1 is 0: the smallest integer would overflow."""
    a, b = whole(r, node.args[0]), whole(r, node.args[1])
    divisor = case((binary(exp.EQ, b, number(-1)), number(1)), default=fn("NULLIF", b.copy(), number(0)))
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
    """Whether LOWER makes of a text what case folding does, as far as it is compared with ASCII: it makes `i` of U+0130 too, and no `s` of U+017F."""
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
        raise r.refuse(node, "its \\B is true between the bytes of one character as well")
    return _pattern(r.node(node.args[0]), constant(node.args[1]))


def _pattern(sql: Sql, pattern: str) -> Sql:
    return fn("REGEXP_MATCHES", sql, text(pattern))


def _shape(sql: Sql, pattern: str) -> Sql:
    """One of the patterns of ir.values. RE2 has no lookahead: the year 0000 is asked for apart."""
    found = _pattern(sql, pattern.replace("(?!0000)", ""))
    return (
        both(found, negation(fn("STARTS_WITH", sql.copy(), text("0000")))) if "(?!0000)" in pattern else found
    )


def _glob(sql: Sql, pattern: str) -> Sql:
    return exp.Glob(this=wrap(sql.copy()), expression=text(pattern))


def _only(sql: Sql, characters: str, longest: int) -> Sql:
    """Whether a text has at most so many bytes and no character but these, for a cast that takes much else. A pattern takes half as long again."""
    return both(
        binary(exp.LTE, fn("STRLEN", sql.copy()), number(longest)), negation(_glob(sql, f"*[!{characters}]*"))
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
        return case((either(_only(sql, "0-9", 20), _shape(sql, INT_PATTERN)), try_cast(sql.copy(), "BIGINT")))
    if arg.type == DOUBLE:
        return try_cast(fn("TRUNC", sql), "BIGINT")
    if arg.type == TIMESTAMP:
        return _floor_seconds(sql)
    return cast(sql, "BIGINT")


def _floor_seconds(sql: Sql) -> Sql:
    return _whole_div(binary(exp.Sub, _micros(sql.copy()), _below_a_second(sql)), number(_MILLION))


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
        fn("NULLIF", try_cast(sql.copy(), "DOUBLE"), cast(text("Infinity"), "DOUBLE")),
        cast(text("-Infinity"), "DOUBLE"),
    )
    named = exp.In(this=wrap(sql.copy()), expressions=[text("NaN"), text("Infinity"), text("-Infinity")])
    short = binary(exp.LTE, fn("STRLEN", sql.copy()), number(DOUBLE_LONGEST))
    # Three hundred digits are not infinite yet.
    plain = (_only(sql, "0-9.", 300), try_cast(sql.copy(), "DOUBLE"))
    return case(
        plain, (both(short, _shape(sql, DOUBLE_PATTERN)), value), (named, try_cast(sql.copy(), "DOUBLE"))
    )


def _to_string(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    if arg.type == DOUBLE:
        raise r.refuse(node, "the engines write a double differently")
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
        value = try_cast(fn("UPPER", sql.copy()), "TIMESTAMPTZ")
        low, high = number(MIN_SECONDS * _MILLION), number(MAX_SECONDS * _MILLION + 999_999)
        common = both(
            _glob(sql, "????-??-??T[0-9]?:??:?[0-9]Z"),
            negation(_glob(sql, "*T24*")),
            binary(exp.GTE, sql.copy(), text("0001")),
        )
        general = both(_shape(sql, TIMESTAMP_PATTERN), between(_micros(value), low, high))
        return case((common, try_cast(sql.copy(), "TIMESTAMPTZ")), (general, value.copy()))
    if arg.type == BIGINT:
        inside = between(sql, number(MIN_SECONDS), number(MAX_SECONDS))
        return case(
            (
                inside,
                _utc(
                    fn("MAKE_TIMESTAMP", _try(binary(exp.Mul, cast(sql.copy(), "BIGINT"), number(_MILLION))))
                ),
            )
        )
    return _utc(cast(sql, "TIMESTAMP"))


def _to_duration(r: Renderer, node: Call) -> Sql:
    """The parts added up as nanoseconds, which decimals of 38 digits hold exactly."""
    sql = r.node(node.args[0])
    part = exp.Column(this=exp.to_identifier("__part", quoted=True))
    count = try_cast(fn("REGEXP_EXTRACT", part, text("[0-9.]+")), "DECIMAL(24, 9)")
    unit = cast(durations.nanoseconds(fn("REGEXP_EXTRACT", part.copy(), text("[a-z]+"))), "DECIMAL(13)")
    each = fn(
        "LIST_TRANSFORM",
        fn("REGEXP_EXTRACT_ALL", sql, text(durations.PART)),
        _lambda("__part", binary(exp.Mul, count, unit)),
    )
    total = fn("COALESCE", fn("LIST_SUM", each), number(0))
    micros = once(r, try_cast(fn("FLOOR", total), "HUGEINT"), lambda nanos: case(
        (durations.short(nanos), try_cast(_whole_div(nanos.copy(), number(1000)), "BIGINT"))))  # fmt: skip
    return case((_shape(sql.copy(), DURATION_PATTERN), durations.signed(sql.copy(), micros)))


def _bind(values: Mapping[str, Sql], body: Sql) -> Sql:
    """The value, or a struct of several, as the one element of a list, and its name as the variable of a function on that."""
    value, name, body = as_one(values, body)
    return fn("LIST_EXTRACT", fn("LIST_TRANSFORM", fn("LIST_VALUE", value), _lambda(name, body)), number(1))


def _to_date(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    sql = r.node(arg)
    if arg.type == STRING:
        common = both(_glob(sql, "????-??-?[0-9]"), binary(exp.GTE, sql.copy(), text("0001")))
        return case((either(common, _shape(sql, DATE_PATTERN)), try_cast(sql.copy(), "DATE")))
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
                _try(binary(exp.Add, day.copy(), number(ahead))),
            )
        )
    epoch = cast(text("1970-01-01"), "DATE")
    total = _try(binary(exp.Add, binary(exp.Sub, day, epoch), count))
    return case(
        (
            between(total, number(-719162), number(2932896)),
            binary(exp.Add, epoch.copy(), try_cast(total.copy(), "INT")),
        )
    )


def _in_units(r: Renderer, node: Call) -> Sql:
    return _whole_div(cast(r.node(node.args[1]), "BIGINT"), number(UNITS[constant(node.args[0])]))


# --- collections


def _lambda(variable: str, body: Sql) -> Sql:
    return exp.Lambda(this=body, expressions=[exp.to_identifier(variable, quoted=True)])


def _absent(items: Sql) -> Sql:
    """Whether an element has no value."""
    return binary(exp.LT, fn("LIST_COUNT", items), fn("LEN", items.copy()))


_TOTAL = (
    *KINDS,
    "in",
    "like",
    "starts_with",
    "ends_with",
    "contains",
    "matches",
    "equals_ci",
    "starts_with_ci",
    "contains_ci",
    "like_ci",
)


def _known_of(node: Node, variable: str) -> bool:
    """Whether a condition on an element is UNKNOWN for an element without a value alone."""
    if isinstance(node, Call) and node.op in ("and", "or", "not"):
        return all(_known_of(arg, variable) for arg in node.args)
    if not isinstance(node, Call) or node.op not in _TOTAL:
        return False
    element, *others = (
        node.args[::-1] if node.op in KINDS and isinstance(node.args[1], Variable) else node.args
    )
    parts = [part for other in others for part in (other.items if isinstance(other, Items) else (other,))]
    constants = all(isinstance(part, Literal) and part.value is not None for part in parts)
    return constants and isinstance(element, Variable) and element.name == variable


def _elements(r: Renderer, node: Node) -> Sql:
    """What a macro ranges over; of JSON an array with its nulls as NULL, or the keys of an object."""
    item = exp.Column(this=exp.to_identifier("__item", quoted=True))
    value = _not_json_null(item)
    if node.type != JSON:
        return (
            fn("LIST_TRANSFORM", r.node(node), _lambda("__item", value))
            if element_of(node) == JSON
            else r.node(node)
        )
    read = ranged_over(node)
    sql = r.document(read)
    array = (
        _json_kind(sql, "array"),
        fn("LIST_TRANSFORM", cast(sql.copy(), "JSON[]"), _lambda("__item", value)),
    )
    keys = fn("LIST_TRANSFORM", fn("JSON_KEYS", sql.copy()), _lambda("__item", fn("TO_JSON", item.copy())))
    return case(array, (_json_kind(sql.copy(), "object"), keys)) if read is not node else case(array)


def _quantifier(r: Renderer, node: Quantifier) -> Sql:
    items, body = _elements(r, node.source), r.node(node.body)
    tested = fn("LIST_TRANSFORM", items, _lambda(node.variable, body))
    there = negation(is_null(items.copy()))
    if node.kind in ("any", "all"):
        decided = node.kind == "any"
        hit = fn("LIST_CONTAINS", tested, exp.Boolean(this=decided))
        unknown = _absent((items if _known_of(node.body, node.variable) else tested).copy())
        return case(
            (hit, exp.Boolean(this=decided)),
            (unknown, cast(exp.Null(), "BOOLEAN")),
            (there, exp.Boolean(this=not decided)),
        )
    whole = both(there, negation(_absent(tested)))
    if node.kind == "map":
        return case((whole, tested.copy()))
    kept = fn("LIST_FILTER", items.copy(), _lambda(node.variable, body.copy()))
    return case((whole, binary(exp.EQ, fn("LEN", kept), number(1)) if node.kind == "one" else kept))


def _in_array(r: Renderer, node: Call) -> Sql:
    value, items = r.args(node)
    known = both(negation(is_null(value)), negation(is_null(items)))
    hit = fn("LIST_CONTAINS", items.copy(), value.copy())
    return case((negation(wrap(known)), cast(exp.Null(), "BOOLEAN")), (hit, exp.Boolean(this=True)),
                (_absent(items.copy()), cast(exp.Null(), "BOOLEAN")), default=exp.Boolean(this=False))  # fmt: skip


def _array(r: Renderer, node: Call) -> Sql:
    found = fn("LIST_VALUE", *r.args(node))
    doubtful = [r.node(arg) for arg in node.args if not isinstance(arg, Literal) or arg.value is None]
    return case((both(*(negation(is_null(part)) for part in doubtful)), found)) if doubtful else found


def _array_eq(r: Renderer, node: Call) -> Sql:
    left, right = r.args(node)
    return case(
        (both(negation(_absent(left.copy())), negation(_absent(right.copy()))), binary(exp.EQ, left, right))
    )


def _array_concat(r: Renderer, node: Call) -> Sql:
    """LIST_CONCAT passes over a NULL list."""
    left, right = r.args(node)
    return case(
        (
            both(negation(is_null(left)), negation(is_null(right))),
            fn("LIST_CONCAT", left.copy(), right.copy()),
        )
    )


def _split(r: Renderer, node: Call) -> Sql:
    value, by = r.node(node.args[0]), r.node(node.args[1])
    parts = fn("STRING_SPLIT", value, by)
    if len(node.args) == 2:
        return parts
    most = int(constant(node.args[2]))
    rest = fn("ARRAY_TO_STRING", fn("LIST_SLICE", parts.copy(), number(most), number(-1)), by.copy())
    more = binary(exp.GT, fn("LEN", parts.copy()), number(most))
    return case(
        (more, fn("LIST_APPEND", fn("LIST_SLICE", parts.copy(), number(1), number(most - 1)), rest)),
        default=parts,
    )


def _join_texts(r: Renderer, node: Call) -> Sql:
    """ARRAY_TO_STRING takes a constant alone between the texts."""
    items, by = r.args(node)
    if isinstance(node.args[1], Literal):
        return case((negation(_absent(items)), fn("ARRAY_TO_STRING", items.copy(), by)))
    one, two = (exp.to_identifier(name, quoted=True) for name in ("__one", "__two"))
    step = exp.DPipe(
        this=exp.DPipe(this=exp.Column(this=one), expression=wrap(by), safe=True),
        expression=exp.Column(this=two),
        safe=True,
    )
    joined = fn("LIST_REDUCE", items.copy(), exp.Lambda(this=step, expressions=[one.copy(), two.copy()]))
    empty = binary(exp.EQ, fn("LEN", items.copy()), number(0))
    known = negation(is_null(by.copy()))
    return case((both(empty, known), text("")), (both(negation(_absent(items)), known.copy()), joined))


def _index(r: Renderer, node: Call) -> Sql:
    items, position = r.node(node.args[0]), whole(r, node.args[1])
    following = binary(exp.Add, position.copy(), number(1))
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


def _json_step(r: Renderer, node: Call) -> Sql:
    """A member or an element; an absent one and a JSON null are both no value.

    A member is said as a JSON pointer (RFC 6901), which takes any key. A pointer of digits would be a place in an array as well.
    """
    base, key = node.args
    sql = r.document(base)
    if node.op == "json_get" and not isinstance(key, Literal):
        escaped = fn("REPLACE", fn("REPLACE", r.node(key), text("~"), text("~0")), text("/"), text("~1"))
        return case(
            (
                _json_kind(sql, "object"),
                _found(sql.copy(), exp.DPipe(this=text("/"), expression=escaped, safe=True)),
            )
        )
    if not isinstance(key, Literal):
        place = r.node(key)
        known = both(_json_kind(sql, "array"), between(place, number(0), number(INT32_MAX)))
        path = exp.DPipe(
            this=exp.DPipe(this=text("$["), expression=cast(place.copy(), "TEXT"), safe=True),
            expression=text("]"),
            safe=True,
        )
        return case((known, _found(sql.copy(), path)))
    if isinstance(key.value, str) and (key.value.isdigit() or key.value == "-"):
        return _found(sql, text(f'$."{key.value}"'))
    if isinstance(key.value, str):
        return _found(sql, text("/" + key.value.replace("~", "~0").replace("/", "~1")))
    if not isinstance(key.value, int) or not 0 <= key.value <= INT32_MAX:
        return r.null(JSON)
    return _found(sql, text(f"$[{key.value}]"))


def _found(sql: Sql, path: Sql) -> Sql:
    return _not_json_null(fn("JSON_EXTRACT", sql, path))


def _not_json_null(sql: Sql) -> Sql:
    return fn("NULLIF", sql, cast(text("null"), "JSON"))


_KINDS = {"string": ["VARCHAR"], "boolean": ["BOOLEAN"], "object": ["OBJECT"], "array": ["ARRAY"],
          "number": ["BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT", "DOUBLE", "DECIMAL"]}  # fmt: skip


def _json_kind(sql: Sql, kind: str) -> Sql:
    return exp.In(this=fn("JSON_TYPE", sql), expressions=[text(name) for name in _KINDS[kind]])


def _json_value(kind: str, target: str) -> Rule:
    def rule(r: Renderer, node: Call) -> Sql:
        sql = r.document(node.args[0])
        value = fn("JSON_EXTRACT_STRING", sql.copy(), text("$"))
        return case((_json_kind(sql, kind), value if target == "TEXT" else try_cast(value, target)))

    return rule


def _json_size(r: Renderer, node: Call) -> Sql:
    sql = r.document(node.args[0])
    return case((_json_kind(sql, "array"), cast(fn("JSON_ARRAY_LENGTH", sql.copy()), "BIGINT")),
                (_json_kind(sql.copy(), "object"), cast(fn("LEN", fn("JSON_KEYS", sql.copy())), "BIGINT")))  # fmt: skip


def _json_items(r: Renderer, node: Call) -> Sql:
    sql = r.node(node.args[0])
    return case((_json_kind(sql, "object"), fn("TO_JSON", fn("JSON_KEYS", sql.copy()))), default=sql.copy())


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
    },  # fmt: skip
    quantifier=_quantifier,
    let=lambda _r, value, body: body(value),
    bind=_bind,
    most_lambdas=10,
    not_nan=lambda sql: negation(fn("ISNAN", sql)),
    not_json_null=_not_json_null,
    timestamp=_timestamp,
    table={
        **COMMON,
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
        "to_double": _to_double,
        "to_string": _to_string,
        "to_boolean": lambda r, node: to_boolean(r.node(node.args[0])),
        "to_timestamp": _to_timestamp,
        "to_duration": _to_duration,
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
        "array_concat": _array_concat,
        "keys": function("MAP_KEYS"),
        "json_get": _json_step,
        "json_at": _json_step,
        "json_is": lambda r, node: _json_kind(r.node(node.args[0]), constant(node.args[1])),
        "json_string": _json_value("string", "TEXT"),
        "json_number": _json_value("number", "DOUBLE"),
        "json_boolean": _json_value("boolean", "BOOLEAN"),
        "json_size": _json_size,
        "json_items": _json_items,
    },
)
