"""The rules of JSON values that the dialects share.

A column, an element of an array and a step of a path may be JSON's null. The rules treat it as a missing
value, so none of them needs a test before it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlglot import exp

from predicat.backends.sql.builders import (
    Sql,
    and_,
    call,
    case,
    comparison_operand,
    not_,
    string_literal,
    variable,
    wrap,
)
from predicat.backends.sql.common import json_texts
from predicat.backends.sql.json_order import compared, length
from predicat.backends.sql.json_rewrites import has_key, is_only_text, path
from predicat.backends.sql.renderer import Renderer, Rule, constant
from predicat.forms.json_values import looked_up
from predicat.ir.nodes import Call, Items, Literal, Node, Variable
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE, JSON, STRING


def is_kind(r: Renderer, value: Node, kind: str) -> Sql:
    """Whether a JSON value is of a kind; UNKNOWN if there is no value."""
    json = r.dialect.documents
    return json.is_kind(call("NULLIF", json.kind(r, value), json.null), kind)


def where_kind(r: Renderer, value: Node, kind: str, read: Sql) -> Sql:
    """An expression over a JSON value if that is of a kind, otherwise NULL."""
    json = r.dialect.documents
    return case((json.is_kind(json.kind(r, value), kind), read))


def _json_is(r: Renderer, node: Call) -> Sql:
    return is_kind(r, node.args[0], constant(node.args[1]))


def _json_null(r: Renderer, node: Call) -> Sql:
    base, step = node.args
    value = looked_up(base, step, node.span)
    json = r.dialect.documents
    return exp.EQ(this=json.kind(r, value), expression=string_literal(json.null))


def _json_string(r: Renderer, node: Call) -> Sql:
    return where_kind(r, node.args[0], "string", r.dialect.documents.text(r, node.args[0]))


def _json_text(r: Renderer, node: Call) -> Sql:
    return r.dialect.documents.text(r, node.args[0])


def _json_boolean(r: Renderer, node: Call) -> Sql:
    return where_kind(r, node.args[0], "boolean", _is_text(r, node.args[0], string_literal("true")))


def _is_text(r: Renderer, value: Node, wanted: Sql) -> Sql:
    return exp.EQ(this=comparison_operand(r.dialect.documents.text(r, value)), expression=wanted)


def _json_equals(r: Renderer, node: Call) -> Sql:
    """Whether a JSON value equals a constant. A string that is not also the text of a number, a boolean or a
    collection needs no test of the kind.
    """
    value, wanted = node.args
    known = wanted.value if isinstance(wanted, Literal) else None
    if isinstance(known, bool):
        return and_(
            is_kind(r, value, "boolean"), _is_text(r, value, string_literal("true" if known else "false"))
        )
    if isinstance(known, str):
        equal = _is_text(r, value, r.node(wanted))
        return equal if is_only_text(known) else and_(is_kind(r, value, "string"), equal)
    if (
        isinstance(known, int | float)
        and not r.parameterize
        and (equals := r.dialect.documents.equals(r, value, float(known))) is not None
    ):
        return equals
    kind = Call(BOOLEAN, "json_is", (value, Literal(STRING, "number")), node.span)
    equal = r.node(Call(BOOLEAN, "eq", (Call(DOUBLE, "json_number", (value,), node.span), wanted), node.span))
    return and_(r.node(kind), equal)


def _equals_where(r: Renderer, node: Call) -> Sql | None:
    """The test in a WHERE, where FALSE is as good as NULL: one look-up of the value is enough."""
    value, wanted = node.args
    known = wanted.value if isinstance(wanted, Literal) else None
    if isinstance(known, bool):
        return r.dialect.documents.scalar(r, value, "true" if known else "false")
    if isinstance(known, int | float) and not r.parameterize:
        number = Call(DOUBLE, "json_number", (value,), node.span)
        return r.node(Call(BOOLEAN, "eq", (number, Literal(DOUBLE, float(known))), node.span))
    return None


def _boolean_where(r: Renderer, node: Call) -> Sql | None:
    return r.dialect.documents.scalar(r, node.args[0], "true")


def _json_has(r: Renderer, node: Call) -> Sql:
    value, key = node.args
    assert isinstance(key, Literal)  # noqa: S101  # `with_key_tests` makes no others
    return r.node(has_key(value, key, r.fresh_name("v"), where=False))


def _json_order(r: Renderer, node: Call) -> Sql:
    return r.node(r.rewritings.documents(compared(node)))


def _json_length(r: Renderer, node: Call) -> Sql:
    return r.node(length(node))


def _json_other(r: Renderer, node: Call) -> Sql:
    value, kinds = node.args
    json = r.dialect.documents
    found = [constant(kind) for kind in (kinds.items if isinstance(kinds, Items) else ())]
    return and_(*(not_(json.is_kind(json.kind(r, value), kind)) for kind in found))


# Shorter rules for a test of a WHERE.
ROWS: Mapping[str, Callable[[Renderer, Call], Sql | None]] = {
    "json_equals": _equals_where,
    "json_boolean": _boolean_where,
}


def _json_in(r: Renderer, node: Call) -> Sql:
    value, wanted = node.args
    items = wanted.items if isinstance(wanted, Items) else ()
    result = exp.In(
        this=comparison_operand(r.dialect.documents.text(r, value)), expressions=list(map(r.node, items))
    )
    texts = all(is_only_text(constant(item)) for item in items)
    return result if texts else and_(is_kind(r, value, "string"), result)


def _looked_up(r: Renderer, node: Call) -> Sql:
    """A member or an element. A missing one and a JSON null are both NULL."""
    return r.dialect.not_json_null(r.dialect.documents.value(r, node))


def member_or_element(r: Renderer, node: Call) -> Sql:
    """A look-up with a JSON value as the key: a string finds the member of that name, a number the element at
    that position.
    """
    base, key = node.args
    json = r.dialect.documents
    if isinstance(path(key, lambda _: True)[0], Call):  # what is worked out is worked out once
        name = r.fresh_name("v")
        result = member_or_element(
            r, Call(node.type, node.op, (base, Variable(JSON, name, key.span)), node.span)
        )
        return r.dialect.bind({name: r.document(key)}, result)
    member = Call(JSON, "json_get", (base, Call(STRING, "json_text", (key,))), node.span)
    outer = Call(BIGINT, "to_whole", (Call(DOUBLE, "json_number", (key,)),), node.span)
    is_text = json.is_kind(json.kind(r, key), "string")
    return case(
        (is_text, json.value(r, member)),
        default=json.value(r, Call(JSON, "json_at", (base, outer), node.span)),
    )


def template(
    dialect: str, sql: str, read: Callable[[Renderer, Node], Sql] = Renderer.document, **parts: Sql
) -> Rule:
    """An operator of two JSON values with long, constant SQL, in which `__a` and `__b` are the values. They
    may be JSON's null.

    If the SQL uses a value several times, it gets a name. `read` renders a value, and `parts` replace other
    names.
    """

    def rule(r: Renderer, node: Call) -> Sql:
        result = json_texts.tree(dialect, sql).copy()
        said = [
            column
            for column in result.find_all(exp.Column)
            if column.name in ("__a", "__b") or column.name in parts
        ]
        values: dict[str, Sql] = dict(zip(("__a", "__b"), (read(r, arg) for arg in node.args), strict=True))
        names = {key: r.fresh_name("v") for key in values if sum(column.name == key for column in said) > 1}
        for column in said:
            if column.name in names:
                column.replace(variable(names[column.name]))
            else:
                column.replace(wrap(parts[column.name] if column.name in parts else values[column.name]))
        return r.dialect.bind({names[key]: values[key] for key in names}, result) if names else result

    return rule


RULES: dict[str, Rule] = {
    "json_is": _json_is,
    "json_null": _json_null,
    "json_string": _json_string,
    "json_text": _json_text,
    "json_boolean": _json_boolean,
    "json_equals": _json_equals,
    "json_in": _json_in,
    "json_other": _json_other,
    "json_has": _json_has,
    "json_order": _json_order,
    "json_length": _json_length,
    **dict.fromkeys(("json_get", "json_at", "json_element"), _looked_up),
    "json_let": json_texts.let,
}
