"""Hypothesis strategies for bodies in every language of keys, with hostile keys and values, and rows for
them.
"""

import json
from typing import Any

from hypothesis import strategies as st

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


pip = combined(
    st.one_of(
        st.builds(
            lambda key, op, value: {"property": key, "op": op, "value": value},
            keys,
            st.sampled_from(
                [
                    "EQUALS",
                    "NOT_EQUALS",
                    "LESS_THAN",
                    "GREATER_THAN_EQUALS",
                    "STARTS_WITH",
                    "STARTS_WITH_IGNORE_CASE",
                    "CONTAINS",
                    "CONTAINS_IGNORE_CASE",
                    "DOES_NOT_CONTAIN",
                ]
            ),
            values,
        ),
        st.builds(
            lambda key, op, found: {"property": key, "op": op, "values": found},
            keys,
            st.sampled_from(["IN", "NOT_IN", "CONTAINS_ANY", "CONTAINS_NONE"]),
            st.lists(values, min_size=1, max_size=3),
        ),
        st.builds(
            lambda key, op, value: {"property": key, "op": op, "value": value},
            keys,
            st.sampled_from(["EQUALS", "LESS_THAN", "GREATER_THAN"]),
            st.sampled_from([1, -7, 2.5, 2**40]),
        ),
        st.builds(
            lambda ref, op, value: {"ref": ref, "op": op, "value": value},
            st.sampled_from(["event_time", "publish_time"]),
            st.sampled_from(["LESS_THAN_EQUALS", "NOT_EQUALS"]),
            st.sampled_from([0, 5, 2**40]),
        ),
    ),
    {"and": "and", "or": "or", "not": "not"},
)
tests = st.dictionaries(keys, full, min_size=1, max_size=2)
cloudevents = combined(
    st.one_of(*(tests.map(lambda body, name=name: {name: body}) for name in ("exact", "prefix", "suffix"))),
    {"and": "all", "or": "any", "not": "not"},
)
headers = combined(
    st.one_of(
        *(
            st.builds(lambda key, value, name=name: {name: {key: value}}, plain, values)
            for name in ("headerEquals", "headerNotEquals")
        ),
        st.builds(
            lambda key, found: {"headerIn": {key: found}}, plain, st.lists(values, min_size=1, max_size=3)
        ),
        st.builds(
            lambda key, value: {"headerLike": {key: value}},
            plain,
            st.sampled_from(["a%", "%b_", "\\%", "a\\\\", "%'%", "_"]),
        ),
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
requirement = st.one_of(
    st.builds(
        lambda key, sign, value: f"{key} {sign} {value}", plain, st.sampled_from(["=", "!="]), label_values
    ),
    st.builds(
        lambda key, word, found: f"{key} {word} ({', '.join(found)})",
        plain,
        st.sampled_from(["in", "notin"]),
        st.lists(label_values, min_size=1, max_size=3),
    ),
    plain,
    plain.map(lambda key: f"!{key}"),
    plain.map(lambda key: f"{key} > 3"),
)
labels = st.lists(requirement, min_size=1, max_size=3).map(", ".join)
pubsub_leaf = st.one_of(
    keys.map(lambda key: f"attributes:{json.dumps(key, ensure_ascii=False)}"),
    st.builds(
        lambda key, sign, value: (
            f"attributes.{json.dumps(key, ensure_ascii=False)} {sign} {quoted(value, chr(34))}"
        ),
        keys,
        st.sampled_from(["=", "!="]),
        values.filter(lambda text: "\n" not in text),
    ),
    st.builds(
        lambda key, value: (
            f"hasPrefix(attributes.{json.dumps(key, ensure_ascii=False)}, {quoted(value, chr(34))})"
        ),
        keys,
        full.filter(lambda text: "\n" not in text),
    ),
)
pubsub = st.recursive(
    pubsub_leaf,
    lambda inner: st.one_of(
        inner.map(lambda text: f"NOT ({text})"),
        *(
            st.lists(inner, min_size=2, max_size=3).map(
                lambda parts, word=word: "(" + f" {word} ".join(parts) + ")"
            )
            for word in ("AND", "OR")
        ),
    ),
    max_leaves=3,
)
small = plain.filter(lambda key: key == key.lower())
cesql_leaf = st.one_of(
    st.builds(
        lambda key, sign, value: f"{key} {sign} " + "'" + value.replace("'", "\\'") + "'",
        small,
        st.sampled_from(["=", "!="]),
        values.filter(lambda text: not text.endswith("\\") and "\\'" not in text),
    ),
    small.map(lambda key: f"EXISTS {key}"),
    small.map(lambda key: f"INT({key}) > 3"),
    small.map(lambda key: f"{key} LIKE '%a_'"),
    small.map(lambda key: f"LENGTH({key}) = 1"),
    small.map(lambda key: f"UPPER({key}) IN ('A', 'B')"),
)
cesql = st.recursive(
    cesql_leaf,
    lambda inner: st.one_of(
        inner.map(lambda text: f"NOT ({text})"),
        *(
            st.lists(inner, min_size=2, max_size=3).map(
                lambda parts, word=word: "(" + f" {word} ".join(parts) + ")"
            )
            for word in ("AND", "OR", "XOR")
        ),
    ),
    max_leaves=4,
)
cel_text = values.map(lambda text: json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f"))
cel_key = keys.map(lambda key: f"m[{json.dumps(key, ensure_ascii=False)}]")
cel_leaf = st.one_of(
    st.builds(
        lambda key, sign, value: f"{key} {sign} {value}",
        cel_key,
        st.sampled_from(["==", "!=", "<", ">="]),
        cel_text,
    ),
    st.builds(
        lambda key, name, value: f"{key}.{name}({value})",
        cel_key,
        st.sampled_from(["startsWith", "endsWith", "contains"]),
        cel_text,
    ),
    st.builds(
        lambda key, found: f"{key} in [{', '.join(found)}]",
        cel_key,
        st.lists(cel_text, min_size=1, max_size=3),
    ),
    plain.map(lambda key: f"has(m.{key})"),
    cel_key.map(lambda key: f"int({key}) > 3"),
    cel_key.map(lambda key: f"size({key}.trim()) == 1"),
)
cel = st.recursive(
    cel_leaf,
    lambda inner: st.one_of(
        inner.map(lambda text: f"!({text})"),
        *(
            st.lists(inner, min_size=2, max_size=3).map(
                lambda parts, word=word: "(" + f" {word} ".join(parts) + ")"
            )
            for word in ("&&", "||")
        ),
    ),
    max_leaves=4,
)
sql_text = values.map(lambda text: "'" + text.replace("'", "''") + "'")
sql_key = keys.map(lambda key: "m['" + key.replace("'", "''") + "']")
sql = st.recursive(
    st.one_of(
        st.builds(
            lambda key, sign, value: f"{key} {sign} {value}",
            sql_key,
            st.sampled_from(["=", "<>", "<", ">="]),
            sql_text,
        ),
        st.builds(
            lambda key, found: f"{key} IN ({', '.join(found)})",
            sql_key,
            st.lists(sql_text, min_size=1, max_size=3),
        ),
        sql_key.map(lambda key: f"{key} IS NULL"),
        sql_key.map(lambda key: f"{key} LIKE 'a%'"),
    ),
    lambda inner: st.one_of(
        inner.map(lambda text: f"NOT ({text})"),
        *(
            st.lists(inner, min_size=2, max_size=3).map(
                lambda parts, word=word: "(" + f" {word} ".join(parts) + ")"
            )
            for word in ("AND", "OR")
        ),
    ),
    max_leaves=4,
)
bus_key = st.one_of(
    keys.map(lambda key: "[" + key.replace("]", "]]") + "]"),
    keys.map(lambda key: '"' + key.replace('"', '""') + '"'),
    keys.map(lambda key: "property('" + key.replace("'", "''") + "')"),
    st.sampled_from(["k", "user.n", "User.[K9]"]),
)
bus_sql = st.recursive(
    st.one_of(
        st.builds(
            lambda key, sign, value: f"{key} {sign} {value}",
            bus_key,
            st.sampled_from(["=", "<>", "!="]),
            sql_text,
        ),
        st.builds(
            lambda key, word, found: f"{key} {word} ({', '.join(found)})",
            bus_key,
            st.sampled_from(["IN", "not in"]),
            st.lists(sql_text, min_size=1, max_size=3),
        ),
        st.builds(
            lambda key, word, pattern: f"{key} {word} {pattern}",
            bus_key,
            st.sampled_from(["LIKE", "NOT LIKE"]),
            st.sampled_from(["'a%'", "'%!%' ESCAPE '!'", "'_'"]),
        ),
        bus_key.map(lambda key: f"EXISTS({key})"),
        bus_key.map(lambda key: f"{key} IS NOT NULL"),
        bus_key.map(lambda key: f"{key} + 'x' = 'ax'"),
    ),
    lambda inner: st.one_of(
        inner.map(lambda text: f"NOT ({text})"),
        *(
            st.lists(inner, min_size=2, max_size=3).map(
                lambda parts, word=word: "(" + f" {word} ".join(parts) + ")"
            )
            for word in ("AND", "or")
        ),
    ),
    max_leaves=4,
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
    import random  # only here

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
