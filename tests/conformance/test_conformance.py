"""Public conformance cases on the evaluator, Spark and PostgreSQL, as they are and with their constants as
columns.
"""

from collections import Counter
from typing import Any

import pytest

from predicat.diagnostics import Unsupported
from predicat.ir.values import to_value
from tests.conformance.cases import Case, cel_cases, cesql_cases, parsed
from tests.engines.rows import Tables

CASES = {"cel": cel_cases(), "cesql": cesql_cases()}
# It names a container, which the case's data does not carry.
KNOWN_WRONG = {"namespace/namespace/self_eval_container_lookup_unchecked"}
# The share of refused cases at each level. At core two of 215: an undeclared name, and a name of a
# container.
ALLOWED = {"core": 0.02, "arithmetic": 0.1, "conversion": 0.1, "string_ext": 0.1, "macro": 0.1, "cesql": 0.0}

pytestmark = pytest.mark.skipif(not all(CASES.values()), reason="the conformance cases are not here")


def usable(language: str, *, lifted: bool) -> tuple[list[Case], list[Case]]:
    cases = [parsed(case, lifted=lifted) for case in CASES[language]]
    return [case for case in cases if case.predicate is not None], [
        case for case in cases if case.predicate is None
    ]


@pytest.mark.parametrize("lifted", [False, True], ids=["constants", "columns"])
@pytest.mark.parametrize("language", ["cel", "cesql"])
def test_evaluator(language: str, *, lifted: bool) -> None:
    cases, refused = usable(language, lifted=lifted)
    wrong = [
        (case.label, case.text, case.expected)
        for case in cases
        if case.predicate is not None and case.predicate.evaluate(case.row) is not case.expected
    ]
    assert [row for row in wrong if row[0].split()[1] not in KNOWN_WRONG] == []
    if not lifted:
        total, missing = (
            Counter(case.level for case in CASES[language]),
            Counter(case.level for case in refused if case.expected is not None),
        )
        assert {
            level: count for level, count in missing.items() if count / total[level] > ALLOWED[level]
        } == {}


@pytest.mark.parametrize("lifted", [False, True], ids=["constants", "columns"])
@pytest.mark.parametrize("language", ["cel", "cesql"])
def test_engines(language: str, spark: Any, postgres: Any, *, lifted: bool) -> None:
    """One row holds the fields of many cases, each case's under names of its own."""
    cases, _ = usable(language, lifted=lifted)
    groups: list[list[Case]] = [[]]
    for case in cases:  # cases whose fields have the same names but other values go apart
        last = groups[-1]
        if (
            any(
                other.row.get(name, value) != value or other.fields.get(name, decl) != decl
                for other in last
                for name, decl in case.fields.items()
                for value in [case.row.get(name)]
            )
            or len(last) == 60
        ):
            groups.append([])
        groups[-1].append(case)
    for group in groups:
        fields = {name: decl for case in group for name, decl in case.fields.items()}
        row = {
            name: to_value(value, fields[name].type)
            for case in group
            for name, value in case.row.items()
            if name in fields
        }
        tables = Tables(spark, postgres, fields, [row])
        for engine, run in tables.engines():
            said = [(case, sql) for case in group if (sql := rendered(case, engine)) is not None]
            got = run([sql for _, sql in said]) if said else []
            wrong = [
                (case.label, case.text, column[0], case.expected, sql)
                for (case, sql), column in zip(said, got, strict=True)
                if column[0] is not case.expected and case.label.split()[1] not in KNOWN_WRONG
            ]
            assert wrong == [], engine


def rendered(case: Case, engine: str) -> str | None:
    assert case.predicate is not None
    try:
        return case.predicate.sql(engine)
    except Unsupported:
        return None
