"""Typed nodes as formulas. What has no formula becomes a value of its own, the same wherever the same node stands.

So a proof that two predicates agree holds even with such parts in them; a difference is only believed once the reference
evaluator has seen it on a row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any

from predicat.ir.nodes import Call, Field, Items, Literal, Node, Parameter, Quantifier, Variable, ranged_over, walk
from predicat.ir.text import to_text
from predicat.ir.types import BIGINT, BOOLEAN, DATE, DOUBLE, DURATION, JSON, STRING, TIMESTAMP, ArrayType, DecimalType, Type
from predicat.passes.scope import MAX_DEPTH
from predicat.review.smt import numbers, strings, times
from predicat.review.smt.rules import BOUNDS, RULES, Env, sort
from predicat.review.smt.strings import NotEncodable
from predicat.review.smt.terms import KINDS, Array, Bool, Double, Group, Json, Plain, Term, Truth, all_of, any_of, integer, negated, truth_of, z3
from predicat.semantics.regex import Regex

MAX_ITEMS = 8
OPAQUE = "\x01"
"""What the names of values without a formula begin with (Z3 cuts a name at character 0)."""


def items_needed(nodes: Iterable[Node]) -> int:
    """So many elements show every behaviour of an array: one for each quantifier, one more, and those that are asked for by place."""
    count, highest = 1, -1
    for node in nodes:
        for part in walk(node):
            if isinstance(part, Quantifier) or (isinstance(part, Call) and part.op == "in" and not isinstance(part.args[1], Items)):
                count += 1
            if isinstance(part, Call) and part.op in ("index", "json_at") and isinstance(part.args[1], Literal):
                highest = max(highest, part.args[1].value if isinstance(part.args[1].value, int) else 0)
    return count + highest + 1


class Encoder:
    """Formulas over one set of variables, for one or more predicates.

    `variables` are the values that a row is made of, by the name of the field and its path in it; `constraints` what is
    always true of them; `children` the names of the members of maps, structs and JSON values; `opaque` the operators that have
    no formula; `guessed` the cases in which a model says more than its row can hold. `regular` writes tests of prefixes and suffixes as regular
    languages: Z3 decides some questions only one way.
    """

    def __init__(self, items: int, *, regular: bool = False) -> None:
        self.items = items
        self.regular = regular
        self.variables: dict[str, Term] = {}
        self.constraints: list[Any] = []
        self.opaque: dict[str, None] = {}
        self.inexact = False
        self.depth = 0
        self.guessed: list[Any] = []
        self.children: dict[str, dict[str | int, str]] = {}

    # --- walking

    def predicate(self, node: Node) -> Truth:
        """A predicate: when it is TRUE and when it is FALSE."""
        return self.truth(node, {})

    def truth(self, node: Node, env: Env) -> Truth:
        found = self.term(node, env)
        if not isinstance(found, Truth):
            raise TypeError(f"{node} is no predicate")
        return found

    def term(self, node: Node, env: Env) -> Term:
        match node:
            case Literal():
                return self.literal(node)
            case Field():
                return self.variable(node.decl.name, node.type)
            case Parameter():
                return self.parameter(node)
            case Variable():
                return env[node.name][1]
            case Quantifier():
                return self.attempt(node, env, self.quantifier)
            case Call():
                return self.attempt(node, env, self.call)
            case Items():
                raise NotEncodable

    def attempt(self, node: Any, env: Env, rule: Callable[[Any, Env], Term]) -> Term:
        self.depth += 1
        try:
            return rule(node, env) if self.depth <= MAX_DEPTH else self.opaque_value(node, env)
        except NotEncodable:
            return self.opaque_value(node, env)
        finally:
            self.depth -= 1

    def opaque_value(self, node: Any, env: Env) -> Term:
        """Any value at all, the same wherever the node stands."""
        self.opaque.setdefault(node.op if isinstance(node, Call) else node.kind)
        place = " ".join(f"{name}={env[name][0]}" for name in sorted(env))
        return self.variable(f"{OPAQUE}{to_text(node)} {place}", node.type)

    def call(self, node: Call, env: Env) -> Term:
        rule = RULES.get(node.op)
        if rule is None:
            raise NotEncodable
        return rule(self, node, env)

    # --- leaves

    def literal(self, node: Literal) -> Term:
        value, kind = node.value, node.type
        if value is None:
            return self.nothing(kind)
        if isinstance(value, bool):
            return Truth(value, not value)
        if isinstance(value, float):
            return numbers.double_of(value)
        if isinstance(value, int):
            return numbers.double_of(float(value)) if kind == DOUBLE else Plain(integer(value), False)
        if isinstance(value, str):
            return Plain(strings.text(value), False)
        if isinstance(value, Decimal):
            number = Fraction(value)
            return Plain(z3.RealVal(f"{number.numerator}/{number.denominator}"), False)
        return Plain(integer(times.number_of(value)), False)

    def nothing(self, kind: Type) -> Term:
        """A value that is missing."""
        if kind == BOOLEAN:
            return Truth(False, False)
        if kind == DOUBLE:
            return Double(z3.RealVal(0), False, False, False, True)
        if kind == STRING:
            return Plain(z3.StringVal(""), True)
        if isinstance(kind, DecimalType):
            return Plain(z3.RealVal(0), True)
        if kind in (BIGINT, TIMESTAMP, DATE, DURATION):
            return Plain(integer(0), True)
        raise NotEncodable

    def parameter(self, node: Parameter) -> Term:
        found = self.variable(f":{node.decl.name}", node.type)
        self.constraints.append(z3.Not(found.null) if not isinstance(found.null, bool) else z3.BoolVal(True))
        if isinstance(found, Double) and not isinstance(found.nan, bool):
            self.constraints.append(z3.Not(found.nan))
        return found

    def variable(self, name: str, kind: Type) -> Term:
        """The unknown value of a name, made when it is first asked for."""
        found = self.variables.get(name)
        if found is None:
            found = self.variables[name] = self.unknown(name, kind)
        return found

    def unknown(self, name: str, kind: Type) -> Term:
        null = z3.Bool(f"null {name}")
        if kind == BOOLEAN:
            value = z3.Bool(f"true {name}")
            return Truth(z3.And(z3.Not(null), value), z3.And(z3.Not(null), z3.Not(value)))
        if kind == STRING:
            return Plain(z3.String(name), null)
        if kind == DOUBLE:
            nan, plus, minus = (z3.Bool(f"{flag} {name}") for flag in ("nan", "plus", "minus"))
            self.constraints += [z3.AtMost(nan, plus, minus, 1)]
            return Double(z3.Real(name), nan, plus, minus, null)
        if kind in (BIGINT, TIMESTAMP, DATE, DURATION):
            term = z3.Int(name)
            if kind in BOUNDS:
                low, high = BOUNDS[kind]
                self.constraints += [term >= low, term <= high]
            return Plain(term, null)
        if isinstance(kind, DecimalType):
            scaled = z3.Int(f"scaled {name}")
            self.constraints += [scaled < 10**kind.precision, scaled > -(10**kind.precision)]
            return Plain(z3.ToReal(scaled) / 10**kind.scale, null)
        if kind == JSON:
            return self.json(name, null)
        if isinstance(kind, ArrayType):
            return self.array(name, null, lambda place: self.variable(f"{name}[{place}]", kind.element))
        return Group(name, null)

    def json(self, name: str, null: Any) -> Json:
        kind = z3.Int(f"kind {name}")
        self.constraints += [kind >= 0, kind < len(KINDS)]
        return Json(name, kind, z3.String(f"text {name}"), z3.Real(f"number {name}"), z3.Bool(f"truth {name}"), null)

    def array(self, name: str, null: Any, item: Callable[[int], Term]) -> Array:
        if self.items > MAX_ITEMS:
            raise NotEncodable
        length = z3.Int(f"length {name}")
        self.constraints += [length >= 0, length <= 1000]
        return Array(length, tuple(item(place) for place in range(self.items)), null)

    # --- quantifiers

    def elements(self, node: Node, env: Env) -> Array:
        """An array, or a JSON value that is one."""
        found = self.term(node, env)
        if isinstance(found, Json):
            return self.array(found.name, any_of(found.null, found.kind != KINDS.index("array")), lambda place: self.json_child(found, place))
        if not isinstance(found, Array):
            raise NotEncodable
        return found

    def json_child(self, parent: Json, key: str | int) -> Json:
        name = f"{parent.name}[{key!r}]"
        child = self.variables.get(name)
        if not isinstance(child, Json):
            child = self.json(name, z3.Bool(f"null {name}"))
            self.variables[name] = child
            self.children.setdefault(parent.name, {})[key] = name
            holder = KINDS.index("object" if isinstance(key, str) else "array")
            self.constraints.append(z3.Or(child.null, z3.And(z3.Not(parent.null), parent.kind == holder)))
            if isinstance(key, int):
                self.constraints.append(z3.Or(child.null, z3.Int(f"length {parent.name}") > key))
        return child

    def keys(self, parent: Json) -> Array:
        """The keys of a JSON object; nothing is known of them but that they are texts."""
        name, kind = f"{OPAQUE}keys {parent.name}", integer(KINDS.index("string"))
        self.guessed.append(parent.kind == KINDS.index("object"))

        def key(place: int) -> Json:
            own = f"{name}[{place}]"
            return Json(own, kind, z3.String(f"text {own}"), z3.RealVal(0), z3.BoolVal(False), z3.BoolVal(False))

        return self.array(name, any_of(parent.null, parent.kind != KINDS.index("object")), key)

    def quantifier(self, node: Quantifier, env: Env) -> Truth:
        if node.kind not in ("any", "all"):
            raise NotEncodable
        source = node.source
        read = ranged_over(source)
        array = self.over(node, self.elements(read, env), to_text(source), env)
        if read is source:
            return array
        parent = self.term(read, env)
        if not isinstance(parent, Json):
            raise NotEncodable
        self.opaque.setdefault("json_items")
        keys = self.over(node, self.keys(parent), f"keys {to_text(source)}", env)
        return Truth(any_of(array.true, keys.true), any_of(array.false, keys.false))  # one of them is over NULL

    def over(self, node: Quantifier, array: Array, source: str, env: Env) -> Truth:
        """A macro over the elements of an array."""
        bodies = [self.truth(node.body, {**env, node.variable: (f"{source}[{place}]", item)}) for place, item in enumerate(array.items)]
        inside = [array.length > place for place in range(len(bodies))]
        there = negated(array.null)
        if node.kind == "any":
            true = any_of(*(all_of(within, body.true) for within, body in zip(inside, bodies, strict=True)))
            false = all_of(*(any_of(negated(within), body.false) for within, body in zip(inside, bodies, strict=True)))
        else:
            true = all_of(*(any_of(negated(within), body.true) for within, body in zip(inside, bodies, strict=True)))
            false = any_of(*(all_of(within, body.false) for within, body in zip(inside, bodies, strict=True)))
        return Truth(all_of(there, true), all_of(there, false))

    # --- comparison

    def double(self, term: Term, *, exactly: bool = False) -> Double:
        if isinstance(term, Double):
            return term
        if not isinstance(term, Plain):
            raise NotEncodable
        if exactly or not term.term.is_int():
            return numbers.exact(term)
        return numbers.rounded(term, self.constraints)

    def plain(self, node: Node, env: Env) -> Plain:
        found = self.term(node, env)
        if not isinstance(found, Plain):
            raise NotEncodable
        return found

    def compared(self, op: str, left: Node, right: Node, env: Env) -> Truth:
        language = self.folded_equality(op, left, right)
        if language is not None:
            text, wanted, negative = language
            found = self.member(text, wanted, env)
            return Truth(found.false, found.true) if negative else found
        a, b = self.term(left, env), self.term(right, env)
        null = any_of(a.null, b.null)
        if isinstance(a, Truth) and isinstance(b, Truth):
            if op not in ("eq", "ne"):
                raise NotEncodable
            same = any_of(all_of(a.true, b.true), all_of(a.false, b.false))
            return truth_of(same if op == "eq" else negated(same), null)
        if isinstance(a, Double) or isinstance(b, Double) or (isinstance(a, Plain) and isinstance(b, Plain) and sort(a) != sort(b)):
            decimals = isinstance(left.type, DecimalType) or isinstance(right.type, DecimalType)
            return truth_of(numbers.compare(op, self.double(a, exactly=decimals), self.double(b, exactly=decimals)), null)
        if isinstance(a, Plain) and isinstance(b, Plain):
            return truth_of(_ordered(op, a.term, b.term), null)
        raise NotEncodable

    # --- texts

    def member(self, node: Node, language: Regex, env: Env) -> Truth:
        """Whether a text is in a language. ASCII lower and upper case go into the language, which Z3 decides far better."""
        if isinstance(node, Call) and node.op in ("lower", "upper"):
            change = strings.before_lower if node.op == "lower" else strings.before_upper
            return self.member(node.args[0], strings.mapped(language, change), env)
        text = self.plain(node, env)
        return truth_of(z3.InRe(text.term, strings.language(language)), text.null)

    def folded_equality(self, op: str, left: Node, right: Node) -> tuple[Node, Regex, bool] | None:
        """`lower(x) = 'a'` as a language of x."""
        if op not in ("eq", "ne") or not isinstance(right, Literal) or not isinstance(right.value, str):
            return None
        if not isinstance(left, Call) or left.op not in ("lower", "upper"):
            return None
        return left, strings.literal(right.value), op == "ne"


def _ordered(op: str, a: Any, b: Any) -> Bool:
    match op:
        case "eq":
            return a == b
        case "ne":
            return a != b
        case "lt":
            return a < b
        case "le":
            return a <= b
        case "gt":
            return b < a
        case _:
            return b <= a


def encodable() -> frozenset[str]:
    """The operators that have a formula."""
    return frozenset(RULES)
