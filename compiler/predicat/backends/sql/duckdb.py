"""DuckDB (1.3 and later). TRY turns the errors of an expression into NULL; regular expressions are RE2
already.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime

from sqlglot import exp

from predicat.analysis.clock import is_of_clock
from predicat.backends.sql import (
    arithmetic,
    decimals,
    documents,
    duckdb_calendar,
    duckdb_json_texts,
    durations,
    moments,
    patterns,
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
    string_literal,
    try_cast,
    wrap,
)
from predicat.backends.sql.common import COMMON, function, template
from predicat.backends.sql.comparisons import nan_where, tested
from predicat.backends.sql.dialect import Dialect
from predicat.backends.sql.documents import member_or_element, where_kind
from predicat.backends.sql.duckdb_calendar import local, micros, moment, try_, utc
from predicat.backends.sql.escapes import with_escapes
from predicat.backends.sql.json_rewrites import JSON_STEPS, Step, path
from predicat.backends.sql.numbers import divided_by_zero, quantity
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
from predicat.backends.sql.texts import (
    INT32_MAX,
    case_insensitive,
    folded,
    like_or,
    like_row,
    replace_each,
    substr,
)
from predicat.backends.sql.widths import as_bigint, as_double, operands
from predicat.diagnostics.messages import backends as say
from predicat.forms.text_casts import text_of
from predicat.ir.nodes import Call, Items, Literal, Node, Quantifier, ranged_over
from predicat.ir.operators import ARRAYS, TIME_PARTS
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
)
from predicat.ir.values import (
    DATE_PATTERN,
    DECIMAL_PATTERN,
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
from predicat.rewrite.acceptance import for_acceptance, never_unknown
from predicat.rewrite.elements import condition, is_exists_over_values, takes_null
from predicat.rewrite.polarity import true_rows
from predicat.semantics import regex

_MILLION = 1_000_000


# --- numbers


def _arithmetic(operator: type[exp.Binary]) -> Rule:
    def rule(r: Renderer, node: Call) -> Sql:
        left, right = node.args
        if node.type == DOUBLE:
            return binary(operator, *operands(r, node))
        if node.type == DURATION and left.type == DURATION:
            return durations.in_range(durations.operation(operator, r.node(left), r.node(right)))
        if node.type == BIGINT:
            result = binary(operator, *operands(r, node))
            return try_(result) if r.may_overflow(node) else result
        if node.type == DURATION:
            return try_(binary(exp.Sub, micros(r.node(left)), micros(r.node(right))))
        if is_of_clock(node):
            return utc(call("MAKE_TIMESTAMP", binary(operator, micros(r.node(left)), as_bigint(r, right))))
        return moment(try_(binary(operator, micros(r.node(left)), as_bigint(r, right))))

    return rule


def _exact(r: Renderer, node: Call) -> Sql:
    return decimals.duckdb(r, node, try_)


def _whole_div(a: Sql, b: Sql) -> Sql:
    return exp.IntDiv(this=wrap(a), expression=wrap(b))


def _div(r: Renderer, node: Call) -> Sql:
    right = node.args[1]
    if node.type == DOUBLE:
        a, b = operands(r, node)
        divisor = b if isinstance(right, Literal) and right.value else call("NULLIF", b, number_literal(0))
        return _plain_div(a, divisor)
    a, b = operands(r, node)
    if isinstance(right, Literal) and right.value not in (0, -1, None):
        return _whole_div(a, b)
    return try_(_whole_div(a, call("NULLIF", b, number_literal(0))))


def _plain_div(a: Sql, b: Sql) -> Sql:
    result = binary(exp.Div, a, b)
    result.set("typed", True)
    return result


def _ieee_div(r: Renderer, node: Call) -> Sql:
    a, b = (as_double(r, arg) for arg in node.args)
    negative = binary(exp.EQ, cast(b, "TEXT"), string_literal("-0.0"))
    at_zero = divided_by_zero(a, negative, not_nan=not_(call("ISNAN", a)))
    return case(
        (binary(exp.EQ, b, number_literal(0)), at_zero),
        (binary(exp.NEQ, b, number_literal(0)), _plain_div(a, b)),
    )


def _mod(r: Renderer, node: Call) -> Sql:
    """A remainder by -1 is 0: the smallest integer would overflow."""
    value, by = node.args
    if isinstance(by, Literal) and by.value not in (0, -1, None):
        return binary(exp.Mod, r.node(value), r.node(by))
    a, b = as_bigint(r, value), as_bigint(r, by)
    divisor = case(
        (binary(exp.EQ, b, number_literal(-1)), number_literal(1)),
        default=call("NULLIF", b, number_literal(0)),
    )
    return binary(exp.Mod, a, cast(divisor, "BIGINT"))


def _neg(r: Renderer, node: Call) -> Sql:
    if node.type == DOUBLE:
        return exp.Neg(this=wrap(as_double(r, node.args[0])))
    if not r.may_overflow(node):
        return exp.Neg(this=wrap(as_bigint(r, node.args[0])))
    return try_(binary(exp.Sub, cast(number_literal(0), "BIGINT"), r.node(node.args[0])))


def _abs(r: Renderer, node: Call) -> Sql:
    if node.type == DOUBLE:
        return call("ABS", as_double(r, node.args[0]))
    size = call("ABS", as_bigint(r, node.args[0]))
    return try_(size) if r.may_overflow(node) else size


def _decimal_of(double: Sql, digits: int) -> Sql:
    return cast(cast(double, "TEXT"), f"DECIMAL(38, {digits + 17})")


def _double_of(decimal: Sql) -> Sql:
    """By its text: a cast divides two doubles, each of which is rounded."""
    return cast(cast(decimal, "TEXT"), "DOUBLE")


# --- strings


def _like(value: Sql, pattern: Sql) -> Sql:
    """LIKE has no escape character of its own, and is slower with one."""
    result = exp.Like(this=wrap(value), expression=pattern)
    escapes = not isinstance(pattern, exp.Literal) or "\\" in pattern.this
    return exp.Escape(this=result, expression=string_literal("\\")) if escapes else result


def _matches(r: Renderer, node: Call) -> Sql:
    if regex.asserts(regex.parse(constant(node.args[1])), "not_word"):
        raise r.refuse(node, say.NOT_A_WORD_BOUNDARY)
    return _pattern(r.node(node.args[0]), constant(node.args[1]))


def _pattern(sql: Sql, pattern: str) -> Sql:
    return call("REGEXP_MATCHES", sql, string_literal(pattern))


def _shape(sql: Sql, pattern: str) -> Sql:
    """One of the patterns of `ir.values`. RE2 has no lookahead, so the year 0000 is tested separately."""
    result = _pattern(sql, pattern.replace("(?!0000)", ""))
    return (
        and_(result, not_(call("STARTS_WITH", sql, string_literal("0000"))))
        if "(?!0000)" in pattern
        else result
    )


def _glob(sql: Sql, pattern: str) -> Sql:
    return exp.Glob(this=wrap(sql), expression=string_literal(pattern))


def _only(sql: Sql, characters: str, longest: int) -> Sql:
    """Whether a text has at most `longest` bytes and only these characters, for a cast that accepts more. A
    pattern would take half as long again.
    """
    return and_(
        binary(exp.LTE, call("STRLEN", sql), number_literal(longest)), not_(_glob(sql, f"*[!{characters}]*"))
    )


def _space(node: Call) -> list[Sql]:
    """The characters that a trim without any removes."""
    return [] if node.args[1:] else [string_literal(" ")]


def _reverse(r: Renderer, node: Call) -> Sql:
    """REVERSE keeps combined characters together: reverse the code points."""
    return call(
        "ARRAY_TO_STRING",
        call("LIST_REVERSE", call("STRING_SPLIT", r.node(node.args[0]), string_literal(""))),
        string_literal(""),
    )


# --- conversions


def _to_int(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    sql = r.node(arg)
    if arg.type == STRING:
        return case((or_(_only(sql, "0-9", 20), _shape(sql, INT_PATTERN)), try_cast(sql, "BIGINT")))
    if arg.type == DOUBLE:
        return try_cast(call("TRUNC", sql), "BIGINT")
    if arg.type == TIMESTAMP:
        return _floor_seconds(sql)
    return cast(sql, "BIGINT")


def _floor_seconds(sql: Sql) -> Sql:
    return _whole_div(binary(exp.Sub, micros(sql), _below_a_second(sql)), number_literal(_MILLION))


def _below_a_second(sql: Sql) -> Sql:
    return binary(
        exp.Mod,
        binary(exp.Add, binary(exp.Mod, micros(sql), number_literal(_MILLION)), number_literal(_MILLION)),
        number_literal(_MILLION),
    )


def _to_double(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    sql = r.node(arg)
    if arg.type != STRING:
        return cast(sql, "DOUBLE")
    value = call(
        "NULLIF",
        call("NULLIF", try_cast(sql, "DOUBLE"), cast(string_literal("Infinity"), "DOUBLE")),
        cast(string_literal("-Infinity"), "DOUBLE"),
    )
    named = exp.In(
        this=wrap(sql),
        expressions=[string_literal("NaN"), string_literal("Infinity"), string_literal("-Infinity")],
    )
    short = binary(exp.LTE, call("STRLEN", sql), number_literal(DOUBLE_LONGEST))
    # Three hundred digits are not infinite yet.
    plain = (_only(sql, "0-9.", 300), try_cast(sql, "DOUBLE"))
    return case(plain, (and_(short, _shape(sql, DOUBLE_PATTERN)), value), (named, try_cast(sql, "DOUBLE")))


def _to_decimal(r: Renderer, node: Call) -> Sql:
    sql = r.node(node.args[0])
    return case((_shape(sql, DECIMAL_PATTERN), try_cast(sql, str(node.type))))


def _to_string(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    if arg.type == DOUBLE:
        raise r.refuse(node, say.DOUBLES_AS_TEXT)
    sql = r.node(arg)
    if arg.type == DURATION:
        return let(r, cast(sql, "BIGINT"), durations.duration_text)
    if arg.type == TIMESTAMP:
        clock = call("STRFTIME", _wall(r, node), string_literal("%Y-%m-%dT%H:%M:%S"))
        return durations.concatenate(clock, durations.fraction(_below_a_second(sql)), string_literal("Z"))
    return cast(sql, "TEXT")


def _to_timestamp(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    if (text := text_of(node)) is not None:
        return moments.timestamp(r, r.node(text), _pattern)
    sql = r.node(arg)
    if arg.type == STRING:
        value = try_cast(call("UPPER", sql), "TIMESTAMPTZ")
        low, high = number_literal(MIN_SECONDS * _MILLION), number_literal(MAX_SECONDS * _MILLION + 999_999)
        common = and_(
            _glob(sql, "????-??-??T[0-9]?:??:?[0-9]Z"),
            not_(_glob(sql, "*T24*")),
            binary(exp.GTE, sql, string_literal("0001")),
        )
        general = and_(_shape(sql, TIMESTAMP_PATTERN), between(micros(value), low, high))
        return case((common, try_cast(sql, "TIMESTAMPTZ")), (general, value))
    if arg.type == BIGINT:
        inside = between(sql, number_literal(MIN_SECONDS), number_literal(MAX_SECONDS))
        return case(
            (
                inside,
                utc(
                    call(
                        "MAKE_TIMESTAMP", try_(binary(exp.Mul, cast(sql, "BIGINT"), number_literal(_MILLION)))
                    )
                ),
            )
        )
    return utc(cast(sql, "TIMESTAMP"))


def _to_duration(r: Renderer, node: Call) -> Sql:
    """The parts added up as nanoseconds, which decimals of 38 digits hold exactly."""
    sql = r.node(node.args[0])
    part = exp.Column(this=exp.to_identifier("__part", quoted=True))
    count = try_cast(call("REGEXP_EXTRACT", part, string_literal("[0-9.]+")), "DECIMAL(24, 9)")
    unit = cast(durations.nanoseconds(call("REGEXP_EXTRACT", part, string_literal("[a-z]+"))), "DECIMAL(13)")
    each = call(
        "LIST_TRANSFORM",
        call("REGEXP_EXTRACT_ALL", sql, string_literal(durations.PART)),
        _lambda("__part", binary(exp.Mul, count, unit)),
    )
    total = call("COALESCE", call("LIST_SUM", each), number_literal(0))
    micros = let(
        r,
        try_cast(call("FLOOR", total), "HUGEINT"),
        lambda nanos: case(
            (durations.fits_duration(nanos), try_cast(_whole_div(nanos, number_literal(1000)), "BIGINT"))
        ),
    )
    return case((_shape(sql, DURATION_PATTERN), durations.signed(sql, micros)))


def _bind(values: Mapping[str, Sql], body: Sql) -> Sql:
    """The value, or a struct of several, as the one element of a list, and its name as the variable of a
    function on that.
    """
    value, name, body = pack(values, body)
    return call(
        "LIST_EXTRACT",
        call("LIST_TRANSFORM", call("LIST_VALUE", value), _lambda(name, body)),
        number_literal(1),
    )


def _to_date(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    if (text := text_of(node)) is not None:
        return moments.date(r.node(text))
    sql = r.node(arg)
    if arg.type == STRING:
        common = and_(_glob(sql, "????-??-?[0-9]"), binary(exp.GTE, sql, string_literal("0001")))
        return case((or_(common, _shape(sql, DATE_PATTERN)), try_cast(sql, "DATE")))
    return cast(local(sql), "DATE")


# --- time


def _clock(name: str) -> Rule:
    """A part of a timestamp, in UTC or in a named zone; of a date, as it is."""
    return lambda r, node: call(name, _wall(r, node))


def _wall(r: Renderer, node: Call) -> Sql:
    sql = r.node(node.args[0])
    if node.args[0].type == DATE:
        return sql
    return (
        exp.Paren(this=exp.AtTimeZone(this=wrap(sql), zone=r.node(node.args[1])))
        if len(node.args) == 2
        else local(sql)
    )


def _millisecond(r: Renderer, node: Call) -> Sql:
    return _whole_div(_below_a_second(r.node(node.args[0])), number_literal(1000))


def _trunc(r: Renderer, node: Call) -> Sql:
    wall = local(r.node(node.args[1]))
    return utc(cast(call("DATE_TRUNC", string_literal(constant(node.args[0])), wall), "TIMESTAMP"))


_LAST_DAY = date.max.toordinal()


def _add_days(r: Renderer, node: Call) -> Sql:
    day, count = r.node(node.args[0]), as_bigint(r, node.args[1])
    ahead = constant_int(node.args[1])
    if is_of_clock(node):
        return binary(exp.Add, day, number_literal(ahead))
    if isinstance(node.args[1], Literal) and not r.parameterize and abs(ahead) < _LAST_DAY:
        first, last = date.fromordinal(max(1, 1 - ahead)), date.fromordinal(min(_LAST_DAY, _LAST_DAY - ahead))
        return case(
            (
                between(day, r.literal(DATE, first), r.literal(DATE, last)),
                try_(binary(exp.Add, day, number_literal(ahead))),
            )
        )
    epoch = cast(string_literal("1970-01-01"), "DATE")
    total = try_(binary(exp.Add, binary(exp.Sub, day, epoch), count))
    return case(
        (
            between(total, number_literal(-719162), number_literal(2932896)),
            binary(exp.Add, epoch, try_cast(total, "INT")),
        )
    )


def _in_units(r: Renderer, node: Call) -> Sql:
    return _whole_div(cast(r.node(node.args[1]), "BIGINT"), number_literal(UNITS[constant(node.args[0])]))


# --- collections


def _lambda(variable: str, body: Sql) -> Sql:
    return exp.Lambda(this=body, expressions=[exp.to_identifier(variable, quoted=True)])


def _absent(items: Sql) -> Sql:
    """Whether an element has no value."""
    return binary(exp.LT, call("LIST_COUNT", items), call("LEN", items))


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
    keys = call("LIST_TRANSFORM", _pathed(r, "JSON_KEYS", read), _lambda("__item", call("TO_JSON", item)))
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
        alone = case((not_(is_null(sql)), alone), default=exp.Array(expressions=[]))
    inside = call("COALESCE", try_cast(value, "JSON[]"), exp.Array(expressions=[value]))
    flat = call("FLATTEN", call("LIST_TRANSFORM", exp.Column(this=found), _lambda("__inner", inside)))
    start = exp.Array(
        expressions=[alone, *(exp.Array(expressions=[]) for _ in range(ARRAYS))]
    )  # it begins with the first
    return call("LIST_REDUCE", start, exp.Lambda(this=flat, expressions=[found, place]))


def _quantifier(r: Renderer, node: Quantifier) -> Sql:
    if is_exists_over_values(node) and isinstance(node.source, Call):
        tested = call(
            "LIST_TRANSFORM",
            _values(r, node.source, nulls=takes_null(node)),
            _lambda(node.variable, r.node(condition(node))),
        )
        return call("LIST_CONTAINS", tested, exp.Boolean(this=True))
    items, body = _elements(r, node.source), r.node(node.body)
    if node.kind == "filter" and never_unknown(node.body):
        return call("LIST_FILTER", items, _lambda(node.variable, body))
    tested = call("LIST_TRANSFORM", items, _lambda(node.variable, body))
    if node.kind in ("any", "all"):
        one, other = (exp.Column(this=exp.to_identifier(name, quoted=True)) for name in ("__one", "__two"))
        kind = exp.Or if node.kind == "any" else exp.And
        step = exp.Lambda(this=kind(this=one, expression=other), expressions=[one.this, other.this])
        return call("LIST_REDUCE", tested, step, exp.Boolean(this=node.kind == "all"))
    whole = and_(not_(is_null(items)), not_(_absent(tested)))
    if node.kind == "map":
        return case((whole, tested))
    kept = call("LIST_FILTER", items, _lambda(node.variable, body))
    return case((whole, binary(exp.EQ, call("LEN", kept), number_literal(1)) if node.kind == "one" else kept))


def _exists(r: Renderer, node: Quantifier) -> Sql:
    """Whether a list has an element for which a test is TRUE."""
    test = r.node(true_rows(for_acceptance(node.body)))
    kept = call("LIST_FILTER", r.node(node.source), _lambda(node.variable, test))
    return binary(exp.GT, call("LEN", kept), number_literal(0))


def _in_array(r: Renderer, node: Call) -> Sql:
    value, items = r.args(node)
    constant = isinstance(node.args[0], Literal) and node.args[0].value is not None
    known = and_(*([] if constant else [not_(is_null(value))]), not_(is_null(items)))
    hit = call("LIST_CONTAINS", items, value)
    return case(
        (not_(known), cast(exp.Null(), "BOOLEAN")),
        (hit, exp.Boolean(this=True)),
        (_absent(items), cast(exp.Null(), "BOOLEAN")),
        default=exp.Boolean(this=False),
    )


def _holds_item(r: Renderer, node: Call) -> Sql | None:
    """Whether an array has an item, in a WHERE: FALSE instead of NULL beside elements without a value."""
    value, items = node.args
    if value.type not in (STRING, BIGINT, BOOLEAN, DATE, TIMESTAMP) or items.type != ArrayType(value.type):
        return None
    if isinstance(items, Items):
        return None
    return call("LIST_CONTAINS", r.node(items), r.node(value))


def _array(r: Renderer, node: Call) -> Sql:
    result = call("LIST_VALUE", *r.args(node))
    return unless_missing(r, node, result)


def _array_position(r: Renderer, node: Call) -> Sql:
    """LIST_POSITION of what is not found is 0 or NULL, by the version."""
    place = call("COALESCE", call("LIST_POSITION", *r.args(node)), number_literal(0))
    return cast(unless_missing(r, node, place), "BIGINT")


def _array_eq(r: Renderer, node: Call) -> Sql:
    left, right = r.args(node)
    return case((and_(not_(_absent(left)), not_(_absent(right))), binary(exp.EQ, left, right)))


def _extreme_of(name: str) -> Rule:
    def rule(r: Renderer, node: Call) -> Sql:
        whole = source_of_present(node.args[0])
        if whole is not None:
            return call(name, r.node(whole))
        items = r.node(node.args[0])
        return case((not_(_absent(items)), call(name, items)))

    return rule


def _array_concat(r: Renderer, node: Call) -> Sql:
    """LIST_CONCAT ignores a NULL list."""
    left, right = r.args(node)
    return case((and_(not_(is_null(left)), not_(is_null(right))), call("LIST_CONCAT", left, right)))


def _range(r: Renderer, node: Call) -> Sql:
    def build(count: Sql) -> Sql:
        return case((between(count, number_literal(0), number_literal(RANGE_MOST)), call("RANGE", count)))

    return let(r, as_bigint(r, node.args[0]), build)


def _sum(r: Renderer, node: Call) -> Sql:
    """LIST_SUM adds up in order; of no elements it has no value."""
    items = r.node(node.args[0])
    whole_list = and_(not_(is_null(items)), not_(_absent(items)))
    if node.type == DOUBLE:
        size = call("ABS", exp.Column(this=exp.to_identifier("__item", quoted=True)))
        large = and_(
            binary(exp.GT, size, cast(string_literal(repr(SUM_MOST)), "DOUBLE")),
            binary(exp.LT, size, cast(string_literal("Infinity"), "DOUBLE")),
        )
        none = binary(
            exp.EQ, call("LEN", call("LIST_FILTER", items, _lambda("__item", large))), number_literal(0)
        )
        return case(
            (
                and_(whole_list, none),
                call("COALESCE", call("LIST_SUM", items), cast(number_literal(0), "DOUBLE")),
            )
        )
    return case(
        (whole_list, try_cast(call("COALESCE", call("LIST_SUM", items), number_literal(0)), "BIGINT"))
    )


def _split(r: Renderer, node: Call) -> Sql:
    value, by = r.node(node.args[0]), r.node(node.args[1])
    parts = call("STRING_SPLIT", value, by)
    if len(node.args) == 2:
        return parts
    most = int(constant(node.args[2]))
    rest = call("ARRAY_TO_STRING", call("LIST_SLICE", parts, number_literal(most), number_literal(-1)), by)
    more = binary(exp.GT, call("LEN", parts), number_literal(most))
    return case(
        (
            more,
            call("LIST_APPEND", call("LIST_SLICE", parts, number_literal(1), number_literal(most - 1)), rest),
        ),
        default=parts,
    )


def _join_texts(r: Renderer, node: Call) -> Sql:
    """ARRAY_TO_STRING takes a constant alone between the texts."""
    items, by = r.args(node)
    if isinstance(node.args[1], Literal):
        return case((not_(_absent(items)), call("ARRAY_TO_STRING", items, by)))
    one, two = (exp.to_identifier(name, quoted=True) for name in ("__one", "__two"))
    step = exp.DPipe(
        this=exp.DPipe(this=exp.Column(this=one), expression=wrap(by), safe=True),
        expression=exp.Column(this=two),
        safe=True,
    )
    joined = call("LIST_REDUCE", items, exp.Lambda(this=step, expressions=[one, two]))
    empty = binary(exp.EQ, call("LEN", items), number_literal(0))
    known = not_(is_null(by))
    return case((and_(empty, known), string_literal("")), (and_(not_(_absent(items)), known), joined))


def _index(r: Renderer, node: Call) -> Sql:
    items, position = r.node(node.args[0]), as_bigint(r, node.args[1])
    following = binary(exp.Add, position, number_literal(1))
    result = call("LIST_EXTRACT", items, following if isinstance(node.args[1], Literal) else try_(following))
    return case((between(position, number_literal(0), number_literal(INT32_MAX)), result))


def _size(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    return cast(call("CARDINALITY" if isinstance(arg.type, MapType) else "LEN", r.node(arg)), "BIGINT")


def _member(r: Renderer, node: Call) -> Sql:
    return exp.Dot(this=wrap(r.node(node.args[0])), expression=r.dialect.identifier(constant(node.args[1])))


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
    base, steps = path(node, _in_path)
    if steps:
        return r.document(base), string_literal(
            "$" + "".join(f"[{step}]" if isinstance(step, int) else f'."{step}"' for step in steps)
        )
    assert isinstance(node, Call)  # noqa: S101  # it has a step
    return r.document(node.args[0]), _pointer([constant(node.args[1])])


def _in_path(step: Step) -> bool:
    """Whether DuckDB's paths have a step: none with these characters, and not the empty key."""
    return isinstance(step, int) or (step != "" and not set(step) & set('"\\*'))


def _pointer(steps: Sequence[Step]) -> Sql:
    """A JSON pointer (RFC 6901), which takes any key."""
    return string_literal("".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps))


def _is_member(step: Step) -> bool:
    """Whether a step of a pointer is one of an object alone: digits and a hyphen are places in an array as
    well.
    """
    return isinstance(step, str) and not step.isdigit() and step != "-"


def _pathed(r: Renderer, name: str, node: Node) -> Sql:
    """A function of a JSON value."""
    base, place = _place(r, node)
    return call(name, base) if place is None else call(name, base, place)


def _value(r: Renderer, node: Node) -> Sql:
    base, place = _place(r, node)
    return base if place is None else call("JSON_EXTRACT", base, place)


def _text_of(r: Renderer, node: Node) -> Sql:
    """`->>` binds less than comparisons do, so that it stands in parentheses."""
    base, place = _place(r, node)
    arrow = exp.JSONExtractScalar(
        this=wrap(base),
        expression=string_literal("$") if place is None else wrap(place),
        only_json_types=True,
    )
    return exp.Paren(this=arrow)


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
        escaped = call(
            "REPLACE",
            call("REPLACE", r.node(key), string_literal("~"), string_literal("~0")),
            string_literal("/"),
            string_literal("~1"),
        )
        result = call(
            "JSON_EXTRACT",
            r.document(base),
            exp.DPipe(this=string_literal("/"), expression=escaped, safe=True),
        )
        return where_kind(r, base, "object", result)

    def build(position: Node) -> Sql:
        place = r.node(position)
        known = and_(
            _is_kind(_pathed(r, "JSON_TYPE", base), "array"),
            between(place, number_literal(0), number_literal(INT32_MAX)),
        )
        steps = exp.DPipe(
            this=exp.DPipe(this=string_literal("$["), expression=cast(place, "TEXT"), safe=True),
            expression=string_literal("]"),
            safe=True,
        )
        return case((known, call("JSON_EXTRACT", r.document(base), steps)))

    return r.let_node(key, build)


def _json_values(r: Renderer, node: Call) -> Sql:
    return call("TO_JSON", _values(r, node, nulls=True))


def _not_json_null(sql: Sql) -> Sql:
    return call("NULLIF", sql, cast(string_literal("null"), "JSON"))


_KINDS = {"string": "VARCHAR", "boolean": "BOOLEAN", "object": "OBJECT", "array": "ARRAY"}
_NUMBERS = ("BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT", "DOUBLE", "DECIMAL")


def _is_kind(name: Sql, kind: str) -> Sql:
    if kind == "number":
        return exp.In(this=name, expressions=list(map(string_literal, _NUMBERS)))
    return binary(exp.EQ, name, string_literal(_KINDS[kind]))


# All parts of both values with their paths (RFC 6901), in order: a loop of as many rounds as there are arrays
# and objects.
_SAME_JSON = """
LIST_EXTRACT(LIST_TRANSFORM([LIST_TRANSFORM([__a, __b], LAMBDA "__j" : CASE
  WHEN NOT JSON_EXTRACT_STRING("__j", '$') IS NULL THEN
  LIST_SORT(LIST_TRANSFORM(LIST_REDUCE(
    LIST_TRANSFORM(RANGE(0, LENGTH("__j") - LENGTH(TRANSLATE("__j", '{[', ''))),
      LAMBDA "__i" : [{'p': '', 'v': "__j"}]),
    LAMBDA "__f", "__m" : FLATTEN(LIST_TRANSFORM("__f", LAMBDA "__x" : LIST_PREPEND(
      {'p': "__x".p, 'v': CASE JSON_TYPE("__x".v) WHEN 'OBJECT' THEN '{}' WHEN 'ARRAY' THEN '[]'
        ELSE "__x".v END},
      LIST_TRANSFORM(
        LIST_CONCAT(
          LIST_TRANSFORM(JSON_KEYS("__x".v), LAMBDA "__k" : REPLACE(REPLACE("__k", '~', '~0'), '/', '~1')),
          CAST(RANGE(0, CAST(JSON_ARRAY_LENGTH("__x".v) AS BIGINT)) AS TEXT[])),
        LAMBDA "__k" : {'p': "__x".p || '/' || "__k", 'v': JSON_EXTRACT("__x".v, '/' || "__k")})))),
    [{'p': '', 'v': "__j"}]),
  LAMBDA "__x" : "__x".p || ' ' || COALESCE(CAST(TRY_CAST(CAST("__x".v AS TEXT) AS DOUBLE) + 0 AS TEXT),
    CAST(JSON("__x".v) AS TEXT))))
  END)], LAMBDA "__p" : LIST_EXTRACT("__p", 1) = LIST_EXTRACT("__p", 2)), 1)
"""


def _json_scalar(r: Renderer, value: Node, text: str) -> Sql | None:
    """A step gives a text without blanks around, unlike a whole document."""
    if not isinstance(value, Call) or value.op not in JSON_STEPS:
        return None
    return binary(exp.EQ, cast(_value(r, value), "TEXT"), string_literal(text))


def _json_number(r: Renderer, node: Call) -> Sql:
    return _number(r, node.args[0])


def _number(r: Renderer, value: Node) -> Sql:
    """The JSON text of a value as a number: that of a string has quotes, and no other kind is one either."""
    return try_cast(cast(_value(r, value), "TEXT"), "DOUBLE")


def _json_equals(r: Renderer, value: Node, wanted: float) -> Sql:
    there = not_(is_null(_text_of(r, value)))
    return case((there, exp.NullSafeEQ(this=_number(r, value), expression=r.double(wanted))))


def _json_size(r: Renderer, node: Call) -> Sql:
    (value,) = node.args
    kind, keys = _pathed(r, "JSON_TYPE", value), _pathed(r, "JSON_KEYS", value)
    return case(
        (_is_kind(kind, "array"), cast(_pathed(r, "JSON_ARRAY_LENGTH", value), "BIGINT")),
        (_is_kind(kind, "object"), cast(call("LEN", keys), "BIGINT")),
    )


def _json_items(r: Renderer, node: Call) -> Sql:
    (value,) = node.args
    keys = call("TO_JSON", _pathed(r, "JSON_KEYS", value))
    return case(
        (_is_kind(_pathed(r, "JSON_TYPE", value), "object"), keys), default=_not_json_null(r.document(value))
    )


def _timestamp(value: datetime) -> Sql:
    return cast(string_literal(value.replace(tzinfo=None).isoformat() + "Z"), "TIMESTAMPTZ")


DUCKDB = Dialect(
    name="duckdb",
    sqlglot="duckdb",
    rows={**documents.ROWS, "in": _holds_item, "ne": nan_where},
    byte_length_function="STRLEN",
    postprocess=with_escapes(of_backslashes=False),
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
    exists=_exists,
    let_compared=lambda _r, value, body: body(value),
    documents=Documents(
        value=_value,
        text=_text_of,
        kind=lambda r, node: _pathed(r, "JSON_TYPE", node),
        null="NULL",
        has_nan=True,
        is_kind=_is_kind,
        equals=_json_equals,
        scalar=_json_scalar,
    ),
    bind=_bind,
    max_lambda_depth=10,
    not_nan=lambda sql: not_(call("ISNAN", sql)),
    not_json_null=_not_json_null,
    timestamp=_timestamp,
    table={
        **COMMON,
        **arithmetic.RULES,
        **documents.RULES,
        "in_array": _in_array,
        "in_list": value_lists.in_rows,
        "add": decimals.where_exact(_exact, _arithmetic(exp.Add)),
        "sub": decimals.where_exact(_exact, _arithmetic(exp.Sub)),
        "mul": decimals.where_exact(_exact, _arithmetic(exp.Mul)),
        "div": _div,
        "fdiv": _ieee_div,
        "mod": _mod,
        "int32": lambda r, node: cast(try_cast(as_bigint(r, node.args[0]), "INT"), "BIGINT"),
        "neg": decimals.where_exact(decimals.signed, _neg),
        "abs": decimals.where_exact(decimals.signed, _abs),
        **dict.fromkeys(("round", "bround"), arithmetic.rounded(_decimal_of, _double_of)),
        "bit_xor": lambda r, node: call("XOR", *(as_bigint(r, arg) for arg in node.args)),
        "shift_left": arithmetic.shift_left_in_parts,
        "shift_right": arithmetic.bits(exp.BitwiseRightShift),
        "sha256": function("SHA256"),
        "trim": lambda r, node: call("TRIM", r.node(node.args[0]), string_literal(" ")),
        "ltrim": lambda r, node: call("LTRIM", *r.args(node), *_space(node)),
        "rtrim": lambda r, node: call("RTRIM", *r.args(node), *_space(node)),
        "strip": lambda r, node: call("TRIM", *r.args(node)),
        "reverse": _reverse,
        "split": _split,
        "join": _join_texts,
        "starts_with": like_or("STARTS_WITH", "", "%"),
        "ends_with": like_or("ENDS_WITH", "%", ""),
        "contains": like_or("CONTAINS", "%", "%"),
        "like": lambda r, node: _like(tested(r, *node.args), r.node(node.args[1])),
        "starts_with_ci": case_insensitive("STARTS_WITH"),
        "contains_ci": case_insensitive("CONTAINS"),
        "like_row": like_row(_like),
        "fold_case": folded("STRLEN", lambda text: call("LOWER", text)),
        "like_ci": case_insensitive("LIKE", _like),
        "matches": _matches,
        "regex_extract": patterns.extract(regex.RE2),
        "regex_replace": patterns.replace(regex.RE2, "\\{}".format, "\\", "g"),
        "substr": substr(lambda one, other: try_(binary(exp.Add, one, other))),
        "position": lambda r, node: cast(call("INSTR", *r.args(node)), "BIGINT"),
        "replace_each": replace_each("(?s)(.)", "\\1", "g"),
        "to_int": _to_int,
        "to_decimal": decimals.of_numbers(decimals.by_text, _to_decimal),
        "to_double": _to_double,
        "to_string": _to_string,
        "to_timestamp": _to_timestamp,
        "to_duration": _to_duration,
        "to_quantity": quantity(
            lambda sql: _shape(sql, QUANTITY_PATTERN),
            lambda sql, end: call("ENDS_WITH", sql, string_literal(end)),
            lambda digits, power: binary(exp.Mul, try_cast(digits, "DOUBLE"), cast(power, "DOUBLE")),
        ),
        "to_date": _to_date,
        **{op: _clock(op.replace("_", "").upper()) for op in TIME_PARTS},
        "millisecond": _millisecond,
        "date_trunc": _trunc,
        "in_units": _in_units,
        "add_days": _add_days,
        **duckdb_calendar.RULES,
        "days_between": lambda r, node: cast(binary(exp.Sub, *r.args(node)), "BIGINT"),
        "member": _member,
        "index": _index,
        "size": _size,
        "array": _array,
        "array_position": _array_position,
        "array_eq": _array_eq,
        "array_max": _extreme_of("LIST_MAX"),
        "array_min": _extreme_of("LIST_MIN"),
        "array_concat": _array_concat,
        "range": _range,
        "sum": _sum,
        "parse_json": duckdb_json_texts.parse_json,
        "json_get": _json_step,
        "json_at": _json_step,
        "json_eq": template("duckdb", _SAME_JSON),
        "json_number": _json_number,
        "json_values": _json_values,
        "json_size": _json_size,
        "json_items": _json_items,
    },
)
