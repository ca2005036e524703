"""The rows that are seen by the policies of a dataset, in one condition for Databricks."""

from pathlib import Path
from typing import Any

import pytest

from predicat.diagnostics import PredicatError
from predicat.exporting.databricks import function_of
from predicat.exporting.visible import of_datasets
from predicat.policies.access import SEEN, permitted
from predicat.policies.bind import rules_of
from predicat.semantics.evaluate import compile_node
from tests.exporting.policy_catalog import CATALOG, ROLES, ROWS, SETS, catalog
from tests.exporting.written import asked, texts

ATTRIBUTES = ("user=current_user()", "boss=is_member('boss')")
SETTINGS: dict[str, Any] = {
    "as": "function",
    "of": "policies",
    "schema": None,
    "to": (),
    "except": (),
    "tag": "t",
    "attribute": ATTRIBUTES,
}


def test_the_condition_is_that_of_the_policies_for_every_role(tmp_path: Path) -> None:
    loaded = catalog(tmp_path)
    (found,) = of_datasets(asked(loaded, **SETTINGS))
    seen = compile_node(found.node)
    rules = rules_of(loaded, loaded.datasets["orders"])[""]
    compared = 0
    for roles in SETS:
        alone = compile_node(permitted(rules, roles, SEEN))
        members = {f"@role {role}": role in roles for role in ROLES}
        for session in ({"@user": "ann", "@boss": False}, {"@user": None, "@boss": None}, {"@boss": True}):
            for row in ROWS:
                assert (seen(row | session | members) is True) == (alone(row | session) is True)
                compared += 1
    assert compared == 8 * 3 * 27


def test_the_function(tmp_path: Path) -> None:
    of = asked(catalog(tmp_path), **SETTINGS | {"as": "row-filter", "schema": "main.f"})
    (text,) = texts("databricks", of)
    assert (text.path, text.filters) == (
        "orders.policies.sql",
        ("orders.in_eu", "orders.mine", "orders.visible"),
    )
    assert text.body == (
        "CREATE OR REPLACE FUNCTION main.f.orders__policies(region STRING, owner STRING, deleted BOOLEAN)\n"
        "RETURNS BOOLEAN\nCOMMENT 'orders: the rows that are seen by eu, own, not_deleted'\n"
        "RETURN (((IS_ACCOUNT_GROUP_MEMBER('sales') OR IS_ACCOUNT_GROUP_MEMBER('support')) "
        "AND (region = 'EU') IS TRUE OR (owner = CURRENT_USER() OR IS_MEMBER('boss')) IS TRUE) "
        "AND (NOT IS_ACCOUNT_GROUP_MEMBER('sales') OR COALESCE(NOT deleted, TRUE) IS TRUE)) IS TRUE;\n\n"
        "ALTER TABLE main.app.orders SET ROW FILTER main.f.orders__policies ON (region, owner, deleted);\n"
    )
    (note,) = of.reporter.diagnostics
    assert note.message.endswith("say of rows that are written is not exported: inserted, own")


@pytest.mark.parametrize(
    ("text", "attributes", "message"),
    [
        (CATALOG.partition("policies:")[0], ATTRIBUTES, "none of the datasets orders has any"),
        (CATALOG, ATTRIBUTES[:1], "read the attribute 'boss', which Databricks does not have"),
        (CATALOG, ("users=current_user()",), "the catalog has no attribute 'users'"),
        (CATALOG, ("user=is_member('x')",), "the attribute 'user', a string, cannot be"),
        (CATALOG, ("user=current_user() OR TRUE",), "the attribute 'user', a string, cannot be"),
        (CATALOG, ("boss=is_member('a\\')",), "the attribute 'boss', a boolean, cannot be"),
        (CATALOG, ("tenant=current_user()",), "the attribute 'tenant', a uuid, cannot be"),
        (
            CATALOG.replace("eu: {command: select", "eu: {table: app.others, command: select"),
            ATTRIBUTES,
            "the policy 'eu' is for the table app.others",
        ),
        (
            CATALOG.partition("policies:")[0] + "policies: {inserted: {command: insert, check: in_eu}}\n",
            ATTRIBUTES,
            "no policy of orders is about rows that are seen",
        ),
    ],
)
def test_what_cannot_be_said_is_refused(
    tmp_path: Path, text: str, attributes: tuple[str, ...], message: str
) -> None:
    with pytest.raises(PredicatError, match=message) as error:
        texts("databricks", asked(catalog(tmp_path, text), **SETTINGS | {"attribute": attributes}))
    assert all(problem.hint for problem in error.value.diagnostics)


def test_a_role_is_a_text(tmp_path: Path) -> None:
    loaded = catalog(tmp_path, CATALOG.replace("[sales]", '["it\'s \\\\ x"]'))
    (found,) = of_datasets(asked(loaded, **SETTINGS))
    assert "IS_ACCOUNT_GROUP_MEMBER('it\\'s \\\\ x')" in function_of(found).body
