"""The keys of catalog files, and the names that may be given in them.

The reader of definitions, the JSON Schema and the editor take them from here.
"""

import re

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
GROUP_KEYS = ("filters", "exclusive", "exhaustive", "severity", "description")
SUBSCRIPTION_KEYS = ("filter", "properties", "description")
COVERAGE_KEYS = ("at_least", "at_most", "unknown_at_most", "drift")
BOUND_KEYS = ("value", "severity")
SEVERITIES = ("error", "warn")
BASELINE_KEYS = ("max_age", "severity")
SPARK_KEYS = ("ansi",)
VIEW_KEYS = ("security_invoker", "security_barrier")
VIEW_REASON = "reason"
"""Beside the options: why a view that shows the rows of its owner has no barrier."""
ROWS_KEYS = ("at_least", "at_most", "drift")
FRESHNESS_KEYS = ("column", "at_most", "severity")
TEST_KEYS = ("row", "matches", "version", "description", "now")
NAME = re.compile(r"[a-z][a-z0-9_]{0,62}\Z")
FIELD_NAME = re.compile(r"[A-Za-z_][\w.\-/ ]{0,127}\Z")
ENUM_NAME = re.compile(r"[A-Za-z_]\w{0,62}(?:\.[A-Za-z_]\w{0,62}){0,7}\Z")
SUBSCRIPTION_NAME = re.compile(r"[A-Za-z0-9][\w.\-/:]{0,127}\Z")
