"""MongoDB's query documents by mingo in node. `python -m tests.oracles.mongo_queries`

Generated queries and those of the corpus run on the same documents, undeclared and declared. Where mingo is
known to differ from MongoDB, the manual is followed.
"""

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from hypothesis import strategies as st

from tests.oracles import npm
from tests.oracles.rules import Oracle, generated, written

LIBRARY = ("mingo", "7.2.7", "49902e269eaf7756353101126bde77d8baf88afa69ee5a421db9056e8428c8b8")
PROGRAM = """
const {Query} = require("./cjs/index.js");
const answer = (query, row) => {
  try { return new Query(query).test(row); } catch (error) { return "error"; }
};
const cases = JSON.parse(require("fs").readFileSync(0));
process.stdout.write(JSON.stringify(cases.map(([query, rows]) => rows.map((row) => answer(query, row)))));
"""
FIELDS = {
    "n": "bigint",
    "d": "double",
    "s": "string",
    "b": "boolean",
    "xs": "array<bigint>",
    "ss": "array<string>",
    "st": "struct<x: bigint, y: string>",
    "it": "array<struct<q: bigint, w: string>>",
    "j": "json",
}
_VALUES: Mapping[str, list[Any]] = {
    "n": [None, 0, 1, 5, -7, 9],
    "d": [None, 0.0, 2.5, -1.0, 5.0],
    "s": [None, "", "a", "5", "abc", "xa"],
    "b": [None, True, False],
    "xs": [None, [], [1], [0, 5], [9, -7, 5]],
    "ss": [None, [], ["a"], ["5", ""], ["abc", "x"]],
    "st": [None, {"x": 5, "y": "a"}, {"y": ""}, {"x": 0}],
    "it": [None, [], [{"q": 1, "w": "a"}], [{"q": 5}, {"q": 1, "w": "abc"}]],
    "j": [
        {"k": 1, "t": ["a", 5], "o": [{"q": 1}, {"q": 5, "w": "a"}, {}]},
        {"k": "5", "t": "abc", "o": []},
        {"k": True, "t": [1, 2.5, None, False], "o": "x"},
        {"k": None, "t": None, "o": None},
        {"k": ["a", "abc"], "t": [["a"], 5], "o": {"q": [1, 5]}},
        {"k": {"l": 1}, "o": [{"q": "a"}, 5, None]},
        {"k": 0, "t": [], "o": [{"q": None}, {"q": [5]}]},
        {},
        None,
    ],
}
ROWS = [
    {name: found[(row * 7 + place * row) % len(found)] for place, (name, found) in enumerate(_VALUES.items())}
    for row in range(20)
]
_PATHS = (
    "n",
    "d",
    "s",
    "b",
    "xs",
    "ss",
    "st.x",
    "st.y",
    "it.q",
    "it.w",
    "j.k",
    "j.t",
    "j.o.q",
    "j.o.w",
    "j.zz",
    "xs.1",
    "j.t.0",
)
_constants = st.sampled_from([0, 1, 5, -7, 2.5, "", "a", "5", "abc", True, False, None])
_ordered = st.sampled_from([0, 1, 5, 2.5, "a", "abc"])


def _operator(name: str, value: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return value.map(lambda one: {name: one})


_tests = st.one_of(
    _constants,
    *(_operator(name, _constants) for name in ("$eq", "$ne")),
    *(_operator(name, _ordered) for name in ("$lt", "$lte", "$gt", "$gte")),
    *(_operator(name, st.lists(_constants, max_size=3)) for name in ("$in", "$nin")),
    _operator("$all", st.lists(_constants, max_size=2)),
    _operator("$exists", st.booleans()),
    _operator("$size", st.integers(0, 2)),
    _operator("$mod", st.sampled_from([[4, 1], [2, 0], [-3, -1]])),
    _operator("$type", st.sampled_from(["string", "number", "bool", "array", "object", "null", 2, 10])),
    st.builds(
        lambda pattern, options: {"$regex": pattern, **({"$options": options} if options else {})},
        st.sampled_from(["^a", "B", "c$", "[0-9]", ""]),
        st.sampled_from(["", "i"]),
    ),
    st.builds(lambda low, high: {"$gt": low, "$lte": high}, _ordered, _ordered),
)
_leaves = st.one_of(
    st.builds(lambda path, test: {path: test}, st.sampled_from(_PATHS), _tests),
    st.builds(lambda path, test: {path: test}, st.sampled_from(_PATHS), _tests),
    st.builds(
        lambda path, test: {path: {"$not": test}},
        st.sampled_from(_PATHS),
        _tests.filter(lambda test: isinstance(test, dict)),
    ),
    st.builds(
        lambda path, low, high: {path: {"$elemMatch": {"$gte": low, "$lt": high}}},
        st.sampled_from(["xs", "ss", "j.t", "j.k", "s"]),
        _ordered,
        _ordered,
    ),
    st.builds(
        lambda path, one, other: {path: {"$elemMatch": {"q": one, "w": other}}},
        st.sampled_from(["it", "j.o"]),
        _tests,
        _tests,
    ),
    st.builds(lambda one, other: {"n": one, "s": other}, _tests, _tests),
)
QUERIES = st.recursive(
    _leaves,
    lambda inner: st.builds(
        lambda name, parts: {name: parts},
        st.sampled_from(["$and", "$or", "$nor"]),
        st.lists(inner, min_size=1, max_size=2),
    ),
    max_leaves=3,
)


# Extended JSON and comments, which mingo does not read.
_EXTENDED = r"\$(date|number|comment)"


def present(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row as mingo gets it: a column without a value is absent."""
    return {name: value for name, value in row.items() if value is not None}


def operators(query: Any) -> Iterator[tuple[str, Any]]:
    """The keys of a query at every depth, with their values."""
    if isinstance(query, dict):
        for key, value in query.items():
            yield key, value
            yield from operators(value)
    if isinstance(query, list):
        for part in query:
            yield from operators(part)


def reads(query: Any, row: Mapping[str, Any]) -> list[Any]:
    """What the first parts of the paths of a query lead to."""
    document = row.get("j") or {}
    paths = [key.split(".") for key, _ in operators(query) if not key.startswith("$")]
    return [document.get(path[1]) if path[0] == "j" else row.get(path[0]) for path in paths]


# Where mingo differs from MongoDB: an operator (none: any), and which values are there.
REASONS: tuple[tuple[str, str, Callable[[Any], bool]], ...] = (
    ("$all of one value matches a value that is no array", "$all", lambda read: not isinstance(read, list)),
    ("$type is also asked of the elements of an array", "$type", lambda read: isinstance(read, list)),
    (
        "$size is not asked of what a path through an array finds",
        "$size",
        lambda read: isinstance(read, list),
    ),
    ("an absent field is at least and at most null", 'te": null', lambda read: not isinstance(read, list)),
    ("$mod takes the whole part of a number, and no strings", "$mod", lambda read: not isinstance(read, int)),
    (
        "$elemMatch compares documents, or elements themselves",
        "$elemMatch",
        lambda read: isinstance(read, list),
    ),
    (
        "an array in an element of an array is opened, also beside an element without",
        "",
        lambda read: (
            isinstance(read, list)
            and any(isinstance(one, dict) and list in map(type, one.values()) for one in read)
        ),
    ),
    (
        "null is equal to a member that an element of an array lacks",
        "null",
        lambda read: isinstance(read, list) and dict in map(type, read),
    ),
)


def reason(query: Any, row: Mapping[str, Any]) -> str | None:
    """Why the result of a query may differ from mingo's."""
    text, found = json.dumps(query), reads(query, row)
    return next((why for why, word, test in REASONS if word in text and any(map(test, found))), None)


def main(count: int = 4000) -> int:
    """The number of differences that are wrong or unexplained."""
    folder = npm.package(*LIBRARY)
    oracle = Oracle("mongodb", "MongoDB", present, partial(npm.answers, folder, PROGRAM), reason)
    queries = [(query, ROWS, FIELDS) for query in generated(QUERIES, count)]
    return oracle.compare([*queries, *written("mongodb", lambda text: not re.search(_EXTENDED, text))])


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])) > 0)
