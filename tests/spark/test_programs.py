"""matches_filter in programs of their own: spark-sql, a Spark Connect server, the Thrift server, executors
apart.
"""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import predicat
import predicat_spark
from tests.processes import completed, spark_environment
from tests.quality.test_measure import CATALOG, ROWS
from tests.spark.recorded import recorded_jar

ROOT = Path(__file__).parent.parent.parent
DATA = "(VALUES (1, 70L), (2, 10L), (3, null)) AS flights(id, dep_delay)"


@pytest.fixture(scope="module")
def manifest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return predicat_spark.compile_manifest(
        ROOT / "catalog", tmp_path_factory.mktemp("manifest") / "manifest.json"
    )


def environment() -> dict[str, str]:
    predicat_spark.ensure_java()
    import pyspark

    home = str(Path(pyspark.__file__).parent)
    return {
        **spark_environment(),
        "SPARK_HOME": home,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }


def options(manifest: Path, folder: Path) -> list[str]:
    """The jar alone: the extension is found through META-INF/services."""
    return [
        "--jars",
        str(predicat_spark.ensure_jar()),
        "--conf",
        f"spark.predicat.manifest={manifest}",
        "--conf",
        "spark.ui.enabled=false",
        "--conf",
        "spark.log.level=ERROR",
        "--driver-memory",
        "1g",
        "--conf",
        f"spark.sql.warehouse.dir={folder}/warehouse",
        "--conf",
        f"spark.driver.extraJavaOptions=-Dderby.system.home={folder}",
    ]


def program(name: str) -> str:
    import pyspark

    return str(Path(pyspark.__file__).parent / "bin" / name)


@pytest.mark.slow  # a start of Spark
def test_spark_sql(manifest: Path, tmp_path: Path) -> None:
    query = f"SELECT id FROM {DATA} WHERE matches_filter('flights.long_delay', minutes => 5) ORDER BY id"
    command = [program("spark-sql"), "--master", "local[1]", *options(manifest, tmp_path), "-e", query]
    done = completed(command, timeout=240, env=environment(), cwd=tmp_path)
    assert done.stdout.split() == ["1", "2"], done.stderr[-2000:]


def finished(script: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """A script after it has run in its folder, with more variables of the environment."""
    return completed(
        [sys.executable, str(script)], timeout=280, env={**environment(), **more}, cwd=script.parent
    )


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(port: int, process: subprocess.Popen[Any], log: Path, *, background: bool = False) -> None:
    for _ in range(240):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert background or process.poll() is None, log.read_text()[-3000:]
        time.sleep(0.5)
    raise AssertionError(log.read_text()[-3000:])


def server(command: list[str], port: int, folder: Path) -> Iterator[int]:
    log = folder / "server.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            command,
            stdout=out,
            stderr=subprocess.STDOUT,
            env=environment(),
            cwd=folder,
            start_new_session=True,
        )
    try:
        wait_for(port, process, log)
        yield port
    finally:
        os.killpg(process.pid, 15)
        process.wait(30)


@pytest.fixture(scope="module")
def connect_server(manifest: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    port, folder = free_port(), tmp_path_factory.mktemp("connect")
    command = [
        program("spark-submit"),
        "--master",
        "local[1]",
        *options(manifest, folder),
        "--conf",
        f"spark.connect.grpc.binding.port={port}",
        "--conf",
        "spark.connect.grpc.binding.address=127.0.0.1",
        "--class",
        "org.apache.spark.sql.connect.service.SparkConnectServer",
        "spark-internal",
    ]
    yield from server(command, port, folder)


def test_spark_connect(connect_server: int) -> None:
    """In a client process of its own, as this one has a classic session."""
    script = f"""
from pyspark.sql import SparkSession
import predicat_spark
spark = SparkSession.builder.remote("sc://127.0.0.1:{connect_server}").getOrCreate()
frame = spark.sql("SELECT * FROM {DATA}")
print([row.id for row in spark.sql("SELECT id FROM {DATA} WHERE NOT matches_filter('flights.long_delay')").collect()])
print([row.id for row in frame.where(predicat_spark.matches_filter("flights.long_delay", minutes=5)).collect()])
print(spark.sql("SELECT count(*) AS n FROM predicat_filters()").first().n > 40)
try:
    spark.sql("SELECT 1 WHERE matches_filter('flights.lat')").collect()
except Exception as error:
    print("did you mean 'flights.late'" in str(error))
"""
    done = completed([sys.executable, "-c", script], timeout=200, env=environment())
    assert done.stdout.splitlines() == ["[2, 3]", "[1, 2]", "True", "True"], done.stderr[-3000:]


@pytest.mark.slow
def test_coverage_on_spark_connect(connect_server: int, tmp_path: Path) -> None:
    """One pass, and Great Expectations, on a DataFrame of Spark Connect."""
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "shop.yml").write_text(CATALOG.replace("{at_least: 1}", "{at_most: 1}"))
    script = f"""
from pathlib import Path
from pyspark.sql import SparkSession
import predicat, predicat_spark
from predicat.quality.project import generate, run
spark = SparkSession.builder.remote("sc://127.0.0.1:{connect_server}").getOrCreate()
catalog = predicat.load_catalog("catalog")
frame = spark.createDataFrame({ROWS!r}, "n bigint, s string")
print([(check.name, check.kind, check.status) for check in predicat_spark.check_coverage(catalog, "shop", frame, ["low", "never"])])
generate(catalog, Path("catalog").resolve(), Path("project"), "spark")
print(run(Path("project"), "predicat_shop", {{"dataframe": frame}})[:2])
print(run(Path("project"), "predicat_shop", {{"dataframe": spark.createDataFrame([(1, "y")] * 3 + [(5, "x")] * 22, "n bigint, s string")}})[:2])
print("has no column 'n'" in run(Path("project"), "predicat_shop", {{"dataframe": spark.range(3)}})[1][0].message)
"""
    done = completed([sys.executable, "-c", script], timeout=200, env=environment(), cwd=tmp_path)
    assert done.stdout.splitlines() == [
        (
            "[('shop.low', 'at_least', 'pass'), ('shop.low', 'at_most', 'warn'), ('shop.never', 'at_most', "
            "'pass')]"
        ),
        "(False, [])",
        "(True, [])",
        "True",
    ], done.stderr[-3000:]


@pytest.fixture(scope="module")
def thrift_server(manifest: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A server whose sessions choose their manifest, with another extension beside that of predicat."""
    port, folder = free_port(), tmp_path_factory.mktemp("thrift")
    given = options(manifest, folder)
    jars = given.index("--jars") + 1
    given[jars] += f",{recorded_jar()}"
    command = [
        program("spark-submit"),
        "--master",
        "local[2]",
        *given,
        "--conf",
        "spark.sql.extensions=predicat.test.Other",
        "--conf",
        "spark.predicat.manifest.sessions=true",
        "--conf",
        f"spark.hadoop.hive.server2.thrift.port={port}",
        "--conf",
        "spark.hadoop.hive.server2.thrift.bind.host=127.0.0.1",
        "--class",
        "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2",
        "spark-internal",
    ]
    yield from server(command, port, folder)


def beeline(port: int, folder: Path, *queries: str) -> subprocess.Popen[str]:
    """A client with a session of its own."""
    command = [
        program("beeline"),
        "-u",
        f"jdbc:hive2://127.0.0.1:{port}",
        "--silent=true",
        "--outputformat=tsv2",
        "--showHeader=false",
    ]
    for query in queries:
        command += ["-e", query]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(), cwd=folder
    )


@pytest.mark.slow  # a server and clients, each a JVM
def test_thrift_server_through_beeline(thrift_server: int, tmp_path: Path) -> None:
    query = (
        f"SELECT twice(id) FROM {DATA} WHERE matches_filter('flights.long_delay', minutes => 5) ORDER BY id"
    )
    out, errors = beeline(thrift_server, tmp_path, query).communicate(timeout=200)
    assert out.split()[-2:] == ["2", "4"], out + errors[-2000:]


@pytest.mark.slow  # a server and clients, each a JVM
def test_two_sessions_of_a_thrift_server_have_their_own_manifests(thrift_server: int, tmp_path: Path) -> None:
    clients: dict[str, subprocess.Popen[str]] = {}
    for name, least in (("one", 5), ("two", 50)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "m.yml").write_text(
            "apiVersion: predicat/v1\ndataset: m\nfields: {dep_delay: bigint}\n"
            f"filters: {{big: {{sql: dep_delay > {least}}}}}\n"
        )
        path = predicat_spark.compile_manifest(folder, tmp_path / f"{name}.json")
        count = f"SELECT '{name}', count(*) FROM {DATA} WHERE matches_filter('m.big')"
        clients[name] = beeline(thrift_server, folder, f"SET spark.predicat.manifest={path}", *[count] * 5)
    for name, expected in (("one", "2"), ("two", "1")):
        out, errors = clients[name].communicate(timeout=200)
        rows = [line.split()[-2:] for line in out.splitlines() if line.split()[-2:-1] == [name]]
        assert rows == [[name, expected]] * 5, out + errors[-2000:]


@pytest.mark.slow
def test_executors_in_processes_of_their_own(manifest: Path, tmp_path: Path) -> None:
    script = tmp_path / "job.py"
    script.write_text(f"""
import predicat_spark
spark = predicat_spark.session(manifest={str(manifest)!r}, config={{"spark.master": "local-cluster[2,1,1024]", "spark.ui.enabled": "false",
    "spark.executor.memory": "1g", "spark.driver.memory": "1g", "spark.log.level": "ERROR"}})
rows = spark.range(0, 1000, 1, 4).selectExpr("id", "id % 200 AS dep_delay")
print(rows.repartition(4).where("matches_filter('flights.long_delay', minutes => 150)").count())
found = rows.repartition(4).selectExpr("size(matching_filters('flights', names => array('late', 'long_delay'))) AS n")
print([row.n for row in found.groupBy("n").count().where("count = 700").collect()])
spark.conf.set("spark.sql.codegen.wholeStage", "false")
print(found.where("n = 2").count())
spark.stop()
""")
    done = finished(script)
    assert done.stdout.splitlines() == ["250", "[2]", "700"], done.stderr[-3000:]


@pytest.mark.slow
def test_executors_find_the_filters_of_rows_as_python_does(tmp_path: Path) -> None:
    """A thousand filters on two executors, with an index as a whole and after one of them has changed."""
    conditions = (
        "kind = 'k{0}' AND size BETWEEN {1} AND {2}",
        "tenant IN ('t{0}', 't{1}') AND NOT kind = 'k{1}'",
        "source LIKE '%-{1}%' AND size > {0}",
        "source LIKE 's{0}%'",
        "headers['h{3}'] = 'v{0}'",
        "array_contains(tags, 'x{0}')",
        "lower(tenant) = 't{0}' OR size = {1}",
    )
    texts = [
        conditions[place % 7].format(place % 50, place % 97, place % 97 + 9, place % 3)
        for place in range(1050)
    ]
    fields = "{kind: string, tenant: string, source: string, size: bigint, headers: 'map<string, string>', tags: 'array<string>'}"

    def compiled(name: str) -> predicat.Catalog:
        folder = tmp_path / name
        folder.mkdir()
        lines = "".join(f'  f{place:04}: {{sql: "{text}"}}\n' for place, text in enumerate(texts))
        (folder / "m.yml").write_text(
            f"apiVersion: predicat/v1\ndataset: m\nfields: {fields}\nfilters:\n{lines}"
        )
        predicat_spark.compile_manifest(folder, tmp_path / f"{name}.json")
        return predicat.load_catalog(folder)

    catalogs = [compiled("one")]
    texts[500] = "kind = 'k1'"
    catalogs.append(compiled("two"))
    script = tmp_path / "job.py"
    script.write_text(f"""
import json
import predicat_spark
paths = [{str(tmp_path / "one.json")!r}, {str(tmp_path / "two.json")!r}]
spark = predicat_spark.session(manifest=paths[0], config={{"spark.master": "local-cluster[2,1,1024]", "spark.ui.enabled": "false",
    "spark.executor.memory": "1g", "spark.driver.memory": "1g", "spark.log.level": "ERROR", "spark.predicat.manifest.sessions": "true"}})
rows = spark.range(0, 400, 1, 4).selectExpr("id", "concat('k', id % 7) kind", "concat('t', id % 61) tenant",
    "concat('s', id % 50, '-', id % 89) source", "id % 120 size", "map('h1', concat('v', id % 50)) headers", "array('a', concat('x', id % 53)) tags").repartition(4)
for path in paths:
    spark.conf.set("spark.predicat.manifest", path)
    found = rows.select("*", predicat_spark.matching_filters("m").alias("found")).orderBy("id").collect()
    print(json.dumps([row.asDict() for row in found]))
spark.stop()
""")
    done = finished(script)
    assert done.returncode == 0, done.stderr[-3000:]
    for catalog, line in zip(catalogs, done.stdout.splitlines(), strict=True):
        matcher = predicat.Matcher(catalog, "m")
        rows = json.loads(line)
        assert len(rows) == 400 and sum(len(row["found"]) for row in rows) > 400
        for row in rows:
            assert row["found"] == matcher.match(row)


@pytest.mark.slow
def test_the_first_use_compiles_while_spark_starts(manifest: Path, tmp_path: Path) -> None:
    """From an empty cache, also on executors of their own, which get the jar."""
    script = tmp_path / "job.py"
    script.write_text(f"""
import predicat_spark
from predicat_spark.jar import building
print(building() is building())
spark = predicat_spark.session(manifest={str(manifest)!r}, config={{"spark.master": "local-cluster[1,1,1024]", "spark.ui.enabled": "false",
    "spark.executor.memory": "1g", "spark.driver.memory": "1g", "spark.log.level": "ERROR"}})
print([row.id for row in spark.sql("SELECT id FROM {DATA} WHERE NOT matches_filter('flights.long_delay')").collect()])
print("predicat-classes-" in spark.conf.get("spark.driver.extraClassPath"), "predicat-spark" in spark.sparkContext._jsc.sc().listJars().mkString(","))
spark.stop()
""")
    done = finished(script, PREDICAT_CACHE=str(tmp_path / "cache"))
    assert done.stdout.splitlines() == ["True", "[2, 3]", "True True"], done.stderr[-3000:]


@pytest.mark.slow  # a start of Spark
def test_install_into_a_running_session(manifest: Path, tmp_path: Path) -> None:
    script = tmp_path / "job.py"
    script.write_text(f"""
import predicat_spark
predicat_spark.ensure_java()
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").config("spark.log.level", "ERROR").getOrCreate()
spark.sql("SELECT * FROM {DATA}").createOrReplaceTempView("flights")
spark = predicat_spark.install(spark, manifest={str(manifest)!r})
print([row.id for row in spark.sql("SELECT id FROM flights WHERE matches_filter('flights.long_delay')").collect()])
""")
    done = finished(script)
    assert done.stdout.splitlines()[-1:] == ["[1]"], done.stderr[-3000:]
