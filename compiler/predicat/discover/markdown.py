"""The report as Markdown, for a comment on a pull request or the summary of a job."""

from predicat.diagnostics.markdown import cell, fenced, plain
from predicat.diagnostics.messages import discover as say
from predicat.diagnostics.wording import cut
from predicat.discover.findings import CODES
from predicat.discover.report import Report, counted, listed, summary
from predicat.lint import Finding

# Characters of a condition in the table.
_MOST_TEXT = 200


def markdown(report: Report) -> str:
    """A table of the findings that are shown, those that most likely are mistakes first, and the summary."""
    first, rest = report.first()
    lines = [f"### {say.title(len(first) + rest.total(), sum(report.scan.files.values()))}", ""]
    if first:
        lines += ["| finding | place | what is wrong |", "|---|---|---|"]
        lines += [_row(report, item) for item in first]
        lines.append("")
    if rest:
        lines += [plain(say.more_findings(rest.total(), listed(rest))), ""]
    lines += ["<details>", "<summary>what was read</summary>", "", fenced(summary(report).rstrip(), "text")]
    return "\n".join((*lines, "", "</details>", ""))


def _row(report: Report, item: Finding) -> str:
    outer = item.span.outermost()
    line = outer.source.line_column(outer.start)[0] if outer.source.text else 1
    operand = " ".join(item.span.text.split())
    count = report.count_of(item)
    told = [
        cell(cut(operand, _MOST_TEXT)) if operand else "",
        plain(f"{item.name}: {item.message}"),
        plain(item.hint or ""),
        "" if count is None else plain(counted(count)),
    ]
    place = cell(f"{outer.source.name}:{line}")
    return f"| {item.code} {CODES[item.code].name} | {place} | {'<br>'.join(filter(None, told))} |"
