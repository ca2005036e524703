"""The row policies of a table that are there, as a catalog has them: attributes, filters and policies."""

from collections.abc import Mapping
from typing import Any

import psycopg
from msgspec import Struct, field
from sqlglot import exp

from predicat.api import parse
from predicat.backends.sql.expressions import BadExpression
from predicat.backends.sql.postgres.session_reading import Session, placeholder, text_of
from predicat.catalog.keys import NAME
from predicat.catalog.policies import PUBLIC
from predicat.deploy import policies_there as there
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import deploy as say
from predicat.ir.nodes import FieldDecl


class Policies(Struct):
    """Entries of a catalog file, and the policies that are not read, with the reason."""

    attributes: dict[str, Any] = field(default_factory=dict[str, Any])
    filters: dict[str, Any] = field(default_factory=dict[str, Any])
    policies: dict[str, Any] = field(default_factory=dict[str, Any])
    left: dict[str, str] = field(default_factory=dict[str, str])


def policies_of(connection: psycopg.Connection, table: int, fields: Mapping[str, FieldDecl]) -> Policies:
    """The policies of a table. `fields` are those of its columns, by name. One whose condition cannot be
    written as a filter is left out.
    """
    columns = {decl.column("postgres"): decl for decl in fields.values() if not decl.expressions}
    result, known = Policies(), Session()
    for present in there.read(connection, "", [table]):
        try:
            entry, own = _policy(present, result.filters, columns, fields, known)
        except BadExpression as error:
            result.left[present.name] = str(error)
            continue
        result.filters |= own
        result.policies[present.name] = entry
    used = {name for row in result.filters.values() for name in row.get("params", {})}
    result.attributes = {
        name: {"type": row.declared, "postgres": row.postgres}
        for name, row in known.attributes.items()
        if name in used
    }
    return result


def _policy(
    present: there.Present,
    filters: Mapping[str, Any],
    columns: Mapping[str, FieldDecl],
    fields: Mapping[str, FieldDecl],
    known: Session,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """A policy, and its filters that are not among `filters`. Raises BadExpression."""
    if not NAME.match(present.name):
        raise BadExpression(say.POLICY_NAME)
    rule = present.rule
    entry: dict[str, Any] = {
        **({"command": rule.command} if rule.command != "all" else {}),
        **({"roles": list(rule.roles)} if rule.roles != (PUBLIC,) else {}),
        **({} if rule.permissive else {"permissive": False}),
    }
    own: dict[str, Any] = {}
    for key, text in (("using", rule.using), ("check", rule.check)):
        if text:
            body = _body(text, columns, fields, known)
            taken = {**filters, **own}
            same = [name for name, row in taken.items() if row == body]
            unused = present.name if present.name not in taken else f"{present.name}_{key}"
            entry[key] = same[0] if same else unused
            own |= {} if same else {unused: body}
    return entry, own


def _body(
    text: str, columns: Mapping[str, FieldDecl], fields: Mapping[str, FieldDecl], known: Session
) -> dict[str, Any]:
    """The filter of a condition. Raises BadExpression."""
    tree, used = known.without_values(text, columns, placeholder)
    _renamed(tree, columns)
    condition = text_of(tree)
    params = {name: str(row.type) for name, row in used.items()}
    try:
        parse(condition, "postgres", fields, params=params)
    except PredicatError as error:
        raise BadExpression(error.diagnostics[0].message) from None
    return {"postgres": condition, **({"params": params} if params else {})}


def _renamed(tree: exp.Expr, columns: Mapping[str, FieldDecl]) -> None:
    """Name the fields of columns that have another name."""
    for column in tree.find_all(exp.Column):
        decl = columns.get(column.name)
        if decl is not None and decl.name != column.name:
            column.set("this", exp.to_identifier(decl.name, quoted=True))
