"""The records of CSV and JSON files, each with its line. A damaged one does not end the reading."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from msgspec import Struct
from msgspec.structs import replace

from predicat.catalog.file_formats import ANY, ENCODINGS, FileFormat
from predicat.diagnostics import PredicatError, extras
from predicat.diagnostics.messages import deploy as say_deploy
from predicat.diagnostics.messages import files as say_files
from predicat.diagnostics.messages import tables as say
from predicat.files.cells import Number

STDIN = "-"
# The endings of files, and their formats.
ENDINGS = {
    ".parquet": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
}
# What may be behind an ending.
PACKED = (".gz", ".zst")
_SHEETS = (".xlsx", ".xls", ".xlsm", ".ods", ".numbers")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_DELIMITERS = (",", ";", "\t", "|")
_LONGEST_CELL = 2**31 - 1


class Record(Struct, frozen=True):
    """A record by column, the line where it begins, what is wrong with it, and its text in JSON."""

    cells: dict[str, Any]
    line: int
    wrong: str = ""
    text: str = ""


def plain_name(path: str) -> str:
    """A path in lower case, without the ending of a compression."""
    lower = path.lower()
    return next((lower.removesuffix(end) for end in PACKED if lower.endswith(end)), lower)


def refuse_sheet(path: str) -> None:
    """Raise PredicatError for a spreadsheet."""
    if plain_name(path).endswith(_SHEETS):
        raise PredicatError.of(say.spreadsheet(path))


def format_of(path: str, form: FileFormat = ANY) -> FileFormat | None:
    """The format of a file, with its kind by the ending; None if that tells none.

    Raises PredicatError for a spreadsheet.
    """
    refuse_sheet(path)
    if form.kind:
        return form
    kind = ENDINGS.get(Path(plain_name(path)).suffix)
    return replace(form, kind=kind) if kind is not None else None


def there(path: str) -> bool:
    """Whether something may be at a path: a file, a folder, a pattern, or a place that only engines reach."""
    return bool(_SCHEME.match(path)) or any(sign in path for sign in "*?[") or Path(path).exists()


def is_remote(path: str) -> bool:
    """Whether a path has a scheme, such as `s3:`: only engines reach it."""
    return bool(_SCHEME.match(path))


def files_of(path: str) -> list[str]:
    """The files at a path: itself, those that a pattern names, or those of a folder with the first ending
    that occurs. Raises PredicatError if there are none.
    """
    if _SCHEME.match(path):
        if not plain_name(path).endswith(".parquet"):
            raise PredicatError.of(say.remote(path))
        return [path]
    folder = Path(path)
    if path and folder.is_dir():
        inside = sorted(str(file) for file in folder.rglob("*") if file.is_file())
        for ending in ENDINGS:
            if found := [file for file in inside if plain_name(file).endswith(ending)]:
                return found
        raise PredicatError.of(say_deploy.unknown_ending(path, tuple(ENDINGS)))
    if any(sign in path for sign in "*?[") and not folder.exists():
        fixed = Path(path.partition("*")[0].partition("?")[0].partition("[")[0] + "x").parent
        found = sorted(map(str, fixed.glob(str(Path(path).relative_to(fixed)))))
    else:
        found = [path] if folder.exists() and path else []
    if not found:
        raise PredicatError.of(say_deploy.no_such_file(path or "''"))
    return found


@contextmanager
def opened(path: str, encoding: str, stdin: IO[bytes] | None = None) -> Iterator[io.TextIOWrapper]:
    """The text of a file, without its byte order mark. Raises PredicatError for what cannot be read."""
    try:
        with _bytes(path, stdin) as raw:
            head = raw.peek(2)[:2] if isinstance(raw, io.BufferedReader) else b""
            wide = encoding == "utf-8" and head in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
            coding = ENCODINGS["utf-16" if wide else encoding].python
            try:
                yield io.TextIOWrapper(cast("IO[bytes]", raw), encoding=coding, newline="")
            except UnicodeDecodeError as error:
                before = raw.tell() - len(error.object) if not wide and raw.seekable() else 0
                told = say.other_encoding(path, before + error.start, encoding, ENCODINGS)
                raise PredicatError.of(told) from None
    except (OSError, EOFError) as error:
        raise PredicatError.of(
            say_files.unreadable(path, getattr(error, "strerror", None) or str(error))
        ) from None


@contextmanager
def _bytes(path: str, stdin: IO[bytes] | None) -> Iterator[Any]:
    if path == STDIN and stdin is not None:
        yield stdin
    elif path.lower().endswith(".gz"):
        with gzip.open(path) as raw:
            yield io.BufferedReader(cast("Any", raw))
    elif path.lower().endswith(".zst"):
        extras.require("pyarrow")
        import pyarrow as pa  # noqa: PLC0415  # optional

        with pa.CompressedInputStream(pa.OSFile(path), "zstd") as raw:
            yield io.BufferedReader(cast("Any", raw))
    else:
        with Path(path).open("rb") as raw:
            yield raw


def records(path: str, form: FileFormat, stdin: IO[bytes] | None = None) -> Iterator[Record]:
    """The records of a CSV or JSON file. Raises PredicatError for a file that cannot be read, and at the end
    of one of whose records none is as it should be: that is a file of another kind.
    """
    good, first = False, None
    with opened(path, form.encoding, stdin) as text:
        for record in _of_csv(text, path, form) if form.kind == "csv" else _of_json(text, path):
            good = good or not record.wrong
            first = first or record
            yield record
    if first is not None and not good:
        raise PredicatError.of(say_files.unreadable(say.line(path, first.line), first.wrong))


def verify(path: str, form: FileFormat) -> None:
    """Read a file once for an engine that would change what `records` refuses: it replaces the bytes of
    another encoding, and a quote that is not closed takes the records that follow. Raises PredicatError.
    """
    if form.kind != "csv":
        for _ in records(path, form):
            pass
        return
    with opened(path, form.encoding) as text:
        lines = _layout(text, path, form)[1]
        before = lines.line_num
        while True:
            try:
                for _ in lines:
                    before = lines.line_num
            except csv.Error as error:
                if _NOT_CLOSED in str(error):
                    place = say.line(path, before + 1)
                    raise PredicatError.of(say_files.unreadable(place, say.no_csv(error))) from None
            else:
                return


_NOT_CLOSED = "unexpected end of data"


# --- CSV


class Layout(Struct, frozen=True):
    """The columns of a CSV file, and the format with its delimiter. `plain`: nothing is above the header, and
    the encoding is the one of the format.
    """

    columns: tuple[str, ...]
    form: FileFormat
    plain: bool = True


def layout(path: str, form: FileFormat) -> Layout:
    """How a CSV file is laid out, by its header. Raises PredicatError."""
    with opened(path, form.encoding) as text:
        found = _layout(text, path, form)[0]
        usual = text.encoding == ENCODINGS[form.encoding].python
        return found if usual else replace(found, plain=False)


def _layout(text: io.TextIOWrapper, path: str, form: FileFormat) -> tuple[Layout, Any, int]:
    """The layout, the reader of the rows, and the number of empty lines above them."""
    csv.field_size_limit(_LONGEST_CELL)
    above, first = next(((place, line) for place, line in enumerate(text) if line.strip()), (0, ""))
    if not first:
        raise PredicatError.of(say.no_header(path))
    found = form if form.delim else replace(form, delim=delimiter(first, path, form))
    lines = _reader(_again(first, text), found)
    if form.header:
        return Layout(form.header, found, not above), lines, above
    try:
        names = tuple(next(lines))
    except csv.Error as error:
        raise PredicatError.of(say_files.unreadable(say.place(path), say.no_csv(error))) from None
    return Layout(_distinct(names, path), found, not above), lines, above


def _again(first: str, rest: io.TextIOWrapper) -> Iterator[str]:
    yield first
    yield from rest


def delimiter(line: str, path: str, form: FileFormat) -> str:
    """The delimiter that gives the most columns; of several the first one."""
    if plain_name(path).endswith(".tsv"):
        return "\t"
    return max(_DELIMITERS, key=lambda sign: _columns(line, replace(form, delim=sign)))


def _columns(line: str, form: FileFormat) -> int:
    try:
        return len(next(_reader([line], form)))
    except csv.Error:  # the quotes are not closed: perhaps on another line
        return line.count(form.delim) + 1


def _reader(lines: Any, form: FileFormat) -> Any:
    doubled = form.escape == form.quote
    return csv.reader(
        lines,
        delimiter=form.delim,
        quotechar=form.quote,
        strict=True,  # or a quote that is not closed takes all that follows for a cell
        doublequote=doubled,
        escapechar=None if doubled else form.escape,
    )


def _distinct(names: Sequence[str], path: str) -> tuple[str, ...]:
    """The names of columns. Empty ones get a number. Raises PredicatError for a name that is there twice."""
    shown = [name.strip() or f"column{place}" for place, name in enumerate(names)]
    seen: set[str] = set()
    for name in shown:
        if name.lower() in seen:
            raise PredicatError.of(say.twice(path, name))
        seen.add(name.lower())
    return tuple(shown)


def _of_csv(text: io.TextIOWrapper, path: str, form: FileFormat) -> Iterator[Record]:
    found, lines, above = _layout(text, path, form)
    columns, width, before = found.columns, len(found.columns), lines.line_num
    while True:
        try:
            for cells in lines:
                line, before = before + 1 + above, lines.line_num
                if len(cells) == width:
                    yield Record(dict(zip(columns, cells, strict=True)), line)
                elif cells and (len(cells) > 1 or cells[0].strip()):
                    wrong = say.columns_of_line(len(cells), width)
                    there = dict(zip(columns, cells, strict=False))
                    yield Record(dict.fromkeys(columns) | there, line, wrong)
        except csv.Error as error:
            yield Record(dict.fromkeys(columns), before + 1 + above, say.no_csv(error))
            before = lines.line_num
        else:
            return


# --- JSON


def _of_json(text: io.TextIOWrapper, path: str) -> Iterator[Record]:
    """The rows of JSON lines, or of one JSON array of objects."""
    begun = False
    for number, line in enumerate(text, 1):
        if not line.strip():
            continue
        if not begun and line.lstrip().startswith("["):
            yield from _of_array(line + text.read(), path, number)
            return
        begun = True
        try:
            row = json.loads(line, parse_float=Number)
        except (ValueError, RecursionError):
            yield Record({}, number, say.NO_JSON)
        else:
            yield _object(row, number, line)


def _object(row: Any, number: int, text: str) -> Record:
    return Record(row, number, "", text) if isinstance(row, dict) else Record({}, number, say.NO_OBJECT)


def _of_array(text: str, path: str, first: int) -> Iterator[Record]:
    decoder = json.JSONDecoder(parse_float=Number)
    at, line = text.index("[") + 1, first
    while True:
        begin = at
        while at < len(text) and text[at] in " \t\r\n,":
            at += 1
        if at < len(text) and text[at] == "]":
            return
        line += text.count("\n", begin, at)
        try:
            row, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            raise PredicatError.of(say_files.unreadable(say.line(path, line), say.NO_JSON)) from None
        yield _object(row, line, text[at:end])
        line += text.count("\n", at, end)
        at = end
