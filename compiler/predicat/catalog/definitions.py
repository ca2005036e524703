"""What the YAML files say, before any filter is parsed: keys checked, kinds checked, names checked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from predicat.backends import DIALECTS
from predicat.catalog.field_sets import FieldSets, files_of, is_definitions
from predicat.catalog.jobs import JobReader
from predicat.catalog.lists import ListReader
from predicat.catalog.model import (
    Bound,
    FilterTest,
    Freshness,
    WrittenDataset,
    WrittenFilter,
    WrittenVersion,
)
from predicat.catalog.versions import version_number
from predicat.catalog.yaml_nodes import YamlNode
from predicat.diagnostics import PredicatError, Reporter, Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import catalog as say
from predicat.diagnostics.messages import entries
from predicat.ir.bounds import bound_of, has_bounds
from predicat.ir.nodes import NOW, FieldDecl, ParamDecl
from predicat.ir.types import SCALAR_NAMES, Type, TypeSyntaxError, parse_type
from predicat.ir.values import RowError, to_value
from predicat.ir.widths import stored_width
from predicat.language import LANGUAGES
from predicat.semantics import clock

API_VERSION = "predicat/v1"
FILE_KEYS = (
    "apiVersion",
    "dataset",
    "description",
    "relation",
    "key",
    "fields",
    "enums",
    "lists",
    "filters",
    "groups",
    "subscriptions",
    "tests",
    "now",
    "baseline",
    "rows",
    "freshness",
    "view",
    "indexes",
    "collation",
    "spark",
    "jobs",
    "vars",
)
FIELD_KEYS = ("type", "description", "column", "nulls", "min", "max")
PARAM_KEYS = ("type", "default", "description")
BODY_KEYS = ("params", "deprecated", "on", "after")
"""Beside the body. `after` is the native filter of an entry filter."""
FILTER_KEYS = (
    "description",
    "owner",
    "tags",
    "latest",
    "versions",
    "tests",
    "coverage",
    "on_unknown",
    "view",
    *BODY_KEYS,
)
_IN_FILTER = dict.fromkeys((*FILTER_KEYS, *LANGUAGES))
_IN_VERSION = dict.fromkeys((*BODY_KEYS, *LANGUAGES))
GROUP_KEYS = ("filters", "exclusive", "exhaustive", "severity", "description")
SUBSCRIPTION_KEYS = ("filter", "properties", "description")
COVERAGE_KEYS = ("at_least", "at_most", "unknown_at_most", "drift")
BOUND_KEYS = ("value", "severity")
SEVERITIES = ("error", "warn")
BASELINE_KEYS = ("max_age", "severity")
SPARK_KEYS = ("ansi",)
VIEW_KEYS = ("security_invoker", "security_barrier")
ROWS_KEYS = ("at_least", "at_most", "drift")
FRESHNESS_KEYS = ("column", "at_most", "severity")
_UNITS = {"minute": 60, "hour": 3600, "day": 86400, "week": 604800}
_AGE = re.compile(rf"([0-9]{{1,6}}) ({'|'.join(_UNITS)})s?\Z")
_DAYS = re.compile(r"([0-9]{1,4}) days?\Z")
_SHARE = re.compile(r"([0-9]{1,20}(?:\.[0-9]{1,20})?)\s*%\Z")
TEST_KEYS = ("row", "matches", "version", "description", "now")
NAME = re.compile(r"[a-z][a-z0-9_]{0,62}\Z")
FIELD_NAME = re.compile(r"[A-Za-z_][\w.\-/ ]{0,127}\Z")
_ENUM_NAME = re.compile(r"[A-Za-z_]\w{0,62}(?:\.[A-Za-z_]\w{0,62}){0,7}\Z")
_SUBSCRIPTION_NAME = re.compile(r"[A-Za-z0-9][\w.\-/:]{0,127}\Z")


def _where(span: Span) -> str:
    span = span.outermost()
    line, column = span.source.line_column(span.start)
    return f"{span.source.name}:{line}:{column}"


class DefinitionReader(Struct, dict=True):
    """Collects the definitions of all files."""

    reporter: Reporter
    now: datetime | None = None
    """The current time of the tests of the file that is being read."""
    datasets: dict[str, WrittenDataset] = field(default_factory=dict[str, WrittenDataset])
    variables: dict[str, Any] = field(default_factory=dict[str, Any])
    variable_places: dict[str, Span] = field(default_factory=dict[str, Span])
    list_files: set[Path] = field(default_factory=set[Path])
    others: list[YamlNode] = field(default_factory=list[YamlNode])
    root: Path | None = None
    """The folder of the catalog, or its file."""

    def __post_init__(self) -> None:
        self.sets = FieldSets(self.reporter, self.root)

    def add(self, item: YamlNode) -> None:
        """A file: of definitions, or of the values of a list or a set of fields, which a definition names."""
        if item.is_mapping and is_definitions(item):
            self.file(item)
        else:
            self.others.append(item)

    def finish(self) -> None:
        """Read the sets of fields, and report files that are none of these."""
        self.sets.finish(self.others, self.shared_field)
        for item in self.others:
            if Path(item.source.name).resolve() not in (self.list_files | self.sets.files):
                self.file(item)

    def file(self, item: YamlNode) -> None:
        keys = item.keys(say.CATALOG_FILE, FILE_KEYS)
        for needed in ("apiVersion", "dataset"):
            if needed not in keys:
                self.reporter.add(say.missing_in_file(Span(item.source, 0, 1), needed))
        if "apiVersion" in keys and keys["apiVersion"].text("apiVersion") != API_VERSION:
            self.reporter.add(say.api_version(keys["apiVersion"].span, API_VERSION))
        if "vars" in keys:
            for key, value, span in keys["vars"].entries("vars"):
                self.variables[key] = value.data()
                self.variable_places[key] = span
        if "dataset" not in keys:
            return
        name = keys["dataset"].text("dataset")
        if not NAME.match(name):
            self.reporter.add(msg.bad_name(keys["dataset"].span, "dataset", name))
            return
        dataset = self.datasets.setdefault(name, WrittenDataset(name))
        dataset.places.setdefault("dataset", keys["dataset"].span)
        self.dataset(dataset, keys)

    def moment(self, item: YamlNode | None) -> datetime | None:
        """The current time of tests; by default that of the file."""
        if item is None:
            return self.now
        try:
            return clock.reading(item.value)[NOW.name] if item.value is not None else None
        except PredicatError:
            self.reporter.add(say.bad_test_now(item.span, item.value))
            return None

    def dataset(self, dataset: WrittenDataset, keys: dict[str, YamlNode]) -> None:
        self.now = None
        self.now = self.moment(keys.get("now"))
        if "description" in keys:
            dataset.description = keys["description"].text("description")
            dataset.places["description"] = keys["description"].span
        if "key" in keys and self.once(dataset, "key", keys["key"].span):
            dataset.key = self.key(keys["key"])
        if "relation" in keys and self.once(dataset, "relation", keys["relation"].span):
            dataset.relation = self.relation(keys["relation"])
        if "fields" in keys:
            for name, value, span in keys["fields"].entries("fields"):
                files = files_of(name, value)
                if files is not None:
                    self.sets.include(dataset, files)
                else:
                    self.field(dataset, name, value, span)
        if "enums" in keys:
            for name, value, span in keys["enums"].entries("enums"):
                self.enum(dataset, name, value, span)
        if "lists" in keys:
            for name, value, span in keys["lists"].entries("lists"):
                self.value_list(dataset, name, value, span)
        if "filters" in keys:
            for name, value, span in keys["filters"].entries("filters"):
                self.filter(dataset, name, value, span)
        if "groups" in keys:
            for name, value, span in keys["groups"].entries("groups"):
                self.group(dataset, name, value, span)
        if "subscriptions" in keys:
            for name, value, span in keys["subscriptions"].entries("subscriptions"):
                self.subscription(dataset, name, value, span)
        if "jobs" in keys:
            for name, value, span in keys["jobs"].entries("jobs"):
                self.job(dataset, name, value, span)
        if "baseline" in keys and self.once(dataset, "baseline", keys["baseline"].span):
            dataset.baseline = self.baseline(keys["baseline"])
        if "view" in keys and self.once(dataset, "view", keys["view"].span):
            dataset.view = self.view(keys["view"])
        if "indexes" in keys and self.once(dataset, "indexes", keys["indexes"].span):
            dataset.indexes = tuple(map(self.index, keys["indexes"].items("indexes")))
        if "collation" in keys and self.once(dataset, "collation", keys["collation"].span):
            dataset.collation = keys["collation"].text("collation")
        if "spark" in keys and self.once(dataset, "spark", keys["spark"].span):
            dataset.ansi = self.spark(keys["spark"])
        if "rows" in keys and self.once(dataset, "rows", keys["rows"].span):
            dataset.rows = self.rows(keys["rows"])
        if "freshness" in keys and self.once(dataset, "freshness", keys["freshness"].span):
            dataset.freshness = self.freshness(keys["freshness"])
        if "tests" in keys:
            for name, value, span in keys["tests"].entries("tests"):
                base, _, version = name.partition("@")
                if version:
                    self.reporter.add(say.tests_of_a_version(span, base, version))
                    continue
                dataset.uses.append((name, span))
                dataset.tests.setdefault(name, []).extend(self.listed_tests(value))

    def once(self, dataset: WrittenDataset, what: str, span: Span) -> bool:
        """Several files share a dataset; each thing is defined in one of them."""
        first = dataset.places.setdefault(what, span)
        if first != span:
            kind, _, name = what.partition(" ")
            self.reporter.add(msg.duplicate_name(span, kind, name or dataset.name, _where(first)))
            return False
        return True

    def relation(self, item: YamlNode) -> dict[str, str]:
        if item.value is not None:
            return dict.fromkeys(DIALECTS, item.text("relation"))
        return {
            key: value.text(say.relation_of(key)) for key, value in item.keys("relation", DIALECTS).items()
        }

    def index(self, item: YamlNode) -> str:
        """An index of the relation in PostgreSQL, as it stands behind the table in CREATE INDEX."""
        from predicat.backends.sql.postgres.stored import read_index  # noqa: PLC0415  # not for --help

        text = item.text("an index")
        if read_index(text) is None:
            self.reporter.add(say.bad_index(item.span, text))
        return text

    def key(self, item: YamlNode) -> tuple[str, ...]:
        """The fields that name a row: one, or a list of them."""
        return (
            (item.text("key"),)
            if item.value is not None
            else tuple(part.text(say.KEY_FIELD) for part in item.items("key"))
        )

    # --- fields and parameters

    def field(self, dataset: WrittenDataset, name: str, item: YamlNode, span: Span) -> None:
        if "unknown-field" in dataset.unread and msg.is_rest(name):
            return  # of a type that a comma ends, which is reported
        if not FIELD_NAME.match(name):
            self.reporter.add(say.bad_field_name(span, name))
            return
        if not self.once(dataset, f"field {name}", span):
            return
        declared = self.declared(name, item, span)
        if declared is not None:
            dataset.fields[name] = declared
        else:
            dataset.unread.add("unknown-field")

    def shared_field(self, name: str, item: YamlNode, span: Span) -> FieldDecl | None:
        """A field of a set."""
        if not FIELD_NAME.match(name):
            self.reporter.add(say.bad_field_name(span, name))
            return None
        return self.declared(name, item, span)

    def declared(self, name: str, item: YamlNode, span: Span) -> FieldDecl | None:
        """A field by itself: nothing but its own text counts."""
        if item.value is not None:
            only = self.type(item)
            return (
                FieldDecl(name, only, stored=stored_width(item.text("a type"))) if only is not None else None
            )
        keys = item.keys(say.field(name), FIELD_KEYS)
        if "type" not in keys:
            item.lacks(say.field_type_missing(span, name))
            return None
        nulls = keys["nulls"].text("nulls") if "nulls" in keys else "absent"
        if nulls not in ("absent", "value"):
            self.reporter.add(say.absent_or_value(keys["nulls"].span))
        columns: dict[str, str] = {}
        if "column" in keys and keys["column"].value is not None:
            columns = dict.fromkeys(DIALECTS, keys["column"].text("column"))
        elif "column" in keys:
            columns = {
                key: value.text("column") for key, value in keys["column"].keys("column", DIALECTS).items()
            }
        kind = self.type(keys["type"])
        if kind is None:
            return None
        width = stored_width(keys["type"].text("a type"))
        least, greatest = (self.end(keys[key], key, kind) if key in keys else None for key in ("min", "max"))
        if least is not None and greatest is not None and least > greatest:
            self.reporter.add(say.no_values(keys["max"].span, name))
        return FieldDecl(
            name, kind, self.description(keys), nulls, tuple(columns.items()), width, least, greatest
        )

    def end(self, item: YamlNode, key: str, kind: Type) -> Any:
        """The least or the greatest value of a field."""
        try:
            if has_bounds(kind):
                return bound_of(item.data(), kind)
        except RowError:
            self.reporter.add(say.bad_bound(item.span, key, kind))
            return None
        self.reporter.add(say.no_bounds(item.span, key, kind))
        return None

    def enum(self, dataset: WrittenDataset, name: str, item: YamlNode, span: Span) -> None:
        """An enumeration: words that stand for whole numbers, as in protobuf, or for texts."""
        if not _ENUM_NAME.match(name):
            self.reporter.add(say.bad_enumeration(span, name))
            return
        if not self.once(dataset, f"enum {name}", span):
            return
        for word, value, place in item.entries(say.enumeration(name)):
            found = value.value
            if not _ENUM_NAME.match(word) or "." in word:
                self.reporter.add(say.bad_word(place, word))
            elif isinstance(found, str) or (isinstance(found, int) and not isinstance(found, bool)):
                dataset.enums[f"{name}.{word}"] = found
            else:
                self.reporter.add(say.bad_word_value(value.span, name, word, value.kind))

    def value_list(self, dataset: WrittenDataset, name: str, item: YamlNode, span: Span) -> None:
        if not NAME.match(name):
            self.reporter.add(msg.bad_name(span, "list", name))
            return
        if not self.once(dataset, f"list {name}", span):
            return
        reader = ListReader(self.reporter, self.list_files)
        found = reader.list(name, item, span)
        if found is not None:
            dataset.lists[name] = found
        else:
            dataset.unread.add("unknown-list")

    def type(self, item: YamlNode) -> Type | None:
        """A type; None if it is not one, which is reported."""
        text = item.text("a type")
        try:
            return parse_type(text)
        except TypeSyntaxError as error:
            if text:
                self.reporter.add(msg.bad_type(item.span, text, str(error), SCALAR_NAMES))
            return None

    def params(self, item: YamlNode) -> dict[str, ParamDecl] | None:
        """The parameters; None if one of them cannot be read, which is reported."""
        found = {name: self.param(name, value, span) for name, value, span in item.entries("params")}
        known = {name: declared for name, declared in found.items() if declared is not None}
        return known if len(known) == len(found) and item.is_mapping else None

    def param(self, name: str, item: YamlNode, span: Span) -> ParamDecl | None:
        if not NAME.match(name):
            self.reporter.add(msg.bad_name(span, "parameter", name))
            return None
        if item.value is not None:
            only = self.type(item)
            return ParamDecl(name, only, required=True) if only is not None else None
        keys = item.keys(say.parameter(name), PARAM_KEYS)
        if "type" not in keys:
            item.lacks(say.parameter_type_missing(span, name))
            return None
        kind = self.type(keys["type"])
        if kind is None:
            return None
        default = None
        if "default" in keys:
            try:
                default = to_value(keys["default"].data(), kind)
            except RowError:
                self.reporter.add(say.bad_default(keys["default"].span, kind))
        return ParamDecl(name, kind, default, "default" not in keys, self.description(keys))

    # --- filters

    def filter(self, dataset: WrittenDataset, name: str, item: YamlNode, span: Span) -> None:
        if not NAME.match(name):
            self.reporter.add(msg.bad_name(span, "filter", name))
            return
        if not self.once(dataset, f"filter {name}", span):
            return
        definition = self.definition(dataset.name, name, item, span)
        if definition is not None:
            dataset.filters[name] = definition

    def definition(self, dataset: str, name: str, item: YamlNode, span: Span) -> WrittenFilter | None:
        """A filter by itself: nothing but its own text and the name of its dataset counts."""
        if isinstance(item.value, str):
            self.reporter.add(say.filter_as_text(item.span, name, item.kind))
            return None
        keys = item.keys(say.the_filter(name), _IN_FILTER)
        if not item.is_mapping:
            return None
        versions = self.versions(name, keys, span)
        if not versions:
            return None
        on_unknown = keys["on_unknown"].text("on_unknown") if "on_unknown" in keys else "reject"
        if on_unknown not in ("reject", "accept"):
            self.reporter.add(say.reject_or_accept(keys["on_unknown"].span))
        return WrittenFilter(
            name,
            dataset,
            self.description(keys),
            keys["owner"].text("owner") if "owner" in keys else "",
            tuple(tag.text("a tag") for tag in keys["tags"].items("tags")) if "tags" in keys else (),
            on_unknown,
            self.latest(keys, versions),
            versions,
            tuple(self.tests(keys["tests"])) if "tests" in keys else (),
            self.coverage(keys["coverage"]) if "coverage" in keys else {},
            span,
            self.view(keys["view"]) if "view" in keys else {},
        )

    def coverage(self, item: YamlNode) -> dict[str, Bound]:
        """Bounds such as `1%`, `500` (rows) or `{value: 1%, severity: warn}`."""
        found: dict[str, Bound] = {}
        for key, value in item.keys("coverage", COVERAGE_KEYS).items():
            bound = self.bound(key, value)
            if bound is not None:
                found[key] = bound
        self.ordered(item, found)
        return found

    def rows(self, item: YamlNode) -> dict[str, Bound]:
        """Bounds on the number of rows of a dataset: `at_least` and `at_most` in rows, `drift` as a share."""
        bounds: dict[str, Bound] = {}
        for key, value in item.keys("rows", ROWS_KEYS).items():
            bound = self.bound(key, value)
            if bound is not None and bound.share and key != "drift":
                self.reporter.add(say.not_rows(value.span, key, str(bound)))
            elif bound is not None:
                bounds[key] = bound
        self.ordered(item, bounds)
        return bounds

    def ordered(self, item: YamlNode, bounds: Mapping[str, Bound]) -> None:
        """No value lies at or above `at_least` and at or below a smaller `at_most`."""
        low, high = bounds.get("at_least"), bounds.get("at_most")
        if low is not None and high is not None and low.share == high.share and low.value > high.value:
            self.reporter.add(say.bounds_reversed(item.span, low, high))

    def freshness(self, item: YamlNode) -> Freshness | None:
        """How old the newest row may be: `{column: loaded_at, at_most: 26 hours}`. The column is a
        declared field.
        """
        keys = item.keys("freshness", FRESHNESS_KEYS)
        for key in ("column", "at_most"):
            if key not in keys:
                item.lacks(msg.missing_key(item.span, key, "freshness"))
                return None
        text = str(keys["at_most"].value)
        age = _AGE.match(text)
        if age is None:
            expected = say.AN_AGE
            self.reporter.add(msg.wrong_kind(keys["at_most"].span, "at_most", expected, keys["at_most"].kind))
            return None
        field_name = keys["column"].text("column")
        return Freshness(
            field_name, int(age[1]) * _UNITS[age[2]], text, self.severity(keys), keys["column"].span
        )

    def bound(self, key: str, item: YamlNode) -> Bound | None:
        severity = "error"
        value: Any = item.value
        if item.is_mapping:
            keys = item.keys(key, BOUND_KEYS)
            if "value" not in keys:
                item.lacks(msg.missing_key(item.span, "value", key))
                return None
            value = keys["value"].value
            severity = self.severity(keys)
        share = _SHARE.match(value) if isinstance(value, str) else None
        if share and float(share[1]) <= 100:
            return Bound(float(share[1]) / 100, share=True, severity=severity)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0 and key != "drift":
            return Bound(float(value), share=False, severity=severity)
        expected = say.A_SHARE if key == "drift" else say.A_SHARE_OR_ROWS
        self.reporter.add(msg.wrong_kind(item.span, key, expected, item.kind))
        return None

    def baseline(self, item: YamlNode) -> dict[str, Any]:
        """How old the baseline of drift may be: `{max_age: 30 days}`."""
        keys = item.keys("baseline", BASELINE_KEYS)
        if "max_age" not in keys:
            item.lacks(msg.missing_key(item.span, "max_age", "baseline"))
            return {}
        found = _DAYS.match(str(keys["max_age"].value))
        if not found:
            self.reporter.add(say.bad_max_age(keys["max_age"].span, keys["max_age"].kind))
            return {}
        return {"max_age": int(found[1]), "severity": self.severity(keys)}

    def view(self, item: YamlNode) -> dict[str, bool]:
        """The security options of PostgreSQL views: `{security_invoker: false}`."""
        return self.truths(item, "view", VIEW_KEYS)

    def spark(self, item: YamlNode) -> bool:
        """What `spark` conditions mean, `{ansi: false}`: whether it is their meaning in ANSI mode."""
        return self.truths(item, "spark", SPARK_KEYS).get("ansi", True)

    def truths(self, item: YamlNode, what: str, known: tuple[str, ...]) -> dict[str, bool]:
        """A mapping of truth values."""
        found: dict[str, bool] = {}
        for key, value in item.keys(what, known).items():
            if isinstance(value.value, bool):
                found[key] = value.value
            else:
                self.reporter.add(say.not_truth(value.span, key, value.kind))
        return found

    def severity(self, keys: Mapping[str, YamlNode]) -> str:
        if "severity" not in keys:
            return "error"
        found = keys["severity"].value
        if found not in SEVERITIES:
            self.reporter.add(say.error_or_warn(keys["severity"].span))
        return "warn" if found == "warn" else "error"

    def latest(self, keys: dict[str, YamlNode], versions: Mapping[int, WrittenVersion]) -> int:
        if "latest" not in keys:
            return max(versions)
        value = keys["latest"].value
        if value not in versions:
            known = ", ".join(map(str, versions))
            self.reporter.add(say.no_latest(keys["latest"].span, value, known))
            return max(versions)
        return int(value)

    def versions(self, name: str, keys: dict[str, YamlNode], span: Span) -> dict[int, WrittenVersion]:
        if "versions" not in keys:
            found = self.version(name, 1, keys, span)
            return {1: found} if found else {}
        for key in (*LANGUAGES, *BODY_KEYS):
            if key in keys:
                where = say.filter_with_versions(name)
                self.reporter.add(say.key_of_a_version(keys[key].span, where, key))
        out: dict[int, WrittenVersion] = {}
        for number, value, place in keys["versions"].entries("versions"):
            whole = version_number(number)
            if whole is None:
                self.reporter.add(say.bad_version(place, number))
                continue
            inner = value.keys(say.version(number, name), _IN_VERSION)
            found = self.version(f"{name}@{number}", whole, inner, place) if value.is_mapping else None
            if found:
                out[whole] = found
        if keys["versions"].empty:
            self.reporter.add(msg.no_body(span, name, LANGUAGES))
        return out

    def version(self, name: str, number: int, keys: dict[str, YamlNode], span: Span) -> WrittenVersion | None:
        bodies = [language for language in LANGUAGES if language in keys]
        if not bodies:
            self.reporter.add(msg.no_body(span, name, LANGUAGES))
            return None
        if len(bodies) > 1:
            self.reporter.add(msg.two_bodies(keys[bodies[1]].span, name, bodies))
            return None
        body = keys[bodies[0]]
        shape = LANGUAGES[bodies[0]].shape
        if shape == "text" or (shape == "either" and isinstance(body.value, str)):
            if not isinstance(body.value, str):
                self.reporter.add(say.body_not_text(body.span, bodies[0], body.kind))
                return None
            value: Any = body.value
            source = body.body()
        else:
            value, source = body.data(), body.source
        if "after" in keys:
            after = keys["after"]
            if bodies[0] != "python":
                self.reporter.add(entries.after_without_python(after.span, bodies[0]))
            elif after.text("after"):
                value = {"python": value, "after": after.data()}
        shown = value if isinstance(value, str) else _shown(value)
        params = self.params(keys["params"]) if "params" in keys else {}
        if params is None:
            return None
        return WrittenVersion(
            number,
            bodies[0],
            params,
            self.day(keys["deprecated"]) if "deprecated" in keys else None,
            keys["on"].text("on") if "on" in keys else None,
            body.span,
            shown.strip(),
            value,
            source,
        )

    def day(self, item: YamlNode) -> str | None:
        if isinstance(item.value, date):
            return item.value.isoformat()
        self.reporter.add(say.bad_date(item.span, item.kind))
        return None

    def tests(self, item: YamlNode) -> Iterable[FilterTest]:
        for test in item.items("tests"):
            keys = test.keys("a test", TEST_KEYS)
            if "row" not in keys or "matches" not in keys:
                test.lacks(msg.missing_key(test.span, "matches" if "row" in keys else "row", "a test"))
                continue
            matches = keys["matches"].value
            if not isinstance(matches, bool) and matches != "unknown":
                self.reporter.add(say.bad_matches(keys["matches"].span, keys["matches"].kind))
                continue
            row = keys["row"].plain()
            if not isinstance(row, dict):
                self.reporter.add(say.row_not_mapping(keys["row"].span, keys["row"].kind))
                continue
            version = keys["version"].value if "version" in keys else None
            if version is not None and not isinstance(version, int):
                self.reporter.add(say.version_not_whole(keys["version"].span, keys["version"].kind))
                continue
            yield FilterTest(
                row,
                matches if isinstance(matches, bool) else None,
                test.span,
                version,
                self.description(keys),
                keys["row"].key_places(),
                self.moment(keys.get("now")),
            )

    def listed_tests(self, item: YamlNode) -> list[FilterTest]:
        """The tests that stand apart from their filter."""
        return list(self.tests(item))

    # --- groups and subscriptions

    def group(self, dataset: WrittenDataset, name: str, item: YamlNode, span: Span) -> None:
        if not NAME.match(name):
            self.reporter.add(msg.bad_name(span, "group", name))
            return
        if not self.once(dataset, f"group {name}", span):
            return
        keys = item.keys(say.group(name), GROUP_KEYS)
        if "filters" not in keys:
            item.lacks(say.group_without_filters(span, name))
            return
        members = [
            (member.text(say.FILTER_OF_GROUP), member.span) for member in keys["filters"].items("filters")
        ]
        dataset.uses += members
        flags = {key: key in keys and bool(keys[key].value) for key in ("exclusive", "exhaustive")}
        dataset.groups[name] = {
            "filters": [member for member, _ in members],
            **flags,
            "severity": self.severity(keys),
            "description": self.description(keys),
        }

    def subscription(self, dataset: WrittenDataset, name: str, item: YamlNode, span: Span) -> None:
        if not _SUBSCRIPTION_NAME.match(name):
            self.reporter.add(say.bad_subscription_name(span, name))
            return
        if not self.once(dataset, f"subscription {name}", span):
            return
        keys = item.keys(say.subscription(name), SUBSCRIPTION_KEYS)
        if "filter" not in keys:
            item.lacks(say.subscription_without_filter(span, name))
            return
        dataset.uses.append((keys["filter"].text("filter"), keys["filter"].span))
        properties: dict[str, str] = {}
        if "properties" in keys:
            properties = {
                key: value.text(f"property {key!r}")
                for key, value, _ in keys["properties"].entries("properties")
            }
        dataset.subscriptions[name] = {
            "filter": keys["filter"].text("filter"),
            "properties": properties,
            "description": self.description(keys),
        }

    def job(self, dataset: WrittenDataset, name: str, item: YamlNode, span: Span) -> None:
        if not NAME.match(name):
            self.reporter.add(msg.bad_name(span, "job", name))
            return
        if not self.once(dataset, f"job {name}", span):
            return
        found = JobReader(self.reporter).job(dataset.name, name, item, span)
        if found is not None:
            dataset.jobs[name] = found

    @staticmethod
    def description(keys: Mapping[str, YamlNode]) -> str:
        return keys["description"].text("description") if "description" in keys else ""


def _shown(value: Any) -> str:
    import json  # noqa: PLC0415  # only for bodies that are no texts

    return json.dumps(value, ensure_ascii=False, default=str)
