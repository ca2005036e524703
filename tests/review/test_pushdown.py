"""Unions lose no row and gain none; what is weakened for a language loses none; both parts of a split make
the whole.
"""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import predicat
from predicat.api import Predicate
from predicat.diagnostics import PredicatError
from predicat.ir.nodes import Node, walk
from predicat.pushdown.weakening import _support, _weakened
from predicat.rewrite.acceptance import for_acceptance
from predicat.rewrite.simplify import simplify
from predicat.rewrite.union import union
from predicat.semantics.evaluate import compile_node
from tests.cli.test_commands import run
from tests.engines.predicates import predicates, rows

EXAMPLES = int(os.environ.get("PREDICAT_FUZZ_EXAMPLES", "100"))
generated = settings(
    max_examples=EXAMPLES, deadline=None, derandomize=True, phases=[Phase.generate], database=None
)
ROWS = rows(60)
FIELDS = {"type": "string", "source": "string", "x": "bigint", "d": "double", "m": "map<string, string>"}
CONDITIONS = [
    "type = 'a'", "type = 'b'", "type IN ('a', 'c')", "type LIKE 'a%'", "type LIKE 'ab%'", "type = 'abc'",
    "source = 's'", "source = 't'", "x > 5", "x > 3", "x >= 5", "x < 9", "x <= 3", "x = 4", "div(x, 3) = 2",
    "m['k'] = '1'", "m['k'] = '2'", "d / 2.0 > 1.0", "d = 4.0", "x IS NULL", "NOT (x > 5)",
    "length(type) = 1", "d > 2.0", "d > 5.0", "NOT (d >= 4.0)",
]  # fmt: skip
SMALL = [
    {"type": type_, "source": source, "x": x, "d": d, "m": m}
    for type_ in ("a", "b", "c", "abc", None)
    for source in ("s", "t", None)
    for x in (2, 3, 4, 5, 6, 9, None)
    for d in (4.0, float("nan"), None)
    for m in ({"k": "1"}, {}, None)
]
ORDERS = """\
apiVersion: predicat/v1
dataset: orders
fields: {id: bigint, state: string, total: bigint}
filters:
  large: {description: Large, sql: total > 100}
  larger: {description: Larger, sql: total > 1000}
  open: {description: Open, on_unknown: accept, sql: state = 'open'}
  mixed: {description: Mixed, sql: "state = 'open' AND div(total, 3) = 2"}
  above:
    description: Above
    params: {limit: bigint}
    sql: total > :limit
"""
READINGS = """\
apiVersion: predicat/v1
dataset: readings
fields: {x: double, y: double, s: string}
filters:
  warm: {description: Warm, sql: x > 5}
  hot: {description: Hot, sql: x > 10}
  cold: {description: Cold, sql: NOT x > 5}
  bounded: {description: Bounded, sql: "x > 5 AND x < 9"}
  risen: {description: Risen, sql: "x > y AND s = 'a'"}
  seen: {description: Seen, python: tests.entry_classes.Tagged, after: warm}
"""
OTHER = """\
apiVersion: predicat/v1
dataset: other
fields: {id: bigint}
filters:
  one: {description: One, sql: id = 1}
"""


def parse(text: str) -> Predicate:
    return predicat.parse(text, "sql", FIELDS)


def filters(seed: int, count: int) -> list[Predicate]:
    """Realistic filters: some conditions joined by AND, a few by OR."""
    rng = random.Random(seed)

    def text() -> str:
        arms = [
            " AND ".join(rng.sample(CONDITIONS, rng.randint(1, 3))) for _ in range(rng.choice([1, 1, 1, 2]))
        ]
        return " OR ".join(arms)

    return [parse(text()) for _ in range(count)]


def accepted(node: Node, given: list[dict[str, Any]]) -> list[bool]:
    evaluate = compile_node(node)
    return [evaluate(row) is True for row in given]


@generated
@given(nodes=st.lists(predicates(2), min_size=1, max_size=8))
def test_a_union_accepts_what_one_of_its_parts_accepts(nodes: list[Node]) -> None:
    parts = [simplify(node) for node in nodes]
    each = [accepted(part, ROWS) for part in parts]
    assert accepted(union(parts), ROWS) == [any(column) for column in zip(*each, strict=True)]


@pytest.mark.parametrize("seed", range(20))
def test_a_union_of_realistic_filters_is_exact_and_short(seed: int) -> None:
    parts = filters(seed, 12)
    whole = union(part.node for part in parts)
    each = [accepted(part.node, SMALL) for part in parts]
    assert accepted(whole, SMALL) == [any(column) for column in zip(*each, strict=True)]
    assert len(list(walk(whole))) <= sum(len(list(walk(part.node))) for part in parts)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["x > 5", "x > 3", "x = 9"], "x > 3"),
        (["x >= 5", "x > 5"], "x >= 5"),
        (["type = 'a' AND x > 5", "type = 'b' AND x > 5"], 'x > 5 && type in ["a", "b"]'),
        (["type = 'a'", "type = 'a' AND x > 5"], 'type == "a"'),
        (["type = 'abc'", "type LIKE 'ab%'"], 'type.startsWith("ab")'),
        (["type = 'a'", "type = 'b'", "x > 1"], 'type in ["a", "b"] || x > 1'),
        (["type = 'a'", "TRUE"], "true"),
        (["FALSE"], "false"),
        ([], "false"),
    ],
)
def test_a_union_is_simplified(texts: list[str], expected: str) -> None:
    assert Predicate(union(parse(text).node for text in texts), "sql").to("cel") == expected


MEASURED = {"x": "double", "y": "double", "s": "string"}


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["x > 5", "x > 10"], "x > 5"),
        (["isnan(x)", "x > 10"], "x > 10"),
        (["x > y"], "x > y"),
        (["x > y AND s = 'a'", "x >= y AND s = 'b'"], "x > y AND s = 'a' OR x >= y AND s = 'b'"),
        (["x > 5 AND s = 'a'", "x > 5 AND s = 'b'"], "x > 5 AND s IN ('a', 'b')"),
        (["x IS NOT DISTINCT FROM y", "s = 'a'"], "s = 'a' OR x IS NOT DISTINCT FROM y"),
        (["x > 5", "x > 5 AND x IS NOT NULL"], "x > 5"),
    ],
)
def test_a_union_keeps_comparisons_of_doubles_whole(texts: list[str], expected: str) -> None:
    parts = [predicat.parse(text, "sql", MEASURED).node for text in texts]
    whole = Predicate(union(parts), "sql")
    assert (whole.sql("spark"), whole.condition("spark")[0].count("ISNAN")) == (expected, 0)
    numbers = (-1.0, 5.0, 7.0, 11.0, math.inf, math.nan, None)
    given = [{"x": x, "y": y, "s": s} for x in numbers for y in numbers for s in ("a", "b", None)]
    each = [accepted(part, given) for part in parts]
    assert accepted(whole.node, given) == [any(column) for column in zip(*each, strict=True)]


@pytest.mark.long
def test_a_union_of_a_thousand_triggers_is_fast_and_always_the_same_text() -> None:
    program = (
        "import random, predicat; from predicat.rewrite.union import union; from predicat.api import "
        "Predicate;"
        "rng = random.Random(1); F = {'type': 'string', 'source': 'string', 'x': 'bigint'};"
        "texts = [f\"type = 't{rng.randrange(40)}' AND source = 's{rng.randrange(20)}'\""
        " + (f' AND x > {rng.randrange(9)}' if rng.random() < 0.3 else '') for _ in range(1000)];"
        "print(Predicate(union(predicat.parse(text, 'sql', F).node for text in texts), 'sql').to('cel'))"
    )
    found = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert found[0] == found[1]
    assert len(found[0]) < 10_000  # the texts of the triggers have 60 characters each


def cases() -> Iterator[tuple[int, str]]:
    yield from (
        (seed, language) for seed in range(6) for language in ("cel", "sns", "cloudevents", "jms", "cesql")
    )


@pytest.mark.parametrize(("seed", "language"), list(cases()))
def test_what_a_language_supports_loses_no_row(seed: int, language: str) -> None:
    whole = Predicate(union(part.node for part in filters(100 + seed, 2)), "sql")
    weak, both = predicat.weaken(whole, language), predicat.split(whole, language)
    want = accepted(whole.node, SMALL)
    if weak.predicate is not None:
        assert weak.predicate.to(language)
        pairs = zip(want, accepted(weak.predicate.node, SMALL), strict=True)
        assert all(after for before, after in pairs if before)
        assert weak.proof in ("proved", "holds for exact arithmetic", "by construction")
    halves = [accepted(part.node, SMALL) for part in (both.pushed, both.residual) if part is not None]
    assert [all(column) for column in zip(*halves, strict=True)] == want


@generated
@given(node=predicates(2), language=st.sampled_from(["cel", "sns", "cloudevents", "jms", "headers"]))
def test_steps_of_a_weakening_lose_no_row(node: Node, language: str) -> None:
    whole = for_acceptance(simplify(node))
    found = _weakened(whole, _support(language))
    if found is not None:
        pairs = zip(accepted(whole, ROWS), accepted(found, ROWS), strict=True)
        assert all(after for before, after in pairs if before), (whole, found)


def test_a_negation_is_pushed_with_the_word_of_the_target() -> None:
    found = predicat.split(parse("source <> 's' AND x % 3 = 2"), "pubsub")
    assert found.pushed is not None and found.residual is not None
    assert found.pushed.to("pubsub") == 'attributes:source AND attributes.source != "s"'
    assert found.residual.to("spark") == "x % 3 = 2"
    found = predicat.split(parse("source <> 's' AND x > 5"), "cloudevents")
    assert found.pushed is not None and found.residual is None
    assert json.loads(found.pushed.to("cloudevents")) == {"all": [{"sql": "source <> 's'"}, {"sql": "x > 5"}]}


def test_what_remains_is_written_as_its_author_did() -> None:
    found = predicat.split(predicat.parse('j.k == "a" && size(j.l) > 2', "cel", {"j": "json"}), "cloudevents")
    assert found.pushed is not None and found.residual is not None
    assert json.loads(found.pushed.to("cloudevents")) == {"exact": {"k": "a"}}
    assert found.residual.to("cel") == "size(j.l) > 2"


def test_conditions_that_all_arms_have_remain_where_an_or_is_not_supported() -> None:
    whole = parse("type = 'a' AND div(x, 3) = 2 OR type = 'b' AND source = 's'")
    found = predicat.weaken(whole, "headers")
    assert found.predicate is not None and json.loads(found.predicate.to("headers"))
    assert not found.exact and found.proof == "proved"


def test_a_catalog_has_unions(tmp_path: Path) -> None:
    (tmp_path / "c.yml").write_text(ORDERS)
    (tmp_path / "d.yml").write_text(OTHER)
    catalog = predicat.load_catalog(tmp_path)
    assert catalog.union("large", "orders.larger@1").to("cel") == "total > 100"
    assert catalog.union("open").evaluate({"state": None}) is True
    for names in (["large", "one"], [], ["above"], ["nothing"], ["x.*"]):
        with pytest.raises(PredicatError):
            catalog.union(*names)
    folder = ["--catalog", str(tmp_path)]
    assert run("union", "large", "larger", "--to", "cel", *folder).stdout == "total > 100\n"
    assert run("translate", "orders.large", "--to", "jms", *folder).stdout == "total > 100\n"
    done = run("union", "large", "open", "--to", "sns", "--wider", *folder)
    assert (done.returncode, done.stdout) == (2, "") and "every row must be sent" in done.stderr
    done = run("split", "mixed", "--for", "sns", "--format", "json", *folder)
    assert json.loads(done.stdout) == {
        "pushed": '{"state": ["open"]}',
        "rest": "total BETWEEN 6 AND 8",
        "proof": "proved",
    }
    assert "parameter 'limit'" in run("union", "above", *folder).stderr
    assert "--from is needed" in run("translate", str(tmp_path / "c.yml"), "--to", "cel").stderr


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("union warm hot --to eventbridge", '{"x": [{"numeric": [">", 5.0]}]}'),
        ("union seen --wider --to eventbridge", '{"x": [{"numeric": [">", 5.0]}]}'),
        (
            "union cold hot --wider --to eventbridge",
            '{"x": [{"numeric": ["<=", 5.0]}, {"numeric": [">", 10.0]}]}',
        ),
        ("translate readings.warm --to eventbridge", '{"x": [{"numeric": [">", 5.0]}]}'),
        (
            "split bounded --for eventbridge",
            'pushed (eventbridge): {"x": [{"numeric": [">", 5.0, "<", 9.0]}]}\nrest (spark): nothing',
        ),
        ("split warm --for eventbridge", 'pushed (eventbridge): {"x": [{"numeric": [">", 5.0]}]}'),
        ("split risen --for cesql", "pushed (cesql): EXISTS x AND s = 'a'\nrest (spark): x > y"),
    ],
)
def test_sources_without_nan_get_no_test_for_it(tmp_path: Path, command: str, expected: str) -> None:
    (tmp_path / "c.yml").write_text(READINGS)
    done = run(*command.split(), "--catalog", str(tmp_path))
    assert done.stdout.startswith(expected + "\n"), done.stdout + done.stderr
