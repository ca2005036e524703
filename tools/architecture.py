"""Writes the picture of docs/architecture.md: `python -m tools.architecture`. Rooms are packages, arrows are
imports.

An arrow that follows from others (A imports B, B imports C, so A may import C) is left out.
"""

from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "docs" / "architecture.md"
START, END = "<!-- picture: python -m tools.architecture -->\n", "<!-- end of the picture -->\n"
MERGED = {"pulsar": "pulsar.py, headers.py", "headers": "pulsar.py, headers.py", "api": "api.py"}
IGNORED = ("", "__main__")
Edges = dict[str, set[str]]


def edges() -> Edges:
    """The rooms, and the rooms that each imports. Imports for types only do not count."""
    graph = grimp.build_graph(
        "predicat", "predicat_spark", exclude_type_checking_imports=True, cache_dir=None
    )
    found: Edges = {}
    for module in graph.modules:
        room = _room(module)
        if room in IGNORED:
            continue
        others = {_room(other) for other in graph.find_modules_directly_imported_by(module)}
        found.setdefault(room, set()).update(others - {room, *IGNORED})
    return found


def _room(module: str) -> str:
    root, _, rest = module.partition(".")
    name = rest.split(".")[0] if root == "predicat" else root
    return MERGED.get(name, name)


def reduced(graph: Edges) -> Edges:
    """The same graph without the arrows that follow from others."""
    return {
        room: {
            other for other in others if not any(other in _reached(graph, via) for via in others - {other})
        }
        for room, others in graph.items()
    }


def _reached(graph: Edges, start: str) -> set[str]:
    found: set[str] = set()
    todo = [start]
    while todo:
        for other in graph[todo.pop()] - found:
            found.add(other)
            todo.append(other)
    return found


def circles() -> list[list[str]]:
    """The circles of files: modules that import each other, by whatever way, be it for types only."""
    graph = grimp.build_graph("predicat", "predicat_spark", cache_dir=None)
    modules = graph.modules
    imports = {module: graph.find_modules_directly_imported_by(module) for module in modules}
    reached = {module: _reached(imports, module) for module in modules if imports[module]}
    found = {
        frozenset(other for other in others if module in reached.get(other, ()))
        for module, others in reached.items()
    }
    return sorted(sorted(circle) for circle in found if circle)


def picture() -> str:
    """The Mermaid diagram."""
    graph = edges()
    names = {room: f"r{number}" for number, room in enumerate(sorted(graph))}
    lines = ["```mermaid", "flowchart TD", *(f'    {names[room]}["{room}"]' for room in names)]
    lines += [
        f"    {names[room]} --> {names[other]}"
        for room, others in sorted(reduced(graph).items())
        for other in sorted(others)
    ]
    return "\n".join([*lines, "```"]) + "\n"


def document(text: str) -> str:
    """The page with the picture of now."""
    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}\n{picture()}\n{END}{after}"


if __name__ == "__main__":
    FILE.write_text(document(FILE.read_text(encoding="utf-8")), encoding="utf-8")
