"""P306 to P310: what `predicat advise` finds in a database. Other runs do not have them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from predicat.lint.rule import Context, Finding, Rule


def _told(code: str) -> Callable[[Context], Iterator[Finding]]:
    """What was told of a rule."""

    def check(context: Context) -> Iterator[Finding]:
        return (item for item in context.told if item.code == code)

    return check


# By the codes of advice.
BY_KIND = {
    "index": "P306",
    "statistics": "P307",
    "sequential-scan": "P308",
    "estimate": "P307",
    "redundant-index": "P309",
    "unused-index": "P310",
}
_IN_DATABASE = "With --dsn: "
RULES = tuple(
    Rule(code, name, _IN_DATABASE + doc, _told(code))
    for code, name, doc in (
        ("P306", "missing-index", "the planner would use an index that is not there."),
        ("P307", "wrong-estimate", "the planner's row estimate is off by a factor of more than 10."),
        ("P308", "sequential-scan", "a filter reads a large table to find few rows."),
        ("P309", "redundant-index", "the key columns of an index are the leading ones of another index."),
        ("P310", "unused-index", "no query has used an index."),
    )
)
