"""A condition in any dialect of SQL as a tree: what all dialects mean alike is kept, and every other part
becomes a field of its own.

A part is kept if it is a comparison, AND, OR, NOT, IN, BETWEEN, LIKE, CASE or one of a few functions of texts
(see `_KEPT`). Another part, such as a cast, a subquery or a function of the user, is opaque: it is a
field that is named by its text, which may have any value, and has the same value wherever it is written. What
is proved for every value of it is true of the part. What is not proved may still hold.
"""

import re
from collections.abc import Collection, Mapping
from itertools import count, pairwise

from msgspec import Struct
from sqlglot import Dialect, Token, TokenType, exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.normalize_identifiers import normalize_identifiers

from predicat.diagnostics import Diagnostic, PredicatError, Source, Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import verdicts as say
from predicat.discover.expansions import with_calls
from predicat.discover.infer import moment
from predicat.ir import syntax as t
from predicat.language.sql.node_reader import Reader, Stop
from predicat.language.sql.reader import MAX_PARENTHESES, SQL, TABLE
from predicat.language.sql.spans import SpanIndex

# The longest condition that is judged, in characters. One that is longer was not written by hand.
MAX_LENGTH = 20_000

# The nodes that mean the same in every dialect.
_KEPT = (
    exp.And,
    exp.Or,
    exp.Not,
    exp.Paren,
    exp.EQ,
    exp.NEQ,
    exp.LT,
    exp.LTE,
    exp.GT,
    exp.GTE,
    exp.NullSafeEQ,
    exp.NullSafeNEQ,
    exp.Literal,
    exp.Boolean,
    exp.Null,
    exp.Neg,
    exp.Between,
    exp.In,
    exp.Is,
    exp.Like,
    exp.ILike,
    exp.Escape,
    exp.Case,
    exp.If,
    exp.Coalesce,
    exp.Nullif,
    exp.Lower,
    exp.Upper,
    exp.Length,
    exp.Substring,
    exp.Left,
    exp.Right,
    exp.StartsWith,
)
_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.NullSafeNEQ, exp.In)
# What is not one value.
_SEVERAL = (exp.Any, exp.All, exp.Tuple, exp.Array, exp.Query, exp.List)
_TIMES = (
    exp.DType.DATE,
    exp.DType.TIMESTAMP,
    exp.DType.TIMESTAMPTZ,
    exp.DType.DATETIME,
    exp.DType.TIMESTAMPNTZ,
)
# Functions whose calls have different values though they read alike.
_VARYING = (
    "rand",
    "random",
    "uuid",
    "gen_random_uuid",
    "generate_uuid",
    "newid",
    "nextval",
    "clock_timestamp",
)
_ONE_UNIT = re.compile(r"\s*[+-]?\d+(\.\d+)?\s*[A-Za-z]*\s*")
_TYPES = {
    "string": (exp.DType.TEXT, exp.DType.VARCHAR, exp.DType.CHAR, exp.DType.NVARCHAR, exp.DType.NCHAR),
    "number": (
        exp.DType.TINYINT,
        exp.DType.SMALLINT,
        exp.DType.INT,
        exp.DType.BIGINT,
        exp.DType.DECIMAL,
        exp.DType.BIGDECIMAL,
        exp.DType.FLOAT,
        exp.DType.DOUBLE,
    ),
    "time": _TIMES,
    "boolean": (exp.DType.BOOLEAN,),
}
_KIND_OF = {kind: name for name, kinds in _TYPES.items() for kind in kinds}


class Abstract(Struct, frozen=True):
    """A condition as a tree.

    Attributes:
        tree: The tree. Every name in it is a whole name, with dots if the condition has them.
        kinds: For names that replace a part, the kind of its values where the part tells: `string`,
            `number`, `time` or `boolean`.
        parts: The names that replace a part other than a column.
        queries: Whether a part is or has a subquery.
    """

    tree: t.Tree
    kinds: Mapping[str, str] = {}
    parts: frozenset[str] = frozenset()
    queries: bool = False


def read_sql(text: str, dialect: str, *, bare: bool = False, fields: Collection[str] = ()) -> Abstract:
    """The tree of a condition in a dialect of sqlglot, "" for standard SQL.

    `bare` names have no table in front of them, where it is the only one and no field, as a struct is
    that has members. Raises PredicatError where sqlglot cannot read it.
    """
    source = Source("<condition>", text)
    whole = Span(source, 0, len(text))
    if len(text) > MAX_LENGTH:
        raise PredicatError.of(msg.too_large(whole, len(text), MAX_LENGTH))
    try:
        tokens = Dialect.get_or_raise(dialect or None).tokenizer().tokenize(text)
        spans = SpanIndex(tokens)
        if spans.deepest > MAX_PARENTHESES or spans.cases > MAX_PARENTHESES:
            raise PredicatError.of(msg.too_deep(whole, MAX_PARENTHESES))
        root = _parsed(tokens, text, dialect)
    except (SqlglotError, RecursionError) as error:
        raise PredicatError.of(say.cannot_read(whole, dialect, str(error))) from None
    reader = _AnyDialectReader(source, whole, spans, dialect)
    normalize_identifiers(root, dialect=dialect or None)
    if bare:
        _without_table(root, fields)
    try:
        reader.extent(root)
        tree = reader.read(root, 0)
    except (Stop, RecursionError):
        raise PredicatError.of(msg.too_deep(whole, MAX_PARENTHESES)) from None
    return Abstract(tree, reader.kinds, frozenset(reader.opaque.values()), reader.queries)


def _parsed(tokens: list[Token], text: str, dialect: str) -> exp.Expr:
    parsed = Dialect.get_or_raise(dialect or None).parser().parse_into(exp.Condition, tokens, text)
    if len(parsed) != 1 or parsed[0] is None:
        raise SqlglotError("it is not one condition")
    return with_calls(parsed[0], text, dialect)


def _without_table(root: exp.Expr, fields: Collection[str]) -> None:
    """Names without the table in front of them, where it is the only one."""
    columns = [column for column in root.find_all(exp.Column) if column.find_ancestor(exp.Query) is None]
    tables = {column.table for column in columns}
    heads = {column.parts[0].name for column in columns}
    if len(tables) == 1 and tables != {""} and heads.isdisjoint(fields):
        for column in columns:
            for key in ("table", "db", "catalog"):
                column.set(key, None)


class _AnyDialectReader(Reader):
    """Reads what all dialects mean alike, and makes a name of every other part."""

    def __init__(self, source: Source, whole: Span, spans: SpanIndex, dialect: str) -> None:
        super().__init__(source, whole, spans, SQL, TABLE)
        self.dialect = dialect
        self.kinds: dict[str, str] = {}
        self.opaque: dict[str, str] = {}
        self.queries = False
        self.numbers = count(1)

    def read(self, node: exp.Expr | None, depth: int) -> t.Tree:
        if isinstance(node, exp.Column) and not isinstance(node.this, exp.Star):
            return t.Name(".".join(part.name for part in node.parts), self.span(node))
        if isinstance(node, exp.Cast | exp.TryCast) and node.this.is_string and node.to.this in _TIMES:
            value = moment(str(node.this.this))
            if value is not None:
                day = node.to.this == exp.DType.DATE
                return t.Constant(value.date() if day else value.replace(tzinfo=None), self.span(node))
        if isinstance(node, exp.Is) and node.args.get("negate"):
            span = self.span(node)
            node.set("negate", None)
            return t.OperatorCall("not", (self.read(node, depth),), span)
        if node is None or not self.keeps(node):
            return self.part(node)
        try:
            return super().read(node, depth)
        except Stop:
            return self.part(node)

    def keeps(self, node: exp.Expr) -> bool:
        """Whether a node means the same in every dialect."""
        if not isinstance(node, _KEPT):
            return False
        if isinstance(node, _COMPARISONS):
            return not any(isinstance(part.unnest(), _SEVERAL) for part in node.iter_expressions())
        if isinstance(node, exp.Like | exp.ILike):
            return _plain_pattern(node.expression)
        if isinstance(node, exp.Escape):
            return isinstance(node.this, exp.Like | exp.ILike) and _plain_pattern(node.this.expression)
        if isinstance(node, exp.Neg):
            return isinstance(node.this, exp.Literal)
        return True

    def fail(self, diagnostic: Diagnostic) -> Stop:  # noqa: ARG002  # as the base class has it
        return Stop()

    def part(self, node: exp.Expr | None) -> t.Tree:
        """The name that replaces a part."""
        if node is None:
            raise Stop
        self.queries = self.queries or node.find(exp.Query) is not None
        text = " ".join(node.sql(dialect=self.dialect or None, comments=False).split())
        if self.several_units(node) or any(_is_varying(call) for call in node.find_all(exp.Func)):
            text = f"{text} #{next(self.numbers)}"
        elif isinstance(node, exp.Placeholder) and not text[1:].isidentifier():
            text = f"{text}{next(self.numbers)}"
        self.opaque[text] = text
        kind = _kind(node)
        if kind is not None:
            self.kinds[text] = kind
        return t.Name(text, self.span(node))

    def several_units(self, node: exp.Expr) -> bool:
        """Whether a part may have an interval such as '1 day 2 hours', of which sqlglot keeps the first
        unit.
        """
        if node.find(exp.Interval) is None:
            return False
        return any(
            one.token_type is TokenType.INTERVAL and not _ONE_UNIT.fullmatch(other.text)
            for one, other in pairwise(self.spans.tokens)
            if other.token_type is TokenType.STRING
        )


def _plain_pattern(node: exp.Expr) -> bool:
    """Whether a pattern of LIKE is a constant without a backslash, which not every dialect takes as an
    escape, and without a bracket, which begins a set of characters in T-SQL.
    """
    return isinstance(node, exp.Literal) and node.is_string and not set(str(node.this)) & {"\\", "["}


def _is_varying(call: exp.Func) -> bool:
    name = str(call.this) if isinstance(call, exp.Anonymous) else call.sql_name()
    return name.lower() in _VARYING


def _kind(node: exp.Expr) -> str | None:
    """The kind of the values of a part, where its own node tells."""
    match node:
        case exp.Cast() | exp.TryCast():
            return _KIND_OF.get(node.to.this)
        case exp.Exists() | exp.In() | exp.RegexpLike() | exp.RegexpILike() | exp.SimilarTo():
            return "boolean"
        case exp.CurrentDate() | exp.CurrentTimestamp() | exp.DateTrunc() | exp.TimestampTrunc():
            return "time"
        case exp.Length() | exp.Extract() | exp.DateDiff() | exp.Count():
            return "number"
        case exp.Predicate() | exp.Connector() | exp.Not():
            return "boolean"
        case _:
            return None


__all__ = ["Abstract", "read_sql"]
