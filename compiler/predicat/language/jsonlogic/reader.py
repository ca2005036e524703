"""JsonLogic: rules as JSON data, with the meaning of json-logic-js.

A rule accepts a row if its result is truthy. A key that is absent is null, which is 0 beside `<` and in
`-`, and NaN in `+` and `*`. Values are coerced as in JavaScript: by their declared types, or by the kind that
a JSON value has in the row. From flagd: `starts_with`, `ends_with`. Source: jsonlogic.com, "Supported
Operations"; the library json-logic-js; flagd, "Custom Operations".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

from msgspec import Struct

from predicat.diagnostics import Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import jsonlogic as say
from predicat.ir import syntax as t
from predicat.ir.types import BIGINT, JSON, STRING, ArrayType, MapType, StructType, Type
from predicat.language.common import jsontext
from predicat.language.common.body import Body
from predicat.language.common.data import DataReader
from predicat.language.common.trees import apply, cast_to, choose, decided, plus, text
from predicat.language.jsonlogic import values as v
from predicat.language.jsonlogic import versions
from predicat.language.jsonlogic.spelling import COMPARED
from predicat.language.jsonlogic.values import Alternatives, One, Test


def parse(body: Body) -> t.Tree:
    """The untyped tree of a rule. Raises PredicatError."""
    reader = _RuleReader(body)
    value = body.value
    if isinstance(value, str):
        value = jsontext.read(value, body.source, body.span, say.RULE)
    return reader.tree(lambda: v.as_tree(reader.truth(value, 0), body.span))


class _Scope(Struct, frozen=True):
    """What `var` reads from: the row, or an element of a list."""

    element: t.Tree | None = None
    type: Type = JSON


class _RuleReader(DataReader):
    def __init__(self, body: Body) -> None:
        super().__init__(body)
        self.scopes = [_Scope()]

    def rule(self, value: Any) -> tuple[str, list[Any]] | None:
        """The operator of a rule and its arguments; None for data. One argument needs no list."""
        if not isinstance(value, Mapping) or len(value) != 1:
            return None
        ((operator, inner),) = value.items()
        return str(operator), inner if isinstance(inner, list) else [inner]

    # --- tests

    def truth(self, value: Any, depth: int) -> Test:
        """Whether a rule is truthy."""
        self.deep(value, depth)
        found = self.rule(value)
        if found is None:
            return v.truthy(self.data(value), self.span(value))
        operator, args = found
        span = self.key_span(value, operator)
        if operator not in _TESTS:
            return v.truthy(self.result(value, depth), span)
        test: Test = self.checked(_TESTS[operator], value, operator, args, depth)
        return test

    def checked(self, use: Callable[..., Any], value: Any, operator: str, args: list[Any], depth: int) -> Any:
        """The result of an operator. A time beside a value of another kind is a problem."""
        span = self.key_span(value, operator)
        try:
            return use(self, operator, args, span, depth + 1)
        except v.NotComparable as error:
            raise self.fail(say.time_with_other(span, operator, error.other.kind)) from None

    def comparison(self, operator: str, args: list[Any], span: Span, depth: int) -> Test:
        left, right, *more = self.operands(args, depth, 2)
        for value in (left, right):
            self.refuse_containers(value, operator, span)
        if operator in _EQUAL:
            compare, negate = _EQUAL[operator]
            found = compare(left, right, span)
            return v.opposite(found) if negate else found
        op = COMPARED[operator]
        found = v.ordered(op, left, right, span)
        if more and operator in _BETWEEN:
            return v.every([found, v.ordered(op, right, more[0], span)], span)
        return found

    def operands(self, args: list[Any], depth: int, least: int) -> list[Alternatives]:
        """The values of the arguments. One that is not given is undefined, which is compared like null."""
        found = [self.value(arg, depth) for arg in args]
        return [*found, *([v.constant(None, self.whole)] * (least - len(found)))]

    def refuse_containers(self, value: Alternatives, operator: str, span: Span) -> None:
        """Raises Stop for a value that can only be an array or an object."""
        kinds = {one.kind for one in value} - {v.NULL}
        if kinds and kinds <= {v.LIST, v.OBJECT}:
            raise self.fail(say.container_compared(span, operator))

    def negation(self, _operator: str, args: list[Any], _span: Span, depth: int) -> Test:
        return v.opposite(self.truth(_first(args), depth))

    def affirmation(self, _operator: str, args: list[Any], _span: Span, depth: int) -> Test:
        return self.truth(_first(args), depth)

    def junction(self, operator: str, args: list[Any], span: Span, depth: int) -> Test:
        tests = self.each(args, depth)
        join = v.every if operator == "and" else v.some
        return join(tests, span) if tests else False

    def each(self, args: list[Any], depth: int) -> list[Test]:
        """The truth of every argument."""
        tests: list[Test] = []
        self.many(args, lambda arg: v.as_tree(_kept(tests, self.truth(arg, depth)), self.whole))
        return tests

    def choice(self, _operator: str, args: list[Any], span: Span, depth: int) -> Test:
        if not args:
            return False
        if len(args) == 1:
            return self.truth(args[0], depth)
        test, yes = self.truth(args[0], depth), self.truth(args[1], depth)
        return v.chosen(test, yes, self.choice("if", args[2:], span, depth + 1), span)

    def within(self, _operator: str, args: list[Any], span: Span, depth: int) -> Test:
        """A substring of a string, or an element of an array."""
        needle, *_ = self.operands(args[:1], depth, 1)
        where = args[1] if len(args) > 1 else None
        if isinstance(where, list):
            return self.among(needle, [self.value(item, depth) for item in where], span)
        return v.holds(self.value(where, depth), lambda one: self.inside(needle, one, span), span)

    def among(self, needle: Alternatives, items: Sequence[Alternatives], span: Span) -> Test:
        """Whether a value is identical to one of several."""
        groups: dict[str, list[t.Tree]] = {}
        others: list[Alternatives] = []
        for item in items:
            one = item[0]
            if len(item) == 1 and one.constant is not None and one.kind in (v.TEXT, v.NUMBER):
                groups.setdefault(one.kind, []).append(one.tree)
            else:
                others.append(item)

        def use(one: One) -> Test:
            listed = groups.get(v.TEXT if one.kind == v.TIME else one.kind)
            return apply("in", span, one.tree, t.ListLiteral(tuple(listed), span)) if listed else False

        tests = [v.holds(needle, use, span), *(v.identical(needle, item, span) for item in others)]
        return v.some(tests, span)

    def inside(self, needle: Alternatives, where: One, span: Span) -> Test:
        if where.kind == v.LIST:
            return self.over("any", where, span, lambda element: v.identical(needle, element, span))
        if where.kind != v.TEXT:
            return False

        def use(one: One) -> Test:
            if one.kind in (v.LIST, v.OBJECT):
                return False
            if one.kind == v.NUMBER and isinstance(where.constant, str) and one.constant is None:
                return self.among(
                    (one,), [v.constant(value, span) for value in _numbers_in(where.constant)], span
                )
            part = self.as_text(one, span)
            if part is None:
                return False
            if isinstance(part, t.Constant) and isinstance(where.constant, str):
                return bool(where.constant) and str(part.value) in where.constant
            found = apply("contains", span, where.tree, part)
            if isinstance(part, t.Constant) and part.value:
                return found
            return apply("and", span, found, apply("ne", span, where.tree, text("", span)))

        return v.holds(needle, use, span)

    def missing(self, _operator: str, args: list[Any], span: Span, _depth: int) -> Test:
        """Whether one of the keys is missing: null or the empty string."""
        keys = args[0] if args and isinstance(args[0], list) else args
        return v.some([self.is_missing(key, span) for key in keys], span)

    def missing_some(self, _operator: str, args: list[Any], span: Span, _depth: int) -> Test:
        """Whether fewer than a number of the keys are there."""
        needed, keys = (*args, None, None)[:2]
        if not isinstance(needed, int) or not isinstance(keys, list):
            raise self.bad(args, "missing_some", say.count_and_keys())
        tests = [v.as_tree(self.is_missing(key, span), span) for key in keys]
        if needed <= 0 or not tests:
            return False
        if needed >= len(tests):
            return v.some(tests, span)
        zero, one = t.Constant(0, span), t.Constant(1, span)
        total: t.Tree = zero
        for test in tests:
            total = apply("add", span, total, choose(test, zero, one, span))
        return apply("lt", span, total, t.Constant(needed, span))

    def is_missing(self, key: Any, span: Span) -> Test:
        if not isinstance(key, str | int) or isinstance(key, bool):
            raise self.bad(key, "missing", say.constant_keys())

        def use(one: One) -> Test:
            if one.kind == v.NULL:
                return True
            return apply("eq", span, one.tree, text("", span)) if one.kind == v.TEXT else False

        return v.holds(self.path(str(key), span, v.constant(None, span)), use, span)

    def quantified(self, operator: str, args: list[Any], span: Span, depth: int) -> Test:
        source, condition = (*args, None, None)[:2]
        listed = self.value(source, depth)
        kind = "all" if operator == "all" else "any"

        def use(one: One) -> Test:
            if one.kind != v.LIST:
                return False
            found = self.over(kind, one, span, lambda _element: self.truth(condition, depth))
            if kind == "any":
                return found
            filled = apply("gt", span, apply("size", span, one.tree), t.Constant(0, span))
            return v.every([filled, found], span)

        found = v.holds(listed, use, span)
        return v.opposite(found) if operator == "none" else found

    def over(self, kind: str, where: One, span: Span, test: Callable[[Alternatives], Test]) -> Test:
        """A macro over the elements of a list."""
        name = f"element{len(self.scopes) - 1 or ''}"
        self.scopes.append(_Scope(t.Name(name, span), where.type))
        try:
            element = v.read(t.Name(name, span), where.type, v.constant(None, span))
            body = v.as_tree(test(element), span)
        finally:
            self.scopes.pop()
        return t.Macro(kind, name, where.tree, body, span)

    def affix(self, operator: str, args: list[Any], span: Span, depth: int) -> Test:
        """Tests of the start and the end of a string. Another value fails."""
        left, right, *_ = self.operands(args, depth, 2)

        def use(one: One, other: One) -> Test:
            return (
                apply(_AFFIXES[operator], span, one.tree, other.tree)
                if one.kind == other.kind == v.TEXT
                else False
            )

        return v.both(left, right, use, span)

    def version(self, _operator: str, args: list[Any], span: Span, depth: int) -> Test:
        """The comparison of versions that flagd has. What is no version fails."""
        value, op, written = (*args, None, None, None)[:3]
        other = versions.release(written)
        if op not in versions.COMPARED or other is None:
            raise self.bad(args, "sem_ver", say.version_form(versions.COMPARED))
        pattern = text(versions.pattern(op, other), span)

        def use(one: One) -> Test:
            return apply("matches", span, one.tree, pattern) if one.kind == v.TEXT else False

        return v.holds(self.value(value, depth), use, span)

    # --- values

    def value(self, value: Any, depth: int) -> Alternatives:
        """The value of a rule, or data."""
        self.deep(value, depth)
        found = self.rule(value)
        if found is None:
            return self.data(value)
        if found[0] in _TESTS and found[0] not in _OF_VALUES:
            span = self.key_span(value, found[0])
            if found[0] in _LISTED:
                raise self.fail(say.refused(span, found[0], *say.LIST_OF_KEYS))
            return v.truth(self.truth(value, depth), span)
        return self.result(value, depth)

    def data(self, value: Any) -> Alternatives:
        """Data of a rule, which is no rule itself."""
        if isinstance(value, Mapping | list):
            raise self.fail(
                say.array_of_rule(self.span(value), "array" if isinstance(value, list) else "object")
            )
        span = self.span(value)
        whole = isinstance(value, int) and not isinstance(value, bool)
        return v.constant(self.in_64_bits(value, span) if whole else value, span)

    def result(self, value: Any, depth: int) -> Alternatives:
        """The value of an operator that is no test."""
        ((operator, _),) = value.items()
        found = self.rule(value)
        assert found is not None  # noqa: S101  # the caller has seen to it
        build = _OF_VALUES.get(found[0])
        if build is None:
            place = self.key_span(value, operator)
            if (reason := say.REFUSED.get(found[0])) is not None:
                raise self.fail(say.refused(place, found[0], *reason))
            raise self.fail(msg.unknown_function(place, found[0], [*_TESTS, *_OF_VALUES]))
        alternatives: Alternatives = self.checked(build, value, found[0], found[1], depth)
        return alternatives

    def var(self, _operator: str, args: list[Any], span: Span, depth: int) -> Alternatives:
        name = args[0] if args else None
        if isinstance(name, bool) or not isinstance(name, str | int | None):
            raise self.fail(say.computed_name(span))
        default = self.value(args[1], depth) if len(args) > 1 else v.constant(None, span)
        place: Span = getattr(name, "span", span)
        return self.path("" if name is None else str(name), place, default)

    def path(self, name: str, span: Span, default: Alternatives) -> Alternatives:
        """What a dotted path leads to; the default if it is absent."""
        scope = self.scopes[-1]
        if not name:
            if scope.element is None:
                raise self.fail(say.whole_row(span))
            return v.read(scope.element, scope.type, v.constant(None, span))
        parts = name.split(".")
        if scope.element is None:
            tree, kind, parts = self.declared_path(parts, span)
        else:
            tree, kind = scope.element, scope.type
        of_document = self.on is not None and kind == JSON and isinstance(tree, t.Member)
        base: tuple[t.Tree, str] | None = (
            (tree.base, tree.key) if of_document and isinstance(tree, t.Member) else None
        )
        for part in parts:
            if kind != JSON and not isinstance(kind, StructType | MapType | ArrayType):
                return default
            base = (tree, part) if kind == JSON else None
            tree, kind = self.step(tree, kind, part, span)
        if base is None or default == v.constant(None, span):
            return v.read(tree, kind, default)
        null = decided(apply("json_null", span, base[0], text(base[1], span)))
        return v.read(tree, kind, v.either(null, lambda: v.constant(None, span), lambda: default))

    def step(self, tree: t.Tree, kind: Type, part: str, span: Span) -> tuple[t.Tree, Type]:
        """A member, or an element by its index."""
        match kind:
            case StructType():
                return t.Member(tree, part, span), kind.get(part) or JSON
            case MapType(value):
                return t.Member(tree, part, span), value
            case ArrayType(element):
                if not part.isdecimal():
                    raise self.fail(say.member_of_list(span, part))
                return apply("bracket", span, tree, t.Constant(int(part), span)), element
            case _ if part.isdecimal():
                index = apply("bracket", span, tree, t.Constant(int(part), span))
                return apply("coalesce", span, index, t.Member(tree, part, span)), JSON
            case _:
                return t.Member(tree, part, span), JSON

    def chosen(self, _operator: str, args: list[Any], span: Span, depth: int) -> Alternatives:
        if not args:
            return v.constant(None, span)
        if len(args) == 1:
            return self.value(args[0], depth)
        rest = args[2:]
        return v.either(
            self.truth(args[0], depth),
            lambda: self.value(args[1], depth),
            lambda: self.chosen("if", rest, span, depth + 1),
        )

    def decisive(self, operator: str, args: list[Any], span: Span, depth: int) -> Alternatives:
        """The first argument of AND that is falsy, or of OR that is truthy; else the last one."""
        first = self.value(args[0] if args else None, depth)
        if len(args) < 2:
            return first
        test = self.truth(args[0], depth)
        ways = (lambda: first, lambda: self.decisive(operator, args[1:], span, depth + 1))
        return v.either(test, *(reversed(ways) if operator == "and" else ways))

    def joined(self, _operator: str, args: list[Any], span: Span, depth: int) -> Alternatives:
        """Strings joined. null adds nothing."""
        parts = [self.single_text(arg, depth, span, null="") for arg in args]
        if not parts:
            return v.constant("", span)
        return v.string(reduce(lambda left, right: apply("concat", span, left, right), parts))

    def single_text(self, value: Any, depth: int, span: Span, *, null: str) -> t.Tree:
        """A value as a string. Raises Stop for a number that is not known to be an integer."""
        result: t.Tree | None = None
        for one in reversed(self.value(value, depth)):
            tree = text(null, span) if one.kind == v.NULL else self.as_text(one, span)
            if tree is None:
                continue
            if result is None:
                result = tree
            elif one.own is not None and not one.when and one.type == STRING:
                result = apply("coalesce", span, tree, result)
            else:
                tests = one.tests or (t.Constant(value=True, span=span),)
                result = choose(v.as_tree(v.every(tests, span), span), tree, result, span)
        if result is None:
            raise self.fail(say.no_text(span))
        return result

    def as_text(self, one: One, span: Span) -> t.Tree | None:
        """String(value) of JavaScript; None for an object. Raises Stop for what engines write differently."""
        value = one.constant
        match one.kind:
            case "string":
                return one.tree
            case "null":
                return text("null", span)
            case "boolean" if isinstance(value, bool):
                return text(str(value).lower(), span)
            case "boolean":
                return choose(one.tree, text("true", span), text("false", span), span)
            case "number" if (
                isinstance(value, int | float) and (shown := v.text_of_number(value)) is not None
            ):
                return text(shown, span)
            case "number" if one.type == BIGINT:
                return cast_to("to_string", one.tree)
            case _:
                raise self.fail(say.as_text(span, one.kind))

    def part(self, _operator: str, args: list[Any], span: Span, depth: int) -> Alternatives:
        source, start, *rest = (*args, None) if len(args) < 2 else args
        bounds = [start, *rest[:1]]
        if not all(isinstance(bound, int) and not isinstance(bound, bool) for bound in bounds):
            raise self.fail(say.constant_places(span))
        tree = self.single_text(source, depth, span, null="null")
        tree = _from(tree, bounds[0], span)
        return v.string(_cut(tree, bounds[1], span) if len(bounds) > 1 else tree)

    def arithmetic(self, operator: str, args: list[Any], span: Span, depth: int) -> Alternatives:
        if operator == "*" and len(args) == 1:
            return self.value(args[0], depth)
        given = self.operands(args, depth, {"+": 0, "*": 1, "-": 1}.get(operator, 2))
        if operator not in ("+", "*"):
            given = given[:2]
        convert = v.leading_number if operator in ("+", "*") else v.as_number
        trees = [v.calculated(one, convert, span) for one in given]
        if operator == "-" and len(trees) == 1:
            return v.number(apply("neg", span, trees[0]))
        op = _CALCULATED[operator]
        result = trees[0] if trees else t.Constant(0.0, span)
        for tree in trees[1:]:
            result = apply(op, span, result, tree)
        return v.number(result)

    def remainder(self, operator: str, args: list[Any], span: Span, depth: int) -> Alternatives:
        one, other = self.operands(args, depth, 2)[:2]
        constants = [part[0].constant for part in (one, other) if len(part) == 1]
        if len(constants) == 2 and all(isinstance(value, int | float) for value in constants):
            value, by = map(float, constants)  # type: ignore[arg-type]  # numbers, by the line before
            return v.number(t.Constant(math.fmod(value, by) if by and math.isfinite(value) else None, span))
        trees = [self.whole_number(part, operator, span) for part in (one, other)]
        return v.number(apply("mod", span, *trees), BIGINT)

    def whole_number(self, value: Alternatives, operator: str, span: Span) -> t.Tree:
        """An integer; null is 0. Raises Stop for a number that may have a fraction."""
        first, *rest = value
        if first.kind != v.NUMBER or first.type != BIGINT or any(one.kind != v.NULL for one in rest):
            raise self.fail(say.whole_numbers(span, operator))
        return apply("coalesce", span, first.tree, t.Constant(0, span)) if rest else first.tree

    def extreme(self, operator: str, args: list[Any], span: Span, depth: int) -> Alternatives:
        trees = [v.calculated(one, v.as_number, span) for one in self.operands(args, depth, 0)]
        if not trees:
            raise self.fail(say.no_values(span, operator))
        result = trees[0]
        for tree in trees[1:]:  # NaN if one of them is
            first, second = ("le", "gt") if operator == "min" else ("ge", "lt")
            rest = choose(apply(second, span, result, tree), tree, t.Constant(None, span), span)
            result = choose(apply(first, span, result, tree), result, rest, span)
        return v.number(result)

    def filtered(self, _operator: str, args: list[Any], span: Span, depth: int) -> Alternatives:
        """The elements of a list for which a rule is truthy; none of another value."""
        source, condition = (*args, None, None)[:2]
        found = [one for one in self.value(source, depth) if one.kind == v.LIST]
        if not found:
            raise self.fail(say.no_list(span))
        one = found[0]
        tree = self.over("filter", one, span, lambda _element: self.truth(condition, depth))
        listed = One(v.LIST, v.as_tree(tree, span), one.type, one.when, one.own)
        return (listed,)

    def logged(self, _operator: str, args: list[Any], _span: Span, depth: int) -> Alternatives:
        return self.value(_first(args), depth)


Use = Callable[[_RuleReader, str, list[Any], Span, int], Any]
_EQUAL: dict[str, tuple[Callable[[Alternatives, Alternatives, Span], Test], bool]] = {
    "==": (v.equal, False),
    "!=": (v.equal, True),
    "===": (v.identical, False),
    "!==": (v.identical, True),
}
# The tests whose result is the list of the keys that are missing.
_LISTED = ("missing", "missing_some")
_BETWEEN = ("<", "<=")
_AFFIXES = {
    "starts_with": "starts_with",
    "ends_with": "ends_with",
    "startsWith": "starts_with",
    "endsWith": "ends_with",
}
_CALCULATED = {"+": "add", "-": "sub", "*": "mul", "/": "div"}
# The operators whose result is a test, or is used as one here.
_TESTS: dict[str, Use] = {
    **dict.fromkeys((*_EQUAL, *COMPARED), _RuleReader.comparison),
    "!": _RuleReader.negation,
    "!!": _RuleReader.affirmation,
    **dict.fromkeys(("and", "or"), _RuleReader.junction),
    **dict.fromkeys(("if", "?:"), _RuleReader.choice),
    "in": _RuleReader.within,
    "missing": _RuleReader.missing,
    "missing_some": _RuleReader.missing_some,
    **dict.fromkeys(("all", "some", "none"), _RuleReader.quantified),
    **dict.fromkeys(_AFFIXES, _RuleReader.affix),
    "sem_ver": _RuleReader.version,
}
# The operators with other values.
_OF_VALUES: dict[str, Use] = {
    "var": _RuleReader.var,
    **dict.fromkeys(("if", "?:"), _RuleReader.chosen),
    **dict.fromkeys(("and", "or"), _RuleReader.decisive),
    "cat": _RuleReader.joined,
    "substr": _RuleReader.part,
    **dict.fromkeys(_CALCULATED, _RuleReader.arithmetic),
    "%": _RuleReader.remainder,
    **dict.fromkeys(("min", "max"), _RuleReader.extreme),
    "filter": _RuleReader.filtered,
    "log": _RuleReader.logged,
}


def _first(args: list[Any]) -> Any:
    return args[0] if args else None


def _kept(tests: list[Test], test: Test) -> Test:
    tests.append(test)
    return test


def _numbers_in(written: str) -> list[float]:
    """The numbers that JavaScript writes as a part of a text."""
    parts = {written[i:j] for i in range(len(written)) for j in range(i + 1, min(len(written), i + 24) + 1)}
    found = ((part, v.number_of(part)) for part in parts if part.strip(v.BLANKS) == part)
    return sorted(value for part, value in found if value is not None and v.text_of_number(value) == part)


def _from(tree: t.Tree, start: int, span: Span) -> t.Tree:
    """The characters from an index, or the last ones."""
    if start >= 0:
        return apply("substr", span, tree, t.Constant(start + 1, span)) if start else tree
    length = apply("length", span, tree)
    longer = apply("gt", span, length, t.Constant(-start, span))
    return choose(longer, apply("substr", span, tree, plus(length, start + 1, span)), tree, span)


def _cut(tree: t.Tree, count: int, span: Span) -> t.Tree:
    """At most a number of characters, or all but the last ones."""
    one = t.Constant(1, span)
    if count >= 0:
        return apply("substr", span, tree, one, t.Constant(count, span))
    length = apply("length", span, tree)
    longer = apply("gt", span, length, t.Constant(-count, span))
    return choose(longer, apply("substr", span, tree, one, plus(length, count, span)), text("", span), span)
