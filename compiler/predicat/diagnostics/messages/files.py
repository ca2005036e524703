"""Messages about files and folders: catalogs, manifests, results. Each function is one: see the package."""

from __future__ import annotations

from predicat.diagnostics.diagnostic import Diagnostic, Severity
from predicat.diagnostics.source import NOWHERE, Span


def unreadable(path: str, reason: str) -> Diagnostic:
    return Diagnostic("unreadable", f"cannot read {path}: {reason}")


def no_utf8(path: str, at: int) -> Diagnostic:
    """`at` is the offset of the byte."""
    return unreadable(path, f"it is not valid UTF-8 at byte {at}")


def outside(path: str) -> Diagnostic:
    """A link."""
    hint = "copy the file into the project; a catalog of others must not read files of this machine"
    return Diagnostic("unreadable", f"cannot read {path}: it leads out of the project", NOWHERE, hint)


def no_regular_file(path: str) -> Diagnostic:
    return unreadable(path, "it is not a file")


def too_large_file(path: str, most: int) -> Diagnostic:
    """`most` is in bytes."""
    return unreadable(path, f"it has more than {most:,} bytes")


def file_problem(path: str, reason: str) -> Diagnostic:
    return Diagnostic("file", f"cannot use {path}: {reason}" if path else reason)


def no_layout(span: Span, reason: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic("layout", f"the file is left as it is: {reason}", span, hint)


def import_target(span: Span, reason: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic("import", f"nothing can be imported into this file: {reason}", span, hint)


def import_conflict(span: Span, name: str, path: str, hint: str | None) -> Diagnostic:
    return Diagnostic(
        "import", f"{path} has another filter {name!r}, which is kept", span, hint or "rename it there"
    )


def damaged_result(path: str) -> Diagnostic:
    return Diagnostic(
        "history",
        f"{path} is not the result of a run; it is skipped",
        NOWHERE,
        "delete it to remove this warning",
        Severity.WARNING,
    )


def no_folder(path: str, above: str | None = None) -> Diagnostic:
    """`above` is a folder of this name above the current one."""
    hint = (
        f"there is {above}: write --catalog {above}, or an empty predicat.yml beside it"
        if above
        else "run predicat init to create a first catalog"
    )
    return Diagnostic("usage", f"there is no folder {path}", NOWHERE, hint)


def other_ending(path: str, name: str) -> Diagnostic:
    return Diagnostic("usage", f"the project file {path} must be called {name}", NOWHERE, "rename it")


def empty_catalog(path: str) -> Diagnostic:
    return Diagnostic(
        "empty-catalog",
        f"{path} contains no .yml or .yaml file",
        NOWHERE,
        "run predicat init to create a first catalog",
    )


def no_dataset_in(path: str) -> Diagnostic:
    return Diagnostic(
        "empty-catalog",
        f"{path} defines no dataset, so there is nothing to do",
        NOWHERE,
        "give --catalog the right folder, or write a file with apiVersion: predicat/v1 and dataset: NAME",
    )


def baseline_line(span: Span) -> Diagnostic:
    return Diagnostic(
        "baseline",
        "this line of the baseline cannot be read: a line has a rule, a hash and a finding",
        span,
        "write the file again with --update-baseline",
    )


def manifest_missing(path: str) -> Diagnostic:
    return Diagnostic(
        "manifest", f"there is no manifest at {path}", NOWHERE, "run predicat compile to write it"
    )


def manifest_damaged(path: str, reason: str) -> Diagnostic:
    return Diagnostic(
        "manifest", f"the manifest {path} cannot be read: {reason}", NOWHERE, "run predicat compile again"
    )


def manifest_newer(path: str, version: int, known: int) -> Diagnostic:
    return Diagnostic(
        "manifest",
        f"the manifest {path} has format {version}; this predicat reads formats up to {known}",
        NOWHERE,
        "upgrade predicat, or compile again with this one",
    )
