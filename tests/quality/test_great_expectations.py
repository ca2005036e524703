"""The real Great Expectations, on Spark and on PostgreSQL: one pass, stable files, errors that are errors."""

import hashlib
import json
import re
import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

import predicat
from predicat.diagnostics.messages.coverage import NO_BASELINE
from predicat.quality import measure
from tests.processes import in_process
from tests.quality import test_results, test_thresholds
from tests.quality.test_measure import CATALOG, ROWS

if TYPE_CHECKING:
    from predicat.quality.suite import Suite

WHERE = {"catalog": "catalog", "dataset": "shop"}


def project() -> ModuleType:
    """Loaded where it is used: Great Expectations takes seconds, in each process that collects tests."""
    from predicat.quality import project

    return project


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "shop.yml").write_text(
        CATALOG.replace("unknown_at_most: 5%", "unknown_at_most: 60%")
        .replace("exhaustive: true", "exhaustive: false")
        .replace("{at_least: 1}", "{at_most: 1}")
    )
    return tmp_path


def checkpoints(suites: Sequence["Suite"]) -> list[str]:
    return [project().checkpoint(item.dataset.name) for item in suites if item.expectations]


def files(root: Path) -> dict[str, str]:
    return {
        str(file.relative_to(root)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in root.rglob("*")
        if file.is_file() and "uncommitted" not in str(file)
    }


def test_spark(
    folder: Path,
    spark: Any,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
    caplog: pytest.LogCaptureFixture,
) -> None:
    import predicat_spark.quality as engine

    passes: list[int] = []
    count = engine._count
    monkeypatch.setattr(engine, "_count", lambda *args: passes.append(1) or count(*args))
    catalog = predicat.load_catalog(folder / "catalog")
    assert checkpoints(project().generate(catalog, folder / "catalog", folder / "project", "spark")) == [
        "predicat_shop"
    ]
    before = files(folder / "project")
    suite = json.loads((folder / "project/gx/expectations/predicat_shop.json").read_text())
    bounds = {
        (item["kwargs"].get("filter") or item["kwargs"]["group"], item["severity"]): item["kwargs"]
        for item in suite["expectations"]
    }
    assert bounds["low", "critical"]["min_share"] == 0.1 and "max_share" not in bounds["low", "critical"]
    assert (
        bounds["low", "warning"]["max_share"] == 0.2
        and bounds["never", "critical"]["max_rows"] == 1
        and ("clash", "warning") in bounds
    )
    assert checkpoints(project().generate(catalog, folder / "catalog", folder / "project", "spark")) == [
        "predicat_shop"
    ]
    assert files(folder / "project") == before

    assert str(folder) not in (folder / "project/gx/expectations/predicat_shop.json").read_text()
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    shutil.copytree(folder / "catalog", elsewhere / "catalog")
    project().generate(catalog, elsewhere / "catalog", elsewhere / "project", "spark")
    assert files(elsewhere / "project") == before  # no path and no id depends on the checkout

    frame = spark.createDataFrame(ROWS, "n bigint, s string")
    fine, errors, docs = project().run(folder / "project", "predicat_shop", {"dataframe": frame})
    assert (fine, errors) == (False, [])  # `low` and the group `clash` break their bounds
    assert passes == [1]
    assert Path(docs.removeprefix("file://")).exists()
    fine, errors, _ = project().run(
        folder / "project",
        "predicat_shop",
        {"dataframe": spark.createDataFrame([(1, "y")] * 3 + [(5, "y")] * 22, "n bigint, s string")},
    )
    assert (fine, errors) == (True, [])
    pages = [file.read_text() for file in (folder / "project").rglob("validations/**/*.html")]
    assert any(
        "The filter low must accept at least 10 % of the rows." in page
        and "accepts 3 of 25 rows (12.00%)" in page
        for page in pages
    )
    assert any(
        "accepted by two filters or more" in page and "Sampled Unexpected Values" in page for page in pages
    )
    assert "An unexpected Exception" not in caplog.text
    file = folder / "catalog" / "shop.yml"
    file.write_text(
        file.read_text().replace("n >= 3 AND s = 'x'", "n >= 3 AND s = 'y'")
    )  # read again: `high` accepts what `low` does not
    fine, errors, _ = project().run(
        folder / "project",
        "predicat_shop",
        {"dataframe": spark.createDataFrame([(1, "x"), (5, "z")], "n bigint, s string")},
    )
    assert (fine, errors) == (False, [])
    fine, errors, _ = project().run(folder / "project", "predicat_shop", {"dataframe": spark.range(3)})
    assert not fine and "has no column 'n'" in errors[0].message


def test_postgres(folder: Path, postgres: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    catalog = predicat.load_catalog(folder / "catalog")
    postgres.execute("DROP TABLE IF EXISTS public.shop CASCADE")
    postgres.execute("CREATE TABLE public.shop (n bigint, s text)")
    with postgres.cursor() as cursor:
        cursor.executemany("INSERT INTO public.shop VALUES (%s, %s)", [(1, "y")] * 3 + [(5, "y")] * 22)
    info = postgres.info
    monkeypatch.setenv(
        project().DSN,
        f"postgresql+psycopg://{info.user}:{info.password}@/{info.dbname}?host={info.host}&port={info.port}",
    )
    monkeypatch.chdir(folder)
    assert checkpoints(project().generate(catalog, folder / "catalog", folder / "project", "postgres")) == [
        "predicat_shop"
    ]
    assert (
        info.password not in (folder / "project/gx/great_expectations.yml").read_text() or not info.password
    )
    fine, errors, _ = project().run(folder / "project", "predicat_shop")
    assert (fine, errors) == (True, [])
    postgres.execute("ALTER TABLE public.shop RENAME COLUMN s TO t")
    fine, errors, _ = project().run(folder / "project", "predicat_shop")
    assert not fine and 'column "s" does not exist' in errors[0].message


def test_spark_files_need_no_spark(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from great_expectations.datasource.fluent.spark_datasource import SparkDatasource

    monkeypatch.setattr(SparkDatasource, "get_spark", lambda *_: pytest.fail("Spark was started"))
    for _ in range(2):
        catalog = predicat.load_catalog(folder / "catalog")
        assert checkpoints(project().generate(catalog, folder / "catalog", folder / "project", "spark")) == [
            "predicat_shop"
        ]


def test_the_command_says_what_a_run_imports(folder: Path) -> None:
    done = in_process(
        "quality", "gx", "--catalog", str(folder / "catalog"), "--out", str(folder / "new"), cwd=folder
    )
    assert done.stdout.splitlines() == [
        f"{folder / 'new' / 'gx'}: predicat_shop",
        f"left out: shop.high drift (catalog/shop.yml:9): {NO_BASELINE}",
        "in the program that runs a checkpoint: import predicat.quality.expectations",
    ]


PAGE = (Path(__file__).parents[2] / "docs" / "quality.md").read_text()


def test_the_example_of_the_page(tmp_path: Path, spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The catalog of the page, the commands for it, and the program that runs a checkpoint."""
    (tmp_path / "catalog").mkdir()
    blocks = {kind: re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL) for kind in ("yaml", "text")}
    (tmp_path / "catalog" / "flights.yml").write_text(blocks["yaml"][0])
    (tmp_path / "predicat.yml").write_text("engines: [duckdb, postgres]\n")
    done = in_process("quality", "gx", "--out", "pg", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"pg/gx: predicat_flights; put the connection into {project().DSN}\n")
    assert in_process("quality", "gx", "--engine", "spark", cwd=tmp_path).stdout.splitlines() == [
        "target/quality/gx: predicat_flights",
        f"left out: flights.long_delay drift (catalog/flights.yml:6): {NO_BASELINE}",
        "in the program that runs a checkpoint: import predicat.quality.expectations",
    ]
    (program,) = (block for block in blocks["text"] if "import great_expectations" in block)
    monkeypatch.chdir(tmp_path)
    for low, fine in ((10, True), (50, False)):
        frame = spark.range(100).selectExpr(f"IF(id < {low}, 90, 5) AS dep_delay")
        names: dict[str, Any] = {"frame": frame}
        exec(program, names)
        assert names["result"].success is fine


@pytest.mark.parametrize(
    ("name", "bound", "judged"),
    [
        ("ExpectFilterCoverageToBeBetween", {"max_share": 0.5}, False),
        ("ExpectFilterCoverageToBeBetween", {"min_share": 0.5}, True),
        ("ExpectFilterCoverageToBeBetween", {"max_rows": 5}, True),
        ("ExpectFilterUnknownRateToBeAtMost", {"max_share": 0.5}, False),
        (
            "ExpectFilterCoverageToBeStable",
            {"baseline_accepted": 1, "baseline_rows": 2, "min_change": 0.1},
            False,
        ),
    ],
)
def test_a_share_of_no_rows_is_not_judged(name: str, bound: dict[str, Any], judged: bool) -> None:
    from predicat.quality import expectations
    from predicat.quality.measure import Count, Measure

    expectation = getattr(expectations, name)(filter="low", **WHERE, **bound)
    empty = Measure("shop", "spark", filters={"shop.low": Count()}, accepted={"shop.low": 0})
    if judged:
        assert expectation._judged(empty, "BASIC")["success"] is ("min_share" not in bound)
    else:
        with pytest.raises(RuntimeError, match="there are no rows"):
            expectation._judged(empty, "BASIC")


@pytest.mark.parametrize("engine", ["spark", "postgres"])
def test_every_bound_is_an_expectation_or_left_out_with_a_reason(tmp_path: Path, engine: str) -> None:
    (tmp_path / "catalog").mkdir()
    text = test_results.CATALOG.replace(
        "dataset: shop", "dataset: shop\nrelation: {spark: shop, postgres: shop}"
    )
    (tmp_path / "catalog" / "shop.yml").write_text(text)
    from predicat.quality.suite import _WRITERS

    catalog = predicat.load_catalog(tmp_path / "catalog")
    wanted = {f"{name} {kind}" for name, kind in test_results.written(text)}
    assert {kind for _, kind in test_results.written(text)} == set(_WRITERS)
    state = {"accepted": 300, "rows": 1000}
    for baseline, stable in (({}, 0), ({"shop": [state], "shop.low": [state]}, 2)):
        (found,) = project().generate(catalog, tmp_path / "catalog", tmp_path / "project", engine, baseline)
        suite = json.loads((tmp_path / "project/gx/expectations/predicat_shop.json").read_text())
        left_out = suite["meta"]["predicat"]["left_out"]
        assert left_out == found.left_out and all(left_out.values())
        assert len(suite["expectations"]) + len(left_out) == len(wanted) and set(left_out) < wanted
        assert len(left_out) == 9 - stable
    kinds = [item["kwargs"] for item in suite["expectations"] if "row_count" in item["type"]]
    assert {"min_rows": 800, "max_rows": 1200}.items() <= kinds[-1].items()


def test_two_limits_are_two_expectations(tmp_path: Path) -> None:
    (tmp_path / "shop.yml").write_text(test_thresholds.CATALOG)
    state = {"accepted": 300, "rows": 1000}
    (found,) = project().generate(
        predicat.load_catalog(tmp_path),
        tmp_path,
        tmp_path / "project",
        "postgres",
        {"shop": [state], "shop.low": [state]},
    )
    assert set(found.left_out) == {"shop baseline"}  # which has no expectation
    severities = Counter(item.severity.value for item in found.expectations)
    assert severities == {"critical": 10, "warning": 10}
    groups = [item for item in found.expectations if hasattr(item, "group")]
    assert [(item.max_rows, item.max_share) for item in groups] == [
        (10, None),
        (1, None),
        (None, 0.01),
        (None, None),
    ]
    measured = measure.Measure("shop", "postgres", 1000, groups={"both": measure.GroupCount(1, 5)})
    assert [item._judged(measured, "BASIC")["success"] for item in groups] == [True, False, True, False]


def test_a_project_without_expectations_is_no_success(tmp_path: Path) -> None:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "shop.yml").write_text(test_results.CATALOG)
    done = in_process("quality", "gx", "--engine", "postgres", cwd=tmp_path)
    assert done.returncode == 1
    assert "shop names no relation for postgres" in done.stdout
    assert done.stdout.count("left out: ") == 1
    assert all(f"{name} {kind}" in done.stdout for name, kind in test_results.written(test_results.CATALOG))


def test_postgres_files_need_no_server(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(project().DSN, "postgresql+psycopg://nobody@127.0.0.1:1/nowhere")
    catalog = predicat.load_catalog(folder / "catalog")
    assert checkpoints(project().generate(catalog, folder / "catalog", folder / "project", "postgres")) == [
        "predicat_shop"
    ]
    assert (folder / "project/gx/checkpoints/predicat_shop.json").exists()


@pytest.mark.parametrize(
    ("name", "kwargs", "message"),
    [
        (
            "ExpectFilterCoverageToBeBetween",
            {"filter": "low"},
            "give at least one of min_share, max_share, min_rows, max_rows",
        ),
        (
            "ExpectFilterCoverageToBeBetween",
            {"filter": "low", "max_share": 1.5},
            "max_share is 1.5; shares are from 0 to 1",
        ),
        (
            "ExpectFilterCoverageToBeBetween",
            {"filter": "low", "min_rows": -1},
            "min_rows is -1; it must be 0 or more",
        ),
        (
            "ExpectFilterCoverageToBeBetween",
            {"filter": "low", "min_share": 0.5, "max_share": 0.2},
            r"min_share \(0.5\) is more than max_share \(0.2\)",
        ),
        (
            "ExpectFilterCoverageToBeBetween",
            {"filter": "low", "max_share": {"PARAMETER": "x"}},
            "max_share takes a number or",
        ),
        ("ExpectFilterUnknownRateToBeAtMost", {"filter": "low"}, "give at least one of max_share, max_rows"),
        (
            "ExpectFilterCoverageToBeStable",
            {"filter": "low", "baseline_accepted": 1, "baseline_rows": 2, "min_change": 2},
            "min_change is 2",
        ),
    ],
)
def test_bounds_that_cannot_hold_are_configuration_errors(
    name: str, kwargs: dict[str, Any], message: str
) -> None:
    from predicat.quality import expectations

    with pytest.raises(ValueError, match=message):
        getattr(expectations, name)(**WHERE, **kwargs)


def test_parameters_row_conditions_and_sample_rows(
    folder: Path, postgres: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import great_expectations as gx
    from great_expectations.expectations.row_conditions import Column

    from predicat.quality import expectations as own

    postgres.execute("DROP TABLE IF EXISTS public.shop CASCADE")
    postgres.execute("CREATE TABLE public.shop (n bigint, s text)")
    with postgres.cursor() as cursor:
        cursor.executemany("INSERT INTO public.shop VALUES (%s, %s)", [(1, "x")] * 3 + [(5, "y")] * 22)
    info = postgres.info
    monkeypatch.setenv(
        project().DSN,
        f"postgresql+psycopg://{info.user}:{info.password}@/{info.dbname}?host={info.host}&port={info.port}",
    )
    context = gx.get_context(mode="ephemeral")
    source = context.data_sources.add_postgres("pg", connection_string="${PREDICAT_DSN}")
    batch = (
        source.add_table_asset("shop", table_name="shop", schema_name="public")
        .add_batch_definition_whole_table("all")
        .get_batch()
    )
    monkeypatch.chdir(folder)
    (folder / "catalog" / "shop.yml").write_text(CATALOG)

    def validate(expectation: Any, **options: Any) -> Any:
        return batch.validate(expectation, **options)

    least = own.ExpectFilterCoverageToBeBetween(**WHERE, filter="low", min_share={"$PARAMETER": "least"})
    assert validate(least, expectation_parameters={"least": 0.12}).success
    assert not validate(least, expectation_parameters={"least": 0.13}).success
    some = own.ExpectFilterCoverageToBeBetween(
        **WHERE, filter="low", min_share=1, row_condition=Column("n") < 5
    )
    result = validate(some)
    assert result.success and result.result["details"]["rows"] == 3
    gap = own.ExpectFiltersToBeCollectivelyExhaustive(**WHERE, group="both")
    result = validate(gap, result_format="COMPLETE")
    assert not result.success and result.result["partial_unexpected_list"] == [{"n": 5, "s": "y"}] * 3
    assert result.result["details"]["measured"] == "22 of 25 rows are accepted by no filter"
