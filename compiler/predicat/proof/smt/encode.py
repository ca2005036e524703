"""Typed nodes as formulas, by the rules of operators."""

from typing import Any

from predicat.ir.limits import MAX_DEPTH
from predicat.ir.nodes import Call, Quantifier
from predicat.proof.smt import functions, quantifiers
from predicat.proof.smt.arrays import opaque_place
from predicat.proof.smt.encoder import Encoder, Env, paths
from predicat.proof.smt.rules import RULES
from predicat.proof.smt.strings import NotEncodable
from predicat.proof.smt.terms import Term


class Formulas(Encoder):
    """The encoder with the rules of the operators."""

    def opaque_value(self, node: Any, env: Env) -> Term:
        """A node without a formula: an uninterpreted function of its arguments, or a variable."""
        self.opaque.setdefault(node.op if isinstance(node, Call) else node.kind)
        if not isinstance(node, Call) or self.depth > MAX_DEPTH:
            return self.variable(opaque_place(node, paths(env)), node.type)
        result = functions.applied(self, node, env)
        if result is None:
            result = self.variable(opaque_place(node, paths(env)), node.type)
            functions.absent_with_its_arguments(self, node, result, env)
        functions.known_at_constants(self, node, result, env)
        return result

    def call(self, node: Call, env: Env) -> Term:
        """The term of an operator by its rule. Raises NotEncodable if there is none."""
        rule = RULES.get(node.op)
        if rule is None or (self.opaque_texts and functions.is_of_texts(node)):
            raise NotEncodable
        return rule(self, node, env)

    def quantifier(self, node: Quantifier, env: Env) -> Term:
        """The term of a macro over the elements that have variables."""
        return quantifiers.quantifier(self, node, env)


def encodable() -> frozenset[str]:
    """The operators that have a formula."""
    return frozenset(RULES)
