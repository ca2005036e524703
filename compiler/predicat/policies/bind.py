"""The policies of a catalog as rules, and rows of proofs about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from predicat.catalog.model import Catalog, Dataset
from predicat.catalog.policies import Policy, PolicyFilter
from predicat.catalog.policy_conditions import condition
from predicat.ir.nodes import Node
from predicat.policies.access import Rule
from predicat.rewrite.substitute import read_from_columns

if TYPE_CHECKING:
    from predicat.proof.compare import Witness

# What the name of an attribute begins with, where it is a field.
MARK = "@"


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
