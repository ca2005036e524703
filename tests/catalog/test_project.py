"""The project file `predicat.yml`: where it is found, what it says, and what is wrong with it."""

from pathlib import Path

import pytest

import predicat
from predicat.catalog.project import load_project
from predicat.diagnostics import PredicatError

SMALL = "apiVersion: predicat/v1\ndataset: d\nfields: {a: bigint}\nfilters: {f: {sql: a > 1}}\n"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    (root / ".git").mkdir(parents=True)
    (root / "teams" / "sales" / "catalog").mkdir(parents=True)
    (root / "catalog").mkdir()
    (tmp_path / "predicat.yml").write_text("catalog: above_the_repository\n")
    return root


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("catalog", "shop"),
        ("teams/sales/catalog", "shop/teams/sales"),
        ("teams/sales", "shop/teams/sales"),
        (".", "shop"),
    ],
)
def test_the_name_is_by_default_the_place_in_the_repository(repository: Path, folder: str, name: str) -> None:
    project = load_project(repository / folder)
    assert (project.catalog, project.file) == (name, None)


@pytest.mark.parametrize("place", [".", "teams", "teams/sales", "teams/sales/catalog"])
def test_the_file_is_found_beside_the_catalog_or_above(repository: Path, place: str) -> None:
    (repository / place / "predicat.yml").write_text("catalog: shop.sales\n")
    assert load_project(repository / "teams" / "sales" / "catalog").catalog == "shop.sales"


def test_the_nearest_file_counts_and_one_without_a_name_keeps_the_default(repository: Path) -> None:
    (repository / "predicat.yml").write_text("catalog: all\n")
    (repository / "teams" / "predicat.yml").write_text("# nothing yet\n")
    assert load_project(repository / "teams" / "sales" / "catalog").catalog == "shop/teams/sales"
    assert load_project(repository / "catalog").catalog == "all"


def test_the_file_is_no_part_of_the_catalog(repository: Path) -> None:
    (repository / "catalog" / "predicat.yml").write_text("catalog: shop\n")
    (repository / "catalog" / "d.yml").write_text(SMALL)
    assert [row.name for row in predicat.load_catalog(repository / "catalog").filters()] == ["f"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "catalogue: shop\n",
            (
                r"the project file has no key 'catalogue'\n  --> .*predicat.yml:1:1\n(.*\n)*.*did you mean "
                r"'catalog'\?"
            ),
        ),
        ("catalog: 7\n", "catalog must be a string, not 7"),
        ("catalog: [a]\n", "catalog must be a string, not a list"),
        ("catalog: 'a b'\n", r"'a b' is not a valid name of a catalog\n  --> .*predicat.yml:1:10"),
        ("- a\n", "the project file must be a mapping"),
        ("catalog: a\ncatalog: b\n", "duplicate key 'catalog'"),
        ("catalog: [", "not valid YAML"),
    ],
)
def test_problems_have_a_place(repository: Path, text: str, problem: str) -> None:
    (repository / "predicat.yml").write_text(text)
    with pytest.raises(PredicatError, match=problem):
        load_project(repository / "catalog")


def test_a_folder_that_gives_no_name_asks_for_one(tmp_path: Path) -> None:
    (tmp_path / "my shop" / "catalog").mkdir(parents=True)
    with pytest.raises(PredicatError, match=r"write catalog: NAME into a file predicat.yml"):
        load_project(tmp_path / "my shop" / "catalog")
