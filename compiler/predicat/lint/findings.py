"""Runs the lint rules, shows their findings, and applies fixes that are proved to be safe."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from predicat.catalog.model import Catalog
from predicat.diagnostics import PredicatError, Severity
from predicat.diagnostics.wording import quantity
from predicat.diagnostics.writing import write_text
from predicat.forge.annotations import annotation, location, sarif_log
from predicat.lint import RULES, Context, Finding, Rule
from predicat.lint.answers import Answers
from predicat.lint.rule import without_repeats
from predicat.proof.compare import compare

# The name of each rule by its code.
NAMES = {rule.code: rule.name for rule in RULES}


def collect(
    catalog: Catalog,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    effort: float = 1.0,
    answers: Answers | None = None,
    *,
    whole: bool = True,
    told: Sequence[Finding] = (),
) -> list[Finding]:
    """The findings of the chosen rules, sorted by place. A cause that several rules find is reported once.

    `effort` is that of `compare` for each question. `answers` are the solver's answers of earlier runs; new
    ones are added. `whole` is False if the catalog is only partly loaded: rules that need all of it are then
    skipped. `told` is what was found in a database.
    """
    context = Context(catalog, effort, answers or Answers(), told=told)
    rules = [rule for rule in RULES if chosen(rule.code, select, ignore) and (whole or not rule.whole)]
    result = [
        item
        for rule in rules
        for item in rule.findings(context, asked=rule.code.startswith(tuple(select)) if select else False)
    ]
    return sorted(without_repeats(result, rules), key=_place)


def fails(findings: Sequence[Finding]) -> bool:
    """Whether there is an error or a warning among findings."""
    return any(item.level is not Severity.NOTE for item in findings)


def chosen(code: str, select: Sequence[str], ignore: Sequence[str]) -> bool:
    """Whether a rule is selected by one of the given prefixes of codes."""
    return (not select or code.startswith(tuple(select))) and not code.startswith(tuple(ignore))


def _place(item: Finding) -> tuple[str, int, str]:
    outer = item.span.outermost()
    return outer.source.name, outer.start, item.code


def apply_fixes(
    findings: Sequence[Finding], reload: Callable[[], Catalog], effort: float = 10.0
) -> list[Finding]:
    """Apply the fixes one by one, each only if the catalog still loads and the filter provably accepts the
    same rows. Returns the fixed findings.
    """
    done: list[Finding] = []
    for item in sorted(findings, key=_from_the_end):
        if item.fix is None:
            continue
        outer = item.fix.span.outermost()
        if len(item.fix.text) > outer.end - outer.start:
            continue  # a fix never makes a filter longer
        file = Path(outer.source.name)
        before = file.read_text(encoding="utf-8")
        if before.removeprefix("\ufeff") != outer.source.text and not done:
            continue
        old = reload()[item.name]
        if before[outer.start : outer.end] != outer.source.text[outer.start : outer.end]:
            continue
        write_text(file, before[: outer.start] + item.fix.text + before[outer.end :])
        try:
            same = compare(old, reload()[item.name], effort=effort).same_rows
        except PredicatError:
            same = False
        if same:
            done.append(item)
        else:
            write_text(file, before)
    return done


def _from_the_end(item: Finding) -> tuple[str, int]:
    outer = item.fix.span.outermost() if item.fix else item.span.outermost()
    return outer.source.name, -outer.start


def text(findings: Sequence[Finding]) -> str:
    """The findings as text."""
    listed = [item for item in findings if item.level is not Severity.NOTE]
    shown = [item.diagnostic().render() for item in listed]
    count = quantity(len(listed), "finding") if listed else "nothing found"
    notes = Counter(item.code for item in findings if item.level is Severity.NOTE)
    lines = [
        f"{quantity(number, 'note')} {code} ({NAMES[code]}): predicat lint --select {code}"
        for code, number in sorted(notes.items())
    ]
    return "\n\n".join((*shown, "\n".join((count, *lines)))) + "\n"


def _data(item: Finding) -> dict[str, Any]:
    outer = item.span.outermost()
    line, column = outer.source.line_column(outer.start) if outer.source.text else (0, 0)
    return {
        "code": item.code,
        "name": item.name,
        "message": item.message,
        "hint": item.hint,
        "level": item.level.value,
        "file": outer.source.name,
        "line": line,
        "column": column,
        "fixable": item.fix is not None,
    }


def as_json(findings: Sequence[Finding]) -> str:
    """The findings as JSON."""
    return json.dumps([_data(item) for item in findings], ensure_ascii=False, indent=2) + "\n"


def sarif(findings: Sequence[Finding]) -> str:
    """The findings as a SARIF log."""
    results = []
    for item in findings:
        data = _data(item)
        place = location(data["file"] or "catalog", data["line"], data["column"])
        results.append(
            {
                "ruleId": item.code,
                "level": item.level.value,
                "message": {"text": f"{item.name}: {item.message}"},
                "locations": [place],
            }
        )
    return sarif_log(results, [_metadata(rule) for rule in RULES])


def _metadata(rule: Rule) -> dict[str, Any]:
    """A rule as a SARIF object."""
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.doc},
        "defaultConfiguration": {"level": rule.level.value},
    }


def github(findings: Sequence[Finding]) -> str:
    """The findings as GitHub annotations, without notes."""
    lines = []
    for item in findings:
        if item.level is Severity.NOTE:
            continue
        data = _data(item)
        lines.append(
            annotation(
                item.level.value, data["file"], data["line"], item.code, f"{item.name}: {item.message}"
            )
        )
    return "".join(lines)


# The forms of findings by name.
FORMATS: dict[str, Callable[[Sequence[Finding]], str]] = {
    "text": text,
    "json": as_json,
    "sarif": sarif,
    "github": github,
}
