"""What engines store for the types of fields that are no types of expressions, and how it is compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlglot import exp

from predicat.backends.sql.builders import (
    COMPARISON_NODES,
    Sql,
    between_utc,
    binary,
    call,
    case,
    cast,
    is_null,
    lambda_,
    not_,
    string_literal,
    try_cast,
    variable,
)
from predicat.backends.sql.json_columns import documents
from predicat.ir.column_forms import OfColumn, core_type, form_of, held_type, of_elements, of_field
from predicat.ir.nodes import Call, Field, FieldDecl, Items, Literal, Node, walk
from predicat.ir.operators import ORDERED
from predicat.ir.types import JSON, ArrayType, FormType, StructType, Type, is_numeric, with_forms
from predicat.ir.values import INT_MAX
from predicat.ir.widths import as_stored


class Held(Struct, frozen=True):
    """How an engine holds a form.

    Attributes:
        type: The type of its columns, with the words of the declared type, or these as labels in quotes.
        read: The value of the core type of a column.
        constant: A constant of the core type as one of the column's type: from its SQL and its value.
        convert: Any value of the core type as one of the column's type. None: not all values are, and those
            that are none are NULL there.
        given: A value of the core type as a driver takes it.
        written: The value of a text of a file, where a cast does not give it.
        only_if: A condition of a column that must hold, too, where a constant equals its value.
        fits: Whether a constant can be compared in the column's type.
        pairs: Whether two columns of the form can be compared.
        ordered: Whether the engine's order is that of the core type.
    """

    type: str
    read: Callable[[Sql], Sql]
    constant: Callable[[Sql, Any], Sql] = lambda sql, _: sql
    convert: Callable[[Sql], Sql] | None = None
    given: Callable[[Any], Any] = lambda value: value
    written: Callable[[Sql], Sql] | None = None
    only_if: Callable[[Sql], Sql] | None = None
    fits: Callable[[Any], bool] = lambda _: True
    pairs: bool = True
    ordered: bool = True


def _text(sql: Sql) -> Sql:
    return cast(sql, "TEXT")


def _is_ascii(sql: Sql) -> Sql:
    """Whether a text has only ASCII characters: of others the lower case depends on the database.

    The planner takes <> to be true of nearly all rows, and = to be true of one in 200.
    """
    more = binary(exp.Sub, call("OCTET_LENGTH", _text(sql)), call("LENGTH", _text(sql.copy())))
    return binary(exp.NEQ, call("SIGN", more), 1)


def _hexadecimal(digits: Sql) -> Sql:
    return binary(exp.DPipe, string_literal("\\x"), digits)


def _hex(sql: Sql) -> Sql:
    return _hexadecimal(call("LOWER", call("HEX", sql)))


def _unhexed(_sql: Sql, value: str) -> Sql:
    return call("UNHEX", string_literal(value.removeprefix("\\x")))


def _as_bytes(value: str) -> bytes:
    return bytes.fromhex(value.removeprefix("\\x"))


def _of_digits(text: Sql) -> Sql:
    return call("UNHEX", call("SUBSTRING", text, 3))


def _without_zone(value: datetime) -> datetime:
    return value.replace(tzinfo=None)


def _stripped(sql: Sql) -> Sql:
    return call("RTRIM", sql)


def _never(_value: Any) -> bool:
    return False


def _shown(value: datetime) -> str:
    return value.replace(tzinfo=None).isoformat(sep=" ")


def _wall_clock(sql: Sql) -> Sql:
    unit, epoch = exp.Var(this="MICROSECOND"), cast("1970-01-01 00:00:00", "TIMESTAMPNTZ")
    return call("TIMESTAMPADD", unit, call("UNIX_MICROS", sql), epoch)


def _local(_sql: Sql, value: datetime) -> Sql:
    return cast(_shown(value), "TIMESTAMP")


_UBIGINT = exp.DataType(this=exp.DType.UBIGINT)
# Without the type, a session that does not find its operators compares texts. With it, that is an error.
_CITEXT = exp.DataType(this=exp.DType.USERDEFINED, kind="citext")

# By form and engine. An engine without a row has the values of the core type in its columns.
HELD: dict[str, Mapping[str, Held]] = {
    "uuid": {
        "postgres": Held("uuid", _text),
        "duckdb": Held("uuid", _text, lambda sql, _: cast(sql, "UUID")),
    },
    "enum": {
        "postgres": Held("enum({labels})", _text, pairs=False, ordered=False),
        "duckdb": Held("enum({labels})", _text, pairs=False, ordered=False),
    },
    "char": {
        "postgres": Held("char({words})", _text, ordered=False),
        "spark": Held("char({words})", _stripped, fits=_never, pairs=False),
        "duckdb": Held(
            "varchar", lambda sql: call("RTRIM", sql, string_literal(" ")), fits=_never, pairs=False
        ),
    },
    "inet": {"postgres": Held("inet", lambda sql: call("ABBREV", sql), ordered=False)},
    "cidr": {"postgres": Held("cidr", _text, ordered=False)},
    "time": {
        "postgres": Held("time", _text),
        "duckdb": Held("time", _text, lambda sql, _: cast(sql, "TIME")),
    },
    "json_text": {"postgres": Held("json", documents)},
    "ubigint": {
        "duckdb": Held(
            "ubigint",
            lambda sql: cast(sql, "DECIMAL(20, 0)"),
            lambda sql, value: sql if value <= INT_MAX else exp.Cast(this=sql, to=_UBIGINT.copy()),
            given=int,
            fits=lambda value: value == int(value),
        )
    },
    # PostgreSQL cuts a constant of the type off, and uses no index for it
    "name": {"postgres": Held("name", _text, lambda sql, _: _text(sql))},
    "binary": {
        "postgres": Held("bytea", lambda sql: _hexadecimal(call("ENCODE", sql, string_literal("hex")))),
        "duckdb": Held("blob", _hex, _unhexed, given=_as_bytes, written=_of_digits),
        "spark": Held("binary", _hex, _unhexed, given=_as_bytes, written=_of_digits),
    },
    "citext": {
        "postgres": Held(
            "citext",
            _text,
            lambda sql, _: exp.Cast(this=sql, to=_CITEXT.copy()),
            only_if=_is_ascii,
            fits=str.isascii,
            pairs=False,
            ordered=False,
        ),
    },
    "timestamp_ntz": {
        "postgres": Held("timestamp without time zone", between_utc, _local, between_utc, _without_zone),
        "duckdb": Held("timestamp without time zone", between_utc, _local, between_utc, _without_zone),
        "spark": Held(
            "timestamp_ntz",
            lambda sql: try_cast(call("CONCAT", sql, string_literal("Z")), "TIMESTAMPTZ"),
            lambda _, value: cast(_shown(value), "TIMESTAMPNTZ"),
            _wall_clock,
            _without_zone,
        ),
    },
}
HELD["timestamp_in"] = HELD["timestamp_ntz"]
_OTHERS = ("same", "in", "is_null")


def is_column(node: Node) -> bool:
    """Whether a node is a field, or a member of a struct, which SQL reads as the column holds it."""
    return isinstance(node, Field) or (isinstance(node, Call) and node.op == "member")


def _held_as(engine: str, form: OfColumn | None) -> tuple[OfColumn, Held] | None:
    held = HELD[form.name].get(engine) if form is not None else None
    return (form, held) if form is not None and held is not None else None


def _held(engine: str, node: Node) -> tuple[OfColumn, Held] | None:
    return _held_as(engine, of_field(node)) if is_column(node) else None


def read(engine: str, node: Node, column: Sql) -> Sql:
    """The value of a field or member in expressions; of arrays all elements are read."""
    if (found := _held(engine, node)) is not None:
        return found[1].read(column)
    found = _held_as(engine, of_elements(node))
    if found is None:
        return column
    element = variable("__each")
    return _EACH[engine](column, found[1].read(element), element.this)


def _each_row(items: Sql, value: Sql, name: exp.Identifier) -> Sql:
    alias = exp.TableAlias(this=exp.to_identifier("__all", quoted=True), columns=[name.copy()])
    rows = exp.Select(expressions=[value]).from_(exp.Unnest(expressions=[items], alias=alias), copy=False)
    return case((not_(is_null(items)), call("ARRAY", rows)))


# An array with another value in the place of each element.
_EACH: Mapping[str, Callable[[Sql, Sql, exp.Identifier], Sql]] = {
    "postgres": _each_row,
    "spark": lambda items, value, name: call("TRANSFORM", items, lambda_(value, name.name)),
    "duckdb": lambda items, value, name: call("LIST_TRANSFORM", items, lambda_(value, name.name)),
}


def parses(engine: str, node: Node) -> bool:
    """Whether a node is a document that an engine parses, from a text or from a column of texts."""
    if node.type != JSON:
        return False
    return _held(engine, node) is not None or (isinstance(node, Call) and node.op == "parse_json")


def column_of(node: Node) -> Node | None:
    """The field or member with a form that a node is, read with the operator of the form; None for any other
    node.
    """
    is_read = isinstance(node, Call) and len(node.args) == 1
    field = node.args[0] if is_read and isinstance(node, Call) else node
    form = of_field(field) if is_column(field) else None
    read = node.op if is_read and isinstance(node, Call) else ""
    return field if form is not None and form.form.read == read else None


def held(engine: str, node: Call) -> Held | None:
    """How a column is held, if a test of it can be written in its type; None for any other node."""
    if node.op not in COMPARISON_NODES and node.op not in _OTHERS:
        return None
    if node.op == "is_null":
        found = _held(engine, node.args[0])
        return None if found is None or found[0].form.core == JSON else found[1]
    if node.op == "in" and not isinstance(node.args[1], Items):
        return None
    fields = [field for field in map(column_of, node.args) if field is not None]
    found = _held(engine, fields[0]) if fields else None
    if found is None or node.args[0].type == JSON or (node.op in ORDERED and not found[1].ordered):
        return None
    form, result = found
    if result.only_if is not None and node.op not in ("eq", "ne", "in"):
        return None
    return result if all(_stands_beside(arg, fields[0], form, result) for arg in node.args) else None


def is_length(engine: str, node: Call) -> bool:
    """Whether a node is the length of a column that an engine holds in its own type."""
    found = _held(engine, node.args[0])
    return found is not None and found[0].form.length == node.op


def is_at_column(engine: str, node: Node) -> bool | None:
    """Whether a test of a column with a form is written in the column's type; None for any other node."""
    if not any(_held(engine, part) for part in walk(node)):
        return None
    return isinstance(node, Call) and held(engine, node) is not None


def _stands_beside(node: Node, field: Node, form: OfColumn, held: Held) -> bool:
    match node:
        case _ if (other := column_of(node)) is not None:
            beside = of_field(other)
            return other is field or (held.pairs and beside is not None and beside.shown == form.shown)
        case Items(items=items):
            return bool(items) and all(_stands_beside(item, field, form, held) for item in items)
        case Literal():
            return _is_value(node, form) and held.fits(node.value)
        case _:
            return held.convert is not None


def _is_value(node: Literal, form: OfColumn) -> bool:
    same = node.type == form.form.core or (is_numeric(node.type) and is_numeric(form.form.core))
    return node.value is not None and same and form.is_value(node.value)


def stored_value(engine: str, decl: FieldDecl, value: Any) -> Any:
    """A value of a row as a driver gives it to an engine for the column of a field."""
    kind = held_type(decl)
    return value if kind == decl.type else _given(engine, kind, as_stored(value, decl))


def _given(engine: str, kind: Type, value: Any) -> Any:
    match kind:
        case _ if value is None:
            return None
        case FormType():
            found = _held_as(engine, form_of(kind.name))
            return value if found is None else found[1].given(value)
        case ArrayType(element):
            return [_given(engine, element, item) for item in value]
        case StructType(fields):
            return {name: _given(engine, member, value.get(name)) for name, member in fields}
        case _:
            return value


def as_held(engine: str, decl: FieldDecl, value: str) -> str:
    """The SQL of a value of the core type as one of the column's type; NULL if the column has no such
    value.
    """
    found = _held_as(engine, of_field(decl))
    if found is not None and (write := found[1].written or found[1].convert) is not None:
        return write(exp.Paren(this=exp.Var(this=value))).sql(dialect=engine)
    wanted = stored_type(engine, decl, lambda kind: kind.name if isinstance(kind, FormType) else "")
    return f"TRY_CAST({value} AS {wanted})" if wanted else value


def stored_type(engine: str, decl: FieldDecl, otherwise: Callable[[Type], str]) -> str:
    """The type of the column of a field; `otherwise` names a type of the engine."""
    found = engine_type(engine, decl)
    return (held_type(decl) == decl.type and decl.stored) or otherwise(found)


def engine_type(engine: str, decl: FieldDecl) -> Type:
    """The type of the column of a field, with the engine's names of the forms inside of it."""
    return with_forms(held_type(decl), lambda form: _named(engine, form))


def _named(engine: str, kind: FormType) -> Type:
    """The type of an engine for a form."""
    form = form_of(kind.name)
    found = _held_as(engine, form)
    if form is None or found is None:
        return core_type(kind)
    labels = ", ".join("'{}'".format(word.replace("'", "''")) for word in form.words)
    return FormType(found[1].type.format(labels=labels, words=", ".join(form.words)))
