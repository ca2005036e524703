"""Each pair of a declared type and the type of a column is refused, or it has the rows of the evaluator.

The values are at the ends of the column's type, beyond those of the declared type, too. The conditions are of
kinds that generated SQL folds, solves or rounds by the declared type.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime
from decimal import Context, Decimal, localcontext
from functools import cache
from typing import Any, NamedTuple

import duckdb
import pytest
from msgspec.structs import replace

import predicat
from predicat import backends
from predicat.api import declared
from predicat.backends.column_types import REFUSED, column_type, holds
from predicat.diagnostics import PredicatError
from predicat.ir.nodes import Node
from predicat.semantics.evaluate import compile_node
from predicat_spark.settings import settings

DECLARED = [
    *("tinyint", "smallint", "int", "bigint", "float", "double"),
    *("decimal(5,0)", "decimal(12,2)", "decimal(20,0)", "decimal(38,10)", "decimal(38,0)", "ubigint"),
    *("string", "boolean", "date", "timestamp", "array<decimal(5,2)>", "array<double>", "array<bigint>"),
]
# By type of a column: conditions, and values of a column of this type.
UUID = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
FORMS: dict[str, tuple[str, list[Any]]] = {
    "uuid": (
        f"x = '{UUID}'; x < '80000000-0000-0000-0000-000000000000'; x LIKE 'a0%'; x IN ('{UUID.upper()}')",
        [UUID, "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"],
    ),
    "enum(a, b)": ("x = 'a'; x <> 'a'; x IN ('a', 'b'); x LIKE 'a%'; x IS NULL", ["a", "b"]),
    "citext": (
        "x = 'A'; x <> 'a'; x LIKE 'a%'; x IN ('B', 'c'); length(x) = 1; x > 'a'",
        ["A", "a", "B", "É"],
    ),
    "char(5)": ("x = 'a'; x = 'a   '; x LIKE '%a'; length(x) = 1; x <> 'b'; x > 'a'", ["a", "b"]),
    "name": ("x = 'a'; x > 'A'; x LIKE 'a%'; length(x) = 1; x IN ('a', 'b')", ["a", "A", "é"]),
    "inet": (
        "x = '10.0.0.1/32'; x <> '10.0.0.1'; x IN ('::1', '10.0.0.0/8'); x LIKE '10%'",
        ["10.0.0.1", "10.0.0.0/8", "::1"],
    ),
    "cidr": (
        "x = '10.0.0.0/8'; x <> '10.0.0.0/8'; x IN ('::/0'); x LIKE '10%'",
        ["10.0.0.0/8", "::/0", "10.0.0.1/32"],
    ),
    "time": (
        "x = '08:30'; x > '08:30:00'; x < '12:00'; x IN ('08:30:00'); x IS NULL",
        ["08:30:00", "12:30:00.5", "00:00:00"],
    ),
    "binary": (
        "x = 'ff00'; x <> 'FF00'; x > '00'; x IN ('', 'ff00'); x IS NULL",
        [b"", b"\xff\x00", b"\x00"],
    ),
    "timestamp_ntz": (
        "x > TIMESTAMP '2020-01-02 00:00:00'; year(x) = 2020; x = TIMESTAMP '2020-01-01 23:30:00.000001'",
        [datetime(2020, 1, 1, 23, 30, 0, 1), datetime(2020, 1, 2, 4, 30)],  # noqa: DTZ001
    ),
}
BITS = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
UNSIGNED = {"utinyint": 8, "usmallint": 16, "uint": 32, "ubigint": 64}
DECIMALS = ["decimal(3,0)", "decimal(5,0)", "decimal(4,1)", "decimal(12,2)", "decimal(15,3)", "decimal(18,4)"]
DECIMALS += ["decimal(18,0)", "decimal(20,0)", "decimal(28,0)", "decimal(10,10)", "decimal(38,10)"]
OTHERS = ["float", "double", "string", "char(5)", "boolean", "date", "timestamp", "timestamp_ntz"]
ARRAYS = [
    "array<decimal(5,2)>",
    "array<decimal(3,1)>",
    "array<decimal(6,2)>",
    "array<float>",
    "array<smallint>",
]
COLUMNS = [*BITS, *DECIMALS, *dict.fromkeys((*OTHERS, *FORMS)), *ARRAYS]
MORE = {"spark": [], "postgres": ["numeric"], "duckdb": [*UNSIGNED, "hugeint", "timestamp_ns"]}
# The names of types that an engine calls otherwise; "" where it has none.
NAMES = {
    "spark": {
        "char(5)": "",
        **dict.fromkeys(("uuid", "enum(a, b)", "citext", "name", "inet", "cidr", "time"), ""),
    },
    "postgres": {
        "tinyint": "",
        "float": "real",
        "double": "double precision",
        "string": "varchar(9)",
        "timestamp": "timestamptz(6)",
        "timestamp_ntz": "timestamp",
        "int": "integer",
        "binary": "bytea",
        "enum(a, b)": "pairs_state",
    },
    "duckdb": {
        "string": "varchar",
        "timestamp": "timestamptz",
        "timestamp_ntz": "timestamp",
        "uint": "uinteger",
        "char(5)": "",
        "binary": "blob",
        "enum(a, b)": "ENUM('a', 'b')",
        **dict.fromkeys(("citext", "name", "inet", "cidr"), ""),
    },
}

NUMBERS = """x > 100; x * 1.19 > 119.005; x + 1 > 100; x + 1 > 100000; NOT (x * 10 > 1000000); x * 10 > 50
round(x, 2) = x; x = 100; x = 0.1; x * 3 = 0.3; x IS NULL; x IN (1, 2.5, 100); x NOT IN (1, 7); x / 3 > 2
1 / x < 1; x % 7 = 1; -x > 5; abs(x) >= 127; x * x > 100; x - x = 0; x + x > 200; CAST(x AS bigint) = 2
CAST(x AS double) > 0.05; CAST(x AS string) = '100'; CAST(x AS string) LIKE '1%'; greatest(x, 2) = 2
coalesce(x, 0) = 0; nullif(x, 1) IS NULL; floor(x) = 2; sqrt(x) > 3; x * 2 < x; x > 9007199254740992
CASE WHEN x > 1 THEN x ELSE 0 END > 50; x * 100000000000 > 5; x * 0.001 > 0.0015; x IS DISTINCT FROM 1"""
STRINGS = "x = 'a'; x = 'a    '; x LIKE '%a'; length(x) = 1; x > 'A'; x IN ('a', 'b'); x || 'b' = 'ab'"
TIMES = """x > TIMESTAMP '2020-01-02 00:00:00Z'; year(x) = 2020; CAST(x AS date) = DATE '2020-01-01'
extract(hour FROM x) = 23; date_trunc('day', x) = TIMESTAMP '2020-01-01 00:00:00Z'
x + INTERVAL '1' HOUR > TIMESTAMP '2020-01-02 00:00:00Z'; x IS NULL
x = TIMESTAMP '2020-01-01 23:30:00.000001Z'"""
DATES = "x > DATE '2020-01-01'; year(x) = 2020; x = DATE '2020-01-01'; x + 1 > DATE '2020-01-01'"
ELEMENTS = (
    "x[0] > 1; x[0] * 3 > 30; x[0] + x[1] > 2; x.exists(e, e * 10 > 50); 1 in x; size(x) == 2; x[0] == 0.1"
)


def conditions(kind: str) -> list[str]:
    texts = {"string": STRINGS, "boolean": "x; NOT x; x IS NULL", "date": DATES, "timestamp": TIMES}
    usual = FORMS[kind][0] if kind in FORMS else texts.get(kind, NUMBERS)
    text = ELEMENTS if kind.startswith("array") else usual
    return [part.strip() for line in text.splitlines() for part in line.split(";")]


PLACE = "column_of_x"


@cache
def parsed(engine: str, kind: str) -> list[tuple[str, Node, list[tuple[bool, str]]]]:
    """The conditions that a language reads for a field of the type, with their SQL (value, WHERE)."""
    field = replace(declared({"x": kind})["x"], columns=((engine, PLACE),))
    found: list[tuple[str, Node, list[tuple[bool, str]]]] = []
    for text in conditions(kind):
        for language in ("cel",) if kind.startswith("array") else ("sql", "spark", "postgres"):
            with suppress(PredicatError):
                node = predicat.parse(text, language, {"x": field}).node
                render = backends.dialect(engine).render
                value, condition = render(node), render(node, condition=True)
                more = [(True, condition)] if condition != value else []
                found.append((text, node, [(False, value), *more]))
                break
    return found


def values(column: str) -> list[Any]:
    """Usual values of a column, and the ends of its type."""
    if column.startswith("array"):
        inner = [value for value in values(column[6:-1]) if value is not None and abs(value) < 1e30]
        return [[one, other] for one, other in itertools.pairwise(inner)] + [[], None]
    if column in BITS or column in UNSIGNED or column == "hugeint":
        bits = {**BITS, **UNSIGNED, "hugeint": 128}[column]
        low, high = (0, 2**bits - 1) if column in UNSIGNED else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        usual = [0, 1, -1, 2, 7, 100, low, high, low + 1, high // 2, high // 10, 2**53 + 1]
        return [*sorted({value for value in usual if low <= value <= high}), None]
    if column.startswith("decimal") or column == "numeric":
        precision, scale = map(int, column[8:-1].split(",")) if "(" in column else (45, 15)
        with localcontext(Context(prec=90)):
            most, unit = Decimal(10**precision - 1).scaleb(-scale), Decimal(1).scaleb(-scale)
            usual = [
                Decimal(text) for text in ("0", "1", "-1", "2", "7", "0.1", "2.5", "99.99", "100", "100.002")
            ]
            fitting = [value for value in usual if abs(value) <= most and value % unit == 0]
        return [*fitting, most, most.copy_negate(), unit, unit.copy_negate(), None]
    if column in FORMS:
        return [*FORMS[column][1], None]
    return {
        "float": [
            0.0,
            0.5,
            -2.5,
            0.10000000149011612,
            3.4028234663852886e38,
            2.0**-149,
            float("inf"),
            float("nan"),
        ],
        "double": [0.0, 0.5, -2.5, 0.1, 1e308, 2.0**53, float("-inf"), float("nan")],
        "string": ["a", "a    ", "b", ""],
        "boolean": [True, False],
        "date": [date(2020, 1, 1), date(2020, 1, 2), date(1969, 12, 31)],
        "timestamp": [
            datetime(2020, 1, 1, 23, 30, 0, 1, UTC),
            datetime(2019, 12, 31, 23, 59, 59, tzinfo=UTC),
        ],
        "timestamp_ns": [datetime(2020, 1, 1, 23, 30, 0, 1), datetime(2020, 1, 2, 4, 30)],  # noqa: DTZ001
    }[column] + [None]


def read_as(value: Any, kind: str) -> Any:
    """A value of a column as the declared type has it."""
    if isinstance(value, list):
        return [read_as(item, kind[6:-1]) for item in value]
    if value is None:
        return None
    if kind in ("double", "float"):
        return float(value)
    if kind == "timestamp" and value.tzinfo is None:
        return value.replace(tzinfo=UTC)
    return Decimal(value) if kind.startswith("decimal") else value


def type_of(engine: str, column: str) -> str:
    """The type of a column as the engine calls it."""
    if column.startswith("array<"):
        inner = type_of(engine, column[6:-1])
        return f"array<{inner}>" if engine == "spark" else f"{inner}[]"
    found = NAMES[engine].get(column, column)
    return found.replace("decimal", "numeric") if engine == "postgres" else found


# Columns and their types.
Names = list[tuple[str, str]]
# Evaluates SQL on rows of columns with names and types.
Run = Callable[[Names, list[list[Any]], Sequence[str]], list[list[Any]]]


class Asked(NamedTuple):
    kind: str
    column: str
    text: str
    wanted: list[Any]
    where: bool
    sql: str


def questions(engine: str, columns: Sequence[str], data: Sequence[list[Any]], step: int) -> Iterator[Asked]:
    """The conditions (one of `step`) of each pair that is not refused."""
    for kind, (place, column) in itertools.product([*DECLARED, *FORMS], enumerate(columns)):
        if (
            holds(engine, declared({"x": kind})["x"], column_type(engine, shown(engine, column))).kind
            == REFUSED
        ):
            continue
        for text, node, rendered in parsed(engine, kind)[place % step :: step]:
            evaluate = compile_node(node)
            wanted = [outcome(evaluate, read_as(value, kind)) for value in data[place]]
            for where, sql in rendered:
                yield Asked(kind, column, text, wanted, where, sql.replace(PLACE, f"x{place}"))


def outcome(evaluate: Callable[[dict[str, Any]], Any], value: Any) -> Any:
    """The outcome of a row. A text that is no value of the declared type has any: its column has none."""
    try:
        return evaluate({"x": value})
    except PredicatError:
        return ...


def check(engine: str, run: Run, step: int = 1) -> None:
    columns = [column for column in [*COLUMNS, *MORE[engine]] if type_of(engine, column)]
    height = max(len(values(column)) for column in columns)
    data = [values(column) + [None] * (height - len(values(column))) for column in columns]
    asked = list(questions(engine, columns, data, step))
    assert len({(one.kind, one.column) for one in asked}) > 20
    names = [(f"x{place}", type_of(engine, column)) for place, column in enumerate(columns)]
    rows = [list(row) for row in zip(*data, strict=True)]
    found = run(names, rows, [one.sql for one in asked])
    wrong = [
        f"{one.kind} of {one.column}: {one.text}: {data[columns.index(one.column)][row]} {got} not {want}: "
        f"{one.sql}"
        for one, results in zip(asked, found, strict=True)
        for row, (want, got) in enumerate(zip(one.wanted, results, strict=True))
        if want is not ... and ((got is True) != (want is True) if one.where else got is not want)
    ]
    assert not wrong, f"{len(wrong)}\n" + "\n".join(wrong[:40])


def in_parts(fetch: Callable[[str], list[Any]], expressions: Sequence[str]) -> list[list[Any]]:
    """The values of expressions, a hundred in a query."""
    found: list[list[Any]] = []
    for start in range(0, len(expressions), 100):
        listed = ", ".join(
            f"{sql} AS c{number}" for number, sql in enumerate(expressions[start : start + 100])
        )
        found += [
            list(column) for column in zip(*fetch(f"SELECT {listed} FROM pairs ORDER BY id"), strict=True)
        ]
    return found


def test_duckdb() -> None:
    def run(names: Names, rows: list[list[Any]], expressions: Sequence[str]) -> list[list[Any]]:
        with duckdb.connect() as connection:
            connection.execute("SET TimeZone = 'UTC'")
            columns = ", ".join(f"{name} {kind}" for name, kind in names)
            connection.execute(f"CREATE TABLE pairs (id int, {columns})")
            marks = ", ".join("?" for _ in range(len(names) + 1))
            for number, row in enumerate(rows):
                connection.execute(f"INSERT INTO pairs VALUES ({marks})", [number, *row])
            return in_parts(lambda query: connection.execute(query).fetchall(), expressions)

    check("duckdb", run)


def test_postgres(postgres: Any) -> None:
    def run(names: Names, rows: list[list[Any]], expressions: Sequence[str]) -> list[list[Any]]:
        columns = ", ".join(f"{name} {kind}" for name, kind in names)
        postgres.execute("SET TimeZone = 'America/Los_Angeles'; CREATE EXTENSION IF NOT EXISTS citext")
        postgres.execute(
            "DROP TYPE IF EXISTS pairs_state CASCADE; CREATE TYPE pairs_state AS ENUM ('a', 'b')"
        )
        postgres.execute(f"DROP TABLE IF EXISTS pairs; CREATE TEMPORARY TABLE pairs (id int, {columns})")
        marks = ", ".join(["%s", *(f"%s::text::{kind}" for _, kind in names)])
        for number, row in enumerate(rows):
            texts = [None if value is None else written(value) for value in row]
            postgres.execute(f"INSERT INTO pairs VALUES ({marks})", [number, *texts])
        found = in_parts(lambda query: list(postgres.execute(query.encode()).fetchall()), expressions)
        postgres.execute("RESET TimeZone")
        return found

    check("postgres", run)


def written(value: Any) -> str:
    """A value as text of PostgreSQL."""
    if isinstance(value, bytes):
        return f"\\x{value.hex()}"
    return f"{{{','.join(map(written, value))}}}" if isinstance(value, list) else str(value)


@pytest.mark.parametrize("step", [8, pytest.param(1, marks=pytest.mark.slow)])
def test_spark(spark: Any, step: int) -> None:
    def run(names: Names, rows: list[list[Any]], expressions: Sequence[str]) -> list[list[Any]]:
        schema = ", ".join(f"{name} {kind}" for name, kind in names)
        numbered = [(number, *row) for number, row in enumerate(rows)]
        spark.createDataFrame(numbered, f"id int, {schema}").coalesce(1).cache().createOrReplaceTempView(
            "pairs"
        )
        with settings(
            spark, {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
        ):
            return in_parts(lambda query: spark.sql(query).collect(), expressions)

    check("spark", run, step)


def shown(engine: str, column: str) -> str:
    """The type of a column as the engine shows it."""
    text = type_of(engine, column)
    if column.startswith("enum"):
        return "enum('a', 'b')"
    longer = {"timestamptz(6)": "timestamp with time zone", "timestamp": "timestamp without time zone"}
    if engine == "postgres":
        return longer.get(text, text)
    return {"timestamptz": "TIMESTAMP WITH TIME ZONE"}.get(text, text)
