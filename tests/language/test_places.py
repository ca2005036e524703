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


# Operands as people write them, by what they are compared with.
OPERANDS = {
    "d": """
        CURRENT_DATE - interval '1 day' | CURRENT_DATE - INTERVAL '1' DAY
        CURRENT_DATE + INTERVAL 1 DAY | day | now() - interval '1' day - interval '2 hours'
        (CURRENT_DATE - interval '1 day') | CURRENT_TIMESTAMP | a::timestamp with time zone
        a::timestamp without time zone | CAST(a AS timestamp with time zone) | CURRENT_DATE::timestamp
        '2020-01-01'::timestamp with time zone | t AT TIME ZONE 'UTC' | CURRENT_DATE - 1
        (now() AT TIME ZONE 'UTC')::date | TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00'
        now()::date | DATE '2020-01-01' + interval '1 month' | coalesce(t, now())
        now() - '1 day'::interval | (t) | :since | CASE WHEN b THEN t ELSE CURRENT_DATE END
        greatest(CURRENT_DATE, t) | now() - 3 * interval '1 day'
    """,
    "k": """
        -n | - 1 | -(n) | (n + 1) | mod(n, 2) | ~n | extract(year FROM t)
        EXTRACT(DAY FROM CURRENT_DATE) | extract(hour from t AT TIME ZONE 'UTC')
        extract(epoch from now() - t) | date_part('year', t) | xs[1] | position('a' in s)
        n::double precision | n::numeric(10, 2) | CAST(n AS double precision) | nullif(n, 0)
        CASE n WHEN 1 THEN 2 ELSE NULL END | length(trim(s)) | n::double precision * 2
        CURRENT_DATE - day
    """,
    "v": """
        trim(both from s) | trim(both 'x' from s) | TRIM(TRAILING FROM s) | trim(s) | (lower(s))
        n::text | overlay(s placing 'a' from 2 for 3) | substring(s from 2 for 3) | substring(s for 3)
        s || 'a' || v | n::character varying(10) | CAST(n AS CHARACTER VARYING) | m['a'] | j->>'a'
        j->'a'->>'b' | j #>> '{a,b}'
    """,
}
FORMS = """
    {x} = {y} | {y} < {x} | {x} BETWEEN {y} AND {x} | {y} NOT BETWEEN {x} AND {x} | {x} IN ({y}, {x})
    NOT {x} = {y} | {y} NOT IN ({x}, {x}) | {x} IS NULL | {x} IS NOT NULL | {y} IS DISTINCT FROM {x}
    ({x} = {y}) IS NOT UNKNOWN | {y} BETWEEN SYMMETRIC {x} AND {x} | {x} LIKE 'a!%' ESCAPE '!'
    {x} NOT ILIKE 'a%' | {x} ~ 'a'
"""


def listed(text: str) -> list[str]:
    return [one.strip() for line in text.strip().splitlines() for one in line.split(" | ")]


@pytest.mark.parametrize(("language", "least"), [("sql", 700), ("postgres", 700)])
def test_a_test_of_any_operand_is_marked_as_a_whole(language: str, least: int) -> None:
    tests = [
        form.format(x=one, y=other)
        for other, operands in OPERANDS.items()
        for one in listed(operands)
        for form in listed(FORMS)
    ]
    wrong, read = [], 0
    for test in tests:
        text = f"b AND {test} AND b"
        source = Source("<filter>", text)
        try:
            tree = LANGUAGES[language].read(Body(text, source, Span(source, 0, len(text))))
        except predicat.PredicatError:
            continue  # what the language does not have
        marks = {part.span.text for part in operands_of(tree)} - {"b"}
        wrong += [(test, marks)] if marks - {test, test.removeprefix("(").removesuffix(")")} else []
        read += 1
    assert wrong == [] and read > least


def operands_of(tree: t.Tree) -> list[t.Tree]:
    """The operands of the AND around a test, not those of an AND that the test is read as."""
    if isinstance(tree, t.OperatorCall) and tree.op == "and" and " AND b" in tree.span.text:
        return [one for arg in tree.args for one in operands_of(arg)]
    return [tree]


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
