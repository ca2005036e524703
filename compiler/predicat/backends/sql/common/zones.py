"""AT TIME ZONE, between timestamps and what clocks show."""

from __future__ import annotations

from sqlglot import exp

from predicat.backends.sql.builders import Sql, string_literal, wrap

_UTC = "UTC"


def at_zone(sql: Sql, zone: Sql) -> Sql:
    """What clocks show in a zone at a moment, or the moment at which they show it."""
    return exp.AtTimeZone(this=wrap(sql), zone=zone)


def utc(sql: Sql) -> Sql:
    """Between a timestamp and its wall clock in UTC, either way, whatever the session's time zone. There and
    back again is the same.
    """
    known = wall_clock(sql)
    return at_zone(sql, string_literal(_UTC)) if known is None else known


def wall_clock(sql: Sql) -> Sql | None:
    """What has become a timestamp or a wall clock by `AT TIME ZONE 'UTC'`; None of any other expression."""
    inner = sql.unnest()
    if isinstance(inner, exp.AtTimeZone) and inner.args["zone"].name == _UTC:
        found: Sql = inner.this
        return found
    return None
