"""JMS message selectors, the SQL-92 conditions of the Jakarta Messaging specification (section 3.8.1.1).

Comparisons, arithmetic, BETWEEN, IN over texts, LIKE with ESCAPE, IS NULL, AND, OR, NOT with SQL's three-valued logic.
Without ESCAPE, LIKE has no escape character. What else SQL has, a selector has not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from predicat.diagnostics import Diagnostic, PredicatError
from predicat.diagnostics import messages as msg
from predicat.frontends import sql
from predicat.ir import tree as t

if TYPE_CHECKING:
    from predicat.frontends import Body

KEYWORDS = frozenset({"NULL", "TRUE", "FALSE", "NOT", "AND", "OR", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE"})
OPERATORS = frozenset({
    "and", "or", "not", "eq", "ne", "lt", "le", "gt", "ge", "in", "like", "is_null", "add", "sub", "mul", "div", "neg",
})  # fmt: skip


def parse(body: Body) -> t.Tree:
    """The untyped tree of a selector. Raises PredicatError."""
    text = body.text("a selector")
    if not text.strip():
        return t.Const(value=True, span=body.span)
    found = sql.parse(text, body.source, escape="", keywords=KEYWORDS)
    problems = list(_problems(found))
    if problems:
        raise PredicatError(problems)
    return found


def _problems(tree: t.Tree) -> list[Diagnostic]:
    """What a selector cannot say."""
    found: list[Diagnostic] = []
    stack = [tree]
    while stack:
        part = stack.pop()
        match part:
            case t.Apply(op, args, span):
                if op not in OPERATORS:
                    found.append(msg.unsupported_syntax(span, f"{op} in a JMS selector", "use sql for all of SQL"))
                stack.extend(args)
            case t.ListOf(items, span):
                if not all(isinstance(item, t.Const) and isinstance(item.value, str) for item in items):
                    found.append(msg.unsupported_syntax(span, "IN over anything but texts in a JMS selector"))
            case t.Member(_, _, span) | t.Ref(_, _, span) | t.Param(_, span) | t.Bind(_, _, _, _, span):
                dotted = isinstance(part, t.Member)
                if not dotted:
                    found.append(msg.unsupported_syntax(span, "this in a JMS selector", "use sql for all of SQL"))
            case _:
                pass
    return found
