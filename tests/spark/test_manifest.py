"""The manifest of `matches_filter`: who chooses it, what it may hold, when a new one takes effect."""

import hashlib
import json
import os
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import predicat
import predicat_spark
from predicat.ir.nodes import fields_of
from predicat_spark.settings import settings
from tests.engines.test_corpus import ENTRIES, parsed
from tests.engines.test_operators import EXAMPLES, build
from tests.processes import in_process

KEY = "spark.predicat.manifest"


def entry(name: str, sql: str, columns: dict[str, str] | None = None, **more: Any) -> dict[str, Any]:
    columns = {"x": "bigint"} if columns is None else columns
    return {
        "name": name,
        "dataset": "m",
        "version": 1,
        "latest": True,
        "on_unknown": "reject",
        "sql": {"spark": sql},
        "params": [],
        "columns": {"spark": list(columns)},
        "types": list(columns.values()),
        **more,
    }


def write(path: Path, *filters: dict[str, Any]) -> Path:
    beside = path.with_suffix(".new")
    beside.write_text(json.dumps({"format": 1, "filters": filters}))
    beside.replace(path)
    return path


def param(name: str, kind: str, default: str | None = None) -> dict[str, Any]:
    return {"name": name, "type": kind, "default": None if default is None else {"spark": default}}


@contextmanager
def cluster(spark: Any, **values: str | None) -> Iterator[None]:
    """Settings of the running cluster itself, which no session can change."""
    conf = spark.sparkContext._jsc.sc().conf()
    names = {name.replace("__", "."): value for name, value in values.items()}
    before = {name: conf.get(name, None) for name in names}
    try:
        for name, value in names.items():
            conf.remove(name) if value is None else conf.set(name, value)
        yield
    finally:
        for name, value in before.items():
            conf.remove(name) if value is None else conf.set(name, value)


def refused(spark: Any, query: str) -> tuple[str, str, str]:
    with pytest.raises(Exception) as caught:  # noqa: PT011  # its parts are what tests look at
        spark.sql(query).collect()
    error: Any = caught.value
    return error.getCondition(), error.getSqlState(), str(error).split("\n")[0]


def test_a_session_chooses_a_manifest_only_where_the_cluster_lets_it(spark: Any, tmp_path: Path) -> None:
    other = write(tmp_path / "manifest.json", entry("m.big", "x > 5"))
    query = "SELECT count(*) FROM (SELECT 6L AS x) WHERE matches_filter('m.big')"
    with settings(spark, {KEY: str(other)}):
        assert spark.sql(query).first()[0] == 1
        with cluster(spark, spark__predicat__manifest__sessions="false"):
            condition, state, message = refused(spark, query)
            assert (condition, state) == ("PREDICAT_REFUSED", "42501")
            assert (
                "the cluster's configuration names another one" in message
                and "spark.predicat.manifest.sessions=true" in message
            )
            with cluster(spark, spark__predicat__manifest=None):
                assert spark.sql(query).first()[0] == 1
            predicat_spark.install(spark, manifest=other)
            assert spark.sql(query).first()[0] == 1


def test_a_pinned_manifest_has_the_digest_or_is_refused(spark: Any, tmp_path: Path) -> None:
    path = write(tmp_path / "manifest.json", entry("m.big", "x > 5"))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    query = "SELECT count(*) FROM (SELECT 6L AS x) WHERE matches_filter('m.big')"
    with (
        settings(spark, {KEY: str(path)}),
        cluster(spark, spark__predicat__manifest=str(path), spark__predicat__manifest__sha256=digest),
    ):
        assert spark.sql(query).first()[0] == 1
        write(path, entry("m.big", "x > 50"))
        assert refused(spark, "SELECT predicat_refresh()")[0] == "PREDICAT_REFUSED"
        assert spark.sql(query).first()[0] == 1
    with (
        settings(spark, {KEY: str(path)}),
        cluster(spark, spark__predicat__manifest=str(path), spark__predicat__manifest__sha256="0" * 64),
    ):
        assert "has the SHA-256" in refused(spark, query)[2]


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("(SELECT max(id) FROM payroll) > 5", "it has a subquery"),
        ("EXISTS (SELECT 1 FROM payroll)", "it has a subquery"),
        ("x IN (SELECT id FROM payroll)", "it has a subquery"),
        ("reflect('java.lang.System', 'getenv', 'HOME') > ''", "it calls the function reflect"),
        ("java_method('java.lang.System', 'exit', 0) IS NULL", "it calls the function java_method"),
        ("try_reflect('a', 'b') IS NULL", "it calls the function try_reflect"),
        ("my.own.f(x)", "it calls the function my.own.f"),
        ("matches_filter('m.other')", "it calls the function matches_filter"),
        ("sum(x) OVER () > 1", "it reads more than one row"),
        ("y > 5", "it reads 'y', which is not one of its columns"),
        ("session.secret = x", "it reads 'session.secret'"),
        ("count(*) > 1", "it calls the function count"),
        ("x >", "it cannot be read"),
    ],
)
def test_a_manifest_holds_predicates_only(spark: Any, tmp_path: Path, sql: str, reason: str) -> None:
    path = write(tmp_path / "manifest.json", entry("m.odd", sql), entry("m.fine", "x > 5"))
    with settings(spark, {KEY: str(path)}):
        condition, _, message = refused(spark, "SELECT matches_filter('m.odd') FROM (SELECT 6L AS x)")
        assert condition == "PREDICAT_REFUSED" and reason in message and "filter m.odd@1" in message
        assert refused(spark, "SELECT predicat_refresh()")[0] == "PREDICAT_REFUSED"
        assert spark.sql("SELECT matches_filter('m.fine') FROM (SELECT 6L AS x)").first()[0] is True


def test_a_default_is_checked_and_a_refused_manifest_leaves_the_old_one(spark: Any, tmp_path: Path) -> None:
    path = write(tmp_path / "manifest.json", entry("m.big", "x > 5"))
    query = "SELECT matches_filter('m.big') FROM (SELECT 6L AS x)"
    with settings(spark, {KEY: str(path), f"{KEY}.checkSeconds": "0"}):
        assert spark.sql(query).first()[0] is True
        write(
            path,
            entry("m.big", "x > :least", params=[param("least", "bigint", "(SELECT max(id) FROM payroll)")]),
        )
        assert spark.sql(query).first()[0] is True
        assert "a subquery" in refused(spark, "SELECT predicat_refresh()")[2]


def test_all_that_the_compiler_writes_is_taken(spark: Any, tmp_path: Path) -> None:
    """Every expression of the corpus and every example of an operator, in one manifest."""
    found: dict[str, dict[str, Any]] = {}
    for predicate in [case[1] for listed in ENTRIES for case in parsed(listed)]:
        columns = {decl.column("spark"): str(decl.type) for decl in fields_of(predicate.node).values()}
        found.setdefault(predicate.sql("spark"), columns)
    renderer = predicat.backends.dialect("spark")
    for number, (row, args, _) in enumerate(EXAMPLES):
        node, _, _ = build(row, args, f"e{number}_", columns=True)
        columns = {decl.column("spark"): str(decl.type) for decl in fields_of(node).values()}
        found.setdefault(renderer.render(node), columns)
    path = write(
        tmp_path / "manifest.json",
        *(entry(f"m.f{number}", sql, columns) for number, (sql, columns) in enumerate(found.items())),
    )
    assert len(found) > 800
    with settings(spark, {KEY: str(path)}):
        assert spark.sql("SELECT predicat_refresh()").first()[0] == f"{len(found)} filter versions"


def test_all_calls_of_a_statement_see_one_manifest(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"

    def turn(least: int) -> None:
        write(path, entry("m.one", f"x > {least}"), entry("m.two", f"x > {least}"))

    turn(0)
    done = threading.Event()

    def rewrite() -> None:
        least = 0
        while not done.is_set():
            least = 100 - least
            turn(least)

    writer = threading.Thread(target=rewrite)
    calls = ", ".join(f"matches_filter('m.{name}')" for name in ("one", "two") * 10)
    with settings(spark, {KEY: str(path), f"{KEY}.checkSeconds": "0"}):
        writer.start()
        try:
            rows = [set(spark.sql(f"SELECT {calls} FROM (SELECT 50L AS x)").first()) for _ in range(30)]
        finally:
            done.set()
            writer.join()
    assert all(len(row) == 1 for row in rows)
    assert {True, False} == set.union(*rows)


def test_a_new_manifest_is_read_beside_the_queries(spark: Any, tmp_path: Path) -> None:
    """Of the same length and time; then storage hangs, and the queries go on."""
    path = write(tmp_path / "manifest.json", entry("m.big", "x > 5"))
    stamp = path.stat()
    query = "SELECT matches_filter('m.big') FROM (SELECT 6L AS x)"
    with settings(spark, {KEY: str(path), f"{KEY}.checkSeconds": "0.2"}):
        assert spark.sql(query).first()[0] is True
        write(path, entry("m.big", "x > 7"))
        os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
        assert (path.stat().st_size, path.stat().st_mtime_ns) == (stamp.st_size, stamp.st_mtime_ns)
        deadline = time.monotonic() + 20
        while spark.sql(query).first()[0] is True and time.monotonic() < deadline:
            time.sleep(0.1)
        assert spark.sql(query).first()[0] is False
        path.unlink()
        os.mkfifo(path)
        time.sleep(0.6)
        try:
            assert spark.sql(query).first()[0] is False
        finally:
            path.write_text("")


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        (
            "day => '2024-13-01'",
            "parameter 'day' of m.since must have type date, and '2024-13-01' does not convert",
        ),
        ("day => NULL", "parameter 'day' of m.since is NULL"),
        ("day => CAST(NULL AS DATE)", "parameter 'day' of m.since is NULL"),
        ("day => nvl(NULL, NULL)", "parameter 'day' of m.since is NULL"),
        ("day => DATE'2024-01-01', least => 1/0", "parameter 'least' of m.since has no value"),
        ("day => DATE'2024-01-01', least => double('NaN')", "parameter 'least' of m.since is NaN"),
        (
            "struct('2024-01-01' AS day, '2024-01-02' AS day)",
            "parameter 'day' of m.since is given more than once",
        ),
    ],
)
def test_a_constant_without_a_value_is_an_error(
    spark: Any, tmp_path: Path, argument: str, message: str
) -> None:
    filters = entry(
        "m.since",
        "d >= :day AND x > :least",
        {"d": "date", "x": "double"},
        params=[param("day", "date"), param("least", "double", "0.0D")],
    )
    with settings(spark, {KEY: str(write(tmp_path / "manifest.json", filters))}):
        condition, state, text = refused(
            spark,
            f"SELECT matches_filter('m.since', {argument}) FROM (SELECT DATE'2024-01-01' AS d, 1D AS x)",
        )
        assert (condition, state) == ("PREDICAT_INVALID_PARAMETER", "22023") and message in text
        assert (
            spark.sql(
                "SELECT matches_filter('m.since', day => current_date()) FROM (SELECT DATE'2024-01-01' "
                "AS d, 1D AS x)"
            ).first()[0]
            is False
        )


def test_texts_of_arguments_are_in_the_time_zone_of_the_session(spark: Any, tmp_path: Path) -> None:
    filters = entry("m.since", "t >= :at", {"t": "timestamp"}, params=[param("at", "timestamp")])
    query = (
        "SELECT matches_filter('m.since', at => '2024-07-01 00:00:00') FROM (SELECT TIMESTAMP'2024-07-01 "
        "03:00:00Z' AS t)"
    )
    with settings(spark, {KEY: str(write(tmp_path / "manifest.json", filters))}):
        for zone, expected in (("UTC", True), ("America/Los_Angeles", False), ("Asia/Tokyo", True)):
            with settings(spark, {"spark.sql.session.timeZone": zone}):
                assert spark.sql(query).first()[0] is expected


def test_queries_are_counted_by_filter(spark: Any, tmp_path: Path) -> None:
    path = write(tmp_path / "manifest.json", entry("m.counted", "x > 5"), entry("m.other", "x > 5"))
    with settings(spark, {KEY: str(path)}):
        for condition in (
            "matches_filter('m.counted')",
            "NOT matches_filter('m.counted') OR matches_filter('m.counted')",
        ):
            spark.sql(f"SELECT * FROM (SELECT 6L AS x) WHERE {condition}").collect()
        spark.sql("SELECT matches_filter('m.counted') FROM (SELECT 6L AS x)").collect()
        spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
        rows = spark.sql(
            "SELECT name, queries, last_used IS NOT NULL FROM predicat_filters() ORDER BY name"
        ).collect()
    assert [tuple(row) for row in rows] == [("m.counted", 3, True), ("m.other", 0, False)]


def test_near_names_and_conditions(spark: Any, tmp_path: Path) -> None:
    path = write(
        tmp_path / "manifest.json",
        entry("m.big", "x > 5"),
        entry("n.big", "x > 5", dataset="n"),
        entry("m.none", "x") | {"sql": {}, "refused": {"spark": "why"}},
    )
    expected = {
        "matches_filter('m.bog')": ("PREDICAT_UNKNOWN_FILTER", "42704"),
        "matches_filter('big')": ("PREDICAT_AMBIGUOUS_FILTER", "42702"),
        "matches_filter('m.none')": ("PREDICAT_UNSUPPORTED_FILTER", "0A000"),
        "matches_filter(text)": ("PREDICAT_INVALID_CALL", "42601"),
        "matches_filter('m.big', 'o')": ("PREDICAT_MISSING_COLUMN", "42703"),
        "matches_filter('m.big', 'y')": ("PREDICAT_COLUMN_TYPE", "42804"),
    }
    with settings(spark, {KEY: str(path)}):
        for call, told in expected.items():
            assert (
                refused(spark, f"SELECT {call} FROM (SELECT 'a' AS text, 1L AS z) o, (SELECT 'a' AS x) y")[:2]
                == told
            )


def signing_key(folder: Path, name: str) -> tuple[Path, str]:
    """A private key, made as the guide says, and the value of the setting for its public key."""
    path = folder / f"{name}.key"
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", str(path)], check=True)
    public = subprocess.run(
        ["openssl", "pkey", "-in", str(path), "-pubout"], check=True, capture_output=True, text=True
    )
    return path, "".join(public.stdout.splitlines()[1:-1])


def compiled(folder: Path, name: str, key: Path | None, body: str = "x > 5", *options: str) -> Path:
    """A manifest as the command writes it."""
    (folder / "catalog").mkdir(exist_ok=True)
    (folder / "catalog" / "m.yml").write_text(
        f"apiVersion: predicat/v1\ndataset: m\nfields: {{x: bigint}}\nfilters: {{big: {{sql: {body}}}}}\n"
    )
    sign = [] if key is None else ["--sign", str(key), *options]
    done = in_process("compile", "--target", name, *sign, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / name / "manifest.json"


def test_a_signature_is_checked_where_the_cluster_names_a_key(spark: Any, tmp_path: Path) -> None:
    ours, public = signing_key(tmp_path, "ours")
    other, another = signing_key(tmp_path, "other")
    query = "SELECT matches_filter('m.big') FROM (SELECT 6L AS x)"
    signed = compiled(tmp_path, "signed", ours)
    changed = tmp_path / "changed.json"
    changed.write_text(signed.read_text().replace("x > 5", "x > 4"))
    cases = {
        signed: None,
        compiled(tmp_path, "other", other): "does not match",
        changed: "does not match",
        compiled(tmp_path, "unsigned", None): "has no signature",
    }
    with cluster(spark, spark__predicat__manifest__publicKey=public):
        for path, reason in cases.items():
            with settings(spark, {KEY: str(path)}):
                if reason is None:
                    assert spark.sql(query).first()[0] is True
                else:
                    condition, state, message = refused(spark, query)
                    assert (condition, state) == ("PREDICAT_REFUSED", "42501") and reason in message
    with (
        settings(spark, {KEY: str(tmp_path / "other" / "manifest.json")}),
        cluster(spark, spark__predicat__manifest__publicKey=f"{public},{another}"),
    ):
        assert spark.sql(query).first()[0] is True
    with settings(spark, {KEY: str(signed)}):
        assert spark.sql(query).first()[0] is True  # a key is not needed
        with cluster(spark, spark__predicat__manifest__publicKey="nonsense"):
            condition, _, message = refused(spark, query)
            assert condition == "PREDICAT_SETTING" and "is not an Ed25519 public key" in message


def test_an_unsigned_manifest_does_not_take_the_place_of_a_signed_one(spark: Any, tmp_path: Path) -> None:
    ours, public = signing_key(tmp_path, "ours")
    query = "SELECT matches_filter('m.big') FROM (SELECT 6L AS x)"
    path = compiled(tmp_path, "target", ours)
    with (
        settings(spark, {KEY: str(path), f"{KEY}.checkSeconds": "0"}),
        cluster(spark, spark__predicat__manifest__publicKey=public),
    ):
        assert spark.sql(query).first()[0] is True
        compiled(tmp_path, "target", None, "x > 50")
        assert refused(spark, "SELECT predicat_refresh()")[0] == "PREDICAT_REFUSED"
        assert spark.sql(query).first()[0] is True
        compiled(tmp_path, "target", ours, "x > 50")
        assert spark.sql(query).first()[0] is False


QUERY = "SELECT matches_filter('m.big') FROM (SELECT 6L AS x)"


def edition(folder: Path, key: Path, catalog: str, revision: int, body: str) -> Path:
    """A signed manifest, at the one place of the folder."""
    (folder / "predicat.yml").write_text(f"catalog: {catalog}\n")
    return compiled(folder, "target", key, body, "--revision", str(revision))


def test_an_older_or_foreign_manifest_is_refused_and_the_old_filter_answers(
    spark: Any, tmp_path: Path
) -> None:
    key, public = signing_key(tmp_path, "ours")
    path = edition(tmp_path, key, "shop", 7, "x > 5")
    others = {
        "has revision 6, but 7 is in use": ("shop", 6, "x > 50"),
        "is of the catalog 'bank', but 'shop' is in use": ("bank", 8, "x > 50"),
    }
    with (
        settings(spark, {KEY: str(path), f"{KEY}.checkSeconds": "0"}),
        cluster(spark, spark__predicat__manifest__publicKey=public),
    ):
        assert spark.sql(QUERY).first()[0] is True
        for reason, other in others.items():
            edition(tmp_path, key, *other)
            condition, state, message = refused(spark, "SELECT predicat_refresh()")
            assert (condition, state) == ("PREDICAT_REFUSED", "42501") and reason in message
            assert spark.sql(QUERY).first()[0] is True
        with cluster(
            spark, spark__predicat__manifest__catalog="shop,bank"
        ):  # read anew: what was used counts
            assert "is of the catalog 'bank', but 'shop' is in use" in refused(spark, QUERY)[2]
        edition(tmp_path, key, "shop", 8, "x > 50")
        assert spark.sql(QUERY).first()[0] is False


def test_the_first_manifest_is_bounded_by_settings_of_the_cluster(spark: Any, tmp_path: Path) -> None:
    key, public = signing_key(tmp_path, "ours")
    path = edition(tmp_path, key, "shop", 7, "x > 5")
    keys = {"spark__predicat__manifest__publicKey": public}
    cases: list[tuple[dict[str, str], str | None]] = [
        ({**keys, "spark__predicat__manifest__catalog": "bank"}, "is of the catalog 'shop', but"),
        ({**keys, "spark__predicat__manifest__leastRevision": "8"}, "has revision 7, but"),
        ({**keys, "spark__predicat__manifest__leastRevision": "x"}, "must be a whole number"),
        ({"spark__predicat__manifest__catalog": "shop"}, "needs spark.predicat.manifest.publicKey"),
        ({"spark__predicat__manifest__leastRevision": "7"}, "needs spark.predicat.manifest.publicKey"),
        (
            {
                **keys,
                "spark__predicat__manifest__catalog": "bank, shop",
                "spark__predicat__manifest__leastRevision": "7",
            },
            None,
        ),
    ]
    with settings(spark, {KEY: str(path)}):
        for values, reason in cases:
            with cluster(spark, **values):
                if reason is None:
                    assert spark.sql(QUERY).first()[0] is True
                else:
                    assert reason in refused(spark, QUERY)[2]


@pytest.mark.parametrize(
    "filters",
    [
        entry("m.odd", "(" * 10_000 + "x" + ")" * 10_000 + " > 5"),
        entry("m.odd", "NOT " * 10_000 + "x > 5"),
        pytest.param(
            entry("m.odd", "CASE WHEN x > 1 THEN " * 10_000 + "x > 5" + " END" * 10_000),
            marks=pytest.mark.slow,  # Spark tries for twenty seconds
        ),
        pytest.param(entry("m.odd", "x" + " + 1" * 10_000 + " > 5"), marks=pytest.mark.slow),  # ten
        entry("m.odd", "x > 5") | {"where": {"spark": "- " * 10_000 + "x > 5"}},
        entry("m.odd", "x > 5") | {"types": ["array<" * 10_000 + "bigint" + ">" * 10_000]},
        entry("m.odd", "x > :least", params=[param("least", "bigint", "(" * 10_000 + "1" + ")" * 10_000)]),
    ],
    ids=["brackets", "not", "case", "plus", "where", "type", "default"],
)
def test_sql_that_is_nested_too_deep_is_refused(spark: Any, tmp_path: Path, filters: dict[str, Any]) -> None:
    path = write(
        tmp_path / "manifest.json", filters, entry("m.fine", "NOT " * 40 + "(" * 40 + "x > 5" + ")" * 40)
    )
    with settings(spark, {KEY: str(path)}):
        condition, state, message = refused(spark, "SELECT matches_filter('m.odd') FROM (SELECT 6L AS x)")
        assert (condition, state) == ("PREDICAT_REFUSED", "42501"), message[:300]
        assert "filter m.odd@1" in message
        assert (
            "it is nested more than 500 deep" in message or "too complex to parse" in message
        )  # Spark's own
        assert refused(spark, "SELECT predicat_refresh()")[0] == "PREDICAT_REFUSED"
        assert spark.sql("SELECT matches_filter('m.fine') FROM (SELECT 6L AS x)").first()[0] is True


VALUES = {
    "boolean": "true",
    "tinyint": "1Y",
    "int": "1",
    "bigint": "1L",
    "decimal(3,2)": "1.50",
    "double": "1.5D",
    "string": "'1'",
    "date": "DATE'2024-01-01'",
    "timestamp": "current_timestamp()",
    "timestamp_ntz": "TIMESTAMP_NTZ'2024-01-01 00:00:00'",
    "interval": "INTERVAL '1' DAY",
    "binary": "X'31'",
}
FITTING = {
    "boolean": {"boolean"},
    "bigint": {"tinyint", "int", "bigint"},
    "double": {"tinyint", "int", "bigint", "decimal(3,2)", "double"},
    "decimal(20,2)": {"tinyint", "int", "decimal(3,2)"},
    "string": {"string"},
    "date": {"date"},
    "timestamp": {"date", "timestamp", "timestamp_ntz"},
}


def test_an_argument_has_the_type_of_its_parameter(spark: Any, tmp_path: Path) -> None:
    """Spark casts a timestamp to a number, and all to a string: other values than those that were given."""
    path = write(
        tmp_path / "manifest.json",
        *(
            entry(f"m.f{number}", "x = :q", {"x": kind}, params=[param("q", kind)])
            for number, kind in enumerate(FITTING)
        ),
    )
    taken: dict[str, set[str]] = {}
    with settings(spark, {KEY: str(path)}):
        for number, wanted in enumerate(FITTING):
            for given, value in VALUES.items():
                row = f"SELECT {value} AS v, CAST(NULL AS {wanted}) AS x"
                query = f"SELECT matches_filter('m.f{number}', q => v) FROM ({row})"
                try:
                    spark.sql(query)
                    taken.setdefault(wanted, set()).add(given)
                except Exception as error:  # noqa: BLE001  # its parts are looked at
                    assert error.getCondition() == "PREDICAT_INVALID_PARAMETER", str(error)  # type: ignore[attr-defined]
                    assert f"must have type {wanted}, not" in str(error)
        call = "SELECT matches_filter('m.f1', q => current_timestamp()) FROM (SELECT 1L AS x)"
        assert refused(spark, call)[0] == "PREDICAT_INVALID_PARAMETER"
    for texts in ("date", "timestamp"):  # as documented
        assert "string" in taken[texts]
        taken[texts].remove("string")
    assert taken == FITTING


@pytest.fixture
def stored(spark: Any, tmp_path: Path) -> Iterator[tuple[Path, Path]]:
    """A permanent view and a table, and two manifests; the view was made with the first."""
    first = write(tmp_path / "first.json", entry("m.big", "x > 5"))
    second = write(tmp_path / "second.json", entry("m.big", "x > 50"))
    spark.sql("CREATE TABLE numbers USING parquet AS SELECT id * 10 AS x FROM range(10)")
    try:
        with settings(spark, {KEY: str(first)}):
            spark.sql("CREATE VIEW big_ones AS SELECT x FROM numbers WHERE matches_filter('m.big')")
        yield first, second
    finally:
        spark.sql("DROP VIEW IF EXISTS big_ones")
        spark.sql("DROP TABLE numbers")


COUNTS = """
SELECT (SELECT count(*) FROM big_ones) AS viewed, count_if(matches_filter('m.big')) AS direct FROM numbers
"""


def test_a_permanent_view_keeps_the_manifest_of_its_session(spark: Any, stored: tuple[Path, Path]) -> None:
    first, second = stored
    with settings(spark, {KEY: str(second)}):
        assert tuple(spark.sql(COUNTS).first()) == (9, 4)
        write(first, entry("m.big", "x > 15"))
        with settings(spark, {f"{KEY}.checkSeconds": "0"}):
            assert tuple(spark.sql(COUNTS).first()) == (8, 4)  # a new version of its own manifest counts
        other = spark.newSession()
        other.conf.set(KEY, str(second))
        assert tuple(other.sql(COUNTS).first()) == (8, 4)


def test_cached_rows_are_those_of_the_filter_as_it_is_now(spark: Any, stored: tuple[Path, Path]) -> None:
    """What is cached of a view serves as long as its filter means the same; a DataFrame keeps its filter."""
    first, _ = stored

    def seen(name: str) -> tuple[int, bool]:
        frame = spark.table(name)
        return frame.count(), "InMemoryRelation" in frame._jdf.queryExecution().withCachedData().toString()

    with settings(spark, {KEY: str(first), f"{KEY}.checkSeconds": "0"}):
        spark.sql("CACHE TABLE kept AS SELECT x FROM numbers WHERE matches_filter('m.big')")
        spark.sql("CACHE TABLE big_ones")
        frame = spark.table("numbers").where("x < 100 AND matches_filter('m.big')").cache()
        frame.createOrReplaceTempView("framed")
        try:
            views = ("kept", "big_ones")
            assert [seen(name) for name in (*views, "framed")] == [(9, True)] * 3
            write(first, entry("m.big", "x > 15"))
            assert [seen(name) for name in views] == [(8, False)] * 2
            assert (seen("framed"), frame.count()) == ((9, True), 9)
            write(first, entry("m.big", "x > 5"), entry("m.other", "x > 7"))
            assert [seen(name) for name in views] == [(9, True)] * 2
            write(first, entry("m.big", "x > 25"))
            for name in views:
                spark.sql(f"UNCACHE TABLE {name}")
                spark.sql(f"CACHE TABLE {name}")
            assert [seen(name) for name in views] == [(7, True)] * 2
        finally:
            spark.catalog.clearCache()
            for name in ("kept", "framed"):
                spark.catalog.dropTempView(name)


def test_a_view_finds_its_manifest_by_a_relative_path(spark: Any, stored: tuple[Path, Path]) -> None:
    first, second = stored
    fixed = {"spark__predicat__manifest__sessions": "false"}
    with settings(spark, {KEY: str(first)}):
        near = os.path.relpath(first, spark._jvm.java.lang.System.getProperty("user.dir"))
        with cluster(spark, **fixed, spark__predicat__manifest=near), settings(spark, {KEY: near}):
            assert spark.sql("SELECT count(*) FROM big_ones").first()[0] == 9
        with (
            cluster(spark, **fixed, spark__predicat__manifest=str(second)),
            settings(spark, {KEY: str(second)}),
        ):
            message = refused(spark, COUNTS)[2]
            assert f"start Spark with spark.predicat.manifest={first}, or" in message


def test_a_view_finds_its_manifest_by_name(spark: Any, stored: tuple[Path, Path], tmp_path: Path) -> None:
    first, second = stored
    with (
        cluster(spark, spark__predicat__manifest="prod", spark__predicat__manifests__prod=str(first)),
        settings(spark, {KEY: "prod"}),
    ):
        spark.sql("CREATE OR REPLACE VIEW big_ones AS SELECT x FROM numbers WHERE matches_filter('m.big')")
    moved = write(tmp_path / "moved.json", entry("m.big", "x > 25"))
    fixed = {"spark__predicat__manifest": str(second), "spark__predicat__manifest__sessions": "false"}
    with settings(spark, {KEY: str(second)}):
        with cluster(spark, **fixed, spark__predicat__manifests__prod=str(moved)):
            assert tuple(spark.sql(COUNTS).first()) == (7, 4)
        with cluster(spark, **fixed):
            condition, _, message = refused(spark, COUNTS)
            assert condition == "PREDICAT_REFUSED" and "was created with the manifest prod" in message
    with settings(spark, {KEY: "prod"}), cluster(spark, **fixed, spark__predicat__manifests__prod=str(moved)):
        assert "this session asks for the manifest prod" in refused(spark, COUNTS)[2]


def test_the_single_pass_analyzer_takes_columns_and_says_so(spark: Any, tmp_path: Path) -> None:
    path = write(tmp_path / "manifest.json", entry("m.big", "x > 5"))
    values = {KEY: str(path), "spark.sql.analyzer.singlePassResolver.enabled": "true"}
    with settings(spark, values):
        query = "SELECT t.x FROM (SELECT 6L AS x) t WHERE matches_filter('m.big'{})"
        condition, _, message = refused(spark, query.format(""))
        assert condition == "PREDICAT_INVALID_CALL" and "write matches_filter('m.big', t.x)" in message
        assert spark.sql(query.format(", t.x")).first()[0] == 6
