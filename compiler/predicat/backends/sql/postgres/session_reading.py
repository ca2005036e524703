"""The values of the session in a condition that a server has, such as that of a policy: each becomes a
parameter, and the attribute that gives its value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from msgspec import Struct, field
from msgspec.structs import replace
from sqlglot import exp

from predicat.backends.sql.builders import Sql
from predicat.backends.sql.expressions import BadExpression
from predicat.backends.sql.postgres import session
from predicat.ir.nodes import FieldDecl
from predicat.ir.types import BOOLEAN, STRING, ArrayType, Type
from predicat.ir.widths import RANGES

_COMPARED = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
_ODD = re.compile(r"[^a-z0-9]+")


class Found(Struct, frozen=True):
    """An attribute: its type as it is declared, its type in expressions, what it is read from, and the SQL of
    that.
    """

    declared: str
    type: Type
    postgres: str
    sql: str


class Session(Struct):
    """The attributes of conditions, by name. Equal ones have one name in all conditions."""

    attributes: dict[str, Found] = field(default_factory=dict[str, Found])

    def without_values(
        self, text: str, fields: Mapping[str, FieldDecl], marker: Callable[[str], Sql]
    ) -> tuple[Sql, dict[str, Found]]:
        """A condition with a marker in the place of each value of the session, and their attributes. `fields`
        are those of the relation, by column. Raises BadExpression for what cannot be read.
        """
        root = exp.Paren(this=session.parsed(text))
        used: dict[str, Found] = {}
        self._replace(root.this, fields, marker, used)
        return root.this, used

    def _replace(
        self, node: Sql, fields: Mapping[str, FieldDecl], marker: Callable[[str], Sql], used: dict[str, Found]
    ) -> None:
        value = _flat(node)
        found = _attribute(value, _beside(node, fields))
        if found is not None:
            name = self._named(_name(value), found)
            used[name] = self.attributes[name]
            held = isinstance(node.parent, exp.Any)  # in parentheses
            node.replace(exp.Paren(this=marker(name)) if held else marker(name))
            return
        for part in list(node.iter_expressions()):
            self._replace(part, fields, marker, used)

    def _named(self, name: str, found: Found) -> str:
        """The name of an attribute: that of one with the same SQL, or an unused one."""
        same = [
            one
            for one, row in self.attributes.items()
            if (row.declared, row.sql) == (found.declared, found.sql)
        ]
        number, unused = 1, name
        while not same and unused in self.attributes:
            number += 1
            unused = f"{name}_{number}"
        self.attributes.setdefault(same[0] if same else unused, found)
        return same[0] if same else unused


def placeholder(name: str) -> Sql:
    """A parameter as a condition of a catalog has it."""
    return exp.Var(this=f":{name}")


def _flat(node: Sql) -> Sql:
    """An expression without its subqueries that only select a value, `(SELECT auth.uid())`."""
    root = exp.Paren(this=node.copy())
    for query in list(root.find_all(exp.Subquery)):
        selected = query.this
        if isinstance(selected, exp.Select) and len(selected.expressions) == 1:
            others = {key for key, part in selected.args.items() if part} - {"expressions", "kind"}
            if not others:
                query.replace(exp.Paren(this=selected.expressions[0].unalias()))
    return root.this


def _beside(node: Sql, fields: Mapping[str, FieldDecl]) -> FieldDecl | None:
    """The field that a value is compared with; of `= ANY (...)` as an array."""
    parent = node.parent
    while isinstance(parent, exp.Paren):
        parent = parent.parent
    several = isinstance(parent, exp.Any)
    compared = parent.parent if several and parent is not None else parent
    if not isinstance(compared, _COMPARED):
        return None
    columns = [column.name for column in compared.find_all(exp.Column) if column.name in fields]
    if len(columns) != 1:
        return None
    decl = fields[columns[0]]
    is_number = decl.stored in ("", *RANGES)
    return replace(decl, type=ArrayType(decl.type), stored="") if several and is_number else decl


def _attribute(node: Sql, beside: FieldDecl | None) -> Found | None:
    """A value of the session as an attribute; None for any other expression."""
    inner = node.unnest()
    if isinstance(inner, exp.Literal | exp.Column | exp.Boolean | exp.Null):
        return None
    if beside is not None and isinstance(beside.type, ArrayType) and isinstance(inner, exp.Cast):
        inner = inner.this.unnest()
    of_cast = session.type_of(inner.to.sql("postgres")) if isinstance(inner, exp.Cast) else None
    kinds: list[tuple[Type, str]] = [of_cast] if of_cast is not None else [(STRING, ""), (BOOLEAN, "")]
    if session.is_function(inner) and beside is not None:
        kinds = [(beside.type, beside.stored)]
    for kind, stored in kinds:
        try:
            sql = session.read(inner.sql("postgres"), FieldDecl("value", kind, stored=stored))
        except BadExpression:
            continue
        return Found(stored or str(kind), kind, text_of(inner), sql.sql("postgres"))
    return None


def plain(node: Sql) -> Sql:
    """An expression as a person writes it: without the casts and parentheses that the server adds."""
    root = exp.Paren(this=node.copy())
    for part in list(root.this.find_all(exp.Cast)):
        if isinstance(inner := session.unwrapped(part), exp.Literal):
            part.replace(inner)
    for part in list(root.find_all(exp.Paren))[1:]:
        inner, outer = part.this, part.parent
        is_call = isinstance(inner, exp.Anonymous | exp.Nullif | exp.Dot)
        is_test = isinstance(inner, exp.Predicate | exp.Not)
        if is_call or (is_test and isinstance(outer, exp.And | exp.Or | exp.Paren)):
            part.replace(inner)
    return root.this


def text_of(node: Sql) -> str:
    """The text of a plain expression."""
    from predicat.backends import dialect  # noqa: PLC0415  # a dialect needs this module's neighbours

    return dialect("postgres").text(plain(node).unnest())


def _name(node: Sql) -> str:
    """A name for the attribute of a value: the last word of a setting, the key in a document, the role."""
    words = [part.name for part in node.find_all(exp.Literal, exp.JSONPathKey) if part.name]
    function = node.find(exp.Anonymous)
    if session.is_role(node):
        text = f"is_{words[0]}"
    elif words:
        text = words[0].rpartition(".")[2]
    elif function is not None:
        text = function.name
    else:
        text = "session_user" if node.find(exp.SessionUser) is not None else "user"
    name = _ODD.sub("_", text.lower()).strip("_")[:50]
    name = name if name[:1].isalpha() else f"value_{name}".rstrip("_")
    return "role_name" if name == "role" else name
