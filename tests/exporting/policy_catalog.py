"""A catalog with row policies, which tests export."""

from itertools import combinations
from pathlib import Path

import predicat

CATALOG = """apiVersion: predicat/v1
dataset: orders
relation: {postgres: app.orders, spark: main.app.orders}
fields: {id: bigint, region: string, owner: string, deleted: boolean}
attributes:
  user: {type: string, postgres: current_user}
  boss: {type: boolean, postgres: "pg_has_role('boss', 'member')"}
  tenant: {type: uuid, postgres: "current_setting('app.tenant')::uuid"}
filters:
  in_eu: {sql: "region = 'EU'"}
  mine: {sql: "owner = :user OR :boss", params: {user: string, boss: boolean}}
  visible: {sql: NOT deleted, on_unknown: accept}
policies:
  eu: {command: select, roles: [sales, support], using: in_eu}
  own: {command: all, using: mine}
  not_deleted: {command: select, permissive: false, roles: [sales], using: visible}
  inserted: {command: insert, check: in_eu}
"""
ROLES = ("sales", "support", "it")
SETS = [set(some) for size in range(len(ROLES) + 1) for some in combinations(ROLES, size)]
ROWS = [
    {"region": region, "owner": owner, "deleted": deleted}
    for region in ("EU", "US", None)
    for owner in ("root", "ann", None)
    for deleted in (True, False, None)
]


def catalog(folder: Path, text: str = CATALOG) -> predicat.Catalog:
    (folder / "orders.yml").write_text(text)
    return predicat.load_catalog(folder / "orders.yml")
