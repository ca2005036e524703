"""Filters for upstream sources, which evaluate only a part of a filter, in their own language."""

from predicat.pushdown.splitting import Split, split
from predicat.pushdown.weakening import Weakening, weaken

__all__ = ["Split", "Weakening", "split", "weaken"]
