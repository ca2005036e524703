"""PostgreSQL: JSON documents."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Context, Decimal
from math import inf, nextafter
from struct import pack, unpack

from sqlglot import exp

from predicat.backends.sql.builders import (
    COMPARISON_NODES,
    Sql,
    and_,
    between,
    binary,
    call,
    case,
    cast,
    is_one_of,
    not_,
    number_literal,
    string_literal,
    wrap,
)
from predicat.backends.sql.common.documents import ROWS, member_or_element, template
from predicat.backends.sql.json_order import compared
from predicat.backends.sql.json_rewrites import JSON_STEPS, constant_step, is_only_text, path
from predicat.backends.sql.postgres import json_texts, times
from predicat.backends.sql.postgres.numbers import TINY, nearest
from predicat.backends.sql.postgres.queries import array_of, count_keys
from predicat.backends.sql.postgres.ranges import numeric
from predicat.backends.sql.renderer import Renderer, Rule, constant, let, let_always
from predicat.forms.json_values import as_text, looked_up
from predicat.ir.nodes import Call, Literal, Node, ranged_over
from predicat.ir.operators import ARRAYS, EQUALITIES, FLIPPED
from predicat.ir.types import DOUBLE


def arrow(base: Sql, key: Sql, operator: str) -> Sql:
    """Jsonb's `->` and `->>`, as operators: an index on such an expression does not match the functions."""
    kind = exp.JSONExtractScalar if operator == "->>" else exp.JSONExtract
    return kind(this=base, expression=key, only_json_types=True)  # or sqlglot would write paths


def value(r: Renderer, node: Node) -> Sql:
    """A JSON value, possibly JSON null."""
    if not isinstance(node, Call) or node.op not in JSON_STEPS:
        return r.document(node)
    if (whole := _indexed_path(r, node, exp.JSONBExtract)) is not None:
        return whole
    if node.op == "json_element":
        return member_or_element(r, node)
    base, key = node.args
    if node.op == "json_get":
        return arrow(_operand(r.document(base)), wrap(r.key(key)), "->")
    # PostgreSQL stores a scalar as an array of one element, and returns it as that element.
    sql = r.document(base)
    if isinstance(place := constant_step(key), int):
        step = number_literal(place)
        return let(r, sql, lambda base: case((json_kind(base, "array"), arrow(_operand(base), step, "->"))))

    def build(position: Node) -> Sql:
        place = r.node(position)
        return let(r, sql, lambda base: _element(base, place))

    return r.let_node(key, build)


def _element(base: Sql, place: Sql) -> Sql:
    inside = and_(json_kind(base, "array"), between(place, 0, 2**31 - 1))
    return case((inside, arrow(_operand(base), wrap(cast(place, "INT")), "->")))


def _operand(sql: Sql) -> Sql:
    return (
        sql if isinstance(sql, exp.JSONExtract) and not isinstance(sql, exp.JSONExtractScalar) else wrap(sql)
    )


def text_of(r: Renderer, node: Node) -> Sql:
    """A string without its quotes, the JSON text of any other value, NULL for JSON null."""
    if isinstance(node, Call) and node.op == "json_get":
        if (whole := _indexed_path(r, node, exp.JSONBExtractScalar)) is not None:
            return whole
        return arrow(_operand(r.document(node.args[0])), wrap(r.key(node.args[1])), "->>")
    return exp.Paren(this=_json_text(r.document(node)))


def _indexed_path(r: Renderer, node: Call, kind: type[exp.Binary]) -> Sql | None:
    """Consecutive look-ups of members as the `#>` or `#>>` of which an index is; None if there is none."""
    base, steps = path(node, lambda step: isinstance(step, str) and bool(_PLAIN_KEY.fullmatch(step)))
    if len(steps) < 2 or "null" in steps or not r.storage.indexes:
        return None
    place = "{" + ",".join(map(str, steps)) + "}"
    if not any(f"'{place}'" in key.expression for index in r.storage.indexes for key in index.keys):
        return None
    return kind(this=r.document(base), expression=string_literal(place))


def not_null(sql: Sql) -> Sql:
    """A JSON value; NULL for JSON null."""
    return call("NULLIF", sql, cast("null", "JSONB"))


def json_kind(sql: Sql, kind: str) -> Sql:
    """Whether a JSON value is of a kind."""
    return binary(exp.EQ, call("JSONB_TYPEOF", sql), kind)


def equals(r: Renderer, node: Node, wanted: float) -> Sql | None:
    """Whether a value is a number that equals this double. In the order of jsonb no other kind is between two
    numbers, so a range is enough.
    """
    bounds = _bounds(wanted)
    if bounds is None:
        return None
    low, high, closed = bounds
    sql = not_null(r.document(node))
    if closed:
        return between(sql, low, high)
    return and_(binary(exp.GT, sql, low), binary(exp.LT, sql, high))


def scalar(r: Renderer, node: Node, text: str) -> Sql:
    """`j = 'true'`: whether a value is this scalar."""
    return binary(exp.EQ, r.document(node), text)


def equals_where(r: Renderer, node: Call) -> Sql | None:
    """Whether a value equals a constant, in a WHERE: only a number is between two numbers."""
    value, wanted = node.args
    known = wanted.value if isinstance(wanted, Literal) else None
    if isinstance(known, str) and not is_only_text(known) and not r.parameterize:
        return scalar(r, value, json.dumps(known, ensure_ascii=False))
    bounds = None
    if isinstance(known, int | float) and not isinstance(known, bool) and not r.parameterize:
        number = Call(DOUBLE, "json_number", (value,), node.span)
        bounds = _bounds(float(known)) if r.function(number) is None else None
    if bounds is not None and bounds[2]:
        low, high, _ = bounds
        return between(r.document(value), low, high)
    return ROWS["json_equals"](r, node)


def text_of_number(node: Call) -> tuple[Node, int] | None:
    """The value, and the integer, of `j ->> 'n' = '5'`: the string `5` or the number. None for other tests,
    and for numbers that are as near to others as 0.1.
    """
    match node.args:
        case (
            Call(op="json_equals", args=(value, Literal(value=str() as text))),
            Call(op="json_equals", args=(other, Literal(value=number))),
        ) if node.op == "or" and value == other and type(number) is int and text == str(number):
            return (value, number) if abs(number) < 2**49 else None
        case _:
            return None


def called_text(r: Renderer, node: Call) -> Sql | None:
    """`j ->> 'n' = '5'` with the function that reads the text, which finds its kind once."""
    found = None if r.parameterize else text_of_number(node)
    if found is None:
        return None
    value, number = found
    read = as_text(value, node.span)
    text = r.function(read) if isinstance(read, Call) else None
    return None if text is None else binary(exp.EQ, text, str(number))


def _comparison(op: str) -> Rule:
    """A comparison. A JSON number is compared with a constant without a conversion to double; with functions
    installed their result is compared, which is shorter.
    """
    other = times.comparison(op)

    def rule(r: Renderer, node: Call) -> Sql:
        left, right = node.args
        if any(isinstance(arg, Call) and r.function(arg) is not None for arg in node.args):
            return other(r, node)
        result = _number_beside(r, op, left, right) or _number_beside(r, FLIPPED[op], right, left)
        return other(r, node) if result is None else result

    return rule


# The comparison of the number in a JSON value with a constant.
_Compare = Callable[[Renderer, str, Node, float], Sql | None]


def _number_beside(
    r: Renderer, op: str, left: Node, right: Node, compare: _Compare | None = None
) -> Sql | None:
    if (
        not isinstance(left, Call)
        or left.op != "json_number"
        or r.parameterize
        or not isinstance(right, Literal)
    ):
        return None
    wanted = right.value
    if not isinstance(wanted, int | float) or not abs(wanted) <= 2**53:
        return None
    return (compare or _compare_number)(r, op, left.args[0], float(wanted))


def _compare_number(r: Renderer, op: str, node: Node, wanted: float) -> Sql | None:
    """A comparison of the double of a JSON number with a constant, as a comparison of the exact number with
    the boundary between two doubles. None if there is no such boundary.
    """
    if op in EQUALITIES:
        result = equals(r, node, wanted)
        return (
            None
            if result is None
            else case((json_kind(r.document(node), "number"), result if op == "eq" else not_(result)))
        )
    boundary = _boundary(op, wanted)
    if boundary is None:
        return None
    sign, number = boundary
    compared = binary(_SIGNS[sign], numeric(r.document(node)), number_literal(number))
    return case((json_kind(r.document(node), "number"), compared))


_SIGNS: dict[str, type[exp.Binary]] = {">": exp.GT, "<=": exp.LTE, ">=": exp.GTE, "<": exp.LT}
_CLOSED = {"gt": ">", "le": "<=", "ge": ">=", "lt": "<"}
_OPEN = {"gt": ">=", "le": "<", "ge": ">", "lt": "<="}


def _boundary(op: str, wanted: float) -> tuple[str, str] | None:
    """The operator and the number for a comparison of the exact number, instead of its double, with a
    constant. None if the number would have many digits.
    """
    bounds = _bounds(wanted)
    if bounds is None:
        return None
    low, high, closed = bounds
    return (_CLOSED if closed else _OPEN)[op], high if op in ("gt", "le") else low


# --- conditions of a WHERE: a path finds the value once


def condition(op: str) -> Callable[[Renderer, Call], Sql | None]:
    """A comparison of a JSON number with a constant in a WHERE: `body @@ 'strict $.n > 10'`.

    A strict path that finds no value, or one of another kind, gives NULL, not an error. JSON null gives
    FALSE.
    """

    def rule(r: Renderer, node: Call) -> Sql | None:
        left, right = node.args
        beside = _number_beside(r, op, left, right, _path_compared)
        return beside or _number_beside(r, FLIPPED[op], right, left, _path_compared)

    return rule


def _path_compared(r: Renderer, op: str, node: Node, wanted: float) -> Sql | None:
    boundary = _boundary(op, wanted)
    if boundary is None:
        return None
    base, place = placed(r, node)
    return exp.MatchAgainst(this=string_literal(f"strict {place} {' '.join(boundary)}"), expressions=[base])


def placed(r: Renderer, node: Node) -> tuple[Sql, str]:
    """The SQL of the document of a value, and the place of the value in it as a path: `$.a[0]`."""
    base, steps = path(node, lambda step: not isinstance(step, str) or "\0" not in step)
    return _operand(r.document(base)), f"${''.join(map(_step, steps))}"


def _step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if _PLAIN_KEY.fullmatch(step) else f".{json.dumps(step, ensure_ascii=False)}"


_PLAIN_KEY = re.compile("[A-Za-z_][A-Za-z0-9_]*")


def _bounds(wanted: float) -> tuple[str, str, bool] | None:
    """The range of the numbers whose nearest double is this one, and whether its ends belong to it. None if
    the ends would have many digits.
    """
    if wanted == 0:
        return f"-{TINY}", TINY, False
    if not 1e-30 < abs(wanted) < 1e30:
        return None
    places = Context(prec=400)
    low, high = (
        places.divide(places.add(Decimal(wanted), Decimal(nextafter(wanted, end))), 2) for end in (-inf, inf)
    )
    even = not unpack("<Q", pack("<d", wanted))[0] & 1
    return f"{low:f}", f"{high:f}", even  # of two doubles equally near, the even one counts


def _json_text(sql: Sql) -> Sql:
    """The text of a JSON value, a string without its quotes."""
    return exp.JSONBExtractScalar(this=wrap(sql), expression=string_literal("{}"))


def _nearest_double(value: Sql) -> Sql:
    """The double that is nearest to a numeric; infinite beyond the doubles."""
    endless = binary(exp.Mul, cast(call("SIGN", value), "DOUBLE"), cast("Infinity", "DOUBLE"))
    return case(*nearest(value), default=endless)


def _json_number(r: Renderer, node: Call) -> Sql:
    def build(sql: Sql) -> Sql:
        return case((json_kind(sql, "number"), _nearest_double(numeric(sql))))

    sql = r.document(node.args[0])
    return build(sql) if isinstance(sql, exp.Column) else let_always(r, sql, build)


# Equal, or, since jsonb compares numbers with all their digits, the same tokens (a text, a number, what
# stands between two of
# these), of which numbers are doubles: jsonb has its keys in order.
_SAME = r"""
CASE WHEN __a = __b THEN TRUE WHEN __a <> __b THEN (SELECT COUNT(DISTINCT __t) = 1
  FROM (VALUES (__a), (__b)) AS __v(__j)
  CROSS JOIN LATERAL (SELECT ARRAY_AGG(CASE WHEN __m[1] ~ '^[-0-9]'
    THEN CAST(FLOAT8SEND(__number) AS TEXT) ELSE __m[1] END) AS __t
    FROM REGEXP_MATCHES(CAST(__j AS TEXT), '"(?:[^"\\]|\\.)*"|[-0-9][-+.0-9eE]*|[^-0-9"]+',
      'g') AS __m) AS __x) END
"""


def _json_eq(r: Renderer, node: Call) -> Sql:
    token = exp.Bracket(this=exp.Column(this=exp.to_identifier("__m")), expressions=[number_literal(0)])
    return template("postgres", _SAME, Renderer.node, __number=_nearest_double(numeric(token)))(r, node)


def _json_size(r: Renderer, node: Call) -> Sql:
    def build(sql: Sql) -> Sql:
        length = cast(call("JSONB_ARRAY_LENGTH", sql), "BIGINT")
        return case((json_kind(sql, "array"), length), (json_kind(sql, "object"), count_keys(sql)))

    return let(r, r.document(node.args[0]), build)


def values(r: Renderer, node: Node) -> Sql:
    """The values of a key, for a query: `[*]` treats any value but an array as an array of one element."""
    base, *keys = node.args if isinstance(node, Call) else (node,)
    sql = r.document(base)
    return call(
        "JSONB_PATH_QUERY", arrow(_operand(sql), r.node(keys[0]), "->") if keys else sql, "$" + "[*]" * ARRAYS
    )


def _json_values(r: Renderer, node: Call) -> Sql:
    result = values(r, node)
    result.set("this", "JSONB_PATH_QUERY_ARRAY")
    return call("COALESCE", result, cast("[]", "JSONB"))


def _json_items(r: Renderer, node: Call) -> Sql:
    return let(r, r.node(node.args[0]), lambda sql: case((json_kind(sql, "object"), _keys(sql)), default=sql))


def _keys(sql: Sql) -> Sql:
    """The keys of a JSON object as a JSON array."""
    rows = exp.Table(this=call("JSONB_OBJECT_KEYS", sql))
    return call("TO_JSONB", array_of(exp.Star(), rows))


def elements(r: Renderer, source: Node) -> tuple[Sql, Sql]:
    """Whether a macro can range over a JSON value, and the array that it ranges over: the value, or the
    keys of an object.
    """
    read = ranged_over(source)
    sql = r.document(read)
    kind = call("JSONB_TYPEOF", sql)
    if read is source:
        return binary(exp.EQ, kind, "array"), sql
    keys = case((json_kind(sql, "object"), _keys(sql)), default=sql)
    return is_one_of(kind, "array", "object"), keys


def _json_has(r: Renderer, node: Call) -> Sql:
    value, key = node.args
    return exp.JSONBContainsTopKey(this=wrap(r.document(value)), expression=r.key(key))


def _json_order(r: Renderer, node: Call) -> Sql:
    """A comparison in the order of jsonb, which is that of the database for strings."""
    base, step, sign, wanted = node.args
    op, known = constant(sign), wanted.value if isinstance(wanted, Literal) else None
    place: tuple[str, str] | None = None
    if isinstance(known, float):
        place = _boundary(op, known)
    elif isinstance(known, str) and r.storage.order.by_code_point:
        place = _CLOSED[op], json.dumps(known, ensure_ascii=False)
    if place is None or r.parameterize:
        return r.node(r.rewritings.documents(compared(node)))
    value = looked_up(base, step, node.span)
    return binary(_SIGNS[place[0]], r.document(value), place[1])


def _json_length(r: Renderer, node: Call) -> Sql:
    sql = r.document(node.args[0])
    return let(r, sql, lambda sql: case((json_kind(sql, "array"), call("JSONB_ARRAY_LENGTH", sql))))


def _json_other(r: Renderer, node: Call) -> Sql:
    value, kinds = node.args
    kind = call("JSONB_TYPEOF", r.document(value))
    return not_(exp.In(this=kind, expressions=r.node(kinds).expressions))


RULES: dict[str, Rule] = {
    **{op: _comparison(op) for op in COMPARISON_NODES},
    "parse_json": json_texts.parse_json,
    "json_eq": _json_eq,
    "json_number": _json_number,
    "json_values": _json_values,
    "json_size": _json_size,
    "json_other": _json_other,
    "json_has": _json_has,
    "json_order": _json_order,
    "json_length": _json_length,
    "json_items": _json_items,
}
