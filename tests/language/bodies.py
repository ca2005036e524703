"""Hypothesis strategies for bodies in every language of keys, with hostile keys and values, and rows for
them.
"""

import json
import random
from typing import Any

from hypothesis import strategies as st

from tests.language.cel_texts import written

HOSTILE = [
    "a",
    "b",
    "",
    "'",
    '"',
    "\\",
    "''",
    "\\'",
    "';--",
    "$1",
    "${2}",
    ":p",
    "%",
    "_",
    "a%b_c",
    "{x}",
    "`",
    "\n",
    "x'OR'1'='1",
    "é",
    "😀",
    "e\u0301",
    "*",
    "?",
    "1",
    "-7",
    "2.5",
    "true",
    "/*",
    "\u2028",
    "\\u0027",
    "\x7f",
    "A",
    "ß",
]
KEYS = [
    "k",
    "type",
    "a-b",
    "x.y",
    "K9",
    "é",
    "it's",
    'q"t',
    "$k",
    "a b",
    "--",
    "*",
    "\\",
    "%s",
    "{k}",
    "select",
]
PLAIN = ["k", "type", "K9", "n"]
values = st.sampled_from(HOSTILE)
full = st.sampled_from([text for text in HOSTILE if text])
keys = st.sampled_from(KEYS)
plain = st.sampled_from(PLAIN)
label_values = st.sampled_from(["a", "b", "x-1", "A.b_c", "1"])


def quoted(text: str, quote: str) -> str:
    return quote + text.replace("\\", "\\\\").replace(quote, "\\" + quote) + quote


def combined(leaf: st.SearchStrategy[Any], join: dict[str, str]) -> st.SearchStrategy[Any]:
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            *(
                st.lists(inner, min_size=2, max_size=3).map(lambda parts, key=key: {key: parts})
                for key in (join["and"], join["or"])
            ),
            *([inner.map(lambda part: {join["not"]: part})] if "not" in join else []),
        ),
        max_leaves=4,
    )


def logical(leaf: st.SearchStrategy[str], negation: str, *words: str) -> st.SearchStrategy[str]:
    """Texts whose leaves are negated (`{}` is what is), and joined by words."""
    return st.recursive(
        leaf,
        lambda inner: written(
            (negation, inner), *(("({})", joined(inner, f" {word} ", least=2)) for word in words)
        ),
        max_leaves=4,
    )


def joined(items: st.SearchStrategy[str], separator: str = ", ", least: int = 1) -> st.SearchStrategy[str]:
    """At most three items, with a separator between them."""
    return st.lists(items, min_size=least, max_size=3).map(separator.join)


def of(*texts: str) -> st.SearchStrategy[str]:
    return st.sampled_from(texts)


_COMPARED = (
    "EQUALS",
    "NOT_EQUALS",
    "LESS_THAN",
    "GREATER_THAN_EQUALS",
    "STARTS_WITH",
    "STARTS_WITH_IGNORE_CASE",
    "CONTAINS",
    "CONTAINS_IGNORE_CASE",
    "DOES_NOT_CONTAIN",
)
_several = st.lists(values, min_size=1, max_size=3)
pip_leaves: list[dict[str, st.SearchStrategy[Any]]] = [
    {"property": keys, "op": of(*_COMPARED), "value": values},
    {"property": keys, "op": of("IN", "NOT_IN", "CONTAINS_ANY", "CONTAINS_NONE"), "values": _several},
    {
        "property": keys,
        "op": of("EQUALS", "LESS_THAN", "GREATER_THAN"),
        "value": st.sampled_from([1, -7, 2.5, 2**40]),
    },
    {
        "ref": of("event_time", "publish_time"),
        "op": of("LESS_THAN_EQUALS", "NOT_EQUALS"),
        "value": st.sampled_from([0, 5, 2**40]),
    },
]
pip = combined(
    st.one_of(*map(st.fixed_dictionaries, pip_leaves)),
    {"and": "and", "or": "or", "not": "not"},
)
tests = st.dictionaries(keys, full, min_size=1, max_size=2)
cloudevents = combined(
    st.one_of(*(tests.map(lambda body, name=name: {name: body}) for name in ("exact", "prefix", "suffix"))),
    {"and": "all", "or": "any", "not": "not"},
)
_like = of("a%", "%b_", "\\%", "a\\\\", "%'%", "_")
_header_values = {
    "headerEquals": values,
    "headerNotEquals": values,
    "headerIn": _several,
    "headerLike": _like,
}
headers = combined(
    st.one_of(
        *(
            st.builds(lambda key, value, name=name: {name: {key: value}}, plain, found)
            for name, found in _header_values.items()
        )
    ),
    {"and": "and", "or": "or"},
)
sns_leaf = st.one_of(
    full,
    full.map(lambda text: {"prefix": text}),
    full.map(lambda text: {"suffix": text}),
    st.booleans().map(lambda flag: {"exists": flag}),
    full.map(lambda text: {"equals-ignore-case": text}),
    st.lists(full, min_size=1, max_size=2).map(lambda found: {"anything-but": found}),
    st.sampled_from([5, -7, 2.5]).map(lambda number: {"numeric": [">", number]}),
)
sns = st.dictionaries(keys, st.lists(sns_leaf, min_size=1, max_size=2), min_size=1, max_size=3)
requirement = written(
    ("{} {} {}", plain, of("=", "!="), label_values),
    ("{} {} ({})", plain, of("in", "notin"), joined(label_values)),
    ("{}", plain),
    ("!{}", plain),
    ("{} > 3", plain),
)
labels = joined(requirement)
one_line = full.filter(lambda text: "\n" not in text).map(lambda text: quoted(text, '"'))
json_keys = keys.map(lambda key: json.dumps(key, ensure_ascii=False))
pubsub = logical(
    written(
        ("attributes:{}", json_keys),
        ("attributes.{} {} {}", json_keys, of("=", "!="), one_line | st.just('""')),
        ("hasPrefix(attributes.{}, {})", json_keys, one_line),
    ),
    "NOT ({})",
    "AND",
    "OR",
)
small = plain.filter(lambda key: key == key.lower())
cesql_text = values.filter(lambda text: not text.endswith("\\") and "\\'" not in text).map(
    lambda text: "'" + text.replace("'", "\\'") + "'"
)
cesql = logical(
    written(
        ("{} {} {}", small, of("=", "!="), cesql_text),
        ("EXISTS {}", small),
        ("INT({}) > 3", small),
        ("{} LIKE '%a_'", small),
        ("LENGTH({}) = 1", small),
        ("UPPER({}) IN ('A', 'B')", small),
    ),
    "NOT ({})",
    "AND",
    "OR",
    "XOR",
)
cel_text = values.map(lambda text: json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f"))
cel_key = keys.map(lambda key: f"m[{json.dumps(key, ensure_ascii=False)}]")
cel = logical(
    written(
        ("{} {} {}", cel_key, of("==", "!=", "<", ">="), cel_text),
        ("{}.{}({})", cel_key, of("startsWith", "endsWith", "contains"), cel_text),
        ("{} in [{}]", cel_key, joined(cel_text)),
        ("has(m.{})", plain),
        ("int({}) > 3", cel_key),
        ("size({}.trim()) == 1", cel_key),
    ),
    "!({})",
    "&&",
    "||",
)
sql_text = values.map(lambda text: "'" + text.replace("'", "''") + "'")
sql_key = keys.map(lambda key: "m['" + key.replace("'", "''") + "']")
sql = logical(
    written(
        ("{} {} {}", sql_key, of("=", "<>", "<", ">="), sql_text),
        ("{} IN ({})", sql_key, joined(sql_text)),
        ("{} IS NULL", sql_key),
        ("{} LIKE 'a%'", sql_key),
    ),
    "NOT ({})",
    "AND",
    "OR",
)
bus_key = st.one_of(
    keys.map(lambda key: "[" + key.replace("]", "]]") + "]"),
    keys.map(lambda key: '"' + key.replace('"', '""') + '"'),
    keys.map(lambda key: "property('" + key.replace("'", "''") + "')"),
    of("k", "user.n", "User.[K9]"),
)
bus_sql = logical(
    written(
        ("{} {} {}", bus_key, of("=", "<>", "!="), sql_text),
        ("{} {} ({})", bus_key, of("IN", "not in"), joined(sql_text)),
        ("{} {} {}", bus_key, of("LIKE", "NOT LIKE"), of("'a%'", "'%!%' ESCAPE '!'", "'_'")),
        ("EXISTS({})", bus_key),
        ("{} IS NOT NULL", bus_key),
        ("{} + 'x' = 'ax'", bus_key),
    ),
    "NOT ({})",
    "AND",
    "or",
)
servicebus = st.one_of(
    bus_sql, st.dictionaries(keys, values, min_size=1, max_size=3).map(lambda found: {"properties": found})
)

BODIES: dict[str, st.SearchStrategy[Any]] = {
    "pip": pip,
    "cloudevents": cloudevents,
    "headers": headers,
    "sns": sns,
    "eventbridge": sns,
    "labels": labels,
    "pubsub": pubsub,
    "cesql": cesql,
    "cel": cel,
    "sql": sql,
    "attributes": st.dictionaries(keys, values, min_size=1, max_size=3),
    "servicebus": servicebus,
}
FIELDS = {"m": "map<string, string>", "event_time": "bigint", "publish_time": "bigint"}


def rows(count: int = 40) -> list[dict[str, Any]]:
    rng = random.Random(7)  # test data
    found: list[dict[str, Any]] = [{}, {"m": {}}]
    while len(found) < count:
        chosen = rng.sample(sorted({*KEYS, *PLAIN}), rng.randint(1, 12))
        found.append(
            {
                "m": {key: rng.choice([*HOSTILE, "x-1", "42"]) for key in chosen},
                "event_time": rng.choice([None, 0, 5, 2**40]),
                "publish_time": rng.choice([None, 4, 5]),
            }
        )
    return found
