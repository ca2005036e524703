"""Messages of the commands. Each row is one: see the package."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.message import Failure, Text
from predicat.diagnostics.source import NOWHERE

_ISSUES = "https://github.com/predicat/predicat/issues"
# Characters of a text that a message quotes.
MAX_SHOWN = 200
BASELINE_OF_ALL = "--update-baseline writes the findings of the whole catalog; leave --changed out"
FIX_AND_STAGED = "--fix changes the working tree, but --changed checks what is staged; write --changed HEAD"
FIX_FIRST = "run --fix first, then --update-baseline"
NEEDS_BASELINE = "--update-baseline needs --baseline FILE, the file to write"
NEED_FROM = "--dsn and --dataset need --from"
NOTHING = "nothing"
REVISION_WITHOUT_KEY = "--revision is a part of the signature; it needs --sign KEY"
NO_ROW_ACCEPTED = "no row is accepted"
SUBSCRIPTIONS_AND_SELECTORS = "--subscriptions selects all subscriptions; leave it out to name some"
ROW_OBJECT = "--row takes an object in JSON or YAML, such as '{dep_delay: 90}'"

shorter_condition = Text[()]("""note: this SQL is NULL for UNKNOWN; --where prints a shorter condition for
    a WHERE""")
bad_key = Text[str]("--key takes letters, digits, dots, slashes and single dashes, not {key!r}")
several_changed = Text[str, str]("several datasets changed; write --data DATASET={source}, one of {names}")
bad_port = Text[int, str | None]("port {port} cannot be used: {reason}")
bad_report = Text[object, object]("{report} is not a report of predicat quality run --format json: {reason}")
already_exists = Text[object]("{name} already exists")
no_file_or_table = Text[str]("""no file is named {source!r}; a table of PostgreSQL needs --dsn or --engine
    postgres, a table of Spark --engine spark""")
not_ignored = Text[str, object]("""(folder, file) note: {file} does not have {folder}, the folder of what
    predicat writes""")

LOGIN_BY_LIBPQ = (
    "note: the password is not written to predicat.yml; put it into the variable PGPASSWORD or into ~/.pgpass"
)

bad_dataset = Text[str]("--dataset takes lower-case letters, digits and underscores, not {name!r}")
no_rule = Text[str]("no rule is named {code!r}; predicat lint --rules lists them")
option_takes = Text[str, str, str]("{option} takes {shape}, not {text!r}")
no_results = Text[object]("{history} has no results; run predicat quality run first")
no_relation = Text[str, str]("dataset {dataset!r} has no {engine} relation; give --input {dataset}=SOURCE")

INPUT_NEEDS_ANOTHER_ENGINE = (
    "--input is read by the engines duckdb and spark; PostgreSQL reads the relation of the dataset"
)

input_not_measured = Text[str, Iterable[str]]("""--input names {dataset!r}, but the datasets to measure
    are: {measured:list}""")

NO_DATASET_HAS_BOUNDS = "no dataset has bounds"
NO_EXPECTATIONS = "no expectations, so there is nothing to run"
IMPORT_EXPECTATIONS = "in the program that runs a checkpoint: import predicat.quality.expectations"
NOTHING_MATERIALIZED = (
    "nothing to refresh: no filter has a materialized view; write view: {materialized: true}"
)
NO_VIEWS = "no views: no dataset has a postgres relation; name it in the catalog, relation: {postgres: TABLE}"

no_relations = Text[str]("""no dataset has a {engine} relation to compare with; name it, relation:
    {{{engine}: TABLE}}, {engine:is postgres in the catalog|or give --input DATASET=SOURCE}""")
relations_hold = Text[str, Sequence[str]]("""the relations on {engine} have the declared
    columns{without:if ; not compared, without a relation: {without:list}|}""")

STREAM_KEEPS_FILTERS = "the catalog has errors: the stream continues with its current filters"

no_job_or_dataset = Failure[str, str | None]("""usage: no job and no dataset is named {name!r}
    hint: {hint:optional}""")
dataset_without_input = Failure[str, str | None]("""usage: {name} is a dataset; give its rows with --input
    hint: {hint:optional}""")
# `summary`: the job has a summary, where the review is instead.
comment_not_written = Text[str, bool]("""the comment was not written: {reason}. The review is in the
    {summary:if summary|log} of the job.""")
no_shell = Text[str]("completion for {name} is not supported")
nothing_supported = Text[str]("{target} supports no part of the condition; every row must be sent")
accepts_more = Text[str, str]("""note: {target} does not support the whole condition; the one above
    accepts more rows. No accepted row is lost: {proof}.""")
# What the claim rests on: `proved`, `holds for exact arithmetic` or `by construction`.
loses_no_row = Text[str]("No accepted row is lost: {proof}.")
ansi_mode_of_spark = Text[str]("--no-ansi is for conditions of spark, not of {language}")
no_source_language = Text[str]("--from is needed: {name!r} is a file, and its language is not known")
no_file_to_translate = Failure[str]("""unreadable: there is no file {file!r}
    hint: with --from, INPUT is a file; write - to read the condition from standard input""")
bytes_read = Text[int]("{count:,} bytes read")


def other_review(commits: Iterable[str]) -> Diagnostic:
    """A review that is not of the commits that a job is for."""
    names = ", ".join(sorted(commits)) or "a commit (this folder is no repository, and the host names none)"
    return Diagnostic(
        "usage",
        f"the review is not of {names}",
        NOWHERE,
        "make it in this job: predicat diff BASE --format markdown --out review.md",
    )


def internal(error: BaseException, option: str) -> Diagnostic:
    """An error of predicat itself. Its text may hold anything."""
    text = " ".join(str(error).split())
    reason = type(error).__name__ + (f": {text[:MAX_SHOWN]}" if text else "")
    return Diagnostic(
        "internal",
        f"predicat itself failed ({reason}); this says nothing about the catalog",
        NOWHERE,
        f"please report it at {_ISSUES} with the output of the same command and {option}",
    )


def no_command(name: str, known: Iterable[str]) -> str:
    hint = msg.did_you_mean(name, known)
    return f"no command is named {name!r}" + (f"; {hint}" if hint else "")
