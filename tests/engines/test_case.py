"""Comparisons that ignore case: every letter of ASCII, and some beyond, beside every character that has a
case.
"""

from __future__ import annotations

import json
import sys
from string import ascii_lowercase
from typing import Any

import predicat
from predicat.api import declared
from predicat.ir.nodes import Node
from tests.engines.rows import Tables
from tests.engines.test_generated import check_batch

FIELDS = {"s": "string"}
CASED = [
    char
    for char in map(chr, range(128, sys.maxunicode))
    if char not in {char.lower(), char.upper()} or char.lower() != char.upper()
]
LETTERS = [*ascii_lowercase, "é", "ß", "σ", "µ", "ǆ"]


def asked(letter: str) -> list[Node]:
    sns = ({"equals-ignore-case": letter}, {"prefix": {"equals-ignore-case": f"x{letter}"}})
    texts = [(f"s ILIKE '{pattern}'", "sql") for pattern in (letter, f"x{letter}\\_%")]
    texts += [(json.dumps({"s": [one]}, ensure_ascii=False), "sns") for one in sns]
    return [predicat.parse(text, language, FIELDS).node for text, language in texts]


def test_case_is_folded_alike(spark: Any, postgres: Any) -> None:
    plain = [*ascii_lowercase, *ascii_lowercase.upper(), "", "x", "1"]
    texts = [text for char in (*plain, *CASED) for text in (char, f"X{char}_")]
    tables = Tables(spark, postgres, declared(FIELDS), [{"s": text} for text in texts])
    check_batch([node for letter in LETTERS for node in asked(letter)], tables)
