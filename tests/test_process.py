"""What the library leaves alone in the process of its users."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
# Rooms that are programs, whose process is their own.
PROGRAMS = ("cli", "editor")


def test_only_programs_touch_the_garbage_collector() -> None:
    rooms = [
        folder
        for part in ("compiler/predicat", "spark_ext/predicat_spark")
        for folder in (ROOT / part).rglob("*.py")
    ]
    touching = {
        str(file.relative_to(ROOT))
        for file in rooms
        if re.search(r"^\s*gc\.", file.read_text("utf-8"), re.MULTILINE)
    }
    assert touching
    assert {name for name in touching if name.split("/")[2] not in PROGRAMS} == set()
