"""The SQL of the reference catalog, as reviewed. `python -m tests.golden.test_sql` writes it anew; read
the diff.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import predicat

HERE = Path(__file__).parent
ROOT = HERE.parent.parent


def rendered(dialect: str) -> str:
    catalog = predicat.load_catalog(ROOT / "catalog")
    lines: list[str] = []
    for row in catalog.filters():
        for number, version in row.versions.items():
            lines += [f"-- {row.qualified}@{number} ({version.language})", version.predicate.sql(dialect), ""]
    return "\n".join(lines)


@pytest.mark.parametrize("dialect", predicat.dialects())
def test_sql_is_as_reviewed(dialect: str) -> None:
    assert rendered(dialect) == (HERE / f"{dialect}.sql").read_text(encoding="utf-8")


if __name__ == "__main__":
    for name in predicat.dialects():
        (HERE / f"{name}.sql").write_text(rendered(name), encoding="utf-8")
