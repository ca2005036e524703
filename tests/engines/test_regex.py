"""Generated regular expressions: the reference evaluator and every engine find what RE2 itself finds
(through Google's CEL, which has it).
"""

import json
import random
from typing import Any

import pytest
from cel_expr_python import cel

import predicat
from predicat.api import declared
from predicat.semantics import automaton, regex
from tests.engines.rows import Tables

ORACLE = cel.NewEnv(variables={"s": cel.Type.STRING, "p": cel.Type.STRING}).compile("s.matches(p)")
CHARACTERS = list("abABkKsS09_ -\n\r\t^$.[]()*+?|{}\\'") + list("éÉßſıİ😀٣µΜ") + ["\u212a", "\u2028", "\x85"]
ESCAPES = [
    r"\d",
    r"\w",
    r"\s",
    r"\D",
    r"\W",
    r"\S",
    r"\b",
    r"\.",
    r"\\",
    r"\n",
    r"\t",
    r"\r",
    r"\x41",
    r"\x{e9}",
    r"\x{1F600}",
    r"\A",
    r"\z",
    r"\v",
    r"\f",
    r"\a",
    r"\101",
    r"\-",
    r"\/",
    r"\$",
]
ITEMS = [
    *"abkKsS09_é^.",
    "a-c",
    "A-Z",
    "0-9",
    "k-s",
    "à-ü",
    r"\d",
    r"\w",
    r"\s",
    r"\D",
    r"\W",
    "[:alpha:]",
    "[:^alpha:]",
    "[:upper:]",
    "[:punct:]",
    r"\n",
    r"\]",
    r"\x{e9}",
]
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
    branches = [
        "".join(atom(depth) + chance.choice(REPEATS) for _ in range(chance.randint(1, 3)))
        for _ in range(chance.choice([1, 1, 1, 2]))
    ]
    return "|".join(branches)


PATTERNS = [
    chance.choice(["", "", "", "^", "(?i)", "(?s)", "(?im)"]) + pattern(2) + chance.choice(["", "", "", "$"])
    for _ in range(500)
]
TEXTS = list(
    dict.fromkeys(
        [
            "",
            "a",
            "K",
            "\u212a",
            "S",
            "ſ",
            "É",
            "a\nb\n",
            "ab\r\n",
            "a😀b",
            "$$",
            "${2}",
            *("".join(chance.choices(CHARACTERS, k=chance.randint(0, 5))) for _ in range(80)),
        ]
    )
)


def found(pattern: str) -> list[bool] | None:
    """What RE2 finds in each text, or None if it refuses the pattern."""
    try:
        return [ORACLE.eval(data={"s": text, "p": pattern}).plain_value() is True for text in TEXTS]
    except RuntimeError:
        return None


FIELDS = declared({"s": "string"})


def parsed(pattern: str) -> predicat.Predicate | None:
    try:
        return predicat.parse(f"s.matches({json.dumps(pattern, ensure_ascii=False)})", "cel", FIELDS)
    except predicat.PredicatError:
        return None


def test_generated_patterns(spark: Any, postgres: Any) -> None:
    accepted: list[tuple[str, predicat.Predicate, list[bool]]] = []
    for text in PATTERNS:
        want, ours = found(text), parsed(text)
        if ours is None:
            continue
        assert want is not None, text
        accepted.append((text, ours, want))
    assert len(accepted) > 400
    tables = Tables(spark, postgres, FIELDS, [{"s": text} for text in TEXTS])
    assert [text for text, ours, want in accepted if tables.reference(ours.node) != want] == []
    for engine, run in tables.engines():
        said = [
            (text, sql, want) for text, ours, want in accepted if (sql := sql_of(ours, engine)) is not None
        ]
        assert len(said) > len(accepted) * 0.98
        for start in range(0, len(said), 100):
            part = said[start : start + 100]
            got = run([sql for _, sql, _ in part])
            assert [
                text for (text, _, want), column in zip(part, got, strict=True) if column != want
            ] == [], engine


def sql_of(ours: predicat.Predicate, engine: str) -> str | None:
    """The SQL of an engine; Spark refuses a few."""
    try:
        return ours.sql(engine)
    except predicat.PredicatError:
        assert engine != "postgres"
        return None


def rounds(depth: int) -> str:
    """Patterns that repeat groups, over few characters: whether a round may give something back matters
    here (see semantics/automaton).
    """

    def part() -> str:
        kind = chance.random()
        if kind < 0.08:
            return chance.choice(
                ["^", "$", r"\b", r"\B", "(?m:^)", "(?m:$)", r"[\x{d800}-\x{dfff}]", r"[\x{0}-\x{d900}]"]
            )
        if kind < 0.55 or not depth:
            return chance.choice(
                ["a", "b", ",", "a", "b", ",", ".", "[ab]", "[^a]", "[^,]", r"\w", r"\s", "😀", "[^😀]"]
            )
        return f"({rounds(depth - 1)})"

    repeats = ["", "", "*", "+", "*", "+", "?", "{2,}", "{1,2}"]
    return "|".join(
        "".join(part() + chance.choice(repeats) for _ in range(chance.randint(1, 3)))
        for _ in range(chance.choice([1, 1, 1, 2, 3]))
    )


def separated() -> str:
    """A repeated group in a pattern with both ends, where a round often ends at one place only."""

    def run(longest: int) -> str:
        characters = ["a", "b", ",", ",", "[ab]", "[^,]", r"\w", "ab", "a,"]
        return "".join(
            chance.choice(characters) + chance.choice(["", "", "", "+", "*", "?", "{2}"])
            for _ in range(chance.randint(1, longest))
        )

    group = chance.choice([run(3), run(3), f"{run(2)}|{run(2)}", f"{run(2)}({run(2)})*{run(1)}"])
    end = chance.choice(["$", "$", "$", "", r"\b", "(?m:$)"])
    start, repeated = chance.choice(["", run(1)]), chance.choice(["*", "+", "{2,}"])
    return f"^{start}({group}){repeated}{chance.choice(['', run(2)])}{end}"


ROUNDS = [
    chance.choice(["", "^"]) + rounds(chance.randint(1, 2)) + chance.choice(["", "$", "$"])
    for _ in range(100)
]
ROUNDS += [separated() for _ in range(400)]
SHORT = ["".join(chance.choices("ab,", k=size)) for size in range(10) for _ in range(size * 3)]
SHORT += ["".join(chance.choices("aab, \n😀é", k=chance.randint(1, 9))) for _ in range(80)]


@pytest.mark.parametrize(
    "patterns", [ROUNDS[::3], pytest.param([*ROUNDS[1::3], *ROUNDS[2::3]], marks=pytest.mark.slow)]
)
def test_repeated_groups(patterns: list[str], spark: Any, postgres: Any) -> None:
    texts = list(dict.fromkeys(["", *SHORT]))
    cases = [(text, ours) for text in patterns if (ours := parsed(text)) is not None]
    assert len(cases) > len(patterns) * 0.98
    want = [
        [ORACLE.eval(data={"s": text, "p": pattern}).plain_value() is True for text in texts]
        for pattern, _ in cases
    ]
    tables = Tables(spark, postgres, FIELDS, [{"s": text} for text in texts])
    assert [
        case[0]
        for case, expected in zip(cases, want, strict=True)
        if tables.reference(case[1].node) != expected
    ] == []
    kinds = {"kept": 0, "read": 0, "refused": 0}
    for engine, run in tables.engines():
        said = [
            (pattern, sql, expected)
            for (pattern, ours), expected in zip(cases, want, strict=True)
            if (sql := sql_of(ours, engine)) is not None
        ]
        kinds["refused"] += (len(cases) - len(said)) * (engine == "spark")
        kinds["kept"] += sum("*+" in sql or "++" in sql for _, sql, _ in said if engine == "spark")
        kinds["read"] += sum("AGGREGATE" in sql for _, sql, _ in said if engine == "spark")
        for start in range(0, len(said), 100):
            part = said[start : start + 100]
            got = run([sql for _, sql, _ in part])
            assert [
                pattern
                for (pattern, _, expected), column in zip(part, got, strict=True)
                if column != expected
            ] == [], engine
    assert kinds["kept"] > 10
    assert kinds["read"] > 40
    assert kinds["refused"] < 10


LONG = [
    (r"^(ab|c)*$", "ab", ""),
    (r"^([a-z]+,)*[a-z]+$", "foo,", "bar"),
    (r"^\d+(\.\d+)*$", "1.", "1"),
    (r"^(a|ab|b)+$", "ab", ""),
    (r"^(\w+\s?)*$", "ab ", "!"),
    (r"(x+x+)+y", "x", ""),
    (r"^((a?){30}a{30})*$", "a", "b"),
    (r'^"([^"\\]|\\.)*"$', '"\\"', '"'),
    (r"(?m)^(\w+\n)*end$", "a\n", "end"),
]


def test_texts_of_many_rounds(spark: Any, postgres: Any) -> None:
    """Java calls itself for each round of most groups, and overflows its stack, which ends the process;
    Python may try for ever.
    """
    rows = [{"s": text * 20_000 + end} for _, text, end in LONG]
    cases = [(pattern, ours) for pattern, _, _ in LONG if (ours := parsed(pattern)) is not None]
    assert len(cases) == len(LONG)
    want = [
        [ORACLE.eval(data={"s": row["s"], "p": pattern}).plain_value() is True for row in rows]
        for pattern, _ in cases
    ]
    assert sum(map(sum, want)) > 10
    tables = Tables(spark, postgres, FIELDS, rows)
    assert [tables.reference(ours.node) for _, ours in cases] == want
    for engine, run in tables.engines():
        assert run([ours.sql(engine) for _, ours in cases]) == want, engine


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        (r"^a*(bb|c)d{2,3}$", r"\Aa*(?:bb|c)d{2,3}\z"),
        (r"^(ab|c)*$", r"\A(?:ab|c)*+\z"),
        (r"^([a-z]+,)*[a-z]+$", r"\A(?:[a-z]+,)*+[a-z]+\z"),
        (r"^\d+(\.\d+)*$", r"\A[0-9]+(?:\.[0-9]+(?=\.|\z))*+\z"),
        (r"^(?:[A-Z][a-z]*)+$", r"\A(?:[A-Z][a-z]*(?=[A-Z]|\z))++\z"),
        (r"^(a|b)*c", r"\A[a-b]*c"),
        (r"(.*)*z(ab)*", "z"),
        (r"^(a|ab)*c$", r"\A(?:(?:a|ab)(?=[ac]))*+c\z"),
        (r"^(a|ab|b)*c$", None),
        (r"^(ab)*a", None),
        (r"^(ab)*abc$", None),
    ],
)
def test_repetitions_that_give_nothing_back(pattern: str, said: str | None) -> None:
    safe = automaton.backtracking_safe(pattern)
    assert (regex.emit(safe, regex.JAVA) if safe is not None else None) == said


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        (r"(a{1,40}b){30}", "multiply to more than 1,000, which RE2 does not support"),
        (r"((a?|b*){9}){100}", "multiply to more than engines support"),
        (r"(\b|a?|[^k]*){255}", "multiply to more than engines support"),
        (r"\b{255}a(^){2,9}", None),
        (r"[a-z]{255}(\.[a-z]{1,63}){1,3}", None),
    ],
)
def test_repetitions_within_each_other(pattern: str, problem: str | None, postgres: Any) -> None:
    """PostgreSQL takes minutes to read some patterns, and refuses others only when it reads them."""
    if problem is not None:
        with pytest.raises(regex.RegexError, match=problem):
            regex.parse(pattern)
    else:
        assert (
            postgres.execute(
                "SELECT 'a' ~ %s", (regex.emit(regex.parse(pattern), regex.POSTGRES),)
            ).fetchone()
            is not None
        )


def test_an_automaton_of_many_states_is_refused() -> None:
    found = predicat.parse(r"s.matches('^((a|b)*a(a|b){9}c?)*$')", "cel", {"s": "string"})
    assert found.evaluate({"s": "abbbbbbbbb"}) is True
    with pytest.raises(
        predicat.PredicatError, match=r"can end at several places, .* more than 60 states"
    ) as caught:
        found.sql("spark")
    assert "let each repetition end" in (caught.value.diagnostics[0].hint or "")


def test_duckdb_refuses_what_it_finds_between_bytes() -> None:
    found = predicat.parse(r"s.matches('\\B')", "cel", {"s": "string"})
    assert found.evaluate({"s": "a😀b"}) is False
    with pytest.raises(predicat.PredicatError, match="between the bytes"):
        found.sql("duckdb")
