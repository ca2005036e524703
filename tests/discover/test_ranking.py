"""Which findings come first and where they come from, in a repository with fixed dates and authors."""

import json
import math
import os
import subprocess
from pathlib import Path

import pytest

from predicat.diagnostics import Source, Span
from predicat.discover.conditions import SourceRange
from predicat.discover.findings import Found
from predicat.discover.origins import changes, origins
from predicat.discover.ranking import Ranking, once
from predicat.forge import git
from predicat.forge.links import line_address, web_address
from tests.processes import in_process

NEVER = "select 1 from {} where a = {} and a = 0;\n"
NEAR = "select 1 from orders where status in ('open', 'held') and kind = 'a' and amount {} 0;\n"
HOSTILE = "J\x1b[31m|&lt;b>`x`\u202e @all"  # git takes < and > out of names


def commit(root: Path, day: str, author: str, subject: str, **files: str) -> str:
    """Commit files as an author does on a day; gives the hash."""
    for name, text in files.items():
        (root / f"{name}.sql").write_text(text)
    who = {
        f"GIT_{role}_{key}": value
        for role in ("AUTHOR", "COMMITTER")
        for key, value in (("NAME", author), ("EMAIL", "x@example.com"), ("DATE", f"{day}T23:30:00+0900"))
    }
    for args in (("add", "-A"), ("commit", "-q", "--no-gpg-sign", "-m", subject)):
        subprocess.run(["git", "-C", str(root), *args], check=True, env={**os.environ, **who})
    told = subprocess.run(["git", "-C", str(root), "rev-parse", "HEAD"], check=True, capture_output=True)
    return told.stdout.decode().strip()


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose last commit is from 2023: `busy` changed three times in the year before it, `old`
    often in the years before that, and `calm` once.
    """
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    for number in range(6):
        commit(tmp_path, f"2020-01-0{number + 1}", "Ann", "More", old=NEVER.format("old", number + 1))
    commit(tmp_path, "2023-01-01", "Ann", "Three", busy="-- 1\n", calm=NEVER.format("calm", 7))
    commit(tmp_path, "2023-03-01", "Bob", "Twice", busy=NEVER.format("busy", 8))
    commit(tmp_path, "2023-06-01", HOSTILE, "A <i>|`", busy=NEVER.format("busy", 8) + "select 2;\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def places(text: str) -> list[str]:
    """The places of the findings, in their order."""
    return [line.removeprefix("  --> ") for line in text.splitlines() if line.startswith("  --> ")]


def test_changes_are_those_of_a_year_before_the_last_commit(repository: Path) -> None:
    assert changes(["busy.sql", "calm.sql", "old.sql", "gone.sql"]) == {"busy.sql": 3, "calm.sql": 1}
    commit(repository, "2024-02-01", "Ann", "Later", calm=NEVER.format("calm", 9))
    assert changes(["busy.sql", "calm.sql"]) == {"busy.sql": 2, "calm.sql": 1}


def test_a_file_that_changes_often_comes_first(repository: Path) -> None:
    assert places(in_process("discover", ".", cwd=repository).stdout) == [
        "busy.sql:1:26",
        "calm.sql:1:26",
        "old.sql:1:25",
    ]


def test_a_mistake_in_many_places_comes_first(repository: Path) -> None:
    for number in range(5):
        (repository / f"copy{number}.sql").write_text(NEVER.format(f"t{number}", 3))
    text = in_process("discover", ".", cwd=repository).stdout
    assert places(text) == ["copy0.sql:1:24", "busy.sql:1:26", "calm.sql:1:26", "old.sql:1:25"]
    assert "it is also in copy1.sql:1, copy2.sql:1, copy3.sql:1 and 1 more; in 5 relations" in text


def test_rules_that_disagree_are_the_first_of_those_that_are_shown(repository: Path) -> None:
    commit(repository, "2023-06-02", "Ann", "Near", one=NEAR.format(">"), two=NEAR.format(">="))
    assert places(in_process("discover", ".", cwd=repository).stdout)[0] == "one.sql:1:28"
    data = json.loads(in_process("discover", ".", "--format", "json", cwd=repository).stdout)
    (near,) = (item for item in data["findings"] if item["code"] == "D202")
    assert near["row"] == {"status": "held", "kind": "a", "amount": 0}
    assert [place["file"] for place in near["places"]] == ["one.sql", "two.sql"]
    assert near["written"]["subject"] == "Near" and near["changes"] == 1


def test_rules_of_several_relations_name_them(tmp_path: Path) -> None:
    rule = "select 1 from {} where feed_key {};\n"
    for name in ("one", "two", "three"):
        (tmp_path / f"{name}.sql").write_text(rule.format(name, "not in ('6368ab', '6368ac')"))
    (tmp_path / "zero.sql").write_text(rule.format("zero", "not in ('6368ab', '6368ac', '6368ad')"))
    text = in_process("discover", ".", "--select", "D2", cwd=tmp_path).stdout
    assert "one: this is nearly the rule in zero.sql:1 (on zero): only the second has '6368ad'" in text
    assert "one: the same rule is in three.sql:1, two.sql:1, on 3 relations" in text


def test_one_mistake_with_other_types_is_told_once(tmp_path: Path) -> None:
    rule = "select 1 from t where substr(code, 1, 5) = '785.51';\n"
    (tmp_path / "one.sql").write_text(rule)
    (tmp_path / "two.sql").write_text("create table t (code text);\n" + rule.replace("(code", "(\n  code"))
    text = in_process("discover", ".", cwd=tmp_path).stdout
    assert places(text) == ["one.sql:1:23"] and "it is also in two.sql:2" in text


@pytest.mark.parametrize(
    ("one", "two", "number"),
    [
        ("lower(code) in ('EU', 'us')", "LOWER( t.code )  IN ('EU', 'us')", 1),
        ("lower(code) in ('EU', 'us')", "lower(trim(kind)) IN ('EU', 'x')", 1),
        ("lower(code) in ('EU', 'us')", "lower(code) in ('asia', 'EU', 'US')", 1),
        ("lower(code) = 'EU'", "lower(code) = 'US'", 2),
        ("lower(code) = 'EU'", "upper(code) = 'eu'", 2),
        ("substr(a, 1, 2) in ('a', 'abc')", "substr(b, 4, 2) in ('ab', 'abc')", 1),
        ("substr(a, 1, 2) = 'abcd'", "substr(a, 1, 3) = 'abcd'", 2),
        ("a = 1 and a = 2", "t.a=2 and k = 5 and t.a=1", 1),
        ("a = 1 and a = 2 and lower(b) = 'X'", "lower(k) = 'X' and c = 1", 1),
        ("a = 1 and a = 2", "b = 1 and b = 2", 2),
        ("a = null", "t.a  =  null", 1),
        ("a = null", "b = null", 2),
    ],
)
def test_one_mistake_in_other_words_is_told_once(tmp_path: Path, one: str, two: str, number: int) -> None:
    for name, text in (("one", one), ("two", two)):
        (tmp_path / f"{name}.sql").write_text(f"select 1 from t where {text};\n")
    text = in_process("discover", ".", "--jobs", "1", "--dialect", "postgres", cwd=tmp_path).stdout
    assert len(places(text)) == number, text
    assert ("it is also in " in text) == (number == 1)


def test_a_case_for_each_of_many_columns_is_one_mistake(tmp_path: Path) -> None:
    case = "select case when {0} is null then 'n' when {0} > 1 then 'a' when {0} > {1} then 'b' end from t;\n"
    (tmp_path / "one.sql").write_text("".join(case.format(*at) for at in (("a", 2), ("b", 2), ("c", 3))))
    (tmp_path / "two.sql").write_text(case.format("d", 2))
    text = in_process("discover", ".", "--jobs", "1", "--dialect", "postgres", cwd=tmp_path).stdout
    assert places(text) == ["one.sql:1:62", "one.sql:3:62", "two.sql:1:62"]
    assert text.count("it is also in line 2") == 1


def test_mistakes_that_share_a_cause_with_a_third_are_one() -> None:
    causes = {"a": ("x",), "b": ("y",), "c": ("z",), "d": ("x", "y"), "e": ("y",)}
    sources = {name: Source(f"{name}.sql", name) for name in causes}
    found = [Found("D105", "t", "m", Span(sources[name], 0, 1), causes=own) for name, own in causes.items()]
    first, second = once(found, across_files=True)
    assert (first.span.source.name, first.hint) == ("d.sql", "it is also in a.sql:1, b.sql:1, e.sql:1")
    assert (second.span.source.name, second.hint) == ("c.sql", None)
    assert once(found, across_files=False) == found


def test_statements_that_ran_often_weigh_more_and_say_so() -> None:
    found = []
    for name, calls in (("4", 0), ("1", 12_000), ("2", 399), ("2", 399), ("3", 1), ("5", 1_000)):
        place = SourceRange(f"postgresql:pg_stat_statements.{name}", 1, 1, 0, 5, calls)
        span, cause = Span(Source(place.path, ""), 0, 0), name if name > "3" else "x"
        found.append(Found("D101", "t", "m", span, places=(place,), causes=(cause,)))
    told = Ranking().ordered(once(found, across_files=True))
    others = "it is also in postgresql:pg_stat_statements.2:1, postgresql:pg_stat_statements.3:1"
    assert [(item.calls, item.hint) for item in told] == [
        (12_400, f"{others}; in 3 places, 12,400 calls"),
        (1_000, "in 1 place, 1,000 calls"),
        (0, None),
    ]
    ratios = [Ranking().weight(item) / Ranking().weight(told[-1]) for item in told]
    assert ratios == pytest.approx([1 + math.log2(3 + math.log10(12_400)), 3, 1])


def test_one_difference_from_several_rules_is_told_once() -> None:
    source, own = Source("a.sql", "a = 1"), SourceRange("a.sql", 1, 1, 0, 5)
    found = [
        Found(
            "D202",
            "t",
            f"this is nearly the rule in {name}.sql:{line}: only the second has 2",
            Span(source, 0, 5),
            places=(own, SourceRange(f"{name}.sql", line, 1, 0, 5)),
            causes=("only the second has 2: a = 1",),
        )
        for name, line in (("b", 3), ("c", 4))
    ]
    (item,) = once(found, across_files=True)
    assert item.hint == "it is also in c.sql:4"
    assert [place.path for place in item.places] == ["a.sql", "b.sql", "c.sql"]
    assert once(found, across_files=False) == found


def test_what_is_shown_says_who_wrote_it_and_when(repository: Path) -> None:
    text = in_process("discover", ".", cwd=repository).stdout
    last = git.blame(repository / "busy.sql", [(1, 1)], 3)[1]
    assert (last.author, last.day, last.subject) == ("Bob", "2023-03-01", "Twice")
    assert f"  = written: Bob, 2023-03-01 ({last.hash[:8]} Twice)\n" in text
    (repository / "calm.sql").write_text(NEVER.format("calm", 5))
    data = json.loads(in_process("discover", ".", "--format", "json", cwd=repository).stdout)
    by_file = {item["file"]: item for item in data["findings"]}
    assert by_file["busy.sql"]["written"] == {
        "author": "Bob",
        "day": "2023-03-01",
        "commit": last.hash,
        "subject": "Twice",
    }
    assert by_file["calm.sql"]["written"] is None  # it is not committed


def test_names_of_strangers_are_text(repository: Path) -> None:
    commit(repository, "2023-06-02", HOSTILE, "A <i>|`", busy="select 1;\n" + NEVER.format("busy", 9))
    text = in_process("discover", "busy.sql", cwd=repository).stdout
    (told,) = (line for line in text.splitlines() if line.startswith("  = written: "))
    assert told.startswith("  = written: J [31m|&lt;b`x` @all, 2023-06-02 (") and told.endswith(" A <i>|`)")
    page = in_process("discover", "busy.sql", "--format", "html", cwd=repository).stdout
    assert ">J [31m|&amp;lt;b`x` @all, 2023-06-02 (" in page and "<i>" not in page
    table = in_process("discover", "busy.sql", "--format", "markdown", cwd=repository).stdout
    (row,) = (line for line in table.splitlines() if line.startswith("| D101"))
    told = row.split(" | ")[3]
    assert told.startswith("J &#91;31m&#124;&#38;lt;b&#96;x&#96; &#64;all, 2023-06-02 (")
    assert told.endswith(" A &#60;i&#62;&#124;&#96;) |")


@pytest.mark.parametrize(
    ("remote", "form"),
    [
        ("git@github.com:shop/data.git", "https://github.com/shop/data/blob/{}/busy.sql#L1"),
        ("https://me:secret@gitlab.com/shop/data", "https://gitlab.com/shop/data/-/blob/{}/busy.sql#L1"),
        ("https://bitbucket.org/shop/data.git", "https://bitbucket.org/shop/data/src/{}/busy.sql#lines-1"),
        ("https://git.example.com/shop/data.git", ""),
    ],
)
def test_a_place_is_a_link_to_its_commit(repository: Path, remote: str, form: str) -> None:
    subprocess.run(["git", "-C", str(repository), "remote", "add", "origin", remote], check=True)
    url = form.format(git.head(repository))
    table = in_process("discover", ".", "--format", "markdown", cwd=repository).stdout
    assert (f"| [`busy.sql:1`]({url}) |" if url else "| `busy.sql:1` |") in table
    page = in_process("discover", ".", "--format", "html", cwd=repository).stdout
    assert (f'<a href="{url}"><code>busy.sql:1</code></a>' in page) == bool(url) and "secret" not in page
    (repository / "busy.sql").write_text(NEVER.format("busy", 8) + "select 3;\n")
    assert origins([("busy.sql", 1)])["busy.sql", 1].url == ""  # the lines of the commit are others


def test_files_outside_of_a_repository_have_no_history(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text(NEVER.format("t", 1))
    done = in_process("discover", ".", "--format", "json", cwd=tmp_path)
    (item,) = json.loads(done.stdout)["findings"]
    assert (item["written"], item["url"], item["changes"]) == (None, None, 0)


def test_a_repository_without_a_commit_has_no_history(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "a.sql").write_text(NEVER.format("t", 1))
    monkeypatch.chdir(tmp_path)
    assert changes(["a.sql"]) == {} and origins([("a.sql", 1)]) == {}


def test_programs_get_a_rank(repository: Path) -> None:
    log = json.loads(in_process("discover", ".", "--format", "sarif", cwd=repository).stdout)
    ranks = [result["rank"] for result in log["runs"][0]["results"]]
    # 23 of 24 likely, in one place: times 1 + log2(4), 1 + log2(2), 1
    weights = [23 / 24 * 3, 23 / 24 * 2, 23 / 24]
    assert ranks == [round(100 * weight / (1 + weight), 1) for weight in weights]
    shown = in_process("discover", ".", "--format", "github", cwd=repository).stdout
    assert [line.split(",")[0] for line in shown.splitlines()] == [
        f"::error file={name}.sql" for name in ("busy", "calm", "old")
    ]


@pytest.mark.parametrize(
    ("remote", "page"),
    [
        ("https://github.com/a/b.git", "https://github.com/a/b"),
        ("https://user:secret@gitlab.example.com/a/c/b", "https://gitlab.example.com/a/c/b"),
        ("git@github.com:a/b.git", "https://github.com/a/b"),
        ("ssh://git@example.com:2222/a/b.git", "https://example.com/a/b"),
        ("/srv/git/b.git", ""),
        ("https://example.com/a b", ""),
    ],
)
def test_the_page_of_a_remote_shows_no_password(remote: str, page: str) -> None:
    assert web_address(remote) == page


def test_the_name_of_a_file_cannot_leave_its_link() -> None:
    url = line_address("git@github.com:a/b.git", "c", 'x/) "><b>.sql', 2)
    assert url == "https://github.com/a/b/blob/c/x/%29%20%22%3E%3Cb%3E.sql#L2"
