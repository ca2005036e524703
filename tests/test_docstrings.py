"""Docstrings are read as Google sections, as the documentation reads them: attributes are fields."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

griffe = pytest.importorskip("griffe")  # mkdocstrings reads docstrings with it
pytestmark = pytest.mark.long
COMPILER = Path(__file__).parent.parent / "compiler"


def objects(scope: Any) -> Iterator[Any]:
    for member in scope.members.values():
        if not member.is_alias:
            yield member
            if member.is_module or member.is_class:
                yield from objects(member)


def fields(found: Any) -> set[str]:
    """The fields of a class that its body declares; computed ones may be left out of its docstring."""
    return {
        name
        for name, member in found.members.items()
        if member.is_attribute
        and member.annotation is not None
        and not name.startswith("_")
        and "property" not in member.labels
    }


def test_sections_are_read(caplog: pytest.LogCaptureFixture) -> None:
    package = griffe.load("predicat", search_paths=[str(COMPILER)], docstring_parser="google")
    wrong: list[str] = []
    sections = 0
    with caplog.at_level(logging.WARNING, logger="griffe"):
        for found in objects(package):
            for section in found.docstring.parsed if found.docstring else ():
                if section.kind.value != "attributes" or "__init__" in found.members:
                    continue  # griffe does not see all that an __init__ assigns
                sections += 1
                named = {item.name for item in section.value}
                known = {name for name, member in found.all_members.items() if member.is_attribute}
                wrong += [f"{found.path}: there is no field {name}" for name in sorted(named - known)]
                wrong += [f"{found.path}: {name} is not said" for name in sorted(fields(found) - named)]
    wrong += [record.getMessage() for record in caplog.records]
    assert sections >= 50
    assert not wrong, "\n".join(wrong)
