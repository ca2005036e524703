"""What was found, for people and for programs."""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import zip_longest
from typing import Any

from msgspec import Struct

from predicat.diagnostics import Span
from predicat.diagnostics.messages import discover as say
from predicat.discover.conditions import Condition, Refused, SourceRange
from predicat.discover.counts import Count, reasons
from predicat.discover.findings import CODES, Found, is_told
from predicat.discover.origins import Origin
from predicat.discover.places import span_of
from predicat.discover.ranking import Ranking, line_of, once
from predicat.discover.read.folder import Scan
from predicat.forge.annotations import annotation, location, sarif_log
from predicat.lint import Finding

# How many conditions that accept no row the text lists.
_MAX_EMPTY = 20
# How many findings the text shows.
MOST_SHOWN = 20


class Filters(Struct, frozen=True):
    """The filters of the catalog: how many conditions were compared with, and why not with others."""

    compared: int
    left: Counter[str]


class Report(Struct, frozen=True, dict=True):
    """A search: what was read, what was judged, and what is shown. `select` are the beginnings of the codes
    that are shown in full; without them all that is more than a note. `counts` are the rows of the
    conditions, in their order, if an engine has counted them. `most` is how many findings the text shows
    without `select`, `unanswered` how many questions were left at Ctrl-C, and `filters` what the conditions
    were compared with, if there is a catalog. `ranking` orders the findings, and `origins` are those of the
    lines of shown findings. `against` is the revision whose findings are left out; empty if there is none.
    """

    scan: Scan
    findings: Sequence[Found]
    unjudged: Counter[str]
    judged: bool = True
    undecided: int = 0
    select: tuple[str, ...] = ()
    counts: Sequence[Count] = ()
    most: int | None = None
    unanswered: int = 0
    filters: Filters | None = None
    ranking: Ranking = Ranking()
    origins: Mapping[tuple[str, int], Origin] = {}
    against: str = ""

    @cached_property
    def first(self) -> tuple[list[Found], Counter[str]]:
        """What is shown, best first: the findings that are told one by one, those that several places have
        once; and the codes of others, if there are more than `most`.
        """
        most = None if self.select else self.most
        shown, others = self.ranking.first(once(self.shown(), across_files=most is not None), most)
        return shown, Counter(item.code for item in others)

    def shown(self) -> list[Found]:
        """The findings that are told one by one."""
        if self.select:
            return [item for item in self.findings if item.code.startswith(self.select)]
        return list(filter(is_told, self.findings))

    def origin_of(self, item: Finding) -> Origin:
        """Where the line of a finding comes from, as far as it is known."""
        return self.origins.get(line_of(item), Origin())

    def count_of(self, item: Finding) -> Count | None:
        """The rows of the condition of a finding; None where they were not counted, or its place has
        several.
        """
        count = self._by_place.get(_key(item.span), ())
        return count[0] if len(count) == 1 else None

    @cached_property
    def _by_place(self) -> Mapping[tuple[str, int, int], Sequence[Count]]:
        result: dict[tuple[str, int, int], list[Count]] = {}
        for row, count in zip(self.scan.conditions, self.counts, strict=False):
            at = result.setdefault(_key(span_of(row.place)), [])
            if not count.reason and count not in at:
                at.append(count)
        return result


def _key(span: Span) -> tuple[str, int, int]:
    outer = span.outermost()
    return outer.source.name, outer.start, outer.end


def text(report: Report) -> str:
    """The findings with their places, the rules that take no row of the data, and a summary."""
    first, rest = report.first
    shown = [_finding(report, item) for item in first]
    if rest:
        shown.append(say.more_findings(rest.total(), listed(rest)))
    reported = {_key(item.span) for item in report.shown()}
    empty = [
        f"{row.place.path}:{row.place.line}: {say.takes_none(count.relation, count.total, count.unknown)}"
        for row, count in _empty(report)
        if _key(span_of(row.place)) not in reported
    ]
    more = [say.others(len(empty) - _MAX_EMPTY)] if len(empty) > _MAX_EMPTY else []
    return "\n\n".join(
        [*shown, *(["\n".join([*empty[:_MAX_EMPTY], *more])] if empty else []), summary(report)]
    )


def _finding(report: Report, item: Finding) -> str:
    count, by = report.count_of(item), written(report.origin_of(item))
    rows = "" if count is None else f"\n  = rows: {counted(count)}"
    return item.diagnostic().render() + rows + (f"\n  = written: {by}" if by else "")


def written(origin: Origin) -> str:
    """Who wrote a line, since when, in words; empty where it is not known."""
    by = origin.written
    return "" if by is None else say.written(by.author, by.day, by.hash[:8], by.subject)


def counted(count: Count) -> str:
    """The rows of a condition in words."""
    return say.counted(count.relation, count.total, count.true, count.unknown)


def _empty(report: Report) -> list[tuple[Condition, Count]]:
    """The conditions that take no row of a relation that has some."""
    rows = zip(report.scan.conditions, report.counts, strict=False)
    return [(row, count) for row, count in rows if not count.reason and count.total and not count.true]


def summary(report: Report) -> str:
    """How much was read and left out, and what was found, by kind."""
    scan = report.scan
    relations = {
        condition.relation for condition in scan.conditions if condition.relation and not condition.derived
    }
    lines = [
        _line("files", sum(scan.files.values()), listed(scan.files)),
        *(_reasons("not read", scan.skipped, most=6) if scan.skipped else []),
        *([_line("dialects", len(scan.dialects), listed(scan.dialects))] if scan.dialects else []),
        *(
            [_line("changed", len(scan.changed.paths), say.changed_since(scan.changed.revision))]
            if scan.changed is not None
            else []
        ),
        _line(
            "conditions",
            len(scan.conditions),
            listed(Counter(condition.clause for condition in scan.conditions)),
        ),
        _line(
            "distinct",
            len({(condition.relation, condition.sql or condition.text) for condition in scan.conditions}),
        ),
        _line("relations", len(relations)),
        *_reasons("left out", Counter(condition.reason for condition in scan.refused)),
    ]
    if report.judged:
        lines += [
            *_reasons("not checked", report.unjudged),
            *(_compared(report.filters) if report.filters is not None else []),
            *_reasons("findings", Counter(_kind(item) for item in report.findings)),
            *_of_notes(report),
            *([_line("undecided", report.undecided, say.UNDECIDED)] if report.undecided else []),
        ]
    if report.unanswered:
        lines.append(_line("interrupted", report.unanswered, say.UNANSWERED))
    if report.counts:
        done = [count for count in report.counts if not count.reason]
        relations_read = len({count.relation for count in done})
        lines += [
            _line("counted", len(done), say.counted_in(relations_read, len(_empty(report)))),
            *_reasons("not counted", reasons(report.counts)),
        ]
    return "\n".join(lines) + "\n"


def _compared(filters: Filters) -> list[str]:
    """With how many filters conditions were compared, and why not with the others."""
    line = _line("filters", filters.compared, say.not_compared(filters.left.total()))
    return [line, *_reasons("", filters.left)[1:]]


def _of_notes(report: Report) -> list[str]:
    """A line that says how to see the notes, which are only counted."""
    codes = sorted({item.code for item in report.findings if not is_told(item)})
    return [f"{'':>18}  {say.notes(codes[0])}"] if codes and not report.select else []


def _kind(item: Finding) -> str:
    kind = CODES[item.code]
    return f"{kind.code} {kind.name} ({item.level.value}): {kind.doc}"


def _reasons(name: str, counts: Counter[str], most: int = 15) -> list[str]:
    """A line with the sum, and one for each reason; of many reasons the most frequent ones."""
    rows = counts.most_common(most)
    rest = sum(counts.values()) - sum(number for _, number in rows)
    more = [f"{rest:>18}  {say.OTHER_REASONS}"] if rest else []
    return [_line(name, sum(counts.values())), *(f"{number:>18}  {reason}" for reason, number in rows), *more]


def _line(name: str, number: int, more: str = "") -> str:
    return f"{name:<11}{number:>7}" + (f"  {more}" if more else "")


def listed(counts: Counter[Any]) -> str:
    """How many there are of each, the most frequent first."""
    return ", ".join(f"{name or 'standard'} {number}" for name, number in counts.most_common())


def as_json(report: Report) -> str:
    """All that was found, as JSON."""
    scan = report.scan
    data = {
        "files": dict(scan.files),
        "not_read": dict(scan.skipped),
        "dialects": dict(scan.dialects),
        "conditions": [
            _condition_data(condition) | _rows(count)
            for condition, count in zip_longest(scan.conditions, report.counts)
        ],
        "left_out": [_refused_data(condition) for condition in scan.refused],
        "not_judged": dict(report.unjudged),
        "filters_not_compared": dict(report.filters.left if report.filters is not None else {}),
        "findings": [_ranked_data(report, item) | _rows(report.count_of(item)) for item in report.findings],
    }
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def _rows(count: Count | None) -> dict[str, Any]:
    """The rows of a condition as JSON has them; nothing without an engine."""
    if count is None:
        return {}
    if count.reason:
        return {"rows": {"reason": count.reason}}
    return {
        "rows": {
            "relation": count.relation,
            "total": count.total,
            "true": count.true,
            "unknown": count.unknown,
        }
    }


def finding_data(item: Finding) -> dict[str, Any]:
    """A finding as JSON has it."""
    outer = item.span.outermost()
    line, column = outer.source.line_column(outer.start) if outer.source.text else (1, 1)
    return {
        "code": item.code,
        "kind": CODES[item.code].name,
        "level": item.level.value,
        "file": outer.source.name,
        "line": line,
        "column": column,
        "relation": item.name,
        "message": item.message,
        "hint": item.hint,
    }


def _ranked_data(report: Report, item: Found) -> dict[str, Any]:
    """A finding with what ranks it, and where it comes from if it is one of those that are shown first."""
    origin = report.origin_of(item)
    by = origin.written
    return {
        **finding_data(item),
        "text": item.span.text,
        "row": json.loads(item.row) if item.row else None,
        "places": [_place_data(place) for place in item.places],
        "calls": item.calls,
        "rank": report.ranking.rank(item),
        "changes": report.ranking.changed(item),
        "url": origin.url or None,
        "written": None
        if by is None
        else {"author": by.author, "day": by.day, "commit": by.hash, "subject": by.subject},
    }


def _condition_data(condition: Condition) -> dict[str, Any]:
    """A condition as JSON has it."""
    return {
        **_place_data(condition.place),
        "relation": condition.relation,
        "clause": condition.clause,
        "language": condition.language,
        "dialect": condition.dialect,
        "text": condition.text,
        "sql": condition.sql,
        "whole": condition.whole,
        "derived": condition.derived,
        "owner": condition.owner,
        "params": sorted(condition.params),
        "calls": condition.place.calls,
    }


def _place_data(place: SourceRange) -> dict[str, Any]:
    """A place as JSON has it."""
    return {"file": place.path, "line": place.line, "column": place.column}


def _refused_data(refused: Refused) -> dict[str, Any]:
    return {**_place_data(refused.place), "reason": refused.reason, "text": refused.text}


def sarif(report: Report) -> str:
    """All findings as a SARIF log, those that most likely are mistakes first."""
    results = [
        {
            "ruleId": item["code"],
            "level": item["level"],
            "message": {"text": f"{item['relation']}: {_with_hint(item)}"},
            "locations": [location(item["file"], item["line"], item["column"])],
            "rank": report.ranking.rank(found),
        }
        for found in report.ranking.first(report.findings, None)[0]
        for item in [finding_data(found)]
    ]
    rules = [
        {
            "id": kind.code,
            "name": kind.name,
            "shortDescription": {"text": kind.doc},
            "defaultConfiguration": {"level": kind.level.value},
        }
        for kind in CODES.values()
    ]
    return sarif_log(results, rules)


def _with_hint(item: Mapping[str, Any]) -> str:
    """The message of a finding and what to do, where there is one text only."""
    return f"{item['message']} ({item['hint']})" if item["hint"] else str(item["message"])


def github(report: Report) -> str:
    """The findings that are shown as annotations of GitHub."""
    return "".join(
        annotation(item["level"], item["file"], item["line"], item["code"], _with_hint(item))
        for item in map(finding_data, report.first[0])
    )


# The forms of a report by name.
FORMATS: dict[str, Callable[[Report], str]] = {
    "text": text,
    "json": as_json,
    "sarif": sarif,
    "github": github,
}
