"""Each command of the pages about Spark is run as it stands there, or is marked as not tried."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import predicat_spark
from predicat_spark.settings import settings
from tests.processes import completed
from tests.rounds import rounds
from tests.spark.test_programs import DATA, beeline, environment, free_port, wait_for
from tests.test_docs import ROOT, workplace

PAGES = ("spark.md", "deploy_spark.md")
# The languages of blocks that have no commands; `test_docs` runs the Python of all pages.
OTHERS = {"python", "properties", "json", "dockerfile"}
NOT_TRIED = re.compile(r"^# not tried: .+", re.MULTILINE)
QUERY = f"SELECT id FROM {DATA} WHERE matches_filter('flights.long_delay') ORDER BY id;\n"
ANSWER = "1"

project = workplace


def blocks(page: str) -> list[tuple[str, str]]:
    """The blocks of a page, each with its language."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return re.findall(r"^```(\w*)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def block(page: str, part: str) -> str:
    """The one block of a page that has a part, without the prompts of a console."""
    (found,) = [text for language, text in blocks(page) if part in text and language not in OTHERS]
    return re.sub(r"^\$ ", "", found, flags=re.MULTILINE)


INSTALLS = {"spark.md": "pip install", "deploy_spark.md": "predicat spark jar --spark-home"}
STATEMENTS = {"spark.md": ("DESCRIBE FUNCTION", "WHERE deprecated IS NOT NULL")}
PROGRAMS = {
    ("spark.md", "export SPARK_HOME"): [ANSWER],
    ("spark.md", "openssl genpkey"): [ANSWER],
    ("deploy_spark.md", "manifest.json job.py\nspark-sql"): ["the job: 1", ANSWER],
}
SERVERS = ("HiveThriftServer2", "service.SparkConnectServer", "sbin/start-connect-server.sh")


def test_each_command_is_run_or_marked() -> None:
    parts = {
        "spark.md": [INSTALLS["spark.md"], *STATEMENTS["spark.md"]],
        "deploy_spark.md": [INSTALLS["deploy_spark.md"], *SERVERS],
    }
    for page, part in PROGRAMS:
        parts[page].append(part)
    for page in rounds(PAGES, 2):
        with_commands = [text for language, text in blocks(page) if language not in OTHERS]
        for text in rounds(with_commands, 4):
            run = [part for part in parts[page] if part in text]
            assert len(run) + len(NOT_TRIED.findall(text)) == 1, (page, text)
        for part in rounds(parts[page], 4):
            assert block(page, part)


CUSTOMERS = """\
apiVersion: predicat/v1
dataset: customers
fields: {country: string}
filters:
  dach: {description: Near., owner: me@example.com, sql: "country IN ('DE', 'AT', 'CH')"}
"""
TABLES = {
    "flights": "SELECT 'N1' AS tailnum, 'UA' AS carrier, 95L AS dep_delay UNION ALL SELECT 'N2', 'AA', 70L",
    "planes": "SELECT 'N1' AS tailnum",
    "partners": "SELECT 'AT' AS land UNION ALL SELECT 'FR'",
    "baskets": "SELECT array(named_struct('country', 'FR'), named_struct('country', 'CH')) AS customers",
}


@pytest.mark.slow  # eleven statements, planned for the first time
def test_the_statements(spark: Any, project: Path) -> None:
    """Of both blocks, in the order of the page."""
    (project / "catalog" / "customers.yml").write_text(CUSTOMERS)
    manifest = predicat_spark.compile_manifest(project / "catalog", project / "manifest.json")
    for name, rows in TABLES.items():
        spark.sql(rows).createOrReplaceTempView(name)
    found: list[list[Any]] = []
    try:
        with settings(spark, {"spark.predicat.manifest": str(manifest)}):
            for part in STATEMENTS["spark.md"]:
                text = re.sub(r"--.*", "", block("spark.md", part))
                found += [spark.sql(one).collect() for one in text.split(";") if one.strip()]
    finally:
        for name in TABLES:
            spark.catalog.dropTempView(name)
    *calls, filters, description, deprecated = found
    assert [len(rows) for rows in calls] == [2, 2, 1, 1, 1, 1, 1, 2]
    assert {"flights.long_delay", "customers.dach"} <= {row.name for row in filters}
    assert "matches_filter(" in str(description)
    assert "flights.long_delay" in {row.name for row in deprecated}


# --- programs


@pytest.fixture
def shell(project: Path) -> Callable[..., subprocess.Popen[str]]:
    """Starts the lines of a block in a folder with a catalog."""

    def start(text: str, conf: dict[str, str] | None = None, **more: str) -> subprocess.Popen[str]:
        values = {
            "spark.master": "local[1]",
            "spark.ui.enabled": "false",
            "spark.log.level": "ERROR",
            "spark.driver.memory": "1g",
            "spark.sql.warehouse.dir": f"{project}/warehouse",
            "spark.driver.extraJavaOptions": f"-Dderby.system.home={project}",
            **(conf or {}),
        }
        (project / "conf").mkdir(exist_ok=True)
        (project / "conf" / "spark-defaults.conf").write_text(
            "".join(f"{name} {value}\n" for name, value in values.items())
        )
        folders = {f"SPARK_{kind}_DIR": str(project / kind.lower()) for kind in ("CONF", "PID", "LOG")}
        return subprocess.Popen(
            ["bash", "-euo", "pipefail", "-c", text],
            cwd=project,
            env={**environment(), **folders, **more},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    return start


def prepared(shell: Callable[..., subprocess.Popen[str]]) -> None:
    """The manifest and the jar that later commands of the page need."""
    steps = block("spark.md", "export SPARK_HOME").splitlines()[0]
    assert steps.startswith("predicat compile && predicat spark jar")
    _, errors = (process := shell(steps)).communicate(timeout=200)
    assert process.returncode == 0, errors


@pytest.mark.slow  # builds a wheel with its jar
def test_the_installation(shell: Callable[..., subprocess.Popen[str]], project: Path) -> None:
    """Of this package into a folder: what it needs is here."""
    wheels, target = project / "wheels", project / "site"
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(wheels), str(ROOT)]
    assert completed(build).returncode == 0
    pip = {"PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1", "PIP_FIND_LINKS": str(wheels), "PIP_TARGET": str(target)}
    for page, part in rounds(INSTALLS.items(), 2):
        _, errors = (process := shell(block(page, part), **pip, PIP_UPGRADE="1")).communicate(timeout=300)
        assert process.returncode == 0, errors
        assert (target / "predicat_spark" / "__init__.py").exists()
    assert (project / "target" / "manifest.json").exists()
    assert (project / "predicat-spark.jar").stat().st_size > 100_000


@pytest.mark.slow  # each program is a JVM
@pytest.mark.parametrize(("page", "part"), PROGRAMS)
def test_a_program(shell: Callable[..., subprocess.Popen[str]], project: Path, page: str, part: str) -> None:
    if part != "export SPARK_HOME":
        prepared(shell)
    (project / "job.py").write_text(
        "from pyspark.sql import SparkSession\n"
        "spark = SparkSession.builder.getOrCreate()\n"
        f'found = spark.sql("""{QUERY.rstrip().rstrip(";")}""").collect()\n'
        "print('the job:', *(row.id for row in found))\n"
    )
    out, errors = (process := shell(block(page, part))).communicate(QUERY, timeout=280)
    assert process.returncode == 0, errors[-3000:]
    lines = [line.removeprefix("spark-sql (default)> ").strip() for line in out.splitlines()]
    assert [line for line in lines if line in PROGRAMS[page, part]] == PROGRAMS[page, part], (
        out + errors[-2000:]
    )


@contextmanager
def served(
    shell: Callable[..., subprocess.Popen[str]], folder: Path, part: str, port_key: str
) -> Iterator[int]:
    """A server of the page, with a port of its own."""
    prepared(shell)
    port = free_port()
    process = shell(f"({block('deploy_spark.md', part)}) > server.log 2>&1", {port_key: str(port)})
    try:
        wait_for(port, process, folder / "server.log", background="sbin" in part)
        yield port
    finally:
        if "sbin" in part:
            stop = shell('"$SPARK_HOME/sbin/stop-connect-server.sh"')
            stop.communicate(timeout=60)
        else:
            os.killpg(process.pid, signal.SIGTERM)
        process.communicate(timeout=60)


@pytest.mark.slow  # a server and a client, each a JVM
def test_the_thrift_server(shell: Callable[..., subprocess.Popen[str]], project: Path) -> None:
    with served(shell, project, SERVERS[0], "spark.hadoop.hive.server2.thrift.port") as port:
        out, errors = beeline(port, project, QUERY.rstrip().rstrip(";")).communicate(timeout=200)
        assert out.split()[-1:] == [ANSWER], out + errors[-2000:]


@pytest.mark.slow  # a server
@pytest.mark.parametrize("part", SERVERS[1:])
def test_the_connect_server(shell: Callable[..., subprocess.Popen[str]], project: Path, part: str) -> None:
    with served(shell, project, part, "spark.connect.grpc.binding.port") as port:
        script = (
            "from pyspark.sql import SparkSession\n"
            f"spark = SparkSession.builder.remote('sc://127.0.0.1:{port}').getOrCreate()\n"
            f'print(*(row.id for row in spark.sql("""{QUERY.rstrip().rstrip(";")}""").collect()))\n'
        )
        done = completed([sys.executable, "-c", script], timeout=200, env=environment())
        assert done.stdout.split() == [ANSWER], done.stderr[-2000:]
