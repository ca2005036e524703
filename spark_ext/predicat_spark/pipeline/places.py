"""The places of a run: where its records are, and where the rows of each sink are staged and go."""

from __future__ import annotations

from collections.abc import Sequence

from predicat.catalog.jobs import PER_FILTER, Sink
from predicat_spark.pipeline import settle
from predicat_spark.pipeline.commit import Target, staging
from predicat_spark.pipeline.lease import FOLDER
from predicat_spark.pipeline.work import Work

_WAITING_ROWS = "rescheduled"


def waiting_place(checkpoint: str) -> str:
    """The folder of rows that wait for an entry filter, next to the checkpoint."""
    return f"{checkpoint}-{_WAITING_ROWS}"


def state_folder(work: Work) -> str:
    """Where the records are: as the job says, else in the folder that holds the sinks, else in the
    warehouse.
    """
    if work.job.state is not None:
        return work.files.whole(work.job.state)
    paths = [
        work.files.whole(_base(sink.target)) if "{" in sink.target else _parent(work.files.whole(sink.target))
        for sink in work.job.sinks
        if sink.kind == "path"
    ]
    if paths:
        return min(paths, key=len)
    warehouse = work.session.conf.get("spark.sql.warehouse.dir")
    return work.files.whole(f"{warehouse}/{FOLDER}_runs/{work.job.name or work.job.dataset}")


def targets_of(work: Work, run: str, mode: str, checkpoint: str | None) -> list[Target]:
    """Where the rows of each sink are staged and go, and the place of rows that wait."""
    result = _waiting_rows(work, run, checkpoint)
    for sink in work.job.sinks:
        for name in _names(work, sink):
            place = _place(work, sink, name)
            root = _parent(place) if sink.kind == "path" else state_folder(work)
            last = place.rpartition("/")[2] if sink.kind == "path" else f"{sink.kind}-{len(result)}"
            staged = f"{staging(root, run)}/{last}"
            url = settle.shown(sink.url) if sink.url else None
            result.append(
                Target(
                    sink.kind,
                    place,
                    sink.rows,
                    name,
                    mode,
                    sink.format,
                    staged,
                    dict(sink.options),
                    sink.partition_by,
                    url,
                )
            )
    return result


def _waiting_rows(work: Work, run: str, checkpoint: str | None) -> list[Target]:
    """The folder of the rows that entry filters want again, next to the checkpoint of the stream."""
    if checkpoint is None or not (work.entries or work.files.exists(waiting_place(checkpoint))):
        return []
    place = waiting_place(checkpoint)
    staged = f"{staging(_parent(place), run)}/{_WAITING_ROWS}"
    return [Target("path", place, "waiting", None, "overwrite", "parquet", staged)]


def _names(work: Work, sink: Sink) -> Sequence[str | None]:
    if sink.rows not in PER_FILTER:
        return [None]
    return [chosen.name for chosen in work.rows if not sink.filters or chosen.name in sink.filters]


def _place(work: Work, sink: Sink, name: str | None) -> str:
    place = sink.place(name or "")
    return work.files.whole(place) if sink.kind == "path" else place


def rows_wait(work: Work, checkpoint: str) -> bool:
    """Whether rows may wait for an entry filter."""
    place = waiting_place(checkpoint)
    return work.files.exists(place) and any(name.endswith(".parquet") for name in work.files.names(place))


def urls(work: Work) -> dict[str, str]:
    """The addresses of sinks in PostgreSQL, by their form without a password, which records have."""
    return {settle.shown(sink.url): sink.url for sink in work.job.sinks if sink.url}


def roots(targets: Sequence[Target]) -> list[str]:
    """The folders in which rows are staged."""
    return [target.staged.rpartition(f"/{FOLDER}/")[0] for target in targets]


def _base(path: str) -> str:
    """The part of a path before the folder of a filter."""
    return path.partition("{")[0].rstrip("/")


def _parent(path: str) -> str:
    return path.rstrip("/").rpartition("/")[0]
