"""Every type in every container: the engines read it as the evaluator does."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

import predicat
from predicat.api import declared
from tests.engines.rows import Tables

# Values of each type, constants of CEL, and a constant of SQL. The first constant is the first value; CEL has
# no dates.
KINDS: dict[str, tuple[list[Any], list[str], str]] = {
    "string": (["a", "", "é'\"\\"], ['"a"', '"12"'], "'a'"),
    "bigint": ([1, 2**63 - 1, -(2**63)], ["1", "-5"], "1"),
    "double": ([1.5, -0.0, float("nan"), float("-inf")], ["1.5", "2"], "1.5"),
    "boolean": ([True, False], ["true", "false"], "TRUE"),
    "timestamp": (
        [datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC), datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)],
        ['timestamp("2020-01-02T03:04:05Z")', 'timestamp("2021-01-01T00:00:00Z")'],
        "TIMESTAMP '2020-01-02 03:04:05Z'",
    ),
    "date": ([date(2020, 1, 2), date(1969, 12, 31)], [], "DATE '2020-01-02'"),
    "decimal(10,2)": (
        [Decimal("1.50"), Decimal("0.10"), Decimal("-99999999.99")],
        ["1.5", "0.1", "1"],
        "1.5",
    ),
    "decimal(38,10)": (
        [Decimal("1.5"), Decimal("0.0000000001"), Decimal("9" * 28 + ".0000000001")],
        ["1.5", "1"],
        "1.5",
    ),
    "json": (["a", 1, 1.5, True, [1, "a"], {"k": "a"}], ['"a"', "1", "true"], ""),
}
CONTAINERS = {
    "s": "{}",
    "arr": "array<{}>",
    "map": "map<string, {}>",
    "st": "struct<x: {}>",
    "ast": "array<struct<x: {}>>",
    "mst": "map<string, struct<x: {}>>",
    "marr": "map<string, array<{}>>",
    "starr": "struct<x: array<{}>>",
    "stm": "struct<x: map<string, {}>>",
    "am": "array<map<string, {}>>",
    "mm": "map<string, map<string, {}>>",
    "sst": "struct<x: struct<x: {}>>",
    "b": "boolean",
}
READ = [
    "s",
    "arr[0]",
    "map.k",
    'map["k 2"]',
    "st.x",
    "ast[0].x",
    "mst.k.x",
    "marr.k[0]",
    "starr.x[1]",
    "stm.x.k",
    "am[0].k",
    "mm.k.k",
    "sst.x.x",
    "(b ? s : arr[0])",
]
IN_SQL = [
    "s",
    "arr[0]",
    "map['k']",
    "st.x",
    "ast[0].x",
    "mst['k'].x",
    "marr['k'][0]",
    "am[0]['k']",
    "mm['k']['k']",
    "coalesce(s, arr[0])",
    "nullif(s, arr[0])",
    "greatest(s, map['k'])",
]
ARRAYS = [
    "arr",
    "marr.k",
    "starr.x",
    "(arr + marr.k)",
    "arr.filter(y, y == s)",
    "arr.map(y, y)",
    "(b ? arr : marr.k)",
]
MAPS = ["map", "stm.x", "mm.k", "am[0]"]
WHOLE = [
    "ast.exists(e, e.x == {0})",
    "mst.all(q, mst[q].x == {0})",
    "am.exists(e, e.k == {0})",
    "ast.map(e, e.x)[0] == {0}",
    "ast.filter(e, e.x == {0})[0].x == s",
    "size(ast.filter(e, has(e.x))) == 2",
    "{0} in ast.map(e, e.x)",
    "st == null",
    "sst.x == null",
    "ast[0] == null",
    "mst.k == null",
    "marr.k == null",
    "am[0] == null",
]


def row(value: Any, other: Any) -> dict[str, Any]:
    return {
        "s": value,
        "arr": [value, other],
        "map": {"k": value, "k 2": other},
        "st": {"x": value},
        "ast": [{"x": value}, {"x": other}],
        "mst": {"k": {"x": value}},
        "marr": {"k": [value, other]},
        "starr": {"x": [other, value]},
        "stm": {"x": {"k": value}},
        "am": [{"k": value}, {"z": other}],
        "mm": {"k": {"k": value}},
        "sst": {"x": {"x": value}},
        "b": True,
    }


EMPTY: list[dict[str, Any]] = [
    {},
    {
        "arr": [],
        "map": {},
        "st": {"x": None},
        "ast": [],
        "mst": {},
        "marr": {},
        "starr": {"x": []},
        "stm": {"x": {}},
        "am": [],
        "mm": {},
        "sst": {"x": None},
        "b": False,
    },
    {
        "arr": [None],
        "ast": [{"x": None}, None],
        "mst": {"k": {"x": None}},
        "marr": {"k": []},
        "starr": {"x": None},
        "am": [{}],
        "mm": {"k": {}},
        "sst": {"x": {"x": None}},
    },
]


def in_cel(constants: list[str]) -> list[str]:
    one, *_, last = constants
    found = [
        f"{read} {test}"
        for read in READ
        for test in (
            f"== {one}",
            "!= s",
            "== null",
            f"in [{', '.join(constants)}]",
            "in arr",
            f"< {one}",
            "in marr.k",
        )
    ]
    found += [
        text.format(array, one, last)
        for array in ARRAYS
        for text in (
            "{0}.exists(x, x == {1})",
            "{0}.all(x, x != {2})",
            "{0}.exists(x, x > s)",
            "{0}.all(x, {1} >= x)",
            "{0}.exists(x, s != x)",
            "{0}.exists_one(x, x == s)",
            "{1} in {0}",
            "{0} == [{1}]",
            "{0} == arr",
            "size({0}) == 2",
            "{0}[0] == {1}",
            "{0}.map(x, x == {1})[0]",
            "{0}.filter(x, x == {1})[0] == s",
            "{0} == null",
        )
    ]
    found += [
        text.format(of, one)
        for of in MAPS
        for text in (
            '{0} == {{"k": {1}}}',
            "{0} == map",
            '"k" in {0}',
            "{0}.all(q, {0}[q] == {1})",
            "size({0}) == 1",
            "has({0}.k)",
            "{0} == null",
        )
    ]
    return found + [text.format(one) for text in WHOLE]


def in_sql(constant: str) -> list[str]:
    tests = (
        f"= {constant}",
        "IS NULL",
        "IS DISTINCT FROM s",
        f"IN ({constant}, s)",
        f"BETWEEN {constant} AND s",
        "= ANY(arr)",
        "<> ALL(arr)",
    )
    return [f"{read} {test}" for read in IN_SQL for test in tests] + [
        "arr IS NULL",
        "st IS NULL",
        "sst.x IS NULL",
    ]


# What no engine can say exactly, or what the checker refuses: arrays of doubles, decimals and documents as a
# whole.
REFUSED = (
    "cannot compare array<",
    "cannot compare boolean",
    "< does not take",
    "nested so deeply",
    "of different types",
)


@pytest.mark.parametrize("kind", KINDS)
def test_engines_read_every_container(kind: str, spark: Any, postgres: Any) -> None:
    values, constants, literal = KINDS[kind]
    fields = {name: container.format(kind) for name, container in CONTAINERS.items()}
    rows = [*EMPTY, *(row(value, other) for value in values for other in values[:2]), row(values[0], None)]
    asked = [
        *((text, "cel") for text in (in_cel(constants) if constants else ())),
        *((text, "spark" if "[0]" in text else "sql") for text in (in_sql(literal) if literal else ())),
    ]
    if kind == "json":  # two documents are compared in many words: some of them are enough
        asked = [
            (text, language)
            for text, language in asked
            if text.startswith(("map.k", "marr.k"))
            or (not text.endswith((" s", " arr", " marr.k", " s)")) and "== s)" not in text)
        ]
    predicates: list[predicat.Predicate] = []
    for text, language in asked:
        try:
            predicates.append(predicat.parse(text, language, fields))
        except predicat.PredicatError as error:
            assert any(reason in str(error) for reason in REFUSED), str(error)
    assert len(predicates) > 0.9 * len(asked)
    want = [
        [one.evaluate({name: value for name, value in given.items() if value is not None}) for given in rows]
        for one in predicates
    ]
    for name, run in Tables(spark, postgres, declared(fields), rows).engines():
        said = [
            (one, sql, answers)
            for one, answers in zip(predicates, want, strict=True)
            if (sql := render(one, name))
        ]
        for (one, sql, answers), column in zip(said, run([sql for _, sql, _ in said]), strict=True):
            assert column == answers, f"{name}: {one}\n{sql}"


def render(one: predicat.Predicate, dialect: str) -> str | None:
    try:
        return one.sql(dialect)
    except predicat.Unsupported as error:
        assert any(reason in str(error) for reason in REFUSED), str(error)
        return None


NULLS = {
    "spark": (
        "SELECT {} FROM (SELECT parse_json('null') AS j, array(parse_json('null'), parse_json('\"a\"')) AS "
        "arr, map('k', parse_json('null')) AS m, named_struct('x', parse_json('null')) AS st)"
    ),
    "duckdb": (
        "SELECT {} FROM (SELECT 'null'::JSON AS j, ['null'::JSON, '\"a\"'::JSON] AS arr, MAP {{'k': "
        "'null'::JSON}} AS m, {{'x': 'null'::JSON}} AS st)"
    ),
    "postgres": (
        "SELECT {} FROM (SELECT 'null'::jsonb AS j, ARRAY['null'::jsonb, '\"a\"'::jsonb] AS arr, '{{\"k\": "
        "null}}'::jsonb AS m, ROW('null'::jsonb)::pg_temp.document AS st) AS t"
    ),
}
ASKED = [
    "j == null",
    'j == "a"',
    '!(j == "a")',
    "j.k == null",
    "arr[0] == null",
    'arr[0] == "a"',
    "arr.exists(x, x == null)",
    'arr.exists(x, x == "a")',
    'arr.all(x, x == "a")',
    "m.k == null",
    "has(m.k)",
    'm.k != "a"',
    "st.x == null",
    "has(st.x)",
    'st.x != "a"',
    "size(j) == 1",
    "j.exists(x, x == 1)",
    'arr.map(x, x)[1] == "a"',
    "arr.map(x, x)[0] == null",
]


def test_a_null_of_json_is_no_value_wherever_a_column_holds_it(spark: Any, postgres: Any) -> None:
    import duckdb

    fields = {"j": "json", "arr": "array<json>", "m": "map<string, json>", "st": "struct<x: json>"}
    predicates = [predicat.parse(text, "cel", fields) for text in ASKED]
    want = [
        one.evaluate({"j": None, "arr": [None, "a"], "m": {"k": None}, "st": {"x": None}})
        for one in predicates
    ]
    assert True in want
    assert None in want
    postgres.execute("DROP TYPE IF EXISTS pg_temp.document; CREATE TYPE pg_temp.document AS (x jsonb)")
    runs = {
        "spark": lambda sql: tuple(spark.sql(sql).collect()[0]),
        "postgres": lambda sql: postgres.execute(sql).fetchone(),
        "duckdb": lambda sql: duckdb.connect().execute(sql).fetchone(),
    }
    for name, run in runs.items():
        got = run(
            NULLS[name].format(
                ", ".join(f"{one.sql(name)} AS c{place}" for place, one in enumerate(predicates))
            )
        )
        assert dict(zip(ASKED, got, strict=True)) == dict(zip(ASKED, want, strict=True)), name
