"""Row policies of tables, and the attributes of the session that queries: their model, and their readers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct

from predicat.catalog.keys import (
    ATTRIBUTE,
    ATTRIBUTE_SQL,
    POLICY,
    POLICY_COMMANDS,
    POLICY_FILTER,
    POLICY_TEST,
)
from predicat.catalog.yaml_nodes import YamlNode, text_of
from predicat.diagnostics import NOWHERE, Span
from predicat.diagnostics.messages import catalog as say_catalog
from predicat.diagnostics.messages import keys as say_keys
from predicat.diagnostics.messages import row_policies as say
from predicat.ir.nodes import FieldDecl
from predicat.ir.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    STRING,
    TIMESTAMP,
    ArrayType,
    DecimalType,
    Type,
    TypeSyntaxError,
)
from predicat.ir.widths import TYPE_NAMES, field_type

# All roles.
PUBLIC = "public"
# The key of the role in `as:` of a test; the others are attributes.
ROLE = "role"
# The most bytes of a name in PostgreSQL.
_MAX_NAME = 63
_SCALARS = (STRING, BIGINT, BOOLEAN, DATE, TIMESTAMP)
# The commands that read rows that are there, and those that write new ones.
READING, WRITING = ("select", "update", "delete"), ("insert", "update")


class Attribute(Struct, frozen=True):
    """A value of the session that queries, such as its tenant. A session without it has NULL.

    Attributes:
        name: The name, which is also that of the parameters of filters that it gives.
        type: The type of its values.
        postgres: The expression that PostgreSQL reads it from, as written; one of the known shapes.
        span: The place of its name.
        stored: The width or form of the type, as in a field: `uuid`, `int`; "" for the type itself.
        description: What it is.
    """

    name: str
    type: Type
    postgres: str
    span: Span = NOWHERE
    stored: str = ""
    description: str = ""

    @property
    def shown_type(self) -> str:
        """The type as it was declared."""
        return self.stored or str(self.type)

    @property
    def decl(self) -> FieldDecl:
        """The attribute as a field, with a name that no field has: a value of the row, NULL if missing."""
        return FieldDecl(f"@{self.name}", self.type, self.description, stored=self.stored)


class PolicyFilter(Struct, frozen=True):
    """A filter of a policy, as the file names it (`mine`, `mine@2`), with values of its parameters. The
    others are attributes of their names, or have defaults.
    """

    filter: str
    params: Mapping[str, Any] = {}
    span: Span = NOWHERE


class PolicyTest(Struct, frozen=True):
    """A test of the policies of a table: whether a role sees a row, or may write it, by one command.

    Attributes:
        role: The role; `public` for one that no policy names.
        attributes: The attributes of its session; the others are missing.
        row: The row.
        sees: Whether the command sees the row; None if the test is of a new row.
        writes: Whether the command may write the row; None if the test is of a row that is there.
        command: The command: select, insert, update or delete.
        span: The place.
        now: The current time, for filters that read it.
        description: What the test shows.
    """

    role: str
    attributes: Mapping[str, Any]
    row: Mapping[str, Any]
    sees: bool | None
    writes: bool | None
    command: str
    span: Span = NOWHERE
    now: datetime | None = None
    description: str = ""


class Policy(Struct, frozen=True):
    """A row policy of a table, as PostgreSQL has them.

    Attributes:
        name: The name, which is that of the policy in the database.
        table: The table; "" for the relation of the dataset.
        command: The command that it is for: select, insert, update, delete or all.
        roles: The roles that it is for; `public` is all of them.
        permissive: Whether it lets rows through. A restrictive one must be TRUE, too.
        using: The filter of the rows that are there; None for all of them.
        check: The filter of new rows; None for that of `using`.
        description: What it is for.
        span: The place of its name.
        tests: Its tests.
    """

    name: str
    table: str = ""
    command: str = "all"
    roles: tuple[str, ...] = (PUBLIC,)
    permissive: bool = True
    using: PolicyFilter | None = None
    check: PolicyFilter | None = None
    description: str = ""
    span: Span = NOWHERE
    tests: tuple[PolicyTest, ...] = ()

    @property
    def filters(self) -> tuple[PolicyFilter, ...]:
        """Its filters, `using` first."""
        return tuple(part for part in (self.using, self.check) if part is not None)


def policy_data(policy: Policy) -> dict[str, Any]:
    """A policy as JSON data, without its tests and its place, and without default values."""
    filters = {key: part for key in ("using", "check") if (part := getattr(policy, key)) is not None}
    return {
        **({"table": policy.table} if policy.table else {}),
        "command": policy.command,
        "roles": list(policy.roles),
        **({} if policy.permissive else {"permissive": False}),
        **{
            key: {"filter": part.filter, **({"params": dict(part.params)} if part.params else {})}
            for key, part in filters.items()
        },
        **({"description": policy.description} if policy.description else {}),
    }


def attribute_data(attribute: Attribute) -> dict[str, Any]:
    """An attribute as JSON data."""
    about = {"description": attribute.description} if attribute.description else {}
    return {"type": attribute.shown_type, "postgres": attribute.postgres, **about}


def read_attribute(name: str, item: YamlNode, span: Span) -> Attribute | None:
    """An attribute; None if it cannot be read, which is reported. `span` is the place of its name."""
    from predicat.backends.sql import expressions  # noqa: PLC0415  # sqlglot is slow to load
    from predicat.backends.sql.postgres import session  # noqa: PLC0415  # as above

    if name == ROLE:
        item.reporter.add(say.attribute_named_role(span))
    keys = item.keys(what := say.attribute(name), ATTRIBUTE)
    if item.lacks(keys, "type", what, span) or item.lacks(keys, ATTRIBUTE_SQL, what, span):
        return None
    declared = _type(keys["type"])
    text = keys[ATTRIBUTE_SQL].text(ATTRIBUTE_SQL)
    if declared is None or not text:
        return None
    attribute = Attribute(name, *declared[:1], text, span, declared[1], text_of(keys, "description"))
    try:
        session.read(text, attribute.decl)
    except expressions.BadExpression as error:
        item.reporter.add(say.bad_source(keys[ATTRIBUTE_SQL].span, name, text, str(error)))
        return None
    return attribute


def _type(item: YamlNode) -> tuple[Type, str] | None:
    """The type of an attribute and its form; None if there is none, which is reported."""
    text = item.text("a type")
    try:
        kind, stored = field_type(text)
    except TypeSyntaxError as error:
        if text:
            known = () if error.is_known else TYPE_NAMES
            item.reporter.add(say_keys.bad_type(item.span, text, str(error), known))
        return None
    inner = kind.element if isinstance(kind, ArrayType) else kind
    has_form = stored not in ("", "uuid", "int", "smallint")
    if has_form or not (inner in _SCALARS or isinstance(inner, DecimalType)):
        names = ["uuid", "int", *map(str, _SCALARS), "decimal(p,s)"]
        item.reporter.add(say.bad_attribute_type(item.span, text, names))
        return None
    return kind, stored


class PolicyReader(Struct, frozen=True):
    """Reads a policy from a catalog file, and reports problems that need no other definition. `now` is the
    current time of tests that set none, `read_now` reads that of one.
    """

    now: datetime | None
    read_now: Callable[[YamlNode], datetime | None]

    def policy(self, name: str, item: YamlNode, span: Span) -> Policy | None:
        """A policy; None without a filter. `span` is the place of its name."""
        keys = item.keys(what := say.policy(name), POLICY)
        if not item.is_mapping:
            return None
        command = _one_of(keys, "command", POLICY_COMMANDS, "all")
        using, check = (self.filter(keys[key]) if key in keys else None for key in ("using", "check"))
        if "using" not in keys and "check" not in keys:
            item.reporter.add(say.no_filter(span, name))
            return None
        if "check" in keys and command in ("select", "delete"):
            item.reporter.add(say.no_new_rows(keys["check"].span, name, command))
        if "using" in keys and command == "insert":
            item.reporter.add(say.no_rows_there(keys["using"].span, name))
        if "table" in keys:
            keys["table"].text(what)
        tests = keys["tests"].items("tests") if "tests" in keys else ()
        permissive = item.truths_of({key: keys[key] for key in ("permissive",) if key in keys})
        return Policy(
            name,
            text_of(keys, "table"),
            command,
            _roles(name, keys["roles"]) if "roles" in keys else (PUBLIC,),
            permissive.get("permissive", True),
            using,
            check,
            text_of(keys, "description"),
            span,
            tuple(test for part in tests if (test := self.test(part, command)) is not None),
        )

    def filter(self, item: YamlNode) -> PolicyFilter | None:
        """A filter by its name alone, or a mapping."""
        if not item.is_mapping:
            name = item.text(say.A_FILTER)
            return PolicyFilter(name, {}, item.span) if name else None
        keys = item.keys(say.A_FILTER, POLICY_FILTER)
        if item.lacks(keys, "filter", say.A_FILTER):
            return None
        given = keys["params"].entries("params") if "params" in keys else ()
        values = {key: value.data() for key, value, _ in given}
        return PolicyFilter(keys["filter"].text("filter"), values, keys["filter"].span)

    def test(self, item: YamlNode, command: str) -> PolicyTest | None:
        """A test of a policy for a command; None if it cannot be read."""
        keys = item.keys(say.A_TEST, POLICY_TEST)
        if any(item.lacks(keys, key, say.A_TEST) for key in ("as", "row")):
            return None
        asks = [key for key in ("sees", "writes") if key in keys]
        outcomes = item.truths_of({key: keys[key] for key in asks})
        row = keys["row"].plain()
        if len(asks) != 1:
            item.reporter.add(say.sees_or_writes(item.span))
        elif not isinstance(row, dict):
            item.reporter.add(say_catalog.row_not_mapping(keys["row"].span, keys["row"].kind))
        elif outcomes:
            known = READING if asks == ["sees"] else WRITING
            asked = _one_of(keys, "command", (*READING, "insert"), command if command in known else known[0])
            if asked not in known:
                item.reporter.add(say.other_command(keys["command"].span, asks[0], asked))
                return None
            session = {key: value.data() for key, value, _ in keys["as"].entries(say.AS)}
            return PolicyTest(
                str(session.pop(ROLE, PUBLIC)),
                session,
                row,
                outcomes.get("sees"),
                outcomes.get("writes"),
                asked,
                item.span,
                self.read_now(keys["now"]) if "now" in keys else self.now,
                text_of(keys, "description"),
            )
        return None


def _roles(name: str, item: YamlNode) -> tuple[str, ...]:
    roles = item.texts("roles", say.A_ROLE)
    if not roles:
        item.reporter.add(say.no_role(item.span, name))
    for role in roles:
        if not 1 <= len(role.encode()) <= _MAX_NAME or "\0" in role:
            item.reporter.add(say.bad_role(item.span, role, _MAX_NAME))
    return tuple(dict.fromkeys(roles)) or (PUBLIC,)


def _one_of(keys: Mapping[str, YamlNode], key: str, known: Collection[str], default: str) -> str:
    """One of several words; another one is reported."""
    if key not in keys:
        return default
    given = keys[key].text(key)
    if given not in known:
        keys[key].reporter.add(say.one_of(keys[key].span, key, given, known))
        return default
    return given
