"""A condition without a query around it, such as a text in a program or in YAML."""

import dataclasses
from collections.abc import Callable, Iterator

from sqlglot import exp

from predicat.discover.conditions import Clause, Condition, Refused, SourceRange
from predicat.discover.read.relations import Columns
from predicat.discover.read.sql import SqlText

# The place of a range of a text, and whether the text is written there as it is.
Ranges = Callable[[int, int], tuple[SourceRange, bool]]
_NOWHERE = "predicat_unknown"


def condition(
    text: str, relation: str | None, clause: Clause, dialect: str, place: Ranges, columns: Columns
) -> Iterator[Condition | Refused]:
    """A condition on the rows of a relation.

    Args:
        text: the condition in SQL.
        relation: the relation, if it is known.
        clause: what the condition is part of.
        dialect: sqlglot's name of the dialect.
        place: the place of a range of the text.
        columns: the types of the columns of known relations.
    """
    parts = [exp.to_identifier(part, quoted=True) for part in (relation or _NOWHERE).split(".")[-3:]]
    table = exp.Table(**dict(zip(("this", "db", "catalog"), reversed(parts), strict=False)))
    head = f"SELECT 1 FROM {table.sql(dialect or None)} WHERE "

    def inner(start: int, end: int) -> tuple[SourceRange, bool]:
        first = max(0, start - len(head))
        return place(first, max(first, end - len(head)))

    for condition_ in SqlText(head + text, dialect, inner, columns).read():
        if isinstance(condition_, Refused):
            yield dataclasses.replace(condition_, text=condition_.text.removeprefix(head))
        elif str(condition_.relation).rpartition(".")[2] != parts[-1].name:  # of a subquery
            yield condition_
        else:
            own = clause if condition_.clause == "where" else condition_.clause
            yield dataclasses.replace(condition_, clause=own, relation=relation)
