"""Rows from the models that Z3 finds."""

import re
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any

from predicat.ir.nodes import FieldDecl
from predicat.ir.types import (
    BOOLEAN,
    DATE,
    STRING,
    TIMESTAMP,
    ArrayType,
    DecimalType,
    MapType,
    StructType,
    Type,
)
from predicat.ir.values import EXACT
from predicat.ir.widths import as_stored
from predicat.proof.smt import times
from predicat.proof.smt.arrays import Path
from predicat.proof.smt.encoder import Encoder
from predicat.proof.smt.terms import KINDS, Array, Double, Json, Record, Scalar, Term, Truth, as_term, z3

# The greatest length of an array in a row.
MAX_LENGTH = 5_000
# Code points that Z3's strings may have, but no Unicode string.
_SURROGATES = re.compile("[\ud800-\udfff]")


class TooLong(ValueError):
    """The row of a model would have an array longer than MAX_LENGTH."""


def row_of(model: Any, encoder: Encoder, fields: Iterable[FieldDecl]) -> dict[str, Any]:
    """The values of the fields in a model, without the fields that are NULL; floats of 32 bits are rounded.

    Raises TooLong, and RowError for a number that no row has.
    """
    reader = _ModelReader(model, encoder)
    row = {decl.name: reader.column(decl) for decl in fields}
    return {name: value for name, value in row.items() if value is not None}


def params_of(model: Any, encoder: Encoder, params: Iterable[tuple[str, Type]]) -> dict[str, Any]:
    """The values of the parameters in a model, possibly None."""
    reader = _ModelReader(model, encoder)
    return {name: reader.at((("parameter", name),), kind) for name, kind in params}


class _ModelReader:
    def __init__(self, model: Any, encoder: Encoder) -> None:
        self.model = model
        self.encoder = encoder

    def holds(self, condition: Any) -> bool:
        return bool(z3.is_true(self.model.eval(as_term(condition), model_completion=True)))

    def column(self, decl: FieldDecl) -> Any:
        value = self.at((("field", decl.name),), decl.type)
        return as_stored(value, decl) if decl.stored else value

    def at(self, path: Path, kind: Type) -> Any:
        term = self.encoder.variables.get(path)
        return None if term is None else self.value(term, kind)

    def value(self, term: Term, kind: Type) -> Any:
        if self.holds(term.null):
            return None
        match term:
            case Truth():
                return self.holds(term.true)
            case Double():
                return self.double(term)
            case Scalar():
                return self.plain(term.term, kind)
            case Array():
                return self.array(term, kind)
            case Json():
                return self.json(term)
            case Record():
                return self.group(term, kind)

    def double(self, term: Double) -> float:
        if self.holds(term.nan):
            return float("nan")
        if self.holds(term.plus) or self.holds(term.minus):
            return float("inf") if self.holds(term.plus) else float("-inf")
        return float(self.number(term.term))

    def number(self, term: Any) -> Fraction:
        result = self.model.eval(term, model_completion=True)
        if z3.is_algebraic_value(result):
            result = result.approx(20)
        return Fraction(result.as_fraction()) if z3.is_rational_value(result) else Fraction(result.as_long())

    def plain(self, term: Any, kind: Type) -> Any:
        if kind == STRING:
            return _text(self.model.eval(term, model_completion=True).as_string())
        number = self.number(term)
        if isinstance(kind, DecimalType):
            return Decimal(int(number * 10**kind.scale)).scaleb(-kind.scale, EXACT)
        whole = int(number)
        if kind == TIMESTAMP:
            return times.moment_of(whole)
        return times.day_of(whole) if kind == DATE else whole

    def array(self, term: Array, kind: Type) -> list[Any]:
        element = kind.element if isinstance(kind, ArrayType) else BOOLEAN
        length = self.length(term.length)
        result = [self.value(item, element) for item in term.items[:length]]
        return result + (result[-1:] or [None]) * (length - len(result))

    def length(self, term: Any) -> int:
        result = int(self.number(term))
        if result > MAX_LENGTH:
            raise TooLong
        return result

    def group(self, term: Record, kind: Type) -> dict[str, Any]:
        members = self.encoder.children.get(term.path, {})
        types = dict(kind.fields) if isinstance(kind, StructType) else {}
        inner = kind.value if isinstance(kind, MapType) else STRING
        result = {str(key): self.at(path, types.get(str(key), inner)) for key, path in members.items()}
        return {key: value for key, value in result.items() if value is not None}

    def json(self, term: Json) -> Any:
        kind = KINDS[int(self.number(term.kind))]
        members = self.encoder.children.get(term.path, {})
        if kind == "string":
            return _text(self.model.eval(term.text, model_completion=True).as_string())
        if kind == "number":
            if self.holds(term.number.plus) or self.holds(term.number.minus):
                return Decimal("1E+400") if self.holds(term.number.plus) else Decimal("-1E+400")
            number = self.number(term.number.term)
            return int(number) if number.denominator == 1 else float(number)
        if kind == "boolean":
            return self.holds(term.truth)
        values = {key: self.json_child(path) for key, path in members.items()}
        if kind == "object":
            nulls = {
                key
                for key, path in members.items()
                if path in self.encoder.nulls and self.holds(self.encoder.nulls[path])
            }
            return {
                str(key): value
                for key, value in values.items()
                if (value is not None or key in nulls) and isinstance(key, str)
            }
        length = self.length(term.length)
        result = [values.get(place) for place in range(min(length, len(values)))]
        return result + (result[-1:] or [None]) * (length - len(result))

    def json_child(self, path: Path) -> Any:
        child = self.encoder.variables[path]
        return None if not isinstance(child, Json) or self.holds(child.null) else self.json(child)


def _text(shown: str) -> str:
    """A string from Z3's output, which has escapes for backslashes and characters outside printable ASCII.
    Surrogates are replaced by U+E000.
    """
    result = re.sub(r"\\u\{([0-9a-fA-F]+)\}", lambda outcome: chr(int(outcome[1], 16)), shown)
    return _SURROGATES.sub("\ue000", result)
