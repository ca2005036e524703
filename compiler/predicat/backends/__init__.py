"""Back ends: typed nodes to SQL dialects and other languages."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from predicat.diagnostics import Unsupported
from predicat.diagnostics import messages as msg
from predicat.ir.nodes import Node

if TYPE_CHECKING:
    from predicat.backends.sql.base import Dialect

DIALECTS = ("spark", "postgres")
"""The SQL dialects, by name."""


@cache
def dialect(name: str) -> Dialect:
    """The SQL dialect of a name in DIALECTS; its module loads on first use."""
    if name == "spark":
        from predicat.backends.sql.spark import SPARK  # noqa: PLC0415  # sqlglot takes a tenth of a second to load

        return SPARK
    from predicat.backends.sql.postgres import POSTGRES  # noqa: PLC0415  # as above

    return POSTGRES


def writer(language: str) -> Callable[[Node], str]:
    """The function that writes a typed node in a language; one that always refuses where there is none yet."""

    def refuse(node: Node) -> str:
        raise Unsupported.of(msg.unsupported(node.span, language, "predicate", "predicates cannot be written in it yet"))

    return refuse
