"""Names of filters, made of the fields and constants of their conditions."""

import re
from collections.abc import Collection

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from predicat.discover.read.residues import conjuncts
from predicat.importing.model import slug

MAX_LENGTH = 30
# Words that say nothing at the end of a name.
_OPEN_ENDED = frozenset(
    (
        *("and", "or", "not", "no", "has", "above", "from", "below", "up", "to", "one", "of", "like", "is"),
        *("after", "before", "since"),
    )
)
_MAX_PARTS = 3
_BETWEEN = {
    exp.GT: "above",
    exp.GTE: "from",
    exp.LT: "below",
    exp.LTE: "up_to",
    exp.NEQ: "not",
    exp.EQ: "",
    exp.NullSafeEQ: "",
    exp.Like: "like",
    exp.ILike: "like",
}
# The same for days and moments.
_BETWEEN_DAYS = _BETWEEN | {exp.GT: "after", exp.LT: "before", exp.GTE: "since"}
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_DAY_AT_END = re.compile(r"(?:_(?:after|before|since|up_to|not))?_\d{8}$")
_PATH = re.compile(r".*/")


def name_of(sql: str, end: str = "", taken: Collection[str] = ()) -> str:
    """A name for a condition, such as `status_open_and_amount_above_3`, with an end.

    Args:
        sql: The condition.
        end: What the name ends with.
        taken: Names of others: instead of these the name is that of another part, if there is one.
    """
    try:
        node = parse_one(sql).unnest()
    except SqlglotError:
        return "rule" + end
    joint, more = ("_or_", "other") if isinstance(node, exp.Or) else ("_and_", "more")
    parts = list(node.flatten()) if isinstance(node, exp.Or) else conjuncts(node)
    told = [slug(_part(part.unnest()), "rule") for part in parts]
    names = [joint.join([*told[:number], more]) for number in range(min(len(told), _MAX_PARTS), 0, -1)]
    if len(told) <= _MAX_PARTS:
        names[:1] = [joint.join(told), "_".join(told)]
    longest = MAX_LENGTH - len(end)
    whole = [name for name in names if len(name) <= longest]
    first, *others = (name if len(name) <= longest else _cut(name, longest) for name in told)
    # The first part alone would not tell the rule from one that has its name already.
    made = [*whole, *reversed(others), first] if whole else [first, *reversed(others)]
    return next((name + end for name in made if name + end not in taken), made[0] + end)


def _cut(name: str, longest: int) -> str:
    """A name that ends with a whole word which says something."""
    day = _DAY_AT_END.search(name)
    if day is not None:  # without it the name would say nothing of the rule
        words = name[: day.start()].split("_")
        while len(words) > 1 and len("_".join(words) + day[0]) > longest:
            words.pop(0)
        return ("_".join(words) + day[0])[-longest:].strip("_")
    words = name[: longest + 1].split("_")[:-1]
    while len(words) > 1 and words[-1] in _OPEN_ENDED:
        words.pop()
    return "_".join(words) or name[:longest]


def _part(node: exp.Expr) -> str:
    match node:
        case exp.Not(this=exp.Is(expression=exp.Null()) as inner):
            return f"has {_words(inner.this)}"
        case exp.Is(expression=exp.Null()):
            return f"no {_words(node.this)}"
        case exp.Not():
            return f"not {_part(node.this.unnest())}"
        case exp.Or():
            parts = [_part(part.unnest()) for part in node.flatten()]
            return " or ".join(parts if len(parts) <= 2 else [parts[0], "other"])
        case exp.In() if len(node.expressions) <= 3:
            return f"{_words(node.this)} {' or '.join(map(_words, node.expressions))}"
        case exp.In():
            return f"{_words(node.this)} one of {len(node.expressions)}"
        case exp.Between():
            return f"{_words(node.this)} {_words(node.args['low'])} to {_words(node.args['high'])}"
        case exp.Binary() if type(node) in _BETWEEN:
            return f"{_words(node.this)} {_relation(node)} {_words(node.expression)}"
        case _:
            return _words(node)


def _relation(node: exp.Binary) -> str:
    """What is between the words of two sides."""
    other = node.expression
    if isinstance(node, exp.EQ) and isinstance(node.this, exp.Column) and isinstance(other, exp.Column):
        return "is"
    is_day = any(_DAY.match(part.name) for part in other.find_all(exp.Literal) if part.is_string)
    return _BETWEEN_DAYS.get(type(node), "") if is_day else _BETWEEN[type(node)]


def _words(node: exp.Expr) -> str:
    """The columns, constants and parameters of an expression."""
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal):
        return f"minus {node.this.name}"
    parts = node.find_all(exp.Column, exp.Literal, exp.Boolean, exp.Placeholder, bfs=False)
    # What stands for NULL says little.
    names = [_word(part.name or part.sql().lower()) for part in parts if not _is_default(part)]
    return " ".join(names[:3]) or node.key


def _is_default(part: exp.Expr) -> bool:
    return isinstance(part.parent, exp.Coalesce) and isinstance(part, exp.Literal)


def _word(text: str) -> str:
    """A constant: a day or a key in capitals as one word; of a path or an address the last part, which tells
    it from others.
    """
    if text == "''":
        return "empty"
    day = _DAY.match(text)
    last = _PATH.sub("", text.rstrip("/"))
    return day[0].replace("-", "") if day else last.lower() if last.isupper() else last
