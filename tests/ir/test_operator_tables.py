"""Every operator has an entry, or a reason why it has none, wherever operators have a meaning, a
translation or words.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

import predicat
from predicat import backends
from predicat.backends.sql.json_rewrites import ONLY_IN_SQL
from predicat.backends.sql.rules import NotSupported
from predicat.check import signatures
from predicat.diagnostics import Unsupported
from predicat.explain.prose import describe
from predicat.ir import operators
from predicat.ir.nodes import Call, Field, FieldDecl, Literal, Node, Quantifier, Variable, walk
from predicat.ir.operators import OPS, Operator
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE, DURATION, JSON, STRING, Scalar
from predicat.language import LANGUAGES, WRITERS, writer
from predicat.proof.candidate_rows import CandidateRows
from predicat.proof.smt.encode import encodable
from predicat.semantics.evaluate import compile_node, supported
from tests import support
from tests.engines.predicates import POOLS
from tests.rounds import rounds
from tests.texts import entries

CONSTANTS: dict[Any, list[Any]] = {BIGINT: [0, 1, 3], DOUBLE: [0.0, 1.0], STRING: ["a", "1", ""]}


# A list of a dataset, an entry filter, and operators that every body of the corpus is simpler without.
NOT_WRITTEN = {"dyn", "in_list", "from_micros", "replace_each", "entry_filter"}
ARRAYS = "arrays have an element only where a macro or an index asks for one"
# Operators for whose values no candidate row is made, and why. The solver or the tests of a filter must find
# these rows.
NOT_TRIED = {
    **dict.fromkeys(
        ("array_eq", "array_max", "array_min", "array_position", "join", "json_size", "size"), ARRAYS
    ),
    "entry_filter": "Python code is not run",
    "format_time": "the time of a text is not looked up",
    "to_boolean": "texts that are truth values are not among the usual ones",
}


def calls(row: Operator) -> Iterator[Call]:
    """Calls of an operator on fields, one per signature, with the constants of its examples."""
    for index, generic in product(
        range(len(signatures.signatures(row.name))), ("string", "bigint", "double")
    ):
        node = support.sample(row.name, index, generic)
        found = (
            [part for part in walk(node) if isinstance(part, Call) and part.op == row.name]
            if node is not None
            else []
        )
        yield from found[:1]


def samples(op: str) -> list[Call]:
    """Calls of an operator on fields."""
    if op == "in_units":
        return [Call(BIGINT, op, (Literal(STRING, "hour"), Field(DURATION, FieldDecl("f", DURATION))))]
    if op == "member":
        return [Call(STRING, op, (node.args[0], Literal(STRING, "k"))) for node in calls(OPS[op])]
    return list(calls(OPS[op]))


def conditions(node: Call) -> Iterator[Node]:
    """Conditions on a value: itself, comparisons with constants, one of its elements, or whether it is
    there.
    """
    if node.type == BOOLEAN:
        yield node
    elif isinstance(node.type, Scalar) and (
        constants := CONSTANTS.get(node.type) or POOLS.get(node.type, [])[:4]
    ):
        yield from (
            Call(BOOLEAN, op, (node, Literal(node.type, value))) for value in constants for op in ("eq", "lt")
        )
    elif node.op == "json_values":
        element = Call(STRING, "json_string", (Variable(JSON, "x"),))
        yield Quantifier(BOOLEAN, "any", "x", node, Call(BOOLEAN, "eq", (element, Literal(STRING, "a"))))
    else:
        yield Call(BOOLEAN, "is_null", (node,))


def topic(op: str) -> str:
    """The name of the module with an operator's row. The evaluator and the dialects have the same topics."""
    modules = vars(operators).items()
    return next((name for name, module in modules if OPS.get(op) in getattr(module, "ROWS", ())), "documents")


def test_the_evaluator_has_every_operator() -> None:
    assert not [
        f"{op}: add a function to semantics/functions/{topic(op)}.py" for op in OPS.keys() - supported()
    ]
    assert supported() <= OPS.keys(), "it has no row in ir/operators"


@pytest.mark.parametrize("name", backends.DIALECTS)
def test_a_dialect_has_every_operator(name: str) -> None:
    table = backends.dialect(name).table
    assert not [
        f"{op}: add a rule to backends/sql/common or backends/sql/{name}, {topic(op)}.py"
        for op in (OPS.keys() | set(ONLY_IN_SQL)) - table.keys()
    ]
    assert table.keys() <= OPS.keys() | set(ONLY_IN_SQL), "it has no row in ir/operators"
    assert all(rule.text for rule in table.values() if isinstance(rule, NotSupported))


def test_an_operator_has_a_formula_or_a_reason() -> None:
    assert not [
        f"{op}: say why in without_formula of its row, or add a rule to proof/smt/rules"
        for op, row in OPS.items()
        if (op in encodable()) is bool(row.without_formula)
    ]


def test_an_operator_is_in_the_corpus() -> None:
    used = {
        part.op
        for entry in entries()
        for case in entry["cases"]
        for language, body in case.items()
        if language in LANGUAGES
        for part in walk(predicat.parse(body, language, entry["fields"], on=entry.get("on")).node)
        if isinstance(part, Call)
    }
    assert OPS.keys() - used == NOT_WRITTEN, "add cases to tests/corpus"


@pytest.mark.parametrize("op", OPS)
def test_an_operator_has_words_or_is_a_call(op: str) -> None:
    said = [describe(node) for node in samples(op)]
    assert all(said) and (not OPS[op].words or not any(text.startswith(f"{op}(") for text in said))


@pytest.mark.parametrize("op", OPS)
def test_candidate_rows_show_both_outcomes(op: str) -> None:
    outcomes = [
        set(map(compile_node(test), CandidateRows((test,)).rows(60)))
        for node in samples(op)
        for test in conditions(node)
    ]
    shown = any({True, False} <= found for found in outcomes)
    assert shown is (op not in NOT_TRIED), f"see NOT_TRIED: {outcomes}"


@pytest.mark.parametrize("language", WRITERS)
def test_a_writer_has_every_operator_or_says_why_not(language: str) -> None:
    write = writer(language)
    for op in rounds(OPS, 100):
        assert samples(op), op
        for node in rounds(samples(op), 1):
            for test in rounds(conditions(node), 1):
                try:
                    assert write(test)
                except Unsupported as error:
                    assert ": " in error.diagnostics[0].message, error
