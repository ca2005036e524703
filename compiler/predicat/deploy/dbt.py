"""A dbt package out of the catalog: a macro a filter, and generic tests of coverage."""

from __future__ import annotations

from pathlib import Path

from predicat import backends
from predicat.catalog.manifest import write_text
from predicat.catalog.model import Catalog
from predicat.deploy.views import accepted
from predicat.diagnostics import Unsupported

ADAPTERS = {"postgres": "postgres", "spark": "spark", "duckdb": "duckdb"}
"""dbt's adapters and the dialects that they speak."""
_HEAD = "{# Written by `predicat export dbt`. #}\n"
_PROJECT = """# Written by `predicat export dbt`.
name: predicat_filters
version: 1.0.0
config-version: 2
require-dbt-version: ">=1.6.0"
macro-paths: [macros]
test-paths: [tests]
"""
_MATCHES = (
    _HEAD
    + """{% macro matches_filter(name) -%}
  {%- set found = predicat_filters.predicat_sql(name, target.type) -%}
  {%- if found is none -%}
    {{ exceptions.raise_compiler_error("predicat: there is no filter '" ~ name ~ "' for " ~ target.type) }}
  {%- endif -%}
  ({{ found }})
{%- endmacro %}
"""
)
_TEST = (
    _HEAD
    + """{% test filter_coverage(model, filter, at_least=0, at_most=1) %}
select share from (
  select avg(case when {{ predicat_filters.matches_filter(filter) }} then 1.0 else 0.0 end) as share from {{ model }}
) as coverage
where share < {{ at_least }} or share > {{ at_most }}
{% endtest %}

{% test filter_unknown(model, filter, at_most=0) %}
select share from (
  select avg(case when {{ predicat_filters.matches_filter(filter) }} is null then 1.0 else 0.0 end) as share from {{ model }}
) as coverage
where share > {{ at_most }}
{% endtest %}
"""
)


def export(catalog: Catalog, out: Path) -> tuple[int, list[str]]:
    """Write the package; returns the number of filters and notes on those that an adapter cannot say.

    A filter's SQL stands in a raw block, so that nothing in it is read as Jinja.
    """
    notes: list[str] = []
    branches: list[str] = []
    count = 0
    for row in catalog.filters():
        cases: list[str] = []
        for adapter, dialect in ADAPTERS.items():
            node = accepted(row, row.current, exact=row.on_unknown == "reject")
            if node is None:
                notes.append(f"{row.qualified}: a parameter has no default")
                break
            try:
                sql = backends.dialect(dialect).render(node)
            except Unsupported as error:
                notes.append(f"{row.qualified} on {adapter}: {error.diagnostics[0].message}")
                continue
            cases.append(f"{{%- if name in {_names(catalog, row.qualified)} and adapter == '{adapter}' -%}}{{{{ return({_literal(sql)}) }}}}{{%- endif -%}}")
        count += bool(cases)
        branches += cases
    body = "\n  ".join(branches)
    macro = f"{_HEAD}{{% macro predicat_sql(name, adapter) -%}}\n  {body}\n  {{{{ return(none) }}}}\n{{%- endmacro %}}\n"
    for name, text in {"dbt_project.yml": _PROJECT, "macros/matches_filter.sql": _MATCHES, "macros/predicat_sql.sql": macro, "tests/generic/filters.sql": _TEST}.items():
        write_text(out / name, text)
    return count, list(dict.fromkeys(notes))


def _names(catalog: Catalog, qualified: str) -> str:
    """The names that mean a filter: qualified, and short where only one dataset has it."""
    short = qualified.partition(".")[2]
    alone = sum(row.name == short for row in catalog.filters()) == 1
    return f"['{qualified}', '{short}']" if alone else f"['{qualified}']"


def _literal(sql: str) -> str:
    """A text as a constant of Jinja: every character that could end it or begin a tag is written as a number."""
    return '"' + "".join(char if char.isascii() and char.isprintable() and char not in '"\\{}%#' else _escape(char) for char in sql) + '"'


def _escape(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
