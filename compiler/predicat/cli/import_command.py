"""predicat import."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from predicat.cli.options import argument, check_dataset_name, option, options
from predicat.cli.output import FORMAT, show
from predicat.diagnostics import Diagnostic, PredicatError, Source, Span
from predicat.diagnostics.wording import quantity

if TYPE_CHECKING:
    from predicat.importing.checking import Accepted, Checked
    from predicat.importing.model import Findings

_HELP = (
    "Read filters from manifests of other systems, and write them as a catalog "
    "file. Manifests of Knative, Tekton, Kubernetes, Kafka Connect, RabbitMQ, "
    "CloudFormation, SAM, Terraform and Azure Service Bus are supported. A report "
    "on standard error lists what was imported, and what was left out for which "
    "reason."
)


@click.command("import", help=_HELP)
@options
def command(
    *,
    paths: tuple[Path, ...] = argument(
        nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path, exists=True)
    ),
    to: Path | None = option(
        "--to FILE",
        "The catalog file to write or extend, or a folder for one file per dataset. Default: standard "
        "output.",
    ),
    dataset: str | None = option(
        "--dataset NAME", "Put all filters into this dataset. Default: a dataset for each kind of row."
    ),
    force: bool = option("--force", "Replace filters that have the same name and another body."),
    quiet: bool = option("--quiet", "Print only problems and the number of filters."),
    form: str = FORMAT,
) -> None:
    from predicat import importing  # noqa: PLC0415  # not for --help
    from predicat.importing.checking import checked  # noqa: PLC0415  # as above

    if dataset is not None:
        check_dataset_name(dataset)
    outcome = importing.read(paths, dataset)
    result = checked(outcome)
    if not quiet and form == "text":
        _report(outcome, result)
    written, conflicts = _write(result.accepted, to, force=force)
    problems = [*result.problems, *conflicts]
    left = len(outcome.skipped) + len(result.refused)
    counts = f"{quantity(len(result.accepted), 'filter')} imported, {quantity(left, 'part')} left out"
    if form == "text":
        for entry in written:
            entry.tell()
        click.echo(counts if to is not None else f"# {counts}", err=to is None)
    if problems:
        _tell(problems)
    if form == "json":
        show(form, _data(outcome, result, written), str)


# The most lines about what gives no filter.
_MOST = 20


def _report(findings: Findings, result: Checked) -> None:
    """One line for each filter and for each part that is left out, in the order of the files. Of many parts
    that are left out, one line for each reason.
    """
    lines = [
        (
            _place(entry.span),
            f"imported {entry.rows.name}.{entry.name} ({entry.language}): {entry.title}, {entry.path}",
        )
        for entry, _ in result.accepted
    ]
    lines += [(_place(entry.span), f"refused {entry.title}: {entry.reason}") for entry in result.refused]
    left = [(_place(entry.span), f"left out {entry.title}: {entry.reason}") for entry in findings.skipped]
    many = len(left) > _MOST
    if not many:
        lines += left
    for (name, number), line in sorted(lines, key=lambda entry: entry[0]):
        click.echo(f"{name}:{number}: {line}", err=True)
    for line in _reasons(findings) if many else ():
        click.echo(line, err=True)


def _reasons(findings: Findings) -> Iterator[str]:
    """The reasons why parts are left out, the most frequent ones first, each with the first of its places."""
    first: dict[str, Span] = {}
    for entry in findings.skipped:
        first.setdefault(str(entry.reason), entry.span)
    counts = Counter(str(entry.reason) for entry in findings.skipped).most_common()
    shown, rest = counts[: _MOST - 1], counts[_MOST - 1 :]
    for reason, count in shown:
        name, number = _place(first[reason])
        yield f"left out {quantity(count, 'part')}: {reason} (first {name}:{number})"
    if rest:
        parts = quantity(sum(count for _, count in rest), "part")
        yield f"left out {parts} for {quantity(len(rest), 'other reason')}: --format json lists all"


def _place(span: Span) -> tuple[str, int]:
    outer = span.outermost()
    return outer.source.name, outer.source.line_column(outer.start)[0]


class WrittenFile(Struct, frozen=True):
    """A catalog file that was written, or would be: without a path it is printed."""

    number: int
    path: Path | None
    text: str
    added: int
    replaced: int
    same: int

    @property
    def changes(self) -> bool:
        """Whether there is something to write."""
        return bool(self.added or self.replaced)

    def tell(self) -> None:
        """Print it, or what was written."""
        if self.path is None:
            click.echo(("---\n" if self.number else "") + self.text, nl=False)
        elif self.changes:
            same = f", {self.same} as they were" if self.same else ""
            click.echo(f"wrote {self.path}: {self.added} added, {self.replaced} replaced{same}")
        else:
            click.echo(f"{self.path} has all of these filters")

    def data(self) -> dict[str, Any]:
        """The same as JSON has it."""
        shown = {"file": None if self.path is None else str(self.path), "text": self.text}
        return {**shown, "added": self.added, "replaced": self.replaced, "same": self.same}


def _data(findings: Findings, result: Checked, written: Sequence[WrittenFile]) -> dict[str, Any]:
    def row(span: Span, **more: Any) -> dict[str, Any]:
        file, line = _place(span)
        return {**more, "file": file, "line": line}

    imported = [
        row(one.span, name=f"{one.rows.name}.{one.name}", language=one.language, title=one.title)
        for one, _ in result.accepted
    ]
    left = [
        row(one.span, title=one.title, reason=str(one.reason)) for one in (*findings.skipped, *result.refused)
    ]
    return {"taken": imported, "left_out": left, "files": [one.data() for one in written]}


def _write(kept: Accepted, to: Path | None, *, force: bool) -> tuple[list[WrittenFile], list[Diagnostic]]:
    """Write the files. Returns what was written, or would be, and the problems."""
    from predicat.diagnostics.writing import write_text  # noqa: PLC0415  # not for --help
    from predicat.editor.layout import layout  # noqa: PLC0415  # as above
    from predicat.importing import writing  # noqa: PLC0415  # as above

    problems: list[Diagnostic] = []
    parts = writing.datasets(kept)
    ready = []
    for name, rows in parts.items():
        path = writing.place(to, name, alone=len(parts) == 1) if to is not None else None
        result = writing.file_update(rows, path, force=force)
        problems += result.problems
        ready.append((path, result, layout(Source(str(path or name), result.text))))
    written = [
        WrittenFile(number, path, text, len(result.added), len(result.replaced), len(result.same))
        for number, (path, result, text) in enumerate(ready)
    ]
    for entry in written:
        if entry.path is not None and entry.changes:
            write_text(entry.path, entry.text)
    return written, problems


def _tell(problems: list[Diagnostic]) -> None:
    """Print the problems; what they are about was not written."""
    raise PredicatError(list(dict.fromkeys(problems)))
