"""No body is more than a reader of a language can take: anything is a filter or a PredicatError.

Bodies are those of the corpus, mutated and spliced, random words of the grammars, and random characters.
"""

import copy
import os
import random
from collections.abc import Iterator
from typing import Any

import pytest

import predicat
from predicat.diagnostics import PredicatError, Unsupported
from predicat.language import LANGUAGES
from tests.fuzzing import Costs
from tests.language.bodies import HOSTILE
from tests.language.test_every_language import OF_NAMES
from tests.texts import entries

EXAMPLES = int(os.environ.get("PREDICAT_FUZZ_EXAMPLES", "60"))
FIRST = int(os.environ.get("PREDICAT_FUZZ_FIRST", "0"))
FIELDS = {
    "n": "bigint", "d": "double", "s": "string", "a": "array<bigint>", "j": "json", "t": "timestamp",
    "b": "boolean", "dec": "decimal(10,2)", "day": "date", "m": "map<string,string>",
    "st": "struct<x: bigint, y: string>", "labels": "map<string,string>", "headers": "map<string,string>",
    "properties": "map<string,string>", "attributes": "map<string,string>", "ce": "map<string,string>",
    "routing_key": "string", "topic": "string", "value": "json", "i": "int", "f": "float",
    "i16": "smallint", "iv": "bigint",
}  # fmt: skip
NAMES = list(FIELDS)
WORDS = [
    *NAMES, "(", ")", "[", "]", "{", "}", ",", ".", ":", "::", "?", "=", "==", "<>", "!=", "<", "<=", ">",
    ">=", "+", "-", "*", "/", "%", "||", "&&", "|", "!", "~", "->", "->>", "#>", "@>", "@", "'", '"', "`",
    ";", "AND", "OR", "NOT", "IN", "LIKE", "BETWEEN", "IS", "NULL", "TRUE", "FALSE", "CASE", "WHEN", "THEN",
    "ELSE", "END", "CAST(", "AS", "INTERVAL", "DATE", "TIMESTAMP", "EXISTS", "ANY(", "ARRAY[", "EXTRACT(",
    "FROM", "ESCAPE", "has(", "size(", "exists(", "matches(", "int(", "timestamp(", "duration(", "in",
    "null", "true", "1", "0", "-1", "1.5", "1E", "1e", "1.5E", "1e9993.", "1e400", ".5", "5.", "0x1f",
    "9223372036854775808", "9" * 40, "'x'", "'2026-01-01'", "'1 day'", "''", "'\\'", '"x"', "$1", ":p",
    "'{}'", "'[1]'", "r'\\d'", "b'x'", "attributes.a", "hasPrefix(", "a-b", "*.x", "#", "now()", "lower(",
    "substring(", "concat(", "coalesce(", "date_trunc(", "json_extract(", "1u", "\x00", "\n", "\ud800", "😀",
    "--", "/*", "*/",
]  # fmt: skip
VALUES: list[Any] = [
    None, True, 0, -1, 1.5, float("inf"), 10**400, "", "x", "a.b", [], {}, [[]], [None], {"a": None},
    {"": 1}, {"x": {}}, {"prefix": "a"}, {"exists": True}, {"anything-but": []}, {"numeric": [">", 1]},
    {"numeric": ["<"]}, {"all": 5},
]  # fmt: skip


def bodies(language: str) -> list[Any]:
    """The bodies of the corpus in a language."""
    return [case[language] for entry in entries() for case in entry["cases"] if language in case]


def mutated_text(text: str, others: list[str], draw: random.Random) -> str:
    """A text with one to four changes."""
    for _ in range(draw.randint(1, 4)):
        at, end = sorted(draw.randrange(len(text) + 1) for _ in range(2))
        match draw.randrange(7):
            case 0:
                text = text[:at] + draw.choice(WORDS + HOSTILE) + text[at:]
            case 1:
                text = text[:at] + text[min(end, at + draw.randint(1, 8)) :]
            case 2:
                text = text[:at] + text[at:end] * draw.choice([2, 3, 50]) + text[end:]
            case 3:
                other = draw.choice(others)
                text = text[:at] + other[draw.randrange(len(other) + 1) :]
            case 4:
                text = (
                    text[:at]
                    + chr(draw.choice([0, 39, 34, 92, 0x2028, 0xD800, draw.randrange(0x110000)]))
                    + text[at + 1 :]
                )
            case 5:
                text = text.replace(draw.choice(WORDS), draw.choice(WORDS), 1)
            case _:
                text = " ".join((text, draw.choice(WORDS), draw.choice(WORDS)))
    return text[:5_000]


def mutated_data(value: Any, others: list[Any], draw: random.Random) -> Any:
    """Data with some of its parts replaced, removed, repeated or renamed."""

    def part_of(part: Any) -> Any:
        return mutated_data(part, others, draw) if draw.random() < 0.5 else part

    if draw.random() < 0.25:
        return copy.deepcopy(draw.choice([*VALUES, draw.choice(others)]))
    match value:
        case dict():
            result = {
                key: mutated_data(part, others, draw) if draw.random() < 0.5 else part
                for key, part in value.items()
            }
            if draw.random() < 0.3:
                result[draw.choice([*NAMES, *HOSTILE, "$or", "prefix", "filter"])] = draw.choice(VALUES)
            if result and draw.random() < 0.2:
                del result[draw.choice(list(result))]
            return result
        case list():
            result_list = [
                mutated_data(part, others, draw) if draw.random() < 0.5 else part for part in value
            ]
            return result_list * draw.choice([1, 1, 2, 0]) if draw.random() < 0.2 else result_list
        case str():
            return mutated_text(value, ["x"], draw)
        case _:
            return draw.choice(VALUES)


def mutated_part(value: Any, others: list[Any], draw: random.Random) -> Any:
    """Data with one part mutated, somewhere below."""
    match value:
        case dict() if value and draw.random() < 0.85:
            key = draw.choice(list(value))
            return {**value, key: mutated_part(value[key], others, draw)}
        case list() if value and draw.random() < 0.85:
            at = draw.randrange(len(value))
            return [*value[:at], mutated_part(value[at], others, draw), *value[at + 1 :]]
        case _:
            return mutated_data(value, others, draw)


def body(language: str, corpus: list[Any], draw: random.Random) -> Any:
    """A body that nobody would write."""
    start = draw.choice(corpus)
    if not isinstance(start, str):
        return draw.choice([mutated_data, mutated_part])(start, corpus, draw)
    texts = [text for text in corpus if isinstance(text, str)]
    match draw.randrange(4):
        case 0:
            return " ".join(draw.choice(WORDS) for _ in range(draw.randint(1, 14)))
        case 1 if LANGUAGES[language].shape != "text":
            return draw.choice(VALUES)
        case 2:
            return "".join(chr(draw.randrange(1, 0x3000)) for _ in range(draw.randint(0, 30)))
        case _:
            return mutated_text(start, texts, draw)


def generated(language: str) -> Iterator[Any]:
    corpus = bodies(language)
    for number in range(FIRST, FIRST + EXAMPLES):
        yield body(language, corpus, random.Random(f"{language} {number}"))


@pytest.mark.parametrize("language", sorted(LANGUAGES.keys() - OF_NAMES))
def test_anything_is_a_filter_or_a_problem(language: str) -> None:
    read, costs = 0, Costs(language)
    for given in generated(language):
        with costs.measured():
            read += sum(is_filter(given, language, fields) for fields in (FIELDS, None))
    costs.show()
    assert read or EXAMPLES < 60, "no body is read at all"


def is_filter(given: Any, language: str, fields: dict[str, str] | None) -> bool:
    """Whether a body is a filter, with SQL of each engine or a reason why not; if not, it is a problem."""
    try:
        predicate = predicat.parse(given, language, fields)
    except PredicatError as problem:
        assert len(str(problem)) < 20_000, f"{given!r}"[:2_000]
        return False
    except Exception as error:
        raise AssertionError(f"{type(error).__name__}: {error} of {given!r}"[:2_000]) from error
    for dialect in ("spark", "postgres", "duckdb"):
        try:
            predicate.sql(dialect)
        except Unsupported:
            pass
        except Exception as error:
            raise AssertionError(f"SQL: {type(error).__name__}: {error} of {given!r}"[:2_000]) from error
    return True
