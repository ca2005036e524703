"""The rewritings between a simplified predicate and its SQL, in their order.

Each makes the SQL shorter, or lets it use an index, and none changes the outcome on any row. The SQL is
correct without them. But operators that engines round differently are supported only if `solve` removes them.
Tests render predicates with each of them left out.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from predicat.backends.sql.json_rewrites import fuse_kind_tests, with_key_tests, with_own_texts
from predicat.ir.nodes import Node
from predicat.rewrite.acceptance import decided_once, for_acceptance
from predicat.rewrite.idioms import idiomatic
from predicat.rewrite.polarity import true_rows
from predicat.rewrite.solve import exactly, for_rows


class Rewritings(Struct, frozen=True):
    """Which rewritings a rendering uses.

    Attributes:
        decide_once: `(a AND b) IS TRUE` for `a IS TRUE AND b IS TRUE`.
        accept: No `IS TRUE` at the top of a condition.
        idioms: Shorter forms of what people often write.
        polarity: A condition keeps only the parts that decide whether it is TRUE (below a NOT: FALSE).
        solve: A comparison of a calculation becomes bounds of its field.
        fuse_json: One look-up of a JSON value for its kind and its value.
        key_tests: A test for a key of JSON is the engine's operator.
        own_texts: The engine's own text of a JSON value in a WHERE, if the same rows pass.
        parse_once: A string is parsed as JSON only once.
        short_tests: Shorter rules for tests in a WHERE.
        between: BETWEEN for two bounds, and no guard against NaN beside an upper bound.
        total_order: A comparison of doubles without a guard, if the engine's order gives the same result.
        facts: No guards that ranges and kinds of values prove unnecessary.
        share: Names for repeated parts of large SQL.
    """

    decide_once: bool = True
    accept: bool = True
    idioms: bool = True
    polarity: bool = True
    solve: bool = True
    fuse_json: bool = True
    key_tests: bool = True
    own_texts: bool = True
    parse_once: bool = True
    short_tests: bool = True
    between: bool = True
    total_order: bool = True
    facts: bool = True
    share: bool = True

    def outcome(self, node: Node, better: Callable[[Node, Node], bool]) -> Node:
        """A predicate with the same outcome on every row. `better` decides about each solved comparison."""
        node = decided_once(node) if self.decide_once else node
        node = idiomatic(node) if self.idioms else node
        return exactly(node, better) if self.solve else node

    def rows(self, node: Node) -> Node:
        """A predicate that is TRUE for the same rows, for a WHERE."""
        node = idiomatic(node) if self.idioms else node
        if self.polarity:
            return true_rows(node, for_rows if self.solve else _as_it_is)
        return for_rows(node) if self.solve else node

    def accepted(self, node: Node) -> Node:
        """A condition without `IS TRUE`, since FALSE and UNKNOWN mean the same in a WHERE."""
        return for_acceptance(node) if self.accept else node

    def keys(self, node: Node, *, where: bool) -> Node:
        """A predicate over JSON with the engine's operator for a key. `where`: for a WHERE."""
        return with_key_tests(node, where=where) if self.key_tests else node

    def documents(self, node: Node) -> Node:
        """A predicate over JSON with one look-up for the kind of a value and the value."""
        return fuse_kind_tests(node) if self.fuse_json else node

    def texts(self, node: Node, *, has_nan: bool) -> Node:
        """A condition over JSON, whose numbers may be NaN or not, that reads the engine's own texts."""
        return with_own_texts(node, has_nan=has_nan) if self.own_texts else node


ALL = Rewritings()


def _as_it_is(node: Node) -> Node:
    return node
