"""SNS policies on message bodies: arrays of objects, keys that are absent, and `$or`, compared with a
plain matcher and on every engine.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import predicat
from predicat.diagnostics import PredicatError
from tests.engines.rows import Tables
from tests.fuzzing import REPEATABLE
from tests.language.test_translations import EXAMPLES
from tests.rounds import rounds

NAMES = ["a", "b", "c"]
scalars = st.sampled_from(["x", "y", "xy", 1, 2.5, True, None])


def shallow(value: Any, lists: int = 0) -> bool:
    """Whether no array lies in three arrays within each other: such values are not looked for."""
    if isinstance(value, dict):
        return all(map(shallow, value.values()))
    return lists < 3 and all(shallow(one, lists + 1) for one in value) if isinstance(value, list) else True


bodies = st.dictionaries(
    st.sampled_from(NAMES),
    st.recursive(
        scalars,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)
        ),
        max_leaves=8,
    ).filter(shallow),
    max_size=3,
)
leaves = st.lists(
    st.sampled_from(
        [
            "x",
            "y",
            1,
            True,
            None,
            {"prefix": "x"},
            {"anything-but": ["x", 1]},
            {"numeric": [">", 1]},
            {"exists": True},
            {"exists": False},
        ]
    ),
    min_size=1,
    max_size=2,
)
policies = st.recursive(
    st.dictionaries(st.sampled_from(NAMES), leaves, min_size=1, max_size=2),
    lambda inner: st.one_of(
        st.dictionaries(st.sampled_from(NAMES), st.one_of(inner, leaves), min_size=1, max_size=2),
        st.lists(inner, min_size=2, max_size=2).map(lambda options: {"$or": options}),
        st.builds(
            lambda options, more: {"$or": options, **more},
            st.lists(inner, min_size=2, max_size=2),
            st.dictionaries(st.sampled_from(NAMES), leaves, max_size=1),
        ),
    ),
    max_leaves=3,
)


def read(policy: Any) -> predicat.Predicate:
    return predicat.parse(
        {"FilterPolicyScope": "MessageBody", "FilterPolicy": policy}, "sns", {"body": "json"}, on="body"
    )


def within_limits(policy: Any) -> bool:
    try:
        read(policy)
    except PredicatError as error:
        assert "the limit is" in str(error) or "also beside $or" in str(error)
        return False
    return True


# --- the plain matcher: it flattens a message as the Event Ruler does, and tries each combination of its
# values

Fields = list[tuple[str, Any, dict[int, int]]]


def flattened(value: Any, path: str, chosen: dict[int, int], found: Fields, arrays: list[int]) -> Fields:
    """The values at each path, with the elements that they lie in, by the number of their array."""
    if isinstance(value, dict):
        for key, inner in value.items():
            flattened(inner, f"{path}.{key}" if path else key, chosen, found, arrays)
    elif isinstance(value, list):
        number = len(arrays)
        arrays.append(number)
        for place, inner in enumerate(value):
            flattened(
                inner,
                path,
                {**chosen, number: place} if isinstance(inner, dict | list) else chosen,
                found,
                arrays,
            )
    else:
        found.append((path, value, chosen))
    return found


def ways(policy: Any, path: str = "") -> list[dict[str, list[Any]]]:
    """The policies without `$or`, each with the values of its paths."""
    found: list[dict[str, list[Any]]] = [{}]
    for name, wanted in policy.items():
        inner = f"{path}.{name}" if path else name
        if name == "$or":
            chosen = [one for option in wanted for one in ways(option, path)]
        else:
            chosen = ways(wanted, inner) if isinstance(wanted, dict) else [{inner: wanted}]
        found = [{**left, **right} for left in found for right in chosen]
    return found


def matches(policy: Any, body: Any) -> bool:
    fields = flattened(body, "", {}, [], [])
    return any(chosen(sorted(way.items()), fields, {}) for way in ways(policy))


def chosen(keys: list[tuple[str, list[Any]]], fields: Fields, elements: dict[int, int]) -> bool:
    if not keys:
        return True
    (path, values), rest = keys[0], keys[1:]
    near = [
        (value, {**elements, **inside})
        for name, value, inside in fields
        if name == path and all(elements.get(array, place) == place for array, place in inside.items())
    ]
    absent = {"exists": False} in values and not near
    return (absent and chosen(rest, fields, elements)) or any(
        chosen(rest, fields, inside)
        for value, inside in near
        if any(one != {"exists": False} and hit(one, value) for one in values)
    )


def hit(wanted: Any, value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if isinstance(wanted, dict):
        ((operator, operand),) = wanted.items()
        if operator == "exists":
            return True
        if operator == "prefix":
            return isinstance(value, str) and value.startswith(operand)
        if operator == "numeric":
            return number and value > operand[1]
        return not any(hit(one, value) for one in operand)
    return (
        value == wanted
        and isinstance(value, str) == isinstance(wanted, str)
        and isinstance(value, bool) == isinstance(wanted, bool)
    )


def test_policies_agree_with_a_plain_matcher_and_on_engines(spark: Any, postgres: Any) -> None:
    fields = predicat.api.declared({"body": "json"})

    @settings(REPEATABLE, max_examples=EXAMPLES)
    @given(
        asked=st.lists(policies.filter(within_limits), min_size=40, max_size=40),
        messages=st.lists(bodies, min_size=60, max_size=60),
    )
    def check(asked: list[Any], messages: list[Any]) -> None:
        rows = [{"body": message} for message in messages]
        predicates = [read(policy) for policy in asked]
        wanted = [[matches(policy, message) for message in messages] for policy in asked]
        for policy, predicate, outcome in rounds(zip(asked, predicates, wanted, strict=True), 1):
            assert [predicate.evaluate(row) for row in rows] == outcome, policy
        for name, run in rounds(Tables(spark, postgres, fields, rows).engines(), 3):
            for policy, column, outcome in rounds(
                zip(asked, run([one.sql(name) for one in predicates]), wanted, strict=True), 1
            ):
                assert column == outcome, f"{name}: {policy}"

    check()


EVENT = {
    "Records": [
        {"eventName": "ObjectCreated:Put", "s3": {"object": {"key": "auto-1"}}},
        {"eventName": "ObjectRemoved", "s3": {"object": {"key": "x", "tag": "t"}}},
    ]
}


@pytest.mark.parametrize(
    ("policy", "matched"),
    [
        (
            {
                "Records": {
                    "s3": {"object": {"key": [{"prefix": "auto-"}]}},
                    "eventName": [{"prefix": "ObjectCreated:"}],
                }
            },
            (True, False, False),
        ),
        (
            {"Records": {"s3": {"object": {"key": ["x"]}}, "eventName": [{"prefix": "ObjectCreated:"}]}},
            (False, False, False),
        ),
        ({"Records": {"s3": {"object": {"tag": [{"exists": False}]}}}}, (False, True, True)),
        ({"Records": {"s3": {"object": {"tag": [{"exists": False}, "t"]}}}}, (True, True, True)),
        ({"Records": {"nope": [{"exists": False}], "eventName": ["ObjectRemoved"]}}, (True, False, False)),
        ({"Records": {"$or": [{"eventName": ["z"]}, {"nope": [{"exists": False}]}]}}, (True, True, True)),
        ({"Records": [{"exists": True}]}, (False, False, False)),
        ({"Records": [{"exists": False}]}, (True, True, True)),
        ({"Records": {"eventName": [{"exists": True}]}}, (True, False, False)),
        ({"Records": {"s3": [{"exists": True}]}}, (False, False, False)),
        ({"Records": {"s3": [{"anything-but": "x"}]}}, (False, False, False)),
    ],
    ids=str,
)
def test_arrays_of_objects(policy: Any, matched: tuple[bool, ...]) -> None:
    assert tuple(read(policy).evaluate({"body": body}) for body in (EVENT, {"Records": []}, {})) == matched


def test_elements_of_a_declared_type() -> None:
    fields = {"body": "struct<items: array<struct<sku: string, price: string>>>"}
    found = predicat.parse(
        {
            "FilterPolicyScope": "MessageBody",
            "FilterPolicy": {"items": {"sku": ["a"], "price": [{"numeric": ["<", 5]}]}},
        },
        "sns",
        fields,
        on="body",
    )
    assert (
        found.evaluate({"body": {"items": [{"sku": "a", "price": "9"}, {"sku": "b", "price": "1"}]}}) is False
    )
    assert found.evaluate({"body": {"items": [{"sku": "a", "price": "1"}]}}) is True
    with pytest.raises(PredicatError, match="it has no key"):
        predicat.parse(
            {"FilterPolicyScope": "MessageBody", "FilterPolicy": {"items": {}}}, "sns", fields, on="body"
        )


LIMITS = {
    "keys inside of a key do not count": ({"a": {name: ["x"] for name in "abcdef"}}, None),
    "six keys": ({name: ["x"] for name in "abcdef"}, "it has 6 keys; the limit is 5"),
    "4 x 3 and 3 x 2": ({"a": {"b": {"c": ["1", "2", "3", "4"]}}, "d": {"e": ["1", "2", "3"]}}, None),
    "4 x 3 and 3 x 2 and 3": (
        {"a": {"b": {"c": ["1", "2", "3", "4"]}}, "d": {"e": ["1", "2", "3"]}, "f": ["1", "2", "3"]},
        "the limit is 150",
    ),
    "151 values": ({"a": [str(number) for number in range(151)]}, "the limit is 150"),
    "the ways of $or add": (
        {"$or": [{"a": [str(number) for number in range(75)]}, {"b": [str(number) for number in range(75)]}]},
        None,
    ),
    "$or after another key": (
        {"c": ["1", "2"], "$or": [{"a": [str(number) for number in range(75)]}, {"b": ["1"]}]},
        "the limit is 150",
    ),
    "the values of one policy of $or multiply": (
        {"$or": [{name: ["1", "2", "3", "4", "5", "6"] for name in "abc"}, {"d": ["1"]}]},
        "the limit is 150",
    ),
    "an empty range": ({"a": [{"numeric": [">", 5, "<=", 5]}]}, "must be below the upper bound"),
}


@pytest.mark.parametrize(("policy", "problem"), LIMITS.values(), ids=LIMITS)
def test_limits(policy: Any, problem: str | None) -> None:
    if problem is None:
        read(policy)
    else:
        with pytest.raises(PredicatError, match=problem):
            read(policy)


def test_an_empty_array_in_an_array_is_no_value() -> None:
    found = read({"a": [{"anything-but": ["x"]}]})
    assert [
        found.evaluate({"body": {"a": value}}) for value in ([[], {}], [[None]], ["x", []], ["y", []])
    ] == [False, True, False, True]


@pytest.mark.parametrize("depth", [201, 600, 5000])
@pytest.mark.parametrize("text", ["[{}]", '{{"a": {}}}'])
def test_a_text_that_is_nested_too_deeply(depth: int, text: str) -> None:
    before, after = text.format("\0").replace("{{", "{").split("\0")
    body = before * depth + "1" + after * depth
    with pytest.raises(predicat.PredicatError, match="nested deeper than 200 levels"):
        predicat.parse(body, "sns", {})


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"a": ["b",]}', "1:11"),
        ('{"a": ["b"],}', "1:12"),
        ('{"a": ["b"] , }', "1:13"),
        (",", "1:1"),
        ('{"a": ["b"]} x', "1:14"),
        ('{"a" ["b"]}', "1:6"),
        ('{a: ["b"]}', "1:2"),
        ('{"a": ["b"}', "1:11"),
    ],
)
def test_a_text_that_is_no_json_is_marked_where_it_is_none(text: str, place: str) -> None:
    with pytest.raises(predicat.PredicatError, match=f"is not valid JSON(.|\n)*:{place}\n"):
        predicat.parse(text, "sns", {})
