"""Messages of the commands. Each function is one: see the package."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.source import NOWHERE

ISSUES = "https://github.com/predicat/predicat/issues"
MAX_SHOWN = 200
"""Characters of a text that a message quotes."""
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


def shorter_condition() -> str:
    return "note: this SQL is NULL for UNKNOWN; --where prints a shorter condition for a WHERE"


def bad_key(key: str) -> str:
    return f"--key takes letters, digits, dots, slashes and single dashes, not {key!r}"


def several_changed(source: str, names: str) -> str:
    return f"several datasets changed; write --data DATASET={source}, one of {names}"


def bad_port(port: int, reason: str | None) -> str:
    return f"port {port} cannot be used: {reason}"


def bad_report(report: object, reason: object) -> str:
    return f"{report} is not a report of predicat quality run --format json: {reason}"


def already_exists(name: object) -> str:
    return f"{name} already exists"


def no_file_or_table(source: str) -> str:
    return (
        f"no file is named {source!r}; a table of PostgreSQL needs --dsn or --engine postgres, "
        "a table of Spark --engine spark"
    )


def not_ignored(folder: str, file: object) -> str:
    return f"note: {file} does not have {folder}, the folder of what predicat writes"


LOGIN_BY_LIBPQ = (
    "note: the password is not written to predicat.yml; put it into the variable PGPASSWORD or into ~/.pgpass"
)


def bad_dataset(name: str) -> str:
    return f"--dataset takes lower-case letters, digits and underscores, not {name!r}"


def no_rule(code: str) -> str:
    return f"no rule is named {code!r}; predicat lint --rules lists them"


def option_takes(option: str, shape: str, text: str) -> str:
    return f"{option} takes {shape}, not {text!r}"


def no_results(history: object) -> str:
    return f"{history} has no results; run predicat quality run first"


def no_relation(dataset: str, engine: str) -> str:
    return f"dataset {dataset!r} has no {engine} relation; give --input {dataset}=SOURCE"


INPUT_NEEDS_ANOTHER_ENGINE = (
    "--input is read by the engines duckdb and spark; PostgreSQL reads the relation of the dataset"
)


def input_not_measured(dataset: str, measured: Iterable[str]) -> str:
    return f"--input names {dataset!r}, but the datasets to measure are: {', '.join(measured)}"


NO_DATASET_HAS_BOUNDS = "no dataset has bounds"
NO_EXPECTATIONS = "no expectations, so there is nothing to run"
IMPORT_EXPECTATIONS = "in the program that runs a checkpoint: import predicat.quality.expectations"
NO_VIEWS = "no views: no dataset has a postgres relation; name it in the catalog, relation: {postgres: TABLE}"


def no_relations(engine: str) -> str:
    where = "or give --input DATASET=SOURCE" if engine == "spark" else "in the catalog"
    return (
        f"no dataset has a {engine} relation to compare with; name it, relation: {{{engine}: TABLE}}, {where}"
    )


def relations_hold(engine: str, without: Sequence[str]) -> str:
    rest = f"; not compared, without a relation: {', '.join(without)}" if without else ""
    return f"the relations on {engine} have the declared columns{rest}"


STREAM_KEEPS_FILTERS = "the catalog has errors: the stream continues with its current filters"


def no_job_or_dataset(name: str, hint: str | None) -> Diagnostic:
    return msg.usage(f"no job and no dataset is named {name!r}", hint)


def dataset_without_input(name: str, hint: str | None) -> Diagnostic:
    return msg.usage(f"{name} is a dataset; give its rows with --input", hint)


def comment_not_written(reason: str, *, summary: bool) -> str:
    """`summary`: the job has a summary, where the review is instead."""
    place = "summary" if summary else "log"
    return f"the comment was not written: {reason}. The review is in the {place} of the job."


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
        f"please report it at {ISSUES} with the output of the same command and {option}",
    )


def no_shell(name: str) -> str:
    return f"completion for {name} is not supported"


def no_command(name: str, known: Iterable[str]) -> str:
    hint = msg.did_you_mean(name, known)
    return f"no command is named {name!r}" + (f"; {hint}" if hint else "")


def nothing_supported(target: str) -> str:
    return f"{target} supports no part of the condition; every row must be sent"


def accepts_more(target: str, proof: str) -> str:
    return (
        f"note: {target} does not support the whole condition; the one above accepts more rows. "
        f"{loses_no_row(proof)}"
    )


def loses_no_row(proof: str) -> str:
    """What the claim rests on: `proved`, `holds for exact arithmetic` or `by construction`."""
    return f"No accepted row is lost: {proof}."


def ansi_mode_of_spark(language: str) -> str:
    return f"--no-ansi is for conditions of spark, not of {language}"


def no_source_language(name: str) -> str:
    return f"--from is needed: {name!r} is a file, and its language is not known"


def no_file_to_translate(file: str) -> Diagnostic:
    return Diagnostic(
        "unreadable",
        f"there is no file {file!r}",
        hint="with --from, INPUT is a file; write - to read the condition from standard input",
    )


def bytes_read(count: int) -> str:
    return f"{count:,} bytes read"
