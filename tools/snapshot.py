"""Prints what predicates become: `python -m tools.snapshot > FILE`, before and after a change, then `diff`.

A refactoring keeps every line. The predicates are those of the reference catalog, of the shared corpus, and
generated ones (`--generated N`, by default 5,000). Each has lines for its core, the hash of its meaning, its
SQL in each dialect, its words in `predicat explain`, and its texts in other languages; or the error.
"""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import predicat
from predicat.diagnostics import PredicatError
from predicat.explain.prose import describe
from predicat.ir.canonical import canonical_text, meaning_hash
from predicat.ir.nodes import Node
from predicat.language import WRITERS
from predicat.lint import RULES
from predicat.lint.rule import Context
from tests.engines.predicates import FIELDS
from tests.texts import entries

ROOT = Path(__file__).parent.parent


def of_catalog() -> Iterator[tuple[str, predicat.Predicate]]:
    """The filters of the reference catalog, all versions."""
    for row in predicat.load_catalog(ROOT / "catalog").filters():
        for number, version in row.versions.items():
            yield f"{row.qualified}@{number}", version.predicate


def of_corpus() -> Iterator[tuple[str, predicat.Predicate]]:
    """The filters of the shared corpus."""
    for entry in entries():
        for case in entry["cases"]:
            ((language, body),) = (item for item in case.items() if item[0] not in ("expected", "doc"))
            name = f"{entry['name']}: {language}: {body}"
            yield name, predicat.parse(body, language, entry["fields"], on=entry.get("on"))


def generated(count: int) -> Iterator[tuple[str, predicat.Predicate]]:
    """Predicates from texts of the grammar below, in SQL and CEL; the same ones each time."""
    random = Random(26)
    fields = {name: str(decl.type) for name, decl in FIELDS.items()}
    for number in range(count):
        language = ("sql", "cel")[number % 2]
        body = _condition(random, language, 3)
        try:
            yield f"generated: {language}: {body}", predicat.parse(body, language, fields)
        except PredicatError as error:
            print(f"generated: {language}: {body}\n  refused: {error.diagnostics[0].message}")


# Numbers, doubles, texts and times.
_OPERANDS = {
    "sql": (
        "a; b; 7; -3; length(s); abs(b); year(t); (a + b); (a * 2); (b - a); div(a, 3); a % 5; size(xs)",
        "d; e; 0.5; 1e300; (d + e); (d * e); (d / e); abs(d); CAST(a AS DOUBLE); floor(d)",
        "s; u; 'x'; 'a%b'; lower(s); upper(u); trim(s); s || u; substring(s, 2, 3); m['k']; coalesce(s, u)",
        "t; v; TIMESTAMP '2024-02-29 10:00:00'; t + INTERVAL '3' HOUR; date_trunc('month', t)",
    ),
    "cel": (
        "a; b; 7; -3; size(s); math.abs(b); t.getFullYear(); (a + b); (a * 2); (b - a); a / 3; a % 5; xs[0]",
        "d; e; 0.5; (d + e); (d * e); (d / e); math.abs(d); double(a); math.greatest(d, e)",
        "s; u; 'x'; 'a%b'; s.lowerAscii(); u.upperAscii(); s.trim(); (s + u); s.substring(1); m.k; string(a)",
        "t; v; timestamp('2024-02-29T10:00:00Z'); (t + duration('3h'))",
    ),
}
_SIGNS = {"sql": "=; <>; <; <=; >; >=", "cel": "==; !=; <; <=; >; >="}
_JOINED = {"sql": ("AND", "OR", "NOT"), "cel": ("&&", "||", "!")}
_ALONE = {
    "sql": "p; s IS NULL; p IS TRUE; a IN (1, 2, b); s LIKE 'a%'; s RLIKE '^a+$'; d BETWEEN 0 AND 1; "
    "isnan(d); exists(xs, x -> x > a); s ILIKE '%K%'; u NOT IN ('a', s)",
    "cel": "p; s == null; has(m.k); a in [1, 2, b]; s.startsWith('a'); s.matches('^a+$'); "
    "xs.exists(x, x > a); [1, 2] == xs; 'k' in m; xs.all(x, x != 1); (p ? a : b) == 3; s.contains(u); "
    "{'k': s} == m; sets.contains([1, 2, 3], xs)",
}


def _condition(random: Random, language: str, depth: int) -> str:
    def one_of(texts: str) -> str:
        return random.choice(texts.split("; "))

    if depth and random.random() < 0.6:
        both, either, negated = _JOINED[language]
        one, other = _condition(random, language, depth - 1), _condition(random, language, depth - 1)
        return random.choice((f"({one} {both} {other})", f"({one} {either} {other})", f"{negated} ({one})"))
    if random.random() < 0.4:
        return one_of(_ALONE[language])
    operands = random.choice(_OPERANDS[language])
    return f"{one_of(operands)} {one_of(_SIGNS[language])} {one_of(operands)}"


@contextmanager
def _shown(what: str) -> Iterator[None]:
    try:
        yield
    except PredicatError as error:
        print(f"  {what}: error: {error.diagnostics[0].message} | {error.diagnostics[0].hint}")


def show(name: str, predicate: predicat.Predicate) -> None:
    """Everything that a predicate becomes."""
    print(" ".join(name.split()))
    node: Node = predicate.node
    print(f"  core: {canonical_text(node)}\n  hash: {meaning_hash(node, 'reject')}")
    print(f"  words: {describe(predicate.surface)}\n  words of the core: {describe(node)}")
    for dialect in predicat.dialects():
        with _shown(dialect):
            print(f"  {dialect}: {predicate.sql(dialect)}")
            print(f"  {dialect} where: {predicate.condition(dialect)}")
    for language in WRITERS:
        with _shown(language):
            print(f"  {language}: {predicate.to(language)}")


def main() -> None:
    """Print the lines of all predicates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--generated", type=int, default=5000, metavar="N")
    count = parser.parse_args().generated
    for source in (of_catalog(), of_corpus(), generated(count)):
        for name, predicate in source:
            show(name, predicate)
    context = Context(predicat.load_catalog(ROOT / "catalog"))
    for rule in RULES:
        for finding in rule.findings(context, asked=True):
            print(f"{finding.code} {finding.name}: {finding.message} | {finding.hint}")


if __name__ == "__main__":
    main()
