"""The public API."""

import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import predicat

ROOT = Path(__file__).parent.parent


def test_the_example_of_the_design() -> None:
    f = predicat.parse(
        'ce.type == "a" && data.amount > 3.5',
        language="cel",
        fields={"ce.type": "string", "data.amount": "double"},
    )
    assert f.evaluate({"ce.type": "a", "data.amount": 4.0}) is True
    assert f.evaluate({"ce": {"type": "b"}}) is False
    assert f.evaluate({}) is None
    sql, values = predicat.parse(
        'ce.type == "a" && n > 3', language="cel", fields={"ce.type": "string", "n": "bigint"}
    ).parameterized("postgres", first=4)
    assert (sql, values) == ('"ce.type" = $4 AND n > $5::bigint', ["a", 3])
    assert "sql" in predicat.languages() and {"spark", "postgres", "duckdb"} <= {*predicat.dialects()}


def test_without_fields_names_are_dynamic() -> None:
    f = predicat.parse('data.user.id == "abc123" && data.latency > 300.0', language="cel")
    assert f.evaluate({"data": {"user": {"id": "abc123"}, "latency": 301}}) is True
    assert f.evaluate({"data.user.id": "abc123", "data.latency": 301}) is True
    assert f.evaluate({"data": {"user": {"id": 5}, "latency": 301}}) is False
    assert f.evaluate({"data": {"latency": "x"}}) is None


def test_words_of_enumerations_are_constants(tmp_path: Path) -> None:
    enums = {"Status": {"ACTIVE": 1, "CLOSED": 2}, "shop.Kind": {"SHIP": "ship"}}
    fields = {"status": "bigint", "kind": "string", "Status.CLOSED": "bigint"}
    for language, text in (
        ("sql", "status = Status.ACTIVE AND kind IN (shop.Kind.SHIP)"),
        ("cel", "status == Status.ACTIVE && kind == shop.Kind.SHIP"),
    ):
        found = predicat.parse(text, language, fields, enums=enums)
        assert found.evaluate({"status": 1, "kind": "ship"}) is True
        assert found.sql("postgres").startswith("status = 1 AND kind")
    assert predicat.parse("status == Status.CLOSED", "cel", fields, enums=enums).fields.keys() == {
        "status",
        "Status.CLOSED",
    }
    assert predicat.parse("status == Status.ACTIVE", "cel", enums=enums).fields.keys() == {"status"}
    file = tmp_path / "orders.yml"
    file.write_text(
        "apiVersion: predicat/v1\ndataset: orders\nfields: {status: bigint}\nenums: {Status: {ACTIVE: 1}}\n"
        "filters: {active: {cel: status == Status.ACTIVE}}\n"
    )
    assert predicat.load_catalog(file)["orders.active"].sql("spark") == "status = 1"


def test_params() -> None:
    catalog = predicat.load_catalog(ROOT / "catalog")
    f = catalog["flights.long_delay"]
    assert f.params == ("minutes",)
    assert f.evaluate({"dep_delay": 70}) is True
    assert f.evaluate({"dep_delay": 70}, minutes=90) is False
    with pytest.raises(predicat.PredicatError, match="no parameter 'minuts'"):
        f.evaluate({}, minuts=1)
    assert catalog["long_delay@1"].sql("spark") == "dep_delay > 30"
    assert f.parameterized("postgres", first=2) == ("dep_delay >= $2::bigint", [60])
    assert f.parameterized("spark", minutes=90) == ("dep_delay >= CAST(? AS BIGINT)", [90])


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"minuts": 1}, "did you mean 'minutes'"),
        ({"minutes": "90"}, "parameter 'minutes' of this predicate must have type bigint, not str"),
        ({"minutes": float("nan")}, "NaN is not supported as the value of a parameter"),
        ({"minutes": 2**63}, "must have type bigint, not int"),
    ],
)
def test_wrong_params(params: dict[str, object], message: str) -> None:
    f = predicat.load_catalog(ROOT / "catalog")["flights.long_delay"]
    for call in (
        lambda: f.evaluate({"dep_delay": 70}, **params),
        lambda: f.parameterized("postgres", **params),
    ):
        with pytest.raises(predicat.PredicatError, match=message):
            call()


def test_a_param_without_a_default_is_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "d.yml"
    file.write_text(
        "apiVersion: predicat/v1\ndataset: d\nfields: {n: bigint, s: string}\n"
        "filters: {f: {sql: 'n > :least AND s = :word', params: {least: bigint, word: {type: string, "
        "default: x}}}}\n"
    )
    f = predicat.load_catalog(file)["d.f"]
    with pytest.raises(
        predicat.PredicatError, match="this predicate needs a value for its parameter 'least'"
    ):
        f.parameterized("duckdb")
    assert f.parameterized("duckdb", least=3) == ("n > CAST($1 AS BIGINT) AND s = $2", [3, "x"])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: predicat.parse("a", "sqll"), "did you mean 'sql'"),
        (lambda: predicat.parse("a = 1", "sql", {"a": "bigintt"}), "did you mean 'bigint'"),
        (
            lambda: predicat.parse("a = 1", "sql", {"a": {"type": "bigint", "colum": "x"}}),
            "did you mean 'column'",
        ),
        (
            lambda: predicat.parse("a = 1", "sql", {"a": "bigint"}).evaluate({"a": "x"}),
            "the field 'a' has type bigint",
        ),
        (lambda: predicat.parse("a = 1", "sql", {"a": "bigint"}).sql("duck"), "no SQL dialect"),
        (lambda: predicat.parse("s = 'a\0'", "sql", {"s": "string"}).sql("postgres"), "NUL"),
        (lambda: predicat.parse("(" * 500 + "a = 1" + ")" * 500, "sql", {"a": "bigint"}), "nested deeper"),
        (
            lambda: predicat.parse(
                "'x' = 'x' AND " * 60 + "a = " + "[" * 400 + "]" * 400, "sql", {"a": "bigint"}
            ),
            "nested deeper",
        ),
        (lambda: predicat.parse("[" * 500 + "a" + "]" * 500, "cel", {"a": "boolean"}), "deep"),
        (lambda: predicat.parse("a = 1 " + "OR a = 1 " * 20000, "sql", {"a": "bigint"}), "limit"),
        (lambda: predicat.parse(5, "sql"), "must be a string"),
        (lambda: predicat.parse("matches_filter('x')", "sql", {}), "needs a catalog"),
        (lambda: predicat.parse("a > 0.1", "cel", {"a": "boolean"}), "cannot compare boolean with double"),
    ],
)
def test_errors(call: object, message: str) -> None:
    with pytest.raises(predicat.PredicatError, match=message):
        call()  # type: ignore[operator]


@pytest.mark.parametrize(
    "text",
    [
        "'",
        '"',
        "\\",
        "\\'",
        "--",
        "/*",
        "${x}",
        "{{x}}",
        "%s",
        ":x",
        "?",
        "$1",
        "\u2019",
        "\ud7ff",
        "x' OR '1'='1",
        "\\' OR 1=1 --",
    ],
)
def test_constants_stay_constants(text: str) -> None:
    """An attack in a constant changes nothing: the SQL is one comparison whose constant reads back as it
    was.
    """
    import sqlglot
    from sqlglot import exp

    for language, body in (
        ("cel", f"s == {text!r}" if "\\" not in text and "'" not in text else None),
        ("sql", "s = '" + text.replace("'", "''") + "'"),
    ):
        if body is None:
            continue
        f = predicat.parse(body, language, {"s": "string"})
        assert f.evaluate({"s": text}) is True
        for dialect in predicat.dialects():
            tree = sqlglot.parse_one(f.sql(dialect), read=dialect)
            assert isinstance(tree, exp.EQ) and tree.expression.this == text


def test_importing_the_compiler_loads_no_engine() -> None:
    script = (
        "import sys, predicat; print([name for name in ('pyspark', 'sqlglot', 'psycopg', 'jinja2', "
        "'great_expectations') if name in sys.modules])"
    )
    assert (
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
        == "[]\n"
    )


def test_a_mistyped_key_of_a_row_is_a_warning_that_names_the_near_one() -> None:
    f = predicat.parse(
        "dep_delay > 30 AND ce.type = 'a'",
        "sql",
        {"dep_delay": "double", "ce.type": "string", "other": "string"},
    )
    with pytest.warns(predicat.UnknownKeyWarning) as caught:
        assert f.evaluate({"dep_dely": 40, "ce": {"typ": "a"}}) is None
    assert [str(item.message) for item in caught] == [
        "the row has no 'dep_delay', which the predicate reads: did you mean 'dep_dely'?",
        "the row has no 'ce.type', which the predicate reads: did you mean 'ce.typ'?",
    ]
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert f.evaluate({"dep_dely": 41, "ce": {"typ": "a"}}) is None  # once for each kind of row
        assert f.evaluate({"dep_delay": 41, "ce": {"type": "a"}, "dep_dely": 1}) is True
        assert f.evaluate({"dep_delay": 41, "ce.type": "a"}) is True
        assert f.evaluate({}) is None
        assert f.evaluate({"dep_delay": None, "unlike": 1}) is None
        assert predicat.parse("a.b == 1", "cel").evaluate({"a.b": 1, "ab": 2}) is True
        assert (
            predicat.parse("m['kinds'] = 'x'", "sql", {"m": "map<string, string>"}).evaluate(
                {"m": {"kind": "x"}}
            )
            is None
        )


def test_a_catalog_is_a_collection_of_names() -> None:
    catalog = predicat.load_catalog(Path(__file__).parent.parent / "catalog")
    names = list(catalog)
    assert len(catalog) == len(names) > 50 and all(name in catalog for name in names)
    assert "late" in catalog and "flights.late@1" in catalog
    assert "nothing" not in catalog and 5 not in catalog


def test_a_predicate_shows_itself_in_one_line() -> None:
    fields = {"s": "string", "properties": "map<string, string>"}
    assert repr(predicat.parse("s =\n 'x'", "sql", fields)) == "Predicate(\"s = 'x'\", 'sql')"
    policy = predicat.parse({"type": ["order"]}, "sns", fields, on="properties")
    assert (
        repr(policy).startswith("Predicate(") and repr(policy).endswith("'sns')") and "\n" not in repr(policy)
    )
    long = predicat.parse(" OR ".join(f"s = '{number}'" for number in range(500)), "sql", fields)
    assert len(repr(long)) < 160


def test_sqlglot_and_its_compiled_core_are_one_pair() -> None:
    """The compiled core reads the trees of its own release only."""
    from importlib.metadata import version

    assert version("sqlglot") == version("sqlglotc")
