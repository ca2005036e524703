"""The rows of a file or of standard input, with the types that a dataset declares."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from predicat.catalog.model import Dataset
from predicat.diagnostics import NOWHERE, PredicatError, extras
from predicat.diagnostics.messages import files as say_files
from predicat.diagnostics.messages import matching as say
from predicat.forms.text_casts import of_text
from predicat.ir.nodes import Field, FieldDecl
from predicat.ir.python_values import RowError
from predicat.ir.types import (
    BIGINT,
    DURATION,
    JSON,
    STRING,
    DecimalType,
    Scalar,
    Type,
)
from predicat.ir.values import parse_duration, to_value
from predicat.ir.widths import as_stored
from predicat.semantics.evaluate import compile_node

FORMATS = ("json", "csv", "parquet")
"""What rows are read as: JSON with an object in each line, CSV with a header, Parquet."""
STDIN = "-"
_ENDINGS = {
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
}
_SAMPLES = 3


class RowReader:
    """Reads rows. A value that does not fit the type of its field becomes None, and is counted in `bad`.

    Args:
        dataset: The dataset whose fields the rows have. A column has the name of its field, or the name that
            the dataset declares for an engine.
        null: A string that means NULL in CSV, in addition to the empty string.

    Attributes:
        bad: For each field, how many values did not fit, and some of them.
    """

    def __init__(self, dataset: Dataset, null: str = "") -> None:
        self._fields = dataset.fields
        self._names = {column: name for name, decl in self._fields.items() for _, column in decl.columns}
        self._names |= {name: name for name in self._fields}
        self._casts: dict[Type, Callable[[str], Any]] = {}
        self._null = null
        self.bad: dict[str, tuple[int, list[str]]] = {}

    def read(
        self, path: str, kind: str | None = None, stdin: IO[bytes] | None = None
    ) -> Iterator[dict[str, Any]]:
        """The rows of a file, or of `stdin` where the path is `-`, one after the other.

        Args:
            path: A file; JSON and CSV may be compressed with gzip (`.gz`).
            kind: One of FORMATS. Default: by the extension of the file; JSON for standard input.
            stdin: Where the rows come from where the path is `-`.

        Raises:
            PredicatError: The file cannot be read, its extension is not one of a known format, or a line is
                not an object.
        """
        kind = kind or _kind(path)
        seen = False
        for row in self._raw(path, kind, stdin):
            if not seen and row and not self._known(row):
                raise PredicatError.of(say.no_field(path, list(row), self._fields))
            seen = True
            yield self._typed(row)

    def _raw(self, path: str, kind: str, stdin: IO[bytes] | None) -> Iterator[dict[str, Any]]:
        """The rows as they are in the file."""
        try:
            if kind == "parquet":
                yield from _of_parquet(path, stdin)
                return
            with _opened(path, stdin) as text:
                yield from _of_csv(text, path) if kind == "csv" else _of_json(text, path)
        except UnicodeDecodeError as error:
            raise PredicatError.of(say_files.no_utf8(say.place(path), error.start)) from None
        except (OSError, csv.Error) as error:
            raise PredicatError.of(
                say_files.unreadable(path, getattr(error, "strerror", None) or str(error))
            ) from None

    def _known(self, row: Mapping[str, Any]) -> bool:
        """Whether a row has a key for some field."""
        heads = {name.partition(".")[0] for name in self._names}
        return any(key in self._names or key in heads for key in row)

    def _typed(self, row: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
        typed: dict[str, Any] = {}
        for key, value in row.items():
            whole = f"{prefix}{key}"
            name = self._names.get(whole)
            if name is not None:
                typed[name.removeprefix(prefix)] = self._value(value, self._fields[name])
            elif isinstance(value, Mapping) and any(one.startswith(f"{whole}.") for one in self._fields):
                typed[key] = self._typed(value, f"{whole}.")
            else:
                typed[key] = value
        return typed

    def _value(self, value: Any, decl: FieldDecl) -> Any:
        """A value as the evaluator expects it. A string is converted as SQL casts it."""
        if isinstance(value, str) and self._null and value == self._null:
            return None
        if value is None or (isinstance(value, str) and decl.type == STRING):
            return value
        try:
            if isinstance(value, str) and decl.type != JSON:
                value = self._cast(value, decl.type)
            if isinstance(value, float) and decl.type == BIGINT and value.is_integer():
                value = int(value)  # as programs that have no whole number beside an absent one write it
            return as_stored(value, decl)
        except RowError:
            count, few = self.bad.get(decl.name, (0, []))
            self.bad[decl.name] = (count + 1, few if len(few) >= _SAMPLES else [*few, str(value)[:80]])
            return None

    def _cast(self, text: str, kind: Type) -> Any:
        if not isinstance(kind, Scalar | DecimalType):
            return to_value(_json(text), kind)
        if isinstance(kind, DecimalType):
            return to_value(text.strip(), kind)
        value = parse_duration(text) if kind == DURATION else self._caster(kind)(text)
        if value is None:
            raise RowError
        return value

    def _caster(self, kind: Type) -> Callable[[str], Any]:
        if kind not in self._casts:
            text = Field(STRING, FieldDecl("text", STRING))
            made = compile_node(of_text(text, kind, NOWHERE))
            self._casts[kind] = lambda value: made({"text": value})
        return self._casts[kind]


def _kind(path: str) -> str:
    if path == STDIN:
        return "json"
    endings = Path(path).suffixes
    if endings and endings[-1] == ".gz":
        endings.pop()
    kind = _ENDINGS.get(endings[-1].lower()) if endings else None
    if kind is None:
        raise PredicatError.of(say.unknown_ending(path, FORMATS))
    return kind


@contextmanager
def _opened(path: str, stdin: IO[bytes] | None) -> Iterator[io.TextIOWrapper]:
    """The text of a file, without its byte order mark."""
    if path == STDIN and stdin is not None:
        yield io.TextIOWrapper(stdin, encoding="utf-8-sig", newline="")
        return
    with gzip.open(path) if path.endswith(".gz") else Path(path).open("rb") as raw:
        yield io.TextIOWrapper(cast("IO[bytes]", raw), encoding="utf-8-sig", newline="")


def _of_csv(text: io.TextIOWrapper, path: str) -> Iterator[dict[str, Any]]:
    separator = "\t" if path.removesuffix(".gz").endswith(".tsv") else ","
    lines = csv.reader(text, delimiter=separator)
    header = next(lines, [])
    for cells in lines:
        if not cells:
            continue
        if len(cells) != len(header):
            raise PredicatError.of(
                say.bad_line(path, lines.line_num, say.columns_of_line(len(cells), len(header)))
            )
        yield {name: cell or None for name, cell in zip(header, cells, strict=True)}


def _of_json(text: io.TextIOWrapper, path: str) -> Iterator[dict[str, Any]]:
    """The rows of JSON lines, or of one JSON array of objects."""
    for number, line in enumerate(text, 1):
        if not line.strip():
            continue
        if number == 1 and line.lstrip().startswith("["):
            yield from _of_array(line + text.read(), path)
            return
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            raise PredicatError.of(say.bad_line(path, number, say.NO_JSON)) from None
        if not isinstance(row, dict):
            raise PredicatError.of(say.bad_line(path, number, say.NO_OBJECT))
        yield row


def _of_array(text: str, path: str) -> Iterator[dict[str, Any]]:
    try:
        rows = json.loads(text)
    except json.JSONDecodeError as error:
        raise PredicatError.of(say.bad_line(path, error.lineno, say.NO_JSON)) from None
    except RecursionError:
        raise PredicatError.of(say.bad_line(path, 1, say.NO_JSON)) from None
    for row in rows:
        if not isinstance(row, dict):
            raise PredicatError.of(say.bad_line(path, 1, say.NO_OBJECT))
        yield row


def _json(text: str) -> Any:
    """The list, map or struct that a CSV cell holds as JSON. Raises RowError."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise RowError from None


def _of_parquet(path: str, stdin: IO[bytes] | None) -> Iterator[dict[str, Any]]:
    extras.require("pyarrow")
    import pyarrow as pa  # noqa: PLC0415  # optional
    import pyarrow.parquet as pq  # noqa: PLC0415  # as above

    source: Any = pa.BufferReader(stdin.read()) if path == STDIN and stdin is not None else path
    try:
        with pq.ParquetFile(source) as file:
            for batch in file.iter_batches(batch_size=10_000):
                yield from batch.to_pylist(maps_as_pydicts="lossy")
    except pa.ArrowException as error:
        raise PredicatError.of(say_files.unreadable(path, str(error).partition("\n")[0])) from None
