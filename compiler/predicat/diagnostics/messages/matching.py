"""Messages of the matching of many filters at once."""

from __future__ import annotations

from collections.abc import Iterable

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.source import NOWHERE

RUNS_CODE = "it is an entry filter: Python code, which only its own runner runs"


def no_dataset(name: str, known: Iterable[str]) -> Diagnostic:
    return Diagnostic(
        "unknown-dataset", f"no dataset is named {name!r}", NOWHERE, msg.did_you_mean(name, known)
    )


def of_another_dataset(name: str, dataset: str) -> Diagnostic:
    return Diagnostic("wrong-dataset", f"{name} is a filter of another dataset than {dataset}", NOWHERE)


def needs_parameter(name: str) -> str:
    return f"its parameter {name!r} has no default"


def left_out(name: str, reason: str) -> Diagnostic:
    return Diagnostic("not-matched", f"{name} cannot be matched: {reason}", NOWHERE)
