"""P501: a comparison with NULL, which is UNKNOWN for every row."""

from __future__ import annotations

from collections.abc import Iterator

from predicat.diagnostics import Severity
from predicat.ir.operators import COMPARISONS
from predicat.ir.syntax import Constant, ListLiteral, OperatorCall, Tree
from predicat.lint.rule import Context, Finding, Rule
from predicat.lint.written import bodies, has_sql_nulls, walk


def check(context: Context) -> Iterator[Finding]:
    for filter_, tree in bodies(context):
        if not has_sql_nulls(filter_):
            continue
        spans = set()
        for part in walk(tree):
            problem = problem_of(part)
            if problem is not None and part.span not in spans:
                spans.add(part.span)
                yield Finding(RULE.code, filter_.qualified, problem[0], part.span, problem[1])


def problem_of(part: Tree) -> tuple[str, str] | None:
    """The problem of a comparison with NULL, and a hint; None for any other node."""
    match part:
        case OperatorCall(op=op, args=(one, other)) if op in (*COMPARISONS, "like", "like_ci") and (
            _is_null(one) or _is_null(other)
        ):
            value = (other if _is_null(one) else one).span.text
            meant = {"eq": f"write {value} IS NULL", "ne": f"write {value} IS NOT NULL"}
            return "a comparison with NULL is UNKNOWN for every row", meant.get(
                op, f"{value} IS NULL tests for missing values"
            )
        case OperatorCall(op="in", args=(value, ListLiteral(items=items))) if any(map(_is_null, items)):
            return (
                "NULL in a list of IN matches no row, and NOT IN with it accepts none",
                f"remove it; OR {value.span.text} IS NULL tests for missing values",
            )
        case _:
            return None


def _is_null(tree: Tree) -> bool:
    return isinstance(tree, Constant) and tree.value is None


RULE = Rule(
    "P501",
    "null-comparison",
    "A comparison with NULL, which is never TRUE; NULL in a list of IN.",
    check,
    Severity.ERROR,
    ("P201", "P202", "P203", "P204", "P205", "P206", "P301", "P302"),
)
