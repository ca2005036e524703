"""Parses the signatures of the operator table and finds the one that matches given argument types."""

from __future__ import annotations

from functools import cache, lru_cache

from msgspec import Struct
from msgspec.structs import replace

from predicat.ir.decimal_types import RESULTS, result_type
from predicat.ir.operators import OPS
from predicat.ir.types import (
    ANY,
    BOOLEAN,
    DOUBLE,
    DURATION,
    JSON,
    NULL,
    STRING,
    ArrayType,
    DecimalType,
    MapType,
    StructType,
    Type,
    is_numeric,
    parse_type,
)


class Signature(Struct, frozen=True):
    """The parameters of an operator as patterns; `star` repeats the last one."""

    params: tuple[str, ...]
    result: str
    star: bool

    def arity_fits(self, count: int) -> bool:
        """Whether the signature supports this number of arguments."""
        return count >= 1 if self.star else count == len(self.params)


@cache
def signatures(op: str) -> tuple[Signature, ...]:
    """The parsed signatures of an operator."""
    rows: list[Signature] = []
    for written, result in OPS[op].shapes:
        params = tuple(part.lstrip("=") for part in written)
        star = params[-1].endswith("*")
        rows.append(Signature(tuple(part.rstrip("*") for part in params), result, star))
    return tuple(rows)


@cache
def constant_positions(op: str) -> frozenset[int]:
    """The argument positions of an operator that must be constants."""
    return frozenset(
        index for written, _ in OPS[op].shapes for index, part in enumerate(written) if part.startswith("=")
    )


class Match(Struct, frozen=True):
    """A matching signature: the type of the result, and for each argument the type to convert it to."""

    result: Type
    wanted: tuple[Type, ...]
    cost: int


@lru_cache(maxsize=10_000)
def find(op: str, types: tuple[Type, ...], *, widens_numbers: bool, mixed_numbers: bool) -> Match | None:
    """The signature that matches with the fewest conversions, or None.

    `widens_numbers` converts an integer or a decimal to a double if the signature needs one (SQL, not CEL);
    `mixed_numbers` allows numbers of different types for one `T` (comparisons).
    """
    best: Match | None = None
    for signature in signatures(op):
        if signature.arity_fits(len(types)):
            match = _match(signature, types, widens_numbers=widens_numbers, mixed_numbers=mixed_numbers)
            if match and (best is None or match.cost < best.cost):
                best = match
    exact = None if best is None else result_type(op, best.wanted)
    return best if best is None or exact is None else replace(best, result=exact)


def _match(
    signature: Signature, types: tuple[Type, ...], *, widens_numbers: bool, mixed_numbers: bool
) -> Match | None:
    params = signature.params
    if signature.star:
        params = params * len(types)
    element = _unify(params, types, mixed_numbers=mixed_numbers, widens_numbers=widens_numbers)
    wanted: list[Type] = []
    cost = 0
    for param, kind in zip(params, types, strict=True):
        target = _target(param, kind, element, mixed_numbers=mixed_numbers)
        if target is None:
            return None
        step = _conversion_cost(kind, target, widens_numbers=widens_numbers)
        if step is None:
            return None
        cost += step
        wanted.append(target)
    result = _result(signature.result, element)
    return Match(result, tuple(wanted), cost) if result is not None else None


def _conversion_cost(kind: Type, target: Type, *, widens_numbers: bool) -> int | None:
    if kind in (target, NULL):
        return 0
    if kind == JSON and target in (DOUBLE, STRING, BOOLEAN):
        return 2
    if widens_numbers and target == DOUBLE and is_numeric(kind):
        return 3
    return None


def _unify(
    params: tuple[str, ...], types: tuple[Type, ...], *, mixed_numbers: bool, widens_numbers: bool
) -> Type | None:
    """The type of `T`."""
    bound = [
        result
        for param, kind in zip(params, types, strict=True)
        if (result := _bound(param, kind)) is not None
    ]
    concrete = list(dict.fromkeys(kind for kind in bound if kind not in (NULL, JSON)))
    if not concrete:
        return JSON if JSON in bound else (NULL if bound else None)
    if len(concrete) == 1:
        return concrete[0]
    if all(is_numeric(kind) for kind in concrete) and (mixed_numbers or widens_numbers):
        return DOUBLE
    return None


def _bound(param: str, kind: Type) -> Type | None:
    match param, kind:
        case "T", _:
            return kind
        case "array<T>" | "list<T>", ArrayType(element):
            return element
        case "map<string, T>", MapType(value):
            return value
        case _:
            return None


def _target(param: str, kind: Type, element: Type | None, *, mixed_numbers: bool) -> Type | None:
    match param:
        case "any":
            return kind
        case "T":
            if mixed_numbers and is_numeric(kind) and element is not None and is_numeric(element):
                return kind
            return element
        case "array<T>" | "list<T>":
            return kind if isinstance(kind, ArrayType) and element is not None else None
        case "map<string, T>":
            return kind if isinstance(kind, MapType) else None
        case "struct":
            return kind if isinstance(kind, StructType) else None
        case "decimal":
            return kind if isinstance(kind, DecimalType) else None
        case "duration":
            return DURATION
        case _:
            return _parsed(param)


@cache
def _parsed(text: str) -> Type:
    return parse_type(text)


def _result(text: str, element: Type | None) -> Type | None:
    if text == "T":
        return element
    if text == "array<T>":
        return ArrayType(element) if element is not None else None
    if text == "any":
        return ANY
    return DURATION if text == "duration" else _parsed(text)


def expected(op: str, *, decimals: bool) -> str:
    """The signatures of an operator as one string for a message."""
    sides = [
        f"({', '.join(row.params)}{' ...' if row.star else ''})"
        for row in signatures(op)
        if op not in RESULTS or "decimal" not in row.params or (decimals and set(row.params) == {"decimal"})
    ]
    return " or ".join(dict.fromkeys(sides))
