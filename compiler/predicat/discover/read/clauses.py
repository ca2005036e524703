"""The conditions of a parsed statement, by their clauses."""

from collections.abc import Iterator

from msgspec import Struct
from sqlglot import exp

from predicat.discover.conditions import Clause
from predicat.discover.read.pipelines import is_expectation
from predicat.discover.read.relations import Columns, Scope, Source, scopes


class ClauseCondition(Struct, frozen=True):
    """A condition in a statement: its clause, its node, the names in scope, and its place among branches."""

    clause: Clause
    node: exp.Expr
    scope: Scope
    case: exp.Expr | None = None
    branch: int = 0


def clause_conditions(
    root: exp.Expr, columns: Columns, variables: frozenset[str] = frozenset()
) -> Iterator[ClauseCondition]:
    """The conditions of a statement, in which some names are those of variables. Each is told once, for the
    query that it is written in.
    """
    for scope in scopes(root, columns, variables):
        node = scope.node
        if (where := node.args.get("where")) is not None:
            yield ClauseCondition("where", where.this, scope)
        if (having := node.args.get("having")) is not None:
            yield ClauseCondition("having", having.this, scope)
        if (qualify := node.args.get("qualify")) is not None:
            yield ClauseCondition("qualify", qualify.this, scope)
        for join in node.args.get("joins") or ():
            if (on := join.args.get("on")) is not None:
                yield ClauseCondition("join", on, scope)
        if isinstance(node, exp.Merge):
            yield from _merged(node, scope)
        yield from _inside(node, scope)
    if isinstance(root, exp.Create):
        yield from _checks(root, columns)


def _merged(node: exp.Merge, scope: Scope) -> Iterator[ClauseCondition]:
    if node.args.get("on") is not None:
        yield ClauseCondition("join", node.args["on"], scope)
    for when in node.find_all(exp.When):
        if (condition := when.args.get("condition")) is not None:
            yield ClauseCondition("where", condition, scope)


def _inside(query: exp.Expr, scope: Scope) -> Iterator[ClauseCondition]:
    """The conditions in expressions of a query, without those of queries within it."""
    pending = list(query.iter_expressions())
    while pending:
        node = pending.pop()
        if isinstance(node, exp.Query | exp.Insert | exp.Update | exp.Delete | exp.Merge):
            continue
        if isinstance(node, exp.Case) and node.this is None:
            for number, branch in enumerate(node.args.get("ifs") or ()):
                yield ClauseCondition("case", branch.this, scope, node, number)
        elif isinstance(node, exp.If) and not isinstance(node.parent, exp.Case):
            yield ClauseCondition("case", node.this, scope)
        elif isinstance(node, exp.Filter) and isinstance(node.expression, exp.Where):
            yield ClauseCondition("filter", node.expression.this, scope)
        elif isinstance(node, exp.CountIf):
            yield ClauseCondition("filter", node.this, scope)
        pending.extend(node.iter_expressions())


def _checks(root: exp.Create, columns: Columns) -> Iterator[ClauseCondition]:
    """The CHECK constraints of CREATE TABLE, and the expectations of pipelines."""
    if not isinstance(root.this, exp.Schema):
        return
    table = root.this.this
    relation = ".".join(part.name for part in table.parts) if isinstance(table, exp.Table) else ""
    source = Source(relation.rpartition(".")[2].lower(), relation, id(table))
    aliases = frozenset(part.alias_or_name.lower() for part in root.find_all(exp.Table, exp.Subquery))
    scope = Scope(root, {source.name: source}, columns, {}, aliases - {source.name})
    for check in root.this.find_all(exp.CheckColumnConstraint):
        if check.this is not None:
            clause: Clause = "test" if is_expectation(check) else "check"
            yield ClauseCondition(clause, check.this, scope)
