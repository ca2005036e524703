"""JsonLogic by its own library in node, and by the tests of jsonlogic.com. `python -m
tests.oracles.json_rules`

Generated rules and those of the corpus run on the same rows, undeclared and declared. A column without a
value is a key that is absent. The tests of jsonlogic.com are in its repository (branch gh-pages).
"""

import json
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product
from typing import Any

from hypothesis import strategies as st

import predicat
from tests.oracles import checkout, npm
from tests.oracles.rules import Oracle, generated, written

LIBRARY = ("json-logic-js", "2.0.5", "6d42f5c6de35fa199c322fcdcaccc0c1eca0868c4859dc44dc232e4d615250dc")
# The operators of flagd and react-querybuilder, as their documentation has them; `versions` has `sem_ver`.
PROGRAM = """
const logic = require("./logic.js");
const affix = (name) => (a, b) => typeof a === "string" && typeof b === "string" ? a[name](b) : null;
for (const name of ["starts_with", "startsWith"]) logic.add_operation(name, affix("startsWith"));
for (const name of ["ends_with", "endsWith"]) logic.add_operation(name, affix("endsWith"));
console.log = () => {};
const answer = ([rule, row]) => {
  try { return logic.truthy(logic.apply(rule, row)); } catch (error) { return "error"; }
};
const cases = JSON.parse(require("fs").readFileSync(0));
process.stdout.write(JSON.stringify(cases.map(([rule, rows]) => rows.map((row) => answer([rule, row])))));
"""
SUITE = "jwadhams+json-logic"
SEMVER = ("semver", "7.8.6", "c6584c324e8b1e5d0403c6c16ee2b25dd61567c13f0449a58820350c21cd71bf")
COMPARE_VERSIONS = """
const s = require(".");
const tests = {
  "=": s.eq, "!=": s.neq, "<": s.lt, "<=": s.lte, ">": s.gt, ">=": s.gte,
  "^": (a, b) => s.major(a) === s.major(b),
  "~": (a, b) => s.major(a) === s.major(b) && s.minor(a) === s.minor(b),
};
const cases = JSON.parse(require("fs").readFileSync(0));
const answer = ([one, op, other]) => s.valid(one) !== null && one.trim() === one && tests[op](one, other);
process.stdout.write(JSON.stringify(cases.map(answer)));
"""
FIELDS = {
    "n": "bigint",
    "d": "double",
    "s": "string",
    "u": "string",
    "b": "boolean",
    "xs": "array<bigint>",
    "ss": "array<string>",
    "st": "struct<x: bigint, y: string>",
    "m": "map<string, string>",
    "j": "json",
}
_DOCUMENTS: list[Any] = [
    {"k": 1, "t": ["a", "5"], "o": [{"q": 1}, {"q": 7, "w": "a"}, {}]},
    {"k": "5", "t": "abc", "o": []},
    {"k": True, "t": [1, 2.5, None, False], "o": "x"},
    {"k": None, "t": None, "o": None},
    {"k": "", "t": "", "o": [None, {"q": None}]},
    {"k": " 2.5 ", "t": "x5", "o": [{"q": "7"}]},
    {"k": "x", "o": [{"q": 0}]},
    {"k": 0, "t": [], "o": [{"q": False}]},
    {"k": -2.5},
    {},
    None,
]
_VALUES: Mapping[str, list[Any]] = {
    "n": [None, 0, 1, 5, -7, 10],
    "d": [None, 0.0, 2.5, -1.0, 5.0, 1e300],
    "s": [None, "", "a", "5", "abc", " 2.5 ", "null", "x5"],
    "u": [None, "abc", "", "5", "a", "true"],
    "b": [None, True, False],
    "xs": [None, [], [1], [0, 5, None], [7, -7]],
    "ss": [None, [], ["a"], ["5", "", None], ["abc", "x"]],
    "st": [None, {"x": 5, "y": "a"}, {"x": None, "y": ""}],
    "m": [None, {}, {"k": "a"}, {"k": "5", "l": ""}],
    "j": _DOCUMENTS,
}
ROWS = [
    {name: found[(row * 7 + place * row) % len(found)] for place, (name, found) in enumerate(_VALUES.items())}
    for row in range(22)
]

_PATHS = ("n", "d", "s", "u", "b", "st.x", "st.y", "m.k", "m.l", "j.k", "j.t", "j.zz.y")
_constants = st.sampled_from([0, 1, 5, -7, 2.5, "", "a", "5", "abc", "2.5", "x", True, False, None])


def _var(path: str, default: Any = ...) -> dict[str, Any]:
    return {"var": path if default is ... else [path, default]}


_vars = st.sampled_from(_PATHS).map(_var) | st.builds(_var, st.sampled_from(_PATHS), _constants)
_operands = _vars | _constants
_plain = st.sampled_from(["n", "st.x", "d"]).map(_var) | st.sampled_from([1, -2, 2.5])


def _of(*names: str) -> st.SearchStrategy[str]:
    return st.sampled_from(names)


def _call(names: st.SearchStrategy[str], *args: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.builds(lambda name, *parts: {name: list(parts)}, names, *args)


_numbers = st.one_of(
    _call(_of("+", "-", "*", "/", "min", "max"), _operands, _operands),
    _call(_of("%"), st.sampled_from([_var("n"), _var("st.x"), 7]), st.sampled_from([2, 3, -2, _var("n")])),
    _call(_of("-", "+"), _operands),
)
_texts = st.one_of(
    _call(_of("cat"), _of("s", "m.k", "n", "b").map(_var), st.sampled_from(["", "-", 5])),
    _call(_of("substr"), _of("s", "u", "n", "b", "st.y").map(_var), st.sampled_from([0, 1, -1, -2, 5])),
    _call(
        _of("substr"),
        _of("s", "u", "m.k").map(_var),
        st.sampled_from([0, 1, -2]),
        st.sampled_from([0, 1, 2, -1]),
    ),
)
_compared = _call(_of("==", "!=", "===", "!==", "<", "<=", ">", ">="), _operands, _operands)
_leaves = st.one_of(
    _compared,
    _compared,
    _call(_of("==", "!=", "<", ">="), _numbers | _texts, _operands),
    _call(_of("<", "<="), _operands, _vars, _operands),
    _call(
        _of("in"),
        _of("s", "u", "n", "m.k").map(_var) | _constants,
        _of("s", "u", "st.y", "xs", "ss", "j.t").map(_var),
    ),
    _call(_of("in"), _operands, st.lists(_constants, max_size=4)),
    _call(_of("in"), _operands, st.sampled_from(["abc", "a5", "2.5 -7", ""])),
    st.lists(st.sampled_from(_PATHS), max_size=3).map(lambda keys: {"missing": keys}),
    st.builds(
        lambda least, keys: {"missing_some": [least, keys]},
        st.integers(0, 3),
        st.lists(st.sampled_from(_PATHS), min_size=1, max_size=3),
    ),
    _call(
        _of("some", "all", "none"),
        _of("xs", "ss", "j.t", "s").map(_var),
        _call(_of("==", ">", "===", "<="), st.just(_var("")), _constants),
    ),
    _call(
        _of("some", "all", "none"),
        st.just(_var("j.o")),
        _call(_of("==", ">", "!="), _of("q", "w").map(_var), _constants),
    ),
    _call(_of("!!", "!"), _vars),
    _call(
        _of("!!"),
        _call(_of("filter"), _of("xs", "j.t").map(_var), _call(_of(">"), st.just(_var("")), _constants)),
    ),
    _call(_of("starts_with", "ends_with"), _vars, st.sampled_from(["a", "", "5", 5])),
    _vars,
)
_values = st.one_of(
    _call(_of("if"), _leaves, _operands, _operands),
    _call(_of("and", "or"), _operands, _leaves, _operands),
)
RULES = st.recursive(
    _leaves | _call(_of("==", "!=", "<", "==="), _values, _operands),
    lambda inner: st.one_of(
        _call(_of("and", "or"), inner, inner),
        _call(_of("!"), inner),
        _call(_of("if", "?:"), inner, inner, inner),
    ),
    max_leaves=4,
)
CONTAINERS = "an array or an object is not converted to a string or a number"


def reason(rule: Any, row: Mapping[str, Any]) -> str | None:
    """Why the result of a rule may differ: `docs/languages.md` has the list."""
    document = row.get("j") or {}
    read = [name for name in ("t", "o", "k") if f'"j.{name}"' in json.dumps(rule)]
    return CONTAINERS if any(isinstance(document.get(name), list | dict) for name in read) else None


def present(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row as the library gets it: a column without a value is absent, also inside of a struct."""
    kept = {name: value for name, value in row.items() if value is not None}
    if "st" in kept:
        kept["st"] = {name: value for name, value in kept["st"].items() if value is not None}
    return kept


def suite() -> Iterator[tuple[Any, list[dict[str, Any]], None]]:
    """The tests of jsonlogic.com over objects: whether the result is the one that they expect."""
    folder = checkout(SUITE)
    for case in json.loads((folder / "tests.json").read_text(encoding="utf-8")) if folder else ():
        if isinstance(case, list) and isinstance(case[1] or {}, dict):
            rule, data, expected = case
            scalar = not isinstance(expected, dict | list)
            yield {"===": [rule, expected]} if scalar else {"!!": [rule]}, [data or {}], None


def main(count: int = 4000) -> int:
    """The number of differences that are wrong or unexplained."""
    folder = npm.package(*LIBRARY)
    oracle = Oracle("jsonlogic", "JsonLogic", present, partial(npm.answers, folder, PROGRAM), reason)
    rules = [(rule, ROWS, FIELDS) for rule in generated(RULES, count)]
    return oracle.compare([*rules, *written("jsonlogic", lambda text: "sem_ver" not in text), *suite()])


def versions() -> int:
    """The number of comparisons of versions that differ from those of npm's own package."""
    endings = ("", "-beta.1", "+b", "-a+b", "-01", "-0a")
    written = [
        f"{one}.{two}.{three}{ending}"
        for one, two, three, ending in product((0, 1, 9, 10, 19, 123), (0, 2, 9, 11), (0, 3, 10), endings)
    ]
    others = ("0.0.0", "1.2.3", "9.9.10", "10.11.0", "19.0.3", "123.2.0")
    operators_ = ("=", "!=", "<", "<=", ">", ">=", "^", "~")
    cases = list(product([*written, "v1.2.3", "1.2", "x", "01.2.3", "1.2.3 "], operators_, others))
    wanted = npm.answers(npm.package(*SEMVER), COMPARE_VERSIONS, cases)
    rules = {
        (op, other): predicat.parse({"sem_ver": [{"var": "s"}, op, other]}, "jsonlogic", {"s": "string"})
        for op, other in product(operators_, others)
    }
    got = [rules[op, other].evaluate({"s": version}) for version, op, other in cases]
    return sum(one is not other for one, other in zip(wanted, got, strict=True))


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])) > 0)
