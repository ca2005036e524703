"""The baseline of lint: old findings do not count, new ones do, and lines that nothing needs any more are
told.
"""

from pathlib import Path

import pytest

import predicat
from predicat.diagnostics import PredicatError, Source, Span
from predicat.lint import Finding, baseline
from tests.processes import in_process as run

CATALOG = """apiVersion: predicat/v1
dataset: orders
relation: orders
fields: {status: string, n: bigint}
filters:
  f: {sql: n > 1 AND n > 3}
  g: {sql: n < 5 AND n < 7}
groups: {k: {filters: [f, g], exclusive: true}}
"""
ARGS = ("lint", "--ignore", "P1", "--baseline", "old.txt")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "c.yml").write_text(CATALOG)
    assert run(*ARGS, "--write-baseline", cwd=tmp_path).stdout == "old.txt: 3 findings, 3 new, 0 gone\n"
    return tmp_path


def edit(folder: Path, *changes: tuple[str, str]) -> None:
    file = folder / "catalog" / "c.yml"
    text = file.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file.write_text(text)


def test_it_is_sorted_and_has_a_line_for_each_finding(folder: Path) -> None:
    head, *lines = (folder / "old.txt").read_text().splitlines()
    assert head.startswith("# ") and [(line.split()[0], line.split(maxsplit=2)[2]) for line in lines] == [
        ("P204", "orders.f: this operand of AND has no effect"),
        ("P204", "orders.g: this operand of AND has no effect"),
        ("P401", "orders.k: f and g both accept ..."),
    ]
    before = (folder / "old.txt").read_text()
    assert run(*ARGS, "--update-baseline", cwd=folder).stdout == "old.txt: 3 findings, 0 new, 0 gone\n"
    assert (folder / "old.txt").read_text() == before


def test_old_findings_do_not_count_wherever_they_move(folder: Path) -> None:
    edit(
        folder,
        ("  f:", "  # a comment\n\n  f:"),
        ("  g: {sql: n < 5 AND n < 7}", "  g:\n    sql: n <  5 AND n < 7"),
        ("n > 3", "n > 2"),
    )
    done = run(*ARGS, cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        "nothing found\n",
        "3 known findings in old.txt\n",
    )


def test_new_findings_count_and_stale_lines_are_told(folder: Path) -> None:
    edit(folder, ("n > 1 AND ", ""), ("n < 5 AND n < 7", "n < 5 AND n < 9"))
    done = run(*ARGS, cwd=folder)
    assert (
        done.returncode == 1
        and done.stdout.count("warning[P204]: orders.g") == 1
        and done.stdout.endswith("\n1 finding\n")
    )
    assert "old.txt has 2 stale lines" in done.stderr and "orders.f: this operand" in done.stderr
    assert run(*ARGS, "--format", "github", cwd=folder).stdout.count("::warning") == 1
    assert (
        run("lint", "--select", "P4", "--baseline", "old.txt", cwd=folder).stderr
        == "1 known finding in old.txt\n"
    )
    assert (
        run("lint", "--select", "P4", "--baseline", "old.txt", "--update-baseline", cwd=folder).stdout
        == "old.txt: 3 findings, 0 new, 0 gone\n"
    )
    assert run(*ARGS, "--update-baseline", cwd=folder).stdout == "old.txt: 2 findings, 1 new, 2 gone\n"


def test_notes_stand_in_a_baseline_where_their_rule_is_asked_for(folder: Path) -> None:
    every = ("lint", "--baseline", "old.txt")
    assert run(*every, "--update-baseline", cwd=folder).stdout == "old.txt: 3 findings, 0 new, 0 gone\n"
    assert (
        run(*every, "--select", "P102", "--update-baseline", cwd=folder).stdout
        == "old.txt: 5 findings, 2 new, 0 gone\n"
    )
    assert run(*every, "--select", "P102", cwd=folder).returncode == 0
    done = run(*every, cwd=folder)
    assert (done.returncode, done.stderr) == (
        0,
        "5 known findings in old.txt\n",
    ) and "P102" not in done.stdout
    assert run(*every, "--update-baseline", cwd=folder).stdout == "old.txt: 5 findings, 0 new, 0 gone\n"


def test_a_line_stands_for_one_finding() -> None:
    source = Source("c.yml", "n > 1 AND n > 1")
    found = [
        Finding("P204", "orders.f", "has no effect", Span(source, start, start + 5)) for start in (0, 10)
    ]
    judged = baseline.apply_baseline(found, [baseline.entry(found[0])])
    assert (judged.new, judged.accepted, judged.stale) == ([found[1]], 1, [])


def test_two_overlaps_of_one_filter_are_two_lines() -> None:
    span = Span(Source("c.yml", "k"), 0, 1)
    one, other = (Finding("P401", "orders.k", f"f and {name} both accept {{n: 2}}", span) for name in "gh")
    assert baseline.entry(one) != baseline.entry(other)
    assert baseline.entry(one) == baseline.entry(
        Finding("P401", "orders.k", "f and g both accept {n: 7, status: '}'}", span)
    )


def test_any_name_and_text_can_be_written_and_read(tmp_path: Path) -> None:
    found = [
        Finding("P101", f"orders.{name}", "no\u2028filter\nreads\x0bthis field")
        for name in ("a b", "# c", "\u2028", "\ud800", "x" * 5000)
    ]
    assert baseline.write(tmp_path / "b", found) == len(found)
    judged = baseline.apply_baseline(found, baseline.read(tmp_path / "b"))
    assert (judged.new, judged.stale) == ([], [])
    assert len((tmp_path / "b").read_text(encoding="utf-8").splitlines()) == len(found) + 1


@pytest.mark.parametrize(
    ("text", "lines"),
    [("x\n\n# y\nP204 0123456789ab orders.f: z\nP204 short z\n", [1, 5]), ("<<<<<<< main\n", [1]), ("", [])],
)
def test_every_line_that_is_none_is_told(tmp_path: Path, text: str, lines: list[int]) -> None:
    (tmp_path / "b").write_text(text)
    try:
        baseline.read(tmp_path / "b")
        told = []
    except PredicatError as error:
        told = [int(item.where().split(":")[1]) for item in error.diagnostics]
    assert told == lines


def test_what_is_no_utf8_is_told(tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"\xff")
    with pytest.raises(predicat.PredicatError, match="not valid UTF-8"):
        baseline.read(tmp_path / "b")
