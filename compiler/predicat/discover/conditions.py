"""The record of a condition that was found: what its author wrote, where, and on which relation."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

# The clause of a condition: of a row security policy `policy` is USING, `with check` is WITH CHECK.
Clause = Literal[
    "where",
    "having",
    "case",
    "filter",
    "join",
    "qualify",
    "check",
    "policy",
    "with check",
    "test",
    "view",
    "selector",
]
# The clauses that decide who may see or write which rows.
POLICIES = ("policy", "with check")

# How the paths of what a server declares begin.
SERVER = "postgresql:"
# How the paths of statements that a server has run begin.
STATEMENTS = f"{SERVER}pg_stat_statements."
_TEMPLATES = ("{{", "{%", "{#")


@dataclass(frozen=True)
class SourceRange:
    """Where a condition is written.

    Args:
        path: the file, below the folder that was searched as that was named; for a database,
            `postgresql:schema.name`.
        line: the first line, from 1.
        column: the first column, from 1, in characters.
        end: the offset behind its last character in the file, in characters.
        start: the offset of its first character in the file, in characters.
        calls: how often a server has run the statement that it is in, if the server was asked; otherwise 0.
    """

    path: str
    line: int
    column: int
    start: int
    end: int
    calls: int = 0


@dataclass(frozen=True)
class Condition:
    """A condition as its author wrote it.

    Args:
        text: the condition, as it is in the file (a template is rendered; `place` is that of the file).
        language: a language of predicat, such as `sql`, `cel` or `sns`.
        dialect: of SQL, the dialect that reads it, by sqlglot's name; for other languages "".
        relation: the table, view or model whose rows it tests, with its schema where one is written; None
            where the statement does not tell.
        clause: the clause that it is in.
        place: where it is.
        fields: the types of known fields, by name; the type of any other field is inferred from use.
        params: the types of parameters, for variables of templates and placeholders of statements; an
            empty text where a type is not known.
        owner: by CODEOWNERS or the author of most of its lines; None where neither is known.
        rendered: whether the text comes out of a template, so that it cannot be replaced in its file.
        sql: of SQL, the condition as `sql` reads it: names of columns without their tables, parameters as
            `:name`, functions by their standard names; empty for other languages. Read this, show `text`.
        whole: False where it is only a part of its clause, which ANDs it with other conditions.
        branches: the `start` of the CASE that it is a WHEN of, and its number in it, from 0; None elsewhere.
        result: of a WHEN with `branches`, its THEN as SQL, cut; empty elsewhere.
        derived: whether `relation` is a name that only its statement knows, as of a subquery.
        session: of the parameters that are values of the session, the declared type and the expression that
            PostgreSQL reads each from.
        on: the field that keys are read from, for languages of keys; None for the row itself.
        others: the types of fields that predicat has no form of, by name, as SQL names them.
        changes: whether its statement deletes or updates rows.
    """

    text: str
    language: str
    dialect: str
    relation: str | None
    clause: Clause
    place: SourceRange
    fields: Mapping[str, str] = field(default_factory=dict)
    params: Mapping[str, str] = field(default_factory=dict)
    owner: str | None = None
    rendered: bool = False
    sql: str = ""
    whole: bool = True
    branches: tuple[int, int] | None = None
    result: str = ""
    derived: bool = False
    session: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    on: str | None = None
    others: Mapping[str, str] = field(default_factory=dict)
    changes: bool = False

    @property
    def judged(self) -> str:
        """What is judged of it, in one line: for SQL the same for many spellings."""
        return " ".join((self.sql or self.text).split())

    @property
    def declared(self) -> bool:
        """Whether a table or a server declares it."""
        return self.clause == "check" or (self.place.path.startswith(SERVER) and not self.place.calls)

    @property
    def accepts(self) -> bool:
        """Whether a row for which it is UNKNOWN is accepted, as a CHECK constraint does."""
        return self.clause == "check"

    @property
    def writes(self) -> bool:
        """Whether it is about rows that are written, and not about those that are there already."""
        return self.clause == "with check"

    @property
    def has_parameters(self) -> bool:
        """Whether a value is given when it runs, by a parameter or a template."""
        return bool(self.params) or any(mark in self.sql for mark in _TEMPLATES)

    def has_template(self, text: str) -> bool:
        """Whether it is made by a template, in part. `text` is that of its file."""
        return any(mark in text[self.place.start : self.place.end] for mark in _TEMPLATES)


@dataclass(frozen=True)
class Refused:
    """Something that looks like a condition and could not be read.

    Args:
        place: where it is.
        reason: one sentence.
        text: what is there, at most 200 characters.
    """

    place: SourceRange
    reason: str
    text: str


def relation_of(condition: Condition) -> str | None:
    """The relation of a condition as it is compared, with its schema: None where only its statement knows
    it.
    """
    if condition.relation is None or condition.derived:
        return None
    parts = [part.strip('"`[] ') for part in condition.relation.casefold().split(".")]
    return ".".join(parts[-2:])
