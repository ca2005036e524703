"""How many elements of each array need variables, so that a proof holds for arrays of every length.

A formula has variables for the length and for the first elements of an array. Further elements are copies of
the last of these. So a proof holds for all arrays only if every row can be reduced to such a row with the
same outcome. The counts of this module guarantee that:

- In a given row, an `exists`, an `all` or an `IN` over an array has one of three outcomes. At most one
  element causes it: an element that makes it TRUE (FALSE for `all`), or, if there is none, an element for
  which the body is UNKNOWN. If there is neither, the outcome is FALSE (TRUE for `all`) on every subset of the
  elements. The element that causes the outcome is the witness.
- Keep the witnesses of every macro, and keep the elements that are read by a constant index at their index.
  Drop the other elements, or replace them by copies of kept ones to keep the length. A macro whose witness is
  kept, or that has none, keeps its outcome if its body keeps its outcomes for the kept elements. So all
  outcomes stay the same, from the innermost macro to the predicate.
- A nested macro has an outcome for each element of an enclosing macro that its source or body reads. So it
  needs a witness for each kept element of the enclosing array, unless its own array is a part of that
  element: then each element has an array of its own.

So an array needs its highest constant index plus one, and, for each macro over it, the product of the needs
of the enclosing arrays that the macro reads, except those whose element contains the array. If this is
recursive (`xs.all(v, xs.exists(w, w > v))`), a row may need any number of elements: `bounded` is False, and
if the solver finds no row, that proves nothing.

A node without a formula is one variable for each combination of elements that it reads, so it is kept with
them. Lengths do not change. The tests compare these counts by brute force with all arrays up to a length.
"""

from collections.abc import Iterable, Mapping
from math import prod
from typing import Any

from msgspec import Struct

from predicat.ir.canonical import canonical_text
from predicat.ir.nodes import (
    Call,
    Field,
    Items,
    Literal,
    Node,
    Parameter,
    Quantifier,
    Variable,
    children,
    ranged_over,
)
from predicat.ir.operators import ARRAYS, LOOK_UPS
from predicat.ir.variables import free

# The path of a value: its root, then steps. A root is ("field", name), ("parameter", name) or ("opaque",
# ...); a step is ("key", name), ("item", index or macro) or ("keys",), the keys of a JSON object.
Path = tuple[Any, ...]
# The macros that have a formula: one element causes each outcome.
MACROS = ("any", "all")
_MOST_VISITS = 20_000


class Needs(Struct, frozen=True):
    """How many elements of each array need variables, by the `normalized` path of the array.

    `places` has the highest constant index of each array. `bounded`: whether the counts suffice for a proof.
    """

    counts: Mapping[Path, int]
    places: Mapping[Path, int]
    bounded: bool

    def items(self, path: Path) -> int:
        """The number of elements of an array that have variables."""
        own = normalized(path)
        return self.counts.get(own, self.places.get(own, -1) + 1)

    def covers(self, path: Path, source: Node, env: Mapping[str, Path]) -> bool:
        """Whether the elements of the array at a path were counted for a macro over this source."""
        return normalized(path) in self.counts and normalized(place_of(source, env)) == normalized(path)


def place_of(node: Node, env: Mapping[str, Path]) -> Path:
    """The path of a value. `env` has the paths of the variables of enclosing macros."""
    match node:
        case Field():
            return (("field", node.decl.name),)
        case Parameter():
            return (("parameter", node.decl.name),)
        case Variable():
            return env[node.name]
        case Call(op=op, args=(holder, Literal(value=key))) if op in LOOK_UPS and step(key) is not None:
            return (*place_of(holder, env), step(key))
        case _:
            return opaque_place(node, env)


def opaque_place(node: Node, env: Mapping[str, Path]) -> Path:
    """The path of a value without a formula: equal nodes that read the same elements have the same path."""
    return (
        (
            "opaque",
            str(node.type),
            canonical_text(node),
            tuple((name, env[name]) for name in sorted(free(node))),
        ),
    )


def step(key: Any) -> Path | None:
    """The step for a constant key or index; None if the constant is neither."""
    if isinstance(key, str):
        return ("key", key)
    return ("item", key) if isinstance(key, int) and not isinstance(key, bool) and key >= 0 else None


def normalized(path: Path) -> Path:
    """The path without the indexes of elements: the same for all arrays that share a count."""
    return tuple(
        _normal_root(part) if part[0] == "opaque" else ("item",) if part[0] == "item" else part
        for part in path
    )


def _normal_root(root: Path) -> Path:
    return (*root[:3], tuple((name, normalized(path)) for name, path in root[3]))


def needed(nodes: Iterable[Node]) -> Needs:
    """How many elements of each array need variables when these predicates are compared."""
    uses = _Uses()
    for node in nodes:
        uses.visit(node, {})
    return uses.needs()


class _Uses:
    """The macros over each array. Each has the enclosing arrays that it reads, except those whose element
    contains the array.
    """

    def __init__(self) -> None:
        self.uses: dict[Path, dict[Path, tuple[Path, ...]]] = {}
        self.places: dict[Path, int] = {}
        self.arrays: list[Path] = []
        self.visits = 0
        self.circles = False

    def visit(self, node: Node, env: Mapping[str, Path]) -> None:
        self.visits += 1
        if self.visits > _MOST_VISITS:
            return
        if isinstance(node, Quantifier) and node.kind in MACROS:
            self.macro(node, env)
            return
        if isinstance(node, Call) and node.op == "in" and not isinstance(node.args[1], Items):
            self.use(place_of(node.args[1], env), node, env)
        if isinstance(node, Call) and node.op in LOOK_UPS and isinstance(node.args[1], Literal):
            result = step(node.args[1].value)
            if result is not None and result[0] == "item":
                array = normalized(place_of(node.args[0], env))
                self.places[array] = max(result[1], self.places.get(array, -1))
        for child in children(node) if not isinstance(node, Quantifier) else ():
            self.visit(child, env)

    def macro(self, node: Quantifier, env: Mapping[str, Path]) -> None:
        if isinstance(node.source, Call) and node.source.op == "json_values":
            self.over_values(node, node.source, env)
            return
        source = ranged_over(node.source)
        self.visit(source, env)
        array = place_of(source, env)
        for path in (array,) if source is node.source else (array, (*array, ("keys",))):
            self.use(path, node, env)
            self.arrays.append(normalized(path))
            self.visit(
                node.body, {**env, node.variable: (*path, ("item", f"element {len(self.arrays) - 1}"))}
            )

    def over_values(self, node: Quantifier, source: Call, env: Mapping[str, Path]) -> None:
        """Count a macro over the values of a key: the value itself, its elements, and elements of nested
        arrays.
        """
        base, *keys = source.args
        self.visit(base, env)
        path = place_of(base, env)
        if keys:
            path = (*path, step(keys[0].value) if isinstance(keys[0], Literal) else ("key", ""))
        self.visit(node.body, {**env, node.variable: path})
        for _ in range(ARRAYS):
            self.use(path, node, env)
            self.arrays.append(normalized(path))
            path = (*path, ("item", f"element {len(self.arrays) - 1}"))
            self.visit(node.body, {**env, node.variable: path})

    def use(self, path: Path, node: Node, env: Mapping[str, Path]) -> None:
        read = {name: env[name] for name in free(node)}
        around = set[int]().union(*map(_elements, read.values())) - _elements(path)
        said = (canonical_text(node), tuple(sorted((name, str(place)) for name, place in read.items())))
        self.uses.setdefault(normalized(path), {})[said] = tuple(
            self.arrays[which] for which in sorted(around)
        )

    def needs(self) -> Needs:
        if self.visits > _MOST_VISITS:
            return Needs({}, {}, bounded=True)  # then no array has a formula
        counts: dict[Path, int] = {}
        for path in self.uses:
            self.count(path, counts, ())
        return Needs(counts, self.places, not self.circles)

    def count(self, path: Path, counts: dict[Path, int], pending: tuple[Path, ...]) -> int:
        if path in counts:
            return counts[path]
        result = self.uses.get(path, {})
        if path in pending:
            self.circles = True
            return 1
        around = sum(
            prod(self.count(other, counts, (*pending, path)) for other in others)
            for others in result.values()
        )
        counts[path] = self.places.get(path, -1) + 1 + around
        return counts[path]


def _elements(path: Path) -> set[int]:
    """The numbers of the macros whose elements are steps of a path."""
    result: set[int] = set()
    for part in path:
        if part[0] == "opaque":
            result = result.union(*(_elements(place) for _, place in part[3]))
        elif part[0] == "item" and isinstance(part[1], str):
            result.add(int(part[1].removeprefix("element ")))
    return result
