"""A SQL dialect, which translates predicates to SQL.

A dialect is a table from every operator to a rule, or to NotSupported with the reason. The SQL is total: for
every row it gives TRUE, FALSE or NULL, and never raises an error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from itertools import combinations

from predicat.backends.sql import column_forms, expressions, writing
from predicat.backends.sql.builders import Sql
from predicat.backends.sql.conditions import condition
from predicat.backends.sql.functions import Runtime
from predicat.backends.sql.parsed_once import parsed_once
from predicat.backends.sql.renderer import LARGE_PARTS, Renderer
from predicat.backends.sql.rewritings import ALL, Rewritings
from predicat.backends.sql.rules import DialectRules
from predicat.backends.sql.sizes import release_parents
from predicat.backends.sql.storage import NOTHING_KNOWN, Index, Storage
from predicat.backends.sql.styles import PLAIN, STYLES, Style
from predicat.diagnostics import Span, Unsupported
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import backends as say
from predicat.ir.limits import MAX_DEPTH
from predicat.ir.nodes import Call, Field, Literal, Node, Quantifier, walk
from predicat.ir.syntax import Value
from predicat.ir.types import JSON
from predicat.ir.variables import fold_identifier, rename_bound_variables


class Dialect(DialectRules[Renderer], frozen=True):
    """A SQL dialect: its rules, and the SQL of predicates by them."""

    def render(
        self,
        node: Node,
        *,
        condition: bool = False,
        storage: Storage | None = None,
        runtime: Runtime | None = None,
        rewritings: Rewritings = ALL,
        given: Mapping[str, Sql] | None = None,
    ) -> str:
        """A typed node as SQL. Raises Unsupported with the operator, its place and the reason.

        With `condition` the SQL is a condition of a WHERE: TRUE for the same rows, and FALSE or NULL for the
        others. If the `storage` of the relation is known, tests get forms that can use its indexes. Functions
        of `runtime` must be installed where the SQL runs; without it the SQL runs everywhere. Without some of
        the `rewritings` the SQL is longer, with the same outcome. `given` is the SQL of fields that are no
        columns, by name.
        """
        renderer = Renderer(
            self,
            storage=storage or NOTHING_KNOWN,
            runtime=runtime,
            rewritings=rewritings,
            given=given or {},
        )
        node = renderer.known(node)
        if not condition:
            return self.to_sql(renderer, self._exactly(node, runtime, rewritings))
        renderer.indexed = storage is not None
        renderer.where = True
        return self.to_sql(renderer, rewritings.rows(node))

    def served_by(self, node: Node, storage: Storage) -> Index | None:
        """An index that can be used for a condition, by the rules of the dialect; None if there is none.

        Raises Unsupported.
        """
        if self.index_of is None:
            return None
        renderer = Renderer(self, indexed=True, storage=storage)
        return self.index_of(self._tree(renderer, ALL.rows(renderer.known(node))), storage)

    def _is_shorter(self, before: Node, after: Node, runtime: Runtime | None) -> bool:
        try:
            return self._length(after, runtime) < self._length(before, runtime)
        except Unsupported:
            return True

    def _length(self, node: Node, runtime: Runtime | None) -> int:
        return len(self.to_sql(Renderer(self, runtime=runtime), node))

    def parameterized(
        self,
        node: Node,
        first: int,
        *,
        condition: bool = False,
        storage: Storage = NOTHING_KNOWN,
        style: Style | None = None,
    ) -> tuple[str, list[Value]]:
        """A typed node as SQL with its constants as parameters, numbered from `first`, and their values.
        Without a `style` the markers are those of the dialect.

        With `condition` the SQL is a condition of a WHERE: TRUE for the same rows, and FALSE or NULL for the
        others.
        """
        renderer = Renderer(self, parameterize=True, indexed=condition, storage=storage)
        # The text of a statement should not depend on its constants, unless an index may be used.
        node = ALL.rows(node) if condition else node
        text = self.to_sql(renderer, node)
        style = style or (STYLES["asyncpg"] if self.spelling.numbered else PLAIN)
        values: list[Value] = []
        numbers: dict[str, int] = {}
        parts: list[str] = []
        end = 0
        for match in (_BACKSLASH_MARK if self.spelling.backslashes else _MARK).finditer(text):
            place = match[1]
            parts.append(style.escaped(text[end : match.start()], quoted=False))
            end = match.end()
            if place is None:
                parts.append(style.escaped(match[0], quoted=True))
                continue
            if not style.numbered or place not in numbers:
                values.append(renderer.values[int(place)])
                numbers[place] = first + len(values) - 1
            parts.append(f"{style.marker}{numbers[place]}" if style.numbered else style.marker)
        return "".join([*parts, style.escaped(text[end:], quoted=False)]), values

    def tree(self, node: Node) -> Sql:
        """A typed node as a tree of sqlglot, to build other SQL around it. Raises Unsupported."""
        return self._tree(Renderer(self), self._exactly(node))

    def _exactly(self, node: Node, runtime: Runtime | None = None, rewritings: Rewritings = ALL) -> Node:
        return rewritings.outcome(node, lambda before, after: self._is_shorter(before, after, runtime))

    def _tree(self, renderer: Renderer, node: Node) -> Sql:
        parts = list(walk(node))
        renderer.taken_names = self.folded_columns(parts, node.span)
        renderer.beside_floats = self.chooses_floats and any(
            isinstance(part, Field) and part.decl.stored == "float" for part in parts
        )
        where = renderer.indexed or renderer.where
        if any(part.type == JSON for part in parts):
            if self.documents.tests_keys:
                node = renderer.rewritings.keys(node, where=where)
            node = renderer.rewritings.documents(node)
        if any(isinstance(part, Quantifier) for part in parts):
            node = rename_bound_variables(
                node, renderer.taken_names, lambda name: _VARIABLE.match(name) is not None
            )
        if where:
            node = renderer.rewritings.accepted(node)
            node = renderer.rewritings.texts(node, has_nan=self.documents.has_nan)
        parses = partial(column_forms.parses, self.name)
        if renderer.rewritings.parse_once and any(map(parses, parts)):
            node = parsed_once(node, parses, renderer.fresh_name)
        if not self.supports_nul:
            self._refuse_nul(node)
        sql = condition(renderer, node) if where else renderer.node(node)
        if isinstance(node, Call | Quantifier) and len(parts) > LARGE_PARTS:
            sql = renderer.limit_growth(sql, node)
        return sql

    def _refuse_nul(self, node: Node) -> None:
        """Raise Unsupported for a string with the character NUL, also if it is a key in a document: rules
        render such keys themselves.
        """
        for part in walk(node):
            if isinstance(part, Literal) and isinstance(part.value, str) and "\0" in part.value:
                raise Unsupported.of(msg.no_nul(part.span, self.name))

    def to_sql(self, renderer: Renderer, node: Node) -> str:
        """The SQL text of a node by a renderer. Raises Unsupported with the operator, its place and the
        reason.
        """
        try:
            sql = self._tree(renderer, node)
            result = self.text(sql)
        except RecursionError:
            raise Unsupported.of(msg.too_deep(node.span, MAX_DEPTH)) from None
        most = self.max_lambda_depth
        if (
            most is not None
            and result.count("->") + result.count("LAMBDA") > most
            and (depth := renderer.sizes.lambdas(sql, most)) > most
        ):
            raise Unsupported.of(say.too_deep_to_write(node.span, self.name, depth))
        release_parents(sql)
        return result

    def folded_columns(self, parts: list[Node], span: Span) -> frozenset[str]:
        """Case-folded names of the columns that a predicate reads. Raises Unsupported if two differ only by
        case and the engine does not distinguish them.
        """
        decls = {part.decl for part in parts if isinstance(part, Field)}
        columns = {column for decl in decls for column in expressions.columns_of(decl, self.name)}
        result = frozenset(map(fold_identifier, columns))
        if len(result) < len(columns) and not self.case_sensitive_columns:
            one, other = next(
                (one, other)
                for one, other in combinations(sorted(columns), 2)
                if fold_identifier(one) == fold_identifier(other)
            )
            raise Unsupported.of(say.one_column(span, self.name, other, one))
        return result

    def text(self, sql: Sql) -> str:
        """The text of sqlglot nodes in this dialect."""
        return self.postprocess(writing.text(sql, self.sqlglot, self.spelling))


# Names of variables that every engine takes: engines cut long names, and names of the renderer start with an
# underscore.
_VARIABLE = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,49}\Z")
_MARK = re.compile(r"""'[^']*'|"[^"]*"|\?(\d+)\?""")
# Texts and names, which are skipped, and the places of parameters.
_BACKSLASH_MARK = re.compile(r"'(?:[^'\\]|\\.)*'|`[^`]*`|\?(\d+)\?", re.DOTALL)
