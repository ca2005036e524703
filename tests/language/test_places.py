"""The place in the text that each operator has: what a caret marks, and what `predicat lint --fix` takes
out.
"""

import pytest

import predicat
from predicat.diagnostics import Source, Span
from predicat.ir import syntax as t
from predicat.ir.nodes import Call, Items, Quantifier, walk
from predicat.language import LANGUAGES
from predicat.language.common.body import Body

FIELDS = {
    "n": "bigint",
    "m": "map<string, string>",
    "s": "string",
    "b": "boolean",
    "xs": "array<bigint>",
    "t": "timestamp",
    "day": "date",
}
PLACES = [
    ("cel", "n in [1, 2]", "in", "n in [1, 2]"),
    ("cel", "n in [1, 2, ] && b", "in", "n in [1, 2, ]"),
    ("cel", "n in [1, 2]", "items", "[1, 2]"),
    ("cel", "n > 1 && size(s) > 2", "gt", "n > 1"),
    ("cel", "size( s ) > 2 && b", "length", "size( s )"),
    ("cel", "s.size() > 2", "length", "s.size()"),
    ("cel", 'm["a"] == "x"', "get", 'm["a"]'),
    ("cel", "has(m.a) && b", "not", "has(m.a)"),
    ("cel", "has( m.a )", "get", "m.a"),
    ("cel", "xs.exists(x, x in [1, 2])", "any", "xs.exists(x, x in [1, 2])"),
    ("cel", "int(s) > -3", "gt", "int(s) > -3"),
    ("cel", "int(s) > 3", "to_int", "int(s)"),
    ("cel", 's == r"a\\d" && b', "eq", 's == r"a\\d"'),
    ("cel", 's.startsWith("a") && b', "starts_with", 's.startsWith("a")'),
    ("cel", 't.getHours("UTC") == 3', "hour", 't.getHours("UTC")'),
    ("cel", "double(n) > 1.5e-3 && b", "gt", "double(n) > 1.5e-3"),
    ("cel", 's.trim() == "b"', "strip", "s.trim()"),
    ("cel", 'm.?k.orValue("x") == "x"', "coalesce", 'm.?k.orValue("x")'),
    ("cel", "b && math.abs( n ) > 1", "abs", "math.abs( n )"),
    ("cel", 'm[?s].orValue("") == s', "get", "m[?s]"),
    ("cel", "cel.bind(x, n + 1, x > 2) && b", "add", "n + 1"),
    ("cel", "sets.contains(xs, [n]) && b", "in", "sets.contains(xs, [n])"),
    ("cel", "m.?k.hasValue() && b", "not", "m.?k.hasValue()"),
    ("sql", "b AND n IN (1, 2)", "in", "n IN (1, 2)"),
    ("sql", "s IN ('a', NULL) AND b", "or", "s IN ('a', NULL)"),
    ("sql", "s IS NOT NULL AND b", "not", "s IS NOT NULL"),
    ("sql", "b AND s IS NULL", "is_null", "s IS NULL"),
    ("sql", "(n > 1) AND NOT (n = 2)", "not", "NOT (n = 2)"),
    ("sql", "(n > 1) AND (n < 2)", "and", "(n > 1) AND (n < 2)"),
    ("sql", "s::bigint > 1", "to_int", "s::bigint"),
    ("sql", "m['a'] = 'x'", "get", "m['a']"),
    ("sql", "CASE WHEN b THEN 1 ELSE 2 END = n", "eq", "CASE WHEN b THEN 1 ELSE 2 END = n"),
    ("sql", "CASE n WHEN 1 THEN b ELSE NULL END OR b", "cond", "CASE n WHEN 1 THEN b ELSE NULL END"),
    ("sql", "extract(year FROM t) = 2020", "year", "extract(year FROM t)"),
    ("sql", "n = ANY(xs) AND b", "in", "n = ANY(xs)"),
    ("sql", "day > DATE '2020-01-01' AND b", "gt", "day > DATE '2020-01-01'"),
    ("sql", "DATE '2020-01-01' < day", "lt", "DATE '2020-01-01' < day"),
    ("sql", "b AND day <= CURRENT_DATE AND b", "le", "day <= CURRENT_DATE"),
    ("sql", "CURRENT_TIMESTAMP > t AND b", "gt", "CURRENT_TIMESTAMP > t"),
    ("sql", "t > now() - INTERVAL '1' DAY AND b", "gt", "t > now() - INTERVAL '1' DAY"),
    ("postgres", "t > now() - '7 days'::interval AND b", "gt", "t > now() - '7 days'::interval"),
    ("postgres", "t > now() - '7 days'::interval", "gt", "t > now() - '7 days'::interval"),
    ("sql", "b = TRUE AND n > 1", "eq", "b = TRUE"),
    ("sql", "NOT (b OR (n > 1))", "not", "NOT (b OR (n > 1))"),
    ("spark", "xs[0] > 1 AND b", "gt", "xs[0] > 1"),
    ("sql", "s IN ('(', 'x') AND b", "in", "s IN ('(', 'x')"),
    ("sql", "(n, s) = (1, ')') AND b", "eq", "(n, s) = (1, ')')"),
    ("sql", "(b) IS NOT TRUE AND n > 1", "not", "(b) IS NOT TRUE"),
]


@pytest.mark.parametrize(("language", "text", "op", "place"), PLACES)
def test_places(language: str, text: str, op: str, place: str) -> None:
    node = predicat.parse(text, language, FIELDS).node
    names = {Items: lambda _: "items", Quantifier: lambda part: part.kind, Call: lambda part: part.op}
    assert (
        next(part.span.text for part in walk(node) if type(part) in names and names[type(part)](part) == op)
        == place
    )


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("dep_delay >= :minutes AND x > :min", [(13, ":minutes"), (30, ":min")]),
        ("s = ':q' AND x > :q", [(17, ":q")]),
        ("x > :q -- not :q\n AND y < :q", [(4, ":q"), (26, ":q")]),
    ],
)
def test_a_parameter_is_marked_where_it_is_written(text: str, places: list[tuple[int, str]]) -> None:
    source = Source("<filter>", text)
    tree = LANGUAGES["sql"].read(Body(text, source, Span(source, 0, len(text))))
    found = [part.span for part in parts(tree) if isinstance(part, t.Param)]
    assert [(span.start, span.text) for span in found] == places


def parts(tree: t.Tree) -> list[t.Tree]:
    inner = tree.args if isinstance(tree, t.OperatorCall) else ()
    return [tree, *(part for arg in inner for part in parts(arg))]


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("x > - 5 AND s > - 'a'", "- 'a'"),
        ("-(5) = 'a'", "-(5) = 'a'"),
        ("foo (1) > 2", "foo (1)"),
        ("x > 1 AND\n  s ~ 'a'", "~"),
    ],
)
def test_a_problem_is_marked_at_its_tokens(text: str, marked: str) -> None:
    with pytest.raises(predicat.PredicatError) as error:
        predicat.parse(text, "sql", {"x": "bigint", "s": "string"})
    assert error.value.diagnostics[0].span.text == marked


@pytest.mark.parametrize(
    ("language", "text", "marked"),
    [
        ("mongodb", '{"n": {"$gte": 5, "$lke": 2}}', '"$lke"'),
        ("mongodb", '{"$nand": [{"n": 1}]}', '"$nand"'),
        ("jsonlogic", '{"==": [{"vra": "n"}, 1]}', '"vra"'),
    ],
)
def test_an_operator_that_there_is_not_is_marked_itself(language: str, text: str, marked: str) -> None:
    with pytest.raises(predicat.PredicatError) as error:
        predicat.parse(text, language, FIELDS)
    (problem,) = error.value.diagnostics
    assert problem.span is not None and problem.span.text == marked
