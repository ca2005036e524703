"""A condition of a clause as conditions over the rows of one relation each, in the SQL that predicat reads.

A condition is a conjunction. Its parts are put together by the relation that they read. A part that reads no
row of one relation is left out with its reason.
"""

import re
import zlib
from collections.abc import Iterator

from msgspec import Struct
from sqlglot import Dialect, ErrorLevel, exp
from sqlglot.errors import UnsupportedError

from predicat.diagnostics.messages import discover as say
from predicat.discover.read.clauses import ClauseCondition
from predicat.discover.read.relations import Origin, Scope, folded

# How the names of template variables begin in rendered SQL.
PARAMETER = "predicat_param_"
_PLAIN = re.compile(r"[a-z_][a-z0-9_]*\Z")
# The parser writes units of time in capital letters.
_IN_TEXT = re.compile(rf"{PARAMETER}\w+", re.IGNORECASE)
_PATH = re.compile(r"[\w.]+")
_LONGEST = 40
# A call of a filter in Spark, and the name of the parameter that a macro of the exported package becomes.
_FILTER = re.compile(rf"\bmatches_filter\(|\b{PARAMETER}predicat_filters_")
_GENERIC = Dialect.get_or_raise(None)


def parameter_of(written: str) -> str:
    """A value of a program as the name of a parameter, the same for the same text only."""
    name = re.sub(r"\W+", "_", written).strip("_").lower() or "value"
    if len(name) <= _LONGEST and _PATH.fullmatch(written):
        return PARAMETER + name
    return f"{PARAMETER}{name[:_LONGEST].strip('_')}_{zlib.crc32(written.encode(errors='surrogatepass')):x}"


class Residue(Struct, frozen=True):
    """The parts of a condition that read one relation, with their origin and SQL; or, with a `reason`, a
    part that is left out. `whole` says that there is no other part, `together` that no other is between.
    """

    parts: tuple[exp.Expr, ...]
    origin: Origin | None = None
    sql: str = ""
    params: tuple[str, ...] = ()
    reason: str = ""
    whole: bool = False
    together: bool = True


def residues(written: ClauseCondition, dialect: str) -> Iterator[Residue]:
    """The conditions of one relation that a written condition has."""
    groups: dict[int, tuple[Origin, list[tuple[int, exp.Expr]]]] = {}
    bare: list[tuple[int, exp.Expr]] = []
    left: list[Residue] = []
    for number, part in enumerate(conjuncts(written.node)):
        traced = _origin(part, written)
        if isinstance(traced, Origin):
            groups.setdefault(traced.key, (traced, []))[1].append((number, part))
        elif traced == say.NO_COLUMN:
            bare.append((number, part))
        else:
            left.append(Residue((part,), reason=traced))
    # A part without columns, such as FALSE, switches a condition on or off; it is no part of the rule.
    whole = len(groups) == 1 and not left and not bare
    for origin, parts in groups.values():
        numbers = [number for number, _ in parts]
        together = numbers[-1] - numbers[0] == len(numbers) - 1
        nodes = (written.node,) if whole else tuple(part for _, part in parts)
        yield _residue(nodes, origin, written, dialect, whole=whole, together=whole or together)
    if not groups and not left:
        left = [Residue((part,), reason=_without_columns(part)) for _, part in bare]
    yield from left


def _without_columns(part: exp.Expr) -> str:
    """Why a part that reads no column is left out. The macros of the exported package are parameters here."""
    return say.USES_FILTER if _FILTER.search(part.sql().lower()) else say.NO_COLUMN


def conjuncts(node: exp.Expr) -> list[exp.Expr]:
    """The parts of a conjunction, in their order; the brackets around a conjunction are taken off."""
    result: list[exp.Expr] = []
    pending = [node]
    while pending:
        part = pending.pop()
        inner = part.unnest()
        if isinstance(inner, exp.And):
            pending += [inner.expression, inner.this]
        else:
            result.append(part)
    return result


def _origin(part: exp.Expr, written: ClauseCondition) -> Origin | str:
    """The relation that a part reads, or the reason why it is left out."""
    if part.find(exp.Query):
        return say.SUBQUERY
    if part.find(exp.Window):
        return say.WINDOW
    if part.find(exp.AggFunc):
        return say.AGGREGATE
    columns = [column for column in part.find_all(exp.Column) if not _is_parameter(column, written.scope)]
    if not columns:
        return say.NO_COLUMN
    if written.clause in ("having", "qualify") and any(_computed(column, written) for column in columns):
        return say.COMPUTED
    origins = [written.scope.origin(column) for column in columns]
    first = origins[0]
    if first is None or any(origin is None for origin in origins):
        return say.WHOSE
    if any(origin is not None and origin.key != first.key for origin in origins):
        return say.SEVERAL
    if written.clause == "where" and first.nullable and isinstance(part.unnest(), exp.Is):
        return say.JOINED
    return _one(origins, written)


def _one(origins: list[Origin | None], written: ClauseCondition) -> Origin:
    """The origin of several columns of one source: that of the source itself unless all lead further."""
    known = [origin for origin in origins if origin is not None]
    first = known[0]
    if all((origin.path, origin.derived) == (first.path, first.derived) for origin in known):
        return first
    source = next(source for source in written.scope.sources.values() if source.key == first.key)
    return Origin(source.relation, "", (source.key,), derived=True, nullable=source.nullable)


def _computed(column: exp.Column, written: ClauseCondition) -> bool:
    """Whether a name is that of an expression of the SELECT list."""
    if column.table or not isinstance(written.scope.node, exp.Select):
        return False
    return any(
        isinstance(part, exp.Alias) and part.alias.lower() == column.name.lower() and not _hands_on(part)
        for part in written.scope.node.expressions
    )


def _hands_on(part: exp.Alias) -> bool:
    return isinstance(part.this, exp.Column) and part.this.name.lower() == part.alias.lower()


def _is_parameter(column: exp.Column, scope: Scope) -> bool:
    return scope.is_variable(column) or (not column.table and column.name.lower().startswith(PARAMETER))


def _residue(
    nodes: tuple[exp.Expr, ...],
    origin: Origin,
    written: ClauseCondition,
    dialect: str,
    *,
    whole: bool,
    together: bool,
) -> Residue:
    writer = _Writer(written, origin, dialect)
    try:
        made = [writer.standard(node) for node in nodes]
        joined = made[0] if len(made) == 1 else exp.and_(*made, copy=False)
        sql = _GENERIC.generator(unsupported_level=ErrorLevel.RAISE, comments=False).generate(
            joined, copy=False
        )
    except _LeftOut as error:
        return Residue(nodes, reason=str(error))
    except (UnsupportedError, ValueError, TypeError, AttributeError, RecursionError):
        return Residue(nodes, reason=say.NOT_STANDARD)
    return Residue(nodes, origin, sql, tuple(writer.params), whole=whole, together=together)


class _LeftOut(Exception):
    """A part has no form in standard SQL; the text is the reason."""


class _Writer:
    """Says conditions in standard SQL: columns without tables, placeholders as `:name`."""

    def __init__(self, written: ClauseCondition, origin: Origin, dialect: str) -> None:
        self.row = written
        self.origin = origin
        self.float_division = not Dialect.get_or_raise(dialect or None).TYPED_DIVISION
        self.params: dict[str, None] = {}

    def standard(self, node: exp.Expr) -> exp.Expr:
        """The same condition in standard SQL. Raises _LeftOut."""
        # A node knows its names by its place in the statement, so they are told before it is copied.
        names = [self.column(column) for column in node.find_all(exp.Column)]
        made = exp.paren(node, copy=True)
        for column, name in zip(list(made.find_all(exp.Column)), names, strict=True):
            column.replace(name)
        for part in list(made.walk()):
            self.change(part)
        inner: exp.Expr = made.this
        return inner

    def column(self, column: exp.Column) -> exp.Expr:
        if _is_parameter(column, self.row.scope):
            made = column.name.lower().startswith(PARAMETER)
            return self.parameter(column.name[len(PARAMETER) :] if made else _word(column.name))
        if _IN_TEXT.search(column.sql()):
            raise _LeftOut(say.PART_OF_TEMPLATE)
        origin = self.row.scope.origin(column)
        name = (
            origin.column if origin is not None and origin.path == self.origin.path else folded(column.this)
        )
        parts = [exp.to_identifier(part, quoted=not _PLAIN.match(part)) for part in name.split(".")]
        return exp.column(*reversed(parts)) if len(parts) < 4 else exp.Dot.build(parts)

    def parameter(self, name: str) -> exp.Placeholder:
        self.params.setdefault(name)
        return exp.Placeholder(this=name)

    def change(self, part: exp.Expr) -> None:
        match part:
            case exp.Literal() if part.is_string and _IN_TEXT.search(part.name):
                if not _IN_TEXT.fullmatch(part.name.strip()):
                    raise _LeftOut(say.PART_OF_TEMPLATE)
                part.replace(self.parameter(part.name.strip()[len(PARAMETER) :].lower()))
            case exp.Var() if _IN_TEXT.search(part.name):
                raise _LeftOut(say.PART_OF_TEMPLATE)
            case exp.Parameter() | exp.SessionParameter():
                part.replace(self.parameter(_word(part.this.name if part.this else "")))
            case exp.Placeholder():
                name = part.name if isinstance(part.this, str) else ""
                part.replace(self.parameter(_word(name or f"p{len(self.params) + 1}")))
            case exp.Like() | exp.ILike() if "\\" in part.expression.name:
                raise _LeftOut(say.BACKSLASH)
            case exp.Div() if self.float_division and not _is_fraction(part.this):
                part.set("this", exp.cast(part.this.copy(), "double"))


def _word(name: str) -> str:
    """A name that a parameter can have."""
    word = re.sub(r"\W", "_", name).strip("_").lower()
    return word if word and not word[0].isdigit() else f"p{word}"


def _is_fraction(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and not node.is_string and "." in node.name
