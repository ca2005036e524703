"""Entry filters that the tests run."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from predicat.entry_filters import FilterContext, FilterResult

CLOSED: list[str] = []


class Tagged:
    """Rows whose kind is the tag of the subscription."""

    def filter_entry(self, entry: Mapping[str, Any], context: FilterContext) -> FilterResult:
        tag = context.properties.get("tag")
        return FilterResult.ACCEPT if tag is None or entry["kind"] == tag else FilterResult.REJECT

    def close(self) -> None:
        CLOSED.append("Tagged")


class Fragile:
    """Raises for odd ids, and wants rows of partition 9 again."""

    def filter_entry(self, entry: Mapping[str, Any], context: FilterContext) -> FilterResult:
        if entry["id"] % 2:
            raise ValueError(f"odd: {entry['id']}")
        return FilterResult.RESCHEDULE if context.message.get("partition") == 9 else FilterResult.ACCEPT

    def close(self) -> None:
        CLOSED.append("Fragile")


class Reader:
    """Accepts rows whose map and array it can read as Python's own."""

    def filter_entry(self, entry: Mapping[str, Any], context: FilterContext) -> FilterResult:
        found = entry["headers"]["k"] == "v" and entry["tags"] == ["a", "b"]
        return FilterResult.ACCEPT if found and "headers" not in context.message else FilterResult.REJECT

    def close(self) -> None: ...


class Typed:
    """Accepts rows whose values are Python's own, or None."""

    def filter_entry(self, entry: Mapping[str, Any], context: FilterContext) -> FilterResult:
        kinds = {"i": int, "n": int, "d": float, "s": str, "b": bool, "t": datetime}
        found = all(value is None or type(value) is kinds[name] for name, value in entry.items())
        return FilterResult.ACCEPT if found else FilterResult.REJECT

    def close(self) -> None: ...


class Wrong:
    """Gives no result."""

    def filter_entry(self, entry: Mapping[str, Any], context: FilterContext) -> None: ...

    def close(self) -> None:
        raise OSError("cannot close")


class Unmade:
    def __init__(self) -> None:
        raise RuntimeError("no licence")


class NoFilter: ...


class SecondTime:
    """Accepts a row when it is offered again."""

    def filter_entry(self, entry: Mapping[str, Any], context: FilterContext) -> FilterResult:
        return FilterResult.RESCHEDULE if context.tries < 2 else FilterResult.ACCEPT

    def close(self) -> None: ...


class Noted:
    """Accepts rows whose document it can read."""

    def filter_entry(self, entry: Mapping[str, Any], context: FilterContext) -> FilterResult:
        known = entry["note"] == {"n": 1} and context.consumer["job"] == "events"
        return FilterResult.ACCEPT if known else FilterResult.REJECT

    def close(self) -> None: ...
