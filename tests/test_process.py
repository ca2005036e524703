"""What the library leaves alone in the process of its users."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
# Rooms that are programs, whose process is their own.
PROGRAMS = ("cli", "editor")
# What a process begins with that the library starts, and that ends with its work.
BEGINS = {("compiler/predicat/discover/processes.py", "_begin")}


def touching(file: Path) -> Iterator[tuple[str, str]]:
    """The functions of a module that set up the garbage collector."""
    text = file.read_text("utf-8")
    for node in ast.parse(text).body if "gc." in text else ():
        for part in ast.walk(node):
            if isinstance(part, ast.Expr) and ast.unparse(part.value).startswith("gc."):
                yield str(file.relative_to(ROOT)), getattr(node, "name", "")


def test_only_programs_touch_the_garbage_collector() -> None:
    rooms = [
        folder
        for part in ("compiler/predicat", "spark_ext/predicat_spark")
        for folder in (ROOT / part).rglob("*.py")
    ]
    found = {name for file in rooms for name in touching(file)}
    assert {name for name in found if name[0].split("/")[2] not in PROGRAMS} == BEGINS
    assert found > BEGINS
