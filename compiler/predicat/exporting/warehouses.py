"""Conditions in the SQL of warehouses that predicat's tests cannot run.

Each has a table of the operators and types that its documentation gives the meaning of predicat. There is no
rule for all others, so a filter that has one is refused. Columns are taken to have no collation. Tests run
what is written on DuckDB, as sqlglot translates it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from math import isfinite

import sqlglot
from msgspec import Struct
from sqlglot import exp

from predicat import backends
from predicat.backends.sql.builders import and_, or_
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import exports as say
from predicat.exporting.asked import Row
from predicat.ir.column_forms import of_field
from predicat.ir.nodes import NOW, Call, Field, Items, Literal, Node, Parameter
from predicat.ir.types import BOOLEAN, DecimalType, Type
from predicat.ir.values import INT_MIN
from predicat.rewrite.simplify import simplify

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


class Warehouse(Struct, frozen=True):
    """A dialect: what has one meaning there and in predicat.

    Attributes:
        name: Its name in sqlglot and in messages.
        types: The types of columns, and how they are written; `{0}` is `(12,2)` of a decimal.
        operators: What is written for an operator with these operands.
        why: Why others are refused, by operator or type, where there is more to say than that nobody tried.
        constants: How constants of a type are written.
        reserved: Names that are words of its grammar. "": a name can always be quoted.
        now: The current time.
    """

    name: str
    types: Mapping[str, str]
    operators: Mapping[str, Callable[..., exp.Expr]]
    why: Mapping[str, str]
    constants: Mapping[str, Callable[[str], exp.Expr]]
    reserved: frozenset[str] = frozenset()
    now: str = ""

    def condition(self, row: Row, *, never_null: bool = False) -> str:
        """The condition of a filter: TRUE for the accepted rows. With `never_null` it is FALSE for the
        others. Raises PredicatError for what has no rule.
        """
        node = simplify(Call(BOOLEAN, "is_true", (row.node,))) if never_null else row.node
        text = self._node(node).sql(dialect=self.name)
        if sqlglot.parse_one(text, read=self.name).sql(dialect=self.name) != text:
            raise PredicatError.of(say.not_read_alike(row.span, self.name))
        return text

    def columns(self, row: Row) -> dict[str, str]:
        """The columns that a filter reads, with their types in SQL."""
        fields = [Field(decl.type, decl, row.span) for decl in row.fields.values()]
        return {self._column(one).sql(dialect=self.name): self._type(one.type) for one in fields}

    def _node(self, node: Node) -> exp.Expr:
        match node:
            case Literal():
                return self._constant(node)
            case Field():
                return self._column(node)
            case Items(items=items):
                return exp.Tuple(expressions=[self._node(item) for item in items])
            case Parameter(decl=decl) if decl == NOW and self.now:
                return sqlglot.parse_one(self.now, read=self.name)
            case Call():
                return self._call(node)
            case _:
                raise self._no_rule(node, type(node).__name__.lower())

    def _no_rule(self, node: Node, what: str) -> PredicatError:
        why = self.why.get(what, say.NOT_COMPARED)
        return PredicatError.of(say.no_rule(node.span, self.name, what, why))

    def _call(self, node: Call) -> exp.Expr:
        rule = self.operators.get(node.op)
        if rule is None:
            raise self._no_rule(node, node.op)
        if node.op in _COMPARISONS:
            self._check_comparison(node)
        if node.op in _PATTERNS and not (isinstance(node.args[1], Literal) and node.args[1].value):
            raise PredicatError.of(say.no_rule(node.span, self.name, node.op, say.PATTERN_IS_CONSTANT))
        return rule(*map(self._node, node.args))

    def _check_comparison(self, node: Call) -> None:
        """A comparison is of one type, or of integers and decimals."""
        kinds = {_kind(part.type) for arg in node.args for part in _parts(arg)}
        for kind in kinds:
            self._known(node, kind)
        if not (len(kinds) == 1 or kinds <= {"bigint", "decimal"}):
            raise PredicatError.of(say.two_types(node.span, self.name, sorted(kinds)))
        if node.op == "same" and "double" in kinds:
            raise self._no_rule(node, node.op)
        if node.op in _ORDERS and "string" in kinds:
            raise PredicatError.of(say.no_rule(node.span, self.name, node.op, say.COLLATION))

    def _known(self, node: Node, kind: str) -> None:
        if kind not in self.types:
            why = self.why.get(kind, say.NOT_COMPARED)
            raise PredicatError.of(say.no_type(node.span, self.name, kind, why))

    def _type(self, kind: Type) -> str:
        return self.types.get(_kind(kind), "").format(str(kind).removeprefix("decimal"))

    def _column(self, node: Field) -> exp.Expr:
        self._known(node, _kind(node.type))
        decl = node.decl
        names = {decl.column(engine) for engine in backends.DIALECTS}
        if len(names) > 1 or decl.expressions or of_field(decl) is not None or decl.stored == "float":
            raise PredicatError.of(say.own_column(node.span, self.name, decl.name))
        name = min(names)
        if self.reserved and (not _PLAIN.match(name) or name.upper() in self.reserved):
            raise PredicatError.of(say.needs_quotes(node.span, self.name, name))
        return exp.column(_identifier(name))

    def _constant(self, node: Literal) -> exp.Expr:
        kind, value = _kind(node.type), node.value
        if value is None:
            return exp.null()
        self._known(node, kind)
        if isinstance(value, float) and not isfinite(value):
            raise self._no_rule(node, repr(value))
        if isinstance(value, bool):
            return exp.true() if value else exp.false()
        if isinstance(value, str):
            return exp.Literal.string(value)
        if isinstance(value, int) and value > INT_MIN:
            return exp.Literal.number(value)
        return self.constants[kind](_shown(value))


def _shown(value: object) -> str:
    """A constant as the text of a cast."""
    match value:
        case Decimal():
            return f"{value:f}"
        case datetime():
            return value.astimezone(UTC).isoformat(sep=" ")
        case _:
            return str(value)


def _identifier(name: str) -> exp.Identifier:
    return exp.to_identifier(name, quoted=not _PLAIN.match(name))


def _kind(kind: Type) -> str:
    """A type as the tables name it."""
    return "decimal" if isinstance(kind, DecimalType) else str(kind)


def _parts(node: Node) -> Sequence[Node]:
    return node.items if isinstance(node, Items) else (node,)


def _binary(kind: type[exp.Binary]) -> Callable[..., exp.Expr]:
    return lambda left, right: kind(this=_inner(left), expression=_inner(right))


def _inner(sql: exp.Expr) -> exp.Expr:
    """An operand of a comparison."""
    return exp.Paren(this=sql) if isinstance(sql, exp.Binary | exp.Not | exp.In) else sql


def _function(name: str) -> Callable[..., exp.Expr]:
    return lambda *arguments: exp.Anonymous(this=name, expressions=list(arguments))


def _cast(kind: str) -> Callable[[str], exp.Expr]:
    return lambda text: exp.cast(exp.Literal.string(text), kind)


_COMPARISONS = frozenset({"eq", "ne", "lt", "le", "gt", "ge", "in", "same", "coalesce"})
_ORDERS = frozenset({"lt", "le", "gt", "ge"})
_PATTERNS = frozenset({"starts_with", "ends_with", "contains", "like"})
# Three-valued logic and comparisons are those of the SQL standard.
_STANDARD: Mapping[str, Callable[..., exp.Expr]] = {
    "and": and_,
    "or": or_,
    "not": lambda test: exp.Not(this=_inner(test)),
    "is_true": lambda test: exp.Coalesce(this=test, expressions=[exp.false()]),
    "is_null": lambda value: exp.Is(this=_inner(value), expression=exp.null()),
    "in": lambda value, items: exp.In(this=_inner(value), expressions=items.expressions),
    "coalesce": lambda value, *others: exp.Coalesce(this=value, expressions=list(others)),
    "eq": _binary(exp.EQ),
    "ne": _binary(exp.NEQ),
    "lt": _binary(exp.LT),
    "le": _binary(exp.LTE),
    "gt": _binary(exp.GT),
    "ge": _binary(exp.GTE),
    "same": _binary(exp.NullSafeEQ),
}
_RAISING = ("add", "sub", "mul", "div", "mod", "neg", "abs", "to_int", "to_double", "to_decimal")

BIGQUERY = Warehouse(
    "bigquery",
    {
        "bigint": "INT64",
        "boolean": "BOOL",
        "date": "DATE",
        "decimal": "BIGNUMERIC",
        "double": "FLOAT64",
        "string": "STRING",
        "timestamp": "TIMESTAMP",
    },
    {
        **_STANDARD,
        "starts_with": _function("STARTS_WITH"),
        "ends_with": _function("ENDS_WITH"),
        "contains": lambda text, part: exp.GT(
            this=_function("INSTR")(text, part), expression=exp.Literal.number(0)
        ),
        "like": lambda text, pattern: exp.Like(this=text, expression=pattern),
    },
    dict.fromkeys(_RAISING, say.RAISES_THERE),
    {
        "bigint": _cast("INT64"),
        "date": _cast("DATE"),
        "decimal": _cast("BIGNUMERIC"),
        "double": exp.Literal.number,
        "timestamp": _cast("TIMESTAMPTZ"),
    },
    now="CURRENT_TIMESTAMP()",
)
_WORDS_OF_SNOWFLAKE = (
    "ACCOUNT ALL ALTER AND ANY AS BETWEEN BY CASE CAST CHECK COLUMN CONNECT CONNECTION CONSTRAINT CREATE",
    "CROSS CURRENT CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP CURRENT_USER DATABASE DELETE DISTINCT DROP",
    "ELSE EXISTS FALSE FOLLOWING FOR FROM FULL GRANT GROUP GSCLUSTER HAVING ILIKE IN INCREMENT INNER",
    "INSERT INTERSECT INTO IS ISSUE JOIN LATERAL LEFT LIKE LOCALTIME LOCALTIMESTAMP MINUS NATURAL NOT",
    "NULL OF ON OR ORDER ORGANIZATION QUALIFY REGEXP REVOKE RIGHT RLIKE ROW ROWS SAMPLE SCHEMA SELECT SET",
    "SOME START TABLE TABLESAMPLE THEN TO TRIGGER TRUE TRY_CAST UNION UNIQUE UPDATE USING VALUES VIEW",
    "WHEN WHENEVER WHERE WITH",
)
SNOWFLAKE = Warehouse(
    "snowflake",
    {
        "bigint": "NUMBER(38, 0)",
        "boolean": "BOOLEAN",
        "date": "DATE",
        "decimal": "NUMBER{0}",
        "string": "VARCHAR",
    },
    {
        **_STANDARD,
        "starts_with": _function("STARTSWITH"),
        "ends_with": _function("ENDSWITH"),
        "contains": _function("CONTAINS"),
        "like": lambda text, pattern: exp.Escape(
            this=exp.Like(this=text, expression=pattern), expression=exp.Literal.string("\\")
        ),
    },
    {
        "double": say.NAN_IN_SNOWFLAKE,
        "timestamp": say.TIMES_IN_SNOWFLAKE,
        **dict.fromkeys(_RAISING, say.RAISES_THERE),
    },
    {
        "bigint": _cast("DECIMAL(38, 0)"),
        "date": _cast("DATE"),
        "decimal": exp.Literal.number,
    },
    frozenset(word for line in _WORDS_OF_SNOWFLAKE for word in line.split()),
)
