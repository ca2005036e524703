"""Values of sensitive fields are in nothing that a command shows: rows have a mark in them, and every output
is searched for it.
"""

import json
import logging
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

import predicat
import predicat_spark
from predicat.backends.sql import shown
from predicat.catalog.load import read_definitions
from predicat.cli.main import COMMANDS
from predicat.diagnostics import PredicatError
from predicat.entry_filters import Chain
from predicat.entry_filters import plan as entry_plan
from predicat.quality import notify
from predicat.quality.bounds import judge
from predicat.quality.engines import on_postgres
from predicat.quality.outcome import About, Run
from predicat.quality.plan import plan
from predicat.quality.report import FORMATS
from predicat.review import postgres as counter
from predicat.review.changes import review
from predicat.review.questions import questions
from predicat.review.snapshot import of_files
from predicat_spark.quality import on_spark
from tests.cli.test_commands import run

# What is in every sensitive value, and in no other text.
MARK = "s3ntinel"
CATALOG = """apiVersion: predicat/v1
dataset: people
relation: {duckdb: people.csv, spark: people, postgres: public.people}
key: id
fields:
  id: bigint
  email: {type: string, sensitive: true}
  name: {type: string, column: email}
  pin: {type: bigint, sensitive: true}
  age: bigint
filters:
  adult: {sql: age >= 18 AND email LIKE '%@%', coverage: {at_most: 10%, unknown_at_most: 5%}}
  known: {sql: name <> '', coverage: {at_most: 1}}
  pinned: {sql: pin > 5, coverage: {at_least: 99%}}
groups:
  both: {filters: [adult, known], exclusive: true}
  all: {filters: [adult, pinned], exhaustive: true}
"""
ROWS = [
    (number, f"{MARK}{number}@example.com" if number % 3 else None, number, 15 + number)
    for number in range(9)
]
CSV = "id,email,pin,age\n" + "".join(f"{a},{b or ''},{MARK}{c},{d}\n" for a, b, c, d in ROWS)
ROW = f"{{email: {MARK}, pin: 7, age: 20}}"
FILES = ("--prometheus", "counts.prom", "--events", "events.json", "--rows", "rows.jsonl")
# What each command that sees data is called with.
SEEN = {
    "quality": [
        *(["quality", "run", "--format", form, "--html", "page.html", *FILES] for form in FORMATS),
        ["quality", "suggest", "--explain"],
    ],
    "seek": [["seek", "people.adult"], ["seek", "people.adult", "--format", "json"]],
    "match": [
        ["match", "people", "--input", "people.csv"],
        ["match", "people", "--input", "people.csv", "--format", "json"],
    ],
    "explain": [["explain", "people.adult", "--row", ROW]],
    "test": [["test", "people.adult"]],
}
# Commands whose data is on a server or on Spark: below. The others see catalogs, not rows.
BELOW = ("diff", "run")
NO_ROWS = {
    *("init", "import", "discover", "check", "list", "lint", "fmt", "comment", "release", "compile", "sql"),
    *(
        "translate",
        "union",
        "split",
        "apply",
        "plan",
        "suspend",
        "refresh",
        "filters",
        "spark",
        "export",
        "docs",
        "owners",
    ),
    *("lsp", "schema", "completion", "advise"),
    "mcp",  # `tests/agents` searches its answers
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "people.yml").write_text(CATALOG)
    (tmp_path / "people.csv").write_text(CSV)
    return tmp_path


def test_every_command_is_looked_at() -> None:
    assert {*SEEN, *BELOW} | NO_ROWS == set(COMMANDS) and not NO_ROWS & {*SEEN, *BELOW}


@pytest.mark.parametrize("name", SEEN)
def test_no_output_has_the_mark(folder: Path, name: str) -> None:
    plain = folder / "catalog" / "people.yml"
    for masked in (True, False):
        plain.write_text(CATALOG if masked else CATALOG.replace(", sensitive: true", ""))
        texts: list[str] = []
        for arguments in SEEN[name]:
            done = run(*arguments, cwd=folder)
            assert done.returncode in (0, 1), done.stderr
            texts += [done.stdout, done.stderr]
        texts += [
            file.read_text(errors="replace")
            for file in folder.rglob("*")
            if file.is_file() and file.parent.name != "catalog" and file.name != "people.csv"
        ]
        found = [text for text in texts if MARK in text]
        # Without the key the same outputs have it, so the search finds something.
        assert bool(found) is not masked or name == "test", found


def judged(found: Any, catalog: predicat.Catalog) -> list[str]:
    """All that is told of a measure."""
    runs = [
        Run("people", found, judge(catalog, found), definition=catalog.datasets["people"], about=About("now"))
    ]
    messages = [json.dumps(build(runs), default=str) for build in notify.FORMATS.values()]
    return [*(build(runs) for build in FORMATS.values()), *messages]


def test_nothing_of_postgres_has_the_mark(folder: Path, postgres: Any) -> None:
    postgres.execute("DROP TABLE IF EXISTS public.people CASCADE")
    postgres.execute("CREATE TABLE public.people (id bigint, email text, pin bigint, age bigint)")
    with postgres.cursor() as cursor:
        cursor.executemany("INSERT INTO public.people VALUES (%s, %s, %s, %s)", ROWS)
    catalog = predicat.load_catalog(folder / "catalog")
    found = on_postgres(plan(catalog, "people", (), "postgres"), postgres)
    assert found.groups["both"].overlap_rows[0]["email"] == shown.MASK
    texts = judged(found, catalog)
    # The review of a change, which shows rows of the table: after it, and before it, the field is sensitive.
    before = of_files(read_definitions(folder / "catalog"), str)
    (folder / "catalog" / "people.yml").write_text(
        CATALOG.replace("age >= 18", "age >= 20").replace(
            "email: {type: string, sensitive: true}", "email: string"
        )
    )
    after = of_files(read_definitions(folder / "catalog"), str)
    for sides in ((before, after), (after, before)):
        changed = review(*sides)
        counted = counter.count_there(postgres, questions(changed, "postgres"))
        rows = counted["people.adult"]
        assert rows.gained or rows.lost
        texts += [*rows.lines(), json.dumps(rows.data())]
    info = postgres.info
    login = quote(info.user) + (f":{quote(info.password)}" if info.password else "")
    dsn = f"postgresql://{login}@/{info.dbname}?host={quote(info.host, safe='')}&port={info.port}"
    (folder / "catalog" / "people.yml").write_text(CATALOG)
    done = run("seek", "people.adult", "--dsn", dsn, cwd=folder)
    assert done.returncode == 0 and shown.MASK in done.stdout
    assert not [text for text in [*texts, done.stdout, done.stderr] if MARK in text]


def test_errors_of_an_engine_quote_no_value(folder: Path, postgres: Any) -> None:
    """A view that fails on a value: PostgreSQL says which."""
    postgres.execute("DROP TABLE IF EXISTS public.people CASCADE")
    postgres.execute("DROP VIEW IF EXISTS public.people CASCADE")
    postgres.execute("DROP TABLE IF EXISTS public.people_texts CASCADE")
    postgres.execute("CREATE TABLE public.people_texts (id bigint, email text, pin text, age bigint)")
    postgres.execute(f"INSERT INTO public.people_texts VALUES (1, 'a@b', '{MARK}', 20)")
    postgres.execute(
        "CREATE VIEW public.people AS SELECT id, email, pin::bigint AS pin, age FROM public.people_texts"
    )
    try:
        for text in (CATALOG, CATALOG.replace(", sensitive: true", "")):
            (folder / "catalog" / "people.yml").write_text(text)
            catalog = predicat.load_catalog(folder / "catalog")
            with pytest.raises(PredicatError) as caught:
                on_postgres(plan(catalog, "people", (), "postgres"), postgres)
            assert (MARK in str(caught.value)) is (text != CATALOG)
            assert ("22P02" in str(caught.value)) is (text == CATALOG)
    finally:
        postgres.execute("DROP VIEW public.people")


@pytest.mark.parametrize(
    ("kind", "is_shown"),
    [
        *(
            ("22P02", False),
            ("23505", False),
            ("XX000", False),
            (None, False),
            ("42703", True),
            ("57014", True),
        ),
        *(("ConversionException", False), ("InvalidInputException", False), ("BinderException", True)),
    ],
)
def test_what_an_engine_says(kind: str | None, is_shown: bool) -> None:
    assert (shown.of_engine(MARK, kind, sensitive=True) == MARK) is is_shown
    assert shown.of_engine(MARK, kind, sensitive=False) == MARK


@pytest.mark.slow
def test_nothing_of_spark_has_the_mark(folder: Path, spark: Any, caplog: pytest.LogCaptureFixture) -> None:
    catalog = predicat.load_catalog(folder / "catalog")
    frame = spark.createDataFrame(ROWS, "id bigint, email string, pin bigint, age bigint")
    found = on_spark(plan(catalog, "people", (), "spark"), frame)
    assert found.groups["both"].overlap_rows[0]["email"] == shown.MASK
    texts = judged(found, catalog)
    with caplog.at_level(logging.INFO):
        report = predicat_spark.run(
            catalog, "people", ["adult"], str(folder / "people.csv"), folder / "out", bad_records="permissive"
        )
        with pytest.raises(PredicatError) as caught:
            predicat_spark.run(catalog, "people", ["adult"], str(folder / "people.csv"), bad_records="fail")
    assert report.bad_rows == len(ROWS)
    texts += [predicat_spark.table(report), json.dumps(report.data()), str(caught.value), caplog.text]
    assert not [text for text in texts if MARK in text]


class Raises:
    """An entry filter whose errors quote a row."""

    def filter_entry(self, entry: Any, _context: Any) -> Any:
        raise ValueError(f"cannot read {entry['email']}")

    def close(self) -> None:
        pass


def test_no_log_of_an_entry_filter_has_the_mark(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    text = CATALOG.replace("groups:", f"  own: {{python: {__name__}.Raises, after: adult}}\ngroups:")
    (tmp_path / "people.yml").write_text(text)
    chain = Chain(entry_plan(predicat.load_catalog(tmp_path), "people.own"))
    with caplog.at_level(logging.WARNING):
        chain.outcome({"id": 1, "email": MARK, "pin": 2, "age": 3}, {})
        chain.outcome({"id": 1, "email": MARK, "pin": 2, "age": 3}, {})
    assert "ValueError" in caplog.text and len(caplog.records) == 1 and MARK not in caplog.text


def test_a_field_that_reads_a_sensitive_column_is_sensitive(tmp_path: Path) -> None:
    fields = """
  id: bigint
  email: {type: string, sensitive: true, column: {postgres: mail}}
  host: {type: string, expression: {postgres: "split_part(mail, '@', 2)"}}
  other: {type: string, column: {postgres: email}}
"""
    (tmp_path / "d.yml").write_text(
        f"apiVersion: predicat/v1\ndataset: d\nfields:{fields}filters:\n  f: {{sql: id = 1}}\n"
    )
    known = predicat.load_catalog(tmp_path).datasets["d"].fields
    assert [name for name, decl in known.items() if decl.sensitive] == ["email", "host"]
