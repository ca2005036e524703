"""The functions for Unity Catalog run as SQL functions of Spark 4, with the rows of the evaluator."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import predicat
from predicat.diagnostics import Unsupported
from predicat.exporting.asked import Row
from predicat.exporting.databricks import Function, function_of
from predicat.exporting.visible import of_datasets
from predicat.ir.nodes import Field, FieldDecl
from predicat.policies.access import SEEN, permitted
from predicat.policies.bind import rules_of
from predicat.semantics.evaluate import compile_node
from predicat_spark.rows import frame_of
from tests.engines.test_corpus import ENTRIES, cases_of
from tests.exporting.policy_catalog import ROWS, SETS, catalog
from tests.exporting.written import asked
from tests.rounds import rounds

ROOT = Path(__file__).parent.parent.parent


def outcomes(
    spark: Any, fields: Sequence[FieldDecl], rows: Sequence[Mapping[str, Any]], functions: Sequence[Function]
) -> list[list[Any]]:
    """What each function gives for each row. They are temporary: Spark without a catalog keeps no others."""
    for function in functions:
        spark.sql(function.sql.replace("FUNCTION", "TEMPORARY FUNCTION", 1).rstrip(";\n"))
    calls = [f"{one.name}({one.arguments}) AS c{place}" for place, one in enumerate(functions)]
    found = frame_of(fields, rows, spark).selectExpr("__id", *calls).collect()
    for function in functions:
        spark.sql(f"DROP TEMPORARY FUNCTION {function.name}")
    answers = [tuple(row)[1:] for row in sorted(found, key=lambda row: row[0])]
    return [list(column) for column in zip(*answers, strict=True)]


@pytest.mark.slow
def test_every_filter_of_the_catalog_has_the_rows_of_the_evaluator(spark: Any) -> None:
    """Each filter of a dataset on the rows of all its tests. UNKNOWN is FALSE."""
    catalog = predicat.load_catalog(ROOT / "catalog")
    compared = 0
    for dataset in catalog.datasets.values():
        of = asked(catalog, *(one.qualified for one in dataset.filters.values()))
        given = [test.row for one in dataset.filters.values() for test in one.tests]
        rows = [
            {name: compile_node(Field(decl.type, decl))(row) for name, decl in dataset.fields.items()}
            for row in given
        ]
        wanted = [[row.predicate.evaluate(one) is True for one in rows] for row in of.rows]
        functions = [function_of(row, "") for row in of.rows]
        assert outcomes(spark, list(dataset.fields.values()), rows, functions) == wanted
        assert not of.reporter.errors
        compared += len(rows) * len(functions)
    assert compared > 5000


@pytest.mark.slow
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["name"])
def test_the_corpus(spark: Any, entry: dict[str, Any]) -> None:
    catalog = predicat.load_catalog(ROOT / "catalog")
    model = catalog.known["flights.late"]
    cases, declared, rows = cases_of(entry)
    functions, wanted, labels = [], [], []
    for place, (label, predicate, expected) in enumerate(cases):
        filter_ = replace(model, name=f"f{place}")
        row = Row(filter_, model.latest, catalog.datasets["flights"], predicate)
        try:
            functions.append(function_of(row, ""))
        except Unsupported:
            continue
        labels.append(label)
        wanted.append([outcome is True for outcome in expected])
    got = outcomes(spark, list(declared.values()), rows, functions)
    assert dict(zip(labels, got, strict=True)) == dict(zip(labels, wanted, strict=True))


@pytest.mark.slow
def test_policies_show_each_role_its_rows(spark: Any, tmp_path: Path) -> None:
    """A SQL function stands for the membership, which only Databricks knows."""
    loaded = catalog(tmp_path)
    user = spark.sql("SELECT current_user()").collect()[0][0]
    settings = {"attribute": ("user=current_user()", "boss=is_member('boss')")}
    (found,) = of_datasets(asked(loaded, **settings))
    fields = list(loaded.datasets["orders"].fields.values())
    rows: list[dict[str, Any]] = [*ROWS, *({**row, "owner": user} for row in ROWS)]
    rules = rules_of(loaded, loaded.datasets["orders"])[""]
    for roles in rounds(SETS, 8):
        listed = ", ".join(f"'{role}'" for role in ["nobody", *roles])
        for name in ("is_account_group_member", "is_member"):
            made = f"CREATE OR REPLACE TEMPORARY FUNCTION {name}(one STRING) RETURNS BOOLEAN"
            spark.sql(f"{made} RETURN one IN ({listed})")
        alone = compile_node(permitted(rules, roles, SEEN))
        wanted = [alone({**row, "@user": user, "@boss": False}) is True for row in rows]
        assert outcomes(spark, fields, rows, [function_of(found)]) == [wanted]
        assert any(wanted) and not all(wanted)
    for name in ("is_account_group_member", "is_member"):
        spark.sql(f"DROP TEMPORARY FUNCTION {name}")
