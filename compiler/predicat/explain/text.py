"""A filter in plain words: its conditions, its SQL, what engines push down, its lineage and its users."""

from collections.abc import Iterator, Mapping
from typing import Any

from predicat import backends
from predicat.backends.sql import column_forms
from predicat.backends.sql.expressions import columns_of
from predicat.backends.sql.rewritings import ALL
from predicat.backends.sql.storage import Index, Storage
from predicat.catalog.manifest import dataset_data
from predicat.catalog.model import Catalog, Filter, Version
from predicat.diagnostics import Unsupported
from predicat.explain.explanation import Explanation, atoms, decisive, explain_node, told
from predicat.explain.prose import describe, is_presence
from predicat.explain.show import outcome as shown
from predicat.explain.show import row_text
from predicat.explain.users import UsageIndex
from predicat.forms.total_order import bare, without_nan_test
from predicat.ir.nodes import Call, Field, Node, Variable, fields_of, walk
from predicat.ir.operators import COMPARISONS, JUNCTIONS, LOGIC, ORDERED
from predicat.ir.surface import NULL_CASES, NULL_IS_VALUE
from predicat.ir.types import STRING, ArrayType, MapType, StructType
from predicat.lower import core_of_part
from predicat.rewrite.acceptance import for_acceptance
from predicat.rewrite.list_tables import in_tables

_PUSHED = (*COMPARISONS, "in", "is_null", "same", "starts_with", "ends_with", "contains")
_INDEXED = (*ORDERED, "eq", "in", "is_null", "starts_with")


def explain(catalog: Catalog, filter_: Filter, version: Version) -> list[str]:
    """A version of a filter, line by line."""
    node, dataset = version.predicate.node, catalog.datasets[filter_.dataset]
    mode = "" if dataset.ansi or version.language != "spark" else ", without ANSI mode"
    lines = [
        f"{filter_.qualified}@{version.number}" + (f": {filter_.description}" if filter_.description else "")
    ]
    facts = [
        f"owner {filter_.owner}" if filter_.owner else "",
        f"tags {', '.join(filter_.tags)}" if filter_.tags else "",
        f"written in {version.language}{mode}",
        f"deprecated as of {version.deprecated}" if version.deprecated else "",
    ]
    lines.append("; ".join(fact for fact in facts if fact))
    lines += ["", f"A row is accepted if (UNKNOWN {filter_.on_unknown}s it):"]
    lines += [f"  {line}" for line in tree(version.predicate.surface)]
    for decl in version.params.values():
        lines.append(
            f"  :{decl.name} is a {decl.type}" + ("" if decl.required else f", by default {decl.default}")
        )
    for dialect in backends.DIALECTS:
        lines += ["", dialect, f"  {_sql(node, filter_, dialect)}"]
    lines += ["", "Pushed down to files (Spark), and found by an index (PostgreSQL):"]
    storage = backends.stored("postgres", dataset.collation, dataset.indexes)
    lines += [f"  {line}" for line in pushdown(version.predicate.surface, storage)]
    lines += ["", "Lineage:"]
    lines += [f"  {line}" for line in lineage(catalog, filter_, version)]
    return lines


def _sql(node: Node, filter_: Filter, dialect: str) -> str:
    try:
        shown = in_tables(for_acceptance(node) if filter_.on_unknown == "reject" else node)
        return backends.dialect(dialect).render(shown)
    except Unsupported as error:
        return f"none: {error.diagnostics[0].message}"


def tree(node: Node, depth: int = 0) -> Iterator[str]:
    """A predicate as an indented tree of plain words."""
    indent = "  " * depth
    if isinstance(node, Call) and node.op in JUNCTIONS:
        yield f"{indent}{'all of' if node.op == 'and' else 'at least one of'}:"
        for arg in node.args:
            yield from tree(arg, depth + 1)
    elif isinstance(node, Call) and node.op == "not" and not is_presence(node):
        yield f"{indent}not:"
        yield from tree(node.args[0], depth + 1)
    elif isinstance(node, Call) and node.op == "is_true":
        yield from tree(node.args[0], depth)
    else:
        yield f"{indent}{describe(node)}"


def pushdown(surface: Node, storage: Storage | None = None) -> Iterator[str]:
    """For each condition as it is written, whether engines can use it before they read a row, and what
    prevents it.

    With a `storage` whose indexes are known, also which index of PostgreSQL serves it.
    """
    for written in _conditions(surface):
        atom = core_of_part(written)
        solved = in_where(written)
        spark = is_pushed(solved)
        if storage is None or storage.indexes is None:
            postgres = all(_bare(part, _INDEXED, "postgres") for part in atoms(solved))
            index = ""
        else:
            indexes = serving(atom, storage)
            postgres = indexes is not None
            index = f"  (index {indexes.name})" if indexes else f"  ({why_no_index(atom, storage)})"
        shown = f"{'yes' if spark else 'no '} / {'yes' if postgres else 'no '}"
        why = "" if spark else f"  ({_why(written)})"
        yield f"{shown}  {describe(written)}{why}{index}"


def in_where(condition: Node, on_unknown: str = "reject") -> Node:
    """A condition as written in the WHERE of its filter: a comparison of a calculation becomes bounds of its
    field, if that has the same rows or, for a filter that accepts UNKNOWN, the same outcome.
    """
    core = core_of_part(condition)
    return bare(ALL.rows(core) if on_unknown == "reject" else ALL.outcome(core, lambda _before, _after: True))


def is_pushed(condition: Node) -> bool:
    """Whether engines push a condition down to files as it is: it compares columns with constants."""
    return all(_bare(part, _PUSHED, "spark") for part in atoms(condition))


def _conditions(node: Node) -> Iterator[Node]:
    """The conditions of a predicate. `x IS NOT NULL` is one."""
    if isinstance(node, Call) and node.op in LOGIC and not is_presence(node):
        for arg in node.args:
            yield from _conditions(arg)
    else:
        yield from (node,) if is_presence(node) else atoms(node)


def serving(node: Node, storage: Storage) -> Index | None:
    """An index of PostgreSQL that finds the rows of a condition; None if there is none."""
    try:
        return backends.dialect("postgres").served_by(node, storage)
    except Unsupported:
        return None


def why_no_index(node: Node, storage: Storage) -> str:
    """Why no index of PostgreSQL serves a condition."""
    indexes = reading(node, storage)
    if not indexes:
        return "no index on the fields that it reads"
    ordered = isinstance(node, Call) and node.op in ORDERED and node.args[0].type == STRING
    if ordered and not storage.order.by_code_point:
        return f"index {indexes[0].name} is not ordered by code point"
    if any(isinstance(part, Call) and part.op == "json_number" for part in walk(node)):
        return "a number in JSON is compared as a double"
    return f"index {indexes[0].name} cannot be used for this form"


def reading(node: Node, storage: Storage) -> list[Index]:
    """The indexes on expressions that a condition reads, indexes on plain columns first."""
    columns = {column for decl in fields_of(node).values() for column in columns_of(decl, "postgres")}
    indexes = [index for index in storage.indexes or () if index.columns & columns]
    return sorted(indexes, key=lambda index: not index.keys[0].is_column)


def _bare(atom: Node, ops: tuple[str, ...], engine: str) -> bool:
    """Whether a condition compares a column itself with constants on an engine."""
    if isinstance(atom, Field):
        return True
    if (in_its_type := column_forms.is_at_column(engine, atom)) is not None:
        return in_its_type
    if not isinstance(atom, Call) or atom.op not in ops or not isinstance(atom.args[0], Field):
        return False
    if isinstance(atom.args[0].type, ArrayType | MapType | StructType) and atom.op != "is_null":
        return False
    return not any(_depends_on_row(arg) for arg in atom.args[1:])


def _depends_on_row(node: Node) -> bool:
    """Whether a value differs by row. The current time and what is computed from it do not."""
    return any(isinstance(part, Field | Variable) for part in walk(node))


def _why(atom: Node) -> str:
    atom = (
        atom.args[0]
        if isinstance(atom, Call) and atom.op in (NULL_CASES, NULL_IS_VALUE)
        else without_nan_test(atom)
    )
    if column_forms.is_at_column("spark", atom) is False:
        return "Spark converts the column"
    if isinstance(atom, Call) and atom.op in _PUSHED:
        changed = next((arg for arg in atom.args if isinstance(arg, Call) and _depends_on_row(arg)), None)
        return (
            f"it compares {describe(changed)}, not a column"
            if changed is not None
            else "it compares no column with a constant"
        )
    return "engines evaluate it row by row"


def lineage(catalog: Catalog, filter_: Filter, version: Version) -> Iterator[str]:
    """The columns and filters that a filter reads, and its users."""
    dataset = catalog.datasets[filter_.dataset]
    for engine, relation in dataset.relation.items():
        columns = ", ".join(decl.column(engine) for decl in fields_of(version.predicate.node).values())
        yield f"reads {relation} on {engine}: {columns or 'no column'}"
    if version.predicate.reads_now:
        yield "reads the current time"
    if version.references:
        yield f"uses {', '.join(version.references)}"
    references = {
        other.qualified: [name for each in other.versions.values() for name in each.references]
        for other in catalog.filters()
    }
    without_view = [other.qualified for other in catalog.filters() if not other.has_view()]
    users = UsageIndex(references, {filter_.dataset: dataset_data(dataset)}, without_view)
    for kind, names in users.of(filter_.qualified).items():
        yield f"used by {kind}: {', '.join(names)}"


def explain_row(filter_: Filter, version: Version, item: Mapping[str, Any]) -> list[str]:
    """Why a version accepts a row or not: the outcome of every condition, the deciding ones marked."""
    result = explain_node(version.predicate.surface, item)
    accepted = filter_.on_unknown == "accept" if result.outcome is None else result.outcome
    marked = {id(part) for part in decisive(result)}
    lines = [
        (
            f"{filter_.qualified}@{version.number} is {shown(result.outcome)}: the row is "
            f"{'accepted' if accepted else 'not accepted'}"
        )
    ]
    return (
        lines
        + [f"  {line}" for line in _reasons(result, marked)]
        + ["", "  > marks the conditions that decide"]
    )


def _reasons(explanation: Explanation, marked: set[int], depth: int = 0) -> Iterator[str]:
    indent = "  " * depth
    if explanation.parts and explanation.op != "is_true":
        title = {"and": "all of", "or": "at least one of", "not": "not"}[explanation.op]
        yield f"  {indent}{title}: {shown(explanation.outcome)}"
        for part in explanation.parts:
            yield from _reasons(part, marked, depth + 1)
    elif explanation.parts:
        yield from _reasons(explanation.parts[0], marked, depth)
    else:
        mark = ">" if id(explanation) in marked else " "
        values = f"   {row_text(explanation.values)}" if explanation.values else ""
        yield f"{mark} {indent}{told(explanation)}{values}"
