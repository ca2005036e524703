"""The extension's jar. A release may carry it. Otherwise the Scala compiler that every Spark has compiles it
at first use, and it is cached.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import zipfile
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Lock

from predicat.catalog.cache import cache_folder
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import pipeline as say
from predicat.diagnostics.writing import replacing
from predicat_spark.java import ensure_java, pyspark_home

_PROVIDER = "META-INF/services/org.apache.spark.sql.SparkSessionExtensionsProvider"
# Java options for a compiler that runs for seconds: the second JIT compiler would double its CPU time.
_FAST = ("-XX:TieredStopAtLevel=1", "-Xss8m")

EXTENSION = "io.predicat.spark.PredicatExtensions"


def sources() -> list[Path]:
    """The Scala sources and their data: in this package, or in spark_ext/scala of a checkout."""
    here = Path(__file__).parent
    folder = here / "_scala" if (here / "_scala").is_dir() else here.parent / "scala"
    return [*sorted(folder.glob("*.scala")), *sorted(folder.glob("*.json"))]


def ensure_jar(spark_home: Path | None = None) -> Path:
    """The path of the jar. Where none was released for this Spark, it takes some seconds the first time.

    Args:
        spark_home: The folder of a Spark 4 to compile for. Default: the installed PySpark.

    Raises:
        PredicatError: There is no Java or no Spark 4, or the compiler fails.
    """
    return building(spark_home).result()


def building(spark_home: Path | None = None) -> Future[Path]:
    """The jar, as `ensure_jar`. If it has to be compiled, another thread does that, once for all who ask."""
    java, home = ensure_java(), spark_home or pyspark_home()
    released, target = _known(jar_name(home))
    with _lock:
        for known in (released, target):
            if known.is_file():
                ready: Future[Path] = Future()
                ready.set_result(known)
                return ready
        if target not in _compiling or _compiling[target].done():
            pool = ThreadPoolExecutor(1)
            _compiling[target] = pool.submit(compile_jar, java, sources(), target, home)
            pool.shutdown(wait=False)
        return _compiling[target]


def write_jar(out: Path, spark_home: Path | None = None) -> None:
    """Write the jar to a file. If it has to be compiled for that, none is kept in the cache: what builds an
    image for a cluster may not even have one.

    Raises:
        PredicatError: As for `ensure_jar`.
    """
    java, home = ensure_java(), spark_home or pyspark_home()
    known = next((file for file in _known(jar_name(home)) if file.is_file()), None)
    if known is None:
        compile_jar(java, sources(), out, home)
        return
    with replacing(out) as beside:
        shutil.copyfile(known, beside)


def _known(name: str) -> tuple[Path, Path]:
    """Where a jar may be: in a release, and in the cache."""
    return Path(__file__).parent / "_jars" / name, cache_folder() / "jars" / name


_lock = Lock()
_compiling: dict[Path, Future[Path]] = {}


def jar_name(spark_home: Path) -> str:
    """The name of the jar for a Spark: its version, and a hash of the sources. Raises PredicatError."""
    cores = sorted((spark_home / "jars").glob("spark-core_2.13-*.jar"))
    version = re.search(r"-(4\.\d+)\.[^/]*$", cores[0].name) if cores else None
    if version is None:
        raise PredicatError.of(say.no_spark(str(spark_home)))
    digest = hashlib.sha256(b"\0".join(file.read_bytes() for file in sources())).hexdigest()[:16]
    return f"predicat-spark-{version[1]}-{digest}.jar"


def compile_jar(java: Path, files: list[Path], target: Path, spark_home: Path | None = None) -> Path:
    """Compile the Scala sources among the files, and copy the others next to the classes. Raises
    PredicatError.
    """
    jars = sorted(((spark_home or pyspark_home()) / "jars").glob("*.jar"))
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "classes"
        out.mkdir()
        command = [
            str(java / "bin" / "java"),
            *_FAST,
            "-cp",
            os.pathsep.join(str(jar) for jar in jars if jar.name.startswith("scala-")),
            "scala.tools.nsc.Main",
            "-nowarn",
            "-target:17",
            "-classpath",
            os.pathsep.join(str(jar) for jar in jars),
            "-d",
            str(out),
            *(str(file) for file in files if file.suffix == ".scala"),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  # our own sources
        if done.returncode != 0:
            raise PredicatError.of(say.not_compiled((done.stdout + done.stderr).strip()[-4000:]))
        for file in files:
            if file.suffix != ".scala":
                shutil.copy(file, out / file.name)
        _pack(out, target)
    return target


def _pack(classes: Path, target: Path) -> None:
    """Write the jar to a temporary file and rename it, so that no process reads an incomplete one."""
    with replacing(target) as beside, zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED) as jar:
        entries = [
            (str(file.relative_to(classes)), file.read_bytes())
            for file in sorted(classes.rglob("*"))
            if file.is_file()
        ]
        for name, content in [*entries, (_PROVIDER, f"{EXTENSION}Provider\n".encode())]:
            jar.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), content)
