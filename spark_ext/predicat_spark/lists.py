"""Long lists of the catalog in sessions that run without the extension."""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from predicat.catalog.cache import cache_folder
from predicat.diagnostics.writing import write_text
from predicat.ir.nodes import Node
from predicat.ir.value_sets import ValueSet
from predicat.rewrite.list_tables import long_lists
from predicat_spark.sessions import load_classes

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Seconds.
_KEPT = 30 * 24 * 60 * 60


def provide(session: SparkSession, nodes: Iterable[Node]) -> None:
    """Make the values of the long lists of some predicates known to a session, whose SQL asks for them by
    their hash. Without long lists it does nothing. Raises PredicatError for a session of Spark Connect.
    """
    long = long_lists(nodes)
    if not long:
        return
    load_classes(session)
    jvm: Any = session.sparkContext._jvm  # noqa: SLF001  # PySpark has no public way to the JVM
    lists = jvm.io.predicat.spark.Lists
    lists.install(session._jsparkSession)  # noqa: SLF001  # as above
    for _, listed in long:
        lists.provide(listed.digest, _file_of(listed).resolve().as_uri())


def _file_of(listed: ValueSet) -> Path:
    """A file in the cache with the values of a list. Files of lists that nobody has asked for in a month are
    removed as a new one is written.
    """
    file = cache_folder() / "lists" / f"{listed.digest}.json"
    if file.exists():
        file.touch()
        return file
    write_text(file, listed.content().decode())
    for old in file.parent.glob("*.json"):
        with suppress(FileNotFoundError):  # another process removes it as well
            if time.time() - old.stat().st_mtime > _KEPT:
                old.unlink()
    return file
