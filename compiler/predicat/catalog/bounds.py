"""Reads bounds: on the coverage of filters, the rows and freshness of datasets, and the age of baselines."""

from __future__ import annotations

import re
from collections.abc import Mapping

from predicat.catalog.keys import BASELINE, BOUND, COVERAGE, FRESHNESS, ROWS, SEVERITIES
from predicat.catalog.model import Baseline, Bound, Freshness
from predicat.catalog.yaml_nodes import YamlNode
from predicat.diagnostics.messages import catalog as say
from predicat.diagnostics.messages import keys as say_keys
from predicat.ir.values import INT_MAX

_UNITS = {"minute": 60, "hour": 3600, "day": 86400, "week": 604800}
_AGE = re.compile(rf"([0-9]{{1,6}}) ({'|'.join(_UNITS)})s?\Z")
_DAYS = re.compile(r"([0-9]{1,4}) days?\Z")
_SHARE = re.compile(r"([0-9]{1,20}(?:\.[0-9]{1,20})?)\s*%\Z")


def read_coverage(item: YamlNode) -> dict[str, Bound]:
    """The bounds of a filter, by key: `1%`, `500` (rows) or `{value: 1%, severity: warn}`."""
    bounds: dict[str, Bound] = {}
    for key, value in item.keys("coverage", COVERAGE).items():
        bound = _bound(key, value)
        if bound is not None:
            bounds[key] = bound
    _check_order(item, bounds)
    return bounds


def read_rows(item: YamlNode) -> dict[str, Bound]:
    """The bounds of a dataset, by key: `at_least` and `at_most` are numbers of rows, `drift` is a share."""
    bounds: dict[str, Bound] = {}
    for key, value in item.keys("rows", ROWS).items():
        bound = _bound(key, value)
        if bound is not None and bound.share and key != "drift":
            item.reporter.add(say.not_rows(value.span, key, str(bound)))
        elif bound is not None:
            bounds[key] = bound
    _check_order(item, bounds)
    return bounds


def read_freshness(item: YamlNode) -> Freshness | None:
    """The greatest age of the newest row: `{column: loaded_at, at_most: 26 hours}`.

    Whether the column is a declared field is checked later. None if it cannot be read, which is reported.
    """
    keys = item.keys("freshness", FRESHNESS)
    if any(item.lacks(keys, key, "freshness") for key in ("column", "at_most")):
        return None
    limit = keys["at_most"]
    text = str(limit.value)
    age = _AGE.match(text)
    if age is None:
        item.reporter.add(say_keys.wrong_kind(limit.span, "at_most", say.AN_AGE, limit.kind))
        return None
    column = keys["column"]
    seconds = int(age[1]) * _UNITS[age[2]]
    return Freshness(column.text("column"), seconds, text, read_severity(keys), column.span)


def read_baseline(item: YamlNode) -> Baseline | None:
    """The greatest age of the baseline of drift: `{max_age: 30 days}`. None if it cannot be read."""
    keys = item.keys("baseline", BASELINE)
    if item.lacks(keys, "max_age", "baseline"):
        return None
    days = _DAYS.match(str(keys["max_age"].value))
    if not days:
        item.reporter.add(say.bad_max_age(keys["max_age"].span, keys["max_age"].kind))
        return None
    return Baseline(int(days[1]), read_severity(keys))


def read_severity(keys: Mapping[str, YamlNode]) -> str:
    """The value of `severity`: error (the default) or warn."""
    if "severity" not in keys:
        return "error"
    severity = keys["severity"].value
    if severity not in SEVERITIES:
        keys["severity"].reporter.add(say.error_or_warn(keys["severity"].span))
    return "warn" if severity == "warn" else "error"


def _bound(key: str, item: YamlNode) -> Bound | None:
    """One bound; None if it cannot be read, which is reported."""
    severity, given = "error", item
    if item.is_mapping:
        keys = item.keys(key, BOUND)
        if item.lacks(keys, "value", key):
            return None
        severity, given = read_severity(keys), keys["value"]
    value = given.value
    share = _SHARE.match(value) if isinstance(value, str) else None
    if share and float(share[1]) <= 100:
        return Bound(float(share[1]) / 100, share=True, severity=severity)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= INT_MAX and key != "drift":
        return Bound(float(value), share=False, severity=severity)
    expected = say.A_SHARE if key == "drift" else say.A_SHARE_OR_ROWS
    item.reporter.add(say_keys.wrong_kind(item.span, key, expected, item.kind))
    return None


def _check_order(item: YamlNode, bounds: Mapping[str, Bound]) -> None:
    """Report an `at_least` above `at_most`: no value satisfies both."""
    low, high = bounds.get("at_least"), bounds.get("at_most")
    if low is not None and high is not None and low.share == high.share and low.value > high.value:
        item.reporter.add(say.bounds_reversed(item.span, low, high))
