"""Row policies of a catalog in PostgreSQL: who sees which rows, and what a plan changes."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psycopg
import pytest

import predicat
from predicat.deploy import approval, deployment, describe, starter
from predicat.deploy.plan import Rules
from predicat.deploy.sessions import Limits
from predicat.deploy.suspend import Suspension
from predicat.diagnostics import PredicatError
from tests.conftest import ROOT
from tests.deploy.test_suspend import dumped
from tests.deploy.test_views import Apply, apply, catalog, db, names

__all__ = ["apply", "db"]
A, B = "6f0e1111-1111-1111-1111-111111111111", "6f0e2222-2222-2222-2222-222222222222"
HEAD = """\
apiVersion: predicat/v1
dataset: orders
relation: {postgres: shop.orders}
fields: {id: bigint, tenant_id: uuid, owner: string, deleted: boolean}
attributes:
  tenant: {type: uuid, postgres: "current_setting('app.tenant')::uuid"}
  user: {type: string, postgres: current_user}
filters:
  of_tenant: {sql: "tenant_id = :tenant", params: {tenant: string}}
  mine: {sql: "owner = :user", params: {user: string}}
  kept: {sql: NOT deleted}
"""
TEXT = f"""{HEAD}\
policies:
  tenant_rows: {{description: Own rows, roles: [reader, analyst], using: of_tenant}}
  kept_rows: {{command: select, permissive: false, using: kept}}
  own_inserts: {{command: insert, permissive: false, roles: analyst, check: mine}}
"""
ORDERS = f"""
CREATE TABLE shop.orders (id bigint, tenant_id uuid, owner text, deleted boolean);
INSERT INTO shop.orders VALUES (1, '{A}', 'reader', false), (2, '{A}', 'analyst', true),
  (3, '{B}', 'reader', false), (4, NULL, 'reader', false);
GRANT SELECT, INSERT, UPDATE, DELETE ON shop.orders TO reader, analyst
"""
THERE = """
SELECT policyname || ' ' || permissive || ' ' || cmd || ' ' || roles::text FROM pg_policies
WHERE schemaname = 'shop' ORDER BY 1
"""
SECURITY = "SELECT relrowsecurity, relforcerowsecurity FROM pg_class WHERE oid = 'shop.orders'::regclass"


@pytest.fixture
def orders(db: Any) -> Any:
    db.execute(ORDERS)
    return db


def steps(db: Any, folder: Path, text: str, **rules: bool) -> list[str]:
    plan = deployment.plan(catalog(folder, text), db, "shop", rules=Rules(**rules))
    return [f"{step.action} {step.shown.removesuffix(' on shop.orders')}" for step in plan.policies.steps]


def seen(db: Any, role: str, query: str = "SELECT id FROM shop.orders ORDER BY 1", **session: str) -> Any:
    """What a role sees in a session with these settings."""
    with db.transaction(force_rollback=True):
        for key, value in session.items():
            db.execute("SELECT set_config(%s, %s, true)", (f"app.{key}", value))
        db.execute(f"SET LOCAL ROLE {role}")
        return [row[0] for row in db.execute(query).fetchall()]


def test_policies_let_rows_through(orders: Any, apply: Apply, tmp_path: Path) -> None:
    apply(TEXT)
    assert names(orders, THERE) == [
        "kept_rows RESTRICTIVE SELECT {public}",
        "own_inserts RESTRICTIVE INSERT {analyst}",
        "tenant_rows PERMISSIVE ALL {analyst,reader}",
    ]
    assert orders.execute(SECURITY).fetchone() == (True, True)
    assert seen(orders, "reader", tenant=A) == [1]
    assert seen(orders, "reader", tenant=B) == [3]
    assert [seen(orders, "reader", tenant=wrong) for wrong in ("", "no uuid", f"{A}x", "{}")] == [[]] * 4
    assert seen(orders, "reader") == []
    added = f"INSERT INTO shop.orders VALUES (5, '{A}', '{{}}', false) RETURNING id"
    assert seen(orders, "analyst", added.format("analyst"), tenant=A) == [5]
    for role, owner, tenant in (("analyst", "reader", A), ("reader", "reader", B)):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            seen(orders, role, added.format(owner), tenant=tenant)
    assert steps(orders, tmp_path, TEXT) == [] and apply(TEXT) == []


def test_an_attribute_is_read_once_and_an_index_serves(orders: Any, apply: Apply) -> None:
    apply(TEXT)
    orders.execute(
        "INSERT INTO shop.orders SELECT i, md5(i::text)::uuid, 'x', false FROM generate_series(1, 3000) i;"
        "CREATE INDEX by_tenant ON shop.orders (tenant_id); ANALYZE shop.orders"
    )
    plan = "\n".join(seen(orders, "reader", "EXPLAIN (COSTS OFF) SELECT * FROM shop.orders", tenant=A))
    assert "by_tenant" in plan and "InitPlan" in plan and "Seq Scan" not in plan, plan


VALUES: Mapping[str, tuple[str, str, str, Mapping[str, Any]]] = {
    "bigint": (
        "bigint",
        "current_setting('app.v')::bigint",
        "id = :v",
        {"1": 1, "-7": -7, "9223372036854775808": None, "1.5": None, "x": None, "": None, "-": None},
    ),
    "int": ("int", "current_setting('app.v')", "id = :v", {"2147483647": 2147483647, "2147483648": None}),
    "smallint": ("smallint", "current_setting('app.v')", "id = :v", {"32767": 32767, "99999": None}),
    "decimal": (
        "decimal(4,2)",
        "current_setting('app.v')::numeric(4,2)",
        "id = :v",
        {"1.25": 1.25, "-99.99": -99.99, "100": None, "1.255": None, "NaN": None},
    ),
    "fraction": ("decimal(2,2)", "current_setting('app.v')", "id = :v", {"0.25": 0.25, "1": None}),
    "boolean": ("boolean", "current_setting('app.v')", ":v", {"on": True, "0": False, "maybe": None}),
    "uuid": ("uuid", "current_setting('app.v', true)", "id = :v", {A.upper(): A, "{" + A + "}": None}),
    "string": ("string", "NULLIF(current_setting('app.v'), '')", "id = :v", {"a'b": "a'b", "": None}),
    "claims": (
        "bigint",
        "(current_setting('app.v', true)::jsonb ->> 'team')::bigint",
        "id = :v",
        {'{"team": 7}': 7, '{"team": "8"}': 8, '{"team": {}}': None, '{"team": 7': None, "[]": None},
    ),
    "nested": (
        "string",
        "current_setting('app.v')::json -> 'meta' ->> 'sub'",
        "id = :v",
        {'{"meta": {"sub": "x"}}': "x", '{"meta": 1}': None, "null": None, "nul": None},
    ),
    "role": ("boolean", "pg_has_role('nobody_at_all', 'member')", ":v", {"": None}),
    "member": ("boolean", "pg_has_role(current_user, 'pg_monitor', 'usage')", ":v", {"": True}),
}


@pytest.mark.parametrize("case", VALUES)
@pytest.mark.parametrize("newer", [True, False])
def test_no_value_of_a_session_raises_an_error(postgres: Any, case: str, newer: bool) -> None:
    from predicat.backends.sql.postgres import session
    from predicat.catalog.policies import Attribute
    from predicat.ir.widths import field_type

    kind, text, _, expected = VALUES[case]
    if newer and postgres.info.server_version < 160_000:
        pytest.skip("a server before PostgreSQL 16")
    core, stored = field_type(kind)
    sql = session.read(text, Attribute("v", core, text, stored=stored).decl, checks_json=newer).sql(
        "postgres"
    )
    assert postgres.execute(f"SELECT {sql}").fetchone()[0] in (None, *expected.values())
    for value, outcome in expected.items():
        with postgres.transaction(force_rollback=True):
            postgres.execute("SELECT set_config('app.v', %s, true)", (value,))
            found = postgres.execute(f"SELECT {sql}").fetchone()[0]
        assert (found if outcome is None else type(outcome)(found)) == outcome, (value, sql)


CHANGES = {
    "condition": ("using: kept", "using: mine", ["replace policy kept_rows"]),
    "roles": ("roles: analyst", "roles: [analyst, reader]", ["replace policy own_inserts"]),
    "command": ("command: insert", "command: update", ["recreate policy own_inserts"]),
    "kind": ("permissive: false, using", "using", ["recreate policy kept_rows"]),
    "fewer": ("using: of_tenant", "check: of_tenant, command: insert", ["recreate policy tenant_rows"]),
    "more": ("using: of_tenant", "using: of_tenant, check: mine", ["replace policy tenant_rows"]),
    "description": ("Own rows", "Their rows", ["comment policy tenant_rows"]),
    "gone": (
        "  kept_rows: {command: select, permissive: false, using: kept}\n",
        "",
        ["drop policy kept_rows"],
    ),
    "all": (
        TEXT[len(HEAD) :],
        "",
        [
            *(f"drop policy {name}" for name in ("kept_rows", "own_inserts", "tenant_rows")),
            "no force row-level security of shop.orders",
            "disable row-level security of shop.orders",
        ],
    ),
}


FIRST = ("condition", "all")
MODES = "SELECT mode FROM pg_locks WHERE relation = 'shop.orders'::regclass AND pid = pg_backend_pid()"


def locked(db: Any, statements: list[str]) -> str:
    """The strongest lock that statements take on the table."""
    with db.transaction(force_rollback=True):
        db.execute("; ".join(statements))
        modes = names(db, MODES)
    return "ACCESS EXCLUSIVE" if "AccessExclusiveLock" in modes else "SHARE UPDATE EXCLUSIVE"


@pytest.mark.parametrize(
    "change", [pytest.param(name, marks=() if name in FIRST else pytest.mark.slow) for name in CHANGES]
)
def test_a_change_is_made_and_undone(orders: Any, apply: Apply, tmp_path: Path, change: str) -> None:
    old, new, expected = CHANGES[change]
    apply(TEXT)
    before = sorted(dumped(orders))
    text = TEXT.replace(old, new)
    assert text != TEXT
    plan = deployment.plan(catalog(tmp_path, text), orders, "shop")
    document = approval.document(orders, plan, {})
    assert steps(orders, tmp_path, text) == expected
    for row in document["policies"]:
        assert locked(orders, row["sql"]) == row["lock"].removesuffix(" on its table"), row
    deployment.execute(orders, "shop", plan)
    assert sorted(dumped(orders)) != before and steps(orders, tmp_path, text) == []
    with orders.transaction():
        orders.execute("; ".join(document["undo"]))
    assert sorted(dumped(orders)) == before and steps(orders, tmp_path, TEXT) == []


@pytest.mark.slow
def test_the_undo_of_the_first_policies(orders: Any, apply: Apply, tmp_path: Path) -> None:
    apply(HEAD)
    before = sorted(dumped(orders))
    plan = deployment.plan(catalog(tmp_path, TEXT), orders, "shop")
    document = approval.document(orders, plan, {})
    assert [row["action"] for row in document["policies"]] == ["create"] * 3 + ["enable", "force"]
    orders.execute("\n".join(deployment.script(orders, plan, Limits())))
    assert steps(orders, tmp_path, TEXT) == []
    with orders.transaction():
        orders.execute("; ".join(document["undo"]))
    assert sorted(dumped(orders)) == before


@pytest.mark.slow
def test_changes_by_hand_are_told(orders: Any, apply: Apply, tmp_path: Path) -> None:
    apply(TEXT)
    for changed, name in (
        ("ALTER POLICY kept_rows ON shop.orders USING (true)", "kept_rows"),
        ("ALTER POLICY tenant_rows ON shop.orders TO PUBLIC", "tenant_rows"),
        ("ALTER TABLE shop.orders DISABLE ROW LEVEL SECURITY", "row-level security of shop.orders"),
        ("ALTER TABLE shop.orders NO FORCE ROW LEVEL SECURITY", "row-level security of shop.orders"),
    ):
        orders.execute(changed)
        other = TEXT.replace("using: kept", "using: mine").replace("using: of", "check: mine, using: of")
        for text in (TEXT, other):
            with pytest.raises(PredicatError, match=f"{name}.* was changed by hand"):
                steps(orders, tmp_path, text)
        apply(TEXT, force=True)
        assert steps(orders, tmp_path, TEXT) == []
    orders.execute("ALTER POLICY kept_rows ON shop.orders USING (true)")
    with pytest.raises(PredicatError, match=r"kept_rows.* was changed by hand"):
        steps(orders, tmp_path, HEAD)


def test_policies_of_others_stay(orders: Any, apply: Apply, tmp_path: Path) -> None:
    orders.execute("CREATE POLICY kept_rows ON shop.orders USING (true)")
    with pytest.raises(PredicatError, match="was not created by predicat for this catalog"):
        apply(TEXT)
    assert names(orders, THERE) == ["kept_rows PERMISSIVE ALL {public}"]
    assert "recreate policy kept_rows" in steps(orders, tmp_path, TEXT, adopt=True)
    apply(TEXT, adopt=True)
    orders.execute("CREATE POLICY theirs ON shop.orders FOR SELECT USING (id = 4)")
    plan = deployment.plan(catalog(tmp_path, TEXT), orders, "shop")
    assert list(plan.policies.lines()) == [
        "note: the policy theirs on shop.orders is not of this catalog, and lets rows through as well"
    ]
    apply(HEAD)
    assert names(orders, THERE) == ["theirs PERMISSIVE SELECT {public}"]
    assert orders.execute(SECURITY).fetchone() == (True, True)


@pytest.mark.slow
def test_security_that_was_on_stays_on(orders: Any, apply: Apply) -> None:
    orders.execute("ALTER TABLE shop.orders ENABLE ROW LEVEL SECURITY")
    apply(TEXT)
    apply(HEAD)
    assert orders.execute(SECURITY).fetchone() == (True, False) and names(orders, THERE) == []


@pytest.mark.slow
def test_a_server_that_refuses_a_policy_is_told_before_any_change(
    orders: Any, apply: Apply, tmp_path: Path
) -> None:
    for old, new, message in (
        ("roles: analyst", "roles: nobody_here", "policy own_inserts on shop.orders.*nobody_here"),
        ("current_user}", "app.nothing()}", "policy own_inserts on shop.orders.*app"),
        ("check: mine", "check: mine, table: shop.orders__kept", "which is no table"),
    ):
        orders.execute("CREATE OR REPLACE VIEW shop.orders__kept AS SELECT * FROM shop.orders")
        with pytest.raises(PredicatError, match=message):
            steps(orders, tmp_path, TEXT.replace(old, new))
        orders.execute("DROP VIEW shop.orders__kept")
    assert names(orders, THERE) == []


@pytest.mark.slow
def test_another_session_that_changes_policies_is_told(orders: Any, apply: Apply, tmp_path: Path) -> None:
    plan = deployment.plan(catalog(tmp_path, TEXT), orders, "shop")
    orders.execute("CREATE POLICY theirs ON shop.orders USING (true)")
    with pytest.raises(PredicatError, match=r"another session changed the policies of shop\.orders"):
        deployment.execute(orders, "shop", plan)
    assert names(orders, THERE) == ["theirs PERMISSIVE ALL {public}"]


@pytest.mark.slow
def test_policies_on_another_table(orders: Any, apply: Apply, tmp_path: Path) -> None:
    orders.execute("CREATE TABLE shop.archive (LIKE shop.orders)")
    text = TEXT.replace("using: of_tenant", "using: of_tenant, table: shop.archive")
    apply(text)
    assert names(orders, "SELECT tablename || ' ' || policyname FROM pg_policies ORDER BY 1") == [
        "archive tenant_rows",
        "orders kept_rows",
        "orders own_inserts",
    ]
    orders.execute("DROP POLICY tenant_rows ON shop.archive")
    orders.execute("ALTER TABLE shop.archive ALTER tenant_id TYPE point USING NULL")
    with pytest.raises(PredicatError, match="tenant_id"):
        steps(orders, tmp_path, text)


@pytest.mark.slow
def test_the_page_says_what_is_made(db: Any, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "policies.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```yaml\n(apiVersion.*?)```", page, re.DOTALL)
    (shown,) = re.findall(r"```sql\n(.*?)```", page, re.DOTALL)
    db.execute("CREATE ROLE app; CREATE ROLE clerk; CREATE SCHEMA app")
    try:
        db.execute("CREATE TABLE app.orders (id bigint, tenant_id uuid, owner text, deleted boolean)")
        plan = deployment.plan(catalog(tmp_path, text), db, "shop")
        made = [f"{statement};" for _, statement in plan.policies.statements()]
        assert set(shown.splitlines()) <= set(made), made
        deployment.execute(db, "shop", plan)
        assert steps(db, tmp_path, text) == []
    finally:
        db.execute("DROP SCHEMA app CASCADE; DROP ROLE app; DROP ROLE clerk")


TYPICAL = f"""
CREATE SCHEMA auth;
CREATE FUNCTION auth.uid() RETURNS uuid LANGUAGE sql STABLE
  RETURN (current_setting('app.claims', true)::jsonb ->> 'sub')::uuid;
CREATE FUNCTION auth.jwt() RETURNS jsonb LANGUAGE sql STABLE
  RETURN current_setting('app.claims', true)::jsonb;
CREATE TABLE shop.docs (id bigint, tenant_id uuid, owner text, user_id uuid, team_id int, published boolean,
  deleted_at timestamptz, org varchar(9));
INSERT INTO shop.docs SELECT i, (ARRAY['{A}', '{B}', NULL])[i % 3 + 1]::uuid,
  (ARRAY['reader', 'analyst', NULL])[i % 2 + 1], (ARRAY['{A}', '{B}', NULL])[i % 3 + 1]::uuid, i % 4,
  (ARRAY[true, false, NULL])[i % 3 + 1], CASE i % 7 WHEN 0 THEN now() END,
  (ARRAY['a', 'b', NULL])[i % 5 % 3 + 1]
  FROM generate_series(1, 200) i;
GRANT SELECT, INSERT, UPDATE ON shop.docs TO reader, analyst;
GRANT USAGE ON SCHEMA auth TO reader, analyst
"""
CONDITIONS = (
    "tenant_id = current_setting('app.tenant', true)::uuid",
    "tenant_id = (SELECT NULLIF(current_setting('app.tenant', true), '')::uuid)",
    "user_id = auth.uid()",
    "(SELECT auth.uid()) = user_id",
    "owner = current_user",
    "published OR user_id = (SELECT auth.uid())",
    "deleted_at IS NULL AND NOT (published IS FALSE)",
    "org = (auth.jwt() ->> 'org')",
    "org = (current_setting('app.claims', true)::jsonb ->> 'org') AND team_id = 2",
    "pg_has_role(current_user, 'reader', 'member') AND id < 100",
    "team_id = ((SELECT auth.jwt()) ->> 'team')::int",
    "true",
)
CLAIMS = f'{{"sub": "{A}", "org": "b", "team": 3}}'
# Without the settings, some of the conditions raise an error.
SESSIONS = ({"tenant": A, "claims": CLAIMS}, {"tenant": B, "claims": CLAIMS.replace(A, B)})


def shown(db: Any) -> list[Any]:
    """What two roles see of the table of typical policies, in some sessions."""
    query = "SELECT id FROM shop.docs ORDER BY 1"
    return [seen(db, role, query, **given) for role in ("reader", "analyst") for given in SESSIONS]


@pytest.mark.slow
def test_policies_that_are_there_are_read(db: Any, apply: Apply, tmp_path: Path) -> None:
    """Each condition becomes a filter, and its policy shows the same rows."""
    db.execute(TYPICAL)
    db.execute("ALTER TABLE shop.docs ENABLE ROW LEVEL SECURITY")
    try:
        for number, condition in enumerate(CONDITIONS):
            db.execute(f"CREATE POLICY p{number} ON shop.docs TO reader, analyst USING ({condition})")
        db.execute("CREATE POLICY q ON shop.docs AS RESTRICTIVE USING (id IN (SELECT age FROM shop.people))")
        described = describe.from_postgres(db, "shop.docs")
        assert described.policies is not None
        assert described.policies.left == {"q": "a subquery is not supported in a filter"}
        assert set(described.policies.policies) == {f"p{number}" for number in range(len(CONDITIONS))}
        text = starter.dataset_text("docs", described)
        db.execute("DROP POLICY q ON shop.docs")
        before = one_by_one(db)
        apply(text, adopt=True)
        assert one_by_one(db) == before and all(map(any, before))
        assert steps(db, tmp_path, text) == []
    finally:
        db.execute("DROP SCHEMA auth CASCADE")


def one_by_one(db: Any) -> list[list[Any]]:
    """The rows that each of the typical policies shows alone."""
    result = []
    for number in range(len(CONDITIONS)):
        others = [f"p{other}" for other in range(len(CONDITIONS)) if other != number]
        with db.transaction(force_rollback=True):
            db.execute("; ".join(f"DROP POLICY {name} ON shop.docs" for name in others))
            result.append(shown(db))
    return result


@pytest.mark.slow
def test_policies_come_back_after_a_column_changed(orders: Any, apply: Apply, tmp_path: Path) -> None:
    """PostgreSQL alters no column that a policy reads."""
    apply(TEXT)
    orders.execute(
        "CREATE POLICY theirs ON shop.orders FOR DELETE TO analyst USING (id > 2 AND owner <> 'x')"
    )
    orders.execute("COMMENT ON POLICY theirs ON shop.orders IS 'mine'")
    before = sorted(dumped(orders))
    sql = "ALTER TABLE shop.orders ALTER id TYPE int, ALTER owner TYPE varchar(20)"
    altered = Suspension(catalog(tmp_path, TEXT), orders, "shop", "shop.orders", sql, "alter.sql")
    altered.run(dry=True)
    assert sorted(dumped(orders)) == before
    altered.run()
    changed = {line for line in sorted(dumped(orders)) if line not in before and "[predicat" not in line}
    assert all("owner" in line or "id integer" in line for line in changed), changed
    assert len(names(orders, THERE)) == 4 and "COMMENT ON POLICY theirs" in "\n".join(dumped(orders))
    assert steps(orders, tmp_path, TEXT) == []
    apply(HEAD)
    assert names(orders, THERE) == ["theirs PERMISSIVE DELETE {analyst}"]
    orders.execute("DROP POLICY theirs ON shop.orders")
    apply(TEXT)
    apply(HEAD)
    assert orders.execute(SECURITY).fetchone() == (True, True)


def test_a_member_of_an_array_in_a_where(postgres: Any) -> None:
    """The shorter test has the rows of the evaluator, for arrays that are empty, and values that are NULL."""
    fields = {"x": "bigint", "xs": "array<bigint>", "n": "int"}
    found = predicat.parse("array_contains(xs, x) OR n = 1", "sql", fields)
    arrays: list[list[int | None] | None] = [None, [], [None], [1], [2, None], [1, 2]]
    rows = [{"x": x, "xs": xs, "n": n} for x in (None, 1, 2, 3) for xs in arrays for n in (None, 1)]
    condition, values = found.condition("postgres")
    assert "CASE" not in condition and values == [1]
    source = "(VALUES (%(x)s::bigint, %(xs)s::bigint[], %(n)s::int)) t (x, xs, n)"
    query = f"SELECT FROM {source} WHERE {condition.replace('$1', '1')}"
    for row in rows:
        assert len(postgres.execute(query, row).fetchall()) == (found.evaluate(row) is True), row


MEMBERS = """
CREATE FUNCTION shop.team_ids() RETURNS bigint[] LANGUAGE sql STABLE RETURN ARRAY[2, 7]::bigint[];
CREATE TABLE shop.tasks AS SELECT i AS id, i % 1000 AS team_id FROM generate_series(1, 20000) i;
CREATE INDEX by_team ON shop.tasks (team_id); ANALYZE shop.tasks; GRANT SELECT ON shop.tasks TO reader;
CREATE POLICY one ON shop.tasks USING (team_id = ANY (shop.team_ids()));
CREATE POLICY two ON shop.tasks USING (team_id = ANY ((SELECT shop.team_ids())::bigint[]))
"""


@pytest.mark.slow
def test_an_index_serves_the_members_of_an_array(db: Any, apply: Apply, tmp_path: Path) -> None:
    db.execute(MEMBERS)
    described = describe.from_postgres(db, "shop.tasks")
    assert described.policies is not None and described.policies.left == {}
    assert list(described.policies.filters) == ["one"] and list(described.policies.attributes) == ["team_ids"]
    apply(starter.dataset_text("tasks", described), adopt=True)
    assert len(seen(db, "reader", "SELECT id FROM shop.tasks")) == 40
    plan = "\n".join(seen(db, "reader", "EXPLAIN (COSTS OFF) SELECT * FROM shop.tasks"))
    assert "by_team" in plan and "Seq Scan" not in plan, plan
