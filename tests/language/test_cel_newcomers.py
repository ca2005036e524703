"""Each text of cel_newcomers.yml has the right hint, and what to write instead can be read."""

from pathlib import Path

import pytest
import yaml

import predicat
from predicat.language.cel import newcomers

ROWS = yaml.safe_load(Path(__file__).with_suffix("").parent.joinpath("cel_newcomers.yml").read_text())
FIELDS = {
    "country": "string",
    "name": "string",
    "qty": "bigint",
    "amount": "double",
    "active": "boolean",
    "ts": "timestamp",
    "tags": "array<string>",
    "labels": "map<string, string>",
}


@pytest.mark.parametrize(("text", "hint", "instead"), ROWS)
def test_the_hint_says_what_to_write(text: str, hint: str, instead: str) -> None:
    predicat.parse(instead, "cel", FIELDS)
    with pytest.raises(predicat.PredicatError) as error:
        predicat.parse(text, "cel", FIELDS)
    assert hint in (error.value.diagnostics[0].hint or ""), error.value


def test_names_that_cel_has_are_not_those_of_others() -> None:
    """A name of the table is a name of CEL only with another shape of call."""
    from predicat.language.cel import reader

    assert not newcomers.FUNCTIONS.keys() & reader._FUNCTIONS.keys()
    assert len(ROWS) >= 100
