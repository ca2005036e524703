"""The corpus, through every language and engine: each expression on each row, with one query an engine and
entry.
"""

from collections.abc import Sequence
from typing import Any

import pytest

import predicat
from predicat.ir.nodes import FieldDecl
from predicat.ir.widths import as_stored
from tests.engines.rows import ENGINES, Tables, check_values
from tests.rounds import rounds
from tests.texts import entries

ENTRIES = entries()


# An expression with its language, the predicate, and the answer for each row.
Case = tuple[str, predicat.Predicate, list[bool | None]]


def parsed(entry: dict[str, Any]) -> list[Case]:
    found = []
    for case in entry["cases"]:
        ((language, body),) = ((key, value) for key, value in case.items() if key not in ("expected", "doc"))
        found.append(
            (
                f"{language}: {body}",
                predicat.parse(body, language, entry["fields"], on=entry.get("on")),
                case["expected"],
            )
        )
    return found


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["name"])
def test_reference(entry: dict[str, Any]) -> None:
    for label, predicate, expected in rounds(parsed(entry), 1):
        assert [predicate.evaluate(row) for row in entry["rows"]] == expected, label


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["name"])
def test_engines(entry: dict[str, Any], spark: Any, postgres: Any) -> None:
    """The SQL with its constants, and with parameters in their places."""
    cases, declared, rows = cases_of(entry)
    asked = [(label, predicate.node, expected) for label, predicate, expected in cases]
    check_values(asked, list(declared.values()), rows, spark, postgres, constants=True)


def check(entry: dict[str, Any], spark: Any, postgres: Any, only: Sequence[str] = ENGINES) -> None:
    """Every expression of an entry has its answers on the engines."""
    cases, declared, rows = cases_of(entry)
    tables = Tables(spark, postgres, declared, rows, only)
    for name, run in tables.engines():
        got = run([case[1].sql(name) for case in cases])
        for (label, predicate, expected), column in zip(cases, got, strict=True):
            assert column == expected, f"{name} {label}\n{predicate.sql(name)}"


def cases_of(entry: dict[str, Any]) -> tuple[list[Case], dict[str, FieldDecl], list[dict[str, Any]]]:
    """The expressions of an entry, the fields, and the rows with the values of these."""
    declared = predicat.api.declared(entry["fields"])
    cases = parsed(entry)
    return (
        cases,
        declared,
        [
            {name: as_stored(_value(row, name), spec) for name, spec in declared.items()}
            for row in entry["rows"]
        ],
    )


def _value(row: dict[str, Any], name: str) -> Any:
    head, _, rest = name.partition(".")
    return row.get(name, row.get(head, {}).get(rest) if rest and isinstance(row.get(head), dict) else None)
