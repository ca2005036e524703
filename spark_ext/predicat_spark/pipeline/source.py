"""Sources: tables, files of any format, and whatever else Spark reads; and the cells in them that
do not convert.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import count as count_from
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace
from sqlglot import exp

from predicat.backends.column_types import SAME, column_type, holds
from predicat.backends.sql.expressions import BadExpression, columns_of
from predicat.catalog.file_formats import (
    KEYS,
    FileFormat,
    cell_options,
    of_spark_options,
    spark_options,
)
from predicat.catalog.jobs import FORMAT_OPTIONS, UNTYPED, Source
from predicat.catalog.model import Dataset, Filter
from predicat.deploy.columns import expressions_of
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import pipeline as say
from predicat.files import cells
from predicat.files.records import delimiter, files_of, is_remote, refuse_sheet, verify
from predicat.ir.column_forms import form_of, held_type
from predicat.ir.nodes import FieldDecl
from predicat.ir.types import JSON, STRING, TypeSyntaxError
from predicat.ir.widths import field_type
from predicat_spark.names import quoted, quoted_table
from predicat_spark.pipeline.files import Files
from predicat_spark.settings import READING, settings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import DataType, StructType

# The endings of files, and Spark's formats for them.
FORMATS = {
    "parquet": "parquet",
    "orc": "orc",
    "csv": "csv",
    "tsv": "csv",
    "json": "json",
    "jsonl": "json",
    "ndjson": "json",
    "avro": "avro",
    "xml": "xml",
}
_PACKED = frozenset({"gz", "bz2", "zst", "xz", "lz4", "snappy", "deflate", "zip"})
_RAW = "__raw_"
# Types whose texts an option such as dateFormat describes.
_TIMES = frozenset({"date", "timestamp", "timestamp_ntz"})
# The column in which Spark keeps a record that it cannot read.
RECORD = "_corrupt_record"
# A stream of Spark leaves out files that are a week older than the newest one, unless it is told otherwise.
_ALL_FILES = {"maxFileAge": "36500d"}
# Files of a folder whose endings tell its format.
_LOOKED_AT = 1000


class Cell(Struct, frozen=True):
    """A column whose texts may not convert: `sql` is the text of a cell that did not, and NULL otherwise."""

    column: str
    sql: str


class Reading(Struct, frozen=True):
    """A source as it is read. `columns` are those that sinks get; `raw` are the same columns as they came,
    where they were converted. `empty` is a batch without new rows. `form` says how text files are written.
    """

    frame: DataFrame
    columns: tuple[str, ...]
    cells: tuple[Cell, ...] = ()
    raw: tuple[tuple[str, str], ...] = ()
    empty: bool = False
    form: FileFormat | None = None


def read(session: SparkSession, source: str, dataset: Dataset) -> DataFrame:
    """A table by its name, or files by their path, with the columns of the catalog. Raises PredicatError
    if neither is there.
    """
    reading = read_relation(session, source, dataset)
    return reading.frame.select(*(quoted(name) for name in reading.columns))


def read_relation(session: SparkSession, source: str, dataset: Dataset) -> Reading:
    """Like `read`, with the cells that may not convert."""
    return read_source(session, located(session, source), dataset)


def located(
    session: SparkSession,
    text: str,
    kind: str | None = None,
    options: dict[str, str] | None = None,
    schema: str | None = None,
) -> Source:
    """The source that a text means: a path if it has a slash or exists, else a table. Raises
    PredicatError for what may be both.
    """
    path = "/" in text or Files(session).exists(text)
    if path and "/" not in text and session.catalog.tableExists(quoted_table(text)):
        raise PredicatError.of(say.table_and_path(text))
    if path or kind is not None:
        return Source(paths=(text,), format=kind, options=options or {}, schema=schema)
    if not session.catalog.tableExists(quoted_table(text)):
        kind = _ending(text)
        raise PredicatError.of(say.no_path(text) if kind else say.no_table_or_file(text))
    return Source(table=text)


def _named_kinds(source: Source) -> set[str]:
    """The format of files as it is said, or by the endings of their paths."""
    if source.format is not None:
        return {source.format}
    return {kind for path in source.paths if (kind := _ending(path)) is not None}


# Options that say no more than our formats do.
_OURS = {row.spark or key for key, row in KEYS.items()} | {"multiLine", "enforceSchema"}
# Bytes of local files that are read twice. Others are too long, or not at hand.
_SMALL = 64 * 2**20


def small_files(paths: Sequence[str]) -> list[str]:
    """The files at some paths, if they are small and on this machine."""
    try:
        files = [file for path in paths for file in files_of(path)]
    except PredicatError:
        return []  # Spark says what is missing
    local = not any(map(is_remote, files))
    return files if local and sum(Path(file).stat().st_size for file in files) <= _SMALL else []


def of_format(source: Source, form: FileFormat) -> Source:
    """Files that are written as the relation of a dataset says. Options that are given count."""
    options = dict(source.options)
    if form.kind == "csv":
        options = {**spark_options(form), **options}
        if not form.delim and "sep" not in source.options:
            options.pop("sep")
    options |= cell_options(form) if form.kind != "parquet" else {}
    schema = ", ".join(f"{quoted(name)} STRING" for name in form.header) or source.schema
    return replace(source, format=source.format or form.kind or None, options=options, schema=schema)


def read_source(
    session: SparkSession, source: Source, dataset: Dataset, *, streaming: bool = False
) -> Reading:
    """The rows of a source, with texts converted to the types that the catalog declares. Files are written as
    the relation says, unless they have the ending of another format.
    """
    source = replace(source, options=dict(map(_resolved, source.options.items())))
    given = dataset.form("spark")
    if given.kind and source.paths and (_named_kinds(source) or {given.kind}) == {given.kind}:
        source = of_format(source, given)
    with settings(session, READING):
        if source.table is not None:
            frame = session.readStream.table(source.table) if streaming else session.table(source.table)
            return Reading(frame, tuple(frame.columns))
        if source.format is None:
            for path in source.paths:
                refuse_sheet(path)
        kind = source.format or _format(Files(session), source.paths)
        source = replace(source, options={**FORMAT_OPTIONS.get(kind, {}), **source.options})
        header = given.header if source.format == given.kind else ()
        if kind in ("csv", "json") and not streaming and source.options.keys() <= _OURS:
            for file in small_files(source.paths):
                verify(file, replace(of_spark_options(kind, source.options), header=header))
        found = {**_found(session, kind, source), **(_ALL_FILES if streaming and source.paths else {})}
        source = replace(source, options={**found, **source.options})
        reader: Any = session.readStream if streaming else session.read
        reader = reader.format(kind).options(**source.options)
        if kind in UNTYPED:
            form = of_spark_options("csv" if kind == "csv" else "json", source.options)
            form = replace(form, header=header)
            given_columns = _struct(source.schema)
            fields = _fields(dataset, given_columns)
            frame = _typeless(session, reader, kind, source, fields, streaming=streaming)
            return _declared(frame, fields, form, _narrow(dataset, given_columns))
        if source.schema is not None:
            _refuse_other_types(session, kind, source)
            reader = reader.schema(source.schema)
        elif streaming and source.paths:
            reader = reader.schema(_own_schema(session, kind, source))
        frame = _load(reader, source, streaming=streaming)
        if kind == "parquet" and not streaming and _lacks(frame, dataset):
            frame = _load(
                reader.option("mergeSchema", True), source, streaming=streaming
            )  # one file lacks a column: take the columns of all
        return Reading(frame, tuple(frame.columns))


def _found(session: SparkSession, kind: str, source: Source) -> dict[str, str]:
    """What the first line of files tells: what separates the cells of CSV, and whether JSON is an array."""
    named = {name.lower() for name in source.options}
    wanted = {"csv": ("sep", "delimiter"), "json": ("multiline",)}.get(kind, ())
    if not source.paths or not wanted or named.intersection(wanted):
        return {}
    lines = session.read.option("encoding", source.options.get("encoding", "UTF-8")).text(list(source.paths))
    first = lines.where("trim(value) <> ''").head()
    if first is None:
        return {}
    if kind == "json":
        return {"multiLine": "true"} if first.value.lstrip("\ufeff \t").startswith("[") else {}
    return {"sep": delimiter(first.value, source.paths[0], of_spark_options(kind, source.options))}


def _resolved(option: tuple[str, str]) -> tuple[str, str]:
    """An option whose value is `$NAME` has that of a variable of the environment. Raises PredicatError if
    there is none.
    """
    name, value = option
    variable = re.fullmatch(r"\$([A-Za-z_]\w*)", value)
    if variable is None:
        return option
    if variable[1] not in os.environ:
        raise PredicatError.of(say.no_variable(name, value, variable[1]))
    return name, os.environ[variable[1]]


def _load(reader: Any, source: Source, *, streaming: bool) -> DataFrame:
    if not source.paths:
        return reader.load()  # type: ignore[no-any-return]  # a reader of either kind
    return reader.load(source.paths[0] if streaming else list(source.paths))  # type: ignore[no-any-return]  # as above


def _own_schema(session: SparkSession, kind: str, source: Source) -> StructType:
    """The columns that the files themselves have."""
    return session.read.format(kind).options(**source.options).load(list(source.paths) or None).schema


def _lacks(frame: DataFrame, dataset: Dataset) -> bool:
    present = {name.lower() for name in frame.columns}
    read = (column for decl in dataset.fields.values() for column in columns_of(decl, "spark"))
    return any(column.lower() not in present for column in read)


def _format(files: Files, paths: tuple[str, ...]) -> str:
    """The format of files by their endings: of those in a folder, or of the path itself. Raises
    PredicatError if they do not tell.
    """
    endings: set[str] = set()
    for path in paths:
        if files.is_folder(path):
            if "_delta_log" in files.names(path):
                endings.add("delta")
                continue
            inside = [_ending(name) for _, name in zip(range(_LOOKED_AT), files.below(path), strict=False)]
            endings |= {kind for kind in inside if kind}
            if not any(inside) and (kind := _ending(path)):
                endings.add(kind)
        elif kind := _ending(path):
            endings.add(kind)
    if len(endings) == 1:
        return endings.pop()
    if endings:
        raise PredicatError.of(say.several_formats(paths, endings))
    missing = [path for path in paths if not any(sign in path for sign in "*?[{") and not files.exists(path)]
    if missing:
        raise PredicatError.of(say.no_path(missing[0]))
    raise PredicatError.of(say.no_format(paths))


def _ending(path: str) -> str | None:
    """The format by the last ending of a name, without that of a compression."""
    parts = path.rstrip("/").rpartition("/")[2].lower().split(".")
    while len(parts) > 1 and parts[-1] in _PACKED:
        parts.pop()
    return FORMATS.get(parts[-1]) if len(parts) > 1 else None


# --- formats without types


def _fields(dataset: Dataset, given: StructType | None) -> dict[str, FieldDecl]:
    """The fields by their columns, in lower case. Columns that are given are as if they were declared."""
    fields = {decl.column("spark").lower(): decl for decl in dataset.fields.values()}
    for column in given or ():
        decl = _field(column.name, column.dataType)
        nested_float = column.dataType.typeName() in _NESTED and "float" in _shown(column.dataType)
        if decl is not None and decl.type not in (STRING, JSON) and not nested_float:
            fields.setdefault(column.name.lower(), decl)
    return fields


def _narrow(dataset: Dataset, given: StructType | None) -> dict[str, str]:
    """The nested columns that are given, and not declared, by name."""
    declared = {decl.column("spark").lower() for decl in dataset.fields.values()}
    return {
        column.name.lower(): _shown(column.dataType)
        for column in given or ()
        if column.name.lower() not in declared and column.dataType.typeName() in _NESTED
    }


def _field(name: str, kind: DataType) -> FieldDecl | None:
    """A field that a column of Spark holds; None if no field has its type."""
    try:
        core, stored = field_type(_shown(kind))
    except TypeSyntaxError:
        return None
    return FieldDecl(name, core, stored=stored)


def _refuse_other_types(session: SparkSession, kind: str, source: Source) -> None:
    """Raises PredicatError if files with types have values that the columns that are given cannot hold. Spark
    would round some, and make others NULL.
    """
    from pyspark.errors import PySparkException  # noqa: PLC0415  # Spark is slow to load

    try:
        there = {column.name.lower(): column for column in _own_schema(session, kind, source)}
    except PySparkException:
        return  # no file yet, of a stream
    differing = []
    for column in _struct(source.schema) or ():
        own = there.get(column.name.lower())
        if own is None or (text := _shown(own.dataType)) == (given := _shown(column.dataType)):
            continue
        decl = _field(column.name, column.dataType) if own.dataType.typeName() not in _NESTED else None
        if decl is None or holds("spark", decl, column_type("spark", text)).kind != SAME:
            differing.append((column.name, text, given))
    if differing:
        raise PredicatError.of(say.other_types(source.paths, differing))


def _typeless(
    session: SparkSession,
    reader: Any,
    kind: str,
    source: Source,
    fields: Mapping[str, FieldDecl],
    *,
    streaming: bool,
) -> DataFrame:
    """The file's own columns, or those that are given, and one for the records that cannot be read. Scalars
    of JSON are read as the texts that they are in the file, and so is all that has another type than its
    field: the catalog says what is a value, where Spark would round it, or leave out the whole record.
    """
    given = _struct(source.schema)
    is_formatted = any(option.lower().endswith("format") for option in source.options)
    schema = ", ".join(
        f"{quoted(column.name)} {'string' if is_text else _shown(column.dataType)}"
        for column in given or _own_schema(session, kind, source)
        if column.name != RECORD
        for decl in [fields.get(column.name.lower())]
        for nested in [column.dataType.typeName() in _NESTED]
        for is_text in [
            decl is not None
            and (
                not (is_formatted and column.dataType.typeName() in _TIMES)
                if given is not None
                else not nested
                if cells.is_scalar(decl.type)
                else _shown(column.dataType) != _compact(str(cells.read_type("spark", decl)))
            )
        ]
    )
    if source.options.get("mode", "permissive").lower() == "permissive":
        schema = f"{schema}, {RECORD} string" if schema else f"{RECORD} string"
        reader = reader.option("columnNameOfCorruptRecord", RECORD)
    return _load(reader.schema(schema), source, streaming=streaming)


def _struct(ddl: str | None) -> StructType | None:
    """The columns of a text in Spark DDL."""
    from pyspark.sql.types import StructType  # noqa: PLC0415  # Spark is slow to load

    columns = StructType.fromDDL(ddl) if ddl is not None else None
    return columns if isinstance(columns, StructType) else None


def _declared(
    frame: DataFrame, fields: Mapping[str, FieldDecl], form: FileFormat, narrow: Mapping[str, str]
) -> Reading:
    """The columns as the catalog declares them. What does not convert is NULL, and its text is kept in
    another column.
    """
    columns = [name for name in frame.columns if name != RECORD]
    bad = [Cell("(record)", RECORD)] if RECORD in frame.columns else []
    names = {name.lower(): name for name in columns}
    converted: dict[str, str] = {}
    for column, decl in fields.items():
        present = names.get(column)
        if present is not None and (sql := _conversion(frame, present, decl, form)) is not None:
            converted[present] = _exactly(sql, narrow[column]) if column in narrow else sql
    parts = [
        f"{converted[name]} AS {quoted(name)}" if name in converted else quoted(name) for name in columns
    ]
    kept = [f"{quoted(name)} AS {quoted(_RAW + name)}" for name in converted]
    bad += [Cell(name, _failed(frame, name, form)) for name in converted]
    raw = tuple((_RAW + name if name in converted else name, name) for name in columns)
    more = [RECORD] if RECORD in frame.columns else []
    # Spark takes a column of its own name for damaged records from every row of JSON that it reads.
    free = next(name for name in (f"{'_' * count}record" for count in count_from(0)) if name not in names)
    raw += tuple((name, free) for name in more)
    return Reading(frame.selectExpr(*parts, *kept, *more), tuple(columns), tuple(bad), raw, form=form)


def _failed(frame: DataFrame, name: str, form: FileFormat) -> str:
    raw = quoted(_RAW + name)
    inner = _inner(frame, name)
    there = cells.present_sql("spark", _RAW + name, form) if inner == "string" else raw
    text = raw if inner == "string" else f"to_json({raw})" if inner in _NESTED else f"CAST({raw} AS STRING)"
    return f"CASE WHEN ({there}) IS NOT NULL AND {quoted(name)} IS NULL THEN {text} END"


_NESTED = frozenset({"struct", "map", "array", "variant"})


def _inner(frame: DataFrame, name: str) -> str:
    return str(frame.schema[name].dataType.typeName())


def _conversion(frame: DataFrame, name: str, decl: FieldDecl, form: FileFormat) -> str | None:
    """The SQL of a column as the catalog declares it; None where it is so already."""
    column, held, read = quoted(name), held_type(decl), cells.read_type("spark", decl)
    kind = decl.shown_type if cells.is_scalar(decl.type) else str(read)
    inner = _inner(frame, name)
    if inner == "string" and cells.is_scalar(decl.type):
        is_text = decl.type == STRING and form_of(decl.stored) is None and not form.nulls
        return None if is_text else cells.sql("spark", name, decl, form)
    if _shown(frame.schema[name].dataType) == _compact(kind):
        is_same = cells.is_scalar(decl.type) or read == held
        return None if is_same else cells.in_forms("spark", column, held)
    text = column if inner == "string" else f"to_json({column})"
    if kind == "json":
        return f"try_parse_json({text})"
    if inner in _NESTED and cells.is_scalar(decl.type):
        return f"CAST(NULL AS {kind})"
    if not cells.is_scalar(decl.type):
        return cells.in_forms("spark", _document(text, kind), held)
    return f"try_cast({column} AS {kind})"


def _exactly(sql: str, kind: str) -> str:
    """A nested value as a type with narrower numbers; NULL if one of them does not fit."""
    cast = f"try_cast({sql} AS {kind})"
    return f"CASE WHEN to_json({cast}) = to_json({sql}) THEN {cast} END"


def _compact(kind: str) -> str:
    """A type as Spark shows it."""
    return kind.replace(", ", ",").replace(": ", ":")


def _document(text: str, kind: str) -> str:
    """A text of JSON as a nested type; NULL if a part of it is none. Spark alone would make a struct of NULLs
    of any text.
    """
    whole = exp.Literal.string(f"STRUCT<v: {kind}, bad: STRING>").sql(dialect="spark")
    kept = "map('columnNameOfCorruptRecord', 'bad')"
    read = f"from_json(concat('{{\"v\":', {text}, '}}'), {whole}, {kept})"
    return f"get(filter(array({read}), x -> x.bad IS NULL), 0).v"


def column_types(frame: DataFrame) -> dict[str, str]:
    """The types of the columns; a char(n), which Spark shows as a string, by its own name."""
    return {
        field.name: field.metadata.get("__CHAR_VARCHAR_TYPE_STRING") or _shown(field.dataType)
        for field in frame.schema
    }


def _shown(kind: DataType) -> str:
    """A type as text, with names of members that are no words in backticks."""
    from pyspark.sql.types import ArrayType, MapType, StructType  # noqa: PLC0415  # Spark is slow to load

    if isinstance(kind, ArrayType):
        return f"array<{_shown(kind.elementType)}>"
    if isinstance(kind, MapType):
        return f"map<{_shown(kind.keyType)},{_shown(kind.valueType)}>"
    if not isinstance(kind, StructType):
        return kind.simpleString()
    names = [name if re.fullmatch("[A-Za-z_][A-Za-z_0-9]*", name) else quoted(name) for name in kind.names]
    parts = (f"{name}:{_shown(part.dataType)}" for name, part in zip(names, kind.fields, strict=True))
    return f"struct<{','.join(parts)}>"


def kinds_of(frame: DataFrame, filters: Iterable[Filter], more: Iterable[FieldDecl] = ()) -> dict[str, str]:
    """The types of the columns, and of the expressions that fields of filters, and more fields, are read
    from. Raises PredicatError for those that Spark cannot read.
    """
    read = (decl for one in filters for decl in one.current.predicate.fields.values())
    fields = dict.fromkeys([*read, *more])
    types, wrong = expressions_of("spark", fields, partial(_described, frame))
    if wrong:
        raise PredicatError(wrong)
    return column_types(frame) | types


def _described(frame: DataFrame, text: str) -> str:
    """The type of an expression over a DataFrame. Raises BadExpression."""
    from pyspark.errors import PySparkException  # noqa: PLC0415  # Spark is slow to load

    try:
        return column_types(frame.selectExpr(f"{text} AS expression"))["expression"]
    except PySparkException as error:
        raise BadExpression(str(error).partition("\n")[0]) from None
