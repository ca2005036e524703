"""Why something that looks like a condition is not read, and what the command says.

Each row is one: see the package.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from predicat.diagnostics.message import Failure, Text
from predicat.diagnostics.wording import quantity

AGGREGATE = "it has an aggregate: it tests groups, not rows"
WINDOW = "it has a window function: it tests a row among others"
SUBQUERY = "it has a subquery"
SEVERAL = "it compares rows of several relations"
WHOSE = "a column does not name which of several relations it belongs to"
NO_COLUMN = "it reads no column"
USES_FILTER = "it uses a filter of a catalog"
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
NO_PYTHON = "it is not valid Python"
LEADS_OUT = "it is a link that leads out of its folder"
# A file that was read and has no condition, by its kind.
NOTHING_IN = {
    "python": "it is Python without conditions of SQL",
    "scala": "it is Scala without conditions on Spark",
    "looker": "it is LookML without conditions",
    "data": "it is data without conditions",
    "r": "it is R, and no notebook of Databricks",
    "notebook": "it is a notebook without conditions",
}
OTHER_CELL = "it is a cell in a language that is not read, such as R"
NOT_LITERAL = "a program builds it: only constants and columns can be read"
ROW_CONDITION = "it is no row condition that says what SQL can"
FILTER_EXPRESSION = "a filter expression has another meaning at another time or on another database"
TIMEFRAME = "it reads a time in the time zone of Looker"
NO_FIELD = "it names a field that no view of the files has"
NO_STATEMENTS = "the server does not count statements: pg_stat_statements is not loaded"
HIDDEN_STATEMENT = "only roles with pg_read_all_stats see the statements of others"
NOT_DATA = "the file cannot be read as data"
OTHER_REASONS = "for other reasons (--format json has all)"
UNDECIDED = "questions that the solver cannot answer within their work: nothing is reported there"
UNANSWERED = "questions are left; the next run goes on from here"
PROGRESS = "looking for findings"
READING = "reading files"
UNNAMED = "a condition"
NOTHING = "No finding is more than a note."
NEEDS_PATHS = "name files or folders, or a server with --dsn"
NEEDS_CATALOG = "--patch needs a catalog: --catalog FOLDER"
NEEDS_BASELINE = "--update-baseline needs --baseline FILE"
NEEDS_PROPOSE = "--interactive needs --propose FOLDER"

# Two options of which each says what the command does.
not_together = Text[str, str]("{one} and {other} cannot be combined")
# The option --select has a code that no finding has.
no_code = Text[str, list[str]]("no finding has a code that begins with {code!r}; known are {known:list}")
# The revision of --since: what else is counted is of these files only.
changed_since = Text[str]("with conditions have changed since {revision}: what follows is of these")
# How many findings there are so far, on a terminal.
found_so_far = Text[int]("looking for findings ({number} until now)")
# A condition that has an error, while others are still judged.
found_one = Text[str, int, str]("{path}:{line}: {message}")
# A file of a folder with a suffix of which nothing is known.
kind_not_read = Text[str]("files of the kind {suffix} are not read")
# A folder that programs write.
folder_left_out = Text[str]("a folder {name} holds what programs write")
# No file has anything to read.
nothing_read = Failure[Sequence[object]]("""warning[usage]: there is no SQL and no other condition in
    {paths:list}
    hint: discover reads .sql, .ddl and .hql files, and conditions in notebooks, PySpark (.py),
    Scala, LookML, YAML, JSON and Terraform""")
# `discover --check` found no condition that it can judge.
nothing_checked = Failure[list[str]]("""usage: no condition was checked{reasons:if : {reasons:first 3}|,
    because none was found}
    hint: name the folders with the SQL, or its dialect with --dialect; a check that judges nothing
    would always pass""")
# The same, where single files are checked.
none_in_files = Failure[list[str]]("""warning[usage]: no condition was
    checked{reasons:if : {reasons:first 3}|, because none was found}""")
# --against needs files of the repository.
not_in_repository = Failure[object, object]("""usage: {path} is not in the repository {root}
    hint: with --against, name files and folders of the repository of the current folder""")
# How many findings a revision has, too.
known_at = Text[str, int]("(revision, number) {number:count known finding} at {revision}")
# A file of which nothing is known: there are few, so each has its reason.
lost = Text[str]("the process that read {path} ended, perhaps for want of memory")
# The filters of the catalog that conditions are not compared with.
not_compared = Text[int]("compared{left:if , {left} not|}")
# A condition of the code is a filter of the catalog.
copy_of = Text[str]("this is a copy of the filter {name}")
# A condition of the code has a filter of the catalog, and more.
copy_in = Text[str, str]("a part of this is a copy of the filter {name}: {part}")
# What to write in the place of a part.
for_part = Text[str]("{hint} for this part")
# What to do with a copy, and whether the solver has proved that the rows stay the same.
with_proof = Text[str, bool](
    "{hint}; {proof:if it is proved that all rows stay the same|it is not proved that all rows stay the same}"
)
# What to write where a condition differs from a filter.
if_right = Text[str]("if the filter is right, {hint}")
# What to write in its place.
write = Text[str]("write {text}")
# What to read in PostgreSQL in the place of a relation with a condition.
read_view = Text[str, str]("read the view {view}, which `predicat apply` creates, in place of {relation}")
# What writes a filter in a language other than SQL.
translate_filter = Text[str, str]("`predicat translate {name} --to {language}` writes it")
# A dataset is not on an engine.
no_relation_there = Text[str, str]("the dataset {dataset} has no relation on {engine}")
# A filter has no view in PostgreSQL.
no_view = Text[str](
    "PostgreSQL has no matches_filter, and {name} has no view: its parameters have no defaults"
)
# A rule that is in several places.
same_rule = Text[list[str], int]("""the same rule is in {others:some 5}{relations:if , on
    {relations} relations|}""")
# The lines of the same finding in its file.
also_in = Text[int, list[str]]("it is also in {number:is 1 line|lines} {lines:first 5}")
# The place of a rule on another relation.
place_on = Text[str, str]("{place} (on {relation})")
# The places of the same finding in other files.
also_at = Text[list[str]]("it is also in {places:some 3}")
# The same mistake is made with several relations.
in_relations = Text[int]("in {number} relations")
# In how many places a mistake is, and how often a server has run them.
ran = Text[int, int]("in {places:count place}, {calls:count call}")
# Who wrote a line, and in which commit.
written = Text[str, str, str, str]("{author}, {day} ({commit} {subject})")
# Findings that are not shown, and how to list them.
notes = Text[str]("notes are only counted here; --select CODE shows them, such as --select {code}")
more_findings = Text[int, str]("and {number} more: {codes} (--select CODE lists them)")
# The title of the report as Markdown, of all findings or of those that a revision does not have.
title = Text[int, int, str]("""predicat discover: {number:count finding} in
    {files:count file}{against:if  that {against} does not have|}""")
# Two conditions were alike until a commit.
parted = Text[str, str, str]("they were the same until {commit} ({subject}) changed {path}")
OTHER_LANGUAGE = "it is not SQL: `predicat import` writes it"
NO_RELATION = "its relation is not a table, a view or a model"
UNCLEAR = "its types are not clear"
DEAD = "it matches no row, or every row"
PART_OF_POLICY = "it is a part of a row security policy, and the rest cannot be a filter"
HAS_PARAMETERS = "it has parameters"
UNKNOWN_TYPE = "Its type is not known: correct it, the conditions do not tell."
SOME_NUMBER = "A number: correct its type, the conditions do not tell which one."
SOME_TIME = "A day or a moment: correct its type, the conditions do not tell which one."
OF_SERVER = "its relation is one in which a database describes itself"
BARE = "it is one column, which has a name already"
ONE_OFF = "it names single rows, as one deletion or repair of data does"
TOO_MANY = "its relation has too many rules; those in most places are proposed"
WRONG = "a rule that is nearly the same was chosen"
ASKS_WHICH = "Which one is right"
ASKS_FOR_A_NAME = "name (- leaves it out)"

NEXT = "next: read and rename them, run predicat check, and commit them"

# A rule that is in one place only.
few_places = Text[int]("it is in fewer than {number:count place} (--min-places 1 proposes it too)")
# One comparison, which says no more in one file than its own text.
few_files = Text[int](
    "it is one comparison in fewer than {number:count file} (--min-places 1 proposes it too)"
)
# A column of a type that predicat does not have.
other_type = Text[str]("""Its column is {kind}, of which predicat has no form: the type is what the conditions
    tell.""")
# A filter that a check of the proposed catalog refuses.
does_not_pass = Text[str]("the catalog would not pass its own check: {problem}")
# A file that does not pass beside the others of its folder.
file_does_not_pass = Text[str, str]("{file} would not pass `predicat check`: {problem}")
# The rows of a condition that is told in words, and of one that is too long for that.
where = Text[str]("where {told}")
on_fields = Text[list[str]]("that meet several conditions on {fields:list}")
# What a row of a proposed dataset is.
rows_of = Text[str]("Rows of {relation}.")

IS_CODE = "they are Python code"
other_relation = Text[str, str]("it tests rows of {relation}, the filter those of {other}")
UNKNOWN_RELATION = "nothing tells whether its rows are those of the dataset"
NOT_REPLACEABLE = "a template or a program builds its text"
NOT_IN_WHERE = "PostgreSQL has no matches_filter, and a view serves only a WHERE"
SEVERAL_TABLES = "it names several tables, or no column"
RENAMED = "a query before it has given its columns other names"
LOOKUP = "branches of a CASE compare one column with one constant each, which is a list of values"
ACCEPTS_UNKNOWN = "it also accepts rows for which it is UNKNOWN, and matches_filter does not"
NOT_PROVED = "there is no proof that the rows stay the same with the types of the catalog"

# The proof of a place of a patch.
proved = Text[str, int, str, str]("# {path}:{line} is {name}: {proof}")
# Copies of filters that are not rewritten, for the same reason.
stay = Text[list[str], int, str]("{places:some 5} {number:is 1 stays|stay}: {reason}")

NO_REASON = "the engine does not say why"
NOT_COUNTED = "Not counted: "
NOT_SQL = "it is not SQL"
TOO_MUCH_TO_COUNT = (
    "there are too many relations or conditions: the relations with the most conditions are counted"
)

# The option --engine has neither a folder nor a DSN.
no_engine = Text[str]("{place} is neither a folder nor a DSN (postgresql://user@host/database)")
# DuckDB has not counted the rows of a relation in time.
too_slow = Failure[float]("engine: DuckDB failed: counting took more than {seconds:g} seconds")
# A relation that the engine has not.
not_there = Text[str]("the engine has no relation {name}")
# A name that several relations of the engine have.
several_there = Text[str, list[str]]("{name} may be {names:first 5}")
# A column that a relation has not.
no_column = Text[str]("the relation has no column {name}")
# A column whose type is not supported.
no_such_type = Text[str, str]("the type of column {name} is not supported: {physical}")
# The rows of a condition.
counted = Text[str, int, int, int]("""(relation, total, true, unknown) TRUE for {true:,} of
    {total:count row} of {relation}{unknown:if , UNKNOWN for {unknown:,}|}""")
# A condition that accepts no row of the data.
takes_none = Text[str, int, int]("""(relation, total, unknown) it accepts none of the {total:,} rows of
    {relation}{unknown:if ; it is UNKNOWN for {unknown:,}|}""")
# Lines that are not shown.
others = Text[int]("and {number} more (--format json has all)")
# How many relations were read, and how many conditions take none of their rows.
counted_in = Text[int, int]("in {relations:count relation}; {empty} {empty:is 1 accepts|accept} no row")
# A copy of a filter in SQL that cannot call the filter.
no_matches_filter = Text[str]("""its dialect is {dialect:if {dialect}|standard}, without matches_filter
    (--dialect names another one)""")
# A filter that the package of dbt does not have for an adapter.
not_in_package = Text[str, str]("`predicat export dbt` has no SQL of it for {adapter}: {reason}")
# The lines that have the condition of a proposed filter, and how many of them a patch replaces.
replaces = Text[str, list[str], int]("""{name} replaces {lines:first 5}{number:if  ({number} by --patch)|}""")
# A patch was written.
patched = Text[str, int]("""wrote {path}{places:if : {places:count place}, each proved to keep its
    rows; git apply {path} replaces them|, which is empty: no place is replaced}""")
NEEDS_PACKAGE = "the models then need the package that `predicat export dbt --target ADAPTER` writes"


def unknown_dialect(name: str, known: list[str]) -> str:
    """The option --dialect has a name that sqlglot does not know."""
    return f"no SQL dialect is named {name!r}; known are {', '.join(sorted(filter(None, known)))}"


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


def drifted(name: str, message: str, sides: Mapping[str, str], rows: Mapping[str, Mapping[str, Any]]) -> str:
    """A condition of the code is nearly a filter of the catalog.

    Args:
        name: The filter.
        message: The difference between `the first` and `the second` rule.
        sides: What these two are: the filter, and the condition.
        rows: For each of these a row that only it accepts, if there is one.
    """
    told = _SIDE.sub(lambda match: match[1] + sides[match[2]], message)
    return f"this differs from the filter {name}: {told}" + "".join(
        f". Only {side} accepts {_row(row_)}" for side, row_ in rows.items()
    )


# Where a message about two rules names one of them.
_SIDE = re.compile(r"(^|^only |, |, only )(the first|the second)(?= )")
# The two sides of a drift.
THIS = "this"
THE_FILTER = "the filter"


def near(place: str, message: str, rows: list[Mapping[str, Any]]) -> str:
    """Two conditions of the code are nearly the same."""
    return f"this is nearly the rule in {place}: {message}{_differing_row(rows)}"


def _differing_row(rows: list[Mapping[str, Any]]) -> str:
    return "".join(f". They differ for {_row(values)}." for values in rows[:1])


def about_part(message: str, part: str) -> str:
    """A message about a part whose place in the file is not known."""
    return message if part in message else f"{message}: {part}"


# Characters of the places that a description names.
_LONGEST_PLACES = 120


def described(told: str, places: list[str], parts: list[str], *, writes: bool = False) -> str:
    """What a proposed filter means, where its rule is now, and where it is a part of a condition."""
    rows = f"Rows that may be written: those {told}." if writes else f"Rows {told}."
    if not places:
        return f"{rows} Part of the condition in {_places(parts)}."
    more = f" Part of the condition in {_places(parts)}." if parts else ""
    return f"{rows} Found in {_places(places)}.{more}"


def _places(places: list[str]) -> str:
    """The first places, as many as fit in a line, and how many more there are."""
    lengths = accumulate(map(len, places))
    shown = [place for place, length in zip(places, lengths, strict=True) if length <= _LONGEST_PLACES][:3]
    shown = shown or places[:1]
    more = len(places) - len(shown)
    return ", ".join(shown) + (f" and {quantity(more, 'more place')}" if more else "")


def proposed(filters: int, written: list[str], there: list[str]) -> str:
    """What a proposal wrote."""
    lines = [f"wrote {path}" for path in written] + [f"{path} exists and is kept" for path in there]
    datasets = quantity(len(written) + len(there), "dataset")
    lines.append(f"{quantity(filters, 'filter')} in {datasets}")
    return "\n".join([*lines, NEXT] if written else lines)


def left_out(reason: str, number: int) -> str:
    """Why rules became no filters."""
    return f"{number:>7}  left out: {reason}"


def two_rules(
    relation: str, message: str, rules: list[tuple[str, list[str]]], rows: Sequence[Mapping[str, Any]]
) -> str:
    """Two rules of which somebody chooses: each with its places, and rows that only one accepts."""
    lines = [f"Two rules on {relation} are nearly the same: {message}"]
    for number, (sql, places) in enumerate(rules, 1):
        more = f" and {len(places) - 3} more" if len(places) > 3 else ""
        lines.append(f"  {number}  {sql}\n     in {', '.join(places[:3])}{more}")
    return "\n".join([*lines, *(f"They differ for {_row(values)}." for values in rows[:1])])
