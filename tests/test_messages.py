"""Sentences for the user stand in `predicat.diagnostics.messages`, never where a problem is found.

A reason for each row of a table stays in the table: a table is one place too.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "compiler" / "predicat"
# Every module and part of the packages; `diagnostics.messages` itself is left out below.
ROOMS = sorted(
    str(path.relative_to(ROOT))
    for path in (*PACKAGE.iterdir(), ROOT / "spark_ext" / "predicat_spark")
    if path.suffix == ".py" or (path / "__init__.py").exists()
)
# The other functions and exceptions that make a diagnostic of their arguments.
MAKERS = {
    "ApiError",
    "Diagnostic",
    "Skip",
    "LikeError",
    "PredicatError",
    "NotSupported",
    "Reason",
    "Refused",
    "RegexError",
    "Stop",
    "TypeSyntaxError",
    "Unsupported",
    "UsageError",
    "_refused",
    "bad",
    "error",
    "fail",
    "filled",
    "invalid",
    "leave",
    "listed",
    "mapping",
    "only",
    "problem",
    "refuse",
    "stop",
    "text_of",
    "unexpected",
}
# Variables that hold a part of a message.
NAMES = {"hint", "reason", "what"}


def literals(node: ast.AST) -> Iterator[str]:
    """The texts of an expression; a call within it is looked at by itself."""
    if isinstance(node, ast.Constant):
        yield from [node.value] if isinstance(node.value, str) else []
    elif isinstance(node, ast.JoinedStr):
        yield "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
    elif not isinstance(node, ast.Call):
        for part in ast.iter_child_nodes(node):
            yield from literals(part)


def modules(tree: ast.AST) -> set[str]:
    """What the modules of messages are called where they are imported."""
    return {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and "predicat.diagnostics" in str(node.module)
        for alias in node.names
    } | {"msg"}


def is_maker(function: ast.expr, modules: set[str]) -> bool:
    if isinstance(function, ast.Attribute):
        return function.attr in MAKERS or (
            isinstance(function.value, ast.Name) and function.value.id in modules
        )
    return isinstance(function, ast.Name) and function.id in MAKERS


def sentences(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The sentences that stand where a diagnostic is made: line and text."""
    known = modules(tree)
    for function in ast.walk(tree):
        for node in ast.walk(function) if isinstance(function, ast.FunctionDef) else ():
            parts: list[ast.expr] = []
            if isinstance(node, ast.Call) and is_maker(node.func, known):
                parts = [*node.args, *(keyword.value for keyword in node.keywords)]
            elif isinstance(node, ast.Assign) and any(
                isinstance(target, ast.Name) and target.id in NAMES for target in node.targets
            ):
                parts = [node.value]
            for part in parts:
                yield from ((part.lineno, text) for text in literals(part) if text.count(" ") >= 2)


@pytest.mark.parametrize("room", ROOMS)
def test_no_sentence_stands_where_a_problem_is_found(room: str) -> None:
    path = ROOT / room
    files = [path] if path.is_file() else sorted(path.rglob("*.py"))
    files = [file for file in files if "messages" not in file.relative_to(ROOT).parts]
    assert files
    found = {
        f"{file.relative_to(ROOT)}:{line}: {text}"
        for file in files
        for line, text in sentences(ast.parse(file.read_text(encoding="utf-8")))
    }
    assert not found, "\n".join(["move these into a row of predicat.diagnostics.messages:", *sorted(found)])


def test_a_sentence_is_found() -> None:
    code = """
def check(self, value, name, good):
    raise self.fail(msg.bad_value(
        self.span(value), "name", f"{name} is no name", "two words" if good else "write it in lower case"
    ))
    hint = "one of these" if good else f"one of {name} and this"
    raise TypeError("not for the user at all")
"""
    assert {text for _, text in sentences(ast.parse(code))} == {
        "{} is no name",
        "write it in lower case",
        "one of these",
        "one of {} and this",
    }
