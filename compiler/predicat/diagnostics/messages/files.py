"""Messages about files and folders: catalogs, manifests, results. Each row is one: see the package."""

from __future__ import annotations

from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.message import Failure, Problem, Text
from predicat.diagnostics.source import NOWHERE, Span

unreadable = Failure[str, str]("unreadable: cannot read {path}: {reason}")
# `at` is the offset of the byte.
no_utf8 = Failure[str, int]("unreadable: cannot read {path}: it is not valid UTF-8 at byte {at}")
# A link.
outside = Failure[str]("""unreadable: cannot read {path}: it leads out of the project
    hint: copy the file into the project; a catalog of others must not read files of this machine""")
no_regular_file = Failure[str]("unreadable: cannot read {path}: it is not a file")
# `most` is in bytes.
too_large_file = Failure[str, int]("unreadable: cannot read {path}: it has more than {most:,} bytes")
file_problem = Failure[str, str]("file: {path:if cannot use {path}: {reason}|{reason}}")
import_conflict = Problem[str, str, str | None]("""(name, path, hint) import: {path} has another filter
    {name!r}, which is kept
    hint: {hint:optional}
    hint: rename it there""")
damaged_result = Failure[str]("""warning[history]: {path} is not the result of a run; it is skipped
    hint: delete it to remove this warning""")
other_ending = Failure[str, str]("""usage: the project file {path} must be called {name}
    hint: rename it""")
empty_catalog = Failure[str]("""empty-catalog: {path} contains no .yml or .yaml file
    hint: run predicat init to create a first catalog, or predicat discover . --propose catalog""")
no_dataset_in = Failure[str]("""empty-catalog: {path} defines no dataset, so there is nothing to do
    hint: give --catalog the right folder, or write a file with apiVersion: predicat/v1 and dataset: NAME""")
baseline_line = Problem[()]("""baseline: this line of the baseline cannot be read: a line has a rule, a hash
    and a finding
    hint: remove the line, or the file, and write it with --update-baseline""")
manifest_missing = Failure[str]("""manifest: there is no manifest at {path}
    hint: run predicat compile to write it""")
manifest_damaged = Failure[str, str]("""manifest: the manifest {path} cannot be read: {reason}
    hint: run predicat compile again""")
manifest_newer = Failure[str, int, int]("""manifest: the manifest {path} has format {version}; this predicat
    reads formats up to {known}
    hint: upgrade predicat, or compile again with this one""")
would_change = Text[str]("{name} would not be what it is now")
bounds_not_written = Problem[str]("""layout: no file is changed, because with the bounds {reason}
    hint: add the bounds that predicat quality suggest prints by hand""")


def no_layout(span: Span, reason: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic("layout", f"the file is left as it is: {reason}", span, hint)


def no_folder(path: str, above: str | None = None) -> Diagnostic:
    """`above` is a folder of this name above the current one."""
    hint = (
        f"there is {above}: write --catalog {above}, or an empty predicat.yml beside it"
        if above
        else "run predicat init to create a first catalog, or predicat discover . --propose catalog"
    )
    return Diagnostic("usage", f"there is no folder {path}", NOWHERE, hint)
