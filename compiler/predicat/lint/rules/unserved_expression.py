"""P305: a field that is an expression: an index of the column, or what files say of their blocks, is lost."""

from __future__ import annotations

from collections.abc import Iterator

from predicat import backends
from predicat.backends.sql.expressions import Expression, of_field
from predicat.backends.sql.postgres.stored import spelling
from predicat.catalog.model import Dataset
from predicat.diagnostics import Severity
from predicat.diagnostics.messages import expressions as say
from predicat.lint.rule import Context, Finding, Rule

# The engines that skip blocks of rows by the least and greatest value of a column.
_SKIPS = {"spark": "Spark", "duckdb": "DuckDB"}


def check(context: Context) -> Iterator[Finding]:
    for name, dataset in context.datasets.items():
        for decl in dataset.fields.values():
            for engine, text in decl.expressions:
                found = of_field(decl, engine)
                if found is None or found.is_column or _served(dataset, engine, found):
                    continue
                said, hint = (
                    (say.unskipped(decl.name, text, _SKIPS[engine]), say.OWN_TYPE)
                    if engine in _SKIPS
                    else (say.unserved_expression(decl.name, text), say.index_for(text))
                )
                place = dataset.place(f"field {decl.name}")
                yield Finding(RULE.code, f"{name}.{decl.name}", said, place, hint)


def _served(dataset: Dataset, engine: str, found: Expression) -> bool:
    """Whether an index of the dataset has the expression as its first key."""
    storage = backends.stored(engine, dataset.collation, dataset.indexes)
    wanted = spelling(found.sql)
    return any(index.keys[0].expression == wanted for index in storage.indexes or ())


RULE = Rule(
    "P305",
    "unserved-expression",
    "A field that is an expression, for which no index of the dataset serves.",
    check,
    Severity.NOTE,
)
