"""Name resolution: variables, parameters, fields, lists, constants of enumerations, the current time."""

from __future__ import annotations

import re

from predicat.check.operators import Operators
from predicat.diagnostics import Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import check as say
from predicat.diagnostics.messages import lists as say_lists
from predicat.ir import syntax as t
from predicat.ir.nodes import (
    NOW,
    Field,
    FieldDecl,
    Items,
    Literal,
    Node,
    Parameter,
)
from predicat.ir.types import (
    JSON,
    ArrayType,
)
from predicat.ir.value_sets import ValueSet
from predicat.ir.variables import fold_identifier

# The version in the name of a list.
_VERSION = re.compile(r"@|.\.v[0-9]+\Z")
# Constants of languages that tell upper from lower case, by what people write.
_CONSTANTS = {
    "true": "true",
    "false": "false",
    **dict.fromkeys(("null", "none", "nil", "undefined"), "null"),
}
# A name of at most this length before a field is a table alias, even if a field has a similar name.
_ALIAS = 2


class Names(Operators):
    """Resolves the names of a scope.

    Attributes:
        has_collections: Whether the tree has a list or map literal.
        long_lists: Whether the tree refers to a list that is too long to be written out.
        table: The table name that qualifies the fields.
    """

    has_collections: bool = False
    long_lists: bool = False
    table: str | None = None

    def root(self, base: t.Name, keys: list[str], span: Span) -> tuple[Node, list[str]]:
        """The variable, parameter, field, list or constant at the start of a dotted name, and the other keys.
        Raises Stop if there is none.
        """
        name = base.name
        if not base.rooted and (variable := self.variable(base)) is not None:
            return variable, keys
        fields, enums = self.scope.fields, self.scope.enums
        lists = self.scope.lists
        for length in range(len(keys), -1, -1) if fields or enums or lists else ():
            dotted = ".".join([name, *keys[:length]])
            if fields is not None and dotted in fields:
                return Field(fields[dotted].type, fields[dotted], span), keys[length:]
            if dotted in enums:
                return self.constant(enums[dotted], span), keys[length:]
            if dotted in lists and length == len(keys):
                kind, values = lists[dotted]
                if isinstance(values, ValueSet):
                    self.long_lists = True
                    return Literal(ArrayType(kind), values, span), keys[length:]
                self.has_collections = True
                items = tuple(Literal(kind, value, span) for value in values)
                return Items(ArrayType(kind), items, span), keys[length:]
        if name in self.scope.params:
            return Parameter(self.scope.params[name].type, self.scope.params[name], base.span), keys
        if fields is None:
            return Field(JSON, FieldDecl(name, JSON), base.span), keys
        if self.rules.names_now and name == "now" and not keys:
            return self.now(base.span), keys
        if name == "lists" and keys:
            known = [one.removeprefix("lists.") for one in lists if not _VERSION.search(one)]
            raise self.fail(say_lists.unknown_list(span, ".".join(keys), known))
        if self.rules.case_insensitive_names and keys and keys[0] in fields and self.is_table(name):
            return self.root(t.Name(keys[0], base.span), keys[1:], span)
        if self.scope.tables and self.rules.case_insensitive_names and keys and keys[0] in fields:
            raise self.fail(say.other_table(span, name, keys[0]))
        known = [*fields, *self.scope.params, *enums]
        if keys and name not in span.text and not any(field.startswith(f"{name}.") for field in fields):
            raise self.fail(msg.no_key_field(span, name, known))  # the language put it before the key
        hint = None
        if not keys and not self.rules.case_insensitive_names and name.lower() in _CONSTANTS:
            hint = say.constant_is(_CONSTANTS[name.lower()])
        raise self.fail(msg.unknown_field(span, ".".join([name, *keys]), known, hint))

    def is_table(self, name: str) -> bool:
        """Whether a name before a field is the name of the table or an alias of it, and not a misspelt field
        or another table. A condition has only one table.
        """
        if self.table is None and self.may_be_table(name):
            self.table = name
        return self.table == name

    def may_be_table(self, name: str) -> bool:
        """Whether a name is one of the relation or the beginning of one, or short as aliases are."""
        if len(name) <= _ALIAS:
            return True
        if self.scope.tables is None:
            return msg.did_you_mean(name, self.scope.fields or ()) is None
        return any(fold_identifier(table).startswith(fold_identifier(name)) for table in self.scope.tables)

    def variable(self, name: t.Name) -> Node | None:
        """The node for the variable of this name, or None. Raises Stop if in SQL the name of a variable
        differs only in case.
        """
        if self.variables and self.rules.case_insensitive_names:
            near = next(
                (
                    known
                    for known in reversed(self.variables)
                    if fold_identifier(known) == fold_identifier(name.name)
                ),
                name.name,
            )
            if near != name.name:
                raise self.fail(say.name_like_a_variable(name.span, near))
        return self.variables.get(name.name)

    def now(self, span: Span) -> Node:
        """The current time."""
        if "now" in self.scope.params:
            raise self.fail(say.parameter_beside_now(span))
        return Parameter(NOW.type, NOW, span)
