"""Reads bounds: on the coverage of filters, the rows and freshness of datasets, and the age of baselines."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal

from msgspec.structs import replace

from predicat.catalog.keys import (
    BASELINE,
    BOUND,
    COVERAGE,
    FRESHNESS,
    PARTITION,
    ROWS,
    SEVERITIES,
    THRESHOLDS,
    Keys,
)
from predicat.catalog.model import Baseline, Bound, Freshness, Partition, Threshold, Thresholds
from predicat.catalog.yaml_nodes import YamlNode, text_of
from predicat.diagnostics.messages import catalog as say
from predicat.diagnostics.messages import check as say_check
from predicat.diagnostics.messages import keys as say_keys
from predicat.diagnostics.wording import either
from predicat.ir.time_zones import is_zone, zone_names
from predicat.ir.values import INT_MAX

_UNITS = {"minute": 60, "hour": 3600, "day": 86400, "week": 604800}
_AGE = re.compile(rf"([0-9]{{1,6}}) ({'|'.join(_UNITS)})s?\Z")
_DAYS = re.compile(r"([0-9]{1,4}) days?\Z")
_SHARE = re.compile(r"([0-9]{1,20}(?:\.[0-9]{1,20})?)\s*%\Z")
# Bounds that are never a number of rows, and what they are.
_SHARES = {"drift": say.A_SHARE, "anomaly": say.A_RATE}
_MOST_ALARMS = 0.1
# Bounds of which a warning has the greater limit.
_LEAST = ("at_least", "anomaly")


def read_coverage(item: YamlNode) -> dict[str, Bound]:
    """The bounds of a filter, by key: `1%`, `500` (rows), `{value: 1%, severity: warn}` or
    `{warn: 1%, error: 5%}`.
    """
    bounds: dict[str, Bound] = {}
    for key, value in item.keys("coverage", COVERAGE).items():
        bound = _bound(key, value)
        if bound is not None:
            bounds[key] = bound
    _check_order(item, bounds)
    return bounds


def read_rows(item: YamlNode) -> dict[str, Bound]:
    """The bounds of a dataset, by key: `at_least` and `at_most` are numbers of rows, others are shares."""
    bounds: dict[str, Bound] = {}
    for key, value in item.keys("rows", ROWS).items():
        bound = _bound(key, value)
        if bound is not None and bound.share and key not in _SHARES:
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
    thresholds, column = _ages("at_most", keys, _seconds), keys["column"]
    return Freshness(column.text("column"), thresholds, column.span) if thresholds else None


def read_partition(item: YamlNode) -> Partition | None:
    """The partitions of coverage: `{column: placed_at, by: day, zone: Europe/Berlin}`.

    Whether the column is a declared field is checked later. None if it cannot be read, which is reported.
    """
    keys = item.keys("partition", PARTITION)
    if any(item.lacks(keys, key, "partition") for key in ("column", "by")):
        return None
    by, column = keys["by"], keys["column"]
    known = PARTITION["by"]["enum"]
    if by.value not in known:
        item.reporter.add(say_keys.wrong_kind(by.span, "by", either(known), by.kind))
    zone = text_of(keys, "zone", "")
    is_known = not zone or is_zone(zone)
    if not is_known:
        item.reporter.add(say_check.bad_zone(keys["zone"].span, zone, zone_names()))
    if by.value not in known or not is_known:
        return None
    return Partition(column.text("column"), by.value, zone, column.span)


def read_baseline(item: YamlNode) -> Baseline | None:
    """The greatest age of the baseline of drift: `{max_age: 30 days}`. None if it cannot be read."""
    keys = item.keys("baseline", BASELINE)
    if item.lacks(keys, "max_age", "baseline"):
        return None
    thresholds = _ages("max_age", keys, _days)
    return Baseline(thresholds) if thresholds else None


def read_limits(keys: Mapping[str, YamlNode]) -> dict[str, Bound]:
    """How many rows may violate a condition of a group: `exclusive: {warn: 1, error: 100}`."""
    found = {key: _bound(key, item, THRESHOLDS) for key, item in keys.items() if item.is_mapping}
    return {key: bound for key, bound in found.items() if bound is not None}


def share_of(text: str) -> float | None:
    """The float nearest to a share such as `0.7%`, so that 7 of 1,000 rows are no more; None for another
    text.
    """
    share = _SHARE.match(text)
    return float(Decimal(share[1]) / 100) if share else None


def read_severity(keys: Mapping[str, YamlNode]) -> str:
    """The value of `severity`: error (the default) or warn."""
    if "severity" not in keys:
        return "error"
    severity = keys["severity"].value
    if severity not in SEVERITIES:
        keys["severity"].reporter.add(say.error_or_warn(keys["severity"].span))
    return "warn" if severity == "warn" else "error"


def _bound(key: str, item: YamlNode, known: Keys = BOUND) -> Bound | None:
    """One bound; None if it cannot be read, which is reported."""
    found = [(severity, _amount(key, node)) for severity, node in _by_severity(key, item, known).items()]
    bounds = [Bound(*amount, severity=severity) for severity, amount in found if amount is not None]
    if not bounds or len(bounds) < len(found):
        return None
    bound, *warning = bounds
    if warning and warning[0].share != bound.share:
        item.reporter.add(say.unlike_limits(item.span, key))
        return None
    result = replace(bound, warn=warning[0].value) if warning else bound
    _check_strictness(key, item, result.thresholds)
    return result


def _by_severity(key: str, item: YamlNode, known: Keys) -> dict[str, YamlNode]:
    """The limits of a bound by severity, an error first; none if they cannot be read, which is reported."""
    if not item.is_mapping:
        return {"error": item}
    keys = item.keys(key, known)
    limits = {severity: keys.pop(severity) for severity in SEVERITIES if severity in keys}
    if limits or "value" not in known:
        for other, node in keys.items():
            item.reporter.add(say.value_and_limits(node.span, key, other))
        return limits if limits or not item.lacks(limits, "error", key) else {}
    return {} if item.lacks(keys, "value", key) else {read_severity(keys): keys["value"]}


def _amount(key: str, item: YamlNode) -> tuple[float, bool] | None:
    """A share (0 to 1) or a number of rows, and whether it is a share; None if it is neither, which is
    reported.
    """
    value = item.value
    share = share_of(value) if isinstance(value, str) else None
    if share is not None and (0 < share <= _MOST_ALARMS if key == "anomaly" else share <= 1):
        return share, True
    known = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= INT_MAX
    if known and key not in _SHARES:
        return float(value), False
    item.reporter.add(say_keys.wrong_kind(item.span, key, _SHARES.get(key, say.A_SHARE_OR_ROWS), item.kind))
    return None


def _ages(key: str, keys: Mapping[str, YamlNode], read: Callable[[YamlNode], int | None]) -> Thresholds:
    """The limits of an age; none if they cannot be read, which is reported."""
    item = keys[key]
    found = _by_severity(key, item, THRESHOLDS) if item.is_mapping else {read_severity(keys): item}
    if item.is_mapping and "severity" in keys:
        item.reporter.add(say.value_and_limits(keys["severity"].span, key, "severity"))
    ages = [(read(node), str(node.value), severity) for severity, node in found.items()]
    thresholds = tuple(Threshold(age, text, severity) for age, text, severity in ages if age is not None)
    _check_strictness(key, item, thresholds)
    return thresholds if len(thresholds) == len(ages) else ()


def _seconds(item: YamlNode) -> int | None:
    age = _AGE.match(str(item.value))
    if age is None:
        item.reporter.add(say_keys.wrong_kind(item.span, "at_most", say.AN_AGE, item.kind))
    return int(age[1]) * _UNITS[age[2]] if age else None


def _days(item: YamlNode) -> int | None:
    days = _DAYS.match(str(item.value))
    if days is None:
        item.reporter.add(say.bad_max_age(item.span, item.kind))
    return int(days[1]) if days else None


def _check_strictness(key: str, item: YamlNode, thresholds: Thresholds) -> None:
    """Report a warning that is not stricter than the error."""
    if len(thresholds) > 1:
        error, warning = thresholds
        stricter = warning.value > error.value if key in _LEAST else warning.value < error.value
        if not stricter:
            item.reporter.add(say.warning_not_stricter(item.span, key, warning.text, error.text))


def _check_order(item: YamlNode, bounds: Mapping[str, Bound]) -> None:
    """Report an `at_least` above `at_most`: no value satisfies both."""
    low, high = bounds.get("at_least"), bounds.get("at_most")
    if low is None or high is None or low.share != high.share:
        return
    if low.thresholds[-1].value > high.thresholds[-1].value:
        item.reporter.add(say.bounds_reversed(item.span, low, high))
