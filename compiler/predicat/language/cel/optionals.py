"""CEL's optional values (`a.?b.orValue("x")`): paths whose value may be missing, which any path supports
here.

Source: cel-spec, optional values. No field is an optional value: an optional begins with a lookup, and ends
with one of the methods in ENDS.
"""

from __future__ import annotations

from typing import Any, Protocol

from predicat.diagnostics import NOWHERE, Span
from predicat.ir import syntax as t
from predicat.language.common.trees import apply, cast_to

LOOK_UPS = ("_?._", "_[?_]")
# What makes a value of an optional, and how many arguments it takes.
ENDS = {"orValue": 1, "hasValue": 0, "value": 0}


class Reader(Protocol):
    """Reads all other parts of a message."""

    def read(self, expr: Any) -> t.Tree:
        """The tree of an expression. Raises Stop; the reporter has the problem."""
        ...

    def member(self, base: t.Tree, name: str, expr: Any) -> t.Tree:
        """The tree of `base.name`."""
        ...

    def bracket(self, expr: Any, base: t.Tree, key: t.Tree) -> t.Tree:
        """The tree of `base[key]`."""
        ...


def is_optional(expr: Any) -> bool:
    """Whether a part has the form of an optional value."""
    match expr.WhichOneof("expr_kind"):
        case "select_expr":
            return not expr.select_expr.test_only and is_optional(expr.select_expr.operand)
        case "comprehension_expr":
            return is_optional(expr.comprehension_expr.result)
        case "call_expr":
            call = expr.call_expr
            operand = {"_[_]": 0, "_?_:_": 2}.get(call.function)
            if operand is not None:
                return is_optional(call.args[operand])
            return (
                call.function in LOOK_UPS
                or _constructor(call) is not None
                or (call.function == "or" and is_optional(call.target))
                or (call.function == "extract" and call.target.ident_expr.name == "regex")
            )
        case _:
            return False


def ended(reader: Reader, expr: Any, args: tuple[t.Tree, ...], span: Span) -> t.Tree:
    """The value of a call of one of ENDS on an optional value."""
    call = expr.call_expr
    if call.function == "hasValue":
        return _end(reader, call.target, t.Constant(False, span), span, asked=True)
    return _end(reader, call.target, args[0] if args else None, span, asked=False)


def parts(reader: Reader, expr: Any) -> tuple[t.Tree, t.Tree]:
    """Whether an optional has a value, and the value."""
    held = _end(reader, expr, t.Constant(False, NOWHERE), NOWHERE, asked=True)
    return held, _end(reader, expr, None, held.span, asked=False)


def _end(reader: Reader, expr: Any, rest: t.Tree | None, span: Span, *, asked: bool) -> t.Tree:
    """The value of an optional or, if `asked`, whether it has a value. Without a value the result is `rest`,
    or an error if there is none.
    """

    def of(part: Any, rest: t.Tree | None = rest) -> t.Tree:
        return _end(reader, part, rest, span, asked=asked)

    call = expr.call_expr
    if expr.HasField("comprehension_expr"):  # what optMap() and optFlatMap() are: a name for what is held
        loop = expr.comprehension_expr
        return t.Macro("let", loop.accu_var, reader.read(loop.accu_init), of(loop.result), span)
    if call.function == "_?_:_":
        return apply("cond", span, reader.read(call.args[0]), of(call.args[1]), of(call.args[2]))
    if call.function == "or":
        return of(call.target, of(call.args[0]))
    if (constructor := _constructor(call)) is not None:
        if constructor == "none":
            return rest or _error(span)
        held = reader.read(call.args[0])
        return (
            apply("cond", span, apply("is_null", span, held), t.Constant(None, span), t.Constant(True, span))
            if asked
            else held
        )
    path = _path(reader, expr)
    span = path.span.to(span)
    if rest is None:
        return path
    if not asked:
        return apply("coalesce", span, path, rest)
    there = apply("not", span, apply("is_null", span, path))
    return there if isinstance(rest, t.Constant) else apply("or", span, there, rest)


def _error(span: Span) -> t.Tree:
    """A value that is always missing, without a type."""
    return apply("dyn", span, cast_to("to_boolean", t.Constant(None, span), span))


def _path(reader: Reader, expr: Any) -> t.Tree:
    """A chain of lookups. Only the first one may lack the `?`."""
    if not is_optional(expr):
        return reader.read(expr)
    if expr.HasField("select_expr"):
        tree = reader.member(_path(reader, expr.select_expr.operand), expr.select_expr.field, expr)
    else:
        call = expr.call_expr
        if call.function == "_?._":
            tree = reader.member(_path(reader, call.args[0]), call.args[1].const_expr.string_value, expr)
        elif call.function in ("_[?_]", "_[_]"):
            tree = reader.bracket(expr, _path(reader, call.args[0]), reader.read(call.args[1]))
        else:
            return reader.read(expr)  # which refuses it
    return apply("path", tree.span, tree)


def _constructor(call: Any) -> str | None:
    """`optional.of` or `optional.none`; in macros the parser gives them as one name."""
    namespace = (
        call.target.ident_expr.name
        if call.HasField("target") and call.target.HasField("ident_expr")
        else None
    )
    name = f"{namespace}.{call.function}" if namespace else call.function
    return (
        name.removeprefix("optional.")
        if name in ("optional.of", "optional.none") and len(call.args) == (name == "optional.of")
        else None
    )
