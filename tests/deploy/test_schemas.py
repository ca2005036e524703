"""`predicat init` on tables as public programs have them: 20 schemas, written down of their documents."""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import predicat
from predicat.deploy import describe, relations
from predicat.deploy.columns import check_fields
from predicat.deploy.starter import dataset_name, dataset_text

SCHEMAS = sorted((Path(__file__).parent / "schemas").glob("*.sql"))
COLUMNS = 1285
READ_BY_EXPRESSION = 25  # at most: fewer with each type that fields have


@pytest.fixture
def tables(postgres: Any) -> Iterator[list[str]]:
    """The tables of every schema, each in a schema of its name."""
    postgres.execute("CREATE EXTENSION IF NOT EXISTS citext; CREATE EXTENSION IF NOT EXISTS hstore")
    for file in SCHEMAS:
        postgres.execute(f"CREATE SCHEMA of_{file.stem}; SET search_path = of_{file.stem}, public")
        postgres.execute(file.read_text(encoding="utf-8"))
    postgres.execute("RESET search_path")
    yield [name for name in relations.tables(postgres) if name.startswith("of_")]
    for file in SCHEMAS:
        postgres.execute(f"DROP SCHEMA of_{file.stem} CASCADE")


def test_init_takes_the_columns_of_real_tables(postgres: Any, tables: list[str], tmp_path: Path) -> None:
    total, left_out, read, names = 0, list[str](), Counter[str](), set[str]()
    for table in tables:
        found = describe.from_postgres(postgres, table)
        total += len(found.columns)
        left_out += [f"{table}.{one.name} {one.physical}" for one in found.columns if one.type is None]
        read.update(one.physical for one in found.columns if one.expression)
        name = f"{table.partition('.')[0].removeprefix('of_')}_{dataset_name(found)}"
        names.add(name)
        text = dataset_text(name, found)
        assert "view" not in text.partition("fields:")[0]
        (tmp_path / f"{name}.yml").write_text(text, encoding="utf-8")
        decls = describe.decls_of(found)
        kinds, composites = relations.columns_of(postgres, table, decls.values())
        check_fields("postgres", table, kinds, decls.values(), composites)
    catalog = predicat.load_catalog(tmp_path)
    assert set(catalog.datasets) == names and all(row.filters for row in catalog.datasets.values())
    told = f"{len(tables)} tables, {total} columns: {len(left_out)} left out, {read.total()} by expression"
    sys.stdout.write(f"{told}: {dict(read)}\n")
    assert (len(SCHEMAS), len(left_out)) == (20, 0), left_out
    assert total == COLUMNS and read.total() <= READ_BY_EXPRESSION
