"""Why something that looks like a condition is not read, and what the command says.

Each function is a message: see the package.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.wording import quantity

AGGREGATE = "it has an aggregate: it tests groups, not rows"
WINDOW = "it has a window function: it tests a row among others"
SUBQUERY = "it has a subquery"
SEVERAL = "it compares rows of several relations"
WHOSE = "a column does not name which of several relations it belongs to"
NO_COLUMN = "it reads no column"
COMPUTED = "it reads a column that the statement computes"
JOINED = "it tests whether a row was joined"
NOT_PARSED = "the statement cannot be parsed"
NO_TOKENS = "the statement cannot be split into SQL tokens"
TOO_DEEP = "it is nested too deeply"
TOO_LARGE = "the file is too large"
NOT_UTF8 = "the file is not UTF-8"
UNREADABLE = "the file cannot be read"
NOT_STANDARD = "it has a construct of its dialect that standard SQL does not have"
PART_OF_TEMPLATE = "a part of a constant or a name is a template"
BACKSLASH = "a pattern has a backslash, which dialects read differently"
NOT_RENDERED = "the template cannot be rendered"
NO_PYTHON = "the file is not valid Python"
NOT_LITERAL = "a program builds it: only constants and columns can be read"
NOT_DATA = "the file cannot be read as data"


def unknown_dialect(name: str, known: list[str]) -> str:
    """The option --dialect has a name that sqlglot does not know."""
    return f"no SQL dialect is named {name!r}; known are {', '.join(sorted(filter(None, known)))}"


OTHER_REASONS = "for other reasons (--format json has all)"
UNNAMED = "a condition"
NEEDS_PATHS = "name files or folders, or a server with --dsn"
NEEDS_CATALOG = "--patch needs a catalog: --catalog FOLDER"
NEEDS_BASELINE = "--update-baseline needs --baseline FILE"
NEEDS_PROPOSE = "--interactive needs --propose FOLDER"


def not_together(one: str, other: str) -> str:
    """Two options of which each says what the command does."""
    return f"{one} and {other} cannot be combined"


def no_code(code: str, known: list[str]) -> str:
    """The option --select has a code that no finding has."""
    return f"no finding has a code that begins with {code!r}; known are {', '.join(known)}"


def nothing_read(paths: Sequence[object]) -> Diagnostic:
    """No file has anything to read."""
    return msg.usage_warning(
        f"there is no SQL and no other condition in {', '.join(map(str, paths))}",
        "discover reads .sql, .ddl and .hql files, and conditions in PySpark (.py), YAML, JSON and Terraform",
    )


def row(values: Mapping[str, Any], outcome: bool | None) -> str:
    """A row that shows a finding, and what the condition is for it."""
    word = {True: "TRUE", False: "FALSE", None: "UNKNOWN"}[outcome]
    return f"It is {word} for {_row(values)}."


def _row(values: Mapping[str, Any]) -> str:
    return (
        "{"
        + ", ".join(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in values.items())
        + "}"
    )


def inferred(types: Mapping[str, str]) -> str:
    """The types that a verdict rests on, where they are not known."""
    shown = ", ".join(f"{name} ({kind})" for name, kind in sorted(types.items()) if kind != "any")
    return f"Types inferred from use: {shown}." if shown else ""


def copy_of(name: str) -> str:
    """A condition of the code is a filter of the catalog."""
    return f"this is a copy of the filter {name}"


def use_filter(name: str) -> str:
    """What to write in its place."""
    return f"write matches_filter('{name}')"


def same_rule(others: list[str]) -> str:
    """A rule that is in several places."""
    shown = ", ".join(others[:5]) + (f" and {len(others) - 5} more" if len(others) > 5 else "")
    return f"the same rule is in {shown}"


def drifted(name: str, message: str, rows: list[Mapping[str, Any]]) -> str:
    """A condition of the code is nearly a filter of the catalog."""
    return f"this differs from the filter {name}: {message}{_told(rows)}"


def near(place: str, message: str, rows: list[Mapping[str, Any]]) -> str:
    """Two conditions of the code are nearly the same."""
    return f"this is nearly the rule in {place}: {message}{_told(rows)}"


def parted(commit: str, subject: str, path: str) -> str:
    """Two conditions were alike until a commit."""
    return f"they were the same until {commit} ({subject}) changed {path}"


def _told(rows: list[Mapping[str, Any]]) -> str:
    return "".join(f". They differ for {_row(values)}." for values in rows[:1])


def baseline(path: str, accepted: int, stale: int) -> str:
    """How many findings a baseline has."""
    gone = f"; {stale} of its lines are stale (--update-baseline removes them)" if stale else ""
    return f"{quantity(accepted, 'known finding')} in {path}{gone}"


def written(path: str, total: int) -> str:
    """A baseline was written."""
    return f"{path}: {quantity(total, 'finding')}"


OTHER_LANGUAGE = "it is not SQL: `predicat import` writes it"
NO_RELATION = "its relation is not a table, a view or a model"
UNCLEAR = "its types are not clear"
DEAD = "it matches no row, or every row"
PART_OF_POLICY = "it is a part of a row security policy, and the rest cannot be a filter"
HAS_PARAMETERS = "it has parameters"
TOO_MANY = "its relation has too many rules; those in most places are proposed"
WRONG = "a rule that is nearly the same was chosen"
ASKS_WHICH = "Which one is right"
ASKS_FOR_A_NAME = "name (- leaves it out)"


def rows_of(relation: str) -> str:
    """What a row of a proposed dataset is."""
    return f"Rows of {relation}."


def about_part(message: str, part: str) -> str:
    """A message about a part whose place in the file is not known."""
    return message if part in message else f"{message}: {part}"


def described(told: str, places: list[str], parts: list[str], *, writes: bool = False) -> str:
    """What a proposed filter means, where its rule is now, and where it is a part of a condition."""
    rows = f"Rows that may be written: those where {told}." if writes else f"Rows where {told}."
    if not places:
        return f"Part of a condition, which has more to it. {rows} Found in {_places(parts)}."
    more = f" Part of the condition in {_places(parts)}." if parts else ""
    return f"{rows} Found in {_places(places)}.{more}"


def _places(places: list[str]) -> str:
    return ", ".join(places[:3]) + (f" and {len(places) - 3} more places" if len(places) > 3 else "")


def proposed(filters: int, written: list[str], there: list[str]) -> str:
    """What a proposal wrote."""
    lines = [f"wrote {path}" for path in written] + [f"{path} exists and is kept" for path in there]
    datasets = quantity(len(written) + len(there), "dataset")
    return "\n".join([*lines, f"{quantity(filters, 'filter')} in {datasets}"])


def left_out(reason: str, number: int) -> str:
    """Why rules became no filters."""
    return f"{number:>7}  left out: {reason}"


OTHER_RELATION = "it tests rows of another relation"
NOT_REPLACEABLE = "a template or a program builds it, or it is used where UNKNOWN is accepted"
NOT_PROVED = "there is no proof that the rows stay the same with the types of the catalog"


def no_matches_filter(dialect: str) -> str:
    """A copy of a filter in SQL that cannot call the filter."""
    return f"its dialect is {dialect or 'standard'}, without matches_filter (--dialect names another one)"


def proved(path: str, line: int, name: str, proof: str) -> str:
    """The proof of a place of a patch."""
    return f"# {path}:{line} is {name}: {proof}"


def patched(path: str, places: int) -> str:
    """A patch was written."""
    if not places:
        return f"wrote {path}, which is empty: no place is replaced"
    return f"wrote {path}: {quantity(places, 'place')}, each proved to keep its rows"


def stays(path: str, line: int, reason: str) -> str:
    """A copy of a filter that is not rewritten."""
    return f"{path}:{line} stays: {reason}"


SECTIONS = {
    "Never true, and never reached": ("D101", "D104", "D105", "D106"),
    "Drift and copies of filters": ("D302", "D301"),
    "Rules that are nearly the same": ("D202",),
    "Probably not meant": ("D108", "D107", "D103", "D102"),
    "The same rule in several places": ("D201",),
}
"""The sections of the page, with the codes of their findings."""

NO_REASON = "the engine does not say why"
NOT_COUNTED = "Not counted: "
NOT_SQL = "it is not SQL"
TOO_MUCH_TO_COUNT = (
    "there are too many relations or conditions: the relations with the most conditions are counted"
)


def no_engine(place: str) -> str:
    """The option --engine has neither a folder nor a DSN."""
    return f"{place} is neither a folder nor a DSN (postgresql://user@host/database)"


def too_slow(seconds: float) -> Diagnostic:
    """DuckDB has not counted the rows of a relation in time."""
    return msg.engine_error("DuckDB", f"counting took more than {seconds:g} seconds")


def not_there(name: str) -> str:
    """A relation that the engine has not."""
    return f"the engine has no relation {name}"


def several_there(name: str, names: list[str]) -> str:
    """A name that several relations of the engine have."""
    return f"{name} may be {', '.join(names[:5])}"


def no_column(name: str) -> str:
    """A column that a relation has not."""
    return f"the relation has no column {name}"


def no_such_type(name: str, physical: str) -> str:
    """A column whose type is not supported."""
    return f"the type of column {name} is not supported: {physical}"


def counted(relation: str, total: int, true: int, unknown: int) -> str:
    """The rows of a condition."""
    more = f", UNKNOWN for {unknown:,}" if unknown else ""
    return f"TRUE for {true:,} of {quantity(total, 'row')} of {relation}{more}"


def takes_none(relation: str, total: int, unknown: int) -> str:
    """A condition that accepts no row of the data."""
    more = f"; it is UNKNOWN for {unknown:,}" if unknown else ""
    return f"it accepts none of the {total:,} rows of {relation}{more}"


def others(number: int) -> str:
    """Lines that are not shown."""
    return f"and {number} more (--format json has all)"


def counted_in(relations: int, empty: int) -> str:
    """How many relations were read, and how many conditions take none of their rows."""
    accepts = "accepts" if empty == 1 else "accept"
    return f"in {quantity(relations, 'relation')}; {empty} {accepts} no row"


def two_rules(
    relation: str, message: str, rules: list[tuple[str, list[str]]], rows: Sequence[Mapping[str, Any]]
) -> str:
    """Two rules of which somebody chooses: each with its places, and rows that only one accepts."""
    lines = [f"Two rules on {relation} are nearly the same: {message}"]
    for number, (sql, places) in enumerate(rules, 1):
        more = f" and {len(places) - 3} more" if len(places) > 3 else ""
        lines.append(f"  {number}  {sql}\n     in {', '.join(places[:3])}{more}")
    return "\n".join([*lines, *(f"They differ for {_row(values)}." for values in rows[:1])])
