"""The columns of a table keep their names as fields, and every language and engine reads them."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import predicat
from predicat.catalog.keys import FIELD_NAME, IDENTIFIER
from predicat.deploy.field_names import field_names
from tests.cli.test_commands import run
from tests.deploy.test_connections import dsn_of

KEPT = ["größe", "名前", "цена", "a-b", "a_b", "नाम"]


@given(st.lists(st.text(max_size=8), unique=True, max_size=8))
@example(["A·"])  # a name in Python, and none here
def test_each_column_has_a_name_of_its_own(columns: list[str]) -> None:
    names = field_names(columns)
    assert len({name.lower() for name in names}) == len(columns)
    for name, column in zip(names, columns, strict=True):
        assert FIELD_NAME.match(name)
        if (
            re.fullmatch(IDENTIFIER, column)
            and [other.lower() for other in columns].count(column.lower()) == 1
        ):
            assert name == column


def test_a_column_that_is_spelled_like_a_name_gets_it() -> None:
    found = field_names(["a b", *KEPT, "A_B", "Id", "id", "id_2", "1st", "%", "$", "Order ID", "order_id"])
    assert found == [
        *("a_b_2", *KEPT, "A_B_3", "Id", "id_3", "id_2", "column_1st", "column", "column_2"),
        *("order_id_2", "order_id"),
    ]


def test_init_keeps_the_names_of_columns(postgres: Any, tmp_path: Path) -> None:
    columns = ", ".join(f'"{name}" bigint' for name in KEPT)
    postgres.execute(f"CREATE TABLE public.spelled ({columns})")
    try:
        done = run("init", "--from", "public.spelled", "--dsn", dsn_of(postgres), cwd=tmp_path)
    finally:
        postgres.execute("DROP TABLE public.spelled")
    assert done.returncode == 0 and "left out" not in done.stderr
    text = (tmp_path / "catalog" / "spelled.yml").read_text(encoding="utf-8")
    assert [line for line in text.splitlines() if line.endswith(": bigint")] == [
        f"  {name}: bigint" for name in KEPT
    ]


@pytest.mark.parametrize(
    ("text", "start", "said"),
    [
        ("größe > 3", 0, "write the field in backticks: `größe`"),
        ("a == 'ö' && größe > 3", 12, "write the field in backticks: `größe`"),
        ("`größe` > 3 3", 12, "extraneous input '3'"),
        ("1 > `größe`(3)", 5, "no function is named 'größe'"),
        ("`nix` > 3", 0, "no field is named 'nix'"),
    ],
)
def test_errors_have_the_name_and_its_place(text: str, start: int, said: str) -> None:
    with pytest.raises(predicat.PredicatError) as caught:
        predicat.parse(text, "cel", {"größe": "bigint", "a": "string"})
    (problem,) = caught.value.diagnostics
    assert said in problem.render() and problem.span is not None and problem.span.start == start
