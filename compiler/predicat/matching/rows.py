"""The rows of a file or of standard input, with the types that a dataset declares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from shutil import copyfileobj
from tempfile import NamedTemporaryFile
from typing import IO, Any

from msgspec.structs import replace

from predicat.backends.sql.expressions import of_field
from predicat.backends.sql.names import quoted
from predicat.backends.sql.shown import value as as_seen
from predicat.catalog.file_formats import ANY, FileFormat
from predicat.catalog.model import Dataset
from predicat.diagnostics import PredicatError, extras
from predicat.diagnostics.messages import files as say_files
from predicat.diagnostics.messages import matching as say
from predicat.diagnostics.messages import tables as say_tables
from predicat.diagnostics.messages.expressions import no_expression_here
from predicat.files.bad_cells import BadCells
from predicat.files.cells import Converter, shown
from predicat.files.duckdb_tables import read_parquet
from predicat.files.records import STDIN, Record, files_of, format_of, records
from predicat.ir.python_values import RowError

# What rows are read as: JSON with an object in each line, CSV with a header, Parquet.
FORMATS = ("json", "csv", "parquet")
_BATCH = 10_000


class RowReader:
    """Reads rows. A value that does not fit the type of its field becomes None, and is counted in `bad`.

    Args:
        dataset: The dataset whose fields the rows have. A column has the name of its field, or the name that
            the dataset declares for an engine.
        null: A string that means NULL in CSV, in addition to the empty string.
        form: How the files are written. Default: as their names and contents show.

    Attributes:
        bad: The values that did not fit, by field, and the records that are damaged.
    """

    def __init__(self, dataset: Dataset, null: str = "", form: FileFormat = ANY) -> None:
        read = (decl for row in dataset.filters.values() for decl in row.current.predicate.fields.values())
        self._expressions = {decl.name: found for decl in read if (found := of_field(decl, "duckdb"))}
        self._fields = dataset.fields
        self._names = {column: name for name, decl in self._fields.items() for _, column in decl.columns}
        self._names |= {name: name for name in self._fields}
        self._folded = {column.lower(): name for column, name in self._names.items()}
        self._casts: dict[str, Converter] = {}
        self._form = replace(form, nulls=(*form.nulls, null)) if null else form
        self.bad = BadCells()

    def read(
        self, path: str, kind: str | None = None, stdin: IO[bytes] | None = None
    ) -> Iterator[dict[str, Any]]:
        """The rows of files, or of `stdin` where the path is `-`, one after the other.

        Args:
            path: A file, a folder or a pattern; JSON and CSV may be compressed (`.gz`, `.zst`).
            kind: One of FORMATS. Default: by the extension of the file; JSON for standard input.
            stdin: Where the rows come from where the path is `-`.

        Raises:
            PredicatError: A file cannot be read, its extension is not one of a known format, or its rows have
                no field of the dataset.
        """
        for file in [path] if path == STDIN else files_of(path):
            form = self._of_file(file, kind)
            is_parquet = form.kind == "parquet"
            for name, found in self._expressions.items() if not is_parquet else ():
                raise PredicatError.of(no_expression_here(name, found.sql.sql(dialect="duckdb")))
            self._casts = {}
            seen = False
            for record in self._of_parquet(file, stdin) if is_parquet else records(file, form, stdin):
                if not seen and record.cells and not self._known(record.cells):
                    raise PredicatError.of(say_tables.no_field(file, list(record.cells), list(self._fields)))
                seen = True
                if record.wrong:
                    self.bad.add(say_tables.RECORD, record.wrong, file, record.line)
                yield self._typed(record, file, form)

    def _of_file(self, path: str, kind: str | None) -> FileFormat:
        if kind is not None:
            return replace(self._form, kind=kind)
        if path == STDIN:
            return self._form if self._form.kind else replace(self._form, kind="json")
        form = format_of(path, self._form)
        if form is None:
            raise PredicatError.of(say.unknown_ending(path, FORMATS))
        return form

    def _known(self, row: Mapping[str, Any]) -> bool:
        """Whether a row has a key for some field."""
        heads = {name.partition(".")[0].lower() for name in self._names}
        return any(key.lower() in self._folded or key.lower() in heads for key in row)

    def _typed(self, record: Record, file: str, form: FileFormat) -> dict[str, Any]:
        def of_cells(row: Mapping[str, Any], prefix: str) -> dict[str, Any]:
            typed: dict[str, Any] = {}
            for key, value in row.items():
                whole = f"{prefix}{key}"
                name = self._names.get(whole) or self._folded.get(whole.lower())
                if name is not None:
                    typed[name.removeprefix(prefix)] = self._value(value, name, form, (file, record.line))
                elif isinstance(value, Mapping) and any(one.startswith(f"{whole}.") for one in self._fields):
                    typed[key] = of_cells(value, f"{whole}.")
                else:
                    typed[key] = value
            return typed

        return of_cells(record.cells, "")

    def _value(self, value: Any, name: str, form: FileFormat, place: tuple[str, int]) -> Any:
        """A value as the evaluator expects it; None for a bad one, which is counted."""
        cast = self._casts.get(name)
        if cast is None:
            cast = self._casts[name] = Converter(self._fields[name], form)
        try:
            return cast(value)
        except RowError:
            self.bad.add(name, as_seen(self._fields[name], shown(value)), *place)
            return None

    def _of_parquet(self, path: str, stdin: IO[bytes] | None) -> Iterator[Record]:
        """The rows of a Parquet file as DuckDB reads them, with the fields that are read from expressions."""
        extras.require("duckdb")
        import duckdb  # noqa: PLC0415  # optional

        more = [
            f"{one.sql.sql(dialect='duckdb')} AS {quoted(name, 'duckdb')}"
            for name, one in self._expressions.items()
        ]
        with duckdb.connect() as connection, NamedTemporaryFile(suffix=".parquet") as copy:
            if path == STDIN and stdin is not None:
                copyfileobj(stdin, copy)
                copy.flush()
            file = copy.name if path == STDIN else path
            connection.execute("SET TimeZone = 'UTC'")
            try:
                answer = connection.execute(f"SELECT {', '.join(('*', *more))} FROM {read_parquet([file])}")
                names = [column[0] for column in answer.description]
                batches = iter(lambda: answer.fetchmany(_BATCH), [])
                for number, row in enumerate(chain.from_iterable(batches), 1):
                    yield Record(dict(zip(names, row, strict=True)), number)
            except duckdb.Error as error:
                raise PredicatError.of(say_files.unreadable(path, str(error).partition("\n")[0])) from None
