"""A catalog that stays loaded says after each edit what a fresh load says."""

import os
import random
from datetime import date
from pathlib import Path

import pytest

from predicat.catalog.live import LiveCatalog, Loaded
from predicat.catalog.load import load_catalog
from predicat.diagnostics import PredicatError

TODAY = date(2026, 1, 1)
ORDERS = """# Orders, as they are placed.
---
apiVersion: predicat/v1
dataset: orders
relation: orders
vars:
  countries: [FR, DE]
fields:
  amount: {type: bigint, description: In cents.}
  note: string
  tags: array<string>
  ce.source: string
  at: timestamp
enums:
  Status: {OPEN: 1, CLOSED: 2}
filters:
  # What is large.
  large:
    description: "Large: # and larger"
    sql: amount > 100
    tests:
      - {row: {amount: 101}, matches: true}
      - {row: {amount: 100}, matches: false}
  old:
    latest: 2
    versions:
      1: {sql: amount > 10, deprecated: 2025-12-31}
      2: {sql: "amount > :least", params: {least: {type: bigint, default: 20}}}
  both:
    all:
      - large
      - {not: old}
  tagged:
    cel: tags.exists(x, x == "a" || x == note) && filter("large")
  near:
    sql: |
      matches_filter('old', least => 7)
        AND note LIKE 'a%'
  here:
    sql: "note IN ({{ quoted(var('countries')) }}) AND {{ filter('large') }}"
  open: {cel: amount == Status.OPEN, tests: [{row: {amount: 1}, matches: true}]}
  sourced: {sql: "ce.source = 'x'"}
  deep:
    cel: >-
      filter("tagged") && !filter("here")
groups:
  sizes: {filters: [large, old]}
subscriptions:
  desk: {filter: near, properties: {team: a}}
attributes: {least: {type: bigint, postgres: "current_setting('app.least')::bigint"}}
policies: {own: {using: old}}
"""
MORE = """apiVersion: predicat/v1
dataset: orders
filters:
  other:
    sql: matches_filter('deep') OR at > TIMESTAMP '2026-01-01 00:00:00'
  "quoted": {not: other}
tests:
  large:
    - {row: {amount: 5}, matches: false}
  near:
    - row: {amount: 8, note: ab}
      matches: true
"""
EVENTS = """apiVersion: predicat/v1
dataset: events
relation: events
fields: {headers: "map<string, string>", kind: string}
filters:
  created: {headers: {headerEquals: {type: created}}}
  named: {jms: "kind = 'a' OR kind LIKE 'b%'"}
"""
MACROS = (
    "{% macro quoted(items) %}{% for item in items %}'{{ item }}'{{ ',' if not loop.last }}{% endfor %}{% "
    "endmacro %}\n"
)
WORDS = (
    "amount",
    "note",
    "large",
    "old",
    "deep",
    "both",
    "near",
    "matches_filter('large')",
    'filter("old")',
    "x",
    "1",
    "true",
    "null",
    "'",
    '"',
    "{",
    "}",
    "[",
    "]",
    ":",
    "#",
    "- ",
    "\n",
    "  ",
    "\n  new:\n    sql: amount > 3\n",
    "|",
    ">",
    "&a ",
    "*a",
    "\t",
    "---\n",
    "...",
    "filters:\n",
    "{{",
    "}}",
    "latest: 1",
    "on_unknown: accept",
    "2",
    "@1",
    "string",
    "bigint",
    ",",
    "(",
    ")",
    "dataset: events\n",
    "é",
    "\r\n",
    "\ufeff",
    "\u2028",
    "? ",
)


def edited(text: str, choose: random.Random) -> str:
    """The text after one edit such as people and programs make."""
    lines = text.split("\n")
    at = choose.randrange(len(text) + 1)
    row = choose.randrange(len(lines))
    match choose.randrange(8):
        case 0:
            return text[:at] + choose.choice(WORDS) + text[at:]
        case 1:
            return text[:at] + text[at + choose.randrange(1, 4) :]
        case 2:
            return "\n".join(lines[:row] + lines[row + 1 :])
        case 3:
            return "\n".join([*lines[:row], choose.choice(lines), *lines[row:]])
        case 4:
            word = choose.choice([item for item in WORDS if item in text] or ["x"])
            return text.replace(word, choose.choice(WORDS), 1)
        case 5:
            other = choose.randrange(len(lines))
            lines[row], lines[other] = lines[other], lines[row]
            return "\n".join(lines)
        case 6:
            end = min(row + choose.randrange(1, 6), len(lines))
            return "\n".join(
                lines[:row]
                + [choose.choice(("", "  ", "    ")) + line for line in lines[row:end]]
                + lines[end:]
            )
        case _:
            return "\n".join([*lines[:row], "", "# a comment", "", *lines[row:]])


def fresh(folder: Path, texts: dict[Path, str]) -> tuple[list[str], list[object]]:
    """What a fresh load says, and its filters."""
    try:
        catalog = load_catalog(folder, texts=texts, today=TODAY)
    except PredicatError as error:
        return sorted(item.render() for item in error.diagnostics), []
    return sorted(item.render() for item in catalog.warnings), contents(catalog.filters())


def contents(filters: list[object]) -> list[object]:
    return [
        (
            row.qualified,
            row.latest,
            row.on_unknown,
            row.description,
            [test.row for test in row.tests],
            row.span.outermost().start,
            [
                (
                    number,
                    version.predicate.node,
                    version.params,
                    version.references,
                    version.span.outermost().start,
                )
                for number, version in row.versions.items()
            ],
        )
        for row in filters
    ]


def live(loaded: Loaded) -> tuple[list[str], list[object]]:
    if loaded.good:
        return sorted(item.render() for item in loaded.diagnostics), contents(loaded.catalog.filters())
    return sorted(item.render() for item in loaded.diagnostics if item.severity.value == "error"), []


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "macros").mkdir()
    (tmp_path / "macros" / "m.sql").write_text(MACROS)
    for name, text in {"orders": ORDERS, "more": MORE, "events": EVENTS}.items():
        (tmp_path / "catalog" / f"{name}.yml").write_text(text)
    return tmp_path / "catalog"


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_edits(folder: Path, seed: int) -> None:
    choose = random.Random(seed)
    catalog = LiveCatalog(folder)
    texts: dict[Path, str] = {}
    originals = {file.resolve(): file.read_text() for file in sorted(folder.glob("*.yml"))}
    assert live(catalog.load(texts, TODAY)) == fresh(folder, texts)
    for step in range(int(os.environ.get("PREDICAT_FUZZ_EXAMPLES", "60"))):
        file = choose.choice(list(originals))
        if choose.random() < 0.3:  # back to what is good, in one file or all
            texts = (
                {}
                if choose.random() < 0.5
                else {other: text for other, text in texts.items() if other != file}
            )
        else:
            texts[file] = edited(texts.get(file, originals[file]), choose)
        assert live(catalog.load(texts, TODAY)) == fresh(folder, texts), (seed, step, texts.get(file))


def test_only_what_an_edit_touches_is_checked(folder: Path) -> None:
    catalog = LiveCatalog(folder)
    file = (folder / "orders.yml").resolve()

    def again(before: str, after: str) -> set[str]:
        """The filters whose predicates are other objects after an edit."""
        one = catalog.load({file: ORDERS}, TODAY).catalog.known
        other = catalog.load({file: ORDERS.replace(before, after, 1)}, TODAY).catalog.known
        return {
            name.removeprefix("orders.")
            for name, row in other.items()
            if name not in one or row.current is not one[name].current
        }

    assert again("LIKE 'a%'", "LIKE 'b%'") == {"near"}
    assert again("# What is large.", "# What is large,\n  # and what is not.") == set()
    assert again("amount > 100", "amount > 99") == {
        "large",
        "both",
        "tagged",
        "here",
        "deep",
        "other",
        "quoted",
    }
    assert again("at: timestamp", "at: timestamp\n  new: string") == set()
    assert again("note: string", "note: {type: string, description: As it came.}") == {
        "tagged",
        "near",
        "here",
        "deep",
        "other",
        "quoted",
    }
    assert again("[FR, DE]", "[FR, IT]") == {"here", "deep", "other", "quoted"}
    assert again("sql: amount > 100", "sql: amount >") == set()


def test_files_on_disk(folder: Path) -> None:
    catalog = LiveCatalog(folder)
    assert catalog.load({}, TODAY).good
    (folder / "more.yml").write_text(MORE.replace("'deep'", "'deeper'"))
    (folder.parent / "macros" / "m.sql").write_text(MACROS.replace("quoted", "listed"))
    assert live(catalog.load({}, TODAY)) == fresh(folder, {})
    (folder / "more.yml").unlink()
    (folder.parent / "macros" / "m.sql").write_text(MACROS)
    assert catalog.load({}, TODAY).good
    (folder / "more.yml").write_bytes(b"\xff")
    assert live(catalog.load({}, TODAY)) == fresh(folder, {})


@pytest.mark.parametrize(
    "text",
    [
        "filters:\n" + "".join(f"  f{number}: {{sql: \"note LIKE '[%{number}'\"}}\n" for number in range(70)),
        "filters:\n  deep: " + "[" * 61 + "]" * 61 + "\n",
        "filters:\n  deep: " + "[" * 100_000 + "\n",
        'filters:\n  deep: "' + "[" * 100 + '" [\n',
        "filters:\n" + " " * 400 + "deep: {sql: amount > 1}\n",
        "filters:\n  a: {sql: amount > 1}\n  deep:\n    " + "- " * 50 + "1\n",
    ],
)
def test_bounds(folder: Path, text: str) -> None:
    """Brackets in texts do not nest; those of YAML have a bound, in parts as well."""
    texts = {(folder / "more.yml").resolve(): "apiVersion: predicat/v1\ndataset: orders\n" + text}
    catalog = LiveCatalog(folder)
    catalog.load({}, TODAY)
    loaded = catalog.load(texts, TODAY)
    assert live(loaded) == fresh(folder, texts)
    assert any(item.code.startswith("yaml") for item in loaded.diagnostics) == ("LIKE" not in text)


def test_an_edit_of_now_changes_the_outcomes_of_tests(tmp_path: Path) -> None:
    """Also of those that stand apart from their filter: their own texts are as they were."""
    text = """apiVersion: predicat/v1
dataset: orders
relation: orders
now: 2026-02-01 10:00:00
fields: {at: timestamp}
filters:
  recent:
    sql: at > now() - INTERVAL '1' DAY
    tests: [{row: {at: 2026-02-01 09:00:00}, matches: true}]
tests:
  recent: [{row: {at: 2026-02-01 08:00:00}, matches: true}]
"""
    file = tmp_path / "orders.yml"
    file.write_text(text)
    live = LiveCatalog(tmp_path)
    assert live.load({}, TODAY).tests == {"orders.recent": (2, 0)}
    file.write_text(text.replace("now: 2026-02-01", "now: 2026-02-03"))
    assert live.load({}, TODAY).tests == {"orders.recent": (2, 2)}
