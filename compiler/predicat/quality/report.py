"""A run in the forms that people and machines read: terminal, JSON, JUnit XML, Markdown, HTML."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from predicat.diagnostics.messages import coverage as say
from predicat.diagnostics.wording import quantity
from predicat.explain.show import plain, row_text
from predicat.quality.checks import lines, tally, words
from predicat.quality.incidents import Origin
from predicat.quality.measure import Measure
from predicat.quality.outcome import Run
from predicat.quality.statistics import wilson


def _interval(measure: Measure, name: str) -> str:
    low, high = wilson(measure.accepted[name], measure.rows)
    return f" [{low:.2%}, {high:.2%}]" if measure.sample < 1 else ""


def _percent(share: float) -> str:
    """A share with two decimals. One row of a million is not 0.00%, and all but one are not 100.00%."""
    if 0 < share < _HALF:
        return "<0.01%"
    return ">99.99%" if 1 - _HALF <= share < 1 else f"{share:.2%}"


# What rounds to a hundredth of a percent, or to nothing.
_HALF = 0.00005


def text(runs: Sequence[Run]) -> str:
    """A table for each dataset, then its bounds, the worst first."""
    shown: list[str] = []
    for run in runs:
        measure = run.measure
        if run.part is not None:
            late = f"; {run.late}" if run.late else ""
            shown.append(f"{run.title}: {quantity(measure.total if measure else 0, 'row')}{late}")
        elif measure is not None:
            of = quantity(measure.rows, "row") + (
                f", a sample of {measure.sample:.2%}; with 95% confidence intervals"
                if measure.sample < 1
                else ""
            )
            shown += [f"{run.dataset} on {measure.engine}: {of}", ""]
            shown += _table(measure)
            shown += [f"not measured: {name}: {reason}" for name, reason in measure.refused.items()]
            shown.append("")
        shown += [f"ERROR {failure}" for failure in run.failures]
        for line in lines(run.checks):
            if run.part is not None and line.status == "pass":
                continue
            blame = "; ".join(check.blame for check in line.checks if check.blame)
            shown.append(f"{words(line.status).upper()} {line.message}" + (f"; {blame}" if blame else ""))
            for check in line.checks if line.status != "pass" else ():
                shown += [f"  {row_text(row)}" for row in check.rows]
                if check.history:
                    shown.append(f"  before: {', '.join(map(check.figure, check.history[-5:]))}")
        if run.checks or not run.failures:
            shown += [_conclusion(run), ""]
    return "\n".join(shown).rstrip("\n") + "\n"


def _conclusion(run: Run) -> str:
    """How the bounds ended, in one line."""
    if not run.checks:
        return say.no_bounds(run.about.options if run.about is not None else "")
    return tally(run.checks) + (f"; {say.NOTHING_JUDGED}" if run.nothing_judged else "")


def _table(measure: Measure) -> list[str]:
    head = ("filter", "accepted", "share", "FALSE", "UNKNOWN")
    rows = [
        (
            name,
            f"{measure.accepted[name]:,}",
            f"{_percent(measure.share(name))}{_interval(measure, name)}",
            f"{count.false:,}",
            f"{count.unknown:,}",
        )
        for name, count in measure.filters.items()
    ]
    widths = [max(len(cells[place]) for cells in (head, *rows)) for place in range(len(head))]
    return [
        "  ".join(
            cell.ljust(width) if not place else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ).rstrip()
        for cells in (head, tuple("-" * width for width in widths), *rows)
    ]


def data(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """The runs as JSON data."""
    return [
        {
            "dataset": run.dataset,
            **_part(run),
            "at": run.about.at if run.about else None,
            "catalog": run.about.catalog if run.about else None,
            "revision": run.about.revision if run.about else None,
            "status": run.status,
            "code": run.code,
            "errors": run.failures,
            "checks": [
                {
                    "name": check.name,
                    "kind": check.kind,
                    "status": check.status,
                    "message": check.message,
                    "value": check.value,
                    "unit": check.unit,
                    "bound": check.bound,
                    "severity": check.severity,
                    "reason": check.reason or None,
                    "blame": check.blame or None,
                    "owner": run.owner(check.name) or None,
                    "origin": _origin(run.origins.get(check.name)),
                    "history": list(check.history),
                    "rows": [plain(row) for row in check.rows],
                }
                for check in run.checks
            ],
            "incidents": [
                {"name": item.name, "since": item.since, "until": item.until, "runs": item.runs}
                for item in run.incidents
            ],
            "measure": None if run.measure is None else _measure(run.measure),
        }
        for run in runs
    ]


def _origin(origin: Origin | None) -> dict[str, Any] | None:
    if origin is None:
        return None
    change = origin.change
    last = {"commit": change.hash, "day": change.day, "subject": change.subject} if change.hash else None
    return {"file": origin.file, "line": origin.line, "url": origin.url or None, "last_change": last}


def _part(run: Run) -> dict[str, Any]:
    if run.part is None:
        return {}
    start, end = (moment.isoformat() for moment in (run.part.start, run.part.end))
    return {"partition": {"name": run.part.name, "start": start, "end": end}, "late": run.late or None}


def _measure(measure: Measure) -> dict[str, Any]:
    return {
        "engine": measure.engine,
        "rows": measure.rows,
        "sample": measure.sample,
        "filters": {
            name: {
                "accepted": measure.accepted[name],
                "true": count.true,
                "false": count.false,
                "unknown": count.unknown,
                "interval": list(wilson(measure.accepted[name], measure.rows)),
                "atoms": [
                    {"text": text_, "true": item.true, "false": item.false, "unknown": item.unknown}
                    for text_, item in measure.atoms.get(name, ())
                ],
            }
            for name, count in measure.filters.items()
        },
        "nulls": measure.nulls,
        **({"bad_cells": measure.bad.data()} if measure.bad.counts else {}),
        "overlaps": [
            {"filters": list(pair), "rows": rows, "jaccard": measure.jaccard(*pair)}
            for pair, rows in sorted(measure.overlaps.items())
        ],
        "groups": {
            name: {"gap": count.gap, "overlap": count.overlap} for name, count in measure.groups.items()
        },
        "refused": measure.refused,
        "errors": measure.errors,
    }


def as_json(runs: Sequence[Run]) -> str:
    """The runs as JSON."""
    return json.dumps(data(runs), ensure_ascii=False, indent=2, default=str) + "\n"


def junit(runs: Sequence[Run]) -> str:
    """The checks as JUnit XML, one case for each bound. What was not checked is skipped, with the reason;
    it is a failure if no bound of the dataset was judged.
    """
    root = Element("testsuites", name="predicat quality")
    for run in runs:
        suite = SubElement(root, "testsuite", name=run.title)
        for check in run.checks:
            case = SubElement(suite, "testcase", classname=check.name, name=check.kind)
            tag = "failure" if run.nothing_judged else _JUNIT.get(check.status)
            if tag is not None:
                SubElement(case, tag, message=check.reason or check.message).text = check.blame
            elif check.status == "warn":
                SubElement(case, "system-out").text = f"warning: {check.message}"
        for failure in run.failures:
            case = SubElement(suite, "testcase", classname=run.dataset, name="engine")
            SubElement(case, "error", message=failure)
        suite.set("tests", str(len(suite)))
        if run.late:
            SubElement(suite, "system-out").text = run.late
        for key, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            suite.set(key, str(len(suite.findall(f"testcase/{tag}"))))
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(root, encoding="unicode") + "\n"


# The element of a case by the status of its check.
_JUNIT = {"error": "error", "fail": "failure", "not_checked": "skipped"}


def markdown(runs: Sequence[Run]) -> str:
    """The runs as Markdown."""
    shown: list[str] = []
    for run in runs:
        shown += [f"### {run.title}", "", _conclusion(run), "", *([run.late, ""] if run.late else [])]
        shown += [f"- **error**: {failure}" for failure in run.failures]
        for line in lines(run.checks):
            blame = "".join(f"; {check.blame}" for check in line.checks if check.blame)
            shown.append(f"- **{words(line.status)}**: {line.message}{blame}")
        if run.measure is not None and run.part is None:
            measure = run.measure
            shown += [
                "",
                f"{quantity(measure.rows, 'row')} on {measure.engine}",
                "",
                "| filter | accepted | share | UNKNOWN |",
                "|---|---:|---:|---:|",
            ]
            shown += [
                (
                    f"| `{name}` | {measure.accepted[name]:,} | "
                    f"{_percent(measure.share(name))}{_interval(measure, name)} | "
                    f"{_percent(count.unknown / max(measure.rows, 1))} |"
                )
                for name, count in measure.filters.items()
            ]
        shown.append("")
    return "\n".join(shown) + "\n"


def html(runs: Sequence[Run], site: str = "") -> str:
    """The runs as one page that asks no server for anything. `site` is where the catalog's site is, seen
    from the page.
    """
    from predicat.quality.page import page  # noqa: PLC0415  # templates load when a page is asked for

    return page(runs, site)


# The forms of a report by name.
FORMATS: dict[str, Callable[[Sequence[Run]], str]] = {
    "text": text,
    "json": as_json,
    "junit": junit,
    "markdown": markdown,
    "html": html,
}
