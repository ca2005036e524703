"""The texts of a program in Python: constants, f-strings, sums of them, and what formats them.

What a program puts in is a parameter. A text that the program changes in another way is not known.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import count, takewhile

from predicat.diagnostics import Source
from predicat.discover.read.residues import parameter_of
from predicat.discover.read.written import replaced

# A field of `str.format`, and the brackets that it escapes.
_FIELD = re.compile(r"\{\{|\}\}|\{(?P<name>\w[\w.\[\]]*)?(?P<form>(?:![rsa])?(?::[^{}]*)?)\}")
# What the operator `%` puts in, and drivers of databases.
_PUT = re.compile(r"%%|%(?:\((?P<name>\w+)\))?(?P<form>)[sdifr]")
_PLACEHOLDER = re.compile(r"%(?:\((?P<name>\w+)\))?(?P<form>)s")
_KEEPS = frozenset({"strip", "lstrip", "rstrip"})
# Calls whose text is no longer what was written.
_CHANGES = frozenset({"replace", "join", "translate", "substitute", "safe_substitute", "Template"})
_GROWS = frozenset({"append", "extend", "insert"})


def text_of(node: ast.AST, constants: Mapping[str, ast.expr] | None = None) -> str | None:
    """The text of an expression; what it puts in is a parameter, or the text of a plain constant."""
    known = constants or {}
    match node:
        case ast.Constant(value=str() as value):
            return value
        case ast.JoinedStr(values=values):
            return "".join(
                str(part.value) if isinstance(part, ast.Constant) else _put_in(part, known) for part in values
            )
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            texts = [text_of(part, constants) for part in (left, right)]
            if texts == [None, None]:
                return None
            return "".join(
                _put_in(part, known) if text is None else text
                for part, text in zip((left, right), texts, strict=True)
            )
        case ast.BinOp(left=left, op=ast.Mod(), right=right):
            given = (
                right.elts if isinstance(right, ast.Tuple) else [] if isinstance(right, ast.Dict) else [right]
            )
            text = text_of(left, constants)
            return None if text is None else _filled(_PUT, text, _given(given, [], known)).text
        case ast.Call(func=ast.Attribute(value=value, attr="format"), args=args, keywords=keywords):
            text = text_of(value, constants)
            return None if text is None else _filled(_FIELD, text, _given(args, keywords, known)).text
        case ast.Call(func=ast.Attribute(value=value, attr=attr), args=[]) if attr in _KEEPS:
            return text_of(value, constants)
        case ast.Call(args=[value]) if called_name(node) == "dedent":
            return text_of(value, constants)
        case _:
            return None


def formatted(text: str) -> Source:
    """A text with the fields of `str.format` as parameters, which knows what was where."""
    return _filled(_FIELD, text, {})


def with_placeholders(text: str) -> Source:
    """A statement with what a driver puts in (`%s`, `%(name)s`) as parameters, which knows what was where."""
    return _filled(_PLACEHOLDER, text, {})


def called_name(call: ast.Call) -> str:
    """The last name of what is called."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _filled(pattern: re.Pattern[str], text: str, given: Mapping[str, str]) -> Source:
    """A text with what is given in its fields. A field without a name is another one each time."""
    numbers = count()

    def field(match: re.Match[str]) -> str:
        if match[0] in ("{{", "}}", "%%"):
            return match[0][0]
        name = match["name"] or str(next(numbers))
        if name in given and not match["form"]:
            return given[name]
        own = name if match["name"] else f"value_{name}".removesuffix("_0")
        return parameter_of(f"{own}{match['form']}" if own[0].isalpha() else f"value_{own}")

    return replaced(Source("", text, None, range(len(text))), pattern, field)


def _given(
    args: Sequence[ast.expr], keywords: Sequence[ast.keyword], constants: Mapping[str, ast.expr]
) -> dict[str, str]:
    """What is put in, by the names and numbers of fields."""
    first = list(takewhile(lambda one: not isinstance(one, ast.Starred), args))
    named = {one.arg: one.value for one in keywords if one.arg}
    pairs = [*((str(number), one) for number, one in enumerate(first)), *named.items()]
    return {name: _put_in(one, constants) for name, one in pairs}


def _put_in(node: ast.expr, constants: Mapping[str, ast.expr]) -> str:
    match node:
        case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
            return _put_in(value, constants)
        case ast.Name(id=name) if isinstance(known := constants.get(name), ast.Constant):
            return str(known.value)
        case ast.Constant(value=str() | int() | float() as value):
            return str(value)
        case _:
            return parameter_of(ast.unparse(node))


class Names:
    """What the names of a program stand for. `assigned` are their values, `constants` those that have one
    text wherever they are used, `formatted` the names that `str.format` fills, `changed` those whose text the
    program changes.
    """

    def __init__(self, tree: ast.Module) -> None:
        self.assigned: dict[str, list[ast.expr]] = {}
        self.formatted: set[str] = set()
        self.changed: set[str] = set()
        bound = Counter[str]()
        for node in ast.walk(tree):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self.assigned.setdefault(name, []).append(value)
                case ast.AugAssign(target=ast.Name(id=name)):
                    self.changed.add(name)
                case ast.Attribute(value=ast.Name(id=name), attr="format"):
                    self.formatted.add(name)
                case ast.Attribute(value=ast.Name(id=name), attr=attr) if attr in _CHANGES:
                    self.changed.add(name)
                case ast.Call(args=args) if called_name(node) in _CHANGES:
                    self.changed.update(arg.id for arg in args if isinstance(arg, ast.Name))
            if isinstance(node, ast.arg):
                bound[node.arg] += 1
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                bound[node.id] += 1
        self.constants = {
            name: value
            for name, (value, *_) in self.assigned.items()
            if bound[name] == 1 and text_of(value) is not None
        }

    def constant(self, node: ast.expr) -> ast.expr:
        """The text that a name stands for, or the node itself."""
        return self.constants.get(node.id, node) if isinstance(node, ast.Name) else node

    def values(self, node: ast.expr) -> list[ast.expr]:
        """The expressions that a text may come from."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and text_of(node) is None:
            node = node.func.value if node.func.attr in ("format", *_KEEPS) else node
        return self.assigned.get(node.id, []) if isinstance(node, ast.Name) else [node]


class Text:
    """A text of a program: where it is, the name that it is assigned to, and whether it is changed later."""

    def __init__(self, node: ast.expr, name: str, changed: bool) -> None:
        self.node = node
        self.name = name
        self.changed = changed


def texts(tree: ast.Module, names: Names) -> Iterator[Text]:
    """The texts of a program, without those that are a part of one, and without its documentation."""
    pending: list[tuple[ast.AST, str, bool]] = [(tree, "", False)]
    while pending:
        node, name, changed = pending.pop()
        if isinstance(node, ast.expr) and text_of(node) is not None:
            yield Text(node, name, changed or name in names.changed)
            continue
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                changed = False
            case ast.AugAssign():
                changed = True
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=attr)) if attr in _GROWS:
                changed = changed or owner in names.changed
            case ast.Call():
                name, changed = "", called_name(node) in _CHANGES
            case ast.stmt():
                name, changed = "", False
            case _:
                changed = changed or (isinstance(node, ast.List | ast.Tuple) and name in names.changed)
        children = [(child, name, changed) for child in ast.iter_child_nodes(node)]
        pending.extend(reversed(children))
