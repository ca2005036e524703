"""What functions of SQL refuse, with what to write instead."""

import pytest

import predicat
from predicat.diagnostics import PredicatError

FIELDS = {
    "s": "string",
    "x": "double",
    "n": "bigint",
    "w": "decimal(30,10)",
    "xs": "array<bigint>",
    "m": "map<string, string>",
    "j": "json",
}


@pytest.mark.parametrize(
    ("language", "text", "hint"),
    [
        ("sql", "round(x) = 3", "bround(x, 0)"),
        ("sql", "bround(w, 2) = 3", "bounds"),
        ("sql", "w * w * 2 > 3", "CAST(x AS DECIMAL(12, 2))"),
        ("sql", "array_position(xs, 1) > 0", "array_contains"),
        ("sql", "regexp_replace(s, 'a+', '') = ''", "'g'"),
        ("sql", "regexp_extract(s, '(a|ab)c?', 1) = 'a'", "next character"),
        ("sql", "regexp_extract(s, '(?:(a)|b)*', 1) = 'a'", "next character"),
        ("sql", "regexp_replace(s, 'a*', '', 'g') = ''", "next character"),
        ("sql", "n ^ 1 = 1", "pow(a, 2)"),
        ("sql", "log(x) > 2", "log10(x)"),
        ("sql", "pow(x, 3) > 2", "x * x * x"),
        ("sql", "CAST(s AS DECIMAL) > 2", "DECIMAL(20, 2)"),
        ("sql", "CAST(s AS DECIMAL(10, a)) > 2", "1 to 38"),
        ("sql", "CAST(s AS DECIMAL(10, 2, 1)) > 2", "1 to 38"),
        ("sql", "CAST(x AS DECIMAL(10, 2)) > 2", "round(x, 2)"),
        ("sql", "json_array_length(n) > 1", "declare the field as json"),
        ("sql", "json_extract(n, '$.a') = 'x'", "declare the field as json"),
        ("postgres", "json_extract_path_text(j, '-1') = 'x'", "count from the start"),
        ("sql", "xxhash64(s) = 1", "sha2(s, 256)"),
        ("sql", "uuid() = s", "md5(s)"),
        ("sql", "rand() < 0.5", "same result"),
        ("sql", "input_file_name() = s", "in a column"),
        ("sql", "count(*) > 1", "aggregate first"),
        ("sql", "size(transform(xs, x -> x + 1)) = 1", "exists"),
        ("sql", "translate(s, 'ab', 'ba') = 'x'", "replace each character"),
        ("spark", "split(s, '[,;]')[0] = 'a'", "split_part"),
        ("spark", "map_values(m)[0] = 'a'", "name the key"),
        ("spark", "array_except(xs, xs)[0] = 1", "write the values out"),
        ("spark", "array_except(xs, array(1, NULL))[0] = 1", "write the values out"),
        ("spark", "array_distinct(xs)[1] = 1", "duplicates do not matter"),
        ("spark", "sequence(1, 5000)[0] = n", "BETWEEN"),
        ("spark", "sequence(1, 5, 0)[0] = n", "BETWEEN"),
        ("spark", "sequence(1, n)[0] = 1", "write an integer"),
        ("spark", "width_bucket(x, 5, 5, 2) = 1", "first bound must be below"),
        ("spark", "width_bucket(x, 0, 1e300, 2) = 1", "first bound must be below"),
        ("spark", "width_bucket(x, 0, n, 2) = 1", "write an integer"),
        ("spark", "zip_with(xs, xs)[0] = 1", "zip_with(xs, ys, (x, y) -> x + y)"),
        ("spark", "typeof(n + 1) = 'bigint'", "the catalog declares"),
        ("spark", "struct(n) = 1", "(a, b) = (1, 2)"),
    ],
)
def test_a_refusal_says_what_to_write(language: str, text: str, hint: str) -> None:
    with pytest.raises(PredicatError) as error:
        predicat.parse(text, language, FIELDS)
    assert hint in (error.value.diagnostics[0].hint or ""), error.value


CHAINS = ["doc->'a'->>'b'", "doc->'a'->'b'->>'c'", "doc->'a'->0->>'c'"]


@pytest.mark.parametrize(
    ("language", "chain"),
    [
        *(("duckdb", chain) for chain in CHAINS),
        *(("postgres", chain) for chain in [*CHAINS, "doc->'a'#>>'{b}'"]),
    ],
)
def test_arrows_in_a_call_are_those_in_parentheses(language: str, chain: str) -> None:
    plain, nested = (
        predicat.parse(f"lower({text}) = 'x'", language, {"doc": "json"}).node
        for text in (chain, f"({chain})")
    )
    assert plain == nested
