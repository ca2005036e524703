"""One problem with its place, and the exception that carries all the problems of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Any, Self

from msgspec import Struct, field
from msgspec.structs import replace

from predicat.diagnostics.source import NOWHERE, Source, Span

_MOST_OF_A_LINE = 10


class Severity(Enum):
    """How much a diagnostic weighs: only an error stops a command."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Diagnostic(Struct, frozen=True):
    """One problem.

    Attributes:
        code: A stable code, such as `unknown-field`.
        message: One sentence.
        span: Its place in a file.
        hint: What to do about it.
        severity: Error, warning or note.
    """

    code: str
    message: str
    span: Span = NOWHERE
    hint: str | None = None
    severity: Severity = Severity.ERROR

    def where(self) -> str:
        """`file:line:column`, or an empty string if the problem has no place."""
        outer = self.span.outermost()
        if not outer.source.name and not outer.source.text:
            return ""
        if not outer.source.text:
            return outer.source.name
        line, column = outer.source.line_column(outer.start)
        return f"{outer.source.name}:{line}:{column}"

    def elsewhere(self, before: str, after: str) -> Diagnostic:
        """The same problem, with the prefix `before` of its file name replaced by `after`."""
        outer = self.span.outermost()
        name = (
            after + outer.source.name.removeprefix(before)
            if outer.source.name.startswith(before)
            else outer.source.name
        )
        return replace(self, span=Span(Source(name, outer.source.text), outer.start, outer.end))

    def render(self) -> str:
        """The problem as lines of text: message, place, the offending line with a caret, hint."""
        lines = [f"{self.severity.value}[{self.code}]: {self.message}"]
        outer = self.span.outermost()
        where = self.where()
        if where:
            lines.append(f"  --> {where}")
        if outer.source.text:
            number, column = outer.source.line_column(outer.start)
            shown, lead = _window(outer.source.line(number), column - 1)
            width = max(1, min(outer.end - outer.start, len(shown) - lead))
            gutter = " " * len(str(number))
            indent = "".join("\t" if char == "\t" else " " for char in shown[:lead])
            lines += [f"{gutter} |", f"{number} | {shown}", f"{gutter} | {indent}{'^' * width}"]
        if self.hint:
            lines.append(f"  = hint: {self.hint}")
        return "\n".join(lines)


def rendered(diagnostics: Iterable[Diagnostic]) -> str:
    """The problems as text. Of those in one line of a file, the first MOST_OF_A_LINE are shown, and then how
    many more there are: one mistake in a long condition can repeat at each operator.
    """
    counts: Counter[tuple[str, int]] = Counter()
    shown: dict[Any, str] = {}
    for item in diagnostics:
        outer = item.span.outermost()
        line = (outer.source.name, outer.source.line_column(outer.start)[0])
        counts[line] += 1
        number = counts[line] - _MOST_OF_A_LINE
        if number <= 0 or not outer.source.text:
            shown[len(shown), line] = item.render()
        else:
            shown[line] = f"... and {number} more in line {line[1]} of {line[0]}"
    return "\n\n".join(shown.values())


def _window(line: str, column: int, width: int = 160) -> tuple[str, int]:
    """The part of a long line around a 0-based column, and the column in that part."""
    if len(line) <= width:
        return line, min(column, len(line))
    start = max(0, min(column - width // 2, len(line) - width))
    return line[start : start + width], column - start


class PredicatError(Exception):
    """The problems of one call. `str()` shows each with its place, the source line and a hint.

    Attributes:
        diagnostics: The problems, in the order of their places.
    """

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        super().__init__(rendered(self.diagnostics))

    @classmethod
    def of(cls, diagnostic: Diagnostic) -> Self:
        """An error with one problem."""
        return cls([diagnostic])


class Unsupported(PredicatError):
    """A language or SQL dialect does not support a predicate. The diagnostic has the operator, its place
    and the reason.
    """


class Reporter(Struct):
    """Collects problems, so that one never hides another."""

    diagnostics: dict[Diagnostic, None] = field(default_factory=dict[Diagnostic, None])
    """In their order; each once."""

    def add(self, diagnostic: Diagnostic) -> None:
        """Add a problem, or a warning."""
        self.diagnostics[diagnostic] = None

    def extend(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Add several problems."""
        for diagnostic in diagnostics:
            self.add(diagnostic)

    @property
    def errors(self) -> list[Diagnostic]:
        """The problems that are errors."""
        return [item for item in self.diagnostics if item.severity is Severity.ERROR]

    @property
    def warnings(self) -> list[Diagnostic]:
        """The problems that are warnings."""
        return [item for item in self.diagnostics if item.severity is Severity.WARNING]

    def sorted_errors(self) -> list[Diagnostic]:
        """The errors in the order of their places."""
        return sorted(self.errors, key=_place)

    def raise_errors(self) -> None:
        """Raise one PredicatError with all the errors so far, if there are any."""
        if self.errors:
            raise PredicatError(self.sorted_errors())


def _place(diagnostic: Diagnostic) -> tuple[str, int]:
    outer = diagnostic.span.outermost()
    return outer.source.name, outer.start
