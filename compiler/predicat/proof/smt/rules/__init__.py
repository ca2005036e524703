"""How each operator becomes a formula, by topic as in `predicat.ir.operators`."""

from predicat.proof.smt.rules import collections, conversions, documents, logic, numbers, texts, times
from predicat.proof.smt.rules.rule import Rule

_TOPICS = (logic, numbers, texts, conversions, times, collections, documents)

RULES: dict[str, Rule] = {op: rule for topic in _TOPICS for op, rule in topic.RULES.items()}
