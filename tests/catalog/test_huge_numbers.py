"""Numbers and strings that no engine stores are refused, with a place and soon."""

from pathlib import Path

import pytest

import predicat
from predicat.diagnostics import PredicatError, Unsupported

CATALOG = """\
apiVersion: predicat/v1
dataset: d
fields: {a: bigint}
filters:
  f: {sql: a > 1, tests: [{row: {a: NUMBER}, matches: true}]}
"""


@pytest.mark.parametrize(
    "number",
    ["1" + ":59" * 200_000, "0x1" + "0" * 5_000, "1" + "0" * 5_000, "1:59:59" * 40],
    ids=["base 60", "hexadecimal", "decimal", "no number"],
)
def test_a_huge_number_in_a_catalog(tmp_path: Path, number: str) -> None:
    file = tmp_path / "c.yml"
    file.write_text(CATALOG.replace("NUMBER", number))
    with pytest.raises(PredicatError) as caught:
        predicat.load_catalog(tmp_path)
    assert caught.value.diagnostics[0].code == "bad-value" and "c.yml:5:" in str(caught.value)
    assert len(caught.value.diagnostics[0].message) < 400


@pytest.mark.parametrize("number", [10**5_000, -(10**5_000), 2**64], ids=["huge", "low", "64 bits"])
def test_a_huge_number_in_a_row(number: int) -> None:
    with pytest.raises(PredicatError, match="the field 'a'"):
        predicat.parse("a > 1", "sql", {"a": "bigint"}).evaluate({"a": number})


@pytest.mark.parametrize(
    "body",
    [
        'd["a\\u0000b"] == 1',
        'd["a\\u0000b"] == "x"',
        'has(d.a) && d.a["\\u0000"].b > 1',
        'd.l.exists(x, x["\\u0000"] == 1)',
        '"\\u0000" in d',
        'd.a == "\\u0000"',
        'd.a in ["x", "\\u0000"]',
        'm["\\u0000"] == "x"',
        's.startsWith("\\u0000")',
        'timestamp(d["\\u0000"]) > timestamp("2026-01-01T00:00:00Z")',
        'size(d["\\u0000"]) > 1',
    ],
)
@pytest.mark.parametrize("way", ["sql", "condition", "parameterized"])
def test_postgresql_gets_no_nul(body: str, way: str) -> None:
    fields = {"d": "json", "m": "map<string,string>", "s": "string"}
    found = predicat.parse(body, "cel", fields)
    found.sql("duckdb")
    with pytest.raises(Unsupported, match="postgres cannot store the character NUL"):
        getattr(found, way)("postgres")
