"""What a user reads when PostgreSQL cannot be reached or refuses: one sentence, no traceback, no password."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from predicat.deploy import failures
from tests.processes import completed

PROGRAM = Path(sys.executable).parent / "predicat"
SECRET = "hunter2"


def run(*args: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("PG")}
    return completed([str(PROGRAM), *args], cwd=cwd, timeout=120, env={**inherited, **environment})


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "people.yml").write_text(
        "apiVersion: predicat/v1\ndataset: people\nrelation: {postgres: connections.people}\nfields: "
        "{age: bigint}\nfilters: {adult: {sql: age >= 18}}\n"
    )
    (tmp_path / "predicat.yml").write_text("catalog: connections\n")
    return tmp_path


@pytest.mark.parametrize(
    ("dsn", "shown"),
    [
        (f"postgresql://me:{SECRET}@127.0.0.1:1/x", "me@127.0.0.1:1/x: Connection refused"),
        (f"postgresql://127.0.0.1:1/x?user=me&password={SECRET}", "me@127.0.0.1:1/x: Connection refused"),
        (f"host=127.0.0.1 port=1 password='{SECRET} b' dbname=x", "127.0.0.1:1/x: Connection refused"),
        (f"host=127.0.0.1 port=1 password = {SECRET}", "127.0.0.1:1: Connection refused"),
        (f"host=127.0.0.1 port=1 sslpassword={SECRET}", "127.0.0.1:1: Connection refused"),
        (f"password=a {SECRET}", "the given DSN: it cannot be parsed"),
        (f"postgresql://me:a/{SECRET}@127.0.0.1/x", "the given DSN: it cannot be parsed"),
        (f"postgresql://me:{SECRET}/b@127.0.0.1:1/x", "the given DSN: it cannot be parsed"),
        (f"postgresql://me@a:{SECRET}@127.0.0.1:1/x", "the given DSN: it cannot be parsed"),
        (
            "service=nowhere",
            "the service 'nowhere': connection is bad: definition of service \"nowhere\" not found",
        ),
        ("host=127.0.0.1,127.0.0.1 port=1,2", "127.0.0.1,127.0.0.1:1,2: Connection refused"),
    ],
)
def test_a_connection_that_fails_is_told_without_its_password(dsn: str, shown: str) -> None:
    import psycopg

    with pytest.raises(psycopg.Error) as caught:
        psycopg.connect(dsn, connect_timeout=2)
    told = failures.not_connected(dsn, caught.value).render()
    assert shown in told and SECRET not in told and "server running" not in told


@pytest.mark.parametrize(
    "variables",
    [
        {"PGHOST": "127.0.0.1", "PGPORT": "1", "PGPASSWORD": SECRET},
        {"PGSERVICE": "mine", "PGSERVICEFILE": "services"},
    ],
)
def test_passwords_of_the_environment_and_of_service_files(project: Path, variables: dict[str, str]) -> None:
    (project / "services").write_text(f"[mine]\nhost=127.0.0.1\nport=1\npassword={SECRET}\n")
    done = run("apply", cwd=project, **variables)
    assert done.returncode == 3 and "Connection refused" in done.stderr
    assert SECRET not in done.stderr + done.stdout and "Traceback" not in done.stderr


@pytest.fixture
def weak(postgres: Any) -> Iterator[Any]:
    postgres.execute("CREATE SCHEMA connections; CREATE TABLE connections.people (age int)")
    postgres.execute(f"CREATE ROLE weak LOGIN PASSWORD '{SECRET}'; GRANT USAGE ON SCHEMA connections TO weak")
    yield postgres
    postgres.execute("DROP SCHEMA connections CASCADE; DROP OWNED BY weak; DROP ROLE weak")


def dsn_of(connection: Any, **changes: str) -> str:
    from psycopg.conninfo import make_conninfo

    return make_conninfo(connection.info.dsn, **{"password": connection.info.password or "", **changes})


@pytest.mark.parametrize(
    ("changes", "before", "problem"),
    [
        (
            {"user": "weak", "password": SECRET},
            "",
            "the role 'weak' lacks a privilege: permission denied for schema connections",
        ),
        (
            {"user": "weak", "password": SECRET},
            "REVOKE USAGE ON SCHEMA connections FROM weak",
            "the role 'weak' lacks a privilege: permission denied for schema connections",
        ),
        ({"dbname": "nowhere"}, "", 'database "nowhere" does not exist'),
        ({"user": "nobody_here"}, "", "nobody_here"),
        ({"options": "-c default_transaction_read_only=on"}, "", "the server is read-only"),
    ],
)
def test_what_the_server_refuses_is_one_sentence(
    weak: Any, project: Path, changes: dict[str, str], before: str, problem: str
) -> None:
    if before:
        weak.execute(before)
    done = run("apply", "--dsn", dsn_of(weak, **changes), cwd=project)
    assert done.returncode == 3, done.stderr
    assert problem in done.stderr and done.stderr.endswith("\n1 problem\n")
    assert "Traceback" not in done.stderr and SECRET not in done.stderr


def test_a_lost_session_is_one_sentence(weak: Any) -> None:
    from predicat.deploy.server import connect
    from predicat.diagnostics import PredicatError

    with (  # noqa: PT012  # the session ends between the two statements
        pytest.raises(PredicatError, match="PostgreSQL failed"),
        connect(dsn_of(weak), Path("unused")) as connection,
    ):
        weak.execute("SELECT pg_terminate_backend(%s)", (connection.info.backend_pid,))
        connection.execute("SELECT 1")
