"""Entry filters in Python: their place in the catalog, the chain's rule, errors, providers, and refusals."""

import logging
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import predicat
from predicat.cli.main import cli
from predicat.diagnostics import PredicatError, Unsupported
from predicat.entry_filters import Outcome, load, opened, plan, providers
from tests import entry_classes

CATALOG = """apiVersion: predicat/v1
dataset: events
key: id
fields: {id: bigint, kind: string, amount: double}
filters:
  big: {sql: amount > 10}
  tagged: {python: tests.entry_classes.Tagged, after: big}
  fragile: {python: tests.entry_classes.Fragile}
  lenient: {python: tests.entry_classes.Fragile, on_unknown: accept}
  chain: {python: [tests.entry_classes.Fragile, tests.entry_classes.Tagged]}
  wrong: {python: tests.entry_classes.Wrong}
subscriptions:
  desk: {filter: tagged, properties: {tag: a}}
"""
CLASS = "tests.entry_classes.Tagged"


@pytest.fixture
def catalog(tmp_path: Path) -> predicat.Catalog:
    return loaded(tmp_path, CATALOG)


def loaded(folder: Path, text: str) -> predicat.Catalog:
    (folder / "events.yml").write_text(text)
    return predicat.load_catalog(folder)


def test_the_native_filter_then_the_class(catalog: predicat.Catalog) -> None:
    with opened(catalog, "events.tagged", subscription="desk") as run:
        assert run.outcome({"kind": "a", "amount": 11.0}) is Outcome.ACCEPT
        assert run.outcome({"kind": "b", "amount": 11.0}) is Outcome.REJECT
        assert run.outcome({"kind": "a", "amount": 10.0}) is Outcome.REJECT
        assert run.outcome({"kind": "a"}) is Outcome.REJECT, "`after` is a filter: it rejects UNKNOWN"
    assert entry_classes.CLOSED[-1] == "Tagged"


@pytest.mark.parametrize(
    ("row", "partition", "outcome"),
    [
        ({"id": 2, "kind": "a"}, 1, Outcome.ACCEPT),
        ({"id": 2, "kind": "a"}, 9, Outcome.RESCHEDULE),
        ({"id": 2, "kind": "b"}, 9, Outcome.REJECT),
        ({"id": 1, "kind": "a"}, 9, Outcome.UNKNOWN),
        ({"id": 1, "kind": "b"}, 9, Outcome.REJECT),
    ],
)
def test_a_chain_rejects_then_is_unknown_then_reschedules(
    catalog: predicat.Catalog, row: dict[str, object], partition: int, outcome: Outcome
) -> None:
    with opened(catalog, "events.chain", subscription="desk") as run:
        assert run.outcome(row, {"partition": partition}) is outcome


def test_an_error_is_unknown_and_logged_once(
    catalog: predicat.Catalog, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING), opened(catalog, "events.fragile") as run:
        outcomes = [run.outcome({"id": number}) for number in (1, 2, 3)]
        assert outcomes == [Outcome.UNKNOWN, Outcome.ACCEPT, Outcome.UNKNOWN]
        assert not run.accepts({"id": 1})
    (logged,) = caplog.messages
    assert "raised ValueError for the row {'id': 1}: odd: 1" in logged
    with opened(catalog, "events.lenient") as run:
        assert run.accepts({"id": 1})
        assert not run.accepts({"id": 2}, {"partition": 9}), "RESCHEDULE is not UNKNOWN"


def test_no_result_and_a_failing_close_are_errors_of_the_class(
    catalog: predicat.Catalog, caplog: pytest.LogCaptureFixture
) -> None:
    with opened(catalog, "events.wrong") as run:
        assert run.outcome({"id": 1}) is Outcome.UNKNOWN
    assert ["None is not a valid FilterResult" in caplog.messages[0], "close of" in caplog.messages[1]] == [
        True,
        True,
    ]


def test_the_context_cannot_be_changed(catalog: predicat.Catalog) -> None:
    with opened(catalog, "events.tagged", subscription="desk", consumer={"name": "c1"}) as run:
        run.outcome({"kind": "a", "amount": 11.0})
        context = run._chain._properties
    with pytest.raises(TypeError):
        context["tag"] = "b"  # type: ignore[index]
    assert plan(catalog, "events.tagged", consumer={"name": "c1"}).consumer == {"name": "c1"}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("tests.entry_classes.Absent", "has no attribute 'Absent'"),
        ("tests.absent.Class", "No module named 'tests.absent'"),
        ("tests.entry_classes.Unmade", "RuntimeError: no licence"),
        ("tests.entry_classes.NoFilter", "it has no method filter_entry"),
        ("tager", "no entry filter is installed under the name 'tager'"),
    ],
)
def test_a_class_that_cannot_be_loaded(name: str, message: str) -> None:
    with pytest.raises(PredicatError, match=message):
        load(name)


def test_a_provider_is_found_by_its_name_and_listed_without_an_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "acme-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[predicat.entry_filters]\ntagger = acme_filters:Tagger\n")
    (tmp_path / "acme_filters.py").write_text(
        "class Tagger:\n"
        "    def filter_entry(self, entry, context): return 'ACCEPT'\n"
        "    def close(self): pass\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert ("tagger", "acme_filters:Tagger", "acme") in providers()
    listed = CliRunner().invoke(cli, ["filters", "providers"])
    assert listed.output == "tagger  acme_filters:Tagger  acme\n"
    assert "acme_filters" not in sys.modules
    assert load("tagger").filter_entry({}, None) == "ACCEPT"  # type: ignore[arg-type]


def test_no_provider() -> None:
    listed = CliRunner().invoke(cli, ["filters", "providers"])
    assert listed.output == "no provider is installed (entry point group predicat.entry_filters)\n"


# --- in the catalog


def test_check_imports_nothing(tmp_path: Path) -> None:
    text = CATALOG.replace(CLASS, "not_installed.anywhere.Class")
    assert loaded(tmp_path, text)["events.tagged"].language == "python"
    assert "not_installed" not in sys.modules


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("{python: 'acme..Tagged'}", "'acme..Tagged' is not the name of a Python class"),
        ("{python: acme.class.Tagged}", "'acme.class.Tagged' is not the name of a Python class"),
        ("{python: [a.B, 3]}", "python must be the name of a class, or a list of such names"),
        ("{python: []}", "needs at least one Python class"),
        ("{python: a.B, after: bigg}", "no filter is named 'bigg'"),
        (
            "{python: a.B, after: tagged}",
            "tagged is an entry filter, which cannot be a part of another filter",
        ),
        ("{sql: id = 1, after: big}", "`after` belongs to an entry filter, but this filter is in sql"),
        ("{all: [big, tagged]}", "tagged is an entry filter, which cannot be a part of another filter"),
        ("{python: a.B, tests: [{row: {id: 1}, matches: true}]}", "this filter runs Python code"),
    ],
)
def test_errors_of_the_catalog(tmp_path: Path, body: str, message: str) -> None:
    text = CATALOG.replace("{sql: amount > 10}", "{sql: amount > 10}\n  added: " + body)
    with pytest.raises(PredicatError) as caught:
        loaded(tmp_path, text)
    (problem,) = caught.value.diagnostics
    assert message in problem.message
    assert problem.span.source.name.endswith("events.yml")


def test_engines_and_languages_refuse_it_and_name_the_alternative(catalog: predicat.Catalog) -> None:
    predicate = catalog["events.tagged"]
    for dialect in predicat.dialects():
        with pytest.raises(Unsupported) as caught:
            predicate.sql(dialect)
        assert "an entry filter is Python code" in caught.value.diagnostics[0].message
        assert "after:" in (caught.value.diagnostics[0].hint or "")
    with pytest.raises(Unsupported, match="an entry filter is Python code") as caught:
        predicate.to("cel")
    assert "after:" in (caught.value.diagnostics[0].hint or "")
    with pytest.raises(PredicatError, match="this filter runs Python code"):
        predicate.evaluate({"id": 1})
    with pytest.raises(PredicatError, match=r"events\.big@1 is not an entry filter"):
        plan(catalog, "events.big")
    with pytest.raises(PredicatError, match="events has no subscription named 'dask'"):
        plan(catalog, "events.tagged", subscription="dask")


def test_the_matcher_leaves_it_out(catalog: predicat.Catalog) -> None:
    matcher = predicat.Matcher(catalog, "events")
    assert matcher.names == ("big",)
    assert "Python code" in matcher.left_out["tagged"]
    with pytest.raises(PredicatError, match="Python code"):
        predicat.Matcher(catalog, "events", names=["tagged"])


def test_a_union_with_it_is_refused_in_sql(catalog: predicat.Catalog) -> None:
    with pytest.raises(Unsupported, match="an entry filter is Python code"):
        catalog.union("events.tagged").sql("spark")
    assert not catalog.known["events.tagged"].has_view() and catalog.known["events.big"].has_view()
