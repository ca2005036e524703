"""The conditions of a real PostgreSQL server."""

from collections.abc import Iterator
from typing import Any

import pytest

from predicat.discover.conditions import Condition
from predicat.discover.read.postgres import conditions


@pytest.fixture
def dsn(postgres: Any) -> Iterator[str]:
    postgres.execute(
        """
        CREATE SCHEMA rules;
        CREATE TABLE rules.orders (id int, status varchar(9), amount numeric(9, 2), CHECK (amount >= 0));
        CREATE VIEW rules.open AS SELECT o.id FROM rules.orders o WHERE o.status = 'open' AND o.amount > 3;
        CREATE VIEW rules.applied AS SELECT o.id FROM rules.orders o WHERE o.status = 'paid';
        COMMENT ON VIEW rules.applied IS 'predicat: A.
[predicat/1 catalog=c dataset=orders filter=paid hash=0]';
        CREATE POLICY own ON rules.orders USING (status <> 'secret');
        """
    )
    info = postgres.info
    yield f"host={info.host} port={info.port} dbname={info.dbname} user={info.user}"
    postgres.execute("DROP SCHEMA rules CASCADE")


def test_views_checks_and_policies(dsn: str) -> None:
    rows = [row for row in conditions(dsn) if isinstance(row, Condition) and "rules" in str(row.relation)]
    assert [(row.place.path, row.clause, row.relation) for row in rows] == [
        ("postgresql:rules.open", "where", "rules.orders"),
        ("postgresql:rules.orders.orders_amount_check", "check", "rules.orders"),
        ("postgresql:rules.orders.own", "policy", "rules.orders"),
    ]
    assert rows[0].fields == {"id": "bigint", "status": "string", "amount": "decimal(9,2)"}
    assert "status" in rows[0].sql and "'open'" in rows[0].sql
