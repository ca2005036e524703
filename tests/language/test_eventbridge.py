"""Event patterns: what may be written, and how they are written back. What they match is in the corpus,
and in `tests/oracles`.
"""

import json
from typing import Any

import pytest

import predicat
from predicat.diagnostics import PredicatError, Unsupported


def read(pattern: Any) -> predicat.Predicate:
    return predicat.parse(pattern, "eventbridge", {"event": "json"}, on="event")


PROBLEMS = {
    "it has no key": {},
    "inner: it has no key": {"detail": {"inner": {}}},
    "must be a list, not 'x'": {"source": "x"},
    "it must be a list of at least 1": {"source": []},
    "it must be a list of at least 2": {"$or": [{"a": ["x"]}]},
    "cannot have the name of an operator": {"$or": [{"prefix": ["x"]}, {"a": ["x"]}]},
    "the same key is also beside $or": {"a": ["x"], "$or": [{"a": ["y"]}, {"b": ["y"]}]},
    "duplicate key": '{"a": ["x"], "a": ["y"]}',
    "this number does not fit in a double": '{"a": [1e-400]}',
    "does not fit in a double": {"a": [9007199254740993]},
    "its values must be all strings or all numbers": {"a": [{"anything-but": ["x", 1]}]},
    "it takes strings or numbers": {"a": [{"anything-but": [None]}]},
    "two wildcards in a row": {"a": [{"wildcard": "a**b"}]},
    "a backslash is only allowed before": {"a": [{"wildcard": "a\\b"}]},
    "it must not be empty": {"a": [{"anything-but": {"prefix": ""}}]},
    "the lower bound of the range": {"a": [{"numeric": [">", 5, "<", 1]}]},
    "it must be a comparison and a number": {"a": [{"numeric": ["<", 5, ">", 1]}]},
    "it must have one key, not 2": {"a": [{"prefix": "x", "suffix": "y"}]},
    "is not a network": {"a": [{"cidr": "10.0.0/8"}]},
    "it must be true or false": {"a": [{"exists": "yes"}]},
    "at most 3 dots": {"a.b.c.d.e": ["x"]},
}


@pytest.mark.parametrize(("problem", "pattern"), PROBLEMS.items(), ids=PROBLEMS)
def test_problems(problem: str, pattern: Any) -> None:
    with pytest.raises(PredicatError) as caught:
        read(pattern)
    assert problem in str(caught.value)


def test_every_problem_is_reported_at_its_member() -> None:
    text = '{"a": {"b": [{"prefix": 1}]}, "c": [], "d": [{"numeric": ["=", "x"]}]}'
    with pytest.raises(PredicatError) as caught:
        read(text)
    assert [text[one.span.start : one.span.end] for one in caught.value.diagnostics] == ["{", "[", '"x"']


WRITTEN = [
    {
        "source": ["aws.s3", {"prefix": "b"}, {"suffix": "c"}],
        "detail": {"state": {"to": ["x", 5, True, None]}},
    },
    {
        "a": [
            {"numeric": [">", 0, "<=", 5]},
            {"wildcard": "x*\\*y"},
            {"equals-ignore-case": "Q"},
            {"prefix": {"equals-ignore-case": "p"}},
        ]
    },
    {
        "a": [
            {"suffix": {"equals-ignore-case": "%s_"}},
            {"anything-but": ["x", "y"]},
            {"anything-but": {"suffix": [".a", ".b"]}},
            {"exists": True},
        ]
    },
    {"a": {"b": [{"exists": False}]}, "$or": [{"c": ["x"]}, {"d": {"e": [{"anything-but": 4}]}}]},
]


@pytest.mark.parametrize("pattern", WRITTEN, ids=str)
def test_a_pattern_is_written_back(pattern: Any) -> None:
    assert read(json.loads(read(pattern).to("eventbridge"))).node == read(pattern).node
    inside = (
        json.loads(read(pattern).to("sns"))
        if "suffix" not in str(pattern) and "anything-but': 4" not in str(pattern)
        else None
    )
    if inside is not None:
        assert inside["FilterPolicyScope"] == "MessageBody"


def test_what_a_pattern_cannot_ask_is_refused() -> None:
    fields = {"event": "json", "n": "bigint"}
    for text in ("event.a == event.b", "n % 2 == 1", "size(event.a) > 3"):
        with pytest.raises(Unsupported):
            predicat.parse(text, "cel", fields).to("eventbridge")


def test_the_sql_of_a_usual_pattern_is_short_and_three_levels_compile() -> None:
    usual = {
        "source": ["aws.s3"],
        "detail-type": ["Object Created"],
        "detail": {"bucket": {"name": ["a", "b"]}, "object": {"key": [{"prefix": "in/"}, {"prefix": "up/"}]}},
    }
    for dialect in ("spark", "postgres", "duckdb"):
        assert len(read(usual).sql(dialect)) < 3000
        assert len(read({"a": {"b": {"c": {"d": ["x"]}}}}).sql(dialect)) < 2000
