"""The entries of a review: one for each change, with its kind and the values before and after."""

import difflib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from predicat.catalog.model import Bound
from predicat.catalog.review_rules import SEVERITIES, Rule, Waiver
from predicat.diagnostics.messages import review as say
from predicat.explain import show
from predicat.ir.codec import data_value
from predicat.ir.widths import in_words
from predicat.review.kinds import KINDS, ORDER, ROWS, Kind
from predicat.review.proofs import Proof
from predicat.review.snapshot import Place, Snapshot

# The longest value in a sentence, in characters.
_MAX_INLINE = 100
_LEVELS = ("rows", "warning", "note")


class Cause(Struct, frozen=True):
    """A change that affects a filter whose own text is unchanged: kind, name and part of its entry."""

    kind: str
    name: str
    part: str = ""

    @property
    def text(self) -> str:
        """`orders.large`, `macro late`, `type of amount (orders)`."""
        subject = KINDS[self.kind].subject
        if subject == "filter":
            return self.name
        return f"{self.part} ({self.name})" if self.part else f"{subject} {self.name}"


class Judged(Struct, frozen=True):
    """What is said of an entry: its rule, the approvals that it needs (who, and by which rule), the waiver
    that holds for it, and whether its approvals settle it.
    """

    rule: Rule
    approvals: Mapping[str, str]
    waiver: Waiver | None = None
    settled: bool = False

    @property
    def severity(self) -> str:
        """One of `SEVERITIES`."""
        return self.rule.severity

    def lines(self) -> list[str]:
        """The same in sentences, but for the severity."""
        lines = [f"needs approval by {who} ({why})" for who, why in self.approvals.items()]
        return lines + ([f"waived until {self.waiver.until}: {self.waiver.reason}"] if self.waiver else [])


class Entry(Struct, frozen=True):
    """One change.

    `name` is the changed object (`orders.large`, a dataset, a macro), `part` the changed part, in words;
    `before` and `after` are None if there was, or is, no value. `causes` are the entries that made a filter
    change, `under` the filters that this one changes, `users` the users of the filter. `notes` are further
    sentences. `owners` are those who must look.
    """

    kind: str
    name: str
    level: str
    part: str = ""
    before: str | None = None
    after: str | None = None
    place: Place = Place()
    proof: Proof | None = None
    causes: tuple[Cause, ...] = ()
    under: tuple[str, ...] = ()
    users: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    notes: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()
    judged: Judged | None = None

    @property
    def row(self) -> Kind:
        """Its row in the table of kinds."""
        return KINDS[self.kind]

    @property
    def subject(self) -> str:
        """What kind of thing changed."""
        return self.row.subject

    @property
    def changes_rows(self) -> bool:
        """Whether rows may be gained or lost, as far as is known."""
        return self.level == ROWS

    @property
    def cause(self) -> Cause:
        """This entry as the cause of others."""
        return Cause(self.kind, self.name, self.part)

    @property
    def status(self) -> str:
        """added, removed or changed."""
        return (
            "changed"
            if (self.before is None) == (self.after is None)
            else "added"
            if self.before is None
            else "removed"
        )

    @property
    def order(self) -> tuple[int, int, str]:
        """Its sort key in a review: the most important entries first."""
        return _LEVELS.index(self.level), ORDER[self.kind], self.name

    @property
    def title(self) -> str:
        """What happened, in a few words, without the name."""
        match self.kind:
            case "rows":
                return self.proof.title if self.proof is not None else "changed"
            case "filter-renamed" | "dataset-renamed":
                return "renamed, same rows"
            case "not-compared":
                return "not compared"
            case "version" | "permission" if self.proof is not None:
                return f"{self.part}: {self.proof.title}"
            case "coverage" | "rows-bound" if self.status == "changed" and self.notes:
                return f"{self.part} {self.notes[0]}"
            case "lock":
                return {"added": "recorded in the lock", "removed": "removed from the lock"}.get(
                    self.status, "recorded again in the lock"
                )
            case "filter":
                return self.status
            case _:
                return f"{self.part} {self.status}" if self.part else self.status

    @property
    def short(self) -> str:
        """The title up to a bracket or comma, for counts."""
        if self.kind == "rows" and self.proof is not None:
            return self.proof.short
        return (
            "renamed"
            if self.kind == "filter-renamed"
            else "dataset renamed"
            if self.kind == "dataset-renamed"
            else self.title
        )

    @property
    def values(self) -> str:
        """The values before and after, in one line; empty if they are long or a proof says more."""
        if self.proof is not None or any(
            len(value or "") > _MAX_INLINE or "\n" in (value or "") for value in (self.before, self.after)
        ):
            return ""
        if self.status == "changed":
            return f"{self.before} -> {self.after}" if self.before is not None else ""
        return (self.after if self.after is not None else f"it was {self.before}") or ""

    def lines(self) -> list[str]:
        """Sentences about it, the title first."""
        values = self.values
        result = [self.title + (f": {values}" if values else "")]
        if self.proof is not None and self.kind != "version":
            result += self.proof.lines()
        result += self.notes if self.kind not in ("coverage", "rows-bound") else ()
        if self.causes:
            result.append("because of " + ", ".join(cause.text for cause in self.causes))
        return result

    def diff(self) -> list[str]:
        """The lines that differ between long values, as in a unified diff."""
        if self.values or (self.status != "changed" and self.kind == "macro"):
            return []
        before, after = ([] if value is None else _body_lines(value) for value in (self.before, self.after))
        lines = difflib.unified_diff(before, after, lineterm="", n=2)
        return [line for line in lines if not line.startswith(("---", "+++", "@@"))]


def _body_lines(body: str) -> list[str]:
    """The lines of a body. Data have one line per part."""
    if body.startswith(("{", "[")):
        try:
            return json.dumps(json.loads(body), indent=2, ensure_ascii=False).splitlines()
        except ValueError:
            pass
    return body.splitlines()


class Identity(Struct, frozen=True):
    """What a review is of: the commit that was checked out, and the hash of each side's files; empty if there
    is none. A file of a commit cannot name that commit, so a stranger cannot commit a review of his own.
    """

    head: str = ""
    before: str = ""
    after: str = ""

    def mark(self) -> str:
        """A line of Markdown that is not shown."""
        return f"<!-- predicat review of {self.head or '-'}: {self.before or '-'} to {self.after or '-'} -->"


class Review(Struct, frozen=True):
    """The differences between two catalogs.

    `filters` is the number of filters of the catalog, `unchanged` the number of them without a difference;
    `edited` has the files that differ. `sides` are the two catalogs; the first one uses the names of the
    second. `missing` has those who must approve, with the names of entries, `expired` the waivers that
    ended.
    """

    base: str
    entries: tuple[Entry, ...]
    filters: int
    unchanged: int
    sides: tuple[Snapshot, Snapshot]
    edited: tuple[str, ...] = ()
    identity: Identity = Identity()
    missing: Mapping[str, tuple[str, ...]] = {}
    expired: tuple[Waiver, ...] = ()

    @property
    def severity(self) -> str:
        """The worst severity of an entry."""
        found = {entry.judged.severity for entry in self.entries if entry.judged is not None}
        return next((one for one in SEVERITIES if one in found), SEVERITIES[-1])

    def demands(self) -> list[str]:
        """What must be done before it can be merged, in sentences."""
        lines = [f"needs approval by {who}: {join_names(names)}" for who, names in self.missing.items()]
        return lines + [say.waiver_ended(one.entry, one.until, one.reason) for one in self.expired]

    @property
    def changes_rows(self) -> bool:
        """Whether rows may be gained or lost."""
        return any(entry.changes_rows for entry in self.entries)

    @property
    def formatting_only(self) -> bool:
        """Whether files differ, but not their meaning."""
        return bool(self.edited) and not self.entries

    def of(self, name: str, subject: str = "filter") -> tuple[Entry, ...]:
        """The entries with one name."""
        return tuple(entry for entry in self.entries if (entry.name, entry.subject) == (name, subject))


def value_text(kind: Kind, value: Any) -> str | None:
    """A value of a snapshot's data in words; None for nothing."""
    if value is None or value == "":
        return None
    if kind.code == "stored-type":
        return in_words(value)
    describe = _TEXTS.get(kind.code)
    return describe(value) if describe is not None and isinstance(value, dict | list) else _plain_text(value)


def _plain_text(value: Any) -> str | None:
    match value:
        case bool():
            return str(value).lower()
        case str() | int():
            return str(value)
        case [*items] if all(isinstance(item, str) for item in items):
            return ", ".join(items) or None
        case _:
            return json.dumps(value, ensure_ascii=False)


def _value_text(data: Any) -> str:
    return "null" if data is None else show.value_text(data_value(data))


def _param(value: Mapping[str, Any]) -> str:
    default = value["default"]
    return str(value["type"]) + (f", by default {_value_text(default[0])}" if default else "")


def _bound(value: Mapping[str, Any]) -> str:
    text = str(Bound(**value))
    return f"{text} (warn)" if value["severity"] == "warn" else text


def _baseline(value: Mapping[str, Any]) -> str | None:
    return f"{value['max_age']} days ({_severity(value, ' days')})" if value else None


def _freshness(value: Mapping[str, Any]) -> str | None:
    return f"{value['field']} at most {value['at_most']} ({_severity(value)})" if value else None


def _partition(value: Mapping[str, Any]) -> str:
    return f"{value['field']} by {value['by']}" + (f" in {value['zone']}" if value["zone"] else "")


def _used(value: Mapping[str, Any]) -> str:
    """A filter of a policy, with the values of its parameters."""
    given = ", ".join(f"{name} => {show.value_text(part)}" for name, part in value.get("params", {}).items())
    return f"{value['filter']}({given})" if given else str(value["filter"])


def _severity(value: Mapping[str, Any], unit: str = "") -> str:
    """The severity of a limit, with the stricter limit of a warning."""
    return str(value["severity"]) + (f", warn: {value['warn']}{unit}" if "warn" in value else "")


# By the code of the kind: the words of a mapping or list.
_TEXTS: dict[str, Callable[[Any], str | None]] = {
    "filter": lambda value: str(value["versions"][str(value["latest"])]["text"]),
    "version": lambda value: value["text"],
    "field": lambda value: value["type"],
    "param": _param,
    "param-default": lambda default: _value_text(default[0]) if default else None,
    "test": lambda value: f"matches {value['matches']}",
    "coverage": _bound,
    "group-limit": _bound,
    "rows-bound": _bound,
    "baseline": _baseline,
    "freshness": _freshness,
    "partition": _partition,
    "dataset": lambda value: str(value.get("description") or "no description"),
    "group": lambda value: ", ".join(value["filters"]),
    "subscription": lambda value: value["filter"],
    "policy": lambda value: ", ".join(_used(value[key]) for key in ("using", "check") if key in value),
    "policy-part": lambda value: _used(value) if isinstance(value, dict) else _plain_text(value),
    "attribute": lambda value: value["postgres"],
}


def loosened(name: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """How a bound changed: loosened, tightened or changed."""
    if before["share"] != after["share"]:
        return "changed"
    limits = list(zip(_reach(name, before), _reach(name, after), strict=True))
    if all(new >= old for old, new in limits):
        return "loosened"
    return "tightened" if all(new <= old for old, new in limits) else "changed"


def _reach(name: str, bound: Mapping[str, Any]) -> tuple[float, float]:
    """How far a figure may go before the bound fails, and before it warns."""
    sign = -1 if name == "at_least" else 1
    fails = sign * bound["value"] if bound["severity"] == "error" else math.inf
    return fails, sign * bound.get("warn", bound["value"])


def join_names(names: Sequence[str], most: int = 12) -> str:
    """Names for a sentence, with the number of those left out."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
