"""Which members of structs predicates read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from predicat.ir.column_forms import core_type, held_type, stored_text
from predicat.ir.nodes import Call, Field, FieldDecl, Literal, Node, children
from predicat.ir.types import StructType, Type

_Path = tuple[str, ...]


def read_by(nodes: Iterable[Node]) -> dict[str, FieldDecl]:
    """The fields that predicates read, by name, in the order of first use. The type of a struct has the
    members that are read: columns need no others.
    """
    decls: dict[str, FieldDecl] = {}
    paths: dict[str, set[_Path]] = {}
    for node in nodes:
        for decl, path in _reads(node):
            decls.setdefault(decl.name, decl)
            paths.setdefault(decl.name, set()).add(path)
    return {name: _with_members(decl, paths[name]) for name, decl in decls.items()}


def _reads(node: Node) -> Iterator[tuple[FieldDecl, _Path]]:
    base, path = node, list[str]()
    while isinstance(base, Call) and base.op == "member" and isinstance(base.args[1], Literal):
        path.insert(0, str(base.args[1].value))
        base = base.args[0]
    if isinstance(base, Field):
        yield base.decl, tuple(path)
    else:
        for part in children(base):
            yield from _reads(part)


def _with_members(decl: FieldDecl, paths: set[_Path]) -> FieldDecl:
    if not isinstance(decl.type, StructType) or () in paths:
        return decl
    read = _members(held_type(decl), paths)
    return replace(decl, type=core_type(read), stored=stored_text(read))


def _members(kind: Type, paths: set[_Path]) -> Type:
    if not isinstance(kind, StructType) or () in paths:
        return kind
    return StructType(
        tuple(
            (name, _members(member, {path[1:] for path in paths if path[0] == name}))
            for name, member in kind.fields
            if any(path[0] == name for path in paths)
        )
    )
