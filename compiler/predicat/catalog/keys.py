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
FIELD_KEYS = ("type", "description", "column", "expression", "nulls", "min", "max")
PARAM_KEYS = ("type", "default", "description")
# Beside the body. `after` is the native filter of an entry filter.
BODY_KEYS = ("params", "deprecated", "on", "after")
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
# Beside the options: the columns of the relation that a view shows.
VIEW_COLUMNS = "columns"
# Beside the options: why a view that shows the rows of its owner has no barrier.
VIEW_REASON = "reason"
ROWS_KEYS = ("at_least", "at_most", "drift")
FRESHNESS_KEYS = ("column", "at_most", "severity")
TEST_KEYS = ("row", "matches", "version", "description", "now")
NAME = re.compile(r"[a-z][a-z0-9_]{0,62}\Z")
# What scripts write above, below or after a letter, and the letters between.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0dff\u0e00-\u0eff"
    "\u1000-\u109f\u3099\u309a"
)
LETTERS = rf"\w{_MARKS}"
# A name that a field can have as it is, in the letters of any script.
IDENTIFIER = rf"[^\W\d][{LETTERS}-]{{0,127}}"
FIELD_NAME = re.compile(rf"[^\W\d][{LETTERS}.\-/ ]{{0,127}}\Z")
ENUM_NAME = re.compile(r"[A-Za-z_]\w{0,62}(?:\.[A-Za-z_]\w{0,62}){0,7}\Z")
SUBSCRIPTION_NAME = re.compile(r"[A-Za-z0-9][\w.\-/:]{0,127}\Z")
