"""Entry filters on Spark: the native filter first, then Python in Arrow batches over the rest of the rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from predicat import backends
from predicat.catalog.model import Catalog
from predicat.entry_filters import Chain, Plan, plan
from predicat.ir.nodes import TRUE
from predicat.rewrite.acceptance import for_acceptance
from predicat_spark.lists import provide

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame


def apply(
    frame: DataFrame,
    catalog: Catalog,
    name: str,
    *,
    subscription: str = "",
    consumer: Mapping[str, str] | None = None,
    outcome: str | None = None,
) -> DataFrame:
    """The rows of a DataFrame that an entry filter of the catalog accepts. It works for batches and streams.

    The native filter (`after:`) thins the rows first, and is pushed down. Then the classes see
    the rows that are left, one at a time. Columns that are no fields of the dataset are the metadata of the
    message.

    A class that raises makes its row UNKNOWN, which is rejected unless the filter says `on_unknown: accept`.
    Each kind of error is logged once for each task, with the key of the first row, by the logger
    `predicat.entry_filters`. The query goes on.

    Args:
        frame: The rows. Their columns are those that the catalog declares for Spark, and any others.
        catalog: The catalog.
        name: The filter, as `dataset.filter` or `dataset.filter@version`.
        subscription: A subscription of the dataset, whose properties the classes see. Default: none.
        consumer: What the classes see of the consumer. Default: nothing.
        outcome: The name of a column to add. Then every row that the native filter accepts is kept, and the
            column says ACCEPT, REJECT, RESCHEDULE or UNKNOWN. Default: only accepted rows, no such column.

    Raises:
        PredicatError: There is no such filter or subscription, it has no `python:` body, or a class cannot be
            loaded.
    """
    from pyspark.sql.functions import expr  # noqa: PLC0415  # pyspark takes half a second to load
    from pyspark.sql.types import StringType, StructType  # noqa: PLC0415  # as above

    plan_ = plan(catalog, name, subscription=subscription, consumer=consumer)
    Chain(plan_).close()  # a class that is not there is an error now, not in every task
    provide(frame.sparkSession, [plan_.native])
    native = backends.dialect("spark").render(for_acceptance(plan_.native))
    fields = catalog.datasets[plan_.name.partition(".")[0]].fields
    columns = {decl.column("spark"): field for field, decl in fields.items()}
    schema = StructType(list(frame.schema.fields))
    if outcome is not None:
        schema = schema.add(outcome, StringType(), nullable=False)
    run = _batches(replace(plan_, native=TRUE), {name: columns.get(name) for name in frame.columns}, outcome)
    return frame.where(expr(native)).mapInArrow(run, schema)


def _batches(
    plan_: Plan, columns: Mapping[str, str | None], outcome: str | None
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function that each task runs on its batches. `columns`: the field of each column."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa  # noqa: PLC0415  # in the worker

        chain = Chain(plan_)
        try:
            for batch in batches:
                outcomes = [chain.outcome(entry, message) for entry, message in rows_of(batch, columns)]
                if outcome is not None:
                    made = pa.array([str(item) for item in outcomes], pa.string())
                    arrays = [*batch.columns, made]
                    names = [*batch.schema.names, outcome]
                    yield pa.RecordBatch.from_arrays(arrays, names=names)
                else:
                    yield batch.filter(pa.array([chain.accepts(item) for item in outcomes], pa.bool_()))
        finally:
            chain.close()

    return run


def rows_of(
    batch: pa.RecordBatch, columns: Mapping[str, str | None], documents: Collection[str] = ()
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """The rows of a batch: the values of fields, and the metadata. `columns`: the field of each column;
    `documents`: the columns whose texts are JSON.
    """
    values = [
        (columns.get(name), name, _documents(column) if name in documents else _python(column))
        for name, column in zip(batch.schema.names, batch.columns, strict=True)
    ]
    fields = [field for field, _, _ in values if field is not None]
    others = [name for field, name, _ in values if field is None]
    of_fields = zip(*(column for field, _, column in values if field is not None), strict=True)
    of_others = zip(*(column for field, _, column in values if field is None), strict=True)
    nothing: Iterator[tuple[Any, ...]] = iter([()] * batch.num_rows)
    for row, message in zip(of_fields if fields else nothing, of_others if others else nothing, strict=False):
        yield dict(zip(fields, row, strict=True)), dict(zip(others, message, strict=True))


def _documents(column: pa.Array) -> list[Any]:
    """Texts of JSON as Python has their values."""
    return [None if text is None else json.loads(text) for text in column.to_pylist()]


def _python(column: pa.Array) -> list[Any]:
    """The values of a column as Python has them: maps are dicts, at any depth.

    NumPy converts texts and numbers at once, several times as fast as one by one; it has no whole number that
    is absent.
    """
    import pyarrow as pa  # noqa: PLC0415  # in the worker

    kind = column.type
    numeric = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)
    values: list[Any]
    if pa.types.is_string(kind) or (numeric and not column.null_count):
        values = column.to_numpy(zero_copy_only=False).tolist()
        return values
    values = column.to_pylist()
    return [_plain(value, column.type) for value in values] if _holds_map(column.type) else values


def _holds_map(kind: Any) -> bool:
    """Whether values of an Arrow type are maps or hold some."""
    import pyarrow as pa  # noqa: PLC0415  # in the worker

    if pa.types.is_map(kind):
        return True
    return any(_holds_map(kind.field(at).type) for at in range(kind.num_fields))


def _plain(value: Any, kind: Any) -> Any:
    """A value with dicts for maps, which Arrow gives as pairs."""
    import pyarrow as pa  # noqa: PLC0415  # in the worker

    if value is None:
        return None
    if pa.types.is_map(kind):
        return {key: _plain(item, kind.item_type) for key, item in value}
    if pa.types.is_list(kind):
        return [_plain(item, kind.value_type) for item in value]
    if pa.types.is_struct(kind):
        return {field.name: _plain(value[field.name], field.type) for field in kind}
    return value
