"""The words and signs of JMS message selectors, with their precedence."""

from predicat.ir.operators import COMPARISONS
from predicat.language.common.precedence_writer import infix_table

KEYWORDS = frozenset({"NULL", "TRUE", "FALSE", "NOT", "AND", "OR", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE"})
# Precedence.
OR, AND, NOT, COMPARISON, SUM, PRODUCT, SIGN = range(1, 8)
INFIX = infix_table(("OR", OR), ("AND", AND), comparisons=COMPARISON, sums=SUM, products=PRODUCT)
# Comparisons by their signs.
COMPARED = {row.sign: op for op, row in COMPARISONS.items()}
