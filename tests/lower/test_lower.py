"""From surface to core: each rule, and what holds for all of them."""

import pytest

import predicat
from predicat.explain.prose import describe
from predicat.ir.canonical import canonical_text
from predicat.ir.nodes import Call, walk
from predicat.ir.operators import OPS
from predicat.language import LANGUAGES, writer
from predicat.lower import RULES, core, for_writers
from predicat.rewrite.simplify import simplify
from predicat.testing.mutants import mutants
from tests.language.test_cel_identity import CASES
from tests.rounds import rounds

FIELDS: dict[str, str | dict[str, str]] = {
    "v": {"type": "string", "nulls": "value"},
    "j": "json",
    "k": "json",
    "m": "map<string, string>",
    "d": "double",
    "a": "bigint",
    "b": "bigint",
    "i": "int",
    "n": {"type": "json", "nulls": "value"},
    "s": "string",
    "t": "timestamp",
    "amount": "decimal(38, 0)",
}
SAMPLES = {
    "compare": ("j < k", "(coalesce (lt (json_number j:json) (json_number k:json)) "),
    "equal_to_typed": (
        "j == 'x'",
        "(and (json_is j:json string:'string') (eq (json_string j:json) string:'x'))",
    ),
    "in_json": (
        "'x' in j",
        "(cond (json_is j:json string:'object') (not (is_null (json_get j:json string:'x'))) ",
    ),
    "in_map": ("'x' in m", "(cond (is_null m:map<string, string>) boolean:None "),
    "subscript": ("j[k] == 1", "(coalesce (json_get j:json (json_string k:json)) (json_at j:json "),
    "size": ("size(j) == 1", "(coalesce (length (json_string j:json)) (json_size j:json))"),
    "conversion": ("bool(j)", "(coalesce (to_boolean (json_string j:json)) (json_boolean j:json))"),
    "elements": ("j.sum() > 1.0", "(sum (map $item1 j:json (json_number $item1)))"),
    "extreme": ("math.greatest(j) > 1.0", "(coalesce (json_number j:json) (array_max (map "),
    "unknown_unless_false": (
        "[a, b].exists(x, x > 1)",
        "(cond (or (is_null a:bigint) (is_null b:bigint)) boolean:None (or (gt a:",
    ),
    "function": ("math.isNaN(d)", "(ne d:double d:double)"),
    "null_is_value": (
        "v != 'x' && v == s && v in ['y', 'z']",
        "(cond (is_null v:string) (cond (is_null s:string) boolean:None boolean:False) (eq v:",
    ),
    "null_cases": (
        "n.k != 'x'",
        "(cond (is_true (json_null n:json string:'k')) boolean:True (not (and (json_is (json_get n:json",
    ),
    "checked_mod": (
        "a % b == 0",
        "(cond (and (eq a:bigint bigint:-9223372036854775808) (eq b:bigint bigint:-1)) ",
    ),
    "checked_to_int": (
        "int(d) == 1",
        "(cond (gt d:double double:-9.223372036854776e+18) (to_int d:double) bigint:None)",
    ),
}


SAMPLES_OF_SQL = {
    "total_order": ("d > 1", "(or (gt d:double double:1.0) (ne d:double d:double))", "d is more than 1.0"),
    "cast_of_text": (
        "s::double > 1",
        "(to_double (strip s:string ",
        "the double value of s is more than 1.0",
    ),
    "against_constant": (
        "amount > 0.5",
        "(gt amount:decimal(38,0) decimal(1,0):Decimal('0'))",
        "amount is more than 0.5",
    ),
    "is_nan": ("isnan(d)", "(ne d:double d:double)", "d is NaN"),
    "seconds": (
        "floor(extract(second from t)) > 1",
        "(div (to_double (mod (add (mod ",
        "the floor of the seconds of t is more than 1.0",
    ),
    "length_field": (
        "extract(hour from t - t) = 1",
        "(mod (in_units string:'hour' (sub t:timestamp t:timestamp)) bigint:24)",
        "the hours of (t - t) is 1",
    ),
    "rounded": ("d::bigint = 1", "(to_int (cond (or (gt (sub ", "d rounded to an integer is 1"),
    "wrapped": (
        "i + 1 < 0",
        "(lt (cond (gt (add i:bigint bigint:1) bigint:2147483647) (sub (add i:bigint bigint:1) ",
        "(i + 1) is less than 0",
    ),
    "wrapping": (
        "a + 1 < 0",
        "(coalesce (add a:bigint bigint:1) (add (add a:bigint bigint:-9223372036854775808) ",
        "(a + 1) is less than 0",
    ),
}


@pytest.mark.parametrize("rule", SAMPLES)
def test_each_rule(rule: str) -> None:
    text, part = SAMPLES[rule]
    assert part in canonical_text(predicat.parse(text, "cel", FIELDS).node)


@pytest.mark.parametrize("rule", SAMPLES_OF_SQL)
def test_each_rule_of_sql(rule: str) -> None:
    text, part, words = SAMPLES_OF_SQL[rule]
    wraps = rule in ("wrapped", "wrapping")
    language = "spark" if wraps else "duckdb" if rule == "is_nan" else "postgres"
    predicate = predicat.parse(text, language, FIELDS, ansi=not wraps)
    assert part in canonical_text(predicate.node)
    assert describe(predicate.surface) == words


@pytest.mark.parametrize(
    ("value", "outcome"), [([1, None], True), ([1], False), ({"a": None}, False), ([], False), (None, None)]
)
def test_null_in_a_json_value(value: object, outcome: bool | None) -> None:
    assert predicat.parse("null in j", "cel", FIELDS).evaluate({"j": value}) is outcome


@pytest.mark.parametrize("text", ["v != 'x'", "v == s", "v in ['y', 'z']", "n.k == 'x'", "n.k == null"])
def test_null_as_a_value_is_read_as_it_is_written(text: str) -> None:
    surface = predicat.parse(text, "cel", FIELDS).surface
    assert writer("cel")(surface) == text.replace("'", '"')
    assert "no value" not in describe(surface)
    assert core(surface) not in [core(mutant.node) for mutant in mutants(surface)]


def test_arithmetic_without_ansi_mode_stays_the_same_where_the_surface_is_simplified() -> None:
    for text in ("9223372036854775807 + 1 < a", "2147483647 + i + 1 < 0", "a * i > 3", "-a < abs(a)"):
        surface = predicat.parse(text, "spark", FIELDS, ansi=False).surface
        assert core(simplify(surface)) == core(surface)


def test_every_rule_has_a_sample() -> None:
    assert {rule.__name__ for _, rule in RULES} == {*SAMPLES, *SAMPLES_OF_SQL}


def test_the_core_has_operators_of_the_table_alone_and_stays_as_it_is() -> None:
    for text, fields, _ in rounds(CASES, 700):
        node = predicat.parse(text, "cel", fields).node
        assert {part.op for part in walk(node) if isinstance(part, Call)} <= OPS.keys(), text
        assert core(node) == node, text


def test_languages_without_the_math_extension_get_its_meaning() -> None:
    surface = predicat.parse("math.abs(j) > 1.0 && j.x == 1", "cel", FIELDS).surface
    ops = {part.op for part in walk(for_writers(surface, cel=False, nan=True)) if isinstance(part, Call)}
    assert "abs" in ops
    assert "json_is" not in ops  # the comparison of a JSON value stays as it was written
    assert [name for name, language in LANGUAGES.items() if language.is_cel] == ["cel"]


def test_what_grows_beyond_the_bound_is_an_error() -> None:
    nested = "j"
    for _ in range(30):
        nested = f"j[{nested}]"
    with pytest.raises(predicat.PredicatError, match="parts"):
        predicat.parse(f"{nested} == 1", "cel", FIELDS)
