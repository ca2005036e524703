"""Row policies and attributes of sessions in a catalog."""

from pathlib import Path

import predicat
from predicat import backends
from predicat.backends.sql.postgres import session
from predicat.catalog.manifest import build_manifest
from predicat.catalog.policies import PolicyFilter
from predicat.catalog.policy_conditions import condition
from predicat.explain.users import UsageIndex

CATALOG = """
apiVersion: predicat/v1
dataset: orders
relation: {postgres: app.orders}
fields: {id: bigint, tenant_id: uuid, owner: string}
attributes:
  tenant: {type: uuid, postgres: "current_setting('app.tenant')::uuid"}
  user: {type: string, postgres: current_user}
filters:
  of_tenant: {sql: "tenant_id = :tenant", params: {tenant: string}}
  mine: {versions: {1: {sql: "owner = :user", params: {user: string}}, 2: {sql: "id = 1"}}}
  late: {sql: "id > :least", params: {least: {type: bigint, default: 5}}, on_unknown: accept}
policies:
  tenant_rows:
    command: select
    roles: reader
    using: of_tenant
    tests:
      - as: {role: reader, tenant: 6f0e1111-1111-1111-1111-111111111111}
        row: {tenant_id: 6f0e1111-1111-1111-1111-111111111111}
        sees: true
  own: {permissive: false, using: mine@1, check: {filter: mine@1, params: {user: ops}}}
  late: {command: insert, check: late}
"""


def loaded(folder: Path, text: str = CATALOG) -> predicat.Catalog:
    (folder / "orders.yml").write_text(text)
    return predicat.load_catalog(folder)


def sql(catalog: predicat.Catalog, used: PolicyFilter | None) -> str:
    assert used is not None
    given = {row.decl.name: session.read(row.postgres, row.decl) for row in catalog.attributes.values()}
    node = condition(catalog, catalog.datasets["orders"], used)
    return backends.dialect("postgres").render(node, condition=True, given=given)


def test_policies_are_read(tmp_path: Path) -> None:
    catalog = loaded(tmp_path)
    policies = catalog.datasets["orders"].policies
    assert [(row.name, row.command, row.roles, row.permissive) for row in policies.values()] == [
        ("tenant_rows", "select", ("reader",), True),
        ("own", "all", ("public",), False),
        ("late", "insert", ("public",), True),
    ]
    (test,) = policies["tenant_rows"].tests
    assert (test.role, test.command, test.sees, test.writes) == ("reader", "select", True, None)
    assert dict(test.attributes) == {"tenant": "6f0e1111-1111-1111-1111-111111111111"}
    assert catalog.attributes["tenant"].shown_type == "uuid"


def test_a_condition_has_the_values_of_the_policy_and_of_the_session(tmp_path: Path) -> None:
    catalog = loaded(tmp_path)
    policies = catalog.datasets["orders"].policies
    assert sql(catalog, policies["tenant_rows"].using).startswith("tenant_id = (SELECT CASE WHEN ")
    assert sql(catalog, policies["own"].using) == "owner = (SELECT CURRENT_USER::text)"
    assert sql(catalog, policies["own"].check) == "owner = 'ops'"
    assert sql(catalog, policies["late"].check) == "COALESCE(id > 5, TRUE)"


def test_a_part_of_a_catalog_has_the_policies_of_its_filters(tmp_path: Path) -> None:
    part = loaded(tmp_path).only(["orders.mine"])
    assert list(part.datasets["orders"].policies) == ["own"]
    assert set(part.attributes) == {"tenant", "user"}


def test_an_attribute_is_defined_once(tmp_path: Path) -> None:
    loaded(tmp_path)
    (tmp_path / "more.yml").write_text(
        "apiVersion: predicat/v1\ndataset: others\nfields: {id: bigint}\nfilters: {f: {sql: id = 1}}\n"
        "attributes: {user: {type: string, postgres: session_user}}\n"
    )
    try:
        predicat.load_catalog(tmp_path)
    except predicat.PredicatError as error:
        (problem,) = error.diagnostics
        assert problem.code == "duplicate-name"
        assert "orders.yml" in problem.message or "more.yml" in problem.message
    else:
        raise AssertionError


def test_a_filter_says_which_policies_use_it(tmp_path: Path) -> None:
    manifest = build_manifest(loaded(tmp_path))
    assert UsageIndex({}, manifest["datasets"]).of("orders.mine")["policies"] == ("orders.own",)
