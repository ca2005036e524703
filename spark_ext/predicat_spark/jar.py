"""The extension's jar: compiled at first use, by the Scala compiler that every PySpark carries, and then
cached.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path

from predicat.catalog.fingerprint import cache_folder
from predicat.diagnostics import PredicatError
from predicat.diagnostics import messages as msg
from predicat_spark.java import ensure_java, spark_version

_PROVIDER = "META-INF/services/org.apache.spark.sql.SparkSessionExtensionsProvider"
_CONDITIONS = "predicat-conditions.json"
EXTENSION = "io.predicat.spark.PredicatExtensions"


def sources() -> list[Path]:
    """The Scala sources and the error conditions: beside this package in a wheel, in spark_ext/scala in a
    checkout.
    """
    here = Path(__file__).parent
    folder = here / "_scala" if (here / "_scala").is_dir() else here.parent / "scala"
    return [*sorted(folder.glob("*.scala")), folder / _CONDITIONS]


def ensure_jar() -> Path:
    """The path of the jar for the installed Spark; takes some seconds the first time. Raises
    PredicatError.
    """
    home = ensure_java()
    files = sources()
    digest = hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()[:16]
    version = "{}.{}".format(*spark_version())
    target = cache_folder() / "jars" / f"predicat-spark-{version}-{digest}.jar"
    if not target.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        compile_jar(home, files, target)
    return target


def compile_jar(home: Path, files: list[Path], target: Path) -> None:
    """Compile the Scala sources among the files, and put the others beside the classes. Raises
    PredicatError.
    """
    import pyspark  # noqa: PLC0415  # optional, and slow to load

    jars = Path(pyspark.__file__).parent / "jars"
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "classes"
        out.mkdir()
        command = [
            str(home / "bin" / "java"),
            "-Xss8m",
            "-cp",
            f"{jars}/*",
            "scala.tools.nsc.Main",
            "-nowarn",
            "-target:17",
            "-classpath",
            ":".join(str(jar) for jar in sorted(jars.glob("*.jar"))),
            "-d",
            str(out),
            *(str(file) for file in files if file.suffix == ".scala"),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  # our own sources
        if done.returncode != 0:
            raise PredicatError.of(
                msg.engine_error("the Scala compiler", (done.stdout + done.stderr).strip()[-4000:])
            )
        for file in files:
            if file.suffix != ".scala":
                shutil.copy(file, out / file.name)
        _pack(out, target)


def _pack(classes: Path, target: Path) -> None:
    """Write the jar beside its place and move it there, so that nobody ever sees half of one."""
    beside = target.with_suffix(f".{os.getpid()}")
    with zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED) as jar:
        entries = [
            (str(file.relative_to(classes)), file.read_bytes())
            for file in sorted(classes.rglob("*"))
            if file.is_file()
        ]
        for name, content in [*entries, (_PROVIDER, f"{EXTENSION}Provider\n".encode())]:
            jar.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), content)
    beside.replace(target)
