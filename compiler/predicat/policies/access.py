"""The rows that a role may see or write by the policies of a table, as one predicate.

Source: PostgreSQL, CREATE POLICY, "Policies Applied by Command Type" and "Application of Multiple Policies".
It is said of a role that the policies hold for: not of superusers, roles with BYPASSRLS, and the owner of a
table without FORCE.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from msgspec import Struct

from predicat.ir.nodes import FALSE, Call, Node
from predicat.ir.types import BOOLEAN
from predicat.rewrite.acceptance import for_acceptance
from predicat.rewrite.simplify import simplify

# The role that everybody has, and the command that is each of them.
PUBLIC, EVERY = "public", "all"


class Rule(Struct, frozen=True):
    """A policy with its conditions as predicates; None where it has no condition.

    Attributes:
        name: Its name.
        command: select, insert, update, delete or all.
        roles: Those whom it holds for; `public` is everybody.
        permissive: Whether it adds rows. A restrictive one removes them.
        using: The rows that are there already.
        check: The rows that are written.
    """

    name: str
    command: str
    roles: tuple[str, ...]
    permissive: bool
    using: Node | None
    check: Node | None

    def holds(self, roles: Collection[str], command: str) -> bool:
        """Whether it holds for a command of somebody who has some roles."""
        return self.command in (command, EVERY) and self.is_for(roles)

    def is_for(self, roles: Collection[str]) -> bool:
        """Whether it holds for somebody who has some roles."""
        return not {PUBLIC, *roles}.isdisjoint(self.roles)

    def condition(self, *, new: bool) -> Node | None:
        """The condition of the rows that are there, or of those that are written (`new`): the same one, if it
        has no other.
        """
        return self.check if new and self.check is not None else self.using


class Access(Struct, frozen=True):
    """What a command does with rows: it reads those that are there, or writes `new` ones. `words` are what a
    role does with them.
    """

    command: str
    new: bool
    words: str


SEEN = Access("select", False, "sees")
INSERTED = Access("insert", True, "may insert")
UPDATED = Access("update", False, "may update")
WRITTEN = Access("update", True, "may update to")
DELETED = Access("delete", False, "may delete")
ACCESSES = (SEEN, INSERTED, UPDATED, WRITTEN, DELETED)


def permitted(rules: Iterable[Rule], roles: Collection[str], access: Access) -> Node:
    """The rows that the policies of a command alone permit: at least one permissive policy is TRUE, and each
    restrictive one. Without a permissive policy no row.

    An UPDATE or DELETE without a WHERE has these rows.
    """
    held = [rule for rule in rules if rule.holds(roles, access.command)]
    permissive = list(_conditions(held, access, permissive=True))
    if not permissive:
        return FALSE
    restrictive = list(_conditions(held, access, permissive=False))
    return _tidy(_joined("and", [_joined("or", permissive), *restrictive]))


def allowed(rules: Iterable[Rule], roles: Collection[str], access: Access) -> Node:
    """The rows that a role may see or write with a command that reads the table, as one with a WHERE does: an
    UPDATE and a DELETE need the rows that are seen, too. It is never TRUE where a condition is UNKNOWN.
    """
    rules = list(rules)
    own = permitted(rules, roles, access)
    if access.command not in ("update", "delete"):
        return own
    return _tidy(_joined("and", [permitted(rules, roles, SEEN), own]))


def _conditions(rules: Iterable[Rule], access: Access, *, permissive: bool) -> Iterator[Node]:
    for rule in rules:
        condition = rule.condition(new=access.new)
        if rule.permissive == permissive and condition is not None:
            yield condition


def _joined(op: str, nodes: list[Node]) -> Node:
    return nodes[0] if len(nodes) == 1 else Call(BOOLEAN, op, tuple(nodes))


def _tidy(node: Node) -> Node:
    return for_acceptance(simplify(node))


def roles_of(rules: Iterable[Rule]) -> list[str]:
    """The roles that policies name, and `public`: somebody who has none of them."""
    return list(dict.fromkeys((PUBLIC, *(role for rule in rules for role in rule.roles))))
