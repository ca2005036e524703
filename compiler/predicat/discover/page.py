"""The report as a page: what most likely is a mistake, and a map of rules and where they live. One file that
asks no server for anything.
"""

from collections import Counter
from pathlib import Path

import jinja2
from markupsafe import Markup

from predicat.diagnostics.messages import discover as say
from predicat.discover.counts import Count
from predicat.discover.findings import Found
from predicat.discover.report import Report, counted, finding_data, listed, summary, written
from predicat.site import build

MAX_RELATIONS = 200
_MAX_RULES = 100
# How many findings a page shows: browsers are slow with more.
_MAX_FINDINGS = 500
_TEMPLATE = Path(__file__).parent / "page.html"
_STYLE = Path(build.__file__).parent / "static" / "site.css"


def page(report: Report) -> str:
    """The page of a search."""
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    relations, (first, others) = _relations(report), report.first
    rest = others + Counter(item.code for item in first[_MAX_FINDINGS:])
    return environment.from_string(
        _TEMPLATE.read_text(encoding="utf-8")
    ).render(
        style=Markup(_STYLE.read_text(encoding="utf-8")),  # noqa: S704  # our own file
        summary=summary(report),
        judged=report.judged,
        nothing=say.NOTHING,
        findings=[_finding(report, item) for item in first[:_MAX_FINDINGS]],
        rest=say.more_findings(rest.total(), listed(rest)) if rest else "",
        relations=relations[:MAX_RELATIONS],
        rows=_rows_of_rules(report),
        more=max(0, len(relations) - MAX_RELATIONS),
    )


def _finding(report: Report, item: Found) -> dict[str, object]:
    """A finding as the page shows it."""
    origin = report.origin_of(item)
    return {
        **finding_data(item),
        "text": " ".join(item.span.text.split()),
        "rows": _rows(report.count_of(item)),
        "url": origin.url,
        "written": written(origin),
    }


def _rows(count: Count | None) -> str:
    return "" if count is None else say.NOT_COUNTED + count.reason if count.reason else counted(count)


def _rows_of_rules(report: Report) -> dict[tuple[str, str], str]:
    """The rows of each rule of a relation, in words; none without an engine."""
    rows = zip(report.scan.conditions, report.counts, strict=False)
    return {(str(row.relation), row.sql or row.text): _rows(count) for row, count in rows}


def _relations(report: Report) -> list[tuple[str, list[tuple[str, list[str]]]]]:
    """The rules of each relation with their places: relations with many rules first, rules in many places."""
    by_relation: dict[str, dict[str, list[str]]] = {}
    for condition in report.scan.conditions:
        if condition.relation and not condition.derived:
            rules = by_relation.setdefault(condition.relation, {})
            rules.setdefault(condition.sql or condition.text, []).append(
                f"{condition.place.path}:{condition.place.line}"
            )
    by_places = {name: _most(rules) for name, rules in by_relation.items()}
    return sorted(by_places.items(), key=lambda item: -len(item[1]))


def _most(rules: dict[str, list[str]]) -> list[tuple[str, list[str]]]:
    return sorted(rules.items(), key=lambda rule: -len(rule[1]))[:_MAX_RULES]
