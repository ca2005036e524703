"""Templates of a catalog that nobody has reviewed: what they may do, and that each of them ends."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from predicat.catalog.sandbox import MAX_VALUE
from predicat.catalog.templates import Templates
from predicat.diagnostics import PredicatError, Source
from tests.fuzzing import REPEATABLE

VARIABLES = {
    "ids": list(range(50)),
    "names": ["b", "a"],
    "limits": {"low": 1, "high": 9},
    "long": "x" * 50_000,
    "empty": [],
    "n": 3,
}

ALLOWED = [
    ("{{ var('n') * 2 }}", "6"),
    ("{{ var('n') ** 4 }}", "81"),
    ("{{ 7 // 2 }} {{ -7 % 3 }} {{ 1 / 4 }}", "3 2 0.25"),
    ("{{ 'a' ~ var('n') ~ 'b' }}", "a3b"),
    ("{{ 'ab' * 2 }}", "abab"),
    ("{{ var('names') | sort | join(', ') }}", "a, b"),
    ("{% for n in var('names') %}{{ loop.index }}{{ n }}{{ ',' if not loop.last }}{% endfor %}", "1b,2a"),
    ("{% for k, v in var('limits').items() %}{{ k }}={{ v }};{% endfor %}", "low=1;high=9;"),
    ("{% for k in var('limits') %}{{ k }}{{ var('limits')[k] }}{% endfor %}", "low1high9"),
    ("{{ var('limits').low }}{{ var('limits')['high'] }}{{ var('limits').get('none', 5) }}", "195"),
    ("{{ 'It''s' | replace(\"'\", \"''\") | upper }}", "ITS"),
    ("{{ 'a-b'.replace('-', '_').upper() }}", "A_B"),
    ("{{ 'a,b'.split(',') | map('upper') | list | join('|') }}", "A|B"),
    ("{{ [1, 2, 3] | select('odd') | list }}", "[1, 3]"),
    ("{{ [1, 2, 3] | map('string') | join(',') }}", "1,2,3"),
    ("{{ ', '.join(var('names')) }}", "b, a"),
    ("{{ [1, 2, 3] | sum }} {{ [3, 1] | max }} {{ 'abc' | length }} {{ [1, 2] | first }}", "6 3 3 1"),
    ("{{ 2.5 | round | int }} {{ 2.555 | round(2) }}", "2 2.56"),
    ("{{ {'b': 1, 'a': '<'} | tojson }}", '{"a": "\\u003c", "b": 1}'),
    ("{% set x = [1, 2] %}{% if x | length > 1 and 2 in x %}many{% elif x %}one{% else %}none{% endif %}", "many"),
    ("{% macro twice(x, sep='+') %}{{ x }}{{ sep }}{{ x }}{% endmacro %}{{ twice('n') }} {{ twice(1, sep='-') }}", "n+n 1-1"),
    ("{% macro outer() %}<{{ caller() }}>{% endmacro %}{% call outer() %}in{% endcall %}", "<in>"),
    ("{% set x %}n > {{ var('n') }}{% endset %}{{ x | trim }}", "n > 3"),
    ("{% with a = 1 %}{{ a }}{% endwith %}{% filter upper %}up{% endfilter %}", "1UP"),
    ("{% raw %}{{ x }}{% endraw %}{# comment #}", "{{ x }}"),
    ("{{ 'yes' if nothing is defined else 'no' }}{{ nothing | default('d') }}", "nod"),
    ("{{ var('nothing', 'other') }}", "other"),
    ("{{ 'abcdef'[1:3] }}{{ [1, 2, 3][-1] }}", "bc3"),
    ("{% for a in [1, 2] if a > 1 %}{{ a }}{% else %}none{% endfor %}{{ [[1, 2], [3]] }}", "2[[1, 2], [3]]"),
]  # fmt: skip

HOSTILE = [
    # numbers
    "{{ 10 ** 8000000 }}",
    "{{ 9 ** 9 ** 9 }}",
    "{{ (-9) ** 99999999 }}",
    "{{ 1.5 | round(-1000000000) }}",
    "{{ 15 | round(-1000000000) }}",
    "{% macro square(n, k) %}{{ k and square(n * n, k - 1) }}{{ n }}{% endmacro %}{{ square(99999, 28) }}",
    "{{ '%0900000000d' % 1 }}",
    "{{ '%s' % 1 }}",
    # strings and lists
    "{{ 'x' * 900000000 }}",
    "{{ [0] * 900000000 }}",
    "{{ 900000000 * 'x' }}",
    "{{ ('x' * 90000) * 90000 }}",
    "{{ 'x'.center(900000000) }}",
    "{{ 'x'.ljust(900000000) }}",
    "{{ 'x'.zfill(900000000) }}",
    "{{ '\\t'.expandtabs(900000000) }}",
    "{{ 'x' | center(900000000) }}",
    "{{ 'x' | indent(900000000) }}",
    "{{ '{:0900000000d}'.format(1) }}",
    "{{ 'x' | format }}",
    "{{ var('long') | replace('x', var('long')) }}",
    "{{ var('long').replace('', var('long')) }}",
    "{{ var('long').join(var('ids')) }}",
    "{{ var('ids') | join(var('long')) }}",
    "{{ var('long') ~ var('long') ~ var('long') }}",
    "{{ var('long') + var('long') + var('long') }}",
    "{% set a = [1, 1] %}" + "".join(f"{{% set {b} = [{a}, {a}] %}}" for a, b in zip("abcdefghijklmnopqrs", "bcdefghijklmnopqrst", strict=True)) + "{{ t }}",
    "{% set a = 'x' * 10 %}" + "{% set a = a ~ a ~ a %}" * 20 + "{{ a }}",
    "{% set a = [1] %}" + "{% set a = [a] %}" * 50 + "{{ a }}",
    "{{ [1] | batch(900000000, 'x') | list }}",
    "{{ range(900000000) }}",
    "{{ 'x' | wordwrap }}",
    # loops and macros
    "{% for a in var('long') %}{% for b in var('long') %}{% for c in var('long') %}{% endfor %}{% endfor %}{% endfor %}",
    "{% for a in var('long') %}{% for b in var('long') %}" + "y" * 1000 + "{% endfor %}{% endfor %}",
    "{% for a in var('long') %}{{ var('long') == 'x' * 50000 }}{% endfor %}",
    "{% for a in var('long') %}{{ 'y' in var('long') }}{% endfor %}",
    "{% for a in var('long') %}{% set b = var('long')[1:] %}{% endfor %}",
    "{% for a in [1, [1, [1]]] recursive %}{{ loop(a) }}{% endfor %}",
    "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "{% macro m(n) %}{{ n(n) }}{% endmacro %}{{ m(m) }}",
    "{% macro m(k) %}{% if k %}{{ m(k - 1) }}{{ m(k - 1) }}{% endif %}{% endmacro %}{{ m(28) }}",
    "{% macro m(k) %}" + "y" * 1000 + "{% if k %}{{ m(k - 1) }}{{ m(k - 1) }}{% endif %}{% endmacro %}{{ m(28) }}",
    # what is nested or long
    "{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}",
    "{{ " + "[" * 300 + "]" * 300 + " }}",
    "{{ " + "- " * 3000 + "1 }}",
    "{{ " + "not " * 3000 + "1 }}",
    "{{ 1" + " + 1" * 3000 + " }}",
    "{{ 1" + " | string" * 3000 + " }}",
    "{{ 1" + " if 1 else 1" * 3000 + " }}",
    "{{ 1" + " ** 1" * 3000 + " }}",
    "{{ x" + ".x" * 3000 + " }}",
    "{% if 1 %}" * 300 + "{% endif %}" * 300,
    "{% for a in [1] %}" * 25 + "{% endfor %}" * 25,
    "{% if 0 %}" + "{% elif 0 %}" * 30_000 + "{% endif %}",
    "{{ 1 }}" * 30_000,
    "{{ 1 }}" * 10_000,
    # what is not the template's business
    "{{ [1, 2, 3] | random }}",
    "{{ ''.__class__ }}",
    "{{ ''['__class__'] }}",
    "{{ var.__globals__ }}",
    "{{ var | attr('__globals__') }}",
    "{{ [''] | map(attribute='__class__') | list }}",
    "{{ self.__init__ }}",
    "{{ lipsum() }}",
    "{{ cycler(1, 2).next() }}",
    "{{ namespace(a=1).a }}",
    "{{ now() }}",
    "{{ env_var('HOME') }}",
    "{% include '/etc/passwd' %}",
    "{% import '/etc/passwd' as x %}",
    "{% from '/etc/passwd' import x %}",
    "{% extends '/etc/passwd' %}",
    "{% block x %}{% endblock %}",
    "{% autoescape true %}{% endautoescape %}",
    "{{ [].append(1) }}",
    "{{ {}.update({}) }}",
    "{{ 'x'.encode() }}",
    "{{ nothing() }}",
    "{{ (1)() }}",
]  # fmt: skip


def rendered(text: str) -> str:
    return Templates(None, VARIABLES).render(Source("t.yml", text), "sql").text


@pytest.mark.parametrize(("text", "expected"), ALLOWED)
def test_what_templates_can_do(text: str, expected: str) -> None:
    assert rendered(text) == expected


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:50])
def test_hostile_templates_end_as_a_problem_with_a_place(text: str) -> None:
    with pytest.raises(PredicatError) as caught:
        rendered(text)
    for problem in caught.value.diagnostics:
        assert problem.span.source.name == "t.yml"
        assert len(problem.render()) < 2_000


def test_the_budget_is_that_of_the_catalog_and_renewed_for_the_next_reading() -> None:
    templates = Templates(None, VARIABLES)
    body = Source(
        "t.yml", "{% for a in var('ids') %}{% for b in var('ids') %}{{ a * b }} {% endfor %}{% endfor %}"
    )
    for _ in range(5):
        templates.render(body, "sql")
    with pytest.raises(PredicatError, match="do too much"):
        _ = [templates.render(body, "sql") for _ in range(1000)]
    templates.renew()
    templates.render(body, "sql")


@pytest.mark.long
def test_many_usual_bodies_fit_into_the_budget(tmp_path: Path) -> None:
    (tmp_path / "m.sql").write_text("{% macro hours(x) %}CAST({{ x }} AS DOUBLE) / 60{% endmacro %}")
    templates = Templates(tmp_path, VARIABLES)
    for number in range(3_000):
        text = (
            f"{{{{ hours('dep_delay') }}}} > {number} AND carrier IN ('UA', 'AA') AND n < {{{{ var('n') }}}}"
        )
        assert str(number) in templates.render(Source("t.yml", text), "sql").text


def test_what_is_printed_has_no_addresses_and_does_not_depend_on_hashes() -> None:
    texts = [
        *(text for text, _ in ALLOWED),
        "{{ var }} {{ filter }} {{ 'x'.upper }} {{ var('limits').items }}",
        "{{ [1, 2] | map('string') }} {{ [1] | reverse }} {{ ['b', 'a', 'b'] | unique }}",
        "{% macro m() %}{% endmacro %}{{ m }} {% for a in [1] %}{{ loop }} {{ loop.cycle }}{% endfor %}",
        "{{ var('limits').keys() }} {{ var('limits').values() }} {{ var('limits') | dictsort }}",
    ]
    program = (
        "import sys, json; from predicat.catalog.templates import Templates; from predicat.diagnostics import Source\n"
        "texts, variables = json.load(sys.stdin)\n"
        "print([Templates(None, variables).render(Source('t', text), 'sql').text for text in texts])"
    )
    import json

    given_ = json.dumps([texts, VARIABLES])
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program], input=given_, env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }  # fmt: skip
    assert len(outputs) == 1
    assert " at 0x" not in outputs.pop()


VALUES = st.sampled_from(
    [
        "1",
        "'x'",
        "[1, 2]",
        "var('ids')",
        "var('long')",
        "var('limits')",
        "nothing",
        "{'a': 1}",
        "2.5",
        "-3",
        "var",
    ]
)
NAMES = st.sampled_from(
    [
        "upper",
        "join",
        "replace",
        "list",
        "map",
        "length",
        "sum",
        "round",
        "string",
        "sort",
        "items",
        "random",
        "x",
    ]
)
EXPRESSIONS = st.recursive(
    VALUES,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "*", "**", "~", "%", "//", "==", "in", "and"]), inner).map(
            lambda parts: "({} {} {})".format(*parts)
        ),
        st.tuples(inner, NAMES).map(lambda parts: f"({parts[0]} | {parts[1]})"),
        st.tuples(inner, NAMES, inner).map(lambda parts: f"({parts[0]} | {parts[1]}({parts[2]}))"),
        st.tuples(inner, NAMES, inner).map(lambda parts: f"({parts[0]}).{parts[1]}({parts[2]})"),
        st.tuples(inner, inner).map(lambda parts: f"({parts[0]})[{parts[1]}]"),
        inner.map(lambda part: f"[{part}, {part}]"),
    ),
    max_leaves=12,
)


@pytest.mark.long
@settings(REPEATABLE, max_examples=40 * int(os.environ.get("PREDICAT_FUZZ_EXAMPLES", "1")))
@given(st.lists(EXPRESSIONS, min_size=1, max_size=4))
def test_any_template_ends_with_a_text_or_a_problem_the_same_each_time(parts: list[str]) -> None:
    text = "".join(f"{{% for a in {part} %}}{{{{ {part} }}}}{{% endfor %}}{{{{ {part} }}}}" for part in parts)

    def result() -> str:
        try:
            return rendered(text)
        except PredicatError as problem:
            return str(problem)

    once = result()
    assert once == result()
    assert len(once) <= MAX_VALUE + 2_000
