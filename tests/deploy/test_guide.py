"""The commands of the administrator's guide, docs/postgres.md, in the order of the page."""

import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from tests.deploy.test_connections import dsn_of, run
from tests.processes import completed

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "postgres.md").read_text(encoding="utf-8")
CONSOLES = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
QUERIES = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)
CATALOGS = re.findall(r"```yaml\n(apiVersion.*?)```", PAGE, re.DOTALL)
INLINE = re.findall(r"`(predicat (?:apply|sql|lint) [^`]*)`", PAGE)
# Whole statements in the text, with names of things; others say only the kind of a statement.
STATEMENTS = re.findall(r"`((?:ALTER|CREATE|DROP|SET) [^`]*[a-z][^`]*)`", PAGE)
COLUMNS = """
year bigint, month bigint, day bigint, dep_time bigint, sched_dep_time bigint, dep_delay bigint,
arr_time bigint, sched_arr_time bigint, arr_delay bigint, carrier text, flight bigint, tailnum text,
origin text, dest text, air_time bigint, distance int, hour bigint, minute bigint, time_hour timestamptz
"""


@pytest.mark.slow  # a process for each command
def test_every_command_of_the_guide(postgres: Any, tmp_path: Path) -> None:
    """Each console block, each query, each command with arguments and each statement in the text."""
    (tmp_path / "catalog").mkdir()
    text = (ROOT / "catalog" / "flights.yml").read_text(encoding="utf-8")
    with_functions = text.replace("fields:\n", "view: {function: true}\nfields:\n", 1)
    (tmp_path / "catalog" / "flights.yml").write_text(with_functions, encoding="utf-8")
    for number, catalog in enumerate(CATALOGS):
        (tmp_path / "catalog" / f"page{number}.yml").write_text(catalog)
    shutil.copytree(ROOT / "macros", tmp_path / "macros")
    postgres.execute("CREATE DATABASE guide")
    dsn = dsn_of(postgres, dbname="guide")
    try:
        with psycopg.connect(dsn, autocommit=True) as database:
            database.execute(f"CREATE TABLE public.flights ({COLUMNS})".encode())
            database.execute("CREATE TABLE public.orders (id bigint, status text)")
            for line in "".join(CONSOLES).splitlines():
                assert line.startswith("$ "), line
                execute(line.removeprefix("$ ").partition("#")[0].strip(), dsn, tmp_path)
            for query in QUERIES:
                database.execute(query.encode())
            for command in dict.fromkeys(INLINE):
                execute(
                    command.replace("sql --", "sql NAME --").replace("NAME", "late_united"), dsn, tmp_path
                )
            assert database.execute("SELECT count(*) FROM pg_views WHERE schemaname = 'public'").fetchone()
            database.execute("ALTER TABLE public.orders ADD created_at timestamp")
            assert len(STATEMENTS) >= 5
            for statement in STATEMENTS:
                check(statement.replace("...", "public.flights__late"), database)
    finally:
        postgres.execute("DROP DATABASE guide WITH (FORCE)")


def check(statement: str, database: psycopg.Connection) -> None:
    """Run a statement where it is of use, and roll it back."""
    with database.transaction(force_rollback=True):
        database.execute("DROP SCHEMA IF EXISTS predicat CASCADE")
        if statement.startswith("DROP SCHEMA"):
            database.execute("CREATE SCHEMA predicat")
        database.execute(re.sub(r"\brole$", "CURRENT_USER", statement).encode())


def execute(command: str, dsn: str, folder: Path) -> None:
    words = shlex.split(re.sub(r"postgresql://user@host/db|\bDSN\b", shlex.quote(dsn), command))
    info = conninfo_to_dict(dsn)
    names = {
        "host": "PGHOST",
        "port": "PGPORT",
        "user": "PGUSER",
        "password": "PGPASSWORD",
        "dbname": "PGDATABASE",
    }
    environment = {names[key]: str(value) for key, value in info.items() if key in names}
    if words[0] == "predicat":
        done = run(*words[1:], cwd=folder, **environment)
    else:
        done = completed(["sh", "-c", command], cwd=folder)
    findings = words[:2] == ["predicat", "lint"]
    assert done.returncode in (0, int(findings)), f"{command}: {done.stdout}{done.stderr}"
