"""Messages of reviews, lint and git. Each function is one: see the package."""

from __future__ import annotations

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.messages import files as say_files
from predicat.diagnostics.source import Span

READS_FILES = (
    "DuckDB reads files, from the working directory on: --input DATASET=FILE, or relation: {duckdb: FILE}"
)
COMMENT_ON_ITS_OWN_LINE = "put it on its own line, above what it is about"
DATA_WOULD_CHANGE = "its data would change"
IN_A_JOB = "run this in a job of the CI system"
IN_A_MERGE_REQUEST = "run this in a merge request pipeline, or give --number"
IN_A_WORKFLOW = "run this in a workflow that starts on pull_request, or give --number"
LAYOUT_OF_TEXT = "it has neither keys nor a list, so it is no file of a catalog"
LAYOUT_DOES_NOT_SETTLE = "formatting it twice gives different results"
NOT_FOR_A_REQUEST = "the token or the address has characters that are not allowed in a request"
NO_WEB_ADDRESS = "it is not an address"
PROOF_DOUBTED = "a row contradicts the proof: this is a defect of predicat, please report it"
RULE_OF_FIELDS = "the name of a field starts with a letter and consists of letters, digits and _ . - /"
RULE_OF_NAMES = "names consist of lower-case letters, digits and underscores, and start with a letter"


def comment_lost(comment: str) -> str:
    return f"the comment {comment!r} would be lost"


def cannot_be_renamed(kind: str) -> str:
    return f"a {kind} cannot be renamed here: other systems use its name"


def problems_first(count: int) -> str:
    what = f"{count} problems; resolve them" if count > 1 else "a problem; resolve it"
    return f"the catalog has {what} first"


def released_name(name: str) -> str:
    return f"{name} was released, so its name must not change; add a filter and deprecate this one"


def released_parameters(name: str) -> str:
    return f"{name} was released with its parameters; add a version with other parameters"


def released_reads(name: str, field: str) -> str:
    return f"{name} was released and reads the field {field}"


def released_subscription_names(name: str) -> str:
    return f"the released subscription {name} names it"


def used_without_name(name: str, line: int, used: str) -> str:
    return f"{name}, line {line}, uses {used} without writing its name there"


def no_name_of(name: str, kind: str, rule: str) -> str:
    return f"{name!r} is not a valid name of a {kind}: {rule}"


def name_taken(kind: str, name: str) -> str:
    return f"there is already a {kind} {name}"


def another_meaning(name: str, key: str) -> str:
    return f"with the name {name}, {key} would not mean what it means now"


def other_problems(name: str) -> str:
    return f"with the name {name}, other problems would be found in the catalog"


def no_comment(host: str) -> str:
    return f"{host} cannot be used (its answer has no comment)"


def no_comments(host: str) -> str:
    return f"{host} cannot be used (its answer has no comments)"


def no_address(base: str) -> str:
    return f"{base!r} is not the address of an API"


def not_reached(host: str, reason: object) -> str:
    return f"{host} cannot be reached ({reason})"


def not_used(host: str, name: str) -> str:
    return f"{host} cannot be used ({name})"


def no_postgres_relation(name: str) -> Diagnostic:
    return msg.usage(f"dataset {name!r} has no PostgreSQL relation")


def no_catalog(folder: str, here: object, variable: str) -> Diagnostic:
    return msg.usage(f"there is no catalog {folder} in or above {here}", f"set {variable} to its folder")


def webhook_refused(reason: str) -> Diagnostic:
    return msg.usage(f"the webhook of --notify refused the result: {reason}")


def no_dataset(name: str, hint: str | None) -> Diagnostic:
    return msg.usage(f"there is no dataset {name!r}", hint)


def damaged_line(number: int, path: object) -> Diagnostic:
    return say_files.damaged_result(f"line {number} of {path}")


def results_file(folder: object) -> Diagnostic:
    return msg.usage(f"{folder} is a file; results are kept as Parquet in a folder", "give another name")


def no_baseline(path: object) -> Diagnostic:
    return msg.usage(
        f"there is no baseline file {path}", "write it with --update-baseline, and add it to the repository"
    )


def bad_variable(name: str, value: str, hint: str) -> Diagnostic:
    """A variable of the environment; `value` is empty where it is not set."""
    return msg.usage(f"{name} is {f'{value!r}, which is not a valid value' if value else 'not set'}", hint)


def no_pull_request() -> Diagnostic:
    return msg.usage("the event of this workflow does not belong to a pull request", IN_A_WORKFLOW)


def parameter_without_default(span: Span, name: str) -> Diagnostic:
    return msg.unsupported(span, "a count", f"the parameter {name!r}", "it has no default")


def no_git() -> Diagnostic:
    return msg.usage("git is not installed", "compare with a manifest: predicat diff target/manifest.json")


def git_too_slow(command: str) -> Diagnostic:
    return msg.usage(f"git {command} took too long")


def git_failed(command: str, reason: str) -> Diagnostic:
    return msg.usage(f"git {command}: {reason}")


def no_main_branch() -> Diagnostic:
    return msg.usage("there is no main branch to compare with", "name a revision: predicat diff REVISION")


def no_revision(revision: object) -> Diagnostic:
    return msg.usage(f"{revision!r} is not a revision")


def unknown_revision(name: str, hint: str | None) -> Diagnostic:
    return msg.usage(f"git knows no revision {name!r}", hint)


def no_common_commit(name: str, hint: str | None) -> Diagnostic:
    return msg.usage(f"{name} and HEAD have no commit in common", hint)


def no_predicates(path: str, reason: object) -> Diagnostic:
    return say_files.manifest_damaged(path, f"it has no predicates to compare with ({reason})")


def no_such_folder(path: str) -> Diagnostic:
    return say_files.unreadable(path, "there is no such folder")


def group_not_measured(dataset: str, group: str) -> str:
    reason = "there is no such group, or a filter of it could not be measured"
    return f"{dataset}.{group} was not measured: {reason}"


def solver_too_slow(before: str, after: str, seconds: float) -> str:
    return (
        f"the solver was stopped after {seconds:g} seconds, before its limit of steps. This is a defect of "
        f"predicat, please report: {before} | {after}"
    )


def proof_contradicted(before: str, after: str, row: object, one: object, other: object) -> str:
    return (
        "a row contradicts a proof, which counts as undecided. This is a defect of predicat, please report: "
        f"{before} | {after} | {row} | {one}, {other}"
    )
