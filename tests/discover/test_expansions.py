"""A function that sqlglot expands is a function that is not known."""

from pathlib import Path

import pytest
from sqlglot import Dialect, exp
from sqlglot.dialects.dialect import Dialects
from sqlglot.errors import SqlglotError

from predicat.discover.abstraction import read_sql
from predicat.discover.expansions import with_calls
from tests.processes import in_process
from tests.rounds import rounds


def parsed(sql: str, dialect: str) -> exp.Expr:
    speaker = Dialect.get_or_raise(dialect or None)
    (root,) = speaker.parser().parse(speaker.tokenize(sql), sql)
    assert root is not None
    return with_calls(root, sql, dialect)


@pytest.mark.parametrize(
    ("dialect", "call"),
    [
        ("snowflake", "DIV0(a, b)"),
        ("snowflake", "DIV0NULL(a, b)"),
        ("snowflake", "ZEROIFNULL(a)"),
        ("snowflake", "DIV0(DIV0(a, b), ZEROIFNULL(c))"),
        ("snowflake", "NULLIFZERO(a)"),
        ("snowflake", "IFF(a > 1, b, 3)"),
        ("mysql", "ISNULL(a)"),
        ("postgres", "COALESCE(a, b)"),
        ("spark", "LOWER(a)"),
    ],
)
def test_a_call_stays_what_was_written(dialect: str, call: str) -> None:
    assert parsed(f"SELECT {call}", dialect).sql(dialect) == f"SELECT {call}"


def test_no_function_of_any_dialect_is_a_choice_that_nobody_wrote() -> None:
    """Each function of sqlglot with columns as arguments: it is no CASE, IF or test for NULL."""
    base = Dialect.get_or_raise(None).parser_class.FUNCTIONS
    for dialect in rounds(Dialects, 30):
        functions = Dialect.get_or_raise(dialect.value or None).parser_class.FUNCTIONS
        for name, build in rounds(sorted(functions.items()), 600):
            if name in {"IF", "IFF", "IIF"} or (dialect.value and build is base.get(name)):
                continue
            for arguments in ("a", "a, b", "a, b, c"):
                try:
                    root = parsed(f"SELECT {name}({arguments})", dialect.value)
                except (SqlglotError, TypeError, ValueError, AttributeError, IndexError):
                    continue  # another number of arguments
                call = root.expressions[0].unalias() if root.expressions else root
                if not isinstance(call, exp.Func) or isinstance(call, exp.If | exp.Case):
                    assert not any(call.find_all(exp.If, exp.Case, exp.Is)), (dialect, name)


def test_an_expanded_function_is_an_arbitrary_one() -> None:
    found = read_sql("div0(a, b) > 1", "snowflake")
    assert {part.upper() for part in found.parts} == {"DIV0(A, B)"}


def test_a_rule_with_such_a_function_is_the_same_only_with_the_same_call(tmp_path: Path) -> None:
    conditions = (
        "div0(a, b) > 1 and x = 2 and y = 4",
        "x = 2 and div0(a, b) > 1 and y = 4",
        "x = 2 and div0(a, c) > 1 and y = 4",
        "x = 2 and case when b = 0 and a is not null then 0 else a / b end > 1 and y = 4",
    )
    (tmp_path / "a.sql").write_text("".join(f"select 1 from t where {one};\n" for one in conditions))
    done = in_process("discover", "a.sql", "--dialect", "snowflake", "--select", "D2", cwd=tmp_path)
    assert done.stdout.count("note[D201]") == 1
    assert "t: the same rule is in a.sql:2\n" in done.stdout
