"""Findings about CEL hold with the errors of CEL: `has(a.b.c)` is an error if `a.b` is missing."""

import random
from pathlib import Path
from typing import Any

import pytest

import predicat
from predicat.lint import RULES, Context
from predicat.proof.inputs import over_inputs
from predicat.proof.own_errors import with_own_errors

GUARDS = [
    "!has(o.b) || !has(o.b.c) || o.b.c > 3",
    "has(o.b) && has(o.b.c) && o.b.c > 3",
    "!has(o.b) || !has(o.b.c) || !has(o.b.c.d) || o.b.c.d == 'x'",
    "has(o.b) && has(o.b.c) && has(o.b.c.d) && o.b.c.d == 'x'",
    "!has(s.b) || !has(s.b.c) || s.b.c > 3",
    "has(s.b) && has(s.b.c) && s.b.c > 3",
    "!has(m.b) || !has(m.b.c) || m.b.c == 'x'",
    "has(o.xs) && o.xs.all(x, has(x.b) && has(x.b.c) && x.b.c == 'v')",
    "has(o.b) && (!has(o.b.c) || o.b.c == 'v')",
    "!has(o.b) || type(o.b) != map || !has(o.b.c) || o.b.c == 'v'",
]
REDUNDANT = {
    "has(o.b) && o.b == 'x' && o.b != 'y'": "o.b != 'y'",
    "has(o.b) && has(o.b.c) && (o.b.c > 3 || o.b.c > 5)": "o.b.c > 5",
    "s.b.c > 3 && s.b.c > 1": "s.b.c > 1",
    "!has(o.b) || !has(o.b.c) || o.b.c > 3 || (o.b.c > 5 && o.b.c < 9)": "(o.b.c > 5 && o.b.c < 9)",
}
FIELDS = (
    "fields: {o: {type: json, nulls: NULLS}, s: 'struct<b: struct<c: bigint>>', "
    "m: {type: 'map<string, json>', nulls: NULLS}}\n"
)


def found(tmp_path: Path, code: str, *bodies: str, nulls: str = "absent") -> list[Any]:
    """What a rule of lint finds in filters of CEL."""
    text = "".join(f"  f{number}: {{cel: {body!r}}}\n" for number, body in enumerate(bodies))
    (tmp_path / "d.yml").write_text(
        f"apiVersion: predicat/v1\ndataset: d\n{FIELDS.replace('NULLS', nulls)}filters:\n{text}"
    )
    context = Context(predicat.load_catalog(tmp_path / "d.yml"))
    (rule,) = (rule for rule in RULES if rule.code == code)
    return list(rule.check(context))


@pytest.mark.parametrize("nulls", ["absent", "value"])
@pytest.mark.parametrize("body", GUARDS)
def test_a_guard_has_an_effect(tmp_path: Path, body: str, nulls: str) -> None:
    assert found(tmp_path, "P204", body, nulls=nulls) == []


@pytest.mark.parametrize(("body", "part"), REDUNDANT.items())
def test_what_has_no_effect_is_still_found(tmp_path: Path, body: str, part: str) -> None:
    (finding,) = found(tmp_path, "P204", body)
    assert finding.span.text == part.strip("()") or finding.span.text == part


def test_filters_that_differ_by_a_guard_are_no_duplicates(tmp_path: Path) -> None:
    with_guard, without = GUARDS[0], "!has(o.b.c) || o.b.c > 3"
    assert found(tmp_path, "P206", with_guard, without) == []
    assert len(found(tmp_path, "P206", with_guard, "o.b.c > 3.0 || !has(o.b) || !has(o.b.c)")) == 1


class Missing(Exception):
    """An error of CEL."""


def has(row: Any, path: list[str]) -> bool:
    """CEL's `has` on maps, from its specification: the operand must have a value, which must be a map."""
    *before, last = path
    for name in before:
        if not isinstance(row, dict) or name not in row:
            raise Missing
        row = row[name]
    if not isinstance(row, dict):
        raise Missing
    return last in row


def outcome(tree: Any, row: Any) -> bool | None:
    """A formula over `has`, with an error as None: it is absorbed by FALSE of && and by TRUE of ||."""
    if isinstance(tree, str):
        try:
            return has(row, tree.split("."))
        except Missing:
            return None
    kind, *parts = tree
    outcomes = [outcome(part, row) for part in parts]
    if kind == "!":
        return None if outcomes[0] is None else not outcomes[0]
    decides = kind == "||"
    return decides if decides in outcomes else None if None in outcomes else not decides


def written(tree: Any) -> str:
    if isinstance(tree, str):
        return f"has({tree})"
    kind, *parts = tree
    return f"!{written(parts[0])}" if kind == "!" else f"({f' {kind} '.join(map(written, parts))})"


def formula(chance: random.Random, depth: int) -> Any:
    if depth == 0 or chance.random() < 0.2:
        return ".".join(["o", *chance.choices("bc", k=chance.randint(1, 3))])
    kind = chance.choice(("!", "&&", "||"))
    return (kind, *(formula(chance, depth - 1) for _ in range(1 if kind == "!" else 2)))


def test_errors_of_has_are_those_of_the_specification() -> None:
    """Random formulas and documents: an interpreter of the specification, and the predicate with errors."""
    chance = random.Random(38)

    def document(depth: int) -> Any:
        if depth == 0 or chance.random() < 0.2:
            return "x"
        return {name: document(depth - 1) for name in "bc" if chance.random() < 0.6}

    differed = 0
    for _ in range(150):
        tree = formula(chance, 3)
        predicate = predicat.parse(written(tree), "cel", {"o": "json"})
        strict, ours = (
            over_inputs(node) for node in (with_own_errors("cel", predicate.node), predicate.node)
        )
        for _ in range(12):
            row = {"o": document(3)}
            assert strict(row) is outcome(tree, row), (written(tree), row)
            differed += strict(row) is not ours(row)
    assert differed > 100  # the documents reach the errors


def test_other_languages_have_no_such_errors() -> None:
    node = predicat.parse("o.b.c IS NULL", "sql", {"o": "struct<b: struct<c: bigint>>"}).node
    assert with_own_errors("sql", node) is node
    plain = predicat.parse("n > 3 && s == 'x'", "cel", {"n": "bigint", "s": "string"}).node
    assert with_own_errors("cel", plain) is plain
