"""P303: a condition on lower() or upper() of a field. It reads every row, and no other condition is
equivalent.
"""

from __future__ import annotations

from collections.abc import Iterator

from predicat.diagnostics import Severity
from predicat.ir.syntax import Constant, ListLiteral, Member, Name, OperatorCall, Tree
from predicat.lint.rule import Context, Finding, Rule
from predicat.lint.written import bodies, walk


def check(context: Context) -> Iterator[Finding]:
    for filter_, tree in bodies(context):
        fields = context.datasets[filter_.dataset].fields
        if context.datasets[filter_.dataset].indexes:
            continue  # P304 knows more
        for part in walk(tree):
            match part:
                case OperatorCall(
                    op="eq" | "in" | "starts_with" | "like",
                    args=(OperatorCall(op="lower" | "upper" as fold, args=(field,)), value),
                ):
                    if _dotted(field) in fields and _is_constant(value):
                        folded = f"{fold}({field.span.text})"
                        yield Finding(
                            RULE.code,
                            filter_.qualified,
                            f"{folded} cannot use a plain index or pushdown",
                            part.span,
                            f"store the field in one case, or create an index on {folded}",
                        )
                case _:
                    pass


def _dotted(tree: Tree) -> str:
    """The dotted name of a tree; an empty string if it is not a name."""
    match tree:
        case Name(name):
            return name
        case Member(base, key):
            return f"{outer}.{key}" if (outer := _dotted(base)) else ""
        case _:
            return ""


def _is_constant(value: Tree) -> bool:
    """Whether a value is constant and an index on the folded field would find it: a pattern that begins with
    % is not.
    """
    return isinstance(value, ListLiteral) or (
        isinstance(value, Constant) and not str(value.value).startswith("%")
    )


RULE = Rule(
    "P303",
    "case-folded",
    "A condition on lower() or upper() of a field, which cannot use a plain index.",
    check,
    Severity.NOTE,
)
