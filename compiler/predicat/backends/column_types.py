"""Which columns of an engine hold a declared type: the one table that decides it.

Generated SQL relies on the declared type. Constants are rounded to it, guards are left out and conditions are
folded because of its range. So a column may be narrower than its field, but never wider.

The table has kinds of types. Arrays, maps and structs are compared part by part, decimals by their digits.
The extension of Spark reads the same table in `predicat-columns.json`; that file and the table in
`docs/catalog.md` are written by `python -m tests.column_types`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from sqlglot import exp
from sqlglot.errors import SqlglotError

from predicat.diagnostics.messages import columns as say
from predicat.ir.column_forms import core_type, formed_type, held_type, spelled, split, stored_text
from predicat.ir.nodes import FieldDecl
from predicat.ir.types import (
    MAX_PRECISION,
    ArrayType,
    DecimalType,
    FormType,
    MapType,
    StructType,
    Type,
)

SAME, CONVERTED, REFUSED = "same", "converted", "refused"
ENGINES = "spark postgres duckdb"
FITTING, EQUAL, LABELS = "fitting", "equal", "labels"
# Decimals of up to so many digits are different doubles.
EXACT_DIGITS = 15


class Row(Struct, frozen=True):
    """What columns are for a field, by kinds of types.

    `words` say what is read of a converted column, or why a column is refused. `digits` are those that a
    column of decimals may have: FITTING into the field before and after the decimal point, EQUAL to those of
    the field, at most a number of them, or any (""); of enums, LABELS must be the same. `cast` is the
    expression of a view for a refused column.
    """

    declared: str
    columns: str
    verdict: str
    words: str = ""
    digits: str = ""
    cast: str = "CAST({column} AS {declared})"
    engines: str = ENGINES


_SMALL = "tinyint smallint utinyint usmallint"
_LARGE = "uint ubigint hugeint uhugeint"
_INTEGERS = "tinyint smallint int bigint"
_LOCAL = "timestamp_ntz timestamp_ns"
_LOCAL_FIELDS = "timestamp_ntz timestamp_in"

# The first row of a pair decides. A pair without a row is refused: values are not converted.
CONTRACT = (
    Row("tinyint", "tinyint", SAME),
    Row("smallint", "tinyint smallint utinyint", SAME),
    Row("int", f"{_SMALL} int", SAME),
    Row("bigint", f"{_SMALL} int uint bigint", SAME),
    Row(_INTEGERS, f"{_SMALL} int bigint {_LARGE}", REFUSED, say.WIDER),
    Row(_INTEGERS, "float double decimal numeric", REFUSED, say.FRACTIONS),
    Row("decimal", "decimal", SAME, say.OTHER_DIGITS, digits=EQUAL, engines="duckdb"),
    Row("decimal", "decimal", SAME, say.DIGITS, digits=FITTING),
    Row("decimal", f"{_SMALL} int bigint {_LARGE}", REFUSED, say.INTEGER),
    Row("decimal", "numeric", REFUSED, say.ANY_DIGITS),
    Row("decimal", "float double", REFUSED, say.INEXACT),
    Row("float", f"{_SMALL} float", SAME),
    Row("float", f"int bigint {_LARGE} double decimal numeric", REFUSED, say.WIDER),
    Row("double", f"{_SMALL} int uint float double", SAME),
    Row("double", "decimal", SAME, say.FIFTEEN, digits=str(EXACT_DIGITS)),
    Row("double", "bigint ubigint hugeint uhugeint", REFUSED, say.FIFTEEN),
    Row("double", "numeric", REFUSED, say.ANY_DIGITS),
    Row("boolean", "boolean", SAME),
    Row("string", "string", SAME),
    Row("char", "char", SAME),
    Row("char", "string", SAME, engines="spark duckdb"),
    Row("inet", "inet", SAME),
    Row("inet", "string", SAME, engines="spark duckdb"),
    Row("ubigint", "utinyint usmallint uint ubigint", SAME, engines="duckdb"),
    Row("ubigint", "decimal", SAME, say.DIGITS, digits=FITTING, engines="spark postgres"),
    Row("cidr", "cidr", SAME),
    Row("cidr", "string", SAME, engines="spark duckdb"),
    Row("time", "time", SAME, engines="postgres duckdb"),
    Row("time", "string", SAME, engines="spark"),
    Row("name", "name", SAME),
    Row("name", "string", SAME, engines="spark duckdb"),
    Row("binary", "binary", SAME),
    Row("citext", "citext", SAME),
    Row("citext", "string", SAME, engines="spark duckdb"),
    Row("string", "citext", REFUSED, say.OWN_EQUALITY),
    Row("string", "char", REFUSED, say.PADDED, cast="rtrim({column})", engines="spark"),
    Row("string", "char", REFUSED, say.PADDED, cast="CAST({column} AS text)", engines="postgres"),
    Row(
        "string", "collated", REFUSED, say.OWN_EQUALITY, cast="{column} COLLATE UTF8_BINARY", engines="spark"
    ),
    Row("string", "collated", REFUSED, say.OWN_EQUALITY, cast='{column} COLLATE "C"', engines="postgres"),
    Row("uuid", "uuid", SAME),
    Row("uuid", "string", SAME, engines="spark"),
    Row("enum", "enum", SAME, say.LABELS, digits=LABELS, cast="CAST({column} AS text)"),
    Row("enum", "string", SAME),
    Row("string", "uuid enum inet cidr name time", REFUSED, say.OWN_TYPE),
    Row("date", "date", SAME),
    Row("date", f"timestamp {_LOCAL}", REFUSED, say.MOMENT),
    Row("timestamp", "timestamp", SAME),
    Row("timestamp", "timestamp_ntz", CONVERTED, say.IN_UTC, engines="duckdb"),
    Row(
        "timestamp",
        "timestamp_ntz",
        REFUSED,
        say.NO_ZONE,
        cast="to_timestamp({column} || 'Z')",
        engines="spark",
    ),
    Row(
        "timestamp",
        "timestamp_ntz",
        REFUSED,
        say.NO_ZONE,
        cast="{column} AT TIME ZONE 'UTC'",
        engines="postgres",
    ),
    Row("timestamp", "timestamp_ns", REFUSED, say.NANOSECONDS),
    Row("timestamp", "date", REFUSED, say.DAY),
    Row(_LOCAL_FIELDS, "timestamp_ntz", SAME),
    Row(_LOCAL_FIELDS, "timestamp", REFUSED, say.IS_MOMENT),
    Row(_LOCAL_FIELDS, "timestamp_ns", REFUSED, say.NANOSECONDS),
    Row(_LOCAL_FIELDS, "date", REFUSED, say.A_DAY),
    Row("json", "json", SAME),
    Row("json_text", "json_text", SAME, engines="postgres"),
    Row("json_text", "json", SAME),
    Row("json", "json_text string", REFUSED, say.TEXT_OF_JSON, cast="parse_json({column})", engines="spark"),
    Row("json", "json_text string", REFUSED, say.TEXT_OF_JSON, engines="postgres duckdb"),
)


class ColumnType(Struct, frozen=True):
    """The type of a column: its kind, its text in the engine, its digits, and its named parts."""

    kind: str
    text: str
    precision: int = 0
    scale: int = 0
    parts: tuple[tuple[str, ColumnType], ...] = ()


class Verdict(Struct, frozen=True):
    """What a column is for a field: SAME, CONVERTED or REFUSED; the words of its row, and what to write."""

    kind: str
    words: str = ""
    cast: str = ""


# A pair without a row in the table.
OTHER = Verdict(REFUSED, say.OTHER_TYPE, Row("", "", REFUSED).cast)
# Composite types of PostgreSQL by name: their members, and the types of these.
Composites = Mapping[str, Mapping[str, str]]

# The kinds of the types that sqlglot reads in any engine.
_KINDS = {
    **{kind.upper(): kind for kind in (*_SMALL.split(), "int", "uint", "bigint", "ubigint")},
    **{kind.upper(): kind for kind in ("float", "double", "boolean", "date", "enum", "uuid", "time")},
    **dict.fromkeys(("TEXT", "VARCHAR", "NVARCHAR"), "string"),
    **dict.fromkeys(("CHAR", "NCHAR", "BPCHAR"), "char"),
    **dict.fromkeys(("TIMESTAMPTZ", "TIMESTAMPLTZ"), "timestamp"),
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMPNTZ", "TIMESTAMP_MS", "TIMESTAMP_S"), "timestamp_ntz"),
    **dict.fromkeys(("JSON", "JSONB", "VARIANT"), "json"),
    **dict.fromkeys(("VARBINARY", "BINARY"), "binary"),
    "INET": "inet",
    "CIDR": "cidr",
    "NAME": "name",
    "USERDEFINED": "user_type",
    "TIMESTAMP_NS": "timestamp_ns",
    "INT128": "hugeint",
    "UINT128": "uhugeint",
}


def column_type(engine: str, text: str, composites: Composites | None = None) -> ColumnType:
    """The type of a column from its text in an engine: spark, postgres or duckdb."""
    known = composites or {}
    if (form := words_of_enum(text)) is not None:
        return ColumnType("enum", spelled("enum", form))
    if engine == "postgres" and text.endswith("[]"):
        return ColumnType("array", text, parts=(("", column_type(engine, text[:-2], known)),))
    if text in known:
        members = tuple((name, column_type(engine, kind, known)) for name, kind in known[text].items())
        return ColumnType("struct", text, parts=members)
    if engine == "postgres" and (name := text.rpartition(".")[2]) in ("citext", "cidr"):
        return ColumnType(name, text)
    plain, _, collation = text.partition(" COLLATE " if engine == "postgres" else " collate ")
    if collation:
        return ColumnType("collated", text)
    if plain.strip('"').lower() in ("void", "null"):
        return ColumnType("void", text)
    try:
        return _built(exp.DataType.build(plain, dialect=engine, udt=True), engine, text)
    except SqlglotError:
        return ColumnType("other", text)


def words_of_enum(text: str) -> tuple[str, ...] | None:
    """The labels of an enum; None for another type."""
    try:
        found = split(text)
    except ValueError:
        return None
    return found[1] if found is not None and found[0] == "enum" else None


def _built(kind: Any, engine: str, text: str) -> ColumnType:
    name = kind.this.name if isinstance(getattr(kind, "this", None), exp.DataType.Type) else ""
    inside = kind.expressions if name else []
    sizes = [int(part.name) for part in inside if part.name.isdigit()]
    match name:
        case "ARRAY" | "LIST" | "MAP":
            parts = tuple(("", _built(part, engine, _shown(part, engine))) for part in inside)
            return ColumnType("map" if name == "MAP" else "array", text, parts=parts)
        case "STRUCT":
            members = [(part.name, part.kind) for part in inside]
            parts = tuple((label, _built(part, engine, _shown(part, engine))) for label, part in members)
            return ColumnType("struct", text, parts=parts)
        case "ENUM":
            return ColumnType("enum", spelled("enum", tuple(part.name for part in inside)))
        case "DECIMAL" if not sizes and engine == "postgres":
            return ColumnType("numeric", text)
        case "DECIMAL" if len(sizes) < len(inside):  # a scale below zero
            return ColumnType("other", text)
        case "DECIMAL":
            precision, scale = [*sizes, 0][:2]
            return ColumnType("decimal", text, precision, scale)
        case "CHAR" | "NCHAR" if sizes in ([], [1]):
            return ColumnType("string", text)
        case "CHAR" | "NCHAR" | "BPCHAR" if len(sizes) == 1:
            return ColumnType("char", text, sizes[0])
        case "JSON" if engine == "postgres":  # has no operators
            return ColumnType("json_text", text)
        case _:
            return ColumnType(_KINDS.get(name, "other"), text)


def _shown(kind: Any, engine: str) -> str:
    return str(kind.sql(dialect=engine)).lower() if isinstance(kind, exp.Expr) else str(kind)


def holds(engine: str, field: FieldDecl, column: ColumnType) -> Verdict:
    """What a column is for a field on an engine."""
    declared = held_type(field)
    return _holds(engine, declared, field.stored if declared == field.type else "", column)


def _holds(engine: str, declared: Type, width: str, column: ColumnType) -> Verdict:
    if column.kind == "void":
        return Verdict(SAME)
    match declared:
        case FormType(name):
            return _of_table(engine, declared, name, column)
        case ArrayType(element) if column.kind == "array":
            return _all(engine, [(element, column.parts[0][1])])
        case MapType() if engine == "postgres" and column.kind == "json":
            return Verdict(SAME)
        case MapType(value) if column.kind == "map" and column.parts[0][1].kind == "string":
            return _all(engine, [(value, column.parts[1][1])])
        case StructType(fields) if column.kind == "struct":
            members = {_folded(engine, name): kind for name, kind in column.parts}
            pairs = [(kind, members.get(_folded(engine, name))) for name, kind in fields]
            return _all(engine, pairs)
        case _:
            return _of_table(engine, declared, width, column)


def _folded(engine: str, name: str) -> str:
    return name if engine == "postgres" else name.lower()


def _all(engine: str, pairs: list[tuple[Type, ColumnType | None]]) -> Verdict:
    """The verdict of parts: that of the first that is refused, or else of the first that is converted."""
    found = [_holds(engine, kind, "", part) if part else OTHER for kind, part in pairs]
    order = (REFUSED, CONVERTED, SAME)
    return min(found, key=lambda verdict: order.index(verdict.kind), default=Verdict(SAME))


def kind_of(declared: Type) -> str:
    """The kind of a declared type in the table."""
    return str(declared).partition("(")[0].partition("<")[0]


def _of_table(engine: str, declared: Type, stored: str, column: ColumnType) -> Verdict:
    kind = (stored or kind_of(declared)).partition("(")[0]
    for row in CONTRACT:
        if (
            kind in row.declared.split()
            and column.kind in row.columns.split()
            and engine in row.engines.split()
        ):
            verdict = row.verdict if _fits(row.digits, declared, stored, column) else REFUSED
            return Verdict(verdict, row.words if verdict != SAME else "", row.cast)
    return OTHER


def _fits(digits: str, declared: Type, stored: str, column: ColumnType) -> bool:
    match digits:
        case "":
            return True
        case "labels":
            return set(words_of_enum(column.text) or ()) == set(words_of_enum(stored) or ())
        case "equal" | "fitting" if isinstance(declared := core_type(declared), DecimalType):
            after = declared.scale - column.scale
            before = declared.precision - declared.scale - (column.precision - column.scale)
            return (before, after) == (0, 0) if digits == EQUAL else before >= 0 and after >= 0
        case _:
            return column.precision <= int(digits)


# The declared type for a column of a kind.
_FIELDS = {
    **{kind: kind for kind in (*_INTEGERS.split(), "float", "double", "boolean")},
    **{kind: kind for kind in ("string", "uuid", "inet", "cidr", "time", "name", "citext", "json")},
    **{kind: kind for kind in ("date", "timestamp", "timestamp_ntz")},
    "binary": "binary",
    "utinyint": "smallint",
    "usmallint": "int",
    "uint": "bigint",
    "json_text": "json_text",
    "ubigint": "ubigint",
}


# Values of maps have no form: local times are read in UTC, where an engine does that.
_IN_MAPS = {("duckdb", "timestamp_ntz"): "timestamp"}


def declared_type(engine: str, column: ColumnType) -> str | None:
    """The type to declare for a column; None if no declared type holds it. Parts have no width."""
    return _field(engine, column, top=True)


def _field(engine: str, column: ColumnType, *, top: bool = False) -> str | None:
    kinds = {name: _field(engine, part) for name, part in column.parts}
    match column.kind:
        case "struct":  # of which only the members of declared types are read
            found = tuple((name, formed_type(kind)) for name, kind in kinds.items() if kind is not None)
            return str(StructType(found)) if found else None
        case _ if None in kinds.values():
            return None
        case "decimal":
            fits = column.precision <= MAX_PRECISION and column.scale <= column.precision
            return f"decimal({column.precision},{column.scale})" if fits else None
        case "array":
            return f"array<{kinds['']}>"
        case "map":
            value = kinds[""] or ""  # that of the last part
            value = _IN_MAPS.get((engine, value), value)
            fits = column.parts[0][1].kind == "string" and not stored_text(formed_type(value))
            return f"map<string, {value}>" if fits else None
        case "enum":
            return column.text
        case "char" if column.precision > 1:
            return f"char({column.precision})"
        case kind:
            field = _FIELDS.get(kind)
            wide = {"tinyint": "bigint", "smallint": "bigint", "int": "bigint", "float": "double"}
            return field if top or field is None else wide.get(field, field)


_DUCKDB = {"string": "varchar", "timestamp": "timestamptz"}


def duckdb_type(kind: Type) -> str:
    """The DuckDB column type for values of a type."""
    if isinstance(kind, ArrayType):
        return f"{duckdb_type(kind.element)}[]"
    if isinstance(kind, MapType):
        return f"map(varchar, {duckdb_type(kind.value)})"
    if isinstance(kind, StructType):
        members = [f"{_in_quotes(name)} {duckdb_type(inner)}" for name, inner in kind.fields]
        return f"struct({', '.join(members)})"
    return _DUCKDB.get(str(kind), str(kind))


def _in_quotes(name: str) -> str:
    return exp.to_identifier(name, quoted=True).sql(dialect="duckdb")


def for_extension() -> dict[str, Any]:
    """The table as data for the extension of Spark: rows by kinds, declared types by kinds."""
    rows: dict[str, Any] = {}
    for row in CONTRACT:
        if "spark" in row.engines.split():
            said = {"verdict": row.verdict, "digits": row.digits, "why": row.words, "cast": row.cast}
            for declared in row.declared.split():
                for column in row.columns.split():
                    rows.setdefault(f"{declared} {column}", said)
    other = {"verdict": OTHER.kind, "digits": "", "why": OTHER.words, "cast": OTHER.cast}
    return {"rows": rows, "other": other, "fields": _FIELDS, "declare": say.DECLARE, "view": say.VIEW}
