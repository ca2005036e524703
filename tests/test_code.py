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


# Where the root of a repository is looked for, or marked.
REPOSITORIES = {
    "compiler/predicat/diagnostics/reading.py",
    "compiler/predicat/discover/against.py",
    "compiler/predicat/review/touched.py",
}


def test_one_function_looks_for_the_root_of_a_repository() -> None:
    found = {
        path
        for path, tree in modules().items()
        if path.startswith(FOLDERS[:2])
        and any(isinstance(node, ast.Constant) and node.value == ".git" for node in ast.walk(tree))
    }
    assert found == REPOSITORIES, "repository_of and up_to_repository look for .git"


# --- tests whose only assertions are in a loop

WRAPPERS = ("enumerate", "sorted", "list", "tuple", "reversed", "set", "product", "pairwise", "dict")


def surely_some(items: ast.expr, known: set[str]) -> bool:
    """Whether it can be seen that a loop over these has a round. `known` are the names of such values."""
    match items:
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            return any(not isinstance(one, ast.Starred) or surely_some(one.value, known) for one in parts)
        case ast.Dict(keys=keys):
            return bool(keys)
        case ast.Constant(value=value):
            return bool(value)
        case ast.Name(id=name):
            return name in known
        case ast.ListComp(generators=parts) | ast.GeneratorExp(generators=parts):
            return all(surely_some(one.iter, known) and not one.ifs for one in parts)
        case ast.Call(func=ast.Name(id="range" | "rounds")):
            return True
        case ast.Call(func=ast.Name(id="zip"), args=args, keywords=[ast.keyword(arg="strict")]):
            return any(surely_some(one, known) for one in args)
        case ast.Call(func=ast.Name(id=name), args=args) if name in WRAPPERS:
            return all(surely_some(one, known) for one in args)
        case ast.Call(func=ast.Attribute(attr="split"), args=[_, *_]):
            return True
        case ast.Call(func=ast.Attribute(attr="product"), args=args):
            return all(surely_some(one, known) for one in args)
        case ast.Call(func=ast.Attribute(value=base, attr="items" | "values" | "keys" | "splitlines")):
            return surely_some(base, known)
        case _:
            return False


def known_names(scope: ast.AST, known: set[str]) -> set[str]:
    """The names that a scope gives to what is not empty."""
    return known | {
        target.id
        for statement in getattr(scope, "body", ())
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None
        for target in (statement.targets if isinstance(statement, ast.Assign) else [statement.target])
        if isinstance(target, ast.Name) and surely_some(statement.value, known)
    }


def surely_asserts(block: list[ast.stmt], known: set[str]) -> bool:
    """Whether an assertion is reached in a block without a loop that may be empty."""
    for statement in block:
        match statement:
            case ast.Assert():
                return True
            case ast.With(items=items, body=body):
                expected = any("raises" in (said := ast.unparse(one)) or "warns" in said for one in items)
                if expected or surely_asserts(body, known):
                    return True
            case ast.For(iter=items, body=body) if surely_some(items, known):
                if surely_asserts(body, known):
                    return True
            case ast.Try(body=body, orelse=orelse, finalbody=last):
                if any(surely_asserts(one, known) for one in (body, orelse, last)):
                    return True
    return False


def loops_that_may_be_empty(test: ast.FunctionDef, known: set[str]) -> list[ast.For]:
    """The loops that hold all assertions of a test, and may have no round."""
    known = known_names(test, known)
    if surely_asserts(test.body, known):
        return []
    loops = (one for one in ast.walk(test) if isinstance(one, ast.For) and not surely_some(one.iter, known))
    return [one for one in loops if any(isinstance(part, ast.Assert) for part in ast.walk(one))]


def test_a_loop_with_all_assertions_states_its_rounds() -> None:
    found = [
        f"{path}:{loop.lineno}"
        for path, tree in modules().items()
        if path.startswith("tests/")
        for test in ast.walk(tree)
        if isinstance(test, ast.FunctionDef) and test.name.startswith("test")
        for loop in loops_that_may_be_empty(test, known_names(tree, set()))
    ]
    assert found == [], "rounds(..., at_least) of tests/rounds.py: without a round the test asserts nothing"
