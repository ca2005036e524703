"""The public conformance cases of CEL and CESQL, as predicates. No case is in this repository: those of CEL
are fetched (`cel_spec`), those of CESQL are read from a checkout (`tests.oracles`).
"""

import json
from dataclasses import dataclass, field, replace
from typing import Any

import yaml

import predicat
from predicat.api import declared
from predicat.check.resolve import check
from predicat.check.scope import Scope
from predicat.diagnostics import Source, Span
from predicat.ir import syntax as t
from predicat.ir.nodes import FieldDecl
from predicat.ir.operators import ZONED
from predicat.ir.types import parse_type
from predicat.language import LANGUAGES
from predicat.language.common.body import Body
from predicat.lower import core
from tests.conformance import cel_spec
from tests.oracles import checkout


@dataclass
class Case:
    """A predicate, the row for it, and the outcome that the specification wants."""

    label: str
    level: str
    text: str
    expected: bool | None
    language: str
    fields: dict[str, FieldDecl]
    row: dict[str, Any]
    predicate: predicat.Predicate | None = None
    problem: str = ""
    values: dict[str, Any] = field(default_factory=dict)


def cel_cases() -> list[Case]:
    found = []
    for index, row in enumerate(cel_spec.rows()):
        expected, text = row["expected"], row["expr"]
        want: bool | None = None
        if expected != "error" and expected[0] == "bool":
            want = expected[1]
        elif expected == ["double", "nan"]:
            want, text = True, f"({text}) != ({text})"
        elif expected != "error":
            want, text = True, f"({text}) == {_literal(expected)}"
        fields = declared({name: _type(kind) for name, kind in row["variables"].items()})
        values = {name: _value(value) for name, value in row["bindings"].items()}
        found.append(
            Case(
                f"{index} {row['label']}",
                row["file"],
                text,
                want,
                "cel",
                fields,
                values,
            )
        )
    return found


def _type(kind: list[Any]) -> str:
    name, inner = kind
    if name == "list":
        return f"array<{_type(inner)}>"
    if name == "map":
        return f"map<string, {_type(inner[1])}>"
    return {"int": "bigint", "uint": "bigint", "bool": "boolean", "dyn": "json", "null": "json"}.get(
        name, name
    )


def _value(value: list[Any]) -> Any:
    kind, inner = value
    match kind:
        case "list":
            return [_value(item) for item in inner]
        case "map":
            return {_value(key): _value(item) for key, item in inner}
        case "double":
            return float(inner)
        case _:
            return None if kind == "null" else inner


def _literal(value: list[Any]) -> str:
    kind, inner = value
    match kind:
        case "double":
            names = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
            return f'double("{names[str(inner)]}")' if str(inner) in names else repr(float(inner))
        case "list":
            return f"[{', '.join(map(_literal, inner))}]"
        case "map":
            return "{" + ", ".join(f"{_literal(key)}: {_literal(item)}" for key, item in inner) + "}"
        case "string" | "bool":
            return json.dumps(inner, ensure_ascii=False)
        case "null":
            return "null"
        case _:
            return str(inner)


# --- CESQL

CESQL = "cloudevents+spec"

BASE_EVENT = {
    "specversion": "1.0",
    "id": "A234-1234-1234",
    "type": "com.example.event",
    "source": "https://example.com/source",
}


class _Plain(yaml.SafeLoader):
    """Times are texts, as in an event."""

    yaml_implicit_resolvers = {  # noqa: RUF012  # as its base has it
        first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def cesql_cases() -> list[Case]:
    found = []
    folder = checkout(CESQL)
    files = sorted((folder / "cesql" / "cesql_tck").glob("*.yaml")) if folder is not None else ()
    rows = [(file.stem, row) for file in files for row in yaml.load(file.read_bytes(), _Plain)["tests"]]
    for index, (file, row) in enumerate(rows):
        event = row.get("event", {**BASE_EVENT, **row.get("eventOverrides", {})})
        text, want = str(row["expression"]), row.get("result")  # YAML read some as truth values
        if "error" in row:
            want = None
        elif isinstance(want, str):
            text, want = f"({text}) = '{want.replace(chr(39), chr(92) + chr(39))}'", True
        elif not isinstance(want, bool):
            text, want = f"({text}) = {want}", True
        names = {bool: "boolean", int: "bigint", str: "string"}
        fields = declared({name: names[type(value)] for name, value in event.items()})
        fields |= declared(
            {
                name: "string"
                for name in ("missing", "time", "myext", "firstname", "lastname", "subject")
                if name not in event
            }
        )
        found.append(Case(f"{index} {file}/{row['name']}", "cesql", text, want, "cesql", fields, event))
    return found


# --- parsing, as written and with the constants as columns


def parsed(case: Case, *, lifted: bool) -> Case:
    """The case with its predicate, or with the problem that refuses it. `lifted`: its constants become
    fields.
    """
    source = Source("case", case.text)
    case = replace(case, fields=dict(case.fields), row=dict(case.row))
    try:
        tree = LANGUAGES[case.language].read(
            Body(case.text, source, Span(source, 0, len(case.text)), None, case.fields)
        )
        if lifted and "type(" not in case.text:  # a name of a type is no value of a column
            tree = _lift(tree, case, case.label.split()[0])
        case.predicate = predicat.Predicate(
            core(
                check(
                    tree,
                    Scope(case.fields),
                    LANGUAGES[case.language].rules,
                )
            ),
            case.language,
        )
    except predicat.PredicatError as error:
        case.problem = str(error).split("\n", 1)[0]
    return case


_CONSTANT = ("matches", "like", "split", "strip", "cast", "json_is")


def _lift(tree: t.Tree, case: Case, prefix: str) -> t.Tree:
    def lift(part: t.Tree) -> t.Tree:
        match part:
            case t.Constant(value, span):
                kinds = {bool: "boolean", int: "bigint", float: "double", str: "string"}
                if (
                    type(value) not in kinds
                    or (isinstance(value, str) and "\0" in value)
                    or (type(value) is int and not -(2**63) <= value < 2**63)
                ):
                    return part
                name = f"c{prefix}_{len(case.row)}"
                case.fields[name] = FieldDecl(name, parse_type(kinds[type(value)]))
                case.row[name] = value
                return t.Name(name, span)
            case t.OperatorCall(op, args, span):
                keep = 1 if op in _CONSTANT or op in ZONED else len(args)
                return t.OperatorCall(op, (*map(lift, args[:keep]), *args[keep:]), span)
            case t.ListLiteral(items, span):
                return t.ListLiteral(tuple(map(lift, items)), span)
            case t.MapLiteral(entries, span):
                return t.MapLiteral(tuple((key, lift(value)) for key, value in entries), span)
            case t.Macro(kind, variable, inner, body, span):
                return t.Macro(kind, variable, lift(inner), lift(body), span)
            case t.Member(base, key, span):
                return t.Member(lift(base), key, span)
            case _:
                return part

    return lift(tree)
