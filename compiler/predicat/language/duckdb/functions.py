"""Operators and functions that only DuckDB has, or that have another meaning there.

Source: DuckDB documentation, "Functions".
"""

from __future__ import annotations

from sqlglot import exp

from predicat.diagnostics.messages import sql as say
from predicat.diagnostics.messages import sql_functions
from predicat.ir import syntax as t
from predicat.language.common.trees import apply, choose, each, let, number, plus, text
from predicat.language.sql import array_functions, calendars, constants, documents, operators, times
from predicat.language.sql.arguments import counted
from predicat.language.sql.node_reader import Build, Reader
from predicat.language.sql.number_functions import double

# Names of variables that no condition can contain.
_TEXT, _PLACE, _ITEM = "a string", "a place", "an element"


def quotient(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`a / b`: a division of doubles, as in IEEE 754."""
    span = reader.span(node)
    left, right = reader.all([node.this, node.expression], depth)
    return apply("fdiv", span, double(left, span), double(right, span))


def bracket(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`xs[1]`, `xs[-1]`, `m['key']`; elements of an array in JSON count from 0."""
    span = reader.span(node)
    if len(node.expressions) != 1 or isinstance(node.expressions[0], exp.Slice):
        raise reader.fail(reader.unsupported(node.expressions[0]))
    base, key = reader.all([node.this, node.expressions[0]], depth)
    from_the_end = isinstance(key, t.Constant) and isinstance(key.value, int) and key.value < 0
    json = None if from_the_end else apply("bracket", span, base, key)
    return array_functions.at_place(base, key, span, json=json)


def arrow(*, text: bool) -> Build:
    """`doc -> 'key'`, `doc -> '$.a[0]'`. A string that begins as a path is a path in DuckDB, also one that is
    not read here, such as `'/a/b'` and `'$.a[#-1]'`.
    """
    build = documents.arrow(text=text)

    def checked(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        path = node.expression
        if isinstance(path, exp.Literal) and path.is_string and path.name.startswith(documents.PATHS):
            raise reader.fail(say.json_path(reader.span(node)))
        tree = build(reader, node, depth)
        if text or not _takes_the_rest(node) or reader.called_name(node):
            return tree
        return apply("sql.unparenthesised", reader.span(node), tree)

    return checked


def _takes_the_rest(node: exp.Expr) -> bool:
    """Whether an arrow stands before another operator, which DuckDB applies to the key."""
    parent = node.parent
    arrows = exp.JSONExtract | exp.JSONExtractScalar
    operator = isinstance(parent, exp.Binary | exp.In | exp.Between) and not isinstance(parent, arrows)
    return operator and parent is not None and parent.this is node


def like(op: str) -> Build:
    """LIKE or ILIKE. A backslash is an escape character only with ESCAPE."""
    return lambda reader, node, depth: operators.like_with(reader, node, op, "", depth)


def glob(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`s GLOB 'a*[0-9]?'`: matches the whole string, with a constant pattern."""
    value, pattern = reader.all([node.this, node.expression], depth)
    written = _constant_pattern(reader, pattern, node)
    return apply("matches", reader.span(node), value, text(_of_glob(written), pattern.span))


def _of_glob(pattern: str) -> str:
    regex, bracket = ["(?s)^"], False
    for place, char in enumerate(pattern):
        if bracket:
            bracket = char != "]"
            negated = char == "!" and pattern[place - 1] == "["
            regex.append("^" if negated else "\\\\" if char == "\\" else char)
        elif char in "*?":
            regex.append(".*" if char == "*" else ".")
        elif char == "[" and "]" in pattern[place + 2 :]:
            bracket = True
            regex.append("[")
        else:
            regex.append(char if char.isalnum() or not char.isascii() else f"\\{char}")
    return "".join((*regex, "$"))


def full_match(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`s SIMILAR TO p`, `regexp_full_match(s, p)`: a regular expression for the whole string."""
    value, pattern = reader.all(counted(reader, node, 2), depth)
    written = _constant_pattern(reader, pattern, node)
    return apply("matches", reader.span(node), value, text(f"^(?:{written})$", pattern.span))


def _constant_pattern(reader: Reader, pattern: t.Tree, node: exp.Expr) -> str:
    if not isinstance(pattern, t.Constant) or not isinstance(pattern.value, str):
        raise reader.fail(say.pattern_not_constant(reader.span(node)))
    return pattern.value


def extract(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """REGEXP_EXTRACT(s, pattern, group): the group (default: the whole match), or an empty string."""
    span = reader.span(node)
    value, pattern, *group = reader.all(counted(reader, node, 2, 3), depth)
    return apply("regex_extract", span, value, pattern, *(group or [number(0, span)]))


def in_(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`x IN (1, 2)`, `x IN xs`."""
    items = node.args.get("field")
    if items is None or isinstance(items, exp.List):
        return operators.in_(reader, node, depth)
    return _within(reader, node, items, node.this, depth)


def contains(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """LIST_CONTAINS: FALSE if the element is not found, even if an element is NULL."""
    array, item = counted(reader, node, 2)
    return _within(reader, node, array, item, depth)


def _within(reader: Reader, node: exp.Expr, array: exp.Expr, item: exp.Expr, depth: int) -> t.Tree:
    span = reader.span(node)
    items, value = reader.all([array, item], depth)
    tree: t.Tree = apply("is_true", span, apply("in", span, value, items))
    if not isinstance(value, t.Constant):  # nothing is in an empty list, NULL neither
        some = apply("gt", span, apply("size", span, items), number(0, span))
        unknown = apply("and", span, apply("is_null", span, value), some)
        tree = choose(unknown, t.Constant(None, span), tree, span)
    return documents.unless_absent((items,), tree, span)


def quantified(build: Build) -> Build:
    """The rule of a comparison. For a NULL array, ANY is FALSE and ALL is TRUE."""

    def read(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        span, tree = reader.span(node), build(reader, node, depth)
        for name in ("any", "all"):
            array = operators.array_of(node.expression, name, "some" if name == "any" else name)
            if array is not None and not isinstance(array, exp.Array):
                absent = apply("is_null", span, reader.read(array, depth))
                return choose(absent, t.Constant(name == "all", span), tree, span)
        return tree

    return read


def contains_all(*, turned: bool) -> Build:
    """`xs @> [1, 2]`, `list_has_all(xs, [1, 2])`: NULL elements are ignored."""

    def read(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        span = reader.span(node)
        parts = reader.all(counted(reader, node, 2), depth)
        whole, part = parts[::-1] if turned else parts

        def within(item: t.Tree) -> t.Tree:
            tree = apply("is_true", span, apply("in", span, item, whole))
            return apply("or", span, apply("is_null", span, item), tree)

        return documents.unless_absent((whole, part), each("all", _ITEM, part, within, span), span)

    return read


def of_two(kind: type[exp.Expr], build: Build) -> Build:
    """The rule of a function of two arguments that is equivalent to an operator."""

    def read(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        left, right = counted(reader, node, 2)
        call = kind(this=left.copy(), expression=right.copy())
        node.replace(call)
        reader.extents[id(call)] = reader.extent(node)
        return build(reader, call, depth)

    return read


def substring(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """SUBSTRING(s, position, length): negative positions count from the end."""
    span = reader.span(node)
    value, start, *length = reader.all(counted(reader, node, 2, 3), depth)
    if isinstance(start, t.Constant) and isinstance(start.value, int) and start.value >= 0:
        return apply("substr", span, value, start, *length)

    def build(value: t.Tree, start: t.Tree) -> t.Tree:
        behind = plus(apply("add", span, apply("length", span, value), start), 1, span)
        place = choose(apply("lt", span, start, number(0, span)), behind, start, span)
        return apply("substr", span, value, place, *length)

    return let(_TEXT, value, lambda value: let(_PLACE, start, lambda start: build(value, start), span), span)


def split(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """STRING_SPLIT by a constant string."""
    value, by = reader.all(counted(reader, node, 2), depth)
    constants.text(reader, by, reader.called_name(node))
    return apply("split", reader.span(node), value, by)


def no_logarithm(reader: Reader, node: exp.Expr, _depth: int) -> t.Tree:
    """Refuses LN, LOG and LOG10: the logarithm of 0 is infinite in DuckDB only."""
    raise reader.fail(sql_functions.logarithm_of_zero(reader.span(node), reader.called_name(node)))


def extracted(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """EXTRACT: seconds have no decimals."""
    if str(node.this).upper() == "SECOND":
        return times.read_part(reader, "second", node, node.expression, depth)
    return times.extract(reader, node, depth)


def days_between(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`date_diff('day', start, end)`. For other units DuckDB counts boundaries."""
    span = reader.span(node)
    unit, start, end = counted(reader, node, 3)
    if calendars.unit_of(unit) != "DAY":
        raise reader.fail(sql_functions.boundaries(span))
    first, last = (calendars.as_date(reader, day) for day in reader.all([start, end], depth))
    return apply("days_between", span, last, first)
