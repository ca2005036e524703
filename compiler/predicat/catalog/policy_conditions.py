"""The condition of a filter in a policy: its parameters have the values of the policy and of the session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from predicat.catalog.acceptance import accepted_rows
from predicat.catalog.model import Catalog, Dataset, Filter, WrittenDataset
from predicat.catalog.names import Names
from predicat.catalog.policies import Attribute, Policy, PolicyFilter
from predicat.diagnostics import Diagnostic, Reporter
from predicat.diagnostics.messages import catalog as say_catalog
from predicat.diagnostics.messages import references
from predicat.diagnostics.messages import row_policies as say
from predicat.ir.nodes import Call, Field, Literal, Node, ParamDecl, rewrite_children
from predicat.ir.python_values import RowError
from predicat.ir.values import to_value
from predicat.lower import core
from predicat.rewrite.substitute import substitute


def condition(catalog: Catalog, dataset: Dataset, used: PolicyFilter) -> Node:
    """The rows that a filter of a policy accepts, in its core form. The policy has no problems.

    Each parameter has the value that the policy gives, or is an attribute of its name (a field `@name`, NULL
    if the session does not have it), or has its default. `on_unknown: accept` is a part of it.
    """
    name, _, version = used.filter.partition("@")
    filter_ = dataset.filters[name.rpartition(".")[2]]
    number = int(version) if version else filter_.latest
    params = filter_.versions[number].params
    values = {key: _value(decl, used, catalog.attributes) for key, decl in params.items()}
    node = substitute(filter_.versions[number].predicate.surface, values)
    return accepted_rows(core(_without_lower(node)), filter_.on_unknown)


def _value(decl: ParamDecl, used: PolicyFilter, attributes: Mapping[str, Attribute]) -> Node:
    if decl.name in used.params:
        return Literal(decl.type, to_value(used.params[decl.name], decl.type))
    if decl.name in attributes:
        return Field(decl.type, attributes[decl.name].decl)
    return Literal(decl.type, decl.default)


def _without_lower(node: Node) -> Node:
    """The node without the lower case of attributes that are UUIDs, so that indexes serve a column."""
    if isinstance(node, Call) and node.op == "lower" and isinstance(node.args[0], Field):
        decl = node.args[0].decl
        if decl.name.startswith("@") and decl.stored == "uuid":
            return node.args[0]
    return rewrite_children(node, _without_lower)


class PolicyChecks(Struct, frozen=True):
    """Checks of policies: their tables, filters and parameters. Problems are reported.

    Attributes:
        names: Resolves the names of filters.
        reporter: Takes the problems.
        attributes: The attributes of the catalog.
        unread: The names of attributes with problems.
    """

    names: Names
    reporter: Reporter
    attributes: Mapping[str, Attribute]
    unread: frozenset[str]

    def run(self, known: Mapping[str, Filter]) -> None:
        """All checks. `known` are the filters that have no problems, by `dataset.filter`."""
        seen: dict[str, str] = {}
        for dataset in self.names.datasets.values():
            for policy in dataset.policies.values():
                self.reporter.extend(self.of_policy(dataset, policy, seen))
                for used in policy.filters:
                    self.reporter.extend(self.of_filter(dataset, used, known))

    def of_policy(
        self, dataset: WrittenDataset, policy: Policy, seen: dict[str, str]
    ) -> Iterator[Diagnostic]:
        """The problems of a policy without its filters; `seen` has the dataset of each table before."""
        table = policy.table or dataset.relation.get("postgres", "")
        if not table:
            yield say.no_table(policy.span, policy.name, dataset.name)
        elif (other := seen.setdefault(table, dataset.name)) != dataset.name:
            yield say.two_datasets(policy.span, table, other)
        for test in policy.tests:
            for name, value in test.attributes.items():
                attribute = self.attributes.get(name)
                if attribute is None:
                    if name not in self.unread:
                        yield say.unknown_attribute(test.span, name, self.attributes)
                    continue
                try:
                    to_value(value, attribute.type)
                except RowError:
                    yield say.bad_attribute_value(test.span, name, attribute.shown_type)

    def of_filter(
        self, dataset: WrittenDataset, used: PolicyFilter, known: Mapping[str, Filter]
    ) -> Iterator[Diagnostic]:
        """The problems of a filter of a policy. One with problems of its own is not checked here."""
        found = self.names.lookup(dataset.name, used.filter)
        if found is None:
            if not self.names.declares(dataset.name, used.filter):
                yield references.unknown_filter(used.span, used.filter, dataset.filters)
            return
        row, asked = found
        target, number = known.get(row.qualified), asked or row.latest
        if row.dataset != dataset.name:
            yield say.of_another_dataset(used.span, used.filter, dataset.name)
        elif number not in row.versions:
            version = used.filter.partition("@")[2]
            yield references.unknown_version(used.span, row.qualified, version, map(str, row.versions))
        elif target is not None and number in target.versions:
            if target.versions[number].language == "python":
                yield say.not_in_sql(used.span, used.filter)
            yield from self.of_params(used, target.versions[number].params)

    def of_params(self, used: PolicyFilter, params: Mapping[str, ParamDecl]) -> Iterator[Diagnostic]:
        """Each parameter has a value: of the policy, of an attribute of its type, or a default."""
        for key in used.params:
            if key not in params:
                yield references.surplus_param(used.span, used.filter, key, params)
        for key, decl in params.items():
            if key in used.params:
                try:
                    to_value(used.params[key], decl.type)
                except RowError:
                    yield say_catalog.bad_argument(used.span, key, used.filter, used.params[key], decl.type)
            elif (attribute := self.attributes.get(key)) is not None:
                if attribute.type != decl.type:
                    yield say.other_type(used.span, used.filter, key, str(decl.type), attribute.shown_type)
            elif decl.required and key not in self.unread:
                yield say.unbound(used.span, used.filter, key, self.attributes)
