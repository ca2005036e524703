"""SQL functions of regular expressions, as trees of operators.

Patterns are RE2. Sources: Spark SQL, "Built-in Functions", regexp_*; PostgreSQL, "POSIX Regular Expressions".
"""

from __future__ import annotations

import re

from sqlglot import exp

from predicat.diagnostics.messages import sql_functions as say
from predicat.ir import syntax as t
from predicat.language.common.trees import apply, choose, let, number, text
from predicat.language.sql import constants, patterns
from predicat.language.sql.arguments import arguments, counted
from predicat.language.sql.node_reader import Build, Reader
from predicat.semantics import captures

# The name of a variable that no condition can contain.
_TEXT = "a string"


def like(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """REGEXP_LIKE, with the flag `i` to ignore case."""
    span = reader.span(node)
    value, pattern, *flags = reader.all(counted(reader, node, 2, 3), depth)
    chosen = constants.text(reader, flags[0], "regexp_like") if flags else ""
    if chosen not in ("", "i", "c"):
        raise reader.fail(say.flag(flags[0].span, chosen))
    if chosen == "i":
        pattern = text("(?i)" + constants.text(reader, pattern, "regexp_like"), pattern.span)
    return apply("matches", span, value, pattern)


def extract(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """REGEXP_EXTRACT(s, pattern, group): a group (default: 1) of the first match, or an empty string, as in
    Spark.
    """
    span = reader.span(node)
    value, pattern, *group = reader.all(counted(reader, node, 2, 3), depth)
    return apply("regex_extract", span, value, pattern, *(group or [number(1, span)]))


def substr(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """REGEXP_SUBSTR: the first match; NULL if there is none."""
    span = reader.span(node)
    value, pattern = reader.all(counted(reader, node, 2), depth)

    def build(value: t.Tree) -> t.Tree:
        tree = apply("regex_extract", span, value, pattern, number(0, span))
        return choose(apply("matches", span, value, pattern), tree, t.Constant(None, span), span)

    return let(_TEXT, value, build, span)


def replace(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """REGEXP_REPLACE(s, pattern, new, 'g') replaces all matches."""
    span = reader.span(node)
    args = list(arguments(node))
    if len(args) == 3:
        return _replace_once(reader, node, depth)
    value, pattern, new, flags = reader.all(counted(reader, node, 4), depth)
    chosen = constants.text(reader, flags, "regexp_replace")
    if sorted(chosen) not in (["g"], ["g", "i"]):
        raise reader.fail(say.flag(flags.span, chosen))
    if "i" in chosen:
        pattern = text("(?i)" + constants.text(reader, pattern, "regexp_replace"), pattern.span)
    return apply("regex_replace", span, value, pattern, new)


def _replace_once(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """REGEXP_REPLACE without flags. Raises Stop unless the pattern can match only once: engines differ."""
    span = reader.span(node)
    value, pattern, new = reader.all(counted(reader, node, 3), depth)
    if not captures.matches_once(constants.text(reader, pattern, "regexp_replace")):
        raise reader.fail(say.replace_all_or_first(span))
    if not reader.language.dialect and set(constants.text(reader, new, "regexp_replace")) & set("$\\"):
        raise reader.fail(say.replacement(new.span))
    return apply("regex_replace", span, value, pattern, new)


def replace_all(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """Spark's REGEXP_REPLACE of all matches: in the replacement $1 is a group, and a backslash escapes."""
    span = reader.span(node)
    value, pattern, new = reader.all(counted(reader, node, 3), depth)
    written = constants.text(reader, new, "regexp_replace")
    plain = re.sub(r"\\(.)|\$(\d)|(\\)", _of_java, written, flags=re.DOTALL | re.ASCII)
    return apply("regex_replace", span, value, pattern, text(plain, new.span))


def _of_java(match: re.Match[str]) -> str:
    """A part of a Java replacement, in the syntax of the operator."""
    if match[2]:
        return f"\\{match[2]}"
    plain = match[1] or match[0]
    return "\\\\" if plain == "\\" else plain


def count(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """REGEXP_COUNT: the number of characters that are added by inserting one after each match."""
    span = reader.span(node)
    value, pattern = reader.all(counted(reader, node, 2), depth)

    def build(value: t.Tree) -> t.Tree:
        marked = apply("regex_replace", span, value, pattern, text("\\0#", span))
        return apply("sub", span, apply("length", span, marked), apply("length", span, value))

    return let(_TEXT, value, build, span)


# The functions by name.
RULES: dict[type[exp.Expr] | str, tuple[frozenset[str] | None, Build]] = {
    exp.RegexpILike: (frozenset({"this", "expression"}), patterns.matches_any_case),
    exp.RegexpLike: (frozenset({"this", "expression", "flag"}), like),
    "regexp_like": (None, like),
    "regexp_matches": (None, like),
    "regexp_extract": (None, extract),
    "regexp_substr": (None, substr),
    "regexp_replace": (None, replace),
    "regexp_count": (None, count),
}
