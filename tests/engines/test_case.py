"""Comparisons that ignore case: every letter of ASCII, and some beyond, beside every character that has a
case.
"""

import json
import sys
from string import ascii_letters, ascii_lowercase
from typing import Any

import pytest

import predicat
from predicat.api import declared
from predicat.backends.sql.common.letters import has_usual_case
from predicat.ir.nodes import Call, Field, Literal, Node, rewrite_children
from predicat.ir.types import STRING
from predicat.rewrite.simplify import simplify
from predicat.semantics import casefold
from tests.engines.rows import Tables
from tests.engines.test_generated import check_batch

FIELDS = {"s": "string"}
CASED = [
    char
    for char in map(chr, range(128, sys.maxunicode))
    if char not in {char.lower(), char.upper()} or char.lower() != char.upper()
]
LETTERS = [*ascii_lowercase, "ss", "fi", "ffl", "st", "é", "ß", "σ", "µ", "ǆ"]


def asked(letter: str) -> list[Node]:
    sns = ({"equals-ignore-case": letter}, {"prefix": {"equals-ignore-case": f"x{letter}"}})
    texts = [(f"s ILIKE '{pattern}'", "sql") for pattern in (letter, f"x{letter}\\_%")]
    texts += [(json.dumps({"s": [one]}, ensure_ascii=False), "sns") for one in sns]
    for name, one in (("lower", letter.lower()), ("upper", letter.upper())):
        tests = (
            f"= '{one}'",
            f"< '{one}'",
            f">= '{one}'",
            f"<> '{one}{one}'",
            f"IN ('{one}', 'x{one}_')",
            f"LIKE 'x{one}%'",
            f"LIKE '%{one}%'",
        )
        texts += [(f"{name}(s) {test}", "sql") for test in tests]
    return [predicat.parse(text, language, FIELDS).node for text, language in texts]


@pytest.mark.parametrize(
    "letters", [LETTERS[::3], pytest.param([*LETTERS[1::3], *LETTERS[2::3]], marks=pytest.mark.slow)]
)
def test_case_is_folded_alike(letters: list[str], spark: Any, postgres: Any) -> None:
    plain = [*ascii_lowercase, *ascii_lowercase.upper(), "", "x", "1"]
    texts = [text for char in (*plain, *CASED) for text in (char, f"X{char}_")]
    tables = Tables(spark, postgres, declared(FIELDS), [{"s": text} for text in texts])
    check_batch([node for letter in letters for node in asked(letter)], tables)


@pytest.mark.parametrize(
    "cased",
    [
        pytest.param([*ascii_letters, *CASED[::3]], id="some"),
        pytest.param([*CASED[1::3], *CASED[2::3]], id="others", marks=pytest.mark.slow),
    ],
)
def test_case_of_computed_patterns_is_folded_alike(cased: list[str], spark: Any, postgres: Any) -> None:
    """Each character beside its other case, and beside what it is folded to."""
    fields = {**FIELDS, "p": "string"}
    folded = dict(zip(*casefold.whole_translation(), strict=True))
    rows = [
        {"s": f"x{char}", "p": other}
        for char in cased
        for other in (char.upper()[:1], folded.get(char, char))
    ]
    odd = [
        (None, "a"),
        ("a", None),
        ("A\\b", "a\\\\B"),
        ("ab", "A\\B"),
        ("é%", "É\\%"),
        ("École", "é_O%E"),
        ("", ""),
    ]
    rows += [{"s": text, "p": pattern} for text, pattern in odd]
    texts = [
        "s ILIKE '%' || p",
        "s ILIKE p",
        "s NOT ILIKE p ESCAPE 'a'",
        "s ILIKE ANY (ARRAY['X' || p, 'q'])",
    ]
    nodes = [predicat.parse(text, "sql", fields).node for text in texts]
    check_batch(nodes, Tables(spark, postgres, declared(fields), rows))


def test_a_pattern_with_a_parameter_becomes_a_constant() -> None:
    field = predicat.parse("s ILIKE '%' || p || '%'", "sql", {"s": "string", "p": "string"}).node
    given = predicat.parse("p = 'X_É'", "sql", {"p": "string"}).node
    assert isinstance(given, Call)
    known = simplify(substituted(field, {"p": given.args[1]}))
    assert known == predicat.parse("s ILIKE '%x_é%'", "sql", FIELDS).node


def substituted(node: Node, values: dict[str, Node]) -> Node:
    if isinstance(node, Field):
        return values.get(node.decl.name, node)
    return rewrite_children(node, lambda part: substituted(part, values))


def test_no_collation_makes_other_letters_of_ascii(postgres: Any) -> None:
    """Beside constants of ASCII, LOWER and UPPER of a text in any collation decide as those of ASCII."""
    collations = [
        name
        for (name,) in postgres.execute(
            "SELECT quote_ident(collname) FROM pg_collation WHERE collname IN "
            "('C', 'und-x-icu', 'tr-x-icu', 'az-x-icu', 'lt-x-icu', 'el-x-icu', 'de-x-icu')"
        ).fetchall()
    ]
    assert '"C"' in collations
    codes = "generate_series(1, 1114111) AS code WHERE code NOT BETWEEN 55296 AND 57343"
    for function in ("lower", "upper"):
        made = ",".join(
            f"string_agg(translate({function}(chr(code) COLLATE {name}), chr(code), ''), '')"
            for name in collations
        )
        beyond = postgres.execute(f"SELECT concat({made}) FROM {codes} AND code > 127").fetchone()[0]
        for letter in {*beyond} & {*ascii_letters}:
            assert not has_usual_case(parsed(f"{function}(s)"), Literal(STRING, letter)), letter
        usual = [
            one for one in ascii_letters if has_usual_case(parsed(f"{function}(s)"), Literal(STRING, one))
        ]
        assert len(usual) > 10
        for one in usual:
            other = one.swapcase()
            for name in collations:
                query = f"SELECT {function}('{one}' COLLATE {name}), {function}('{other}' COLLATE {name})"
                assert postgres.execute(query).fetchone() == (
                    getattr(one, function)(),
                    getattr(other, function)(),
                )


def parsed(text: str) -> Node:
    node = predicat.parse(f"{text} = 'x'", "sql", FIELDS).node
    assert isinstance(node, Call)
    return node.args[0]
