"""Which rows the policies of a table permit: the rules of PostgreSQL, one by one."""

import pytest

import predicat
from predicat.ir.nodes import FALSE, Node
from predicat.policies.access import (
    ACCESSES,
    DELETED,
    INSERTED,
    SEEN,
    UPDATED,
    WRITTEN,
    Rule,
    allowed,
    permitted,
)
from predicat.semantics.evaluate import compile_node

FIELDS = dict.fromkeys("abcd", "boolean")


def on(name: str) -> Node:
    return predicat.parse(name, "sql", fields=FIELDS).node


def rule(
    using: str = "", check: str = "", *, command: str = "all", role: str = "public", permissive: bool = True
) -> Rule:
    conditions = [on(text) if text else None for text in (using, check)]
    return Rule("p", command, (role,), permissive, *conditions)


def rows(node: Node) -> set[str]:
    """The smallest sets of fields that must be TRUE in a row, where the others are UNKNOWN."""
    function = compile_node(node)
    names = ["".join(name for at, name in enumerate("abcd") if mask & 1 << at) for mask in range(16)]
    found = {name for name in names if function(dict.fromkeys(name, True)) is True}
    return {name for name in found if not any(set(other) < set(name) for other in found)}


A, B = rule("a"), rule("b")
ONLY = rule("c", permissive=False)
CASES = [
    ("no policy", [], SEEN, set()),
    ("one is enough", [A, B], SEEN, {"a", "b"}),
    ("each restrictive one", [A, B, ONLY, rule("d", permissive=False)], SEEN, {"acd", "bcd"}),
    ("none permissive", [ONLY], SEEN, set()),
    ("another role", [rule("a", role="other")], SEEN, set()),
    ("an own role beside public", [A, rule("b", role="reader")], SEEN, {"a", "b"}),
    ("a restrictive one of another role", [A, rule("c", role="other", permissive=False)], SEEN, {"a"}),
    ("another command", [rule("a", command="update")], SEEN, set()),
    ("insert has only check", [rule(check="a", command="insert")], INSERTED, {"a"}),
    ("the rows of using are those that may be inserted", [A], INSERTED, {"a"}),
    ("check is for the new rows", [rule("a", "b")], INSERTED, {"b"}),
    ("a policy of select inserts nothing", [rule("a", command="select")], INSERTED, set()),
    ("update needs the rows that are seen", [rule("a", command="update")], UPDATED, set()),
    ("and has them", [rule("a", command="update"), rule("b", command="select")], UPDATED, {"ab"}),
    ("also the new ones", [rule("a", "c", command="update"), rule("b", command="select")], WRITTEN, {"bc"}),
    ("update without check", [rule("a", command="update"), rule("b", command="select")], WRITTEN, {"ab"}),
    ("delete needs the rows that are seen", [rule("a", command="delete"), B], DELETED, {"ab", "b"} - {"ab"}),
    ("a restrictive check", [rule("a"), rule("b", "c", permissive=False)], INSERTED, {"ac"}),
    ("only check: no row is there", [rule(check="a")], SEEN, set()),
]


@pytest.mark.parametrize(
    ("rules", "access", "found"), [row[1:] for row in CASES], ids=[row[0] for row in CASES]
)
def test_rules_of_postgres(rules: list[Rule], access: object, found: set[str]) -> None:
    assert access in ACCESSES
    what = next(one for one in ACCESSES if one == access)
    assert rows(allowed(rules, ["reader"], what)) == found


def test_without_a_where_only_the_policies_of_the_command_count() -> None:
    rules = [rule("a", command="delete"), rule("b", command="select")]
    assert rows(permitted(rules, [], DELETED)) == {"a"}
    assert rows(allowed(rules, [], DELETED)) == {"ab"}


def test_several_roles_have_the_policies_of_each() -> None:
    rules = [rule("a", role="one"), rule("b", role="two"), rule("c", role="two", permissive=False)]
    assert rows(allowed(rules, ["one"], SEEN)) == {"a"}
    assert rows(allowed(rules, ["one", "two"], SEEN)) == {"ac", "bc"}
    assert allowed(rules, ["three"], SEEN) == FALSE
