"""What `predicat discover` finds in conditions, and what it leaves alone: a type could make it wrong."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from predicat.discover.conditions import Clause, Condition, SourceRange
from predicat.discover.judging import judge
from predicat.discover.read import folder
from predicat.discover.verdicts import Judged
from tests.processes import in_process


def condition(
    text: str,
    dialect: str = "postgres",
    clause: Clause = "where",
    *,
    fields: dict[str, str] | None = None,
    relation: str = "t",
    branches: tuple[int, int] | None = None,
) -> Condition:
    place = SourceRange("a.sql", 1, 1, 0, len(text))
    return Condition(text, "sql", dialect, relation, clause, place, fields or {}, branches=branches)


def judged(text: str, dialect: str = "postgres", clause: Clause = "where", **fields: str) -> Judged:
    return judge([condition(text, dialect, clause, fields=fields)])


def kinds(found: Judged) -> list[str]:
    return [item.kind for item in found.judgements]


NEVER = [
    "lower(coverage_plan) LIKE '%MP%'",
    "a != b AND b IS NULL",
    "end_date > end_date",
    "substr(code, 1, 5) = 'abcdef' AND n = 1",
    "d > '2020-01-01' AND d < '2019-01-01'",
    "d > DATE '2020-01-01' AND d < DATE '2019-01-01'",
    "n BETWEEN 5 AND 3",
    "length(s) < 0",
    "status = 'open' AND status IN ('closed', 'gone')",
    "CASE WHEN a = 1 THEN b = 2 ELSE b = 3 END AND b = 4",
    "x::date = y AND x::date <> y",
    "u.kind = 'a' AND u.kind = 'b' AND EXISTS (SELECT 1 FROM o WHERE o.id = u.id)",
    "a > b AND b > a",
]


@pytest.mark.parametrize("text", NEVER)
def test_a_condition_that_no_row_meets(text: str) -> None:
    assert kinds(judged(text)) == ["never"]


LEFT_ALONE = {
    "a number may have fractions": "x > 5 AND x < 6",
    "a time may lie within a day": "d > '2020-01-01' AND d < '2020-01-02'",
    "the texts may be numbers": "code = '5' AND code = '05'",
    "the texts may be truth values": "flag = 't' AND flag = 'true'",
    "the texts may ignore case": "name = 'A' AND name = 'a'",
    "the texts may be padded": "name = 'a' AND name = 'a '",
    "the order may be that of a collation": "name > 'b' AND name < 'A'",
    "a column may be NaN": "x <> x",
    "a call may have another value each time": "random() > 0.5 AND random() < 0.5",
    "intervals differ": "t > now() - interval '1 day 2 hours' AND NOT t > now() - interval '1 day 3 hours'",
    "numbers may be too long": "n > 99999999999999999999.123456789 AND n < 1",
    "texts may look like no number": "s = 'nan' OR s = 'sNaN' OR s = 'Infinity'",
    "a parameter without a name may be any": "a = ? AND a <> ?",
    "a pattern with a backslash has several meanings": r"s LIKE 'a\_%' AND s NOT LIKE 'a\_%' ESCAPE '!'",
    "a text may be bytes": r"substr(input, 1, 4) IN ('\x52bbbe29') OR '\x5a' = lower(s)",
    "constants are meant": "1 = 1",
    "nothing is wrong": "a = 1 AND b IS NOT NULL AND b > 2",
}


@pytest.mark.parametrize("text", LEFT_ALONE.values(), ids=LEFT_ALONE)
def test_silence_where_a_verdict_would_be_a_guess(text: str) -> None:
    assert judged(text).judgements == ()


def test_known_types_allow_what_inferred_ones_do_not() -> None:
    assert kinds(judged("x > 5 AND x < 6", x="bigint")) == ["never"]
    assert kinds(judged("d > '2020-01-01' AND d < '2020-01-02'", d="date")) == ["never"]
    assert judged("x > 5 AND x < 6", x="double").judgements == ()
    assert kinds(judged("name > 'b' AND name < 'A'", "bigquery", name="string")) == ["never"]


def test_texts_of_dialects_that_fold_case_are_left_alone() -> None:
    found = judged("a = 'x' AND a = 'y'", "mysql")
    assert found.judgements == ()
    assert "mysql" in found.unjudged[0]


def test_every_verdict_says_which_types_were_inferred() -> None:
    (found,) = judged("n BETWEEN 5 AND 3 AND s = 'a' AND b = 2", b="bigint").judgements
    assert found.inferred == {"n": "number", "s": "string"}


def test_what_is_written_is_the_cause_of_a_dead_condition() -> None:
    (found,) = judged("n = 1 AND lower(s) LIKE '%MP%'").judgements
    assert (found.part, found.hint) == (
        "lower(s) LIKE '%MP%'",
        "lower() never gives '%MP%', which has capital letters",
    )


def test_always_true_has_a_row_for_which_it_is_unknown() -> None:
    (found,) = judged("status <> 'a' OR status <> 'b'").judgements
    assert (found.kind, found.row, found.outcome) == ("always", {}, None)


def test_a_check_accepts_what_is_unknown() -> None:
    assert judged("a <> b AND b IS NULL", clause="check").judgements == ()
    assert kinds(judged("n > 1 AND n < 0", clause="check")) == []
    assert kinds(judged("n IS NULL AND n IS NOT NULL", clause="check")) == ["never"]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("a = 1 AND a IN (1, 2)", "a IN (1, 2)"),
        ("a = 1 OR a IN (1, 2)", "a = 1"),
        ("n > 1 AND z = 'a' AND n > 0", "n > 0"),
        ("a = 1 AND b = 2 AND a = 1", "a = 1"),
    ],
)
def test_an_operand_without_effect(text: str, part: str) -> None:
    found = judged(text)
    assert kinds(found) == ["redundant"]
    assert found.judgements[0].part == part


def test_a_value_that_an_expression_cannot_have() -> None:
    (found,) = judged("lower(x) IN ('A', 'b')").judgements
    assert (found.kind, found.hint) == ("impossible", "compare with 'a'")
    assert judged("lower(x) IN ('A', 'a', 'b')").judgements == ()


def test_a_comparison_with_null() -> None:
    assert kinds(judged("a = NULL")) == ["null comparison"]
    assert kinds(judged("a NOT IN ('x', NULL) AND b = 1")) == ["null comparison"]


def test_what_cannot_be_read_has_a_reason() -> None:
    found = judged("a = = 1")
    assert found.judgements == ()
    assert "cannot be read" in found.unjudged[0]


def test_answers_are_kept(tmp_path: Path) -> None:
    asked: list[tuple[int, int]] = []
    conditions = [condition(text) for text in NEVER]
    first = judge(conditions, cache=tmp_path, progress=lambda done, of: asked.append((done, of)))
    assert asked[-1] == (len(NEVER), len(NEVER))
    asked.clear()
    again = judge(conditions, cache=tmp_path, progress=lambda done, of: asked.append((done, of)))
    assert (again, asked) == (first, [])


def test_a_damaged_cache_is_ignored(tmp_path: Path) -> None:
    first = judge([condition("n BETWEEN 5 AND 3")], cache=tmp_path)
    for file in tmp_path.iterdir():
        file.write_text("{")
    assert judge([condition("n BETWEEN 5 AND 3")], cache=tmp_path) == first


def test_several_processes_find_the_same() -> None:
    conditions = [condition(f"{text} AND k = {number}") for text in NEVER[:8] for number in range(2)]
    assert judge(conditions, jobs=2).judgements == judge(conditions).judgements


def test_what_a_constant_switches_off_is_meant() -> None:
    assert judged("a = 1 AND FALSE").judgements == ()
    assert judged("1 <> 1 AND a = 1").judgements == ()
    assert kinds(judged("1 = 1 AND n BETWEEN 5 AND 3")) == ["never"]
    assert judged("CASE WHEN trim(x) IS NULL THEN FALSE ELSE coalesce(0, 0) >= 10 END").judgements == ()
    assert kinds(judged("CASE WHEN a = 1 THEN a = 2 ELSE a = 1 END")) == ["never"]


LAID_OUT = {
    "a = 1\n  AND b = 2 OR b = 3": "a = 1\n  AND (b = 2 OR b = 3)",
    "a = 1 AND\nb = 2 OR b = 3": "a = 1 AND\n(b = 2 OR b = 3)",
    "a = 1\nAND b = 2\n    OR b = 3\nAND c = 4": "a = 1\nAND (b = 2\n    OR b = 3)\nAND c = 4",
    "x = 9 AND (a = 1\n  AND b = 2 OR b = 3)": "x = 9 AND (a = 1\n  AND (b = 2 OR b = 3))",
}


@pytest.mark.parametrize("text", LAID_OUT)
def test_lines_that_group_otherwise(text: str) -> None:
    (found,) = [item for item in judged(text).judgements if item.kind == "layout"]
    assert found.hint.endswith(LAID_OUT[text])
    assert (found.row is not None, found.outcome is not None) == (True, True)


@pytest.mark.parametrize(
    "text",
    [
        "a = 1 AND b = 2 OR b = 3",
        "a = 1 AND b = 2\nOR b = 3",
        "a = 1\n  AND b = 2\nOR b = 3",
        "a = 1\nAND b = 2\nOR b = 3",
        "a = 1\n  AND (b = 2 OR b = 3)",
        "a = 1\n  AND n BETWEEN 1 AND 2\n  AND b = 2",
        "a = 1\n  AND CASE WHEN b = 2 OR c = 3 THEN TRUE END",
        "a = 1\n  AND a = 1 OR a = 1",
    ],
)
def test_lines_that_group_as_it_means_or_tell_nothing(text: str) -> None:
    assert "layout" not in kinds(judged(text))


def test_a_branch_that_no_row_reaches() -> None:
    texts = ["n > 10", "n > 5", "n > 7 AND k = 1", "n < 0"]
    conditions = [condition(text, clause="case", branches=(3, number)) for number, text in enumerate(texts)]
    found = judge(conditions).judgements
    assert [(item.condition, item.kind) for item in found] == [(2, "unreachable")]


def test_one_of_many_branches_leaves_no_row() -> None:
    words = [f"word{number}x{number * 7}" for number in range(60)]
    texts = [*(f"lower(drug) LIKE '%{word}%'" for word in words), f"lower(drug) LIKE '%{words[25]}%y%'"]
    conditions = [condition(text, clause="case", branches=(3, number)) for number, text in enumerate(texts)]
    result = judge(conditions)
    assert [(item.condition, item.kind) for item in result.judgements] == [(60, "unreachable")]
    assert not result.undecided


def test_what_is_never_true_names_the_operands_that_exclude_each_other() -> None:
    (found,) = judged("a = 1 AND kind IS NULL AND n > 5 AND kind <> 'x'").judgements
    assert (found.kind, found.hint) == ("never", "kind IS NULL, kind <> 'x' exclude each other")
    assert [item.hint for item in judged("kind = 'y' AND kind = 'x'").judgements] == [""]
    (found,) = judged("n BETWEEN 9 AND 5 AND k BETWEEN 1 AND 2").judgements
    assert (found.kind, found.hint) == ("never", "n BETWEEN 9 AND 5 is never TRUE")


def test_a_test_for_null_that_tells_cases_apart_is_meant() -> None:
    assert kinds(judged("a IS NOT NULL OR (a IS NULL AND b <> c)")) == []
    assert kinds(judged("k = 1 AND (a IS NULL OR (a IS NOT NULL AND b = 'x'))")) == []
    text = "(a IS NULL AND b = 'x') OR (a IS NOT NULL AND b = 'x')"
    assert [item.part for item in judged(text).judgements] == ["a IS NULL"]


def test_brackets_in_a_pattern_may_be_a_set_of_characters() -> None:
    text = "result LIKE '%.%'\n OR result LIKE '%[0-9]%'\n AND result NOT LIKE '%[^0-9.]%'"
    assert "redundant" not in kinds(judged(text))
    assert kinds(judged("result LIKE '%[0-9]%' AND result = 'a5'")) == []
    assert kinds(judged("result LIKE '%0-9%' AND result = 'a5'")) == ["never"]


def test_branches_together_leave_no_row() -> None:
    texts = ["n >= 10", "n < 10", "n = 3"]
    conditions = [condition(text, clause="case", branches=(3, number)) for number, text in enumerate(texts)]
    assert [item.condition for item in judge(conditions).judgements] == [2]
    unknown = [
        condition(text, clause="case", branches=(3, at))
        for at, text in enumerate(["n >= 10", "n < 10", "k = 3"])
    ]
    assert judge(unknown).judgements == ()


def test_a_part_of_an_earlier_branch_takes_no_rows() -> None:
    first = condition("a = 1", clause="case", branches=(3, 0))
    part = replace(first, whole=False)
    second = condition("a = 1", clause="case", branches=(3, 1))
    assert kinds(judge([first, second])) == ["unreachable"]
    assert judge([part, second]).judgements == ()


@pytest.mark.parametrize(
    ("results", "meant"), [(("'x'", "'x'"), True), (("'x'", "'y'"), False), (("", ""), False)]
)
def test_a_branch_with_the_result_of_the_one_that_takes_its_rows(
    results: tuple[str, str], meant: bool
) -> None:
    texts = "s LIKE '%cipro%'", "s LIKE '%ciprofloxacin%'"
    branches = [
        replace(condition(text, clause="case", branches=(3, number)), result=result)
        for number, (text, result) in enumerate(zip(texts, results, strict=True))
    ]
    assert [item.meant for item in judge(branches).judgements] == [meant]


@pytest.mark.parametrize(
    ("text", "part", "meant"),
    [
        ("d IS NOT NULL AND d > '2020-01-01' AND (n = 1 OR d < '2019-01-01')", "d < '2019-01-01'", False),
        ("kind IN ('a', 'b') AND (kind = 'a' OR kind = 'b' AND n = 1)", "kind IN ('a', 'b')", True),
        ("kind = 'x' OR kind <> 'y'", "kind = 'x'", True),
        ("a = 1 AND (a = 1 OR b = 2)", "a = 1 OR b = 2", False),
        ("kind = 'a' OR n = 2 OR kind = 'a'", "kind = 'a'", False),
    ],
)
def test_operands_without_effect_that_nobody_means(text: str, part: str, meant: bool) -> None:
    (found,) = judged(text).judgements
    assert (found.kind, found.part, found.meant) == ("redundant", part, meant)


@pytest.mark.parametrize(
    ("other", "hint"),
    [
        ("s LIKE 'tap_%'", "in s LIKE 'tap_%', _ stands for any character; to mean itself, it is escaped"),
        ("s LIKE 'tap%'", ""),
    ],
)
def test_a_wildcard_that_takes_the_rows_of_an_operand(other: str, hint: str) -> None:
    (found,) = judged(f"s LIKE 'tap-%' OR {other}").judgements
    assert (found.part, found.hint) == ("s LIKE 'tap-%'", hint)


@pytest.mark.parametrize(
    ("text", "part", "rest"),
    [
        ("a IS NULL AND (b = 2 OR a = 1)", "a = 1", True),
        ("a IS NULL AND (b = 2 OR NOT a BETWEEN 3 AND 5)", "NOT a BETWEEN 3 AND 5", True),
        ("a = 1 AND (b = 2 OR a = 2 AND c = 3)", "a = 2 AND c = 3", True),
        ("k = 5 OR a IS NULL AND (b = 2 OR (b = 3 OR a = 1) AND c = 4)", "a = 1", True),
        ("a = 'x' AND (b = 2 OR a = 'y' OR a = 'z')", "a = 'y' OR a = 'z'", True),
        ("b = 2 OR (a IS NULL AND a = 1)", "a IS NULL AND a = 1", False),
    ],
)
def test_an_operand_that_the_rest_excludes_may_be_unknown(text: str, part: str, rest: bool) -> None:
    (found,) = judged(text).judgements
    assert (found.kind, found.part, found.meant) == ("redundant", part, False)
    assert found.message == "this operand of OR is never TRUE" + (
        " here: the rest of the condition excludes it" if rest else ""
    )
    assert judged(text, clause="check").judgements == ()  # accepts a row for which it is UNKNOWN


@pytest.mark.parametrize(
    "text",
    [
        "a IS NULL AND NOT (b = 2 AND NOT a = 1)",
        "NOT (a IS NOT NULL OR NOT (b = 2 OR a = 1))",
        "a IS NULL AND CASE WHEN b = 2 OR a = 1 THEN TRUE ELSE FALSE END",
        "y = 1 AND (z = 3 OR 1 = 0)",
        "y = 1 AND (z = 3 OR 2 = 1 AND k = 1)",
        "a = 'x' AND (a = 'y' OR b = 2 OR a = 'z')",  # IN is at the place of `b = 2`, too
        "(a IS NULL OR k = 1) AND (b = 2 OR a = 1)",
        "(a = 1 OR b = 2) IS NOT TRUE AND (k = 3 OR b = 3)",
    ],
)
def test_an_operand_that_may_say_something_is_left_alone(text: str) -> None:
    assert judged(text).judgements == ()


def test_columns_of_two_tables_are_not_mixed_up() -> None:
    conditions = [
        replace(condition(f"{table}.a = 1", clause="case", branches=(3, number)), sql="a = 1")
        for number, table in enumerate(["x", "y"])
    ]
    assert judge(conditions).judgements == ()


def test_a_text_that_lacks_a_part_is_not_used() -> None:
    conditions = [
        replace(condition("a", clause="case", branches=(3, 0)), sql="a = TRUE AND b = 1"),
        replace(condition("x.a", clause="case", branches=(3, 1)), sql="a"),
    ]
    assert judge(conditions).judgements == ()
    laid_out = replace(condition("a = 1\n  AND b = 2 OR b = 3"), sql="a = 1 AND b = 2 OR b = 3 AND c = 4")
    assert judge([laid_out]).judgements == ()


def test_what_a_parser_made_of_a_function_is_not_judged() -> None:
    made = replace(condition("coalesce(amount, 0)", clause="case"), sql="NOT COALESCE(amount, 0) IS NULL")
    assert judge([made]).judgements == ()
    assert kinds(judge([condition("COALESCE(amount, 0) IS NOT NULL")])) == ["always"]


def test_a_part_may_be_written_in_another_way() -> None:
    text = "DATE(s.t) = DATE '2020-01-01' AND n BETWEEN 5 AND 3"
    other = "CAST(t AS DATE) = CAST('2020-01-01' AS DATE) AND n BETWEEN 5 AND 3"
    assert kinds(judge([replace(condition(text, "bigquery"), sql=other)])) == ["never"]


def test_several_cases_of_a_template_at_one_place_are_no_case() -> None:
    conditions = [
        condition(text, clause="case", branches=(3, at)) for at, text in enumerate(["a = 1", "a = 1"])
    ]
    assert kinds(judge(conditions)) == ["unreachable"]
    assert judge([replace(item, rendered=True) for item in conditions]).judgements == ()
    another = condition("b = 2", clause="case", branches=(3, 0))
    assert judge([*conditions, another]).judgements == ()


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("(a = 0 or a is null) and (b > 3 or b > 5)", "b > 5"),
        ("(o.a = 0  or o.a is null)\n  and (o.b > 3 or o.b  >  5)", "o.b  >  5"),
        ("a = 1 and b = 2 and a = 1", "a = 1"),
        ("a = 1 and length(s) < 0 or b = 2", "length(s) < 0"),
        ("a = null or b = 2", "a = null"),
    ],
)
def test_a_finding_about_a_part_points_at_the_part(tmp_path: Path, text: str, part: str) -> None:
    head = "select 1 from t o where "
    (tmp_path / "a.sql").write_text(f"{head}{text};\n")
    arguments = ("discover", "a.sql", "--dialect", "postgres", "--format", "json")
    (finding,) = json.loads(in_process(*arguments, cwd=tmp_path).stdout)["findings"]
    lines = (tmp_path / "a.sql").read_text().splitlines()
    assert lines[finding["line"] - 1][finding["column"] - 1 :].startswith(part)
    if part == "a = 1":
        assert finding["column"] == len(head) + len("a = 1 and b = 2 and ") + 1


def test_what_a_template_says_twice_is_meant(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("select 1 from t where a = 1 {% if v %} and b = 2 {% endif %} and a = 1")
    (tmp_path / "b.sql").write_text("select 1 from {{ ref('t') }} where a = 3 and b = 2 and a = 3")
    told = json.loads(in_process("discover", ".", "--format", "json", cwd=tmp_path).stdout)["findings"]
    assert [(row["file"], row["code"], row["level"]) for row in told] == [
        ("a.sql", "D103", "note"),
        ("b.sql", "D103", "warning"),
    ]


KUBERNETES = [
    ("!has(a.b) || !has(a.b.c) || a.b.c > 3", []),
    ("has(a.b) && has(a.b.c) && a.b.c > 3", []),
    ("has(a.b) && a.b == 'x' && a.b != 'y'", ["redundant"]),
]


@pytest.mark.parametrize(("text", "expected"), KUBERNETES)
def test_a_guard_of_cel_has_an_effect(text: str, expected: list[str]) -> None:
    assert kinds(judge([of_cel(text)])) == expected


def test_conditions_that_differ_by_a_guard_are_not_the_same_rule() -> None:
    guarded, bare = of_cel(KUBERNETES[0][0]), of_cel("!has(a.b.c) || a.b.c > 3")
    assert judge([guarded, bare]).same == ()
    assert judge([guarded, of_cel("a.b.c > 3 || !has(a.b) || !has(a.b.c)")]).same == ((0, 1),)


def of_cel(text: str) -> Condition:
    place = SourceRange("a.yml", 1, 1, 0, len(text))
    return Condition(text, "cel", "", "t", "selector", place, {"a": "json"})


def test_ctrl_c_keeps_what_was_answered(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text(
        "".join(f"select 1 from t where a = {number} and a = {number + 1};\n" for number in range(6))
    )
    rows = folder.read([tmp_path]).conditions
    asked: list[int] = []

    def stop(done: int, total: int) -> None:
        asked.append(total)
        if done == 3:
            raise KeyboardInterrupt

    first = judge(rows, cache=tmp_path / "kept", progress=stop)
    assert (len(first.judgements), first.unanswered, asked) == (2, 4, [6] * 3)
    asked.clear()
    second = judge(rows, cache=tmp_path / "kept", progress=lambda _, total: asked.append(total))
    assert (len(second.judgements), second.unanswered, asked[:4]) == (6, 0, [4] * 4)
