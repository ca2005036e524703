"""Limits are counted in work: the same pair has the same verdict at any load, and after any other pair."""

import ast
import logging
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

import predicat
from predicat.ir.nodes import Node
from predicat.proof import compare, shrink
from predicat.proof.compare import Verdict, compare_nodes
from predicat.proof.work import STEPS, Work

ROOT = Path(predicat.__file__).parent
FIELDS = {
    **dict.fromkeys("ac", "bigint"),
    **dict.fromkeys("su", "string"),
    **dict.fromkeys("bx", "double"),
    "xs": "array<bigint>",
}
HARD = [
    ("cel", "s.startsWith(u)", "s.substring(0, size(u)) == u"),
    ("sql", "CAST(a AS STRING) = s", "a = CAST(s AS BIGINT)"),
    ("sql", "div(a, c) = 0", "abs(a) < abs(c)"),
    ("sql", "starts_with(s, u)", "left(s, length(u)) = u"),
    ("sql", "a * c * a > 100", "a * a * c > 100"),
    ("sql", "a % 7 = c % 7", "(a - c) % 7 = 0"),
    ("sql", "b * 49 = x AND x = 1", "FALSE"),
    ("cel", "xs.exists(v, v > 1 && xs.exists(w, w == v))", "xs.exists(v, v > 1)"),
]
ROOMS = (
    "ir",
    "semantics",
    "analysis",
    "forms",
    "check",
    "lower",
    "rewrite",
    "matching",
    "proof",
    "explain",
    "forge",
    "testing",
    "lint",
    "review",
    "pushdown",
)
CLOCKS = frozenset({"time", "monotonic", "perf_counter", "process_time", "time_ns", "monotonic_ns"})
# Modules that read a clock, and make no verdict.
TIMED = {
    "forge/rest.py": "waits for servers",
    "forge/telemetry.py": "the time of an event",
    "forge/patience.py": "waits for git",
    "discover/read/templates.py": "renders templates of other projects, which may not end",
    "review/split.py": "which partitions have begun",
    "semantics/clock.py": "the current time of a row; proofs hold for all of them",
}


def nodes(language: str, *texts: str) -> list[Node]:
    return [predicat.parse(text, language, FIELDS).node for text in texts]


def verdicts(pairs: list[tuple[str, str, str]]) -> dict[str, tuple[Verdict, float]]:
    """The verdict of each pair, and the work that was left."""
    result = {}
    for language, before, after in pairs:
        work = Work(0.1)
        verdict = compare_nodes(*nodes(language, before, after), effort=work)
        result[before] = (verdict, work.left)
    return result


@contextmanager
def load(processes: int) -> Iterator[None]:
    """Other processes that take all of the processor."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


@pytest.mark.long
def test_verdicts_do_not_depend_on_load_or_clock_or_earlier_questions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    alone = verdicts(HARD)
    assert "undecided" in {verdict.kind for verdict, _ in alone.values()}
    with load(4):
        assert verdicts(HARD[::-1]) == alone
    for clock in CLOCKS:
        ticks = count(step=10**9)
        monkeypatch.setattr(time, clock, lambda ticks=ticks: next(ticks))
    assert verdicts(HARD) == alone


def test_less_work_leaves_more_open() -> None:
    pair = nodes("sql", "starts_with(s, u)", "left(s, length(u)) = u")
    assert compare_nodes(*pair, effort=1).kind == "equivalent"
    assert compare_nodes(*pair, effort=0.001).kind == "undecided"


@pytest.mark.parametrize(
    "condition", ["s LIKE '%{0}w{0}{0}%'", "s LIKE '%{0}w%{0}{0}%'", "s ILIKE '%{0}w{0}{0}%'"]
)
def test_searches_in_one_text_are_a_part_of_the_work(condition: str) -> None:
    """The solver does not count the states of languages, which double with each search."""
    parts = [condition.format(number) for number in range(10, 24)]
    before, after = nodes("sql", " AND ".join(parts), " AND ".join(parts[1:]))
    start = time.process_time()
    assert compare_nodes(before, after).kind in ("wider", "undecided")
    assert time.process_time() - start < 10


def test_parts_of_work_end_with_the_whole() -> None:
    whole = Work(1)
    assert whole.part(3).left == STEPS
    part = whole.part(0.25)
    part.spend(STEPS)
    assert part.is_done
    assert whole.is_done
    assert whole.part(1).left == 0.01 * STEPS


def test_a_solver_that_time_stops_is_a_defect(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    pair = nodes("cel", "s.startsWith(u)", "s.substring(0, size(u)) == u")
    monkeypatch.setattr(compare, "_PATIENCE", 0.002)
    with pytest.raises(AssertionError, match="before its limit of steps"):
        compare_nodes(*pair, effort=100)
    monkeypatch.setattr(logging.getLogger(compare.__name__), "handlers", [])
    assert compare_nodes(*pair, effort=100).proof == ""
    assert any("starts_with" in message for message in caplog.messages)


def clocks(tree: ast.Module) -> Iterator[int]:
    """The lines that import a clock or ask for the current time."""
    for part in ast.walk(tree):
        match part:
            case ast.Import(names=names) if any(name.name == "time" for name in names):
                yield part.lineno
            case ast.ImportFrom(module="time"):
                yield part.lineno
            case ast.Call(func=ast.Attribute(attr="now" | "today", value=ast.Name(id="datetime" | "date"))):
                yield part.lineno


def test_no_module_that_makes_verdicts_reads_a_clock() -> None:
    files = [file for room in (*ROOMS, "discover") for file in sorted((ROOT / room).rglob("*.py"))]
    found = {
        str(file.relative_to(ROOT)): lines
        for file in files
        if (lines := list(clocks(ast.parse(file.read_text(encoding="utf-8")))))
    }
    assert len(files) > 100
    assert found.keys() == TIMED.keys(), found


def test_a_row_with_a_number_beyond_doubles_is_shortened_in_a_few_steps() -> None:
    """`n + 2 == n` holds for most numbers near 2^54, but not for all: a search by ones would not end."""
    before, after = (predicat.parse(text, "cel").node for text in ("n + 2 == n", "n + 5 == n"))
    assert compare.compare_nodes(before, after, effort=0.05).kind
    calls = []

    def holds(number: int) -> bool:
        calls.append(number)
        return number > 2**40

    assert shrink._smaller_number(2**80 + 1, holds) == 2**40 + 1 and len(calls) < 330
    calls.clear()
    assert shrink._smaller_number(2**80, lambda number: calls.append(number) or number % 2**30 != 7) >= 0
    assert len(calls) < 330
