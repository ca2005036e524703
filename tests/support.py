"""Writes docs/support.md: which operators each language can say, and which each back end has. `python -m tests.support`."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import yaml

import predicat
from predicat import backends
from predicat.backends.sql.base import Reason
from predicat.diagnostics import PredicatError, Unsupported
from predicat.ir.nodes import Call, Field, FieldDecl, Items, Literal, Node, walk
from predicat.ir.ops import OPS
from predicat.ir.types import BOOLEAN, JSON, STRING, ArrayType, MapType, Type, parse_type
from predicat.ir.values import WHITE_SPACE
from predicat.passes import signatures

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "docs" / "support.md"


def languages() -> dict[str, set[str]]:
    """The operators that the bodies of the corpus and of the reference catalog use, by language."""
    found: dict[str, set[str]] = {name: set() for name in predicat.languages()}
    for file in sorted((ROOT / "tests" / "corpus").glob("*.yml")):
        for entry in yaml.safe_load(file.read_text(encoding="utf-8")):
            for case in entry["cases"]:
                ((language, body),) = ((key, value) for key, value in case.items() if key != "expected")
                found[language] |= used(
                    predicat.parse(body, language, entry["fields"], on=entry.get("on")).node
                )
    for row in predicat.load_catalog(ROOT / "catalog").filters():
        for version in row.versions.values():
            found[version.language] |= used(version.predicate.node)
    return found


def used(node: Node) -> set[str]:
    return {part.op for part in walk(node) if isinstance(part, Call)}


def sample(op: str, index: int, generic: str) -> Node | None:
    """A call of an operator on fields, with a constant where it wants one; `generic` is the type of what may have any."""
    row = signatures.signatures(op)[index]
    args: list[Node] = []
    for place, param in enumerate(row.params):
        constant = next((args_[place] for args_, _ in OPS[op].examples if place < len(args_)), "a")
        kind = kind_of(generic if param == "T" else param)
        if place in signatures.constant_positions(op):
            args.append(
                Literal(
                    STRING, {"json_is": "string", "date_trunc": "day", "strip": WHITE_SPACE}.get(op, constant)
                )
            )
        elif param.startswith("list"):
            args.append(Items(ArrayType(STRING), (Literal(STRING, "a"),)))
        elif place and kind == STRING and op not in ("and", "or", "coalesce", "same"):
            args.append(Literal(STRING, "k"))
        else:
            args.append(Field(kind, FieldDecl(f"f{place}", kind)))
    found = signatures.find(
        op,
        tuple(arg.type for arg in args),
        promote=False,
        mixed_numbers=op in ("eq", "ne", "lt", "le", "gt", "ge"),
    )
    if found is None:
        return None
    node: Node = Call(found.result, op, tuple(args))
    return (
        node
        if found.result == BOOLEAN
        else Call(BOOLEAN, "not", (Call(BOOLEAN, "is_null", (node,)),))
        if str(found.result) == "any"
        else node
    )


def kind_of(param: str) -> Type:
    names = {"any": "string", "array<T>": "array<string>", "list<T>": "array<string>", "map<string, T>": "map<string, string>",
             "struct": "struct<k: string>", "decimal": "decimal(10,2)", "duration": "bigint"}  # fmt: skip
    return parse_type(names.get(param, param))


def says(target: str, op: str) -> bool:
    """Whether a writer can say an operator in at least one of its signatures."""
    for index, generic in product(range(len(signatures.signatures(op))), ("string", "bigint")):
        try:
            node = sample(op, index, generic)
            if node is not None:
                write = backends.writer(target)
                write(node if node.type == BOOLEAN else Call(BOOLEAN, "eq", (node, constant_of(node.type))))
                return True
        except (Unsupported, PredicatError):
            continue
    return False


def constant_of(kind: Type) -> Node:
    values: dict[str, Any] = {"bigint": 1, "double": 1.5, "boolean": True}
    if isinstance(kind, ArrayType | MapType) or kind == JSON:
        return Field(kind, FieldDecl("other", kind))
    return Literal(kind, values.get(str(kind), "a"))


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows]]
    return "\n".join(lines)


def document() -> str:
    """The page."""
    spoken = languages()
    columns = [name for name in predicat.languages() if name not in ("all", "any", "not")]
    writers = [name for name in backends.WRITERS if ":" not in name]
    reads = [[f"`{op}`", *("x" if op in spoken[name] else "" for name in columns)] for op in OPS]
    writes = [[f"`{op}`", *("" if isinstance(backends.dialect(name).table[op], Reason) else "x" for name in backends.DIALECTS),
               *("x" if says(name, op) else "" for name in writers)] for op in OPS]  # fmt: skip
    reasons = [f"- {name} has no `{op}`: {rule.text}." for name in backends.DIALECTS for op, rule in backends.dialect(name).table.items()
               if isinstance(rule, Reason)]  # fmt: skip
    return "\n".join([
        "# Support", "", "Generated by `python -m tests.support` and checked by a test.", "",
        "## Languages", "", "The operators that each language uses in the tests' corpus and in the reference catalog.", "",
        table(["operator", *columns], reads), "",
        "## Back ends", "",
        "SQL dialects, and the languages that a predicate can be said in: x where the operator can be said of a field in at least one of its",
        "signatures.", "", table(["operator", *backends.DIALECTS, *writers], writes), "", *reasons, "",
    ])  # fmt: skip


if __name__ == "__main__":
    FILE.write_text(document(), encoding="utf-8")
