"""The words and signs of CESQL, with their precedence."""

import re

from predicat.ir.operators import ARITHMETIC, COMPARISONS, OF_INTEGERS
from predicat.language.common.precedence_writer import infix_table

KEYWORDS = ("AND", "OR", "XOR", "NOT", "IN", "LIKE", "EXISTS", "TRUE", "FALSE")
LOGIC, COMPARISON, SUM, PRODUCT, POSTFIX, UNARY, ATOM = range(1, 8)
"""Precedence: AND, OR and XOR have one; LIKE and IN bind tighter than all other binary operators."""
INFIX = infix_table(("OR", LOGIC), ("AND", LOGIC), comparisons=COMPARISON, sums=SUM, products=PRODUCT)
COMPARED = {row.sign: op for op, row in COMPARISONS.items()}
COMPARED["!="] = COMPARED["<>"]
"""Comparisons by their signs."""
CALCULATED = {ARITHMETIC[op]: op for op in OF_INTEGERS}
"""Calculations by their signs."""
CONNECTED = {"AND": "and", "OR": "or", "XOR": COMPARED["<>"]}
"""What connects conditions, by its word."""
FUNCTIONS = {"lower": "LOWER", "upper": "UPPER", "length": "LENGTH", "concat": "CONCAT"}
"""Functions of texts that are one operator."""
INT_MAX = 2**31 - 1
TEXT_TOKEN = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""", re.DOTALL)


def unquoted(word: str) -> str:
    """A string without its quotes. A backslash escapes only the quote; other backslashes are literal, and
    LIKE may interpret them.
    """
    return word[1:-1].replace("\\" + word[0], word[0])
