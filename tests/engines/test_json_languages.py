"""PostgreSQL as the oracle of conditions over jsonb: the text as people write it, against what predicat makes
of it. Each condition runs on documents in which each JSON value stands at each key, and on whole documents.
"""

import json
from typing import Any

import pytest

import predicat
from predicat import backends
from predicat.api import declared
from predicat.deploy.rows import TABLE
from predicat.diagnostics import PredicatError
from predicat.ir.nodes import Call, walk
from predicat.lint.rules import json_differences
from tests.engines.oracle.engines import DuckDB, Postgres, reference
from tests.engines.rows import Tables
from tests.texts import tables_of

TEXTS = tables_of(__file__)
KEYS = ("plan", "name", "qty", "active", "tags", "address", "at", "items")
EACH, WHOLE = (TEXTS["values"][kind] for kind in ("each", "whole"))
DOCUMENTS = ["{}", *("{" + ", ".join(f'"{key}": {one}' for key in KEYS) + "}" for one in EACH), *WHOLE]
ROWS: list[dict[str, Any]] = [*({"doc": json.loads(one)} for one in DOCUMENTS), {"doc": None}]
FIELDS = declared({"doc": "json", "name": "string"})
CONDITIONS = [text for kind in TEXTS["postgres"].values() for text in kind]
DOCUMENTED = [text for kind in TEXTS["documented"].values() for text in kind]
OF_DUCKDB = [text for kind in TEXTS["duckdb"].values() for text in kind]
DOCUMENTED_OF_DUCKDB = [text for kind in TEXTS["documented_duckdb"].values() for text in kind]
REFUSED = TEXTS["refused"]["postgres"]


def test_there_are_as_many_as_the_page_says() -> None:
    assert len(CONDITIONS) >= 280
    assert len(DOCUMENTED) >= 20
    assert len(OF_DUCKDB) + len(DOCUMENTED_OF_DUCKDB) >= 150
    assert len(DOCUMENTS) >= 60


def test_conditions_mean_what_postgres_means(postgres: Any) -> None:
    engine = Postgres(postgres, FIELDS, ROWS)
    for place, document in enumerate(DOCUMENTS):
        postgres.execute(f"UPDATE {TABLE} SET doc = %s::jsonb WHERE __id = %s", (document, place))
    texts = [*CONDITIONS, *DOCUMENTED]
    wrong, differs = [], set()
    for text, theirs in zip(texts, engine.answers(texts), strict=True):
        assert not theirs.startswith("!"), (text, theirs)
        ours = reference(predicat.parse(text, "postgres", FIELDS).evaluate, ROWS)
        rows = [
            f"{document}: {one} there, {other} here"
            for document, one, other in zip([*DOCUMENTS, "NULL"], theirs, ours, strict=True)
            if one not in (other, "E") and document != "null"  # JSON null as the whole column is missing
        ]
        if rows:
            differs.add(text)
            wrong.append(f"{text}\n  {rows[:3]}")
    assert differs == set(DOCUMENTED), "\n".join(wrong[:20])


def test_conditions_of_duckdb_mean_what_duckdb_means() -> None:
    engine = DuckDB(FIELDS, ROWS)
    for place, document in enumerate(DOCUMENTS):
        engine.connection.execute(f"UPDATE {TABLE} SET doc = ?::JSON WHERE __id = ?", [document, place])
    texts = [*OF_DUCKDB, *DOCUMENTED_OF_DUCKDB]
    wrong, differs = [], set()
    for text, theirs in zip(texts, engine.answers(texts), strict=True):
        assert not theirs.startswith("!"), (text, theirs)
        ours = reference(predicat.parse(text, "duckdb", FIELDS).evaluate, ROWS)
        for document, one, other in zip([*DOCUMENTS, "NULL"], theirs, ours, strict=True):
            if one not in (other, "E") and document != "null" and ": 5.0," not in document:
                differs.add(text)
                wrong.append((text, document[-20:], one, other))
    assert differs == set(DOCUMENTED_OF_DUCKDB), "\n".join(map(str, wrong[:20]))


def test_lint_names_what_differs_from_duckdb() -> None:
    """All pins but the ones that the page excepts."""

    def named(text: str) -> bool:
        parts = walk(predicat.parse(text, "duckdb", FIELDS).surface)
        return any(json_differences.of_duckdb(part) for part in parts if isinstance(part, Call))

    unnamed = {text for text in DOCUMENTED_OF_DUCKDB if not named(text)}
    assert unnamed == set(TEXTS["unnamed"]["duckdb"])
    assert len([text for text in OF_DUCKDB if named(text)]) <= 5


def test_what_postgres_refuses_is_refused(postgres: Any) -> None:
    answers = Postgres(postgres, FIELDS, ROWS[:3]).answers(REFUSED)
    for text, theirs in zip(REFUSED, answers, strict=True):
        assert theirs.startswith("!") or set(theirs) <= {"E", "N"}, (text, theirs)
        with pytest.raises(PredicatError) as error:
            predicat.parse(text, "postgres", FIELDS)
        assert error.value.diagnostics[0].hint, text


def test_conditions_mean_the_same_on_all_engines(spark: Any, postgres: Any) -> None:
    found = [(text, predicat.parse(text, "postgres", FIELDS)) for text in CONDITIONS if "now()" not in text]
    tables = Tables(spark, postgres, FIELDS, ROWS)
    expected = [tables.reference(one.node) for _, one in found]
    for engine, run in tables.engines():
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
