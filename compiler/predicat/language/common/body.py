"""The input of the reader of a language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from predicat.diagnostics import PredicatError, Source, Span
from predicat.diagnostics.messages import keys as say
from predicat.diagnostics.messages import shown
from predicat.ir.nodes import FieldDecl


class Body(Struct, frozen=True):
    """The body of a filter: data from YAML or Python, its place, and the names that it may refer to."""

    value: Any
    source: Source
    span: Span
    on: str | None = None
    fields: Mapping[str, FieldDecl] | None = None

    def text(self, what: str = "the body") -> str:
        """The body as a string. Raises PredicatError if it is not a string."""
        if not isinstance(self.value, str):
            raise PredicatError.of(say.wrong_kind(self.span, what, "a string", shown(self.value)))
        return str(self.value)
