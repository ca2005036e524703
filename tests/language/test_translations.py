"""Every language on hostile bodies: the engines agree, no body is more than data, and what is said in
another language means the same.
"""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import predicat
from predicat.diagnostics import PredicatError, Unsupported
from predicat.language import LANGUAGES, WRITERS
from predicat.semantics.evaluate import compile_node
from tests.engines.rows import Tables
from tests.fuzzing import REPEATABLE
from tests.language.bodies import BODIES, FIELDS, keys, rows
from tests.rounds import rounds

EXAMPLES = int(os.environ.get("PREDICAT_FUZZ_EXAMPLES", "1"))
ROWS = rows()
# The languages that read numbers and strings alike, from one set of names.
FLAT = ("jms", "servicebus", "cesql", "cloudevents", "eventbridge", "sns")
_tables: dict[str, Tables] = {}


def parse(body: Any, language: str) -> predicat.Predicate:
    return predicat.parse(body, language, FIELDS, on=None if language in ("cel", "sql", "jms") else "m")


@pytest.mark.parametrize("language", sorted(BODIES))
def test_engines_agree_on_hostile_bodies(language: str, spark: Any, postgres: Any) -> None:
    @settings(REPEATABLE, max_examples=EXAMPLES)
    @given(bodies=st.lists(BODIES[language], min_size=25, max_size=25))
    def check(bodies: list[Any]) -> None:
        tables = _tables.setdefault("rows", Tables(spark, postgres, predicat.api.declared(FIELDS), ROWS))
        predicates = [parse(body, language) for body in bodies]
        for name, run in rounds(tables.engines(), 3):
            got = run([predicate.sql(name) for predicate in predicates])
            for body, predicate, column in rounds(zip(bodies, predicates, got, strict=True), 1):
                assert column == [predicate.evaluate(row) for row in ROWS], (
                    f"{name}: {body!r}\n{predicate.sql(name)}"
                )

    check()


@pytest.mark.parametrize("language", sorted(BODIES))
def test_what_is_said_in_another_language_accepts_the_same_rows(language: str) -> None:
    said: set[str] = set()

    @settings(REPEATABLE, max_examples=60 * EXAMPLES)
    @given(body=BODIES[language])
    def check(body: Any) -> None:
        predicate = parse(body, language)
        # `evaluate` would look for what each missing key may mean.
        run = compile_node(predicate.node)
        wanted = [run(row) is True for row in ROWS]
        for target in WRITERS:
            try:
                text = predicate.to(target)
            except Unsupported:
                continue
            said.add(target)
            other = target.split(":", maxsplit=1)[0]
            data = json.loads(text) if LANGUAGES[other].shape == "data" else text
            try:
                back = predicat.parse(
                    data,
                    other,
                    FIELDS
                    if other not in FLAT
                    else {
                        **dict.fromkeys(predicate_keys(predicate), "string"),
                        "event_time": "bigint",
                        "publish_time": "bigint",
                    },
                    on=None if LANGUAGES[other].paths or other in FLAT else "m",
                )
            except PredicatError as error:
                raise AssertionError(f"{body!r}\n-> {target}: {text}\n{error}") from None
            run = compile_node(back.node)
            for row, accepted in zip(ROWS, wanted, strict=True):
                given = (
                    {**(row.get("m") or {}), **{key: row.get(key) for key in ("event_time", "publish_time")}}
                    if other in FLAT
                    else row
                )
                assert (run(given) is True) is accepted, f"{body!r}\n-> {target}: {text}\n{row}"

    check()
    assert language not in WRITERS or language in said


def predicate_keys(predicate: predicat.Predicate) -> set[str]:
    from predicat.ir.nodes import Call, Literal, walk

    return {
        str(node.args[1].value)
        for node in walk(predicate.node)
        if isinstance(node, Call) and node.op == "get" and isinstance(node.args[1], Literal)
    }


# --- anything may be given: only PredicatError comes out

texts = st.one_of(
    st.text(max_size=60),
    st.lists(
        st.sampled_from(
            [
                "(",
                ")",
                "AND",
                "OR",
                "NOT",
                "a",
                "'x'",
                '"y"',
                "=",
                "!=",
                "in",
                "1",
                ",",
                ".",
                "[",
                "]",
                "{",
                "}",
                "&&",
                "!",
                "attributes",
                ":",
                "*",
                "#",
                "LIKE",
                "-",
                "\\",
                "?",
                "e",
                "EXISTS",
                "tp",
                "op1",
                "predicate",
                "\0",
                "\ud800",
                "1e999",
                "9" * 25,
            ]
        ),
        max_size=12,
    ).map(" ".join),
)
data = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 2**70), st.floats(), texts),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.one_of(
                texts,
                st.sampled_from(
                    [
                        "and",
                        "or",
                        "not",
                        "op",
                        "property",
                        "value",
                        "values",
                        "exact",
                        "all",
                        "tp",
                        "op1",
                        "op2",
                        "predicate",
                        "ref",
                        "name",
                        "headerIn",
                        "type",
                        "negate",
                        "pattern",
                        "matchLabels",
                        "matchExpressions",
                        "key",
                        "operator",
                        "FilterPolicy",
                        "FilterPolicyScope",
                        "$or",
                        "numeric",
                        "cidr",
                        "wildcard",
                        "cesql",
                    ]
                ),
            ),
            inner,
            max_size=3,
        ),
    ),
    max_leaves=8,
)


@pytest.mark.parametrize(
    "language", [name for name in predicat.languages() if name not in ("all", "any", "not")]
)
def test_only_a_predicat_error_leaves_a_front_end(language: str) -> None:
    shape = predicat.language.LANGUAGES[language].shape

    @settings(REPEATABLE, max_examples=150 * EXAMPLES)
    @given(body=texts if shape == "text" else st.one_of(data, texts))
    def check(body: Any) -> None:
        for fields in (None, FIELDS):
            try:
                predicate = predicat.parse(body, language, fields, on=None if fields is None else "m")
                predicate.evaluate({})
            except PredicatError:
                pass

    check()


@pytest.mark.parametrize(
    ("language", "body"),
    [
        ("cel", "(" * 5000 + "1" + ")" * 5000),
        ("sql", "NOT " * 5000 + "a"),
        ("sql", "-" * 5000 + "1 = 1"),
        ("cesql", "(" * 5000 + "1" + ")" * 5000),
        ("cesql", "NOT " * 5000 + "TRUE"),
        ("cesql", "-" * 5000 + "1 = 1"),
        ("pubsub", "(" * 200 + "attributes:a" + ")" * 200),
        ("jms", "(" * 5000 + "a" + ")" * 5000),
        ("labels", "a," * 60_000),
        ("pulsar", "op1 {" * 9000),
        ("pulsar", "CA" * 3_000_000),
        ("rabbitmq", "#." * 5000),
        ("sns", "[" * 90_000),
        ("pulsar", '{"op1":' * 9000),
    ],
)
def test_depth_and_size_are_bounded(language: str, body: str) -> None:
    with pytest.raises(PredicatError):
        predicat.parse(body, language, {"a": "boolean"})


_MANY = "9" * 5000


@pytest.mark.parametrize(
    ("language", "body"),
    [
        ("sql", f"a > {_MANY}"),
        ("sql", "a > ٥"),
        ("sql", "a > 5²"),
        ("sql", f"e[{_MANY}] = 1"),
        ("sql", f"substring(s, {_MANY}) = 'a'"),
        ("sql", f"CAST(s AS DECIMAL({_MANY}, 2)) > 1"),
        ("sql", f"t + INTERVAL '{_MANY}' DAY > t"),
        ("sql", "t + INTERVAL '1_0' DAY > t"),
        ("sql", "t > TIMESTAMP '٢٠٢٠-01-01'"),
        ("cel", f"a > {_MANY}"),
        ("cel", f'duration("{_MANY}s") > duration("1s")'),
        ("cel", 'duration("٥s") > duration("1s")'),
        ("cel", 't.getHours("+٠٥:00") > 1'),
        ("cesql", f"k > {_MANY}"),
        ("cesql", "k > ٥"),
        ("jms", f"a > {_MANY}"),
        ("jms", "a > ٥"),
        ("labels", "k > ٥"),
        ("labels", f"k > {_MANY}"),
        ("sns", f'{{"k": [{{"numeric": [">", {_MANY}]}}]}}'),
        *(
            ("pip", {"property": "k", "op": "EQUALS", "value": value, "type": kind})
            for kind in ("LONG", "DOUBLE")
            for value in ("1_0", " 5", "٥", "nan", True, "")
        ),
        ("pip", {"property": "k", "op": "EQUALS", "value": _MANY, "type": "LONG"}),
        *(
            (
                "pulsar",
                {
                    "tp": "PREDICATE",
                    "predicate": {
                        "ref": "PROPERTY",
                        "name": "k",
                        "op": "EQUALS",
                        "values": [value],
                        "ty": kind,
                    },
                },
            )
            for kind in ("LONG", "DOUBLE")
            for value in ("1_0", " 5", "٥", "inf", "1d", _MANY + "x")
        ),
    ],
    ids=lambda value: str(value)[:40],
)
def test_digits_are_those_from_0_to_9_and_not_without_end(language: str, body: Any) -> None:
    fields = {
        "a": "bigint",
        "s": "string",
        "t": "timestamp",
        "e": "array<bigint>",
        "m": "map<string, string>",
    }
    with pytest.raises(PredicatError):
        predicat.parse(body, language, fields, on=None if language in ("sql", "cel", "jms") else "m")


@pytest.mark.parametrize("kind", [f"decimal({_MANY}, 2)", "decimal(٥, 2)", "decimal(²,1)"])
def test_digits_of_types(kind: str) -> None:
    with pytest.raises(PredicatError):
        predicat.parse("a = a", "sql", {"a": kind})


def nested(key: str, wrap: bool, leaf: Any, depth: int = 3000) -> Any:
    for _ in range(depth):
        leaf = {key: [leaf, leaf] if wrap else leaf}
    return leaf


@pytest.mark.parametrize(
    ("language", "body"),
    [
        ("pip", nested("not", False, {"property": "a", "op": "EQUALS", "value": "x"})),
        ("cloudevents", nested("not", False, {"exact": {"a": "x"}})),
        ("headers", nested("and", True, {"headerEquals": {"a": "x"}}, 300)),
        ("sns", {"FilterPolicyScope": "MessageBody", "FilterPolicy": nested("a", False, ["x"])}),
        ("pulsar", nested("op1", False, {"tp": "NOT"})),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_depth_of_data_is_bounded(language: str, body: Any) -> None:
    with pytest.raises(PredicatError):
        predicat.parse(body, language)


@pytest.mark.parametrize("language", ["sql", "cel", "cesql", "jms"])
def test_a_chain_may_be_long(language: str) -> None:
    both, equal = ("&&", "==") if language == "cel" else ("AND", "=")
    found = predicat.parse(
        f" {both} ".join(f"a {equal} {value}" for value in [1] * 1500 + [2]), language, {"a": "bigint"}
    )
    assert found.evaluate({"a": 1}) is False


_DEEP = [
    ("sql", text)
    for text in (
        "NOT {}b",
        "- {}1 = 1",
        "e{[1]} = 1",
        "{1 + }1 = 1",
        "{s || }s = 'x'",
        "b {IS TRUE }",
        "{b = }b",
        "a {::bigint} = 1",
    )
]
_DEEP += [("cel", text) for text in ("{!(}b", "e{[1]} == 1", "{1 + }1 == 1", "{b ? b : }b")]
_DEEP += [("cesql", text) for text in ("NOT {NOT }b", "{-}1 = 1", "{1 + }1 = 1", "{UPPER(}'a'")]


@pytest.mark.parametrize(("language", "text"), _DEEP)
def test_depth_of_text_is_bounded(language: str, text: str) -> None:
    before, _, rest = text.partition("{")
    repeated, _, after = rest.partition("}")
    with pytest.raises(PredicatError):
        predicat.parse(
            before + (repeated or "NOT ") * 3000 + after,
            language,
            {"a": "bigint", "b": "boolean", "s": "string", "e": "array<bigint>"},
        )


@pytest.mark.parametrize("text", ["[{}].join('') == 'x'", "{{{}}}[a] == 1"])
@pytest.mark.parametrize("count", [60, 150, 300, 2000])
def test_what_nests_behind_the_text_is_bounded(text: str, count: int) -> None:
    """A short text that becomes a deep predicate gets an answer or an error, whatever is asked of it."""
    parts = ["s"] * count if "join" in text else [f"{value}: a" for value in range(count)]
    try:
        found = predicat.parse(text.format(", ".join(parts)), "cel", {"a": "bigint", "s": "string"})
    except PredicatError as error:
        assert error.diagnostics[0].code in ("too-deep", "too-large")
        return
    shorter = predicat.parse(text.format(", ".join(parts[:-1])), "cel", {"a": "bigint", "s": "string"})
    for ask in (
        lambda: found.evaluate({"a": 1, "s": ""}),
        lambda: found.sql("spark"),
        lambda: found.sql("postgres"),
        lambda: found.to("cel"),
        lambda: predicat.compare(found, shorter),
    ):
        try:
            ask()
        except PredicatError as error:
            assert error.diagnostics[0].code in ("too-deep", "unsupported")


@pytest.mark.parametrize("text", ["exists(e, x -> {}x > 1{})", "{}a{} = 1"])
def test_the_size_of_sql_is_bounded(text: str) -> None:
    """Each guard says its operand again: SQL that would grow without end is refused, as soon as it is
    known.
    """
    opening, closing = (
        ("exists(e, y -> ", ")") if "exists" in text else ("CAST(CAST(", " AS string) AS bigint)")
    )
    found = predicat.parse(
        text.format(opening * 15, closing * 15), "sql", {"a": "bigint", "e": "array<bigint>"}
    )
    for dialect in ("spark", "postgres", "duckdb"):
        try:
            assert len(found.sql(dialect)) < 1_500_000
        except PredicatError as error:
            assert "nested so deeply that its SQL would have" in str(error)


_CHOICE = "(b ? {0} : {0})"
_MULTIPLY = {
    "choices": "{0} == {0}".format(_CHOICE.format(_CHOICE.format(_CHOICE.format("(b ? j.k : 1)")))),
    "numbers": f"math.greatest({', '.join(['(b ? j.k : 1)'] * 7)}) > 1",
    "extremes": "math.least({0}, {0}, {0}, {0}, {0}, {0}, {0}, {0})",
    "sums": "".join(
        f"cel.bind(x{place}, {f'x{place - 1} + x{place - 1}' if place else 'a'}, " for place in range(24)
    )
    + "x23 == a"
    + ")" * 24,
    "optionals": "j.?k" + ".optMap(x, x)" * 30 + ".orValue(1) == 2",
    "look_ups": "j" + ".?k" * 60 + ".orValue(1) == 2",
    "macros": "".join(f"e.exists(x{place}, " for place in range(26)) + "a > 1" + ")" * 26,
}


@pytest.mark.parametrize("name", _MULTIPLY)
def test_what_multiplies_is_bounded(name: str) -> None:
    """Values that are chosen between, names for values and macros of CEL that say their operands again end
    as errors, at once.
    """
    text = _MULTIPLY[name]
    if name == "extremes":
        for _ in range(4):
            text = text.format(_MULTIPLY[name])
        text = text.format("a") + " > 1"
    with pytest.raises(PredicatError) as caught:
        predicat.parse(text, "cel", {"a": "bigint", "b": "boolean", "j": "json", "e": "array<bigint>"})
    assert {item.code for item in caught.value.diagnostics} <= {"too-deep", "too-large", "unsupported"}


def test_too_many_parts_are_told_once() -> None:
    with pytest.raises(PredicatError) as caught:
        predicat.parse(" OR ".join(f"a > {value}" for value in range(9000)), "sql", {"a": "bigint"})
    assert [item.code for item in caught.value.diagnostics] == ["too-large"]


def test_a_large_predicate_that_does_not_grow_is_said() -> None:
    wide = " OR ".join(f"(a>{value} AND (d*{value}.5<f OR NOT a<{value}))" for value in range(1400))
    found = predicat.parse(f"d>f AND ({wide})", "sql", {"a": "bigint", "d": "double", "f": "double"})
    assert len(found.sql("spark")) > 80_000


def test_a_pattern_for_a_whole_name_stays_in_its_brackets() -> None:
    with pytest.raises(PredicatError, match=r"there is a '\)' without '\('"):
        predicat.parse({"type": "TopicNameMatches", "pattern": "a)|(?:b"}, "kafka", TOPICS)
    assert (
        json.loads(predicat.parse("topic RLIKE '^(?:a)|(?:b)$'", "sql", TOPICS).to("kafka"))["pattern"]
        == "(?s:.*)(?:^(?:a)|(?:b)$)(?s:.*)"
    )


TOPICS = {"routing_key": "string", "topic": "string", "headers": "map<string, string>", "value": "string"}
_words = st.lists(st.sampled_from(["a", "b-c", "é", "", "*", "#", "x+y", "(", "1"]), max_size=5).map(".".join)
_topics = st.one_of(
    st.sampled_from([r"a.*", "orders-[0-9]+", "a|b", "abc", "a-b.c", "(?i)x", "^a$", ".*x", ""])
    .filter(bool)
    .map(lambda text: {"type": "TopicNameMatches", "pattern": text}),
    keys.filter(bool).map(lambda key: {"type": "HasHeaderKey", "name": key}),
    st.just({"type": "RecordIsTombstone"}),
)
_told = [
    "routing_key = 'a.b'",
    "routing_key LIKE 'a.%'",
    "routing_key LIKE '%.b'",
    "topic = 'a.b*'",
    "topic LIKE 'a+%'",
    "topic LIKE '%b'",
    "topic LIKE '%.%'",
    "topic RLIKE 'a[0-9]'",
    "topic RLIKE '^(?:a)|(?:b)$'",
    "topic RLIKE '^(?:a|z.*)$'",
    "headers['a'] IS NOT NULL",
    "value IS NULL",
    "NOT (value IS NULL)",
]


@pytest.mark.parametrize(
    ("language", "bodies"),
    [
        ("rabbitmq", _words),
        (
            "kafka",
            st.builds(
                lambda body, negate: {**body, **negate}, _topics, st.sampled_from([{}, {"negate": True}])
            ),
        ),
        ("sql", st.sampled_from(_told)),
    ],
)
def test_bindings_and_connect_predicates_are_given_back(
    language: str, bodies: st.SearchStrategy[Any]
) -> None:
    rows = [
        dict(zip(TOPICS, (text, text, headers, value), strict=True))
        for text in (
            None,
            "",
            "a",
            "a.b",
            "a.b.c",
            "x.b",
            "a.b*",
            "a+1",
            "a1",
            "zab",
            "é.a",
            "orders-7",
            "a\nb",
        )
        for headers in (None, {}, {"a": "", "b-c": "1"})
        for value in (None, "", "v")
    ]

    @settings(REPEATABLE, max_examples=20 * EXAMPLES)
    @given(body=bodies)
    def check(body: Any) -> None:
        given_predicate = predicat.parse(body, language, TOPICS)
        targets = [language] if language != "sql" else ["rabbitmq" if "routing_key" in body else "kafka"]
        for target in rounds(targets, 1):
            text = given_predicate.to(target)
            back = predicat.parse(json.loads(text) if target == "kafka" else text, target, TOPICS)
            for row in rows:
                assert (back.evaluate(row) is True) is (given_predicate.evaluate(row) is True), (
                    f"{body!r}\n-> {target}: {text}\n{row}"
                )

    check()


@pytest.mark.parametrize(
    ("condition", "target", "text"),
    [
        ("m['a'] <> 'x'", "sns", '{"a": [{"anything-but": "x"}]}'),
        ("m['a'] NOT IN ('x', 'y')", "eventbridge", '{"a": [{"anything-but": ["x", "y"]}]}'),
        ("NOT (m['a'] LIKE 'x%')", "sns", '{"a": [{"anything-but": {"prefix": "x"}}]}'),
        ("m['a'] <> 'x'", "labels", "a,a!=x"),
        ("m['a'] NOT IN ('x', 'y')", "labels", "a,a notin (x,y)"),
        (
            "m['a'] NOT IN ('x', 'y')",
            "pubsub",
            'attributes:a AND NOT (attributes.a = "x" OR attributes.a = "y")',
        ),
        (
            "NOT starts_with(m['a'], 'x') OR m['b'] = 'c'",
            "pubsub",
            '(attributes:a AND NOT hasPrefix(attributes.a, "x")) OR attributes.b = "c"',
        ),
    ],
)
def test_a_denied_test_asks_for_its_key(condition: str, target: str, text: str) -> None:
    """It is UNKNOWN without the key in SQL, and TRUE in most languages of messages."""
    assert predicat.parse(condition, "sql", {"m": "map<string, string>"}).to(target) == text
