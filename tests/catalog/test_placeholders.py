"""`${name}` in the texts of languages without parameters of their own."""

from pathlib import Path

import pytest

import predicat

_HEAD = """\
apiVersion: predicat/v1
dataset: d
relation: d
fields:
      attributes: map<string, string>
      ce: map<string, string>
      headers: map<string, string>
      state: string
filters:
  f:
"""


def _predicate(tmp_path: Path, body: str) -> predicat.Predicate:
    (tmp_path / "c.yml").write_text(_HEAD + body)
    return predicat.load_catalog(tmp_path)["f"]


@pytest.mark.parametrize(
    ("body", "row"),
    [
        ('sns: {a: ["${v}"]}', {"attributes": {"a": "x"}}),
        ('sns: {a: [{prefix: "p-${v}"}]}', {"attributes": {"a": "p-x-1"}}),
        ('cloudevents: [{exact: {type: "a.${v}.${v}"}}]', {"ce": {"type": "a.x.x"}}),
        ("cesql: subject = '${v}'", {"ce": {"subject": "x"}}),
        ('headers: {headerIn: {k: ["y", "${v}"]}}', {"headers": {"k": "x"}}),
        ("jms: state = '${v}'", {"state": "x"}),
    ],
)
def test_a_declared_name_is_a_parameter(tmp_path: Path, body: str, row: dict[str, object]) -> None:
    found = _predicate(tmp_path, f"    {body}\n    params: {{v: string}}\n")
    assert found.params == ("v",)
    assert found.evaluate(row, v="x") is True
    assert found.evaluate(row, v="other") is not True
    assert ":v" in found.sql("spark") and ":v" in found.sql("postgres") and ":v" in found.sql("duckdb")


def test_another_name_is_text(tmp_path: Path) -> None:
    found = _predicate(
        tmp_path, '    sns: {a: ["${other}", "${v}"]}\n    params: {v: {type: string, default: x}}\n'
    )
    assert found.evaluate({"attributes": {"a": "${other}"}}, v="x") is True


def test_sql_and_cel_have_parameters_of_their_own(tmp_path: Path) -> None:
    found = _predicate(tmp_path, "    sql: state = '${v}' AND state <> :v\n    params: {v: string}\n")
    assert found.evaluate({"state": "${v}"}, v="x") is True


def test_a_pattern_is_constant(tmp_path: Path) -> None:
    with pytest.raises(predicat.PredicatError, match="the pattern of LIKE must be a constant"):
        _predicate(tmp_path, '    sns: {a: [{wildcard: "${v}*"}]}\n    params: {v: string}\n')
