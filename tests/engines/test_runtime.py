"""The functions of the schema `predicat` mean what the SQL without them means, and the planner puts what they
do in the place of their calls.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import predicat
from predicat.api import declared
from predicat.backends.sql.functions import OF_JSON, OF_MEMBER
from predicat.backends.sql.postgres import POSTGRES, runtime
from predicat.backends.sql.postgres.installed import available, definitions
from predicat.deploy.rows import on_postgres
from predicat.diagnostics import Unsupported
from predicat.ir.canonical import canonical_text
from predicat.ir.nodes import FieldDecl, Node, fields_of
from predicat.ir.values import INT_MAX, INT_MIN
from predicat.rewrite.simplify import simplify
from predicat.semantics.evaluate import compile_node
from tests.engines.predicates import FIELDS, predicates, rows
from tests.engines.test_conversions import CHARACTERS, NEAR, texts
from tests.engines.test_conversions import FIELDS as DAYS_AND_CLOCKS
from tests.engines.test_corpus import ENTRIES, cases_of
from tests.engines.test_generated import generated
from tests.engines.test_json_texts import BODIES, LONG
from tests.engines.test_json_texts import filters as json_filters
from tests.engines.test_json_texts import texts as json_texts
from tests.rounds import rounds


@pytest.fixture(scope="module")
def installed(postgres: Any) -> Iterator[Any]:
    postgres.execute("DROP SCHEMA IF EXISTS predicat CASCADE; CREATE SCHEMA predicat")
    for row in definitions(postgres.info.server_version):
        postgres.execute(row.sql)
    yield postgres
    postgres.execute("DROP SCHEMA predicat CASCADE")


def called(node: Node, connection: Any) -> str:
    return POSTGRES.render(node, runtime=available(connection.info.server_version))


def needs(name: str, connection: Any) -> None:
    """Skip a test of a function that servers before 16 do not have."""
    if all(row.name != name for row in definitions(connection.info.server_version)):
        pytest.skip(f"predicat.{name} is only on PostgreSQL 16 and later")


def check(
    connection: Any, fields: dict[str, FieldDecl], rows: Sequence[dict[str, Any]], nodes: Sequence[Node]
) -> None:
    """Each predicate has the same value with functions as in the evaluator, on all rows."""
    columns = on_postgres(
        connection, list(fields.values()), rows, [called(node, connection) for node in nodes]
    )
    for node, column in zip(nodes, columns, strict=True):
        run = compile_node(node)
        wrong = [(row, got) for row, got in zip(rows, column, strict=True) if got is not run(row)]
        assert wrong == [], f"{canonical_text(node)}\n{called(node, connection)}"


# The kind of near texts, the language, the conversion, and a value.
TEXTS = {
    "to_bigint": ("bigint", "sql", "CAST(s AS bigint)", "5"),
    "to_double": ("double", "sql", "CAST(s AS double)", "0.5"),
    "to_date": ("date", "sql", "CAST(s AS date)", "DATE '2000-01-01'"),
    "to_timestamp": ("timestamp", "sql", "CAST(s AS timestamp)", "TIMESTAMP '2000-01-01 00:00:00Z'"),
    "int": ("bigint", "cel", "int(s)", "5"),
    "double": ("double", "cel", "double(s)", "0.5"),
    "timestamp": ("timestamp", "cel", "timestamp(s)", 'timestamp("2000-01-01T00:00:00Z")'),
}
MOMENTS = [
    f"{day}{clock}{zone}"
    for day, clock, zone in itertools.product(
        ("2020-02-29", "0001-01-01", "9999-12-31", "2021-02-29"),
        (
            "",
            " 10:11",
            "T10:11:12",
            "t23:59:59.5",
            " 00:00:00.1234567",
            "T23:59:60",
            "T24:00:00",
            " 23:59:59.9999999",
        ),
        ("", "Z", "z", "+01", "-14:30", "+1", "+15:00", " Z", "+00:00"),
    )
]
MORE = {
    "bigint": [" 7", "7 ", "1_000", "0x1F", "0b1", "0o7", "+5", "-0", "--5", "-_5", "1__0", "9" * 25,
               "0" * 25, "0" * 15 + "12345", "1" + "0" * 18],
    "double": ["1_0", "inf", "-inf", "nan", "+NaN", "infinity", "1e-400", "0." + "0" * 400 + "1", "-1e-400",
               "1e400", "0e-999", "1" + "0" * 308, "9" * 700, " 1.5 ", "1.5\n", "4.9e-324", "2e-324",
               "2.4703282292062328e-324"],
    "date": [*MOMENTS, " 2020-02-29", "2020-02-29 ", "2020/02/29", "20200229", "2020-060", "epoch", "today"],
    "timestamp": [*MOMENTS, " 2020-02-29", "2020-02-29 10:11:12 ", "now", "epoch", "infinity",
                  "2020-02-29 10:11:12 BC"],
}  # fmt: skip


@pytest.mark.parametrize("name", TEXTS)
def test_conversions(name: str, installed: Any) -> None:
    needs(name, installed)
    kind, language, value, limit = TEXTS[name]
    bases = [*NEAR[kind][2], *MORE[kind]]
    rows = [{"s": text} for text in dict.fromkeys([*texts(bases, 4000), *DAYS_AND_CLOCKS.get(kind, [])])]
    fields = declared({"s": "string"})
    known = "IS NOT NULL" if language == "sql" else f"!= {limit}"
    nodes = [predicat.parse(f"{value} {rest}", language, fields).node for rest in (known, f"> {limit}")]
    assert f"predicat.{name}(s)" in called(nodes[0], installed)
    check(installed, fields, rows, nodes)


@pytest.mark.parametrize("text", ["2011-11-11T11:11:11Z", "0012-10-10 10:10:10", "2001-01-01"])
@pytest.mark.parametrize("name", ["to_date", "to_timestamp", "timestamp"])
def test_other_characters_in_the_places_of_digits(name: str, text: str, installed: Any) -> None:
    _, language, value, limit = TEXTS[name]
    places = [place for place, character in enumerate(text) if character.isdigit()]
    near = [(one, character) for one in places for character in CHARACTERS]
    rows = [{"s": text[:place] + character + text[place + 1 :]} for place, character in near]
    rows += [
        {"s": text[:one] + pair[0] + text[one + 1 : other] + pair[1] + text[other + 1 :]}
        for one, other in itertools.combinations(places, 2)
        for pair in itertools.product("-:TZ ", repeat=2)
    ]
    fields = declared({"s": "string"})
    check(installed, fields, rows, [predicat.parse(f"{value} > {limit}", language, fields).node])


SIZES = [0.0, -0.0, 1.0, -3.0, 1e-150, 9e-151, 1e150, 1.1e150, 1e-308, 5e-324, 1e290, 1e308, 1.7e308,
         -1.7e308, math.inf, -math.inf, math.nan, None]  # fmt: skip
INTEGERS = [0, 1, -1, 7, 2**31, -(2**31) - 1, 2**62, -(2**62) - 1, INT_MAX, INT_MIN, INT_MIN + 1, None]
PAIRS = {
    "plus": "a + b > 3",
    "minus": "a - b > 3",
    "times": "a * b > 3",
    "div": "div(a, b) > 3",
    "add": "d + e > 3",
    "subtract": "d - e > 3",
    "multiply": "d * e > 3",
    "divide": "d / e > 3",
}
COMPOUND = ["a + b + a > 3", "a * b - b > 3", "d * e + 2 > 3", "d * 2 + e * 3 > 10", "abs(d * e) > 3",
            "d / a > 0.5", "100 / d > 5", "d * 2 > e", "CAST(s AS double) * d > 3",
            "CAST(s AS bigint) + a > 3", "d * e = 3", "d / e <> 3", "NOT d * e >= 3",
            "d * e IS NULL"]  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
def test_arithmetic(name: str, installed: Any) -> None:
    fields = declared({"a": "bigint", "b": "bigint", "d": "double", "e": "double"})
    rows = [
        *({"a": a, "b": b} for a, b in itertools.product(INTEGERS, repeat=2)),
        *({"d": d, "e": e} for d, e in itertools.product(SIZES, repeat=2)),
    ]
    known = PAIRS[name].removesuffix("> 3") + "IS NOT NULL"
    nodes = [predicat.parse(text, "sql", fields).node for text in (PAIRS[name], known)]
    assert f"predicat.{name}(" in called(nodes[0], installed)
    check(installed, fields, rows, nodes)


def test_compound_arithmetic(installed: Any) -> None:
    fields = declared({"a": "bigint", "b": "bigint", "d": "double", "e": "double", "s": "string"})
    rows = [
        *({"a": a, "b": b, "s": str(b)} for a, b in itertools.product(INTEGERS, repeat=2)),
        *({"d": d, "e": e, "s": str(e), "a": 3} for d, e in itertools.product(SIZES, repeat=2)),
    ]
    check(installed, fields, rows, [predicat.parse(text, "sql", fields).node for text in COMPOUND])


def test_differences(installed: Any) -> None:
    fields = declared({"t": "timestamp", "u": "timestamp", "x": "date", "y": "date"})
    moments = [datetime(year, 3, 1, 4, 5, 6, 7, tzinfo=UTC) for year in (1, 1969, 2026, 9999)] + [None]
    pairs = list(itertools.product(moments, repeat=2))
    rows = [{"t": t, "u": u, "x": t and t.date(), "y": u and u.date()} for t, u in pairs]
    asked = {
        "t - u > INTERVAL '2' DAY": "predicat.elapsed(t, u)",
        "datediff(x, y) > 3": "predicat.days_between(x, y)",
    }
    nodes = [predicat.parse(text, "sql", fields).node for text in asked]
    for node, call in zip(nodes, asked.values(), strict=True):
        assert call in called(node, installed)
    check(installed, fields, rows, nodes)
    for sql in ("predicat.elapsed('infinity', u)", "predicat.days_between('-infinity', y)"):
        assert on_postgres(installed, list(fields.values()), rows[:1], [sql]) == [[None]]


def test_quotients_of_cel(installed: Any) -> None:
    fields = declared({"d": "double", "e": "double"})
    rows = [{"d": d, "e": e} for d, e in itertools.product(SIZES, repeat=2)]
    node = predicat.parse("d / e > 3.0 || d / e < -3.0", "cel", fields).node
    assert "predicat.ieee_divide(d, e)" in called(node, installed)
    check(installed, fields, rows, [node])


CALLS = [
    *((name, f"predicat.{name}(s) IS NOT NULL") for name in TEXTS),
    ("parse_json", "predicat.parse_json(s) ->> 'a' = 'x'"),
    *((name, f"predicat.{name}(a, b) > 3") for name in runtime.INTEGERS.values()),
    *((name, f"predicat.{name}(d, a) > 3") for name in runtime.DOUBLES.values()),
    ("elapsed", "predicat.elapsed(t, now()) > INTERVAL '1 hour'"),
    ("days_between", "predicat.days_between(x, x) > 3"),
    *((name, f"predicat.{name}(j -> 'a', 'b') IS NOT NULL") for name in OF_MEMBER),
    *((name, f"predicat.{name}(j) IS NOT NULL") for name in OF_JSON),
]


@pytest.mark.parametrize(("name", "call"), CALLS)
def test_calls_are_inlined(name: str, call: str, installed: Any) -> None:
    needs(name, installed)
    installed.execute(
        "CREATE TEMPORARY TABLE given (s text, a bigint, b int, d float8, t timestamptz, x date, j jsonb)"
    )
    try:
        shown = installed.execute(f"EXPLAIN (VERBOSE) SELECT * FROM given WHERE {call}").fetchall()
        assert f"predicat.{name}(" not in "\n".join(row[0] for row in shown)
    finally:
        installed.execute("DROP TABLE given")


@pytest.mark.parametrize("server", [150_000, 180_000])
def test_usual_members_need_no_exact_function(server: int) -> None:
    """A call of it for each row takes fifty times as long as the author's cast."""
    usual = {row.name: row.body for row in definitions(server) if row.arguments == "j jsonb, k text"}
    for name in rounds(("text", "text_to_int", "text_to_bigint", "text_to_double", "text_to_boolean"), 5):
        assert usual[name].startswith(("COALESCE(CAST(CASE", "CASE JSONB_TYPEOF")), usual[name]


def test_json_in_texts(installed: Any) -> None:
    """Functions mean what the SQL without them means; hostile constants raise no error either."""
    needs("parse_json", installed)
    fields = declared({"s": "string", "n": "bigint"})
    nodes = [one.node for one in json_filters(BODIES)]
    assert all("predicat.parse_json(s)" in called(node, installed) for node in nodes)
    usual = [text for text in json_texts() if "\0" not in text]
    check(installed, fields, [{"s": text, "n": 5} for text in [*usual, None]], nodes)
    check(installed, fields, [{"s": text, "n": 5} for text in LONG], nodes[:2])
    for text in usual[:200]:
        quoted = "'" + text.replace("'", "''") + "'"
        installed.execute(f"SELECT predicat.parse_json({quoted}), predicat.exact_parse_json({quoted})")


@pytest.mark.parametrize("name", TEXTS)
def test_constants_raise_no_error(name: str, installed: Any) -> None:
    needs(name, installed)
    kind = TEXTS[name][0]
    for text in [*NEAR[kind][2], *MORE[kind], "", "many"]:
        quoted = "'" + text.replace("'", "''") + "'"
        installed.execute(f"SELECT predicat.{name}({quoted})")


@pytest.mark.parametrize("name", OF_JSON)
@pytest.mark.parametrize(
    "value", ["1e400", "-1e-400", "1e300", '"1e400"', '"x"', "true", "null", "[]", "3.5"]
)
def test_constant_documents_raise_no_error(name: str, value: str, installed: Any) -> None:
    needs(name, installed)
    installed.execute(f"SELECT predicat.{name}('{value}'::jsonb), predicat.{name}('{{\"k\": {value}}}', 'k')")


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["name"])
def test_corpus(entry: dict[str, Any], installed: Any) -> None:
    cases, fields, rows = cases_of(entry)
    sql = [called(predicate.node, installed) for _, predicate, _ in cases]
    columns = on_postgres(installed, list(fields.values()), rows, sql)
    for (label, _, expected), text, column in rounds(zip(cases, sql, columns, strict=True), 1):
        assert column == expected, f"{label}\n{text}"


@generated
@given(nodes=st.lists(predicates(3), min_size=30, max_size=30))
def test_generated_predicates(installed: Any, nodes: list[Node]) -> None:
    asked = [simplify(node) for node in nodes]
    supported = [node for node in asked if _is_supported(node, installed)]
    check(installed, FIELDS, rows(50), supported)


def _is_supported(node: Node, connection: Any) -> bool:
    try:
        called(node, connection)
    except Unsupported:
        return False
    return bool(fields_of(node))
