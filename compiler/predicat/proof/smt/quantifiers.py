"""Formulas of macros over elements of arrays, keys of JSON objects, and the values of a key."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from predicat.ir.nodes import (
    Call,
    Literal,
    Quantifier,
    ranged_over,
)
from predicat.ir.operators import ARRAYS
from predicat.proof.smt import numbers
from predicat.proof.smt.arrays import normalized
from predicat.proof.smt.encoder import Encoder, Env
from predicat.proof.smt.strings import NotEncodable
from predicat.proof.smt.terms import (
    KINDS,
    Array,
    Json,
    Truth,
    all_of,
    any_of,
    integer,
    negated,
    z3,
)


def quantifier(to: Encoder, node: Quantifier, env: Env) -> Truth:
    """The term of a macro. Raises NotEncodable for kinds other than `any` and `all`."""
    if node.kind not in ("any", "all"):
        raise NotEncodable
    if isinstance(node.source, Call) and node.source.op == "json_values":
        return _over_values(to, node, node.source, env)
    source = ranged_over(node.source)
    array = _quantified(to, node, to.elements(source, env), env)
    if source is node.source:
        return array
    parent = to.term(source, env)
    if not isinstance(parent, Json):
        raise NotEncodable
    to.opaque.setdefault("json_items")
    keys = _quantified(to, node, _keys(to, parent), env)
    return Truth(any_of(array.true, keys.true), any_of(array.false, keys.false))  # one of the two is UNKNOWN


def _over_values(to: Encoder, node: Quantifier, source: Call, env: Env) -> Truth:
    """A macro over the values of a key (`json_values`); each value exists or not. Nested arrays are flattened
    up to ARRAYS levels.
    """
    values: list[tuple[Any, Truth]] = []
    base, key = to.term(source.args[0], env), source.args[1] if len(source.args) > 1 else None
    if not isinstance(base, Json) or (
        key is not None and (not isinstance(key, Literal) or not isinstance(key.value, str))
    ):
        raise NotEncodable
    value = base if key is None else to.json_child(base, str(key.value))
    there = negated(value.null) if key is None else any_of(negated(value.null), null_at(to, base, value))
    arrays = [(there, value)]
    for level in range(ARRAYS + 1):
        inner: list[tuple[Any, Json]] = []
        for within, one in arrays:
            is_array = all_of(negated(one.null), one.kind == KINDS.index("array"))
            alone = within if level == ARRAYS else all_of(within, negated(is_array))
            values.append((alone, to.truth(node.body, {**env, node.variable: (one.path, one)})))
            if level < ARRAYS:
                if normalized(one.path) not in to.needs.counts:
                    raise NotEncodable
                items = to.array(one.path, one.null, one.length, partial(to.json_child, one)).items
                inner += [
                    (all_of(within, is_array, one.length > index), item)
                    for index, item in enumerate(items)
                    if isinstance(item, Json)
                ]
        arrays = inner
    return _any_or_all(node.kind, values)


def _keys(to: Encoder, parent: Json) -> Array:
    """The keys of a JSON object as an array of unknown strings; NULL for other kinds."""
    path, kind = (*parent.path, ("keys",)), integer(KINDS.index("string"))
    known = to.variables.get(path)
    if isinstance(known, Array):
        return known
    to.approximated.append(parent.kind == KINDS.index("object"))
    nothing = numbers.double_of(0.0)

    def key(index: int) -> Json:
        return Json(
            (*path, ("item", index)),
            kind,
            to.fresh(z3.String),
            nothing,
            z3.BoolVal(False),
            integer(0),
            z3.BoolVal(False),
        )

    result = to.variables[path] = to.array(
        path, any_of(parent.null, parent.kind != KINDS.index("object")), to.length(), key
    )
    return result


def null_at(to: Encoder, holder: Json, value: Json) -> Any:
    """Whether a member of an object exists and is JSON null."""
    result = to.nulls.get(value.path)
    if result is None:
        result = to.nulls[value.path] = to.fresh(z3.Bool)
        to.constraints.append(
            any_of(
                z3.Not(result),
                all_of(value.null, negated(holder.null), holder.kind == KINDS.index("object")),
            )
        )
    return result


def _quantified(to: Encoder, node: Quantifier, array: Array, env: Env) -> Truth:
    """A macro over the elements of an array; UNKNOWN for a NULL array."""
    bodies = [
        to.truth(node.body, {**env, node.variable: ((*array.path, ("item", index)), item)})
        for index, item in enumerate(array.items)
    ]
    inside = [array.length > place for place in range(len(bodies))]
    result, there = _any_or_all(node.kind, list(zip(inside, bodies, strict=True))), negated(array.null)
    return Truth(all_of(there, result.true), all_of(there, result.false))


def _any_or_all(kind: str, bodies: Sequence[tuple[Any, Truth]]) -> Truth:
    """ANY or ALL of pairs: whether an element exists, and the condition on it."""
    hit, miss = ("true", "false") if kind == "any" else ("false", "true")
    some = any_of(*(all_of(there, getattr(body, hit)) for there, body in bodies))
    none = all_of(*(any_of(negated(there), getattr(body, miss)) for there, body in bodies))
    return Truth(some, none) if kind == "any" else Truth(none, some)
