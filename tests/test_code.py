"""Rules of the code that ruff does not have."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.long
ROOT = Path(__file__).parent.parent
FOLDERS = ("compiler", "spark_ext", "tests", "tools", "benchmarks", "examples")


@cache
def modules() -> dict[str, ast.Module]:
    """Each module, by its path from the root."""
    return {
        str(path.relative_to(ROOT)): ast.parse(path.read_text(encoding="utf-8"))
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*.py"))
    }


def strings_behind(tree: ast.Module) -> Iterator[ast.stmt]:
    """Strings that stand as statements of their own, and are no docstrings: of a module, class or function,
    or of a field of a class.
    """
    for scope in ast.walk(tree):
        for name in () if isinstance(scope, ast.ClassDef) else ("body", "orelse", "finalbody"):
            block = getattr(scope, name, None)
            for statement in block[1:] if isinstance(block, list) else ():
                match statement:
                    case ast.Expr(value=ast.Constant(value=str())):
                        yield statement


def test_reasons_are_comments_above_what_they_explain() -> None:
    found = [f"{path}:{one.lineno}" for path, tree in modules().items() for one in strings_behind(tree)]
    assert found == [], "a comment above the constant, not a string behind it"
