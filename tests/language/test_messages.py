"""What messages say: the words of the author of a filter, never those of the compiler's own parts."""

import re
from collections.abc import Iterator
from itertools import product

import pytest
from sqlglot import exp

import predicat
from predicat import backends
from predicat.check import signatures
from predicat.ir.nodes import Call, Node
from predicat.ir.operators import OPS
from predicat.ir.types import BOOLEAN
from predicat.language import WRITERS, writer
from predicat.language.sql.rules import FUNCTIONS
from tests import support
from tests.texts import entries

FIELDS = {
    "x": "bigint",
    "y": "bigint",
    "s": "string",
    "b": "boolean",
    "j": "json",
    "m": "map<string, string>",
    "xs": "array<bigint>",
    "t": "timestamp",
    "d": "double",
    "day": "date",
}
_SQL = [
    "x IN (SELECT 1)",
    "x NOT IN (SELECT y FROM t)",
    "s IS TRUE",
    "x IS NOT TRUE",
    "s IS FALSE",
    "x IS UNKNOWN",
    "CASE WHEN x THEN 1 ELSE 2 END = 1",
    "CASE WHEN b THEN 1 ELSE 'a' END = 1",
    "CASE s WHEN 1 THEN 2 END = 2",
    "IF(s, 1, 2) = 1",
    "NULLIF(x, s) = 1",
    "COALESCE(x, s) = 1",
    "GREATEST(x, s) = 1",
    "x + b = 1",
    "s || x = 'a'",
    "s LIKE x",
    "s RLIKE x",
    "EXISTS(SELECT 1)",
    "x = ANY(SELECT 1)",
    "s SIMILAR TO 'a'",
    "s NOT SIMILAR TO 'a'",
    "x::decimal(3, 1) = 1",
    "s GLOB 'x'",
    "x << 1 = 2",
    "x & 1 = 1",
    "x | 1 = 1",
    "x ^ 2 = 1",
    "~x = 1",
    "s COLLATE \"C\" = 'a'",
    "x ->> 'a' = 'b'",
    "s ? 'a'",
    "x IN UNNEST(xs)",
    "xs[1:2] = xs",
    "s ILIKE ANY (SELECT 1)",
    "x BETWEEN SYMMETRIC 1 AND 2",
    "NOT x",
    "-s = 1",
    "x IS JSON",
    "(x, y) OVERLAPS (x, y)",
    "x DIV s = 1",
    "x % s = 1",
    "LOWER(x) = 'a'",
    "SUM(x) > 1",
    "ROW_NUMBER() OVER () = 1",
    "CAST(s AS json) = 1",
    "CAST(xs AS bigint) = 1",
    "CAST(m AS string) = 's'",
    "EXISTS(xs, x -> x + 1)",
    "EXISTS(s, x -> x > 1)",
    "x = {a: 1}",
    "@x = 1",
    "? = x",
    "x.* = 1",
    "j -> 'a' = 1",
    "x AND b",
    "b OR s",
    "HOUR(s) = 1",
    "s[0] = 'a'",
    "x['a'] = 1",
    "x.y = 1",
    "t + 1 > t",
    "d - t > 1",
    "day + s = day",
    "s ILIKE x",
    "LENGTH(x) = 1",
    "ABS(s) = 1",
    "SUBSTRING(x, 1) = 'a'",
    "x IN ('a', s)",
    "CURRENT_DATE = day",
    "DATE_ADD(s, 1) = day",
    "POSITION(x IN s) = 1",
    "REPLACE(s, 1, 2) = 's'",
    "x IS DISTINCT FROM s",
    "SIZE(x) = 1",
    "x IN (SELECT 1 UNION SELECT 2)",
    "s LIKE 'a' ESCAPE x",
    "x = 1 COLLATE de",
    "CAST(s AS bigint[]) = xs",
    "DATE_TRUNC('day', s) = t",
    "TRIM(x) = 's'",
    "MAX(x) OVER (PARTITION BY s) = 1",
    "x MEMBER OF (xs)",
    "INTERVAL '1' DAY",
    "s NOT LIKE ALL (x)",
    "s <=> x",
    "x // 2 = 1",
    "x XOR b",
    "xs @> xs",
    "s REGEXP x",
    "MATCH(s) AGAINST ('a')",
    "is_tru(b)",
]
_CEL = [
    "s ? 1 : 2",
    "b ? 1 : 'a'",
    "!s",
    "s && b",
    "b || x",
    "s + 1 == 'a'",
    "x + 's' == 's'",
    "x + 1.5 > 2.0",
    "x - b == 1",
    "-s == 's'",
    "x % d == 1",
    "b > b",
    "x in s",
    "xs.all(i, i + 1)",
    "x.all(i, i > 1)",
    "s.exists(i, i > 1)",
    "x[0] == 1",
    "size(x) == 1",
    "s.startsWith(1)",
    "x.endsWith('a')",
    "s.contains(x)",
    "s.matches(s)",
    "int(xs) == 1",
    "double(m) == 1.0",
    "string(xs) == 's'",
    "bool(x) == b",
    "timestamp(x) == t",
    "duration(x) == t - t",
    "x.getHours() == 1",
    "s.indexOf(1) == 1",
    "s.charAt('a') == 'a'",
    "s.lowerAscii(1) == 'a'",
    "s.split(1)[0] == 'a'",
    "s.substring('a') == 'a'",
    "s.replace(1, 'a') == 'a'",
    "xs.join(1) == 'a'",
    "t.getFullYear() == 's'",
    "x.upperAscii() == 'A'",
    "x.trim() == 'a'",
    "t + t > t",
    "s.getDayOfWeek() == 1",
    "xs + x == xs",
    "xs.exists_one(i, s)",
    "math.abs(s) == 1",
    "m.all(k, v, v + 1)",
]
_JMS = [
    "NOT s",
    "x LIKE 'a'",
    "m = 1",
    "s + 1 > 2",
    "b AND x",
    "x OR s",
    "xs = 1",
    "j + 1 > s",
    "t > 1",
    "x = s",
]
_CESQL = ["NOT (x + 'a')", "xs = 1", "x"]
BODIES = [
    *(("sql", text) for text in _SQL),
    *(("cel", text) for text in _CEL),
    *(("jms", text) for text in _JMS),
    *(("cesql", text) for text in _CESQL),
]
INTERNAL = {name for name in OPS if "_" in name and name not in FUNCTIONS} | {
    "is_true",
    "cond",
    "fdiv",
    "add",
    "sub",
    "mul",
    "neg",
}
# sqlglot's classes whose names are no words.
CLASSES = {name for name in vars(exp) if re.fullmatch(r"[A-Z]+[a-z]\w*[A-Z]\w*", name)}


@pytest.mark.parametrize(("language", "text"), BODIES, ids=[text for _, text in BODIES])
def test_no_message_has_a_name_of_the_compilers_own(language: str, text: str) -> None:
    try:
        predicat.parse(text, language, FIELDS)
    except predicat.PredicatError as error:
        said = {
            word
            for item in error.diagnostics
            for word in re.findall(r"\w+", f"{item.message} {item.hint or ''}")
        }
        assert said & (INTERNAL | CLASSES) - set(re.findall(r"\w+", text.lower())) == set(), str(error)
        assert not re.search(r" with \w+ is not supported", str(error))


def test_the_bodies_are_bad() -> None:
    """At least four in five of them: a body that is accepted one day tests nothing any more."""
    refused = 0
    for language, text in BODIES:
        try:
            predicat.parse(text, language, FIELDS)
        except predicat.PredicatError:
            refused += 1
    assert refused > 0.8 * len(BODIES)


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("x >= :minutes AND y > :min", [":minutes", ":min"]),
        ("s = ':min' AND y > :min", [":min"]),
        ("y > :min /* :min */ OR x IN (:max, :min)", [":min", ":max", ":min"]),
        ("x BETWEEN :low AND :lower", [":low", ":lower"]),
    ],
)
def test_parameters_stand_where_they_are_written(text: str, marked: list[str]) -> None:
    with pytest.raises(predicat.PredicatError) as caught:
        predicat.parse(text, "sql", FIELDS)
    spans = [item.span for item in caught.value.diagnostics if item.span is not None]
    assert [span.text for span in spans] == marked
    assert [text[span.start : span.end] for span in spans] == marked
    assert len({span.start for span in spans}) == len(spans)
    quoted = text.find("':min'")
    assert all(span.start != quoted + 1 for span in spans)


@pytest.mark.parametrize(
    ("language", "text", "message", "marked"),
    [
        ("sql", "x = 1 AND rand() > x", "a random number is not supported in a filter", "rand()"),
        ("sql", "x IN (SELECT y FROM t)", "a subquery is not supported in a filter", "SELECT y FROM t"),
        ("sql", "s IS TRUE", "a condition is true or false, but this is of type string", "s"),
        (
            "sql",
            "CASE WHEN b THEN 1 ELSE 'a' END = 1",
            "the values of a choice must have the same type, not bigint and string",
            "CASE WHEN b THEN 1 ELSE 'a' END",
        ),
        (
            "cel",
            "b ? 1 : 'a'",
            "the values of a choice must have the same type, not bigint and string",
            "b ? 1 : 'a'",
        ),
        ("cel", "b && s", "a condition is true or false, but this is of type string", "s"),
        (
            "cel",
            "s.startsWith(1)",
            "startsWith does not take (string, bigint); it takes (string, string)",
            "s.startsWith(1)",
        ),
    ],
)
def test_messages(language: str, text: str, message: str, marked: str) -> None:
    with pytest.raises(predicat.PredicatError) as caught:
        predicat.parse(text, language, FIELDS)
    (problem,) = caught.value.diagnostics
    assert problem.message == message
    assert problem.span is not None and problem.span.text == marked


@pytest.mark.parametrize(
    ("policy", "at"), [('{"a": ["x"], "b": [y]}', 19), ('{"a": ["x"] "b": ["y"]}', 12), ('{"a": ["x"]', 10)]
)
def test_a_policy_that_is_no_json_is_marked_where_it_breaks(policy: str, at: int) -> None:
    with pytest.raises(predicat.PredicatError, match="the filter policy is not valid JSON") as caught:
        predicat.parse(policy, "sns", {"m": "map<string, string>"}, on="m")
    span = caught.value.diagnostics[0].span
    assert span is not None and (span.start, span.end) == (at, at + 1)


# --- what writers and back ends do not support

# Names of operators that no author writes as such, but for those of functions (`starts_with(s, 'a')` in
# SQL).
NAMES = {name for name in OPS if "_" in name} | {
    "cond",
    "fdiv",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "add",
    "sub",
    "mul",
    "div",
    "neg",
    "dyn",
    "int32",
}
_CORPUS = [
    (entry, language, body)
    for entry in entries()
    for case in entry["cases"]
    for language, body in case.items()
    if language not in ("expected", "doc")
]


def refusals(node: Node) -> Iterator[str]:
    """What the writers and the back ends say of a predicate that they do not support."""
    for target in (*WRITERS, *backends.DIALECTS):
        try:
            (backends.dialect(target).render if target in backends.DIALECTS else writer(target))(node)
        except predicat.PredicatError as error:
            yield from (f"{item.message} {item.hint or ''}" for item in error.diagnostics)


def test_no_writer_names_an_operator_of_the_compiler() -> None:
    count = 0
    for op, generic in product(OPS, ("string", "bigint")):
        for index, _ in enumerate(signatures.signatures(op)):
            node = support.sample(op, index, generic)
            whole = (
                node
                if node is None or node.type == BOOLEAN
                else Call(BOOLEAN, "eq", (node, support.constant_of(node.type)))
            )
            for message in refusals(whole) if whole is not None else ():
                count += 1
                assert set(re.findall(r"\w+", message)) & NAMES == set(), message
    assert count > 500


@pytest.mark.long
def test_writers_use_the_spelling_of_the_author() -> None:
    count = 0
    for entry, language, body in _CORPUS:
        own = set(re.findall(r"\w+", str(body))) | {"startsWith"}
        for message in refusals(predicat.parse(body, language, entry["fields"], on=entry.get("on")).node):
            count += 1
            assert set(re.findall(r"\w+", message)) & NAMES - own == set(), f"{language}: {body}\n{message}"
    assert count > 500


@pytest.mark.parametrize(
    ("language", "text", "target", "message"),
    [
        (
            "cel",
            "s.startsWith('a') ? b : x > 1",
            "jms",
            "jms does not support ? here: a selector has no operator for it",
        ),
        (
            "sql",
            "div(x, 2) = 1",
            "jms",
            "jms does not support div here: a selector divides as doubles, with a fraction",
        ),
        (
            "sql",
            "s ILIKE 'a%b'",
            "pubsub",
            "pubsub does not support ILIKE here: compare an attribute with strings by =, != and hasPrefix",
        ),
        (
            "sql",
            "s RLIKE '[ab]+'",
            "jms",
            "jms does not support RLIKE here: a selector has no operator for it",
        ),
        (
            "cel",
            "s.matches('[ab]+')",
            "jms",
            "jms does not support matches here: a selector has no operator for it",
        ),
    ],
)
def test_what_a_language_does_not_support(language: str, text: str, target: str, message: str) -> None:
    with pytest.raises(predicat.Unsupported) as caught:
        predicat.parse(text, language, FIELDS).to(target)
    assert caught.value.diagnostics[0].message == message
