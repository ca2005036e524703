"""What a value of the session that queries is read from: settings, the role, functions of the database.

The text of the catalog is parsed, and the SQL is made anew from the shapes that are known. A missing or
malformed value is NULL: a setting that is not set, or is empty again after a transaction; a text that is no
value of the type; a role that does not exist.
"""

from __future__ import annotations

import re

from msgspec import Struct
from sqlglot import exp, parse
from sqlglot.errors import SqlglotError

from predicat.backends.sql.builders import Sql, binary, call, case, cast, is_one_of, string_literal
from predicat.backends.sql.expressions import BadExpression
from predicat.diagnostics.messages import row_policies as say
from predicat.ir.nodes import FieldDecl
from predicat.ir.types import BIGINT, BOOLEAN, STRING, ArrayType, DecimalType, Type, TypeSyntaxError
from predicat.ir.widths import RANGES, field_type

_SETTING = re.compile(r"role\Z|[A-Za-z_][\w$]*(?:\.[A-Za-z_][\w$]*)+\Z")
_TEXT, _JSON, _BOOLEAN, _ANY = "text", "JSON document", "boolean", "value of a function"
_USERS = {
    exp.CurrentUser: "CURRENT_USER",
    exp.SessionUser: "SESSION_USER",
    exp.CurrentRole: "CURRENT_USER",
}
_STEPS = (exp.JSONExtract, exp.JSONExtractScalar)
_UUID = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"
_TRUE, _FALSE = ("t", "true", "y", "yes", "on", "1"), ("f", "false", "n", "no", "off", "0")
_DIGITS = {"smallint": 5, "int": 10, "": 19}
_MOST = 2**63 - 1


class Source(Struct, frozen=True):
    """What a value is read from: SQL that never raises an error, and the kind of value."""

    sql: Sql
    kind: str


def read(text: str, decl: FieldDecl, *, checks_json: bool = False) -> Sql:
    """The SQL of an attribute, declared as a field, from its expression in the catalog. Raises BadExpression.

    With `checks_json` the server knows `pg_input_is_valid` (PostgreSQL 16), and the SQL is shorter.
    """
    source = _Reader(decl, checks_json).source(parsed(text))
    if source.kind == _TEXT:
        return _once(guarded(source.sql, decl))
    if source.kind == _ANY or (source.kind == _BOOLEAN and decl.type == BOOLEAN):
        return _once(source.sql)
    raise BadExpression(say.not_of_type(source.kind, decl.shown_type))


def _once(sql: Sql) -> Sql:
    """A value that a statement calculates once, and not for each row."""
    return sql if isinstance(sql, exp.Subquery) else exp.Subquery(this=exp.Select(expressions=[sql]))


def parsed(text: str) -> Sql:
    """A text as one expression. Raises BadExpression."""
    try:
        trees = parse(text, dialect="postgres")
    except (SqlglotError, RecursionError) as error:
        raise BadExpression(say.not_read(str(error).partition("\n")[0])) from None
    if len(trees) != 1 or trees[0] is None:
        raise BadExpression(say.ONE_EXPRESSION)
    return trees[0]


class _Reader(Struct, frozen=True):
    decl: FieldDecl
    checks_json: bool

    def source(self, tree: Sql) -> Source:
        """The value of an expression. Raises BadExpression for a shape that is not known."""
        match tree:
            case exp.Paren():
                return self.source(tree.this)
            case exp.Cast() if not isinstance(tree, exp.TryCast):
                return self.cast(tree)
            case exp.Nullif():
                if not (_is_text(tree.expression) and unwrapped(tree.expression).name == ""):
                    raise BadExpression(say.NULL_OF_EMPTY)
                text = self.text(tree.this)  # a setting that is empty is NULL already
                return Source(text if isinstance(text, exp.Nullif) else _not_empty(text), _TEXT)
            case exp.JSONExtract() | exp.JSONExtractScalar():
                return self.step(tree)
            case exp.CurrentUser() | exp.SessionUser() | exp.CurrentRole():
                return Source(cast(exp.Var(this=_USERS[type(tree)]), "TEXT"), _TEXT)
            case exp.Column() if not tree.table and not tree.this.args.get("quoted") and _is_user(tree.name):
                return Source(cast(exp.Var(this="CURRENT_USER"), "TEXT"), _TEXT)
            case exp.Dot():
                return self.function(tree)
            case exp.Anonymous():
                return self.built_in(tree)
            case _:
                raise BadExpression(say.NOT_KNOWN)

    def text(self, tree: Sql) -> Sql:
        """The text of an expression. Raises BadExpression."""
        source = self.source(tree)
        if source.kind not in (_TEXT, _ANY):
            raise BadExpression(say.not_of_type(source.kind, _TEXT))
        return source.sql if source.kind == _TEXT else cast(source.sql, "TEXT")

    def cast(self, tree: exp.Cast) -> Source:
        """A cast, which is that of the type of the attribute, of text or of a document."""
        kind = tree.to.sql("postgres").lower()
        if kind in ("jsonb", "json"):
            source = self.source(tree.this)
            return source if source.kind == _JSON else Source(self.document(self.text(tree.this)), _JSON)
        if kind not in ("text", "varchar", "name") and type_of(kind) != (self.decl.type, self.decl.stored):
            raise BadExpression(say.other_cast(kind, self.decl.shown_type))
        source = self.source(tree.this)
        if source.kind == _ANY and isinstance(self.decl.type, ArrayType):
            return Source(exp.Cast(this=source.sql, to=tree.to.copy()), _ANY)
        return source if source.kind == _BOOLEAN else Source(self.text(tree.this), _TEXT)

    def document(self, text: Sql) -> Sql:
        """A text as a document; NULL if it is none."""
        if self.checks_json:
            valid = call("PG_INPUT_IS_VALID", text, string_literal("jsonb"))
            return case((valid, cast(text.copy(), "JSONB")))
        from predicat.backends import dialect  # noqa: PLC0415  # a dialect needs this module's neighbours
        from predicat.ir.nodes import Call, Field  # noqa: PLC0415  # as above
        from predicat.ir.types import JSON  # noqa: PLC0415  # as above

        node = Call(JSON, "parse_json", (Field(STRING, _VALUE),))
        return _of_value(dialect("postgres").tree(node), text)

    def step(self, tree: Sql) -> Source:
        """A member of a document, as a document or as text."""
        base = self.source(tree.this)
        if base.kind not in (_JSON, _ANY):
            raise BadExpression(say.NO_DOCUMENT)
        sql = base.sql if base.kind == _JSON else cast(base.sql, "JSONB")
        kind = type(tree)
        step = kind(this=exp.Paren(this=sql), expression=key_of(tree.expression), only_json_types=True)
        return Source(step, _TEXT if kind is exp.JSONExtractScalar else _JSON)

    def function(self, tree: exp.Dot) -> Source:
        """A function with its schema and without arguments, whose value is taken as it is."""
        schema, function = tree.this, tree.expression
        if not (
            isinstance(schema, exp.Identifier)
            and isinstance(function, exp.Anonymous)
            and not function.expressions
        ):
            raise BadExpression(say.NO_ARGUMENTS)
        if schema.name.lower() == "pg_catalog":
            raise BadExpression(say.NOT_KNOWN)
        name = exp.Anonymous(this=_quoted(function.this))
        return Source(exp.Dot(this=exp.to_identifier(_folded(schema), quoted=True), expression=name), _ANY)

    def built_in(self, tree: exp.Anonymous) -> Source:
        """A setting, or whether the user has a role."""
        given = tree.expressions
        match tree.name.lower():
            case "current_setting" if 1 <= len(given) <= 2:
                name = unwrapped(given[0])
                if not (_is_text(name) and _SETTING.match(name.name)) or not all(
                    isinstance(part, exp.Boolean) for part in given[1:]
                ):
                    raise BadExpression(say.SETTING_NAME)
                value = call("CURRENT_SETTING", string_literal(name.name), exp.true())
                return Source(_not_empty(value), _TEXT)
            case "pg_has_role" if given and all(map(_is_text, given[-2:])):
                first = given[0]
                users = (exp.CurrentUser, exp.CurrentRole)
                privilege = unwrapped(given[-1]).name.upper()
                if privilege not in ("MEMBER", "USAGE") or not (
                    len(given) == 2 or (len(given) == 3 and isinstance(unwrapped(first), users))
                ):
                    raise BadExpression(say.ROLE_OF_USER)
                return Source(_has_role(unwrapped(given[-2]).name, privilege), _BOOLEAN)
            case _:
                raise BadExpression(say.NO_ARGUMENTS if not given else say.NOT_KNOWN)


def _not_empty(text: Sql) -> Sql:
    return exp.Nullif(this=text, expression=string_literal(""))


def _has_role(role: str, privilege: str) -> Sql:
    """Whether the user has a role; NULL if there is none, for which the function raises an error."""
    has = call("PG_HAS_ROLE", exp.column("oid"), string_literal(privilege))
    named = exp.EQ(this=exp.column("rolname"), expression=string_literal(role))
    query = exp.Select(expressions=[has]).from_(exp.table_("pg_roles", db="pg_catalog"), copy=False)
    return exp.Subquery(this=query.where(named, copy=False))


def _is_user(name: str) -> bool:
    return name.lower() in ("user", "current_role")


def is_function(tree: Sql) -> bool:
    """Whether an expression is a call of a function with its schema."""
    return isinstance(tree, exp.Dot) and isinstance(tree.expression, exp.Anonymous)


def is_role(tree: Sql) -> bool:
    """Whether an expression asks for a role of the user."""
    inner = tree.unnest()
    return isinstance(inner, exp.Anonymous) and inner.name.lower() == "pg_has_role"


def unwrapped(tree: Sql) -> Sql:
    """An expression without parentheses and casts to text, as the server writes its constants."""
    while isinstance(tree, exp.Paren) or (
        isinstance(tree, exp.Cast) and tree.to.this in (exp.DType.TEXT, exp.DType.VARCHAR, exp.DType.NAME)
    ):
        tree = tree.this
    return tree


def _is_text(tree: Sql) -> bool:
    inner = unwrapped(tree)
    return isinstance(inner, exp.Literal) and inner.is_string


def key_of(step: Sql) -> Sql:
    """The key of a step. sqlglot parses a constant without a cast as a path."""
    parts = step.expressions if isinstance(step, exp.JSONPath) else []
    if len(parts) == 2 and isinstance(parts[1], exp.JSONPathKey) and isinstance(parts[1].this, str):
        return string_literal(parts[1].this)
    if _is_text(step):
        return string_literal(unwrapped(step).name)
    raise BadExpression(say.ONE_KEY)


def _folded(name: exp.Identifier) -> str:
    return name.name if name.args.get("quoted") else name.name.lower()


def _quoted(name: str | exp.Identifier) -> str:
    text = _folded(name) if isinstance(name, exp.Identifier) else name.lower()
    return exp.to_identifier(text, quoted=True).sql("postgres")


def type_of(kind: str) -> tuple[Type, str] | None:
    """The type of an attribute that a cast gives, and its form; None if it is none."""
    try:
        return field_type(kind.lower())
    except TypeSyntaxError:
        return None


# --- texts as values of a type

_VALUE = FieldDecl("predicat_value", STRING)


def guarded(text: Sql, decl: FieldDecl) -> Sql:
    """A text as a value of the type of an attribute, NULL if it is none. Raises BadExpression."""
    if decl.type == STRING and not decl.stored:
        return text
    return _of_value(_value(exp.column(_VALUE.name), decl), text)


def _value(text: Sql, decl: FieldDecl) -> Sql:
    match decl.type:
        case _ if decl.stored == "uuid":
            return case((_matches(text, _UUID), cast(text.copy(), "UUID")))
        case _ if decl.type == BIGINT:
            least, most = RANGES.get(decl.stored, (-_MOST - 1, _MOST))
            number = exp.Between(this=cast(text.copy(), "DECIMAL"), low=_number(least), high=_number(most))
            within = case((number, cast(text.copy(), decl.stored or "BIGINT")))
            return case((_matches(text, f"^-?[0-9]{{1,{_DIGITS[decl.stored]}}}$"), within))
        case _ if decl.type == BOOLEAN:
            lower = call("LOWER", text)
            branches = [(is_one_of(lower.copy(), *map(string_literal, words))) for words in (_TRUE, _FALSE)]
            return case((branches[0], exp.true()), (branches[1], exp.false()))
        case DecimalType(precision, scale):
            whole = f"[0-9]{{1,{precision - scale}}}" if precision > scale else "0"
            pattern = f"^-?{whole}" + (f"([.][0-9]{{1,{scale}}})?" if scale else "")
            return case((_matches(text, f"{pattern}$"), cast(text.copy(), f"DECIMAL({precision}, {scale})")))
        case _:
            raise BadExpression(say.not_of_type(_TEXT, decl.shown_type))


def _number(value: int) -> Sql:
    return exp.Literal.number(value) if value >= 0 else exp.Neg(this=exp.Literal.number(-value))


def _matches(text: Sql, pattern: str) -> Sql:
    return binary(exp.RegexpLike, text, string_literal(pattern))


def _of_value(sql: Sql, text: Sql) -> Sql:
    """SQL over `predicat_value` for a text, which is computed once."""
    values = exp.Select(expressions=[exp.alias_(text, _VALUE.name, quoted=True)]).subquery("predicat_of")
    return exp.Subquery(this=exp.Select(expressions=[sql]).from_(values, copy=False))
