"""Spark: operators on strings."""

from __future__ import annotations

import re

from sqlglot import exp

from predicat.backends.sql.builders import Sql, call, cast, number_literal
from predicat.backends.sql.common.collections import join_texts
from predicat.backends.sql.common.patterns import extract, replace
from predicat.backends.sql.common.texts import case_insensitive, folded, like_or, replace_each, substr
from predicat.backends.sql.renderer import Renderer, Rule, constant, constant_int, function
from predicat.backends.sql.spark import patterns
from predicat.backends.sql.spark.collections import is_whole
from predicat.ir.nodes import Call
from predicat.semantics import regex


def _trim(name: str, end: str = "BOTH") -> Rule:
    """TRIM of spaces, or of given characters."""

    def rule(r: Renderer, node: Call) -> Sql:
        value, *characters = r.args(node)
        if not characters:
            return call(name, value)
        return exp.Trim(this=value, expression=characters[0], position=end)

    return rule


# Strings without special characters of regular expressions.
_PLAIN = re.compile("[A-Za-z0-9 @/:;,_=&%#~<>'\"-]+")


def _split(r: Renderer, node: Call) -> Sql:
    """SPLIT, whose separator is a Java pattern: a separator that may contain special characters is quoted."""
    by = constant(node.args[1])
    if _PLAIN.fullmatch(by) is None:
        by = "\\Q" + by.replace("\\E", "\\E\\\\E\\Q") + "\\E"
    count = [number_literal(constant_int(node.args[2]))] if len(node.args) == 3 else []
    return call("SPLIT", r.node(node.args[0]), by, *count)


RULES: dict[str, Rule] = {
    "sha256": lambda r, node: call("SHA2", r.node(node.args[0]), 256),
    "length": function("LENGTH"),
    "trim": _trim("TRIM"),
    "ltrim": _trim("LTRIM", "LEADING"),
    "rtrim": _trim("RTRIM", "TRAILING"),
    "lpad": function("LPAD"),
    "rpad": function("RPAD"),
    "strip": _trim("TRIM"),
    "split": _split,
    "join": join_texts("ARRAY_JOIN", is_whole),
    "starts_with": like_or("STARTSWITH", "", "%"),
    "ends_with": like_or("ENDSWITH", "%", ""),
    "contains": like_or("CONTAINS", "%", "%"),
    "starts_with_ci": case_insensitive("STARTSWITH"),
    "contains_ci": case_insensitive("CONTAINS"),
    "fold_case": folded("OCTET_LENGTH", lambda text: call("LOWER", text)),
    "like_ci": case_insensitive("LIKE"),
    "matches": patterns.matches,
    "regex_extract": extract(regex.JAVA),
    "regex_replace": replace(regex.JAVA, "${}".format, "$\\"),
    "substr": substr(lambda one, other: call("TRY_ADD", one, other), lambda places: cast(places, "INT")),
    "position": lambda r, node: call("INSTR", *r.args(node)),
    "replace_each": replace_each("(?s)(.)", "$1"),
}
