"""Conditions of SQL languages at random, from the tables of spellings in conditions.yml.

A spelling has holes: `<int>` is any whole number, `<int0>` a field or a constant. What an engine has beside
the others is in its own table. `lenient` is Spark without ANSI mode.
"""

import random
import re
from collections.abc import Mapping

from tests.texts import tables_of

Grammar = Mapping[str, list[str]]

_TABLES: dict[str, Grammar] = dict(tables_of(__file__))
FIELDS = {name: kind for name, (kind,) in _TABLES.pop("fields").items()}
LEAVES, COMMON, SPARK, LENIENT = (_TABLES[name] for name in ("leaves", "common", "spark", "lenient"))
OWN = {
    "duckdb": _TABLES["duckdb"],
    "spark": SPARK,
    "lenient": {kind: [*SPARK.get(kind, ()), *LENIENT.get(kind, ())] for kind in {**SPARK, **LENIENT}},
    "postgres": _TABLES["postgres"],
}
_HOLE = re.compile(r"<([a-z]+)(0?)>")


class Conditions:
    """Conditions of a language by a seed."""

    def __init__(self, language: str, seed: int) -> None:
        self.random = random.Random(seed)  # no secret
        own = OWN[language]
        self.leaves = {**LEAVES, **{kind: own[kind] for kind in own.keys() - COMMON.keys()}}
        self.made = {
            kind: [
                text
                for text in (*COMMON.get(kind, ()), *own.get(kind, ()))
                if "_(" not in text and "_ " not in text
            ]
            for kind in COMMON
        }

    def next(self) -> str:
        return self.filled("bool", self.random.choice((1, 1, 2, 2, 2, 3)))

    def filled(self, kind: str, depth: int) -> str:
        text = self.random.choice(self.spellings(kind, depth))
        return _HOLE.sub(lambda hole: self.filled(hole[1], 0 if hole[2] else depth - 1), text)

    def spellings(self, kind: str, depth: int) -> list[str]:
        """A part that may be deep is a leaf in one of four cases."""
        if depth > 0 and kind in self.made and (kind == "bool" or self.random.random() < 0.75):
            return self.made[kind]
        return self.leaves[kind]
