"""No opening is missed: rows that somebody gains by a random change of policies have an entry of a review."""

import random
from collections.abc import Iterator
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import pytest
import yaml

from predicat.catalog import Catalog, load_catalog
from predicat.catalog.load import read_definitions
from predicat.ir.nodes import NOW as CLOCK
from predicat.policies.access import ACCESSES, SEEN, Access, Rule, allowed, permitted
from predicat.policies.bind import MARK, rules_of
from predicat.proof.inputs import over_inputs
from predicat.review.changes import review
from predicat.review.entries import Entry
from predicat.review.snapshot import of_files
from tests.policies.shapes import NOW, SESSIONS, SHAPES, definition, rows

ROLES = ("reader", "editor", "admin")
COMMANDS = ("all", "select", "insert", "update", "delete")


def policy(chance: random.Random) -> dict[str, Any]:
    """A policy of shapes, for some roles and a command."""
    command = chance.choice(COMMANDS)
    filters = {"using": chance.choice(NAMES), "check": chance.choice(NAMES)}
    if command == "insert":
        del filters["using"]
    elif command in ("select", "delete") or chance.random() < 0.5:
        del filters["check"]
    roles = chance.choice([["public"], [chance.choice(ROLES)], chance.sample(ROLES, 2)])
    return {"command": command, "roles": roles, "permissive": chance.random() < 0.6, **filters}


# Shapes with few values, so that random rows are in many of them.
NAMES = (
    "tenant",
    "organization",
    "published",
    "soft_delete",
    "clearance",
    "region",
    "visibility_or",
    "owner",
)


def change(policies: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """Policies of which one is another, is gone, or is new."""
    after = {name: dict(row) for name, row in policies.items()}
    name = chance.choice(sorted(after))
    match chance.randrange(5):
        case 0:
            del after[name]
        case 1:
            after["new"] = policy(chance)
        case 2:
            after[name]["permissive"] = not after[name]["permissive"]
        case 3:
            after[name]["roles"] = chance.choice([["public"], [chance.choice(ROLES)]])
        case _:
            after[name] = policy(chance)
    return after


def side(folder: Path, policies: dict[str, Any]) -> Any:
    text = yaml.safe_dump(definition({name: SHAPES[name] for name in NAMES}, policies), sort_keys=False)
    (folder / "documents.yml").write_text(text)
    return of_files(read_definitions(folder), str), load_catalog(folder)


def told(entries: list[Entry], roles: tuple[str, ...], what: Access) -> bool:
    """Whether an entry says that these people gain rows, or that it is not proved that they do not. Who sees
    more may change more with other roles, too: that is said of the rows that are seen.
    """
    words = {what.words, SEEN.words} if what.command in ("update", "delete") else {what.words}
    for entry in entries:
        named = set(entry.name.partition(".")[2].split("+"))
        gains = entry.proof is not None and entry.proof.verdict.kind not in ("narrower", "never")
        parts = [
            part.removeprefix("rows that it ").partition(" without")[0] for part in entry.part.split(", ")
        ]
        if named <= {"public", *roles} and gains and not entry.proof.same_rows and words & set(parts):
            return True
    return False


def rules(catalog: Catalog) -> list[Rule]:
    return rules_of(catalog, catalog.datasets["documents"]).get("", [])


def gained(
    before: list[Rule], after: list[Rule], tried: list[dict[str, Any]]
) -> Iterator[tuple[tuple[str, ...], Access]]:
    """Who gains one of some rows, and how: with a WHERE, or without."""
    people = chain.from_iterable(combinations(ROLES, number) for number in range(len(ROLES) + 1))
    for roles in people:
        for what in ACCESSES:
            for judge in (allowed, permitted):
                old, new = (over_inputs(judge(some, roles, what)) for some in (before, after))
                if any(new(row) is True and old(row) is not True for row in tried):
                    yield roles, what


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100))
def test_whoever_gains_rows_is_named(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    policies = {f"p{number}": policy(chance) for number in range(chance.randint(2, 5))}
    (old, before), (new, after) = (side(tmp_path, one) for one in (policies, change(policies, chance)))
    entries = [entry for entry in review(old, new).entries if entry.kind == "permission"]
    tried = [
        {**row, **{f"{MARK}{name}": value for name, value in session.items()}, f":{CLOCK.name}": NOW}
        for session in SESSIONS.values()
        for row in rows(60, seed)
    ]
    missed = [one for one in gained(rules(before), rules(after), tried) if not told(entries, *one)]
    assert missed == []
