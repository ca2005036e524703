"""No catalog file is more than its reader can take: anything is a catalog or a PredicatError with places."""

import os
import random
from pathlib import Path
from typing import Any

import yaml

import predicat
from predicat.diagnostics import PredicatError
from tests.fuzzing import Costs
from tests.language.test_reader_fuzz import mutated_data, mutated_part, mutated_text

HERE = Path(__file__).parent
FIRST = int(os.environ.get("PREDICAT_FUZZ_FIRST", "0"))
EXAMPLES = int(os.environ.get("PREDICAT_FUZZ_EXAMPLES", "150"))
WHOLE = """apiVersion: predicat/v1
dataset: d
description: All keys.
relation: {spark: d, postgres: public.d, duckdb: d}
key: [n]
fields: {n: bigint, s: {type: string, nulls: value, column: {postgres: s_}}, t: timestamp, j: json,
  p: "decimal(9,2)", headers: "map<string,string>"}
lists: {names: {type: string, values: [a, b]}}
filters:
  one: {sql: "n > :least", params: {least: {type: bigint, default: 1}}, owner: a@b.c, tags: [x],
    coverage: {at_least: 1%}}
  two: {cel: 'filter("one") && s in lists.names', on_unknown: accept,
    tests: [{row: {n: 2, s: a}, matches: true}]}
  three: {versions: {1: {sql: n > 1}, 2: {sql: "{{ var('x', 'n') }} > 2", deprecated: 2026-12-31}}, latest: 2}
  four: {any: [one, two]}
  five: {headers: {headerEquals: {type: a}}}
groups: {all: {filters: [one, two], exclusive: true}}
subscriptions: {desk: {filter: one, properties: {team: ops}}}
rows: {at_least: 1}
freshness: {column: t, at_most: 1 day}
jobs: {out: {source: {table: d}, filters: [one], sinks: [{path: "out/{filter}"}]}}
attributes: {least: {type: bigint, postgres: "current_setting('app.least')::bigint"}}
policies: {own: {command: update, roles: [a], using: one, check: {filter: one, params: {least: 2}},
  tests: [{as: {role: a, least: 1}, row: {n: 2}, sees: true}]}}
"""


def texts() -> list[str]:
    """The catalogs that are mutated."""
    return [
        WHOLE,
        *(file.read_text() for file in sorted((HERE / "bad").glob("*.yml")) if file.stat().st_size < 5_000),
    ]


def loaded(texts: list[str]) -> list[Any]:
    found = []
    for text in texts:
        try:
            found.append(yaml.safe_load(text))
        except yaml.YAMLError:
            continue
    return [data for data in found if data]


def written(known: list[str], data: list[Any], draw: random.Random) -> str:
    """The text of a catalog that nobody would write."""
    if draw.random() < 0.3:
        return mutated_text(draw.choice(known), known, draw)
    change = draw.choice([mutated_data, mutated_part, mutated_part])
    return yaml.safe_dump(
        change(draw.choice([*data, *[data[0]] * len(data)]), data, draw), allow_unicode=True
    )


def test_any_file_is_a_catalog_or_a_problem(tmp_path: Path) -> None:
    known = texts()
    data = loaded(known)
    assert len(data) > 10
    file, good, costs = tmp_path / "d.yml", 0, Costs("catalogs")
    for number in range(FIRST, FIRST + EXAMPLES):
        text = written(known, data, random.Random(f"catalog {number}"))
        file.write_bytes(text.encode("utf-8", "surrogatepass"))
        with costs.measured():
            good += is_catalog(file, f"number {number}\n{text}")
    costs.show()
    assert good or EXAMPLES < 150, "no file is a catalog at all"


def is_catalog(file: Path, what: str) -> bool:
    """Whether a file is a catalog with filters; if not, it is a problem."""
    try:
        return bool(list(predicat.load_catalog(file)))
    except PredicatError as problem:
        assert len(str(problem)) < 200_000, what
        return False
    except Exception as error:
        raise AssertionError(f"{type(error).__name__}: {error}, {what}"[:5_000]) from error
