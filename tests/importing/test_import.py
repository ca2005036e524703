"""`predicat import`: what is read out of manifests, what is left out, and how it is told. `python -m
tests.importing.test_import` writes the files of golden.
"""

import base64
import json
import os
import random
import re
import shlex
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from click.testing import CliRunner

import predicat
from predicat.cli.import_command import command
from predicat.diagnostics import PredicatError, Source
from predicat.diagnostics.extras import installed
from predicat.importing import KINDS, read
from predicat.importing.celtext import Cel
from predicat.importing.documents import parsed
from predicat.importing.located import plain
from predicat.importing.model import slug
from tests.fuzzing import Costs
from tests.language.test_reader_fuzz import mutated_data

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
MANIFESTS = sorted(file.name for file in (HERE / "manifests").iterdir())


def imported(*args: str, folder: Path = HERE / "manifests") -> tuple[str, str]:
    """What the command prints: the catalog files, and the report with the problems."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        done = CliRunner().invoke(command, list(args))
    finally:
        os.chdir(before)
    problems = ""
    if isinstance(done.exception, PredicatError):
        problems = "\n\n".join(item.render() for item in done.exception.diagnostics) + "\n"
    elif done.exception is not None and not isinstance(done.exception, SystemExit | click.ClickException):
        raise done.exception
    return done.stdout, done.stderr + problems


def shown(name: str) -> str:
    catalog, report = imported(name)
    return f"{report}\n{catalog}"


@pytest.mark.parametrize("name", MANIFESTS)
def test_golden(name: str) -> None:
    if name.endswith(".tf") and not installed("hcl2"):
        pytest.skip("python-hcl2 is not installed")
    assert shown(name) == (HERE / "golden" / f"{name}.txt").read_text(encoding="utf-8")


CONTEXTS = [
    {"email": "a@example.org", "age": 18},
    {"age": 18, "country": "DE"},
    {"plan": "pro"},
    {"plan": "team"},
    {},
]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("new_checkout", [True, False, False, False, False]),
        ("beta", [False, True, False, False, False]),
        ("banner_red", [False, False, True, False, False]),
        ("banner_blue", [True, True, False, True, True]),
    ],
)
def test_a_flag_is_on_for_the_contexts_of_its_targeting(name: str, expected: list[bool]) -> None:
    filters = yaml.safe_load(imported("flags.json")[0])["filters"]
    flag = predicat.parse(filters[name]["jsonlogic"], "jsonlogic", {"context": "json"}, on="context")
    assert [flag.evaluate({"context": context}) for context in CONTEXTS] == expected


ODD = [
    {"kind": {"S": "Event"}, "apiVersion": "v1"},
    {"EventPattern": {}},
    {"Attributes": 5},
    {"Resources": {"a": 5}},
    {"kind": "Trigger", "apiVersion": "eventing.knative.dev/v1"},
    {"bindings": [5]},
]


def documents() -> list[Any]:
    """The documents of the manifests, and some odd ones."""
    files = [HERE / "manifests" / name for name in MANIFESTS if name.endswith((".yaml", ".yml", ".json"))]
    loaded = [one for file in files for one in parsed(Source(str(file), file.read_text()))]
    return [*ODD, *filter(None, map(plain, loaded))]


def test_documents_of_any_shape_are_no_more_than_left_out(tmp_path: Path) -> None:
    known, file, taken, costs = documents(), tmp_path / "x.json", 0, Costs("documents")
    first = int(os.environ.get("PREDICAT_FUZZ_FIRST", "0"))
    for number in range(first, first + int(os.environ.get("PREDICAT_FUZZ_EXAMPLES", "200"))):
        draw = random.Random(number)
        document = known[number] if number < len(known) else mutated_data(draw.choice(known), known, draw)
        file.write_text(json.dumps(document, default=str), encoding="utf-8", errors="replace")
        with costs.measured():
            findings = read((file,))
        assert not [problem for problem in findings.problems if problem.code == "internal"]
        taken += len(findings.imported)
    costs.show()
    assert taken > 20


def test_check_accepts_what_is_written(tmp_path: Path) -> None:
    _, report = imported(".", "--to", str(tmp_path / "imported.yml"))
    assert "Traceback" not in report
    catalog = predicat.load_catalog(tmp_path)
    assert len(catalog.filters()) > 40
    assert (tmp_path / "imported_cloud_events.yml").exists()
    paid = catalog["cloud_events.paid"]
    assert paid.evaluate({"ce": {"type": "com.shop.order.paid", "region": "eu"}}) is True
    assert paid.evaluate({"ce": {"type": "com.shop.order.paid"}}) is False
    for row in catalog.filters():
        for dialect in ("spark", "postgres", "duckdb"):
            try:
                assert catalog[row.qualified].sql(dialect)
            except predicat.Unsupported:
                assert row.dataset in ("kubernetes_objects", "admission_requests", "webhooks")


def test_event_patterns_read_one_field(tmp_path: Path) -> None:
    imported("eventbridge.yaml", "--to", str(tmp_path / "imported.yml"))
    catalog = predicat.load_catalog(tmp_path)
    text = catalog["bus_events.text"]
    assert (
        text.evaluate(
            {"event": {"source": "com.shop", "detail": {"key": "in/b/1"}}}, source="com.shop", bucket="b"
        )
        is True
    )
    assert (
        text.evaluate(
            {"event": {"source": "com.shop", "detail": {"key": "in/c/1"}}}, source="com.shop", bucket="b"
        )
        is False
    )
    stream = catalog["bus_events.stream"]
    assert [stream.evaluate({"event": {"eventName": name}}) for name in ("INSERT", "MODIFY")] == [True, False]


def test_the_content_of_records_is_decoded(tmp_path: Path) -> None:
    """As Lambda does: JSON texts, in base64 but for the body of a message."""
    duckdb = pytest.importorskip("duckdb")
    sources = [{"body": {"kind": ["order"]}}, {"data": {"kind": ["order"]}}, {"value": {"kind": ["order"]}}]
    resources = {
        f"Of{number}": {
            "Type": "AWS::Lambda::EventSourceMapping",
            "Properties": {"FilterCriteria": {"Filters": [{"Pattern": json.dumps(pattern)}]}},
        }
        for number, pattern in enumerate(sources)
    }
    (tmp_path / "template.json").write_text(json.dumps({"Resources": resources}))
    imported("template.json", "--to", "catalog/imported.yml", folder=tmp_path)
    catalog = predicat.load_catalog(tmp_path / "catalog")
    document = '{"kind": "order"}'
    coded = base64.b64encode(document.encode()).decode()
    for number, (name, texts) in enumerate((("body", [document]), ("data", [coded]), ("value", [coded]))):
        predicate = catalog[f"source_records.of{number}"]
        assert predicate.evaluate({name: json.loads(document)}) is True
        for text, expected in [(texts[0], True), ("{", False), ("*", False), ("", False)]:
            query = f"SELECT ({predicate.sql('duckdb')}) IS TRUE FROM (SELECT ? AS {name})"  # its own
            assert duckdb.execute(query, [text]).fetchone() == (expected,), (name, text)


def test_what_a_folder_has_beside_manifests_is_told_in_a_few_lines(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"chart{number}.yaml").write_text("a: {{ .Values.a }}\nb: [")
        (tmp_path / f"package{number}.json").write_text("{}")
    (tmp_path / "trigger.yaml").write_text(_TRIGGER % "order")
    _, report = imported(".", folder=tmp_path)
    lines = report.splitlines()
    assert lines[0].startswith("trigger.yaml:4: imported cloud_events.orders")
    assert "left out 30 parts: it is not a manifest with filters (first package0.json:1)" in lines
    assert len(lines) < 8
    assert lines[-1] == "# 1 filter imported, 60 parts left out"
    with pytest.raises(PredicatError):
        raise_problems("chart0.yaml", tmp_path)


def raise_problems(name: str, folder: Path) -> None:
    """A file that is named is a manifest: what is wrong with it is told."""
    if problems := read((folder / name,)).problems:
        raise PredicatError(problems)


# --- files that are there


_TRIGGER = """\
apiVersion: eventing.knative.dev/v1
kind: Trigger
metadata: {name: orders}
spec: {filter: {attributes: {type: %s}}}
"""


def _trigger(folder: Path, kind: str, *args: str) -> tuple[str, str]:
    (folder / "trigger.yaml").write_text(_TRIGGER % kind, encoding="utf-8")
    return imported("trigger.yaml", "--to", "catalog/events.yml", *args, folder=folder)


def test_a_file_keeps_what_is_in_it(tmp_path: Path) -> None:
    file = tmp_path / "catalog" / "events.yml"
    file.parent.mkdir()
    file.write_text(
        "# ours\napiVersion: predicat/v1\ndataset: cloud_events\nrelation: prod.events\nfields:\n  ce: "
        "map<string, string>\nfilters:\n"
        "  mine:  # by hand\n    attributes: {type: a}\n"
    )
    assert (
        _trigger(tmp_path, "order")[0]
        == "wrote catalog/events.yml: 1 added, 0 replaced\n1 filter imported, 0 parts left out\n"
    )
    text = file.read_text()
    assert (
        "# ours" in text
        and "mine:  # by hand" in text
        and "relation: prod.events" in text
        and "type: order" in text
    )
    assert len(predicat.load_catalog(file.parent).filters()) == 2


def test_the_same_filter_is_left_alone_and_another_one_kept(tmp_path: Path) -> None:
    file = tmp_path / "catalog" / "events.yml"
    _trigger(tmp_path, "order")
    before = file.read_text()
    assert "catalog/events.yml has all of these filters" in _trigger(tmp_path, "order")[0]
    file.write_text(before.replace("    attributes:", "    owner: me@example.com\n    attributes:"))
    report = _trigger(tmp_path, "refund")[1]
    assert (
        "catalog/events.yml has another filter 'orders', which is kept" in report
        and "trigger.yaml:4" in report
    )
    assert "type: order" in file.read_text()
    assert "1 replaced" in _trigger(tmp_path, "refund", "--force")[0]
    text = file.read_text()
    assert "type: refund" in text and "type: order" not in text and "owner: me@example.com" in text


def test_other_files_of_the_dataset_count(tmp_path: Path) -> None:
    other = tmp_path / "catalog" / "base.yml"
    other.parent.mkdir()
    other.write_text(
        "apiVersion: predicat/v1\ndataset: cloud_events\ndescription: Ours.\nrelation: e\nfields: {ce: "
        '"map<string, string>"}\n'
    )
    _trigger(tmp_path, "order")
    assert "fields" not in (tmp_path / "catalog" / "events.yml").read_text()
    assert predicat.load_catalog(tmp_path / "catalog")["orders"].evaluate({"ce": {"type": "order"}}) is True


@pytest.mark.parametrize("text", ["a: [", "kind: x\n", "apiVersion: predicat/v1\ndataset: other\n"])
def test_no_other_file_is_written_to(tmp_path: Path, text: str) -> None:
    file = tmp_path / "catalog" / "events.yml"
    file.parent.mkdir()
    file.write_text(text)
    assert "nothing can be imported into this file" in _trigger(tmp_path, "order")[1]
    assert file.read_text() == text


def test_a_file_that_is_no_utf8_is_told(tmp_path: Path) -> None:
    file = tmp_path / "catalog" / "events.yml"
    file.parent.mkdir()
    text = b"apiVersion: predicat/v1\ndescription: caf\xe9\n"
    file.write_bytes(text)
    assert (
        "cannot read catalog/events.yml: it is not valid UTF-8 at byte 40" in _trigger(tmp_path, "order")[1]
    )
    assert file.read_bytes() == text


def test_one_dataset_for_all(tmp_path: Path) -> None:
    imported(
        "knative.yaml",
        "kubernetes.yaml",
        "definitions.json",
        "--to",
        str(tmp_path / "all.yml"),
        "--dataset",
        "rows",
    )
    catalog = predicat.load_catalog(tmp_path)
    assert list(catalog.datasets) == ["rows"]
    assert sorted(catalog.datasets["rows"].fields) == ["ce", "headers", "labels", "routing_key"]


def test_nothing_of_an_unreadable_file_hides_the_others(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("{{ if .x }}\na: b\n")
    (tmp_path / "b.yaml").write_text(_TRIGGER % "order")
    catalog, report = imported(".", folder=tmp_path)
    assert "type: order" in catalog and "a.yaml:2" in report


# --- details


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("S3Bucket", "s3_bucket"),
        ("EC2Rule", "ec2_rule"),
        ("HTTPServer", "http_server"),
        ("k8srequired", "k8srequired"),
        ("a-b.c", "a_b_c"),
        ("123", "filter_123"),
        ("+", "filter"),
        ("x" * 80, "x" * 63),
    ],
)
def test_names(text: str, expected: str) -> None:
    assert slug(text) == expected


def test_aliases_are_written_out_within_bounds() -> None:
    lines = "a: &a [x, x, x, x, x, x, x, x]\n" + "".join(
        f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join(['*' + chr(97 + i)] * 8)}]\n" for i in range(8)
    )
    with pytest.raises(PredicatError, match="with its aliases expanded it is too large"):
        parsed(Source("bomb.yaml", lines))
    assert parsed(Source("a.yaml", "a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}\n")) == [
        {"a": {"x": 1, "y": 2}, "b": {"x": 1, "y": 3}}
    ]


def test_expressions_are_put_in_but_not_into_texts() -> None:
    text = "variables.a + 'variables.a' + x.variables.a + variables.ab // variables.a"
    given = {"variables.a": Cel("p + q", Source("f", "p + q"), range(5))}
    assert Cel(text, Source("f", text), range(len(text))).inlined(given).text == text.replace(
        "variables.a +", "(p + q) +", 1
    )


@pytest.mark.skipif(not installed("hcl2"), reason="python-hcl2 is not installed")
def test_the_files_of_a_folder_are_one_module_of_terraform(tmp_path: Path) -> None:
    (tmp_path / "main.tf").write_text(
        'resource "aws_sns_topic_subscription" "a" {\n  filter_policy = jsonencode({ c = var.colors, d '
        "= [local.day] })\n}\n"
    )
    (tmp_path / "variables.tf").write_text(
        'variable "colors" {\n  default = ["red"]\n}\nlocals {\n  day = "monday"\n}\n'
    )
    (tmp_path / "broken.tf").write_text('variable "x" {\n')
    catalog, report = imported("main.tf", folder=tmp_path)
    assert "- red" in catalog and "- monday" in catalog and "params" not in catalog and "broken" not in report
    assert "this is not valid HCL" in imported("broken.tf", folder=tmp_path)[1]


@pytest.mark.skipif(not installed("hcl2"), reason="python-hcl2 is not installed")
@pytest.mark.parametrize("text", ["EOF", "EOF  ", "EOF\r"])
def test_heredocs(tmp_path: Path, text: str) -> None:
    lines = (
        f'resource "aws_sns_topic_subscription" "a" {{\n  filter_policy = <<{text}\n{{"a": ["b"]}}\n'
        f"{text}\n}}\n"
    )
    (tmp_path / "main.tf").write_bytes(lines.encode())
    assert "- b" in imported("main.tf", folder=tmp_path)[0]


# --- the page of the documentation


def test_the_page_lists_every_kind() -> None:
    page = (ROOT / "docs" / "import.md").read_text(encoding="utf-8")
    assert [
        line for row in KINDS if (line := f"| {row.name} | {row.takes} | {row.language} |") not in page
    ] == []


def test_the_example_of_the_page(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "import.md").read_text(encoding="utf-8")
    manifest, console, report = (
        re.findall(rf"^```{kind}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[0]
        for kind in ("yaml", "console", "text")
    )
    (tmp_path / "trigger.yaml").write_text(manifest, encoding="utf-8")
    command_line, _, output = console.partition("\n")
    done = imported(*shlex.split(command_line)[3:], folder=tmp_path)
    assert done == (output, report)


def _write() -> None:
    for name in MANIFESTS:
        (HERE / "golden" / f"{name}.txt").write_text(shown(name), encoding="utf-8")


if __name__ == "__main__":
    _write()
