"""How many elements of each array a formula has to name so that it says something of arrays of every length.

A formula names the first elements of an array and its length; behind the last element that it names, an array
repeats that one. So a proof is about all arrays only if a row with longer ones can be cut to such a row
without any change to the outcome. It can, where this module counts the elements:

- Let a row be given. An `exists`, an `all` or an `IN` over an array has one of three outcomes. One element at
  most is responsible for it: the one that makes it TRUE (FALSE for `all`), or, if there is none, one for
  which the body is UNKNOWN. Without such an element it is FALSE (TRUE for `all`) on every subset of the
  elements. Call the element its witness.
- Keep the witnesses of every macro, and the elements that are asked for by a constant place, at their place.
  Drop the others, or put copies of kept ones in their stead to keep the length. A macro whose witness is
  kept, or that has none, keeps its outcome, provided that the body keeps its outcomes for the elements kept.
  So all outcomes stay, from the innermost macro to the predicate.
- A macro that stands in another has an outcome for each element around it that its source or body reads. So
  it needs a witness for each kept element of the array around, unless its own array is a part of that
  element, of which each element has its own.

So an array needs: its highest constant place and one, and for each macro over it the product of the needs of
the arrays around that it reads without being a part of their element. Where this has a circle (`xs.all(v,
xs.exists(w, w > v))`), a row may need any number of elements:
`bounded` is False, and that no row was found proves nothing.

What has no formula is a value of its own for each choice of elements that it reads, which stays with them.
Lengths stay as they are. The tests compare these counts with all arrays up to a length, by brute force.
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

Path = tuple[Any, ...]
"""The place of a value: its root, then steps. A root is ("field", name), ("parameter", name) or ("opaque",
...); a step is ("key", name), ("item", which) or ("keys",), the keys of a JSON object.
"""
MACROS = ("any", "all")
"""The macros that have a formula, one element for each outcome."""
_MOST_VISITS = 20_000


class Needs(Struct, frozen=True):
    """The elements to name of each array by its `normal` path. `bounded`: whether they are enough for a
    proof.
    """

    counts: Mapping[Path, int]
    places: Mapping[Path, int]
    bounded: bool

    def items(self, path: Path) -> int:
        """How many elements of an array are named."""
        own = normalized(path)
        return self.counts.get(own, self.places.get(own, -1) + 1)

    def covers(self, path: Path, source: Node, env: Mapping[str, Path]) -> bool:
        """Whether what is named of the array at a path was counted for a macro over a source."""
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
    """The place of a value without a formula: the same wherever the same node reads the same elements."""
    return (
        (
            "opaque",
            str(node.type),
            canonical_text(node),
            tuple((name, env[name]) for name in sorted(free(node))),
        ),
    )


def step(key: Any) -> Path | None:
    """The step to a constant key or place; None where it is neither."""
    if isinstance(key, str):
        return ("key", key)
    return ("item", key) if isinstance(key, int) and not isinstance(key, bool) and key >= 0 else None


def normalized(path: Path) -> Path:
    """The path without the choice of elements: the same for all arrays that one count is for."""
    return tuple(
        _normal_root(part) if part[0] == "opaque" else ("item",) if part[0] == "item" else part
        for part in path
    )


def _normal_root(root: Path) -> Path:
    return (*root[:3], tuple((name, normalized(path)) for name, path in root[3]))


def needed(nodes: Iterable[Node]) -> Needs:
    """The elements that some predicates need, decided together."""
    uses = _Uses()
    for node in nodes:
        uses.visit(node, {})
    return uses.needs()


class _Uses:
    """The macros over each array, each with the arrays around that it reads without being a part of their
    element.
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
        """A macro over a value and its elements, and over the elements of arrays in it."""
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
            return Needs({}, {}, bounded=True)  # no array has a formula then
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
    """The macros whose element a path leads through, by number."""
    result: set[int] = set()
    for part in path:
        if part[0] == "opaque":
            result = result.union(*(_elements(place) for _, place in part[3]))
        elif part[0] == "item" and isinstance(part[1], str):
            result.add(int(part[1].removeprefix("element ")))
    return result
