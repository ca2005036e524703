"""How many rows conditions take on data: one query for each relation, within limits."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct
from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from predicat.api import parse
from predicat.deploy.describe import Column
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import discover as say
from predicat.discover.conditions import Condition

# Relations that are read, at most: those with most conditions.
MAX_RELATIONS = 50
# Conditions of a relation that are counted, at most.
_MAX_CONDITIONS = 200
# A relation of an engine: its name, behind its schema if the engine has schemas.
Name = tuple[str, ...]


class Engine(Protocol):
    """Where rows are counted.

    Attributes:
        dialect: The SQL dialect of predicat that it runs.
    """

    dialect: str

    def relations(self) -> Sequence[Name]:
        """All relations. Raises PredicatError."""
        ...

    def columns(self, relation: Name) -> Sequence[Column]:
        """The columns of a relation. Raises PredicatError."""
        ...

    def numbers(self, relation: Name, expressions: Sequence[str]) -> Sequence[int]:
        """The values of aggregates over all rows. Raises PredicatError, also if it takes too long."""
        ...

    def row(self, relation: Name, columns: Sequence[str], condition: str) -> Sequence[Any]:
        """The columns of a row that meets a condition; empty if there is none. Raises PredicatError."""
        ...

    def refuses(self, relation: Name, expression: str) -> str:
        """Why the engine cannot run an expression, without reading rows; empty if it can."""
        ...


class Count(Struct, frozen=True):
    """The rows of a condition.

    Attributes:
        relation: The relation that was read; empty if there is none.
        total: The rows of the relation.
        true: The rows for which the condition is TRUE.
        unknown: The rows for which the condition is UNKNOWN.
        reason: Why they were not counted; empty if they were.
    """

    relation: str = ""
    total: int = 0
    true: int = 0
    unknown: int = 0
    reason: str = ""


def counts(conditions: Sequence[Condition], engine: Engine) -> list[Count]:
    """The rows of each condition on an engine, or the reason why they are not counted.

    A relation is read once, however many conditions it has. Raises PredicatError if the engine cannot
    tell its relations.
    """
    known = engine.relations()
    result: dict[int, Count] = {}
    by_relation: dict[Name, dict[str, list[int]]] = {}
    for number, condition in enumerate(conditions):
        reason_or_relation = _unfit(condition) or relation_named(str(condition.relation), known)
        if isinstance(reason_or_relation, str):
            result[number] = Count(reason=reason_or_relation)
        else:
            by_relation.setdefault(reason_or_relation, {}).setdefault(condition.sql, []).append(number)
    most_first = sorted(by_relation.items(), key=lambda item: -len(item[1]))
    for place, (relation, texts) in enumerate(most_first):
        counted = _counted(engine, relation, list(texts)) if place < MAX_RELATIONS else {}
        for text, numbers in texts.items():
            count = counted.get(text, Count(reason=say.TOO_MUCH_TO_COUNT))
            result.update(dict.fromkeys(numbers, count))
    return [result[number] for number in range(len(conditions))]


def reasons(counts: Sequence[Count]) -> Counter[str]:
    """Why conditions were not counted."""
    return Counter(count.reason for count in counts if count.reason)


def _unfit(condition: Condition) -> str:
    """Why a condition has no rows on an engine; an empty text if it may have."""
    if condition.language != "sql" or not condition.sql:
        return say.NOT_SQL
    if condition.derived or condition.relation is None:
        return say.NO_RELATION
    if condition.has_parameters:
        return say.HAS_PARAMETERS
    return ""


def relation_named(written: str, known: Sequence[Name]) -> Name | str:
    """The relation that a name means, or the reason why there is none. A database before the schema is
    ignored, and so is the schema if the name or the engine has none.
    """
    parts = tuple(part.strip('"`[] ').casefold() for part in written.split("."))[-2:]
    like = [
        name
        for name in known
        if all(one == other.casefold() for one, other in zip(reversed(parts), reversed(name), strict=False))
    ]
    exact = [name for name in like if len(name) == len(parts)]
    if len(exact) == 1:
        return exact[0]
    if not like:
        return say.not_there(".".join(parts))
    return (
        like[0] if len(like) == 1 else say.several_there(".".join(parts), [".".join(name) for name in like])
    )


def _counted(engine: Engine, relation: Name, texts: Sequence[str]) -> dict[str, Count]:
    """The counts of conditions on one relation."""
    name = ".".join(relation)
    try:
        columns = engine.columns(relation)
    except PredicatError as error:
        return dict.fromkeys(texts, Count(name, reason=_message(error)))
    result: dict[str, Count] = {}
    rendered: dict[str, str] = {}
    for text in texts[:_MAX_CONDITIONS]:
        try:
            rendered[text] = parse(text, "sql", fields_in(text, columns)).sql(engine.dialect)
        except PredicatError as error:
            result[text] = Count(name, reason=_message(error))
        except Missing as missing:
            result[text] = Count(name, reason=str(missing))
        except (SqlglotError, RecursionError, ArithmeticError):
            result[text] = Count(name, reason=say.NOT_STANDARD)
    return result | _rows(engine, relation, rendered)


def _rows(
    engine: Engine, relation: Name, rendered: Mapping[str, str], *, again: bool = True
) -> dict[str, Count]:
    """The counts of conditions. If the query fails, those that the engine refuses are left out, once."""
    name = ".".join(relation)
    try:
        total, *values = _numbers(engine, relation, rendered)
    except PredicatError as error:
        refused = {text: engine.refuses(relation, sql) if again else "" for text, sql in rendered.items()}
        rest = {text: sql for text, sql in rendered.items() if not refused[text]}
        if len(rest) == len(rendered):
            return dict.fromkeys(rest, Count(name, reason=_message(error)))
        left = {text: Count(name, reason=reason) for text, reason in refused.items() if reason}
        return left | _rows(engine, relation, rest, again=False)
    return {
        text: Count(name, total, true, total - known)
        for text, true, known in zip(rendered, values[::2], values[1::2], strict=True)
    }


def _numbers(engine: Engine, relation: Name, rendered: Mapping[str, str]) -> Sequence[int]:
    """All rows, and for each condition the rows where it is TRUE, and those where it is not UNKNOWN."""
    expressions = (
        part for sql in rendered.values() for part in (f"count(*) FILTER (WHERE {sql})", f"count({sql})")
    )
    return engine.numbers(relation, ["count(*)", *expressions]) if rendered else [0]


class Missing(Exception):
    """A condition reads a column that its relation has not; the argument is the reason in one sentence."""


def fields_in(text: str, columns: Sequence[Column]) -> dict[str, dict[str, str]]:
    """The fields of a condition: its names are columns whatever their case. Raises Missing."""
    return dict(_read(text, columns))


def _read(text: str, columns: Sequence[Column]) -> Iterator[tuple[str, dict[str, str]]]:
    for node in parse_one(text).find_all(exp.Column):
        name = node.parts[0].name
        like = [column for column in columns if column.name == name] or [
            column for column in columns if column.name.casefold() == name.casefold()
        ]
        if len(like) != 1:
            raise Missing(say.no_column(name))
        if like[0].type is None or like[0].expression:  # the condition is about the value, not its text
            raise Missing(say.no_such_type(name, like[0].physical))
        yield name, {"type": like[0].type, "column": like[0].name}


def _message(error: PredicatError) -> str:
    return error.diagnostics[0].message if error.diagnostics else say.NO_REASON
