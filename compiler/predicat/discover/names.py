"""Names of filters, made of the fields and constants of their conditions."""

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from predicat.discover.read.residues import conjuncts
from predicat.importing.model import slug

MAX_LENGTH = 48
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


def name_of(sql: str) -> str:
    """A name for a condition, such as `status_open_and_amount_above_3`."""
    try:
        node = parse_one(sql)
    except SqlglotError:
        return "rule"
    parts = conjuncts(node)
    told = [_part(part.unnest()) for part in parts[:_MAX_PARTS]]
    name = slug("_and_".join(told) + ("_and_more" if len(parts) > _MAX_PARTS else ""), "rule")
    return _cut(name)


def _cut(name: str) -> str:
    """A name of at most MAX_LENGTH characters, which ends with a whole word."""
    return name if len(name) <= MAX_LENGTH else name[:MAX_LENGTH].rpartition("_")[0]


def _part(node: exp.Expr) -> str:
    match node:
        case exp.Not(this=exp.Is() as inner):
            return f"has {_words(inner.this)}"
        case exp.Is(expression=exp.Null()):
            return f"no {_words(node.this)}"
        case exp.Not():
            return f"not {_part(node.this.unnest())}"
        case exp.Or():
            return f"{_part(node.this.unnest())} or {_part(node.expression.unnest())}"
        case exp.In() if len(node.expressions) <= 3:
            return f"{_words(node.this)} {' or '.join(map(_words, node.expressions))}"
        case exp.In():
            return f"{_words(node.this)} one of {len(node.expressions)}"
        case exp.Between():
            return f"{_words(node.this)} {_words(node.args['low'])} to {_words(node.args['high'])}"
        case exp.Binary() if type(node) in _BETWEEN:
            return f"{_words(node.this)} {_BETWEEN[type(node)]} {_words(node.expression)}"
        case _:
            return _words(node)


def _words(node: exp.Expr) -> str:
    """The columns, constants and parameters of an expression."""
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal):
        return f"minus {node.this.name}"
    names = [part.name for part in node.find_all(exp.Column, exp.Literal, exp.Placeholder, bfs=False)]
    return " ".join(names[:3]) or node.key
