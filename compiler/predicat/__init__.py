"""predicat: named row filters with one meaning in Spark SQL, PostgreSQL, DuckDB and Python.

`parse` reads one predicate, `load_catalog` a folder of filters, `compare` proves how two predicates differ.
All problems are raised as one PredicatError. UNKNOWN is None in Python and NULL in SQL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from predicat.diagnostics import Diagnostic, PredicatError, Unsupported

if TYPE_CHECKING:
    from predicat.api import Predicate, UnknownKeyWarning, dialects, languages, parse
    from predicat.catalog import Catalog, load_catalog
    from predicat.matching.matcher import Matcher
    from predicat.proof.compare import Verdict, Witness, compare
    from predicat.pushdown import Split, Weakening, split, weaken

__version__ = "0.2.0"
__all__ = [
    "Catalog",
    "Diagnostic",
    "Matcher",
    "PredicatError",
    "Predicate",
    "Split",
    "UnknownKeyWarning",
    "Unsupported",
    "Verdict",
    "Weakening",
    "Witness",
    "compare",
    "dialects",
    "languages",
    "load_catalog",
    "parse",
    "split",
    "weaken",
]


def __getattr__(name: str) -> Any:
    """Load the API on first use, so that `import predicat` is fast."""
    if name in ("Predicate", "UnknownKeyWarning", "dialects", "languages", "parse"):
        from predicat import api  # noqa: PLC0415  # lazy on purpose

        return getattr(api, name)
    if name in ("Catalog", "load_catalog"):
        from predicat import catalog  # noqa: PLC0415  # lazy on purpose

        return getattr(catalog, name)
    if name == "Matcher":
        from predicat.matching import matcher  # noqa: PLC0415  # lazy on purpose

        return matcher.Matcher
    if name in ("Verdict", "Witness", "compare"):
        from predicat.diagnostics import extras  # noqa: PLC0415  # lazy on purpose

        extras.require("z3")
        from predicat.proof import compare as comparison  # noqa: PLC0415  # lazy on purpose

        return getattr(comparison, name)
    if name in ("Split", "Weakening", "split", "weaken"):
        from predicat.diagnostics import extras  # noqa: PLC0415  # lazy on purpose

        extras.require("z3")
        from predicat import pushdown  # noqa: PLC0415  # lazy on purpose

        return getattr(pushdown, name)
    raise AttributeError(f"module 'predicat' has no attribute {name!r}")
