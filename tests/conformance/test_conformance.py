"""Public conformance cases on the evaluator and all engines, as they are and with their constants as
columns.
"""

import subprocess
from collections import Counter
from functools import cache
from typing import Any

import pytest

from predicat.diagnostics import Unsupported
from predicat.ir.values import to_value
from tests.conformance.cases import CESQL, Case, cel_cases, cesql_cases, parsed
from tests.engines.rows import Tables
from tests.oracles import VARIABLE, not_run
from tests.rounds import rounds

# Cases that have another result here, and why.
DIFFERENT = {
    "conversions/type/eq_diff": "an unsigned integer is a bigint",
    "optionals/optionals/null": "null is a missing value",
    "optionals/optionals/map_null_entry_hasValue": "as above",
    "string_ext/format/null support for string": "as above",
    "string_ext/format/NaN support for decimal": "NaN and the infinities are nan, inf and -inf as texts",
    "string_ext/format/positive infinity support for decimal": "as above",
    "string_ext/format/negative infinity support for decimal": "as above",
}
# How many cases with a value are not supported, by file: messages, bytes, unsigned integers, types as values,
# internal functions of CEL's implementations, and most formats.
NOT_SUPPORTED = {
    "basic": 2, "block_ext": 25, "comparisons": 64, "conversions": 5, "dynamic": 29, "encoders_ext": 1,
    "fields": 2, "integer_math": 5, "macros2": 6, "math_ext": 21, "optionals": 35, "parse": 24, "string": 2,
    "string_ext": 74, "timestamps": 4,
}  # fmt: skip

pytestmark = pytest.mark.slow


@cache
def cases_of(language: str) -> tuple[Case, ...]:
    """The cases of a language; where they cannot be had, the test says which claim it does not check."""
    if language == "cesql":
        return tuple(cesql_cases()) or not_run(
            "All 127 cases", f"no checkout of {CESQL} in the folder that {VARIABLE} names"
        )
    try:
        return tuple(cel_cases())
    except (OSError, subprocess.SubprocessError) as error:
        not_run("**The CEL specification**", f"npm or node: {error}")


def usable(language: str, *, lifted: bool) -> tuple[list[Case], list[Case]]:
    """The cases that are predicates here, and those that are not supported."""
    cases = [parsed(case, lifted=lifted) for case in cases_of(language)]
    return [case for case in cases if case.predicate is not None], [
        case for case in cases if case.predicate is None
    ]


def name_of(case: Case) -> str:
    return case.label.partition(" ")[2]


@pytest.mark.parametrize("lifted", [False, True], ids=["constants", "columns"])
@pytest.mark.parametrize("language", ["cel", "cesql"])
def test_evaluator(language: str, *, lifted: bool) -> None:
    cases, refused = usable(language, lifted=lifted)
    wrong = [
        (case.label, case.text, case.expected)
        for case in cases
        if case.predicate is not None
        and case.predicate.evaluate(case.row) is not case.expected
        and name_of(case) not in DIFFERENT
    ]
    assert wrong == []
    if not lifted:
        missing = Counter(case.level for case in refused if case.expected is not None)
        assert missing == (NOT_SUPPORTED if language == "cel" else {})
        assert language != "cel" or {name_of(case) for case in cases} >= DIFFERENT.keys()


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
        for engine, run in rounds(tables.engines(), 3):
            said = [(case, sql) for case in group if (sql := rendered(case, engine)) is not None]
            got = run([sql for _, sql in said]) if said else []
            wrong = [
                (case.label, case.text, column[0], case.expected, sql)
                for (case, sql), column in zip(said, got, strict=True)
                if column[0] is not case.expected and name_of(case) not in DIFFERENT
            ]
            assert wrong == [], engine


def rendered(case: Case, engine: str) -> str | None:
    assert case.predicate is not None
    try:
        return case.predicate.sql(engine)
    except Unsupported:
        return None
