"""From CEL's parsed message to the untyped tree. Macros come expanded; the shapes of `exists` and `all`
are recognised.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from predicat.check.lists import TYPE_NAMES
from predicat.diagnostics import Diagnostic, PredicatError, Reporter, Source, Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import cel as say
from predicat.diagnostics.messages import references
from predicat.ir import syntax as t
from predicat.ir.values import (
    has_nanoseconds,
    is_below_micros,
    is_duration,
    is_timestamp,
    parse_duration,
    parse_timestamp,
)
from predicat.language.cel import (
    addresses,
    clock,
    forms,
    lists,
    macros,
    namespaces,
    newcomers,
    optionals,
    parser,
    quantities,
    refused,
    requests,
    strings,
    validation,
)
from predicat.language.cel.spelling import CONVERSIONS, METHODS, OPERATORS, PART_NAMES
from predicat.language.cel.tokens import TOKEN
from predicat.language.common.body import Body
from predicat.language.common.trees import Build, apply, cast_to


def read(body: Body) -> t.Tree:
    """The untyped tree of a CEL expression. Raises PredicatError."""
    expr, offsets = parser.parse(body.text(), body.source)
    reader = _CelReader(body.source, offsets)
    try:
        return reader.read(expr)
    except _Stop as stop:
        raise t.PartlyRead(reader.reporter.errors, stop.parts, _VARIABLE.findall(body.source.text)) from None


def _elsewhere(call: Any) -> str | None:
    """A hint for a function that CEL writes otherwise: as a method or not, or with another name."""
    name, is_method = call.function, call.HasField("target")
    if not is_method and name in KNOWN and name not in newcomers.FUNCTIONS:
        return say.as_method(name, ", ".join("yz"[: len(call.args) - 1]))
    if is_method and name in _FUNCTIONS:
        return say.as_function(name)
    return newcomers.FUNCTIONS.get(name)


# A name where macros have their variable: `xs.all(x, ...)`.
_VARIABLE = re.compile(r"\(\s*([A-Za-z_]\w*)\s*,")


class _Stop(Exception):
    """A part has a problem that is reported already. `parts` are trees inside of it that were read."""

    def __init__(self, parts: Iterable[t.Tree] = ()) -> None:
        super().__init__()
        self.parts = tuple(parts)


_ARITHMETIC = frozenset({"_+_", "_-_", "_*_", "_/_", "_%_", "-_"})
# What is a function only in a form of its own.
_FORMS = {
    **{
        name: f"list.{name}(x, condition) or, over a map, map.{name}(key, value, condition)"
        for name in ("exists", "all", "exists_one")
    },
    "filter": "list.filter(x, condition)",
    "map": "list.map(x, value)",
    "of": "optional.of(x).orValue(y)",
    "none": "a.?b.orValue(x)",
    "orValue": 'a.?b.orValue("x")',
    "hasValue": "a.?b.hasValue()",
    "value": "a.?b.value()",
    "bind": "cel.bind(x, value, result)",
    "greatest": "math.greatest(x, y)",
    "least": "math.least(x, y)",
    "transformList": "list.transformList(place, x, value)",
    "url": "url(x).getHost() or another part, or isURL(x)",
    "ip": 'cidr("10.0.0.0/8").containsIP(ip(x)), ip(x).family() or another test, or isIP(x)',
    "ipaddress": 'ipaddress(x).in_cidr("10.0.0.0/8")',
    "cidr": 'cidr("10.0.0.0/8").containsIP(x), or isCIDR(x)',
    **{name: f"{value}(x).{name}(...)" for value, methods in addresses.VALUES.items() for name in methods},
}
_METHODS = {"size": ("size", 0), **{name: (op, count) for op, (name, count) in METHODS.items()}}
_FUNCTIONS = {"size": ("size", 1), "matches": ("matches", 2)}
_CONVERSIONS = {"int": "to_cel_int", **{name: op for op, name in CONVERSIONS.items()}}
# The methods of CEL's libraries.
_LIBRARIES: dict[str, tuple[tuple[int, ...], Build]] = {
    **strings.METHODS,
    **lists.METHODS,
    **quantities.METHODS,
    **addresses.METHODS,
    **requests.METHODS,
    **validation.METHODS,
    **clock.METHODS,
}
# Their functions without a target.
_LIBRARY_FUNCTIONS: dict[str, tuple[tuple[int, ...], Build]] = {
    **lists.FUNCTIONS,
    **quantities.FUNCTIONS,
    **addresses.FUNCTIONS,
    **requests.FUNCTIONS,
    **clock.FUNCTIONS,
}
KNOWN = [
    *_METHODS,
    *_LIBRARIES,
    *_LIBRARY_FUNCTIONS,
    *addresses.VALUES,
    *namespaces.FUNCTIONS,
    "transformList",
    "cel.bind",
    *optionals.ENDS,
    "dyn",
    "exists_one",
    "map",
    *_CONVERSIONS,
    *PART_NAMES,
    "has",
    "timestamp",
    "duration",
    "filter",
    "exists",
    "all",
    "match",
]


class _CelReader:
    def __init__(self, source: Source, offsets: Mapping[int, int]) -> None:
        self.source = source
        self.offsets = offsets
        self.reporter = Reporter()

    def fail(self, diagnostic: Diagnostic) -> _Stop:
        self.reporter.add(diagnostic)
        return _Stop()

    def span(self, expr: Any, *inner: t.Tree) -> Span:
        """From the operands' first character to their last; the parser gives the place of the operator
        only.
        """
        at = min(self.offsets.get(expr.id, 0), len(self.source.text))
        word = TOKEN.match(self.source.text, at)
        span = Span(self.source, at, word.end() if word else at)
        for tree in inner:
            span = span.to(tree.span)
        return span

    def read(self, expr: Any) -> t.Tree:
        match expr.WhichOneof("expr_kind"):
            case "call_expr":
                return self.call(expr)
            case "const_expr":
                return self.constant(expr)
            case "ident_expr":
                name = expr.ident_expr.name
                return t.Name(name.removeprefix("."), self.span(expr), rooted=name.startswith("."))
            case "select_expr":
                return self.select(expr)
            case "list_expr":
                if expr.list_expr.optional_indices:
                    raise self.fail(say.optional_elements(self.span(expr)))
                items = self.all(expr.list_expr.elements)
                return t.ListLiteral(items, self.closed(self.span(expr, *items), "]"))
            case "comprehension_expr":
                return self.comprehension(expr)
            case _ if not expr.struct_expr.message_name:
                return self.map_of(expr)
            case _:
                raise self.fail(say.message_constant(self.span(expr)))

    def map_of(self, expr: Any) -> t.Tree:
        if any(entry.optional_entry for entry in expr.struct_expr.entries):
            raise self.fail(say.optional_entries(self.span(expr)))
        parts = self.all(
            [part for entry in expr.struct_expr.entries for part in (entry.map_key, entry.value)]
        )
        return t.MapLiteral(
            tuple(zip(parts[::2], parts[1::2], strict=True)), self.closed(self.span(expr, *parts), "}")
        )

    def all(self, exprs: Any) -> tuple[t.Tree, ...]:
        out: list[t.Tree] = []
        stopped = False
        for expr in exprs:
            try:
                out.append(self.read(expr))
            except _Stop as stop:
                stopped = True
                out += stop.parts
        if stopped:
            raise _Stop(out)
        return tuple(out)

    def constant(self, expr: Any) -> t.Tree:
        span, const = self.span(expr), expr.const_expr
        kind = const.WhichOneof("constant_kind")
        if kind == "bytes_value":
            raise self.fail(say.bytes_constant(span))
        return t.Constant(None if kind in (None, "null_value") else getattr(const, kind), span)

    def select(self, expr: Any) -> t.Tree:
        return self.member(self.read(expr.select_expr.operand), expr.select_expr.field, expr)

    def member(self, base: t.Tree, name: str, expr: Any) -> t.Tree:
        span = base.span if expr.select_expr.test_only else base.span.to(self.span(expr))
        after = re.compile(rf"[\s.?]*`?{re.escape(name)}`?").match(self.source.text, span.end)
        member = t.Member(base, name, Span(self.source, span.start, after.end() if after else span.end))
        if not expr.select_expr.test_only:
            return member
        start = self.source.text.rfind("has", 0, span.start)
        return apply("has", self.closed(Span(self.source, max(start, 0), member.span.end)), member)

    # --- calls

    def call(self, expr: Any) -> t.Tree:
        """An operator, a method or a function: the first form of `_FORMS_OF` that matches."""
        call = expr.call_expr
        kind = "method" if call.HasField("target") else "sign" if call.function in _SIGNS else "function"
        forms_ = (read(self, expr) for read in _FORMS_OF[kind])
        return next(tree for tree in forms_ if tree is not None)

    def sign(self, expr: Any) -> t.Tree | None:
        """An operator with a form of its own."""
        read = _SIGN_FORMS.get(expr.call_expr.function)
        return read(self, expr) if read is not None else None

    def operator(self, expr: Any) -> t.Tree:
        args = self.all(expr.call_expr.args)
        return apply(OPERATORS[expr.call_expr.function], self.span(expr, *args), *args)

    def arithmetic(self, expr: Any) -> t.Tree:
        self.refuse_unsigned(expr.call_expr.args)
        return self.operator(expr)

    def negative(self, expr: Any) -> t.Tree:
        self.refuse_unsigned(expr.call_expr.args)
        (arg,) = self.all(expr.call_expr.args)
        return apply("neg", self.span(expr, arg), arg)

    def junction(self, expr: Any) -> t.Tree:
        name = expr.call_expr.function
        args = self.all(self.chain(expr, name))
        return apply("and" if name == "_&&_" else "or", args[0].span.to(args[-1].span), *args)

    def in_flattened(self, expr: Any) -> t.Tree | None:
        """`x in lists.flatten()`: in one of the lists."""
        call = expr.call_expr
        inner = forms.flattened(call.args[1])
        if inner is None:
            return None
        value, lists_ = self.all([call.args[0], inner])
        tree = apply("in", self.span(expr, value, lists_), value, t.Name(_INNER, lists_.span))
        return t.Macro("any", _INNER, lists_, tree, tree.span)

    def optional_look_up(self, expr: Any) -> t.Tree:
        raise self.fail(say.optional_value(self.span(expr)))

    def optional_end(self, expr: Any) -> t.Tree | None:
        """`a.?b.orValue(x)` and the other methods of optional values."""
        call = expr.call_expr
        if optionals.ENDS.get(call.function) != len(call.args) or not optionals.is_optional(call.target):
            return None
        args = self.all(call.args)
        return optionals.ended(self, expr, args, self.call_span(expr, *args))

    def of_entries(self, expr: Any) -> t.Tree | None:
        """A macro with names for a key and a value."""
        call = expr.call_expr
        if call.function not in macros.OF_ENTRIES or not forms.names_two(call):
            return None
        source, *parts = self.all([call.target, *call.args[2:]])
        return macros.of_entries(call, source, tuple(parts), self.call_span(expr, source, *parts))

    def cast(self, expr: Any) -> t.Tree | None:
        """`int(x)` and the other conversions."""
        call = expr.call_expr
        if call.function not in _CONVERSIONS or len(call.args) != 1:
            return None
        (arg,) = self.all(call.args)
        target = t.Constant(_CONVERSIONS[call.function], self.name_span(expr))
        return apply("cast", self.call_span(expr, arg), arg, target)

    def dyn(self, expr: Any) -> t.Tree | None:
        if expr.call_expr.function != "dyn" or len(expr.call_expr.args) != 1:
            return None
        (arg,) = self.all(expr.call_expr.args)
        return apply("dyn", self.call_span(expr, arg), arg)

    def of_address(self, expr: Any) -> t.Tree | None:
        """A method of `url(x)`, `ip(x)` or `cidr(x)`."""
        call = expr.call_expr
        function = addresses.VALUES.get(forms.constructor(call.target), {}).get(call.function)
        if function is None:
            return None
        parts = [call.target.call_expr.args[0], *map(forms.constructed, call.args)]
        return self.library(expr, function, parts)

    def library_method(self, expr: Any) -> t.Tree | None:
        call = expr.call_expr
        function = _LIBRARIES.get(call.function)
        return self.library(expr, function, [call.target, *call.args]) if function is not None else None

    def library_function(self, expr: Any) -> t.Tree | None:
        function = _LIBRARY_FUNCTIONS.get(expr.call_expr.function)
        return self.library(expr, function, expr.call_expr.args) if function is not None else None

    def refuse_unsigned(self, args: Any) -> None:
        """Raises _Stop for an unsigned operand: 2u - 3u is an error in CEL, and so is 2u + 1."""
        for arg in args:
            if arg.HasField("const_expr") and arg.const_expr.WhichOneof("constant_kind") == "uint64_value":
                raise self.fail(say.unsigned_arithmetic(self.span(arg)))
            if arg.HasField("call_expr") and arg.call_expr.function == "_?_:_":
                self.refuse_unsigned(arg.call_expr.args[1:])

    def look_up(self, expr: Any) -> t.Tree:
        base, key = self.all(expr.call_expr.args)
        return self.bracket(expr, base, key)

    def bracket(self, expr: Any, base: t.Tree, key: t.Tree) -> t.Tree:
        return apply("bracket", self.closed(self.span(expr, base, key), "]"), base, key)

    def in_namespace(self, expr: Any) -> t.Tree | None:
        """`cel.bind(x, value, result)`, or a function of an extension with a namespace; None otherwise."""
        call = expr.call_expr
        if not call.target.HasField("ident_expr"):
            return None
        name = f"{call.target.ident_expr.name}.{call.function}"
        if (
            name == "cel.bind" and len(call.args) == 3 and call.args[0].HasField("ident_expr")
        ):  # a name, a value, a result
            value, result = self.all(call.args[1:])
            return t.Macro(
                "let",
                call.args[0].ident_expr.name,
                value,
                result,
                self.span(call.target).to(self.call_span(expr, value, result)),
            )
        if name in refused.TABLE:
            raise self.refused(expr, name)
        count, build = namespaces.FUNCTIONS.get(name, (None, None))
        if build is None or count not in (None, len(call.args)):
            return None
        args = self.all(call.args)
        return self.built(build, args, self.span(call.target).to(self.call_span(expr, *args)))

    def library(self, expr: Any, function: tuple[tuple[int, ...], Build], parts: Sequence[Any]) -> t.Tree:
        """A function of one of CEL's libraries."""
        counts, build = function
        name, given = expr.call_expr.function, len(expr.call_expr.args)
        if given not in counts:
            expected = " or ".join(map(str, counts)) + (" argument" if counts == (1,) else " arguments")
            raise self.fail(msg.wrong_argument_count(self.name_span(expr), name, given, expected))
        args = self.all(parts)
        return self.built(build, args, self.call_span(expr, *args))

    def special_equality(self, expr: Any) -> t.Tree | None:
        """`==` and `!=` of types and of optional values; None for other operands."""
        sides = expr.call_expr.args
        if any(map(forms.is_type, sides)):
            tree = self.same_type(sides)
        elif any(map(optionals.is_optional, sides)):
            tree = self.same_optional(expr, sides)
        else:
            return None
        return tree if expr.call_expr.function == "_==_" else apply("not", tree.span, tree)

    def same_type(self, sides: Any) -> t.Tree:
        """`type(x) == string`, and `type(x) == type("")`."""
        one, other = sides if forms.is_type(sides[0]) else sides[::-1]
        name = forms.type_name(other)
        if name is None and forms.is_type(sides[0]) and forms.is_type(sides[1]):
            one, name = (one, forms.type_of(other)) if forms.type_of(other) else (other, forms.type_of(one))
        if name not in TYPE_NAMES:
            raise self.fail(say.type_compared(self.name_span(one), ", ".join(sorted(TYPE_NAMES))))
        (value,) = self.all(one.call_expr.args)
        span = self.call_span(one, value)
        return apply("is_type", span, value, t.Constant(name, span))

    def same_optional(self, expr: Any, sides: Any) -> t.Tree:
        """Whether two optionals are both empty, or have equal values."""
        for side in sides:
            if not optionals.is_optional(side):
                raise self.fail(say.optional_beside_none(self.span(side)))
        (held, value), (other_held, other) = (optionals.parts(self, side) for side in sides)
        span = self.span(expr, value, other)
        return apply(
            "cond",
            span,
            apply("and", span, held, other_held),
            apply("eq", span, value, other),
            apply("eq", span, held, other_held),
        )

    def built(self, build: Build, args: tuple[t.Tree, ...], span: Span) -> t.Tree:
        try:
            return build(args, span)
        except PredicatError as error:
            self.reporter.extend(error.diagnostics)
            raise _Stop from error

    def chain(self, expr: Any, name: str) -> list[Any]:
        """The operands of a balanced tree of && or ||, in order."""
        out: list[Any] = []
        stack = [expr]
        while stack:
            item = stack.pop()
            if item.HasField("call_expr") and item.call_expr.function == name:
                stack.extend(reversed(item.call_expr.args))
            else:
                out.append(item)
        return out

    def refused(self, expr: Any, name: str) -> _Stop:
        """The error for a function that is not supported."""
        row = refused.TABLE[name]
        return self.fail(msg.function_refused(self.name_span(expr), name, row.reason, row.instead))

    def function(self, expr: Any) -> t.Tree:
        call = expr.call_expr
        table = _METHODS if call.HasField("target") else _FUNCTIONS
        if call.function not in table:
            at = self.name_span(expr)
            if (refusal := forms.refused_name(call)) is not None:
                raise self.refused(expr, refusal)
            if call.function in _FORMS:
                raise self.fail(say.form_of_call(at, call.function, _FORMS[call.function]))
            if call.function in _CONVERSIONS and not call.HasField("target"):
                raise self.fail(msg.wrong_argument_count(at, call.function, len(call.args), "1 argument"))
            hint = _elsewhere(call)
            self.reporter.add(
                msg.unknown_function(at, call.function, KNOWN)
                if hint is None
                else msg.function_elsewhere(at, call.function, hint)
            )
            raise _Stop(self.all([call.target, *call.args] if call.HasField("target") else call.args))
        op, count = table[call.function]
        if len(call.args) != count:
            raise self.fail(
                msg.wrong_argument_count(
                    self.name_span(expr), call.function, len(call.args), f"{count} arguments"
                )
            )
        args = self.all([call.target, *call.args] if call.HasField("target") else call.args)
        return apply(op, self.call_span(expr, *args), *args)

    def call_span(self, expr: Any, *args: t.Tree) -> Span:
        """The span of a call: from its name, or its receiver, to its closing parenthesis."""
        span = self.name_span(expr)
        for arg in args:
            span = span.to(arg.span)
        return self.closed(span, ")" if expr.call_expr.args else "()")

    def name_span(self, expr: Any) -> Span:
        """The span of a function's name: the parser gives the position of its '('."""
        name = expr.call_expr.function
        at = self.offsets.get(expr.id, 0)
        start = self.source.text.rfind(name, 0, at + len(name))
        return Span(self.source, start, start + len(name)) if start >= 0 else self.span(expr)

    def closed(self, span: Span, sign: str = ")") -> Span:
        """The span of a call, a list or a map with its closing bracket."""
        after = re.compile(r"\s*,?\s*" + r"\s*".join(map(re.escape, sign))).match(self.source.text, span.end)
        return Span(span.source, span.start, after.end()) if after else span

    def reference(self, expr: Any) -> t.Tree | None:
        """`filter("name")`: another filter."""
        if expr.call_expr.function != "filter":
            return None
        args = expr.call_expr.args
        name = args[0].const_expr.string_value if args else ""
        if len(args) != 1 or not name:
            raise self.fail(references.filter_name_in_call(self.name_span(expr)))
        return t.Ref(name, (), self.span(args[0]))

    def moment(self, expr: Any) -> t.Tree | None:
        """`timestamp(x)` and `duration(x)`."""
        name = expr.call_expr.function
        if name not in _MOMENTS or len(expr.call_expr.args) != 1:
            return None
        (arg,) = self.all(expr.call_expr.args)
        span = self.call_span(expr, arg)
        if isinstance(arg, t.Constant) and isinstance(arg.value, str):
            return self.constant_moment(name, arg.value, arg.span, span)
        return cast_to(f"to_{name}", arg, span)

    def constant_moment(self, name: str, text: str, inside: Span, span: Span) -> t.Tree:
        read, is_one, fine, example = _MOMENTS[name]
        if fine(text):
            raise self.fail(msg.too_fine(inside, f"a {name}"))
        value = read(text)
        if value is None and not is_one(text):
            days = _DAYS.fullmatch(text) if name == "duration" else None
            example = f"{24 * int(days[1])}h" if days else example
            raise self.fail(msg.bad_constant(inside, name, text, example))
        if value is None:  # right in form, but beyond the years 1 to 9999, or 10,000 years
            return cast_to(f"to_{name}", t.Constant(None, span), span)
        return t.Constant(value, span)

    def part(self, expr: Any) -> t.Tree | None:
        """getHours() and similar methods: in UTC, or in the time zone of the argument."""
        if expr.call_expr.function not in PART_NAMES or len(expr.call_expr.args) > 1:
            return None
        op, shift = PART_NAMES[expr.call_expr.function]
        args = self.all([expr.call_expr.target, *expr.call_expr.args])
        span = self.call_span(expr, *args)
        zone = args[1].value if len(args) == 2 and isinstance(args[1], t.Constant) else None
        offset = _OFFSET.match(zone) if isinstance(zone, str) else None
        if offset:  # a fixed offset: the wall clock there is that of UTC, so much later
            sign = -1 if offset[1] == "-" else 1
            later = t.Constant(sign * timedelta(hours=int(offset[2]), minutes=int(offset[3])), span)
            args = (apply("add", span, args[0], later),)
        tree: t.Tree = apply(op, span, *args)
        return apply("add", span, tree, t.Constant(shift, span)) if shift else tree

    def glob(self, expr: Any) -> t.Tree | None:
        """Knative's `match`: a glob over the whole string; `*` matches any string, `?` one character."""
        if expr.call_expr.function != "match":
            return None
        args = self.all([expr.call_expr.target, *expr.call_expr.args])
        span = self.call_span(expr, *args)
        if len(args) == 3:
            return self.built(requests.match, args, span)
        if len(args) != 2 or not isinstance(args[1], t.Constant) or not isinstance(args[1].value, str):
            raise self.fail(msg.not_constant(span, "match", "pattern"))
        pattern = re.sub(
            r"[\\%_*?]", lambda match: {"*": "%", "?": "_"}.get(match[0], "\\" + match[0]), args[1].value
        )
        return apply("like", span, args[0], t.Constant(pattern, args[1].span))

    # --- macros

    def comprehension(self, expr: Any) -> t.Tree:
        loop = expr.comprehension_expr
        if loop.iter_var == "#unused":  # a name for a value, as optMap() says it
            value, result = self.all([loop.accu_init, loop.result])
            return t.Macro("let", loop.accu_var, value, result, self.span(expr, value, result))
        kind = macros.shape(loop)
        if kind is None:
            raise self.fail(say.macro(self.span(expr)))
        name, kind_, body = kind
        inner = forms.flattened(loop.iter_range) if name in ("any", "all") else None
        trees = self.all(
            [inner if inner is not None else loop.iter_range, *([kind_] if kind_ is not None else []), body]
        )
        span = self.closed(self.span(expr, *trees))
        source: t.Tree = apply("json_items", trees[0].span, trees[0])
        if inner is not None:
            return t.Macro(
                name,
                _INNER,
                source,
                t.Macro(name, loop.iter_var, t.Name(_INNER, trees[0].span), trees[-1], span),
                span,
            )
        if kind_ is not None:  # map() of three arguments keeps some elements first
            source = t.Macro("filter", loop.iter_var, source, trees[1], span)
        return t.Macro(name, loop.iter_var, source, trees[-1], span)


# A variable that nobody can write.
_INNER = "a list within a list"
_DAYS = re.compile(r"(-?\d{1,6})d", re.ASCII)
_OFFSET = re.compile(r"([+-]?)(\d\d):(\d\d)\Z", re.ASCII)
# How a constant is read, what has its form, what is too fine for microseconds, and an example.
_MOMENTS: dict[
    str,
    tuple[Callable[[str], datetime | timedelta | None], Callable[[str], bool], Callable[[str], bool], str],
] = {
    "timestamp": (parse_timestamp, is_timestamp, is_below_micros, "2013-07-04T10:30:00Z"),
    "duration": (parse_duration, is_duration, has_nanoseconds, "1h30m"),
}

_Form = Callable[[_CelReader, Any], t.Tree | None]
# Operators that are more than one of the table, by the names of CEL's parser.
_SIGN_FORMS: dict[str, _Form] = {
    "_&&_": _CelReader.junction,
    "_||_": _CelReader.junction,
    **dict.fromkeys(_ARITHMETIC, _CelReader.arithmetic),
    "-_": _CelReader.negative,
    "_==_": _CelReader.special_equality,
    "_!=_": _CelReader.special_equality,
    "@in": _CelReader.in_flattened,
    "_[_]": _CelReader.look_up,
    **dict.fromkeys(optionals.LOOK_UPS, _CelReader.optional_look_up),
}
_SIGNS = frozenset({*_SIGN_FORMS, *OPERATORS})
# The forms that a call may have, in order; None of a form is a call that does not have it.
_FORMS_OF: dict[str, tuple[_Form, ...]] = {
    "sign": (_CelReader.sign, _CelReader.operator),
    "method": (
        _CelReader.optional_end,
        _CelReader.in_namespace,
        _CelReader.of_entries,
        _CelReader.glob,
        _CelReader.part,
        _CelReader.of_address,
        _CelReader.library_method,
        _CelReader.function,
    ),
    "function": (
        _CelReader.reference,
        _CelReader.moment,
        _CelReader.cast,
        _CelReader.library_function,
        _CelReader.dyn,
        _CelReader.function,
    ),
}
