"""What a lint rule is, what it finds, and what it may ask."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

from predicat.catalog.model import Catalog, Dataset, Filter
from predicat.diagnostics import NOWHERE, Diagnostic, Severity, Span
from predicat.ir.nodes import Node


class Fix(Struct, frozen=True):
    """A text that takes the place of a span of a filter's body. It is only applied where it provably keeps the rows."""

    span: Span
    text: str


class Finding(Struct, frozen=True):
    """What a rule found: of which filter (or dataset, or group), where, what to do, and perhaps how to mend it."""

    code: str
    name: str
    message: str
    span: Span = NOWHERE
    hint: str | None = None
    fix: Fix | None = None

    def diagnostic(self) -> Diagnostic:
        return Diagnostic(self.code, f"{self.name}: {self.message}", self.span, self.hint, Severity.WARNING)


class Context(Struct):
    """A catalog under review. `timeout` is in seconds for each question to the solver."""

    catalog: Catalog
    timeout: float = 1.0

    @property
    def datasets(self) -> Mapping[str, Dataset]:
        return self.catalog.datasets

    def filters(self) -> Iterator[tuple[Filter, Node]]:
        """Every filter with the predicate of its latest version."""
        for row in self.catalog.filters():
            yield row, row.current.predicate.node


class Rule(Struct, frozen=True):
    """A rule: its code, its name, what it looks for in one line, and how."""

    code: str
    name: str
    doc: str
    check: Callable[[Context], Iterator[Finding]]
