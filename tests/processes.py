"""What programs that tests start find around them, and the program itself inside of a test."""

import gc
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

from predicat.cli.main import main


def spark_environment() -> dict[str, str]:
    """This process's environment without its Spark; a JVM that ends soon is not worth the better compiler,
    nor a collector with threads of its own.

    Spark's programs look for PySpark in the Python that is named here, which need not be on the PATH.
    """
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("SPARK", "PYSPARK"))}
    quick = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    return {**inherited, "PYSPARK_PYTHON": sys.executable, "SPARK_SUBMIT_OPTS": quick}


def completed(command: Sequence[str | Path], **options: Any) -> subprocess.CompletedProcess[str]:
    """A program that has run to its end, whatever its exit code, with what it printed."""
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def git(folder: Path, *args: str) -> str:
    """What git prints in a folder, where every commit is by the author `t`."""
    names = ("-c", "user.name=t", "-c", "user.email=t@example.com")
    command = ["git", "-C", str(folder), *names, *args]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def first_commit(folder: Path) -> None:
    """Make a folder a repository with one commit, on the branch main."""
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")


def in_process(*args: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A command of predicat, run in a folder by this process: for tests of many commands, each of which
    would load the solver anew.
    """
    out, err, code = StringIO(), StringIO(), 0
    with (
        chdir(cwd),
        redirect_stdout(out),
        redirect_stderr(err),
        patch.object(sys, "argv", ["predicat", *args]),
        patch.object(gc, "freeze"),  # at its end the program gives up its garbage; this process goes on
    ):
        try:
            main()
        except SystemExit as done:
            code = int(done.code or 0)
        finally:
            gc.enable()  # the program does without, as it ends soon
    return subprocess.CompletedProcess(args, code, out.getvalue(), err.getvalue())
