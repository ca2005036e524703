"""Filters for what lies upstream: a source that can evaluate a part of a filter only, in a language of its
own.
"""

from predicat.pushdown.splitting import Split, split
from predicat.pushdown.weakening import Weakening, weaken

__all__ = ["Split", "Weakening", "split", "weaken"]
