"""Reads filters, their versions and tests. No body is parsed yet. Invalid definitions are reported."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from predicat.catalog.bounds import read_coverage
from predicat.catalog.fields import read_params
from predicat.catalog.keys import (
    BESIDE_BODY,
    FILTER,
    TEST,
    VERSION,
    VIEW,
    VIEW_COLUMNS,
    VIEW_MATERIALIZED,
    VIEW_REASON,
)
from predicat.catalog.model import FilterTest, ViewOptions, WrittenFilter, WrittenVersion
from predicat.catalog.versions import version_number
from predicat.catalog.yaml_nodes import YamlNode, text_of
from predicat.diagnostics import PredicatError, Source, Span
from predicat.diagnostics.messages import catalog as say
from predicat.diagnostics.messages import entries
from predicat.diagnostics.messages import keys as say_keys
from predicat.ir.nodes import NOW
from predicat.language import LANGUAGES
from predicat.semantics import clock


def read_filter(
    dataset: str, name: str, item: YamlNode, span: Span, now: datetime | None
) -> WrittenFilter | None:
    """A filter. The result depends on its own text, the name of its dataset and `now` only.

    Args:
        dataset: The name of its dataset.
        name: Its name.
        item: Its definition.
        span: The place of its name.
        now: The current time of its tests, unless they set it.
    """
    if isinstance(item.value, str):
        item.reporter.add(say.filter_as_text(item.span, name, item.kind))
        return None
    keys = item.keys(say.the_filter(name), FILTER)
    versions = _versions(name, keys, item, span) if item.is_mapping else {}
    if not versions:
        return None
    on_unknown = text_of(keys, "on_unknown", "reject")
    if on_unknown not in ("reject", "accept"):
        item.reporter.add(say.reject_or_accept(keys["on_unknown"].span))
    return WrittenFilter(
        name,
        dataset,
        text_of(keys, "description"),
        text_of(keys, "owner"),
        tuple(tag.text("a tag") for tag in keys["tags"].items("tags")) if "tags" in keys else (),
        on_unknown,
        _latest(keys, versions),
        versions,
        tuple(read_tests(keys["tests"], now)) if "tests" in keys else (),
        read_coverage(keys["coverage"]) if "coverage" in keys else {},
        span,
        read_view_options(keys["view"]) if "view" in keys else {},
    )


def read_view_options(item: YamlNode) -> ViewOptions:
    """The options of PostgreSQL views: `{security_invoker: false, columns: [id, country]}`."""
    keys = item.keys("view", VIEW)
    more: ViewOptions = {}
    if VIEW_REASON in keys:
        more[VIEW_REASON] = keys.pop(VIEW_REASON).text(VIEW_REASON)
    if VIEW_COLUMNS in keys:
        named = keys.pop(VIEW_COLUMNS)
        columns = [part.text("a column") for part in named.items(VIEW_COLUMNS)]
        if not columns or len(set(columns)) < len(columns):
            item.reporter.add(say.view_columns(named.span))
        more[VIEW_COLUMNS] = columns
    return {**item.truths_of(keys), **more}


def is_open(options: Mapping[str, bool | str | list[str]]) -> bool:
    """Whether a view with these options of a catalog lets functions of readers see the rows that its filter
    rejects, and the catalog does not say why. A materialized view has no such rows.
    """
    switches = options.get("security_invoker"), options.get("security_barrier")
    return switches == (False, False) and not (options.get(VIEW_REASON) or options.get(VIEW_MATERIALIZED))


def _latest(keys: Mapping[str, YamlNode], versions: Mapping[int, WrittenVersion]) -> int:
    if "latest" not in keys:
        return max(versions)
    item = keys["latest"]
    if item.value not in versions:
        item.reporter.add(say.no_latest(item.span, item.value, ", ".join(map(str, versions))))
        return max(versions)
    return int(item.value)


# --- versions


def _versions(
    name: str, keys: Mapping[str, YamlNode], item: YamlNode, span: Span
) -> dict[int, WrittenVersion]:
    """The versions by number; a filter without `versions` is its only version."""
    if "versions" not in keys:
        only = _version(name, 1, keys, item, span)
        return {1: only} if only else {}
    for key in (*LANGUAGES, *BESIDE_BODY):
        if key in keys:
            where = say.filter_with_versions(name)
            item.reporter.add(say.key_of_a_version(keys[key].span, where, key))
    versions: dict[int, WrittenVersion] = {}
    for text, value, place in keys["versions"].entries("versions"):
        number = version_number(text)
        if number is None:
            item.reporter.add(say.bad_version(place, text))
            continue
        inner = value.keys(say.version(text, name), VERSION)
        version = _version(f"{name}@{text}", number, inner, value, place) if value.is_mapping else None
        if version:
            versions[number] = version
    if keys["versions"].empty:
        item.reporter.add(say_keys.no_body(span, name))
    return versions


def _version(
    name: str, number: int, keys: Mapping[str, YamlNode], item: YamlNode, span: Span
) -> WrittenVersion | None:
    languages = [language for language in LANGUAGES if language in keys]
    if not languages:
        item.reporter.add(say_keys.no_body(span, name))
        return None
    if len(languages) > 1:
        item.reporter.add(say_keys.two_bodies(keys[languages[1]].span, name, languages))
        return None
    (language,) = languages
    body = _body(language, keys)
    params = read_params(keys["params"]) if "params" in keys else {}
    if body is None or params is None:
        return None
    data, source = body
    return WrittenVersion(
        number,
        language,
        params,
        _day(keys["deprecated"]) if "deprecated" in keys else None,
        keys["on"].text("on") if "on" in keys else None,
        keys[language].span,
        (data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, default=str)).strip(),
        data,
        source,
    )


def _body(language: str, keys: Mapping[str, YamlNode]) -> tuple[Any, Source] | None:
    """A body, as a string or as data, and the source of its text."""
    item, shape = keys[language], LANGUAGES[language].shape
    if shape == "text" and not isinstance(item.value, str):
        item.reporter.add(say.body_not_text(item.span, language, item.kind))
        return None
    is_text = shape != "data" and isinstance(item.value, str)
    data: Any = item.value if is_text else item.data()
    source = item.body() if is_text else item.source
    if "after" in keys:
        after = keys["after"]
        if language != "python":
            item.reporter.add(entries.after_without_python(after.span, language))
        elif after.text("after"):
            data = {"python": data, "after": after.data()}
    return data, source


def _day(item: YamlNode) -> str | None:
    """A date in ISO format."""
    if isinstance(item.value, date):
        return item.value.isoformat()
    item.reporter.add(say.bad_date(item.span, item.kind))
    return None


# --- tests


def read_tests(item: YamlNode, now: datetime | None) -> list[FilterTest]:
    """The tests of a filter. `now` is their current time, unless they set it."""
    tests = (_test(part, now) for part in item.items("tests"))
    return [test for test in tests if test is not None]


def _test(item: YamlNode, now: datetime | None) -> FilterTest | None:
    keys = item.keys("a test", TEST)
    if any(item.lacks(keys, key, "a test") for key in ("row", "matches")):
        return None
    matches, row = keys["matches"], keys["row"].plain()
    if not isinstance(matches.value, bool) and matches.value != "unknown":
        item.reporter.add(say.bad_matches(matches.span, matches.kind))
        return None
    if not isinstance(row, dict):
        item.reporter.add(say.row_not_mapping(keys["row"].span, keys["row"].kind))
        return None
    version = keys["version"].value if "version" in keys else None
    if version is not None and not isinstance(version, int):
        item.reporter.add(say.version_not_whole(keys["version"].span, keys["version"].kind))
        return None
    return FilterTest(
        row,
        matches.value if isinstance(matches.value, bool) else None,
        item.span,
        version,
        text_of(keys, "description"),
        keys["row"].key_places(),
        read_now(keys["now"]) if "now" in keys else now,
    )


def read_now(item: YamlNode) -> datetime | None:
    """The current time of tests (UTC); None if it cannot be read."""
    try:
        return clock.reading(item.value)[NOW.name] if item.value is not None else None
    except PredicatError:
        item.reporter.add(say.bad_test_now(item.span, item.value))
        return None
