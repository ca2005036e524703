"""The catalog: YAML files to datasets and filters, checked as a whole."""

from predicat.catalog.load import load_catalog
from predicat.catalog.model import Catalog

__all__ = ["Catalog", "load_catalog"]
