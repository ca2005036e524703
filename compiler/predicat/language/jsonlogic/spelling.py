"""The spelling of operators in JsonLogic."""

from predicat.ir.operators import COMPARISONS, ORDERED

# Comparisons by their signs.
COMPARED = {COMPARISONS[op].sign: op for op in ORDERED}
