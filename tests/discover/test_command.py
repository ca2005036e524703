"""`predicat discover` as a user has it: output, forms, exit codes, baseline."""

import json
from pathlib import Path

import pytest

from tests.processes import in_process

DEAD = "select *\nfrom plans p\nwhere lower(p.coverage) like '%MP%' and p.kind <> 2;\n"
FINE = "select * from plans where kind = 3;\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "dead.sql").write_text(DEAD)
    (tmp_path / "models" / "fine.sql").write_text(FINE)
    return tmp_path


def test_findings_have_places_and_carets(folder: Path) -> None:
    done = in_process("discover", "models", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "error[D101]: plans: it is never TRUE" in done.stdout
    assert "  --> models/dead.sql:3:7" in done.stdout
    assert "^" * len("lower(p.coverage) like '%MP%' and p.kind <> 2") in done.stdout
    assert "files            2  sql 2" in done.stdout and "conditions       2  where 2" in done.stdout


def test_check_fails_on_what_is_never_true(folder: Path) -> None:
    assert in_process("discover", "models", "--check", cwd=folder).returncode == 1
    assert in_process("discover", "models/fine.sql", "--check", cwd=folder).returncode == 0


def test_a_baseline_holds_known_findings(folder: Path) -> None:
    done = in_process("discover", "models", "--baseline", "known.txt", "--update-baseline", cwd=folder)
    assert (done.returncode, done.stdout) == (0, "known.txt: 1 finding, 1 new, 0 gone\n")
    done = in_process("discover", "models", "--check", "--baseline", "known.txt", cwd=folder)
    assert done.returncode == 0 and "D101" not in done.stdout
    (folder / "models" / "dead.sql").write_text("-- moved\n" + DEAD)
    assert in_process("discover", "models", "--check", "--baseline", "known.txt", cwd=folder).returncode == 0
    (folder / "models" / "new.sql").write_text("select 1 from t where a = 1 and a = 2")
    done = in_process("discover", "models", "--check", "--baseline", "known.txt", cwd=folder)
    assert done.returncode == 1 and "models/new.sql:1:23" in done.stdout


def test_forms_for_programs(folder: Path) -> None:
    data = json.loads(in_process("discover", "models", "--format", "json", cwd=folder).stdout)
    assert [(row["file"], row["line"], row["sql"]) for row in data["conditions"]] == [
        ("models/dead.sql", 3, "LOWER(coverage) LIKE '%MP%' AND kind <> 2"),
        ("models/fine.sql", 1, "kind = 3"),
    ]
    assert [(row["code"], row["line"], row["column"]) for row in data["findings"]] == [("D101", 3, 7)]
    log = json.loads(in_process("discover", "models", "--format", "sarif", cwd=folder).stdout)
    (result,) = log["runs"][0]["results"]
    assert result["ruleId"] == "D101" and result["level"] == "error"
    assert in_process("discover", "models", "--format", "github", cwd=folder).stdout.startswith(
        "::error file="
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("nowhere",), "Path 'nowhere' does not exist"),
        ((), "name files or folders, or a server with --dsn"),
        (("models", "--dialect", "cobol"), "no SQL dialect is named 'cobol'; known are athena,"),
        (("models", "--update-baseline"), "--update-baseline needs --baseline FILE"),
        (("models", "--baseline", "b.txt"), "there is no baseline file b.txt"),
        (
            ("models", "--baseline", "models/fine.sql"),
            "hint: remove the line, or the file, and write it with --update-baseline",
        ),
        (("models", "--interactive"), "--interactive needs --propose FOLDER"),
        (("models", "--check", "--propose", "q"), "--propose and --check cannot be combined"),
        (("models", "--patch", "p", "--propose", "q", "--read-only"), "--propose and --read-only cannot be"),
        (("models", "--check", "--read-only"), "--check and --read-only cannot be combined"),
        (("models", "--select", "D9"), "no finding has a code that begins with 'D9'; known are D101,"),
        (("models", "--catalog", "nowhere"), "nowhere"),
        (("models", "--engine", "nowhere"), "nowhere is neither a folder nor a DSN"),
        (("models", "--jobs", "0"), "0 is not in the range"),
    ],
)
def test_wrong_use(folder: Path, options: tuple[str, ...], message: str) -> None:
    done = in_process("discover", *options, cwd=folder)
    assert done.returncode == 2 and message in done.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["models"]


def test_a_check_that_judges_nothing_fails(folder: Path) -> None:
    (folder / "empty").mkdir()
    done = in_process("discover", "empty", cwd=folder)
    assert done.returncode == 0
    assert "warning[usage]: there is no SQL and no other condition in empty" in done.stderr
    done = in_process("discover", "empty", "--check", cwd=folder)
    assert done.returncode == 2
    assert "error[usage]: no condition was checked, because none was found\n  = hint: name the" in done.stderr
    (folder / "empty" / "a.sql").write_text("select 1 from t where name = 'a' and name = 'A'")
    done = in_process("discover", "empty", "--check", "--dialect", "mysql", cwd=folder)
    assert done.returncode == 2 and "conditions       1" in done.stdout
    assert "error[usage]: no condition was checked: " in done.stderr and "--dialect" in done.stderr


def test_a_file_of_a_hook_may_have_no_condition(folder: Path) -> None:
    (folder / "plain.sql").write_text("select 1")
    (folder / "plain.yml").write_text("a: 1")
    done = in_process("discover", "plain.sql", "plain.yml", "--check", cwd=folder)
    assert done.returncode == 0
    assert done.stderr == "warning[usage]: no condition was checked, because none was found\n"


def test_a_page_has_the_rules_and_their_places(folder: Path) -> None:
    (folder / "models" / "odd.sql").write_text("select 1 from t where a = '<script>' and a = 2 and a = 3")
    done = in_process("discover", "models", "--format", "html", "--output", "page.html", cwd=folder)
    assert done.returncode == 0 and done.stdout.startswith("files ")
    page = (folder / "page.html").read_text()
    assert "models/dead.sql:3" in page and "D101" in page and "LOWER(coverage) LIKE &#39;%MP%&#39;" in page
    assert "&lt;script&gt;" in page and "'<script>'" not in page
    assert page.index("models/dead.sql:3") < page.index("What was read") < page.index("Where rules live")
    (folder / "models" / "odd.sql").write_text("select 1 from t where a = 1")
    done = in_process("discover", "models/odd.sql", "--format", "html", cwd=folder)
    assert "<p>No finding is more than a note.</p><details open>" in done.stdout


def test_the_catalog_is_that_of_the_project(folder: Path) -> None:
    (folder / "rules").mkdir()
    (folder / "rules" / "plans.yml").write_text(
        "apiVersion: predicat/v1\ndataset: plans\nrelation: plans\nfields: {kind: bigint}\n"
        "filters: {third: {sql: kind = 3}}\n"
    )
    (folder / "predicat.yml").write_text("catalog: {name: test, path: rules}\n")
    done = in_process("discover", "models/fine.sql", "--select", "D301", cwd=folder)
    assert "this is a copy of the filter plans.third" in done.stdout, done.stderr
    (folder / "predicat.yml").write_text("catalog: test\n")
    assert in_process("discover", "models/fine.sql", cwd=folder).returncode == 0


def test_a_catalog_with_problems_is_wrong_use(folder: Path) -> None:
    (folder / "catalog").mkdir()
    (folder / "catalog" / "a.yml").write_text(
        "apiVersion: predicat/v1\ndataset: a\nfilters: {b: {sql: '(('}}\n"
    )
    assert in_process("discover", "models", cwd=folder).returncode == 2


def test_rules_that_disagree_come_first_and_copies_of_a_file_once(tmp_path: Path) -> None:
    twice = "select 1 from t where a = 1 and (a = 1 or b = 2);\n"
    near = "select 1 from orders where status in ('open', 'held') and kind = 'a' and amount {} 0;\n"
    (tmp_path / "a.sql").write_text(twice + twice + near.format(">"))
    (tmp_path / "b.sql").write_text(
        near.format(">=") + "select case when a = 1 and (a = 1 or b = 3) then 1 end from t"
    )
    done = in_process("discover", ".", cwd=tmp_path)
    told = [line for line in done.stdout.splitlines() if line.startswith(("warning", "note", "error"))]
    assert [line.partition("]")[0] for line in told] == ["warning[D202", "warning[D103"]
    assert "They differ for" in told[0] and "= hint: it is also in line 2" in done.stdout
    assert "D103 redundant (note)" in done.stdout  # of the branch of CASE, which selects no rows


def test_what_is_not_shown_is_counted(tmp_path: Path) -> None:
    conditions = (f"select 1 from t where a = {number} and (a = {number} or b = 2);" for number in range(22))
    (tmp_path / "a.sql").write_text("\n".join(conditions))
    done = in_process("discover", ".", cwd=tmp_path)
    assert done.stdout.count("warning[D103]") == 20
    assert "and 2 more: D103 2 (--select CODE lists them)" in done.stdout
    assert in_process("discover", ".", "--select", "D103", cwd=tmp_path).stdout.count("warning[D103]") == 22
