"""The conditions of policies: filters whose parameters have values, or are attributes of the session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from predicat.catalog.acceptance import accepted_rows
from predicat.catalog.model import Catalog, Dataset
from predicat.catalog.policies import Policy, PolicyFilter
from predicat.catalog.policy_conditions import condition
from predicat.ir.nodes import Call, Field, FieldDecl, Literal, Node, params_of, rewrite_children
from predicat.ir.values import to_value
from predicat.policies.access import Rule
from predicat.rewrite.substitute import read_from_columns, substitute

if TYPE_CHECKING:
    from predicat.proof.compare import Witness

# What the name of an attribute begins with, where it is a field.
MARK = "@"


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


def apart(witness: Witness) -> Witness:
    """A row of a proof, with the attributes of the session as parameters."""
    row = {key: value for key, value in witness.row.items() if not key.startswith(MARK)}
    session = {key.removeprefix(MARK): value for key, value in witness.row.items() if key not in row}
    return replace(witness, row=row, params={**session, **witness.params})


def table_of(dataset: Dataset, policy: Policy) -> str:
    """The table of a policy; "" for the relation of the dataset, also where that is named."""
    return "" if policy.table == dataset.relation.get("postgres", "") else policy.table


def rules_of(catalog: Catalog, dataset: Dataset) -> dict[str, list[Rule]]:
    """The policies of a checked dataset by table; "" is its relation. Fields are columns of their names."""

    def rows(used: PolicyFilter | None) -> Node | None:
        return None if used is None else read_from_columns(condition(catalog, dataset, used))

    tables: dict[str, list[Rule]] = {}
    for policy in dataset.policies.values():
        rule = Rule(
            policy.name,
            policy.command,
            policy.roles,
            policy.permissive,
            rows(policy.using),
            rows(policy.check),
        )
        tables.setdefault(table_of(dataset, policy), []).append(rule)
    return tables
