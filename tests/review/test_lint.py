"""Every lint rule: what it finds, what it leaves alone, and its fix."""

import json
from pathlib import Path

import pytest

import predicat
from predicat.lint import RULES, findings
from predicat.lint.answers import Answers
from predicat.lint.trials import required
from tests.cli.test_commands import run
from tests.review.test_lint_written import FOUND

HEAD = """apiVersion: predicat/v1
dataset: orders
relation: orders
fields: {status: string, n: bigint, created: timestamp, day: date, x: double}
filters:
"""
POLICIES = """  mine: {sql: "status = :who", params: {who: string}}
  small: {sql: n < 10}
  small_and_mine: {sql: "n < 10 AND status = :who", params: {who: string}}
  all_of_them: {sql: n > 1 OR n <= 1 OR n IS NULL}
"""
CASES = [
    ("P101", "  f: {sql: n > 1}", ["orders.status", "orders.created", "orders.day", "orders.x"]),
    ("P102", "  f: {sql: n > 1}\n  g: {description: G., sql: n > 2}", ["orders.f"]),
    ("P103", "  f: {sql: n > 1}\n  g: {owner: g, sql: n > 2}", ["orders.f"]),
    ("P104", "  f: {sql: n > 1}\n  g: {sql: n > 2, tests: [{row: {n: 3}, matches: true}]}", ["orders.f"]),
    (
        "P201",
        "  f: {sql: n > 1 OR n <= 1}\n  g: {sql: n > 1}\n  h: {sql: n IS NULL OR n IS NOT NULL}",
        ["orders.f", "orders.h"],
    ),
    ("P202", "  f: {sql: n > 1 AND n < 1}\n  g: {sql: n > 1 AND n < 3}", ["orders.f"]),
    ("P203", "  f: {sql: 'div(n, 0) = 1'}\n  g: {sql: n > 1 AND n < 1}", ["orders.f"]),
    (
        "P204",
        (
            "  f: {sql: status = 'a' AND n > 3 AND n > 1}\n  g: {cel: n > 3 || n < 1}\n  h: {cel: '!(n > 3 "
            "|| n > 1)'}"
        ),
        ["orders.f", "orders.h"],
    ),
    ("P205", "  f: {sql: n > 1}\n  g: {sql: n > 5}\ngroups: {k: {filters: [f, g]}}", ["orders.g"]),
    ("P206", "  f: {cel: n >= 4}\n  g: {sql: n > 3}\n  h: {sql: n > 4}", ["orders.g"]),
    (
        "P301",
        (
            "  f: {sql: status <> 'x'}\n  g: {sql: status <> 'x' OR status IS NULL}\n  h: {sql: status <> "
            "'x', tests: [{row: {status: null}, matches: false}]}\n  i: {sql: x <> x + 1}\n"
            "  j: {sql: x > x + 1}\n  k: {sql: x IS DISTINCT FROM x + 1}"
        ),
        ["orders.f", "orders.i"],
    ),
    (
        "P302",
        (
            "  f: {sql: 'coalesce(n, 0) >= 0'}\n  g: {sql: lower(status) = 'ab'}\n  h: {sql: n % 2 = 1}\n"
            "  i: {sql: year(created) = 2024}\n  j: {sql: year(created) = 2024, on_unknown: accept}"
        ),
        ["orders.f", "orders.j"],
    ),
    (
        "P401",
        "  f: {sql: n > 1}\n  g: {sql: n < 5}\ngroups: {k: {filters: [f, g], exclusive: true}}",
        ["orders.k"],
    ),
    (
        "P402",
        "  f: {sql: n > 1}\n  g: {sql: n <= 1}\ngroups: {k: {filters: [f, g], exhaustive: true}}",
        ["orders.k"],
    ),
    (
        "P402",
        (
            "  f: {sql: n > 1}\n  g: {sql: n <= 1 OR n IS NULL}\ngroups: {k: {filters: [f, g], exhaustive: "
            "true}}"
        ),
        [],
    ),
    (
        "P601",
        (
            f"{POLICIES}policies:\n  p: {{roles: [r], using: all_of_them}}\n  q: {{using: mine, check: "
            "all_of_them}\n  r: {permissive: false, using: all_of_them}\n  s: {using: mine}"
        ),
        ["orders.p", "orders.q", "orders.r"],
    ),
    (
        "P602",
        (
            f"{POLICIES}policies:\n  p: {{using: mine, check: small}}\n"
            "  q: {using: small, check: small_and_mine}"
        ),
        ["orders.p"],
    ),
    (
        "P603",
        (
            f"{POLICIES}policies:\n  p: {{using: mine}}\n  q: {{using: mine, command: update}}\n"
            "  r: {using: mine, command: select}\n  s: {using: mine, check: mine}"
        ),
        ["orders.p", "orders.q"],
    ),
    (
        "P604",
        (
            f"{POLICIES}policies:\n  p: {{using: mine, command: select, roles: [a]}}\n"
            "  q: {permissive: false, using: small, command: select, roles: [a]}\n"
            "  r: {permissive: false, using: small, command: select, roles: [b]}\n"
            "  s: {permissive: false, using: small, command: delete}"
        ),
        ["orders.r", "orders.s"],
    ),
    (
        "P605",
        (
            f"{POLICIES}  f: {{sql: n > 1, view: {{security_invoker: false}}}}\n"
            "  g: {sql: n > 2, view: {materialized: true}}\n  h: {sql: n > 3}\nkey: [n]\n"
            "policies: {p: {using: mine}}"
        ),
        ["orders.f", "orders.g"],
    ),
]


def write(tmp_path: Path, text: str) -> Path:
    (tmp_path / "catalog").mkdir(exist_ok=True)
    who = "\nattributes: {who: {type: string, postgres: current_user}}" if "policies:" in text else ""
    (tmp_path / "catalog" / "c.yml").write_text(HEAD + text + who + "\n")
    return tmp_path / "catalog"


@pytest.mark.parametrize(("code", "text", "names"), CASES)
def test_rules(tmp_path: Path, code: str, text: str, names: list[str]) -> None:
    found = findings.collect(predicat.load_catalog(write(tmp_path, text)), [code])
    assert [item.name for item in found] == names


def test_what_one_place_of_the_text_says_is_one_operand(tmp_path: Path) -> None:
    text = """  f: {cel: 'j.k == "x" || n > 3'}
  g: {cel: 'j.k == "x" && n > 3 && j.n == 2 && n > 1'}
  h: {sql: n BETWEEN 1 AND 5 AND n > 3}
  i: {cel: 'j.k in ["x", "y"] && (n > 3 || j.k == "x") && j.k == "x"'}"""
    folder = write(tmp_path, text)
    (folder / "c.yml").write_text((folder / "c.yml").read_text().replace("fields: {", "fields: {j: json, "))
    found = findings.collect(predicat.load_catalog(folder), ["P204"])
    assert [(item.name, item.span.text) for item in found] == [
        ("orders.g", "n > 1"),
        ("orders.i", 'j.k in ["x", "y"]'),
    ]


# tests/deploy/test_advice.py
IN_DATABASES = ("P306", "P307", "P308", "P309", "P310")


def test_every_rule_has_a_case_and_a_line_in_the_docs() -> None:
    tried = {code for code, _, _ in CASES} | {*FOUND, *IN_DATABASES, "P304", "P305", "P512", "P513", "P514"}
    assert {rule.code for rule in RULES} == tried, (
        "add bodies to found and left_alone in test_lint_written.yml"
    )
    docs = (Path(__file__).parent.parent.parent / "docs" / "review.md").read_text()
    for rule in RULES:
        line = f"| {rule.code} | {rule.name} | {rule.level.value} | {rule.doc}"
        assert line in docs, "add a row to the table of docs/review.md"


def test_gaps_and_overlaps_are_shown_as_rows(tmp_path: Path) -> None:
    text = (
        "  f: {sql: n > 1}\n  g: {sql: n < 5}\n  h: {sql: n > 7}\ngroups: {k: {filters: [f, g], exclusive: "
        "true}, e: {filters: [h, f], exhaustive: true}}"
    )
    found = {
        item.code: item.message
        for item in findings.collect(predicat.load_catalog(write(tmp_path, text)), ["P4"])
    }
    assert found == {"P401": "f and g both accept {n: 2}", "P402": "no filter of the group accepts {}"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("status = 'a' AND n > 3 AND n > 1", "status = 'a' AND n > 3"),
        ("n > 1 AND n > 3", "n > 3"),
        ("(n > 1) AND (n > 3)", None),  # a fix that would leave a bracket open is not applied
        ("lower(status) = 'ab'", "lower(status) = 'ab'"),  # no fix makes a filter longer, here and below
        ("position('a' IN status) = 1", "status LIKE 'a%'"),
        ("CAST(n AS string) = '12'", "n = 12"),
        ("year(day) = 2024 AND n > 1", "year(day) = 2024 AND n > 1"),
        ("CAST(created AS date) = DATE '2024-02-29'", "CAST(created AS date) = DATE '2024-02-29'"),
        ("coalesce(status, 'x') = 'y'", "status = 'y'"),
        ("coalesce(status, 'x') = 'x'", "coalesce(status, 'x') = 'x'"),
    ],
)
def test_fixes_keep_the_rows(tmp_path: Path, before: str, after: str | None) -> None:
    folder = write(tmp_path, f'  f: {{sql: "{before}"}}')
    old = predicat.load_catalog(folder)["f"]
    run("lint", "--fix", "--select", "P2", "--select", "P3", "--effort", "30", cwd=tmp_path)
    new = predicat.load_catalog(folder)["f"]
    assert predicat.compare(old, new, effort=60).same_rows
    if after is not None:
        assert f'sql: "{after}"' in (folder / "c.yml").read_text()


@pytest.mark.long
def test_the_command(tmp_path: Path) -> None:
    write(tmp_path, "  f: {sql: n > 1 AND n > 3}")
    done = run("lint", "--select", "P204", cwd=tmp_path)
    assert (
        done.returncode == 1
        and "warning[P204]: orders.f: this operand of AND has no effect\n  --> catalog/c.yml:6:12"
        in done.stdout
    )
    assert run("lint", "--select", "P201", cwd=tmp_path).stdout == "nothing found\n"
    assert (
        json.loads(run("lint", "--select", "P204", "--format", "json", cwd=tmp_path).stdout)[0]["fixable"]
        is True
    )
    assert json.loads(run("lint", "--format", "sarif", cwd=tmp_path).stdout)["version"] == "2.1.0"
    assert run("lint", "--select", "P204", "--format", "github", cwd=tmp_path).stdout.startswith(
        "::warning file=catalog/c.yml,line=6"
    )
    done = run("lint", "--select", "Q1", cwd=tmp_path)
    assert done.returncode == 2 and "no rule is named 'Q1'" in done.stderr
    assert run("lint", "--rules", cwd=tmp_path).stdout.startswith("P101  unused-field")


@pytest.mark.long
def test_what_is_kept_between_runs_is_never_trusted_when_it_is_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(tmp_path, "  f: {sql: n > 1 AND n > 3}\n  g: {sql: n >= 4}")
    kept = tmp_path / "kept"
    monkeypatch.setenv("PREDICAT_CACHE", str(kept))
    first = run("lint", cwd=tmp_path)
    (answers,) = (kept / "lint").glob("answers-*.json")
    (once,) = (kept / "lint").glob("run-*.json")
    assert run("lint", cwd=tmp_path).stdout == first.stdout
    once.write_text(once.read_text().replace("orders.f", "orders.x"))
    assert run("lint", cwd=tmp_path).stdout == first.stdout
    (folder / "c.yml").write_text((folder / "c.yml").read_text() + "# another text, the same filters\n")
    answers.write_text(answers.read_text().replace("same rows", "narrower"))
    assert run("lint", cwd=tmp_path).stdout == first.stdout
    assert "narrower" not in answers.read_text()
    (folder / "c.yml").write_text((folder / "c.yml").read_text().replace("n > 1", "n > 7"))
    done = run("lint", cwd=tmp_path).stdout
    assert "P206" not in done and "P204" in done


def test_answers_are_asked_for_once() -> None:
    known = Answers()
    assert known.ask(("a", 1), lambda: True) and known.ask(("a", 1), lambda: False)
    assert not known.ask(("a", 2), lambda: False)


@pytest.mark.parametrize(
    ("filters", "same"),
    [
        (["n > 1", "n >= 2", "n > 2"], {1: 0}),
        (
            [
                "status = 'a'",
                "status IN ('a')",
                "status LIKE 'a'",
                "status = 'b'",
                "status >= 'a' AND status <= 'a'",
            ],
            {1: 0, 2: 0, 4: 0},
        ),
        (["status = 'a' OR status = 'b'", "status IN ('b', 'a')", "status = 'a'", "status = 'b'"], {1: 0}),
        (
            [
                "status IS NULL OR status = 'v1'",
                "status IS NULL OR status = 'v2'",
                "status = 'v2' OR status IS NULL",
            ],
            {2: 1},
        ),
        ([f"NOT (n = {number})" for number in range(40)] + ["n <> 7"], {40: 7}),
        (
            [f"status = 'x{number}' AND n > {number}" for number in range(40)] + ["n >= 8 AND status = 'x7'"],
            {40: 7},
        ),
    ],
)
def test_every_duplicate_is_found_once(tmp_path: Path, filters: list[str], same: dict[int, int]) -> None:
    folder = write(
        tmp_path, "\n".join(f'  f{number}: {{sql: "{text}"}}' for number, text in enumerate(filters))
    )
    found = findings.collect(predicat.load_catalog(folder), ["P206"])
    assert {item.name: item.message for item in found} == {
        f"orders.f{at}": f"it accepts the same rows as orders.f{first}" for at, first in same.items()
    }


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("status = 'a' AND n > 1", {"status:string": {"a"}}),
        ("status IN ('a', 'b') AND status IN ('b', 'c')", {"status:string": {"b"}}),
        ("status = 'a' OR status = 'b' AND n = 1", {"status:string": {"a", "b"}}),
        ("status = 'a' OR n = 1", {}),
        ("NOT (status = 'a')", {}),
        ("lower(status) = 'a'", {"(lower status:string)": {"a"}}),
    ],
)
def test_values_that_a_predicate_requires(text: str, values: dict[str, set[str]]) -> None:
    node = predicat.parse(text, "sql", {"status": "string", "n": "bigint"}).node
    assert required(node) == values


def test_the_reference_catalog_has_only_findings_that_are_known() -> None:
    found = findings.collect(predicat.load_catalog("catalog"), ignore=["P101"])
    assert sorted({(item.code, item.name) for item in found}) == [
        ("P206", "events.after_tso_wire"),  # the same filter in another language, on purpose
        ("P206", "events.from_github_glob"),  # as above
        ("P206", "events.pull_of_repository"),  # as above
        ("P303", "events.insecure_source"),
        ("P507", "events.from_github_regex"),  # as Knative's document has it
    ]
