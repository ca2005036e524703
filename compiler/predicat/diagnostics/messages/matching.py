"""Messages of the matching of many filters at once. Each row is one: see the package."""

from __future__ import annotations

from collections.abc import Iterable

from predicat.diagnostics.message import Failure, Text

RUNS_CODE = "it is an entry filter: Python code, which only its own runner runs"

no_dataset = Failure[str, Iterable[str]]("""unknown-dataset: no dataset is named {name!r}
    hint: {known:near name}""")
of_another_dataset = Failure[str, str]("wrong-dataset: {name} is a filter of another dataset than {dataset}")
needs_parameter = Text[str]("its parameter {name!r} has no default")
left_out = Failure[str, str]("not-matched: {name} cannot be matched: {reason}")

unknown_ending = Failure[str, Iterable[str]]("""unreadable: the name of {path} does not show its format
    hint: give --input-format: {formats:list}""")
not_asked = Text[str, str]("note: {name} is left out: {reason}")
rows_told = Text[int, int]("{rows:count row}, {accepted:,} accepted by at least one filter")
NO_INPUT = "note: standard input is empty; --input FILE reads a file"
no_tag = Failure[str, Iterable[str]]("""unknown-tag: no filter of the dataset has the tag {tag!r}
    hint: {known:near tag}""")
