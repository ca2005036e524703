"""Counts of a review out of groups of rows are those of the evaluator, and those of the single rows."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import duckdb
import pytest

from predicat.deploy.rows import TABLE, fill_duckdb, fill_postgres
from predicat.diagnostics import Unsupported
from predicat.ir.nodes import FieldDecl
from predicat.review import counting
from predicat.review.clusters import Clusters, clusters
from predicat.review.counting import Source, count
from predicat.review.questions import Question, Questions, condition, question
from predicat.review.snapshot import empty
from predicat_spark.rows import frame_of
from tests.engines.test_corpus import cases_of
from tests.texts import entries

Rows = Sequence[Mapping[str, Any]]
ENTRIES = entries()
# Fills a table with rows of some fields, and the answer to a SELECT.
Engine = tuple[Callable[[Sequence[FieldDecl], Rows], None], Callable[[str], Rows]]
# Which rows a question finds: of all before, gained, lost.
Found = tuple[set[int], set[int], set[int]]


def asked(dialect: str, entry: Mapping[str, Any]) -> tuple[dict[str, Question], dict[str, Found]]:
    """Each expression becomes each of the next ones, and every other filter accepts UNKNOWN."""
    cases = []
    for place, (label, predicate, expected) in enumerate(cases_of(entry)[0]):
        try:
            own = condition(dialect, predicate.node, accepts_unknown=bool(place % 2))
        except Unsupported:
            continue
        rows = {row for row, outcome in enumerate(expected) if outcome or (outcome is None and place % 2)}
        cases.append((label, own, rows))
    questions, wanted = {}, {}
    for far in (1, 2, 3):
        for (label, one, before), (_, more, others), (other_label, other, after) in zip(
            cases, cases[far - 1 :], cases[far:], strict=False
        ):
            name = f"{label} -> {other_label} ({far})"
            group = [one, more] if far == 3 else [one]
            old = before | others if far == 3 else before
            questions[name] = question(name, "d", [group, [other]], {"row": "__id"})
            wanted[name] = old, after - old, old - after
    return questions, wanted


def check(
    dialect: str,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    chosen: Sequence[Mapping[str, Any]],
) -> Iterator[int]:
    """All questions of some entries; how many of each were answered for groups."""
    fill, select = request.getfixturevalue(f"on_{dialect}")
    monkeypatch.setattr(counting, "_CHUNKS", {dialect: 40})
    monkeypatch.setattr("predicat.review.clusters._cost", lambda _: 1)  # groups wherever they can be
    monkeypatch.setattr("predicat.review.clusters._cost_of_key", lambda _: 0)
    for entry in chosen:
        _, declared, rows = cases_of(entry)
        fill(list(declared.values()), rows)
        yield check_entry(dialect, entry, select, monkeypatch)


def check_entry(
    dialect: str, entry: Mapping[str, Any], select: Callable[[str], Rows], monkeypatch: pytest.MonkeyPatch
) -> int:
    """All questions of an entry."""
    questions, wanted = asked(dialect, entry)
    grouped: list[Question] = []

    def noted(*args: Any) -> Clusters:
        found = clusters(*args)
        grouped.extend(one for cluster in found.all for one in cluster.questions)
        return found

    source = Source(TABLE, TABLE, select)
    asking = Questions(dialect, (empty(), empty()), tuple(questions.values()), {}, frozenset())
    answers = []
    for way in (noted, lambda *_: Clusters({})):
        monkeypatch.setattr(counting, "clusters", way)
        answers.append(count(asking, "d", source))
    for label, (before, gained, lost) in wanted.items():
        for answer in answers:
            one = answer[label]
            got = (one.reason, one.total, one.before, one.gained, one.lost)
            assert got == ("", len(entry["rows"]), len(before), len(gained), len(lost)), label
            for rows, those in ((one.gained_rows, gained), (one.lost_rows, lost)):
                assert {row["row"] for row in rows} <= those and bool(rows) == bool(those), label
    return len(grouped)


@pytest.fixture
def on_duckdb() -> Iterator[Engine]:
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")

        def fill(fields: Sequence[FieldDecl], rows: Rows) -> None:
            connection.execute(f"DROP TABLE IF EXISTS {TABLE}")
            fill_duckdb(connection, fields, rows)

        yield fill, lambda sql: _dicts(connection.execute(sql))


@pytest.fixture
def on_postgres(postgres: Any) -> Engine:
    return partial(fill_postgres, postgres), lambda sql: _dicts(postgres.execute(sql.encode()))


@pytest.fixture
def on_spark(spark: Any) -> Engine:
    def fill(fields: Sequence[FieldDecl], rows: Rows) -> None:
        frame_of(fields, rows, spark).createOrReplaceTempView(TABLE)

    return fill, lambda sql: [row.asDict() for row in spark.sql(sql).collect()]


def _dicts(answer: Any) -> Rows:
    names = [column[0] for column in answer.description]
    return [dict(zip(names, row, strict=True)) for row in answer.fetchall()]


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", pytest.param("spark", marks=pytest.mark.slow)])
def test_counts_of_some_entries(
    dialect: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sum(check(dialect, request, monkeypatch, ENTRIES[::40])) > 50


@pytest.mark.slow
@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_counts_of_the_corpus(
    dialect: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sum(check(dialect, request, monkeypatch, ENTRIES)) > 4000
