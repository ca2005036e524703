"""Long lists of the catalog in sessions that run without the extension."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from predicat.catalog.cache import cache_folder
from predicat.catalog.manifest import write_text
from predicat.ir.nodes import Node
from predicat.passes.list_tables import long_lists
from predicat_spark.sessions import load_classes

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def provide(session: SparkSession, nodes: Iterable[Node]) -> None:
    """Make the values of the long lists of some predicates known to a session, whose SQL asks for them by
    their hash. Without long lists it does nothing. Raises PredicatError for a session of Spark Connect.
    """
    found = long_lists(nodes)
    if not found:
        return
    load_classes(session)
    jvm: Any = session.sparkContext._jvm  # noqa: SLF001  # PySpark has no public way to the JVM
    lists = jvm.io.predicat.spark.Lists
    lists.install(session._jsparkSession)  # noqa: SLF001  # as above
    for _, listed in found:
        file = cache_folder() / "lists" / f"{listed.digest}.json"
        if not file.exists():
            write_text(file, listed.content().decode())
        lists.provide(listed.digest, file.resolve().as_uri())
