"""Messages about views, columns and connections. Each function is one: see the package."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic, Severity
from predicat.diagnostics.messages import files as say_files
from predicat.diagnostics.source import NOWHERE, Span
from predicat.diagnostics.wording import either

BY_HAND = "drop these first, and create them again after predicat apply"
CONNECTION_FAILED = "the connection failed"
INVOKER = "security_invoker = true"
"""The option of a view of PostgreSQL by which readers see what they may see in its relation."""
NO_DEFAULTS = "its parameters have no defaults"


def left_out(engine: str, column: str, physical: str, member: str, cast: str) -> str:
    """A column without a field. `member`: the name of a member of a struct that no language can write.
    `cast`: the type to which a view can cast it.
    """
    told = f"left out: the column {column!r}, whose type {physical} is not supported"
    if member:
        return f"{told}: {member!r} is not a name that a filter can use; rename it in a view"
    if cast:
        return f"{told}; select {with_cast(column, cast)} in a view WITH ({INVOKER})"
    return told if engine == "duckdb" else f"{told}; convert it in a view"


def without_zone(engine: str, columns: Sequence[str]) -> str:
    """Columns without a field, because their type has no time zone."""
    kind, zone = _WITHOUT_ZONE[engine]
    view = f"a view WITH ({INVOKER})" if engine == "postgres" else "a view"
    return (
        f"left out: {msg.listed(map(repr, columns))}, because {kind} does not say which moment it is; "
        f"if it is meant in {zone}, use {view} that selects {with_zone(engine, min(columns))}"
    )


_WITHOUT_ZONE = {
    "postgres": ("timestamp without time zone", "UTC"),
    "spark": ("TIMESTAMP_NTZ", "the time zone of the session"),
}


def with_zone(engine: str, column: str) -> str:
    """What a view selects for a column whose type has no time zone."""
    if engine == "spark":
        return "CAST(`{0}` AS TIMESTAMP) AS `{0}`".format(column.replace("`", "``"))
    return '"{0}" AT TIME ZONE \'UTC\' AS "{0}"'.format(column.replace('"', '""'))


def with_cast(column: str, cast: str) -> str:
    """What a view of PostgreSQL selects for a column of another type."""
    return '"{0}"::{1} AS "{0}"'.format(column.replace('"', '""'), cast)


def no_dataset(name: str, hint: str | None) -> Diagnostic:
    return msg.usage(f"no dataset is named {name!r}", hint)


def several_jobs(name: str, names: str) -> Diagnostic:
    return msg.usage(f"several datasets have a job {name!r}", f"name one: {names}")


def filter_of_another_dataset(filter_name: str, dataset: str, chosen: str) -> Diagnostic:
    return msg.usage(f"{filter_name} is a filter of {dataset}, but the run is of {chosen}")


def needed_by_others(shown: str, reason: str, needed: Iterable[str]) -> Diagnostic:
    return view_needed(
        shown, f"should be dropped ({reason}), but these depend on it", needed, "drop these first"
    )


def cannot_come_again(shown: str, fixed: Iterable[str]) -> Diagnostic:
    return view_needed(
        shown, "would be dropped and created again, but these cannot be created again", fixed, BY_HAND
    )


def loses_columns(shown: str, lost: Iterable[str]) -> Diagnostic:
    return view_needed(shown, "loses columns that these depend on", lost, "remove these first")


def fails_again(shown: str, reasons: Iterable[str]) -> Diagnostic:
    return view_needed(shown, "would be dropped and created again, which would fail", reasons, BY_HAND)


def came_again_incomplete(shown: str, lost: Iterable[str]) -> Diagnostic:
    return view_needed(
        shown, "was created again, but not completely; everything was rolled back", lost, BY_HAND
    )


def no_such_file(path: str) -> Diagnostic:
    return say_files.unreadable(path, "no such file or folder")


def unknown_ending(path: str, known: Sequence[str]) -> Diagnostic:
    return say_files.unreadable(path, f"its name must end in {either(known)}")


def no_columns(path: str, missing: Sequence[str], known: Sequence[str]) -> Diagnostic:
    """Columns that a file or a table lacks."""
    hint = msg.did_you_mean(missing[0], known) or f"its columns: {', '.join(known[:10])}"
    some = "no column" if len(missing) == 1 else "no columns"
    return Diagnostic("column", f"{path} has {some} {', '.join(map(repr, missing))}", NOWHERE, hint)


def several_tables(names: Sequence[str]) -> Diagnostic:
    """`names` may be empty: a database without tables."""
    hint = f"write --from TABLE --dsn DSN, where TABLE is {' or '.join(names[:8])}" if names else None
    return msg.usage(f"the database has {len(names)} tables; name one of them", hint)


def no_table(name: str, hint: str | None) -> Diagnostic:
    return msg.usage(f"PostgreSQL has no table {name!r}", hint)


def unreadable_dsn() -> Diagnostic:
    hint = "write postgresql://user@host:5432/database, and / @ : % in a password as %2F %40 %3A %25"
    return connection("the given DSN", "it cannot be parsed", hint)


def sinks_need_a_folder() -> Diagnostic:
    return msg.usage("sinks need a folder", "give --sinks PATH")


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


def column_of_filters(name: str) -> Diagnostic:
    return msg.usage(
        f"the rows get a column {name!r}, but the source already has one",
        "read the source through a view that gives its column another name",
    )


def same_name_twice(name: str, filter_name: str) -> Diagnostic:
    return msg.usage(
        f"several filters would be called {name}: {filter_name} is one of them",
        "give one another name: in a job",
    )


def pipeline_format() -> Diagnostic:
    return msg.usage(
        "a pipeline needs the format of the source", "add format: to the source of the job, or give --format"
    )


def stream_columns() -> Diagnostic:
    return msg.usage(
        "a stream of files needs their columns", "add schema: to the source of the job, or give --columns"
    )


def another_kind(span: Span, shown: str, kind: str) -> Diagnostic:
    return view_foreign(span, shown, f"is {kind}", "rename the filter or that object")


def not_by_predicat(span: Span, shown: str) -> Diagnostic:
    return view_foreign(
        span, shown, "was not made by predicat", "rename the filter or the view, or drop the view"
    )


def another_role(span: Span, shown: str, owner: str, sql: str) -> Diagnostic:
    """`sql` is the name of the view in SQL."""
    return view_foreign(
        span,
        shown,
        f"belongs to the role {owner!r}, which is not a role of this user",
        f"if it is yours: ALTER VIEW {sql} OWNER TO CURRENT_USER",
    )


def another_catalog(span: Span, shown: str, catalog: str, name: str) -> Diagnostic:
    return view_foreign(
        span,
        shown,
        f"belongs to the catalog {catalog!r}; this one is {name!r}",
        "set the name of this catalog with the key catalog in predicat.yml",
    )


def edited_and_gone(shown: str, touched: str, reason: str) -> Diagnostic:
    return view_edited(shown, f"{touched}, and {reason}")


def embedded_server(folder: object, reason: str) -> Diagnostic:
    return msg.engine_error(f"the embedded PostgreSQL server in {folder}", reason)


def open_transaction() -> Diagnostic:
    return msg.usage("the connection has an open transaction", "commit it first")


def without_dataset(name: str) -> str:
    return f"there is no dataset {name}"


def without_filter(name: str) -> str:
    return f"there is no filter {name}"


def without_relation(dataset: str) -> str:
    return f"{dataset} has no PostgreSQL relation"


_ANOTHER_FORM = "the views have SQL without these functions, which is longer"


def _without_functions(reason: str, hint: str) -> Diagnostic:
    message = f"the functions of the schema predicat are not used: {reason}"
    return Diagnostic("functions", message, hint=f"{_ANOTHER_FORM}; {hint}", severity=Severity.NOTE)


def no_schema_for_functions(role: str) -> Diagnostic:
    return _without_functions(
        f"the role {role!r} may not create the schema",
        f'an owner can: CREATE SCHEMA predicat AUTHORIZATION "{role}"',
    )


def no_functions_in_schema(role: str) -> Diagnostic:
    return _without_functions(
        f"the role {role!r} may not create functions in it",
        f'its owner can: GRANT CREATE ON SCHEMA predicat TO "{role}"',
    )


def schema_of_another(owner: str) -> Diagnostic:
    return _without_functions(
        f"the schema belongs to the role {owner!r}, which is not a role of this user",
        "the owner of the database or a superuser can own it",
    )


def older_functions(owner: str) -> Diagnostic:
    return _without_functions(
        f"the existing functions are of another version and belong to the role {owner!r}",
        f"run predicat apply as {owner!r} once, or as a superuser",
    )


def function_not_by_predicat(signature: str) -> Diagnostic:
    return _without_functions(f"{signature} was not made by predicat", "rename or drop that function")


def list_edited(shown: str, name: str) -> Diagnostic:
    return Diagnostic(
        "view",
        f"the rows of {shown} were changed by hand: they are not the values of the list {name}",
        NOWHERE,
        "put the change into the list; predicat apply --force writes the values of the catalog",
    )


def not_a_list(shown: str, *, ours: bool) -> Diagnostic:
    problem = "is not the table of a list that predicat made" if ours else "is not a table of this role"
    hint = "rename or drop it: predicat creates a table of this name"
    return Diagnostic("view-conflict", f"{shown} {problem}", NOWHERE, hint)


def connection(dsn: str, reason: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic("connection", f"cannot connect to PostgreSQL at {dsn}: {reason}", NOWHERE, hint)


def relation_missing(engine: str, relation: str, dataset: str, known: Iterable[str] = ()) -> Diagnostic:
    return Diagnostic(
        "relation",
        f"{engine} has no relation {relation!r}, which dataset {dataset!r} names",
        NOWHERE,
        msg.did_you_mean(relation, known) or "create it, or name another one under relation:",
    )


def long_name(span: Span, kind: str, name: str, longest: int) -> Diagnostic:
    return Diagnostic(
        "long-name",
        f"the {kind} would be called {name}: {len(name)} characters; PostgreSQL keeps {longest}",
        span,
        "shorten the name of the filter or of its dataset",
    )


def same_view(span: Span, view: str, other: str) -> Diagnostic:
    return Diagnostic(
        "duplicate-name",
        f"the views of this filter and of {other} have the same name, {view}",
        span,
        "rename one of the two",
    )


def open_view(span: Span) -> Diagnostic:
    return Diagnostic(
        "open-view",
        "with security_invoker: false and security_barrier: false, a function in the WHERE of a reader sees "
        "rows that the filter rejects",
        span,
        "remove security_barrier: false; or write beside it why readers may see these rows: reason: ...",
    )


def past_policies(dataset: str, relation: str, view: str, table: str) -> Diagnostic:
    return Diagnostic(
        "view",
        f"the relation of {dataset}, {relation}, would show its readers rows that the row-level security of "
        f"{table} hides from them: the view {view} reads {table} with the rights of its owner",
        NOWHERE,
        f"ALTER VIEW {view} SET (security_invoker = true); or, if readers may see these rows, write "
        "view: {security_invoker: false} in the dataset",
    )


def column_missing(
    engine: str, relation: str, column: str, filters: Iterable[str], known: Iterable[str]
) -> Diagnostic:
    return Diagnostic(
        "column",
        f"the {engine} relation {relation!r} has no column {column!r}, "
        f"which is read by {msg.listed(filters)}",
        NOWHERE,
        msg.did_you_mean(column, known),
    )


THIS_FILTER = "this filter"
DATA_FRAME = "DataFrame"


def column_type(
    engine: str,
    relation: str,
    column: tuple[str, str, str],
    why: str,
    filters: Iterable[str],
    instead: str,
) -> Diagnostic:
    """`column` has its name, its type and the declared type."""
    name, kind, declared = column
    return Diagnostic(
        "column-type",
        f"the {engine} relation {relation!r} has {kind} in its column {name!r}, which the catalog "
        f"declares as {declared}: {why}; it is read by {msg.listed(filters)}",
        NOWHERE,
        instead,
    )


def encoding(result: str) -> Diagnostic:
    return Diagnostic(
        "encoding",
        f"the PostgreSQL database has the encoding {result}; filters count and compare UTF-8 characters",
        NOWHERE,
        "use a database that was created with ENCODING 'UTF8'",
    )


def view_foreign(span: Span, view: str, why: str, hint: str) -> Diagnostic:
    return Diagnostic("view", f"{view} {why}; predicat does not change it", span, hint)


def view_former(view: str) -> Diagnostic:
    return Diagnostic(
        "view",
        f"{view} was created by an earlier version of predicat, which did not mark its views",
        NOWHERE,
        "predicat apply --adopt takes such views over; add --dry-run to see which",
    )


def view_edited(view: str, how: str) -> Diagnostic:
    return Diagnostic(
        "view",
        f"{view} was changed by hand: {how}",
        NOWHERE,
        "put the change into the catalog, then run predicat apply --force",
    )


def view_twice(view: str, other: str) -> Diagnostic:
    return Diagnostic(
        "view",
        f"the comment of {view} marks it as the view {other}, but it is another view",
        NOWHERE,
        f"write another comment: COMMENT ON VIEW {view} IS NULL",
    )


def view_option(span: Span, option: str, server: int) -> Diagnostic:
    return Diagnostic("view", f"PostgreSQL {server} has no {option}; it came with PostgreSQL 15", span)


def view_needed(view: str, what: str, dependents: Iterable[str], hint: str) -> Diagnostic:
    return Diagnostic("view", f"{view} {what}: {msg.listed(dependents, 30)}", NOWHERE, hint)


def partly_applied(done: int, of: int) -> Diagnostic:
    return Diagnostic(
        "view",
        f"{done} of {of} transactions were committed before this error, each with all of its views",
        NOWHERE,
        "predicat apply continues where it stopped",
    )


def view_changing(views: Iterable[str]) -> Diagnostic:
    return Diagnostic(
        "view",
        f"another session changed {msg.listed(views)} meanwhile",
        NOWHERE,
        "run predicat apply again",
    )
