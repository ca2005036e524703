"""The kinds of changes in a review: the path in the data of a catalog, the name, and the level."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, field

# How much a change matters: rows of production come or go (or may); something that people rely on gets
# weaker or another; no more than a note.
ROWS, WARNING, NOTE = "rows", "warning", "note"


class Kind(Struct, frozen=True):
    """A kind of change.

    `path` is its path in the data of a snapshot; each `*` is a name. The first `names` of them (such as the
    dataset and a group) name the thing that changed, and the others its part, which `what` describes.
    `levels` are the levels of additions, removals and changes.
    """

    code: str
    path: str
    what: str
    doc: str
    levels: tuple[str, str, str] = (NOTE, WARNING, WARNING)
    subject: str = "filter"
    names: int = 1


_RISK = (NOTE, ROWS, ROWS)
_ASIDE = (NOTE, NOTE, NOTE)
# The kinds of what a field is read from.
COLUMNS = ("column", "expression")
# The kinds of where a dataset is.
RELATIONS = ("relation", "files")
# Those that name the filters that read it.
READ = (*COLUMNS, *RELATIONS)
_GROUP, _SUBSCRIPTION = "datasets/*/groups/*", "datasets/*/subscriptions/*"
_JOB = "datasets/*/jobs/*"
_POLICY = "datasets/*/policies/*"
_VERSION = "filters/*/versions/*"
# By code, the most important first.
KINDS: dict[str, Kind] = {
    kind.code: kind
    for kind in (
        Kind("rows", "", "rows", "The rows that the name of a filter accepts.", (ROWS, ROWS, ROWS)),
        Kind("filter", "filters/*", "filter", "A filter was added or removed.", (ROWS, ROWS, ROWS)),
        Kind(
            "permission",
            "",
            "{0}",
            "The rows that a role may see or write by the policies.",
            (ROWS, ROWS, ROWS),
            "role",
            2,
        ),
        Kind(
            "filter-renamed",
            "",
            "name",
            "A filter has another name and the same meaning.",
            (WARNING, WARNING, WARNING),
        ),
        Kind(
            "version",
            _VERSION,
            "version {0}",
            "A version was added or removed, or its text or meaning changed.",
            (NOTE, ROWS, ROWS),
        ),
        Kind(
            "latest-version",
            "filters/*/latest",
            "latest version",
            "The name refers to another version.",
            (WARNING, WARNING, WARNING),
        ),
        Kind(
            "on-unknown",
            "filters/*/on_unknown",
            "on_unknown",
            "What happens to a row for which a filter is UNKNOWN.",
            (WARNING, WARNING, WARNING),
        ),
        Kind(
            "param",
            f"{_VERSION}/params/*",
            "parameter {1} (version {0})",
            "A parameter was added or removed.",
        ),
        Kind(
            "param-type",
            f"{_VERSION}/params/*/type",
            "type of parameter {1} (version {0})",
            "A parameter has another type.",
        ),
        Kind(
            "param-default",
            f"{_VERSION}/params/*/default",
            "default of parameter {1} (version {0})",
            "Views, and calls without the argument, use another value.",
            (WARNING, WARNING, WARNING),
        ),
        Kind(
            "param-description",
            f"{_VERSION}/params/*/description",
            "description of parameter {1} (version {0})",
            "For people.",
            _ASIDE,
        ),
        Kind(
            "param-order",
            f"{_VERSION}/order",
            "order of the parameters (version {0})",
            "Arguments by position mean other parameters.",
        ),
        Kind(
            "deprecation",
            f"{_VERSION}/deprecated",
            "deprecation of version {0}",
            "The date of removal of a version changed.",
            (WARNING, WARNING, WARNING),
        ),
        Kind("test", "filters/*/tests/*", "test {0}", "A test was added or removed."),
        Kind(
            "test-expectation",
            "filters/*/tests/*/matches",
            "expectation of the test {0}",
            "A test expects another outcome.",
            (WARNING, WARNING, WARNING),
        ),
        Kind(
            "test-description",
            "filters/*/tests/*/description",
            "description of the test {0}",
            "For people.",
            _ASIDE,
        ),
        Kind("coverage", "filters/*/coverage/*", "bound {0}", "A bound on the rows of a filter."),
        Kind(
            "view-option",
            "filters/*/view/*",
            "view option {0}",
            "With whose rights a view reads.",
            (WARNING, WARNING, WARNING),
        ),
        Kind("owner", "filters/*/owner", "owner", "Who owns a filter.", _ASIDE),
        Kind("tags", "filters/*/tags", "tags", "For people.", _ASIDE),
        Kind("description", "filters/*/description", "description", "For people.", _ASIDE),
        Kind(
            "file",
            "filters/*/file",
            "file",
            "A filter moved to another file, which may have other owners.",
            _ASIDE,
        ),
        Kind(
            "file-moved",
            "",
            "name",
            "A file was moved or renamed, with its filters.",
            _ASIDE,
            "file",
        ),
        Kind("dataset", "datasets/*", "dataset", "A dataset was added or removed.", subject="dataset"),
        Kind(
            "dataset-renamed",
            "",
            "name",
            "A dataset has another name and the same filters.",
            (WARNING, WARNING, WARNING),
            "dataset",
        ),
        Kind(
            "dataset-description", "datasets/*/description", "description", "For people.", _ASIDE, "dataset"
        ),
        Kind(
            "relation",
            "datasets/*/relation/*",
            "relation on {0}",
            "Views and jobs read another table.",
            _RISK,
            "dataset",
        ),
        Kind(
            "files",
            "datasets/*/files/*/*",
            "{1} of the files on {0}",
            "Files are read in another format.",
            _RISK,
            "dataset",
        ),
        Kind("key", "datasets/*/key", "key", "The fields that identify a row in samples.", _ASIDE, "dataset"),
        Kind("field", "datasets/*/fields/*", "field {0}", "A field was added or removed.", subject="dataset"),
        Kind(
            "field-type",
            "datasets/*/fields/*/type",
            "type of {0}",
            "A field has another type.",
            subject="dataset",
        ),
        Kind(
            "stored-type",
            "datasets/*/fields/*/stored",
            "stored type of {0}",
            "The column of a field has another type.",
            subject="dataset",
        ),
        Kind(
            "field-nulls",
            "datasets/*/fields/*/nulls",
            "nulls of {0}",
            "NULL has another meaning.",
            subject="dataset",
        ),
        Kind(
            "field-min",
            "datasets/*/fields/*/min",
            "least value of {0}",
            "Values below are UNKNOWN.",
            subject="dataset",
        ),
        Kind(
            "field-max",
            "datasets/*/fields/*/max",
            "greatest value of {0}",
            "Values above are UNKNOWN.",
            subject="dataset",
        ),
        Kind(
            "column",
            "datasets/*/fields/*/columns/*",
            "column of {0} on {1}",
            "Another column is read.",
            _RISK,
            "dataset",
        ),
        Kind(
            "expression",
            "datasets/*/fields/*/expressions/*",
            "expression of {0} on {1}",
            "A field is read from another expression.",
            _RISK,
            "dataset",
        ),
        Kind(
            "field-sensitive",
            "datasets/*/fields/*/sensitive",
            "sensitive of {0}",
            "Whether people see the values of a field.",
            subject="dataset",
        ),
        Kind(
            "field-description",
            "datasets/*/fields/*/description",
            "description of {0}",
            "For people.",
            _ASIDE,
            "dataset",
        ),
        Kind(
            "enum",
            "datasets/*/enums/*",
            "value of {0}",
            "A name in an enumeration has another value.",
            subject="dataset",
        ),
        Kind(
            "list",
            "datasets/*/lists/*",
            "values of {0}",
            "A list has other values.",
            subject="dataset",
        ),
        Kind(
            "spark-ansi",
            "datasets/*/spark/ansi",
            "ANSI mode of Spark",
            "Whether spark conditions mean what Spark means in ANSI mode.",
            (WARNING, WARNING, WARNING),
            "dataset",
        ),
        Kind(
            "dataset-view-option",
            "datasets/*/view/*",
            "view option {0}",
            "With whose rights the views of a dataset read.",
            (WARNING, WARNING, WARNING),
            "dataset",
        ),
        Kind(
            "baseline",
            "datasets/*/baseline",
            "baseline",
            "How old the baseline of drift may be.",
            subject="dataset",
        ),
        Kind(
            "rows-bound",
            "datasets/*/rows/*",
            "bound {0} on the rows",
            "A bound on the number of rows of a dataset.",
            subject="dataset",
        ),
        Kind(
            "freshness",
            "datasets/*/freshness",
            "freshness",
            "How old the newest row may be.",
            subject="dataset",
        ),
        Kind(
            "partition",
            "datasets/*/partition",
            "partition",
            "How rows are divided for coverage.",
            subject="dataset",
        ),
        Kind(
            "where",
            "datasets/*/where",
            "where",
            "The filter of the rows that coverage counts.",
            (WARNING, WARNING, WARNING),
            "dataset",
        ),
        Kind("group", _GROUP, "group", "A group was added or removed.", subject="group", names=2),
        Kind(
            "group-members",
            f"{_GROUP}/filters",
            "members",
            "A group has other filters.",
            subject="group",
            names=2,
        ),
        Kind(
            "group-exclusive",
            f"{_GROUP}/exclusive",
            "exclusive",
            "Whether two filters of a group may accept the same row.",
            subject="group",
            names=2,
        ),
        Kind(
            "group-exhaustive",
            f"{_GROUP}/exhaustive",
            "exhaustive",
            "Whether each row must be accepted by a filter.",
            subject="group",
            names=2,
        ),
        Kind(
            "group-severity",
            f"{_GROUP}/severity",
            "severity",
            "Whether a violation is an error.",
            subject="group",
            names=2,
        ),
        Kind(
            "group-limit",
            f"{_GROUP}/limits/*",
            "limit of {0}",
            "How many rows may violate a condition of a group.",
            subject="group",
            names=2,
        ),
        Kind("group-description", f"{_GROUP}/description", "description", "For people.", _ASIDE, "group", 2),
        Kind(
            "subscription",
            _SUBSCRIPTION,
            "subscription",
            "A subscription was added or removed.",
            _RISK,
            "subscription",
            2,
        ),
        Kind(
            "subscription-filter",
            f"{_SUBSCRIPTION}/filter",
            "filter",
            "A subscription gets other rows.",
            (ROWS, ROWS, ROWS),
            "subscription",
            2,
        ),
        Kind(
            "subscription-property",
            f"{_SUBSCRIPTION}/properties/*",
            "property {0}",
            "The description of a subscription changed.",
            (WARNING, WARNING, WARNING),
            "subscription",
            2,
        ),
        Kind(
            "subscription-description",
            f"{_SUBSCRIPTION}/description",
            "description",
            "For people.",
            _ASIDE,
            "subscription",
            2,
        ),
        Kind("job", _JOB, "job", "A job was added or removed.", _RISK, "job", 2),
        Kind(
            "job-part",
            f"{_JOB}/*",
            "{0}",
            "The source, the sinks or the options of a job changed.",
            (ROWS, ROWS, ROWS),
            "job",
            2,
        ),
        Kind("job-description", f"{_JOB}/description", "description", "For people.", _ASIDE, "job", 2),
        Kind(
            "policy",
            _POLICY,
            "policy",
            "A row policy was added or removed.",
            (WARNING, WARNING, WARNING),
            "policy",
            2,
        ),
        Kind(
            "policy-part",
            f"{_POLICY}/*",
            "{0}",
            "The filters, the roles, the command or the table of a row policy changed.",
            (WARNING, WARNING, WARNING),
            "policy",
            2,
        ),
        Kind(
            "policy-description",
            f"{_POLICY}/description",
            "description",
            "For people.",
            _ASIDE,
            "policy",
            2,
        ),
        Kind(
            "attribute",
            "attributes/*",
            "attribute",
            "Row policies read another value of the session.",
            (NOTE, ROWS, ROWS),
            "attribute",
        ),
        Kind("macro", "macros/*", "macro", "The text of a macro changed.", (NOTE, NOTE, WARNING), "macro"),
        Kind(
            "variable",
            "vars/*",
            "variable",
            "A variable has another value.",
            (NOTE, NOTE, WARNING),
            "variable",
        ),
        Kind(
            "project",
            "project/*",
            "project",
            "A setting of the project file.",
            (WARNING, WARNING, WARNING),
            "project",
        ),
        Kind(
            "lock",
            "lock/*",
            "lock",
            "The line of a released version or subscription in the lock file.",
            subject="lock",
        ),
        Kind(
            "not-compared",
            "",
            "not compared",
            "Something that could not be compared.",
            (ROWS, ROWS, ROWS),
            "catalog",
        ),
        Kind("other", "", "{0}", "Any other change.", subject="catalog"),
    )
}
ORDER = {code: place for place, code in enumerate(KINDS)}
# What a version says of its meaning: compared with a proof, and not as data.
_PROVED = tuple(f"{_VERSION}/{part}" for part in ("text", "language", "on"))
_ABSENT: Any = None


class Difference(Struct, frozen=True):
    """Two values at one path of the data; None for a missing value."""

    kind: Kind
    path: tuple[str, ...]
    before: Any
    after: Any

    @property
    def wildcards(self) -> tuple[str, ...]:
        """The names in the path."""
        pattern = self.kind.path.split("/")
        return (
            tuple(name for name, part in zip(self.path, pattern, strict=False) if part == "*")
            if self.kind.path
            else ()
        )

    @property
    def name(self) -> str:
        """The name of the changed object, such as `flights.late`."""
        return ".".join(self.wildcards[: self.kind.names]) or self.path[0]

    @property
    def parts(self) -> tuple[str, ...]:
        """The changed parts, such as the name of a parameter, for the sentence of the kind."""
        return self.wildcards[self.kind.names :] if self.kind.path else ("/".join(self.path[1:]),)


class _Node(Struct):
    """The kinds at and below a path, and whether the path is compared by proofs."""

    kind: Kind | None = None
    proved: bool = False
    below: dict[str, _Node] = field(default_factory=dict[str, "_Node"])


def _tree() -> _Node:
    root = _Node()
    for kind in KINDS.values():
        if kind.path:
            _at(root, kind.path).kind = kind
    for path in _PROVED:
        _at(root, path).proved = True
    return root


def _at(node: _Node, path: str) -> _Node:
    for part in path.split("/"):
        node = node.below.setdefault(part, _Node())
    return node


_ROOT = _tree()


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Difference]:
    """All differences in the data of two snapshots. A difference without a kind of its own is "other"."""
    yield from _walk(before, after, _ROOT, ())


def _walk(before: Any, after: Any, node: _Node, path: tuple[str, ...]) -> Iterator[Difference]:
    if before == after or node.proved:
        return
    whole = not (isinstance(before, Mapping) and isinstance(after, Mapping)) or not node.below
    if whole and (node.kind is not None or not node.below):
        yield Difference(node.kind or KINDS["other"], path, before, after)
        return
    old, new = before or {}, after or {}
    for key in dict.fromkeys((*old, *new)):
        inner = node.below.get(key) or node.below.get("*") or _Node()
        yield from _walk(old.get(key, _ABSENT), new.get(key, _ABSENT), inner, (*path, key))
