"""A process of its own reads nested SQL: `python -m tests.language.nesting LANGUAGE DEPTH...`. A signal ends
it if a case takes more than two seconds of CPU. The last line that it prints is then the case.
"""

import json
import signal
import sys
from contextlib import suppress

import predicat
from predicat.diagnostics import PredicatError
from tests.language.test_reader_fuzz import FIELDS

LIMIT = 2.0
NESTED = {
    "( )": ("(", "b", ")"), "[ ]": ("[", "1", "]"), "{ }": ("{", "1", "}"), "open (": ("(", "", ""),
    "ARRAY[ ]": ("ARRAY[", "1", "]"), "DATE[ ]": ("DATE[", "1", "]"), "BIGINT( )": ("BIGINT(", "1", ")"),
    "ANY( )": ("n = ANY(", "a", ")"), "IN ( )": ("n IN (", "1", ")"), "CAST( )": ("CAST(", "n", " AS INT)"),
    "CASE": ("CASE WHEN ", "b", " THEN b END"), "CASE value": ("CASE ", "n", " WHEN 1 THEN 1 END"),
    "ELSE": ("CASE WHEN b THEN b ELSE ", "b", " END"), "open CASE": ("CASE WHEN ", "", ""),
    "NOT": ("NOT ", "b", ""), "-": ("- ", "n", ""), "--": ("n - -", "1", ""), "~": ("~", "n", ""),
    "->": ("", "j", " -> 'a'"), "->>": ("", "j", " ->> 'a'"), "a[1]": ("", "a", "[1]"),
    "a[a[1]]": ("a[", "1", "]"), "lower()": ("lower(", "s", ")"), "coalesce()": ("coalesce(", "n", ", 1)"),
    ".lower()": ("", "s", ".lower()"), "unknown()": ("unknown(", "n", ")"), "x ->": ("x -> ", "b", ""),
    "exists": ("exists(a, x -> ", "b", ")"), "/*": ("/*", "", "*/"), "/* */": ("/* */", "b", ""),
    "open /*": ("/*", "", ""), "--\n": ("--\n", "b", ""), "BETWEEN": ("n BETWEEN 1 AND ", "2", ""),
    "BETWEEN first": ("n BETWEEN ", "1", " AND 2"), "BETWEEN after": ("", "n", " BETWEEN 1 AND 2"),
    "AND": ("", "b", " AND b"),
    "AND OR": ("", "b", " AND b OR b"), "+": ("", "n", " + 1"), "=": ("", "n", " = n"),
    "||": ("", "s", " || s"), "IS NULL": ("", "n", " IS NULL"), "::": ("", "n", "::int"),
    "::[]": ("n::int", "", "[]"), "ARRAY< >": ("ARRAY<", "INT", ">"), "st.x": ("", "st", ".x"),
    "INTERVAL": ("INTERVAL ", "'1 day'", ""), "AT TIME ZONE": ("", "t", " AT TIME ZONE 'UTC'"),
    "SELECT": ("(SELECT ", "1", ")"), "strings": ("", "'a'", " 'a'"), ";": ("", "b", ";"),
    "quotes": ('"', "", ""), "IF": ("IF(b, ", "b", ", b)"), "commas": ("n IN (1", "", ", 1"),
}  # fmt: skip


def main(language: str, depths: list[int]) -> None:
    for name, (before, inner, after) in NESTED.items():
        for depth in depths:
            text = before * depth + inner + after * depth
            if len(text) > 100_000 and depth != depths[-1]:
                continue  # too long to be read: once is enough
            sys.stdout.write(json.dumps([name, depth]) + "\n")
            sys.stdout.flush()  # the last line is the case that ends the process
            signal.setitimer(signal.ITIMER_PROF, LIMIT)
            with suppress(PredicatError):
                predicat.parse(text, language, FIELDS)
            signal.setitimer(signal.ITIMER_PROF, 0)


if __name__ == "__main__":
    main(sys.argv[1], [int(depth) for depth in sys.argv[2:]])
