"""Mixes of filters for `matching.py`, each of another kind than its own one and than each other.

A form is a condition as its author writes it, and the SQL that a manifest has of it where it is another text.
Of each mix a row is accepted by about 3.6 of 10,000 filters. Shares are of a hundred.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

FIELDS = {
    "kind": "string",
    "tenant": "string",
    "region": "string",
    "source": "string",
    "amount": "double",
    "size": "bigint",
    "headers": "map<string, string>",
    "tags": "array<string>",
}


@dataclass(frozen=True)
class Form:
    share: int
    language: str
    text: str
    sql: str = ""


LISTS = (
    Form(
        20,
        "sql",
        "tenant IN ('{t1}', '{t2}', '{t3}', '{t4}') AND NOT region = '{r1}'",
        "tenant IN ('{t1}', '{t2}', '{t3}', '{t4}') AND region <> '{r1}'",
    ),
    Form(
        20,
        "sql",
        "tenant IN ('{t1}', '{t2}') AND NOT (kind = '{k1}' OR kind = '{k2}')",
        "tenant IN ('{t1}', '{t2}') AND kind NOT IN ('{k1}', '{k2}')",
    ),
    Form(25, "sql", "(tenant = '{t1}' OR source = '{source}') AND size > {n}"),
    Form(20, "sql", "(tenant = '{t1}' OR kind = '{k1}') AND region IN ('{r1}', '{r2}')"),
    Form(
        5,
        "sql",
        "kind = '{k1}' AND NOT (tenant IN ('{t1}', '{t2}') OR region IN ('{r1}', '{r2}', '{r3}'))",
    ),
    Form(
        10,
        "sql",
        "(region = '{r1}' OR size > {n}) AND NOT region = '{r2}' AND tenant = '{t1}'",
        "(region = '{r1}' OR size > {n}) AND region <> '{r2}' AND tenant = '{t1}'",
    ),
)
NUMBERS = (
    Form(40, "sql", "amount BETWEEN {a} AND {near}"),
    Form(
        15,
        "sql",
        "amount * 2 < {twice} AND kind = '{k1}' AND size > {n}",
        "amount < {near} AND kind = '{k1}' AND size > {n}",
    ),
    Form(
        15,
        "sql",
        "amount BETWEEN {a} AND {far} AND amount * 2 < {twice}",
        "amount BETWEEN {a} AND {far} AND amount < {near}",
    ),
    Form(20, "sql", "headers['{key}'] LIKE '{value}%' AND size % {m} = {c}"),
    Form(10, "sql", "amount BETWEEN {a} AND {far} AND size BETWEEN {n} AND {n50}"),
)
ELEMENTS = (
    Form(
        30,
        "cel",
        "'{x}' in tags && size >= {n} && size < {n400}",
        "ARRAY_CONTAINS(tags, '{x}') AND size >= {n} AND size < {n400}",
    ),
    Form(
        15,
        "cel",
        "tags.exists(t, t == '{x}') && kind != '{k1}'",
        "EXISTS(tags, t -> t = '{x}') AND kind <> '{k1}'",
    ),
    Form(
        25,
        "cel",
        "source.startsWith('{service}-') && amount < {a} && size < {n}",
        "source LIKE '{service}-%' AND amount < {a} AND size < {n}",
    ),
    Form(
        25,
        "cel",
        "source.startsWith('{services}') && amount > {a} && amount <= {next}",
        "source LIKE '{services}%' AND amount > {a} AND amount <= {next}",
    ),
    Form(
        5,
        "cel",
        "tags.exists(t, t.startsWith('{xs}')) && size >= {n} && size < {n400}",
        "EXISTS(tags, t -> t LIKE '{xs}%') AND size >= {n} AND size < {n400}",
    ),
)
MIXES = {"lists": LISTS, "numbers": NUMBERS, "elements": ELEMENTS}


def constants(rng: random.Random) -> dict[str, str]:
    """What stands in a form."""
    tenth, n, m = (
        rng.randrange(20, 200) * 10 + rng.randrange(1, 10),
        rng.randrange(900),
        rng.randrange(20, 40),
    )
    source = f"svc-{rng.randrange(1000, 2000)}-{rng.randrange(10)}"
    return {
        **{f"t{place}": f"t{number}" for place, number in enumerate(rng.sample(range(5000), 4), 1)},
        **{f"k{place}": f"k{number}" for place, number in enumerate(rng.sample(range(600), 2), 1)},
        **{f"r{place}": f"r{number}" for place, number in enumerate(rng.sample(range(20), 3), 1)},
        "source": source,
        "service": source[:8],
        "services": source[:6],
        "x": f"{rng.choice('xy')}{rng.randrange(2000)}",
        "xs": f"{rng.choice('xy')}{rng.randrange(100, 200)}",
        "key": f"{rng.choice('hg')}{rng.randrange(5)}",
        "value": f"v1{rng.randrange(10)}",
        "n": str(n),
        "n50": str(n + 50),
        "n400": str(n + 400),
        "m": str(m),
        "c": str(rng.randrange(m)),
        "a": f"{tenth / 10}",
        "near": f"{tenth / 10 + 0.05:.2f}",
        "twice": f"{tenth / 5 + 0.1:.1f}",
        "next": f"{tenth / 10 + 1:.1f}",
        "far": f"{tenth / 10 + 5:.1f}",
    }


def form_of(forms: Sequence[Form], place: int) -> Form:
    """The form of a filter: neighbours have different ones."""
    left = place * 37 % 100
    for form in forms:
        left -= form.share
        if left < 0:
            return form
    raise ValueError("the shares of a mix are a hundred")


def sql_of(mix: str, place: int, rng: random.Random) -> str:
    """A filter of a mix, or of all of them together, as a manifest has it."""
    names = sorted(MIXES)
    forms = MIXES[names[place % len(names)] if mix == "together" else mix]
    form = form_of(forms, place // len(names) if mix == "together" else place)
    return (form.sql or form.text).format(**constants(rng))
