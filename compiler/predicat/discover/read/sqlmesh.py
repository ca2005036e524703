"""SQL of SQLMesh, whose variables and macros (`@start_ds`, `@AND(a, b)`) are parameters in every dialect."""

import re

from predicat.diagnostics import Source
from predicat.discover.read.residues import parameter_of
from predicat.discover.read.written import replaced

_MODEL = re.compile(r"(?:\s|--[^\n]*\n|/\*.*?\*/)*(?:MODEL|AUDIT|METRIC)\s*\(", re.IGNORECASE | re.DOTALL)
_MACRO = re.compile(r"(?<![\w@])@(?:\{([^{}]*)\}|(\w+(?:\((?:[^()]|\([^()]*\))*\))?))")


def is_model(text: str) -> bool:
    """Whether a file is a model or an audit."""
    return _MODEL.match(text) is not None


def plain(source: Source) -> Source:
    """The SQL of a file, which knows its places."""
    return replaced(source, _MACRO, lambda match: parameter_of(match[1] or match[2]))
