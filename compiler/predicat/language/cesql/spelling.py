"""The words and signs of CESQL, with their precedence."""

import re
from itertools import pairwise

from predicat.ir.operators import ARITHMETIC, COMPARISONS, OF_INTEGERS
from predicat.language.common.precedence_writer import infix_table
from predicat.semantics import like

KEYWORDS = ("AND", "OR", "XOR", "NOT", "IN", "LIKE", "EXISTS", "TRUE", "FALSE")
# Precedence: AND, OR and XOR have one; LIKE and IN bind tighter than all other binary operators.
LOGIC, COMPARISON, SUM, PRODUCT, POSTFIX, UNARY, ATOM = range(1, 8)
INFIX = infix_table(("OR", LOGIC), ("AND", LOGIC), comparisons=COMPARISON, sums=SUM, products=PRODUCT)
COMPARED = {row.sign: op for op, row in COMPARISONS.items()}
# Comparisons by their signs.
COMPARED["!="] = COMPARED["<>"]
# Calculations by their signs.
CALCULATED = {ARITHMETIC[op]: op for op in OF_INTEGERS}
# What connects conditions, by its word.
CONNECTED = {"AND": "and", "OR": "or", "XOR": COMPARED["<>"]}
# Functions of texts that are one operator.
FUNCTIONS = {"lower": "LOWER", "upper": "UPPER", "length": "LENGTH", "concat": "CONCAT"}
INT_MAX = 2**31 - 1
TEXT_TOKEN = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""", re.DOTALL)


def unquoted(word: str) -> str:
    """A string without its quotes. A backslash escapes only the quote; other backslashes are literal, and
    LIKE may interpret them.
    """
    return word[1:-1].replace("\\" + word[0], word[0])


def canonical(pattern: str) -> str:
    """A pattern of CESQL's LIKE in the canonical form. A backslash escapes only % and _."""
    return re.sub(r"\\(?![%_])", r"\\\\", pattern)


def written_pattern(pattern: str) -> str | None:
    """The pattern of CESQL's LIKE for a canonical one. None if a backslash is before a wildcard: CESQL cannot
    escape it.
    """
    pieces = like.parts(pattern)
    if any(piece == "\\" and not after for piece, after in pairwise([*pieces, "end"])):
        return None
    shown = {None: "%", "": "_", "%": "\\%", "_": "\\_"}
    return "".join(shown.get(piece) or str(piece) for piece in pieces)
