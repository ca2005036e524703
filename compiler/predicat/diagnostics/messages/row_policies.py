"""Messages about row policies, and the attributes of sessions. Each row is one: see the package."""

from __future__ import annotations

from collections.abc import Iterable

from predicat.diagnostics.message import Problem, Text

A_FILTER = "a filter of a policy"
A_ROLE = "a role"
A_TEST = "a test of a policy"
AS = "as"

attribute = Text[str]("the attribute {name!r}")
policy = Text[str]("the policy {name!r}")

# Why an expression is no attribute.
ONE_EXPRESSION = "it must be one expression"
NO_ARGUMENTS = "a function has no arguments, and stands with its schema, such as auth.uid()"
SETTING_NAME = "the name of a setting is a text such as 'app.tenant'"
ROLE_OF_USER = "pg_has_role takes the name of a role and 'member' or 'usage', for the current user"
NO_DOCUMENT = "-> and ->> read a document: current_setting('request.jwt.claims', true)::jsonb ->> 'sub'"
ONE_KEY = "a step into a document has one key, a text or a number"
NULL_OF_EMPTY = "NULLIF may only have the empty text: NULLIF(..., '')"
NOT_KNOWN = (
    "it must be current_setting('...'), current_user, session_user, pg_has_role('...', 'member') or a "
    "function such as auth.uid(), with casts, NULLIF(..., '') and ->>"
)
not_read = Text[str]("it cannot be read: {reason}")
other_cast = Text[str, str]("it is cast to {kind}, and its type is {declared}")
not_of_type = Text[str, str]("its value is a {kind}, and its type is {declared}")

bad_source = Problem[str, str, str]("""(name, text, why) bad-attribute: the attribute {name!r} cannot be read
    from {text!r}: {why}
    hint: it is a value of the session, such as current_setting('app.tenant', true)::bigint""")
bad_attribute_type = Problem[str, Iterable[str]]("""bad-type: an attribute cannot have the type {kind}
    hint: an attribute has one of the types {known:list}, or an array of them""")
attribute_named_role = Problem[()]("""bad-value: an attribute cannot be named role
    hint: in tests of policies, as: {{role: ...}} is the role""")
attribute_twice = Problem[str, str]("""duplicate-name: the attribute {name!r} is already defined at {where}
    hint: attributes belong to the whole catalog, as vars do""")
one_of = Problem[str, str, Iterable[str]]("""bad-value: {key}: {given!r} is none of its values
    hint: {known:near given}
    hint: it is one of {known:list}""")
no_filter = Problem[str]("""missing-key: the policy {name!r} has no filter
    hint: using: is the filter of the rows that are there, check: that of new rows""")
no_new_rows = Problem[str, str]("""bad-value: the policy {name!r} has check:, and {command} writes no rows
    hint: using: is the filter of the rows that are there""")
no_rows_there = Problem[str]("""bad-value: the policy {name!r} has using:, and insert reads no rows
    hint: check: is the filter of new rows""")
no_role = Problem[str]("""bad-value: the policy {name!r} has no role
    hint: leave roles: out for all roles (public)""")
bad_role = Problem[str, int]("""bad-value: {name!r} is no name of a role
    hint: a name has 1 to {most} bytes""")
two_datasets = Problem[str, str]("""(table, other) bad-value: the dataset {other!r} has policies of
    the table {table}, too
    hint: they hold together, so write all policies of a table in one dataset""")
no_table = Problem[str, str]("""(name, dataset) missing-key: the policy {name!r} has no table: the dataset
    {dataset!r} has no relation on PostgreSQL
    hint: add table: to the policy, or postgres: to the relation""")
of_another_dataset = Problem[str, str]("""bad-value: {name}: a policy of {dataset} cannot use a filter of
    another dataset""")
not_in_sql = Problem[str]("""bad-value: {name} is a Python filter, which PostgreSQL cannot run
    hint: name a filter with a condition""")
unbound = Problem[str, str, Iterable[str]]("""(name, parameter, known) missing-param: {name} needs the
    parameter {parameter!r}, and no attribute has this name
    hint: {known:near parameter}
    hint: add it to attributes:, or give a value: {{filter: {name}, params: {{{parameter}: ...}}}}""")
other_type = Problem[str, str, str, str]("""(name, parameter, wanted, given) wrong-type: the parameter
    {parameter!r} of {name} is a {wanted}, and the attribute of this name a {given}
    hint: give both the same type, or the parameter another name""")
unknown_attribute = Problem[str, Iterable[str]]("""unknown-attribute: the catalog has no attribute {name!r}
    hint: {known:near name}
    hint: add it to attributes:""")
bad_attribute_value = Problem[str, str](
    """wrong-type: the value of the attribute {name!r} must be a {kind}"""
)
sees_or_writes = Problem[()]("""bad-value: a test of a policy has sees: or writes:, one of them
    hint: sees: true if the role sees the row, writes: false if it may not write it""")
other_command = Problem[str, str]("""(key, command) bad-value: {key}: tells nothing of {command}
    hint: sees: is of select, update and delete; writes: of insert and update""")
