"""Columns of PostgreSQL with types of their own: labels are compared, views use them as they are."""

from pathlib import Path
from typing import Any

import pytest
import yaml

import predicat
from predicat.deploy import deployment
from predicat.deploy.relations import check_relations
from predicat.deploy.views import views_of
from predicat.diagnostics import PredicatError
from tests.engines.predicates import TEXTS
from tests.engines.test_column_forms import OF_FORM
from tests.rounds import rounds

TABLE = """
CREATE SCHEMA typed; CREATE TYPE typed.state AS ENUM ('new', 'it''s paid');
CREATE TABLE typed.orders (id uuid, state typed.state, doc text);
INSERT INTO typed.orders VALUES ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'new', ''), (NULL, 'it''s paid', '')
"""
CATALOG = """
apiVersion: predicat/v1
dataset: orders
relation: {{postgres: typed.orders}}
fields:
  id: {id}
  state: {state}
filters:
  one: {{sql: "id = '{{A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11}}' AND state IN ('new')"}}
"""


def catalog(folder: Path, **types: str) -> predicat.Catalog:
    text = CATALOG.format(**{"id": "uuid", "state": "\"enum(new, 'it''s paid')\"", **types})
    (folder / "orders.yml").write_text(text, encoding="utf-8")
    return predicat.load_catalog(folder)


@pytest.fixture
def orders(postgres: Any) -> Any:
    postgres.execute(TABLE)
    yield postgres
    postgres.execute("DROP SCHEMA typed CASCADE")


def test_columns_of_their_types_are_read_as_they_are(orders: Any, tmp_path: Path) -> None:
    found = catalog(tmp_path)
    (view,) = views_of(found, "typed", check_relations(found, orders))
    assert "id = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11' AND state IN ('new')" in " ".join(view.query.split())
    assert len(orders.execute(view.query).fetchall()) == 1


@pytest.mark.parametrize(
    ("types", "told"),
    [
        ({"state": "enum(new, paid)"}, "its labels are not those of enum(new, paid)"),
        ({"state": "enum(new, paid)"}, "declare the field as enum(new, 'it''s paid')"),
        ({"id": "string"}, "declare the field as uuid"),
    ],
)
def test_other_types_and_labels_are_refused(
    orders: Any, tmp_path: Path, types: dict[str, str], told: str
) -> None:
    found = catalog(tmp_path, **types)
    with pytest.raises(PredicatError) as caught:
        check_relations(found, orders)
    assert told in str(caught.value)


def test_views_of_every_type_have_the_rows_of_the_evaluator(orders: Any, tmp_path: Path) -> None:
    """`apply` creates views with pg_catalog only. Operators of a type may be in another schema, and without
    them PostgreSQL may compare texts.
    """
    types = {f"c{number}": kind for number, kind in enumerate(OF_FORM)}
    orders.execute("CREATE EXTENSION IF NOT EXISTS citext")
    orders.execute(f"CREATE TYPE typed.label AS ENUM ({', '.join(map(quoted, TEXTS))})")
    held = {"enum": "typed.label", "binary": "bytea"}
    columns = [f"{name} {held.get(kind.partition('(')[0], kind)}" for name, kind in types.items()]
    orders.execute(f"CREATE TABLE typed.forms ({', '.join(columns)})")
    for name, kind in types.items():
        for value in OF_FORM[kind]:
            orders.execute(f"INSERT INTO typed.forms ({name}) VALUES (%s)", (value,))
    constants = {name: "a" if kind == "citext" else OF_FORM[kind][-1] for name, kind in types.items()}
    filters = {name: {"sql": f"{name} = {quoted(constant)}"} for name, constant in constants.items()}
    data = {"apiVersion": "predicat/v1", "dataset": "forms", "relation": {"postgres": "typed.forms"}}
    text = yaml.safe_dump({**data, "fields": types, "filters": filters}, allow_unicode=True)
    (tmp_path / "forms.yml").write_text(text, encoding="utf-8")
    found = predicat.load_catalog(tmp_path)
    deployment.apply(found, orders, "typed")
    for name, kind in rounds(types.items(), 9):
        predicate = found.datasets["forms"].filters[name].current.predicate
        wanted = [value for value in OF_FORM[kind] if predicate.evaluate({name: value}) is True]
        (count,) = orders.execute(f"SELECT count(*) FROM typed.forms__{name}").fetchone()
        assert count == len(wanted) > 0, (kind, constants[name], wanted)


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
