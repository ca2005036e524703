"""Counts the files that name each operator: `python -m tools.operator_names`.

Entries: a new operator must be in them. They have its row, meaning, rules in dialects and formula.
Languages: their tables have its word, or their rule for it.
Special: files that treat it in a way of their own, such as a pass that recognises it or a reader that builds
other things out of it. A new operator needs none; who changes the meaning of one looks at them.

A name counts where it is a whole text in quotes. Some are also words of something else (`day`, `range`).
"""

import ast
from collections import Counter
from pathlib import Path
from statistics import mean, median

from predicat.ir.operators import OPS

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("compiler/predicat", "spark_ext/predicat_spark")
ENTRIES = ("ir/operators/", "semantics/functions/", "backends/sql/", "proof/smt/rules/")
KINDS = ("entries", "languages", "special")


def names(part: ast.AST, *, inside: bool = False) -> set[tuple[str, bool]]:
    """The operators that code names, and whether in a function (True) or in a table of the module."""
    if isinstance(part, ast.Constant) and part.value in OPS:
        return {(str(part.value), inside)}
    inside = inside or isinstance(part, ast.FunctionDef)
    return {found for child in ast.iter_child_nodes(part) for found in names(child, inside=inside)}


def kind(file: str, *, in_table: bool) -> str:
    """How a file that names an operator counts: an entry of it, a language, or anything else."""
    if in_table and file.startswith(ENTRIES):
        return "entries"
    return "languages" if in_table and file.startswith("language/") else "special"


def files() -> dict[str, dict[str, str]]:
    """The files that name each operator, each with its kind."""
    found: dict[str, dict[str, str]] = {op: {} for op in OPS}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            file = str(path.relative_to(ROOT / folder))
            named = names(ast.parse(path.read_text(encoding="utf-8")))
            for op, _ in named:
                found[op][file] = kind(file, in_table=(op, False) in named)
    return found


def main() -> None:
    """Print how many files name an operator."""
    found = files()
    print(f"{len(found)} operators, files that name one:")
    for label, kinds in (("entries", KINDS[:1]), ("entries and languages", KINDS[:2]), ("all", KINDS)):
        counts = [sum(kind in kinds for kind in named.values()) for named in found.values()]
        print(f"{label:>22}: median {median(counts):g}, mean {mean(counts):.1f}")
    special = Counter(file for named in found.values() for file, kind in named.items() if kind == "special")
    print("Special in most:", ", ".join(f"{file} {count}" for file, count in special.most_common(12)))
    for op, named in sorted(found.items(), key=lambda pair: (len(pair[1]), pair[0])):
        print(f"{len(named):4}  {op}: " + "; ".join(_listed(named, kind) for kind in KINDS))


def _listed(named: dict[str, str], wanted: str) -> str:
    return f"{wanted} {' '.join(file for file, kind in named.items() if kind == wanted) or '-'}"


if __name__ == "__main__":
    main()
