"""The size of SQL. A renderer asks at each level, so results are cached."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import NamedTuple

from msgspec import Struct, field
from sqlglot import exp

# The nodes without parts, which are half of all.
_LEAVES = frozenset({exp.Literal, exp.Identifier, exp.Boolean, exp.Null, exp.Var, exp.HexString})


class Size(NamedTuple):
    """The number of parts of an expression and the depth of its lambda functions. The expression is kept, so
    that its identity is not reused.
    """

    sql: exp.Expr
    parts: int
    lambdas: int


class Sizes(Struct):
    """The sizes of expressions, by their identities."""

    known: dict[int, Size] = field(default_factory=dict[int, Size])

    def exceeds(self, sql: exp.Expr, most: int) -> bool:
        """Whether an expression has more than `most` parts. Counting stops there."""
        stack, parts, outer, inner = [sql], 0, 0, 0
        while stack and parts <= most:
            part = stack.pop()
            kind = type(part)
            if kind in _LEAVES:
                parts += 1
            elif (size := self.known.get(id(part))) is not None:
                parts += size.parts
                inner = max(inner, size.lambdas)
            else:
                parts += 1
                outer += kind is exp.Lambda
                stack.extend(part.iter_expressions())
        if parts <= most:
            self.known[id(sql)] = Size(sql, parts, outer + inner)
        return parts > most

    def parts(self, sql: exp.Expr) -> int:
        """The number of an expression's parts."""
        self.exceeds(sql, sys.maxsize)
        return self.known[id(sql)].parts

    def lambdas(self, sql: exp.Expr, most: int) -> int:
        """The depth of nested lambda functions. If it is at most `most`, the result may be a larger number up
        to `most`.
        """
        result = _lambdas(sql, self.known)
        return result if result <= most else _lambdas(sql, {})


def _lambdas(sql: exp.Expr, known: Mapping[int, Size]) -> int:
    deepest, stack = 0, [(sql, 0)]
    while stack:
        part, depth = stack.pop()
        if (size := known.get(id(part))) is not None:
            deepest = max(deepest, depth + size.lambdas)
            continue
        depth += isinstance(part, exp.Lambda)
        deepest = max(deepest, depth)
        stack += [(child, depth) for child in part.iter_expressions()]
    return deepest


def release_parents(sql: exp.Expr) -> None:
    """Remove the references of nodes to their parents, so that their memory is freed at once.

    Otherwise Python's garbage collector would have to find these cycles: a third of the time of compiling a
    filter.
    """
    stack = [sql]
    sql.parent = None
    while stack:
        for part in stack.pop().iter_expressions():
            if part.parent is not None:  # one that stands in several places is visited once
                part.parent = None
                if type(part) not in _LEAVES:
                    stack.append(part)
