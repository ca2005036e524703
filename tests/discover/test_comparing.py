"""Which conditions are one rule, and which nearly are, with the row that tells them apart."""

from dataclasses import replace

import pytest

from predicat.discover.conditions import Clause, Condition, SourceRange
from predicat.discover.judging import judge
from predicat.discover.verdicts import Judged, Pair


def condition(
    text: str,
    path: str,
    relation: str | None = "shop.orders",
    clause: Clause = "where",
    branches: tuple[int, int] | None = None,
    **fields: str,
) -> Condition:
    place = SourceRange(path, 1, 1, 0, len(text))
    return Condition(text, "sql", "bigquery", relation, clause, place, fields, branches=branches)


def compared(*texts: str, relation: str | None = "shop.orders", **fields: str) -> Judged:
    return judge([condition(text, f"{at}.sql", relation, **fields) for at, text in enumerate(texts)])


def pair(*texts: str, **fields: str) -> Pair | None:
    found = compared(*texts, **fields)
    assert len(found.pairs) < 2
    return found.pairs[0] if found.pairs else None


SAME = [
    ("a = 1 AND b = 'x'", "b = 'x' AND a = 1"),
    ("a = 1 AND b IN ('x', 'y')", "(b = 'y' OR b = 'x') AND 1 = a"),
    ("NOT (a <> 1 OR b <> 'x')", "a = 1 AND b = 'x'"),
    ("n BETWEEN 1 AND 5 AND k = 2", "n >= 1 AND n <= 5 AND k = 2"),
    ("o.a = 1 AND o.b = 2", "orders.a = 1 AND orders.b = 2"),
    ("a = 1 AND f(x) > 3", "NOT f(x) <= 3 AND a = 1"),
    ("substr(code, 1, 2) = 'ab' AND k = 1", "starts_with(code, 'ab') AND k = 1"),
]


@pytest.mark.parametrize("texts", SAME)
def test_one_rule_in_other_words(texts: tuple[str, str]) -> None:
    found = compared(*texts)
    assert found.same == ((0, 1),)
    assert found.pairs == ()


OTHERS = [
    ("a = 1 AND b = '5'", "a = 1 AND b = '05'"),
    ("n > 4 AND k = 1", "n >= 5 AND k = 1"),
    ("d > '2020-01-01' AND k = 1", "d >= '2020-01-02' AND k = 1"),
    ("d = DATE '2020-01-01' AND k = 1", "d = DATE '2020-01-02' AND k = 1"),
    ("k = 1 AND x IN (SELECT id FROM a)", "k = 1 AND x IN (SELECT id FROM b)"),
]


@pytest.mark.parametrize("texts", OTHERS)
def test_what_only_some_type_makes_one_rule_is_none(texts: tuple[str, str]) -> None:
    assert compared(*texts).same == ()


def test_a_subquery_says_something_else_in_another_file() -> None:
    text = "k = 1 AND x IN (SELECT id FROM chosen)"
    assert compared(text, text).same == ()


def test_whole_numbers_are_one_rule_where_they_are_known_to_be() -> None:
    assert compared("n > 4 AND k = 1", "n >= 5 AND k = 1", n="bigint", k="bigint").same == ((0, 1),)


def test_one_value_more() -> None:
    found = pair("open = TRUE AND kind IN ('a', 'b')", "open = TRUE AND kind IN ('a', 'b', 'c')")
    assert found is not None
    assert (found.kind, found.difference, found.gained) == (
        "wider",
        "one value",
        {"open": True, "kind": "c"},
    )
    assert found.message == "only the second has 'c'"


def test_one_test_for_null_more() -> None:
    found = pair("state = 'live'", "state = 'live' AND revoked_at IS NULL")
    assert found is not None
    assert (found.kind, found.difference) == ("narrower", "one NULL test")
    assert found.lost == {"state": "live", "revoked_at": 0}


LONG = "k = 1 AND v = 2 AND m = 3"


@pytest.mark.parametrize(
    ("texts", "meant"),
    [
        (("a = 1", "a = 1 AND revoked_at IS NULL"), False),
        (("a = 1", "a = 1 AND price IS NOT NULL"), True),
        (("kind IN ('a', 'b', 'c', 'd')", "kind IN ('a', 'b', 'c', 'd', 'e')"), True),
        (("kind IN ('a', 'b', 'c', 'd', 'e')", "kind IN ('a', 'b', 'c', 'd', 'e', 'f')"), False),
        ((f"{LONG} AND kind IN ('a', 'b')", f"{LONG} AND kind IN ('a', 'b', 'c')"), False),
        (("k = 1 AND v = 2 AND kind = 'a'", "k = 1 AND v = 2 AND kind IN ('a', 'b')"), True),
        (("k = 1 AND v = 2 AND d > '2020-01-01'", "k = 1 AND v = 2 AND d > '2021-01-01'"), True),
        (("k = 1 AND v = 2 AND d > '2020-01-01'", "k = 1 AND v = 2 AND d >= '2020-01-01'"), False),
        (("k = 1 AND v = 2 AND n > 30", "k = 1 AND v = 2 AND n > 31"), True),
        (("k = 1 AND v = 2 AND n > 30", "k = 1 AND v = 2 AND n >= 30"), False),
        (("k = 1 AND v = 2", "k = 1 AND v = 2 AND target IS NULL"), True),
    ],
)
def test_differences_that_are_often_meant(texts: tuple[str, str], meant: bool) -> None:
    found = pair(*texts)
    assert found is not None and found.meant is meant


def test_differences_between_relations_are_often_meant() -> None:
    texts = "k = 1 AND v = 2 AND n > 30", "k = 1 AND v = 2 AND n >= 30"
    conditions = [condition(text, f"{at}.sql", f"shop.t{at}") for at, text in enumerate(texts)]
    assert [one.meant for one in judge(conditions).pairs] == [True]


def test_values_that_are_told_apart_in_their_file_are_meant() -> None:
    values = "'a', 'b', 'd', 'e', 'f'"
    texts = f"kind IN ({values})", f"kind IN ({values}, 'c')"
    lists = [condition(text, f"{at}.sql") for at, text in enumerate(texts)]
    branch = condition("kind = 'c' AND n = 1", "1.sql", clause="case")
    assert [one.meant for one in judge([*lists, branch]).pairs] == [True]
    copy = replace(lists[0], place=replace(lists[0].place, path="2.sql"))  # it has nothing of its own
    assert [one.meant for one in judge([*lists, copy, branch]).pairs] == [True]
    for place, text in (("0.sql", "kind = 'c'"), ("1.sql", "kind = 'b'"), ("1.sql", "other = 'c'")):
        branch = condition(text, place, clause="case")
        assert [one.meant for one in judge([*lists, branch]).pairs] == [False], text


@pytest.mark.parametrize(
    ("files", "meant"),
    [
        (("db/migration/a.sql", "db/migrations/a.sql"), True),
        (("db/migration/a.sql", "models/a.sql"), False),
        (("OLD SQL/a.sql", "models/b.sql"), True),
        (("models/a_old.sql", "models/b.sql"), True),
        (("models/household.sql", "models/told.sql"), False),
        (("lab_v1.0.sql", "lab_v1.1.sql"), True),
        (("lab.sql", "lab_V2.sql"), True),
        (("lab_v1.0.sql", "vitals_v1.0.sql"), False),
        (("eu/lab.sql", "us/lab.sql"), False),
    ],
)
def test_what_is_past_cannot_be_mended(files: tuple[str, str], meant: bool) -> None:
    texts = f"{LONG} AND kind IN ('a', 'b')", f"{LONG} AND kind IN ('a', 'b', 'c')"
    rows = [condition(text, file) for text, file in zip(texts, files, strict=True)]
    assert [one.meant for one in judge(rows).pairs] == [meant]


def test_a_pair_is_told_where_both_rules_are_on_one_relation() -> None:
    short, long = "seconds > 0", "seconds > 0 AND deleted_at IS NULL"
    rows = [(short, "entries"), (short, "posts"), (long, "devlogs"), (long, "posts")]
    conditions = [condition(text, f"{at}.sql", relation) for at, (text, relation) in enumerate(rows)]
    assert [(one.left, one.right, one.meant) for one in judge(conditions).pairs] == [(1, 3, False)]


def test_a_part_of_a_clause_lacks_no_test() -> None:
    # The rest of the clause is not read: it may test `revoked_at` as another statement computes it.
    short, long = (
        condition(text, f"{at}.sql") for at, text in enumerate(["a = 1", "a = 1 AND revoked_at IS NULL"])
    )
    assert len(judge([short, replace(long, whole=False)]).pairs) == 1
    assert judge([replace(short, whole=False), long]).pairs == ()


def test_keys_of_single_rows_that_are_changed_once_are_no_pair() -> None:
    lists = [condition(text, f"{at}.sql") for at, text in enumerate(["id IN (1, 2, 3)", "id IN (1, 2)"])]
    assert len(judge(lists).pairs) == 1
    assert judge([replace(one, changes=True) for one in lists]).pairs == ()


def test_one_bound() -> None:
    found = pair("k = 1 AND v = 2 AND n > 30", "k = 1 AND v = 2 AND n >= 30")
    assert found is not None
    assert (found.kind, found.difference, found.gained) == ("wider", "one bound", {"k": 1, "v": 2, "n": 30})
    found = pair("k = 1 AND v = 2 AND n > 3.5", "k = 1 AND v = 2 AND n >= 3.5", n="double")
    assert found is not None and found.difference == "one bound"


def test_some_values_on_both_sides() -> None:
    found = pair("kind IN ('a', 'b', 'c')", "kind IN ('a', 'b', 'd')")
    assert found is not None
    assert (found.kind, found.lost, found.gained) == ("overlapping", {"kind": "c"}, {"kind": "d"})


@pytest.mark.parametrize(
    "texts",
    [
        ("kind = 'a'", "kind = 'b'"),
        ("kind IN ('a', 'b', 'c', 'd')", "kind = 'a'"),
        ("id IS NOT NULL", "id IS NOT NULL AND day IS NOT NULL"),
        ("n > 30", "n > 60"),
        ("k = 1 AND v = 2", "k = 1 AND w = 2"),
    ],
)
def test_rules_that_are_made_to_differ_are_no_pair(texts: tuple[str, str]) -> None:
    assert pair(*texts) is None


def test_rules_of_other_relations_need_more_in_common() -> None:
    texts = "kind IN ('a', 'b')", "kind IN ('a', 'b', 'c')"
    conditions = [condition(text, f"{at}.sql", f"shop.t{at}") for at, text in enumerate(texts)]
    assert judge(conditions).pairs == ()
    longer = [
        condition(f"{text} AND k = 1 AND v = 2", f"{at}.sql", f"shop.t{at}") for at, text in enumerate(texts)
    ]
    assert len(judge(longer).pairs) == 1


def test_a_single_test_is_a_rule_within_a_relation_only() -> None:
    assert compared("kind = 'a'", "kind = 'a'").same == ((0, 1),)
    assert compared("kind = 'a'", "kind = 'a'", relation=None).same == ()


def on_relations(*texts: str) -> Judged:
    """Conditions of which each is on a relation of its own."""
    return judge([condition(text, f"{at}.sql", f"shop.t{at}") for at, text in enumerate(texts)])


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("feed_key <> '6368ab'", True),
        ("event = 'subscription_ended'", True),
        ("day >= '2024-07-01'", True),
        ("account <> 104276", True),
        ("status <> 'closed'", False),
        ("n > 100", False),
        ("a IS NULL", False),
    ],
)
def test_a_constant_that_nobody_writes_by_chance_is_one_rule_on_all_relations(
    text: str, is_one: bool
) -> None:
    assert on_relations(text, text, text).same == (((0, 1, 2),) if is_one else ())


@pytest.mark.parametrize(
    ("texts", "is_near"),
    [
        (("key NOT IN ('6368ab', '6368ac')", "key NOT IN ('6368ab', '6368ac', '6368ad')"), True),
        (("key = '6368ab' AND n > 0", "key = '6368ab' AND n >= 0"), True),
        (("key NOT IN ('a', 'b')", "key NOT IN ('a', 'b', 'c')"), False),
        (("live AND n > 0", "live AND n >= 0"), False),
        (("key = '6368ab' AND n > 0", "key = '6368ab' AND m >= 0"), False),
        (("key = '6368ab'", "key = '6368ab' AND m IS NULL"), False),
    ],
)
def test_near_rules_of_two_relations_have_such_a_constant_in_common(
    texts: tuple[str, str], is_near: bool
) -> None:
    assert bool(on_relations(*texts).pairs) == is_near


def test_a_rule_in_other_words_is_no_second_pair() -> None:
    found = compared(
        "k = 1 AND a IN ('x', 'y')", "k = 1 AND a IN ('x', 'y', 'z')", "k = 1 AND a IN ('y', 'x')"
    )
    assert found.same == ((0, 2),)
    assert [(one.left, one.right) for one in found.pairs] == [(0, 1)]


def test_what_is_never_true_is_no_rule() -> None:
    assert compared("n BETWEEN 5 AND 3", "n BETWEEN 7 AND 1").same == ()


def test_a_null_trap_needs_a_sign_that_values_are_absent() -> None:
    assert compared("status <> 'closed'").judgements == ()
    found = compared("status <> 'closed' AND k = 1", "status IS NULL AND k = 2").judgements
    assert [(item.condition, item.kind, item.row, item.outcome) for item in found] == [
        (0, "null trap", {"k": 1}, None)
    ]
    assert "1.sql:1" in found[0].message


def test_a_comparison_of_doubles_is_no_null_trap() -> None:
    assert compared("amount > 5.5", "amount IS NULL AND k = 2", amount="double").judgements == ()
    found = compared("amount <> 5.5", "amount IS NULL AND k = 2", amount="double").judgements
    assert [item.kind for item in found] == ["null trap"]


def test_branches_that_handle_null_leave_no_trap() -> None:
    conditions = [
        condition("status IS NULL", "a.sql", clause="case", branches=(7, 0)),
        condition("status <> 'closed'", "a.sql", clause="case", branches=(7, 1)),
    ]
    assert judge(conditions).judgements == ()


def test_branches_of_one_case_are_made_to_differ() -> None:
    texts = "kind = 'a' AND k = 1 AND v = 2", "kind = 'a' AND k = 1 AND v = 2 AND rate IS NOT NULL"
    branches = [
        condition(text, "a.sql", clause="case", branches=(7, number)) for number, text in enumerate(texts)
    ]
    assert judge(branches).pairs == ()
    elsewhere = condition(texts[0], "b.sql")
    assert judge([*branches, elsewhere]).pairs == ()
    assert len(judge([branches[1], elsewhere]).pairs) == 1
