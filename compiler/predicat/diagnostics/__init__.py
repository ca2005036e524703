"""Sources, spans and diagnostics: how every problem is shown to a user."""

from predicat.diagnostics.diagnostic import (
    Diagnostic,
    PredicatError,
    Reporter,
    Severity,
    Unsupported,
    rendered,
)
from predicat.diagnostics.source import NOWHERE, Source, Span

__all__ = [
    "NOWHERE",
    "Diagnostic",
    "PredicatError",
    "Reporter",
    "Severity",
    "Source",
    "Span",
    "Unsupported",
    "rendered",
]
