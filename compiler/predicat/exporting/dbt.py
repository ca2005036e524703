"""Exports the catalog as a dbt package: macros of the filters, and their bounds as data tests."""

import re
from collections.abc import Iterator, Sequence
from uuid import uuid4

import yaml
from sqlglot import exp
from sqlglot.errors import ParseError

from predicat import backends
from predicat.backends.sql.renderer import Renderer
from predicat.backends.sql.rewritings import ALL
from predicat.catalog.model import Catalog, Filter
from predicat.diagnostics import Unsupported
from predicat.diagnostics.messages import backends as say
from predicat.diagnostics.messages import exports
from predicat.exporting.asked import Asked, Text
from predicat.exporting.dbt_bounds import properties
from predicat.exporting.dbt_targets import DEFAULT, TARGETS, Target, check_meaning, translated
from predicat.exporting.skill import with_filters
from predicat.ir.nodes import NOW, Call, Field, Literal, Node, ParamDecl, Parameter, walk
from predicat.ir.types import BIGINT, BOOLEAN, DATE, DOUBLE, STRING, TIMESTAMP, DecimalType, Scalar
from predicat.rewrite.simplify import simplify

_PROJECT = """name: predicat_filters
version: 1.0.0
config-version: 2
require-dbt-version: ">=1.10.8"
macro-paths: [macros]
model-paths: [models]
test-paths: [tests]
"""
_MATCHES = """{# The condition of a filter. `alias` is the table of its columns; `params` are arguments. #}
{% macro matches_filter(name, alias=none, params={}) -%}
  {{ return(predicat_filters.predicat_condition(name, 'accepts', alias, params)) }}
{%- endmacro %}

{# The condition of a filter for a WHERE or the ON of an inner JOIN, alone or joined with AND and OR. It is
   TRUE for the same rows, but may be FALSE where the predicate is NULL, or NULL where it is FALSE. #}
{% macro where_filter(name, alias=none, params={}) -%}
  {{ return(predicat_filters.predicat_condition(name, 'where', alias, params)) }}
{%- endmacro %}

{# The predicate of a filter before `on_unknown`: NULL where it is UNKNOWN. #}
{% macro filter_predicate(name, alias=none, params={}) -%}
  {{ return(predicat_filters.predicat_condition(name, 'predicate', alias, params)) }}
{%- endmacro %}

{% macro predicat_condition(name, form, alias, params) -%}
  {%- if alias is not none and not modules.re.match('[A-Za-z_][A-Za-z0-9_]*$', alias) -%}
    {{ exceptions.raise_compiler_error("predicat: " ~ alias ~ " is not the alias of a table") }}
  {%- endif -%}
  {%- set prefix = alias ~ '.' if alias is not none else '' -%}
  {%- set sql = predicat_filters.predicat_sql(name, target.type, form, prefix, params) -%}
  {%- if sql is none -%}
    {{ exceptions.raise_compiler_error("predicat: there is no filter '" ~ name ~ "' for " ~ target.type) }}
  {%- endif -%}
  {{ return('(' ~ sql ~ ')') }}
{%- endmacro %}

{% macro predicat_check(name, params, known) -%}
  {%- for key in params if key not in known -%}
    {{ exceptions.raise_compiler_error("predicat: " ~ name ~ " has no parameter '" ~ key ~ "'") }}
  {%- endfor -%}
{%- endmacro %}

{# The value of a parameter as SQL; what does not fit its type is an error. #}
{% macro predicat_value(name, kind, type, value, adapter) -%}
  {%- set fits = (kind == 'integer' and value is integer and value is not boolean)
      or (kind == 'number' and value is number and value is not boolean)
      or (kind == 'boolean' and value is boolean)
      or (kind in ('text', 'date', 'timestamp') and value is string) -%}
  {%- if not fits -%}
    {%- set problem = "predicat: the parameter " ~ name ~ " takes a value of type " ~ type -%}
    {{ exceptions.raise_compiler_error(problem ~ ", not " ~ value) }}
  {%- endif -%}
  {%- if kind == 'boolean' -%}{{ return('TRUE' if value else 'FALSE') }}{%- endif -%}
  {%- if kind in ('integer', 'number') -%}{{ return('CAST(' ~ value ~ ' AS ' ~ type ~ ')') }}{%- endif -%}
  {%- set quoted = value | replace("'", "''") -%}
  {%- if adapter in ('spark', 'databricks', 'bigquery', 'snowflake') -%}
  {%- set quoted = value | replace("\\\\", "\\\\\\\\") | replace("'", "\\\\'") -%}
  {%- endif -%}
  {{ return("'" ~ quoted ~ "'" if kind == 'text' else "CAST('" ~ quoted ~ "' AS " ~ type ~ ")") }}
{%- endmacro %}
"""
# A broken limit returns the rows that break it, for `store_failures`; without any, one row of NULLs. BigQuery
# joins only by an equation, hence the key.
_LIMITS = """{% macro predicat_failing(model, hit, low='false', high='false') %}
with predicat_rows as (select *, 1 as predicat_key from {{ model }}),
predicat_counted as (
  select coalesce(sum(case when {{ hit }} then 1 else 0 end), 0) as hits, count(*) as total, 1 as predicat_key
  from predicat_rows
)
select predicat_rows.*, predicat_counted.hits as predicat_hits, predicat_counted.total as predicat_total
from predicat_counted left join predicat_rows
  on predicat_counted.predicat_key = predicat_rows.predicat_key
  and (({{ low }} and not coalesce({{ hit }}, false)) or ({{ high }} and coalesce({{ hit }}, false)))
where {{ low }} or {{ high }}
{% endmacro %}

{# Whether there are too few hits. Of no rows no share is enough, unless it is 0. #}
{% macro predicat_low(share, rows) -%}
  {%- if rows is not none -%}{{ return('predicat_counted.hits < ' ~ rows) }}{%- endif -%}
  {%- if share is none or share == 0 -%}{{ return('false') }}{%- endif -%}
  {%- set least = share ~ ' * predicat_counted.total' -%}
  {{ return('(predicat_counted.total = 0 or predicat_counted.hits < ' ~ least ~ ')') }}
{%- endmacro %}

{% macro predicat_high(share, rows) -%}
  {%- if rows is not none -%}{{ return('predicat_counted.hits > ' ~ rows) }}{%- endif -%}
  {{ return('false' if share is none else 'predicat_counted.hits > ' ~ share ~ ' * predicat_counted.total') }}
{%- endmacro %}

{% macro predicat_group(model, filters, wrong, at_most, at_most_rows) %}
{%- set parts = [] -%}
{%- for filter in filters -%}
  {%- set hit = predicat_filters.matches_filter(filter, 'predicat_rows') -%}
  {%- set added = parts.append('case when ' ~ hit ~ ' then 1 else 0 end') -%}
{%- endfor -%}
{{ predicat_filters.predicat_failing(
  model, '(' ~ parts | join(' + ') ~ ') ' ~ wrong,
  high=predicat_filters.predicat_high(at_most, at_most_rows)
) }}
{% endmacro %}
"""
_TEST = """{% test filter_coverage(model, filter, at_least=none, at_most=none, at_least_rows=none,
                        at_most_rows=none, params={}) %}
{{ predicat_filters.predicat_failing(
  model, predicat_filters.matches_filter(filter, 'predicat_rows', params),
  predicat_filters.predicat_low(at_least, at_least_rows),
  predicat_filters.predicat_high(at_most, at_most_rows)
) }}
{% endtest %}

{% test filter_unknown(model, filter, at_most=0, at_most_rows=none, params={}) %}
{{ predicat_filters.predicat_failing(
  model, predicat_filters.filter_predicate(filter, 'predicat_rows', params) ~ ' is null',
  high=predicat_filters.predicat_high(at_most, at_most_rows)
) }}
{% endtest %}

{% test filters_exclusive(model, filters, at_most=0, at_most_rows=none) %}
{{ predicat_filters.predicat_group(model, filters, '> 1', at_most, at_most_rows) }}
{% endtest %}

{% test filters_exhaustive(model, filters, at_most=0, at_most_rows=none) %}
{{ predicat_filters.predicat_group(model, filters, '= 0', at_most, at_most_rows) }}
{% endtest %}

{% test relation_rows(model, at_least=none, at_most=none) %}
select predicat_total from (select count(*) as predicat_total from {{ model }}) as predicat_counted
where {{ 'false' if at_least is none else 'predicat_total < ' ~ at_least }}
  or {{ 'false' if at_most is none else 'predicat_total > ' ~ at_most }}
{% endtest %}
"""
# How a parameter's value is written in a dbt project, by its type.
_KINDS = {
    BIGINT: "integer",
    DOUBLE: "number",
    BOOLEAN: "boolean",
    STRING: "text",
    DATE: "date",
    TIMESTAMP: "timestamp",
}


def texts(asked: Asked) -> Iterator[Text]:
    """The files of the package. Notes say what an adapter does not support, and which bounds are left out.

    The setting `target` has adapters of TARGETS.
    """
    targets = asked.settings.get("target") or DEFAULT
    notes = [say.not_run(name) for name in targets if not TARGETS[name].run]
    branches: list[str] = []
    adapters: dict[str, list[str]] = {}
    for filter_ in {filter_.qualified: filter_ for filter_, _ in asked.chosen}.values():
        names = _names(asked.catalog, filter_.qualified)
        for adapter, branch in _branches(filter_, names, notes, targets):
            adapters.setdefault(filter_.qualified, []).append(adapter)
            branches += branch
    body = "\n  ".join(branches)
    macro = (
        "{% macro predicat_sql(name, adapter, form, prefix, params) -%}\n"
        f"  {body}\n  {{{{ return(none) }}}}\n{{%- endmacro %}}\n"
    )
    data, more = properties(asked.catalog, adapters, {name: TARGETS[name].dialect for name in targets})
    yield Text("dbt_project.yml", _PROJECT, form="yaml")
    yield Text("macros/matches_filter.sql", _MATCHES, form="jinja")
    yield Text("macros/predicat_sql.sql", macro, tuple(adapters), "jinja")
    yield Text("macros/predicat_limits.sql", _LIMITS, form="jinja")
    yield Text("tests/generic/filters.sql", _TEST, form="jinja")
    yield Text("SKILL.md", with_filters(map(asked.catalog.known.__getitem__, adapters)), form="skill")
    yield Text("models/predicat.yml", yaml.safe_dump(data, sort_keys=False, width=1000), form="yaml")
    asked.reporter.extend(map(exports.told, dict.fromkeys([*notes, *more])))


def refusal(filter_: Filter, adapter: str) -> str:
    """Why the package has no SQL of a filter for an adapter; empty if it has."""
    notes: list[str] = []
    return "" if list(_branches(filter_, "[]", notes, [adapter])) else notes[0].partition(": ")[2]


def _branches(
    filter_: Filter, names: str, notes: list[str], targets: Sequence[str]
) -> Iterator[tuple[str, list[str]]]:
    """The branches of each adapter that supports a filter; a note where one does not."""
    unusable = [
        decl.name for decl in filter_.current.params.values() if decl.required and _kind(decl) is None
    ]
    if unusable:
        notes.append(
            f"{filter_.qualified}: the parameter {unusable[0]} has no default and no type that dbt can "
            "give a value"
        )
        return
    predicate = simplify(filter_.current.predicate.node)
    accepts = predicate
    if filter_.on_unknown == "accept":
        accepts = simplify(Call(BOOLEAN, "coalesce", (predicate, Literal(BOOLEAN, True))))
    known = "[" + ", ".join(f"'{name}'" for name in filter_.current.params) + "]"
    check = f"{{{{ predicat_filters.predicat_check('{filter_.qualified}', params, {known}) }}}}"
    for adapter in targets:
        target = TARGETS[adapter]
        try:
            check_meaning(predicate, target)
            forms = {
                "accepts": _sql(target, accepts),
                "predicate": _sql(target, predicate),
                "where": _sql(target, accepts, where=True),
            }
        except Unsupported as error:
            notes.append(f"{filter_.qualified} on {adapter}: {error.diagnostics[0].message}")
            continue
        except (ValueError, ParseError) as error:
            notes.append(f"{filter_.qualified} on {adapter}: {error}")
            continue
        branches: list[str] = []
        for sql in dict.fromkeys(forms.values()):
            same = [form for form in forms if forms[form] == sql]
            test = f"name in {names} and adapter == '{adapter}'"
            test += f" and form in {same}" if len(same) < len(forms) else ""
            branches.append(f"{{%- if {test} -%}}{check}{{{{ return({sql}) }}}}{{%- endif -%}}")
        yield adapter, branches


class _Template(Renderer):
    """Renders SQL with placeholders for the table alias and the values of parameters."""

    mark: str = ""

    def column(self, node: Field) -> exp.Expr:
        column = super().column(node)
        for part in column.find_all(exp.Column):
            part.set("table", exp.to_identifier(f"{self.mark}t"))
        return column

    def node(self, node: Node) -> exp.Expr:
        return (
            exp.Var(this=f"{self.mark}p_{node.decl.name}{self.mark}")
            if isinstance(node, Parameter) and node.decl != NOW
            else super().node(node)
        )


def _sql(target: Target, node: Node, *, where: bool = False) -> str:
    """SQL as a Jinja expression: strings, the prefix of columns and the values of parameters, concatenated.

    With `where` it is the condition of a WHERE. Constant strings are never interpreted as Jinja.
    """
    engine = backends.dialect(target.dialect)
    where = where and not target.types  # a rewriting would need operators that were not tried there
    mark = f"predicat_{uuid4().hex}_"  # in no text by accident, and by nobody's choice
    renderer = _Template(engine, mark=mark, where=where)
    sql = engine.to_sql(renderer, ALL.rows(renderer.known(node)) if where else node)
    sql = translated(sql, target)
    params = {part.decl.name: part.decl for part in _parameters(node)}
    pieces: list[str] = []
    for piece in re.split(rf"({mark}t\.|{mark}p_[a-z][a-z0-9_]*?{mark})", sql):
        if piece == f"{mark}t.":
            pieces.append("prefix")
        elif piece.startswith(mark):
            pieces.append(_parameter(target, params[piece.removeprefix(f"{mark}p_").removesuffix(mark)]))
        elif piece:
            pieces.append(_literal(piece))
    return " ~ ".join(pieces)


def _parameters(node: Node) -> Iterator[Parameter]:
    return (part for part in walk(node) if isinstance(part, Parameter))


def _parameter(target: Target, decl: ParamDecl) -> str:
    """The value that the project sets, or the default."""
    engine = backends.dialect(target.dialect)
    kind = _kind(decl)
    value = Literal(decl.type, decl.default)
    default = "none" if decl.required else _literal(translated(engine.render(value), target))
    if kind is None:
        return default
    type_ = engine.types.get(decl.type) or str(decl.type).upper()
    if target.types:
        type_ = exp.DataType.build(type_, dialect=target.dialect).sql(dialect=target.write)
    given = f"params.get('{decl.name}')"
    call = f"predicat_filters.predicat_value('{decl.name}', '{kind}', '{type_}', {given}, adapter)"
    return f"({call} if '{decl.name}' in params else {default})" if not decl.required else call


def _kind(decl: ParamDecl) -> str | None:
    """How a project writes a value of the parameter; None for types that it cannot write."""
    if isinstance(decl.type, DecimalType):
        return "number"
    return _KINDS.get(decl.type) if isinstance(decl.type, Scalar) else None


def _names(catalog: Catalog, qualified: str) -> str:
    """The names of a filter: the full name, and the short name if only one dataset has it."""
    short = qualified.partition(".")[2]
    alone = sum(filter_.name == short for filter_ in catalog.filters()) == 1
    return f"['{qualified}', '{short}']" if alone else f"['{qualified}']"


def _literal(sql: str) -> str:
    """A string as a Jinja literal. Characters that could end it or begin a tag are written as numbers."""
    return (
        '"'
        + "".join(
            char if char.isascii() and char.isprintable() and char not in '"\\{}%#' else _escape(char)
            for char in sql
        )
        + '"'
    )


def _escape(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
