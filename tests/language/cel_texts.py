"""Generated CEL expressions over declared names, and rows for them: what Google's implementation and predicat
must answer alike.

Texts that convert to numbers and times are those that all implementations of CEL read alike: no spaces, signs
or hexadecimal digits. (A NaN
that is computed has a sign, which Google's implementation writes; a key that stands twice ends its
evaluation, whatever is beside it.)
"""

from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from hypothesis import strategies as st

from tests.texts import tables_of

# Parts of expressions, by the language and by their kind.
SPELLINGS = tables_of(__file__, "spellings")
FIELDS = {
    "a": "bigint",
    "c": "bigint",
    "d": "double",
    "f": "double",
    "s": "string",
    "o": "string",
    "b": "boolean",
    "g": "boolean",
    "xs": "array<bigint>",
    "ss": "array<string>",
    "m": "map<string, string>",
    "t": "timestamp",
    "j": "json",
}

_integers = [0, 1, -1, 2, 3, 7, 2**62, 2**63 - 1, -(2**63)]
_doubles = [
    0.0,
    -0.0,
    1.0,
    1.5,
    -2.5,
    1e300,
    -1e300,
    2.0**53,
    2.0**63,
    -(2.0**63),
    float("nan"),
    float("inf"),
    float("-inf"),
]
_texts = [
    "",
    "a",
    "abc",
    "é",
    "éa😀",
    "12",
    "-3",
    "true",
    "1.5",
    "%",
    "\\",
    "a,b",
    "A b ",
    "2020-01-02T03:04:05Z",
    "\u212a",
    "1h30m",
    "-1.5s",
    ".5us0.5us",
    "0",
]
_moments = [
    datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC),
    datetime(1970, 1, 1, tzinfo=UTC) - timedelta(milliseconds=1),
    datetime(2024, 2, 29, 12, tzinfo=UTC),
]
_documents: list[dict[str, Any]] = [
    {},
    {"k": "a", "n": 2, "b": True, "xs": ["a", "b"], "o": {"k": "v", "n": 1.5}},
    {"k": 3, "n": "x", "b": "true", "xs": [1, "a", False], "o": ["k"], "12": "a"},
    {"k": "", "n": -0.5, "b": False, "xs": [], "o": {}},
    {"k": {"k": "a"}, "xs": [{"k": 1}, {"k": "a"}], "o": {"o": {"k": "a"}}, "n": 2**53},
    {"k": ["a"], "xs": "a", "n": True},
    {"k": "12", "n": "1.5", "b": "x", "xs": ["true", "-3"], "o": {"k": "2"}},
]
rows: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        **dict.fromkeys("ac", st.sampled_from(_integers)),
        **dict.fromkeys("df", st.sampled_from(_doubles)),
        **dict.fromkeys("so", st.sampled_from(_texts)),
        **dict.fromkeys("bg", st.booleans()),
        "xs": st.lists(st.sampled_from(_integers), max_size=3),
        "ss": st.lists(st.sampled_from(_texts), max_size=3),
        "m": st.dictionaries(st.sampled_from(["k", "a", ""]), st.sampled_from(_texts), max_size=2),
        "t": st.sampled_from(_moments),
        "j": st.sampled_from(_documents),
    }
)


def _said(value: object) -> str:
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\") + '"'
    return repr(value)


def written(
    *shapes: tuple[str, st.SearchStrategy[str], *tuple[st.SearchStrategy[str], ...]] | str,
) -> st.SearchStrategy[str]:
    """Texts of some shapes, each with its `{}` filled in."""
    found = [
        st.just(shape)
        if isinstance(shape, str)
        else st.tuples(*shape[1:]).map(lambda parts, shape=shape: shape[0].format(*parts))
        for shape in shapes
    ]
    return st.one_of(found)


_signs = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
_zones = st.sampled_from(["", '"Europe/Paris"', '"-03:30"', '"UTC"'])
_parts = st.sampled_from(SPELLINGS["cel"]["parts"])
_durations = st.sampled_from(SPELLINGS["cel"]["durations"])
_every = st.sampled_from(["exists", "all", "exists_one"])
_mixed = st.sampled_from(SPELLINGS["cel"]["mixed"])
_tests = st.sampled_from(SPELLINGS["cel"]["tests"])
_paths = st.sampled_from(SPELLINGS["cel"]["paths"])
_of_keys = st.sampled_from(SPELLINGS["cel"]["of_keys"])
_written = st.sampled_from(SPELLINGS["cel"]["written"])
# Values of several types: a choice between two of them is refused, or what is done with it is done with
# each.
_kinds = st.sampled_from(SPELLINGS["cel"]["kinds"])
_extremes = st.sampled_from(["greatest", "least"])
_optional_texts = st.sampled_from(["m.?k", "m[?o]", "m[?s]", "ss[?0]", "ss[?a]", "m.?zz.or(m.?a)"])
_optionals = st.sampled_from(SPELLINGS["cel"]["optionals"])
_constants = st.sampled_from(['"a"', '"v"', "2", "1.5", "true", '""', "s", "a", "d"])


@cache
def integers(depth: int) -> st.SearchStrategy[str]:
    leaves = st.sampled_from(["a", "c", *(str(value) for value in _integers)])
    if not depth:
        return leaves
    n, s, x = integers(depth - 1), texts(depth - 1), lists(depth - 1)
    return leaves | written(
        ("({} {} {})", n, st.sampled_from("+-*/%"), n),
        ("-({})", n),
        ("size({})", s),
        ("size({})", x),
        "size(m)",
        ("int({})", s),
        ("int({})", doubles(depth - 1)),
        ("({} ? {} : {})", booleans(depth - 1), n, n),
        ("{}[{}]", x, n),
        ("{}.indexOf({})", s, s),
        ("{}.lastIndexOf({})", s, s),
        ("t.get{}({})", _parts, _zones),
        "int(t)",
        ("math.{}({}, {})", _extremes, n, n),
        ("math.{}([{}, 3, {}])", _extremes, n, n),
        ("math.{}({})", st.sampled_from(["abs", "sign"]), n),
        ("cel.bind(a, {}, {})", n, n),
        ("cel.bind(x, {}, (x {} x))", n, st.sampled_from("+-*/%")),
        ("{}.orValue({})", st.sampled_from(["xs[?a]", "xs[?1]"]), n),
        ("{}.get{}()", _durations, st.sampled_from(["Hours", "Minutes", "Seconds", "Milliseconds"])),
    )


@cache
def doubles(depth: int) -> st.SearchStrategy[str]:
    leaves = st.sampled_from(
        ["d", "f", "0.0", "-0.0", "1.0", "0.5", "-2.5", "1e300", "1e-300", "9007199254740993.0"]
    )
    if not depth:
        return leaves
    x = doubles(depth - 1)
    return leaves | written(
        ("({} {} {})", x, st.sampled_from("+-*/"), x),
        ("-({})", x),
        ("double({})", integers(depth - 1)),
        ("double({})", texts(depth - 1)),
        ("math.{}({}, {}, d)", _extremes, x, x),
        ("math.{}({})", st.sampled_from(["abs", "sign", "ceil", "floor", "trunc", "round"]), x),
        ("cel.bind(d, {}, (d + f))", x),
        ("({} ? {} : {})", booleans(depth - 1), x, x),
    )


@cache
def texts(depth: int) -> st.SearchStrategy[str]:
    leaves = st.sampled_from(["s", "o", *map(_said, _texts)])
    if not depth:
        return leaves
    x, n = texts(depth - 1), integers(depth - 1)
    return leaves | written(
        ("({} + {})", x, x),
        ("{}.lowerAscii()", x),
        ("{}.upperAscii()", x),
        ("{}.trim()", x),
        ("{}.charAt({})", x, n),
        ("{}.substring({})", x, n),
        ("{}.replace({}, {})", x, x, x),
        ('{}.replace("a", {}, 1)', x, x),
        ("string({})", n),
        ("string({})", booleans(depth - 1)),
        ("string(double({}))", n),
        "string(1.5)",
        "string(t)",
        ("string({})", _durations),
        ("({} ? {} : {})", booleans(depth - 1), x, x),
        ("m[{}]", x),
        "m.k",
        ("{}.orValue({})", _optional_texts, x),
        ("{}.optMap(x, x + o).orValue({})", _optional_texts, x),
        ("cel.bind(s, {}, {})", x, x),
        ("ss[{}]", n),
        ("ss.join({})", x),
        ('{}.split("a", 2).join({})', x, x),
    )


@cache
def lists(depth: int) -> st.SearchStrategy[str]:
    leaves = st.sampled_from(["xs", "[1, 2, 3]", "[a, c]"])
    if not depth:
        return leaves
    x = lists(depth - 1)
    return leaves | written(
        ("({} + {})", x, x),
        ("{}.filter(x, {})", x, st.sampled_from(["x > 1", "x % 2 == 0", "1 / x > 0", "x < a"])),
        ("{}.map(x, {})", x, st.sampled_from(["x + 1", "x * x", "10 / x"])),
    )


@cache
def booleans(depth: int) -> st.SearchStrategy[str]:
    if not depth:
        return written(
            "b",
            "g",
            "true",
            "false",
            ("({} {} {})", integers(0), _signs, integers(0)),
            ("({} {} {})", texts(0), _signs, texts(0)),
            ("({} {} {})", doubles(0), _signs, doubles(0)),
        )
    x, n, s, e = booleans(depth - 1), integers(depth - 1), texts(depth - 1), lists(depth - 1)
    tests = st.sampled_from(["x > 1", "x == a", "1 / x > 0", "x % 2 == 0"])
    return written(
        ("({} && {})", x, x),
        ("({} || {})", x, x),
        ("!({})", x),
        ("({} {} {})", n, _signs, n),
        ("({} {} {})", s, _signs, s),
        ("({} {} {})", x, _signs, x),
        ("({} {} {})", doubles(depth - 1), _signs, doubles(depth - 1)),
        ("({} {} {})", n, _signs, doubles(depth - 1)),
        ("({} in {})", n, e),
        ("({} in ss)", s),
        ("({} in [s, o])", s),
        ("({} in m)", s),
        ("{}.{}({})", s, st.sampled_from(["startsWith", "endsWith", "contains"]), s),
        ("{}.matches({})", s, st.sampled_from(['"^a"', '"[0-9]+"', '"b$"', '"(?i)a."'])),
        ("{}.{}(x, {})", e, _every, tests),
        ("({} ? {} : {})", x, x, x),
        "has(m.k)",
        ("bool({})", s),
        ("(timestamp({}) {} t)", texts(0), _signs),
        ("({} == {})", e, e),
        ('({}.split(",") == ss)', s),
        (
            '(t + duration("{}") {} timestamp("2020-01-02T03:04:05Z"))',
            st.sampled_from(["1h", "-90m", "24h", "1.5s"]),
            _signs,
        ),
        ("{}.{}(x, {})", _mixed, _every, _tests),
        ("({} in {})", n | s, _mixed.filter(lambda items: "null" not in items)),
        ("({} {} {})", _durations, _signs, _durations),
        (
            "xs.{}(x, {}.{}(y, {}))",
            _every,
            e,
            _every,
            st.sampled_from(["y == x + 1", "x / y > 0", "y > x || 1 / x > 0", "x == a"]),
        ),
        ("m.{}(k, {})", _every, st.sampled_from(["m[k] == s", "k != o", "k in ss", "m[o] == k"])),
        ("ss.{}(x, {})", _every, st.sampled_from(["x.startsWith(s)", "x < o", "m[x] == s", "x in m"])),
        ("(timestamp({}) {} t)", n, _signs),
        ('(t {} {} {} timestamp("2020-01-01T00:00:00Z"))', st.sampled_from("+-"), _durations, _signs),
        ("(dyn({}) {} dyn({}))", n, _signs, doubles(depth - 1)),
        ("(dyn({}) {} {})", s, st.sampled_from(["==", "!=", "<"]), n),
        ("(m == {})", st.sampled_from(['{"k": s}', "{}", '{"k": "v", "a": o}', "m", "{o: s}"])),
        (
            "(ss.{} == {})",
            st.sampled_from(["map(x, x + s)", "filter(x, x > s)"]),
            st.sampled_from(["ss", "[s]", "[]", "[s, o]"]),
        ),
        ("({} == {})", _mixed, _mixed),
        ('{}["k"] == {}', _mixed, s),
        ("({} {} {})", _paths, _signs, _constants),
        ("({} {} {})", _constants, _signs, _paths),
        ("has({})", st.sampled_from(["j.k", "j.zz", "j.o"])),
        ('("k" in {})', _paths),
        ("({} in {})", _constants, _paths),
        ("({} in [{}, {}])", _paths, _constants, _constants),
        ("{}.startsWith({})", _paths, s),
        ("({} {} {})", _paths, st.sampled_from(["==", "!="]), _written),
        ("(int({}) {} 2)", _paths, _signs),
        ("(double({}) {} 1.5)", _paths, _signs),
        ("bool({})", _paths),
        ("(size({}) {} 1)", _paths, _signs),
        ("j.xs.{}(x, x == {})", _every, _constants),
        ("j.xs.{}(x, x.k == {})", _every, _constants),
        ("({} && {})", _paths, x),
        ("{}.{}(k, {})", st.sampled_from(["j", "j.o", "j.k", "j.xs", "j.zz", "j.o.o"]), _every, _of_keys),
        (
            "(j.{}.size() {} 1)",
            st.sampled_from(["map(k, k)", "filter(k, k != s)", "filter(k, j[k] == 2)"]),
            _signs,
        ),
        ("(({} ? {} : {}) {} {})", x, _kinds, _kinds, _signs, _constants),
        ("({} {} ({} ? {} : {}))", _constants, _signs, x, _kinds, _kinds),
        ("(({} ? {} : ({} ? {} : {})) == {})", x, _kinds, x, _kinds, _kinds, _constants),
        ("size({} ? {} : {}) == 1", x, _kinds, _kinds),
        ("(({} ? {} : {}) || {})", x, _kinds, _kinds, x),
        ("({} ? {} : {}).startsWith({})", x, _kinds, _kinds, s),
        ("(({} ? {} : {}) in [{}, {}])", x, _kinds, _kinds, _constants, _constants),
        ("[{} ? {} : {}].exists(x, x == {})", x, _kinds, _kinds, _constants),
        ("cel.bind({}, {}, {})", st.sampled_from(["b", "x"]), x, x),
        ("cel.bind(xs, {}, {})", e, x),
        ("{}.exists(x, cel.bind(a, x, {}))", e, x),
        ("cel.bind(c, j, {} == {})", _paths, _constants),
        ("math.{}({})", st.sampled_from(["isNaN", "isInf", "isFinite"]), doubles(depth - 1)),
        ("math.{}({}, {}) {} {}", _extremes, n, doubles(depth - 1), _signs, n),
        ("{}.hasValue()", _optionals),
        ("{}.orValue({}) {} {}", _optionals, _constants, _signs, _constants),
        ("{}.or({}).orValue({}) == {}", _optionals, _optionals, _constants, _constants),
        ("{}.optMap(x, {}).orValue({})", _optionals, x, x),
        ("j.?xs.orValue({}).{}(x, x == {})", st.sampled_from(["[]", "ss", '["a", s]']), _every, _constants),
        ("{}.value() == {}", _optionals, _constants),
        ("optional.of({}).hasValue()", n),
        ("({} ? {} : [a, 2]).{}(x, {})", x, e, _every, tests),
        ("({} ? xs : {}) == {}", x, e, e),
        ("({} || {})", x, _paths),
        ("!{}", _paths),
        ("({} ? b : {})", _paths, x),
        ("({} || true)", n),
        ("(false && {})", s),
        ("(true ? {} : {})", x, n),
    )
