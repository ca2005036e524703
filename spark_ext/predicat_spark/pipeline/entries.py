"""Entry filters in a job: their classes decide on the rows that the native filters accept, in one reading.

Only these rows go to Python. What the classes say comes back as columns, which the pass takes as the outcomes
of the filters. Rows that a class puts off are kept beside the checkpoint, each once for every filter that has
put it off, and are offered to it again with the next batch.
"""

from __future__ import annotations

import logging
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from msgspec import Struct
from msgspec.structs import replace

from predicat import backends
from predicat.catalog.jobs import NAMED
from predicat.catalog.model import Catalog
from predicat.deploy.chosen import Chosen
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import entries as say
from predicat.entry_filters import GROUP, Chain, Outcome, Plan, is_entry_filter, plan_of
from predicat.ir.nodes import TRUE, Node
from predicat.rewrite.acceptance import for_acceptance
from predicat.rewrite.substitute import at
from predicat_spark.entry_filters import rows_of
from predicat_spark.names import quoted
from predicat_spark.pipeline.source import Reading

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame, SparkSession

# The columns of the filters that put a row off, and of those that have done so too often: a byte that is 1,
# then their places among the labels. RoutedWrite.scala knows them.
WAITING, EXPIRED = "__predicat_waiting", "__predicat_expired"
# The rows that they have.
ROWS = ("waiting", "dead_letter")
# The column that counts how often a row was offered, this time included.
TRIES = "__predicat_tries"
_SAID, _ASKED, _NOTHING = "__predicat_said", "__predicat_asked", "__predicat_nothing"
_ACCEPTED, _REJECTED, _UNKNOWN = 1, 2, 4
_LOG = logging.getLogger(GROUP)

# The errors of classes: filter, class and kind of error; how many, the key of a row, and its message.
Errors = dict[tuple[str, str, str], tuple[int, str, str]]


class Entry(Struct, frozen=True):
    """An entry filter of a job: its place among the filters, its classes, and its native filter."""

    place: int
    plan: Plan
    native: Node
    now: Any


class Entries:
    """The entry filters of a job. `tries`: how often a row is offered in all."""

    def __init__(
        self, session: SparkSession, catalog: Catalog, rows: Sequence[Chosen], consumer: str, tries: int
    ) -> None:
        self._session, self._catalog, self._rows, self._tries = session, catalog, rows, tries
        plans = [
            (
                place,
                chosen,
                plan_of(
                    catalog,
                    chosen.filter,
                    chosen.number,
                    chosen.node,
                    subscription=chosen.subscription,
                    consumer={"job": consumer},
                ),
            )
            for place, chosen in enumerate(rows)
            if is_entry_filter(chosen.node)
        ]
        self.found = [
            Entry(place, replace(one, native=TRUE), one.native, chosen.now) for place, chosen, one in plans
        ]

    def __bool__(self) -> bool:
        return bool(self.found)

    def check(self) -> None:
        """Raise PredicatError for a class that is missing, and for a Spark that is too old."""
        if self.found and int(self._session.version.split(".")[1]) < 1 and self._session.version[0] == "4":
            raise PredicatError.of(say.needs_newer_spark())
        for entry in self.found:
            Chain(entry.plan).close()

    def named(self, name: str) -> bool:
        """Whether a name is that of an entry filter of the job."""
        return any(self._rows[entry.place].name == name for entry in self.found)

    # --- frames

    def first(self, reading: Reading, *, apart: bool, errors: Any) -> Reading:
        """The rows of a source with the outcomes of the classes. With `apart` they do not see bad rows."""
        from pyspark.sql import functions as F  # noqa: N812, PLC0415  # its usual name; needs Java's home first

        natives = [
            backends.dialect("spark").render(for_acceptance(at(entry.native, entry.now)))
            for entry in self.found
        ]
        good = (
            " AND ".join(f"({cell.sql}) IS NULL" for cell in reading.cells)
            if apart and reading.cells
            else "TRUE"
        )
        tests = [F.expr(f"({good}) AND ({native})") for native in natives]
        frame = reading.frame.withColumn(TRIES, F.lit(1)).withColumn(_ASKED, _true_of(tests))
        return replace(
            reading, frame=self._with_outcomes(frame, reading.columns, _REJECTED, len(self.found), errors)
        )

    def again(self, reading: Reading, waiting: DataFrame, removed: Sequence[str], *, errors: Any) -> Reading:
        """The rows that wait, with what the class that has put them off says now. `removed` are filters that
        the job does not have any more: their rows have no more tries.
        """
        from pyspark.sql import functions as F  # noqa: N812, PLC0415  # as above

        names = [*(self._rows[entry.place].name for entry in self.found), *removed]
        wanted = _true_of([F.col(NAMED) == F.lit(name) for name in names])
        kinds = {field.name: field.dataType for field in reading.frame.schema}
        there = set(waiting.columns)
        columns = [
            (F.col(quoted(name)) if name in there else F.lit(None)).cast(kinds[name]).alias(name)
            for name in reading.columns
        ]
        frame = waiting.select(*columns, (F.col(TRIES) + 1).alias(TRIES), wanted.alias(_ASKED))
        offered = self._with_outcomes(frame, reading.columns, 0, len(names), errors)
        return Reading(offered, reading.columns)

    def _with_outcomes(
        self, frame: DataFrame, columns: Sequence[str], otherwise: int, names: int, errors: Any
    ) -> DataFrame:
        from pyspark.sql import functions as F  # noqa: N812, PLC0415  # as above
        from pyspark.sql.pandas.functions import arrow_udf  # noqa: PLC0415  # as above

        kinds = {field.name: field.dataType.typeName() for field in frame.schema}
        as_json = F.struct(
            *(
                (F.to_json(quoted(name)) if kinds[name] == "variant" else F.col(quoted(name))).alias(name)
                for name in columns
            )
        )
        shown = F.when(F.size(_ASKED) > 0, as_json)
        work = self._function(columns, names, errors)
        kind = "codes array<tinyint>, waiting binary, expired binary"
        ask = cast("Any", arrow_udf)(work, kind).asNondeterministic()
        answered = frame.withColumn(_SAID, ask(shown, F.col(_ASKED), F.col(TRIES)))
        outcomes: dict[str, Column] = {}
        for number, entry in enumerate(self.found):
            code = F.coalesce(F.get(f"{_SAID}.codes", F.lit(number)), F.lit(otherwise)).cast("tinyint")
            outcomes[_column(entry)] = code
            outcomes[f"{_column(entry)}_accepted"] = code.bitwiseAND(F.lit(_ACCEPTED)) == _ACCEPTED
        return answered.withColumns(
            {
                **outcomes,
                WAITING: F.col(f"{_SAID}.waiting"),
                EXPIRED: F.col(f"{_SAID}.expired"),
                _NOTHING: F.lit(0).cast("tinyint"),
                f"{_NOTHING}_accepted": F.lit(False),  # a constant
            }
        ).drop(_SAID, _ASKED)

    # --- filters

    def rows(self, *, matching: bool, again: bool = False) -> list[Chosen]:
        """The filters of the pass: entry filters read their outcome from a column. Where rows are offered
        `again`, other filters have none.
        """
        places = {entry.place: entry for entry in self.found}
        result: list[Chosen] = []
        for place, chosen in enumerate(self._rows):
            if place not in places and not again:
                result.append(chosen)
                continue
            column = _column(places[place]) if place in places else _NOTHING
            computed = (f"{column}_accepted", "boolean") if matching else (column, "tinyint")
            result.append(replace(chosen, computed=computed))
        return result

    def _function(self, columns: Sequence[str], names: int, errors: Any) -> Callable[..., Any]:
        """What each task does with the rows that it is given."""
        fields = self._catalog.datasets[self._rows[0].filter.dataset].fields
        known = {decl.column("spark"): (name, str(decl.type)) for name, decl in fields.items()}
        calls = _ClassCalls(
            tuple(entry.plan for entry in self.found),
            (
                *(entry.place for entry in self.found),
                *range(len(self._rows), len(self._rows) + names - len(self.found)),
            ),
            tuple(self._rows[entry.place].name for entry in self.found),
            self._tries,
            {name: known.get(name, (None, ""))[0] for name in columns},
            tuple(name for name in columns if known.get(name, ("", ""))[1] == "json"),
        )
        import pyarrow as pa  # noqa: PLC0415  # as above

        def work(batches: Iterator[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
            return calls.run(batches, errors)

        # PySpark reads the kind of the function from its types, which are no texts here.
        work.__annotations__ = {
            "batches": Iterator[tuple[pa.Array, ...]],
            "return": Iterator[pa.Array],
        }
        return work


class _ClassCalls(Struct, frozen=True):
    """What a task needs: the classes, the labels of filters and of removed ones, the fields of columns."""

    plans: tuple[Plan, ...]
    labels: tuple[int, ...]
    names: tuple[str, ...]
    tries: int
    columns: Mapping[str, str | None]
    documents: tuple[str, ...]

    def run(self, batches: Iterator[tuple[pa.Array, pa.Array, pa.Array]], errors: Any) -> Iterator[pa.Array]:
        import pyarrow as pa  # noqa: PLC0415  # in the worker

        raised: Errors = {}
        chains: dict[int, Chain] = {}
        kind = pa.struct([("codes", pa.list_(pa.int8())), ("waiting", pa.binary()), ("expired", pa.binary())])
        try:
            for rows, asked, tries in batches:
                seen = rows.is_valid()
                entries = rows_of(
                    pa.RecordBatch.from_struct_array(rows.filter(seen)), self.columns, self.documents
                )
                answers: list[dict[str, Any] | None] = [
                    self._outcomes(chains, raised, next(entries), *about) if is_seen else None
                    for is_seen, *about in zip(
                        seen.to_pylist(), asked.to_pylist(), tries.to_pylist(), strict=True
                    )
                ]
                yield pa.array(answers, kind)
        finally:
            for chain in chains.values():
                chain.close()
            errors.add(raised)

    def _outcomes(
        self,
        chains: dict[int, Chain],
        errors: Errors,
        row: tuple[dict[str, Any], dict[str, Any]],
        asked: Sequence[int],
        tries: int,
    ) -> dict[str, Any]:
        """The outcomes of a row, for each filter that it was offered to."""
        codes: list[int | None] = [None] * len(self.plans)
        waiting: list[int] = []
        expired: list[int] = []
        for number in asked:
            if number >= len(self.plans):
                expired.append(self.labels[number])
                continue
            if number not in chains:
                chains[number] = Chain(self.plans[number], _collector(errors, self.names[number]))
            outcome = chains[number].outcome(*row, tries)
            if outcome is Outcome.RESCHEDULE:
                (waiting if tries < self.tries else expired).append(self.labels[number])
                codes[number] = 0
            elif outcome is Outcome.UNKNOWN:
                codes[number] = _UNKNOWN | (_ACCEPTED if self.plans[number].tolerant else 0)
            else:
                codes[number] = _ACCEPTED if outcome is Outcome.ACCEPT else _REJECTED
        return {"codes": codes, "waiting": _labels(waiting), "expired": _labels(expired)}


def _labels(places: Sequence[int]) -> bytes | None:
    """Labels as outcomes of matched filters are: a byte that is 1, then the places."""
    return struct.pack(f"=B{len(places)}i", 1, *places) if places else None


def _collector(errors: Errors, name: str) -> Callable[[str, Mapping[str, Any], Exception], None]:
    def raised(class_: str, key: Mapping[str, Any], error: Exception) -> None:
        what = (name, class_, type(error).__name__)
        if what in errors:
            errors[what] = (errors[what][0] + 1, *errors[what][1:])
        else:
            errors[what] = (1, str(dict(key))[:200], str(error)[:200])

    return raised


def _true_of(tests: Sequence[Column]) -> Column:
    """The places of the conditions that are TRUE."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415  # as above

    places = F.array(*(F.when(test, F.lit(place)) for place, test in enumerate(tests)))
    return F.array_compact(places.cast("array<int>"))


def _column(entry: Entry) -> str:
    return f"__predicat_entry_{entry.place}"


class Raised:
    """The errors of classes in the batches of a run, and which of them were logged.

    All batches share one accumulator: PySpark keeps each for the life of the process.
    """

    def __init__(self, session: SparkSession) -> None:
        self._session = session
        self._collected: Any = None
        self._logged: set[tuple[str, str, str]] = set()

    def accumulator(self) -> Any:
        """The accumulator to which tasks add their errors; empty at first."""
        if self._collected is None:
            self._collected = self._session.sparkContext.accumulator({}, cast("Any", _Sum()))
        self._collected.value = {}
        return self._collected

    def take(self) -> Errors:
        """The errors of a batch. Each kind is logged once, with the key of a row."""
        if self._collected is None:
            return {}
        errors: Errors = self._collected.value
        self._collected.value = {}
        for what, (count, key, text) in errors.items():
            if what not in self._logged:
                self._logged.add(what)
                _LOG.warning(say.raised_in_job(*what, key, text, count))
        return errors


class _Sum:
    """How errors of tasks are added: counts are summed, the first row is the example."""

    def zero(self, _value: Errors) -> Errors:
        return {}

    def addInPlace(self, value1: Errors, value2: Errors) -> Errors:  # noqa: N802  # PySpark's name
        for what, (count, key, text) in value2.items():
            before = value1.get(what, (0, key, text))
            value1[what] = (before[0] + count, before[1], before[2])
        return value1
