"""Reads the declarations of fields, parameters and enumerations. Invalid ones are reported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from msgspec.structs import replace

from predicat.backends import DIALECTS
from predicat.catalog.keys import ENUM_NAME, FIELD, NAME, PARAM
from predicat.catalog.yaml_nodes import YamlNode, text_of
from predicat.diagnostics import PredicatError, Span
from predicat.diagnostics.messages import catalog as say
from predicat.diagnostics.messages import expressions as say_expressions
from predicat.diagnostics.messages import keys as say_keys
from predicat.ir.bounds import bound_of, has_bounds
from predicat.ir.nodes import FieldDecl, ParamDecl
from predicat.ir.python_values import RowError
from predicat.ir.types import Type, TypeSyntaxError, parse_type
from predicat.ir.values import to_value
from predicat.ir.widths import TYPE_NAMES, field_type, stored_in

T = TypeVar("T")


def read_field(name: str, item: YamlNode, span: Span) -> FieldDecl | None:
    """A field: its type, or a mapping with more. `span` is the place of its name."""
    if item.value is not None:
        only = _type(item, field_type)
        return FieldDecl(name, only[0], stored=only[1]) if only is not None else None
    keys = item.keys(what := say.field(name), FIELD)
    if item.lacks(keys, "type", what, span):
        return None
    nulls = text_of(keys, "nulls", "absent")
    if nulls not in ("absent", "value"):
        item.reporter.add(say.absent_or_value(keys["nulls"].span))
    columns = _read_per_dialect(keys["column"], "column", lambda _: "column") if "column" in keys else {}
    given = _expressions(keys["expression"]) if "expression" in keys else {}
    for engine in given.keys() & (columns.keys() if "column" in keys else ()):
        item.reporter.add(say_expressions.column_and_expression(keys["expression"].span, name, engine))
    declared = _type(keys["type"], field_type)
    if declared is None:
        return None
    kind, stored = declared
    if "zone" in keys:
        try:
            stored = stored_in(keys["zone"].text("zone"), kind, stored, keys["zone"].span)
        except PredicatError as error:
            item.reporter.extend(error.diagnostics)
    least, greatest = (_end(keys[key], key, kind) if key in keys else None for key in ("min", "max"))
    if least is not None and greatest is not None and least > greatest:
        item.reporter.add(say.no_values(keys["max"].span, name))
    about = text_of(keys, "description")
    sensitive = item.truths_of({key: keys[key] for key in ("sensitive",) if key in keys})
    return FieldDecl(
        name,
        kind,
        about,
        nulls,
        tuple(columns.items()),
        stored,
        least,
        greatest,
        tuple(given.items()),
        **sensitive,
    )


def with_sensitive(fields: dict[str, FieldDecl]) -> dict[str, FieldDecl]:
    """The fields, where each that reads a column of a sensitive one is sensitive, too."""
    if not any(decl.sensitive for decl in fields.values()):
        return fields
    from predicat.backends.sql.shown import sensitive_columns  # noqa: PLC0415  # sqlglot is slow to load

    known = {engine: sensitive_columns(fields.values(), engine) for engine in DIALECTS}

    def reads(decl: FieldDecl) -> bool:
        return any(
            sensitive_columns([replace(decl, sensitive=True)], engine) & known[engine] for engine in DIALECTS
        )

    return {name: replace(decl, sensitive=reads(decl)) for name, decl in fields.items()}


def _expressions(item: YamlNode) -> dict[str, str]:
    """The expressions by engine. Invalid ones are reported."""
    from predicat.backends.sql import expressions  # noqa: PLC0415  # sqlglot is slow to load

    result: dict[str, str] = {}
    for engine, value in item.keys("expression", DIALECTS).items():
        result[engine] = text = value.text(f"the expression of {engine}")
        try:
            expressions.read(text, engine)
        except expressions.BadExpression as error:
            item.reporter.add(say_expressions.bad_expression(value.span, engine, text, str(error)))
            del result[engine]
    return result


def _read_per_dialect(item: YamlNode, what: str, name_of: Callable[[str], str]) -> dict[str, str]:
    """One string for all dialects, or one per dialect. `name_of` gives its name in messages."""
    if item.value is not None:
        return dict.fromkeys(DIALECTS, item.text(what))
    return {key: value.text(name_of(key)) for key, value in item.keys(what, DIALECTS).items()}


def _end(item: YamlNode, key: str, kind: Type) -> Any:
    """The minimum or the maximum of a field; None if it is invalid, which is reported."""
    try:
        if has_bounds(kind):
            return bound_of(item.data(), kind)
    except RowError:
        item.reporter.add(say.bad_bound(item.span, key, kind))
        return None
    item.reporter.add(say.no_bounds(item.span, key, kind))
    return None


def read_enum(name: str, item: YamlNode) -> dict[str, int | str]:
    """The constants of an enumeration, `NAME.WORD`, with their values: integers (as in protobuf) or
    strings.
    """
    words: dict[str, int | str] = {}
    for word, value, place in item.entries(say.enumeration(name)):
        meaning = value.value
        if not ENUM_NAME.match(word) or "." in word:
            item.reporter.add(say.bad_word(place, word))
        elif isinstance(meaning, str) or (isinstance(meaning, int) and not isinstance(meaning, bool)):
            words[f"{name}.{word}"] = meaning
        else:
            item.reporter.add(say.bad_word_value(value.span, name, word, value.kind))
    return words


def read_params(item: YamlNode) -> dict[str, ParamDecl] | None:
    """The parameters by name; None if one of them cannot be read."""
    params = {name: _param(name, value, span) for name, value, span in item.entries("params")}
    known = {name: declared for name, declared in params.items() if declared is not None}
    return known if len(known) == len(params) and item.is_mapping else None


def _param(name: str, item: YamlNode, span: Span) -> ParamDecl | None:
    if not NAME.match(name):
        item.reporter.add(say_keys.bad_name(span, "parameter", name))
        return None
    if item.value is not None:
        only = _type(item, parse_type)
        return ParamDecl(name, only, required=True) if only is not None else None
    keys = item.keys(what := say.parameter(name), PARAM)
    if item.lacks(keys, "type", what, span):
        return None
    kind = _type(keys["type"], parse_type)
    if kind is None:
        return None
    default = None
    if "default" in keys:
        try:
            default = to_value(keys["default"].data(), kind)
        except RowError:
            item.reporter.add(say.bad_default(keys["default"].span, kind))
    return ParamDecl(name, kind, default, "default" not in keys, text_of(keys, "description"))


def _type(item: YamlNode, read: Callable[[str], T]) -> T | None:
    text = item.text("a type")
    try:
        return read(text)
    except TypeSyntaxError as error:
        if text:
            item.reporter.add(
                say_keys.bad_type(item.span, text, str(error), () if error.is_known else TYPE_NAMES)
            )
        return None
