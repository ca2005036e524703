"""The SQL of usual filters over JSON (benchmarks/length.yml) does not become longer than it is."""

import pytest
import yaml

import predicat
from benchmarks.length import BODIES, Length, lengths
from tests.rounds import rounds

MOST = {kind: group["most"] for kind, group in yaml.safe_load(BODIES.read_text(encoding="utf-8")).items()}


@pytest.fixture(scope="module")
def rows() -> list[Length]:
    return lengths()


@pytest.mark.parametrize("kind", MOST)
def test_the_longest_sql_of_each_kind(rows: list[Length], kind: str) -> None:
    for dialect in rounds(predicat.dialects(), 3):
        longest = max(
            (row for row in rows if (row.kind, row.dialect) == (kind, dialect)),
            key=lambda row: len(row.sql or ""),
        )
        assert longest.sql is not None, f"{dialect} refuses a filter of {kind}"
        assert dialect in MOST[kind], f"benchmarks/length.yml has no most of {kind} for {dialect}"
        assert len(longest.sql) <= MOST[kind][dialect], (
            f"{dialect}, {len(longest.sql)} characters: {longest.text}\n{longest.sql}"
        )


def test_no_dialect_refuses_one(rows: list[Length]) -> None:
    assert [(row.text, row.dialect) for row in rows if row.sql is None] == []
