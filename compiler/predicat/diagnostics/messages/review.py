"""Messages of reviews, lint and git. Each row is one: see the package."""

from __future__ import annotations

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.message import Failure, Problem, Text

READS_FILES = (
    "DuckDB reads files: --input DATASET=FILE, from the working directory on, or relation: {duckdb: FILE}, "
    "from the folder of predicat.yml on"
)
no_files = Text[str, str]("no such file or folder: {path}; {reads}")
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

comment_lost = Text[str]("the comment {comment!r} would be lost")
cannot_be_renamed = Text[str]("a {kind} cannot be renamed here: other systems use its name")
waiver_ended = Text[str, object, str](
    "the waiver of {entry} ended on {until} ({reason}): set a later `until` in `waivers`, or delete it"
)
released_name = Text[str]("""{name} was released, so its name must not change; add a filter and deprecate
    this one""")
released_parameters = Text[str]("""{name} was released with its parameters; add a version with other
    parameters""")
released_reads = Text[str, str]("{name} was released and reads the field {field}")
released_subscription_names = Text[str]("the released subscription {name} names it")
used_without_name = Text[str, int, str]("{name}, line {line}, uses {used} without writing its name there")
no_name_of = Text[str, str, str]("{name!r} is not a valid name of a {kind}: {rule}")
name_taken = Text[str, str]("there is already a {kind} {name}")
another_meaning = Text[str, str]("with the name {name}, {key} would not mean what it means now")
other_problems = Text[str]("with the name {name}, other problems would be found in the catalog")
no_comment = Text[str]("{host} cannot be used (its answer has no comment)")
no_comments = Text[str]("{host} cannot be used (its answer has no comments)")
no_address = Text[str]("{base!r} is not the address of an API")
not_reached = Text[str, object]("{host} cannot be reached ({reason})")
not_used = Text[str, str]("{host} cannot be used ({name})")
no_postgres_relation = Failure[str]("usage: dataset {name!r} has no PostgreSQL relation")
no_catalog = Failure[str, object, str]("""usage: there is no catalog {folder} in or above {here}
    hint: set {variable} to its folder""")
webhook_refused = Failure[str]("usage: the webhook of --notify refused the result: {reason}")
no_dataset = Failure[str, str | None]("""usage: there is no dataset {name!r}
    hint: {hint:optional}""")
no_key_field = Failure[str, str, str | None]("""usage: {dataset} declares no field {name!r}, by which rows
    could be named
    hint: {hint:optional}""")
damaged_line = Failure[int, object]("""warning[history]: line {number} of {path} is not the result of a run;
    it is skipped
    hint: delete it to remove this warning""")
results_file = Failure[object]("""usage: {folder} is a file; results are kept as Parquet in a folder
    hint: give another name""")
no_baseline = Failure[object]("""usage: there is no baseline file {path}
    hint: write it with --update-baseline, and add it to the repository""")
# A variable of the environment; `value` is empty where it is not set.
bad_variable = Failure[str, str, str]("""usage: {name} is {value:if {value!r}, which is not a valid value|not
    set}
    hint: {hint}""")
ONE_RELATION = "the data of --data is that of one relation, before and after"
NO_ROWS = "it concerns no rows"
NO_ROWS_PROVED = "no row is gained or lost (proved)"
no_relation_to_count = Text[str, str]("dataset {dataset} names no {engine} relation")
not_in_data = Text[str]("--data names no source for dataset {dataset}")
parameter_without_default = Problem[str]("""unsupported: a count does not support the parameter {name!r}
    here: it has no default""")
no_git = Failure[()]("""usage: git is not installed
    hint: install it: what changes are compared with is read from git""")
git_too_slow = Failure[str]("usage: git {command} took too long")
no_repository = Failure[object]("""usage: {folder} is not in a git repository
    hint: git init makes one; what changes are compared with is read from its commits""")
nothing_to_diff = Failure[object]("""usage: {folder} is not in a git repository
    hint: commit the catalog to one, or compare with a manifest: predicat diff target/manifest.json""")
git_failed = Failure[str, str]("usage: git {command}: {reason}")
no_main_branch = Failure[str | None]("""usage: there is no main branch to compare with
    hint: {shallow:optional}
    hint: name a revision: predicat diff REVISION""")
no_revision = Failure[object]("usage: {revision!r} is not a revision")
unknown_revision = Failure[str, str | None, str | None]("""(name, remote, hint) usage: git knows no revision
    {name!r}
    hint: {remote:if did you mean {remote!r}?|}
    hint: {hint:optional}""")
no_common_commit = Failure[str, str | None]("""usage: {name} and HEAD have no commit in common
    hint: {hint:optional}""")
no_predicates = Failure[str, object]("""manifest: the manifest {path} cannot be read: it has no predicates to
    compare with ({reason})
    hint: run predicat compile again""")
no_dbt_manifest = Failure[object, object]("""manifest: {path} is no manifest of dbt ({reason})
    hint: dbt parse writes target/manifest.json""")
no_such_folder = Failure[str]("unreadable: cannot read {path}: there is no such folder")
group_not_measured = Text[str, str]("""{dataset}.{group} was not measured: there is no such group, or a
    filter of it could not be measured""")
solver_too_slow = Text[str, str, float]("""(before, after, seconds) the solver was stopped after
    {seconds:g} seconds, before its limit of steps. This is a defect of predicat, please report: {before}
    | {after}""")
proof_contradicted = Text[str, str, object, object, object]("""a row contradicts a proof, which counts as
    undecided. This is a defect of predicat, please report: {before} | {after} | {row} | {one}, {other}""")


def problems_first(count: int) -> str:
    what = f"{count} problems; resolve them" if count > 1 else "a problem; resolve it"
    return f"the catalog has {what} first"


def no_pull_request() -> Diagnostic:
    return msg.usage("the event of this workflow does not belong to a pull request", IN_A_WORKFLOW)
