"""Counts the files that spell the name of each operator: `python -m tools.operator_names`.

A name counts where it is a whole text in quotes. Some are also words of something else (`day`, `range`). A
new operator needs a row, its meaning, a rule for each dialect that differs, and its names in languages.
"""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path
from statistics import mean, median

from predicat.ir.operators import OPS

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("compiler/predicat", "spark_ext/predicat_spark")


def files() -> dict[str, list[str]]:
    """The files that name each operator."""
    found: dict[str, list[str]] = {op: [] for op in OPS}
    for file in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")):
        parts = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        texts = {node.value for node in parts if isinstance(node, ast.Constant)}
        for op in OPS.keys() & texts:
            found[op].append(str(file.relative_to(ROOT)))
    return found


def main() -> None:
    found = files()
    counts = [len(names) for names in found.values()]
    print(f"{len(counts)} operators: median {median(counts):g} files, mean {mean(counts):.1f}")
    for file, count in Counter(name for names in found.values() for name in names).most_common(20):
        print(f"{count:4}  {file}")
    for op, names in sorted(found.items(), key=lambda pair: (len(pair[1]), pair[0])):
        print(f"{len(names):4}  {op}: {', '.join(names)}")


if __name__ == "__main__":
    main()
