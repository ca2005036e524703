"""The rows that anybody sees by the row policies of a dataset, as one condition: each policy holds for the
members of its roles.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from predicat.backends.sql.builders import Sql, call, string_literal
from predicat.catalog.model import Catalog, Dataset
from predicat.catalog.policies import PUBLIC, Attribute, Policy
from predicat.catalog.policy_conditions import condition
from predicat.diagnostics import PredicatError, Span
from predicat.diagnostics.messages import exports as say
from predicat.exporting.asked import Asked
from predicat.exporting.marks import POLICIES
from predicat.ir.nodes import FALSE, TRUE, Call, Field, FieldDecl, Node, fields_of
from predicat.ir.types import BOOLEAN, STRING, Type
from predicat.policies.access import EVERY, SEEN
from predicat.policies.bind import MARK
from predicat.rewrite.simplify import simplify

# What the name of a role begins with, where it is a field: whether the user is a member.
_ROLE = f"{MARK}role "
# The functions of Databricks that tell of a session, and the types of their values.
_SESSION: Sequence[tuple[re.Pattern[str], Type]] = (
    (re.compile(r"(current_user|session_user)\(\)", re.IGNORECASE), STRING),
    (re.compile(r"(is_account_group_member|is_member)\('([^'\\]*)'\)", re.IGNORECASE), BOOLEAN),
)


class Visible(Struct, frozen=True):
    """The rows that are seen by the policies of a dataset. `given` is the SQL of roles and attributes."""

    dataset: Dataset
    policies: Sequence[Policy]
    node: Node
    given: Mapping[str, Sql]

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return f"{self.dataset.name}.{POLICIES}"

    @property
    def file(self) -> str:
        """The name of a file of its own, without the ending."""
        return self.name

    @property
    def identifier(self) -> str:
        """A name for it in SQL."""
        return f"{self.dataset.name}__policies"

    @property
    def title(self) -> str:
        """A line for comments."""
        return (
            f"{self.dataset.name}: the rows that are seen by {', '.join(one.name for one in self.policies)}"
        )

    @property
    def span(self) -> Span:
        """The place of the first policy."""
        return self.policies[0].span

    @property
    def filters(self) -> tuple[str, ...]:
        """The filters of the policies."""
        used = (one.using.filter for one in self.policies if one.using is not None)
        names = (name if "." in name else f"{self.dataset.name}.{name}" for name in used)
        return tuple(dict.fromkeys(names))

    @property
    def fields(self) -> Mapping[str, FieldDecl]:
        """The fields of the row that it reads."""
        return {name: decl for name, decl in fields_of(self.node).items() if not name.startswith(MARK)}


def of_datasets(asked: Asked) -> Iterator[Visible]:
    """What is seen of each dataset that a chosen filter belongs to, and that has policies."""
    names = dict.fromkeys(filter_.dataset for filter_, _ in asked.chosen)
    datasets = [asked.catalog.datasets[name] for name in names if asked.catalog.datasets[name].policies]
    if not datasets:
        raise PredicatError.of(say.no_policies(list(names)))
    session = _session(asked)
    for dataset in datasets:
        left = [one.name for one in dataset.policies.values() if one.command != SEEN.command]
        if left:
            asked.reporter.add(say.only_seen(dataset.name, left))
    yield from asked.each_of(datasets, lambda dataset: _visible(asked.catalog, dataset, session))


def _visible(catalog: Catalog, dataset: Dataset, session: Mapping[str, Sql]) -> Visible:
    policies = [
        one for one in dataset.policies.values() if one.command in (SEEN.command, EVERY) and one.using
    ]
    others = [one for one in policies if one.table not in ("", dataset.relation.get("postgres", ""))]
    if others:
        raise PredicatError.of(say.policy_of_another_table(others[0].span, others[0].name, others[0].table))
    if not policies:
        first = next(iter(dataset.policies.values()))
        raise PredicatError.of(say.nothing_seen(first.span, dataset.name))
    node = simplify(_seen(catalog, dataset, policies))
    given: dict[str, Sql] = {}
    for name in fields_of(node):
        if name.startswith(_ROLE):
            given[name] = call("IS_ACCOUNT_GROUP_MEMBER", string_literal(name.removeprefix(_ROLE)))
        elif name.startswith(MARK):
            if name not in session:
                raise PredicatError.of(
                    say.no_attribute(policies[0].span, dataset.name, name.removeprefix(MARK))
                )
            given[name] = session[name]
    return Visible(dataset, policies, node, given)


def _seen(catalog: Catalog, dataset: Dataset, policies: Sequence[Policy]) -> Node:
    """One permissive policy of the user is TRUE, and each restrictive one of his."""
    permissive: list[Node] = []
    restrictive: list[Node] = []
    for one in policies:
        using = one.using
        rows = TRUE if using is None else _call("is_true", condition(catalog, dataset, using))
        member = _member(one.roles)
        if one.permissive:
            permissive.append(_call("and", member, rows))
        else:
            restrictive.append(_call("or", _call("not", member), rows))
    return _call("and", _call("or", FALSE, *permissive), *restrictive)


def _member(roles: Sequence[str]) -> Node:
    """Whether the user has one of these roles."""
    if PUBLIC in roles:
        return TRUE
    return _call("or", FALSE, *(Field(BOOLEAN, FieldDecl(f"{_ROLE}{role}", BOOLEAN)) for role in roles))


def _call(op: str, *arguments: Node) -> Node:
    return arguments[0] if op in ("and", "or") and len(arguments) == 1 else Call(BOOLEAN, op, arguments)


def _session(asked: Asked) -> dict[str, Sql]:
    """The SQL of the attributes that the setting `attribute` gives. Raises PredicatError."""
    found: dict[str, Sql] = {}
    for text in asked.settings["attribute"]:
        name, _, value = text.partition("=")
        attribute = asked.catalog.attributes.get(name)
        if attribute is None:
            raise PredicatError.of(say.unknown_attribute(name, asked.catalog.attributes))
        found[f"{MARK}{name}"] = _value(attribute, value.strip())
    return found


def _value(attribute: Attribute, text: str) -> Sql:
    for pattern, kind in _SESSION:
        match = pattern.fullmatch(text)
        if match is not None and kind == attribute.type and not attribute.stored:
            return call(match[1].upper(), *map(string_literal, match.groups()[1:]))
    raise PredicatError.of(say.bad_attribute(attribute.name, attribute.shown_type, text))
