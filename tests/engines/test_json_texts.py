"""JSON in texts: which texts are JSON, and what is read of them, is the same on all engines."""

import json
import random
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

import predicat
from predicat import backends
from predicat.ir.nodes import FieldDecl, fields_of
from predicat.semantics.json_texts import LONGEST_KEY, LONGEST_NUMBER, MOST_LEVELS, parse
from tests.engines.rows import Tables

BODIES = {
    "sql": (
        "parse_json(s) IS NULL",
        "get_json_object(s, '$.a') = 'x'",
        "get_json_object(s, '$.a') <> '1'",
        "get_json_object(s, '$.a.b') = 'x' AND n > 3",
        "get_json_object(s, '$.a') IN ('x', 'true', '1') OR get_json_object(s, '$.b') = 'x'",
        "json_array_length(s) = 2",
        "json_extract(s, '$[0]') = 1",
    ),
    "spark": (
        "CAST(get_json_object(s, '$.a') AS double) > 0.5",
        "variant_get(parse_json(s), '$.a', 'int') = 1",
        "NOT (try_parse_json(s):a = 'x')",
        "get_json_object(s, '$.a[1].b') = 'x'",
    ),
    "postgres": (
        "(s::jsonb ->> 'a') = 'x'",
        "(s::json -> 'a' ->> 'b')::int > 3",
        "s::jsonb @> '{\"a\": 1}'",
        "s::jsonb ? 'a'",
        "jsonb_array_length(s::jsonb -> 'a') > 1",
    ),
    "duckdb": ("json_extract_string(s, '$.a') = 'x'", "s::JSON ->> '$.b' = 'x'"),
}
NUMBERS = (
    "0", "-0", "1", "1.0", "1.5", "-1e2", "1E+5", "1e400", "-1e400", "1e-400", "1e9999", "1e-9999",
    "1e99999", "1e00001", "12345678901234567890123", "01", "+1", ".5", "1.", "-", "--1", "1e", "0x1",
    "1_0", "NaN", "Infinity", "-Infinity", "nan", "inf", "٣", "9" * LONGEST_NUMBER,
    "9" * (LONGEST_NUMBER + 1), "0." + "1" * (LONGEST_NUMBER-6) + "e-99",
    "0." + "1" * (LONGEST_NUMBER-2) + "e-99",
)  # fmt: skip
STRINGS = (
    '"x"', '""', '"1"', '"true"', '"null"', r'"\u0078"', r'"a\\b"', r'"a\"b"', r'"\/\b\f\n\r\t"',
    r'"\x"', r'"\u12"', r'"\u00zz"', r'"\u0000"', r'"\\u0000"', r'"\\\u0000"', r'"\ud83d\ude00"',
    r'"\ud83d"', r'"\ude00"', r'"\ud83d\ud83d"', r'"\ud83d\n\ude00"', r'"\uD83D\uDE00"',
    r'"\ude00\ud83d"', '"😀é"', '"\x7f\x85\u2028"', '"a\tb"', '"a\nb"', '"\x01"', '"\n"', '"\\\n"', "'x'",
    '"x', 'x"', '"1e12345"', '"[[["', '"{\\"a\\":1}"', '"a":', '"NaN,]"', '":"',
)  # fmt: skip
WORDS = (
    "true", "false", "null", "True", "NULL", "nul", "truefalse", "undefined", "", " ", "\ufeff", "\x0b",
    "\xa0", "0 0",
)  # fmt: skip
DOCUMENTS = (
    "{[]:1}", "{{}:1}", "[1[2]]", "1[2]", "[[]1]", "[1 [2]]", '["a" "b"]', '["a"1]', '{"a":1[]}', "\x02",
    "[\x02]", "{\x01:1}", '{\x01:"x"}',
    "[]", "{}", "[1,]", "[,1]", "[1 2]", "[1]]", "[[1]", "[1],", "1,2", "1] x", "1} x", '1,"b":2',
    '{"a":1} x', '{"a":1}}', '{"a":1,}', '{"a" 1}', '{"a":}', "{:1}", "{1:1}", "{a:1}", '{"a":1 "b":2}',
    '{"a":1,"a":2}', '{"a":1,"\\u0061":2}', '{"a":{"b":1,"b":1}}', '[{"a":"x"},{"a":"x"}]',
    '[{"b":[{"a":1,"a":1}]}]', '{"a":"x","b":{"a":"y"}}', '{"":1,"":2}', '{"a":null}',
    '{"a":null,"a":"x"}', ' {"a" : "x" } ', '\t[\n1\r,"x"]', '\ufeff{"a":"x"}', '{"a":"x"}\x00', "\x00",
    '// c\n{"a":"x"}', '{"a":"x"} -- c', "/**/1", '{"a":[1,{"b":"x"}]}', '{"a":{"b":4}}',
    '{"a":{"b":"x"}}', '{"a.b":"x"}', "[[[[1]]]]", "[1,2]", '["[","]"]', "(1)", "<1>", "S", "0", "\x01",
    "\x1e1", "{]", "[}", '{"a":1]', '["a":1]',
)  # fmt: skip

PIECES = (
    '"', "\\", "{", "}", "[", "]", ",", ":", " ", "1", "e9", '"a"', "true", "\\u0000", "\n", "-", ".5", "NaN",
)  # fmt: skip
LONG = (
    "[" * MOST_LEVELS + "]" * MOST_LEVELS,
    "[" * (MOST_LEVELS + 1) + "]" * (MOST_LEVELS + 1), '{"a":' * MOST_LEVELS + '"x"' + "}" * MOST_LEVELS,
    "[" * 20_000 + "]" * 20_000, "[" * 20_000, "[" + ",".join(["[]"] * (MOST_LEVELS + 1)) + "]",
    '{"a":"x","b":[' + ",".join(['"["'] * (MOST_LEVELS + 1)) + "]}",
    '{"' + "k" * LONGEST_KEY + '":1,"a":"x"}', '{"' + "k" * (LONGEST_KEY + 1) + '":1,"a":"x"}',
    '{"a":"' + "k" * (LONGEST_KEY + 1) + '"}', '["' + "k" * (LONGEST_KEY + 1) + '" ,":"]',
    '{"a":"x"' + " " * LONGEST_KEY + ',"b":":"}', '{"a" ' + " " * LONGEST_KEY + ':"x"}',
)  # fmt: skip


def texts() -> list[str]:
    """Values alone, in an object and in an array, and documents near to JSON."""
    random_ = random.Random(31)
    values = [*NUMBERS, *STRINGS, *WORDS]
    found = [*DOCUMENTS, *values]
    found += [f'{{"a":{value}}}' for value in values] + [f"[{value},{value}]" for value in values]
    for _ in range(300):
        parts = list(random_.choice(found)[:200])
        for _ in range(random_.randint(1, 2)):
            at = random_.randrange(len(parts) + 1)
            parts[at : at + random_.randint(0, 2)] = random_.choice(PIECES)
        found.append("".join(parts))
    return found


def filters(bodies: Mapping[str, Sequence[str]]) -> list[predicat.Predicate]:
    return [
        predicat.parse(body, language, {"s": "string", "n": "bigint"})
        for language, written in bodies.items()
        for body in written
    ]


@pytest.mark.parametrize("engine", ["spark", "postgres", "duckdb"])
def test_engines_agree(engine: str, spark: Any, postgres: Any) -> None:
    check(engine, spark, postgres)


def check(engine: str, spark: Any, postgres: Any) -> None:
    agree(engine, spark, postgres, [*texts(), None], filters(BODIES))
    agree(engine, spark, postgres, LONG, filters({"sql": BODIES["sql"][:2]}))


def agree(
    engine: str, spark: Any, postgres: Any, found: Sequence[str | None], chosen: list[predicat.Predicate]
) -> None:
    """An engine has the values of the evaluator, and accepts the same rows in a WHERE."""
    known = [text for text in found if engine != "postgres" or text is None or "\0" not in text]
    rows = [{"s": text, "n": 5 if at % 2 else 2} for at, text in enumerate(known)]
    fields: dict[str, FieldDecl] = {}
    for one in chosen:
        fields.update(fields_of(one.node))
    data = Tables(spark, postgres, fields, rows, (engine,))
    expected = [data.reference(one.node) for one in chosen]
    assert {answer for column in expected for answer in column} >= {True, False}
    exact = [one.sql(engine) for one in chosen]
    wheres = [backends.dialect(engine).render(one.node, condition=True) for one in chosen]
    ((_, run),) = data.engines()
    got = run([*exact, *wheres])
    accepted = [[answer is True for answer in column] for column in expected]
    got[len(exact) :] = [[answer is True for answer in column] for column in got[len(exact) :]]
    for sql, want, have in zip([*exact, *wheres], [*expected, *accepted], got, strict=True):
        differing = [
            (row["s"] and row["s"][:200], one, other)
            for row, one, other in zip(rows, have, want, strict=True)
            if one is not other
        ]
        assert differing == [], sql


def test_a_value_is_that_of_pythons_reader() -> None:
    """What is taken is JSON; and most of what is JSON is taken."""
    taken = 0
    for text in texts():
        found = parse(text)
        if found is not None:
            taken += 1
            assert json.loads(text) == found
    assert taken > 100
