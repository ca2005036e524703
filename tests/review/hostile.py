"""Pairs of predicates that are hard to judge: what the evaluator says of rows chosen for each type decides
what a verdict may be.

The pairs are those of hostile.yml, and some that are generated. In the language `sql :k` the field k is a
parameter. The verdicts were found by trying rows by hand and by brute force.
"""

import itertools
import random
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml

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

FILE = Path(__file__).with_suffix(".yml")
_EIGHT = " && ".join(f"xs.exists(v, v == {number})" for number in range(9))
_ANY = " || ".join(f"{number} in xs" for number in range(12))

PAIRS = [
    *(
        (language, before, after, verdict, decided == "decided")
        for language, before, after, verdict, decided in yaml.safe_load(FILE.read_text(encoding="utf-8"))
    ),
    ("cel", _EIGHT, "n == 1 && n == 2", "never", True),
    ("cel", _ANY, f"{_ANY} || 13 in xs", "wider", True),
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
