"""Writes docs/functions.md (the functions of each language, with examples) and docs/support.md (operators by
language and back end).

`python -m tests.support`. Examples come from tests/corpus/reference.yml, where their results are checked on
every engine. Their meaning is that of the operator that is rarest among the examples of the language, unless
`doc:` says otherwise.
"""

import html
import json
from collections import Counter
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any

import yaml

import predicat
from predicat import backends
from predicat.backends.sql.renderer import NotSupported
from predicat.check import signatures
from predicat.diagnostics import PredicatError, Unsupported
from predicat.ir.nodes import Call, Field, FieldDecl, Items, Literal, Node, walk
from predicat.ir.operators import COMPARISONS, OPS, ZONED
from predicat.ir.types import (
    BOOLEAN,
    DURATION,
    JSON,
    STRING,
    ArrayType,
    DecimalType,
    MapType,
    Type,
    parse_type,
)
from predicat.ir.values import WHITE_SPACE
from predicat.language import LANGUAGES, WRITERS, writer
from predicat.language.cel import refused

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "docs" / "support.md"
FUNCTIONS = ROOT / "docs" / "functions.md"
REFERENCE = ROOT / "tests" / "corpus" / "reference.yml"
# Operators that readers add to a body, which its author did not write.
_HIDDEN = frozenset({"is_true", "get", "int32", "dyn", "json_is", "json_get"})


def languages() -> dict[str, set[str]]:
    """The operators that the bodies of the corpus and of the reference catalog use, by language. A body in
    `sql` counts for the languages of engines that read it, too.
    """
    found: dict[str, set[str]] = {name: set() for name in predicat.languages()}
    for file in sorted((ROOT / "tests" / "corpus").glob("*.yml")):
        for entry in yaml.safe_load(file.read_text(encoding="utf-8")):
            for case in entry["cases"]:
                ((language, body),) = (
                    (key, value) for key, value in case.items() if key not in ("expected", "doc")
                )
                found[language] |= used(
                    predicat.parse(body, language, entry["fields"], on=entry.get("on")).node
                )
                for engine in backends.DIALECTS if language == "sql" else ():
                    with suppress(PredicatError):
                        found[engine] |= used(predicat.parse(body, engine, entry["fields"]).node)
    for row in predicat.load_catalog(ROOT / "catalog").filters():
        for version in row.versions.values():
            found[version.language] |= used(version.predicate.node)
    return found


def functions() -> str:
    """The page of functions: for each language its examples, each with one line of meaning."""
    parts = [
        "# Functions of each language",
        "",
        (
            "This page lists what each language supports: an example and a line of meaning "
            "for each operator and function."
        ),
        (
            "The tests check the result of each example on the reference evaluator, Spark, PostgreSQL "
            "and DuckDB. `python -m tests.support` writes this page from `tests/corpus/reference.yml`."
        ),
        "",
        (
            "A function is UNKNOWN if an argument is missing or if it has no result, unless "
            "its line says otherwise."
        ),
        "",
    ]
    for entry in yaml.safe_load(REFERENCE.read_text(encoding="utf-8")):
        language = entry["name"].removeprefix("reference of ")
        cases = [
            (case[language], case.get("doc"), ops_of(case[language], language, entry))
            for case in entry["cases"]
        ]
        counts = Counter(op for _, _, ops in cases for op in set(ops))
        rows = [
            [code(body), doc or OPS[min(ops, key=lambda op: (counts[op], ops.index(op)))].doc]
            for body, doc, ops in cases
        ]
        first, rest = LANGUAGES[language].doc[0], LANGUAGES[language].doc[1:]
        fields = ", ".join(f"`{name}: {kind}`" for name, kind in entry["fields"].items())
        parts += [
            f"## {language}",
            "",
            f"{first.upper()}{rest}. The fields of the examples: {fields}.",
            "",
            table(["example", "meaning"], rows),
            "",
        ]
    return "\n".join(parts)


def ops_of(body: Any, language: str, entry: dict[str, Any]) -> list[str]:
    """The operators of a body that its author wrote, in their order; all where there are no others."""
    node = predicat.parse(body, language, entry["fields"], on=entry.get("on")).node
    ops = [part.op for part in walk(node) if isinstance(part, Call)]
    return [op for op in ops if op not in _HIDDEN] or ops


def code(body: Any) -> str:
    """A body in a cell of a table: bars would end it."""
    text = body if isinstance(body, str) else json.dumps(body)
    escaped = html.escape(text, quote=False)
    for special in "|*_[":
        escaped = escaped.replace(special, f"&#{ord(special)};")
    return f"<code>{escaped}</code>"


def used(node: Node) -> set[str]:
    return {part.op for part in walk(node) if isinstance(part, Call)}


def sample(op: str, index: int, generic: str) -> Node | None:
    """A call of an operator on fields, with a constant where it wants one; `generic` is the type of what
    may have any.
    """
    row = signatures.signatures(op)[index]
    args: list[Node] = []
    for place, param in enumerate(row.params):
        constant = next((args_[place] for args_, _ in OPS[op].examples if place < len(args_)), "a")
        kind = kind_of(generic if param == "T" else param)
        if place in signatures.constant_positions(op):
            args.append(
                Literal(
                    DURATION if param == "duration" else kind,
                    {
                        "json_is": "string",
                        "date_trunc": "day",
                        "strip": WHITE_SPACE,
                        **dict.fromkeys(ZONED, "UTC"),
                    }.get(op, constant),
                )
            )
        elif param.startswith("list"):
            args.append(Items(ArrayType(STRING), (Literal(STRING, "a"),)))
        elif place and kind == STRING and op not in ("and", "or", "coalesce", "same"):
            args.append(Literal(STRING, "k"))
        else:
            args.append(Field(kind, FieldDecl(f"f{place}", kind)))
    found = signatures.find(
        op, tuple(arg.type for arg in args), widens_numbers=False, mixed_numbers=op in COMPARISONS
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
    names = {
        "any": "string",
        "array<T>": "array<string>",
        "list<T>": "array<string>",
        "map<string, T>": "map<string, string>",
        "struct": "struct<k: string>",
        "decimal": "decimal(10,2)",
        "duration": "bigint",
    }
    return parse_type(names.get(param, param))


def says(target: str, op: str) -> bool:
    """Whether a writer supports an operator in at least one of its signatures."""
    for index, generic in product(range(len(signatures.signatures(op))), ("string", "bigint")):
        try:
            node = sample(op, index, generic)
            if node is not None:
                write = writer(target)
                write(node if node.type == BOOLEAN else Call(BOOLEAN, "eq", (node, constant_of(node.type))))
                return True
        except (Unsupported, PredicatError):
            continue
    return False


def constant_of(kind: Type) -> Node:
    values: dict[str, Any] = {
        "bigint": 1,
        "double": 1.5,
        "boolean": True,
        "date": date(2024, 2, 29),
        "timestamp": datetime(2024, 2, 29, tzinfo=UTC),
        "duration": timedelta(hours=1),
    }
    if isinstance(kind, ArrayType | MapType) or kind == JSON:
        return Field(kind, FieldDecl("other", kind))
    if isinstance(kind, DecimalType):
        return Literal(kind, Decimal("1.5"))
    return Literal(kind, values.get(str(kind), "a"))


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows]]
    return "\n".join(lines)


def document() -> str:
    """The page."""
    spoken = languages()
    columns = [name for name in predicat.languages() if name not in ("all", "any", "not")]
    writers = [name for name in WRITERS if ":" not in name]
    reads = [[f"`{op}`", *("x" if op in spoken[name] else "" for name in columns)] for op in OPS]
    writes = [
        [
            f"`{op}`",
            *(
                "" if isinstance(backends.dialect(name).table[op], NotSupported) else "x"
                for name in backends.DIALECTS
            ),
            *("x" if says(name, op) else "" for name in writers),
        ]
        for op in OPS
    ]
    reasons = [
        f"- {name} does not support `{op}`: {rule.text}."
        for name in backends.DIALECTS
        for op, rule in backends.dialect(name).table.items()
        if isinstance(rule, NotSupported)
    ]
    return "\n".join(
        [
            "# Operators by language and engine",
            "",
            (
                "This page shows which operators each language can read, and which operators "
                "each engine and each translation supports. [Functions](functions.md) has "
                "examples in the words of each language. `python -m tests.support` writes this "
                "page."
            ),
            "",
            "## Languages",
            "",
            "x: a filter in this language can use the operator. The tests have an example.",
            "",
            table(["operator", *columns], reads),
            "",
            "## Engines and translations",
            "",
            (
                "x: the SQL dialect, or the translation to the language, supports the operator "
                "for a field, in at least one of its signatures."
            ),
            "",
            table(["operator", *backends.DIALECTS, *writers], writes),
            "",
            *reasons,
            "",
            "## Functions of CEL's libraries that are not supported",
            "",
            table(["function", "from", "why not", "instead"], refusals()),
            "",
        ]
    )


def refusals() -> list[list[str]]:
    """The functions of CEL's libraries that are not supported, one row per reason."""
    rows: dict[refused.Refused, list[str]] = {}
    for name, row in refused.TABLE.items():
        rows.setdefault(row, []).append(f"`{name}`")
    return [[", ".join(names), row.library, row.reason, row.instead] for row, names in rows.items()]


if __name__ == "__main__":
    FILE.write_text(document(), encoding="utf-8")
    FUNCTIONS.write_text(functions(), encoding="utf-8")
