"""The overloads of comparisons: which one is taken for which operands."""

import pytest

from predicat.check.comparisons import OF_TYPES, OF_WRITTEN, Comparisons
from predicat.check.scope import CEL_RULES, DUCKDB_RULES, POSTGRES_RULES, SQL_RULES, Rules, Scope
from predicat.forms.conversions import dynamic
from predicat.ir.nodes import Call, Field, FieldDecl, Items, Literal, Node
from predicat.ir.types import BIGINT, DOUBLE, JSON, NULL, STRING, ArrayType, MapType, Type
from predicat.ir.value_sets import ValueSet


def field(kind: Type) -> Node:
    return Field(kind, FieldDecl("x", kind))


ONE = Literal(BIGINT, 1)
MISSING = Literal(NULL, None)
LISTED = Items(ArrayType(BIGINT), (ONE,))
LONG = Literal(ArrayType(BIGINT), ValueSet.of(BIGINT, [1, 2]))
MAPPED = Items(MapType(BIGINT), (Items(ArrayType(NULL), (Literal(STRING, "k"), ONE)),))
CHOICE = Call(JSON, "cond", (field(JSON), field(JSON), ONE))
CASES: list[tuple[str, Rules, str, Node, Node]] = [
    ("of_choice", CEL_RULES, "eq", CHOICE, ONE),
    ("of_choice", SQL_RULES, "lt", ONE, CHOICE),
    ("in_written_map", CEL_RULES, "in", ONE, MAPPED),
    ("in_long_list", SQL_RULES, "in", ONE, LONG),
    ("in_written_list", SQL_RULES, "in", ONE, LISTED),
    ("in_keys", CEL_RULES, "in", ONE, field(JSON)),
    ("of_collections", CEL_RULES, "ne", LISTED, field(ArrayType(BIGINT))),
    ("of_null_and_written", CEL_RULES, "eq", MISSING, LISTED),
    ("of_other_types", CEL_RULES, "eq", dynamic(field(STRING)), ONE),
    ("in_no_list", SQL_RULES, "in", ONE, field(JSON)),
    ("of_null", CEL_RULES, "eq", field(STRING), MISSING),
    ("of_null_and_json", SQL_RULES, "same", field(JSON), MISSING),
    ("comparison", POSTGRES_RULES, "eq", field(JSON), Literal(STRING, "1")),
    ("beside_text", DUCKDB_RULES, "eq", field(JSON), Literal(STRING, "1")),
    ("json_equality", SQL_RULES, "eq", ONE, field(JSON)),
    ("of_json", CEL_RULES, "lt", field(JSON), field(JSON)),
    ("of_one_type", SQL_RULES, "lt", field(DOUBLE), ONE),
    ("of_one_type", CEL_RULES, "eq", dynamic(field(DOUBLE)), ONE),
]


@pytest.mark.parametrize(("name", "rules", "op", "left", "right"), CASES)
def test_which_overload(name: str, rules: Rules, op: str, left: Node, right: Node) -> None:
    check = Comparisons(Scope(None), rules)
    fitting = (row.build.__name__ for row in (*OF_WRITTEN, *OF_TYPES) if row.fits(check, op, left, right))
    assert next(fitting, "of_one_type") == name


def test_every_overload_is_in_the_cases() -> None:
    assert {row.build.__name__ for row in (*OF_WRITTEN, *OF_TYPES)} < {name for name, *_ in CASES}
