"""What is wrong with YAML and Jinja is said in the words of their author, where it begins."""

from pathlib import Path

import pytest

import predicat
from predicat.diagnostics import PredicatError

HEAD = "apiVersion: predicat/v1\ndataset: d\nfields: {a: bigint, s: string}\nfilters:\n"
WRONG = {
    "unclosed double quote": ('  one: {sql: "a > 1}\n', 'the quote " that opens here', "close it", "5:14"),
    "unclosed single quote": ("  one: {sql: 's = 1}\n", "the quote ' that opens here", "''", "5:14"),
    "tab": ("\tone: {sql: a > 1}\n", "a tab", "spaces", "5:1"),
    "columns": ("  one: {sql: a > 1}\n   two: {sql: a > 1}\n", "matches no line", "indent all keys", "6:4"),
    "no brace": ("  one: {sql: a > 1\n  two: {sql: a > 2}\n", "the { that opens here", "write }", "5:8"),
    "brace too many": ("  one: {sql: a > 1}}\n", "unmatched }", "remove it", "5:20"),
    "colon": ("  one:\n    description: note: this\n", "a colon", "quotes", "6:22"),
    "key twice": ("  one: {sql: a > 1}\n  one: {sql: a > 2}\n", "duplicate key", "rename or remove", "6:3"),
    "quoted name": (
        "  one:\n    sql: \"s\" = 'x'\n",
        "after the closing quote",
        "sql: '\"name\" = 1'",
        "6:14",
    ),
    "percent": ("  one:\n    sql: %s > 1\n", "cannot begin with %", "quotes", "6:10"),
    "at": ("  one:\n    sql: @a > 1\n", "cannot begin with @", "quotes", "6:10"),
    "backtick": ("  one:\n    spark: `a` > 1\n", "cannot begin with `", "quotes", "6:12"),
    "star": ("  one:\n    sql: *a > 1\n", "cannot begin with *", "quotes", "6:10"),
    "tag": ("  one:\n    cel: !a\n", "the condition is empty", "begins with !", "6:10"),
    "greater": ("  one:\n    sql: > 1\n", "cannot begin with >", 'sql: "> 1"', "6:10"),
    "braces": ("  one:\n    sql: {{ x }} > 1\n", "cannot begin with {", "quotes", "6:10"),
    "list": ("  - one: {sql: a > 1}\n", "must be a mapping", "name: {sql: a > 1}", "5:3"),
    "hash": ("  one: {sql: s = #1}\n", "the { that opens here", "# { }", "5:8"),
    "escape": ("  one: {sql: \"s RLIKE '\\d'\"}\n", "a backslash", "twice", "5:24"),
    "conflict": ("<<<<<<< HEAD\n  one: {sql: a > 1}\n", "conflict markers of a merge", "one side", "5:1"),
    "comma": ("  one: {sql: a > 1,, }\n", "missing before ,", "remove ,", "5:20"),
    "template": ("  one: {sql: \"{{ filter('x') > 1\"}\n", "{{ opens here", "}}", "5:15"),
    "template block": ('  one: {sql: "{% if x %} a > 1"}\n', "{% if %} is not closed", "{% endif %}", "5:15"),
    "template name": ('  one: {sql: "a > {{ foo }}"}\n', "'foo' is undefined", "var('foo')", "5:22"),
    "template function": ("  one: {sql: \"{{ fliter('x') }}\"}\n", "'fliter'", "'filter'", "5:18"),
    "template variable": ("  one: {sql: \"a > {{ var('minn') }}\"}\n", "no variable", "--var minn", "5:15"),
    "template filter": ('  one: {sql: "a > {{ 1 | rond }}"}\n', "No filter named", "round", "5:15"),
    "template end": ('  one: {sql: "{% endif %} a > 1"}\n', "has no beginning", "{% if ... %}", "5:15"),
    "template tag": ('  one: {sql: "{% foreach x %} a > 1"}\n', "no tag is named 'foreach'", "'for'", "5:15"),
    "template argument": ('  one: {sql: "{{ filter() }}"}\n', "wrong arguments", "filter('name')", "5:15"),
    "template of dbt": ("  one: {sql: \"a > {{ ref('t') }}\"}\n", "'ref'", "no models", "5:22"),
    "template expression": ('  one: {sql: "a > {{ 1 + }}"}\n', "unexpected", "var('name')", "5:15"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_written_wrong_has_a_place_and_an_alternative(tmp_path: Path, name: str) -> None:
    text, message, hint, place = WRONG[name]
    (tmp_path / "c.yml").write_text(HEAD + text, encoding="utf-8")
    with pytest.raises(PredicatError) as error:
        predicat.load_catalog(tmp_path)
    found = error.value.diagnostics[0]
    assert message in found.message and hint in (found.hint or "")
    assert found.where().endswith(f"c.yml:{place}")
    assert "<lambda>" not in found.message
