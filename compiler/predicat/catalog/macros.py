"""The macros of a catalog: the text of each, and which of them a template uses."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from predicat.catalog.templates import LOCKS
from predicat.diagnostics import PredicatError, Source, Span
from predicat.diagnostics.reading import text_of

_MACRO = re.compile(r".*?\{%[-+]?\s*endmacro\b.*?%\}", re.DOTALL)
# How the use of a variable begins; the use of a macro is its name.
VARIABLE = "var "


class Macro(Struct, frozen=True):
    """A macro. `meaning` is a hash that does not depend on comments and on blanks inside of tags; `uses` has
    the names of macros and variables.

    The text outside of the macros of a file is a macro too, with the name of the file.
    """

    name: str
    text: str
    meaning: str
    uses: tuple[str, ...]
    span: Span


def read_macros(folder: Path | None) -> dict[str, Macro]:
    """The macros of a folder by name; later files override earlier ones, as they do when bodies are rendered.
    Files with errors are skipped.
    """
    files = sorted(folder.rglob("*.sql")) if folder is not None and folder.is_dir() else []
    macros: dict[str, Macro] = {}
    for file in files:
        if not file.name.startswith(LOCKS):
            try:
                source = Source(str(file), text_of(file))
            except PredicatError:
                continue
            macros.update((macro.name, macro) for macro in _of_file(source, file.name))
    return macros


def _tree(text: str) -> Any:
    """The nodes of a template; None for one with errors, which rendering reports."""
    import jinja2  # noqa: PLC0415  # only where there are macros

    from predicat.catalog.sandbox import TooMuch  # noqa: PLC0415  # as above

    environment = _environment()
    environment.budget.renew()
    try:
        return environment.tree(text)
    except (jinja2.TemplateSyntaxError, TooMuch):
        return None


@cache
def _environment() -> Any:
    from predicat.catalog.sandbox import Budget, Sandbox  # noqa: PLC0415  # only where there are macros

    return Sandbox(Budget())


def _of_file(source: Source, name: str) -> Iterator[Macro]:
    tree = _tree(source.text)
    if tree is None:
        return
    from jinja2 import nodes  # noqa: PLC0415  # only where there are macros

    top = tree.body
    lines = source.text.splitlines(keepends=True)
    macros = [part for part in top if isinstance(part, nodes.Macro)]
    others = [part for part in top if part not in macros and not _blank(part)]
    if others:
        yield Macro(name, "", _hash(others), tuple(_uses(others)), Span(source, 0, 0))
    ends = [macro.lineno - 1 for macro in macros[1:]] + [len(lines)]
    for macro, end in zip(macros, ends, strict=False):  # without a macro there is an end too many
        start = len("".join(lines[: macro.lineno - 1]))
        lined = "".join(lines[macro.lineno - 1 : end])
        text = (whole[0] if (whole := _MACRO.match(lined)) else lined).strip()
        uses = (*_uses([macro]), *([name] if others else []))
        yield Macro(macro.name, text, _hash([macro]), uses, Span(source, start, start + 1))


def _blank(node: Any) -> bool:
    """Whether a node outputs only white space, which is ignored outside of macros."""
    parts = getattr(node, "nodes", None)
    return parts is not None and all(not getattr(part, "data", "x").strip() for part in parts)


def _hash(parts: Iterable[Any]) -> str:
    return hashlib.sha256("".join(map(repr, parts)).encode()).hexdigest()[:16]


def _uses(parts: Iterable[Any]) -> dict[str, None]:
    from jinja2 import nodes  # noqa: PLC0415  # as above

    result: dict[str, None] = {}
    for part in parts:
        for name in part.find_all(nodes.Name):
            result[name.name] = None
        for call in part.find_all(nodes.Call):
            if isinstance(call.node, nodes.Name) and call.node.name == "var":
                result.update(
                    (VARIABLE + str(arg.value), None) for arg in call.args[:1] if isinstance(arg, nodes.Const)
                )
    return result


def used(text: str, macros: Mapping[str, Macro]) -> set[str]:
    """The names that a template uses, directly or through macros."""
    tree = _tree(text)
    if tree is None:
        return set()
    pending = list(_uses([tree]))
    result: set[str] = set()
    while pending:
        name = pending.pop()
        if name not in result:
            result.add(name)
            pending += macros[name].uses if name in macros else ()
    return result
