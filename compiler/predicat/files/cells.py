"""What a cell of a file means: the one definition for the evaluator, DuckDB and Spark.

A cell is a text. Its value is that of a node of the core, which the evaluator computes and the back ends
write as SQL. So all of them accept the same spellings: those of a cast of a string in a filter, and for
integers also `5.0`, which programs write that have no whole number beside an absent one. A number outside of
the declared width, or with more digits than a decimal has, is not a value of its field.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any, Self

from sqlglot import exp

from predicat.backends import dialect
from predicat.backends.column_types import EXACT_DIGITS
from predicat.backends.sql.column_forms import as_held
from predicat.catalog.file_formats import FileFormat
from predicat.diagnostics import NOWHERE
from predicat.forms.text_casts import BLANKS, of_text
from predicat.ir.column_forms import OFFSET, OfColumn, core_type, form_of, held_type
from predicat.ir.nodes import Call, Field, FieldDecl, Items, Literal, Node
from predicat.ir.python_values import RowError
from predicat.ir.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    JSON,
    MAX_PRECISION,
    STRING,
    TIMESTAMP,
    ArrayType,
    DecimalType,
    FormType,
    Scalar,
    StructType,
    Type,
)
from predicat.ir.widths import FLOAT_LEAST, FLOAT_MOST, as_stored
from predicat.semantics.evaluate import compile_node

# So few digits are exact in a double.
_WHOLE_AS_DOUBLE = "^[+-]?[0-9]{1,15}[.]0+$"
_EXPONENT = "[eE]"


def is_scalar(kind: Type) -> bool:
    """Whether a cell of a type is a text of its own, and no JSON document."""
    return isinstance(kind, Scalar | DecimalType) and kind != JSON


def present(text: Node, form: FileFormat) -> Node:
    """The text of a cell; NULL for a word that means a missing value, and for an empty cell of CSV."""
    empty: list[str] = [""] if form.kind == "csv" else []
    words = tuple(dict.fromkeys([*form.nulls, *empty]))
    if not words:
        return text
    missing = Call(
        BOOLEAN, "in", (text, Items(ArrayType(STRING), tuple(map(_text, words)), NOWHERE)), NOWHERE
    )
    return _cond(missing, _absent(STRING), text, STRING)


def value(text: Node, kind: Type, width: str, form: FileFormat) -> Node:
    """The value of a text as a type that `is_scalar`; NULL if it is none. `width` is the declared one: a
    number beyond `float` is no value of it. Integers are cast to their width by engines.
    """
    if kind == STRING:
        return text if (held := form_of(width)) is None else _in_form(text, held)
    if kind in (BIGINT, DOUBLE) or isinstance(kind, DecimalType):
        text = _with_usual_marks(text, form)
    plain = _stripped(text)
    if isinstance(kind, DecimalType):
        number, held = _decimal(plain, kind), form_of(width)
        return number if held is None else _cond(held.shape(number), number, _absent(kind), kind)
    usual = of_text(text, kind, NOWHERE)
    if kind == TIMESTAMP and form_of(width) is not None:  # of local times
        return _cond(_matches(plain, OFFSET), _absent(TIMESTAMP), usual, TIMESTAMP)
    if width == "float":
        return _within_float(usual)
    if kind != BIGINT:
        return usual
    double = of_text(text, DOUBLE, NOWHERE)
    whole = Call(BIGINT, "to_whole", (double,), NOWHERE)
    return _cond(_matches(plain, _WHOLE_AS_DOUBLE), whole, usual, BIGINT)


def _with_usual_marks(text: Node, form: FileFormat) -> Node:
    """The text of a number without marks between thousands, and with a point as its decimal mark; NULL if
    its marks are others.
    """
    mark = form.thousands
    if mark:
        grouped = f"^[ \\t]*[+-]?[0-9]{{1,3}}(?:[{mark}][0-9]{{3}})+(?:[{form.decimal}][0-9]*)?[ \\t]*$"
        strange = _cond(_contains(_stripped(text), mark), _absent(STRING), text, STRING)
        text = _cond(_matches(text, grouped), _replaced(text, mark, ""), strange, STRING)
    if form.decimal != ".":
        marked = _replaced(text, form.decimal, ".")
        text = _cond(_contains(text, "."), _absent(STRING), marked, STRING)
    return text


def _contains(text: Node, part: str) -> Node:
    return Call(BOOLEAN, "contains", (text, _text(part)), NOWHERE)


def _replaced(text: Node, part: str, other: str) -> Node:
    return Call(STRING, "replace", (text, _text(part), _text(other)), NOWHERE)


def _stripped(text: Node) -> Node:
    return Call(STRING, "strip", (text, _text(BLANKS)), NOWHERE)


def _in_form(text: Node, held: OfColumn) -> Node:
    """A text as the value of a form; NULL if it is none."""
    if held.form.read:
        return text
    spelled = Call(STRING, held.form.beside, (text,), NOWHERE) if held.form.beside else text
    return _cond(held.shape(spelled), spelled, _absent(STRING), STRING)


def _decimal(plain: Node, kind: DecimalType) -> Node:
    """A decimal without a digit too much. An exponent hides how many there are: then it is compared with the
    decimal that has all digits behind the point that are possible.
    """
    rounded = Call(kind, "to_decimal", (plain,), NOWHERE)
    wide = DecimalType(MAX_PRECISION, MAX_PRECISION - kind.precision + kind.scale)
    same = Call(BOOLEAN, "eq", (rounded, Call(wide, "to_decimal", (plain,), NOWHERE)), NOWHERE)
    digits = f"^[+-]?[0-9]*(?:[.][0-9]{{0,{kind.scale}}}0*)?$"
    exact = _cond(_matches(plain, _EXPONENT), same, _matches(plain, digits), BOOLEAN)
    return _cond(exact, rounded, _absent(kind), kind)


def _within_float(number: Node) -> Node:
    """A double that a float of 32 bits holds, perhaps rounded: neither too large, nor rounded to zero."""
    size = Call(DOUBLE, "abs", (number,), NOWHERE)

    def compared(op: str, left: Node, right: float) -> Node:
        return Call(BOOLEAN, op, (left, Literal(DOUBLE, right, NOWHERE)), NOWHERE)

    large = Call(BOOLEAN, "and", (compared("gt", size, FLOAT_MOST), compared("lt", size, math.inf)), NOWHERE)
    small = Call(BOOLEAN, "and", (compared("lt", size, FLOAT_LEAST), compared("ne", number, 0.0)), NOWHERE)
    return _cond(Call(BOOLEAN, "or", (large, small), NOWHERE), _absent(DOUBLE), number, DOUBLE)


def _matches(text: Node, pattern: str) -> Node:
    return Call(BOOLEAN, "matches", (text, _text(pattern)), NOWHERE)


def _cond(test: Node, yes: Node, no: Node, kind: Type) -> Node:
    return Call(kind, "cond", (test, yes, no), NOWHERE)


def _text(value: str) -> Node:
    return Literal(STRING, value, NOWHERE)


def _absent(kind: Type) -> Node:
    return Literal(kind, None, NOWHERE)


# --- on an engine


def sql(engine: str, column: str, decl: FieldDecl, form: FileFormat) -> str:
    """The value of a column of texts as SQL for `duckdb` or `spark`, of a type that `is_scalar`."""
    text = present(Field(STRING, FieldDecl(column, STRING)), form)
    rendered = dialect(engine).render(value(text, decl.type, decl.stored, form))
    return as_held(engine, decl, rendered)


# A function of each element of an array.
_EACH = {
    "duckdb": 'LIST_TRANSFORM({items}, LAMBDA "{name}": {value})',
    "spark": "TRANSFORM({items}, `{name}` -> {value})",
}
# Whether all elements of an array of booleans are TRUE, also of none.
_EVERY = {"duckdb": "COALESCE(LIST_BOOL_AND({0}), TRUE)", "spark": "COALESCE(FORALL({0}, x -> x), TRUE)"}
# The one element of an array, an array of one, and a struct.
_ONE = {"duckdb": ("[{0}]", "[1]"), "spark": ("ARRAY({0})", "[0]")}
_STRUCT = {"duckdb": ("STRUCT_PACK({0})", "{1} := {2}"), "spark": ("NAMED_STRUCT({0})", "{0}, {2}")}
# The parts of JSON whose texts are read, because an engine makes other values of some, or NULL: DuckDB makes
# 2 of the integer 1.5. These texts have the digits of a double, so Spark reads decimals with more digits.
_TEXTS = {
    "duckdb": frozenset({BIGINT, DOUBLE, BOOLEAN, DATE, TIMESTAMP}),
    "spark": frozenset({DATE, TIMESTAMP}),
}
_LONGER_DECIMALS = frozenset({"spark"})


def read_type(engine: str, decl: FieldDecl) -> Type:
    """The type in which an engine reads JSON of a field: `in_forms` makes its column of it."""
    return _read(engine, held_type(decl))


def _read(engine: str, kind: Type) -> Type:
    match kind:
        case ArrayType(element):
            return ArrayType(_read(engine, element))
        case StructType(members):
            return StructType(tuple((name, _read(engine, member)) for name, member in members))
        case DecimalType(precision, scale) if engine in _LONGER_DECIMALS:
            return DecimalType(MAX_PRECISION, MAX_PRECISION - precision + scale)
        case DecimalType(precision, _) if precision > EXACT_DIGITS:
            return kind
        case _ if isinstance(kind, FormType | DecimalType) or kind in _TEXTS[engine]:
            return STRING
        case _:
            return kind


def in_forms(engine: str, sql: str, kind: Type) -> str:
    """A value of `read_type` as one of the type of the column; NULL if a part of it is no value."""
    if _read(engine, kind) == kind:
        return sql
    name = _quoted(engine, "__x")
    fits, value = _part(engine, name, kind, 0)
    return _bound(engine, sql, "__x", f"CASE WHEN {fits} THEN {value} END")


def _bound(engine: str, sql: str, name: str, value: str) -> str:
    """A value that reads a name for some SQL, which is written once."""
    items, first = _ONE[engine]
    return _EACH[engine].format(items=items.format(sql), name=name, value=value) + first


def _part(engine: str, sql: str, kind: Type, level: int) -> tuple[str, str]:
    """Whether a part is a value, and that value."""
    match kind:
        case _ if _read(engine, kind) == kind:
            return "TRUE", sql
        case ArrayType(element):
            name = f"__x{level}"
            inner, value = _part(engine, _quoted(engine, name), element, level + 1)
            fits, values = (_EACH[engine].format(items=sql, name=name, value=one) for one in (inner, value))
            return _EVERY[engine].format(fits), values
        case StructType(members):
            struct, pair = _STRUCT[engine]
            parts = [
                (member, *_part(engine, f"({sql}).{_quoted(engine, member)}", inner, level + 1))
                for member, inner in members
            ]
            pairs = [
                pair.format(exp.Literal.string(member).sql(dialect=engine), _quoted(engine, member), value)
                for member, _, value in parts
            ]
            made = f"CASE WHEN {sql} IS NOT NULL THEN {struct.format(', '.join(pairs))} END"
            return " AND ".join(f"({fits})" for _, fits, _ in parts), made
        case DecimalType() if engine in _LONGER_DECIMALS:
            value = f"TRY_CAST({sql} AS {kind})"
            return f"({sql} IS NULL OR COALESCE({value} = {sql}, FALSE))", value
        case _:
            name = f"__x{level}"
            value = _bound(engine, sql, name, _of_text(engine, name, kind))
            return f"({sql} IS NULL OR {value} IS NOT NULL)", value


def _of_text(engine: str, name: str, kind: Type) -> str:
    decl = FieldDecl(name, core_type(kind), stored="" if core_type(kind) == kind else str(kind))
    return sql(engine, name, decl, FileFormat("json"))


def _quoted(engine: str, name: str) -> str:
    return str(exp.to_identifier(name, quoted=True).sql(dialect=engine))


def present_sql(engine: str, column: str, form: FileFormat) -> str:
    """The text of a column, and NULL where it means a missing value, as SQL."""
    return dialect(engine).render(present(Field(STRING, FieldDecl(column, STRING)), form))


# --- in Python


class Number(float):
    """A number of JSON with decimals, and the text of it: a decimal may have more digits than a double."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Self:
        """The number of a text."""
        made = super().__new__(cls, text)
        made.text = text
        return made


class Converter:
    """Converts the cells of a field: texts of CSV, values of JSON and Parquet.

    Raises RowError for one that is no value of the field.
    """

    def __init__(self, decl: FieldDecl, form: FileFormat) -> None:
        self._decl = decl
        self._kind = form.kind
        text = Field(STRING, FieldDecl("text", STRING))
        self._present = compile_node(present(text, form))
        self._scalar = is_scalar(decl.type)
        self._value: Callable[[Any], Any] | None = (
            compile_node(value(text, decl.type, decl.stored, form)) if self._scalar else None
        )

    def __call__(self, cell: Any) -> Any:
        """The value; None for a missing one."""
        text = self._text(cell)
        if text is None:
            return self._typed(_plain(cell))
        there = self._present({"text": text})
        if there is None:
            return None
        if self._value is None:
            return self._typed(_document(there))
        result = self._value({"text": there})
        if result is None:
            raise RowError
        return as_stored(result, self._decl)

    def _text(self, cell: Any) -> str | None:
        """The text of a cell of CSV, of a string or of a scalar of JSON; None for another value."""
        if isinstance(cell, str):
            return cell if self._decl.type != JSON or self._kind == "csv" else None
        if self._kind != "json" or not self._scalar:
            return None
        if isinstance(cell, bool):
            return "true" if cell else "false"
        return shown(cell) if isinstance(cell, int | float) else None

    def _typed(self, cell: Any) -> Any:
        kind = self._decl.type
        if isinstance(cell, float) and kind == BIGINT and cell.is_integer():
            cell = int(cell)  # as programs that have no whole number beside an absent one write it
        return as_stored(cell, self._decl)


def shown(cell: Any) -> str:
    """A cell as its file has it."""
    return cell.text if isinstance(cell, Number) else str(cell)


def _document(text: str) -> Any:
    """The JSON that a cell holds. Raises RowError."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise RowError from None


def _plain(cell: Any) -> Any:
    """A value without numbers that carry their text."""
    match cell:
        case Number():
            return float(cell)
        case dict():
            return {key: _plain(inner) for key, inner in cell.items()}
        case list():
            return [_plain(inner) for inner in cell]
        case _:
            return cell
