"""Messages about the keys, names and types of a catalog file. Each row is one: see the package."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.message import Problem, Text
from predicat.diagnostics.source import Span

bad_yaml = Problem[str]("yaml: this is not valid YAML: {reason}")

# Keys that people write for those that there are.
_KEYS_BY_MEANING = {
    **dict.fromkeys(("where", "condition", "expression", "expr", "predicate", "query"), "sql"),
    **dict.fromkeys(("columns", "schema"), "fields"),
    **dict.fromkeys(("table", "source"), "relation"),
    **dict.fromkeys(("parameters", "args", "arguments"), "params"),
    **dict.fromkeys(("doc", "docs", "comment", "title"), "description"),
    **dict.fromkeys(("postgresql", "pg"), "postgres"),
    **dict.fromkeys(("sparksql", "spark_sql"), "spark"),
    **dict.fromkeys(("subscriptions", "selectors"), "filters"),
}

missing_key = Problem[str, str]("(key, where) missing-key: {where} needs the key {key!r}")
duplicate_key = Problem[str]("""duplicate-key: duplicate key {key!r}
    hint: rename or remove one of the two""")
# What to write where YAML reads something else than a string, such as NO, 1.10 or 2024-05-01.
in_quotes = Text[str]('write "{text}": without quotes, it is not read as a string')

# That a hint lists.
_FEW_KEYS = 12

bad_name = Problem[str, str]("""(what, name) bad-name: {name!r} is not a valid name for a {what}
    hint: names consist of lower-case letters, digits and underscores, start with a letter and have at
    most 63 characters""")

TYPES = "types are written as in Spark DDL: string, bigint, decimal(10,2), map<string, string>"
# Types of other systems, and what they are called here.
_TYPES_BY_MEANING = {
    **dict.fromkeys(("array", "list", "set", "sequence", "repeated"), "array<string>"),
    **dict.fromkeys(("map", "dict"), "map<string, string>"),
    **dict.fromkeys(("object", "any", "super", "dynamic"), "json"),
    **dict.fromkeys(("str", "nvarchar", "clob"), "string"),
    # such columns have a type of their own, parameters and parts of values have not
    **dict.fromkeys(("uuid", "enum", "inet", "cidr", "citext", "time", "name"), "string"),
    **dict.fromkeys(("datetime", "timestamp_ntz", "instant"), "timestamp"),
    "number": "decimal(18,2)",
    **dict.fromkeys(("ubigint", "uint64"), "decimal(20,0)"),
    **dict.fromkeys(("int64", "uint32", "bigserial", "serial"), "bigint"),
    **dict.fromkeys(("int32", "uint16"), "int"),
    **dict.fromkeys(("int16", "uint8"), "smallint"),
    **dict.fromkeys(("float64",), "double"),
    **dict.fromkeys(("float32",), "float"),
}
# Types of columns that no field has: the type to declare instead, and what it is read from, by engine.
READ_AS: Mapping[str, tuple[str, str, str]] = {
    "hstore": ("map<string, string>", "postgres", "{}::jsonb"),
    "money": ("decimal(38,2)", "postgres", "{}::numeric(38,2)"),
    "oid": ("bigint", "postgres", "{}::bigint"),
    "interval": ("double", "postgres", "extract(epoch FROM {})::double precision"),
    "timetz": ("string", "postgres", "{}::text"),
    **{
        f"{name}{kind}": (inner, "postgres", read)
        for name, inner, read in (
            ("int4", "bigint", "lower({})"),
            ("int8", "bigint", "lower({})"),
            ("num", "decimal(38,10)", "lower({})::numeric(38,10)"),
            ("date", "date", "lower({})"),
            ("ts", "timestamp_ntz", "lower({})"),
            ("tstz", "timestamp", "lower({})"),
        )
        for kind in ("range", "multirange")
    },
    **dict.fromkeys(("geometry", "geography"), ("string", "postgres", "ST_AsText({})")),
    "point": ("string", "postgres", "{}::text"),
    "vector": ("array<double>", "postgres", "{}::real[]"),
    "tsvector": ("boolean", "postgres", "{} @@ 'word'::tsquery"),
    **dict.fromkeys(
        ("xml", "ltree", "macaddr", "macaddr8", "bit", "varbit", "pg_lsn"), ("string", "postgres", "{}::text")
    ),
    "hugeint": ("decimal(38,0)", "duckdb", "TRY_CAST({} AS DECIMAL(38,0))"),
}

no_body = Problem[str]("""no-body: {name} has no condition
    hint: write it under the name of its language, such as sql: or cel:""")
two_bodies = Problem[str, Iterable[str]]("""two-bodies: {name} has more than one condition: {languages:list}
    hint: keep one of them""")
duplicate_name = Problem[str, str, str]("""duplicate-name: the {what} {name!r} is defined twice; the first
    is at {first}""")

_ENDED = "in quotes: between { and } a comma ends it"
CONDITION_IN_QUOTES = f"write the whole condition {_ENDED}"


def unknown_key(span: Span, key: str, where: str, known: Iterable[str]) -> Diagnostic:
    known = list(known)
    meant = _KEYS_BY_MEANING.get(key.lower())
    hint = f"did you mean {meant!r}?" if meant in known else msg.did_you_mean(key, known)
    hint = hint or f"known keys: {msg.listed(known, 30)}"
    return Diagnostic("unknown-key", f"{where} has no key {key!r}", span, hint)


def wrong_kind(span: Span, what: str, expected: str, given: str, hint: str | None = None) -> Diagnostic:
    if expected == "a list" and given.startswith("'"):
        hint = f"write [{given.strip(chr(39))}]"
    if hint is None and expected == "a string" and not given.startswith(("a ", "an ", "null", "{", "[")):
        hint = in_quotes(given)
    if hint is None and expected == "a mapping":
        hint = "write keys with values: name: {sql: a > 1}" if what == "filters" else "write {key: value}"
    return Diagnostic("wrong-kind", f"{what} must be {expected}, not {given}", span, hint)


def not_a_mapping(span: Span, what: str, given: str, known: Collection[str]) -> Diagnostic:
    """Something stands where keys are expected. The keys are named where they are few."""
    hint = f"write {{key: value}}; its keys: {', '.join(known)}" if len(known) <= _FEW_KEYS else None
    return wrong_kind(span, what, "a mapping", given, hint)


def bad_type(span: Span, text: str, reason: str, known: Iterable[str]) -> Diagnostic:
    words = text.lower().replace("(", " ").replace("<", " ").replace("[", " ").split() or [""]
    first = f"{words[0]}tz" if "zone" in words else words[0]
    if is_cut(text):
        hint = f"write the whole type {_ENDED}"
    elif not known:
        hint = None
    elif first in READ_AS:
        kind, engine, read = READ_AS[first]
        shown = f'"{kind}"' if "," in kind else kind
        spec = f'{{type: {shown}, expression: {{{engine}: "{read.format("x")}"}}}}'
        hint = f"read a column, such as x, through an expression: {spec}"
    elif first in _TYPES_BY_MEANING:
        hint = f"did you mean {_TYPES_BY_MEANING[first]!r}?"
    else:
        hint = msg.did_you_mean(text, known) or TYPES
    return Diagnostic("bad-type", f"{text!r} is not a type: {reason}", span, hint)


def is_cut(text: str) -> bool:
    """Whether a text is the part of a type before a comma, such as `decimal(10`."""
    return text.count("(") > text.count(")") or text.count("<") > text.count(">")


def is_rest(text: str) -> bool:
    """Whether a text is the part of a type behind a comma, such as `2)`."""
    return text.count("(") < text.count(")") or text.count("<") < text.count(">")


def failed_test(span: Span, name: str, expected: str, actual: str, decided_by: str = "") -> Diagnostic:
    """`decided_by`: the conditions that decide, if they are known."""
    hint = f"it is decided by: {decided_by}" if decided_by else None
    return Diagnostic("failed-test", f"{name}: expected {expected}, but this row gives {actual}", span, hint)


def row_of_a_test(span: Span, reason: str, *, text: bool = False) -> Diagnostic:
    """`text`: something else stands where a string is needed."""
    hint = (
        "put strings such as NO, 1.10 and 2024-05-01 in quotes: YAML reads them as other types"
        if text
        else None
    )
    return msg.bad_value(span, "the row of a test", reason, hint)
