"""What a change of policies opens: the entries of a review about roles."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from predicat.catalog.load import load_catalog, read_definitions
from predicat.policies.runs import checked
from predicat.review.changes import review
from predicat.review.entries import Entry
from predicat.review.severity import rule_of
from predicat.review.snapshot import of_files

TENANT = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
CATALOG: dict[str, Any] = {
    "apiVersion": "predicat/v1",
    "dataset": "orders",
    "relation": {"postgres": "app.orders"},
    "fields": {"id": "bigint", "tenant_id": "uuid", "owner": "string", "deleted": "boolean"},
    "attributes": {
        "tenant": {"type": "uuid", "postgres": "current_setting('app.tenant', true)::uuid"},
        "who": {"type": "string", "postgres": "current_user"},
    },
    "filters": {
        "of_tenant": {"sql": "tenant_id = :tenant", "params": {"tenant": "string"}},
        "mine": {"sql": "owner = :who", "params": {"who": "string"}},
        "mine_of_tenant": {
            "sql": "tenant_id = :tenant AND owner = :who",
            "params": {"tenant": "string", "who": "string"},
        },
        "kept": {"sql": "NOT deleted"},
        "everything": {"sql": "id IS NULL OR id IS NOT NULL"},
    },
    "policies": {
        "reads": {"command": "select", "roles": ["reader"], "using": "of_tenant"},
        "kept_only": {"command": "select", "roles": ["reader"], "permissive": False, "using": "kept"},
        "writes": {"roles": ["writer"], "using": "mine_of_tenant"},
        "deletes": {"command": "delete", "roles": ["reader"], "using": "mine"},
    },
}


def entries(folder: Path, after: Mapping[str, Any], before: Mapping[str, Any] = CATALOG) -> list[Entry]:
    sides = []
    for text in (before, after):
        (folder / "orders.yml").write_text(yaml.safe_dump(text, sort_keys=False))
        sides.append(of_files(read_definitions(folder), str))
    return list(review(*sides, effort=0.5).entries)


def with_policies(**changes: Any) -> dict[str, Any]:
    """The catalog with other policies; None takes one away, a mapping changes some of its keys."""
    policies = dict(CATALOG["policies"])
    for name, change in changes.items():
        if change is None:
            del policies[name]
        else:
            policies[name] = {**policies.get(name, {}), **change}
    return {**CATALOG, "policies": policies}


def with_filter(name: str, sql: str) -> dict[str, Any]:
    filters = CATALOG["filters"]
    return {**CATALOG, "filters": {**filters, name: {**filters[name], "sql": sql}}}


OPENS, LOSES, SAME = ("wider", "policy-opens"), ("never", "rows-lost"), ("equivalent", "rows-same")
EVERYTHING = "sees, may insert, may update, may update to, may delete"
# The change; the roles and their rows, what happens to these, and the rule.
CHANGES: dict[str, tuple[dict[str, Any], dict[tuple[str, str], tuple[str, str]]]] = {
    "a filter": (
        with_filter("of_tenant", "tenant_id = :tenant OR tenant_id IS NULL"),
        {("orders.reader", "sees"): OPENS, ("orders.reader", "may delete"): OPENS},
    ),
    "another filter": (
        with_policies(writes={"using": "of_tenant"}),
        {("orders.writer", EVERYTHING): OPENS},
    ),
    "a check": (
        with_policies(writes={"check": "mine"}),
        {("orders.writer", "may insert, may update to without a WHERE"): OPENS},
    ),
    "a check of any row": (
        with_policies(writes={"check": "everything"}),
        {("orders.writer", "may insert, may update to without a WHERE"): ("always", "policy-opens")},
    ),
    "a role": (
        with_policies(writes={"roles": ["writer", "reader"]}),
        {
            ("orders.reader", "sees, may delete"): SAME,
            ("orders.reader", "may insert"): OPENS,
            ("orders.reader", "may update, may update to"): OPENS,
        },
    ),
    # Somebody with both roles may now update deleted rows of his own.
    "a restrictive policy": (
        with_policies(kept_only=None),
        {
            ("orders.reader", "sees"): OPENS,
            ("orders.reader", "may delete"): OPENS,
            ("orders.reader+writer", "may update, may update to"): OPENS,
        },
    ),
    "a new restrictive policy": (
        with_policies(more={"permissive": False, "using": "kept"}),
        {("orders.writer", EVERYTHING): ("narrower", "rows-lost")},
    ),
    "permissive": (
        with_policies(kept_only={"permissive": True}),
        {
            ("orders.reader", "sees"): OPENS,
            ("orders.reader", "may delete"): OPENS,
            ("orders.reader+writer", "may update, may update to"): OPENS,
        },
    ),
    "a policy": (with_policies(writes=None), {("orders.writer", EVERYTHING): LOSES}),
    "the same in other words": (
        with_filter("kept", "deleted = FALSE"),
        {("orders.reader", "sees, may delete"): SAME},
    ),
    "all policies": (
        {key: value for key, value in CATALOG.items() if key != "policies"},
        {
            ("orders.public", EVERYTHING): ("always", "policy-opens"),
            ("orders.writer", EVERYTHING): ("always", "policy-opens"),
            ("orders.reader", "sees"): ("always", "policy-opens"),
            ("orders.reader", "may delete"): ("always", "policy-opens"),
        },
    ),
    "nothing": (with_policies(reads={"description": "Of a tenant."}), {}),
    "an attribute that is missing": (
        with_filter("of_tenant", "tenant_id = :tenant OR :tenant IS NULL"),
        {("orders.reader", "sees"): OPENS, ("orders.reader", "may delete"): OPENS},
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_entries_of_a_change(tmp_path: Path, name: str) -> None:
    after, expected = CHANGES[name]
    found = {
        (entry.name, entry.part.removeprefix("rows that it ")): (
            entry.proof.verdict.kind,
            rule_of(entry).code,
        )
        for entry in entries(tmp_path, after)
        if entry.kind == "permission" and entry.proof is not None
    }
    assert found == expected


def test_the_first_policies_of_a_table_take_rows_away(tmp_path: Path) -> None:
    before = {key: value for key, value in CATALOG.items() if key != "policies"}
    found = {entry.name: rule_of(entry).code for entry in entries(tmp_path, CATALOG, before)}
    roles = {name: code for name, code in found.items() if name in ("orders.public", "orders.reader")}
    assert roles == {"orders.public": "rows-lost", "orders.reader": "rows-lost"}


def test_a_filter_that_is_renamed_has_the_same_rows(tmp_path: Path) -> None:
    filters = {
        ("of_customer" if name == "of_tenant" else name): row for name, row in CATALOG["filters"].items()
    }
    after = {**with_policies(reads={"using": "of_customer"}), "filters": filters}
    found = {entry.kind for entry in entries(tmp_path, after)}
    assert "filter-renamed" in found and not found & {"permission", "not-compared"}


def test_a_row_of_a_change_has_the_attributes_of_the_session(tmp_path: Path) -> None:
    (entry, *_) = [one for one in entries(tmp_path, CHANGES["another filter"][0]) if one.kind == "permission"]
    assert entry.proof is not None and entry.proof.verdict.gained is not None
    witness = entry.proof.verdict.gained
    assert set(witness.params) == {"tenant", "who"} and witness.row["tenant_id"] == witness.params["tenant"]
    assert " with {tenant: " in entry.proof.rows()[0][1]


def test_a_policy_with_a_filter_that_has_problems_is_not_compared(tmp_path: Path) -> None:
    found = entries(tmp_path, with_filter("of_tenant", "tenant_id = :tenant AND unknown_field"))
    assert [one.name for one in found if one.kind == "not-compared" and "reads" in one.notes[0]] == ["orders"]


def test_the_page_about_policies(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "policies.md").read_text()
    first, more, *_ = (yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL))
    before = {**first, "policies": {**first["policies"], **more["policies"]}}
    (tmp_path / "orders.yml").write_text(yaml.safe_dump(before, sort_keys=False))
    assert checked(load_catalog(tmp_path)) == 3
    after = {**before, "filters": {**before["filters"], "of_tenant": {"sql": "tenant_id IS NOT NULL"}}}
    found = [one for one in entries(tmp_path, after, before) if one.kind == "permission"]
    shown = page.split("```text\n")[1].split("```")[0]
    assert f"role orders.app: {', '.join(one.title for one in found)}  (" in shown
    assert all(f"  {line}\n" in shown for one in found for line in one.lines())
