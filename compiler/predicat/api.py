"""The public API: parse a predicate, evaluate it, compile it to SQL, translate it to other languages."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import UNSET, Struct, UnsetType

from predicat import backends
from predicat.backends.sql.styles import STYLES, Style
from predicat.check.resolve import check, names_unknown
from predicat.check.scope import Scope
from predicat.diagnostics import NOWHERE, PredicatError, Source, Span, Unsupported
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import catalog as say
from predicat.diagnostics.messages import entries, references
from predicat.diagnostics.messages import expressions as say_expressions
from predicat.diagnostics.messages import keys as say_keys
from predicat.diagnostics.messages import rows as say_rows
from predicat.ir.bounds import bound_of, has_bounds
from predicat.ir.canonical import canonical_text
from predicat.ir.limits import MAX_DEPTH
from predicat.ir.nodes import (
    NOW,
    Call,
    Field,
    FieldDecl,
    Literal,
    Node,
    ParamDecl,
    code_of,
    fields_of,
    params_of,
    reads_now,
    walk,
)
from predicat.ir.operators import BY_KEY
from predicat.ir.python_values import RowError, as_row
from predicat.ir.rows import absent_fields, flat_keys
from predicat.ir.syntax import PartlyRead, Tree, Value
from predicat.ir.types import TIMESTAMP, Type, TypeSyntaxError, parse_type
from predicat.ir.values import to_value
from predicat.ir.widths import TYPE_NAMES, field_type, stored_in
from predicat.language import LANGUAGES, WRITERS, Language, writer
from predicat.language.common.body import Body
from predicat.lower import core
from predicat.rewrite.simplify import simplify
from predicat.rewrite.substitute import substitute
from predicat.semantics import clock
from predicat.semantics.closures import NONE, Eval
from predicat.semantics.evaluate import compile_node

if TYPE_CHECKING:
    from predicat.backends.sql.dialect import Dialect

# A table in memory, of pandas or pyarrow.
Table = TypeVar("Table")
_MOST_KINDS = 100
# A predicate looks for mistyped keys in this number of kinds of rows (told by their keys), and of rows
# that lack a key. After that, rows without a value for a field cost no time.
_MOST_ROWS = 1_000


class UnknownKeyWarning(UserWarning):
    """A row has no key for a field that a predicate reads, but has a key with a similar name, which may be
    misspelt, or a key that the predicate reads from that field.
    """


class KeyCheck:
    """Warns of rows that lack a key for a field and have one that is nearly called so, or one that is read
    from that field.

    It warns once for rows of the same keys.
    """

    def __init__(self, nodes: Iterable[Node]) -> None:
        self._names: dict[str, None] = {}  # in the order of first use
        self._inner: dict[str, set[str]] = {}
        for part in (part for node in nodes for part in walk(node)):
            if isinstance(part, Field):
                self._names[part.decl.name] = None
            elif isinstance(part, Call) and part.op in BY_KEY:
                base, key = part.args[:2]
                if isinstance(base, Field) and isinstance(key, Literal):
                    self._inner.setdefault(base.decl.name, set()).add(str(key.value))
        self._warned: set[tuple[str, ...]] = set()
        self._rows = _MOST_ROWS

    def check(self, row: Mapping[str, Any], stacklevel: int) -> None:
        """Look at the keys of a row; `stacklevel` leads to the caller of the public function."""
        if not self._rows or self._names.keys() <= row.keys():
            return
        self._rows -= 1
        keys = tuple(row)
        if keys in self._warned or len(self._warned) >= _MOST_KINDS:
            return
        self._warned.add(keys)
        absent = list(absent_fields(row, self._names))
        others = [key for key in flat_keys(row) if key not in self._names]
        for name in absent:
            for key in sorted(self._inner.get(name, set()) & set(keys)):
                warnings.warn(msg.key_of_row(name, key), UnknownKeyWarning, stacklevel=stacklevel)
            near = msg.did_you_mean(name, [key for key in others if msg.nearest(key, absent) == name])
            if near is not None:
                warnings.warn(msg.absent_field(name, near), UnknownKeyWarning, stacklevel=stacklevel)


FieldSpec = str | Mapping[str, Any] | FieldDecl


def languages() -> tuple[str, ...]:
    """The names of the languages that `parse` reads, such as `sql`, `cel` and `jms`."""
    return tuple(LANGUAGES)


def dialects() -> tuple[str, ...]:
    """The names of the SQL dialects that a predicate compiles to: `spark`, `postgres`, `duckdb`."""
    return backends.DIALECTS


# The number of characters of a text that `repr` shows.
_SHOWN = 120


class Predicate(Struct, frozen=True, dict=True):
    """A checked predicate. It is TRUE, FALSE or UNKNOWN for every row. An error in a row is UNKNOWN.

    `parse` returns a predicate, and so does a catalog: `catalog["flights.late"]`.

    Attributes:
        node: The core: what the evaluator, SQL, proofs and hashes read.
        language: The language of its text.
        text: Its text, if it has no parameters, enumerations and other filters. Default: None.
        written: The surface: what its author wrote, with types. Default: the same as the core.
    """

    node: Node
    language: str
    text: str | None = None
    written: Node | None = None

    def __repr__(self) -> str:
        """One line: the text, or the canonical text of the core where there is none."""
        text = self.text if self.text is not None else canonical_text(self.node)
        line = " ".join(text.split())
        shown = line if len(line) <= _SHOWN else f"{line[: _SHOWN - 3]}..."
        return f"Predicate({shown!r}, {self.language!r})"

    @property
    def surface(self) -> Node:
        """What its author wrote, with types: writers of languages read it."""
        return self.node if self.written is None else self.written

    def evaluate(self, row: Mapping[str, Any], *, now: Any = None, **params: Any) -> bool | None:
        """Evaluate the predicate on one row, in Python. This is the reference for every SQL dialect.

        Args:
            row: Field names and Python values. The value of a dotted name (`ce.type`) may be under that key
                or nested. A missing key and None both mean a missing value (NULL). Values of other Python
                types, such as a UUID or a NumPy number, are converted if they mean one thing.
            now: The current time, for a predicate that reads it (`now()`): a datetime, in UTC if it has no
                zone, or a string as in a row. Default: the clock, read once. If there is a parameter of this
                name, its value.
            **params: Values for the parameters. The default applies otherwise. `params` of a witness may be
                given as they are: they have the current time, too.

        Returns:
            True, False, or None for UNKNOWN: a value is missing, or an operation has no result (1/0, a failed
            cast).

        Raises:
            PredicatError: A value does not fit the declared type of its field or parameter, or `now` is not
                within the years 1970 to 2999.

        Warns:
            UnknownKeyWarning: The row has no key for a field that the predicate reads, but has a key with a
                similar name.
        """
        row = row if type(row) is dict else row_of(row)
        self._keys.check(row, stacklevel=3)
        try:
            outcome: bool | None = self._function(row, NONE, self._values(now, params))
        except RecursionError:
            raise PredicatError.of(msg.too_deep(self.node.span, MAX_DEPTH)) from None
        return outcome

    def evaluate_many(
        self, rows: Iterable[Mapping[str, Any]], *, now: Any = None, **params: Any
    ) -> list[bool | None]:
        """Evaluate the predicate on rows, in Python. For tables, `filter` is faster.

        Args:
            rows: Rows, as for `evaluate`.
            now: As for `evaluate`; one time for all rows.
            **params: Values for the parameters. The default applies otherwise.

        Returns:
            For each row True, False, or None for UNKNOWN, in order.

        Raises:
            PredicatError: As for `evaluate`.
        """
        function, values = self._function, self._values(now, params)
        outcomes: list[bool | None] = []
        try:
            for given in rows:
                row = given if type(given) is dict else row_of(given)
                self._keys.check(row, stacklevel=3)
                outcomes.append(function(row, NONE, values))
        except RecursionError:
            raise PredicatError.of(msg.too_deep(self.node.span, MAX_DEPTH)) from None
        return outcomes

    def filter(self, table: Table, *, now: Any = None, **params: Any) -> Table:
        """The rows of a table in memory for which the predicate is TRUE; not those where it is UNKNOWN.

        DuckDB evaluates the predicate in one pass. The table keeps its types, its order and its index.

        Args:
            table: A pandas DataFrame, a pyarrow Table or RecordBatch, with the columns that the fields
                declare. In pandas a NaN is a missing value.
            now: The current time, as for `evaluate`.
            **params: Values for the parameters. The default applies otherwise.

        Raises:
            Unsupported: DuckDB does not support an operator.
            PredicatError: It is no such table, a column is missing or holds another type than its field
                declares, DuckDB is not installed, or a parameter has a problem as for `parameterized`.
        """
        from predicat.backends.tables import accepted  # noqa: PLC0415  # sqlglot is slow to load

        node = self._bound({**params, "now": now} if now is not None and "now" in self.params else params)
        timed = {name: Literal(TIMESTAMP, at) for name, at in clock.reading(now).items()}
        rows: Table = accepted(substitute(node, timed) if self._is_timed else node, table)
        return rows

    def sql(self, dialect: str) -> str:
        """Compile the predicate to a boolean SQL expression.

        The expression is NULL where the predicate is UNKNOWN. It never raises an error, whatever the row.

        Args:
            dialect: One of `dialects()`.

        Returns:
            The SQL. Parameters stay in it as `:name`.

        Raises:
            Unsupported: The dialect does not support an operator.
            PredicatError: There is no such dialect.
        """
        return checked_dialect(dialect).render(self.node)

    def bound(self, **params: Any) -> Predicate:
        """The predicate with values in place of some of its parameters. The others stay parameters.

        Args:
            **params: Values by the names of parameters.

        Raises:
            PredicatError: A parameter is unknown, or a value has another type.
        """
        known = params_of(self.node)
        values: dict[str, Node] = {
            name: Literal(known[name].type, value) for name, value in self._given(params).items()
        }
        if not values:
            return self
        surface = simplify(substitute(self.surface, values))
        return Predicate(core(surface), self.language, written=surface)

    def parameterized(
        self, dialect: str, first: int = 1, *, style: str | None = None, **params: Any
    ) -> tuple[str, list[Value]]:
        """Compile the predicate to SQL with bind parameters in place of constants.

        The expression is NULL where the predicate is UNKNOWN.

        Args:
            dialect: One of `dialects()`.
            first: The number of the first bind parameter, 1 or more. It has no effect on Spark, whose markers
                are `?`.
            style: How the driver writes parameters: `asyncpg` (`$1`), `psycopg` (`%s`) or `jdbc` (`?`). The
                last two double what is no parameter (`%%`, the operator `??`). Default: as the dialect.
            **params: Values for the parameters of the predicate. They become bind parameters as well. The
                default applies otherwise.

        Returns:
            The SQL (`$1`, `$2`, ... for PostgreSQL and DuckDB, `?` for Spark) and the values to bind, in
            order.

        Raises:
            Unsupported: The dialect does not support an operator.
            PredicatError: A parameter is missing, unknown or has another type; `first` is below 1; no such
                dialect or style.
        """
        return checked_dialect(dialect).parameterized(
            self._bound(params), _checked_first(first), style=_checked_style(style)
        )

    def condition(
        self,
        dialect: str,
        first: int = 1,
        *,
        indexes: Sequence[str] = (),
        style: str | None = None,
        **params: Any,
    ) -> tuple[str, list[Value]]:
        """Compile the predicate to SQL for a WHERE clause, with bind parameters in place of constants.

        It is TRUE for the same rows as the SQL of `parameterized`, but may be FALSE where that is NULL. It is
        shorter, and an index on an expression such as `(headers ->> 'type')` can serve it. For a GIN index on
        a map, name it in `indexes`.

        Args:
            dialect: One of `dialects()`.
            first: The number of the first bind parameter, 1 or more.
            indexes: Indexes of a PostgreSQL relation, as in a catalog: `["USING gin (headers)"]`.
            style: As for `parameterized`.
            **params: Values for the parameters of the predicate. The default applies otherwise.

        Returns:
            The SQL and the values to bind, in order.

        Raises:
            Unsupported: The dialect does not support an operator.
            PredicatError: As for `parameterized`.
        """
        return checked_dialect(dialect).parameterized(
            self._bound(params),
            _checked_first(first),
            condition=True,
            storage=backends.stored(dialect, "", indexes),
            style=_checked_style(style),
        )

    def to(self, language: str) -> str:
        """Translate the predicate to another language, or to a SQL dialect.

        The translation is TRUE for the same rows. In a SQL dialect UNKNOWN stays UNKNOWN. In another language
        a row that is not accepted may be FALSE instead of UNKNOWN, or the reverse, because languages have
        their own rules for missing keys. The translation to the predicate's own language is its text, unless
        it uses parameters, enumerations or other filters.

        Args:
            language: One of `languages()` or `dialects()`, or `pulsar:text` (the text format of the protobuf
                Expr) or `pulsar:binary` (its bytes in base64). `pulsar` is its JSON form.

        Returns:
            The translation. For languages whose filters are data (`cloudevents`, `sns`, ...) it is JSON.

        Raises:
            Unsupported: The language does not support an operator; the message has the reason.
            PredicatError: There is no such language.
        """
        check_target(language)
        if language in backends.DIALECTS:
            return self.sql(language)
        if language == self.language and self.text is not None:
            return self.text
        if code_of(self.node):
            raise Unsupported.of(entries.not_written(self.node.span, language))
        try:
            return writer(language)(self.surface)
        except RecursionError:
            raise Unsupported.of(msg.too_deep(self.node.span, MAX_DEPTH)) from None

    @property
    def fields(self) -> dict[str, FieldDecl]:
        """The fields that the predicate reads, by name, with their types and columns."""
        return fields_of(self.node)

    @property
    def params(self) -> tuple[str, ...]:
        """The names of the parameters."""
        return tuple(params_of(self.node))

    @property
    def reads_now(self) -> bool:
        """Whether it reads the current time, so that its outcome for a row changes."""
        return reads_now(self.node)

    def _values(self, now: Any, params: Mapping[str, Any]) -> Mapping[str, Value]:
        """The values of parameters, and the current time if the predicate reads it."""
        if NOW.name in params:
            params = dict(params)
            now = params.pop(NOW.name)
        if now is not None and "now" in self.params:
            params = {**params, "now": now}
        values = self._given(params) if params else NONE
        return {**values, **clock.reading(now)} if self._is_timed else values

    @cached_property
    def _is_timed(self) -> bool:
        return reads_now(self.node)

    @cached_property
    def _keys(self) -> KeyCheck:
        return KeyCheck([self.node])

    @cached_property
    def _function(self) -> Eval:
        code = code_of(self.node)
        if code:
            raise PredicatError.of(entries.needs_running(code[0]))
        return compile_node(self.node)

    def _bound(self, params: Mapping[str, Any]) -> Node:
        """The node with values in place of its parameters."""
        arguments = self._given(params)
        values: dict[str, Node] = {}
        for name, decl in params_of(self.node).items():
            if decl.required and name not in arguments:
                raise PredicatError.of(references.missing_param(NOWHERE, "this predicate", name))
            values[name] = Literal(decl.type, arguments.get(name, decl.default))
        return substitute(self.node, values) if values else self.node

    def _given(self, params: Mapping[str, Any]) -> dict[str, Value]:
        """Parameter values converted to the declared types. Raises PredicatError for an unknown parameter
        or a value of another type.
        """
        known = params_of(self.node)
        values: dict[str, Value] = {}
        for name, value in params.items():
            if name not in known:
                raise PredicatError.of(references.surplus_param(NOWHERE, "this predicate", name, known))
            if isinstance(value, float) and math.isnan(value):
                raise PredicatError.of(say.nan_parameter(NOWHERE, name))
            try:
                values[name] = to_value(value, known[name].type)
            except RowError:
                raise PredicatError.of(
                    references.param_type(
                        NOWHERE, "this predicate", name, str(known[name].type), type(value).__name__
                    )
                ) from None
        return values


def row_of(value: Any) -> Mapping[str, Any]:
    """A row, as a mapping. Raises PredicatError for a value without names."""
    try:
        return as_row(value)
    except RowError:
        raise PredicatError.of(say_rows.no_row(value)) from None


def checked_dialect(name: str) -> Dialect:
    """The dialect of a name. Raises PredicatError if there is none."""
    if name not in backends.DIALECTS:
        raise PredicatError.of(msg.unknown_dialect(name, backends.DIALECTS))
    return backends.dialect(name)


def _checked_first(first: int) -> int:
    """`first`, if it is a number from 1 on. Raises PredicatError otherwise."""
    if not isinstance(first, int) or isinstance(first, bool) or first < 1:
        raise PredicatError.of(say.first_parameter(first))
    return first


def _checked_style(style: str | None) -> Style | None:
    """The style of parameters of this name. Raises PredicatError if there is none."""
    if style is None:
        return None
    if style not in STYLES:
        raise PredicatError.of(msg.unknown_style(style, STYLES))
    return STYLES[style]


def check_target(language: str) -> None:
    """Raise PredicatError unless there is a language or dialect of this name to translate to."""
    if language not in backends.DIALECTS and language not in LANGUAGES and language not in WRITERS:
        raise PredicatError.of(msg.unknown_language(language, sorted({*WRITERS, *backends.DIALECTS})))


def parse(
    text: Any,
    language: str,
    fields: Mapping[str, FieldSpec] | None = None,
    *,
    on: str | UnsetType | None = UNSET,
    name: str = "<predicate>",
    enums: Mapping[str, Mapping[str, int | str]] | None = None,
    params: Mapping[str, str | Mapping[str, Any]] | None = None,
    ansi: bool = True,
) -> Predicate:
    """Parse and check a predicate.

    Args:
        text: The predicate: a string, or a dict or list for languages whose filters are data (`sns`,
            `headers`, ...), or the JSON text of one, as `to()` returns it.
        language: One of `languages()`.
        fields: Field names and their types (`"string"`, `"map<string, string>"`), or their definitions as in
            a catalog (`{"type": "string", "column": "c", "nulls": "value"}`). Default: names are dynamically
            typed, as in JSON, and a value of the wrong type makes the row UNKNOWN.
        on: The field that a language with keys reads them from. None: the row itself. Default: the same field
            as in a catalog, such as `labels` for `labels` and `ce` for `cesql`.
        name: The name of the text in messages.
        enums: Enumerations and their constants. With `{"Status": {"ACTIVE": 1}}` the text can use `status =
            Status.ACTIVE`.
        params: Parameters that the text reads as `:name`, and their types (`"bigint"`), or their definitions
            as in a catalog (`{"type": "bigint", "default": 5}`). One without a default must be given a value.
        ansi: Whether a `spark` predicate has Spark's meaning in ANSI mode. Default: yes, as in Spark 4.

    Returns:
        The checked predicate.

    Raises:
        PredicatError: The text has problems. The error has all of them, each with line and column.
    """
    if language not in LANGUAGES:
        raise PredicatError.of(msg.unknown_language(language, LANGUAGES))
    source = Source(name, text if isinstance(text, str) else "")
    _whole_characters(source)
    known = None if fields is None else declared(fields)
    language_ = LANGUAGES[language].meant(ansi=ansi)
    whole = getattr(text, "span", None) or Span(
        source, 0, len(source.text)
    )  # data that was read from a file knows its place
    keys = language_.on if isinstance(on, UnsetType) else on
    constants = {
        f"{enum}.{word}": value for enum, words in (enums or {}).items() for word, value in words.items()
    }
    scope = Scope(known, enums=constants, params=_parameters(params or {}))
    if isinstance(text, str) and language_.shape == "data" and text.lstrip()[:1] in ("{", "["):
        from predicat.language.common import jsontext  # noqa: PLC0415  # only for the JSON text of data

        text = jsontext.read(text, source, whole, "the filter")
    tree = read_body(language_, Body(text, source, whole, keys, known), scope)
    surface = check(tree, scope, language_.rules)
    node = core(surface)
    alone = language_.shape == "text" and isinstance(text, str) and not constants and not params_of(node)
    return Predicate(node, language, text.strip() if alone else None, simplify(surface))


def read_body(language: Language, body: Body, scope: Scope) -> Tree:
    """The tree of a body. Raises PredicatError, also with the unknown names in the parts that can be read."""
    try:
        return language.read(body)
    except PartlyRead as error:
        others = names_unknown(error, scope, language.rules)
        places = sorted({*error.diagnostics, *others}, key=lambda item: (item.span.start, item.span.end))
        raise PredicatError(places) from None


def _whole_characters(source: Source) -> None:
    """Refuse lone surrogates: Python strings may hold them, but no engine stores and no parser accepts
    them.
    """
    if source.text.isascii():
        return
    half = next((at for at, char in enumerate(source.text) if "\ud800" <= char <= "\udfff"), None)
    if half is not None:
        raise PredicatError.of(msg.half_a_pair(Span(source, half, half + 1)))


def declared(fields: Mapping[str, FieldSpec]) -> dict[str, FieldDecl]:
    """Field declarations from types or mappings. Raises PredicatError."""
    return {key: _field(key, spec) for key, spec in fields.items()}


def _field(name: str, spec: FieldSpec) -> FieldDecl:
    if isinstance(spec, FieldDecl):
        return spec
    data: Mapping[str, Any] = {"type": spec} if isinstance(spec, str) else spec
    known = ("type", "column", "expression", "nulls", "description", "min", "max", "zone")
    for key in data:
        if key not in known:
            raise PredicatError.of(say.unknown_field_key(NOWHERE, key, name, known))
    text = str(data.get("type", ""))
    try:
        kind, stored = field_type(text)
    except TypeSyntaxError as error:
        raise PredicatError.of(
            say_keys.bad_type(NOWHERE, text, str(error), () if error.is_known else TYPE_NAMES)
        ) from None
    if "zone" in data:
        stored = stored_in(str(data["zone"]), kind, stored, NOWHERE)
    nulls = str(data.get("nulls", "absent"))
    if nulls not in ("absent", "value"):
        raise PredicatError.of(say.absent_or_value_here(NOWHERE, nulls))
    column = data.get("column")
    columns = (
        column if isinstance(column, Mapping) else dict.fromkeys(backends.DIALECTS, column) if column else {}
    )
    description = str(data.get("description", ""))
    least, greatest = (_end(data, key, kind) for key in ("min", "max"))
    if least is not None and greatest is not None and least > greatest:
        raise PredicatError.of(say.no_values(NOWHERE, name))
    given = tuple(dict(data.get("expression", {})).items())
    return FieldDecl(
        name, kind, description, nulls, tuple(columns.items()), stored, least, greatest, _checked(given)
    )


def _parameters(params: Mapping[str, str | Mapping[str, Any]]) -> dict[str, ParamDecl]:
    decls: dict[str, ParamDecl] = {}
    for name, spec in params.items():
        data: Mapping[str, Any] = {"type": spec} if isinstance(spec, str) else spec
        text = str(data.get("type", ""))
        try:
            kind = parse_type(text)
        except TypeSyntaxError as error:
            names = () if error.is_known else TYPE_NAMES
            raise PredicatError.of(say_keys.bad_type(NOWHERE, text, str(error), names)) from None
        try:
            default = to_value(data["default"], kind) if "default" in data else None
        except RowError:
            raise PredicatError.of(say.bad_default(NOWHERE, kind)) from None
        decls[name] = ParamDecl(name, kind, default, "default" not in data, str(data.get("description", "")))
    return decls


def _checked(given: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """The expressions of a field, by engine. Raises PredicatError."""
    if given:
        from predicat.backends.sql import expressions  # noqa: PLC0415  # sqlglot is slow to load

        for engine, text in given:
            try:
                expressions.read(text, engine)
            except expressions.BadExpression as error:
                raise PredicatError.of(
                    say_expressions.bad_expression(NOWHERE, engine, text, str(error))
                ) from None
    return given


def _end(data: Mapping[str, Any], key: str, kind: Type) -> Any:
    """The least or the greatest value of a field; None where none is declared."""
    if data.get(key) is None:
        return None
    if not has_bounds(kind):
        raise PredicatError.of(say.no_bounds(NOWHERE, key, kind))
    try:
        return bound_of(data[key], kind)
    except RowError:
        raise PredicatError.of(say.bad_bound(NOWHERE, key, kind)) from None


__all__ = ["PredicatError", "Predicate", "UnknownKeyWarning", "Unsupported", "dialects", "languages", "parse"]
