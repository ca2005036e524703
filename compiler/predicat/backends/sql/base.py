"""What the SQL dialects share: the renderer, literals, logic and comparisons.

A dialect is a table from every operator to a rule, or to NotSupported with the reason. Rules build sqlglot
nodes, never text. The SQL is total: for every row it gives TRUE, FALSE or NULL, and never raises an error.

Nodes are values: a node may occur at several places in a tree, so never change a node that you have not
created.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from itertools import combinations
from string import ascii_lowercase, ascii_uppercase
from typing import Any, TypeGuard, assert_never

from msgspec import Struct, field
from sqlglot import exp, parse_one

from predicat.backends.sql import writing
from predicat.backends.sql.common_subexpressions import (
    ValueNumbering,
    is_nameable,
    repeated_parts,
    with_names,
)
from predicat.backends.sql.functions import Runtime, calls, is_conversion
from predicat.backends.sql.json_rewrites import JSON_STEPS, ONLY_IN_SQL
from predicat.backends.sql.letters import has_usual_case, is_usually_folded
from predicat.backends.sql.names import identifier
from predicat.backends.sql.parsed_once import parsed_once
from predicat.backends.sql.rewritings import ALL, Rewritings
from predicat.backends.sql.sizes import Sizes, count_parts, release_parents
from predicat.backends.sql.storage import NOTHING_KNOWN, Index, Storage
from predicat.diagnostics import NOWHERE, Span, Unsupported
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import NOW, Call, Field, Items, Literal, Node, Parameter, Quantifier, Variable, walk
from predicat.ir.operators import (
    ARITHMETIC,
    BY_KEY,
    EQUALITIES,
    FLIPPED,
    JSON_LOOK_UPS,
    JUNCTIONS,
    LOOK_UPS,
    ORDERED,
    STRICT,
    TIME_PARTS,
)
from predicat.ir.tree import Value
from predicat.ir.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    JSON,
    MAX_PRECISION,
    STRING,
    TIMESTAMP,
    DecimalType,
    Type,
)
from predicat.ir.value_sets import ValueSet
from predicat.ir.values import INT_MIN, QUANTITY_POWERS, QUANTITY_UNITS
from predicat.passes import facts
from predicat.passes.accept import never_unknown
from predicat.passes.bounds import Bounded, without_guards
from predicat.passes.clock import is_of_clock
from predicat.passes.convert import convert
from predicat.passes.engine_order import paired
from predicat.passes.facts import may_be_nan
from predicat.passes.idioms import nullif
from predicat.passes.labels import written
from predicat.passes.scope import MAX_DEPTH
from predicat.passes.variables import fold_identifier, rename_bound_variables
from predicat.semantics import casefold
from predicat.semantics.like import ESCAPED_PATTERN

Sql = exp.Expr


class NotSupported(Struct, frozen=True):
    """Why a dialect cannot say an operator, and what to do instead."""

    text: str
    hint: str | None = None


Rule = Callable[["Renderer", Call], Sql]


class Documents(Struct, frozen=True):
    """How a dialect reads a JSON value, which may be JSON's null."""

    value: Callable[[Renderer, Node], Sql]
    """The value that look-ups find, with JSON's null as itself."""
    text: Callable[[Renderer, Node], Sql]
    """A string without its quotes, the JSON text of any other value, NULL for JSON's null."""
    kind: Callable[[Renderer, Node], Sql]
    """The engine's name of the kind."""
    null: str
    """The name of the kind of JSON's null."""
    is_kind: Callable[[Sql, str], Sql]
    """Whether a name is that of a kind."""
    has_nan: bool
    """Whether a number in a document may be NaN, which JSON itself does not have."""
    equals: Callable[[Renderer, Node, float], Sql | None]
    """Whether a value is a number that equals this double. None if a test of the kind and a comparison are no
    longer than what the dialect has.
    """
    scalar: Callable[[Renderer, Node, str], Sql | None]
    """Whether a value is the scalar with this JSON text; FALSE or NULL for any other, and for no value. None
    where the dialect has no short test.
    """


class Served(Struct, frozen=True):
    """A form of a test that an index serves. If it is `exact` it is TRUE for the same rows; otherwise it is
    TRUE whenever the test is, and stands beside it.
    """

    sql: Sql
    exact: bool = False


class Dialect(Struct, frozen=True):
    """A SQL dialect: how sqlglot calls it, its table of operators, and the rules that are not operators."""

    name: str
    sqlglot: str
    table: Mapping[str, Rule | NotSupported]
    types: Mapping[Type, str]
    quantifier: Callable[[Renderer, Quantifier], Sql]
    not_nan: Callable[[Sql], Sql]
    timestamp: Callable[[datetime], Sql]
    not_json_null: Callable[[Sql], Sql]
    """A JSON value that a column holds, with JSON's null as no value."""
    let_compared: Callable[[Renderer, Sql, Callable[[Sql], Sql]], Sql]
    """`body(value)` for a comparison, which uses the value twice."""
    documents: Documents
    bind: Callable[[Mapping[str, Sql], Sql], Sql]
    """An expression with names for values that are computed once."""
    spelling: writing.Spelling = writing.Spelling()
    supports_nul: bool = True
    max_lambda_depth: int | None = None
    """The deepest nesting of lambda functions: the engine plans this depth at once and needs twice as long
    for each further level. None: no limit.
    """
    case_sensitive_columns: bool = False
    """Whether the names of two columns may differ only by case."""
    postprocess: Callable[[str], str] = str
    """A last change of the SQL text, so that no setting of a session changes how it is read."""
    served: Callable[[Renderer, Node, Sql], Served | None] | None = None
    """The form of a test of a WHERE that an index serves. None where its usual form, which is given, is to be
    taken.
    """
    index_of: Callable[[Sql, Storage], Index | None] | None = None
    """The index that finds the rows of a condition."""
    rows: Mapping[str, Callable[[Renderer, Call], Sql | None]] = field(default_factory=dict[str, Any])
    """Shorter rules for a test of a WHERE, which may be FALSE instead of NULL; None where there is none."""
    runtime: Runtime | None = None
    """The functions that can be installed in the engine."""
    exists: Callable[[Renderer, Quantifier], Sql] = lambda r, node: r.node(node)
    """The `exists` over an array in a WHERE, where no answer is as good as FALSE."""
    byte_length_function: str | None = None
    """The function that counts the bytes of a text. None if a collation may change the effect of LOWER and
    UPPER on ASCII letters.
    """

    def render(
        self,
        node: Node,
        *,
        condition: bool = False,
        storage: Storage | None = None,
        runtime: Runtime | None = None,
        rewritings: Rewritings = ALL,
    ) -> str:
        """A typed node as SQL. Raises Unsupported with the operator, its place and the reason.

        As a `condition` it is that of a WHERE: TRUE for the same rows, with FALSE and UNKNOWN not told apart.
        Where the `storage` of the relation is known, it has the forms that its indexes serve. Functions of
        `runtime` must be installed where the SQL runs; without it the SQL runs everywhere. Without some of
        the `rewritings` the SQL is longer, with the same outcome.
        """
        renderer = Renderer(self, storage=storage or NOTHING_KNOWN, runtime=runtime, rewritings=rewritings)
        node = renderer.known(node)
        if not condition:
            return self.to_sql(renderer, self._exactly(node, runtime, rewritings))
        renderer.indexed = storage is not None
        renderer.where = True
        return self.to_sql(renderer, rewritings.rows(node))

    def served_by(self, node: Node, storage: Storage) -> Index | None:
        """An index that finds the rows of a condition, by the rules of the dialect; None if there is none.

        Raises Unsupported.
        """
        if self.index_of is None:
            return None
        renderer = Renderer(self, indexed=True, storage=storage)
        return self.index_of(self._tree(renderer, ALL.rows(renderer.known(node))), storage)

    def _is_shorter(self, before: Node, after: Node, runtime: Runtime | None) -> bool:
        try:
            return self._length(after, runtime) < self._length(before, runtime)
        except Unsupported:
            return True

    def _length(self, node: Node, runtime: Runtime | None) -> int:
        return len(self.to_sql(Renderer(self, runtime=runtime), node))

    def parameterized(
        self, node: Node, first: int, *, condition: bool = False, storage: Storage = NOTHING_KNOWN
    ) -> tuple[str, list[Value]]:
        """A typed node as SQL with its constants as numbered parameters, counted from `first`, and their
        values.

        With `condition` the SQL is a condition of a WHERE: TRUE for the same rows, and FALSE or NULL for the
        others.
        """
        renderer = Renderer(self, parameterize=True, indexed=condition, storage=storage)
        # The text of a statement should not depend on its constants, unless an index may serve it.
        node = ALL.rows(node) if condition else node
        text, numbered = self.to_sql(renderer, node), self.spelling.numbered
        values: list[Value] = []
        numbers: dict[str, int] = {}

        def mark(match: re.Match[str]) -> str:
            place = match[1]
            if place is None:
                return match[0]
            if not numbered or place not in numbers:
                values.append(renderer.values[int(place)])
                numbers[place] = first + len(values) - 1
            return f"${numbers[place]}" if numbered else "?"

        return (_BACKSLASH_MARK if self.spelling.backslashes else _MARK).sub(mark, text), values

    def tree(self, node: Node) -> Sql:
        """A typed node as a tree of sqlglot, to build other SQL around it. Raises Unsupported."""
        return self._tree(Renderer(self), self._exactly(node))

    def _exactly(self, node: Node, runtime: Runtime | None = None, rewritings: Rewritings = ALL) -> Node:
        return rewritings.outcome(node, lambda before, after: self._is_shorter(before, after, runtime))

    def _tree(self, renderer: Renderer, node: Node) -> Sql:
        parts = list(walk(node))
        renderer.taken_names = self.folded_columns(parts, node.span)
        where = renderer.indexed or renderer.where
        if any(part.type == JSON for part in parts):
            node = renderer.rewritings.documents(node)
        if any(isinstance(part, Quantifier) for part in parts):
            node = rename_bound_variables(
                node, renderer.taken_names, lambda name: _VARIABLE.match(name) is not None
            )
        node = renderer.rewritings.accepted(node) if where else node
        if any(isinstance(part, Call) and part.op == "parse_json" for part in parts):
            node = parsed_once(node, renderer.fresh_name)
        sql = renderer.condition(node) if where else renderer.node(node)
        if isinstance(node, Call | Quantifier) and len(parts) > _LARGE_PARTS:
            sql = renderer.limit_growth(sql, node)
        return sql

    def to_sql(self, renderer: Renderer, node: Node) -> str:
        """The SQL text of a node by a renderer. Raises Unsupported with the operator, its place and the
        reason.
        """
        try:
            sql = self._tree(renderer, node)
            result = self.text(sql)
        except RecursionError:
            raise Unsupported.of(msg.too_deep(node.span, MAX_DEPTH)) from None
        most = self.max_lambda_depth
        if (
            most is not None
            and result.count("->") + result.count("LAMBDA") > most
            and (depth := renderer.sizes.lambdas(sql, most)) > most
        ):
            raise Unsupported.of(say.too_deep_to_write(node.span, self.name, depth))
        release_parents(sql)
        return result

    def folded_columns(self, parts: list[Node], span: Span) -> frozenset[str]:
        """Case-folded names of the columns that a predicate reads. Raises Unsupported if two differ only by
        case and the engine does not distinguish them.
        """
        columns = {part.decl.column(self.name) for part in parts if isinstance(part, Field)}
        result = frozenset(map(fold_identifier, columns))
        if len(result) < len(columns) and not self.case_sensitive_columns:
            one, other = next(
                (one, other)
                for one, other in combinations(sorted(columns), 2)
                if fold_identifier(one) == fold_identifier(other)
            )
            raise Unsupported.of(say.one_column(span, self.name, other, one))
        return result

    def text(self, sql: Sql) -> str:
        """The text of sqlglot nodes in this dialect."""
        return self.postprocess(writing.text(sql, self.sqlglot, self.spelling))

    def identifier(self, name: str) -> exp.Identifier:
        """The name of a column or member, in quotes if the dialect needs them. Raises Unsupported."""
        if self.spelling.variables and "${" in name:
            raise Unsupported.of(say.variable_in_column(NOWHERE, self.name, name))
        return identifier(name, self.sqlglot)


_VARIABLE = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,49}\Z")
"""Names of variables that every engine takes: engines cut long names, and names of the renderer start with an
underscore.
"""
_MARK = re.compile(r"""'[^']*'|"[^"]*"|\?(\d+)\?""")
_BACKSLASH_MARK = re.compile(r"'(?:[^'\\]|\\.)*'|`[^`]*`|\?(\d+)\?", re.DOTALL)
"""Texts and names, which are skipped, and the places of parameters."""


# --- small builders


def call(name: str, *args: Sql) -> Sql:
    """A function call, written as it is given."""
    return exp.Anonymous(this=name, expressions=list(args))


def string_literal(value: str) -> Sql:
    """A constant text. The generator of the dialect quotes it."""
    return exp.Literal(this=value, is_string=True)


def number_literal(value: int | str) -> Sql:
    """A constant number, with a minus as an operator."""
    shown = str(value)
    plain = exp.Literal(this=shown.removeprefix("-"), is_string=False)
    return exp.Neg(this=plain) if shown.startswith("-") else plain


def cast(sql: Sql, kind: str) -> Sql:
    """CAST(sql AS kind), which may raise an error of the engine: guard the operand where it can fail."""
    return exp.Cast(this=sql, to=_type(kind))


def try_cast(sql: Sql, kind: str) -> Sql:
    """TRY_CAST(sql AS kind): NULL if the conversion fails."""
    return exp.TryCast(this=sql, to=_type(kind), safe=True)


@lru_cache(1024)
def _type(kind: str) -> exp.DataType:
    """A type of an engine, whose name sqlglot reads but once."""
    return exp.DataType.build(kind)


def case(*branches: tuple[Sql, Sql], default: Sql | None = None) -> Sql:
    """CASE WHEN test THEN value ... [ELSE default] END."""
    ifs = [exp.If(this=test, true=value) for test, value in branches]
    return exp.Case(ifs=ifs, default=default) if default is not None else exp.Case(ifs=ifs)


def clamp(sql: Sql, low: int, high: int) -> Sql:
    """The nearest number in a range; NULL of NULL, which LEAST and GREATEST would ignore."""
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


def binary(kind: type[exp.Binary], left: Sql, right: Sql) -> Sql:
    """A binary operation with its operands in parentheses where they need them."""
    if issubclass(kind, _COMPARED):
        return kind(this=comparison_operand(left), expression=comparison_operand(right))
    if kind in _SUMS:
        left = left if type(left) in (*_SUMS, *_PRODUCTS) else wrap(left)
        return kind(this=left, expression=right if type(right) in _PRODUCTS else wrap(right))
    return kind(this=wrap(left), expression=wrap(right))


_SUMS = (exp.Add, exp.Sub)
_PRODUCTS = (exp.Mul, exp.Mod, exp.IntDiv)
_COMPARED = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)


def concatenated(left: Sql, right: Sql) -> Sql:
    """`left || right`; NULL if one of them is."""
    return exp.DPipe(
        this=left if isinstance(left, exp.DPipe) else wrap(left), expression=wrap(right), safe=True
    )


def comparison_operand(sql: Sql) -> Sql:
    """The expression as an operand of a comparison, LIKE, IN or IS: calculations bind tighter than these, and
    so does PostgreSQL's `->>`.
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
    """NOT; NULL of NULL. Of a comparison the opposite: engines order all values, NaN above the numbers."""
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
    for pair in (
        (exp.EQ, exp.NEQ),
        (exp.LT, exp.GTE),
        (exp.LTE, exp.GT),
        (exp.NullSafeEQ, exp.NullSafeNEQ),
    )
    for one, other in (pair, pair[::-1])
}


def is_null(sql: Sql) -> Sql:
    """Whether an expression is NULL, as TRUE or FALSE."""
    # IS NULL alone does not tell PostgreSQL what a parameter is.
    typed = cast(sql, "TEXT") if isinstance(sql, exp.Var) else sql
    return exp.Is(this=comparison_operand(typed), expression=exp.Null())


def is_true(sql: Sql) -> Sql:
    """Whether an expression is TRUE: FALSE for FALSE and NULL."""
    return exp.Is(this=wrap(sql), expression=exp.Boolean(this=True))


def between(sql: Sql, low: Sql, high: Sql) -> Sql:
    """BETWEEN, with both ends included; NULL if the expression is NULL."""
    return exp.Between(this=comparison_operand(sql), low=low, high=high)


_SMALL_PARTS = 24


def is_small(sql: Sql) -> bool:
    """Whether an expression may be written twice where a guard needs its value."""
    return not Sizes().exceeds(sql, _SMALL_PARTS)


def pack(values: Mapping[str, Sql], body: Sql) -> tuple[Sql, str, Sql]:
    """Several values as one: a single value as it is, otherwise a struct of them; the name of the result; and
    the body, in which names of several values become members.
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


def let(r: Renderer, value: Sql, body: Callable[[Sql], Sql]) -> Sql:
    """`body(value)` for a body that uses the value several times: a large value is computed once, under a
    name.
    """
    return body(value) if is_small(value) and not is_conversion(value) else let_always(r, value, body)


def let_always(r: Renderer, value: Sql, body: Callable[[Sql], Sql]) -> Sql:
    """`body(value)` with a value that is computed once, under a name."""
    name = r.fresh_name("v")
    return r.dialect.bind({name: value}, body(exp.Column(this=exp.to_identifier(name, quoted=True))))


# --- rendering

_CONVERSIONS = ("to_int", "to_double", "to_timestamp", "to_date", "to_duration", "to_boolean")
_COLUMN_LOOK_UPS = LOOK_UPS.keys() - JSON_LOOK_UPS
"""The look-ups in values of columns. Rules for JSON documents handle JSON's null themselves."""


MAX_PARTS = 20_000
_MAX_GROWTH = 100
"""The largest number of SQL parts per different part of a predicate. The largest guard of a single operator
has about 60.
"""
_MIN_HEIGHT = 3
"""Predicates with fewer levels of operators cannot grow beyond the limit, so their parts are not counted."""
_LARGE_PARTS = 1_000
"""The number of parts from which an operand that a guard repeats gets a name."""


class Renderer(Struct):
    """One rendering. With `marks`, constants become parameters and `values` collects them."""

    dialect: Dialect
    parameterize: bool = False
    indexed: bool = False
    """Whether the SQL is a condition of a WHERE, which indexes may serve."""
    where: bool = False
    """Whether the SQL is a condition of a WHERE."""
    storage: Storage = NOTHING_KNOWN
    """How the relation is stored, as far as it is known."""
    runtime: Runtime | None = None
    """The functions that are installed where the SQL runs."""
    rewritings: Rewritings = ALL
    taken_names: frozenset[str] = frozenset()
    """The case-folded names of the columns."""
    values: list[Value] = field(default_factory=list[Value])
    counter: int = 0
    height: int = 0
    rendered: dict[int, Sql] = field(default_factory=dict[int, Sql])
    """The SQL of large nodes by their value numbers: a rule may ask for an operand several times."""
    numbering: ValueNumbering = field(default_factory=ValueNumbering)
    sizes: Sizes = field(default_factory=Sizes)

    def known(self, node: Node) -> Node:
        """A predicate without tests of ranges that the relation guarantees."""
        return without_guards(node, self.is_checked) if self.storage.checks else node

    def may_overflow(self, node: Node) -> bool:
        """Whether a calculation with integers needs a guard."""
        return not self.rewritings.facts or facts.may_overflow(node)

    def may_be_nan(self, node: Node) -> bool:
        """Whether a value needs a guard against NaN."""
        return node.type == DOUBLE and (not self.rewritings.facts or facts.may_be_nan(node))

    def integers(self, node: Node) -> facts.Integers:
        """The range of an expression of integers."""
        return facts.integers(node) if self.rewritings.facts else facts.ANY_INTEGER

    def doubles(self, node: Node) -> facts.Doubles:
        """The range of an expression of doubles."""
        return facts.doubles(node) if self.rewritings.facts else facts.ANY_DOUBLE

    def is_checked(self, bounded: Bounded) -> bool:
        """Whether constraints of the relation leave no value beyond the range of a field."""
        low, high = self.storage.checks.get(bounded.field.decl.column(self.dialect.name), (None, None))
        if bounded.field.type == DOUBLE and high is None:  # NaN is above every number
            return False
        return (bounded.least is None or (low is not None and low >= bounded.least)) and (
            bounded.greatest is None or (high is not None and high <= bounded.greatest)
        )

    def node(self, node: Node) -> Sql:
        """The SQL of a node. Raises Unsupported."""
        match node:  # the common ones first
            case Call() | Quantifier():
                if self.rendered and (known := self.rendered.get(self.numbering.number(node))):
                    self.height = max(self.height, _MIN_HEIGHT)
                    return known
                beside, self.height = self.height, 0
                sql = self.call(node) if isinstance(node, Call) else self.dialect.quantifier(self, node)
                if self.height >= _MIN_HEIGHT:
                    sql = self.limit_growth(sql, node)
                self.height = max(beside, self.height + 1)
                return sql
            case Field():
                return (
                    self.dialect.not_json_null(self.column(node)) if node.type == JSON else self.column(node)
                )
            case Literal():
                return self.literal(node.type, node.value)
            case Parameter(_, decl) if decl == NOW:
                return exp.CurrentTimestamp()
            case Parameter(_, decl):
                # Not a placeholder node: PostgreSQL's would be written as the Python driver's, `%(name)s`.
                return exp.Var(this=f":{decl.name}")
            case Variable():
                return (
                    self.dialect.not_json_null(self.variable(node))
                    if node.type == JSON
                    else self.variable(node)
                )
            case Items():
                return exp.Tuple(expressions=[self.node(item) for item in node.items])
            case _:
                assert_never(node)

    def condition(self, node: Node) -> Sql:
        """A condition of a WHERE, where FALSE and NULL mean the same, with additional conditions that an
        index can serve.
        """
        parts = (part for conjunct in self._conjuncts(node) for part in _conjuncts_of(conjunct))
        return and_(*dict.fromkeys(parts))

    def _conjuncts(self, node: Node) -> list[Sql]:
        if isinstance(node, Call) and node.op == "and":
            return _all_of(self, node, self._conjuncts)
        if isinstance(node, Call) and node.op == "or":
            return [or_(*_alternatives(self, node, self.condition))]
        shorter = self.dialect.rows.get(node.op) if isinstance(node, Call) else None
        sql = shorter(self, node) if shorter is not None and isinstance(node, Call) else None
        if isinstance(node, Quantifier) and node.kind == "any" and node.source.type != JSON:
            sql = self.dialect.exists(self, node)
        sql = self.node(node) if sql is None else sql
        served = self.dialect.served(self, node, sql) if self.indexed and self.dialect.served else None
        if served is None:
            return [sql]
        return [served.sql] if served.exact else [served.sql, sql]

    def call(self, node: Call) -> Sql:
        """The SQL of an operator by the rule of the dialect. Raises Unsupported where the rule is
        NotSupported.
        """
        read = node.args[0] if node.op in _CONVERSIONS else None
        if isinstance(read, Call) and read.op == "json_string":
            return self.convert_json_text(node, read.args[0])
        if isinstance(read, Call) and read.op == "json_number":
            return self.let_node(
                read, lambda double: self.call(Call(node.type, node.op, (double,), node.span))
            )
        if (called := self.function(node)) is not None:
            return called
        rule = self.dialect.table[node.op]
        if self.parameterize and node.type in (TIMESTAMP, DATE) and is_of_clock(node):
            return self.with_constants(node)  # an index serves it
        if not self.dialect.supports_nul:
            self.refuse_nul(node)
        if isinstance(rule, NotSupported):
            raise Unsupported.of(
                msg.unsupported(node.span, self.dialect.name, written(node), rule.text, rule.hint)
            )
        sql = rule(self, node) if node.op not in BY_KEY else self.with_literal_keys(rule, node)
        return self.dialect.not_json_null(sql) if node.type == JSON and node.op in _COLUMN_LOOK_UPS else sql

    def function(self, node: Call) -> Sql | None:
        """The call of a function that is installed where the SQL runs; None if there is none."""
        return None if self.runtime is None else self.runtime.called(self, node)

    def convert_json_text(self, node: Call, value: Node) -> Sql:
        """A conversion of the text of a JSON value. The kind is tested first. The text, which rules use
        several times, is read once.
        """
        json = self.dialect.documents
        result = self.let_node(
            Call(STRING, "json_text", (value,), node.span),
            lambda text: self.node(Call(node.type, node.op, (text, *node.args[1:]), node.span)),
        )
        return case((json.is_kind(json.kind(self, value), "string"), result))

    def let_node(self, node: Node, body: Callable[[Node], Sql]) -> Sql:
        """`body(node)` for a body that uses the node several times: a look-up or computation gets a name."""
        if not isinstance(node, Call):
            return body(node)
        name = self.fresh_name("v")
        return self.dialect.bind({name: self.node(node)}, body(Variable(node.type, name, node.span)))

    def column(self, node: Field) -> Sql:
        """The column of a field in this dialect."""
        return exp.Column(this=self.dialect.identifier(node.decl.column(self.dialect.name)))

    def variable(self, node: Variable) -> Sql:
        """The name of the variable of a macro."""
        return exp.Column(this=exp.to_identifier(node.name, quoted=True))

    def document(self, node: Node) -> Sql:
        """A JSON value to look something up in: JSON's null has nothing, and needs no test."""
        if isinstance(node, Call) and node.op in JSON_STEPS:
            return self.dialect.documents.value(self, node)
        return (
            self.column(node)
            if isinstance(node, Field)
            else self.variable(node)
            if isinstance(node, Variable)
            else self.node(node)
        )

    def limit_growth(self, sql: Sql, node: Call | Quantifier) -> Sql:
        """The SQL of a node, bounded in size: a guard repeats its operand, and every guard around it repeats
        all of that.

        Raises Unsupported if the SQL stays too large.
        """
        if not self.sizes.exceeds(sql, _LARGE_PARTS):
            return sql
        if isinstance(node, Call) and self.rewritings.share:
            sql = min(sql, self.share_parts(sql, node), key=count_parts)
        self.rendered[self.numbering.number(node)] = sql
        parts = count_parts(sql)
        if parts > MAX_PARTS and parts > _MAX_GROWTH * len(set(map(self.numbering.number, walk(node)))):
            raise Unsupported.of(say.too_many_parts(node.span, self.dialect.name, written(node), parts))
        return sql

    def share_parts(self, sql: Sql, node: Call) -> Sql:
        """The SQL of a call with names for repeated parts, and for operands that its rule uses several
        times.
        """
        parts = {
            number: value
            for number, part in repeated_parts(node, self.numbering).items()
            if not is_small(value := self.node(part))
        }
        outer = {number: self.fresh_name("v") for number in parts}
        call = with_names(node, outer, self.numbering)
        operands = {self.numbering.number(arg): arg for arg in call.args if is_nameable(arg)}
        names = {number: self.fresh_name("v") for number in operands}
        said = Counter(
            column.name for column in self.call(with_names(call, names, self.numbering)).find_all(exp.Column)
        )
        inner = {number: name for number, name in names.items() if said[name] > 1}
        if not inner and not outer:
            return sql
        result = self.call(with_names(call, inner, self.numbering))
        if inner:
            result = self.dialect.bind(
                {name: self.node(operands[number]) for number, name in inner.items()}, result
            )
        return (
            self.dialect.bind({name: parts[number] for number, name in outer.items()}, result)
            if outer
            else result
        )

    def with_literal_keys(self, rule: Rule, node: Call) -> Sql:
        """Apply a rule with constants left in the SQL: keys are names, also where constants become
        parameters.
        """
        marks, self.parameterize = self.parameterize, False
        try:
            return rule(self, node)
        finally:
            self.parameterize = marks

    def with_constants(self, node: Call) -> Sql:
        """The SQL of a call with its constants left in it."""
        return self.with_literal_keys(Renderer.call, node)

    def refuse_nul(self, node: Call) -> None:
        """Raise Unsupported for a constant with the character NUL."""
        for arg in node.args:
            for item in arg.items if isinstance(arg, Items) else (arg,):
                if isinstance(item, Literal) and isinstance(item.value, str) and "\0" in item.value:
                    raise Unsupported.of(msg.no_nul(item.span, self.dialect.name))

    def args(self, node: Call) -> list[Sql]:
        """The SQL of the operands of a call."""
        return [self.node(arg) for arg in node.args]

    def fresh_name(self, prefix: str) -> str:
        """A new name, which no column and no variable has."""
        self.counter += 1
        while (name := f"__{prefix}{self.counter}") in self.taken_names:
            self.counter += 1
        return name

    def refuse(self, node: Call, reason: str, hint: str | None = None) -> Unsupported:
        """The error that this dialect does not support a call, with the reason."""
        return Unsupported.of(msg.unsupported(node.span, self.dialect.name, written(node), reason, hint))

    def literal(self, kind: Type, value: Value) -> Sql:
        """A constant of a type; None is a NULL of that type. With `parameterize` it becomes a parameter."""
        if value is None:
            return self.null(kind)
        if self.parameterize and not isinstance(value, bool):
            return self.parameter(kind, value)
        match value:
            case str():
                return string_literal(value)
            case bool():
                return exp.Boolean(this=value)
            case int():
                return (
                    number_literal(value) if value > INT_MIN else cast(string_literal(str(value)), "BIGINT")
                )
            case float():
                return self.double(value)
            case Decimal():
                return number_literal(_digits(value, kind))
            case datetime():
                return self.dialect.timestamp(value.astimezone(UTC))
            case date():
                return cast(string_literal(value.isoformat()), "DATE")
            case timedelta():
                return number_literal(micros(value))
            case ValueSet():
                raise AssertionError  # the rule of in_list renders it

    def null(self, kind: Type) -> Sql:
        """NULL of a type."""
        name = str(kind) if isinstance(kind, DecimalType) else self.dialect.types.get(kind)
        return exp.Null() if name is None else cast(exp.Null(), name)

    def parameter(self, kind: Type, value: Value) -> Sql:
        """A marker for a constant, which is added to `values`."""
        stored = micros(value) if isinstance(value, timedelta) else value
        if self.dialect.spelling.times_as_texts and isinstance(stored, date):
            stored = stored.isoformat()
        self.values.append(stored)
        marker = exp.Var(this=f"?{len(self.values) - 1}?")
        if kind == STRING:
            return marker
        return cast(marker, _exact(stored) if isinstance(stored, Decimal) else self.dialect.types[kind])

    def double(self, value: float) -> Sql:
        """A double compared with a double: a plain number if the engine reads exactly this double from it."""
        if not math.isfinite(value):
            return cast(
                string_literal({math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")), "DOUBLE"
            )
        if value.is_integer() and abs(value) < 1e15:
            return (
                number_literal(int(value))
                if math.copysign(1, value) > 0 or value
                else cast(string_literal("-0.0"), "DOUBLE")
            )
        shown = repr(value)
        return number_literal(shown) if "e" not in shown else cast(string_literal(shown), "DOUBLE")


def _digits(value: Decimal, kind: Type) -> str:
    """A decimal as it is written. Engines count a 0 before the point, for which 38 digits behind it leave no
    room.
    """
    shown = f"{value:f}"
    full = isinstance(kind, DecimalType) and kind.scale == MAX_PRECISION
    return shown.replace("0.", ".", 1) if full and shown.lstrip("-").startswith("0.") else shown


def _exact(value: Decimal) -> str:
    """A type that holds a decimal number: DECIMAL alone has no decimals on Spark and three on DuckDB."""
    _, digits, exponent = value.as_tuple()
    scale = max(-int(exponent), 0)
    return f"DECIMAL({max(len(digits) + max(int(exponent), 0), scale)}, {scale})"


def micros(value: timedelta) -> int:
    """A duration in microseconds."""
    return value // timedelta(microseconds=1)


# --- logic


def _and(r: Renderer, node: Call) -> Sql:
    """AND. A long expression that several operands compare with constants, such as the two ends of a range,
    is computed once.
    """
    compared = [
        arg.args[0]
        for arg in node.args
        if isinstance(arg, Call) and arg.op in COMPARISON_NODES and isinstance(arg.args[1], Literal)
    ]
    again = next((part for part in compared if _is_costly(part) and compared.count(part) > 1), None)
    if again is None:
        return and_(*_all_of(r, node, lambda part: [r.node(part)]))
    return r.let_node(again, lambda name: _and(r, _named_in(r, node, again, name)))


def _all_of(r: Renderer, node: Call, render: Callable[[Node], list[Sql]]) -> list[Sql]:
    """The parts of an AND. Two bounds of one value by constants, one after the other, are a BETWEEN. Beside
    an upper bound a lower one needs no guard against NaN, which is above it.
    """
    result: list[Sql] = []
    parts = list(node.args)
    numbers = {part.args[0] for part in parts if _is_false_for_nan(part)}
    while parts:
        part = parts.pop(0)
        bounds = _bounds(_lower_bound(part), parts[0]) if parts else None
        if bounds is None:
            plain = _without_guard(r, part, numbers) if numbers else None
            result += render(part) if plain is None else [plain]
            continue
        parts.pop(0)
        low, high = bounds
        value = r.node(low.args[0])
        if low.op == "ge" and high.op == "le":
            result.append(between(value, r.node(low.args[1]), r.node(high.args[1])))
        else:
            result += [
                binary(COMPARISON_NODES[bound.op], value, r.node(bound.args[1])) for bound in (low, high)
            ]
    return result


def _conjuncts_of(sql: Sql) -> list[Sql]:
    """The parts of an AND in SQL: two conditions may have the same guard."""
    if not isinstance(sql, exp.And):
        return [sql]
    return [part for side in (sql.this, sql.expression) for part in _conjuncts_of(side)]


def _is_false_for_nan(node: Node) -> TypeGuard[Call]:
    """Whether a comparison of a column with a constant is FALSE if the column is NaN, also for engines."""
    match node:
        case Call(op="lt" | "le" | "eq", args=(Field(type=kind), Literal(value=float() as value))):
            return kind == DOUBLE and not math.isnan(value)
        case _:
            return False


def _without_guard(r: Renderer, node: Node, numbers: set[Node]) -> Sql | None:
    """A lower bound of a column that is not NaN in the rows that count; None of another node."""
    if not isinstance(node, Call) or node.op not in ("gt", "ge") or node.args[0] not in numbers:
        return None
    other = node.args[1]
    if not isinstance(other, Literal | Field) or other.type != DOUBLE or r.parameterize:
        return None
    return binary(COMPARISON_NODES[node.op], r.node(node.args[0]), r.node(other))


def _lower_bound(node: Node) -> Node:
    """A comparison alone, if NaN passes it, too: beside an upper bound that does not matter."""
    return node.args[0] if _is_or(node) and len(paired(node.args)) == 1 else node


def _bounds(one: Node, other: Node) -> tuple[Call, Call] | None:
    """A lower and an upper bound of one column, by constants of its type."""
    if not (isinstance(one, Call) and isinstance(other, Call)):
        return None
    if one.op not in ("gt", "ge") or other.op not in ("lt", "le") or one.args[0] != other.args[0]:
        return None
    value, *limits = one.args[0], one.args[1], other.args[1]
    if not isinstance(value, Field) or value.type not in _BETWEEN:
        return None
    usual = all(isinstance(limit, Literal) and limit.type == value.type for limit in limits)
    known = all(isinstance(limit, Literal) and limit.value is not None for limit in limits)
    return (one, other) if usual and known and not any(map(may_be_nan, limits)) else None


_BETWEEN = (BIGINT, DOUBLE, DATE, TIMESTAMP)
"""Types whose bounds need no collation."""


def _named_in(r: Renderer, node: Call, part: Node, name: Node) -> Call:
    return (
        with_names(node, {r.numbering.number(part): name.name}, r.numbering)
        if isinstance(name, Variable)
        else node
    )


def _is_costly(node: Node) -> bool:
    """Whether the SQL of a node is much longer than a name for it."""
    return (
        isinstance(node, Call)
        and is_nameable(node)
        and any(isinstance(part, Call) and part.op in _CONVERSIONS for part in walk(node))
    )


def _or(r: Renderer, node: Call) -> Sql:
    return or_(*_alternatives(r, node, r.node))


def _alternatives(r: Renderer, node: Call, render: Callable[[Node], Sql]) -> list[Sql]:
    """The parts of an OR. Two of them that are a comparison in the engine's own order are that comparison."""
    args = [part for arg in node.args for part in (arg.args if _is_or(arg) else (arg,))]
    pairs = paired(args) if r.rewritings.engine_order else [(arg,) for arg in args]
    return [_as_engine(r, first) if rest else render(first) for first, *rest in pairs]


def _is_or(node: Node) -> TypeGuard[Call]:
    return isinstance(node, Call) and node.op == "or"


def _as_engine(r: Renderer, node: Node) -> Sql:
    """A comparison in the order of doubles that engines have."""
    assert isinstance(node, Call)  # noqa: S101  # the first part of what `paired` has put together
    one, other = (r.node(arg if arg.type == DOUBLE else convert(arg, DOUBLE)) for arg in node.args)
    if node.op == "same":
        return exp.NullSafeEQ(this=wrap(one), expression=wrap(other))
    return binary(COMPARISON_NODES[node.op], one, other)


def _not(r: Renderer, node: Call) -> Sql:
    return not_(r.node(node.args[0]))


def _is_null(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    return is_null(r.dialect.documents.text(r, arg) if arg.type == JSON else r.node(arg))


def _cond(r: Renderer, node: Call) -> Sql:
    """An `if`. CASE takes its ELSE for NULL, but an UNKNOWN condition makes the result UNKNOWN, so the
    condition is tested for both values unless it is never UNKNOWN.
    """
    test, yes, no = node.args
    if isinstance(yes, Literal) and yes.value is None:
        if (found := nullif(node)) is not None and _is_as_engines(*found):
            return call("NULLIF", *map(r.node, found))
        return case((not_(r.node(test)), r.node(no)))
    if isinstance(no, Literal) and no.value is None:
        return case((_test_for_branch(r, no, test), r.node(yes)))
    if never_unknown(test) or _null_with_kind(no, test):
        default = r.node(no)
        if isinstance(default, exp.Case) and default.this is None:  # one CASE instead of one in the other
            first = exp.If(this=_test_for_branch(r, no, test), true=r.node(yes))
            return exp.Case(ifs=[first, *default.args["ifs"]], default=default.args.get("default"))
        return case((_test_for_branch(r, no, test), r.node(yes)), default=default)
    branches = [
        exp.If(this=exp.Boolean(this=value), true=r.node(part)) for value, part in ((True, yes), (False, no))
    ]
    return exp.Case(this=r.node(test), ifs=branches)


def _is_as_engines(value: Node, other: Node) -> bool:
    """Whether NULLIF of an engine compares two values as the core does."""
    plain = value.type == other.type and value.type in (BIGINT, STRING, DATE, TIMESTAMP, DOUBLE)
    return plain and not (may_be_nan(value) and may_be_nan(other))


def _test_for_branch(r: Renderer, otherwise: Node, test: Node) -> Sql:
    """The test of a CASE, which takes its ELSE for NULL. Whose ELSE is NULL whenever the test is UNKNOWN: the
    kind of a JSON value may then be tested without distinguishing UNKNOWN from FALSE.
    """
    if isinstance(test, Call) and test.op == "is_true":
        return r.node(test.args[0])
    absent = isinstance(otherwise, Literal) and otherwise.value is None
    if isinstance(test, Call) and test.op == "json_is" and (absent or _null_with_kind(otherwise, test)):
        json = r.dialect.documents
        return json.is_kind(json.kind(r, test.args[0]), constant(test.args[1]))
    return r.node(test)


def _null_with_kind(node: Node, test: Node) -> bool:
    """Whether a node is UNKNOWN whenever a test of the kind of a JSON value is."""
    return isinstance(test, Call) and test.op == "json_is" and _null_with(node, test.args[0])


def _null_with(node: Node, value: Node) -> bool:
    """Whether a node is UNKNOWN whenever another one is."""
    if node == value:
        return True
    if not isinstance(node, Call):
        return isinstance(node, Quantifier) and _null_with(node.source, value)
    if node.op == "cond":
        return _null_with(node.args[0], value) or all(_null_with(arg, value) for arg in node.args[1:])
    if node.op in JUNCTIONS:
        return all(_null_with(arg, value) for arg in node.args)
    return (node.op in ONLY_IN_SQL or node.op in STRICT) and any(_null_with(arg, value) for arg in node.args)


def _in(r: Renderer, node: Call) -> Sql:
    left, right = node.args
    if not isinstance(right, Items):
        return r.dialect.table["in_array"](r, node)  # type: ignore[operator]
    sql = tested(r, left, *right.items)
    if not right.items:
        return case((not_(is_null(sql)), exp.Boolean(this=False)))
    if any(_numeric_mix(left, item) or r.may_be_nan(item) for item in right.items):
        return or_(*(compare(r, "eq", left, item) for item in right.items))
    return exp.In(this=comparison_operand(sql), expressions=[r.node(item) for item in right.items])


def _same(r: Renderer, node: Call) -> Sql:
    """Engines hold NaN the same as itself, and an integer the same as the double that it is rounded to."""
    left, right = node.args
    if DOUBLE in (left.type, right.type) and (
        left.type != right.type or not any(isinstance(arg, Literal) for arg in node.args)
    ):
        absent = Call(
            BOOLEAN, "and", tuple(Call(BOOLEAN, "is_null", (arg,), node.span) for arg in node.args), node.span
        )
        equal = Call(BOOLEAN, "is_true", (Call(BOOLEAN, "eq", node.args, node.span),), node.span)
        return r.node(Call(BOOLEAN, "or", (absent, equal), node.span))
    return exp.NullSafeEQ(this=wrap(r.node(node.args[0])), expression=wrap(r.node(node.args[1])))


def unless_missing(r: Renderer, node: Call, value: Sql) -> Sql:
    """The SQL of a strict operator that the engine evaluates though an argument is NULL: NULL for these."""
    nullable = [r.node(arg) for arg in node.args if not isinstance(arg, Literal) or arg.value is None]
    return case((and_(*(not_(is_null(part)) for part in nullable)), value)) if nullable else value


# --- comparisons

COMPARISON_NODES: dict[str, type[exp.Binary]] = {
    "eq": exp.EQ,
    "ne": exp.NEQ,
    "lt": exp.LT,
    "le": exp.LTE,
    "gt": exp.GT,
    "ge": exp.GTE,
}


def _comparison(op: str) -> Rule:
    return lambda r, node: compare(r, op, node.args[0], node.args[1])


def compare(r: Renderer, op: str, left: Node, right: Node) -> Sql:
    """A comparison by value: numbers across types exactly, NaN equal to nothing and below and above
    nothing.
    """
    if _numeric_mix(left, right):
        return _compare_mixed(r, op, left, right)
    if left.type is DOUBLE or right.type is DOUBLE:
        return _compare_doubles(r, op, left, right)
    if op in EQUALITIES and (ascii_only := _of_ascii(r, op, left, right) or _of_ascii(r, op, right, left)):
        return ascii_only
    one, other = tested(r, left, right), tested(r, right, left)
    if left.type == STRING and op in ORDERED:
        collate = r.dialect.table.get("collate")
        if callable(collate):
            one = collate(r, Call(STRING, "collate", (left, right)))
    return binary(COMPARISON_NODES[op], one, other)


_NARROW = frozenset({*TIME_PARTS, "length", "position", "size", "ascii", "days_between", "int32"})
"""Operators whose SQL is a number of another type, with a cast to the width of theirs."""


def compared(r: Renderer, node: Node) -> Sql:
    """A value that is only compared: of a number without the cast to a greater width."""
    sql = r.node(node)
    if isinstance(node, Call) and node.op in _NARROW and type(sql) is exp.Cast:
        return sql.this.this if isinstance(sql.this, exp.Paren) else sql.this
    return sql


def tested(r: Renderer, node: Node, *constants: Node) -> Sql:
    """A value that is only tested against constants: LOWER or UPPER as the engine has it, if that decides the
    same.
    """
    if not r.parameterize and isinstance(node, Call) and has_usual_case(node, *constants):
        return call(node.op.upper(), r.node(node.args[0]))
    return compared(r, node)


def _of_ascii(r: Renderer, op: str, node: Node, other: Node) -> Sql | None:
    """`lower(x) = 'kim'`, where LOWER may make a `k` of another letter, as that and the number of bytes.
    UPPER may make two letters of one.

    None of another comparison, and where the collation may change what LOWER makes of ASCII.
    """
    size = r.dialect.byte_length_function
    if size is None or r.parameterize or not isinstance(node, Call) or node.op not in ("lower", "upper"):
        return None
    wanted, text = constant(other) if isinstance(other, Literal) else "", node.args[0]
    if not wanted.isascii() or not wanted or not isinstance(text, Field) or has_usual_case(node, other):
        return None
    value = r.node(text)
    kind = COMPARISON_NODES[op]
    letters = number_literal(len(wanted)) if node.op == "lower" else call("LENGTH", value)
    tests = (
        binary(kind, call(node.op.upper(), value), string_literal(wanted)),
        binary(kind, call(size, value), letters),
    )
    return and_(*tests) if op == "eq" else or_(*tests)


def _compare_doubles(r: Renderer, op: str, left: Node, right: Node) -> Sql:
    """Engines order NaN above every number and equal to itself. Comparisons with another result get a
    guard.
    """
    if op == "ne" and left == right and left.type == DOUBLE:  # the test for NaN, which engines hold equal
        return binary(exp.EQ, r.node(left), r.literal(DOUBLE, math.nan))
    guards_right = op in ("lt", "le")
    guarded, other = (right, left) if guards_right else (left, right)
    needed = r.may_be_nan(guarded) and (op not in EQUALITIES or r.may_be_nan(other))
    needed = needed and (
        r.dialect.documents.has_nan or not (isinstance(guarded, Call) and guarded.op == "json_number")
    )
    read = (
        guarded.args[0]
        if isinstance(guarded, Call) and guarded.op == "to_double" and guarded.args[0].type == STRING
        else None
    )

    def build(value: Sql) -> Sql:
        pair = (r.node(other), value) if guards_right else (value, r.node(other))
        result = binary(COMPARISON_NODES[op], *pair)
        if not needed:
            return result
        # One text alone is read as NaN, and comparing it costs less than reading it twice.
        guard = binary(exp.NEQ, r.node(read), string_literal("NaN")) if read else _not_nan(r, guarded, value)
        if isinstance(other, Literal) and other.value is not None:
            return or_(result, not_(guard)) if op == "ne" else and_(result, guard)
        # Beside NULL the comparison stays UNKNOWN, NaN or not.
        missing = is_null(r.node(other))
        return (
            or_(result, and_(not_(guard), not_(missing))) if op == "ne" else and_(result, or_(guard, missing))
        )

    value = r.node(guarded)
    limit = other.value if isinstance(other, Literal) and isinstance(other.value, float) else math.nan
    if (
        needed
        and op not in EQUALITIES
        and not math.isnan(limit)
        and ((_is_long(value) and not read) or calls(value))
    ):
        # Of NaN, negated or not, the engines hold that it is above all: turned round, the comparison needs
        # its value only once.
        negated, beside = exp.Neg(this=wrap(value)), r.literal(DOUBLE, -limit)
        return binary(
            COMPARISON_NODES[FLIPPED[op]], *((beside, negated) if guards_right else (negated, beside))
        )
    return r.dialect.let_compared(r, value, build) if needed and not read else build(value)


def _is_long(value: Sql) -> bool:
    return isinstance(value, exp.Case | exp.TryCast) or not is_small(value)


def _not_nan(r: Renderer, node: Node, value: Sql) -> Sql:
    """The guard against NaN. Beside a column of doubles a text alone is a double."""
    guard = r.dialect.not_nan(value)
    if isinstance(node, Field) and is_full(r, node) and isinstance(guard, exp.NEQ):
        nan = guard.expression
        return binary(exp.NEQ, value, nan.this if isinstance(nan, exp.Cast) else nan)
    return guard


def _numeric_mix(left: Node, right: Node) -> bool:
    return (left.type is BIGINT and right.type is DOUBLE) or (left.type is DOUBLE and right.type is BIGINT)


def _compare_mixed(r: Renderer, op: str, left: Node, right: Node) -> Sql:
    """An integer compared with a double: both as doubles, as in CEL, Spark and PostgreSQL."""
    if left.type == DOUBLE:
        op, left, right = FLIPPED[op], right, left
    if isinstance(right, Literal) and isinstance(right.value, float):
        return _compare_with_double(r, op, left, right.value)
    if isinstance(left, Literal) and isinstance(left.value, int) and abs(left.value) <= 2**53:
        return compare(r, op, Literal(DOUBLE, float(left.value)), right)
    return _compare_doubles(r, op, Call(DOUBLE, "to_double", (left,), left.span), right)


def _compare_with_double(r: Renderer, op: str, left: Node, value: float) -> Sql:
    """`bigint op constant`: the constant becomes the integer that decides the same, so that an index
    serves.
    """
    sql = compared(r, left)
    if math.isnan(value):
        return case((not_(is_null(sql)), exp.Boolean(this=op == "ne")))
    if abs(value) >= 2**53:  # 2**53 + 1 is rounded to it
        return binary(COMPARISON_NODES[op], cast(sql, "DOUBLE"), r.double(value))
    if op in EQUALITIES and not value.is_integer():
        return case((not_(is_null(sql)), exp.Boolean(this=op == "ne")))
    bound = math.ceil(value) if op in ("lt", "ge") else math.floor(value)
    return binary(COMPARISON_NODES[op], sql, r.literal(BIGINT, bound))


_FULL_WIDTH = frozenset({*ARITHMETIC, "neg", "abs", "floor", "ceil", "to_double", "to_int"} - {"mod"})
"""The operators whose SQL has the full width of their type. Others choose or look up a value, which may be a
narrower column or constant.
"""


def as_double(r: Renderer, node: Node) -> Sql:
    """An operand as DOUBLE. A column may be narrower, and a constant may have another type. NULL stays
    NULL.
    """
    sql = r.node(node)
    return sql if is_full(r, node) else cast(sql, "DOUBLE")


def is_full(r: Renderer, node: Node) -> bool:
    """Whether the SQL of a number surely has the full width of its type: that of a calculation, and that of a
    column whose type is known.
    """
    if isinstance(node, Field):
        return r.storage.types.get(node.decl.column(r.dialect.name)) == _FULL_TYPES.get(node.type, "")
    return isinstance(node, Call) and node.op in _FULL_WIDTH


_FULL_TYPES: Mapping[Type, str] = {BIGINT: "bigint", DOUBLE: "double precision"}


def operands(r: Renderer, node: Call) -> list[Sql]:
    """The operands of a calculation. One surely has the full width of its type, so that engines widen the
    others: columns may be narrower than they are declared.
    """
    chosen = next((arg for arg in node.args if _is_wide(r, arg)), None)
    if chosen is None:
        chosen = next((arg for arg in node.args if not isinstance(arg, Literal)), node.args[0])
    return [as_wide(r, arg) if arg is chosen else bare(r, arg) for arg in node.args]


def as_wide(r: Renderer, node: Node) -> Sql:
    """A number in the full width of its type."""
    return as_double(r, node) if node.type == DOUBLE else as_bigint(r, node)


def _is_wide(r: Renderer, node: Node) -> bool:
    """Whether the SQL of a node has full width by itself."""
    return is_full(r, node) and _widened(node) is None


def is_column(node: Node) -> bool:
    """Whether the SQL of a number is a column, which may be narrower than its type."""
    return isinstance(inner if (inner := _widened(node)) is not None else node, Field)


def _widened(node: Node) -> Node | None:
    """The number that a node only converts to a double."""
    if isinstance(node, Call) and node.op == "to_double":
        (arg,) = node.args
        return arg if arg.type == BIGINT or isinstance(arg.type, DecimalType) else None
    return None


EXACT_DIGITS = 15
"""Engines that read a number as a decimal convert so many digits to the same double."""


def bare(r: Renderer, node: Node) -> Sql:
    """An operand that the engine widens to the type of the other one."""
    if isinstance(node, Literal):
        sql = r.node(node)
        short = isinstance(node.value, int) or sum(map(str.isdigit, repr(node.value))) <= EXACT_DIGITS
        return sql if r.parameterize or (node.value is not None and short) else as_wide(r, node)
    if not is_column(node):
        return as_wide(r, node)
    inner = _widened(node)
    return r.node(node if inner is None else inner)


def as_bigint(r: Renderer, node: Node) -> Sql:
    """An integer operand as BIGINT, since a narrower column would overflow earlier. NULL stays NULL."""
    sql = r.node(node)
    return sql if is_full(r, node) else cast(sql, "BIGINT")


def nan_where(r: Renderer, node: Call) -> Sql | None:
    """`x <> x` in a WHERE, where ISNAN of NULL may be FALSE."""
    one, other = node.args
    return call("ISNAN", r.node(one)) if one == other and one.type == DOUBLE else None


def divided_by_zero(a: Sql, negative: Sql, *, not_nan: Sql) -> Sql:
    """IEEE 754's quotient of `a` by a zero: NaN, or an infinity by the signs of both. `negative` says
    whether the zero is.
    """
    nan, up, down = (cast(string_literal(name), "DOUBLE") for name in ("NaN", "Infinity", "-Infinity"))
    nothing = or_(binary(exp.EQ, a, number_literal(0)), not_(not_nan))
    same_sign = exp.NEQ(this=wrap(binary(exp.GT, a, number_literal(0))), expression=wrap(negative))
    return case((nothing, nan), (same_sign, up), (not_(is_null(a)), down))


def function(name: str) -> Rule:
    """An operator that is one function of the engine."""
    return lambda r, node: call(name, *r.args(node))


def _bigint_of(name: str) -> Rule:
    """An operator that is one function of a text, whose value the engine has as an INT."""
    return lambda r, node: cast(call(name, r.node(node.args[0])), "BIGINT")


def map_get(r: Renderer, node: Call) -> Sql:
    """The value of a key of a map; NULL where it has no such key."""
    items, key = r.args(node)
    return exp.Bracket(this=wrap(items), expressions=[key])


def like_or(name: str, before: str, behind: str) -> Rule:
    """LIKE with wildcards around a constant text; a function of the engine for any other text."""

    def rule(r: Renderer, node: Call) -> Sql:
        value, part = tested(r, *node.args), r.node(node.args[1])
        if isinstance(part, exp.Literal) and not set(part.this) & _SPECIAL:
            return like(value, string_literal(before + part.this + behind))
        return call(name, value, part)

    return rule


_SPECIAL = frozenset("%_\\")
"""The characters that stand for others in a pattern of LIKE."""


def pad(name: str) -> Rule:
    """LPAD or RPAD, whose length is an INT: as a parameter a constant is a BIGINT."""

    def rule(r: Renderer, node: Call) -> Sql:
        text, length, fill = r.args(node)
        return call(name, text, length if isinstance(length, exp.Literal) else cast(length, "INT"), fill)

    return rule


def _extreme(name: str) -> Rule:
    """GREATEST or LEAST, which ignore NULL on every engine. The first argument has the collation."""

    def rule(r: Renderer, node: Call) -> Sql:
        collate = r.dialect.table.get("collate") if node.type == STRING else None
        first = collate(r, Call(STRING, "collate", node.args)) if callable(collate) else r.node(node.args[0])
        return call(name, first, *map(r.node, node.args[1:]))

    return rule


def constant(node: Node) -> str:
    """The value of an argument that the check made sure is a constant text."""
    return str(node.value) if isinstance(node, Literal) and node.value is not None else ""


def _coalesce(r: Renderer, node: Call) -> Sql:
    """The first value there is. All engines call a part of a text, or else the empty text, SPLIT_PART."""
    match node.args:
        case (
            Call(
                op="index",
                args=(
                    Call(op="split", args=(text, Literal(value=str() as by) as separator)),
                    Literal(value=int() as place),
                ),
            ),
            Call(op="substr", args=(same, Literal(value=1), Literal(value=0))),
        ) if text == same and by and 0 <= place < INT32_MAX:
            number = number_literal(place + 1)
            return call("SPLIT_PART", r.node(text), r.node(separator), number)
        case _:
            return call("COALESCE", *r.args(node))


def constant_int(node: Node) -> int:
    """The value of an argument that is a constant integer, or 0."""
    return node.value if isinstance(node, Literal) and isinstance(node.value, int) else 0


def fold_case(r: Renderer, node: Node, wanted: str) -> Sql:
    """A text with each character that can become one of `wanted` folded, and the others as they are."""
    source, target = casefold.translation(wanted)
    return _translated(r, node, source, target, "LOWER") if source else r.node(node)


def folded(size: str, lower: Callable[[Sql], Sql]) -> Rule:
    """All characters of a text folded. TRANSLATE is slow, so a text of ASCII alone takes LOWER.

    `size` is the function that counts bytes; `lower` changes letters of ASCII in such a text.
    """

    def rule(r: Renderer, node: Call) -> Sql:
        source, target = map(string_literal, casefold.whole_translation())

        def build(text: Sql) -> Sql:
            plain = binary(exp.EQ, call(size, text), call("LENGTH", text))
            return case((plain, lower(text)), default=call("TRANSLATE", text, source, target))

        return let(r, r.node(node.args[0]), build)

    return rule


def ascii_lower(r: Renderer, node: Call) -> Sql:
    """Lower case of ASCII letters only, whatever the collation."""
    return _translated(r, node.args[0], ascii_uppercase, ascii_lowercase, "LOWER")


def ascii_upper(r: Renderer, node: Call) -> Sql:
    """Upper case of ASCII letters only, whatever the collation."""
    return _translated(r, node.args[0], ascii_lowercase, ascii_uppercase, "UPPER")


def _translated(r: Renderer, node: Node, source: str, target: str, ascii_name: str) -> Sql:
    """A text with some characters replaced. TRANSLATE is slow, so a column's text of ASCII alone takes
    another function, if it can.
    """
    sql = r.node(node)
    slow = call("TRANSLATE", sql, string_literal(source), string_literal(target))
    if r.dialect.byte_length_function is None or not isinstance(node, Field):
        return slow
    plain = binary(exp.EQ, call(r.dialect.byte_length_function, sql), call("LENGTH", sql))
    return case((plain, call(ascii_name, sql)), default=slow)


INT32_MAX = 2**31 - 1
"""The last place in a text or an array."""


def substr(add: Callable[[Sql, Sql], Sql], narrow: Callable[[Sql], Sql] = lambda places: places) -> Rule:
    """SUBSTRING from max(start, 1), as engines count a start below zero from the end. `add` is NULL beyond
    the integers; `narrow` makes what SUBSTRING takes.
    """

    def rule(r: Renderer, node: Call) -> Sql:
        value, start = r.node(node.args[0]), as_bigint(r, node.args[1])
        plain = 1 <= constant_int(node.args[1]) <= INT32_MAX
        first = r.node(node.args[1]) if plain else narrow(clamp(start, 1, INT32_MAX))
        if len(node.args) == 2:
            return call("SUBSTRING", value, first)
        if plain and isinstance(node.args[2], Literal) and 0 <= constant_int(node.args[2]) <= INT32_MAX:
            return call("SUBSTRING", value, first, r.node(node.args[2]))
        length = as_bigint(r, node.args[2])
        count = call("LEAST", length, number_literal(INT32_MAX))
        known = [binary(exp.GTE, length, number_literal(0))]
        if not plain:
            # Beyond the integers is beyond any text: LEAST passes over NULL.
            end = call(
                "GREATEST", call("LEAST", add(start, length), number_literal(INT32_MAX)), number_literal(0)
            )
            count = call("GREATEST", binary(exp.Sub, end, first), number_literal(0))
            known.append(not_(is_null(start)))
        return case((and_(*known), call("SUBSTRING", value, first, narrow(count))))

    return rule


def rlike(sql: Sql, pattern: str) -> Sql:
    """Whether a pattern of the engine matches a part of a text."""
    return exp.RegexpLike(this=wrap(sql), expression=string_literal(pattern))


def like(value: Sql, pattern: Sql) -> Sql:
    """LIKE where the backslash escapes by itself."""
    return exp.Like(this=comparison_operand(value), expression=pattern)


def like_row(like: Callable[[Sql, Sql], Sql] = like) -> Rule:
    """LIKE with a pattern of the row, where the backslashes in it stand before what they may escape."""

    def rule(r: Renderer, node: Call) -> Sql:
        value, pattern = node.args
        written = pattern.args[0] if isinstance(pattern, Call) and pattern.op == "fold_case" else pattern
        fits = Call(BOOLEAN, "matches", (written, Literal(STRING, ESCAPED_PATTERN)), node.span)
        return case((r.node(fits), like(r.node(value), r.node(pattern))))

    return rule


def case_insensitive(name: str, like: Callable[[Sql, Sql], Sql] = like) -> Rule:
    """A comparison with a constant under case folding: by equality (EQ), by the engine's LIKE, or by a
    function.
    """

    def rule(r: Renderer, node: Call) -> Sql:
        wanted = casefold.fold(constant(node.args[1]))
        if (usual := without_case(r, node, wanted)) is not None:
            return usual
        value, pattern = fold_case(r, node.args[0], wanted), string_literal(wanted)
        if name == "EQ":
            return binary(exp.EQ, value, pattern)
        return like(value, pattern) if name == "LIKE" else call(name, value, pattern)

    return rule


def without_case(r: Renderer, node: Call, wanted: str) -> Sql | None:
    """A test under case folding by LOWER or ILIKE; None where the engine's letters may be others."""
    if "\\" in wanted or not is_usually_folded(
        wanted, kelvin=r.dialect.byte_length_function is not None
    ):  # ILIKE of DuckDB has no escape character
        return None
    value = r.node(node.args[0])
    if node.op == "equals_ci":
        return binary(exp.EQ, call("LOWER", value), string_literal(wanted))
    if node.op == "like_ci":
        pattern = wanted
    elif set(wanted) & _SPECIAL:
        return None
    else:
        pattern = f"{wanted}%" if node.op == "starts_with_ci" else f"%{wanted}%"
    return exp.ILike(this=comparison_operand(value), expression=string_literal(pattern))


def replace_each(any_character: str, group: str, *flags: str) -> Rule:
    """Text around every character by the engine's REGEXP_REPLACE, where the text to replace is empty.

    `group` is how a replacement names what the first group found; its sign and the backslash are special
    there.
    """

    def rule(r: Renderer, node: Call) -> Sql:
        value, old, new = r.args(node)
        plain = new
        for special in dict.fromkeys(("\\", group[0])):
            plain = call("REPLACE", plain, string_literal(special), string_literal("\\" + special))
        behind = exp.DPipe(this=string_literal(group), expression=plain, safe=True)
        around = exp.DPipe(
            this=wrap(new),
            expression=call(
                "REGEXP_REPLACE", value, string_literal(any_character), behind, *map(string_literal, flags)
            ),
            safe=True,
        )
        return case(
            (binary(exp.EQ, old, string_literal("")), around), default=call("REPLACE", value, old, new)
        )

    return rule


def template(
    dialect: str, sql: str, read: Callable[[Renderer, Node], Sql] = Renderer.document, **parts: Sql
) -> Rule:
    """An operator of two JSON values with long, constant SQL, in which `__a` and `__b` are the values. They
    may be JSON's null.

    If the SQL uses a value several times, it gets a name. `read` renders a value, and `parts` replace other
    names.
    """

    def rule(r: Renderer, node: Call) -> Sql:
        result = _parsed(dialect, sql).copy()
        said = [
            column
            for column in result.find_all(exp.Column)
            if column.name in ("__a", "__b") or column.name in parts
        ]
        values: dict[str, Sql] = dict(zip(("__a", "__b"), (read(r, arg) for arg in node.args), strict=True))
        names = {key: r.fresh_name("v") for key in values if sum(column.name == key for column in said) > 1}
        for column in said:
            if column.name in names:
                column.replace(exp.Column(this=exp.to_identifier(names[column.name], quoted=True)))
            else:
                column.replace(wrap(parts[column.name] if column.name in parts else values[column.name]))
        return r.dialect.bind({names[key]: values[key] for key in names}, result) if names else result

    return rule


@lru_cache
def _parsed(dialect: str, sql: str) -> Sql:
    return parse_one(sql, dialect=dialect)


def quantity(
    is_one: Callable[[Sql], Sql], ends: Callable[[Sql, str], Sql], product: Callable[[Sql, Sql], Sql]
) -> Rule:
    """A quantity such as `1.5Gi` as a number: the text with its decimal unit as an exponent, times its binary
    unit. `is_one` tests for the pattern of quantities; other texts give NULL.
    """

    def build(sql: Sql) -> Sql:
        exponents = sql
        for unit, exponent in QUANTITY_UNITS.items():
            exponents = call("REPLACE", exponents, string_literal(unit), string_literal(exponent))
        digits = call("TRANSLATE", sql, string_literal("KMGTPEi"), string_literal(""))
        exa = call("REPLACE", sql, string_literal("E"), string_literal("e18"))
        read = case((ends(sql, "i"), digits), (ends(sql, "E"), exa), default=exponents)
        powers = [
            (ends(sql, unit), cast(number_literal(power), "BIGINT"))
            for unit, power in QUANTITY_POWERS.items()
        ]
        return case((is_one(sql), product(read, case(*powers, default=number_literal(1)))))

    return lambda r, node: let(r, r.node(node.args[0]), build)


def to_whole_number(rounded: str) -> Rule:
    """A double as a whole number where the engine's function that rounds leaves it as it is."""

    def rule(r: Renderer, node: Call) -> Sql:
        def build(number: Node) -> Sql:
            sql = r.node(number)
            return case(
                (
                    binary(exp.EQ, sql, call(rounded, sql)),
                    r.call(Call(BIGINT, "to_int", (number,), node.span)),
                )
            )

        return r.let_node(node.args[0], build)

    return rule


def to_boolean(sql: Sql) -> Sql:
    """A text as a truth value, by CEL's words for it; NULL for any other text."""
    yes = exp.In(
        this=wrap(sql), expressions=[string_literal(word) for word in ("true", "TRUE", "True", "t", "1")]
    )
    no = exp.In(
        this=wrap(sql), expressions=[string_literal(word) for word in ("false", "FALSE", "False", "f", "0")]
    )
    return case((yes, exp.Boolean(this=True)), (no, exp.Boolean(this=False)))


COMMON: dict[str, Rule | NotSupported] = {
    "and": _and,
    "or": _or,
    "not": _not,
    "is_true": lambda r, node: is_true(r.node(node.args[0])),
    "is_null": _is_null,
    "cond": _cond,
    "coalesce": _coalesce,
    "greatest": _extreme("GREATEST"),
    "least": _extreme("LEAST"),
    "dyn": lambda r, node: r.node(node.args[0]),
    "entry_filter": NotSupported(say.RUNS_AS_PYTHON, say.RUN_ENTRY_FILTER),
    "same": _same,
    "in": _in,
    "like_row": like_row(),
    "like": lambda r, node: like(tested(r, *node.args), r.node(node.args[1])),
    **{op: _comparison(op) for op in COMPARISON_NODES},
    "ascii": _bigint_of("ASCII"),
    "md5": function("MD5"),
    "concat": lambda r, node: concatenated(*r.args(node)),
    "length": _bigint_of("LENGTH"),
    "lower": ascii_lower,
    "upper": ascii_upper,
    "lpad": pad("LPAD"),
    "rpad": pad("RPAD"),
    "replace": function("REPLACE"),
    "reverse": function("REVERSE"),
    "equals_ci": case_insensitive("EQ"),
    "to_boolean": lambda r, node: to_boolean(r.node(node.args[0])),
    "to_whole": to_whole_number("TRUNC"),
    "get": map_get,
    "keys": function("MAP_KEYS"),
}
"""The operators that are the same in most dialects. Those of a dialect override them."""
