"""Messages about views, columns and connections. Each row is one: see the package."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.message import Arguments, Failure, Problem, Text
from predicat.diagnostics.source import NOWHERE, Span


class _NotUsed(Failure[*Arguments]):
    """Why the functions of PostgreSQL are not used."""

    frame = "note[functions]: the functions of the schema predicat are not used: {}"
    hint = "the views have SQL without these functions, which is longer; {}"


class _ByHand(Failure[*Arguments]):
    """Views that cannot be replaced."""

    hint = "drop these first, and create them again after predicat apply"


BY_HAND = "drop these first, and create them again after predicat apply"
CONNECTION_FAILED = "the connection failed"
NO_DEFAULTS = "its parameters have no defaults"

no_dataset = Failure[str, str | None]("""usage: no dataset is named {name!r}
    hint: {hint:optional}""")
several_jobs = Failure[str, str]("""usage: several datasets have a job {name!r}
    hint: name one: {names}""")
filter_of_another_dataset = Failure[str, str, str]("""usage: {filter_name} is a filter of {dataset}, but
    the run is of {chosen}""")
needed_by_others = Failure[str, str, Iterable[str]]("""view: {shown} should be dropped ({reason}), but these
    depend on it: {needed:listed 30}
    hint: drop these first""")
cannot_come_again = _ByHand[str, Iterable[str]]("""view: {shown} would be dropped and created again, but
    these cannot be created again: {fixed:listed 30}""")
loses_columns = Failure[str, Iterable[str]]("""view: {shown} loses columns that these depend on:
    {lost:listed 30}
    hint: remove these first""")
fails_again = _ByHand[str, Iterable[str]]("""view: {shown} would be dropped and created again, which would
    fail: {reasons:listed 30}""")
came_again_incomplete = _ByHand[str, Iterable[str]]("""view: {shown} was created again, but not
    completely; everything was rolled back: {lost:listed 30}""")
no_such_file = Failure[str]("unreadable: cannot read {path}: no such file or folder")
files_missing = Problem[str, str]("""(path, dataset) relation: no such file or folder: {path}, which dataset
    {dataset!r} names
    hint: paths in a catalog are seen from the folder of predicat.yml; others: --input DATASET=FILE""")
files_unreadable = Problem[str, str]("unreadable: DuckDB cannot read {path}: {reason}")
unknown_ending = Failure[str, Sequence[str]]("""unreadable: cannot read {path}: its name must end in
    {known:or}""")
no_fields_to_add_to = Failure[str]("""usage: no file of the dataset {name!r} has fields to add to
    hint: write fields: with one of them, then run this again""")
no_table = Failure[str, str | None]("""usage: PostgreSQL has no table {name!r}
    hint: {hint:optional}""")
unreadable_dsn = Failure[()]("""connection: cannot connect to PostgreSQL at the given DSN: it cannot be parsed
    hint: write postgresql://user@host:5432/database, and / @ : % in a password as %2F %40 %3A %25""")
sinks_need_a_folder = Failure[()]("""usage: sinks need a folder
    hint: give --sinks PATH""")
column_of_filters = Failure[str]("""usage: the rows get a column {name!r}, but the source already has one
    hint: read the source through a view that gives its column another name""")
same_name_twice = Failure[str, str]("""usage: several filters would be called {name}: {filter_name} is one of
    them
    hint: give one another name: in a job""")
pipeline_format = Failure[()]("""usage: a pipeline needs the format of the source
    hint: add format: to the source of the job, or give --format""")
stream_columns = Failure[()]("""usage: a stream of files needs their columns
    hint: add schema: to the source of the job, or give --columns""")
another_kind = Problem[str, str]("""view: {shown} is {kind}; predicat does not change it
    hint: rename the filter or that object""")
not_by_predicat = Problem[str]("""view: {shown} was not made by predicat; predicat does not change it
    hint: rename the filter or the view, or drop the view""")
# `sql` is the kind and the name of the view in SQL.
another_role = Problem[str, str, str]("""view: {shown} belongs to the role {owner!r}, which is not a role of
    this user; predicat does not change it
    hint: if it is yours: ALTER {sql} OWNER TO CURRENT_USER""")
another_catalog = Problem[str, str, str]("""view: {shown} belongs to the catalog {catalog!r}; this one is
    {name!r}; predicat does not change it
    hint: set the name of this catalog with the key catalog in predicat.yml""")
edited_and_gone = Failure[str, str, str]("""view: {shown} was changed by hand: {touched}, and {reason}
    hint: put the change into the catalog, then run predicat apply --force""")
embedded_server = Failure[object, str]("engine: the embedded PostgreSQL server in {folder} failed: {reason}")
open_extension = Failure[str, str]("""(name, schema) open-extension: others may create operators
    in the schema {schema} of the extension {name}, so its operators are not used
    hint: ALTER EXTENSION {name} SET SCHEMA extensions, or REVOKE CREATE ON SCHEMA {schema} from them""")
open_transaction = Failure[()]("""usage: the connection has an open transaction
    hint: commit it first""")
without_dataset = Text[str]("there is no dataset {name}")
without_filter = Text[str]("there is no filter {name}")
without_relation = Text[str]("{dataset} has no PostgreSQL relation")
no_schema_for_functions = _NotUsed[str]("""the role {role!r} may not create the schema
    hint: an owner can: CREATE SCHEMA predicat AUTHORIZATION "{role}"
""")
no_functions_in_schema = _NotUsed[str]("""the role {role!r} may not create functions in it
    hint: its owner can: GRANT CREATE ON SCHEMA predicat TO "{role}"
""")
schema_of_another = _NotUsed[str]("""the schema belongs to the role {owner!r}, which is not a role of this
    user
    hint: the owner of the database or a superuser can own it""")
older_functions = _NotUsed[str]("""the existing functions are of another version and belong to the role
    {owner!r}
    hint: run predicat apply as {owner!r} once, or as a superuser""")
function_not_by_predicat = _NotUsed[str]("""{signature} was not made by predicat
    hint: rename or drop that function""")
list_edited = Failure[str, str]("""view: the rows of {shown} were changed by hand: they are not the values of
    the list {name}
    hint: put the change into the list; predicat apply --force writes the values of the catalog""")
not_a_list = Failure[str, bool]("""view-conflict: {shown} {ours:if is not the table of a list that predicat
    made|is not a table of this role}
    hint: rename or drop it: predicat creates a table of this name""")
long_name = Problem[str, str, int]("""long-name: the {kind} would be called {name}: {name:number} characters;
    PostgreSQL keeps {longest}
    hint: shorten the name of the filter or of its dataset""")
same_view = Problem[str, str]("""(view, other) duplicate-name: the views of this filter and of {other} have
    the same name, {view}
    hint: rename one of the two""")
open_view = Problem[()]("""open-view: with security_invoker: false and security_barrier: false, a function in
    the WHERE of a reader sees rows that the filter rejects
    hint: remove security_barrier: false; or write beside it why readers may see these rows: reason: ...""")
materialized_now = Problem[str]("""view: {name} reads the current time, and a materialized view keeps the time
    of its last refresh
    hint: write view: {{materialized: false}} in this filter""")
materialized_invoker = Problem[()]("""view: with security_invoker: true readers see only the rows that they
    may see in the relation, and a materialized view shows the same rows to all of its readers
    hint: leave out security_invoker: true or materialized: true""")
materialized_without_key = Problem[str]("""view: a materialized view is refreshed by the key of its dataset,
    and {dataset} has none
    hint: write key: and the fields that identify a row in the dataset, or leave out materialized: true""")
key_of_expression = Problem[str]("""view: a materialized view has an index on the key of its dataset, and the
    field {field!r} of the key is an expression
    hint: make it a column of the relation, or leave out materialized: true""")
key_not_shown = Problem[str]("""view: a materialized view has an index on the key of its dataset, and its
    columns are without {column!r}
    hint: add {column} to columns:, or leave out materialized: true""")
materialized_policies = Problem[str]("""view: this materialized view would show its readers rows that the
    row-level security of {table} may hide from them
    hint: if they may see all rows of its owner, write view: {{security_invoker: false}}; otherwise leave out
    materialized: true""")
materialized_changing = Problem[str, str]("""(view, what) view: the rows of {view}, which this materialized
    view reads, depend on when and by whom they are read: {view} has {what}
    hint: name another relation, or leave out materialized: true""")
materialized_expression = Problem[str, str]("""view: the field {field!r} of this materialized view is read
    from {text}, which may depend on the settings of the session: PostgreSQL does not call it IMMUTABLE
    hint: write an expression that is IMMUTABLE, or leave out materialized: true""")
becomes_another_kind = Failure[str, str, Iterable[str]]("""view: {shown} becomes a {kind}, which cannot have
    these: {lost:listed 30}
    hint: drop these first""")
not_materialized = Failure[str]("""view: {name} has no materialized view of this catalog in the database
    hint: run predicat apply first""")
past_policies = Failure[str, str, str, str]("""(dataset, relation, view, table) view: the relation of
    {dataset}, {relation}, would show its readers rows that the row-level security of {table} hides from them:
    the view {view} reads {table} with the rights of its owner
    hint: ALTER VIEW {view} SET (security_invoker = true); or, if readers may see these rows, write view:
    {{security_invoker: false}} in the dataset""")
no_view_column = Problem[str, str, Iterable[str]]("""view: the relation {relation!r} has no column {column!r}
    for the view
    hint: {known:near column}""")
column_missing = Problem[str, str, str, Iterable[str], Iterable[str]]("""column: the {engine} relation
    {relation!r} has no column {column!r}, which is read by {filters:listed}
    hint: {known:near column}
    hint: correct the field in the catalog, or add the column""")

CATALOG = "the catalog"
THIS_FILTER = "this filter"
DATA_FRAME = "DataFrame"

# `column` has its name, its type and the declared type.
column_type = Problem[str, str, tuple[str, str, str], str, Iterable[str], str]("""column-type: the {engine}
    relation {relation!r} has {column[1]} in its column {column[0]!r}, which the catalog declares as
    {column[2]}: {why}; it is read by {filters:listed}
    hint: {instead}""")
encoding = Failure[str]("""encoding: the PostgreSQL database has the encoding {result}; filters count and
    compare UTF-8 characters
    hint: use a database that was created with ENCODING 'UTF8'""")
view_former = Failure[str]("""view: {view} was created by an earlier version of predicat, which did not mark
    its views
    hint: predicat apply --adopt takes such views over; add --dry-run to see which""")
view_edited = Failure[str, str]("""view: {view} was changed by hand: {how}
    hint: put the change into the catalog, then run predicat apply --force""")
view_twice = Failure[str, str, str]("""(view, other, kind) view: the comment of {view} marks it as the view
    {other}, but it is another view
    hint: write another comment: COMMENT ON {kind} {view} IS NULL""")
view_option = Problem[str, int]("""(option, server) view: PostgreSQL {server} has no {option}; it came
    with PostgreSQL 15""")
partly_applied = Failure[int, int]("""view: {done} of {of} transactions were committed before this error, each
    with all of its views
    hint: predicat apply continues where it stopped""")
ends_transaction = Failure[str]("""usage: {file} ends the transaction in which the views are away;
    everything was rolled back
    hint: leave out BEGIN, COMMIT and ROLLBACK""")
file_fails = Failure[str, str]("""view: {file} fails; everything was rolled back: {reason}""")
other_plan = Failure[str, Iterable[str]]("""view: {file} is not the plan for this catalog and this database
    any more; these differ: {parts:listed 30}
    hint: run predicat plan again, and have it approved""")
no_plan = Failure[str]("""usage: {file} is not a plan
    hint: predicat plan --out FILE writes one""")
function_of_others = Failure[str]("""view: the function {function} was not created by predicat for this
    catalog
    hint: drop it, or leave out function: true under view""")
function_edited = Failure[str]("""view: the function {function} was changed by hand: its body is different
    hint: put the change into the catalog, then run predicat apply --force""")
function_needed = Failure[str, Iterable[str]]("""view: the function {function} should be dropped, as no filter
    asks for it, but these depend on it: {needed:listed 30}
    hint: drop these first""")
function_is_stored = Failure[str, Iterable[str]]("""view: the function {function} changes its meaning, and
    these have stored values of the old one: {kept:listed 30}
    hint: drop these first, and create them again after predicat apply""")
policy_of_no_table = Problem[str, str]("""policy: the policy {name!r} is on {table}, which is no table
    hint: row-level security is that of tables: name the table below it with table:""")
policy_of_others = Problem[str]("""policy: the policy {shown} was not created by predicat for this catalog
    hint: drop it or rename one of the two; predicat apply --adopt takes it over""")
policy_edited = Failure[str]("""policy: the policy {shown} was changed by hand
    hint: put the change into the catalog, then run predicat apply --force""")
security_turned_off = Failure[str, str]("""policy: row-level security of {table} was changed by hand: {how}
    hint: take the policies out of the catalog, or turn it on again with predicat apply --force""")
policies_changing = Failure[Iterable[str]]("""policy: another session changed the policies of {tables:listed}
    meanwhile
    hint: run predicat apply again""")
TURNED_OFF, HAS_POLICIES = "it was turned off by hand", "the catalog has policies for it"
NO_POLICY_LEFT = "predicat turned it on, and no policy is left"
without_policy = Text[str]("there is no policy {name}")
policy_not_read = Text[str, str]("# the policy {name!r} is not read: {reason}")
POLICY_NAME = "the name of a policy has lowercase letters a to z, digits and underscores"
policy_beside = Text[str]("the policy {shown} is not of this catalog, and lets rows through as well")
view_changing = Failure[Iterable[str]]("""view: another session changed {views:listed} meanwhile
    hint: run predicat apply again""")


strange_date = Text[str]("""note: {column!r} is read as a string: dates are written 2026-01-31""")


def left_out(column: str, physical: str, member: str) -> str:
    """A column without a field. `member`: the name of a member of a struct that no language can write."""
    told = f"left out: the column {column!r}, whose type {physical} is not supported"
    return f"{told}: {member!r} is not a name that a filter can use; rename it in a view" if member else told


def updated(path: str, added: Sequence[str]) -> str:
    """A file of a catalog, and its new fields."""
    return f"{path}: {'new: ' + ', '.join(added) if added else 'no new columns'}"


def read_by_expression(columns: Sequence[tuple[str, str]]) -> str:
    """Columns with their types, which no field has."""
    shown = msg.listed(f"{name!r} ({kind})" for name, kind in columns)
    return f"note: no field has the types of these columns, so they are read through an expression: {shown}"


def no_columns(path: str, missing: Sequence[str], known: Sequence[str]) -> Diagnostic:
    """Columns that a file or a table lacks."""
    hint = msg.did_you_mean(missing[0], known) or f"its columns: {', '.join(known[:10])}"
    some = "no column" if len(missing) == 1 else "no columns"
    return Diagnostic("column", f"{path} has {some} {', '.join(map(repr, missing))}", NOWHERE, hint)


def several_tables(names: Sequence[str]) -> Diagnostic:
    """`names` may be empty: a database without tables."""
    hint = f"write --from TABLE --dsn DSN, where TABLE is {' or '.join(names[:8])}" if names else None
    return msg.usage(f"the database has {len(names)} tables; name one of them", hint)


def rows_do_not_fit(
    place: str, missing: Iterable[str], left_over: Iterable[str], types: Iterable[str] = ()
) -> Diagnostic:
    """Columns of the rows that a table lacks, its columns that the rows lack, and types that do not fit."""
    reasons = [f"it has no column {name}" for name in missing]
    reasons += [f"the rows have no column {name}" for name in left_over]
    return msg.usage(
        f"the rows do not fit into the table {place}: {'; '.join([*reasons, *types])}",
        "alter the table, or name another one",
    )


def connection(dsn: str, reason: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic("connection", f"cannot connect to PostgreSQL at {dsn}: {reason}", NOWHERE, hint)


def relation_missing(
    span: Span, engine: str, relation: str, dataset: str, known: Iterable[str] = ()
) -> Diagnostic:
    return Diagnostic(
        "relation",
        f"{engine} has no relation {relation!r}, which dataset {dataset!r} names",
        span,
        msg.did_you_mean(relation, known)
        or "create it, name another one under relation:, or another server with --dsn",
    )
