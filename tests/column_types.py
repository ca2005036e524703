"""Writes the table of column types where others read it: into `docs/catalog.md` between two markers, and as
`predicat-columns.json` for the extension of Spark.

`python -m tests.column_types`.
"""

import json
from pathlib import Path

from predicat.backends.column_types import CONTRACT, ENGINES, REFUSED, SAME, for_extension

ROOT = Path(__file__).resolve().parent.parent
EXTENSION = ROOT / "spark_ext" / "scala" / "predicat-columns.json"
PAGE = ROOT / "docs" / "catalog.md"
BEGIN, END = "<!-- column types: python -m tests.column_types -->", "<!-- end of column types -->"
_DIGITS = {
    "": "",
    "labels": " with the same labels",
    "equal": " of the same digits",
    "fitting": " with as many digits or fewer, before the decimal point and after it",
}
_NAMES = {"spark": "Spark", "postgres": "PostgreSQL", "duckdb": "DuckDB"}


def extension() -> str:
    return json.dumps(for_extension(), indent=1) + "\n"


def table() -> str:
    """The table of the page: what each declared type takes, and what it does not."""
    lines = ["| field | column | |", "|---|---|---|"]
    for row in CONTRACT:
        digits = _DIGITS.get(row.digits, f" of up to {row.digits} digits")
        names = ", ".join(f"`{name}`" for name in row.columns.split()) + digits
        on = "" if row.engines == ENGINES else f" ({', '.join(_NAMES[name] for name in row.engines.split())})"
        words = row.words.replace("{declared}", "the field")
        told = f"{row.verdict}: {words}" if row.verdict != SAME else "same rows"
        if row.verdict == REFUSED and row.cast != "CAST({column} AS {declared})":
            told += f". Write `{row.cast.replace('{column}', 'x')}` in a view".replace("|", "\\|")
        lines.append(f"| {', '.join(f'`{name}`' for name in row.declared.split())} | {names}{on} | {told} |")
    return "\n".join(lines)


def page(text: str) -> str:
    """The page with the table of today."""
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    EXTENSION.write_text(extension(), encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
