"""The exit codes of all commands: the one table."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from predicat.diagnostics import NOWHERE, Diagnostic


class ExitCode(IntEnum):
    """What the exit code of a command says."""

    DONE = 0
    FINDINGS = 1
    USAGE = 2
    ENGINE = 3
    INTERNAL = 70
    INTERRUPTED = 130
    CLOSED = 141


# One line for each code, as the help and the documentation show them.
MEANINGS = {
    ExitCode.DONE: "done, nothing found",
    ExitCode.FINDINGS: (
        "findings: problems in the catalog, rows that change, lint, failing tests, broken bounds"
    ),
    ExitCode.USAGE: (
        "wrong use: an option, a name, a file that cannot be written, a package that is not installed"
    ),
    ExitCode.ENGINE: (
        "an engine (Spark, PostgreSQL, DuckDB) or the host of a comment failed or cannot be reached"
    ),
    ExitCode.INTERNAL: "an error of predicat itself; it says nothing about the catalog",
    ExitCode.INTERRUPTED: "interrupted",
    ExitCode.CLOSED: "nobody reads the output any more",
}

# Commands for which 1 means findings: for these, a catalog with problems is wrong use.
_JUDGES = ("advise", "diff", "discover", "lint", "quality", "test")

_USAGE = frozenset({"usage", "missing-extra", "file", "empty-catalog"})
# Wrong use, as all unknown names are, where the value was given to the command, and so has no place in a
# file.
_GIVEN = frozenset({"parameter-type", "missing-parameter", "bad-row"})
# Commands that read a file that is given to them; others read those of the catalog.
_WITH_INPUT = ("init", "match", "seek")
_ENGINE = frozenset({"engine", "connection", "encoding", "java"})


def code_for(command: str, problems: Sequence[Diagnostic]) -> ExitCode:
    """The exit code of a command that ends with these problems. A failed engine has priority. A problem
    without a place in a file is about what was given to the command.
    """
    codes = {problem.code for problem in problems}
    if codes & _ENGINE:
        return ExitCode.ENGINE
    if command in _JUDGES or all(_is_usage(command, item) for item in problems):
        return ExitCode.USAGE
    return ExitCode.FINDINGS


def _is_usage(command: str, problem: Diagnostic) -> bool:
    if problem.code == "unreadable":
        return command in _WITH_INPUT and problem.span == NOWHERE
    was_given = problem.code in _GIVEN or problem.code.startswith("unknown-")
    return problem.code in _USAGE or (was_given and problem.span == NOWHERE)
