"""SQL as nodes of sqlglot: constants, casts, CASE, logic, comparisons, with the parentheses that they need.

Nodes are values: a node may occur at several places in a tree, so never change a node that you have not
created.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from sqlglot import exp

from predicat.backends.sql.sizes import Sizes

Sql = exp.Expr
# A node, or a constant: a text, a whole number or a truth value of Python is a literal of SQL.
Operand = Sql | int | str


def sql_of(value: Operand) -> Sql:
    """A node unchanged, or a literal for a constant."""
    if isinstance(value, str):
        return string_literal(value)
    if isinstance(value, bool):
        return exp.Boolean(this=value)
    return number_literal(value) if isinstance(value, int) else value


def call(name: str, *args: Operand) -> Sql:
    """A function call; the name is written as given."""
    return exp.Anonymous(this=name, expressions=list(map(sql_of, args)))


def variable(name: str) -> exp.Column:
    """A column or a variable by its name, in quotes."""
    return exp.Column(this=exp.to_identifier(name, quoted=True))


def lambda_(body: Sql, *names: str) -> Sql:
    """A function of variables with these names."""
    return exp.Lambda(this=body, expressions=[exp.to_identifier(name, quoted=True) for name in names])


def string_literal(value: str) -> Sql:
    """A string literal. The generator of the dialect quotes it."""
    return exp.Literal(this=value, is_string=True)


def number_literal(value: int | str) -> Sql:
    """A number literal. A minus is an operator."""
    shown = str(value)
    plain = exp.Literal(this=shown.removeprefix("-"), is_string=False)
    return exp.Neg(this=plain) if shown.startswith("-") else plain


def cast(sql: Operand, kind: str) -> Sql:
    """CAST(sql AS kind). The engine raises an error if the cast fails: guard the operand if it may."""
    return exp.Cast(this=sql_of(sql), to=_type(kind))


def try_cast(sql: Operand, kind: str) -> Sql:
    """TRY_CAST(sql AS kind): NULL if the conversion fails."""
    return exp.TryCast(this=sql_of(sql), to=_type(kind), safe=True)


@lru_cache(1024)
def _type(kind: str) -> exp.DataType:
    """A type of an engine. sqlglot parses each name once."""
    return exp.DataType.build(kind)


def case(*branches: tuple[Sql, Operand], default: Operand | None = None) -> Sql:
    """CASE WHEN test THEN value ... [ELSE default] END."""
    ifs = [exp.If(this=test, true=sql_of(value)) for test, value in branches]
    return exp.Case(ifs=ifs, default=sql_of(default)) if default is not None else exp.Case(ifs=ifs)


def clamp(sql: Sql, low: int, high: int) -> Sql:
    """The nearest number in a range. NULL for NULL, which LEAST and GREATEST would ignore."""
    below = (binary(exp.LT, sql, number_literal(low)), number_literal(low))
    above = (binary(exp.GT, sql, number_literal(high)), number_literal(high))
    return case(below, above, default=sql)


_TIGHT = (
    exp.Column,
    exp.Literal,
    exp.Anonymous,
    exp.Paren,
    exp.Cast,
    exp.TryCast,
    exp.Case,
    exp.Boolean,
    exp.Null,
    exp.Bracket,
    exp.Func,
    exp.Placeholder,
    exp.Var,
    exp.Parameter,
    exp.Identifier,
    exp.Subquery,
)


def wrap(sql: Sql) -> Sql:
    """The expression in parentheses, unless it needs none as an operand."""
    kind = type(sql)
    tight = _tight.get(kind)
    if tight is None:
        tight = _tight[kind] = kind is exp.Dot or (
            issubclass(kind, _TIGHT) and not issubclass(kind, (exp.Binary, exp.RegexpLike))
        )
    return sql if tight else exp.Paren(this=sql)


_tight: dict[type[Sql], bool] = {}


def binary(kind: type[exp.Binary], left: Operand, right: Operand) -> Sql:
    """A binary operation. Operands get parentheses if they need them."""
    left, right = sql_of(left), sql_of(right)
    if issubclass(kind, _COMPARED):
        return kind(this=comparison_operand(left), expression=comparison_operand(right))
    if kind in _SUMS:
        left = left if type(left) in (*_SUMS, *_PRODUCTS) else wrap(left)
        return kind(this=left, expression=right if type(right) in _PRODUCTS else wrap(right))
    return kind(this=wrap(left), expression=wrap(right))


_SUMS = (exp.Add, exp.Sub)
_PRODUCTS = (exp.Mul, exp.Mod, exp.IntDiv)
_COMPARED = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)


def concatenated(left: Operand, right: Operand) -> Sql:
    """`left || right`; NULL if one of them is NULL."""
    first = left if isinstance(left, exp.DPipe) else wrap(sql_of(left))
    return exp.DPipe(this=first, expression=wrap(sql_of(right)), safe=True)


def comparison_operand(sql: Sql) -> Sql:
    """The expression as an operand of a comparison, LIKE, IN or IS. Calculations bind tighter and need no
    parentheses; nor does PostgreSQL's `->>`.
    """
    return sql if type(sql) in _CALCULATIONS else wrap(sql)


_CALCULATIONS = (
    exp.JSONExtractScalar,
    exp.Add,
    exp.Sub,
    exp.Mul,
    exp.Div,
    exp.IntDiv,
    exp.Mod,
    exp.Neg,
    exp.DPipe,
)


def is_one_of(sql: Sql, *values: Operand) -> Sql:
    """IN, or an equality for a single value; NULL for NULL."""
    return exp.In(this=wrap(sql), expressions=list(map(sql_of, values)))


def and_(*parts: Sql) -> Sql:
    """AND in Kleene's logic; one operand is itself."""
    return _join(exp.And, parts)


def or_(*parts: Sql) -> Sql:
    """OR in Kleene's logic; one operand is itself."""
    return _join(exp.Or, parts)


def _join(kind: type[exp.Connector], parts: tuple[Sql, ...]) -> Sql:
    """AND or OR, as a balanced tree: sqlglot, Spark and PostgreSQL recurse into long chains."""
    if len(parts) == 1:
        return parts[0]
    if len(parts) > 32:
        middle = len(parts) // 2
        return kind(this=wrap(_join(kind, parts[:middle])), expression=wrap(_join(kind, parts[middle:])))
    result = _operand(parts[0], kind)
    for part in parts[1:]:
        result = kind(this=result, expression=_operand(part, kind))
    return result


def _operand(sql: Sql, kind: type[exp.Connector]) -> Sql:
    loose = isinstance(sql, exp.Or) and kind is exp.And
    return exp.Paren(this=sql) if loose else sql


def not_(sql: Sql) -> Sql:
    """NOT; NULL for NULL. A comparison becomes its opposite, since engines put NaN above all numbers."""
    opposite = _OPPOSITE.get(type(sql))
    if opposite is not None and not isinstance(sql.expression, exp.Any | exp.All):
        return opposite(this=sql.this, expression=sql.expression)
    if isinstance(sql, exp.Not):
        return sql.this.this if isinstance(sql.this, exp.Paren) else sql.this
    if isinstance(sql, exp.Is | exp.In | exp.Between | exp.Like | exp.ILike):
        return exp.Not(this=sql)
    return exp.Not(this=wrap(sql))


_OPPOSITE: dict[type[Sql], type[exp.Binary]] = {
    one: other
    for pair in ((exp.EQ, exp.NEQ), (exp.LT, exp.GTE), (exp.LTE, exp.GT), (exp.NullSafeEQ, exp.NullSafeNEQ))
    for one, other in (pair, pair[::-1])
}


def is_null(sql: Sql) -> Sql:
    """IS NULL."""
    # PostgreSQL cannot infer the type of a parameter from IS NULL alone.
    typed = cast(sql, "TEXT") if isinstance(sql, exp.Var) else sql
    return exp.Is(this=comparison_operand(typed), expression=exp.Null())


def is_true(sql: Sql) -> Sql:
    """IS TRUE: FALSE for FALSE and NULL."""
    return exp.Is(this=wrap(sql), expression=exp.Boolean(this=True))


def between(sql: Sql, low: Operand, high: Operand) -> Sql:
    """BETWEEN, with both ends included; NULL if the expression is NULL."""
    return exp.Between(this=comparison_operand(sql), low=sql_of(low), high=sql_of(high))


_SMALL_PARTS = 24


def is_small(sql: Sql) -> bool:
    """Whether an expression is small enough to be repeated in a guard."""
    return not Sizes().exceeds(sql, _SMALL_PARTS)


def pack(values: Mapping[str, Sql], body: Sql) -> tuple[Sql, str, Sql]:
    """One value for several: a single value unchanged, otherwise a struct. Returns the value, its name, and
    the body, in which the names of several values become members of the struct.
    """
    name = next(iter(values))
    if len(values) == 1:
        return values[name], name, body
    members = [
        exp.PropertyEQ(this=exp.to_identifier(member, quoted=True), expression=value)
        for member, value in values.items()
    ]
    body = body.copy()  # parts of it may stand elsewhere as well
    for column in list(body.find_all(exp.Column)):
        if column.name in values and not column.table:
            column.set("table", exp.to_identifier(name, quoted=True))
    return exp.Struct(expressions=members), name, body


COMPARISON_NODES: dict[str, type[exp.Binary]] = {
    "eq": exp.EQ,
    "ne": exp.NEQ,
    "lt": exp.LT,
    "le": exp.LTE,
    "gt": exp.GT,
    "ge": exp.GTE,
}


def rlike(sql: Sql, pattern: str) -> Sql:
    """The engine's regular expression test: whether the pattern matches a part of a string."""
    return exp.RegexpLike(this=wrap(sql), expression=string_literal(pattern))


def like(value: Sql, pattern: Operand) -> Sql:
    """LIKE for an engine whose default escape character is the backslash."""
    return exp.Like(this=comparison_operand(value), expression=sql_of(pattern))


_UTC = "UTC"


def at_zone(sql: Sql, zone: Sql) -> Sql:
    """AT TIME ZONE: the local time of a timestamp in a zone, or the timestamp of a local time."""
    return exp.AtTimeZone(this=wrap(sql), zone=zone)


def between_utc(sql: Sql) -> Sql:
    """A timestamp as its local time in UTC, or back, independent of the session's time zone. Two conversions
    cancel each other.
    """
    known = known_wall_clock(sql)
    return at_zone(sql, string_literal(_UTC)) if known is None else known


def known_wall_clock(sql: Sql) -> Sql | None:
    """The operand of `AT TIME ZONE 'UTC'`; None for any other expression."""
    inner = sql.unnest()
    if isinstance(inner, exp.AtTimeZone) and inner.args["zone"].name == _UTC:
        result: Sql = inner.this
        return result
    return None
