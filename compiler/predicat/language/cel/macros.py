"""CEL's macros: recognizes expanded comprehensions, and reads macros with variables for key and value."""

from __future__ import annotations

from typing import Any

from predicat.diagnostics import Span
from predicat.ir import syntax as t
from predicat.language.common.trees import apply, by_kind

# The macros that take a key or a place and a value, and their kinds.
OF_ENTRIES = {"exists": "any", "all": "all", "exists_one": "one", "existsOne": "one", "transformList": "map"}
# A variable that nobody can write.
_SOURCE = "a list or a map"


def of_entries(call: Any, source: t.Tree, parts: tuple[t.Tree, ...], span: Span) -> t.Tree:
    """`m.exists(key, value, condition)`: a macro over the keys of a map or the indexes of a list, with a
    variable for the value.

    If there are two `parts`, as in transformList(), the first is a condition. Source: cel-go,
    ext/comprehensions.
    """
    key, value = (arg.ident_expr.name for arg in call.args[:2])

    def over(keys: t.Tree) -> t.Tree:
        def named(body: t.Tree) -> t.Tree:
            tree = apply("bracket", source.span, t.Name(_SOURCE, source.span), t.Name(key, source.span))
            return t.Macro(
                "let",
                key,
                apply("key", source.span, t.Name(key, source.span)),
                t.Macro("let", value, tree, body, span),
                span,
            )

        if len(parts) == 2:
            keys = t.Macro("filter", key, keys, named(parts[0]), span)
        return t.Macro(OF_ENTRIES[call.function], key, keys, named(parts[-1]), span)

    entries = t.Name(_SOURCE, source.span)
    branches = {
        "list": over(apply("places", source.span, entries)),
        "map": over(apply("json_items", source.span, entries)),
    }
    return t.Macro("let", _SOURCE, source, by_kind(call.function, entries, span, **branches), span)


def shape(loop: Any) -> tuple[str, Any, Any] | None:
    """The macro that a comprehension was expanded from, the condition of map(), and the body, recognized by
    the form of the loop step.
    """
    step = loop.loop_step
    if not step.HasField("call_expr") or loop.iter_var2:
        return None
    function, args = step.call_expr.function, step.call_expr.args
    logical = {"_||_": "any", "_&&_": "all"}.get(function)
    if logical and len(args) == 2 and _is(args[0], loop.accu_var):
        return logical, None, args[1]
    appended = _appended(step, loop.accu_var)
    if appended is not None:
        return "map", None, appended
    if function != "_?_:_" or len(args) != 3 or not _is(args[2], loop.accu_var):
        return None
    if loop.accu_init.HasField("const_expr"):
        return "one", None, args[0]
    appended = _appended(args[1], loop.accu_var)
    if appended is None:
        return None
    return ("filter", None, args[0]) if _is(appended, loop.iter_var) else ("map", args[0], appended)


def _appended(step: Any, name: str) -> Any:
    """`x` in `accumulator + [x]`."""
    call = step.call_expr
    is_append = (
        call.function == "_+_"
        and len(call.args) == 2
        and _is(call.args[0], name)
        and call.args[1].HasField("list_expr")
    )
    return call.args[1].list_expr.elements[0] if is_append else None


def _is(expr: Any, name: str) -> bool:
    return bool(expr.HasField("ident_expr") and expr.ident_expr.name == name)
