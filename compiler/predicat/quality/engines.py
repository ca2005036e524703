"""Where rows are counted: PostgreSQL and DuckDB. Spark's part is in `predicat_spark.quality`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from predicat.backends.sql import shown
from predicat.deploy import columns, file_relations, relations
from predicat.diagnostics import Diagnostic, PredicatError, extras
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import review as say
from predicat.files import duckdb_tables
from predicat.files.records import there as files_there
from predicat.quality.classes import Classes
from predicat.quality.extent import measure_extent
from predicat.quality.fold import LANES, ROWS
from predicat.quality.grouping import TotalsOfParts, few_groups, grouped, in_batches, streamed
from predicat.quality.measure import Measure, measure
from predicat.quality.plan import Plan, without

if TYPE_CHECKING:
    import duckdb
    import psycopg

    from predicat.ir.nodes import FieldDecl

SAMPLE_ROWS = 3


# The rows of a query, as they come.
Fetch = Callable[[str], Iterable[Sequence[int]]]
# Batches of the classes of rows out of a query of words in which each key has a byte.
Stream = Callable[[str], Iterable[Sequence[bytes]]]


def count_rows(plan: Plan, source: str, fetch: Fetch, stream: Stream | None = None) -> TotalsOfParts:
    """The counts of a plan on a relation of a SQL engine: grouped by the engine, or streamed where groups
    would be too many.

    Without `stream`, rows are fetched.
    """
    source = plan.rows_of(source)
    if few_groups(plan.classes, lambda rows: list(fetch(f"{_words(plan.classes, source)} LIMIT {rows}"))):
        return grouped(plan.program, plan.classes, fetch(_group_query(plan.classes, source)))
    query = _words(plan.classes, source, lanes=True)
    return streamed(
        plan.program, stream(query) if stream is not None else in_batches(plan.program, fetch(query))
    )


def _words(classes: Classes, source: str, *, lanes: bool = False) -> str:
    columns = ", ".join(f"{word} AS w{place}" for place, word in enumerate(classes.packed_keys(lanes=lanes)))
    return f"SELECT {columns} FROM {source}"


def _group_query(classes: Classes, source: str) -> str:
    names = ", ".join(f"w{place}" for place in range(len(classes.packed_keys())))
    if not names:
        return f"SELECT count(*) FROM {source}"
    return f"SELECT {names}, count(*) FROM ({_words(classes, source)}) AS predicat_classes GROUP BY {names}"


def measure_what_runs(
    plan: Plan,
    run: Callable[[Plan], Measure],
    probe: Callable[[str], str | None],
    refused: Mapping[str, Diagnostic],
) -> Measure:
    """What `run` measures; filters that the engine cannot run are left out, and are errors of the result.

    `probe` gives the engine's reason why it cannot run a condition, None if it can: it reads no rows.
    `refused` are the filters for which a column has another type. Raises PredicatError if `run` fails and no
    single filter is the reason, or every one, and if all are refused.
    """
    if refused and len(refused) == len(plan.filters):
        raise PredicatError(list(dict.fromkeys(refused.values())))
    broken = {
        name: "; ".join(filter(None, (problem.message, problem.hint))) for name, problem in refused.items()
    }
    remaining = without(plan, broken) if broken else plan
    try:
        result = run(remaining)
    except PredicatError:
        fail = {
            item.qualified: reason
            for item in remaining.filters
            if (reason := probe(plan.sql(item.qualified))) is not None
        }
        if not fail or len(fail) == len(remaining.filters):
            raise
        broken |= fail
        result = run(without(plan, broken))
    for one in (result, *result.parts):
        one.errors = dict(broken)
    return result


def columns_of(plan: Plan) -> str:
    """The columns of rows that are shown: the key, then what the plan's filters read."""
    return ", ".join(sample_columns(plan)) or "1 AS one"


def sample_columns(plan: Plan) -> list[str]:
    """The same, one by one."""
    dataset = plan.dataset
    return shown.columns([*(dataset.fields[name] for name in dataset.key), *_read(plan)], plan.engine)


def _read(plan: Plan) -> list[FieldDecl]:
    """The fields that the filters read."""
    return [decl for item in plan.filters for decl in item.current.predicate.fields.values()]


def on_postgres(plan: Plan, connection: psycopg.Connection, sample: float = 1.0) -> Measure:
    """Measure a plan on its PostgreSQL relation. Raises PredicatError with the server's text if no filter
    of it can run.
    """
    relation = plan.dataset.relation.get("postgres")
    if relation is None:
        raise PredicatError.of(say.no_postgres_relation(plan.dataset.name))
    source = exp.to_table(relation, dialect="postgres").sql(dialect="postgres")
    table = _Postgres(connection, source, sample, sensitive=plan.dataset.is_sensitive)
    read = dict.fromkeys([*_read(plan), *plan.scope])
    known, composites = relations.columns_of(connection, relation, read)
    places = plan.dataset.places
    columns.check_fields("postgres", relation, known, plan.scope, composites, plan.dataset.name)
    refused = columns.refused("postgres", relation, known, plan.filters, composites, places)
    return measure_what_runs(plan, table.measure, table.probe, refused)


# Bytes of the header of a binary COPY without extensions; then each row has a count of columns and for
# each a length.
_COPY_HEADER = 19


class _Postgres:
    """A relation of PostgreSQL, or a sample of it."""

    def __init__(
        self, connection: psycopg.Connection, source: str, sample: float, *, sensitive: bool = False
    ) -> None:
        self.connection = connection
        self.source = source
        self.sample = sample
        self.sensitive = sensitive

    def measure(self, plan: Plan) -> Measure:
        import psycopg  # noqa: PLC0415  # optional

        try:
            with self.connection.transaction():
                part = self.part()
                totals = count_rows(plan, part, self.fetch, lambda query: self.stream(plan, query))
                result = measure(plan, totals, lambda condition: self.rows(plan, condition), self.sample)
                measure_extent(result, plan, partial(self.select, plan))
        except psycopg.Error as error:
            raise PredicatError.of(msg.engine_error("PostgreSQL", self.told(error))) from None
        return result

    def probe(self, condition: str) -> str | None:
        import psycopg  # noqa: PLC0415  # optional

        try:
            with self.connection.transaction():
                self.connection.execute(f"SELECT {condition} FROM {self.source} LIMIT 0".encode())
        except psycopg.Error as error:
            return self.told(error)
        return None

    def told(self, error: psycopg.Error) -> str:
        return shown.of_engine(
            _one_line(error), error.sqlstate or type(error).__name__, sensitive=self.sensitive
        )

    def part(self) -> str:
        """The sample: of pages and rows of a table, which is quick, and of rows of a view, which has no
        pages.
        """
        if self.sample >= 1:
            return self.source
        row = self.connection.execute(
            "SELECT relkind IN ('r', 'm', 'p') FROM pg_class WHERE oid = to_regclass(%s)", (self.source,)
        ).fetchone()
        if row == (True,):
            return f"{self.source} TABLESAMPLE BERNOULLI ({self.sample * 100:.6f}) REPEATABLE (0)"
        self.connection.execute("SELECT setseed(0)")
        return f"(SELECT * FROM {self.source} WHERE random() < {self.sample:.8f}) AS predicat_sample"

    def fetch(self, query: str) -> Iterator[Sequence[int]]:
        """The rows of a query through a cursor of the server, so that they are never all here."""
        with self.connection.cursor(name="predicat") as cursor:
            cursor.itersize = ROWS
            cursor.execute(query.encode())
            yield from cursor

    def stream(self, plan: Plan, query: str) -> Iterator[list[bytes]]:
        """Batches out of a binary COPY: every row has the same length, so a key is every nth byte."""
        words = len(plan.classes.packed_keys(lanes=True))
        length = 2 + 12 * words
        places = [2 + 12 * (key // LANES) + 4 + 7 - key % LANES for key in range(plan.program.keys)]
        data = bytearray()
        with (
            self.connection.cursor() as cursor,
            cursor.copy(f"COPY ({query}) TO STDOUT (FORMAT BINARY)".encode()) as copy,
        ):
            for chunk in copy:
                data += chunk
                if len(data) >= _COPY_HEADER + ROWS * length:
                    rows = bytes(data[_COPY_HEADER : _COPY_HEADER + ROWS * length])
                    del data[_COPY_HEADER : _COPY_HEADER + ROWS * length]
                    yield [rows[place::length] for place in places]
        rows = bytes(data[_COPY_HEADER:-2])
        if rows:
            yield [rows[place::length] for place in places]

    def select(self, plan: Plan, asked: Sequence[str], keys: Sequence[str]) -> Sequence[Sequence[Any]]:
        query = aggregates(asked, keys, plan.rows_of(self.source))
        return list(self.connection.execute(query.encode()).fetchall())

    def rows(self, plan: Plan, condition: str) -> list[Mapping[str, Any]]:
        with self.connection.cursor() as cursor:
            cursor.execute(
                f"SELECT {columns_of(plan)} FROM {plan.rows_of(self.source)} "
                f"WHERE {condition} LIMIT {SAMPLE_ROWS}".encode()
            )
            names = [column.name for column in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def aggregates(asked: Sequence[str], keys: Sequence[str], source: str) -> str:
    """A SELECT of keys and aggregates."""
    group = f" GROUP BY {', '.join(str(place) for place in range(1, len(keys) + 1))}" if keys else ""
    return f"SELECT {', '.join([*keys, *asked])} FROM {source}{group}"


def _one_line(error: Exception) -> str:
    """What an engine says, without the part of the SQL that it marks."""
    return " ".join(str(error).partition("\nLINE ")[0].split())


@contextmanager
def opened_files(plan: Plan, source: str) -> Iterator[duckdb_tables.FileTable]:
    """The files of a plan as a table of DuckDB. Raises PredicatError."""
    extras.require("duckdb")
    import duckdb  # noqa: PLC0415  # optional

    named = {key: decl for item in plan.filters for key, decl in item.current.predicate.fields.items()}
    fields = {**plan.dataset.fields, **named}.values()
    if not files_there(source):
        raise PredicatError.of(msg.engine_error("DuckDB", say.no_files(source, say.READS_FILES)))
    form = plan.dataset.form("duckdb")
    with duckdb.connect() as connection, as_problems(sensitive=plan.dataset.is_sensitive):
        connection.execute("SET TimeZone = 'UTC'")
        with duckdb_tables.opened(connection, source, form, fields) as table:
            yield table


def on_duckdb(plan: Plan, source: str, sample: float = 1.0) -> Measure:
    """Measure a plan on Parquet, CSV or JSON files that DuckDB reads. Bad cells count as missing. Raises
    PredicatError if no filter can run.
    """
    extras.require("duckdb")
    import duckdb  # noqa: PLC0415  # optional

    hides = plan.dataset.is_sensitive
    with opened_files(plan, source) as table:
        bad = table.bad()
        read = dict.fromkeys([*_read(plan), *plan.scope])
        kinds, _ = columns.expressions_of("duckdb", read, partial(file_relations.describe, table))
        known = table.types() | kinds
        columns.check_fields("duckdb", source, known, plan.scope, reader=plan.dataset.name)

        def run(plan: Plan) -> Measure:
            with as_problems(sensitive=hides):
                return table.asked(lambda: _measured(table.connection, plan, table.sql, sample))

        def probe(condition: str) -> str | None:
            try:
                table.connection.execute(f"SELECT {condition} FROM {table.sql} LIMIT 0")
            except duckdb.Error as error:
                return shown.of_engine(_one_line(error), type(error).__name__, sensitive=hides)
            return None

        refused = columns.refused("duckdb", source, known, plan.filters, places=plan.dataset.places)
        result = measure_what_runs(plan, run, probe, refused)
        result.bad = bad
        return result


def _measured(connection: duckdb.DuckDBPyConnection, plan: Plan, table: str, sample: float) -> Measure:
    sampled = f"{table} USING SAMPLE {sample * 100:.6f}% (bernoulli, 0)" if sample < 1 else table
    part = f"(SELECT * FROM {sampled}) AS predicat_sample" if sample < 1 else table

    def fetch(query: str) -> Iterator[Sequence[int]]:
        answer = connection.execute(query)
        while rows := answer.fetchmany(ROWS):
            yield from rows

    def rows(condition: str) -> list[Mapping[str, Any]]:
        return _dicts(
            connection,
            f"SELECT {columns_of(plan)} FROM {plan.rows_of(table)} WHERE {condition} LIMIT {SAMPLE_ROWS}",
        )

    def extent(asked: Sequence[str], keys: Sequence[str]) -> Sequence[Sequence[Any]]:
        return list(connection.execute(aggregates(asked, keys, plan.rows_of(table))).fetchall())

    result = measure(plan, count_rows(plan, part, fetch), rows, sample)
    measure_extent(result, plan, extent)
    return result


@contextmanager
def as_problems(*, sensitive: bool, reads: str = f"; {say.READS_FILES}") -> Iterator[None]:
    """Errors of DuckDB as ours, without values if the data is `sensitive`. `reads` is added where a file is
    not found.
    """
    import duckdb  # noqa: PLC0415  # optional

    try:
        yield
    except (duckdb.CatalogException, duckdb.IOException) as error:
        raise PredicatError.of(msg.engine_error("DuckDB", f"{_one_line(error)}{reads}")) from None
    except duckdb.Error as error:
        text = shown.of_engine(_one_line(error), type(error).__name__, sensitive=sensitive)
        raise PredicatError.of(msg.engine_error("DuckDB", text)) from None


def _dicts(connection: Any, query: str) -> list[Mapping[str, Any]]:
    result = connection.execute(query)
    names = [column[0] for column in result.description]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]
