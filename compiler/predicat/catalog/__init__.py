"""The catalog: YAML files to datasets and filters, checked as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from predicat.catalog.load import load_catalog
    from predicat.catalog.model import Catalog

__all__ = ["Catalog", "load_catalog"]


def __getattr__(name: str) -> Any:
    """Import lazily: loading a catalog needs every parser, a check for changes needs none."""
    if name == "load_catalog":
        from predicat.catalog.load import load_catalog  # noqa: PLC0415  # lazy on purpose

        return load_catalog
    if name == "Catalog":
        from predicat.catalog.model import Catalog  # noqa: PLC0415  # as above

        return Catalog
    raise AttributeError(f"module 'predicat.catalog' has no attribute {name!r}")
