"""PostgreSQL: the functions of the schema `predicat`, as `predicat apply` installs them.

They are SQL functions of one expression, so that the planner can inline them. It does so only if the
arguments are cheap (at most ten operators, no subquery), and if the expression has no subquery. So these
functions handle ordinary values only, and call others (`exact_...`) for the rest, which cost some
microseconds a call.

The bodies are parsed when they are created (`RETURN ...`), so that no search path changes their meaning.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from msgspec.structs import replace

from predicat.backends.sql.builders import Sql, variable
from predicat.backends.sql.functions import OF_JSON, Runtime, by_operator
from predicat.backends.sql.postgres import POSTGRES, numbers, times
from predicat.backends.sql.postgres import installed_conversions as conversions
from predicat.backends.sql.postgres import installed_documents as documents
from predicat.backends.sql.postgres import installed_json_texts as json_texts
from predicat.backends.sql.postgres.definition import Definition
from predicat.backends.sql.postgres.runtime import DOUBLES, FUNCTIONS, INTEGERS, RUNTIME, binary_call, called
from predicat.backends.sql.renderer import Renderer
from predicat.ir.nodes import Variable
from predicat.ir.types import BIGINT, DATE, DOUBLE, TIMESTAMP

# The version of the functions. It grows with every release that changes one of them.
VERSION = 2


@cache
def definitions(server: int) -> tuple[Definition, ...]:
    """The functions for a version of the server (`160004` is 16.4), each after those that it calls."""
    return (
        Definition("version", "", "integer", str(VERSION), "the version of these functions"),
        *_arithmetic(),
        *_numbers(),
        *((*conversions.definitions(), *json_texts.definitions()) if server >= conversions.SINCE else ()),
        *documents.definitions(server),
    )


@cache
def available(server: int) -> Runtime:
    """The functions that SQL for a version of the server may call."""
    names = {row.name for row in definitions(server)}
    return replace(RUNTIME, functions=by_operator(tuple(row for row in FUNCTIONS if row.name in names)))


_A, _B = (variable(name) for name in "ab")


def _arithmetic() -> Iterator[Definition]:
    """The functions of two numbers or times, and the `exact_...` functions for doubles of any size."""

    def definition(name: str, kinds: str, returns: str, body: Sql, note: str) -> Definition:
        return Definition(name, f"a {kinds}, b {kinds}", returns, POSTGRES.text(body), note)

    for op, name in INTEGERS.items():
        body = POSTGRES.tree(binary_call(op, BIGINT, BIGINT))
        yield definition(name, "bigint", "bigint", body, f"{_SIGNS[op]}, NULL if it does not fit")
    for op, name in DOUBLES.items():
        kind, note = "double precision", f"{_SIGNS[op]} as in IEEE 754, without an error"
        exact = POSTGRES.tree(binary_call(op, DOUBLE, DOUBLE))
        yield definition(f"exact_{name}", kind, kind, exact, note)
        body = numbers.operation_of_any(op, _A, _B, called(f"exact_{name}", _A, _B))
        yield definition(name, kind, kind, body, note)
    days = POSTGRES.tree(binary_call("days_between", DATE, BIGINT))
    yield definition("days_between", "date", "bigint", days, "the days from b to a, NULL of infinity")
    elapsed = times.interval_between(Renderer(POSTGRES), *(Variable(TIMESTAMP, name) for name in "ab"))
    yield definition(
        "elapsed",
        "timestamp with time zone",
        "interval",
        elapsed,
        "a - b, NULL unless both are within years 1 to 9999",
    )


def _numbers() -> Iterator[Definition]:
    """The functions that read the number of a JSON value. jsonb writes no exponents, so a short string is a
    number that neither overflows nor underflows.
    """
    note = "the number of a JSON value as a double, NULL for any other value"
    kind = "double precision"
    exact = POSTGRES.text(POSTGRES.tree(OF_JSON["number"]))
    yield Definition("exact_number", "j jsonb", kind, exact, note)
    for arguments, value, text in (("j jsonb", "j", "j::text"), ("j jsonb, k text", "j -> k", "j ->> k")):
        body = (
            f"CASE WHEN JSONB_TYPEOF({value}) = 'number' THEN CASE WHEN OCTET_LENGTH({text}) < 300 "
            f"THEN ({text})::float8 ELSE predicat.exact_number({value}) END END"
        )
        yield Definition("number", arguments, kind, body, note)


_SIGNS = {
    "add": "a + b",
    "sub": "a - b",
    "mul": "a * b",
    "div": "a / b, NULL if b is 0",
    "fdiv": "a / b, infinite or NaN if b is 0",
}
