"""matching_filters: the same answer as matches_filter for each filter, and as the reference evaluator."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import predicat
import predicat_spark
from benchmarks import matching_mixes
from predicat import backends
from predicat.diagnostics import Unsupported
from predicat.ir.nodes import FieldDecl, Node, fields_of
from predicat.ir.types import parse_type
from predicat.rewrite.acceptance import for_acceptance
from predicat.rewrite.simplify import simplify
from predicat.semantics.evaluate import compile_node
from predicat_spark.rows import frame_of
from predicat_spark.settings import settings
from tests.engines.predicates import FIELDS, predicates, rows
from tests.engines.test_generated import EXAMPLES, generated
from tests.texts import tables_of

CATALOG = """
apiVersion: predicat/v1
dataset: messages
relation: {spark: messages}
fields:
  kind: string
  region: string
  amount: double
  size: int
  price: "decimal(10,2)"
  at: timestamp
  day: date
  paid: boolean
  tags: array<string>
  marks: array<bigint>
  headers: map<string, string>
  data: "struct<a: string, n: bigint>"
  doc: json
filters: {}
"""
TEXTS = ["a", "ab", "abc", "b", "order.created", "order.paid", "x_y", "é", "", "zz"]
ATOMS = tables_of(__file__)["atoms"]["sql"]


def condition(rng: random.Random, depth: int) -> str:
    if depth == 0:
        number = rng.randint(-2, 9)
        return rng.choice(ATOMS).format(
            text=rng.choice(TEXTS),
            other=rng.choice(TEXTS),
            number=number,
            more=number + rng.randint(0, 4),
            day=f"{rng.randint(1, 9):02}",
        )
    parts = [condition(rng, rng.randint(0, depth - 1)) for _ in range(rng.randint(1, 3))]
    joined = rng.choice([" AND ", " AND ", " OR "]).join(f"({part})" for part in parts)
    return f"NOT ({joined})" if rng.random() < 0.2 else joined


def message(rng: random.Random) -> dict[str, Any]:
    def maybe(value: Any) -> Any:
        return None if rng.random() < 0.15 else value

    def text() -> str:
        return rng.choice([*TEXTS, "AB", "order.created.late", "Ab_"])

    return {
        "kind": maybe(text()),
        "region": maybe(text()),
        "amount": maybe(rng.choice([float(rng.randint(-3, 12)), 2.5, -0.0, float("nan"), float("inf")])),
        "size": maybe(rng.randint(-3, 12)),
        "price": None,
        "at": maybe(datetime(2024, 1, 1, tzinfo=UTC) + timedelta(hours=rng.randint(-30, 240))),
        "day": maybe(date(2024, 1, 1) + timedelta(days=rng.randint(-2, 10))),
        "paid": maybe(rng.random() < 0.5),
        "tags": maybe([maybe(text()) for _ in range(rng.randint(0, 3))]),
        "marks": maybe([maybe(rng.randint(-2, 9)) for _ in range(rng.randint(0, 3))]),
        "headers": maybe({text(): maybe(text()) for _ in range(rng.randint(0, 3))}),
        "data": maybe({"a": maybe(text()), "n": maybe(rng.randint(-2, 9))}),
        "doc": maybe(
            rng.choice([{"kind": text(), "n": rng.randint(-2, 9)}, {"n": "3"}, [1], {"kind": None}])
        ),
    }


def manifest_of(
    path: Path,
    dataset: str,
    filters: Mapping[str, tuple[Node, str]],
    subscriptions: Mapping[str, str] | None = None,
) -> list[str]:
    """A manifest of some predicates; the names of those that Spark supports."""
    found: list[dict[str, Any]] = []
    for name, (node, on_unknown) in filters.items():
        try:
            sql = backends.dialect("spark").render(for_acceptance(node) if on_unknown == "reject" else node)
        except Unsupported:
            continue
        fields = fields_of(node).values()
        found.append(
            {
                "name": f"{dataset}.{name}",
                "dataset": dataset,
                "version": 1,
                "latest": True,
                "tags": [],
                "on_unknown": on_unknown,
                "deprecated": None,
                "hash": "",
                "params": [],
                "sql": {"spark": sql},
                "columns": {"spark": [field.column("spark") for field in fields]},
                "types": [str(field.type) for field in fields],
            }
        )
    named = {key: {"filter": value} for key, value in (subscriptions or {}).items()}
    path.write_text(
        json.dumps({"format": 1, "datasets": {dataset: {"subscriptions": named}}, "filters": found})
    )
    return [row["name"].split(".")[1] for row in found]


def check(
    spark: Any,
    path: Path,
    fields: Mapping[str, FieldDecl],
    given_rows: list[dict[str, Any]],
    filters: Mapping[str, tuple[Node, str]],
) -> int:
    """All functions give what the evaluator says of each filter and row; how many filters accepted rows."""
    names = manifest_of(path, "generated", filters)
    expected = []
    runs = {name: (compile_node(filters[name][0]), filters[name][1] == "accept") for name in sorted(names)}
    for row in given_rows:
        said = {name: (run(row), lax) for name, (run, lax) in runs.items()}
        expected.append([name for name, (value, lax) in said.items() if value or (value is None and lax)])
    with settings(spark, {"spark.predicat.manifest": str(path)}):
        frame = frame_of(list(fields.values()), given_rows, spark)
        got = (
            frame.select(
                "__id",
                predicat_spark.matching_filters("generated").alias("names"),
                predicat_spark.matching_filter_ids("generated").alias("ids"),
                predicat_spark.count_matching_filters("generated").alias("count"),
            )
            .orderBy("__id")
            .collect()
        )
    for row, want in zip(got, expected, strict=True):
        differing = sorted(set(row["names"]) ^ set(want))
        assert not differing, f"{differing[0]}: {given_rows[row['__id']]}\n{filters[differing[0]]}"
        assert row["names"] == want and len(want) == row["count"]
        assert [sorted(names)[place] for place in row["ids"]] == want
    return sum(map(len, expected))


def agrees(spark: Any, path: Path, filters: int, messages: int, seed: int) -> None:
    rng = random.Random(seed)
    (path / "messages.yml").write_text(CATALOG)
    fields = predicat.load_catalog(path).datasets["messages"].fields
    texts = [condition(rng, rng.randint(0, 3)) for _ in range(filters)]
    nodes = {
        f"f{place:04}": (
            predicat.parse(text, "sql", dict(fields)).node,
            rng.choice(["reject", "reject", "accept"]),
        )
        for place, text in enumerate(texts)
    }
    assert check(spark, path / "manifest.json", fields, [message(rng) for _ in range(messages)], nodes)


def test_as_the_evaluator_on_messages(spark: Any, tmp_path: Path) -> None:
    agrees(spark, tmp_path, 150, 100, 1)


@pytest.mark.slow
def test_as_the_evaluator_on_many_messages(spark: Any, tmp_path: Path) -> None:
    agrees(spark, tmp_path, 1000, 10000, 2)


def mixed(rng: random.Random, constants: Sequence[dict[str, str]]) -> dict[str, Any]:
    """A row that has what some filters of the mixes ask for."""
    one, other, last = (rng.choice(constants) for _ in range(3))
    return {
        "kind": rng.choice([one["k1"], one["k2"], None]),
        "tenant": rng.choice([one["t1"], other["t2"], None]),
        "region": rng.choice([one["r1"], other["r3"], None]),
        "source": rng.choice([one["source"], other["services"], f"{other['source']}0", None]),
        "amount": rng.choice([float(one["a"]), float(one["near"]), float(other["next"]), 1.0, float("nan")]),
        "size": rng.choice([int(one["n"]) + 1, int(one["c"]), int(other["n400"]), None]),
        "headers": rng.choice([{one["key"]: f"{one['value']}3", other["key"]: other["value"]}, {}, None]),
        "tags": rng.choice(
            [[one["x"], None, other["xs"], f"{last['xs']}1"], [last["x"], one["xs"]], [], None]
        ),
    }


def test_mixes_of_the_benchmark(spark: Any, tmp_path: Path) -> None:
    """Their SQL is that of the compiler, and the index finds what the evaluator does."""
    rng = random.Random(5)
    fields = {name: FieldDecl(name, parse_type(kind)) for name, kind in matching_mixes.FIELDS.items()}
    constants = [matching_mixes.constants(rng) for _ in range(60)]
    nodes = {}
    for form in chain(*matching_mixes.MIXES.values()):
        for some in rng.sample(constants, 25):
            node = predicat.parse(form.text.format(**some), form.language, fields).node
            assert backends.dialect("spark").render(for_acceptance(node)) == (form.sql or form.text).format(
                **some
            )
            nodes[f"f{len(nodes):03}"] = (node, rng.choice(["reject", "accept"]))
    assert check(spark, tmp_path / "manifest.json", fields, [mixed(rng, constants) for _ in range(80)], nodes)


BOUNDS = [
    "order.",
    "order.created",
    "order.created.a",
    "order.created.b",
    "order.createe",
    "order.p",
    "order.zz",
]
PARTS = ["created", "rder", "abcabc", "cab", "é-ü", "der.cre", "order.created.late", "eat"]


def test_texts_that_begin_alike_or_repeat_themselves(spark: Any, tmp_path: Path) -> None:
    """Bounds with a common beginning, shorter texts, parts at any place, more than once, at the end."""
    fields = {"kind": FieldDecl("kind", parse_type("string"))}
    texts = [
        *(f"kind {sign} '{text}'" for text in BOUNDS for sign in ("<", "<=", ">", ">=", "=")),
        *(f"kind LIKE '{text}%'" for text in BOUNDS),
        *(f"kind BETWEEN '{low}' AND '{high}'" for low, high in pairwise(BOUNDS)),
        *(f"kind LIKE '%{text}{end}'" for text in PARTS for end in ("", "%", "%a%")),
        *(f"kind NOT LIKE '%{text}%'" for text in PARTS),
    ]
    nodes = {
        f"f{place:03}": (predicat.parse(text, "sql", fields).node, ("accept", "reject")[place % 2])
        for place, text in enumerate(texts)
    }
    kinds = [
        None,
        "",
        "a",
        "o",
        "order",
        "order.",
        "orderz",
        "orderé",
        "p",
        "order.d",
        "order.created.late",
        *BOUNDS,
    ]
    kinds += [f"{text}{end}" for text in BOUNDS for end in ("a", "\0", "zzzzzzzzzz")]
    kinds += [
        "abcabcabc",
        "abcab",
        "xabcabc",
        "é-ü",
        "xé-üa",
        "created",
        "recreated!",
        "cabcab",
        "rde",
        "border",
    ]
    check(spark, tmp_path / "manifest.json", fields, [{"kind": kind} for kind in kinds], nodes)


def test_few_of_many_filters_change(spark: Any, tmp_path: Path) -> None:
    """The index of the first manifest serves the others, which change, add and remove filters."""
    rng = random.Random(3)
    (tmp_path / "messages.yml").write_text(CATALOG)
    fields = predicat.load_catalog(tmp_path).datasets["messages"].fields
    given_rows = [message(rng) for _ in range(15)]

    def parsed(text: str) -> tuple[Node, str]:
        return predicat.parse(text, "sql", dict(fields)).node, rng.choice(["reject", "accept"])

    # Every column is read, whatever changes.
    every = {f"c{place:02}": parsed(f"{name} IS NOT NULL") for place, name in enumerate(fields)}
    many = {f"f{place:04}": parsed(condition(rng, rng.randint(0, 1))) for place in range(1010)}
    check(spark, tmp_path / "manifest.json", fields, given_rows, every | many)
    for turn in range(2):
        for name in rng.sample(sorted(many), 4):
            many[name] = parsed(condition(rng, 1))
        for name in rng.sample(sorted(many), 2):
            del many[name]
        many[f"f0500{turn}"] = parsed(condition(rng, 2))
        check(spark, tmp_path / f"manifest{turn}.json", fields, given_rows, every | many)


@hypothesis_settings(generated, max_examples=max(EXAMPLES // 4, 1))
@given(nodes=st.lists(predicates(3), min_size=40, max_size=40))
def test_as_the_evaluator_on_all_operators(
    spark: Any, tmp_path_factory: pytest.TempPathFactory, nodes: list[Node]
) -> None:
    filters = {
        f"f{place:03}": (simplify(node), "accept" if place % 3 == 0 else "reject")
        for place, node in enumerate(nodes)
    }
    path = tmp_path_factory.mktemp("generated") / "manifest.json"
    check(spark, path, FIELDS, rows(60), filters)


FLIGHTS = "(VALUES (1, 70L, 'UA'), (2, 10L, 'AA'), (3, null, 'UA')) AS flights(flight, dep_delay, carrier)"
SOME = "names => array('long_delay', 'late_united', 'long_delay@1')"


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (f"matching_filters('flights', {SOME})", [["late_united", "long_delay", "long_delay@1"], [], []]),
        (
            f"matching_filters('flights', 'flights', {SOME})",
            [["late_united", "long_delay", "long_delay@1"], [], []],
        ),
        (
            f"matching_filters('flights', flights.*, {SOME})",
            [["late_united", "long_delay", "long_delay@1"], [], []],
        ),
        (f"count_matching_filters('flights', {SOME})", [3, 0, 0]),
        ("matching_filters('flights', names => array('flights.late_united'))", [["late_united"], [], []]),
        (f"matching_filter_names('flights', {SOME})", [["late_united", "long_delay", "long_delay@1"]] * 3),
    ],
)
def test_calls(spark: Any, call: str, expected: list[Any]) -> None:
    found = spark.sql(f"SELECT {call} AS found FROM {FLIGHTS} ORDER BY flight").collect()
    assert [row.found for row in found] == expected


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("matching_filters('flight')", "no dataset is named 'flight'; did you mean 'flights'"),
        (
            "matching_filters('flights', tag => 'opps')",
            "no filter of flights has the tag 'opps'; did you mean 'ops'",
        ),
        ("matching_filters('flights', tag => carrier)", "'tag' must be a constant string"),
        ("matching_filters('flights', names => 'late')", "'names' must be a constant array of strings"),
        (
            "matching_filters('flights', names => array('lat'))",
            "no filter is named 'flights.lat'; did you mean",
        ),
        (
            "matching_filters('flights', tags => 'ops')",
            "there is no argument 'tags'; the named arguments are tag and",
        ),
        ("matching_filters('flights', names => array('@'))", "no filter is named 'flights.@'"),
        ("matching_subscriptions('flights', tag => 'ops')", "there is no argument 'tag'"),
        ("matching_filters()", "matching_filters needs the name of a dataset"),
        ("matching_filters(carrier)", "the name of a dataset must be a constant string"),
        ("matching_filters('flights', 1 + flight)", "matching_filters takes a dataset name, then an alias"),
        (
            "matching_filters('flights', names => array('summer'))",
            "filter flights.summer reads the column 'month', which the relation here does not have",
        ),
    ],
)
def test_errors(spark: Any, call: str, message: str) -> None:
    with pytest.raises(Exception, match=message) as caught:
        spark.sql(f"SELECT {call} FROM {FLIGHTS}").collect()
    assert type(caught.value).__name__ == "AnalysisException"


def test_uses_are_counted_and_subscriptions_have_names(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "c.yml").write_text(
        "apiVersion: predicat/v1\ndataset: counted\nfields: {a: bigint}\n"
        "filters: {big: {sql: a > 5}, small: {sql: a < 3}, given: {sql: 'a = :n', params: {n: {type: "
        "bigint}}}}\n"
        "subscriptions: {desk: {filter: big}, office: {filter: big}, home: {filter: small}}\n"
    )
    predicat_spark.compile_manifest(tmp_path, tmp_path / "manifest.json")
    with settings(spark, {"spark.predicat.manifest": str(tmp_path / "manifest.json")}):
        frame = spark.createDataFrame([(1,), (4,), (9,)], "a bigint").coalesce(1)
        found = frame.select(predicat_spark.matching_subscriptions("counted").alias("s")).collect()
        assert [row.s for row in found] == [["home"], [], ["desk", "office"]]
        found = frame.select(predicat_spark.matching_filters("counted").alias("s")).collect()
        assert [row.s for row in found] == [["small"], [], ["big"]]
        spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
        used = spark.sql("SELECT name, queries FROM predicat_filters() WHERE queries > 0").collect()
        assert {(row.name, row.queries) for row in used} == {("counted.big", 2), ("counted.small", 2)}
        with pytest.raises(Exception, match="needs a value for its parameter 'n', which has no default"):
            frame.select(predicat_spark.matching_filters("counted", names=["given"])).collect()


@pytest.mark.parametrize("key", ["spark.sql.codegen.wholeStage", "spark.sql.codegen.factoryMode"])
def test_without_generated_code(spark: Any, key: str) -> None:
    value = "NO_CODEGEN" if "factory" in key else "false"
    with settings(spark, {key: value, "spark.sql.codegen.wholeStage": "false"}):
        frame = spark.sql(f"SELECT * FROM {FLIGHTS}").repartition(2)
        found = (
            frame.selectExpr("flight", f"matching_filters('flights', {SOME}) AS f")
            .orderBy("flight")
            .collect()
        )
    assert [row.f for row in found] == [["late_united", "long_delay", "long_delay@1"], [], []]


def test_intervals_that_end_at_zero(spark: Any, tmp_path: Path) -> None:
    intervals = {f"f{place:02}": f"a BETWEEN -{10 + place} AND 0" for place in range(40)}
    lines = "".join(f"  {name}: {{sql: '{text}'}}\n" for name, text in intervals.items())
    (tmp_path / "c.yml").write_text(
        f"apiVersion: predicat/v1\ndataset: zero\nfields: {{a: bigint}}\nfilters:\n{lines}"
    )
    predicat_spark.compile_manifest(tmp_path, tmp_path / "manifest.json")
    with settings(spark, {"spark.predicat.manifest": str(tmp_path / "manifest.json")}):
        frame = spark.createDataFrame([(0,), (-20,), (-60,), (1,)], "a bigint").coalesce(1)
        found = frame.select(predicat_spark.matching_filters("zero").alias("f")).collect()
    assert [row.f for row in found] == [list(intervals), list(intervals)[10:], [], []]


def test_entry_filters_are_left_out(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "c.yml").write_text(
        "apiVersion: predicat/v1\ndataset: coded\nfields: {a: bigint}\n"
        "filters: {big: {sql: a > 5}, code: {python: some.Class, after: big}}\n"
        "subscriptions: {desk: {filter: code}}\n"
    )
    predicat_spark.compile_manifest(tmp_path, tmp_path / "manifest.json")
    with settings(spark, {"spark.predicat.manifest": str(tmp_path / "manifest.json")}):
        frame = spark.createDataFrame([(9,)], "a bigint")
        assert frame.select(predicat_spark.matching_filters("coded").alias("f")).first().f == ["big"]
        for asked in (
            predicat_spark.matching_filters("coded", names=["code"]),
            predicat_spark.matching_subscriptions("coded"),
        ):
            with pytest.raises(Exception, match="an entry filter is Python code") as caught:
                frame.select(asked).collect()
            assert caught.value.getSqlState() == "0A000"


def test_a_manifest_with_other_sql_is_an_error_of_analysis(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    manifest_of(path, "odd", {"f": (predicat.parse("a > 1", "sql", {"a": "bigint"}).node, "reject")})
    written = json.loads(path.read_text())
    written["filters"][0]["sql"]["spark"] = "reflect('java.lang.System', 'exit') = a"
    path.write_text(json.dumps(written))
    with settings(spark, {"spark.predicat.manifest": str(path)}):
        frame = spark.createDataFrame([(9,)], "a bigint")
        with pytest.raises(Exception, match="it calls the function reflect") as caught:
            frame.select(predicat_spark.matching_filters("odd")).collect()
        assert caught.value.getSqlState() == "42501"
