"""The report as Markdown, for a comment on a pull request or the summary of a job."""

from collections.abc import Sequence

from predicat.diagnostics.markdown import cell, fenced, plain
from predicat.diagnostics.messages import discover as say
from predicat.diagnostics.wording import cut
from predicat.discover.findings import CODES, Found
from predicat.discover.ranking import line_of
from predicat.discover.report import Report, counted, listed, summary, written

# Characters of a condition in the table.
_MOST_TEXT = 200


def markdown(report: Report) -> str:
    """A table of the findings that are shown, those that most likely are mistakes first, and the summary."""
    first, rest = report.first
    title = say.title(len(first) + rest.total(), sum(report.scan.files.values()), report.against)
    lines = [f"### {plain(title)}", ""]
    if first:
        heads = ["finding", "place", "what is wrong", *(["written by"] if report.origins else [])]
        lines += [_line(heads), f"|{'---|' * len(heads)}"]
        lines += [_line(_row(report, item)[: len(heads)]) for item in first]
        lines.append("")
    if rest:
        lines += [plain(say.more_findings(rest.total(), listed(rest))), ""]
    lines += ["<details>", "<summary>what was read</summary>", "", fenced(summary(report).rstrip(), "text")]
    return "\n".join((*lines, "", "</details>", ""))


def _row(report: Report, item: Found) -> list[str]:
    file, line = line_of(item)
    operand, count, origin = " ".join(item.span.text.split()), report.count_of(item), report.origin_of(item)
    told = [
        cell(cut(operand, _MOST_TEXT)) if operand else "",
        plain(f"{item.name}: {item.message}"),
        plain(item.hint or ""),
        "" if count is None else plain(counted(count)),
    ]
    place = cell(f"{file}:{line}")
    return [
        f"{item.code} {CODES[item.code].name}",
        f"[{place}]({origin.url})" if origin.url else place,
        "<br>".join(filter(None, told)),
        plain(written(origin)),
    ]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(text or ' ' for text in cells)} |"
