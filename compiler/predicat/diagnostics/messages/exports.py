"""Messages of `predicat export`. Each row is one: see the package."""

from __future__ import annotations

from collections.abc import Iterable

from predicat.diagnostics.message import Failure, Problem, Text

NAN_IN_SNOWFLAKE = "NaN equals itself there and is the greatest number; here a comparison with it is FALSE"
TIMES_IN_SNOWFLAKE = (
    "a timestamp may be a local time there, and has nanoseconds; here it is a moment in microseconds"
)
RAISES_THERE = "it raises an error there where it has no value, and here it is UNKNOWN"
COLLATION = "the order of strings depends on the collation of the column"
PATTERN_IS_CONSTANT = "only a constant that is not empty is known to mean the same there"
NOT_COMPARED = "its meaning there was not compared with that here"

python_code = Problem[str, str]("""unsupported: {filter_name} runs the Python class {name}, and no other tool
    can
    hint: export the native filter of its `after:`, or leave it out: --exclude {filter_name}""")
no_value = Problem[str, str]("""missing-parameter: {filter_name} needs a value for its parameter {name!r}
    hint: give it: --param {name}=VALUE, or give the parameter a default""")
not_overwritten = Failure[str, str]("""export: {path} {state}
    hint: put the change into the catalog; --force overwrites the file""")
told = Failure[str]("note[export]: {text}")
no_params = Text[str]("{target} gives parameters their values itself; leave --param out")
no_column = Problem[str, str]("""unsupported: {target} cannot have the field {field!r}: it is read from an
    expression, and the function gets columns, whose types the catalog does not know
    hint: make it a column of the relation, or of a view that the catalog names""")
no_table = Problem[str, str]("""unsupported: the dataset {dataset!r} names no table: it has no {engine}
    relation
    hint: write relation: {{{engine}: CATALOG.SCHEMA.TABLE}}""")
one_row_filter = Problem[str, Iterable[str]]("""unsupported: {table} would have several row filters, and only
    one is possible: {names:listed}
    hint: choose one; a filter with all: or any: joins several""")
matched_columns = Problem[str, Iterable[str], int]("""unsupported: {filter_name} reads the columns
    {columns:list}, and a policy can match {most}
    hint: write it as the row filter of the table: --as row-filter""")
principals = Failure[int]("""unsupported: a policy has at most {most} principals in --to and --except together
    hint: name groups""")
schema_of_dbt = Failure[str]("""usage: dbt-databricks takes the name of a function with its catalog and
    schema, or alone
    hint: write --schema CATALOG.SCHEMA for {name}, or leave --schema out""")
no_columns_in_dbt = Problem[str]("""unsupported: {filter_name} reads no column, and a row_filter of
    dbt-databricks needs one
    hint: write it as the row filter of the table: --as row-filter""")
template = Problem[str, str]("""unsupported: the condition of {filter_name} has {found!r}, which the tool
    would take as a template of its own
    hint: leave it out of the filter, or out of the export: --exclude {filter_name}""")
no_dimension = Problem[str, str]("""unsupported: {filter_name} reads {column!r}, and a dimension of MetricFlow
    has a plain name, and no time: it would be truncated
    hint: make it a column of the model that is no date, or leave the filter out: --exclude {filter_name}""")
no_rule = Problem[str, str, str]("""unsupported: {target} cannot have {what} here: {why}
    hint: make it a column of the table, and test that""")
no_type = Problem[str, str, str]("""unsupported: {target} cannot have a value of the type {kind} here: {why}
    hint: make what is tested a column of another type, such as a boolean""")
two_types = Problem[str, Iterable[str]]("""unsupported: {target} would convert one of the types {kinds:list},
    and conversions were not compared with those here
    hint: compare a column with a constant of its type""")
own_column = Problem[str, str]("""unsupported: {target} cannot have the field {field!r} here: what its column
    is there, the catalog does not say
    hint: a field of a plain type whose column has its name can be exported""")
needs_quotes = Problem[str, str]("""unsupported: {target} cannot have the column {name!r} here: it needs
    quotes, and a quoted name may be another column there
    hint: rename the column in a view""")
not_read_alike = Problem[str]("""unsupported: sqlglot does not read the condition for {target} as it
    was written
    hint: please report it""")
who_reads = Failure[()]("""usage: nobody would see a row: a row access policy of BigQuery grants rows to some
    hint: give --to, such as --to group:analysts@example.com""")
every_row = Problem[str]("""unsupported: {filter_name} accepts every row or none, and a row condition
    compares a column
    hint: leave the row condition out""")
too_many_conditions = Problem[int]("""unsupported: as an OR of ANDs it has more than {most} conditions, which
    Great Expectations does not take
    hint: leave it out of the export, or use predicat's own expectations: predicat quality gx""")
option_not_read = Failure[str, str]("""usage: {option} is only for {other}
    hint: leave it out, or write {other}""")
no_policies = Failure[Iterable[str]]("""usage: no policies: none of the datasets {names:listed} has any
    hint: select a filter of a dataset with policies:""")
only_seen = Failure[str, Iterable[str]]("""note[export]: a row filter is about the rows that are seen. What
    policies of {dataset} say of rows that are written is not exported: {names:listed}""")
policy_of_another_table = Problem[str, str]("""unsupported: the policy {name!r} is for the table {table},
    which is not the relation of its dataset
    hint: give this table a dataset of its own""")
nothing_seen = Problem[str]("""unsupported: no policy of {dataset} is about rows that are seen
    hint: a policy for them has command: select, or all, and using:""")
no_attribute = Problem[str, str]("""unsupported: the policies of {dataset} read the attribute {name!r}, which
    Databricks does not have by itself
    hint: say what it is there: --attribute "{name}=current_user()\"""")
unknown_attribute = Failure[str, Iterable[str]]("""usage: the catalog has no attribute {name!r}
    hint: {known:near name}
    hint: its attributes: {known:listed}""")
bad_attribute = Failure[str, str, str]("""usage: the attribute {name!r}, a {kind}, cannot be {text!r}
    hint: a string is current_user() or session_user(); a boolean is is_account_group_member('...') or
    is_member('...')""")
same_name = Problem[str, str, str]("""unsupported: {filter_name} and {other} would both be {name} in the file
    hint: export one of them, or rename a filter""")
