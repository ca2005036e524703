"""PostgreSQL and DuckDB as the oracles of conditions over JSON: the text as people write it, against what
predicat makes of it. Each condition runs on documents in which each JSON value stands at each key, and on
whole documents.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import predicat
from predicat import backends
from predicat.api import declared
from predicat.deploy.rows import TABLE
from predicat.diagnostics import PredicatError
from predicat.lint.rules.json_differences import of_language
from tests.engines.oracle.engines import Attempts, DuckDB, Postgres, reference
from tests.engines.rows import Tables
from tests.rounds import rounds
from tests.texts import tables_of

TEXTS = tables_of(__file__)
KEYS = ("plan", "name", "qty", "active", "tags", "address", "at", "items")
EACH, WHOLE = (TEXTS["values"][kind] for kind in ("each", "whole"))
DOCUMENTS = ["{}", *("{" + ", ".join(f'"{key}": {one}' for key in KEYS) + "}" for one in EACH), *WHOLE]
ROWS: list[dict[str, Any]] = [
    *({"doc": json.loads(one), "name": "gold"} for one in DOCUMENTS),
    {"doc": None, "name": "gold"},
]
FIELDS = declared({"doc": "json", "name": "string"})
LANGUAGES = ("postgres", "duckdb")
CONDITIONS = {
    language: [text for kind in TEXTS[language].values() for text in kind] for language in LANGUAGES
}
# What differs, by the name of the point.
DOCUMENTED = {language: TEXTS[f"documented_{language}"] for language in LANGUAGES}
REFUSED = TEXTS["refused"]
PAGE = Path(__file__).parents[2] / "docs" / "languages_sql.md"


def test_there_are_as_many_as_the_page_says() -> None:
    assert len(CONDITIONS["postgres"]) >= 300
    assert len(CONDITIONS["duckdb"]) >= 200
    assert len(DOCUMENTS) >= 60


def test_conditions_mean_what_postgres_means(postgres: Any) -> None:
    engine = Postgres(postgres, FIELDS, ROWS)
    for place, document in enumerate(DOCUMENTS):
        postgres.execute(f"UPDATE {TABLE} SET doc = %s::jsonb WHERE __id = %s", (document, place))
    judge("postgres", engine)


def test_conditions_of_duckdb_mean_what_duckdb_means() -> None:
    judge("duckdb", duckdb_with_rows())


def duckdb_with_rows() -> DuckDB:
    engine = DuckDB(FIELDS, ROWS)
    for place, document in enumerate(DOCUMENTS):
        engine.connection.execute(f"UPDATE {TABLE} SET doc = ?::JSON WHERE __id = ?", [document, place])
    return engine


def judge(language: str, engine: Attempts) -> None:
    """Each condition has the engine's result for every document, unless it is one of the documented ones."""
    documented = {text for kind in DOCUMENTED[language].values() for text in kind}
    texts = [*CONDITIONS[language], *documented]
    wrong, differs = [], set()
    for text, theirs in zip(texts, engine.answers(texts), strict=True):
        assert not theirs.startswith("!"), (text, theirs)
        ours = reference(predicat.parse(text, language, FIELDS).evaluate, ROWS)
        rows = [
            f"{document}: {one} there, {other} here"
            for document, one, other in zip([*DOCUMENTS, "NULL"], theirs, ours, strict=True)
            if not _same(document, one, other)
        ]
        if rows:
            differs.add(text)
            wrong.append(f"{text}\n  {rows[:3]}")
    assert differs == documented, "\n".join(wrong[:20])


def _same(document: str, theirs: str, ours: str) -> bool:
    """JSON null as the whole column is NULL here, so FALSE may be UNKNOWN."""
    if document == "null":
        return (theirs == "T") is (ours == "T")
    return theirs in (ours, "E")


def points_of(text: str, language: str) -> set[str]:
    """The points that lint names for a condition."""
    surface = predicat.parse(text, language, FIELDS).surface
    return {point.name for point in of_language(language) if any(point.recognised(surface))}


@pytest.mark.parametrize("language", LANGUAGES)
def test_lint_names_the_point_of_each_difference(language: str) -> None:
    for point, texts in DOCUMENTED[language].items():
        assert not [text for text in texts if point not in points_of(text, language)], point
    assert set(DOCUMENTED[language]) == {point.name for point in of_language(language)}
    named = [text for text in CONDITIONS[language] if points_of(text, language)]
    assert named == TEXTS["named_without_difference"][language]


@pytest.mark.parametrize("language", LANGUAGES)
def test_lint_finds_nothing_in_what_it_proposes(language: str) -> None:
    for point in rounds(of_language(language), 3):
        for text in rounds(point.instead[language], 1):
            assert not points_of(text, language), text
            assert text in point.hint(language)


@pytest.mark.parametrize(("language", "engine"), [("postgres", "PostgreSQL"), ("duckdb", "DuckDB")])
def test_the_page_has_the_points(language: str, engine: str) -> None:
    items = PAGE.read_text().split(f"points differ from {engine}")[1].split("\n\n")[1]
    written = re.split(r"^[0-9]+\. ", items, flags=re.MULTILINE)[1:]
    assert [" ".join(item.split()) for item in written] == [one.sentence for one in of_language(language)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_refusals_have_a_hint(language: str) -> None:
    for text in rounds(REFUSED[language], 10):
        with pytest.raises(PredicatError) as error:
            predicat.parse(text, language, FIELDS)
        assert error.value.diagnostics[0].hint, text


def test_what_postgres_refuses_is_refused(postgres: Any) -> None:
    answers = Postgres(postgres, FIELDS, ROWS[:3]).answers(REFUSED["postgres"])
    for text, theirs in rounds(zip(REFUSED["postgres"], answers, strict=True), 20):
        assert theirs.startswith("!") or set(theirs) <= {"E", "N"}, (text, theirs)


# Each third of the conditions is a test; the fast run has one.
@pytest.mark.parametrize("third", [0, *(pytest.param(one, marks=pytest.mark.slow) for one in (1, 2))])
def test_conditions_mean_the_same_on_all_engines(spark: Any, postgres: Any, third: int) -> None:
    found = [
        (text, predicat.parse(text, language, FIELDS))
        for language, texts in CONDITIONS.items()
        for text in texts[third::3]
        if "now()" not in text
    ]
    tables = Tables(spark, postgres, FIELDS, ROWS)
    expected = [tables.reference(one.node) for _, one in found]
    for engine, run in rounds(tables.engines(), 3):
        wheres = [backends.dialect(engine).render(one.node, condition=True) for _, one in found]
        got = run([*(one.sql(engine) for _, one in found), *wheres])
        exact, kept = got[: len(found)], got[len(found) :]
        wrong = [
            (engine, text, row, value, want)
            for (text, _), values, accepted, wanted in zip(found, exact, kept, expected, strict=True)
            for row, value, one, want in zip(ROWS, values, accepted, wanted, strict=True)
            if value != want or (one is True) != (want is True)
        ]
        assert not wrong, f"{len(wrong)}: {wrong[:5]}"
