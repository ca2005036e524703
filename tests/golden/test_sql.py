"""The SQL of the reference catalog, as reviewed. `python -m tests.golden.test_sql` writes it anew; read
the diff.
"""

from pathlib import Path

import pytest

import predicat
from predicat.backends.sql.postgres import installed

HERE = Path(__file__).parent
FUNCTIONS = HERE / "postgres_functions.sql"
MAX_SERVER = 999_999
ROOT = HERE.parent.parent


def rendered(dialect: str) -> str:
    catalog = predicat.load_catalog(ROOT / "catalog")
    lines: list[str] = []
    for row in catalog.filters():
        for number, version in row.versions.items():
            lines += [f"-- {row.qualified}@{number} ({version.language})", version.predicate.sql(dialect), ""]
    return "\n".join(lines)


def functions() -> str:
    """The functions that `predicat apply` installs. If a released version differs, increase VERSION."""
    return "".join(f"-- {row.note}\n{row.sql};\n\n" for row in installed.definitions(MAX_SERVER))


def test_functions_are_as_reviewed() -> None:
    assert functions().encode() == FUNCTIONS.read_bytes()  # texts in it have a carriage return


@pytest.mark.parametrize("dialect", predicat.dialects())
def test_sql_is_as_reviewed(dialect: str) -> None:
    assert rendered(dialect) == (HERE / f"{dialect}.sql").read_text(encoding="utf-8")


if __name__ == "__main__":
    for name in predicat.dialects():
        (HERE / f"{name}.sql").write_text(rendered(name), encoding="utf-8")
    FUNCTIONS.write_bytes(functions().encode())
