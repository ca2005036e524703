"""The condition of a filter in a policy: its parameters have the values of the policy and of the session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from predicat.catalog.acceptance import accepted_rows
from predicat.catalog.model import Catalog, Dataset, Filter, WrittenDataset
from predicat.catalog.names import Names
from predicat.catalog.policies import Attribute, Policy, PolicyFilter
from predicat.diagnostics import Diagnostic, Reporter
from predicat.diagnostics.messages import catalog as say_catalog
from predicat.diagnostics.messages import references
from predicat.diagnostics.messages import row_policies as say
from predicat.ir.nodes import Call, Field, FieldDecl, Literal, Node, ParamDecl, params_of, rewrite_children
from predicat.ir.python_values import RowError
from predicat.ir.values import to_value
from predicat.rewrite.substitute import substitute


def condition(catalog: Catalog, dataset: Dataset, used: PolicyFilter) -> Node:
    """The rows that a filter of a policy accepts, in its core form. The policy has no problems."""
    name, _, version = used.filter.partition("@")
    filter_ = dataset.filters[name.rpartition(".")[2]]
    node = filter_.versions[int(version) if version else filter_.latest].predicate.node
    attributes = {key: attribute.decl for key, attribute in catalog.attributes.items()}
    return bound(node, filter_.on_unknown, used.params, attributes)


def bound(node: Node, on_unknown: str, given: Mapping[str, Any], attributes: Mapping[str, FieldDecl]) -> Node:
    """The rows that a filter accepts as the condition of a policy. Its parameters are replaced.

    Args:
        node: The predicate of the filter.
        on_unknown: What the filter does with UNKNOWN: accept or reject.
        given: The values that the policy gives to parameters.
        attributes: The attributes as fields, by name: a parameter of such a name is the attribute, if the
            policy gives no value. It is NULL if the session does not have it.

    Raises:
        LookupError: A parameter has no value.
        RowError: A value does not fit the type of its parameter.
    """
    values: dict[str, Node] = {}
    for name, decl in params_of(node).items():
        if name in given:
            values[name] = Literal(decl.type, to_value(given[name], decl.type))
        elif name in attributes:
            values[name] = Field(attributes[name].type, attributes[name])
        elif decl.required:
            raise LookupError(name)
        else:
            values[name] = Literal(decl.type, decl.default)
    return accepted_rows(_in_lower_case(substitute(node, values)), on_unknown)


def _in_lower_case(node: Node) -> Node:
    """The node without `lower` of UUIDs, whose text is in lower case: proofs see that two are compared."""
    if isinstance(node, Call) and node.op == "lower" and _is_uuid(node.args[0]):
        return node.args[0]
    return rewrite_children(node, _in_lower_case)


def _is_uuid(node: Node) -> bool:
    """Whether a text is that of a UUID column or attribute."""
    if isinstance(node, Call) and node.op == "coalesce":
        return all(map(_is_uuid, node.args))
    return isinstance(node, Field) and node.decl.stored == "uuid"


def _plain(table: str) -> str:
    """The name of a table, which has its schema in some places only."""
    return table.replace('"', "").removeprefix("public.")


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
        elif (other := seen.setdefault(_plain(table), dataset.name)) != dataset.name:
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
