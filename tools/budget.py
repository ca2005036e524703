"""Print the lines of each room, and fail where one has more than tools/budget.toml allows, in `make lint`.

A larger number there is a line in a diff, whose commit gives the reason. `--set` writes today's lines and one
per cent more.
"""

import sys
import tomllib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUDGET = Path(__file__).with_name("budget.toml")
HEAD = "# The most lines of each room (tools/budget.py). The commit of a larger number gives the reason.\n"
PACKAGES = {"compiler/predicat": "*.py", "spark_ext/predicat_spark": "*.py", "spark_ext/scala": "*.scala"}


def rooms() -> Counter[str]:
    """The lines of each folder of a package; the package itself has its modules and the folders of Scala."""
    found: Counter[str] = Counter()
    for package, pattern in PACKAGES.items():
        for file in (ROOT / package).rglob(pattern):
            inner = file.relative_to(ROOT / package).parts[:-1]
            room = f"{package}/{inner[0]}" if inner and pattern == "*.py" else package
            found[room] += len(file.read_bytes().splitlines())
    return found


def main(arguments: list[str]) -> int:
    """Check the rooms, or with `--set` write the budget."""
    found = rooms()
    if arguments == ["--set"]:
        lines = [f'"{room}" = {count + max(count // 100, 5)}\n' for room, count in sorted(found.items())]
        BUDGET.write_text(HEAD + "".join(lines), encoding="utf-8")
        return 0
    allowed = tomllib.loads(BUDGET.read_text(encoding="utf-8"))
    print(", ".join(f"{room.removeprefix('compiler/')} {found[room]}" for room in sorted(found)))
    wrong = [
        f"{room} has {found[room]:,} lines, and tools/budget.toml allows {allowed.get(room, 0):,}"
        for room in sorted(found | allowed)
        if not 0 < found[room] <= allowed.get(room, 0)
    ]
    print("\n".join(wrong) or f"{sum(found.values()):,} lines in all, within the budget")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
