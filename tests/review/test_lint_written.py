"""What lint finds in the text of filters: each rule on what it finds and on what it leaves alone, and one
finding for one cause.
"""

import json
import re
from pathlib import Path

import pytest

import predicat
from predicat import backends
from predicat.diagnostics import Severity
from predicat.explain.text import pushdown
from predicat.lint import RULES, findings
from predicat.lint.rules.mixed_operators import RULE as MIXED
from tests.cli.test_commands import run
from tests.texts import tables_of

TABLES = tables_of(__file__)
FIELDS = {
    "status": "string",
    "n": "bigint",
    "m": "bigint",
    "created": "timestamp",
    "day": "date",
    "x": "double",
    "y": "double",
    "price": "decimal(10,2)",
    "ok": "boolean",
    "tags": "map<string, string>",
    "words": "array<string>",
    "doc": "json",
}
HEAD = f"apiVersion: predicat/v1\ndataset: orders\nrelation: orders\nfields: {json.dumps(FIELDS)}\n"


def catalog(folder: Path, *bodies: str, more: str = "") -> predicat.catalog.Catalog:
    """A catalog with a filter for each body: `cel: ...`, `jms: ...`, or SQL."""
    (folder / "catalog").mkdir(exist_ok=True)
    text = HEAD + "filters:\n"
    for number, body in enumerate(bodies):
        language, mark, rest = body.partition(": ")
        language, rest = (language, rest) if mark and language in predicat.languages() else ("sql", body)
        text += f"  f{number}: {{{language}: {json.dumps(rest)}}}\n"
    (folder / "catalog" / "c.yml").write_text(text + more)
    return predicat.load_catalog(folder / "catalog")


FOUND = TABLES["found"]
LEFT_ALONE = TABLES["left_alone"]


def rows(table: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(code, body) for code, bodies in table.items() for body in bodies]


@pytest.mark.parametrize(("code", "body"), rows(FOUND))
def test_it_is_found(tmp_path: Path, code: str, body: str) -> None:
    body = body.replace(r"\\", "\\")
    found = findings.collect(catalog(tmp_path, body), [code])
    assert found and {item.code for item in found} == {code}
    for item in found:
        place = item.span.outermost()
        assert place.source.name.endswith("c.yml") and place.source.line_column(place.start)[0] == 6
        assert item.span.text and item.span.text in body
        assert item.hint


@pytest.mark.parametrize(("code", "body"), rows(LEFT_ALONE))
def test_it_is_left_alone(tmp_path: Path, code: str, body: str) -> None:
    assert findings.collect(catalog(tmp_path, body.replace(r"\\", "\\")), [code]) == []


@pytest.mark.parametrize("body", [body for code, body in rows(FOUND) if code == "P301"])
def test_a_negation_that_is_found_rejects_rows_that_the_hint_accepts(tmp_path: Path, body: str) -> None:
    (item,) = findings.collect(catalog(tmp_path, body), ["P301"])
    hinted = body.replace(
        item.span.text, f"({item.span.text} {item.hint[item.hint.index('OR ') : item.hint.index(';')]})"
    )
    before, after = (predicat.parse(text, "sql", FIELDS) for text in (body, hinted))
    gained = predicat.compare(before, after).gained
    assert gained is not None and before.evaluate(gained.row) is None and after.evaluate(gained.row) is True


REFERRING = {
    "NOT matches_filter('f0')": True,
    "n > 3 AND NOT matches_filter('f0')": True,
    'cel: !filter("f0")': True,
    "NOT matches_filter('f1')": False,  # FALSE where the status is missing
    "NOT coalesce(matches_filter('f0'), FALSE)": False,
    "status LIKE 'b%' AND NOT matches_filter('f0')": False,
    "n = 1 AND matches_filter('f2')": False,  # found in the filter that has the negation
}


@pytest.mark.parametrize(("body", "is_found"), REFERRING.items())
def test_a_negation_of_a_filter_is_found_where_it_is_written(
    tmp_path: Path, body: str, is_found: bool
) -> None:
    others = ("status LIKE 'a%'", "status LIKE 'a%' AND status IS NOT NULL", "status <> 'x'")
    found = findings.collect(catalog(tmp_path, *others, body), ["P301"])
    assert [item.name for item in found] == ["orders.f2", *(["orders.f3"] if is_found else [])]
    if is_found:
        assert found[1].message.endswith("without a value for status, which another filter reads")
        assert "filter(" in found[1].span.text


CAUSES = [
    ("status = NULL", ["P501"]),
    ("n = 1 AND status <> NULL", ["P501"]),
    ("n = 1 OR status = NULL", ["P501"]),
    ("status NOT IN ('a', NULL)", ["P501"]),
    ("n = 1 AND status IN ()", ["P502"]),
    ("n = 1 OR status NOT IN ()", ["P502"]),
    ("lower(status) = 'ABC'", ["P504"]),
    ("n = 1 AND lower(status) = 'ABC'", ["P504"]),
    ("lower(status) <> 'ABC'", ["P504"]),
    ("n = 1 OR left(status, 2) = 'abc'", ["P505"]),
    ("substring(status, 1, 2) LIKE 'ab_%'", ["P505"]),
    ("n > 1 AND n < 1 AND m = 3", ["P202"]),
    ("n > 1 OR n <= 1", ["P201"]),
    ("lower(status) = 'abc'", ["P303"]),
    ("coalesce(status, '') = 'ab'", ["P302"]),
    ("substring(status, 1, 2) = 'ab'", []),
    ("x + 0.1 = 0.3", ["P511"]),
    ("price + 0.1 = 0.3", []),
    ("x + 0.1 = 0.3", ["P511"]),
    ("n > 5 AND n - 1 > 3", ["P204"]),
    ("status LIKE 'abc'", ["P506"]),
    ("status <> 'a' AND lower(status) = 'ABC'", ["P504"]),
    ("status <> 'a' AND (ok OR lower(status) = 'ABC')", ["P301", "P504"]),  # two causes at two places
    ("n IN (1, 1) OR status = 'b' AND ok", ["P503", "P509"]),
    ("TRUE", []),
    ("FALSE", []),
    ("status IS NOT NULL AND status = 'a'", []),  # a guard: FALSE where the rest is UNKNOWN
    ("cel: has(tags.k) && tags.k == 'a'", []),
    ("cesql: status = 'a' OR n = 5", []),  # NOT status = 'a' AND n = 5: no negation of its author
    ("cesql: status = 'a' OR n != 5", ["P301"]),
    ("n > 1 AND n > 3", ["P204"]),
]


@pytest.mark.parametrize(("body", "codes"), CAUSES)
def test_no_cause_is_found_twice(tmp_path: Path, body: str, codes: list[str]) -> None:
    found = findings.collect(catalog(tmp_path, body), ignore=["P1"])
    assert sorted({item.code for item in found}) == codes


def test_no_cause_of_a_group_is_found_twice(tmp_path: Path) -> None:
    more = "groups: {k: {filters: [f0, f1], exclusive: true}, j: {filters: [f0, f1, f2]}}\n"
    found = findings.collect(catalog(tmp_path, "n > 1", "n > 5", "n > 5 AND n < 3", more=more), ignore=["P1"])
    assert [(item.code, item.name) for item in found] == [("P401", "orders.k"), ("P202", "orders.f2")]


def test_a_rule_that_is_alone_finds_what_a_more_specific_one_explains(tmp_path: Path) -> None:
    assert [
        item.code for item in findings.collect(catalog(tmp_path, "n = 1 AND status = NULL"), ["P202"])
    ] == ["P202"]


def test_rules_name_known_rules() -> None:
    codes = {rule.code for rule in RULES}
    assert len(codes) == len(RULES) and all(set(rule.over) <= codes - {rule.code} for rule in RULES)


# --- conditions that are not pushed down

PUSHED = [
    ("CAST(n AS string) = '12'", "n = 12"),
    ("coalesce(n, 0) >= 0", "(n >= 0 OR n IS NULL)"),
    ("coalesce(x, 0) BETWEEN 1 AND 5", "(x >= 1 AND (x <= 5 OR x IS NULL))"),
    ("coalesce(x, 9) > 5", "(x > 5 OR x IS NULL)"),
    ("coalesce(status, 'x') = 'x'", "(status = 'x' OR status IS NULL)"),
    ("coalesce(status, '') = 'it''s'", "status = 'it''s'"),
    ("position('a' IN status) > 0", "status LIKE '%a%'"),
    ("position('a' IN status) = 1", "status LIKE 'a%'"),
]


@pytest.mark.parametrize(("body", "better"), PUSHED)
def test_a_condition_that_could_be_pushed_down(tmp_path: Path, body: str, better: str) -> None:
    found = findings.collect(catalog(tmp_path, body), ["P302"], effort=20)
    assert [item.hint for item in found] == [f"write {better}, which means the same"]
    assert found[0].fix is None or len(better) <= len(body)
    assert predicat.compare(
        *(predicat.parse(text, "sql", FIELDS) for text in (body, better)), effort=20
    ).same_rows


REWRITTEN = [
    "year(created) = 2024",
    "year(day) >= 2024",
    "year(created) BETWEEN 2023 AND 2024",
    "date_trunc('month', created) = TIMESTAMP '2024-02-01 00:00:00'",
    "CAST(created AS date) > DATE '2024-02-28'",
    "day + 7 > DATE '2024-01-08'",
    "created - INTERVAL '1 day' >= TIMESTAMP '2024-01-01 00:00:00'",
    "n + 1 = 5",
    "5 - n < 3",
    "n * 2 - 1 <= 6",
    "CAST(n AS double) > 2.5",
    "x * 1.5 > 3",
    "substring(status, 1, 2) = 'ab'",
    "length(status) > 0",
    "length(status) = 0",
]


@pytest.mark.parametrize("body", REWRITTEN)
def test_what_a_where_has_as_bounds_is_left_alone(tmp_path: Path, body: str) -> None:
    """The SQL of the WHERE compares the column itself, and explain says so."""
    filter_ = catalog(tmp_path, body).filters()[0]
    assert findings.collect(catalog(tmp_path, body), ["P302"]) == []
    predicate = filter_.current.predicate
    for dialect in ("spark", "postgres", "duckdb"):
        where = backends.dialect(dialect).render(predicate.node, condition=True)
        assert re.fullmatch(r"\w+ (<>|[<>]?=|<|>|BETWEEN|LIKE) [^()]*", where), where
    assert all(line.startswith("yes") for line in pushdown(predicate.surface))


def test_bounds_are_a_hint_where_unknown_is_accepted(tmp_path: Path) -> None:
    """Bounds may have another outcome where the calculation has none. There a WHERE tells these apart."""
    loaded = catalog(tmp_path, more="  f: {sql: year(created) = 2024, on_unknown: accept}\n")
    better = "created >= TIMESTAMP '2024-01-01 00:00:00' AND created < TIMESTAMP '2025-01-01 00:00:00'"
    found = findings.collect(loaded, ["P302"], effort=20)
    assert [item.hint for item in found] == [f"write ({better}), which means the same"]


@pytest.mark.parametrize(
    "body",
    [
        "n % 10 = 0",
        "month(created) = 2",
        "n + m > 5",
        "n > 5",
        "n * n > 4",
        "length(status) > 3",
        "lower(status) = 'a'",
        "CAST(status AS bigint) = 3",
        "n * 0 = 0",
        "coalesce(n, m) > 5",
        # The WHERE has the bound.
        "coalesce(n, 0) > 5",
        "coalesce(x, 0) > 5",
        "coalesce(created, TIMESTAMP '2024-01-01 00:00:00') > TIMESTAMP '2024-02-01 00:00:00'",
        "coalesce(day, DATE '2024-01-01') <> DATE '2024-01-01'",
        "position('%' IN status) > 0",
        "-x > 5",
        "-x < 5",
    ],
)
def test_a_condition_that_nothing_better_is_known_for(tmp_path: Path, body: str) -> None:
    assert findings.collect(catalog(tmp_path, body), ["P302"]) == []


# --- fixes


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("n IN (1, 2, 1) AND ok", "n IN (1, 2) AND ok"),
        ("status IN ('a','a','a')", "status = 'a'"),
        ("status LIKE 'abc'", "status = 'abc'"),
        ("status NOT LIKE 'abc' AND ok", "status <> 'abc' AND ok"),
        ("status LIKE 'it''s'", "status = 'it''s'"),
        ("coalesce(status, '') = 'a' AND ok", "status = 'a' AND ok"),
        ("coalesce(n, 0) >= 0", "coalesce(n, 0) >= 0"),  # here and below a fix would be longer
        ("x + 0.1 = 0.3", "x + 0.1 = 0.3"),
    ],
)
def test_fixes(tmp_path: Path, before: str, after: str) -> None:
    old = catalog(tmp_path, before)["f0"]
    run("lint", "--fix", "--ignore", "P1", "--effort", "10", cwd=tmp_path)
    new = predicat.load_catalog(tmp_path / "catalog")
    text = new.filters()[0].current.body
    assert text == after or (
        before.startswith("status IN") and text in ("status IN ('a')", "status IN ('a','a')")
    )
    assert len(text) <= len(before) and predicat.compare(old, new["f0"], effort=20).same_rows


# --- numbers of JSON documents: arithmetic with an integer has no value between whole numbers

DOCUMENT = "apiVersion: predicat/v1\ndataset: pods\nfields: {spec: json}\nfilters:\n"


def document(folder: Path, *bodies: str, more: str = "") -> predicat.catalog.Catalog:
    (folder / "catalog").mkdir(exist_ok=True)
    filters = "".join(f"  f{number}: {{cel: '{body}'}}\n" for number, body in enumerate(bodies))
    (folder / "catalog" / "c.yml").write_text(DOCUMENT + filters + more)
    return predicat.load_catalog(folder / "catalog")


@pytest.mark.parametrize(
    "body", ["spec.replicas / 2 > 2", "spec.n - 1 > 2", "type(spec.n) != double && spec.n > 5"]
)
def test_a_condition_on_a_number_of_json_is_neither_never_true_nor_without_effect(
    tmp_path: Path, body: str
) -> None:
    assert not findings.collect(document(tmp_path, body), ["P201", "P202", "P203", "P204", "P205", "P206"])
    run("lint", "--fix", "--ignore", "P1", "--effort", "10", cwd=tmp_path)
    assert f"'{body}'" in (tmp_path / "catalog" / "c.yml").read_text()


@pytest.mark.parametrize(
    ("one", "other"), [("spec.n / 2 > 2", "spec.n < 8"), ("spec.n - 1 > 2", "spec.n < 5.5")]
)
def test_filters_overlap_on_a_number_of_json(tmp_path: Path, one: str, other: str) -> None:
    group = "groups: {k: {filters: [f0, f1], exclusive: true}}"
    (found,) = findings.collect(document(tmp_path, one, other, more=group), ["P4"])
    assert found.code == "P401" and found.message.startswith("f0 and f1 both accept {spec: {n: ")


# --- parameters, variables, macros


def test_parameters_that_decide_nothing(tmp_path: Path) -> None:
    params = "params: {low: {type: bigint, default: 1}, high: {type: bigint, default: 9}}"
    more = (
        f'  g0: {{sql: "n > :low", {params}}}\n  g1: {{sql: "n BETWEEN :low AND :high", {params}}}\n  '
        f'g2: {{cel: "n > low", {params}}}\n'
        f"  g3: {{sql: \"matches_filter('g1', low => :low, high => :high)\", {params}}}\n"
    )
    found = findings.collect(catalog(tmp_path, "ok", more=more), ["P512"])
    assert [(item.name, item.message.split()[-1]) for item in found] == [
        ("orders.g0", "high"),
        ("orders.g2", "high"),
    ]


MACROS = """{% macro big(field) %}{{ field }} > {{ var('limit') }}{% endmacro %}
{% macro huge(field) %}{{ big(field) }}{% endmacro %}
{% macro lonely(field) %}{{ field }} = 1{% endmacro %}
"""


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("{{ huge('n') }} OR n = {{ var('one') }}", {"lonely", "spare"}),
        ("n = {{ var('one') }}", {"big", "huge", "lonely", "limit", "spare"}),
        (
            "{{ lonely('n') }} OR n > {{ var(['one', 'spare'][0]) }}",
            {"big", "huge"},
        ),  # any variable may be meant
    ],
)
def test_variables_and_macros_that_nothing_uses(tmp_path: Path, body: str, names: set[str]) -> None:
    (tmp_path / "macros").mkdir()
    (tmp_path / "macros" / "m.sql").write_text(MACROS)
    loaded = catalog(tmp_path, body, more="vars:\n  limit: 10\n  one: 1\n  spare: 2\n")
    found = findings.collect(loaded, ["P513", "P514"])
    assert {item.name for item in found} == names
    assert all(item.span.outermost().source.text for item in found)
    assert findings.collect(loaded, ["P513", "P514"], whole=False) == []


# --- levels and forms


def test_notes_fail_nobody_who_did_not_ask(tmp_path: Path) -> None:
    catalog(tmp_path, "lower(status) = 'abc'")
    done = run("lint", cwd=tmp_path)
    assert (
        done.returncode == 0
        and done.stdout.startswith("nothing found\n")
        and "1 note P303 (case-folded): predicat lint --select P303" in done.stdout
    )
    done = run("lint", "--select", "P303", cwd=tmp_path)
    assert done.returncode == 1 and "warning[P303]" in done.stdout
    assert run("lint", "--format", "github", cwd=tmp_path).stdout == ""


def test_forms_tell_level_and_place_and_list_every_rule(tmp_path: Path) -> None:
    catalog(tmp_path, "ok AND status = NULL", "lower(status) = 'abc'")
    data = json.loads(run("lint", "--ignore", "P1", "--format", "json", cwd=tmp_path).stdout)
    assert [(item["code"], item["level"], item["line"], item["column"]) for item in data] == [
        ("P501", "error", 6, 21),
        ("P303", "note", 7, 14),
    ]
    log = json.loads(run("lint", "--ignore", "P1", "--format", "sarif", cwd=tmp_path).stdout)["runs"][0]
    assert [
        (item["id"], item["name"], item["defaultConfiguration"]["level"])
        for item in log["tool"]["driver"]["rules"]
    ] == [(rule.code, rule.name, rule.level.value) for rule in RULES]
    assert [result["level"] for result in log["results"]] == ["error", "note"]
    assert log["results"][0]["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 6,
        "startColumn": 21,
    }
    assert run("lint", "--ignore", "P1", "--format", "github", cwd=tmp_path).stdout.startswith(
        "::error file=catalog/c.yml,line=6"
    )


def test_levels() -> None:
    levels = {rule.code: rule.level for rule in RULES}
    assert {code for code, level in levels.items() if level is Severity.NOTE} == {
        "P101",
        "P102",
        "P103",
        "P104",
        "P303",
        "P304",
        "P305",
        "P515",
        "P603",
    }
    assert {code for code, level in levels.items() if level is Severity.ERROR} == {
        "P202",
        "P203",
        "P401",
        "P402",
        "P501",
        "P502",
        "P504",
        "P505",
    }


def test_operators_of_a_macro_are_looked_at_where_it_is_used(tmp_path: Path) -> None:
    (tmp_path / "macros").mkdir()
    (tmp_path / "macros" / "m.sql").write_text("{% macro both() %}n = 1 AND m = 2{% endmacro %}")
    found = findings.collect(catalog(tmp_path, "{{ both() }} OR ok"), ["P509"])
    assert [(item.code, item.span.text) for item in found] == [(MIXED.code, "AND")]
