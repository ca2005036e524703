"""Every example of the operator table, on the reference evaluator, Spark and PostgreSQL, from columns of
one row.
"""

import json
import math
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

import predicat
from predicat import backends
from predicat.api import declared
from predicat.check import signatures
from predicat.diagnostics import NOWHERE, Unsupported
from predicat.ir.nodes import Call, Field, FieldDecl, Items, Literal, Node
from predicat.ir.operators import OPS, Operator
from predicat.ir.types import BOOLEAN, STRING, ArrayType, MapType, Type
from predicat.ir.value_sets import ValueSet
from predicat.ir.values import type_of
from predicat.rewrite.fold import fold
from predicat.semantics.evaluate import compile_node
from predicat_spark.lists import provide
from tests.engines.rows import Tables
from tests.rounds import rounds


def kind_of(value: Any) -> Type:
    if isinstance(value, ValueSet):
        return ArrayType(kind_of(value.values[0]))
    if isinstance(value, list):
        return ArrayType(kind_of(value[0]))
    if isinstance(value, dict):
        return MapType(kind_of(next(iter(value.values()))))
    return type_of(value)


def build(
    row: Operator, args: tuple[Any, ...], prefix: str, *, columns: bool
) -> tuple[Node, dict[str, FieldDecl], dict[str, Any]]:
    """The call with its arguments as columns (or as literals), the fields and the values of the row."""
    known = [
        value[0] if isinstance(value, list) else value.values[0] if isinstance(value, ValueSet) else value
        for value in args
        if value is not None
    ]
    boolean = row.name in ("and", "or", "not", "is_true")
    fields: dict[str, FieldDecl] = {}
    values: dict[str, Any] = {}
    nodes: list[Node] = []
    for index, value in enumerate(args):
        default = (
            BOOLEAN
            if boolean or (row.name == "cond" and index == 0)
            else kind_of(known[-1])
            if known
            else STRING
        )
        kind = kind_of(value) if value is not None else default
        if isinstance(value, list) and row.name == "in":
            nodes.append(Items(kind, tuple(Literal(kind_of(item), item) for item in value)))
        elif index in signatures.constant_positions(row.name) or not columns or isinstance(value, timedelta):
            nodes.append(Literal(kind, value))
        else:
            name = f"{prefix}_{index}"
            fields[name] = FieldDecl(name, kind)
            values[name] = value
            nodes.append(Field(kind, fields[name]))
    mixed = row.name in ("eq", "ne", "lt", "le", "gt", "ge")
    found = signatures.find(
        row.name, tuple(node.type for node in nodes), widens_numbers=False, mixed_numbers=mixed
    )
    assert found is not None, f"{row.name}{args} fits no signature"
    return Call(found.result, row.name, tuple(nodes), NOWHERE), fields, values


def same(got: Any, want: Any) -> bool:
    if isinstance(got, Decimal) and isinstance(want, float):
        got = float(got)  # a bare constant: 0.5 is a decimal to the engines until it meets a double
    if isinstance(got, float) and isinstance(want, float) and math.isnan(want):
        return math.isnan(got)
    if isinstance(want, timedelta) and isinstance(got, int):
        got = timedelta(microseconds=got)
    if isinstance(want, datetime) and isinstance(got, datetime):
        return got.astimezone(want.tzinfo) == want
    return got == want and isinstance(got, bool) == isinstance(want, bool)


EXAMPLES = [(row, args, want) for row in OPS.values() for args, want in row.examples]


def test_signatures_of_every_operator_can_be_read() -> None:
    for name in rounds(OPS, 1):
        assert signatures.signatures(name)


@pytest.mark.parametrize(
    ("row", "args", "want"), EXAMPLES, ids=lambda value: value.name if isinstance(value, Operator) else None
)
def test_reference(row: Operator, args: tuple[Any, ...], want: Any) -> None:
    node, _, values = build(row, args, "a", columns=True)
    assert same(compile_node(node)(values), want)


def test_engines_agree_on_every_example(spark: Any, postgres: Any) -> None:
    """All examples are columns of one row, so that one query answers them all."""
    fields: dict[str, FieldDecl] = {}
    values: dict[str, Any] = {}
    nodes: list[tuple[str, Node, Any]] = []
    for number, (row, args, want) in enumerate(EXAMPLES):
        for columns in (True, False):
            if any(isinstance(value, list | dict) for value in args) and row.name != "in" and not columns:
                continue
            node, more, data = build(row, args, f"c{number}", columns=columns)
            fields |= more
            values |= data
            # Constants are folded before any back end sees them.
            nodes.append(
                (
                    f"{row.name}{args} {'columns' if columns else 'literals'}",
                    node if columns else fold(node),
                    want,
                )
            )
    tables = Tables(spark, postgres, fields, [values])
    provide(spark, [node for _, node, _ in nodes])
    wrong: list[str] = []
    for name, run in tables.engines():
        dialect = backends.dialect(name)
        asked: list[tuple[str, str, Any]] = []
        for label, node, want in nodes:
            try:
                asked.append((label, dialect.render(node), want))
            except Unsupported:
                wrong.append(f"{name} {label}: refused")
        got = run([sql for _, sql, _ in asked])
        wrong += [
            f"{name} {label}: {column[0]!r}, not {want!r}\n    {sql}"
            for (label, sql, want), column in zip(asked, got, strict=True)
            if not same(column[0], want)
        ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "key",
    [
        "",
        "0",
        "12",
        "-",
        "-1",
        "*",
        "a.b",
        "a/b",
        "~",
        "~1",
        "$",
        "[0]",
        " ",
        "é",
        "#",
        "?",
        "a'b",
        'a"b',
        "a\\b",
        "`",
        "😀",
    ],
)
def test_any_key_of_json(spark: Any, postgres: Any, key: str) -> None:
    """Keys that paths of some engine read as something else; the last row's is the value of another
    column.
    """
    rows: list[dict[str, Any]] = [
        {"j": {key: "v"}, "k": key},
        {"j": {"other": "v", "0x": "v"}, "k": "0x"},
        {"j": ["v"], "k": "0"},
        {"j": "v", "k": ""},
        {"k": key},
    ]
    fields = declared({"j": "json", "k": "string"})
    said = predicat.parse(f'j[{json.dumps(key, ensure_ascii=False)}] == "v"', "cel", {"j": "json"}).node
    tables = Tables(spark, postgres, fields, rows)
    assert tables.reference(said) == [True, None, None, None, None]
    computed = predicat.parse('j[k] == "v"', "cel", {"j": "json", "k": "string"}).node
    assert tables.reference(computed) == [True, True, None, None, None]
    for engine, run in tables.engines():
        sql = [backends.dialect(engine).render(node) for node in (said, computed)]
        assert run(sql) == [tables.reference(said), tables.reference(computed)], sql


def test_any_place_of_json(spark: Any, postgres: Any) -> None:
    """A place that the row names: beyond the ends, beside what is no array, beside a null."""
    arrays: list[Any] = [[1, 2], {"1": 2}, "ab", None]
    places = [0, 1, 2, -1, 2**31, 2**63 - 1, -(2**63), None]
    rows = [{"j": {"xs": xs}, "n": place} for xs in arrays for place in places] + [
        {"j": {"xs": [0, None]}, "n": 1},
        {"n": 1},
    ]
    node = predicat.parse("j.xs[n] == 2", "cel", {"j": "json", "n": "bigint"}).node
    tables = Tables(spark, postgres, declared({"j": "json", "n": "bigint"}), rows)
    assert tables.reference(node) == [False, True, *[None] * (len(rows) - 2)]
    for engine, run in tables.engines():
        assert run([backends.dialect(engine).render(node)]) == [tables.reference(node)], engine


def test_what_spark_rounds_differently_is_marked(spark: Any) -> None:
    """Of functions of doubles; the examples above show that other operators are rounded as here."""
    functions = {"exp": math.exp, "ln": math.log, "log10": math.log10, "sqrt": math.sqrt, "abs": abs}
    numbers = [(number * 0.0127 + 0.001,) for number in range(4000)]
    rows = spark.createDataFrame(numbers, "x double").selectExpr(
        "x", *(f"{op}(x) AS {op}" for op in functions)
    )
    asked = rows.collect()
    for op, function in functions.items():
        differs = any(row[op] != function(row.x) for row in asked)
        assert differs is OPS[op].rounded_by_engines, op
