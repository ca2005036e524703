"""Whether the relations of a catalog have the columns that its filters read."""

from __future__ import annotations

from collections.abc import Mapping

from predicat.catalog.model import Catalog
from predicat.deploy.columns import problems
from predicat.diagnostics import PredicatError, Reporter
from predicat_spark import failures
from predicat_spark.pipeline.source import kinds_of, read
from predicat_spark.sessions import local_session


def check_relations(catalog: Catalog, inputs: Mapping[str, str], master: str = "local[*]") -> None:
    """Every relation (or the source given for its dataset) has the columns that filters read. Raises
    PredicatError with all that is missing.
    """
    session = local_session(master, "predicat check")
    reporter = Reporter()
    for dataset in catalog.datasets.values():
        source = inputs.get(dataset.name, dataset.relation.get("spark"))
        if source is None or not dataset.filters:
            continue
        try:
            frame = read(session, source, dataset)
            columns = kinds_of(frame, dataset.filters.values())
        except PredicatError as error:
            reporter.extend(error.diagnostics)
        except Exception as error:  # noqa: BLE001  # what Spark reports is told with the rest
            reporter.add(failures.diagnostic(error))
        else:
            reporter.extend(
                problems("spark", source, columns, dataset.filters.values(), places=dataset.places)
            )
    reporter.raise_errors()
