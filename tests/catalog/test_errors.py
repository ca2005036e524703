"""Known-bad catalogs: every problem at once, each at its place, as the golden files say.

`python -m tests.catalog.test_errors` writes the golden files anew; read the diff.
"""

from pathlib import Path

import pytest

import predicat

HERE = Path(__file__).parent / "bad"
CASES = sorted(HERE.glob("*.yml"))


def problems(path: Path) -> str:
    try:
        predicat.load_catalog(path, macros=HERE / "macros")
    except predicat.PredicatError as error:
        return (
            "\n\n".join(item.render() for item in error.diagnostics)
            .replace(str(path), path.name)
            .replace(f"tests/catalog/bad/{path.name}", path.name)
            + "\n"
        )
    return "no problem\n"


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_problems(path: Path) -> None:
    assert problems(path) == path.with_suffix(".txt").read_text(encoding="utf-8")


def test_there_are_cases() -> None:
    assert len(CASES) >= 8


if __name__ == "__main__":
    for case in CASES:
        case.with_suffix(".txt").write_text(problems(case), encoding="utf-8")
