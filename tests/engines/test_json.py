"""Filters over JSON as people write them (benchmarks/length.yml), on rows that hold what they look for and
much else: every engine agrees.
"""

import os
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

import predicat
from predicat.ir.nodes import (
    Call,
    Field,
    FieldDecl,
    Literal,
    Node,
    Quantifier,
    Variable,
    fields_of,
    ranged_over,
    walk,
)
from tests.engines.rows import ENGINES, Tables

BODIES = Path(__file__).parent.parent.parent / "benchmarks" / "length.yml"
GROUPS = yaml.safe_load(BODIES.read_text(encoding="utf-8"))
ROWS = int(os.environ.get("PREDICAT_FUZZ_EXAMPLES", "40"))
ODD: list[Any] = [
    None,
    True,
    False,
    0,
    1,
    -1,
    3,
    2.5,
    5,
    5.000000000000001,
    1e300,
    -1e-320,
    12345678901234567890123,
    "",
    "x",
    "3",
    "true",
    "[1]",
    '{"a":1}',
    "NaN",
    "Infinity",
    "1e5",
    [],
    {},
    [None],
    ["x"],
    [["x"]],
    {"a": None},
    ["3", 3, True, None],
]


def places(node: Node) -> tuple[dict[str, Any], list[Any]]:
    """What a predicate looks up, as nested keys with "[]" for elements, and the constants in it."""
    shape: dict[str, Any] = {}
    names: dict[str, list[str]] = {}
    constants: list[Any] = []

    def steps(part: Node) -> list[str] | None:
        part = ranged_over(part)
        if isinstance(part, Field):
            return [part.decl.name]
        if isinstance(part, Variable):
            return names.get(part.name)
        if isinstance(part, Call) and part.op in ("json_get", "json_at"):
            base, key = steps(part.args[0]), part.args[1]
            return (
                None
                if base is None
                else [
                    *base,
                    str(key.value) if isinstance(key, Literal) and isinstance(key.value, str) else "[]",
                ]
            )
        return None

    for part in walk(node):
        if isinstance(part, Quantifier):
            names[part.variable] = [*(steps(part.source) or []), "[]"]
        if isinstance(part, Literal) and isinstance(part.value, str | int | float):
            constants.append(part.value)
        found, inner = steps(part), shape
        for step in found or []:
            inner = inner.setdefault(step, {})
    return shape, constants


def value(random: Random, shape: dict[str, Any], constants: list[Any]) -> Any:
    if random.random() < 0.12:
        return random.choice([None, None, *ODD])
    keys = [key for key in shape if key != "[]"]
    if "[]" in shape and (not keys or random.random() < 0.8):
        return [value(random, shape["[]"], constants) for _ in range(random.randint(0, 3))]
    if not keys:
        near = random.choice([*constants, *ODD])
        return (
            near + random.choice([0, 0, 1, -1, 0.5])
            if isinstance(near, int | float) and not isinstance(near, bool)
            else near
        )
    return {key: value(random, shape[key], constants) for key in keys if random.random() < 0.9}


@pytest.mark.parametrize("kind", GROUPS)
def test_engines_agree(kind: str, spark: Any, postgres: Any) -> None:
    check(kind, spark, postgres)


def check(kind: str, spark: Any, postgres: Any, only: Any = ENGINES) -> None:
    group, random = GROUPS[kind], Random(kind)
    predicates = [predicat.parse(body, group["language"]) for body in group["filters"]]
    by_field: dict[tuple[str, ...], list[tuple[Any, predicat.Predicate]]] = {}
    for body, predicate in zip(group["filters"], predicates, strict=True):
        by_field.setdefault(tuple(sorted(predicate.fields)), []).append((body, predicate))
    fields: dict[str, FieldDecl] = {}
    for predicate in predicates:
        fields.update(fields_of(predicate.node))
    rows: list[dict[str, Any]] = []
    for predicate in predicates:
        shape, constants = places(predicate.node)
        rows += [
            {name: value(random, shape.get(name, {}), constants) for name in fields}
            for _ in range(max(ROWS // 8, 3))
        ]
    tables = Tables(spark, postgres, fields, rows, only)
    expected = [tables.reference(predicate.node) for predicate in predicates]
    assert {answer for column in expected for answer in column} == {True, False, None} or kind in (
        "EventBridge",
        "SNS",
        "labels",
    )
    for name, run in tables.engines():
        sqls = [predicate.sql(name) for predicate in predicates]
        for body, sql, want, got in zip(group["filters"], sqls, expected, run(sqls), strict=True):
            differing = [
                (rows[at], have, wanted)
                for at, (have, wanted) in enumerate(zip(got, want, strict=True))
                if have != wanted
            ]
            assert not differing, f"{name}: {body}\n{sql}\n(row, got, expected): {differing[0]}"
