"""Types as people write them: Spark's names, PostgreSQL's, and hints for those of other systems."""

import pytest

import predicat
from predicat.ir.types import TypeSyntaxError, parse_type


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("VARCHAR(10)", "string"),
        ("character varying(10)", "string"),
        ("Character(3)", "string"),
        ("double precision", "double"),
        ("timestamp with time zone", "timestamp"),
        ("int4", "bigint"),
        ("float8", "double"),
        ("text[]", "array<string>"),
        ("numeric(10,2)[]", "array<decimal(10,2)>"),
        ("int[][]", "array<array<bigint>>"),
        ("struct<a int, b: text[]>", "struct<a: bigint, b: array<string>>"),
        ("map<string, double precision>", "map<string, double>"),
        ("timestamp(3) with time zone", "timestamp"),
        ("timestamptz(6)[]", "array<timestamp>"),
        (
            "struct<`Zip Code`: int, größe text, `a``b` date>",
            "struct<`Zip Code`: bigint, `größe`: string, `a``b`: date>",
        ),
    ],
)
def test_spellings(written: str, read: str) -> None:
    assert str(parse_type(written)) == read


@pytest.mark.parametrize(
    "text",
    [
        *("", "text[", "text]", "[]", "int" + "[]" * 30),
        *("timestamp with", "timestamp without time zone", "timestamp(3) without time zone", "timestamp(3"),
    ],
)
def test_no_types(text: str) -> None:
    with pytest.raises(TypeSyntaxError):
        parse_type(text)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("list<string>", "did you mean 'array<string>'?"),
        ("datetime", "did you mean 'timestamp'?"),
        (
            "hstore",
            (
                'read a column, such as x, through an expression: {type: "map<string, string>", '
                'expression: {postgres: "x::jsonb"}}'
            ),
        ),
        ("strng", "did you mean 'string'?"),
        ("int64", "did you mean 'bigint'?"),
    ],
)
def test_hints(text: str, hint: str) -> None:
    with pytest.raises(predicat.PredicatError) as caught:
        predicat.parse("a IS NULL", language="sql", fields={"a": text})
    assert caught.value.diagnostics[0].hint == hint
