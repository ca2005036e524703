"""One rendering of a predicate: the SQL of its nodes by the rules of a dialect, bounded in size."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import assert_never

from msgspec import Struct, field
from sqlglot import exp

from predicat.analysis import facts
from predicat.analysis.clock import is_of_clock
from predicat.backends.sql import column_forms, expressions
from predicat.backends.sql.builders import (
    COMPARISON_NODES,
    Sql,
    and_,
    binary,
    call,
    case,
    cast,
    is_null,
    is_small,
    not_,
    number_literal,
    or_,
    string_literal,
    variable,
)
from predicat.backends.sql.common_subexpressions import (
    ValueNumbering,
    is_nameable,
    repeated_parts,
    with_names,
)
from predicat.backends.sql.functions import Runtime, is_conversion
from predicat.backends.sql.json_rewrites import JSON_STEPS
from predicat.backends.sql.rewritings import ALL, Rewritings
from predicat.backends.sql.rules import DialectRules, NotSupported
from predicat.backends.sql.sizes import Sizes
from predicat.backends.sql.storage import NOTHING_KNOWN, Storage
from predicat.diagnostics import Unsupported
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import backends as say
from predicat.ir.bounds import Bounded, without_guards
from predicat.ir.labels import written
from predicat.ir.nodes import NOW, Call, Field, Items, Literal, Node, Parameter, Quantifier, Variable, walk
from predicat.ir.operators import BY_KEY, COLUMN_LOOK_UPS
from predicat.ir.surface import CONVERSIONS
from predicat.ir.syntax import Value
from predicat.ir.types import DATE, DOUBLE, JSON, MAX_PRECISION, STRING, TIMESTAMP, DecimalType, Type
from predicat.ir.value_sets import ValueSet
from predicat.ir.values import INT_MIN
from predicat.ir.widths import is_float


def let(r: Renderer, value: Sql, body: Callable[[Sql], Sql]) -> Sql:
    """`body(value)` for a body that uses the value several times: a large value is computed once, under a
    name.
    """
    return body(value) if is_small(value) and not is_conversion(value) else let_always(r, value, body)


def let_always(r: Renderer, value: Sql, body: Callable[[Sql], Sql]) -> Sql:
    """`body(value)` with a value that is computed once, under a name."""
    name = r.fresh_name("v")
    return r.dialect.bind({name: value}, body(variable(name)))


MAX_PARTS = 20_000
# The largest number of SQL parts per different part of a predicate. The largest guard of a single operator
# has about 60.
_MAX_GROWTH = 100
# Predicates with fewer levels of operators cannot grow beyond the limit, so their parts are not counted.
_MIN_HEIGHT = 3
# The number of parts from which an operand that a guard repeats gets a name.
LARGE_PARTS = 1_000


class Renderer(Struct):
    """One rendering. With `parameterize` constants become parameters, and `values` collects them."""

    dialect: DialectRules[Renderer]
    parameterize: bool = False
    indexed: bool = False
    """Whether the SQL is a condition of a WHERE that may use indexes."""
    where: bool = False
    """Whether the SQL is a condition of a WHERE."""
    storage: Storage = NOTHING_KNOWN
    """How the relation is stored, as far as it is known."""
    runtime: Runtime | None = None
    """The functions that are installed where the SQL runs."""
    rewritings: Rewritings = ALL
    given: Mapping[str, Sql] = {}
    """The SQL of fields that are no columns of the relation, such as values of the session."""
    taken_names: frozenset[str] = frozenset()
    """The case-folded names of the columns."""
    beside_floats: bool = False
    """Whether a constant may stand beside a column of `float`, which may round it."""
    values: list[Value] = field(default_factory=list[Value])
    counter: int = 0
    height: int = 0
    rendered: dict[int, Sql] = field(default_factory=dict[int, Sql])
    """The SQL of large nodes by their value numbers: a rule may render an operand several times."""
    numbering: ValueNumbering = field(default_factory=ValueNumbering)
    sizes: Sizes = field(default_factory=Sizes)

    def known(self, node: Node) -> Node:
        """The predicate without tests of ranges that constraints of the relation guarantee."""
        return without_guards(node, self.is_checked) if self.storage.checks else node

    def may_overflow(self, node: Node) -> bool:
        """Whether a calculation with integers needs a guard."""
        return not self.rewritings.facts or facts.may_overflow(node)

    def may_be_nan(self, node: Node) -> bool:
        """Whether a value needs a guard against NaN."""
        return node.type == DOUBLE and (not self.rewritings.facts or facts.may_be_nan(node))

    def integers(self, node: Node) -> facts.Integers:
        """The range of an integer expression."""
        return facts.integers(node) if self.rewritings.facts else facts.ANY_INTEGER

    def doubles(self, node: Node) -> facts.Doubles:
        """The range of a double expression."""
        return facts.doubles(node) if self.rewritings.facts else facts.ANY_DOUBLE

    def is_checked(self, bounded: Bounded) -> bool:
        """Whether constraints of the relation guarantee that a field is within its bounds."""
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
                column = column_forms.read(self.dialect.name, node, self.column(node))
                return self.dialect.not_json_null(column) if node.type == JSON else column
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

    def call(self, node: Call) -> Sql:
        """The SQL of an operator by the rule of the dialect. Raises Unsupported if that is NotSupported."""
        read = node.args[0] if node.op in CONVERSIONS.values() else None
        if isinstance(read, Call) and read.op == "json_string":
            return self.convert_json_text(node, read.args[0])
        if isinstance(read, Call) and read.op == "json_number":
            return self.let_node(
                read, lambda double: self.call(Call(node.type, node.op, (double,), node.span))
            )
        if (called := self.function(node)) is not None:
            return called
        if (compared := self.at_column(node)) is not None:
            return compared
        rule = self.dialect.table[node.op]
        if self.parameterize and node.type in (TIMESTAMP, DATE) and is_of_clock(node):
            return self.with_constants(node)  # an index may be used
        if isinstance(rule, NotSupported):
            raise Unsupported.of(
                msg.unsupported(node.span, self.dialect.name, written(node), rule.text, rule.hint)
            )
        sql = rule(self, node) if node.op not in BY_KEY else self.with_literal_keys(rule, node)
        if node.op == "member":
            sql = column_forms.read(self.dialect.name, node, sql)
        # Rules for JSON documents handle JSON null themselves.
        return self.dialect.not_json_null(sql) if node.type == JSON and node.op in COLUMN_LOOK_UPS else sql

    def at_column(self, node: Call) -> Sql | None:
        """A test of a column that has a form of its own, in the engine's type; None for any other node."""
        held = column_forms.held(self.dialect.name, node)
        if held is None:
            return None

        def part(node: Node) -> Sql:
            match node:
                case _ if (field := column_forms.column_of(node)) is not None:
                    return self.held(field)
                case Items():
                    return exp.Tuple(expressions=[part(item) for item in node.items])
                case Literal():
                    return held.constant(self.node(node), node.value)
                case _:
                    sql = self.node(node)
                    return sql if held.convert is None else held.convert(sql)

        if node.op == "is_null":
            return is_null(self.held(node.args[0]))
        one, other = map(part, node.args)
        kind = exp.NullSafeEQ if node.op == "same" else COMPARISON_NODES.get(node.op)
        sql = exp.In(this=one, expressions=other.expressions) if kind is None else binary(kind, one, other)
        if held.only_if is None:
            return sql
        also = held.only_if(one.copy())
        return or_(sql, not_(also)) if node.op == "ne" else and_(sql, also)

    def held(self, node: Node) -> Sql:
        """A column, or a member of a struct in one, as the engine holds it."""
        rule = self.dialect.table["member"]
        if isinstance(node, Call) and not isinstance(rule, NotSupported):
            return rule(self, node)
        return self.column(node) if isinstance(node, Field) else self.node(node)

    def function(self, node: Call) -> Sql | None:
        """The call of a function that is installed where the SQL runs; None if there is none."""
        return None if self.runtime is None else self.runtime.called(self, node)

    def convert_json_text(self, node: Call, value: Node) -> Sql:
        """A conversion of a JSON string; NULL for any other JSON value. The string, which rules use several
        times, is read once.
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
        """The column of a field in this dialect, or the expression that it is read from."""
        if (given := self.given.get(node.decl.name)) is not None:
            return given.copy()
        if (
            node.decl.expressions
            and (found := expressions.of_field(node.decl, self.dialect.name)) is not None
        ):
            return found.sql.copy()
        return exp.Column(this=self.dialect.identifier(node.decl.column(self.dialect.name)))

    def variable(self, node: Variable) -> Sql:
        """The name of the variable of a macro."""
        return variable(node.name)

    def document(self, node: Node) -> Sql:
        """A JSON value for a look-up in it. It needs no test for JSON null, which has no members."""
        if isinstance(node, Call) and node.op in JSON_STEPS:
            sql = self.dialect.documents.value(self, node)
            if self.sizes.exceeds(sql, MAX_PARTS):  # a step may read the document before it twice
                raise Unsupported.of(
                    say.too_many_parts(node.span, self.dialect.name, written(node), self.sizes.parts(sql))
                )
            return sql
        return (
            column_forms.read(self.dialect.name, node, self.column(node))
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
        if not self.sizes.exceeds(sql, LARGE_PARTS):
            return sql
        if isinstance(node, Call) and self.rewritings.share:
            shared = self.share_parts(sql, node)
            if self.sizes.exceeds(sql, self.sizes.parts(shared)):
                sql = shared
        self.rendered[self.numbering.number(node)] = sql
        if not self.sizes.exceeds(sql, MAX_PARTS):
            return sql
        parts = self.sizes.parts(sql)
        if parts > _MAX_GROWTH * len(set(map(self.numbering.number, walk(node)))):
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
        """Apply a rule without parameters: keys are names, so these constants always stay in the SQL."""
        marks, self.parameterize = self.parameterize, False
        try:
            return rule(self, node)
        finally:
            self.parameterize = marks

    def key(self, node: Node) -> Sql:
        """The key of a look-up in a JSON value. A constant is a name, so it stays in the SQL."""
        if not isinstance(node, Literal):
            return self.node(node)
        marks, self.parameterize = self.parameterize, False
        try:
            return self.literal(node.type, node.value)
        finally:
            self.parameterize = marks

    def with_constants(self, node: Call) -> Sql:
        """The SQL of a call whose constants do not become parameters."""
        return self.with_literal_keys(Renderer.call, node)

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
                return number_literal(value) if value > INT_MIN else cast(str(value), "BIGINT")
            case float():
                return self.double(value)
            case Decimal():
                return number_literal(_digits(value, kind))
            case datetime():
                return self.dialect.timestamp(value.astimezone(UTC))
            case date():
                return cast(value.isoformat(), "DATE")
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
        """A constant that is compared with a double: a plain number if the engine reads it as this double."""
        if not math.isfinite(value):
            return cast({math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN"), "DOUBLE")
        shown, exact = repr(value), is_float(value)
        if "e" in shown or (self.beside_floats and not exact):
            return cast(shown, "DOUBLE")
        if self.dialect.spelling.exponents and not exact:
            return number_literal(f"{shown.removesuffix('.0')}e0")
        if value.is_integer() and abs(value) < 1e15:
            return (
                number_literal(int(value)) if math.copysign(1, value) > 0 or value else cast("-0.0", "DOUBLE")
            )
        return number_literal(shown)


def _digits(value: Decimal, kind: Type) -> str:
    """A decimal as SQL. Engines count a 0 before the point as a digit, so it is left out for a type with 38
    digits after the point.
    """
    shown = f"{value:f}"
    full = isinstance(kind, DecimalType) and kind.scale == MAX_PRECISION
    return shown.replace("0.", ".", 1) if full and shown.lstrip("-").startswith("0.") else shown


def _exact(value: Decimal) -> str:
    """A type that holds a decimal number. DECIMAL alone has scale 0 on Spark and scale 3 on DuckDB."""
    _, digits, exponent = value.as_tuple()
    scale = max(-int(exponent), 0)
    return f"DECIMAL({max(len(digits) + max(int(exponent), 0), scale)}, {scale})"


def micros(value: timedelta) -> int:
    """A duration in microseconds."""
    return value // timedelta(microseconds=1)


def unless_missing(r: Renderer, node: Call, value: Sql) -> Sql:
    """The SQL of a strict operator for an engine that accepts NULL arguments: NULL if one of them is NULL."""
    nullable = [r.node(arg) for arg in node.args if not isinstance(arg, Literal) or arg.value is None]
    return case((and_(*(not_(is_null(part)) for part in nullable)), value)) if nullable else value


def constant(node: Node) -> str:
    """The value of a constant string argument. The check guarantees that it is constant."""
    return str(node.value) if isinstance(node, Literal) and node.value is not None else ""


def constant_int(node: Node) -> int:
    """The value of an argument that is a constant integer, or 0."""
    return node.value if isinstance(node, Literal) and isinstance(node.value, int) else 0


# How a dialect writes an operator.
Rule = Callable[[Renderer, Call], Sql]


def function(name: str) -> Rule:
    """An operator that is one function of the engine."""
    return lambda r, node: call(name, *r.args(node))
