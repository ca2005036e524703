"""What proofs rest on: formulas, the table of operators, the elements of arrays; and that nothing but a
verdict leaves a comparison.
"""

import itertools
import math
import random
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

import predicat
from predicat.api import declared
from predicat.check import signatures
from predicat.diagnostics import PredicatError
from predicat.explain.show import SENTENCES
from predicat.ir.canonical import canonical_text
from predicat.ir.nodes import Call, Field, FieldDecl, Literal, Node, Quantifier, Variable, walk
from predicat.ir.operators import OPS, Operator, Strictness
from predicat.ir.types import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    DURATION,
    JSON,
    STRING,
    ArrayType,
    DecimalType,
    MapType,
    Scalar,
    Type,
    parse_type,
)
from predicat.ir.variables import free
from predicat.proof.compare import compare_nodes
from predicat.proof.inputs import is_affordable
from predicat.proof.smt.arrays import needed
from predicat.proof.smt.encode import Formulas
from predicat.proof.smt.terms import as_term, z3
from predicat.rewrite.acceptance import never_unknown
from predicat.rewrite.fold import fold
from predicat.semantics.evaluate import compile_node
from tests.engines.test_operators import EXAMPLES, build
from tests.review import generated
from tests.rounds import rounds

# --- what the encoder says of an operator is what the evaluator says


def equality(node: Node, want: Any) -> Node:
    """That a node has a value, which is one that it is known to have."""
    if isinstance(want, bool):
        return Call(BOOLEAN, "same", (node, Literal(BOOLEAN, want)))
    if want is None:
        return Call(BOOLEAN, "is_null", (node,))
    if isinstance(want, float) and math.isnan(want):
        return Call(BOOLEAN, "ne", (node, node))
    return Call(BOOLEAN, "same", (node, Literal(node.type, want)))


def pinned(fields: Mapping[str, FieldDecl], values: Mapping[str, Any]) -> list[Node]:
    """That the fields of a row have their values."""
    found: list[Node] = []
    for name, decl in fields.items():
        field = Field(decl.type, decl)
        if isinstance(decl.type, ArrayType):
            found.append(
                Call(BOOLEAN, "eq", (Call(BIGINT, "size", (field,)), Literal(BIGINT, len(values[name]))))
            )
            found += [
                equality(Call(decl.type.element, "index", (field, Literal(BIGINT, place))), item)
                for place, item in enumerate(values[name])
            ]
        elif not isinstance(decl.type, MapType):
            found.append(equality(field, values[name]))
    return found


@pytest.mark.parametrize(
    ("row", "args", "want"), EXAMPLES, ids=lambda value: value.name if isinstance(value, Operator) else ""
)
def test_every_example_of_the_operator_table_is_what_its_formula_says(
    row: Operator, args: tuple[Any, ...], want: Any
) -> None:
    """With the arguments of an example its result is possible, and no other one. A formula that rounds
    knows only about where the result is.
    """
    node, fields, values = build(row, args, "a", columns=True)
    if isinstance(node.type, ArrayType | MapType):
        pytest.skip("no scalar: it is a part of other operators")
    right = Call(BOOLEAN, "and", (*pinned(fields, values), equality(node, want)))
    wrong = Call(BOOLEAN, "and", (*pinned(fields, values), Call(BOOLEAN, "not", (equality(node, want),))))
    mixed = isinstance(node, Call) and {arg.type for arg in node.args} == {BIGINT, DOUBLE}
    for how in ({}, {"regular": True}, {"exact": True}):
        encoder = Formulas((right, wrong), **how)
        solver = z3.Solver()
        solver.set("timeout", 3000)
        possible, another = encoder.predicate(right).true, encoder.predicate(wrong).true
        solver.add(*encoder.constraints)
        assert solver.check(as_term(possible)) != z3.unsat
        if not encoder.opaque and not isinstance(want, float) and not mixed:
            assert solver.check(as_term(another)) != z3.sat


# --- strictness: what a missing argument does


STRICT = [
    (row, args, missing)
    for row in OPS.values()
    for args, _ in row.examples[:1]
    if row.strictness is Strictness.STRICT
    for missing in range(len(args))
]


@pytest.mark.parametrize(
    ("row", "args", "missing"), STRICT, ids=lambda value: value.name if isinstance(value, Operator) else ""
)
def test_a_strict_operator_is_unknown_where_an_argument_is(
    row: Operator, args: tuple[Any, ...], missing: int
) -> None:
    """The same in the table, the evaluator, the folding of constants and the formula."""
    node, _, values = build(row, args, "a", columns=True)
    assert isinstance(node, Call)
    absent = Literal(node.args[missing].type, None)
    without = Call(node.type, node.op, (*node.args[:missing], absent, *node.args[missing + 1 :]))
    assert compile_node(without)(values) is None
    if isinstance(node.type, Scalar):
        assert fold(without) == Literal(node.type, None)
    if isinstance(node.args[missing], Field):
        assert compile_node(node)({**values, f"a_{missing}": None}) is None
        there = Call(
            BOOLEAN,
            "and",
            (
                Call(BOOLEAN, "is_null", (node.args[missing],)),
                Call(BOOLEAN, "not", (Call(BOOLEAN, "is_null", (node,)),)),
            ),
        )
        encoder = Formulas((there,))
        solver = z3.Solver()
        true = encoder.predicate(there).true
        solver.add(*encoder.constraints)
        if not encoder.opaque:
            assert solver.check(as_term(true)) == z3.unsat


NOT_STRICT = [row for row in OPS.values() if row.strictness is not Strictness.STRICT]


def test_the_table_says_which_operators_are_not_strict() -> None:
    """Each has an example in which an argument is missing and there is a result, or none that is strict by
    chance.
    """
    for row in rounds(NOT_STRICT, 10):
        assert row.name in ("cond", "in", "json_values") or any(
            None in args and want is not None for args, want in row.examples
        ), row.name


# --- what is never UNKNOWN


def test_what_is_never_unknown_is_never_unknown() -> None:
    """On generated predicates and rows."""
    judged = 0
    for seed in range(300):
        maker = generated.Maker(seed)
        node = maker.predicate(3)
        for part in walk(node):
            if isinstance(part, Call) and part.type == BOOLEAN and not free(part) and never_unknown(part):
                judged += 1
                run = compile_node(part)
                for row in [{}, *generated.rows((part, part), maker.fields, 8, seed)]:
                    assert run(row) is not None, f"{canonical_text(part)}: {row}"
    assert judged > 60


# --- the elements that arrays need, by brute force


@pytest.mark.parametrize("seed", range(60))
def test_as_many_elements_as_are_counted_show_every_outcome(seed: int) -> None:
    """Every pair of outcomes that arrays of some elements have, those of as many as are counted have as
    well.
    """
    made = Arrays(seed)
    nodes = made.predicate(2, {}), made.predicate(2, {})
    needs = needed(nodes)
    if not needs.bounded:
        return
    read = [name for name in ("xs", "ys") if any(name in canonical_text(node) for node in nodes)]
    functions = tuple(map(compile_node, nodes))
    few, all_ = set(), set()
    longest = 3 if len(read) > 1 else 6 - made.values
    for xs in arrays(made.values, longest):
        for ys in arrays(made.values, longest) if len(read) > 1 else [xs]:
            row = {"xs": xs, "ys": ys}
            outcomes = tuple(function(row) for function in functions)
            all_.add(outcomes)
            if all(len(row[name]) <= needs.items((("field", name),)) for name in read):
                few.add(outcomes)
    assert few == all_


def arrays(values: int, longest: int) -> list[list[Any]]:
    return [
        list(items)
        for length in range(longest + 1)
        for items in itertools.product([None, *range(values)], repeat=length)
    ]


class Arrays:
    """Predicates over two small arrays, by chance."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.values = self.chance.choice([1, 2])
        self.fields = {
            name: Field(ArrayType(BIGINT), FieldDecl(name, ArrayType(BIGINT))) for name in ("xs", "ys")
        }

    def predicate(self, depth: int, scope: dict[str, str]) -> Node:
        choice = self.chance.random()
        if depth and choice < 0.3:
            return Call(
                BOOLEAN,
                self.chance.choice(["and", "or"]),
                (self.predicate(depth - 1, scope), self.predicate(depth - 1, scope)),
            )
        if depth and choice < 0.4:
            return Call(BOOLEAN, self.chance.choice(["not", "is_null"]), (self.predicate(depth - 1, scope),))
        if depth or not scope:
            name, variable = self.chance.choice("xy") + "s", f"v{len(scope)}"
            if self.chance.random() < 0.2:
                return Call(BOOLEAN, "in", (self.value(scope), self.fields[name]))
            body = self.predicate(max(depth - 1, 0), {**scope, variable: name})
            return Quantifier(BOOLEAN, self.chance.choice(["any", "all"]), variable, self.fields[name], body)
        return Call(
            BOOLEAN,
            self.chance.choice(["eq", "ne", "lt"]),
            (Variable(BIGINT, self.chance.choice(list(scope))), self.value(scope)),
        )

    def value(self, scope: dict[str, str]) -> Node:
        if scope and self.chance.random() < 0.4:
            return Variable(BIGINT, self.chance.choice(list(scope)))
        if self.chance.random() < 0.2:
            return Call(
                BIGINT,
                "index",
                (self.fields[self.chance.choice("xy") + "s"], Literal(BIGINT, self.chance.choice([0, 1]))),
            )
        return Literal(BIGINT, self.chance.randrange(self.values))


# --- nothing but a verdict leaves a comparison


TYPES = [
    "bigint",
    "double",
    "string",
    "boolean",
    "timestamp",
    "date",
    "decimal(38,0)",
    "decimal(20,5)",
    "json",
    "array<bigint>",
    "array<double>",
    "array<array<bigint>>",
    "array<array<array<string>>>",
    "array<json>",
    "array<map<string, bigint>>",
    "array<struct<x: array<bigint>>>",
    "map<string, bigint>",
    "map<string, array<bigint>>",
    "map<string, map<string, double>>",
    "struct<x: bigint, y: array<array<string>>>",
]


CONSTANTS: dict[Type, Literal] = {STRING: Literal(STRING, "UTC"), BIGINT: Literal(BIGINT, 1)}


def calls(op: str, kind: Type) -> Iterator[Call]:
    """Calls of an operator with a field of a type and fields of others, as its signatures allow."""
    kinds = [*map(parse_type, TYPES), DURATION]
    for count in (1, 2, 3):
        for types in itertools.product(
            *(
                [kind] if place == 0 else kinds if count < 3 else [STRING, BIGINT, kind]
                for place in range(count)
            )
        ):
            for order in {types, types[::-1]}:
                found = signatures.find(op, order, widens_numbers=False, mixed_numbers=True)
                constant = signatures.constant_positions(op)
                if (
                    found is not None
                    and found.wanted == order
                    and all(order[place] in CONSTANTS for place in constant if place < count)
                ):
                    yield Call(
                        found.result,
                        op,
                        tuple(
                            CONSTANTS[own]
                            if place in constant
                            else Field(own, FieldDecl(f"f{place} {own}", own))
                            for place, own in enumerate(order)
                        ),
                    )


@pytest.mark.parametrize("kind", TYPES)
def test_no_operator_on_any_type_ends_in_a_traceback(kind: str) -> None:
    typed = parse_type(kind)
    with_calls = ((op, node) for op in OPS for node in itertools.islice(calls(op, typed), 4))
    for op, node in rounds(with_calls, 20):
        if op == "member" or (op in ("date_trunc", "matches", "in_units") and kind == "string"):
            continue  # their constants are of a kind of their own
        if op in ("greatest", "least", "lt", "le", "gt", "ge") and (
            kind == "json" or not isinstance(node.args[0].type, Scalar | DecimalType)
        ):
            with pytest.raises(PredicatError, match="cannot compare"):
                predicat.parse(
                    f"{op}(f, f) IS NULL" if op in ("greatest", "least") else "m < m",
                    "sql",
                    {"f": kind, "m": "map<string, bigint>"},
                )
            continue  # the check refuses them
        test = node if node.type == BOOLEAN else Call(BOOLEAN, "is_null", (node,))
        verdict = compare_nodes(test, Call(BOOLEAN, "not", (test,)), effort=0.1)
        assert verdict.kind in (*SENTENCES,), op


@pytest.mark.parametrize("kind", [kind for kind in TYPES if kind.startswith("array") or kind == "json"])
def test_no_macro_on_any_type_ends_in_a_traceback(kind: str) -> None:
    field = Field(parse_type(kind), FieldDecl("f", parse_type(kind)))

    def nested(source: Node, depth: int, inner: str) -> Node:
        element = source.type.element if isinstance(source.type, ArrayType) else source.type
        variable = Variable(element, f"v{depth}")
        ranges = isinstance(element, ArrayType) or element == JSON
        body = (
            nested(variable, depth + 1, inner)
            if ranges and depth < 3
            else Call(BOOLEAN, "is_null", (variable,))
        )
        return Quantifier(BOOLEAN, inner, variable.name, source, body)

    for one, other in itertools.product(("any", "all", "one"), repeat=2):
        verdict = compare_nodes(nested(field, 0, one), nested(field, 0, other), effort=0.3)
        assert verdict.kind in SENTENCES


def test_a_row_that_takes_long_to_judge_is_no_witness() -> None:
    """A macro in a macro over one long array looks at its elements a million times; one macro does not,
    nor do two over short ones.
    """
    fields = declared({"xs": "array<bigint>"})
    one, two = (
        predicat.parse(text, "cel", fields).node
        for text in ("xs.all(v, v > 1)", "xs.all(v, xs.exists(w, w > v))")
    )
    assert is_affordable({"xs": [1] * 2000}, (one, one))
    assert not is_affordable({"xs": [1] * 2000}, (one, two))
    assert is_affordable({"xs": [1] * 50}, (two, two))
    assert compare_nodes(Call(BOOLEAN, "and", (two, two)), two, effort=1).same_rows
