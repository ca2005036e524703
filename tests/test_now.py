"""The current time: given to the evaluator, free in proofs, said by the tests of a catalog."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import predicat
from predicat import PredicatError
from predicat.catalog.manifest import build_manifest
from predicat.proof.compare import compare

FIELDS = {"ts": "timestamp", "d": "date", "n": "bigint"}
NOW = datetime(2026, 2, 1, 10, tzinfo=UTC)


def parsed(text: str) -> predicat.Predicate:
    return predicat.parse(text, "sql", FIELDS)


@pytest.mark.parametrize(
    "text",
    [
        "ts >= now() - INTERVAL '7 days'",
        "ts >= current_timestamp - INTERVAL '7' DAY",
        "ts >= CURRENT_TIMESTAMP() - INTERVAL 7 DAYS",
        "now() - ts <= INTERVAL '7 days'",
        "ts + INTERVAL '7 days' >= statement_timestamp()",
    ],
)
def test_a_span_before_the_current_time(text: str) -> None:
    edge, step = NOW - timedelta(days=7), timedelta(microseconds=1)
    rows = [{"ts": edge}, {"ts": edge - step}, {"ts": NOW}, {}]
    assert [parsed(text).evaluate(row, now=NOW) for row in rows] == [True, False, True, None]


@pytest.mark.parametrize(
    "text", ["d = current_date", "d = current_date()", "d = CURRENT_DATE('UTC')", "d = date(now())"]
)
def test_the_current_date_is_that_of_utc(text: str) -> None:
    late = datetime(2026, 2, 1, 23, 30, tzinfo=UTC).astimezone()
    assert parsed(text).evaluate({"d": "2026-02-01"}, now=late) is True
    assert parsed(text).evaluate({"d": "2026-02-01"}, now="2026-02-02") is False


def test_without_now_it_is_that_of_the_clock() -> None:
    found = parsed("ts BETWEEN now() - INTERVAL '1 minute' AND now()")
    assert found.evaluate({"ts": datetime.now(UTC) - timedelta(seconds=1)}) is True
    assert parsed("now() = now()").evaluate({}) is True


def test_now_of_a_predicate_that_does_not_read_it_is_no_error() -> None:
    found = parsed("n > 1")
    assert not found.reads_now
    assert found.evaluate({"n": 2}, now=NOW) is True


def test_a_parameter_named_now_keeps_its_name(tmp_path: Path) -> None:
    filters = "late: {sql: 'ts < :now', params: {now: timestamp}}"
    late = catalog(tmp_path, filters)["events.late"]
    assert not late.reads_now
    assert late.evaluate({"ts": NOW}, now=NOW + timedelta(1)) is True


@pytest.mark.parametrize(
    "now", ["tomorrow", 3, datetime(1, 1, 1, tzinfo=UTC), datetime(3000, 1, 1, tzinfo=UTC)]
)
def test_what_is_no_current_time(now: Any) -> None:
    with pytest.raises(PredicatError, match="is not a time"):
        parsed("ts < now()").evaluate({"ts": NOW}, now=now)


def test_a_matcher_takes_it() -> None:
    texts = {
        f"last_{days}": f"n = {days % 3} AND ts >= now() - INTERVAL '{days} days'" for days in range(1, 40)
    }
    matcher = predicat.Matcher.of({name: parsed(text) for name, text in texts.items()})
    for age in (0, 5, 20, 50):
        row = {"ts": NOW - timedelta(days=age), "n": age % 3}
        wanted = sorted(name for name, text in texts.items() if parsed(text).evaluate(row, now=NOW))
        assert matcher.match(row, now=NOW) == wanted
        assert matcher.count(row, NOW) == len(matcher.match_ids(row, NOW)) == len(wanted)
    assert matcher.match({"ts": datetime.now(UTC), "n": 1})[0] == "last_1"


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ("ts >= now() - INTERVAL '7 days'", "ts >= now() - INTERVAL '30 days'", "wider"),
        ("ts >= now() - INTERVAL '7 days'", "ts >= current_timestamp - INTERVAL '168 hours'", "equivalent"),
        ("ts >= now()", "NOT ts < now()", "equivalent"),
        ("ts > now()", "ts < now()", "disjoint"),
        ("ts < now()", "ts < TIMESTAMP '2026-01-01'", "changed"),
        ("ts IS NOT NULL", "ts IS NOT NULL AND now() > TIMESTAMP '1960-01-01'", "equivalent"),
        ("ts < now() - INTERVAL '1 day'", "ts < now()", "wider"),
        ("date(ts) = current_date", "date(ts) >= current_date", "wider"),
    ],
)
def test_proofs_hold_for_every_current_time(before: str, after: str, kind: str) -> None:
    verdict = compare(parsed(before), parsed(after), effort=5.0)
    assert verdict.kind == kind
    for witness in filter(None, (verdict.lost, verdict.gained)):
        now = witness.params["now()"]
        assert parsed(before).evaluate(witness.row, now=now) is witness.before
        assert parsed(after).evaluate(witness.row, now=now) is witness.after


def catalog(folder: Path, filters: str, head: str = "") -> predicat.Catalog:
    text = "apiVersion: predicat/v1\ndataset: events\nfields: {ts: timestamp, n: bigint}\n"
    (folder / "events.yml").write_text(f"{text}{head}\nfilters:\n  {filters}\n")
    return predicat.load_catalog(folder)


TESTS = """recent:
    sql: ts >= now() - INTERVAL '7 days'
    tests:
      - {row: {ts: 2026-01-30 10:00:00}, matches: true}
      - {row: {ts: 2026-01-30 10:00:00}, matches: false, now: 2026-03-01}
"""


def test_tests_say_the_current_time(tmp_path: Path) -> None:
    found = catalog(tmp_path, TESTS, "now: 2026-02-01 10:00:00")
    assert [test.now for test in found.find("events.recent")[0].tests] == [
        NOW,
        datetime(2026, 3, 1, tzinfo=UTC),
    ]
    with pytest.raises(PredicatError, match="which the test must set"):
        catalog(tmp_path, TESTS)


def test_a_manifest_names_the_filters_that_read_it(tmp_path: Path) -> None:
    manifest = build_manifest(catalog(tmp_path, TESTS + "  plain: {sql: n > 1}", "now: 2026-02-01 10:00:00"))
    assert {row["name"]: row.get("reads_now") for row in manifest["filters"]} == {
        "events.recent": True,
        "events.plain": None,
    }


def test_constants_beside_it_stay_in_a_statement() -> None:
    """So the planner knows the bound."""
    assert parsed("ts >= now() - INTERVAL '7 days' AND n > 3").condition("postgres") == (
        "ts >= CURRENT_TIMESTAMP - INTERVAL '168:00:00' AND n > $1::bigint",
        [3],
    )


@pytest.mark.parametrize(
    "text",
    ['ts >= now() - duration("168h")', 'ts >= now - duration("168h")', 'ts.timeSince() <= duration("168h")'],
)
def test_cel(text: str) -> None:
    found = predicat.parse(text, "cel", FIELDS)
    edge, step = NOW - timedelta(days=7), timedelta(microseconds=1)
    rows = [{"ts": edge}, {"ts": edge - step}, {"ts": NOW}, {}]
    assert [found.evaluate(row, now=NOW) for row in rows] == [True, False, True, None]
    again = predicat.parse(found.to("cel"), "cel", FIELDS)
    assert compare(found, again).kind == "equivalent"


def test_a_field_named_now_is_the_field_in_cel() -> None:
    found = predicat.parse("now > 3", "cel", {"now": "bigint"})
    assert not found.reads_now and found.evaluate({"now": 4}) is True
    assert not predicat.parse("now > 3", "cel").reads_now
    with pytest.raises(PredicatError, match="no field is named 'now'"):
        predicat.parse("now > 3", "sql", FIELDS)


DATED = """\
apiVersion: predicat/v1
dataset: flights
relation: {duckdb: rows.csv}
fields: {ts: timestamp}
filters:
  recent: {cel: 'ts > now - duration("1h")'}
"""


def test_commands_take_the_current_time(tmp_path: Path) -> None:
    from tests.processes import in_process

    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "flights.yml").write_text(DATED)
    (tmp_path / "rows.csv").write_text("ts\n2026-02-01 09:30:00Z\n2020-01-01 00:00:00Z\n")
    now = ("--now", "2026-02-01 10:00:00")
    done = in_process("test", "--generate", *now, "--out", "catalog/tests.yml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    written = (tmp_path / "catalog" / "tests.yml").read_text()
    assert 'now: "2026-02-01 10:00:00", matches: true' in written
    assert in_process("test", "--engine", "duckdb", cwd=tmp_path).returncode == 0
    assert "nothing is missing" in in_process("test", "--generate", cwd=tmp_path).stdout
    assert "2 of 2 conditions decided both ways" in in_process("test", "--mutate", cwd=tmp_path).stdout
    done = in_process("quality", "run", "--engine", "duckdb", *now, "--format", "json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert '"accepted": 1' in done.stdout
    done = in_process("quality", "run", "--engine", "duckdb", "--now", "soon", cwd=tmp_path)
    assert done.returncode != 0 and "'soon' is not a time" in done.stderr
