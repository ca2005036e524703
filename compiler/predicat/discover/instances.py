"""The values that parameters of a filter have where the code writes the filter out."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from predicat.api import parse
from predicat.catalog.model import Filter
from predicat.diagnostics import PredicatError
from predicat.discover.calls import Use
from predicat.discover.conditions import Condition
from predicat.ir.canonical import canonical_text
from predicat.ir.nodes import Call, FieldDecl, Literal, Node, Parameter, params_of
from predicat.ir.operators import JUNCTIONS
from predicat.rewrite.substitute import with_defaults

# Uses of one filter, at most.
_MOST_USES = 100
# Operands of a condition that are looked at, at most.
_MOST_OPERANDS = 30
# Operands of a filter that have parameters, at most.
_MOST_WITH_PARAMETERS = 4
_Values = Mapping[str, Literal]


def uses_of(filter_: Filter, written: Iterable[Sequence[Node]]) -> list[Use]:
    """The uses of a filter with parameters that conditions on its dataset may be, or have as a part. Nothing
    is proved yet. `written` are the operands of these conditions.
    """
    pattern = operands(with_defaults(filter_.current.predicate.node), "and")
    result: dict[Use, None] = {}
    for found in written if _is_short(pattern) else ():
        values = next(_matches(pattern, found, {}), None)
        if values is not None:
            given = tuple((name, literal.value) for name, literal in sorted(values.items()))
            result[Use(filter_.qualified, given)] = None
            if len(result) == _MOST_USES:
                break
    return list(result)


def operands_of(conditions: Iterable[Condition], columns: Mapping[str, FieldDecl]) -> list[list[Node]]:
    """The operands of the AND that each condition is; those that the types of the catalog fit."""
    result = []
    for sql in dict.fromkeys(condition.sql for condition in conditions):
        with suppress(PredicatError, RecursionError):
            found = operands(parse(sql, "sql", columns).node, "and")
            result += [found] if len(found) <= _MOST_OPERANDS else []
    return result


def operands(node: Node, junction: str) -> list[Node]:
    """The operands of an AND or OR, of those within it as well; a node that is none is its only one."""
    if isinstance(node, Call) and node.op == junction:
        return [part for arg in node.args for part in operands(arg, junction)]
    return [node]


def _is_short(pattern: Sequence[Node]) -> bool:
    """Whether few operands have parameters: all ways to find them are tried."""
    return sum(bool(params_of(node)) for node in pattern) <= _MOST_WITH_PARAMETERS


def _matches(pattern: Sequence[Node], given: Sequence[Node], values: _Values) -> Iterator[_Values]:
    """The values of parameters with which each operand of a pattern is among the operands."""
    if not pattern:
        yield values
        return
    first, *rest = pattern
    for number, operand in enumerate(given):
        found = _match(first, operand, values)
        if found is not None:
            yield from _matches(rest, [*given[:number], *given[number + 1 :]], found)
            if not params_of(first):
                return


def _match(pattern: Node, node: Node, values: _Values) -> _Values | None:
    """The values with which a pattern is the node; None if there are none, or too many to try."""
    if isinstance(pattern, Parameter):
        if not isinstance(node, Literal) or node.type != pattern.type or node.value is None:
            return None
        known = values.get(pattern.decl.name)
        if known is not None:
            return values if known.value == node.value else None
        return {**values, pattern.decl.name: node}
    if isinstance(pattern, Call) and (not isinstance(node, Call) or pattern.op != node.op):
        return None
    if not params_of(pattern):
        return values if canonical_text(pattern) == canonical_text(node) else None
    if not isinstance(pattern, Call) or not isinstance(node, Call) or len(pattern.args) != len(node.args):
        return None
    if pattern.op in JUNCTIONS:
        parts = operands(pattern, pattern.op), operands(node, node.op)
        same = len(parts[0]) == len(parts[1]) <= _MOST_OPERANDS and _is_short(parts[0])
        return next(_matches(*parts, values), None) if same else None
    for one, other in zip(pattern.args, node.args, strict=True):
        found = _match(one, other, values)
        if found is None:
            return None
        values = found
    return values
