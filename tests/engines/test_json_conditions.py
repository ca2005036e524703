"""Conditions over JSON in a WHERE, with the functions that an engine can have and without: the rows are those
that the evaluator accepts.
"""

from typing import Any

import pytest

import predicat
from predicat import backends
from predicat.api import declared
from tests.engines.rows import Tables
from tests.engines.test_json import ODD
from tests.engines.test_runtime import installed
from tests.rounds import rounds

__all__ = ["installed"]

VALUES = [
    *ODD,
    10,
    -10,
    9.999999999999998,
    10.000000000000002,
    -5e-324,
    2**53 - 1,
    2**53,
    2**53 + 1,
    -(2**53) - 1,
    2**63 - 1,
    2**63,
    -(2**63) - 1025,
    10**400,
    -(10**400),
    "10",
    " 7 ",
    "1e400",
    "-0",
    {"b": 12},
    {"b": "12"},
    {"b": [1, {"c": 30}]},
    [11],
    [{"b": 11}],
]
# Names of members, also words of the language of paths.
NAMES = ("amount", "two words", 'a"b\\c', "ключ", "is", "exists", "null", "strict", "size", "0")
CONDITIONS = [
    *(f"j.amount {sign} {limit}" for sign in (">", ">=", "<", "<=") for limit in (10, 0, 2**53, 1.5)),
    *(f"j.amount {sign} {limit}" for sign in ("==", "!=") for limit in (10, 0, 2**53, 1.5, "true", "'10'")),
    "10 < j.amount",
    "j.amount >= 1.5 && j.amount < 11.0",
    "j.amount in [1, 5, 10]",
    "!(j.amount > 10)",
    "j.amount > 10 || j.amount == 'x'",
    "j.amount.b > 3",
    "j.amount[0] > 3",
    "j.amount.b[1].c > 3",
    "j.amount * 2.0 > 5.0",
    "int(j.amount) > 3",
    "double(j.amount) > 1.5",
    "double(j.amount) < 1.5",
    "j.amount",
    "!j.amount",
    "j.amount ? true : j.amount > 3",
    "j.amount.exists(one, one > 3)",
    "j > 3",
    "j == true",
]
IN_SQL = [
    "j['amount'] > 10",
    "CAST(j['amount'] AS DOUBLE) > 1.5",
    "CAST(j['amount'] AS BIGINT) > 3",
    "NOT CAST(j['amount'] AS DOUBLE) > 1.5",
    "CAST(j['amount'] AS DOUBLE) * 2 > 3",
    *("j['{}'] > 3".format(name.replace("'", "''")) for name in NAMES),
]
FIELDS = declared({"j": "json"})


def _rows() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [{"j": {"amount": value}} for value in VALUES]
    rows += [{"j": {name: value}} for name in NAMES for value in (4, 2, "4", None)]
    return [*rows, *({"j": value} for value in VALUES), {"j": {}}, {}]


def test_rows_of_a_where(spark: Any, installed: Any) -> None:
    nodes = [predicat.parse(text, "cel", FIELDS).node for text in CONDITIONS]
    nodes += [predicat.parse(text, "sql", FIELDS).node for text in IN_SQL]
    tables = Tables(spark, installed, FIELDS, _rows())
    expected = [tables.reference(node) for node in nodes]
    for engine, run in rounds(tables.engines(), 3):
        dialect = backends.dialect(engine)
        for runtime in (None, *([dialect.runtime] if dialect.runtime else [])):
            kept = run([dialect.render(node, condition=True, runtime=runtime) for node in nodes])
            exact = run([dialect.render(node, runtime=runtime) for node in nodes])
            for text, node, wanted, *got in zip(
                (*CONDITIONS, *IN_SQL), nodes, expected, kept, exact, strict=True
            ):
                sql = dialect.render(node, condition=True, runtime=runtime)
                accepted = [value is True for value in got[0]]
                wrong = [
                    (row, has)
                    for row, has, want in zip(tables.rows, accepted, wanted, strict=True)
                    if has is not (want is True)
                ]
                assert not wrong, f"{engine}: {text}\n{sql}\n{wrong[:3]}"
                assert got[1] == wanted, f"{engine}: {text}"


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("j.n > 5", "j @@ 'strict $.n > 5.000000000000000444089209850062616169452667236328125'"),
        ("j.n == 5", "predicat.number(j, 'n') = 5"),
        ("j.n.exists(one, one > 5)", None),
        ("double(j.n) > 5.5", "-predicat.double(j, 'n') < -5.5"),
        ("j.paid", "(j -> 'paid') = 'true'"),
    ],
)
def test_text(text: str, sql: str | None) -> None:
    node = predicat.parse(text, "cel", FIELDS).node
    dialect = backends.dialect("postgres")
    found = dialect.render(node, condition=True, runtime=dialect.runtime)
    assert found == sql if sql else "predicat.number(" in found
