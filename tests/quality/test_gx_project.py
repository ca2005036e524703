"""The project for Great Expectations as its users work with it: batches by partition, keys of failing rows,
severities, what others add, and runs that judge nothing.
"""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import predicat
from tests.processes import in_process
from tests.quality.test_partitions import local_name, moments
from tests.test_docs import blocks

CATALOG = """apiVersion: predicat/v1
dataset: orders
relation: {postgres: public.gx_orders, spark: gx_orders}
fields:
  id: bigint
  email: {type: string, sensitive: true}
  status: string
  amount: bigint
  placed_at: timestamp
key: [id, email]
partition: {column: placed_at, by: day, zone: Europe/Berlin}
where: real
rows: {at_least: 3}
filters:
  real: {sql: status <> 'test'}
  cancelled: {sql: status = 'cancelled', coverage: {at_most: {warn: 5%, error: 20%}}}
  large: {sql: amount >= 100, coverage: {at_least: 50%, unknown_at_most: 5%}}
  small: {sql: amount < 10, coverage: {anomaly: 1%}}
groups:
  sizes: {filters: [large, small], exhaustive: true}
"""
# Of one day in Berlin, but for the last two: id, email, status, amount, moment.
NIGHT = datetime(2026, 1, 4, 23, 30, tzinfo=UTC)
ROWS: list[tuple[int, str, str, int | None, datetime | None]] = [
    (1, "a@x.example", "paid", 5, NIGHT),
    (2, "b@x.example", "cancelled", 50, NIGHT),
    (3, "c@x.example", "paid", None, NIGHT + timedelta(hours=20)),
    (4, "d@x.example", "paid", 200, NIGHT + timedelta(hours=20)),
    (5, "e@x.example", "test", 1, NIGHT),
    (6, "f@x.example", "paid", 200, NIGHT + timedelta(days=1)),
    (7, "g@x.example", "paid", 200, None),
]
# The rows of that day that count against each bound.
FAILING = {
    "orders rows_at_least": [],
    "orders.cancelled at_most": [2],
    "orders.large at_least": [1, 2, 3],
    "orders.large unknown_at_most": [3],
    "orders.sizes exhaustive": [2, 3],
}
PAGE = Path(__file__).parents[2] / "docs" / "quality.md"
(RUNS,) = (block.splitlines() for block in blocks(PAGE, "text") if block.startswith("checkpoint.run("))
DAY = {"year": 2026, "month": 1, "day": 5}


def project() -> ModuleType:
    """Loaded where it is used: Great Expectations takes seconds, in each process that collects tests."""
    from predicat.quality import project

    return project


@pytest.fixture
def orders(tmp_path: Path, postgres: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A catalog, its table, and the project of Great Expectations."""
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "orders.yml").write_text(CATALOG)
    postgres.execute("DROP TABLE IF EXISTS public.gx_orders CASCADE")
    postgres.execute(
        "CREATE TABLE public.gx_orders (id bigint, email text, status text, amount bigint, "
        "placed_at timestamptz)"
    )
    with postgres.cursor() as cursor:
        cursor.executemany("INSERT INTO public.gx_orders VALUES (%s, %s, %s, %s, %s)", ROWS)
    connected(postgres, monkeypatch)
    monkeypatch.chdir(tmp_path)
    generate(tmp_path)
    yield tmp_path
    postgres.execute("DROP TABLE public.gx_orders CASCADE")


def connected(postgres: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    info = postgres.info
    where = f"{info.user}:{info.password}@/{info.dbname}?host={info.host}&port={info.port}"
    monkeypatch.setenv(project().DSN, f"postgresql+psycopg://{where}")


def generate(folder: Path) -> Any:
    catalog = predicat.load_catalog(folder / "catalog")
    (found,) = project().generate(catalog, folder / "catalog", folder / "project", "postgres")
    return found


def checkpoint(folder: Path, change: Callable[[dict[str, Any]], None] = lambda _: None) -> Any:
    """The checkpoint of the project, after a change of its file."""
    import great_expectations as gx

    file = folder / "project/gx/checkpoints/predicat_orders.json"
    data = json.loads(file.read_text())
    change(data)
    file.write_text(json.dumps(data))
    return gx.get_context(mode="file", project_root_dir=str(folder / "project")).checkpoints.get(
        "predicat_orders"
    )


def judged(result: Any) -> dict[tuple[str, str], Any]:
    """The results of a run by bound and severity."""
    (validation,) = result.run_results.values()
    return {
        (item.expectation_config.meta["predicat"]["bound"], item.expectation_config.severity.value): item
        for item in validation.results
    }


def test_a_run_judges_the_rows_of_a_partition(orders: Path) -> None:
    result = checkpoint(orders).run(batch_parameters=DAY)
    found = judged(result)
    assert {name: item.success for name, item in found.items()} == {
        ("orders rows_at_least", "critical"): True,  # without the row that `where` leaves out
        ("orders.cancelled at_most", "critical"): False,
        ("orders.cancelled at_most", "warning"): False,
        ("orders.large at_least", "critical"): False,
        ("orders.large unknown_at_most", "critical"): False,
        ("orders.sizes exhaustive", "critical"): False,
    }
    rows = found["orders rows_at_least", "critical"]
    assert rows.result["observed_value"] == 4
    keys = {name[0]: item.result.get("partial_unexpected_index_list") for name, item in found.items()}
    assert {name: sorted(row["id"] for row in rows or ()) for name, rows in keys.items()} == FAILING
    assert {row["email"] for rows in keys.values() for row in rows or ()} == {"***"}
    pages = [file.read_text() for file in (orders / "project").rglob("*.html")]
    files = [file.read_text() for file in (orders / "project").rglob("*.json")]
    assert len(pages) > 1 and not any("@x.example" in text for text in (*pages, *files))
    with pytest.raises(Exception, match="No available batches"):  # GX's own, of a day without rows
        checkpoint(orders).run(batch_parameters=DAY | {"day": 1})


@pytest.mark.parametrize("level", ["COMPLETE", pytest.param("BASIC", marks=pytest.mark.slow)])
def test_the_result_format_is_kept_and_names_each_row(orders: Path, postgres: Any, level: str) -> None:
    with postgres.cursor() as cursor:
        many = [(id_, "x@x.example", "cancelled", 1000, NIGHT) for id_ in range(100, 150)]
        cursor.executemany("INSERT INTO public.gx_orders VALUES (%s, %s, %s, %s, %s)", many)
    checkpoint(orders, lambda data: data.update(result_format=level))
    generate(orders)
    asked = json.loads((orders / "project/gx/checkpoints/predicat_orders.json").read_text())["result_format"]
    assert asked == {"result_format": level, "unexpected_index_column_names": ["id"]}
    result = judged(checkpoint(orders).run(batch_parameters=DAY))[
        "orders.cancelled at_most", "critical"
    ].result
    assert result["unexpected_count"] == 51
    listed = result.get("unexpected_index_list", [])
    assert sorted(row["id"] for row in listed) == ([2, *range(100, 150)] if level == "COMPLETE" else [])
    assert len(result.get("partial_unexpected_index_list", [])) == (20 if level == "COMPLETE" else 0)


@pytest.mark.parametrize(
    ("by", "zone"),
    [
        ("hour", "Europe/Berlin"),
        ("hour", "America/St_Johns"),
        ("day", "Europe/Berlin"),
        ("week", ""),
        ("month", "Asia/Tokyo"),
    ],
)
def test_batches_are_the_partitions_of_quality_run(postgres: Any, tmp_path: Path, by: str, zone: str) -> None:
    from predicat.quality.batches import batches

    (tmp_path / "orders.yml").write_text(
        CATALOG.replace(
            "{column: placed_at, by: day, zone: Europe/Berlin}",
            f"{{column: placed_at, by: {by}, zone: '{zone}'}}",
        )
    )
    found = batches(predicat.load_catalog(tmp_path).datasets["orders"])
    assert found is not None and found.name == f"by_{by}"
    postgres.execute("CREATE TEMPORARY TABLE gx_moments (placed_at timestamptz)")
    query = found.query.replace("public.gx_orders", "gx_moments")
    try:
        with postgres.cursor() as cursor:
            cursor.executemany("INSERT INTO gx_moments VALUES (%s)", [(at,) for at in [*moments(), None]])
        shown = {"value": "{0}", "daily": "TO_CHAR({0}, 'YYYY-MM-DD')", "monthly": "TO_CHAR({0}, 'YYYY-MM')"}
        column = shown[found.kind].format(found.column)
        counts = dict(
            postgres.execute(f"SELECT {column}, count(*) FROM ({query}) rows GROUP BY 1").fetchall()
        )
    finally:
        postgres.execute("DROP TABLE gx_moments")
    expected = Counter(local_name(by, at, zone or "UTC") for at in moments())
    assert {
        name.replace(":", "") if by == "hour" else name: count for name, count in counts.items()
    } == expected


@pytest.mark.slow
@pytest.mark.parametrize("by", ["day", "week"])
def test_the_runs_of_the_page(orders: Path, by: str) -> None:
    (orders / "catalog/orders.yml").write_text(CATALOG.replace("by: day", f"by: {by}"))
    generate(orders)
    shown = RUNS[by == "week"].replace("2026-W05", "2026-W02")
    rows = judged(eval(shown, {"checkpoint": checkpoint(orders)}))["orders rows_at_least", "critical"]
    assert rows.result["observed_value"] == (4 if by == "day" else 5)


def test_the_action_of_the_page_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import great_expectations as gx

    monkeypatch.setenv("SLACK_WEBHOOK", "https://hooks.example/1")
    (tmp_path / "flights.yml").write_text(blocks(PAGE, "yaml")[0])
    catalog = predicat.load_catalog(tmp_path)
    project().generate(catalog, tmp_path, tmp_path, "spark")
    (program,) = (block for block in blocks(PAGE, "text") if "SlackNotificationAction" in block)
    exec(program, {"context": gx.get_context(mode="file", project_root_dir=str(tmp_path))})
    project().generate(catalog, tmp_path, tmp_path, "spark")
    written = json.loads((tmp_path / "gx/checkpoints/predicat_flights.json").read_text())
    assert [item["name"] for item in written["actions"]] == ["data_docs", "every_bound_is_judged", "slack"]
    assert written["actions"][2]["slack_webhook"] == "${SLACK_WEBHOOK}"
    assert written["result_format"] == {"result_format": "COMPLETE"}  # the example has no key


def test_what_others_add_stays(orders: Path) -> None:
    import great_expectations as gx
    from great_expectations.checkpoint.actions import UpdateDataDocsAction
    from great_expectations.expectations.core.expect_column_to_exist import ExpectColumnToExist

    root = str(orders / "project")
    context = gx.get_context(mode="file", project_root_dir=root)
    suite = context.suites.get("predicat_orders")
    another = ExpectColumnToExist(column="status")
    suite.add_expectation(another)
    own = context.checkpoints.get("predicat_orders")
    own.actions.append(UpdateDataDocsAction(name="another_site"))
    own.save()

    file = orders / "project/gx/checkpoints/predicat_orders.json"
    data = json.loads(file.read_text())
    data["actions"].append({"name": "of_a_team", "type": "known_to_their_program_only", "to": "team"})
    file.write_text(json.dumps(data))
    text = (orders / "catalog/orders.yml").read_text()
    (orders / "catalog/orders.yml").write_text(text.replace("at_least: 50%", "at_least: 40%"))
    for _ in range(2):
        generate(orders)
        written = json.loads(file.read_text())
        assert [item["name"] for item in written["actions"]] == [
            "data_docs",
            "every_bound_is_judged",
            "another_site",
            "of_a_team",
        ]
        expectations = json.loads((orders / "project/gx/expectations/predicat_orders.json").read_text())[
            "expectations"
        ]
        types = Counter(item["type"] for item in expectations)
        assert types["expect_column_to_exist"] == 1 and sum(types.values()) == 7
        assert {item["kwargs"].get("min_share") for item in expectations} == {None, 0.4}


def test_a_run_that_judges_nothing_fails(orders: Path) -> None:
    file = orders / "project/gx/expectations/predicat_orders.json"
    data = json.loads(file.read_text())
    data["expectations"] = data["expectations"][:2]
    file.write_text(json.dumps(data))
    with pytest.raises(RuntimeError, match="2 of 6 expectations judged"):
        checkpoint(orders).run(batch_parameters=DAY)


@pytest.mark.slow
def test_a_partition_and_keys_on_spark(orders: Path, spark: Any) -> None:
    import great_expectations as gx

    from predicat_spark import rows_of

    frame = spark.createDataFrame(
        ROWS, "id bigint, email string, status string, amount bigint, placed_at timestamp"
    )
    catalog = predicat.load_catalog(orders / "catalog")
    project().generate(catalog, orders / "catalog", orders / "spark", "spark")
    found = gx.get_context(mode="file", project_root_dir=str(orders / "spark")).checkpoints.get(
        "predicat_orders"
    )
    given = {"checkpoint": found, "catalog": catalog, "frame": frame, "rows_of": rows_of}
    rows = {
        name[0]: item.result.get("partial_unexpected_index_list")
        for name, item in judged(eval(RUNS[2], given)).items()
    }
    assert {name: sorted(row["id"] for row in listed or ()) for name, listed in rows.items()} == FAILING
    assert {row["email"] for listed in rows.values() for row in listed or ()} == {"***"}


@pytest.mark.slow
def test_a_program_without_the_import_fails(orders: Path) -> None:
    program = (
        "import great_expectations as gx\n"
        "context = gx.get_context(mode='file', project_root_dir='project')\n"
        f"print(context.checkpoints.get('predicat_orders').run(batch_parameters={DAY}).success)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=orders, capture_output=True, text=True, check=False
    )
    assert done.returncode and "predicat_every_bound_is_judged" in done.stderr, done.stdout


def test_bounds_that_are_left_out_have_place_reason_and_alternative(orders: Path) -> None:
    done = in_process("quality", "gx", "--engine", "postgres", "--out", "gx", cwd=orders)
    assert (
        "left out: orders.small anomaly (catalog/orders.yml:18): it is judged by the runs before, which an "
        in done.stdout
    )
    assert "predicat quality run judges it" in done.stdout


@pytest.mark.slow
def test_examples_and_metadata_of_expectations(
    postgres: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import great_expectations as gx
    import pandas as pd

    from predicat.quality import expectations as own

    kinds = [kind for name, kind in vars(own).items() if name.startswith("Expect")]
    assert len(kinds) == 7
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog/flights.yml").write_text(own.EXAMPLE_CATALOG)
    monkeypatch.chdir(tmp_path)
    connected(postgres, monkeypatch)
    postgres.execute("DROP TABLE IF EXISTS public.gx_example")
    postgres.execute("CREATE TABLE public.gx_example (id bigint, dep_delay bigint, loaded_at timestamptz)")
    with postgres.cursor() as cursor:
        rows = list(zip(*kinds[0].examples[0]["data"].values(), strict=True))
        cursor.executemany("INSERT INTO public.gx_example VALUES (%s, %s, %s)", rows)
    source = gx.get_context(mode="ephemeral").data_sources.add_postgres(
        "pg", connection_string=f"${{{project().DSN}}}"
    )
    asset = source.add_table_asset("rows", table_name="gx_example")
    batch = asset.add_batch_definition_whole_table("all").get_batch()
    of_pandas = pandas_batch(
        pd.DataFrame(kinds[0].examples[0]["data"]).astype(
            {"dep_delay": "Int64", "loaded_at": "datetime64[ns, UTC]"}
        )
    )
    for kind in kinds:
        schema = json.loads(kind.schema_json())
        about = {key: value["const"] for key, value in schema["properties"]["metadata"]["properties"].items()}
        described = about["short_description"]
        assert schema["title"].startswith("Expect ") and described == (kind.__doc__ or "").splitlines()[0]
        assert described.startswith("Expect ") and described.endswith(".")
        assert about["library_metadata"]["requirements"] == ["predicat"] and about["data_quality_issues"]
        assert about["supported_data_sources"] == ["Pandas", "PostgreSQL", "Spark"]
        (example,) = kind.examples
        for test in example["tests"]:
            for rows in (batch, of_pandas):
                found = rows.validate(kind(**test["in"]))
                outcome = found.exception_info["raised_exception"], found.success
                assert outcome == (False, test["out"]["success"]), (kind, test)
            assert kind.sentence(test["in"]).endswith(".")
        assert {test["out"]["success"] for test in example["tests"]} == {True, False}
    postgres.execute("DROP TABLE public.gx_example")


def pandas_batch(frame: Any) -> Any:
    import great_expectations as gx

    source = gx.get_context(mode="ephemeral").data_sources.add_pandas("frames")
    asset = source.add_dataframe_asset("rows")
    return asset.add_batch_definition_whole_dataframe("all").get_batch({"dataframe": frame})


def test_pandas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pandas as pd

    from predicat.quality import expectations as own

    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog/orders.yml").write_text(
        CATALOG.replace("relation: {", "relation: {duckdb: orders.csv, ")
    )
    monkeypatch.chdir(tmp_path)
    names = ["id", "email", "status", "amount", "placed_at"]
    frame = pd.DataFrame.from_records(ROWS, columns=names).astype(
        {"amount": "Int64", "placed_at": "datetime64[ns, UTC]"}
    )
    where: dict[str, Any] = {"catalog": "catalog", "dataset": "orders"}
    unknown = own.ExpectFilterUnknownRateToBeAtMost(**where, filter="large", max_rows=0)
    found = pandas_batch(frame).validate(unknown, result_format="COMPLETE")
    assert not found.success and found.result["details"]["rows"] == 6  # of those that `where` accepts
    assert found.result["unexpected_index_list"] == [{"id": 3, "email": "***"}]
    for changed, told in (
        (frame.astype({"amount": "float64"}), "amount"),
        (frame.assign(status=[*"abcdef", 7]), "is not shown"),
        (frame.assign(placed_at=frame["placed_at"] + pd.Timedelta(1, "ns")), "is not shown"),
    ):
        refused = pandas_batch(changed).validate(unknown)
        assert not refused.success and told in str(refused.exception_info), told


def test_an_error_of_the_server_shows_no_sensitive_value(orders: Path, postgres: Any) -> None:
    postgres.execute("ALTER TABLE public.gx_orders RENAME TO gx_orders_0")
    postgres.execute(
        "CREATE VIEW public.gx_orders AS SELECT id, email, status, email::bigint AS amount, placed_at "
        "FROM public.gx_orders_0"
    )
    result = checkpoint(orders).run(batch_parameters=DAY)
    postgres.execute("DROP VIEW public.gx_orders")
    postgres.execute("ALTER TABLE public.gx_orders_0 RENAME TO gx_orders")
    told = str([item.exception_info for item in judged(result).values()])
    assert not result.success and "22P02" in told and "is not shown" in told and "@x.example" not in told
