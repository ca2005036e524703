"""The spelling of operators in CEL: signs with their precedence, methods, parts of times, functions, macros.

Each table maps an operator to its spelling; the reader inverts it.
"""

from predicat.ir.operators import COMPARISONS, OF_INTEGERS
from predicat.ir.surface import CHECKED_MOD, CHECKED_TO_INT, MATHEMATICS
from predicat.language.common.precedence_writer import Infix, infix_table

# Precedence.
CONDITION, OR, AND, COMPARISON, SUM, PRODUCT, UNARY, ATOM = 1, 2, 3, 4, 5, 6, 8, 9
INFIX = {
    **infix_table(("||", OR), ("&&", AND), comparisons=COMPARISON, sums=SUM, products=PRODUCT),
    "eq": Infix("==", COMPARISON, chains=False),
    "ne": Infix("!=", COMPARISON, chains=False),
    "in": Infix("in", COMPARISON, chains=False),
    "array_eq": Infix("==", COMPARISON, chains=False),
    "array_concat": Infix("+", SUM, chains=False),
    CHECKED_MOD: Infix("%", PRODUCT),
}
# Operators by the names that CEL's parser gives them.
OPERATORS = {
    **{f"_{INFIX[op].sign}_": op for op in (*COMPARISONS, *OF_INTEGERS)},
    "@in": "in",
    "!_": "not",
    "_?_:_": "cond",
    "_[_]": "bracket",
}
# Methods that are one operator, with the number of their arguments.
METHODS = {
    "starts_with": ("startsWith", 1),
    "ends_with": ("endsWith", 1),
    "contains": ("contains", 1),
    "matches": ("matches", 1),
    "lower": ("lowerAscii", 0),
    "upper": ("upperAscii", 0),
}
# Methods that CEL's libraries read in more forms than one (`strings.py`, `lists.py`).
LIBRARY_METHODS = {
    "replace": "replace",
    "replace_each": "replace",
    "split": "split",
    "join": "join",
    "sum": "sum",
    "reverse": "reverse",
}
# Parts of times, and what the operator has more than CEL: it counts months and days of the year from 0.
PARTS = {
    "year": ("getFullYear", 0),
    "month": ("getMonth", 1),
    "day": ("getDate", 0),
    "day_of_week": ("getDayOfWeek", 0),
    "day_of_year": ("getDayOfYear", 1),
    "hour": ("getHours", 0),
    "minute": ("getMinutes", 0),
    "second": ("getSeconds", 0),
    "millisecond": ("getMilliseconds", 0),
}
# Methods whose result may count from another number than the operator.
SHIFTED = {**PARTS, "position": ("indexOf", 1)}
# The operator of each part, and what CEL has more than it.
PART_NAMES = {name: (op, -shift) for op, (name, shift) in PARTS.items()} | {"getDayOfMonth": ("day", -1)}
CONVERSIONS = {"to_double": "double", "to_string": "string", "to_boolean": "bool"}
FUNCTIONS = {
    "abs": "math.abs",
    "ceil": "math.ceil",
    "floor": "math.floor",
    "array_max": "math.greatest",
    "array_min": "math.least",
    "length": "size",
    "size": "size",
    "json_size": "size",
    "to_int": "int",
    CHECKED_TO_INT: "int",
    **CONVERSIONS,
    "to_timestamp": "timestamp",
    "to_duration": "duration",
    "dyn": "dyn",
    "range": "lists.range",
    **{name: name for name in MATHEMATICS},
}
MACROS = {"any": "exists", "all": "all", "one": "exists_one", "filter": "filter", "map": "map"}
# Kinds of JSON values as CEL's types.
TYPES = {"string": "string", "boolean": "bool", "object": "map", "array": "list"}
