"""Generated regular expressions: the reference evaluator and every engine find what RE2 itself finds (through Google's CEL, which has it)."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from cel_expr_python import cel

import predicat
from predicat.api import declared
from tests.engines.rows import Tables

ORACLE = cel.NewEnv(variables={"s": cel.Type.STRING, "p": cel.Type.STRING}).compile("s.matches(p)")
CHARACTERS = list("abABkKsS09_ -\n\r\t^$.[]()*+?|{}\\'") + list("éÉßſıİ😀٣µΜ") + ["\u212a", "\u2028", "\x85"]
ESCAPES = [r"\d", r"\w", r"\s", r"\D", r"\W", r"\S", r"\b", r"\.", r"\\", r"\n", r"\t", r"\r", r"\x41", r"\x{e9}", r"\x{1F600}", r"\A", r"\z", r"\v", r"\f", r"\a", r"\101", r"\-", r"\/", r"\$"]
ITEMS = [*"abkKsS09_é^.", "a-c", "A-Z", "0-9", "k-s", "à-ü", r"\d", r"\w", r"\s", r"\D", r"\W", "[:alpha:]", "[:^alpha:]", "[:upper:]", "[:punct:]", r"\n", r"\]", r"\x{e9}"]
REPEATS = ["", "", "", "", "*", "+", "?", "*?", "+?", "{2}", "{1,2}", "{2,}", "{1,3}?"]
chance = random.Random(11)


def atom(depth: int) -> str:
    kind = chance.random()
    if kind < 0.4 or (kind > 0.75 and not depth):
        char = chance.choice(CHARACTERS)
        return "\\" + char if char in "\\.+*?()|[]{}^$" else char
    if kind < 0.55:
        return f"[{chance.choice(['', '^'])}{''.join(chance.choices(ITEMS, k=chance.randint(1, 3)))}]"
    if kind < 0.68:
        return chance.choice(ESCAPES)
    if kind < 0.75:
        return chance.choice([".", "^", "$"])
    return chance.choice(["(", "(?:", "(?i:", "(?s:", "(?m:", "(?P<x>", "(?U:"]) + pattern(depth - 1) + ")"


def pattern(depth: int) -> str:
    branches = ["".join(atom(depth) + chance.choice(REPEATS) for _ in range(chance.randint(1, 3))) for _ in range(chance.choice([1, 1, 1, 2]))]
    return "|".join(branches)


PATTERNS = [chance.choice(["", "", "", "^", "(?i)", "(?s)", "(?im)"]) + pattern(2) + chance.choice(["", "", "", "$"]) for _ in range(500)]
TEXTS = list(dict.fromkeys(["", "a", "K", "\u212a", "S", "ſ", "É", "a\nb\n", "ab\r\n", "a😀b", "$$", "${2}",
                            *("".join(chance.choices(CHARACTERS, k=chance.randint(0, 5))) for _ in range(80))]))  # fmt: skip


def found(pattern: str) -> list[bool] | None:
    """What RE2 finds in each text, or None if it refuses the pattern."""
    try:
        return [ORACLE.eval(data={"s": text, "p": pattern}).plain_value() is True for text in TEXTS]
    except RuntimeError:
        return None


def test_generated_patterns(spark: Any, postgres: Any) -> None:
    fields = declared({"s": "string"})
    accepted: list[tuple[str, predicat.Predicate, list[bool]]] = []
    for text in PATTERNS:
        want = found(text)
        try:
            ours = predicat.parse(f"s.matches({json.dumps(text, ensure_ascii=False)})", "cel", fields)
        except predicat.PredicatError:
            continue
        assert want is not None, text
        accepted.append((text, ours, want))
    assert len(accepted) > 400
    tables = Tables(spark, postgres, fields, [{"s": text} for text in TEXTS])
    assert [text for text, ours, want in accepted if tables.reference(ours.node) != want] == []
    for engine, run in tables.engines():
        for start in range(0, len(accepted), 100):
            part = accepted[start : start + 100]
            got = run([ours.sql(engine) for _, ours, _ in part])
            assert [text for (text, _, want), column in zip(part, got, strict=True) if column != want] == [], engine


def test_duckdb_refuses_what_it_finds_between_bytes() -> None:
    found = predicat.parse(r"s.matches('\\B')", "cel", {"s": "string"})
    assert found.evaluate({"s": "a😀b"}) is False
    with pytest.raises(predicat.PredicatError, match="between the bytes"):
        found.sql("duckdb")
