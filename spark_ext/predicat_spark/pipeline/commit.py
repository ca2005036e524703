"""All or nothing: rows are staged near their targets, one record commits them, and then they
take their places.

A run that was killed is completed by the next one if its record is there, and undone otherwise. So a reader
who goes by the newest record never sees rows of two runs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import msgspec
from msgspec import Struct, field

from predicat_spark.pipeline.files import Files
from predicat_spark.pipeline.lease import FOLDER, Lease
from predicat_spark.pipeline.routed import WrittenFile


class Target(Struct):
    """A place that a run fills. `staged` is where its rows are until then; `files` are those of them that
    count, by their paths there.

    `url` is the server of a table in PostgreSQL, without its password.
    """

    kind: str
    place: str
    rows: str
    filter: str | None
    mode: str
    format: str
    staged: str
    options: dict[str, str] = field(default_factory=dict[str, str])
    partition_by: tuple[str, ...] = ()
    url: str | None = None
    files: list[WrittenFile] = field(default_factory=list[WrittenFile])
    seconds: float = 0.0

    @property
    def count(self) -> int:
        """How many rows its files have."""
        return sum(file.rows for file in self.files)


class Record(Struct):
    """What a run did: it exists from the moment on from which its rows count."""

    run: str
    dataset: str
    job: str | None
    started: str
    committed: str
    source: str
    mode: str
    catalog: dict[str, Any]
    rows: int
    filters: list[dict[str, Any]]
    targets: list[Target]
    bad_records: dict[str, Any]
    checkpoint: str | None = None
    format: int = 1


# The file in a folder of staged rows that names the record which says whether they count.
_OWNER = "owner.json"


def staging(root: str, run: str) -> str:
    """The folder in which a run stages its rows."""
    return f"{root}/{FOLDER}/run-{run}"


def record_path(state: str, run: str) -> str:
    """Where the record of a run is."""
    return f"{state}/{FOLDER}/run-{run}.json"


class Workplace:
    """The folders in which a run stages its rows, with a lease on each."""

    def __init__(
        self,
        files: Files,
        run: str,
        state: str,
        roots: Sequence[str],
        waits: Callable[[], bool] | None = None,
    ) -> None:
        self.files, self.run, self.state = files, run, state
        self.roots, self.waits = sorted({state, *roots}), waits
        self.leases: list[Lease] = []

    def __enter__(self) -> Workplace:  # noqa: PYI034  # no subclasses
        try:
            for root in self.roots:
                self.leases.append(Lease(self.files, root, self.run, waits=self.waits))
        except BaseException:
            self._give_back()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._give_back()

    def _give_back(self) -> None:
        for lease in self.leases:
            lease.give_back()
            with suppress(Exception):  # an empty folder harms nobody
                self.files.drop_if_empty(lease.folder)

    def check(self) -> None:
        """Raise PredicatError if a lease ran out and another run took it."""
        for lease in self.leases:
            lease.check()

    def begin(self) -> None:
        """Make the folders of staged rows, each with the place of the record that says whether they count."""
        for root in self.roots:
            self.files.write(
                f"{self.folder(root)}/{_OWNER}", json.dumps({"record": record_path(self.state, self.run)})
            )

    def folder(self, root: str) -> str:
        """The folder below a sink's root for the files of this run until they are committed."""
        return staging(root, self.run)

    def clear(self) -> None:
        """Remove the staged rows."""
        for root in self.roots:
            self._remove(self.folder(root))

    def _remove(self, folder: str) -> None:
        """Remove staged rows, and before them what says that they count: a kill may leave some of them, which
        are in their places already.
        """
        self.files.delete(f"{folder}/{_OWNER}")
        self.files.delete(folder)

    def write(self, record: Record) -> None:
        """From here on the rows count."""
        self.files.write(
            record_path(self.state, record.run),
            msgspec.json.format(msgspec.json.encode(record), indent=1).decode() + "\n",
        )

    def withdraw(self) -> None:
        """Take the record back, while nothing has been put in its place."""
        self.files.delete(record_path(self.state, self.run))

    def recover(self, settle: Callable[[Target, str], bool]) -> list[str]:
        """Complete or undo the runs that were killed in these folders. Returns a message for each."""
        messages: list[str] = []
        for root in self.roots:
            for name in self.files.names(f"{root}/{FOLDER}"):
                folder = f"{root}/{FOLDER}/{name}"
                if self.files.is_beside(name):  # of a killed run: nobody else writes here
                    self.files.delete(folder)
                    continue
                if not name.startswith("run-") or name.endswith(".json") or not self.files.is_folder(folder):
                    continue
                record = self._record_of(folder)
                twice: list[str] = []
                if record is not None:
                    own = [target for target in record.targets if target.staged.startswith(f"{folder}/")]
                    twice = [target.place for target in own if not settle(target, record.run)]
                self._remove(folder)
                counts = record is not None or self.files.exists(record_path(self.state, name[4:]))
                done = "completed" if counts else "undone"
                messages.append(f"run {name[4:]} was killed: it is {done}")
                messages += [
                    f"the rows of run {name[4:]} may be twice in the table {place}: Spark does not tell"
                    " whether they were appended before"
                    for place in twice
                ]
        return list(dict.fromkeys(messages))

    def _record_of(self, folder: str) -> Record | None:
        """The record of a run that has staged rows in a folder; None if it has none, and its rows do not
        count.
        """
        owner = f"{folder}/{_OWNER}"
        if not self.files.exists(owner):
            return None
        path = json.loads(self.files.read(owner))["record"]
        return read_record(self.files, path) if self.files.exists(path) else None


def read_record(files: Files, path: str) -> Record:
    """The record of a committed run."""
    return msgspec.json.decode(files.read(path), type=Record)


def records(files: Files, state: str, job: str | None = None) -> list[Record]:
    """The records of a folder, the oldest first; of one job or dataset, if it is named."""
    folder = f"{state}/{FOLDER}"
    records_ = [
        _read_unless_pruned(files, f"{folder}/{name}")
        for name in files.names(folder)
        if name.startswith("run-") and name.endswith(".json")
    ]
    return sorted(
        (record for record in records_ if record and job in (None, record.job, record.dataset)),
        key=lambda record: record.committed,
    )


def _read_unless_pruned(files: Files, path: str) -> Record | None:
    try:
        return read_record(files, path)
    except Exception:
        if files.exists(path):
            raise
        return None  # another run has removed it meanwhile


def prune(files: Files, state: str, known: Sequence[Record], kept: int) -> None:
    """Remove all but the newest records of a job. `known` is sorted, the oldest first."""
    for record in known[:-kept]:
        files.delete(record_path(state, record.run))


# --- folders


def foreign(files: Files, folders: Sequence[str]) -> list[str]:
    """For each folder the path of a file in it that no run has written, or an empty string."""
    found: list[str] = json.loads(
        files.jvm.org.apache.spark.sql.predicat.RoutedWrite.foreign(files.conf, json.dumps(folders))
    )
    return found


def settle_folder(files: Files, target: Target) -> None:
    """Move the staged files of a folder into place. It can be repeated, also after a kill."""
    if target.mode == "append":
        for file in target.files:
            _move(files, f"{target.staged}/{file.path}", f"{target.place}/{file.path}")
    elif target.mode == "overwrite_partitions" and target.partition_by:
        for part in sorted({file.path.rpartition("/")[0] for file in target.files}):
            _swap(files, f"{target.staged}/{part}", f"{target.place}/{part}", f"{target.staged}-old/{part}")
    else:
        _swap(files, target.staged, target.place, f"{target.staged}-old")


def _move(files: Files, old: str, new: str) -> None:
    if files.exists(old) and not files.exists(new):  # a store may copy a file before it removes the old one
        files.folder(new.rpartition("/")[0])
        files.rename(old, new)


def _swap(files: Files, new: str, place: str, old: str) -> None:
    """The place holds the old rows, nothing, or the new ones: never some of both."""
    if not files.exists(new):
        return
    if files.exists(place):
        files.folder(old.rpartition("/")[0])
        files.rename(place, old)
    files.folder(place.rpartition("/")[0])
    files.rename(new, place)
    files.delete(old)


def tidy(files: Files, targets: Sequence[Target]) -> None:
    """Only the files that count stay in staged folders: attempts of tasks that failed leave others
    behind. An empty one is a folder, too. The JVM does it, several folders at a time.
    """
    folders = [
        {
            "folder": target.staged,
            "files": [file.path for file in target.files],
            # other programs wait for it
            "success": target.kind == "path" and target.mode == "overwrite",
        }
        for target in targets
    ]
    files.jvm.org.apache.spark.sql.predicat.RoutedWrite.tidy(files.conf, json.dumps(folders))
