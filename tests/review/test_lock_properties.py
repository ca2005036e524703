"""The lock file under random edits and random merges: nothing passes unseen, and everything can be
repaired.
"""

import json
import os
import random
import subprocess
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

import predicat
from predicat.catalog.lock import LockFile, parse
from predicat.catalog.released import lock_text
from predicat.diagnostics import PredicatError, Severity
from predicat.review.releases import Rules

EXAMPLES = int(os.environ.get("PREDICAT_FUZZ_EXAMPLES", "25"))
TODAY = date(2026, 11, 23)
Version = tuple[int, str | None]
# The versions of each filter: the number that it looks for, and its deprecation.
State = dict[str, dict[int, Version]]


def load(folder: Path, state: State) -> predicat.Catalog:
    lines = ["apiVersion: predicat/v1", "dataset: d", "fields: {a: bigint}", "filters:"]
    for name, versions in sorted(state.items()):
        lines.append(f"  {name}:\n    versions:")
        for number, (value, day) in sorted(versions.items()):
            lines.append(f"      {number}: {{sql: a = {value}" + (f", deprecated: {day}}}" if day else "}"))
    (folder / "d.yml").write_text("\n".join(lines) + "\n")
    return predicat.load_catalog(folder, tests=False, today=TODAY)


def rules(catalog: predicat.Catalog, text: str, base: str | None, day: date = TODAY) -> Rules:
    merged: LockFile | None = None if base is None else parse(base, "base:catalog.lock")
    return Rules(catalog, parse(text, "catalog.lock"), day, base=merged, path="catalog.lock")


def errors(found: Rules) -> list[str]:
    return [item.message for item in found.problems() if item.severity is Severity.ERROR]


# --- edits


def replaced(text: str, rng: random.Random) -> str:
    place = rng.randrange(len(text))
    return text[:place] + chr(rng.randrange(32, 127)) + text[place + 1 :]


def shortened(text: str, rng: random.Random) -> str:
    place = rng.randrange(len(text))
    return text[:place] + text[place + rng.randrange(1, 30) :]


def of_lines(edit: Callable[[list[str], random.Random], None]) -> Callable[[str, random.Random], str]:
    def edited(text: str, rng: random.Random) -> str:
        lines = text.splitlines()
        edit(lines, rng)
        return "".join(f"{line}\n" for line in lines)

    return edited


def value(lines: list[str], rng: random.Random) -> None:
    place = rng.randrange(1, len(lines))
    data = json.loads(lines[place])
    data[rng.choice(list(data))] = rng.choice([None, 1, "x", [], {}, True, 1.5, "2020-01-01", "reject", -5])
    lines[place] = json.dumps(data, ensure_ascii=False)


EDITS = {
    "a character replaced": replaced,
    "characters left out": shortened,
    "a line left out": of_lines(lambda lines, rng: lines.pop(rng.randrange(len(lines))) and None),
    "a line twice": of_lines(lambda lines, rng: lines.insert(rng.randrange(len(lines)), rng.choice(lines))),
    "lines in another order": of_lines(lambda lines, rng: rng.shuffle(lines)),
    "a value": of_lines(value),
}


@pytest.mark.parametrize("kind", EDITS)
def test_no_edit_of_the_lock_file_passes_unseen(kind: str, tmp_path: Path) -> None:
    state: State = {f"f{number}": {1: (number, None), 2: (number + 10, "2030-01-01")} for number in range(4)}
    catalog = load(tmp_path, state)
    text = lock_text(Rules(catalog, None, TODAY).release().lock)
    for seed in range(EXAMPLES * 2):
        edited = EDITS[kind](text, random.Random(seed))
        if edited == text:
            continue
        try:
            found = rules(catalog, edited, text)
        except PredicatError as error:  # a format of the future
            assert "reads formats up to" in str(error)
            continue
        assert found.problems(), edited
        assert lock_text(found.repair()[0]) == text, edited


# --- merges


def branch(rng: random.Random, state: State, part: int) -> State:
    """A branch that adds filters and versions, deprecates them, and removes what was deprecated long ago;
    of every other filter.
    """
    edited = {name: dict(versions) for name, versions in state.items()}
    for _ in range(rng.randrange(1, 6)):
        mine = [name for name in edited if int(name[1:]) % 2 == part]
        name = rng.choice(mine) if mine and rng.random() < 0.7 else f"f{rng.randrange(50) * 2 + part}"
        versions = edited.setdefault(name, {1: (rng.randrange(99), None)})
        number = rng.choice(list(versions))
        match rng.randrange(3):
            case 0:
                versions[max(versions) + 10] = (rng.randrange(99), None)
            case 1:
                versions[number] = (versions[number][0], rng.choice(["2030-01-01", "2031-01-01"]))
            case _ if len(versions) > 1 and state.get(name, {}).get(number, (0, None))[1] == "2020-01-01":
                if versions[number][1] == "2020-01-01" and versions == state[name]:
                    del versions[number]
    return edited


@pytest.mark.parametrize("seed", range(EXAMPLES))
def test_two_branches_merge_whatever_they_release(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    start: State = {
        f"f{name}": {
            number: (rng.randrange(99), "2020-01-01" if rng.random() < 0.3 else None)
            for number in range(1, rng.randrange(2, 4))
        }
        for name in rng.sample(range(100), rng.randrange(1, 8))
    }
    base = lock_text(Rules(load(tmp_path, start), None, date(2026, 1, 1)).release().lock)
    states = branch(rng, start, 0), branch(rng, start, 1)
    texts = []
    for state, day in zip(states, (date(2026, 11, 20), date(2026, 11, 21)), strict=True):
        found = rules(load(tmp_path, state), base, base, day)
        assert errors(found) == []
        texts.append(lock_text(found.release().lock))
    for name, text in zip(("one", "base", "other"), (texts[0], base, texts[1]), strict=True):
        (tmp_path / name).write_text(text)
    command = ["git", "merge-file", "-p", "--union", "one", "base", "other"]
    union = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    catalog = load(
        tmp_path, {**states[0], **{name: row for name, row in states[1].items() if row != start.get(name)}}
    )
    for merged in (base, texts[0]):  # before and after the merge is committed
        found = rules(catalog, union, merged)
        assert errors(found) == []
        repaired, done = found.repair()
        text = lock_text(repaired)
        again = rules(catalog, text, merged)
        assert done == [] and errors(again) == [] and again.file.tidy
        assert lock_text(again.release().lock) == text
