"""The public API: one predicate, from text to answers, SQL and other languages."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from predicat import backends
from predicat.diagnostics import NOWHERE, PredicatError, Source, Span, Unsupported
from predicat.diagnostics import messages as msg
from predicat.frontends import LANGUAGES, Body
from predicat.ir.nodes import FieldDecl, Literal, Node, fields_of, params_of
from predicat.ir.tree import Value
from predicat.ir.types import SCALAR_NAMES, TypeSyntaxError, parse_type
from predicat.ir.values import RowError, to_value
from predicat.passes.check import check
from predicat.passes.scope import MAX_DEPTH, Scope
from predicat.passes.simplify import simplify
from predicat.passes.substitute import substitute
from predicat.semantics.evaluate import Eval, compile_node

if TYPE_CHECKING:
    from predicat.backends.sql.base import Dialect

FieldSpec = str | Mapping[str, Any] | FieldDecl


def languages() -> tuple[str, ...]:
    """The names of the languages that a predicate can be written in."""
    return tuple(LANGUAGES)


def dialects() -> tuple[str, ...]:
    """The names of the SQL dialects that a predicate can be given in."""
    return backends.DIALECTS


class Predicate(Struct, frozen=True, dict=True):
    """A checked predicate: TRUE, FALSE or UNKNOWN for every row.

    `node` is its typed tree after simplification; `language` the one it was written in.
    """

    node: Node
    language: str

    def evaluate(self, row: Mapping[str, Any], **params: Any) -> bool | None:
        """Whether the predicate holds for a row: True, False, or None for UNKNOWN.

        A row maps field names to Python values (a dotted name flat or nested); a missing key and None are absent
        values. `params` are values for the predicate's parameters. Raises PredicatError if a value does not fit the
        declared type of its field or parameter.
        """
        if not params:
            return self._outcome(row)
        return self._outcome({**row, **{f":{name}": value for name, value in self._given(params).items()}})

    def sql(self, dialect: str) -> str:
        """A boolean SQL expression that never raises: TRUE, FALSE, or NULL for UNKNOWN.

        Parameters stay in it as `:name`. Raises Unsupported where the dialect cannot say an operator.
        """
        return _dialect(dialect).render(self.node)

    def parameterized(self, dialect: str, first: int = 1, **params: Any) -> tuple[str, list[Value]]:
        """The SQL with its constants as parameters numbered from `first`, and their values in order.

        Parameters of PostgreSQL and DuckDB are `$1`, `$2`, ...; Spark's are `?`, with a value for each of them. `params` are
        values for the predicate's own parameters, which become such ones too; without one the default counts. Raises
        PredicatError for one that is missing, unknown or of another type, Unsupported where the dialect cannot say an operator.
        """
        return _dialect(dialect).parameterized(self._bound(params), _checked_first(first))

    def condition(self, dialect: str, first: int = 1, **params: Any) -> tuple[str, list[Value]]:
        """The SQL for a WHERE, where FALSE and UNKNOWN are the same, with its constants as parameters numbered from `first`, and their values.

        It is TRUE for the same rows as the SQL of `parameterized`, without IS TRUE, and says of a map what an index on it serves.
        Raises PredicatError and Unsupported as `parameterized` does.
        """
        return _dialect(dialect).parameterized(self._bound(params), _checked_first(first), condition=True)

    def to(self, language: str) -> str:
        """The predicate in another language, or in a SQL dialect: TRUE for the same rows.

        Whether a row that it rejects is FALSE or UNKNOWN may differ, because the languages have rules of their own for
        absent keys; the SQL dialects keep that too. Raises Unsupported with the reason where a language cannot say it.
        Data (cloudevents, sns, ...) comes as JSON. `pulsar` is the JSON form of the Expr; `pulsar:text` its text format,
        `pulsar:binary` its bytes in base64.
        """
        check_target(language)
        if language in backends.DIALECTS:
            return self.sql(language)
        try:
            return backends.writer(language)(self.node)
        except RecursionError:
            raise Unsupported.of(msg.too_deep(self.node.span, MAX_DEPTH)) from None

    @property
    def fields(self) -> dict[str, FieldDecl]:
        """The fields that the predicate reads, by name."""
        return fields_of(self.node)

    @property
    def params(self) -> tuple[str, ...]:
        """The names of the predicate's parameters."""
        return tuple(params_of(self.node))

    def _outcome(self, row: Mapping[str, Any]) -> bool | None:
        try:
            found: bool | None = self._function(row)
        except RecursionError:
            raise PredicatError.of(msg.too_deep(self.node.span, MAX_DEPTH)) from None
        return found

    @cached_property
    def _function(self) -> Eval:
        return compile_node(self.node)

    def _bound(self, params: Mapping[str, Any]) -> Node:
        """The node with values in the place of its parameters."""
        given = self._given(params)
        values: dict[str, Node] = {}
        for name, decl in params_of(self.node).items():
            if decl.required and name not in given:
                raise PredicatError.of(msg.missing_param(NOWHERE, "this predicate", name))
            values[name] = Literal(decl.type, given.get(name, decl.default))
        return substitute(self.node, values) if values else self.node

    def _given(self, params: Mapping[str, Any]) -> dict[str, Value]:
        """Values for parameters as their types have them. Raises PredicatError for a parameter that there is not, or a value that it does not take."""
        known = params_of(self.node)
        found: dict[str, Value] = {}
        for name, value in params.items():
            if name not in known:
                raise PredicatError.of(msg.surplus_param(NOWHERE, "this predicate", name, known))
            if value != value:  # noqa: PLR0124  # NaN is the one value that differs from itself
                raise PredicatError.of(
                    msg.bad_value(NOWHERE, f"parameter {name!r}", "NaN compares with nothing")
                )
            try:
                found[name] = to_value(value, known[name].type)
            except RowError:
                raise PredicatError.of(
                    msg.param_type(
                        NOWHERE, "this predicate", name, str(known[name].type), type(value).__name__
                    )
                ) from None
        return found


def _dialect(name: str) -> Dialect:
    if name not in backends.DIALECTS:
        raise PredicatError.of(msg.unknown_dialect(name, backends.DIALECTS))
    return backends.dialect(name)


def _checked_first(first: int) -> int:
    """The number of the first parameter. Raises PredicatError for none from 1 on."""
    if not isinstance(first, int) or isinstance(first, bool) or first < 1:
        raise PredicatError.of(msg.usage(f"the first parameter has a whole number from 1 on, not {first!r}"))
    return first


def check_target(language: str) -> None:
    """Raise PredicatError unless a predicate could be given in a language or dialect of this name."""
    if language not in backends.DIALECTS and language not in LANGUAGES and language not in backends.WRITERS:
        raise PredicatError.of(msg.unknown_language(language, [*LANGUAGES, *backends.DIALECTS]))


def parse(
    text: Any,
    language: str,
    fields: Mapping[str, FieldSpec] | None = None,
    *,
    on: str | None = None,
    name: str = "<predicate>",
    enums: Mapping[str, Mapping[str, int | str]] | None = None,
) -> Predicate:
    """Read a predicate.

    `fields` maps names to types (`"string"`, `"map<string, string>"`) or to the mapping of a catalog
    (`{"type": "string", "column": "c", "nulls": "value"}`); without it, names are dynamically typed, as in JSON.
    `on` names the field that languages of keys read from; None is the row itself. `name` stands for the text in
    messages. `enums` maps enumerations to their constants: with `{"Status": {"ACTIVE": 1}}` the text may say
    `status = Status.ACTIVE`. Raises PredicatError with every problem found.
    """
    if language not in LANGUAGES:
        raise PredicatError.of(msg.unknown_language(language, LANGUAGES))
    source = Source(name, text if isinstance(text, str) else "")
    _whole_characters(source)
    known = None if fields is None else declared(fields)
    row = LANGUAGES[language]
    whole = getattr(text, "span", None) or Span(
        source, 0, len(source.text)
    )  # data that was read from a file knows its place
    tree = row.read(Body(text, source, whole, on, known))
    constants = {
        f"{enum}.{word}": value for enum, words in (enums or {}).items() for word, value in words.items()
    }
    return Predicate(simplify(check(tree, Scope(known, enums=constants), row.rules)), language)


def _whole_characters(source: Source) -> None:
    """Python's texts may hold half of a surrogate pair, which no engine stores and no parser takes."""
    if source.text.isascii():
        return
    half = next((at for at, char in enumerate(source.text) if "\ud800" <= char <= "\udfff"), None)
    if half is not None:
        raise PredicatError.of(msg.bad_character(Span(source, half, half + 1), "half of a surrogate pair"))


def declared(fields: Mapping[str, FieldSpec]) -> dict[str, FieldDecl]:
    """The declarations of fields that are given as types or mappings. Raises PredicatError."""
    return {key: _field(key, spec) for key, spec in fields.items()}


def _field(name: str, spec: FieldSpec) -> FieldDecl:
    if isinstance(spec, FieldDecl):
        return spec
    data: Mapping[str, Any] = {"type": spec} if isinstance(spec, str) else spec
    known = ("type", "column", "nulls", "description")
    for key in data:
        if key not in known:
            raise PredicatError.of(msg.unknown_key(NOWHERE, key, f"the field {name!r}", known))
    text = str(data.get("type", ""))
    try:
        kind = parse_type(text)
    except TypeSyntaxError as error:
        raise PredicatError.of(msg.bad_type(NOWHERE, text, str(error), SCALAR_NAMES)) from None
    nulls = str(data.get("nulls", "absent"))
    if nulls not in ("absent", "value"):
        raise PredicatError.of(msg.bad_value(NOWHERE, "nulls", f"{nulls!r} is neither absent nor value"))
    column = data.get("column")
    columns = (
        column if isinstance(column, Mapping) else dict.fromkeys(backends.DIALECTS, column) if column else {}
    )
    return FieldDecl(name, kind, str(data.get("description", "")), nulls, tuple(columns.items()))


__all__ = ["PredicatError", "Predicate", "Unsupported", "dialects", "languages", "parse"]
