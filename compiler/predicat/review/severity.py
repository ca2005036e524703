"""The severity of each entry by the rules of the catalog, who must approve it, and what is waived."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Any

from msgspec.structs import replace

from predicat.catalog.review_rules import ANY, RULES, SEVERITIES, Approval, Rule, Waiver
from predicat.review.entries import Entry, Judged, Review


def rule_of(entry: Entry) -> Rule:
    """The first rule that holds for an entry."""
    verdict = _verdict(entry)
    return next(
        rule
        for rule in RULES
        if (not rule.kinds or entry.kind in rule.kinds)
        and (not rule.statuses or entry.status in rule.statuses)
        and (not rule.verdicts or verdict in rule.verdicts)
        and (not rule.levels or entry.level in rule.levels)
    )


def _verdict(entry: Entry) -> str:
    if entry.proof is None:
        return ""
    if entry.proof.same_rows:
        return "same"
    main = entry.proof.main
    return entry.proof.verdict.kind if main.same_rows else main.kind


def _holds(when: str, rule: Rule) -> bool:
    return when in (ANY, rule.severity, rule.code, *rule.effects)


class Judge:
    """Judges the entries of a review by the rules of a project, on a day."""

    def __init__(self, approvals: Sequence[Approval], waivers: Sequence[Waiver], today: date) -> None:
        self.approvals, self.waivers, self.today = approvals, waivers, today

    def judged(self, review: Review, approved: Collection[str] = ()) -> Review:
        """The review with what is said of each entry; some people have approved it. A waiver that has ended
        waives nothing.
        """
        entries = tuple(replace(entry, judged=self.of(entry, review, approved)) for entry in review.entries)
        missing: dict[str, dict[str, None]] = {}
        for entry in entries:
            if entry.judged is not None and entry.judged.waiver is None:
                for who in entry.judged.approvals:
                    missing.setdefault(who, {})[entry.name] = None
        return replace(
            review,
            entries=entries,
            missing={who: tuple(names) for who, names in missing.items() if who not in approved},
            expired=tuple(one for one in self.waivers if one.until < self.today),
        )

    def of(self, entry: Entry, review: Review, approved: Collection[str]) -> Judged:
        """What is said of an entry that some people have approved."""
        rule = rule_of(entry)
        waivers = (one for one in self.waivers if one.entry == entry.name and _holds(one.when, rule))
        holding = next((one for one in waivers if one.until >= self.today), None)
        needed = self.needed(entry, rule, review)
        settled = rule.approvable and bool(needed) and needed.keys() <= set(approved)
        return Judged(rule, needed, holding, settled)

    def needed(self, entry: Entry, rule: Rule, review: Review) -> dict[str, str]:
        """Who must approve an entry, and by which rule."""
        names = [entry.name] if entry.subject == "filter" else entry.under
        rows = (side.filters.get(name, {}) for name in names for side in review.sides)
        tags = {tag for row in rows for tag in row.get("tags", ())}
        return {
            who: one.text
            for one in self.approvals
            if _holds(one.when, rule)
            and (one.tag is None or one.tag in tags)
            and (one.dataset is None or one.dataset == entry.name.partition(".")[0])
            for who in one.approve
        }


def approvals_in(project: Mapping[str, Any]) -> list[Approval]:
    """The rules of a project file as plain data, as far as they are complete."""
    rows = project.get("review")
    return [
        Approval(
            row["when"],
            tuple([row["approve"]] if isinstance(row["approve"], str) else row["approve"]),
            row.get("tag"),
            row.get("dataset"),
        )
        for row in (rows if isinstance(rows, list) else ())
        if isinstance(row, Mapping) and {"when", "approve"} <= row.keys()
    ]


def fails(review: Review, least: str | None) -> bool:
    """Whether a judged review is a failure: an entry is at least of a severity (without one: its rows may
    change) and not waived, an approval is missing, or a waiver has ended.
    """
    return bool(review.missing or review.expired) or any(_counts(entry, least) for entry in review.entries)


def _counts(entry: Entry, least: str | None) -> bool:
    found = entry.judged
    if found is None or found.waiver is not None or found.settled:
        return found is None and entry.changes_rows
    if least is None:
        return entry.changes_rows
    return SEVERITIES.index(found.severity) <= SEVERITIES.index(least)
