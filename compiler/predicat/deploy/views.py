"""The PostgreSQL views of a catalog: `dataset__filter` for each filter whose parameters have defaults."""

from collections.abc import Mapping

from sqlglot import exp

from predicat import backends
from predicat.backends.sql.functions import Runtime
from predicat.backends.sql.lines import broken
from predicat.catalog.keys import VIEW_COLUMNS, VIEW_FUNCTION, VIEW_MATERIALIZED
from predicat.catalog.model import Catalog, Dataset, Filter
from predicat.deploy.marks import Mark, digest
from predicat.deploy.names import KEY_INDEX, VIEW_KINDS, InSchema, qualified
from predicat.deploy.relations import Column, Relation
from predicat.diagnostics import PredicatError, Reporter, Span
from predicat.diagnostics.messages import deploy as say
from predicat.ir.nodes import Node
from predicat.ir.types import ArrayType, Type
from predicat.ir.value_sets import ValueSet
from predicat.rewrite.list_tables import in_tables, long_lists

# Bytes of a name that PostgreSQL keeps; names of filters and datasets are ASCII.
MAX_NAME = 63


class View(InSchema, frozen=True):
    """A view as defined by the catalog. `query` is its SELECT, with line breaks if it is long, `note` the
    text of its comment; `stated` are the security options of the catalog.
    """

    query: str
    note: str
    stated: Mapping[str, bool | str | list[str]]
    columns: tuple[Column, ...]
    mark: Mark
    span: Span
    lists: tuple[tuple[Type, ValueSet], ...] = ()
    """The long lists in whose tables it looks, with the types of their values."""
    relation: int = 0
    """The OID of the relation that it reads."""
    function: str = ""
    """A query with the value of the filter, if it is to have a function; see `filter_functions`."""
    past_policies: tuple[str, str, str] | None = None
    """Its relation, and what it reads past row-level security: see `Relation`."""
    key: tuple[str, ...] = ()
    """The columns of the index on its key, if it is materialized."""

    @property
    def materialized(self) -> bool:
        """Whether its rows are stored."""
        return bool(self.stated.get(VIEW_MATERIALIZED))

    @property
    def kind(self) -> str:
        """Its kind as in pg_class."""
        return "m" if self.materialized else "v"

    @property
    def word(self) -> str:
        """The kind of view in SQL."""
        return VIEW_KINDS[self.kind]

    @property
    def key_index(self) -> str:
        """The name of the index on its key."""
        return f"{self.name}{KEY_INDEX}"

    @property
    def function_hash(self) -> str:
        """A hash of what its function is made of."""
        return digest(self.function)


def views_of(
    catalog: Catalog,
    name: str,
    relations: Mapping[str, Relation],
    schema: str | None = None,
    runtime: Runtime | None = None,
) -> list[View]:
    """The views of a catalog of this name, in the schemas of their relations or in `schema`. They may call
    functions of `runtime`.

    Raises PredicatError with every name that PostgreSQL would cut off, and every filter that it cannot
    express.
    """
    reporter = Reporter()
    out: list[View] = []
    for dataset, relation in relations.items():
        for filter_ in catalog.datasets[dataset].filters.values():
            kind, called = ("index", KEY_INDEX) if filter_.is_materialized else ("view", "")
            if len(called := filter_.view + called) > MAX_NAME:
                reporter.add(say.long_name(filter_.span, kind, called, MAX_NAME))
                continue
            try:
                view = _view(filter_, name, catalog.datasets[dataset], relation, schema, runtime)
            except PredicatError as error:
                reporter.extend(error.diagnostics)
                continue
            if view is not None:
                out.append(view)
    reporter.raise_errors()
    return out


def _function_query(node: Node, relation: Relation) -> str:
    """The value of a filter in a query of two relations, of which the server writes with the name of its
    relation before each column.
    """
    value = backends.dialect("postgres").render(node, storage=relation.storage)
    source = f"{qualified(relation.schema, relation.name)} AS predicat_row"
    return f"SELECT {value} AS predicat_value FROM {source}, (SELECT 1) AS predicat_one (predicat_one)"


def _columns(filter_: Filter, relation: Relation, key: tuple[str, ...]) -> tuple[Column, ...]:
    """The columns of a view: those that the catalog names, in its order, or all. Raises PredicatError for
    columns that are not there, also of its key.
    """
    there = {column.name: column for column in relation.columns}
    names = filter_.view_options.get(VIEW_COLUMNS, list(there))
    if not isinstance(names, list):
        raise TypeError(names)
    if missing := [name for name in (*names, *key) if name not in there]:
        raise PredicatError.of(say.no_view_column(filter_.span, relation.name, missing[0], there))
    return tuple(there[name] for name in names)


def _key(filter_: Filter, dataset: Dataset) -> tuple[str, ...]:
    """The columns of the index of a materialized view. Raises PredicatError."""
    shown = filter_.view_options.get(VIEW_COLUMNS)
    for decl in (dataset.fields[name] for name in dataset.key):
        if decl.expression("postgres"):
            raise PredicatError.of(say.key_of_expression(dataset.places["key"], decl.name))
        if isinstance(shown, list) and decl.column("postgres") not in shown:
            raise PredicatError.of(say.key_not_shown(filter_.span, decl.column("postgres")))
    return tuple(dataset.fields[name].column("postgres") for name in dataset.key)


def _view(
    filter_: Filter,
    catalog: str,
    dataset: Dataset,
    relation: Relation,
    schema: str | None,
    runtime: Runtime | None,
) -> View | None:
    whole = filter_.row_filter() if filter_.has_view() else None
    if whole is None:
        return None
    node = in_tables(whole, schema or relation.schema)
    # The condition is rendered SQL: parsing it again with sqlglot could change it.
    condition = backends.dialect("postgres").render(
        node, condition=True, storage=relation.storage, runtime=runtime
    )
    key = _key(filter_, dataset) if filter_.is_materialized else ()
    shows = _columns(filter_, relation, key)
    named = ", ".join(exp.column(one.name, quoted=True).sql("postgres") for one in shows)
    selected = named if VIEW_COLUMNS in filter_.view_options else "*"
    source = f"SELECT {selected} FROM {qualified(relation.schema, relation.name)}"
    shown = broken(condition, "postgres")
    query = f"{source} WHERE {condition}" if shown == condition else f"{source}\nWHERE {shown}"
    parts = [
        filter_.description,
        f"Version {filter_.latest}",
        f"Owner {filter_.owner}" if filter_.owner else "",
    ]
    note = ". ".join(part.rstrip(".") for part in parts if part) + "."
    columns = [(column.name, column.kind) for column in shows]
    mark = Mark(
        catalog,
        filter_.dataset,
        filter_.name,
        digest(f"{source} WHERE {condition}", columns),
        "relation" if schema is None else "schema",
    )
    return View(
        schema or relation.schema,
        filter_.view,
        query,
        note,
        filter_.view_options,
        shows,
        mark,
        filter_.span,
        tuple(
            (constant.type.element, listed)
            for constant, listed in long_lists([node])
            if isinstance(constant.type, ArrayType)
        ),
        relation.oid,
        _function_query(whole, relation) if filter_.view_options.get(VIEW_FUNCTION) else "",
        relation.past_policies and (f"{relation.schema}.{relation.name}", *relation.past_policies),
        key,
    )
