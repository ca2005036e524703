"""Typed nodes as formulas. A node without a formula becomes an uninterpreted value, the same for equal nodes.

So a proof that two predicates agree also holds with such nodes in them. A difference counts only if the
reference evaluator confirms it on a row. The constraints on variables are true for every row: see
`Encoder.constraints`. Only the number of elements of arrays is bounded; predicat.proof.smt.arrays explains
why that is enough.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

from msgspec import Struct, field

from predicat.ir.column_forms import OfColumn, form_of, held_type
from predicat.ir.limits import MAX_DEPTH
from predicat.ir.nodes import (
    NOW,
    Call,
    Field,
    FieldDecl,
    Items,
    Literal,
    Node,
    ParamDecl,
    Parameter,
    Quantifier,
    Variable,
    walk,
)
from predicat.ir.operators import COMPARISONS, EQUALITIES, FLIPPED
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
    DecimalType,
    FormType,
    StructType,
    Type,
)
from predicat.ir.value_sets import ValueSet
from predicat.ir.values import FIRST_NOW, INT_MAX, INT_MIN, LAST_NOW, LONGEST
from predicat.ir.widths import FLOAT_MOST, RANGES
from predicat.proof.smt import numbers, strings, times
from predicat.proof.smt.arrays import Needs, Path, needed
from predicat.proof.smt.strings import NotEncodable
from predicat.proof.smt.terms import (
    KINDS,
    Array,
    Bool,
    Double,
    Json,
    Record,
    Scalar,
    Term,
    Truth,
    all_of,
    any_of,
    integer,
    negated,
    truth_of,
    z3,
)
from predicat.proof.work import FORMULA, Work
from predicat.semantics.regex import Regex

# An array that would need variables for more elements than this has no formula.
MAX_ITEMS = 32


# The path and the term of each variable of a macro.
Env = dict[str, tuple[Path, Term]]
BOUNDS: dict[Type, tuple[int, int]] = {
    BIGINT: (INT_MIN, INT_MAX),
    TIMESTAMP: (times.FIRST, times.LAST),
    DATE: (times.FIRST_DAY, times.LAST_DAY),
    DURATION: (-LONGEST, LONGEST),
}


class Asked(Struct):
    """The long lists that formulas of one encoder use, and the values that are looked up in them."""

    lists: dict[str, tuple[ValueSet, Any]] = field(default_factory=dict[str, Any])
    values: dict[str, list[Any]] = field(default_factory=dict[str, list[Any]])
    """The values by the name of their sort."""
    facts: int = 0


class OutOfWork(Exception):
    """The work for a comparison was done before its formula was complete."""


class Encoder(ABC):
    """Formulas of one or more predicates over one set of variables, as the rules of operators see them.

    Attributes:
        variables: The values of the row, by their path.
        columns: The fields, by their names.
        constraints: Conditions on the variables that are true for every row.
        children: The paths of the members of maps, structs and JSON values.
        nulls: Conditions for members of JSON objects that exist and are JSON null.
        opaque: The operators without a formula.
        approximated: Conditions under which a model may have more than a row can hold.
        inexact: Whether a formula takes decimals as doubles without rounding.
        regular: Write tests of prefixes and suffixes as regular languages. Z3 decides some questions only
            with this, and others only without.
        exact: Take the arithmetic of doubles, and decimals beside doubles, as exact. By default such
            arithmetic has no formula, so a proof holds for rounded numbers.
        opaque_texts: Take string operators as uninterpreted functions. This quickly decides questions that
            do not depend on them.
        work: What is left to do.

    The names of Z3 variables are generated, so names of fields cannot collide.
    """

    def __init__(
        self,
        nodes: Iterable[Node],
        *,
        regular: bool = False,
        exact: bool = False,
        opaque_texts: bool = False,
        work: Work | None = None,
    ) -> None:
        self.nodes = tuple(nodes)
        self.needs: Needs = needed(self.nodes)
        self.asked = Asked()
        self.regular = regular
        self.exact = exact
        self.opaque_texts = opaque_texts
        self.work = Work(math.inf) if work is None else work
        self.variables: dict[Path, Term] = {}
        self.columns: dict[Any, FieldDecl] = {}
        self.constraints: list[Any] = []
        self.opaque: dict[str, None] = {}
        self.inexact = False
        self.depth = 0
        self.names = 0
        self.approximated: list[Any] = []
        self.lengths: list[Any] = []
        self.children: dict[Path, dict[str | int, Path]] = {}
        self.nulls: dict[Path, Any] = {}
        # The languages that are asked about each text, which is kept as long as its number stands for it.
        self.languages: dict[int, dict[Regex, Any]] = {}

    # --- walking

    def predicate(self, node: Node) -> Truth:
        """A predicate as a pair of conditions: when it is TRUE and when it is FALSE."""
        try:
            return self.truth(node, {})
        except NotEncodable:
            result = self.opaque_value(node, {})
            assert isinstance(result, Truth)  # noqa: S101  # it is a boolean
            return result

    def truth(self, node: Node, env: Env) -> Truth:
        """A boolean node as a pair of conditions. A node without a formula may have any truth value."""
        result = self.term(node, env)
        if not isinstance(result, Truth):
            raise NotEncodable
        return result

    def term(self, node: Node, env: Env) -> Term:
        """A node as a term. A node without a formula is an uninterpreted value."""
        match node:
            case Literal():
                return self.literal(node)
            case Field():
                return self.field(node)
            case Parameter():
                return self.parameter(node.decl, node.type)
            case Variable():
                return env[node.name][1]
            case Quantifier():
                return self.attempt(node, env, self.quantifier)
            case Call():
                return self.attempt(node, env, self.call)
            case Items():
                raise NotEncodable

    def attempt(self, node: Any, env: Env, rule: Callable[[Any, Env], Term]) -> Term:
        """The term of a node by a rule, or an uninterpreted value if the rule raises NotEncodable. Raises
        OutOfWork.
        """
        self.work.spend(FORMULA)
        if self.work.is_done:
            raise OutOfWork
        self.depth += 1
        try:
            return rule(node, env) if self.depth <= MAX_DEPTH else self.opaque_value(node, env)
        except NotEncodable:
            return self.opaque_value(node, env)
        finally:
            self.depth -= 1

    @abstractmethod
    def opaque_value(self, node: Any, env: Env) -> Term:
        """An uninterpreted value. It is the same for equal nodes that read the same elements, and for strict
        operators with equal arguments.
        """

    @abstractmethod
    def call(self, node: Call, env: Env) -> Term:
        """The term of an operator by its rule."""

    @abstractmethod
    def quantifier(self, node: Quantifier, env: Env) -> Term:
        """The term of a macro."""

    @cached_property
    def texts(self) -> list[str]:
        """The string constants with which the predicates compare something."""
        texts = (
            part.value
            for node in self.nodes
            for call in walk(node)
            if isinstance(call, Call) and (call.op in COMPARISONS or call.op == "in")
            for arg in call.args
            for part in (arg.items if isinstance(arg, Items) else (arg,))
            if isinstance(part, Literal) and isinstance(part.value, str)
        )
        return list(dict.fromkeys(texts))

    def truth_unknown(self, node: Call, env: Env) -> Bool:
        """An unknown condition: whether a test without a formula is TRUE."""
        result = self.opaque_value(node, env)
        assert isinstance(result, Truth)  # noqa: S101  # it is a boolean
        return result.true

    # --- leaves

    def literal(self, node: Literal) -> Term:
        """The term of a constant."""
        value, kind = node.value, node.type
        if value is None:
            return self.missing(kind)
        if isinstance(value, bool):
            return Truth(value, not value)
        if isinstance(value, float):
            return numbers.double_of(value)
        if isinstance(value, int):
            return numbers.double_of(float(value)) if kind == DOUBLE else Scalar(integer(value), False)
        if isinstance(value, str):
            return Scalar(strings.text(value), False)
        if isinstance(value, Decimal):
            number = Fraction(value)
            return Scalar(z3.RealVal(f"{number.numerator}/{number.denominator}"), False)
        if isinstance(value, ValueSet):
            raise NotEncodable
        return Scalar(integer(times.number_of(value)), False)

    def missing(self, kind: Type) -> Term:
        """NULL of a type. Raises NotEncodable for arrays, maps, structs and JSON."""
        if kind == BOOLEAN:
            return Truth(False, False)
        if kind == DOUBLE:
            return Double(z3.RealVal(0), False, False, False, True)
        if kind == STRING:
            return Scalar(z3.StringVal(""), True)
        if isinstance(kind, DecimalType):
            return Scalar(z3.RealVal(0), True)
        if kind in (BIGINT, TIMESTAMP, DATE, DURATION):
            return Scalar(integer(0), True)
        raise NotEncodable

    def parameter(self, decl: ParamDecl, kind: Type) -> Term:
        """Any value of a type, also NULL, as in `:p IS NULL OR x = :p`. It is not NaN: that is refused as the
        value of a parameter.
        """
        result = self.variable((("parameter", decl.name),), kind)
        if decl == NOW and isinstance(result, Scalar):
            first, last = map(times.number_of, (FIRST_NOW, LAST_NOW))
            self.constraints += [z3.Not(result.null), result.term >= first, result.term <= last]
        if (
            isinstance(result, Double) and not isinstance(result.nan, bool) and decl.default == decl.default
        ):  # no NaN
            self.constraints.append(z3.Not(result.nan))
        return result

    def fresh(self, sort: Callable[[str], Any]) -> Any:
        """A Z3 variable with a new name."""
        self.names += 1
        return sort(f"v{self.names}")

    def field(self, node: Field) -> Term:
        """The value of a field, which is one of its column."""
        self.columns.setdefault(node.decl.name, node.decl)
        return self.variable((("field", node.decl.name),), node.type, node.decl.stored)

    def variable(self, path: Path, kind: Type, stored: str = "") -> Term:
        """The value at a path. Its variables are created at the first use."""
        result = self.variables.get(path)
        if result is None:
            result = self.variables[path] = self.unknown(path, kind, stored)
            form = self.form_at(path)
            if form is not None:
                shape = form.shape(Variable(kind, "value"))
                self.constraints.append(
                    any_of(result.null, self.truth(shape, {"value": (path, result)}).true)
                )
        return result

    def form_at(self, path: Path) -> OfColumn | None:
        """The form of what is at a path in its column; None for any other value."""
        root, *steps = path
        decl = self.columns.get(root[1]) if root[0] == "field" else None
        held: Type | None = None if decl is None else held_type(decl)
        for step in steps:
            if isinstance(held, StructType):
                held = held.get(str(step[1]))
            else:
                held = held.element if isinstance(held, ArrayType) and step[0] == "item" else None
        return form_of(held.name) if isinstance(held, FormType) else None

    def unknown(self, path: Path, kind: Type, stored: str = "") -> Term:
        """New variables for a value of a type at a path, with their constraints. Of a declared width they are
        those of the column; but a float of 32 bits is any number up to the greatest one.
        """
        null = self.fresh(z3.Bool)
        if kind == BOOLEAN:
            value = self.fresh(z3.Bool)
            return Truth(z3.And(z3.Not(null), value), z3.And(z3.Not(null), z3.Not(value)))
        if kind == STRING:
            return Scalar(self.fresh(z3.String), null)
        if kind == DOUBLE:
            nan, plus, minus = (self.fresh(z3.Bool) for _ in range(3))
            term = self.fresh(z3.Real)
            self.constraints += [z3.AtMost(nan, plus, minus, 1)]
            if stored == "float":
                self.constraints += [term >= -int(FLOAT_MOST), term <= int(FLOAT_MOST)]
            return Double(term, nan, plus, minus, null)
        if kind in (BIGINT, TIMESTAMP, DATE, DURATION):
            term = self.fresh(z3.Int)
            low, high = RANGES.get(stored, BOUNDS[kind])
            self.constraints += [term >= low, term <= high]
            return Scalar(term, null)
        if isinstance(kind, DecimalType):
            scaled = self.fresh(z3.Int)
            self.constraints += [scaled < 10**kind.precision, scaled > -(10**kind.precision)]
            return Scalar(z3.ToReal(scaled) / 10**kind.scale, null)
        if kind == JSON:
            return self.json(path, null)
        if isinstance(kind, ArrayType):
            return self.array(
                path, null, self.length(), lambda place: self.variable((*path, ("item", place)), kind.element)
            )
        return Record(path, null)

    def json(self, path: Path, null: Any) -> Json:
        """New variables for the JSON value at a path."""
        kind = self.fresh(z3.Int)
        plus, minus = self.fresh(z3.Bool), self.fresh(z3.Bool)  # 1e400 is a JSON number
        self.constraints += [kind >= 0, kind < len(KINDS), z3.AtMost(plus, minus, 1)]
        number = Double(self.fresh(z3.Real), False, plus, minus, False)
        return Json(path, kind, self.fresh(z3.String), number, self.fresh(z3.Bool), self.length(), null)

    def length(self) -> Any:
        """A new variable for the length of an array."""
        result = self.fresh(z3.Int)
        self.constraints.append(result >= 0)
        self.lengths.append(result)
        return result

    def array(self, path: Path, null: Any, length: Any, item: Callable[[int], Term]) -> Array:
        """The array at a path with variables for its first elements. Raises NotEncodable if it needs more
        than MAX_ITEMS.
        """
        items = self.needs.items(path)
        if items > MAX_ITEMS:
            raise NotEncodable
        return Array(path, length, tuple(item(place) for place in range(items)), null)

    # --- elements and members

    def elements(self, node: Node, env: Env) -> Array:
        """An array, or a JSON value as an array: NULL if it is of another kind. Raises NotEncodable if the
        elements were not counted for this use.
        """
        result = self.term(node, env)
        if isinstance(result, Json):
            null = any_of(result.null, result.kind != KINDS.index("array"))
            result = self.array(result.path, null, result.length, partial(self.json_child, result))
        if not isinstance(result, Array) or not self.needs.covers(result.path, node, paths(env)):
            raise NotEncodable
        return result

    def json_child(self, parent: Json, key: str | int) -> Json:
        """The member or the element of a JSON value under a key or an index."""
        path = (*parent.path, ("item" if isinstance(key, int) else "key", key))
        child = self.variables.get(path)
        if not isinstance(child, Json):
            child = self.json(path, self.fresh(z3.Bool))
            self.variables[path] = child
            self.children.setdefault(parent.path, {})[key] = path
            holder = KINDS.index("object" if isinstance(key, str) else "array")
            self.constraints.append(any_of(child.null, z3.And(negated(parent.null), parent.kind == holder)))
            if isinstance(key, int):
                self.constraints.append(z3.Or(child.null, parent.length > key))
        return child

    # --- comparison

    def double(self, term: Term, *, exactly: bool = False) -> Double:
        """A number as the nearest double, or with `exactly` as the number itself: comparisons of decimals
        with doubles do not round.
        """
        if isinstance(term, Double):
            return term
        if not isinstance(term, Scalar) or not z3.is_arith(term.term):
            raise NotEncodable
        if self.exact and not term.term.is_int():
            self.inexact = exactly = True
        return numbers.exact_double(term) if exactly else numbers.rounded(term, self.constraints)

    def scalar(self, node: Node, env: Env) -> Scalar:
        """The term of a scalar node such as a number or a string. Raises NotEncodable for other nodes."""
        result = self.term(node, env)
        if not isinstance(result, Scalar):
            raise NotEncodable
        return result

    def compared(self, op: str, left: Node, right: Node, env: Env) -> Truth:
        """A comparison as a pair of conditions; UNKNOWN if an operand is NULL."""
        language = self.folded_equality(op, left, right)
        if language is not None:
            text, wanted, negative = language
            result = self.member(text, wanted, env)
            return Truth(result.false, result.true) if negative else result
        a, b = self.term(left, env), self.term(right, env)
        null = any_of(a.null, b.null)
        if isinstance(a, Truth) and isinstance(b, Truth):
            if op not in EQUALITIES:
                raise NotEncodable
            same = any_of(all_of(a.true, b.true), all_of(a.false, b.false))
            return truth_of(same if op == "eq" else negated(same), null)
        if (
            isinstance(a, Double)
            or isinstance(b, Double)
            or (isinstance(a, Scalar) and isinstance(b, Scalar) and sort(a) != sort(b))
        ):
            decimals = isinstance(left.type, DecimalType) or isinstance(right.type, DecimalType)
            return truth_of(
                numbers.compare(op, self.double(a, exactly=decimals), self.double(b, exactly=decimals)), null
            )
        if isinstance(a, Scalar) and isinstance(b, Scalar):
            return truth_of(_ordered(op, a.term, b.term), null)
        raise NotEncodable

    # --- texts

    def member(self, node: Node, language: Regex, env: Env) -> Truth:
        """Whether a string is in a regular language; UNKNOWN for NULL. LOWER and UPPER become a part of the
        language: this is much easier for Z3.
        """
        if isinstance(node, Call) and node.op in ("lower", "upper"):
            change = strings.before_lower if node.op == "lower" else strings.before_upper
            return self.member(node.args[0], strings.mapped(language, change), env)
        text = self.scalar(node, env)
        self.languages.setdefault(text.term.get_id(), {})[language] = text.term
        return truth_of(z3.InRe(text.term, strings.language(language)), text.null)

    @property
    def states(self) -> int:
        """About how many states the solver may visit to read one text in all languages asked about it."""
        return max(map(strings.states, self.languages.values()), default=0)

    def folded_equality(self, op: str, left: Node, right: Node) -> tuple[Node, Regex, bool] | None:
        """`lower(x) = 'a'` as a node, a language, and whether the test is negated; None for others."""
        if (
            self.opaque_texts
            or op not in EQUALITIES
            or not isinstance(right, Literal)
            or not isinstance(right.value, str)
        ):
            return None
        if not isinstance(left, Call) or left.op not in ("lower", "upper"):
            return None
        return left, strings.literal(right.value), op == "ne"


def sort(value: Scalar) -> str:
    """The name of the Z3 sort of a term."""
    return str(value.term.sort())


def paths(env: Env) -> dict[str, Path]:
    """The path of each variable of a macro."""
    return {name: path for name, (path, _) in env.items()}


def _ordered(op: str, a: Any, b: Any) -> Bool:
    """A comparison of two terms. For strings Z3 supports only `<` and `<=`, so `>` and `>=` are flipped."""
    if op in ("gt", "ge"):
        return _ordered(FLIPPED[op], b, a)
    return COMPARISONS[op].holds(a, b)
