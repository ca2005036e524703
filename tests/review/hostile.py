"""Pairs of predicates that are hard to judge: what the evaluator says of rows chosen for each type decides
what a verdict may be.

A pair is (language, before, after, verdict, decided). `verdict` was found by trying rows by hand and by brute
force; `decided` says whether a
comparison has to find it, or may leave it open. In the language `sql :k` the field k is a parameter.
"""

import itertools
import random
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from predicat.api import declared
from predicat.ir.nodes import Call, Node, fields_of, params_of, walk
from predicat.ir.types import Type

FIELDS = {
    "n": "bigint",
    "k": "bigint",
    "b": "double",
    "c": "double",
    "s": "string",
    "u": "string",
    "p": "boolean",
    "t": "timestamp",
    "d": "date",
    "w": "decimal(38,20)",
    "e": "decimal(15,2)",
    "xs": "array<bigint>",
    "ys": "array<bigint>",
    "ss": "array<string>",
    "aa": "array<array<bigint>>",
    "rs": "array<struct<x: bigint, tags: array<string>>>",
    "m": "map<string, string>",
    "j": "json",
    "length xs": "bigint",
    "null n": "boolean",
    "xs[0]": "bigint",
    "m['k']": "string",
    "n!1": "bigint",
    "v1": "bigint",
    "a (b) :c": "bigint",
    "N'": "bigint",
}
DECLARED = declared(FIELDS)

EQUAL, FILTER, NARROWER, WIDER, CHANGED, DISJOINT, ALWAYS, NEVER = (
    "equivalent",
    "equivalent as a filter",
    "narrower",
    "wider",
    "changed",
    "disjoint",
    "always",
    "never",
)
_EIGHT = " && ".join(f"xs.exists(v, v == {number})" for number in range(9))
_ANY = " || ".join(f"{number} in xs" for number in range(12))

PAIRS = [
    # arrays: no bound on their length
    ("cel", "size(xs) <= 1000", "size(xs) <= 2000", WIDER, True),
    ("cel", "1 in xs && size(xs) < 5000", "1 in xs", WIDER, True),
    ("cel", "size(xs) == 1000", "size(xs) == 3000", DISJOINT, True),
    ("cel", "size(xs) > 2500 && xs.all(v, v == 1)", "size(xs) > 2500 && xs[0] == 1", WIDER, True),
    ("cel", "size(ss) >= 1200", "size(ss) >= 0", WIDER, True),
    ("cel", "aa.exists(v, size(v) > 1500)", "aa.exists(v, size(v) > 1600)", NARROWER, True),
    # arrays: any number of elements may be needed
    (
        "cel",
        "xs.exists(v, v == 0) && xs.all(v, v == 7 || xs.exists(w, w == v + 1))",
        "n == 1 && n == 2",
        NEVER,
        False,
    ),
    ("cel", "xs.all(v, xs.exists(w, w > v))", "size(xs) == 0", FILTER, False),
    ("cel", "xs.exists(v, v > 1 && xs.exists(w, w == v))", "xs.exists(v, v > 1)", EQUAL, False),
    ("cel", _EIGHT, "n == 1 && n == 2", NEVER, True),
    ("cel", _ANY, f"{_ANY} || 13 in xs", WIDER, True),
    ("cel", "xs.all(v, v > 0)", "!xs.exists(v, v <= 0)", EQUAL, True),
    ("cel", "xs.exists_one(v, v == 1)", "xs.exists(v, v == 1)", WIDER, False),
    ("cel", "1 in xs && size(xs) == 0", "n == 1 && n == 2", FILTER, True),
    ("cel", "xs[3] == 1 && xs.all(v, v == 2)", "n == 1 && n == 2", FILTER, True),
    ("cel", "xs[7] == 1 && size(xs) < 8", "n == 1 && n == 2", FILTER, True),
    ("cel", "xs[7] == 1 && xs.exists(v, v == 2)", "xs[7] == 1 && 2 in xs", EQUAL, True),
    ("cel", "xs.exists(v, ys.exists(w, w == v))", "ys.exists(w, xs.exists(v, v == w))", FILTER, False),
    ("cel", "xs.all(v, ys.exists(w, w == v))", "xs.all(v, v in ys)", FILTER, True),
    ("cel", "xs.all(v, ys.exists(w, w > v))", "xs.all(v, ys.exists(w, w >= v))", WIDER, True),
    (
        "cel",
        "xs.exists(v, v == 1) && xs.exists(v, v == 2) && size(xs) == 1",
        "n == 1 && n == 2",
        FILTER,
        True,
    ),
    # arrays in arrays
    ("cel", "aa.exists(v, v.exists(w, w == 1))", "aa.exists(v, 1 in v)", EQUAL, True),
    ("cel", "aa.exists(v, v.exists(v, v == 1))", "aa.exists(v, v.exists(w, w == 2))", CHANGED, True),
    ("cel", "aa.exists(v, v.all(w, w == 1))", "aa.exists(v, 1 in v)", CHANGED, True),
    ("cel", "aa.exists(v, 1 in v && 2 in v)", "aa.exists(v, 1 in v) && aa.exists(v, 2 in v)", WIDER, True),
    ("cel", "aa.all(v, v.exists(w, w == 1)) && [2] in [aa[0]]", "n == 1 && n == 2", FILTER, False),
    ("cel", "rs.exists(r, r.x == 1 && r.tags.exists(g, g == 'a'))", "rs.exists(r, r.x == 1)", WIDER, True),
    (
        "cel",
        "rs.exists(r, r.tags.exists(g, g == 'a') && r.tags.exists(g, g == 'b'))",
        "rs.exists(r, 'a' in r.tags)",
        WIDER,
        True,
    ),
    # decimals beside doubles, and wide ones
    ("sql", "CAST(w AS double) = CAST(0.1 AS double)", "w = 0.1", NARROWER, True),
    ("sql", "CAST(w AS double) > CAST(0.1 AS double)", "w > 0.1", WIDER, True),
    ("sql", "w = b AND b = 0.1", "w = 0.1 AND b = 0.1", NARROWER, False),
    ("sql", "CAST(w AS double) = CAST(1 AS double)", "w = 1", NARROWER, True),
    ("sql", "e > 0.1", "e >= 0.11", EQUAL, True),
    ("sql", "CAST(w AS double) + 0.1e0 = 0.3e0", "w = 0.2", DISJOINT, False),
    ("sql", "CAST(w AS decimal(12,2)) + 0.1 = 0.3", "CAST(w AS decimal(12,2)) = 0.2", EQUAL, False),
    # doubles
    ("sql", "b * 49 = 1", "FALSE", NEVER, False),
    ("sql", "b + 1 = b AND b < 1e300 AND b > -1e300", "FALSE", NEVER, False),
    ("sql", "b > 1e308 AND b < 1.1e308 AND b * 10 > 1.7e308", "b > 1e308 AND b < 1.1e308", EQUAL, False),
    ("sql", "b > 0 AND b * b = 0", "FALSE", NEVER, False),
    ("sql", "b >= 1 OR b < 1", "b IS NOT NULL", FILTER, True),
    ("cel", "b >= 1.0 || b < 1.0", "b != null", WIDER, True),
    ("sql", "NOT (b > 1)", "b <= 1", EQUAL, True),
    ("cel", "!(b > 1.0)", "b <= 1.0", NARROWER, True),
    ("sql", "b = b", "b IS NOT NULL", FILTER, True),
    ("cel", "b == b", "b != null", WIDER, True),
    ("sql", "b * 0 = 0", "b IS NOT NULL", WIDER, True),
    ("cel", "1.0 / b > 0.0", "b > 0.0", CHANGED, True),
    (
        "cel",
        "j.a < 1.7976931348623157e308",
        "j.a < 1.7976931348623157e308 || j.a > 1.7976931348623157e308",
        WIDER,
        True,
    ),
    # whole numbers
    (
        "sql",
        "n = b AND b = 9007199254740992",
        "n = 9007199254740992 AND b = 9007199254740992",
        NARROWER,
        True,
    ),
    ("sql", "n > CAST(9007199254740992 AS double)", "n > 9007199254740992", WIDER, True),
    ("sql", "n + 1 > n", "n IS NOT NULL", WIDER, True),
    ("sql", "abs(n) >= 0", "n IS NOT NULL", WIDER, True),
    ("sql", "n % -1 = 0", "n IS NOT NULL", FILTER, True),
    ("sql", "CAST(s AS bigint) = 7", "s = '7'", NARROWER, True),
    # names
    ("sql", '"length xs" = -1 AND size(xs) = 2', "size(xs) = 2", WIDER, True),
    ("sql", '"null n" AND n = 1', '"null n"', WIDER, True),
    ("spark", "`xs[0]` = 1 AND xs[0] = 2", "FALSE", NEVER, True),
    ("sql", "\"m['k']\" = 'a' AND m['k'] = 'b'", "FALSE", NEVER, True),
    ("sql", '"n!1" = 1 AND v1 = 2 AND n = 3', "FALSE", NEVER, True),
    ("sql", '"a (b) :c" = 1 AND n = 2', '"N\'" = 1 AND n = 2', CHANGED, True),
    # texts
    ("sql", "s IS NOT NULL AND n < -1 AND substring(s, 2, n) IS NULL", "FALSE", NEVER, True),
    ("sql", "length(s) = 1 AND s > '\U0002ffff'", "FALSE", NEVER, False),
    ("sql", "s RLIKE '^[\\x{30000}-\\x{3FFFF}]$'", "FALSE", NEVER, False),
    ("sql", "length(s) = 1", "s LIKE '_'", EQUAL, True),
    ("sql", "lower(s) = 'k'", "s IN ('k', 'K')", EQUAL, True),
    ("sql", "s ILIKE 'k'", "lower(s) = 'k'", NARROWER, True),
    ("sql", "position('' IN s) = 1", "s IS NOT NULL", FILTER, True),
    # moments
    ("sql", "t + INTERVAL 1 DAY > t", "t IS NOT NULL", WIDER, True),
    ("sql", "date_trunc('week', t) <= t", "t IS NOT NULL", FILTER, True),
    ("sql", "date_add(d, 1) > d", "d IS NOT NULL", WIDER, True),
    # parameters
    ("sql :k", "k IS NULL OR n = k", "n = k", NARROWER, True),
    ("sql :k", "n > k", "n >= k", WIDER, True),
]

_LONG = [0, 1, 7, 8, 999, 1000, 1001, 1200, 1550, 1999, 2000, 2600, 3000]
_SMALL = [0, 1, 2, 7, None]


def _arrays() -> list[Any]:
    chance = random.Random(1)
    found: list[Any] = [
        [],
        [0],
        [1],
        [1, 2],
        [1, 2, None],
        [2, 2, 2, 2],
        list(range(8)),
        list(range(9)),
        [*range(7), 1],
        [7] * 8,
        [0, 0, 0, 0, 0, 0, 0, 1, 2],
    ]
    found += [[chance.choice(_SMALL) for _ in range(chance.randrange(6))] for _ in range(12)]
    return found + [[chance.choice([1, 1, 3])] * length for length in _LONG]


_XS = _arrays()
_TEXTS: list[Any] = [
    "",
    "a",
    "A",
    "k",
    "K",
    "\u212a",
    "7",
    "007",
    "-7",
    "ab",
    "\n",
    "\U0002ffff",
    "\U00030000",
    "\U00035555",
    "\U0010ffff",
]
_TIMES = [
    datetime(1, 1, 1, tzinfo=UTC),
    datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    datetime(2024, 2, 29, 1, tzinfo=UTC),
    datetime(9999, 12, 31, tzinfo=UTC),
]
_FINE = [
    Decimal(text)
    for text in (
        "0",
        "0.1",
        "0.10000000000000000001",
        "0.2",
        "0.20000000000000000001",
        "0.19999999999999999999",
        "1",
        "1.00000000000000000001",
        "123456789012345678.12345678901234567890",
    )
]
POOLS: dict[str, list[Any]] = {
    "bigint": [0, 1, -1, 2, 3, 7, -5, 2**53, 2**53 + 1, 2**63 - 1, -(2**63)],
    "double": [
        0.0,
        -0.0,
        1.0,
        0.1,
        2.0,
        -1.5,
        1e16,
        1e-200,
        1.05e308,
        1e300,
        float(2**53),
        1 / 49,
        float("nan"),
        float("inf"),
        float("-inf"),
    ],
    "string": _TEXTS,
    "boolean": [True, False],
    "timestamp": _TIMES,
    "date": [date.min, date.max, date(2024, 2, 29)],
    "decimal(38,20)": _FINE,
    "decimal(15,2)": [Decimal("0.1"), Decimal("0.11"), Decimal(0), Decimal("-3.5")],
    "array<bigint>": _XS,
    "array<string>": [[], ["a"], ["a", None], *(["a"] * length for length in _LONG)],
    "array<array<bigint>>": [
        [],
        [[]],
        [[1]],
        [[2]],
        [[1], [2]],
        [[1, 2]],
        [None, [1, None]],
        [[2], [1]],
        [[1] * 1550],
        [[1] * 1700],
        [[3], [1, 1]],
    ],
    "array<struct<x: bigint, tags: array<string>>>": [
        [],
        [{"x": 1, "tags": ["a"]}],
        [{"x": 1, "tags": ["b"]}],
        [{"x": 1}],
        [{"x": 2, "tags": ["a", "b"]}],
        [{"x": 1}, {"x": 2, "tags": ["a"]}],
        [None],
    ],
    "map<string, string>": [{}, {"k": "a"}, {"k": "b"}],
    "json": [{"a": 1}, {"a": 10**400}, {"a": -(10**400)}, {"a": "x"}, {}, 1, [1], {"a": None}],
}


def rows(before: Node, after: Node, count: int = 1500) -> Iterator[dict[str, Any]]:
    """Rows of the fields (and parameters, under ":name") that two predicates read: all combinations, or so
    many of them by chance.
    """
    kinds: dict[str, Type] = {
        name: decl.type for node in (before, after) for name, decl in fields_of(node).items()
    }
    kinds |= {f":{name}": decl.type for node in (before, after) for name, decl in params_of(node).items()}
    sizes = any(
        isinstance(part, Call) and part.op == "size" for node in (before, after) for part in walk(node)
    )
    pools = [
        [
            *(value for value in POOLS[str(kind)] if sizes or not isinstance(value, list) or len(value) < 20),
            None,
        ]
        for kind in kinds.values()
    ]
    total = 1
    for pool in pools:
        total *= len(pool)
    if total <= count:
        yield from (dict(zip(kinds, values, strict=True)) for values in itertools.product(*pools))
        return
    chance = random.Random(5)
    for _ in range(count):
        yield {name: chance.choice(pool) for name, pool in zip(kinds, pools, strict=True)}
