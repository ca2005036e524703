"""What other systems read of a run of coverage: JSON, OpenLineage and Prometheus."""

import json
import re
from pathlib import Path

import jsonschema
import pytest

from predicat.quality.checks import STATUSES
from tests.processes import in_process

ROOT = Path(__file__).parent.parent.parent

CATALOG = """apiVersion: predicat/v1
dataset: orders
relation: {duckdb: orders.csv}
fields: {id: bigint, country: string}
rows: {at_least: 10}
filters:
  german:
    sql: country = 'DE'
    coverage: {at_least: 60%, anomaly: 1%, unknown_at_most: {warn: 1%, error: 90%}}
"""
STATUS = re.compile(r'predicat_quality_bound_status\{(.*),status="(\w+)"\} ([01])')


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "orders.yml").write_text(CATALOG)
    (tmp_path / "orders.csv").write_text("id,country\n" + "1,DE\n2,FR\n3,\n" * 10)
    (tmp_path / "predicat.yml").write_text("catalog: c\n")
    return tmp_path


def test_the_events_have_the_facets_of_data_quality(folder: Path) -> None:
    done = in_process("quality", "run", "--catalog", "orders.yml", "--events", "out/events.jsonl", cwd=folder)
    assert done.returncode == 1, done.stderr
    start, end = map(json.loads, (folder / "out" / "events.jsonl").read_text().splitlines())
    assert [start["eventType"], end["eventType"]] == ["START", "COMPLETE"] and start["run"] != {}
    assert start["run"]["runId"] == end["run"]["runId"] and end["job"]["name"] == "quality.orders"
    (read,) = end["inputs"]
    assert (read["namespace"], read["name"]) == ("file", "orders.csv")
    asserted = {
        item["assertion"]: (item["success"], item["severity"])
        for item in read["inputFacets"]["dataQualityAssertions"]["assertions"]
    }
    assert asserted == {  # what was not judged is no assertion
        "orders rows_at_least 10 rows": (True, "error"),
        "orders.german at_least 60%": (False, "error"),
        "orders.german unknown_at_most 90% (warn: 1%)": (False, "warn"),
    }
    metrics = read["inputFacets"]["dataQualityMetrics"]
    assert metrics["rowCount"] == 30 and metrics["columnMetrics"]["country"] == {"nullCount": 10}
    bounds = {item["bound"]: item["status"] for item in end["run"]["facets"]["predicat"]["bounds"]}
    assert bounds == {
        "rows_at_least": "pass", "at_least": "fail", "anomaly": "not_checked", "unknown_at_most": "warn"
    }  # fmt: skip


def test_an_engine_that_fails_ends_the_events(folder: Path) -> None:
    (folder / "orders.csv").unlink()
    done = in_process("quality", "run", "--catalog", "orders.yml", "--events", "events.jsonl", cwd=folder)
    assert done.returncode == 3
    end = json.loads((folder / "events.jsonl").read_text().splitlines()[-1])
    assert end["eventType"] == "FAIL" and "orders.csv" in end["run"]["facets"]["errorMessage"]["message"]


def test_the_text_file_of_prometheus(folder: Path) -> None:
    in_process("quality", "run", "--catalog", "orders.yml", "--prometheus", "orders.prom", cwd=folder)
    text = (folder / "orders.prom").read_text()
    series = [line.rpartition(" ")[0] for line in text.splitlines() if not line.startswith("#")]
    assert len(set(series)) == len(series)  # an exporter refuses a file with a series twice
    assert (
        'predicat_quality_filter_rows{dataset="orders",filter="orders.german",outcome="unknown"} 10' in text
    )
    found = STATUS.findall(text)
    assert len(found) == 4 * len(STATUSES)
    ones = {labels: status for labels, status, value in found if value == "1"}
    assert sorted(ones.values()) == ["fail", "not_checked", "pass", "warn"] and len(ones) == 4


def test_json_is_as_its_schema_says(folder: Path) -> None:
    """Runs that fail, pass and cannot be measured, and the history of all."""
    schema = json.loads((ROOT / "docs" / "quality.schema.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    run = ("quality", "run", "--catalog", "orders.yml", "--format", "json")
    texts = [in_process(*run, cwd=folder).stdout]
    (folder / "orders.csv").write_text("id,country\n" + "1,DE\n2,DE\n" * 10)
    texts += [in_process(*run, cwd=folder).stdout]
    exported = in_process("quality", "export", "orders", "--format", "json", cwd=folder).stdout
    (folder / "orders.csv").unlink()
    texts += [in_process(*run, cwd=folder).stdout, exported]
    for text in texts:
        validator.validate(json.loads(text))
    (broken, good, failed), stored = map(json.loads, texts[:3]), json.loads(exported)
    assert [runs[0]["code"] for runs in (broken, good, failed)] == [1, 0, 3]
    (incident,) = stored["incidents"]
    assert (incident["name"], incident["runs"]) == ("orders.german", 1) and incident["until"] is not None
    assert [row["accepted"] for row in stored["results"] if row["filter"] == "orders.german"] == [10, 20]
    del broken[0]["checks"][0]["status"]
    with pytest.raises(jsonschema.ValidationError):
        validator.validate(broken)
    done = in_process("quality", "export", "nosuch", cwd=folder)
    assert done.returncode == 2
